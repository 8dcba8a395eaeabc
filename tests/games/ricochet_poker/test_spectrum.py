"""The spectrum against the one-player experiment run directly, and its cache."""

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker import spectrum_cache
from ricochet_casino.games.ricochet_poker.notation import kickout_text, line_names
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.spectrum import load_spectrum
from ricochet_casino.games.ricochet_poker.spectrum_table import USUAL_LINES, usual_thresholds
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES
from ricochet_casino.runs import run

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "ricochet_poker_solo.json").read_text())
STRATEGY_OF = {"maximise_total": "collective", "maximise_pot_only": "collective_pot_only"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def spectrum(folder):
    return load_spectrum(folder)


def paytable(name="rulebook", **changes):
    content = load_paytable(name).model_dump(mode="json")
    content.pop("expect", None)
    return RicochetPokerPaytable.read({**content, "players": [1], **changes})


def assert_like_solo(spectrum, table, strategy="collective"):
    """All of the entry, to the last digit, and the quick figures."""
    expected = run(Solo(table, strategy)).entry
    rules = table.rules(1)
    assert spectrum.entry(rules, strategy) == expected
    quick = spectrum.quick(rules, strategy)
    for name, figure in (
        ("rtp_per_ante", quick.rtp_per_ante),
        ("variance_per_round", quick.variance),
        ("hit_frequency", quick.hit_frequency),
        ("fold_frequency", quick.fold_frequency),
        ("maximum_exposure", quick.maximum_exposure),
    ):
        assert Fraction(expected[name]["exact"]) == figure, name
    assert spectrum.kickout_curve(rules, [rules.kickout_class], strategy) == [quick]


@pytest.mark.parametrize("key", [key for key in GOLDEN if key != "note"])
def test_golden_paytables_are_those_of_the_experiment(spectrum, key):
    name, objective = key.split("/")
    kickout = {"KKQ": "KKQ", "AA": "AA", "never": "none"}
    table = (
        paytable("home_capped") if name == "KKQ_cap10" else paytable(kickout={"1": kickout[name]})
    )
    assert_like_solo(spectrum, table, STRATEGY_OF[objective])
    found = spectrum.entry(table.rules(1), STRATEGY_OF[objective], by_hand=False)
    for count in ("fold_deals", "play_deals", "kickout_deals", "winning_completions"):
        assert found["counts"][count] == GOLDEN[key][count]
    assert found["ev_per_ante"]["exact"] == GOLDEN[key]["ev_last_hand_free"]


def test_without_hands_all_other_parts_are_the_same(spectrum):
    rules = paytable().rules(1)
    whole = spectrum.entry(rules)
    short = spectrum.entry(rules, by_hand=False)
    assert whole.keys() - short.keys() == {"by_hand", "class_map_loss"}
    assert all(whole[name] == short[name] for name in short)
    assert spectrum.figures(rules)["ev_per_ante"] == Fraction(whole["ev_per_ante"]["exact"])


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "collective"])
def test_every_strategy_by_name_where_the_last_hand_may_play(spectrum, strategy):
    table = paytable(last_hand="may_play", when_equal="fold", kickout={"1": "TTxx"})
    assert_like_solo(spectrum, table, strategy)


@pytest.mark.parametrize(
    "changes",
    [
        {"last_hand": "may_play", "when_equal": "fold", "kickout": {"1": "222"}},
        {"last_hand": "may_play", "when_equal": "play"},
        {"last_hand": "none", "kickout": {"1": "royal_flush"}},
        {"kickout": {"1": "75432"}},
        {"bonus": {}},
        {"coin": "fair", "ante": "1/3", "play_bet": "2/7", "dealer_ante": 0},
        {"ante": 500_000_000, "play_bet": 400_000_000, "bonus": {"straight": 2, "flush": 1}},
    ],
    ids=str,
)
def test_readings_and_amounts(spectrum, changes):
    assert_like_solo(spectrum, paytable(**changes))


def test_lines_that_the_usual_table_does_not_have_get_a_table_of_their_own(folder):
    notes = []
    spectrum = load_spectrum(folder, notes.append)
    assert_like_solo(spectrum, paytable(bonus={"pair_of_jacks": 1, "straight": 3}))
    assert [note for note in notes if "building" in note] == notes[-1:]
    spectrum.quick(paytable(bonus={"pair_of_jacks": 2, "straight": 4}).rules(1))
    assert len(notes) == 1


def random_tables(number, seed):
    """Bonus tables with pays that need not rise, some lines left out, and any kickout class."""
    rng = random.Random(seed)
    for _ in range(number):
        lines = rng.sample(USUAL_LINES, rng.randint(1, len(USUAL_LINES)))
        bonus = {line: rng.choice([0, 1, rng.randint(0, 30), 2000]) for line in lines}
        amounts = {name: rng.randint(1, 4) for name in ("ante", "dealer_ante", "play_bet")}
        yield paytable(bonus=bonus, **rng.choice([{}, amounts]))
        kickout = {"1": kickout_text(rng.randint(0, N_CLASSES))}
        yield paytable(kickout=kickout, last_hand=rng.choice(["free", "may_play", "none"]))


@pytest.mark.parametrize("table", list(random_tables(2, seed=6)), ids=lambda _: "")
def test_random_bonus_tables_and_kickouts(spectrum, table):
    assert_like_solo(spectrum, table)


@pytest.mark.slow
@pytest.mark.parametrize("table", list(random_tables(20, seed=66)), ids=lambda _: "")
def test_twenty_random_bonus_tables_and_twenty_kickouts(spectrum, table):
    assert_like_solo(spectrum, table)
    assert_like_solo(spectrum, table, "collective_pot_only")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_bonus_tables_on_any_lines(spectrum, seed):
    rng = random.Random(seed)
    lines = rng.sample(sorted(line_names()), rng.randint(1, 9))
    assert_like_solo(spectrum, paytable(bonus={line: rng.randint(0, 40) for line in lines}))


@pytest.mark.parametrize("last_hand", ["free", "may_play", "none"])
def test_the_kickout_curve_is_each_kickout_by_itself(spectrum, last_hand):
    rules = paytable(last_hand=last_hand, when_equal="fold", bonus={"flush": 3}).rules(1)
    rng = random.Random(1)
    classes = [0, 1, *rng.sample(range(N_CLASSES), 12), N_CLASSES - 1, N_CLASSES]
    curve = spectrum.kickout_curve(rules, classes)
    for index, found in zip(classes, curve, strict=True):
        assert found == spectrum.quick(replace(rules, kickout_class=index))


def test_deals_and_completions_of_the_table_are_those_of_the_whole_game(spectrum):
    table = spectrum.table(paytable().rules(1))
    assert int(table.kicked[0, 0]) == 2_809_475_760
    assert len(table.deals) == table.hand_starts[-1]
    # Two cards and three more of those left over are five random cards.
    straight_or_better = 2_598_960 - 1_302_540 - 1_098_240 - 123_552 - 54_912
    assert Fraction(int(table.kicked[0, 1]), 2_809_475_760 * 14_190) == Fraction(
        straight_or_better, 2_598_960
    )
    rises = np.diff(table.dealer_class.astype(int))[np.diff(table.hand_of_row) == 0]
    assert int(rises.min()) == 0


def test_bad_questions(spectrum):
    rules = paytable().rules(1)
    with pytest.raises(ValueError, match="one player"):
        spectrum.quick(load_paytable("rulebook").rules(2))
    with pytest.raises(ValueError, match="full deck"):
        spectrum.quick(replace(rules, lowest_rank=8))
    with pytest.raises(ValueError, match="did you mean collective"):
        spectrum.entry(rules, "colective")
    with pytest.raises(ValueError, match="64 bits"):
        spectrum.quick(replace(rules, ante=1 << 60))


# --- The cache -----------------------------------------------------------------------------------


def only_file(folder):
    (path,) = folder.glob("spectrum-*.parquet")
    return path


@pytest.fixture
def copy(folder, spectrum, tmp_path):
    """A cache with the file of the usual lines alone."""
    del spectrum
    key = spectrum_cache.table_key(usual_thresholds())
    (path,) = folder.glob(f"spectrum-{key}-*.parquet")
    (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_the_file_is_small_and_read_without_a_note(copy):
    assert only_file(copy).stat().st_size < 64 * 2**20
    notes = []
    found = load_spectrum(copy, notes.append).quick(paytable().rules(1))
    assert notes == []
    assert found.rtp_per_ante == 1 - Fraction(78734189, 2579351775)


@pytest.mark.parametrize("damage", ["truncated", "empty", "flipped"])
def test_a_damaged_file_is_built_again_with_a_note(copy, damage):
    path = only_file(copy)
    sound = path.read_bytes()
    bad = {"truncated": sound[: len(sound) // 2], "empty": b""}
    flipped = bytearray(sound)
    flipped[len(flipped) // 3] ^= 4
    path.write_bytes(bad.get(damage, bytes(flipped)))
    notes = []
    found = load_spectrum(copy, notes.append).quick(paytable().rules(1))
    assert "is damaged" in notes[0]
    assert found.rtp_per_ante == 1 - Fraction(78734189, 2579351775)
    assert only_file(copy).read_bytes() == sound


def test_files_of_another_version_are_not_read_and_few_are_kept(copy, monkeypatch):
    path = only_file(copy)
    monkeypatch.setattr(spectrum_cache, "source_digest", lambda: "other sources")
    monkeypatch.setattr(spectrum_cache, "KEEP_FILES", 2)
    for number in range(3):
        other = copy / f"spectrum-{number:016}-{number:016}.parquet"
        other.write_bytes(b"of another version")
        os.utime(other, (number, number))
    notes = []
    load_spectrum(copy, notes.append)
    assert len(notes) == 1
    assert "other versions" in notes[0]
    left = {file.name for file in copy.iterdir()}
    assert len(left) == 2
    assert path.name in left  # the newest of the others


def test_a_folder_that_cannot_be_written_costs_a_note_and_nothing_else(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    notes = []
    found = load_spectrum(blocked, notes.append).quick(paytable().rules(1))
    assert found.rtp_per_ante == 1 - Fraction(78734189, 2579351775)
    assert "cannot be kept" in notes[-1]


def test_two_processes_may_build_at_once(tmp_path):
    program = (
        "from ricochet_casino.games import load_paytable\n"
        "from ricochet_casino.games.ricochet_poker.spectrum import load_spectrum\n"
        "print(load_spectrum().quick(load_paytable('rulebook').rules(1)).rtp_per_ante)"
    )
    environment = {**os.environ, "RICOCHET_CACHE": str(tmp_path / "new" / "folder")}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in both:
        printed, errors = process.communicate(timeout=300)
        assert (printed.strip(), errors) == (str(1 - Fraction(78734189, 2579351775)), "")
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == [
        only_file(tmp_path / "new" / "folder").name
    ]
