"""Order of action (rulebook, web page) and the Quickdraw bet."""

import json
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricochet_casino.cards.additive import five_card_classes
from ricochet_casino.cards.classes import N_CLASSES, classes
from ricochet_casino.cards.deck import CardError, format_cards, parse_cards
from ricochet_casino.cards.partial import (
    READINGS,
    action_key,
    action_keys,
    action_order,
    compare_two,
    quickdraw,
    quickdraw_against_class,
    quickdraw_limits,
)
from ricochet_casino.cards.subsets import all_subsets, representatives

COUNTS = json.loads((Path(__file__).parents[1] / "golden" / "counts.json").read_text())


def pay_classes(high, low, reading):
    """How many of the lowest classes the player wins against; ties count as won."""
    first_equal, first_above = quickdraw_limits(high, low)
    return first_above if reading == "first_two" else first_equal


# Order of action.

RISING = ["3c2d", "3d2c", "3s2d", "4c2d", "4c3d", "Ac2d", "Ac3d", "AcKd", "AdKc", "AsKd",
          "2d2c", "2h2c", "2s2h", "3d3c", "KsKh", "AdAc", "AhAc", "AsAh"]  # fmt: skip


@pytest.mark.parametrize(("lower", "higher"), list(pairwise(RISING)))
def test_pairs_then_ranks_then_the_suit_of_the_higher_card(lower, higher):
    low, high = parse_cards(lower), parse_cards(higher)
    assert action_key(low) < action_key(high)
    assert compare_two(low, high) == -1
    assert compare_two(high, low) == 1
    assert compare_two(low, low) == 0


def test_for_a_pair_the_better_suit_counts():
    assert compare_two(parse_cards("KsKc"), parse_cards("KhKd")) == 1
    assert compare_two(parse_cards("KhKd"), parse_cards("KcKs")) == -1


def test_equal_ranks_without_suits():
    assert compare_two(parse_cards("AsKd"), parse_cards("KcAh"), suits=False) == 0
    assert compare_two(parse_cards("AsKd"), parse_cards("AhQh"), suits=False) == 1
    assert compare_two(parse_cards("2s2d"), parse_cards("AcKc"), suits=False) == 1


def test_the_order_is_total_and_follows_a_plain_sort_key():
    hands = list(combinations(range(52), 2))
    keys = [action_key(hand) for hand in hands]
    assert len(set(keys)) == len(hands) == 1326

    def by_the_book(hand):
        ranks = sorted((card // 4 for card in hand), reverse=True)
        best_suit = max(card % 4 for card in hand if card // 4 == ranks[0])
        return ranks[0] == ranks[1], ranks, best_suit

    by_key = [by_the_book(hand) for _, hand in sorted(zip(keys, hands, strict=True))]
    assert by_key == sorted(by_key)
    assert action_keys(np.array(hands)).tolist() == keys
    assert action_keys(np.array(hands)[:, ::-1].reshape(51, 26, 2)).ravel().tolist() == keys


@given(st.permutations(range(52)), st.integers(1, 7))
def test_seats_are_sorted_whatever_the_order_of_the_cards(deck, players):
    hands = [deck[2 * seat : 2 * seat + 2] for seat in range(players)]
    order = action_order(hands)
    assert sorted(order) == list(range(players))
    for earlier, later in pairwise(order):
        assert compare_two(hands[earlier], hands[later]) == -1
    assert action_order([hand[::-1] for hand in hands]) == order


def test_action_order_by_example():
    hands = [parse_cards(text) for text in ("KsQd", "2c2d", "KhQs", "7c5d")]
    assert action_order(hands) == [3, 2, 0, 1]


@pytest.mark.parametrize("hole", [[0], [0, 0], [0, 1, 2], [0, 52], [-1, 0], []])
def test_hands_that_are_not_two_cards(hole):
    for call in (
        lambda: action_key(hole),
        lambda: compare_two(hole, [50, 51]),
        lambda: action_order([[50, 51], hole]),
        lambda: quickdraw(hole, [40, 41, 42, 43, 44], "first_two"),
        lambda: quickdraw_against_class(hole, 0, "first_two"),
    ):
        with pytest.raises(CardError):
            call()


def test_a_card_in_two_hands_is_refused():
    with pytest.raises(CardError, match="the card 2d appears twice"):
        action_order([[0, 1], [1, 2]])
    with pytest.raises(CardError, match="the card 2d appears twice"):
        quickdraw([0, 1], [1, 6, 11, 16, 21], "first_two")


# Quickdraw.

WIN, TIE, LOSE = "win", "tie", "lose"


@pytest.mark.parametrize(
    ("hole", "dealer", "first_two", "kicker_wins"),
    [
        ("As Kd", "Ah Qd Jc 9s 2d", WIN, WIN),
        ("As Kd", "Ah Kc 4c 3s 2d", TIE, LOSE),
        ("As Qd", "Ah Kc 4c 3s 2d", LOSE, LOSE),
        ("8s 7d", "8h 7c 4c 3s 2d", TIE, LOSE),
        ("As Kd", "2h 2c 5c 4s 3d", LOSE, LOSE),
        ("3s 3d", "2h 2c Ac Ks Qd", WIN, WIN),
        ("3s 3d", "3h 3c 4c 5s 6d", TIE, LOSE),
        ("3s 3d", "4h 4c 2c 5s 6d", LOSE, LOSE),
        ("2s 2d", "Ah Kc Qc Js 9d", WIN, WIN),
        ("As Ad", "3h 3c 2c 2s 4d", LOSE, LOSE),
        ("As Ad", "2h 2c 2s 4s 3d", LOSE, LOSE),
        ("As Ad", "Ah 2c 3s 4s 5d", LOSE, LOSE),
        ("As Ad", "7h 2h 3h 4h 5h", LOSE, LOSE),
    ],
)
def test_quickdraw_by_example(hole, dealer, first_two, kicker_wins):
    hole, dealer = parse_cards(hole), parse_cards(dealer)
    for cards in (hole, hole[::-1]):
        assert quickdraw(cards, dealer, "first_two") == first_two
        assert quickdraw(cards, dealer[::-1], "kicker_wins") == kicker_wins


def test_quickdraw_refuses_unknown_readings_and_classes():
    with pytest.raises(ValueError, match="first_two or kicker_wins"):
        quickdraw([0, 1], [20, 25, 30, 35, 40], "ties_lose")
    for hand_class in (-1, N_CLASSES):
        with pytest.raises(ValueError, match="is not a class"):
            quickdraw_against_class([0, 1], hand_class, "first_two")
    with pytest.raises(CardError, match="expected 5 cards"):
        quickdraw([0, 1], [20, 25, 30, 35], "first_two")


def test_limits_are_where_the_outcomes_change():
    for high in range(13):
        for low in range(high + 1):
            hole = (4 * high + 1, 4 * low)
            first_equal, first_above = quickdraw_limits(high, low)
            for reading, equal in (("first_two", TIE), ("kicker_wins", LOSE)):
                outcomes = [quickdraw_against_class(hole, c, reading) for c in range(N_CLASSES)]
                assert outcomes == (
                    [WIN] * first_equal
                    + [equal] * (first_above - first_equal)
                    + [LOSE] * (N_CLASSES - first_above)
                ), format_cards(hole)


@pytest.mark.parametrize("reading", READINGS)
def test_winning_deals_are_the_published_count(reading):
    """Every dealer's hand against every two-card class, card removal by bit masks."""
    dealers = all_subsets(52, 5)
    hand_class = five_card_classes(dealers)
    order = np.argsort(hand_class, kind="stable")
    held = (np.uint64(1) << dealers[order].astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    starts = np.searchsorted(hand_class[order], np.arange(N_CLASSES + 1))
    deals = won = 0
    for hole, multiplicity in zip(*(part.tolist() for part in representatives(2)), strict=True):
        low, high = sorted(card >> 2 for card in hole)
        mine = np.uint64((1 << hole[0]) | (1 << hole[1]))
        possible = held & mine == 0
        deals += multiplicity * int(np.count_nonzero(possible))
        beaten = starts[pay_classes(high, low, reading)]
        won += multiplicity * int(np.count_nonzero(possible[:beaten]))
    assert deals == COUNTS["quickdraw"]["deals"] == 2_809_475_760
    assert won == COUNTS["quickdraw"]["winning_deals"][reading]


def test_winning_deals_by_rank_pattern():
    """The same counts from patterns of ranks: no card is enumerated, only suits are counted."""
    won = dict.fromkeys(READINGS, 0)
    for high in range(13):
        for low in range(high + 1):
            left = [4 - (rank == high) - (rank == low) for rank in range(13)]
            for reading in READINGS:
                for hand in classes()[: pay_classes(high, low, reading)]:
                    ways = 1
                    for rank in set(hand.ranks):
                        count = hand.ranks.count(rank)
                        ways *= left[rank] if count == 1 else left[rank] * (left[rank] - 1) // 2
                    if high == low:
                        # Six pairs. Five different ranks of one suit are flushes: to be left out.
                        flushes = 4 - 2 * (high in hand.ranks)
                        holes = [(6, flushes)]
                    else:
                        # 4 suited hands and 12 others: which suits miss a rank of the dealer's?
                        gone_high, gone_low = high in hand.ranks, low in hand.ranks
                        holes = [
                            (4, 4 - (gone_high or gone_low)),
                            (12, 4 - gone_high - gone_low),
                        ]
                    for number, flushes in holes:
                        unsuited = ways - flushes * (len(set(hand.ranks)) == 5)
                        won[reading] += number * unsuited
    assert won == COUNTS["quickdraw"]["winning_deals"]
