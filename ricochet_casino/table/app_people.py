"""The dialogue about people: who joins, buys chips, or leaves."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from ricochet_casino.table.app_fields import Chooser, Line
from ricochet_casino.table.app_panels import key_line
from ricochet_casino.table.session import Session

PERSON = ("", "a person at this keyboard")


def plays(policies: tuple[str, ...]) -> list[tuple[str, str]]:
    """Who may sit on a chair: a person, or the computer by one of its policies."""
    return [PERSON, *((name, f"computer: {name.replace('_', ' ')}") for name in policies)]


class People(ModalScreen[None]):
    """Joining, buying chips and leaving; stays open until Esc.

    Parameters
    ----------
    session
        Of the table.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "back"),
        Binding("down", "app.focus_next"), Binding("up", "app.focus_previous"),
        Binding("enter", "do", "do it"),
    ]  # fmt: skip

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def compose(self) -> ComposeResult:
        """The list, and one field a row."""
        seats = self.session.view().seats
        names = [(seat.name, seat.name) for seat in seats] or [("", "nobody")]
        verbs = [("sit", "somebody joins"), ("buy", "somebody buys chips"),
                 ("leave", "somebody leaves")]  # fmt: skip
        yield Static(Text(" People at the table"), classes="head")
        yield Static("", id="list")
        with Horizontal(classes="row"):
            yield Label("What")
            yield Chooser(verbs, id="verb")
        with Horizontal(classes="row", id="row-name"):
            yield Label("Name")
            yield Line(id="name", most=16)
        with Horizontal(classes="row", id="row-who"):
            yield Label("Who")
            yield Chooser(names, id="who")
        with Horizontal(classes="row", id="row-chips"):
            yield Label("Chips")
            yield Line(str(self.session.header.chips), id="chips", most=7)
        with Horizontal(classes="row", id="row-plays"):
            yield Label("Played by")
            yield Chooser(plays(self.session.header.kind.policies), id="plays")
        yield Static("", id="said")
        keys = (("↓ ↑", "field"), ("← →", "change"), ("Enter", "do it"), ("Esc", "back"))
        yield Static(key_line(keys), classes="keys")

    def on_mount(self) -> None:
        """Begin with what is most likely wanted: chips for who has none, or somebody new."""
        broke = [seat.name for seat in self.session.view().seats if seat.state == "broke"]
        if broke:
            self._chooser("verb").place = 1
            who = self._chooser("who")
            who.place = [name for name, _ in who.values].index(broke[0])
        self._show()

    def _chooser(self, name: str) -> Chooser:
        return self.query_one(f"#{name}", Chooser)

    def _show(self) -> None:
        joins = self._chooser("verb").value == "sit"
        self.query_one("#row-name").display = joins
        self.query_one("#row-plays").display = joins
        self.query_one("#row-who").display = not joins
        self.query_one("#row-chips").display = self._chooser("verb").value != "leave"
        text = Text()
        for seat in self.session.view().seats:
            who = f"computer, {seat.policy.replace('_', ' ')}" if seat.policy else "person"
            text.append(f"{seat.name:<16} {seat.chips:>7} chips  ({seat.evening:+})  {who}\n")
        text.rstrip()
        self.query_one("#list", Static).update(text or Text("Nobody yet."))

    def on_chooser_changed(self) -> None:
        """Other fields for another verb."""
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in a line does it too."""
        event.stop()
        self.action_do()

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)

    def action_do(self) -> None:
        """Tell the session; what it refuses is said in a line."""
        try:
            self._do()
        except (ValueError, OSError) as error:
            self._say(f"Not possible: {error}")
            return
        log = self.session.view().log
        self._say(log[-1] if log else "Done.")
        self.query_one("#name", Line).value = ""
        seats = self.session.view().seats
        who = self._chooser("who")
        who.values = tuple((seat.name, seat.name) for seat in seats) or (("", "nobody"),)
        who.place = min(who.place, len(who.values) - 1)
        who.refresh()
        self._show()

    def _do(self) -> None:
        verb, who = self._chooser("verb").value, self._chooser("who").value
        chips = whole(self.query_one("#chips", Line).value, "chips")
        if verb == "sit":
            name = self.query_one("#name", Line).value.strip()
            self.session.sit(name, chips, self._chooser("plays").value)
        elif verb == "buy":
            self.session.rebuy(who, chips)
        else:
            self.session.leave(who)

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(Text(text, "bold"))


def whole(text: str, what: str) -> int | None:
    """A whole number, None for an empty line.

    Raises
    ------
    ValueError
        If it is none.
    """
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ValueError(f"{what}: {text!r} is not a whole number")
    return int(text)
