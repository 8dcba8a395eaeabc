"""How many three-card completions of a two-card hand reach a class: exact, by ranks and one suit.

Let a_r be the number of cards of rank r still available. A completion with ranks i < j < k stands
for a_i a_j a_k sets of cards, one with ranks i, i, k for C(a_i, 2) a_k, and so on; together the at
most 455 rank triples give every count as if there were no flushes. Only completions of a suited
hand with three cards of its suit (at most 165) are better than their ranks say; they are moved
from the class of their ranks to their flush class. Derivation: docs/math.md, section 3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations_with_replacement, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.additive import FIVE_KEYS, five_table, flush_table
from ricochet_casino.cards.classes import N_CLASSES, Category, first_of_category
from ricochet_casino.cards.deck import check_cards
from ricochet_casino.games.ricochet_poker.deals import (
    COMPLETIONS,
    Cells,
    StartingHand,
    rank_patterns,
)

Int16 = NDArray[np.int16]
Int64 = NDArray[np.int64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class RankTriples:
    """The rank triples that complete two ranks, strongest resulting class first.

    Attributes
    ----------
    ranks
        (T, 3) the triples, each in rising order.
    classes
        (T,) class of the five ranks when not of one suit, falling.
    """

    ranks: Int64
    classes: Int64

    def at_least(self, hand_class: int) -> int:
        """How many of the triples reach the class."""
        return int(np.searchsorted(-self.classes, -hand_class, side="right"))


@cache
def _all_triples() -> Int64:
    """The 455 multisets of three ranks, each in rising order."""
    return np.array(list(combinations_with_replacement(range(13), 3)), dtype=np.int64)


def rank_triples(high: int, low: int) -> RankTriples:
    """All rank triples that a deck of four suits can add to the ranks ``high`` and ``low``."""
    triples = _all_triples()
    copies_high = (triples == high).sum(axis=1) + 1 + (high == low)
    copies_low = (triples == low).sum(axis=1) + 1 + (high == low)
    triples = triples[(copies_high <= 4) & (copies_low <= 4)]
    classes = _plain_classes(triples, high, low)
    order = np.argsort(-classes, kind="stable")
    return RankTriples(triples[order], classes[order])


def _plain_classes(triples: Int64, high: int, low: int) -> Int64:
    """Class of two ranks and each of (T, 3) others, when not of one suit."""
    keys = np.array(FIVE_KEYS)
    found: Int64 = five_table()[keys[triples].sum(axis=1) + keys[high] + keys[low]].astype(np.int64)
    return found


@dataclass(frozen=True)
class SuitTriples:
    """The 165 completions of a suited hand to one suit, strongest first.

    Attributes
    ----------
    masks
        (165,) the three ranks as a 13-bit mask.
    flush
        (165,) class of the five cards, falling.
    plain
        (165,) class that the same ranks have when not of one suit, falling.
    """

    masks: Int64
    flush: Int64
    plain: Int64


def suit_triples(high: int, low: int) -> SuitTriples:
    """The completions of two different ranks of one suit that stay in the suit."""
    triples = _all_triples()
    different = (triples[:, 0] < triples[:, 1]) & (triples[:, 1] < triples[:, 2])
    triples = triples[different & ~((triples == high) | (triples == low)).any(axis=1)]
    masks = (1 << triples).sum(axis=1)
    flush = flush_table()[masks | 1 << high | 1 << low].astype(np.int64)
    order = np.argsort(-flush)
    return SuitTriples(masks[order], flush[order], _plain_classes(triples[order], high, low))


def completions_at_least(
    hole: Sequence[int], dead: Iterable[int], thresholds: Sequence[int]
) -> tuple[int, ...]:
    """Completions of ``hole`` that reach each class, drawn from the cards not in sight.

    Parameters
    ----------
    hole
        Two card codes.
    dead
        Codes of every other card in sight (the dealer's, other players', folded ones).
    thresholds
        Class numbers; 7,462 asks for a class that does not exist and gives 0.

    Returns
    -------
    tuple of int
        For each threshold the number of three-card sets; of C(50 - len(dead), 3) in all.

    Raises
    ------
    CardError
        If a card is repeated or does not exist.
    """
    dead = tuple(dead)
    check_cards([*hole, *dead])
    check_cards(hole, count=2)
    left = [4] * 13
    for card in (*hole, *dead):
        left[card >> 2] -= 1
    high, low = sorted((card >> 2 for card in hole), reverse=True)
    triples = rank_triples(high, low)
    counts = [0] * len(thresholds)
    for hand_class, (i, j, k) in zip(triples.classes.tolist(), triples.ranks.tolist(), strict=True):
        if i == j == k:
            ways = comb(left[i], 3)
        elif i == j:
            ways = comb(left[i], 2) * left[k]
        elif j == k:
            ways = left[i] * comb(left[j], 2)
        else:
            ways = left[i] * left[j] * left[k]
        for index, threshold in enumerate(thresholds):
            if hand_class >= threshold:
                counts[index] += ways
    suit = hole[0] & 3
    if suit == hole[1] & 3:
        gone = sum(1 << (card >> 2) for card in dead if card & 3 == suit)
        suited = suit_triples(high, low)
        for mask, flush, plain in zip(
            suited.masks.tolist(), suited.flush.tolist(), suited.plain.tolist(), strict=True
        ):
            if mask & gone == 0:
                for index, threshold in enumerate(thresholds):
                    counts[index] += int(plain < threshold <= flush)
    return tuple(counts)


def class_counts(hole: Sequence[int], dead: Iterable[int]) -> Int64:
    """Completions of ``hole`` by the class they make, drawn from the cards not in sight.

    Parameters
    ----------
    hole
        Two card codes.
    dead
        Codes of every other card in sight, and of those that are not in the deck.

    Returns
    -------
    (7462,) int64
        Numbers of three-card sets; they sum to C(50 - len(dead), 3).

    Raises
    ------
    CardError
        If a card is repeated or does not exist.
    """
    dead = tuple(dead)
    check_cards([*hole, *dead])
    check_cards(hole, count=2)
    gone = np.array([*hole, *dead], dtype=np.int64)
    left = 4 - np.bincount(gone >> 2, minlength=13)
    high, low = sorted((card >> 2 for card in hole), reverse=True)
    triples = rank_triples(high, low)
    i, j, k = left[triples.ranks].T
    first, second, third = triples.ranks.T
    # Of one rank the second card is one of what the first left, and so on: orders are divided out.
    ways = i * (j - (second == first)) * (k - (third == first) - (third == second))
    ways //= np.select([first == third, (first == second) | (second == third)], [6, 2], 1)
    counts = np.zeros(N_CLASSES, dtype=np.int64)
    np.add.at(counts, triples.classes, ways)
    suit = hole[0] & 3
    if suit == hole[1] & 3:
        suited = suit_triples(high, low)
        held = sum(1 << (card >> 2) for card in dead if card & 3 == suit)
        free = (suited.masks & held) == 0
        np.add.at(counts, suited.flush[free], 1)
        np.subtract.at(counts, suited.plain[free], 1)
    return counts


@dataclass(frozen=True)
class HandOdds:
    """Completions of one starting hand, out of 14,190, against every cell of dealer hands.

    A count is one number by the dealer's rank pattern plus, for suited hands, one by her mask
    (3.4); for the fixed thresholds the two are kept apart, which is all that sums need.

    Attributes
    ----------
    winning
        (M,) completions that reach the dealer's class (she loses ties).
    beating
        (M,) completions above the dealer's class; the difference to ``winning`` ties.
    pattern, row
        (M,) each cell's rank pattern, and its mask's row in ``by_mask``.
    by_pattern
        (L, 6175) counts by ranks for each threshold asked for.
    by_mask
        (L, R) corrections by mask; all zero for hands that are not suited.
    """

    winning: Int16
    beating: Int16
    pattern: Index
    row: Index
    by_pattern: Int64
    by_mask: Int64

    def reaching(self, threshold: int) -> Int64:
        """(M,) completions that reach a threshold, given by its number."""
        found: Int64 = self.weighted(np.arange(len(self.by_pattern)) == threshold)
        return found

    def weighted(self, weights: NDArray[np.generic]) -> Int64:
        """(M,) sum over the thresholds of (L,) weights times the completions that reach them."""
        factors = np.asarray(weights, dtype=np.int64)[:, None]
        found: Int64 = (self.by_pattern * factors).sum(axis=0)[self.pattern]
        found += (self.by_mask * factors).sum(axis=0)[self.row]
        return found

    def sums(self, deals: Int64, start: int, stop: int) -> list[int]:
        """Sum of (M,) deals times completions over cells start to stop, for each threshold."""
        # Integers below 2^53 add up exactly in the floats that bincount uses.
        part = deals[start:stop]
        pattern = np.bincount(self.pattern[start:stop], part, self.by_pattern.shape[1])
        row = np.bincount(self.row[start:stop], part, self.by_mask.shape[1])
        by_pattern = (self.by_pattern * pattern.astype(np.int64)).sum(axis=1)
        by_mask = (self.by_mask * row.astype(np.int64)).sum(axis=1)
        return [int(total) for total in by_pattern + by_mask]


def hand_odds(hand: StartingHand, cells: Cells, thresholds: tuple[int, ...]) -> HandOdds:
    """Completions out of 14,190 for every cell of a starting hand (see `HandOdds`).

    Parameters
    ----------
    hand
        The player's two cards.
    cells
        Its cells, from `deals.cells`.
    thresholds
        Class numbers, such as the lowest classes of the bonus lines.
    """
    plain = _plain_odds(hand.high, hand.low, thresholds)
    pattern = cells.pattern.astype(np.intp)
    winning, beating = plain.winning[pattern], plain.beating[pattern]
    bounds = _category_bounds(cells)
    # A dealer's flush is beaten, ranks alone, by full houses and fours, her straight flush by none.
    flush = slice(bounds[Category.FLUSH], bounds[Category.FULL_HOUSE])
    for counts in (winning, beating):
        counts[flush] = plain.above_flush[pattern[flush]]
        counts[bounds[Category.STRAIGHT_FLUSH] :] = 0
    if not hand.suited:
        none = np.zeros((len(thresholds), 1), dtype=np.int64)
        row = np.zeros(len(pattern), dtype=np.intp)
        return HandOdds(winning, beating, pattern, row, plain.reaching, none)
    one_suit = _SuitCorrection(hand, cells, bounds)
    winning += one_suit.at_least_own(0)
    beating += one_suit.at_least_own(1)
    by_mask = one_suit.at_least(thresholds)
    return HandOdds(winning, beating, pattern, one_suit.row, plain.reaching, by_mask)


def _category_bounds(cells: Cells) -> list[int]:
    """Index of the first cell of each category, and the number of cells; cells rise in class."""
    found = np.searchsorted(cells.dealer_class, first_of_category())
    return [int(index) for index in found]


@dataclass(frozen=True)
class _PlainOdds:
    """Counts by ranks alone, for the 6,175 rank patterns of the dealer."""

    winning: Int16
    beating: Int16
    above_flush: Int16
    reaching: Int64


@lru_cache(maxsize=4)
def _plain_odds(high: int, low: int, thresholds: tuple[int, ...]) -> _PlainOdds:
    """Add up the rank triples, strongest first, for all patterns at once.

    The patterns rise in class, so those whose own class lies between two neighbouring triples are
    neighbours too: each is read off, as a slice, when the sum has just passed its class.
    """
    patterns = rank_patterns()
    triples = rank_triples(high, low)
    held = np.bincount([high, low], minlength=13)
    left = np.maximum(4 - held - patterns.counts, 0).astype(np.int16).T.copy()
    twos = left * (left - 1) // 2
    threes = twos * (left - 2) // 3

    total = np.zeros(len(patterns.plain), dtype=np.int16)
    ways = np.empty_like(total)
    winning, beating = np.empty_like(total), np.empty_like(total)
    # After n triples, the patterns from end(n + 1) to end(n) have just been passed by the sum.
    rising = np.arange(len(triples.ranks) + 2)
    reach = np.searchsorted(-triples.classes, -patterns.plain, side="right")
    above = np.searchsorted(-triples.classes, -patterns.plain, side="left")
    win_ends = (len(total) - np.searchsorted(reach[::-1], rising)).tolist()
    beat_ends = (len(total) - np.searchsorted(above[::-1], rising)).tolist()
    full_house = triples.at_least(first_of_category()[Category.FULL_HOUSE])
    stops = [triples.at_least(threshold) for threshold in thresholds]
    sums: dict[int, Int16] = {}
    wanted = {full_house, *stops}
    for n, (i, j, k) in enumerate([*triples.ranks.tolist(), (0, 0, 0)]):
        if win_ends[n + 1] < win_ends[n]:
            winning[win_ends[n + 1] : win_ends[n]] = total[win_ends[n + 1] : win_ends[n]]
        if beat_ends[n + 1] < beat_ends[n]:
            beating[beat_ends[n + 1] : beat_ends[n]] = total[beat_ends[n + 1] : beat_ends[n]]
        if n in wanted:
            sums[n] = total.copy()
        if n == len(triples.ranks):
            break
        if i == j == k:
            total += threes[i]
            continue
        if i < j < k:
            np.multiply(left[i], left[j], out=ways)
            ways *= left[k]
        elif i == j:
            np.multiply(twos[i], left[k], out=ways)
        else:
            np.multiply(left[i], twos[k], out=ways)
        total += ways
    # Patterns that need five or more cards of a rank, hand included, have no deals and no total.
    possible = (patterns.counts + held).max(axis=1) <= 4
    if not (total[possible] == COMPLETIONS).all():
        raise AssertionError(f"completions of {high}, {low} do not sum to {COMPLETIONS}")
    reaching = np.array([sums[stop] for stop in stops], dtype=np.int64).reshape(-1, len(total))
    return _PlainOdds(winning, beating, sums[full_house], reaching)


class _SuitCorrection:
    """What one-suit completions add to the counts by ranks, for the cells of a suited hand."""

    def __init__(self, hand: StartingHand, cells: Cells, bounds: list[int]) -> None:
        triples = suit_triples(hand.high, hand.low)
        mask = cells.mask.astype(np.intp)
        present = np.zeros(1 << 13, dtype=np.bool_)
        present[mask] = True
        masks = np.flatnonzero(present)
        row_of = np.zeros(1 << 13, dtype=np.intp)
        row_of[masks] = np.arange(len(masks))
        self.row = row_of[mask]
        free = (triples.masks & masks[:, None]) == 0
        # strongest[m, n]: how many of the n strongest triples avoid mask m.
        self.strongest = np.zeros((len(masks), free.shape[1] + 1), dtype=np.int16)
        np.cumsum(free, axis=1, dtype=np.int16, out=self.strongest[:, 1:])
        self.dealer_class = cells.dealer_class
        self.bounds = bounds
        every_class = np.arange(N_CLASSES + 1)
        self.flush = np.searchsorted(-triples.flush, -every_class, side="right")
        self.plain = np.searchsorted(-triples.plain, -every_class, side="right")

    def at_least_own(self, step: int) -> Int16:
        """Correction of the completions that reach each cell's own class, or ``step`` above it."""
        counts = np.empty(len(self.row), dtype=np.int16)
        starts = first_of_category()
        for index, (first, last) in enumerate(pairwise(self.bounds)):
            cells = slice(first, last)
            classes = slice(starts[index] + step, starts[index + 1] + step)
            counts[cells] = self._avoiding(self.flush[classes], cells, starts[index])
            counts[cells] -= self._avoiding(self.plain[classes], cells, starts[index])
        return counts

    def _avoiding(self, numbers: Int64, cells: slice, first_class: int) -> Int16:
        """How many of the strongest triples avoid the mask; their number is given by class."""
        row = self.row[cells]
        if numbers[0] == numbers[-1]:  # one number for the whole category: a small table
            return np.ascontiguousarray(self.strongest[:, numbers[0]])[row]
        number = numbers[self.dealer_class[cells].astype(np.intp) - first_class]
        found: Int16 = self.strongest.ravel()[row * self.strongest.shape[1] + number]
        return found

    def at_least(self, thresholds: tuple[int, ...]) -> Int64:
        """(L, R) corrections of the completions that reach each threshold, by mask."""
        at = list(thresholds)
        return (self.strongest[:, self.flush[at]] - self.strongest[:, self.plain[at]]).T.astype(
            np.int64
        )
