"""The all-hearts pyramid: pairs of equal rank from four suits of hearts."""

from typing import Final

EXPERIMENTS: Final = {"study": "study:PyramidStudy"}
"""Name of each experiment -> module and class that make it (see `ricochet_casino.games.build`)."""
