"""Evenings of turns: the referee's results, chips that sum to zero, moments, what cannot be."""

import json
from collections import Counter
from fractions import Fraction
from math import sqrt

import pytest

from ricochet_casino.experiment import Experiment, Tally
from ricochet_casino.games import build, load_paytable
from ricochet_casino.games.ricochet_poker.evening_figures import (
    deals_of,
    evening_bounds,
    raw_bounds,
    results_of,
    turns_ahead,
)
from ricochet_casino.games.ricochet_poker.evenings import (
    BLOCK,
    STREAM,
    Evenings,
    deal_number,
    players_of,
)
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.paytable import PaytableError
from ricochet_casino.runs import run
from ricochet_casino.stats.sessions import taking_turns

CAPPED = load_paytable("home_capped")
UNCAPPED = load_paytable("home_uncapped")
MIXED = ("pairs_and_big_cards", "collective", "always_play")


def tallied(experiment):
    return Tally.total(experiment.run(shard) for shard in experiment.shards())


# --- Turns ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("persons", range(2, 9))
@pytest.mark.parametrize("rounds", [1, 5, 24, 25])
def test_turns_and_what_they_are_worth(persons, rounds):
    """Round by round: the dealer gains one, and the others lose it together."""
    gains, deals = [Fraction(0)] * persons, [0] * persons
    for number in range(rounds):
        dealer = number % persons
        deals[dealer] += 1
        gains[dealer] += 1
        for other in players_of(dealer, persons):
            gains[other] -= Fraction(1, persons - 1)
    assert deals_of(persons, rounds) == tuple(deals)
    assert turns_ahead(persons, rounds) == tuple(gains)
    assert sum(gains) == 0
    assert (len(set(gains)) == 1) == (rounds % persons == 0)


def test_everybody_but_the_dealer_plays_from_her_left():
    assert players_of(0, 2) == [1]
    assert players_of(2, 4) == [3, 0, 1]


def test_no_deal_is_used_twice_and_none_depends_on_how_many_evenings_there_are():
    used = [deal_number(evening, number, 7) for evening in range(2 * BLOCK) for number in range(7)]
    assert sorted(used) == list(range(2 * BLOCK * 7))
    few, many = (Evenings(CAPPED, 3, "always_play", 4, size, 5) for size in (3, 300))
    first = many.run(many.shards()[0]).counts
    assert all(
        set(results_of(few.run(few.shards()[0]).counts, person)) <= set(results_of(first, person))
        for person in range(3)
    )


# --- Against the referee -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paytable", "persons", "strategies", "rounds", "evenings"),
    [
        (CAPPED, 2, "collective", 5, 6),
        (UNCAPPED, 3, "collective", 4, 3),
        (CAPPED, 3, MIXED, 4, 6),
        (CAPPED, 4, "individual", 5, 1),
        (UNCAPPED, 5, "collective", 3, 2),
        (CAPPED, 8, "always_play", 9, 6),
        (CAPPED, 2, ("collective", "pairs_and_big_cards"), 3, 6),
    ],
)
def test_everybody_ends_as_the_referee_says(paytable, persons, strategies, rounds, evenings):
    experiment = Evenings(paytable, persons, strategies, rounds, evenings, 11)
    counts = tallied(experiment).counts
    refereed = [experiment.refereed(evening) for evening in range(evenings)]
    assert all(sum(chips) == 0 for chips in refereed)
    for person in range(persons):
        assert results_of(counts, person) == Counter(chips[person] for chips in refereed)


def test_evenings_of_a_later_block_as_the_referee_says():
    experiment = Evenings(CAPPED, 3, "always_play", 4, BLOCK + 2, 11)
    counts = experiment.run(experiment.shards()[1]).counts
    refereed = [experiment.refereed(evening) for evening in (BLOCK, BLOCK + 1)]
    for person in range(3):
        assert results_of(counts, person) == Counter(chips[person] for chips in refereed)


# --- Moments -------------------------------------------------------------------------------------


def moments_of(results):
    number = sum(results.values())
    mean = Fraction(sum(value * count for value, count in results.items()), number)
    squares = Fraction(sum(value**2 * count for value, count in results.items()), number)
    return mean, squares - mean**2


@pytest.fixture(scope="module")
def three():
    return tallied(Evenings(CAPPED, 3, "collective", 7, 4096, 3)).counts


def test_evenings_have_the_moments_of_their_rounds(three):
    """Rounds are independent: their means and variances add up (17.2), (17.3)."""
    evenings, rounds, persons = 4096, 7, 3
    deals = evenings * rounds
    gain = Fraction(three["dealing.sum"], deals)
    dealing = Fraction(three["dealing.squares"], deals) - gain**2
    playing = Fraction(three["playing.squares"], deals * 2) - (gain / 2) ** 2
    total = Fraction(0)
    for person, dealt in enumerate(deals_of(persons, rounds)):
        mean, variance = moments_of(results_of(three, person))
        expected = dealt * dealing + (rounds - dealt) * playing
        assert abs(mean - gain * turns_ahead(persons, rounds)[person]) < 5 * sqrt(
            expected / evenings
        )
        assert abs(variance / expected - 1) < 0.12  # five standard errors of a variance
        total += mean
    assert total == 0


def test_bonuses_at_their_mean_leave_the_means_alone(three):
    for person in range(3):
        mean, variance = moments_of(results_of(three, person))
        softened = Fraction(three[f"person{person + 1}.mean.sum"], 4096 * 2**32)
        assert abs(mean - softened) < 5 * sqrt(variance / 4096)
    assert sum(three[f"person{person}.mean.sum"] for person in (1, 2, 3)) == 0


@pytest.mark.parametrize("paytable", [CAPPED, UNCAPPED])
def test_two_persons_against_the_exact_distribution(paytable):
    rounds = 5
    experiment = Evenings(paytable, 2, "collective", rounds, 8192, 20)
    entry = experiment.result(tallied(experiment)).entry
    exact = Solo(paytable).result(tallied(Solo(paytable))).entry
    ev = Fraction(exact["ev_per_ante"]["exact"])
    low, high = map(Fraction, entry["dealer_gain"]["interval"])
    assert low <= -ev <= high
    distribution = {Fraction(row["net"]): row["combinations"] for row in exact["distribution"]}
    for row, dealt in zip(entry["by_person"], (3, 2), strict=True):
        assert row["deals"] == dealt
        session = taking_turns(distribution, rounds - dealt, dealt)
        low, high = map(Fraction, row["ahead"]["interval"])
        assert low - Fraction(1, 1000) <= session.ahead <= high + Fraction(1, 1000)
        for quantile, (least, most) in zip(row["quantiles"], session.quantiles, strict=True):
            assert least == most
            low, high = map(Fraction, quantile["interval"])
            assert low <= least <= high
        low, high = map(Fraction, row["mean"]["interval"])
        assert low <= -ev * (2 * dealt - rounds) <= high
        assert high - low < 1


@pytest.mark.parametrize("persons", [2, 4, 8])
def test_bounds_hold_for_all_that_was_seen(persons):
    experiment = Evenings(UNCAPPED, persons, "always_play", 3, 2048, 8)
    counts = tallied(experiment).counts
    for person, dealt in enumerate(deals_of(persons, 3)):
        results = results_of(counts, person)
        low, high = raw_bounds(experiment.rules, dealt, 3)
        assert low <= min(results) <= max(results) <= high
        lower, upper = evening_bounds(experiment.rules, dealt, 3)
        assert low - 1 < lower < 0 < upper < high
    # A person who deals one round and banks a thousand-chip prize for each of the others.
    assert raw_bounds(experiment.rules, 1, 1)[0] == -(
        1 + sum(sorted([1000] * 4 + [100] * 4, reverse=True)[: persons - 1])
    )


# --- As an experiment ----------------------------------------------------------------------------


def no_floats(value):
    if isinstance(value, dict):
        return all(map(no_floats, value.values()))
    if isinstance(value, list):
        return all(map(no_floats, value))
    return not isinstance(value, float)


def test_made_again_from_its_specification():
    for strategies in ("collective", MIXED):
        experiment = Evenings(CAPPED, 3, strategies, 4, 300, 2)
        assert isinstance(experiment, Experiment)
        spec = json.loads(json.dumps(experiment.spec()))
        again = build(spec)
        assert again.spec() == experiment.spec()
        assert tallied(again).digest() == tallied(experiment).digest()


def test_the_entry_says_how_it_was_made_and_holds_no_floats():
    experiment = Evenings(CAPPED, 3, MIXED, 4, 300, 2)
    entry = experiment.result(tallied(experiment)).entry
    assert no_floats(entry)
    assert (entry["seed"], entry["stream"], entry["method"]) == (2, STREAM, "sampled")
    assert entry["strategy"] == list(MIXED)
    assert entry["dealer_gain"] is None
    assert [row["deals"] for row in entry["by_person"]] == [2, 1, 1]


def test_workers_change_nothing():
    experiment = Evenings(CAPPED, 3, "collective", 4, 700, 2)
    one = run(experiment, workers=1).entry
    assert run(experiment, workers=2, executor="threads").entry == one


def test_half_a_tally_gives_no_result():
    experiment = Evenings(CAPPED, 3, "always_play", 4, 300, 2)
    with pytest.raises(ValueError, match="the tally holds 256 of 300 evenings"):
        experiment.result(experiment.run(experiment.shards()[0]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"persons": 1}, "persons must be 2 to 8, got 1"),
        ({"persons": 9}, "persons must be 2 to 8, got 9"),
        ({"persons": True}, "persons must be a whole number"),
        ({"persons": "3"}, "persons must be a whole number"),
        ({"rounds": 0}, "rounds of an evening must be 1 to 1,000, got 0"),
        ({"rounds": 1001}, "got 1,001"),
        ({"evenings": 0}, "evenings must be 1 to"),
        ({"seed": -1}, "a seed must be 0 to"),
        ({"strategies": "colective"}, "did you mean collective"),
        ({"strategies": ["collective"] * 2}, "2 strategies for 3 persons: give one, or one a"),
        ({"color": 3}, "unknown parameter color"),
    ],
)
def test_evenings_that_cannot_be(changes, message):
    parameters = Evenings(CAPPED, 3, "collective", 4, 10, 2).spec()["parameters"]
    with pytest.raises(ValueError, match=message):
        Evenings.from_parameters({**parameters, **changes})


def test_a_paytable_that_does_not_cover_the_table():
    with pytest.raises(PaytableError, match="3 players"):
        Evenings(load_paytable("website_four_players"), 4, "collective", 4, 10, 2)
    assert Evenings(load_paytable("website_four_players"), 5, "collective", 4, 10, 2).rules
