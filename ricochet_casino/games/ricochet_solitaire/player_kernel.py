"""Compiled players of Ricochet solitaire: they see what a person sees.

`random` plays any card that can be played, `greedy` one that uncovers most closed cards; both turn
the stock only when nothing can be played. `lookahead` tries every move on decks dealt from the
unseen cards and finished by the greedy player, and takes the move that wins most of them.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.choice_kernel import below_kernel, start_kernel
from ricochet_casino.games.ricochet_solitaire.board_kernel import (
    lowest_kernel,
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
    ranks, known, shared, outer, rules, state, position, decks, random, guess, near, wins
):
    """The move that wins most of the decks dealt from the unseen cards.

    Parameters: as for `finish_kernel`, and

    known
        Set of wall cards whose ranks have been seen.
    decks
        How many decks are dealt.
    guess, near, wins
        (52,), (13,) int64 and (33, 2) int64, work. `wins` holds wins and cards removed by move
        afterwards; 32 is the flip.

    Returns
    -------
    The place, or 32 for a flip, or -1 if there is no move.
    """
    wrap, only_stuck, lifts, last_position = rules
    removed, top, last = state
    neighbours_kernel(ranks, wrap, near)
    plays = open_kernel(removed, outer) & near[top] & ~shared[last]
    options = plays
    if position < last_position and not (only_stuck and plays):
        options |= 1 << 32
    if options == 0:
        return -1
    if options & (options - 1) == 0:
        return 32 if options >> 32 else lowest_kernel(options)
    wins[:] = 0
    unseen = np.empty(52, dtype=np.int64)
    number = 0
    for place in range(52):
        guess[place] = ranks[place]
        hidden = not (known >> place) & 1 if place < 32 else place > 32 + position
        if hidden:
            unseen[number] = place
            number += 1
    for _ in range(decks):
        for index in range(number - 1, 0, -1):
            other = below_kernel(random, index + 1)
            one, two = unseen[index], unseen[other]
            guess[one], guess[two] = guess[two], guess[one]
        neighbours_kernel(guess, wrap, near)
        rest = options
        while rest:
            if rest & _ALL:
                move = lowest_kernel(rest & _ALL)
                after = (removed | (1 << move), guess[move], move)
                end = finish_kernel(guess, near, shared, outer, rules, True, after, position, random)
            else:
                move = 32
                after = (removed, guess[33 + position], 32 if lifts else last)
                end = finish_kernel(
                    guess, near, shared, outer, rules, True, after, position + 1, random
                )
            rest &= ~(1 << move)
            wins[move, 0] += end == _ALL
            while end:
                end &= end - 1
                wins[move, 1] += 1
    best = -1
    for move in range(33):
        if not options >> move & 1:
            continue
        if best < 0 or wins[move, 0] > wins[best, 0]:
            best = move
        elif wins[move, 0] == wins[best, 0] and wins[move, 1] > wins[best, 1]:
            best = move
    return best


@njit(cache=True, nogil=True)
def lookahead_kernel(ranks, shared, outer, rules, decks, random, guess, near, wins):  # type: ignore[no-untyped-def]
    """Play a game by `best_move_kernel`; returns the set of the cards that are gone."""
    removed, top, last, position = 0, ranks[32], 32, 0
    known = 0xFFF00000
    while removed != _ALL:
        move = best_move_kernel(
            ranks, known, shared, outer, rules, (removed, top, last), position, decks, random,
            guess, near, wins,
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
    wins = np.empty((33, 2), dtype=np.int64)
    for row in range(len(deals)):
        for place in range(52):
            ranks[place] = deals[row, place]
        random = start_kernel(seed, stream, first + np.uint64(row))
        if player == LOOKAHEAD:
            end = lookahead_kernel(ranks, shared, outer, rules, decks, random, guess, near, wins)
        else:
            neighbours_kernel(ranks, rules[0], near)
            end = finish_kernel(
                ranks, near, shared, outer, rules, player == GREEDY, (0, ranks[32], 32), 0, random
            )
        won[row] = end == _ALL
