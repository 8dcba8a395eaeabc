import contextlib
import json
import os
import random
import subprocess
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from ricochet_casino.experiment import Experiment, Tally
from ricochet_casino.runs import RunError, Workers, recompute, run, run_blocks
from ricochet_casino.runs.layout import Maker

BUILDER = "toy_experiments:build"
KINDS = ("threads", "processes")


def expected(experiment):
    """Total in the plainest way, and the tally of each block."""
    shards = experiment.shards()
    size = experiment.block_shards
    blocks = [
        Tally.total(experiment.run(shards[i]) for i in range(first, min(first + size, len(shards))))
        for first in range(0, len(shards), size)
    ]
    return Tally.total(blocks), blocks


def as_text(result):
    return json.dumps(result.entry)  # names in their order, too


def log_lines(path):
    return [line.split() for line in Path(path).read_text().splitlines()] if path.exists() else []


@pytest.fixture
def crew():
    with Workers(3) as workers:
        yield workers


def test_a_toy_is_an_experiment(toys):
    assert isinstance(toys.Toy({}), Experiment)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_the_same_for_any_number_of_workers_and_any_order_of_arrival(toys, tmp_path, kind, workers):
    log = tmp_path / "log"
    toy = toys.Toy({"shards": 61, "block_shards": 2, "pause": 12, "log": str(log)})
    total, blocks = expected(toy)
    log.unlink()
    found = run_blocks(toy, workers=workers, executor=kind, builder=BUILDER)
    assert json.dumps(found.total.to_json()) == json.dumps(total.to_json())
    assert found.digests == tuple(tally.digest() for tally in blocks)
    assert found.found == 0
    shards, pids = zip(*log_lines(log), strict=True)
    assert sorted(map(int, shards)) == list(range(61))  # each once
    if workers > 1:
        assert list(map(int, shards)) != sorted(map(int, shards))
    # A fast worker may have done another's share, but no more work than workers.
    assert 1 <= len(set(pids)) <= workers
    assert (str(os.getpid()) in pids) == (kind == "threads")


def test_names_stand_as_in_block_order_whatever_arrives_first():
    from ricochet_casino.runs.execution import _Sum

    dice = random.Random(5)
    names = "abcdefgh"
    for _ in range(200):
        tallies = [
            Tally(
                {name: dice.randrange(9) for name in dice.sample(names, dice.randrange(5))},
                {f"n{block}.{i}": "" for i in range(dice.randrange(3))},
            )
            for block in range(dice.randrange(1, 8))
        ]
        order = list(enumerate(tallies))
        dice.shuffle(order)
        total = _Sum()
        for block, tally in order:
            total.add(block, tally)
        assert json.dumps(total.total().to_json()) == json.dumps(Tally.total(tallies).to_json())


def test_the_same_note_from_two_blocks_is_an_error():
    from ricochet_casino.runs.execution import _Sum

    total = _Sum()
    total.add(1, Tally(notes={"a": "x"}))
    with pytest.raises(ValueError, match="note 'a'"):
        total.add(0, Tally(notes={"a": "x"}))


@pytest.fixture(scope="module")
def solo():
    from ricochet_casino.games import load_paytable
    from ricochet_casino.games.ricochet_poker.solo import Solo

    solo = Solo(load_paytable("rulebook"))
    return solo, as_text(run(solo))


SLOW = [(count, kind) for kind in KINDS for count in (1, 2, 3, 7)]
QUICK = [(3, "threads"), (2, "processes")]
CASES = [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow) for case in SLOW]


@pytest.mark.parametrize(("count", "kind"), CASES)
def test_the_exact_result_of_one_player_is_the_same_bytes_everywhere(solo, count, kind):
    experiment, once = solo
    assert as_text(run(experiment, workers=count, executor=kind)) == once


def test_auto_is_what_the_experiment_prefers_and_nothing_beside_for_one_worker(toys, tmp_path):
    for prefers, workers, threads in (("threads", 2, 2), ("processes", 2, 0), ("processes", 1, 1)):
        log = tmp_path / f"{prefers}{workers}"
        toy = toys.Toy({"prefers": prefers, "log": str(log), "pause": 2})
        seen = set()
        inner = toy.run

        def seeing(shard, seen=seen, inner=inner):
            seen.add(threading.get_ident())
            return inner(shard)

        toy.run = seeing
        run(toy, workers=workers, builder=BUILDER)
        assert len(seen) == threads
        assert (threading.get_ident() in seen) == (workers == 1)
        assert (str(os.getpid()) in {pid for _, pid in log_lines(log)}) == bool(threads)


def test_an_experiment_without_shards(toys):
    for workers in (1, 2):
        assert run(toys.Toy({"shards": 0}), workers=workers).entry == {"counts": {}, "notes": {}}


@pytest.mark.parametrize("kind", ["serial", *KINDS])
def test_a_hundred_million_shards_are_neither_listed_nor_asked_for_ahead(toys, kind):
    toy = toys.Toy({"shards": 10**8, "block_shards": 1})
    count = 1 if kind == "serial" else 3

    class EnoughError(Exception):
        pass

    def progress(done, total):
        assert total == 10**8
        if done == 50:
            raise EnoughError

    tracemalloc.start()
    try:
        with pytest.raises(EnoughError):
            run(toy, workers=count, executor=kind, progress=progress, builder=BUILDER)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    assert toy.lazy.asked <= 50 + 2 * count


@pytest.mark.parametrize("kind", KINDS)
def test_progress_counts_every_block_in_the_calling_thread(toys, kind):
    steps = []

    def progress(done, total):
        assert threading.current_thread() is threading.main_thread()
        steps.append((done, total))

    run(toys.Toy({}), workers=2, executor=kind, progress=progress, builder=BUILDER)
    assert steps == [(done, 14) for done in range(1, 15)]


def trouble(tmp_path, kind, times=None):
    marks = tmp_path / "marks"
    marks.mkdir(exist_ok=True)
    found = {"shard": 17, "kind": kind, "marks": str(marks)}
    return found if times is None else found | {"times": times}


@pytest.mark.parametrize("kind", ["serial", *KINDS])
def test_what_fails_twice_is_tried_a_third_time(toys, tmp_path, kind):
    total, _ = expected(toys.Toy({}))
    toy = toys.Toy({"trouble": trouble(tmp_path, "raise", 2)})
    count = 1 if kind == "serial" else 2
    found = run_blocks(toy, workers=count, executor=kind, builder=BUILDER)
    assert found.total == total
    assert len(list((tmp_path / "marks").iterdir())) == 2


@pytest.mark.parametrize("kind", ["serial", *KINDS])
def test_what_fails_every_time_is_named_with_its_cause(toys, tmp_path, kind):
    log = tmp_path / "log"
    toy = toys.Toy({"trouble": trouble(tmp_path, "raise"), "log": str(log)})
    count = 1 if kind == "serial" else 2
    with pytest.raises(RunError) as caught:
        run(toy, workers=count, executor=kind, builder=BUILDER)
    assert str(caught.value) == (
        "block 5 (shards 15 to 17, the first 's15') failed 3 times; "
        "the last time: ZeroDivisionError: trouble in shard 17"
    )
    assert [shard for shard, _ in log_lines(log)].count("17") == 3
    cause = caught.value.__cause__
    if kind == "processes":
        text = str(cause.__cause__)
        assert "toy_experiments.py" in text
        assert 'raise ZeroDivisionError(f"trouble' in text
    else:
        assert isinstance(cause, ZeroDivisionError)


def test_tries_can_be_chosen(toys, tmp_path):
    toy = toys.Toy({"trouble": trouble(tmp_path, "raise", 1)})
    with pytest.raises(RunError, match="failed once"):
        run(toy, tries=1)


def test_a_worker_that_is_killed_is_replaced_and_its_block_computed_again(toys, tmp_path):
    total, _ = expected(toys.Toy({}))
    log = tmp_path / "log"
    toy = toys.Toy({"trouble": trouble(tmp_path, "kill", 2), "log": str(log)})
    assert run_blocks(toy, workers=2, executor="processes", builder=BUILDER).total == total
    shards = [int(shard) for shard, _ in log_lines(log)]
    assert {n for n in range(40) if shards.count(n) != 1} == {15, 16, 17}


@pytest.mark.parametrize(
    ("kind", "text"), [("kill", r"killed by signal 9 \(SIGKILL\)"), ("exit", "exit code 7")]
)
def test_a_block_that_kills_every_worker_is_named(toys, tmp_path, kind, text):
    toy = toys.Toy({"trouble": trouble(tmp_path, kind)})
    with pytest.raises(RunError, match=r"block 5 \(.*\) failed 3 times.*" + text):
        run(toy, workers=2, executor="processes", builder=BUILDER)


def test_workers_killed_at_random_change_nothing(toys, tmp_path, alive):
    log = tmp_path / "log"
    toy = toys.Toy({"shards": 200, "block_shards": 2, "pause": 40, "log": str(log)})
    plain = toys.Toy({"shards": 200, "block_shards": 2})
    over = threading.Event()
    killed = []

    def kill():
        dice = random.Random(11)
        while not over.wait(0.2 + 0.2 * dice.random()):
            pids = {int(pid) for _, pid in log_lines(log)} - {os.getpid()}
            victims = sorted(filter(alive, pids))
            if victims:
                with contextlib.suppress(ProcessLookupError):  # it has ended since
                    os.kill(victim := dice.choice(victims), 9)
                    killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        # With bad luck one block is hit again and again: more tries than usual.
        found = run_blocks(toy, workers=2, executor="processes", builder=BUILDER, tries=10)
    finally:
        over.set()
        killer.join()
    total, blocks = expected(plain)
    assert found.total == total
    assert found.digests == tuple(tally.digest() for tally in blocks)
    assert len(killed) >= 3


@pytest.mark.parametrize("kind", ["say", "listen"])
def test_what_a_shard_prints_or_reads_does_not_disturb_the_messages(toys, tmp_path, kind, capfd):
    total, _ = expected(toys.Toy({}))
    toy = toys.Toy({"trouble": trouble(tmp_path, kind)})
    assert run_blocks(toy, workers=2, executor="processes", builder=BUILDER).total == total
    out, err = capfd.readouterr()
    assert out == ""
    assert ("a shard says\nsomething" in err) == (kind == "say")


@pytest.mark.parametrize("kind", ["serial", *KINDS])
def test_a_tally_that_is_not_of_whole_numbers_is_refused(toys, kind):
    count = 1 if kind == "serial" else 2
    with pytest.raises(RunError, match="not a whole number"):
        run(toys.Float({}), workers=count, executor=kind, builder=BUILDER)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"workers": 0}, "workers must be 1 to 256, got 0"),
        ({"workers": 257}, "got 257"),
        ({"workers": True}, "got True"),
        ({"workers": "2"}, "got '2'"),
        ({"executor": "thread"}, "one of auto, serial, threads, processes.*did you mean threads"),
        ({"executor": "serial", "workers": 2}, "serial executor has one worker"),
        ({"tries": 0}, "tries must be at least 1"),
    ],
)
def test_bad_arguments(toys, options, text):
    with pytest.raises(ValueError, match=text):
        run(toys.Toy({}), **options)


def test_blocks_without_shards_are_refused(toys):
    with pytest.raises(ValueError, match="block_shards must be at least 1, got 0"):
        run(toys.Toy({"block_shards": 0}))


def test_workers_that_cannot_make_the_experiment(toys):
    for builder, text in (
        (
            "ricochet_casino.games:build",
            "^a worker could not make the experiment: ValueError",
        ),
        ("no_such_module:build", "ModuleNotFoundError"),
        ("toy_experiments:nothing", "AttributeError"),
        (
            "toy_experiments:build_another",
            r"^a worker made another .*: spec, shards\)",
        ),
    ):
        with pytest.raises(RunError, match=text):
            run(toys.Toy({}), workers=2, executor="processes", builder=builder)


def test_workers_with_other_sources_are_refused(toys, monkeypatch):
    monkeypatch.setattr(Maker, "current", classmethod(lambda cls: cls("0.0.1", "f" * 64)))
    with pytest.raises(RunError, match=r"differing: version, source\); were the sources changed"):
        run(toys.Toy({}), workers=2, executor="processes", builder=BUILDER)


def test_worker_processes_stay_for_several_runs_and_end_with_their_context(
    toys, tmp_path, crew, alive
):
    pids = []
    for name, count in (("one", 60), ("two", 50), ("three", 60)):
        log = tmp_path / name
        total, _ = expected(toys.Toy({"shards": count}))
        toy = toys.Toy({"shards": count, "pause": 4, "log": str(log)})
        assert run_blocks(toy, workers=crew, builder=BUILDER).total == total
        shards, found = zip(*log_lines(log), strict=True)
        assert sorted(map(int, shards)) == list(range(count))
        pids.append(set(map(int, found)))
    assert set.union(*pids) == pids[0]
    assert all(map(alive, pids[0]))
    crew.close()
    assert not any(map(alive, pids[0]))
    assert run(toys.Toy({}), workers=crew, builder=BUILDER)  # and new ones when needed


def test_no_process_is_left_after_a_failure(toys, tmp_path, crew, alive):
    log = tmp_path / "log"
    toy = toys.Toy({"pause": 20, "trouble": trouble(tmp_path, "raise"), "log": str(log)})
    with pytest.raises(RunError):
        run(toy, workers=crew, builder=BUILDER)
    pids = {int(pid) for _, pid in log_lines(log)}
    assert pids
    assert not any(map(alive, pids))
    assert run(toys.Toy({}), workers=crew, builder=BUILDER)


def test_a_sample_of_blocks(toys):
    toy = toys.Toy({"shards": 200})
    _, blocks = expected(toy)
    steps = []
    for kind, workers in (("serial", 1), ("threads", 3), ("processes", 2)):
        found = recompute(
            toy, [66, 3, 10, 3], workers=workers, executor=kind, builder=BUILDER,
            progress=lambda *step: steps.append(step),
        )  # fmt: skip
        assert list(found) == [3, 10, 66]
        assert all(found[number] == blocks[number] for number in found)
    assert steps == [(1, 3), (2, 3), (3, 3)] * 3
    assert recompute(toy, []) == {}
    for wrong in ([67], [-1, 2]):
        with pytest.raises(ValueError, match="blocks must be 0 to 66"):
            recompute(toy, wrong)


SCRIPT = """
import sys
from toy_experiments import Toy
from ricochet_casino.runs import run
print(run(Toy({"shards": 9}), workers=2, builder="toy_experiments:build").entry["counts"]["value"])
"""


def test_a_script_needs_no_guard_and_no_file(toys, program, tmp_path):
    value = run(toys.Toy({"shards": 9})).entry["counts"]["value"]
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    # Nor does a worker import what lies about in the working folder.
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')\n")
    for arguments, text in (
        (["-P", "-c", SCRIPT], ""),
        (["-P", str(script)], ""),
        (["-P", "-"], SCRIPT),
    ):
        python = program(*arguments, stdin=subprocess.PIPE)
        assert python.communicate(text, timeout=60) == (f"{value}\n", "")


def test_time_is_not_wasted_waiting(toys):
    """Twenty blocks of 50 ms by four threads: five rounds, not twenty."""
    toy = toys.Toy({"shards": 20, "block_shards": 1})
    toy.run = lambda shard: time.sleep(0.05) or Tally({"n": 1})
    start = time.perf_counter()
    run(toy, workers=4, executor="threads")
    assert time.perf_counter() - start < 0.8
