"""Compiled order of hands of one to seven cards: the fast twin of `partial.hand_order`.

A card is turned into a *shown* number, ``rank << 3 | suit`` with ranks 2 to 14 and suits 3 to 6
(Jokers: rank 14, suits 1 and 2); 0 is no card. Five shown numbers give a key that compares as the
hands do (docs/math.md, 13.1); its bits from `partial.SUIT_BITS` on are the order at the showdown.
Of six and seven cards the best five count, suits included, which is the largest key of all fives:
adding a card need only look at the fives that hold it (`grown_key`). All functions trust.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from ricochet_casino.cards.deck import JOKER_BIG, check_cards
from ricochet_casino.cards.partial import MOST_CARDS

_SHOWN = np.array([((c >> 2) + 2) << 3 | ((c & 3) + 3) for c in range(52)] + [113, 114], np.int64)
"""By card code."""
_ONE, _TWO, _STRAIGHT, _FLUSH, _FIVE_ACES = 1, 2, 4, 5, 9
_STRAIGHT_FLUSH = 8
_WHEEL_TOP, _ACE_TOP = 5, 14
_ACES = 14 << 3
# By which neighbours of five sorted cards have equal ranks (bit 0: the first two): the category,
# and in which order the cards count, as five octal digits, the first card's place first.
_CATEGORY = np.array([0, 1, 1, 3, 1, 2, 3, 7, 1, 2, 2, 6, 3, 6, 7, 9], np.int64)
_ORDER = np.array([
    0o01234, 0o01234, 0o12034, 0o01234, 0o23014, 0o01234, 0o12304, 0o01234,
    0o34012, 0o01342, 0o12340, 0o01234, 0o23401, 0o23401, 0o12340, 0o01234,
], np.int64)  # fmt: skip


@njit(cache=True, nogil=True, inline="always")
def five_key(a, b, c, d, e):  # type: ignore[no-untyped-def]
    """Key of five shown numbers in any order, 0 for no card."""
    # A sorting network of nine exchanges, largest first.
    a, b = max(a, b), min(a, b)
    d, e = max(d, e), min(d, e)
    c, e = max(c, e), min(c, e)
    c, d = max(c, d), min(c, d)
    b, e = max(b, e), min(b, e)
    a, d = max(a, d), min(a, d)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    equal = np.int64(a >> 3 == b >> 3) & np.int64(b > 0)
    equal |= (np.int64(b >> 3 == c >> 3) & np.int64(c > 0)) << 1
    equal |= (np.int64(c >> 3 == d >> 3) & np.int64(d > 0)) << 2
    equal |= (np.int64(d >> 3 == e >> 3) & np.int64(e > 0)) << 3
    if equal == 0:
        key = _distinct_key(0, a, b, c, d, e)
        if e > 0 and a & 7 >= 3:
            key = _line_key(key, a, b, c, d, e)
    else:
        key = _grouped_key(equal, a, b, c, d, e)
    if e > 0 and a >> 3 == _ACE_TOP:
        # Bugs stand behind the natural aces, and at most five cards are aces.
        bugs = np.int64(a >> 3 == _ACE_TOP and a & 7 < 3)
        bugs += np.int64(b >> 3 == _ACE_TOP and b & 7 < 3)
        bugs += np.int64(c >> 3 == _ACE_TOP and c & 7 < 3)
        bugs += np.int64(d >> 3 == _ACE_TOP and d & 7 < 3)
        bugs += np.int64(e >> 3 == _ACE_TOP and e & 7 < 3)
        if bugs > 0:
            key = max(key, _bug_key(a, b, c, d, e))
    return key


@njit(cache=True, nogil=True, inline="always")
def _distinct_key(category, a, b, c, d, e):  # type: ignore[no-untyped-def]
    """Key of five shown numbers that count in this order."""
    ranks = ((((category << 4 | a >> 3) << 4 | b >> 3) << 4 | c >> 3) << 4 | d >> 3) << 4 | e >> 3
    suits = (((a & 7) << 3 | b & 7) << 3 | c & 7) << 3 | d & 7
    return (ranks << 12 | suits) << 3 | e & 7


@njit(cache=True, nogil=True, inline="always")
def _line_key(key, a, b, c, d, e):  # type: ignore[no-untyped-def]
    """The same for five falling natural cards of different ranks: straights and flushes too."""
    suited = (a ^ b | a ^ c | a ^ d | a ^ e) & 7 == 0
    wheel = a >> 3 == _ACE_TOP and b >> 3 == _WHEEL_TOP
    if (a >> 3) - (e >> 3) == 4 or wheel:
        category = _STRAIGHT_FLUSH if suited else _STRAIGHT
        if wheel:  # the ace is low and counts last
            return _distinct_key(category, b, c, d, e, 8 | a & 7)
        return _distinct_key(category, a, b, c, d, e)
    return _distinct_key(_FLUSH, a, b, c, d, e) if suited else key


@njit(cache=True, nogil=True)
def _grouped_key(equal, a, b, c, d, e):  # type: ignore[no-untyped-def]
    """Key of five falling shown numbers, some of equal rank."""
    order = _ORDER[equal]
    ranks, suits = _CATEGORY[equal], np.int64(0)
    for place in range(12, -1, -3):
        which = order >> place & 7
        card = a if which == 0 else b if which == 1 else c if which == 2 else d
        if which == 4:
            card = e
        ranks = ranks << 4 | card >> 3
        suits = suits << 3 | card & 7
    return ranks << 15 | suits


@njit(cache=True, nogil=True)
def _bug_key(a, b, c, d, e):  # type: ignore[no-untyped-def]
    """Best straight or flush of five cards with one or two bugs among them; 0 if there is none."""
    suit = np.int64(0)  # suit by rank, four bits each; rank 1 is the ace again
    suited, common, big = True, np.int64(0), np.int64(0)
    bugs = np.int64(0)
    for place in range(5):
        card = a if place == 0 else b if place == 1 else c if place == 2 else d
        if place == 4:
            card = e
        rank, own = card >> 3, card & 7
        if own < 3:
            bugs += 1
            big = max(big, own)
            continue
        if suit >> (4 * rank) & 15:
            return np.int64(0)  # two cards of a rank
        suit |= own << (4 * rank)
        if rank == _ACE_TOP:
            suit |= own << 4
        suited &= common in (0, own)
        common = own
    other = 3 - big if bugs == 2 else big
    for top in range(_ACE_TOP, 4, -1):
        found = np.int64(0)
        for rank in range(top, top - 5, -1):
            found += np.int64(suit >> (4 * rank) & 15 != 0)
        if found == 5 - bugs:
            category = _STRAIGHT_FLUSH if suited else _STRAIGHT
            return _filled_key(category, top, 5, suit, bugs, big, other)
    if suited:
        return _filled_key(_FLUSH, _ACE_TOP, 13, suit, bugs, big, other)
    return np.int64(0)


@njit(cache=True, nogil=True)
def _filled_key(category, top, width, suit, bugs, big, other):  # type: ignore[no-untyped-def]
    """Key of a line whose ranks from `top` down are cards or, while there are some, bugs."""
    ranks, suits, counted = np.int64(category), np.int64(0), 0
    bug = big
    for rank in range(top, top - width, -1):
        own = suit >> (4 * rank) & 15
        if own == 0 and bugs > 0:
            own, bug = bug, other
            bugs -= 1
        if own and counted < 5:
            ranks = ranks << 4 | rank
            suits = suits << 3 | own
            counted += 1
    return ranks << 15 | suits


@njit(cache=True, nogil=True)
def grown_key(key, hand, begin, held):  # type: ignore[no-untyped-def]
    """Key of a hand after its last card was added.

    Parameters
    ----------
    key
        Key before; only looked at with six and seven cards.
    hand, begin
        int64 array that holds the card codes from place `begin` on.
    held
        Cards now, the new one last: 1 to 7.
    """
    new = _SHOWN[hand[begin + held - 1]]
    if held <= 5:
        b = _SHOWN[hand[begin]] if held > 1 else 0
        c = _SHOWN[hand[begin + 1]] if held > 2 else 0
        d = _SHOWN[hand[begin + 2]] if held > 3 else 0
        e = _SHOWN[hand[begin + 3]] if held > 4 else 0
        return five_key(new, b, c, d, e)
    for first in range(held - 1):
        for second in range(first + 1, held - 1):
            for third in range(second + 1, held - 1):
                for fourth in range(third + 1, held - 1):
                    key = max(key, five_key(
                        new, _SHOWN[hand[begin + first]], _SHOWN[hand[begin + second]],
                        _SHOWN[hand[begin + third]], _SHOWN[hand[begin + fourth]],
                    ))  # fmt: skip
    return key


@njit(cache=True, nogil=True)
def hand_key(hand, begin, held):  # type: ignore[no-untyped-def]
    """Key of the cards at places `begin` to ``begin + held - 1`` of an int64 array, 1 to 7."""
    key = np.int64(0)
    for n in range(min(held, 5), held + 1):
        key = grown_key(key, hand, begin, n)
    return key


@njit(cache=True, nogil=True)
def hand_keys_kernel(hands, keys):  # type: ignore[no-untyped-def]
    """Keys of many hands of equally many cards: (N * n,) int64 codes into (N,) int64."""
    held = hands.size // keys.size
    for row in range(keys.size):
        keys[row] = hand_key(hands, row * held, held)


def hand_keys(hands: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """`HandOrder.key` of many hands of equally many cards.

    Parameters
    ----------
    hands
        (N, n) card codes, n from 1 to 7; different in every row.

    Returns
    -------
    (N,) int64
        Keys; those of hands that are level at the showdown differ in the last
        `partial.SUIT_BITS` bits only.

    Raises
    ------
    CardError
        If a row holds a card twice, or something that is not a card.
    ValueError
        If the shape is another one.
    """
    codes = np.asarray(hands)
    if codes.ndim != 2 or not 1 <= codes.shape[1] <= MOST_CARDS or codes.dtype.kind not in "iu":
        raise ValueError(f"expected rows of 1 to {MOST_CARDS} card codes, got {codes.shape}")
    low = np.sort(codes, axis=1)
    bad = (low[:, 0] < 0) | (low[:, -1] > JOKER_BIG) | (low[:, 1:] == low[:, :-1]).any(axis=1)
    for row in codes[bad][:1].tolist():
        check_cards(row, highest=JOKER_BIG)
    keys = np.empty(len(codes), dtype=np.int64)
    if len(codes):
        hand_keys_kernel(np.ascontiguousarray(codes, dtype=np.int64).reshape(-1), keys)
    return keys
