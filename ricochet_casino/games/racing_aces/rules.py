"""The referee of Racing Aces: the rules as they are told, readable and slow.

Moves are texts. ``D`` deals a stock card to the waste. All others are ``SOURCE>TARGET``: the source
is ``T1`` to ``T6`` (tableau), ``R1`` to ``R3`` (reserves), ``W`` (waste) or a foundation group with
the rank taken from it, such as ``K13``; the target is a group (``A`` ace up, ``S`` six down, ``V``
seven up, ``K`` king down) or an empty tableau pile. Piles of a group with the same top card are the
same to the game. Rules: docs/rulings.md, G.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ricochet_casino.config import did_you_mean
from ricochet_casino.games.racing_aces.deals import parse_deck
from ricochet_casino.games.racing_aces.settings import (
    RESERVE_CARDS,
    TABLEAU_PILES,
    RacingAcesSettings,
)
from ricochet_casino.studies.referee import PatienceReferee

DEAL: Final = "D"

BASES: Final = {"A": 1, "S": 6, "V": 7, "K": 13}
"""Base rank of each group of four foundations."""
LAST: Final = {"A": 13, "S": 1, "V": 13, "K": 1}
"""Rank that completes a pile of each group."""
STEP: Final = {"A": 1, "S": -1, "V": 1, "K": -1}
FINISHED: Final = {group: (last,) * 4 for group, last in LAST.items()}
"""Top cards of a won game."""


@dataclass(frozen=True)
class Table:
    """All piles; every pile's last card is on top, 0 stands for no card.

    Attributes
    ----------
    foundations
        Top card of the four piles of each group, sorted.
    reserves
        Three piles.
    tableau
        Six cards.
    waste
        The waste.
    stock
        The cards still to deal; the first one is next.
    """

    foundations: dict[str, tuple[int, ...]]
    reserves: tuple[tuple[int, ...], ...]
    tableau: tuple[int, ...]
    waste: tuple[int, ...]
    stock: tuple[int, ...]


def next_rank(group: str, top: int) -> int:
    """The rank that goes on a pile of a group; 0 if it is complete."""
    if top == 0:
        return BASES[group]
    return 0 if top == LAST[group] else top + STEP[group]


class RacingAces(PatienceReferee):
    """A game under way.

    Parameters
    ----------
    deck
        156 ranks, 1 (ace) to 13 (king); see `deals`.
    settings
        The reading of the rules.

    Raises
    ------
    ValueError
        If the ranks are not three decks.
    """

    def __init__(self, deck: Sequence[int], settings: RacingAcesSettings) -> None:
        super().__init__()
        ranks = parse_deck(list(deck))
        self.deck, self.settings = ranks, settings
        begun = 45 + settings.initial_waste
        self.table = Table(
            dict.fromkeys(BASES, (0, 0, 0, 0)),
            tuple(ranks[RESERVE_CARDS * i : RESERVE_CARDS * (i + 1)] for i in range(3)),
            ranks[39:45],
            ranks[45:begun],
            ranks[begun:],
        )

    @classmethod
    def at(cls, table: Table, settings: RacingAcesSettings) -> "RacingAces":
        """A game that stands as given, of an unknown deal; nothing can be taken back from there."""
        game = cls.__new__(cls)
        PatienceReferee.__init__(game)
        game.deck, game.settings, game.table = (), settings, table
        return game

    # What can be seen.

    def sources(self) -> dict[str, int]:
        """Every card that can be moved: its name -> its rank."""
        table = self.table
        found = {f"T{i}": rank for i, rank in enumerate(table.tableau, 1) if rank}
        found |= {f"R{i}": pile[-1] for i, pile in enumerate(table.reserves, 1) if pile}
        if table.waste:
            found["W"] = table.waste[-1]
        for group, tops in table.foundations.items():
            found |= {f"{group}{top}": top for top in tops if top}
        return found

    def targets(self, source: str, rank: int) -> list[str]:
        """Where a card can go."""
        found = []
        for group, tops in self.table.foundations.items():
            others = list(tops)
            if source[0] == group:
                others.remove(rank)  # not onto the pile it comes from
            if rank in [next_rank(group, top) for top in others]:
                found.append(group)
        if not self.table.stock:
            found += [f"T{i}" for i, there in enumerate(self.table.tableau, 1) if not there]
        return found

    def legal(self) -> list[str]:
        """All legal moves."""
        if self.is_won:
            return []
        moves = [DEAL] if self.table.stock else []
        for source, rank in self.sources().items():
            moves += [f"{source}>{target}" for target in self.targets(source, rank)]
        return moves

    @property
    def is_won(self) -> bool:
        """Whether all 156 cards are on the foundations."""
        return self.table.foundations == FINISHED

    # What can be done.

    def move(self, move: str) -> None:
        """Make a move.

        Raises
        ------
        ValueError
            If it is not legal, with the reason.
        """
        before = self.table
        if move == DEAL:
            if not before.stock or self.is_won:
                raise ValueError("no card can be dealt: the stock is empty")
            self.table = Table(
                before.foundations,
                before.reserves,
                before.tableau,
                (*before.waste, before.stock[0]),
                before.stock[1:],
            )
        else:
            self._carry(move)
        self._record(move, before)

    def _restore(self, move: str, before: Table) -> None:
        del move
        self.table = before

    def state(self) -> tuple[object, ...]:
        """Everything that the rest of the game depends on; equal states, equal futures."""
        table = self.table
        piles = tuple(table.foundations.items())
        return piles, table.reserves, table.tableau, table.waste, table.stock

    def _carry(self, move: str) -> None:
        source, arrow, target = move.partition(">")
        cards = self.sources()
        if not arrow:
            hint = did_you_mean(move, self.legal())
            raise ValueError(f"{move!r} is no move: expected D or SOURCE>TARGET{hint}")
        if source not in cards:
            hint = did_you_mean(source, cards)
            raise ValueError(f"there is no card {source}: expected one of {', '.join(cards)}{hint}")
        rank = cards[source]
        if target not in self.targets(source, rank):
            raise ValueError(f"{source} cannot go to {target}: {self._why_not(target)}")
        piles = {group: list(tops) for group, tops in self.table.foundations.items()}
        reserves = [list(pile) for pile in self.table.reserves]
        tableau, waste = list(self.table.tableau), list(self.table.waste)
        stock = list(self.table.stock)
        if source == "W":
            waste.pop()
        elif source[0] == "R":
            reserves[int(source[1]) - 1].pop()
        elif source[0] == "T":
            tableau[int(source[1]) - 1] = 0
        else:
            group = source[0]
            beneath = 0 if rank == BASES[group] else rank - STEP[group]
            piles[group][piles[group].index(rank)] = beneath
        if target in BASES:
            fitting = [next_rank(target, top) == rank for top in piles[target]]
            if source[0] == target:  # the pile it came from would take it back
                fitting[piles[target].index(beneath)] = False
            piles[target][fitting.index(True)] = rank
        else:
            tableau[int(target[1]) - 1] = rank
        for place in range(TABLEAU_PILES):
            if not tableau[place] and stock:
                tableau[place] = stock.pop(0)
        self.table = Table(
            {group: tuple(sorted(tops)) for group, tops in piles.items()},
            tuple(map(tuple, reserves)),
            tuple(tableau),
            tuple(waste),
            tuple(stock),
        )

    def _why_not(self, target: str) -> str:
        if target in BASES:
            return "no pile of that group takes the card"
        if target[:1] == "T" and self.table.stock:
            return "the stock fills the tableau while it lasts"
        return "expected A, S, V, K or an empty tableau pile"
