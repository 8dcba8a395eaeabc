"""What the table asks of a hand being played, whatever the game.

A hand never changes: `act` and `give` return the next one, so that taking back is keeping an old
one. Seats are places in `players`, which begin with the person dealt to first.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, Protocol, Self

from ricochet_casino.table.view import ChoiceView

DEALER: Final = -1
"""Seat of a dealer who is not among the players."""
NOBODY: Final = -2
"""Seat when nothing is awaited."""

Waits = Literal["card", "action", "nothing"]


class Stub(NamedTuple):
    """Where the next card comes from.

    Attributes
    ----------
    number
        0 for the deck, then one more for every new stub of a reshuffle.
    cards
        All cards of it before it was shuffled, rising.
    dealt
        How many of them have been dealt.
    """

    number: int
    cards: tuple[int, ...]
    dealt: int


class Hand(Protocol):
    """One hand of play at one moment."""

    @property
    def players(self) -> tuple[str, ...]:
        """Names, the one dealt to first in front."""

    @property
    def dealer(self) -> str:
        """Who deals."""

    @property
    def waits(self) -> Waits:
        """What is awaited."""

    @property
    def seat(self) -> int:
        """Of whom, or for whom: a place in `players`, `DEALER` or `NOBODY`."""

    @property
    def pot(self) -> int:
        """Chips in the pot."""

    @property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """Cards of each player in the order dealt."""

    @property
    def dealer_cards(self) -> tuple[int, ...]:
        """Cards of a dealer who is not among the players."""

    @property
    def dealer_out(self) -> bool:
        """Whether that dealer's hand is out."""

    @property
    def states(self) -> tuple[str, ...]:
        """``in``, ``folded``, ``out`` or ``won`` of each player."""

    @property
    def marks(self) -> tuple[str, ...]:
        """A remark on each player in a few words, or nothing."""

    @property
    def net(self) -> Mapping[str, int]:
        """Chips won (negative: paid) so far, by name, the dealer included; with `pot` zero."""

    @property
    def paid(self) -> Mapping[str, int]:
        """Chips paid into the pot so far, by name."""

    @property
    def told(self) -> tuple[str, ...]:
        """The hand so far in sentences."""

    @property
    def why(self) -> str:
        """Whose turn it is and why, in a sentence."""

    @property
    def stub(self) -> Stub:
        """Where the next card comes from."""

    def choices(self) -> tuple[ChoiceView, ...]:
        """What the seat to act may do."""

    def act(self, key: str) -> Self:
        """The seat to act chooses; ValueError if it may not."""

    def give(self, card: int) -> Self:
        """A card is dealt; ValueError if it cannot come."""


def chosen(hand: Hand, key: str) -> ChoiceView:
    """The choice of a key.

    Raises
    ------
    ValueError
        If no action is awaited, or not this one is allowed; the message says what is.
    """
    if hand.waits != "action":
        raise ValueError("nobody has to act now")
    choices = hand.choices()
    legal = ", ".join(f"{choice.key} ({choice.label})" for choice in choices if choice.legal)
    for choice in choices:
        if choice.key == key:
            if choice.legal:
                return choice
            raise ValueError(f"{choice.label} is not possible: {choice.why_not}; possible: {legal}")
    raise ValueError(f"{hand.players[hand.seat]} cannot choose {key!r}; possible: {legal}")
