"""Players who look after themselves, three or more of them left to act: `individual`.

A hand must survive everybody who acts later, and each of those plays if it pays for himself. All
that a later player looks at is the best hand so far, so the values are worked out from the last
player to the first, for every *level* of the best hand and every number of plays made: a level is
a class without its finer kickers (`levels`), or there would be 7,462 of them. Odds are marginal, as
in multiplayer.py.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.classes import Category, HandClass, classes
from ricochet_casino.games.ricochet_poker.two_players import bonus_by_class
from ricochet_casino.games.ricochet_poker.units import Rules

Int64 = NDArray[np.int64]

SCALE: Final = 1 << 20
"""Amounts are multiplied by this before a division rounds them down."""


def completions_of(cards: int) -> int:
    """How many sets of three the cards that can come hold."""
    return comb(cards, 3)


def check_amounts(rules: Rules) -> None:
    """Refuse amounts with which a decision of three or more players could leave 64 bits.

    Every product is at most twice the completions times `SCALE` times all that can be won: the pot
    with everybody's play bet, and a bonus for every player.

    Raises
    ------
    ValueError
        If that is 2^63 or more.
    """
    players = rules.players
    most = players * (rules.ante + rules.play_bet) + rules.dealer_ante
    most += players * max((line.pays for line in rules.lines), default=0)
    stub = len(rules.deck) - 2 * players - 5
    if 2 * SCALE * completions_of(stub) * most >= 1 << 63:
        raise ValueError(f"amounts of {most} units are too large to be reckoned with in 64 bits")


@cache
def levels() -> Int64:
    """(7462,) level of each class: 0, 1, ... in rising order of strength.

    Classes are on one level if they agree in category and in the two most significant of their
    different ranks; every straight and straight flush is a level of its own.
    """
    steps = [_significant(one) != _significant(other) for one, other in pairwise(classes())]
    found = np.cumsum([0, *steps], dtype=np.int64)
    found.flags.writeable = False
    return found


def _significant(hand: HandClass) -> tuple[Category, tuple[int, ...]]:
    """Category, and the ranks that tell levels apart."""
    if hand.category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
        return hand.category, hand.ranks[:1]
    different = dict.fromkeys(hand.ranks)
    return hand.category, tuple(different)[:2]


def own_gain(
    rules: Rules,
    pot: int,
    to_beat: int,
    leaders: int,
    counts: Sequence[Int64],
    completions: int,
) -> int:
    """What the player to act gains for herself if she plays rather than folds, by marginal odds.

    Parameters
    ----------
    rules
        The rules in force.
    pot
        Units in the pot now.
    to_beat
        Class of the live five-card hands, -1 if there is none.
    leaders
        How many players hold it; 0 if the dealer does, or nobody.
    counts
        For each player left to act, the one to act first: (7462,) completions by class.
    completions
        How many completions there are.

    Returns
    -------
    int
        Units times `SCALE`.
    """
    bet = rules.play_bet
    holds = _holder_values(rules, pot, counts, completions)[levels()]
    mine = counts[0]
    # The dealer loses ties; a tie with players is shared with them.
    first = to_beat + 1 if leaders else max(to_beat, 0)
    won = int((mine[first:] * holds[first:]).sum())
    if leaders:
        won += int(mine[to_beat] * holds[to_beat]) // (leaders + 1)
    return won // completions + _bonus(rules, mine) * SCALE // completions - bet * SCALE


def _bonus(rules: Rules, counts: Int64) -> int:
    """Bonus units summed over the completions."""
    return int((counts * bonus_by_class(rules.lines)).sum())


def _holder_values(rules: Rules, pot: int, counts: Sequence[Int64], completions: int) -> Int64:
    """(levels,) units times `SCALE` that whoever leads after the first player's play may expect.

    A later player who plays leaves the holder what he does not beat; a tie counts as half.
    """
    bet, level_of = rules.play_bet, levels()
    n_levels = int(level_of[-1]) + 1
    k = len(counts)
    # Row m: after m plays, this one included; row 0 is never asked for.
    values = np.repeat([[SCALE * (pot + m * bet)] for m in range(k + 1)], n_levels, axis=1).astype(
        np.int64
    )
    for j in range(k - 1, 0, -1):
        here = np.zeros(n_levels, dtype=np.int64)
        np.add.at(here, level_of, counts[j])
        below = np.cumsum(here) - here
        own = _bonus(rules, counts[j]) * SCALE // completions - bet * SCALE
        for m in range(1, j + 1):  # rising: row m + 1 still holds what follows
            after = values[m + 1]
            led = here * after
            better = led.sum() - np.cumsum(led)
            gain = (better + led // 2) // completions + own
            plays = gain >= 0 if rules.when_equal == "play" else gain > 0
            left = (2 * below + here) * after // (2 * completions)
            values[m] = np.where(plays, left, values[m])
    found: Int64 = values[1]
    return found
