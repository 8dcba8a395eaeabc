"""Values of sampled tables have no bias: their mean over all draws is what the policy is worth.

On shortened decks every way in which the stub can fall is played. What replaces chance by its mean
must leave the mean alone: of the result of all players, of every seat's, of the hands on each bonus
line and of the squares. Where all draws are too many, only some seats draw, or deals are sampled.
"""

import dataclasses
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, prod

import numpy as np
import pytest

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.shuffle import deals
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.controls import features_of
from ricochet_casino.games.ricochet_poker.deals import starting_hands
from ricochet_casino.games.ricochet_poker.expectimax import policy_value
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.multiplayer import policy_for
from ricochet_casino.games.ricochet_poker.table_sampling import CompiledTable

TENS, NINES, EIGHTS = 8, 7, 6
"""Lowest ranks of decks of 20, 24 and 28 cards."""
VALUE, SQUARE = 1 << 32, 1 << 12
ROUNDINGS = 64
"""Roundings of one value, more than ever happen."""
LAST_HANDS = ("free", "may_play", "none")
CAREFUL = HandTable(
    "careful",
    {hand.name: 7462 if hand.high == hand.low else 5000 if hand.suited else 3400
     for hand in starting_hands()},
)  # fmt: skip


def rulebook(players, lowest_rank=0, top=1000, **changes):
    """The rulebook's game, no bonus above `top`."""
    rules = load_paytable("rulebook").rules(players)
    lines = tuple(dataclasses.replace(line, pays=min(line.pays, top)) for line in rules.lines)
    return dataclasses.replace(rules, **{"lowest_rank": lowest_rank, "lines": lines, **changes})


def random_deal(rng, rules):
    """Two cards for each seat and five for the dealer."""
    return rng.sample(rules.deck, 2 * rules.players + 5)


def every_stub(rules, cards, drawers):
    """All decks that deal these cards first; only so many draw. Sets of three, each once."""
    stub = [card for card in rules.deck if card not in cards]
    rows = np.zeros((1, 0), dtype=np.uint8)
    left = np.array([stub], dtype=np.uint8)
    for _ in range(drawers):
        size = left.shape[1]
        threes = np.array(list(combinations(range(size), 3)))
        kept = np.ones((len(threes), size), dtype=np.bool_)
        np.put_along_axis(kept, threes, False, axis=1)
        others = np.nonzero(kept)[1].reshape(len(threes), size - 3)
        drawn = left[:, threes].reshape(-1, 3)
        rows = np.hstack([np.repeat(rows, len(threes), axis=0), drawn])
        left = left[:, others].reshape(len(rows), size - 3)
    width = 5 * rules.players + 5
    head = np.repeat(np.array([cards], dtype=np.uint8), len(rows), axis=0)
    assert len(rows) == prod(comb(len(stub) - 3 * d, 3) for d in range(drawers))
    return np.hstack([head, rows, left])[:, :width]


class Means:
    """Everything that is averaged over the draws, as whole sums; the raw results beside."""

    def __init__(self, rules, strategies, decks):
        table = CompiledTable(rules, strategies)
        players = rules.players
        self.rules, self.number = rules, len(decks)
        self.value = self.table_second = self.raw_table_second = 0
        self.nets, self.seconds, self.raw_nets, self.raw_seconds, self.places = np.zeros(
            (5, players), dtype=object
        )
        self.lines, self.raw_lines = np.zeros((2, len(rules.lines)), dtype=object)
        self.bonuses = 0
        self.seen = Counter()
        pays = np.array([0, *(line.pays for line in rules.lines)])
        for begin in range(0, len(decks), 1 << 15):
            rounds, values = table.play(decks[begin : begin + (1 << 15)])

            def by_seat(array):
                return array.reshape(-1, players)

            self.value += int(values.value.sum())
            self.table_second += int(values.table_squares.sum())
            self.nets += by_seat(values.nets).sum(axis=0)
            self.seconds += by_seat(values.squares).sum(axis=0)
            self.lines += values.lines.sum(axis=0)
            nets = by_seat(rounds.nets)
            self.raw_nets += nets.sum(axis=0)
            self.raw_seconds += (nets**2).sum(axis=0)
            self.raw_table_second += int((nets.sum(axis=1) ** 2).sum())
            counts = np.bincount(rounds.lines, minlength=len(pays))
            self.raw_lines += counts[1:]
            self.bonuses += int((counts * pays).sum())
            for name, number in zip(
                ("fold", "play", "last hand"), np.bincount(rounds.actions, minlength=3), strict=True
            ):
                self.seen[name] += int(number)
            self.seen["split"] += int((by_seat(rounds.winners).sum(axis=1) > 1).sum())

    def check(self):
        """The means of the values are those of the raw results, roundings apart."""
        rules, number = self.rules, self.number
        few = Fraction(ROUNDINGS * number, VALUE)
        assert abs(Fraction(int(self.value), VALUE) - sum(self.raw_nets)) <= few
        for net, raw in zip(self.nets, self.raw_nets, strict=True):
            assert abs(Fraction(int(net), VALUE) - raw) <= few
        for line, raw in zip(self.lines, self.raw_lines, strict=True):
            assert abs(Fraction(int(line), VALUE) - raw) <= few
        # A mean square is rounded once, and the pot and all bonuses so far multiply a rounding.
        stakes = rules.players * (rules.ante + rules.play_bet) + rules.dealer_ante
        players = rules.players
        rough = Fraction(number * (2 * stakes + 2), SQUARE)
        for second, raw in zip(self.seconds, self.raw_seconds, strict=True):
            assert abs(Fraction(int(second), SQUARE) - raw) <= rough
        rough = Fraction((2 * stakes + 2) * players * number + 2 * players * self.bonuses, SQUARE)
        assert abs(Fraction(self.table_second, SQUARE) - self.raw_table_second) <= rough

    def check_policy(self, cards, strategies):
        """The raw mean is the exact value that brute force gives, to the last fraction."""
        rules = self.rules
        players = rules.players
        holes = [tuple(cards[2 * seat : 2 * seat + 2]) for seat in range(players)]
        policies = [s if isinstance(s, HandTable) else policy_for(rules, s) for s in strategies]
        total, by_seat = policy_value(rules, holes, tuple(cards[2 * players :]), policies)
        found = [Fraction(int(net), self.number) * rules.unit for net in self.raw_nets]
        assert found == list(by_seat)
        assert abs(float(Fraction(int(self.value), VALUE * self.number) * rules.unit - total)) < (
            2e-8 * rules.unit
        )


STRATEGIES_OF_TWO = [
    ["collective"] * 2,
    ["collective_pot_only"] * 2,
    ["individual"] * 2,
    ["pot_odds"] * 2,
    ["always_play"] * 2,
    [CAREFUL] * 2,
    ["collective", "individual"],
    ["collective_pot_only", "collective"],
    ["always_fold", "pot_odds"],
    ["pairs_and_big_cards", "collective"],
]
STRATEGIES_OF_THREE = [
    ["collective"] * 3,
    ["collective_pot_only"] * 3,
    ["individual"] * 3,
    ["pot_odds"] * 3,
    ["always_play"] * 3,
    ["collective", "individual", "always_play"],
    ["pot_odds", "collective", "collective"],
    [CAREFUL, "collective_pot_only", "pairs_and_big_cards"],
    ["individual", "collective", "always_fold"],
]


def named(strategies):
    return "+".join(getattr(s, "name", s) for s in strategies)


def varied_rules(rng, players, lowest_rank, top=1000):
    """A dealer who always stands, is always out, or one or the other."""
    return rulebook(
        players,
        lowest_rank,
        top,
        ante=rng.choice([1, 1, 2]),
        dealer_ante=rng.choice([1, 2, 3]),
        play_bet=rng.choice([1, 1, 2, 3]),
        kickout_class=rng.choice([0, 5200, 6000, N_CLASSES, N_CLASSES]),
        last_hand=rng.choice(LAST_HANDS),
        when_equal=rng.choice(["play", "fold"]),
    )


def check_deals(rng, players, lowest_rank, strategies, number, brute=True):
    seen = Counter()
    for _ in range(number):
        rules = varied_rules(rng, players, lowest_rank)
        cards = random_deal(rng, rules)
        seats = rng.sample(strategies, players)
        means = Means(rules, seats, every_stub(rules, cards, players))
        means.check()
        if brute:
            means.check_policy(cards, seats)
        seen += means.seen
    return seen


@pytest.mark.parametrize("strategies", STRATEGIES_OF_TWO, ids=named)
def test_two_players_and_twenty_cards(strategies):
    check_deals(random.Random(named(strategies)), 2, TENS, strategies, 3)


@pytest.mark.parametrize("strategies", STRATEGIES_OF_THREE, ids=named)
def test_three_players_and_twenty_cards(strategies):
    check_deals(random.Random(named(strategies)), 3, TENS, strategies, 2)


@pytest.mark.slow
@pytest.mark.parametrize("strategies", STRATEGIES_OF_TWO, ids=named)
def test_two_players_and_twenty_four_cards(strategies):
    check_deals(random.Random(named(strategies)), 2, NINES, strategies, 15)


@pytest.mark.slow
@pytest.mark.parametrize("strategies", STRATEGIES_OF_THREE, ids=named)
def test_three_players_and_twenty_cards_many_deals(strategies):
    check_deals(random.Random(1), 3, TENS, strategies, 25)


@pytest.mark.slow
@pytest.mark.parametrize(
    "strategies", [s for s in STRATEGIES_OF_THREE if "individual" not in s], ids=named
)
def test_three_players_and_twenty_four_cards(strategies):
    check_deals(random.Random(2), 3, NINES, strategies, 3, brute=False)


@pytest.mark.parametrize("last_hand", LAST_HANDS)
@pytest.mark.parametrize("when_equal", ["play", "fold"])
@pytest.mark.parametrize("stands", [True, False])
def test_every_reading_of_the_rules(last_hand, when_equal, stands):
    """The hand that is left alone, with and without a paid or free draw, is in the mean too."""
    rng = random.Random(f"{last_hand}{when_equal}{stands}")
    kickout_class = N_CLASSES if stands else 0
    seen = Counter()
    for strategies in (
        ["always_fold", "always_fold"],
        ["always_fold", "collective"],
        ["collective_pot_only", "always_fold"],
        ["individual", "pot_odds"],
        ["collective", "collective"],
        ["pairs_and_big_cards", CAREFUL],
    ):
        rules = rulebook(
            2, TENS, kickout_class=kickout_class, last_hand=last_hand, when_equal=when_equal
        )
        cards = random_deal(rng, rules)
        means = Means(rules, strategies, every_stub(rules, cards, 2))
        means.check()
        means.check_policy(cards, strategies)
        seen += means.seen
    if not stands:
        assert seen["last hand"] > 0 or last_hand == "may_play"


# --- Larger tables: a few seats draw -------------------------------------------------------------


def check_some_draw(rng, players, lowest_rank, drawing):
    """Exact over all draws of the seats that play at all."""
    rules = varied_rules(rng, players, lowest_rank)
    strategies = [*drawing, *["always_fold"] * (players - len(drawing))]
    rng.shuffle(strategies)
    cards = random_deal(rng, rules)
    means = Means(rules, strategies, every_stub(rules, cards, max(len(drawing), 1)))
    means.check()
    return means.seen


@pytest.mark.parametrize("players", range(1, 8))
def test_one_player_who_draws_from_the_whole_deck(players):
    rng = random.Random(players)
    seen = Counter()
    for strategy in ("collective", "individual", "pot_odds", CAREFUL):
        seen += check_some_draw(rng, players, 0, [strategy])
    assert min(seen["fold"], seen["play"]) > 0


SOME_DRAW = [
    (3, NINES, ["collective", "collective"]),
    (3, NINES, ["collective_pot_only", "always_play"]),
    (3, NINES, ["individual", "individual"]),
    (4, EIGHTS, ["pot_odds", "collective"]),
    (4, EIGHTS, ["always_play", "always_play"]),
]


@pytest.mark.parametrize(("players", "lowest_rank", "drawing"), SOME_DRAW)
def test_two_who_draw_at_a_larger_table(players, lowest_rank, drawing):
    check_some_draw(random.Random(f"{players}{drawing}"), players, lowest_rank, drawing)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize(
    ("players", "lowest_rank", "drawing"),
    [
        *SOME_DRAW,
        (5, 5, ["collective", "always_play"]),
        (5, 5, ["collective", "collective"]),
        (6, 4, ["collective_pot_only", "pot_odds"]),
        (7, 3, ["collective", CAREFUL]),
    ],
)
def test_two_who_draw_at_many_larger_tables(players, lowest_rank, drawing, number):
    check_some_draw(random.Random(f"{number}{drawing}"), players, lowest_rank, drawing)


# --- Sampled deals of the full deck --------------------------------------------------------------


def z_scores(rules, strategies, number, seed):
    """Deviations of the means from those of the raw results, in their standard errors."""
    players = rules.players
    table = CompiledTable(rules, strategies, features_of(rules))
    rounds, values = table.play(deals(seed, 9, 0, number, count=5 * players + 5))
    raw = rounds.nets.reshape(-1, players)
    lines = np.stack(
        [(rounds.lines.reshape(-1, players) == line + 1).sum(axis=1)
         for line in range(len(rules.lines))], axis=1,
    )  # fmt: skip
    differences = {
        "value": values.value / VALUE - raw.sum(axis=1),
        "table squares": values.table_squares / SQUARE - raw.sum(axis=1) ** 2,
        "squares": (values.squares / SQUARE).reshape(-1, players).sum(axis=1)
        - (raw**2).sum(axis=1),
        **{f"seat {s}": values.nets.reshape(-1, players)[:, s] / VALUE - raw[:, s]
           for s in range(players)},
        **{f"line {n}": values.lines[:, n] / VALUE - lines[:, n]
           for n in range(len(rules.lines) - 2)},
    }  # fmt: skip
    return {
        name: float(values.mean() / values.std() * number**0.5)
        for name, values in differences.items()
    }


@pytest.mark.parametrize("players", [4, 5, 6, 7])
def test_full_tables_have_no_bias_that_shows(players):
    """Bonuses above ten chips are cut: their noise would hide a bias."""
    rules = rulebook(players, top=10)
    mixed = ["collective", "pot_odds", "collective_pot_only", CAREFUL, "always_play"]
    for strategies in (["collective"] * players, (mixed * 2)[:players]):
        found = z_scores(rules, strategies, 12_000, players)
        assert max(abs(z) for z in found.values()) < 4.5, found


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5, 6, 7])
def test_full_tables_have_no_small_bias_either(players):
    rules = rulebook(players, top=10)
    mixed = ["individual", "collective", "pot_odds", "collective_pot_only", CAREFUL, "always_play"]
    for strategies, number in (
        (["collective"] * players, 600_000),
        (["collective_pot_only"] * players, 400_000),
        (["individual"] * players, 60_000),
        ((mixed * 2)[:players], 80_000),
    ):
        found = z_scores(rules, strategies, number, 10 + players)
        assert max(abs(z) for z in found.values()) < 4.5, found
