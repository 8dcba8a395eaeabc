"""Tables for the order of hands of one to five cards without their suits, for the kernels.

As in `additive`, the ranks of a hand are a sum of keys; a Joker is a fourteenth rank. Each possible
sum of one to five cards has its *order number*: numbers rise with the hands, and two hands are
level at the showdown exactly when theirs are equal. Flushes are found by counters of suits, in
which a Joker counts for every suit (docs/math.md, 13.2).

=============  ====================================================
bits           word of a card
=============  ====================================================
0 to 15        four counters of suits
16 to 28       one bit for the rank; none for a Joker
33 to 35       counts Jokers
40 and above   the rank key
=============  ====================================================
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.additive import FIVE_KEYS, FLUSH_BITS, KEY_SHIFT, RANK_SHIFT, START
from ricochet_casino.cards.deck import JOKER_SMALL
from ricochet_casino.cards.partial import SUIT_BITS, hand_order

JOKER_KEY: Final = 148_432
"""The next of the smallest keys after `FIVE_KEYS` that keep sums of five cards unique."""
JOKER_SHIFT: Final = 33
MOST: Final = 5
"""Cards that count."""
_KEYS: Final = (*FIVE_KEYS, JOKER_KEY)
_JOKER = 13

__all__ = ["FLUSH_BITS", "JOKER_KEY", "JOKER_SHIFT", "KEY_SHIFT", "MOST", "RANK_SHIFT", "START"]


class OrderTables(NamedTuple):
    """What kernels look up; all read-only.

    Attributes
    ----------
    words
        (54,) int64 by card.
    starts
        (7,) int64: where the order numbers of hands of n cards begin in `orders`; the last is
        for five cards of one suit.
    orders
        (S,) uint16: order number by ``starts[n] + sum of keys``, and for five cards of one suit
        by ``starts[6]``, the number of Jokers among them (times 8192) and the set of other ranks.
    keys
        (9842,) int64 by order number: `partial.HandOrder.key` without the suit bits.
    """

    words: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    orders: npt.NDArray[np.uint16]
    keys: npt.NDArray[np.int64]


@cache
def order_tables() -> OrderTables:
    """The tables, computed from `partial.hand_order` in half a second and kept."""
    plain = {n: dict(_plain_hands(n)) for n in range(1, MOST + 1)}
    suited = dict(_suited_hands())
    keys = np.unique([*(key for found in plain.values() for key in found.values()),
                      *suited.values()])  # fmt: skip
    starts, total = np.zeros(MOST + 2, dtype=np.int64), 0
    for n in range(1, MOST + 1):
        starts[n] = total
        total += max(plain[n]) + 1
    starts[-1] = total
    orders = np.zeros(total + (3 << 13), dtype=np.uint16)
    for n, found in plain.items():
        places = starts[n] + np.fromiter(found, dtype=np.int64)
        orders[places] = np.searchsorted(keys, list(found.values()))
    orders[total + np.fromiter(suited, dtype=np.int64)] = np.searchsorted(
        keys, list(suited.values())
    )
    tables = OrderTables(_words(), starts, orders, keys)
    for table in tables:
        table.flags.writeable = False
    return tables


def _words() -> npt.NDArray[np.int64]:
    words = [
        _KEYS[card >> 2] << KEY_SHIFT | 1 << (RANK_SHIFT + (card >> 2)) | 1 << 4 * (card & 3)
        for card in range(JOKER_SMALL)
    ]
    joker = JOKER_KEY << KEY_SHIFT | 1 << JOKER_SHIFT | 0x1111
    return np.array([*words, joker, joker], dtype=np.int64)


def _plain_hands(n: int) -> Iterator[tuple[int, int]]:
    """Sum of keys and key at the showdown of every hand of n ranks that is no flush."""
    for ranks in combinations_with_replacement(range(_JOKER + 1), n):
        times = [ranks.count(rank) for rank in range(_JOKER + 1)]
        if max(times[:_JOKER]) > 4 or times[_JOKER] > 2:
            continue
        cards = [4 * rank + suit for rank in range(_JOKER) for suit in range(times[rank])]
        if len(cards) == n - times[_JOKER] > 1 and max(times[:_JOKER]) == 1:
            cards[-1] += 1  # all clubs would be a flush
        cards += range(JOKER_SMALL, JOKER_SMALL + times[_JOKER])
        yield sum(_KEYS[rank] for rank in ranks), hand_order(cards).key >> SUIT_BITS


def _suited_hands() -> Iterator[tuple[int, int]]:
    """Place after ``starts[6]`` and key at the showdown of every five cards of one suit."""
    for jokers in range(3):
        for ranks in combinations(range(_JOKER), MOST - jokers):
            cards = [4 * rank for rank in ranks]
            cards += range(JOKER_SMALL, JOKER_SMALL + jokers)
            place = jokers << 13 | sum(1 << rank for rank in ranks)
            yield place, hand_order(cards).key >> SUIT_BITS
