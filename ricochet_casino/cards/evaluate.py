"""Hand evaluation: the class of five cards, and of the best five among six or seven.

One hand at a time: `evaluate`. Arrays of hands: `evaluate_hands`, a checked wrapper around three
kernels that add one word per card and look the sum up (see `additive` for words and tables, and
docs/math.md, "Additive keys"). `evaluate_by_subsets` is the slow, readable twin of both.
"""

import operator
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from numba import njit

from ricochet_casino.cards import additive
from ricochet_casino.cards.classes import class_of_trusted
from ricochet_casino.cards.deck import CardError, check_cards

# Constants of the kernels. All indices are unsigned 64-bit: signed ones cost a wrap-around test
# for each access.
_0, _1, _2, _3, _4 = (np.uint64(n) for n in range(5))
_5, _6, _7 = np.uint64(5), np.uint64(6), np.uint64(7)
_START = np.uint64(additive.START)
_FLUSH = np.uint64(additive.FLUSH_BITS)
_NO_CARD = np.uint64(additive.NO_CARD_BITS)
_KEY = np.uint64(additive.KEY_SHIFT)
_ROW = np.uint64(additive.KEY_SHIFT + additive.ROW_SHIFT)
_PLACE = np.uint64((1 << additive.ROW_SHIFT) - 1)
_RANKS = np.uint64(additive.RANK_SHIFT)
_MASK13 = np.uint64(0x1FFF)
_LOW6 = np.uint64(63)
_BLOCK = np.uint64(1024)
# Population count in three steps, a pattern that compilers replace by the machine's instruction.
_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_EIGHTS = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_TOP = np.uint64(56)


@njit(cache=True, nogil=True)
def five_kernel(cards, words, table, flushes, check, out):  # type: ignore[no-untyped-def]
    """Classes of five-card hands; trusts its arguments.

    Parameters
    ----------
    cards
        (5 N,) uint8, hand after hand.
    words, table, flushes
        ``card_words(5)``, ``five_table()`` and ``flush_table()`` of `additive`.
    check
        Look for codes above 51 and repeated cards. Without it any input is memory-safe, but
        impossible hands get meaningless classes.
    out
        (N,) uint16, filled; in part only if a check fails.

    Returns
    -------
    uint64
        N, or the first hand of the block of hands in which a check failed.
    """
    size = np.uint64(out.size)
    start = _0
    while start < size:
        stop = min(start + _BLOCK, size)
        seen = _0
        p = start * _5
        if check:  # a loop of its own, because it fits into vector registers
            for _ in range(start, stop):
                x = _1 << (np.uint64(cards[p]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _1]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _2]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _3]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _4]) & _LOW6)
                x -= (x >> _1) & _PAIRS
                x = (x & _FOURS) + ((x >> _2) & _FOURS)
                x = (x + (x >> _4)) & _EIGHTS
                seen |= ((x * _BYTES) >> _TOP) ^ _5
                p += _5
            if seen:
                return start
        p = start * _5
        for i in range(start, stop):
            s = _START + words[cards[p]] + words[cards[p + _1]] + words[cards[p + _2]]
            s += words[cards[p + _3]] + words[cards[p + _4]]
            p += _5
            seen |= s
            out[i] = table[s >> _KEY]
            if s & _FLUSH:
                out[i] = flushes[(s >> _RANKS) & _MASK13]
        if check and seen & _NO_CARD:
            return start
        start = stop
    return size


@njit(cache=True, nogil=True)
def six_kernel(  # type: ignore[no-untyped-def]
    cards, words, offsets, values, flushes, suits, check, out
):
    """Best classes of six-card hands: as `seven_kernel`, with tables for 6 and (6 N,) cards."""
    size = np.uint64(out.size)
    start = _0
    while start < size:
        stop = min(start + _BLOCK, size)
        seen = _0
        p = start * _6
        if check:
            for _ in range(start, stop):
                x = _1 << (np.uint64(cards[p]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _1]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _2]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _3]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _4]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _5]) & _LOW6)
                x -= (x >> _1) & _PAIRS
                x = (x & _FOURS) + ((x >> _2) & _FOURS)
                x = (x + (x >> _4)) & _EIGHTS
                seen |= ((x * _BYTES) >> _TOP) ^ _6
                p += _6
            if seen:
                return start
        p = start * _6
        for i in range(start, stop):
            s = _START + words[cards[p]] + words[cards[p + _1]] + words[cards[p + _2]]
            s += words[cards[p + _3]] + words[cards[p + _4]] + words[cards[p + _5]]
            seen |= s
            out[i] = values[((s >> _KEY) & _PLACE) + np.uint64(offsets[s >> _ROW])]
            t = s & _FLUSH
            if t:
                x = suits[cards[p]] | suits[cards[p + _1]] | suits[cards[p + _2]]
                x |= suits[cards[p + _3]] | suits[cards[p + _4]] | suits[cards[p + _5]]
                suit = np.uint64(t > 0x8) + np.uint64(t > 0x80) + np.uint64(t > 0x800)
                out[i] = flushes[(x >> (suit << _4)) & _MASK13]
            p += _6
        if check and seen & _NO_CARD:
            return start
        start = stop
    return size


@njit(cache=True, nogil=True)
def seven_kernel(  # type: ignore[no-untyped-def]
    cards, words, offsets, values, flushes, suits, check, out
):
    """Best classes of seven-card hands; trusts its arguments.

    Parameters
    ----------
    cards
        (7 N,) uint8, hand after hand.
    words, offsets, values, flushes, suits
        ``card_words(7)``, the two parts of ``best_table(7)``, ``flush_table()`` and
        ``suit_words()`` of `additive`.
    check, out
        As in `five_kernel`.

    Returns
    -------
    uint64
        As `five_kernel`.
    """
    size = np.uint64(out.size)
    start = _0
    while start < size:
        stop = min(start + _BLOCK, size)
        seen = _0
        p = start * _7
        if check:
            for _ in range(start, stop):
                x = _1 << (np.uint64(cards[p]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _1]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _2]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _3]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _4]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _5]) & _LOW6)
                x |= _1 << (np.uint64(cards[p + _6]) & _LOW6)
                x -= (x >> _1) & _PAIRS
                x = (x & _FOURS) + ((x >> _2) & _FOURS)
                x = (x + (x >> _4)) & _EIGHTS
                seen |= ((x * _BYTES) >> _TOP) ^ _7
                p += _7
            if seen:
                return start
        p = start * _7
        for i in range(start, stop):
            s = _START + words[cards[p]] + words[cards[p + _1]] + words[cards[p + _2]]
            s += words[cards[p + _3]] + words[cards[p + _4]] + words[cards[p + _5]]
            s += words[cards[p + _6]]
            seen |= s
            out[i] = values[((s >> _KEY) & _PLACE) + np.uint64(offsets[s >> _ROW])]
            t = s & _FLUSH
            if t:  # five of a suit leave no room for a full house or four of a kind
                x = suits[cards[p]] | suits[cards[p + _1]] | suits[cards[p + _2]]
                x |= suits[cards[p + _3]] | suits[cards[p + _4]] | suits[cards[p + _5]]
                x |= suits[cards[p + _6]]
                suit = np.uint64(t > 0x8) + np.uint64(t > 0x80) + np.uint64(t > 0x800)
                out[i] = flushes[(x >> (suit << _4)) & _MASK13]
            p += _7
        if check and seen & _NO_CARD:
            return start
        start = stop
    return size


def evaluate(cards: Sequence[int]) -> int:
    """Class of the best five of 5, 6 or 7 different standard cards.

    Parameters
    ----------
    cards
        Card codes, in any order.

    Returns
    -------
    int
        0 (lowest) to 7,461 (royal flush).

    Raises
    ------
    CardError
        If these are not 5, 6 or 7 different cards with codes 0 to 51.
    """
    held = _checked(cards)
    if len(held) == 5:
        return class_of_trusted(held)
    by_suit = [0, 0, 0, 0]
    for card in held:
        by_suit[card & 3] |= 1 << (card >> 2)
    for mask in by_suit:
        if mask.bit_count() >= 5:
            return int(additive.flush_table()[mask])
    offsets, values = additive.best_table(len(held))
    row, place = divmod(
        sum(additive.SEVEN_KEYS[card >> 2] for card in held), 1 << additive.ROW_SHIFT
    )
    return int(values[place + int(offsets[row])])


def evaluate_by_subsets(cards: Sequence[int]) -> int:
    """As `evaluate`, by looking at every five of the cards: the readable twin.

    Raises
    ------
    CardError
        If these are not 5, 6 or 7 different cards with codes 0 to 51.
    """
    return max(class_of_trusted(five) for five in combinations(_checked(cards), 5))


def _checked(cards: Sequence[int]) -> tuple[int, ...]:
    held = tuple(_code(card) for card in cards)
    if len(held) not in (5, 6, 7):
        raise CardError(f"expected 5, 6 or 7 cards, got {len(held)}")
    check_cards(held)
    return held


def _code(card: object) -> int:
    try:
        return operator.index(card)  # type: ignore[arg-type]
    except TypeError:
        raise CardError(f"{card!r} is not a card code (0 to 51)") from None


def evaluate_hands(
    hands: npt.ArrayLike,
    *,
    check: bool = True,
    out: npt.NDArray[np.uint16] | None = None,
) -> npt.NDArray[np.uint16]:
    """Classes of many hands: the best five of 5, 6 or 7 cards in each row.

    Parameters
    ----------
    hands
        (N, 5), (N, 6) or (N, 7) card codes. C-contiguous uint8 is used in place, other integers
        are converted (a code that would not survive the conversion is refused).
    check
        Refuse repeated cards and codes above 51. Without it such rows get meaningless classes.
    out
        (N,) uint16, C-contiguous: filled and returned instead of a new array. Undefined if an
        error is raised.

    Returns
    -------
    (N,) uint16
        0 (lowest) to 7,461 (royal flush).

    Raises
    ------
    CardError
        If a row is no hand (the first such row is named), or the array is not (N, 5..7) integers.
    ValueError
        If `out` does not fit.
    """
    codes = _as_codes(hands)
    n_hands, width = codes.shape
    if out is None:
        out = np.empty(n_hands, dtype=np.uint16)
    elif out.shape != (n_hands,) or out.dtype != np.uint16 or not out.flags.carray:
        raise ValueError(f"out must be a C-contiguous writeable ({n_hands},) uint16 array")
    flat = codes.reshape(-1)
    flat.flags.writeable = False  # of this view only: the kernels are compiled for read-only input
    words, flushes = additive.card_words(width), additive.flush_table()
    if width == 5:
        good = five_kernel(flat, words, additive.five_table(), flushes, check, out)
    else:
        kernel = six_kernel if width == 6 else seven_kernel
        tables = additive.best_table(width)
        good = kernel(flat, words, *tables, flushes, additive.suit_words(), check, out)
    if good < n_hands:
        _refuse_first_bad_row(codes, int(good))
    return out


def _as_codes(hands: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Hands as an (N, 5..7) C-contiguous uint8 array, or an error."""
    array = np.asarray(hands)
    if array.ndim != 2 or array.shape[1] not in (5, 6, 7):
        raise CardError(f"expected an array of shape (N, 5), (N, 6) or (N, 7), got {array.shape}")
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    if array.dtype.kind not in "iu":
        raise CardError(f"card codes must be integers, not {array.dtype}")
    if array.size and (array.min() < 0 or array.max() > 51):  # two quick passes without copies
        _refuse_first_bad_row(array, int(np.argmax(((array < 0) | (array > 51)).any(axis=1))))
    return np.ascontiguousarray(array, dtype=np.uint8)


def _refuse_first_bad_row(rows: npt.NDArray[np.integer], first: int) -> None:
    """Name the first row from `first` on that is no hand."""
    for index in range(first, len(rows)):
        try:
            check_cards(rows[index].tolist())
        except CardError as error:
            raise CardError(f"row {index}: {error}") from None
    raise AssertionError("a kernel refused hands in which no fault is found")
