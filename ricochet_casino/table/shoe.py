"""Shuffled cards: the card that comes next follows from the seed and the number of the hand."""

from functools import lru_cache
from typing import Final

from ricochet_casino.cards.shuffle import shuffled_deck
from ricochet_casino.table.hand import Hand

STREAM: Final = 40
"""Stream of the shuffles: hand number k is deal k of it."""
STUB_STREAM: Final = 41
"""Stream of the shuffles of a new stub: number s of hand k is deal 64 k + s."""
_STUBS = 64


def next_card(seed: int, number: int, hand: Hand) -> int:
    """The next card of hand `number`, which waits for one."""
    stub = hand.stub
    stream, index = (STREAM, number) if stub.number == 0 else (STUB_STREAM, _STUBS * number)
    return _shuffled(seed, stream, index + stub.number, stub.cards)[stub.dealt]


@lru_cache(maxsize=8)
def _shuffled(seed: int, stream: int, index: int, cards: tuple[int, ...]) -> tuple[int, ...]:
    return shuffled_deck(seed, stream, index, deck=cards)
