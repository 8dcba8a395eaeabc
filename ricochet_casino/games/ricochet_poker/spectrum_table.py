"""The rows of the spectrum: the cells of all starting hands, folded by what counts.

Cells of one hand with the same dealer's class whose completions win, tie and reach the bonus lines
alike are one *row* (docs/math.md, section 11). Nothing is lost: whatever the paytable pays and
whatever the kickout hand, all deals of a row are decided alike and end alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.games.ricochet_poker.deals import (
    DEALER_HANDS_PER_HAND,
    Cells,
    StartingHand,
    cells,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.notation import line_names
from ricochet_casino.games.ricochet_poker.odds import HandOdds, hand_odds

Int64 = NDArray[np.int64]

BLOCK_ROWS = 96
USUAL_LINES = (
    "straight", "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush",
)  # fmt: skip
"""The lines of the usual table; paytables with others get a table of their own."""


def usual_thresholds() -> tuple[int, ...]:
    """Lowest classes of `USUAL_LINES`, rising."""
    return tuple(line_names()[name] for name in USUAL_LINES)


@dataclass(frozen=True, eq=False)
class Table:
    """All rows, hand by hand and in rising order of the dealer's class.

    Attributes
    ----------
    thresholds
        Lowest class of each of the L bonus lines that are told apart, rising.
    hand_starts
        (170,) first row of each starting hand, and the end.
    dealer_class, winning, tying, deals
        (R,) dealer's class; completions that win or tie, and that tie; dealer hands in the row.
    vector
        (R,) row of ``vectors``.
    vectors
        (V, L) completions that reach each threshold.
    vector_starts
        (170,) first vector of each starting hand, and the end.
    """

    thresholds: tuple[int, ...]
    hand_starts: Int64
    dealer_class: NDArray[np.int16]
    winning: NDArray[np.int16]
    tying: NDArray[np.int16]
    deals: NDArray[np.int16]
    vector: NDArray[np.int32]
    vectors: NDArray[np.int16]
    vector_starts: Int64

    def __post_init__(self) -> None:
        """Assert that every starting hand has all its dealer hands."""
        held = np.add.reduceat(self.deals, self.hand_starts[:-1], dtype=np.int64)
        if not bool((held == DEALER_HANDS_PER_HAND).all()):
            raise AssertionError("the rows of a starting hand do not sum to the dealer's hands")

    @property
    def rows(self) -> tuple[NDArray[Any], ...]:
        """The columns in the order that kernels take them."""
        return self.dealer_class, self.winning, self.tying, self.deals, self.vector

    @cached_property
    def blocks(self) -> tuple[NDArray[Any], ...]:
        """Blocks of rows, and groups of blocks (see `spectrum_kernel.played_kernel`)."""
        from ricochet_casino.games.ricochet_poker.spectrum_kernel import REACHING, blocks_kernel

        n_rows, lines = len(self.deals), len(self.thresholds)
        line_of_row = np.searchsorted(self.thresholds, self.dealer_class, side="right")
        group = self.hand_of_row * (lines + 1) + line_of_row
        edges = np.flatnonzero(np.diff(group, prepend=-1))
        place = np.arange(n_rows) - np.repeat(edges, np.diff([*edges.tolist(), n_rows]))
        starts = np.append(np.flatnonzero(place % BLOCK_ROWS == 0), n_rows)
        count = len(starts) - 1
        sums = np.empty((count, REACHING + lines), dtype=np.int64)
        low, high = np.empty((2, count, 1 + lines), dtype=np.int16)
        _, winning, tying, deals, vector = self.rows
        blocks_kernel(starts, winning, tying, deals, vector, self.vectors, sums, low, high)
        of_block = group[starts[:-1]]
        heads = np.flatnonzero(np.diff(of_block, prepend=-1))
        hand_of, line_of = np.divmod(of_block[heads], lines + 1)
        return starts, sums, low, high, np.append(heads, count), hand_of, line_of

    @cached_property
    def hand_of_row(self) -> NDArray[np.intp]:
        """(R,) number of each row's starting hand."""
        return np.repeat(np.arange(len(self.hand_starts) - 1), np.diff(self.hand_starts))

    @cached_property
    def class_starts(self) -> NDArray[np.intp]:
        """First row of each class of each starting hand."""
        key = self.hand_of_row * N_CLASSES + self.dealer_class
        return np.flatnonzero(np.diff(key, prepend=-1))

    @cached_property
    def kicked(self) -> Int64:
        """(7463, 1 + L) deals in which she has a class or a better one, and times completions.

        The columns are the deals of the whole game, and these times the completions that reach
        each threshold.
        """
        hand_of_row = self.hand_of_row
        weights = self.deals * np.array([hand.deals for hand in starting_hands()])[hand_of_row]
        found = np.zeros((N_CLASSES + 1, 1 + len(self.thresholds)), dtype=np.int64)
        # Whole numbers below 2^53 add up exactly in the floats that bincount uses.
        found[:-1, 0] = np.bincount(self.dealer_class, weights, N_CLASSES)
        for line in range(len(self.thresholds)):
            reached = weights * self.vectors[self.vector, line]
            found[:-1, 1 + line] = np.bincount(self.dealer_class, reached, N_CLASSES)
        return found[::-1].cumsum(axis=0)[::-1].copy()


def build_table(thresholds: Sequence[int]) -> Table:
    """Fold the cells of all starting hands.

    Parameters
    ----------
    thresholds
        Lowest class of each bonus line, rising; each once.
    """
    thresholds = tuple(thresholds)
    pieces = [_fold(hand, thresholds) for hand in starting_hands()]
    by_column = zip(*(piece[:-1] for piece in pieces), strict=True)
    columns = [np.concatenate(parts) for parts in by_column]
    vectors = [piece[-1] for piece in pieces]
    return assemble(
        thresholds,
        [len(piece[0]) for piece in pieces],
        columns,
        [len(found) for found in vectors],
        np.concatenate(vectors),
    )


def assemble(
    thresholds: tuple[int, ...],
    row_counts: Sequence[int],
    columns: Sequence[NDArray[Any]],
    vector_counts: Sequence[int],
    vectors: NDArray[np.int16],
) -> Table:
    """A table from the columns dealer_class, winning, tying, deals, vector of all hands together.

    The vectors are numbered from 0 in each hand.
    """
    vector_starts = np.concatenate(([0], np.cumsum(vector_counts))).astype(np.int64)
    dealer_class, winning, tying, deals, vector = columns
    absolute = vector.astype(np.int32) + np.repeat(vector_starts[:-1], row_counts).astype(np.int32)
    return Table(
        thresholds=thresholds,
        hand_starts=np.concatenate(([0], np.cumsum(row_counts))).astype(np.int64),
        dealer_class=dealer_class,
        winning=winning,
        tying=tying,
        deals=deals,
        vector=absolute,
        vectors=vectors,
        vector_starts=vector_starts,
    )


def _fold(hand: StartingHand, thresholds: tuple[int, ...]) -> tuple[NDArray[Any], ...]:
    """Columns dealer_class, winning, tying, deals, vector of a hand's rows, and its vectors."""
    from ricochet_casino.games.ricochet_poker.spectrum_kernel import fold_kernel

    the_cells = cells(hand)
    odds = hand_odds(hand, the_cells, thresholds)
    by_pattern, by_mask = _keys(odds.by_pattern), _keys(odds.by_mask)
    key = by_pattern[odds.pattern] + by_mask[odds.row]
    first = np.empty(len(key), dtype=np.int64)
    folded = np.empty(len(key), dtype=np.int64)
    n_rows = fold_kernel(
        the_cells.dealer_class, odds.winning, odds.beating, key, the_cells.deals, first, folded
    )
    first, deals = first[:n_rows], folded[:n_rows]
    _, representative, vector = np.unique(key[first], return_index=True, return_inverse=True)
    cell = first[representative]
    vectors = odds.by_pattern[:, odds.pattern[cell]] + odds.by_mask[:, odds.row[cell]]
    winning = odds.winning[first]
    tying = winning - odds.beating[first]
    columns = (the_cells.dealer_class[first], winning, tying, deals.astype(np.int16))
    found = (*columns, vector.astype(np.uint32), vectors.T.astype(np.int16))
    _check_totals(hand, the_cells, odds, found)
    return found


def _keys(counts: Int64) -> Int64:
    """(N,) numbers that stand for (L, N) columns, so that keys add as columns do.

    Multiples of fixed odd numbers, modulo 2^64: two different sums of columns could get the same
    key only by chance, and the totals would tell.
    """
    generator = np.random.Philox(key=20_611)
    factors = (generator.random_raw(len(counts)) | np.uint64(1)).astype(np.int64)
    keys: Int64 = (counts * factors[:, None]).sum(axis=0, dtype=np.int64)
    return keys


def _check_totals(
    hand: StartingHand, the_cells: Cells, odds: HandOdds, found: tuple[NDArray[Any], ...]
) -> None:
    """Assert that folding changed no total: each column, and each line, times the deals."""
    _, winning, tying, deals, vector, vectors = found
    before = the_cells.deals.astype(np.int64)
    after = deals.astype(np.int64)
    same = (
        int((before * odds.winning).sum()) == int((after * winning).sum())
        and int((before * odds.beating).sum()) == int((after * (winning - tying)).sum())
        and odds.sums(before, 0, len(before))
        == (np.bincount(vector, after, len(vectors)).astype(np.int64) @ vectors).tolist()
    )
    if not same:
        raise AssertionError(f"{hand.name}: folding changed a total")
