"""Compiled shuffle: the first cards of many deals, bit for bit those of `shuffle`.

`shuffle` holds the definition; this is its fast twin for the 52-card deck, which computes only the
counter blocks that the cards asked for need. Two divisions are replaced, both exactly:

- The 128-bit products of Philox are one machine instruction (`_product`).
- With ``M = floor(2**64 / m)`` the quotient of a word w by the modulus m is ``floor(w M / 2**64)``
  or one more (docs/math.md, 6.1), so one comparison gives the remainder.
"""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from ricochet_casino.cards.shuffle import words_per_deal

_DECK = 52
_0, _1, _2, _3, _4 = (np.uint64(n) for n in range(5))
_CARDS = np.uint64(_DECK)
_BLOCKS = np.uint64(words_per_deal(_DECK) // 4)
# Philox4x64-10, the constants of its authors (see `shuffle`).
_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
_KEY_STEP_0 = np.uint64(0x9E3779B97F4A7C15)
_KEY_STEP_1 = np.uint64(0xBB67AE8584CAA73B)

UInt64Array = npt.NDArray[np.uint64]


def _product(_context: Any, one: Any, other: Any) -> Any:
    """Signature and code of `product`, as numba asks for them."""
    signature = types.UniTuple(types.uint64, 2)(one, other)  # type: ignore[no-untyped-call]

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        wide, word = ir.IntType(128), ir.IntType(64)
        left, right = (builder.zext(argument, wide) for argument in arguments)
        full = builder.mul(left, right)
        high = builder.trunc(builder.lshr(full, ir.Constant(wide, 64)), word)
        pair = [high, builder.trunc(full, word)]
        return cgutils.pack_array(builder, pair)  # type: ignore[no-untyped-call]

    return signature, generate


product: Any = intrinsic(_product)
"""High and low word of the 128-bit product of two uint64; kernels only."""


@njit(cache=True, nogil=True)
def philox_kernel(block, attempt, seed, stream):  # type: ignore[no-untyped-def]
    """The four words of counter ``(block, attempt, 0, 0)``; all arguments uint64."""
    c0, c1, c2, c3 = block, attempt, _0, _0
    k0, k1 = seed, stream
    for _ in range(10):
        high0, low0 = product(_MULTIPLIER_0, c0)
        high1, low1 = product(_MULTIPLIER_1, c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0 += _KEY_STEP_0
        k1 += _KEY_STEP_1
    return c0, c1, c2, c3


@cache
def modulus_tables() -> tuple[UInt64Array, UInt64Array]:
    """Constants of the bounded numbers by modulus, read-only.

    Returns
    -------
    reciprocals : (53,) uint64
        ``floor(2**64 / m)`` for a modulus m of 2 to 52; the largest word for 1, where the
        correction by one comparison still holds.
    accepted : (53,) uint64
        The largest word that is not discarded, ``2**64 - (2**64 mod m) - 1``.
    """
    span = 1 << 64
    moduli = range(1, _DECK + 1)
    reciprocals = np.array([0, *(min(span // m, span - 1) for m in moduli)], dtype=np.uint64)
    accepted = np.array([0, *(span - span % m - 1 for m in moduli)], dtype=np.uint64)
    reciprocals.flags.writeable = accepted.flags.writeable = False
    return reciprocals, accepted


@njit(cache=True, nogil=True)
def remainder_kernel(word, modulus, reciprocal):  # type: ignore[no-untyped-def]
    """``word mod modulus``, given the entry of `modulus_tables`; all uint64."""
    rest = word - product(word, reciprocal)[0] * modulus
    return min(rest, rest - modulus)  # a difference below zero is huge


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
    seed, stream, first, count, reciprocals, accepted, words, deck, out
):
    """Shuffle deals from `first` on, as many as `out` holds; trusts its arguments.

    Parameters
    ----------
    seed, stream, first
        uint64; as in `shuffle.deals`.
    count
        uint64, cards of each deal, 1 to 52.
    reciprocals, accepted
        `modulus_tables`. With lower limits in `accepted` more words are discarded, which is how
        the tests get there.
    words, deck
        (52,) uint64 and (52,) uint8, work.
    out
        (N * count,) uint8, filled: deal after deal.
    """
    number = np.uint64(out.size) // count
    blocks = (count + _3) >> _2
    block = first * _BLOCKS
    end = _0
    for _ in range(number):
        for b in range(blocks):
            w0, w1, w2, w3 = philox_kernel(block + b, _0, seed, stream)
            p = b << _2
            words[p], words[p + _1], words[p + _2], words[p + _3] = w0, w1, w2, w3
        # A loop of its own: mixed with the exchanges below it takes twice as long.
        for j in range(count):
            left = _CARDS - j
            word = words[j]
            if word > accepted[left]:
                word = _word_again((block << _2) + j, seed, stream, accepted[left])
            words[j] = j + remainder_kernel(word, left, reciprocals[left])
        for card in range(_DECK):
            deck[card] = card
        for j in range(count):
            chosen = deck[words[j]]
            deck[words[j]] = deck[j]
            out[end + j] = chosen
        end += count
        block += _BLOCKS
