"""Shares of deals that can be won, when some deals stay undecided.

An undecided deal may be a win or a loss, so it widens the interval on both sides: the low end is
that of a sample in which all undecided deals are lost, the high end that of one in which all are
won (docs/math.md, section 14.5).
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, Final

from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import LEVEL, Interval, clopper_pearson, wilson

BUCKET_DIGITS: Final = 2
"""Significant digits to which numbers of states are rounded up for their distribution."""


@dataclass(frozen=True)
class Share:
    """Deals by verdict.

    Attributes
    ----------
    won, lost, undecided
        How many of each; together at least one.
    """

    won: int
    lost: int
    undecided: int

    def __post_init__(self) -> None:
        if min(self.won, self.lost, self.undecided) < 0 or not self.deals:
            raise ValueError(f"no study has {self.won}, {self.lost}, {self.undecided} deals")

    @property
    def deals(self) -> int:
        """All deals."""
        return self.won + self.lost + self.undecided

    def interval(
        self,
        method: Callable[[int, int, Fraction], Interval] = clopper_pearson,
        level: Fraction = LEVEL,
    ) -> Interval:
        """Interval of the share of deals that can be won, by the method for a plain share."""
        low = method(self.won, self.deals, level)
        high = method(self.won + self.undecided, self.deals, level)
        return Interval(low.low, high.high, level, low.method)

    def figures(self, level: Fraction = LEVEL) -> dict[str, Any]:
        """Share, exact and Wilson interval and counts, as JSON values.

        Where deals are undecided, ``share`` is that of the wins found.
        """
        exact, usual = self.interval(level=level), self.interval(wilson, level)
        return {
            "share": decimal_text(Fraction(self.won, self.deals)),
            "interval": exact.figure(None)["interval"],
            "interval_method": exact.method,
            "wilson": usual.figure(None)["interval"],
            "level": decimal_text(level),
            "won": self.won,
            "lost": self.lost,
            "undecided": self.undecided,
            "deals": self.deals,
        }


def bucket(number: int) -> int:
    """The number, rounded up to `BUCKET_DIGITS` significant digits.

    Raises
    ------
    ValueError
        If it is negative.
    """
    if number < 0:
        raise ValueError(f"a number of states is not negative, got {number}")
    unit: int = 10 ** max(len(str(number)) - BUCKET_DIGITS, 0)
    return -(-number // unit) * unit


def quantile(counts: Mapping[int, int], part: Fraction) -> int:
    """Smallest number that at least this part of all do not exceed.

    Parameters
    ----------
    counts
        Number -> how often; at least one in all.
    part
        Above 0, at most 1.

    Raises
    ------
    ValueError
        If there is nothing, or the part is out of range.
    """
    total = sum(counts.values())
    if total < 1 or not 0 < part <= 1:
        raise ValueError(f"no quantile {part} of {total} numbers")
    below = 0
    for number in sorted(counts):
        below += counts[number]
        if below >= part * total:
            return number
    raise AssertionError("a quantile is always reached")


def quantile_interval(
    counts: Mapping[int, int],
    part: Fraction,
    bounds: tuple[int, int],
    level: Fraction = LEVEL,
) -> tuple[int, int]:
    """Interval of a quantile of the distribution from which so many values were drawn.

    Parameters
    ----------
    counts
        Value -> how often it was drawn; at least one in all.
    part
        Above 0, below 1.
    bounds
        Lowest and highest value possible, known beforehand: the ends where the sample is too small
        to tell more.
    level
        Between 0 and 1.

    Returns
    -------
    tuple of int
        In at least this share of all samples, the smallest value that at least `part` of the whole
        distribution does not exceed lies between the two.

    Raises
    ------
    ValueError
        If there is nothing, a value is out of bounds, or a number is out of range.

    Notes
    -----
    From the Clopper-Pearson interval of the distribution function; docs/math.md (17.7).
    """
    total, values = sum(counts.values()), sorted(counts)
    if total < 1 or not 0 < part < 1:
        raise ValueError(f"no interval of a quantile {part} of {total} numbers")
    if values[0] < bounds[0] or values[-1] > bounds[1]:
        raise ValueError(f"values from {values[0]} to {values[-1]} leave the bounds {bounds}")
    below = [0, *accumulate(counts[value] for value in values)]

    def share(place: int) -> Interval:
        return clopper_pearson(below[place], total, level)

    places = range(len(below))
    low = bisect_left(places, part, key=lambda place: share(place).high)
    high = bisect_left(places, part, key=lambda place: share(place).low)
    return (
        values[low - 1] if low else bounds[0],
        values[high - 1] if high < len(below) else bounds[1],
    )
