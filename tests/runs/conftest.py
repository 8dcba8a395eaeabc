import contextlib
import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture
def toys(monkeypatch):
    """The module with the toy experiments, also found by worker processes."""
    monkeypatch.syspath_prepend(str(HERE))
    return importlib.import_module("toy_experiments")


@pytest.fixture
def program(tmp_path):
    """Starts a Python program that finds the package and the toys; what still runs is killed."""
    started = []

    def start(*arguments, **options):
        given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        path = os.pathsep.join([str(HERE), str(ROOT), *map(os.path.abspath, given)])
        process = subprocess.Popen(
            [sys.executable, "-W", "error", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": path},
            cwd=tmp_path,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def wait_until():
    """Waits for a condition; fails if it does not come true in time."""

    def wait(condition, seconds=30.0, pause=0.005):
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end, "waited in vain"
            time.sleep(pause)
        return value

    return wait


@pytest.fixture
def processes():
    """All processes: the parent and the state of each, by number."""

    def all_processes():
        if not Path("/proc/self/stat").exists():
            command = ["ps", "-axo", "pid=,stat=,ppid="]
            rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            fields = [row.split() for row in rows.splitlines()]
            return {int(pid): (int(parent), state[0]) for pid, state, parent in fields}
        found = {}
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it has just ended
                state, parent = status.read_text().rpartition(")")[2].split()[:2]
                found[int(status.parent.name)] = (int(parent), state)
        return found

    return all_processes


@pytest.fixture
def alive(processes):
    """Whether a process still runs; a dead one that nobody has waited for does not."""
    return lambda pid: processes().get(pid, (0, "X"))[1] not in "ZX"


@pytest.fixture
def children(processes):
    """The processes that a process has started and that still run."""

    def of(pid):
        return [
            child
            for child, (parent, state) in processes().items()
            if parent == pid and state not in "ZX"
        ]

    return of
