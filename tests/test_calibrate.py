"""Published figures beside computed ones: the file, the verdicts, the ranking, the command."""

import csv
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

from ricochet_casino.config import ConfigError, data_folder
from ricochet_casino.lab.calibrate import (
    FITS,
    MISSES,
    UNDECIDED,
    Calibration,
    Value,
    compare,
    extreme,
    gap_to_one_in_n,
    verdict,
)
from ricochet_casino.lab.published import read_published
from ricochet_casino.lab.requests import Sampling
from ricochet_casino.lab.running import Runner
from ricochet_casino.report.calibration import headline, render, sections

ROOT = Path(__file__).parents[1]
SHIPPED = data_folder("configs") / "published_figures.yaml"
SMALL = """\
title: A small file
source: a test
paytable: rulebook
published:
  - name: fold_solo
    says: One player folds.
    source: somewhere
    play: perfect
    players: 1
    figure: fold_frequency
    value: 22.9 %
    resolution: 0.1 %
  - name: rtp_lowest
    says: The return is low.
    source: elsewhere
    play: perfect
    players: 1-2
    figure: rtp
    over: lowest
    value: 95.97 %
    resolution: 0.1 %
  - name: weak
    says: Weak players lose more.
    source: elsewhere
    play: weak
    players: 2
    figure: rtp
    value: 90 %
    within: 3 %
    resolution: 30 %
readings:
  perfect:
    - strategy: collective_pot_only
      when_equal: [play, fold]
    - strategy: collective
  weak:
    - strategy: [always_play, collective]
  figures:
    fold_frequency: [per_round, per_decision]
    rtp: [per_ante, per_chip]
    players: [all, two_or_more]
"""


def percent(text):
    return Fraction(text) / 100


@pytest.fixture
def small(tmp_path):
    def write(*changes):
        text = SMALL
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        file = tmp_path / "small.yaml"
        file.write_text(text)
        return file

    return write


# --- The file ------------------------------------------------------------------------------------


def test_the_shipped_file_holds_what_was_published():
    file = read_published(SHIPPED)
    values = {one.name: (one.players, one.value, one.within) for one in file.published}
    last_digit = percent("0.005")
    assert values["fold_solo"] == ((1,), percent("22.9"), percent("0.05"))
    assert values["fold_seven"] == ((7,), percent("10.94"), last_digit)
    assert values["win_three"] == ((3,), percent("25.79"), last_digit)
    everybody = tuple(range(1, 8))
    assert values["rtp_lowest"] == (everybody, percent("95.97"), last_digit)
    assert values["rtp_highest"] == (everybody, percent("96.91"), last_digit)
    strategies = {reading.label for reading in file.readings}
    assert {"collective", "individual", "collective_pot_only", "pot_odds"} <= strategies
    assert {"always_play", "pairs_and_big_cards", "always_play+collective"} <= strategies


def test_settings_are_tried_in_all_combinations(small):
    change = ("      when_equal: [play, fold]", "      when_equal: [play, fold]\n"
              "      last_hand: [free, none]")  # fmt: skip
    file = read_published(small(change))
    tried = {(one.last_hand, one.when_equal) for one in file.readings if len(file.readings) == 6
             and one.label == "collective_pot_only"}  # fmt: skip
    assert tried == {("free", "play"), ("free", "fold"), ("none", "play"), ("none", "fold")}


def test_a_coarser_precision_is_taken_where_it_will_do(small):
    file = read_published(small(("      when_equal: [play, fold]", "      until: 0.2 %")))
    coarse, usual = file.readings[:2]
    for asked, taken in (("0.05", "0.2"), ("0.5", "0.5")):
        calibration = Calibration(file, Sampling(until=percent(asked)))
        assert calibration.request(coarse, 2).sampling.until == percent(taken)
        assert calibration.request(usual, 2).sampling.until == percent(asked)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("value: 22.9 %", "valeu: 22.9 %", 11, "unknown key valeu; .*did you mean value?"),
        ("value: 22.9 %", "valeu: 22.9 %", 5, "published.1: the key value is missing"),
        ("value: 22.9 %", "value: much", 11, "much is not a figure"),
        ("play: perfect", "play: prefect", 8, "expected perfect or weak; did you mean perfect?"),
        ("players: 1\n", "players: 8\n", 9, "8; expected 1 to 7"),
        ("players: 1-2", "players: 2-1", 17, "expected 1 to 7, or a range"),
        ("players: 1\n", "players: 1-3\n", 9, "1-3 needs over"),
        ("    over: lowest\n    value: 95.97 %", "    value: 95.97 %", 17, "1-2 needs over"),
        ("figure: rtp", "figure: rtpp", 18, "did you mean rtp?"),
        ("within: 3 %", "within: -3 %", 29, "negative"),
        ("name: rtp_lowest", "name: fold_solo", 4, "fold_solo is given twice"),
        ("name: rtp_lowest", "name: RTP", 13, "small letters"),
        ("paytable: rulebook", "paytable: rulebok", 3, "did you mean rulebook?"),
        ("- strategy: collective\n", "- strategy: colective\n", 35, "did you mean collective?"),
        ("when_equal: [play, fold]", "when_equal: [play, fld]", 34, "did you mean fold?"),
        ("when_equal: [play, fold]", "when_equal: [play, play]", 34, "given twice"),
        ("when_equal: [play, fold]", "when_equals: fold", 34, "did you mean when_equal?"),
        ("[per_ante, per_chip]", "[per_ante, per_chips]", 40, "did you mean per_chip?"),
        ("- strategy: collective\n", "- strategy: collective_pot_only\n", 31, "tables are the sam"),
        ("  weak:\n    - strategy: [always_play, collective]\n", "", 31, "the key weak is missing"),
        ("when_equal: [play, fold]", "until: 1", 34, "expected less than 100 %"),
        ("title: A small file\n", "", 1, "the key title is missing"),
        ("says: One player folds.", "says:", 6, "nothing; expected a text"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_line_and_nearest_name(small, old, new, line, message):
    with pytest.raises(ConfigError, match=message) as caught:
        read_published(small((old, new)))
    lines = [one.line for one in caught.value.problems]
    assert line in lines, caught.value


def test_everything_wrong_is_told_at_once(small):
    file = small(("value: 22.9 %", "value: x"), ("figure: rtp", "figure: y"))
    with pytest.raises(ConfigError) as caught:
        read_published(file)
    assert len(caught.value.problems) == 2


# --- Verdicts on made-up numbers -----------------------------------------------------------------


def value(low, high, middle=None, players=7, level="0.99"):
    low, high = percent(low), percent(high)
    middle = (low + high) / 2 if middle is None else percent(middle)
    return Value(middle, low, high, Fraction(level), players, "betting")


@pytest.fixture(scope="module")
def fold_seven():
    return next(one for one in read_published(SHIPPED).published if one.name == "fold_seven")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("10.9", "11.0", FITS),
        ("10.945", "11.1", FITS),  # 10.945 is published as 10.94 or 10.95
        ("10.9451", "11.1", MISSES),
        ("10.8", "10.935", FITS),
        ("10.8", "10.9349", MISSES),
        ("10.8", "11.1", FITS),  # just narrow enough: half width 0.15
        ("10.8", "11.1001", UNDECIDED),
        ("0", "10.9", MISSES),  # wide, but it excludes the value all the same
        ("10.94", "10.94", FITS),
    ],
)
def test_a_verdict_takes_rounding_and_width_into_account(fold_seven, low, high, expected):
    assert verdict(value(low, high), fold_seven) == expected


def test_the_lowest_of_several_is_less_certain_than_each():
    several = [value(95, 97, players=2), value(94, 98, players=3), value(96, 96, level="1")]
    lowest, highest = extreme(several, "lowest"), extreme(several, "highest")
    assert (lowest.low, lowest.high) == (percent(94), percent(96))
    assert (highest.low, highest.high) == (percent(96), percent(98))
    assert lowest.level == Fraction("0.98")
    assert lowest.value == percent(96)
    assert lowest.players == 2


def test_the_distance_from_one_in_n():
    above = gap_to_one_in_n(value(26, 27, players=3))
    assert (above.low, above.value, above.high) == (percent(1), percent("1.5"), percent(2))
    below = gap_to_one_in_n(value(23, 24, players=3))
    assert (below.low, below.high) == (percent(1), percent(2))
    across = gap_to_one_in_n(value(24, 27, players=3))
    assert (across.low, across.value, across.high) == (0, percent("0.5"), percent(2))


def entry(fold, rtp, per_chip, spread="0"):
    def figure(text):
        middle, half = percent(text), percent(spread)
        if not half:
            return {"decimal": str(float(middle)), "exact": str(middle)}
        ends = [str(float(middle - half)), str(float(middle + half))]
        method = {"level": "0.99", "interval_method": "betting"}
        return {"decimal": str(float(middle)), "interval": ends, **method}

    return {"fold_frequency": figure(fold), "fold_per_decision": figure("50"),
            "rtp_per_ante": figure(rtp), "rtp_per_action": figure(per_chip)}  # fmt: skip


def test_readings_are_ranked_by_what_they_fit(small):
    calibration = Calibration(read_published(small()), Sampling(deals=100))
    pot_play, pot_fold, group, weak = calibration.file.readings
    found = {
        (pot_play, 1): entry("22.87", "96.5", "98"),
        (pot_play, 2): entry("15", "95.95", "98", "0.04"),
        (pot_fold, 1): entry("22.87", "96.5", "98"),
        (pot_fold, 2): entry("15", "95.95", "98", "0.4"),
        (group, 1): entry("21", "96.5", "95.97"),
        (group, 2): entry("15", "95", "96", "0.01"),
        (weak, 2): {"by_seat": [entry("0", "88", "90", "1"), entry("9", "99", "99", "1")]},
    }
    result = compare(calibration, found)
    perfect = [row for row in result["ranking"] if row["reading"]["play"] == "perfect"]
    best, second = perfect[:2]
    assert best["reading"]["when_equal"] == "play"
    assert best["fits"] == ["fold_solo", "rtp_lowest"]
    assert best["meaning"] == {
        "fold_frequency": "per_round", "rtp": "per_ante", "players": "all",
    }  # fmt: skip
    assert second["reading"]["when_equal"] == "fold"
    assert second["fits"] == ["fold_solo"]
    assert second["undecided"] == ["rtp_lowest"]
    # The group meets the RTP only per chip, and then over all counts, the lone player's included.
    mine = [row for row in perfect if row["reading"]["strategy"] == "collective"]
    assert [row["meaning"]["rtp"] for row in mine if row["fits"] == ["rtp_lowest"]] == ["per_chip"]
    assert all("fold_solo" in row[MISSES] for row in mine)
    # The weak seat's own figures count, not the table's.
    lines = {one["name"]: one["found"] for one in result["published"]}
    own = {line["meaning"]["rtp"]: line["decimal"] for line in lines["weak"]}
    assert own == {"per_ante": "0.88", "per_chip": "0.9"}
    text = " ".join(headline(result))
    assert "perfect play: collective_pot_only, last_hand free, when_equal play" in text
    assert "fits 2 of 2" in text
    for form in ("text", "md", "csv", "json"):
        assert "rtp_lowest" in render(result, form)
    with pytest.raises(ValueError, match="unknown format"):
        render(result, "html")


def test_what_a_paytable_does_not_cover_is_not_computed(small):
    change = ("- strategy: collective\n", "- strategy: collective\n      paytable: home_capped\n")
    calibration = Calibration(read_published(small(change)), Sampling(deals=100))
    four = replace(
        calibration.file.readings[2], paytable="website_four_players", strategy="collective"
    )
    models = {**calibration.file.paytables, "website_four_players": read_four()}
    file = replace(calibration.file, readings=(four,), paytables=models)
    alone = replace(calibration, file=file)
    assert list(alone.tables()) == []
    (row,) = alone.run()["ranking"]
    assert row["not computed"] == ["fold_solo", "rtp_lowest"]
    assert "not computed: fold_solo, rtp_lowest" in headline(alone.run())[0]


def read_four():
    from ricochet_casino.games import load_paytable

    return load_paytable("website_four_players")


# --- Real tables, few deals ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    file = tmp_path_factory.mktemp("calibrate") / "small.yaml"
    file.write_text(SMALL)
    sampling = Sampling(deals=600, pilot=200)
    return Calibration(read_published(file), sampling).run(Runner(1))


def test_one_player_is_exact_and_fits_to_the_digit(computed):
    fold, rtp, _ = computed["published"]
    by_meaning = {
        (line["reading"]["strategy"], line["reading"]["when_equal"], line["meaning"]
         ["fold_frequency"]): line for line in fold["found"]
    }  # fmt: skip
    assert len(by_meaning) == len(fold["found"]) == 6
    line = by_meaning["collective_pot_only", "play", "per_round"]
    assert line["decimal"].startswith("0.22897521")
    assert "interval" not in line
    assert line["verdict"] == FITS
    assert by_meaning["collective_pot_only", "fold", "per_round"]["verdict"] == FITS
    assert by_meaning["collective_pot_only", "play", "per_decision"]["verdict"] == MISSES
    assert by_meaning["collective", "play", "per_round"]["verdict"] == MISSES
    assert len(rtp["found"]) == 12
    for line in rtp["found"]:
        low, high = map(Fraction, line["interval"])
        assert low <= Fraction(line["decimal"]) <= high
        assert line["verdict"] in (UNDECIDED, MISSES)  # 600 deals tell nothing


def test_results_do_not_depend_on_workers(computed, tmp_path):
    file = tmp_path / "small.yaml"
    file.write_text(SMALL)
    again = Calibration(read_published(file), Sampling(deals=600, pilot=200)).run(Runner(2))
    assert again == computed


def test_tables_align(computed):
    text = render(computed, "text")
    lines = text.splitlines()
    heading = next(line for line in lines if line.lstrip().startswith("strategy"))
    place = heading.index("verdict")
    begin = lines.index(heading) + 2
    rows = lines[begin : begin + 6]
    assert all(row[place:].strip() in (FITS, MISSES) for row in rows)
    assert max(map(len, lines)) <= 140
    assert len(sections(computed)) == 5
    markdown = render(computed, "md")
    assert "| strategy " in markdown
    rows = list(csv.DictReader(StringIO(render(computed, "csv"))))
    assert len(rows) == sum(len(one["found"]) for one in computed["published"])
    assert {row["verdict"] for row in rows} <= {FITS, UNDECIDED, MISSES}
    assert json.loads(render(computed, "json")) == computed


def ricochet(*words):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", *words],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_the_command_prints_and_writes(small, tmp_path):
    file = str(small())
    done = ricochet("calibrate", file, "--deals", "100", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schema"] == "ricochet-casino/calibration/1"
    assert done.stderr == ""
    out = tmp_path / "out"
    done = ricochet("calibrate", file, "--deals", "100", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "perfect play: collective_pot_only" in done.stdout
    assert sorted(path.name for path in out.iterdir()) == [
        "small.csv", "small.json", "small.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no-such-file.yaml",), "no such file"),
        (("--deals", "10", "--quick"), "either --deals"),
        (("--until", "0"), "expected a share"),
        (("--until", "0.0001%"), "hours on one core"),
        (("--format", "jsn"), "did you mean json?"),
        (("--resume",), "needs --store"),
    ],
)
def test_bad_options_are_refused_before_anything_is_begun(words, message):
    done = ricochet("calibrate", *words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_a_bad_file_is_told_by_line(small):
    file = small(("- strategy: collective\n", "- strategy: colective\n"))
    done = ricochet("calibrate", str(file))
    assert done.returncode == 2
    assert f"{file}:35: " in done.stderr
    assert "did you mean collective?" in done.stderr


# --- The document --------------------------------------------------------------------------------


def test_every_published_figure_is_in_the_document():
    text = (ROOT / "docs" / "calibration.md").read_text()
    for one in read_published(SHIPPED).published:
        assert f"`{one.name}`" in text, one.name
        if one.figure != "win_gap":
            assert one.text in text, one.text


def test_the_exact_figures_in_the_document_are_those_computed():
    text = (ROOT / "docs" / "calibration.md").read_text()
    file = read_published(SHIPPED)
    names = ("fold_solo",)
    only = replace(
        file,
        published=tuple(one for one in file.published if one.name in names),
        readings=tuple(one for one in file.readings if one.play == "perfect"),
    )
    (fold,) = Calibration(only).run()["published"]
    for line in fold["found"]:
        if line["meaning"]["fold_frequency"] == "per_round":
            assert f"{float(line['decimal']) * 100:.4f}" in text, line
