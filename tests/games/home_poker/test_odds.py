"""Values of positions: those found elsewhere, a plain expectimax beside, sampled ones, refusals."""

import json
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from ricochet_casino.cards.deck import CardError, parse_cards
from ricochet_casino.cards.partial import hand_order
from ricochet_casino.games.home_poker.exact import (
    OutOfReachError,
    exact_values,
    overtaking_chances,
)
from ricochet_casino.games.home_poker.odds import exact_odds, sampled_odds
from ricochet_casino.games.home_poker.position import Position
from ricochet_casino.games.home_poker.settings import read_settings

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "home_positions.json").read_text())


def position(actor, opponents, dead="", pot=6, **settings):
    others = (opponents,) if isinstance(opponents, str) else opponents
    rules = read_settings(**{"coin": "fair", **settings})
    hands = tuple(parse_cards(cards) for cards in others)
    return Position(rules, parse_cards(actor), hands, parse_cards(dead), pot)


@pytest.mark.parametrize("row", GOLDEN["exact"], ids=lambda row: row["id"])
def test_values_found_elsewhere(row):
    for level_hands, expected in row["ev"].items():
        found = exact_values(
            position(
                " ".join(row["actor"]), " ".join(row["opponent"]), " ".join(row["dead"]),
                row["pot"], hand_limit=row["limit"], jokers=row["jokers"], level_hands=level_hands,
            )
        )  # fmt: skip
        values = {str(k) if k else "fold": str(v) for k, v in enumerate(found.amounts)}
        assert values == expected
        best = str(found.best) if found.best else "fold"
        assert best == row["best"][level_hands]


def expectimax(spot, unseen):
    """Values and costs of all actions by the rules alone: every order of the cards, no shortcut."""
    rules, limit = spot.settings, spot.settings.hand_limit

    def share(pot):
        return Fraction(pot, 2) if rules.coin == "fair" else Fraction((pot + 1) // 2)

    @cache
    def turn(me, other, left, pot, mine):
        """Value for who acts, what the first player still pays, by action."""
        most = min(limit - len(me), len(left))
        actions = [(Fraction(0), Fraction(0))]
        for k in range(1, most + 1):
            value, cost = buy(me, other, left, pot + k, k, mine)
            actions.append((value - k, cost + k * mine))
        return actions

    def best(*state):
        return max(turn(*state), key=lambda action: action[0])

    @cache
    def buy(me, other, left, pot, owed, mine):
        """After paying: chips received by who acts less what he pays later."""
        value = cost = Fraction(0)
        for card in left:
            hand = frozenset([*me, card])
            rest = left - {card}
            a, b = hand_order(tuple(hand)), hand_order(tuple(other))
            level = a[:2] == b[:2]
            if a > b:
                room = min(limit - len(other), len(rest))
                if level and (room == 0 or rules.level_hands == "split"):
                    value += share(pot)
                elif room == 0:
                    value += pot
                else:
                    theirs, paid = best(other, hand, rest, pot, not mine)
                    value += pot - theirs
                    cost += paid
            elif owed > 1:
                later, paid = buy(hand, other, rest, pot, owed - 1, mine)
                value += later
                cost += paid
            elif level and (rules.level_hands == "split" or len(hand) == limit or not rest):
                value += share(pot)
            elif level and rules.level_hands == "stay":
                later, paid = best(hand, other, rest, pot, mine)
                value += later
                cost += paid
        return value / len(left), cost / len(left)

    me, other = map(frozenset, (spot.actor, spot.opponents[0]))
    return turn(me, other, frozenset(unseen), spot.pot, True)


# Small decks: cards that are dead leave eight to ten unseen, where flushes, straights, level hands
# and Jokers decide.
SMALL = [
    ("Kh 9c 5d", "Ks 9d 5c", "4c 4d 3c 3h 8s 8h 9h Kd", {}),
    ("9h 7h 4h 2h", "Kd Ks 5c 3d", "8h Th 2s 5d 5s Ac 9c 6h", {}),
    ("7c 6c 5c", "7d 8d 4d", "2c 3c 4c 9c 2d 3d 9d Ks", {}),
    ("X1 7c 6c", "X2 7d 8d", "2c 3c 4c 9c 5d Ac Kd", {"jokers": 2}),
    ("9h 8h 7h", "Ad", "X2 6h Th 5h 9c 8d Ac As", {"jokers": 1}),
    ("Ah Kd Qc Jd", "As Kh Qd Js", "Tc 9c 9d 9s 2c 2d Kc", {"hand_limit": 6}),
    ("Ah Kd Qc Jd 9h", "As Kh Qd Js 9s", "Tc Td 9c 9d 2c 2d Kc", {"hand_limit": 6}),
    ("9c 8d 7h 6s 4c", "9d 8h 7s 6c 4h 2d", "5c 5d Th Ts 3c 2s", {"hand_limit": 7}),
]


@pytest.mark.parametrize("level_hands", ["suit", "split", "stay"])
@pytest.mark.parametrize(("actor", "opponent", "kept", "settings"), SMALL)
def test_values_are_those_of_a_plain_expectimax(actor, opponent, kept, settings, level_hands):
    for coin in ("fair", "1"):
        rules = {**settings, "level_hands": level_hands, "coin": coin}
        seen = {*parse_cards(actor), *parse_cards(opponent)}
        unseen = set(parse_cards(kept))
        deck = read_settings(**rules).deck
        assert not seen & unseen
        dead = tuple(card for card in deck if card not in seen | unseen)
        spot = Position(
            read_settings(**rules), parse_cards(actor), (parse_cards(opponent),), dead, 5
        )
        found = exact_values(spot)
        expected = expectimax(spot, unseen)
        assert list(found.amounts) == [value for value, _ in expected]
        # Where two actions are equally good, either may be the one that is paid for later.
        assert [cost >= k for k, cost in enumerate(found.costs)] == [True] * len(expected)
        if coin == "fair" and level_hands == "suit":
            assert list(found.costs) == [cost for _, cost in expected]


def test_chances_are_those_of_counting_sets():
    spot = position("2c 2d 5h", ("Kh 9c 9s", "As Ad"), "Qh", pot=8, jokers=1)
    lowest = hand_order(parse_cards("Kh 9c 9s"))
    for k, chance in enumerate(overtaking_chances(spot), start=1):
        sets = list(combinations(spot.unseen, k))
        over = sum(hand_order((*spot.actor, *cards)) > lowest for cards in sets)
        assert chance == Fraction(over, len(sets))


def test_sampled_values_agree_with_exact_ones_where_nothing_is_left_to_decide():
    spot = position("8c 8d 4s", "Qs Qh 7c 2d 3h", pot=10)
    exact, sampled = exact_odds(spot), sampled_odds(spot, playouts=20_000, seed=3)
    for sure, seen in zip(exact.actions[1:], sampled.actions[1:], strict=True):
        assert seen.interval.low <= sure.ev <= seen.interval.high
        assert seen.overtake == sure.overtake
        assert seen.cost == sure.cost == sure.amount
    assert sampled.to_json() == sampled_odds(spot, playouts=20_000, seed=3).to_json()


def test_sampled_odds_with_several_opponents_and_dead_cards():
    spot = position("7s", ("Kd", "9c", "Ac 3d"), "2h 4h 8c 8d", pot=6)
    found = sampled_odds(spot, playouts=2_000)
    assert [action.name for action in found.actions] == ["fold", "1", "2", "3", "4"]
    assert found.best.amount in range(5)
    assert json.loads(json.dumps(found.to_json()), parse_float=pytest.fail)


def test_openings_are_near_those_played_out_elsewhere_by_pot_odds():
    """Both sides by pot odds, theirs with 60 draws; the difference is within five errors."""
    for row in GOLDEN["openings_under_stated_policy"]:
        if "pot odds" not in row["policy"]:
            continue
        spot = position(row["actor"], row["opponent"], pot=row["pot"])
        found = sampled_odds(spot, playouts=4_000, seed=1)
        for action in found.actions[1:]:
            width = action.interval.high - action.interval.low
            room = 5 * row["se"][action.name] + float(width) / 2
            assert abs(float(action.ev) - row["ev"][action.name]) < room, (row, action)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"actor": "Ks"}, r"the opponent \(8s 8d Kd 5h\) is lower|acts first"),
        ({"actor": "2h 8s"}, "8s is in two places: the actor, the opponent"),
        ({"dead": "2h"}, "2h is in two places: the actor, the dead cards"),
        ({"pot": 0}, "a pot of 0 is impossible: 2 antes are in it"),
        ({"pot": -4}, "a pot of -4 is impossible"),
        ({"actor": "2h 3h 4h 5s 7s 8c"}, "the actor has 6 cards; expected 1 to 5"),
        ({"actor": ""}, "the actor has 0 cards"),
        ({"actor": "2c 3h 4h 5s 7s"}, "can buy no card"),
        ({"actor": "2c X2"}, "X2 is not in a deck with no Joker"),
        ({"actor": "2c X1", "jokers": 1}, r"X1 is not in a deck with one Joker \(X2\)"),
        ({"opponents": ()}, "expected 1 to 7 opponents, got 0"),
        ({"jokers": 3}, "jokers: 3 is not allowed"),
        ({"hand_limit": 9}, "more than the deck can serve"),
    ],
)
def test_positions_that_cannot_be(arguments, message):
    given = {"actor": "2h 2d 9c 7s", "opponents": "8s 8d Kd 5h", "pot": 15}
    if arguments.get("actor") == "Ks":
        given["opponents"] = "Qs"
    with pytest.raises((CardError, ValueError), match=message):
        position(**{**given, **arguments})


def test_out_of_reach():
    with pytest.raises(OutOfReachError, match=r"8 cards, exact values reach to 6 .*--sampled"):
        exact_values(position("7s", "Kd", pot=2))
    with pytest.raises(OutOfReachError, match=r"two live hands, here are 3; use --sampled"):
        exact_values(position("7s 2c 3c 5h", ("Kd", "As"), pot=3))
    with pytest.raises(ValueError, match="playouts must be 2 to"):
        sampled_odds(position("7s", "Kd", pot=2), playouts=1)
