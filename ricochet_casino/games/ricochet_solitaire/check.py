"""An independent checker: replays a line of moves on a board given by rings and distances.

It shares no code with the referee or the solver, not even the table of what covers what: a card is
covered by those of the next ring that lie half a card to its left and right.
"""

from collections.abc import Sequence
from functools import cache


@cache
def _places() -> list[tuple[str, int, int]]:
    """For each place: its walls, its ring (0 outside) and twice its distance along the wall.

    A wall is walked clockwise. Its inner cards stand at 0, 2, 4, 6, its middle ones at 1, 3, 5 and
    its outer ones at 2, 4, so that a card is covered by those of the next ring one step away.
    """
    found = [(wall, 0, at) for wall in "NESW" for at in (2, 4)]
    found += [(wall, 1, at) for wall in "NESW" for at in (1, 3, 5)]
    for index, wall in enumerate("NESW"):
        found.append(("WNES"[index] + wall, 2, 0))
        found += [(wall, 2, at) for at in (2, 4)]
    return found


@cache
def _covering() -> list[set[int]]:
    places = _places()
    result = []
    for wall, ring, at in places:
        above = set()
        for number, (other, other_ring, other_at) in enumerate(places):
            if other_ring != ring + 1:
                continue
            along = {other_at} if wall == other[-1] else set()
            if len(other) == 2 and wall == other[0]:
                along = {6}  # the far corner belongs to the next wall's list
            if along & {at - 1, at + 1}:
                above.add(number)
        result.append(above)
    return result


def check_line(
    cards: Sequence[int],
    moves: Sequence[int | str],
    *,
    wrap: bool,
    flip_lifts_wall_rule: bool,
    flip_only_when_stuck: bool,
    ends_with_stock: bool,
) -> bool:
    """Whether the moves are legal one after another and take all walls down.

    Parameters
    ----------
    cards
        52 card codes: walls, waste, stock.
    moves
        Places, and ``"flip"``.
    wrap, flip_lifts_wall_rule, flip_only_when_stuck, ends_with_stock
        docs/rulings.md, E.
    """
    places, covering = _places(), _covering()
    rank = ["A23456789TJQK".index("23456789TJQKA"[card // 4]) for card in cards]
    beside = (1, -1, 12, -12) if wrap else (1, -1)
    there, top, turned, last_walls = set(range(32)), rank[32], 0, ""

    def fits(place: int) -> bool:
        if rank[place] - top not in beside or place not in there or covering[place] & there:
            return False
        return not any(wall in last_walls for wall in places[place][0])

    for move in moves:
        if not there or (ends_with_stock and turned == 19):
            return False
        if move == "flip":
            if turned == 19 or (flip_only_when_stuck and any(map(fits, range(32)))):
                return False
            turned += 1
            top = rank[32 + turned]
            last_walls = "" if flip_lifts_wall_rule else last_walls
        elif isinstance(move, int) and 0 <= move < 32 and fits(move):
            there.remove(move)
            top, last_walls = rank[move], places[move][0]
        else:
            return False
    return not there
