"""Betting intervals: valid at every sample size, also if one stops when the figure looks right.

Who bets on "the mean is higher than m", or lower, at odds that are fair if m is the mean cannot
count on becoming rich. The interval keeps every m against which neither bet has multiplied its
capital by 2 / (1 - level). The bets are chosen before the values are seen, from a pilot. Only sums
of the values and of their squares are needed, since the logarithm of the capital is bounded below
by a quadratic in m. The same holds for a ratio of two means. Derivation: docs/math.md, section 7.

All in fractions; the two logarithms and the square root are rounded so that intervals only widen.
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isqrt
from typing import NamedTuple, TypeAlias

from ricochet_casino.stats.intervals import (
    LEVEL,
    Interval,
    empirical_bernstein,
    error_share,
    sample_variance,
)

Bet: TypeAlias = Fraction | tuple[Fraction, Fraction]
"""One bet for both ends of an interval, or one for its lower and one for its upper end."""

Bounds: TypeAlias = tuple[Fraction | int, Fraction | int]
"""Lowest and highest value possible."""

RISK = Fraction(1, 2)
"""Share of its capital that a bet can lose by one value, unless asked otherwise (7.9)."""

_DIGITS = 60
_LOGARITHM = Context(prec=2 * _DIGITS)
_TINY = Fraction(1, 10 ** (_DIGITS // 2))
_BET_DIGITS = 12
_ROOT_BITS = 200
_HALVINGS = 100


class RatioSums(NamedTuple):
    """What the interval of a ratio needs of pairs (x, y): their number and five exact sums."""

    trials: int
    x: Fraction | int
    y: Fraction | int
    xx: Fraction | int
    yy: Fraction | int
    xy: Fraction | int

    def linear(self, ratio: Fraction) -> tuple[Fraction, Fraction]:
        """Sum of the linear figure x - ratio y and sum of its squares."""
        squares = self.xx - 2 * ratio * self.xy + ratio**2 * self.yy
        return self.x - ratio * self.y, Fraction(squares)


def linear_bounds(ratio: Fraction, bounds_x: Bounds, bounds_y: Bounds) -> tuple[Fraction, Fraction]:
    """Lowest and highest value of the linear figure x - ratio y within the bounds of x and y."""
    ends = sorted((ratio * bounds_y[0], ratio * bounds_y[1]))
    return bounds_x[0] - ends[1], bounds_x[1] - ends[0]


def best_bet(
    variance: Fraction | int, trials: int, bounds: Bounds, level: Fraction = LEVEL
) -> Fraction:
    """Bet for the narrowest betting interval, as far as the variance alone tells.

    Parameters
    ----------
    variance
        Of the values, estimated elsewhere (a pilot), at least 0.
    trials
        Planned number of values, at least 1.
    bounds
        Lowest and highest value possible, apart.
    level
        Between 0 and 1.

    Returns
    -------
    Fraction
        ``sqrt(2 ln(2 / (1 - level)) / (trials * variance))``, at most ``1 / (2 * range)``, rounded
        down to 12 significant digits.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    docs/math.md (7.9). An interval is valid with any bet that does not depend on its values; a poor
    estimate of the variance only makes it wider. Where the cap binds there are too few values for
    the range: the interval is wide with any bet, and narrower with a greater one.
    """
    return _best_bet(Fraction(variance), trials, _range(bounds), level)


def best_bets(
    mean: Fraction | int,
    variance: Fraction | int,
    trials: int,
    bounds: Bounds,
    level: Fraction = LEVEL,
    risk: Fraction = RISK,
) -> tuple[Fraction, Fraction]:
    """Bets for the lower and the upper end, if the mean has been estimated elsewhere too.

    Parameters, errors: as for `best_bet`; `mean` lies within `bounds`; `risk`, between 0 and 1, is
    the share of the capital that one value can take at most.

    Returns
    -------
    tuple of Fraction
        As `best_bet`, but capped by the reach of each side: ``1 / (2 (mean - lowest))`` for the
        lower end and ``1 / (2 (highest - mean))`` for the upper one. With a rare great prize the
        lower end gains much while there are few values.
    """
    width, variance = _range(bounds), Fraction(variance)
    below, above = Fraction(mean) - bounds[0], Fraction(bounds[1]) - mean
    if below < 0 or above < 0:
        raise ValueError(f"the mean {mean} is not within {bounds[0]} to {bounds[1]}")
    # A pilot that saw nothing but the lowest or the highest value tells nothing about the reach.
    return (
        _best_bet(variance, trials, below or width, level, risk),
        _best_bet(variance, trials, above or width, level, risk),
    )


def planned_trials(
    variance: Fraction | int,
    bounds: Bounds,
    half_width: Fraction | int,
    level: Fraction = LEVEL,
    risk: Fraction = RISK,
) -> int:
    """Number of values that the betting interval needs for a given half width.

    Parameters
    ----------
    variance
        Mean square of the deviations from the mean (divided by their number, not one less) that
        the values will have, at least 0.
    bounds
        Lowest and highest value possible, apart.
    half_width
        Wanted, above 0.
    level
        Between 0 and 1.
    risk
        As for `best_bets`.

    Returns
    -------
    int
        The least number of values at which `betting` with `best_bet` has at most this half width
        whatever their mean (docs/math.md (7.8) with the whole range as reach).

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    target = Fraction(half_width)
    if target <= 0:
        raise ValueError(f"a half width must be above 0, got {half_width}")
    width, variance = _range(bounds), Fraction(variance)

    def enough(trials: int) -> bool:
        bet = _best_bet(variance, trials, width, level, risk)
        sums = RatioSums(trials, 0, trials, trials * variance, trials, 0)
        distance = _distance(sums, bet, 1, width, _threshold(trials, level))
        return 2 * target >= width or (distance is not None and distance <= target)

    high = 1
    while not enough(high):
        high *= 2
    low = high // 2  # not enough, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def betting(
    total: Fraction | int,
    squares: Fraction | int,
    trials: int,
    bounds: Bounds,
    bet: Bet,
    level: Fraction = LEVEL,
) -> Interval:
    """Interval of the mean of bounded independent values that may be looked at after each of them.

    Parameters
    ----------
    total, squares
        Sum of the values and of their squares, exact.
    trials
        How many values, at least 1. It may depend on the values: a confidence sequence.
    bounds
        Lowest and highest value possible, known beforehand (not those seen).
    bet
        Above 0, in units of 1 / value; fixed before the first value, see `best_bet`. An end stays
        at its bound if the bet times the distance of the mean from the opposite risk (from the
        lowest value for the lower end, from the highest for the upper) is 1 or more.
    level
        Between 0 and 1.

    Raises
    ------
    ValueError
        If no such values exist within the bounds, or a number is out of range.

    Notes
    -----
    After I. Waudby-Smith, A. Ramdas: Estimating means of bounded random variables by betting,
    JRSS B 86 (2024), arXiv 2010.09686, with one fixed bet and a quadratic below the logarithm;
    docs/math.md (7.6) to (7.8). Ends are rounded outward to 60 significant digits.
    """
    threshold = _threshold(trials, level)
    sample_variance(total, squares, trials, bounds)  # refuses what cannot be
    sums = RatioSums(trials, total, trials, squares, trials, total)
    return _betting(sums, bounds, (1, 1), bet, threshold, level, "betting")


def ratio(
    sums: RatioSums,
    bounds_x: Bounds,
    bounds_y: Bounds,
    bet: Bet | None,
    level: Fraction = LEVEL,
) -> Interval:
    """Interval of the ratio E[x] / E[y] of independent bounded pairs, by the figure x - r y.

    It contains every r for which 0 is in the interval of the mean of x - r y.

    Parameters
    ----------
    sums
        Of the pairs, exact.
    bounds_x, bounds_y
        Lowest and highest value possible of each; y is above 0.
    bet
        As for `betting`, chosen for the values x - r y with r from a pilot (see `linear_bounds`);
        then `trials` may depend on the values. None: the empirical-Bernstein interval of x - r y,
        for a number of trials fixed beforehand.
    level
        Between 0 and 1.

    Returns
    -------
    Interval
        By ``linear_betting`` or ``linear_empirical_bernstein``.

    Raises
    ------
    ValueError
        If no such pairs exist within the bounds, y can be 0 or below, or a number is out of range.

    Notes
    -----
    docs/math.md (7.10). With a bet the set is an interval whose ends solve a quadratic in r.
    Without one, the r that are too small form an interval, since half widths are convex in r; if
    the lowest possible ratio is among them, then so is all up to the lower end, which is found by
    bisection and rounded outward. If it is not, it is the lower end: the hull. Likewise above.
    """
    threshold = _threshold(sums.trials, level)
    if bounds_y[0] <= 0:
        raise ValueError(f"the ratio needs y above 0, but it can be {bounds_y[0]}")
    spread_x = sample_variance(sums.x, sums.xx, sums.trials, bounds_x)
    spread_y = sample_variance(sums.y, sums.yy, sums.trials, bounds_y)
    products = sums.xy - Fraction(sums.x) * sums.y / sums.trials
    limit = (spread_x or 0) * (spread_y or 0) * (sums.trials - 1) ** 2
    if products**2 > limit:
        raise ValueError(f"no {sums.trials} pairs have these sums: {sums}")
    if bet is not None:
        return _betting(sums, bounds_x, bounds_y, bet, threshold, level, "linear_betting")

    def around(r: Fraction) -> Interval:
        bounds = linear_bounds(r, bounds_x, bounds_y)
        return empirical_bernstein(*sums.linear(r), sums.trials, bounds, level)

    middle = Fraction(sums.x) / sums.y
    lowest, highest = _possible_ratios(bounds_x, bounds_y)
    low = _last_excluded(lowest, middle, lambda r: around(r).low > 0)
    high = _last_excluded(highest, middle, lambda r: around(r).high < 0)
    return Interval(low, high, level, "linear_empirical_bernstein")


def _betting(
    sums: RatioSums,
    bounds_x: Bounds,
    bounds_y: Bounds,
    bet: Bet,
    threshold: Fraction,
    level: Fraction,
    method: str,
) -> Interval:
    """Betting interval of a ratio; that of a mean has y = 1."""
    below, above = bet if isinstance(bet, tuple) else (bet, bet)
    if below <= 0 or above <= 0:
        raise ValueError(f"a bet must be above 0, got {bet}")
    middle = Fraction(sums.x) / sums.y
    lowest, highest = linear_bounds(middle, bounds_x, bounds_y)
    low, high = _possible_ratios(bounds_x, bounds_y)
    down = _distance(sums, below, 1, -lowest, threshold)
    up = _distance(sums, above, -1, highest, threshold)
    if down is not None:
        low = max(low, _rounded(middle - down, ROUND_FLOOR))
    if up is not None:
        high = min(high, _rounded(middle + up, ROUND_CEILING))
    return Interval(low, high, level, method)


def _distance(
    sums: RatioSums, bet: Fraction, side: int, reach: Fraction, threshold: Fraction
) -> Fraction | None:
    """Distance from x / y to the end below (side 1) or above (-1); None: nothing is excluded.

    The smaller root of the quadratic (7.10), rounded up. `reach` is how far a value of
    side (x - r y) can lie below 0, for r = x / y and hence for all r on this side.
    """
    risk = _rounded(bet * reach, ROUND_CEILING)
    if risk >= 1:
        return None
    middle = Fraction(sums.x) / sums.y
    factor = _loss_factor(risk) * bet
    constant = factor * sums.linear(middle)[1] + threshold / bet
    slope = sums.y - 2 * side * factor * (sums.xy - middle * sums.yy)
    discriminant = slope**2 - 4 * factor * sums.yy * constant
    if slope <= 0 or discriminant < 0:
        return None
    return 2 * constant / (slope + _root_below(discriminant))


def _loss_factor(risk: Fraction) -> Fraction:
    """Least h with ln(1 + u) >= u - h u^2 for all u >= -risk, rounded up (7.7).

    `risk` is 0 to below 1 and has at most 60 significant digits, so that 1 - risk is exact.
    """
    if risk < _TINY:
        return Fraction(1, 2) + risk  # from the series 1/2 + risk/3 + risk^2/4 + ...
    rest = _LOGARITHM.divide(Decimal(risk.denominator - risk.numerator), Decimal(risk.denominator))
    # Decimal logarithms are correctly rounded, to the nearest: the next number is beyond.
    loss = -Fraction(_LOGARITHM.next_minus(_LOGARITHM.ln(rest)))
    return _rounded((loss - risk) / risk**2, ROUND_CEILING)


def _threshold(trials: int, level: Fraction) -> Fraction:
    """Logarithm that a capital must reach to exclude a value: ln(2 / (1 - level)), rounded up."""
    factor = _rounded(2 / error_share(trials, level), ROUND_CEILING)
    decimal = _LOGARITHM.divide(Decimal(factor.numerator), Decimal(factor.denominator))
    return _rounded(Fraction(_LOGARITHM.next_plus(_LOGARITHM.ln(decimal))), ROUND_CEILING)


def _best_bet(
    variance: Fraction, trials: int, reach: Fraction, level: Fraction, risk: Fraction = RISK
) -> Fraction:
    threshold = _threshold(trials, level)
    if variance < 0:
        raise ValueError(f"a variance cannot be negative, got {variance}")
    bet = risk / reach
    if variance:
        bet = min(bet, _root_below(2 * threshold / (trials * variance)))
    return _rounded(bet, ROUND_FLOOR, _BET_DIGITS)


def _last_excluded(
    outer: Fraction, inner: Fraction, excluded: Callable[[Fraction], bool]
) -> Fraction:
    """Bisection from an outer end that may be excluded to an inner point that is not."""
    if not excluded(outer):
        return outer
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2
        if excluded(middle):
            outer = middle
        else:
            inner = middle
    return outer


def _possible_ratios(bounds_x: Bounds, bounds_y: Bounds) -> tuple[Fraction, Fraction]:
    """Lowest and highest x / y within the bounds."""
    quotients = [Fraction(x) / y for x in bounds_x for y in bounds_y]
    return min(quotients), max(quotients)


def _range(bounds: Bounds) -> Fraction:
    if bounds[0] >= bounds[1]:
        raise ValueError(f"the bounds {bounds[0]} and {bounds[1]} leave no room for a bet")
    return Fraction(bounds[1]) - bounds[0]


def _root_below(value: Fraction) -> Fraction:
    """Square root, rounded down to a multiple of 2^-200 / denominator."""
    product = value.numerator * value.denominator
    return Fraction(isqrt(product << 2 * _ROOT_BITS), value.denominator << _ROOT_BITS)


def _rounded(value: Fraction, rounding: str, digits: int = _DIGITS) -> Fraction:
    """The value to 60 significant digits, rounded up or down."""
    context = Context(prec=digits, rounding=rounding)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
