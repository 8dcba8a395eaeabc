"""An independent checker: replays a line of moves on sixteen lists of cards.

It shares no code with the referee or the solver. Moves are written as in the referee.
"""

from collections.abc import Sequence

_RUNS = {
    "A": list(range(1, 14)),
    "S": list(range(6, 0, -1)),
    "V": list(range(7, 14)),
    "K": list(range(13, 0, -1)),
}


def check_line(deck: Sequence[int], moves: Sequence[str], *, initial_waste: int) -> bool:
    """Whether the moves are legal one after another and bring all cards to the foundations.

    Parameters
    ----------
    deck
        156 ranks: three reserves, tableau, stock.
    moves
        Such as ``D``, ``T3>S``, ``K10>V``, ``W>T1``.
    initial_waste
        docs/rulings.md, G.
    """
    reserves = [list(deck[13 * i : 13 * i + 13]) for i in range(3)]
    tableau: list[list[int]] = [[rank] for rank in deck[39:45]]
    stock, waste = list(deck[45:])[::-1], []
    for _ in range(initial_waste):
        waste.append(stock.pop())
    piles: dict[str, list[list[int]]] = {name: [[] for _ in range(4)] for name in _RUNS}

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
