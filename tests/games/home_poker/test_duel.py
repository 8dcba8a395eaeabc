"""Duels: a policy against a base with the same cards; the strong policy is the better one."""

import json
from fractions import Fraction

import numpy as np
import pytest

from ricochet_casino.cards.shuffle import deals
from ricochet_casino.experiment import Tally
from ricochet_casino.games import build
from ricochet_casino.games.home_poker.duel import Duel
from ricochet_casino.games.home_poker.policies import Player, play_hand
from ricochet_casino.games.home_poker.settings import PRESETS, read_settings
from ricochet_casino.games.home_poker.study import STREAM, Study
from ricochet_casino.games.home_poker.table_arrays import cards_needed
from ricochet_casino.lab import DEFAULT_SEED
from ricochet_casino.runs import run


def duel(players=3, policy="buy_maximum", base="buy_one", hands=5_000, seed=4, rules=None, **sizes):
    return Duel(rules or PRESETS["basic"], players, policy, base, hands, seed, **sizes)


@pytest.mark.parametrize(
    ("rules", "players", "policy", "base", "hands"),
    [
        (PRESETS["basic"], 2, "pot_odds", "buy_one", 12),
        (PRESETS["jokers"], 3, "buy_maximum", "random", 40),
        (read_settings(jokers=1, coin="fair", hand_limit=6), 5, "random", "buy_maximum", 40),
        (PRESETS["basic"], 3, "look_ahead", "pot_odds", 3),
    ],
)
def test_the_sums_are_those_of_the_referee(rules, players, policy, base, hands):
    sizes = {"samples": 6, "playouts": 9, "inner": 2}
    spot = duel(players, policy, base, hands, 8, rules, **sizes)
    width = cards_needed(rules, players)
    cards = deals(8, STREAM, 0, hands, count=width, deck_size=len(rules.deck))
    cards = np.where((cards == 52) & (rules.jokers == 1), 53, cards)
    gains, nets = [], []
    for deal, deck in enumerate(cards.tolist()):
        seat, found = deal % players, []
        for name in (base, policy):
            names = [name if other == seat else base for other in range(players)]
            seats = [Player(name, 8, deal, **sizes, plain=True) for name in names]
            found.append(play_hand(rules, seats, deck, seed=8, deal=deal).net[seat])
        gains.append(found[1] - found[0])
        nets.append(found[1])
    assert any(gains)
    assert spot.run(spot.shards()[0]).counts == {
        "rounds": hands,
        "gain": sum(gains),
        "gain_squares": sum(x * x for x in gains),
        "net": sum(nets),
        "net_squares": sum(x * x for x in nets),
        "better": sum(x > 0 for x in gains),
        "worse": sum(x < 0 for x in gains),
    }


def test_a_policy_against_itself_gains_nothing():
    counts = duel(4, "pot_odds", "pot_odds", 300).run(duel(hands=300).shards()[0]).counts
    assert counts["gain_squares"] == counts["better"] == counts["worse"] == 0
    assert counts["net_squares"] > 0


def test_gain_and_net_are_the_same_figure():
    """Their intervals meet, and those of a study with the policy in one seat."""
    entry = run(duel(4, "buy_maximum", "buy_one", 200_000)).entry
    policies = ("buy_maximum", *("buy_one",) * 3)
    seats = run(Study(PRESETS["basic"], 4, policies, 200_000, 77)).entry["by_seat"]
    intervals = [entry["gain"], entry["net"], seats[0]["net"]]
    lows = [Fraction(figure["interval"][0]) for figure in intervals]
    highs = [Fraction(figure["interval"][1]) for figure in intervals]
    assert max(lows) < min(highs)
    assert highs[0] - lows[0] < 1


def test_the_same_bytes_for_one_worker_and_for_two():
    long = duel(hands=300_000)
    assert len(long.shards()) == 3
    one, two = (run(long, workers=workers) for workers in (1, 2))
    assert one.entry == two.entry
    again = build(json.loads(json.dumps(long.spec())))
    assert again.spec() == long.spec()
    with pytest.raises(ValueError, match="holds 0 of 300,000"):
        long.result(Tally())


@pytest.mark.parametrize("base", ["buy_one", "buy_maximum"])
def test_looking_ahead_beats_weak_baselines(base):
    entry = run(duel(2, "look_ahead", base, 5_000, playouts=128), workers=2).entry
    assert entry["policy_is_better"]
    assert Fraction(entry["gain"]["interval"][0]) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "players", "hands"),
    [
        ("buy_one", 2, 10_000),
        ("buy_maximum", 2, 10_000),
        ("pot_odds", 2, 20_000),
        ("pot_odds", 3, 30_000),
        ("buy_one", 4, 10_000),
        ("buy_maximum", 4, 10_000),
        ("pot_odds", 4, 40_000),
    ],
)
def test_looking_ahead_beats_every_baseline(base, players, hands):
    """What `ricochet home duel` shows with the seed it takes by itself."""
    entry = run(duel(players, "look_ahead", base, hands, DEFAULT_SEED), workers=2).entry
    assert Fraction(entry["gain"]["interval"][0]) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((9, "random", "random", 1, 0), "2 to 8 players, got 9"),
        ((2, "buy_two", "random", 1, 0), "unknown policy 'buy_two'; .* did you mean buy_one"),
        ((2, "random", "pot_ods", 1, 0), "unknown policy 'pot_ods'; .* did you mean pot_odds"),
        ((2, "random", "random", 0, 0), "hands must be"),
        ((2, "random", "random", 1, -1), "seed"),
    ],
)
def test_duels_that_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=message):
        Duel(PRESETS["basic"], *arguments)


def test_parameters_that_cannot_be():
    good = duel().spec()["parameters"]
    with pytest.raises(ValueError, match="the parameter base is missing"):
        Duel.from_parameters({name: good[name] for name in good if name != "base"})
    with pytest.raises(ValueError, match="playouts must be 1 to 65,536, got 0"):
        Duel.from_parameters({**good, "playouts": 0})
