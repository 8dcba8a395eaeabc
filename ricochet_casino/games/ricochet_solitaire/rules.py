"""The referee of Ricochet solitaire: the rules as they are told, readable and slow.

A position knows the cards of the deal, which wall cards are gone, the waste, how far the stock is,
and the places whose walls are closed to the next play. Rules: docs/rulings.md, E.
"""

from collections.abc import Sequence
from typing import Final

from ricochet_casino.cards.deck import check_cards, format_card
from ricochet_casino.config import did_you_mean
from ricochet_casino.games.ricochet_solitaire.layout import (
    DECK_CARDS,
    STOCK_CARDS,
    WALL_CARDS,
    covers,
    walls_of,
)
from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings
from ricochet_casino.studies.referee import PatienceReferee

FLIP: Final = "flip"
"""The move that turns the next stock card; every other move is the place of a wall card."""

Move = int | str


def rank_number(card: int) -> int:
    """Rank of a card with the ace low: 1 (ace) to 13 (king)."""
    return ((card >> 2) + 1) % 13 + 1


class Solitaire(PatienceReferee):
    """A game under way.

    Parameters
    ----------
    cards
        52 card codes: walls 0 to 31 (see `layout`), the first waste card, the stock as it is
        turned.
    settings
        The reading of the rules.

    Raises
    ------
    CardError
        If the cards are not a deck.
    """

    def __init__(self, cards: Sequence[int], settings: SolitaireSettings) -> None:
        super().__init__()
        check_cards(cards, count=DECK_CARDS)
        self.cards = tuple(cards)
        self.settings = settings
        self.walls: dict[int, int] = dict(enumerate(self.cards[:WALL_CARDS]))
        self.waste = [self.cards[WALL_CARDS]]
        self.stock = list(reversed(self.cards[WALL_CARDS + 1 :]))
        self.closed: frozenset[str] = frozenset()

    # What can be seen.

    def is_open(self, place: int) -> bool:
        """Whether a wall card is there and nothing lies on it."""
        return place in self.walls and not any(above in self.walls for above in covers(place))

    def can_play(self, place: int) -> bool:
        """Whether the card of a place may be played now."""
        if self.is_over or not self.is_open(place):
            return False
        step = abs(rank_number(self.walls[place]) - rank_number(self.waste[-1]))
        if step != 1 and not (self.settings.wrap and step == 12):
            return False
        return not self.closed & set(walls_of(place))

    def plays(self) -> list[int]:
        """Places of all cards that may be played now."""
        return [place for place in sorted(self.walls) if self.can_play(place)]

    def can_flip(self) -> bool:
        """Whether the next stock card may be turned now."""
        if self.is_over or not self.stock:
            return False
        return not (self.settings.flip_only_when_stuck and self.plays())

    def legal(self) -> list[Move]:
        """All legal moves."""
        return [*self.plays(), *([FLIP] if self.can_flip() else [])]

    @property
    def is_won(self) -> bool:
        """Whether all walls are gone."""
        return not self.walls

    @property
    def is_over(self) -> bool:
        """Whether the rules end the game: it is won, or ends with the last stock card."""
        return self.is_won or (self.settings.ends_with_stock and not self.stock)

    # What can be done.

    def move(self, move: Move) -> None:
        """Make a move.

        Raises
        ------
        ValueError
            If it is not legal, with the reason.
        """
        if move == FLIP:
            if not self.can_flip():
                raise ValueError(f"the stock cannot be turned now: {self._why_no_flip()}")
            self._record(FLIP, self.closed)
            self.waste.append(self.stock.pop())
            if self.settings.flip_lifts_wall_rule:
                self.closed = frozenset()
            return
        if isinstance(move, str) or not 0 <= move < WALL_CARDS:
            hint = did_you_mean(str(move), [FLIP])
            raise ValueError(f"{move!r} is no move: expected flip or a place 0 to 31{hint}")
        if not self.can_play(move):
            raise ValueError(f"place {move} cannot be played now: {self._why_no_play(move)}")
        self._record(move, self.closed)
        self.waste.append(self.walls.pop(move))
        self.closed = frozenset(walls_of(move))

    def _restore(self, move: Move, before: frozenset[str]) -> None:
        card = self.waste.pop()
        if isinstance(move, int):
            self.walls[move] = card
        else:
            self.stock.append(card)
        self.closed = before

    def state(self) -> tuple[object, ...]:
        """Everything that the rest of the game depends on; equal states, equal futures."""
        return (
            tuple(sorted(self.walls.items())),
            tuple(self.waste),
            tuple(self.stock),
            tuple(sorted(self.closed)),
        )

    def _why_no_flip(self) -> str:
        if self.is_over:
            return "the game is over"
        if not self.stock:
            return f"all {STOCK_CARDS} stock cards are turned"
        return "there is a card to play (flip_only_when_stuck)"

    def _why_no_play(self, place: int) -> str:
        if self.is_over:
            return "the game is over"
        if place not in self.walls:
            return "it is empty"
        if not self.is_open(place):
            return "it is covered"
        card, top = format_card(self.walls[place]), format_card(self.waste[-1])
        shared = ", ".join(sorted(self.closed & set(walls_of(place))))
        if shared:
            return f"it is on the wall just played from ({shared})"
        return f"{card} is not next in rank to {top}"
