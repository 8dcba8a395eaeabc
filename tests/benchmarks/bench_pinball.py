"""Pinball Ricochet: the compiled games against the referee, in turn, one core.

``python tests/benchmarks/bench_pinball.py [REPEATS]`` prints games a second, the median of REPEATS
(5 by default), and the ratio within each repeat. Shuffles are included. Everything is compiled
before it is timed, and time is that of the processor: other work on the machine counts less.
"""

import statistics
import sys
import time
from fractions import Fraction

from ricochet_casino.experiment import Shard
from ricochet_casino.games.pinball.deck_files import read_deck
from ricochet_casino.games.pinball.events import Rules
from ricochet_casino.games.pinball.measures import measures
from ricochet_casino.games.pinball.players import Player
from ricochet_casino.games.pinball.study import Study, refereed_game

GAMES, REFEREED = 1 << 13, 60


def seconds(function) -> float:
    """Processor seconds of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    deck = read_deck("fairest")
    print(f"{'players, errors':22}{'kernel, games/s':>17}{'referee, games/s':>18}{'ratio':>8}")
    for players, error, full_tilt in (
        (2, 0, False), (3, 0, False), (3, 5, False), (3, 5, True),
        (6, 0, False), (8, 0, False), (10, 0, False),
    ):  # fmt: skip
        rules = Rules(players, full_tilt=full_tilt)
        models = [Player(error=Fraction(error, 100))] * players
        study = Study(rules, deck, models, GAMES, 1)
        study.run(Shard("warm", [0, 10]))
        fast, slow = [], []
        for _ in range(repeats):
            fast.append(seconds(lambda: study.run(Shard("0", [0, GAMES]))) / GAMES)  # noqa: B023

            def referee() -> None:
                for number in range(REFEREED):
                    refereed_game(rules, deck, models, 1, number, record=False)  # noqa: B023

            slow.append(seconds(referee) / REFEREED)
        ratio = statistics.median(s / f for f, s in zip(fast, slow, strict=True))
        name = f"{players}, {error} %{' Full Tilt' if full_tilt else ''}"
        kernel, plain = 1 / statistics.median(fast), 1 / statistics.median(slow)
        print(f"{name:22}{kernel:17,.0f}{plain:18,.0f}{ratio:8.0f}")
    measures(deck)
    for full_tilt in (False, True):
        took = statistics.median(seconds(lambda: measures(deck, full_tilt)) for _ in range(3))  # noqa: B023
        print(f"measures, {5 if full_tilt else 4} outer cards: {took:.2f} s")


if __name__ == "__main__":
    main()
