"""The compiled shuffle against the definition: words, bounded numbers, deals."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ricochet_casino.cards.shuffle import (
    deals,
    philox4x64,
    shuffled_deck,
    word_at,
    words_per_deal,
)
from ricochet_casino.cards.shuffle_kernel import (
    LANES,
    deal_kernel,
    modulus_tables,
    philox_kernel,
    remainder_kernel,
    wide_product,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "shuffle.json").read_text())
SPAN = 2**64
WORD = SPAN - 1
any_word = st.integers(0, WORD)
LAST_DEAL = 4 * SPAN // 52 - 1


def kernel_deals(seed, stream, first, number, count, accepted=None, *, deck_size=52):
    """As `shuffle.deals`, by the kernel; work arrays start with rubbish."""
    limits, factors = modulus_tables()
    out = np.full(number * count, 255, dtype=np.uint8)
    rows = words_per_deal(deck_size)
    words, places = np.full((rows, LANES), WORD, np.uint64), np.full((rows, LANES), 99, np.uint8)
    deal_kernel(
        np.uint64(seed), np.uint64(stream), np.uint64(first), np.uint64(count),
        limits if accepted is None else accepted, factors, words, places,
        np.full(deck_size, 99, dtype=np.uint8), out,
    )  # fmt: skip
    return out.reshape(number, count)


@settings(deadline=None)  # the first call compiles
@given(any_word, any_word)
@example(WORD, WORD)
@example(0, WORD)
def test_products_have_128_bits(a, b):
    high, low = wide_product(np.uint64(a), np.uint64(b))
    assert (int(high) << 64) + int(low) == a * b


@settings(deadline=None)
@given(any_word, st.integers(0, 5), any_word, any_word)
def test_words_are_those_of_the_definition(block, attempt, seed, stream):
    found = philox_kernel(*(np.uint64(n) for n in (block, attempt, seed, stream)))
    assert tuple(map(int, found)) == philox4x64((block, attempt, 0, 0), (seed, stream))


@pytest.mark.parametrize("modulus", range(2, 55))
def test_remainders_are_exact_at_every_edge(modulus):
    """Words around multiples of the modulus, and those that make each of the steps largest."""
    factors = (np.uint64(factor) for factor in modulus_tables()[1][modulus])
    arguments = (np.uint64(modulus), *factors)
    last = SPAN // modulus
    quotients = {0, 1, 2, 7, last // 2, last - 2, last - 1, last}
    words = {q * modulus + d for q in quotients for d in (-2, -1, 0, 1, modulus - 1)}
    words |= {WORD, 2**63, 2**32 - 1, 2**32, 2**20 - 1, WORD - 2**20, WORD - 2**32}
    words |= set(np.random.default_rng(modulus).integers(0, SPAN, 500, dtype=np.uint64).tolist())
    for word in sorted(words):
        if 0 <= word <= WORD:
            rest = remainder_kernel(np.uint64(word), *arguments)
            assert int(rest) == word % modulus, word


def test_the_last_step_of_a_remainder_is_exact_up_to_its_largest_numbers():
    """Its error grows with the number, so those below the bound decide (docs/math.md, 6.1)."""
    assert 53 * 2**18 + 2**20 < 2**24
    numbers = np.arange(2**24 - 10_000, 2**24, dtype=np.uint64)
    for modulus in range(2, 55):
        reciprocal = np.uint64(modulus_tables()[1][modulus, 2])
        quotients = (numbers * reciprocal) >> np.uint64(32)
        assert np.array_equal(quotients, numbers // np.uint64(modulus)), modulus


def test_limits_leave_whole_multiples_of_the_modulus():
    accepted, _ = modulus_tables()
    for modulus in range(2, 55):
        assert (int(accepted[modulus]) + 1) % modulus == 0
        assert WORD - int(accepted[modulus]) < modulus


@pytest.mark.parametrize("count", range(1, 53))
def test_deals_of_every_length_are_those_of_the_vectors(count):
    for seed, stream, first in ((0, 0, 0), (20_261_130, 2, 977), (WORD, WORD, 10**13)):
        for number in (100, LANES, 1):
            expected = deals(seed, stream, first, number, count=count)
            assert np.array_equal(kernel_deals(seed, stream, first, number, count), expected)


def test_deals_are_those_of_the_plain_definition():
    # The kernel counts past the last deal in idle lanes, which must do no harm.
    for seed, index in ((1, 0), (77, 123_456_789), (WORD, LAST_DEAL - 1)):
        for row, deck in enumerate(kernel_deals(seed, 3, index, 2, 52).tolist()):
            assert tuple(deck) == shuffled_deck(seed, 3, index + row)


@pytest.mark.parametrize("deck_size", [2, 5, 36, 51, 53, 54])
def test_other_decks_are_shuffled_by_the_same_definition(deck_size):
    for count in {1, 4, deck_size - 1, deck_size} - set(range(deck_size + 1, 9)):
        expected = deals(7, 3, 12_345, 70, count=count, deck_size=deck_size)
        found = kernel_deals(7, 3, 12_345, 70, count, deck_size=deck_size)
        assert np.array_equal(found, expected)


def test_many_deals_are_those_of_the_vectors():
    assert np.array_equal(kernel_deals(5, 2, 0, 50_000, 40), deals(5, 2, 0, 50_000, count=40))


PINNED = [case for case in GOLDEN["deals"] if case["deck_size"] == 52]


@pytest.mark.parametrize("case", PINNED, ids=lambda case: case["name"])
def test_pinned_deals(case):
    seed, stream, index = (int(case[key]) for key in ("seed", "stream", "index"))
    assert kernel_deals(seed, stream, index, 1, 52).tolist() == [case["cards"]]


def test_discarded_words_are_replaced_by_those_of_the_next_attempts():
    """With true limits this happens once in 10^17 words, so the limits are lowered."""
    accepted = np.minimum(modulus_tables()[0], np.uint64(SPAN // 3))
    accepted[1] = WORD
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
