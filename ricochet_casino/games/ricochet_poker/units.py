"""The rules of one table of casino Ricochet Poker, in whole units."""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property


@dataclass(frozen=True)
class Line:
    """A bonus line: this class or better; the best line of a hand pays, once.

    Attributes
    ----------
    name
        Such as ``straight``.
    first_class
        Lowest five-card class on the line.
    pays
        Profit in units, already multiplied by the bet it is paid on.
    """

    name: str
    first_class: int
    pays: int


@dataclass(frozen=True)
class SideLine:
    """A line of a side bet: this class or better; the best line pays, once.

    Attributes
    ----------
    name
        Such as ``pair_of_fives``.
    first_class
        Lowest five-card class on the line.
    pays
        Profit per chip staked, to one.
    """

    name: str
    first_class: int
    pays: Fraction


@dataclass(frozen=True)
class Rules:
    """One paytable for one number of players, in whole units.

    Attributes
    ----------
    players
        1 to 7.
    unit
        Chips per unit: the coin; with ``coin: fair`` so small that every share is whole.
    ante, dealer_ante, play_bet
        Units.
    kickout_class
        Lowest five-card class with which the dealer is out; 7,462 = never.
    lines
        Bonus lines, weakest first.
    last_hand
        ``free``, ``may_play`` or ``none``: what the last hand standing with two cards gets.
    when_equal
        ``play`` or ``fold``: what a strategy does when both are worth the same.
    fair_split
        Shares of a split pot are exact (``coin: fair``); there are no odd coins.
    """

    players: int
    unit: Fraction
    ante: int
    dealer_ante: int
    play_bet: int
    kickout_class: int
    lines: tuple[Line, ...]
    last_hand: str
    when_equal: str
    fair_split: bool

    @cached_property
    def _first_classes(self) -> list[int]:
        return [line.first_class for line in self.lines]

    def line_of(self, hand_class: int) -> int:
        """Index into `lines` of the line a five-card class is paid on, -1 if on none."""
        return bisect_right(self._first_classes, hand_class) - 1

    def bonus(self, hand_class: int) -> int:
        """Profit in units that a five-card class earns as a bonus."""
        index = self.line_of(hand_class)
        return self.lines[index].pays if index >= 0 else 0
