"""Two tables on the same deals: tallies, bounds, coverage, and figures known from elsewhere."""

import dataclasses
import json
import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from ricochet_casino.cards.shuffle import deals
from ricochet_casino.experiment import Experiment, Tally
from ricochet_casino.games import build, load_paytable
from ricochet_casino.games.ricochet_poker.controls import KICKED_OUT, features_of
from ricochet_casino.games.ricochet_poker.difference_controls import (
    DIFFERENCE,
    NEW,
    OLD,
    SIDES,
    Pair,
)
from ricochet_casino.games.ricochet_poker.difference_figures import (
    QUANTITIES,
    DifferencePilot,
)
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.table_arrays import BINS, FEATURES
from ricochet_casino.games.ricochet_poker.table_difference import (
    PILOT_STREAM,
    STREAM,
    Side,
    TableDifference,
    TwoTables,
)
from ricochet_casino.games.ricochet_poker.table_sampling import CompiledTable, play_tables
from ricochet_casino.runs import run

VALUE = 1 << 32
ROUNDINGS = 64
NO_WEIGHTS = dict.fromkeys(SIDES, ((0,) * (1 + FEATURES),) * BINS)


def paytable(**changes):
    """The rulebook's game with other kickouts, bonuses or amounts."""
    content = load_paytable("rulebook").model_dump(mode="json")
    for key in ("expect", "side_bets"):
        content.pop(key, None)
    for key, value in changes.items():
        group, _, line = key.partition("__")
        if line:
            content[group] = {**content[group], line.removeprefix("_"): value}
        else:
            content[group] = value
    return RicochetPokerPaytable.read(content)


PLAIN = paytable()
LATER = paytable(kickout___1="AA", kickout___2="33xx")
EARLIER = paytable(kickout___1="KK", kickout___2="AA")
RICHER = paytable(bonus__flush=7)
OTHER = paytable(bonus__flush=7, kickout___1="AA")


def experiment(old, new, players, number, pilot=None, draw_controls=False, seed=7):
    level = Fraction(9, 10)
    return TableDifference(old, new, players, number, seed, pilot, draw_controls, level)


def tallied(one):
    return Tally.total(one.run(shard) for shard in one.shards())


def remembered(function):
    """As `functools.cache`, for arguments that can be written as text."""
    found = {}

    def ask(*arguments):
        key = repr(arguments)
        if key not in found:
            found[key] = function(*arguments)
        return found[key]

    return ask


@remembered
def pilot_of(old, new, players, strategies=("collective", "collective"), draw_controls=False):
    sides = Side(old, strategies[0]), Side(new, strategies[1])
    trial = experiment(*sides, players, 4096, draw_controls=draw_controls)
    return sides, trial.found(tallied(trial))


def plain_pilot():
    """A pilot that takes nothing off."""
    sums = dict.fromkeys(QUANTITIES, 0)
    return DifferencePilot(1, NO_WEIGHTS, sums, dict.fromkeys(QUANTITIES, 10**24))


# --- The tally -----------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 5])
def test_tallies_are_sums_over_deals_played_at_each_table_alone(players):
    changed = paytable(bonus__flush=7, kickout___1="AA", kickout___2="33xx", kickout___5="444")
    sides = Side(PLAIN, "pot_odds"), Side(changed, "collective")
    one = experiment(*sides, players, 600, plain_pilot(), draw_controls=True)
    counts = tallied(one).counts
    dealt = deals(7, STREAM, 0, 600, count=5 * players + 5)
    found = {}
    for name, side in ((OLD, sides[0]), (NEW, sides[1])):
        rounds, values = play_tables(side.paytable.rules(players), side.strategies, dealt)
        actions = rounds.actions.reshape(600, players)
        found[f"{name}.value"] = values.value.tolist()
        found[f"{name}.fold"] = (actions == 0).sum(axis=1).tolist()
        found[f"{name}.play"] = found[f"{name}.bet"] = (actions == 1).sum(axis=1).tolist()
        found[f"{name}.win"] = rounds.winners.reshape(600, players).astype(int).sum(axis=1).tolist()
    for what in ("value", "fold", "play", "win", "bet"):
        pairs = zip(found[f"{OLD}.{what}"], found[f"{NEW}.{what}"], strict=True)
        found[f"{DIFFERENCE}.{what}"] = [new - old for old, new in pairs]
    assert set(found) == set(QUANTITIES)
    for name, values in found.items():
        assert counts[f"{name}.sum"] == sum(values), name
        assert counts[f"{name}.squares"] == sum(value**2 for value in values), name
    assert counts[f"{DIFFERENCE}.fold.squares"] > 0


def test_blocks_add_up_and_workers_do_not_matter():
    sides, pilot = pilot_of(PLAIN, RICHER, 2)
    assert isinstance(experiment(*sides, 2, 10, pilot), Experiment)
    one = experiment(*sides, 2, 40_000, pilot)
    assert len(one.shards()) == 3
    first = run(one, workers=1)
    assert json.dumps(first.entry) == json.dumps(run(one, workers=2).entry)
    again = build(json.loads(json.dumps(one.spec())))
    assert again.spec() == one.spec()
    assert again.run(again.shards()[2]).counts == one.run(one.shards()[2]).counts


def test_a_pilot_is_on_a_stream_of_its_own_and_survives_json():
    sides, pilot = pilot_of(PLAIN, RICHER, 2)
    assert PILOT_STREAM != STREAM
    assert DifferencePilot.from_json(json.loads(json.dumps(pilot.to_json()))) == pilot
    trial = experiment(*sides, 2, 300)
    sums = tallied(trial).counts[f"{OLD}.value.sum"]
    rounds = deals(7, PILOT_STREAM, 0, 300, count=15)
    table = CompiledTable(PLAIN.rules(2), ("collective",) * 2)
    table.work.draw_controls = 0
    assert sums == int(table.play(rounds)[1].value.sum())


# --- Values without controls of draws ------------------------------------------------------------


@pytest.mark.parametrize(
    "strategies", [("individual", "pot_odds"), ("always_play", "collective"), ("pot_odds",) * 2]
)
def test_values_without_controls_of_draws_have_the_mean_of_the_results(strategies):
    """Over every way in which a stub of 11 cards can fall."""
    rules = dataclasses.replace(PLAIN.rules(2), lowest_rank=8, kickout_class=6500)
    rng, told_apart = random.Random(5), False
    for _ in range(3):
        cards = rng.sample(rules.deck, 9)
        stub = [card for card in rules.deck if card not in cards]
        rows = [
            [*cards, *first, *second]
            for first in combinations(stub, 3)
            for second in combinations([card for card in stub if card not in first], 3)
        ]
        decks = np.array(rows, dtype=np.uint8)
        table = CompiledTable(rules, strategies)
        controlled = table.play(decks)[1].value
        table.work.draw_controls = 0
        rounds, values = table.play(decks)
        few = Fraction(ROUNDINGS * len(decks), VALUE)
        assert abs(Fraction(int(values.value.sum()), VALUE) - int(rounds.nets.sum())) <= few
        assert abs(int(values.value.sum()) - int(controlled.sum())) <= 2 * ROUNDINGS * len(decks)
        told_apart |= bool((controlled != values.value).any())
    assert told_apart


# --- Controls ------------------------------------------------------------------------------------


@pytest.mark.parametrize("new", [LATER, EARLIER])
def test_bins_end_at_both_kickouts(new):
    pair = Pair(PLAIN.rules(1), new.rules(1))
    low, high = sorted((pair.old.kickout_class, pair.new.kickout_class))
    for features in pair.features.values():
        bin_of = features.bin_of
        assert (np.diff(bin_of) >= 0).all()
        assert bin_of[low - 1] < bin_of[low] < KICKED_OUT == bin_of[high]
        assert bin_of[high - 1] == KICKED_OUT - 1
        assert sum(row[0] for row in features.means) == 1
    # The features beside the bin's are not those of another game.
    for side, rules in ((OLD, pair.old), (NEW, pair.new)):
        one, other = pair.features[side], features_of(rules)
        for column in (2, 3, 4):
            total = [sum(row[column] for row in each.means) for each in (one, other)]
            assert total[0] == total[1]


@pytest.mark.parametrize(("old", "new"), [(PLAIN, LATER), (EARLIER, RICHER)])
def test_exact_means_of_the_features_are_near_those_of_a_sample(old, new):
    pair, number = Pair(old.rules(2), new.rules(2)), 20_000
    seats = {OLD: ("collective",) * 2, NEW: ("collective",) * 2}
    tables = TwoTables(pair, seats, draw_controls=False)
    dealt = deals(3, PILOT_STREAM, 0, number, count=15)
    values = [table.play(dealt)[1] for table in (tables.old, tables.new)]
    rows = {OLD: values[0].features, NEW: values[1].features, DIFFERENCE: pair.rows(*values)}
    for side, found in rows.items():
        for column in range(1, 1 + FEATURES):
            by_bin = np.bincount(found[:, 0], found[:, column], BINS) / number
            squares = np.bincount(found[:, 0], found[:, column].astype(float) ** 2, BINS) / number
            exact = np.array([float(row[column]) for row in pair.features[side].means])
            error = np.sqrt((squares - by_bin**2) / number)
            apart = np.abs(by_bin - exact) > 5 * error + 1e-9
            assert not apart.any(), (side, column, np.flatnonzero(apart))


@pytest.mark.parametrize("draw_controls", [False, True])
@pytest.mark.parametrize("players", [2, 7])
def test_no_deal_leaves_its_bounds(players, draw_controls):
    """With weights and bonuses that stretch them."""
    new = paytable(
        bonus__straight=40, bonus__flush=90, dealer_ante=4, kickout___2="QQ", kickout___7="AAxx"
    )
    strategies = ("pairs_and_big_cards", "collective")
    sides, pilot = pilot_of(PLAIN, new, players, strategies, draw_controls)
    one = experiment(*sides, players, 4000, pilot, draw_controls)
    bets = one.bets(pilot)
    tables = TwoTables(one.pair, one.seats, draw_controls)
    dealt = deals(11, STREAM, 0, 4000, count=5 + 5 * players)
    values = [table.play(dealt)[1] for table in (tables.old, tables.new)]
    by_side = tables._values(4000, *values)
    products = np.zeros((3, 1, 1, 1), dtype=np.int64)
    tables._control(4000, by_side, pilot, products)
    for side, found in by_side.items():
        low, high = bets.bounds(f"{side}.value")
        assert low * VALUE <= int(found.value.min())
        assert int(found.value.max()) <= high * VALUE
    assert bets.bounds(f"{DIFFERENCE}.fold") == (-players, players)


# --- What comes out ------------------------------------------------------------------------------


def test_equal_tables_differ_by_nothing():
    # Another title, and another kickout for tables that are not looked at.
    same = paytable(title="The same game", kickout___3="KKxx")
    sides, pilot = pilot_of(PLAIN, same, 2)
    entry = run(experiment(*sides, 2, 2000, pilot)).entry
    for figure in entry[DIFFERENCE].values():
        assert figure["decimal"] == "0"
        assert figure["interval"] == ["0", "0"]
        assert figure["interval_method"] == "identical"
    assert entry[OLD] == entry[NEW]


def test_rules_that_differ_in_what_never_happens_differ_by_nearly_nothing():
    """With amounts twice as large everything is the same per ante: rules differ, results do not."""
    double = paytable(ante=2, dealer_ante=2, play_bet=2)
    sides, pilot = pilot_of(PLAIN, double, 2)
    entry = run(experiment(*sides, 2, 32_768, pilot)).entry
    found = entry[DIFFERENCE]["rtp_per_ante"]
    low, high = map(Fraction, found["interval"])
    assert abs(Fraction(found["decimal"])) < Fraction(1, 10**8)
    assert low < 0 < high
    assert high - low < Fraction(1, 400)
    assert entry[DIFFERENCE]["average_bet"]["decimal"] == "0"


@remembered
def exact(one):
    return run(Solo(one)).entry


@pytest.mark.parametrize(("old", "new"), [(PLAIN, OTHER), (OTHER, PLAIN)])
def test_intervals_hold_the_exact_figures_of_one_player(old, new):
    """At a level of 90 % at most a tenth may miss; of 100 samples 22 would be far too many."""
    sides, pilot = pilot_of(old, new, 1)
    number, samples = 800, 100
    one = experiment(*sides, 1, number, pilot)
    bets = one.bets(pilot)
    tables = TwoTables(one.pair, one.seats, draw_controls=False)
    names = {"value": "rtp_per_ante", "fold": "fold_frequency", "win": "win_frequency"}
    figures = {
        (side, what): Fraction(exact(table)[name]["exact"]) - (what == "value")
        for side, table in ((OLD, old), (NEW, new))
        for what, name in names.items()
    }
    for what in names:
        figures[DIFFERENCE, what] = figures[NEW, what] - figures[OLD, what]
    missed, widths = dict.fromkeys(figures, 0), dict.fromkeys(figures, Fraction())
    for sample in range(samples):
        counts = tables.sample(7, STREAM, sample * number, number, pilot).counts
        for (side, what), truth in figures.items():
            name = f"{side}.{what}"
            _, found = bets.mean(name, counts[f"{name}.sum"], counts[f"{name}.squares"])
            missed[side, what] += not found.low <= truth <= found.high
            widths[side, what] += (found.high - found.low) / samples
    assert max(missed.values()) < 22, missed
    # They say something, few as the deals are.
    assert widths[DIFFERENCE, "value"] < Fraction(2, 3) * (
        widths[OLD, "value"] + widths[NEW, "value"]
    )


@pytest.mark.parametrize("new", [RICHER, LATER])
def test_the_difference_is_known_much_better_than_from_two_samples(new):
    sides, pilot = pilot_of(PLAIN, new, 2)
    entry = run(experiment(*sides, 2, 65_536, pilot)).entry
    widths = {}
    for side in SIDES:
        low, high = map(Fraction, entry[side]["rtp_per_ante"]["interval"])
        widths[side] = high - low
    # Two samples that are independent: the ends add up, or at best their squares do.
    assert 6 * widths[DIFFERENCE] < widths[OLD] + widths[NEW]
    assert 18 * widths[DIFFERENCE] ** 2 < widths[OLD] ** 2 + widths[NEW] ** 2


def test_two_strategies_on_the_same_deals():
    sides, pilot = pilot_of(PLAIN, PLAIN, 2, ("collective", "always_fold"))
    entry = run(experiment(*sides, 2, 20_000, pilot)).entry
    assert entry["strategy"] == {OLD: "collective", NEW: "always_fold"}
    assert Fraction(entry[DIFFERENCE]["rtp_per_ante"]["interval"][1]) < Fraction(-1, 2)
    assert entry[NEW]["play_frequency"]["decimal"] == "0"


def test_the_pilot_tells_how_many_deals_are_needed():
    sides, pilot = pilot_of(PLAIN, LATER, 2)
    wanted = Fraction(1, 400)
    needed = experiment(*sides, 2, 1, pilot).bets(pilot).deals_for(wanted)
    entry = run(experiment(*sides, 2, needed * 21 // 20, pilot)).entry
    low, high = map(Fraction, entry[DIFFERENCE]["rtp_per_ante"]["interval"])
    assert (high - low) / 2 <= wanted
    assert 1000 < needed < 60_000


# --- What is refused -----------------------------------------------------------------------------


def test_bad_parameters_are_refused():
    website = load_paytable("website_four_players")
    with pytest.raises(ValueError, match="has no kickout for 2 players; expected 4"):
        experiment(Side(PLAIN), Side(website), 2, 10)
    with pytest.raises(ValueError, match="did you mean collective"):
        experiment(Side(PLAIN, "colective"), Side(PLAIN), 2, 10)
    with pytest.raises(ValueError, match="3 strategies for 2 players"):
        experiment(Side(PLAIN, ("pot_odds",) * 3), Side(PLAIN), 2, 10)
    with pytest.raises(ValueError, match="deals must be 1 to"):
        experiment(Side(PLAIN), Side(PLAIN), 2, 0)
    with pytest.raises(ValueError, match="draw_controls must be true or false"):
        experiment(Side(PLAIN), Side(PLAIN), 2, 10, draw_controls=1)
    odd = [paytable(coin=f"1/{prime}", bonus={}) for prime in (4999, 5003)]
    with pytest.raises(ValueError, match="cannot be compared in 64 bits"):
        experiment(Side(odd[0]), Side(odd[1]), 1, 10)


def test_bad_specifications_are_refused():
    sides, pilot = pilot_of(PLAIN, RICHER, 2)
    spec = experiment(*sides, 2, 10, pilot).spec()

    def broken(**changes):
        return {**spec, "parameters": {**spec["parameters"], **changes}}

    with pytest.raises(ValueError, match="unknown parameter deal; did you mean deals"):
        build(broken(deal=1))
    with pytest.raises(ValueError, match="not a side of a comparison"):
        build(broken(old="rulebook"))
    content = pilot.to_json()
    for change, said in (
        ({"deals": 0}, "no deals"),
        ({"sums": {}}, "not a pilot of a difference"),
        ({"weights": {side: [[0] * 5] * 47 for side in SIDES}}, "expected 48 rows"),
        ({"weights": {side: [[0, 1 << 41, 0, 0, 0]] * 48 for side in SIDES}}, "too large"),
    ):
        with pytest.raises(ValueError, match=said):
            build(broken(pilot={**content, **change}))
    tally = tallied(experiment(*sides, 2, 10, pilot))
    with pytest.raises(ValueError, match="holds 10 of 11 deals"):
        experiment(*sides, 2, 11, pilot).result(tally)
