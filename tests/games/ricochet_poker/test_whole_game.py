"""Long checks: every deal of the smallest deck, and full deals by brute force."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from ricochet_casino.cards.shuffle import deals
from ricochet_casino.cards.subsets import representatives
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.expectimax import optimum
from ricochet_casino.games.ricochet_poker.table_sampling import play_tables

UNIT = Fraction(1, 1 << 32)
LOWEST = 9  # jacks: the 16 cards that two players and the dealer can need, and one more


def rules_for(players, lowest_rank=0):
    rules = load_paytable("rulebook").rules(players)
    return replace(rules, lowest_rank=lowest_rank)


def decks_of(dealers):
    """All ways to deal two players in from what the dealers leave; the stub in any order."""
    low = 4 * LOWEST
    decks = []
    for dealer in dealers:
        rest = [card for card in range(low, 52) if card not in set(dealer)]
        for first in combinations(rest, 2):
            left = [card for card in rest if card not in first]
            decks += [
                (*first, *second, *dealer, *(card for card in left if card not in second))[:15]
                for second in combinations(left, 2)
                if first < second  # the seats do not matter
            ]
    return np.array(decks)


@pytest.mark.slow
def test_the_whole_game_of_sixteen_cards():
    rules = rules_for(2, LOWEST)
    hands, sizes = representatives(5)
    inside = (hands >= 4 * LOWEST).all(axis=1)
    assert int(sizes[inside].sum()) == comb(16, 5)
    total = truth = Fraction()
    weight = 0
    for dealer, size in zip(hands[inside].tolist(), sizes[inside].tolist(), strict=True):
        decks = decks_of([dealer])
        _, values = play_tables(rules, "collective", decks)
        total += size * int(values.value.sum()) * UNIT
        truth += size * sum(
            optimum(rules, [deck[0:2], deck[2:4]], deck[4:9]) for deck in decks.tolist()
        )
        weight += size * len(decks)
    assert weight == comb(16, 5) * comb(11, 2) * comb(9, 2) // 2
    assert abs(total - truth) < weight * 8 * UNIT
    exact = truth / weight

    number = 200_000
    drawn = deals(5, 9, 0, number, count=15, deck_size=16).astype(np.int64) + 4 * LOWEST
    _, values = play_tables(rules, "collective", drawn)
    found = values.value / 2.0**32
    error = found.std() / number**0.5
    assert error > 0
    assert abs(found.mean() - float(exact)) < 4 * error


@pytest.mark.slow
def test_two_players_by_brute_force():
    rules = rules_for(2)
    drawn = deals(11, 9, 0, 30, count=15).astype(np.int64)
    _, values = play_tables(rules, "collective", drawn)
    for deck, value in zip(drawn.tolist(), values.value.tolist(), strict=True):
        exact = optimum(rules, [deck[0:2], deck[2:4]], deck[4:9])
        assert abs(value * UNIT - exact) < 8 * UNIT
