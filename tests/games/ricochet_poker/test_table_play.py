"""Compiled tables: decisions number by number, and rounds against the referee."""

import dataclasses
import random
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.deck import CardError
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker import table_choice_kernel as kernel
from ricochet_casino.games.ricochet_poker.deals import starting_hands
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable, read_hand_table
from ricochet_casino.games.ricochet_poker.multiplayer import policy_for, table_gain
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.simulation_tables import ACTIONS
from ricochet_casino.games.ricochet_poker.strategy import (
    COMPUTED,
    STRATEGIES,
    cards_in_sight,
    leaders_of,
)
from ricochet_casino.games.ricochet_poker.table_arrays import (
    fill_stub,
    pair_number,
    terms_of,
    work_for,
)
from ricochet_casino.games.ricochet_poker.table_sampling import play_tables
from ricochet_casino.games.ricochet_poker.two_players import decide

TIGHT = Path(__file__).parents[3] / "configs" / "strategies" / "tight.yaml"
LAST_HANDS = ("free", "may_play", "none")
EVERY_COUNT = range(1, 8)
SHORTEST = {1: 8, 2: 8, 3: 7, 4: 6, 5: 5, 6: 4, 7: 3}
"""Lowest rank of the shortest deck that is enough for so many players."""
BONUSES = [
    {"straight": 2, "flush": 5, "full_house": 10, "four_of_a_kind": 25, "straight_flush": 100,
     "royal_flush": 1000},
    {"pair_of_twos": 1, "two_pair": 0, "straight": 8, "royal_flush": 0},
    {"pair_of_jacks": 3, "three_of_a_kind": 1},
    {},
]  # fmt: skip


def random_rules(rng, players, lowest_rank):
    """Rules of every kind: coins, amounts of several chips, bonus lines, decks, kickouts."""
    content = load_paytable("rulebook").model_dump(mode="json")
    content.pop("expect", None)
    coin = rng.choice(["1", "1", "1/2", "fair" if players < 6 else "1/2"])
    # Shares of a fair coin are small, so that the amounts have to be.
    bonus = rng.choice(BONUSES[1:] if coin == "fair" and players > 3 else BONUSES)
    amounts = [str(rng.choice([1, 1, 2, 3])) for _ in range(3)]
    rules = RicochetPokerPaytable.read({
        **content,
        "side_bets": None,
        "coin": coin,
        "ante": amounts[0],
        "dealer_ante": amounts[1],
        "play_bet": amounts[2],
        "bonus_on": "ante" if coin != "1" else rng.choice(["play_bet", "ante"]),
        "bonus": {name: str(pays) for name, pays in bonus.items()},
        "last_hand": rng.choice(LAST_HANDS),
        "when_equal": rng.choice(["play", "fold"]),
    }).rules(players)  # fmt: skip
    kickout_class = rng.choice([rules.kickout_class, rules.kickout_class, 0, 3500, 5500, N_CLASSES])
    return dataclasses.replace(rules, lowest_rank=lowest_rank, kickout_class=kickout_class)


def random_hand_table(rng, name="made_up"):
    limits = [-1, 0, 2000, 3300, 4500, 6000, 7462, 7462]
    return HandTable(name, {hand.name: rng.choice(limits) for hand in starting_hands()})


def level_deck(rng, rules):
    """A deck that makes ties likely: some players, or the dealer too, get the same five ranks."""
    players, deck = rules.players, rules.deck
    ranks = rng.sample(range(rules.lowest_rank, 13), 5)
    suits = {rank: rng.sample(range(4), 4) for rank in ranks}

    def some_of(these):
        return [4 * rank + suits[rank].pop() for rank in these]

    dealer = some_of(ranks) if players == 1 or rng.random() < 0.4 else []
    level = sorted(rng.sample(range(players), min(players, rng.randint(2, 4 - bool(dealer)))))
    taken = {seat: some_of(ranks[:2]) for seat in level}
    threes = {seat: some_of(ranks[2:]) for seat in level}
    used = {card for part in (*taken.values(), *threes.values(), dealer) for card in part}
    rest = [card for card in deck if card not in used]
    rng.shuffle(rest)
    holes = [taken.get(seat) or [rest.pop(), rest.pop()] for seat in range(players)]
    if not dealer:
        rest.sort(reverse=True)  # a dealer of few and low ranks is often beaten
        dealer = [rest.pop() for _ in range(5)]
        rng.shuffle(rest)
    if rng.random() < 0.5:  # everybody will draw, or only they
        threes = {seat: threes.get(seat) or [rest.pop() for _ in range(3)]
                  for seat in action_order(holes)}  # fmt: skip
    stub = [card for three in threes.values() for card in three]
    return [card for hole in holes for card in hole] + dealer + stub + rest


def random_deck(rng, rules, level=0.4):
    if rng.random() < level:
        return level_deck(rng, rules)
    return rng.sample(rules.deck, len(rules.deck))


def refereed(rules, strategy):
    return strategy if isinstance(strategy, HandTable) else policy_for(rules, strategy)


# --- Decisions, number by number -----------------------------------------------------------------


def tables_of_round(rules, deck, policy):
    """What each player who is asked sees, in order of action."""
    tables = []

    def ask(table):
        tables.append(table)
        return policy(table)

    play_round(rules, deck, ask, record=False)
    return tables


def laid_out(table):
    """The same table as the kernels have it: terms, arrays, whose turn it is, cards to come."""
    rules = table.rules
    work = work_for(rules, ("individual",) * rules.players)
    stub = [card for card in rules.deck if card not in cards_in_sight(table)]
    fill_stub(work, stub)
    for place, seat in enumerate(table.order):
        a, b = table.holes[seat]
        work.order[place] = seat
        work.holes[place] = (
            pair_number(a >> 2, b >> 2), a & 3 if a & 3 == b & 3 else -1, a, b
        )  # fmt: skip
    terms, turn = terms_of(rules), table.order.index(table.seat)
    kernel.refresh_kernel(turn, table.to_beat, terms, work)
    return terms, work, turn, len(stub)


def stray_policy(rng):
    """Plays two times in three: tables of all kinds."""
    return lambda _table: rng.random() < 0.67


def check_marginal(table, laid, seen):
    """Decisions by marginal odds: the whole number itself."""
    terms, work, turn, size = laid
    leaders = leaders_of(table)
    gain = kernel.own_gain_kernel(turn, size, table.pot, table.to_beat, leaders, terms, work)
    assert gain == table_gain(table, "individual"), table
    seen[f"individual, {min(leaders, 2)} leading"] += 1
    seen["nobody to beat"] += table.to_beat < 0
    if table.dealer_in:
        for strategy in ("collective", "collective_pot_only"):
            with_bonus = strategy == "collective"
            gain = kernel.group_gain_kernel(
                work.odds, turn, size, table.pot, terms, with_bonus, work.values
            )
            assert gain == table_gain(table, strategy), table
            seen[f"{strategy} {'plays' if gain > 0 else 'folds'}"] += 1


def check_pair(table, laid, seen):
    """The last two: what their choices are worth, exactly."""
    terms, work, turn, size = laid
    rules, pairs = table.rules, comb(size, 3) * comb(size - 3, 3)
    folded = [seat in table.folded for seat in range(rules.players)]

    def exact(strategy):
        return decide(
            rules, table.holes, table.dealer, completed=table.hands, folded=folded,
            strategy=strategy,
        )  # fmt: skip

    leaders = leaders_of(table)
    gain = kernel._own_pair(turn, size, table.pot, table.to_beat, leaders, terms, work)
    assert Fraction(gain, pairs) * rules.unit == exact("individual").play, table
    seen[f"two for themselves, {min(leaders, 2)} leading"] += 1
    if not table.dealer_in:
        return
    for strategy in ("collective", "collective_pot_only"):
        with_bonus = strategy == "collective"
        gain = kernel.group_pair_kernel(
            turn, size, table.pot, table.to_beat, terms, with_bonus, work
        )
        found = exact(strategy)
        worth = [Fraction(int(number), pairs) * rules.unit for number in work.worth]
        assert worth == [found.play, found.fold], table
        assert rules.plays(gain) == (found.best == "play"), table
        seen[f"two for the group: {found.best}"] += 1


@pytest.mark.parametrize("shortened", [False, True])
def test_decisions_are_the_same_numbers(shortened):
    rng = random.Random(shortened)
    seen = Counter()
    for number in range(98):
        players = number % 7 + 1
        rules = random_rules(rng, players, SHORTEST[players] if shortened else 0)
        policy = stray_policy(rng)
        for table in tables_of_round(rules, random_deck(rng, rules, 0.7), policy):
            laid = laid_out(table)
            check_marginal(table, laid, seen)
            if len(table.waiting) == 1:
                check_pair(table, laid, seen)
    wanted = {
        f"{who}, {n} leading" for who in ("individual", "two for themselves") for n in range(3)
    }
    wanted |= {f"{s} {what}" for s in ("collective", "collective_pot_only")
               for what in ("plays", "folds")}  # fmt: skip
    wanted |= {f"two for the group: {best}" for best in ("play", "fold")} | {"nobody to beat"}
    assert {what for what in wanted if seen[what] < 3} == set(), "nothing must go untested"


# --- Rounds against the referee ------------------------------------------------------------------


def compare_with_the_referee(rules, strategies, decks, seen):
    """Play the same decks twice and compare everything."""
    players = rules.players
    rounds, values = play_tables(rules, strategies, decks)
    assert len(values.value) == len(decks)

    def by_seat(array, index):
        return array[index * players : (index + 1) * players].tolist()

    policies = [refereed(rules, strategy) for strategy in strategies]
    for index, deck in enumerate(decks):
        played = play_round(rules, deck, policies, record=False)
        where = (rules, strategies, deck)
        actions = [ACTIONS[action] for action in by_seat(rounds.actions, index)]
        assert actions == list(played.actions), where
        assert by_seat(rounds.nets, index) == list(played.net), where
        assert by_seat(rounds.classes, index) == list(played.classes), where
        assert by_seat(rounds.order, index) == list(played.order), where
        lines = [line - 1 for line in by_seat(rounds.lines, index)]
        assert lines == list(played.bonus_lines), where
        winners = [share > 0 for share in played.shares]
        assert by_seat(rounds.winners, index) == winners, where
        assert rounds.dealer_class[index] == played.dealer_class
        takes_note(rules, played, seen)
    for strategy in strategies:
        seen["a hand table" if isinstance(strategy, HandTable) else strategy] += len(decks)
    seen["mixed"] += len(decks) * (len(set(map(str, strategies))) > 1)


def takes_note(rules, played, seen):
    seen.update(played.actions)
    shares = {share for share in played.shares if share}
    winners = sum(share > 0 for share in played.shares)
    seen["split"] += winners > 1
    seen["odd chips"] += len(shares) > 1
    seen["dealer wins"] += played.dealer_wins
    seen["kicked out"] += played.kicked_out
    alone = "last hand" in played.actions or (
        played.kicked_out and played.actions.count("fold") == rules.players - 1
    )
    seen[f"alone, {rules.last_hand}"] += alone
    seen["bonus"] += max(played.bonus_lines) >= 0


def random_strategies(rng, players):
    """All alike, all different, or one who is not like the others."""
    kinds = [*STRATEGIES, *COMPUTED, random_hand_table(rng), read_hand_table(TIGHT)]
    one, other = rng.choice(kinds), rng.choice(kinds)
    way = rng.random()
    if way < 0.35:
        return [one] * players
    if way < 0.65:
        return [rng.choice(kinds) for _ in range(players)]
    if way < 0.8:  # or there would hardly ever be a last hand
        one = "always_fold"
    found = [one] * players
    found[rng.randrange(players)] = other
    return found


def compare_many(players, batches, per_batch):
    rng = random.Random(players)
    seen = Counter()
    for batch in range(batches):
        lowest_rank = rng.choice([0, 0, SHORTEST[players]])
        rules = random_rules(rng, players, lowest_rank)
        rules = dataclasses.replace(rules, last_hand=LAST_HANDS[batch % 3])
        decks = [random_deck(rng, rules) for _ in range(per_batch)]
        compare_with_the_referee(rules, random_strategies(rng, players), decks, seen)
    wanted = {*STRATEGIES, "a hand table", *ACTIONS, "dealer wins", "kicked out", "bonus"}
    wanted |= {f"alone, {last_hand}" for last_hand in LAST_HANDS}
    if players > 1:
        wanted |= {"mixed", "split", "odd chips"}
    assert {what for what in wanted if seen[what] == 0} == set(), "nothing must go untested"


@pytest.mark.parametrize("players", EVERY_COUNT)
def test_rounds_are_the_referees(players):
    compare_many(players, batches=60 if players < 3 else 30, per_batch=5)


@pytest.mark.slow
@pytest.mark.parametrize("players", EVERY_COUNT)
def test_thousands_of_rounds_are_the_referees(players):
    compare_many(players, batches=240, per_batch=20)


@pytest.mark.parametrize("players", [2, 3, 7])
def test_the_rulebooks_tables_are_the_referees(players):
    rng = random.Random(100 + players)
    rules = load_paytable("rulebook").rules(players)
    seen = Counter()
    for strategy in COMPUTED:
        decks = [rng.sample(range(52), 52) for _ in range(25)]
        compare_with_the_referee(rules, [strategy] * players, decks, seen)
    assert min(seen["play"], seen["fold"], seen["dealer wins"]) > 5


# --- What is refused -----------------------------------------------------------------------------


def test_decks_that_are_none_are_refused():
    rules = load_paytable("rulebook").rules(2)
    deck = list(range(15))
    for decks, error, message in (
        ([deck[:14]], ValueError, "15 or more a row"),
        (deck, ValueError, "15 or more a row"),
        (np.array([deck], dtype=float), ValueError, "whole numbers"),
        ([[*deck[:14], 0]], CardError, "appears twice"),
        ([[*deck[:14], 52]], CardError, "52 is not a card code"),
    ):
        with pytest.raises(error, match=message):
            play_tables(rules, "always_play", decks)
    short = dataclasses.replace(rules, lowest_rank=8)
    with pytest.raises(CardError, match="does not"):
        play_tables(short, "always_play", [list(range(31, 46))])


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        ("colective", "unknown strategy 'colective'.*did you mean collective"),
        (["collective"], "1 strategies for 2 players"),
        (["collective"] * 3, "3 strategies for 2 players"),
    ],
)
def test_strategies_that_are_none_are_refused(strategies, message):
    rules = load_paytable("rulebook").rules(2)
    with pytest.raises(ValueError, match=message):
        play_tables(rules, strategies, [list(range(15))])


def test_amounts_that_could_leave_64_bits_are_refused():
    rules = load_paytable("rulebook").rules(7)
    with pytest.raises(ValueError, match="too large"):
        play_tables(dataclasses.replace(rules, play_bet=10**6), "collective", [list(range(40))])
    prize = dataclasses.replace(rules.lines[-1], pays=10**7)
    with pytest.raises(ValueError, match="too large"):
        play_tables(dataclasses.replace(rules, lines=(prize,)), "collective", [list(range(40))])
