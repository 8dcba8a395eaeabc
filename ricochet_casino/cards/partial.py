"""Hands that are not complete: the order of one to seven cards, and two cards against five.

*Any number of cards* (rulings D1 to D4, D8 to D10): `hand_order` puts all hands of one to seven
cards, Jokers included, into one order: category, then ranks in order of significance, a missing
card below every card, then suits in the same order. Straights, flushes and full houses need five
cards. A Joker is a bug. Its compiled twin is in partial_kernel.py.

*Two cards* in the casino game. Who acts first (rulings A1): a pair is above no pair, then the ranks
count, higher card first, then the suit of the higher card, or the better suit of a pair. In
*Quickdraw* (A11) two cards play against the dealer's five: the category counts first, and two pair
or better always beats two cards; then ranks in order of significance. When all ranks that the two
cards can show are equal,
``first_two`` calls it a tie, which wins for the player, while under ``kicker_wins`` the hand with
more cards beats the same hand without them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.classes import Category, class_of, classes, first_of_category
from ricochet_casino.cards.deck import JOKER_BIG, JOKER_SMALL, check_cards

Reading = Literal["first_two", "kicker_wins"]
Outcome = Literal["win", "tie", "lose"]
READINGS: tuple[Reading, ...] = ("first_two", "kicker_wins")

MOST_CARDS: Final = 7
"""Cards of the largest hand that has a place in the order."""
CATEGORIES: Final = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house",
    "four of a kind", "straight flush", "five aces",
)  # fmt: skip
"""Names of `HandOrder.category`, rising."""
SUIT_BITS: Final = 15
"""Bits of `HandOrder.key` that the suits take: without them it is the order at the showdown."""
_COUNTED = 5
_ACE = 14
_OF_COUNTS = {(5,): 9, (4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (4,): 7, (3, 1): 3}
_OF_COUNTS |= {(2, 2): 2, (3,): 3}
# The same by how many cards have the rank of each, the most frequent first.
_OF_TIMES = {
    tuple(n for n in counts for _ in range(n)): category for counts, category in _OF_COUNTS.items()
}
_SHOWN = (*(((code >> 2) + 2, (code & 3) + 3) for code in range(JOKER_SMALL)), (_ACE, 1), (_ACE, 2))
"""Rank and suit that a card shows, by code."""
_RUNS = tuple(tuple(range(top, top - _COUNTED, -1)) for top in range(_ACE, 4, -1))
_RUN_RANKS = tuple(frozenset(_ACE if rank == 1 else rank for rank in run) for run in _RUNS)
# Orders that are kept: those of all hands of up to three cards, and of the last seen.
_KEPT = 1 << 16


class HandOrder(NamedTuple):
    """Place of a hand in the order of play: tuples compare as the hands do.

    Attributes
    ----------
    category
        Index into `CATEGORIES`.
    ranks
        Up to five, in order of significance, 2 to 14; the ace of A2345 is 1 and comes last. A
        Joker has the rank that it plays.
    suits
        Of the same cards: small Joker 1, big Joker 2, clubs 3, diamonds 4, hearts 5, spades 6.
    """

    category: int
    ranks: tuple[int, ...]
    suits: tuple[int, ...]

    @property
    def key(self) -> int:
        """The same order in one number, suits in the last `SUIT_BITS` bits (docs/math.md, 13.1)."""
        key = self.category
        for parts, bits in ((self.ranks, 4), (self.suits, 3)):
            for place in range(_COUNTED):
                key = (key << bits) | (parts[place] if place < len(parts) else 0)
        return key


def hand_order(cards: Sequence[int]) -> HandOrder:
    """Place of one to seven cards in the order of play; of six and seven the best five count.

    Parameters
    ----------
    cards
        Different cards in any order; codes 52 and 53 are the Jokers.

    Raises
    ------
    CardError
        If a card does not exist or appears twice.
    ValueError
        If there is no card or there are more than seven.
    """
    if not 1 <= len(cards) <= MOST_CARDS:
        raise ValueError(f"a hand has 1 to {MOST_CARDS} cards, got {len(cards)}")
    check_cards(cards, highest=JOKER_BIG)
    return max(map(_counted_order, combinations(sorted(cards), min(_COUNTED, len(cards)))))


def compare(a: Sequence[int], b: Sequence[int], *, suits: bool = True) -> int:
    """Compare two hands of one to seven cards: -1, 0 or 1 as `a` is below, level with or above `b`.

    Parameters
    ----------
    a, b
        Different cards.
    suits
        As in the order of play; without, as at the showdown.

    Raises
    ------
    CardError
        If a card does not exist or appears twice.
    ValueError
        If a hand has no card or more than seven.
    """
    first, second = hand_order(a), hand_order(b)
    check_cards([*a, *b], highest=JOKER_BIG)
    if not suits:
        first, second = first._replace(suits=()), second._replace(suits=())
    return (first > second) - (first < second)


@lru_cache(maxsize=_KEPT)
def _counted_order(cards: tuple[int, ...]) -> HandOrder:
    """Order of one to five cards, all of which count."""
    shown = [_SHOWN[card] for card in cards]
    held = [rank for rank, _ in shown]
    rows = sorted(((held.count(rank), rank, suit) for rank, suit in shown), reverse=True)
    times, by_rank, by_suit = zip(*rows, strict=True)
    best = HandOrder(_OF_TIMES.get(times, int(times[0] == 2)), by_rank, by_suit)
    naturals = [_SHOWN[card] for card in cards if card < JOKER_SMALL]
    suit_of = dict(naturals)
    if len(cards) < _COUNTED or len(suit_of) < len(naturals):
        return best
    bugs = sorted((_SHOWN[card][1] for card in cards if card >= JOKER_SMALL), reverse=True)
    suited = len(set(suit_of.values())) == 1
    if suited:  # bugs are the highest ranks that the suit misses
        missing = [rank for rank in range(_ACE, 1, -1) if rank not in suit_of]
        flush = sorted([*suit_of, *missing[: len(bugs)]], reverse=True)
        best = max(best, _filled(5, flush, suit_of, bugs))
    for run, ranks in zip(_RUNS, _RUN_RANKS, strict=True):
        if suit_of.keys() <= ranks:
            return max(best, _filled(8 if suited else 4, run, suit_of, bugs))
    return best


def _filled(
    category: int, ranks: Sequence[int], suit_of: dict[int, int], bugs: Sequence[int]
) -> HandOrder:
    """A straight or flush of these ranks; bugs, the big Joker first, stand where no card does."""
    rest = iter(bugs)
    suits = [suit_of.get(_ACE if rank == 1 else rank) or next(rest) for rank in ranks]
    return HandOrder(category, tuple(ranks), tuple(suits))


def action_key(hole: Sequence[int]) -> int:
    """Place of a two-card hand in the order of action: the lowest key acts first.

    Parameters
    ----------
    hole
        Two different standard cards, in any order.

    Returns
    -------
    int
        Different for all 1,326 hands. The suit of the lower card counts last; it never decides
        between hands that can be held at the same time.

    Raises
    ------
    CardError
        If these are not two different standard cards.
    """
    check_cards(hole, count=2)
    # Code order is rank order, then suit order: the higher code is the higher card, or the
    # better suit of a pair.
    high, low = max(hole), min(hole)
    return ((_rank_key(high, low) * 4) + (high & 3)) * 4 + (low & 3)


def _rank_key(high: int, low: int) -> int:
    """Pairs above all else, then the higher rank, then the lower."""
    is_pair = high >> 2 == low >> 2
    return (13 * is_pair + (high >> 2)) * 13 + (low >> 2)


def action_keys(holes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """As `action_key` for many hands.

    Parameters
    ----------
    holes
        (..., 2) card codes; trusted to be two different standard cards each.

    Returns
    -------
    (...) int64
        Keys; the lowest acts first.
    """
    codes = holes.astype(np.int64)
    high, low = codes.max(axis=-1), codes.min(axis=-1)
    ranks = (13 * (high >> 2 == low >> 2) + (high >> 2)) * 13 + (low >> 2)
    keys: npt.NDArray[np.int64] = (ranks * 4 + (high & 3)) * 4 + (low & 3)
    return keys


def compare_two(a: Sequence[int], b: Sequence[int], *, suits: bool = True) -> int:
    """Compare two hands of two cards: -1, 0 or 1 as `a` is lower than, equal to or above `b`.

    Parameters
    ----------
    a, b
        Two different standard cards each.
    suits
        Break ties by suit, as in the order of action. Without, 0 means equal ranks.

    Raises
    ------
    CardError
        If one is not two different standard cards.
    """
    first, second = action_key(a), action_key(b)
    if not suits:
        first, second = first >> 4, second >> 4
    return (first > second) - (first < second)


def action_order(hands: Sequence[Sequence[int]]) -> list[int]:
    """Seats in the order in which they act.

    Parameters
    ----------
    hands
        The two cards of seat 0, 1, ...

    Returns
    -------
    list of int
        Seat numbers, the lowest hand first.

    Raises
    ------
    CardError
        If a hand is not two standard cards, or a card is held twice.
    """
    keys = [action_key(hand) for hand in hands]
    check_cards([card for hand in hands for card in hand])
    return sorted(range(len(hands)), key=keys.__getitem__)


def quickdraw(hole: Sequence[int], dealer: Sequence[int], reading: Reading) -> Outcome:
    """Two cards against the dealer's five.

    Parameters
    ----------
    hole, dealer
        Two and five standard cards, all different.
    reading
        ``first_two`` or ``kicker_wins``.

    Returns
    -------
    str
        ``win``, ``tie`` (only under ``first_two``; pays as a win) or ``lose``, for the player.

    Raises
    ------
    CardError
        If these are not two and five different standard cards.
    ValueError
        If the reading is unknown.
    """
    check_cards(hole, count=2)
    hand_class = class_of(dealer)
    check_cards([*hole, *dealer])
    return quickdraw_against_class(hole, hand_class, reading)


def quickdraw_against_class(hole: Sequence[int], hand_class: int, reading: Reading) -> Outcome:
    """As `quickdraw`, with the class of the dealer's hand instead of her cards.

    Raises
    ------
    CardError
        If `hole` is not two different standard cards.
    ValueError
        If the reading or the class is unknown.
    """
    check_cards(hole, count=2)
    if reading not in READINGS:
        raise ValueError(f"unknown Quickdraw reading {reading!r}: expected {' or '.join(READINGS)}")
    if not 0 <= hand_class < len(classes()):
        raise ValueError(f"{hand_class} is not a class of five cards (0 to {len(classes()) - 1})")
    high, low = max(hole) >> 2, min(hole) >> 2
    category = Category.PAIR if high == low else Category.HIGH_CARD
    dealer = classes()[hand_class]
    mine, hers = (category, high, low), (dealer.category, *dealer.ranks[:2])
    if mine != hers:
        return "win" if mine > hers else "lose"
    return "tie" if reading == "first_two" else "lose"


@cache
def quickdraw_limits(high: int, low: int) -> tuple[int, int]:
    """Where a two-card hand stands among the five-card classes.

    Parameters
    ----------
    high, low
        Its ranks, 0 to 12; ``high >= low``.

    Returns
    -------
    (first_equal, first_above) : tuple of int
        Classes below `first_equal` lose to the two cards, classes from `first_above` on beat them,
        and those between show the same two ranks first: a tie under ``first_two``, beaten by the
        fuller hand under ``kicker_wins``.
    """
    category = Category.PAIR if high == low else Category.HIGH_CARD
    bounds = first_of_category()
    begin, end = bounds[category], bounds[category + 1]
    # The classes of a category rise with their ranks, so the two that are shown first rise too.
    shown = [hand.ranks[:2] for hand in classes()[begin:end]]
    return begin + bisect_left(shown, (high, low)), begin + bisect_right(shown, (high, low))
