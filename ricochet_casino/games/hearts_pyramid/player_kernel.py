"""Compiled players of the all-hearts pyramid: they see what a person sees.

`random` takes any pair, `greedy` one that uncovers most cards; both draw only when there is none,
and give up after a pass through the stock in which they took nothing.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.bits_kernel import lowest_kernel
from ricochet_casino.cards.choice_kernel import below_kernel, start_kernel
from ricochet_casino.games.hearts_pyramid.solver_kernel import (
    STOCK_TOP,
    UNLIMITED,
    WASTE_PAIR,
    highest_kernel,
    open_cards_kernel,
)

RANDOM, GREEDY = 0, 1

_DECK = (1 << 52) - 1


@njit(cache=True, nogil=True, inline="always")
def _worth_kernel(removed, pair, free, rows, greedy):  # type: ignore[no-untyped-def]
    """How much a pair is worth to the player: nothing, or the pyramid cards it uncovers."""
    if not greedy:
        return 0
    after = open_cards_kernel(removed | pair, rows) & ~free
    worth = 0
    while after:
        after &= after - 1
        worth += 1
    return worth


@njit(cache=True, nogil=True)
def play_kernel(deck, equal, rules, greedy, random):  # type: ignore[no-untyped-def]
    """Play a game; returns the set of the cards that are gone.

    Parameters
    ----------
    deck : (52,) uint8
        Ranks.
    equal : (13,) int64
        Cards of each rank, work.
    rules
        (rows, pairing, passes, goal all), int64.
    greedy
        Which of the players.
    random
        Generator.
    """
    rows, pairing, passes, goal_all = rules
    size = rows * (rows + 1) // 2
    pyramid = (1 << size) - 1
    goal = _DECK if goal_all else pyramid
    equal[:] = 0
    for card in range(52):
        equal[deck[card]] |= 1 << card
    removed, position, this_pass, idle = 0, size, 1, True
    opened = open_cards_kernel(removed, rows)
    while goal & ~removed:
        waste = ((1 << position) - 1) & ~pyramid & ~removed
        top = highest_kernel(waste)
        free, chosen, best, ties = opened | top, 0, -1, 0
        if pairing == STOCK_TOP:
            stock = _DECK & ~((1 << position) - 1) & ~removed
            free |= stock & -stock
        elif pairing == WASTE_PAIR and top:
            second = highest_kernel(waste & ~top)
            if second and deck[lowest_kernel(top)] == deck[lowest_kernel(second)]:
                chosen, ties = top | second, 1
                best = _worth_kernel(removed, chosen, free, rows, greedy)
        rest = free
        while rest:
            card = rest & -rest
            rest ^= card
            others = rest & equal[deck[lowest_kernel(card)]]
            while others:
                pair = card | (others & -others)
                others &= others - 1
                worth = _worth_kernel(removed, pair, free, rows, greedy)
                if worth > best:
                    chosen, best, ties = pair, worth, 1
                elif worth == best:
                    ties += 1
                    if below_kernel(random, ties) == 0:
                        chosen = pair
        if chosen:
            removed |= chosen
            opened = open_cards_kernel(removed, rows)
            idle = False
            continue
        stock = _DECK & ~((1 << position) - 1) & ~removed
        if stock:
            position = lowest_kernel(stock) + 1
        elif (passes == UNLIMITED or this_pass < passes) and waste and not idle:
            this_pass, position, idle = this_pass + 1, size, True
        else:
            break
    return removed


@njit(cache=True, nogil=True)
def play_many_kernel(decks, rules, greedy, seed, stream, first, won):  # type: ignore[no-untyped-def]
    """Play many deals; `decks` (N, 52) uint8 ranks, `won` (N,) uint8 filled with 0 or 1."""
    equal = np.empty(13, dtype=np.int64)
    rows, goal_all = rules[0], rules[3]
    goal = _DECK if goal_all else (1 << (rows * (rows + 1) // 2)) - 1
    for row in range(len(decks)):
        random = start_kernel(seed, stream, first + np.uint64(row))
        gone = play_kernel(decks[row], equal, rules, greedy, random)
        won[row] = goal & ~gone == 0
