"""A `View` of a `State`."""

from ricochet_casino.table.evening import Evening, Person
from ricochet_casino.table.hand import Hand
from ricochet_casino.table.state import FEWEST, State
from ricochet_casino.table.view import AdviceView, ChoiceView, Pending, SeatView, View
from ricochet_casino.table.words import chips, hand_words


def shown_view(
    state: State, lines: int, notes: tuple[str, ...], advice: AdviceView | None, possible: bool
) -> View:
    """All that is to be seen; see `View` for the arguments."""
    hand, pending = state.hand, state.pending
    last = state.last_back
    choices = hand.choices() if hand and pending in (Pending.ACTION, Pending.COMPUTER) else ()
    return View(
        title=state.header.kind.title,
        game=state.header.kind.name,
        manual=state.header.manual,
        hand_number=state.number,
        pending=pending,
        held=pending in (Pending.DEAL, Pending.COMPUTER) and _is_fresh(state),
        over=hand is not None and not state.playing,
        pot=hand.pot if hand and state.playing else 0,
        seats=_seats(state),
        turn_why=hand.why if hand else "",
        prompt=_prompt(state, choices),
        help=_help(state, choices),
        choices=choices,
        log=state.log,
        dealer_name=hand.dealer if hand else "",
        dealer_cards=hand.dealer_cards if hand else (),
        dealer_value=hand_words(hand.dealer_cards) if hand else "",
        dealer_out=hand.dealer_out if hand else False,
        can_undo=last is not None,
        undo_text=last.text if last else "",
        advice=advice,
        advice_possible=possible,
        events=lines,
        notes=notes,
    )


def _is_fresh(state: State) -> bool:
    """Whether the last thing that happened is a person's action."""
    return bool(state.back) and state.back[-1].by_person


def _seats(state: State) -> tuple[SeatView, ...]:
    evening = state.settled
    return tuple(_seat(state, evening, person) for person in evening.seated)


def _seat(state: State, evening: Evening, person: Person) -> SeatView:
    hand, name = state.hand, person.name
    left = person.chips + (hand.net.get(name, 0) if hand and state.playing else 0)
    idle = "waiting" if person.chips >= evening.ante else "broke"
    if hand is None or name not in (*hand.players, hand.dealer):
        return SeatView(name, person.policy, left, state=idle, evening=person.ahead)
    result = None if state.playing else hand.net[name]
    ahead = person.ahead + (hand.net[name] if state.playing else 0)
    is_dealer, is_turn = name == hand.dealer, name == state.turn_of
    if name not in hand.players:
        return SeatView(
            name, person.policy, left, state="deals", is_dealer=is_dealer, is_turn=is_turn,
            paid=hand.paid.get(name, 0), result=result, evening=ahead,
        )  # fmt: skip
    place = hand.players.index(name)
    mark = hand.marks[place]
    return SeatView(
        name, person.policy, left, hand.hands[place], hand_words(hand.hands[place]),
        hand.states[place], is_dealer, is_turn, hand.paid.get(name, 0), result, ahead,
        (mark,) if mark else (),
    )  # fmt: skip


def _prompt(state: State, choices: tuple[ChoiceView, ...]) -> str:
    who = state.turn_of
    match state.pending:
        case Pending.PEOPLE:
            return _lacking(state.settled)
        case Pending.NEXT:
            return f"Hand {state.settled.hands + 1} can begin."
        case Pending.ACTION:
            legal = ", ".join(
                f"{choice.key} to {choice.label}" for choice in choices if choice.legal
            )
            return f"{who}: {legal}."
        case Pending.COMPUTER:
            return f"{who} is a computer player and decides."
        case Pending.DEAL:
            if state.back:
                return f"{state.back[-1].text}: the cards can be dealt."
            return f"A card for {who} is dealt."
        case Pending.CARD:
            return f"Which card has been dealt to {who}?"


def _lacking(evening: Evening) -> str:
    number = len(evening.able)
    broke = [person.name for person in evening.seated if person.chips < evening.ante]
    there = {0: "nobody can", 1: f"only {evening.able[0].name if number else ''} can"}[number]
    text = (
        f"A hand needs {FEWEST} people who can pay the ante, and {there}: somebody has to sit down"
    )
    return f"{text}, or {' or '.join(broke)} to buy chips." if broke else f"{text}."


def _help(state: State, choices: tuple[ChoiceView, ...]) -> tuple[str, ...]:
    lines = [*state.header.kind.help]
    hand: Hand | None = state.hand
    if hand is not None and state.playing:
        lines.append(f"Now: {hand.why}")
        lines += [f"{c.key}, {c.label}: {c.explains}" for c in choices if c.legal]
        lines += [f"Not possible: {c.label}, since {c.why_not}." for c in choices if not c.legal]
    else:
        ante = chips(state.header.kind.ante)
        lines.append(
            f"Every hand begins with an ante of {ante} from everybody, and it makes the pot."
        )
    return tuple(lines)
