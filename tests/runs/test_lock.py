import os
import re
import signal
import subprocess
import sys
import threading

import pytest

from ricochet_casino.runs import Store, StoreError, Workers, find_runs, run
from ricochet_casino.runs import lock as lock_module
from ricochet_casino.runs.lock import FolderLock, holder, is_locked

HOLD = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in background
from ricochet_casino.runs import Store
store = Store.open(sys.argv[1], {"a": 1}, resume=True)
print("open", flush=True)
time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


def test_the_second_process_is_refused_with_the_first_ones_number(folder, program):
    first = program("-c", HOLD, folder)
    assert first.stdout.readline() == "open\n"
    for options in ({}, {"resume": True}, {"restart": True}):
        with pytest.raises(StoreError, match=rf"store is in use by process {first.pid} on "):
            Store.open(folder, {"a": 1}, **options)
    second = program("-c", HOLD, folder)
    _, err = second.communicate(timeout=30)
    assert f"StoreError: {folder} is in use by process {first.pid} on" in err
    assert is_locked(folder / "lock")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_lock_ends_with_its_holder(folder, program, number):
    first = program("-c", HOLD, folder)
    first.stdout.readline()
    first.send_signal(number)
    first.wait(30)
    with Store.open(folder, {"a": 1}, resume=True) as store:
        assert f"process {os.getpid()} on" in (folder / "lock").read_text()
        assert store.notes == []
    assert (folder / "lock").read_text() == "ricochet-casino run, free\n"
    assert not is_locked(folder / "lock")


def test_one_store_is_open_once_in_a_process_too(folder):
    with (
        Store.open(folder, {"a": 1}),
        pytest.raises(StoreError, match=f"in use by process {os.getpid()}"),
    ):
        Store.open(folder, {"a": 1}, resume=True)
    Store.open(folder, {"a": 1}, resume=True).close()


def test_neither_workers_nor_other_children_hold_the_lock(folder, toys):
    with Workers(2) as workers, Store.open(folder, {"a": 1}) as store:
        toy = toys.Toy({})
        run(toy, workers=workers, store=store.experiment(toy), builder="toy_experiments:build")
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        try:
            store.close()
            assert workers.processes._idle  # still alive
            Store.open(folder, {"a": 1}, resume=True).close()
        finally:
            child.communicate()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_lets_go(folder, program):
    code = """
import os, sys, time
from ricochet_casino.runs import Store, StoreError
from ricochet_casino.experiment import Tally
store = Store.open(sys.argv[1], {"a": 1})
child = os.fork()
if child == 0:
    try:
        store.experiment(None)
    except Exception as error:
        os.write(1, f"{error}\\n".encode())  # in one piece, whoever writes at the same time
    time.sleep(600)
os.write(1, f"{child}\\n".encode())
time.sleep(600)
"""
    # Both in a group of their own, so that neither outlives the test whatever goes wrong.
    parent = program("-c", code, folder, start_new_session=True)
    try:
        lines = [parent.stdout.readline() for _ in range(2)]
        (child,) = (int(line) for line in lines if line.strip().isdecimal())
        assert f"{folder}: the store is closed\n" in lines
        with pytest.raises(StoreError, match=f"in use by process {parent.pid}"):
            Store.open(folder, {"a": 1}, resume=True)
        parent.kill()
        parent.wait()
        os.kill(child, 0)  # the child lives on
        Store.open(folder, {"a": 1}, resume=True).close()
    finally:
        os.killpg(parent.pid, signal.SIGKILL)


def test_looking_at_a_store_never_keeps_anybody_out(folder):
    Store.open(folder, {"a": 1}).close()
    over = threading.Event()

    def look():
        while not over.is_set():
            assert find_runs(folder)

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(100):
            Store.open(folder, {"a": 1}, resume=True).close()
    finally:
        over.set()
        for looker in lookers:
            looker.join()


def test_a_lock_file_that_was_removed_meanwhile_does_not_count(tmp_path, monkeypatch):
    path = tmp_path / "lock"
    first = FolderLock(path)
    real = lock_module._try_lock

    def try_lock(descriptor, **options):  # the file is open by now
        first.release(remove=True)
        return real(descriptor, **options)

    with monkeypatch.context() as patched:
        patched.setattr(lock_module, "_try_lock", try_lock)
        second = FolderLock(path)
    assert path.exists()
    with pytest.raises(StoreError, match="in use"):
        FolderLock(path)
    second.release()
    second.release()
    assert not second.held


def test_the_holder_is_told_as_far_as_it_is_known(tmp_path):
    path = tmp_path / "lock"
    assert holder(path) == "another process"
    assert not is_locked(path)
    path.write_bytes(b"\xff\x00 rubbish")
    assert holder(path) == "another process"
    lock = FolderLock(path)
    assert re.fullmatch(r"process \d+ on .+", holder(path))
    lock.release()
    assert holder(path) == "another process"


def test_a_folder_that_cannot_be_locked(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(lock_module, "_try_lock", refuse)
    with pytest.raises(StoreError, match="cannot be locked: No locks available"):
        Store.open(tmp_path / "store", {"a": 1})
