"""Run an experiment: take the finished blocks from a store, compute the others, add up."""

from array import array
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from ricochet_casino.experiment import Experiment, Progress, Result, Tally
from ricochet_casino.runs.block_store import ExperimentStore
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.errors import StoreError
from ricochet_casino.runs.executors import BUILDER, TRIES, Executor, Workers, choose, compute_all


@dataclass(frozen=True)
class BlockRun:
    """What came out of a run, block by block.

    Attributes
    ----------
    total
        Sum of all tallies.
    digests
        `Tally.digest` of every block, by block number.
    found
        How many blocks were taken from the store.
    """

    total: Tally
    digests: tuple[str, ...]
    found: int


def run(
    experiment: Experiment,
    *,
    workers: int | Workers = 1,
    executor: Executor = "auto",
    store: ExperimentStore | None = None,
    progress: Progress | None = None,
    tries: int = TRIES,
    builder: str = BUILDER,
) -> Result:
    """Run all shards and read off the result.

    The result does not depend on the workers, on the order in which they finish, or on what was
    taken from a store: tallies are integers, and are added as if in the order of the blocks.

    Parameters
    ----------
    experiment
        What to run.
    workers
        How many, 1 to 256, or `Workers` that stay for several runs.
    executor
        ``threads`` of this process or other ``processes``; ``auto`` is what the experiment
        prefers, and ``serial``, with nothing beside this thread, for one worker.
    store
        Where finished blocks are kept, and taken from; see `Store.experiment`.
    progress
        Called with the number of finished blocks, beginning with those of the store, and of all.
    tries
        How often a block is tried before the run fails.
    builder
        ``module:function`` that makes the experiment from its specification in another process.

    Raises
    ------
    ValueError
        If an argument is out of range.
    RunError
        If a block failed every time, or worker processes cannot make the experiment.
    StoreError
        If the store is of another experiment, or cannot be read or written.
    """
    gathered = _Gathering(Blocks(experiment), store, progress, with_digests=False)
    _gather(gathered, workers, executor, tries, builder)
    return experiment.result(gathered.total())


def run_blocks(
    experiment: Experiment,
    *,
    workers: int | Workers = 1,
    executor: Executor = "auto",
    store: ExperimentStore | None = None,
    progress: Progress | None = None,
    tries: int = TRIES,
    builder: str = BUILDER,
) -> BlockRun:
    """As `run`, but give the total and the digests of all blocks."""
    gathered = _Gathering(Blocks(experiment), store, progress, with_digests=True)
    _gather(gathered, workers, executor, tries, builder)
    return BlockRun(gathered.total(), tuple(gathered.digests), gathered.found)


def fill(
    experiment: Experiment,
    numbers: Iterable[int],
    store: ExperimentStore,
    *,
    workers: int | Workers = 1,
    executor: Executor = "auto",
    progress: Progress | None = None,
    tries: int = TRIES,
    builder: str = BUILDER,
) -> int:
    """Compute some blocks only, into a store; those that it has already are left as they are.

    Parameters
    ----------
    numbers
        Which blocks.
    experiment, store, workers, executor, progress, tries, builder
        As for `run`; progress counts the blocks asked for.

    Returns
    -------
    int
        How many were computed.

    Raises
    ------
    ValueError
        If a number is not one of a block.
    RunError, StoreError
        As `run`.
    """
    blocks = Blocks(experiment)
    wanted = _checked(numbers, blocks)
    missing = [number for number in wanted if store.get(number) is None]
    done = len(wanted) - len(missing)
    if progress and done:
        progress(done, len(wanted))

    def keep(number: int, tally: Tally) -> None:
        nonlocal done
        store.put(number, tally)
        done += 1
        if progress:
            progress(done, len(wanted))

    with _crew(workers) as crew:
        compute_all(
            blocks,
            missing,
            keep,
            store.put,
            workers=crew,
            executor=executor,
            tries=tries,
            builder=builder,
        )
    return len(missing)


def _checked(numbers: Iterable[int], blocks: Blocks) -> list[int]:
    """Numbers of blocks, rising, each one once."""
    wanted = sorted(set(numbers))
    if wanted and not 0 <= wanted[0] <= wanted[-1] < len(blocks):
        raise ValueError(f"blocks must be 0 to {len(blocks) - 1}, got {wanted[0]} to {wanted[-1]}")
    return wanted


def recompute(
    experiment: Experiment,
    numbers: Iterable[int],
    *,
    workers: int | Workers = 1,
    executor: Executor = "auto",
    progress: Progress | None = None,
    tries: int = TRIES,
    builder: str = BUILDER,
) -> dict[int, Tally]:
    """Compute some blocks only, such as a sample to verify.

    Parameters
    ----------
    numbers
        Which blocks.
    experiment, workers, executor, progress, tries, builder
        As for `run`; progress counts the blocks asked for.

    Returns
    -------
    dict
        Tally by block number, in rising order.

    Raises
    ------
    ValueError
        If a number is not one of a block.
    """
    blocks = Blocks(experiment)
    wanted = _checked(numbers, blocks)
    found: dict[int, Tally] = {}

    def keep(number: int, tally: Tally) -> None:
        found[number] = tally
        if progress:
            progress(len(found), len(wanted))

    with _crew(workers) as crew:
        compute_all(
            blocks,
            wanted,
            keep,
            _discard,
            workers=crew,
            executor=executor,
            tries=tries,
            builder=builder,
        )
    return {number: found[number] for number in wanted}


def _discard(_number: int, _tally: Tally) -> None:
    """Drop what cannot be kept."""


class _Gathering:
    """What is known of a run while it goes on."""

    def __init__(
        self,
        blocks: Blocks,
        store: ExperimentStore | None,
        progress: Progress | None,
        *,
        with_digests: bool,
    ) -> None:
        if store is not None and store.blocks.identity != blocks.identity:
            raise StoreError(f"{store.folder} is the store of another experiment")
        self.blocks = blocks
        self.store = store
        self.progress = progress
        self.digests: list[str] = [""] * len(blocks) if with_digests else []
        self.with_digests = with_digests
        self.sum = _Sum()
        self.done = 0
        self.found = 0

    def total(self) -> Tally:
        return self.sum.total()

    def from_store(self) -> "array[int]":
        """Take up what the store has; the numbers of those blocks, rising."""
        found = array("Q")
        if self.store is None:
            return found
        for number in self.store.numbers():
            tally = self.store.get(number)
            if tally is not None:
                found.append(number)
                self._add(number, tally)
        self.found = len(found)
        return found

    def save(self, number: int, tally: Tally) -> None:
        if self.store is not None:
            self.store.put(number, tally)

    def keep(self, number: int, tally: Tally) -> None:
        self.save(number, tally)
        self._add(number, tally)

    def _add(self, number: int, tally: Tally) -> None:
        self.sum.add(number, tally)
        if self.with_digests:
            self.digests[number] = tally.digest()
        self.done += 1
        if self.progress:
            self.progress(self.done, len(self.blocks))


class _Sum:
    """A sum of tallies that does not depend on the order of adding, not even in its own order.

    Names stand in the order in which adding block by block would have met them first.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._notes: dict[str, str] = {}
        self._first: dict[str, tuple[int, int]] = {}
        self._place: dict[str, tuple[int, int]] = {}

    def add(self, block: int, tally: Tally) -> None:
        counts, first = self._counts, self._first
        for place, (name, number) in enumerate(tally.counts.items()):
            counts[name] = counts.get(name, 0) + number
            if name not in first or first[name] > (block, place):
                first[name] = (block, place)
        for place, (name, text) in enumerate(tally.notes.items()):
            if name in self._notes:
                raise ValueError(f"two blocks both hold the note {name!r}")
            self._notes[name] = text
            self._place[name] = (block, place)

    def total(self) -> Tally:
        return Tally(
            {name: self._counts[name] for name in sorted(self._first, key=self._first.__getitem__)},
            {name: self._notes[name] for name in sorted(self._place, key=self._place.__getitem__)},
        )


def _gather(
    gathered: _Gathering, workers: int | Workers, executor: Executor, tries: int, builder: str
) -> None:
    blocks = gathered.blocks
    with _crew(workers) as crew:
        choose(executor, blocks.experiment, crew.count)  # refuses before the store is read
        compute_all(
            blocks,
            _missing(len(blocks), gathered.from_store()),
            gathered.keep,
            gathered.save,
            workers=crew,
            executor=executor,
            tries=tries,
            builder=builder,
        )


def _crew(workers: int | Workers) -> AbstractContextManager[Workers]:
    """The workers given, which stay, or some for this run only."""
    return nullcontext(workers) if isinstance(workers, Workers) else Workers(workers)


def _missing(count: int, found: Iterable[int]) -> Iterator[int]:
    """Numbers below a count that are not among others, which rise."""
    start = 0
    for number in found:
        yield from range(start, number)
        start = number + 1
    yield from range(start, count)
