"""The 7,462 classes of five-card hands, as a readable list, and their plain-Python evaluator.

Class numbers rise with strength: 0 is 7-5-4-3-2 in several suits, 7,461 the royal flush. Two
hands are equal in rank exactly when their class is equal. The multiset of ranks and the answer to
"all of one suit?" determine the class, and the other way round.
"""

from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from itertools import combinations
from typing import NamedTuple

from ricochet_casino.cards.deck import RANKS, check_cards

N_CLASSES = 7462
ROYAL_FLUSH = N_CLASSES - 1
_WHEEL = (3, 2, 1, 0, 12)


class Category(IntEnum):
    """The nine kinds of five-card hands, from weakest to strongest."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8


class HandClass(NamedTuple):
    """One class of five-card hands.

    Attributes
    ----------
    index
        0 (lowest) to 7,461 (royal flush).
    category
        Its kind.
    ranks
        Five ranks in order of significance: groups first, the larger group before the smaller,
        then high before low. The five-high straight reads 5 4 3 2 A.
    suited
        All five cards of one suit.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which no class needs
    category: Category
    ranks: tuple[int, int, int, int, int]
    suited: bool

    @property
    def text(self) -> str:
        """The ranks, most significant first, with an ``s`` for one suit: ``KKQ32``, ``AQT93s``."""
        return "".join(RANKS[rank] for rank in self.ranks) + ("s" if self.suited else "")

    @property
    def name(self) -> str:
        """The class in words, such as ``pair of kings with Q 3 2``."""
        return _describe(self)

    @property
    def representative(self) -> tuple[int, int, int, int, int]:
        """Five card codes that make this class (in no particular suits)."""
        if self.suited:
            return tuple(4 * rank for rank in self.ranks)  # type: ignore[return-value]
        used: dict[int, int] = {}
        cards = []
        for position, rank in enumerate(self.ranks):
            # A different suit for each card of a rank; the second card breaks a possible flush.
            suit = used.get(rank, 1 if position == 1 else 0)
            used[rank] = suit + 1
            cards.append(4 * rank + suit)
        return tuple(cards)  # type: ignore[return-value]


_SINGULAR = ("deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
             "jack", "queen", "king", "ace")  # fmt: skip
RANK_NAMES = _SINGULAR
RANK_PLURALS = tuple("sixes" if name == "six" else name + "s" for name in _SINGULAR)


def _describe(hand: HandClass) -> str:
    first, last = hand.ranks[0], hand.ranks[4]
    kickers = " ".join(RANKS[rank] for rank in hand.ranks)
    match hand.category:
        case Category.HIGH_CARD:
            return f"{_SINGULAR[first]} high ({kickers})"
        case Category.PAIR:
            return f"pair of {RANK_PLURALS[first]} with {kickers[4:]}"
        case Category.TWO_PAIR:
            second = RANK_PLURALS[hand.ranks[2]]
            return f"two pair, {RANK_PLURALS[first]} and {second} with {RANKS[last]}"
        case Category.THREE_OF_A_KIND:
            return f"three {RANK_PLURALS[first]} with {kickers[6:]}"
        case Category.STRAIGHT:
            return f"straight, {_SINGULAR[first]} high"
        case Category.FLUSH:
            return f"flush, {_SINGULAR[first]} high ({kickers})"
        case Category.FULL_HOUSE:
            return f"full house, {RANK_PLURALS[first]} over {RANK_PLURALS[last]}"
        case Category.FOUR_OF_A_KIND:
            return f"four {RANK_PLURALS[first]} with {RANKS[last]}"
        case _:
            return "royal flush" if first == 12 else f"straight flush, {_SINGULAR[first]} high"


def _rank_lists() -> list[tuple[Category, list[tuple[int, ...]], bool]]:
    """Every class by category, each list in rising order of strength."""
    ranks = range(13)
    straights = [_WHEEL, *(tuple(range(top, top - 5, -1)) for top in range(4, 13))]
    straight_sets = {frozenset(ranks5) for ranks5 in straights}
    distinct = sorted(
        tuple(reversed(five))
        for five in combinations(ranks, 5)
        if frozenset(five) not in straight_sets
    )

    def with_kickers(
        groups: tuple[int, ...], used: set[int], kickers: int
    ) -> list[tuple[int, ...]]:
        free = [rank for rank in ranks if rank not in used]
        return sorted((*groups, *reversed(rest)) for rest in combinations(free, kickers))

    pairs = [hand for r in ranks for hand in with_kickers((r, r), {r}, 3)]
    two_pairs = [
        hand
        for high in ranks
        for low in range(high)
        for hand in with_kickers((high, high, low, low), {high, low}, 1)
    ]
    trips = [hand for r in ranks for hand in with_kickers((r, r, r), {r}, 2)]
    full = [(r, r, r, s, s) for r in ranks for s in ranks if s != r]
    quads = [hand for r in ranks for hand in with_kickers((r, r, r, r), {r}, 1)]
    return [
        (Category.HIGH_CARD, distinct, False),
        (Category.PAIR, pairs, False),
        (Category.TWO_PAIR, two_pairs, False),
        (Category.THREE_OF_A_KIND, trips, False),
        (Category.STRAIGHT, straights, False),
        (Category.FLUSH, distinct, True),
        (Category.FULL_HOUSE, list[tuple[int, ...]](full), False),
        (Category.FOUR_OF_A_KIND, quads, False),
        (Category.STRAIGHT_FLUSH, straights, True),
    ]


@cache
def classes() -> tuple[HandClass, ...]:
    """All 7,462 classes, weakest first; ``classes()[i].index == i``."""
    found: list[HandClass] = []
    for category, hands, suited in _rank_lists():
        for ranks in hands:
            found.append(HandClass(len(found), category, ranks, suited))  # type: ignore[arg-type]
    if len(found) != N_CLASSES:
        raise AssertionError(f"{len(found)} classes instead of {N_CLASSES}")
    return tuple(found)


@cache
def _by_ranks() -> dict[tuple[tuple[int, ...], bool], int]:
    return {(tuple(sorted(hand.ranks)), hand.suited): hand.index for hand in classes()}


@cache
def first_of_category() -> tuple[int, ...]:
    """Lowest class of each category, and 7,462 at the end (10 numbers)."""
    starts: list[int] = []
    for hand in classes():
        if hand.category == len(starts):
            starts.append(hand.index)
    return (*starts, N_CLASSES)


def class_of_ranks(ranks: Sequence[int], *, suited: bool = False) -> int:
    """Class of a hand given by its five ranks (any order) and whether it is of one suit.

    Raises
    ------
    ValueError
        If no such hand exists, for example five cards of one rank.
    """
    key = (tuple(sorted(ranks)), suited)
    try:
        return _by_ranks()[key]
    except KeyError:
        raise ValueError(
            f"no five-card hand has the ranks {list(ranks)}, suited={suited}"
        ) from None


def class_of(cards: Sequence[int]) -> int:
    """Class of five different standard cards: the readable twin of the kernels in evaluate.

    Raises
    ------
    CardError
        If these are not five different cards with codes 0 to 51.
    """
    check_cards(cards, count=5)
    return class_of_trusted(cards)


def class_of_trusted(cards: Sequence[int]) -> int:
    """As `class_of`, for cards that are known to be five different standard cards."""
    a, b, c, d, e = cards
    suited = (a & 3) == (b & 3) == (c & 3) == (d & 3) == (e & 3)
    return _by_ranks()[tuple(sorted((a >> 2, b >> 2, c >> 2, d >> 2, e >> 2))), suited]
