"""The deals of one player against the dealer, folded by suit symmetry without loss.

A completion is three cards dealt to a two-card hand. Which completions win depends on the
dealer's cards through two things only (docs/math.md, section 3): her *class*, which fixes her
ranks, and, if the player's hand is suited, the *mask* of ranks that she holds in that suit. All
deals that agree in these form one **cell**; they have the same odds, so they share one decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.classes import classes
from ricochet_casino.cards.deck import RANKS

Int16 = NDArray[np.int16]
Int64 = NDArray[np.int64]

DEALER_HANDS_PER_HAND = comb(50, 5)
TOTAL_DEALS = comb(52, 2) * DEALER_HANDS_PER_HAND
COMPLETIONS = comb(45, 3)

_CHOOSE = np.array([[comb(n, k) for k in range(5)] for n in range(5)], dtype=np.int64)


@dataclass(frozen=True)
class StartingHand:
    """One of the 169 classes of two-card hands.

    Attributes
    ----------
    high, low
        Ranks, ``high >= low``.
    suited
        Both cards of one suit.
    """

    high: int
    low: int
    suited: bool = False

    @property
    def name(self) -> str:
        """``QQ``, ``AKs`` or ``AKo``."""
        text = RANKS[self.high] + RANKS[self.low]
        return text if self.high == self.low else text + ("s" if self.suited else "o")

    @property
    def deals(self) -> int:
        """How many of the 1,326 two-card hands are of this class: 6, 4 or 12."""
        return 6 if self.high == self.low else 4 if self.suited else 12

    @property
    def cards(self) -> tuple[int, int]:
        """A representative: clubs, with the lower card a diamond unless suited."""
        return 4 * self.high, 4 * self.low + (0 if self.suited else 1)


@cache
def starting_hands() -> tuple[StartingHand, ...]:
    """The 169 two-card classes: by ranks from aces down; suited before offsuit."""
    found = []
    for high in range(12, -1, -1):
        for low in range(high, -1, -1):
            if high != low:
                found.append(StartingHand(high, low, suited=True))
            found.append(StartingHand(high, low))
    return tuple(found)


def starting_hand(hole: Sequence[int]) -> StartingHand:
    """The class of a two-card hand given by card codes."""
    a, b = hole
    return StartingHand(max(a, b) >> 2, min(a, b) >> 2, suited=(a & 3) == (b & 3))


@dataclass(frozen=True)
class RankPatterns:
    """The 6,175 rank multisets of five cards, in rising order of their class without a flush.

    Attributes
    ----------
    counts
        (6175, 13) how many cards of each rank.
    plain
        (6175,) class of the pattern when not of one suit, rising.
    suited
        (6175,) class when of one suit, -1 where ranks repeat.
    of_class
        (7462,) pattern of each class.
    is_suited
        (7462,) whether the class is of one suit.
    """

    counts: Int64
    plain: Int64
    suited: Int64
    of_class: Int64
    is_suited: NDArray[np.bool_]


@cache
def rank_patterns() -> RankPatterns:
    """Tables of the rank patterns (see `RankPatterns`)."""
    every = classes()
    ranks = np.array([hand.ranks for hand in every], dtype=np.int64)
    is_suited = np.array([hand.suited for hand in every])
    counts = (ranks[:, :, None] == np.arange(13)).sum(axis=1)
    plain = np.flatnonzero(~is_suited)
    key = counts @ (5 ** np.arange(13, dtype=np.int64))
    order = np.argsort(key[plain])
    of_class = order[np.searchsorted(key[plain], key, sorter=order)]
    suited = np.full(len(plain), -1, dtype=np.int64)
    suited[of_class[is_suited]] = np.flatnonzero(is_suited)
    return RankPatterns(counts[plain], plain, suited, of_class, is_suited)


@dataclass(frozen=True)
class Cells:
    """The cells of one starting hand, in rising order of the dealer's class.

    Attributes
    ----------
    dealer_class
        (M,) class of the dealer's hand.
    pattern
        (M,) its rank pattern.
    mask
        (M,) 13-bit mask of the ranks the dealer holds in the suit of a suited hand, else 0.
    deals
        (M,) dealer hands in the cell; they sum to C(50,5).
    """

    dealer_class: Int16
    pattern: Int16
    mask: Int16
    deals: Int16


def cells(hand: StartingHand) -> Cells:
    """The cells of a starting hand; their deals are asserted to sum to C(50,5)."""
    found = _suited_cells(hand) if hand.suited else _plain_cells(hand)
    if int(found.deals.sum(dtype=np.int64)) != DEALER_HANDS_PER_HAND:
        raise AssertionError(
            f"{hand.name}: the cells hold {found.deals.sum(dtype=np.int64)} dealer hands"
        )
    return found


@cache
def _ways() -> Int64:
    """(6175,) five-card sets of a full deck with each rank pattern, flushes included."""
    ways: Int64 = _CHOOSE[4, rank_patterns().counts].prod(axis=1)
    return ways


def class_deals(hand: StartingHand | None = None) -> Int64:
    """How many dealer hands of each class avoid the cards of a starting hand.

    Parameters
    ----------
    hand
        The player's hand; without one, all 2,598,960 hands of a full deck are counted.

    Returns
    -------
    (7462,) int64
        Numbers of five-card sets.
    """
    patterns = rank_patterns()
    held = np.zeros(13, dtype=np.int64)
    for rank in (hand.high, hand.low) if hand else ():
        held[rank] += 1
    ways = _ways()
    for rank in np.flatnonzero(held).tolist():
        copies = patterns.counts[:, rank]
        ways = ways // _CHOOSE[4, copies] * _CHOOSE[4 - held[rank], copies]
    # A flush in a suit is blocked if it needs a rank that the hand holds in that suit.
    blocked = patterns.counts @ held
    if hand and hand.suited:
        blocked = np.minimum(blocked, 1)
    flushes = np.where(patterns.suited >= 0, 4 - blocked, 0)
    deals = np.where(
        patterns.is_suited, flushes[patterns.of_class], (ways - flushes)[patterns.of_class]
    )
    expected = DEALER_HANDS_PER_HAND if hand else comb(52, 5)
    if int(deals.sum()) != expected:
        raise AssertionError(f"the classes hold {deals.sum()} dealer hands, not {expected}")
    return deals


def _plain_cells(hand: StartingHand) -> Cells:
    deals = class_deals(hand)
    dealer_class = np.flatnonzero(deals)
    none = np.zeros(len(dealer_class), dtype=np.int64)
    return _small(dealer_class, rank_patterns().of_class[dealer_class], none, deals[dealer_class])


def _small(*columns: Int64) -> Cells:
    """Cells in 16-bit columns: every class, mask and number of deals in a cell fits."""
    return Cells(*(column.astype(np.int16) for column in columns))


@cache
def _all_suited_cells() -> Cells:
    """Cells of every class and mask, as if the suited hand blocked nothing beyond the mask.

    The ranks of the hand itself are blocked by leaving out every mask that contains them, since
    the number of the dealer's cards in the other three suits does not depend on the hand.
    """
    patterns = rank_patterns()
    pieces = []
    ranks_of = [np.flatnonzero(row) for row in patterns.counts]
    width = np.array([len(ranks) for ranks in ranks_of])
    for size in range(2, 6):
        rows = np.flatnonzero(width == size)
        ranks = np.array([ranks_of[row] for row in rows])
        copies = np.take_along_axis(patterns.counts[rows], ranks, axis=1)
        for subset in range(2**size):
            chosen = (subset >> np.arange(size)) & 1
            ways = _CHOOSE[3, copies - chosen].prod(axis=1)
            if size == 5 and subset in (0, 31):
                ways -= 3 if subset == 0 else 1
            mask = ((1 << ranks) * chosen).sum(axis=1)
            pieces.append((patterns.plain[rows], rows, mask, ways))
    flush = np.flatnonzero(patterns.suited >= 0)
    everything = (patterns.counts[flush] * (1 << np.arange(13))).sum(axis=1)
    for mask, ways in ((everything, 1), (np.zeros_like(everything), 3)):
        pieces.append((patterns.suited[flush], flush, mask, np.full(len(flush), ways)))
    dealer_class, pattern, mask, deals = (
        np.concatenate(parts) for parts in zip(*pieces, strict=True)
    )
    keep = deals > 0
    order = np.flatnonzero(keep)[np.lexsort((mask[keep], dealer_class[keep]))]
    return _small(dealer_class[order], pattern[order], mask[order], deals[order])


def _suited_cells(hand: StartingHand) -> Cells:
    every = _all_suited_cells()
    keep = np.flatnonzero((every.mask & (1 << hand.high | 1 << hand.low)) == 0)
    return Cells(every.dealer_class[keep], every.pattern[keep], every.mask[keep], every.deals[keep])


def cell_mask(hand: StartingHand, hole: Sequence[int], dealer: Sequence[int]) -> int:
    """Mask of the dealer's ranks in the suit of a suited hand; 0 for other hands."""
    if not hand.suited:
        return 0
    suit = hole[0] & 3
    mask = 0
    for card in dealer:
        if card & 3 == suit:
            mask |= 1 << (card >> 2)
    return mask


def cell_keys(cells: Cells) -> Int64:
    """One rising number for each cell: class x 2^13 + mask."""
    return (cells.dealer_class.astype(np.int64) << 13) | cells.mask
