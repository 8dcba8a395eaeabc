"""Bounds of the collective optimum: policy <= optimum <= bound, as identities on small decks.

With every order of the stub followed and the means of the penalties exact, nothing is left to
chance. The readable twin (bounds_check.py) does that in fractions; the kernel has to give the same
numbers for the same draws, and, with draws at random, the same on average.
"""

import dataclasses
import json
import random
from fractions import Fraction
from itertools import permutations
from math import comb, sqrt

import numpy as np
import pytest

from ricochet_casino.cards.classes import N_CLASSES, class_of_trusted
from ricochet_casino.experiment import Shard, Tally
from ricochet_casino.games import build, load_paytable
from ricochet_casino.games.ricochet_poker import (
    bounds_kernel,
    expectimax,
    table_kernel,
    table_odds_kernel,
)
from ricochet_casino.games.ricochet_poker.bounds import (
    BLOCK,
    FAR_STREAM,
    STREAM,
    TableGap,
    gaps_of,
)
from ricochet_casino.games.ricochet_poker.bounds_check import PlainBounds, inner_draws
from ricochet_casino.games.ricochet_poker.gap_plan import (
    FAR_INNER,
    MOST_FAR_DEALS,
    GapPilot,
    GapSizes,
    Part,
    gap_bounds,
    part_bounds,
    part_level,
    planned_sizes,
    threshold,
)
from ricochet_casino.games.ricochet_poker.multiplayer import policy_for
from ricochet_casino.games.ricochet_poker.simulation_tables import rounds_for
from ricochet_casino.games.ricochet_poker.table_arrays import fill_stub, pair_number, values_for
from ricochet_casino.games.ricochet_poker.table_sampling import CompiledTable
from ricochet_casino.runs import run_blocks

TENS, NINES, EIGHTS, SEVENS, FIVES = 8, 7, 6, 5, 3
"""Lowest ranks of decks of 20, 24, 28, 32 and 40 cards."""
ONE = 1 << 32
GAME = load_paytable("rulebook")


def varied_rules(rng, players, lowest_rank=0):
    """Rules of a dealer who always stands, bonuses small or great."""
    top = rng.choice([3, 20, 1000])
    rules = GAME.rules(players)
    lines = tuple(dataclasses.replace(line, pays=min(line.pays, top)) for line in rules.lines)
    return dataclasses.replace(
        rules,
        lowest_rank=lowest_rank,
        lines=rng.choice([lines, lines[2:], ()]),
        ante=rng.choice([1, 1, 2]),
        dealer_ante=rng.choice([1, 1, 2, 3]),
        play_bet=rng.choice([1, 1, 2, 3]),
        kickout_class=N_CLASSES,
        when_equal=rng.choice(["play", "fold"]),
    )


def random_deal(rng, rules, weak=True):
    """Holes and dealer; most dealers weak, so that there is something to decide."""
    while True:
        cards = rng.sample(rules.deck, 2 * rules.players + 5)
        holes = [tuple(cards[2 * seat : 2 * seat + 2]) for seat in range(rules.players)]
        dealer = tuple(cards[2 * rules.players :])
        if not weak or class_of_trusted(dealer) < 5000:
            return holes, dealer


def in_chips(rules, value):
    """Net result of a deal, from what the players get after the antes."""
    return (value - rules.players * rules.ante) * rules.unit


class Kernel:
    """One deal given to the compiled nodes."""

    def __init__(self, rules, holes, dealer):
        self.rules = rules
        self.table = CompiledTable(rules, ("collective",) * rules.players)
        self.plain = PlainBounds(rules, holes, dealer)
        width = 5 * rules.players + 5
        dealt = [card for hole in holes for card in hole] + list(dealer)
        self.deck = np.array([*dealt, *self.plain.stub], dtype=np.uint8)[:width]
        # The order of action is worked out from a batch of one.
        rounds, _ = self.table.play(self.deck.reshape(1, -1))
        self.order = rounds.order[: rules.players].copy()

    def sequences(self, coming, inner, seed, stream, deal):
        """Best sequence and the policy's own, the stub beginning with some sets of three."""
        work, players = self.table.work, self.rules.players
        first = [card for draw in coming for card in self.plain.threes[draw]]
        work.cards[: len(self.deck)] = self.deck
        work.cards[2 * players + 5 : 2 * players + 5 + len(first)] = first
        work.order[:players] = self.order
        bounds_kernel.node_kernel(
            self.plain.to_beat, self.table.terms, work, inner, np.uint64(seed), np.uint64(stream),
            np.uint64(deal), self.table.tables.accepted,
        )  # fmt: skip
        return bounds_kernel.bound_kernel(self.table.terms, work)


def every_coming(plain):
    """All ways in which the draws before the last two players can fall."""
    found = [((), 0)]
    for _ in range(plain.players - 2):
        found = [
            ((*draws, draw), used | int(plain.masks[draw]))
            for draws, used in found
            for draw in plain.free(used).tolist()
        ]
    return [draws for draws, _ in found]


def exact_means(plain):
    """Mean of the best sequence and of the policy's own over all orders, penalties exact."""
    found = [plain.sequences(coming) for coming in every_coming(plain)]
    best, own = (sum(column, Fraction()) / len(found) for column in zip(*found, strict=True))
    assert all(one >= other for one, other in found)
    return best, own


# --- Toy decks as truth --------------------------------------------------------------------------


def check_identities(rng, players, lowest_rank, number, policy=True):
    """policy = own mean <= optimum <= best mean, in fractions; returns the gaps above and below."""
    above, below = [], []
    for _ in range(number):
        rules = varied_rules(rng, players, lowest_rank)
        holes, dealer = random_deal(rng, rules)
        best, own = (
            in_chips(rules, value) for value in exact_means(PlainBounds(rules, holes, dealer))
        )
        optimum = expectimax.optimum(rules, holes, dealer)
        assert own <= optimum <= best, (rules, holes, dealer)
        if policy:
            followed = policy_for(rules, "collective")
            assert own == expectimax.policy_value(rules, holes, dealer, followed)[0]
        above.append(best - optimum)
        below.append(optimum - own)
    return above, below


@pytest.mark.parametrize("lowest_rank", [TENS, NINES])
def test_two_players_have_no_gap(lowest_rank):
    above, below = check_identities(random.Random(lowest_rank), 2, lowest_rank, 4)
    assert set(above) == set(below) == {0}


def test_three_players_and_twenty_cards_are_bounded_from_both_sides():
    above, below = check_identities(random.Random(3), 3, TENS, 8)
    # Were penalties trivial, or bound and optimum the same thing, nothing would have been shown.
    assert sum(gap > 0 for gap in above) > 2
    assert sum(gap > 0 for gap in below) > 0
    assert sorted(above)[4] < Fraction(1, 4)  # great prizes in a small deck leave a large gap


def test_three_players_and_twenty_four_cards_are_bounded_from_both_sides():
    above, _ = check_identities(random.Random(4), 3, NINES, 1, policy=False)
    assert len(above) == 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_three_player_deals_are_bounded_from_both_sides(seed):
    above, _ = check_identities(random.Random(10 + seed), 3, TENS, 25)
    assert sum(gap > 0 for gap in above) > 0
    check_identities(random.Random(20 + seed), 3, NINES, 3, policy=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_four_players_are_bounded_from_both_sides(seed, monkeypatch):
    """Two draws before the last two: 100,100 orders of a stub of 15 cards."""
    monkeypatch.setattr(expectimax, "MOST_NODES", 10**7)
    above, _ = check_identities(random.Random(30 + seed), 4, EIGHTS, 1, policy=False)
    assert len(above) == 1


@pytest.mark.slow
def test_the_policys_own_sequence_is_the_compiled_policy_with_four_players():
    """Over all orders both means are the same, though no single deal need be."""
    rng = random.Random(5)
    # Whoever comes after a win is sure to play then, so that only the first two draws count.
    rules = dataclasses.replace(varied_rules(rng, 4, EIGHTS), when_equal="play")
    holes, dealer = random_deal(rng, rules)
    plain = PlainBounds(rules, holes, dealer)
    coming = every_coming(plain)
    dealt = [card for hole in holes for card in hole] + list(dealer)
    decks = []
    for draws in coming:
        first = [card for draw in draws for card in plain.threes[draw]]
        rest = [card for card in plain.stub if card not in first]
        decks.append([*dealt, *first, *rest][:25])
    _, values = CompiledTable(rules, ("collective",) * 4).play(np.array(decks, dtype=np.uint8))
    value = Fraction(int(values.value.sum()), ONE * len(coming))
    _, own = exact_means(plain)
    assert abs(value - (own - 4 * rules.ante)) < Fraction(64, ONE)


# --- The kernel against its twin -----------------------------------------------------------------

SIZES = [(3, TENS), (3, EIGHTS), (4, EIGHTS), (5, SEVENS), (7, FIVES)]


@pytest.mark.parametrize(("players", "lowest_rank"), SIZES)
def test_the_kernel_agrees_with_its_twin_draw_by_draw(players, lowest_rank):
    rng = random.Random(f"{players}{lowest_rank}")
    gaps = wins = 0
    for number in range({3: 15, 4: 8, 5: 4, 7: 1}[players]):
        rules = varied_rules(rng, players, lowest_rank)
        kernel = Kernel(rules, *random_deal(rng, rules))
        plain = kernel.plain
        rank_of = {frozenset(three): draw for draw, three in enumerate(plain.threes)}
        for _ in range(3):
            coming, used, inner, count = [], 0, [], rng.randint(1, 3)
            seed, stream, deal = rng.getrandbits(64), rng.randrange(200), rng.randrange(10**12)
            for made in range(players - 2):
                left = [card for card in plain.stub if not used >> card & 1]
                drawn = inner_draws(left, seed, stream, deal, made, count)
                inner.append([rank_of[frozenset(three)] for three in drawn])
                coming.append(rng.choice(plain.free(used).tolist()))
                used |= int(plain.masks[coming[-1]])
            found = kernel.sequences(coming, count, seed, stream, deal)
            expected = plain.sequences(coming, inner)
            assert found == pytest.approx([float(value) for value in expected], abs=1e-9), number
            gaps += found[0] > found[1]
            wins += plain.wins(0, coming[0])
    assert gaps > 0
    assert wins > 0 or players > 4


@pytest.mark.parametrize(("players", "lowest_rank"), [(3, TENS), (4, EIGHTS), (5, 0), (7, 0)])
def test_the_mean_of_a_first_order_control_is_that_over_all_draws(players, lowest_rank):
    """(9.5), and that every bound which (10.5) relies on holds."""
    rng = random.Random(players)
    for _ in range(2):
        rules = varied_rules(rng, players, lowest_rank)
        kernel = Kernel(rules, *random_deal(rng, rules))
        work, game, to_beat = kernel.table.work, kernel.table.terms, kernel.plain.to_beat
        kernel.sequences([0], 1, 0, 0, 0)
        table_kernel.lay_out_kernel(game, work)
        pot = players * rules.ante + rules.dealer_ante
        bounds_kernel.forecast_kernel(0, pot, to_beat, game, work, work.forecast)
        for j in range(players):
            table_odds_kernel.cards_kernel(
                work.holes[j, 0], work.holes[j, 1], to_beat, work, work.by_rank[j], work.by_suit[j]
            )
        spare = 5 * players + 5
        for turn in range(players - 2):
            mean = bounds_kernel._slopes(turn, pot, game, work, work.forecast)
            values = []
            for three in kernel.plain.threes:
                work.cards[spare : spare + 3] = three
                won = bounds_kernel._reaches(turn, spare, to_beat, work)
                values.append(bounds_kernel._first_order(turn, spare, won, work))
            assert mean == pytest.approx(np.mean(values), abs=1e-9)
            after = pot + rules.play_bet
            won, lost = work.first_won[turn], work.first_lost[turn]
            assert after <= won <= 1.25 * after
            assert 0 <= lost <= won
            assert np.abs(work.card_slopes[turn]).max() <= after / 12


def test_penalties_by_random_draws_have_the_exact_mean():
    """Each node's mean by inner draws: unbiased, and closer to the exact one the more there are."""
    rng = random.Random(7)
    rules = varied_rules(rng, 3, NINES)
    kernel = Kernel(rules, *random_deal(rng, rules))
    plain, work = kernel.plain, kernel.table.work
    draw = next(d for d in range(len(plain.threes)) if not plain.wins(0, d))
    exact = float(plain.node(0, 0, 0)[0] - plain.penalty(0, 0, 0, draw))
    found = {}
    for inner, number in ((1, 4000), (16, 400)):
        plays = []
        for deal in range(number):
            kernel.sequences([draw], inner, 1, 2, deal)
            plays.append(work.node_play[0, 0])
        found[inner] = np.std(plays)
        assert abs(np.mean(plays) - exact) < 4 * np.std(plays) / sqrt(number)
    assert found[16] == pytest.approx(found[1] / 4, rel=0.25)


def test_random_inner_draws_bound_the_optimum_and_leave_the_policy_alone():
    rng = random.Random(8)
    seen = 0
    for _ in range(4):
        rules = varied_rules(rng, 3, TENS)
        holes, dealer = random_deal(rng, rules)
        kernel = Kernel(rules, holes, dealer)
        exact_best, exact_own = map(float, exact_means(kernel.plain))
        optimum = float(expectimax.optimum(rules, holes, dealer) / rules.unit)
        optimum += rules.players * rules.ante
        found = np.array([
            [kernel.sequences(coming, 1, 3, 4, deal) for coming in every_coming(kernel.plain)]
            for deal in range(40)
        ])  # fmt: skip
        by_seed = found.mean(axis=1)  # the inner draws of one deal are the same for all orders
        best, own = by_seed.mean(axis=0)
        spread = by_seed.std(axis=0) / sqrt(len(by_seed)) + 1e-12
        assert best >= optimum - 4 * spread[0]
        # Noise in a mean can only raise the best of two.
        assert best >= exact_best - 4 * spread[0]
        assert abs(own - exact_own) < 4 * spread[1] + 1e-9
        seen += best > exact_best
    assert seen > 0


def numbers_of(hole):
    """Pair of ranks, and suit or -1, as the kernels have them."""
    a, b = hole
    return pair_number(a >> 2, b >> 2), a & 3 if a & 3 == b & 3 else -1


@pytest.mark.parametrize("lowest_rank", [0, EIGHTS])
def test_several_pots_at_once_are_each_pot_alone(lowest_rank):
    rng = random.Random(lowest_rank)
    seen = set()
    for number in range(32):
        rules = dataclasses.replace(varied_rules(rng, 3, lowest_rank), when_equal="play")
        work = CompiledTable(rules, ("collective",) * 3).work
        cards = rng.sample(rules.deck, len(rules.deck))
        if number % 2:  # many cards of one suit
            cards.sort(key=lambda card: card & 3)
        if number % 4 > 1:  # the first of another
            cards.insert(0, cards.pop())
        numbers = [*numbers_of(cards[:2]), *numbers_of(cards[2:4])]
        stub = rng.sample(cards[4:], rng.randint(9, len(cards) - 4))
        fill_stub(work, stub)
        to_beat = rng.choice([0, rng.randrange(1000, 4500), rng.randrange(N_CLASSES)])
        pot, bet, pots = rng.randint(2, 9), rules.play_bet, rng.randint(1, 6)
        table_odds_kernel.pair_pots_kernel(*numbers, to_beat, pot, bet, pots, work)
        together = work.pots_out[:pots].copy()
        out = np.zeros(5, dtype=np.int64)
        for m in range(pots):
            table_odds_kernel.pair_kernel(
                *numbers, to_beat, pot + (m + 2) * bet, bet * comb(len(stub) - 3, 3), True, True,
                work, out,
            )  # fmt: skip
            assert together[m].tolist() == out.tolist()
            seen.add((numbers[1] >= 0, numbers[3] >= 0, 0 < out[1] < comb(len(stub), 3) - out[0]))
    assert {key[:2] for key in seen} == {(a, b) for a in (False, True) for b in (False, True)}
    assert any(key[2] for key in seen)


# --- The full deck -------------------------------------------------------------------------------


def sampled(players, number, inner, seed, rules=None):
    """Gaps, and what the policy's own sequence brings beyond the value of the same deals."""
    rules = rules or GAME.rules(players)
    table = CompiledTable(rules, ("collective",) * players)
    rounds, values = rounds_for(256, players), values_for(256, rules)
    gaps, own = np.zeros((2, number), dtype=np.int64)
    beyond = np.zeros(number)
    for first in range(0, number, 256):
        here = slice(first, first + 256)
        some = len(gaps[here])
        table.deal(seed, STREAM, first, some, rounds)
        bounds_kernel.gap_kernel(
            some, np.uint64(first), table.terms, table.work, rounds, inner, np.uint64(seed),
            np.uint64(77), table.tables.accepted, gaps[here], own[here],
        )  # fmt: skip
        stands = rounds.dealer_class[:some] < rules.kickout_class
        table_kernel.seat_kernel(some, table.terms, table.work, rounds, values)
        net = own[here] / ONE - players * rules.ante
        beyond[here] = np.where(stands, net - values.value[:some] / ONE, 0)
        assert not gaps[here][~stands].any()
    return gaps, beyond


def check_full_deck(players, number, inner):
    gaps, beyond = sampled(players, number, inner, players)
    low, high = (float(end) * ONE for end in gap_bounds(GAME.rules(players)))
    assert low <= gaps.min()
    assert gaps.max() <= high
    assert (gaps > 0).any()
    # The best sequence is the policy's in most deals.
    assert (gaps == 0).mean() > 0.2
    spread = beyond.std() / sqrt(number)
    assert spread > 0
    assert abs(beyond.mean()) < 4 * spread, (beyond.mean(), spread)


@pytest.mark.parametrize(("players", "number"), [(3, 10_000), (5, 4_000), (7, 1_500)])
def test_gaps_are_within_their_bounds_and_the_policy_is_the_policy(players, number):
    check_full_deck(players, number, 2)


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5, 6, 7])
def test_gaps_of_many_deals(players):
    check_full_deck(players, 200_000 if players < 6 else 100_000, 1)


def test_two_players_have_no_gap_on_the_full_deck():
    gaps, beyond = sampled(2, 3000, 4, 1)
    assert not gaps.any()
    assert np.abs(beyond).max() < 1e-6


@pytest.mark.slow
def test_two_players_have_no_gap_in_any_of_many_deals():
    gaps, beyond = sampled(2, 20_000, 1, 2)
    assert not gaps.any()
    assert np.abs(beyond).max() < 1e-6


def test_bounds_of_a_gap_hold_for_varied_rules():
    rng = random.Random(9)
    for _ in range(6):
        players = rng.choice([3, 4, 6])
        rules = varied_rules(rng, players)
        gaps, _ = sampled(players, 256, 1, rng.getrandbits(40), rules)
        assert gaps.min() >= 0
        assert gaps.max() / ONE <= gap_bounds(rules)[1]


# --- The experiment ------------------------------------------------------------------------------

PILOT = GapPilot(Part(64, 3 * ONE // 10, ONE**2 // 50), Part(512, 0, 0))


def test_more_inner_draws_make_a_smaller_gap():
    few, many = (TableGap(GAME, 4, 2048, inner, 5, PILOT) for inner in (1, 8))
    sums = [run_blocks(one).total.counts["near.sum"] for one in (few, many)]
    assert 0 < sums[1] < 0.7 * sums[0]


def test_tallies_do_not_depend_on_how_the_deals_are_cut():
    experiment = TableGap(GAME, 3, 700, 2, 11, PILOT)
    whole = experiment.run(Shard("0", [0, 700]))
    parts = [(0, 1), (1, 299), (300, 256), (556, 144)]
    for some in (parts, random.Random(1).sample(parts, 4)):
        tally = sum((experiment.run(Shard(str(a), [a, b])) for a, b in some), Tally())
        assert tally == whole
    # Both parts again, from the gaps of every deal.
    table = CompiledTable(GAME.rules(3), ("collective",) * 3)
    cut = threshold(GAME.rules(3))
    near = gaps_of(table, 11, STREAM, 0, 700, 2)
    far = gaps_of(table, 11, FAR_STREAM, 0, 700 * experiment.far, FAR_INNER)
    assert whole.counts["near.sum"] == sum(min(gap, cut) for gap in near)
    assert whole.counts["far.sum"] == sum(max(gap - cut, 0) for gap in far)
    assert whole.counts["gap.positive"] == sum(gap > 0 for gap in near)


def test_workers_do_not_change_a_block():
    experiment = TableGap(GAME, 3, 2 * BLOCK + 100, 1, 3, PILOT)
    one, two = (run_blocks(experiment, workers=n, executor="threads") for n in (1, 2))
    assert one.digests == two.digests
    assert len(one.digests) == 3
    assert experiment.result(one.total).entry == experiment.result(two.total).entry


@pytest.mark.parametrize("pilot", [None, PILOT])
def test_the_specification_builds_the_experiment_again(pilot):
    experiment = TableGap(GAME, 5, 1000, 4, 2**64 - 1, pilot, Fraction(995, 1000))
    spec = json.loads(json.dumps(experiment.spec()))
    again = build(spec)
    assert again.spec() == experiment.spec()
    shard = Shard("0", [0, 40])
    assert again.run(shard) == experiment.run(shard)
    for broken in ({"inner": None}, {"pilot": {"deals": 3}}, {"far": 0}, {"more": 1}):
        with pytest.raises(ValueError, match=r"inner|pilot|far|more"):
            build({**spec, "parameters": {**spec["parameters"], **broken}})
    with pytest.raises(ValueError, match="missing"):
        build({**spec, "parameters": {"paytable": spec["parameters"]["paytable"]}})


def test_a_pilot_and_its_sample_look_at_different_deals():
    pilot, sample = (TableGap(GAME, 3, 512, 1, 3, one) for one in (None, PILOT))
    shard = Shard("0", [0, 512])
    assert pilot.run(shard) != sample.run(shard)


def test_results_state_the_gap_with_an_interval_that_holds_it():
    experiment = TableGap(GAME, 3, 3000, 2, 21, PILOT, Fraction(99, 100))
    entry = experiment.result(run_blocks(experiment).total).entry
    found = entry["gap_per_ante"]
    low, high = map(Fraction, found["interval"])
    assert 0 <= low <= Fraction(found["decimal"]) <= high < Fraction(1, 20)
    assert found["level"] == "0.99"
    assert 0 < entry["deals_with_a_gap"] < 3000
    with pytest.raises(ValueError, match=r"2,999|10 of 3,000"):
        experiment.result(Tally({"rounds": 10}))


def test_fewer_deals_are_planned_for_a_wider_limit():
    rules = GAME.rules(3)
    found = TableGap(GAME, 3, 2048, 2, 5)
    pilot = GapPilot.from_json(found.result(run_blocks(found).total).entry)
    level = Fraction(995, 1000)
    limits = [Fraction(1, 100), Fraction(1, 1000)]
    planned = [planned_sizes(rules, pilot, limit, level, 2, BLOCK) for limit in limits]
    assert 0 < planned[0].work(2) < planned[1].work(2)
    assert planned_sizes(rules, pilot, Fraction(1, 10**6), level, 2, BLOCK) is None
    sizes = planned[0]
    assert sizes.deals % BLOCK == 0
    sample = TableGap(GAME, 3, sizes.deals, 2, 5, pilot, level, sizes.far)
    entry = sample.result(run_blocks(sample).total).entry
    assert Fraction(entry["gap_per_ante"]["interval"][1]) <= limits[0]


# --- Two parts -----------------------------------------------------------------------------------


def test_the_two_parts_of_a_gap_make_the_whole():
    """min(G, T) + max(G - T, 0) = G, and both lie within their bounds."""
    rules = GAME.rules(7)
    table = CompiledTable(rules, ("collective",) * 7)
    gaps, cut = gaps_of(table, 5, STREAM, 0, 2048, 1), threshold(rules)
    assert sum(gap > cut // 8 for gap in gaps) > 3  # else the threshold would cut nothing
    near_bounds, far_bounds = part_bounds(rules)
    assert near_bounds[1] == Fraction(cut, ONE)
    assert near_bounds[1] + far_bounds[1] == gap_bounds(rules)[1]
    assert all(gap <= far_bounds[1] * ONE for gap in gaps)


@pytest.mark.parametrize(("players", "lowest_rank"), [(3, TENS), (4, EIGHTS)])
def test_fewer_inner_draws_bound_the_part_above_any_threshold(players, lowest_rank):
    """E (G_N - T)+ <= E (G_n - T)+ for n <= N (10.6): G is convex in the means of the penalties.

    Checked on given draws, as an identity: the draws of one large sample are those of several small
    ones, and the mean over these of (G_n - T)+ is at least (G_N - T)+, in fractions.
    """
    rng = random.Random(players)
    above = strict = 0
    for _ in range(6):
        rules = varied_rules(rng, players, lowest_rank)
        plain = PlainBounds(rules, *random_deal(rng, rules))
        coming, used, inner = [], 0, []
        for _ in range(players - 2):
            free = plain.free(used).tolist()
            inner.append([rng.choice(free) for _ in range(4)])
            coming.append(rng.choice(free))
            used |= int(plain.masks[coming[-1]])

        def gap(draws, plain=plain, coming=coming):
            best, own = plain.sequences(coming, draws)
            return best - own

        many = gap(inner)
        parts = [gap([draws[n : n + 1] for draws in inner]) for n in range(4)]
        for cut in (Fraction(0), Fraction(1, 50), Fraction(1, 4)):
            mean = sum(max(part - cut, Fraction(0)) for part in parts) / 4
            assert max(many - cut, Fraction(0)) <= mean
            strict += max(many - cut, Fraction(0)) < mean
            above += mean > 0
    assert above > 0
    assert strict > 0


def test_the_interval_is_the_sum_of_those_of_its_parts():
    experiment = TableGap(GAME, 7, 512, 1, 3, PILOT, Fraction(99, 100), 2)
    total = run_blocks(experiment).total
    entry = experiment.result(total).entry
    level = part_level(Fraction(99, 100))
    assert level == Fraction(995, 1000)
    bounds = part_bounds(GAME.rules(7))
    parts = [
        Part(deals, total.counts[f"{name}.sum"], total.counts[f"{name}.squares"])
        for name, deals in (("near", 512), ("far", 1024))
    ]
    pilots = (PILOT.near, PILOT.far)
    highs = [
        part.interval(pilot, within, level).high
        for part, pilot, within in zip(parts, pilots, bounds, strict=True)
    ]
    found = Fraction(entry["gap_per_ante"]["interval"][1])
    assert found == pytest.approx(sum(highs) / 7, abs=1e-8)
    assert entry["far"]["deals"] == 1024


def test_rare_great_gaps_are_not_overlooked():
    """A part above that was seen counts with its size, not with what the pilot expected."""
    deals, great = 4096, 10 * ONE
    bounds = part_bounds(GAME.rules(7))[1]
    level = part_level(Fraction(99, 100))
    nothing, seen = (
        Part(deals, number * great, number * great**2).interval(PILOT.far, bounds, level).high
        for number in (0, 40)
    )
    assert nothing < seen
    assert seen > Fraction(40 * 10, deals)


def test_a_plan_never_asks_for_more_far_deals_than_there_may_be():
    rules = GAME.rules(7)
    # Gaps of one size: the part below needs few deals, that above many.
    size = ONE // 10_000
    pilot = GapPilot(Part(4096, 4096 * size, 4096 * size**2), Part(4096, 0, 0))
    for limit in (Fraction(1, 1000), Fraction(1, 10**5), Fraction(1, 50_000)):
        sizes = planned_sizes(rules, pilot, limit, Fraction(995, 1000), 8, BLOCK)
        if sizes is None:
            assert limit * 7 < Fraction(1, 8000)
            continue
        assert isinstance(sizes, GapSizes)
        assert 1 <= sizes.far <= MOST_FAR_DEALS
        # Enough for the range of the part above, whatever the split.
        assert sizes.deals * sizes.far > part_bounds(rules)[1][1] / (limit * 7)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"players": 1}, "one player has no gap"),
        ({"deals": 0}, "deals must be"),
        ({"inner": 0}, "inner draws must be"),
        ({"inner": 5000}, "inner draws must be"),
        ({"far": 0}, "far deals must be"),
        ({"far": MOST_FAR_DEALS + 1}, "far deals must be"),
        ({"seed": -1}, "seed must be"),
        ({"level": Fraction(1)}, "level must be"),
        ({"players": True}, "players"),
    ],
)
def test_numbers_out_of_range_are_refused(changes, said):
    usual = {"players": 3, "deals": 10, "inner": 1, "seed": 0}
    with pytest.raises(ValueError, match=said):
        TableGap(GAME, **{**usual, **changes})


def test_inner_draws_are_uniform():
    """Every ordered set of three of a small stub about equally often."""
    stub, number = list(range(5)), 6000
    drawn = [inner_draws(stub, 1, 2, deal, 0, 1)[0] for deal in range(number)]
    counts = {three: drawn.count(three) for three in permutations(stub, 3)}
    expected = number / 60
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    assert sum(counts.values()) == number
    assert chi_squared < 59 + 5 * sqrt(2 * 59)
