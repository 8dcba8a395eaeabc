"""Pinball Ricochet: follow the ball from bumper to bumper and slap the last card first."""

from typing import Final

EXPERIMENTS: Final = {
    "study": "study:Study",
    "search": "design:Search",
}
"""Name of each experiment -> module and class that make it (see `ricochet_casino.games.build`)."""
