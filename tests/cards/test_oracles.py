"""Agreement with two independent evaluators on all hands: phevaluator and PokerKit."""

from itertools import chain, starmap

import numpy as np
import pokerkit
import pytest
from phevaluator.evaluator import evaluate_5cards, evaluate_6cards, evaluate_7cards

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.deck import format_card
from ricochet_casino.cards.evaluate import evaluate_hands
from ricochet_casino.cards.subsets import all_subsets, representatives

POKERKIT_CARDS = [next(iter(pokerkit.Card.parse(format_card(card)))) for card in range(52)]


def phevaluator_strengths(hands):
    """Strength by phevaluator, whose ranks fall from 7462 to 1 as hands get better."""
    function = {5: evaluate_5cards, 6: evaluate_6cards, 7: evaluate_7cards}[hands.shape[1]]
    ranks = chain.from_iterable(
        starmap(function, part.tolist()) for part in np.array_split(hands, 1 + len(hands) // 50_000)
    )
    return -np.fromiter(ranks, dtype=np.int64, count=len(hands))


def pokerkit_strengths(hands):
    lookup = pokerkit.StandardHighHand.lookup
    cards = POKERKIT_CARDS
    return np.array(
        [lookup.get_entry([cards[card] for card in hand]).index for hand in hands.tolist()]
    )


def assert_same_order(ours, theirs):
    """Equal exactly when equal, lower exactly when lower: a strictly rising map."""
    pairs = np.unique(np.stack([ours.astype(np.int64), theirs], axis=1), axis=0)
    assert (np.diff(pairs[:, 0]) > 0).all(), "one class of ours is two of theirs"
    assert (np.diff(pairs[:, 1]) > 0).all(), "another order, or two classes of ours are one"
    return len(pairs)


def shuffled(hands, seed):
    return np.random.default_rng(seed).permuted(hands, axis=1)


def test_the_comparison_notices_differences():
    ours = np.array([0, 1, 2, 2])
    assert assert_same_order(ours, np.array([5, 7, 9, 9])) == 3
    for theirs in ([5, 7, 9, 10], [5, 7, 7, 7], [7, 5, 9, 9]):
        with pytest.raises(AssertionError):
            assert_same_order(ours, np.array(theirs))


def test_phevaluator_orders_all_suit_classes_alike():
    hands = shuffled(representatives(5)[0], seed=1)
    assert assert_same_order(evaluate_hands(hands), phevaluator_strengths(hands)) == N_CLASSES


def test_pokerkit_orders_all_suit_classes_alike():
    hands = shuffled(representatives(5)[0], seed=2)
    assert assert_same_order(evaluate_hands(hands), pokerkit_strengths(hands)) == N_CLASSES


def test_card_order_changes_nothing_on_all_hands():
    hands = all_subsets(52, 5)
    assert np.array_equal(evaluate_hands(shuffled(hands, seed=3)), evaluate_hands(hands))


@pytest.mark.slow
def test_phevaluator_orders_all_hands_alike_in_shuffled_card_order():
    hands = all_subsets(52, 5)
    theirs = phevaluator_strengths(hands)
    assert assert_same_order(evaluate_hands(hands), theirs) == N_CLASSES
    again = shuffled(hands, seed=4)
    assert assert_same_order(evaluate_hands(again), phevaluator_strengths(again)) == N_CLASSES
    assert np.array_equal(phevaluator_strengths(again), theirs)


@pytest.mark.slow
def test_pokerkit_orders_all_hands_alike_in_shuffled_card_order():
    hands = shuffled(all_subsets(52, 5), seed=5)
    assert assert_same_order(evaluate_hands(hands), pokerkit_strengths(hands)) == N_CLASSES


@pytest.mark.parametrize(("width", "distinct"), [(6, 6075), (7, 4824)])
def test_phevaluator_agrees_on_random_hands_of_six_and_seven(width, distinct):
    rng = np.random.default_rng(width)
    decks = np.tile(np.arange(52, dtype=np.uint8), (300_000, 1))
    hands = np.ascontiguousarray(rng.permuted(decks, axis=1)[:, :width])
    seen = assert_same_order(evaluate_hands(hands), phevaluator_strengths(hands))
    assert 3000 < seen <= distinct


@pytest.mark.slow
def test_phevaluator_orders_all_suit_classes_of_six_and_seven_alike():
    for width, distinct in ((6, 6075), (7, 4824)):
        hands = representatives(width)[0]
        assert assert_same_order(evaluate_hands(hands), phevaluator_strengths(hands)) == distinct
