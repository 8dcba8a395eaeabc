"""Runs that are killed or interrupted, in processes of their own."""

import json
import os
import random
import signal
import subprocess
import time

import pytest

from ricochet_casino.runs import Store, run_blocks

RUN = """
import json, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in background
from pathlib import Path
from toy_experiments import Toy
from ricochet_casino.runs import Store, run_blocks
folder, parameters, options = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
toy = Toy(parameters)
with Store.open(folder, {"toy": 1}, resume=True) as store:
    found = run_blocks(
        toy, store=store.experiment(toy), builder="toy_experiments:build", **options,
        progress=lambda done, total: print(done, flush=True),
    )
    print(json.dumps([found.total.to_json(), found.digests, store.notes]))
"""

SERIAL = {"workers": 1}
THREADS = {"workers": 3, "executor": "threads"}
PROCESSES = {"workers": 2, "executor": "processes"}


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


@pytest.fixture
def start(program, tmp_path, log):
    def start_run(options, shards=40, size=2, pause=6, folder=None, **more):
        parameters = {"shards": shards, "block_shards": size, "pause": pause, "log": str(log)}
        arguments = json.dumps(parameters), json.dumps(options)
        return program("-c", RUN, folder or tmp_path / "store", *arguments, **more)

    return start_run


def blocks_of(folder):
    """Finished blocks with everything that would show a second writing."""
    found = {}
    for path in folder.glob("toy-*/blocks/*/*.json"):
        status = path.stat()
        found[int(path.stem)] = (status.st_ino, status.st_mtime_ns, path.read_bytes())
    return found


def lines(path):
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def kill_and_resume(start, folder, log, shards, kills, seed):
    """Kill a run at random moments, resume it each time; the last output and how often it died."""
    size, dice, died = 2, random.Random(seed), 0
    while True:
        complete = blocks_of(folder)
        before = len(lines(log))
        options = dice.choice([SERIAL, THREADS, PROCESSES])
        process = start(options, shards=shards, size=size, pause=12)
        if died < kills:
            # After so many more blocks or at once, and some milliseconds: in the start, between
            # blocks, in blocks, in writing.
            steps = dice.choice([0, 1, len(complete) + 1, len(complete) + 4])
            for _ in range(steps):
                process.stdout.readline()
            time.sleep(dice.random() * (0.02 if steps else 0.4))
            process.kill()
        out, err = process.communicate(timeout=120)
        assert err == ""
        after = blocks_of(folder)
        assert {number: after[number] for number in complete} == complete
        computed = {int(shard) // size for shard, _ in lines(log)[before:]}
        assert not computed & complete.keys()
        if process.returncode == 0:
            return out.splitlines()[-1], died
        assert process.returncode == -signal.SIGKILL
        died += 1


def test_killed_at_twenty_random_moments(start, toys, tmp_path, log):
    shards, folder = 400, tmp_path / "store"
    out, died = kill_and_resume(start, folder, log, shards, kills=20, seed=17)
    assert died == 20
    plain = run_blocks(toys.Toy({"shards": shards, "block_shards": 2}))
    total, digests, notes = json.loads(out)
    assert json.dumps(total) == json.dumps(plain.total.to_json())
    assert tuple(digests) == plain.digests
    assert notes == []
    assert not list(folder.rglob("*.tmp"))
    assert not (folder / "set_aside").exists()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_killed_at_many_random_moments(start, toys, tmp_path, log, seed):
    shards, folder = 1000, tmp_path / "store"
    out, died = kill_and_resume(start, folder, log, shards, kills=50, seed=seed)
    assert died == 50
    total = json.loads(out)[0]
    plain = run_blocks(toys.Toy({"shards": shards, "block_shards": 2}))
    assert json.dumps(total) == json.dumps(plain.total.to_json())


def test_workers_end_when_their_parent_is_killed(start, log, wait_until, alive):
    process = start(PROCESSES, shards=2, size=1, pause=10**6)  # shards of minutes
    wait_until(lambda: len(lines(log)) == 2)
    pids = [int(pid) for _, pid in lines(log)]
    assert all(map(alive, pids))
    process.kill()
    wait_until(lambda: not any(map(alive, pids)), seconds=5)
    assert process.communicate() == ("", "")


def interrupt(process, group):
    if group:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    else:
        process.send_signal(signal.SIGINT)


@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("options", [SERIAL, THREADS, PROCESSES])
def test_ctrl_c_leaves_a_store_to_resume_and_no_process(
    start, toys, tmp_path, log, wait_until, alive, options, group
):
    folder = tmp_path / "store"
    pause = 100  # so long that the run is not over before the signal comes on a busy machine
    process = start(options, pause=pause, start_new_session=True)
    for _ in range(3):
        process.stdout.readline()
    interrupt(process, group)
    _, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert err.count("Traceback") == 1
    assert err.endswith("\nKeyboardInterrupt\n")
    assert "worker.py" not in err
    wait_until(lambda: not any(alive(int(pid)) for _, pid in lines(log)), seconds=5)
    complete = blocks_of(folder)
    assert 3 <= len(complete) < 20
    if options is THREADS:  # they finished what they had begun, and it was kept
        begun = {int(shard) // 2 for shard, _ in lines(log)}
        assert begun == complete.keys()
    before = len(lines(log))
    out, err = start(options, pause=pause).communicate(timeout=60)
    assert err == ""
    plain = run_blocks(toys.Toy({"shards": 40, "block_shards": 2}))
    assert json.loads(out.splitlines()[-1])[0] == plain.total.to_json()
    computed = {int(shard) // 2 for shard, _ in lines(log)[before:]}
    assert computed == set(range(20)) - complete.keys()


def test_ctrl_c_does_not_wait_for_long_blocks_of_processes(start, log, wait_until, alive):
    process = start(PROCESSES, shards=2, size=1, pause=10**6)  # shards of minutes
    wait_until(lambda: len(lines(log)) == 2)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert time.monotonic() - begun < 5
    assert not any(alive(int(pid)) for _, pid in lines(log))


def test_ctrl_c_during_the_start_of_workers_is_quiet(start, wait_until, alive, children):
    dice = random.Random(2)
    for _ in range(6):
        process = start(PROCESSES, start_new_session=True)
        wait_until(lambda pid=process.pid: children(pid))
        time.sleep(0.1 * dice.random())
        found = children(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == -signal.SIGINT
        assert err.endswith("\nKeyboardInterrupt\n")
        assert '"<string>", line 1,' not in err  # where a worker begins; the program's is longer
        wait_until(lambda found=found: not any(map(alive, found)), seconds=5)


def test_two_runs_at_once_and_then_one(start, tmp_path, log):
    """The second is refused while the first works; the first is not disturbed."""
    first = start(PROCESSES, pause=200)
    first.stdout.readline()
    _, err = start(SERIAL).communicate(timeout=60)
    assert f"is in use by process {first.pid}" in err
    out, err = first.communicate(timeout=60)
    assert err == ""
    assert sorted(int(shard) for shard, _ in lines(log)) == list(range(40))
    assert len(json.loads(out.splitlines()[-1])[1]) == 20


def test_a_store_killed_in_its_first_moments(program, tmp_path):
    """Before, while and after the folder, the lock and the manifest are made."""
    code = "import sys; from ricochet_casino.runs import Store; print(1, flush=True); " + (
        "Store.open(sys.argv[1], {'a': 1})"
    )
    dice = random.Random(4)
    for number in range(10):
        folder = tmp_path / str(number)
        process = program("-c", code, folder, stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(0.02 * dice.random())
        process.kill()
        process.wait()
        Store.open(folder, {"a": 1}, resume=True).close()
        Store.open(folder, {"a": 1}, resume=True).close()
