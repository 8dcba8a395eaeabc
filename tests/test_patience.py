"""The patience games as a user meets them: files, studies, play, bad input."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino.lab.patience import GAMES, difficulty, read_deals, solve_deals, winnable_deal
from ricochet_casino.lab.patience_session import PatienceSession, chosen_move, move_text
from ricochet_casino.lab.patience_views import view

GOLDEN = Path(__file__).parent / "golden"
FILES = {
    "solitaire": "ricochet_solitaire",
    "pyramid": "hearts_pyramid",
    "racing-aces": "racing_aces",
}


def ricochet(*words, typed=""):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", *words],
        capture_output=True, text=True, timeout=300, check=False, input=typed,
        env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_files_in_the_form_of_the_given_ones_are_read(name):
    deals = read_deals(GAMES[name], GOLDEN / f"{FILES[name]}.json", [])
    assert len(deals) >= 27
    if name == "racing-aces":
        assert {deal.settings.initial_waste for deal in deals} == {0, 1}
        forced = read_deals(GAMES[name], GOLDEN / "racing_aces.json", ["initial_waste=1"])
        assert {deal.settings.initial_waste for deal in forced} == {1}


def test_solve_prints_one_document_with_verdicts():
    given = json.loads((GOLDEN / "ricochet_solitaire.json").read_text())["deals"]
    done = ricochet(
        "solitaire", "solve", str(GOLDEN / "ricochet_solitaire.json"), "--set", "wrap=false",
        "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == ""
    verdicts = json.loads(done.stdout)["verdicts"]
    for found, entry in zip(verdicts, given, strict=True):
        assert set(found) == {"id", "verdict", "moves", "states", "seconds"}
        assert found["id"] == entry["id"]
        assert found["verdict"] == ("won" if entry["verdicts"]["no_wrap"] else "lost")
        assert bool(found["moves"]) == (found["verdict"] == "won")
        assert float(found["seconds"]) < 60


def test_study_is_the_same_for_one_worker_and_two_but_for_the_rate(tmp_path):
    words = ["pyramid", "study", "--deals", "9000", "--seed", "3", "--preset", "playable"]
    one = json.loads(ricochet(*words, "--format", "json").stdout)
    two = json.loads(ricochet(*words, "--format", "json", "--workers", "2").stdout)
    for found in (one, two):
        assert float(found.pop("deals_per_second")) > 0
    assert one == two
    assert one["won"] + one["lost"] + one["undecided"] == one["deals"] == 9000
    low, high = map(float, one["interval"])
    assert low < float(one["share"]) < high
    assert one["level"] == "0.99"
    store = ["--store", str(tmp_path / "run")]
    assert ricochet(*words, *store).returncode == 0
    again = ricochet(*words, *store, "--resume")
    assert "share won" in again.stdout
    assert f"{one['won']:,}" in again.stdout


@pytest.mark.parametrize("name", GAMES)
def test_deal_writes_a_file_that_solve_reads(name, tmp_path):
    done = ricochet(name, "deal", "--number", "4", "--seed", "1", "--format", "json")
    file = tmp_path / "deals.json"
    file.write_text(done.stdout)
    deals = read_deals(GAMES[name], file, [])
    assert deals[0].cards == GAMES[name].deal(1, 4)
    found = solve_deals(GAMES[name], deals)
    assert found[0]["verdict"] in ("won", "lost")
    again = ricochet(name, "deal", "--number", "4", "--seed", "1")
    assert "deal 4 of seed 1" in again.stdout


BAD = {
    "51": (lambda deck: deck[:51], "expected 52 cards, got 51"),
    "fifth king": (lambda deck: [*deck[:51], "K"] if len(deck[0]) == 1 else [*deck[:51], "KX"],
                   "K"),
    "rank": (lambda deck: ["1" + deck[0][1:], *deck[1:]], "1"),
}  # fmt: skip


@pytest.mark.parametrize("name", ["solitaire", "pyramid"])
@pytest.mark.parametrize("what", BAD)
def test_bad_deals_name_the_file_and_the_deal(name, what, tmp_path):
    change, said = BAD[what]
    content = json.loads((GOLDEN / f"{FILES[name]}.json").read_text())["deals"]
    entry = next(e for e in content if (e.get("deck") or ["KH"])[-1] != "K")
    key = GAMES[name].inside.KEY
    file = tmp_path / "bad.json"
    file.write_text(json.dumps({"deals": [{"id": "x-1", key: change(entry[key])}]}))
    with pytest.raises(ValueError, match=r"bad\.json: deal x-1: ") as caught:
        read_deals(GAMES[name], file, [])
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a JSON document"),
        ("[]", "a list of deals"),
        ('{"deals": []}', "a list of deals"),
        ('{"deals": [7]}', "an object with an id"),
        ('{"deals": [{"id": "a"}]}', "the key cards is missing"),
        ('{"deals": [], "deals": []}', "appears twice"),
    ],
)
def test_files_that_are_no_deals_are_refused(text, said, tmp_path):
    file = tmp_path / "bad.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=said):
        read_deals(GAMES["solitaire"], file, [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pyramid", "deal", "--set", "rows=10"], "10 rows need 55 cards"),
        (["pyramid", "study", "--set", "pairing=strikt"], "pairing"),
        (["solitaire", "study", "--player", "gredy"], "did you mean greedy"),
        (["solitaire", "study", "--limit-states", "0"], "at least 1"),
        (["solitaire", "study", "--deals", "0"], "--deals"),
        (["solitaire", "study", "--level", "x"], "a share such as 99%"),
        (["solitaire", "study", "--format", "xml"], "text or json"),
        (["solitaire", "solve", "GOLDEN", "--limit-seconds", "0"], "above 0"),
        (["solitaire", "solve", "GOLDEN", "--limit-seconds", "soon"], "a number of seconds"),
        (["solitaire", "solve", "GOLDEN", "--limit-states", "0"], "at least 1"),
        (["racing-aces", "deal", "--set", "initial_waste=2"], "0 or 1"),
        (["racing-aces", "play", "--preset", "ruled"], "did you mean as_ruled"),
        (["solitaire", "solve", "no-such-file.json"], "No such file"),
    ],
)
def test_bad_words_are_clear_errors_with_exit_code_2(words, said):
    words = [str(GOLDEN / "ricochet_solitaire.json") if w == "GOLDEN" else w for w in words]
    done = ricochet(*words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("name", GAMES)
def test_a_session_follows_its_hints_to_a_win_and_back(name):
    game = GAMES[name]
    settings = game.settings.read({}, "friendly" if name == "pyramid" else None)
    number, tried = winnable_deal(game, settings, 5, 0)
    assert tried == number + 1
    session = PatienceSession(game, game.deal(5, number), settings)
    begin = session.referee.state()
    while not session.is_won:
        assert not session.is_stuck
        assert not session.is_hopeless
        hint = session.hint()
        session.move(chosen_move(session, move_text(hint)))
        assert max(map(len, view(game, session.referee))) <= 80
        assert len(view(game, session.referee)) <= 22
    assert session.verdict().verdict == "won"
    while session.referee.history:
        session.undo()
    assert session.referee.state() == begin
    wins = difficulty(game, session.cards, settings, 1, 50)
    assert all(0 <= won <= 50 for won in wins.values())


def test_a_session_knows_when_all_is_lost():
    game = GAMES["pyramid"]
    settings = game.settings.read({})
    session = PatienceSession(game, game.deal(5, 0), settings)
    assert session.is_hopeless
    assert session.hint() is None
    for _ in range(24):
        session.move("draw")
    assert session.is_hopeless
    for text, said in (("", "expected a move"), ("1 2 3", "two cards"), ("7", "two cards")):
        with pytest.raises(ValueError, match=said):
            chosen_move(session, text)


def test_play_through_a_pipe():
    done = ricochet(
        "solitaire", "play", "--number", "3", typed="h\nflip\nu\nnonsense\nu\nm\nb\n?\n"
    )
    assert done.returncode == 0
    for said in ("hint: ", "taken back: flip", "walls closed: none", "Good-bye."):
        assert said in done.stdout
    assert "is no move" in done.stderr
    assert "no move to take back" in done.stderr
    lost = ricochet("pyramid", "play", typed="h\nd\nq\n")
    assert "can no longer be won" in lost.stdout
    assert "0.1128 %" in lost.stdout


def test_a_limit_of_seconds_is_kept():
    deals = read_deals(GAMES["racing-aces"], GOLDEN / "racing_aces.json", [])
    hard = [deal for deal in deals if deal.id == "seed5980"]
    assert solve_deals(GAMES["racing-aces"], hard, Fraction(1, 1000))[0]["verdict"] == "undecided"
