"""Additive keys: hands as sums of card words, and the tables that turn a sum into a class.

Every card has a 64-bit word, and the word of a hand is `START` plus the words of its cards:

======  ==========================================================================
bits    meaning in the sum
======  ==========================================================================
0-15    four suit counters of four bits (clubs lowest); each starts at 3, so its top
        bit is set exactly when the hand holds five or more cards of that suit
16-28   five-card words only: the ranks held, one bit each (exact when all differ)
32-34   how many of the codes are no cards (above 51)
40-63   the sum of the rank keys
======  ==========================================================================

The rank keys are chosen so that hands of equally many cards with different ranks never have equal
sums (docs/math.md, "Additive keys"); `find_keys` is the search that found them. All tables are
computed from the list in `classes`, in well under a second, and kept for the process. This module
needs no compiler: `five_card_classes` is the vectorised way to classify hands without numba.
"""

from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.classes import classes

UInt16Array = npt.NDArray[np.uint16]
UInt64Array = npt.NDArray[np.uint64]

FIVE_KEYS = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
"""Rank keys, deuce to ace, with unique sums among hands of five cards (and of fewer)."""

SEVEN_KEYS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)
"""Rank keys, deuce to ace, with unique sums among hands of seven cards (and of fewer)."""

KEY_SHIFT = 40
"""Place of the key sum in a hand's word."""
RANK_SHIFT = 16
"""Place of the one-hot ranks in the word of a five-card hand."""
START = 0x3333
"""Where a hand's word starts: three in every suit counter."""
FLUSH_BITS = 0x8888
"""The bits of which one is set when a suit appears five times or more."""
NO_CARD_BITS = 7 << 32
"""The bits that are zero when every code is a card."""
ROW_SHIFT = 10
"""Displaced tables have rows of ``2**ROW_SHIFT`` key sums."""

_KEY_LIMIT = 1 << 22  # the search gives up here; seven cards need a third of it
_FIT_BLOCK = 4096  # positions tried at once for a row of a displaced table


def find_keys(cards: int, *, ranks: int = 13) -> tuple[int, ...]:
    """Search the smallest rank keys, one after the other, that keep sums unique.

    Parameters
    ----------
    cards
        Hands of so many cards, at most four of a rank, must have unique sums. Then smaller hands
        of equally many cards have them too.
    ranks
        How many ranks there are.

    Returns
    -------
    tuple of int
        Rising keys, the first of them 0. For 5 and 7 cards: `FIVE_KEYS` and `SEVEN_KEYS`
        (less than a second, and some five seconds).

    Raises
    ------
    ValueError
        If keys above four million would be needed (nine cards and more).

    Notes
    -----
    A key x for the next rank makes two sums equal exactly when two sums u, v of earlier ranks with
    d fewer cards in v than in u have ``u = v + d x``: so x must avoid all quotients (u - v) / d.
    """
    key, keys = 0, [0]
    sums = [np.zeros(1 if m <= 4 else 0, dtype=np.int64) for m in range(cards + 1)]
    while len(keys) < ranks:
        taken = np.zeros(_KEY_LIMIT, dtype=np.bool_)
        for d in range(1, 5):
            for m in range(cards - d + 1):
                parts = max(1, sums[m + d].size * sums[m].size >> 22)
                for some in np.array_split(sums[m + d], parts):
                    gaps = np.subtract.outer(some, sums[m]).ravel()
                    gaps = gaps[(gaps >= 0) & (gaps < d * _KEY_LIMIT) & (gaps % d == 0)]
                    taken[gaps // d] = True
        key += 1 + int(np.argmin(taken[key + 1 :]))
        if taken[key]:
            raise ValueError(f"no key below {_KEY_LIMIT} keeps sums of {cards} cards unique")
        keys.append(key)
        sums = [
            np.concatenate([sums[m - j] + j * key for j in range(min(4, m) + 1)])
            for m in range(cards + 1)
        ]
    return tuple(keys)


def _frozen(array: npt.NDArray[np.generic]) -> None:
    """Make a shared table read-only: it is handed out to everybody."""
    array.flags.writeable = False


@cache
def card_words(cards: int) -> UInt64Array:
    """Words of the card codes for hands of 5, 6 or 7 cards, shape (256,), one per byte value."""
    words = np.full(256, 1 << 32, dtype=np.uint64)
    keys = FIVE_KEYS if cards == 5 else SEVEN_KEYS
    for card in range(52):
        rank, suit = card >> 2, card & 3
        one_hot = 1 << (RANK_SHIFT + rank) if cards == 5 else 0
        words[card] = (keys[rank] << KEY_SHIFT) | one_hot | (1 << (4 * suit))
    _frozen(words)
    return words


@cache
def suit_words() -> UInt64Array:
    """Bit ``16 * suit + rank`` of each card, shape (256,); 0 for codes that are no cards."""
    words = np.zeros(256, dtype=np.uint64)
    for card in range(52):
        words[card] = 1 << (16 * (card & 3) + (card >> 2))
    _frozen(words)
    return words


@cache
def five_table() -> UInt16Array:
    """Class by key sum of five cards that are not of one suit.

    Returns
    -------
    (5 * FIVE_KEYS[12] + 1,) uint16
        Read-only; index: the sum of ``FIVE_KEYS[rank]`` over the five cards. Sums that belong to
        no hand hold 0; even five equal ranks stay inside the table.
    """
    table = np.zeros(5 * FIVE_KEYS[-1] + 1, dtype=np.uint16)
    for hand in classes():
        if not hand.suited:
            table[sum(FIVE_KEYS[rank] for rank in hand.ranks)] = hand.index
    _frozen(table)
    return table


@cache
def flush_table() -> UInt16Array:
    """Best class of the cards of one suit, by the set of their ranks.

    Returns
    -------
    (8192,) uint16
        Read-only; index: one bit per rank (deuce = bit 0), five to seven of them; 0 elsewhere.
    """
    table = np.zeros(1 << 13, dtype=np.uint16)
    for hand in classes():
        if hand.suited:
            table[sum(1 << rank for rank in hand.ranks)] = hand.index
    masks = np.arange(1 << 13)
    sizes = np.bitwise_count(masks)
    for size in (6, 7):
        larger = masks[sizes == size]
        for rank in range(13):
            has = larger[(larger >> rank) & 1 == 1]
            table[has] = np.maximum(table[has], table[has - (1 << rank)])
    _frozen(table)
    return table


class DisplacedTable(NamedTuple):
    """A sparse table of classes by key sum, its rows slid into each other's gaps.

    The class of key sum k is ``values[(k & (2**ROW_SHIFT - 1)) + offsets[k >> ROW_SHIFT]]``.

    Attributes
    ----------
    offsets
        (R,) uint32, read-only: where each row of ``2**ROW_SHIFT`` sums starts in `values`.
    values
        (V,) uint16, read-only. No sum of seven or fewer keys leads outside.
    """

    offsets: npt.NDArray[np.uint32]
    values: UInt16Array


@cache
def best_table(cards: int) -> DisplacedTable:
    """Best five-card class, flushes apart, by the `SEVEN_KEYS` sum of 6 or 7 cards."""
    sums, values = _best_by_sum(cards)
    rows = sums >> ROW_SHIFT
    places = sums & ((1 << ROW_SHIFT) - 1)
    # Impossible hands such as seven aces get empty rows instead of a read outside the table.
    n_rows = (cards * SEVEN_KEYS[-1] >> ROW_SHIFT) + 1
    starts = np.searchsorted(rows, np.arange(n_rows + 1))
    used = np.zeros(8 * sums.size, dtype=np.bool_)
    offsets = np.zeros(n_rows, dtype=np.uint32)
    for row in np.argsort(starts[:-1] - starts[1:], kind="stable").tolist():  # longest first
        members = places[starts[row] : starts[row + 1]]
        if members.size == 0:
            break
        offsets[row] = offset = _first_fit(used, members)
        used[members + offset] = True
    table = np.zeros(int(offsets.max()) + (1 << ROW_SHIFT), dtype=np.uint16)
    table[places + offsets[rows]] = values
    _frozen(offsets)
    _frozen(table)
    return DisplacedTable(offsets, table)


def _first_fit(used: npt.NDArray[np.bool_], members: npt.NDArray[np.int64]) -> int:
    """Smallest offset at which all members of a row fall on unused places."""
    begin = 0
    while True:
        blocked = np.zeros(_FIT_BLOCK, dtype=np.bool_)
        for member in members.tolist():
            blocked |= used[begin + member : begin + member + _FIT_BLOCK]
        first = int(np.argmin(blocked))
        if not blocked[first]:
            return begin + first
        begin += _FIT_BLOCK


@cache
def _best_by_sum(cards: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rising `SEVEN_KEYS` sums of all hands by rank, and the best class without a flush."""
    keys = np.array(SEVEN_KEYS, dtype=np.int64)
    if cards == 5:
        found = {
            sum(SEVEN_KEYS[rank] for rank in hand.ranks): hand.index
            for hand in classes()
            if not hand.suited
        }
        sums, values = np.array(sorted(found.items()), dtype=np.int64).T
        return sums, values
    hands = np.array(list(combinations_with_replacement(range(13), cards)), dtype=np.int64)
    hands = hands[(hands[:, 4:] != hands[:, :-4]).all(axis=1)]  # at most four of a rank
    sums = keys[hands].sum(axis=1)
    fewer_sums, fewer_values = _best_by_sum(cards - 1)
    values = np.zeros(sums.size, dtype=np.int64)
    for column in hands.T:  # the best hand leaves out at least one of the cards
        rest = np.searchsorted(fewer_sums, sums - keys[column])
        values = np.maximum(values, fewer_values[rest])
    order = np.argsort(sums)
    return sums[order], values[order]


def five_card_classes(hands: npt.NDArray[np.uint8]) -> UInt16Array:
    """Classes of five-card hands with numpy alone: slower than `evaluate`, but nothing compiles.

    Parameters
    ----------
    hands
        (N, 5) uint8; trusted to be different standard cards in every row.

    Returns
    -------
    (N,) uint16
        Classes, 0 to 7,461.
    """
    words = np.full(len(hands), START, dtype=np.uint64)
    for column in hands.T:
        words += card_words(5)[column]
    found: UInt16Array = five_table()[words >> np.uint64(KEY_SHIFT)]
    flushes = np.flatnonzero(words & np.uint64(FLUSH_BITS))
    masks = (words[flushes] >> np.uint64(RANK_SHIFT)) & np.uint64(0x1FFF)
    found[flushes] = flush_table()[masks]
    return found
