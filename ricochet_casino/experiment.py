"""The contract that carries everything: an experiment is a list of shards; tallies add.

A shard is plain data. Running it is a pure function of the experiment's specification and the
shard, and gives a `Tally` of integers. Tallies add up in any grouping to the same total, and a
`Result` is read off the total. An experiment can be written down: `Experiment.spec` is JSON, and
``games.build(spec)`` makes the experiment again. At the end of this file stands what experiments
that deal cards share: blocks of deals, and checks of their parameters.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Literal, Protocol, SupportsIndex, overload, runtime_checkable

from ricochet_casino.config import did_you_mean, digest

Progress = Callable[[int, int], None]
"""Called with (steps done, steps in all) while work goes on, from the thread that asked for it."""

METHODS = ("exact", "sampled", "bounded")


@dataclass(frozen=True)
class Shard:
    """One piece of work.

    Attributes
    ----------
    key
        Its name, unique within the experiment.
    data
        What the experiment needs to run it; JSON values only.
    """

    key: str
    data: Any


@dataclass(frozen=True)
class Tally:
    """Integers that add, and notes of single shards that are kept side by side.

    Attributes
    ----------
    counts
        Named integers; a missing name counts as zero.
    notes
        Text by name, each name from one shard only.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    def __add__(self, other: "Tally") -> "Tally":
        """Sum of counts and union of notes.

        Raises
        ------
        ValueError
            If both sides hold a note of the same name.
        """
        repeated = self.notes.keys() & other.notes.keys()
        if repeated:
            raise ValueError(f"two tallies both hold the note {min(repeated)!r}")
        counts = dict(self.counts)
        for name, number in other.counts.items():
            counts[name] = counts.get(name, 0) + number
        return Tally(counts, {**self.notes, **other.notes})

    def to_json(self) -> dict[str, Any]:
        """The tally as JSON values."""
        return {"counts": dict(self.counts), "notes": dict(self.notes)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Tally":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is not a tally: names with whole numbers, names with texts.
        """
        counts, notes = value.get("counts"), value.get("notes")
        if not isinstance(counts, dict) or not isinstance(notes, dict) or len(value) != 2:
            raise ValueError("not a tally: expected counts and notes")
        if not all(type(number) is int for number in counts.values()):
            raise ValueError("not a tally: a count is not a whole number")
        if not all(type(text) is str for text in notes.values()):
            raise ValueError("not a tally: a note is not a text")
        return cls(counts, notes)

    def digest(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the tally's canonical JSON."""
        return digest(self.to_json())[:16]

    @staticmethod
    def total(tallies: Iterable["Tally"]) -> "Tally":
        """Sum of several tallies, in linear time."""
        counts: dict[str, int] = {}
        notes: dict[str, str] = {}
        for tally in tallies:
            for name, number in tally.counts.items():
                counts[name] = counts.get(name, 0) + number
            if notes.keys() & tally.notes.keys():
                raise ValueError("two tallies hold the same note")
            notes.update(tally.notes)
        return Tally(counts, notes)


@dataclass(frozen=True)
class Result:
    """What an experiment found.

    Attributes
    ----------
    method
        ``exact``, ``sampled`` or ``bounded``.
    entry
        JSON values only: counts, figures and tables, as they stand in a certificate.
    """

    method: str
    entry: dict[str, Any]

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"unknown method {self.method!r}: expected one of {METHODS}")


@runtime_checkable
class Experiment(Protocol):
    """What every experiment offers. See CONTRIBUTING.md for a new one, step by step.

    Attributes
    ----------
    block_shards
        How many consecutive shards make a block: the unit in which work is handed out, stored
        and tried again. Fixed for the experiment, whatever runs it.
    prefers
        Which kind of worker is faster: ``threads`` if shards spend their time in kernels that
        release the interpreter, else ``processes``.
    """

    block_shards: int
    prefers: Literal["threads", "processes"]

    def spec(self) -> dict[str, Any]:
        """Everything that is needed to make the experiment again, as JSON values."""
        ...

    def shards(self) -> Sequence[Shard]:
        """The work, in a fixed order; the sequence may be lazy and as long as 10^8."""
        ...

    def run(self, shard: Shard) -> Tally:
        """Do one piece of work; must not depend on anything but the specification and the shard."""
        ...

    def result(self, tally: Tally) -> Result:
        """Read the result off the sum of all tallies."""
        ...


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


def whole_between(name: str, value: object, least: int, most: int) -> int:
    """A whole number within limits.

    Raises
    ------
    ValueError
        If the value is no whole number or out of range.
    """
    number = whole_number(name, value)
    if not least <= number <= most:
        raise ValueError(f"{name} must be {least:,} to {most:,}, got {number:,}")
    return number


def checked_sizes(deals: int, seed: int, what: str = "deals") -> tuple[int, int]:
    """Number of deals and seed, checked.

    Raises
    ------
    ValueError
        If one is no whole number or out of range.
    """
    return whole_between(what, deals, 1, MOST_DEALS), checked_seed(seed)


def checked_seed(seed: int) -> int:
    """A seed, checked.

    Raises
    ------
    ValueError
        If it is no whole number or out of range.
    """
    found = whole_number("seed", seed)
    if not 0 <= found <= MOST_SEED:
        raise ValueError(f"a seed must be 0 to 2^64 - 1, got {found}")
    return found


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


def check_whole(
    tally: Tally, number: int, count: str = "rounds", *, what: str | None = None
) -> None:
    """Refuse a tally that does not hold all that was to be played.

    Parameters
    ----------
    tally
        The tally.
    number
        How many were to be played.
    count
        Name of the count that says how many were.
    what
        What they are called in the error; `count` without it.

    Raises
    ------
    ValueError
        If some are missing.
    """
    played = tally.counts.get(count, 0)
    if played != number:
        raise ValueError(f"the tally holds {played:,} of {number:,} {what or count}")


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
