"""Compiled values of heads-up positions: both players go on optimally, everything is counted.

One row of numbers holds the two hands, the cards to come, and a block for each turn that is being
looked at. Values are whole numbers: chips, times 2 for exact halves, times the number of ordered
ways in which the cards still possible can come (docs/math.md, 13.5). What saves time:

- sets of cards instead of orders: a set counts as often as it has orders in which only the last
  card lifts the hand;
- ranks instead of cards, where the two hands can never be level: then suits matter only for flushes
  that can still come about;
- against a full hand nothing is played out: sets of ranks are counted by the sum of their keys.

All functions trust; exact.py checks.
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

# The row: cards of either player (7 each), cards held, word and order number of either hand; unseen
# cards by rank (13: Jokers), whether each card is unseen; hand limit, chips in the pot, reading of
# level hands (table_arrays.LEVELS), whether chips cannot be cut; scratch for a hand.
HANDS, HELD, WORDS, ORDERS, COUNTS, UNSEEN = 0, 14, 16, 18, 20, 34
LIMIT, POT, LEVEL, WHOLE, SCRATCH, BLOCKS = 88, 89, 90, 91, 92, 100
# A block: value by chips paid since the start; for purchases of j cards what hands that overtake
# with the last of them bring, and what level ones do, at the end the values of the purchases;
# places in the list of items, cards picked, the items' first cards and how many cards each has;
# which suits are free; and as the first three parts, what player 0 still pays.
PAID = 48
_VALUE, _GAIN, AMOUNTS, _PLACE, _PICKED = 0, PAID, 9 * PAID, 17 * PAID, 17 * PAID + 8
_FIRST, _MANY = _PICKED + 8, _PICKED + 8 + 54
_FREE = _MANY + 54
_COST = _FREE + 1
_COST_GAIN, COSTS = _COST + _GAIN, _COST + AMOUNTS
BLOCK = _COST + 17 * PAID
TURNS = 14
SIZE = BLOCKS + TURNS * BLOCK

_SPLIT, _STAY = 1, 2
_JOKER_RANK = 13
_STARTS = tuple(int(start) for start in order_tables().starts)
_FIVE, _SUITED = _STARTS[5:]
_WORDS = order_tables().words
_KEYS = np.array([int(_WORDS[4 * rank]) >> KEY_SHIFT for rank in range(14)], dtype=np.int64)


@njit(cache=True, nogil=True, inline="always")
def _rank(card):  # type: ignore[no-untyped-def]
    return min(card >> 2, _JOKER_RANK)


@njit(cache=True, nogil=True)
def _falling(n, k):  # type: ignore[no-untyped-def]
    """Ordered ways to draw k of n cards."""
    product = np.int64(1)
    for i in range(k):
        product *= n - i
    return product


@njit(cache=True, nogil=True, inline="always")
def _choose(n, k):  # type: ignore[no-untyped-def]
    """Binomial coefficient for k up to 4."""
    if k == 1:
        return n
    if k == 2:
        return n * (n - 1) // 2
    if k == 3:
        return n * (n - 1) * (n - 2) // 6
    return n * (n - 1) * (n - 2) * (n - 3) // 24


@njit(cache=True, nogil=True, inline="always")
def _order(word, held, orders):  # type: ignore[no-untyped-def]
    """Order number of one to five cards."""
    if held == 5 and word & FLUSH_BITS:
        place = (word >> JOKER_SHIFT & 3) << 13 | (word >> RANK_SHIFT & 0x1FFF)
        return np.int64(orders[_SUITED + place])
    return np.int64(orders[_STARTS[held] + (word >> KEY_SHIFT)])


@njit(cache=True, nogil=True)
def _order_with(w, player, picked, j, skip, orders):  # type: ignore[no-untyped-def]
    """Order number of a hand with j picked cards, but the one at place `skip`."""
    held, word = w[HELD + player], w[WORDS + player]
    for i in range(j):
        if i != skip:
            word += _WORDS[w[picked + i]]
            held += 1
    if held <= 5:
        return _order(word, held, orders)
    _lay_out(w, player, picked, j, skip)
    best = np.int64(0)
    for i in range(held):
        less = word - _WORDS[w[SCRATCH + i]]
        for k in range(i if held == 7 else 1):
            five = less - _WORDS[w[SCRATCH + k]] if held == 7 else less
            best = max(best, _order(five, 5, orders))
    return best


@njit(cache=True, nogil=True)
def _lay_out(w, player, picked, j, skip):  # type: ignore[no-untyped-def]
    """Write a hand with its picked cards to the scratch."""
    held = w[HELD + player]
    for i in range(held):
        w[SCRATCH + i] = w[HANDS + 7 * player + i]
    for i in range(j):
        if i != skip:
            w[SCRATCH + held] = w[picked + i]
            held += 1
    return held


@njit(cache=True, nogil=True)
def _over(w, player, picked, j, skip, orders):  # type: ignore[no-untyped-def]
    """Whether a hand with its picked cards is above the other one: 1, or 0."""
    mine, its = _order_with(w, player, picked, j, skip, orders), w[ORDERS + 1 - player]
    if mine != its:
        return np.int64(mine > its)
    held = _lay_out(w, player, picked, j, skip)
    own = hand_key(w, SCRATCH, held)
    return np.int64(own > hand_key(w, HANDS + 7 * (1 - player), w[HELD + 1 - player]))


@njit(cache=True, nogil=True)
def put_cards(w, player, picked, j, orders):  # type: ignore[no-untyped-def]
    """Move picked cards from the unseen ones into a hand."""
    order = _order_with(w, player, picked, j, -1, orders)
    for i in range(j):
        card = w[picked + i]
        w[HANDS + 7 * player + w[HELD + player]] = card
        w[HELD + player] += 1
        w[WORDS + player] += _WORDS[card]
        w[UNSEEN + card] = 0
        w[COUNTS + _rank(card)] -= 1
    w[ORDERS + player] = order


@njit(cache=True, nogil=True)
def _take_back(w, player, picked, j, order):  # type: ignore[no-untyped-def]
    for i in range(j):
        card = w[picked + i]
        w[HELD + player] -= 1
        w[WORDS + player] -= _WORDS[card]
        w[UNSEEN + card] = 1
        w[COUNTS + _rank(card)] += 1
    w[ORDERS + player] = order


@njit(cache=True, nogil=True)
def _one_suit(w, player):  # type: ignore[no-untyped-def]
    """Suit of all natural cards of a hand; 4 if it has none yet, -1 for several suits."""
    suit = np.int64(4)
    for i in range(w[HELD + player]):
        card = w[HANDS + 7 * player + i]
        if card < 52:
            if suit not in (4, card & 3):
                return np.int64(-1)
            suit = card & 3
    return suit


@njit(cache=True, nogil=True)
def _free_suits(w):  # type: ignore[no-untyped-def]
    """Suits (bits) whose cards of one rank can stand for each other: no flush, no level hands."""
    if w[LIMIT] > 5:
        return np.int64(0)
    # Level hands hold the natural ranks of both, as often as the one that has more of each.
    common = np.int64(0)
    for rank in range(_JOKER_RANK):
        often = np.int64(0)
        for player in range(2):
            times = np.int64(0)
            for i in range(w[HELD + player]):
                times += w[HANDS + 7 * player + i] >> 2 == rank
            often = max(often, times)
        common += often
    if common <= 5:
        return np.int64(0)
    free = np.int64(15)
    for player in range(2):
        if w[HELD + player] < 5:
            suit = _one_suit(w, player)
            if suit == 4:
                return np.int64(0)
            if suit >= 0:
                free &= ~(np.int64(1) << suit)
    return free


@njit(cache=True, nogil=True)
def _items(w, block):  # type: ignore[no-untyped-def]
    """List what can be drawn: cards, and the first of each set that stand for each other."""
    number, free = np.int64(0), _free_suits(w)
    w[block + _FREE] = free
    for rank in range(14):
        first = np.int64(-1)
        for suit in range(4 if rank < _JOKER_RANK else 2):
            card = 4 * rank + suit
            if not w[UNSEEN + card]:
                continue
            together = free >> suit & 1 if rank < _JOKER_RANK else np.int64(free > 0)
            if together and first >= 0:
                w[block + _MANY + first] += 1
                continue
            if together:
                first = number
            w[block + _FIRST + number], w[block + _MANY + number] = card, 1
            number += 1
    return number


@njit(cache=True, nogil=True)
def _pick(w, block, j):  # type: ignore[no-untyped-def]
    """Write the cards at j rising places of the items down; in how many ways, 0 if in none."""
    ways, run, free = np.int64(1), np.int64(1), w[block + _FREE]
    for i in range(j):
        place = w[block + _PLACE + i]
        run = run + 1 if i > 0 and w[block + _PLACE + i - 1] == place else np.int64(1)
        many = w[block + _MANY + place]
        if run > many:
            return np.int64(0)
        ways = ways * (many - run + 1) // run
        card = w[block + _FIRST + place]
        for _ in range(run - 1):
            card += 1
            while not w[UNSEEN + card] or (card < 52 and not free >> (card & 3) & 1):
                card += 1
        w[block + _PICKED + i] = card
    return ways


@njit(cache=True, nogil=True)
def count_over(w, player, most, orders, over, level):  # type: ignore[no-untyped-def]
    """Sets of k unseen cards, k up to `most`, that lift a hand above a full one of five cards.

    ``over[k]`` gets those that are above, ``level[k]`` those that are level in rank.
    """
    target, held, start = w[ORDERS + 1 - player], w[HELD + player], w[WORDS + player] >> KEY_SHIFT
    over[:] = 0
    level[:] = 0
    for a in range(14):
        n_a, k_a = w[COUNTS + a], start + _KEYS[a]
        if n_a == 0:
            continue
        found = np.int64(orders[_STARTS[held + 1] + k_a])
        over[1] += n_a * (found > target)
        level[1] += n_a * (found == target)
        for b in range(a, 14 if most > 1 else 0):
            run_b = 2 if b == a else 1
            before = n_a if b > a else np.int64(1)
            n_b, k_b = before * _choose(w[COUNTS + b], run_b), k_a + _KEYS[b]
            if n_b == 0:
                continue
            found = np.int64(orders[_STARTS[held + 2] + k_b])
            over[2] += n_b * (found > target)
            level[2] += n_b * (found == target)
            for c in range(b, 14 if most > 2 else 0):
                run_c = run_b + 1 if c == b else 1
                before_c = n_b if c > b else before
                n_c, k_c = before_c * _choose(w[COUNTS + c], run_c), k_b + _KEYS[c]
                if n_c == 0:
                    continue
                found = np.int64(orders[_STARTS[held + 3] + k_c])
                over[3] += n_c * (found > target)
                level[3] += n_c * (found == target)
                for d in range(c, 14 if most > 3 else 0):
                    run_d = run_c + 1 if d == c else 1
                    before_d = n_c if d > c else before_c
                    n_d = before_d * _choose(w[COUNTS + d], run_d)
                    if n_d:
                        found = np.int64(orders[_FIVE + k_c + _KEYS[d]])
                        over[4] += n_d * (found > target)
                        level[4] += n_d * (found == target)
    if held + most == 5:
        _mend_flushes(w, player, most, target, orders, over, level)


@njit(cache=True, nogil=True)
def _mend_flushes(w, player, most, target, orders, over, level):  # type: ignore[no-untyped-def]
    """Sets that make five cards of one suit were counted by their ranks alone."""
    own = _one_suit(w, player)
    if own < 0:
        return
    cards = np.empty(15, dtype=np.int64)
    for suit in range(4):
        if own not in (4, suit):
            continue
        n = 0
        for card in range(54):
            if w[UNSEEN + card] and (card >= 52 or card & 3 == suit):
                cards[n] = card
                n += 1
        for mask in range(1 << n):
            size, word = 0, w[WORDS + player]
            rest = mask
            for i in range(n):
                if rest & 1:
                    size += 1
                    word += _WORDS[cards[i]]
                rest >>= 1
            if size != most:
                continue
            plain = np.int64(orders[_FIVE + (word >> KEY_SHIFT)])
            suited = _order(word, 5, orders)
            over[most] += np.int64(suited > target) - np.int64(plain > target)
            level[most] += np.int64(suited == target) - np.int64(plain == target)


@njit(cache=True, nogil=True, inline="always")
def _half(w, pot):  # type: ignore[no-untyped-def]
    """Twice the share of who acted last in a split pot (D16)."""
    return 2 * ((pot + 1) // 2) if w[WHOLE] else pot


@njit(cache=True, nogil=True)
def _against_full(w, block, player, unseen, low, high, orders):  # type: ignore[no-untyped-def]
    """Values of the turn of a player whose opponent has five cards of five."""
    most = 5 - w[HELD + player]
    over, level = np.empty(5, dtype=np.int64), np.empty(5, dtype=np.int64)
    count_over(w, player, most, orders, over, level)
    ways = _falling(unseen, most)
    for paid in range(low, high + 1):
        best = later = np.int64(0)
        for k in range(1, most + 1):
            pot = w[POT] + paid + k
            times = _falling(k, k) * _falling(unseen - k, most - k)
            value = times * (2 * pot * over[k] + _half(w, pot) * level[k]) - 2 * k * ways
            cost = 2 * k * ways if player == 0 else np.int64(0)
            w[block + AMOUNTS + k * PAID + paid], w[block + COSTS + k * PAID + paid] = value, cost
            if value > best:
                best, later = value, cost
        w[block + _VALUE + paid], w[block + _COST + paid] = best, later


@njit(cache=True, nogil=True)
def turn(w, number, player, unseen, low, high, orders):  # type: ignore[no-untyped-def]
    """Values of a turn, by chips paid since the start (`low` to `high`), into block `number`.

    Those of the purchases of k cards stand at ``AMOUNTS + k * PAID``. Returns the cards it can buy.
    """
    block, other = BLOCKS + number * BLOCK, 1 - player
    most = min(w[LIMIT] - w[HELD + player], unseen)
    room = w[LIMIT] - w[HELD + other]
    if w[LIMIT] == 5 and room == 0 and most == 5 - w[HELD + player]:
        _against_full(w, block, player, unseen, low, high, orders)
        return most
    draws = min(unseen, most + room)
    picked, top, order = block + _PICKED, high + most, w[ORDERS + player]
    w[block + _GAIN : block + _PLACE] = 0
    w[block + _COST_GAIN : block + BLOCK] = 0
    n = _items(w, block)
    for j in range(1, most + 1):
        rest = _falling(unseen - j, draws - j)
        gain, level_gain = block + _GAIN + j * PAID, block + AMOUNTS + j * PAID
        w[block + _PLACE : block + _PLACE + j] = 0
        at = np.int64(j)
        while at >= 0:
            ways = _pick(w, block, j)
            if ways > 0:
                level = _order_with(w, player, picked, j, -1, orders) == w[ORDERS + other]
                if _over(w, player, picked, j, -1, orders):
                    lifts = np.int64(0)
                    for i in range(j):
                        lifts += 1 - _over(w, player, picked, j, i, orders)
                    ways *= lifts * _falling(j - 1, j - 1)
                    ends = min(room, unseen - j) == 0
                    if ways == 0:
                        pass
                    elif level and (ends or w[LEVEL] == _SPLIT):
                        for paid in range(low + j, top + 1):
                            w[gain + paid] += ways * rest * _half(w, w[POT] + paid)
                    else:
                        following = block + BLOCK + _VALUE
                        if ends:
                            w[following + low : following + top + 1] = 0
                            w[following + _COST + low : following + _COST + top + 1] = 0
                        else:
                            put_cards(w, player, picked, j, orders)
                            turn(w, number + 1, other, unseen - j, low + j, top, orders)
                            _take_back(w, player, picked, j, order)
                        for paid in range(low + j, top + 1):
                            all_of_it = 2 * (w[POT] + paid) * rest
                            w[gain + paid] += ways * (all_of_it - w[following + paid])
                            w[gain + _COST + paid] += ways * w[following + _COST + paid]
                elif level:
                    ways *= _falling(j, j)
                    ends = min(w[LIMIT] - w[HELD + player], unseen) == j
                    if ends or w[LEVEL] == _SPLIT:
                        for paid in range(low + j, top + 1):
                            w[level_gain + paid] += ways * rest * _half(w, w[POT] + paid)
                    elif w[LEVEL] == _STAY:
                        put_cards(w, player, picked, j, orders)
                        turn(w, number + 1, player, unseen - j, low + j, top, orders)
                        _take_back(w, player, picked, j, order)
                        for paid in range(low + j, top + 1):
                            w[level_gain + paid] += ways * w[block + BLOCK + _VALUE + paid]
                            cost = w[block + BLOCK + _COST + paid]
                            w[level_gain + _COST + paid] += ways * cost
            at = _advance(w, block, j, n)
    _best(w, block, player, most, low, high, _falling(unseen, draws))
    return most


@njit(cache=True, nogil=True)
def _advance(w, block, j, n):  # type: ignore[no-untyped-def]
    """Go to the next rising places; -1 if there are none."""
    at = np.int64(j - 1)
    while at >= 0 and w[block + _PLACE + at] == n - 1:
        at -= 1
    if at >= 0:
        place = w[block + _PLACE + at] + 1
        for i in range(at, j):
            w[block + _PLACE + i] = place
    return at


@njit(cache=True, nogil=True)
def _best(w, block, player, most, low, high, ways):  # type: ignore[no-untyped-def]
    """Turn what each number of cards brings into the values of the purchases and of the turn."""
    for paid in range(low, high + 1):
        best = later = np.int64(0)
        for k in range(1, most + 1):
            at, chips = k * PAID + paid, 2 * k * ways
            value = w[block + AMOUNTS + at + k] - chips
            cost = w[block + COSTS + at + k] + (chips if player == 0 else 0)
            for j in range(1, k + 1):
                value += w[block + _GAIN + j * PAID + paid + k]
                cost += w[block + _COST_GAIN + j * PAID + paid + k]
            # The places of larger `paid` are still to be read, this one is not.
            w[block + AMOUNTS + at], w[block + COSTS + at] = value, cost
            if value > best:
                best, later = value, cost
        w[block + _VALUE + paid], w[block + _COST + paid] = best, later


@njit(cache=True, nogil=True)
def chances_kernel(w, most, orders, over):  # type: ignore[no-untyped-def]
    """Sets of k unseen cards, k up to `most`, that lift the hand of player 0 above the other."""
    block = BLOCKS
    over[:] = 0
    n = _items(w, block)
    for j in range(1, most + 1):
        w[block + _PLACE : block + _PLACE + j] = 0
        at = np.int64(j)
        while at >= 0:
            ways = _pick(w, block, j)
            if ways > 0:
                over[j] += ways * _over(w, 0, block + _PICKED, j, -1, orders)
            at = _advance(w, block, j, n)
