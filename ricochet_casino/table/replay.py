"""A ledger checked by doing it again, and its hands as text (the form is in docs/table.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ricochet_casino.cards.deck import format_card
from ricochet_casino.games.home_poker.rules import Kind as HomeKind
from ricochet_casino.games.ricochet_poker.round import DEALER
from ricochet_casino.games.ricochet_poker.round import Kind as CasinoKind
from ricochet_casino.table import events as ev
from ricochet_casino.table.casino_game import CasinoHand
from ricochet_casino.table.hand import Hand
from ricochet_casino.table.home_game import HomeHand
from ricochet_casino.table.ledger import Content, LedgerError, read_ledger
from ricochet_casino.table.state import State, first_state

FIRST_LINE: Final = "# ricochet-casino table, hands, version 1"


@dataclass(frozen=True)
class PlayedHand:
    """A hand of a ledger.

    Attributes
    ----------
    number
        From 1.
    chips
        Of everybody at the table, before the antes.
    hand
        At its end, or as far as it was played.
    owed
        Chips that the dealer of casino night bought to pay all bonuses.
    """

    number: int
    chips: Mapping[str, int]
    hand: Hand
    owed: int = 0

    @property
    def finished(self) -> bool:
        """Whether it is over."""
        return self.hand.waits == "nothing"


@dataclass(frozen=True)
class Replay:
    """A ledger that was done again without contradiction.

    Attributes
    ----------
    state
        The table at its end.
    events
        How many there are, what was taken back included.
    hands
        All hands, the last one perhaps unfinished; without what was taken back.
    note
        A remark on a last line that does not end, or nothing.
    """

    state: State
    events: int
    hands: tuple[PlayedHand, ...]
    note: str

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values."""
        evening = self.state.settled
        return {
            "game": self.state.header.to_json(),
            "events": self.events,
            "hands": sum(hand.finished for hand in self.hands),
            "unfinished": sum(not hand.finished for hand in self.hands),
            "people": [
                {
                    "name": person.name, "policy": person.policy, "bought": person.bought,
                    "on_table": person.chips, "taken_home": person.taken, "ahead": person.ahead,
                }
                for person in evening.people
            ],
            "sum": sum(person.ahead for person in evening.people),
            "note": self.note,
        }  # fmt: skip


def steps(path: Path, content: Content) -> Iterator[tuple[State, ev.Event, State]]:
    """Every event of a ledger, between the table before and the table after it.

    Raises
    ------
    LedgerError
        With file and line, if an event cannot have happened.
    """
    state = first_state(content.header)
    for line, event in enumerate(content.events, 2):
        try:
            after = state.after(event, line)
        except ValueError as error:
            raise LedgerError(path, line, str(error)) from None
        yield state, event, after
        state = after


def replay(path: Path) -> Replay:
    """Check a ledger by doing it again; the file is not changed.

    Raises
    ------
    LedgerError
        With file and line, if it is no ledger, is damaged, or an event cannot have happened.
    OSError
        If it cannot be read.
    """
    content = read_ledger(path)
    state = first_state(content.header)
    hands: list[PlayedHand] = []
    chips: dict[str, int] = {}
    for before, event, state in steps(path, content):
        if isinstance(event, ev.Begin):
            chips = {person.name: person.chips for person in before.evening.seated}
        if isinstance(event, ev.End) and state.hand is not None:
            hands.append(PlayedHand(event.hand, chips, state.hand, event.owed))
    if not state.closed and state.hand is not None:
        owed = 0 if state.playing else state.ending().owed
        hands.append(PlayedHand(state.number, chips, state.hand, owed))
    state.settled.check()
    return Replay(state, len(content.events), tuple(hands), content.note)


def exported(found: Replay) -> Iterator[str]:
    """Lines of all hands in the documented text form."""
    yield FIRST_LINE
    header = found.state.header
    cards = "manual" if header.manual else f"shuffled {header.seed}"
    rules = header.kind.content()
    for played in found.hands:
        hand = played.hand
        yield ""
        yield f"hand {played.number}"
        yield f"game {header.kind.name}"
        if isinstance(hand, HomeHand):
            yield " ".join(["rules", *(f"{key}={value}" for key, value in sorted(rules.items()))])
        else:
            yield f"rules {rules['title']}"
        yield f"cards {cards}"
        yield f"dealer {hand.dealer}"
        in_hand = dict.fromkeys((*hand.players, hand.dealer))
        for name in in_hand:
            yield f"seat {name} {played.chips[name]}"
        if isinstance(hand, HomeHand):
            yield from _home_lines(hand)
        elif isinstance(hand, CasinoHand):
            yield from _casino_lines(hand)
        if played.owed:
            yield f"owed {hand.dealer} {played.owed}"
        if played.finished:
            for name in in_hand:
                yield f"net {name} {hand.net[name]:+}"
        yield "end" if played.finished else "unfinished"


def _home_lines(hand: HomeHand) -> Iterator[str]:
    for event in hand.table.events:
        who = hand.players[event.seat] if event.seat >= 0 else ""
        match event.kind:
            case HomeKind.ANTE:
                yield f"ante {who} {-event.chips} pot {event.pot}"
            case HomeKind.DEAL | HomeKind.CARD:
                yield f"card {who} {format_card(event.card)}"
            case HomeKind.BUY:
                yield f"buy {who} {event.number} pot {event.pot}"
            case HomeKind.STOP:
                yield f"stop {who} {event.number}"
            case HomeKind.RESHUFFLE:
                yield f"stub {event.number}"
            case HomeKind.WIN | HomeKind.SPLIT:
                yield f"win {who} {event.chips} pot {event.pot}"
            case _:  # fold, beaten, stay, full
                yield f"{event.kind} {who}"


def _casino_lines(hand: CasinoHand) -> Iterator[str]:
    pot = 0
    antes = [(name, hand.rules.ante) for name in hand.players]
    for name, ante in (*antes, (hand.dealer, hand.rules.dealer_ante)):
        pot += ante
        yield f"ante {name} {ante} pot {pot}"
    for event in hand.events:
        who = hand.dealer if event.seat == DEALER else hand.players[event.seat]
        match event.kind:
            case CasinoKind.DEAL:
                yield from (f"card {who} {format_card(card)}" for card in event.cards)
            case CasinoKind.COMPLETION:
                if event.detail:
                    yield f"free {who}"
                yield from (f"card {who} {format_card(card)}" for card in event.cards)
            case CasinoKind.ACT if event.detail == "play":
                yield f"play {who} {-event.chips} pot {event.pot}"
            case CasinoKind.ACT:
                yield f"{event.detail} {who}"
            case CasinoKind.BONUS:
                yield f"bonus {who} {event.chips} {event.detail}"
            case CasinoKind.RETURN:
                yield f"return {who} {event.chips} pot {event.pot}"
            case CasinoKind.WIN | CasinoKind.SPLIT:
                yield f"win {who} {event.chips} pot {event.pot}"
            case CasinoKind.LAST_HAND | CasinoKind.SHOWDOWN:
                pass
            case _:  # kickout, out
                yield f"{event.kind} {who}"
