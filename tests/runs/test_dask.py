"""Blocks on a Dask cluster: the same bytes, whatever happens to workers and scheduler."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from ricochet_casino.experiment import Tally
from ricochet_casino.runs import ClusterError, RunError, Store, Workers, run_blocks
from ricochet_casino.runs import dask_executor as dask
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.dask_executor import Cluster, check_address
from ricochet_casino.runs.processes import Task

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILDER = "toy_experiments:build"


@pytest.fixture(scope="module", autouse=True)
def _sockets_of_the_dead():
    """Dask leaves connections to killed workers to the collector; no later test is to meet them."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="module")
def crew():
    """Two worker processes of a cluster of our own."""
    with Workers(2) as workers:
        yield workers


def run_on(workers, toy, **options):
    return run_blocks(toy, workers=workers, executor="dask", builder=BUILDER, **options)


def same(found, plain):
    return json.dumps([found.total.to_json(), found.digests]) == json.dumps(
        [plain.total.to_json(), plain.digests]
    )


def lines(path):
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def outside(tmp_path):
    """Starts schedulers and workers as programs of their own; what still runs is killed."""
    started = []
    file = tmp_path / "scheduler.json"

    def start(kind, *words):
        path = os.pathsep.join([str(HERE), str(ROOT), os.environ.get("PYTHONPATH", "")])
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard",
             "--scheduler-file", str(file), *words],
            env={**os.environ, "PYTHONPATH": path}, cwd=tmp_path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        started.append(process)
        return process

    def scheduler():
        process = start("scheduler", "--host", "127.0.0.1", "--port", "0")
        end = time.monotonic() + 120
        while True:
            assert time.monotonic() < end, "the scheduler does not start"
            try:
                return process, json.loads(file.read_text())["address"]
            except (OSError, ValueError):
                time.sleep(0.05)

    def worker():
        return start("worker", "--nthreads", "1", "--no-nanny")

    yield scheduler, worker
    for process in started:
        process.kill()
        process.wait()


def test_two_worker_processes_over_tcp_give_the_bytes_of_one_thread(toys, crew, tmp_path):
    log = tmp_path / "log"
    parameters = {"shards": 100, "pause": 4, "log": str(log)}
    found = run_on(crew, toys.Toy(parameters))
    assert len({pid for _, pid in lines(log)}) == 2
    assert os.getpid() not in {int(pid) for _, pid in lines(log)}
    assert crew.cluster().client().scheduler.address.startswith("tcp://127.0.0.1:")
    assert same(found, run_blocks(toys.Toy(parameters), workers=1))


def test_a_real_game_gives_the_bytes_of_one_thread(crew):
    from ricochet_casino.games import load_paytable
    from ricochet_casino.games.ricochet_poker.solo_check import SoloReferee

    referee = SoloReferee(load_paytable("rulebook"), "always_play", 7_500, 3)
    found = run_blocks(referee, workers=crew, executor="dask")
    assert same(found, run_blocks(referee))


def test_a_worker_killed_in_mid_run(toys, crew, tmp_path, wait_until):
    log = tmp_path / "log"
    parameters = {"shards": 80, "block_shards": 1, "pause": 60, "log": str(log)}
    plain = run_blocks(toys.Toy({**parameters, "pause": 0, "log": None}))
    killed = []

    def progress(done, _total):
        if done == 10:
            killed.append(int(lines(log)[-1][1]))
            os.kill(killed[0], signal.SIGKILL)

    found = run_on(crew, toys.Toy(parameters), progress=progress)
    assert killed
    assert killed[0] != os.getpid()
    assert same(found, plain)
    last = [int(pid) for _, pid in lines(log)][-5:]
    assert killed[0] not in last


def test_a_block_that_kills_its_worker_once_and_one_that_always_does(toys, crew, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    trouble = {"shard": 7, "kind": "kill", "times": 1, "marks": str(marks)}
    found = run_on(crew, toys.Toy({"trouble": trouble}))
    assert same(found, run_blocks(toys.Toy({})))
    with pytest.raises(RunError, match=r"block 2 .* failed 3 times: its worker died"):
        run_on(crew, toys.Toy({"trouble": {"shard": 7, "kind": "kill"}}))


def test_answers_lost_with_their_worker_are_awaited_again(toys):
    """Finished, lost with the worker that held it, computed again: no sign of a lost scheduler."""

    class Future:
        status = "finished"

        def add_done_callback(self, tell):
            tell(self)

    class Client:
        status = "running"

        def __init__(self):
            self.answers = []

        def gather(self, futures):
            if not self.answers:
                raise OSError("the worker that held it is gone")
            return self.answers[: len(futures)]

    toy = toys.Toy({})
    blocks = Blocks(toy)
    client, future = Client(), Future()
    cluster = Cluster(1, tries=3)
    cluster._client = client
    work = dask._Work(blocks, cluster, Task(blocks, BUILDER), 3)
    work.running[future] = dask._Try(0, 1)
    assert work.take([future]) == []
    assert work.wait() == [future]
    future.status = "lost"
    assert work.take([future]) == []
    client.status = "closed"
    with pytest.raises(ClusterError, match="was lost"):
        work.take(work.wait())
    client.status = "running"
    client.answers = [json.dumps({"tally": {"counts": {"a": 3}, "notes": {}}})]
    future.status = "finished"
    assert work.take([future]) == [(0, Tally({"a": 3}))]
    assert not work.running


def test_a_block_is_blamed_for_deaths_only_if_it_was_alone(toys):
    """Dask counts a death against all blocks that the worker had been sent."""
    from distributed.scheduler import KilledWorker

    class Future:
        def __init__(self, number, key):
            self.number, self.key = number, key
            self.status = "error" if number in guilty or "alone" not in key else "finished"

        def add_done_callback(self, tell):
            tell(self)

        def exception(self):
            return KilledWorker(self.key, None, 2)

    class Client:
        status = "running"
        sent = ()

        def map(self, _compute, _packed, numbers, *, key, pure):
            self.sent = (*self.sent, tuple(numbers))
            return [Future(*pair) for pair in zip(numbers, key, strict=True)]

        def gather(self, futures):
            return [json.dumps({"tally": {"counts": {"a": 1}, "notes": {}}}) for _ in futures]

        def nthreads(self):
            return {"worker": 1}

        def cancel(self, futures):
            pass

        def close(self, timeout):
            pass

    def compute(numbers):
        cluster, kept = Cluster(1, tries=3), {}
        cluster._client = Client()
        try:
            dask.compute_on_cluster(
                Blocks(toys.Toy({})), iter(numbers), kept.__setitem__, kept.__setitem__,
                cluster=cluster, tries=3, builder=BUILDER,
            )  # fmt: skip
        finally:
            told.append((sorted(kept), cluster._client.sent))

    told, guilty = [], set()
    compute(range(12))
    guilty = {3}
    with pytest.raises(RunError, match=r"^block 3 .* failed 3 times: its worker died each time"):
        compute(range(12))
    first, second = told
    assert first[0] == list(range(12))
    assert second[0] == [0, 1, 2]
    assert second[1] == first[1][: len(second[1])]


def test_errors_of_shards_are_tried_three_times(toys, crew, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    trouble = {"shard": 7, "kind": "raise", "times": 2, "marks": str(marks)}
    assert same(run_on(crew, toys.Toy({"trouble": trouble})), run_blocks(toys.Toy({})))
    with pytest.raises(RunError, match=r"block 2 .* failed 3 times.*ZeroDivisionError") as caught:
        run_on(crew, toys.Toy({"trouble": {"shard": 7, "kind": "raise"}}))
    assert "toy_experiments.py" in str(caught.value.__cause__.__cause__)


def test_workers_that_make_another_experiment_or_none_are_refused(toys, crew):
    def attempt(builder):
        run_blocks(toys.Toy({}), workers=crew, executor="dask", builder=builder)

    with pytest.raises(RunError, match=r"another experiment .*differing: .*spec"):
        attempt("toy_experiments:build_another")
    with pytest.raises(RunError, match="could not make the experiment"):
        attempt("toy_experiments:missing")


def test_a_worker_of_another_version_is_refused(toys, crew, monkeypatch):
    from ricochet_casino.runs.layout import Maker

    monkeypatch.setattr(Maker, "current", lambda: Maker("9.9.9", "0" * 64))
    with pytest.raises(RunError, match=r"differing: version, source"):
        run_on(crew, toys.Toy({}))


def test_blocks_go_to_the_store_and_are_not_computed_again(toys, crew, tmp_path):
    log = tmp_path / "log"
    toy = toys.Toy({"log": str(log)})
    for _ in range(2):
        with Store.open(tmp_path / "store", {"toy": 1}, resume=True) as store:
            found = run_on(crew, toy, store=store.experiment(toy))
    assert found.found == 14
    assert len(lines(log)) == 40


def test_nothing_to_compute_needs_no_cluster(toys, tmp_path):
    toy = toys.Toy({})
    with Store.open(tmp_path / "store", {"toy": 1}) as store:
        run_blocks(toy, store=store.experiment(toy))
        gone = Workers(1, scheduler="127.0.0.1:9")
        assert same(run_on(gone, toy, store=store.experiment(toy)), run_blocks(toy))


def test_workers_join_late_the_scheduler_is_killed_and_the_store_goes_on(toys, outside, tmp_path):
    scheduler, worker = outside
    process, address = scheduler()
    log, folder = tmp_path / "log", tmp_path / "store"
    parameters = {"shards": 60, "block_shards": 1, "pause": 60, "log": str(log)}
    toy, done = toys.Toy(parameters), []

    def progress(count, _total):
        if not done:
            worker()  # a second one joins
        done.append(count)
        if count == 12:
            process.kill()

    worker()  # it is still starting when the run begins
    with Store.open(folder, {"toy": 1}) as store, Workers(1, scheduler=address) as workers:
        with pytest.raises(ClusterError, match=r"scheduler tcp://.* was lost.*--resume"):
            run_on(workers, toy, store=store.experiment(toy), progress=progress)
        kept = store.experiment(toy).done()
    assert 12 <= kept < 60
    before = len(lines(log))
    with Store.open(folder, {"toy": 1}, resume=True) as store:
        found = run_blocks(toy, store=store.experiment(toy))
        assert found.found == kept
    assert len(lines(log)) - before == 60 - kept
    assert same(found, run_blocks(toys.Toy({**parameters, "log": None})))


def test_a_scheduler_without_workers_is_not_waited_for_without_end(toys, outside):
    scheduler, _ = outside
    _, address = scheduler()
    blocks = dask.Blocks(toys.Toy({}))
    cluster = Cluster(1, address, tries=3, idle=1)
    with pytest.raises(ClusterError, match="had no worker for 1 seconds"):
        dask.compute_on_cluster(
            blocks, range(3), None, None, cluster=cluster, tries=3, builder=BUILDER
        )
    cluster.close()


def test_a_scheduler_that_does_not_answer_is_given_up(toys, monkeypatch):
    monkeypatch.setattr(dask, "CONNECT_SECONDS", 1.0)
    begun = time.monotonic()
    with (
        Workers(1, scheduler="127.0.0.1:9") as workers,
        pytest.raises(ValueError, match=r"127\.0\.0\.1:9 does not answer within 1 seconds"),
    ):
        run_on(workers, toys.Toy({}))
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    "address", ["", "host", "tcp://host", "host:0", "host:70000", "a b:1", "http://host:1", ":1"]
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ValueError, match="no address of a scheduler"):
        check_address(address)


@pytest.mark.parametrize("address", ["10.0.0.5:8786", "tcp://node-1:8786", "tls://[::1]:1"])
def test_addresses(address):
    check_address(address)
