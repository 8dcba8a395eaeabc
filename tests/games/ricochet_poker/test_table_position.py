"""Positions with three or more left to act: sampled values, and those that are exact."""

import dataclasses
import random
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from ricochet_casino.cards.classes import N_CLASSES, class_of
from ricochet_casino.cards.deck import parse_cards
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker import table_position
from ricochet_casino.games.ricochet_poker.expectimax import policy_value
from ricochet_casino.games.ricochet_poker.multiplayer import policy_for
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.strategy import COMPUTED
from ricochet_casino.games.ricochet_poker.table_position import (
    MOST_DEALS,
    PositionSample,
    Sampled,
    decide_at_table,
    value_bounds,
)
from ricochet_casino.games.ricochet_poker.table_position_exact import exact_value, standing
from ricochet_casino.games.ricochet_poker.two_players import decide

GROUP = ("collective", "collective_pot_only")
CHOICES = ("play", "fold")
UNIT = Fraction(1, 1 << 32)
ROUNDED = 64 * UNIT
BONUSES = (
    {"straight": 2, "flush": 5, "full_house": 10, "royal_flush": 100},
    {"pair_of_twos": 1, "two_pair": 0, "straight": 8},
    {},
)


def rulebook(players):
    return load_paytable("rulebook").rules(players)


def rules_of(players, lowest_rank, kickout_class=N_CLASSES, bonus=BONUSES[0], **settings):
    content = load_paytable("rulebook").model_dump(mode="json")
    content |= {"expect": {}, "side_bets": None, **settings}
    content["bonus"] = {name: str(pays) for name, pays in bonus.items()}
    rules = RicochetPokerPaytable.read(content).rules(players)
    return dataclasses.replace(rules, lowest_rank=lowest_rank, kickout_class=kickout_class)


def random_rules(rng, players, lowest_rank, kickout_class=N_CLASSES):
    coin = rng.choice(["1", "1/2", "fair"])
    return rules_of(
        players, lowest_rank, kickout_class, rng.choice(BONUSES),
        coin=coin, bonus_on="ante", ante=str(rng.choice([1, 2])),
        dealer_ante=str(rng.choice([1, 2])), play_bet=str(rng.choice([1, 2, 3])),
        last_hand=rng.choice(["free", "may_play", "none"]),
        when_equal=rng.choice(["play", "fold"]),
    )  # fmt: skip


def random_position(rng, rules, waiting, plays=None):
    """A position with so many left; the others have acted, so many of them by a play."""
    players, deck = rules.players, rng.sample(rules.deck, len(rules.deck))
    holes = [tuple(deck[2 * seat : 2 * seat + 2]) for seat in range(players)]
    rest = deck[2 * players :]
    if rng.random() < 0.5:
        rest.sort()  # a weak dealer
    dealer, rest = rest[:5], rest[5:]
    rng.shuffle(rest)
    completed, folded = [()] * players, [False] * players
    acted = action_order(holes)[: players - waiting]
    most = min(len(acted), (len(rest) - 3 * waiting) // 3)
    playing = rng.sample(acted, rng.randint(0, most) if plays is None else plays)
    for seat in acted:
        if seat in playing:
            completed[seat] = (*holes[seat], rest.pop(), rest.pop(), rest.pop())
        else:
            folded[seat] = True
    return holes, dealer, completed, folded


def some_position(rng, rules, waiting, *, dealer_in=True, plays=None):
    while True:
        state = standing(rules, *random_position(rng, rules, waiting, plays))
        if state.found.dealer_in == dealer_in:
            return state


def every_order(stub, draws):
    """Every way to draw three cards so many times from the cards that can come."""

    def from_the(rest, left):
        if left == 0:
            yield tuple(rest)
            return
        for three in combinations(rest, 3):
            after = [card for card in rest if card not in three]
            for tail in from_the(after, left - 1):
                yield three + tail

    return np.array(list(from_the(list(stub), draws)), dtype=np.uint8)


def exact_mean(sample, stubs, choice):
    values = sample.played(stubs, choice).tolist()
    return Fraction(sum(values), len(values)) * UNIT


def refereed(state, strategy, stubs, choice):
    """Mean over given orders of the stub, played by the referee; from the decision on, in units."""
    found, rules = state.found, state.found.rules
    given = {seat: bool(state.completed[seat]) for seat in found.order}
    given = {seat: given[seat] for seat in found.order if seat not in found.waiting}
    given[found.waiting[0]] = choice == "play"
    policy, known = policy_for(rules, strategy), {}

    def ask(table):
        if table.seat in given:
            return given[table.seat]
        key = (table.seat, table.folded, *map(frozenset, table.hands))
        if key not in known:
            known[key] = policy(table)
        return known[key]

    dealt = [card for hole in found.holes for card in hole] + list(state.dealer)
    dealt += [card for seat in found.order for card in state.completed[seat][2:]]
    rows = stubs if choice == "play" else np.roll(stubs, -3, axis=1)
    nets = [play_round(rules, dealt + row, ask, record=False).net for row in rows.tolist()]
    means = [Fraction(sum(column), len(nets)) for column in zip(*nets, strict=True)]
    if strategy == "individual":
        return means[found.waiting[0]] + rules.ante
    hands = [five for five in state.completed if five]
    paid = rules.players * rules.ante + len(hands) * rules.play_bet
    return sum(means) + paid - sum(rules.bonus(class_of(five)) for five in hands)


# --- The compiled table with given actions -------------------------------------------------------


@pytest.mark.parametrize(("players", "lowest_rank"), [(2, 9), (3, 7), (4, 6)])
def test_two_left_are_exact_over_every_order(players, lowest_rank):
    rng = random.Random(players)
    for _ in range(6):
        rules = random_rules(rng, players, lowest_rank, rng.choice([N_CLASSES, N_CLASSES, 0, 5500]))
        plays = players - 2
        state = standing(rules, *random_position(rng, rules, 2, plays))
        stubs = every_order(state.found.stub, 2)
        for strategy in COMPUTED:
            sample = PositionSample(state, strategy)
            exact = decide(
                rules, state.found.holes, state.dealer,
                completed=state.completed, folded=state.folded, strategy=strategy,
            )  # fmt: skip
            for choice in CHOICES:
                mean = exact_mean(sample, stubs, choice)
                assert abs(mean - getattr(exact, choice) / rules.unit) < ROUNDED


@pytest.mark.parametrize("dealer_in", [True, False])
def test_three_left_are_what_the_referee_pays_over_every_order(dealer_in):
    rng = random.Random(11 + dealer_in)
    rules = random_rules(rng, 3, 8, N_CLASSES if dealer_in else 0)
    state = some_position(rng, rules, 3, dealer_in=dealer_in)
    stubs = every_order(state.found.stub, 3)
    assert len(stubs) == comb(9, 3) * comb(6, 3)
    for strategy in COMPUTED:
        paid = refereed(state, strategy, stubs, "play")
        assert abs(exact_mean(PositionSample(state, strategy), stubs, "play") - paid) < ROUNDED
        known = exact_value(state, strategy, "play")
        assert known == (None if strategy == "individual" else paid)
    paid = refereed(state, "collective", stubs, "fold")
    assert abs(exact_mean(PositionSample(state, "collective"), stubs, "fold") - paid) < ROUNDED
    assert exact_value(state, "collective", "fold") == paid
    assert (exact_mean(PositionSample(state, "individual"), stubs, "fold")) == 0


# --- Exact values --------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", GROUP)
@pytest.mark.parametrize("players", [4, 5])
def test_three_left_after_others_are_exact(players, strategy):
    """Every draw of the first, and what is known exactly after it."""
    rng = random.Random(players)
    rules = random_rules(rng, players, {4: 6, 5: 5}[players])
    state = some_position(rng, rules, 3, plays=players - 3)
    found, seat, total = state.found, state.found.waiting[0], Fraction()
    for three in combinations(found.stub, 3):
        hand = (*found.holes[seat], *three)
        completed = [hand if s == seat else state.completed[s] for s in range(players)]
        after = decide(
            rules, found.holes, state.dealer,
            completed=completed, folded=state.folded, strategy=strategy,
        )  # fmt: skip
        total += after.value / rules.unit + rules.bonus(class_of(hand)) - rules.play_bet
    exact = exact_value(state, strategy, "play")
    assert exact == total / found.completions

    low, high = value_bounds(found, strategy, "play")
    sample = PositionSample(state, strategy)
    values = sample.played(sample.stubs(0, 2000, seed=1), "play").astype(float) * float(UNIT)
    assert low - ROUNDED <= values.min() <= values.max() <= high + ROUNDED
    assert values.mean() == pytest.approx(float(exact), abs=4 * values.std() / 2000**0.5 + 1e-9)


@pytest.mark.parametrize(
    ("strategy", "last_hand", "when_equal", "bonus"),
    [
        ("collective", "none", "fold", BONUSES[0]),
        ("collective", "free", "play", BONUSES[1]),
        ("collective_pot_only", "free", "fold", BONUSES[1]),
        ("collective_pot_only", "may_play", "fold", BONUSES[1]),
        ("collective_pot_only", "none", "play", BONUSES[0]),
    ],
)
def test_values_with_the_dealer_out_are_exact(strategy, last_hand, when_equal, bonus):
    rules = rules_of(3, 8, 0, bonus, last_hand=last_hand, when_equal=when_equal)
    state = some_position(random.Random(3), rules, 3, dealer_in=False)
    holes, first = state.found.holes, state.found.waiting[0]
    policies = [policy_for(rules, strategy)] * 3
    for choice in CHOICES:
        policies[first] = lambda _table, plays=choice == "play": plays
        total, _ = policy_value(rules, holes, state.dealer, policies)
        assert exact_value(state, strategy, choice) == total / rules.unit + 3 * rules.ante


def test_four_left_a_fold_is_exact_and_a_play_is_covered():
    rules = rules_of(4, 6, bonus_on="ante", play_bet="2")
    state = some_position(random.Random(8), rules, 4)
    found, seat, total = state.found, state.found.waiting[0], Fraction()
    for three in combinations(found.stub, 3):
        hand = (*found.holes[seat], *three)
        completed = [hand if s == seat else () for s in range(4)]
        after = standing(rules, found.holes, state.dealer, completed)
        total += exact_value(after, "collective", after.choice("collective"))
        total += rules.bonus(class_of(hand)) - rules.play_bet
    exact = total / found.completions * rules.unit
    found = decide_at_table(rules, state.found.holes, state.dealer, deals=4000, seed=5)
    assert isinstance(found.play, Sampled)
    assert found.play.interval.low < exact < found.play.interval.high
    assert found.difference.mean == found.play.mean - found.fold
    assert found.difference.interval.low == found.play.interval.low - found.fold
    sample = PositionSample(state, "collective")
    values = sample.played(sample.stubs(0, 2000, seed=1), "fold").astype(float) * float(UNIT)
    exact_fold = float(exact_value(state, "collective", "fold"))
    assert values.mean() == pytest.approx(exact_fold, abs=4 * values.std() / 2000**0.5 + 1e-9)


def test_what_is_not_known_is_not_called_exact():
    rng = random.Random(2)
    for players, known in ((3, {"play", "fold"}), (4, {"fold"}), (5, set()), (7, set())):
        state = some_position(rng, rulebook(players), players)
        for strategy in GROUP:
            found = {c for c in CHOICES if exact_value(state, strategy, c) is not None}
            assert found == known
        assert exact_value(state, "individual", "play") is None
        assert exact_value(state, "individual", "fold") == 0


# --- The position and its choice -----------------------------------------------------------------


def test_a_position_is_what_the_player_saw_at_the_table():
    rng, seen = random.Random(4), 0
    for _ in range(60):
        rules = random_rules(rng, rng.randint(3, 5), 0, rng.choice([N_CLASSES, 3000, 5500]))
        tables = []

        def ask(table, tables=tables):
            tables.append(table)
            return rng.random() < 0.6

        play_round(rules, rng.sample(range(52), 52), ask, record=False)
        for table in tables:
            if len(table.waiting) < 2:
                continue
            folded = [seat in table.folded for seat in range(rules.players)]
            state = standing(rules, table.holes, table.dealer, table.hands, folded)
            assert state.table == table
            seen += 1
    assert seen > 80


@pytest.mark.parametrize("strategy", COMPUTED)
def test_best_is_the_choice_of_the_strategy(strategy):
    rng, chosen = random.Random(6), set()
    for players in (3, 4, 5, 7):
        state = some_position(rng, rulebook(players), players)
        found = decide_at_table(
            state.found.rules, state.found.holes, state.dealer, strategy=strategy, deals=1
        )
        plays = policy_for(state.found.rules, strategy)(state.table)
        assert found.best == ("play" if plays else "fold")
        assert (found.order, found.to_act) == (state.found.order, state.found.waiting[0])
        chosen.add(found.best)
    assert chosen


# --- Samples and intervals -----------------------------------------------------------------------


def test_intervals_cover_what_is_known_exactly():
    state = some_position(random.Random(21), rulebook(5), 3, plays=1)
    for strategy in GROUP:
        play, fold = (exact_value(state, strategy, choice) for choice in CHOICES)
        sample = PositionSample(state, strategy)
        for seed in range(8):
            for found, exact in zip(
                sample.values(500, seed), (play, fold, play - fold), strict=True
            ):
                assert found.interval.low <= exact <= found.interval.high
                assert found.interval.low < found.mean < found.interval.high
                assert (found.interval.level, found.interval.method) == (
                    Fraction(99, 100), "betting",
                )  # fmt: skip


@pytest.mark.parametrize("players", [4, 7])
@pytest.mark.parametrize("strategy", COMPUTED)
def test_bounds_hold(players, strategy):
    rng = random.Random(players)
    for _ in range(2):
        state = some_position(rng, random_rules(rng, players, 0) if players < 7 else rulebook(7),
                              players)  # fmt: skip
        sample = PositionSample(state, strategy)
        for choice in CHOICES:
            low, high = value_bounds(state.found, strategy, choice)
            values = sample.played(sample.stubs(0, 128, seed=9), choice).tolist()
            assert low - ROUNDED <= min(values) * UNIT
            assert max(values) * UNIT <= high + ROUNDED


def test_more_deals_make_a_narrower_interval():
    state = some_position(random.Random(1), rulebook(5), 5)
    sample = PositionSample(state, "collective")
    widths = [
        [found.interval.high - found.interval.low for found in sample.values(deals, 3)]
        for deals in (200, 2000)
    ]
    assert all(4 * narrow < wide for wide, narrow in zip(*widths, strict=True))


def test_samples_depend_on_the_seed_and_on_nothing_else(monkeypatch):
    state = some_position(random.Random(1), rulebook(4), 4)
    position = (state.found.rules, state.found.holes, state.dealer)
    found = decide_at_table(*position, deals=300, seed=1)
    assert decide_at_table(*position, deals=300, seed=2).play.mean != found.play.mean
    monkeypatch.setattr(table_position, "_BATCH", 77)
    assert decide_at_table(*position, deals=300, seed=1) == found


def test_orders_hold_the_cards_that_can_come_and_the_pilot_has_others():
    state = some_position(random.Random(1), rulebook(4), 3, plays=1)
    sample = PositionSample(state, "collective")
    stubs = sample.stubs(0, table_position.PILOT + 200, seed=7)
    assert (np.sort(stubs, axis=1) == np.array(state.found.stub)).all()
    assert len(np.unique(stubs, axis=0)) == len(stubs)


# --- Refusals ------------------------------------------------------------------------------------

HOLES = [parse_cards(text) for text in ("2c 3d", "8c 9d", "Kc Kd")]
DEALER = parse_cards("4h 5h 7s Jd Qs")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"strategy": "colective"}, "did you mean collective"),
        ({"strategy": "always_play"}, "expected one of collective, individual"),
        ({"deals": 0}, "deals must be 1 to 10,000,000, got 0"),
        ({"deals": MOST_DEALS + 1}, "deals must be 1 to"),
        ({"deals": 1.5}, "deals must be a whole number"),
        ({"seed": -1}, "a seed must be 0 to"),
        ({"seed": 1 << 64}, "a seed must be 0 to"),
        ({"folded": [True, False, False]}, "2 left to act"),
        ({"folded": [False, True, False]}, r"players\[1\] has acted before"),
        ({"folded": [True] * 3}, "nobody is left"),
    ],
)
def test_bad_arguments(given, said):
    with pytest.raises(ValueError, match=said):
        decide_at_table(rulebook(3), HOLES, DEALER, **given)


def test_amounts_too_large_to_be_sampled_are_refused():
    rules = rules_of(3, 0, bonus={"straight": 10**7})
    for strategy in COMPUTED:
        with pytest.raises(ValueError, match="too large"):
            decide_at_table(rules, HOLES, DEALER, strategy=strategy)
