"""Compiled values of heads-up positions: both players go on optimally, everything is counted.

Values are whole numbers: chips, times 2 for exact halves, times the number of ordered ways in which
the cards still possible can come (docs/math.md, 13.5). What saves time:

- sets of cards instead of orders: a set counts as often as it has orders in which only the last
  card lifts the hand;
- ranks instead of cards, where suits do not matter (exact_row_kernel.py);
- against a full hand nothing is played out: sets of ranks are counted by the sum of their keys.

All functions trust; exact.py checks.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.partial_tables import KEY_SHIFT, order_tables
from ricochet_casino.games.home_poker.exact_row_kernel import (
    AMOUNTS,
    BLOCK,
    BLOCKS,
    COST,
    COST_GAIN,
    COSTS,
    COUNTS,
    GAIN,
    HELD,
    LEVEL,
    LIMIT,
    ORDERS,
    PAID,
    PICKED,
    PLACE,
    POT,
    UNSEEN,
    VALUE,
    WHOLE,
    WORDS,
    advance,
    choose,
    is_over,
    list_items,
    one_suit,
    order_of_word,
    order_with,
    ordered_draws,
    pick,
    put_cards,
    take_back,
)

_SPLIT, _STAY = 1, 2
_STARTS = tuple(int(start) for start in order_tables().starts)
_FIVE = _STARTS[5]
_WORDS = order_tables().words
_KEYS = np.array([int(_WORDS[4 * rank]) >> KEY_SHIFT for rank in range(14)], dtype=np.int64)


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
            n_b, k_b = before * choose(w[COUNTS + b], run_b), k_a + _KEYS[b]
            if n_b == 0:
                continue
            found = np.int64(orders[_STARTS[held + 2] + k_b])
            over[2] += n_b * (found > target)
            level[2] += n_b * (found == target)
            for c in range(b, 14 if most > 2 else 0):
                run_c = run_b + 1 if c == b else 1
                before_c = n_b if c > b else before
                n_c, k_c = before_c * choose(w[COUNTS + c], run_c), k_b + _KEYS[c]
                if n_c == 0:
                    continue
                found = np.int64(orders[_STARTS[held + 3] + k_c])
                over[3] += n_c * (found > target)
                level[3] += n_c * (found == target)
                for d in range(c, 14 if most > 3 else 0):
                    run_d = run_c + 1 if d == c else 1
                    before_d = n_c if d > c else before_c
                    n_d = before_d * choose(w[COUNTS + d], run_d)
                    if n_d:
                        found = np.int64(orders[_FIVE + k_c + _KEYS[d]])
                        over[4] += n_d * (found > target)
                        level[4] += n_d * (found == target)
    if held + most == 5:
        _mend_flushes(w, player, most, target, orders, over, level)


@njit(cache=True, nogil=True)
def _mend_flushes(w, player, most, target, orders, over, level):  # type: ignore[no-untyped-def]
    """Sets that make five cards of one suit were counted by their ranks alone."""
    own = one_suit(w, player)
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
            suited = order_of_word(word, 5, orders)
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
    ways = ordered_draws(unseen, most)
    for paid in range(low, high + 1):
        best = later = np.int64(0)
        for k in range(1, most + 1):
            pot = w[POT] + paid + k
            times = ordered_draws(k, k) * ordered_draws(unseen - k, most - k)
            value = times * (2 * pot * over[k] + _half(w, pot) * level[k]) - 2 * k * ways
            cost = 2 * k * ways if player == 0 else np.int64(0)
            w[block + AMOUNTS + k * PAID + paid], w[block + COSTS + k * PAID + paid] = value, cost
            if value > best:
                best, later = value, cost
        w[block + VALUE + paid], w[block + COST + paid] = best, later


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
    picked, top, order = block + PICKED, high + most, w[ORDERS + player]
    w[block + GAIN : block + PLACE] = 0
    w[block + COST_GAIN : block + BLOCK] = 0
    n = list_items(w, block)
    for j in range(1, most + 1):
        rest = ordered_draws(unseen - j, draws - j)
        gain, level_gain = block + GAIN + j * PAID, block + AMOUNTS + j * PAID
        w[block + PLACE : block + PLACE + j] = 0
        at = np.int64(j)
        while at >= 0:
            ways = pick(w, block, j)
            if ways > 0:
                level = order_with(w, player, picked, j, -1, orders) == w[ORDERS + other]
                if is_over(w, player, picked, j, -1, orders):
                    lifts = np.int64(0)
                    for i in range(j):
                        lifts += 1 - is_over(w, player, picked, j, i, orders)
                    ways *= lifts * ordered_draws(j - 1, j - 1)
                    ends = min(room, unseen - j) == 0
                    if ways == 0:
                        pass
                    elif level and (ends or w[LEVEL] == _SPLIT):
                        for paid in range(low + j, top + 1):
                            w[gain + paid] += ways * rest * _half(w, w[POT] + paid)
                    else:
                        following = block + BLOCK + VALUE
                        if ends:
                            w[following + low : following + top + 1] = 0
                            w[following + COST + low : following + COST + top + 1] = 0
                        else:
                            put_cards(w, player, picked, j, orders)
                            turn(w, number + 1, other, unseen - j, low + j, top, orders)
                            take_back(w, player, picked, j, order)
                        for paid in range(low + j, top + 1):
                            all_of_it = 2 * (w[POT] + paid) * rest
                            w[gain + paid] += ways * (all_of_it - w[following + paid])
                            w[gain + COST + paid] += ways * w[following + COST + paid]
                elif level:
                    ways *= ordered_draws(j, j)
                    ends = min(w[LIMIT] - w[HELD + player], unseen) == j
                    if ends or w[LEVEL] == _SPLIT:
                        for paid in range(low + j, top + 1):
                            w[level_gain + paid] += ways * rest * _half(w, w[POT] + paid)
                    elif w[LEVEL] == _STAY:
                        put_cards(w, player, picked, j, orders)
                        turn(w, number + 1, player, unseen - j, low + j, top, orders)
                        take_back(w, player, picked, j, order)
                        for paid in range(low + j, top + 1):
                            w[level_gain + paid] += ways * w[block + BLOCK + VALUE + paid]
                            cost = w[block + BLOCK + COST + paid]
                            w[level_gain + COST + paid] += ways * cost
            at = advance(w, block, j, n)
    _best(w, block, player, most, low, high, ordered_draws(unseen, draws))
    return most


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
                value += w[block + GAIN + j * PAID + paid + k]
                cost += w[block + COST_GAIN + j * PAID + paid + k]
            # The places of larger `paid` are still to be read, this one is not.
            w[block + AMOUNTS + at], w[block + COSTS + at] = value, cost
            if value > best:
                best, later = value, cost
        w[block + VALUE + paid], w[block + COST + paid] = best, later


@njit(cache=True, nogil=True)
def chances_kernel(w, most, orders, over):  # type: ignore[no-untyped-def]
    """Sets of k unseen cards, k up to `most`, that lift the hand of player 0 above the other."""
    block = BLOCKS
    over[:] = 0
    n = list_items(w, block)
    for j in range(1, most + 1):
        w[block + PLACE : block + PLACE + j] = 0
        at = np.int64(j)
        while at >= 0:
            ways = pick(w, block, j)
            if ways > 0:
                over[j] += ways * is_over(w, 0, block + PICKED, j, -1, orders)
            at = advance(w, block, j, n)
