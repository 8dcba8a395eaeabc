"""A table at one moment, and what each event makes of it: the one place where events have effect.

Playing, resuming and checking a ledger all go through `State.after`, so they cannot differ.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from ricochet_casino.cards.deck import format_card, parse_card
from ricochet_casino.table import events as ev
from ricochet_casino.table.evening import Evening
from ricochet_casino.table.hand import DEALER, Hand
from ricochet_casino.table.kinds import check_policy
from ricochet_casino.table.setup import Header
from ricochet_casino.table.shoe import next_card
from ricochet_casino.table.view import Pending
from ricochet_casino.table.words import chips

FEWEST = 2
"""People of a hand, the dealer of casino night included."""


class Back(NamedTuple):
    """Something that may be taken back.

    Attributes
    ----------
    line
        Of the ledger.
    state
        The table before it.
    by_person
        Whether a person did it: what computer players did is taken back along the way only.
    text
        What it was.
    """

    line: int
    state: "State"
    by_person: bool
    text: str


@dataclass(frozen=True)
class State:
    """A table at one moment.

    Attributes
    ----------
    header
        The game and its settings.
    evening
        The people; a hand changes their chips only when it is closed.
    hand
        The hand being played, or the last one.
    closed
        Whether `hand` is settled.
    news
        Sentences about people who came and went since the hand began, each with the number of
        sentences of the hand before it.
    back
        What may be taken back.
    """

    header: Header
    evening: Evening
    hand: Hand | None = None
    closed: bool = True
    news: tuple[tuple[int, str], ...] = ()
    back: tuple[Back, ...] = field(default=(), repr=False)

    @property
    def last_back(self) -> Back | None:
        """The last thing that a person did and may take back."""
        return next((entry for entry in reversed(self.back) if entry.by_person), None)

    @property
    def playing(self) -> bool:
        """Whether a hand is being played."""
        return self.hand is not None and self.hand.waits != "nothing"

    @property
    def number(self) -> int:
        """Number of the hand being played, or of the last one; 0 before the first."""
        return self.evening.hands + (not self.closed)

    @cached_property
    def settled(self) -> Evening:
        """The people with their chips after a hand that is over."""
        if self.closed or self.playing or self.hand is None:
            return self.evening
        return self.evening.after_hand(self.hand.dealer, self.hand.net)

    @property
    def turn_of(self) -> str:
        """Name of whom the table waits for or deals to, empty if for nobody."""
        if self.hand is None or not self.playing:
            return ""
        seat = self.hand.seat
        return self.hand.dealer if seat == DEALER else self.hand.players[seat]

    @property
    def pending(self) -> Pending:
        """What the table waits for."""
        if self.hand is None or not self.playing:
            return Pending.NEXT if len(self.settled.able) >= FEWEST else Pending.PEOPLE
        if self.hand.waits == "card":
            return Pending.CARD if self.header.manual else Pending.DEAL
        human = not self.evening.person(self.turn_of).policy
        return Pending.ACTION if human else Pending.COMPUTER

    @property
    def log(self) -> tuple[str, ...]:
        """The hand so far and the news, in the order in which they happened."""
        told = self.hand.told if self.hand else ()
        lines = list(told)
        for place, sentence in reversed(self.news):
            lines.insert(place, sentence)
        return tuple(lines)

    def ending(self) -> ev.End:
        """The event that closes the hand, which is over."""
        hand = self.hand
        assert hand is not None
        names = tuple(hand.net)
        net = tuple(hand.net[name] for name in names)
        owed = sum(person.bought for person in self.settled.people)
        owed -= sum(person.bought for person in self.evening.people)
        return ev.End(self.number, names, net, owed)

    def beginning(self) -> ev.Begin:
        """The event that begins the next hand."""
        dealer = self.evening.next_dealer()
        players = self.header.kind.players(self.evening, dealer)
        return ev.Begin(self.evening.hands + 1, dealer, players)

    def after(self, event: ev.Event, line: int) -> "State":
        """The table after an event.

        Parameters
        ----------
        event
            What happens.
        line
            Where it stands in the ledger.

        Raises
        ------
        ValueError
            If it cannot happen now.
        """
        return _HANDLERS[type(event)](self, event, line)

    def _told(self, sentence: str) -> tuple[tuple[int, str], ...]:
        return (*self.news, (len(self.hand.told) if self.hand else 0, sentence))

    def _must_be_closed(self) -> None:
        if not self.closed and not self.playing:
            raise ValueError(f"hand {self.number} is over and has to be closed first")

    def _must_be_out(self, name: str) -> None:
        hand = self.hand
        if hand is not None and self.playing and name in (*hand.players, hand.dealer):
            raise ValueError(
                f"{name} is in a hand that is being played: chips are bought and taken home "
                "between hands"
            )

    def _sit(self, event: ev.Sit, _line: int) -> "State":
        self._must_be_closed()
        if event.policy:
            check_policy(self.header.kind, event.policy)
        evening = self.evening.sit(event.who, event.chips, event.policy)
        who = evening.person(event.who).name
        what = f" ({event.policy})" if event.policy else ""
        news = self._told(f"{who}{what} sits down with {chips(event.chips)}.")
        return replace(self, evening=evening, news=news, back=())

    def _leave(self, event: ev.Leave, _line: int) -> "State":
        self._must_be_closed()
        person = self.evening.person(event.who)
        self._must_be_out(person.name)
        if event.chips != person.chips:
            raise ValueError(f"{person.name} has {person.chips} chips, not {event.chips}")
        news = self._told(f"{person.name} leaves and takes {chips(event.chips)} home.")
        return replace(self, evening=self.evening.leave(event.who), news=news, back=())

    def _buy(self, event: ev.Buy, _line: int) -> "State":
        self._must_be_closed()
        name = self.evening.person(event.who).name
        self._must_be_out(name)
        evening = self.evening.buy(name, event.chips)
        news = self._told(f"{name} buys {chips(event.chips)}.")
        return replace(self, evening=evening, news=news, back=())

    def _begin(self, event: ev.Begin, _line: int) -> "State":
        self._must_be_closed()
        if self.playing:
            raise ValueError(f"hand {self.number} is not over yet")
        if len(self.evening.able) < FEWEST:
            raise ValueError(
                f"{FEWEST} people with chips are needed for a hand, and there "
                f"{'is' if len(self.evening.able) == 1 else 'are'} {len(self.evening.able)}"
            )
        expected = self.beginning()
        if event != expected:
            raise ValueError(
                f"hand {expected.hand} is dealt by {expected.dealer} to "
                f"{', '.join(expected.players)}; this is another one"
            )
        hand = self.header.kind.open(self.evening, event.dealer)
        return replace(self, hand=hand, closed=False, news=(), back=())

    def _card(self, event: ev.Card, line: int) -> "State":
        hand = self.hand
        if hand is None or hand.waits != "card":
            raise ValueError(f"no card is awaited{self._awaited()}")
        card = parse_card(event.card)
        if event.to != self.turn_of or format_card(card) != event.card:
            raise ValueError(
                f"a card for {self.turn_of} is awaited, not {event.card} for {event.to}"
            )
        if not self.header.manual:
            expected = next_card(self.header.seed, self.number, hand)
            if card != expected:
                raise ValueError(
                    f"the next card of seed {self.header.seed} is {format_card(expected)}, "
                    f"not {event.card}"
                )
            return replace(self, hand=hand.give(card), back=())
        text = f"the card {format_card(card, 'symbols')} for {event.to}"
        back = (*self.back, Back(line, self, True, text))
        return replace(self, hand=hand.give(card), back=back)

    def _act(self, event: ev.Act, line: int) -> "State":
        hand = self.hand
        if hand is None or hand.waits != "action":
            raise ValueError(f"nobody has to act{self._awaited()}")
        who = self.turn_of
        if event.who != who:
            raise ValueError(f"{who} has to act, not {event.who}")
        after = hand.act(event.choice)
        label = next(c.label for c in hand.choices() if c.key == event.choice)
        by_person = not self.evening.person(who).policy
        back = (*self.back, Back(line, self, by_person, f"{who}: {label}"))
        return replace(self, hand=after, back=back)

    def _awaited(self) -> str:
        if not self.playing:
            return ": no hand is being played"
        what = "a card for" if self.hand and self.hand.waits == "card" else "an action of"
        return f": the table waits for {what} {self.turn_of}"

    def _undo(self, event: ev.Undo, _line: int) -> "State":
        for entry in self.back:
            if entry.line == event.before:
                return entry.state
        raise ValueError(f"line {event.before} cannot be taken back")

    def _end(self, event: ev.End, _line: int) -> "State":
        if self.closed or self.playing:
            raise ValueError("there is no hand to be closed")
        expected = self.ending()
        if event != expected:
            raise ValueError(
                f"hand {expected.hand} ends with {_nets(expected)}, not hand {event.hand} with "
                f"{_nets(event)}"
            )
        news = self.news
        if event.owed:
            dealer = expected.names[-1]
            news = self._told(f"{dealer} buys {chips(event.owed)} to pay all bonuses.")
        return replace(self, evening=self.settled, closed=True, news=news, back=())


def _nets(event: ev.End) -> str:
    return ", ".join(f"{name} {net:+}" for name, net in zip(event.names, event.net, strict=False))


_HANDLERS: dict[type[ev.Event], Callable[..., State]] = {
    ev.Sit: State._sit,
    ev.Leave: State._leave,
    ev.Buy: State._buy,
    ev.Begin: State._begin,
    ev.Card: State._card,
    ev.Act: State._act,
    ev.Undo: State._undo,
    ev.End: State._end,
}


def first_state(header: Header) -> State:
    """An empty table."""
    return State(header, Evening(most=header.kind.most, ante=header.kind.ante))
