"""Numbering of sets of cards and their suit classes."""

from collections import Counter
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricochet_casino.cards.deck import CardError, parse_cards
from ricochet_casino.cards.subsets import (
    all_subsets,
    canonical,
    canonical_groups,
    multiplicity_of,
    rank_subset,
    rank_subsets,
    representatives,
    two_card_name,
    unrank_subset,
)

card_sets = st.lists(st.integers(0, 51), unique=True, max_size=9)


def exchange_suits(cards, suits):
    return sorted(card // 4 * 4 + suits[card % 4] for card in cards)


@pytest.mark.parametrize(("n", "k"), [(0, 0), (5, 0), (5, 1), (6, 3), (9, 5), (5, 5), (7, 2)])
def test_all_subsets_are_in_colexicographic_order(n, k):
    expected = sorted(combinations(range(n), k), key=lambda cards: cards[::-1])
    listed = all_subsets(n, k)
    assert listed.dtype == np.uint8
    assert listed.shape == (comb(n, k), k)
    assert [tuple(row) for row in listed.tolist()] == expected
    assert [rank_subset(cards) for cards in expected] == list(range(comb(n, k)))
    assert [unrank_subset(number, k) for number in range(comb(n, k))] == expected
    assert rank_subsets(listed).tolist() == list(range(comb(n, k)))


def test_smaller_decks_come_first():
    assert np.array_equal(all_subsets(52, 3)[: comb(20, 3)], all_subsets(20, 3))
    assert all_subsets(3, 4).shape == (0, 4)
    assert all_subsets(256, 1)[-1, 0] == 255


@given(st.lists(st.integers(0, 200), unique=True, max_size=8))
def test_numbers_are_read_back(cards):
    assert unrank_subset(rank_subset(cards), len(cards)) == tuple(sorted(cards))


def test_five_cards_of_52():
    hands = all_subsets(52, 5)
    assert hands.shape == (2_598_960, 5)
    assert (np.diff(hands.astype(np.int8), axis=1) > 0).all()
    assert np.array_equal(rank_subsets(hands), np.arange(len(hands)))
    assert hands[-1].tolist() == [47, 48, 49, 50, 51]


def test_what_cannot_be_numbered():
    with pytest.raises(CardError, match="the code 3 appears twice"):
        rank_subset([3, 1, 3])
    with pytest.raises(CardError, match="-1 is not a card code"):
        rank_subset([-1, 2])
    for number, k in ((-1, 2), (0, -1), (1, 0)):
        with pytest.raises(ValueError, match="there is no set"):
            unrank_subset(number, k)
    for n, k in ((257, 2), (-1, 0), (5, -1)):
        with pytest.raises(ValueError, match="cannot list"):
            all_subsets(n, k)


@pytest.mark.parametrize(
    ("k", "number"), [(0, 1), (1, 13), (2, 169), (3, 1755), (4, 16_432), (5, 134_459)]
)
def test_numbers_of_suit_classes(k, number):
    cards, multiplicity = representatives(k)
    assert cards.shape == (number, k)
    assert multiplicity.sum() == comb(52, k)
    assert (np.diff(rank_subsets(cards)) > 0).all()
    assert not cards.flags.writeable
    assert not multiplicity.flags.writeable


def test_numbers_of_suit_classes_follow_from_burnsides_lemma():
    def power(cycle, times, degree=7):
        """Coefficients of (1 + z**cycle)**times."""
        return [comb(times, n // cycle) if n % cycle == 0 else 0 for n in range(degree + 1)]

    def product(a, b):
        return [sum(a[i] * b[n - i] for i in range(n + 1)) for n in range(len(a))]

    terms = [  # exchanges of suits by their cycles, and the sets that they leave alone
        (1, power(1, 52)),
        (6, product(power(1, 26), power(2, 13))),
        (3, power(2, 26)),
        (8, product(power(1, 13), power(3, 13))),
        (6, power(4, 13)),
    ]
    counts = [sum(times * series[k] for times, series in terms) / 24 for k in range(8)]
    assert counts == [1, 13, 169, 1755, 16_432, 134_459, 962_988, 6_009_159]
    assert [len(representatives(k)[0]) for k in range(6)] == counts[:6]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "number"), [(6, 962_988), (7, 6_009_159)])
def test_numbers_of_large_suit_classes(k, number):
    cards, multiplicity = representatives(k)
    assert cards.shape == (number, k)
    assert multiplicity.sum() == comb(52, k)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_classes_are_the_orbits_of_the_24_exchanges(k):
    orbits = {
        frozenset(tuple(exchange_suits(cards, suits)) for suits in permutations(range(4)))
        for cards in combinations(range(52), k)
    }
    cards, multiplicity = representatives(k)
    size = {orbit_member: len(orbit) for orbit in orbits for orbit_member in orbit}
    assert len(orbits) == len(cards)
    for row, number in zip(cards.tolist(), multiplicity.tolist(), strict=True):
        assert size[tuple(row)] == number
        orbits.remove(next(orbit for orbit in orbits if tuple(row) in orbit))
    assert not orbits


def test_every_four_card_set_maps_to_its_representative_as_often_as_stated():
    cards, multiplicity = representatives(4)
    seen = Counter(canonical(hand) for hand in all_subsets(52, 4)[::5].tolist())
    stated = dict(zip(map(tuple, cards.tolist()), multiplicity.tolist(), strict=True))
    assert set(seen) <= set(stated)
    assert all(number <= stated[hand] for hand, number in seen.items())
    for hand, number in list(stated.items())[::7]:
        members = {tuple(exchange_suits(hand, suits)) for suits in permutations(range(4))}
        assert len(members) == number == multiplicity_of(hand)
        assert {canonical(member) for member in members} == {hand}


@given(card_sets, st.permutations(range(4)))
def test_exchanging_suits_does_not_change_the_representative(cards, suits):
    chosen = canonical(cards)
    assert canonical(exchange_suits(cards, suits)) == chosen == canonical(chosen)
    assert sorted(card // 4 for card in cards) == [card // 4 for card in chosen]
    ranks = [sum(1 << card // 4 for card in chosen if card % 4 == suit) for suit in range(4)]
    assert ranks == sorted(ranks, reverse=True)
    members = {tuple(exchange_suits(cards, some)) for some in permutations(range(4))}
    assert chosen in members
    assert multiplicity_of(cards) == len(members)


@given(card_sets, st.integers(0, 9), st.permutations(range(4)))
def test_hole_and_board_are_exchanged_together(cards, cut, suits):
    hole, board = cards[:cut], cards[cut:]
    first, second = canonical_groups(hole, board)
    again = canonical_groups(exchange_suits(hole, suits), exchange_suits(board, suits))
    assert again == (first, second)
    assert first == canonical(hole)
    ways = [
        (tuple(exchange_suits(hole, some)), tuple(exchange_suits(board, some)))
        for some in permutations(range(4))
    ]
    assert (first, second) in ways


def test_representatives_by_example():
    assert canonical(parse_cards("Ks As")) == parse_cards("Kc Ac")
    assert canonical(parse_cards("Kh As")) == parse_cards("Kd Ac")
    assert canonical_groups(parse_cards("As Ah"), parse_cards("3d 4h")) == (
        parse_cards("Ac Ad"),
        parse_cards("3h 4c"),
    )
    assert canonical([]) == ()


def test_what_has_no_representative():
    for cards in ([0, 0], [52], [-1]):
        for function in (canonical, multiplicity_of, two_card_name):
            with pytest.raises(CardError):
                function(cards)
    with pytest.raises(CardError, match="2c appears twice"):
        canonical_groups([0, 1], [2, 0])
    for k in (-1, 8):
        with pytest.raises(ValueError, match="0 to 7 cards"):
            representatives(k)


def test_names_of_two_cards():
    assert two_card_name(parse_cards("Kd Ad")) == "AKs"
    assert two_card_name(parse_cards("2d Td")) == "T2s"
    assert two_card_name(parse_cards("Ac Kd")) == "AKo"
    assert two_card_name(parse_cards("Qh Qs")) == "QQ"
    names = Counter(two_card_name(hole) for hole in combinations(range(52), 2))
    assert len(names) == 169
    cards, multiplicity = representatives(2)
    stated = {
        two_card_name(hole): number
        for hole, number in zip(cards.tolist(), multiplicity.tolist(), strict=True)
    }
    assert stated == names
