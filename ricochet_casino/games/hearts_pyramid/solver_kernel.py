"""Compiled search of the all-hearts pyramid (docs/math.md, section 14.3).

The four cards of a rank can be paired in three ways. Once every rank has its pairing, nothing is
left to decide: taking a pair away as soon as possible never hurts. So the search chooses pairings,
rank by rank, and only when a pair can be taken: take it, or never use that pairing. A bound gives
up where not even all allowed pairings together would clear the table.
"""

import numpy as np
from numba import njit

LOST, WON, GIVEN_UP = 0, 1, 2
DRAW, RECYCLE = -1, -2
"""Entries of a line that are no pairs; a pair is the set of its two cards."""
STRICT, WASTE_PAIR, STOCK_TOP = 0, 1, 2
UNLIMITED = 0
"""As the number of passes: the stock is a set, since every card can come to the top."""

_DEPTH = 48


@njit(cache=True, nogil=True, inline="always")
def open_cards_kernel(removed, rows):  # type: ignore[no-untyped-def]
    """Set of uncovered pyramid cards that are still there; a set has one bit for each card."""
    start = rows * (rows - 1) // 2
    found = ((1 << rows) - 1) << start
    for size in range(rows - 1, 0, -1):
        gone = (removed >> start) & ((1 << (size + 1)) - 1)
        start -= size
        found |= (gone & (gone >> 1)) << start
    return found & ~removed


@njit(cache=True, nogil=True, inline="always")
def highest_kernel(cards):  # type: ignore[no-untyped-def]
    """The highest single card of a set, as a set; nothing for nothing."""
    cards |= cards >> 1
    cards |= cards >> 2
    cards |= cards >> 4
    cards |= cards >> 8
    cards |= cards >> 16
    cards |= cards >> 32
    return cards ^ (cards >> 1)


@njit(cache=True, nogil=True)
def pairs_kernel(ranks, rows, pairs, between):  # type: ignore[no-untyped-def]
    """Fill `pairs` and `between` (13, 3, 2) int64: the three pairings of each rank.

    `pairs` are sets of two cards, `between` the cards that lie between them in the deck.
    """
    members = np.empty((13, 4), dtype=np.int64)
    number = np.zeros(13, dtype=np.int64)
    for card in range(52):
        rank = ranks[card]
        members[rank, number[rank]] = card
        number[rank] += 1
    for rank in range(13):
        for other in range(1, 4):
            low = 1 if other != 1 else 2
            high = 3 if other != 3 else 2
            for which in range(2):
                a = members[rank, 0 if which == 0 else low]
                b = members[rank, other if which == 0 else high]
                pairs[rank, other - 1, which] = (1 << a) | (1 << b)
                between[rank, other - 1, which] = (1 << b) - (2 << a)


@njit(cache=True, nogil=True)
def allowed_kernel(pairs, under, removed, rows, pairing, goal_all, passes):  # type: ignore[no-untyped-def]
    """Pairings that are not ruled out from the start: three bits a rank, or -1 if a rank has none.

    `under` (52,) int64 are the cards that must go before each card, `removed` those that are gone.
    """
    pyramid = (1 << (rows * (rows + 1) // 2)) - 1
    allowed = 0
    for rank in range(13):
        left = 0
        for way in range(3):
            good = True
            for which in range(2):
                pair = pairs[rank, way, which]
                if pair & removed:
                    good &= pair & ~removed == 0
                elif pair & pyramid == 0:
                    good &= not (goal_all and pairing == STRICT)
                elif pair & ~pyramid == 0:
                    for card in range(52):
                        if pair >> card & 1 and under[card] & pair:
                            good = False
            if good:
                left |= 1 << way
        if left == 0:
            return -1
        if pairing == STRICT and passes == UNLIMITED:
            # A stock card for each pyramid card is never worse than any other way.
            for way in range(3):
                one, two = pairs[rank, way, 0], pairs[rank, way, 1]
                mixed = one & ~pyramid and two & ~pyramid and one & pyramid and two & pyramid
                if mixed and left >> way & 1:
                    left = 1 << way
        allowed |= left << (3 * rank)
    return allowed


@njit(cache=True, nogil=True)
def hopeless_kernel(removed, allowed, position, last_pass, pairs, between, rows, pairing, goal):  # type: ignore[no-untyped-def]
    """Whether cards of the goal stay even if every allowed pairing could be used at once."""
    size = rows * (rows + 1) // 2
    pyramid = (1 << size) - 1
    gone, done = removed, 0
    drawn = (1 << position) - 1
    while True:
        before = gone
        waste = drawn & ~pyramid & ~gone
        reach = open_cards_kernel(gone, rows)
        if last_pass:
            reach |= (((1 << 52) - 1) & ~drawn & ~pyramid) | highest_kernel(waste)
        else:
            reach |= ((1 << 52) - 1) & ~pyramid
        for rank in range(13):
            if done >> rank & 1:
                continue
            cards, ways = 0, allowed >> (3 * rank) & 7
            for way in range(3):
                if not ways >> way & 1:
                    continue
                for which in range(2):
                    pair = pairs[rank, way, which]
                    cards |= pair
                    if pair & pyramid == 0:
                        if pairing != STRICT and between[rank, way, which] & ~gone == 0:
                            gone |= pair
                    elif pair & (reach | gone) == pair:
                        gone |= pair
            if cards & ~gone == 0:
                done |= 1 << rank
        if goal & ~gone == 0:
            return False
        if gone == before:
            return True


@njit(cache=True, nogil=True)
def decide_kernel(pairs, between, allowed, begin, rules, limit, line, counts):  # type: ignore[no-untyped-def]
    """Decide a deal.

    Parameters
    ----------
    pairs, between
        From `pairs_kernel`.
    allowed
        From `allowed_kernel`, not -1.
    begin
        (removed cards, cards of pyramid and stock up to the last one drawn, passes begun), int64.
    rules
        (rows, pairing, passes, goal all), int64; with `UNLIMITED` passes the line holds pairs
        only, and draws must be put in.
    limit
        States to look at, at most.
    line
        (512,) int64, filled with the moves of a win.
    counts
        (2,) int64, filled: moves, states.
    """
    rows, pairing, passes, goal_all = rules
    size = rows * (rows + 1) // 2
    pyramid = (1 << size) - 1
    goal = (1 << 52) - 1 if goal_all else pyramid
    s_removed, s_allowed = np.empty(_DEPTH, dtype=np.int64), np.empty(_DEPTH, dtype=np.int64)
    s_position, s_pass = np.empty(_DEPTH, dtype=np.int64), np.empty(_DEPTH, dtype=np.int64)
    s_moves = np.empty(_DEPTH, dtype=np.int64)
    depth, states, moves = 0, 0, 0
    removed, position, this_pass = begin
    counts[0] = 0
    backtrack, check = False, True
    while True:
        if check or backtrack:
            if not backtrack:
                states += 1
                last = passes != UNLIMITED and this_pass >= passes
                backtrack = hopeless_kernel(
                    removed, allowed, position, last, pairs, between, rows, pairing, goal
                )
            if backtrack:
                if depth == 0:
                    counts[1] = states
                    return LOST
                depth -= 1
                removed, allowed = s_removed[depth], s_allowed[depth]
                position, this_pass, moves = s_position[depth], s_pass[depth], s_moves[depth]
                backtrack, check = False, True
                continue
            check = False
            if states >= limit:
                counts[1] = states
                return GIVEN_UP
        # What can be taken now.
        free = open_cards_kernel(removed, rows)
        two = 0
        if passes == UNLIMITED:
            free |= ((1 << 52) - 1) & ~pyramid & ~removed
        else:
            waste = ((1 << position) - 1) & ~pyramid & ~removed
            top = highest_kernel(waste)
            free |= top
            if pairing == WASTE_PAIR:
                two = top | highest_kernel(waste & ~top)
            elif pairing == STOCK_TOP:
                stock = ((1 << 52) - 1) & ~((1 << position) - 1) & ~removed
                free |= stock & -stock
        taken, choice_rank, choice_way = 0, -1, 0
        for rank in range(13):
            ways = allowed >> (3 * rank) & 7
            for way in range(3):
                if not ways >> way & 1:
                    continue
                ready = 0
                for which in range(2):
                    pair = pairs[rank, way, which]
                    if pair & removed:
                        continue
                    if passes == UNLIMITED and pair & pyramid == 0:
                        can = pairing != STRICT and between[rank, way, which] & ~removed == 0
                    else:
                        can = pair & free == pair or pair == two
                    if can:
                        ready |= pair
                        if ways == 1 << way:
                            taken |= pair
                if ready and ways != 1 << way:
                    both = ready == pairs[rank, way, 0] | pairs[rank, way, 1]
                    free_rest = False
                    if pairing == STRICT and passes == UNLIMITED:
                        rest = (pairs[rank, way, 0] | pairs[rank, way, 1]) & ~ready
                        free_rest = rest & pyramid != rest
                    if both or free_rest:
                        allowed = (allowed & ~(7 << (3 * rank))) | (1 << (3 * rank + way))
                        taken |= ready
                        break
                    if choice_rank < 0:
                        choice_rank, choice_way = rank, way
            if taken:
                for way in range(3):
                    for which in range(2):
                        pair = pairs[rank, way, which]
                        fresh = pair & taken == pair and pair & removed == 0
                        if fresh and allowed >> (3 * rank + way) & 1:
                            line[moves] = pair
                            moves += 1
                            removed |= pair
                break
        if goal & ~removed == 0:
            counts[0], counts[1] = moves, states
            return WON
        if taken:
            continue
        if choice_rank >= 0:
            s_removed[depth], s_position[depth], s_pass[depth] = removed, position, this_pass
            s_allowed[depth] = allowed & ~(1 << (3 * choice_rank + choice_way))
            s_moves[depth] = moves
            depth += 1
            ways = 1 << (3 * choice_rank + choice_way)
            allowed = (allowed & ~(7 << (3 * choice_rank))) | ways
            check = True
            continue
        # Nothing to take: turn a card.
        if passes == UNLIMITED:
            backtrack = True
            continue
        stock = ((1 << 52) - 1) & ~((1 << position) - 1) & ~removed
        if stock:
            next_card = stock & -stock
            position = size
            while (1 << position) <= next_card:
                position += 1
            line[moves] = DRAW
            moves += 1
        elif this_pass < passes and ((1 << 52) - 1) & ~pyramid & ~removed:
            this_pass += 1
            position = size
            line[moves] = RECYCLE
            moves += 1
        else:
            backtrack = True


@njit(cache=True, nogil=True)
def decide_many_kernel(decks, under, begin, rules, limit, verdicts, states, lines, moves):  # type: ignore[no-untyped-def]
    """Decide many deals: with unlimited passes first, which loses most of the lost ones quickly.

    Parameters
    ----------
    decks : (N, 52) uint8
        Ranks, 0 to 12.
    under, begin, rules, limit
        As for `allowed_kernel` and `decide_kernel`.
    verdicts, states, moves : (N,) int64
        Filled; moves of the line.
    lines : (N, 160) int64
        Filled: a line for each win.
    """
    rows, pairing, passes, goal_all = rules
    pairs = np.empty((13, 3, 2), dtype=np.int64)
    between = np.empty((13, 3, 2), dtype=np.int64)
    counts = np.empty(2, dtype=np.int64)
    for row in range(len(decks)):
        pairs_kernel(decks[row], rows, pairs, between)
        states[row], moves[row], verdicts[row] = 1, 0, LOST
        wide = (rows, pairing, UNLIMITED, goal_all)
        allowed = allowed_kernel(pairs, under, begin[0], rows, pairing, goal_all, UNLIMITED)
        if allowed < 0:
            continue
        found = decide_kernel(pairs, between, allowed, begin, wide, limit, lines[row], counts)
        states[row] = counts[1]
        if passes != UNLIMITED and found == WON:
            allowed = allowed_kernel(pairs, under, begin[0], rows, pairing, goal_all, passes)
            rest = limit - states[row]
            found = GIVEN_UP
            if rest > 0:
                found = decide_kernel(
                    pairs, between, allowed, begin, rules, rest, lines[row], counts
                )
                states[row] += counts[1]
        verdicts[row] = found
        moves[row] = counts[0] if found == WON else 0
