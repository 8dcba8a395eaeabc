"""What players gain by deviating from `individual`: exact best replies; no bias by selection."""

import json
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from ricochet_casino.experiment import Shard, Tally
from ricochet_casino.games import build, load_paytable
from ricochet_casino.games.ricochet_poker.deviation import (
    BLOCK,
    SECOND,
    DeviationTable,
    Sums,
    TableDeviation,
    play_bounds,
)
from ricochet_casino.games.ricochet_poker.table_position import decide_at_table
from ricochet_casino.games.ricochet_poker.two_players import decide
from ricochet_casino.runs import run_blocks

GAME = load_paytable("rulebook")
ONE = 1 << 32


def on_the_table(decision, players):
    """Holes, dealer, completed hands and folds, as `decide` takes them."""
    dealt = decision.dealt.tolist()
    holes = [tuple(dealt[2 * seat : 2 * seat + 2]) for seat in range(players)]
    dealer, drawn = tuple(dealt[2 * players : 2 * players + 5]), dealt[2 * players + 5 :]
    return holes, dealer, drawn


def mean_and_error(values):
    found = values / ONE
    return found.mean(), found.std() / sqrt(len(found))


@pytest.mark.parametrize("seed", [1])
def test_two_players_play_exact_best_replies(seed):
    """The policy's action is the best reply, so that deviating gains nothing, on 30 deals."""
    rules = GAME.rules(2)
    table = DeviationTable(rules, seed)
    scores, kinds = [], set()
    for deal in range(30):
        first, second = table.decisions(deal, 0)
        holes, dealer, _ = on_the_table(first, 2)
        exact = decide(rules, holes, dealer, strategy="individual")
        assert exact.to_act == first.seat
        assert exact.fold == 0
        assert (exact.best == "play") == first.plays
        kinds.add(first.plays)
        gain = (exact.fold - exact.play) if first.plays else (exact.play - exact.fold)
        assert gain <= 0
        mean, error = mean_and_error(table.gains(first, 0, 300))
        scores.append((mean - float(gain / rules.unit)) / max(error, 1e-6))

        drawn = on_the_table(second, 2)[2]
        completed = [(), ()]
        if first.plays:
            completed[first.seat] = (*holes[first.seat], *drawn)
        folded = [seat == first.seat and not first.plays for seat in range(2)]
        reply = decide(
            rules, holes, dealer, completed=completed, folded=folded, strategy="individual"
        )
        if reply.fold == 0:  # otherwise the last hand standing
            assert (reply.best == "play") == second.plays
            assert ((reply.best == "play") == (reply.play >= 0)) or reply.play == 0
    assert kinds == {True, False}
    assert max(map(abs, scores)) < 4.5
    assert np.mean(np.square(scores)) < 2.5
    assert table.decisions(0) == []


def test_two_players_gain_nothing():
    experiment = TableDeviation(GAME, 2, 40, 3)
    entry = experiment.result(run_blocks(experiment).total).entry
    assert entry["mean_gain"]["decimal"] == "0"
    assert entry["largest_gain"] is None
    assert (entry["decisions"], entry["simulated"], entry["deviations"]) == (80, 0, 0)


def test_a_decision_is_worth_what_decide_says():
    rules = GAME.rules(3)
    table = DeviationTable(rules, 2)
    signs = set()
    for deal in range(5):
        (decision,) = table.decisions(deal)
        holes, dealer, _ = on_the_table(decision, 3)
        found = decide_at_table(rules, holes, dealer, strategy="individual", deals=3000)
        assert (found.best == "play") == decision.plays
        low, high = float(found.play.interval.low), float(found.play.interval.high)
        mean, error = mean_and_error(table.gains(decision, 0, 2000))
        value = (-mean if decision.plays else mean) * float(rules.unit)
        assert low - 4 * error < value < high + 4 * error
        signs.add(decision.plays)
    assert signs == {True, False}


@pytest.mark.parametrize("players", [3, 5, 7])
def test_values_are_within_their_bounds_and_samples_differ(players):
    rules = GAME.rules(players)
    table = DeviationTable(rules, 4)
    low, high = (float(end) for end in play_bounds(rules))
    seen = 0
    for deal in range(3):
        decisions = table.decisions(deal)
        assert len(decisions) == players - 2
        assert [decision.place for decision in decisions] == list(range(players - 2))
        for decision in decisions:
            values = table.gains(decision, 0, 200)
            plays = (-values if decision.plays else values) / ONE
            assert low - 1e-6 <= plays.min()
            assert plays.max() <= high + 1e-6
            assert (table.gains(decision, 0, 200) == values).all()
            assert (table.gains(decision, 100, 100) == values[100:]).all()
            seen += (table.gains(decision, 200, 200) != values).any()
    assert seen > 0


class Noise(DeviationTable):
    """Both actions worth the same, but for noise."""

    def decisions(self, deal, exact=2):
        found = super().decisions(0, exact)
        return [one._replace(deal=deal) for one in found]

    def gains(self, decision, first, number):
        rng = np.random.default_rng([decision.deal, decision.place, first])
        return (rng.normal(size=number) * ONE).astype(np.int64)


def test_gains_of_noise_are_not_biased_upward():
    """Who takes the better of two noisy means would find a gain in every decision."""
    counts = Noise(GAME.rules(5), 1).tally(0, 1500).counts
    deviations = counts["deviations"]
    assert 0.005 * counts["simulated"] < deviations < 0.1 * counts["simulated"]
    mean = counts["gain.sum"] / ONE / SECOND
    assert abs(mean) < 4 * sqrt(deviations / SECOND)
    # What looked best did so by luck: its first sample says more than two standard errors.
    assert counts["best.0.look"] / ONE > 2.5 / sqrt(1 << 10)
    assert abs(counts["best.0.sum"] / ONE / (1 << 12)) < 4 / sqrt(1 << 12)


class Contrary(DeviationTable):
    """A policy that does the opposite: deviating from it pays."""

    def decisions(self, deal, exact=2):
        return [one._replace(plays=not one.plays) for one in super().decisions(deal, exact)]


def test_a_gain_that_is_there_is_found():
    experiment = TableDeviation(GAME, 3, 8, 6)
    tally = Contrary(GAME.rules(3), 6).tally(0, 8)
    entry = experiment.result(tally).entry
    assert entry["deviations"] > 4
    low, high = map(Fraction, entry["mean_gain"]["interval"])
    assert low < Fraction(entry["mean_gain"]["decimal"]) < high
    assert Fraction(entry["mean_gain"]["decimal"]) > Fraction(1, 10)
    largest = entry["largest_gain"]
    assert Fraction(largest["interval"][0]) > 0
    assert 0 <= largest["deal"] < 8
    assert largest["place"] == 1
    assert largest["policy"] in ("play", "fold")


def test_a_mean_is_clear_from_two_standard_errors_on():
    values = [3, 1, 2, 2, 3, 1, 2, 2]
    sums = Sums(8, sum(values), sum(value**2 for value in values))
    assert sums.sign() == 1
    assert sums._replace(total=-sums.total).sign() == -1
    assert Sums(2, 1, 1).sign() == 0
    assert Sums(4, 0, 0).sign() == 0


def test_workers_and_blocks_do_not_change_a_byte():
    experiment = TableDeviation(GAME, 3, BLOCK + 4, 9)
    one, two = (run_blocks(experiment, workers=n, executor="threads") for n in (1, 2))
    assert one.digests == two.digests
    assert len(one.digests) == 2
    parts = sum((experiment.run(Shard("x", [a, b])) for a, b in ((13, 7), (0, 13))), Tally())
    for name in ("rounds", "simulated", "deviations", "gain.sum", "gain.squares"):
        assert parts.counts[name] == one.total.counts[name]


def test_the_specification_builds_the_experiment_again():
    experiment = TableDeviation(GAME, 5, 10, 2**64 - 1, Fraction(9, 10))
    again = build(json.loads(json.dumps(experiment.spec())))
    assert again.spec() == experiment.spec()
    shard = Shard("0", [0, 2])
    assert again.run(shard) == experiment.run(shard)
    with pytest.raises(ValueError, match="2 of 10"):
        experiment.result(experiment.run(shard))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"players": 1}, "one player"),
        ({"deals": 0}, "deals must be"),
        ({"deals": 10**10}, "deals must be"),
        ({"seed": 1 << 64}, "seed must be"),
        ({"level": Fraction(1, 3)}, "level must be"),
    ],
)
def test_numbers_out_of_range_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        TableDeviation(GAME, **{"players": 3, "deals": 10, "seed": 0, **changes})
