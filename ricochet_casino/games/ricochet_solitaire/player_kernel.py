"""Compiled players of Ricochet solitaire: they see what a person sees.

`random` plays any card that can be played, `greedy` one that uncovers most closed cards; both turn
the stock only when nothing can be played. `lookahead` tries every play on decks dealt from the
unseen cards and finished by the greedy player, and takes the play that does best.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.bits_kernel import lowest_kernel
from ricochet_casino.cards.choice_kernel import below_kernel, start_kernel
from ricochet_casino.games.ricochet_solitaire.board_kernel import (
    neighbours_kernel,
    open_kernel,
)

RANDOM, GREEDY, LOOKAHEAD = 0, 1, 2

_ALL = 0xFFFFFFFF


@njit(cache=True, nogil=True)
def finish_kernel(ranks, near, shared, outer, rules, greedy, state, position, random):  # type: ignore[no-untyped-def]
    """Play a game to its end.

    Parameters
    ----------
    ranks, near
        As for `neighbours_kernel`.
    shared : (33,) int64
        Places closed after a play from each place; nothing for 32.
    outer
        `layout.outer_table`.
    rules
        (wrap, flip only when stuck, flips lift the wall rule, last position), int64.
    greedy
        Which of the two players, true for the greedy one.
    state
        (removed, rank of the waste card, place played last).
    position
        Stock cards turned.
    random
        Generator.

    Returns
    -------
    Set of the cards that are gone at the end.
    """
    lifts, last_position = rules[2], rules[3]
    removed, top, last = state
    opened = open_kernel(removed, outer)
    while removed != _ALL:
        plays = opened & near[top] & ~shared[last]
        if not plays:
            if position >= last_position:
                break
            position += 1
            top = ranks[32 + position]
            if lifts:
                last = 32
            continue
        place = lowest_kernel(plays)
        plays &= plays - 1
        if plays and greedy:
            most, ties, rest = -1, 0, plays | (1 << place)
            while rest:
                one = lowest_kernel(rest)
                rest &= rest - 1
                news = open_kernel(removed | (1 << one), outer) & ~opened
                value = (news != 0) + (news & (news - 1) != 0)
                if value > most:
                    most, ties, place = value, 1, one
                elif value == most:
                    ties += 1
                    if below_kernel(random, ties) == 0:
                        place = one
        elif plays:
            count, rest = 1, plays
            while rest:
                rest &= rest - 1
                count += 1
            for _ in range(below_kernel(random, count)):
                place = lowest_kernel(plays)
                plays &= plays - 1
        removed |= 1 << place
        top, last = ranks[place], place
        opened = open_kernel(removed, outer)
    return removed


@njit(cache=True, nogil=True)
def best_move_kernel(  # type: ignore[no-untyped-def]
    ranks, known, shared, outer, rules, state, position, decks, random, guess, near, value
):
    """The play that does best on decks dealt from the unseen cards.

    Parameters: as for `finish_kernel`, and

    known
        Set of wall cards whose ranks have been seen.
    decks
        How many decks are dealt.
    guess, near, value
        (52,), (13,) and (32,) int64, work. `value` adds up the cards removed in the end, and 32
        more for each win.

    Returns
    -------
    The place, 32 for a flip if there is no play, or -1 if there is no move. Turning a card while
    there is a play loses too often to be worth the noise of another candidate.
    """
    wrap, last_position = rules[0], rules[3]
    removed, top, last = state
    neighbours_kernel(ranks, wrap, near)
    plays = open_kernel(removed, outer) & near[top] & ~shared[last]
    if plays == 0:
        return 32 if position < last_position else -1
    if plays & (plays - 1) == 0:
        return lowest_kernel(plays)
    value[:] = 0
    unseen, number = np.empty(52, dtype=np.int64), 0
    for place in range(52):
        guess[place] = ranks[place]
        if not (known >> place) & 1 if place < 32 else place > 32 + position:
            unseen[number] = place
            number += 1
    for _ in range(decks):
        for index in range(number - 1, 0, -1):
            one, two = unseen[index], unseen[below_kernel(random, index + 1)]
            guess[one], guess[two] = guess[two], guess[one]
        neighbours_kernel(guess, wrap, near)
        rest = plays
        while rest:
            move = lowest_kernel(rest)
            rest &= rest - 1
            after = (removed | (1 << move), guess[move], move)
            end = finish_kernel(guess, near, shared, outer, rules, True, after, position, random)
            value[move] += 32 * (end == _ALL)
            while end:
                end &= end - 1
                value[move] += 1
    best, most = -1, -1
    for move in range(32):
        if plays >> move & 1 and value[move] > most:
            best, most = move, value[move]
    return best


@njit(cache=True, nogil=True)
def lookahead_kernel(ranks, shared, outer, rules, decks, random, guess, near, value):  # type: ignore[no-untyped-def]
    """Play a game by `best_move_kernel`; returns the set of the cards that are gone."""
    removed, top, last, position = 0, ranks[32], 32, 0
    known = 0xFFF00000
    while removed != _ALL:
        move = best_move_kernel(
            ranks, known, shared, outer, rules, (removed, top, last), position, decks, random,
            guess, near, value,
        )  # fmt: skip
        if move < 0:
            break
        if move == 32:
            position += 1
            top = ranks[32 + position]
            if rules[2]:
                last = 32
        else:
            removed |= 1 << move
            top, last = ranks[move], move
            known |= open_kernel(removed, outer)
    return removed


@njit(cache=True, nogil=True)
def play_many_kernel(  # type: ignore[no-untyped-def]
    deals, shared, outer, rules, player, decks, seed, stream, first, won
):
    """Play many deals; `deals` (N, 52) uint8 ranks, `won` (N,) uint8 filled with 0 or 1."""
    ranks = np.empty(52, dtype=np.int64)
    guess = np.empty(52, dtype=np.int64)
    near = np.empty(13, dtype=np.int64)
    value = np.empty(32, dtype=np.int64)
    for row in range(len(deals)):
        for place in range(52):
            ranks[place] = deals[row, place]
        random = start_kernel(seed, stream, first + np.uint64(row))
        if player == LOOKAHEAD:
            end = lookahead_kernel(ranks, shared, outer, rules, decks, random, guess, near, value)
        else:
            neighbours_kernel(ranks, rules[0], near)
            end = finish_kernel(
                ranks, near, shared, outer, rules, player == GREEDY, (0, ranks[32], 32), 0, random
            )
        won[row] = end == _ALL
