"""Compute blocks one after another, in threads, in processes, or on a Dask cluster."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TYPE_CHECKING, Literal

from ricochet_casino.config import did_you_mean
from ricochet_casino.experiment import Experiment, Tally
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.errors import RunError, StoreError, times
from ricochet_casino.runs.processes import Processes, StoppedError, Task

if TYPE_CHECKING:
    from ricochet_casino.runs.dask_executor import Cluster

Executor = Literal["auto", "serial", "threads", "processes", "dask"]
EXECUTORS: tuple[Executor, ...] = ("auto", "serial", "threads", "processes", "dask")
MAX_WORKERS = 256
BUILDER = "ricochet_casino.games:build"
TRIES = 3

Keep = Callable[[int, Tally], None]
Compute = Callable[[int], Tally]

_LOOK = 0.5  # seconds; on Windows, Ctrl-C is not noticed while waiting without an end


class Workers:
    """How many workers there are; as a context manager, worker processes stay for several runs.

    For one run at a time.

    Examples
    --------
    ::

        with Workers(2) as workers:
            for experiment in experiments:
                run(experiment, workers=workers)

    Parameters
    ----------
    count
        1 to 256.
    scheduler
        Address of the Dask scheduler that the executor ``dask`` is to use; without one it starts
        `count` workers of its own, and a script needs ``if __name__ == "__main__":``, for Dask's
        processes read it again.

    Raises
    ------
    ValueError
        If the count is out of range.
    """

    def __init__(self, count: int, *, scheduler: str | None = None) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_WORKERS:
            raise ValueError(f"workers must be 1 to {MAX_WORKERS}, got {count!r}")
        self.count = count
        self.scheduler = scheduler
        self.processes = Processes()
        self._cluster: Cluster | None = None

    def cluster(self, tries: int = TRIES) -> "Cluster":
        """The Dask cluster; it is not connected to before blocks are to be computed.

        Raises
        ------
        ValueError
            If Dask is not installed, or the address is none.
        """
        if self._cluster is None:
            from ricochet_casino.runs.dask_executor import Cluster

            self._cluster = Cluster(self.count, self.scheduler, tries=tries)
        return self._cluster

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that wait for work; new ones are started when they are needed."""
        self.processes.close()
        if self._cluster is not None:
            self._cluster.close()


def choose(
    executor: Executor, experiment: Experiment, count: int
) -> Literal["serial", "threads", "processes", "dask"]:
    """The kind of worker to use.

    Parameters
    ----------
    executor
        ``auto`` is what the experiment prefers, and ``serial`` for one worker.
    experiment
        The experiment.
    count
        Number of workers.

    Raises
    ------
    ValueError
        If there is no such kind, or several workers are to be serial.
    """
    if executor not in EXECUTORS:
        hint = did_you_mean(str(executor), EXECUTORS)
        raise ValueError(f"executor must be one of {', '.join(EXECUTORS)}, got {executor!r}{hint}")
    if executor == "auto":
        return "serial" if count == 1 else experiment.prefers
    if executor == "serial" and count > 1:
        raise ValueError(f"the serial executor has one worker, got {count}")
    return executor


def compute_all(
    blocks: Blocks,
    numbers: Iterable[int],
    keep: Keep,
    save: Keep,
    *,
    workers: Workers,
    executor: Executor = "auto",
    tries: int = TRIES,
    builder: str = BUILDER,
) -> None:
    """Compute blocks, in any order, and hand each over once, from the calling thread.

    Parameters
    ----------
    blocks
        The experiment.
    numbers
        Which blocks; read as workers become free, a few ahead.
    keep
        Called with every finished block.
    save
        Called instead, when the run ends early, with blocks that were finished by then.
    workers, executor
        Who computes.
    tries
        How often a block is tried.
    builder
        ``module:function`` that makes the experiment in another process.

    Raises
    ------
    RunError
        If a block failed every time; the cause is the last failure.
    """
    if tries < 1:
        raise ValueError(f"tries must be at least 1, got {tries}")
    kind = choose(executor, blocks.experiment, workers.count)
    if kind == "serial":
        for number in numbers:
            keep(number, _attempts(blocks, blocks.compute, number, tries))
        return
    if kind == "dask":
        from ricochet_casino.runs.dask_executor import compute_on_cluster

        try:
            cluster = workers.cluster(tries)
            compute_on_cluster(
                blocks, numbers, keep, save, cluster=cluster, tries=tries, builder=builder
            )
        except BaseException:
            workers.close()
            raise
        return
    stopped = threading.Event()
    if kind == "threads":
        compute: Compute = blocks.compute
        stop: Callable[[], None] = stopped.set
    else:
        processes, task = workers.processes, Task(blocks, builder)

        def compute(number: int) -> Tally:
            return processes.compute(task, number)

        def stop() -> None:
            stopped.set()
            processes.stop()

    def attempts(number: int) -> Tally:
        return _attempts(blocks, compute, number, tries, stopped)

    try:
        _pooled(attempts, numbers, keep, save, stop, workers.count)
    except BaseException:
        workers.close()
        raise


def _attempts(
    blocks: Blocks,
    compute: Compute,
    number: int,
    tries: int,
    stopped: threading.Event | None = None,
) -> Tally:
    """Compute a block, again if that fails, at most so many times."""
    failure: Exception | None = None
    for _ in range(tries):
        if stopped is not None and stopped.is_set():
            raise StoppedError
        try:
            return compute(number)
        except (RunError, StoppedError):
            raise
        except Exception as error:
            failure = error
    raise RunError(_told(blocks, number, tries, failure)) from failure


def _told(blocks: Blocks, number: int, tries: int, failure: Exception | None) -> str:
    text = str(failure)
    if type(failure).__module__ != Processes.__module__:  # those texts are complete
        text = f"{type(failure).__name__}: {failure}"
    return f"{blocks.name(number)} failed {times(tries)}; the last time: {text}"


def _pooled(
    compute: Compute,
    numbers: Iterable[int],
    keep: Keep,
    save: Keep,
    stop: Callable[[], None],
    count: int,
) -> None:
    """Keep every worker busy with one block, and one more ready for it."""
    waiting = iter(numbers)
    running: dict[Future[Tally], int] = {}
    pool = ThreadPoolExecutor(count, "worker", initializer=_leave_signals_alone)
    try:
        while True:
            for number in islice(waiting, 2 * count - len(running)):
                running[pool.submit(compute, number)] = number
            if not running:
                break
            finished, _ = wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED)
            for future in sorted(finished, key=running.__getitem__):
                keep(running[future], future.result())
                del running[future]
    except BaseException:  # an error, or Ctrl-C: what has not begun will not
        stop()
        raise
    finally:
        pool.shutdown(wait=True)
        for future, number in running.items():
            if future.exception() is None:
                with contextlib.suppress(StoreError):  # the first error is the one to report
                    save(number, future.result())


def _leave_signals_alone() -> None:
    """Block Ctrl-C in this thread and thereby in the processes it starts, from their birth."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
