"""One heads-up position as a row of numbers, and what changes it: cards that come and go.

The row holds the two hands, the cards to come, and a block for each turn that is being looked at
(exact_kernel.py looks). Where the two hands can never be level, suits matter only for flushes that
can still come about, and cards of a rank stand for each other (docs/math.md, 13.5).

All functions trust.
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
VALUE, GAIN, AMOUNTS, PLACE, PICKED = 0, PAID, 9 * PAID, 17 * PAID, 17 * PAID + 8
FIRST, MANY = PICKED + 8, PICKED + 8 + 54
FREE = MANY + 54
COST = FREE + 1
COST_GAIN, COSTS = COST + GAIN, COST + AMOUNTS
BLOCK = COST + 17 * PAID
TURNS = 14
SIZE = BLOCKS + TURNS * BLOCK

_JOKER_RANK = 13
_STARTS = tuple(int(start) for start in order_tables().starts)
_SUITED = _STARTS[6]
_WORDS = order_tables().words


@njit(cache=True, nogil=True, inline="always")
def rank_of_card(card):  # type: ignore[no-untyped-def]
    """Rank of a card, 13 for a Joker."""
    return min(card >> 2, _JOKER_RANK)


@njit(cache=True, nogil=True)
def ordered_draws(n, k):  # type: ignore[no-untyped-def]
    """Ordered ways to draw k of n cards."""
    product = np.int64(1)
    for i in range(k):
        product *= n - i
    return product


@njit(cache=True, nogil=True, inline="always")
def choose(n, k):  # type: ignore[no-untyped-def]
    """Binomial coefficient for k up to 4."""
    if k == 1:
        return n
    if k == 2:
        return n * (n - 1) // 2
    if k == 3:
        return n * (n - 1) * (n - 2) // 6
    return n * (n - 1) * (n - 2) * (n - 3) // 24


@njit(cache=True, nogil=True, inline="always")
def order_of_word(word, held, orders):  # type: ignore[no-untyped-def]
    """Order number of one to five cards."""
    if held == 5 and word & FLUSH_BITS:
        place = (word >> JOKER_SHIFT & 3) << 13 | (word >> RANK_SHIFT & 0x1FFF)
        return np.int64(orders[_SUITED + place])
    return np.int64(orders[_STARTS[held] + (word >> KEY_SHIFT)])


@njit(cache=True, nogil=True)
def order_with(w, player, picked, j, skip, orders):  # type: ignore[no-untyped-def]
    """Order number of a hand with j picked cards, but the one at place `skip`."""
    held, word = w[HELD + player], w[WORDS + player]
    for i in range(j):
        if i != skip:
            word += _WORDS[w[picked + i]]
            held += 1
    if held <= 5:
        return order_of_word(word, held, orders)
    _lay_out(w, player, picked, j, skip)
    best = np.int64(0)
    for i in range(held):
        less = word - _WORDS[w[SCRATCH + i]]
        for k in range(i if held == 7 else 1):
            five = less - _WORDS[w[SCRATCH + k]] if held == 7 else less
            best = max(best, order_of_word(five, 5, orders))
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
def is_over(w, player, picked, j, skip, orders):  # type: ignore[no-untyped-def]
    """Whether a hand with its picked cards is above the other one: 1, or 0."""
    mine, its = order_with(w, player, picked, j, skip, orders), w[ORDERS + 1 - player]
    if mine != its:
        return np.int64(mine > its)
    held = _lay_out(w, player, picked, j, skip)
    own = hand_key(w, SCRATCH, held)
    return np.int64(own > hand_key(w, HANDS + 7 * (1 - player), w[HELD + 1 - player]))


@njit(cache=True, nogil=True)
def put_cards(w, player, picked, j, orders):  # type: ignore[no-untyped-def]
    """Move picked cards from the unseen ones into a hand."""
    order = order_with(w, player, picked, j, -1, orders)
    for i in range(j):
        card = w[picked + i]
        w[HANDS + 7 * player + w[HELD + player]] = card
        w[HELD + player] += 1
        w[WORDS + player] += _WORDS[card]
        w[UNSEEN + card] = 0
        w[COUNTS + rank_of_card(card)] -= 1
    w[ORDERS + player] = order


@njit(cache=True, nogil=True)
def take_back(w, player, picked, j, order):  # type: ignore[no-untyped-def]
    """Undo `put_cards`; `order` is the hand's order number before."""
    for i in range(j):
        card = w[picked + i]
        w[HELD + player] -= 1
        w[WORDS + player] -= _WORDS[card]
        w[UNSEEN + card] = 1
        w[COUNTS + rank_of_card(card)] += 1
    w[ORDERS + player] = order


@njit(cache=True, nogil=True)
def one_suit(w, player):  # type: ignore[no-untyped-def]
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
            suit = one_suit(w, player)
            if suit == 4:
                return np.int64(0)
            if suit >= 0:
                free &= ~(np.int64(1) << suit)
    return free


@njit(cache=True, nogil=True)
def list_items(w, block):  # type: ignore[no-untyped-def]
    """List what can be drawn: cards, and the first of each set that stand for each other."""
    number, free = np.int64(0), _free_suits(w)
    w[block + FREE] = free
    for rank in range(14):
        first = np.int64(-1)
        for suit in range(4 if rank < _JOKER_RANK else 2):
            card = 4 * rank + suit
            if not w[UNSEEN + card]:
                continue
            together = free >> suit & 1 if rank < _JOKER_RANK else np.int64(free > 0)
            if together and first >= 0:
                w[block + MANY + first] += 1
                continue
            if together:
                first = number
            w[block + FIRST + number], w[block + MANY + number] = card, 1
            number += 1
    return number


@njit(cache=True, nogil=True)
def pick(w, block, j):  # type: ignore[no-untyped-def]
    """Write the cards at j rising places of the items down; in how many ways, 0 if in none."""
    ways, run, free = np.int64(1), np.int64(1), w[block + FREE]
    for i in range(j):
        place = w[block + PLACE + i]
        run = run + 1 if i > 0 and w[block + PLACE + i - 1] == place else np.int64(1)
        many = w[block + MANY + place]
        if run > many:
            return np.int64(0)
        ways = ways * (many - run + 1) // run
        card = w[block + FIRST + place]
        for _ in range(run - 1):
            card += 1
            while not w[UNSEEN + card] or (card < 52 and not free >> (card & 3) & 1):
                card += 1
        w[block + PICKED + i] = card
    return ways


@njit(cache=True, nogil=True)
def advance(w, block, j, n):  # type: ignore[no-untyped-def]
    """Go to the next rising places; -1 if there are none."""
    at = np.int64(j - 1)
    while at >= 0 and w[block + PLACE + at] == n - 1:
        at -= 1
    if at >= 0:
        place = w[block + PLACE + at] + 1
        for i in range(at, j):
            w[block + PLACE + i] = place
    return at
