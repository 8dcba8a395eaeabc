"""Home Ricochet Poker and Table Game II: two to eight players buy cards, the lowest hand acts."""

from typing import Final

EXPERIMENTS: Final = {"study": "study:Study", "duel": "duel:Duel"}
"""Name of each experiment -> module and class that make it (see `ricochet_casino.games.build`)."""
DEFAULT_PLAYOUTS: Final = 1024
"""Most playouts of each action for the policy ``look_ahead``, unless told otherwise."""
ODDS_PLAYOUTS: Final = 1 << 14
"""Playouts of each purchase for sampled odds, unless told otherwise."""
