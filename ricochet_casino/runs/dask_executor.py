"""Compute blocks on a Dask cluster: worker processes of this machine, or of others.

Results do not depend on it: blocks are fixed by the experiment, and what comes back is added as if
in their order. Workers may join, leave and die while a run goes on. Needs the extra ``cluster``.
"""

import json
import logging
import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from ricochet_casino.experiment import Tally
from ricochet_casino.runs import dask_worker
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.errors import ClusterError, RunError, StoreError, times
from ricochet_casino.runs.processes import ShardError, Task, remote_traceback

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer."""
IDLE_SECONDS = 300.0
"""How long a run waits without a single worker: those of a job queue may come late."""
_LOOK = 0.5  # seconds between looks at the state of the cluster, at least
_COUNT = 2.0  # seconds between counts of the workers
_AHEAD = 8  # blocks for each thread of a worker that are under way

_LOUD = ("distributed", "tornado")
"""Packages whose loggers have levels and handlers of their own."""

_ADDRESS = re.compile(
    r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:[^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})/?"
)

Keep = Callable[[int, Tally], None]


def check_address(address: str) -> None:
    """Refuse what cannot be the address of a scheduler.

    Raises
    ------
    ValueError
        If it has no host and port.
    """
    found = _ADDRESS.fullmatch(address)
    if not found or not 1 <= int(found[1]) <= 65535:
        raise ValueError(
            f"{address!r} is no address of a scheduler; expected one such as tcp://10.0.0.5:8786"
        )


class Cluster:
    """A connection to a Dask cluster, made when it is first needed; one for several runs.

    Parameters
    ----------
    workers
        How many processes to start on this machine, if there is no address.
    address
        Of a scheduler that runs, or None for a cluster of one's own.
    tries
        How often a block is tried; of these, deaths of workers on a foreign scheduler are counted
        as that scheduler is set up (``distributed.scheduler.allowed-failures``).
    idle
        Seconds to wait without any worker before the run is given up.

    Raises
    ------
    ValueError
        If Dask is not installed, or the address is none.
    """

    def __init__(
        self, workers: int, address: str | None = None, *, tries: int, idle: float = IDLE_SECONDS
    ) -> None:
        if address is not None:
            check_address(address)
        try:
            import distributed  # noqa: F401
        except ImportError:
            raise ValueError(
                "the executor dask needs the packages dask and distributed; install them with "
                "pip install 'ricochet-casino[cluster]'"
            ) from None
        self.workers, self.address, self.tries, self.idle = workers, address, tries, idle
        self._local: Any = None
        self._client: Any = None

    def client(self) -> Any:
        """The connection.

        Raises
        ------
        ValueError
            If the scheduler does not answer within `CONNECT_SECONDS`.
        """
        if self._client is None:
            from distributed import Client

            _silence()
            if self.address is None:
                self._local = _own_cluster(self.workers, self.tries)
            target = self.address or self._local.scheduler_address
            try:
                self._client = Client(target, timeout=CONNECT_SECONDS, set_as_default=False)
            except (OSError, TimeoutError) as error:
                self.close()
                raise ValueError(
                    f"the scheduler {target} does not answer within {CONNECT_SECONDS:.0f} seconds; "
                    "is it running, and can it be reached from here?"
                ) from error
        return self._client

    @property
    def connected(self) -> bool:
        """Whether the scheduler was there a moment ago."""
        return self._client is not None and self._client.status == "running"

    def threads(self) -> int:
        """How many blocks the workers can compute at once; 0 if there are no workers.

        Raises
        ------
        ClusterError
            If the scheduler cannot be asked.
        """
        try:
            return sum(self._client.nthreads().values())
        except (OSError, TimeoutError, AttributeError, _cancelled()) as error:
            raise self.gone() from error

    def gone(self) -> ClusterError:
        """The error for a scheduler that is not there any more."""
        where = self.address or "of this run"
        return ClusterError(
            f"the connection to the Dask scheduler {where} was lost; finished blocks are kept in "
            "the store, if there is one, and --resume goes on from there"
        )

    def close(self) -> None:
        """End the connection, and the cluster if it is our own; a later use makes new ones."""
        client, self._client = self._client, None
        local, self._local = self._local, None
        for part in (client, local):
            if part is not None:
                with suppress(OSError, TimeoutError, RuntimeError, _cancelled()):
                    part.close(timeout=5)


def _silence() -> None:
    """Keep what Dask says from the screen: all that matters is told by our errors."""
    for name in (*_LOUD, *logging.root.manager.loggerDict):
        if name.split(".")[0] in _LOUD:
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _cancelled() -> type[BaseException]:
    """Dask's error for work that went away with its scheduler."""
    from distributed.client import CancelledError

    kind: type[BaseException] = CancelledError
    return kind


def _lost_answers() -> tuple[type[BaseException], ...]:
    """Dask's errors for answers that cannot be fetched."""
    from distributed.scheduler import KilledWorker

    killed: type[BaseException] = KilledWorker
    return OSError, TimeoutError, _cancelled(), killed


def _own_cluster(workers: int, tries: int) -> Any:
    from dask import config
    from distributed import LocalCluster

    # Dask has its workers give memory back at once (MALLOC_TRIM_THRESHOLD_), which makes blocks
    # that use arrays of some hundred kilobytes take twice as long.
    with config.set({"distributed.nanny.pre-spawn-environ": {}}):
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            protocol="tcp",
            dashboard_address="127.0.0.1:0",  # its own port, so that several clusters get on
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            scheduler_kwargs={"allowed_failures": tries - 1},
        )


class _Try(NamedTuple):
    """A block under way."""

    number: int
    attempt: int
    alone: bool = False
    """Whether nothing else is under way, so that a worker's death is its doing."""


@dataclass
class _Work:
    """Blocks under way on a cluster."""

    blocks: Blocks
    cluster: Cluster
    task: Task
    tries: int
    finished: "SimpleQueue[Any]" = field(default_factory=SimpleQueue)
    running: dict[Any, _Try] = field(default_factory=dict)
    suspects: list[_Try] = field(default_factory=list)

    def __post_init__(self) -> None:
        message = {**self.task.message, "expected": self.task.expected}
        self.packed = dask_worker.pack(message)
        # A scheduler may remember results of earlier runs by their names.
        self.name = f"ricochet_{secrets.token_hex(6)}"
        self.client = self.cluster.client()
        self.threads = 0
        self.counted = -1e9
        self.seen = time.monotonic()

    def submit(self, numbers: Sequence[int], attempt: int, *, alone: bool = False) -> None:
        if not numbers:
            return
        how = "-alone" if alone else ""
        futures = self.client.map(  # several at once: that is most of what a short block costs
            dask_worker.compute,
            [self.packed] * len(numbers),
            numbers,
            key=[f"{self.name}-{number}-{attempt}{how}" for number in numbers],
            pure=False,
        )
        for future, number in zip(futures, numbers, strict=True):
            self.running[future] = _Try(number, attempt, alone)
            future.add_done_callback(self.finished.put)

    def question(self) -> None:
        """Have the next suspect computed with nothing else under way: a death then is its own."""
        if self.suspects and not self.running:
            suspect = min(self.suspects)
            self.suspects.remove(suspect)
            self.submit([suspect.number], suspect.attempt, alone=True)

    def room(self) -> int:
        """How many more blocks are to be sent: none until half of those under way are done."""
        if self.suspects or any(one.alone for one in self.running.values()):
            return 0
        now = time.monotonic()
        if now - self.counted > _COUNT:
            self.threads, self.counted = self.cluster.threads(), now
        if self.threads:
            self.seen = now
        elif now - self.seen > self.cluster.idle:
            raise ClusterError(
                f"the Dask cluster has had no worker for {self.cluster.idle:.0f} seconds; start "
                "workers and go on with --resume"
            )
        most = _AHEAD * max(1, self.threads)
        return most - len(self.running) if len(self.running) <= most // 2 else 0

    def wait(self) -> list[Any]:
        """Futures that have finished: those there are, or those of the next moment."""
        found = []
        with suppress(Empty):
            found.append(self.finished.get(timeout=_LOOK))
            while True:
                found.append(self.finished.get_nowait())
        if not found and not self.cluster.connected:
            raise self.cluster.gone()
        return found

    def take(self, futures: list[Any]) -> list[tuple[int, Tally]]:
        """The tallies of finished futures, by block; those that failed are tried again."""
        done = [future for future in futures if future.status == "finished"]
        answers: dict[Any, Any] = {}
        try:
            answers = dict(zip(done, self.client.gather(done), strict=True))
        except _lost_answers() as error:
            # A worker may have died with its answers; Dask then has them computed again.
            if not self.cluster.connected:
                raise self.cluster.gone() from error
        found = []
        late = False
        for future in sorted(futures, key=self.running.__getitem__):
            one = self.running[future]
            if future in answers:
                tally = self._tally(json.loads(answers[future]), one)
                if tally is not None:
                    found.append((one.number, tally))
            elif future.status == "error":
                self._lost(future, one)
            elif future.status == "cancelled" or not self.cluster.connected:
                raise self.cluster.gone()
            else:  # its answer was lost, and is awaited anew
                future.add_done_callback(self.finished.put)
                late = True
                continue
            del self.running[future]
        if late:
            time.sleep(_LOOK / 10)
        return found

    def _tally(self, answer: dict[str, Any], one: _Try) -> Tally | None:
        if "tally" in answer:
            return Tally.from_json(answer["tally"])
        if answer.get("while") != "computing":
            self.task.check(answer)
        failure = ShardError(answer["error"])
        failure.__cause__ = remote_traceback(answer["traceback"])
        if one.attempt >= self.tries:
            name = self.blocks.name(one.number)
            text = f"{name} failed {times(self.tries)}; the last time: {failure}"
            raise RunError(text) from failure
        self.submit([one.number], one.attempt + 1, alone=one.alone)
        return None

    def _lost(self, future: Any, one: _Try) -> None:
        """Deal with a block that Dask itself gave up.

        When a worker dies, Dask counts that against all blocks it had been sent, also those that
        had not begun. So a block counts as guilty only if it was alone.
        """
        error = future.exception()
        name = self.blocks.name(one.number)
        if type(error).__name__ != "KilledWorker":
            raise RunError(
                f"{name} could not be computed by a Dask worker: {type(error).__name__}: {error}; "
                "is the same version of ricochet-casino installed there?"
            )
        if not one.alone:
            self.suspects.append(one)
            return
        deaths = getattr(error, "allowed_failures", self.tries - 1) + 1
        raise RunError(f"{name} failed {times(deaths)}: its worker died each time")

    def give_up(self, save: Keep) -> None:
        """Cancel what has not finished, and save what has."""
        with suppress(OSError, TimeoutError, RuntimeError, _cancelled(), StoreError):
            if not self.cluster.connected:
                return
            done = [future for future in self.running if future.status == "finished"]
            self.client.cancel([future for future in self.running if future not in done])
            for future, text in zip(done, self.client.gather(done), strict=True):
                answer = json.loads(text)
                if "tally" in answer:
                    save(self.running[future].number, Tally.from_json(answer["tally"]))


def compute_on_cluster(
    blocks: Blocks,
    numbers: Iterable[int],
    keep: Keep,
    save: Keep,
    *,
    cluster: Cluster,
    tries: int,
    builder: str,
) -> None:
    """Compute blocks on a cluster; as `executors.compute_all`.

    Raises
    ------
    RunError
        If a block failed every time, or the workers are of another version.
    ClusterError
        If the scheduler is gone, or no worker came.
    ValueError
        If the scheduler does not answer.
    """
    waiting = iter(numbers)
    first = next(waiting, None)
    if first is None:  # nothing is missing: no cluster is needed
        return
    waiting = chain([first], waiting)
    work = _Work(blocks, cluster, Task(blocks, builder), tries)
    try:
        while True:
            work.question()
            work.submit(list(islice(waiting, work.room())), 1)
            if not work.running:
                break
            for number, tally in work.take(work.wait()):
                keep(number, tally)
    except BaseException:  # an error, or Ctrl-C
        work.give_up(save)
        raise
