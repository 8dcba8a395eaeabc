"""Compiled players of Racing Aces, who do not know the order of the stock.

While the stock lasts they place what looks best by what lies open, or deal. Once it is used up all
cards have been seen: the `greedy` player goes on as before, the `endgame` player looks for a way
out with a beam. Both use moves among foundations freely, which is why counts are all they need.
"""

import numpy as np
from numba import njit

from ricochet_casino.games.racing_aces.solver_kernel import (
    CELL,
    DEAL,
    RESERVE,
    STOCK,
    WASTE,
    WON,
    after_kernel,
    beam_kernel,
    moves_kernel,
    start_kernel,
    worth_kernel,
)


@njit(cache=True, nogil=True)
def blind_kernel(deck, first_waste, weights, beam, chain, moves):  # type: ignore[no-untyped-def]
    """Play until the stock is used up; returns the waste nodes in use.

    Parameters: as for `solver_kernel.beam_kernel`; the first state of `beam` is the position
    reached.
    """
    now = beam[0]
    rank_of, below, size_of, hash_of = chain
    nodes = start_kernel(deck, first_waste, now, chain)
    while now[3, 0] < STOCK:
        state = (now[0, 0], now[1, 0], now[2, 0], now[3, 0])
        node = now[4, 0]
        best, chosen = worth_kernel(state, deck, size_of[node], weights), DEAL
        for index in range(moves_kernel(state, deck, rank_of[node], False, moves)):
            move = moves[index]
            if move == DEAL:
                continue
            # The card that fills the pile is not known: look at the pile as if it stayed empty.
            hidden = (state[0], state[1], state[2], STOCK)
            c1, c2, c3, _, change = after_kernel(hidden, deck, rank_of[node], move)
            worth = weights[0] + worth_kernel(
                (c1, c2, c3, state[3]), deck, size_of[node] + change, weights
            )
            if worth > best:
                best, chosen = worth, move
        c1, c2, c3, c4, change = after_kernel(state, deck, rank_of[node], chosen)
        if change == 1:
            rank_of[nodes], below[nodes] = deck[45 + c4 - 1], node
            size_of[nodes], hash_of[nodes] = size_of[node] + 1, np.uint64(nodes)
            node = nodes
            nodes += 1
        elif change == -1:
            node = below[node]
        now[0, 0], now[1, 0], now[2, 0], now[3, 0], now[4, 0] = c1, c2, c3, c4, node
        now[5, 0] += chosen & ~15 in (CELL, RESERVE, WASTE)
    return nodes


@njit(cache=True, nogil=True)
def play_many_kernel(  # type: ignore[no-untyped-def]
    decks, first_waste, width, weights, beam, chain, history, table, line, counts, won
):
    """Play many deals; `decks` (N, 156) int64 ranks, `won` (N,) uint8 filled with 0 or 1."""
    noise, moves = np.zeros(2, dtype=np.uint64), np.empty(64, dtype=np.int64)
    for row in range(len(decks)):
        deck = decks[row]
        nodes = blind_kernel(deck, first_waste, weights, beam, chain, moves)
        found = beam_kernel(
            deck, nodes, width, weights, noise, beam, chain, history, table, line, counts
        )
        won[row] = found == WON
