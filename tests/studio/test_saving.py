"""The paytable's file: comments stay, nothing is overwritten unasked, what is saved reads back."""

import asyncio
import random
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino.games import load_paytable, read_paytable
from ricochet_casino.lab.settings import apply_settings
from ricochet_casino.paytable import PaytableError, shipped_paytables
from ricochet_casino.studio import app as studio_app
from ricochet_casino.studio.opened import ConflictError, Opened, look
from ricochet_casino.studio.text import paytable_text

SHIPPED = shipped_paytables()


def changed(paytable, *settings):
    """The paytable with some settings, under its own title."""
    found = apply_settings(paytable, settings)
    return found.model_copy(update={"title": paytable.title})


@pytest.fixture
def mine(tmp_path):
    """A paytable of the user's own."""
    path = tmp_path / "mine.yaml"
    path.write_text(SHIPPED["ricochet_poker/rulebook"].read_text())
    return Opened(str(path), tmp_path)


def test_values_change_where_they_stand_and_comments_stay():
    original = SHIPPED["ricochet_poker/rulebook"].read_text()
    before = load_paytable("rulebook")
    after = changed(before, "bonus.flush=6", "kickout.1=AA", "ante=2", "dealer_ante=3")
    text = paytable_text(after, original)
    assert "  flush: 6 to 1\n" in text
    assert "\nante: 2\n" in text
    assert "# Each player antes one chip, and so does the dealer." in text
    # A remark behind a value was about the old value.
    assert "  1: AA  # pair of aces, or better\n" in text
    assert "pair of kings" not in text
    assert "  2: AAQ    # a pair of aces with a queen\n" in text
    same = set(original.splitlines()) & set(text.splitlines())
    assert len(same) > 50


def test_known_figures_of_the_old_paytable_go():
    before = load_paytable("rulebook")
    text = paytable_text(
        changed(before, "bonus.flush=6"), SHIPPED["ricochet_poker/rulebook"].read_text()
    )
    assert "expect" not in text
    assert "Known figures" not in text


def test_an_unchanged_paytable_is_written_as_it_was():
    original = SHIPPED["ricochet_poker/rulebook"].read_text()
    assert paytable_text(load_paytable("rulebook"), original) == original


def test_lines_come_and_go():
    before = load_paytable("rulebook")
    after = changed(before, "bonus.three_of_a_kind=1", "bonus.royal_flush=none", "cover.flush=none",
                    "cover.pair=1")  # fmt: skip
    text = paytable_text(after, SHIPPED["ricochet_poker/rulebook"].read_text())
    assert "# Paid on the play bet to every player" in text
    assert "  three_of_a_kind: 1 to 1\n" in text
    assert "      pair: 1 to 1\n" in text


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_whatever_is_changed_reads_back(name, tmp_path):
    original, before = SHIPPED[name].read_text(), load_paytable(name)
    draw = random.Random(7)
    settings = [f"bonus.{line}={draw.randint(1, 999)}" for line in before.bonus]
    settings += [
        f"kickout.{n}={draw.choice(['AA', 'none', '33xx', 'flush'])}" for n in before.kickout
    ]
    settings = [setting for setting in settings if not setting.startswith("bonus.straight=")]
    gone = "bonus.straight=none" if "straight" in before.bonus else "ante=3"
    settings += ["bonus.two_pair=1", gone, "last_hand=may_play", "when_equal=fold"]
    settings += ["bonus_on=ante", "play_bet=2"]
    if before.cover:
        settings += ["cover.two_pair=9"]
    for trial in range(30):
        chosen = draw.sample(settings, 1 + trial % 4)
        after = changed(before, *chosen)
        path = tmp_path / "saved.yaml"
        path.write_text(paytable_text(after, original))
        assert read_paytable(path).model.model_dump() == after.model_dump(), chosen


@pytest.mark.parametrize(
    "update",
    [{"title": "A: colon # and hash"}, {"title": "no"}, {"notes": "two\nlines"},
     {"side_bets": None}, {"players": [1, 2]}, {"source": "'"}, {"coin": "fair"},
     {"ante": Fraction(3)}, {"bonus": {}}],
)  # fmt: skip
def test_what_cannot_be_put_in_place_is_written_anew(update):
    before = load_paytable("rulebook").model_copy(update={"expect": {}})
    after = before.read(before.model_copy(update=update).model_dump(mode="json"))
    text = paytable_text(after, SHIPPED["ricochet_poker/rulebook"].read_text())
    path = Path("x.yaml")
    from ricochet_casino.config import parse_yaml

    assert before.read(parse_yaml(text, str(path)).data).model_dump() == after.model_dump()


def test_any_text_will_do_for_the_original():
    model = load_paytable("home_capped")
    for original in ("", "game: pinball\n", "a: [", "\0", "game: ricochet_poker\n"):
        assert "game: ricochet_poker" in paytable_text(model, original)


def test_saving_the_file_that_was_opened(mine):
    paytable, there = mine.read()
    saved = mine.save(changed(paytable, "bonus.flush=7"), "mine.yaml", there.digest)
    assert saved["opened"]
    assert saved["digest"] == look(mine.path).digest
    assert load_paytable(mine.path).bonus["flush"] == 7
    assert [path.name for path in mine.folder.iterdir()] == ["mine.yaml"]


def test_a_file_that_was_changed_meanwhile_is_not_overwritten(mine):
    paytable, there = mine.read()
    mine.path.write_text(mine.path.read_text() + "# somebody was here\n")
    with pytest.raises(ConflictError, match=r"mine\.yaml was changed on the disk"):
        mine.save(changed(paytable, "bonus.flush=7"), "mine.yaml", there.digest)
    assert "somebody was here" in mine.path.read_text()


def test_a_file_that_exists_is_not_overwritten(mine):
    (mine.folder / "other.yaml").write_text("precious")
    with pytest.raises(ConflictError, match="exists already"):
        mine.save(mine.read()[0], "other.yaml", "")
    assert (mine.folder / "other.yaml").read_text() == "precious"
    mine.save(mine.read()[0], "other.yaml", look(mine.folder / "other.yaml").digest)
    assert load_paytable(mine.folder / "other.yaml") is not None


def test_a_file_that_is_gone_is_not_made_again_unasked(mine):
    paytable, there = mine.read()
    mine.path.unlink()
    with pytest.raises(ConflictError):
        mine.save(paytable, "mine.yaml", there.digest)
    assert mine.save(paytable, "mine.yaml", "")["opened"]


@pytest.mark.parametrize(
    "name",
    ["", "x", "../up.yaml", "/tmp/x.yaml", "a/b.yaml", ".hidden.yaml", "x.yaml\n", "x.py",
     "\u202e.yaml", "x" * 100 + ".yaml", "C:\\x.yaml"],
)  # fmt: skip
def test_only_plain_names_of_yaml_files(mine, name):
    with pytest.raises(ValueError, match="is not a file name"):
        mine.save(mine.read()[0], name, "")


def test_a_folder_of_that_name(mine):
    (mine.folder / "dir.yaml").mkdir()
    with pytest.raises(ConflictError):
        mine.save(mine.read()[0], "dir.yaml", "")


def test_a_shipped_paytable_is_copied_and_stays(tmp_path):
    opened = Opened("rulebook", tmp_path)
    before = look(opened.path)
    described = opened.describe()
    assert described["shipped"]
    saved = opened.save(opened.read()[0], described["save_as"], "")
    assert not saved["opened"]
    assert Path(saved["path"]).parent == tmp_path
    assert look(opened.path) == before


def test_a_bad_file_cannot_be_opened(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("game: ricochet_poker\ntitle: x\nkickout:\n  1: KQK\nbonus:\n  flush: 5\n")
    with pytest.raises(PaytableError, match=r"bad\.yaml:4: .*did you mean KKQ"):
        Opened(str(bad), tmp_path)
    with pytest.raises(ValueError, match="no such file"):
        Opened(str(tmp_path / "missing.yaml"), tmp_path)


def test_the_file_is_watched(mine, monkeypatch):
    monkeypatch.setattr(studio_app, "_WATCH_EVERY", 0.02)
    studio = studio_app.Studio(mine)

    async def watch():
        studio.pages.enter("a" * 8)
        messages = studio.pages.stream("a" * 8)
        await anext(messages)
        watching = asyncio.create_task(studio.watch())
        await asyncio.sleep(0.1)
        mine.path.write_text("game: pinball\n")
        first = await asyncio.wait_for(anext(messages), 5)
        mine.path.unlink()
        second = await asyncio.wait_for(anext(messages), 5)
        watching.cancel()
        await messages.aclose()
        return first, second

    first, second = asyncio.run(watch())
    assert '"event": "disk"' in first
    assert '"digest": ""' in second
    assert len(studio.pages) == 0
