"""What a screen shows of a table: plain records, made anew by `Session.view` after every change.

Cards are codes (`cards.deck`), so that each front end prints them in its own style; amounts are
whole chips; sentences are complete and end with a full stop.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class Pending(StrEnum):
    """What the table waits for, and so what a front end does next."""

    PEOPLE = "people"
    """Too few people can play: `sit` or `rebuy`."""
    NEXT = "next"
    """No hand is being played: `next_hand` (also `sit`, `leave`, `rebuy`)."""
    ACTION = "action"
    """A person has to act: `choose`."""
    COMPUTER = "computer"
    """A computer player has to act: `step`. Ask first if `View.held`."""
    DEAL = "deal"
    """A card comes from the shuffled deck: `step`. Ask first if `View.held`."""
    CARD = "card"
    """Manual mode: a real card has been dealt: `card`."""


@dataclass(frozen=True)
class ChoiceView:
    """Something that whoever is to act may do.

    Attributes
    ----------
    key
        What `Session.choose` takes and a keyboard can type: ``f``, ``1`` to ``6``, ``p``.
    label
        Such as ``fold`` or ``buy 2 cards``.
    cost
        Chips.
    explains
        One sentence for a newcomer.
    legal
        Whether it may be chosen now.
    why_not
        If not, the reason.
    """

    key: str
    label: str
    cost: int
    explains: str
    legal: bool = True
    why_not: str = ""


@dataclass(frozen=True)
class SeatView:
    """A person at the table.

    Attributes
    ----------
    name
        Of the person.
    policy
        Of a computer player, empty for a human being.
    chips
        Not yet in the pot; a pot won is added at once.
    cards
        Codes in the order dealt.
    value
        The cards in words, such as ``pair of twos``; empty without cards.
    state
        ``waiting`` (not in this hand), ``broke`` (cannot pay the ante), ``deals`` (casino night:
        the dealer, see `View.dealer_cards`), ``in``, ``folded``, ``out`` or ``won``.
    is_dealer, is_turn
        Whether the person deals this hand; whether the table waits for him, or deals to him.
    paid
        Chips paid into the pot in this hand.
    result
        Chips won (negative: lost) in the hand that is over; None while one is being played.
    evening
        Chips ahead (negative: behind) of all that was bought this evening.
    marks
        Further remarks in a few words, such as ``lowest`` or ``to beat``.
    """

    name: str
    policy: str
    chips: int
    cards: tuple[int, ...] = ()
    value: str = ""
    state: str = "waiting"
    is_dealer: bool = False
    is_turn: bool = False
    paid: int = 0
    result: int | None = None
    evening: int = 0
    marks: tuple[str, ...] = ()

    @property
    def human(self) -> bool:
        """Whether this is no computer player."""
        return not self.policy


@dataclass(frozen=True)
class AdviceRow:
    """What one choice is worth.

    Attributes
    ----------
    key
        Of the choice, as in `ChoiceView`.
    label
        Such as ``buy 2``.
    value
        Expected chips from here on, as text with sign.
    exactly
        The same as a fraction, or its interval.
    chance
        Of no longer being the lowest (home game), or of winning the pot (casino night against the
        dealer alone); empty where it is not computed.
    cost
        Chips paid on average from here on; empty where it is not computed.
    """

    key: str
    label: str
    value: str
    exactly: str
    chance: str = ""
    cost: str = ""


@dataclass(frozen=True)
class AdviceView:
    """Odds and advice for whoever is to act.

    Attributes
    ----------
    name
        Of the person.
    rows
        One for each choice.
    best
        Label of the best one.
    certain
        Whether no other choice can be better, as far as intervals tell.
    how
        How the values were found, in a sentence.
    notes
        What the figures leave out of account; sentences.
    command
        The command that prints the same figures; ``PAYTABLE`` in it stands for one's own paytable.
    position
        What that command reads from a file, as JSON; empty if it needs none.
    """

    name: str
    rows: tuple[AdviceRow, ...]
    best: str
    certain: bool
    how: str
    notes: tuple[str, ...] = ()
    command: str = ""
    position: str = ""


@dataclass(frozen=True)
class View:
    """All that is to be seen.

    Attributes
    ----------
    title
        Of the game.
    game
        ``home``, ``table-game-ii`` or ``casino-night``.
    manual
        Whether the cards are real ones, entered by the group.
    hand_number
        From 1; 0 before the first hand.
    pending
        What the table waits for.
    held
        Whether a person has just acted, and the next thing is `step`: the front end asks before it
        calls that, since `undo` is possible until then (a card, or a computer player's action).
    over
        Whether a hand has just ended and its result is shown.
    pot
        Chips.
    seats
        Everybody at the table, in the order in which they sit.
    turn_why
        Whose turn it is and why, in a sentence.
    prompt
        What to do now, in a sentence.
    help
        What a newcomer should know at this moment; sentences.
    choices
        Of the person to act; empty otherwise.
    log
        Everything told so far of this hand (the last one if none is being played), and of people
        who came and went since; sentences.
    dealer_name
        Who deals.
    dealer_cards, dealer_value, dealer_out
        Casino night: the dealer's cards, in words, and whether she is kicked out or beaten.
    can_undo
        Whether `undo` would do something.
    undo_text
        What it would take back.
    advice
        None until it is asked for, or if it is hidden.
    advice_possible
        Whether `Session.advice` would answer now.
    events
        How many lines the ledger has, its header included.
    notes
        Remarks on opening the ledger, such as a last line that was cut off.
    """

    title: str
    game: str
    manual: bool
    hand_number: int
    pending: Pending
    held: bool
    over: bool
    pot: int
    seats: tuple[SeatView, ...]
    turn_why: str
    prompt: str
    help: tuple[str, ...]
    choices: tuple[ChoiceView, ...] = ()
    log: tuple[str, ...] = ()
    dealer_name: str = ""
    dealer_cards: tuple[int, ...] = ()
    dealer_value: str = ""
    dealer_out: bool = False
    can_undo: bool = False
    undo_text: str = ""
    advice: AdviceView | None = None
    advice_possible: bool = False
    events: int = 0
    notes: tuple[str, ...] = field(default=())
