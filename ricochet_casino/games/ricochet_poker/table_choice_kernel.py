"""Compiled decisions at a table: the fast twin of multiplayer.py and self_interest.py.

With three or more players left to act a decision weighs the chances that all of them have from the
cards that can come now, as if their draws were independent; with two or one it is exact. The
definitions stand in docs/math.md, sections 8 and 9; everything is whole numbers, so that both twins
agree to the last bit. The kernels trust their arguments; the layouts stand in table_arrays.py.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards import additive
from ricochet_casino.games.ricochet_poker.table_odds_kernel import (
    choose3,
    is_worth,
    odds_kernel,
    pair_kernel,
)
from ricochet_casino.games.ricochet_poker.two_players_kernel import (
    classes_kernel,
    falling_kernel,
    individual_kernel,
)

SCALE = 1 << 20
"""Values of decisions with three or more players left are in units of 1/SCALE unit."""
_FREE, _MAY_PLAY = 0, 1  # places in simulation_tables.LAST_HANDS
_COLLECTIVE, _POT_ONLY, _INDIVIDUAL, _POT_ODDS, _LIMITS = range(5)  # as table_arrays.MODES
_NOBODY = -1
_START = np.uint64(additive.START)


@njit(cache=True, nogil=True)
def group_gain_kernel(odds, turn, size, pot, game, with_bonus, values):  # type: ignore[no-untyped-def]
    """Gain by playing, for the group, against a standing dealer (9.2).

    Parameters
    ----------
    odds
        (K, 5) int64 by place in the order of action, from `odds_kernel`.
    turn
        Place of the player to act.
    size
        Cards that can come.
    pot
        Units in the pot.
    game
        The rules as numbers.
    with_bonus
        Whether bonuses count.
    values
        (K + 1, K + 1) int64, filled: by place and plays made since.
    """
    players = game.players
    total = choose3(size)
    bet, later, gain = game.play_bet, 0, 0
    values[players, :] = 0
    for j in range(players - 1, turn - 1, -1):
        reach = odds[j, 0]
        bonus = odds[j, 2] if with_bonus else 0
        for m in range(j - turn + 1):
            won = SCALE * (pot + (m + 1) * bet) + later * SCALE // total
            play = reach * won + (total - reach) * values[j + 1, m + 1]
            play = bonus * SCALE // total + play // total - bet * SCALE
            fold = values[j + 1, m]
            gain = play - fold
            values[j, m] = play if is_worth(gain, game.if_equal) else fold
        later += bonus
    return gain  # of m = 0 at `turn`, the last one looked at


@njit(cache=True, nogil=True)
def _level_counts(pair, suit, work, row):  # type: ignore[no-untyped-def]
    """Completions by level."""
    level_of = work.level_of
    row[:] = 0
    for q in range(work.length[pair]):
        row[level_of[work.classes[pair, q]]] += work.ways[work.triples[pair, q]]
    if suit >= 0:
        gone = ~work.suits[suit]
        for q in range(work.suit_length[pair]):
            if work.masks[pair, q] & gone == 0:
                row[level_of[work.flush[pair, q]]] += 1
                row[level_of[work.plain[pair, q]]] -= 1


@njit(cache=True, nogil=True)
def _hold_kernel(turn, size, pot, game, work):  # type: ignore[no-untyped-def]
    """What a player who now takes the lead is worth, by level, in `work.holds[turn + 1, 1]`."""
    players = game.players
    total, bet, holds = choose3(size), game.play_bet, work.holds
    for m in range(players - turn + 1):
        holds[players, m, :] = SCALE * (pot + m * bet)
    for j in range(players - 1, turn, -1):
        counts = work.level_counts[j]
        _level_counts(work.holes[j, 0], work.holes[j, 1], work, counts)
        price = work.odds[j, 2] * SCALE // total - bet * SCALE
        for m in range(1, j - turn + 1):
            above, below = 0, total
            for level in range(counts.size - 1, -1, -1):
                here = counts[level]
                below -= here
                after = here * holds[j + 1, m + 1, level]
                gain = (above + after // 2) // total + price
                above += after
                if is_worth(gain, game.if_equal):
                    kept = (2 * below + here) * holds[j + 1, m + 1, level]
                    holds[j, m, level] = kept // (2 * total)
                else:
                    holds[j, m, level] = holds[j + 1, m, level]


@njit(cache=True, nogil=True)
def own_gain_kernel(  # type: ignore[no-untyped-def]
    turn, size, pot, to_beat, n_leaders, game, work
):
    """Gain by playing, for the player himself, with three or more left to act (9.3).

    Parameters
    ----------
    turn, size, pot
        As in `group_gain_kernel`.
    to_beat
        Class of the live five-card hands, -1 if there is none.
    n_leaders
        How many players hold them.
    game, work
        As documented there; the odds of all who wait are in `work.odds`.
    """
    _hold_kernel(turn, size, pot, game, work)
    total, held = choose3(size), work.holds[turn + 1, 1]
    pair, suit, level_of = work.holes[turn, 0], work.holes[turn, 1], work.level_of
    least = to_beat + 1 if n_leaders else to_beat
    won = level = 0
    for q in range(work.length[pair]):
        hand_class = work.classes[pair, q]
        if hand_class < least:
            break
        won += work.ways[work.triples[pair, q]] * held[level_of[hand_class]]
    if suit >= 0:
        gone = ~work.suits[suit]
        for q in range(work.suit_length[pair]):
            if work.masks[pair, q] & gone == 0:
                flush, plain = work.flush[pair, q], work.plain[pair, q]
                won += held[level_of[flush]] if flush >= least else 0
                won -= held[level_of[plain]] if plain >= least else 0
    if n_leaders:
        level = level_of[to_beat]
        ties = work.odds[turn, 0] - work.odds[turn, 1]
        won += ties * held[level] // (n_leaders + 1)
    return won // total + work.odds[turn, 2] * SCALE // total - game.play_bet * SCALE


@njit(cache=True, nogil=True)
def _share(pot, sharing, place):  # type: ignore[no-untyped-def]
    """Units of one of those who tie: odd coins go to those who acted last (A8)."""
    return pot // sharing + int(place >= sharing - pot % sharing)


@njit(cache=True, nogil=True)
def _own_pair(turn, size, pot, to_beat, n_leaders, game, work):  # type: ignore[no-untyped-def]
    """The same for the first of the last two, exactly (8.5)."""
    total, replies = choose3(size), choose3(size - 3)
    bet, place = game.play_bet, 0
    for card in range(52):
        if work.suits[card & 3] >> (card >> 2) & 1:
            place += 1
            work.stub_words[place] = work.words[card]
    begin = work.place_start[size]
    places = work.places[begin : begin + total]
    for one in range(2):
        a, b = work.holes[turn + one, 2], work.holes[turn + one, 3]
        work.stub_words[0] = _START + work.words[a] + work.words[b]
        classes = work.pair_classes[one]
        classes_kernel(work.stub_words, places, work.five, work.flushes, classes[:total])
        falling_kernel(classes[:total], work.starts, work.pair_orders[one])
    sums = 1 + size + size * (size - 1) // 2
    work.pair_reach[:sums] = 0
    work.pair_earned[:sums] = 0
    after = pot + 2 * bet
    work.ties[0] = _share(after, 2, 1)
    work.ties[1] = _share(after, n_leaders + 2, n_leaders + 1)
    individual_kernel(
        work.pair_classes[0][:total], work.pair_classes[1][:total], max(to_beat, 0), n_leaders > 0,
        work.pays, places, after, work.ties, bet * replies, game.if_equal, work.pair_orders[0],
        work.pair_orders[1], work.pair_reach, work.pair_earned, work.pair_above, work.pair_out,
    )  # fmt: skip
    won = 0
    for row in range(2):
        sharing = n_leaders * row + 1
        leads, folds, beaten, ties = work.pair_out[row]
        ahead = (leads - folds) * replies - beaten - ties
        won += folds * replies * _share(pot + bet, sharing, sharing - 1)
        won += ahead * _share(after, sharing, sharing - 1)
        won += ties * _share(after, sharing + 1, sharing - 1)
    return won - bet * total * replies + work.odds[turn, 2] * replies


@njit(cache=True, nogil=True)
def group_pair_kernel(turn, size, pot, to_beat, game, with_bonus, work):  # type: ignore[no-untyped-def]
    """Gain of the first of the last two against a standing dealer, who act for the group (8.3).

    In units times pairs of completions; what play and fold are worth, bonuses included, is left
    in `work.worth`.
    """
    total, replies, bet = choose3(size), choose3(size - 3), game.play_bet
    odds, out = work.odds, work.out
    extra = odds[turn + 1, 2]
    single = odds[turn + 1, 0] * (pot + bet) - bet * total
    takes = is_worth(single + extra if with_bonus else single, game.if_equal)
    fold_pot = single * replies if takes else 0
    fold_bonus = extra * replies if takes else 0
    pair_kernel(
        work.holes[turn, 0], work.holes[turn, 1], work.holes[turn + 1, 0], work.holes[turn + 1, 1],
        to_beat, pot + 2 * bet, bet * replies, with_bonus, game.if_equal, work, out,
    )  # fmt: skip
    first_wins, plays, won, earned, after_win = out[0], out[1], out[2], out[3], out[4]
    play_pot = (pot * first_wins - bet * (total - first_wins) - bet * plays) * replies
    play_pot += (pot + 2 * bet) * won
    free = is_worth(extra if with_bonus else 0, game.if_equal)
    play_bonus = odds[turn, 2] * replies + earned + (after_win if free else 0)
    gain = play_pot - fold_pot
    if with_bonus:
        gain += play_bonus - fold_bonus
    work.worth[0], work.worth[1] = play_pot + play_bonus, fold_pot + fold_bonus
    return gain


@njit(cache=True, nogil=True)
def decide_kernel(  # type: ignore[no-untyped-def]
    mode, limit, turn, size, pot, to_beat, n_leaders, dealer_in, alone, game, work
):  # fmt: skip
    """Whether the player to act plays; the odds of all who wait are in `work.odds`.

    Parameters
    ----------
    mode, limit
        Number of the strategy; for a table, class below which the best live hand must be.
    turn, size, pot, to_beat, n_leaders
        As above.
    dealer_in, alone
        The dealer's hand is live; nobody else is left.
    game, work
        As documented there.
    """
    odds, total, bet, if_equal = work.odds, choose3(size), game.play_bet, game.if_equal
    reach, above, bonus = odds[turn, 0], odds[turn, 1], odds[turn, 2]
    waiting = game.players - turn
    if mode == _LIMITS:
        return to_beat < limit
    if mode == _POT_ODDS:
        if dealer_in or to_beat == _NOBODY:
            return is_worth(reach * (pot + bet) - bet * total, if_equal)
        own = (n_leaders + 1) * (above * (pot + bet) - bet * total)
        return is_worth(own + (reach - above) * (pot + bet), if_equal)
    if alone:
        return is_worth(0 if mode == _POT_ONLY else bonus, if_equal)
    if mode == _INDIVIDUAL:
        if waiting > 2:
            gain = own_gain_kernel(turn, size, pot, to_beat, n_leaders, game, work)
        elif waiting == 2:
            gain = _own_pair(turn, size, pot, to_beat, n_leaders, game, work)
        else:
            tie = _share(pot + bet, n_leaders + 1, n_leaders)
            gain = above * (pot + bet) + (reach - above) * tie - bet * total + bonus
        return is_worth(gain, if_equal)
    with_bonus = mode == _COLLECTIVE
    if not dealer_in:
        gain = bonus if with_bonus else 0
        if waiting == 2 and n_leaders == 0 and with_bonus:
            # A fold would leave the other the last hand standing, with or without cards (A5).
            extra = odds[turn + 1, 2]
            free = is_worth(extra, if_equal)
            takes = game.last_hand == _FREE or (game.last_hand == _MAY_PLAY and free)
            gain += (int(free) - int(takes)) * extra
        return is_worth(gain, if_equal)
    if waiting == 1:
        gain = reach * (pot + bet) - bet * total + (bonus if with_bonus else 0)
    elif waiting == 2:
        gain = group_pair_kernel(turn, size, pot, to_beat, game, with_bonus, work)
    else:
        gain = group_gain_kernel(odds, turn, size, pot, game, with_bonus, work.values)
    return is_worth(gain, if_equal)


@njit(cache=True, nogil=True)
def refresh_kernel(turn, to_reach, game, work):  # type: ignore[no-untyped-def]
    """Odds of all who wait, from the cards that can come."""
    for j in range(turn, game.players):
        odds_kernel(work.holes[j, 0], work.holes[j, 1], to_reach, work, work.odds[j])
