"""A round of casino night at the table: one person deals and is the house.

The referee of the casino game plays a round in one go from a whole deck. So a round at the table
is kept as the cards dealt and the decisions made so far; what follows from them is what the referee
tells until it meets a card or a decision that is not there yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ricochet_casino.cards.deck import format_card
from ricochet_casino.games.ricochet_poker.narration import sentence
from ricochet_casino.games.ricochet_poker.round import DEALER, Event, Kind, Table
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.table.hand import NOBODY, Stub, Waits, chosen
from ricochet_casino.table.view import ChoiceView
from ricochet_casino.table.words import chips, outcome, shown


class _Now(NamedTuple):
    waits: Waits
    seat: int
    events: tuple[Event, ...]
    table: Table | None  # what the player to act sees


@dataclass(frozen=True)
class CasinoHand:
    """See `hand.Hand`.

    Attributes
    ----------
    rules
        For so many players; a unit is a chip.
    players, dealer
        Names.
    stacks
        Chips of each player before the ante.
    dealt
        Cards dealt so far: two to each player, five to the dealer, then three at a time.
    decisions
        True for play, False for fold, in the order of action.
    """

    rules: Rules
    players: tuple[str, ...]
    dealer: str
    stacks: tuple[int, ...]
    dealt: tuple[int, ...] = ()
    decisions: tuple[bool, ...] = ()

    @property
    def _at_first(self) -> int:
        return 2 * len(self.players) + 5

    @cached_property
    def _now(self) -> _Now:
        known = len(self.dealt)
        asked: list[Table] = []

        def policy(table: Table) -> bool:
            asked.append(table)
            return len(asked) <= len(self.decisions) and self.decisions[len(asked) - 1]

        rest = [card for card in self.rules.deck if card not in self.dealt]
        events = play_round(self.rules, [*self.dealt, *rest], policy).events
        acts, cards = 0, 0
        for place, event in enumerate(events):
            if event.kind is Kind.ACT:
                acts += 1
                if acts > len(self.decisions):
                    return _Now("action", event.seat, events[:place], asked[acts - 1])
            if event.kind in (Kind.DEAL, Kind.COMPLETION):
                cards += len(event.cards)
                if cards > known:
                    return _Now("card", event.seat, events[:place], None)
        return _Now("nothing", NOBODY, events, None)

    @property
    def waits(self) -> Waits:
        """What is awaited."""
        return self._now.waits

    @property
    def seat(self) -> int:
        """Of whom."""
        return self._now.seat

    @property
    def events(self) -> tuple[Event, ...]:
        """What the referee has told so far."""
        return self._now.events

    @property
    def round_table(self) -> Table | None:
        """What the player to act sees, for policies and odds."""
        return self._now.table

    @property
    def _chips(self) -> list[tuple[str, int, bool]]:
        """Who gained how many chips (negative: paid), and whether from the pot."""
        if len(self.dealt) < self._at_first:  # everybody antes before the first card
            antes = [(name, -self.rules.ante, True) for name in self.players]
            return [*antes, (self.dealer, -self.rules.dealer_ante, True)]
        found = []
        for event in self.events:
            found.append((self._name(event.seat), event.chips, event.kind is not Kind.BONUS))
            if event.kind is Kind.BONUS:
                found.append((self.dealer, -event.chips, False))
        return found

    def _name(self, seat: int) -> str:
        return self.dealer if seat == DEALER else self.players[seat]

    @cached_property
    def net(self) -> Mapping[str, int]:
        """Chips won so far, bonuses included."""
        found = dict.fromkeys((*self.players, self.dealer), 0)
        for name, number, _ in self._chips:
            found[name] += number
        return found

    @cached_property
    def paid(self) -> Mapping[str, int]:
        """Chips paid into the pot so far."""
        found = dict.fromkeys((*self.players, self.dealer), 0)
        for name, number, from_pot in self._chips:
            found[name] += max(-number, 0) if from_pot else 0
        return found

    @property
    def pot(self) -> int:
        """Chips in the pot."""
        return -sum(number for _, number, from_pot in self._chips if from_pot)

    @cached_property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """Cards of each player."""
        found = [self.dealt[2 * seat : 2 * seat + 2] for seat in range(len(self.players))]
        for event in self.events:
            if event.kind is Kind.COMPLETION:
                found[event.seat] += event.cards
        if self.waits == "card" and self.seat != DEALER and len(self.dealt) >= self._at_first:
            beyond = (len(self.dealt) - self._at_first) % 3
            found[self.seat] += self.dealt[len(self.dealt) - beyond :] if beyond else ()
        return tuple(found)

    @property
    def dealer_cards(self) -> tuple[int, ...]:
        """The dealer's cards."""
        return self.dealt[2 * len(self.players) : self._at_first]

    @property
    def dealer_out(self) -> bool:
        """Whether the dealer is kicked out or beaten."""
        return any(
            event.seat == DEALER and event.kind in (Kind.KICKOUT, Kind.OUT) for event in self.events
        )

    @cached_property
    def states(self) -> tuple[str, ...]:
        """State of each player."""
        found = ["in"] * len(self.players)
        for event in self.events:
            if event.seat == DEALER:
                continue
            if event.kind is Kind.ACT and event.detail == "fold":
                found[event.seat] = "folded"
            elif event.kind is Kind.OUT:
                found[event.seat] = "out"
            elif event.kind in (Kind.WIN, Kind.SPLIT):
                found[event.seat] = "won"
        return tuple(found)

    @property
    def marks(self) -> tuple[str, ...]:
        """Who has still to act, and whose hand is to be beaten."""
        found = [""] * len(self.players)
        if len(self.dealt) >= self._at_first and self.waits != "nothing":
            for seat, state in enumerate(self.states):
                if state == "in" and seat != self.seat:
                    found[seat] = "to beat" if len(self.hands[seat]) == 5 else "to act"
        return tuple(found)

    @cached_property
    def told(self) -> tuple[str, ...]:
        """The round so far."""
        lines = []
        for event in self.events:
            told = sentence(event, self._name(event.seat), self.rules, "symbols")
            with_pot = event.kind is Kind.ACT and event.chips
            lines.append(f"{told} Pot: {chips(event.pot)}." if with_pot else told)
        return tuple(lines)

    @property
    def why(self) -> str:
        """Whose turn it is and why."""
        if self.waits == "nothing":
            return f"The hand is over: {self._winners()}."
        who = self._name(self.seat)
        if self.waits == "action":
            if len(self.players) == 1:
                return f"{who} acts: there is nobody else to act."
            return (
                f"{who} acts with {shown(self.hands[self.seat])}, the lowest two-card hand that "
                "has not acted yet; everybody acts once."
            )
        if len(self.dealt) < self._at_first:
            what = "five cards" if self.seat == DEALER else "two cards"
            return f"{who} gets {what}: two go to each player and five to the dealer."
        return f"{who} gets three cards."

    def _winners(self) -> str:
        won = [e for e in self.events if e.kind in (Kind.WIN, Kind.SPLIT)]
        names = [self._name(event.seat) for event in won]
        seat = won[0].seat
        cards = self.dealer_cards if seat == DEALER else self.hands[seat]
        return outcome(names, won[0].chips, cards)

    @property
    def stub(self) -> Stub:
        """Where the next card comes from."""
        return Stub(0, self.rules.deck, len(self.dealt))

    def choices(self) -> tuple[ChoiceView, ...]:
        """Play or fold."""
        if self.waits != "action":
            return ()
        name, bet = self.players[self.seat], self.rules.play_bet
        left = self.stacks[self.seat] + self.net[name]
        why_not = "" if left >= bet else f"{name} has only {chips(left)}, it costs {chips(bet)}"
        explains = (
            f"Pay {chips(bet)} into the pot and get three more cards. The best five cards at the "
            f"end take the pot, and {self._lowest_bonus()} or better earns a bonus."
        )
        return (
            ChoiceView("f", "fold", 0, "You are out; your ante stays in the pot."),
            ChoiceView("p", "play", bet, explains, not why_not, why_not),
        )

    def _lowest_bonus(self) -> str:
        name = self.rules.lines[0].name.replace("_", " ") if self.rules.lines else "nothing"
        return f"a {name}"

    def act(self, key: str) -> "CasinoHand":
        """Play or fold."""
        choice = chosen(self, key)
        return replace(self, decisions=(*self.decisions, choice.key == "p"))

    def give(self, card: int) -> "CasinoHand":
        """A card is dealt."""
        if self.waits != "card":
            raise ValueError("no card is awaited now")
        if card not in self.rules.deck:
            raise ValueError(f"the card {format_card(card)} is not in the deck")
        if card in self.dealt:
            owner = next((n for n, h in zip(self.players, self.hands, strict=True) if card in h),
                         self.dealer)  # fmt: skip
            raise ValueError(f"the card {format_card(card)} has been dealt to {owner}")
        return replace(self, dealt=(*self.dealt, card))


def open_casino_hand(
    rules: Rules, players: tuple[str, ...], dealer: str, stacks: tuple[int, ...]
) -> CasinoHand:
    """Antes are paid; the first card is awaited."""
    return CasinoHand(rules, players, dealer, stacks)
