"""Fields of the dialogues, all of one row: a value that the arrow keys change, and a line to type."""

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
        """The label between arrows; the focus is shown by ``>`` too, not by colour alone."""
        label = self.values[self.place][1]
        return f"{'>' if self.has_focus else ' '}< {label} >"

    def action_turn(self, step: int) -> None:
        """Go on by one, around the end."""
        self.place = (self.place + step) % len(self.values)

    def watch_place(self) -> None:
        """Tell whoever listens."""
        self.post_message(self.Changed(self))


class Line(Input):
    """A line to type in; ``>`` before it shows the focus without colour."""

    def __init__(
        self, value: str = "", *, id: str | None = None, restrict: str | None = None, most: int = 0
    ) -> None:
        super().__init__(
            value, id=id, restrict=restrict, max_length=most, compact=True, select_on_focus=False
        )
