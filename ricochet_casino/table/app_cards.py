"""Cards and people as text for the application: one row a seat, or three with cards in frames.

Colour only decorates: suits differ by sign or letter, and whose turn it is, who is out and who won
stands there in words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from ricochet_casino.cards.deck import SUIT_SYMBOLS, SUITS, format_card
from ricochet_casino.table.view import SeatView, View
from ricochet_casino.table.words import chips

DEAD = ("folded", "out")
_LETTERS = str.maketrans(SUIT_SYMBOLS, SUITS)
_TEN = re.compile(f"T(?=[{SUIT_SYMBOLS}])")
_TEXT_WIDTH = 23  # of what stands before the cards of a seat of three rows


@dataclass(frozen=True)
class Look:
    """How things are drawn.

    Attributes
    ----------
    letters
        Suits as letters (``Kd``) in place of symbols (``K♦``).
    colour
        Whether the terminal shows colours.
    """

    letters: bool = False
    colour: bool = True

    def words(self, sentence: str) -> str:
        """A sentence of the session in this look."""
        sentence = _TEN.sub("10", sentence)
        return sentence.translate(_LETTERS) if self.letters else sentence

    def card(self, card: int) -> str:
        """A card, three cells wide."""
        return self.words(format_card(card, "symbols")).ljust(3)

    def style(self, card: int, dead: bool) -> str:
        """Style of a card: red suits red where there are colours."""
        if dead:
            return "dim"
        if not self.colour:
            return "bold"
        red = card >= 52 or card & 3 in (1, 2)
        return "bold #c00000 on #f4f1e8" if red else "bold #101010 on #f4f1e8"


def cards_row(cards: Sequence[int], look: Look, *, dead: bool = False) -> Text:
    """Cards on one row, four cells each: those of hands that are out stand in brackets."""
    row = Text()
    for card in cards:
        row.append(look.card(card), look.style(card, dead))
        row.append(" ")
    return row


def cards_rows(cards: Sequence[int], look: Look, *, dead: bool = False) -> list[Text]:
    """Cards on three rows, five cells each, in frames; dotted frames for hands that are out."""
    rows = [Text(), Text(), Text()]
    top, side, bottom = ("┌┄┄┄┐", "┊", "└┄┄┄┘") if dead else ("╭───╮", "│", "╰───╯")
    for card in cards:
        style = look.style(card, dead)
        rows[0].append(top, style)
        rows[1].append(f"{side}{look.card(card)}{side}", style)
        rows[2].append(bottom, style)
    return rows


def status(seat: SeatView, view: View) -> str:
    """What to know about a person now, in a few words."""
    if seat.result is not None:
        told = {"won": "WON", "folded": "folded", "out": "out"}.get(seat.state, "")
        if seat.state == "deals":
            told = "out" if view.dealer_out else "house"
        return f"{told} {seat.result:+d}".strip()
    if seat.state == "deals":
        return "house, OUT" if view.dealer_out else "the house"
    if seat.state in DEAD:
        return seat.state.upper()
    if seat.state in ("waiting", "broke"):
        return "no chips" if seat.state == "broke" else ("" if not view.hand_number else "waits")
    if seat.is_turn and view.choices:
        return "TO ACT"
    return ", ".join("acts later" if mark == "to act" else mark for mark in seat.marks)


def _cards(seat: SeatView, view: View) -> tuple[tuple[int, ...], str, bool]:
    """Cards of a person, in words, and whether they are out."""
    if seat.state == "deals":
        return view.dealer_cards, view.dealer_value, view.dealer_out
    return seat.cards, seat.value, seat.state in DEAD


def _name_style(seat: SeatView) -> str:
    if seat.is_turn:
        return "bold reverse"
    return "dim" if seat.state in DEAD else "bold"


def _named(seat: SeatView, most: int) -> Text:
    """Marker of the turn, name, and who deals."""
    text = Text("▶ " if seat.is_turn else "  ", "bold")
    name = seat.name if len(seat.name) <= most else f"{seat.name[: most - 1]}…"
    text.append(name, _name_style(seat))
    text.append(" " * (most - len(name)))
    text.append(" D " if seat.is_dealer else "   ", "bold")
    return text


def _fitted(text: Text, width: int) -> Text:
    text.truncate(width, overflow="ellipsis")
    return text


def _cards_width(view: View) -> int:
    return 4 * max(5, len(view.dealer_cards), *(len(seat.cards) for seat in view.seats))


def _chips_width(view: View) -> int:
    return max(5, *(len(str(seat.chips)) for seat in view.seats))


def _heading(view: View) -> Text:
    cards = "cards".ljust(_cards_width(view))
    chips = "chips".rjust(_chips_width(view))
    return Text(f"  {'name':<10}   {chips} {cards} {'state':<11} hand", "dim")


def seat_row(seat: SeatView, view: View, look: Look, width: int) -> list[Text]:
    """A person on one row."""
    cards, value, dead = _cards(seat, view)
    room = _cards_width(view)
    text = _named(seat, 10)
    text.append(f"{seat.chips:>{_chips_width(view)}} ")
    text.append_text(cards_row(cards, look, dead=dead))
    text.append(" " * (room - 4 * len(cards)))
    said = status(seat, view)
    text.append(f" {said:<11} ", "bold" if seat.is_turn or seat.state == "won" else "")
    text.append(value, "dim" if dead else "")
    return [_fitted(text, width)]


def seat_rows(seat: SeatView, view: View, look: Look, width: int) -> list[Text]:
    """A person on three rows."""
    cards, value, dead = _cards(seat, view)
    who = seat.policy.replace("_", " ")
    first = _named(seat, 16)
    second = Text(f"  {chips(seat.chips)}")
    if seat.paid and seat.result is None:
        second.append(f" ({seat.paid} in pot)")
    third = Text("  ").append(who, "dim")
    rows = []
    said = Text().append(status(seat, view), "" if dead or not cards else "bold")
    words, style = _two_rows(value, width - _TEXT_WIDTH - 5 * len(cards) - 2), "dim" if dead else ""
    beside = [said, *(Text().append(line, style) for line in words)]
    if not words[1]:
        beside = [Text(), *beside[:2]]
    for left, drawn, right in zip(
        (first, second, third), cards_rows(cards, look, dead=dead), beside, strict=True
    ):
        left.truncate(_TEXT_WIDTH, pad=True)
        left.append_text(drawn)
        left.append("  " if cards else "")
        left.append_text(right)
        rows.append(_fitted(left, width))
    return rows


def _two_rows(words: str, width: int) -> tuple[str, str]:
    """Words on one row if they fit, else broken once."""
    if len(words) <= width:
        return words, ""
    cut = words.rfind(" ", 0, max(width, 0) + 1)
    return (words[:cut], words[cut + 1 :]) if cut > 0 else (words, "")


def people(view: View, look: Look, width: int, *, large: bool) -> Text:
    """Everybody at the table."""
    if not view.seats:
        return Text("  Nobody sits at the table yet: t lets people sit down.")
    draw = seat_rows if large else seat_row
    rows = [] if large else [_fitted(_heading(view), width)]
    rows += [row for seat in view.seats for row in draw(seat, view, look, width)]
    return Text("\n").join(rows)
