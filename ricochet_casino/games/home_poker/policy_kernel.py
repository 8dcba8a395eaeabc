"""Compiled policies of the home game: fast twins of policies.py.

A policy's dice are splitmix64 numbers that start from a word of the deal and the turn, so that a
decision depends on nothing else.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.shuffle_kernel import philox_kernel
from ricochet_casino.games.home_poker.policies import (
    FEWEST,
    FIRST_PART,
    KEEP,
    POLICY_STREAM,
    STEP,
    TURNS,
)
from ricochet_casino.games.home_poker.table_arrays import (
    ALIVE,
    DEAL,
    END,
    HELD,
    INNER,
    LIMIT,
    LIVE,
    NET,
    NEXT,
    ORDERS,
    PLAYERS,
    PLAYOUTS,
    POT,
    RANDOM,
    SAMPLES,
    SEAT,
    STUB,
    TOLD,
    TURN,
    UNIT,
    WORDS,
)
from ricochet_casino.games.home_poker.table_kernel import (
    above,
    act,
    add_card,
    copy_hand,
    lowest,
    random_below,
    room,
    unseen_cards,
)

_RANDOM, _BUY_ONE, _BUY_MAXIMUM, _POT_ODDS, _LOOK_AHEAD = range(5)
_POLICIES = np.uint64(POLICY_STREAM)
_STEP = np.int64(STEP)
_0 = np.uint64(0)


@njit(cache=True, nogil=True, inline="always")
def _draw(s, place, number):  # type: ignore[no-untyped-def]
    """Exchange the card at a place of the stub with one of those from there on, and return it."""
    chosen = place + random_below(s, number - place)
    card = s[STUB + chosen]
    s[STUB + chosen] = s[STUB + place]
    s[STUB + place] = card
    return card


@njit(cache=True, nogil=True)
def pot_odds(s, trial, samples, orders):  # type: ignore[no-untyped-def]
    """Cards to buy by the chance to overtake, estimated by random draws; 0 to fold.

    The hand overtaken is taken for beaten and those still in for equals: k cards are worth
    ``chance * (pot + k) / (live hands - 1) - k``.
    """
    seat, most = s[SEAT], room(s, s[SEAT])
    copy_hand(s, trial)
    unseen = unseen_cards(s, trial, most)
    rival = lowest(s, s[PLAYERS], seat)
    held, word, order = s[HELD + seat], s[WORDS + seat], s[ORDERS + seat]
    # Hits with one card are counted in bits 0 to 9, with two cards in bits 10 to 19, and so on.
    hits = np.int64(0)
    for _ in range(samples):
        trial[HELD + seat], trial[WORDS + seat], trial[ORDERS + seat] = held, word, order
        for j in range(most):
            add_card(trial, seat, _draw(trial, j, unseen), orders)
            if above(trial, seat, rival):
                hits += np.int64(1) << (10 * j)
                break
    s[RANDOM] = trial[RANDOM]
    best, amount, reached = np.int64(0), np.int64(0), np.int64(0)
    others = s[ALIVE] - 1
    for k in range(1, most + 1):
        reached += hits >> (10 * (k - 1)) & 1023
        value = reached * (s[POT] + k * s[UNIT]) - k * s[UNIT] * samples * others
        if value > best:
            best, amount = value, np.int64(k)
    return amount


@njit(cache=True, nogil=True)
def cards_wanted(s):  # type: ignore[no-untyped-def]
    """Cards that all live hands together can still get."""
    wanted = np.int64(0)
    for seat in range(s[PLAYERS]):
        if s[LIVE + seat]:
            wanted += s[LIMIT] - s[HELD + seat]
    return wanted


@njit(cache=True, nogil=True)
def _played_out(s, rows, begin, amount, wanted, playout, trial, orders):  # type: ignore[no-untyped-def]
    """Buy so many cards in an imagined future, all going on by pot odds until the seat is done.

    Returns what it nets and what it pays, in units, from here on. The dice begin at `begin` and
    order the `wanted` cards first: the same ones in the same order, whatever is bought.
    """
    seat = s[SEAT]
    copy_hand(s, playout)
    playout[RANDOM], playout[DEAL], playout[TOLD] = begin, -1, -1
    unseen = unseen_cards(s, playout, 0)
    for j in range(min(wanted, unseen - 1)):
        _draw(playout, j, unseen)
    playout[NEXT], playout[END] = 0, s[END] - s[NEXT]
    paid, choice = np.int64(0), np.int64(amount)
    while playout[SEAT] >= 0 and playout[LIVE + seat]:
        if playout[TURN] > s[TURN]:
            choice = pot_odds(playout, trial, s[INNER], orders)
        if playout[SEAT] == seat:
            paid += choice * s[UNIT]
        act(playout, rows, choice, _0, orders)
    return playout[NET + seat] - s[NET + seat], paid


@njit(cache=True, nogil=True)
def playouts(  # type: ignore[no-untyped-def]
    s, rows, start, number, playout, trial, orders, totals
):
    """Play every purchase out, all going on by pot odds, and add up what it brings.

    Parameters
    ----------
    s
        The hand of play; it waits for an action.
    start, number
        State of the dice, and how many playouts.
    playout, trial
        (SIZE,) int64 each, work.
    totals
        (3 * 8,) int64, added to: by cards bought k, at k the net units of the seat from here on, at
        8 + k their squares, at 16 + k the units paid from here on.
    """
    most, wanted = room(s, s[SEAT]), cards_wanted(s)
    for i in range(number):
        begin = start + i * _STEP
        for amount in range(1, most + 1):
            net, paid = _played_out(s, rows, begin, amount, wanted, playout, trial, orders)
            totals[amount] += net
            totals[8 + amount] += net * net
            totals[16 + amount] += paid


@njit(cache=True, nogil=True)
def look_ahead(s, rows, playout, trial, orders, totals):  # type: ignore[no-untyped-def]
    """Cards to buy: by pot odds, unless another action gains on it in playouts; 0 to fold.

    Every other action is played out beside that of pot odds with the same cards and dice, and
    `totals` holds the sum of the gains (at k) and of their squares (at 8 + k). After each part of
    the playouts those that are clearly behind are given up, and the only one left is taken if it is
    clearly ahead; each part is as large as all before it.
    """
    start, most, wanted = s[RANDOM], room(s, s[SEAT]), cards_wanted(s)
    base = pot_odds(s, trial, s[SAMPLES], orders)
    totals[:] = 0
    rest = ((1 << (most + 1)) - 1) & ~(1 << base)
    best = base
    done, goal = np.int64(0), min(s[PLAYOUTS], max(FEWEST, s[PLAYOUTS] >> FIRST_PART))
    while rest and done < s[PLAYOUTS]:
        for i in range(done + 1, goal + 1):
            begin, net = start + i * _STEP, np.int64(0)
            if base > 0:
                net, _ = _played_out(s, rows, begin, base, wanted, playout, trial, orders)
            for k in range(most + 1):
                if rest >> k & 1:
                    gain = -net
                    if k > 0:
                        other, _ = _played_out(s, rows, begin, k, wanted, playout, trial, orders)
                        gain += other
                    totals[k] += gain
                    totals[8 + k] += gain * gain
        done, goal = goal, min(2 * goal, s[PLAYOUTS])
        best, sure = base, False
        for k in range(most + 1):
            if rest >> k & 1:
                gain = totals[k]
                clear = gain * gain >= KEEP * (totals[8 + k] - gain * gain // done)
                if gain <= 0 and clear:
                    rest &= ~(1 << k)
                elif gain > totals[best]:
                    best, sure = np.int64(k), clear
        if sure and rest == 1 << best:
            break
    return best


@njit(cache=True, nogil=True)
def choice(s, rows, policy, seed, orders, playout, trial, totals):  # type: ignore[no-untyped-def]
    """What a policy does for the seat to act."""
    most = room(s, s[SEAT])
    if policy == _BUY_ONE:
        return np.int64(1)
    if policy == _BUY_MAXIMUM:
        return most
    at = np.uint64(s[DEAL] * TURNS + s[TURN])
    s[RANDOM] = np.int64(philox_kernel(at, _0, seed, _POLICIES)[0])
    if policy == _RANDOM:
        return random_below(s, most + 1)
    if policy == _POT_ODDS:
        return pot_odds(s, trial, s[SAMPLES], orders)
    return look_ahead(s, rows, playout, trial, orders, totals)
