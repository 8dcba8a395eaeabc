"""Compiled policies of the home game, and bulk play: fast twins of policies.py.

A policy's dice are splitmix64 numbers that start from a word of the deal and the turn, so that a
decision depends on nothing else.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.partial_tables import order_tables
from ricochet_casino.cards.shuffle_kernel import deal_kernel, philox_kernel
from ricochet_casino.games.home_poker.table_arrays import (
    ACTIONS,
    ALIVE,
    ALL,
    ALONE,
    ANTE,
    BEATEN,
    BOUGHT,
    BROKEN,
    BUYS,
    BY_CATEGORY,
    BY_SIZE,
    BY_WINNERS,
    DEAL,
    END,
    FIRSTS,
    FOLDS,
    FULL,
    HANDS,
    HELD,
    INNER,
    LIMIT,
    LIVE,
    MOST_POT,
    NET,
    NETS,
    NEXT,
    ORDERS,
    PLAYERS,
    PLAYOUTS,
    POT,
    POTS,
    RANDOM,
    RESHUFFLES,
    SAMPLES,
    SEAT,
    SHARED,
    SQUARES,
    STUB,
    TOLD,
    TURN,
    UNDEALT,
    UNIT,
    WINNERS,
    WORDS,
)
from ricochet_casino.games.home_poker.table_kernel import (
    above,
    act,
    add_card,
    copy_hand,
    lowest,
    open_hand,
    random_below,
    room,
    unseen_cards,
)

_RANDOM, _BUY_ONE, _BUY_MAXIMUM, _POT_ODDS, _LOOK_AHEAD = range(5)
POLICY_STREAM = 21
_POLICIES = np.uint64(POLICY_STREAM)
_STEP = np.int64(0x5851F42D4C957F2D)
_TURNS = 64
_0 = np.uint64(0)
_JOKER_RANK, _FIRST_JOKER = 13, 52
_CATEGORIES = (order_tables().keys >> 20).astype(np.uint8)


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
def playouts(  # type: ignore[no-untyped-def]
    s, rows, start, first, number, playout, trial, orders, totals
):
    """Play every purchase out, all going on by pot odds, and add up what it brings.

    Parameters
    ----------
    s
        The hand of play; it waits for an action.
    start, first, number
        State of the dice, and which playouts.
    playout, trial
        (SIZE,) int64 each, work.
    totals
        (3 * 8,) int64, added to: by cards bought k, at k the net units of the seat from here on, at
        8 + k their squares, at 16 + k the units paid from here on.
    """
    seat, most = s[SEAT], room(s, s[SEAT])
    needed = np.int64(0)
    for other in range(s[PLAYERS]):
        if s[LIVE + other]:
            needed += s[LIMIT] - s[HELD + other]
    for i in range(first, first + number):
        begin = start + i * _STEP
        for amount in range(1, most + 1):
            copy_hand(s, playout)
            playout[RANDOM], playout[DEAL], playout[TOLD] = begin, -1, -1
            # The same cards come in the same order, whatever is bought.
            unseen = unseen_cards(s, playout, 0)
            for j in range(min(needed, unseen - 1)):
                _draw(playout, j, unseen)
            playout[NEXT], playout[END] = 0, s[END] - s[NEXT]
            paid, choice = np.int64(0), np.int64(amount)
            while playout[SEAT] >= 0:
                if playout[TURN] > s[TURN]:
                    choice = pot_odds(playout, trial, s[INNER], orders)
                if playout[SEAT] == seat:
                    paid += choice * s[UNIT]
                act(playout, rows, choice, _0, orders)
            net = playout[NET + seat] - s[NET + seat]
            totals[amount] += net
            totals[8 + amount] += net * net
            totals[16 + amount] += paid


@njit(cache=True, nogil=True)
def look_ahead(s, rows, playout, trial, orders, totals):  # type: ignore[no-untyped-def]
    """Cards to buy by playing every purchase out many times; 0 to fold."""
    totals[:] = 0
    playouts(s, rows, s[RANDOM], 0, s[PLAYOUTS], playout, trial, orders, totals)
    best, amount = np.int64(0), np.int64(0)
    for k in range(1, room(s, s[SEAT]) + 1):
        if totals[k] > best:
            best, amount = totals[k], np.int64(k)
    return amount


@njit(cache=True, nogil=True)
def _choice(s, rows, policy, seed, orders, playout, trial, totals):  # type: ignore[no-untyped-def]
    """What a policy does for the seat to act."""
    most = room(s, s[SEAT])
    if policy == _BUY_ONE:
        return np.int64(1)
    if policy == _BUY_MAXIMUM:
        return most
    at = np.uint64(s[DEAL] * _TURNS + s[TURN])
    s[RANDOM] = np.int64(philox_kernel(at, _0, seed, _POLICIES)[0])
    if policy == _RANDOM:
        return random_below(s, most + 1)
    if policy == _POT_ODDS:
        return pot_odds(s, trial, s[SAMPLES], orders)
    return look_ahead(s, rows, playout, trial, orders, totals)


@njit(cache=True, nogil=True)
def _play(s, rows, policies, seed, orders, playout, trial, totals):  # type: ignore[no-untyped-def]
    """Play an opened hand to its end."""
    while s[SEAT] >= 0:
        policy = policies[s[SEAT]]
        choice = _choice(s, rows, policy, seed, orders, playout, trial, totals)
        act(s, rows, choice, seed, orders)


@njit(cache=True, nogil=True)
def _count(s, sums):  # type: ignore[no-untyped-def]
    """Add a finished hand of play to the sums."""
    balance = s[POT]
    for seat in range(s[PLAYERS]):
        net = s[NET + seat]
        balance += net
        sums[NETS + seat] += net
        sums[SQUARES + seat] += net * net
        won = s[LIVE + seat]
        if won:
            if s[WINNERS] == 1:
                sums[ALONE + seat] += 1
            else:
                sums[SHARED + seat] += 1
            sums[BY_CATEGORY + _CATEGORIES[s[ORDERS + seat]]] += 1
            sums[BY_SIZE + s[HELD + seat]] += 1
    sums[BROKEN] += balance != 0
    # One seat of each deal, in turn, so that what is counted by first card is independent.
    seat = s[DEAL] % s[PLAYERS]
    card, net = s[HANDS + 7 * seat], s[NET + seat]
    first = FIRSTS + 4 * (card >> 2 if card < _FIRST_JOKER else _JOKER_RANK)
    sums[first] += 1
    sums[first + 1] += net
    sums[first + 2] += net * net
    sums[first + 3] += s[LIVE + seat]
    pot = s[PLAYERS] * s[ANTE] + (s[BOUGHT] + s[UNDEALT]) * s[UNIT]
    sums[ALL + 0] += pot
    sums[ALL + 1] += pot * pot
    sums[ALL + 2] += s[TURN]
    sums[ALL + 3] += s[TURN] * s[TURN]
    sums[ALL + 4] += s[BUYS]
    sums[ALL + 5] += s[BOUGHT]
    sums[ALL + 6] += s[UNDEALT]
    sums[ALL + 7] += s[FOLDS]
    sums[ALL + 8] += s[BEATEN]
    sums[ALL + 9] += s[FULL]
    sums[ALL + 10] += s[RESHUFFLES]
    sums[ACTIONS + s[TURN]] += 1
    sums[POTS + min(pot // s[UNIT], MOST_POT)] += 1
    sums[BY_WINNERS + s[WINNERS]] += 1


@njit(cache=True, nogil=True)
def decks_kernel(  # type: ignore[no-untyped-def]
    cards, width, seed, first, policies, work, rows, counts, sums
):
    """Play deals whose cards are there.

    Parameters
    ----------
    cards, width
        (N * width,) uint8.
    seed, first
        uint64 and int64: of the policies' dice and reshuffles, and number of the first deal.
    policies
        (8,) int64 by seat: place in `policies.POLICIES`.
    work
        As documented there.
    sums
        (SUMS,) int64.
    rows, counts
        (N, E, COLUMNS) int64 and (N,) int64: events and how many; N may be 0 for none.
    """
    s, playout, trial, orders = work.hand, work.playout, work.trial, work.orders
    totals = np.zeros(24, dtype=np.int64)
    nothing = np.zeros((1, 1), dtype=np.int64)
    for i in range(cards.size // width):
        s[DEAL] = first + i
        if counts.size:
            told = rows[i]
            s[TOLD] = 0
        else:
            told = nothing
            s[TOLD] = -1
        open_hand(s, told, cards, i * width, width, orders)
        _play(s, told, policies, seed, orders, playout, trial, totals)
        if counts.size:
            counts[i] = s[TOLD]
        _count(s, sums)


@njit(cache=True, nogil=True)
def simulate_kernel(  # type: ignore[no-untyped-def]
    seed, stream, first, number, width, policies, work, rows, counts, sums
):
    """Play deals `first` to ``first + number - 1`` of a stream and add them to the sums.

    `work.cards` holds a batch; `rows` and `counts` are empty. All numbers are int64 but `seed` and
    `stream`, uint64.
    """
    batch = work.cards.size // width
    done = 0
    while done < number:
        some = min(batch, number - done)
        cards = work.cards[: some * width]
        deal_kernel(
            seed, stream, np.uint64(first + done), np.uint64(width), work.accepted, work.factors,
            work.words, work.places, work.deck, cards,
        )  # fmt: skip
        decks_kernel(cards, width, seed, first + done, policies, work, rows, counts, sums)
        done += some
