"""Hands of two cards: their order of action, and two cards against five.

Who acts first (rulings A1): a pair is above no pair, then the ranks count, higher card first, then
the suit of the higher card, or the better suit of a pair. In *Quickdraw* (A11) two cards play
against the dealer's five: the category counts first, and two pair or better always beats two
cards; then ranks in order of significance. When all ranks that the two cards can show are equal,
``first_two`` calls it a tie, which wins for the player, while under ``kicker_wins`` the hand with
more cards beats the same hand without them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.classes import Category, class_of, classes, first_of_category
from ricochet_casino.cards.deck import check_cards

Reading = Literal["first_two", "kicker_wins"]
Outcome = Literal["win", "tie", "lose"]
READINGS: tuple[Reading, ...] = ("first_two", "kicker_wins")


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
