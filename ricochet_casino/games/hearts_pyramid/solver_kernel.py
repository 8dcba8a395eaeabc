"""Compiled search of the all-hearts pyramid (docs/math.md, section 14.3).

The four cards of a rank can be paired in three ways. Once every rank has its pairing, nothing is
left to decide: taking a pair away as soon as possible never hurts. So the search chooses pairings,
rank by rank, and only when a pair can be taken: take it, or never use that pairing. A bound gives
up where not even all allowed pairings together would clear the table.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.bits_kernel import lowest_kernel

LOST, WON, GIVEN_UP = 0, 1, 2
DRAW, RECYCLE = -1, -2
"""Entries of a line that are no pairs; a pair is the set of its two cards."""
STRICT, WASTE_PAIR, STOCK_TOP = 0, 1, 2
UNLIMITED = 0
"""As the number of passes: the stock is a set, since every card can come to the top."""

_DEPTH = 48
_DECK = (1 << 52) - 1


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
            reach |= (_DECK & ~drawn & ~pyramid) | highest_kernel(waste)
        else:
            reach |= _DECK & ~pyramid
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


@njit(cache=True, nogil=True, inline="always")
def _free_kernel(removed, position, rules):  # type: ignore[no-untyped-def]
    """The cards that can be paired now, and two waste cards that can be paired with each other."""
    rows, pairing, passes, _ = rules
    pyramid = (1 << (rows * (rows + 1) // 2)) - 1
    free, two = open_cards_kernel(removed, rows), 0
    if passes == UNLIMITED:
        return free | (_DECK & ~pyramid & ~removed), two
    drawn = (1 << position) - 1
    waste = drawn & ~pyramid & ~removed
    top = highest_kernel(waste)
    if pairing == WASTE_PAIR:
        two = top | highest_kernel(waste & ~top)
    elif pairing == STOCK_TOP:
        stock = _DECK & ~drawn & ~removed
        free |= stock & -stock
    return free | top, two


@njit(cache=True, nogil=True, inline="always")
def _ready_kernel(pairs, between, rank, way, removed, free, two, rules):  # type: ignore[no-untyped-def]
    """Cards of the two pairs of a pairing that can be taken now."""
    rows, pairing, passes, _ = rules
    pyramid = (1 << (rows * (rows + 1) // 2)) - 1
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
    return ready


@njit(cache=True, nogil=True, inline="always")
def _is_safe_kernel(pairs, rank, way, ready, rules):  # type: ignore[no-untyped-def]
    """Whether a pairing is never worse than the others once the cards `ready` can be taken."""
    rows, pairing, passes, _ = rules
    rest = (pairs[rank, way, 0] | pairs[rank, way, 1]) & ~ready
    pyramid = (1 << (rows * (rows + 1) // 2)) - 1
    # All four can go; or, read strictly with unlimited passes, the third takes a stock card.
    return rest == 0 or (pairing == STRICT and passes == UNLIMITED and rest & ~pyramid != 0)


@njit(cache=True, nogil=True)
def _look_kernel(pairs, between, removed, allowed, position, rules):  # type: ignore[no-untyped-def]
    """What can be done with the pairings that are still allowed.

    Returns
    -------
    rank, way, sure
        A pairing of which something can be taken, and whether that needs no choice; rank -1 if
        there is none. What is sure comes before what is a choice.
    """
    free, two = _free_kernel(removed, position, rules)
    rank_found, way_found = -1, 0
    for rank in range(13):
        ways = allowed >> (3 * rank) & 7
        for way in range(3):
            if not ways >> way & 1:
                continue
            ready = _ready_kernel(pairs, between, rank, way, removed, free, two, rules)
            if not ready:
                continue
            if ways == 1 << way or _is_safe_kernel(pairs, rank, way, ready, rules):
                return rank, way, ready
            if rank_found < 0:
                rank_found, way_found = rank, way
    return rank_found, way_found, 0


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
        (160,) int64, filled with the moves of a win.
    counts
        (2,) int64, filled: moves, states.
    """
    rows, pairing, passes, goal_all = rules
    size = rows * (rows + 1) // 2
    goal = _DECK if goal_all else (1 << size) - 1
    stack = np.empty((5, _DEPTH), dtype=np.int64)  # what to try instead of the choices made
    depth, states, moves, fresh = 0, 0, 0, True
    removed, position, this_pass = begin
    counts[0] = 0
    while goal & ~removed:
        stay = True
        if fresh:  # a choice was made or given up: is there still hope?
            states += 1
            last = passes != UNLIMITED and this_pass >= passes
            stay = not hopeless_kernel(
                removed, allowed, position, last, pairs, between, rows, pairing, goal
            )
            if stay and states >= limit:
                counts[1] = states
                return GIVEN_UP
            fresh = False
        if stay:
            rank, way, taken = _look_kernel(pairs, between, removed, allowed, position, rules)
            if rank >= 0:
                only = (allowed & ~(7 << (3 * rank))) | (1 << (3 * rank + way))
                if not taken:
                    rest = allowed & ~(1 << (3 * rank + way))
                    stack[0, depth], stack[1, depth], stack[2, depth] = removed, rest, position
                    stack[3, depth], stack[4, depth] = this_pass, moves
                    depth += 1
                    fresh = True
                allowed = only
                for which in range(2):
                    if taken and pairs[rank, way, which] & taken:
                        line[moves] = pairs[rank, way, which]
                        moves += 1
                removed |= taken
                continue
            stock = _DECK & ~((1 << position) - 1) & ~removed
            waste = ((1 << position) - 1) & ~((1 << size) - 1) & ~removed
            if passes != UNLIMITED and stock:
                position = lowest_kernel(stock) + 1
                line[moves] = DRAW
            elif passes != UNLIMITED and this_pass < passes and waste:
                this_pass, position = this_pass + 1, size
                line[moves] = RECYCLE
            else:
                stay = False
            moves += stay
        if not stay:
            if depth == 0:
                counts[1] = states
                return LOST
            depth -= 1
            removed, allowed, position = stack[0, depth], stack[1, depth], stack[2, depth]
            this_pass, moves, fresh = stack[3, depth], stack[4, depth], True
    counts[0], counts[1] = moves, states
    return WON


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
