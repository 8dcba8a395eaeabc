"""The readings of the rules of Ricochet solitaire (docs/rulings.md, E)."""

from typing import Any, ClassVar, Final

from ricochet_casino.studies.settings import GameSettings

_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "as_ruled": {},
    "no_wrap": {"wrap": False},
    "no_reset": {"flip_lifts_wall_rule": False},
    "stuck_only": {"flip_only_when_stuck": True},
    "to_the_letter": {"flip_only_when_stuck": True, "ends_with_stock": True},
}


class SolitaireSettings(GameSettings):
    """Settings of Ricochet solitaire.

    Attributes
    ----------
    wrap
        King and ace are neighbours.
    flip_lifts_wall_rule
        After a stock card is turned, a card of any wall may be played.
    flip_only_when_stuck
        A stock card may be turned only while no card can be played.
    ends_with_stock
        The game ends as soon as the last stock card is turned.
    """

    PRESETS: ClassVar = _PRESETS

    wrap: bool = True
    flip_lifts_wall_rule: bool = True
    flip_only_when_stuck: bool = False
    ends_with_stock: bool = False
