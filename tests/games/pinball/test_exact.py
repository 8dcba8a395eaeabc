"""Exact lengths and chances: the given figures, other ways to the same numbers, simulation."""

from fractions import Fraction
from itertools import permutations, product

import pytest

from ricochet_casino.games.pinball.chain import chain
from ricochet_casino.games.pinball.deck import Card, generated_deck
from ricochet_casino.games.pinball.events import Rules
from ricochet_casino.games.pinball.exact import (
    mean_rounds,
    mean_rounds_check,
    round_chances,
    rounds_law,
    tick_law,
    undecided_chances,
    win_chances,
)
from ricochet_casino.games.pinball.players import Player
from ricochet_casino.games.pinball.repeat import second_round_chance
from ricochet_casino.games.pinball.study import Study
from ricochet_casino.runs import run


@pytest.mark.parametrize(
    ("players", "mean"),
    [(2, "9.29297"), (3, "12.18125"), (4, "14.84142"), (6, "19.73738"), (8, "24.26302")],
)
def test_the_mean_number_of_rounds(players, mean):
    assert f"{float(mean_rounds(players)):.5f}" == mean
    assert mean_rounds(players) == mean_rounds_check(players, 6)


def test_two_players_by_hand():
    # 2 g (1 - C(2g, g) / 4^g): the mean of a race of two to g.
    assert mean_rounds(2) == 12 * (1 - Fraction(924, 4096))


@pytest.mark.parametrize(("players", "goal"), [(2, 1), (2, 3), (3, 2), (4, 2)])
def test_small_races_by_counting_all_of_them(players, goal):
    longest = players * (goal - 1) + 1
    total = Fraction()
    for race in product(range(players), repeat=longest):
        held = [0] * players
        for rounds, seat in enumerate(race, 1):
            held[seat] += 1
            if held[seat] == goal:
                total += rounds
                break
    assert mean_rounds(players, goal) == total / players**longest


def test_the_stock_ends_games_of_ten():
    law = rounds_law(10)
    assert sum(law.values()) == 1
    assert max(law) == 46
    assert mean_rounds(10) < mean_rounds(10, 6, 100) == mean_rounds_check(10, 6)
    assert mean_rounds(9) == mean_rounds_check(9, 6)
    assert mean_rounds(9, 6, 45) < mean_rounds(9)  # Full Tilt
    for wrong in ((0, 6, 46), (2, 0, 46), (2, 6, 0)):
        with pytest.raises(ValueError, match="at least 1"):
            undecided_chances(*wrong)


def test_win_chances_of_two_follow_the_binomial():
    p = Fraction(3, 5)
    found = win_chances([p, 1 - p], 6, 46)
    from math import comb

    by_hand = sum(comb(5 + lost, lost) * p**6 * (1 - p) ** lost for lost in range(6))
    assert found == [by_hand, 1 - by_hand]
    assert win_chances([Fraction(1, 3)] * 3, 3, 46) == [Fraction(1, 3)] * 3
    assert win_chances([p, 1 - p], 3, 2)[0] == p**2 + p * (1 - p)  # the stock ends it
    with pytest.raises(ValueError, match="sum to one"):
        win_chances([p, p], 6, 46)
    with pytest.raises(ValueError, match="too many positions"):
        win_chances([Fraction(1, 9)] * 9, 6, 46)


def test_the_law_of_ticks_counts_all_times():
    player = Player(Fraction("0.004"), Fraction(1, 2))  # 2 to 6 ms: five times
    law = tick_law(player, 2, 2)
    plain = {}
    for one, two in product(range(2, 7), repeat=2):
        plain[(one + two) // 2] = plain.get((one + two) // 2, 0) + Fraction(1, 25)
    assert law.keys() == plain.keys()
    for tick, chance in law.items():  # 2^32 words do not fall evenly on five times
        assert abs(chance - plain[tick]) < Fraction(1, 2**29)


def test_chances_of_a_round_by_listing_all_ticks():
    players = [Player(Fraction("0.010"), Fraction(1, 2)), Player(Fraction("0.012"), Fraction(1, 2))]
    laws = [tick_law(player, 3, 5) for player in players]
    wins = sum(laws[0][a] * laws[1][b] for a in laws[0] for b in laws[1] if a < b)
    ties = sum(laws[0][a] * laws[1].get(a, 0) for a in laws[0])
    assert round_chances(players, 3, 5)[0] == wins / (1 - ties)
    assert sum(round_chances([*players, players[0]], 3, 5)) == 1


def test_chances_of_a_round_are_refused_where_they_do_not_exist():
    still = Player(Fraction(1), Fraction(0))
    with pytest.raises(ValueError, match="tie for ever"):
        round_chances([still, still], 3, 10)
    with pytest.raises(ValueError, match="without errors"):
        round_chances([Player(error=Fraction(1, 9))] * 2, 3, 10)
    with pytest.raises(ValueError, match="at most 4 players"):
        round_chances([Player()] * 5, 3, 10)


@pytest.mark.parametrize("full_tilt", [False, True])
def test_win_shares_of_unequal_players_are_those_of_the_exact_chances(full_tilt):
    models = [Player(Fraction(t), Fraction(1, 5)) for t in ("0.05", "0.052", "0.055")]
    rules = Rules(3, full_tilt=full_tilt, tick=20)
    exact = win_chances(round_chances(models, rules.n_outer - 1, 20), 6, rules.stock)
    entry = run(Study(rules, generated_deck(1), models, 30_000, 4), workers=1).entry
    assert entry["ties"]["total"] > 10_000
    for row, share in zip(entry["win_shares"], exact, strict=True):
        low, high = map(Fraction, row["win_share"]["interval"])
        assert low < share < high


# --- The place of the last card ------------------------------------------------------------------


def test_the_chance_that_a_second_round_ends_where_the_first_did():
    assert second_round_chance(4) == Fraction(194117, 614400)
    with pytest.raises(ValueError, match="3 to 5 outer cards"):
        second_round_chance(6)


@pytest.mark.slow
def test_the_same_in_full_tilt():
    assert second_round_chance(5) == Fraction(4889911, 18432000)


def test_that_chance_by_counting_random_cards():
    """Three outer cards: few enough to see the frequency among cards drawn at random."""
    import random

    rng = random.Random(6)
    same, trials = 0, 10_000
    for _ in range(trials):
        rows = [rng.sample(range(1, 51), 5) for _ in range(4)]
        cards = [Card(bumpers, rng.randrange(8)) for bumpers in zip(*rows, strict=True)]
        start, following, *outer = cards
        last = chain(start, outer)[-1]
        outer[last] = start
        same += chain(following, outer)[-1] == last
    exact = second_round_chance(3)
    assert abs(same / trials - exact) < 4 * float(exact * (1 - exact) / trials) ** 0.5


def test_no_order_of_cards_is_left_out_of_that_sum():
    """Over all cards that may be last, the new one and the others, the sum is the whole."""
    from ricochet_casino.games.pinball import repeat

    total = 0
    kinds = {0: 3, 1: 6, 2: 0, 4: 1}
    first = repeat._demands(1, kinds, range(4))
    for order in permutations((0, 1, 2, 4)):
        total += repeat._ways((*first, *repeat._demands(5, kinds, order)), 5)
    assert total == repeat._ways(first, 5)
