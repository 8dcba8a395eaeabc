"""An independent checker: replays a line of moves on sixteen lists of cards.

It shares no code with the referee or the solver. Moves are written as in the referee.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

_RUNS = {
    "A": list(range(1, 14)),
    "S": list(range(6, 0, -1)),
    "V": list(range(7, 14)),
    "K": list(range(13, 0, -1)),
}


class Piles(Protocol):
    """What the checker is given: see `rules.Table`."""

    @property
    def foundations(self) -> Mapping[str, Sequence[int]]:
        """Top card of the four piles of each group."""
        ...

    @property
    def reserves(self) -> Sequence[Sequence[int]]:
        """Three piles, the last card on top."""
        ...

    @property
    def tableau(self) -> Sequence[int]:
        """Six cards, 0 for none."""
        ...

    @property
    def waste(self) -> Sequence[int]:
        """The waste, the last card on top."""
        ...

    @property
    def stock(self) -> Sequence[int]:
        """The cards still to deal, the next one first."""
        ...


def check_line(table: Piles, moves: Sequence[str]) -> bool:
    """Whether the moves are legal one after another and bring all cards to the foundations.

    Parameters
    ----------
    table
        The piles before the first move.
    moves
        Such as ``D``, ``T3>S``, ``K10>V``, ``W>T1``.
    """
    reserves = [list(pile) for pile in table.reserves]
    tableau: list[list[int]] = [[rank] if rank else [] for rank in table.tableau]
    stock, waste = list(table.stock)[::-1], list(table.waste)
    piles: dict[str, list[list[int]]] = {
        name: [run[: run.index(top) + 1] if top else [] for top in table.foundations[name]]
        for name, run in _RUNS.items()
    }

    def onto(group: str, rank: int, source: list[int]) -> list[int] | None:
        for pile in piles[group]:
            if pile is not source and [*pile, rank] == _RUNS[group][: len(pile) + 1]:
                return pile
        return None

    for move in moves:
        if move == "D":
            if not stock:
                return False
            waste.append(stock.pop())
            continue
        origin, arrow, target = move.partition(">")
        source: list[int] | None = None
        if origin == "W":
            source = waste
        elif origin[0] == "R" and origin[1:] in ("1", "2", "3"):
            source = reserves[int(origin[1]) - 1]
        elif origin[0] == "T" and origin[1:] in tuple("123456"):
            source = tableau[int(origin[1]) - 1]
        elif origin[0] in piles:
            wanted = [pile for pile in piles[origin[0]] if pile and str(pile[-1]) == origin[1:]]
            source = wanted[0] if wanted else None
        if not arrow or not source:
            return False
        goal: list[int] | None = None
        if target in piles:
            goal = onto(target, source[-1], source)
        elif target[:1] == "T" and target[1:] in tuple("123456") and not stock:
            goal = tableau[int(target[1]) - 1]
            goal = None if goal else goal
        if goal is None:
            return False
        goal.append(source.pop())
        for pile in tableau:
            if not pile and stock:
                pile.append(stock.pop())
    return all(pile == _RUNS[name] for name, group in piles.items() for pile in group)
