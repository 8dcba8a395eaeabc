"""Whole processes, in turn: the exact one-player certificate against the straightforward solution.

``python tests/benchmarks/bench_solo.py [RUNS]`` prints the median of the pairwise ratios (5 runs by
default), after one warm-up run of each. Both compute the same integers, which is checked.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

CERTIFY = [
    sys.executable, "-m", "ricochet_casino", "certify", "rulebook", "--players", "1",
    "--check", "0", "--format", "json",
]  # fmt: skip
BASELINE = [sys.executable, str(Path(__file__).with_name("baseline_solo.py"))]
HELP = [sys.executable, "-m", "ricochet_casino", "--help"]


def timed(command):
    """Seconds of a whole process, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    expected = json.loads(timed(BASELINE)[1])
    found = json.loads(timed(CERTIFY)[1])["certified"]["results"][0]["counts"]
    for name in found.keys() & expected.keys():
        assert found[name] == expected[name], name
    pairs = [(timed(BASELINE)[0], timed(CERTIFY)[0], timed(HELP)[0]) for _ in range(runs)]
    slow, fast, start = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other, _ in pairs)
    print(f"straightforward inclusion-exclusion, one thread  {slow:8.2f} s")
    print(f"ricochet certify rulebook --check 0              {fast:8.2f} s")
    print(f"ricochet --help                                  {start:8.2f} s")
    print(f"ratio of the first two (median of {runs} pairs)       {ratio:8.1f}")


if __name__ == "__main__":
    main()
