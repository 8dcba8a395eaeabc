"""The spectrum: building, loading, re-pricing and tuning, beside the one-player certificate.

``python tests/benchmarks/bench_spectrum.py [COMBINATIONS] [WORKERS]`` prints medians. Whole
processes are run in turn, after a warm-up; the compiler's cache is warm. COMBINATIONS (2,000 by
default) is the size of the grid that is tuned with WORKERS threads (2); 100000 is that of the
target. That the figures are those of the experiment run directly is checked.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.spectrum import load_spectrum
from ricochet_casino.lab.grid import read_grid
from ricochet_casino.lab.reprice import apply_settings, reprice
from ricochet_casino.lab.tune import Goal, tune
from ricochet_casino.runs import run

CERTIFY = [
    sys.executable, "-m", "ricochet_casino", "certify", "rulebook", "--players", "1", "--format",
    "json",
]  # fmt: skip
REPRICE = [sys.executable, "-m", "ricochet_casino", "reprice", "rulebook", "--set", "ante=1"]
BUILD = [
    sys.executable, "-c",
    "from ricochet_casino.games.ricochet_poker.spectrum import load_spectrum; load_spectrum()",
]  # fmt: skip
GRIDS = {  # the last axis makes up the size
    "bonus.straight": (1, 4),
    "bonus.flush": (4, 8),
    "bonus.full_house": (8, 12),
    "kickout.1": ("KKT", "AA"),
}


def process(command, folder):
    """Seconds of a whole process with this cache folder."""
    environment = {**os.environ, "RICOCHET_CACHE": str(folder)}
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True, env=environment)
    return time.perf_counter() - start


def median(action, runs):
    """Median wall and processor time of an action, in milliseconds."""
    times = []
    for _ in range(runs):
        wall, own = time.perf_counter(), time.process_time()
        action()
        times.append((time.perf_counter() - wall, time.process_time() - own))
    return tuple(1000 * statistics.median(column) for column in zip(*times, strict=True))


def whole_processes(runs=5):
    """Certificate with and without the check, building and loading, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for _ in range(runs + 1):
            with tempfile.TemporaryDirectory() as empty:
                built = process(BUILD, empty)
            rows.append(
                (process(CERTIFY, folder), process([*CERTIFY, "--check", "0"], folder), built,
                 process(BUILD, folder), process(REPRICE, folder))
            )  # fmt: skip
        rows = rows[1:]
        (file,) = Path(folder).iterdir()
        size = file.stat().st_size
    names = ("certificate", "certificate, --check 0", "building", "loading", "reprice")
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        print(f"process: {name:<28} {statistics.median(column):8.2f} s")
    for name, column in (("certificate", 0), ("certificate, --check 0", 1)):
        ratio = statistics.median(row[2] / row[column] for row in rows)
        print(f"building / {name:<25} {ratio:8.2f}")
    print(f"file {size / 2**20:38.1f} MiB")


def in_process(folder):
    """One paytable, warm."""
    spectrum = load_spectrum(folder)
    paytable = load_paytable("rulebook")
    rules = paytable.rules(1)
    other = apply_settings(paytable, ["bonus.flush=6", "kickout.1=AA"])
    expected = run(Solo(paytable)).entry
    assert spectrum.entry(rules) == expected
    for name, action, runs in (
        ("the experiment", lambda: run(Solo(paytable)), 5),
        ("quick figures", lambda: spectrum.quick(rules), 101),
        ("entry without hands", lambda: spectrum.entry(rules, by_hand=False), 51),
        ("entry in full", lambda: spectrum.entry(rules), 11),
        ("old and new side by side", lambda: reprice(paytable, other, spectrum), 31),
        ("kickout curve, 7,463 points", lambda: spectrum.kickout_curve(rules, range(7463)), 3),
    ):
        wall, own = median(action, runs)
        print(f"{name:<37} {wall:9.2f} ms, processor {own:9.2f} ms")
    return spectrum, paytable


def tuning(spectrum, paytable, combinations, workers):
    """A grid of so many combinations."""
    vary = [f"{key}={first}..{last}" for key, (first, last) in GRIDS.items()]
    size = read_grid(paytable, vary).count
    grid = read_grid(paytable, [*vary, f"bonus.four_of_a_kind=20..{19 + -(-combinations // size)}"])
    goal = Goal(Fraction("0.965"))
    start, own = time.perf_counter(), time.process_time()
    found = tune(paytable, grid, goal, spectrum, workers=workers)
    wall, own = time.perf_counter() - start, time.process_time() - own
    each = wall / grid.count
    print(
        f"tuning {grid.count:,} paytables, {workers} workers: {wall:.1f} s, processor {own:.1f} s, "
        f"{1000 * each:.2f} ms each; 10^5 in {each * 1e5 / 60:.1f} minutes; "
        f"{found['combinations']['met']:,} meet the target"
    )


def main() -> None:
    """Measure and print."""
    combinations = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with tempfile.TemporaryDirectory() as folder:
        spectrum, paytable = in_process(Path(folder))
        tuning(spectrum, paytable, combinations, workers)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"memory at most {peak / 2**20:.0f} MiB")
    whole_processes()


if __name__ == "__main__":
    main()
