"""Compiled rules of the home game: the fast twin of the referee (rules.py).

A hand of play is a row of numbers `s` (layout: table_arrays.py) that `act` changes. Events are told
if ``s[TOLD]`` is not negative. The kernels trust their arguments. Rulings D1 to D17 of
docs/rulings.md are marked as in the referee.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.partial_kernel import hand_key
from ricochet_casino.cards.partial_tables import (
    FLUSH_BITS,
    JOKER_SHIFT,
    KEY_SHIFT,
    RANK_SHIFT,
    order_tables,
)
from ricochet_casino.cards.partial_tables import START as EMPTY_WORD
from ricochet_casino.cards.shuffle_kernel import modulus_tables, philox_kernel
from ricochet_casino.games.home_poker.policies import RESHUFFLE_STREAM, TURNS
from ricochet_casino.games.home_poker.table_arrays import (
    ACTED,
    ALIVE,
    ANTE,
    BEATEN,
    BOUGHT,
    BUYS,
    DEAD,
    DEAL,
    DECK,
    END,
    FOLDS,
    FULL,
    HANDS,
    HELD,
    KINDS,
    LEVEL,
    LIMIT,
    LIVE,
    NET,
    NEXT,
    ONE_JOKER,
    ORDERS,
    PLAYERS,
    POT,
    RANDOM,
    RESHUFFLE,
    RESHUFFLES,
    SEAT,
    STARTING,
    STUB,
    TOLD,
    TURN,
    UNDEALT,
    UNIT,
    WINNERS,
    WORDS,
)

(_ANTE, _DEAL, _FOLD, _BUY, _CARD, _STOP, _BEATEN, _STAY, _FULL, _RESHUFFLE, _WIN,
 _SPLIT) = range(len(KINDS))  # fmt: skip
_LEVEL_SPLIT, _LEVEL_STAY = 1, 2
_SEVEN = 7
_STARTS = tuple(int(start) for start in order_tables().starts)
_FIVE, _SUITED = _STARTS[5:]
_WORDS = order_tables().words
_ACCEPTED = modulus_tables()[0]
_RESHUFFLES = np.uint64(RESHUFFLE_STREAM)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = (np.uint64(n) for n in (30, 27, 31, 32))
_0, _1, _2, _3 = (np.uint64(n) for n in range(4))


@njit(cache=True, nogil=True, inline="always")
def random_below(s, bound):  # type: ignore[no-untyped-def]
    """A random number below `bound`: splitmix64, the upper 32 bits scaled; a policy's dice."""
    state = np.uint64(s[RANDOM]) + _GOLDEN
    s[RANDOM] = np.int64(state)
    z = (state ^ (state >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    z ^= z >> _31
    return np.int64(((z >> _32) * np.uint64(bound)) >> _32)


@njit(cache=True, nogil=True, inline="always")
def tell(s, rows, kind, seat, chips, card, number):  # type: ignore[no-untyped-def]
    """Write an event down."""
    if s[TOLD] >= 0:
        row = s[TOLD]
        rows[row, 0], rows[row, 1], rows[row, 2] = kind, seat, s[POT]
        rows[row, 3], rows[row, 4], rows[row, 5] = chips, card, number
        s[TOLD] = row + 1


@njit(cache=True, nogil=True)
def _best_order(s, begin, held, word, best, orders):  # type: ignore[no-untyped-def]
    """Order number of six or seven cards: one or two of the older ones are left out (D10)."""
    for i in range(held - 1):
        less = word - _WORDS[s[begin + i]]
        for j in range(i if held == _SEVEN else 1):
            five = less - _WORDS[s[begin + j]] if held == _SEVEN else less
            if five & FLUSH_BITS:
                place = (five >> JOKER_SHIFT & 3) << 13 | (five >> RANK_SHIFT & 0x1FFF)
                best = max(best, np.int64(orders[_SUITED + place]))
            else:
                best = max(best, np.int64(orders[_FIVE + (five >> KEY_SHIFT)]))
    return best


@njit(cache=True, nogil=True, inline="always")
def add_card(s, seat, card, orders):  # type: ignore[no-untyped-def]
    """Put a card into a hand and find its order number."""
    held = s[HELD + seat]
    s[HANDS + _SEVEN * seat + held] = card
    held += 1
    s[HELD + seat] = held
    word = s[WORDS + seat] + _WORDS[card]
    s[WORDS + seat] = word
    if held > 5:
        begin, best = HANDS + _SEVEN * seat, s[ORDERS + seat]
        order = _best_order(s, begin, held, word, best, orders)
    elif held == 5 and word & FLUSH_BITS:
        place = (word >> JOKER_SHIFT & 3) << 13 | (word >> RANK_SHIFT & 0x1FFF)
        order = np.int64(orders[_SUITED + place])
    else:
        order = np.int64(orders[_STARTS[held] + (word >> KEY_SHIFT)])
    s[ORDERS + seat] = order


@njit(cache=True, nogil=True)
def _above_by_suit(s, seat, other):  # type: ignore[no-untyped-def]
    own = hand_key(s, HANDS + _SEVEN * seat, s[HELD + seat])
    return own > hand_key(s, HANDS + _SEVEN * other, s[HELD + other])


@njit(cache=True, nogil=True, inline="always")
def above(s, seat, other):  # type: ignore[no-untyped-def]
    """Whether a hand is above another in the order of play."""
    mine, its = s[ORDERS + seat], s[ORDERS + other]
    return mine > its or (mine == its and _above_by_suit(s, seat, other))


@njit(cache=True, nogil=True)
def lowest(s, players, without):  # type: ignore[no-untyped-def]
    """Seat of the lowest live hand, one seat left out (-1: none)."""
    found, order = np.int64(-1), np.int64(1 << 16)
    for seat in range(players):
        if s[LIVE + seat] and seat != without:
            own = s[ORDERS + seat]
            if own < order or (own == order and _above_by_suit(s, found, seat)):
                found, order = np.int64(seat), own
    return found


@njit(cache=True, nogil=True, inline="always")
def room(s, seat):  # type: ignore[no-untyped-def]
    """Most cards that a seat can buy (D13, D14)."""
    cards = s[END] - s[NEXT]
    if s[RESHUFFLE] == 1:
        cards += s[DEAD]
    return min(s[LIMIT] - s[HELD + seat], cards)


@njit(cache=True, nogil=True)
def _all_level(s, players):  # type: ignore[no-untyped-def]
    first = np.int64(-1)
    for seat in range(players):
        if s[LIVE + seat]:
            if first >= 0 and s[ORDERS + seat] != first:
                return False
            first = s[ORDERS + seat]
    return True


@njit(cache=True, nogil=True)
def _out(s, rows, kind, seat):  # type: ignore[no-untyped-def]
    s[LIVE + seat] = 0
    s[ALIVE] -= 1
    s[DEAD] += s[HELD + seat]
    tell(s, rows, kind, seat, 0, -1, 0)


@njit(cache=True, nogil=True)
def _split(s, rows, players):  # type: ignore[no-untyped-def]
    """Equal shares; odd units to those who acted last (D16)."""
    share = s[POT] // s[ALIVE]
    odd = s[POT] - share * s[ALIVE]
    for seat in range(players):
        if not s[LIVE + seat]:
            continue
        later = 0
        for other in range(players):
            if s[LIVE + other] and other != seat:
                later += s[ACTED + other] > s[ACTED + seat]
                later += s[ACTED + other] == s[ACTED + seat] and other < seat
        extra = np.int64(later < odd)
        s[POT] -= share + extra
        s[NET + seat] += share + extra
        tell(s, rows, _SPLIT, seat, share + extra, -1, extra)
    s[WINNERS] = s[ALIVE]
    s[SEAT] = -1


@njit(cache=True, nogil=True)
def settle(s, rows, seat):  # type: ignore[no-untyped-def]
    """The lowest live hand, which is in `seat`, acts (D1); or end the hand of play."""
    while True:
        if s[ALIVE] == 1:  # draws nothing more (D12)
            pot = s[POT]
            s[NET + seat] += pot
            s[POT] = 0
            tell(s, rows, _WIN, seat, pot, -1, 0)
            s[WINNERS] = 1
            s[SEAT] = -1
            return
        if room(s, seat) > 0:
            s[SEAT] = seat
            return
        if _all_level(s, s[PLAYERS]):
            _split(s, rows, s[PLAYERS])
            return
        s[FULL] += 1
        _out(s, rows, _FULL, seat)  # D11
        seat = lowest(s, s[PLAYERS], -1)


@njit(cache=True, nogil=True)
def open_hand(s, rows, cards, begin, number, orders):  # type: ignore[no-untyped-def]
    """Take antes, deal from `cards[begin:]`, `number` of them, and find who acts.

    ``s[TOLD]`` and ``s[DEAL]`` are set before.
    """
    s[POT] = s[TURN] = s[WINNERS] = s[RESHUFFLES] = s[DEAD] = 0
    s[BUYS] = s[BOUGHT] = s[UNDEALT] = s[FOLDS] = s[BEATEN] = s[FULL] = 0
    s[ALIVE] = s[PLAYERS]
    for seat in range(s[PLAYERS]):
        s[HELD + seat] = s[ACTED + seat] = 0
        s[WORDS + seat] = EMPTY_WORD
        s[LIVE + seat] = 1
        s[NET + seat] = -s[ANTE]
        s[POT] += s[ANTE]
        tell(s, rows, _ANTE, seat, -s[ANTE], -1, 0)
    for place in range(number):
        card = np.int64(cards[begin + place])
        if s[ONE_JOKER] == 1 and card == 52:
            card = np.int64(53)  # a single Joker is the big one
        s[STUB + place] = card
    s[NEXT], s[END] = 0, s[DECK]
    for _ in range(s[STARTING]):
        for seat in range(s[PLAYERS]):
            card = s[STUB + s[NEXT]]
            s[NEXT] += 1
            add_card(s, seat, card, orders)
            tell(s, rows, _DEAL, seat, 0, card, 0)
    settle(s, rows, lowest(s, s[PLAYERS], -1))


@njit(cache=True, nogil=True)
def _fresh_stub(s, rows, seed):  # type: ignore[no-untyped-def]
    """Make a stub of the cards of hands that are out (D14), shuffled as `shuffle` defines."""
    number = np.int64(0)
    for seat in range(s[PLAYERS]):
        if not s[LIVE + seat]:
            for j in range(s[HELD + seat]):
                card = s[HANDS + _SEVEN * seat + j]
                place = number
                while place > 0 and s[STUB + place - 1] > card:
                    s[STUB + place] = s[STUB + place - 1]
                    place -= 1
                s[STUB + place] = card
                number += 1
            s[HELD + seat] = 0
    s[NEXT], s[END], s[DEAD] = 0, number, 0
    length = (np.uint64(number) + _3) >> _2 << _2
    index = np.uint64(s[DEAL]) * np.uint64(TURNS) + np.uint64(s[RESHUFFLES])
    for j in range(number - 1):
        left = number - j
        if s[DEAL] >= 0:
            at = index * length + np.uint64(j)
            attempt, word, limit = _0, _0, _ACCEPTED[left]
            while True:
                word = philox_kernel(at >> _2, attempt, seed, _RESHUFFLES)[at & _3]
                if word <= limit:
                    break
                attempt += _1
            chosen = j + np.int64(word % np.uint64(left))
        else:
            chosen = j + random_below(s, left)
        s[STUB + j], s[STUB + chosen] = s[STUB + chosen], s[STUB + j]
    s[RESHUFFLES] += 1
    tell(s, rows, _RESHUFFLE, -1, 0, -1, number)


@njit(cache=True, nogil=True)
def act(s, rows, amount, seed, orders):  # type: ignore[no-untyped-def]
    """The seat to act folds (0) or buys so many cards; find who acts next."""
    seat = s[SEAT]
    s[TURN] += 1
    s[ACTED + seat] = s[TURN]
    rival = lowest(s, s[PLAYERS], seat)
    if amount == 0:
        s[FOLDS] += 1
        _out(s, rows, _FOLD, seat)
        settle(s, rows, rival)
        return
    s[BUYS] += 1
    s[POT] += amount * s[UNIT]
    s[NET + seat] -= amount * s[UNIT]
    tell(s, rows, _BUY, seat, -amount * s[UNIT], -1, amount)
    passed = False
    for left in range(amount - 1, -1, -1):
        if s[NEXT] == s[END]:
            _fresh_stub(s, rows, seed)
        card = s[STUB + s[NEXT]]
        s[NEXT] += 1
        s[BOUGHT] += 1
        add_card(s, seat, card, orders)
        tell(s, rows, _CARD, seat, 0, card, 0)
        passed = above(s, seat, rival)
        if passed:  # suits included (D5)
            s[UNDEALT] += left
            tell(s, rows, _STOP, seat, 0, -1, left)
            break
    same = s[ORDERS + seat] == s[ORDERS + rival]
    level = same and _all_level(s, s[PLAYERS])
    if level and s[LEVEL] == _LEVEL_SPLIT:
        _split(s, rows, s[PLAYERS])
        return
    if passed:
        seat = rival
    elif not (level and room(s, seat) == 0):
        if s[LEVEL] == _LEVEL_STAY and same:
            tell(s, rows, _STAY, seat, 0, -1, 0)  # behind by suit only (D7)
        else:
            s[BEATEN] += 1
            _out(s, rows, _BEATEN, seat)  # D6
            seat = rival
    settle(s, rows, seat)


@njit(cache=True, nogil=True)
def copy_hand(s, to):  # type: ignore[no-untyped-def]
    """Copy a hand of play, without its stub."""
    for place in range(STUB):
        to[place] = s[place]


@njit(cache=True, nogil=True)
def unseen_cards(s, to, wanted):  # type: ignore[no-untyped-def]
    """Put all cards that are in no hand into the stub of `to`, rising, and count them.

    If they are fewer than `wanted`, those of hands that are out follow.
    """
    seen = dead = _0
    for seat in range(s[PLAYERS]):
        for j in range(s[HELD + seat]):
            bit = _1 << np.uint64(s[HANDS + _SEVEN * seat + j])
            seen |= bit
            if not s[LIVE + seat]:
                dead |= bit
    if s[ONE_JOKER] == 1:
        seen |= _1 << np.uint64(52)
    number = np.int64(0)
    for card in range(s[DECK] + s[ONE_JOKER]):
        # Without a branch, which nobody could predict: the next card may take the place.
        to[STUB + number] = card
        number += np.int64(~seen >> np.uint64(card) & _1)
    if number < wanted:
        for card in range(54):
            if dead >> np.uint64(card) & _1:
                to[STUB + number] = card
                number += 1
    return number


@njit(cache=True, nogil=True)
def put_card(s, seat, card, orders):  # type: ignore[no-untyped-def]
    """As `add_card`, for those who are not compiled."""
    add_card(s, seat, card, orders)
