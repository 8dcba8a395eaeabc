"""A person against models of players, start card by start card, without input or output.

The caller shows what `next_card` returns, takes the time, and hands over the answer; `Session`
does the rest by the referee. So a terminal, a window or a test can play.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ricochet_casino.games.pinball.chain import follow
from ricochet_casino.games.pinball.deck import Card, Deck
from ricochet_casino.games.pinball.events import Event, Game, Kind, Rules
from ricochet_casino.games.pinball.players import Player, Slap, slap_of, words_of
from ricochet_casino.games.pinball.rules import Table, finished
from ricochet_casino.games.pinball.study import game_order

PERSON: Final = 0
"""The person's seat."""
_LONGEST_ANSWER: Final = 86_400


@dataclass(frozen=True)
class View:
    """What lies on the table when a start card has been turned.

    Attributes
    ----------
    number
        Number of the start card in the game, from 1.
    start
        The start card.
    outer
        The outer cards by place.
    tie_break
        Whether only those play on who tied.
    cards
        Cards won so far, by player; the person is the first.
    """

    number: int
    start: Card
    outer: tuple[Card, ...]
    tie_break: bool
    cards: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of an answer.

    Attributes
    ----------
    sequence
        The right chain: places in sequence, the last card last.
    right
        Whether the person's place was right; False without an answer.
    won
        Whether the person took the card.
    seconds
        The person's time, or None without an answer.
    clock
        Time of the fastest of the others, in seconds (right or not), or None if none played.
    events
        What happened since the start card was turned.
    """

    sequence: tuple[int, ...]
    right: bool
    won: bool
    seconds: Fraction | None
    clock: Fraction | None
    events: tuple[Event, ...]


class Session:
    """A game of a person, in the first seat, against models.

    Parameters
    ----------
    rules
        The rules in force; the players include the person.
    deck
        The deck.
    others
        A model for each other player.
    seed, number
        Which game: shuffles and looks are those of `study.Study`.

    Raises
    ------
    ValueError
        If there are not as many models as others.
    """

    def __init__(
        self, rules: Rules, deck: Deck, others: Sequence[Player], seed: int, number: int = 0
    ) -> None:
        if len(others) != rules.players - 1:
            raise ValueError(f"{len(others)} models for {rules.players - 1} others")
        self.rules = rules
        self.deck = deck
        self.others = tuple(others)
        self.seed = seed
        self.number = number
        self._table = Table(rules, deck, game_order(seed, number))
        self._told = 0

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._table.over

    @property
    def game(self) -> Game:
        """The finished game.

        Raises
        ------
        ValueError
            If it is not over.
        """
        return finished(self._table)

    def next_card(self) -> View | None:
        """Turn the next start card at which the person plays; None if the game is over.

        Tie-breaks without the person are played to their end before; `events_since` tells them.
        """
        table = self._table
        while table.turn():
            if PERSON in table.racing:
                assert table.start is not None
                return View(
                    table.turns,
                    self.deck.cards[table.start],
                    table.outer_cards,
                    len(table.racing) < self.rules.players,
                    tuple(map(len, table.won)),
                )
            table.resolve(self._slaps())
        return None

    def answer(self, place: int | None, seconds: Fraction | float = 0) -> Outcome:
        """Slap a place, or none, so many seconds after the start card was turned.

        Parameters
        ----------
        place
            Outer place, from 0; None for no slap.
        seconds
            0 to 86,400.

        Raises
        ------
        ValueError
            If no start card lies, the place does not exist, or the time is out of range.
        """
        table = self._table
        sequence = follow(table.start_kind, table.outer_cards, range(self.rules.n_outer))
        slaps = self._slaps()
        clock = min((slap.tick for slap in slaps.values()), default=None)
        if place is not None:
            if not 0 <= seconds <= _LONGEST_ANSWER:
                raise ValueError(f"a time must be 0 to {_LONGEST_ANSWER:,} seconds, got {seconds}")
            if not 0 <= place < self.rules.n_outer:
                raise ValueError(
                    f"there is no place {place}; expected 0 to {self.rules.n_outer - 1}"
                )
            slaps[PERSON] = Slap(int(Fraction(seconds) * 1000) // self.rules.tick, place)
        table.resolve(slaps)
        events = self.events_since()
        return Outcome(
            sequence,
            place == sequence[-1],
            any(event.kind is Kind.WIN and event.player == PERSON for event in events),
            None if place is None else Fraction(seconds),
            None if clock is None else Fraction(clock * self.rules.tick, 1000),
            events,
        )

    def events_since(self) -> tuple[Event, ...]:
        """Events that have not been told yet."""
        fresh = tuple(self._table.events[self._told :])
        self._told = len(self._table.events)
        return fresh

    def _slaps(self) -> dict[int, Slap]:
        """Slaps of the models that play."""
        table = self._table
        turn = table.turns - 1
        return {
            seat: slap_of(
                self.others[seat - 1],
                words_of(self.seed, self.number, turn, seat),
                table.start_kind,
                table.outer_cards,
                self.rules.tick,
            )
            for seat in table.racing
            if seat != PERSON
        }
