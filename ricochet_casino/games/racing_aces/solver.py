"""Verdicts on deals of Racing Aces: won with a line, lost with a proof, or undecided.

Beams of growing width look for a win in the game of counts, between them exhaustive searches of
growing size look for a proof that there is none (docs/math.md, section 14.4). A win is played out
on real piles, with the moves among foundations that it takes, and counts only after
`check.check_line` has replayed it.
"""

from collections import deque
from collections.abc import Sequence
from time import perf_counter
from typing import Final

import numpy as np

from ricochet_casino.games.racing_aces import solver_kernel
from ricochet_casino.games.racing_aces.check import check_line
from ricochet_casino.games.racing_aces.rules import BASES, LAST, STEP, next_rank
from ricochet_casino.games.racing_aces.settings import RacingAcesSettings
from ricochet_casino.studies.verdicts import Verdict

DEFAULT_LIMIT: Final = 20_000_000
"""States of one deal: a few seconds."""
LEVELS: Final = 420
"""Moves of a line in the game of counts, at most: 111 deals, 156 placings, and room for others."""

_WIDEST = 1 << 12
_WEIGHTS = (10, 13, 23, 3, 15)
"""Found by trying changes on 150 deals of another stream, with beams of width 8."""
_NOISE = 8
_FIRST_PROOF = 2_000

Tops = tuple[tuple[int, ...], ...]
"""Top cards of the groups A, S, V, K, each group sorted."""


class RacingAcesSolver:
    """A solver with its work arrays; one for each thread.

    Parameters
    ----------
    settings
        The reading of the rules.
    """

    def __init__(self, settings: RacingAcesSettings) -> None:
        self.settings = settings
        self._weights = np.array(_WEIGHTS, dtype=np.int64)
        self._line, self._counts = np.zeros(LEVELS, dtype=np.int64), np.zeros(2, dtype=np.int64)
        self._room = 0

    def _reserve(self, width: int) -> None:
        if width <= self._room:
            return
        self._room = width
        nodes = width * LEVELS + 2
        self._beam = tuple(np.zeros((6, width), dtype=np.int64) for _ in range(2))
        self._chain = (
            np.zeros(nodes, dtype=np.int64),
            np.zeros(nodes, dtype=np.int64),
            np.zeros(nodes, dtype=np.int64),
            np.zeros(nodes, dtype=np.uint64),
        )
        self._history = (
            np.zeros((LEVELS, width), dtype=np.int32),
            np.zeros((LEVELS, width), dtype=np.uint8),
        )
        self._table = np.zeros(64 * width, dtype=np.uint64)

    def decide(
        self,
        deck: Sequence[int],
        limit_states: int = DEFAULT_LIMIT,
        limit_seconds: float | None = None,
    ) -> Verdict:
        """Decide a deal.

        Parameters
        ----------
        deck
            156 ranks, checked by the caller.
        limit_states, limit_seconds
            What may be spent; the verdict is ``undecided`` beyond. Both are looked at between
            searches, of which each takes twice as long as the one before.
        """
        deadline = None if limit_seconds is None else perf_counter() + limit_seconds
        if is_out_of_reach(deck):
            return Verdict("lost", (), 1)
        ranks = np.array(deck, dtype=np.int64)
        states, width, tries, proof = 0, 8, 0, _FIRST_PROOF
        while states < limit_states:
            found = self._search(ranks, width, tries)
            states += int(self._counts[1])
            if found == solver_kernel.WON:
                line = self._line[: self._counts[0]].tolist()
                moves = play_out(deck, line, self.settings)
                if moves is not None:
                    if not check_line(deck, moves, **self.settings.model_dump()):
                        raise AssertionError(f"the solver's line does not win: {moves}")
                    return Verdict("won", tuple(moves), states)
            tries += 1
            if tries % 2 == 0:
                width = min(2 * width, _WIDEST)
            if proof:
                outcome = self._prove(ranks, min(proof, max(limit_states - states, 1)))
                states += int(self._counts[1])
                if outcome == solver_kernel.LOST:
                    return Verdict("lost", (), states)
                proof = 0 if outcome == solver_kernel.WON else min(4 * proof, 1 << 22)
            if deadline is not None and perf_counter() >= deadline:
                break
        return Verdict("undecided", (), states)

    def _search(self, ranks: np.ndarray, width: int, tries: int) -> int:
        self._reserve(width)
        random = np.array([tries, _NOISE if tries else 0], dtype=np.uint64)
        return int(
            solver_kernel.beam_kernel(
                ranks, self.settings.initial_waste, width, self._weights, random, self._beam,
                self._chain, self._history, self._table, self._line, self._counts,
            )
        )  # fmt: skip

    def _prove(self, ranks: np.ndarray, limit: int) -> int:
        size = 1 << max(limit, 1024).bit_length() + 1
        chain = (
            np.zeros(limit + 3, dtype=np.int64),
            np.zeros(limit + 3, dtype=np.int64),
            np.zeros(limit + 3, dtype=np.int64),
            np.zeros(limit + 3, dtype=np.uint64),
        )
        stack = np.zeros((5, limit + 2), dtype=np.int64)
        table = np.zeros(size, dtype=np.uint64)
        return int(
            solver_kernel.prove_kernel(
                ranks, self.settings.initial_waste, limit, stack, chain, table, self._counts
            )
        )


def is_out_of_reach(deck: Sequence[int]) -> bool:
    """Whether some reserve card can never be laid bare, even if all stock cards lay open.

    The ranks that a foundation can ever take are found from below: a group goes on as long as a
    card of the next rank is in reach. Then the tops of the reserves that could be placed are taken
    off, until nothing changes. (As long as the stock lasts, nothing else empties a reserve; once it
    is used up, an empty tableau pile can take any card, so at least one of the six tableau cards,
    or of those that replaced them, must be placeable too: if none of the tableau is, no pile ever
    becomes empty.)
    """
    reserves = [list(deck[13 * i : 13 * i + 13]) for i in range(3)]
    tableau = set(deck[39:45])
    ranks = tableau | set(deck[45:])
    while True:
        in_reach = ranks | {pile[-1] for pile in reserves if pile}
        placed: set[int] = set()
        for group, base in BASES.items():
            rank = base
            while rank in in_reach:
                placed.add(rank)
                if rank == LAST[group]:
                    break
                rank += STEP[group]
        if tableau & placed:
            return False
        shorter = False
        for pile in reserves:
            while pile and pile[-1] in placed:
                ranks = ranks | {pile.pop()}
                shorter = True
        if not shorter:
            return any(reserves)


def play_out(
    deck: Sequence[int], line: Sequence[int], settings: RacingAcesSettings
) -> list[str] | None:
    """A win of the game of counts as moves on real piles.

    Returns
    -------
    Moves as the referee takes them, or None if an arrangement was not found.
    """
    reserves = [list(deck[13 * i : 13 * i + 13]) for i in range(3)]
    tableau = list(deck[39:45])
    used = 45 + settings.initial_waste
    waste = list(deck[45:used])
    tops: Tops = ((0,) * 4,) * 4
    moves: list[str] = []
    for entry in line:
        kind, which = entry & ~15, entry & 15
        if entry == solver_kernel.DEAL:
            moves.append("D")
            waste.append(deck[used])
            used += 1
            continue
        if kind == solver_kernel.CELL:
            place = tableau.index(which)
            source, rank, tableau[place] = f"T{place + 1}", which, 0
        elif kind in (solver_kernel.RESERVE, solver_kernel.RESERVE_TO_CELL):
            source, rank = f"R{which + 1}", reserves[which].pop()
        else:
            source, rank = "W", waste.pop()
        if kind in (solver_kernel.RESERVE_TO_CELL, solver_kernel.WASTE_TO_CELL):
            place = tableau.index(0)
            tableau[place] = rank
            moves.append(f"{source}>T{place + 1}")
            continue
        arranged = _arrange(tops, rank)
        if arranged is None:
            return None
        tops, shifts, group = arranged
        tops = _put(tops, group, rank)
        moves += [*shifts, f"{source}>{'ASVK'[group]}"]
        if kind == solver_kernel.CELL and used < len(deck):
            tableau[place] = deck[used]
            used += 1
    return moves


def _arrange(tops: Tops, rank: int) -> tuple[Tops, list[str], int] | None:
    """Fewest moves among foundations after which some group takes the rank."""
    seen: dict[Tops, tuple[Tops, str] | None] = {tops: None}
    waiting = deque([tops])
    while waiting:
        now = waiting.popleft()
        for group in range(4):
            if _takes(now, group, rank):
                shifts: list[str] = []
                step = seen[now]
                while step is not None:
                    shifts.append(step[1])
                    step = seen[step[0]]
                return now, shifts[::-1], group
        for source in range(4):
            for top in set(now[source]) - {0}:
                for target in range(4):
                    if target != source and _takes(now, target, top):
                        then = _put(_take(now, source, top), target, top)
                        if then not in seen:
                            seen[then] = (now, f"{'ASVK'[source]}{top}>{'ASVK'[target]}")
                            waiting.append(then)
    return None


def _takes(tops: Tops, group: int, rank: int) -> bool:
    return any(next_rank("ASVK"[group], top) == rank for top in tops[group])


def _put(tops: Tops, group: int, rank: int) -> Tops:
    piles = list(tops[group])
    place = [next_rank("ASVK"[group], top) for top in piles].index(rank)
    piles[place] = rank
    return (*tops[:group], tuple(sorted(piles)), *tops[group + 1 :])


def _take(tops: Tops, group: int, rank: int) -> Tops:
    name, piles = "ASVK"[group], list(tops[group])
    piles[piles.index(rank)] = 0 if rank == BASES[name] else rank - STEP[name]
    return (*tops[:group], tuple(sorted(piles)), *tops[group + 1 :])
