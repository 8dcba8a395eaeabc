"""The rules in force, and what a game of Pinball Ricochet leaves behind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from ricochet_casino.games.pinball.chain import place_names
from ricochet_casino.games.pinball.deck import DECK_SIZE, Card
from ricochet_casino.games.pinball.players import MOST_TURNS, Slap

NOBODY: Final = -1
"""Stands where an event has no player, card, place or tick."""

DEFAULT_GOAL: Final = 6
DEFAULT_TICK: Final = 10
DEFAULT_LONGEST: Final = 1000
FEWEST_PLAYERS, MOST_PLAYERS = 2, 10


@dataclass(frozen=True)
class Rules:
    """The rules in force.

    Attributes
    ----------
    players
        2 to 10.
    goal
        So many cards win: 1 to 46, in Full Tilt to 45.
    full_tilt
        Five outer cards in a circle instead of four.
    tick
        Milliseconds, 1 to 1000: slaps in the same tick are at exactly the same time.
    longest
        A game is given up, undecided, after so many start cards: 1 to 4096.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    players: int
    goal: int = DEFAULT_GOAL
    full_tilt: bool = False
    tick: int = DEFAULT_TICK
    longest: int = DEFAULT_LONGEST

    def __post_init__(self) -> None:
        variant = "in Full Tilt" if self.full_tilt else "with four outer cards"
        for name, value, low, high in (
            ("players", self.players, FEWEST_PLAYERS, MOST_PLAYERS),
            ("tick", self.tick, 1, 1000),
            ("longest", self.longest, 1, MOST_TURNS),
            (f"a goal {variant}", self.goal, 1, self.stock),
        ):
            if isinstance(value, bool) or not isinstance(value, int):
                raise ValueError(f"{name} must be a whole number, got {value!r}")
            if not low <= value <= high:
                raise ValueError(f"{name} must be {low} to {high}, got {value}")

    @property
    def n_outer(self) -> int:
        """Outer cards: four, or five in Full Tilt."""
        return len(self.places)

    @property
    def places(self) -> tuple[str, ...]:
        """Names of the outer places."""
        return place_names(self.full_tilt)

    @property
    def stock(self) -> int:
        """Cards in the stock once the outer cards lie: 46, or 45 in Full Tilt."""
        return DECK_SIZE - self.n_outer

    @property
    def can_exhaust(self) -> bool:
        """Whether the stock can run out before anybody has reached the goal (H7)."""
        return self.players * (self.goal - 1) >= self.stock


class Kind(StrEnum):
    """What happened."""

    LAY = "lay"
    """A card from the stock is laid on an outer place."""
    TURN = "turn"
    """The top card of the stock becomes the start card, for the players named."""
    SLAP = "slap"
    """A player slaps the card on a place."""
    SLIP = "slip"
    """It was wrong: the card won last goes under the stock, if there is one (H5)."""
    TIE = "tie"
    """The players named were right at the same moment; the start card goes under (H4)."""
    VOID = "void"
    """Nobody is left who could slap; the start card goes under the stock (H6)."""
    WIN = "win"
    """A player takes the last card."""
    MOVE = "move"
    """The start card moves to the vacated place."""
    END = "end"
    """The game is over; the players named have won it, alone or in equal shares."""


KINDS: Final = tuple(Kind)
"""All kinds; the compiled game numbers them in this order."""


class Event(NamedTuple):
    """One thing that happened; what does not apply is -1 or empty.

    Attributes
    ----------
    kind
        What.
    player
        Who, from 0.
    card
        The card concerned, 0 to 49.
    place
        The outer place concerned, from 0.
    tick
        When, for slaps.
    players
        For TURN who plays, for TIE who tied, for END who has won; rising.
    """

    kind: Kind
    player: int = NOBODY
    card: int = NOBODY
    place: int = NOBODY
    tick: int = NOBODY
    players: tuple[int, ...] = ()


class Reason(StrEnum):
    """Why a game ended."""

    GOAL = "goal"
    """Somebody has as many cards as were agreed on."""
    EXHAUSTED = "exhausted"
    """No card is left to turn: most cards win, in equal shares (H7)."""
    UNDECIDED = "undecided"
    """Given up after `Rules.longest` start cards."""


REASONS: Final = tuple(Reason)
"""All reasons; the compiled game numbers them in this order."""


class Game(NamedTuple):
    """A finished game.

    Attributes
    ----------
    winners
        Who has won, in equal shares; empty if undecided.
    reason
        Why it ended.
    rounds
        Rounds played: those won, and those that were void. Tie-breaks belong to their round.
    void
        How many of them were void.
    ties
        How many tie-breaks there were.
    cards
        Cards of each player in the end.
    slips
        How often each player slipped.
    lost
        How many cards that cost each player.
    last_places
        Place of the last card in each round that was won.
    events
        Everything that happened; empty if not recorded.
    """

    winners: tuple[int, ...]
    reason: Reason
    rounds: int
    void: int
    ties: int
    cards: tuple[int, ...]
    slips: tuple[int, ...]
    lost: tuple[int, ...]
    last_places: tuple[int, ...]
    events: tuple[Event, ...]


Racer = Callable[[int, int, int, Sequence[Card]], Slap | None]
"""Called with the number of the start card in the game (from 0), the seat, the kind of the start
card's ball and the outer cards by place; returns the slap, or None for no slap."""
