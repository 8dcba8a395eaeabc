"""Comparing counts with exact expectations."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

SMALLEST_EXPECTED = 5
"""Outcomes expected less often are pooled, the usual rule for Pearson's chi-square."""


@dataclass(frozen=True)
class ChiSquare:
    """Pearson's goodness-of-fit test.

    Attributes
    ----------
    statistic
        Sum of (observed - expected)^2 / expected over the classes, exact.
    degrees
        Classes less one.
    classes
        Names in each class; pooled outcomes share one.
    """

    statistic: Fraction
    degrees: int
    classes: tuple[tuple[str, ...], ...]

    @property
    def p_value(self) -> float | None:
        """Chance of a statistic at least as large; None without a degree of freedom."""
        if self.degrees < 1:
            return None
        from scipy.special import gammaincc  # a third of a second to import

        return float(gammaincc(self.degrees / 2, float(self.statistic) / 2))


def chi_square(observed: Mapping[str, int], probability: Mapping[str, Fraction]) -> ChiSquare:
    """Compare observed counts with exact probabilities.

    Parameters
    ----------
    observed
        Name -> count; names that are missing count as zero.
    probability
        Name -> probability; they must sum to one.

    Returns
    -------
    ChiSquare
        With all outcomes pooled whose expected count is below `SMALLEST_EXPECTED`; if the pool is
        still below, it joins the rarest other class.

    Raises
    ------
    ValueError
        If an observed name has no probability, an outcome of probability zero was observed, or
        the probabilities do not sum to one.
    """
    unknown = set(observed) - set(probability)
    impossible = sorted(n for n, p in probability.items() if p == 0 and observed.get(n, 0))
    if unknown or impossible:
        raise ValueError(f"observed what cannot happen: {', '.join(sorted(unknown) or impossible)}")
    if sum(probability.values()) != 1:
        raise ValueError("the probabilities do not sum to one")
    rounds = sum(observed.values())
    ranked = sorted(((p, n) for n, p in probability.items() if p), reverse=True)
    classes: list[tuple[str, ...]] = [(n,) for p, n in ranked if p * rounds >= SMALLEST_EXPECTED]
    pool = tuple(n for p, n in ranked if p * rounds < SMALLEST_EXPECTED)
    if pool:
        if classes and sum(probability[n] for n in pool) * rounds < SMALLEST_EXPECTED:
            pool = classes.pop() + pool
        classes.append(pool)
    statistic = Fraction()
    for names in classes:
        expected = sum((probability[n] for n in names), Fraction()) * rounds
        if expected:
            statistic += (sum(observed.get(n, 0) for n in names) - expected) ** 2 / expected
    return ChiSquare(statistic, len(classes) - 1, tuple(classes))
