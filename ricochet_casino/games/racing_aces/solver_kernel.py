"""Compiled searches of Racing Aces in the game of counts (docs/math.md, section 14.4).

Piles are forgotten and only counts are kept (see `counts_kernel`); a win is played out on real
piles afterwards, and a loss is a loss of the real game too, because every real move is there.
`beam_kernel` looks for wins, `prove_kernel` goes through all states.

A state is: counts of the foundations, the tableau (six ranks of four bits, sorted, 0 for an empty
pile), cards left in the reserves (four bits each), stock cards used, and the waste as a node of a
chain (rank on top, node below).
"""

import numpy as np
from numba import njit

from ricochet_casino.games.racing_aces.counts_kernel import (
    FULL,
    placeable_kernel,
    slack_kernel,
    stands_kernel,
)

LOST, WON, GIVEN_UP = 0, 1, 2

DEAL, CELL, RESERVE, WASTE = 0, 16, 32, 48
RESERVE_TO_CELL, WASTE_TO_CELL, BACK_TO_CELL = 64, 80, 96
"""Moves: CELL + rank, RESERVE + number and WASTE place a card; the last three fill a pile, from
RESERVE_TO_CELL + number, WASTE_TO_CELL, and BACK_TO_CELL + rank from the foundations."""

STOCK = 111

_K1, _K2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_29, _32 = np.uint64(29), np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def _mix_kernel(number):  # type: ignore[no-untyped-def]
    number = (number ^ (number >> _32)) * _K1
    number = (number ^ (number >> _29)) * _K2
    return number ^ (number >> _32)


@njit(cache=True, nogil=True)
def _without_kernel(cells, rank, filled):  # type: ignore[no-untyped-def]
    """The tableau with one card of a rank replaced by another (0: by nothing), sorted again."""
    place = 0
    while (cells >> (4 * place)) & 15 != rank:
        place += 1
    low = cells & ((1 << (4 * place)) - 1)
    cells = low | ((cells >> (4 * place + 4)) << (4 * place))
    place = 0
    while place < 5 and (cells >> (4 * place)) & 15 < filled and place < 5:
        place += 1
    low = cells & ((1 << (4 * place)) - 1)
    return low | (filled << (4 * place)) | ((cells >> (4 * place)) << (4 * place + 4))


@njit(cache=True, nogil=True)
def moves_kernel(state, deck, top, backs, moves):  # type: ignore[no-untyped-def]
    """Write the moves of a state into `moves`; returns how many.

    Parameters
    ----------
    state
        (counts, cells, reserves, used).
    deck : (156,) int64
        Ranks.
    top
        Rank of the waste card, 0 if there is none.
    backs
        Whether cards may come back from the foundations to empty piles.
    moves : (64,) int64
        Filled.
    """
    counts, cells, reserves, used = state
    placeable = placeable_kernel(counts)
    number, before = 0, 0
    for place in range(6):
        rank = (cells >> (4 * place)) & 15
        if rank != before and placeable >> rank & 1:
            moves[number] = CELL + rank
            number += 1
        before = rank
    if placeable >> top & 1:
        moves[number] = WASTE
        number += 1
    for pile in range(3):
        left = (reserves >> (4 * pile)) & 15
        if left and placeable >> deck[13 * pile + left - 1] & 1:
            moves[number] = RESERVE + pile
            number += 1
    if used < STOCK:
        moves[number] = DEAL
        return number + 1
    if cells & 15 == 0:
        for pile in range(3):
            if (reserves >> (4 * pile)) & 15:
                moves[number] = RESERVE_TO_CELL + pile
                number += 1
        if top:
            moves[number] = WASTE_TO_CELL
            number += 1
        if backs:
            for rank in range(1, 14):
                one = 1 << (4 * rank)
                if (counts >> (4 * rank)) & 15 and stands_kernel(counts - one):
                    moves[number] = BACK_TO_CELL + rank
                    number += 1
    return number


@njit(cache=True, nogil=True)
def after_kernel(state, deck, top, move):  # type: ignore[no-untyped-def]
    """The state after a move, and what happens to the waste: 1 a card more, -1 one less, 0."""
    counts, cells, reserves, used = state
    kind = move & ~15
    if kind == DEAL:
        return counts, cells, reserves, used + 1, 1
    if kind == CELL:
        rank, filled = move & 15, 0
        if used < STOCK:
            filled = deck[45 + used]
            used += 1
        return counts + (1 << (4 * rank)), _without_kernel(cells, rank, filled), reserves, used, 0
    if kind == WASTE:
        return counts + (1 << (4 * top)), cells, reserves, used, -1
    if kind == WASTE_TO_CELL:
        return counts, _without_kernel(cells, 0, top), reserves, used, -1
    if kind == BACK_TO_CELL:
        rank = move & 15
        return counts - (1 << (4 * rank)), _without_kernel(cells, 0, rank), reserves, used, 0
    pile = move & 15
    rank = deck[13 * pile + ((reserves >> (4 * pile)) & 15) - 1]
    reserves -= 1 << (4 * pile)
    if kind == RESERVE:
        return counts + (1 << (4 * rank)), cells, reserves, used, 0
    return counts, _without_kernel(cells, 0, rank), reserves, used, 0


@njit(cache=True, nogil=True, inline="always")
def key_kernel(counts, cells, reserves, used, waste):  # type: ignore[no-untyped-def]
    """Hash of a state; `waste` is the hash of the waste."""
    key = _mix_kernel(np.uint64(counts) ^ waste)
    return _mix_kernel(key ^ np.uint64(cells | (reserves << 24) | (used << 40)))


@njit(cache=True, nogil=True, inline="always")
def worth_kernel(state, deck, size, weights):  # type: ignore[no-untyped-def]
    """How promising a state is; `size` is that of the waste."""
    counts, cells, reserves, used = state
    ups, downs = slack_kernel(counts)
    placeable = placeable_kernel(counts)
    ranks, rest = 0, placeable
    while rest:
        rest &= rest - 1
        ranks += 1
    ready, held = 0, 0
    for place in range(6):
        rank = (cells >> (4 * place)) & 15
        ready += rank == 0 or placeable >> rank & 1
    for pile in range(3):
        left = (reserves >> (4 * pile)) & 15
        held += left
        ready += left > 0 and placeable >> deck[13 * pile + left - 1] & 1
    value = weights[1] * ranks + weights[2] * ready
    value += weights[4] * min(ups, downs) - weights[3] * size
    return value + weights[5] * held if used < STOCK else value


@njit(cache=True, nogil=True)
def waste_kernel(waste, chain):  # type: ignore[no-untyped-def]
    """Make (n,) int64 ranks the nodes 1 to n of the chain, the last one on top; returns n + 1."""
    rank_of, below, size_of, hash_of = chain
    rank_of[0], below[0], size_of[0], hash_of[0] = 0, 0, 0, 0
    for node in range(1, len(waste) + 1):
        rank_of[node], below[node], size_of[node] = waste[node - 1], node - 1, node
        hash_of[node] = _mix_kernel(hash_of[node - 1] * _K2 + np.uint64(waste[node - 1]))
    return len(waste) + 1


@njit(cache=True, nogil=True, inline="always")
def _waste_after_kernel(chain, node, change, dealt):  # type: ignore[no-untyped-def]
    """Hash of the waste after a move; `dealt` is the card that a deal puts on it."""
    _, below, _, hash_of = chain
    if change == 1:
        return _mix_kernel(hash_of[node] * _K2 + np.uint64(dealt))
    return hash_of[below[node]] if change == -1 else hash_of[node]


@njit(cache=True, nogil=True, inline="always")
def _is_new_kernel(table, key):  # type: ignore[no-untyped-def]
    """Whether a key is not in a table of a power of two of uint64; it is put there."""
    mask = np.uint64(len(table) - 1)
    slot = key & mask
    while table[slot] and table[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    if table[slot] == key:
        return False
    table[slot] = key
    return True


@njit(cache=True, nogil=True)
def start_kernel(deck, first_waste, states, chain):  # type: ignore[no-untyped-def]
    """Make a deal the first state of (6, n) int64 arrays; returns the waste nodes in use.

    `first_waste` stock cards, 0 or 1, start the waste.
    """
    cells = 0
    for place in range(39, 45):
        cells = _without_kernel(cells, 0, deck[place])
    states[0, 0], states[1, 0], states[2, 0], states[3, 0] = 0, cells, 0xDDD, first_waste
    states[4, 0], states[5, 0] = first_waste, 0
    return waste_kernel(deck[45 : 45 + first_waste], chain)


@njit(cache=True, nogil=True)
def beam_kernel(deck, nodes, width, weights, noise, beam, chain, history, table, line, counts):  # type: ignore[no-untyped-def]
    """Look for a win, move by move, keeping the most promising `width` states.

    Parameters
    ----------
    deck : (156,) int64
        Ranks: three reserves of 13, tableau, stock.
    nodes
        Waste nodes in use; the search begins at the first state of `beam` (see `waste_kernel`).
    width, weights, noise
        States kept; (6,) int64 weights: of a placed card, of a rank that can be placed, of a pile
        whose top can be placed, of a card in the waste (against), of the smaller slack, and of a
        reserve card while the stock lasts; (2,) uint64: generator and size of random changes to
        the worth.
    beam
        Two sets of (width,) int64 arrays: counts, cells, reserves, used, waste node, placed.
    chain
        Arrays of the waste nodes: rank, node below, size, hash.
    history
        (levels, width) int32 parents and uint8 moves.
    table
        (power of two,) uint64, work: keys of a level.
    line : (levels,) int64
        Filled with the moves of a win.
    counts : (2,) int64
        Filled: moves, states.

    Returns
    -------
    WON or GIVEN_UP.
    """
    now, then = beam
    rank_of, below, size_of, hash_of = chain
    parents, chosen = history
    room = 16 * width
    c_parent, c_move = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.uint8)
    c_worth = np.empty(room, dtype=np.int64)
    moves = np.empty(64, dtype=np.int64)
    level, states = 0, 0
    alive = 1
    while alive and level < len(parents):
        number = 0
        table[:] = 0
        for one in range(alive):
            state = (now[0, one], now[1, one], now[2, one], now[3, one])
            node = now[4, one]
            top = rank_of[node]
            for index in range(moves_kernel(state, deck, top, False, moves)):
                move = moves[index]
                c1, c2, c3, c4, change = after_kernel(state, deck, top, move)
                states += 1
                if c1 == FULL:
                    line[level] = move
                    parent = one
                    for back in range(level - 1, -1, -1):
                        line[back] = chosen[back, parent]
                        parent = parents[back, parent]
                    counts[0], counts[1] = level + 1, states
                    return WON
                size = size_of[node] + change
                waste = _waste_after_kernel(chain, node, change, deck[44 + c4])
                if not _is_new_kernel(table, key_kernel(c1, c2, c3, c4, waste)):
                    continue
                worth = weights[0] * (now[5, one] + (CELL <= move < RESERVE_TO_CELL))
                worth += worth_kernel((c1, c2, c3, c4), deck, size, weights)
                if noise[1]:
                    noise[0] += _K1
                    worth += np.int64(_mix_kernel(noise[0]) % noise[1])
                c_parent[number], c_move[number], c_worth[number] = one, move, worth
                number += 1
                if number == room:
                    break
            if number == room:
                break
        keep = min(width, number)
        order = np.arange(number)
        if number > width:
            order = np.argsort(-c_worth[:number])
        for rank in range(keep):
            pick = order[rank]
            one, move = c_parent[pick], np.int64(c_move[pick])
            node = now[4, one]
            state = (now[0, one], now[1, one], now[2, one], now[3, one])
            c1, c2, c3, c4, change = after_kernel(state, deck, rank_of[node], move)
            if change == 1:
                rank_of[nodes], below[nodes] = deck[45 + c4 - 1], node
                size_of[nodes] = size_of[node] + 1
                hash_of[nodes] = _mix_kernel(hash_of[node] * _K2 + np.uint64(rank_of[nodes]))
                node = nodes
                nodes += 1
            elif change == -1:
                node = below[node]
            then[0, rank], then[1, rank], then[2, rank], then[3, rank] = c1, c2, c3, c4
            then[4, rank] = node
            then[5, rank] = now[5, one] + (CELL <= move < RESERVE_TO_CELL)
            parents[level, rank], chosen[level, rank] = one, move
        now, then = then, now
        alive = keep
        level += 1
    counts[0], counts[1] = 0, states
    return GIVEN_UP


@njit(cache=True, nogil=True)
def prove_kernel(deck, nodes, limit, stack, chain, table, counts):  # type: ignore[no-untyped-def]
    """Go through all states that can be reached.

    Parameters: as for `beam_kernel`, and

    limit
        States to look at, at most; below half the size of `table`.
    stack : (6, limit) int64
        The search begins at the first state; with less room it ends sooner.

    Returns
    -------
    LOST if no state is a win, WON if one is, GIVEN_UP beyond the limit.
    """
    rank_of, below, _, hash_of = chain
    moves = np.empty(64, dtype=np.int64)
    table[:] = 0
    states = 0
    tail = 1
    while tail:
        tail -= 1
        state = (stack[0, tail], stack[1, tail], stack[2, tail], stack[3, tail])
        node = stack[4, tail]
        top = rank_of[node]
        for index in range(moves_kernel(state, deck, top, True, moves)):
            c1, c2, c3, c4, change = after_kernel(state, deck, top, moves[index])
            if c1 == FULL:
                counts[1] = states
                return WON
            waste = _waste_after_kernel(chain, node, change, deck[44 + c4])
            if not _is_new_kernel(table, key_kernel(c1, c2, c3, c4, waste)):
                continue
            states += 1
            if states >= limit or tail + 1 >= stack.shape[1] or nodes + 1 >= len(rank_of):
                counts[1] = states
                return GIVEN_UP
            child = node
            if change == 1:
                rank_of[nodes], below[nodes] = deck[45 + c4 - 1], node
                hash_of[nodes] = waste
                child = nodes
                nodes += 1
            elif change == -1:
                child = below[node]
            stack[0, tail], stack[1, tail], stack[2, tail], stack[3, tail] = c1, c2, c3, c4
            stack[4, tail] = child
            tail += 1
    counts[1] = states
    return LOST
