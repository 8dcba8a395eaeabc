"""The order of hands of one to seven cards with Jokers, and its compiled twins (rulings D)."""

import json
from itertools import combinations, combinations_with_replacement
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricochet_casino.cards.classes import Category, class_of, classes
from ricochet_casino.cards.deck import JOKER_BIG, CardError, parse_cards
from ricochet_casino.cards.partial import CATEGORIES, SUIT_BITS, compare, hand_order
from ricochet_casino.cards.partial_kernel import hand_keys, hand_keys_kernel
from ricochet_casino.cards.partial_tables import (
    FLUSH_BITS,
    JOKER_KEY,
    JOKER_SHIFT,
    KEY_SHIFT,
    RANK_SHIFT,
    START,
    order_tables,
)

GOLDEN = Path(__file__).parents[1] / "golden"
PAIRS = json.loads((GOLDEN / "home_compare.json").read_text())["pairs"]
COUNTS = json.loads((GOLDEN / "counts.json").read_text())

# Clubs, a few other suits of high ranks, and the Jokers: flushes, straights and ties are common.
CROWDED = [*range(0, 52, 4), *range(1, 13, 4), *range(49, 52), 52, 53]
any_hand = st.one_of(
    st.lists(st.integers(0, JOKER_BIG), min_size=1, max_size=7, unique=True),
    st.lists(st.sampled_from(CROWDED), min_size=1, max_size=7, unique=True),
)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(pair["id"]))
def test_pairs_compared_elsewhere(pair):
    a, b = (parse_cards(" ".join(pair[name])) for name in "ab")
    assert compare(a, b) == pair["order_of_play"] == -compare(b, a)
    assert compare(a, b, suits=False) == pair["showdown"] == -compare(b, a, suits=False)
    for cards, best in ((a, pair["a_best"]), (b, pair["b_best"])):
        found = hand_order(cards)
        assert CATEGORIES[found.category] == best["category"]
        assert list(found.ranks) == best["ranks"]


@settings(deadline=None)
@given(any_hand, any_hand, any_hand)
def test_the_order_is_antisymmetric_and_transitive(a, b, c):
    low, middle, high = sorted((a, b, c), key=hand_order)
    for lower, higher in ((low, middle), (middle, high), (low, high)):
        if not set(lower) & set(higher):
            assert compare(lower, higher) == -1
            assert compare(higher, lower) == 1
            assert compare(lower, higher, suits=False) <= 0
    assert hand_order(low) <= hand_order(high)


@settings(deadline=None)
@given(st.permutations(range(54)), st.integers(1, 7), st.integers(1, 7))
def test_two_hands_are_never_level_in_the_order_of_play(deck, first, second):
    assert compare(deck[:first], deck[7 : 7 + second]) != 0


@given(any_hand, st.randoms())
def test_the_order_of_the_cards_in_hand_does_not_matter(hand, random):
    mixed = list(hand)
    random.shuffle(mixed)
    assert hand_order(mixed) == hand_order(hand)


@given(any_hand, st.integers(0, JOKER_BIG))
def test_a_further_card_never_lowers_a_hand(hand, card):
    if card not in hand and len(hand) < 7:
        assert hand_order([*hand, card])[:2] >= hand_order(hand)[:2]


@given(any_hand)
def test_keys_compare_as_the_hands_do(hand):
    other = [(card + 8) % 52 if card < 52 else card for card in hand]
    if len(set(other)) == len(other):
        mine, its = hand_order(hand), hand_order(other)
        assert (mine.key > its.key) == (mine > its)
        assert (mine.key >> SUIT_BITS == its.key >> SUIT_BITS) == (mine[:2] == its[:2])


def test_five_natural_cards_are_in_the_order_of_their_classes():
    rng = np.random.default_rng(1)
    hands = [rng.choice(52, 5, replace=False).tolist() for _ in range(2000)]
    hands.sort(key=hand_order)
    found = [class_of(hand) for hand in hands]
    assert found == sorted(found)
    names = {Category[name.upper().replace(" ", "_")]: name for name in CATEGORIES[:-1]}
    for hand in hands:
        assert names[classes()[class_of(hand)].category] == CATEGORIES[hand_order(hand).category]


@pytest.mark.parametrize("n", range(1, 8))
def test_the_kernel_gives_the_keys_of_the_definition(n):
    rng = np.random.default_rng(n)
    hands = [rng.choice(54, n, replace=False) for _ in range(700)]
    hands += [rng.permutation(CROWDED)[:n] for _ in range(700)]
    assert hand_keys(np.array(hands)).tolist() == [hand_order(h.tolist()).key for h in hands]


@pytest.mark.parametrize("jokers", [1, 2])
def test_all_hands_of_five_cards_with_bugs(jokers):
    """Every hand of five of 53 and 54 cards, by category, as two other programs counted them."""
    deck = [*range(52), *range(JOKER_BIG + 1 - jokers, JOKER_BIG + 1)]
    hands = np.fromiter(
        (card for hand in combinations(deck, 5) for card in hand), dtype=np.int64,
        count=5 * comb(len(deck), 5),
    )  # fmt: skip
    keys = np.empty(len(hands) // 5, dtype=np.int64)
    hand_keys_kernel(hands, keys)
    found = np.bincount(keys >> (20 + SUIT_BITS), minlength=10).tolist()
    assert found == COUNTS[f"bug_joker_{52 + jokers}_cards"]
    assert sum(found) == comb(52 + jokers, 5)


def test_partial_hands_have_as_many_places_as_counted_elsewhere():
    by_size = {1: set(), 2: set(), 3: set(), 4: set()}
    for n, found in by_size.items():
        for ranks in combinations_with_replacement(range(13), n):
            cards = [4 * rank + ranks[:place].count(rank) for place, rank in enumerate(ranks)]
            found.add(hand_order(cards)[:2])
    assert [len(by_size[n]) for n in range(1, 5)] == COUNTS["one_to_four_card_distinct_orders"]


@settings(deadline=None)
@given(any_hand)
def test_order_numbers_of_the_tables_are_those_of_the_definition(hand):
    tables = order_tables()
    cards = hand[:5]
    word = START + sum(int(tables.words[card]) for card in cards)
    place = int(tables.starts[len(cards)]) + (word >> KEY_SHIFT)
    if len(cards) == 5 and word & FLUSH_BITS:
        place = int(tables.starts[6])
        place += (word >> JOKER_SHIFT & 3) << 13 | (word >> RANK_SHIFT & 0x1FFF)
    number = int(tables.orders[place])
    assert int(tables.keys[number]) == hand_order(cards).key >> SUIT_BITS


def test_the_key_of_a_joker_is_the_next_that_keeps_sums_unique():
    from ricochet_casino.cards.additive import FIVE_KEYS, find_keys

    assert find_keys(5, ranks=14) == (*FIVE_KEYS, JOKER_KEY)
    assert len(order_tables().keys) == sum((13, 91, 455, 1820, 7462)) + 1


@pytest.mark.parametrize("cards", [[], list(range(8)), [0, 0], [54], [-1]])
def test_what_is_no_hand_is_refused(cards):
    with pytest.raises(ValueError, match=r"cards|card"):
        hand_order(cards)
    with pytest.raises(ValueError, match=r"cards|card"):
        hand_keys([cards])


def test_a_card_in_two_hands_is_refused():
    with pytest.raises(CardError, match="the card 3d appears twice"):
        compare([4, 5], [5, 6])
    with pytest.raises(ValueError, match="rows of 1 to 7"):
        hand_keys([1, 2, 3])
