"""All deals of two players: time for random dealer's hands, for classes, and deal by deal.

python tests/benchmarks/bench_two_players_exact.py [hands]

Times are processor time of one thread, so that other work on the machine disturbs them less.
"""

import random
import statistics
import sys
import time

import numpy as np
from numba import njit

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.subsets import representatives
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.table_arrays import (
    fill_stub,
    pair_number,
    terms_of,
    work_for,
)
from ricochet_casino.games.ricochet_poker.table_choice_kernel import (
    group_pair_kernel,
    refresh_kernel,
)
from ricochet_casino.games.ricochet_poker.two_players_cells import (
    DEALS_PER_DEALER,
    STUB,
    ExactTable,
    dealers_of_class,
    dealers_of_hand,
)
from ricochet_casino.games.ricochet_poker.two_players_exact import SampledHands

SEED = 20_261_130


def seconds(table, dealers):
    begin = time.thread_time()
    table.sums(dealers)
    return time.thread_time() - begin


def spread(name, times):
    times = sorted(times)
    print(
        f"{name}: {len(times)} timed, mean {statistics.mean(times):.3f} s, deviation "
        f"{statistics.stdev(times):.3f}, {times[0]:.3f} to {times[-1]:.3f}, median "
        f"{statistics.median(times):.3f}"
    )


@njit
def again(times, to_reach, game, work):
    for _ in range(times):
        refresh_kernel(0, to_reach, game, work)
        group_pair_kernel(0, STUB, 3, to_reach, game, True, work)


def deal_by_deal(rules, rng, number=300, times=40):
    """Microseconds of the kernel for one deal to a dealer who stands."""
    work, game = work_for(rules, ("collective",) * 2), terms_of(rules)
    total = 0.0
    for timed in range(-1, number):
        cards = rng.sample(range(52), 9)
        fill_stub(work, [card for card in range(52) if card not in cards])
        for place, (a, b) in enumerate((cards[:2], cards[2:4])):
            suit = a & 3 if a & 3 == b & 3 else -1
            work.holes[place] = pair_number(a >> 2, b >> 2), suit, a, b
        begin = time.thread_time()
        again(times, rng.randrange(rules.kickout_class), game, work)
        if timed >= 0:
            total += time.thread_time() - begin
    return total / number / times * 1e6


def main():
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    rules, rng = load_paytable("rulebook").rules(2), random.Random(SEED)
    table, known = ExactTable(rules), len(representatives(5)[0])
    table.by_ranks(dealers_of_hand(0), np.zeros((91, 91), dtype=np.bool_))  # compiles
    dealers_of_class(0)

    micro = deal_by_deal(rules, rng)
    one = micro * DEALS_PER_DEALER / 1e6
    print(
        f"deal by deal: {micro:.1f} us, {one:.1f} s a hand, {one * known / 3600:.0f} hours for all"
    )
    times = [seconds(table, dealers_of_hand(p)) for p in SampledHands(hands, SEED).indices()]
    spread("dealer's hands drawn at random", times)
    print(f"all {known:,} hands one by one: {statistics.mean(times) * known / 3600:.1f} hours")
    ends = ((0, 1277), (1277, rules.kickout_class), (rules.kickout_class, N_CLASSES))
    whole = 0.0
    names = ("high card", "pair, she stands", "kicked out")
    for (low, high), name in zip(ends, names, strict=True):
        some = [seconds(table, dealers_of_class(c)) for c in rng.sample(range(low, high), 12)]
        spread(f"classes, {name}", some)
        whole += statistics.mean(some) * (high - low)
    print(f"all {N_CLASSES:,} classes: {whole / 60:.1f} minutes")


if __name__ == "__main__":
    main()
