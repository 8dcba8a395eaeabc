"""Certificates of two to seven players, from request to report."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from ricochet_casino.certificate import Certificate, CertificateError
from ricochet_casino.games import build, load_paytable
from ricochet_casino.games.ricochet_poker.bounds import BLOCK
from ricochet_casino.games.ricochet_poker.gap_plan import GapPilot, Part
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable, read_hand_table
from ricochet_casino.games.ricochet_poker.table_figures import VALUE_UNIT
from ricochet_casino.lab import GAP_PILOT
from ricochet_casino.lab import bounded as bounded_entries
from ricochet_casino.lab.certify import Request, certify, entries
from ricochet_casino.lab.estimates import expected_seconds
from ricochet_casino.lab.requests import (
    NO_BOUNDS,
    Bounding,
    Sampling,
    choice_from_json,
    choice_to_json,
    request_from_json,
    seats_for,
)
from ricochet_casino.lab.running import Runner
from ricochet_casino.lab.verify import verify
from ricochet_casino.report import render
from ricochet_casino.runs import Store

SMALL = Sampling(deals=3000, pilot=4096)


def paytable():
    return load_paytable("rulebook")


def made(
    players=(3,), strategies=("collective",), sampling=SMALL, runner=None, check_rounds=20,
    bounding=NO_BOUNDS,
):  # fmt: skip
    request = Request(players, strategies, check_rounds, 7, sampling, bounding)
    return certify(paytable(), request, runner)


@pytest.fixture(scope="module")
def three():
    return made()


def figures(value, path=""):
    """Every figure in JSON values, with its place."""
    if isinstance(value, dict) and "decimal" in value:
        yield path, value
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from figures(below, f"{path}.{key}")
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from figures(below, f"{path}[{index}]")


def test_every_figure_is_exact_or_has_an_interval_with_level_and_method(three):
    (result,) = three.certified["results"]
    assert result["method"] == "sampled"
    found = dict(figures(result))
    assert len(found) > 40
    exact = {path for path, figure in found.items() if "exact" in figure}
    assert exact == {".kickout_frequency", ".maximum_exposure"}
    for path in found.keys() - exact:
        figure = found[path]
        low, high = map(Fraction, figure["interval"])
        assert low <= Fraction(figure["decimal"]) <= high, path
        assert figure["level"] == "0.99", path
        assert figure["interval_method"], path


def test_the_referee_gets_the_same_result_for_every_seat(three):
    check = three.certified["results"][0]["independent_check"]
    assert check["rounds"] == check["equal_rounds"] == 20
    assert check["reproduced"] is True


def test_workers_do_not_change_a_byte(three):
    with_two = made(runner=Runner(2, "threads"))
    assert with_two.digest == three.digest
    assert json.dumps(with_two.certified, sort_keys=True) == json.dumps(
        three.certified, sort_keys=True
    )


def test_a_sampled_certificate_is_verified_whole_and_in_part(three):
    assert verify(three).reproduced
    part = verify(three, sample=Fraction(1, 10))
    assert part.reproduced
    assert part.sampled == (3, 3)


def changed(certificate, change):
    certified = json.loads(json.dumps(certificate.certified))
    change(certified["results"][0])
    return Certificate(certified, certificate.run)


def test_what_was_tampered_with_is_found(three):
    def digest(result):
        result["blocks"]["tally_digests"][0] = "0" * 16

    def weight(result):
        result["pilot"]["weights"][3][0] += 1

    for change in (digest, weight):
        found = verify(changed(three, change))
        assert not found.reproduced
        assert found.differences
        assert not verify(changed(three, change), sample=Fraction(1)).reproduced


def test_a_broken_pilot_is_no_certificate(three):
    for change in (
        lambda result: result["pilot"].pop("weights"),
        lambda result: result["pilot"]["weights"].pop(),
        lambda result: result.pop("deals"),
    ):
        with pytest.raises(CertificateError, match="pilot"):
            verify(changed(three, change), sample=Fraction(1))


def test_one_to_three_players_share_one_table():
    certificate = made((1, 2, 3), check_rounds=0)
    assert [result["method"] for result in certificate.certified["results"]] == [
        "exact", "sampled", "sampled",
    ]  # fmt: skip
    text = render(certificate, "text")
    assert "All tables" in text
    row = next(line for line in text.splitlines() if line.strip().startswith("1   collective"))
    assert "96.9475 %" in row
    assert "±" not in row
    assert text.count("±") > 20
    for form in ("md", "csv", "json"):
        assert render(certificate, form)


def test_one_player_is_the_same_with_and_without_sampling_options():
    usual = made((1,), check_rounds=0)
    other = made((1,), sampling=Sampling(until=Fraction(1, 500)), check_rounds=0)
    assert usual.digest == other.digest
    assert "sampling" not in usual.certified["spec"]


def test_a_mixed_table_states_each_seat():
    seats = ("always_play", "collective")
    (result,) = made((3,), (seats,)).certified["results"]
    assert result["strategy"] == ["always_play", "collective", "collective"]
    assert [seat["strategy"] for seat in result["by_seat"]] == result["strategy"]
    played = result["by_seat"][0]["fold_frequency"]
    assert played["decimal"] == "0"
    assert Fraction(result["by_seat"][1]["fold_frequency"]["decimal"]) > 0
    # The seats' own results add up to that of the table, up to what the controls took off.
    own = sum(Fraction(seat["ev_per_ante"]["decimal"]) for seat in result["by_seat"]) / 3
    low, high = (Fraction(end) for end in result["raw"]["ev_per_ante"]["interval"])
    assert low < own < high


def test_a_hand_table_is_a_strategy_for_any_number_of_players():
    table = read_hand_table("configs/strategies/tight.yaml")
    certificate = made((1, 2), (table,))
    alone, two = certificate.certified["results"]
    assert alone["method"] == "exact"
    assert alone["strategy"] == two["strategy"] == table.name
    assert verify(certificate).reproduced


def test_a_pilot_says_how_many_deals_a_precision_takes():
    certificate = made(sampling=Sampling(until=Fraction(1, 200), pilot=4096), check_rounds=0)
    (result,) = certificate.certified["results"]
    assert result["precision"]["met"] is True
    assert Fraction(result["precision"]["reached"]) <= Fraction(1, 200)
    assert result["deals"] % (1 << 14) == 0
    wider = made(sampling=Sampling(until=Fraction(1, 50), pilot=4096), check_rounds=0)
    assert wider.certified["results"][0]["deals"] <= result["deals"]


def test_a_level_of_less_certainty_is_narrower():
    strict, loose = (
        made((2,), sampling=replace(SMALL, level=level), check_rounds=0).certified["results"][0]
        for level in (Fraction(999, 1000), Fraction(9, 10))
    )
    for name in ("rtp_per_ante", "fold_frequency", "dealer_win_frequency"):
        wide, narrow = (
            Fraction(one[name]["interval"][1]) - Fraction(one[name]["interval"][0])
            for one in (strict, loose)
        )
        assert narrow < wide
    assert strict["rtp_per_ante"]["level"] == "0.999"


@pytest.mark.parametrize("deals", [1, 2, 5])
def test_a_handful_of_deals_says_next_to_nothing(deals):
    (result,) = made((2,), sampling=replace(SMALL, deals=deals)).certified["results"]
    low, high = map(Fraction, result["rtp_per_ante"]["interval"])
    assert low < Fraction(9, 10)
    assert high > 1


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"deals": 0}, "deals must be"),
        ({"until": Fraction(0)}, "half width"),
        ({"until": Fraction(1)}, "half width"),
        ({"level": Fraction(1)}, "level"),
        ({"level": Fraction(1, 3)}, "level"),
        ({"pilot": 1}, "pilot"),
    ],
)
def test_bad_sampling_is_refused(bad, said):
    with pytest.raises(ValueError, match=said):
        Sampling(**bad)


def test_requests_survive_json():
    table = read_hand_table("configs/strategies/tight.yaml")
    for strategies in (("collective", ("pot_odds", "individual")), (table, (table, "collective"))):
        request = Request((1, 4), strategies, 10, 3, Sampling(until=Fraction(1, 300)))
        again = request_from_json(json.loads(json.dumps(request.to_json())))
        assert again.to_json() == request.to_json()
        assert choice_from_json(choice_to_json(strategies[1])) == strategies[1]


def test_specs_of_all_experiments_build_again(three):
    request = request_from_json(three.certified["spec"])
    (entry,) = entries(paytable(), request)
    for _, experiment in entry.blocks(three.certified["results"][0]):
        spec = json.loads(json.dumps(experiment.spec()))
        assert build(spec).spec() == experiment.spec()


def test_the_last_strategy_named_sits_in_all_seats_left():
    assert seats_for("pot_odds", 3) == ("pot_odds",) * 3
    assert seats_for(("always_play", "collective"), 4) == ("always_play", *("collective",) * 3)
    with pytest.raises(ValueError, match="3 strategies for 2 players"):
        seats_for(("a", "b", "c"), 2)


def test_estimates_grow_with_precision():
    seconds = [
        expected_seconds(Request((5,), sampling=Sampling(until=Fraction(1, width))))
        for width in (500, 2000, 10000)
    ]
    assert seconds == sorted(seconds)
    assert expected_seconds(Request((5,), ("individual",))) > expected_seconds(Request((5,)))


def test_hand_tables_with_a_hole_are_refused(tmp_path):
    table = read_hand_table("configs/strategies/tight.yaml")
    value = table.to_json()
    del value["hands"]["72o"]
    with pytest.raises(ValueError, match="72o"):
        HandTable.from_json(value)


# --- Bounds of the optimum -----------------------------------------------------------------------

GAPS = Bounding(deals=4096, inner=2)


@pytest.fixture(scope="module")
def bounded():
    return made((2, 3), bounding=GAPS, check_rounds=0)


def test_a_collective_table_states_the_optimum_between_two_bounds(bounded):
    two, three = bounded.certified["results"]
    assert two["method"] == three["method"] == "bounded"
    for result in (two, three):
        optimum = result["optimum"]
        lower, gap, upper = (Fraction(optimum[name]) for name in ("lower", "gap", "upper"))
        low, high = map(Fraction, result["ev_per_ante"]["interval"])
        assert optimum["lower"] == result["ev_per_ante"]["interval"][0]
        assert optimum["level"] == "0.99"
        assert lower < upper
        assert lower + gap <= upper
        assert upper >= high
        assert low <= Fraction(result["ev_per_ante"]["decimal"]) <= high
    assert two["optimum"]["upper"] == two["ev_per_ante"]["interval"][1]
    assert Fraction(two["optimum"]["gap"]) == 0
    sample = three["optimum"]["gap_sample"]
    assert Fraction(three["optimum"]["gap"]) == Fraction(sample["gap_per_ante"]["decimal"]) > 0
    assert sample["gap_per_ante"]["level"] == "0.995"
    # Two upper limits with a quarter of the error each: that of the EV is farther out.
    above = Fraction(three["optimum"]["upper"]) - Fraction(sample["gap_per_ante"]["interval"][1])
    assert above > Fraction(three["ev_per_ante"]["interval"][1])


def test_the_policy_is_the_same_with_and_without_bounds(bounded):
    (without,) = made(check_rounds=0).certified["results"]
    three = dict(bounded.certified["results"][1])
    assert three.pop("optimum")
    assert {**three, "method": "sampled"} == without


def test_a_report_says_what_the_bounds_are(bounded):
    for form in ("text", "md"):
        text = " ".join(render(bounded, form).split())
        assert text.count("EV of the optimum in [") == 2
        assert "with two players every decision is exact" in text
        assert "4,096 deals, 2 inner draws" in text


def test_workers_do_not_change_a_byte_of_bounds(bounded):
    with_two = made((2, 3), bounding=GAPS, check_rounds=0, runner=Runner(2, "threads"))
    assert with_two.digest == bounded.digest


def test_a_bounded_certificate_is_verified_whole_and_in_part(bounded):
    assert verify(bounded).reproduced
    part = verify(bounded, sample=Fraction(1, 100))
    assert part.reproduced
    # A pilot and a sample of two tables, and the blocks of the one gap's pilot and sample.
    blocks = 4 + GAP_PILOT // BLOCK + GAPS.deals // BLOCK
    assert part.sampled == (6, blocks)
    assert verify(bounded, sample=Fraction(1)).sampled == (blocks, blocks)


def test_bounds_that_were_tampered_with_are_found(bounded):
    def upper(optimum):
        optimum["upper"] = optimum["lower"]

    def digest(optimum):
        optimum["gap_sample"]["blocks"]["tally_digests"][1] = "0" * 16

    def pilot_digest(optimum):
        optimum["pilot"]["blocks"]["tally_digests"][0] = "0" * 16

    def inner(optimum):
        optimum["pilot"]["inner"] += 1

    def changed_optimum(change):
        certified = json.loads(json.dumps(bounded.certified))
        change(certified["results"][1]["optimum"])
        return Certificate(certified, bounded.run)

    for change in (upper, digest, pilot_digest, inner):
        assert not verify(changed_optimum(change)).reproduced
    for change in (digest, pilot_digest, inner):
        found = verify(changed_optimum(change), sample=Fraction(1))
        assert not found.reproduced
        assert found.differences[0].path.startswith("results[1].optimum.")
    for name in ("pilot", "gap_sample"):
        with pytest.raises(CertificateError, match="bounds cannot be read"):
            verify(changed_optimum(lambda o, name=name: o.pop(name)), sample=Fraction(1))


def test_specs_of_bounds_build_again(bounded):
    request = request_from_json(bounded.certified["spec"])
    names = []
    for entry, result in zip(
        entries(paytable(), request), bounded.certified["results"], strict=True
    ):
        for _, experiment in entry.blocks(result):
            spec = json.loads(json.dumps(experiment.spec()))
            assert build(spec).spec() == experiment.spec()
            names.append(experiment.name)
    assert names.count("gap") == 2


def test_a_limit_of_the_gap_is_reached():
    limit = Fraction(1, 250)
    certificate = made(bounding=Bounding(inner=1, limit=limit), check_rounds=0)
    sample = certificate.certified["results"][0]["optimum"]["gap_sample"]
    assert Fraction(sample["gap_per_ante"]["interval"][1]) <= limit
    assert verify(certificate, sample=Fraction(1, 100)).reproduced


@pytest.mark.parametrize(
    ("percents", "chosen"),
    [
        ((0.02, 0.01, 0.005), 8),  # far below the limit: more draws do not pay
        ((0.09, 0.03, 0.02), 16),  # near it: twice the draws need an eighth of the deals
        ((0.12, 0.099, 0.03, 0.02), 32),  # above it
    ],
)
def test_inner_draws_are_doubled_while_that_pays(percents, chosen):
    """Pilots that show these gaps with 8, 16, ... inner draws, for a limit of 0.1 %."""

    class Pilots:
        def run(self, pilot, _label):
            step = int(math.log2(pilot.inner // 8))
            ante = 3 * pilot.rules.ante / VALUE_UNIT
            total = int(pilot.deals * ante * Fraction(percents[step]) / 100)
            near = Part(pilot.deals, total, total**2 // pilot.deals + 1)
            return GapPilot(near, Part(pilot.deals * pilot.far, 0, 0)).to_json(), {}

    request = Request((3,), bounding=Bounding(inner=8, limit=Fraction(1, 1000)))
    entry = bounded_entries.GapEntry(paytable(), 3, request)
    plan = entry._plan(Pilots(), "")
    assert plan.inner == chosen
    assert plan.sizes == entry._planned(plan.pilot, request.bounding.limit, chosen)


def test_a_limit_that_the_gap_itself_exceeds_is_refused(monkeypatch):
    monkeypatch.setattr(bounded_entries, "MOST_INNER_DRAWS", 2)
    with pytest.raises(ValueError, match=r"3 players: the gap itself .* 2 inner.*higher --gap"):
        made(bounding=Bounding(inner=1, limit=Fraction(1, 10**6)), check_rounds=0)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"deals": -1}, "deals must be"),
        ({"limit": Fraction(0)}, "gap must be"),
        ({"limit": Fraction(1)}, "gap must be"),
        ({"deviations": 0}, "deviations must be"),
    ],
)
def test_bad_bounds_are_refused(bad, said):
    with pytest.raises(ValueError, match=said):
        Bounding(**bad)


def test_only_collective_has_bounds():
    certificate = made((2,), ("always_play", "pot_odds"), bounding=GAPS, check_rounds=0)
    assert all("optimum" not in result for result in certificate.certified["results"])


def test_bounds_in_requests_survive_json():
    for bounding in (GAPS, NO_BOUNDS, Bounding(inner=3, limit=Fraction(1, 3000))):
        request = Request((3,), bounding=bounding)
        again = request_from_json(json.loads(json.dumps(request.to_json())))
        assert again.bounding == bounding


def test_estimates_grow_with_bounds():
    limits = [Bounding(limit=Fraction(1, width)) for width in (1000, 10**6)]
    seconds = [
        expected_seconds(Request((5,), bounding=bounding)) for bounding in (NO_BOUNDS, *limits)
    ]
    assert seconds == sorted(seconds)
    assert expected_seconds(Request((5,), bounding=GAPS)) > seconds[0]


def command(*words):
    """`ricochet certify` as a process of its own."""
    words = [sys.executable, "-m", "ricochet_casino", "certify", "rulebook", *words]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_bounds_of_a_strategy_that_has_none_are_refused():
    done = command("--players", "3", "--strategy", "always_play", "--gap", "0.05%")
    assert done.returncode == 2
    assert "always_play has no bounds" in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_no_bounds_at_all_can_be_asked_for():
    done = command(
        "--players", "3", "--gap", "0", "--deals", "500", "--check", "0", "--format", "json"
    )
    assert done.returncode == 0
    (result,) = json.loads(done.stdout)["certified"]["results"]
    assert result["method"] == "sampled"
    assert "optimum" not in result


@pytest.mark.parametrize("gap", ["-1%", "100%", "much"])
def test_a_gap_that_is_no_share_is_refused(gap):
    done = command("--players", "3", "--gap", gap)
    assert done.returncode == 2
    assert "--gap" in done.stderr


def test_a_gap_that_takes_days_is_refused_with_an_estimate():
    done = command("--players", "7", "--gap", "0.000001%", "--deals", "100")
    assert done.returncode != 0
    assert "days on one core" in " ".join(done.stderr.split())
    assert "--yes" in done.stderr


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path):
    words = [
        sys.executable, "-m", "ricochet_casino", "certify", "rulebook", "--players", "4",
        "--deals", "400000", "--check", "20", "--format", "json",
    ]  # fmt: skip
    whole = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    stored = [*words, "--store", str(tmp_path / "run")]
    for seconds in (3.0, 4.0):
        process = subprocess.Popen([*stored, "--resume"], stdout=subprocess.PIPE, text=True)
        time.sleep(seconds)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    done = subprocess.run([*stored, "--resume"], capture_output=True, text=True, check=True).stdout
    assert json.loads(done)["certified"] == json.loads(whole)["certified"]


def test_interrupted_bounds_go_on_where_they_were(tmp_path):
    bounding = Bounding(inner=1, deals=5 * BLOCK)
    whole = made(bounding=bounding)
    stages = []

    def interrupting(name):
        stages.append(name)

        def progress(done, _total):
            if "bounds: 1" in stages[-1] and done >= 2:
                raise KeyboardInterrupt

        return progress

    wanted = {"what": "a test"}
    with (
        pytest.raises(KeyboardInterrupt),
        Store.open(tmp_path / "run", wanted) as store,
    ):
        made(bounding=bounding, runner=Runner(stage=interrupting, store=store))
    kept = len(list((tmp_path / "run").glob("gap-*/blocks/*/*.json")))
    pilot = GAP_PILOT // BLOCK
    assert pilot + 2 <= kept < pilot + 5, "the pilot's blocks and some of the sample"
    with Store.open(tmp_path / "run", wanted, resume=True) as store:
        again = made(bounding=bounding, runner=Runner(workers=2, store=store))
    assert again.certified == whole.certified


def test_individual_carries_what_deviating_would_gain():
    from ricochet_casino.lab.requests import Bounding

    bounding = Bounding(deals=256, deviations=20)
    request = Request((2,), ("individual",), 0, 7, SMALL, bounding)
    certificate = certify(paytable(), request)
    deviation = certificate.certified["results"][0]["deviation"]
    assert deviation["decisions"] == 40
    assert Fraction(deviation["mean_gain"]["decimal"]) == 0  # two players: every decision is exact
    assert verify(certificate, sample=Fraction(1)).reproduced
    assert "Deviating from the strategy" in render(certificate, "text")
