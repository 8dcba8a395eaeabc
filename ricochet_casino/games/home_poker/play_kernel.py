"""Compiled policies of the home game, and bulk play: fast twins of policies.py.

A policy's dice are splitmix64 numbers that start from a word of the deal and the turn, so that a
decision depends on nothing else.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.shuffle_kernel import deal_kernel, philox_kernel
from ricochet_casino.games.home_poker.table_arrays import (
    ALIVE,
    BEATEN,
    BOUGHT,
    BUYS,
    DEAL,
    END,
    FOLDS,
    FULL,
    HANDS,
    HELD,
    LIVE,
    NET,
    NEXT,
    ORDERS,
    POT,
    RANDOM,
    RESHUFFLES,
    SEAT,
    STUB,
    TOLD,
    TURN,
    UNDEALT,
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
_MOST_CHIPS = 255


@njit(cache=True, nogil=True)
def pot_odds(s, trial, samples, game, t):  # type: ignore[no-untyped-def]
    """Cards to buy by the chance to overtake, estimated by random draws; 0 to fold.

    The hand overtaken is taken for beaten and those still in for equals: k cards are worth
    ``chance * (pot + k) / (live hands - 1) - k``.
    """
    seat, most = s[SEAT], room(s, s[SEAT], game)
    copy_hand(s, trial)
    unseen = unseen_cards(s, trial, game)
    rival = lowest(s, game.players, seat)
    held, word, order = s[HELD + seat], s[WORDS + seat], s[ORDERS + seat]
    # Hits with one card are counted in bits 0 to 9, with two cards in bits 10 to 19, and so on.
    hits = np.int64(0)
    for _ in range(samples):
        trial[HELD + seat], trial[WORDS + seat], trial[ORDERS + seat] = held, word, order
        for j in range(most):
            chosen = j + random_below(trial, unseen - j)
            card = trial[STUB + chosen]
            trial[STUB + chosen] = trial[STUB + j]
            trial[STUB + j] = card
            add_card(trial, seat, card, t)
            if above(trial, seat, rival):
                hits += np.int64(1) << (10 * j)
                break
    s[RANDOM] = trial[RANDOM]
    best, amount, reached = np.int64(0), np.int64(0), np.int64(0)
    others = s[ALIVE] - 1
    for k in range(1, most + 1):
        reached += hits >> (10 * (k - 1)) & 1023
        value = reached * (s[POT] + k * game.unit) - k * game.unit * samples * others
        if value > best:
            best, amount = value, np.int64(k)
    return amount


@njit(cache=True, nogil=True)
def look_ahead(s, rows, playout, trial, game, t, totals):  # type: ignore[no-untyped-def]
    """Cards to buy by playing every purchase out many times, all going on by pot odds.

    ``totals[k]`` becomes the sum of the net results of k cards from here on, over the playouts.
    """
    seat, most, start = s[SEAT], room(s, s[SEAT], game), s[RANDOM]
    needed = np.int64(0)
    for other in range(game.players):
        if s[LIVE + other]:
            needed += game.limit - s[HELD + other]
    totals[:] = 0
    for i in range(game.playouts):
        begin = start + i * _STEP
        for amount in range(1, most + 1):
            copy_hand(s, playout)
            playout[RANDOM], playout[DEAL], playout[TOLD] = begin, -1, -1
            # The same cards come in the same order, whatever is bought.
            unseen = unseen_cards(s, playout, game)
            ready = min(needed, unseen - 1)
            for j in range(ready):
                chosen = j + random_below(playout, unseen - j)
                card = playout[STUB + chosen]
                playout[STUB + chosen] = playout[STUB + j]
                playout[STUB + j] = card
            playout[NEXT], playout[END] = 0, s[END] - s[NEXT]
            act(playout, rows, amount, _0, game, t)
            while playout[SEAT] >= 0:
                choice = pot_odds(playout, trial, game.inner, game, t)
                act(playout, rows, choice, _0, game, t)
            totals[amount] += playout[NET + seat] - s[NET + seat]
    best, amount = np.int64(0), np.int64(0)
    for k in range(1, most + 1):
        if totals[k] > best:
            best, amount = totals[k], np.int64(k)
    return amount


@njit(cache=True, nogil=True)
def _choice(s, rows, policy, seed, game, t, playout, trial, totals):  # type: ignore[no-untyped-def]
    """What a policy does for the seat to act."""
    most = room(s, s[SEAT], game)
    if policy == _BUY_ONE:
        return np.int64(1)
    if policy == _BUY_MAXIMUM:
        return most
    at = np.uint64(s[DEAL] * _TURNS + s[TURN])
    s[RANDOM] = np.int64(philox_kernel(at, _0, seed, _POLICIES)[0])
    if policy == _RANDOM:
        return random_below(s, most + 1)
    if policy == _POT_ODDS:
        return pot_odds(s, trial, game.samples, game, t)
    return look_ahead(s, rows, playout, trial, game, t, totals)


@njit(cache=True, nogil=True)
def _play(s, rows, policies, seed, game, t, playout, trial, totals):  # type: ignore[no-untyped-def]
    """Play an opened hand to its end."""
    while s[SEAT] >= 0:
        policy = policies[s[SEAT]]
        choice = _choice(s, rows, policy, seed, game, t, playout, trial, totals)
        act(s, rows, choice, seed, game, t)


@njit(cache=True, nogil=True)
def _count(s, game, t, sums):  # type: ignore[no-untyped-def]
    """Add a finished hand of play to the sums."""
    pot = np.int64(0)
    balance = s[POT]
    size = np.int64(0)
    for seat in range(game.players):
        net = s[NET + seat]
        balance += net
        sums.nets[seat] += net
        sums.squares[seat] += net * net
        card = s[HANDS + 7 * seat]
        won = s[LIVE + seat]
        if won:
            if s[WINNERS] == 1:
                sums.alone[seat] += 1
            else:
                sums.shared[seat] += 1
            sums.categories[t.categories[s[ORDERS + seat]]] += 1
            sums.sizes[s[HELD + seat]] += 1
            size = max(size, s[HELD + seat])
        if s[RESHUFFLES] == 0 or s[HELD + seat]:
            rank = card >> 2 if card < _FIRST_JOKER else _JOKER_RANK
            sums.firsts[4 * rank] += 1
            sums.firsts[4 * rank + 1] += net
            sums.firsts[4 * rank + 2] += net * net
            sums.firsts[4 * rank + 3] += won
    sums.broken[0] += balance != 0
    pot = game.players * game.ante + (s[BOUGHT] + s[UNDEALT]) * game.unit
    sums.totals[0] += pot
    sums.totals[1] += pot * pot
    sums.totals[2] += s[TURN]
    sums.totals[3] += s[TURN] * s[TURN]
    sums.totals[4] += s[BUYS]
    sums.totals[5] += s[BOUGHT]
    sums.totals[6] += s[UNDEALT]
    sums.totals[7] += s[FOLDS]
    sums.totals[8] += s[BEATEN]
    sums.totals[9] += s[FULL]
    sums.totals[10] += s[RESHUFFLES]
    sums.actions[s[TURN]] += 1
    sums.pots[min(pot // game.unit, _MOST_CHIPS)] += 1
    sums.winners[s[WINNERS]] += 1


@njit(cache=True, nogil=True)
def decks_kernel(  # type: ignore[no-untyped-def]
    cards, width, seed, first, policies, game, t, work, rows, counts, sums
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
    game, t, work, sums
        As documented there.
    rows, counts
        (N, E, COLUMNS) int64 and (N,) int64: events and how many; N may be 0 for none.
    """
    s = work.hand
    totals = np.zeros(8, dtype=np.int64)
    nothing = np.zeros((1, 1), dtype=np.int64)
    for i in range(cards.size // width):
        s[DEAL] = first + i
        if counts.size:
            told = rows[i]
            s[TOLD] = 0
        else:
            told = nothing
            s[TOLD] = -1
        open_hand(s, told, cards, i * width, width, game, t)
        _play(s, told, policies, seed, game, t, work.playout, work.trial, totals)
        if counts.size:
            counts[i] = s[TOLD]
        _count(s, game, t, sums)


@njit(cache=True, nogil=True)
def simulate_kernel(  # type: ignore[no-untyped-def]
    seed, stream, first, number, width, policies, game, t, work, rows, counts, sums
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
            seed, stream, np.uint64(first + done), np.uint64(width), t.accepted, t.factors,
            work.words, work.places, work.deck, cards,
        )  # fmt: skip
        decks_kernel(
            cards, width, seed, first + done, policies, game, t, work, rows, counts, sums
        )
        done += some
