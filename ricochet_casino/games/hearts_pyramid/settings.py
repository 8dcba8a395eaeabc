"""The readings of the rules of the all-hearts pyramid (docs/rulings.md, F)."""

from typing import Any, ClassVar, Final, Literal

from pydantic import Field, field_validator

from ricochet_casino.studies.settings import GameSettings

DECK_CARDS: Final = 52
RANKS: Final = "A23456789TJQK"
MOST_ROWS: Final = 9

_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "as_written": {},
    "playable": {"pairing": "waste_pair", "passes": "unlimited"},
    "friendly": {"rows": 6, "goal": "pyramid", "passes": "unlimited"},
}


class PyramidSettings(GameSettings):
    """Settings of the all-hearts pyramid.

    Attributes
    ----------
    rows
        Rows of the pyramid, 6 to 9.
    pairing
        Which cards pair besides two open pyramid cards: ``strict`` one of them with the waste top;
        ``waste_pair`` also the two top waste cards; ``stock_top`` also the next stock card, lying
        face up, with an open pyramid card or the waste top.
    passes
        Through the stock: 1, 2, 3 or ``unlimited``.
    goal
        What must be gone: ``all`` cards, or the ``pyramid``.
    """

    PRESETS: ClassVar = _PRESETS

    rows: int = Field(default=7)
    pairing: Literal["strict", "waste_pair", "stock_top"] = "strict"
    passes: Literal[1, 2, 3, "unlimited"] = 1
    goal: Literal["all", "pyramid"] = "all"

    @field_validator("rows")
    @classmethod
    def _fits(cls, rows: int) -> int:
        needed = rows * (rows + 1) // 2
        if needed > DECK_CARDS:
            raise ValueError(f"{rows} rows need {needed} cards; there are {DECK_CARDS}")
        if not 6 <= rows <= MOST_ROWS:
            raise ValueError(f"expected 6 to {MOST_ROWS} rows")
        return rows

    @property
    def pyramid_cards(self) -> int:
        """Cards in the pyramid; the rest is the stock."""
        return self.rows * (self.rows + 1) // 2
