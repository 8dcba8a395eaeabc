"""Brute force over all draws: against the referee, and the policies against it."""

import dataclasses
import json
import random
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from ricochet_casino.cards.classes import class_of
from ricochet_casino.cards.deck import CardError, parse_card, parse_cards
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.expectimax import optimum, policy_value
from ricochet_casino.games.ricochet_poker.multiplayer import policy_for
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.strategy import COMPUTED, STRATEGIES, always_play

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "ricochet_poker_two_players.json").read_text()
)
TENS, NINES = 8, 7  # lowest ranks of decks of 20 and 24 cards
LAST_HANDS = ("free", "may_play", "none")


def rulebook(players, lowest_rank=0, **changes):
    dump = load_paytable("rulebook").model_dump(mode="json")
    rules = RicochetPokerPaytable.read(dump).rules(players)
    return dataclasses.replace(rules, lowest_rank=lowest_rank, **changes)


def random_rules(rng, players, lowest_rank):
    """A dealer is kicked out about as often as not, even from a deck of high cards only."""
    return rulebook(
        players,
        lowest_rank,
        ante=rng.choice([1, 1, 2, 3]),
        play_bet=rng.choice([1, 1, 2]),
        kickout_class=rng.choice([0, 4000, 5200, 6500, 7462, 7462]),
        last_hand=rng.choice(LAST_HANDS),
        when_equal=rng.choice(["play", "fold"]),
    )


def random_deal(rng, rules):
    cards = rng.sample(rules.deck, 2 * rules.players + 5)
    holes = [tuple(cards[2 * seat : 2 * seat + 2]) for seat in range(rules.players)]
    return holes, tuple(cards[2 * rules.players :])


def decks(rules, holes, dealer):
    """Every order in which the players' sets of three can come, the rest of the deck behind."""
    start = [card for hole in holes for card in hole] + list(dealer)

    def with_threes(deck, wanted):
        rest = [card for card in rules.deck if card not in deck]
        if not wanted:
            yield deck + rest
            return
        for three in combinations(rest, 3):
            yield from with_threes([*deck, *three], wanted - 1)

    return with_threes(start, rules.players)


def refereed(rules, holes, dealer, policies):
    """Mean net result of each seat over all orders of the stub, each played by the referee."""
    played = [play_round(rules, deck, policies, record=False).net
              for deck in decks(rules, holes, dealer)]  # fmt: skip
    return tuple(sum(nets) * rules.unit / len(played) for nets in zip(*played, strict=True))


def patchy(rng):
    """A policy without sense, but always the same on the same table."""
    salt = rng.randrange(1000)

    def policy(table):
        seen = (*table.holes[table.seat], *(c for hand in table.hands for c in hand))
        return (sum(seen) * 7 + salt + table.pot + 3 * table.to_beat) % 5 > 1

    return policy


@pytest.mark.parametrize("last_hand", LAST_HANDS)
@pytest.mark.parametrize("players", [1, 2, 3])
def test_policies_are_worth_what_the_referee_pays(players, last_hand):
    rng = random.Random(players)
    for kickout_class in (0, 7462):
        rules = random_rules(rng, players, TENS)
        rules = dataclasses.replace(rules, last_hand=last_hand, kickout_class=kickout_class)
        holes, dealer = random_deal(rng, rules)
        policies = [patchy(rng) for _ in range(players)]
        total, by_seat = policy_value(rules, holes, dealer, policies)
        assert by_seat == refereed(rules, holes, dealer, policies)
        assert total == sum(by_seat)


def test_all_outcomes_of_the_referee_have_been_seen():
    """Splits with odd coins among three, whose shares depend on who acted last."""
    rules = rulebook(3, TENS, kickout_class=0, dealer_ante=2)
    holes = [parse_cards(text) for text in ("Tc Jc", "Td Jd", "Th Jh")]
    dealer = parse_cards("Ts Js Qc Kd Ah")
    _, by_seat = policy_value(rules, holes, dealer, always_play)
    assert by_seat == refereed(rules, holes, dealer, always_play)
    assert by_seat[0] < by_seat[1]  # in a split of eight the first gets two, the others three


def brute_optimum(rules, holes, dealer):
    """The same by the referee alone: every script of plays and folds, every order of the stub."""
    order = action_order(holes)
    start = [card for hole in holes for card in hole] + list(dealer)

    def value(turn, script, drawn):
        if turn == len(order):
            rest = [card for card in rules.deck if card not in start and card not in drawn]
            policies = [lambda table: script[table.seat]] * rules.players
            return Fraction(sum(play_round(rules, [*start, *drawn, *rest], policies).net))
        seat = order[turn]
        out = class_of(dealer) >= rules.kickout_class
        alone = out and list(script.values()) == [False] * (rules.players - 1)
        left = [card for card in rules.deck if card not in start and card not in drawn]
        threes = list(combinations(left, 3))
        fold = value(turn + 1, script | {seat: False}, drawn)
        play = sum(value(turn + 1, script | {seat: True}, [*drawn, *three]) for three in threes)
        play /= len(threes)
        if alone and rules.last_hand == "free":
            return play
        return max(play, fold)

    return value(0, {}, []) * rules.unit


@pytest.mark.parametrize("last_hand", LAST_HANDS)
@pytest.mark.parametrize("kickout_class", [0, 5500, 7462])
def test_the_optimum_of_three_players_is_that_of_all_scripts(kickout_class, last_hand):
    rng = random.Random(kickout_class)
    rules = random_rules(rng, 3, TENS)
    rules = dataclasses.replace(rules, last_hand=last_hand, kickout_class=kickout_class)
    holes, dealer = random_deal(rng, rules)
    # The chance that all of the others fold is what tells the readings apart.
    assert optimum(rules, holes, dealer) == brute_optimum(rules, holes, dealer)


@pytest.mark.parametrize("deal", GOLDEN["deals"][:3], ids=lambda deal: deal["id"])
def test_two_players_and_a_full_deck_to_the_last_fraction(deal):
    check_golden(deal)


@pytest.mark.slow
@pytest.mark.parametrize("deal", GOLDEN["deals"], ids=lambda deal: deal["id"])
def test_all_golden_deals_by_brute_force(deal):
    check_golden(deal)


def check_golden(deal):
    dump = load_paytable("rulebook").model_dump(mode="json")
    rules = RicochetPokerPaytable.read(dump | {"coin": "fair"}).rules(2)
    holes = [[parse_card(text) for text in hand] for hand in deal["hands_lowest_first"]]
    dealer = [parse_card(text) for text in deal["dealer"]]
    antes = 2 * rules.ante * rules.unit
    assert optimum(rules, holes, dealer) + antes == Fraction(deal["collective"]["value"])


# --- Policies ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lowest_rank", "deals"), [(TENS, 16), (NINES, 5)])
def test_two_collective_players_lose_nothing(lowest_rank, deals):
    rng = random.Random(lowest_rank)
    worse = kicked_out = 0
    for _ in range(deals):
        rules = random_rules(rng, 2, lowest_rank)
        holes, dealer = random_deal(rng, rules)
        best = optimum(rules, holes, dealer)
        kicked_out += class_of(dealer) >= rules.kickout_class
        assert policy_value(rules, holes, dealer, policy_for(rules, "collective"))[0] == best
        for strategy in ("individual", "collective_pot_only", "pot_odds", "always_play"):
            value, _ = policy_value(rules, holes, dealer, policy_for(rules, strategy))
            assert value <= best
            worse += value < best
    assert worse >= deals
    assert 2 <= kicked_out <= deals - 2


@pytest.mark.parametrize("lowest_rank", [TENS, NINES])
def test_without_bonuses_pot_only_play_is_optimal(lowest_rank):
    """Decisions of `collective_pot_only` are those of a game without bonus lines."""
    rng = random.Random(lowest_rank)
    for _ in range(8):
        rules = random_rules(rng, 2, lowest_rank)
        bare = dataclasses.replace(rules, lines=())
        holes, dealer = random_deal(rng, rules)
        with_lines = policy_for(rules, "collective_pot_only")

        def policy(table, rules=rules, with_lines=with_lines):
            return with_lines(table._replace(rules=rules))

        value, _ = policy_value(bare, holes, dealer, policy)
        assert value == optimum(bare, holes, dealer)


def test_one_player_is_the_better_of_play_and_fold():
    rng = random.Random(3)
    for _ in range(10):
        rules = random_rules(rng, 1, NINES)
        holes, dealer = random_deal(rng, rules)
        values = {
            name: policy_value(rules, holes, dealer, policy_for(rules, name))[0]
            for name in STRATEGIES
        }
        best = optimum(rules, holes, dealer)
        assert best == max(values["always_play"], values["always_fold"])
        assert best == values["collective"] == values["individual"]


def losses_of_three(rng, deals, lowest_rank):
    """Chips by which `collective` misses the optimum, for random deals of three players."""
    losses = []
    for _ in range(deals):
        rules = random_rules(rng, 3, lowest_rank)
        holes, dealer = random_deal(rng, rules)
        value, by_seat = policy_value(rules, holes, dealer, policy_for(rules, "collective"))
        assert sum(by_seat) == value
        losses.append(optimum(rules, holes, dealer) - value)
    return losses


def test_three_collective_players_lose_little_on_twenty_cards(record_property):
    """Nine cards can come and nine are drawn, so odds change more than in any real deck."""
    losses = losses_of_three(random.Random(1), 10, TENS)
    record_property("mean_loss", float(sum(losses) / len(losses)))
    assert min(losses) >= 0
    assert sum(losses) / len(losses) < Fraction(1, 10)
    assert sum(loss == 0 for loss in losses) >= 8


@pytest.mark.slow
def test_three_collective_players_lose_little_on_twenty_four_cards(record_property):
    losses = losses_of_three(random.Random(2), 12, NINES)
    record_property("mean_loss", float(sum(losses) / len(losses)))
    assert min(losses) >= 0
    assert sum(losses) / len(losses) < Fraction(1, 20)


@pytest.mark.parametrize(("players", "deals"), [(2, 8), (3, 3)])
def test_together_the_players_get_most_by_collective_play(players, deals):
    rng = random.Random(8)
    sums = dict.fromkeys(COMPUTED, Fraction())
    for _ in range(deals):
        rules = dataclasses.replace(random_rules(rng, players, TENS), kickout_class=7462)
        holes, dealer = random_deal(rng, rules)
        for name in COMPUTED:
            sums[name] += policy_value(rules, holes, dealer, policy_for(rules, name))[0]
    assert sums["collective"] > sums["individual"]


# --- Bad input -----------------------------------------------------------------------------------


def test_what_cannot_be_followed_is_refused():
    rules = rulebook(2, TENS)
    holes, dealer = [(32, 33), (36, 37)], (34, 38, 42, 46, 50)
    with pytest.raises(ValueError, match="1 hands for 2 players"):
        optimum(rules, holes[:1], dealer)
    with pytest.raises(CardError, match="the card 2c is not in the deck, which begins with T"):
        optimum(rules, [(0, 33), (36, 37)], dealer)
    with pytest.raises(CardError, match="the card Th appears twice"):
        policy_value(rules, [(34, 33), (36, 37)], dealer, always_play)
    with pytest.raises(CardError, match="expected 5 cards, got 4"):
        optimum(rules, holes, dealer[:4])
    with pytest.raises(ValueError, match="3 policies for 2 players"):
        policy_value(rules, holes, dealer, [always_play] * 3)
    three = [(0, 1), (4, 5), (8, 9)]
    with pytest.raises(ValueError, match=r"89,927,760 ways .*expected a shorter deck"):
        optimum(rulebook(3), three, dealer)


def test_values_are_in_chips_whatever_the_unit():
    rules = rulebook(2, TENS)
    holes, dealer = random_deal(random.Random(0), rules)
    halves = dataclasses.replace(rules, unit=rules.unit / 2)
    assert optimum(halves, holes, dealer) == optimum(rules, holes, dealer) / 2 != 0
