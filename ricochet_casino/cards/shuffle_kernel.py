"""Compiled shuffle: the first cards of many deals, bit for bit those of `shuffle`.

`shuffle` holds the definition; this is its fast twin for decks of up to 54 cards, which computes
only the counter blocks that the cards asked for need. Deals are handled side by side in *lanes*, so
that the loops over words fit into vector registers. Vectors multiply 32 by 32 bits, so

- the 128-bit products of Philox are put together from four (`wide_product`), and
- the remainder of a word by the modulus m is taken in three exact steps (docs/math.md, 6.1).
"""

from functools import cache

import numpy as np
import numpy.typing as npt
from numba import njit

LANES = 64
"""Deals handled side by side."""

LARGEST_DECK = 54
"""The standard deck and two Jokers."""

_0, _1, _2, _3 = (np.uint64(n) for n in range(4))
_LANES = np.uint64(LANES)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_FIFTH, _LOW20 = np.uint64(20), np.uint64(0xFFFFF)
# Philox4x64-10, the constants of its authors (see `shuffle`).
_MULTIPLIER_0, _MULTIPLIER_1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_KEYS_0 = tuple(np.uint64(0x9E3779B97F4A7C15 * n & 0xFFFFFFFFFFFFFFFF) for n in range(10))
_KEYS_1 = tuple(np.uint64(0xBB67AE8584CAA73B * n & 0xFFFFFFFFFFFFFFFF) for n in range(10))

UInt32Array = npt.NDArray[np.uint32]
UInt64Array = npt.NDArray[np.uint64]


@njit(cache=True, nogil=True, inline="always")
def wide_product(a, b):  # type: ignore[no-untyped-def]
    """High and low word of the 128-bit product of two uint64."""
    a0, a1, b0, b1 = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    low, middle = a0 * b0, a1 * b0
    carried = (low >> _HALF) + (middle & _LOW) + a0 * b1
    return a1 * b1 + (middle >> _HALF) + (carried >> _HALF), a * b


@njit(cache=True, nogil=True)
def _round(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    """One of the ten rounds of Philox, for a counter and the keys of the round."""
    high0, low0 = wide_product(c0, _MULTIPLIER_0)
    high1, low1 = wide_product(c2, _MULTIPLIER_1)
    return high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0


@njit(cache=True, nogil=True, inline="always")
def philox_kernel(block, attempt, seed, stream):  # type: ignore[no-untyped-def]
    """The four words of counter ``(block, attempt, 0, 0)``; all arguments uint64."""
    # Written out, because a loop in here would keep the loop over lanes out of vectors.
    c0, c1, c2, c3 = _round(block, attempt, _0, _0, seed, stream)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, seed + _KEYS_0[1], stream + _KEYS_1[1])
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, seed + _KEYS_0[2], stream + _KEYS_1[2])
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, seed + _KEYS_0[3], stream + _KEYS_1[3])
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, seed + _KEYS_0[4], stream + _KEYS_1[4])
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, seed + _KEYS_0[5], stream + _KEYS_1[5])
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, seed + _KEYS_0[6], stream + _KEYS_1[6])
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, seed + _KEYS_0[7], stream + _KEYS_1[7])
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, seed + _KEYS_0[8], stream + _KEYS_1[8])
    return _round(c0, c1, c2, c3, seed + _KEYS_0[9], stream + _KEYS_1[9])


@cache
def modulus_tables() -> tuple[UInt64Array, UInt32Array]:
    """Constants of the bounded numbers by modulus m, read-only.

    Returns
    -------
    accepted : (55,) uint64
        The largest word that is not discarded, ``2**64 - (2**64 mod m) - 1``.
    factors : (55, 3) uint32
        ``2**32 mod m``, ``2**20 mod m`` and ``floor(2**32 / m) + 1``; nothing for m below 2.
    """
    accepted = np.zeros(LARGEST_DECK + 1, dtype=np.uint64)
    factors = np.zeros((LARGEST_DECK + 1, 3), dtype=np.uint32)
    for m in range(2, LARGEST_DECK + 1):
        accepted[m] = (1 << 64) - (1 << 64) % m - 1
        factors[m] = (1 << 32) % m, (1 << 20) % m, (1 << 32) // m + 1
    accepted.flags.writeable = factors.flags.writeable = False
    return accepted, factors


@njit(cache=True, nogil=True, inline="always")
def remainder_kernel(word, modulus, factor32, factor20, reciprocal):  # type: ignore[no-untyped-def]
    """``word mod modulus`` for a modulus of 2 to 54 and its factors; all uint64."""
    rest = (word >> _HALF) * factor32 + (word & _LOW)  # below 2^38
    rest = ((rest >> _FIFTH) * factor20 + (rest & _LOW20)) & _LOW  # below 2^24
    return rest - ((rest * reciprocal) >> _HALF) * modulus


@njit(cache=True, nogil=True)
def _word_again(place, seed, stream, limit):  # type: ignore[no-untyped-def]
    """First acceptable word at a place, of the attempts after the first."""
    attempt = _1
    while True:
        words = philox_kernel(place >> _2, attempt, seed, stream)
        word = words[place & _3]
        if word <= limit:
            return word
        attempt += _1


@njit(cache=True, nogil=True)
def deal_kernel(  # type: ignore[no-untyped-def]
    seed, stream, first, count, accepted, factors, words, places, deck, out
):
    """Shuffle deals from `first` on, as many as `out` holds; trusts its arguments.

    Parameters
    ----------
    seed, stream, first
        uint64; as in `shuffle.deals`.
    count
        uint64, cards of each deal, 1 to n.
    accepted, factors
        `modulus_tables`. With lower limits in `accepted` more words are discarded, which is how
        the tests get there.
    words, places, deck
        (W, LANES) uint64, (W, LANES) uint8 and (n,) uint8, work. The size of `deck` is that of the
        deck, 2 to 54; W is n rounded up to a multiple of 4.
    out
        (N * count,) uint8, filled: deal after deal.
    """
    number = np.uint64(out.size) // count
    size = np.uint64(deck.size)
    blocks = (size + _3) >> _2
    steps = min(count, size - _1)
    end = _0
    for begin in range(_0, number, _LANES):
        block = (first + begin) * blocks
        _draw_places(seed, stream, block, steps, size, accepted, factors, words, places)
        for lane in range(min(_LANES, number - begin)):
            for card in range(size):
                deck[card] = card
            for j in range(steps):
                place = places[j, lane]
                chosen = deck[place]
                deck[place] = deck[j]
                out[end + j] = chosen
            if count == size:
                out[end + steps] = deck[steps]
            end += count


@njit(cache=True, nogil=True)
def _draw_places(  # type: ignore[no-untyped-def]
    seed, stream, block, steps, size, accepted, factors, words, places
):
    """With which place each place is exchanged, for LANES deals; the first has this block."""
    blocks = (size + _3) >> _2
    for b in range((steps + _3) >> _2):
        row = b << _2
        for lane in range(_LANES):
            w0, w1, w2, w3 = philox_kernel(block + b + lane * blocks, _0, seed, stream)
            words[row, lane], words[row + _1, lane] = w0, w1
            words[row + _2, lane], words[row + _3, lane] = w2, w3
    for j in range(steps):
        left = size - j
        limit = accepted[left]
        factor32, factor20 = np.uint64(factors[left, 0]), np.uint64(factors[left, 1])
        reciprocal = np.uint64(factors[left, 2])
        discarded = False
        for lane in range(_LANES):
            discarded |= words[j, lane] > limit
        if discarded:
            for lane in range(_LANES):
                if words[j, lane] > limit:
                    position = ((block + lane * blocks) << _2) + j
                    words[j, lane] = _word_again(position, seed, stream, limit)
        for lane in range(_LANES):
            rest = remainder_kernel(words[j, lane], left, factor32, factor20, reciprocal)
            places[j, lane] = j + rest
