"""The table line by line: newcomers, pipes, and a table that is killed again and again."""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import types
import zlib

import pytest

from ricochet_casino.cli import main
from ricochet_casino.cli import table as cli_table
from ricochet_casino.table.plain import COMMANDS, PlainTable
from ricochet_casino.table.replay import replay
from ricochet_casino.table.session import Session
from ricochet_casino.table.setup import Setup

# A job in the background of a shell is started deaf to Ctrl-C, and so would its children be.
signal.signal(signal.SIGINT, signal.default_int_handler)

COMMAND = [sys.executable, "-m", "ricochet_casino", "table"]


def table(*people, game="home", path=None, **settings):
    session = Session.begin(Setup(game, **settings), path)
    for name in people:
        session.sit(name.partition(":")[0], policy=name.partition(":")[2])
    return session


def typed(session, *lines, **options):
    """What is printed when these lines are typed."""
    rest, printed = iter(lines), []
    code = PlainTable(session, lambda: next(rest, None), printed.append, **options).run()
    assert code == 0
    return printed


def ricochet(*words, feed="", **options):
    return subprocess.run(
        [*COMMAND, *map(str, words)], input=feed, capture_output=True, text=True, timeout=120,
        check=False, **options,
    )  # fmt: skip


def answer(question):
    """What a player types who knows nothing but the question on the screen; None if it is none.

    The same question always gets the same answer, so a table that goes on is played on alike.
    """
    question = question.strip()
    if "; ? explains" in question and ": f to fold" in question:
        keys = re.findall(r"(\w) to (?:buy|fold|play)", question)
        return keys[zlib.crc32(question.encode()) % len(keys)]
    if "Enter goes on" in question or "Enter begins it" in question:
        return ""
    needs = re.search(r"or (\w+)(?: or \w+)* to buy chips", question)
    return f"rebuy {needs[1]}" if needs else None


def test_a_newcomer_plays_a_hand_knowing_nothing_but_the_questions():
    session = table("Guest", "Ann:pot_odds", "Ben:pot_odds", "Cora:pot_odds", seed=5)
    printed, hands = [], 0

    def read():
        nonlocal hands
        hands += "Enter begins it" in printed[-1]
        return answer(printed[-1]) if hands < 4 else "q"

    assert PlainTable(session, read, printed.append).run() == 0
    text = "\n".join(printed)
    assert "Type ? for the rules" in printed[0]
    assert printed[1:3] == ["Played by you: Guest.", "Played by the program: Ann, Ben, Cora."]
    assert session.view().hand_number == 3
    assert session.view().over
    assert "Guest acts with the lowest hand" in text
    assert "; the next lowest is" in text
    assert re.search(r"The hand is over: \w+ wins \d+ chips with ", text)
    assert re.search(r"Guest: [+-]\d+ in this hand, [+-]\d+ this evening, has \d+ chips", text)


@pytest.mark.parametrize("game", ["home", "casino-night"])
def test_help_explains_the_rules_and_each_choice(game):
    session = table("Ann", "Ben", "Cora", game=game, seed=1)
    printed = typed(session, "", "?", "q")
    text = "\n".join(printed)
    for command, about in COMMANDS:
        assert f"  {command}: {about}." in printed
    assert "f, fold: You are out;" in text
    assert "All cards lie face up" in text
    if game == "home":
        assert "1, buy 1 card: Pay 1 chip for a card" in text
        assert "4, buy 4 cards: Pay 4 chips for up to 4 cards." in text
    else:
        assert "p, play: Pay 1 chip into the pot and get three more cards." in text
        assert "straight 2, flush 5, full house 10, four of a kind 10" in text


def test_the_example_of_the_rulebook_line_by_line():
    session = table("One", "Two", "Three", "Four", manual=True)
    printed = typed(
        session, "", "Kd Jc", "8h", "7s", "3", "2h 9c", "f", "2", "2d", "2", "9h Qd", "4", "5h",
        "8d", "8s", "t",
    )  # fmt: skip
    pots = [line for line in printed if line.startswith("  Pot: ")]
    assert pots == [f"  Pot: {n} chips." for n in (4, 7, 7, 9, 11, 15, 15)]
    turns = [line.split()[0] for line in printed if " acts with the lowest hand" in line]
    assert turns == ["Four", "Three", "Four", "Two", "One", "Four"]
    assert "  Four: 14 chips, 7♠ 2♥ 9♣ 2♦, pair of deuces, lowest, dealer, to act." in printed
    assert "  Two: 17 chips, J♣ 9♥ Q♦, queen high, out." in printed


def test_bad_input_is_told_and_the_question_asked_again():
    session = table("Ann", "Ben", manual=True)
    printed = typed(
        session, "hello", "sit Ann", "sit", "sit Dan 0", "sit Dan 5 5", "leave Zoe", "leave Ann 5",
        "rebuy Ann 1000001", "", "Kd", "Kd", "X1", "xx", "f", "2c", "0", "9", "buy", "a b", "u",
        "2d",
    )  # fmt: skip
    wrong = [line.removeprefix("Not possible: ") for line in printed if line.startswith("Not ")]
    starts = [
        "'hello' is no command here", "Ann is at the table already", "who? Such as sit Ann",
        "1 to 1,000,000 chips can be bought at once, got 0", "unknown policy '5'",
        "nobody at the table is called 'Zoe'", "leave: '5' is not understood",
        "1 to 1,000,000 chips", "the card Kd has been dealt to Ann", "the card X1 is not in the",
        "'xx' is not a card", "'f' is not a card", "Ben cannot choose '0'; possible: f (fold), 1",
        "Ben cannot choose '9'", "Ben cannot choose 'buy'", "Ben cannot choose 'a b'",
    ]  # fmt: skip
    assert len(wrong) == len(starts)
    for line, start in zip(wrong, starts, strict=True):
        assert line.startswith(start)
    assert "Taken back: the card 2♣ for Ben." in printed
    assert session.view().seats[1].cards == (1,)


def test_taking_back_by_line():
    session = table("Ann", "Ben", seed=1)
    printed = typed(session, "", "2", "u", "f", "u", "1", "x", "", "q")
    assert sum(line.startswith("Taken back: ") for line in printed) == 2
    assert "Not possible: 'x'; Enter goes on, u takes back, ? explains" in printed
    assert any(line.endswith("Enter goes on; u takes it back") for line in printed)
    assert any(line.startswith("Hand 2 can begin. Enter begins it; u takes it") for line in printed)


def test_letters_for_suits():
    printed = typed(table("Ann", "Ben", seed=1), "", "t", "q", ascii_only=True)
    assert all(line.isascii() for line in printed)
    assert any(re.search(r"is dealt [2-9TJQKA][cdhs]\.", line) for line in printed)


def test_advice_can_be_hidden_for_good():
    session = table("Ann", "Ben", seed=1)
    session.with_advice = False
    printed = typed(session, "", "a", "q")
    assert "Not possible: this table was opened without odds and advice" in printed
    assert not any("a for odds" in line for line in printed)


def test_a_piped_table_and_its_replay(tmp_path):
    file = tmp_path / "friday.jsonl"
    feed = "\nsit Dan 9 buy_one\nf\n\n\nu\n"
    done = ricochet(file, "--plain", "--seed", 5, feed=feed, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Hand 1, dealt by Cora." in done.stdout
    assert f"`ricochet table {file}` goes on with it." in done.stdout
    again = ricochet(file, "--plain", feed="t\n")
    assert again.returncode == 0
    assert "The table goes on in hand 1." in again.stdout or "hand 2." in again.stdout
    checked = ricochet("replay", file)
    assert checked.returncode == 0
    assert "all possible, in order and undamaged" in checked.stdout
    assert re.search(r"^sum +0$", checked.stdout, re.M)
    target = tmp_path / "hands.txt"
    assert ricochet("replay", file, "--export", "--output", target).returncode == 0
    assert target.read_text().startswith("# ricochet-casino table, hands, version 1\n\nhand 1\n")
    assert '"sum":0' in ricochet("replay", file, "--format", "json").stdout


def test_wrong_commands_end_with_two(tmp_path, monkeypatch, capsys):
    file = tmp_path / "friday.jsonl"
    played = table("Ann", "Ben", path=file)
    played.close()
    other = tmp_path / "other.jsonl"
    other.write_text("hello\n")
    for words, message in (
        ([file], "there is no terminal to play on; for pipes and scripts use --plain"),
        ([file, "--plain", "--seed", 5], "--seed would begin a new one"),
        ([other, "--plain"], f"{other}:1: not a ledger of a table"),
        (["replay", other], f"{other}:1: not a ledger of a table"),
        (["replay", tmp_path / "none"], "No such file"),
        ([tmp_path / "n", "--plain", "--player", "Ann", "--player", "ann"], "Ann is at the table"),
        ([tmp_path / "n", "--plain", "--game", "poker"], "unknown game 'poker'"),
        ([tmp_path / "n", "--plain", "--paytable", "rulebook", "--game", "home"], "--paytable is"),
        ([tmp_path / "no" / "n", "--plain"], "there is no such folder"),
    ):
        monkeypatch.setattr(sys, "argv", ["ricochet", "table", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        assert ended.value.code == 2, words
        assert message in told.err
        assert told.err.count("\n") == 1
        assert told.out == ""
    assert not (tmp_path / "n").exists()


class Screens(types.ModuleType):
    """In place of the application: what it was asked for."""

    def __init__(self):
        super().__init__("ricochet_casino.table.app")
        self.asked = []

    def run_table(self, session):
        self.asked.append([seat.name for seat in session.view().seats])
        return 0

    def run_opening(self, setup, path, *, advice):
        self.asked.append((setup.game, setup.manual, path.name, advice))
        return 130


def test_what_the_screens_are_asked_for(tmp_path, monkeypatch, capsys):
    """A new table without people begins with the dialogue, every other one at the table."""
    screens = Screens()
    monkeypatch.setitem(sys.modules, "ricochet_casino.table.app", screens)
    monkeypatch.setattr("ricochet_casino.table.app", screens, raising=False)
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: True, raising=False)
    file = tmp_path / "friday.jsonl"

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["ricochet", "table", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code

    assert run(file, "--game", "casino-night", "--manual", "--no-advice") == 130
    assert run(file, "--player", "Ann", "--player", "Ben:buy_one") == 0
    assert run(file) == 0
    assert screens.asked == [
        ("casino-night", True, "friday.jsonl", False), ["Ann", "Ben"], ["Ann", "Ben"],
    ]  # fmt: skip
    assert run(file, "--player", "Ann") == 2
    assert "--player would begin a new one" in capsys.readouterr().err


def test_screens_that_lack_a_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "ricochet_casino.table.app", None)
    monkeypatch.delattr("ricochet_casino.table.app", raising=False)
    with pytest.raises(ValueError, match="the table's screens need "):
        cli_table._screens()


class Running:
    """A table in another process, driven through its pipes."""

    def __init__(self, file, *words):
        self.process = subprocess.Popen(
            [*COMMAND, str(file), "--plain", *map(str, words)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            encoding="utf-8", env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
        self.lines = 0
        self.thread = threading.Thread(target=self._drive)
        self.thread.start()

    def _drive(self):
        """Answer every question until the process is gone."""
        try:
            for line in self.process.stdout:
                self.lines += 1
                reply = answer(line)
                if reply is not None:
                    self.process.stdin.write(reply + "\n")
                    self.process.stdin.flush()
        except (OSError, ValueError):
            pass

    def wait_for(self, lines):
        end = time.monotonic() + 60
        while self.lines < lines and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        assert self.process.poll() is None, self.process.stderr.read()

    def stop(self, how):
        self.process.send_signal(how)
        code = self.process.wait(60)
        self.thread.join(60)
        told = self.process.stderr.read()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        return code, told


PEOPLE = ("Guest", "Ann:pot_odds", "Ben:buy_one")


def test_a_table_killed_at_twenty_random_moments_loses_and_doubles_nothing(tmp_path):
    """The ledger is byte for byte the beginning of that of a table that was never killed."""
    file, chance = tmp_path / "friday.jsonl", random.Random(10)
    words = ["--seed", 17, "--chips", 40, *(w for name in PEOPLE for w in ("--player", name))]
    grown = []
    for _ in range(20):
        running = Running(file, *words)
        words = []
        running.wait_for(chance.randrange(1, 150))
        time.sleep(chance.random() * 0.02)
        code, told = running.stop(signal.SIGKILL)
        assert (code, told) == (-signal.SIGKILL, "")
        grown.append(file.stat().st_size)
    assert len(set(grown)) > 15  # the table did go on between the kills
    session, printed = table(*PEOPLE, seed=17, chips=40), []

    def read():
        enough = session.view().events > lines + 5
        return None if enough else answer(printed[-1])

    Session.resume(file).close()  # cuts off a line that was torn
    content = file.read_text()
    lines = content.count("\n")
    PlainTable(session, read, printed.append).run()
    assert lines > 100
    assert session.ledger_text.startswith(content)
    assert replay(file).events == lines - 1


def test_ctrl_c_leaves_a_table_that_goes_on(tmp_path):
    file = tmp_path / "friday.jsonl"
    running = Running(file, "--seed", 1, *(w for name in PEOPLE for w in ("--player", name)))
    running.wait_for(20)
    code, told = running.stop(signal.SIGINT)
    assert code == 130
    assert f"the table stays in {file}" in told
    assert "Traceback" not in told
    session = Session.resume(file)
    assert session.notes == ()
    assert session.view().hand_number > 0
    session.close()


def test_a_second_process_is_told_who_plays(tmp_path):
    file = tmp_path / "friday.jsonl"
    running = Running(file, "--seed", 1, "--player", "Ann", "--player", "Ben")
    running.wait_for(2)
    done = ricochet(file, "--plain", feed="q\n")
    running.stop(signal.SIGKILL)
    assert done.returncode == 2
    assert re.match(rf"error: {file}: in use by process {running.process.pid} on ", done.stderr)
    assert ricochet(file, "--plain", feed="q\n").returncode == 0
