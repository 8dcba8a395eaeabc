"""The compiled game of Pinball Ricochet: the fast twin of the referee (rules.py).

`play_kernel` plays one game and, if asked to, writes down every event that the referee would;
`study_kernel` plays many and adds them up; `conserve_kernel` plays many and follows all cards
through their events. The kernels trust their arguments; study.py checks them. Rulings H4 to H9 of
docs/rulings.md are marked as in the referee. All numbers but random words are int64.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.shuffle_kernel import philox_kernel
from ricochet_casino.games.pinball import players as models
from ricochet_casino.games.pinball.deck import DECK_SIZE
from ricochet_casino.games.pinball.kernel_arrays import RING, SHARE_UNITS
from ricochet_casino.games.pinball.replay import replay

# Numbers of events and reasons: the order of KINDS and REASONS in events.py.
_LAY, _TURN, _SLAP, _SLIP, _TIE, _VOID, _WIN, _MOVE, _END = range(9)
_GOAL, _EXHAUSTED, _UNDECIDED = range(3)
_NONE = -1
_LATE = np.int64(1) << 60  # later than any slap: has slapped, or does not race
_RING = RING - 1
_CARDS = DECK_SIZE
_TURNS, _SEATS = models.MOST_TURNS, models.MOST_SEATS
_STREAM = np.uint64(models.LOOK_STREAM)
_HALF, _LOW, _0 = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(0)
_SHARES = SHARE_UNITS
_NO_WORDS = (_0, _0, _0, _0)


@njit(cache=True, nogil=True)
def _tell(events, kind, player, card, place, tick, mask):  # type: ignore[no-untyped-def]
    """Write one event down."""
    if events.rows.shape[0] == 0:
        return
    row = events.rows[events.number[0]]
    events.number[0] += 1
    row[0], row[1], row[2], row[3], row[4], row[5] = kind, player, card, place, tick, mask


@njit(cache=True, nogil=True)
def _draw(state):  # type: ignore[no-untyped-def]
    """Take the top card of the stock."""
    card = state.stock[state.ring[0]]
    state.ring[0] = (state.ring[0] + 1) & _RING
    state.ring[1] -= 1
    return card


@njit(cache=True, nogil=True)
def _put_under(state, card):  # type: ignore[no-untyped-def]
    """Put a card under the stock."""
    state.stock[(state.ring[0] + state.ring[1]) & _RING] = card
    state.ring[1] += 1


@njit(cache=True, nogil=True)
def _take(strengths, outer, left, kind, n_left, wrong):  # type: ignore[no-untyped-def]
    """Take the place that a ball asks for, or if `wrong` >= 0 that other one; returns it."""
    best = 0
    most = strengths[kind, outer[left[0]]]
    for j in range(1, n_left):
        strength = strengths[kind, outer[left[j]]]
        if strength > most:
            best, most = j, strength
    if wrong >= 0:
        best = wrong + np.int64(wrong >= best)
    place = left[best]
    for j in range(best, n_left - 1):
        left[j] = left[j + 1]
    return place


@njit(cache=True, nogil=True)
def _follow(strengths, kinds, outer, left, kind, n_outer, words, threshold):  # type: ignore[no-untyped-def]
    """Follow a chain to its end, with a wrong look wherever a word is below the threshold."""
    for place in range(n_outer):
        left[place] = place
    for n_left in range(n_outer, 1, -1):
        wrong = _NONE
        if threshold > 0:
            lower = np.int64(words[n_outer - n_left] & _LOW)
            if lower < threshold:
                wrong = lower * (n_left - 1) // threshold
        place = _take(strengths, outer, left, kind, n_left, wrong)
        kind = kinds[outer[place]]
    return left[0]


@njit(cache=True, nogil=True)
def _slap_all(setup, state, block, racing, kind, last):  # type: ignore[no-untyped-def]
    """Moment and place of everybody's slap, left in `ticks` and `places`."""
    # Taken out of their tuples once: counting references for each slap would take longer than it.
    low, span, threshold = setup.low, setup.span, setup.threshold
    strengths, kinds, outer, left = setup.strengths, setup.kinds, state.outer, state.left
    ticks, places = state.ticks, state.places
    seed, tick, n_outer = setup.seed, setup.tick, setup.n_outer
    for seat in range(setup.players):
        ticks[seat] = _LATE
        if racing >> seat & 1 == 0:
            continue
        words = philox_kernel(np.uint64(block + seat), _0, seed, _STREAM)
        time = np.int64(0)
        slips = False
        for j in range(n_outer - 1):
            time += low[seat] + ((np.int64(words[j] >> _HALF) * span[seat]) >> 32)
            slips |= np.int64(words[j] & _LOW) < threshold[seat]
        ticks[seat] = time // tick
        places[seat] = last
        if slips:
            places[seat] = _follow(
                strengths, kinds, outer, left, kind, n_outer, words, threshold[seat]
            )


@njit(cache=True, nogil=True)
def _open(setup, order, state, events):  # type: ignore[no-untyped-def]
    """Lay the outer cards and clear what the last game left."""
    state.ring[0], state.ring[1] = 0, _CARDS
    for j in range(_CARDS):
        state.stock[j] = order[j]
    for place in range(setup.n_outer):
        state.outer[place] = _draw(state)
        _tell(events, _LAY, _NONE, state.outer[place], place, _NONE, 0)
    state.held[:] = 0
    state.slips[:] = 0
    state.lost[:] = 0
    state.found[:] = 0


@njit(cache=True, nogil=True)
def _slip(state, seat, events):  # type: ignore[no-untyped-def]
    """The card won last goes under the stock (H5)."""
    card = np.int64(_NONE)
    if state.held[seat] > 0:
        state.held[seat] -= 1
        card = state.won[seat, state.held[seat]]
        _put_under(state, card)
        state.lost[seat] += 1
    state.slips[seat] += 1
    _tell(events, _SLIP, seat, card, _NONE, _NONE, 0)


@njit(cache=True, nogil=True)
def _decide(setup, state, last, events):  # type: ignore[no-untyped-def]
    """Go through the slaps moment by moment; returns the mask of those right at the first one.

    At each moment the wrong ones slip, also beside a right one (H9).
    """
    while True:
        tick = _LATE
        for seat in range(setup.players):
            tick = min(tick, state.ticks[seat])
        if tick == _LATE:
            return 0
        right = 0
        for seat in range(setup.players):
            if state.ticks[seat] == tick:
                state.ticks[seat] = _LATE
                place = state.places[seat]
                _tell(events, _SLAP, seat, state.outer[place], place, tick, 0)
                if place == last:
                    right |= 1 << seat
                else:
                    _slip(state, seat, events)
        if right:
            return right


@njit(cache=True, nogil=True)
def _most_cards(setup, state):  # type: ignore[no-untyped-def]
    """Mask of the players with the most cards (H7)."""
    most, mask = -1, 0
    for seat in range(setup.players):
        if state.held[seat] > most:
            most, mask = state.held[seat], 0
        if state.held[seat] == most:
            mask |= 1 << seat
    return mask


@njit(cache=True, nogil=True)
def play_kernel(setup, order, number, state, events):  # type: ignore[no-untyped-def]
    """Play one game to its end.

    Parameters
    ----------
    setup
        As documented there.
    order : (50,) integers
        The shuffled deck.
    number
        int64, the number of the game, which chooses the words of the looks.
    state, events
        As documented there; filled.
    """
    events.number[0] = 0
    _open(setup, order, state, events)
    everybody = (1 << setup.players) - 1
    racing = rounds = void = ties = turns = won = 0
    reason = winners = -1
    while reason < 0:
        if state.ring[1] == 0:
            reason, winners = _EXHAUSTED, _most_cards(setup, state)
            break
        if turns == setup.longest:
            reason, winners = _UNDECIDED, 0
            break
        if racing == 0:  # a new round, not a tie-break
            racing = everybody
            rounds += 1
        start = _draw(state)
        kind = setup.kinds[start]
        _tell(events, _TURN, _NONE, start, _NONE, _NONE, racing)
        last = _follow(
            setup.strengths, setup.kinds, state.outer, state.left, kind, setup.n_outer, _NO_WORDS, 0
        )
        block = (number * _TURNS + turns) * _SEATS
        turns += 1
        _slap_all(setup, state, block, racing, kind, last)
        right = _decide(setup, state, last, events)
        if right == 0:  # everybody has slipped (H6)
            racing = 0
            void += 1
            _put_under(state, start)
            _tell(events, _VOID, _NONE, start, _NONE, _NONE, 0)
        elif right & (right - 1):  # the tied players alone play on (H4)
            racing = right
            ties += 1
            _put_under(state, start)
            _tell(events, _TIE, _NONE, start, _NONE, _NONE, right)
        else:
            racing = 0
            seat = 0
            while right >> seat > 1:
                seat += 1
            card = state.outer[last]
            state.won[seat, state.held[seat]] = card
            state.held[seat] += 1
            state.last_places[won] = last
            won += 1
            _tell(events, _WIN, seat, card, last, _NONE, 0)
            state.outer[last] = start
            _tell(events, _MOVE, _NONE, start, last, _NONE, 0)
            if state.held[seat] == setup.goal:
                reason, winners = _GOAL, right
    _tell(events, _END, _NONE, _NONE, _NONE, _NONE, winners)
    found = state.found
    found[0], found[1], found[2] = winners, reason, rounds
    found[3], found[4], found[5] = void, ties, turns


@njit(cache=True, nogil=True)
def count_kernel(setup, state, sums):  # type: ignore[no-untyped-def]
    """Add a finished game to the sums."""
    winners, reason, rounds = state.found[0], state.found[1], state.found[2]
    sums.rounds[rounds] += 1
    sums.reasons[reason] += 1
    n_winners = slips = won = 0
    for seat in range(setup.players):
        n_winners += winners >> seat & 1
        slips += state.slips[seat]
        won += state.held[seat] + state.lost[seat]
        sums.cards[seat] += state.held[seat]
        sums.slips[seat] += state.slips[seat]
        sums.lost[seat] += state.lost[seat]
    for seat in range(setup.players):
        if winners >> seat & 1:
            share = _SHARES // n_winners
            sums.won[seat] += np.int64(n_winners == 1)
            sums.shared[seat] += np.int64(n_winners > 1)
            sums.shares[seat] += share
            sums.share_squares[seat] += share * share
    sums.totals[0] += won
    sums.totals[1] += state.found[3]
    sums.totals[2] += state.found[4]
    sums.totals[3] += state.found[5]
    sums.totals[6] += np.int64(slips > 0)
    for j in range(won):
        place = state.last_places[j]
        number = min(j + 1, _CARDS)
        sums.places[number, place] += 1
        if j > 0:
            same = np.int64(place == state.last_places[j - 1])
            sums.totals[4] += 1
            sums.totals[5] += same
            sums.same[number] += same


@njit(cache=True, nogil=True)
def study_kernel(setup, orders, first, state, events, sums):  # type: ignore[no-untyped-def]
    """Play the games numbered from `first` on, one for each row of `orders`, and add them up."""
    for i in range(orders.shape[0]):
        play_kernel(setup, orders[i], first + i, state, events)
        count_kernel(setup, state, sums)


@njit(cache=True, nogil=True)
def conserve_kernel(setup, orders, first, state, events, where, stock, sums):  # type: ignore[no-untyped-def]
    """As `study_kernel`, and replay the events of every game.

    Returns
    -------
    int
        Place in `orders` of the first game whose cards are not all accounted for, or -1.
    """
    for i in range(orders.shape[0]):
        play_kernel(setup, orders[i], first + i, state, events)
        if replay(events.rows, events.number[0], orders[i], where, stock) >= 0:
            return i
        count_kernel(setup, state, sums)
    return -1
