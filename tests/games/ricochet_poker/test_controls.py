"""Control variates: exact means, least squares, and what they leave."""

import dataclasses
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from ricochet_casino.cards.classes import N_CLASSES, class_of
from ricochet_casino.cards.evaluate import evaluate_hands
from ricochet_casino.cards.shuffle import deals
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.controls import (
    KICKED_OUT,
    control_range,
    features_of,
    fit,
    largest_sums,
    left_over,
)
from ricochet_casino.games.ricochet_poker.deals import COMPLETIONS, TOTAL_DEALS, starting_hands
from ricochet_casino.games.ricochet_poker.odds import class_counts, completions_at_least
from ricochet_casino.games.ricochet_poker.table_arrays import BINS, FEATURES
from ricochet_casino.games.ricochet_poker.table_sampling import (
    CompiledTable,
    TableSample,
    pilot_shift,
    read_products,
)

PILOT_STREAM = 3
ENOUGH = 20_000
"""Deals of a pilot with which most bins get all weights."""


def rulebook(players, **changes):
    return dataclasses.replace(load_paytable("rulebook").rules(players), **changes)


@cache
def sampled(players, number, strategy="collective"):
    """Features and values of the first deals of the pilot's stream."""
    rules = rulebook(players)
    table = CompiledTable(rules, (strategy,) * players, features_of(rules))
    _, values = table.play(deals(1, PILOT_STREAM, 0, number, count=5 * players + 5))
    return values


# --- Features ------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 4, 7])
def test_features_of_a_deal_are_what_they_are_said_to_be(players):
    """From the odds of one player, one hand at a time."""
    rules = rulebook(players)
    features = features_of(rules)
    table = CompiledTable(rules, ("always_play",) * players, features)
    dealt = deals(5, 9, 0, 150, count=5 * players + 5)
    _, values = table.play(dealt)
    assert features.bonus_part == 1
    seen = Counter()
    for deck, row in zip(dealt.tolist(), values.features.tolist(), strict=True):
        dealer = deck[2 * players : 2 * players + 5]
        dealer_class = class_of(dealer)
        number = row[0]
        assert features.bin_of[dealer_class] == number
        assert row[1] == dealer_class - np.flatnonzero(features.bin_of == number)[0]
        strong = reach = bonus = 0
        for seat in range(players):
            hole = deck[2 * seat : 2 * seat + 2]
            others = [c for c in deck[: 2 * players + 5] if c not in hole]
            counts = class_counts(hole, others)
            bonus += sum(int(counts[c]) * rules.bonus(c) for c in np.flatnonzero(counts).tolist())
            if dealer_class < rules.kickout_class:
                solo = completions_at_least(hole, dealer, (dealer_class,))[0]
                strong += max(solo - features.worth_playing, 0)
                reach += int(counts[dealer_class:].sum())
                seen["suited"] += hole[0] & 3 == hole[1] & 3
        assert row[2:] == [strong, reach, bonus]
        seen["out" if number == KICKED_OUT else "in"] += 1
    assert min(seen["out"] if players < 5 else 1, seen["in"], seen["suited"]) > 0


def test_bins_part_the_dealers_classes():
    for players in range(1, 8):
        rules = rulebook(players)
        found = features_of(rules)
        assert (np.diff(found.bin_of) >= 0).all()
        assert set(found.bin_of.tolist()) == set(range(BINS))
        assert (found.bin_of == KICKED_OUT).tolist() == [
            c >= rules.kickout_class for c in range(N_CLASSES)
        ]
        assert sum(row[0] for row in found.means) == 1


@pytest.mark.parametrize("players", range(1, 8))
def test_exact_means_are_near_those_of_a_sample(players):
    check_means(players, 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("players", range(1, 8))
def test_exact_means_are_near_those_of_many_deals(players):
    check_means(players, 400_000)


def check_means(players, number):
    """Every mean by bin, and over all bins; a feature counts 0 outside of its bin."""
    rules = rulebook(players)
    features = features_of(rules)
    table = CompiledTable(rules, ("always_fold",) * players, features)
    found = np.vstack([
        table.play(deals(2, 9, begin, 10_000, count=5 * players + 5))[1].features
        for begin in range(0, number, 10_000)
    ]).astype(float)  # fmt: skip
    bins = found[:, 0].astype(int)
    columns = np.hstack([np.ones((number, 1)), found[:, 1:]])
    inside = bins[:, None] == np.arange(BINS)
    compared = 0
    for column in range(1 + FEATURES):
        exact = np.array([float(row[column]) for row in features.means])
        per_bin = columns[:, column, None] * inside
        error = per_bin.std(axis=0) / number**0.5
        off = per_bin.mean(axis=0) - exact
        rare = inside.sum(axis=0) < 200
        assert (np.abs(off) <= 5 * error + 1e-12)[~rare].all(), (column, off / error)
        compared += int((~rare).sum())
        whole = columns[:, column]
        assert abs(whole.mean() - exact.sum()) <= 5 * whole.std() / number**0.5 + 1e-9, column
    assert compared > 0.9 * BINS * FEATURES


SMALL_CLASS = 40
"""A class of the dealer that has a bin of its own under a kickout at class 47: no pair, 9 high."""


def test_one_bin_by_enumeration():
    """All 1,020 dealer hands of a class times all hands times all completions, one by one."""
    rules = rulebook(1, kickout_class=BINS - 1)
    features = features_of(rules)
    number = int(features.bin_of[SMALL_CLASS])
    assert np.flatnonzero(features.bin_of == number).tolist() == [SMALL_CLASS]
    ranks = next(
        some for some in combinations(range(12, -1, -1), 5)
        if class_of([4 * rank + rank % 2 for rank in some]) == SMALL_CLASS
    )  # fmt: skip
    pays = np.array([rules.bonus(c) for c in range(N_CLASSES)])
    places = np.array(list(combinations(range(45), 3)))

    @cache
    def chances(low, high, suited, held):
        """Wins and bonuses of a hand; ranks of the dealer in its suit as they are held."""
        hole = [4 * low, 4 * high + (0 if suited else 1)]
        # With two suits or a pair the dealer's suits do not matter.
        dealer = [4 * rank + (0 if rank in held else 3 if suited else 2) for rank in ranks]
        left = [card for card in range(52) if card not in hole and card not in dealer]
        threes = np.array(left, dtype=np.uint8)[places]
        hands = np.hstack([np.tile(np.array(hole, dtype=np.uint8), (len(threes), 1)), threes])
        made = evaluate_hands(hands).astype(int)
        assert len(made) == COMPLETIONS
        return int((made >= SMALL_CLASS).sum()), int(pays[made].sum())

    sums = [0] * 5
    for suits in product(range(4), repeat=5):
        if len(set(suits)) == 1 or suits[0]:
            continue  # one suit is as good as another: the first is counted four times
        dealer = [4 * rank + suit for rank, suit in zip(ranks, suits, strict=True)]
        left = [card for card in range(52) if card not in dealer]
        for a, b in combinations(left, 2):
            suited = a & 3 == b & 3
            held = tuple(card >> 2 for card in dealer if suited and card & 3 == a & 3)
            solo, bonus = chances(a >> 2, b >> 2, suited, held)
            sums[0] += 4
            sums[2] += 4 * max(solo - features.worth_playing, 0)
            sums[3] += 4 * solo
            sums[4] += 4 * bonus // features.bonus_part
    assert sums[0] == 1020 * comb(47, 2)
    assert list(features.means[number]) == [Fraction(total, TOTAL_DEALS) for total in sums]


def test_a_shortened_deck_has_no_features():
    with pytest.raises(ValueError, match="52 cards only"):
        features_of(rulebook(2, lowest_rank=3))
    assert CompiledTable(rulebook(2, lowest_rank=3), ("always_play",) * 2).controlled is False


# --- Weights -------------------------------------------------------------------------------------


def products_of(values, shift):
    """The pilot's products, summed in Python's whole numbers."""
    found = np.zeros((BINS, 2 + FEATURES, 2 + FEATURES), dtype=object)
    for row, value in zip(values.features.tolist(), values.value.tolist(), strict=True):
        terms = [1, *row[1:], value >> shift]
        for i, one in enumerate(terms):
            for j in range(i, len(terms)):
                found[row[0], i, j] += one * terms[j]
    return found


@pytest.mark.parametrize(
    ("players", "strategy"),
    [(1, "collective"), (3, "collective"), (2, "pot_odds"), (7, "always_play")],
)
def test_the_pilot_fits_by_least_squares(players, strategy):
    number = ENOUGH
    rules = rulebook(players)
    values = sampled(players, number, strategy)
    sample = TableSample(load_paytable("rulebook"), players, strategy, number, 1)
    tallies = [sample.run(shard) for shard in sample.shards()]
    counts = sum(tallies[1:], tallies[0])
    shift = pilot_shift(rules)
    products = read_products(counts.counts)
    assert (products == products_of(values, shift)).all()
    weights = fit(products, shift)
    pilot = sample.found(counts)
    assert pilot.weights == tuple(map(tuple, weights))
    fitted = 0
    for number_of_bin, row in enumerate(weights):
        inside = values.features[:, 0] == number_of_bin
        target = (values.value[inside] >> shift << shift).astype(float)
        if inside.sum() < 256:
            mean = int((values.value[inside] >> shift).sum()) if inside.any() else 0
            assert row == [(mean << shift) // int(inside.sum()) if inside.any() else 0, 0, 0, 0, 0]
            continue
        columns = np.hstack([np.ones((len(target), 1)), values.features[inside, 1:].astype(float)])
        scale = np.maximum(np.abs(columns).max(axis=0), 1)
        best = np.linalg.lstsq(columns / scale, target, rcond=1e-12)[0]
        ours = (columns * np.array(row, dtype=float)).sum(axis=1)
        theirs = columns / scale @ best
        spread = target.std() or 1.0
        rounded = 0.5 * np.abs(columns).sum(axis=1).max()  # the weights are whole numbers
        assert np.abs(ours - theirs).max() <= 1e-6 * spread + rounded
        least = ((target - theirs) ** 2).sum()
        assert ((target - ours) ** 2).sum() <= least * (1 + 1e-6) + len(target) * rounded**2
        fitted += 1
    assert fitted >= 0.8 * BINS


@pytest.mark.parametrize("players", [1, 3])
def test_what_is_left_over_is_that_of_single_deals(players):
    values = sampled(players, ENOUGH)
    shift = pilot_shift(rulebook(players))
    products = products_of(values, shift)
    weights = fit(products, shift)
    total = squares = 0
    for row, value in zip(values.features.tolist(), values.value.tolist(), strict=True):
        constant, *slopes = weights[row[0]]
        known = constant + sum(w * x for w, x in zip(slopes, row[1:], strict=True))
        rest = (value >> shift << shift) - known
        total += rest
        squares += rest**2
    assert left_over(products, weights, shift) == (total, squares)


def test_controls_leave_little():
    """The spread per deal, in antes of one player: of raw results, of values, of what is left."""
    for players, most in ((1, 0.12), (2, 0.15), (3, 0.12), (7, 0.12)):
        number = ENOUGH
        values = sampled(players, number)
        shift = pilot_shift(rulebook(players))
        products = products_of(values, shift)
        total, squares = left_over(products, fit(products, shift), shift)
        left = (squares / number - (total / number) ** 2) ** 0.5 / 2**32 / players
        assert left < most
        assert left < 0.6 * float(values.value.std()) / 2**32 / players


def test_features_that_say_nothing_get_no_weight():
    """Linearly dependent features: the weights fit all the same."""
    rng = np.random.default_rng(1)
    products = np.zeros((BINS, 2 + FEATURES, 2 + FEATURES), dtype=object)
    for _ in range(400):
        x = int(rng.integers(0, 100))
        terms = [1, x, 2 * x + 3, 0, 7, 5 * x + 11]
        for i in range(6):
            for j in range(i, 6):
                products[4, i, j] += terms[i] * terms[j]
    weights = fit(products, 8)
    assert weights[4] == [11 << 8, 5 << 8, 0, 0, 0]
    assert weights[3] == [0] * 5
    assert left_over(products, weights, 8) == (0, 0)


# --- Bounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(1, 8))
def test_weighted_features_stay_within_their_range(players):
    rules = rulebook(players)
    features = features_of(rules)
    shift = pilot_shift(rules)
    table = CompiledTable(rules, ("collective",) * players, features)
    found = table.play(deals(4, 9, 0, 8_000, count=5 * players + 5))[1].features
    rng = np.random.default_rng(players)
    pilot = fit(products_of(sampled(players, 6_000), shift), shift)
    for weights in (pilot, rng.integers(-(2**36), 2**36, (BINS, 5)).tolist()):
        low, high = control_range(features, weights, rules)
        assert low < high
        for row in found.tolist():
            constant, *slopes = weights[row[0]]
            known = constant + sum(w * x for w, x in zip(slopes, row[1:], strict=True))
            assert low <= known <= high


def test_largest_sums_are_reached_and_not_exceeded():
    rules = rulebook(1)
    found = largest_sums(rules)
    bonus, squares = 0, 0
    lines = [0] * len(rules.lines)
    for hand in starting_hands():
        counts = class_counts(hand.cards, ())
        by_line = [0] * (len(rules.lines) + 1)
        for c in np.flatnonzero(counts).tolist():
            by_line[rules.line_of(c)] += int(counts[c])
        of_hand = list(zip(rules.lines, by_line, strict=False))
        bonus = max(bonus, sum(line.pays * n for line, n in of_hand))
        squares = max(squares, sum(line.pays**2 * n for line, n in of_hand))
        lines = [max(a, b) for a, b in zip(lines, by_line, strict=False)]
    assert (found.bonus, found.squares, found.lines) == (bonus, squares, tuple(lines))
    assert largest_sums(rulebook(1, lines=())) == dataclasses.replace(
        found, bonus=0, squares=0, lines=()
    )
