"""Betting intervals: their definition, cases by hand, and how often they contain the truth.

The slow twin multiplies the capital out, round by round. Coverage is summed exactly over binomial
and multinomial distributions or walks; one peeking experiment is drawn with a fixed seed.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ricochet_casino.stats.betting import (
    RatioSums,
    best_bet,
    best_bets,
    betting,
    linear_bounds,
    planned_trials,
    ratio,
)
from ricochet_casino.stats.intervals import empirical_bernstein, normal

BAR = 200
"""Factor by which a capital must grow to exclude a value at 99 %."""

# A dozen values from -3 to 5; the tests repeat them, so that ends leave the bounds.
VALUES = st.lists(
    st.fractions(-3, 5, max_denominator=12), min_size=1, max_size=12
)  # fmt: skip
BETS = st.fractions(Fraction(1, 50), Fraction(1, 9), max_denominator=200)


def sums_of(values):
    return sum(values, Fraction()), sum((v * v for v in values), Fraction()), len(values)


def pairs_of(pairs):
    xs, ys = zip(*pairs, strict=True)
    return RatioSums(
        len(pairs), sum(xs), sum(ys),
        sum(x * x for x in xs), sum(y * y for y in ys), sum(x * y for x, y in pairs),
    )  # fmt: skip


def test_ends_by_hand():
    """A hundred zeros in -1 to 1, bet 1/2, bar 2^6: h = 4 ln 2 - 2, all else is a quadratic."""
    with localcontext(prec=70):
        two = Decimal(2).ln()
        factor, bar = (4 * two - 2) / 4, 6 * two / 100
        end = (Decimal("0.5") - (Decimal("0.25") - 4 * factor * bar).sqrt()) / (2 * factor)
    found = betting(0, 0, 100, (-1, 1), Fraction(1, 2), Fraction(31, 32))
    assert float(found.high) == pytest.approx(0.08604, abs=1e-5)
    assert 0 <= found.high - Fraction(end) < Fraction(1, 10**58)
    assert found.low == -found.high
    assert (found.level, found.method) == (Fraction(31, 32), "betting")


def test_a_small_bet_has_one_half_for_its_factor():
    """Risk -> 0: d = (1 - sqrt(1 - 2 (v lam^2 / 2 + L / n))) / lam, whatever the range."""
    bet, trials = 1e-8, 10**20
    part = 2 * (9 * bet**2 / 2 + math.log(BAR) / trials)
    found = betting(0, 9 * trials, trials, (-3, 3), Fraction(1, 10**8))
    assert float(found.high) == pytest.approx((part / 2 + part**2 / 8) / bet, rel=1e-6, abs=0)
    tiny = betting(0, 9 * 10**70, 10**70, (-3, 3), Fraction(1, 10**33))
    assert float(tiny.high) == pytest.approx(4.5e-33 + math.log(BAR) * 1e-37, rel=1e-9, abs=0)


def test_no_root_leaves_the_bounds():
    """Ten values cannot exclude anything at 99 %: 4 h L / n > 1 for every bet."""
    for bet in (Fraction(1, 1000), Fraction(1, 3), Fraction(99, 100)):
        few = betting(5, 5, 10, (0, 1), bet)
        assert (few.low, few.high) == (0, 1)
    single = betting(7, 49, 1, (0, 10), Fraction(1, 20))
    assert (single.low, single.high) == (0, 10)


def test_a_side_whose_risk_is_not_covered_is_left_at_its_bound():
    """Mean 1/10 of 0 to 1: a bet of 6/5 risks 0.12 below, but more than everything above."""
    high_bet, low_bet = Fraction(6, 5), Fraction(1, 2)
    both = betting(1000, 1000, 10**4, (0, 1), high_bet)
    assert (both.low > Fraction(1, 50), both.high) == (True, 1)
    apart = betting(1000, 1000, 10**4, (0, 1), (high_bet, low_bet))
    assert (apart.low, apart.high) == (
        both.low, betting(1000, 1000, 10**4, (0, 1), low_bet).high,
    )  # fmt: skip
    assert apart.high < Fraction(15, 100)
    exactly_one = betting(5000, 5000, 10**4, (0, 1), Fraction(2))
    assert (exactly_one.low, exactly_one.high) == (0, 1)


@settings(max_examples=60, deadline=None)
@given(VALUES, st.integers(20, 80), BETS, BETS)
def test_what_is_excluded_has_made_the_bettor_rich(values, times, below, above):
    """The definition: outside the interval the capital, multiplied out, is at least 200."""
    values = values * times
    found = betting(*sums_of(values), (-3, 5), (below, above))
    for share in (0, Fraction(1, 3), 1):
        low = -3 + share * (found.low + 3)
        high = 5 - share * (5 - found.high)
        if found.low > -3:
            assert math.prod(float(1 + below * (v - low)) for v in values) > BAR * (1 - 1e-9)
        if found.high < 5:
            assert math.prod(float(1 - above * (v - high)) for v in values) > BAR * (1 - 1e-9)


def test_little_is_lost_by_the_quadratic():
    """Its end is at most 2 % further out than that of the capital itself (bisected)."""
    values, times = [Fraction(n, 7) for n in (0, 3, 3, 5, -2, 7, 7, 1)], 10_000
    total, squares, trials = (times * number for number in sums_of(values))
    bet = best_bet(Fraction(1, 5), trials, (-1, 2))
    found = betting(total, squares, trials, (-1, 2), bet)
    mean = float(total / trials)
    inside, outside = mean, -1.0
    for _ in range(50):
        middle = (inside + outside) / 2
        capital = times * sum(math.log1p(float(bet) * (float(v) - middle)) for v in values)
        rich = capital >= math.log(BAR)
        inside, outside = (inside, middle) if rich else (middle, outside)
    assert float(found.low) <= inside
    assert mean - float(found.low) < 1.02 * (mean - inside)


@settings(max_examples=60, deadline=None)
@given(VALUES, BETS, BETS, st.fractions(Fraction(1, 9), 9, max_denominator=30))
def test_betting_intervals_move_with_their_values(values, below, above, scale):
    values = values * 40
    total, squares, trials = sums_of(values)
    found = betting(total, squares, trials, (-3, 5), (below, above))
    assert -3 <= found.low <= total / trials <= found.high <= 5
    mirrored = betting(-total, squares, trials, (-5, 3), (above, below))
    assert (mirrored.low, mirrored.high) == (-found.high, -found.low)
    scaled = betting(
        scale * total, scale**2 * squares, trials,
        (-3 * scale, 5 * scale), (below / scale, above / scale),
    )  # fmt: skip
    shifted = betting(
        total + trials, squares + 2 * total + trials, trials, (-2, 6), (below, above)
    )  # fmt: skip
    tolerance = Fraction(1, 10**50)
    assert abs(scaled.low - scale * found.low) < tolerance
    assert abs(scaled.high - scale * found.high) < tolerance
    assert abs(shifted.low - 1 - found.low) < tolerance
    assert abs(shifted.high - 1 - found.high) < tolerance


@settings(max_examples=60, deadline=None)
@given(VALUES, BETS, st.integers(2, 50))
def test_betting_intervals_shrink_with_more_of_the_same(values, bet, times):
    total, squares, trials = sums_of(values * 30)
    few = betting(total, squares, trials, (-3, 5), bet)
    many = betting(total * times, squares * times, trials * times, (-3, 5), bet)
    assert few.low <= many.low
    assert many.high <= few.high
    assert few.low == -3 or few.low < many.low
    lower = betting(total, squares, trials, (-3, 5), bet, Fraction(9, 10))
    assert few.low <= lower.low
    assert lower.high <= few.high
    assert (few.low, few.high) == (-3, 5) or lower.high - lower.low < few.high - few.low


def test_the_best_bet_is_its_formula_and_no_bet_is_much_better():
    bet = best_bet(Fraction(1, 4), 10**6, (-1, 1))
    assert float(bet) == pytest.approx(math.sqrt(2 * math.log(BAR) / 250_000), rel=1e-11)
    assert len(str(bet.limit_denominator(10**15).numerator)) <= 12
    assert bet.denominator <= 10**15, "no more than 12 significant digits"
    assert best_bet(4, 10, (-1, 1)) == best_bet(0, 10**9, (-1, 1)) == Fraction(1, 4), "cap"
    assert best_bet(Fraction(1, 10**9), 10, (0, 3)) <= Fraction(1, 6)

    sums = (0, 25 * 10**4, 10**6, (-1, 1))
    found = betting(*sums, bet)
    others = [
        betting(*sums, bet * Fraction(k, 100)) for k in (*range(50, 99, 4), *range(104, 200, 4))
    ]
    assert all(found.high < 1.0005 * other.high for other in others)
    assert others[0].high > 1.2 * found.high
    # Against the normal interval: sqrt(2 ln 200) / 2.576 = 1.264; empirical Bernstein has 1.344.
    assert float(found.high / normal(*sums[:3]).high) == pytest.approx(1.264, abs=0.004)
    assert found.high < 0.95 * empirical_bernstein(*sums).high


def test_two_bets_pay_where_a_great_prize_is_rare():
    """A hundred thousand values with mean -0.5 and SD 1/2, but 1,000 was possible."""
    sums = (-50_000, 50_000, 100_000, (-1, 1000))
    below, above = best_bets(Fraction(-1, 2), Fraction(1, 4), *sums[2:])
    assert above == Fraction(1, 2001).limit_denominator() or 0 < above <= Fraction(1, 2001)
    assert below == best_bet(Fraction(1, 4), 100_000, (-1, Fraction(-1, 2)))
    one, two = betting(*sums, best_bet(Fraction(1, 4), *sums[2:])), betting(*sums, (below, above))
    assert two.low - one.low > Fraction(1, 20)
    assert abs(two.high - one.high) < Fraction(1, 1000)
    mean = Fraction(-1, 2)
    assert mean - two.low < Fraction(13, 10) * (mean - normal(*sums[:3]).low)
    assert best_bets(-1, 0, 10, (-1, 1)) == (Fraction(1, 4), Fraction(1, 4)), "blind pilot"


def test_who_risks_more_needs_fewer_values_where_the_range_binds():
    """Values of 0 but for their range of 1,000: L / (risk / range) with little more."""
    bounds, limit, bold = (0, 1000), Fraction(1, 100), Fraction(9, 10)
    few, many = (planned_trials(0, bounds, limit, risk=risk) for risk in (bold, Fraction(1, 2)))
    assert 1.75 < many / few < 1.85
    for trials, risk in ((few, bold), (many, Fraction(1, 2))):
        bets = best_bets(0, 0, trials, bounds, risk=risk)
        assert betting(0, 0, trials, bounds, bets).high <= limit
    assert betting(0, 0, few, bounds, best_bets(0, 0, few, bounds)).high > limit


@pytest.mark.parametrize(
    ("variance", "bounds", "half_width"),
    [
        (Fraction(1, 4), (-1, 1), Fraction(1, 100)),
        (Fraction(1, 400), (-1, 3), Fraction(1, 10**4)),
        (4, (-2, 3), Fraction(1, 10**6)),
        (Fraction(1, 400), (-1, 1002), Fraction(1, 10**4)),
        (0, (0, 1), Fraction(1, 50)),
    ],
)
def test_the_planned_number_is_enough_and_hardly_too_many(variance, bounds, half_width):
    trials = planned_trials(variance, bounds, half_width)

    def half(n):
        found = betting(0, n * variance, n, bounds, best_bet(variance, n, bounds))
        return found.high if found.high >= -found.low else -found.low

    assert half(trials) <= half_width
    # The plan takes the whole range as reach, whatever the mean: here the reach is most of it.
    assert half(trials * 9 // 10) > half_width
    needed = 2 * math.log(BAR) * variance / half_width**2
    assert trials >= needed
    if bounds[1] - bounds[0] < 1000 and variance:
        assert trials < 1.15 * needed


def test_a_plan_for_less_than_the_bounds_promise_needs_one_value():
    assert planned_trials(1, (-2, 2), 2) == 1
    assert planned_trials(1, (-2, 2), Fraction(199, 100)) > 10


@pytest.mark.parametrize("trials", [200_000, 600_000])
def test_the_normal_interval_fails_on_a_rare_prize_where_betting_holds(trials):
    """1,000 once in 100,000 rounds, else lose one: exact over the number of prizes.

    At 600,000 rounds no prize at all (chance e^-6) misleads the boldest bet, and nothing else does.
    """
    prize, share = 1000, Fraction(1, 10**5)
    wins = np.arange(61)
    pmf = stats.binom.pmf(wins, trials, float(share))
    assert pmf.sum() == pytest.approx(1, abs=1e-12)
    mean, variance = share * (prize + 1) - 1, share * (1 - share) * (prize + 1) ** 2
    bets = {
        "one bet": best_bet(variance, trials, (-1, prize)),
        "two bets": best_bets(mean, variance, trials, (-1, prize)),
        "risking more": best_bets(mean, variance, trials, (-1, prize), risk=Fraction(9, 10)),
        "bold": Fraction(99, 100 * (prize + 1)),
    }
    inside = {name: [] for name in ("normal", *bets)}
    for k in wins.tolist():
        sums = prize * k - (trials - k), prize**2 * k + trials - k, trials
        found = {name: betting(*sums, (-1, prize), bet) for name, bet in bets.items()}
        for name, interval in (("normal", normal(*sums)), *found.items()):
            inside[name].append(interval.low <= mean <= interval.high)
    chance = {name: pmf[np.array(held)].sum() for name, held in inside.items()}
    assert chance["normal"] < 0.95, "promised 0.99"
    assert min(chance[name] for name in bets) >= 0.99
    if trials == 600_000:
        assert chance["bold"] == pytest.approx(1 - math.exp(-6), abs=1e-5)
    else:
        assert chance["normal"] < 0.9


def first_excluded(trials, interval, start):
    """Least number of wins, at least `start`, at which 0 is below the interval."""
    for wins in range(start, trials + 1):
        if interval(2 * wins - trials, trials, trials).low > 0:
            return wins
    return trials + 1


def chance_of_a_miss(interval, peeks):
    """Exact chance that a fair game of +-1, looked at in `peeks`, is ever called unfair.

    By symmetry of game and interval only the upper boundary is searched: it never falls.
    """
    alive, missed, boundary = np.ones(1), 0.0, 0
    for trials in range(1, peeks[-1] + 1):
        alive = (np.append(alive, 0) + np.append(0, alive)) / 2
        if trials in peeks:
            boundary = first_excluded(trials, interval, boundary)
            if boundary <= trials:
                for far in (slice(boundary, None), slice(None, trials - boundary + 1)):
                    missed += alive[far].sum()
                    alive[far] = 0
    assert missed + alive.sum() == pytest.approx(1, abs=1e-9)
    return missed


def test_peeking_after_every_round_is_allowed_and_costs_no_more_than_the_level():
    """A fair coin for one chip, 3,000 rounds, a look after each: exact, by the walk.

    At 90 %. A bet this high has time to show what it does: Ville's inequality is more than half
    used up, so that a bar of 10 on each side in place of 20 would miss too often.
    """
    level = Fraction(9, 10)

    def bettor(*sums):
        return betting(*sums, (-1, 1), Fraction(1, 10), level)

    assert 0.05 < chance_of_a_miss(bettor, range(1, 3001)) <= 0.1
    usual = chance_of_a_miss(lambda *sums: normal(*sums, level), range(30, 3001))
    assert usual > 0.4, "promised 0.1"


def test_players_who_stop_when_it_looks_right():
    """200 players of a skewed game look after every 200 of 8,000 rounds (Philox, fixed seed)."""
    values, chances = np.array([-1, 1, 20]), np.array([0.6, 0.38, 0.02])
    mean = Fraction(18, 100)
    variance = Fraction(898, 100) - mean**2
    draws = np.random.Generator(np.random.Philox(20100968)).multinomial(200, chances, (200, 40))
    bet = best_bet(variance, 4000, (-1, 20))
    missed = {"normal": 0, "betting": 0}
    for player in draws:
        wrong = set()
        for look, counts in enumerate(accumulate(player), 1):
            sums = int(counts @ values), int(counts @ values**2), 200 * look
            for interval in (normal(*sums), betting(*sums, (-1, 20), bet)):
                if not interval.low <= mean <= interval.high:
                    wrong.add(interval.method)
        for method in wrong:
            missed[method] += 1
    assert missed["normal"] > 10, "promised 2 of 200"
    assert missed["betting"] <= 2


PAIRS = st.lists(
    st.tuples(st.fractions(-2, 6, max_denominator=9), st.fractions(1, 2, max_denominator=9)),
    min_size=1, max_size=10,
)  # fmt: skip
BOUNDS_X, BOUNDS_Y = (-2, 6), (1, 2)


@settings(max_examples=50, deadline=None)
@given(PAIRS, st.integers(30, 100), BETS)
def test_a_ratio_that_is_excluded_has_made_the_bettor_rich(pairs, times, bet):
    pairs = pairs * times
    sums = pairs_of(pairs)
    found = ratio(sums, BOUNDS_X, BOUNDS_Y, bet)
    assert -2 <= found.low <= Fraction(sums.x) / sums.y <= found.high <= 6
    assert found.method == "linear_betting"
    for share in (0, Fraction(1, 3), 1):
        low = -2 + share * (found.low + 2)
        high = 6 - share * (6 - found.high)
        if found.low > -2:
            assert math.prod(float(1 + bet * (x - low * y)) for x, y in pairs) > BAR * (1 - 1e-9)
        if found.high < 6:
            assert math.prod(float(1 - bet * (x - high * y)) for x, y in pairs) > BAR * (1 - 1e-9)


@settings(max_examples=25, deadline=None)
@given(PAIRS, st.integers(30, 3000))
def test_a_ratio_without_a_bet_is_the_set_that_empirical_bernstein_leaves(pairs, times):
    sums = RatioSums(*(times * total for total in pairs_of(pairs)))
    found = ratio(sums, BOUNDS_X, BOUNDS_Y, None)
    assert found.method == "linear_empirical_bernstein"

    def possible(r):
        bounds = linear_bounds(r, BOUNDS_X, BOUNDS_Y)
        around = empirical_bernstein(*sums.linear(r), sums.trials, bounds)
        return around.low <= 0 <= around.high

    step = Fraction(1, 10**18)
    for end, inward in ((found.low, step), (found.high, -step)):
        assert possible(end + inward)
        assert end in (-2, 6) or not possible(end)
    for k in range(21):  # the rest of the possible ratios
        r = Fraction(8 * k, 20) - 2
        if possible(r):
            assert found.low <= r <= found.high


@settings(max_examples=40, deadline=None)
@given(VALUES, BETS, st.fractions(Fraction(1, 5), 5, max_denominator=10))
def test_a_ratio_to_a_constant_is_the_mean_divided(values, bet, constant):
    total, squares, trials = sums_of(values * 50)
    sums = RatioSums(
        trials, total, trials * constant, squares, trials * constant**2, total * constant
    )
    for found, mean in (
        (
            ratio(sums, (-3, 5), (constant, constant), bet),
            betting(total, squares, trials, (-3, 5), bet),
        ),
        (
            ratio(sums, (-3, 5), (constant, constant), None),
            empirical_bernstein(total, squares, trials, (-3, 5)),
        ),
    ):
        assert abs(found.low - mean.low / constant) < Fraction(1, 10**25)
        assert abs(found.high - mean.high / constant) < Fraction(1, 10**25)


def test_the_linear_figure_is_sharper_than_two_intervals():
    """x = y/2 almost: a common factor cancels, dividing two intervals keeps it twice."""
    pairs = [(Fraction(1, 2), 1), (Fraction(1), 2), (Fraction(3, 5), 1), (Fraction(9, 10), 2)]
    sums = RatioSums(*(250_000 * number for number in pairs_of(pairs)))
    middle = Fraction(sums.x) / sums.y
    bounds = linear_bounds(middle, (0, 1), (1, 2))
    assert bounds == (-2 * middle, 1 - middle)
    total, squares = sums.linear(middle)
    assert total == 0
    assert squares == 250_000 * sum((x - middle * y) ** 2 for x, y in pairs)
    found = ratio(sums, (0, 1), (1, 2), best_bet(squares / 10**6, 10**6, bounds))
    tops = betting(sums.x, sums.xx, 10**6, (0, 1), Fraction(1, 100))
    bottoms = betting(sums.y, sums.yy, 10**6, (1, 2), Fraction(1, 200))
    divided = tops.high / bottoms.low - tops.low / bottoms.high
    assert found.high - found.low < divided / 4
    # Once more by linearisation: deviation of x - r y over the mean of y, times sqrt(2 ln 200).
    half = math.sqrt(2 * math.log(BAR) * float(squares) / 10**12) / 1.5
    assert float(found.high - found.low) == pytest.approx(2 * half, rel=0.02)
    usual = ratio(sums, (0, 1), (1, 2), None)
    assert found.high - found.low < usual.high - usual.low < divided


def test_ratio_intervals_cover_exactly_summed():
    """Fold (-1, 1), lose (-2, 2) or win (12, 2): all multinomial counts of 150 rounds."""
    chances = np.array([0.35, 0.55, 0.10])
    outcomes = [(-1, 1), (-2, 2), (12, 2)]
    mean_x = Fraction(-35 - 110 + 120, 100)
    truth = mean_x / Fraction(165, 100)
    bet = Fraction(1, 20)
    missed = total = 0.0
    for wins in range(50):
        folds = np.arange(151 - wins)
        pmf = stats.multinomial.pmf(
            np.stack([folds, 150 - wins - folds, np.full_like(folds, wins)], axis=1), 150, chances
        )
        for fold, chance in zip(folds.tolist(), pmf.tolist(), strict=True):
            if chance < 1e-8:
                continue
            counts = (fold, 150 - wins - fold, wins)
            rows = list(zip(counts, outcomes, strict=True))
            sums = RatioSums(
                150, sum(c * x for c, (x, _) in rows), sum(c * y for c, (_, y) in rows),
                sum(c * x * x for c, (x, _) in rows), sum(c * y * y for c, (_, y) in rows),
                sum(c * x * y for c, (x, y) in rows),
            )  # fmt: skip
            found = ratio(sums, (-2, 12), (1, 2), bet, Fraction(9, 10))
            missed += chance * (not found.low <= truth <= found.high)
            total += chance
    assert total > 0.9999
    assert 0.001 < missed < 0.1 - (1 - total)


def test_a_ratio_of_few_pairs_keeps_to_what_is_possible():
    sums = RatioSums(2, 3, 3, 5, 5, 4)
    for bet in (None, Fraction(1, 10)):
        found = ratio(sums, (-1, 2), (1, 2), bet)
        assert (found.low, found.high) == (-1, 2)


ONE = Fraction(1, 10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: betting(1, 1, 0, (0, 1), ONE), "at least one trial, got 0"),
        (lambda: betting(1, 1, 3, (0, 1), ONE, Fraction(1)), "between 0 and 1, got 1"),
        (lambda: betting(4, 4, 3, (0, 1), ONE), "no 3 values from 0 to 1"),
        (lambda: betting(1, 1, 3, (0, 1), Fraction(0)), "bet must be above 0"),
        (lambda: betting(1, 1, 3, (0, 1), (ONE, -ONE)), "bet must be above 0"),
        (lambda: best_bet(-1, 3, (0, 1)), "variance cannot be negative, got -1"),
        (lambda: best_bet(1, 0, (0, 1)), "at least one trial"),
        (lambda: best_bet(1, 3, (1, 1)), "no room for a bet"),
        (lambda: best_bets(2, 1, 3, (0, 1)), "mean 2 is not within 0 to 1"),
        (lambda: planned_trials(1, (0, 1), 0), "half width must be above 0"),
        (lambda: planned_trials(-1, (0, 1), ONE), "variance cannot be negative"),
        (lambda: planned_trials(1, (0, 1), ONE, Fraction(0)), "between 0 and 1, got 0"),
        (lambda: ratio(RatioSums(2, 1, 2, 1, 2, 1), (0, 1), (0, 1), ONE), "it can be 0"),
        (lambda: ratio(RatioSums(2, 1, 5, 1, 13, 1), (0, 1), (1, 2), ONE), "no 2 values from 1"),
        (lambda: ratio(RatioSums(2, 1, 3, 1, 5, 3), (0, 1), (1, 2), None), "no 2 pairs"),
        (lambda: ratio(RatioSums(0, 0, 0, 0, 0, 0), (0, 1), (1, 2), None), "at least one trial"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
