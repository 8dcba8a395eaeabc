"""Run an experiment on this machine, with one or more threads."""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice

from ricochet_casino.experiment import Experiment, Progress, Result, Shard, Tally

MAX_WORKERS = 256


def run(experiment: Experiment, *, workers: int = 1, progress: Progress | None = None) -> Result:
    """Run all shards and read off the result.

    The result does not depend on ``workers``: tallies are integers, summed in shard order.

    Parameters
    ----------
    experiment
        What to run.
    workers
        Number of threads, 1 to 256. Shards spend their time in numpy and in compiled kernels,
        which let other threads run.
    progress
        Called after every shard.

    Raises
    ------
    ValueError
        If ``workers`` is out of range.
    """
    if not 1 <= workers <= MAX_WORKERS:
        raise ValueError(f"workers must be 1 to {MAX_WORKERS}, got {workers}")
    shards = experiment.shards()
    tallies = (
        _serial(experiment, shards, progress)
        if workers == 1
        else _threaded(experiment, shards, workers, progress)
    )
    return experiment.result(Tally.total(tallies))


def _serial(
    experiment: Experiment, shards: Sequence[Shard], progress: Progress | None
) -> Iterator[Tally]:
    for done, shard in enumerate(shards, start=1):
        yield experiment.run(shard)
        if progress:
            progress(done, len(shards))


def _threaded(
    experiment: Experiment, shards: Sequence[Shard], workers: int, progress: Progress | None
) -> list[Tally]:
    """Hand out shards as workers become free; the first error or Ctrl-C stops the rest."""
    tallies: list[Tally | None] = [None] * len(shards)
    waiting = iter(enumerate(shards))
    done = 0
    with ThreadPoolExecutor(workers) as pool:
        running: dict[Future[Tally], int] = {}
        while True:
            for index, shard in islice(waiting, 2 * workers - len(running)):
                running[pool.submit(experiment.run, shard)] = index
            if not running:
                break
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                tallies[running.pop(future)] = future.result()
                done += 1
                if progress:
                    progress(done, len(shards))
    return [tally for tally in tallies if tally is not None]
