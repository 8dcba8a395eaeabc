"""The most that the house can lose: reached by a deal, and by no other exceeded."""

import dataclasses
import random
from fractions import Fraction
from functools import cache

import pytest

from ricochet_casino.cards.deck import parse_cards
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.exposure import maximum_exposure
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.strategy import always_play


@cache
def rules_with(number, players):
    return paytable(REACHED[number][0]).rules(players)


def paytable(bonus=None, **changes):
    content = load_paytable("rulebook").model_dump(mode="json")
    content.pop("expect", None)
    if bonus is not None:
        content["bonus"] = {name: str(pays) for name, pays in bonus.items()}
    return RicochetPokerPaytable.read({**content, "side_bets": None, **changes})


def most(rules):
    return Fraction(maximum_exposure(rules)["exact"])


def paid(rules, hands):
    """What the players win from the house with these five-card hands, in chips."""
    hands = [parse_cards(hand) for hand in hands[: rules.players]]
    holes = [tuple(hand[:2]) for hand in hands]
    used = {card for hand in hands for card in hand}
    rest = [card for card in range(52) if card not in used]
    deck = [card for hole in holes for card in hole] + rest[:5]
    deck += [card for seat in action_order(holes) for card in hands[seat][2:]] + rest[5:]
    return sum(play_round(rules, deck, always_play).net) * rules.unit


ROYALS = [f"A{s} K{s} Q{s} J{s} T{s}" for s in "cdhs"]
NINES = [f"9{s} 8{s} 7{s} 6{s} 5{s}" for s in "cdhs"]
KINGS = [f"K{s} Q{s} J{s} T{s} 9{s}" for s in "cdhs"]
EIGHTS = [f"8{s} 7{s} 6{s} 5{s} 4{s}" for s in "cdhs"]
LOW = ("2c", "2d", "2h", "2s", "3c", "3d", "3h")
FOURS = [f"{r}c {r}d {r}h {r}s {low}" for r, low in zip("AKQJT98", LOW, strict=True)]
FULL = [f"{r}c {r}d {r}h {p}c {p}d" for r, p in zip("AKQJT9", "876543", strict=True)]
FULL.append("2c 2d 2h 8h 8s")
FLUSHES = [f"A{s} Q{s} T{s} 8{s} 6{s}" for s in "cdhs"] + [
    f"K{s} J{s} 9{s} 7{s} 5{s}" for s in "cdhs"
]

REACHED = [
    ({"straight": 2, "flush": 5, "full_house": 10, "four_of_a_kind": 25, "straight_flush": 100,
      "royal_flush": 1000}, ROYALS + NINES),
    ({"royal_flush": 1000}, [*ROYALS, *NINES]),
    ({"four_of_a_kind": 25, "royal_flush": 50}, ROYALS + [
        f"{r}c {r}d {r}h {r}s {low}" for r, low in zip("987", LOW[:3], strict=True)]),
    ({"straight_flush": 100}, ROYALS + NINES),
    ({"straight_flush": 100, "royal_flush": 0}, KINGS + EIGHTS),
    ({"four_of_a_kind": 25}, FOURS),
    ({"full_house": 10, "four_of_a_kind": 3}, FULL),
    ({"flush": 5}, FLUSHES),
    ({}, FLUSHES),
]  # fmt: skip


@pytest.mark.parametrize(
    "number", range(len(REACHED)), ids=["+".join(bonus) or "none" for bonus, _ in REACHED]
)
@pytest.mark.parametrize("players", range(1, 8))
def test_a_deal_reaches_it(players, number):
    rules = rules_with(number, players)
    assert paid(rules, REACHED[number][1]) == most(rules)


@pytest.mark.parametrize(
    ("players", "chips"), [(1, 1001), (2, 2001), (4, 4001), (5, 4101), (7, 4301)]
)
def test_the_rulebooks_by_hand(players, chips):
    """Four royal flushes at most; then a straight flush that shares no card with one."""
    assert most(paytable().rules(players)) == chips


def test_amounts_are_in_chips():
    rules = paytable(coin="1/2", dealer_ante="5/2").rules(3)
    assert most(rules) == 3000 + Fraction(5, 2)
    assert most(dataclasses.replace(rules, lines=())) == Fraction(5, 2)


def test_no_round_costs_the_house_more():
    """Decks full of straight flushes: cards of a suit stand together."""
    rng = random.Random(1)
    largest = Fraction()
    for number in range(700):
        players = number % 7 + 1
        rules = rules_with(rng.randrange(len(REACHED)), players)
        cards = list(range(52))
        cards.sort(key=lambda card: ((card & 3) if rng.random() < 0.97 else 4, -(card >> 2)))
        hands = [cards[5 * seat : 5 * seat + 5] for seat in range(players)]
        holes = [tuple(hand[:2]) for hand in hands]
        deck = [card for hole in holes for card in hole] + cards[-5:]
        deck += [card for seat in action_order(holes) for card in hands[seat][2:]]
        won = sum(play_round(rules, deck, always_play, record=False).net) * rules.unit
        assert won <= most(rules)
        largest = max(largest, won)
    assert largest > 1000
