"""The rules of one table of casino Ricochet Poker, in whole units."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ricochet_casino.cards.deck import RANKS, STANDARD_DECK, CardError, format_card


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
    lowest_rank
        Ranks below are not in the deck: 0 is the full deck, 8 leaves the 20 cards from tens to
        aces. Classes keep their numbers.

    Raises
    ------
    ValueError
        If there is no such shortened deck, or it is too short for the players.
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
    lowest_rank: int = 0

    def __post_init__(self) -> None:
        if self.lowest_rank == 0:  # a full deck is long enough for everybody
            return
        if not 0 < self.lowest_rank < len(RANKS):
            raise ValueError(f"lowest_rank must be 0 to {len(RANKS) - 1}, got {self.lowest_rank}")
        need = 5 * self.players + 5
        if len(self.deck) < need:
            who = "player" if self.players == 1 else "players"
            raise ValueError(
                f"a deck from {RANKS[self.lowest_rank]} to {RANKS[-1]} has {len(self.deck)} cards: "
                f"too short for {self.players} {who} and the dealer, who may need {need}"
            )

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """The card codes in the deck, rising."""
        return STANDARD_DECK[4 * self.lowest_rank :]

    @cached_property
    def missing(self) -> tuple[int, ...]:
        """The card codes that a shortened deck lacks, rising."""
        return STANDARD_DECK[: 4 * self.lowest_rank]

    def check_in_deck(self, cards: Iterable[int]) -> None:
        """Refuse standard cards that a shortened deck lacks.

        Raises
        ------
        CardError
            With the first such card in the message.
        """
        for card in cards if self.lowest_rank else ():
            if card < 4 * self.lowest_rank:
                raise CardError(
                    f"the card {format_card(card)} is not in the deck, which begins with "
                    f"{RANKS[self.lowest_rank]}"
                )

    def plays(self, gain: int | Fraction) -> bool:
        """Whether a strategy plays for this gain: `when_equal` decides about none at all."""
        return gain > 0 or (gain == 0 and self.when_equal == "play")

    @cached_property
    def _first_classes(self) -> list[int]:
        return [line.first_class for line in self.lines]

    def line_of(self, hand_class: int) -> int:
        """Index into `lines` of the line a five-card class is paid on, -1 if on none."""
        return bisect_right(self._first_classes, hand_class) - 1

    def bonus_sum(self, reached: Iterable[int]) -> int:
        """Bonus units of many hands together, from how many of them reach each of `lines`."""
        total = below = 0
        for line, number in zip(self.lines, reached, strict=True):
            # A hand on a line reaches all the lines below, so differences add up to its own pay.
            total += (line.pays - below) * number
            below = line.pays
        return total

    def bonus(self, hand_class: int) -> int:
        """Profit in units that a five-card class earns as a bonus."""
        index = self.line_of(hand_class)
        return self.lines[index].pays if index >= 0 else 0
