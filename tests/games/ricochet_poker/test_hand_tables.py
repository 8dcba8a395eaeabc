"""Policies as tables of the 169 starting hands: what they say, and files that are wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.deck import parse_cards
from ricochet_casino.config import ConfigError
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.deals import (
    StartingHand,
    starting_hand,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.hand_tables import (
    HandTable,
    limit_text,
    parse_limit,
    read_hand_table,
)
from ricochet_casino.games.ricochet_poker.notation import parse_kickout
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES

TIGHT = Path(__file__).parents[3] / "configs" / "strategies" / "tight.yaml"
NAMES = [hand.name for hand in starting_hands()]


def table(name="mine", **limits):
    """Everything folds but what is given."""
    return HandTable(name, dict.fromkeys(NAMES, -1) | limits)


def actions(policy, deck, *, kickout=N_CLASSES, last_hand="free", players=1):
    dump = load_paytable("rulebook").model_dump(mode="json")
    changes = {"last_hand": last_hand, "kickout": {str(players): "none"}, "players": [players]}
    dump.pop("expect", None)
    rules = RicochetPokerPaytable.read({**dump, **changes}).rules(players)
    if kickout < N_CLASSES:
        rules = RicochetPokerPaytable.read(
            {**dump, **changes, "kickout": {str(players): "75432"}}
        ).rules(players)
    named = parse_cards(deck)
    return play_round(rules, [*named, *(c for c in range(52) if c not in named)], policy).actions


# --- What a table says ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "action"),
    [("KKQ", "fold"), ("KKK", "play"), ("KKA", "play"), ("KK", "fold"), ("two_pair", "play"),
     ("play", "play"), ("fold", "fold"), ("75432", "fold")],
)  # fmt: skip
def test_a_hand_plays_against_best_hands_below_its_limit(limit, action):
    """The dealer holds a pair of kings with a queen, the lowest such pair."""
    policy = table(AKo=parse_limit(limit))
    assert parse_kickout("KKQ") < parse_kickout("KKA")
    assert actions(policy, "As Kd Kc Kh Qd 3c 2s") == (action,)
    assert actions(policy, "Ks Ad Kc Kh Qd 3c 2s") == (action,)
    assert actions(policy, "As Ks Kc Kh Qd 3c 2s") == ("fold",)  # another starting hand


def test_with_nobody_to_beat_all_play_but_those_that_fold():
    """The dealer is kicked out and the other still to act, or alone and asked."""
    deck = "3s 2d Ac Ks 9c 9d 9h 9s 2c"
    for limit, action in ((-1, "fold"), (0, "play"), (1, "play"), (7462, "play")):
        first, second = actions(table(**{"32o": limit}), deck, kickout=0, players=2)
        assert (first, second) == (action, "last hand" if action == "fold" else "fold")
    free = actions(table(), "3s 2d 9c 9d 9h 9s 2c", kickout=0, last_hand="may_play")
    assert free == ("play",)  # cards that cost nothing are taken


def test_limits_as_an_array_by_cards():
    limits = {name: 40 * number for number, name in enumerate(NAMES)}
    array = HandTable("mine", limits).limits_array()
    assert (array.shape, array.dtype) == ((4096,), np.int16)
    for a in range(52):
        for b in range(52):
            expected = -1 if a == b else limits[starting_hand((a, b)).name]
            assert array[64 * a + b] == expected
    assert int((array == -1).sum()) == 4096 - 52 * 51
    assert table(AA=7462).limits_array()[64 * 51 + 50] == 7462


def test_every_limit_can_be_written_and_read():
    assert [parse_limit(limit_text(limit)) for limit in range(-1, 7463)] == [*range(-1, 7463)]
    assert (limit_text(-1), limit_text(7462)) == ("fold", "play")
    assert parse_limit(" Play ") == 7462
    assert parse_limit("kkq") == parse_kickout("KKQ")


def test_a_table_survives_json():
    policy = HandTable("mine", {name: 44 * i - 1 for i, name in enumerate(NAMES)})
    again = HandTable.from_json(json.loads(json.dumps(policy.to_json())))
    assert again == policy
    assert hash(again) == hash(policy)
    assert again.to_json()["hands"]["AA"] == "fold"


def test_the_shipped_table_is_what_its_comments_say():
    tight = read_hand_table(TIGHT)
    assert tight.name == "tight"
    assert tight.limits["QQ"] == parse_kickout("two_pair")
    assert tight.limits["AKs"] == parse_kickout("AA") > tight.limits["AKo"]
    assert tight.limits["K4o"] == 0
    assert tight.limits["72o"] == -1
    for hand in starting_hands():
        if hand.suited:  # one suit is never worse, nor is a higher second card
            assert tight.limits[hand.name] >= tight.limits[hand.name[:2] + "o"]
            if hand.high - hand.low > 1 and hand.high >= 9:
                higher = StartingHand(hand.high, hand.low + 1, suited=True)
                assert tight.limits[hand.name] <= tight.limits[higher.name]
    assert {limit_text(limit) for limit in tight.limits.values()} >= {"fold", "22", "A", "AA"}


# --- Bad input -----------------------------------------------------------------------------------


def test_a_hole_is_named():
    limits = dict.fromkeys(NAMES, 7462)
    del limits["AKo"]
    with pytest.raises(ValueError, match=r"'mine' has a hole: no AKo \(1 of 169 hands missing\)"):
        HandTable("mine", limits)
    few = {"name": "mine", "hands": {"QQ": "play"}}
    expected = r"has a hole: no AA, AKs, AKo, AQs, AQo, \.\.\. \(168 of 169 hands missing\)"
    with pytest.raises(ValueError, match=expected):
        HandTable.from_json(few)


@pytest.mark.parametrize("name", [*STRATEGIES, "My Table", "", "7up", "x\n"])
def test_names_that_cannot_be(name):
    with pytest.raises(ValueError, match=r"cannot name a policy|is a strategy"):
        table(name)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"KAs": 1}, "unknown starting hand KAs.*did you mean AKs\\?"),
        ({"AK": 1}, "unknown starting hand AK; .*did you mean AK[so]\\?"),
        ({"AA": 7463}, "the limit of AA must be -1 to 7462, got 7463"),
        ({"AA": -2}, "the limit of AA must be -1 to 7462, got -2"),
        ({"AA": True}, "the limit of AA is no whole number"),
        ({"AA": 2.0}, "the limit of AA is no whole number"),
    ],
)
def test_limits_that_cannot_be(limits, message):
    with pytest.raises(ValueError, match=message):
        table(**limits)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "not a hand table"),
        ({"name": "mine"}, "not a hand table"),
        ({"name": 3, "hands": {}}, "not a hand table"),
        ({"name": "mine", "hands": []}, "not a hand table"),
        ({"name": "mine", "hands": {}, "more": 1}, "not a hand table"),
        ({"name": "mine", "hands": {"AA": 3}}, "'mine': AA: 3 \\(int\\); expected play, fold"),
        ({"name": "mine", "hands": {"AA": "none"}}, "AA: none; expected play, fold, or a hand"),
        ({"name": "mine", "hands": {"AA": "paly"}}, "AA: paly; .*did you mean play\\?"),
        ({"name": "mine", "hands": {"AA": "QKK"}}, "AA: QKK: .*did you mean KKQ\\?"),
    ],
)
def test_json_that_is_no_table(value, message):
    with pytest.raises(ValueError, match=message):
        HandTable.from_json(value)


def written(folder, text):
    path = folder / "policy.yaml"
    path.write_text(text)
    return path


LINES = [f"  {name}: play" for name in NAMES]


def refused(folder, *lines):
    """Problems of a file with a name and these lines: line number and text."""
    path = written(folder, "\n".join(lines) + "\n")
    with pytest.raises(ConfigError) as caught:
        read_hand_table(path)
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return [(problem.line, problem.text) for problem in caught.value.problems]


def test_a_file_is_read(tmp_path):
    path = written(tmp_path, "\n".join(["name: all_in", "hands:", *LINES]))
    assert read_hand_table(path) == HandTable("all_in", dict.fromkeys(NAMES, 7462))


def test_all_problems_of_a_file_with_their_lines(tmp_path):
    found = refused(
        tmp_path, "name: collective", "hand: {}", "hands:", *LINES[:2], "  KAo: play",
        "  AKo: plya", "  AQs: [1]", *LINES[4:-1],
    )  # fmt: skip
    assert [line for line, _ in found] == [1, 2, 3, 6, 7, 8]
    texts = [text for _, text in found]
    assert texts[0].startswith("name: 'collective' is a strategy")
    assert texts[1] == "unknown key hand; expected name and hands; did you mean hands?"
    assert texts[2] == "hands: no 22 (1 of 169 hands missing)"
    assert "unknown starting hand KAo" in texts[3]
    assert texts[3].endswith("did you mean AKo?")
    assert texts[4].startswith("hands.AKo: plya; ")
    assert texts[4].endswith("did you mean play?")
    assert texts[5].startswith("hands.AQs: a list; expected play, fold")


@pytest.mark.parametrize(
    ("lines", "line", "text"),
    [
        (["name: mine"], 1, "the key hands is missing"),
        (["hands:", *LINES], 1, "the key name is missing"),
        (["name: [a]", "hands:", *LINES], 1, "name: 'a list' cannot name a policy"),
        (["name: mine", "hands: all"], 2, "hands: all; expected a limit for each of the 169"),
        (["name: mine", "hands:", *LINES, LINES[3]], 172, "the key AQs appears twice"),
        (["name: mine", "hands:"], 2, "hands: nothing; expected a limit for each"),
    ],
)
def test_files_that_are_no_table(tmp_path, lines, line, text):
    found = refused(tmp_path, *lines)
    assert len(found) == 1
    assert found[0][0] == line
    assert text in found[0][1]


def test_a_missing_file_is_no_traceback(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read_hand_table(tmp_path / "none.yaml")
