"""Sets of cards: numbering of k-subsets, and one representative for each suit class.

Numbering is colexicographic: sets are compared by their highest cards first, so the subsets of
the first n cards come first, and the number of a set does not depend on the size of the deck.

Two sets belong to one *suit class* if exchanging suits turns one into the other. The ranks held
in a suit are a 13-bit number (deuce = 1, ace = 4096), and a class is four such numbers in any
order. Its representative has them falling: clubs hold the largest number, spades the smallest
(docs/math.md, "Suit classes").
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from math import comb, factorial

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.deck import RANKS, CardError, check_cards


def rank_subset(cards: Iterable[int]) -> int:
    """Number of a set of cards in colexicographic order.

    Parameters
    ----------
    cards
        Different non-negative codes, in any order.

    Returns
    -------
    int
        0 to C(n, k) - 1 for k cards below n.

    Raises
    ------
    CardError
        If a code is negative or appears twice.
    """
    rising = sorted(cards)
    if rising and rising[0] < 0:
        raise CardError(f"{rising[0]} is not a card code")
    for card, following in pairwise(rising):
        if card == following:
            raise CardError(f"the code {card} appears twice")
    return sum(comb(card, place) for place, card in enumerate(rising, start=1))


def unrank_subset(number: int, k: int) -> tuple[int, ...]:
    """Set of k cards with the given number: the inverse of `rank_subset`, rising codes.

    Raises
    ------
    ValueError
        If `number` or `k` is negative, or the empty set has another number than 0.
    """
    if number < 0 or k < 0 or (k == 0 and number > 0):
        raise ValueError(f"there is no set number {number} of {k} cards")
    cards = []
    for place in range(k, 0, -1):
        card = place - 1
        while comb(card + 1, place) <= number:
            card += 1
        cards.append(card)
        number -= comb(card, place)
    return tuple(reversed(cards))


def rank_subsets(sets: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """As `rank_subset` for many sets of equal size.

    Parameters
    ----------
    sets
        (N, k) codes, rising in every row; trusted. Numbers must stay below 2**63.

    Returns
    -------
    (N,) int64
        Numbers in colexicographic order.
    """
    numbers = np.zeros(len(sets), dtype=np.int64)
    highest = int(sets.max(initial=0))
    for place, column in enumerate(sets.T, start=1):
        counts = np.array([comb(card, place) for card in range(highest + 1)], dtype=np.int64)
        numbers += counts[column]
    return numbers


def all_subsets(n: int, k: int) -> npt.NDArray[np.uint8]:
    """All k-subsets of ``0 .. n - 1`` in colexicographic order.

    Parameters
    ----------
    n, k
        Size of the deck, at most 256, and of the sets.

    Returns
    -------
    (C(n, k), k) uint8
        Rising codes; row r is ``unrank_subset(r, k)``.

    Raises
    ------
    ValueError
        If n is not 0 to 256 or k is negative.
    """
    if not 0 <= n <= 256 or k < 0:
        raise ValueError(f"cannot list the {k}-subsets of {n} codes: n must be 0 to 256, k >= 0")
    smaller = np.empty((1, 0), dtype=np.uint8)
    for size in range(1, k + 1):
        # Sets of this size whose highest card is `top` extend the first C(top, size - 1) smaller
        # ones; later columns need room above, hence the limit n - k + size.
        limit = max(n - k + size, 0)
        sets = np.empty((comb(limit, size), size), dtype=np.uint8)
        begin = 0
        for top in range(size - 1, limit):
            end = begin + comb(top, size - 1)
            sets[begin:end, :-1] = smaller[: end - begin]
            sets[begin:end, -1] = top
            begin = end
        smaller = sets
    return smaller


@cache
def representatives(k: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """One set of k cards for each suit class, with the number of sets in its class.

    Parameters
    ----------
    k
        0 to 7 cards.

    Returns
    -------
    cards : (M, k) uint8
        Rising codes, rows in colexicographic order; read-only. M is 13, 169, 1,755, 16,432,
        134,459, 962,988, 6,009,159 for 1 to 7 cards.
    multiplicity : (M,) int64
        1 to 24; the sum is C(52, k). Read-only.

    Raises
    ------
    ValueError
        If k is not 0 to 7.
    """
    if not 0 <= k <= 7:
        raise ValueError(f"representatives are listed for 0 to 7 cards, not {k}")
    parts = [
        _representatives_by_suit((clubs, diamonds, hearts, k - clubs - diamonds - hearts))
        for clubs in range(k + 1)
        for diamonds in range(k + 1 - clubs)
        for hearts in range(k + 1 - clubs - diamonds)
    ]
    cards = np.concatenate([part[0] for part in parts])
    cards.sort(axis=1)
    multiplicity = np.concatenate([part[1] for part in parts])
    order = np.argsort(rank_subsets(cards))
    cards, multiplicity = cards[order], multiplicity[order]
    if int(multiplicity.sum()) != comb(52, k):
        raise AssertionError(f"suit classes of {k} cards do not add up to C(52, {k})")
    cards.flags.writeable = False
    multiplicity.flags.writeable = False
    return cards, multiplicity


def _representatives_by_suit(
    sizes: tuple[int, int, int, int],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Representatives with the given numbers of clubs, diamonds, hearts and spades."""
    cards = np.empty((1, 0), dtype=np.uint8)
    previous = np.array([1 << 13])  # the ranks held in the suit before: an upper limit
    symmetries = np.ones(1, dtype=np.int64)
    run = np.ones(1, dtype=np.int64)
    for suit, size in enumerate(sizes):
        ranks = all_subsets(13, size)
        # Colexicographic order is the order of the numbers that stand for the ranks held.
        numbers = (1 << ranks.astype(np.int64)).sum(axis=1)
        choices = np.searchsorted(numbers, previous, side="right")
        row = np.repeat(np.arange(len(cards)), choices)
        choice = np.arange(row.size) - np.repeat(np.cumsum(choices) - choices, choices)
        # A run of r equal suits can be exchanged in r! ways without changing the set.
        run = np.where(numbers[choice] == previous[row], run[row] + 1, 1)
        symmetries = symmetries[row] * run
        previous = numbers[choice]
        cards = np.hstack([cards[row], 4 * ranks[choice] + np.uint8(suit)])
    return cards, factorial(4) // symmetries


def canonical(cards: Sequence[int]) -> tuple[int, ...]:
    """Representative of a set of standard cards: rising codes.

    Raises
    ------
    CardError
        If a card does not exist or appears twice.
    """
    return canonical_groups(cards)[0]


def canonical_groups(*groups: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Representative of several sets under a common exchange of suits, such as hole and board.

    The suits are arranged so that their ranks in the first group fall, equal ones by the second
    group, and so on.

    Parameters
    ----------
    *groups
        Standard cards, no card twice.

    Returns
    -------
    tuple of tuple of int
        The groups after the exchange, each with rising codes.

    Raises
    ------
    CardError
        If a card does not exist or appears twice.
    """
    check_cards([card for group in groups for card in group])
    held = sorted(
        (tuple(_ranks_in(group, suit) for group in groups) for suit in range(4)), reverse=True
    )
    return tuple(
        tuple(
            4 * rank + suit
            for rank in range(13)
            for suit in range(4)
            if held[suit][place] >> rank & 1
        )
        for place in range(len(groups))
    )


def multiplicity_of(cards: Sequence[int]) -> int:
    """Number of sets in the suit class of a set of standard cards, 1 to 24.

    Raises
    ------
    CardError
        If a card does not exist or appears twice.
    """
    check_cards(cards)
    runs = Counter(_ranks_in(cards, suit) for suit in range(4))
    ways = factorial(4)
    for run in runs.values():
        ways //= factorial(run)
    return ways


def _ranks_in(cards: Sequence[int], suit: int) -> int:
    """The ranks held in a suit, one bit each."""
    return sum(1 << (card >> 2) for card in cards if card & 3 == suit)


def two_card_name(hole: Sequence[int]) -> str:
    """Usual name of the suit class of two cards: ``AKs``, ``AKo``, ``QQ``.

    Raises
    ------
    CardError
        If these are not two different standard cards.
    """
    check_cards(hole, count=2)
    high, low = max(hole), min(hole)
    name = RANKS[high >> 2] + RANKS[low >> 2]
    if high >> 2 == low >> 2:
        return name
    return name + ("s" if high & 3 == low & 3 else "o")
