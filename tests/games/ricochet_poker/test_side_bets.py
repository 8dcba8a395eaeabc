"""Quickdraw and Cover: counts from outside and slow twins."""

from fractions import Fraction

import pytest

from ricochet_casino.cards.classes import Category, classes, first_of_category
from ricochet_casino.cards.partial import quickdraw, quickdraw_limits
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.deals import TOTAL_DEALS, starting_hands
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.side_bets import (
    quickdraw_counts,
    side_bet_entries,
)


def entries(**changes):
    content = load_paytable("rulebook").model_dump(mode="json")
    content.pop("expect", None)
    content["side_bets"] = {**content["side_bets"], **changes}
    return {bet["name"]: bet for bet in side_bet_entries(RicochetPokerPaytable.read(content))}


def test_quickdraw_counts_of_both_readings():
    counts = quickdraw_counts()
    assert counts.higher == 405_665_460
    assert counts.higher + counts.level == 418_486_560
    assert counts.higher + counts.level + counts.lower == TOTAL_DEALS


@pytest.mark.parametrize(
    ("tie", "won", "edge"),
    [("first_two", 418_486_560, 10.627), ("kicker_wins", 405_665_460, 13.365)],
)
def test_quickdraw_house_edge(tie, won, edge):
    bet = entries(quickdraw={"pays": "5 to 1", "tie": tie})["quickdraw"]
    assert bet["counts"]["winning_deals"] == won
    assert 100 * float(bet["house_edge"]["decimal"]) == pytest.approx(edge, abs=5e-4)
    assert Fraction(bet["house_edge"]["exact"]) == 1 - Fraction(6 * won, TOTAL_DEALS)
    assert sum(row["combinations"] for row in bet["par_sheet"]) == TOTAL_DEALS


def test_level_classes_are_those_of_the_readable_comparison():
    """Every starting hand against a dealer's hand just below, in and above the level classes."""
    for hand in starting_hands():
        first, last = quickdraw_limits(hand.high, hand.low)
        hole = hand.cards
        for dealer_class in {0, first - 1, first, last - 1, last, 7461} - {-1}:
            dealer = representative_without(dealer_class, hole)
            if dealer is None:
                continue
            expected = "win" if dealer_class < first else "tie" if dealer_class < last else "lose"
            assert quickdraw(hole, dealer, "first_two") == expected, (hand.name, dealer_class)
            strict = "win" if dealer_class < first else "lose"
            assert quickdraw(hole, dealer, "kicker_wins") == strict


def representative_without(dealer_class, hole):
    """Five cards of a class that avoid two cards, or None where the first suits tried do not."""
    cards = classes()[dealer_class].representative
    for shift in range(4):
        moved = tuple((card & ~3) | ((card + shift) & 3) for card in cards)
        if not set(moved) & set(hole):
            return moved
    return None


def test_cover_counts_by_line():
    bet = entries()["cover"]
    counts = bet["counts"]
    assert counts["winning_hands"] == 1_042_980
    assert counts["hands"] == counts["winning_hands"] + counts["losing_hands"] == 2_598_960
    expected = {
        "pair_of_fives": 844_800, "two_pair": 123_552, "three_of_a_kind": 54_912,
        "straight": 10_200, "flush": 5_108, "full_house": 3_744, "four_of_a_kind": 624,
        "straight_flush": 36, "royal_flush": 4,
    }  # fmt: skip
    assert {name: counts[name] for name in expected} == expected
    paid = {
        "pair_of_fives": 1, "two_pair": 2, "three_of_a_kind": 3, "straight": 5, "flush": 7,
        "full_house": 10, "four_of_a_kind": 25, "straight_flush": 100, "royal_flush": 1000,
    }  # fmt: skip
    ev = Fraction(sum(paid[n] * expected[n] for n in paid) - counts["losing_hands"], 2_598_960)
    assert Fraction(bet["house_edge"]["exact"]) == -ev
    assert Fraction(4, 100) < -ev < Fraction(8, 100)


def test_cover_line_that_starts_inside_the_pairs():
    bet = entries(cover={"pays": {"pair_of_aces": "3 to 1", "flush": "4 to 1"}})["cover"]
    starts = first_of_category()
    assert starts[Category.PAIR] < starts[Category.TWO_PAIR]
    assert bet["counts"]["flush"] == 5_108 + 3_744 + 624 + 40
    assert bet["counts"]["pair_of_aces"] == 84_480 + 123_552 + 54_912 + 10_200


def test_without_side_bets_there_are_no_entries():
    assert side_bet_entries(load_paytable("home_capped")) == []
