"""Certificates: canonical form, reading back, recomputation, and what is said of changed ones."""

import copy
import json
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino import __version__
from ricochet_casino.certificate import SCHEMA, Certificate, CertificateError
from ricochet_casino.config import canonical_json
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.solo_policies import PolicyTable
from ricochet_casino.lab.certify import Request, certify
from ricochet_casino.lab.expectations import check_expectations
from ricochet_casino.lab.running import Runner
from ricochet_casino.lab.verify import verify
from ricochet_casino.paytable import PaytableError

ROUNDS = 2_000
REFERENCE = Path(__file__).parents[1] / "reports" / "reference"


@pytest.fixture(scope="module")
def made():
    return certify(load_paytable("rulebook"), Request(check_rounds=ROUNDS, seed=7))


def changed(certificate, path, value):
    certified = copy.deepcopy(certificate.certified)
    place = certified
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return Certificate(certified, certificate.run)


def test_canonical_json_is_sorted_compact_and_without_floats():
    assert canonical_json({"b": [1, "x"], "a": None}) == '{"a":null,"b":[1,"x"]}'
    with pytest.raises(TypeError, match="float"):
        canonical_json({"a": [1, {"b": 0.5}]})


def test_interface_keys(made):
    certified = made.certified
    assert certified["schema"] == SCHEMA
    (result,) = certified["results"]
    assert (result["players"], result["strategy"], result["method"]) == (1, "collective", "exact")
    assert result["cycle"] == {"deals": 2809475760, "completions_per_deal": 14190}
    for name in (
        "ev_per_ante", "rtp_per_ante", "rtp_per_action", "house_edge", "element_of_risk",
        "average_bet", "fold_frequency", "win_frequency", "kickout_frequency",
    ):  # fmt: skip
        figure = result[name]
        exact = Fraction(figure["exact"])
        assert abs(Fraction(figure["decimal"]) - exact) <= abs(exact) * Fraction(1, 10**14), name
        assert "/" in figure["exact"]
    assert len(result["sd_per_round"]["decimal"].replace(".", "")) >= 12
    assert [bet["name"] for bet in certified["side_bets"]] == ["quickdraw", "cover"]
    assert certified["side_bets"][0]["counts"]["winning_deals"] == 418_486_560
    assert certified["side_bets"][1]["counts"]["winning_hands"] == 1_042_980


def test_two_threads_give_the_same_bytes(made):
    paytable = load_paytable("rulebook")
    again = certify(paytable, Request(check_rounds=ROUNDS, seed=7), Runner(workers=2))
    assert canonical_json(again.certified) == canonical_json(made.certified)


def test_written_and_read_back_is_the_same(made, tmp_path):
    file = tmp_path / "c.json"
    file.write_text(made.to_json())
    assert Certificate.read(file) == made


def test_an_honest_certificate_is_reproduced(made):
    found = verify(made)
    assert found.reproduced
    assert found.digest == made.digest
    assert found.notes == ()


def test_a_changed_digit_is_found(made):
    path = ("results", 0, "house_edge", "decimal")
    old = made.certified["results"][0]["house_edge"]["decimal"]
    found = verify(changed(made, path, old[:-1] + ("1" if old[-1] != "1" else "2")))
    assert not found.reproduced
    assert not found.paytable_changed
    assert [d.path for d in found.differences] == ["results[0].house_edge.decimal"]
    assert found.differences[0].computed == f'"{old}"'


def test_a_changed_type_is_a_difference(made):
    counts = made.certified["results"][0]["counts"]
    path = ("results", 0, "counts", "fold_deals")
    found = verify(changed(made, path, str(counts["fold_deals"])))
    assert [d.path for d in found.differences] == ["results[0].counts.fold_deals"]
    assert found.differences[0].recorded == '"601417332"'
    assert found.differences[0].computed == "601417332"


def test_a_missing_figure_and_an_extra_one_are_differences(made):
    certified = copy.deepcopy(made.certified)
    del certified["results"][0]["skewness"]
    certified["results"][0]["luck"] = "1"
    found = verify(Certificate(certified, made.run))
    assert {d.path for d in found.differences} == {"results[0].skewness", "results[0].luck"}


def test_a_changed_paytable_is_named_as_such(made):
    found = verify(changed(made, ("paytable", "bonus", "flush"), "6 to 1"))
    assert found.paytable_changed
    assert not found.reproduced
    assert any(d.path.endswith("ev_per_ante.exact") for d in found.differences)


def test_another_version_is_a_note_and_no_difference(made):
    run = copy.deepcopy(made.run)
    run["versions"]["ricochet_casino"] = "0.0.1"
    run["versions"]["numpy"] = "1.0"
    found = verify(Certificate(made.certified, run))
    assert found.reproduced
    assert any("0.0.1" in note and __version__ in note for note in found.notes)
    assert any("numpy 1.0" in note for note in found.notes)


def test_other_sources_of_the_same_version_are_a_note(made):
    found = verify(Certificate(made.certified, {**made.run, "source_digest": "0" * 64}))
    assert found.reproduced
    assert any("source" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a whole JSON document"),
        ("[1, 2]", "certified"),
        ('{"certified": {}}', "'run' is missing"),
        ('{"certified": {"schema": "other/1"}, "run": {}}', "schema 'other/1'"),
        ('{"certified": {}, "run": {}, "results": []}', "unknown part 'results'"),
        ('{"certified": {}, "run": {}, "certified": {}}', "'certified' appears twice"),
        ('{"certified": {"a": {"b": 1, "b": 2}}, "run": {}}', "'b' appears twice"),
        ('{"certified": {"a": "\\ud800"}, "run": {}}', "surrogate"),
        ("[" * 100_000, "certificate"),
    ],
)
def test_what_is_no_certificate_is_refused(text, said):
    with pytest.raises(CertificateError, match=said):
        Certificate.from_json(text)


def test_a_certificate_cut_in_half_is_refused_with_its_line(made, tmp_path):
    text = made.to_json()
    file = tmp_path / "half.json"
    file.write_text(text[: len(text) // 2])
    with pytest.raises(CertificateError, match=r"half\.json:\d+: not a whole JSON document"):
        Certificate.read(file)


@pytest.mark.parametrize("part", ["paytable", "spec"])
def test_a_certificate_without_a_part_is_refused(made, part):
    certified = copy.deepcopy(made.certified)
    del certified[part]
    with pytest.raises(CertificateError, match=part):
        verify(Certificate(certified, made.run))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("check", {"rounds": -1, "seed": 0}),
        ("check", {"rounds": float("inf"), "seed": 0}),
        ("check", {"rounds": True, "seed": 0}),
        ("check", []),
        ("players", "1"),
        ("players", ["1"]),
        ("strategies", {"collective": 1}),
        ("strategies", [{"name": "mine", "cells": {"AA": "F99999999999"}}]),
        ("strategies", [{"name": "collective", "cells": {}}]),
        ("game", "chess"),
    ],
)
def test_a_spec_of_nonsense_is_refused(made, part, value):
    with pytest.raises(CertificateError, match="spec"):
        verify(changed(made, ("spec", part), value))


def test_nothing_that_a_terminal_acts_on_is_passed_on(made):
    found = verify(changed(made, ("results", 0, "strategy"), "\x1b[2Jreproduced\n"))
    assert [d.recorded for d in found.differences] == ['"\\u001b[2Jreproduced\\n"']
    run = {**made.run, "versions": {**made.run["versions"], "numpy": "\x1b[2J"}}
    assert not any("\x1b" in note for note in verify(Certificate(made.certified, run)).notes)


def test_a_sample_of_the_blocks(made):
    found = verify(made, sample=Fraction(1, 10))
    assert found.reproduced
    assert found.sampled == (2 + 1, 13 + 1)
    digests = made.certified["results"][0]["blocks"]["tally_digests"]
    assert len(digests) == len(set(digests)) == 13
    wrong = changed(made, ("results", 0, "blocks", "tally_digests"), ["0" * 16] * 13)
    found = verify(wrong, sample=Fraction(1, 10))
    assert len(found.differences) == 2
    assert not found.reproduced
    with pytest.raises(ValueError, match="sample"):
        verify(made, sample=Fraction(0))
    with pytest.raises(CertificateError, match="blocks"):
        verify(changed(made, ("results", 0, "blocks"), None), sample=Fraction(1, 2))


def test_unreadable_files_are_refused(tmp_path):
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    for name in ("missing.json", "b.json", "."):
        with pytest.raises(CertificateError):
            Certificate.read(tmp_path / name)


def test_a_count_the_paytable_lacks_is_a_clear_error():
    with pytest.raises(PaytableError, match="expected 4"):
        certify(load_paytable("website_four_players"))


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"players": ()}, "at least one"),
        ({"strategies": ()}, "at least one"),
        ({"players": (1, 1)}, "players: .* twice"),
        ({"strategies": ("collective", "collective")}, "strategy: .* twice"),
        ({"check_rounds": -1}, "check rounds"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
    ],
)
def test_bad_requests_are_refused(bad, said):
    with pytest.raises(ValueError, match=said):
        Request(**bad)


def test_independent_check_agrees_and_is_labelled_sampled(made):
    check = made.certified["results"][0]["independent_check"]
    assert check["method"] == "sampled"
    assert sum(row["observed"] for row in check["outcomes"]) == ROUNDS
    assert abs(float(check["ev_per_ante"]["difference_in_standard_errors"])) < 4
    assert float(check["chi_square"]["p_value"]) > 1e-4


def test_a_wrong_exact_figure_would_fail_the_check(made):
    """The check has teeth: outcomes of another strategy are found out."""
    from ricochet_casino.games.ricochet_poker.solo import Solo
    from ricochet_casino.games.ricochet_poker.solo_check import SoloReferee, compare
    from ricochet_casino.runs import run

    paytable = load_paytable("rulebook")
    solo = Solo(paytable, "collective")
    played = run(SoloReferee(paytable, "always_play", ROUNDS, 7)).entry
    entry = json.loads(json.dumps(made.certified["results"][0]))
    test = compare(solo, entry, played)
    assert float(test["chi_square"]["p_value"]) < 1e-12
    assert abs(float(made.certified["results"][0]["independent_check"]["ev_per_ante"][
        "difference_in_standard_errors"
    ])) < 4  # fmt: skip
    entry["ev_per_ante"]["exact"] = "1/2"
    played = run(SoloReferee(paytable, "collective", ROUNDS, 7)).entry
    wrong = compare(solo, entry, played)["ev_per_ante"]["difference_in_standard_errors"]
    assert float(wrong) < -8


@pytest.mark.parametrize("name", ["rulebook", "home_capped"])
def test_expected_figures_of_shipped_paytables_are_met(name):
    rows = check_expectations(load_paytable(name))
    assert len(rows) >= 4
    assert [row for row in rows if row.met is not True] == []


def test_an_expectation_that_is_not_met_is_found():
    content = load_paytable("rulebook").model_dump(mode="json")
    content["expect"] = {"1": {"collective": {"house_edge": "3.06 %", "fold_deals": "1"}}}
    rows = check_expectations(type(load_paytable("rulebook")).read(content))
    assert [row.met for row in rows] == [False, False]


def test_reference_certificates_are_those_of_this_version():
    files = sorted(REFERENCE.glob("*.json"))
    assert files
    for file in files:
        certificate = Certificate.read(file)
        spec = dict(certificate.certified["spec"])
        assert spec["players"] == [1]
        found = verify(certificate)
        assert found.reproduced, (file.name, found.differences[:5], found.paytable_changed)


@pytest.mark.slow
def test_the_referee_agrees_in_a_million_rounds():
    certificate = certify(load_paytable("rulebook"), Request(check_rounds=1_000_000, seed=1))
    check = certificate.certified["results"][0]["independent_check"]
    assert abs(float(check["ev_per_ante"]["difference_in_standard_errors"])) < 4
    observed = {row["outcome"]: row["observed"] for row in check["outcomes"]}
    expected = {row["outcome"]: float(row["expected"]) for row in check["outcomes"]}

    def within(choose):
        count = sum(n for name, n in observed.items() if choose(name))
        mean = sum(n for name, n in expected.items() if choose(name))
        return abs(count - mean) <= 4 * (mean * (1 - mean / 1e6)) ** 0.5

    assert within(lambda name: name.startswith("fold"))
    assert within(lambda name: name.startswith("kickout"))
    assert within(lambda name: name.split(".")[0] in ("kickout", "win", "tie"))
    for line in load_paytable("rulebook").bonus:
        assert within(lambda name, line=line: name.endswith("." + line))
    assert float(check["chi_square"]["p_value"]) > 1e-4


@pytest.mark.slow
def test_a_policy_given_as_a_function_is_certified_and_verified():
    table = PolicyTable.from_function(lambda hole, dealer: (hole >> 2).max(axis=1) >= 8, "tens_up")
    made = certify(load_paytable("rulebook"), Request(strategies=(table,), check_rounds=5_000))
    again = Certificate.from_json(made.to_json())
    assert verify(again).reproduced
    check = made.certified["results"][0]["independent_check"]
    assert float(check["chi_square"]["p_value"]) > 1e-4
