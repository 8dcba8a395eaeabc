"""A hand of the home game or Table Game II at the table: the referee with people's names."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ricochet_casino.cards.deck import format_card
from ricochet_casino.games.home_poker.narration import sentence
from ricochet_casino.games.home_poker.rules import NOBODY as ALL
from ricochet_casino.games.home_poker.rules import Event, Kind, Table, open_table
from ricochet_casino.games.home_poker.settings import Settings
from ricochet_casino.table.hand import NOBODY, Stub, Waits, chosen
from ricochet_casino.table.view import ChoiceView
from ricochet_casino.table.words import cards_text, chips, outcome, shown


@dataclass(frozen=True)
class HomeHand:
    """See `hand.Hand`.

    Attributes
    ----------
    table
        The referee's table; its seats are those of `players`.
    players, dealer
        Names.
    """

    table: Table
    players: tuple[str, ...]
    dealer: str

    @property
    def waits(self) -> Waits:
        """What is awaited."""
        return self.table.waits

    @property
    def seat(self) -> int:
        """Of whom."""
        return NOBODY if self.table.over else self.table.seat

    @property
    def pot(self) -> int:
        """Chips in the pot."""
        return self.table.pot

    @property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """Cards of each player."""
        return self.table.hands

    @property
    def dealer_cards(self) -> tuple[int, ...]:
        """The dealer is one of the players."""
        return ()

    @property
    def dealer_out(self) -> bool:
        """The dealer is one of the players."""
        return False

    @cached_property
    def states(self) -> tuple[str, ...]:
        """State of each player."""
        found = ["in"] * len(self.players)
        names = {Kind.FOLD: "folded", Kind.BEATEN: "out", Kind.FULL: "out", Kind.WIN: "won",
                 Kind.SPLIT: "won"}  # fmt: skip
        for event in self.table.events:
            if event.kind in names:
                found[event.seat] = names[event.kind]
        return tuple(found)

    @property
    def marks(self) -> tuple[str, ...]:
        """Who is lowest, and whose hand is to be beaten."""
        found = [""] * len(self.players)
        if self.table.waits == "action" or self.table.turn:
            live = sorted(self.table.live_seats, key=self._order)
            for seat, mark in zip(live, ("lowest", "next lowest"), strict=False):
                found[seat] = mark if len(live) > 1 and not self.table.over else ""
        return tuple(found)

    def _order(self, seat: int) -> tuple[object, ...]:
        return self.table.orders[seat] or ()

    @property
    def net(self) -> Mapping[str, int]:
        """Chips won so far."""
        return dict(zip(self.players, self.table.net, strict=True))

    @cached_property
    def paid(self) -> Mapping[str, int]:
        """Chips paid so far."""
        found = dict.fromkeys(self.players, 0)
        for event in self.table.events:
            if event.chips < 0:
                found[self.players[event.seat]] -= event.chips
        return found

    @cached_property
    def told(self) -> tuple[str, ...]:
        """The hand so far."""
        table, lines = self.table, []
        hands: dict[int, list[int]] = {seat: [] for seat in range(table.players)}
        ante = chips(table.settings.ante)
        lines.append(f"{len(self.players)} players ante {ante} each. Pot: {self._antes()}.")
        for event in table.events:
            if event.kind is Kind.ANTE:
                continue
            if event.kind is Kind.RESHUFFLE:
                hands = {seat: cards if table.live[seat] else [] for seat, cards in hands.items()}
            if event.card >= 0:
                hands[event.seat].append(event.card)
            lines.append(self._sentence(event, hands.get(event.seat, [])))
        return tuple(lines)

    def _antes(self) -> str:
        return chips(self.table.settings.ante * len(self.players))

    def _sentence(self, event: Event, hand: list[int]) -> str:
        who = "" if event.seat == ALL else self.players[event.seat]
        told = sentence(event, who, hand, 1, "symbols")
        return f"{told} Pot: {chips(event.pot)}." if event.kind is Kind.BUY else told

    @property
    def why(self) -> str:
        """Whose turn it is and why."""
        table = self.table
        if table.over:
            return f"The hand is over: {self._winners()}."
        who = self.players[table.seat]
        if table.waits == "card":
            if table.turn == 0:
                start = cards_text(table.settings.starting_cards)
                return f"{who} gets a card: {self.dealer} deals {start} to each player, face up."
            return (
                f"{who} gets {cards_text(table.owed)} at most, one by one, and none any more as "
                "soon as the hand is no longer the lowest."
            )
        rival = min((s for s in table.live_seats if s != table.seat), key=self._order)
        mine, other = table.orders[table.seat], table.orders[rival]
        level = mine is not None and other is not None and mine[:2] == other[:2]
        by = "; they are level, and the lower suit acts" if level else ""
        return (
            f"{who} acts with the lowest hand, {shown(table.hands[table.seat])}; the next lowest "
            f"is {shown(table.hands[rival])} of {self.players[rival]}{by}."
        )

    def _winners(self) -> str:
        names = [n for n, state in zip(self.players, self.states, strict=True) if state == "won"]
        last = self.table.events[-1]
        return outcome(names, last.chips, self.hands[last.seat])

    @cached_property
    def stub(self) -> Stub:
        """Where the next card comes from."""
        dealt = 0
        for event in self.table.events:
            dealt = 0 if event.kind is Kind.RESHUFFLE else dealt + (event.card >= 0)
        if not self.table.reshuffles:
            return Stub(0, self.table.settings.deck, dealt)
        given = [event.card for event in self.table.events if event.card >= 0]
        cards = {*self.table.unseen, *given[len(given) - dealt :]}
        return Stub(self.table.reshuffles, tuple(sorted(cards)), dealt)

    def choices(self) -> tuple[ChoiceView, ...]:
        """Fold, or buy one card or more."""
        table = self.table
        if table.waits != "action":
            return ()
        found = [ChoiceView("f", "fold", 0, "You are out; what you have paid stays in the pot.")]
        held, limit = len(table.hands[table.seat]), table.settings.hand_limit
        for number in range(1, limit - held + 1):
            why_not = "" if number <= table.most else self._why_not()
            found.append(
                ChoiceView(
                    str(number), f"buy {cards_text(number)}", number, self._explained(number),
                    not why_not, why_not,
                )
            )  # fmt: skip
        return tuple(found)

    def _why_not(self) -> str:
        table = self.table
        if table.stacks is not None and table.stacks[table.seat] == table.most:
            return f"{self.players[table.seat]} has only {chips(table.most)}"
        return f"only {cards_text(table.most)} can still be dealt"

    def _explained(self, number: int) -> str:
        if number == 1:
            return "Pay 1 chip for a card; if you are still the lowest then, you are out."
        return (
            f"Pay {number} chips for up to {number} cards. Dealing stops when you are no longer "
            "the lowest, and nothing is paid back; if you still are after all, you are out."
        )

    def act(self, key: str) -> "HomeHand":
        """Fold or buy."""
        choice = chosen(self, key)
        return replace(self, table=self.table.act(0 if choice.key == "f" else int(choice.key)))

    def give(self, card: int) -> "HomeHand":
        """A card is dealt."""
        if self.table.waits == "card":
            for seat, hand in enumerate(self.table.hands):
                if card in hand:
                    name = format_card(card)
                    raise ValueError(f"the card {name} has been dealt to {self.players[seat]}")
        return replace(self, table=self.table.give(card))


def open_home_hand(
    settings: Settings, players: tuple[str, ...], dealer: str, stacks: tuple[int, ...]
) -> HomeHand:
    """Antes are paid; the first card is awaited."""
    return HomeHand(open_table(settings, len(players), stacks), players, dealer)
