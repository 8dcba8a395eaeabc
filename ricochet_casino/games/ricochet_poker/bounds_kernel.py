"""Compiled bounds of the collective optimum from above: players who see coming cards, penalised.

While the dealer stands, the state of a deal with a given order of the stub is (player to act, plays
so far), because every play takes the next three cards. `bound_kernel` works out what each play is
worth at each of these nodes, net of a penalty whose mean is zero before the cards are seen; the
best sequence bounds the optimum from above on average, the policy's own sequence is the policy.
With two players left both are exact. Derivation: docs/math.md, section 10.

The kernels trust their arguments; the layouts stand in table_arrays.py.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.shuffle_kernel import philox_kernel
from ricochet_casino.games.ricochet_poker.simulation_kernel import class_of
from ricochet_casino.games.ricochet_poker.table_choice_kernel import (
    group_gain_kernel,
    refresh_kernel,
)
from ricochet_casino.games.ricochet_poker.table_kernel import (
    lay_out_kernel,
    put_back_kernel,
    slope_kernel,
    take_kernel,
)
from ricochet_casino.games.ricochet_poker.table_odds_kernel import (
    cards_kernel,
    choose3,
    is_worth,
    pair_pots_kernel,
    ways_kernel,
)

_0, _1 = np.uint64(0), np.uint64(1)
_SCALE = 4294967296.0  # 2^32


@njit(cache=True, nogil=True)
def forecast_kernel(first, pot, to_beat, game, work, values):  # type: ignore[no-untyped-def]
    """What the group expects from each player on, from the cards that can come now.

    Parameters
    ----------
    first
        Place of the next player to act.
    pot, to_beat
        Units in the pot; the dealer's class.
    game, work
        As documented there; fills `work.odds` from `first` on.
    values
        (9, 9) float64, filled: by place and plays made since; exact for the last two (8.3), for
        those before by (9.2).
    """
    players, bet, odds = game.players, game.play_bet, work.odds
    refresh_kernel(first, to_beat, game, work)
    total = float(choose3(work.size))
    _last_two(first, pot, to_beat, game, work, values)
    later = (odds[players - 1, 2] + odds[players - 2, 2]) / total
    for j in range(players - 3, first - 1, -1):
        chance, bonus = odds[j, 0] / total, odds[j, 2] / total
        for m in range(j - first + 1):
            stake = pot + (m + 1) * bet
            play = bonus - bet + chance * (stake + later)
            play += (1.0 - chance) * values[j + 1, m + 1]
            values[j, m] = max(play, values[j + 1, m])
        later += bonus


@njit(cache=True, nogil=True)
def _last_two(first, pot, to_beat, game, work, values):  # type: ignore[no-untyped-def]
    """Exact values with two players left, and with one, after 0, 1, ... more plays."""
    one, two = game.players - 1, game.players - 2
    bet, odds, out = game.play_bet, work.odds, work.pots_out
    total, replies = choose3(work.size), choose3(work.size - 3)
    pots = max(two - first, 0) + 1
    for m in range(pots + 1):
        gain = odds[one, 0] * (pot + (m + 1) * bet) - bet * total + odds[one, 2]
        values[one, m] = max(float(gain) / total, 0.0)
    if first > two:
        return
    pair_pots_kernel(
        work.holes[two, 0], work.holes[two, 1], work.holes[one, 0], work.holes[one, 1], to_beat,
        pot, bet, pots, work,
    )  # fmt: skip
    pairs = float(total) * float(replies)
    for m in range(pots):
        stake, wins = pot + m * bet, out[m, 0]
        play = (stake * wins - bet * (total - wins) - bet * out[m, 1]) * replies
        play += (stake + 2 * bet) * out[m, 2] + out[m, 3] + out[m, 4] + odds[two, 2] * replies
        values[two, m] = max(float(play) / pairs, values[one, m])


@njit(cache=True, nogil=True)
def _slopes(turn, pot, game, work, values):  # type: ignore[no-untyped-def]
    """First-order control of the draw of `turn`: its mean, in chips of the game's unit (9.4).

    Leaves what each card adds to a loss in `work.card_slopes`; the odds of all who wait, and the
    completions that hold a card, are there.
    """
    players, odds, bet, slopes = game.players, work.odds, game.play_bet, work.slopes
    total = choose3(work.size)
    whole, rest = float(total), float(choose3(work.size - 3))
    later = 0.0
    for j in range(turn + 1, players):
        later += odds[j, 2] / whole
    # Bounds on all of these bound the gap, which its interval relies on.
    most = float(pot + bet)
    won = min(most + later, 1.25 * most)
    lost = max(0.0, min(values[turn + 1, 1], won))
    weight, made = 1.0, 1
    for j in range(turn + 1, players):
        later -= odds[j, 2] / whole
        chance, bonus = odds[j, 0] / whole, odds[j, 2] / whole
        slopes[j] = 0.0
        stake = pot + (made + 1) * bet
        play = bonus - bet + chance * (stake + later) + (1.0 - chance) * values[j + 1, made + 1]
        if play >= values[j + 1, made]:
            slopes[j] = weight * (stake + later - values[j + 1, made + 1])
            weight *= 1.0 - chance
            made += 1
    mean = odds[turn, 0] * won + (total - odds[turn, 0]) * lost
    for suit in range(4):
        for rank in range(13):
            if work.suits[suit] >> rank & 1 == 0:
                continue
            slope, losing = slope_kernel(turn, rank, suit, most, rest, game, work)
            work.card_slopes[turn, 4 * rank + suit] = slope
            mean += slope * losing
    work.first_won[turn], work.first_lost[turn] = won, lost
    return mean / whole


@njit(cache=True, nogil=True)
def _reaches(place, at, to_beat, work):  # type: ignore[no-untyped-def]
    """Whether three cards from a place of `work.cards` on complete a player up to the dealer."""
    found = class_of(
        work.cards, np.uint64(2 * work.order[place]), np.uint64(at), work.words, work.five,
        work.flushes,
    )  # fmt: skip
    return np.int64(found) >= to_beat


@njit(cache=True, nogil=True)
def _after(turn, won, pot, game, work, values):  # type: ignore[no-untyped-def]
    """What the group expects after the draw of `turn`, which has beaten the dealer or not.

    The odds of all who wait, and `values`, are those after the draw, with the bet in the pot.
    """
    if not won:
        return values[turn + 1, 0]
    total = float(choose3(work.size))
    later = 0.0
    for j in range(turn + 1, game.players):
        later += work.odds[j, 2] / total
    return pot + later


@njit(cache=True, nogil=True)
def _first_order(turn, at, won, work):  # type: ignore[no-untyped-def]
    """The first-order control of the same draw, whose cards begin at a place of the deck."""
    if won:
        return work.first_won[turn]
    found = work.first_lost[turn]
    for place in range(at, at + 3):
        found += work.card_slopes[turn, work.cards[place]]
    return found


@njit(cache=True, nogil=True)
def _penalty(near, pot, after):  # type: ignore[no-untyped-def]
    """What the draw is taken to be worth: as found after it, but near the first-order control."""
    return near + max(-pot / 4.0, min(after - near, pot / 4.0))


@njit(cache=True, nogil=True)
def _draw_inner(seed, stream, block, accepted, at, work):  # type: ignore[no-untyped-def]
    """Put three random cards of the stub at a place of the deck, by a counter of their own."""
    n = 0
    for suit in range(4):
        for rank in range(13):
            if work.suits[suit] >> rank & 1:
                work.stub_cards[n] = 4 * rank + suit
                n += 1
    attempt = _0
    drawn = 0
    while drawn < 3:
        words = philox_kernel(block, attempt, seed, stream)
        for word in words:
            left = np.uint64(n - drawn)
            if drawn == 3 or word > accepted[left]:
                continue
            place = drawn + np.int64(word % left)
            card = work.stub_cards[place]
            work.stub_cards[place] = work.stub_cards[drawn]
            work.cards[at + drawn] = card
            drawn += 1
        attempt += _1


@njit(cache=True, nogil=True)
def node_kernel(dealer_class, game, work, inner, seed, stream, deal, accepted):  # type: ignore[no-untyped-def]
    """What a play is worth at each node, net of its penalty (10.2), and what the policy does there.

    Parameters
    ----------
    dealer_class
        The dealer's class; she stands.
    game, work
        As documented there; cards and order of action are in `work`.
    inner
        Independent draws for the mean of a penalty.
    seed, stream, deal
        uint64: name the counters of those draws.
    accepted
        `shuffle_kernel.modulus_tables`.

    Notes
    -----
    Fills by place and plays made before (9, 9): `work.node_play`, what a play is worth net of its
    penalty, apart from what comes after a loss; `work.node_chosen`, 1 where the policy plays;
    `work.node_wins`, 1 where the cards that would come beat the dealer. `work.node_end`: what is
    expected with two players left, by plays made before.
    """
    players, bet = game.players, game.play_bet
    spare = 5 * players + 5  # behind the deal: room for the draws of inner samples
    lay_out_kernel(game, work)
    pot, draw = players * game.ante + game.dealer_ante, 2 * players + 5
    for m in range(players - 1):
        ways_kernel(work)
        forecast_kernel(m, pot, dealer_class, game, work, work.forecast)
        work.node_end[m] = work.forecast[players - 2, 0]
        for i in range(m - 1 if m else players, players - 2):  # the draw that led here, if any
            won = _reaches(i, draw - 3, dealer_class, work)
            after = _after(i, won, pot, game, work, work.forecast)
            near = _first_order(i, draw - 3, won, work)
            work.node_wins[i, m - 1] = won
            work.node_play[i, m - 1] -= _penalty(near, pot, after)
            work.node_play[i, m - 1] += after if won else 0.0
        if m > players - 3:
            break
        for j in range(m, players):
            cards_kernel(
                work.holes[j, 0], work.holes[j, 1], dealer_class, work, work.by_rank[j],
                work.by_suit[j],
            )  # fmt: skip
        total = float(choose3(work.size))
        for i in range(m, players - 2):
            gain = group_gain_kernel(work.odds, i, work.size, pot, game, True, work.values)
            work.node_chosen[i, m] = is_worth(gain, game.if_equal)
            mean = _slopes(i, pot, game, work, work.forecast)
            work.node_play[i, m] = work.odds[i, 2] / total - bet + mean
        pot += bet
        _inner(m, pot, dealer_class, game, work, inner, seed, stream, deal, accepted, spare)
        take_kernel(draw, draw + 3, work)
        draw += 3


@njit(cache=True, nogil=True)
def _inner(m, pot, to_beat, game, work, inner, seed, stream, deal, accepted, spare):  # type: ignore[no-untyped-def]
    """Add to each play what its control misses on average, by independent draws."""
    players = game.players
    for n in range(inner):
        block = (deal * np.uint64(8) + np.uint64(m)) * np.uint64(inner) + np.uint64(n)
        _draw_inner(seed, stream, block, accepted, spare, work)
        take_kernel(spare, spare + 3, work)
        ways_kernel(work)
        forecast_kernel(m + 1, pot, to_beat, game, work, work.inner_values)
        for i in range(m, players - 2):
            won = _reaches(i, spare, to_beat, work)
            after = _after(i, won, pot, game, work, work.inner_values)
            near = _first_order(i, spare, won, work)
            work.node_play[i, m] += (_penalty(near, pot, after) - near) / inner
        put_back_kernel(spare, spare + 3, work)


@njit(cache=True, nogil=True)
def bound_kernel(game, work):  # type: ignore[no-untyped-def]
    """Best sequence, and the policy's own, from the nodes: both in chips (10.3)."""
    last = game.players - 2
    best, own = work.node_best, work.node_own
    for m in range(last + 1):
        best[last, m] = own[last, m] = work.node_end[m]
    for i in range(last - 1, -1, -1):
        for m in range(i + 1):
            play = policy = work.node_play[i, m]
            if not work.node_wins[i, m]:
                play += best[i + 1, m + 1]
                policy += own[i + 1, m + 1]
            best[i, m] = max(play, best[i + 1, m])
            own[i, m] = policy if work.node_chosen[i, m] else own[i + 1, m]
    return best[0, 0], own[0, 0]


@njit(cache=True, nogil=True)
def gap_kernel(number, first, game, work, rounds, inner, seed, stream, accepted, gaps, values):  # type: ignore[no-untyped-def]
    """Gap and policy value of a batch of deals, in 1/2^32 unit; both 0 with the dealer kicked out.

    Parameters
    ----------
    number, first
        Deals, and the number of the first (uint64).
    game, work, rounds
        As documented there; cards, classes and orders of the batch are in `rounds`.
    inner, seed, stream, accepted
        As in `node_kernel`.
    gaps, values
        (N,) int64, filled: how much more the best sequence brings than the policy's, and that.
    """
    players = game.players
    width = 5 + 5 * players
    for at in range(number):
        dealer_class = np.int64(rounds.dealer_class[at])
        gaps[at] = values[at] = 0
        if dealer_class >= game.kickout_class:
            continue
        work.cards[:width] = rounds.cards[at * width : (at + 1) * width]
        work.order[:players] = rounds.order[at * players : (at + 1) * players]
        node_kernel(dealer_class, game, work, inner, seed, stream, first + np.uint64(at), accepted)
        best, own = bound_kernel(game, work)
        values[at] = np.int64(own * _SCALE)
        gaps[at] = np.int64(best * _SCALE) - values[at]
