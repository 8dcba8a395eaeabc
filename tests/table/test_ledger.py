"""The ledger: every event on the disk, a crash survived, everything else told with its line."""

import itertools
import json
import os
import re

import pytest

from ricochet_casino.table import events, ledger
from ricochet_casino.table.ledger import VERSION, Ledger, header_line, read_ledger
from ricochet_casino.table.replay import exported, replay
from ricochet_casino.table.session import Session
from ricochet_casino.table.setup import Setup
from ricochet_casino.table.view import Pending


def played(path, hands=2, game="home", **settings):
    """A table of computer players and Ann, who folds, undoes it and folds again."""
    policy = "always_play" if game == "casino-night" else "buy_one"
    session = Session.begin(Setup(game, seed=9, chips=30, **settings), path)
    session.sit("Ann")
    session.sit("Ben", policy=policy)
    session.sit("Cora", policy=policy)
    for _ in range(hands):
        session.next_hand()
        while session.pending is not Pending.NEXT:
            if session.pending is Pending.ACTION:
                session.choose("f")
                session.undo()
                session.choose("f")
            else:
                session.step()
    return session


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "friday.jsonl"
    played(path).close()
    return path


def redone(path, change):
    """The ledger with some lines changed, and numbers and checks made to fit."""
    contents = [json.loads(line) for line in path.read_text().splitlines()]
    contents = change(contents) or contents
    check, lines = "", []
    for number, content in enumerate(contents, 1):
        bare = {k: v for k, v in content.items() if k not in ("check", "line")}
        line, check = ledger._line(bare, number, check)
        lines.append(line)
    path.write_text("".join(lines))


def test_an_event_is_on_the_disk_before_a_method_returns(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(os.fstat(fd).st_size), fsync(fd)))
    path = tmp_path / "table.jsonl"
    session = Session.begin(Setup(seed=1), path)
    for step in (lambda: session.sit("Ann"), lambda: session.sit("Ben"), session.next_hand,
                 session.step):  # fmt: skip
        before = session.view().events
        step()
        text = path.read_bytes()
        assert synced[-1] == len(text)
        assert text.endswith(b"\n")
        assert text.count(b"\n") == session.view().events > before
    session.close()


@pytest.mark.parametrize("game", ["home", "table-game-ii", "casino-night"])
def test_a_table_goes_on_exactly_where_it_was(tmp_path, game):
    path = tmp_path / "table.jsonl"
    kept = played(path, game=game)
    before = kept.view()
    kept.close()
    session = Session.resume(path)
    assert session.view() == before
    session.next_hand()
    assert session.view().hand_number == before.hand_number + 1
    session.close()


def test_a_ledger_is_the_same_wherever_it_was_cut_and_gone_on_with(tmp_path):
    """Cut after every single byte: whole lines are kept, the table is theirs, and play goes on."""
    whole = tmp_path / "whole.jsonl"
    played(whole, hands=1).close()
    raw = whole.read_bytes()
    ends = [i + 1 for i, byte in enumerate(raw) if byte == 10]
    cut = tmp_path / "cut.jsonl"
    contents = read_ledger(whole)
    cuts = [*range(ends[-4], len(raw)), *(end + 5 for end in ends[:-1]), *ends]
    for length in cuts:
        cut.write_bytes(raw[:length])
        session = Session.resume(cut)
        lines = sum(end <= length for end in ends)
        assert session.view().events == lines
        assert cut.read_bytes() == raw[: ends[lines - 1]]
        torn = length not in ends
        assert bool(session.notes) == torn
        if torn:
            note = f"{cut}: line {lines + 1} does not end ({length - ends[lines - 1]} bytes)"
            assert session.notes[0].startswith(note)
        for event in contents.events[lines - 1 :]:
            session._record(event)
        session.close()
        assert cut.read_bytes() == raw


def test_a_full_disk_changes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "table.jsonl"
    session = Session.begin(Setup(seed=1), path)
    session.sit("Ann")
    before, text = session.view(), path.read_bytes()
    write = os.write

    def half(fd, content):
        if len(content) < 20:
            raise OSError(28, "No space left on device")
        return write(fd, content[: len(content) // 2])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(OSError, match="No space left"):
            session.sit("Ben")
    assert path.read_bytes() == text
    assert session.view() == before
    session.sit("Ben")
    session.close()
    assert [seat.name for seat in Session.resume(path).view().seats] == ["Ann", "Ben"]


def test_one_process_at_a_time(file):
    session = Session.resume(file)
    with pytest.raises(ValueError, match=rf"{file}: in use by process {os.getpid()}"):
        Session.resume(file)
    session.close()
    Session.resume(file).close()
    assert list(file.parent.iterdir()) == [file]  # no lock is left


def test_a_link_to_a_ledger_shares_its_lock(file):
    link = file.with_name("link.jsonl")
    link.symlink_to(file)
    session = Session.resume(file)
    with pytest.raises(ValueError, match="in use by"):
        Session.resume(link)
    session.close()


def test_a_new_table_never_replaces_a_file(file):
    text = file.read_text()
    with pytest.raises(ValueError, match="exists already; a new table needs another file"):
        Session.begin(Setup(), file)
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a ledger of a table (empty)"),
        (b"{", "not a ledger of a table (no line)"),
        (b"hello\n", ":1: not a ledger of a table: it does not say 'ricochet-casino table'"),
        (b"{}\n", ":1: not a ledger of a table"),
        (b"[1]\n", ":1: not a ledger of a table"),
        (b"\xff\xfe\n", ":1: not a ledger of a table"),
        (b'{"game":"home"}\n', ":1: not a ledger of a table"),
        (b'{"format":"ricochet-casino table","version":2}\n', ":1: a ledger of version 2 of the"),
        (b'{"format":"ricochet-casino table"}\n', ":1: a ledger of version null of the table"),
        (b'{"format":"ricochet-casino table","version":1,"hand":1}\n', ':1: unknown key "hand"'),
        (b'{"format":"ricochet-casino table","version":1}\n', ":1: says it is line null"),
    ],
)
def test_a_file_that_is_no_ledger_of_ours(tmp_path, content, message):
    path = tmp_path / "other.jsonl"
    path.write_bytes(content)
    for read in (Session.resume, replay):
        with pytest.raises(ValueError, match=re.escape(f"{path}{message}" if message[0] == ":" else
                                                       f"{path}: {message}")):  # fmt: skip
            read(path)
    assert path.read_bytes() == content


def test_a_ledger_of_another_version_is_refused(file, monkeypatch):
    monkeypatch.setattr(ledger, "VERSION", VERSION + 1)
    with pytest.raises(ValueError, match=rf"{file}:1: a ledger of version 1 .* plays version 2"):
        Session.resume(file)


def test_a_folder_or_nothing_is_no_ledger(tmp_path):
    with pytest.raises(ValueError, match="not a file; expected a ledger"):
        Session.resume(tmp_path)
    with pytest.raises(ValueError, match="no such file"):
        Session.resume(tmp_path / "nothing.jsonl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda ls: ls.pop(6), ":7: says it is line 8: lines are missing, doubled or moved"),
        (lambda ls: ls.insert(6, ls[6]), ":8: says it is line 7: lines are missing, doubled"),
        (lambda ls: ls.__setitem__(6, ls[6][:-9]), ":7: damaged: not JSON"),
        (lambda ls: ls.__setitem__(6, b"\xff"), ":7: damaged: not UTF-8"),
        (lambda ls: ls.__setitem__(6, b""), ":7: damaged: not JSON"),
        (lambda ls: ls.__setitem__(6, b"[]"), ":7: damaged: not a JSON object"),
        (lambda ls: ls.__setitem__(6, b"[" * 90000), ":7: damaged: "),
        (lambda ls: ls.__setitem__(6, ls[6].replace(b'"line":7', b'"line":7,"line":7')),
         ":7: damaged: the key 'line' appears twice"),
        (lambda ls: ls.__setitem__(1, ls[1].replace(b'"chips":30', b'"chips":31')),
         ":2: damaged: its check does not fit"),
        (lambda ls: ls.__setitem__(1, ls[1].replace(b'"chips":30', b'"chips":3.5')),
         ":2: damaged: a certified value must not be a float"),
    ],
)  # fmt: skip
def test_a_damaged_line_is_told_with_its_number(file, change, message):
    lines = file.read_bytes().split(b"\n")[:-1]
    change(lines)
    content = b"\n".join(lines) + b"\n"
    file.write_bytes(content)
    for read in (Session.resume, replay):
        with pytest.raises(ValueError, match=re.escape(f"{file}{message}")):
            read(file)
    assert file.read_bytes() == content


def first(contents, kind):
    return next(content for content in contents if content.get("kind") == kind)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: first(c, "sit").update(kind="sitt"), 'unknown kind "sitt"; expected one of sit'),
        (lambda c: first(c, "sit").update(whom="x"), 'sit: unknown key "whom"; did you mean who?'),
        (lambda c: first(c, "sit").pop("chips"), "sit: the key chips is missing"),
        (lambda c: first(c, "sit").update(chips=True), "sit: chips is true; expected a whole"),
        (lambda c: first(c, "hand").update(players="Ann"), 'hand: players is "Ann"; expected a l'),
        (lambda c: first(c, "hand").update(dealer="Ann"), "hand 1 is dealt by Cora to Ann, Ben, C"),
        (lambda c: first(c, "hand").update(hand=2), "hand 1 is dealt by Cora"),
        (lambda c: first(c, "card").update(card="2c"), "the next card of seed 9 is "),
        (lambda c: first(c, "card").update(to="Cora"), "a card for Ann is awaited, not "),
        (lambda c: first(c, "act").update(choice="9"), "cannot choose '9'; possible: f (fold)"),
        (lambda c: first(c, "act").update(who="Zoe"), "has to act, not Zoe"),
        (lambda c: first(c, "undo").update(before=2), "line 2 cannot be taken back"),
        (lambda c: first(c, "end").update(net=[0, 0, 0]), "hand 1 ends with Ann "),
        (lambda c: first(c, "end").update(owed=1), "hand 1 ends with"),
        (lambda c: c.insert(4, first(c, "act")), "nobody has to act: no hand is being played"),
        (lambda c: c.insert(4, first(c, "end")), "there is no hand to be closed"),
        (lambda c: c.insert(2, c[1]), "Ann is at the table already"),
        (lambda c: c[0].update(seed=9), "seed is 9; expected a whole number as text"),
        (lambda c: c[0].update(cards="marked"), "cards is 'marked'; expected manual or shuffled"),
        (lambda c: c[0].update(game="chess"), "unknown game 'chess'"),
        (lambda c: c[0].update(chips=0), "1 to 1,000,000 chips"),
        (lambda c: c[0].update(rules=[]), "rules is no object"),
        (lambda c: c[0]["rules"].update(jokers=3), "jokers: 3 is not allowed"),
        (lambda c: c[0].pop("seed"), "the key seed is missing"),
    ],
)
def test_an_event_that_cannot_have_happened(file, change, message):
    """Checks that fit do not help: the table is played again."""
    redone(file, lambda contents: change(contents) and None)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        replay(file)
    assert re.match(rf"{re.escape(str(file))}:\d+: ", str(caught.value))


def test_leaving_with_other_chips_than_there_are(file):
    session = Session.resume(file)
    session.leave("Ben")
    session.close()
    redone(file, lambda contents: contents[-1].update(chips=999))
    with pytest.raises(ValueError, match=r"Ben has \d+ chips, not 999"):
        replay(file)


def test_every_event_is_read_as_it_was_written():
    examples = [
        events.Sit("Ann", 5, ""), events.Leave("Ann", 5), events.Buy("Ann", 5),
        events.Begin(1, "Ann", ("Ben", "Ann")), events.Card("Ann", "Th"), events.Act("Ann", "f"),
        events.Undo(7), events.End(1, ("Ann", "Ben"), (1, -1), 0),
    ]  # fmt: skip
    assert {type(event) for event in examples} == set(events.KINDS.values())
    for event in examples:
        assert events.event_from(json.loads(json.dumps(event.to_json()))) == event


def test_replaying_changes_nothing_and_tells_of_a_torn_line(file):
    raw = file.read_bytes()
    file.write_bytes(raw + b'{"che')
    found = replay(file)
    assert found.note.endswith("does not end (5 bytes): it was never confirmed and is cut off")
    assert file.read_bytes() == raw + b'{"che'
    assert len(found.hands) == 2


def test_a_closed_ledger_takes_nothing_more(file):
    session = Session.resume(file)
    session.close()
    session.close()
    with pytest.raises(ValueError, match="the ledger is closed"):
        session.sit("Dan")


def hands_in(lines):
    """The export read by its documented form: settings and results, nothing of ours used."""
    hands, current = [], {}
    for line in lines:
        word, *rest = line.split(" ")
        if word == "hand":
            current = {"number": int(rest[0]), "seats": {}, "net": {}, "cards": {}, "pot": 0,
                       "chips": {}}  # fmt: skip
            hands.append(current)
        elif word == "seat":
            current["seats"][rest[0]] = int(rest[1])
        elif word == "card":
            current["cards"].setdefault(rest[0], []).append(rest[1])
        elif word in ("ante", "buy", "play", "win", "return"):
            sign = 1 if word in ("win", "return") else -1
            chips = current["chips"]
            chips[rest[0]] = chips.get(rest[0], 0) + sign * int(rest[1])
            current["pot"] -= sign * int(rest[1])
            assert rest[2] == "pot"
            assert int(rest[3]) == current["pot"]
        elif word == "bonus":
            current["chips"][rest[0]] += int(rest[1])
            current["chips"][current["dealer"]] -= int(rest[1])
        elif word == "dealer":
            current["dealer"] = rest[0]
        elif word == "net":
            current["net"][rest[0]] = int(rest[1])
        elif word == "end":
            assert current["pot"] == 0
            assert current["net"] == current["chips"]
            assert sum(current["net"].values()) == 0
    return hands


@pytest.mark.parametrize("game", ["home", "casino-night"])
def test_exported_hands_add_up_from_the_text_alone(tmp_path, game):
    path = tmp_path / "table.jsonl"
    session = played(path, hands=12, game=game)
    chips = {seat.name: seat.chips for seat in session.view().seats}
    session.close()
    lines = list(exported(replay(path)))
    assert lines[0] == "# ricochet-casino table, hands, version 1"
    hands = hands_in(lines[1:])
    assert [hand["number"] for hand in hands] == list(range(1, 13))
    for hand, after in itertools.pairwise(hands):
        assert {n: c + hand["net"][n] for n, c in hand["seats"].items()} == after["seats"]
        cards = [card for held in hand["cards"].values() for card in held]
        assert len(cards) == len(set(cards))
    last = hands[-1]
    assert {n: c + last["net"][n] for n, c in last["seats"].items()} == chips


def test_an_unfinished_hand_is_exported_as_such(tmp_path):
    path = tmp_path / "table.jsonl"
    session = played(path, hands=1)
    session.next_hand()
    session.close()
    lines = list(exported(replay(path)))
    assert lines.count("end") == 1
    assert lines[-1] == "unfinished"
    assert replay(path).to_json()["unfinished"] == 1


def test_a_ledger_in_memory_is_the_file(tmp_path):
    path = tmp_path / "table.jsonl"
    played(path).close()
    assert played(None).ledger_text == path.read_text()
    assert path.read_text().startswith(header_line(Setup(seed=9, chips=30).header())[0])
    assert Ledger.begin(None, Setup(seed=1).header()).lines == 1
