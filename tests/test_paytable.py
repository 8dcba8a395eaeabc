"""Odds, amounts, figures, digests, and how paytables are found and read."""

import hashlib
import json
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricochet_casino import games
from ricochet_casino.config import ConfigError
from ricochet_casino.paytable import (
    LARGEST_AMOUNT,
    PaytableError,
    digest,
    figure_matches,
    find_paytable,
    format_odds,
    parse_amount,
    parse_figure,
    parse_odds,
    parse_positive_amount,
    shipped_paytables,
)


@pytest.mark.parametrize(
    ("text", "to_one"),
    [
        ("5 to 1", Fraction(5)),
        ("5:1", Fraction(5)),
        ("5 : 1", Fraction(5)),
        ("5", Fraction(5)),
        (5, Fraction(5)),
        ("6 for 1", Fraction(5)),
        ("6 FOR 1", Fraction(5)),
        ("3 to 2", Fraction(3, 2)),
        ("3:2", Fraction(3, 2)),
        ("6 to 4", Fraction(3, 2)),
        ("5 for 2", Fraction(3, 2)),
        ("1 for 1", Fraction(0)),
        ("0", Fraction(0)),
        (" 1000 to 1 ", Fraction(1000)),
    ],
)
def test_odds_are_profit_to_one(text, to_one):
    assert parse_odds(text) == to_one


@pytest.mark.parametrize(
    ("value", "fragment"),
    [
        ("no", "no is not odds; expected odds such as 5 to 1"),
        ("", "nothing is not odds"),
        ("-5", "-5 is negative"),
        ("-5 to 1", "negative"),
        ("5/2", "did you mean 5 to 2?"),
        ("5 to 0", "stake of zero"),
        ("1 for 0", "stake of zero"),
        ("0 for 1", "a loss even when it wins"),
        ("2.5", "not odds"),
        ("1e3", "not odds"),
        ("inf", "not odds"),
        ("5 to", "not odds"),
        ("٥", "not odds"),
        ("1" * 30, "too large"),
        ("1" * 5000, "too long"),
        pytest.param(10**5000, "not odds", id="5,000 digits"),
        (True, "not a number"),
        (2.5, "not a number"),
        (None, "not a number"),
        ({"a": 1}, "a mapping is not a number"),
        ([5, 1], "a list is not a number"),
    ],
)
def test_what_is_not_odds_is_refused(value, fragment):
    with pytest.raises(ValueError, match="expected") as caught:
        parse_odds(value)
    assert fragment in str(caught.value)


@given(st.fractions(min_value=0, max_value=LARGEST_AMOUNT, max_denominator=10**6))
def test_odds_read_back_what_they_print(odds):
    assert parse_odds(format_odds(odds)) == odds
    assert parse_odds(f"{odds.numerator}:{odds.denominator}") == odds
    assert parse_odds(f"{odds.numerator + odds.denominator} for {odds.denominator}") == odds


@pytest.mark.parametrize(
    ("text", "chips"),
    [("1", 1), (1, 1), ("0.5", Fraction(1, 2)), ("1/2", Fraction(1, 2)), ("0", 0), ("2.50", 2.5)],
)
def test_amounts_are_exact(text, chips):
    assert parse_amount(text) == chips


@given(st.fractions(min_value=0, max_value=LARGEST_AMOUNT, max_denominator=10**6))
def test_amounts_read_back_what_they_print(amount):
    assert parse_amount(str(amount)) == amount


@pytest.mark.parametrize(
    "value",
    ["no", "", "-1", "-0.5", "nan", "inf", "1e400", "1e3", ".5", "5.", "1/0", "1/00", "1_000",
     "0x10", "1,5", "½", "9" * 20, "9" * 50, True, 0.5, None, [], 10**30],
)  # fmt: skip
def test_what_is_not_an_amount_is_refused(value):
    with pytest.raises(ValueError, match="expected"):
        parse_amount(value)


def test_zero_is_refused_where_it_makes_no_sense():
    assert parse_positive_amount("0.01") == Fraction(1, 100)
    for zero in ("0", "0.00", "0/5", 0):
        with pytest.raises(ValueError, match="zero; expected a positive amount"):
            parse_positive_amount(zero)


@pytest.mark.parametrize(
    ("text", "value", "matches"),
    [
        ("601417332", 601417332, True),
        ("601417332", 601417333, False),
        ("-78734189/2579351775", Fraction(-78734189, 2579351775), True),
        ("-78734189/2579351775", Fraction(-78734188, 2579351775), False),
        ("-0.0305", Fraction(-78734189, 2579351775), True),
        ("-0.0306", Fraction(-78734189, 2579351775), False),
        ("10.627 %", Fraction(1243985, 11706149), True),
        ("10.627%", Fraction(1243985, 11706149), True),
        ("10.628 %", Fraction(1243985, 11706149), False),
        ("11 %", Fraction(1243985, 11706149), True),
        ("10 %", Fraction(1243985, 11706149), False),
        ("0.106", Fraction(1243985, 11706149), True),
        ("+1.0", Fraction(101, 100), True),
        ("+1.0", Fraction(106, 100), False),
    ],
)
def test_an_expected_figure_is_met_to_the_digits_given(text, value, matches):
    assert figure_matches(text, value) is matches


@pytest.mark.parametrize("text", ["", "x", "1/0", "1/2 %", "1.", ".5", "1e3", "--1", "1 2", "٣"])
def test_what_is_not_a_figure_is_refused(text):
    with pytest.raises(ValueError, match="expected a whole number, n/d, a decimal"):
        parse_figure(text)


RULES = """\
game: ricochet_poker
title: test
kickout: {1: KKQ}
bonus: {straight: 2}
"""


def _write(folder, text, name="table.yaml"):
    file = folder / name
    file.write_text(text)
    return file


def test_the_digest_is_that_of_the_canonical_content():
    model = games.load_paytable("rulebook")
    content = model.model_dump(mode="json")
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")
    assert digest(model) == hashlib.sha256(canonical).hexdigest()


def test_the_digest_depends_on_the_content_and_not_on_its_spelling(tmp_path):
    def digest_of(text):
        return digest(games.load_paytable(_write(tmp_path, text)))

    plain = digest_of(RULES)
    respelt = (
        "# other words\nbonus:\n  straight: '3 for 1'\nkickout: {1: kkq32}\nplayers: 1\n"
        "coin: 1.0\ntitle: ' test'\ngame: ricochet_poker\n"
    )
    assert digest_of(respelt) == plain
    assert digest_of(RULES.replace("straight: 2", "straight: 3")) != plain
    assert digest_of(RULES.replace("KKQ", "KKJ")) != plain
    assert digest_of(RULES.replace("test", "another")) != plain
    assert digest_of(RULES + "notes: something\n") != plain


def test_a_dump_holds_texts_and_whole_numbers_and_is_accepted_back():
    def leaves(value):
        if isinstance(value, dict):
            assert all(isinstance(key, str) for key in value)
            return [leaf for inner in value.values() for leaf in leaves(inner)]
        return (
            [leaf for inner in value for leaf in leaves(inner)]
            if isinstance(value, list)
            else [value]
        )

    for name in shipped_paytables():
        model = games.load_paytable(name)
        content = model.model_dump(mode="json")
        assert {type(leaf) for leaf in leaves(content)} == {str, int}
        again = games.paytable_from_dict(json.loads(json.dumps(content)))
        assert again == model
        assert digest(again) == digest(model)


def test_a_paytable_is_found_by_path_and_by_shipped_name(tmp_path, monkeypatch):
    by_name = games.read_paytable("rulebook")
    assert games.load_paytable("ricochet_poker/rulebook") == by_name.model
    assert games.load_paytable(by_name.file) == by_name.model
    assert by_name.file == shipped_paytables()["ricochet_poker/rulebook"]
    assert by_name.warnings == ()

    monkeypatch.chdir(tmp_path)
    _write(tmp_path, RULES, "rulebook")
    assert games.load_paytable("rulebook") == by_name.model
    assert games.load_paytable("./rulebook").title == "test"
    _write(tmp_path, RULES, "mine")
    assert games.load_paytable("mine").title == "test"


def test_an_unknown_paytable_is_told_with_the_nearest_name_and_all_of_them():
    for wrong in ("rulebok", "ricochet_poker/rulebok"):
        with pytest.raises(PaytableError) as caught:
            find_paytable(wrong)
        assert f"no paytable or file {wrong}" in str(caught.value)
        for name in shipped_paytables():
            assert name in str(caught.value)
        assert "did you mean" in str(caught.value)
        assert str(caught.value).endswith("rulebook?")


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        ("title: x\n", 1, "the key game is missing; expected one of"),
        ("title: x\ngame: ricochet_pokr\n", 2, "did you mean ricochet_poker?"),
        ("game: [1]\n", 1, "unknown game a list"),
        ("game:\n", 1, "the key game is missing"),
    ],
)
def test_the_game_must_be_one_that_exists(tmp_path, text, line, fragment):
    file = _write(tmp_path, text)
    with pytest.raises(PaytableError) as caught:
        games.read_paytable(file)
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert fragment in str(caught.value)


def test_games_are_found_by_name():
    assert "ricochet_poker" in games.game_names()
    assert games.load_game("ricochet_poker").__name__ == "ricochet_casino.games.ricochet_poker"
    with pytest.raises(ValueError, match="did you mean ricochet_poker"):
        games.load_game("ricochet_pokre")
    with pytest.raises(ValueError, match="unknown game"):
        games.load_game("os")


def test_an_experiment_is_made_again_from_its_specification():
    content = games.load_paytable("rulebook").model_dump(mode="json")
    spec = {
        "game": "ricochet_poker",
        "experiment": "solo",
        "parameters": {"paytable": content, "strategy": "always_fold"},
    }
    through_a_file = json.loads(json.dumps(spec))
    assert games.build(through_a_file).spec() == spec


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"game": "ricochet_pokr"}, "did you mean ricochet_poker"),
        ({"game": None}, "unknown game None"),
        ({"experiment": "sollo"}, "unknown experiment sollo; expected one of .*did you mean solo"),
        ({"experiment": "paytable:RicochetPokerPaytable"}, "unknown experiment"),
        ({"parameters": None}, "has no parameters"),
    ],
)
def test_only_experiments_that_a_game_offers_are_made(change, told):
    spec = {"game": "ricochet_poker", "experiment": "solo", "parameters": {}}
    with pytest.raises(ValueError, match=told):
        games.build({**spec, **change})


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"game: ricochet_poker\n\ttitle: x\n"])
def test_a_file_that_is_no_yaml_is_told_as_such(tmp_path, content):
    file = tmp_path / "table.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"table\.yaml:\d: "):
        games.read_paytable(file)


def test_a_directory_and_a_dead_link_are_told_as_such(tmp_path):
    with pytest.raises(ConfigError, match="a directory"):
        games.read_paytable(tmp_path)
    link = tmp_path / "rulebook.link"
    link.symlink_to("nowhere")
    with pytest.raises(ConfigError, match="a symbolic link to nowhere"):
        games.read_paytable(link)


def test_an_embedded_paytable_that_was_changed_is_told_without_a_file():
    content = games.load_paytable("rulebook").model_dump(mode="json")
    content["bonus"]["flush"] = 2.5
    content["coin"] = True
    with pytest.raises(PaytableError) as caught:
        games.paytable_from_dict(content)
    told = {problem.text.split(":")[0]: problem for problem in caught.value.problems}
    assert set(told) == {"bonus.flush", "coin"}
    assert {problem.file for problem in told.values()} == {""}
    with pytest.raises(PaytableError, match="the key game is missing"):
        games.paytable_from_dict({})


def test_the_package_of_games_does_not_import_pydantic_and_paytables_not_numba():
    code = (
        "import sys, ricochet_casino.games\n"
        "print({'pydantic', 'yaml', 'numpy'} & {*sys.modules})\n"
        "import ricochet_casino.games.ricochet_poker.paytable\n"
        "print({'numba', 'scipy', 'yaml'} & {*sys.modules})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["set()", "set()"]
