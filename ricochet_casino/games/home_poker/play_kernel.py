"""Bulk play of the home game, compiled: deals, hands of play, and what is counted of them."""

import numpy as np
from numba import njit

from ricochet_casino.cards.partial_tables import order_tables
from ricochet_casino.cards.shuffle_kernel import deal_kernel
from ricochet_casino.games.home_poker.policy_kernel import choice
from ricochet_casino.games.home_poker.table_arrays import (
    ACTIONS,
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
    FIRSTS,
    FOLDS,
    FULL,
    HANDS,
    HELD,
    LIVE,
    MOST_POT,
    NET,
    NETS,
    ORDERS,
    PLAYERS,
    POT,
    POTS,
    RESHUFFLES,
    SEAT,
    SHARED,
    SQUARES,
    TOLD,
    TURN,
    UNDEALT,
    UNIT,
    WINNERS,
)
from ricochet_casino.games.home_poker.table_kernel import act, open_hand

_JOKER_RANK, _FIRST_JOKER = 13, 52
_CATEGORIES = (order_tables().keys >> 20).astype(np.uint8)


@njit(cache=True, nogil=True)
def _play(s, rows, policies, seed, orders, playout, trial, totals):  # type: ignore[no-untyped-def]
    """Play an opened hand to its end."""
    while s[SEAT] >= 0:
        policy = policies[s[SEAT]]
        amount = choice(s, rows, policy, seed, orders, playout, trial, totals)
        act(s, rows, amount, seed, orders)


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


@njit(cache=True, nogil=True)
def duel_kernel(seed, stream, first, number, width, policy, base, work, sums):  # type: ignore[no-untyped-def]
    """Play deals twice: one seat, each in turn, by `policy` or by `base`, all others by `base`.

    Parameters
    ----------
    seed, stream, first, number, width, work
        As for `simulate_kernel`.
    policy, base
        Places in `policies.POLICIES`.
    sums
        (6,) int64, added to: what the seat nets more with the policy, its square, what it nets with
        the policy, its square, deals in which it nets more, and less.
    """
    s = work.hand
    totals, rows = np.zeros(24, dtype=np.int64), np.zeros((1, 1), dtype=np.int64)
    policies = np.full(8, base)
    batch = work.cards.size // width
    s[TOLD] = -1
    for begin in range(first, first + number, batch):
        cards = work.cards[: min(batch, first + number - begin) * width]
        deal_kernel(
            seed, stream, np.uint64(begin), np.uint64(width), work.accepted, work.factors,
            work.words, work.places, work.deck, cards,
        )  # fmt: skip
        for i in range(cards.size // width):
            s[DEAL] = begin + i
            seat = s[DEAL] % s[PLAYERS]
            nets = (np.int64(0), np.int64(0))
            for by in (base, policy):
                policies[seat] = by
                open_hand(s, rows, cards, i * width, width, work.orders)
                _play(s, rows, policies, seed, work.orders, work.playout, work.trial, totals)
                nets = (nets[1], s[NET + seat])
            policies[seat] = base
            gain = nets[1] - nets[0]
            sums[0] += gain
            sums[1] += gain * gain
            sums[2] += nets[1]
            sums[3] += nets[1] * nets[1]
            sums[4] += gain > 0
            sums[5] += gain < 0
