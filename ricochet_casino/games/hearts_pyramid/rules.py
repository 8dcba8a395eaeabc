"""The referee of the all-hearts pyramid: the rules as they are told, readable and slow.

Cards are named by their place in the deck: the pyramid row by row from the top, then the stock as
it is drawn. Rules: docs/rulings.md, F.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from ricochet_casino.config import did_you_mean
from ricochet_casino.games.hearts_pyramid.deals import parse_deck
from ricochet_casino.games.hearts_pyramid.settings import DECK_CARDS, RANKS, PyramidSettings
from ricochet_casino.studies.referee import PatienceReferee

DRAW: Final = "draw"
RECYCLE: Final = "recycle"

Move = str | tuple[int, int]
_Before = tuple[frozenset[int], tuple[int, ...], tuple[int, ...], int]


class Pyramid(PatienceReferee):
    """A game under way.

    Parameters
    ----------
    deck
        52 ranks, 0 (ace) to 12 (king): the pyramid row by row, then the stock.
    settings
        The reading of the rules.

    Raises
    ------
    ValueError
        If the ranks are not a deck.
    """

    def __init__(self, deck: Sequence[int], settings: PyramidSettings) -> None:
        super().__init__()
        parse_deck([RANKS[rank] if 0 <= rank < 13 else str(rank) for rank in deck])
        self.deck = tuple(deck)
        self.settings = settings
        self.pyramid = frozenset(range(settings.pyramid_cards))
        self.stock = tuple(range(settings.pyramid_cards, DECK_CARDS))
        self.waste: tuple[int, ...] = ()
        self.passes_begun = 1

    # What can be seen.

    def row_of(self, card: int) -> int:
        """Row of a pyramid card, 0 at the top."""
        row = 0
        while (row + 1) * (row + 2) // 2 <= card:
            row += 1
        return row

    def is_open(self, card: int) -> bool:
        """Whether a pyramid card is there and nothing lies on it."""
        row = self.row_of(card)
        covering = set() if row + 1 == self.settings.rows else {card + row + 1, card + row + 2}
        return card in self.pyramid and not covering & self.pyramid

    def open_cards(self) -> list[int]:
        """All open pyramid cards."""
        return [card for card in sorted(self.pyramid) if self.is_open(card)]

    def pairs(self) -> list[tuple[int, int]]:
        """All pairs that may be taken now."""
        candidates = list(combinations(self.open_cards(), 2))
        top = self.waste[-1:]
        candidates += [(card, other) for card in self.open_cards() for other in top]
        if self.settings.pairing == "waste_pair" and len(self.waste) > 1:
            candidates.append((min(self.waste[-2:]), max(self.waste[-2:])))
        if self.settings.pairing == "stock_top" and self.stock:
            lying = self.stock[0]
            candidates += [(card, lying) for card in [*self.open_cards(), *top]]
        return [(a, b) for a, b in candidates if self.deck[a] == self.deck[b]]

    def legal(self) -> list[Move]:
        """All legal moves."""
        if self.is_won:
            return []
        turn: list[Move] = [DRAW] if self.can_draw() else [RECYCLE] if self.can_recycle() else []
        return [*self.pairs(), *turn]

    def can_draw(self) -> bool:
        """Whether a stock card may be drawn."""
        return bool(self.stock) and not self.is_won

    def can_recycle(self) -> bool:
        """Whether the waste may be turned over to be the stock again, in the same order."""
        if self.stock or not self.waste or self.is_won:
            return False
        passes = self.settings.passes
        return passes == "unlimited" or self.passes_begun < passes

    @property
    def is_won(self) -> bool:
        """Whether the goal is reached."""
        rest = bool(self.pyramid)
        if self.settings.goal == "all":
            rest = rest or bool(self.stock) or bool(self.waste)
        return not rest

    # What can be done.

    def move(self, move: Move) -> None:
        """Make a move: ``draw``, ``recycle``, or a pair of cards in any order.

        Raises
        ------
        ValueError
            If it is not legal, with the reason.
        """
        before = self.pyramid, self.stock, self.waste, self.passes_begun
        if move == DRAW:
            if not self.can_draw():
                raise ValueError("no card can be drawn: the stock is empty or the game is over")
            self.waste, self.stock = (*self.waste, self.stock[0]), self.stock[1:]
        elif move == RECYCLE:
            if not self.can_recycle():
                raise ValueError(f"the waste cannot be turned over: {self._why_no_recycle()}")
            self.stock, self.waste = self.waste, ()
            self.passes_begun += 1
        else:
            pair = self._pair(move)
            self.pyramid -= set(pair)
            self.stock = tuple(card for card in self.stock if card not in pair)
            self.waste = tuple(card for card in self.waste if card not in pair)
        self._record(move, before)

    def _restore(self, move: Move, before: _Before) -> None:
        del move
        self.pyramid, self.stock, self.waste, self.passes_begun = before

    def state(self) -> tuple[object, ...]:
        """Everything that the rest of the game depends on; equal states, equal futures."""
        return tuple(sorted(self.pyramid)), self.stock, self.waste, self.passes_begun

    def _pair(self, move: Move) -> tuple[int, int]:
        if isinstance(move, str):
            raise ValueError(
                f"{move!r} is no move: expected draw, recycle or two cards"
                f"{did_you_mean(move, [DRAW, RECYCLE])}"
            )
        one, two = sorted(move)
        if (one, two) not in self.pairs() or self.is_won:
            names = " and ".join(
                RANKS[self.deck[card]] if 0 <= card < DECK_CARDS else str(card) for card in move
            )
            raise ValueError(f"{names} (cards {one} and {two}) cannot be paired now")
        return one, two

    def _why_no_recycle(self) -> str:
        if self.stock:
            return "the stock is not empty"
        if not self.waste or self.is_won:
            return "there is nothing to turn over"
        return f"all {self.settings.passes} passes are used"
