"""Keys whose sums tell hands apart, and the tables indexed by these sums."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from ricochet_casino.cards.additive import (
    FIVE_KEYS,
    SEVEN_KEYS,
    best_table,
    card_words,
    find_keys,
    five_card_classes,
    five_table,
    flush_table,
)
from ricochet_casino.cards.classes import N_CLASSES, class_of, class_of_ranks, classes
from ricochet_casino.cards.subsets import representatives


def hands_by_rank(cards):
    """All multisets of ranks with at most four of a kind."""
    return [
        ranks
        for ranks in combinations_with_replacement(range(13), cards)
        if all(a != b for a, b in zip(ranks, ranks[4:], strict=False))
    ]


@pytest.mark.parametrize(
    ("keys", "cards", "hands"),
    [(FIVE_KEYS, 5, 6175), (SEVEN_KEYS, 5, 6175), (SEVEN_KEYS, 6, 18395), (SEVEN_KEYS, 7, 49205)],
)
def test_sums_are_unique(keys, cards, hands):
    sums = {sum(keys[rank] for rank in ranks) for ranks in hands_by_rank(cards)}
    assert len(sums) == hands


@pytest.mark.parametrize("cards", range(5))
def test_sums_of_partial_hands_are_unique(cards):
    hands = hands_by_rank(cards)
    for keys in (FIVE_KEYS, SEVEN_KEYS):
        assert len({sum(keys[rank] for rank in ranks) for ranks in hands}) == len(hands)


def test_the_search_finds_the_five_card_keys_again():
    assert find_keys(5) == FIVE_KEYS


@pytest.mark.slow
def test_the_search_finds_the_seven_card_keys_again():
    assert find_keys(7) == SEVEN_KEYS


def test_the_search_is_greedy_and_complete_on_a_small_deck():
    # Brute force: the smallest next key for which no two multisets of three cards collide.
    keys = [0]
    while len(keys) < 5:
        key = keys[-1] + 1
        while True:
            trial = [*keys, key]
            hands = list(combinations_with_replacement(range(len(trial)), 3))
            if len({sum(trial[rank] for rank in hand) for hand in hands}) == len(hands):
                break
            key += 1
        keys.append(key)
    assert find_keys(3, ranks=5) == tuple(keys)


def test_five_table_holds_each_unsuited_class_once():
    table = five_table()
    assert table.size == 5 * max(FIVE_KEYS) + 1
    for ranks in hands_by_rank(5):
        assert table[sum(FIVE_KEYS[rank] for rank in ranks)] == class_of_ranks(ranks)
    assert np.unique(table).size == sum(not hand.suited for hand in classes())


def test_flush_table_takes_the_best_five_ranks():
    table = flush_table()
    wheel_and_more = 0b1_0000_0010_1111  # A 7 5 4 3 2: the straight flush, not A7543
    assert table[wheel_and_more] == class_of_ranks([12, 0, 1, 2, 3], suited=True)
    assert table[0b1_0000_0110_1101] == class_of_ranks([12, 6, 5, 3, 2], suited=True)
    assert (table[np.bitwise_count(np.arange(8192)) < 5] == 0).all()


def test_tables_cannot_be_changed_and_no_hand_leads_outside():
    for cards in (6, 7):
        table = best_table(cards)
        assert table.offsets.size == (cards * max(SEVEN_KEYS) >> 10) + 1
        assert int(table.offsets.max()) + 1023 < table.values.size
        assert int(table.values.max()) < N_CLASSES
        for array in table:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
    for array in (five_table(), flush_table(), card_words(5)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_numpy_evaluator_agrees_with_the_readable_one():
    hands, _ = representatives(5)
    some = hands[::17]
    assert five_card_classes(some).tolist() == [class_of(hand) for hand in some.tolist()]
    assert five_card_classes(hands[:0]).shape == (0,)
