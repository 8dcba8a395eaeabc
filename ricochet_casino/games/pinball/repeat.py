"""Why the last card so often lies where the one before lay: the exact chance for random decks.

After a round the start card moves to the place of the last card; the other outer cards stay, and
each of them has been *found*, so it is largest or smallest where the chain asked. The newcomer has
proved nothing, is found less often, and so is the last one more often than its share. For cards
with random numbers and balls the chance that the second round ends where the first did is a finite
sum: docs/math.md, section 15.4. From round to round the cards that stay are the stronger ones, and
the chance rises further; that is measured by `Study`.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import factorial

from ricochet_casino.games.pinball.deck import COLOURS, N_KINDS

Demand = tuple[int, int, tuple[int, ...]]
"""Whether the largest is asked for (1) or the smallest (0), the card found, and among which."""


def second_round_chance(n_outer: int) -> Fraction:
    """Chance that the second round of a game ends at the place of the first, for random cards.

    All orders of the cards' numbers are equally likely in each colour, as in a deck drawn at
    random, and all kinds of ball for each card, independently.

    Parameters
    ----------
    n_outer
        3 to 5 outer cards. Five take about a minute.

    Raises
    ------
    ValueError
        If there are others.
    """
    if not 3 <= n_outer <= 5:
        raise ValueError(f"3 to 5 outer cards, got {n_outer}")
    # Card i < n_outer is found in step i of the first chain, the last one is taken; card n_outer
    # is the first start card. Its kind is 1 without loss of generality: colours and directions
    # are alike. `balls` holds the kinds of cards 0 to n_outer - 2, then of the next start card.
    start = n_outer
    stay = tuple(range(n_outer - 1))
    total = 0
    for balls in product(range(N_KINDS), repeat=n_outer):
        kinds = {**dict(enumerate(balls[:-1])), start: 1}
        first = _demands(1, kinds, range(n_outer))
        for order in permutations(stay):
            second = _demands(balls[-1], kinds, (*order, start))
            total += _ways((*first, *second), n_outer + 1)
    orders = factorial(n_outer + 1) ** len(COLOURS)
    # Which card is found in which step of the first chain is free: n_outer! ways to name them.
    return Fraction(factorial(n_outer) * total, orders * N_KINDS**n_outer)


def _demands(
    kind: int, kinds: dict[int, int], chain: Sequence[int]
) -> Iterable[tuple[int, Demand]]:
    """What must hold for a chain to find the cards in this order: colour and demand by step."""
    found = []
    for step, card in enumerate(chain[:-1]):
        found.append((kind // 2, (kind % 2, card, tuple(sorted(chain[step:])))))
        kind = kinds[card]
    return found


def _ways(demands: Iterable[tuple[int, Demand]], cards: int) -> int:
    """Orders of the cards in all colours that meet the demands."""
    by_colour: list[list[Demand]] = [[] for _ in COLOURS]
    for colour, demand in demands:
        by_colour[colour].append(demand)
    ways = 1
    for asked in by_colour:
        ways *= _orders(tuple(sorted(asked)), cards)
        if not ways:
            break
    return ways


@cache
def _orders(demands: tuple[Demand, ...], cards: int) -> int:
    """Orders of the cards in one colour that meet the demands."""
    return sum(
        all(
            (max if large else min)(among, key=ranks.__getitem__) == card
            for large, card, among in demands
        )
        for ranks in permutations(range(cards))
    )
