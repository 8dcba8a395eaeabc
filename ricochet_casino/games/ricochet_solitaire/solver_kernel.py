"""Compiled search of Ricochet solitaire: a quick dive for a win, then a complete sweep.

docs/math.md, section 14.2. The sweep goes through the stock card by card. A state is a
configuration of the walls with the card played last; all states of a stock position are found
before the next card is turned. Where a flip is allowed at any time, an earlier position is never
worse, so that a state is looked at only at the first position where it is reached.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.bits_kernel import lowest_kernel
from ricochet_casino.games.ricochet_solitaire.board_kernel import (
    index_kernel,
    neighbours_kernel,
    open_kernel,
)

LOST, WON, PAUSED, GIVEN_UP, FULL = 0, 1, 2, 3, 4
"""What a kernel returns: decided, not yet, out of its allowance of states, or out of room."""

TAIL, ENTRIES, TOUCHED = 0, 1, 2
"""Places in `ends`: states found, entries handed to the next position, numbers touched."""

GIVEN = -2
"""Parent of a state that was given, not found."""

_ALL, _FLIP = 0xFFFFFFFF, 1 << 32


@njit(cache=True, nogil=True)
def prepare_kernel(ranks, wrap, board, deal):  # type: ignore[no-untyped-def]
    """Fill the arrays of a deal (see `dive_kernel`) from its (52,) ranks, 0 (ace) to 12 (king)."""
    playable, on_stock, unit, later = deal
    masks, after = board[0], board[1]
    near = np.empty(13, dtype=np.int64)
    neighbours_kernel(ranks, wrap, near)
    for place in range(32):
        playable[place] = near[ranks[place]] & ~masks[after[place]]
        unit[place] = 1 << (4 * ranks[place])
    count = 0
    for position in range(19, -1, -1):
        later[position] = count
        rank = ranks[32 + position]
        on_stock[position] = near[rank]
        count += 1 << (4 * rank)


@njit(cache=True, nogil=True)
def hopeless_kernel(wall, before, wrap):  # type: ignore[no-untyped-def]
    """Whether some wall card can never be played, by counting ranks (docs/math.md, section 14.2).

    Parameters
    ----------
    wall, before
        Cards of each rank, four bits a rank: those left in the walls, and those that one of them
        can be played on at some time: the walls, the stock and the waste card.
    wrap
        Whether king and ace are neighbours.
    """
    if not wrap:
        spare = 0
        for rank in range(0, 13, 2):
            need = max(((wall >> (4 * rank)) & 15) - spare, 0)
            above = (before >> (4 * rank + 4)) & 15 if rank < 12 else 0
            if need > above:
                return True
            spare = above - need
        spare = before & 15
        for rank in range(1, 13, 2):
            need = max(((wall >> (4 * rank)) & 15) - spare, 0)
            above = (before >> (4 * rank + 4)) & 15
            if need > above:
                return True
            spare = above - need
        return False
    for start in range(5):  # how many kings the aces may use; the fewest that do decide
        spare, rank, failed = start, 0, False
        for _ in range(13):
            need = max(((wall >> (4 * rank)) & 15) - spare, 0)
            above = (before >> (4 * rank + 4 if rank < 12 else 0)) & 15
            if need > above:
                failed = True
                break
            spare = above - need
            rank = rank + 2 if rank < 11 else rank - 11
        if not failed:
            return spare < start
    return True


@njit(cache=True, nogil=True)
def dive_kernel(deal, board, rules, allowance, settled, touched, path, counts):  # type: ignore[no-untyped-def]
    """Depth first, plays that lay most cards open first, no state twice: finds most wins.

    Parameters
    ----------
    deal
        ``playable`` (32,): places whose cards can follow the card of a place, walls considered;
        ``on_stock`` (20,): places whose cards can follow the waste card of a stock position;
        ``unit`` (32,): one card of the place's rank, as counts of four bits a rank;
        ``later`` (20,): counts of the stock cards after a position. All int64.
    board
        `layout.restriction_masks`, the restriction after each place ((33,) int64, the last one
        for none), `layout.index_tables` and `layout.outer_table`.
    rules
        (wrap, flip only when stuck, flips lift the wall rule, last position), int64.
    allowance
        States to look at, at most.
    settled, touched
        (configurations,) uint32 zeros, left as zeros; (allowance + 1,) or more int32, work.
    path
        (64,) int64, filled with the moves: a place, or 32 for a flip.
    counts : (2,) int64
        Filled: moves, states.

    Returns
    -------
    WON if a win was found, GIVEN_UP if the allowance is used, else PAUSED: a state that was
    reached at an earlier stock position is not tried at a later one, nor the other way round, so
    that nothing is proven.
    """
    playable, on_stock, unit, later = deal
    masks, after, digits, steps, bases, outer = board
    wrap, only_stuck, lifts, last_position = rules
    removed, left = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    position, last = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    wall = np.empty(64, dtype=np.int64)
    depth, states, marks, verdict = 0, 0, 0, PAUSED
    removed[0], position[0], last[0], wall[0] = 0, 0, 32, 0
    for place in range(32):
        wall[0] += unit[place]
    left[0] = open_kernel(0, outer) & on_stock[0]
    if last_position > 0 and not (only_stuck and left[0]):
        left[0] |= _FLIP
    while depth >= 0:
        now, plays = removed[depth], left[depth] & _ALL
        if plays:
            place = _choice_kernel(now, plays, playable, outer)
            left[depth] &= ~(1 << place)
            now |= 1 << place
            states += 1
            path[depth] = place
            if now == _ALL:
                depth, verdict = depth + 1, WON
                break
            number, bit = index_kernel(now, digits, steps, bases), np.uint32(1 << place)
            if settled[number] & bit:
                continue
            if states >= allowance:
                verdict = GIVEN_UP
                break
            settled[number] |= bit
            touched[marks] = number
            marks += 1
            rest = wall[depth] - unit[place]
            if hopeless_kernel(rest, rest + unit[place] + later[position[depth]], wrap):
                continue
            depth += 1
            removed[depth], position[depth], last[depth] = now, position[depth - 1], place
            wall[depth] = rest
            left[depth] = open_kernel(now, outer) & playable[place]
        elif left[depth]:
            left[depth] = 0
            path[depth] = 32
            depth += 1
            removed[depth], position[depth] = now, position[depth - 1] + 1
            wall[depth], last[depth] = wall[depth - 1], 32 if lifts else last[depth - 1]
            shut = masks[after[last[depth]]]
            left[depth] = open_kernel(now, outer) & on_stock[position[depth]] & ~shut
        else:
            depth -= 1
            continue
        if position[depth] < last_position and not (only_stuck and left[depth]):
            left[depth] |= _FLIP
    for k in range(marks):
        settled[touched[k]] = 0
    counts[0], counts[1] = depth, states
    return verdict


@njit(cache=True, nogil=True)
def _choice_kernel(removed, plays, playable, outer):  # type: ignore[no-untyped-def]
    """The play that lays most open, and can be followed up if possible."""
    best, chosen, before = -1, 0, open_kernel(removed, outer)
    while plays:
        place = lowest_kernel(plays)
        plays &= plays - 1
        opened = open_kernel(removed | (1 << place), outer)
        news = opened & ~before
        value = (1 if opened & playable[place] else 0) + (2 if news else 0)
        if news & (news - 1):
            value += 2
        if value > best:
            best, chosen = value, place
    return chosen


@njit(cache=True, nogil=True)
def layer_kernel(  # type: ignore[no-untyped-def]
    position, begin, deal, board, rules, most, settled, noted, touched, queue, entries, ends
):
    """All states of one stock position.

    Parameters: as for `dive_kernel`, and

    position
        That of `begin` at first, then the next one each time.
    begin
        (removed cards, stock position, place played last, or 32 for none, whether a stock card was
        turned since), int64: where the search begins.
    most
        States in all before the search is given up.
    settled, noted
        (configurations,) uint32 and uint16, zeros at first: places played last, and restrictions
        of the entries. `touched` says where they are not zero.
    queue
        Arrays of the states in the order found: removed cards, counts of the rest by rank, number
        of the configuration, place played last, stock position, and the state it came from.
    entries
        Arrays of configurations in which the next card is turned: removed cards, counts, plays
        still to try, restriction, state they came from, number of the configuration.
    ends : (3,) int64
        Zeros at first; kept by the kernel.

    Returns
    -------
    WON (the last state of the queue is the win), PAUSED for the next position, LOST if no card is
    left to turn, GIVEN_UP, or FULL: the arrays must be larger.
    """
    playable, on_stock, unit, later = deal
    masks, after, digits, steps, bases, outer = board
    wrap, only_stuck, lifts, last_position = rules
    q_removed, q_wall, q_number, q_place, q_position, q_parent = queue
    e_removed, e_wall, e_left, e_shut, e_parent, e_number = entries
    first = position == begin[1]
    if first:
        start_kernel(begin, deal, board, rules, queue, entries, ends)
    room, e_room, t_room = len(q_removed) - 40, len(e_removed) - 2, len(touched) - 40
    tail, entry_count, marks = ends[TAIL], ends[ENTRIES], ends[TOUCHED]
    kept, entry, head = 0, 0, 0 if first else tail
    while True:
        ends[TAIL], ends[TOUCHED] = tail, marks
        ends[ENTRIES] = max(entry_count, kept)
        if tail > room or kept > e_room or marks > t_room:
            return FULL
        if tail > most:
            return GIVEN_UP
        if entry < entry_count:
            now, rest, parent = e_removed[entry], e_wall[entry], e_parent[entry]
            left, shut = e_left[entry], e_shut[entry]
            plays = left & on_stock[position] & ~masks[shut]
            left &= ~plays
            if left and not (only_stuck and plays):
                e_removed[kept], e_wall[kept], e_left[kept] = now, rest, left
                e_shut[kept], e_parent[kept], e_number[kept] = shut, parent, e_number[entry]
                kept += 1
            elif only_stuck:
                noted[e_number[entry]] &= ~np.uint16(1 << shut)
            entry += 1
        elif head < tail:
            now, rest, place = q_removed[head], q_wall[head], q_place[head]
            opened = open_kernel(now, outer)
            plays = opened & playable[place]
            shut = 0 if lifts else after[place]
            number, mark = q_number[head], np.uint16(1 << shut)
            if not (only_stuck and plays) and not noted[number] & mark:
                noted[number] |= mark
                e_removed[kept], e_wall[kept], e_left[kept] = now, rest, opened
                e_shut[kept], e_parent[kept], e_number[kept] = shut, head, number
                kept += 1
            parent = head
            head += 1
        else:
            break
        while plays:
            place = lowest_kernel(plays)
            plays &= plays - 1
            then = now | (1 << place)
            number, bit = index_kernel(then, digits, steps, bases), np.uint32(1 << place)
            if settled[number] & bit:
                continue
            settled[number] |= bit
            touched[marks] = number
            marks += 1
            wall = rest - unit[place]
            if hopeless_kernel(wall, wall + unit[place] + later[position], wrap):
                continue
            q_removed[tail], q_wall[tail], q_number[tail] = then, wall, number
            q_place[tail], q_position[tail], q_parent[tail] = place, position, parent
            tail += 1
            if then == _ALL:
                ends[TAIL], ends[TOUCHED] = tail, marks
                return WON
    if only_stuck:  # the same place at a later position is another state
        for index in range(marks):
            settled[touched[index]] = 0
        ends[TOUCHED] = 0
    ends[ENTRIES] = kept
    return PAUSED if position < last_position and kept > 0 else LOST


@njit(cache=True, nogil=True)
def start_kernel(begin, deal, board, rules, queue, entries, ends):  # type: ignore[no-untyped-def]
    """Make a position (see `layer_kernel`) the only entry, or the only state of the queue."""
    unit = deal[2]
    _, after, digits, steps, bases, outer = board
    removed, position, last, turned = begin
    wall = 0
    for place in range(32):
        if not removed >> place & 1:
            wall += unit[place]
    number = index_kernel(removed, digits, steps, bases)
    ends[TAIL], ends[ENTRIES], ends[TOUCHED] = 0, 0, 0
    if turned:
        e_removed, e_wall, e_left, e_shut, e_parent, e_number = entries
        e_removed[0], e_wall[0], e_left[0] = removed, wall, open_kernel(removed, outer)
        e_shut[0] = 0 if rules[2] else after[last]
        e_parent[0], e_number[0] = -1, number
        ends[ENTRIES] = 1
    else:
        q_removed, q_wall, q_number, q_place, q_position, q_parent = queue
        q_removed[0], q_wall[0], q_number[0] = removed, wall, number
        q_place[0], q_position[0], q_parent[0] = last, position, GIVEN
        ends[TAIL] = 1


@njit(cache=True, nogil=True)
def clear_kernel(settled, noted, touched, entries, ends):  # type: ignore[no-untyped-def]
    """Make `settled` and `noted` zeros again after a sweep."""
    for index in range(ends[TOUCHED]):
        settled[touched[index]] = 0
        noted[touched[index]] = 0
    numbers = entries[5]
    for index in range(ends[ENTRIES]):
        noted[numbers[index]] = 0
