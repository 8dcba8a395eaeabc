"""Sessions: against exact convolution, against direct play, and with what cannot be a session."""

import itertools
import json
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricochet_casino.stats.intervals import clopper_pearson
from ricochet_casino.stats.sessions import longest_session, sessions, taking_turns

ROOT = Path(__file__).parents[1]
SHARES = (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20))


def distribution_of(result):
    return {Fraction(row["net"]): row["combinations"] for row in result["distribution"]}


@pytest.fixture(scope="module")
def rulebook():
    file = ROOT / "reports" / "reference" / "rulebook-1p-collective.json"
    return distribution_of(json.loads(file.read_text())["certified"]["results"][0])


def convolved(distribution, rounds):
    """The slow twin: exact fractions, round by round."""
    total = sum(distribution.values())
    sums = {Fraction(0): Fraction(1)}
    for _ in range(rounds):
        more = {}
        for value, chance in sums.items():
            for net, weight in distribution.items():
                more[value + net] = more.get(value + net, 0) + chance * Fraction(weight, total)
        sums = more
    return sums


def quantile(sums, share):
    below = Fraction(0)
    for value in sorted(sums):
        below += sums[value]
        if below >= share:
            return value
    raise AssertionError("shares beyond 1")


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.fractions(-5, 20, max_denominator=4), st.integers(1, 10**15), min_size=2, max_size=5
    ),
    st.integers(0, 6),
)
def test_against_exact_convolution(distribution, rounds):
    (found,) = sessions(distribution, [rounds], SHARES)
    sums = convolved(distribution, rounds)
    for share, (low, high) in zip(SHARES, found.quantiles, strict=True):
        assert low <= quantile(sums, share) <= high
    ahead = sum((chance for value, chance in sums.items() if value > 0), Fraction())
    assert abs(found.ahead - ahead) <= found.error < 1e-9


def test_the_bound_of_the_error_holds_where_it_can_be_computed():
    """A fair coin, a thousand times: binomial tails in exact fractions."""
    found = sessions({Fraction(-1): 1, Fraction(1): 1}, [1000])[0]
    exact = Fraction(sum(comb(1000, k) for k in range(501, 1001)), 2**1000)
    assert abs(found.ahead - exact) <= found.error
    assert found.error < 1e-8
    assert found.quantiles[1] == (0, 0)


def test_steps_of_any_size_give_the_same(rulebook):
    apart = sessions(rulebook, [7, 30, 100])
    assert [sessions(rulebook, [number])[0].quantiles for number in (7, 30, 100)] == [
        session.quantiles for session in apart
    ]


def test_agrees_with_direct_simulation_within_its_interval(rulebook):
    """Sessions of 100 rounds, played card by card by the kernel of `ricochet simulate`."""
    from ricochet_casino.experiment import Shard
    from ricochet_casino.games import load_paytable
    from ricochet_casino.games.ricochet_poker.simulation import Simulation

    rounds, number = 100, 4000
    game = Simulation(load_paytable("rulebook"), 1, "collective", rounds * number, 20261130)
    results = []
    for index in range(number):
        tally = game.run(Shard(str(index), (rounds * index, rounds)))
        results.append(tally.counts["seat1.net"])
    (found,) = sessions(rulebook, [rounds])
    for share, (value, again) in zip(SHARES, found.quantiles, strict=True):
        assert value == again  # rounding leaves no doubt
        # P(result <= value) is at least the share, P(result < value) is below it.
        at_most = sum(result <= value for result in results)
        below = sum(result < value for result in results)
        assert clopper_pearson(at_most, number, Fraction(999, 1000)).high >= share
        assert clopper_pearson(below, number, Fraction(999, 1000)).low < share
    ahead = clopper_pearson(sum(r > 0 for r in results), number, Fraction(999, 1000))
    assert ahead.low <= found.ahead <= ahead.high


def test_another_game_would_be_told_apart(rulebook):
    """The check above can fail: a slightly better game lies outside its interval."""
    better = {net + (1 if net == -2 else 0): 0 for net in rulebook}
    for net, weight in rulebook.items():
        better[net + (1 if net == -2 else 0)] += weight
    one, other = (sessions(game, [100])[0] for game in (rulebook, better))
    half = clopper_pearson(1540, 4000, Fraction(999, 1000))
    assert other.ahead - one.ahead > half.high - half.low


def test_mean_and_spread_are_those_of_the_moments(rulebook):
    """The band widens with the root of the number of rounds, as the moments say."""
    found = sessions(rulebook, [250, 1000])
    widths = [s.quantiles[2][0] - s.quantiles[0][0] for s in found]
    assert 1.8 < widths[1] / widths[0] < 2.2


def test_no_rounds_leave_everything_as_it_is(rulebook):
    (found,) = sessions(rulebook, [0])
    assert found.quantiles == ((0, 0), (0, 0), (0, 0))
    assert found.ahead == pytest.approx(0, abs=found.error)


def test_what_cannot_happen_does_not_count():
    with_nothing = {Fraction(-9): 0, Fraction(1): 1, Fraction(2): 1, Fraction(1, 7): 0}
    without = {Fraction(1): 1, Fraction(2): 1}
    assert sessions(with_nothing, [5]) == sessions(without, [5])


def test_always_ahead():
    assert sessions({Fraction(1): 1, Fraction(2): 1}, [3])[0].ahead == 1.0


@pytest.mark.parametrize(
    ("distribution", "rounds", "shares", "said"),
    [
        ({Fraction(1): 3}, [1], SHARES, "two different results"),
        ({}, [1], SHARES, "two different results"),
        ({Fraction(1): 3, Fraction(2): -1}, [1], SHARES, "negative"),
        ({Fraction(1): 1, Fraction(2): 1}, [2, 2], SHARES, "rise"),
        ({Fraction(1): 1, Fraction(2): 1}, [-1], SHARES, "rise"),
        ({Fraction(1): 1, Fraction(2): 1}, [1], [Fraction(1)], "between 0 and 1"),
        ({Fraction(-1): 1, Fraction(10**6): 1, Fraction(0): 1}, [100], SHARES, "at most 4"),
    ],
)
def test_what_is_no_session_is_refused(distribution, rounds, shares, said):
    with pytest.raises(ValueError, match=said):
        sessions(distribution, rounds, shares)


def test_the_longest_session_can_be_taken():
    distribution = {Fraction(-1): 1, Fraction(10**6): 1, Fraction(0): 1}
    longest = longest_session(distribution)
    assert sessions(distribution, [longest])[0].rounds == longest
    for first, second in itertools.pairwise(sessions(distribution, range(longest + 1))):
        assert first.error < second.error


def negative(distribution):
    return {-value: weight for value, weight in distribution.items()}


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.fractions(-5, 20, max_denominator=4), st.integers(1, 10**15), min_size=2, max_size=4
    ),
    st.integers(0, 4),
    st.integers(0, 4),
)
def test_taking_turns_against_exact_convolution(distribution, played, banked):
    found = taking_turns(distribution, played, banked, SHARES)
    sums = {}
    for value, chance in convolved(distribution, played).items():
        for other, weight in convolved(negative(distribution), banked).items():
            sums[value + other] = sums.get(value + other, 0) + chance * weight
    assert found.rounds == played + banked
    for share, (low, high) in zip(SHARES, found.quantiles, strict=True):
        assert low <= quantile(sums, share) <= high
    ahead = sum((chance for value, chance in sums.items() if value > 0), Fraction())
    assert abs(found.ahead - ahead) <= found.error < 1e-9


def test_equal_turns_are_fair_and_the_bank_is_the_other_side(rulebook):
    even = taking_turns(rulebook, 6, 6)
    (least, _), (middle, _), (most, _) = even.quantiles
    assert (least, middle) == (-most, 0)
    (alone,) = sessions(rulebook, [5])
    assert taking_turns(rulebook, 5, 0) == alone
    one, other = taking_turns(rulebook, 3, 2), taking_turns(rulebook, 2, 3)
    assert one.ahead + other.ahead < 1


@pytest.mark.parametrize(
    ("played", "banked", "shares", "message"),
    [
        (-1, 2, SHARES, "must be 0 or more"),
        (2, -1, SHARES, "must be 0 or more"),
        (1, 1, (Fraction(1),), "a share must lie between 0 and 1"),
        (3000, 3000, SHARES, "6,000 rounds; expected at most"),
    ],
)
def test_turns_that_cannot_be_taken(rulebook, played, banked, shares, message):
    with pytest.raises(ValueError, match=message):
        taking_turns(rulebook, played, banked, shares)
    with pytest.raises(ValueError, match="two different results"):
        taking_turns({Fraction(1): 3}, 1, 1)
