"""Positions from files: `ricochet decide` and the use case behind it."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino.cli.decide import _doubt
from ricochet_casino.config import ConfigError
from ricochet_casino.games.ricochet_poker.table_position import DEALS, Sampled
from ricochet_casino.lab.decide import answer, read_question
from ricochet_casino.stats.intervals import Interval

GOLDEN = json.loads(
    (Path(__file__).parent / "golden" / "ricochet_poker_two_players.json").read_text()
)
DEALER = ["4h", "5h", "7s", "Jd", "Qs"]
LOW, HIGH, TOP = ["2c", "3d"], ["8c", "9d"], ["Kc", "Kd"]
POSITION = {"dealer": DEALER, "players": [LOW, HIGH]}


def ricochet(*words):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", *words],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def to_file(content):
        file = tmp_path / "position.json"
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    return to_file


@pytest.mark.parametrize("deal", GOLDEN["deals"], ids=lambda deal: deal["id"])
def test_golden_deals(write, deal):
    low, high = deal["hands_lowest_first"]
    position = {
        "paytable": "rulebook",
        "coin": "fair",
        "dealer": deal["dealer"],
        "players": [high, {"hand": low}],
    }
    for strategy, golden in (
        ("collective", deal["collective"]),
        ("individual", deal["individual_first_player"]),
    ):
        file = write({**position, "strategy": strategy})
        found = answer(read_question(file).decide())
        assert set(found) == {"order", "to_act", "play", "fold", "best"}
        assert (found["order"], found["to_act"]) == ([1, 0], 1)
        assert found["best"] == golden["best"]
        for choice in ("play", "fold"):
            exact = Fraction(golden[choice])
            assert Fraction(found[choice]["exact"]) == exact
            assert float(found[choice]["decimal"]) == pytest.approx(float(exact), rel=1e-14)


def test_json_on_standard_output_and_nothing_else(write):
    deal = GOLDEN["deals"][7]
    file = write(
        {"dealer": " ".join(deal["dealer"]), "players": deal["hands_lowest_first"], "coin": "fair"}
    )
    done = ricochet("decide", str(file), "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["play"] == {"decimal": "-0.609049785334229", "exact": "-1856522/3048227"}
    assert found["fold"] == {"decimal": "0", "exact": "0/1"}
    assert found["best"] == "fold"


def test_text_names_all_that_matters(write):
    file = write(
        {
            "dealer": DEALER,
            "players": [HIGH, {"hand": LOW, "folded": True}, {"hand": TOP}],
            "strategy": "individual",
        }
    )
    done = ricochet("decide", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert "Casino Ricochet Poker, rulebook" in lines[0]
    assert "individual (chips the player's own, from this decision on)" in lines[1]
    assert "4♥ 5♥ 7♠ J♦ Q♠" in lines[2]
    assert re.fullmatch(r"order +players\[1\]  2♣ 3♦  folded", lines[3])
    assert re.fullmatch(r" +players\[0\]  8♣ 9♦  to act", lines[4])
    assert re.fullmatch(r" +players\[2\]  K♣ K♦", lines[5])
    assert re.fullmatch(r"play +-?[0-9]+/[0-9]+ chips  = [+-][0-9.]+ +exact", lines[6])
    assert re.fullmatch(r"fold +0 chips  = \+0.000000 +exact", lines[7])
    assert re.fullmatch(r"best +(play|fold)", lines[8])
    assert len(lines) == 9


FOUR = {**POSITION, "players": [LOW, HIGH, TOP, ["Ah", "6c"]]}
SAMPLED = {"decimal", "interval", "level", "interval_method"}
EXACT = {"decimal", "exact"}


def decided(write, position, *words):
    done = ricochet("decide", str(write(position)), "--format", "json", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("strategy", "players", "kinds"),
    [
        ("collective", 4, (SAMPLED, EXACT)),
        ("collective", 5, (SAMPLED, SAMPLED)),
        ("collective_pot_only", 4, (SAMPLED, EXACT)),
        ("individual", 3, (SAMPLED, EXACT)),
        ("individual", 4, (SAMPLED, EXACT)),
        ("collective", 3, (EXACT, EXACT)),
    ],
)
def test_three_and_more_left(write, strategy, players, kinds):
    hands = [*FOUR["players"], ["Ac", "7c"]][:players]
    position = {**POSITION, "players": hands, "strategy": strategy}
    found = answer(read_question(write(position)).decide(deals=200, seed=1))
    play, fold, difference = found["play"], found["fold"], found["difference"]
    assert (set(play), set(fold)) == kinds
    assert set(difference) == (SAMPLED if SAMPLED in kinds else EXACT)
    assert float(difference["decimal"]) == pytest.approx(
        float(play["decimal"]) - float(fold["decimal"]), abs=1e-12
    )
    for amount in (play, fold, difference):
        if "interval" in amount:
            low, high = map(float, amount["interval"])
            assert low < float(amount["decimal"]) < high
            assert (amount["level"], amount["interval_method"]) == ("0.99", "betting")
    sample = {"deals", "seed", "stream"} if SAMPLED in kinds else set()
    assert set(found) == {"order", "to_act", "play", "fold", "difference", "best"} | sample
    assert found["to_act"] == found["order"][0] == 0


def test_positions_of_many_in_json(write):
    found = decided(write, FOUR, "--deals", "100", "--seed", "7")
    assert (found["deals"], found["seed"], found["stream"]) == (100, 7, 5)
    assert found["order"] == [0, 1, 3, 2]
    assert decided(write, FOUR, "--deals", "100", "--seed", "7") == found
    assert decided(write, FOUR, "--deals", "100", "--seed", "8")["play"] != found["play"]


def test_the_group_has_won_once_the_dealer_is_beaten(write):
    players = [{"hand": LOW, "completed": "2h2s3c"}, HIGH, TOP, ["Ah", "6d"]]
    found = decided(write, {**POSITION, "players": players, "when_equal": "fold"})
    # Five antes and a bet are the group's; only her own bonus depends on her choice.
    assert Fraction(found["fold"]["exact"]) > 6
    assert Fraction(found["difference"]["exact"]) > 0
    assert found["best"] == "play"


def test_text_of_many_says_what_is_exact_and_what_sampled(write):
    file = write({**FOUR, "strategy": "individual"})
    done = ricochet("decide", str(file), "--deals", "100")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    amount = r"[+-][0-9.]+ chips, [+-][0-9.]+ to [+-][0-9.]+  sampled, 99 % interval \(betting\)"
    assert re.fullmatch(rf"play +{amount}", lines[-5])
    assert re.fullmatch(r"fold +0 chips  = \+0.000000 +exact", lines[-4])
    assert re.fullmatch(rf"difference +{amount}", lines[-3])
    assert re.fullmatch(r"best +(play|fold).*", lines[-2])
    assert re.fullmatch(r"sample +100 random orders .*, seed 20261130", lines[-1])
    assert len({line.index(word) for line, word in zip(
        lines[-5:-2], ("sampled", "exact", "sampled"), strict=True)}) == 1  # fmt: skip


def test_help_states_the_usual_number_of_deals():
    assert str(DEALS) in ricochet("decide", "--help").stdout


def test_a_lesser_choice_of_the_strategy_is_pointed_out():
    def said(best, low, high):
        interval = Interval(Fraction(low), Fraction(high), Fraction(99, 100), "betting")
        return _doubt(best, Sampled(Fraction(low + high, 2), interval))

    assert said("play", 1, 2) == said("fold", -2, -1) == _doubt("play", None) == ""
    assert "other choice is worth more" in said("play", -2, -1)
    assert "other choice is worth more" in said("fold", 1, 2)
    assert "does not tell" in said("play", -1, 1)
    assert "does not tell" in said("fold", -1, 1)
    assert "other choice" in _doubt("fold", Fraction(1))
    assert _doubt("fold", Fraction()) == _doubt("play", Fraction()) == ""


def test_a_dealer_kicked_out_is_named(write):
    file = write({"dealer": "Ac Ad Ah As Kd", "players": [LOW], "last_hand": "may_play"})
    done = ricochet("decide", str(file))
    assert done.returncode == 0
    assert "kicked out" in done.stdout
    assert re.search(r"fold +2 chips ", done.stdout)


def test_hands_as_text_lists_and_objects_are_the_same(write):
    answers = [
        answer(read_question(write({"dealer": dealer, "players": players})).decide())
        for dealer, players in (
            (DEALER, [LOW, HIGH]),
            ("4h5h7sJdQs", ["2c 3d", "8♣9♦"]),
            (DEALER, [{"hand": LOW}, {"hand": "8c9d", "folded": False, "completed": None}]),
        )
    ]
    assert answers[0] == answers[1] == answers[2]


def test_completed_by_five_cards_or_by_the_three_added(write):
    three, five = ["Ah", "Ad", "As"], ["Ah", "3d", "Ad", "2c", "As"]
    answers = [
        read_question(
            write({"dealer": DEALER, "players": [HIGH, {"hand": LOW, "completed": cards}]})
        ).decide()
        for cards in (three, five)
    ]
    assert answers[0] == answers[1]
    assert answers[0].to_act == 0
    assert answers[0].fold == 4  # the dealer is beaten: three antes and a bet are the group's


def test_settings_stand_over_those_of_the_paytable(write):
    def rules(**settings):
        return read_question(write({**POSITION, **settings})).rules

    assert rules().unit == 1
    assert rules(coin=0.5).unit == Fraction(1, 2)  # as it stands in the file, not as a float
    assert rules(coin="1/4").unit == Fraction(1, 4)
    assert rules(coin="fair").fair_split
    assert rules().last_hand == "free"
    assert rules(last_hand="none").last_hand == "none"
    assert rules(when_equal="fold").when_equal == "fold"


def test_a_paytable_may_be_a_file(write, tmp_path):
    file = tmp_path / "mine.yaml"
    shipped = Path(__file__).parents[1] / "paytables" / "ricochet_poker" / "rulebook.yaml"
    file.write_text(shipped.read_text().replace("straight: 2", "straight: 3"))
    question = read_question(write({**POSITION, "paytable": str(file)}))
    assert next(line.pays for line in question.rules.lines if line.name == "straight") == 3


def player(**keys):
    return {**POSITION, "players": [HIGH, {"hand": LOW, **keys}]}


BAD = {
    "not there": (None, r"cannot be read \(No such file"),
    "empty": ("", r"position\.json:1: not JSON"),
    "cut off": ('{"dealer": [\n"4h",', r"position\.json:2: not JSON"),
    "a list": ("[]", "a list; expected an object"),
    "deep": ("[" * 100_000, "nested too deeply"),
    "repeated": ('{"dealer": [], "dealer": []}', "the key dealer appears twice"),
    "no dealer": ({"players": [LOW]}, "the key dealer is missing"),
    "unknown key": ({**POSITION, "dealr": 1}, "unknown key dealr.*did you mean dealer"),
    "unknown player key": (player(foldd=True), r"players\[1\]: unknown key foldd.*mean folded"),
    "no hand": ({**POSITION, "players": [{"folded": True}]}, r"players\[0\]: the key hand is mis"),
    "four cards": ({**POSITION, "dealer": DEALER[:4]}, "dealer: expected 5 cards, got 4"),
    "three cards": ({**POSITION, "players": [[*LOW, "4c"]]}, r"players\[0\]: expected 2 cards"),
    "no cards": ({**POSITION, "players": [[]]}, r"players\[0\]: no cards"),
    "number": ({**POSITION, "dealer": 5}, "dealer: 5; expected a list of cards"),
    "null": ({**POSITION, "dealer": None}, "dealer: nothing; expected a list of cards"),
    "no card": ({**POSITION, "players": [["2c", "3x"]]}, r"players\[0\]: '3x' is not a card"),
    "Joker": ({**POSITION, "players": [["2c", "X1"]]}, r"players\[0\]: X1 is a Joker"),
    "twice": ({**POSITION, "players": [LOW, LOW]}, r"players\[1\]: .* 2c stands in players\[0\] t"),
    "twice in a hand": ({**POSITION, "players": [["2c", "2c"]]}, r"the card 2c stands twice"),
    "no player": ({**POSITION, "players": []}, "players: 0 players; expected 1 to 7"),
    "eight": ({**POSITION, "players": [LOW] * 8}, "players: 8 players; expected 1 to 7"),
    "no list": ({**POSITION, "players": "2c3d"}, "players: 2c3d; expected a list"),
    "folded": (player(folded="yes"), r"players\[1\]\.folded: yes; expected true or false"),
    "both": (player(folded=True, completed="AhAdAs"), r"players\[1\]: both folded and completed"),
    "four added": (player(completed="AhAdAsAc"), r"players\[1\]\.completed: .* three added, got 4"),
    "other five": (player(completed="AhAdAsAc2c"), r"players\[1\]\.completed: lacks 3d"),
    "added twice": (player(completed="AhAd4h"), r"completed: the card 4h stands in dealer too"),
    "three of own": (player(completed="AhAd2c"), r"card 2c stands in players\[1\]\.hand too"),
    "all acted": ({**POSITION, "players": [{"hand": LOW, "folded": True}]}, "nobody is left"),
    "out of turn": (
        {**POSITION, "players": [LOW, {"hand": HIGH, "completed": "AhAdAs"}]},
        r"players\[1\] has acted before players\[0\]",
    ),
    "early, three to act": (
        {**POSITION, "players": [LOW, {"hand": HIGH, "folded": True}, TOP, "AcAd"]},
        r"players\[1\] has acted before players\[0\]",
    ),
    "too large": (
        {**POSITION, "players": [LOW, HIGH, TOP], "coin": "1/100000"},
        "players: amounts of .* too large|players: stakes of .* too large",
    ),
    "nothing to decide": (
        {"dealer": "AhAdAsAc4h", "players": [LOW]},
        r"players\[0\] is the last hand standing",
    ),
    "strategy": ({**POSITION, "strategy": "colective"}, "strategy: .*did you mean collective"),
    "fixed": ({**POSITION, "strategy": "always_fold"}, "strategy: always_fold decides without"),
    "strategy number": ({**POSITION, "strategy": 3}, "strategy: 3; expected one of"),
    "paytable": ({**POSITION, "paytable": "rulebok"}, "did you mean rulebook"),
    "paytable number": ({**POSITION, "paytable": 1}, "paytable: 1; expected a file"),
    "not covered": ({**POSITION, "paytable": "website_four_players"}, "expected 4"),
    "coin": ({**POSITION, "coin": 7}, "a bet of 1 chips, which is not a whole number of coins"),
    "coin text": ({**POSITION, "coin": "fare"}, "coin: fare.*did you mean fair"),
    "coin nothing": ({**POSITION, "coin": None}, "coin: nothing is not a number"),
    "coin NaN": ('{"dealer": "4h5h7sJdQs", "players": ["2c3d"], "coin": NaN}', "coin: NaN"),
    "last_hand": ({**POSITION, "last_hand": "fre"}, "last_hand: .*did you mean free"),
    "when_equal": ({**POSITION, "when_equal": "ply"}, "when_equal: .*did you mean play"),
}


@pytest.mark.parametrize(("content", "said"), BAD.values(), ids=BAD)
def test_bad_positions_are_told_with_their_place(write, tmp_path, content, said):
    file = write(content) if content is not None else tmp_path / "position.json"
    with pytest.raises(ConfigError) as caught:
        read_question(file).decide()
    assert re.search(said, str(caught.value))
    if "paytable" not in said and "rulebook" not in said:
        assert str(caught.value).startswith(str(file))


def test_all_problems_are_told_at_once(write):
    with pytest.raises(ConfigError) as caught:
        read_question(write({"dealer": DEALER[:3], "players": [["2c"], LOW], "strategy": "x"}))
    assert len(caught.value.problems) == 4


@pytest.mark.parametrize(
    ("content", "words", "said"),
    [
        (POSITION, ("--deals", "0"), "--deals"),
        (POSITION, ("--deals", "10000001"), "--deals"),
        (POSITION, ("--seed", "-1"), "--seed"),
        ({**POSITION, "dealr": 1}, (), "did you mean dealer"),
        (POSITION, ("--format", "jsno"), "did you mean json"),
    ],
)
def test_the_command_ends_with_exit_code_2(write, content, words, said):
    done = ricochet("decide", str(write(content)), *words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_reading_needs_no_compiler():
    code = "import sys, ricochet_casino.lab.decide; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
