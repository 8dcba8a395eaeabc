"""Random choices of players inside kernels: one short generator for each game played.

A game's generator is SplitMix64 (G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom
number generators, 2014), started at a word of the game's own stream (`start_kernel`), so that a
game is the same wherever and in whatever order it is played. A choice among n takes the upper 32
bits times n over 2^32; no option is off its fair share by more than n / 2^32.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.shuffle_kernel import philox_kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@njit(cache=True, nogil=True)
def start_kernel(seed, stream, number):  # type: ignore[no-untyped-def]
    """Put the generator of game `number` of a stream into a state; all uint64.

    Returns
    -------
    (1,) uint64
        The state, changed by `below_kernel`.
    """
    state = np.empty(1, dtype=np.uint64)
    state[0] = philox_kernel(number, np.uint64(0), seed, stream)[0]
    return state


@njit(cache=True, nogil=True, inline="always")
def below_kernel(state, options):  # type: ignore[no-untyped-def]
    """Draw a number from 0 to ``options - 1`` (int64), options below 2^32."""
    state[0] += _GAMMA
    word = state[0]
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    word ^= word >> _31
    return np.int64(((word >> _32) * np.uint64(options)) >> _32)
