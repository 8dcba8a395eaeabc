"""Intervals that keep their promise at every sample size, and the usual one to compare with.

An interval of level 0.99 contains the true value in at least 99 % of all samples of independent
observations, however skewed they are; the price is that it is wider than the usual one. Half of the
error is allowed on each side. `normal` makes no such promise. Formulas: docs/math.md, section 7;
intervals that may be looked at again and again are in `ricochet_casino.stats.betting`.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from ricochet_casino.stats.exact import DIGITS, decimal_text, square_root, to_decimal

LEVEL = Fraction(99, 100)
"""The level that figures are given at."""

_LOGARITHM = Context(prec=60)
_QUANTILE_DIGITS = 10
"""Significant digits of quantiles of the beta and normal distributions, computed in floats."""


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval.

    Attributes
    ----------
    low, high
        Its ends.
    level
        At least this share of all samples give an interval that contains the true value.
    method
        How it was computed.
    """

    low: Fraction
    high: Fraction
    level: Fraction
    method: str

    def scaled(self, factor: Fraction | int, offset: Fraction | int = 0) -> "Interval":
        """Interval of ``offset + factor * value``."""
        ends = sorted((offset + factor * self.low, offset + factor * self.high))
        return Interval(Fraction(ends[0]), Fraction(ends[1]), self.level, self.method)

    def figure(self, value: Fraction | Decimal | None) -> dict[str, Any]:
        """A figure of a certificate: the estimate with this interval, its ends rounded outward."""
        return {
            "decimal": "undefined" if value is None else decimal_text(value),
            "interval": [
                _text(to_decimal(self.low), DIGITS, ROUND_FLOOR),
                _text(to_decimal(self.high), DIGITS, ROUND_CEILING),
            ],
            "level": decimal_text(self.level),
            "interval_method": self.method,
        }


def _text(number: Decimal, digits: int, rounding: str) -> str:
    return decimal_text(Context(prec=digits, rounding=rounding).plus(number), digits)


def clopper_pearson(successes: int, trials: int, level: Fraction = LEVEL) -> Interval:
    """Interval of a probability, from the number of successes in independent trials.

    Parameters
    ----------
    successes, trials
        0 to `trials`, and at least 1.
    level
        Between 0 and 1.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits illustrated in the case
    of the binomial; Biometrika 26 (1934); docs/math.md (7.1). The ends are rounded outward to 10
    significant digits, those of the failures if they are fewer.
    """
    alpha = error_share(trials, level)
    if not 0 <= successes <= trials:
        raise ValueError(f"there cannot be {successes} successes in {trials} trials")
    if 2 * successes > trials:
        return clopper_pearson(trials - successes, trials, level).scaled(-1, 1)
    from scipy.special import betainccinv, betaincinv  # a third of a second to import

    failures, half = trials - successes, float(alpha / 2)
    low = betaincinv(successes, failures + 1, half) if successes else 0.0
    high = betainccinv(successes + 1, failures, half) if failures else 1.0
    return Interval(
        Fraction(_text(Decimal(float(low)), _QUANTILE_DIGITS, ROUND_FLOOR)),
        Fraction(_text(Decimal(float(high)), _QUANTILE_DIGITS, ROUND_CEILING)),
        level,
        "clopper_pearson",
    )


def empirical_bernstein(
    total: Fraction | int,
    squares: Fraction | int,
    trials: int,
    bounds: tuple[Fraction | int, Fraction | int],
    level: Fraction = LEVEL,
) -> Interval:
    """Interval of the mean of bounded independent values, from their sum and sum of squares.

    Parameters
    ----------
    total, squares
        Sum of the values and of their squares, exact.
    trials
        How many values, at least 1. With a single one the interval is `bounds`.
    bounds
        Lowest and highest value possible, known beforehand (not those seen).
    level
        Between 0 and 1.

    Raises
    ------
    ValueError
        If no such values exist within the bounds, or a number is out of range.

    Notes
    -----
    A. Maurer, M. Pontil: Empirical Bernstein bounds and sample variance penalization (COLT 2009),
    theorem 4, once for each side; docs/math.md (7.2). With V the sample variance, R the range and
    delta = (1 - level) / 2 the half width is
    ``sqrt(2 V ln(2 / delta) / n) + 7 R ln(2 / delta) / (3 (n - 1))``.
    """
    alpha = error_share(trials, level)
    variance = sample_variance(total, squares, trials, bounds)
    low, high = Fraction(bounds[0]), Fraction(bounds[1])
    if variance is not None:
        logarithm = Fraction(_LOGARITHM.ln(to_decimal(4 / alpha)))
        half = Fraction(square_root(2 * variance * logarithm / trials))
        half += 7 * (high - low) * logarithm / (3 * (trials - 1))
        mean = Fraction(total) / trials
        low, high = max(low, mean - half), min(high, mean + half)
    return Interval(low, high, level, "empirical_bernstein")


def normal(
    total: Fraction | int,
    squares: Fraction | int,
    trials: int,
    level: Fraction = LEVEL,
) -> Interval:
    """Interval of the mean by the normal approximation: for comparison only, it can fail.

    Parameters
    ----------
    total, squares
        Sum of the values and of their squares, exact.
    trials
        How many values, at least 2.
    level
        Between 0 and 1.

    Raises
    ------
    ValueError
        If no values have these sums, or a number is out of range.

    Notes
    -----
    docs/math.md (7.5). The quantile comes from the standard library (`statistics.NormalDist`,
    M. J. Wichura's algorithm AS 241, good to about 16 digits) and is rounded up to 10 significant
    digits, so that the last bits of a processor's logarithm cannot show.
    """
    alpha = error_share(trials, level)
    if trials == 1:
        raise ValueError("the normal interval needs at least two trials")
    mean = Fraction(total) / trials
    spread = Fraction(squares) - mean * total
    if spread < 0:
        raise ValueError(f"no {trials} values have sum {total} and squares {squares}")
    half = _normal_quantile(alpha)
    half *= Fraction(square_root(spread / (trials - 1) / trials))
    return Interval(mean - half, mean + half, level, "normal")


def wilson(successes: int, trials: int, level: Fraction = LEVEL) -> Interval:
    """Interval of a probability by the score test: close to its level, without a promise.

    Parameters
    ----------
    successes, trials
        0 to `trials`, and at least 1.
    level
        Between 0 and 1.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    E. B. Wilson: Probable inference, the law of succession, and statistical inference; Journal of
    the American Statistical Association 22 (1927); docs/math.md, section 14.5. The quantile is that
    of `normal`.
    """
    alpha = error_share(trials, level)
    if not 0 <= successes <= trials:
        raise ValueError(f"there cannot be {successes} successes in {trials} trials")
    z = _normal_quantile(alpha)
    share, weight = Fraction(successes, trials), z * z / trials
    half = z * Fraction(square_root(share * (1 - share) / trials + weight / (4 * trials)))
    middle = share + weight / 2
    low, high = (middle - half) / (1 + weight), (middle + half) / (1 + weight)
    # At the ends of the scale the interval ends there; the root is cut after 60 digits.
    low = Fraction(0) if successes == 0 else low
    high = Fraction(1) if successes == trials else high
    return Interval(low, high, level, "wilson")


def _normal_quantile(alpha: Fraction) -> Fraction:
    """The number that a standard normal variable exceeds on either side with this chance."""
    # The far tail, without 1 - alpha / 2.
    quantile = Decimal(-NormalDist().inv_cdf(float(alpha / 2)))
    return Fraction(_text(quantile, _QUANTILE_DIGITS, ROUND_CEILING))


def standard_deviation(
    total: Fraction | int,
    squares: Fraction | int,
    trials: int,
    bounds: tuple[Fraction | int, Fraction | int],
    level: Fraction = LEVEL,
) -> Interval:
    """Interval of the standard deviation of bounded independent values.

    Parameters, errors: as for `empirical_bernstein`.

    Notes
    -----
    Maurer and Pontil (as there), theorem 10; docs/math.md (7.3). With V the sample variance, R the
    range and delta = (1 - level) / 2 the ends are ``sqrt(V) -+ R sqrt(2 ln(1 / delta) / (n - 1))``,
    and none lies outside 0 to R / 2.
    """
    alpha = error_share(trials, level)
    variance = sample_variance(total, squares, trials, bounds)
    width = Fraction(bounds[1]) - Fraction(bounds[0])
    low, high = Fraction(0), width / 2
    if variance is not None:
        logarithm = Fraction(_LOGARITHM.ln(to_decimal(2 / alpha)))
        half = Fraction(square_root(2 * width**2 * logarithm / (trials - 1)))
        middle = Fraction(square_root(variance))
        # The sample variance divides by n - 1, so it can exceed (R / 2)^2 slightly.
        low, high = min(max(low, middle - half), high), min(high, middle + half)
    return Interval(low, high, level, "maurer_pontil_deviation")


def sample_variance(
    total: Fraction | int,
    squares: Fraction | int,
    trials: int,
    bounds: tuple[Fraction | int, Fraction | int],
) -> Fraction | None:
    """Unbiased sample variance, exact; None for a single value.

    Raises
    ------
    ValueError
        If no values within the bounds have this sum and sum of squares.
    """
    low, high = Fraction(bounds[0]), Fraction(bounds[1])
    mean = Fraction(total) / trials
    spread = Fraction(squares) - mean * total
    # For values in [a, b]: 0 <= sum (x - m)^2 <= n (b - m)(m - a).
    if not low <= mean <= high or not 0 <= spread <= trials * (high - mean) * (mean - low):
        raise ValueError(
            f"no {trials} values from {low} to {high} have sum {total} and squares {squares}"
        )
    return spread / (trials - 1) if trials > 1 else None


def error_share(trials: int, level: Fraction) -> Fraction:
    """Share of samples whose interval may miss, one less the level, once both are checked.

    Raises
    ------
    ValueError
        If there is no trial, or the level is not between 0 and 1.
    """
    if trials < 1:
        raise ValueError(f"an interval needs at least one trial, got {trials}")
    if not 0 < level < 1:
        raise ValueError(f"a level must lie between 0 and 1, got {level}")
    return 1 - Fraction(level)
