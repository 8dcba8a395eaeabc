"""The list of the 7,462 classes and its plain evaluator."""

from itertools import pairwise

import pytest

from ricochet_casino.cards.classes import (
    N_CLASSES,
    ROYAL_FLUSH,
    Category,
    class_of,
    class_of_ranks,
    classes,
    first_of_category,
)
from ricochet_casino.cards.deck import CardError, parse_cards


def test_there_are_7462_classes_by_category():
    starts = first_of_category()
    sizes = [end - begin for begin, end in pairwise(starts)]
    # C(13, 5) - 10 sets of ranks that are no straight, 13 C(12, 3) pairs, C(13, 2) 11, ...
    assert sizes == [1277, 2860, 858, 858, 10, 1277, 156, 156, 10]
    assert sum(sizes) == N_CLASSES == len(classes())
    for hand in classes():
        assert starts[hand.category] <= hand.index < starts[hand.category + 1]


def test_every_representative_has_its_class():
    for hand in classes():
        assert class_of(hand.representative) == hand.index
        assert class_of_ranks(hand.ranks, suited=hand.suited) == hand.index


def test_texts_and_names_are_different():
    assert len({hand.text for hand in classes()}) == N_CLASSES
    assert len({hand.name for hand in classes()}) == N_CLASSES


@pytest.mark.parametrize(
    ("cards", "category", "text", "name"),
    [
        ("2c 3d 4h 5s 7c", Category.HIGH_CARD, "75432", "seven high (7 5 4 3 2)"),
        ("Kc Kd 2h 3s Qc", Category.PAIR, "KKQ32", "pair of kings with Q 3 2"),
        ("Tc Td 6h 6s Ac", Category.TWO_PAIR, "TT66A", "two pair, tens and sixes with A"),
        ("2c 2d 2h 3s Qc", Category.THREE_OF_A_KIND, "222Q3", "three deuces with Q 3"),
        ("Ac 2d 3h 4s 5c", Category.STRAIGHT, "5432A", "straight, five high"),
        ("Ac 2c 3c 4c 9c", Category.FLUSH, "A9432s", "flush, ace high (A 9 4 3 2)"),
        ("2c 2d 2h Ks Kc", Category.FULL_HOUSE, "222KK", "full house, deuces over kings"),
        ("2c 2d 2h 2s Kc", Category.FOUR_OF_A_KIND, "2222K", "four deuces with K"),
        ("5h 6h 7h 8h 9h", Category.STRAIGHT_FLUSH, "98765s", "straight flush, nine high"),
        ("As Ks Qs Js Ts", Category.STRAIGHT_FLUSH, "AKQJTs", "royal flush"),
    ],
)
def test_examples(cards, category, text, name):
    hand = classes()[class_of(parse_cards(cards))]
    assert (hand.category, hand.text, hand.name) == (category, text, name)


def test_ends_of_the_list():
    assert classes()[0].text == "75432"
    assert class_of(parse_cards("Th Jh Qh Kh Ah")) == ROYAL_FLUSH


def test_what_is_no_hand_is_refused():
    with pytest.raises(CardError, match="expected 5 cards, got 4"):
        class_of([0, 1, 2, 3])
    with pytest.raises(CardError, match="appears twice"):
        class_of([0, 1, 2, 3, 0])
    with pytest.raises(ValueError, match="no five-card hand"):
        class_of_ranks([3, 3, 3, 3, 3])
    with pytest.raises(ValueError, match="no five-card hand"):
        class_of_ranks([3, 3, 4, 5, 6], suited=True)
