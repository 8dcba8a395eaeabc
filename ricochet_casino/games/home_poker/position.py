"""A position of the home game: whose turn it is, what lies face up, what is in the pot."""

from collections.abc import Sequence
from dataclasses import dataclass

from ricochet_casino.cards.deck import CardError, format_card, format_cards
from ricochet_casino.cards.partial import hand_order
from ricochet_casino.games.home_poker.settings import MOST_PLAYERS, Settings


@dataclass(frozen=True)
class Position:
    """A player about to act, checked when it is made.

    Attributes
    ----------
    settings
        The rules in force.
    actor
        Cards of the player to act: the lowest live hand.
    opponents
        Cards of the other live hands.
    dead
        Cards of hands that are out: in sight, and not to come.
    pot
        Chips in the pot before the action.

    Raises
    ------
    CardError
        If a card is in two places or not in the deck.
    ValueError
        If a hand is too large, the actor is not the lowest or can buy nothing, or the pot cannot
        be so small.
    """

    settings: Settings
    actor: tuple[int, ...]
    opponents: tuple[tuple[int, ...], ...]
    dead: tuple[int, ...]
    pot: int

    def __post_init__(self) -> None:
        limit = self.settings.hand_limit
        names = ["the actor", *self._opponent_names(), "the dead cards"]
        if not 1 <= len(self.opponents) < MOST_PLAYERS:
            raise ValueError(
                f"expected 1 to {MOST_PLAYERS - 1} opponents, got {len(self.opponents)}"
            )
        for name, hand in zip(names, self.hands, strict=False):
            if not 1 <= len(hand) <= limit:
                raise ValueError(f"{name} has {len(hand)} cards; expected 1 to {limit}")
        owner: dict[int, str] = {}
        for name, hand in zip(names, (*self.hands, self.dead), strict=True):
            for card in hand:
                if card not in self.settings.deck:
                    raise CardError(f"{format_card(card)} is not in a deck with {self._jokers()}")
                if card in owner:
                    raise CardError(f"{format_card(card)} is in two places: {owner[card]}, {name}")
                owner[card] = name
        antes = len(self.hands) * self.settings.ante
        if self.pot < antes:
            raise ValueError(
                f"a pot of {self.pot} is impossible: {len(self.hands)} antes are in it, "
                f"expected {antes} or more"
            )
        self._check_turn()

    def _check_turn(self) -> None:
        order = hand_order(self.actor)
        for name, hand in zip(self._opponent_names(), self.opponents, strict=True):
            if hand_order(hand) < order:
                raise ValueError(
                    f"{name} ({format_cards(hand)}) is lower than the actor "
                    f"({format_cards(self.actor)}) and acts first"
                )
        if self.most == 0:
            raise ValueError(
                f"the actor ({format_cards(self.actor)}) can buy no card: such a hand is out "
                "without acting"
            )

    def _opponent_names(self) -> list[str]:
        if len(self.opponents) == 1:
            return ["the opponent"]
        return [f"opponent {number}" for number in range(1, len(self.opponents) + 1)]

    def _jokers(self) -> str:
        return {0: "no Joker", 1: "one Joker (X2)", 2: "two Jokers"}[self.settings.jokers]

    @property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """The live hands, the actor's first."""
        return (self.actor, *self.opponents)

    @property
    def unseen(self) -> tuple[int, ...]:
        """Cards that can come, rising."""
        seen: set[int] = {card for hand in self.hands for card in hand} | set(self.dead)
        return tuple(card for card in self.settings.deck if card not in seen)

    @property
    def most(self) -> int:
        """Most cards that the actor can buy."""
        return min(self.settings.hand_limit - len(self.actor), len(self.unseen))

    @property
    def to_come(self) -> int:
        """Cards that all live hands together can still buy."""
        room: Sequence[int] = [self.settings.hand_limit - len(hand) for hand in self.hands]
        return sum(room)
