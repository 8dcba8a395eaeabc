"""The compiled rounds against the referee, event for event, and the simulation as an experiment."""

import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from ricochet_casino.cards.classes import classes
from ricochet_casino.cards.deck import CardError
from ricochet_casino.cards.shuffle import deals
from ricochet_casino.experiment import MOST_DEALS, DealBlocks, Experiment, Shard, Tally
from ricochet_casino.games import build, load_paytable
from ricochet_casino.games.ricochet_poker.deals import (
    TOTAL_DEALS,
    cells,
    class_deals,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.round import Kind
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.simulation import (
    BLOCK,
    STREAM,
    Simulation,
    play_decks,
)
from ricochet_casino.games.ricochet_poker.simulation_figures import player_bounds, table_bounds
from ricochet_casino.games.ricochet_poker.simulation_tables import (
    ACTIONS,
    decision_table,
    is_solved,
)
from ricochet_casino.games.ricochet_poker.solo import Solo, SoloPolicy
from ricochet_casino.games.ricochet_poker.solo_check import outcome_name
from ricochet_casino.games.ricochet_poker.solo_policies import PolicyTable
from ricochet_casino.games.ricochet_poker.strategy import POLICIES, is_pair_or_big
from ricochet_casino.paytable import PaytableError
from ricochet_casino.runs import run
from ricochet_casino.stats.checks import chi_square

EVERY_COUNT = range(1, 8)
FIXED = tuple(name for name in POLICIES if not is_solved(name))
RULEBOOK_KICKOUT = {1: "KKQ", 2: "AAQ", 3: "TTxx", 4: "AAxx", 5: "222", 6: "QQQ", 7: "A2345"}
BONUSES = [
    {},
    {"straight": 2, "flush": 5, "full_house": 10, "four_of_a_kind": 25, "straight_flush": 100,
     "royal_flush": 1000},
    {"pair_of_twos": 1, "two_pair": 0, "straight": 8, "royal_flush": 0},
    {"pair_of_jacks": 3, "three_of_a_kind": 1},
]  # fmt: skip


def paytable(name="rulebook", **changes):
    content = load_paytable(name).model_dump(mode="json")
    content.pop("expect", None)
    return RicochetPokerPaytable.read({**content, "side_bets": None, **changes})


# --- Rounds against the referee ------------------------------------------------------------------


LAST_HANDS = ("free", "may_play", "none")


def random_rules(rng, players, batch):
    """Rules of every kind: coins, amounts of several chips, bonus lines; by batch the others."""
    coin = rng.choice(["1", "1/2", "fair"])
    parts = 1 if coin == "1" else 2
    amounts = [str(Fraction(rng.randint(1, 6 * parts), parts)) for _ in range(3)]
    kickout = ("75432", RULEBOOK_KICKOUT[players], "none", "KKxx")[batch // 3 % 4]
    return paytable(
        coin=coin,
        ante=amounts[0],
        dealer_ante=amounts[1],
        play_bet=amounts[2],
        last_hand=LAST_HANDS[batch % 3],
        when_equal=rng.choice(["play", "fold"]),
        bonus_on=rng.choice(["play_bet", "ante"]),
        kickout={str(players): kickout},
        players=[players],
        bonus={name: str(2 * pays) for name, pays in rng.choice(BONUSES).items()},
    ).rules(players)


def level_deck(rng, players):
    """A deck that makes ties likely: some players, or the dealer too, get the same five ranks."""
    ranks = rng.sample(range(13), 5)
    if rng.random() < 0.3:
        low = rng.randrange(9)
        ranks = rng.sample(range(low, low + 5), 5)
    suits = {rank: rng.sample(range(4), 4) for rank in ranks}

    def some_of(these):
        return [4 * rank + suits[rank].pop() for rank in these]

    dealer = some_of(ranks) if players == 1 or rng.random() < 0.4 else []
    level = rng.sample(range(players), min(players, rng.randint(2, 4 - bool(dealer))))
    taken = {seat: some_of(ranks[:2]) for seat in level}
    stub = [card for _ in level for card in some_of(ranks[2:])]
    used = {card for cards in taken.values() for card in cards} | set(stub) | set(dealer)
    rest = [card for card in range(52) if card not in used]
    rng.shuffle(rest)
    holes = [taken.get(seat) or [rest.pop(), rest.pop()] for seat in range(players)]
    dealer = dealer or [rest.pop() for _ in range(5)]
    return [card for hole in holes for card in hole] + dealer + stub + rest


def random_deck(rng, players):
    if rng.random() < 0.5:
        return level_deck(rng, players)
    return rng.sample(range(52), 52)


def referee_policy(rules, strategy):
    return POLICIES.get(strategy) or SoloPolicy(rules, strategy)


def referee_counts(rules, rounds):
    """The tally of refereed rounds, by its documented names."""
    counts = Counter({"rounds": len(rounds)})
    for played in rounds:
        counts["dealer.kickouts"] += played.kicked_out
        counts["dealer.wins"] += played.dealer_wins
        counts["dealer.net"] += played.dealer_net
        counts[f"table.fold.{played.actions.count('fold')}"] += 1
        counts[f"table.play.{played.actions.count('play')}"] += 1
        shares = sum(share > 0 for share in played.shares)
        counts[f"table.win.{shares}"] += 1
        for label, net in (*enumerate(played.net, 1), ("table", sum(played.net))):
            name = label if label == "table" else f"seat{label}"
            counts[f"{name}.net"] += net
            counts[f"{name}.net_squares"] += net**2
        for seat in range(rules.players):
            name = f"seat{seat + 1}"
            counts[f"{name}.{played.actions[seat].replace(' ', '_')}"] += 1
            counts[f"{name}.bets"] += played.bets[seat]
            counts["table.bets"] += played.bets[seat]
            if played.shares[seat]:
                counts[f"{name}.{'split' if shares > 1 else 'win_alone'}"] += 1
            line = played.bonus_lines[seat]
            counts[f"{name}.bonus.{rules.lines[line].name if line >= 0 else 'none'}"] += 1
        if rules.players == 1:
            counts[f"seen.{outcome_name(played, rules.lines)}"] += 1
    return dict(counts)


def compare_with_the_referee(rng, players, number, rules, strategies):
    """Play the same decks twice and compare everything; returns the referee's rounds."""
    policies = [referee_policy(rules, strategy) for strategy in strategies]
    decks = [random_deck(rng, players) for _ in range(number)]
    fast = play_decks(rules, strategies, np.array(decks, dtype=np.uint8), record=True)
    slow = [play_round(rules, deck, policies) for deck in decks]
    rounds = fast.rounds

    def by_seat(array):
        return array.reshape(number, players).tolist()

    for index, played in enumerate(slow):
        assert fast.events[index] == played.events, (rules, strategies, decks[index])
    assert by_seat(rounds.nets) == [list(played.net) for played in slow]
    assert by_seat(rounds.order) == [list(played.order) for played in slow]
    assert by_seat(rounds.classes) == [list(played.classes) for played in slow]
    assert rounds.dealer_class.tolist() == [played.dealer_class for played in slow]
    assert [[ACTIONS[action] for action in row] for row in by_seat(rounds.actions)] == [
        list(played.actions) for played in slow
    ]
    assert by_seat(rounds.lines) == [[line + 1 for line in p.bonus_lines] for p in slow]
    assert by_seat(rounds.winners) == [[int(share > 0) for share in p.shares] for p in slow]
    expected = referee_counts(rules, slow)
    assert {name: count for name, count in fast.tally.counts.items() if count} == {
        name: count for name, count in expected.items() if count
    }
    for (low, high), nets in (
        (player_bounds(rules), [net for played in slow for net in played.net]),
        (table_bounds(rules), [sum(played.net) for played in slow]),
    ):
        assert low <= min(nets) <= max(nets) <= high
    return slow


def compare_many(players, batches, per_batch, solved=()):
    rng = random.Random(players)
    seen = Counter()
    for batch in range(batches):
        rules = random_rules(rng, players, batch)
        strategies = [rng.choice(FIXED) for _ in range(players)]
        if batch // 12 % 2:  # or there would hardly ever be a last hand
            strategies = ["always_fold"] * players
            strategies[rng.randrange(players)] = rng.choice(FIXED)
        if batch in solved:
            strategies = [("collective", "collective_pot_only", "pot_odds")[batch // 2 % 3]]
        for played in compare_with_the_referee(rng, players, per_batch, rules, strategies):
            for event in played.events:
                seen[event.kind] += 1
                seen[event.detail] += event.kind in (Kind.ACT, Kind.COMPLETION)
                seen["odd coins"] += event.odd_chips
            if not played.kicked_out:
                seen["ties with the dealer"] += played.dealer_class in played.classes
    expected = {kind for kind in Kind if kind not in (Kind.SIDE_BET, Kind.SPLIT)}
    expected |= {"fold", "play", "decline", "free", "ties with the dealer"}
    if players > 1:
        expected |= {Kind.SPLIT, "odd coins"}
    assert {what for what in expected if seen[what] == 0} == set(), "nothing must go untested"
    return seen


@pytest.mark.parametrize("players", EVERY_COUNT)
def test_rounds_are_the_referees_event_for_event(players):
    compare_many(players, batches=48, per_batch=42, solved=(1, 3, 4, 7) if players == 1 else ())


@pytest.mark.slow
@pytest.mark.parametrize("players", EVERY_COUNT)
def test_a_hundred_thousand_rounds_are_the_referees_event_for_event(players):
    solved = range(1, 160, 4) if players == 1 else ()
    compare_many(players, batches=400, per_batch=250, solved=solved)


def test_every_deal_of_a_simulation_is_the_referees():
    """The whole way, shuffle included: the tally of a shard against refereed deals."""
    for players, strategies in ((1, "pairs_and_big_cards"), (4, "always_play"), (7, list(FIXED))):
        named = strategies if isinstance(strategies, str) else [*FIXED, *FIXED, FIXED[0]]
        simulation = Simulation(paytable(), players, named, 5000, 99)
        found = simulation.run(Shard("100", [100, 700]))
        policies = [POLICIES[name] for name in simulation.names]
        decks = deals(99, STREAM, 100, 700).tolist()
        slow = [play_round(simulation.rules, deck, policies) for deck in decks]
        expected = referee_counts(simulation.rules, slow)
        assert {name: n for name, n in found.counts.items() if n} == {
            name: n for name, n in expected.items() if n
        }


# --- Solved decisions ----------------------------------------------------------------------------


def dealt_to(rng, hand, hand_class):
    """A deck in which the player holds the hand and the dealer the class, in random suits."""
    while True:
        names = rng.sample(range(4), 4)
        hole = [4 * (card >> 2) + names[card & 3] for card in hand.cards]
        dealer, used = [], set(hole)
        suit = rng.randrange(4)
        for rank in classes()[hand_class].ranks:
            free = [4 * rank + s for s in range(4) if 4 * rank + s not in used]
            if classes()[hand_class].suited:
                free = [card for card in free if card & 3 == suit]
            if not free:
                break
            dealer.append(rng.choice(free))
            used.add(dealer[-1])
        one_suit = len({card & 3 for card in dealer}) == 1
        if len(dealer) == 5 and one_suit == classes()[hand_class].suited:
            rest = [card for card in range(52) if card not in used]
            return hole + rng.sample(dealer, 5) + rng.sample(rest, 3)


def test_decisions_in_mixed_classes_are_those_of_the_solved_policy():
    """Where the dealer's suits decide: about 0.5 % of deals, so they are built on purpose."""
    rules = paytable().rules(1)
    table = decision_table(rules, "collective").reshape(169, -1)
    mixed = np.argwhere((table != 0) & (table != 0xFFFFFFFF)).tolist()
    hands = {starting_hands()[row].name for row, _ in mixed}
    assert len(mixed) > 1000
    assert all(name.endswith("s") for name in hands)
    rng = random.Random(4)
    chosen = rng.sample(mixed, 1000)
    decks = [dealt_to(rng, starting_hands()[row], hand_class) for row, hand_class in chosen]
    fast = play_decks(rules, "collective", decks)
    policy = SoloPolicy(rules, "collective")
    slow = [play_round(rules, deck, policy, record=False).actions[0] for deck in decks]
    assert [ACTIONS[action] for action in fast.rounds.actions] == slow
    assert min(Counter(slow)["play"], Counter(slow)["fold"]) > 200


def made_up_policy(mixed=False):
    """Play 300 cells, fold 300, and so on; for mixed, half of a cell somewhere."""
    counts = {}
    for hand in starting_hands():
        found = cells(hand).deals.astype(np.int64)
        found[np.arange(len(found)) // 300 % 2 == 1] = 0
        counts[hand.name] = found
    if mixed:
        counts["AKs"][1] = 1
        assert cells(starting_hands()[1]).deals[1] > 1
    return PolicyTable("made_up", counts)


def test_a_policy_table_is_played_as_the_referee_plays_it():
    policy = made_up_policy()
    rules = paytable(last_hand="may_play").rules(1)
    compare_with_the_referee(random.Random(5), 1, 300, rules, [policy])
    simulation = Simulation(paytable(), 1, policy, 1000, 1)
    again = build(json.loads(json.dumps(simulation.spec())))
    assert again.names == ("made_up",)
    assert again.spec() == simulation.spec()


def test_a_mixed_policy_table_is_refused():
    with pytest.raises(ValueError, match="plays some deals of a cell and folds others"):
        play_decks(paytable().rules(1), made_up_policy(mixed=True), np.arange(10)[None])


def test_pairs_and_big_cards_folds_the_hands_that_it_says():
    """Exact: the weak hands against all dealers below the kickout, counted by class."""
    solo = Solo(paytable(), "pairs_and_big_cards")
    entry = run(solo).entry
    weak = [hand for hand in starting_hands() if hand.high < 9 and hand.high != hand.low]
    assert sum(hand.deals for hand in weak) == 36 * 16
    kickout = solo.rules.kickout_class
    folded = sum(hand.deals * int(class_deals(hand)[:kickout].sum()) for hand in weak)
    assert entry["counts"]["fold_deals"] == folded
    assert sum(is_pair_or_big(hand.cards) for hand in starting_hands()) == 169 - len(weak)


def test_pairs_and_big_cards_takes_cards_that_cost_nothing():
    """The only hand that it looks at more than its cards for: the last one under may_play."""
    rules = paytable(last_hand="may_play", kickout={"1": "75432"}, players=[1]).rules(1)
    deck = [0, 5, *range(8, 52)]
    assert play_round(rules, deck, POLICIES["pairs_and_big_cards"]).actions == ("play",)
    assert play_decks(rules, "pairs_and_big_cards", [deck]).tally.counts["seat1.play"] == 1


# --- Against the exact distribution --------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["collective", "always_play", "pairs_and_big_cards"])
def test_two_million_rounds_fit_the_exact_distribution(strategy):
    table = paytable()
    exact = run(Solo(table, strategy)).entry
    found = run(Simulation(table, 1, strategy, 2 * BLOCK, 20_261_130)).entry
    assert sum(found["outcomes"].values()) == 2 * BLOCK
    chances = {row["outcome"]: Fraction(row["probability"]["exact"]) for row in exact["par_sheet"]}
    test = chi_square(found["outcomes"], chances)
    assert test.degrees >= 10
    assert test.p_value > 1e-4
    for name in (
        "ev_per_ante", "rtp_per_ante", "house_edge", "average_bet", "fold_frequency",
        "play_frequency", "win_frequency", "kickout_frequency", "sd_per_round",
    ):  # fmt: skip
        low, high = (Fraction(end) for end in found[name]["interval"])
        assert low <= Fraction(exact[name]["decimal"]) <= high, name
        assert low <= Fraction(found[name]["decimal"]) <= high, name
    weight = exact["counts"]["kickout_deals"]
    assert abs(found["counts"]["kickouts"] - 2 * BLOCK * weight / TOTAL_DEALS) < 4 * BLOCK**0.5


# --- The experiment ------------------------------------------------------------------------------


def test_the_total_does_not_depend_on_the_order_of_blocks_or_on_threads():
    rounds = 2 * BLOCK + 12_345
    simulation = Simulation(paytable(), 3, "always_play", rounds, 7)
    shards = list(simulation.shards())
    assert [shard.data[1] for shard in shards] == [BLOCK, BLOCK, 12_345]
    tallies = {shard.key: simulation.run(shard) for shard in reversed(shards)}
    expected = Tally.total(tallies[shard.key] for shard in shards)
    assert Tally.total(tallies.values()).counts == expected.counts
    fresh = build(simulation.spec())
    with ThreadPoolExecutor(3) as pool:  # all of them need the tables at once
        assert [t.digest() for t in pool.map(fresh.run, shards)] == [
            tallies[shard.key].digest() for shard in shards
        ]
    assert simulation.result(expected).entry == run(fresh, workers=2).entry


def test_a_block_may_be_cut_anywhere():
    simulation = Simulation(paytable(), 2, ["always_play", "pairs_and_big_cards"], 10**6, 3)
    whole = simulation.run(Shard("0", [0, 300_000]))
    places = [0, 1, 255, 256, 300, 131_072, 262_144, 262_145, 300_000]
    parts = [simulation.run(Shard(f"{a}", [a, b - a])) for a, b in pairwise(places)]
    assert Tally.total(parts) == whole


def test_shards_are_made_when_asked_for():
    shards = Simulation(paytable(), 1, "always_play", MOST_DEALS, 0).shards()
    assert len(shards) == -(-MOST_DEALS // BLOCK) > 9_000_000
    assert shards[0] == Shard("0", [0, BLOCK])
    assert shards[-1].data[0] + shards[-1].data[1] == MOST_DEALS
    assert shards[3:5] == [shards[3], shards[4]]
    assert shards[4].data[0] == 4 * BLOCK
    with pytest.raises(IndexError):
        shards[len(shards)]
    assert list(DealBlocks(BLOCK + 1, BLOCK)) == [
        Shard("0", [0, BLOCK]),
        Shard(str(BLOCK), [BLOCK, 1]),
    ]


def test_it_is_an_experiment_that_can_be_made_again():
    for strategies in ("always_fold", ["always_fold", "always_play"]):
        simulation = Simulation(paytable(), 2, strategies, 10**13, 2**64 - 1)
        assert isinstance(simulation, Experiment)
        assert simulation.prefers == "threads"
        spec = json.loads(json.dumps(simulation.spec()))
        assert spec["parameters"]["strategies"] == strategies
        assert build(spec).spec() == simulation.spec()
    same = Simulation(paytable(), 2, ["always_fold"] * 2, 10, 1)
    assert same.spec() == Simulation(paytable(), 2, "always_fold", 10, 1).spec()


def test_seeds_and_streams_give_other_rounds():
    tallies = {
        Simulation(paytable(), 1, "always_play", 1000, seed).run(Shard("0", [0, 1000])).digest()
        for seed in (0, 1, 2**64 - 1)
    }
    assert len(tallies) == 3


# --- Sums and figures ----------------------------------------------------------------------------


def test_sums_of_the_largest_legal_amounts_do_not_overflow():
    """All amounts near the limit of 10^12 units: every sum is the small one, scaled."""
    for players, coin, small, large in (
        (1, "1/1000", "1/1000", "1000000000"),
        (7, "fair", "1/3", "2000000000/3"),
    ):
        one, many = (
            Simulation(
                paytable(
                    coin=coin, ante=amount, dealer_ante=amount, play_bet=amount,
                    bonus={"straight": "1", "royal_flush": "1"},
                ),
                players, "always_play", BLOCK, 11,
            )
            for amount in (small, large)
        )  # fmt: skip
        factor = Fraction(many.rules.ante, one.rules.ante)
        assert many.rules.ante > 8 * 10**11
        shard = one.shards()[0]
        counts, scaled = one.run(shard).counts, many.run(shard).counts
        assert counts.keys() == scaled.keys()
        for name, number in counts.items():
            power = 2 if "squares" in name else 1 if name.endswith((".net", ".bets")) else 0
            assert scaled[name] == number * factor**power, name
        assert scaled["table.net_squares"] > 2**64
        assert run(many).entry["ev_per_ante"] == run(one).entry["ev_per_ante"]


def test_sums_at_the_limit_are_the_referees():
    """The same without scaling: odd units, and net results near the bounds, in Python integers."""
    rules = replace(
        paytable(kickout={"7": "none"}, players=[7]).rules(7),
        ante=10**12 - 1, dealer_ante=10**12, play_bet=10**12 - 3,
    )  # fmt: skip
    rules = replace(rules, lines=tuple(replace(line, pays=10**12) for line in rules.lines))
    slow = compare_with_the_referee(random.Random(1), 7, 200, rules, ["always_play"] * 7)
    assert max(net for played in slow for net in played.net) > 12 * 10**12


def test_amounts_whose_sums_could_overflow_are_refused():
    rules = replace(paytable().rules(2), ante=10**14)
    with pytest.raises(ValueError, match="too large to be summed up"):
        play_decks(rules, "always_play", np.arange(20)[None])


def test_bounds_of_the_results_follow_from_the_rules():
    one, seven = paytable().rules(1), paytable().rules(7)
    assert player_bounds(one) == (-2, 1001)
    assert table_bounds(one) == (-2, 1001)
    assert player_bounds(seven) == (-2, 12 + 1 + 1000)
    assert table_bounds(seven) == (-14, 1 + 4 * 1000 + 3 * 100)
    no_bonus = replace(seven, lines=())
    assert (player_bounds(no_bonus), table_bounds(no_bonus)) == ((-2, 13), (-14, 1))
    odd = paytable(bonus={"straight": 9, "royal_flush": 4}).rules(7)
    assert table_bounds(odd) == (-14, 1 + 7 * 9)


def test_bounds_are_reached():
    """Two players: one wins everything with a royal flush; the dealer wins everything."""
    rules = paytable(kickout={"2": "none"}, players=[2]).rules(2)
    royal = [48, 44, 1, 6, *(10, 15, 21, 26, 33), 0, 5, 9, 40, 36, 32]
    tally = play_decks(rules, "always_play", [royal]).tally.counts
    assert (tally["seat1.net"], tally["seat2.net"]) == (player_bounds(rules)[1], -2)
    beaten = [48, 45, 1, 6, *(0, 4, 8, 12, 16), 51, 43, 39, 35, 31, 26]
    tally = play_decks(rules, "always_play", [beaten]).tally.counts
    assert tally["table.net"] == table_bounds(rules)[0]


def deals_by_value(simulation, number):
    """Net of each seat, play bets and shares by deal, from the first deals of a simulation."""
    decks = deals(simulation.seed, STREAM, 0, number, count=5 * simulation.players + 5)
    rounds = play_decks(simulation.rules, simulation.strategies, decks).rounds
    shape = (number, simulation.players)
    plays = (rounds.actions == 1).reshape(shape).sum(axis=1)
    folds = (rounds.actions == 0).reshape(shape).sum(axis=1)
    return rounds.nets.reshape(shape), plays, folds, rounds.winners.reshape(shape)


def bernstein(values, low, high):
    """Empirical Bernstein, level 0.99, in floats, clipped to the bounds."""
    n, log = len(values), np.log(2 / 0.005)
    half = np.sqrt(2 * np.var(values, ddof=1) * log / n) + 7 * (high - low) * log / (3 * (n - 1))
    return max(values.mean() - half, low), min(values.mean() + half, high)


def test_figures_and_intervals_are_those_of_values_by_deal():
    """Everything again from the single deals, in floats; antes of 2, play bets of 3 half chips."""
    table = paytable(coin="1/2", ante="1", play_bet="3/2", dealer_ante="2")
    seats = ["always_play", "pairs_and_big_cards", "always_fold", "always_play"]
    simulation = Simulation(table, 4, seats, 20_000, 8)
    entry = run(simulation).entry
    nets, plays, folds, winners = deals_by_value(simulation, 20_000)
    shares = winners.sum(axis=1)
    low, high = table_bounds(simulation.rules)
    expected = {
        "ev_per_ante": (nets.sum(axis=1) / 8, low / 8, high / 8),
        "house_edge": (-nets.sum(axis=1) / 8, -high / 8, -low / 8),
        "rtp_per_ante": (1 + nets.sum(axis=1) / 8, 1 + low / 8, 1 + high / 8),
        "house_net_per_round": (-nets.sum(axis=1) / 2, -high / 2, -low / 2),
        "average_bet": (1 + 1.5 * plays / 4, 1, 2.5),
        "fold_frequency": (folds / 4, 0, 1),
        "play_frequency": (plays / 4, 0, 1),
        "win_frequency": (shares / 4, 0, 1),
        "split_frequency": (np.where(shares > 1, shares, 0) / 4, 0, 1),
    }
    for name, (values, *bounds) in expected.items():
        figure = entry[name]
        assert figure["interval_method"] == "empirical_bernstein"
        assert figure["level"] == "0.99"
        assert float(figure["decimal"]) == pytest.approx(values.mean(), rel=1e-12)
        ends = [float(end) for end in figure["interval"]]
        assert ends == pytest.approx(list(bernstein(values, *bounds)), rel=1e-9), name
    assert float(entry["dealer_win_frequency"]["decimal"]) == pytest.approx((shares == 0).mean())
    assert entry["counts"]["dealer_wins"] == (shares == 0).sum()
    assert entry["counts"]["split_pots"] == (shares > 1).sum()
    for seat, row in enumerate(entry["by_seat"]):
        own = nets[:, seat] / 2
        bounds = [bound / 2 for bound in player_bounds(simulation.rules)]
        assert (row["seat"], row["strategy"]) == (seat + 1, seats[seat])
        assert float(row["ev_per_ante"]["decimal"]) == pytest.approx(own.mean(), rel=1e-12)
        ends = [float(end) for end in row["ev_per_ante"]["interval"]]
        assert ends == pytest.approx(list(bernstein(own, *bounds)), rel=1e-9)
        assert float(row["win_frequency"]["decimal"]) == pytest.approx(winners[:, seat].mean())
        assert row["win_frequency"]["interval_method"] == "clopper_pearson"
        assert float(row["sd_per_round"]["decimal"]) == pytest.approx(own.std(ddof=1), rel=1e-12)
    deviations = [float(row["sd_per_round"]["decimal"]) for row in entry["by_seat"]]
    assert float(entry["sd_per_round"]["decimal"]) == pytest.approx(sum(deviations) / 4, rel=1e-12)
    width = (player_bounds(simulation.rules)[1] - player_bounds(simulation.rules)[0]) / 2
    upper = sum(deviations) / 4 + width * np.sqrt(2 * np.log(4 / 0.005) / 19_999)
    assert float(entry["sd_per_round"]["interval"][1]) == pytest.approx(upper, rel=1e-9)


def figures_in(value, path=""):
    """Everything that looks like a figure, with its place."""
    if isinstance(value, dict):
        if "decimal" in value:
            yield path, value
        for key, below in value.items():
            yield from figures_in(below, f"{path}.{key}")
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from figures_in(below, f"{path}[{index}]")


@pytest.mark.parametrize(("players", "rounds"), [(1, 1), (1, 2), (3, 1), (7, 1000)])
def test_every_figure_has_an_interval_that_holds_it(players, rounds):
    entry = run(Simulation(paytable(), players, "always_play", rounds, 5)).entry
    assert entry["method"] == "sampled"
    assert (entry["rounds"], entry["seed"], entry["stream"]) == (rounds, 5, STREAM)
    found = dict(figures_in(entry))
    assert len(found) == 12 + 9 * players
    for path, figure in found.items():
        low, high = (Fraction(end) for end in figure["interval"])
        assert (figure["decimal"] == "undefined") == (rounds == 1 and "sd_per" in path)
        if figure["decimal"] != "undefined":
            # The sample deviation divides by n - 1 and can exceed half of the range.
            assert low <= Fraction(figure["decimal"]) <= high or "sd_per" in path, path
        assert figure["level"] == "0.99"
        assert figure["interval_method"]
    assert json.loads(json.dumps(entry)) == entry


def test_counts_by_seat_add_up():
    simulation = Simulation(paytable(), 5, [*FIXED, "always_play", "always_play"], 30_000, 2)
    entry = run(simulation).entry
    counts = entry["counts"]
    assert counts["fold"] + counts["play"] + counts["last_hand"] == 5 * 30_000
    assert counts["win_alone"] + counts["split_pots"] + counts["dealer_wins"] == 30_000
    assert counts["bets"] == 5 * 30_000 + counts["play"]
    assert counts["net"] == sum(row["counts"]["net"] for row in entry["by_seat"])
    assert entry["bonus_lines"][0]["line"] == "straight"
    assert entry["bonus_lines"][0]["pays"] == "2/1"
    assert entry["bonus_lines"][0]["hands"] > 100
    assert entry["strategy"] == list(simulation.names)
    assert "outcomes" not in entry


# --- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": 0}, "rounds must be 1 to 10,000,000,000,000, got 0"),
        ({"rounds": 10**13 + 1}, "rounds must be 1 to 10,000,000,000,000, got 10,000,000,000,001"),
        ({"rounds": 1.5}, "rounds must be a whole number, got 1.5"),
        ({"rounds": True}, "rounds must be a whole number, got True"),
        ({"rounds": "7"}, "rounds must be a whole number, got '7'"),
        ({"seed": -1}, "a seed must be 0 to 2\\^64 - 1, got -1"),
        ({"seed": 2**64}, "a seed must be 0 to 2\\^64 - 1, got 18446744073709551616"),
        ({"seed": None}, "seed must be a whole number, got None"),
        ({"players": 2.0}, "players must be a whole number, got 2.0"),
        ({"strategies": "allways_play"}, "unknown strategy 'allways_play'.*always_play\\?"),
        ({"strategies": ["always_play"] * 2}, "2 strategies for 3 players"),
        ({"strategies": []}, "0 strategies for 3 players"),
        ({"strategies": "collective"}, "3 players cannot follow collective; expected"),
        ({"strategies": "pot_odds"}, "3 players cannot follow pot_odds; expected"),
        (
            {"strategies": ["always_play", "individual", "always_fold"]},
            "cannot follow individual; expected one of always_play, always_fold",
        ),
    ],
)
def test_what_cannot_be_simulated_is_refused(changes, message):
    arguments = {"players": 3, "strategies": "always_play", "rounds": 10, "seed": 1, **changes}
    with pytest.raises(ValueError, match=message):
        Simulation(paytable(), **arguments)
    parameters = Simulation(paytable(), 3, "always_play", 10, 1).spec()["parameters"]
    with pytest.raises(ValueError, match=message):
        Simulation.from_parameters({**parameters, **changes})


def test_players_that_the_paytable_does_not_cover_are_refused():
    for players in (0, 8, -1):
        with pytest.raises(PaytableError, match=f"has no kickout for {players} players"):
            Simulation(paytable(), players, "always_play", 10, 1)


def test_parameters_that_are_missing_or_unknown_are_refused():
    parameters = Simulation(paytable(), 3, "always_play", 10, 1).spec()["parameters"]
    with pytest.raises(ValueError, match=r"unknown parameter strategy.*strategies\?"):
        Simulation.from_parameters({**parameters, "strategy": "always_fold"})
    del parameters["seed"]
    with pytest.raises(ValueError, match="the parameter seed is missing"):
        Simulation.from_parameters(parameters)


def test_a_result_is_only_read_off_all_rounds():
    simulation = Simulation(paytable(), 1, "always_play", BLOCK + 5, 1)
    tally = simulation.run(simulation.shards()[1])
    with pytest.raises(ValueError, match="the tally holds 5 of 1,048,581 rounds"):
        simulation.result(tally)
    with pytest.raises(ValueError, match="the tally holds 0 of"):
        simulation.result(Tally())


@pytest.mark.parametrize(
    ("decks", "error", "message"),
    [
        (np.arange(20), ValueError, "decks must be whole numbers, 20 or more a row"),
        (np.arange(19)[None], ValueError, "20 or more a row, got \\(1, 19\\)"),
        (np.arange(20.0)[None], ValueError, "decks must be whole numbers"),
        (np.zeros((1, 20), dtype=np.uint8), CardError, "twice"),
        (np.arange(33, 53)[None], CardError, "52"),
        (np.zeros((2**18 + 1, 20), dtype=np.uint8), ValueError, "at most 262,144 decks at once"),
    ],
)
def test_decks_that_are_none_are_refused(decks, error, message):
    with pytest.raises(error, match=message):
        play_decks(paytable().rules(3), "always_play", decks)
