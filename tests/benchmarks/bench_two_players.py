"""How fast the last two players are solved, against enumerating every pair of completions.

Run: ``python tests/benchmarks/bench_two_players.py [--deals N] [--brute N]``. The brute force goes
through all 12,341 x 9,880 pairs of completions of a deal with the classes already known and counts,
per completion of the first, the second's wins and bonuses (`collective`) or the hands above hers
and level with hers (`individual`): the same counts as the kernels. One thread; the dealer stands in
all deals. The contestants see the same deals, and their answers are compared.
"""

import argparse
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numba import njit

from ricochet_casino.cards.classes import class_of
from ricochet_casino.cards.shuffle import deals
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker import two_players
from ricochet_casino.games.ricochet_poker.two_players_position import Position, position


@njit
def brute_collective(first, second, masks, dealer_class, bonus, pot, price):
    """Completions of the second that win, over the pairs in which he plays."""
    won = 0
    for i in range(first.size):
        if first[i] >= dealer_class:
            continue
        wins = earned = 0
        for j in range(second.size):
            if masks[i] & masks[j] == 0:
                wins += second[j] >= dealer_class
                earned += bonus[second[j]]
        if pot * wins + earned >= price:
            won += wins
    return won


@njit
def brute_individual(first, second, masks, dealer_class, bonus, pot, price, share):
    """Ties over the pairs in which the second plays."""
    ties = 0
    for i in range(first.size):
        if first[i] < dealer_class:
            continue
        above = level = earned = 0
        for j in range(second.size):
            if masks[i] & masks[j] == 0:
                above += second[j] > first[i]
                level += second[j] == first[i]
                earned += bonus[second[j]]
        if pot * above + share * level + earned >= price:
            ties += level
    return ties


def positions(count: int) -> list[Position]:
    """Two-player deals of the rulebook's game in which the dealer stands."""
    rules = load_paytable("rulebook").rules(2)
    dealt = deals(1, 4, 0, 2 * count, count=9).tolist()
    standing = [cards for cards in dealt if class_of(cards[4:]) < rules.kickout_class]
    return [position(rules, [cards[:2], cards[2:4]], cards[4:]) for cards in standing[:count]]


def by_brute_force(strategy: str) -> Callable[[Position], int]:
    """The brute force for a strategy."""

    def solve(found: Position) -> int:
        pot, price = two_players._stakes(found)
        triples = np.array(list(combinations(found.stub, 3)), dtype=np.uint64)
        masks = (np.uint64(1) << triples).sum(axis=1, dtype=np.uint64)
        first, second = (two_players._classes(found, place) for place in (0, 1))
        bonus = two_players.bonus_by_class(found.rules.lines)
        if strategy == "collective":
            return brute_collective(first, second, masks, found.to_beat, bonus, pot, price)
        share = two_players.share(pot, 2, 1)
        return brute_individual(first, second, masks, found.to_beat, bonus, pot, price, share)

    return solve


def by_kernel(strategy: str) -> Callable[[Position], int]:
    """The kernels for a strategy: the same figure."""
    if strategy == "collective":
        return lambda found: two_players.pair_counts(found, with_bonus=True).second_wins
    return lambda found: sum(counts.ties for counts in two_players.reply_counts(found))


def by_decide(strategy: str) -> Callable[[Position], int]:
    """The whole decision: checks, odds, fractions."""

    def solve(found: Position) -> int:
        dealer = found.dead[:5]
        two_players.decide(found.rules, found.holes, dealer, strategy=strategy)
        return -1

    return solve


def measure(solve: Callable[[Position], int], given: list[Position]) -> tuple[float, list[int]]:
    """Deals per second, and the answers."""
    solve(given[0])  # compiles
    start = time.perf_counter()
    answers = [solve(found) for found in given]
    return len(given) / (time.perf_counter() - start), answers


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--brute", type=int, default=10)
    options = parser.parse_args()
    given = positions(options.deals)
    print(f"{'strategy':<12}{'what':<28}{'deals/s':>10}{'x brute force':>15}")
    for strategy in ("collective", "individual"):
        brute, expected = measure(by_brute_force(strategy), given[: options.brute])
        kernel, answers = measure(by_kernel(strategy), given)
        if answers[: options.brute] != expected:
            raise AssertionError("the contestants disagree")
        whole, _ = measure(by_decide(strategy), given)
        for what, rate in (
            ("every pair of completions", brute),
            ("look-ups, all from scratch", kernel),
            ("decide, a Python call", whole),
        ):
            print(f"{strategy:<12}{what:<28}{rate:>10.1f}{rate / brute:>15.1f}")


if __name__ == "__main__":
    main()
