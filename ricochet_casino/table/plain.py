"""The table line by line: for pipes, scripts and screen readers.

Everything is a line of text; a question is a line too, and its answer is one line. Nothing is
drawn, nothing moves, no colour is used.
"""

from collections.abc import Callable
from typing import Final

from ricochet_casino.cards.deck import SUIT_SYMBOLS, SUITS, format_cards
from ricochet_casino.config import did_you_mean
from ricochet_casino.table.session import Session
from ricochet_casino.table.view import AdviceView, Pending, SeatView, View
from ricochet_casino.table.words import chips

COMMANDS: Final = (
    ("?", "the rules, and what can be done now"),
    ("t", "the table again"),
    ("a", "odds and advice for whoever is to act"),
    ("u", "take back what was done last, until a card is dealt"),
    ("sit NAME [CHIPS] [POLICY]", "somebody joins; with a policy, a computer player"),
    ("rebuy NAME [CHIPS]", "somebody buys chips, between hands"),
    ("leave NAME", "somebody takes all chips home, between hands"),
    ("q", "end; the table stays in its ledger and can be gone on with"),
)
"""What can be typed at any time, beside the choices and the cards."""
_ASCII: Final = str.maketrans(SUIT_SYMBOLS, SUITS)

Read = Callable[[], str | None]
"""The next line of input, or None at its end."""
Say = Callable[[str], None]


class PlainTable:
    """Plays a session line by line.

    Parameters
    ----------
    session
        The table.
    read
        The next line, None at the end of the input.
    say
        Prints a line.
    ascii_only
        Suits as letters.
    """

    def __init__(self, session: Session, read: Read, say: Say, *, ascii_only: bool = False) -> None:
        self.session = session
        self._read = read
        self._print = say
        self._ascii = ascii_only
        self._told: tuple[str, ...] = ()
        self._hand = -1
        self._asked = -1

    def run(self) -> int:
        """Play until the input ends or somebody says so; the exit code."""
        self._begin()
        while True:
            view = self.session.view()
            self._tell(view)
            if view.pending in (Pending.DEAL, Pending.COMPUTER) and not view.held:
                self.session.step()
                continue
            self._ask(view, again=view.events == self._asked)
            self._asked = view.events
            line = self._read()
            if line is None or line.strip().lower() in ("q", "quit"):
                self._say(_farewell(self.session))
                return 0
            try:
                self._do(line.strip(), view)
            except ValueError as error:
                self._say(f"Not possible: {error}")

    def _say(self, text: str) -> None:
        self._print(text.translate(_ASCII) if self._ascii else text)

    def _begin(self) -> None:
        view = self.session.view()
        for note in view.notes:
            self._say(f"Note: {note}.")
        self._say(f"{view.title}. Type ? for the rules and for what can be done.")
        people = [seat.name for seat in view.seats if seat.human]
        computers = [seat.name for seat in view.seats if not seat.human]
        if people:
            self._say(f"Played by you: {', '.join(people)}.")
        if computers:
            self._say(f"Played by the program: {', '.join(computers)}.")
        if view.hand_number:
            self._say(f"The table goes on in hand {view.hand_number}.")
            self._hand = view.hand_number
            self._table(view)

    def _tell(self, view: View) -> None:
        """Sentences that have not been told yet."""
        if view.hand_number != self._hand:
            if view.hand_number > 0:
                self._say(f"\nHand {view.hand_number}, dealt by {view.dealer_name}.")
            self._hand, self._told = view.hand_number, ()
        known = len(self._told)
        same = view.log[:known] == self._told
        for sentence in view.log[known:] if same else ():
            self._say(sentence)
        self._told = view.log

    def _ask(self, view: View, *, again: bool) -> None:
        """The question, after what one has to know to answer it, unless that has been said."""
        if not again:
            self._show(view)
        back = "; u takes it back" if view.can_undo else ""
        match view.pending:
            case Pending.ACTION:
                odds = "; a for odds and advice" if view.advice_possible else ""
                undo = f"; u takes back {view.undo_text}" if view.can_undo else ""
                self._say(f"{view.prompt.rstrip('.')}; ? explains{odds}{undo}")
            case Pending.CARD:
                undo = f"; u takes back {view.undo_text}" if view.can_undo else ""
                self._say(f"{view.prompt} Such as 8h, Qs or 10d{undo}")
            case Pending.NEXT:
                self._say(f"{view.prompt} Enter begins it{back}; ? for more; q ends")
            case Pending.PEOPLE:
                self._say(f"{view.prompt} For example: sit Ann, or rebuy Ann{back}; q ends")
            case _:  # held
                self._say(f"{view.undo_text}. Enter goes on{back}")

    def _show(self, view: View) -> None:
        if view.pending is Pending.ACTION:
            self._table(view)
        if view.pending in (Pending.ACTION, Pending.CARD):
            self._say(view.turn_why)
        if view.over:
            self._results(view)

    def _do(self, line: str, view: View) -> None:
        words = line.split()
        command = words[0].lower() if words else ""
        single = command if len(words) == 1 else ""
        session = self.session
        if single == "?":
            self._help(view)
        elif single == "t":
            self._table(view)
        elif single == "a":
            self._advice(session.advice())
        elif single == "u":
            text = view.undo_text
            session.undo()
            self._say(f"Taken back: {text}.")
        elif command in ("sit", "rebuy", "leave"):
            self._people(command, words[1:])
        elif view.held:
            if words:
                raise ValueError(f"{line!r}; Enter goes on, u takes back, ? explains")
            session.step()
        elif view.pending is Pending.CARD and words:
            for card in words:
                session.card(card)
        elif view.pending is Pending.ACTION and words:
            session.choose(line)
        elif view.pending is Pending.NEXT and not words:
            session.next_hand()
        elif words:
            names = ["sit", "rebuy", "leave"]
            raise ValueError(
                f"{line!r} is no command here{did_you_mean(command, names)}; ? explains"
            )

    def _people(self, command: str, words: list[str]) -> None:
        session = self.session
        if not words:
            raise ValueError(f"who? Such as {command} Ann")
        name, rest = words[0], words[1:]
        number = int(rest.pop(0)) if rest and _is_number(rest[0]) else None
        policy = rest.pop(0) if rest and command == "sit" else ""
        if rest or (command == "leave" and number is not None):
            raise ValueError(f"{command}: {' '.join(words[1:])!r} is not understood; ? explains")
        if command == "sit":
            session.sit(name, number, policy)
        elif command == "rebuy":
            session.rebuy(name, number)
        else:
            session.leave(name)

    def _help(self, view: View) -> None:
        for sentence in view.help:
            self._say(f"  {sentence}")
        self._say("At any time:")
        for command, text in COMMANDS:
            self._say(f"  {command}: {text}.")
        policies = ", ".join(self.session.header.kind.policies)
        self._say(f"  Policies of computer players: {policies}.")

    def _table(self, view: View) -> None:
        if view.dealer_cards:
            out = ", out" if view.dealer_out else ""
            cards = format_cards(view.dealer_cards, "symbols")
            self._say(f"  Dealer {view.dealer_name}: {cards}, {view.dealer_value}{out}.")
        for seat in view.seats:
            self._say(f"  {_seat_line(seat)}")
        if view.hand_number and not view.over:
            self._say(f"  Pot: {chips(view.pot)}.")

    def _results(self, view: View) -> None:
        self._say(view.turn_why)
        for seat in view.seats:
            result = "" if seat.result is None else f" {seat.result:+} in this hand,"
            broke = ", broke" if seat.state == "broke" or seat.chips == 0 else ""
            self._say(
                f"  {seat.name}:{result} {seat.evening:+} this evening, has {chips(seat.chips)}"
                f"{broke}."
            )

    def _advice(self, advice: AdviceView) -> None:
        self._say(f"Odds for {advice.name}:")
        for row in advice.rows:
            parts = [f"  {row.label}: {row.value} chips ({row.exactly})"]
            if row.chance:
                parts.append(f"succeeds {row.chance}")
            if row.cost:
                parts.append(f"costs {row.cost}")
            self._say(", ".join(parts) + ".")
        doubt = "" if advice.certain else " The figures do not tell for certain."
        self._say(f"Advice: {advice.best}.{doubt} {advice.how}")
        for note in advice.notes:
            self._say(note)


def _seat_line(seat: SeatView) -> str:
    parts = [chips(seat.chips)]
    if seat.cards:
        parts += [format_cards(seat.cards, "symbols"), seat.value]
    if seat.state != "in" or not seat.cards:
        parts.append(seat.state)
    parts += seat.marks
    if seat.is_dealer and seat.state != "deals":
        parts.append("dealer")
    if seat.is_turn:
        parts.append("to act")
    who = f"{seat.name} ({seat.policy})" if seat.policy else seat.name
    return f"{who}: {', '.join(parts)}."


def _is_number(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20


def _farewell(session: Session) -> str:
    if session.path is None:
        return "The table is closed."
    return f"The table stays in {session.path}; `ricochet table {session.path}` goes on with it."
