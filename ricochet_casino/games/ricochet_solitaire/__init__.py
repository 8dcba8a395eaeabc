"""Ricochet solitaire: four walls around a room, taken down by bouncing from wall to wall."""

from typing import Final

EXPERIMENTS: Final = {"study": "study:SolitaireStudy"}
"""Name of each experiment -> module and class that make it (see `ricochet_casino.games.build`)."""
