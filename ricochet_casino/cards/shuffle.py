"""The random source: a shuffle that is the same on every machine, in every version, for ever.

The whole definition (numbers are unsigned, words have 64 bits):

1. *Words.* Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
   2011) with the key ``(seed, stream)`` turns a counter of four words into four words. Word
   ``4 b + t`` of attempt ``a`` is output ``t`` (0 to 3) of the counter ``(b, a, 0, 0)``.
2. *Deals.* A deck of n cards owns L words for each deal, L being n rounded up to a multiple of 4
   (52 for 52 cards, 56 for 54). Deal ``i`` owns the words ``L i`` to ``L i + L - 1``.
3. *Shuffle.* The deck lies in its given order. For j = 0, 1, ..., the card at place j is exchanged
   with the card at place ``j + r``, where r is a number below ``m = n - j``:
4. *Bounded numbers.* Let w be word ``L i + j`` of attempt 0. If
   ``w >= 2**64 - (2**64 mod m)``, it is discarded and the word at the same place of attempt 1, 2,
   ... is taken instead, until one is below the limit. Then ``r = w mod m``.

So the first k cards of a deal never depend on k, every deal can be reached directly, and no result
depends on how the work is cut. `shuffled_deck` is the definition in plain Python, `deals` the same
in vectors; ``tests/golden/shuffle.json`` pins both.
"""

import itertools
import operator
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.deck import STANDARD_DECK

_SPAN = 1 << 64
_WORD = _SPAN - 1
_MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
_KEY_STEPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_BATCH = 4096  # deals shuffled at once; the result does not depend on it

UInt64Array = npt.NDArray[np.uint64]


@lru_cache(maxsize=64)
def philox4x64(
    counter: tuple[int, int, int, int], key: tuple[int, int]
) -> tuple[int, int, int, int]:
    """Philox4x64-10: four random words for a counter of four words and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(_MULTIPLIERS[0] * c0, _SPAN)
        high1, low1 = divmod(_MULTIPLIERS[1] * c2, _SPAN)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + _KEY_STEPS[0]) & _WORD, (k1 + _KEY_STEPS[1]) & _WORD
    return c0, c1, c2, c3


def word_at(seed: int, stream: int, position: int, attempt: int = 0) -> int:
    """Word number `position` of an attempt, 0 to 2**64 - 1 (point 1 of the definition)."""
    block, place = divmod(position, 4)
    return philox4x64((block, attempt, 0, 0), (seed, stream))[place]


def bounded(words: Iterable[int], modulus: int, *, span: int = _SPAN) -> int:
    """First acceptable word, modulo `modulus`: uniform if the words are (point 4).

    Parameters
    ----------
    words
        Candidates, each in ``0 .. span - 1``; taken one by one until one is accepted.
    modulus
        The result is below it; 1 to `span`.
    span
        How many values a word has.

    Raises
    ------
    ValueError
        If no word was acceptable.
    """
    limit = span - span % modulus
    for word in words:
        if word < limit:
            return word % modulus
    raise ValueError(f"no word below {limit} was offered")


def words_per_deal(deck_size: int) -> int:
    """Words that each deal owns: the deck's size, rounded up to a multiple of 4."""
    return (deck_size + 3) // 4 * 4


def shuffled_deck(
    seed: int,
    stream: int,
    index: int,
    *,
    deck: Sequence[int] = STANDARD_DECK,
    count: int | None = None,
) -> tuple[int, ...]:
    """Deal number `index` of a stream: the definition in plain Python, the twin of `deals`.

    Parameters
    ----------
    seed, stream
        0 to 2**64 - 1 each.
    index
        Number of the deal, from 0.
    deck
        The cards in the order in which they lie before the shuffle; cards may repeat.
    count
        Only the first so many cards; all by default.

    Returns
    -------
    tuple of int
        The cards, the one dealt first in front.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    size = len(deck)
    count = size if count is None else count
    seed, stream, index = _check(seed, stream, index, number=1, count=count, deck_size=size)
    cards = list(deck)
    for j in range(min(count, size - 1)):
        position = words_per_deal(size) * index + j
        candidates = (word_at(seed, stream, position, attempt) for attempt in itertools.count())
        k = j + bounded(candidates, size - j)
        cards[j], cards[k] = cards[k], cards[j]
    return tuple(cards[:count])


def deals(
    seed: int,
    stream: int,
    first: int,
    number: int,
    *,
    count: int = 52,
    deck_size: int = 52,
) -> npt.NDArray[np.uint8]:
    """Deals `first` to ``first + number - 1`` of a stream, shuffled in vectors.

    Parameters
    ----------
    seed, stream
        0 to 2**64 - 1 each.
    first, number
        Which deals.
    count
        How many cards of each.
    deck_size
        Cards in the deck, 1 to 256; before the shuffle they lie in the order 0, 1, 2, ...

    Returns
    -------
    (number, count) uint8
        Card codes; row r is ``shuffled_deck(seed, stream, first + r, count=count)``.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    seed, stream, first = _check(
        seed, stream, first, number=number, count=count, deck_size=deck_size
    )
    if deck_size > 256:
        raise ValueError(f"deck_size must be 1 to 256, got {deck_size}")
    length = words_per_deal(deck_size)
    result = np.empty((number, count), dtype=np.uint8)
    for begin in range(0, number, _BATCH):
        rows = result[begin : begin + _BATCH]
        position = (first + begin) * length
        words = _words(seed, stream, position // 4, len(rows) * length)
        words = words.reshape(len(rows), length)[:, : min(count, deck_size - 1)]
        steps, discarded = _bounded_steps(words, deck_size)
        for j, row in discarded:
            place = position + row * length + j
            retries = (word_at(seed, stream, place, attempt) for attempt in itertools.count(1))
            steps[j, row] = bounded(retries, deck_size - j)
        rows[:] = _exchange(steps, deck_size, count).T
    return result


def _words(seed: int, stream: int, block: int, size: int) -> UInt64Array:
    """Words of attempt 0 from output 0 of the given block on, by numpy's Philox4x64-10.

    Only its raw words are used: numpy promises nothing for the numbers and shuffles made of them.
    """
    before = (block - 1) % (1 << 256)  # numpy adds one to the counter before it uses it
    counter = [before >> shift & _WORD for shift in (0, 64, 128, 192)]
    generator = np.random.Philox(
        key=np.array([seed, stream], dtype=np.uint64), counter=np.array(counter, dtype=np.uint64)
    )
    words: UInt64Array = generator.random_raw(size)
    return words


def _bounded_steps(
    words: UInt64Array, deck_size: int
) -> tuple[npt.NDArray[np.int64], list[tuple[int, int]]]:
    """Words (rows, steps) modulo what is left of the deck, (steps, rows); which to draw again."""
    turned = np.ascontiguousarray(words.T)
    steps = np.empty(turned.shape, dtype=np.int64)
    discarded: list[tuple[int, int]] = []
    # The limits of all steps lie above this one, so that a second look is hardly ever needed.
    suspicious = turned.size > 0 and int(turned.max()) >= _SPAN - deck_size
    for j, row in enumerate(turned):
        left = deck_size - j
        modulus = np.uint64(left)
        steps[j] = row - row // modulus * modulus  # faster than the remainder in numpy
        if suspicious and _SPAN % left:
            limit = np.uint64(_SPAN - _SPAN % left)
            discarded += [(j, lane) for lane in np.flatnonzero(row >= limit).tolist()]
    return steps, discarded


def _exchange(steps: npt.NDArray[np.int64], deck_size: int, count: int) -> npt.NDArray[np.uint8]:
    """Exchange places j and j + steps[j] of every deck in turn; first cards, (count, rows)."""
    n_rows = steps.shape[1]
    decks = np.empty((deck_size, n_rows), dtype=np.uint8)
    decks[:] = np.arange(deck_size, dtype=np.uint8)[:, np.newaxis]
    flat = decks.reshape(-1)
    lanes = np.arange(n_rows)
    for j, step in enumerate(steps):
        places = (step + j) * n_rows + lanes
        chosen = flat[places]
        flat[places] = decks[j]
        decks[j] = chosen
    return decks[:count]


def _check(
    seed: SupportsIndex,
    stream: SupportsIndex,
    first: SupportsIndex,
    *,
    number: int,
    count: int,
    deck_size: int,
) -> tuple[int, int, int]:
    """Refuse arguments out of range; returns seed, stream and first deal as plain integers."""
    checked = []
    for name, value in (("seed", seed), ("stream", stream), ("the number of a deal", first)):
        try:
            plain = operator.index(value)
        except TypeError:
            raise ValueError(f"{name} must be a whole number, got {value!r}") from None
        if not 0 <= plain < _SPAN:
            raise ValueError(f"{name} must be 0 to 2**64 - 1, got {plain}")
        checked.append(plain)
    if deck_size < 1:
        raise ValueError("a deck needs at least one card")
    if number < 0:
        raise ValueError(f"the number of deals must not be negative, got {number}")
    if not 0 <= count <= deck_size:
        raise ValueError(f"count must be 0 to {deck_size}, got {count}")
    if (checked[2] + number) * words_per_deal(deck_size) > 4 * _SPAN:
        limit = 4 * _SPAN // words_per_deal(deck_size)
        raise ValueError(f"a stream has {limit} deals of {deck_size} cards; no deal is left there")
    return checked[0], checked[1], checked[2]
