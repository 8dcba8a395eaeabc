"""Compiled loops over the rows of the spectrum: folding cells, blocks, decisions and sums.

A row is what cells of one starting hand with the same dealer's class and the same odds have in
common. Rows stand hand by hand in rising order of the dealer's class, and are cut into *blocks*:
where the bounds of a block leave no doubt about the decision, its sums made in advance do for all
its rows. Formulas: docs/math.md, section 11. All numbers are 64-bit integers; the kernels trust
their arguments, spectrum.py checks them.
"""

import numpy as np
from numba import njit

DEALS, WINNING, TYING, REACHING = 0, 1, 2, 3
"""Columns of sums: deals; times winning and tying completions; times those that reach a line."""


@njit(cache=True, nogil=True)
def fold_kernel(dealer_class, winning, beating, key, deals, first, folded):  # type: ignore[no-untyped-def]
    """Join the cells of one starting hand that agree in everything that counts.

    Parameters
    ----------
    dealer_class, winning, beating, deals
        (M,) columns of the cells, in rising order of the class.
    key
        (M,) number that stands for the completions reaching each line.
    first
        (M,) filled with the first cell of each row.
    folded
        (M,) filled with the deals of each row.

    Returns
    -------
    int
        Number of rows.
    """
    rows = 0
    start = 0
    for cell in range(dealer_class.size):
        if cell and dealer_class[cell] != dealer_class[cell - 1]:
            start = rows
        found = start
        while found < rows:
            other = first[found]
            if (
                winning[other] == winning[cell]
                and beating[other] == beating[cell]
                and key[other] == key[cell]
            ):
                break
            found += 1
        if found == rows:
            first[rows] = cell
            folded[rows] = 0
            rows += 1
        folded[found] += deals[cell]
    return rows


@njit(cache=True, nogil=True)
def blocks_kernel(  # type: ignore[no-untyped-def]
    starts, winning, tying, deals, vector, vectors, sums, low, high
):
    """Sums of each block over its rows, and bounds of what the decision looks at.

    Parameters
    ----------
    starts
        (B + 1,) first row of each block.
    winning, tying, deals, vector
        (R,) columns of the rows; ``vector`` is a row of ``vectors``.
    vectors
        (V, L) completions that reach each line.
    sums
        (B, 3 + L) filled; columns as `REACHING` has them.
    low, high
        (B, 1 + L) filled: least and most winning completions, and completions on each line.
    """
    lines = vectors.shape[1]
    for block in range(starts.size - 1):
        low[block] = 14_190
        high[block] = 0
        sums[block] = 0
        for row in range(starts[block], starts[block + 1]):
            weight = np.int64(deals[row])
            reached = vectors[vector[row]]
            sums[block, DEALS] += weight
            sums[block, WINNING] += weight * winning[row]
            sums[block, TYING] += weight * tying[row]
            low[block, 0] = min(low[block, 0], winning[row])
            high[block, 0] = max(high[block, 0], winning[row])
            for line in range(lines):
                sums[block, REACHING + line] += weight * reached[line]
                exact = reached[line] - (reached[line + 1] if line + 1 < lines else 0)
                low[block, 1 + line] = min(low[block, 1 + line], exact)
                high[block, 1 + line] = max(high[block, 1 + line], exact)


@njit(cache=True, nogil=True)
def bonus_kernel(vectors, rises, bonus):  # type: ignore[no-untyped-def]
    """Bonus units of all completions together, for each (V, L) vector; (V,) ``bonus`` is filled.

    ``rises`` (L,) is what each line pays more than the line below.
    """
    for v in range(vectors.shape[0]):
        total = 0
        for line in range(vectors.shape[1]):
            total += rises[line] * vectors[v, line]
        bonus[v] = total


@njit(cache=True, nogil=True)
def _pour(weights, first, last, times, vectors, sums):  # type: ignore[no-untyped-def]
    """Add the deals gathered for each vector to a row of sums, and set them back to 0."""
    for v in range(first, last):
        if weights[v]:
            for line in range(vectors.shape[1]):
                sums[REACHING + line] += times * weights[v] * vectors[v, line]
            weights[v] = 0


@njit(cache=True, nogil=True)
def played_kernel(  # type: ignore[no-untyped-def]
    rows, blocks, vectors, vector_starts, bonus, hands, deals_of_hand, order, pays, between,
    weights, sums
):  # fmt: skip
    """Sums over the rows that are played, for dealer's classes from one to another.

    Parameters
    ----------
    rows
        Columns (R,) dealer_class, winning, tying, deals, vector.
    blocks
        (B + 1,) first rows; (B, 3 + L) sums; (B, 1 + L) low and high; and of the groups of blocks,
        each of one hand and one dealer's line: (G + 1,) first block, (G,) hand, (G,) line.
    vectors, vector_starts, bonus
        (V, L) completions that reach each line; (170,) first of each hand; (V,) their bonus.
    hands
        (169,) 1 if the hand is played whatever comes, 0 if it is folded, -1 if it decides.
    deals_of_hand
        (169,) 6, 4 or 12.
    order
        Pot, fixed part and least gain: played if pot x winning + fixed + bonus >= least gain.
    pays
        (L,) what the bonus counts for each completion on a line.
    between
        Dealer's class of the first row that counts, and one past the last.
    weights
        (V,) zeros; zeros again at the end.
    sums
        (L + 1, 3 + L) filled, by the dealer's line.
    """
    starts, block_sums, low, high, group_starts, hand_of, line_of = blocks
    begin, end = between
    sums[:] = 0
    for group in range(hand_of.size):
        hand, row_of_sums = hand_of[group], sums[line_of[group]]
        rule, times = hands[hand], deals_of_hand[hand]
        if rule == 0:
            continue
        poured = False
        for block in range(group_starts[group], group_starts[group + 1]):
            first, last = starts[block], starts[block + 1]
            low_class, high_class = rows[0][first], rows[0][last - 1]
            if high_class < begin or low_class >= end:
                continue
            worst = best = order[1]
            if rule < 0:
                worst += order[0] * low[block, 0]
                best += order[0] * high[block, 0]
                for j in range(pays.size):
                    worst += pays[j] * low[block, 1 + j]
                    best += pays[j] * high[block, 1 + j]
                if best < order[2]:
                    continue
            inside = low_class >= begin and high_class < end
            if inside and (rule > 0 or worst >= order[2]):
                for j in range(sums.shape[1]):
                    row_of_sums[j] += times * block_sums[block, j]
                continue
            _add_rows(rows, first, last, bonus, rule, order, between, times, weights, row_of_sums)
            poured = True
        if poured:
            _pour(
                weights, vector_starts[hand], vector_starts[hand + 1], times, vectors, row_of_sums
            )


@njit(cache=True, nogil=True)
def _add_rows(  # type: ignore[no-untyped-def]
    rows, first, last, bonus, rule, order, between, times, weights, sums
):
    """Decide rows first to last one by one; their deals are gathered by vector in ``weights``."""
    dealer_class, winning, tying, deals, vector = rows
    pot, fixed, least = order
    begin, end = between
    played = won = tied = np.int64(0)
    for row in range(first, last):
        v = vector[row]
        plays = rule > 0 or pot * winning[row] + fixed + bonus[v] >= least
        if plays and begin <= dealer_class[row] < end:
            weight = np.int64(deals[row])
            played += weight
            won += weight * winning[row]
            tied += weight * tying[row]
            weights[v] += weight
    sums[DEALS] += times * played
    sums[WINNING] += times * won
    sums[TYING] += times * tied


@njit(cache=True, nogil=True)
def decide_kernel(rows, vectors, bonus, order, gain, plays):  # type: ignore[no-untyped-def]
    """Gain and decision of every row; arguments as for `played_kernel`, (R,) outputs filled."""
    _, winning, _, _, vector = rows
    pot, fixed, least = order
    for row in range(winning.size):
        gain[row] = pot * winning[row] + fixed + bonus[vector[row]]
        plays[row] = gain[row] >= least


@njit(cache=True, nogil=True)
def by_class_kernel(  # type: ignore[no-untyped-def]
    rows, hand_starts, vectors, bonus, hands, deals_of_hand, order, sums
):
    """Sums over the rows that are played, by the dealer's class.

    As `played_kernel`, row by row and without blocks; ``sums`` is (7462, 3 + L), and
    ``hand_starts`` (170,) the first row of each hand.
    """
    dealer_class, winning, tying, deals, vector = rows
    pot, fixed, least = order
    sums[:] = 0
    for hand in range(deals_of_hand.size):
        if hands[hand] == 0:
            continue
        for row in range(hand_starts[hand], hand_starts[hand + 1]):
            v = vector[row]
            if hands[hand] < 0 and pot * winning[row] + fixed + bonus[v] < least:
                continue
            weight = np.int64(deals[row]) * deals_of_hand[hand]
            d = dealer_class[row]
            sums[d, DEALS] += weight
            sums[d, WINNING] += weight * winning[row]
            sums[d, TYING] += weight * tying[row]
            for j in range(vectors.shape[1]):
                sums[d, REACHING + j] += weight * vectors[v, j]
