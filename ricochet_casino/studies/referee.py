"""What the referees of the patience games share: stuck, taking moves back, the moves made."""

from abc import ABC, abstractmethod
from typing import Any


class PatienceReferee(ABC):
    """A patience game under way.

    A game adds its rules. `move` records each move with `_record`, and `_restore` takes it back
    from what was recorded with it.
    """

    def __init__(self) -> None:
        self._record_of_moves: list[tuple[Any, Any]] = []

    @abstractmethod
    def legal(self) -> list[Any]:
        """All legal moves."""

    @abstractmethod
    def move(self, move: Any) -> None:
        """Make a move; ValueError with the reason if it is not legal."""

    @abstractmethod
    def state(self) -> tuple[object, ...]:
        """Everything that the rest of the game depends on; equal states, equal futures."""

    @property
    @abstractmethod
    def is_won(self) -> bool:
        """Whether the goal is reached."""

    @abstractmethod
    def _restore(self, move: Any, before: Any) -> None:
        """Take a move back, given what `_record` kept."""

    def _record(self, move: Any, before: Any) -> None:
        """Write a move down with what is needed to take it back."""
        self._record_of_moves.append((move, before))

    @property
    def is_stuck(self) -> bool:
        """Whether the game is not won and no move is left."""
        return not self.is_won and not self.legal()

    @property
    def history(self) -> tuple[Any, ...]:
        """The moves made."""
        return tuple(move for move, _ in self._record_of_moves)

    def undo(self) -> Any:
        """Take the last move back; returns it.

        Raises
        ------
        ValueError
            If there is none.
        """
        if not self._record_of_moves:
            raise ValueError("there is no move to take back")
        move, before = self._record_of_moves.pop()
        self._restore(move, before)
        return move
