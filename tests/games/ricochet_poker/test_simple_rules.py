"""Gains of one player, the best limits, and simple rules with their exact cost."""

import dataclasses
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from ricochet_casino.cards.classes import Category, class_of, classes
from ricochet_casino.cards.shuffle import deals
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.deals import starting_hand, starting_hands
from ricochet_casino.games.ricochet_poker.hand_tables import ALWAYS
from ricochet_casino.games.ricochet_poker.notation import line_names
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simple_rules import (
    MOST_CONDITIONS,
    RuleSearch,
    conditions,
    parse_rule,
    view_of,
)
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.solo_gains import (
    NAMED,
    as_hand_table,
    best_limits,
    hand_ranges,
    limits_play,
    solo_gains,
)
from ricochet_casino.games.ricochet_poker.solo_policies import PolicyTable, solo_table
from ricochet_casino.runs import run

PLAIN = load_paytable("rulebook")


@cache
def gains():
    return solo_gains(PLAIN.rules(1))


@cache
def search():
    return RuleSearch(gains())


@cache
def best_rules():
    return search().best(4)


def rtp(strategy, paytable=PLAIN):
    """Evaluated by the exact experiment."""
    return Fraction(run(Solo(paytable, strategy)).entry["rtp_per_ante"]["exact"])


def changed(**changes):
    content = load_paytable("rulebook").model_dump(mode="json")
    content.pop("expect")
    return RicochetPokerPaytable.read({**content, **changes})


# --- Gains ---------------------------------------------------------------------------------------


def test_gains_give_the_certified_returns():
    assert 1 - gains().best_rtp == Fraction(78734189, 2579351775)
    for name in NAMED:
        assert gains().best_rtp - gains().named_cost(name) == rtp(name), name


@pytest.mark.parametrize("last_hand", ["may_play", "none"])
def test_gains_with_other_last_hands_and_bets(last_hand):
    paytable = changed(last_hand=last_hand, coin="1/2", ante=2, play_bet=3, dealer_ante="3/2",
                       kickout={"1": "TTxx"}, players=[1])  # fmt: skip
    found = solo_gains(paytable.rules(1))
    assert found.best_rtp == rtp("collective", paytable)
    for name in ("always_fold", "pairs_and_big_cards"):
        assert found.best_rtp - found.named_cost(name) == rtp(name, paytable)


def test_weak_players_return_nearer_90_percent():
    weak = gains().best_rtp - gains().named_cost("always_play")
    assert Fraction(88, 100) < weak < Fraction(9, 10)


def test_gains_are_for_one_player():
    with pytest.raises(ValueError, match="for 2 players; expected 1"):
        solo_gains(PLAIN.rules(2))


def test_huge_amounts_stay_exact():
    rules = PLAIN.rules(1)
    million = 10**9
    huge = dataclasses.replace(
        rules, ante=million, dealer_ante=million, play_bet=million,
        lines=tuple(dataclasses.replace(line, pays=line.pays * million) for line in rules.lines),
    )  # fmt: skip
    found = solo_gains(huge)
    assert found.gain.dtype == object
    assert found.best_rtp == gains().best_rtp
    rule = parse_rule("pair or low>main", huge.kickout_class)
    view = view_of(found.hand, found.dealer_class)
    assert found.cost(rule.plays(view)) == gains().cost(rule.plays(search().view))


# --- Limits --------------------------------------------------------------------------------------


def test_the_cost_of_limits_is_that_of_the_hand_table():
    limits = best_limits(gains(), list(line_names().values()))
    table = as_hand_table("card", limits)
    cost = gains().cost(limits_play(gains(), limits))
    assert gains().best_rtp - cost == rtp(solo_table(table, PLAIN.rules(1).kickout_class))
    assert set(limits.values()) <= {*line_names().values(), ALWAYS}
    assert all(limits[hand.name] == ALWAYS for hand in starting_hands() if hand.high == hand.low)


def test_no_other_limit_of_a_hand_is_better():
    limits = best_limits(gains())
    best = gains().cost(limits_play(gains(), limits))
    assert best < gains().cost(limits_play(gains(), best_limits(gains(), [1500, 2500, 3500])))
    rng = random.Random(3)
    for _ in range(40):
        hand = rng.choice(starting_hands()).name
        other = {**limits, hand: rng.randrange(3800)}
        assert gains().cost(limits_play(gains(), other)) >= best


def test_ranges_of_hands():
    names = [hand.name for hand in starting_hands()]
    assert hand_ranges(["AA", "KK", "QQ", "TT"]) == "AA-QQ, TT"
    assert hand_ranges(["AKs", "AQs", "AKo", "T9o"]) == "AKs-AQs, AKo, T9o"
    assert hand_ranges([]) == ""
    assert hand_ranges(names).startswith("AA-22, AKs-A2s, AKo-A2o, KQs-K2s")
    # Every hand once, whatever is asked for.
    rng = random.Random(1)
    for _ in range(20):
        some = rng.sample(names, 40)
        found = []
        for part in hand_ranges(some).split(", "):
            first, _, last = part.partition("-")
            line = [
                n
                for n in names
                if n[2:] == first[2:]
                and (n[0] == n[1] if first[0] == first[1] else n[0] == first[0] and n[0] != n[1])
            ]
            found += line[line.index(first) : line.index(last or first) + 1]
        assert sorted(found) == sorted(some)


# --- Conditions and rules ------------------------------------------------------------------------


def by_hand(name, hole, dealer):
    """What the conditions mean, for one deal, from nothing but the cards."""
    high, low = max(card >> 2 for card in hole), min(card >> 2 for card in hole)
    ranks = [card >> 2 for card in dealer]
    made = classes()[class_of(dealer)]
    pairs = [rank for rank in set(ranks) if ranks.count(rank) > 1]
    groups = sorted(pairs, key=lambda rank: (ranks.count(rank), rank))
    # The ace of the lowest straight counts as a one.
    straight = made.category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH)
    wheel = straight and set(ranks) == {12, 0, 1, 2, 3}
    main = groups[-1] if groups else 3 if wheel else max(ranks)
    held = sum(rank in (high, low) for rank in ranks)
    plain = {
        "pair": high == low,
        "suited": hole[0] & 3 == hole[1] & 3,
        "neighbours": high - low == 1,
        "near": high - low in (1, 2),
        "high>main": high > main,
        "high>=main": high >= main,
        "low>main": low > main,
        "low>=main": low >= main,
        "high>top": high > max(ranks),
        "held=0": held == 0,
        "held<=1": held <= 1,
    }
    if name in plain:
        return plain[name]
    if name.startswith(("high>=", "low>=")):
        word, _, rank = name.partition(">=")
        return (high if word == "high" else low) >= "23456789TJQKA".index(rank)
    return class_of(dealer) < line_names()[name.removeprefix("dealer<")]


def test_every_condition_means_what_it_says():
    rng = random.Random(9)
    dealt = [rng.sample(range(52), 7) for _ in range(1500)]
    dealt += [[*hole, 48, 1, 4, 8, 12] for hole in ([51, 13], [16, 9])]  # ace to five
    numbers = {hand: number for number, hand in enumerate(starting_hands())}
    hands = np.array([numbers[starting_hand(cards[:2])] for cards in dealt])
    dealer = np.array([class_of(cards[2:]) for cards in dealt])
    view = view_of(hands, dealer)
    every = conditions(7462)
    assert len({condition.name for condition in every}) == len(every) < 64
    for condition in every:
        expected = [by_hand(condition.name, cards[:2], cards[2:]) for cards in dealt]
        assert condition.test(view).tolist() == expected, condition.name
        assert condition.text[0].islower()


@pytest.mark.parametrize(
    "name",
    [
        "never",
        "always",
        "pair or low>main or dealer<pair_of_fours",
        "suited and neighbours or high>=Q and held<=1",
        "low>=7 and held=0 and dealer<pair_of_kings or near and high>top",
    ],
)
def test_the_cost_of_a_rule_is_that_of_an_exact_evaluation(name):
    rule = parse_rule(name, PLAIN.rules(1).kickout_class)
    assert rule.name == name
    policy = rule.policy(PLAIN.rules(1).kickout_class)
    assert gains().best_rtp - gains().cost(rule.plays(search().view)) == rtp(policy)


def simplest(hole, dealer):
    """Any pair, or the lower card beats her pair; or her hand is below a pair of fours."""
    # Cards come in unsigned bytes, which know no -1.
    hole, dealer = np.sort(hole >> 2, axis=1), np.sort(dealer.astype(np.int64) >> 2, axis=1)
    same = dealer[:, 1:] == dealer[:, :-1]
    pair = np.where(same, dealer[:, 1:], -1).max(axis=1)
    # Below the kickout she has one pair or none, or else the chart does not matter.
    main = np.where(pair >= 0, pair, dealer[:, 4])
    return (hole[:, 0] == hole[:, 1]) | (hole[:, 0] > main) | (pair < 2)


def one_in_two(hole, dealer):
    """Suited neighbours; or an ace or king against a hand that holds neither of the ranks."""
    suited = (hole[:, 0] & 3) == (hole[:, 1] & 3)
    hole, dealer = np.sort(hole >> 2, axis=1), dealer >> 2
    held = (dealer == hole[:, :1]) | (dealer == hole[:, 1:])
    return (suited & (hole[:, 1] - hole[:, 0] == 1)) | ((hole[:, 1] >= 11) & ~held.any(axis=1))


BY_CARDS = [
    (simplest, "pair or low>main or dealer<pair_of_fours"),
    (one_in_two, "suited and neighbours or high>=K and held=0"),
]


@pytest.mark.parametrize(("function", "name"), BY_CARDS)
def test_rules_decide_as_functions_of_the_cards(function, name):
    """On random deals at which the dealer stands."""
    dealt = deals(4, 0, 0, 6000, count=7)
    dealer = np.array([class_of(cards) for cards in dealt[:, 2:].tolist()])
    dealt = dealt[dealer < PLAIN.rules(1).kickout_class]
    numbers = {hand: number for number, hand in enumerate(starting_hands())}
    hands = np.array([numbers[starting_hand(cards)] for cards in dealt[:, :2].tolist()])
    view = view_of(hands, dealer[dealer < PLAIN.rules(1).kickout_class])
    expected = function(dealt[:, :2], dealt[:, 2:])
    assert 0 < expected.sum() < len(expected)
    rule = parse_rule(name, PLAIN.rules(1).kickout_class)
    assert rule.plays(view).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("function", "name"), BY_CARDS)
def test_the_cost_of_a_rule_is_that_of_a_function_of_the_cards(function, name):
    """Asked for all 358 million deals that differ, one by one: nothing is shared with the rule."""
    rule = parse_rule(name, PLAIN.rules(1).kickout_class)
    policy = PolicyTable.from_function(function, "by_cards")
    assert gains().best_rtp - gains().cost(rule.plays(search().view)) == rtp(policy)


def test_rules_in_words():
    kickout = PLAIN.rules(1).kickout_class
    assert parse_rule("always", kickout).text == "Play everything."
    assert parse_rule("never", kickout).text == "Fold everything."
    assert parse_rule("pair or high>=A and dealer<pair", kickout).text == (
        "Play if you hold a pair; or if your higher card is an ace and the dealer has no pair."
    )
    with pytest.raises(ValueError, match=r"unknown condition 'piar'.*did you mean pair"):
        parse_rule("piar or suited", kickout)
    # Hands with which she is out anyway are no condition.
    with pytest.raises(ValueError, match="unknown condition 'dealer<two_pair'"):
        parse_rule("dealer<two_pair", kickout)


# --- The search ----------------------------------------------------------------------------------


def test_longer_rules_are_better_and_their_costs_exact():
    found, kickout = best_rules(), PLAIN.rules(1).kickout_class
    assert [one.rule.size for one in found] == sorted({one.rule.size for one in found})
    assert [one.cost for one in found] == sorted({one.cost for one in found}, reverse=True)
    assert found[0].rule.name == "always"
    for one in found:
        assert one.cost == gains().cost(parse_rule(one.rule.name, kickout).plays(search().view))
    assert gains().best_rtp - found[-1].cost == rtp(found[-1].rule.policy(kickout))
    # Three conditions come within an eighth of a percent of the best play.
    assert found[3].cost < Fraction(1, 800)


def test_no_rule_of_one_condition_or_two_is_better():
    """Every one of them, from the gains themselves."""
    view, every = search().view, conditions(PLAIN.rules(1).kickout_class)
    tests = [condition.test(view) for condition in every]
    kinds, where = np.unique(np.packbits(tests, axis=0), axis=1, return_inverse=True)
    sums = np.zeros(kinds.shape[1], dtype=np.int64)
    np.add.at(sums, where.reshape(-1), gains().gain)
    truth = np.unpackbits(kinds, axis=0, count=len(tests)).astype(bool)
    singles = [int(sums[one].sum()) for one in truth]
    pairs = [
        int(sums[mask].sum())
        for a in range(len(truth))
        for b in range(a)
        for mask in (truth[a] & truth[b], truth[a] | truth[b])
    ]
    cheapest = {size: gains().per_ante(gains().optimum - max(values))
                for size, values in ((1, singles), (2, pairs))}  # fmt: skip
    found = {one.rule.size: one.cost for one in best_rules()}
    assert found[1] == cheapest[1]
    assert found[2] == cheapest[2]


def test_the_search_gives_the_same_again_and_refuses_nonsense():
    again = RuleSearch(gains(), beam=16).best(3)
    assert [(one.rule.name, one.cost) for one in again] == [
        (one.rule.name, one.cost) for one in best_rules() if one.rule.size <= 3
    ]
    with pytest.raises(ValueError, match=f"0 to {MOST_CONDITIONS}"):
        search().best(MOST_CONDITIONS + 1)
