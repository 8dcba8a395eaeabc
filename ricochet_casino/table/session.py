"""A table under way, without input or output: what the front ends show and call.

A method that changes something checks, writes the events to the ledger (flushed to the disk), and
only then lets the change be seen. Bad input is a ValueError of one sentence, and changes nothing.
"""

from pathlib import Path

from ricochet_casino.table.setup import Setup
from ricochet_casino.table.view import AdviceView, Pending, View


class Session:
    """An evening at a table; made by `begin` or `resume`.

    What a front end does is told by `pending` (see `view.Pending`): it shows `view()`, calls one
    method, and shows it again.
    """

    @classmethod
    def begin(cls, setup: Setup, path: Path | None = None) -> "Session":
        """A new table; without a path its ledger is kept in memory only.

        Raises
        ------
        ValueError
            If the setup is not allowed, or the file exists or is in use.
        """
        raise NotImplementedError

    @classmethod
    def resume(cls, path: Path) -> "Session":
        """Go on with the table in a ledger.

        Raises
        ------
        ValueError
            With file and line, if it is not such a ledger, is damaged, or is in use.
        """
        raise NotImplementedError

    @property
    def pending(self) -> Pending:
        """What the table waits for."""
        raise NotImplementedError

    def view(self) -> View:
        """All that is to be seen."""
        raise NotImplementedError

    def choose(self, key: str) -> None:
        """The person to act chooses, by `ChoiceView.key`."""
        raise NotImplementedError

    def card(self, text: str) -> None:
        """Manual mode: the card that has been dealt, such as ``8h``."""
        raise NotImplementedError

    def step(self) -> None:
        """One card from the shuffled deck (`Pending.DEAL`), or one action of a computer player."""
        raise NotImplementedError

    def undo(self) -> None:
        """Take back the last action of a person of which no card has been dealt yet.

        In manual mode also the card entered last.
        """
        raise NotImplementedError

    def next_hand(self) -> None:
        """Antes are paid and a hand begins; the role of the dealer passes on."""
        raise NotImplementedError

    def sit(self, name: str, chips: int | None = None, policy: str = "") -> None:
        """Somebody joins and buys chips, by default the setup's; with a policy, a computer."""
        raise NotImplementedError

    def leave(self, name: str) -> None:
        """Somebody takes the chips home."""
        raise NotImplementedError

    def rebuy(self, name: str, chips: int | None = None) -> None:
        """Somebody at the table buys more chips, by default the setup's."""
        raise NotImplementedError

    def advice(self) -> AdviceView:
        """Odds and advice for whoever is to act; may take seconds. Does not change the table.

        Raises
        ------
        ValueError
            If nobody is to act, or the table was opened without advice.
        """
        raise NotImplementedError

    def show_advice(self, shown: bool) -> None:
        """Compute the advice and keep it in the view until the next change, or hide it."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the ledger; the table can be resumed."""
        raise NotImplementedError
