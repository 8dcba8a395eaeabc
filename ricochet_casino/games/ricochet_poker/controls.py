"""Control variates of a deal: features whose means are known exactly, and their worth.

Given the dealer's hand and a player's own two cards, his chances in the one-player game are exact
(odds.py), so the mean of any function of them over all deals is a finite sum over the cells of
deals.py. The value of a sampled deal is regressed on such features, bin by bin of the dealer's
class, with coefficients from a pilot stream; what is left has the same mean and little spread.
Derivation: docs/math.md, section 9.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.games.ricochet_poker.deals import (
    COMPLETIONS,
    TOTAL_DEALS,
    StartingHand,
    cells,
    class_deals,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.odds import completions_at_least, hand_odds
from ricochet_casino.games.ricochet_poker.table_arrays import (
    BINS,
    FEATURES,
    PAIRS,
    pair_number,
)
from ricochet_casino.games.ricochet_poker.units import Rules

Int64 = NDArray[np.int64]

_LEAST_DEALS = 256
"""A bin with fewer deals in the pilot gets a constant only."""
KICKED_OUT = BINS - 1


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a table: what the kernel needs, and their exact means.

    Attributes
    ----------
    bin_of, bin_start
        (7462,) bin of each of the dealer's classes; (48,) the lowest class of each bin.
    solo
        (91, 7462) winning completions out of 14,190 of an unsuited hand, by its pair of ranks.
    worth_playing
        How many of them make a play worth its bet, roughly.
    bonus_part
        Largest number that divides all bonuses.
    means
        48 times 5 fractions: the chance of the bin, then the mean over all deals of each feature
        where the deal is in the bin and of 0 elsewhere.
    """

    bin_of: Int64
    bin_start: Int64
    solo: NDArray[np.int16]
    worth_playing: int
    bonus_part: int
    means: tuple[tuple[Fraction, ...], ...]

    def put(self, work: Any) -> None:
        """Hand the features to the kernels."""
        work.use_controls = 1
        work.bin_of[:], work.bin_start[:] = self.bin_of, self.bin_start
        work.solo[:] = self.solo
        work.worth_playing, work.bonus_part = self.worth_playing, self.bonus_part

    def mean(self, weights: Sequence[Sequence[int]]) -> Fraction:
        """Exact mean of the weighted features."""
        return sum(
            (weight * mean for row, means in zip(weights, self.means, strict=True)
             for weight, mean in zip(row, means, strict=True)),
            Fraction(),
        )  # fmt: skip


@lru_cache(maxsize=8)
def features_of(rules: Rules, edges: tuple[int, ...] = ()) -> Features:
    """Work out the features of a table (about a second).

    Parameters
    ----------
    rules
        The table.
    edges
        Two kickout classes, rising, of tables that are compared: bins end at both of them, and the
        last bin begins at the higher one. By default the kickout of the table.

    Raises
    ------
    ValueError
        If the deck is shortened: the exact means are those of 52 cards.
    """
    if rules.lowest_rank:
        raise ValueError("the means of the features are known for a deck of 52 cards only")
    bin_of, bin_start = _bins(*(edges or (0, rules.kickout_class)))
    stake = rules.players * rules.ante + rules.dealer_ante + rules.play_bet
    worth = COMPLETIONS * rules.play_bet // stake
    part = gcd(*(line.pays for line in rules.lines)) or 1
    solo = np.zeros((PAIRS, N_CLASSES), dtype=np.int16)
    sums = np.zeros((BINS, 1 + FEATURES), dtype=object)
    for hand in starting_hands():
        sums += _hand_sums(rules, hand, bin_of, worth, part, solo)
    # Completions of a crowded table are those of a random stub out of the 45 (9.6).
    stub = 47 - 2 * rules.players
    thinner = Fraction(comb(stub, 3), COMPLETIONS)
    scale = np.array([1, 0, 1, thinner, thinner], dtype=object)
    by_class = class_deals()
    dealers = comb(52, 5)
    means = []
    for number in range(BINS):
        inside = bin_of == number
        offsets = (np.arange(N_CLASSES) - bin_start[number])[inside]
        row = [Fraction(rules.players * int(s), TOTAL_DEALS) * x
               for s, x in zip(sums[number], scale, strict=True)]  # fmt: skip
        row[0] = Fraction(int(by_class[inside].sum()), dealers)
        row[1] = Fraction(int((by_class[inside] * offsets).sum()), dealers)
        means.append(tuple(row))
    return Features(bin_of, bin_start, solo, worth, part, tuple(means))


def _bins(cut: int, kickout: int) -> tuple[Int64, Int64]:
    """Bins of nearly equal chance for a dealer who stands, none across a cut, and one for the rest.

    A cut at 0 or at the kickout is none.
    """
    deals = class_deals()[:kickout]
    below = int(deals[:cut].sum()) if cut < kickout else 0
    total = int(deals.sum())
    # So many bins lie below the cut: by its chance, but at least one on each side.
    first = min(max(below * KICKED_OUT // max(total, 1), 1), KICKED_OUT - 1) if below else 0
    bin_of = np.full(N_CLASSES, KICKED_OUT, dtype=np.int64)
    for start, stop, bins, offset in (
        (0, cut if below else 0, first, 0),
        (cut if below else 0, kickout, KICKED_OUT - first, first),
    ):
        part = deals[start:stop]
        before = np.cumsum(part) - part
        bin_of[start:stop] = offset + before * bins // max(int(part.sum()), 1)
    bin_start = np.array([int(np.argmax(bin_of == number)) for number in range(BINS)])
    return bin_of, bin_start.astype(np.int64)


def _hand_sums(
    rules: Rules,
    hand: StartingHand,
    bin_of: Int64,
    worth: int,
    part: int,
    solo: NDArray[np.int16],
) -> NDArray[Any]:
    """Sums over the deals of one class of starting hands, by bin; fills the hand's row of `solo`.

    The columns are those of the features; the first two do not depend on the hand.
    """
    the_cells = cells(hand)
    odds = hand_odds(hand, the_cells, tuple(line.first_class for line in rules.lines))
    if not hand.suited:
        solo[pair_number(hand.high, hand.low), the_cells.dealer_class] = odds.winning
    number = bin_of[the_cells.dealer_class]
    stands = the_cells.dealer_class < rules.kickout_class
    won = np.where(stands, odds.winning, 0).astype(np.int64)
    pays = np.diff([0, *(line.pays // part for line in rules.lines)])
    columns = (
        np.maximum(won - worth, 0),
        won,
        odds.weighted(pays) if len(pays) else np.zeros_like(won),
    )
    deals = the_cells.deals.astype(np.int64) * hand.deals
    # Classes rise along the cells, so the cells of a bin are neighbours.
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    found = np.zeros((BINS, 1 + FEATURES), dtype=object)
    for column, values in enumerate(columns, start=2):
        found[number[starts], column] = np.add.reduceat(values * deals, starts)
    return found


def fit(products: Int64, shift: int) -> list[list[int]]:
    """Least-squares weights of the features, from the products of a pilot.

    Parameters
    ----------
    products
        (48, 6, 6) upper triangles: sums over the deals of a bin of the products of 1, the four
        features and the value.
    shift
        The values had this many bits cut off.

    Returns
    -------
    list of 48 lists of 5 int
        A constant and four weights, in units of a value.

    Notes
    -----
    Exact elimination, so the weights are the same on every machine.
    """
    return [_fit_bin(of_bin, shift) for of_bin in products]


def _fit_bin(of_bin: Int64, shift: int) -> list[int]:
    """Weights of one bin, 0 for features that the others determine."""
    size = 1 + FEATURES
    deals = int(of_bin[0, 0])
    if deals < _LEAST_DEALS:
        return [int(of_bin[0, size] << shift) // deals if deals else 0] + [0] * FEATURES
    rows = [
        [Fraction(int(of_bin[min(i, j), max(i, j)])) for j in range(size + 1)] for i in range(size)
    ]
    pivots = []
    for column in range(size):
        pivot = rows[column][column]
        # Rows and columns stand in one order; a zero pivot of such a matrix means a zero row.
        if pivot == 0:
            continue
        pivots.append(column)
        for other in range(size):
            if other != column and rows[other][column]:
                factor = rows[other][column] / pivot
                rows[other] = [
                    a - factor * b for a, b in zip(rows[other], rows[column], strict=True)
                ]
    solved = [0] * size
    for column in pivots:
        solved[column] = round(rows[column][size] / rows[column][column] * (1 << shift))
    return solved


def left_over(products: Int64, weights: Sequence[Sequence[int]], shift: int) -> tuple[int, int]:
    """Sum and sum of squares of the values of the pilot less the weighted features.

    In units of a value; the cut bits are missing.
    """
    total = squares = Fraction()
    for of_bin, row in zip(products, weights, strict=True):
        terms = [-Fraction(weight, 1 << shift) for weight in row] + [Fraction(1)]
        for i, one in enumerate(terms):
            total += one * int(of_bin[0, i])
            for j in range(i, len(terms)):
                squares += one * terms[j] * int(of_bin[i, j]) * (1 if i == j else 2)
    return round(total * (1 << shift)), round(squares * (1 << (2 * shift)))


def control_range(
    features: Features,
    weights: Sequence[Sequence[int]],
    rules: Rules,
    bonus_ends: tuple[int, int] | None = None,
) -> tuple[int, int]:
    """Bounds of the weighted features of any deal, in units of a value (9.7).

    The last feature of a player lies between ``bonus_ends``; by default it is the sum of bonuses.
    """
    stub = comb(47 - 2 * rules.players, 3)
    solo = np.arange(COMPLETIONS + 1, dtype=np.int64)
    ends_of_bonus = bonus_ends or (0, largest_sums(rules).bonus // features.bonus_part)
    # A stub's completions are some of the 14,190.
    fewest, most = np.maximum(0, solo - (COMPLETIONS - stub)), np.minimum(stub, solo)
    lows, highs = [], []
    for number, row in enumerate(weights):
        inside = np.flatnonzero(features.bin_of == number)
        if not len(inside):
            continue
        constant, by_class, strong, reach, bonus = row
        ends = sorted((0, by_class * int(inside[-1] - inside[0])))
        base = strong * np.maximum(solo - features.worth_playing, 0)
        both = np.stack([base + reach * fewest, base + reach * most])
        if inside[0] >= rules.kickout_class:
            both = np.zeros((2, 1), dtype=np.int64)
        extra = sorted(bonus * end for end in ends_of_bonus)
        lows.append(constant + ends[0] + rules.players * (int(both.min()) + extra[0]))
        highs.append(constant + ends[1] + rules.players * (int(both.max()) + extra[1]))
    return min(lows), max(highs)


@dataclass(frozen=True)
class LargestSums:
    """What no starting hand can exceed in all its completions together, no other card in sight.

    Attributes
    ----------
    bonus, squares
        Units of bonus, and their squares.
    lines
        Completions on each bonus line.
    """

    bonus: int
    squares: int
    lines: tuple[int, ...]


@lru_cache(maxsize=16)
def largest_sums(rules: Rules) -> LargestSums:
    """Bounds for completions of any hand at any table (see `LargestSums`)."""
    firsts = [line.first_class for line in rules.lines]
    if not firsts:
        return LargestSums(0, 0, ())
    pays = [line.pays for line in rules.lines]
    reached = np.array(
        [completions_at_least(hand.cards, (), firsts) for hand in starting_hands()], dtype=object
    )
    on_line = reached - np.concatenate([reached[:, 1:], np.zeros((len(reached), 1), int)], axis=1)
    bonus = max(sum(n * pay for n, pay in zip(row, pays, strict=True)) for row in on_line)
    squares = max(sum(n * pay**2 for n, pay in zip(row, pays, strict=True)) for row in on_line)
    return LargestSums(int(bonus), int(squares), tuple(int(n) for n in on_line.max(axis=0)))
