"""Compiled odds of several players: against the odds of one, of two, and every completion."""

import dataclasses
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.evaluate import evaluate_hands
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker import table_odds_kernel as kernel
from ricochet_casino.games.ricochet_poker.odds import class_counts, completions_at_least
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.table_arrays import fill_stub, pair_number, work_for
from ricochet_casino.games.ricochet_poker.two_players import pair_counts
from ricochet_casino.games.ricochet_poker.two_players_position import position

BONUSES = [
    {"straight": 2, "flush": 5, "full_house": 10, "four_of_a_kind": 25, "straight_flush": 100,
     "royal_flush": 1000},
    {"pair_of_twos": 1, "two_pair": 0, "flush": 8, "royal_flush": 0},
    {"pair_of_jacks": 3, "three_of_a_kind": 1},
    {},
]  # fmt: skip


def paytable(players, **changes):
    content = load_paytable("rulebook").model_dump(mode="json")
    content.pop("expect", None)
    read = RicochetPokerPaytable.read({**content, "side_bets": None, **changes})
    return read.rules(players)


def random_rules(rng, players=2, lowest_rank=0):
    bonus = rng.choice(BONUSES)
    rules = paytable(
        players,
        ante=str(rng.randint(1, 3)),
        dealer_ante=str(rng.randint(1, 4)),
        play_bet=str(rng.randint(1, 3)),
        when_equal=rng.choice(["play", "fold"]),
        bonus_on="ante",
        bonus={name: str(2 * pays) for name, pays in bonus.items()},
    )
    return dataclasses.replace(rules, lowest_rank=lowest_rank)


def empty_table(rules):
    return work_for(rules, ("always_play",) * rules.players)


def numbers_of(hole):
    """Pair of ranks, and suit or -1, as the kernels have them."""
    a, b = hole
    return pair_number(a >> 2, b >> 2), a & 3 if a & 3 == b & 3 else -1


def random_hand_and_stub(rng, deck, size):
    """Two cards, every second time suited, and a stub that leaves out some of the deck."""
    cards = rng.sample(deck, len(deck))
    hole = cards[:2]
    if rng.random() < 0.5:
        fits = [card for card in cards[1:] if card & 3 == cards[0] & 3]
        hole = [cards[0], fits[0]] if fits else hole
    rest = [card for card in cards if card not in hole]
    if rng.random() < 0.3:  # suits or ranks that are plentiful
        key = rng.choice([lambda card: card & 3 != hole[0] & 3, lambda card: -card])
        rest.sort(key=key)
    return hole, rest[:size]


def thresholds(rng, counts):
    """No class, all of them, and classes that completions make, exactly and nearly."""
    made = np.flatnonzero(counts).tolist()
    picked = rng.sample(made, min(len(made), 3))
    return [-1, 0, N_CLASSES, rng.randrange(N_CLASSES), *picked, *(c + 1 for c in picked)]


@pytest.mark.parametrize("lowest_rank", [0, 5, 8])
@pytest.mark.parametrize("suited", [False, True])
def test_odds_are_those_of_one_player(lowest_rank, suited):
    rng = random.Random(10 * lowest_rank + suited)
    found = np.zeros(5, dtype=np.int64)
    seen = Counter()
    for _ in range(30):
        rules = random_rules(rng, 1, lowest_rank)
        work = empty_table(rules)
        hole, stub = random_hand_and_stub(rng, rules.deck, rng.randint(3, len(rules.deck) - 2))
        while (numbers_of(hole)[1] >= 0) != suited:
            hole, stub = random_hand_and_stub(rng, rules.deck, rng.randint(3, len(rules.deck) - 2))
        dead = [card for card in range(52) if card not in stub and card not in hole]
        fill_stub(work, stub)
        assert int(work.ways.sum()) == comb(len(stub), 3)
        counts = class_counts(hole, dead)
        pays = np.array([rules.bonus(c) for c in range(N_CLASSES)])
        sums = [int((counts * pays).sum()), int((counts * pays**2).sum())]
        for least in thresholds(rng, counts):
            kernel.odds_kernel(*numbers_of(hole), least, work, found)
            reach, above = completions_at_least(
                hole, dead, (max(least, 0), min(least + 1, N_CLASSES))
            )
            assert found[:4].tolist() == [reach, above, *sums], (hole, stub, least)
            seen["ties"] += reach > above
            seen["bonus"] += sums[0] > 0
        by_line = np.zeros(len(rules.lines) + 1, dtype=np.int64)
        kernel.lines_kernel(*numbers_of(hole), work, by_line)
        on = Counter()
        for c in np.flatnonzero(counts).tolist():
            on[rules.line_of(c)] += int(counts[c])
        assert by_line[1:].tolist() == [on[line] for line in range(len(rules.lines))]
    assert min(seen["ties"], seen["bonus"]) > 50


@pytest.mark.parametrize("lowest_rank", [0, 8])
def test_completions_that_hold_a_card_by_enumeration(lowest_rank):
    rng = random.Random(lowest_rank)
    by_rank, by_suit = np.zeros((2, 13), dtype=np.int64)
    found = np.zeros(5, dtype=np.int64)
    seen = Counter()
    for number in range(60):
        rules = random_rules(rng, 1, lowest_rank)
        work = empty_table(rules)
        size = 18 if number % 2 else rng.randint(3, 16)
        hole, stub = random_hand_and_stub(rng, rules.deck, size)
        fill_stub(work, stub)
        threes = list(combinations(stub, 3))
        made = evaluate_hands(np.array([[*hole, *three] for three in threes], dtype=np.uint8))
        counts = np.bincount(made, minlength=N_CLASSES)
        for least in thresholds(rng, counts)[1:]:
            enough = [three for three, c in zip(threes, made.tolist(), strict=True) if c >= least]
            pair, suit = numbers_of(hole)
            kernel.odds_kernel(pair, suit, least, work, found)
            assert found[0] == len(enough)
            kernel.cards_kernel(pair, suit, least, work, by_rank, by_suit)
            for card in stub:
                held = sum(card in three for three in enough)
                by_kernel = by_rank[card >> 2] + (by_suit[card >> 2] if card & 3 == suit else 0)
                assert by_kernel == held, (hole, stub, least, card)
                seen["suited"] += bool(card & 3 == suit and by_suit[card >> 2])
                seen["held"] += held > 0
    assert min(seen["suited"], seen["held"]) > 20


def random_position(rng, lowest_rank):
    """The last two of two to five players against a dealer who stands, some cards dead."""
    players = rng.randint(2, 3 if lowest_rank else 5)
    rules = dataclasses.replace(random_rules(rng, players), lowest_rank=lowest_rank)
    rules = dataclasses.replace(rules, kickout_class=N_CLASSES)
    cards = rng.sample(rules.deck, len(rules.deck))
    if rng.random() < 0.4:  # hands of one suit, and of the same one
        cards.sort(key=lambda card: card & 3 if rng.random() < 0.8 else 4)
    rest = cards[2 * players :]
    if rng.random() < 0.5:
        rng.shuffle(rest)
    holes = [cards[2 * seat : 2 * seat + 2] for seat in range(players)]
    dealer, rest = rest[:5], rest[5:]
    order = action_order(holes)
    folded = [seat in order[: players - 2] for seat in range(players)]
    dead = rest[: rng.randint(0, len(rest) - 6)] if rng.random() < 0.6 else []
    return position(rules, holes, dealer, folded=folded, dead=dead)


@pytest.mark.parametrize("lowest_rank", [0, 6])
@pytest.mark.parametrize("with_bonus", [False, True])
def test_the_last_two_are_those_of_all_pairs(lowest_rank, with_bonus):
    rng = random.Random(2 * lowest_rank + with_bonus)
    out = np.zeros(5, dtype=np.int64)
    seen = Counter()
    for _ in range(100):
        found = random_position(rng, lowest_rank)
        rules = found.rules
        work = empty_table(rules)
        fill_stub(work, found.stub)
        holes = [found.holes[seat] for seat in found.waiting]
        numbers = [*numbers_of(holes[0]), *numbers_of(holes[1])]
        bet = rules.play_bet
        kernel.pair_kernel(
            *numbers, found.to_beat, found.pot + 2 * bet, bet * found.replies, with_bonus,
            rules.when_equal == "play", work, out,
        )  # fmt: skip
        expected = pair_counts(found, with_bonus=with_bonus)
        assert out.tolist() == list(dataclasses.astuple(expected)), (found, rules)
        suits = (numbers[1], numbers[3])
        seen["one suited"] += sum(suit >= 0 for suit in suits) == 1
        seen["one suit"] += suits[0] == suits[1] >= 0
        seen["two suits"] += min(suits) >= 0 and suits[0] != suits[1]
        seen["few cards"] += len(found.stub) < 12
        seen["bonus"] += expected.bonus_in > 0
        seen["some"] += 0 < expected.second_plays < found.completions - expected.first_wins
        chance = Fraction(expected.first_wins, found.completions)
        seen["wins"] += 0 < chance < 1
    wanted = {"one suited", "one suit", "two suits", "few cards", "some", "bonus", "wins"}
    assert {what for what in wanted if seen[what] < 2} == set(), "nothing must go untested"
