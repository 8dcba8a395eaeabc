"""An independent checker: replays a line of moves with piles as lists and the pyramid as rows.

It shares no code with the referee or the solver.
"""

from collections.abc import Sequence
from typing import Any


def check_line(
    deck: Sequence[int],
    moves: Sequence[Any],
    *,
    rows: int,
    pairing: str,
    passes: int | str,
    goal: str,
) -> bool:
    """Whether the moves are legal one after another and reach the goal.

    Parameters
    ----------
    deck
        52 ranks: the pyramid row by row, then the stock as it is drawn.
    moves
        ``"draw"``, ``"recycle"``, or two indices into the deck.
    rows, pairing, passes, goal
        docs/rulings.md, F.
    """
    pyramid: list[list[int | None]] = []
    index = 0
    for size in range(1, rows + 1):
        pyramid.append(list(range(index, index + size)))
        index += size
    place = {card: (row, at) for row, cards in enumerate(pyramid) for at, card in enumerate(cards)}
    stock, turned_over = list(range(index, 52)), 0
    waste: list[int] = []

    def spot(card: int) -> str:
        if card in place:
            row, at = place[card]
            free = row + 1 == rows or pyramid[row + 1][at] is pyramid[row + 1][at + 1] is None
            return "pyramid" if free and pyramid[row][at] is not None else ""
        if stock and card == stock[0]:
            return "stock" if pairing == "stock_top" else ""
        if waste and card == waste[-1]:
            return "waste"
        return "second" if pairing == "waste_pair" and card in waste[-2:-1] else ""

    allowed = {("pyramid", "pyramid"), ("pyramid", "waste"), ("second", "waste")}
    allowed |= {("pyramid", "stock"), ("stock", "waste")}
    for move in moves:
        if move == "draw":
            if not stock:
                return False
            waste.append(stock.pop(0))
        elif move == "recycle":
            if stock or not waste or (passes != "unlimited" and turned_over + 1 >= int(passes)):
                return False
            turned_over += 1
            stock, waste = waste, []
        else:
            one, two = move
            if one == two or deck[one] != deck[two]:
                return False
            if tuple(sorted((spot(one), spot(two)))) not in allowed:
                return False
            for card in (one, two):
                if card in place:
                    row, at = place[card]
                    pyramid[row][at] = None
                else:
                    (stock if card in stock else waste).remove(card)
    cleared = not any(card is not None for cards in pyramid for card in cards)
    return cleared and (goal == "pyramid" or not (stock or waste))
