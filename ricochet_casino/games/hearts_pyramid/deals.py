"""Deals of the all-hearts pyramid: by number, from texts, and as arrays for kernels.

Deal `number` of a seed is ``shuffled_deck(seed, STREAM, number)`` with suits forgotten: the pyramid
row by row from the top, then the stock as it is drawn.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.shuffle import deals, shuffled_deck
from ricochet_casino.games.hearts_pyramid.settings import RANKS
from ricochet_casino.studies.decks import parse_ranks

STREAM: Final = 30
"""Stream of the deals."""
PLAYER_STREAM: Final = 31
"""Stream of the players' choices."""


def deal(seed: int, number: int) -> tuple[int, ...]:
    """Ranks of a numbered deal, 0 (ace) to 12 (king).

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    return tuple((card // 4 + 1) % 13 for card in shuffled_deck(seed, STREAM, number))


def dealt_ranks(seed: int, first: int, number: int) -> npt.NDArray[np.uint8]:
    """(number, 52) uint8: ranks of deals `first` to ``first + number - 1``."""
    return (deals(seed, STREAM, first, number) // 4 + 1) % 13


def parse_deck(deck: Any) -> tuple[int, ...]:
    """Read a deck from a list of 52 ranks such as ``T``: four of each.

    Raises
    ------
    ValueError
        If it is not such a list.
    """
    return parse_ranks(deck, RANKS, 4, f"one of {' '.join(RANKS)}")
