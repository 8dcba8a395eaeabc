"""Settings, re-pricing, sensitivity, tuning: against the experiment run directly; commands."""

import json
import os
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest

from ricochet_casino.config import canonical_json
from ricochet_casino.games import load_paytable, read_paytable
from ricochet_casino.games.ricochet_poker.quick_figures import QuickFigures
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.spectrum import load_spectrum
from ricochet_casino.lab.candidates import candidates
from ricochet_casino.lab.grid import kickout_steps, read_grid
from ricochet_casino.lab.reprice import apply_settings, reprice
from ricochet_casino.lab.running import Runner
from ricochet_casino.lab.sensitivity import sensitivity
from ricochet_casino.lab.settings import changed_paytable_yaml
from ricochet_casino.lab.table_pricing import table_evaluator, table_repricer
from ricochet_casino.lab.tune import Goal, best_paytable, tune
from ricochet_casino.report import workbench
from ricochet_casino.runs import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def spectrum(folder):
    return load_spectrum(folder)


@pytest.fixture(scope="module")
def rulebook():
    return load_paytable("rulebook")


def solo(paytable, strategy="collective"):
    return run(Solo(paytable, strategy)).entry


# --- Settings ------------------------------------------------------------------------------------


def test_settings_change_what_they_name_and_nothing_else(rulebook):
    changed = apply_settings(
        rulebook,
        ["bonus.flush=6 to 1", "bonus.three_of_a_kind=1", "bonus.straight=none", "kickout.1=AA",
         "dealer_ante=2", "cover.flush=8", "quickdraw.pays=6 for 1", "last_hand=none"],
    )  # fmt: skip
    assert changed.bonus["flush"] == 6
    assert changed.bonus["three_of_a_kind"] == 1
    assert "straight" not in changed.bonus
    assert changed.kickout == {**rulebook.kickout, 1: "AA"}
    assert (changed.dealer_ante, changed.last_hand) == (2, "none")
    assert changed.cover.pays == {**rulebook.cover.pays, "flush": 8}
    assert changed.quickdraw.pays == 5
    assert changed.expect == {}
    assert "bonus.flush=6 to 1" in changed.title
    assert (changed.ante, changed.players) == (rulebook.ante, rulebook.players)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["bonus.flsh=6"], "--set bonus.flsh=6: unknown line.*did you mean flush"),
        (["anty=6"], "--set anty=6: unknown setting.*did you mean ante"),
        (["bonos.flush=6"], "did you mean bonus.flush"),
        (["flush"], "expected KEY=VALUE"),
        (["bonus.flush="], "expected KEY=VALUE"),
        (["bonus.flush=-1"], "negative"),
        (["bonus.pair=none"], "no such line"),
        (["kickout.1=KQK"], "did you mean KKQ"),
        (["kickout.9=AA"], "does not cover 9 players"),
        (["quickdraw.pay=3"], "did you mean pays"),
        (["cover.flush=x"], "x is not odds"),
        (["play_bet=1/2"], "whole number of coins"),
        (["last_hand=fre"], "did you mean free"),
        (["bonus.flush=6", "bonus.flush=7"], "the same as bonus.flush=6"),
        (["bonus.flush=6", "kickout.1=KQK"], "^--set kickout.1=KQK"),
    ],
)
def test_bad_settings_are_refused_with_the_nearest_name(rulebook, settings, message):
    with pytest.raises(ValueError, match=message):
        apply_settings(rulebook, settings)


def test_side_bets_that_are_not_offered_cannot_be_set():
    with pytest.raises(ValueError, match="does not offer the side bet cover"):
        apply_settings(load_paytable("home_capped"), ["cover.flush=8"])


def test_amounts_that_fit_only_together_may_be_set_together(rulebook):
    changed = apply_settings(rulebook, ["play_bet=1/2", "coin=1/2"])
    assert changed.rules(1).play_bet == 1


# --- Re-pricing ----------------------------------------------------------------------------------


def test_both_sides_are_the_experiment_and_the_difference_is_exact(rulebook, spectrum):
    new = apply_settings(rulebook, ["bonus.flush=6", "kickout.1=AA", "cover.flush=8"])
    found = reprice(rulebook, new, spectrum, settings=("bonus.flush=6",))
    (result,) = found["results"]
    for side, paytable in (("old", rulebook), ("new", new)):
        expected = solo(paytable)
        del expected["by_hand"], expected["class_map_loss"]
        assert result[side] == expected
    for name, change in result["difference"].items():
        old, fresh = result["old"][name], result["new"][name]
        if "exact" in change:
            assert Fraction(change["exact"]) == Fraction(fresh["exact"]) - Fraction(old["exact"])
        else:
            rough = Decimal(fresh["decimal"]) - Decimal(old["decimal"])
            assert abs(Decimal(change["decimal"]) - rough) < Decimal("1e-11")
    total = sum(Fraction(row["exact"]) for row in result["contributions_difference"])
    assert total == Fraction(result["difference"]["ev_per_ante"]["exact"])
    (cover,) = [bet for bet in found["side_bets"] if bet["name"] == "cover"]
    assert Fraction(cover["difference"]["rtp"]["exact"]) == Fraction(5108, 2598960)
    canonical_json(found)  # refuses floats


def test_paytables_without_one_player_are_refused_but_tables_can_be_plugged_in(rulebook, spectrum):
    four = load_paytable("website_four_players")
    with pytest.raises(ValueError, match="one player"):
        reprice(four, four, spectrum)
    found = reprice(rulebook, four, spectrum, tables={4: lambda *_: {"old": {}, "new": {}}})
    assert [result["players"] for result in found["results"]] == [4]


# --- Sensitivity ---------------------------------------------------------------------------------


def test_every_row_is_the_experiment_run_with_that_setting(rulebook, spectrum):
    found = sensitivity(rulebook, spectrum)
    assert [row["setting"] for row in found["lines"]] == [
        "bonus.straight=3 to 1", "bonus.flush=6 to 1", "bonus.full_house=11 to 1",
        "bonus.four_of_a_kind=26 to 1", "bonus.straight_flush=101 to 1",
        "bonus.royal_flush=1001 to 1",
    ]  # fmt: skip
    assert {row["move"]: row["setting"] for row in found["kickout"]} == {
        "step down": "kickout.1=KKJ", "class down": "kickout.1=KKJT9",
        "class up": "kickout.1=KKQ4", "step up": "kickout.1=KKA",
    }  # fmt: skip
    before = solo(rulebook)
    for row in (found["lines"][1], found["kickout"][0], found["kickout"][2]):
        after = solo(apply_settings(rulebook, [row["setting"]]))
        for name in ("rtp_per_ante", "hit_frequency", "fold_frequency", "maximum_exposure"):
            assert row["figures"][name] == after[name]
            change = Fraction(after[name]["exact"]) - Fraction(before[name]["exact"])
            assert Fraction(row["change"][name]["exact"]) == change
        assert row["figures"]["sd"] == after["sd_per_round"]
    for row in found["side_bets"]:
        changed = apply_settings(rulebook, [row["setting"]])
        (bet,) = [bet for bet in side_bet_entries(changed) if bet["name"] == row["bet"]]
        assert row["figures"]["rtp_per_ante"] == bet["rtp"]
        assert row["figures"]["sd"] == bet["sd"]
        assert row["figures"]["hit_frequency"] == bet["hit_frequency"]
    canonical_json(found)


def test_the_kickout_curve_falls_and_holds_the_present_hand(rulebook, spectrum):
    odd = apply_settings(rulebook, ["kickout.1=KKQ4"])
    curve = sensitivity(odd, spectrum)["kickout_curve"]
    assert len(curve) == len(kickout_steps()) + 1
    assert [point["kickout"] for point in curve if point["now"]] == ["KKQ4"]
    returns = [Fraction(point["figures"]["rtp_per_ante"]["exact"]) for point in curve]
    assert returns == sorted(returns, reverse=True)


# --- Grids ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vary", "values"),
    [
        ("bonus.flush=4..6", ["4 to 1", "5 to 1", "6 to 1"]),
        ("bonus.flush=4..5:1/2", ["4 to 1", "9 to 2", "5 to 1"]),
        ("bonus.flush=4..7:2", ["4 to 1", "6 to 1"]),
        ("bonus.flush=none,3 to 2", ["none", "3 to 2"]),
        ("ante=1..2", ["1", "2"]),
        ("last_hand=free,none", ["free", "none"]),
        ("kickout.1=KKQ..AA5", ["KKQ", "KKA", "AA", "AA5"]),
        ("kickout.1=KKQ43..KKA", ["KKQ43", "KKA"]),
        ("kickout.1=KKQ..KKQ5:all", ["KKQ", "KKQ4", "KKQ43", "KKQ5"]),
        ("kickout.1=royal_flush..none", ["AKQJTs", "none"]),
    ],
)
def test_ranges_and_lists(rulebook, vary, values):
    assert list(read_grid(rulebook, [vary]).axes[0].values) == values


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ([], "nothing to vary"),
        (["bonus.flsh=4..8"], "did you mean flush"),
        (["bonus.flush=8..4"], "did you mean bonus.flush=4..8"),
        (["bonus.flush=4..8:0"], "steps of 0"),
        (["bonus.flush=4..x"], "x is not odds"),
        (["bonus.flush=4,4"], "different values"),
        (["kickout.1=AA..KKQ"], "did you mean KKQ..AA"),
        (["kickout.1=KKQ..AA:2"], "expected no steps"),
        (["last_hand=free..none"], "no range"),
        (["last_hand=free,non"], "did you mean none"),
        (["bonus.flush=4..8", "bonus.flush=5"], "the same as"),
        (["bonus.flush=0..999999", "bonus.straight=0..999999"], "1,000,000,000,000 combinations"),
        (["bonus.flush=0..1000000000"], "1,000,000,001 combinations"),
    ],
)
def test_bad_grids_are_refused(rulebook, vary, message):
    with pytest.raises(ValueError, match=re.escape(message) if "," in message else message):
        read_grid(rulebook, vary)


def test_candidates_are_the_paytables_that_settings_give(rulebook):
    grid = read_grid(
        rulebook,
        ["bonus.flush=none,6", "kickout.1=KKQ,AA", "last_hand=free,none", "ante=1,2",
         "cover.flush=8,none", "quickdraw.pays=4,5"],
    )  # fmt: skip
    made = list(candidates(rulebook, grid))
    assert len(made) == grid.count == 64
    for candidate in made[::7]:
        expected = apply_settings(rulebook, candidate.settings)
        assert candidate.paytable.model_dump(exclude={"title"}) == expected.model_dump(
            exclude={"title"}
        )
        assert candidate.paytable.rules(1) == expected.rules(1)


# --- Tuning --------------------------------------------------------------------------------------

SMALL = ["bonus.flush=4..6", "kickout.1=KKQ,KKA"]


@pytest.fixture(scope="module")
def brute(rulebook):
    """Every combination of the small grid by the experiment itself."""
    found = {}
    for settings in product(*(axis.settings for axis in read_grid(rulebook, SMALL).axes)):
        found[settings] = solo(apply_settings(rulebook, settings))
    return found


@pytest.mark.parametrize("within", ["0.001", "0.004", "0.01"])
def test_tune_finds_what_a_loop_over_the_experiment_finds(rulebook, spectrum, brute, within):
    goal = Goal(Fraction("0.966"), Fraction(within))
    grid = read_grid(rulebook, SMALL)
    found = tune(rulebook, grid, goal, spectrum)
    distance = {
        settings: abs(Fraction(entry["rtp_per_ante"]["exact"]) - goal.target)
        for settings, entry in brute.items()
    }
    expected = sorted((s for s in brute if distance[s] <= goal.within), key=distance.__getitem__)
    assert [tuple(row["settings"]) for row in found["listed"]] == expected
    assert found["combinations"]["met"] == len(expected)
    for row in found["listed"]:
        entry = brute[tuple(row["settings"])]
        figures = row["figures"]["1"]
        assert figures["sd"] == entry["sd_per_round"]
        for name in ("rtp_per_ante", "hit_frequency", "fold_frequency", "maximum_exposure"):
            assert figures[name] == entry[name]
        assert Fraction(row["distance"]["exact"]) == distance[tuple(row["settings"])]
    assert found == tune(rulebook, grid, goal, spectrum, workers=3)
    canonical_json(found)


def test_the_nearest_on_both_sides_of_a_target_that_nothing_meets(rulebook, spectrum, brute):
    goal = Goal(Fraction("0.962"), Fraction(1, 10**6))
    found = tune(rulebook, read_grid(rulebook, SMALL), goal, spectrum)
    assert found["listed"] == []
    returns = {s: Fraction(entry["rtp_per_ante"]["exact"]) for s, entry in brute.items()}
    below = max((s for s in returns if returns[s] < goal.target), key=returns.__getitem__)
    above = min((s for s in returns if returns[s] > goal.target), key=returns.__getitem__)
    assert tuple(found["nearest"]["below"]["settings"]) == below
    assert tuple(found["nearest"]["above"]["settings"]) == above
    with pytest.raises(ValueError, match="no combination meets"):
        best_paytable(rulebook, found)
    far = tune(rulebook, read_grid(rulebook, SMALL), Goal(Fraction(2)), spectrum)
    assert far["nearest"]["above"] is None
    assert "None meets the target" in workbench.render(far, "text")


def test_constraints_leave_out_what_breaks_them(rulebook, spectrum):
    grid = read_grid(rulebook, ["bonus.flush=2..10:4", "bonus.royal_flush=500,1000"])
    plain = tune(rulebook, grid, Goal(Fraction(1), Fraction(1)), spectrum)
    assert plain["combinations"]["met"] == 6
    # 2 is no more than the straight, 10 no more than the full house.
    rising = tune(rulebook, grid, Goal(Fraction(1), Fraction(1), rising=True), spectrum)
    assert {row["settings"][0] for row in rising["listed"]} == {"bonus.flush=6 to 1"}
    assert rising["combinations"]["not_rising"] == 4
    calm = Goal(Fraction(1), Fraction(1), most_exposure=Fraction(600))
    found = tune(rulebook, grid, calm, spectrum)
    assert {row["settings"][1] for row in found["listed"]} == {"bonus.royal_flush=500"}
    spreads = {tuple(r["settings"]): Fraction(r["figures"]["1"]["variance"]["exact"])
               for r in plain["listed"]}  # fmt: skip
    bound = Fraction("1.9")
    low = tune(rulebook, grid, Goal(Fraction(1), Fraction(1), most_sd=bound), spectrum)
    high = tune(rulebook, grid, Goal(Fraction(1), Fraction(1), least_sd=bound), spectrum)
    expected = {s for s, variance in spreads.items() if variance <= bound**2}
    assert 0 < len(expected) < 6
    assert {tuple(row["settings"]) for row in low["listed"]} == expected
    assert {tuple(row["settings"]) for row in high["listed"]} == spreads.keys() - expected


@pytest.mark.parametrize("sort", ["rtp", "sd", "hit_frequency", "fold_frequency"])
def test_the_list_is_sorted_as_asked(rulebook, spectrum, sort):
    grid = read_grid(rulebook, SMALL)
    name = {"rtp": "rtp_per_ante"}.get(sort, sort)
    for descending in (False, True):
        goal = Goal(Fraction(1), Fraction(1), sort=sort, descending=descending)
        rows = tune(rulebook, grid, goal, spectrum)["listed"]
        values = [Decimal(row["figures"]["1"][name]["decimal"]) for row in rows]
        assert values == sorted(values, reverse=descending)
        assert len(values) == 6


def test_combinations_that_cannot_be_paid_are_counted(rulebook, spectrum):
    grid = read_grid(rulebook, ["bonus.flush=4..5:1/2", "play_bet=1,2"])
    found = tune(rulebook, grid, Goal(Fraction(1), Fraction(1)), spectrum)
    assert found["combinations"] == {
        "all": 6, "impossible": 1, "not_rising": 0, "out_of_bounds": 0, "missed": 0, "met": 5,
    }  # fmt: skip
    assert "9 to 2 on a bet of 1" in found["first_impossible"]


def test_side_bets_are_tuned_for_their_own_return(rulebook):
    vary = ["cover.flush=6..8", "cover.straight=4..5"]
    goal = Goal(Fraction("0.9415"), Fraction("0.002"))
    found = tune(rulebook, read_grid(rulebook, vary), goal)
    expected = set()
    for settings in product(*(axis.settings for axis in read_grid(rulebook, vary).axes)):
        (_, cover) = side_bet_entries(apply_settings(rulebook, settings))
        if abs(Fraction(cover["rtp"]["exact"]) - goal.target) <= goal.within:
            expected.add(settings)
    assert found["bet"] == "cover"
    assert 0 < len(expected) < 6
    assert {tuple(row["settings"]) for row in found["listed"]} == expected
    quick = tune(rulebook, read_grid(rulebook, ["quickdraw.pays=4..6"]), Goal(Fraction("0.89")))
    assert quick["nearest"]["above"]["figures"]["1"]["hit_frequency"]["decimal"].startswith(
        "0.1489"
    )
    with pytest.raises(ValueError, match="one bet"):
        tune(rulebook, read_grid(rulebook, ["cover.flush=6", "bonus.flush=6"]), goal)


def test_one_target_for_several_player_counts(rulebook, spectrum):
    """Tables are plugged in; the target must be met for all."""

    def table(paytable):
        value = Fraction(96, 100) + paytable.bonus["flush"] / 1000
        return QuickFigures(value, Fraction(1), Fraction(1, 2), Fraction(0), Fraction(10))

    grid = read_grid(rulebook, ["bonus.flush=4..8"])
    goal = Goal(Fraction("0.97"), Fraction("0.003"))
    found = tune(rulebook, grid, goal, spectrum, players=(1, 3), evaluators={3: table})
    # One player gets 97.26 % with 7 and 97.43 % with 8; the table 96.6 % with 6 and 96.7 % with 7.
    assert [row["settings"] for row in found["listed"]] == [["bonus.flush=7 to 1"]]
    assert found["listed"][0]["figures"].keys() == {"1", "3"}
    with pytest.raises(ValueError, match="2 players cannot be tuned"):
        tune(rulebook, grid, goal, spectrum, players=(2,))


def test_tables_are_priced_and_tuned_on_the_same_deals(rulebook, spectrum):
    new = apply_settings(rulebook, ["bonus.straight=3"])
    tables = {3: table_repricer(3, Runner(), 3000)}
    found = reprice(rulebook, new, spectrum, tables=tables)
    assert [result["method"] for result in found["results"]] == ["exact", "sampled"]
    change = found["results"][1]["difference"]["rtp_per_ante"]
    low, high = map(Fraction, change["interval"])
    # A straight comes in one completion of 250 or so: one chip more for it is worth about 0.35 %.
    assert Fraction(2, 1000) < Fraction(change["decimal"]) < Fraction(5, 1000)
    assert low < Fraction(35, 10_000) < high
    grid = read_grid(rulebook, ["bonus.straight=1..3"])
    goal = Goal(Fraction(96, 100), Fraction(1, 100))
    evaluators = {3: table_evaluator(3, 3000)}
    rows = tune(rulebook, grid, goal, spectrum, players=(1, 3), evaluators=evaluators)
    alone = tune(rulebook, grid, goal, spectrum)
    assert rows["combinations"]["met"] <= alone["combinations"]["met"]
    figures = [row["figures"] for row in [*rows["listed"], *rows["nearest"].values()] if row]
    sampled = [one["3"] for one in figures if "3" in one]
    assert sampled
    for one in sampled:
        low, high = map(Fraction, one["rtp_per_ante"]["interval"])
        assert one["method"] == "sampled"
        assert low < Fraction(one["rtp_per_ante"]["decimal"]) < high
    text = workbench.render({**rows, "sampled": {"deals": 3000, "seed": 20261130}}, "text")
    assert "bonus.straight" in text
    assert "RTP (3)" in text
    assert "sampled" in text


def test_bad_goals(rulebook, spectrum):
    with pytest.raises(ValueError, match="did you mean distance"):
        Goal(Fraction(1), sort="distanc")
    with pytest.raises(ValueError, match="not negative"):
        Goal(Fraction(-1))
    with pytest.raises(ValueError, match="did you mean collective"):
        tune(
            rulebook, read_grid(rulebook, SMALL), Goal(Fraction(1)), spectrum, strategy="colective"
        )


def test_the_best_paytable_can_be_written_and_read_again(rulebook, spectrum, tmp_path):
    found = tune(rulebook, read_grid(rulebook, SMALL), Goal(Fraction("0.9695")), spectrum)
    best = best_paytable(rulebook, found)
    file = tmp_path / "best.yaml"
    file.write_text(changed_paytable_yaml(best))
    assert read_paytable(file).model == best


# --- Commands ------------------------------------------------------------------------------------


def ricochet(folder, *words):
    environment = {**os.environ, "RICOCHET_CACHE": str(folder), "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", *words],
        capture_output=True, text=True, env=environment, timeout=120, check=False,
    )  # fmt: skip


def test_reprice_prints_both_sides_and_json(folder, spectrum):
    del spectrum
    done = ricochet(folder, "reprice", "rulebook", "--set", "kickout.1=AA")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"RTP per ante +96\.9475 % +93\.9471 % +-3\.0004 %", done.stdout)
    done = ricochet(folder, "reprice", "rulebook", "--set", "kickout.1=AA", "--format", "json")
    found = json.loads(done.stdout)
    assert found["schema"] == "ricochet-casino/reprice/1"
    change = Fraction(found["results"][0]["difference"]["ev_per_ante"]["exact"])
    assert change == Fraction(-124900429, 2063481420) + Fraction(78734189, 2579351775)


def test_sensitivity_prints_tables_and_writes_files(folder, spectrum, tmp_path):
    del spectrum
    done = ricochet(folder, "sensitivity", "rulebook")
    assert (done.returncode, done.stderr) == (0, "")
    assert "KKQ (now)" in done.stdout
    file = tmp_path / "curve.json"
    done = ricochet(folder, "sensitivity", "rulebook", "--every-class", "--format", "json",
                    "--out", str(file))  # fmt: skip
    assert done.returncode == 0
    assert done.stdout == ""
    assert len(json.loads(file.read_text())["kickout_curve"]) == 7463


def test_tune_writes_a_paytable_that_passes_the_check(folder, spectrum, tmp_path):
    del spectrum
    file = tmp_path / "best.yaml"
    words = ["tune", "rulebook", "--target-rtp", "96.95%", "--vary", "bonus.flush=4..8",
             "--vary", "kickout.1=KKQ..AA", "--write-best", str(file)]  # fmt: skip
    done = ricochet(folder, *words)
    assert done.returncode == 0
    assert "meet the target" in done.stdout
    assert ricochet(folder, "paytable", "check", str(file)).returncode == 0
    missed = tmp_path / "missed.yaml"
    words[3], words[-1] = "50%", str(missed)
    done = ricochet(folder, *words)
    assert done.returncode == 1
    assert "Nearest below and above" in done.stdout
    assert "no combination meets the target" in done.stderr
    assert not missed.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reprice", "rulebook"], "--set"),
        (["reprice", "rulebook", "--set", "bonus.flsh=6"], "did you mean flush?"),
        (["reprice", "website_four_players", "--set", "ante=2"], "1 players"),
        (["reprice", "rulebook", "--set", "ante=2", "--format", "yaml"], "text or json"),
        (["sensitivity", "rulebook", "--strategy", "colective"], "did you mean collective?"),
        (["tune", "rulebook", "--target-rtp", "0.9"], "nothing to vary"),
        (["tune", "rulebook", "--target-rtp", "x", "--vary", "ante=1"], "--target-rtp: x"),
        (["tune", "rulebook", "--target-rtp", "0.9", "--vary", "ante=1", "--sort", "x"], "sort"),
        (
            ["tune", "rulebook", "--target-rtp", "0.9", "--vary", "bonus.flush=0..999999",
             "--vary", "bonus.straight=0..999999"],
            "the grid has 1,000,000,000,000 combinations",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_nothing_is_built(tmp_path, words, message):
    done = ricochet(tmp_path / "cache", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    if words[0] != "sensitivity":
        assert not (tmp_path / "cache").exists()
