"""Verdicts on deals of Racing Aces: won with a line, lost with a proof, or undecided.

Beams of growing width look for a win in the game of counts, between them exhaustive searches of
growing size look for a proof that there is none (docs/math.md, section 14.4). A win is played out
on real piles, with the moves among foundations that it takes, and counts only after
`check.check_line` has replayed it.
"""

from collections import deque
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.shuffle import word_at
from ricochet_casino.games.racing_aces import solver_kernel
from ricochet_casino.games.racing_aces.check import check_line
from ricochet_casino.games.racing_aces.deals import SEARCH_STREAM
from ricochet_casino.games.racing_aces.rules import (
    BASES,
    FINISHED,
    LAST,
    STEP,
    RacingAces,
    Table,
    next_rank,
)
from ricochet_casino.games.racing_aces.settings import RacingAcesSettings
from ricochet_casino.studies.verdicts import Verdict

DEFAULT_LIMIT: Final = 20_000_000
"""States of one deal: a few seconds."""
LEVELS: Final = 420
"""Moves of a line in the game of counts, at most: 111 deals, 156 placings, and room for others."""

_WEIGHTS = (10, 9, 23, 6, 15, 12)
"""See `solver_kernel.beam_kernel`. Found by trying changes on 150 deals of another stream."""
_CHOICES = (
    (2, 5, 9, 13, 20), (0, 5, 12, 23, 30), (-1, 0, 1, 3, 6, 10), (0, 5, 10, 15, 25),
    (-2, 0, 3, 6, 12, 25),
)  # fmt: skip
"""What the weights but the first are drawn from after two tries: what blinds one search rarely
blinds the next."""
_NOISE = 8
_FIRST_PROOF = 2_000

Tops = tuple[tuple[int, ...], ...]
"""Top cards of the groups A, S, V, K, each group sorted."""


def width_of(tries: int) -> int:
    """Width of the beam after so many tries: 8 to 128 within ten of them, then slowly on."""
    return 8 << tries // 2 if tries < 10 else min(128 << (tries - 10) // 24, 1 << 12)


def weights_of(tries: int) -> npt.NDArray[np.int64]:
    """(6,) int64: weights of the search after so many tries."""
    if tries < 2:
        return np.array(_WEIGHTS, dtype=np.int64)
    word, weights = word_at(0, SEARCH_STREAM, tries), [_WEIGHTS[0]]
    for choices in _CHOICES:
        word, which = divmod(word, len(choices))
        weights.append(choices[which])
    return np.array(weights, dtype=np.int64)


class RacingAcesSolver:
    """A solver with its work arrays; one for each thread.

    Parameters
    ----------
    settings
        The reading of the rules.
    """

    def __init__(self, settings: RacingAcesSettings) -> None:
        self.settings = settings
        self._line, self._counts = np.zeros(LEVELS, dtype=np.int64), np.zeros(2, dtype=np.int64)
        self._room = 0

    def work(self, width: int) -> tuple[Any, ...]:
        """The work arrays of `solver_kernel.beam_kernel`, from `beam` on, for this width."""
        if width > self._room:
            self._make_room(width)
        return self._beam, self._chain, self._history, self._table, self._line, self._counts

    def _make_room(self, width: int) -> None:
        width = _power_of_two(width)
        self._room = width
        nodes = width * LEVELS + 200
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
        table: Table | None = None,
    ) -> Verdict:
        """Decide a deal, or a game under way.

        Parameters
        ----------
        deck
            156 ranks, checked by the caller.
        limit_states, limit_seconds
            What may be spent; the verdict is ``undecided`` beyond. Both are looked at between
            searches; a search takes a tenth of a second or less at first, a second later.
        table
            The piles as they stand now; those of the deal if None.
        """
        deadline = None if limit_seconds is None else perf_counter() + limit_seconds
        if table is None and is_out_of_reach(deck):
            return Verdict("lost", (), 1)
        table = RacingAces(deck, self.settings).table if table is None else table
        if table.foundations == FINISHED:
            return Verdict("won", (), 1)
        ranks = np.array(deck, dtype=np.int64)
        states, tries, proof = 0, 0, _FIRST_PROOF
        while states < limit_states:
            found = self._search(ranks, table, tries)
            states += int(self._counts[1])
            if found == solver_kernel.WON:
                line = self._line[: self._counts[0]].tolist()
                moves = play_out(table, line)
                if moves is not None:
                    if not check_line(table, moves):
                        raise AssertionError(f"the solver's line does not win: {moves}")
                    return Verdict("won", tuple(moves), states)
            tries += 1
            if proof and states >= 4 * proof:  # proofs take a fifth of the states or less
                outcome = self._prove(ranks, table, min(proof, max(limit_states - states, 1)))
                states += int(self._counts[1])
                if outcome == solver_kernel.LOST:
                    return Verdict("lost", (), states)
                proof = 0 if outcome == solver_kernel.WON else min(4 * proof, 1 << 22)
            if deadline is not None and perf_counter() >= deadline:
                break
        return Verdict("undecided", (), states)

    def _search(self, ranks: np.ndarray, table: Table, tries: int) -> int:
        width = width_of(tries)
        beam, chain, *others = self.work(width)
        random = np.array([tries, _NOISE if tries else 0], dtype=np.uint64)
        nodes = _start(table, beam[0], chain)
        return int(
            solver_kernel.beam_kernel(
                ranks, nodes, width, weights_of(tries), random, beam, chain, *others
            )
        )

    def _prove(self, ranks: np.ndarray, table: Table, limit: int) -> int:
        size = 1 << max(limit, 1024).bit_length() + 1
        chain = (
            *(np.zeros(limit + 120, dtype=np.int64) for _ in range(3)),
            np.zeros(limit + 120, dtype=np.uint64),
        )
        stack = np.zeros((6, limit + 2), dtype=np.int64)
        keys = np.zeros(size, dtype=np.uint64)
        nodes = _start(table, stack, chain)
        return int(
            solver_kernel.prove_kernel(ranks, nodes, limit, stack, chain, keys, self._counts)
        )


def _start(table: Table, states: npt.NDArray[np.int64], chain: tuple[npt.NDArray[Any], ...]) -> int:
    """Make a position the first state of (6, n) arrays; returns the waste nodes in use."""
    counts = 0
    for group, tops in table.foundations.items():
        for top in tops:
            for rank in range(BASES[group], top + STEP[group], STEP[group]) if top else ():
                counts += 1 << 4 * rank
    cells = sum(rank << 4 * place for place, rank in enumerate(sorted(table.tableau)))
    reserves = sum(len(pile) << 4 * place for place, pile in enumerate(table.reserves))
    used = solver_kernel.STOCK - len(table.stock)
    placed = sum(counts >> 4 * rank & 15 for rank in range(1, 14))
    waste = np.array(table.waste, dtype=np.int64)
    states[:, 0] = counts, cells, reserves, used, len(waste), placed
    return int(solver_kernel.waste_kernel(waste, chain))


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


def is_out_of_reach(deck: Sequence[int]) -> bool:
    """Whether no tableau card can ever be placed, even if all stock cards lay open.

    The ranks that a foundation can ever take are found from below: a group goes on as long as a
    card of the next rank is in reach. Tops of reserves that could be placed are taken off, until
    nothing changes. As long as no tableau card is placed, no tableau pile becomes empty, so that
    there is no other way for a reserve card to leave.
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
            return True


def play_out(table: Table, line: Sequence[int]) -> list[str] | None:
    """A win of the game of counts as moves on real piles, from where they stand.

    Returns
    -------
    Moves as the referee takes them, or None if an arrangement was not found.
    """
    reserves, tableau = [list(pile) for pile in table.reserves], list(table.tableau)
    waste, stock = list(table.waste), list(reversed(table.stock))
    tops: Tops = tuple(table.foundations[group] for group in "ASVK")
    moves: list[str] = []
    for entry in line:
        kind, which = entry & ~15, entry & 15
        if entry == solver_kernel.DEAL:
            moves.append("D")
            waste.append(stock.pop())
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
        if kind == solver_kernel.CELL and stock:
            tableau[place] = stock.pop()
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
