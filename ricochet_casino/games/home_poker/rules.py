"""The referee of the home game: one hand of play, step by step, by the book.

Source: Basic Rules, Variations and Table Game II of the rulebook; where they are silent or
disagree, docs/rulings.md D1 to D17, whose numbers stand beside the code. This is the slow and
readable twin of table_kernel.py.

A `Table` never changes: `act` and `give` return the next one, so that going back is keeping an old
one. It says what it waits for: a card for `seat`, an action of `seat`, or nothing. Where cards come
from is not its affair: a shuffled deck, people at a real table, or a test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, NamedTuple, TypeVar

from ricochet_casino.cards.deck import CardError, format_card
from ricochet_casino.cards.partial import HandOrder, hand_order
from ricochet_casino.games.home_poker.settings import Settings

T = TypeVar("T")

NOBODY: Final = -1
"""Seat of an event that concerns all."""


class Kind(StrEnum):
    """What an `Event` tells."""

    ANTE = "ante"
    DEAL = "deal"
    FOLD = "fold"
    BUY = "buy"
    CARD = "card"
    STOP = "stop"
    BEATEN = "beaten"
    STAY = "stay"
    FULL = "full"
    RESHUFFLE = "reshuffle"
    WIN = "win"
    SPLIT = "split"


class Event(NamedTuple):
    """One step of a hand of play.

    Attributes
    ----------
    kind
        What happened.
    seat
        To whom; `NOBODY` for a reshuffle.
    pot
        Units in the pot after the step.
    chips
        Units that came to this seat from the pot in this step, negative if paid.
    card
        The card dealt, -1 if none.
    number
        ``buy``: cards paid for; ``stop``: cards paid for and not dealt; ``reshuffle``: cards of
        the new stub; ``split``: odd units in the share.
    """

    kind: Kind
    seat: int
    pot: int
    chips: int = 0
    card: int = -1
    number: int = 0


@dataclass(frozen=True)
class Table:
    """A hand of play at one moment; made by `open_table`.

    Attributes
    ----------
    settings, players
        The rules in force, and 2 to 8.
    hands
        Cards of each seat in the order dealt; those of hands that are out lie there until a
        reshuffle takes them.
    orders
        Place of each hand in the order of play, None without cards.
    live
        Per seat: still in.
    net
        Units won (negative: lost) so far.
    stacks
        Chips that each player has left to buy with, or None if that does not matter.
    pot
        Units.
    stub
        Cards that can still be dealt before a reshuffle.
    turn
        Actions so far.
    acted
        Number of each seat's last action, 0 for none.
    waits
        ``card``: `give` one to `seat`; ``action``: `seat` has to `act`; ``nothing``: it is over.
    seat
        Whom it waits for, `NOBODY` when it is over.
    owed
        Cards paid for and not dealt yet.
    reshuffles
        How often the cards of hands that are out have become the stub.
    events
        Everything so far.
    """

    settings: Settings
    players: int
    hands: tuple[tuple[int, ...], ...]
    orders: tuple[HandOrder | None, ...]
    live: tuple[bool, ...]
    net: tuple[int, ...]
    stacks: tuple[int, ...] | None
    pot: int
    stub: int
    turn: int
    acted: tuple[int, ...]
    waits: Literal["card", "action", "nothing"]
    seat: int
    owed: int
    reshuffles: int
    events: tuple[Event, ...]

    @property
    def over(self) -> bool:
        """Whether the pot is given out."""
        return self.waits == "nothing"

    @property
    def live_seats(self) -> tuple[int, ...]:
        """Seats still in, rising."""
        return tuple(seat for seat in range(self.players) if self.live[seat])

    @property
    def dead(self) -> tuple[int, ...]:
        """Cards of hands that are out, face up (D15)."""
        return tuple(
            card for seat in range(self.players) if not self.live[seat] for card in self.hands[seat]
        )

    @property
    def unseen(self) -> tuple[int, ...]:
        """Cards that the next one can be, rising."""
        seen = {card for hand in self.hands for card in hand}
        return tuple(card for card in self.settings.deck if card not in seen)

    @property
    def most(self) -> int:
        """Most cards that the seat to act can buy, 0 if it can only fold (D13, D14)."""
        most = self._room(self.seat)
        return most if self.stacks is None else min(most, self.stacks[self.seat])

    def to_beat(self, seat: int) -> HandOrder:
        """The lowest of the other live hands."""
        others = [self._order(other) for other in self.live_seats if other != seat]
        return min(others)

    def _with(self, **changes: Any) -> "Table":
        """As `dataclasses.replace`, four times as fast: all fields are checked already."""
        table = object.__new__(Table)
        table.__dict__.update(self.__dict__, **changes)
        return table

    def _order(self, seat: int) -> HandOrder:
        order = self.orders[seat]
        assert order is not None
        return order

    def _room(self, seat: int) -> int:
        cards = self.stub
        if self.settings.empty_stub == "reshuffle":
            cards += len(self.dead)
        return min(self.settings.hand_limit - len(self.hands[seat]), cards)

    def act(self, amount: int) -> "Table":
        """The seat to act folds (0) or pays for 1 to `most` cards.

        Raises
        ------
        ValueError
            If no action is awaited, or not this one is allowed.
        """
        if self.waits != "action":
            raise ValueError(f"the table waits for {_waited(self)}, not for an action")
        if isinstance(amount, bool) or not isinstance(amount, int):
            raise ValueError(f"an action is a number of cards or 0 to fold, got {amount!r}")
        if not 0 <= amount <= self.most:
            most = "can only fold" if self.most == 0 else f"may fold (0) or buy 1 to {self.most}"
            raise ValueError(f"player {self.seat + 1} {most}, got {amount}")
        seat, turn = self.seat, self.turn + 1
        table = self._with(turn=turn, acted=_put(self.acted, seat, turn))
        if amount == 0:
            return table._out(Kind.FOLD, seat)._settled()
        paid = amount * self.settings.unit
        table = table._with(
            waits="card", owed=amount, pot=self.pot + paid,
            net=_put(self.net, seat, self.net[seat] - paid),
        )  # fmt: skip
        if table.stacks is not None:
            table = table._with(stacks=_put(table.stacks, seat, table.stacks[seat] - amount))
        return table._told(Kind.BUY, seat, chips=-paid, number=amount)._reshuffled()

    def give(self, card: int) -> "Table":
        """The awaited card is dealt to `seat`.

        Raises
        ------
        CardError
            If it cannot come: not in the deck, or in sight.
        ValueError
            If no card is awaited.
        """
        if self.waits != "card":
            raise ValueError(f"the table waits for {_waited(self)}, not for a card")
        if card not in self.settings.deck:
            raise CardError(f"{_named(card)} is not in the deck")
        for seat, hand in enumerate(self.hands):
            if card in hand:
                raise CardError(f"{_named(card)} has been dealt to player {seat + 1}")
        seat, hand = self.seat, (*self.hands[self.seat], card)
        table = self._with(
            stub=self.stub - 1, hands=_put(self.hands, seat, hand),
            orders=_put(self.orders, seat, hand_order(hand)),
        )  # fmt: skip
        if self.turn == 0:
            return table._told(Kind.DEAL, seat, card=card)._dealt_on()
        table = table._with(owed=self.owed - 1)._told(Kind.CARD, seat, card=card)
        if table._order(seat) > table.to_beat(seat):  # suits included (D5)
            table = table._told(Kind.STOP, seat, number=table.owed)
            return table._with(owed=0)._judged(beaten=False)
        return table._judged(beaten=True) if table.owed == 0 else table._reshuffled()

    def _dealt_on(self) -> "Table":
        """After a starting card: one to each in turn, then the lowest acts."""
        following = (self.seat + 1) % self.players
        if len(self.hands[following]) == self.settings.starting_cards:
            return self._settled()
        return self._with(seat=following)

    def _judged(self, *, beaten: bool) -> "Table":
        """After a purchase; `beaten` if all paid cards came and the hand is still the lowest."""
        seat = self.seat
        if self.settings.level_hands == "split" and self._all_level():
            return self._split()
        if not beaten or (self._all_level() and self._room(seat) == 0):
            return self._settled()
        level = self._order(seat)[:2] == self.to_beat(seat)[:2]
        if self.settings.level_hands == "stay" and level:  # behind by suit only (D7)
            return self._told(Kind.STAY, seat)._settled()
        return self._out(Kind.BEATEN, seat)._settled()  # D6

    def _settled(self) -> "Table":
        """Find who acts: the lowest live hand (D1)."""
        seats = self.live_seats
        if len(seats) == 1:
            return self._won(seats[0])  # draws nothing more (D12)
        lowest = min(seats, key=self._order)
        if self._room(lowest) > 0:
            return self._with(waits="action", seat=lowest, owed=0)
        if self._all_level():
            return self._split()
        return self._out(Kind.FULL, lowest)._settled()  # D11

    def _all_level(self) -> bool:
        return len({self._order(seat)[:2] for seat in self.live_seats}) == 1

    def _out(self, kind: Kind, seat: int) -> "Table":
        return self._with(live=_put(self.live, seat, False))._told(kind, seat)

    def _reshuffled(self) -> "Table":
        """Before a card: an empty stub is filled with the cards of hands that are out (D14)."""
        if self.stub:
            return self
        number = len(self.dead)
        hands = tuple(hand if self.live[seat] else () for seat, hand in enumerate(self.hands))
        table = self._with(hands=hands, stub=number, reshuffles=self.reshuffles + 1)
        return table._told(Kind.RESHUFFLE, NOBODY, number=number)

    def _won(self, seat: int) -> "Table":
        pot = self.pot
        net = _put(self.net, seat, self.net[seat] + pot)
        table = self._with(pot=0, net=net, waits="nothing", seat=NOBODY, owed=0)
        return table._told(Kind.WIN, seat, chips=pot)

    def _split(self) -> "Table":
        """Equal shares; odd units to those who acted last (D16)."""
        seats = self.live_seats
        share, odd = divmod(self.pot, len(seats))
        last = sorted(seats, key=lambda seat: (-self.acted[seat], seat))[:odd]
        table = self._with(waits="nothing", seat=NOBODY, owed=0)
        for seat in seats:
            chips = share + (seat in last)
            net = _put(table.net, seat, table.net[seat] + chips)
            table = table._with(pot=table.pot - chips, net=net)
            table = table._told(Kind.SPLIT, seat, chips=chips, number=int(seat in last))
        return table

    def _told(
        self, kind: Kind, seat: int, *, chips: int = 0, card: int = -1, number: int = 0
    ) -> "Table":
        event = Event(kind, seat, self.pot, chips, card, number)
        return self._with(events=(*self.events, event))


def open_table(settings: Settings, players: int, stacks: Sequence[int] | None = None) -> Table:
    """Antes are paid; the table waits for the first card of player 1.

    Parameters
    ----------
    settings
        The rules in force.
    players
        2 to 8.
    stacks
        Chips of each player before the ante; by default nobody runs out.

    Raises
    ------
    ValueError
        If there are too few or too many players, or one cannot pay the ante.
    """
    settings.check_players(players)
    left = None
    if stacks is not None:
        if len(stacks) != players:
            raise ValueError(f"{len(stacks)} stacks for {players} players")
        for seat, stack in enumerate(stacks):
            if stack < settings.ante:
                raise ValueError(f"player {seat + 1} has {stack} chips and cannot pay the ante")
        left = tuple(stack - settings.ante for stack in stacks)
    ante = settings.ante * settings.unit
    events = tuple(
        Event(Kind.ANTE, seat, (seat + 1) * ante, chips=-ante) for seat in range(players)
    )
    return Table(
        settings, players, hands=((),) * players, orders=(None,) * players, live=(True,) * players,
        net=(-ante,) * players, stacks=left, pot=players * ante, stub=len(settings.deck), turn=0,
        acted=(0,) * players, waits="card", seat=0, owed=0, reshuffles=0, events=events,
    )  # fmt: skip


def _put(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _waited(table: Table) -> str:
    if table.over:
        return "nothing: the hand is over"
    what = "an action of" if table.waits == "action" else "a card for"
    return f"{what} player {table.seat + 1}"


def _named(card: int) -> str:
    try:
        return f"the card {format_card(card)}"
    except CardError:
        return f"the card {card}"
