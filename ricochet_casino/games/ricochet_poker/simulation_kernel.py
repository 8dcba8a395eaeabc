"""Compiled rounds of casino Ricochet Poker: the fast twin of the referee (rules.py).

Rounds are played in batches: `deal_kernel` shuffles, `open_kernel` reads off the dealer's class
and the order of action, `play_kernel` plays and, if asked to, writes down every event that the
referee would, `count_kernel` adds up; `simulate_kernel` runs them in turn. Who plays is a table:
by the player's own two cards, or, for one player, a solved decision (simulation_tables.py).

The kernels trust their arguments; simulation_tables.py and simulation.py check. Rulings A1 to A10
of docs/rulings.md are marked as in the referee.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards import additive
from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.shuffle_kernel import deal_kernel, wide_product

# Numbers of actions, of readings of the last hand, of events and of their details: the order of
# ACTIONS, LAST_HANDS, KINDS and DETAILS in simulation_tables.py.
_FOLD, _PLAY, _LAST = (np.uint8(number) for number in range(3))
_FREE, _MAY_PLAY = range(2)
(_DEAL, _KICKOUT, _LAST_HAND, _ACT, _COMPLETION, _BONUS, _OUT, _RETURN, _SHOWDOWN, _WIN,
 _SPLIT) = range(11)  # fmt: skip
_PLAIN, _FOLDS, _PLAYS, _DECLINES, _GRATIS = range(5)
_0, _1, _2, _3, _4, _5 = (np.uint64(n) for n in range(6))
_6 = np.uint64(6)
_NOBODY = np.int64(-1)
_START = np.uint64(additive.START)
_FLUSH = np.uint64(additive.FLUSH_BITS)
_KEY = np.uint64(additive.KEY_SHIFT)
_RANKS = np.uint64(additive.RANK_SHIFT)
_MASK13 = np.uint64(0x1FFF)
_CLASSES = np.uint64(N_CLASSES)
_EVERY = np.uint32(0xFFFFFFFF)


@njit(cache=True, nogil=True, inline="always")
def class_of(cards, hole, rest, words, five, flushes):  # type: ignore[no-untyped-def]
    """Class of the two cards from place `hole` of the deck on and the three from `rest` on."""
    s = _START + words[cards[hole]] + words[cards[hole + _1]]
    s += words[cards[rest]] + words[cards[rest + _1]] + words[cards[rest + _2]]
    found = five[s >> _KEY]
    if s & _FLUSH:
        found = flushes[(s >> _RANKS) & _MASK13]
    return np.int64(found)


@njit(cache=True, nogil=True)
def open_kernel(number, game, tables, rounds):  # type: ignore[no-untyped-def]
    """Dealer's class and order of action of each round."""
    cards, words, five, flushes = rounds.cards, tables.words, tables.five, tables.flushes
    order, keys, order_keys = rounds.order, rounds.codes, tables.order_keys
    dealer_class = rounds.dealer_class
    players = game.players
    p = seats = _0
    for i in range(number):
        for seat in range(players):
            keys[seat] = order_keys[(np.uint64(cards[p]) << _6) | np.uint64(cards[p + _1])]
            p += _2
        for seat in range(players):
            place = _0
            for other in range(players):
                place += np.uint64(keys[other] < keys[seat])
            order[seats + place] = seat
        dealer_class[i] = class_of(cards, p, p + _2, words, five, flushes)
        p += _5 + _3 * players
        seats += players


@njit(cache=True, nogil=True)
def _subset(cards, dealer, suit):  # type: ignore[no-untyped-def]
    """Which of the dealer's distinct ranks, rising, she holds in a suit: bit 0 for the lowest."""
    held = in_suit = _0
    for p in range(dealer, dealer + _5):
        rank = _1 << (np.uint64(cards[p]) >> _2)
        held |= rank
        if np.uint64(cards[p]) & _3 == suit:
            in_suit |= rank
    subset, bit = _0, _1
    while held:
        lowest = held & (~held + _1)
        if in_suit & lowest:
            subset |= bit
        bit <<= _1
        held ^= lowest
    return subset


@njit(cache=True, nogil=True)
def _tell(events, i, kind, seat, pot, chips, hand_class, detail, odd):  # type: ignore[no-untyped-def]
    """Write one event of round i down; all are integers."""
    most = np.uint64(events.rows.shape[0]) // np.uint64(events.counts.size)
    row = events.rows[i * most + events.counts[i]]
    events.counts[i] += _1
    row[0], row[1], row[2], row[3] = kind, seat, pot, chips
    row[4], row[5], row[6], row[7] = hand_class, detail, odd, 0
    row[8:] = _NOBODY


@njit(cache=True, nogil=True)
def _show(events, i, cards, place, n_cards):  # type: ignore[no-untyped-def]
    """Add cards, from a place of the deck on, to the event just written down."""
    most = np.uint64(events.rows.shape[0]) // np.uint64(events.counts.size)
    row = events.rows[i * most + events.counts[i] - _1]
    row[7] = n_cards
    for j in range(n_cards):
        row[8 + j] = cards[place + np.uint64(j)]


@njit(cache=True, nogil=True)
def _tell_deal(events, i, game, cards, deck, dealer_class):  # type: ignore[no-untyped-def]
    """Write down the antes, the cards dealt and the kickout."""
    pot = np.int64(0)
    place = deck
    for seat in range(game.players):
        pot += game.ante
        _tell(events, i, _DEAL, seat, pot, -game.ante, -1, 0, 0)
        _show(events, i, cards, place, 2)
        place += _2
    pot += game.dealer_ante
    chips = -game.dealer_ante
    _tell(events, i, _DEAL, _NOBODY, pot, chips, dealer_class, 0, 0)
    _show(events, i, cards, place, 5)
    if dealer_class >= game.kickout_class:
        _tell(events, i, _KICKOUT, _NOBODY, pot, 0, dealer_class, 0, 0)


@njit(cache=True, nogil=True)
def _tell_outs(  # type: ignore[no-untyped-def]
    events, i, pot, dealer_leads, dealer_class, leaders, n_leaders, classes
):
    """Write down that the hands which led are beaten."""
    if dealer_leads:
        _tell(events, i, _OUT, _NOBODY, pot, 0, dealer_class, 0, 0)
    for place in range(n_leaders):
        beaten = classes[leaders[place]]
        _tell(events, i, _OUT, leaders[place], pot, 0, beaten, 0, 0)


@njit(cache=True, nogil=True)
def _tell_showdown(  # type: ignore[no-untyped-def]
    events, i, pot, dealer_leads, dealer_class, leaders, n_leaders, classes
):
    """Write down who is left, and the pot if it is the dealer's."""
    if dealer_leads:
        _tell(events, i, _SHOWDOWN, _NOBODY, pot, 0, dealer_class, 0, 0)
        _tell(events, i, _WIN, _NOBODY, 0, pot, -1, 0, 0)
    for place in range(n_leaders):
        hand_class = classes[leaders[place]]
        _tell(events, i, _SHOWDOWN, leaders[place], pot, 0, hand_class, 0, 0)


@njit(cache=True, nogil=True, inline="always")
def _decides(cards, dealer, code, bits):  # type: ignore[no-untyped-def]
    """A solved decision: play or fold, in the rare case by the dealer's suits."""
    plays = bits == _EVERY
    if not plays and bits:
        plays = (np.uint64(bits) >> _subset(cards, dealer, code & _3)) & _1 != _0
    return plays


@njit(cache=True, nogil=True)
def play_kernel(number, game, tables, rounds, events):  # type: ignore[no-untyped-def]
    """Play a batch of rounds whose cards, dealer's classes and orders of action are there.

    Parameters
    ----------
    number
        uint64, rounds.
    game, tables, rounds, events
        As documented there; `rounds` and `events` are filled.
    """
    cards, order, codes, leaders = rounds.cards, rounds.order, rounds.codes, rounds.leaders
    actions, lines, winners = rounds.actions, rounds.lines, rounds.winners
    classes, dealer_classes, nets = rounds.classes, rounds.dealer_class, rounds.nets
    plays, choice, hand_of = tables.plays, tables.choice, tables.hand_of
    line_of, pays = tables.line_of, tables.pays
    words, five, flushes = tables.words, tables.five, tables.flushes
    players, ante, play_bet, last_hand = game.players, game.ante, game.play_bet, game.last_hand
    record = events.counts.size > 0
    deck = seats = _0
    for i in range(number):
        dealer = deck + _2 * players
        stub = dealer + _5
        for player in range(players):
            me, hole = seats + player, deck + _2 * player
            codes[player] = (np.uint64(cards[hole]) << _6) | np.uint64(cards[hole + _1])
            nets[me], actions[me], lines[me], winners[me], classes[me] = -ante, _LAST, 0, 0, -1
        pot = np.int64(players) * ante + game.dealer_ante
        dealer_class = to_beat = np.int64(dealer_classes[i])
        dealer_leads = dealer_class < game.kickout_class
        if not dealer_leads:  # her ante stays in the pot (A4)
            to_beat = _NOBODY
        if record:
            _tell_deal(events, i, game, cards, deck, dealer_class)
        n_leaders = n_folded = _0
        for turn in range(players):  # the lowest hand first (A1)
            seat = np.uint64(order[seats + turn])
            me, hole, code = seats + seat, deck + _2 * seat, codes[seat]
            alone = not dealer_leads and n_leaders == _0 and n_folded + _1 == players
            takes = (np.uint64(plays[code]) >> seat) & _1 != _0
            if game.solved:
                bits = choice[np.uint64(hand_of[code]) * _CLASSES + np.uint64(dealer_class)]
                takes = _decides(cards, dealer, code, bits)
            if alone:  # two cards have won the pot, and may yet earn a bonus (A5)
                if last_hand != _MAY_PLAY:
                    takes = last_hand == _FREE
                elif not game.solved:
                    takes = (game.takes_free >> seat) & _1 != _0
                if record:
                    _tell(events, i, _LAST_HAND, seat, pot, 0, -1, 0, 0)
                    _show(events, i, cards, hole, 2)
            if not takes:
                if not alone:
                    n_folded += _1
                    actions[me] = _FOLD
                    if record:
                        _tell(events, i, _ACT, seat, pot, 0, -1, _FOLDS, 0)
                        _show(events, i, cards, hole, 2)
                else:
                    leaders[0] = seat
                    n_leaders = _1
                    if record and last_hand == _MAY_PLAY:
                        _tell(events, i, _ACT, seat, pot, 0, -1, _DECLINES, 0)
                        _show(events, i, cards, hole, 2)
                continue
            free = alone and last_hand == _FREE
            if not free:  # the play bet is part of the pot (A2)
                actions[me] = _PLAY
                nets[me] -= play_bet
                pot += play_bet
                if record:
                    _tell(events, i, _ACT, seat, pot, -play_bet, -1, _PLAYS, 0)
                    _show(events, i, cards, hole, 2)
            classes[me] = hand_class = class_of(cards, hole, stub, words, five, flushes)
            line = line_of[np.uint64(hand_class)]
            lines[me] = line
            nets[me] += pays[line]  # the best line, beaten or not (A9)
            if record:
                detail = _GRATIS if free else _PLAIN
                _tell(events, i, _COMPLETION, seat, pot, 0, hand_class, detail, 0)
                _show(events, i, cards, stub, 3)
                if line:
                    paid = -np.int64(line)
                    _tell(events, i, _BONUS, seat, pot, pays[line], hand_class, paid, 0)
            stub += _3
            if hand_class < to_beat:
                if record:
                    _tell(events, i, _OUT, seat, pot, 0, hand_class, 0, 0)
            else:  # the dealer loses ties, players who tie stay in together (A7, A8)
                if hand_class > to_beat or dealer_leads:
                    if record:
                        _tell_outs(
                            events, i, pot, dealer_leads, dealer_class, leaders, n_leaders,
                            classes[seats:],
                        )  # fmt: skip
                    n_leaders = _0
                dealer_leads = False
                to_beat = hand_class
                leaders[n_leaders] = seat
                n_leaders += _1
            if alone and not free:
                nets[me] += play_bet
                pot -= play_bet
                if record:
                    _tell(events, i, _RETURN, seat, pot, play_bet, -1, 0, 0)
        if record:
            _tell_showdown(
                events, i, pot, dealer_leads, dealer_class, leaders, n_leaders,
                classes[seats:],
            )  # fmt: skip
        # In a function of its own, even one that is inlined, this costs a tenth of the speed.
        share, odd_chips, kind = pot, _0, _WIN
        if n_leaders > _1:  # odd coins go to those who acted last (A8)
            share = pot // np.int64(n_leaders)
            odd_chips = np.uint64(pot - share * np.int64(n_leaders))
            kind = _SPLIT
        for place in range(n_leaders):
            me = seats + leaders[place]
            odd = np.int64(place + odd_chips >= n_leaders)
            pot -= share + odd
            nets[me] += share + odd
            winners[me] = 1
            if record:
                _tell(events, i, kind, leaders[place], pot, share + odd, -1, 0, odd)
        deck += _5 + _5 * players
        seats += players


@njit(cache=True, nogil=True)
def _add_square(squares, index, value):  # type: ignore[no-untyped-def]
    """Add the square of an int64 to a sum of 128 bits."""
    size = np.uint64(abs(value))
    high, low = wide_product(size, size)
    squares[index] += low
    squares[index + _1] += high + np.uint64(squares[index] < low)


@njit(cache=True, nogil=True)
def count_kernel(number, game, tables, rounds, sums):  # type: ignore[no-untyped-def]
    """Add a batch of played rounds to the sums."""
    actions, lines, winners, nets = rounds.actions, rounds.lines, rounds.winners, rounds.nets
    n_lines = np.uint64(tables.pays.size)
    players = game.players
    me = _0
    for i in range(number):
        total = np.int64(0)
        folds = plays = shares = _0
        for seat in range(players):
            folds += np.uint64(actions[me + seat] == _FOLD)
            plays += np.uint64(actions[me + seat] == _PLAY)
            shares += np.uint64(winners[me + seat])
        sums.folds[folds] += 1
        sums.plays[plays] += 1
        sums.shares[shares] += 1
        for seat in range(players):
            sums.actions[seat * _3 + np.uint64(actions[me])] += 1
            sums.lines[seat * n_lines + np.uint64(lines[me])] += 1
            if winners[me]:
                sums.alone[seat] += np.int64(shares == _1)
                sums.shared[seat] += np.int64(shares > _1)
            sums.nets[seat] += nets[me]
            _add_square(sums.squares, seat << _1, nets[me])
            total += nets[me]
            me += _1
        sums.nets[players] += total
        _add_square(sums.squares, players << _1, total)
        dealer_class = np.int64(rounds.dealer_class[i])
        kicked_out = dealer_class >= game.kickout_class
        sums.kickouts[0] += np.int64(kicked_out)
        if players == _1:
            last = me - _1
            outcome = _4  # lose
            if kicked_out:
                outcome = _1 if rounds.classes[last] >= 0 else _5  # _5: no cards
            elif actions[last] == _FOLD:
                outcome = _0
            elif winners[last]:
                outcome = _3 if np.int64(rounds.classes[last]) == dealer_class else _2
            sums.outcomes[outcome * n_lines + np.uint64(lines[last])] += 1


@njit(cache=True, nogil=True)
def simulate_kernel(  # type: ignore[no-untyped-def]
    seed, stream, first, number, game, tables, rounds, events, sums
):
    """Play deals `first` to ``first + number - 1`` of a stream and add them to the sums.

    Parameters
    ----------
    seed, stream, first, number
        uint64; as in `shuffle.deals`.
    game, tables, rounds, events, sums
        As documented there; `rounds` holds one batch, `events` is empty.
    """
    width = _5 + _5 * game.players
    batch = np.uint64(rounds.dealer_class.size)
    done = _0
    while done < number:
        some = min(batch, number - done)
        deal_kernel(
            seed, stream, first + done, width, tables.accepted, tables.factors,
            rounds.words, rounds.places, rounds.deck, rounds.cards[: some * width],
        )  # fmt: skip
        open_kernel(some, game, tables, rounds)
        play_kernel(some, game, tables, rounds, events)
        count_kernel(some, game, tables, rounds, sums)
        done += some
