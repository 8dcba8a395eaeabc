"""How fast hands are evaluated, against phevaluator's fastest documented Python call.

Run: ``python tests/benchmarks/bench_evaluate.py [--hands N] [--rounds N]``. All contestants of a
row take turns in the same run, on the same random hands in random card order, and the medians of
their times are compared. phevaluator has no call for many hands: its fastest documented call is
``evaluate_5cards`` (6, 7) with integer codes (which are ours: 4 * rank + suit), here driven by
``itertools.starmap`` on ready-made tuples, the cheapest loop that Python has. It gets fewer hands
per turn; rates are compared.
"""

import argparse
import statistics
import time
from collections import deque
from collections.abc import Callable
from itertools import starmap

import numpy as np
from phevaluator.evaluator import evaluate_5cards, evaluate_6cards, evaluate_7cards

from ricochet_casino.cards.additive import five_card_classes
from ricochet_casino.cards.evaluate import evaluate_hands
from ricochet_casino.cards.shuffle import deals

ORACLES = {5: evaluate_5cards, 6: evaluate_6cards, 7: evaluate_7cards}
ORACLE_HANDS = 100_000
TARGETS = {5: 60, 7: 30}

Contestant = tuple[str, int, Callable[[], object]]


def contestants(width: int, n_hands: int) -> list[Contestant]:
    """Name, hands per call, and call; phevaluator last."""
    hands = np.ascontiguousarray(deals(1, width, 0, n_hands, count=width))
    out = np.empty(n_hands, dtype=np.uint16)
    tuples = list(map(tuple, hands[:ORACLE_HANDS].tolist()))
    oracle = ORACLES[width]
    theirs = np.array(list(starmap(oracle, tuples)))
    if not np.array_equal(7462 - theirs, evaluate_hands(hands[:ORACLE_HANDS])):
        raise AssertionError("the contestants disagree")
    wide = hands.astype(np.int64)
    rows: list[Contestant] = [
        ("kernel, reused output", n_hands, lambda: evaluate_hands(hands, check=False, out=out)),
        ("checked, reused output", n_hands, lambda: evaluate_hands(hands, out=out)),
        ("checked, new output", n_hands, lambda: evaluate_hands(hands)),
        ("checked, int64 input", n_hands, lambda: evaluate_hands(wide)),
    ]
    if width == 5:
        rows.append(("numpy only, unchecked", n_hands, lambda: five_card_classes(hands)))
    name = f"phevaluator {oracle.__name__}"
    rows.append((name, len(tuples), lambda: deque(starmap(oracle, tuples), maxlen=0)))
    return rows


def measure(rows: list[Contestant], rounds: int) -> list[float]:
    """Median rate of each contestant in hands per second; they take turns."""
    times: list[list[float]] = [[] for _ in rows]
    for turn in range(rounds + 1):
        for row, (_, _, call) in enumerate(rows):
            start = time.perf_counter()
            call()
            if turn:  # the first round compiles and warms up
                times[row].append(time.perf_counter() - start)
    return [
        n_hands / statistics.median(taken)
        for (_, n_hands, _), taken in zip(rows, times, strict=True)
    ]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    print(
        f"{options.hands:,} random hands, one thread, medians of {options.rounds} alternating runs"
    )
    print(f"{'cards':>5}  {'what':<28}{'M hands/s':>10}{'x phevaluator':>15}")
    for width in (5, 6, 7):
        rows = contestants(width, options.hands)
        rates = measure(rows, options.rounds)
        for (name, _, _), rate in zip(rows, rates, strict=True):
            print(f"{width:>5}  {name:<28}{rate / 1e6:>10.1f}{rate / rates[-1]:>15.1f}")
        if width in TARGETS:
            met = "met" if rates[0] >= TARGETS[width] * rates[-1] else "MISSED"
            print(f"{width:>5}  target: kernel at least {TARGETS[width]}x phevaluator: {met}")


if __name__ == "__main__":
    main()
