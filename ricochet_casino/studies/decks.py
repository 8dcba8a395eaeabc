"""Decks of ranks without suits, as files give them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ricochet_casino.config import short_json


def parse_ranks(deck: Any, ranks: Sequence[Any], copies: int, expected: str) -> tuple[int, ...]:
    """Read a deck of ranks.

    Parameters
    ----------
    deck
        A list with as many cards as `ranks` and `copies` make.
    ranks
        How each rank is written, from the lowest; types must agree too.
    copies
        Cards of each rank.
    expected
        What a rank looks like, for the message.

    Returns
    -------
    tuple of int
        Place of each card's rank in `ranks`.

    Raises
    ------
    ValueError
        If it is no such list.
    """
    size = copies * len(ranks)
    if not isinstance(deck, Sequence) or isinstance(deck, str):
        raise ValueError(f"deck must be a list of {size} ranks, got {short_json(deck)}")
    places = {(type(rank), rank): place for place, rank in enumerate(ranks)}
    for rank in deck:
        if not isinstance(rank, str | int) or (type(rank), rank) not in places:
            raise ValueError(f"unknown rank {short_json(rank)}: expected {expected}")
    for rank, number in Counter(deck).items():
        if number > copies:
            raise ValueError(f"{number} cards of rank {rank}; there are {copies}")
    if len(deck) != size:
        raise ValueError(f"expected {size} cards, got {len(deck)}")
    return tuple(places[type(rank), rank] for rank in deck)
