"""`ricochet pinball` as a user meets it."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden" / "pinball_layouts.json"


def pinball(*words, stdin=""):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", "pinball", *map(str, words)],
        capture_output=True, text=True, input=stdin, timeout=300, check=False,
        env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip


def test_chains_as_json():
    done = pinball("chain", GOLDEN, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    chains = json.loads(done.stdout)["chains"]
    layouts = json.loads(GOLDEN.read_text())["layouts"]
    wanted = [{name: layout[name] for name in ("id", "sequence", "final")} for layout in layouts]
    assert chains == wanted


def test_a_file_that_states_another_chain_ends_with_exit_code_1(tmp_path):
    layouts = json.loads(GOLDEN.read_text())
    layouts["layouts"][0]["sequence"].reverse()
    layouts["layouts"][0]["final"] = layouts["layouts"][0]["sequence"][-1]
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(layouts))
    done = pinball("chain", file)
    assert done.returncode == 1
    assert "layout 1: the file says" in done.stderr
    assert len(done.stdout.splitlines()) == 40


def test_a_study_as_json_is_the_same_with_two_workers(tmp_path):
    words = [
        *("study", "--players", 3, "--deck", "fairest", "--games", 20_000, "--seed", 5, "--cost"),
        *("--error", "0,2%,5%", "--goal", 4, "--full-tilt", "--format", "json"),
    ]
    one, two = pinball(*words), pinball(*words, "--workers", 2, "--store", tmp_path / "kept")
    assert (one.returncode, one.stderr) == (0, "")
    assert one.stdout == two.stdout
    found = json.loads(one.stdout, parse_float=lambda text: pytest.fail(f"a float: {text}"))
    assert found["games"] == 20_000
    assert [row["player"] for row in found["win_shares"]] == [1, 2, 3]
    shares = [Fraction(row["win_share"]["decimal"]) for row in found["win_shares"]]
    assert abs(sum(shares) - 1) < Fraction(1, 10**9)
    assert sum(found["rounds"]["distribution"].values()) == 20_000
    assert found["slips"]["total"] == sum(row["slips"] for row in found["win_shares"]) > 0
    assert found["ties"]["total"] > 0
    assert [row["player"] for row in found["cost_of_slips"]] == [2, 3]
    assert all(Fraction(row["cost"]["decimal"]) > 0 for row in found["cost_of_slips"])


def test_a_study_as_text_shows_exact_figures_beside():
    done = pinball("study", "--players", 2, "--games", 2_000, "--time", "0.5,0.6")
    assert done.returncode == 0
    for text in ("win share", "exactly", "rounds:", "tie-breaks:", "same place"):
        assert text in done.stdout
    done = pinball("study", "--players", 3, "--games", 2_000)
    assert "12.181254 exactly" in done.stdout


def test_a_generated_deck_is_a_deck_file_that_reads_back(tmp_path):
    done = pinball("deck", "--seed", 7)
    assert (done.returncode, done.stderr) == (0, "")
    file = tmp_path / "mine.yaml"
    file.write_text(done.stdout)
    again = pinball("deck", file)
    assert again.returncode == 0
    assert "deck random_7_0: 50 cards" in again.stdout
    other = tmp_path / "other.yaml"
    assert pinball("deck", "--seed", 7, "--out", other).returncode == 0
    assert other.read_text() == file.read_text()
    shown = json.loads(pinball("deck", file, "--format", "json").stdout)
    assert len(shown["cards"]) == 50
    assert sum(shown["balls"].values()) == 50


def test_design_measures_and_searches(tmp_path):
    done = pinball("design", "fairest", "--random", 1, "--seed", 3, "--format", "json")
    assert done.returncode == 0
    rows = json.loads(done.stdout)["decks"]
    assert [row["name"] for row in rows] == ["fairest", "random_3_0"]
    guesses = [Fraction(row["measures"]["guess"]["exact"]) for row in rows]
    assert guesses[0] < guesses[1]
    file = tmp_path / "found.yaml"
    done = pinball("design", "--search", "tricky", "--starts", 1, "--steps", 1, "--out", file)
    assert done.returncode == 0
    assert "--search tricky --starts 1 --steps 1" in file.read_text()
    assert pinball("deck", file).returncode == 0


def test_a_game_against_the_clock():
    done = pinball("play", "--time", "9", "--seed", 4, stdin="l\nmiddle\nright\n\nq\n")
    assert done.returncode == 0
    assert "start card 3" in done.stdout
    assert "middle: expected top, right, bottom, left" in done.stdout
    assert "passed; the clock took" in done.stdout
    assert "the game is given up" in done.stdout


def test_a_whole_game_against_the_clock_in_full_tilt():
    done = pinball("play", "--full-tilt", "--goal", 2, "--error", 0, stdin="\n" * 5)
    assert done.returncode == 0
    assert "the clock wins the game" in done.stdout
    assert "cards: you 0, the clock 2" in done.stdout


def test_a_game_is_told():
    done = pinball("play", "--watch", "--opponents", 2, "--seed", 7, "--goal", 3)
    assert done.returncode == 0
    assert "wins the game" in done.stdout
    assert done.stdout == pinball(
        "play", "--watch", "--opponents", 2, "--seed", 7, "--goal", 3
    ).stdout  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["study", "--goal", "0"], "goal with four outer cards must be 1 to 46, got 0"),
        (["study", "--goal", "47"], "must be 1 to 46, got 47"),
        (["study", "--goal", "46", "--full-tilt"], "must be 1 to 45, got 46"),
        (["study", "--players", "11"], "players must be 2 to 10, got 11"),
        (["study", "--players", "1"], "players must be 2 to 10, got 1"),
        (["study", "--time", "-0.5"], "must be above 0 and at most 60 seconds, got -0.5"),
        (["study", "--time", "nan"], "time: 'nan' is not a usable number"),
        (["study", "--time", "fast"], "time: 'fast' is not a number"),
        (["study", "--error", "100%"], "an error rate must be at least 0 and below 1"),
        (["study", "--spread", "2"], "a spread must be 0 to 1"),
        (["study", "--tick", "0"], "tick must be 1 to 1000"),
        (["study", "--deck", "fairset"], "did you mean fairest?"),
        (["study", "--format", "jsno"], "did you mean json?"),
        (["study", "--games", "0"], "--games"),
        (["study", "--resume"], "needs --store DIR"),
        (["deck", "nowhere.yaml"], "no such file"),
        (["chain", "nowhere.json"], "no such file"),
        (["design", "--search", "fare"], "did you mean fair?"),
        (["design", "--out", "x.yaml"], "needs --search"),
        (["play", "--opponents", "10"], "--opponents"),
        (["play", "--time", "-1"], "must be above 0"),
    ],
)
def test_bad_words_are_clear_errors_with_exit_code_2(words, said):
    done = pinball(*words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("large red", "large pink", "no ball is pink"),
        ("cards:\n", "cards:\n  - {red: 17, yellow: 1, green: 1, blue: 1, ball: small red}\n",
         "red 17 is on card 1 already"),
    ],
)  # fmt: skip
def test_a_deck_that_is_none_is_refused_with_file_and_line(tmp_path, old, new, said):
    file = tmp_path / "bad.yaml"
    file.write_text(pinball("deck", "--seed", 7).stdout.replace(old, new, 1))
    done = pinball("study", "--deck", file)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert f"{file}:" in done.stderr.replace("\n", "")
