"""The opening dialogue: which game, which cards, and who sits at the table."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Label, Static

from ricochet_casino.table.app_fields import Chooser, Line
from ricochet_casino.table.app_panels import key_line
from ricochet_casino.table.app_people import plays, whole
from ricochet_casino.table.app_screens import Page
from ricochet_casino.table.kinds import GAMES
from ricochet_casino.table.session import Session
from ricochet_casino.table.setup import Setup

SEATS: Final = 8
USUAL: Final = (("Guest", ""), ("Bea", "computer"), ("Carl", "computer"))
"""Who sits there if nobody changes it; ``computer`` is the game's usual policy."""

TITLES: Final = {
    "home": "the home game: buy cards one by one",
    "table-game-ii": "Table Game II: the home game by its own rules sheet",
    "casino-night": "casino night: one person deals and is the house",
}


@dataclass(frozen=True)
class Opening:
    """What the dialogue found out.

    Attributes
    ----------
    setup
        The game and its settings.
    people
        Names and policies, in the order in which they sit.
    """

    setup: Setup
    people: tuple[tuple[str, str], ...]

    def session(self, path: Path | None) -> Session:
        """The table, with everybody seated.

        Raises
        ------
        ValueError
            If something is not allowed; no file is left behind then.
        """
        if len(self.people) < 2:
            raise ValueError("a hand needs two people: give a second name, be it a computer player")
        return Session.seated(self.setup, self.people, path)


class Begun(Message):
    """A table has been made.

    Parameters
    ----------
    session
        Of it.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session


class OpeningScreen(Screen[None]):
    """Fields that are filled in already: F2 or Enter on the last row begins.

    Parameters
    ----------
    setup
        What is settled before.
    path
        Where the ledger will be.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next"), Binding("up", "app.focus_previous"),
        Binding("enter", "enter"), Binding("f2", "begin", "begin"),
        Binding("question_mark", "help"), Binding("f1", "help"),
        Binding("escape", "app.leave_at_once"),
    ]  # fmt: skip

    def __init__(self, setup: Setup, path: Path | None) -> None:
        super().__init__()
        self.setup, self.path = setup, path

    def compose(self) -> ComposeResult:
        """One field a row, and a row for every seat."""
        kind = self.setup.header().kind
        cards = [("shuffled", "shuffled by the program"), ("manual", "real ones, typed in")]
        yield Static(Text(" Ricochet Poker: a new table"), classes="head")
        with VerticalScroll(id="form", can_focus=False):
            with Horizontal(classes="row"):
                yield Label("Game")
                yield Chooser([(name, TITLES[name]) for name in GAMES], kind.name, id="game")
            with Horizontal(classes="row"):
                yield Label("Cards")
                yield Chooser(cards, "manual" if self.setup.manual else "shuffled", id="cards")
            with Horizontal(classes="row"):
                yield Label("Chips each")
                yield Line(str(self.setup.chips or kind.usual_chips), id="chips", most=7)
            yield Static(Text("Who sits at the table"), classes="label")
            for number in range(SEATS):
                name, plain = USUAL[number] if number < len(USUAL) else ("", "")
                policy = kind.policies[0] if plain else ""
                with Horizontal(classes="row"):
                    yield Label(f"  {number + 1}")
                    yield Line(name, id=f"name-{number}", empty="(empty chair)", most=16)
                    yield Chooser(plays(kind.policies), policy, id=f"plays-{number}")
            with Horizontal(classes="row"):
                yield Label("")
                yield Chooser([("", "Enter here begins")], id="begin")
        yield Static("", id="said")
        keys = (("↓ ↑", "field"), ("← →", "change"), ("F2", "begin"), ("F1", "help"),
                ("Esc", "leave"))  # fmt: skip
        yield Static(key_line(keys), classes="keys")

    def on_mount(self) -> None:
        """The first field; where the evening is kept."""
        kept = f"The evening is kept in {self.path}." if self.path else "The evening is not kept."
        self._say(f"{kept} F2 begins with what stands here.")

    def on_chooser_changed(self, event: Chooser.Changed) -> None:
        """Another game has other computer players and usual chips."""
        if event.chooser.id != "game":
            return
        game = event.chooser.value
        kind = Setup(game=game).header().kind
        self.query_one("#chips", Line).value = str(kind.usual_chips)
        for number in range(SEATS):
            chooser = self.query_one(f"#plays-{number}", Chooser)
            was = chooser.value
            chooser.values = tuple(plays(kind.policies))
            names = [name for name, _ in chooser.values]
            chooser.place = names.index(was) if was in names else 1
            chooser.refresh()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter goes to the next field."""
        event.stop()
        self.app.action_focus_next()

    def action_enter(self) -> None:
        """The last row begins, others go on."""
        if self.query_one("#begin").has_focus:
            self.action_begin()
        else:
            self.app.action_focus_next()

    def found(self) -> Opening:
        """What stands in the fields; ValueError if it is no number of chips."""
        chips = whole(self.query_one("#chips", Line).value, "chips")
        game = self.query_one("#game", Chooser).value
        manual = self.query_one("#cards", Chooser).value == "manual"
        people = []
        for number in range(SEATS):
            name = self.query_one(f"#name-{number}", Line).value.strip()
            if name:
                people.append((name, self.query_one(f"#plays-{number}", Chooser).value))
        same = game == self.setup.game
        setup = replace(
            self.setup, game=game, manual=manual, chips=chips,
            rules=self.setup.rules if same else "", changes=self.setup.changes if same else {},
        )  # fmt: skip
        return Opening(setup, tuple(people))

    def action_begin(self) -> None:
        """Make the table; what is not allowed is said in a line."""
        try:
            session = self.found().session(self.path)
        except (ValueError, OSError) as error:
            self._say(f"Not possible: {error}")
            return
        self.app.post_message(Begun(session))

    def action_help(self) -> None:
        """What each game is, and what the fields are."""
        self.app.push_screen(Page("A new table", _help(self.query_one("#game", Chooser).value)))

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(Text(text, "bold"))


def _help(chosen: str) -> Text:
    text = Text()
    for name in sorted(GAMES, key=lambda name: name != chosen):
        kind = Setup(game=name).header().kind
        text.append(f"{TITLES[name]}\n", "bold")
        for line in kind.help:
            text.append(f"  • {line}\n", "not bold")
        text.append("\n")
    text.append("This page\n", "bold")
    for line in _FIELDS:
        text.append(f"  • {line}\n", "not bold")
    return text


_FIELDS: Final = (
    "Everything is filled in: F2 begins at once, with you as the guest and two computer players.",
    "Up and down, or Tab, go from field to field; left and right change a value between < and >.",
    "Several people may share this keyboard: all cards lie face up in this game.",
    "Computer players: pot odds compares the price with the chance; look ahead thinks further; "
    "the others are weak or wild.",
    "With real cards the program is referee, keeps the pot and shows odds; you deal and type "
    "each card, such as 8h.",
)
