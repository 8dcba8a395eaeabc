"""Deals of Ricochet solitaire: by number, from texts, and as arrays for kernels.

Deal `number` of a seed is ``shuffled_deck(seed, STREAM, number)``: walls 0 to 31, the first waste
card, the 19 stock cards as they are turned.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.deck import check_cards, parse_card
from ricochet_casino.cards.shuffle import deals, shuffled_deck
from ricochet_casino.config import short_json
from ricochet_casino.games.ricochet_solitaire.layout import DECK_CARDS

STREAM: Final = 20
"""Stream of the deals."""
PLAYER_STREAM: Final = 21
"""Stream of the players' choices."""


def deal(seed: int, number: int) -> tuple[int, ...]:
    """The cards of a numbered deal.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    return shuffled_deck(seed, STREAM, number)


def dealt_ranks(seed: int, first: int, number: int) -> npt.NDArray[np.uint8]:
    """(number, 52) uint8: ranks of deals, 0 (ace) to 12 (king)."""
    return (dealt_cards(seed, first, number) // 4 + 1) % 13


def dealt_cards(seed: int, first: int, number: int) -> npt.NDArray[np.uint8]:
    """(number, 52) uint8: the cards of deals `first` to ``first + number - 1``."""
    return deals(seed, STREAM, first, number)


def parse_deal(cards: Any) -> tuple[int, ...]:
    """Read the cards of a deal from a list of 52 texts such as ``TH``.

    Raises
    ------
    ValueError
        If it is not a list of 52 different cards.
    """
    if not isinstance(cards, Sequence) or isinstance(cards, str):
        raise ValueError(f"cards must be a list of {DECK_CARDS} cards, got {short_json(cards)}")
    if not all(isinstance(card, str) for card in cards):
        raise ValueError("cards must be texts such as TH")
    codes = tuple(map(parse_card, cards))
    check_cards(codes, count=DECK_CARDS)
    return codes
