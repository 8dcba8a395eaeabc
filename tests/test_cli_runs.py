"""Stores, simulation and sampled verification on the command line, as whole processes."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

# A job in the background of a shell is started deaf to Ctrl-C, and so would its children be.
signal.signal(signal.SIGINT, signal.default_int_handler)

COMMAND = [sys.executable, "-m", "ricochet_casino"]


def ricochet(*words, **changes):
    environment = {**os.environ, **changes.pop("env", {})}
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        capture_output=True, text=True, env=environment, timeout=300, check=False, **changes,
    )  # fmt: skip


def certified(text):
    return json.dumps(json.loads(text)["certified"], sort_keys=True)


SIMULATE = ("simulate", "rulebook", "--players", "3", "--rounds", "3000000", "--format", "json")


@pytest.fixture(scope="module")
def simulated():
    done = ricochet(*SIMULATE)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return certified(done.stdout)


@pytest.mark.parametrize(
    "words",
    [
        ("--workers", "2"),
        ("--workers", "3", "--executor", "processes"),
        ("--workers", "7", "--executor", "threads"),
    ],
)
def test_simulation_is_the_same_for_any_workers(simulated, words):
    done = ricochet(*SIMULATE, *words)
    assert done.returncode == 0, done.stderr
    assert certified(done.stdout) == simulated


def test_simulation_is_the_same_on_a_plain_processor(simulated, tmp_path):
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = ricochet(*SIMULATE, env=plain)
    assert certified(done.stdout) == simulated


def test_certificate_is_the_same_for_any_workers():
    words = ("certify", "rulebook", "--check", "5000", "--format", "json")
    one = certified(ricochet(*words).stdout)
    for count, executor in ((2, "threads"), (3, "processes"), (7, "processes")):
        done = ricochet(*words, "--workers", count, "--executor", executor)
        assert certified(done.stdout) == one


def test_simulated_figures_are_sampled_with_intervals(simulated):
    result = json.loads(simulated)["results"][0]
    assert result["method"] == "sampled"
    for name in ("ev_per_ante", "rtp_per_ante", "house_edge", "fold_frequency", "sd_per_round"):
        figure = result[name]
        low, high = map(float, figure["interval"])
        assert low <= float(figure["decimal"]) <= high
        assert figure["level"]
        assert figure["interval_method"]
        assert "exact" not in figure
    assert len(result["by_seat"]) == 3
    assert len(result["blocks"]["tally_digests"]) == 3


def test_a_store_is_resumed_and_nothing_is_computed_again(tmp_path, simulated):
    store = tmp_path / "store"
    process = subprocess.Popen(
        [*COMMAND, *SIMULATE[:-4], "--rounds", "400000000", "--store", str(store)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not list(store.rglob("blocks/**/*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    second = ricochet(*SIMULATE[:-4], "--rounds", "400000000", "--store", store, "--resume")
    assert second.returncode == 2
    assert "in use" in second.stderr
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in said
    assert "Traceback" not in said
    listed = ricochet("runs", "list", tmp_path)
    assert "can be resumed" in listed.stdout
    assert "400,000,000 rounds" in listed.stdout
    shown = ricochet("runs", "show", store)
    assert re.search(r"simulation +\d+ of 382 blocks", shown.stdout), shown.stdout
    refused = ricochet(*SIMULATE, "--store", store)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    other = ricochet(*SIMULATE, "--store", store, "--resume")
    assert other.returncode == 2
    assert "rounds" in other.stderr
    anew = ricochet(*SIMULATE, "--store", store, "--restart")
    assert certified(anew.stdout) == simulated
    blocks = {path: path.stat().st_mtime_ns for path in store.rglob("blocks/**/*.json")}
    again = ricochet(*SIMULATE, "--store", store, "--resume")
    assert certified(again.stdout) == simulated
    assert blocks == {path: path.stat().st_mtime_ns for path in store.rglob("blocks/**/*.json")}
    assert "complete" in ricochet("runs", "list", store).stdout
    cleaned = ricochet("runs", "clean", store)
    assert cleaned.returncode == 0
    assert not list(store.glob("replaced-*"))
    assert ricochet("runs", "clean", store, "--everything", "--yes").returncode == 0
    assert not store.exists()


def test_a_damaged_block_is_computed_again_and_told(tmp_path, simulated):
    store = tmp_path / "store"
    assert ricochet(*SIMULATE, "--store", store).returncode == 0
    block = sorted(store.rglob("blocks/**/*.json"))[1]
    content = bytearray(block.read_bytes())
    content[len(content) // 2] ^= 4
    block.write_bytes(content)
    done = ricochet(*SIMULATE, "--store", store, "--resume")
    assert certified(done.stdout) == simulated
    assert "note: " in done.stderr


def test_certify_with_a_store(tmp_path):
    words = ("certify", "rulebook", "--check", "5000", "--format", "json")
    plain = certified(ricochet(*words).stdout)
    stored = ricochet(*words, "--store", tmp_path / "store", "--workers", "2")
    assert certified(stored.stdout) == plain
    again = ricochet(*words, "--store", tmp_path / "store", "--resume")
    assert certified(again.stdout) == plain


def test_verify_a_simulation_whole_and_in_part(tmp_path):
    done = ricochet(*SIMULATE[:-2], "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 players, always_play (sampled): house edge" in done.stdout
    (file,) = tmp_path.glob("*.json")
    assert "reproduced to the last digit" in ricochet("verify", file).stdout
    part = ricochet("verify", file, "--sample", "10%")
    assert part.returncode == 0
    assert "1 of 3 blocks recomputed and equal" in part.stdout
    text = file.read_text()
    digest = json.loads(text)["certified"]["results"][0]["blocks"]["tally_digests"][0]
    file.write_text(text.replace(digest, "0" * 16))
    whole = ricochet("verify", file, "--sample", "100%")
    assert whole.returncode == 1
    assert "tally_digests[0]" in whole.stdout


def test_what_would_take_hours_is_not_begun(tmp_path):
    done = ricochet(*SIMULATE, "--out", tmp_path)
    (file,) = tmp_path.glob("*.json")
    assert done.returncode == 0
    file.write_text(file.read_text().replace('"rounds": 3000000', '"rounds": 300000000000'))
    start = time.monotonic()
    done = ricochet("verify", file)
    assert done.returncode == 2
    assert "hours" in done.stderr
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workers", "0"), "--workers"),
        (("--executor", "thread"), "did you mean threads"),
        (("--rounds", "0"), "--rounds"),
        (("--rounds", str(10**13 + 1)), "--rounds"),
        (("--seed", "-1"), "--seed"),
        (("--seed", str(2**64)), "--seed"),
        (("--resume",), "--store"),
        (("--strategy", "collective"), "ricochet certify --players 3"),
        (("--strategy", "allways_play"), "did you mean always_play"),
        (("--strategy", "always_play", "--strategy", "always_fold"), "3 players"),
    ],
)
def test_bad_words(words, said, tmp_path):
    done = ricochet("simulate", "rulebook", "--players", "3", *words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_store_that_is_a_file_or_something_else(tmp_path):
    (tmp_path / "file").write_text("kept")
    done = ricochet(*SIMULATE, "--store", tmp_path / "file")
    assert done.returncode == 2
    assert (tmp_path / "file").read_text() == "kept"
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("kept")
    for more in ((), ("--resume",), ("--restart",)):
        done = ricochet(*SIMULATE, "--store", tmp_path / "folder", *more)
        assert done.returncode == 2
        assert [path.name for path in (tmp_path / "folder").iterdir()] == ["thesis.txt"]
    assert ricochet("runs", "clean", tmp_path / "folder", "--everything", "--yes").returncode == 2
    assert ricochet("runs", "list", tmp_path / "folder").stdout.strip().endswith("no runs")
    assert ricochet("runs", "show", tmp_path / "nowhere").returncode == 2


def test_a_simulation_in_text_and_csv():
    text = ricochet("simulate", "rulebook", "--rounds", "100000").stdout
    assert "raw rounds" in text
    assert "empirical Bernstein" in text or "empirical bernstein" in text
    table = ricochet("simulate", "rulebook", "--rounds", "100000", "--format", "csv").stdout
    assert re.search(r"^main,1,collective,figure,house_edge,", table, re.M)
