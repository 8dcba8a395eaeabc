"""Running experiments for a certificate: workers, store and progress in one place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ricochet_casino.experiment import Experiment, Progress
from ricochet_casino.runs import Executor, Store, Workers, fill, run_blocks

Stage = Callable[[str], Progress]
"""Called with the name of a stage when it begins; returns the stage's progress callback."""


def silent(_name: str) -> Progress:
    """Report no progress."""
    return lambda _done, _total: None


@dataclass(frozen=True)
class Runner:
    """How experiments are run; the results do not depend on it.

    Attributes
    ----------
    workers
        How many, or `Workers` that stay for several experiments.
    executor
        ``auto``, ``serial``, ``threads``, ``processes`` or ``dask``.
    stage
        Told what begins, for progress bars.
    store
        Where finished blocks are kept, or None.
    """

    workers: int | Workers = 1
    executor: Executor = "auto"
    stage: Stage = field(default=silent)
    store: Store | None = None

    @property
    def count(self) -> int:
        """Number of workers."""
        return self.workers.count if isinstance(self.workers, Workers) else self.workers

    def run(self, experiment: Experiment, label: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run one experiment.

        Returns
        -------
        entry, blocks
            The result's entry, and the record of the blocks for a certificate
            (see `block_record`).
        """
        kept = self.store.experiment(experiment) if self.store else None
        done = run_blocks(
            experiment,
            workers=self.workers,
            executor=self.executor,
            store=kept,
            progress=self.stage(label),
        )
        entry = experiment.result(done.total).entry
        return entry, block_record(experiment, done.digests)

    def fill(self, experiment: Experiment, label: str, numbers: Sequence[int]) -> None:
        """Compute some blocks of an experiment into the store.

        Raises
        ------
        ValueError
            If there is no store.
        """
        if self.store is None:
            raise ValueError("a part of a run needs a store")
        fill(
            experiment,
            numbers,
            self.store.experiment(experiment),
            workers=self.workers,
            executor=self.executor,
            progress=self.stage(label),
        )


def block_record(experiment: Experiment, digests: Sequence[str]) -> dict[str, Any]:
    """What a certificate says of the blocks of an experiment, so that any can be checked alone."""
    return {
        "experiment": experiment.spec()["experiment"],
        "shards_per_block": experiment.block_shards,
        "tally_digests": list(digests),
    }
