"""`ricochet home` as a user meets it: what is printed, exit codes, bad input in one line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def home(*words):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", "home", *words],
        capture_output=True, text=True, timeout=240, check=False,
        env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip


def refused(done, text):
    assert done.returncode == 2
    assert done.stdout == ""
    assert text in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


EXAMPLE = ("--actor", "2h 2d 9c 7s", "--opponent", "8s 8d Kd 5h", "--dead", "Jc 8h 9h Qd")


def test_compare_prints_all_results_as_json():
    done = home("compare", str(GOLDEN / "home_compare.json"), "--format", "json")
    assert done.returncode == 0, done.stderr
    pairs = json.loads((GOLDEN / "home_compare.json").read_text())["pairs"]
    keys = ("id", "order_of_play", "showdown")
    assert json.loads(done.stdout) == {"results": [{k: pair[k] for k in keys} for pair in pairs]}
    text = home("compare", str(GOLDEN / "home_compare.json"))
    assert text.returncode == 0
    assert "a is lower" in text.stdout


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"b": ["Ks"]}, "pair 7: the card Ks is in both hands"),
        ({"a": ["Ks", "Ks"]}, "pair 7: the card Ks appears twice"),
        ({"jokers": 3}, "pair 7: jokers must be 0, 1 or 2, got 3"),
        ({"a": ["X1"], "b": ["X2"], "jokers": 1}, "pair 7: 2 Jokers are held, but jokers is 1"),
        ({"limit_needed": 8}, "pair 7: limit_needed must be 5, 6 or 7, got 8"),
        ({"a": []}, "pair 7: a has 0 cards, expected 1 to 5"),
        ({"a": ["2c", "3c", "4c", "5c", "6c", "7c"]}, "pair 7: a has 6 cards, expected 1 to 5"),
        ({"a": ["1s"]}, "pair 7: '1s' is not a card"),
        ({"a": "Ks"}, "pair 7: a must be a list of cards"),
    ],
)
def test_pairs_that_cannot_be(tmp_path, changes, message):
    pair = {"id": 7, "a": ["Ks"], "b": ["Qs"], "jokers": 0, "limit_needed": 5, **changes}
    file = tmp_path / "pairs.json"
    file.write_text(json.dumps({"pairs": [pair]}))
    refused(home("compare", str(file)), message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expected an object with a list under pairs"),
        ('{"pairs": [\n1, }', ":2: not valid JSON"),
        ('{"pairs": [1]}', "pair 1: expected an object"),
        ('{"pairs": [{"id": 3, "a": [], "jokers": 0}]}', "pair 3: the key b is missing"),
    ],
)
def test_files_of_pairs_that_are_none(tmp_path, content, message):
    file = tmp_path / "pairs.json"
    file.write_text(content)
    refused(home("compare", str(file)), message)
    refused(home("compare", str(tmp_path / "none.json")), "No such file")


def test_odds_of_the_example_exactly():
    done = home("odds", *EXAMPLE, "--pot", "15", "--exact", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout, parse_float=pytest.fail)
    assert found["best"] == "1"
    fold, buy = found["actions"]
    assert (fold["action"], fold["ev"], fold["decimal"]) == ("fold", "0", "0")
    assert (buy["action"], buy["ev"], buy["decimal"]) == ("1", "251/156", "1.60897435897436")
    assert (buy["overtake"], buy["expected_cost"]) == ("7/40", "1")
    text = home("odds", *EXAMPLE, "--pot", "15")
    assert "advice     buy 1" in text.stdout
    assert "251/156" in text.stdout


def test_odds_out_of_exact_reach():
    opening = ("--actor", "7s", "--opponent", "Kd", "--pot", "2")
    refused(home("odds", *opening, "--exact"), "exact values reach to 6")
    done = home("odds", *opening, "--sampled", "--playouts", "500", "--format", "json")
    found = json.loads(done.stdout, parse_float=pytest.fail)
    assert found["method"] == "sampled"
    assert len(found["actions"][1]["interval"]) == 2
    several = home("odds", "--actor", "7s", "--opponent", "Kd", "--opponent", "9c", "--pot", "3",
                   "--playouts", "500")  # fmt: skip
    assert several.returncode == 0
    assert "sampled" in several.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--pot", "0"), "a pot of 0 is impossible: 2 antes are in it"),
        (("--pot", "15", "--jokers", "3"), "jokers: 3 is not allowed"),
        (("--pot", "15", "--limit", "9"), "more than the deck can serve"),
        (("--pot", "15", "--opponent", "2h As"), "2h is in two places: the actor, opponent 2"),
        (("--pot", "15", "--level-hands", "suits"), "level_hands: 'suits' is not allowed"),
        (("--pot", "15", "--exact", "--sampled"), "choose one of the two"),
        (("--pot", "15", "--format", "jsn"), "did you mean json"),
    ],
)
def test_odds_that_cannot_be(words, message):
    done = home("odds", *EXAMPLE, *words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_a_study():
    words = ("study", "--players", "3", "--policy", "buy_one", "--hands", "2000", "--seed", "5")
    done = home(*words, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout, parse_float=pytest.fail)
    assert found["entry"]["hands"] == 2000
    assert len(found["entry"]["by_seat"]) == 3
    assert found["spec"]["game"] == "home_poker"
    text = home(*words)
    assert "All intervals contain zero" in text.stdout
    refused(home("study", "--players", "9"), "2 to 8 players, got 9")
    refused(home("study", "--policy", "look_ahed"), "did you mean look_ahead")
    refused(home("study", "--limit", "8"), "more than the deck can serve")


def test_a_hand_is_told():
    done = home("hand", "--seed", "3", "--players", "3")
    assert done.returncode == 0
    assert "3 players ante 1 chip each. Pot: 3 chips." in done.stdout
    assert "wins the pot" in done.stdout
    found = json.loads(home("hand", "--seed", "3", "--players", "3", "--format", "json").stdout)
    assert sum(found["net"]) == 0
    assert found["events"][0]["kind"] == "ante"
    refused(home("hand", "--players", "1"), "2 to 8 players")


def test_a_duel():
    words = ("duel", "--players", "3", "--policy", "buy_maximum", "--against", "buy_one",
             "--hands", "3000", "--seed", "5")  # fmt: skip
    done = home(*words, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout, parse_float=pytest.fail)
    assert found["spec"]["experiment"] == "duel"
    assert found["entry"]["hands"] == 3000
    assert found["entry"]["better"] + found["entry"]["worse"] <= 3000
    text = home(*words)
    assert text.returncode == 0
    assert "gain over the same seat" in text.stdout
    assert f"It nets more in {found['entry']['better']:,} deals" in text.stdout
    shown = "is better than" if found["entry"]["policy_is_better"] else "is not shown to be better"
    assert f"buy_maximum {shown}" in text.stdout
    refused(home("duel", "--players", "9"), "2 to 8 players, got 9")
    refused(home("duel", "--against", "buy_to"), "did you mean")
    refused(home("duel", "--playouts", "0"), "playouts must be 1 to 65,536, got 0")
    refused(home("duel", "--limit", "8"), "more than the deck can serve")
