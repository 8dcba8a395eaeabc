"""What a second worker gains on entries of a batch, and what Dask costs.

``python tests/benchmarks/bench_batch.py [ROUNDS] [SHORT_BLOCKS]`` prints

* the time of one worker over that of two, compute phase only (the workers are warm), for the exact
  one-player game and a table of seven: medians of rounds in which all kinds take turns (5 by
  default); before them what two busy loops get done beside one, which is what the machine gives at
  that moment;
* the time of two workers of a Dask cluster over that of two local ones, for the same work;
* 5,000 blocks (or so many) that sleep for 20 ms each, on two workers, over the ideal, by executor.
"""

import os
import statistics
import sys
import time

from ricochet_casino.experiment import Result, Shard, Tally
from ricochet_casino.games import load_paytable
from ricochet_casino.runs import Workers, run_blocks

SHORT = 0.020
SEVEN_DEALS = 1 << 17
KINDS = ("serial", "local", "dask 1", "dask 2")


class Naps:
    """Blocks of one shard that sleep."""

    name = "naps"
    block_shards = 1
    prefers = "processes"

    def __init__(self, blocks, seconds):
        self.blocks, self.seconds = blocks, seconds

    def spec(self):
        parameters = {"blocks": self.blocks, "microseconds": round(1e6 * self.seconds)}
        return {"game": "none", "experiment": self.name, "parameters": parameters}

    def shards(self):
        return [Shard(str(number), number) for number in range(self.blocks)]

    def run(self, shard):
        time.sleep(self.seconds)
        # About as much as the one-player experiment tells of a block.
        return Tally({f"count.{number}": shard.data + number for number in range(60)})

    def result(self, tally):
        return Result("exact", dict(tally.counts))


def build(spec):
    """Make the experiment again, in a worker."""
    parameters = spec["parameters"]
    return Naps(parameters["blocks"], parameters["microseconds"] / 1e6)


def seven_players():
    """A sample of a table of seven, with the controls of a small pilot."""
    from ricochet_casino.games.ricochet_poker.table_sampling import Pilot, TableSample

    paytable, seats = load_paytable("rulebook"), ("collective",) * 7
    pilot = run_blocks(sample := TableSample(paytable, 7, seats, 1 << 12, 1))
    found = Pilot.from_json(sample.result(pilot.total).entry)
    return TableSample(paytable, 7, seats, SEVEN_DEALS, 1, found)


def solo():
    """The exact game of one player."""
    from ricochet_casino.games.ricochet_poker.solo import Solo

    return Solo(load_paytable("rulebook"), "collective")


def measure(experiment, rounds):
    """Seconds by kind of worker, round by round; the first round warms up and is left out."""
    with Workers(1) as one, Workers(2) as two, Workers(1) as far, Workers(2) as farther:
        crews = {"serial": one, "local": two, "dask 1": far, "dask 2": farther}
        found = {kind: [] for kind in KINDS}
        for turn in range(rounds + 1):
            for kind in KINDS if turn % 2 else reversed(KINDS):
                executor = "dask" if kind.startswith("dask") else "auto"
                start = time.perf_counter()
                run_blocks(experiment, workers=crews[kind], executor=executor)
                found[kind].append(time.perf_counter() - start)
    return {kind: seconds[1:] for kind, seconds in found.items()}


def median_ratio(found, above, below):
    """Median of the ratios of interleaved pairs."""
    return statistics.median(a / b for a, b in zip(found[above], found[below], strict=True))


def two_bare_cores(rounds):
    """How much two busy loops get done beside one: what the machine gives at the moment."""
    code = "import time; s = time.perf_counter()\nfor _ in range(2 * 10**7): pass\n"
    code += "print(time.perf_counter() - s)"
    import subprocess

    ratios = []
    for _ in range(rounds):
        times = {}
        for count in (1, 2):
            programs = [
                subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
                for _ in range(count)
            ]
            times[count] = statistics.mean(float(one.communicate()[0]) for one in programs)
        ratios.append(2 * times[1] / times[2])
    return statistics.median(ratios)


def main():
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    blocks = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    print(f"two busy loops beside one: {two_bare_cores(rounds):.2f} (2 on two free cores)")
    print("one worker over two, compute phase (target: 1.8); Dask over local (target: 1.05)")
    for name, experiment in (("exact solo", solo()), ("seven players", seven_players())):
        found = measure(experiment, rounds)
        print(
            f"  {name:14} one {statistics.median(found['serial']):6.2f} s   "
            f"one over two: local {median_ratio(found, 'serial', 'local'):4.2f}, "
            f"dask {median_ratio(found, 'serial', 'dask 2'):4.2f}   Dask over local: "
            f"one worker {median_ratio(found, 'dask 1', 'serial'):5.3f}, "
            f"two {median_ratio(found, 'dask 2', 'local'):5.3f}"
        )
    print(f"{blocks:,} blocks of 20 ms on two workers, over the ideal (target: 1.5)")
    for executor in ("threads", "processes", "dask"):
        with Workers(2) as workers:
            options = {"workers": workers, "executor": executor, "builder": "bench_batch:build"}
            run_blocks(Naps(4, SHORT), **options)
            start = time.perf_counter()
            run_blocks(Naps(blocks, SHORT), **options)
            ratio = (time.perf_counter() - start) / (blocks * SHORT / 2)
        print(f"  {executor:10} {ratio:5.2f}")


if __name__ == "__main__":
    main()
