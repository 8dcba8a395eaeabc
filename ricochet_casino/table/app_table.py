"""The screen of a table: shows what the session shows, and calls it when keys are pressed."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Label, Static

from ricochet_casino.table.app_cards import Look, people
from ricochet_casino.table.app_fields import Line
from ricochet_casino.table.app_panels import (
    advice_text,
    choices_text,
    does_now,
    head_text,
    help_text,
    hints_text,
    key_line,
    log_text,
    rules_text,
    story_text,
)
from ricochet_casino.table.app_people import People
from ricochet_casino.table.app_screens import Page
from ricochet_casino.table.session import Session
from ricochet_casino.table.view import Pending, View

WIDE = 110
"""From so many columns on, the story stands beside the table."""
_SIDE = 42  # columns of it
_BELOW = 12  # rows that people must leave free for what stands below them
_BELOW_WITH_ODDS = 18
LARGE_WIDTH = 76
"""From so many columns on, cards may stand in frames."""
SHORTEST = 0.001  # seconds; a timer of nothing is none
CARDS_PACE = 0.4
"""Part of the pace after which a card follows the card before."""


class Story(Static):
    """The end of the story that fits; before the first hand, the rules in short."""

    view: View | None = None
    look = Look()

    def tell(self, view: View, look: Look) -> None:
        """Show the story of a view."""
        self.view, self.look = view, look
        self.refresh()

    def render(self) -> Text:
        """As many rows as there are."""
        if self.view is None:
            return Text()
        if not self.view.hand_number:
            return rules_text(self.view, self.look)
        return log_text(self.view, self.look, self.size.height, self.size.width)


class CardLine(Line):
    """Where real cards are typed; the question mark is left to the screen."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """All but the question mark."""
        return character != "?" and super().check_consume_key(key, character)


class TableScreen(Screen[None]):
    """A table.

    Parameters
    ----------
    session
        Of the table.
    look
        How cards are drawn.
    pace
        Seconds between two steps of the program.
    """

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go_on"),
        Binding("u,U", "undo"),
        Binding("a,A", "advice"),
        Binding("l,L", "log"),
        Binding("t,T", "people"),
        Binding("s,S", "suits"),
        Binding("question_mark,f1", "help", priority=True),
        Binding("q,Q", "app.leave"),
        Binding("escape", "keys"),
    ]

    def __init__(self, session: Session, look: Look, pace: float) -> None:
        super().__init__()
        self.session = session
        self.look = look
        self.pace = pace
        self.advised = False  # whether odds and advice are wanted
        self.busy = ""  # what the program works on, in a sentence
        self._said = ""
        self._advising = False
        self._halted = False  # after an error: not again by itself
        self._timer: Timer | None = None
        self._typing = True  # manual mode: whether keys go to the line for the card

    def compose(self) -> ComposeResult:
        """Head, people, what happens now, story or advice, keys."""
        yield Static("", id="head", classes="head")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield Static("", id="people")
                with Vertical(id="now"):
                    yield Static("", id="why")
                    yield Static("", id="does")
                    yield Static("", id="choices")
                    with Horizontal(id="card-row"):
                        yield Label("Card (such as 8h or 10s): ")
                        yield CardLine(id="card", most=40)
                    yield Static("", id="said")
                    yield Static("", id="hints")
            with Vertical(id="side"):
                yield Static("", id="side-head")
                yield Static("", id="advice")
                yield Story(id="log")
        yield Static("", id="keys", classes="keys")

    def on_mount(self) -> None:
        """Show the table as it is, and remarks on its ledger."""
        self._said = " ".join(self.session.view().notes)
        self.show()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.call_after_refresh(self.show)

    def on_screen_suspend(self) -> None:
        """Another page is open: the program waits."""
        self._stop()

    def on_screen_resume(self) -> None:
        """Back from another page: people may have come or gone."""
        self.show()

    # -- showing

    def show(self) -> None:
        """Draw everything anew, and plan what the program does next."""
        if not self.is_mounted or self.size.width == 0:
            return
        view = self.session.view()
        width, height = self.size
        wide = width >= WIDE
        self.set_class(wide, "wide")
        left = width - _SIDE if wide else width
        rows = 3 * len(view.seats)
        below = _BELOW - 3 if wide else _BELOW_WITH_ODDS if self.advised else _BELOW
        large = left >= LARGE_WIDTH and height - rows >= below
        self._set("head", head_text(view, width))
        self._set("people", people(view, self.look, left - 2, large=large))
        self._set("why", Text(self.look.words(view.turn_why)))
        self._set("does", self._does(view))
        asked = view.pending is Pending.ACTION and not self.busy
        self._set("choices", choices_text(view, left - 2) if asked else Text())
        self._set("said", Text(self._said, "bold"))
        self._set("hints", hints_text(view, self.look) if wide and asked else Text())
        self._set("keys", self._keys(view))
        self._show_card_line(view)
        self._show_side(view, wide)
        self._plan(view)

    def _set(self, name: str, text: Text) -> None:
        shown = self.query_one(f"#{name}", Static)
        shown.update(text)
        if name in ("why", "choices", "said", "hints"):
            shown.display = bool(text.plain)

    def _does(self, view: View) -> Text:
        if view.pending is Pending.CARD and not self._typing:
            return Text("Press one of the keys below, or Enter to type the card.", "bold")
        return Text(self.busy, "bold") if self.busy else does_now(view, self.look)

    def _keys(self, view: View) -> Text:
        if view.pending is Pending.CARD and self._typing:
            return key_line((("Enter", "deal this card"), ("Esc", "other keys"), ("?", "help")))
        undo = (("u", "undo"),) if view.can_undo else ()
        advice = "hide odds" if self.advised else "odds"
        keys = (("a", advice), ("l", "story"), ("t", "people"), ("s", "suits"), ("?", "help"),
                ("q", "leave"))  # fmt: skip
        return key_line((*undo, *keys))

    def _show_card_line(self, view: View) -> None:
        awaited = view.pending is Pending.CARD
        self.query_one("#card-row").display = awaited
        line = self.query_one("#card", CardLine)
        if awaited and self._typing:
            if not line.has_focus:
                line.focus()
        elif line.has_focus:
            self.set_focus(None)

    def _show_side(self, view: View, wide: bool) -> None:
        shown, advice = self.query_one("#advice", Static), view.advice
        side = (_SIDE if wide else self.size.width) - 3
        shown.display = self.advised
        title = "What has happened" if view.hand_number else "How it is played (? shows all of it)"
        if self.advised:
            title = f"Odds and advice{f' for {advice.name}' if advice else ''} (l: all)"
        self._set("side-head", Text(title, "bold underline"))
        if self.advised:
            text = advice_text(view, advice, side) if advice else Text(self._no_advice(view), "dim")
            self._set("advice", text)
        log = self.query_one("#log", Story)
        log.display = wide or not self.advised
        log.tell(view, self.look)

    def _no_advice(self, view: View) -> str:
        if not self.session.with_advice:
            return "This table was opened without odds and advice."
        if view.pending is Pending.ACTION:
            return "Computing…"
        return "They are shown when a person has to act. Key a hides them."

    # -- what the program does by itself

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _plan(self, view: View) -> None:
        """Step by itself after a while, where the session waits for the program."""
        self._stop()
        if self.busy or self._halted or not self.is_current:
            return
        if self.advised and view.advice is None and view.pending is Pending.ACTION:
            self._advise()
        if view.held:
            return  # Enter goes on: what was done may be taken back
        if view.pending is Pending.COMPUTER:
            self._timer = self.set_timer(max(self.pace, SHORTEST), self._step)
        elif view.pending is Pending.DEAL:
            self._timer = self.set_timer(max(self.pace * CARDS_PACE, SHORTEST), self._step)

    def _step(self) -> None:
        """A card, or what a computer player does."""
        self._stop()
        if self.session.pending is Pending.COMPUTER:
            self._think()
        elif self.session.pending is Pending.DEAL:
            self._do(self.session.step)

    @work
    async def _think(self) -> None:
        """A computer player may think for a while, so not in the thread of the screen."""
        if self.busy:
            return
        who = next((seat.name for seat in self.session.view().seats if seat.is_turn), "")
        self.busy = f"{who} thinks…"
        self.query_one("#does", Static).update(Text(self.busy, "bold"))
        try:
            await asyncio.to_thread(self.session.step)
        except (ValueError, OSError) as error:
            self._said, self._halted = f"Not possible: {error} Enter tries again.", True
        finally:
            self.busy = ""
        self.show()

    @work
    async def _advise(self) -> None:
        """Odds take a while; people may act meanwhile, and then they are of no use any more."""
        if self._advising:
            return
        self._advising = True
        state = self.session.state
        try:
            await asyncio.to_thread(self.session.show_advice, True)
        except (ValueError, OSError) as error:
            if self.session.state is state:
                self._said, self.advised = f"Not possible: {error}", False
        finally:
            self._advising = False
        if not self.advised:
            self.session.show_advice(False)
        self.show()

    # -- keys

    def _do(self, call: Callable[[], object]) -> bool:
        """Call the session and show what came of it; what it refuses is said in a line."""
        if self.busy:
            self._say("One moment, please.")
            return False
        self._said, self._halted = "", False
        try:
            call()
        except (ValueError, OSError) as error:
            self._said, self._halted = f"Not possible: {error}", True
        self.show()
        return not self._halted

    def _say(self, text: str) -> None:
        self._said = text
        self._set("said", Text(text, "bold"))

    def on_key(self, event: Key) -> None:
        """Keys of the choices, and figures that are none, to be told so."""
        key = (event.character or "").lower()
        view = self.session.view()
        known = key in {choice.key for choice in view.choices} or (key.isascii() and key.isdigit())
        if view.pending is Pending.ACTION and known:
            event.stop()
            self._do(partial(self.session.choose, key))

    def action_go_on(self) -> None:
        """Enter: deal, go on, hurry."""
        match self.session.pending:
            case Pending.NEXT:
                self._do(self.session.next_hand)
            case Pending.DEAL:
                self._do(self.session.step)
            case Pending.COMPUTER:
                self._halted = False
                self._step()
            case Pending.CARD:
                self._typing = True
                self.show()
            case Pending.PEOPLE:
                self.action_people()
            case Pending.ACTION:
                self._say("Press the key of a choice first.")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """A real card, or several; those after one that is refused stay in the line."""
        event.stop()
        cards = event.value.replace(",", " ").split()
        if not cards:
            self._say("Type the card that was dealt, such as 8h, Qs or 10c; then Enter.")
        while cards and self._do(partial(self.session.card, cards[0])):
            del cards[0]
        event.input.value = " ".join(cards)
        event.input.select_all()

    def action_undo(self) -> None:
        """Take back."""
        self._typing = True
        self._do(self.session.undo)

    def action_advice(self) -> None:
        """Odds and advice, shown or hidden."""
        if not self.session.with_advice:
            self._say("This table was opened without odds and advice.")
            return
        self.advised = not self.advised
        if not self.advised:
            self._do(partial(self.session.show_advice, False))
        else:
            self.show()

    def action_suits(self) -> None:
        """Suits as letters or as symbols."""
        self.look = Look(not self.look.letters, self.look.colour)
        self.show()

    def action_keys(self) -> None:
        """Manual mode: between the line for the card and the other keys."""
        if self.session.pending is Pending.CARD:
            self._typing = not self._typing
            self._said = ""
            self.show()

    def action_help(self) -> None:
        """The rules in short, and the keys."""
        self.app.push_screen(Page("Help", help_text(self.session.view(), self.look)))

    def action_log(self) -> None:
        """The whole story."""
        view = self.session.view()
        text = story_text(view, self.look, self.size.width - 6)
        self.app.push_screen(Page("What has happened", text, at_end=view.advice is None))

    def action_people(self) -> None:
        """Who joins, leaves, buys."""
        if self.busy:
            self._say("One moment, please.")
            return
        self.app.push_screen(People(self.session))
