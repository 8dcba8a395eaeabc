"""Exact verdicts on deals of the all-hearts pyramid, with a winning line for every win.

See `solver_kernel` for the search. A win counts only after `check.check_line` has replayed it.
"""

from collections.abc import Sequence
from functools import cache
from time import perf_counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.games.hearts_pyramid import solver_kernel
from ricochet_casino.games.hearts_pyramid.check import check_line
from ricochet_casino.games.hearts_pyramid.settings import DECK_CARDS, PyramidSettings
from ricochet_casino.studies.verdicts import VERDICTS, Verdict

DEFAULT_LIMIT: Final = 1 << 22
"""States of one deal."""
PAIRINGS: Final = ("strict", "waste_pair", "stock_top")
"""In the order of their numbers in kernels."""

_LONGEST = 160


def kernel_rules(settings: PyramidSettings) -> tuple[int, int, int, int]:
    """The settings as the kernels take them."""
    passes = solver_kernel.UNLIMITED if settings.passes == "unlimited" else settings.passes
    return settings.rows, PAIRINGS.index(settings.pairing), passes, int(settings.goal == "all")


@cache
def cards_under(rows: int) -> npt.NDArray[np.int64]:
    """(52,) int64: the set of pyramid cards that must go before each pyramid card."""
    under = np.zeros(DECK_CARDS, dtype=np.int64)
    for row in reversed(range(rows - 1)):
        for at in range(row + 1):
            card = row * (row + 1) // 2 + at
            for child in (card + row + 1, card + row + 2):
                under[card] |= (1 << child) | under[child]
    under.flags.writeable = False
    return under


def decide_decks(
    settings: PyramidSettings,
    decks: npt.NDArray[np.uint8],
    limit_states: int = DEFAULT_LIMIT,
    played: Sequence[Any] = (),
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], dict[int, list[Any]]]:
    """Decide many deals.

    Parameters
    ----------
    settings
        The reading of the rules.
    decks
        (N, 52) uint8 ranks, 0 (ace) to 12, four of each.
    limit_states
        States of one deal before it is undecided.
    played
        Legal moves already made, the same in all deals.

    Returns
    -------
    verdicts, states : (N,) int64
        Of each deal the place in `VERDICTS`, and the states looked at.
    lines
        Winning moves by row, checked.
    """
    number = len(decks)
    verdicts, states, moves = (np.zeros(number, dtype=np.int64) for _ in range(3))
    lines = np.zeros((number, _LONGEST), dtype=np.int64)
    rules, begin = kernel_rules(settings), _position(settings, played)
    under = cards_under(settings.rows)
    solver_kernel.decide_many_kernel(
        decks, under, begin, rules, limit_states, verdicts, states, lines, moves
    )
    found = {}
    for row in np.flatnonzero(verdicts == solver_kernel.WON).tolist():
        line = _moves(settings, lines[row, : moves[row]].tolist(), begin)
        if not check_line(decks[row].tolist(), [*played, *line], **settings.model_dump()):
            raise AssertionError(f"the solver's line does not win: {line}")
        found[row] = line
    return verdicts, states, found


def decide(
    settings: PyramidSettings,
    deck: Sequence[int],
    limit_states: int = DEFAULT_LIMIT,
    limit_seconds: float | None = None,
    played: Sequence[Any] = (),
) -> Verdict:
    """Decide one deal, or a game under way.

    Parameters: as `decide_decks`, with one deck of 52 ranks and

    limit_seconds
        The verdict is ``undecided`` beyond; looked at between tries of ten times as many states
        each.
    """
    row = np.array([deck], dtype=np.uint8)
    deadline = None if limit_seconds is None else perf_counter() + limit_seconds
    limit = limit_states if deadline is None else min(limit_states, 10_000)
    while True:
        verdicts, states, lines = decide_decks(settings, row, limit, played)
        verdict = VERDICTS[int(verdicts[0])]
        late = deadline is not None and perf_counter() >= deadline
        if verdict != "undecided" or limit >= limit_states or late:
            return Verdict(verdict, tuple(lines.get(0, ())), int(states[0]))
        limit = min(10 * limit, limit_states)


def _position(settings: PyramidSettings, played: Sequence[Any]) -> tuple[int, int, int]:
    """Where some moves lead (see `solver_kernel.decide_kernel`)."""
    removed, position, passes = 0, settings.pyramid_cards, 1
    for move in played:
        if move == "recycle":
            position, passes = settings.pyramid_cards, passes + 1
        elif move == "draw":
            while removed >> position & 1:
                position += 1
            position += 1
        else:
            removed |= 1 << move[0] | 1 << move[1]
    return removed, position, passes


def _moves(
    settings: PyramidSettings, line: Sequence[int], begin: tuple[int, int, int]
) -> list[Any]:
    """Moves of a kernel's line; where passes are unlimited, draws are put in before each pair."""
    moves: list[Any] = []
    removed, position, _ = begin
    stock = [c for c in range(settings.pyramid_cards, DECK_CARDS) if not removed >> c & 1]
    drawn = sum(card < position for card in stock)
    for entry in line:
        if entry == solver_kernel.DRAW:
            moves.append("draw")
            continue
        if entry == solver_kernel.RECYCLE:
            moves.append("recycle")
            continue
        pair = [card for card in range(DECK_CARDS) if entry >> card & 1]
        if settings.passes == "unlimited":
            wanted = [stock.index(card) + 1 for card in pair if card in stock]
            if settings.pairing == "stock_top" and len(wanted) == 2:
                wanted.pop()  # the later card stays in the stock
            while wanted and drawn != wanted[-1]:
                if drawn == len(stock):
                    moves.append("recycle")
                    drawn = 0
                else:
                    moves.append("draw")
                    drawn += 1
            for card in pair:
                if card in stock:
                    drawn -= stock.index(card) < drawn
                    stock.remove(card)
        moves.append(pair)
    return moves
