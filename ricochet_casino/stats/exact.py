"""Decimals, roots and moments of exact numbers, the same on every machine.

No floating point: fractions are divided and roots are taken with the decimal module at a fixed
precision, so that a printed digit never depends on the processor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

DIGITS = 15
_CONTEXT = Context(prec=60, rounding=ROUND_HALF_EVEN)


def to_decimal(value: Fraction | int) -> Decimal:
    """The value to 60 significant digits."""
    value = Fraction(value)
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def decimal_text(value: Fraction | int | Decimal, digits: int = DIGITS) -> str:
    """Plain decimal notation, rounded half to even to ``digits`` significant digits."""
    number = value if isinstance(value, Decimal) else to_decimal(value)
    if number == 0:
        return "0"
    rounded = Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(number)
    return format(rounded, "f")


def fraction_text(value: Fraction | int) -> str:
    """``numerator/denominator`` in lowest terms, the denominator even if it is 1."""
    value = Fraction(value)
    return f"{value.numerator}/{value.denominator}"


def figure(value: Fraction | Decimal | None) -> dict[str, str]:
    """A figure of a certificate: ``decimal``, and ``exact`` where it is a fraction."""
    if value is None:
        return {"decimal": "undefined"}
    if isinstance(value, Decimal):
        return {"decimal": decimal_text(value)}
    return {"decimal": decimal_text(value), "exact": fraction_text(value)}


def square_root(value: Fraction) -> Decimal:
    """Square root to 60 significant digits.

    Raises
    ------
    ValueError
        If the value is negative.
    """
    if value < 0:
        raise ValueError("no square root of a negative number")
    return _CONTEXT.sqrt(to_decimal(value))


def difference(new: Fraction | Decimal, old: Fraction | Decimal) -> Fraction | Decimal:
    """New - old: exact if both are fractions, else to 60 significant digits."""
    if isinstance(new, Fraction) and isinstance(old, Fraction):
        return new - old
    return _CONTEXT.subtract(
        *(value if isinstance(value, Decimal) else to_decimal(value) for value in (new, old))
    )


@dataclass(frozen=True)
class Moments:
    """Moments of a distribution with integer weights.

    Attributes
    ----------
    mean, variance
        Exact, over the whole population (divided by the weight, not by one less).
    third
        Third central moment, exact.
    """

    mean: Fraction
    variance: Fraction
    third: Fraction

    @property
    def sd(self) -> Decimal:
        """Standard deviation."""
        return square_root(self.variance)

    @property
    def skewness(self) -> Decimal | None:
        """Third central moment over the cube of the standard deviation; None without spread."""
        if self.variance == 0:
            return None
        return _CONTEXT.divide(
            to_decimal(self.third), _CONTEXT.multiply(self.sd, to_decimal(self.variance))
        )


def variance_of(total: int, squares: int, trials: int) -> Fraction:
    """Variance of so many values, dividing by their number, from their sums."""
    return Fraction(squares, trials) - Fraction(total, trials) ** 2


def moments(distribution: Mapping[Fraction, int]) -> Moments:
    """Moments of a distribution given as value -> weight.

    Raises
    ------
    ValueError
        If the weights do not sum to a positive number.
    """
    total = sum(distribution.values())
    if total <= 0:
        raise ValueError("a distribution needs a positive total weight")
    mean = sum((value * weight for value, weight in distribution.items()), Fraction()) / total
    central = {value - mean: weight for value, weight in distribution.items()}
    variance = sum((d**2 * weight for d, weight in central.items()), Fraction()) / total
    third = sum((d**3 * weight for d, weight in central.items()), Fraction()) / total
    return Moments(mean, variance, third)
