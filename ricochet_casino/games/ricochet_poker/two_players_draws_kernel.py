"""Compiled sums over the draws of two hands against a standing dealer, both acting for the group.

Everything that the cells of two_players_exact_kernel.py share for two given pairs of ranks, and
what a suited first or second hand adds. A *losing* draw of the first is one that does not reach the
dealer; the second answers it. The *open* ranks of a suit are those that can still come. Derivation:
docs/math.md, section 10.6.

The kernels trust their arguments; layouts stand in two_players_cells.py.
"""

from numba import njit

from ricochet_casino.games.ricochet_poker.table_odds_kernel import (
    ONE,
    RANKS,
    TWO,
    avoid,
    choose2,
    choose3,
    given_kernel,
    is_worth,
    ways_kernel,
)

GAIN_BITS = 27
"""Gains of the second and their sums carry how many of his draws beat the dealer in their lowest
bits: gain * 2^27 + draws. There are at most 12,341 * 9,880 < 2^27 pairs of draws."""


@njit(cache=True, nogil=True)
def _wants(gain, if_equal):  # type: ignore[no-untyped-def]
    """Whether the second plays for a gain that carries draws."""
    return is_worth(gain >> GAIN_BITS, if_equal)


@njit(cache=True, nogil=True)
def _add_avoided(sums, i, j, k, a, b, c, value):  # type: ignore[no-untyped-def]
    """Add a value for each draw of ranks i <= j <= k to the sums with one and two cards given.

    a, b and c are the cards left of those ranks; `sums` is laid out as `given_reach`.
    """
    if i < j < k:
        sums[ONE + i] += value * b * c
        sums[ONE + j] += value * a * c
        sums[ONE + k] += value * a * b
        sums[TWO + RANKS * i + j] += value * c
        sums[TWO + RANKS * i + k] += value * b
        sums[TWO + RANKS * j + k] += value * a
    elif i < j:
        sums[ONE + i] += value * choose2(b)
        sums[ONE + j] += value * a * (b - 1)
        sums[TWO + RANKS * i + j] += value * (b - 1)
    elif j < k:
        sums[ONE + i] += value * (a - 1) * c
        sums[ONE + k] += value * choose2(a)
        sums[TWO + RANKS * i + k] += value * (a - 1)
    else:
        sums[ONE + i] += value * choose2(a - 1)


@njit(cache=True, nogil=True)
def plain_kernel(first, second, to_reach, pot, price, if_equal, work, room):  # type: ignore[no-untyped-def]
    """The two hands by their ranks alone, as if neither were suited.

    Parameters
    ----------
    first, second
        Numbers of the pairs of ranks.
    to_reach
        The dealer's class.
    pot, price, if_equal
        Units that the second wins after two plays; his bet times his completions; `if_equal`.
    work
        With the stub filled in.
    room
        Filled in: the first's losing rank triples and the second's gain after each; sums of them.
    """
    ways_kernel(work)
    given_kernel(second, -1, to_reach, work)
    left, ranks, own, ways = work.left, work.ranks, work.given_own, work.ways
    gain_of, extra_of, lost_list, held = room.gain_of, room.extra_of, room.lost_list, room.lost_with
    held[:] = 0
    lost_list[:, 0] = -1
    lost = bonus = gains = extras = value = plays = number = 0
    least, most = 1 << 62, -(1 << 62)
    for q in range(work.length[first]):
        t = work.triples[first, q]
        w = ways[t]
        if w == 0:
            continue
        hand_class = work.classes[first, q]
        bonus += work.pays[hand_class] * w
        room.loses[t] = hand_class < to_reach
        if hand_class >= to_reach:
            continue
        i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
        extra = avoid(work.given_bonus, i, j, k) - own[t, 1]
        wins = avoid(work.given_reach, i, j, k) - own[t, 0]
        gain = ((pot * wins - price + extra) << GAIN_BITS) + wins
        gain_of[t], extra_of[t] = gain, extra
        lost_list[number, 0], lost_list[number, 1] = t, w
        number += 1
        lost += w
        gains += w * gain
        extras += w * extra
        least, most = min(least, gain), max(most, gain)
        if _wants(gain, if_equal):
            value += w * gain
            plays += w
        _add_avoided(held, i, j, k, left[i], left[j], left[k], 1)
    held[0] = lost
    room.number, room.lost, room.first_bonus, room.gains = number, lost, bonus, gains
    room.extras, room.plain_value, room.plain_plays = extras, value, plays
    room.least, room.most = least, most


@njit(cache=True, nogil=True)
def weigh_draws(second, to_reach, pot, work, room):  # type: ignore[no-untyped-def]
    """For each one-suit draw of the second: what it adds, and losing draws of the first beside it.

    Columns of `room.draws`: its gain to the second with the dealer standing, its part that is a
    bonus, whether it reaches the dealer only so; gain and bonus times those draws of the first.
    """
    draws, held, ranks, loses = room.draws, room.lost_with, work.ranks, room.loses
    for q in range(work.suit_length[second]):
        flush, plain = work.flush[second, q], work.plain[second, q]
        reach = int(plain < to_reach <= flush)
        extra = work.pays[flush] - work.pays[plain]
        t = work.suit_triples[second, q]
        i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
        beside = avoid(held, i, j, k) - int(loses[t] and work.ways[t] > 0)
        draws[q, 0] = ((pot * reach + extra) << GAIN_BITS) + reach
        draws[q, 1], draws[q, 2] = extra, reach
        draws[q, 3], draws[q, 4] = draws[q, 0] * beside, extra * beside


@njit(cache=True, nogil=True)
def _suit_sums(second, open_ranks, column, sums, own, work, room):  # type: ignore[no-untyped-def]
    """Sums of a column of `room.draws` with no, one and two cards given; `own`: with three."""
    sums[:] = 0
    own[:] = 0
    ranks = work.ranks
    gone = ~open_ranks
    for q in range(work.suit_length[second]):
        if work.masks[second, q] & gone:
            continue
        value = room.draws[q, column]
        if value == 0:
            continue
        t = work.suit_triples[second, q]
        i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
        own[t] = value
        sums[0] += value
        for x in (i, j, k):
            sums[ONE + x] += value
        for x in (RANKS * i + j, RANKS * i + k, RANKS * j + k):
            sums[TWO + x] += value


@njit(cache=True, nogil=True)
def _some(sums, own, i, j, k, fi, fj, fk):  # type: ignore[no-untyped-def]
    """Sum over what avoids the flagged ones of three cards of a suit."""
    total = sums[0]
    if fi:
        total -= sums[ONE + i]
        if fj:
            total += sums[TWO + RANKS * i + j]
        if fk:
            total += sums[TWO + RANKS * i + k]
    if fj:
        total -= sums[ONE + j]
        if fk:
            total += sums[TWO + RANKS * j + k]
    if fk:
        total -= sums[ONE + k]
        if fi and fj:
            total -= own
    return total


@njit(cache=True, nogil=True)
def _by_flags(t, gain, open_ranks, if_equal, work, room):  # type: ignore[no-untyped-def]
    """Value and number of the draws of one rank triple after which the second plays, one by one."""
    i, j, k = work.ranks[t, 0], work.ranks[t, 1], work.ranks[t, 2]
    a, b, c = work.left[i], work.left[j], work.left[k]
    x, y, z = open_ranks >> i & 1, open_ranks >> j & 1, open_ranks >> k & 1
    sums, own = room.suit_gain, room.suit_gain_own[t]
    value = plays = 0
    for fi in range(2):
        for fj in range(2 if i < j else 1):
            for fk in range(2 if j < k else 1):
                # Of several cards of one rank at most one is of the suit; its flag is the first.
                if i < j < k:
                    w = (x if fi else a - x) * (y if fj else b - y) * (z if fk else c - z)
                elif i < j:
                    w = (x if fi else a - x) * (y * (b - 1) if fj else choose2(b - y))
                elif j < k:
                    w = (x * (a - 1) if fi else choose2(a - x)) * (z if fk else c - z)
                else:
                    w = x * choose2(a - 1) if fi else choose3(a - x)
                if w == 0:
                    continue
                here = gain + _some(sums, own, i, j, k, fi, fj, fk)
                if _wants(here, if_equal):
                    value += w * here
                    plays += w
    return value, plays


@njit(cache=True, nogil=True)
def _linear(t, w, gain, work, room):  # type: ignore[no-untyped-def]
    """Sum of the second's gains over all draws of one rank triple of the first."""
    i, j, k = work.ranks[t, 0], work.ranks[t, 1], work.ranks[t, 2]
    a, b, c = work.left[i], work.left[j], work.left[k]
    sums = room.suit_gain
    value = w * (gain + sums[0])
    if i < j < k:
        value -= sums[ONE + i] * b * c + sums[ONE + j] * a * c + sums[ONE + k] * a * b
        value += sums[TWO + RANKS * i + j] * c + sums[TWO + RANKS * i + k] * b
        value += sums[TWO + RANKS * j + k] * a - room.suit_gain_own[t]
    elif i < j:
        value -= sums[ONE + i] * choose2(b) + sums[ONE + j] * a * (b - 1)
        value += sums[TWO + RANKS * i + j] * (b - 1)
    elif j < k:
        value -= sums[ONE + i] * (a - 1) * c + sums[ONE + k] * choose2(a)
        value += sums[TWO + RANKS * i + k] * (a - 1)
    else:
        value -= sums[ONE + i] * choose2(a - 1)
    return value


@njit(cache=True, nogil=True)
def _least(t, gain, work, room):  # type: ignore[no-untyped-def]
    """The second's lowest gain after any draw of one rank triple, if no draw is worth less than 0.

    That after the draw that holds most open cards of his suit: sums of others are 0.
    """
    i, j, k = work.ranks[t, 0], work.ranks[t, 1], work.ranks[t, 2]
    return gain + _some(room.suit_gain, room.suit_gain_own[t], i, j, k, True, i < j, j < k)


@njit(cache=True, nogil=True)
def _unclear(open_ranks, total, if_equal, work, room):  # type: ignore[no-untyped-def]
    """Value and plays of a suited second whose choice depends on the first's draw.

    `total` is the sum of his gains over all of the first's losing draws; what he does not play is
    taken off it.
    """
    value, plays = total, room.lost
    above = room.suit_gain[0]
    for place in range(room.number):
        t, w = room.lost_list[place, 0], room.lost_list[place, 1]
        gain = room.gain_of[t]
        if _wants(gain, if_equal) and room.rising:
            continue
        if room.rising and not _wants(gain + above, if_equal):
            value -= _linear(t, w, gain, work, room)
            plays -= w
            continue
        if room.rising and _wants(_least(t, gain, work, room), if_equal):
            continue
        some, number = _by_flags(t, gain, open_ranks, if_equal, work, room)
        value += some - _linear(t, w, gain, work, room)
        plays += number - w
    return value, plays


@njit(cache=True, nogil=True)
def second_cell(cell, open_ranks, second, if_equal, work, room):  # type: ignore[no-untyped-def]
    """A suited second, whose suit has the given ranks open, after an unsuited first.

    Fills row `cell` of `room.seconds`: what the one-suit draws add to gain, bonus and wins; sum of
    the bonuses after losing draws of the first; value and number of those after which he plays.
    """
    gone = ~open_ranks
    masks, draws = work.masks, room.draws
    gain = extra = reach = gains = extras = 0
    for q in range(work.suit_length[second]):
        if masks[second, q] & gone == 0:
            gain += draws[q, 0]
            extra += draws[q, 1]
            reach += draws[q, 2]
            gains += draws[q, 3]
            extras += draws[q, 4]
    total = room.gains + gains
    value, plays = total, room.lost
    if not room.rising or not _wants(room.least, if_equal):
        if room.rising and not _wants(room.most + gain, if_equal):
            value = plays = 0
        else:
            _suit_sums(second, open_ranks, 0, room.suit_gain, room.suit_gain_own, work, room)
            value, plays = _unclear(open_ranks, total, if_equal, work, room)
    row = room.seconds[cell]
    row[0], row[1], row[2] = gain, extra, reach
    row[3], row[4], row[5] = room.extras + extras, value, plays


@njit(cache=True, nogil=True)
def first_cell(cell, open_ranks, first, to_reach, work, room):  # type: ignore[no-untyped-def]
    """A suited first: her one-suit draws that win though their ranks do not.

    Fills row `cell` of `room.firsts`: what one-suit draws add to her bonus; the number of the
    draws in question, the second's gains and bonuses after them, if he is unsuited, and his least
    and highest gain; and `room.first_gains` with his gains.
    """
    gone = ~open_ranks
    bonus = number = gains = extras = 0
    least, most = 1 << 62, -(1 << 62)
    for q in range(work.suit_length[first]):
        if work.masks[first, q] & gone:
            continue
        flush, plain = work.flush[first, q], work.plain[first, q]
        bonus += work.pays[flush] - work.pays[plain]
        if plain < to_reach <= flush:
            t = work.suit_triples[first, q]
            gain = room.gain_of[t]
            room.first_gains[cell, number] = gain
            number += 1
            gains += gain
            extras += room.extra_of[t]
            least, most = min(least, gain), max(most, gain)
    row = room.firsts[cell]
    row[0], row[1], row[2], row[3], row[4], row[5] = bonus, number, gains, extras, least, most


@njit(cache=True, nogil=True)
def undone(cell, above, if_equal, room):  # type: ignore[no-untyped-def]
    """Value and number of the second's plays after the draws of `first_cell`, `above` on top."""
    row = room.firsts[cell]
    number = row[1]
    if number == 0 or not _wants(row[5] + above, if_equal):
        return 0, 0
    if _wants(row[4] + above, if_equal):
        return row[2] + number * above, number
    value = plays = 0
    for place in range(number):
        gain = room.first_gains[cell, place] + above
        if _wants(gain, if_equal):
            value += gain
            plays += 1
    return value, plays


@njit(cache=True, nogil=True)
def undone_same(first, second, open_ranks, to_reach, if_equal, work, room):  # type: ignore[no-untyped-def]
    """The same if both are suited in one suit: value, number, and bonuses of the second."""
    _suit_sums(second, open_ranks, 0, room.suit_gain, room.suit_gain_own, work, room)
    _suit_sums(second, open_ranks, 1, room.suit_extra, room.suit_extra_own, work, room)
    gone = ~open_ranks
    value = plays = extras = 0
    for q in range(work.suit_length[first]):
        if work.masks[first, q] & gone:
            continue
        if not work.plain[first, q] < to_reach <= work.flush[first, q]:
            continue
        t = work.suit_triples[first, q]
        i, j, k = work.ranks[t, 0], work.ranks[t, 1], work.ranks[t, 2]
        gain = room.gain_of[t] + avoid(room.suit_gain, i, j, k) - room.suit_gain_own[t]
        extras += room.extra_of[t] + avoid(room.suit_extra, i, j, k) - room.suit_extra_own[t]
        if _wants(gain, if_equal):
            value += gain
            plays += 1
    return value, plays, extras
