"""Executors and the store: they run any experiment and know no game. See docs/runs.md."""

from ricochet_casino.runs.block_store import ExperimentStore
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.errors import ClusterError, RunError, StoreError
from ricochet_casino.runs.execution import BlockRun, fill, recompute, run, run_blocks
from ricochet_casino.runs.executors import EXECUTORS, MAX_WORKERS, Executor, Workers
from ricochet_casino.runs.listing import RunSummary, clean, find_runs, read_run
from ricochet_casino.runs.reading import StoredRun
from ricochet_casino.runs.store import Store, holds_run

__all__ = [
    "EXECUTORS",
    "MAX_WORKERS",
    "BlockRun",
    "Blocks",
    "ClusterError",
    "Executor",
    "ExperimentStore",
    "RunError",
    "RunSummary",
    "Store",
    "StoreError",
    "StoredRun",
    "Workers",
    "clean",
    "fill",
    "find_runs",
    "holds_run",
    "read_run",
    "recompute",
    "run",
    "run_blocks",
]
