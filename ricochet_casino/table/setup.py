"""What is settled before the first hand: the game, its rules, the cards, the price of a seat."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setup:
    """Settings of a table; kept in the header of its ledger.

    Attributes
    ----------
    game
        ``home``, ``table-game-ii`` or ``casino-night``.
    rules
        The game's own settings: a preset's name of the home game, or a paytable of casino night (a
        file or a shipped name); empty for the usual one.
    manual
        Real cards, entered by the group.
    seed
        Of the shuffles and the computer players' dice, 0 to 2^64 - 1; drawn if None.
    chips
        What who sits down buys if nothing else is said; 0 for the game's usual number.
    """

    game: str = "home"
    rules: str = ""
    manual: bool = False
    seed: int | None = None
    chips: int = 0
