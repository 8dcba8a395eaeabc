"""Executors: they run the shards of any experiment and know no game."""

from ricochet_casino.runs.local import run

__all__ = ["run"]
