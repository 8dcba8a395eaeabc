"""Compiled counts over pairs of completions: the last two players, exactly.

The first of the two completes with three cards c of the stub, the second with three of what is
left. How many completions of the second avoid c and reach some class follows from sums made once
per deal over all completions, over those with one given card and over those with two: eight
look-ups in place of up to 9,880 completions. Derivation: docs/math.md, section 8.

All sums are integers. A *place* is an index into such sums: 0 for all completions, 1 to n for those
with one card of the stub, then n (n - 1) / 2 for those with two. The kernels trust their arguments;
two_players.py checks, and is their only caller.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards import additive
from ricochet_casino.cards.classes import N_CLASSES

_FLUSH = np.uint64(additive.FLUSH_BITS)
_KEY = np.uint64(additive.KEY_SHIFT)
_RANKS = np.uint64(additive.RANK_SHIFT)
_MASK13 = np.uint64(0x1FFF)
_CLASSES = np.int64(N_CLASSES)
_HALF = np.int64(31)
_LOW = np.int64((1 << 31) - 1)


@njit(cache=True, nogil=True)
def classes_kernel(words, places, five, flushes, out):  # type: ignore[no-untyped-def]
    """Class of two cards with every completion.

    Parameters
    ----------
    words
        (n + 1,) uint64: `additive.START` plus the words of the two cards, then the words of the
        cards of the stub.
    places
        (N, 6) uint16: per completion the places of its cards and of its pairs of cards.
    five, flushes
        ``five_table()`` and ``flush_table()`` of `additive`.
    out
        (N,) uint16, filled.
    """
    for i in range(out.size):
        s = words[0] + words[places[i, 0]] + words[places[i, 1]] + words[places[i, 2]]
        out[i] = five[s >> _KEY]
        if s & _FLUSH:
            out[i] = flushes[(s >> _RANKS) & _MASK13]


@njit(cache=True, nogil=True, inline="always")
def _add(sums, places, i, value):  # type: ignore[no-untyped-def]
    """Add completion i, with a value, to the sums at its places."""
    sums[0] += value
    for j in range(6):
        sums[places[i, j]] += value


@njit(cache=True, nogil=True, inline="always")
def _avoiding(sums, places, i):  # type: ignore[no-untyped-def]
    """Sum over the completions without a card of completion i, its own value not yet taken off."""
    return (
        sums[0] - sums[places[i, 0]] - sums[places[i, 1]] - sums[places[i, 2]]
        + sums[places[i, 3]] + sums[places[i, 4]] + sums[places[i, 5]]
    )  # fmt: skip


@njit(cache=True, nogil=True)
def collective_kernel(  # type: ignore[no-untyped-def]
    first, second, dealer_class, bonus, places, pot, price, with_bonus, if_equal, reach, earned, out
):
    """What follows when the first of two players plays against a standing dealer (8.3).

    Parameters
    ----------
    first, second
        (N,) uint16: class of each player with every completion.
    dealer_class
        The class to reach; the dealer loses ties.
    bonus
        (7462,) int64: units by class.
    places
        As in `classes_kernel`.
    pot, price
        Units that the second wins if both play, and his play bet times C(n - 3, 3).
    with_bonus
        Whether his decision counts bonuses.
    if_equal
        Whether he plays when both are worth the same.
    reach, earned
        (n (n + 1) / 2 + 1,) int64, zeros: work space for his sums.
    out
        (7,) int64, filled: completions of the first that beat the dealer; completions that do not
        and after which the second plays; pairs of those with one of his that beats her; bonuses of
        the second over pairs after such a play, and over pairs after the dealer was beaten, each
        as a high and a low part (high * 2^31 + low).
    """
    out[:] = 0
    for i in range(second.size):
        if second[i] >= dealer_class:
            _add(reach, places, i, 1)
        value = bonus[second[i]]
        if value:
            _add(earned, places, i, value)
    for i in range(first.size):
        extra = _avoiding(earned, places, i) - bonus[second[i]]
        if first[i] >= dealer_class:
            out[0] += 1
            out[5] += extra >> _HALF
            out[6] += extra & _LOW
            continue
        wins = _avoiding(reach, places, i) - np.int64(second[i] >= dealer_class)
        gain = pot * wins - price
        if with_bonus:
            gain += extra
        if gain > 0 or (if_equal and gain == 0):
            out[1] += 1
            out[2] += wins
            out[3] += extra >> _HALF
            out[4] += extra & _LOW


@njit(cache=True, nogil=True)
def falling_kernel(classes, starts, order):  # type: ignore[no-untyped-def]
    """Fill (N,) int64 `order` with the completions in falling order of class.

    `starts` is work space, (7463,) int64.
    """
    starts[:] = 0
    for i in range(classes.size):
        starts[_CLASSES - np.int64(classes[i])] += 1
    for c in range(1, starts.size):
        starts[c] += starts[c - 1]
    for i in range(classes.size):
        from_top = _CLASSES - 1 - np.int64(classes[i])
        order[starts[from_top]] = i
        starts[from_top] += 1


@njit(cache=True, nogil=True)
def individual_kernel(  # type: ignore[no-untyped-def]
    first, second, to_beat, level, bonus, places, pot, tie_shares, price, if_equal,
    first_order, second_order, reach, earned, above, out,
):  # fmt: skip
    """What follows for the first of two players if the second answers with his best reply (8.5).

    The completions of the first are taken in falling order of class, so those of the second that
    beat or reach hers only ever grow in number and are added as they come.

    Parameters
    ----------
    first, second, bonus, places, price, if_equal, earned
        As in `collective_kernel`; `reach` too.
    to_beat
        Class of the live five-card hands, 0 if there are none.
    level
        Whether players hold them: then a first player of the same class shares with them.
    pot
        Units in the pot if both play.
    tie_shares
        (2,) int64: the second's share if he ties with the first alone, and with her and players
        who tied before.
    first_order, second_order
        (N,) int64: from `falling_kernel`.
    above
        (N,) int64: work space.
    out
        (2, 4) int64, filled. Row 1 counts completions with which the first ties with players
        before her, row 0 those with which she is ahead of everybody: how many there are, after how
        many of them the second folds; and of the pairs in which he plays, in how many he beats her
        and in how many he ties.
    """
    out[:] = 0
    for i in range(second.size):
        value = bonus[second[i]]
        if value:
            _add(earned, places, i, value)
    begin = added = 0
    while begin < first.size:
        hand_class = first[first_order[begin]]
        if hand_class < to_beat:
            break
        row = np.int64(level and hand_class == to_beat)
        while added < second.size and second[second_order[added]] > hand_class:
            _add(reach, places, second_order[added], 1)
            added += 1
        end = begin
        while end < first.size and first[first_order[end]] == hand_class:
            i = first_order[end]
            above[end] = _avoiding(reach, places, i) - np.int64(second[i] > hand_class)
            end += 1
        while added < second.size and second[second_order[added]] == hand_class:
            _add(reach, places, second_order[added], 1)
            added += 1
        for place in range(begin, end):
            i = first_order[place]
            ties = _avoiding(reach, places, i) - np.int64(second[i] >= hand_class) - above[place]
            gain = pot * above[place] + tie_shares[row] * ties - price
            gain += _avoiding(earned, places, i) - bonus[second[i]]
            out[row, 0] += 1
            if gain > 0 or (if_equal and gain == 0):
                out[row, 2] += above[place]
                out[row, 3] += ties
            else:
                out[row, 1] += 1
        begin = end
