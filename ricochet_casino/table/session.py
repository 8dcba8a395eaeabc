"""A table under way, without input or output: what the front ends show and call.

A method that changes something checks, writes the events to the ledger (flushed to the disk), and
only then lets the change be seen. Bad input is a ValueError of one sentence, and changes nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from ricochet_casino.cards.deck import format_card, parse_card
from ricochet_casino.table import events as ev
from ricochet_casino.table.kinds import check_policy
from ricochet_casino.table.ledger import Ledger
from ricochet_casino.table.replay import steps
from ricochet_casino.table.setup import Header, Setup
from ricochet_casino.table.shoe import next_card
from ricochet_casino.table.showing import shown_view
from ricochet_casino.table.state import State, first_state
from ricochet_casino.table.view import AdviceView, Pending, View


class Session:
    """An evening at a table; made by `begin` or `resume`.

    What a front end does is told by `pending` (see `view.Pending`): it shows `view()`, calls one
    method, and shows it again.

    Parameters
    ----------
    ledger
        Open, with as many lines as make `state`.
    state
        The table now.
    notes
        Remarks on opening the ledger.
    """

    def __init__(self, ledger: Ledger, state: State, notes: tuple[str, ...] = ()) -> None:
        self._ledger = ledger
        self._state = state
        self._advice: AdviceView | None = None
        self._shown = False
        self.notes = notes
        self.with_advice = True
        """False hides odds and advice for good."""

    @classmethod
    def begin(cls, setup: Setup, path: Path | None = None) -> Self:
        """A new table; without a path its ledger is kept in memory only.

        Raises
        ------
        ValueError
            If the setup is not allowed, or the file exists or is in use.
        """
        header = setup.header()
        return cls(Ledger.begin(path, header), first_state(header))

    @classmethod
    def resume(cls, path: Path) -> Self:
        """Go on with the table in a ledger.

        Raises
        ------
        ValueError
            With file and line, if it is not such a ledger, is damaged, or is in use.
        """
        ledger, content = Ledger.resume(path)
        state = first_state(content.header)
        try:
            for _, _, after in steps(path, content):
                state = after
        except BaseException:
            ledger.close()
            raise
        return cls(ledger, state, (f"{path}: {content.note}",) if content.note else ())

    @classmethod
    def seated(
        cls, setup: Setup, people: Sequence[tuple[str, str]], path: Path | None = None
    ) -> Self:
        """A new table with its people; nothing is written before all are found to be possible.

        Parameters
        ----------
        setup
            The game and its settings.
        people
            Names and policies, in the order in which they sit; without a policy, a person.
        path
            Of the ledger; without one it is kept in memory only.

        Raises
        ------
        ValueError
            As `begin` and `sit`.
        """
        seed = setup.header().seed
        for place in dict.fromkeys((None, path)):
            session = cls.begin(replace(setup, seed=seed), place)
            for name, policy in people:
                session.sit(name, policy=policy)
        return session

    @property
    def header(self) -> Header:
        """The game and its settings."""
        return self._state.header

    @property
    def state(self) -> State:
        """The table now."""
        return self._state

    @property
    def path(self) -> Path | None:
        """The ledger's file."""
        return self._ledger.path

    @property
    def ledger_text(self) -> str:
        """The whole ledger of a table in memory."""
        return self._ledger.text()

    @property
    def pending(self) -> Pending:
        """What the table waits for."""
        return self._state.pending

    def view(self) -> View:
        """All that is to be seen."""
        possible = self.with_advice and self.pending in (Pending.ACTION, Pending.COMPUTER)
        advice = self._advice if self._shown else None
        return shown_view(self._state, self._ledger.lines, self.notes, advice, possible)

    def _record(self, *events: ev.Event) -> None:
        """Check the events, write them, and only then be as they say."""
        state = self._state
        for line, event in enumerate(events, self._ledger.lines + 1):
            state = state.after(event, line)
        self._ledger.append(events)
        self._state, self._advice = state, None

    def _closing(self) -> tuple[ev.Event, ...]:
        """The event that closes a hand that is over, if there is one."""
        state = self._state
        return () if state.closed or state.playing else (state.ending(),)

    def choose(self, key: str) -> None:
        """The person to act chooses, by `ChoiceView.key`.

        Raises
        ------
        ValueError
            If no person has to act, or may not choose this.
        """
        if self.pending is not Pending.ACTION:
            raise ValueError(f"nobody has to choose now. {self.view().prompt}")
        self._record(ev.Act(self._state.turn_of, key.strip().lower()))

    def card(self, text: str) -> None:
        """Manual mode: the card that has been dealt, such as ``8h``.

        Raises
        ------
        ValueError
            If no card is awaited, or it is none, not in the deck, or lies on the table.
        """
        if not self.header.manual:
            raise ValueError("the cards of this table are shuffled by the program")
        if self.pending is not Pending.CARD:
            raise ValueError(f"no card is awaited now. {self.view().prompt}")
        self._record(ev.Card(self._state.turn_of, format_card(parse_card(text))))

    def step(self) -> None:
        """One card from the shuffled deck (`Pending.DEAL`), or one action of a computer player.

        Raises
        ------
        ValueError
            If neither is awaited.
        """
        state, hand = self._state, self._state.hand
        if self.pending is Pending.DEAL:
            assert hand is not None
            card = next_card(self.header.seed, state.number, hand)
            self._record(ev.Card(state.turn_of, format_card(card)))
        elif self.pending is Pending.COMPUTER:
            assert hand is not None
            policy = state.evening.person(state.turn_of).policy
            choice = self.header.kind.decide(hand, policy, self.header.seed, state.number)
            self._record(ev.Act(state.turn_of, choice))
        else:
            raise ValueError(f"the program has nothing to do now. {self.view().prompt}")

    def undo(self) -> None:
        """Take back the last action of a person of which no card has been dealt yet.

        In manual mode also the card entered last. What computer players did since goes with it.

        Raises
        ------
        ValueError
            If there is nothing to take back.
        """
        entry = self._state.last_back
        if entry is None:
            raise ValueError(
                "nothing can be taken back: an action can until the next card is dealt"
            )
        self._record(ev.Undo(entry.line))

    def next_hand(self) -> None:
        """Antes are paid and a hand begins; the role of the dealer passes on.

        Raises
        ------
        ValueError
            If a hand is being played, or fewer than two people can pay the ante.
        """
        closing = self._closing()
        state = self._state
        for event in closing:
            state = state.after(event, 0)
        if state.playing:
            raise ValueError(f"hand {state.number} is not over yet. {self.view().prompt}")
        if state.pending is Pending.PEOPLE:
            raise ValueError(self.view().prompt)
        self._record(*closing, state.beginning())

    def sit(self, name: str, chips: int | None = None, policy: str = "") -> None:
        """Somebody joins and buys chips, by default the setup's; with a policy, a computer.

        Raises
        ------
        ValueError
            If the name is taken or no name, the table is full, the chips are none or too many, or
            the game has no such policy.
        """
        if policy:
            check_policy(self.header.kind, policy)
        self._record(*self._closing(), ev.Sit(name, self._number(chips), policy))

    def leave(self, name: str) -> None:
        """Somebody takes the chips home.

        Raises
        ------
        ValueError
            If there is no such person, or a hand is being played with her.
        """
        person = self._state.settled.person(name)
        self._record(*self._closing(), ev.Leave(person.name, person.chips))

    def rebuy(self, name: str, chips: int | None = None) -> None:
        """Somebody at the table buys more chips, by default the setup's.

        Raises
        ------
        ValueError
            If there is no such person, the chips are none or too many, or a hand is being played
            with her.
        """
        person = self._state.settled.person(name)
        self._record(*self._closing(), ev.Buy(person.name, self._number(chips)))

    def _number(self, chips: int | None) -> int:
        return self.header.chips if chips is None else chips

    def advice(self) -> AdviceView:
        """Odds and advice for whoever is to act; may take seconds. Does not change the table.

        Raises
        ------
        ValueError
            If nobody is to act, or the table was opened without advice.
        """
        from ricochet_casino.table.advice import advice_for

        if not self.with_advice:
            raise ValueError("this table was opened without odds and advice")
        state = self._state
        if state.hand is None or state.hand.waits != "action":
            raise ValueError(f"nobody has to act now. {self.view().prompt}")
        if self._advice is None:
            found = advice_for(state.hand, self.header.kind)
            if state is self._state:  # a front end may ask in a thread and go on
                self._advice = found
            return found
        return self._advice

    def show_advice(self, shown: bool) -> None:
        """Compute the advice and keep it in the view until the next change, or hide it.

        Raises
        ------
        ValueError
            As `advice`.
        """
        if shown:
            self.advice()
        self._shown = shown

    def close(self) -> None:
        """Let go of the ledger; the table can be resumed."""
        self._ledger.close()
