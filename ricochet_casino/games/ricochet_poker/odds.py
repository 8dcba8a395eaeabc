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
from itertools import combinations_with_replacement
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


@dataclass(frozen=True)
class HandOdds:
    """Completions of one starting hand against every cell of dealer hands.

    Attributes
    ----------
    winning
        (M,) completions that reach the dealer's class (she loses ties).
    beating
        (M,) completions above the dealer's class; the difference to ``winning`` ties.
    reaching
        One (M,) array for each threshold asked for.
    """

    winning: Int16
    beating: Int16
    reaching: tuple[Int16, ...]


def hand_odds(hand: StartingHand, cells: Cells, thresholds: tuple[int, ...]) -> HandOdds:
    """Completions out of 14,190 for every cell of a starting hand (see `HandOdds`).

    Parameters
    ----------
    hand
        The player's two cards.
    cells
        Its cells, from `deals.cells`.
    thresholds
        Rising class numbers, such as the lowest classes of the bonus lines.
    """
    plain = _plain_odds(hand.high, hand.low, thresholds)
    pattern = cells.pattern.astype(np.intp)
    winning, beating = plain.winning[pattern], plain.beating[pattern]
    reaching = [counts[pattern] for counts in plain.reaching]
    # The cells rise in class. A dealer's flush is beaten, ranks alone, by full houses and fours,
    # her straight flush by none.
    starts = first_of_category()
    flush, full_house, straight_flush = np.searchsorted(
        cells.dealer_class,
        [starts[Category.FLUSH], starts[Category.FULL_HOUSE], starts[Category.STRAIGHT_FLUSH]],
    ).tolist()
    for counts in (winning, beating):
        counts[flush:full_house] = plain.above_flush[pattern[flush:full_house]]
        counts[straight_flush:] = 0
    if hand.suited:
        one_suit = _SuitCorrection(hand, cells)
        winning += one_suit.at_least_own(0)
        beating += one_suit.at_least_own(1)
        reaching = [
            counts + one_suit.at_least(threshold)
            for threshold, counts in zip(thresholds, reaching, strict=True)
        ]
    return HandOdds(winning, beating, tuple(reaching))


@dataclass(frozen=True)
class _PlainOdds:
    """Counts by ranks alone, for the 6,175 rank patterns of the dealer."""

    winning: Int16
    beating: Int16
    above_flush: Int16
    reaching: tuple[Int16, ...]


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
    return _PlainOdds(winning, beating, sums[full_house], tuple(sums[stop] for stop in stops))


class _SuitCorrection:
    """What one-suit completions add to the counts by ranks, for the cells of a suited hand."""

    def __init__(self, hand: StartingHand, cells: Cells) -> None:
        self.triples = suit_triples(hand.high, hand.low)
        mask = cells.mask.astype(np.intp)
        present = np.zeros(1 << 13, dtype=np.bool_)
        present[mask] = True
        masks = np.flatnonzero(present)
        row_of = np.zeros(1 << 13, dtype=np.intp)
        row_of[masks] = np.arange(len(masks))
        self.row = row_of[mask]
        free = (self.triples.masks & masks[:, None]) == 0
        # sums[m, n]: how many of the n strongest triples avoid mask m.
        self.sums = np.zeros((len(masks), free.shape[1] + 1), dtype=np.int16)
        np.cumsum(free, axis=1, dtype=np.int16, out=self.sums[:, 1:])
        self.offset = self.row * self.sums.shape[1]
        self.dealer_class = cells.dealer_class.astype(np.intp)
        every_class = np.arange(N_CLASSES + 1)
        self.flush = np.searchsorted(-self.triples.flush, -every_class, side="right")
        self.plain = np.searchsorted(-self.triples.plain, -every_class, side="right")

    def at_least_own(self, step: int) -> Int16:
        """Correction of the completions that reach each cell's own class, or ``step`` above it."""
        flat, dealer = self.sums.ravel(), self.dealer_class
        counts: Int16 = flat[self.offset + self.flush[step:][dealer]]
        counts -= flat[self.offset + self.plain[step:][dealer]]
        return counts

    def at_least(self, threshold: int) -> Int16:
        """Correction of the completions that reach one class, the same for all cells."""
        by_mask = self.sums[:, self.flush[threshold]] - self.sums[:, self.plain[threshold]]
        counts: Int16 = by_mask[self.row]
        return counts
