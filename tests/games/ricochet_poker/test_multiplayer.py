"""Policies for up to seven players: their definitions in numbers, hand-worked cases, symmetries."""

import dataclasses
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, floor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ricochet_casino.cards.classes import N_CLASSES, class_of, classes
from ricochet_casino.cards.deck import CardError, parse_cards
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.deals import starting_hands
from ricochet_casino.games.ricochet_poker.hand_tables import read_hand_table
from ricochet_casino.games.ricochet_poker.multiplayer import group_gain, policy_for, table_gain
from ricochet_casino.games.ricochet_poker.notation import parse_kickout
from ricochet_casino.games.ricochet_poker.odds import class_counts, completions_at_least
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.self_interest import (
    SCALE,
    check_amounts,
    levels,
    own_gain,
)
from ricochet_casino.games.ricochet_poker.solo import Solo, SoloPolicy
from ricochet_casino.games.ricochet_poker.strategy import COMPUTED, STRATEGIES, pot_odds
from ricochet_casino.games.ricochet_poker.two_players import decide
from ricochet_casino.games.ricochet_poker.units import Line, Rules

TIGHT = Path(__file__).parents[3] / "configs" / "strategies" / "tight.yaml"
NEVER_OUT = N_CLASSES


def paytable(**changes):
    content = load_paytable("rulebook").model_dump(mode="json")
    content.pop("expect", None)
    return RicochetPokerPaytable.read({**content, "side_bets": None, **changes})


def rulebook(players, **changes):
    return dataclasses.replace(paytable().rules(players), **changes)


def tables_of_round(rules, deck, policies):
    """What each player who is asked sees, in order of action."""
    tables = []

    def asked(policy):
        def ask(table):
            tables.append(table)
            return policy(table)

        return ask

    played = play_round(rules, deck, [asked(policy) for policy in policies])
    return tables, played


def scripted(*actions):
    """Policies by seat that play (p) or fold (f)."""
    return [lambda _, plays=action == "p": plays for action in actions]


def deck_of(holes, dealer, stub="", rules=None):
    named = parse_cards(f"{holes} {dealer} {stub}")
    deck = rules.deck if rules else range(52)
    return [*named, *(card for card in deck if card not in named)]


# --- Counts and levels ---------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0, 4, 24, 32])
def test_class_counts_are_those_of_an_enumeration(missing):
    rng = random.Random(missing)
    deck = list(range(missing, 52))
    for number in range(12):
        gone = rng.sample(deck, rng.randint(5, len(deck) - 3))
        suited = [card for card in gone if card & 3 == gone[0] & 3]
        hole = tuple(suited[:2]) if number % 2 and len(suited) > 1 else tuple(gone[:2])
        dead = [*range(missing), *(card for card in gone if card not in hole)]
        left = [card for card in deck if card not in gone]
        if len(left) > 25:
            dead, left = [*dead, *left[25:]], left[:25]
        expected = Counter(class_of((*hole, *three)) for three in combinations(left, 3))
        counts = class_counts(hole, dead)
        assert counts.shape == (N_CLASSES,)
        assert counts.dtype == np.int64
        assert {c: n for c, n in enumerate(counts.tolist()) if n} == expected


@pytest.mark.parametrize("hand", starting_hands()[::7], ids=lambda hand: hand.name)
def test_class_counts_agree_with_thresholds_on_a_full_deck(hand):
    dead = [card for card in (0, 9, 22, 35, 48, 51) if card not in hand.cards]
    counts = class_counts(hand.cards, dead)
    thresholds = range(0, N_CLASSES, 373)
    reach = completions_at_least(hand.cards, dead, thresholds)
    assert tuple(int(counts[t:].sum()) for t in thresholds) == reach
    assert counts.sum() == comb(50 - len(dead), 3)


def test_class_counts_refuse_cards_twice():
    with pytest.raises(CardError, match="appears twice"):
        class_counts((0, 1), (1, 2))
    with pytest.raises(CardError, match="expected 2 cards"):
        class_counts((0, 1, 2), ())


def test_levels_by_hand():
    """Pairs of ranks by category; a first kicker needs lower ranks for the others to be."""
    found = levels()
    assert found.shape == (N_CLASSES,)
    assert found[0] == 0
    assert set(np.diff(found).tolist()) == {0, 1}
    high_card = comb(10, 2) - 2  # 6-5 and A-5 can only be straights
    kinds = {
        "high card": high_card,
        "pair": 13 * (12 - 2),
        "two pair": comb(13, 2),
        "three": 13 * (12 - 1),
        "straight": 10,
        "flush": high_card,
        "full house": 13 * 12,
        "four": 13 * 12,
        "straight flush": 10,
    }
    assert found[-1] + 1 == sum(kinds.values()) == 769
    by_category = [len({int(found[h.index]) for h in classes() if h.category == c})
                   for c in range(9)]  # fmt: skip
    assert by_category == list(kinds.values())


@pytest.mark.parametrize(
    ("lower", "upper", "same"),
    [
        ("KKA32", "KKAQJ", True),
        ("KKQ32", "KKA32", False),
        ("KKQQ2", "KKQQA", True),
        ("KKJJA", "KKQQ2", False),
        ("77732", "7773A", False),
        ("777A2", "777AK", True),
        ("AK432", "AKQJ9", True),
        ("AK432s", "AKQJ9s", True),
        ("AKQJ9", "22345", False),
        ("A2345", "23456", False),
        ("KKKK2", "KKKKA", False),
    ],
)
def test_classes_of_one_level(lower, upper, same):
    def level(text):
        ranks = tuple("23456789TJQKA".index(letter) for letter in text.rstrip("s"))
        suited = text.endswith("s")
        return next(
            int(levels()[h.index])
            for h in classes()
            if sorted(h.ranks) == sorted(ranks) and h.suited == suited
        )

    assert (level(lower) == level(upper)) is same


# --- Pot odds, worked by hand --------------------------------------------------------------------


def plain_rules(players, **changes):
    settings = {
        "players": players, "unit": Fraction(1), "ante": 1, "dealer_ante": 1, "play_bet": 1,
        "kickout_class": NEVER_OUT, "lines": (Line("straight", parse_kickout("straight"), 10**9),),
        "last_hand": "free", "when_equal": "play", "fair_split": False,
    }  # fmt: skip
    return Rules(**{**settings, **changes})


def answer(rules, deck, *script):
    """What pot_odds does after the scripted actions of those who act before."""
    order = action_order([deck[2 * s : 2 * s + 2] for s in range(rules.players)])
    actions = dict.fromkeys(range(rules.players), "f") | dict(zip(order, script, strict=False))
    policies = scripted(*(actions[seat] for seat in range(rules.players)))
    policies[order[len(script)]] = pot_odds
    return play_round(rules, deck, policies).actions[order[len(script)]]


def test_pot_odds_against_the_dealer():
    """Four straight flushes of 14,190 completions beat four aces: 5-9 to 8-Q, the king is gone."""
    deck = deck_of("9c8c", "As Ah Ad Ac Kd")
    for ante, action in ((3545, "fold"), (3546, "play")):  # 4 (ante + 2) against 14,190
        assert answer(plain_rules(1, ante=ante), deck) == action
    for when_equal in ("play", "fold"):  # 4 (7,092 + 1 + 2) = 2 x 14,190
        rules = plain_rules(1, ante=7092, play_bet=2, when_equal=when_equal)
        assert answer(rules, deck) == when_equal
        assert answer(dataclasses.replace(rules, ante=7091), deck) == "fold"
        assert answer(dataclasses.replace(rules, ante=7093), deck) == "play"


def test_pot_odds_against_players_who_can_only_be_tied():
    """One royal flush of 9,880 completions ties the one on the table, for half of the pot."""
    deck = deck_of("KcAc KsAs", "2d 3d 4h 7h 9h", "Tc Jc Qc")
    for ante in (9878, 9879):  # 2 ante + 1 + 1 + 1 against 2 x 9,880
        rules = plain_rules(2, ante=ante)
        assert answer(rules, deck, "p") == ("play" if 2 * ante + 3 >= 2 * 9880 else "fold")
    for when_equal in ("play", "fold"):
        rules = plain_rules(2, ante=9878, dealer_ante=2, when_equal=when_equal)
        assert answer(rules, deck, "p") == when_equal


def test_pot_odds_against_two_players_who_tie():
    """A third part for the third royal flush, one of C(35, 3) completions."""
    deck = deck_of("KcAc KdAd KhAh", "2d 3d 4h 7h 9h", "Tc Jc Qc Td Jd Qd")
    price = 3 * comb(52 - 11 - 6, 3)
    for pot in (price - 1, price, price + 1):
        rules = plain_rules(3, ante=1, dealer_ante=pot - 6)  # three antes, two bets and hers
        assert answer(rules, deck, "p", "p") == ("play" if pot >= price else "fold")


def test_pot_odds_that_can_win_or_tie():
    """Against ace, king, queen high, counted anew: what beats it wins the pot, a tie half of it."""
    deck = deck_of("3c2c Kd3d", "Js Jh Jd Jc 5s", "Ah Kc Qs")
    best = class_of(parse_cards("3c2c AhKcQs"))
    left = [card for card in range(52) if card not in deck[:12]]
    drawn = [class_of((*deck[2:4], *three)) for three in combinations(left, 3)]
    beat, tie = sum(c > best for c in drawn), sum(c == best for c in drawn)
    assert tie > 0
    share = (beat + Fraction(tie, 2)) / len(drawn)
    # share (pot + bet) > bet, where the pot is 10 and one bet more
    limit = floor(10 * share / (1 - 2 * share))
    assert limit > 10
    for play_bet, action in ((limit, "play"), (limit + 1, "fold")):
        rules = plain_rules(2, ante=5, dealer_ante=0, play_bet=play_bet, kickout_class=7000)
        assert answer(rules, deck, "p") == action


def test_pot_odds_with_nobody_to_beat_and_alone():
    deck = deck_of("2c3d 4h5s", "As Ah Ad Ac Kd")
    kicked_out = plain_rules(2, kickout_class=0, when_equal="fold")
    assert answer(kicked_out, deck) == "play"
    alone = dataclasses.replace(kicked_out, last_hand="may_play")
    assert answer(alone, deck, "f") == "play"
    # With nothing in the pot there is nothing to gain; but alone the bet comes back.
    empty = dataclasses.replace(alone, ante=0, dealer_ante=0)
    assert answer(empty, deck) == "fold"
    assert answer(empty, deck, "f") == "play"


# --- One player ----------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", [*COMPUTED, "pot_odds"])
def test_one_player_decides_as_the_solved_game(strategy):
    rng = random.Random(strategy)
    seen = Counter()
    hands = rng.sample(starting_hands(), 12)
    for last_hand in ("free", "may_play"):
        for when_equal in ("play", "fold"):
            rules = rulebook(1, last_hand=last_hand, when_equal=when_equal)
            solved, policy = SoloPolicy(rules, strategy), policy_for(rules, strategy)
            for _ in range(60):
                hole = rng.choice(hands).cards
                rest = rng.sample([card for card in range(52) if card not in hole], 50)
                tables, played = tables_of_round(rules, [*hole, *rest], [policy])
                for table in tables:
                    assert policy(table) == solved(table)
                    seen[table.dealer_in, policy(table)] += 1
                assert tables or played.actions == ("last hand",)
    assert min(seen[True, True], seen[True, False]) > 30
    assert seen[False, True]


@pytest.mark.parametrize("when_equal", ["play", "fold"])
@pytest.mark.parametrize("last_hand", ["free", "may_play", "none"])
def test_pot_odds_of_one_player_are_pot_only_play(last_hand, when_equal):
    table = paytable(last_hand=last_hand, when_equal=when_equal)
    one, other = Solo(table, "pot_odds"), Solo(table, "collective_pot_only")
    drawn = Counter()
    for shard in one.shards()[::24]:
        found, expected = one.run(shard), other.run(shard)
        for name in ("play", "fold", "kickout"):
            assert found.counts[name] == expected.counts[name]
        drawn["pot_odds"] += found.counts["drawn"]
        drawn["kickout"] += found.counts["kickout"]
        if (last_hand, when_equal) != ("may_play", "fold"):
            assert found.counts == expected.counts
    assert drawn["pot_odds"] == (0 if last_hand == "none" else drawn["kickout"])


# --- Three and more left to act ------------------------------------------------------------------


def exact_group_gain(rules, pot, dealer_in, odds, total, with_bonus):
    """The same recursion in fractions, forwards and without rounding."""
    chances = [(Fraction(reach, total), Fraction(bonus if with_bonus else 0, total))
               for reach, bonus in odds]  # fmt: skip
    bet = rules.play_bet
    if not dealer_in:
        return chances[0][1]

    def choices(j, m):
        win, bonus = chances[j]
        after = sum(b for _, b in chances[j + 1 :])
        play = bonus - bet + win * (pot + (m + 1) * bet + after) + (1 - win) * value(j + 1, m + 1)
        return play, value(j + 1, m)

    def value(j, m):
        if j == len(chances):
            return Fraction()
        play, fold = choices(j, m)
        return play if rules.plays(play - fold) else fold

    play, fold = choices(0, 0)
    return play - fold


def test_the_gain_of_a_group_in_fractions():
    rng = random.Random(4)
    signs = Counter()
    for _ in range(600):
        rules = plain_rules(7, play_bet=rng.randint(1, 3), when_equal=rng.choice(["play", "fold"]))
        total, k = rng.choice([10660, 9880, 84]), rng.randint(1, 7)
        pot, with_bonus = rng.randint(3, 12), rng.random() < 0.5
        odds = [(rng.randint(0, total // 3), rng.randint(0, total // 4)) for _ in range(k)]
        found = group_gain(rules, pot, 3000, odds, total, with_bonus)
        exact = exact_group_gain(rules, pot, True, odds, total, with_bonus)
        assert abs(Fraction(found, SCALE) - exact) < Fraction(4 * k, SCALE)
        signs[found > 0] += 1
        out = group_gain(rules, pot, None, odds, total, with_bonus)
        assert out == (odds[0][1] if with_bonus else 0)
    assert min(signs.values()) > 100


def exact_own_gain(rules, pot, to_beat, leaders, counts, total):
    """The same recursion class by class in fractions; every class must be a level of its own."""
    bet = rules.play_bet
    mean = [sum(n * rules.bonus(c) for c, n in each.items()) / Fraction(total) for each in counts]

    @cache
    def holds(j, best, m):
        if j == len(counts):
            return Fraction(pot + m * bet)
        gain = mean[j] - bet
        left = Fraction()
        for c, n in counts[j].items():
            if c > best:
                gain += Fraction(n, total) * holds(j + 1, c, m + 1)
            elif c == best:
                gain += Fraction(n, 2 * total) * holds(j + 1, best, m + 1)
                left += Fraction(n, 2 * total) * holds(j + 1, best, m + 1)
            else:
                left += Fraction(n, total) * holds(j + 1, best, m + 1)
        return left if rules.plays(gain) else holds(j + 1, best, m)

    gain = mean[0] - bet
    for c, n in counts[0].items():
        if c > to_beat or (c == to_beat and not leaders):
            gain += Fraction(n, total) * holds(1, c, 1)
        elif c == to_beat:
            gain += Fraction(n, total) * holds(1, c, 1) / (leaders + 1)
    return gain


def test_the_gain_of_a_player_for_herself_in_fractions():
    rng = random.Random(5)
    # Classes on levels of their own, with steps between them.
    firsts = np.flatnonzero(np.diff(levels(), prepend=-1)).tolist()
    signs, leading = Counter(), Counter()
    for _ in range(150):
        rules = plain_rules(
            7, play_bet=rng.randint(1, 2), when_equal=rng.choice(["play", "fold"]),
            lines=(Line("a", 3000, 1), Line("b", 6000, 2)),
        )  # fmt: skip
        chosen = rng.sample(firsts, 7)
        total, k = 10000, rng.randint(2, 6)
        counts = []
        for _ in range(k):
            cuts = sorted(rng.sample(range(total), 6))
            sizes = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
            counts.append(dict(zip(chosen, sizes, strict=True)))
        arrays = [np.zeros(N_CLASSES, dtype=np.int64) for _ in counts]
        for array, each in zip(arrays, counts, strict=True):
            array[list(each)] = list(each.values())
        to_beat = rng.choice([-1, *chosen, rng.choice(firsts)])
        leaders = rng.randint(0, 2) if to_beat >= 0 else 0
        pot = rng.randint(3, 12)
        found = own_gain(rules, pot, to_beat, leaders, arrays, total)
        exact = exact_own_gain(rules, pot, to_beat, leaders, counts, total)
        assert abs(Fraction(found, SCALE) - exact) < Fraction(30, SCALE)
        signs[found > 0] += 1
        leading[leaders] += 1
    assert min(signs.values()) > 10
    assert len(leading) == 3


def test_a_tie_within_a_level_counts_as_half():
    """Two later classes of one level: neither is above the other, though one beats the other."""
    low, high = parse_kickout("KKA"), parse_kickout("KKAQ")
    assert levels()[low] == levels()[high]
    rules = plain_rules(7, lines=())
    counts = np.zeros((2, N_CLASSES), dtype=np.int64)
    counts[0, low] = counts[1, high] = 100
    # The second plays for half of 12 and leaves the other half.
    assert own_gain(rules, 10, -1, 0, list(counts), 100) == (12 // 2 - 1) * SCALE


@pytest.mark.parametrize(("when_equal", "bets"), [("play", 2), ("fold", 1)])
def test_a_later_player_who_gains_nothing_plays_if_the_rules_say_so(when_equal, bets):
    """He cannot win, and his bonus is his bet: it goes to whoever leads, or stays with him."""
    low, high = parse_kickout("KK"), parse_kickout("AA")
    rules = plain_rules(7, lines=(Line("pair", low, 1),), when_equal=when_equal)
    counts = np.zeros((2, N_CLASSES), dtype=np.int64)
    counts[0, high] = counts[1, low] = 100
    assert own_gain(rules, 10, -1, 0, list(counts), 100) == (10 + bets + 1 - 1) * SCALE


def random_table(rng, players, lowest_rank=0, **changes):
    """A table in the middle of a round, with what the referee shows to the player to act."""
    rules = rulebook(
        players,
        lowest_rank=lowest_rank,
        kickout_class=rng.choice([0, 4000, 5200, NEVER_OUT]),
        when_equal=rng.choice(["play", "fold"]),
        **changes,
    )
    deck = rng.sample(rules.deck, len(rules.deck))
    policies = scripted(*(rng.choice("ppf") for _ in range(players)))
    tables, _ = tables_of_round(rules, deck, policies)
    return tables


@pytest.mark.parametrize("strategy", COMPUTED)
def test_odds_come_from_all_cards_not_in_sight(strategy):
    """Position by position: the counts by enumeration, fed to the same recursion."""
    rng = random.Random(6)
    kinds = Counter()
    while min(kinds["acted"], kinds["out"], kinds["in"]) < 8:
        for table in random_table(rng, 4, lowest_rank=6):
            if len(table.waiting) < 2:
                continue
            rules = table.rules
            seen = {*table.dealer, *(c for h in (*table.holes, *table.hands) for c in h)}
            left = [card for card in rules.deck if card not in seen]
            waiting = [table.holes[seat] for seat in (table.seat, *table.waiting)]
            drawn = [[class_of((*hole, *three)) for three in combinations(left, 3)]
                     for hole in waiting]  # fmt: skip
            total = len(drawn[0])
            if strategy == "individual":
                counts = [np.bincount(each, minlength=N_CLASSES) for each in drawn]
                leaders = 0 if table.dealer_in else table.classes.count(table.to_beat)
                leaders = leaders if table.to_beat >= 0 else 0
                expected = own_gain(rules, table.pot, table.to_beat, leaders, counts, total)
            else:
                best = table.to_beat if table.dealer_in else None
                odds = [(sum(c >= table.to_beat for c in each), sum(map(rules.bonus, each)))
                        for each in drawn]  # fmt: skip
                with_bonus = strategy == "collective"
                expected = group_gain(rules, table.pot, best, odds, total, with_bonus)
            assert table_gain(table, strategy) == expected
            assert policy_for(rules, strategy)(table) is rules.plays(expected)
            kinds["acted"] += len(table.waiting) < 3
            kinds["in" if table.dealer_in else "out"] += 1


def test_marginal_odds_are_near_the_exact_decision_of_two():
    """With one left they are exact; with two they miss what the draws tell of each other."""
    rng = random.Random(7)
    missed = []
    while len(missed) < 60:
        table = rng.choice(random_table(rng, 3, unit=Fraction(1)))
        if len(table.waiting) > 1 or not table.dealer_in:
            continue
        rules = table.rules
        folded = [seat in table.folded for seat in range(3)]
        exact = decide(rules, table.holes, table.dealer, completed=table.hands, folded=folded)
        gain = Fraction(table_gain(table, "collective"), SCALE) * rules.unit
        if not table.waiting:
            assert abs(gain - (exact.play - exact.fold)) < Fraction(4, SCALE)
        missed.append(abs(gain - (exact.play - exact.fold)))
    assert sum(missed) / len(missed) < Fraction(1, 50)


@pytest.mark.parametrize("players", range(1, 8))
def test_the_amounts_of_the_rulebook_fit(players):
    for coin in ("1", "1/100", "fair"):
        check_amounts(paytable(coin=coin).rules(players))


def test_amounts_that_could_leave_64_bits_are_refused():
    rules = plain_rules(3, lines=())
    stub, room = comb(41, 3), (1 << 63) - 1
    most = room // (2 * SCALE * stub)  # three antes and bets, and the dealer's ante
    fits = dataclasses.replace(rules, dealer_ante=most - 6)
    check_amounts(fits)
    policy_for(fits, "individual")
    with pytest.raises(ValueError, match="too large to be reckoned with in 64 bits"):
        policy_for(dataclasses.replace(fits, dealer_ante=most - 5), "individual")
    prize = dataclasses.replace(rules, lines=(Line("royal", 7461, most // 3),))
    with pytest.raises(ValueError, match="too large"):
        policy_for(prize, "collective")
    policy_for(prize, "always_play")


# --- Whole rounds --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 8))
def test_mixed_tables(players):
    """Every strategy beside every other, in rounds of the referee; each sees its own turn only."""
    rng = random.Random(players)
    tight = read_hand_table(TIGHT)
    asked, acted = Counter(), Counter()
    for last_hand in ("free", "may_play", "none"):
        rules = rulebook(players, last_hand=last_hand)
        named = {name: policy_for(rules, name) for name in STRATEGIES} | {tight.name: tight}
        for _ in range(10):
            names = [rng.choice(list(named)) for _ in range(players)]
            policies = [named[name] for name in names]
            tables, played = tables_of_round(rules, rng.sample(range(52), 52), policies)
            assert sum(played.net) + played.dealer_net == 0
            for table in tables:
                plays = named[names[table.seat]](table)
                alone = len(table.folded) == players - 1 and table.to_beat < 0
                expected = ("play",) if plays else ("fold", "last hand") if alone else ("fold",)
                assert played.actions[table.seat] in expected
                asked[names[table.seat]] += 1
                acted[plays] += 1
    assert set(asked) == set(named) if players > 3 else len(asked) > 4
    assert min(acted.values()) > 10


def test_a_policy_is_for_its_rules_only():
    rules = rulebook(3)
    policy = policy_for(rules, "collective")
    table = tables_of_round(rules, list(range(52)), scripted(*"fff"))[0][0]
    assert policy(table) in (True, False)
    assert policy(table._replace(rules=rulebook(3))) == policy(table)  # equal, if not the same
    with pytest.raises(ValueError, match="other rules"):
        policy(table._replace(rules=rulebook(3, play_bet=2)))
    with pytest.raises(ValueError, match=r"unknown strategy 'colective'.*collective"):
        policy_for(rules, "colective")


# --- Symmetries ----------------------------------------------------------------------------------

SYMMETRIC = [*COMPUTED, "pot_odds"]


def moved(table, seats, suits):
    """The same table with its players in other seats and its suits renamed."""
    where = {seat: place for place, seat in enumerate(seats)}

    def renamed(cards):
        return tuple(4 * (card >> 2) + suits[card & 3] for card in cards)

    return table._replace(
        seat=where[table.seat],
        order=tuple(where[seat] for seat in table.order),
        waiting=tuple(where[seat] for seat in table.waiting),
        holes=tuple(renamed(table.holes[seat])[::-1] for seat in seats),
        hands=tuple(renamed(table.hands[seat]) for seat in seats),
        classes=tuple(table.classes[seat] for seat in seats),
        live=tuple(table.live[seat] for seat in seats),
        folded=tuple(where[seat] for seat in table.folded),
        dealer=renamed(table.dealer)[::-1],
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(0, 2**32), st.integers(1, 7), st.permutations(range(4)), st.randoms())
def test_decisions_do_not_depend_on_suits_or_seats(seed, players, suits, shuffler):
    rng = random.Random(seed)
    tables = random_table(rng, players, last_hand=rng.choice(["free", "may_play", "none"]))
    assume(tables)
    table = rng.choice(tables)
    seats = list(range(players))
    shuffler.shuffle(seats)
    other = moved(table, seats, suits)
    # Suits decide who acts first between hands of equal ranks; then it is another position.
    assume(tuple(action_order(other.holes)) == other.order)
    for strategy in SYMMETRIC:
        policy = policy_for(table.rules, strategy)
        assert policy(table) == policy(other)
    if len(table.waiting) > 1:
        assert table_gain(table, "individual") == table_gain(other, "individual")
    tight = read_hand_table(TIGHT)
    assert tight(table) == tight(other)
