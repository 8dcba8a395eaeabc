"""Fields of the dialogues, one row each: a value that the arrow keys change, a line to type."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Static


class Chooser(Static, can_focus=True):
    """One of a few values; left, right and space change it.

    Parameters
    ----------
    values
        Pairs of value and label.
    value
        The one to begin with.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "turn(1)", "next"),
        Binding("left", "turn(-1)", "previous"),
    ]
    place: reactive[int] = reactive(0)

    class Changed(Message):
        """Another value stands there."""

        def __init__(self, chooser: "Chooser") -> None:
            self.chooser = chooser
            super().__init__()

    def __init__(
        self, values: Sequence[tuple[str, str]], value: str | None = None, *, id: str | None = None
    ) -> None:
        super().__init__(id=id, markup=False)
        self.values = tuple(values)
        names = [name for name, _ in self.values]
        self.set_reactive(Chooser.place, 0 if value is None else names.index(value))

    @property
    def value(self) -> str:
        """The value that stands there."""
        return self.values[self.place][0]

    def render(self) -> str:
        """The label between arrows; the focus is shown by a sign too, not by colour alone."""
        label = self.values[self.place][1]
        return f"{'▶' if self.has_focus else ' '} < {label} >"

    def action_turn(self, step: int) -> None:
        """Go on by one, around the end."""
        self.place = (self.place + step) % len(self.values)

    def watch_place(self) -> None:
        """Tell whoever listens."""
        self.post_message(self.Changed(self))


class Line(Input):
    """A line to type in; the cursor shows the focus.

    Parameters
    ----------
    value
        What stands there at first.
    empty
        What is shown in place of nothing.
    most
        Letters at most.
    """

    def __init__(
        self, value: str = "", *, id: str | None = None, empty: str = "", most: int = 0
    ) -> None:
        super().__init__(value, empty, id=id, max_length=most, compact=True, select_on_focus=False)
