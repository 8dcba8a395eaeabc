"""A patience game played by a person, without input or output: what a table shows and does.

A session wraps a referee of `PatienceGame.referee` with hints from the solver, with taking back,
and with the mark of a position that can no longer be won.
"""

from collections.abc import Sequence
from typing import Any, Final

from ricochet_casino.lab.patience import PatienceGame
from ricochet_casino.studies.settings import GameSettings
from ricochet_casino.studies.verdicts import Verdict

PATIENCE: Final = 5.0
"""Seconds that a hint or a mark may take."""


class PatienceSession:
    """One game under way.

    Parameters
    ----------
    game
        Which game.
    cards
        The deal, checked.
    settings
        The reading of the rules.
    """

    def __init__(self, game: PatienceGame, cards: Sequence[int], settings: GameSettings) -> None:
        self.game, self.cards, self.settings = game, tuple(cards), settings
        self.referee = game.referee(self.cards, settings)
        self._known: dict[Any, Verdict] = {}

    @property
    def is_won(self) -> bool:
        """Whether the game is won."""
        return bool(self.referee.is_won)

    @property
    def is_stuck(self) -> bool:
        """Whether no move is left and the game is not won."""
        return bool(self.referee.is_stuck)

    def legal(self) -> list[Any]:
        """All legal moves."""
        return list(self.referee.legal())

    def move(self, move: Any) -> None:
        """Make a move; ValueError with the reason if it is not legal."""
        known = self._known.get(self.referee.state())
        self.referee.move(move)
        if known and known.verdict == "won" and _same(known.moves[0], move):
            # The rest of a known line is a line of the next position.
            rest = Verdict("won", known.moves[1:], 0)
            if rest.moves:
                self._known.setdefault(self.referee.state(), rest)

    def undo(self) -> Any:
        """Take the last move back; ValueError if there is none."""
        return self.referee.undo()

    def verdict(self) -> Verdict:
        """What the solver says of the position: ``won`` with moves, ``lost`` or ``undecided``."""
        if self.is_won:
            return Verdict("won", (), 0)
        if self.is_stuck:
            return Verdict("lost", (), 0)
        state = self.referee.state()
        if state not in self._known:
            self._known[state] = self.game.decide(self.referee, None, PATIENCE)
        return self._known[state]

    @property
    def is_hopeless(self) -> bool:
        """Whether it is proven that the game can no longer be won."""
        return self.verdict().verdict == "lost"

    def hint(self) -> Any | None:
        """A move that leads to a win, or None if none is known."""
        moves = self.verdict().moves
        return moves[0] if moves else None


def _same(one: Any, other: Any) -> bool:
    """Whether two moves are the same; the cards of a pair may come in any order."""
    if isinstance(one, str | int) or isinstance(other, str | int):
        return bool(one == other)
    return sorted(one) == sorted(other)


def read_move(text: str) -> Any:
    """A move as a person writes it: ``20``, ``flip``, ``21 25``, ``T3>S``; letters in any case.

    Raises
    ------
    ValueError
        If there is nothing.
    """
    words = text.replace(",", " ").split()
    if not words:
        raise ValueError("expected a move")
    if all(word.isascii() and word.isdigit() for word in words):
        numbers = tuple(int(word) for word in words)
        return numbers[0] if len(numbers) == 1 else numbers
    return "".join(words)


def chosen_move(session: PatienceSession, text: str) -> Any:
    """The legal move that a text means, or the text as a move, for the referee to refuse.

    Raises
    ------
    ValueError
        If there is nothing, or it could mean several moves.
    """
    move = read_move(text)
    legal = session.legal()
    if isinstance(move, tuple):
        if len(move) != 2:
            raise ValueError(f"{text!r}: expected two cards")
        return tuple(sorted(move))
    if isinstance(move, int):
        if session.game.name == "pyramid":
            raise ValueError(f"{text!r}: expected two cards, such as 21 25")
        return move
    fitting = [m for m in legal if isinstance(m, str) and m.lower() == move.lower()]
    fitting = fitting or [
        m for m in legal if isinstance(m, str) and m.lower().startswith(move.lower())
    ]
    if len(fitting) > 1:
        raise ValueError(f"{text!r} could be {', '.join(fitting)}")
    return fitting[0] if fitting else move


def move_text(move: Any) -> str:
    """A move as a person writes it (see `read_move`)."""
    return move if isinstance(move, str) else f"{move}" if isinstance(move, int) else _words(move)


def _words(pair: Sequence[int]) -> str:
    return " ".join(map(str, pair))
