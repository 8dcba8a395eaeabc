"""The application in a real terminal, from outside: tmux draws, presses keys, resizes and kills."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from ricochet_casino.table.session import Session

pytestmark = [pytest.mark.needs_program("tmux"), pytest.mark.needs_program("pgrep")]
ROOT = Path(__file__).parents[2]
SECONDS = 60
COLOUR = re.compile(r"\x1b\[[0-9;]*\b(?:3[0-8]|4[0-8]|9[0-7])[;m]")
SHELL = "env PS1='$ ' sh"


class Terminal:
    """A window of tmux on a server of its own, with a shell in it."""

    def __init__(self, folder, width=80, height=24):
        self.folder, self.server = folder, f"ricochet-{uuid.uuid4().hex}"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                  SHELL)  # fmt: skip
        self.tmux("set-option", "-g", "status", "off")
        self.resize(width, height)

    def tmux(self, *words):
        done = subprocess.run(
            ["tmux", "-L", self.server, *words], cwd=self.folder, check=True,
            capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        return done.stdout

    @property
    def screen(self):
        return self.tmux("capture-pane", "-p")

    @property
    def size(self):
        words = self.tmux("display-message", "-p", "#{pane_width} #{pane_height}")
        return tuple(map(int, words.split()))

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.press("Enter")

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))
        wait(lambda: self.size == (width, height), self)

    def shows(self, text):
        """Wait until this is on the screen, wherever it breaks the lines."""
        words = " ".join(text.split())
        wait(lambda: words in " ".join(self.screen.split()), self, text)

    def begin(self, *words, before=""):
        command = [sys.executable, "-m", "ricochet_casino", "table", *words]
        self.type(f"{before}{shlex.join(command)}; echo code=$?")

    def fresh(self):
        """Another shell in place of the one that is there."""
        self.tmux("respawn-pane", "-k", SHELL)
        wait(lambda: self.screen.strip() == "$", self)

    def program(self):
        """Number of the process that the shell started."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(subprocess.run(["pgrep", "-P", shell], capture_output=True, text=True,
                                  check=True).stdout.split()[0])  # fmt: skip

    def end(self):
        socket = Path(self.tmux("display-message", "-p", "#{socket_path}").strip())
        self.tmux("kill-server")
        socket.unlink(missing_ok=True)


def wait(until, terminal, what=""):
    end = time.monotonic() + SECONDS
    while not until():
        assert time.monotonic() < end, f"{what!r} did not come:\n{terminal.screen}"
        time.sleep(0.05)


@pytest.fixture
def terminal(tmp_path):
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.end()


def test_an_evening_in_a_terminal(terminal, tmp_path):
    path = tmp_path / "evening.jsonl"
    terminal.begin(path.name, "--player", "Ann", "--player", "Bob", "--seed", "7")
    terminal.shows("Enter deals the first hand.")
    terminal.press("Enter")
    terminal.shows("Bob, press one of these keys:")
    assert COLOUR.search(terminal.tmux("capture-pane", "-p", "-e"))
    assert len(re.findall(r"[2-9JQKA][♣♦♥♠] │", terminal.screen)) == 2
    terminal.press("2")
    terminal.shows("u takes back: Bob: buy 2 cards.")
    terminal.resize(40, 10)
    terminal.shows("The window is too small: 40x10.")
    terminal.resize(120, 40)
    terminal.shows("u takes back: Bob: buy 2 cards.")
    terminal.resize(80, 24)
    terminal.press("u")
    terminal.shows("Bob, press one of these keys:")
    terminal.press("?")
    terminal.shows("How it is played")
    terminal.press("Escape")
    terminal.shows("Bob, press one of these keys:")

    os.kill(terminal.program(), signal.SIGKILL)
    terminal.shows("Killed")
    terminal.fresh()  # the old one is left in raw mode
    terminal.begin(path.name)
    terminal.shows("Bob, press one of these keys:")
    terminal.press("f")
    terminal.shows("The hand is over: Ann wins 2 chips")
    terminal.press("q")
    terminal.shows("Leave the table?")
    terminal.press("Enter")
    terminal.shows("Go on with: ricochet table evening.jsonl")
    terminal.shows("code=0")

    terminal.begin(path.name, before="NO_COLOR=1 ")
    terminal.shows("Enter deals the next hand.")
    assert not COLOUR.search(terminal.tmux("capture-pane", "-p", "-e"))
    os.kill(terminal.program(), signal.SIGTERM)
    terminal.shows("Go on with: ricochet table evening.jsonl")
    terminal.shows("code=143")
    Session.resume(path).close()


def test_a_new_table_without_names_is_asked_for(terminal, tmp_path):
    terminal.begin("new.jsonl")
    terminal.shows("Ricochet Poker: a new table")
    terminal.shows("F2 begins with what stands here.")
    assert not (tmp_path / "new.jsonl").exists()
    terminal.press("F2")
    terminal.shows("Enter deals the first hand.")
    terminal.press("Enter")
    terminal.shows("POT 3")
    terminal.press("C-c")
    terminal.shows("Go on with: ricochet table new.jsonl")
    terminal.shows("code=130")
    session = Session.resume(tmp_path / "new.jsonl")
    assert [seat.name for seat in session.view().seats] == ["Guest", "Bea", "Carl"]
    assert session.view().hand_number == 1
    session.close()


def test_a_terminal_that_cannot_be_drawn_on(terminal, tmp_path):
    terminal.begin("new.jsonl", before="TERM=dumb ")
    terminal.shows("error: this terminal (TERM=dumb) cannot be drawn on; use --plain")
    terminal.shows("code=2")
    assert not (tmp_path / "new.jsonl").exists()
