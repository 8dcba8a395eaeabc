"""Intervals: textbook values, their own definitions, and how often they contain the truth.

Coverage of two-valued distributions is summed exactly over the binomial; only a distribution with
several prizes is sampled, with a fixed seed.
"""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from ricochet_casino.stats.intervals import (
    Interval,
    clopper_pearson,
    empirical_bernstein,
    normal,
    sample_variance,
    standard_deviation,
)
from ricochet_casino.stats.shares import quantile_interval

NINETY_NINE = Fraction(99, 100)


def covered(intervals, probabilities, truth):
    """Probability that an interval contains the truth."""
    inside = [interval.low <= truth <= interval.high for interval in intervals]
    return float(probabilities[np.array(inside)].sum())


def test_clopper_pearson_gives_the_textbook_values():
    """Ends for nothing and for everything have a closed form; 1 of 10 is in every table."""
    for n in (1, 10, 1000):
        none = clopper_pearson(0, n)
        assert none.low == 0
        assert float(none.high) == pytest.approx(1 - 0.005 ** (1 / n), rel=1e-9)
        every = clopper_pearson(n, n)
        assert (every.low, every.high) == (1 - none.high, 1)
    one = clopper_pearson(1, 10, Fraction(95, 100))
    assert [float(end) for end in (one.low, one.high)] == pytest.approx(
        [0.00253, 0.44502], abs=5e-6
    )


@pytest.mark.parametrize(("successes", "trials"), [(3, 17), (9, 17), (1, 10**6), (214_067, 10**6)])
def test_clopper_pearson_leaves_half_of_the_error_on_each_side(successes, trials):
    """The definition: at each end the tail beyond what was seen has probability 0.005."""
    found = clopper_pearson(successes, trials)
    below = stats.binom.cdf(successes, trials, float(found.high))
    above = stats.binom.sf(successes - 1, trials, float(found.low))
    assert below == pytest.approx(0.005, rel=1e-5)
    assert above == pytest.approx(0.005, rel=1e-5)
    assert max(below, above) <= 0.005, "ends are rounded outward"


def test_clopper_pearson_holds_at_the_largest_sizes():
    """At 10^13 trials it must be the normal interval, but for its ends, rounded to 10 digits."""
    trials, share = 10**13, 0.2140674571970
    found = clopper_pearson(int(share * trials), trials)
    error = stats.norm.ppf(0.995) * math.sqrt(share * (1 - share) / trials)
    assert float(found.high) - share == pytest.approx(error, abs=1.1e-10)
    assert share - float(found.low) == pytest.approx(error, abs=1.1e-10)
    few = clopper_pearson(5, trials)  # Poisson: ends from the gamma distribution
    expected = stats.gamma.ppf(0.005, 5) / trials, stats.gamma.ppf(0.995, 6) / trials
    assert (float(few.low), float(few.high)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("trials", [1, 2, 10, 57, 400])
def test_clopper_pearson_covers_every_probability(trials):
    intervals = [clopper_pearson(k, trials) for k in range(trials + 1)]
    for share in np.linspace(0.001, 0.999, 97):
        pmf = stats.binom.pmf(np.arange(trials + 1), trials, share)
        assert covered(intervals, pmf, share) >= 0.99


def test_empirical_bernstein_is_the_published_formula():
    values = [Fraction(n, 7) for n in (0, 3, 3, 5, -2, 7, 7, 1)] * 40
    sums = sum(values), sum(value**2 for value in values), 320
    variance = np.array(values, dtype=float).var(ddof=1)
    log = math.log(2 / 0.005)
    for high in (1, 20):
        found = empirical_bernstein(*sums, (-2, high), NINETY_NINE)
        half = math.sqrt(2 * variance * log / 320) + 7 * (high + 2) * log / (3 * 319)
        mean = sum(values) / 320
        assert float(found.low - mean) == pytest.approx(-half, rel=1e-12)
        assert float(found.high - mean) == pytest.approx(half, rel=1e-12)
    bounded = empirical_bernstein(*sums, (-2, 1000))
    assert bounded.low == -2, "no end lies beyond the bounds"


@pytest.mark.parametrize(
    ("prize", "share", "trials"),
    [(1, 0.5, 200), (1, 0.03, 1000), (20, 0.01, 3000), (50_000, 1e-5, 20_000)],
)
def test_empirical_bernstein_covers_two_valued_games(prize, share, trials):
    """Win `prize` with the given chance, else lose one: exact over the number of wins."""
    wins = np.arange(trials + 1)
    pmf = stats.binom.pmf(wins, trials, share)
    likely = np.flatnonzero(pmf > 1e-12)
    intervals = [
        empirical_bernstein(
            prize * k - (trials - k), prize**2 * k + trials - k, trials, (-1, prize)
        )
        for k in likely.tolist()
    ]
    mean = Fraction(share) * prize - (1 - Fraction(share))
    assert covered(intervals, pmf[likely], mean) >= 0.99


def test_the_normal_interval_fails_on_a_rare_prize_where_empirical_bernstein_holds():
    """A prize of 50,000 once in 100,000 rounds, 200,000 rounds: often there is hardly a prize."""
    prize, share, trials = 50_000, 1e-5, 200_000
    wins = np.arange(31)
    pmf = stats.binom.pmf(wins, trials, share)
    assert pmf.sum() == pytest.approx(1, abs=1e-12)
    mean = prize * share - (1 - share)
    usual, bernstein = [], []
    for k in wins.tolist():
        sums = prize * k - (trials - k), prize**2 * k + trials - k, trials
        usual.append(normal(*sums))
        bernstein.append(empirical_bernstein(*sums, (-1, prize)))
    assert covered(usual, pmf, mean) < 0.9, "promised 0.99"
    assert covered(bernstein, pmf, mean) > 0.999


@pytest.mark.parametrize("level", [Fraction(1, 2), Fraction(95, 100), 1 - Fraction(1, 10**20)])
def test_the_normal_interval_has_the_quantile_and_the_standard_error_of_the_textbook(level):
    values = np.array([3, -1, 4, 1, -5, 9, 2, -6])
    found = normal(int(values.sum()), int((values**2).sum()), 8, level)
    half = stats.norm.isf(float(1 - level) / 2) * values.std(ddof=1) / math.sqrt(8)
    assert float(found.high - found.low) == pytest.approx(2 * half, rel=1e-9)
    assert found.high + found.low == Fraction(7, 4)
    assert float(found.high - found.low) > 2 * half * (1 - 1e-15), "rounded outward"
    assert (found.level, found.method) == (level, "normal")


def test_intervals_cover_a_game_with_several_prizes():
    """Like a round of the game: 4,000 samples of 5,000 rounds each, drawn with a fixed seed."""
    values = np.array([-2, -1, 1, 3, 6, 11, 26, 101])
    chances = np.array([0.40, 0.23, 0.34, 0.02, 0.005, 0.003, 0.0019, 0.0001])
    mean = float(values @ chances)
    deviation = math.sqrt(float(values**2 @ chances) - mean**2)
    drawn = np.random.default_rng(2009).multinomial(5000, chances, size=4000)
    missed = {"mean": 0, "deviation": 0}
    for total, squares in zip(drawn @ values, drawn @ values**2, strict=True):
        sums = (int(total), int(squares), 5000, (-2, 101))
        around_mean, around_deviation = empirical_bernstein(*sums), standard_deviation(*sums)
        missed["mean"] += not around_mean.low <= mean <= around_mean.high
        missed["deviation"] += not around_deviation.low <= deviation <= around_deviation.high
    assert missed["mean"] <= 40
    assert missed["deviation"] <= 40


def test_the_deviation_has_the_published_half_width_and_stays_within_its_bounds():
    total, squares, trials = 100, 3_000, 1_000
    found = standard_deviation(total, squares, trials, (-1, 9))
    variance = (squares / trials - (total / trials) ** 2) * trials / (trials - 1)
    half = 10 * math.sqrt(2 * math.log(1 / 0.005) / (trials - 1))
    assert float(found.low) == pytest.approx(math.sqrt(variance) - half, rel=1e-12)
    assert float(found.high) == pytest.approx(math.sqrt(variance) + half, rel=1e-12)
    few = standard_deviation(2, 60, 20, (-1, 9))
    assert (few.low, few.high) == (0, 5), "half of the range is the most that a deviation can be"
    wide = standard_deviation(total, squares, trials, (-1, 10**6))
    assert wide.low == 0
    assert float(wide.high) == pytest.approx(
        math.sqrt(variance) + half * (10**6 + 1) / 10, rel=1e-12
    )
    extreme = standard_deviation(0, 2, 2, (-1, 1))  # sample deviation above half of the range
    assert extreme.low <= extreme.high == 1


def test_intervals_shrink_to_the_value_of_a_constant():
    sums = (3 * 10**12, 9 * 10**12, 10**12, (0, 4))
    for found, value in ((empirical_bernstein(*sums), 3), (standard_deviation(*sums), 0)):
        assert found.low <= value <= found.high
        assert found.high - found.low < Fraction(1, 10**4)
    assert empirical_bernstein(7, 49, 1, (0, 10)).low == 0
    assert empirical_bernstein(7, 49, 1, (0, 10)).high == 10
    assert (standard_deviation(7, 49, 1, (0, 10)).high, sample_variance(7, 49, 1, (0, 10))) == (
        5, None,
    )  # fmt: skip


def test_a_figure_is_printed_with_its_ends_rounded_outward():
    third = Fraction(1, 3)
    figure = Interval(-third, third, NINETY_NINE, "some").figure(third)
    assert figure == {
        "decimal": "0.333333333333333",
        "interval": ["-0.333333333333334", "0.333333333333334"],
        "level": "0.99",
        "interval_method": "some",
    }
    assert Interval(third, third, NINETY_NINE, "").figure(None)["decimal"] == "undefined"
    assert Interval(third, third, NINETY_NINE, "").figure(Decimal("0.5"))["decimal"] == "0.5"
    turned = Interval(Fraction(1), Fraction(2), NINETY_NINE, "some").scaled(-2, 1)
    assert (turned.low, turned.high, turned.level, turned.method) == (-3, -1, NINETY_NINE, "some")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clopper_pearson(1, 0), "at least one trial, got 0"),
        (lambda: clopper_pearson(-1, 3), "-1 successes in 3 trials"),
        (lambda: clopper_pearson(4, 3), "4 successes in 3 trials"),
        (lambda: clopper_pearson(1, 3, Fraction(1)), "between 0 and 1, got 1"),
        (lambda: empirical_bernstein(1, 1, 3, (0, 1), Fraction(0)), "between 0 and 1, got 0"),
        (lambda: empirical_bernstein(4, 4, 3, (0, 1)), "no 3 values from 0 to 1"),
        (lambda: empirical_bernstein(1, 2, 3, (0, 1)), "have sum 1 and squares 2"),
        (lambda: normal(1, 1, 1), "at least two trials"),
        (lambda: normal(3, 2, 3), "no 3 values have sum 3 and squares 2"),
        (lambda: normal(1, 1, 2, Fraction(2)), "between 0 and 1, got 2"),
        (lambda: standard_deviation(3, 2, 3, (0, 1)), "have sum 3 and squares 2"),
        (lambda: standard_deviation(0, 0, 0, (0, 1)), "at least one trial"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- Quantiles -----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [Fraction(1, 20), Fraction(1, 2), Fraction(19, 20)])
@pytest.mark.parametrize("trials", [3, 40, 400])
def test_the_interval_of_a_quantile_covers_it(part, trials):
    """Lumpy values, where a quantile lies on a step: the level holds all the same."""
    values, weights = np.array([-4, -1, 0, 1, 7, 50]), np.array([0.04, 0.3, 0.2, 0.4, 0.05, 0.01])
    truth = int(values[np.searchsorted(np.cumsum(weights), float(part))])
    random = np.random.default_rng(5)
    missed = 0
    for counts in random.multinomial(trials, weights, size=400):
        seen = {int(v): int(n) for v, n in zip(values, counts, strict=True) if n}
        low, high = quantile_interval(seen, part, (-9, 90), Fraction(4, 5))
        missed += not low <= truth <= high
    assert missed / 400 < 0.2 + 3 * math.sqrt(0.16 / 400)


def test_the_interval_of_a_quantile_narrows_and_tells_when_it_knows_nothing():
    assert quantile_interval({3: 1}, Fraction(1, 2), (-9, 90)) == (-9, 90)
    assert quantile_interval({3: 1000}, Fraction(1, 2), (-9, 90)) == (3, 3)
    many = dict.fromkeys(range(1, 1001), 1000)
    low, high = quantile_interval(many, Fraction(1, 2), (-9, 9000))
    assert 497 <= low < 500 < high <= 503


@pytest.mark.parametrize(
    ("counts", "part", "message"),
    [
        ({5: 0}, Fraction(1, 2), "no interval of a quantile 1/2 of 0 numbers"),
        ({1: 2}, Fraction(1), "no interval of a quantile 1 of"),
        ({1: 2}, Fraction(0), "no interval of a quantile 0 of"),
        ({91: 2}, Fraction(1, 2), "values from 91 to 91 leave the bounds"),
    ],
)
def test_quantiles_that_have_no_interval(counts, part, message):
    with pytest.raises(ValueError, match=message):
        quantile_interval(counts, part, (-9, 90))
