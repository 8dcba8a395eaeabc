"""Sampling in the background: the figures of a certificate, and nothing for pages that are gone."""

import threading
import time
from itertools import count

import pytest

from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.table_sampling import Pilot, TableSample
from ricochet_casino.lab import DEFAULT_SEED
from ricochet_casino.runs import run
from ricochet_casino.studio import sampling
from ricochet_casino.studio.figures import sampled_view
from ricochet_casino.studio.sampling import PIECE, CurveWork, Sampler, TableWork, Wish

PAYTABLE = load_paytable("rulebook")
SMALL = ((PIECE, 2 * PIECE), 2 * PIECE)


def wait(until, seconds=120):
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def sampler():
    found = Sampler(*SMALL)
    found.start()
    yield found
    found.stop()


def test_the_figures_are_those_of_the_experiment_that_a_certificate_holds():
    views = [view for view in TableWork(PAYTABLE, 2, "collective", *SMALL).pieces() if view]
    assert [view["deals"] for view in views] == [8192, PIECE, 2 * PIECE]
    pilot = run(TableSample(PAYTABLE, 2, "collective", 2 * PIECE, DEFAULT_SEED)).entry
    for view in views[1:]:
        sample = TableSample(
            PAYTABLE, 2, "collective", view["deals"], DEFAULT_SEED, Pilot.from_json(pilot)
        )
        assert view == {"event": "sampled", **sampled_view(run(sample).entry)}


def test_every_sampled_figure_has_an_interval_and_a_level():
    view = next(filter(None, TableWork(PAYTABLE, 2, "collective", *SMALL).pieces()))
    exact = {"kickout_frequency", "maximum_exposure"}
    for row in view["figures"]:
        assert ("ends" in row) == (row["key"] not in exact), row["key"]
    for row in view["contributions"]:
        low, high = map(float, row["ends"])
        assert low <= float(row["decimal"]) <= high
        assert row["level"].endswith(" %")
    assert [row["part"] for row in view["contributions"]] == ["pot", *PAYTABLE.bonus]
    levels = {row["part"]: row["level"] for row in view["contributions"]}
    assert levels["flush"] == "99 %"
    assert levels["pot"] == f"{99 - len(PAYTABLE.bonus)} %"  # all intervals have to hold at once
    parts = sum(float(row["decimal"]) for row in view["contributions"])
    edge = next(row for row in view["figures"] if row["key"] == "house_edge")
    assert parts == pytest.approx(-float(edge["decimal"]), abs=1e-12)


def test_a_page_is_told_stage_by_stage(sampler, monkeypatch):
    monkeypatch.setattr(sampling, "CURVE_HANDS", ("99", "KK", "none"))
    told = []
    sampler.enter("a", told.append)
    sampler.wish("a", Wish(5, PAYTABLE, "always_play", (2, 3)))
    wait(lambda: sampler.busy == 0)
    assert {message["serial"] for message in told} == {5}
    for players in (2, 3):
        own = [m for m in told if m["event"] == "sampled" and m["players"] == players]
        assert [m.get("deals") for m in own] == [8192, PIECE, 2 * PIECE, None]
        assert [m["finished"] for m in own] == [False, False, False, True]
    curve = [m for m in told if m["event"] == "curve" and m.get("points")]
    assert {m["players"] for m in curve} == {2}  # the first one
    assert [len(m["points"]) for m in curve] == [1, 2, 3]
    points = curve[-1]["points"]
    assert all(float(p["low"]) <= float(p["rtp"]) <= float(p["high"]) for p in points)


def test_work_ends_when_the_page_leaves_or_its_paytable_changes(sampler, monkeypatch):
    started, go = threading.Event(), threading.Event()

    def endless(_work):
        for number in count():
            started.set()
            go.wait(0.01)
            yield {"event": "sampled", "number": number} if number % 3 == 2 else None

    monkeypatch.setattr(TableWork, "pieces", endless)
    monkeypatch.setattr(CurveWork, "pieces", endless)
    told = []
    sampler.enter("a", told.append)
    sampler.wish("a", Wish(1, PAYTABLE, "collective", (2, 3)))
    wait(lambda: len(told) > 3)
    sampler.drop("a", 1)  # the same state: nothing ends
    assert sampler.busy == 3
    sampler.drop("a", 2)
    assert sampler.busy == 0
    sampler.wish("a", Wish(2, PAYTABLE, "collective", (2,)))
    sampler.wish("a", Wish(1, PAYTABLE, "collective", (2, 3, 4)))  # late, from an older state
    assert sampler.busy == 2
    wait(lambda: told[-1]["serial"] == 2)
    sampler.leave("a")
    assert sampler.busy == 0
    time.sleep(0.1)
    number = len(told)
    time.sleep(0.2)
    assert len(told) == number
    sampler.wish("a", Wish(3, PAYTABLE, "collective", (2,)))  # nobody is there
    assert sampler.busy == 0


def test_pages_take_turns(sampler, monkeypatch):
    order = []

    def pieces(work):
        for _ in range(30):
            order.append(work.players)
            time.sleep(0.002)
            yield None

    monkeypatch.setattr(TableWork, "pieces", pieces)
    monkeypatch.setattr(CurveWork, "pieces", lambda _work: iter(()))
    with sampler.paused():  # until all are there
        for page, players in (("a", 2), ("b", 3), ("c", 4), ("d", 5)):
            sampler.enter(page, lambda _message: None)
            sampler.wish(page, Wish(1, PAYTABLE, "collective", (players,)))
        time.sleep(0.05)
        assert order == []
    wait(lambda: sampler.busy == 0)
    middle = order[20:60]
    assert all(9 <= middle.count(players) <= 11 for players in (2, 3, 4, 5))


def test_the_table_that_is_looked_at_comes_first(sampler, monkeypatch):
    told = []

    def pieces(work):
        for _ in range(5):
            for _ in range(3):
                time.sleep(0.002)
                yield None
            work.stage += 1
            yield {"event": "sampled"}

    monkeypatch.setattr(TableWork, "pieces", pieces)
    monkeypatch.setattr(CurveWork, "pieces", lambda _work: iter(()))
    sampler.enter("a", told.append)
    with sampler.paused():
        sampler.wish("a", Wish(1, PAYTABLE, "collective", (4, 2, 3)))
        sampler.prefer("a", 1, 3)
        sampler.prefer("a", 0, 2)  # of another state
        sampler.prefer("a", 1, 7)  # not wished for
    wait(lambda: sampler.busy == 0)
    tables = [m["players"] for m in told if m["event"] == "sampled" and not m["finished"]]
    assert tables.index(3) == min(map(tables.index, (2, 3, 4)))
    assert tables.count(3) == tables.count(2) == 5


def test_what_cannot_be_sampled_is_refused_or_told(sampler, monkeypatch):
    told = []
    sampler.enter("a", told.append)
    large = PAYTABLE.read({**PAYTABLE.model_dump(mode="json"), "ante": "1000000", "expect": {}})
    with pytest.raises(ValueError, match="too large to be sampled"):
        sampler.wish("a", Wish(1, large, "collective", (2,)))

    def broken(_work):
        yield None
        raise ArithmeticError("out of luck")

    monkeypatch.setattr(TableWork, "pieces", broken)
    monkeypatch.setattr(CurveWork, "pieces", lambda _work: iter(()))
    sampler.wish("a", Wish(2, PAYTABLE, "collective", (2,)))
    wait(lambda: sampler.busy == 0)
    assert any(message.get("error") == "out of luck" for message in told)
