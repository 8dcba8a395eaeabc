"""The compiled shuffle against the definition: words, bounded numbers, deals."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

from ricochet_casino.cards.shuffle import deals, philox4x64, shuffled_deck, word_at
from ricochet_casino.cards.shuffle_kernel import (
    deal_kernel,
    modulus_tables,
    philox_kernel,
    product,
    remainder_kernel,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "shuffle.json").read_text())
SPAN = 2**64
WORD = SPAN - 1
any_word = st.integers(0, WORD)
LAST_DEAL = 4 * SPAN // 52 - 1


@njit
def product_of(a, b):
    return product(a, b)


def kernel_deals(seed, stream, first, number, count, accepted=None):
    """As `shuffle.deals`, by the kernel; work arrays start with rubbish."""
    reciprocals, limits = modulus_tables()
    out = np.full(number * count, 255, dtype=np.uint8)
    words, deck = np.full(52, WORD, dtype=np.uint64), np.full(52, 99, dtype=np.uint8)
    deal_kernel(
        np.uint64(seed), np.uint64(stream), np.uint64(first), np.uint64(count),
        reciprocals, limits if accepted is None else accepted, words, deck, out,
    )  # fmt: skip
    return out.reshape(number, count)


@settings(deadline=None)  # the first call compiles
@given(any_word, any_word)
@example(WORD, WORD)
@example(0, WORD)
def test_products_have_128_bits(a, b):
    high, low = product_of(np.uint64(a), np.uint64(b))
    assert (int(high) << 64) + int(low) == a * b


@settings(deadline=None)
@given(any_word, st.integers(0, 5), any_word, any_word)
def test_words_are_those_of_the_definition(block, attempt, seed, stream):
    found = philox_kernel(*(np.uint64(n) for n in (block, attempt, seed, stream)))
    assert tuple(map(int, found)) == philox4x64((block, attempt, 0, 0), (seed, stream))


@pytest.mark.parametrize("modulus", range(1, 53))
def test_remainders_are_exact_at_every_edge(modulus):
    reciprocal = modulus_tables()[0][modulus]
    last = SPAN // modulus
    quotients = {0, 1, 2, 7, last // 2, last - 2, last - 1, last}
    edges = {q * modulus + d for q in quotients for d in (-2, -1, 0, 1, modulus - 1)}
    for word in sorted(edges | {WORD, WORD - 1, 2**63, 2**32}):
        if 0 <= word <= WORD:
            rest = remainder_kernel(np.uint64(word), np.uint64(modulus), reciprocal)
            assert int(rest) == word % modulus, (word, modulus)


def test_limits_leave_whole_multiples_of_the_modulus():
    _, accepted = modulus_tables()
    for modulus in range(1, 53):
        assert (int(accepted[modulus]) + 1) % modulus == 0
        assert WORD - int(accepted[modulus]) < modulus


@pytest.mark.parametrize("count", range(1, 53))
def test_deals_of_every_length_are_those_of_the_vectors(count):
    for seed, stream, first in ((0, 0, 0), (20_261_130, 2, 977), (WORD, WORD, 10**13)):
        expected = deals(seed, stream, first, 100, count=count)
        assert np.array_equal(kernel_deals(seed, stream, first, 100, count), expected)


def test_deals_are_those_of_the_plain_definition():
    for seed, index in ((1, 0), (77, 123_456_789), (WORD, LAST_DEAL - 1)):
        for row, deck in enumerate(kernel_deals(seed, 3, index, 2, 52).tolist()):
            assert tuple(deck) == shuffled_deck(seed, 3, index + row)


def test_many_deals_are_those_of_the_vectors():
    assert np.array_equal(kernel_deals(5, 2, 0, 50_000, 40), deals(5, 2, 0, 50_000, count=40))


PINNED = [case for case in GOLDEN["deals"] if case["deck_size"] == 52]


@pytest.mark.parametrize("case", PINNED, ids=lambda case: case["name"])
def test_pinned_deals(case):
    seed, stream, index = (int(case[key]) for key in ("seed", "stream", "index"))
    assert kernel_deals(seed, stream, index, 1, 52).tolist() == [case["cards"]]


def test_discarded_words_are_replaced_by_those_of_the_next_attempts():
    """With true limits this happens once in 10^17 words, so the limits are lowered."""
    limit = SPAN // 3
    accepted = np.minimum(modulus_tables()[1], np.uint64(limit))
    attempts = set()

    def expected(seed, stream, index):
        cards = list(range(52))
        for j in range(52):
            attempt = 0
            while (word := word_at(seed, stream, 52 * index + j, attempt)) > accepted[52 - j]:
                attempt += 1
            attempts.add(attempt)
            k = j + word % (52 - j)
            cards[j], cards[k] = cards[k], cards[j]
        return cards

    decks = [expected(9, 4, 1000 + row) for row in range(20)]
    found = kernel_deals(9, 4, 1000, 20, 52, accepted)
    assert found.tolist() == decks
    assert attempts >= set(range(6))
    assert not np.array_equal(found, deals(9, 4, 1000, 20))
