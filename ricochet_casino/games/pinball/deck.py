"""Cards and decks of Pinball Ricochet, and a generator of valid decks.

Source: the game's rules ("On the cards"); docs/rulings.md, H1. The printed deck is not public, so
a deck is data: 50 cards, each with a numbered bumper in four colours and a ball. A ball is large or
small and of one colour: eight kinds, numbered ``2 * colour + large`` in the order of `COLOURS`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.shuffle import shuffled_deck

COLOURS: Final = ("red", "yellow", "green", "blue")
SIZES: Final = ("small", "large")
N_KINDS: Final = len(COLOURS) * len(SIZES)
KINDS: Final = tuple(f"{size} {colour}" for colour in COLOURS for size in SIZES)
"""Name of each kind of ball by its number."""
DECK_SIZE: Final = 50

CARD_STREAM, KIND_STREAM = 0, 1
"""Streams of generated decks: bumpers and balls, and which kinds there are seven of."""
_SHUFFLES: Final = len(COLOURS) + 1  # of each generated deck: one a colour, one for the balls


@dataclass(frozen=True, order=True)
class Card:
    """One card.

    Attributes
    ----------
    bumpers
        Numbers of the four bumpers, 1 to 50, in the order of `COLOURS`.
    kind
        Number of the ball's kind, 0 to 7.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    bumpers: tuple[int, int, int, int]
    kind: int

    def __post_init__(self) -> None:
        for colour, number in zip(COLOURS, self.bumpers, strict=True):
            if not 1 <= number <= DECK_SIZE:
                raise ValueError(f"a {colour} bumper must be 1 to {DECK_SIZE}, got {number}")
        if not 0 <= self.kind < N_KINDS:
            raise ValueError(f"the kind of a ball must be 0 to {N_KINDS - 1}, got {self.kind}")

    @property
    def ball(self) -> str:
        """The ball in words, such as ``large red``."""
        return KINDS[self.kind]

    def strength(self, kind: int) -> int:
        """How well the card answers a ball of this kind: among the cards in play the most wins.

        A large ball asks for the largest number of its colour, a small one for the smallest.
        """
        number = self.bumpers[kind // 2]
        return number if kind % 2 else DECK_SIZE + 1 - number

    def to_json(self) -> dict[str, Any]:
        """The card as JSON values, as in a deck file."""
        return {**dict(zip(COLOURS, self.bumpers, strict=True)), "ball": self.ball}


@dataclass(frozen=True)
class Deck:
    """A deck of 50 cards; in play a card is its number, 0 to 49, in the order of the deck.

    Attributes
    ----------
    name
        Label in results.
    cards
        The cards.

    Raises
    ------
    ValueError
        If there are not 50 cards, or a number appears twice in a colour (docs/rulings.md, H1).
    """

    name: str
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        found = deck_problems(self.cards)
        if found:
            raise ValueError(f"deck {self.name}: " + "; ".join(text for _, text in found))

    @cached_property
    def strengths(self) -> npt.NDArray[np.uint8]:
        """(8, 50) uint8: `Card.strength` by kind and card, read-only."""
        rows = [[card.strength(kind) for card in self.cards] for kind in range(N_KINDS)]
        found = np.array(rows, dtype=np.uint8)
        found.flags.writeable = False
        return found

    @cached_property
    def kinds(self) -> npt.NDArray[np.uint8]:
        """(50,) uint8: kind of each card's ball, read-only."""
        found = np.array([card.kind for card in self.cards], dtype=np.uint8)
        found.flags.writeable = False
        return found

    @property
    def kind_counts(self) -> tuple[int, ...]:
        """How many balls there are of each kind."""
        counted = Counter(card.kind for card in self.cards)
        return tuple(counted[kind] for kind in range(N_KINDS))

    def warnings(self) -> tuple[str, ...]:
        """What is allowed but unusual: kinds of ball that are not as even as they could be."""
        few, many = divmod(DECK_SIZE, N_KINDS)[0], -(-DECK_SIZE // N_KINDS)
        return tuple(
            f"{count} balls are {KINDS[kind]}; an even deck has {few} or {many} of each kind"
            for kind, count in enumerate(self.kind_counts)
            if not few <= count <= many
        )

    def to_json(self) -> dict[str, Any]:
        """The deck as JSON values: its name, and each card as four numbers and a kind of ball."""
        return {"name": self.name, "cards": [[*card.bumpers, card.kind] for card in self.cards]}

    @classmethod
    def from_json(cls, value: object) -> "Deck":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is no such deck.
        """
        if not isinstance(value, Mapping) or set(value) != {"name", "cards"}:
            raise ValueError("not a deck: expected a name and cards")
        rows = value["cards"]
        if not isinstance(value["name"], str) or not isinstance(rows, Sequence):
            raise ValueError("not a deck: expected a name and cards")
        cards = []
        for row in rows:
            whole = isinstance(row, Sequence) and all(type(number) is int for number in row)
            if not whole or len(row) != len(COLOURS) + 1:
                raise ValueError("not a deck: a card is four numbers and a kind of ball")
            red, yellow, green, blue, kind = row
            cards.append(Card((red, yellow, green, blue), kind))
        return cls(value["name"], tuple(cards))


def deck_problems(cards: Sequence[Card]) -> list[tuple[int, str]]:
    """What keeps cards from being a deck: the number of the card concerned (from 0), and a text.

    A wrong number of cards concerns the last card, or -1 if there is none.
    """
    found = []
    for place, colour in enumerate(COLOURS):
        holders: dict[int, int] = {}
        for index, card in enumerate(cards):
            number = card.bumpers[place]
            if number in holders:
                first = holders[number] + 1
                text = f"card {index + 1}: {colour} {number} is on card {first} already"
                found.append((index, f"{text}; expected each number once in a colour"))
            holders.setdefault(number, index)
    if len(cards) != DECK_SIZE:
        found.append((len(cards) - 1, f"{len(cards)} cards; expected {DECK_SIZE}"))
    return sorted(found)


def generated_deck(seed: int, number: int = 0) -> Deck:
    """A valid deck, random but always the same for a seed and a number.

    Each colour is a shuffle of 1 to 50; six balls are of each kind, and two kinds have a seventh.

    Parameters
    ----------
    seed
        0 to 2^64 - 1.
    number
        Which deck of the seed, from 0.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    numbers = tuple(range(1, DECK_SIZE + 1))
    first = _SHUFFLES * number
    colours = [
        shuffled_deck(seed, CARD_STREAM, first + place, deck=numbers)
        for place in range(len(COLOURS))
    ]
    each, more = divmod(DECK_SIZE, N_KINDS)
    fuller = shuffled_deck(seed, KIND_STREAM, number, deck=tuple(range(N_KINDS)), count=more)
    sorted_balls = sorted([*range(N_KINDS)] * each + list(fuller))
    balls = shuffled_deck(seed, CARD_STREAM, first + len(COLOURS), deck=sorted_balls)
    cards = tuple(
        Card((red, yellow, green, blue), ball)
        for red, yellow, green, blue, ball in zip(*colours, balls, strict=True)
    )
    return Deck(f"random_{seed}_{number}", cards)
