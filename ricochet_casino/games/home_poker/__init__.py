"""Home Ricochet Poker and Table Game II: two to eight players buy cards, the lowest hand acts."""

from typing import Final

EXPERIMENTS: Final = {"study": "study:Study", "duel": "duel:Duel"}
"""Name of each experiment -> module and class that make it (see `ricochet_casino.games.build`)."""
