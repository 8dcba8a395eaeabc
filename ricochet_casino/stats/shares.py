"""Shares of deals that can be won, when some deals stay undecided.

An undecided deal may be a win or a loss, so it widens the interval on both sides: the low end is
that of a sample in which all undecided deals are lost, the high end that of one in which all are
won (docs/math.md, section 14.5).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
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
