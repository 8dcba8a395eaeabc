"""Racing Aces: three decks, sixteen foundations that run in four directions, one pass."""

from typing import Final

EXPERIMENTS: Final = {"study": "study:RacingAcesStudy"}
"""Name of each experiment -> module and class that make it (see `ricochet_casino.games.build`)."""
