"""Compiled tables: rounds with strategies that see everything, and their values without noise.

`play_kernel` plays a round from cards that are there, action for action as the
referee would. Beside what came out it writes down, for each round, a *value*: the net result of all
players together with whatever is known exactly put in the place of chance. Its mean is that of the
raw result, its spread a small part of it. Derivation: docs/math.md, section 9.

Values are whole numbers of 1/2^32 unit, second moments of 1/2^12 unit squared.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.shuffle_kernel import wide_product
from ricochet_casino.games.ricochet_poker.simulation_kernel import class_of
from ricochet_casino.games.ricochet_poker.table_arrays import GIVEN_DRAW, GIVEN_FOLD
from ricochet_casino.games.ricochet_poker.table_choice_kernel import (
    decide_kernel,
    refresh_kernel,
)
from ricochet_casino.games.ricochet_poker.table_odds_kernel import (
    cards_kernel,
    choose2,
    choose3,
    lines_kernel,
    ways_kernel,
)

VALUE_BITS = 32
SQUARE_BITS = 12
_LEFT_OUT = VALUE_BITS - SQUARE_BITS
_ONE = 1 << VALUE_BITS
_FOLD, _PLAY, _LAST = (np.uint8(number) for number in range(3))
_FREE, _MAY_PLAY = 0, 1
_COLLECTIVE, _POT_ONLY, _, _POT_ODDS, _LIMITS = range(5)


@njit(cache=True, nogil=True)
def _ratio(number, whole):  # type: ignore[no-untyped-def]
    """Number / whole in units of a value, rounded down; whole below 2^31."""
    return (number // whole << VALUE_BITS) + (number % whole << VALUE_BITS) // whole


@njit(cache=True, nogil=True)
def take_kernel(first, last, work):  # type: ignore[no-untyped-def]
    """Take cards out of the stub, without counting the ways again."""
    for place in range(first, last):
        card = np.int64(work.cards[place])
        work.left[card >> 2] -= 1
        work.suits[card & 3] &= ~(1 << (card >> 2))
    work.size -= last - first


@njit(cache=True, nogil=True)
def put_back_kernel(first, last, work):  # type: ignore[no-untyped-def]
    """Undo `take_kernel`."""
    for place in range(first, last):
        card = np.int64(work.cards[place])
        work.left[card >> 2] += 1
        work.suits[card & 3] |= 1 << (card >> 2)
    work.size += last - first


@njit(cache=True, nogil=True)
def lay_out_kernel(game, work):  # type: ignore[no-untyped-def]
    """The stub after the deal, and everybody's two cards in the order of action."""
    work.size = 52 - 4 * game.lowest_rank
    for rank in range(13):
        work.left[rank] = 4 if rank >= game.lowest_rank else 0
    for suit in range(4):
        work.suits[suit] = 0x1FFF >> game.lowest_rank << game.lowest_rank
    take_kernel(0, 2 * game.players + 5, work)
    ways_kernel(work)
    for place in range(game.players):
        hole = 2 * np.int64(work.order[place])
        a, b = np.int64(work.cards[hole]), np.int64(work.cards[hole + 1])
        high, low = max(a, b) >> 2, min(a, b) >> 2
        work.holes[place, 0] = high * (high + 1) // 2 + low
        work.holes[place, 1] = a & 3 if a & 3 == b & 3 else -1
        work.holes[place, 2] = a
        work.holes[place, 3] = b


@njit(cache=True, nogil=True)
def feature_kernel(dealer_class, dealer_in, game, work):  # type: ignore[no-untyped-def]
    """Features of a deal whose means are known exactly (9.6), from the odds at the deal.

    Fills `work.features`: the bin of the dealer's class, then the four features.
    """
    features, odds = work.features, work.odds
    features[:] = 0
    features[0] = work.bin_of[dealer_class]
    features[1] = dealer_class - work.bin_start[features[0]]
    for place in range(game.players):
        features[4] += odds[place, 2] // work.bonus_part
        if not dealer_in:
            continue
        pair, suit = work.holes[place, 0], work.holes[place, 1]
        solo = np.int64(work.solo[pair, dealer_class])
        if suit >= 0:
            held = np.int64(0)
            for p in range(2 * game.players, 2 * game.players + 5):
                card = np.int64(work.cards[p])
                if card & 3 == suit:
                    held |= 1 << (card >> 2)
            for q in range(work.suit_length[pair]):
                if work.masks[pair, q] & held == 0:
                    solo += int(work.plain[pair, q] < dealer_class <= work.flush[pair, q])
        features[2] += max(solo - work.worth_playing, 0)
        features[3] += odds[place, 0]


@njit(cache=True, nogil=True)
def _forecast(turn, pot, to_beat, game, work):  # type: ignore[no-untyped-def]
    """Expected results by place and plays made since, everybody by his own strategy (9.4).

    In floats: whatever they are, they only steer how much noise is left, never the mean.
    """
    players, odds, values = game.players, work.odds, work.forecast
    total, bet = float(choose3(work.size)), game.play_bet
    values[players, :] = 0.0
    later = 0.0
    for j in range(players - 1, turn, -1):
        seat = work.order[j]
        mode, limit = work.modes[seat], work.limits[seat, work.holes[j, 2], work.holes[j, 3]]
        chance, bonus = odds[j, 0] / total, odds[j, 2] / total
        for m in range(1, j - turn + 1):
            stake = pot + (m + 1) * bet
            play = bonus + chance * (stake + later) + (1.0 - chance) * values[j + 1, m + 1] - bet
            plays = play >= values[j + 1, m]
            if mode == _LIMITS:
                plays = to_beat < limit
            elif mode != _COLLECTIVE:
                plays = chance * stake >= bet
            work.planned[j, m] = plays
            values[j, m] = play if plays else values[j + 1, m]
        later += bonus


@njit(cache=True, nogil=True)
def _with_card(place, rank, suit, work):  # type: ignore[no-untyped-def]
    """Completions of a player that reach the dealer and hold a given card."""
    given = work.by_rank[place, rank]
    if work.holes[place, 1] == suit:
        given += work.by_suit[place, rank]
    return given


@njit(cache=True, nogil=True)
def slope_kernel(turn, rank, suit, most, rest, game, work):  # type: ignore[no-untyped-def]
    """What a card drawn by `turn` adds to a loss, to first order (9.4).

    Parameters
    ----------
    turn, rank, suit
        Who draws which card.
    most
        The pot with the bet: a twelfth of it bounds the slope, and that the value.
    rest
        Completions after the draw, as a float.
    game, work
        As documented there; `by_rank`, `by_suit`, `odds` and `slopes` are filled.

    Returns
    -------
    slope, losing
        Units, and how many of the draws that hold the card lose.
    """
    slope = 0.0
    for j in range(turn + 1, game.players):
        # Against the card that is in as many of them as the average.
        average = 3.0 * work.odds[j, 0] / work.size
        slope -= work.slopes[j] * (_with_card(j, rank, suit, work) - average)
    slope = max(-most / 12.0, min(slope / rest, most / 12.0))
    return slope, choose2(work.size - 1) - _with_card(turn, rank, suit, work)


@njit(cache=True, nogil=True)
def _control(turn, pot, to_beat, game, work):  # type: ignore[no-untyped-def]
    """Prepare the control of one draw against a standing dealer (9.4).

    Fills `work.control` with its worth if the draw wins, its worth if it loses apart from the
    single cards, and its exact mean; and `work.by_card` with what each card drawn adds to a loss.
    All in units of a value.
    """
    players, odds, slopes, bet = game.players, work.odds, work.slopes, game.play_bet
    size, total = work.size, choose3(work.size)
    whole, rest = float(total), float(choose3(size - 3))
    _forecast(turn, pot, to_beat, game, work)
    later = 0.0
    for j in range(turn + 1, players):
        later += odds[j, 2] / whole
        slopes[j] = 0.0
    lost, bonus_left, weight, made = work.forecast[turn + 1, 1], later, 1.0, 1
    for j in range(turn + 1, players):
        bonus_left -= odds[j, 2] / whole
        if work.planned[j, made]:
            slope = pot + (made + 1) * bet + bonus_left - work.forecast[j + 1, made + 1]
            slopes[j] = slope * weight
            weight *= 1.0 - odds[j, 0] / whole
            made += 1
    for j in range(turn, players):
        cards_kernel(
            work.holes[j, 0], work.holes[j, 1], to_beat, work, work.by_rank[j], work.by_suit[j]
        )
    # Bounds on all of these bound the value, which intervals rely on.
    most = float(pot + bet)
    won = np.int64(min(most + later, 1.25 * most) * _ONE)
    held_back = min(np.int64(max(0.0, lost) * _ONE), won)
    mean = odds[turn, 0] * won + (total - odds[turn, 0]) * held_back
    for suit in range(4):
        for rank in range(13):
            if work.suits[suit] >> rank & 1 == 0:
                continue
            slope, losing = slope_kernel(turn, rank, suit, most, rest, game, work)
            value = np.int64(slope * _ONE)
            work.by_card[4 * rank + suit] = value
            mean += value * losing
    work.control[0], work.control[1], work.control[2] = won, held_back, mean // total


@njit(cache=True, nogil=True)
def _expect(place, seat, work):  # type: ignore[no-untyped-def]
    """Take down what the coming draw of a player earns on average, by line and squared."""
    total = choose3(work.size)
    bonus, squares = work.odds[place, 2], work.odds[place, 3]
    work.mean_bonus[seat] = _ratio(bonus, total)
    rest = ((squares % total << SQUARE_BITS) + total // 2) // total
    work.mean_square[seat] = (squares // total << SQUARE_BITS) + rest
    lines_kernel(work.holes[place, 0], work.holes[place, 1], work, work.by_line)
    for line in range(1, work.n_lines + 1):
        work.line_means[line] += _ratio(work.by_line[line], total)


@njit(cache=True, nogil=True)
def _clear(game, work):  # type: ignore[no-untyped-def]
    """Begin a round."""
    for seat in range(game.players):
        work.nets[seat], work.actions[seat] = -game.ante, _LAST
        work.lines[seat] = work.winners[seat] = 0
        work.hand_classes[seat] = -1
        work.mean_bonus[seat] = work.mean_square[seat] = work.settled[seat] = 0
    work.line_means[:] = 0
    work.cross = 0


@njit(cache=True, nogil=True)
def _settle(turn, pot, n_leaders, game, work):  # type: ignore[no-untyped-def]
    """With the dealer out: if all who wait are sure to play, their bonuses are known on average.

    Returns the sum of them, 0 if somebody is not sure.
    """
    # The last hand standing gets no cards under `none`, and cannot be told before its turn.
    if n_leaders == 0 and game.last_hand > _MAY_PLAY:
        return np.int64(0)
    for place in range(turn, game.players):
        if not work.sure[work.order[place]]:
            return np.int64(0)
    earned = np.int64(0)
    for place in range(turn, game.players):
        seat = work.order[place]
        _expect(place, seat, work)
        work.settled[seat] = 1 + pot + (game.players - turn) * game.play_bet
        earned += work.mean_bonus[seat]
    return earned


@njit(cache=True, nogil=True)
def play_kernel(dealer_class, game, work):  # type: ignore[no-untyped-def]
    """Play the round whose cards and order of action are in `work`.

    Parameters
    ----------
    dealer_class
        The dealer's class.
    game, work
        As documented there. What came out is left in `work`: actions, lines, winners, classes and
        nets by seat, and the value.
    """
    players, bet, last_hand, odds = game.players, game.play_bet, game.last_hand, work.odds
    lay_out_kernel(game, work)
    _clear(game, work)
    pot = players * game.ante + game.dealer_ante
    dealer_in = dealer_class < game.kickout_class
    to_beat = dealer_class if dealer_in else np.int64(-1)
    draw = 2 * players + 5
    refresh_kernel(0, to_beat, game, work)
    if work.use_controls:
        feature_kernel(dealer_class, dealer_in, game, work)
    value = -players * game.ante << VALUE_BITS
    # What is in the value for good: the pot, and the bonuses of all who wait.
    pot_settled = bonuses_settled = stale = False
    n_leaders = n_folded = earned = np.int64(0)
    for turn in range(players):
        seat = np.int64(work.order[turn])
        mode, limit = work.modes[seat], work.limits[seat, work.holes[turn, 2], work.holes[turn, 3]]
        if not dealer_in and not pot_settled:  # bets come back to the group from here on
            value += pot << VALUE_BITS
            pot_settled = True
        if stale and not work.settled[seat]:
            ways_kernel(work)
            refresh_kernel(turn, to_beat, game, work)
            stale = False
        if not dealer_in and not work.settled[seat] and not work.given_action[seat]:
            coming = _settle(turn, pot, n_leaders, game, work)
            if work.settled[seat] and not bonuses_settled:
                value += coming
                bonuses_settled = True
        alone = not dealer_in and n_leaders == 0 and n_folded + 1 == players
        size, total = work.size, choose3(work.size)
        given = work.given_action[seat]
        if given:
            takes = given != GIVEN_FOLD
        elif alone and last_hand != _MAY_PLAY:
            takes = last_hand == _FREE
        elif alone and mode >= _POT_ODDS:
            takes = bool(work.takes_free[seat])
        elif work.settled[seat]:
            takes = True
        else:
            takes = decide_kernel(
                mode, limit, turn, size, pot, to_beat, n_leaders, dealer_in, alone, game, work
            )
        last_two = dealer_in and not pot_settled and turn + 2 == players and not given
        if last_two and mode <= _POT_ONLY and mode == work.modes[work.order[turn + 1]]:
            worth = work.worth[0] if takes else work.worth[1]
            value += _ratio(worth, total * choose3(size - 3))
            pot_settled = bonuses_settled = True
        if not takes:
            if alone:
                work.leaders[0] = seat
                n_leaders = np.int64(1)
            else:
                n_folded += 1
                work.actions[seat] = _FOLD
            continue
        free = alone and last_hand == _FREE
        if earned > 0:  # rare; what comes with it is worth the chances of this moment
            if stale:
                ways_kernel(work)
                refresh_kernel(turn, to_beat, game, work)
                stale = False
            work.cross += 2 * earned * (_ratio(odds[turn, 2], total) >> _LEFT_OUT)
        if not work.settled[seat] and given != GIVEN_DRAW:
            _expect(turn, seat, work)
            work.settled[seat] = 1 + pot + bet
            if not bonuses_settled:
                value += work.mean_bonus[seat]
        in_control = False
        if not pot_settled:
            value -= bet << VALUE_BITS
            if given == GIVEN_DRAW:
                pass
            elif turn + 1 == players:
                value += _ratio(odds[turn, 0] * (pot + bet), total)
                pot_settled = True
            elif work.draw_controls:
                _control(turn, pot, to_beat, game, work)
                value += work.control[2]
                in_control = True
        if not free:
            work.actions[seat] = _PLAY
            work.nets[seat] -= bet
            pot += bet
        hand_class = np.int64(
            class_of(
                work.cards, np.uint64(2 * seat), np.uint64(draw), work.words, work.five,
                work.flushes,
            )
        )  # fmt: skip
        work.hand_classes[seat], work.lines[seat] = hand_class, work.line_of[hand_class]
        work.nets[seat] += work.pays[hand_class]
        earned += work.pays[hand_class]
        if in_control:
            if hand_class >= to_beat:
                value -= work.control[0]
            else:
                value -= work.control[1]
                for place in range(draw, draw + 3):
                    value -= work.by_card[work.cards[place]]
        take_kernel(draw, draw + 3, work)
        draw += 3
        stale = True
        if hand_class >= to_beat:
            if hand_class > to_beat or dealer_in:
                n_leaders = np.int64(0)
            dealer_in = False
            to_beat = hand_class
            work.leaders[n_leaders] = seat
            n_leaders += 1
        if alone and not free:
            work.nets[seat] += bet
            pot -= bet
    work.value = value
    _share_out(pot, n_leaders, work)
    _square(game, work)


@njit(cache=True, nogil=True)
def _share_out(pot, n_leaders, work):  # type: ignore[no-untyped-def]
    """Give the pot to those who lead; odd coins to those who acted last (A8)."""
    for place in range(n_leaders):
        seat = work.leaders[place]
        share = pot // n_leaders + int(place >= n_leaders - pot % n_leaders)
        work.nets[seat] += share
        work.winners[seat] = 1


@njit(cache=True, nogil=True)
def _square(game, work):  # type: ignore[no-untyped-def]
    """Net results with bonuses at their mean, and second moments (section 9.4)."""
    base_sum = bonus_sum = mean_sum = mean_squares = np.int64(0)
    for seat in range(game.players):
        hand_class = work.hand_classes[seat]
        bonus = work.pays[hand_class] if hand_class >= 0 else np.int64(0)
        base, mean = work.nets[seat] - bonus, work.mean_bonus[seat]
        work.mean_nets[seat] = (base << VALUE_BITS) + mean
        likely = np.int64(0)
        if work.settled[seat]:  # she wins what there was to win
            likely = work.settled[seat] - 1 - game.ante - game.play_bet
        raw = base * base + 2 * bonus * (base - likely)
        known = work.mean_square[seat] + 2 * likely * (mean >> _LEFT_OUT)
        work.second[seat] = (raw << SQUARE_BITS) + known
        base_sum += base
        bonus_sum += bonus
        mean_sum += mean
        mean_squares += work.mean_square[seat]
    likely = game.dealer_ante
    raw = base_sum * base_sum + 2 * bonus_sum * (base_sum - likely)
    known = mean_squares + 2 * likely * (mean_sum >> _LEFT_OUT) + work.cross
    work.table_second = (raw << SQUARE_BITS) + known


@njit(cache=True, nogil=True)
def seat_kernel(number, game, work, rounds, values):  # type: ignore[no-untyped-def]
    """Play a batch of rounds whose cards, dealer's classes and orders of action are there.

    Parameters
    ----------
    number
        Rounds.
    game, work
        As documented in table_arrays.py.
    rounds, values
        Filled; see `simulation_tables.Rounds` and `table_arrays.Values`.
    """
    players = game.players
    width = 5 + 5 * players
    for at in range(number):
        first = at * players
        work.cards[:width] = rounds.cards[at * width : (at + 1) * width]
        work.order[:players] = rounds.order[first : first + players]
        play_kernel(np.int64(rounds.dealer_class[at]), game, work)
        for seat in range(players):
            me = first + seat
            rounds.actions[me], rounds.lines[me] = work.actions[seat], work.lines[seat]
            rounds.winners[me], rounds.nets[me] = work.winners[seat], work.nets[seat]
            rounds.classes[me] = work.hand_classes[seat]
            values.nets[me], values.squares[me] = work.mean_nets[seat], work.second[seat]
        values.value[at], values.table_squares[at] = work.value, work.table_second
        for line in range(work.n_lines):
            values.lines[at, line] = work.line_means[line + 1]
        values.features[at, :] = work.features


@njit(cache=True, nogil=True)
def _add(sums, index, value):  # type: ignore[no-untyped-def]
    """Add an int64 to a sum of 128 bits: low and high word."""
    plain = np.uint64(value)
    low = sums[index, 0] + plain
    sums[index, 1] += np.uint64(value >> 63) + np.uint64(low < plain)
    sums[index, 0] = low


@njit(cache=True, nogil=True)
def _add_product(sums, index, a, b):  # type: ignore[no-untyped-def]
    """Add the product of two int64 to a sum of 128 bits."""
    high, low = wide_product(np.uint64(abs(a)), np.uint64(abs(b)))
    if (a < 0) != (b < 0):
        high, low = ~high, ~low + np.uint64(1)
        high += np.uint64(low == 0)
    total = sums[index, 0] + low
    sums[index, 1] += high + np.uint64(total < low)
    sums[index, 0] = total


@njit(cache=True, nogil=True)
def adjust_kernel(number, weights, values):  # type: ignore[no-untyped-def]
    """Take the controls of the deals off the values (9.6)."""
    for at in range(number):
        row = values.features[at]
        of_bin = weights[row[0]]
        value = of_bin[0]
        for feature in range(1, of_bin.size):
            value += of_bin[feature] * row[feature]
        values.value[at] -= value


@njit(cache=True, nogil=True)
def total_kernel(number, players, rounds, values, totals):  # type: ignore[no-untyped-def]
    """Add a batch of rounds to the totals; the layout is that of `table_arrays.Totals`."""
    n_lines = values.lines.shape[1]
    sums, squares = totals.sums, totals.squares
    for at in range(number):
        first = at * players
        folds = plays = winners = own = 0
        for me in range(first, first + players):
            folds += int(rounds.actions[me] == _FOLD)
            plays += int(rounds.actions[me] == _PLAY)
            winners += int(rounds.winners[me])
            own += values.squares[me]
        totals.joint[folds, plays] += 1
        value = values.value[at]
        _add(sums, 0, value)
        _add_product(squares, 0, value, value)
        _add_product(totals.cross, 0, value, plays)
        _add(sums, 1, values.table_squares[at])
        _add_product(squares, 1, values.table_squares[at], values.table_squares[at])
        _add(sums, 2, own)
        _add_product(squares, 2, own, own)
        for line in range(n_lines):
            _add(sums, 3 + line, values.lines[at, line])
            _add_product(squares, 3 + line, values.lines[at, line], values.lines[at, line])
        row = 3 + n_lines
        for seat in range(players):
            me = first + seat
            _add(sums, row + seat, values.nets[me])
            _add_product(squares, row + seat, values.nets[me], values.nets[me])
            _add(sums, row + players + seat, values.squares[me])
            _add_product(squares, row + players + seat, values.squares[me], values.squares[me])
        row += 2 * players
        for place in range(players):
            me = first + np.int64(rounds.order[first + place])
            _add(sums, row + place, values.nets[me])
            _add_product(squares, row + place, values.nets[me], values.nets[me])
            totals.places[place, rounds.actions[me]] += 1
            if rounds.winners[me]:
                totals.places[place, 3 + int(winners > 1)] += 1


@njit(cache=True, nogil=True)
def pilot_kernel(number, shift, values, products):  # type: ignore[no-untyped-def]
    """Add a batch to the products of features and values, by bin: (B, 6, 6) int64."""
    n_features = values.features.shape[1]
    for at in range(number):
        row, of_bin = values.features[at], products[values.features[at, 0]]
        value = values.value[at] >> shift
        for i in range(n_features):
            x = row[i] if i else 1
            of_bin[i, n_features] += x * value
            for j in range(i, n_features):
                of_bin[i, j] += x * (row[j] if j else 1)
        of_bin[n_features, n_features] += value * value
