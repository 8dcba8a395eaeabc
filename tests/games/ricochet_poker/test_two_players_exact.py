"""All deals of two players: against decisions made one by one, and every deal one by one."""

import json
import random
from fractions import Fraction
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from numba import njit
from typer.testing import CliRunner

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.evaluate import evaluate_hands
from ricochet_casino.cards.partial import action_key
from ricochet_casino.cards.subsets import canonical, multiplicity_of, representatives
from ricochet_casino.cli import build_app
from ricochet_casino.config import data_folder, read_yaml
from ricochet_casino.experiment import Tally
from ricochet_casino.games import build, load_paytable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.table_arrays import terms_of, work_for
from ricochet_casino.games.ricochet_poker.table_choice_kernel import (
    group_pair_kernel,
    refresh_kernel,
)
from ricochet_casino.games.ricochet_poker.table_odds_kernel import ways_kernel
from ricochet_casino.games.ricochet_poker.two_players import decide
from ricochet_casino.games.ricochet_poker.two_players_cells import (
    COMPLETIONS,
    DEALS_PER_DEALER,
    HANDS,
    REPLIES,
    SUMS,
    ExactTable,
    dealers_of_class,
    dealers_of_hand,
    hands_of_class,
    ranks_of_pairs,
    reduced,
)
from ricochet_casino.games.ricochet_poker.two_players_exact import (
    SampledHands,
    TwoPlayersExact,
    hand_index,
)
from ricochet_casino.runs import run

PAIRS = COMPLETIONS * REPLIES
RULEBOOK = load_paytable("rulebook")
# One dealer's hand of each suit pattern; the last two are kicked out.
DEALERS = {
    "four suits": "2c 5d 9h Js 7s",
    "three suits": "Kc Kd 7h 4c 3c",
    "two suits": "Ac Ad Tc 8d 5c",
    "three and one and one": "Qc 9c 6c Kd 2h",
    "two suits and two": "Ah Jh Td 8d 2c",
    "four and one": "Kc Qc 9c 4c 2d",
    "kicked out": "Ac Ad Qh 9s 4s",
    "kicked out, one suit": "Kc Qc 9c 4c 2c",
}


def cards_of(text):
    return [4 * "23456789TJQKA".index(card[0]) + "cdhs".index(card[1]) for card in text.split()]


def paytable(**changes):
    content = RULEBOOK.model_dump(mode="json")
    content.pop("expect", None)
    return RicochetPokerPaytable.read({**content, "side_bets": None, **changes})


TABLES = {
    "rulebook": RULEBOOK,
    "fold, may play": paytable(when_equal="fold", last_hand="may_play"),
    "fold, none, high bets": paytable(
        when_equal="fold", last_hand="none", play_bet="2", bonus={"royal_flush": 50}
    ),
    "no bonus": paytable(when_equal="fold", bonus={}, ante="2", coin="fair"),
    "falling bonuses": paytable(
        bonus={"pair_of_jacks": 2, "flush": 9, "full_house": 1, "royal_flush": 0}
    ),
    "never out": paytable(
        players="2", kickout={"2": "none"}, bonus={"pair_of_twos": 1, "flush": 6}
    ),
}


def swapped(cards, a, b):
    suits = {a: b, b: a}
    return [card - (card & 3) + suits.get(card & 3, card & 3) for card in cards]


def hands_with(ranks, left):
    return [
        hole for hole in combinations(left, 2)
        if sorted((hole[0] >> 2, hole[1] >> 2), reverse=True) == list(ranks)
    ]  # fmt: skip


def deals_of(dealer, ranks, others):
    """First hand, second hand, dealer and how often; suits exchanged if the second acts first."""
    left = [card for card in range(52) if card not in dealer]
    for one in hands_with(ranks, left):
        for two in hands_with(others, [card for card in left if card not in one]):
            if ranks != others:
                yield one, two, dealer, 2
            elif action_key(one) < action_key(two):
                yield one, two, dealer, 1
            else:
                high = [max(hole) & 3 for hole in (one, two)]
                yield (*(swapped(cards, *high) for cards in (one, two, dealer)), 1)


def slow_sums(rules, dealer, ranks, others):
    """The same as a row of `ExactTable.by_ranks`, as far as decisions tell."""
    value = deals = first_folds = second_folds = 0
    for one, two, cards, times in deals_of(dealer, ranks, others):
        found = decide(rules, [one, two], cards)
        assert found.order == (0, 1)
        value += times * found.value / rules.unit * PAIRS
        deals += times
        if found.best == "fold":
            first_folds += times
            if evaluate_hands(np.array([cards]))[0] < rules.kickout_class:
                answer = decide(rules, [one, two], cards, folded=[True, False])
                second_folds += times * COMPLETIONS * (answer.best == "fold")
    return value, deals, first_folds, second_folds


def some_ranks(rng, dealer, number):
    """Ranks of first and second hands; the suited and the level ones are not left to chance."""
    pairs = [tuple(ranks) for ranks in ranks_of_pairs().tolist()]
    found = []
    while len(found) < number:
        two = sorted(rng.sample(pairs, 2), key=lambda ranks: (ranks[0] == ranks[1], *ranks))
        if len(found) == number - 1:
            two[1] = two[0]
        if next(deals_of(dealer, *two), None):
            found.append(two)
    return found


def row(table, dealer, ranks, others):
    pairs = [tuple(pair) for pair in ranks_of_pairs().tolist()]
    place = pairs.index(tuple(ranks)), pairs.index(tuple(others))
    wanted = np.zeros((len(pairs), len(pairs)), dtype=np.bool_)
    wanted[place] = True
    found = table.by_ranks(dealers_of_hand(hand_index(dealer)), wanted)
    assert found.sum() == found[place].sum()
    return dict(zip(SUMS, found[place].tolist(), strict=True))


@pytest.mark.parametrize("dealer", DEALERS.values(), ids=DEALERS)
def test_deals_of_given_ranks_are_worth_their_decisions(dealer):
    dealer = list(canonical(cards_of(dealer)))
    rules, rng = RULEBOOK.rules(2), random.Random(f"ranks {dealer}")
    table = ExactTable(rules)
    for ranks, others in some_ranks(rng, dealer, 2):
        found = row(table, dealer, ranks, others)
        value, deals, folds, _ = slow_sums(rules, dealer, ranks, others)
        assert (found["value"], found["deals"], found["first_folds"]) == (value, deals, folds)


@pytest.mark.parametrize("name", TABLES)
def test_settings(name):
    rules, rng = reduced(TABLES[name].rules(2)), random.Random(f"settings {name}")
    table = ExactTable(rules)
    dealers = ["Kc Kd 7h 4c 3c", "Ac Ad Qh 9s 4s", "Kc Qc 9c 4c 2c"]
    for text in dealers[: 3 if name == "never out" else 2]:
        dealer = list(canonical(cards_of(text)))
        for ranks, others in some_ranks(rng, dealer, 2):
            found = row(table, dealer, ranks, others)
            value, deals, folds, seconds = slow_sums(rules, dealer, ranks, others)
            assert (found["value"], found["deals"], found["first_folds"]) == (value, deals, folds)
            if folds == deals:
                assert found["second_folds"] == seconds


@njit
def plain_kernel(deals, left, keys, to_reach, game, work, out):
    """Deals one by one through the compiled decision of tables (8.3, 9.1); fills `out`."""
    pot, bet = 2 * game.ante + game.dealer_ante, game.play_bet
    for deal in deals:
        work.left[:], work.suits[:] = 0, 0
        for card in left:
            if card not in deal:
                work.left[card >> 2] += 1
                work.suits[card & 3] |= 1 << (card >> 2)
        ways_kernel(work)
        level = min(deal[:2] >> 2) == min(deal[2:] >> 2) and max(deal[:2] >> 2) == max(
            deal[2:] >> 2
        )
        first = 0 if keys[deal[0], deal[1]] < keys[deal[2], deal[3]] else 2
        for turn in range(2 if level else 1):  # hands of equal ranks in both orders
            times = 1 if level else 2
            for place in range(2):
                at = (first + 2 * turn + 2 * place) % 4
                a, b = deal[at], deal[at + 1]
                high, low = max(a, b) >> 2, min(a, b) >> 2
                work.holes[place, 0] = high * (high + 1) // 2 + low
                work.holes[place, 1] = a & 3 if a & 3 == b & 3 else -1
            refresh_kernel(0, to_reach, game, work)
            plays = group_pair_kernel(0, 43, pot, to_reach, game, True, work) >= 0
            wins, answers, won = work.out[0], work.out[1], work.out[2]
            reach, extra = work.odds[1, 0], work.odds[1, 2]
            out[0] += times * work.worth[0 if plays else 1]
            out[1] += times
            if plays:
                # With the dealer beaten he always draws: under the rulebook that is never worse.
                out[3] += times * (COMPLETIONS - wins - answers)
                out[4] += times * (wins * REPLIES + won)
                out[5] += times * ((COMPLETIONS - wins + answers) * REPLIES - 2 * won)
            else:
                out[2] += times
                if reach * (pot + bet) - bet * COMPLETIONS + extra >= 0:
                    out[4] += times * reach * REPLIES
                    out[5] += times * (COMPLETIONS - reach) * REPLIES
                else:
                    out[3] += times * COMPLETIONS


def plain_sums(dealer, deals):
    """`SUMS` over deals (four cards a row) under the rulebook, a dealer who stands."""
    rules = RULEBOOK.rules(2)
    work, out = work_for(rules, ("collective",) * 2), np.zeros(len(SUMS), dtype=np.int64)
    work.size = 43
    keys = np.array([[action_key((a, b)) if a != b else 0 for b in range(52)] for a in range(52)])
    left = np.array([card for card in range(52) if card not in dealer])
    to_reach = int(evaluate_hands(np.array([dealer]))[0])
    plain_kernel(np.array(deals), left, keys, to_reach, terms_of(rules), work, out)
    return dict(zip(SUMS, out.tolist(), strict=True))


def test_sums_of_given_ranks_against_single_deals():
    rng = random.Random(5)
    for text in list(DEALERS.values())[1:4]:
        dealer = list(canonical(cards_of(text)))
        left = [card for card in range(52) if card not in dealer]
        for ranks, others in some_ranks(rng, dealer, 2):
            deals = {
                tuple(sorted((one, two)))
                for one in hands_with(ranks, left)
                for two in hands_with(others, left)
                if not set(one) & set(two)
            }
            want = plain_sums(dealer, [one + two for one, two in sorted(deals)])
            assert row(ExactTable(RULEBOOK.rules(2)), dealer, ranks, others) == want


@pytest.mark.slow
@pytest.mark.parametrize("text", list(DEALERS.values())[:6], ids=list(DEALERS)[:6])
def test_a_hand_equals_all_its_deals_one_by_one(text):
    dealer = list(canonical(cards_of(text)))
    holes = list(combinations([card for card in range(52) if card not in dealer], 2))
    deals = [one + two for one, two in combinations(holes, 2) if not set(one) & set(two)]
    assert len(deals) == DEALS_PER_DEALER
    want = plain_sums(dealer, deals)
    assert ExactTable(RULEBOOK.rules(2)).sums(dealers_of_hand(hand_index(dealer))) == want


@pytest.mark.parametrize(
    ("one", "two"), [("Ac 7d", "Ad 7h"), ("As 7s", "Ad 7c"), ("9c 9s", "9d 9h"), ("Kh 4h", "Ks 4s")]
)
def test_the_order_of_action_is_even_over_exchanges_of_suits(one, two):
    """For equal ranks; that is why both orders count half."""
    one, two = cards_of(one), cards_of(two)
    first = [
        action_key([card - (card & 3) + suits[card & 3] for card in one])
        < action_key([card - (card & 3) + suits[card & 3] for card in two])
        for suits in permutations(range(4))
    ]
    assert first.count(True) == first.count(False) == 12


@pytest.mark.parametrize("hand_class", [900, 3100, 4100, 5000, 7455])
def test_a_class_equals_its_hands(hand_class):
    """On a random part of the deals, the same for all hands."""
    table, dealers = ExactTable(RULEBOOK.rules(2)), dealers_of_class(hand_class)
    wanted = np.random.default_rng(hand_class).random((91, 91)) < 0.02
    total = sum(
        times * table.by_ranks(dealers_of_hand(place), wanted)
        for place, times in zip(dealers.places, dealers.times, strict=True)
    )
    found = table.by_ranks(dealers, wanted)
    assert found[..., 1].sum() > 0
    assert (found == total).all()


def test_every_hand_is_in_one_class():
    cards, multiplicity = representatives(5)
    assert len(cards) == 134_459
    assert multiplicity.sum() == HANDS == comb(52, 5)
    places = [place for number in range(N_CLASSES) for place in hands_of_class(number)]
    assert sorted(places) == list(range(len(cards)))
    assert sum(dealers_of_class(number).total for number in range(N_CLASSES)) == HANDS


def test_the_plan_says_what_the_run_is():
    plan = read_yaml(data_folder("configs") / "two_players_exact.yaml").data
    experiment = TwoPlayersExact(load_paytable(plan["paytable"]))
    numbers = {name: int(str(plan[name]).replace("_", "")) for name in (
        "dealer_hands", "dealer_hands_up_to_suits", "classes", "classes_in_which_she_stands",
        "shards_per_block", "blocks",
    )}  # fmt: skip
    assert list(numbers.values()) == [
        HANDS, len(representatives(5)[0]), len(experiment.shards()), experiment.rules.kickout_class,
        experiment.block_shards, -(-len(experiment.shards()) // experiment.block_shards),
    ]  # fmt: skip
    assert experiment.spec()["experiment"] == plan["experiment"]


def test_the_sample_draws_hands_by_their_number():
    sample = SampledHands(2000, 3)
    places = sample.indices()
    assert places == SampledHands(3000, 3).indices()[:2000]
    cards, multiplicity = representatives(5)
    assert all(hand_index(cards[place]) == place for place in places[:50])
    assert multiplicity_of(cards[places[0]].tolist()) == multiplicity[places[0]]
    # Hands of four suits, whose classes are the largest, are drawn as often as they are dealt.
    many = np.count_nonzero(multiplicity[places] == 24)
    chance = 24 * np.count_nonzero(multiplicity == 24) / HANDS
    assert abs(many - 2000 * chance) < 5 * (2000 * chance * (1 - chance)) ** 0.5


def hands_for_a_run():
    return [hand_index(cards_of(DEALERS[name])) for name in ("kicked out", "three suits")]


def test_runs_do_not_depend_on_workers_and_can_be_written_down():
    experiment = TwoPlayersExact(RULEBOOK, hands_for_a_run())
    assert experiment.spec() == build(json.loads(json.dumps(experiment.spec()))).spec()
    one = run(experiment)
    assert one == run(build(experiment.spec()), workers=2)
    assert one.method == "exact"
    assert [hand["kicked_out"] for hand in one.entry["hands"]].count(True) == 1


def test_specifications():
    for hands in ("all", SampledHands(3, 9), [5, 7]):
        experiment = TwoPlayersExact(RULEBOOK, hands)
        again = build(json.loads(json.dumps(experiment.spec())))
        assert again.spec() == experiment.spec()
        assert [s.key for s in again.shards()] == [s.key for s in experiment.shards()]
    assert len(TwoPlayersExact(RULEBOOK).shards()) == N_CLASSES
    for hands, text in (([], "no hands"), ([134_459], "numbered"), ("some", "a sample or a list")):
        with pytest.raises(ValueError, match=text):
            TwoPlayersExact(RULEBOOK, hands)
    with pytest.raises(ValueError, match="hands must be 1"):
        SampledHands(0, 1)
    with pytest.raises(ValueError, match="seed"):
        SampledHands(1, -1)
    parameters = TwoPlayersExact(RULEBOOK).spec()["parameters"]
    with pytest.raises(ValueError, match="unknown parameter hand"):
        TwoPlayersExact.from_parameters({**parameters, "hand": 1})
    with pytest.raises(ValueError, match="number and seed"):
        TwoPlayersExact.from_parameters({**parameters, "hands": {"number": 1}})
    with pytest.raises(ValueError, match="64 bits"):
        TwoPlayersExact(paytable(ante="997", play_bet="991"))


def test_a_sample_reports_its_hands_and_an_interval():
    experiment = TwoPlayersExact(RULEBOOK, SampledHands(3, 4))
    tallies = [experiment.run(shard) for shard in experiment.shards()]
    result = experiment.result(Tally.total(tallies))
    assert result.method == "sampled"
    hands = result.entry["hands"]
    evs = {hand["place"]: Fraction(hand["ev_per_ante"]["fraction"]) for hand in hands}
    mean = sum(evs[place] for place in experiment.drawn()) / 3
    assert Fraction(result.entry["ev_per_ante"]["decimal"]) == pytest.approx(mean, abs=1e-12)
    low, high = map(Fraction, result.entry["ev_per_ante"]["interval"])
    bounds = [bound / 2 for bound in experiment.net_bounds()]
    rounding = Fraction(1, 10**12)
    assert bounds[0] - rounding <= low < mean < high <= bounds[1] + rounding
    with pytest.raises(ValueError, match="lacks"):
        experiment.result(Tally.total(tallies[1:]))


def test_kicked_out_dealers_bring_the_pot_and_the_mean_bonus():
    """Whoever draws ends with five random cards of the 47 that she leaves."""
    rules, dealer = RULEBOOK.rules(2), cards_of(DEALERS["kicked out"])
    found = ExactTable(rules).sums(dealers_of_hand(hand_index(dealer)))
    left = np.array([card for card in range(52) if card not in canonical(dealer)], dtype=np.uint8)
    fives = np.array(list(combinations(left.tolist(), 5)), dtype=np.uint8)
    numbers = np.bincount(evaluate_hands(fives), minlength=N_CLASSES)
    bonus = sum(rules.bonus(c) * int(n) for c, n in enumerate(numbers) if n)
    want = 3 + Fraction(2 * bonus, comb(47, 5))
    assert Fraction(found["value"], found["deals"] * PAIRS) == want
    assert found["beaten"] == found["bets_lost"] == found["first_folds"] == 0


def test_the_command_prints_hands_and_an_estimate(tmp_path):
    runner = CliRunner()
    words = ["two-players", "rulebook", "--hands", "2", "--store", str(tmp_path / "run")]
    done = runner.invoke(build_app(), words)
    assert done.exit_code == 0, done.output
    assert "hands drawn: 2" in done.output
    assert "RTP per ante" in done.output
    again = runner.invoke(build_app(), [*words, "--resume", "--format", "json"])
    assert again.exit_code == 0, again.output
    printed = json.loads(next(line for line in again.output.splitlines() if line[:1] == "{"))
    assert printed["entry"]["sampled"] == 2
    assert runner.invoke(build_app(), [*words[:2], "--format", "xml"]).exit_code == 2
