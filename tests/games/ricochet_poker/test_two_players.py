"""Positions with one or two players left to act: golden values, the referee, brute force."""

import dataclasses
import json
import random
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from ricochet_casino.cards.classes import class_of
from ricochet_casino.cards.deck import CardError, parse_card, parse_cards
from ricochet_casino.cards.evaluate import evaluate_hands
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.odds import completions_at_least
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.two_players import decide, pair_counts, share
from ricochet_casino.games.ricochet_poker.two_players_position import position
from ricochet_casino.games.ricochet_poker.units import Line, Rules

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "ricochet_poker_two_players.json").read_text()
)
STRATEGIES = ("collective", "collective_pot_only", "individual")


def rulebook(players, **settings):
    dump = load_paytable("rulebook").model_dump(mode="json")
    return RicochetPokerPaytable.read(dump | settings).rules(players)


def cards_of(texts):
    return tuple(parse_card(text) for text in texts)


# --- Golden values ------------------------------------------------------------------------------


@pytest.mark.parametrize("deal", GOLDEN["deals"], ids=lambda deal: deal["id"])
def test_golden_deals_to_the_last_fraction(deal):
    rules = rulebook(2, coin="fair")
    holes = [cards_of(hand) for hand in deal["hands_lowest_first"]]
    dealer = cards_of(deal["dealer"])
    found = decide(rules, holes, dealer)
    assert (found.order, found.to_act) == ((0, 1), 0)
    expected = deal["collective"]
    assert found.play == Fraction(expected["play"])
    assert found.fold == Fraction(expected["fold"])
    assert found.best == expected["best"]
    assert found.value == Fraction(expected["value"])
    found = decide(rules, holes, dealer, strategy="individual")
    expected = deal["individual_first_player"]
    assert (found.play, found.fold) == (Fraction(expected["play"]), Fraction(expected["fold"]))
    assert found.best == expected["best"]
    found = position(rules, holes, dealer)
    first_wins = pair_counts(found, with_bonus=True).first_wins
    assert Fraction(first_wins, found.completions) == Fraction(deal["first_player_beats_dealer"])
    assert found.draw(0).reach == Fraction(deal["first_player_beats_dealer"])
    assert found.draw(1).reach == Fraction(deal["second_player_beats_dealer_if_first_folds"])


def test_golden_has_deals_to_play_and_to_fold():
    assert {deal["collective"]["best"] for deal in GOLDEN["deals"]} == {"play", "fold"}


def test_seats_do_not_matter():
    deal = GOLDEN["deals"][0]
    low, high = (cards_of(hand) for hand in deal["hands_lowest_first"])
    found = decide(rulebook(2, coin="fair"), [high[::-1], low], cards_of(deal["dealer"]))
    assert (found.order, found.to_act) == ((1, 0), 1)
    assert found.play == Fraction(deal["collective"]["play"])


# --- The slow twin: every draw, played out by the referee ---------------------------------------


class Twin:
    """Expectimax over all draws of those left to act; the referee plays every round to its end."""

    def __init__(self, rules, strategy, holes, dealer, stub, completed, folded):
        self.rules, self.strategy = rules, strategy
        self.holes, self.dealer, self.stub = holes, dealer, stub
        self.order = action_order(holes)
        self.completed, self.folded = completed, folded
        self.waiting = [s for s in self.order if not (completed[s] or folded[s])]

    def play_out(self, script, draws):
        """Units from now on for each seat: from the pot, and as bonuses."""
        rules = self.rules
        script = script | {s: bool(self.completed[s]) for s in self.order if s not in self.waiting}
        threes = [
            tuple(c for c in self.completed[s] if c not in self.holes[s])
            for s in self.order if self.completed[s]
        ] + list(draws)  # fmt: skip
        deck = [card for hole in self.holes for card in hole] + list(self.dealer)
        deck += [card for three in threes for card in three]
        deck += [card for card in range(52) if card not in deck]
        policies = [lambda table: script.get(table.seat, False)] * rules.players
        done = play_round(rules, deck, policies, record=False)
        pot, bonus = [], []
        for seat in range(rules.players):
            paid = done.bonus_lines[seat]
            earned = rules.lines[paid].pays if paid >= 0 else 0
            sunk = rules.ante + rules.play_bet * bool(self.completed[seat])
            pot.append(done.net[seat] + sunk - earned)
            bonus.append(earned if seat in self.waiting else 0)
        return pot, bonus

    def after_draw(self, turn, script, draws):
        left = [c for c in self.stub if all(c not in three for three in draws)]
        values = [self.value(turn + 1, script, [*draws, three]) for three in combinations(left, 3)]
        return tuple(
            [sum(column) / Fraction(len(values)) for column in zip(*part, strict=True)]
            for part in zip(*values, strict=True)
        )

    def choices(self, turn, script, draws):
        """Play, fold, and what the player whose turn it is compares."""
        seat = self.waiting[turn]
        play = self.after_draw(turn, script | {seat: True}, draws)
        fold = self.value(turn + 1, script | {seat: False}, draws)
        return play, fold, self.worth(seat, play) - self.worth(seat, fold)

    def worth(self, seat, value):
        pot, bonus = value
        return {
            "individual": pot[seat] + bonus[seat],
            "collective": sum(pot) + sum(bonus),
            "collective_pot_only": sum(pot),
        }[self.strategy]

    def value(self, turn, script, draws):
        if turn == len(self.waiting):
            return self.play_out(script, draws)
        gone = [s for s in self.order if self.folded[s] or script.get(s) is False]
        out = class_of(self.dealer) >= self.rules.kickout_class
        if out and len(gone) == self.rules.players - 1 and self.rules.last_hand != "may_play":
            if self.rules.last_hand == "none":
                return self.value(turn + 1, script, draws)
            return self.after_draw(turn, script, draws)
        play, fold, gain = self.choices(turn, script, draws)
        return play if gain > 0 or (gain == 0 and self.rules.when_equal == "play") else fold

    def decide(self):
        play, fold, gain = self.choices(0, {}, [])
        best = "play" if gain > 0 or (gain == 0 and self.rules.when_equal == "play") else "fold"
        if self.strategy == "individual":
            seat = self.waiting[0]
            amounts = [pot[seat] + bonus[seat] for pot, bonus in (play, fold)]
        else:
            amounts = [sum(pot) + sum(bonus) for pot, bonus in (play, fold)]
        return [amount * self.rules.unit for amount in amounts], best


def random_rules(rng, players):
    starts = sorted(rng.sample([1500, 2500, 3800, 5000, 5900, 7000], rng.randint(0, 3)))
    pays = sorted(rng.sample(range(8), len(starts)))
    return Rules(
        players=players,
        unit=rng.choice([Fraction(1), Fraction(1, 2), Fraction(3)]),
        ante=rng.choice([1, 2, 5]),
        dealer_ante=rng.choice([0, 1, 2, 3]),
        play_bet=rng.choice([0, 1, 1, 2, 3]),
        kickout_class=rng.choice([7462, 7462, 5000, 3000, 0]),
        lines=tuple(
            Line(f"line {i}", *line) for i, line in enumerate(zip(starts, pays, strict=True))
        ),
        last_hand=rng.choice(["free", "may_play", "none"]),
        when_equal=rng.choice(["play", "fold"]),
        fair_split=False,
    )


def random_position(rng):
    """Few ranks, so that ties and equal choices come up often."""
    players = rng.choice([1, 2, 2, 2, 3, 3, 4])
    to_act = min(players, rng.choice([1, 2, 2, 2]))
    ranks = rng.sample(range(13), 8)
    deck = [card for card in range(52) if card >> 2 in ranks]
    rng.shuffle(deck)

    def take(count):
        return tuple(deck.pop() for _ in range(count))

    holes, dealer = [take(2) for _ in range(players)], take(5)
    completed, folded = [()] * players, [False] * players
    for seat in action_order(holes)[: players - to_act]:
        if rng.random() < 0.5:
            folded[seat] = True
        else:
            completed[seat] = holes[seat] + take(3)
    stub = tuple(sorted(take(rng.choice([6, 7, 8]))))
    return holes, dealer, stub, completed, folded


def test_small_stubs_against_the_referee_on_every_draw():
    rng = random.Random(1)
    kinds, changed = set(), 0
    for _ in range(100):
        holes, dealer, stub, completed, folded = random_position(rng)
        seen = {*dealer, *stub, *(c for cards in (*holes, *completed) for c in cards)}
        dead = [card for card in range(52) if card not in seen]
        drawn = random_rules(rng, len(holes))
        for strategy in STRATEGIES:
            answers = []
            for when_equal in ("play", "fold"):
                rules = dataclasses.replace(drawn, when_equal=when_equal)
                twin = Twin(rules, strategy, holes, dealer, stub, completed, folded)
                out = class_of(dealer) >= rules.kickout_class
                alone = out and sum(folded) == rules.players - 1
                state = {"completed": completed, "folded": folded, "dead": dead}
                if alone and rules.last_hand != "may_play":
                    with pytest.raises(ValueError, match="nothing to decide"):
                        decide(rules, holes, dealer, strategy=strategy, **state)
                    continue
                found = decide(rules, holes, dealer, strategy=strategy, **state)
                assert ([found.play, found.fold], found.best) == twin.decide()
                assert found.to_act == twin.waiting[0]
                assert found.value == (found.play if found.best == "play" else found.fold)
                leaders = position(rules, holes, dealer, **state).leaders
                kinds.add((strategy, len(twin.waiting), out, min(leaders, 2)))
                answers.append(found)
            changed += len(answers) == 2 and answers[0] != answers[1]
    assert changed >= 10  # positions in which when_equal matters
    for strategy in STRATEGIES:
        for to_act in (1, 2):
            assert {(strategy, to_act, True, 1), (strategy, to_act, False, 0)} <= kinds


def ties_with_two_before(**changes):
    """Two players tie on the board-like hands before two others act; nearly every draw ties."""
    rules = dataclasses.replace(
        rulebook(4), kickout_class=0, lines=(), when_equal="play", **changes
    )
    texts = ["2c 3d", "2d 3h", "2h 3s", "2s 3c"]
    holes = [parse_cards(text) for text in texts]
    order = action_order(holes)
    completed = [()] * 4
    completed[order[0]] = holes[order[0]] + parse_cards("Ac Kd Qh")
    completed[order[1]] = holes[order[1]] + parse_cards("Ad Kh Qs")
    stub = parse_cards("Ah As Kc Ks Qc Qd Jc")
    return rules, holes, parse_cards("4c 5d 6h 8s 9c"), stub, completed


@pytest.mark.parametrize("third_folds", [False, True])
@pytest.mark.parametrize("ante", [1, 2, 3, 4, 5, 6])
def test_odd_coins_go_to_those_who_acted_last(ante, third_folds):
    rules, holes, dealer, stub, completed = ties_with_two_before(ante=ante)
    folded = [False] * 4
    folded[action_order(holes)[2]] = third_folds
    seen = {*dealer, *stub, *(c for cards in (*holes, *completed) for c in cards)}
    state = {
        "completed": completed,
        "folded": folded,
        "dead": [card for card in range(52) if card not in seen],
    }
    assert position(rules, holes, dealer, **state).leaders == 2
    for strategy in STRATEGIES:
        found = decide(rules, holes, dealer, strategy=strategy, **state)
        twin = Twin(rules, strategy, holes, dealer, stub, completed, folded)
        assert ([found.play, found.fold], found.best) == twin.decide()


def test_shares():
    assert [share(7, 3, place) for place in range(3)] == [2, 2, 3]
    assert [share(8, 3, place) for place in range(3)] == [2, 3, 3]
    assert share(6, 1, 0) == 6


# --- Full deals: brute force over all pairs of completions --------------------------------------


@njit
def all_pairs(first, second, masks, dealer_class, bonus, out):
    """Per completion of the first: of the second's, all, winning, above hers, level; bonuses."""
    for i in range(first.size):
        every = wins = above = level = earned = 0
        for j in range(second.size):
            if masks[i] & masks[j]:
                continue
            every += 1
            wins += second[j] >= dealer_class
            above += second[j] > first[i]
            level += second[j] == first[i]
            earned += bonus[second[j]]
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = every, wins, above, level
        out[i, 4] = earned


def brute_force(rules, low, high, dealer):
    """Values of play for the first by strategy, from all pairs of completions."""
    stub = [card for card in range(52) if card not in (*low, *high, *dealer)]
    triples = np.array(list(combinations(stub, 3)), dtype=np.uint8)
    masks = (np.uint64(1) << triples.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    first, second = (
        evaluate_hands(np.hstack([np.tile(np.array(hole, np.uint8), (len(triples), 1)), triples]))
        for hole in (low, high)
    )
    bonus = np.array([rules.bonus(c) for c in range(7462)], dtype=np.int64)
    out = np.zeros((len(triples), 5), dtype=np.int64)
    d = class_of(dealer)
    all_pairs(first, second, masks, d, bonus, out)
    assert (out[:, 0] == 9880).all()
    bet, pot = rules.play_bet, 2 * rules.ante + rules.dealer_ante
    totals = {"collective": 0, "collective_pot_only": 0, "individual": 0}
    equal = rules.when_equal == "play"
    for mine, (every, wins, above, level, earned) in zip(first.tolist(), out.tolist(), strict=True):
        hers = every * (bonus[mine].item() - bet)
        if mine >= d:
            group = hers + every * (pot + bet) + earned
            totals["collective"] += group
            totals["collective_pot_only"] += group if equal else group - earned
            gain = (pot + 2 * bet) * above + share(pot + 2 * bet, 2, 1) * level
            gain += earned - bet * every
            own = every * (pot + bet)
            if gain > 0 or (gain == 0 and equal):
                own = (every - above - level) * (pot + 2 * bet)
                own += level * share(pot + 2 * bet, 2, 0)
            totals["individual"] += hers + own
        else:
            gain = (pot + 2 * bet) * wins - bet * every
            plays = gain > 0 or (gain == 0 and equal)
            totals["collective_pot_only"] += hers + (gain + earned if plays else 0)
            totals["collective"] += hers + max(0, gain + earned)
            totals["individual"] += hers
    pairs = comb(43, 3) * comb(40, 3)
    return {name: Fraction(total, pairs) * rules.unit for name, total in totals.items()}


def check_full_deals(seed, count):
    rng = random.Random(seed)
    rules = [rulebook(2), rulebook(2, coin="fair", when_equal="fold", ante="2", play_bet="3")]
    done = 0
    while done < count:
        cards = rng.sample(range(52), 9)
        dealer = cards[4:]
        holes = [cards[:2], cards[2:4]]
        low, high = (holes[seat] for seat in action_order(holes))
        some = rules[done % 2]
        if class_of(dealer) >= some.kickout_class:
            continue
        expected = brute_force(some, low, high, dealer)
        for strategy in STRATEGIES:
            assert decide(some, holes, dealer, strategy=strategy).play == expected[strategy]
        done += 1


def test_full_deals_by_brute_force():
    check_full_deals(1, 3)


@pytest.mark.slow
def test_many_full_deals_by_brute_force():
    check_full_deals(2, 40)


# --- Counts, amounts, errors --------------------------------------------------------------------


def test_counts_agree_with_the_odds_of_one_player():
    rng = random.Random(5)
    for _ in range(10):
        cards = rng.sample(range(52), 9)
        holes, dealer = [cards[:2], cards[2:4]], cards[4:]
        found = position(dataclasses.replace(rulebook(2), kickout_class=7462), holes, dealer)
        first, second = (holes[seat] for seat in found.waiting)
        counts = pair_counts(found, with_bonus=False)
        (wins,) = completions_at_least(first, [*dealer, *second], [class_of(dealer)])
        assert counts.first_wins == wins
        assert counts.second_plays in range(found.completions - wins + 1)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_large_amounts_stay_exact(strategy):
    deal = GOLDEN["deals"][12]
    holes = [cards_of(hand) for hand in deal["hands_lowest_first"]]
    small = rulebook(2, coin="fair")
    factor = 10**9
    large = dataclasses.replace(
        small,
        ante=small.ante * factor,
        dealer_ante=small.dealer_ante * factor,
        play_bet=small.play_bet * factor,
        lines=tuple(dataclasses.replace(line, pays=line.pays * factor) for line in small.lines),
        unit=small.unit / factor,
    )
    dealer = cards_of(deal["dealer"])
    assert decide(large, holes, dealer, strategy=strategy) == decide(
        small, holes, dealer, strategy=strategy
    )
    huge = dataclasses.replace(large, ante=10**15)
    with pytest.raises(ValueError, match="too large"):
        decide(huge, holes, dealer, strategy=strategy)


LOW, HIGH, TOP = (parse_cards(text) for text in ("2c 3d", "8c 9d", "Kc Kd"))
DEALER = parse_cards("4h 5h 7s Jd Qs")


@pytest.mark.parametrize(
    ("holes", "state", "said"),
    [
        ([LOW], {}, "1 hands for 2 players"),
        ([LOW, HIGH], {"folded": [True]}, "1 folded for 2 players"),
        ([LOW, HIGH], {"completed": [()] * 3}, "3 completed for 2 players"),
        ([LOW, HIGH + TOP], {}, "expected 2 cards, got 4"),
        ([LOW, LOW], {}, "the card 2c appears twice"),
        ([LOW, HIGH], {"dead": [LOW[0]]}, "the card 2c appears twice"),
        ([LOW, HIGH], {"dead": [60]}, "60 is not a card"),
        ([LOW, HIGH], {"folded": [True, True]}, "nobody is left to act"),
        ([LOW, HIGH], {"folded": [False, True]}, r"players\[1\] has acted before players\[0\]"),
        ([LOW, HIGH], {"completed": [LOW + TOP, ()]}, "expected 5 cards, got 4"),
        ([LOW, HIGH], {"completed": [HIGH + TOP + LOW[:1], ()]}, "lacks a card"),
        (
            [LOW, HIGH],
            {"completed": [LOW + TOP + (0 + 51,), ()], "folded": [True, False]},
            "both folded and completed",
        ),
        ([LOW, HIGH], {"strategy": "colective"}, "did you mean collective"),
        ([LOW, HIGH], {"strategy": "always_play"}, "expected one of collective"),
        (
            [LOW, HIGH],
            {"dead": [c for c in range(52) if c not in (*LOW, *HIGH, *DEALER)][5:]},
            "only 5 cards are left",
        ),
    ],
)
def test_bad_positions(holes, state, said):
    with pytest.raises(ValueError, match=said):
        decide(rulebook(2), holes, DEALER, **state)


def test_three_left_to_act_are_refused():
    with pytest.raises(ValueError, match="3 players left to act; expected at most 2"):
        decide(rulebook(3), [LOW, HIGH, TOP], DEALER)
    found = decide(rulebook(3), [LOW, HIGH, TOP], DEALER, folded=[True, False, False])
    assert found.to_act == 1


def test_a_dealer_of_four_cards_is_refused():
    with pytest.raises(CardError, match="expected 5 cards, got 4"):
        decide(rulebook(2), [LOW, HIGH], DEALER[:4])


def test_nothing_to_decide_for_the_last_hand_standing():
    four = parse_cards("Ah Ac Ad As 2h")
    holes = [LOW, HIGH]
    for last_hand, said in (("free", "three cards for the bonus"), ("none", "no cards")):
        with pytest.raises(ValueError, match=said):
            decide(rulebook(2, last_hand=last_hand), holes, four, folded=[True, False])
    found = decide(rulebook(2, last_hand="may_play"), holes, four, folded=[True, False])
    assert found.best == "play"
    assert found.fold == 3
    assert found.play > 3


def test_one_player_left_needs_no_compiler():
    code = (
        "import sys\n"
        "from ricochet_casino.games import load_paytable\n"
        "from ricochet_casino.games.ricochet_poker.two_players import decide\n"
        "found = decide(load_paytable('rulebook').rules(1), [(50, 51)], (0, 5, 10, 20, 25))\n"
        "print(found.best, 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["play", "False"]


# --- Shortened decks -----------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_shortened_deck_is_a_full_one_with_dead_cards(strategy):
    rng = random.Random(12)
    for lowest_rank in (1, 4, 7, 8):
        full = dataclasses.replace(rulebook(2), kickout_class=rng.choice([4000, 7462]))
        short = dataclasses.replace(full, lowest_rank=lowest_rank)
        dead = [card for card in range(52) if card not in short.deck]
        assert len(dead) == 4 * lowest_rank
        for _ in range(3):
            cards = rng.sample(short.deck, 9)
            deal = (cards[:2], cards[2:4]), cards[4:]
            found = decide(short, *deal, strategy=strategy)
            assert found == decide(full, *deal, dead=dead, strategy=strategy)
            assert position(short, *deal).completions == comb(43 - 4 * lowest_rank, 3)


def test_cards_that_are_not_in_the_deck_are_refused():
    rules = dataclasses.replace(rulebook(2), lowest_rank=8)
    holes, dealer = cards_pairs("Tc Td", "Jc Jd"), parse_cards("Qc Qd Kc Kd Ac")
    assert len(position(rules, holes, dealer).stub) == 11
    with pytest.raises(CardError, match="the card 9c is not in the deck, which begins with T"):
        decide(rules, cards_pairs("9c Td", "Jc Jd"), dealer)
    with pytest.raises(CardError, match="the card 2s is not in the deck"):
        decide(rules, holes, dealer, dead=parse_cards("2s"))
    with pytest.raises(CardError, match="only 5 cards are left, and the 2 left to act may draw 6"):
        decide(rules, holes, dealer, dead=parse_cards("Th Ts Jh Js Qh Qs"))


def cards_pairs(*texts):
    return [parse_cards(text) for text in texts]
