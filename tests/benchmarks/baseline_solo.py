"""The straightforward exact solution: one thread, every starting hand against every dealer hand.

For each of the 169 starting hands the completions are counted cumulatively by class: all of them,
those that hold a given card, and those that hold two given cards. Then each of the 2,118,760 dealer
hands takes 26 look-ups (inclusion and exclusion over her cards): C(5,0) + C(5,1) + C(5,2) counts
and C(5,3) comparisons, and as many for the bonuses. It is the measure of bench_solo.py, and a
second, independent computation of the golden integers: run as a script it prints them.
"""

import json
from math import comb

import numpy as np
from numba import njit

from ricochet_casino.cards.classes import N_CLASSES, class_of_ranks
from ricochet_casino.cards.evaluate import evaluate_hands
from ricochet_casino.cards.subsets import all_subsets
from ricochet_casino.games.ricochet_poker.deals import starting_hands
from ricochet_casino.games.ricochet_poker.paytable import line_names

BONUS = {"straight": 2, "flush": 5, "full_house": 10, "four_of_a_kind": 25,
         "straight_flush": 100, "royal_flush": 1000}  # fmt: skip
KICKOUT = class_of_ranks((11, 11, 10, 1, 0))
COMPLETIONS = comb(45, 3)


@njit(cache=True)
def cumulate(triples, classes, paid, none, one, two, bonus0, bonus1, bonus2):
    """Completions at or above each class: all, by one card, by two; bonus chips likewise."""
    for t in range(triples.shape[0]):
        a, b, c = triples[t]
        k = classes[t]
        x = paid[k]
        none[k] += 1
        bonus0[0] += x
        for i in (a, b, c):
            one[k, i] += 1
            bonus1[i] += x
        for i, j in ((a, b), (a, c), (b, c)):
            two[k, i, j] += 1
            bonus2[i, j] += x
    for k in range(none.shape[0] - 2, -1, -1):
        none[k] += none[k + 1]
        for i in range(50):
            one[k, i] += one[k + 1, i]
            for j in range(i + 1, 50):
                two[k, i, j] += two[k + 1, i, j]


@njit(cache=True)
def solve(fives, dealer_class, rank3, triple_class, paid, kickout, none, one, two, b0, b1, b2, out):
    """Fold, play and kickout deals, winning completions, bonus chips played and kicked out."""
    for n in range(fives.shape[0]):
        d = dealer_class[n]
        five = fives[n]
        bonus = b0[0]
        for i in range(5):
            bonus -= b1[five[i]]
            for j in range(i + 1, 5):
                bonus += b2[five[i], five[j]]
                for k in range(j + 1, 5):
                    bonus -= paid[triple_class[rank3[0, five[i]] + rank3[1, five[j]]
                                               + rank3[2, five[k]]]]  # fmt: skip
        if d >= kickout:
            out[2] += 1
            out[5] += bonus
            continue
        wins = none[d]
        for i in range(5):
            wins -= one[d, five[i]]
            for j in range(i + 1, 5):
                wins += two[d, five[i], five[j]]
                for k in range(j + 1, 5):
                    t = rank3[0, five[i]] + rank3[1, five[j]] + rank3[2, five[k]]
                    wins -= triple_class[t] >= d
        if 3 * wins - 14190 + bonus >= 0:
            out[1] += 1
            out[3] += wins
            out[4] += bonus
        else:
            out[0] += 1


def main() -> None:
    """Print the integers of the rulebook's game as JSON."""
    paid = np.zeros(N_CLASSES, dtype=np.int64)
    for name, chips in BONUS.items():
        paid[line_names()[name] :] = chips
    triples, fives = all_subsets(50, 3), all_subsets(50, 5)
    rank3 = np.array([[comb(i, k) for i in range(50)] for k in (1, 2, 3)], dtype=np.int64)
    total = np.zeros(6, dtype=np.int64)
    for hand in starting_hands():
        rest = np.array([c for c in range(52) if c not in hand.cards], dtype=np.uint8)
        whole = np.empty((len(triples), 5), dtype=np.uint8)
        whole[:, :2] = hand.cards
        whole[:, 2:] = rest[triples]
        classes = evaluate_hands(whole, check=False)
        none = np.zeros(N_CLASSES + 1, dtype=np.int32)
        one = np.zeros((N_CLASSES + 1, 50), dtype=np.int32)
        two = np.zeros((N_CLASSES + 1, 50, 50), dtype=np.int16)
        b0, b1, b2 = np.zeros(1, np.int64), np.zeros(50, np.int64), np.zeros((50, 50), np.int64)
        cumulate(triples, classes, paid, none, one, two, b0, b1, b2)
        out = np.zeros(6, dtype=np.int64)
        dealer = evaluate_hands(rest[fives], check=False)
        solve(fives, dealer, rank3, classes, paid, KICKOUT, none, one, two, b0, b1, b2, out)
        total += hand.deals * out
    names = ("fold_deals", "play_deals", "kickout_deals", "winning_completions",
             "bonus_chips_when_playing", "bonus_chips_when_kicked")  # fmt: skip
    print(json.dumps(dict(zip(names, total.tolist(), strict=True)), indent=1))


if __name__ == "__main__":
    main()
