"""The small screens of the application: a page of text, leaving, and a window that is too small."""

from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Static

from ricochet_casino.table.app_panels import key_line

LEAST_WIDTH: Final = 72
LEAST_HEIGHT: Final = 20


class Page(ModalScreen[None]):
    """A page of text that can be scrolled; any of the closing keys ends it.

    Parameters
    ----------
    title, text
        What stands there.
    at_end
        Whether the end of it is shown first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,l", "close", "back"),
        Binding("down,j", "scroll(1)"), Binding("up,k", "scroll(-1)"),
        Binding("pagedown,space", "page(1)"), Binding("pageup", "page(-1)"),
        Binding("home", "end(-1)"), Binding("end", "end(1)"),
    ]  # fmt: skip

    def __init__(self, title: str, text: Text, *, at_end: bool = False) -> None:
        super().__init__()
        self._title, self._text, self._at_end = title, text, at_end

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        yield Static("", classes="head", id="title")
        with VerticalScroll(id="page", can_focus=False):
            yield Static(self._text)
        keys = (("↓ ↑", "line"), ("PgDn PgUp", "page"), ("Esc", "back to the table"))
        yield Static(key_line(keys), classes="keys")

    def on_mount(self) -> None:
        """Show the end if so wanted, and always whether there is more, not by the bar alone."""
        self.watch(self._page, "scroll_y", self._more)
        self.watch(self._page, "virtual_size", self._more)
        if self._at_end:
            self.call_after_refresh(self.action_end, 1)

    def _more(self) -> None:
        page = self._page
        above, below = page.scroll_y > 0, page.scroll_y < page.max_scroll_y
        more = [word for word, there in (("above ↑", above), ("below ↓", below)) if there]
        tail = f"   more {' and '.join(more)}" if more else ""
        self.query_one("#title", Static).update(Text(f" {self._title}{tail}"))

    @property
    def _page(self) -> VerticalScroll:
        return self.query_one("#page", VerticalScroll)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)

    def action_scroll(self, rows: int) -> None:
        """By rows."""
        self._page.scroll_relative(y=rows, animate=False)

    def action_page(self, pages: int) -> None:
        """By pages."""
        self._page.scroll_relative(y=pages * max(self._page.size.height - 1, 1), animate=False)

    def action_end(self, which: int) -> None:
        """To the beginning or the end."""
        self._page.scroll_to(y=0 if which < 0 else self._page.max_scroll_y, animate=False)


class Leave(ModalScreen[bool]):
    """Asks whether to leave; Enter does.

    Parameters
    ----------
    text
        What happens to the table.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,y,q", "answer(True)", "leave"),
        Binding("escape,n", "answer(False)", "stay"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """The question."""
        yield Static(Text(" Leave the table?"), classes="head")
        yield Static(Text(self._text), id="question")
        yield Static(key_line((("Enter", "leave"), ("Esc", "stay"))), classes="keys")

    def action_answer(self, leave: bool) -> None:
        """Leave or stay."""
        self.dismiss(leave)


class TooSmall(ModalScreen[None]):
    """Stands above all others while the window is too small."""

    def compose(self) -> ComposeResult:
        """What is lacking."""
        yield Static("", id="too-small")

    def on_mount(self) -> None:
        """Say it."""
        self._say(self.app.size)

    def on_resize(self, event: Resize) -> None:
        """Say it anew."""
        self._say(event.size)

    def _say(self, size: Size) -> None:
        self.query_one("#too-small", Static).update(
            Text(
                f"The window is too small: {size.width}x{size.height}. The table needs "
                f"{LEAST_WIDTH}x{LEAST_HEIGHT}. Nothing is lost; it goes on when the window "
                "grows. Ctrl-C leaves."
            )
        )
