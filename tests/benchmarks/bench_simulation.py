"""Raw rounds: the compiled kernels against the referee, and two threads against one.

``python tests/benchmarks/bench_simulation.py [PAIRS]`` prints rounds a second for one to seven
players who always play, and for one player with the collective optimum, then the median over
interleaved pairs (9 by default) of the speed of two threads over that of one. Everything is
compiled, and all tables are made, before it is timed.
"""

import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from ricochet_casino.cards.shuffle import deals
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.simulation import BLOCK, STREAM, Simulation
from ricochet_casino.games.ricochet_poker.solo import SoloPolicy
from ricochet_casino.games.ricochet_poker.strategy import POLICIES

REFEREED = 2_000
REPEATS = 5
BLOCKS_PER_THREAD = 4


def seconds(function) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def referee_seconds(simulation: Simulation) -> float:
    """Seconds of a refereed round, cards dealt beforehand by the vectorised shuffle included."""
    rules = simulation.rules
    strategy = simulation.names[0]
    policy = POLICIES.get(strategy) or SoloPolicy(rules, strategy)

    def play() -> None:
        width = 5 * rules.players + 5
        for deck in deals(simulation.seed, STREAM, 0, REFEREED, count=width).tolist():
            play_round(rules, deck, policy, record=False)

    play()  # a solved policy works hands out when they are first dealt
    return seconds(play) / REFEREED


def scaling(simulation: Simulation, pairs: int) -> float:
    """Rounds a second of two threads over those of one, median of interleaved pairs."""
    shards = list(simulation.shards())
    ratios = []
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(simulation.run, shards[:2]))
        for _ in range(pairs):
            one = seconds(lambda: [simulation.run(s) for s in shards[:BLOCKS_PER_THREAD]])
            two = seconds(lambda: list(pool.map(simulation.run, shards[: 2 * BLOCKS_PER_THREAD])))
            ratios.append(2 * one / two)
    return statistics.median(ratios)


def main() -> None:
    """Measure and print."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    paytable = load_paytable("rulebook")
    rounds = 2 * BLOCKS_PER_THREAD * BLOCK
    cases = [(players, "always_play") for players in range(1, 8)] + [(1, "collective")]
    print(f"{'players, strategy':24}{'kernel, rounds/s':>18}{'referee, rounds/s':>19}{'ratio':>8}")
    for players, strategy in cases:
        simulation = Simulation(paytable, players, strategy, rounds, 1)
        shard = simulation.shards()[0]
        simulation.run(shard)
        fast, slow = [], []
        for _ in range(REPEATS):
            fast.append(seconds(lambda: simulation.run(shard)) / BLOCK)  # noqa: B023
            slow.append(referee_seconds(simulation))
        ratio = statistics.median(s / f for f, s in zip(fast, slow, strict=True))
        kernel, referee = 1 / statistics.median(fast), 1 / statistics.median(slow)
        print(f"{players}, {strategy:21}{kernel:18,.0f}{referee:19,.0f}{ratio:8.0f}")
    for players in (1, 7):
        simulation = Simulation(paytable, players, "always_play", rounds, 1)
        ratio = scaling(simulation, pairs)
        print(f"two threads against one, {players} players (median of {pairs} pairs) {ratio:6.2f}")


if __name__ == "__main__":
    main()
