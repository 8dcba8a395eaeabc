"""What the page is told: the figures of certificates, to the last digit, and clear refusals."""

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino.certificate import Certificate
from ricochet_casino.games import load_paytable, read_paytable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries
from ricochet_casino.lab.certify import certify
from ricochet_casino.lab.requests import Request
from ricochet_casino.report.tables import percent
from ricochet_casino.studio.app import STATIC, Studio, make_app
from ricochet_casino.studio.figures import SHOWN
from ricochet_casino.studio.opened import Opened
from ricochet_casino.studio.reports import Reports

REFERENCE = Path(__file__).parents[2] / "reports" / "reference"
PAGE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    found = Studio(Opened("rulebook", tmp_path_factory.mktemp("saved")), reports=Reports())
    yield found
    found.stop()


@pytest.fixture(scope="module")
def client(studio, client_of):
    return client_of(make_app(studio, 8470), PAGE)


@pytest.fixture
def content():
    """The rulebook's game as the page holds it."""
    return load_paytable("rulebook").model_dump(mode="json")


def figures(client, content, **more):
    done = client.post("/api/figures", serial=1, paytable=content, **more)
    assert done.status_code == 200, done.text
    return done.json()


def agree(view, entry):
    """Every figure of a view stands in the entry of a certificate, digit by digit."""
    assert [row["key"] for row in view["figures"]] == [key for key in SHOWN if key in entry]
    for row in view["figures"]:
        assert row["decimal"] == entry[row["key"]]["decimal"]
        assert row.get("exact") == entry[row["key"]].get("exact")
    expected = [(row["part"], row["exact"]) for row in entry["contributions"]]
    assert [(row["part"], row["exact"]) for row in view["contributions"]] == expected


@pytest.mark.parametrize("name", ["rulebook", "home_capped"])
def test_solo_figures_are_those_of_the_reference_certificate(client, name):
    certified = Certificate.read(REFERENCE / f"{name}-1p-collective.json").certified
    found = figures(client, certified["paytable"])
    assert found["digest"] == certified["paytable_digest"]
    assert found["solo"]["method"] == "exact"
    agree(found["solo"], certified["results"][0])


@pytest.mark.parametrize("strategy", ["collective", "always_play"])
def test_solo_figures_of_a_changed_paytable_are_those_it_certifies_to(client, content, strategy):
    content["bonus"] |= {"flush": "6", "four_of_a_kind": "40 to 1"}
    content["kickout"]["1"] = "AAQ"
    content |= {"ante": "2", "dealer_ante": "1", "play_bet": "2", "last_hand": "none"}
    del content["expect"]
    found = figures(client, content, strategy=strategy)
    paytable = RicochetPokerPaytable.read(content)
    certified = certify(paytable, Request(strategies=(strategy,), check_rounds=0)).certified
    agree(found["solo"], certified["results"][0])
    assert found["solo"]["figures"][0]["text"] == percent(certified["results"][0]["rtp_per_ante"])


def test_side_bets_are_exact(client, content):
    content["side_bets"]["quickdraw"]["pays"] = "6"
    content["side_bets"]["cover"]["pays"]["flush"] = "8"
    found = figures(client, content)["side_bets"]
    entries = side_bet_entries(RicochetPokerPaytable.read(content))
    assert [bet["name"] for bet in found] == ["quickdraw", "cover"]
    for bet, entry in zip(found, entries, strict=True):
        for row in bet["figures"]:
            assert row["decimal"] == entry[row["key"]]["decimal"]


def test_kickouts_of_all_tables_are_exact(client, content):
    found = figures(client, content)["kickouts"]
    assert sorted(found) == list("1234567")
    assert found["1"]["exact"] == "5351/43316"
    assert found["1"]["meaning"] == "pair of kings with a queen, or better"
    content["kickout"]["7"] = "none"
    assert figures(client, content)["kickouts"]["7"]["exact"] == "0/1"


def test_a_paytable_without_a_table_for_one(client, content):
    del content["kickout"]["1"], content["expect"]
    content["players"] = [2, 3]
    found = figures(client, content)
    assert found["solo"] is None
    assert found["side_bets"]


def test_the_curve_is_exact(client, studio, content):
    found = client.post("/api/curve", serial=3, paytable=content).json()
    assert found["serial"] == 3
    points = {point["hand"]: point for point in found["points"]}
    for hand in ("99", "KKQ", "TTxx", "A2345", "none"):
        changed = {**content, "kickout": {"1": hand}, "players": [1], "expect": {}}
        rules = RicochetPokerPaytable.read(changed).rules(1)
        entry = studio.spectrum().entry(rules, by_hand=False)
        assert points[hand]["rtp"] == entry["rtp_per_ante"]["decimal"]
    rtps = [Fraction(point["rtp"]) for point in found["points"]]
    assert rtps == sorted(rtps, reverse=True)


def test_what_the_page_begins_with(client, studio):
    found = client.get("/api/start").json()
    assert found["file"]["name"] == "rulebook.yaml"
    assert found["file"]["paytable"] == load_paytable("rulebook").model_dump(mode="json")
    stops = found["stops"]
    assert [stop["class"] for stop in stops] == sorted({stop["class"] for stop in stops})
    assert {"KKQ", "AAQ", "TTxx", "AAxx", "222", "QQQ", "A2345", "none"} <= {
        stop["hand"] for stop in stops
    }
    assert studio.opened.folder != studio.opened.path.parent


def bad(client, path, **body):
    done = client.post(path, **body)
    assert done.status_code == 422, done.text
    return "\n".join(done.json()["problems"])


def test_a_bad_paytable_is_told_in_words(client, content):
    def told(**changes):
        return bad(client, "/api/figures", serial=1, paytable={**content, "expect": {}, **changes})

    assert "did you mean KKQ" in told(kickout={"1": "KQK"})
    assert "bonus.flush: -5 is negative" in told(bonus={"flush": "-5"})
    assert "unknown key bonsu" in told(bonsu={})
    assert "8 players" in told(kickout={"8": "KKQ"})
    assert "expected a mapping" in told(bonus=[1])
    assert "nan is not an amount" in told(ante="nan")
    assert "whole number of coins" in told(bonus={"flush": "3 to 2"})
    assert "are too many units" in told(ante="1000000000", coin="1/10000")
    assert "expected a paytable" in bad(client, "/api/figures", serial=1, paytable=[])


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        ("figures", {"serial": "1"}, "expected a whole number as serial"),
        ("figures", {"serial": True}, "expected a whole number as serial"),
        ("figures", {"serial": -1}, "expected a whole number as serial"),
        ("figures", {"strategy": "luck"}, "expected a strategy"),
        ("figures", {"strategy": ["collective"]}, "expected a strategy"),
        ("sample", {"players": [8]}, "expected a list of player counts"),
        ("sample", {"players": "2"}, "expected a list of player counts"),
        ("sample", {"players": [2], "page": 7}, "expected a short text as page"),
        ("reports", {"players": [2]}, "the page is not there any more"),
        ("save", {"name": "../x.yaml", "known": ""}, "is not a file name"),
        ("save", {"name": None, "known": ""}, "expected a short text as name"),
    ],
)
def test_a_bad_question_is_told_in_words(client, content, path, body, text):
    assert text in bad(client, f"/api/{path}", **{"serial": 1, "paytable": content, **body})


@pytest.mark.parametrize(
    ("sent", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"a=b", "application/x-www-form-urlencoded", 415),
    ],
)
def test_what_is_not_json_is_refused(client, sent, kind, status):
    done = client.request("POST", "/api/figures", content=sent, headers={"Content-Type": kind})
    assert done.status_code == status


def test_only_posts_change_anything(client):
    for path in ("save", "figures", "reports", "sample"):
        assert client.get(f"/api/{path}").status_code == 405
    assert client.get("/static/../app.py").status_code == 404
    assert client.get("/static/%2e%2e/app.py").status_code == 404
    assert client.get("/api/events?page=<script>").status_code == 400


def test_saving_gives_what_certifies_to_the_figures_shown(client, studio, content):
    content["bonus"]["flush"] = "6"
    del content["expect"]
    shown = figures(client, content)
    done = client.post("/api/save", paytable=shown["paytable"], name="mine.yaml", known="")
    assert done.status_code == 200, done.text
    loaded = read_paytable(done.json()["path"])
    assert loaded.warnings == ()
    certified = certify(loaded.model, Request(check_rounds=0)).certified
    assert certified["paytable_digest"] == shown["digest"]
    agree(shown["solo"], certified["results"][0])
    again = client.post("/api/save", paytable=content, name="mine.yaml", known="")
    assert again.status_code == 409
    known = client.post("/api/look", name="mine.yaml").json()["digest"]
    done = client.post("/api/save", paytable=content, name="mine.yaml", known=known)
    assert done.status_code == 200


def test_a_folder_that_is_gone_is_told(client, studio, content, tmp_path, monkeypatch):
    monkeypatch.setattr(studio.opened, "folder", tmp_path / "gone")
    problem = bad(client, "/api/save", paytable=content, name="x.yaml", known="")
    assert "No such file or directory" in problem


def test_the_page_asks_no_other_host():
    """No file names another host, loads from one, or brings scripts or styles inside the page."""
    files = sorted(STATIC.iterdir())
    assert {path.suffix for path in files} == {".html", ".css", ".js", ".svg"}
    for path in files:
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "//" not in text.replace("// ", "").replace("//\n", "") or path.suffix == ".js"
        assert "http:" not in text
        assert "https:" not in text
        assert "@import" not in text
        assert " style=" not in text
        assert "<script>" not in text
        assert "eval(" not in text
        assert "innerHTML" not in text


def test_a_report(client, studio, content):
    told = []
    paytable = RicochetPokerPaytable.read(content)
    name = studio.reports.start(PAGE, told.append, paytable, (1,), "collective")
    wait(lambda: told and {"ready", "error"} & told[-1].keys())
    assert told[-1].get("ready"), told
    done = client.get(f"/api/reports/{name}.json")
    assert "attachment" in done.headers["content-disposition"]
    certificate = Certificate.from_json(done.text)
    assert certificate.digest == told[-1]["digest"]
    assert "house edge" in client.get(f"/api/reports/{name}.md").text.lower()
    assert client.get(f"/api/reports/{name}.exe").status_code == 422
    studio.reports.leave(PAGE)
    assert client.get(f"/api/reports/{name}.json").status_code == 422


def test_a_report_stops_when_its_page_leaves(studio, content):
    told = []
    paytable = RicochetPokerPaytable.read(content)
    studio.reports.start(PAGE, told.append, paytable, (1,), "collective")
    studio.reports.leave(PAGE)
    wait(lambda: told and "stopped" in told[-1])
    assert studio.reports.busy == 0


def wait(until, seconds=60):
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_answers_hold_no_floats(client, content):
    def walk(value):
        assert not isinstance(value, float)
        if isinstance(value, dict | list):
            for part in value.values() if isinstance(value, dict) else value:
                walk(part)

    walk(json.loads(client.post("/api/figures", serial=1, paytable=content).text))
    walk(json.loads(client.post("/api/curve", serial=1, paytable=content).text))
