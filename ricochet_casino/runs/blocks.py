"""The blocks of an experiment: runs of consecutive shards, the unit of all bookkeeping."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ricochet_casino.config import digest
from ricochet_casino.experiment import Experiment, Tally
from ricochet_casino.runs.layout import Maker


class Blocks:
    """An experiment cut into blocks of `block_shards` consecutive shards; the last may be shorter.

    Parameters
    ----------
    experiment
        The experiment; its shards are looked up by index, never listed.

    Raises
    ------
    ValueError
        If ``block_shards`` is not positive.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.shards = experiment.shards()
        self.size = experiment.block_shards
        if self.size < 1:
            raise ValueError(f"block_shards must be at least 1, got {self.size}")

    def __len__(self) -> int:
        return (len(self.shards) + self.size - 1) // self.size

    @cached_property
    def identity(self) -> "Identity":
        """What two processes must agree on before one may compute blocks for the other."""
        return Identity(digest(self.experiment.spec()), len(self.shards), self.size)

    def announcement(self) -> dict[str, Any]:
        """What a worker process must have in common with the one that started it, as JSON."""
        maker = Maker.current()
        return {**self.identity.to_json(), "version": maker.version, "source": maker.source}

    def span(self, number: int) -> range:
        """Indices of the shards of a block."""
        first = number * self.size
        return range(first, min(first + self.size, len(self.shards)))

    def compute(self, number: int) -> Tally:
        """Sum of the tallies of a block's shards.

        Raises
        ------
        ValueError
            If a shard's tally holds anything but whole numbers and texts.
        """
        run, shards = self.experiment.run, self.shards
        total = Tally.total(run(shards[index]) for index in self.span(number))
        return Tally.from_json(total.to_json())

    def name(self, number: int) -> str:
        """A block in words: ``block 12 (shards 156 to 168, the first 'AKs')``."""
        span = self.span(number)
        key = self.shards[span.start].key
        if len(span) == 1:
            return f"block {number} (shard {key!r})"
        return f"block {number} (shards {span.start} to {span.stop - 1}, the first {key!r})"


@dataclass(frozen=True)
class Identity:
    """An experiment and its partition, without the experiment.

    Attributes
    ----------
    spec
        Digest of the specification.
    shards
        Number of shards.
    block_shards
        Shards per block.
    """

    spec: str
    shards: int
    block_shards: int

    def to_json(self) -> dict[str, Any]:
        """The identity as JSON values."""
        return {"spec": self.spec, "shards": self.shards, "block_shards": self.block_shards}
