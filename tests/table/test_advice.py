"""Odds and advice at the table are those of the commands, figure by figure."""

import json
import re
import shlex
from fractions import Fraction

import pytest
from typer.testing import CliRunner

from ricochet_casino.cli import build_app
from ricochet_casino.table.session import Session
from ricochet_casino.table.setup import Setup


def table(*names, cards, game="home", keys="", **settings):
    """A table with real cards; ``fFpP123`` among the cards are choices."""
    session = Session.begin(Setup(game, manual=True, **settings))
    for name in names:
        session.sit(name)
    session.next_hand()
    for word in cards.split():
        if len(word) == 1:
            session.choose(word)
        else:
            session.card(word)
    return session


def printed(command, *more):
    words = shlex.split(command)
    assert words[0] == "ricochet"
    done = CliRunner().invoke(build_app(), [*words[1:], *more])
    assert done.exit_code == 0, done.output
    return done.output


def check_home(session):
    advice = session.advice()
    found = json.loads(printed(advice.command, "--format", "json"))
    assert len(found["actions"]) == len(advice.rows)
    for row, action in zip(advice.rows, found["actions"], strict=True):
        assert row.key == ("f" if action["action"] == "fold" else action["action"])
        assert float(row.value) == pytest.approx(float(action["decimal"]), abs=6e-7)
        if "interval" not in action:
            assert Fraction(row.exactly) == Fraction(action["ev"])
        if "overtake" in action:
            chance = float(row.chance.removesuffix(" %")) / 100
            assert chance == pytest.approx(float(action["overtake_decimal"]), abs=6e-5)
    assert advice.best in (f"buy {found['best']}", found["best"])
    assert advice.certain == found["best_is_certain"]
    text = printed(advice.command)
    for row in advice.rows[1:]:  # the very texts of the command's table
        line = next(line for line in text.splitlines() if line.strip().startswith(row.label))
        assert row.exactly in line
        assert row.chance in line
        assert row.value in line
        assert row.cost in line
    assert f"advice     {advice.best}" in text
    return advice


EXAMPLE = "Kd Jc 8h 7s 3 2h 9c f 2 2d 2 9h Qd 4 5h 8d 8s"


def test_the_home_game_exactly():
    session = table("One", "Two", "Three", "Four", cards=EXAMPLE)
    advice = check_home(session)
    assert advice.name == "Four"
    assert advice.how.startswith("Exact")
    assert advice.command == (
        "ricochet home odds --actor '7s 2h 9c 2d' --opponent 'Kd 5h 8d 8s' "
        "--dead 'Jc 9h Qd 8h' --pot 15 --coin 1"
    )


def test_advice_is_shown_on_request_and_gone_after_the_next_change():
    session = table("One", "Two", "Three", "Four", cards=EXAMPLE)
    before = session.view()
    assert before.advice is None
    assert before.advice_possible
    session.show_advice(True)
    view = session.view()
    assert view.advice is session.advice()
    assert view.events == before.events
    session.show_advice(False)
    assert session.view().advice is None
    session.show_advice(True)
    session.choose("f")
    assert session.view().advice is None
    assert not session.view().advice_possible


def test_advice_never_recommends_what_cannot_be_paid():
    session = table("Ann", "Ben", cards="2c Ks", chips=2, changes={"hand_limit": 5})
    session.choose("1")
    session.card("Ah")  # ahead with ace high; Ben has one chip, Ann none
    advice = session.advice()
    assert advice.name == "Ben"
    assert "The figures take it that nobody runs out of chips." in advice.notes
    legal = {choice.label.split(" card")[0] for choice in session.view().choices if choice.legal}
    assert legal == {"fold", "buy 1"}
    assert advice.best in legal
    assert len(advice.rows) == 5


@pytest.mark.slow
def test_the_home_game_sampled():
    session = table("One", "Two", "Three", "Four", cards="Kd Jc 8h 7s 3 2h 9c")
    assert check_home(session).how.startswith("Sampled")
    session = table("Ann", "Ben", "Cora", rules="jokers", cards="X1 Kd 9c")
    assert "--jokers 2" in check_home(session).command
    changes = {"level_hands": "stay"}
    session = table("Ann", "Ben", rules="six_cards", changes=changes, cards="Kd 9c")
    assert "--limit 6 --level-hands stay" in check_home(session).command


def check_decide(session, tmp_path, monkeypatch):
    advice = session.advice()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "position.json").write_text(advice.position)
    found = json.loads(printed(advice.command, "--format", "json"))
    for row in advice.rows:
        figure = found[row.label]
        assert float(row.value) == pytest.approx(float(figure["decimal"]), abs=6e-7)
        if "exact" in figure:
            assert Fraction(row.exactly) == Fraction(figure["exact"])
        else:
            low, high = map(float, row.exactly.split(" to "))
            assert low == pytest.approx(float(figure["interval"][0]), abs=6e-5)
            assert high == pytest.approx(float(figure["interval"][1]), abs=6e-5)
    assert advice.best == found["best"]
    names = [seat.name for seat in session.view().seats]
    assert advice.name == names[found["to_act"]]
    return advice


def test_casino_night_against_the_dealer_alone():
    session = table("Ann", "Ben", game="casino-night", cards="Ks Qs 2c 2d 7h 9s Jc")
    advice = session.advice()
    text = printed(advice.command)
    assert advice.command == "ricochet odds 'Ks Qs' '2c 2d 7h 9s Jc' --paytable home_capped"
    fold, play = advice.rows
    assert re.search(rf"^fold +{re.escape(fold.exactly)} ", text, re.M)
    assert re.search(rf"^play +{re.escape(play.exactly)} ", text, re.M)
    win = float(re.search(r"^win .*= ([\d.]+)", text, re.M)[1])
    assert float(play.chance.removesuffix(" %")) == pytest.approx(100 * win, abs=6e-3)
    assert re.search(rf"^advice +{advice.best}$", text, re.M)


def test_casino_night_with_two_players(tmp_path, monkeypatch):
    cards = "9d 9h Qs 3c 5s 6s Th Jd 2c"
    session = table("Ann", "Ben", "Cora", game="casino-night", cards=cards)
    advice = check_decide(session, tmp_path, monkeypatch)
    assert advice.how.startswith("Exact; everybody plays for himself")
    session = table("Ann", "Ben", "Cora", game="casino-night", cards=f"{cards} p Qc 4h 4d")
    assert check_decide(session, tmp_path, monkeypatch).name == "Ann"
    session = table("Ann", "Ben", "Cora", game="casino-night", cards=f"{cards} f")
    assert '"folded": true' in check_decide(session, tmp_path, monkeypatch).position


@pytest.mark.slow
def test_casino_night_with_four_players(tmp_path, monkeypatch):
    cards = "9d 9h Qs 3c Kc 4h 8c 7c 5s 6s Th Jd 2c"
    session = table(*"ABCDE", game="casino-night", cards=cards)
    assert check_decide(session, tmp_path, monkeypatch).how.startswith("Sampled")
