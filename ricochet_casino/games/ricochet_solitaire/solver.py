"""Exact verdicts on deals of Ricochet solitaire, with a winning line for every win.

Three searches follow one another (docs/math.md, section 14.2): a dive for a quick win, a sweep of
the narrower game in which the stock is turned only when stuck, and a sweep of the game itself. A
win counts only after `check.check_line` has replayed it.
"""

from collections.abc import Sequence
from time import perf_counter
from typing import Final

import numpy as np

from ricochet_casino.games.ricochet_solitaire import layout, solver_kernel
from ricochet_casino.games.ricochet_solitaire.check import check_line
from ricochet_casino.games.ricochet_solitaire.players import kernel_rules
from ricochet_casino.games.ricochet_solitaire.rules import FLIP, Move, rank_number
from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings
from ricochet_casino.studies.verdicts import Verdict

DIVE: Final = 1000
"""States of the dive: it finds half of the wins in a tenth of a millisecond."""
DEFAULT_LIMIT: Final = 1 << 24
"""States of one deal; more than any deal has."""

_QUEUE, _ENTRIES, _TOUCHED = 1 << 18, 1 << 17, 1 << 19


class SolitaireSolver:
    """A solver with its work arrays; one for each thread.

    Parameters
    ----------
    settings
        The reading of the rules.
    """

    def __init__(self, settings: SolitaireSettings) -> None:
        self.settings = settings
        after = [layout.restriction_of(place) for place in range(layout.WALL_CARDS)]
        self._board = (
            layout.restriction_masks(),
            np.array([*after, 0], dtype=np.int64),
            *layout.index_tables(),
            layout.outer_table(),
        )
        sizes = (
            layout.WALL_CARDS,
            layout.STOCK_CARDS + 1,
            layout.WALL_CARDS,
            layout.STOCK_CARDS + 1,
        )
        self._deal = tuple(np.zeros(size, dtype=np.int64) for size in sizes)
        self._settled = np.zeros(layout.CONFIGURATIONS, dtype=np.uint32)
        self._noted = np.zeros(layout.CONFIGURATIONS, dtype=np.uint16)
        self._path, self._counts = np.zeros(64, dtype=np.int64), np.zeros(2, dtype=np.int64)
        self._ends = np.zeros(3, dtype=np.int64)
        self._grow(1)

    def _grow(self, factor: int) -> None:
        self._factor = factor
        queue, entries = _QUEUE * factor, _ENTRIES * factor
        wide, narrow, small = np.int64, np.int32, np.int8
        queue_kinds = (wide, wide, narrow, small, small, narrow)
        self._queue = tuple(np.zeros(queue, dtype=kind) for kind in queue_kinds)
        entry_kinds = (wide, wide, wide, small, narrow, narrow)
        self._entries = tuple(np.zeros(entries, dtype=kind) for kind in entry_kinds)
        self._touched = np.zeros(_TOUCHED * factor, dtype=np.int32)

    def decide(
        self,
        cards: Sequence[int],
        limit_states: int = DEFAULT_LIMIT,
        limit_seconds: float | None = None,
        played: Sequence[Move] = (),
    ) -> Verdict:
        """Decide a deal, or a game under way.

        Parameters
        ----------
        cards
            52 card codes, checked by the caller.
        limit_states, limit_seconds
            What may be spent; the verdict is ``undecided`` beyond. Seconds are looked at after
            each stock card.
        played
            Legal moves already made; those of the verdict come after them.
        """
        deadline = None if limit_seconds is None else perf_counter() + limit_seconds
        ranks = np.array([rank_number(card) - 1 for card in cards], dtype=np.int64)
        solver_kernel.prepare_kernel(ranks, self.settings.wrap, self._board, self._deal)
        _, only_stuck, lifts, last = rules = kernel_rules(self.settings)
        states, begin = 0, _position(played)
        if not played:
            allowance = min(DIVE, limit_states)
            found = solver_kernel.dive_kernel(
                self._deal, self._board, rules, allowance, self._settled, self._touched,
                self._path, self._counts,
            )  # fmt: skip
            moves, states = (int(count) for count in self._counts)
            if found == solver_kernel.WON:
                line = [FLIP if move == 32 else int(move) for move in self._path[:moves]]
                return self._won(cards, played, line, states)
        for stuck in (1,) if only_stuck else (1, 0):
            if states >= limit_states:
                return Verdict("undecided", (), states)
            narrower = rules[0], stuck, lifts, last
            found = self._sweep(begin, narrower, limit_states - states, deadline)
            states += int(self._ends[solver_kernel.TAIL])
            if found == solver_kernel.WON:
                return self._won(cards, played, self._trace(begin[1]), states)
            if found != solver_kernel.LOST:
                return Verdict("undecided", (), states)
        return Verdict("lost", (), states)

    def _sweep(
        self,
        begin: tuple[int, int, int, int],
        rules: tuple[int, int, int, int],
        most: int,
        deadline: float | None,
    ) -> int:
        position = begin[1]
        while True:
            found = int(
                solver_kernel.layer_kernel(
                    position, begin, self._deal, self._board, rules, most, self._settled,
                    self._noted, self._touched, self._queue, self._entries, self._ends,
                )
            )  # fmt: skip
            position += 1
            if found == solver_kernel.PAUSED:
                if deadline is None or perf_counter() < deadline:
                    continue
                found = solver_kernel.GIVEN_UP
            solver_kernel.clear_kernel(
                self._settled, self._noted, self._touched, self._entries, self._ends
            )
            if found != solver_kernel.FULL:
                return found
            self._grow(2 * self._factor)
            position = begin[1]

    def _trace(self, begun: int) -> list[Move]:
        """The line to the last state of the queue, from stock position `begun` on."""
        _, _, _, places, positions, parents = self._queue
        index = int(self._ends[solver_kernel.TAIL]) - 1
        line: list[Move] = []
        while index >= 0 and parents[index] != solver_kernel.GIVEN:
            parent = int(parents[index])
            before = int(positions[parent]) if parent >= 0 else begun
            line += [int(places[index]), *[FLIP] * (int(positions[index]) - before)]
            index = parent
        return line[::-1]

    def _won(
        self, cards: Sequence[int], played: Sequence[Move], line: list[Move], states: int
    ) -> Verdict:
        if not check_line(cards, [*played, *line], **self.settings.model_dump()):
            raise AssertionError(f"the solver's line does not win: {line}")
        return Verdict("won", tuple(line), states)


def _position(played: Sequence[Move]) -> tuple[int, int, int, int]:
    """Where some moves lead (see `solver_kernel.layer_kernel`)."""
    removed, position, last, turned = 0, 0, layout.WALL_CARDS, 1
    for move in played:
        if isinstance(move, int):
            removed, last, turned = removed | 1 << move, move, 0
        else:
            position, turned = position + 1, 1
    return removed, position, last, turned
