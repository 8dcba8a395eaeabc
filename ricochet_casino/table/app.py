"""`ricochet table` in the terminal: the application around a session, with textual.

The session knows everything; the screens draw its `view.View` and call it. The keyboard is enough,
colours only decorate, and a window of 72x20 is enough for eight people.
"""

import asyncio
import locale
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Final

from rich.text import Text
from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Size

from ricochet_casino.table.app_cards import Look
from ricochet_casino.table.app_opening import Begun, OpeningScreen
from ricochet_casino.table.app_screens import LEAST_HEIGHT, LEAST_WIDTH, Leave, TooSmall
from ricochet_casino.table.app_table import TableScreen
from ricochet_casino.table.session import Session
from ricochet_casino.table.setup import Setup

PACE: Final = 0.8
"""Seconds between two steps of computer players."""
EXIT_INTERRUPTED: Final = 130


class TableApp(App[int]):
    """The application.

    Parameters
    ----------
    session
        A table; None to make one in the opening dialogue.
    setup, path
        For the dialogue: what is settled before, and where the ledger will be.
    pace
        Seconds between two steps of computer players; 0 for tests.
    letters
        Suits as letters.
    """

    CSS_PATH = "app.tcss"
    TITLE = "Ricochet Poker"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "leave_at_once", "leave", priority=True),
    ]

    def __init__(
        self, session: Session | None, setup: Setup | None = None, path: Path | None = None,
        *, pace: float = PACE, letters: bool = False,
    ) -> None:  # fmt: skip
        colour = "NO_COLOR" not in os.environ
        super().__init__(ansi_color=None if colour else True)
        if not colour:
            self.theme = "ansi-dark"
        self.session = session
        self.setup, self.path = setup or Setup(), path
        self.pace = pace
        self.look = Look(letters, colour)
        self.with_advice = True

    def on_mount(self) -> None:
        """The first screen."""
        if not self.is_headless:
            self._hear_signals()
            self.set_interval(1, self.look_at_size)
        if self.session is None:
            self.push_screen(OpeningScreen(self.setup, self.path))
        else:
            self.push_screen(TableScreen(self.session, self.look, self.pace))
        self._check_size(self.size)

    def _hear_signals(self) -> None:
        """A signal that ends the program gives the terminal back first."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._end, 128 + number)

    def on_begun(self, message: Begun) -> None:
        """From the opening dialogue to the table."""
        self.session = message.session
        self.session.with_advice = self.with_advice
        self.switch_screen(TableScreen(self.session, self.look, self.pace))

    def on_resize(self, event: Resize) -> None:
        """Cover everything while the window is too small."""
        self._check_size(event.size)

    def look_at_size(self) -> None:
        """Follow the terminal even if it was resized and the news of it got lost."""
        size = terminal_size()
        if size is not None and size != self.size:
            self.post_message(Resize(size, size))

    def _check_size(self, size: Size) -> None:
        if not self.screen_stack:
            return
        small = size.width < LEAST_WIDTH or size.height < LEAST_HEIGHT
        covered = isinstance(self.screen, TooSmall)
        if small and not covered:
            self.push_screen(TooSmall())
        elif covered and not small:
            self.pop_screen()

    def action_leave(self) -> None:
        """Ask before leaving."""

        def answer(leave: bool | None) -> None:
            if leave:
                self._end(0)

        self.push_screen(Leave(how_to_resume(self.session)), answer)

    def action_leave_at_once(self) -> None:
        """Ctrl-C."""
        self._end(EXIT_INTERRUPTED if self.session is not None else 0)

    def _end(self, code: int) -> None:
        opened = self.session is not None
        message = how_to_resume(self.session) if opened else "No table was opened."
        self.exit(code, return_code=code, message=Text(message))


def terminal_size() -> Size | None:
    """Size of the terminal, None if there is none."""
    with suppress(OSError, ValueError):
        if sys.__stdout__ is not None:
            return Size(*os.get_terminal_size(sys.__stdout__.fileno()))
    return None


def how_to_resume(session: Session | None) -> str:
    """What becomes of a table that is left, in a sentence."""
    if session is None or session.path is None:
        return "This table is kept in no file: leaving ends it."
    return f"Everything is kept in {session.path}. Go on with: ricochet table {session.path}"


def _letters() -> bool:
    """Whether the terminal probably has no suit symbols."""
    return "utf" not in locale.getpreferredencoding(False).lower()


def run_table(session: Session, *, pace: float = PACE) -> int:
    """Play at a table in the terminal until people leave; the session stays open.

    Returns
    -------
    int
        Exit code: 0, or 130 after Ctrl-C.

    Raises
    ------
    ValueError
        If the terminal cannot be drawn on.
    """
    return _run(TableApp(session, pace=pace, letters=_letters()))


def run_opening(setup: Setup, path: Path | None, *, pace: float = PACE, advice: bool = True) -> int:
    """Make a table in the opening dialogue and play at it; its session is closed at the end.

    Returns
    -------
    int
        As `run_table`; 0 too if no table was made.

    Raises
    ------
    ValueError
        If the terminal cannot be drawn on.
    """
    app = TableApp(None, setup, path, pace=pace, letters=_letters())
    app.with_advice = advice
    try:
        return _run(app)
    finally:
        if app.session is not None:
            app.session.close()


def _run(app: TableApp) -> int:
    if os.environ.get("TERM") == "dumb":
        raise ValueError("this terminal (TERM=dumb) cannot be drawn on; use --plain")
    code = app.run()
    return app.return_code or 1 if code is None else code
