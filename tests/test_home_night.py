"""Casino night at home: its figures, and `ricochet home night` as a user meets it."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino.games import load_paytable
from ricochet_casino.lab.night import Known, NightRequest, night
from ricochet_casino.stats.intervals import Interval

ROOT = Path(__file__).parents[1]
EXPECTED = {  # per ante, from the one-player game
    "home_capped": Fraction(-24077809337, 664441017240),
    "home_uncapped": Fraction(-78734189, 2579351775),
}


def home_night(*words):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", "home", "night", *words],
        capture_output=True, text=True, timeout=240, check=False,
        env={**os.environ, "COLUMNS": "120"},
    )  # fmt: skip


def certified(players):
    file = ROOT / "reports" / "certification" / f"rulebook-{players}p-collective.json"
    return json.loads(file.read_text())["certified"]["results"][0]


def overlap(one, other):
    (low, high), (least, most) = (map(Fraction, figure["interval"]) for figure in (one, other))
    return low <= most and least <= high


# --- Figures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("rounds", [24, 25])
def test_two_persons_exactly(name, rounds):
    (result,) = night(load_paytable(name), NightRequest((2,), rounds))["results"]
    dealing, gain = result["dealing"], -EXPECTED[name]
    assert dealing["method"] == result["evening"]["method"] == "exact"
    assert Fraction(dealing["dealer_gain"]["exact"]) == gain
    assert Fraction(dealing["player_gain"]["exact"]) == -gain
    assert Fraction(dealing["turn"]["exact"]) == 2 * gain
    first, second = result["evening"]["by_person"]
    assert result["full_rotation"] == (rounds == 24)
    assert Fraction(first["expected"]["exact"]) == (0 if rounds == 24 else gain)
    assert Fraction(second["expected"]["exact"]) == -Fraction(first["expected"]["exact"])
    ratio = Fraction(first["sd"]["decimal"]) / Fraction(dealing["dealer_sd"]["decimal"])
    assert abs(ratio**2 - rounds) < Fraction(1, 10**9)
    # What one is ahead, the other is behind.
    ahead = [Fraction(row["ahead"]["decimal"]) for row in (first, second)]
    even = Fraction(first["even"]["decimal"])
    assert abs(sum(ahead) + even - 1) < Fraction(1, 10**9)
    assert (ahead[0] > ahead[1]) == (rounds == 25)
    if rounds == 24:
        assert abs(ahead[0] - ahead[1]) < Fraction(1, 10**9)
        assert first["quantiles"] == second["quantiles"]
    assert result["agrees"] is None


@pytest.mark.parametrize("persons", [3, 4])
def test_more_persons_by_the_certificates_of_the_casino_game(persons):
    """With its bonuses as they are, the dealer gains what the house does in the rulebook's game."""
    request = NightRequest((persons,), 5, evenings=600, deals=8192)
    (result,) = night(load_paytable("home_uncapped"), request)["results"]
    known = certified(persons - 1)
    dealing = result["dealing"]
    assert dealing["method"] == "sampled"
    assert overlap(dealing["dealer_gain"], known["house_net_per_round"])
    assert overlap(dealing["dealer_sd"], known["house_sd_per_round"])
    assert overlap(dealing["player_sd"], known["sd_per_round"])
    assert result["agrees"] is True
    rows = result["evening"]["by_person"]
    assert sum(Fraction(row["expected"]["decimal"]) for row in rows) < Fraction(1, 10**12)
    gain = Fraction(dealing["dealer_gain"]["decimal"])
    first = Fraction(persons * -(-5 // persons) - 5, persons - 1) * gain
    assert abs(Fraction(rows[0]["expected"]["decimal"]) - first) < Fraction(1, 10**12)
    variance = sum(
        number * Fraction(dealing[name]["decimal"]) ** 2
        for number, name in ((rows[0]["deals"], "dealer_sd"), (5 - rows[0]["deals"], "player_sd"))
    )
    assert abs(Fraction(rows[0]["sd"]["decimal"]) ** 2 - variance) < Fraction(1, 10**9)
    assert rows[0]["sd"]["level"] == "0.98"


def test_a_full_rotation_expects_exactly_nothing_and_a_weak_person_loses():
    request = NightRequest((3,), 6, ("collective",), 500, 2048)
    (fair,) = night(load_paytable("home_capped"), request)["results"]
    assert all(row["expected"]["exact"] == "0/1" for row in fair["evening"]["by_person"])
    mixed = NightRequest((3,), 24, ("always_fold", "collective", "collective"), 1024, 2048)
    (found,) = night(load_paytable("home_capped"), mixed)["results"]
    assert found["dealing"] is None
    assert found["agrees"] is None
    ends = [list(map(Fraction, row["mean"]["interval"])) for row in found["evening"]["by_person"]]
    assert ends[0][1] < 0 < min(ends[1][0], ends[2][0])


def test_what_does_not_meet_is_seen():
    interval = Interval(Fraction(1), Fraction(2), Fraction(99, 100), "betting")
    assert Known(Fraction(3, 2)).meets(interval)
    assert not Known(Fraction(5, 2)).meets(interval)
    known = Known(Fraction(3, 2), interval)
    assert known.times(-2).interval.low == -4
    assert not known.times(-2).meets(interval)
    assert known.times(0) == Known(Fraction(0))


# --- The command ---------------------------------------------------------------------------------


def test_who_gains_from_dealing_in_words():
    done = home_night("--persons", "2", "--rounds", "25")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "the dealer gains exactly 24077809337/664441017240 of a chip a deal" in text
    assert "Is the rotation fair? Not quite, for 25 is no multiple of 2." in text
    assert "Person 1 deals once more than the others" in text
    assert "the other one expects exactly -24077809337/664441017240 (-0.036238)" in text
    fair = " ".join(home_night("--persons", "2").stdout.split())
    assert "Is the rotation fair? Yes. Everybody deals 12 of the 24 rounds" in fair


def test_several_tables_at_once_as_json(tmp_path):
    words = ("--persons", "2-3", "--rounds", "4", "--evenings", "600", "--deals", "2048")
    done = home_night(*words, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout, parse_float=pytest.fail)
    assert [result["persons"] for result in found["results"]] == [2, 3]
    assert found["request"]["deals"] == 2048
    store = ("--store", str(tmp_path / "run"), "--workers", "2")
    assert home_night(*words, "--format", "json", *store).stdout == done.stdout
    again = home_night(*words, "--format", "json", *store, "--resume")
    assert again.stdout == done.stdout
    text = home_night(*words).stdout
    assert "An evening of 4 rounds, 3 persons: 600 evenings played" in text
    assert "their intervals, all at 99 % together, contain what is expected" in " ".join(
        text.split()
    )


def test_a_weak_person_in_words():
    done = home_night(
        "--persons", "3", "--strategy", "always_fold,collective,collective", "--evenings", "1024"
    )
    assert done.returncode == 0, done.stderr
    assert "For certain (all at 99 %) lose: person 1." in done.stdout
    assert "Who gains from dealing" not in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--persons", "1"), "1: expected 2 to 8 persons"),
        (("--persons", "9"), "9: expected 2 to 8 persons"),
        (("--persons", "two"), "'two': expected counts such as 2, 2,4 or 3-5"),
        (("--persons", "3,3"), "a count is given twice"),
        (("--rounds", "0"), "rounds of an evening must be 1 to 1,000, got 0"),
        (("--rounds", "1001"), "rounds of an evening must be 1 to 1,000, got 1,001"),
        (("--evenings", "0"), "--evenings"),
        (("--deals", "0"), "--deals"),
        (("--strategy", "colective"), "did you mean collective"),
        (("--strategy", "collective,always_play"), "2 strategies for 4 persons"),
        (
            ("--persons", "3,4", "--strategy", "collective,collective,always_play"),
            "a strategy for each person needs one number of persons",
        ),
        (("--paytable", "website_four_players"), "3 players"),
        (("--paytable", "home_caped"), "did you mean home_capped"),
        (("--format", "jsn"), "did you mean json"),
        (("--resume",), "needs --store DIR"),
    ],
)
def test_bad_input_is_told_in_one_line(words, message):
    done = home_night(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
