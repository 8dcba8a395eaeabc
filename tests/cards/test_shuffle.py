"""The random source: published vectors, pinned deals, and the twin."""

import itertools
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ricochet_casino.cards import shuffle
from ricochet_casino.cards.shuffle import (
    bounded,
    deals,
    philox4x64,
    shuffled_deck,
    word_at,
    words_per_deal,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "shuffle.json").read_text())
WORD = 2**64 - 1
any_word = st.integers(0, WORD)

# Known-answer vectors of the Random123 library: counter, key, result.
KNOWN = [
    (
        (0, 0, 0, 0),
        (0, 0),
        (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B),
    ),
    (
        (WORD, WORD, WORD, WORD),
        (WORD, WORD),
        (0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0),
    ),
    (
        (0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89),
        (0x452821E638D01377, 0xBE5466CF34E90C6C),
        (0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6),
    ),
]


def numpy_philox(counter, key):
    """Output of numpy's generator for exactly this counter (it adds one before use)."""
    before = (sum(word << 64 * place for place, word in enumerate(counter)) - 1) % 2**256
    words = [before >> 64 * place & WORD for place in range(4)]
    generator = np.random.Philox(
        key=np.array(key, dtype=np.uint64), counter=np.array(words, dtype=np.uint64)
    )
    return tuple(generator.random_raw(4).tolist())


def independent_deal(seed, stream, index, deck_size):
    """The documented definition written a second time, sharing nothing with the package."""

    def block(number, attempt):
        state, keys = [number, attempt, 0, 0], [seed, stream]
        for turn in range(10):
            if turn:
                keys[0] = (keys[0] + 0x9E3779B97F4A7C15) % 2**64
                keys[1] = (keys[1] + 0xBB67AE8584CAA73B) % 2**64
            left, right = 0xD2E7470EE14C6C93 * state[0], 0xCA5A826395121157 * state[2]
            state = [
                (right >> 64) ^ state[1] ^ keys[0], right % 2**64,
                (left >> 64) ^ state[3] ^ keys[1], left % 2**64,
            ]  # fmt: skip
        return state

    owned = deck_size + -deck_size % 4
    cards = list(range(deck_size))
    for j in range(deck_size):
        left, attempt = deck_size - j, 0
        number, place = divmod(owned * index + j, 4)
        while (word := block(number, attempt)[place]) >= 2**64 - 2**64 % left:
            attempt += 1
        r = word % left
        cards[j], cards[j + r] = cards[j + r], cards[j]
    return cards


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN)
def test_philox_gives_the_published_vectors(counter, key, result):
    assert philox4x64(counter, key) == result
    assert numpy_philox(counter, key) == result


@given(st.tuples(*[any_word] * 4), st.tuples(any_word, any_word))
def test_philox_is_numpys(counter, key):
    assert philox4x64(counter, key) == numpy_philox(counter, key)


def test_words_are_the_four_outputs_of_each_block():
    expected = [word for block in range(3) for word in philox4x64((block, 5, 0, 0), (7, 8))]
    assert [word_at(7, 8, position, 5) for position in range(12)] == expected


@pytest.mark.parametrize("case", GOLDEN["deals"], ids=lambda case: case["name"])
def test_pinned_deals(case):
    """Golden deals were written by `independent_deal`, before they were compared."""
    seed, stream, index = (int(case[key]) for key in ("seed", "stream", "index"))
    size, expected = case["deck_size"], case["cards"]
    assert sorted(expected) == list(range(size))
    assert list(shuffled_deck(seed, stream, index, deck=range(size))) == expected
    assert deals(seed, stream, index, 1, count=size, deck_size=size).tolist() == [expected]
    assert independent_deal(seed, stream, index, size) == expected


@pytest.mark.parametrize("size", [1, 2, 13, 51, 52, 53, 54, 156, 256])
def test_twin_and_vectors_agree(size):
    number = max(4, 6000 // size)
    fast = deals(2024, size, 1000, number, count=size, deck_size=size)
    slow = [shuffled_deck(2024, size, 1000 + row, deck=range(size)) for row in range(number)]
    assert fast.tolist() == [list(deal) for deal in slow]


@given(any_word, any_word, st.integers(0, 2**64 // 13 - 3), st.integers(0, 52))
@settings(deadline=None, max_examples=60)
def test_twin_and_vectors_agree_anywhere(seed, stream, index, count):
    fast = deals(seed, stream, index, 2, count=count)
    slow = [shuffled_deck(seed, stream, index + row, count=count) for row in range(2)]
    assert fast.tolist() == [list(deal) for deal in slow]


def test_cutting_the_work_changes_nothing(monkeypatch):
    whole = deals(5, 6, 100, 10_000, count=15)
    parts = [deals(5, 6, first, 2500, count=15) for first in range(100, 10_100, 2500)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert np.array_equal(deals(5, 6, 100, 10_000)[:, :15], whole)
    assert np.array_equal(deals(5, 6, 7777, 1, count=15)[0], whole[7677])
    monkeypatch.setattr(shuffle, "_BATCH", 333)
    assert np.array_equal(deals(5, 6, 100, 10_000, count=15), whole)


def test_a_deal_of_few_cards_is_a_prefix():
    full = shuffled_deck(1, 2, 3)
    assert sorted(full) == list(range(52))
    for count in range(53):
        assert shuffled_deck(1, 2, 3, count=count) == full[:count]


def test_any_deck_is_dealt_by_place():
    places = shuffled_deck(1, 2, 3, deck=range(104))
    twice = tuple(range(52)) * 2
    assert shuffled_deck(1, 2, 3, deck=twice) == tuple(place % 52 for place in places)
    assert shuffled_deck(1, 2, 3, deck=["a"]) == ("a",)


def test_seed_stream_and_index_all_matter():
    same = {deals(*arguments, 1).tobytes() for arguments in [(1, 2, 3), (1, 2, 3)]}
    other = {deals(*arguments, 1).tobytes() for arguments in itertools.permutations((1, 2, 3))}
    assert len(same) == 1
    assert len(other) == 6


def test_words_per_deal():
    assert [words_per_deal(size) for size in (1, 4, 5, 50, 52, 53, 54, 156)] == [
        4, 4, 8, 52, 52, 56, 56, 156]  # fmt: skip


# Rejection. With 64-bit words it happens once in 3 * 10**16 deals, so it is forced here.


@pytest.mark.parametrize("span", [16, 64, 256])
def test_bounded_is_exactly_uniform_over_the_accepted_words(span):
    for modulus in range(1, min(span, 52) + 1):
        accepted, rejected = Counter(), 0
        for word in range(span):
            try:
                accepted[bounded([word], modulus, span=span)] += 1
            except ValueError:
                rejected += 1
        assert accepted == dict.fromkeys(range(modulus), span // modulus)
        assert rejected == span % modulus


def test_bounded_takes_the_first_word_below_the_limit():
    assert bounded([15, 15, 14], 3, span=16) == 14 % 3
    limit = 2**64 - 2**64 % 51
    assert bounded([limit - 1], 51) == (limit - 1) % 51
    assert bounded([limit, WORD, 103], 51) == 1
    assert bounded([WORD], 32) == 31  # powers of two divide the span: nothing is discarded
    with pytest.raises(ValueError, match="no word below"):
        bounded([limit, WORD], 51)


@pytest.mark.parametrize("size", [3, 52, 54, 156])
def test_vectors_discard_exactly_the_words_from_the_limit_on(size):
    for j in range(size - 1):
        limit = 2**64 - 2**64 % (size - j)
        for word in {limit - 1, min(limit, WORD), WORD}:
            words = np.zeros((1, size - 1), dtype=np.uint64)
            words[0, j] = word
            steps, discarded = shuffle._bounded_steps(words, size)
            assert discarded == ([(j, 0)] if word >= limit else [])
            assert steps[j, 0] == word % (size - j)


@pytest.fixture
def poor_source(monkeypatch):
    """A source whose words are often close to 2**64, in attempts 0 and 1, for both twins."""

    def philox(counter, key):
        words = list(philox4x64(counter, key))
        for place in range(4):
            choice = words[place] % 5
            if counter[1] < 2 and choice < 2:
                words[place] = WORD - words[place] // 5 % (1, 3, 20, 60)[place]
        return tuple(words)

    def words(seed, stream, block, size):
        blocks = [philox((block + b, 0, 0, 0), (seed, stream)) for b in range(size // 4)]
        return np.array(blocks, dtype=np.uint64).reshape(-1)

    monkeypatch.setattr(shuffle, "philox4x64", philox)
    monkeypatch.setattr(shuffle, "_words", words)
    return philox


@pytest.mark.parametrize("size", [7, 52, 54])
def test_discarded_words_are_replaced_alike_in_both_twins(poor_source, size):
    discarded = Counter()
    for row in range(40):
        for j in range(size - 1):
            number, place = divmod(words_per_deal(size) * row + j, 4)
            for attempt in range(2):
                word = poor_source((number, attempt, 0, 0), (3, 4))[place]
                if word < 2**64 - 2**64 % (size - j):
                    break
                discarded[attempt] += 1
    assert discarded[0] > discarded[1] > 0
    fast = deals(3, 4, 0, 40, count=size, deck_size=size)
    slow = [shuffled_deck(3, 4, row, deck=range(size)) for row in range(40)]
    assert fast.tolist() == [list(deal) for deal in slow]


def test_a_discarded_word_is_replaced_by_the_next_attempt(monkeypatch):
    # 3 cards: 2**64 mod 3 = 1, so that only the very last word is discarded in step 0; step 1
    # has two cards left and discards nothing.
    table = {0: (WORD, WORD, 9, 9), 1: (WORD, 9, 9, 9), 2: (2, 9, 9, 9)}
    monkeypatch.setattr(shuffle, "philox4x64", lambda counter, _: table[counter[1]])
    monkeypatch.setattr(shuffle, "_words", lambda *_: np.array(table[0], dtype=np.uint64))
    # step 0: r = 2 exchanges 0 and 2; step 1: r = WORD mod 2 = 1 exchanges 1 and 0.
    assert shuffled_deck(0, 0, 0, deck=(0, 1, 2)) == (2, 0, 1)
    assert deals(0, 0, 0, 1, count=3, deck_size=3).tolist() == [[2, 0, 1]]


# Statistics of the shuffle, with a fixed seed.


def chi_square_p(observed):
    return stats.chisquare(observed.ravel()).pvalue


@pytest.fixture(scope="module")
def many_deals():
    return deals(20260101, 0, 0, 200_000)


def test_every_card_is_as_often_in_every_place(many_deals):
    seen = np.zeros((52, 52))
    for place in range(52):
        seen[place] = np.bincount(many_deals[:, place], minlength=52)
    expected = len(many_deals) / 52
    statistic = ((seen - expected) ** 2 / expected).sum()
    # Rows and columns of the table have fixed sums: 51 * 51 degrees of freedom.
    assert 0.001 < stats.chi2.sf(statistic * 51 / 52, 51 * 51) < 0.999


@pytest.mark.parametrize("places", [(0, 1), (1, 2), (0, 51), (25, 26)])
def test_ordered_pairs_are_equally_frequent(many_deals, places):
    first, second = (many_deals[:, place].astype(np.int64) for place in places)
    seen = np.bincount(52 * first + second, minlength=52 * 52).reshape(52, 52)
    assert (np.diag(seen) == 0).all()
    assert 0.001 < chi_square_p(seen[~np.eye(52, dtype=bool)]) < 0.999


def test_all_orders_of_few_cards_are_equally_frequent():
    orders = deals(7, 7, 0, 120_000, count=5, deck_size=5).astype(np.int64)
    seen = np.bincount(orders @ 5 ** np.arange(5), minlength=5**5)
    assert np.count_nonzero(seen) == 120
    assert 0.001 < chi_square_p(seen[seen > 0]) < 0.999


# Refusals.


@pytest.mark.parametrize("bad", [-1, 2**64, 2**70, 1.0, "7", None])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_seeds_streams_and_indices_out_of_range(bad, place):
    arguments = [1, 1, 1]
    arguments[place] = bad
    name = ("seed", "stream", "the number of a deal")[place]
    for call in (lambda: shuffled_deck(*arguments), lambda: deals(*arguments, 1)):
        with pytest.raises(ValueError, match=f"^{name} must be "):
            call()


def test_numpy_integers_are_seeds():
    assert shuffled_deck(np.uint64(WORD), np.int8(3), np.int32(4)) == shuffled_deck(WORD, 3, 4)


def test_the_end_of_a_stream():
    last = 2**64 // 13 - 1
    assert deals(1, 1, last, 1).tolist() == [list(shuffled_deck(1, 1, last))]
    for call in (lambda: deals(1, 1, last, 2), lambda: shuffled_deck(1, 1, last + 1)):
        with pytest.raises(ValueError, match=f"a stream has {last + 1} deals of 52 cards"):
            call()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": 53}, "count must be 0 to 52, got 53"),
        ({"count": -1}, "count must be 0 to 52"),
        ({"deck_size": 0, "count": 0}, "at least one card"),
        ({"deck_size": 257}, "deck_size must be 1 to 256"),
        ({"number": -1}, "must not be negative"),
    ],
)
def test_impossible_deals(arguments, message):
    with pytest.raises(ValueError, match=message):
        deals(1, 1, 0, **{"number": 1, **arguments})
    if "count" in arguments and "deck_size" not in arguments:
        with pytest.raises(ValueError, match=message):
            shuffled_deck(1, 1, 0, count=arguments["count"])


def test_no_deals_is_an_empty_array():
    assert deals(1, 1, 0, 0, count=7).shape == (0, 7)
