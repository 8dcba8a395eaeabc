"""Deals of Racing Aces: by number, from ranks, and as arrays for kernels.

Deal `number` of a seed is ``shuffled_deck(seed, STREAM, number, deck=range(156))``; card c has rank
``c // 12 + 1``. The order: three reserves of 13 (the last of each is on top), six tableau cards,
111 stock cards as they are dealt.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.shuffle import deals, shuffled_deck
from ricochet_casino.games.racing_aces.settings import COPIES, DECK_CARDS
from ricochet_casino.studies.decks import parse_ranks

STREAM: Final = 40
"""Stream of the deals."""
SEARCH_STREAM: Final = 42
"""Stream of the solver's weights."""


def deal(seed: int, number: int) -> tuple[int, ...]:
    """Ranks of a numbered deal, 1 (ace) to 13 (king).

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    cards = shuffled_deck(seed, STREAM, number, deck=range(DECK_CARDS))
    return tuple(card // COPIES + 1 for card in cards)


def dealt_ranks(seed: int, first: int, number: int) -> npt.NDArray[np.int64]:
    """(number, 156) int64: ranks of deals `first` to ``first + number - 1``."""
    cards = deals(seed, STREAM, first, number, count=DECK_CARDS, deck_size=DECK_CARDS)
    return cards.astype(np.int64) // COPIES + 1


def parse_deck(deck: Any) -> tuple[int, ...]:
    """Read a deck from a list of 156 ranks, 1 to 13: twelve of each.

    Raises
    ------
    ValueError
        If it is not such a list.
    """
    ranks = range(1, DECK_CARDS // COPIES + 1)
    places = parse_ranks(deck, ranks, COPIES, "a number from 1 to 13")
    return tuple(place + 1 for place in places)
