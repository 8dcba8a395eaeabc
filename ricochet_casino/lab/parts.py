"""Parts of a run: a range of the blocks of every experiment, to be merged with the others.

A pilot decides what follows it, so every part runs all pilots in full; of every other experiment it
computes the blocks of its range. Merging needs nothing but the stored blocks.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from ricochet_casino.experiment import Experiment, Tally
from ricochet_casino.lab.running import Runner, block_record
from ricochet_casino.runs import Blocks, StoredRun, StoreError

_PART = re.compile(r"([1-9][0-9]{0,3})\s*/\s*([1-9][0-9]{0,3})")


@dataclass(frozen=True, order=True)
class Part:
    """A range of blocks, as shares of all: a block belongs to exactly one of disjoint ranges.

    Attributes
    ----------
    first, last
        From 0 to 1; of n blocks the numbers from ``floor(first n)`` to below ``floor(last n)``.
    """

    first: Fraction = Fraction(0)
    last: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.last <= 1:
            raise ValueError(f"a part goes from 0 to 1, got {self.first} to {self.last}")

    @classmethod
    def parse(cls, text: str) -> "Part":
        """Read ``2/3``, the second of three parts; ``all``.

        Raises
        ------
        ValueError
            If the text is something else.
        """
        if text.strip() == "all":
            return cls()
        found = _PART.fullmatch(text.strip())
        if not found or int(found[1]) > int(found[2]):
            raise ValueError(f"{text[:40]!r} is no part; expected all, or one such as 1/2 and 2/2")
        number, parts = int(found[1]), int(found[2])
        return cls(Fraction(number - 1, parts), Fraction(number, parts))

    @property
    def whole(self) -> bool:
        """Whether this is everything."""
        return self.last - self.first == 1

    def numbers(self, blocks: int) -> range:
        """Numbers of the blocks in this part, of so many."""
        return range(int(self.first * blocks), int(self.last * blocks))

    def overlaps(self, other: "Part") -> bool:
        """Whether a block can belong to both."""
        return max(self.first, other.first) < min(self.last, other.last)

    def __str__(self) -> str:
        """``2/3``, or ``1/6 to 1/2`` where it is no such part."""
        size = self.last - self.first
        if self.whole:
            return "all"
        if size.numerator == 1 and (self.last / size).denominator == 1:
            return f"{self.last / size}/{size.denominator}"
        return f"{self.first} to {self.last}"


def joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Disjoint parts in order, those that follow each other made one.

    Raises
    ------
    ValueError
        If two of them overlap.
    """
    found: list[Part] = []
    for part in sorted(parts):
        if found and found[-1].overlaps(part):
            raise ValueError(
                f"the block ranges {found[-1]} and {part} overlap: the same random stream would "
                "count twice"
            )
        if found and found[-1].last == part.first:
            found[-1] = Part(found[-1].first, part.last)
        else:
            found.append(part)
    return tuple(found)


class Splittable(Protocol):
    """An entry of a certificate, as far as parts are concerned."""

    def prepare(self, runner: Runner) -> dict[str, Any]:
        """Run what decides what follows."""
        ...

    def blocks(self, recorded: Any) -> Iterable[tuple[str, Experiment]]:
        """All experiments, with the place of their blocks."""
        ...


def is_pilot(path: str) -> bool:
    """Whether the blocks at this place of an entry are those of a pilot."""
    return path.endswith("pilot.blocks")


def compute_part(entries: Iterable[Splittable], runner: Runner, parts: Sequence[Part]) -> None:
    """Run the pilots of entries, and of all other experiments the blocks of some parts.

    Raises
    ------
    ValueError
        If the runner has no store.
    RunError, StoreError
        As `runs.fill`.
    """
    for entry in entries:
        for path, experiment in entry.blocks(entry.prepare(runner)):
            if not is_pilot(path):
                compute_blocks(experiment, path, runner, parts)


def compute_blocks(
    experiment: Experiment, label: str, runner: Runner, parts: Sequence[Part]
) -> None:
    """Compute the blocks of some parts of one experiment into the store."""
    count = len(Blocks(experiment))
    numbers = [number for part in parts for number in part.numbers(count)]
    name = f"{experiment.spec()['experiment']}, {label}: {len(numbers)} of {count} blocks"
    runner.fill(experiment, name, numbers)


class MissingBlocksError(StoreError):
    """Stores that do not hold all blocks of an experiment."""


@dataclass(frozen=True)
class StoredRunner(Runner):
    """Computes nothing: takes every tally from stores and adds up.

    Attributes
    ----------
    sources
        The stores.
    """

    sources: tuple[StoredRun, ...] = ()

    def run(self, experiment: Experiment, label: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The result from the stored tallies; see `Runner.run`.

        Raises
        ------
        MissingBlocksError
            If a block is in none of the stores.
        StoreError
            If one is damaged, or two stores disagree about it.
        """
        tallies = self.tallies(experiment, label, range(len(Blocks(experiment))))
        entry = experiment.result(Tally.total(tallies)).entry
        return entry, block_record(experiment, [tally.digest() for tally in tallies])

    def fill(self, experiment: Experiment, label: str, numbers: Sequence[int]) -> None:
        """Copy some blocks of an experiment into the store."""
        self.tallies(experiment, label, numbers)

    def tallies(self, experiment: Experiment, label: str, numbers: Sequence[int]) -> list[Tally]:
        """Tallies of an experiment in the order asked for, copied into `store` if there is one.

        Raises
        ------
        MissingBlocksError, StoreError
            As `run`.
        """
        places = [source.experiment(experiment) for source in self.sources]
        kept = self.store.experiment(experiment) if self.store else None
        progress = self.stage(f"{label}: from the store")
        found: list[Tally] = []
        missing = 0
        for number in numbers:
            there = [tally for place in places if (tally := place.get(number)) is not None]
            if not there:
                missing += 1
                continue
            if any(tally != there[0] for tally in there):
                raise StoreError(f"{label}: the stores disagree about block {number}")
            if kept is not None:
                kept.put(number, there[0])
            found.append(there[0])
            progress(len(found), len(numbers))
        if missing:
            raise MissingBlocksError(
                f"{label}: {missing:,} of {len(numbers):,} blocks are missing in the store"
            )
        return found
