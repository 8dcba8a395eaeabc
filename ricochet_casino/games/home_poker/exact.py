"""Exact values of heads-up positions: memoised expectimax, both players optimal from here on.

Everything that can come is counted with integers (exact_kernel.py); a value is a fraction. How far
that reaches is a question of the cards that both can still buy together: `REACH`.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, perm
from typing import Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.deck import JOKER_SMALL
from ricochet_casino.cards.partial import hand_order
from ricochet_casino.cards.partial_tables import START, order_tables
from ricochet_casino.games.home_poker.position import Position
from ricochet_casino.games.home_poker.table_arrays import LEVELS

REACH: Final = {5: 6, 6: 4, 7: 4}
"""By hand limit, how many cards both players together can at most still buy for exact values."""


class OutOfReachError(ValueError):
    """A position whose exact values would take too long."""


@dataclass(frozen=True)
class ExactValues:
    """Values of a position in chips, from this decision on.

    Attributes
    ----------
    amounts
        Of folding (0), and of buying 1, 2, ... cards.
    costs
        Chips that the actor pays on average from here on, this purchase included.
    """

    amounts: tuple[Fraction, ...]
    costs: tuple[Fraction, ...]

    @property
    def best(self) -> int:
        """The first of the best amounts."""
        return max(range(len(self.amounts)), key=lambda k: (self.amounts[k], -k))


def exact_values(position: Position, *, reach: int | None = None) -> ExactValues:
    """Exact values of all actions of the actor.

    Parameters
    ----------
    position
        Two live hands, the lower one to act.
    reach
        As in `REACH`, for those who have the time.

    Raises
    ------
    OutOfReachError
        If more cards can still be bought.
    ValueError
        If there are more than two live hands.
    """
    if len(position.opponents) != 1:
        raise OutOfReachError(
            f"exact values are for two live hands, here are {len(position.opponents) + 1}; "
            "use --sampled"
        )
    settings = position.settings
    limit = REACH[settings.hand_limit] if reach is None else reach
    if position.to_come > limit:
        raise OutOfReachError(
            f"both hands can still buy {position.to_come} cards, exact values reach to {limit} "
            f"with a hand limit of {settings.hand_limit}; use --sampled"
        )
    from ricochet_casino.games.home_poker import exact_row_kernel as at
    from ricochet_casino.games.home_poker.exact_kernel import turn

    row = row_of(position)
    unseen = len(position.unseen)
    most = turn(row, 0, 0, unseen, 0, 0, order_tables().orders)
    scale = 2 * perm(unseen, min(unseen, position.to_come))

    def read(part: int) -> tuple[Fraction, ...]:
        begin = at.BLOCKS + part
        sums = (int(row[begin + k * at.PAID]) for k in range(1, most + 1))
        return (Fraction(0), *(Fraction(value, scale) for value in sums))

    return ExactValues(read(at.AMOUNTS), read(at.COSTS))


def overtaking_chances(position: Position) -> tuple[Fraction, ...]:
    """Exact chances that the actor's hand is no longer the lowest after 1, 2, ... paid cards.

    Any number of opponents: only the lowest of them counts.
    """
    from ricochet_casino.games.home_poker.exact_kernel import chances_kernel

    lowest = min(position.opponents, key=hand_order)
    row = row_of(position, lowest)
    over = np.zeros(8, dtype=np.int64)
    chances_kernel(row, position.most, order_tables().orders, over)
    unseen = len(position.unseen)
    return tuple(Fraction(int(over[k]), comb(unseen, k)) for k in range(1, position.most + 1))


def row_of(position: Position, opponent: tuple[int, ...] | None = None) -> npt.NDArray[np.int64]:
    """The kernel's row for a position; the actor is player 0, the opponent player 1."""
    from ricochet_casino.games.home_poker import exact_row_kernel as kernel

    settings = position.settings
    row = np.zeros(kernel.SIZE, dtype=np.int64)
    row[kernel.LIMIT], row[kernel.POT] = settings.hand_limit, position.pot
    row[kernel.LEVEL] = LEVELS.index(settings.level_hands)
    row[kernel.WHOLE] = settings.coin == "1"
    for card in position.unseen:
        row[kernel.UNSEEN + card] = 1
        row[kernel.COUNTS + min(card >> 2, JOKER_SMALL >> 2)] += 1
    row[kernel.WORDS : kernel.WORDS + 2] = START
    for player, hand in enumerate((position.actor, opponent or position.opponents[0])):
        for card in hand:
            row[kernel.UNSEEN + card] = 1  # put_cards takes it from there
            row[kernel.COUNTS + min(card >> 2, JOKER_SMALL >> 2)] += 1
            picked = kernel.BLOCKS + kernel.TURNS * kernel.BLOCK - 1
            row[picked] = card
            kernel.put_cards(row, player, picked, 1, order_tables().orders)
    return row
