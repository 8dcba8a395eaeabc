"""Sessions: what many rounds in a row do to a bankroll, from the distribution of one round.

The distribution of a sum of independent rounds is a power of that of one round. It is taken with
the fast Fourier transform over the whole range of sums, so that nothing wraps round and nothing is
cut off; the one error left is that of rounding, and it is bounded (docs/math.md, section 16).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm, sqrt

import numpy as np
import numpy.typing as npt

LARGEST = 1 << 22
"""Most sums that are told apart: 64 MB and some tenths of a second."""
_ROUNDING = 2.0**-53
_Powers = npt.NDArray[np.complex128]


@dataclass(frozen=True)
class Session:
    """What some number of rounds does.

    Attributes
    ----------
    rounds
        How many.
    quantiles
        For each share asked for, the smallest result that is reached or undershot at least so
        often, as its least and its largest possible value: the same number, unless the share is
        hit so closely that rounding hides which of the two it is.
    ahead
        Chance of a result above zero.
    error
        Bound of the error of `ahead`, and of the shares.
    """

    rounds: int
    quantiles: tuple[tuple[Fraction, Fraction], ...]
    ahead: float
    error: float


def longest_session(distribution: Mapping[Fraction, int]) -> int:
    """How many rounds `sessions` can take for a distribution.

    Parameters
    ----------
    distribution
        Net result of a round -> weight.

    Raises
    ------
    ValueError
        As `sessions`.
    """
    _, weights, _ = _lattice(distribution)
    return (LARGEST - 1) // max(weights)


def sessions(
    distribution: Mapping[Fraction, int],
    rounds: Sequence[int],
    shares: Sequence[Fraction] = (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20)),
) -> list[Session]:
    """Distribution of the result of many independent rounds.

    Parameters
    ----------
    distribution
        Net result of a round -> weight, a count.
    rounds
        Numbers of rounds, rising, each 0 or more.
    shares
        Which quantiles, each between 0 and 1.

    Returns
    -------
    list of Session
        One for each number of rounds.

    Raises
    ------
    ValueError
        If there are no two different results, a weight is negative, the rounds do not rise, a share
        is not between 0 and 1, or the sums would be too many (see `longest_session`).
    """
    if any(b <= a for a, b in pairwise(rounds)) or min(rounds, default=0) < 0:
        raise ValueError("numbers of rounds must rise from 0 or more")
    _check_shares(shares)
    least, weights, unit = _lattice(distribution)
    most = max(rounds, default=0)
    size = _size(distribution, max(weights), most)
    transform = np.fft.rfft(_spread(weights, size))
    found = []
    power, done = np.ones_like(transform), 0
    steps_of: dict[int, _Powers] = {}  # rounds mostly rise by equal steps
    for number in rounds:
        more = number - done
        if more not in steps_of:
            steps_of = {more: _power(transform, more)}
        power = power * steps_of[more]
        done = number
        below = np.cumsum(np.fft.irfft(power, size))
        error = _error(size, number)
        found.append(_read(below, number, number * least, unit, shares, error))
    return found


def taking_turns(
    distribution: Mapping[Fraction, int],
    played: int,
    banked: int,
    shares: Sequence[Fraction] = (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20)),
) -> Session:
    """Distribution of the result of one of two who take turns to be the bank for the other.

    Parameters
    ----------
    distribution
        Net result of a round for who is not the bank -> weight, a count.
    played, banked
        Rounds in which this one plays, and rounds in which this one is the bank, each 0 or more.
    shares
        Which quantiles, each between 0 and 1.

    Raises
    ------
    ValueError
        As `sessions`.

    Notes
    -----
    docs/math.md (17.6): what the bank gets is the negative of what the other one gets, and its
    transform the conjugate.
    """
    if min(played, banked) < 0:
        raise ValueError("numbers of rounds must be 0 or more")
    _check_shares(shares)
    least, weights, unit = _lattice(distribution)
    rounds, span = played + banked, max(weights)
    size = _size(distribution, span, rounds)
    transform = np.fft.rfft(_spread(weights, size))
    power = _power(transform, played) * _power(transform.conj(), banked)
    # What lies below zero steps has wrapped round to the end.
    chances = np.roll(np.fft.irfft(power, size), span * banked)
    lowest = (played - banked) * least - unit * span * banked
    return _read(np.cumsum(chances), rounds, lowest, unit, shares, _error(size, rounds))


def _size(distribution: Mapping[Fraction, int], span: int, rounds: int) -> int:
    """Length of the transform: a power of two above all sums of so many rounds."""
    size = 1 << (span * rounds).bit_length()
    if size > LARGEST:
        text = f"{rounds:,} rounds; expected at most {longest_session(distribution):,}"
        raise ValueError(f"{text}: a larger session has too many different results")
    return size


def _spread(weights: Mapping[int, int], size: int) -> npt.NDArray[np.float64]:
    """The probabilities of one round, by steps."""
    one = np.zeros(size)
    total = sum(weights.values())
    if size > max(weights):
        for step, weight in weights.items():
            one[step] = weight / total
    return one


def _check_shares(shares: Sequence[Fraction]) -> None:
    if not all(0 < share < 1 for share in shares):
        raise ValueError("a share must lie between 0 and 1")


def _lattice(distribution: Mapping[Fraction, int]) -> tuple[Fraction, dict[int, int], Fraction]:
    """Least result, weights by the steps of a result above it, and how large a step is."""
    if any(weight < 0 for weight in distribution.values()):
        raise ValueError("a weight of a distribution is negative")
    possible = {value: weight for value, weight in distribution.items() if weight}
    if len(possible) < 2:
        raise ValueError("a session needs at least two different results of a round")
    least = min(possible)
    parts = lcm(*((value - least).denominator for value in possible))
    whole = {int((value - least) * parts): weight for value, weight in possible.items()}
    unit = gcd(*whole)
    return least, {step // unit: weight for step, weight in whole.items()}, Fraction(unit, parts)


def _power(base: _Powers, exponent: int) -> _Powers:
    """A whole power by repeated squaring: its rounding error grows with the exponent only."""
    result = np.ones_like(base)
    while exponent:
        if exponent & 1:
            result = result * base
        base = base * base
        exponent >>= 1
    return result


def _error(size: int, rounds: int) -> float:
    """Bound of the error of a sum of probabilities (16.3)."""
    return (8 * (rounds + 2) * size.bit_length() * sqrt(size) + size) * _ROUNDING


def _read(
    below: npt.NDArray[np.float64],
    rounds: int,
    least: Fraction,
    unit: Fraction,
    shares: Sequence[Fraction],
    error: float,
) -> Session:
    """Quantiles and the chance to be ahead."""
    # Rounding may make tiny steps down; a distribution function has none.
    rising = np.maximum.accumulate(below)

    def result(share: float) -> Fraction:
        place = int(np.searchsorted(rising, share))
        return least + unit * min(place, len(rising) - 1)

    quantiles = tuple(
        (result(float(share) - error), result(float(share) + error)) for share in shares
    )
    at_zero = -least / unit  # how many steps up a result of zero is
    place = at_zero.numerator // at_zero.denominator
    ahead = 1.0 if place < 0 else 1.0 - float(below[min(place, len(below) - 1)])
    return Session(rounds, quantiles, min(max(ahead, 0.0), 1.0), error)
