"""What scheduling and storing cost, and what a second worker gains.

``python tests/benchmarks/bench_runs.py [ROUNDS]`` prints

* the cost of handing out, adding up and storing one block, measured with blocks that compute
  nothing, and as a share of a block of 20 ms, the shortest that is reasonable;
* the share of a stored run of one worker that is not spent in its shards, which is more, since
  the caches are cold after every block (medians);
* the time of one worker over that of two, stored, compute phase only: the workers are warm (medians
  of rounds in which all kinds take turns, 7 by default). ``bare`` is the same work in two programs
  that know nothing of each other: what the machine gives at that moment.

The stores are made in the folder for temporary files: TMPDIR=/dev/shm shows the cost without that
of making a file on the disk at hand.
"""

import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numba import njit

from ricochet_casino.experiment import Result, Shard, Tally
from ricochet_casino.runs import Store, Workers, run, run_blocks

BUILDER = "bench_runs:build"
SHORT = 0.020
NOTHING_BLOCKS = 2_000
BLOCKS = 24
KINDS = ("numba", "numpy", "python")


@njit(nogil=True)
def mix(seed, rounds):
    """A loop of integer arithmetic that lets other threads run."""
    state = np.uint64(seed)
    for _ in range(rounds):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
    return state & np.uint64(0xFFFF)


class Work:
    """Blocks of one shard that compute for some tens of milliseconds.

    ``kind`` is ``nothing``, ``numba`` (releases the interpreter), ``numpy`` (releases it most of
    the time) or ``python`` (never does).
    """

    name = "work"
    block_shards = 1
    prefers = "processes"

    def __init__(self, kind, blocks):
        self.kind, self.blocks = kind, blocks

    def spec(self):
        parameters = {"kind": self.kind, "blocks": self.blocks}
        return {"game": "none", "experiment": self.name, "parameters": parameters}

    def shards(self):
        return [Shard(str(number), number) for number in range(self.blocks)]

    def run(self, shard):
        seed = shard.data + 1
        if self.kind == "numba":
            value = int(mix(seed, 25_000_000))
        elif self.kind == "numpy":
            numbers = np.arange(700_000, dtype=np.uint64) * np.uint64(seed * 2**40 + 9)
            value = int(np.sort(numbers)[7])
        elif self.kind == "python":
            value = sum(number * seed % 7 for number in range(700_000))
        else:
            value = seed
        # About as much as the one-player experiment tells of a block.
        return Tally({f"count.{number}": value + number for number in range(60)})

    def result(self, tally):
        return Result("exact", dict(tally.counts))


def build(spec):
    """Make the experiment again, in a worker."""
    return Work(**spec["parameters"])


def timed(function, *arguments, **options):
    """Seconds that a call takes."""
    start = time.perf_counter()
    function(*arguments, **options)
    return time.perf_counter() - start


def bare_loop(work):
    """The work without `runs`."""
    Tally.total(work.run(shard) for shard in work.shards())


@contextlib.contextmanager
def new_store(work):
    """A store in a new folder."""
    with tempfile.TemporaryDirectory() as folder, Store.open(folder, {"bench": 1}) as store:
        yield store.experiment(work)


def per_block():
    """Cost of a block that computes nothing, by executor, without and with a store."""
    work = Work("nothing", NOTHING_BLOCKS)
    base = min(timed(bare_loop, work) for _ in range(3))
    for kind, count in (("serial", 1), ("threads", 2), ("processes", 2)):
        with Workers(count) as workers:
            options = {"workers": workers, "executor": kind, "builder": BUILDER}
            run(work, **options)
            plain = min(timed(run_blocks, work, **options) for _ in range(3))
            stored = []
            for _ in range(3):
                with new_store(work) as store:
                    stored.append(timed(run_blocks, work, store=store, **options))
                    read = timed(run_blocks, work, store=store, **options)
        costs = [(seconds - base) / NOTHING_BLOCKS for seconds in (plain, min(stored), read)]
        shares = [f"{100 * cost / SHORT:5.2f} %" for cost in costs[:2]]
        micro = [f"{1e6 * cost:6.0f} us" for cost in costs]
        print(
            f"  {kind:10} handed out {micro[0]} ({shares[0]} of 20 ms)"
            f"   and stored {micro[1]} ({shares[1]})   read and verified {micro[2]}"
        )


def overhead(kind, rounds):
    """Share of a serial run with a store that is not spent in shards, and seconds of a shard."""
    work = Work(kind, BLOCKS)
    inside = []
    compute = work.run
    compute(work.shards()[0])

    def run_timed(shard):
        start = time.perf_counter()
        tally = compute(shard)
        inside.append(time.perf_counter() - start)
        return tally

    work.run = run_timed
    shares, lengths = [], []
    for _ in range(rounds):
        inside.clear()
        with new_store(work) as store:
            seconds = timed(run, work, store=store)
        shares.append(1 - sum(inside) / seconds)
        lengths.append(statistics.median(inside))
    return statistics.median(shares), statistics.median(lengths)


BARE = """
import sys
from bench_runs import Work
work = Work(sys.argv[1], int(sys.argv[2]))
shards = work.shards()
work.run(shards[0])
for line in iter(sys.stdin.readline, ""):
    for shard in shards[:int(line)]:
        work.run(shard)
    print(flush=True)
"""


@contextlib.contextmanager
def bare_programs(kind):
    """Two programs that compute blocks without `runs`; gives a function of how many are to work."""
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", BARE, kind, str(BLOCKS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent,
        )
        for _ in range(2)
    ]

    def work(count):
        for program in programs[:count]:
            program.stdin.write(f"{BLOCKS // count}\n")
            program.stdin.flush()
        for program in programs[:count]:
            program.stdout.readline()

    work(2)
    yield work
    for program in programs:
        program.communicate()


def speedups(kind, rounds):
    """Medians of one worker's time over that of two, by the kind of worker."""
    work = Work(kind, BLOCKS)
    with Workers(1) as one, Workers(2) as two, bare_programs(kind) as bare:
        crews = {1: one, 2: two}

        def stored(executor, count):
            with new_store(work) as store:
                options = {"workers": crews[count], "executor": executor, "builder": BUILDER}
                return timed(run, work, store=store, **options)

        takers = {
            "bare": lambda count: timed(bare, count),
            "threads": lambda count: stored("threads", count),
            "processes": lambda count: stored("processes", count),
        }
        ratios = {name: [] for name in takers}
        for turn in range(rounds + 1):
            for name, take in takers.items():
                seconds = {count: take(count) for count in ((1, 2) if turn % 2 else (2, 1))}
                ratios[name].append(seconds[1] / seconds[2])
    return {name: statistics.median(found[1:]) for name, found in ratios.items()}


def main():
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print("cost of a block (target: under 5 % of a run)")
    per_block()
    for kind in KINDS:
        share, length = overhead(kind, rounds)
        print(
            f"  {kind:10} blocks of {1e3 * length:3.0f} ms: {100 * share:5.2f} % (serial, stored)"
        )
    print("one worker over two, stored, compute phase (target: 1.8)")
    for kind in KINDS:
        found = speedups(kind, rounds)
        print(f"  {kind:10} {'   '.join(f'{name} {ratio:4.2f}' for name, ratio in found.items())}")


if __name__ == "__main__":
    main()
