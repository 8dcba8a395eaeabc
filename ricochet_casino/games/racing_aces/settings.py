"""The readings of the rules of Racing Aces (docs/rulings.md, G)."""

from typing import Any, ClassVar, Final, Literal

from ricochet_casino.studies.settings import GameSettings

DECK_CARDS: Final = 156
COPIES: Final = 12
RESERVE_CARDS: Final = 13
TABLEAU_PILES: Final = 6
RANK_NAMES: Final = " A23456789TJQK"
"""Letter of each rank, 1 (ace) to 13 (king)."""

_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "as_ruled": {},
    "waste_begun": {"initial_waste": 1},
}


class RacingAcesSettings(GameSettings):
    """Settings of Racing Aces.

    Attributes
    ----------
    initial_waste
        Stock cards that lie on the waste before the first move, 0 or 1.
    """

    PRESETS: ClassVar = _PRESETS

    initial_waste: Literal[0, 1] = 0
