"""What the experiments that deal cards share: blocks of deals, and checks of their parameters."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, SupportsIndex, overload

from ricochet_casino.config import did_you_mean
from ricochet_casino.experiment import Shard, Tally

MOST_DEALS: Final = 10**13
MOST_SEED: Final = (1 << 64) - 1


class DealBlocks(Sequence[Shard]):
    """Deals 0 to ``deals - 1`` in blocks, made when asked for: there may be ten million.

    Parameters
    ----------
    deals
        Deals in all.
    size
        Deals of a block; the last one may be shorter.
    """

    def __init__(self, deals: int, size: int) -> None:
        self.deals = deals
        self.size = size

    def __len__(self) -> int:
        return len(range(0, self.deals, self.size))

    @overload
    def __getitem__(self, index: SupportsIndex) -> Shard: ...
    @overload
    def __getitem__(self, index: slice) -> list[Shard]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Shard | list[Shard]:
        """The shards at the given places: data are the first deal and how many."""
        firsts = range(0, self.deals, self.size)
        if isinstance(index, slice):
            return [self._shard(first) for first in firsts[index]]
        return self._shard(firsts[index])

    def __iter__(self) -> Iterator[Shard]:
        return map(self._shard, range(0, self.deals, self.size))

    def _shard(self, first: int) -> Shard:
        return Shard(str(first), [first, min(self.size, self.deals - first)])


def whole_number(name: str, value: object) -> int:
    """A whole number, and no truth value.

    Raises
    ------
    ValueError
        If it is something else.
    """
    if isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number, got {value}")
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{name} must be a whole number, got {value!r}") from None


def checked_sizes(deals: int, seed: int, what: str = "deals") -> tuple[int, int]:
    """Number of deals and seed, checked.

    Raises
    ------
    ValueError
        If one is no whole number or out of range.
    """
    number, checked_seed = whole_number(what, deals), whole_number("seed", seed)
    if not 1 <= number <= MOST_DEALS:
        raise ValueError(f"{what} must be 1 to {MOST_DEALS:,}, got {number:,}")
    if not 0 <= checked_seed <= MOST_SEED:
        raise ValueError(f"a seed must be 0 to 2^64 - 1, got {checked_seed}")
    return number, checked_seed


def checked_level(level: Fraction) -> Fraction:
    """Level of intervals, checked.

    Raises
    ------
    ValueError
        If it is out of range.
    """
    if not Fraction(1, 2) <= level < 1:
        raise ValueError(f"a level must be at least 1/2 and below 1, got {level}")
    return level


def check_whole(tally: Tally, deals: int) -> None:
    """Refuse a tally that does not hold all deals.

    Raises
    ------
    ValueError
        If some are missing.
    """
    played = tally.counts.get("rounds", 0)
    if played != deals:
        raise ValueError(f"the tally holds {played:,} of {deals:,} deals")


def check_names(parameters: Mapping[str, Any], expected: Sequence[str]) -> None:
    """Refuse parameters of a specification that are unknown or missing.

    Raises
    ------
    ValueError
        If there is one; the message gives the nearest name.
    """
    for name in parameters:
        if name not in expected:
            raise ValueError(f"unknown parameter {name}{did_you_mean(str(name), expected)}")
    for name in expected:
        if name not in parameters:
            raise ValueError(f"the parameter {name} is missing")
