"""What stands below and beside the people: whose turn, choices, advice, the story so far."""

import re
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from ricochet_casino.table.app_cards import Look
from ricochet_casino.table.view import AdviceRow, AdviceView, ChoiceView, Pending, View
from ricochet_casino.table.words import chips

_CONSOLE = Console(width=200)  # only to break lines


def key_line(keys: Sequence[tuple[str, str]]) -> Text:
    """Keys with what they do, such as `` u `` take back."""
    text = Text()
    for key, does in keys:
        text.append(f" {key} ", "reverse")
        text.append(f" {does}  ")
    return text


def cost(choice: ChoiceView) -> str:
    """What a choice costs, in words."""
    if not choice.legal:
        return "not now"
    return chips(choice.cost) if choice.cost else "free"


def _best_key(advice: AdviceView) -> str:
    return next((row.key for row in advice.rows if row.label == advice.best), "")


def choices_text(view: View, width: int) -> Text:
    """The choices of the person to act, as many on a row as fit, each with its cost."""
    best = _best_key(view.advice) if view.advice else ""
    cells = []
    for choice in view.choices:
        cell = Text()
        cell.append(f" {choice.key} ", "reverse" if choice.legal else "dim")
        cell.append(f" {choice.label}: {cost(choice)}", "" if choice.legal else "dim strike")
        if choice.key == best:
            cell.append(" ◀ best" if view.advice and view.advice.certain else " ◀ best?", "bold")
        cells.append(cell)
    if not cells:
        return Text()
    span = max(cell.cell_len for cell in cells) + 2
    row = max(1, width // span)
    lines = []
    for begin in range(0, len(cells), row):
        line = Text()
        for cell in cells[begin : begin + row]:
            cell.truncate(span, pad=True)
            line.append_text(cell)
        lines.append(line)
    reasons = dict.fromkeys(c.why_not for c in view.choices if not c.legal)
    lines += [Text(f"Not now: {reason}.", "dim") for reason in reasons]
    return Text("\n").join(lines)


def hints_text(view: View, look: Look) -> Text:
    """What the choices mean, for where there is room; those that differ by a number once."""
    kinds: dict[str, list[ChoiceView]] = {}
    for choice in view.choices:
        if choice.legal:
            kinds.setdefault(re.sub(r"\d+", "n", choice.explains), []).append(choice)
    text = Text()
    for alike in kinds.values():
        text.append(f" {alike[0].key} ", "bold")
        more = f" {', '.join(c.key for c in alike[1:])} alike." if len(alike) > 1 else ""
        text.append(f"{look.words(alike[0].explains)}{more}\n", "dim")
    text.rstrip()
    return text


def rules_text(view: View, look: Look) -> Text:
    """The rules in short, before the first hand."""
    return Text("\n".join(f"• {look.words(line)}" for line in view.help))


def _keyed(*parts: str) -> Text:
    """Keys (at even places) and what they do."""
    text = Text()
    for place, part in enumerate(parts):
        text.append(part, "" if place % 2 else "bold reverse")
    return text


def does_now(view: View, look: Look) -> Text:
    """What Enter does, or what the program does, in a sentence."""
    match view.pending:
        case Pending.ACTION:
            who = next((seat.name for seat in view.seats if seat.is_turn), "")
            return Text(f"{who}, press one of these keys:", "bold")
        case Pending.DEAL | Pending.COMPUTER if view.held:
            does = " deals the cards. " if view.pending is Pending.DEAL else " goes on. "
            undo = f" takes back: {look.words(view.undo_text)}."
            return _keyed("Enter", does, "u", undo)
        case Pending.DEAL:
            return Text("The cards are dealt.", "bold")
        case Pending.NEXT if view.hand_number == 0:
            return _keyed(
                "Enter", " deals the first hand. ", "?", " explains the game in a minute."
            )
        case Pending.NEXT:
            return _keyed(
                "Enter", " deals the next hand. ", "t", " lets people join, leave, buy chips."
            )
        case Pending.PEOPLE:
            return _keyed("t", f" opens the list of people. {view.prompt}")
        case _:
            return Text(look.words(view.prompt), "bold")


_TABLE_WIDTH = 68  # of odds in columns


def _columns(row: AdviceRow, best: str) -> str:
    """What a choice is worth, in the columns of `_heading`."""
    exactly = "" if row.exactly == row.value else row.exactly
    return (
        f"{'▶' if best else ' '} {row.label:<7} {row.value:>10} {best:<5} {exactly:<20} "
        f"{row.chance:>10} {row.cost:>8}"
    )


def _heading(casino: bool) -> str:
    chance = "wins" if casino else "not lowest"
    return f"  {'choice':<7} {'expected':>10} {'':<5} {'exactly':<20} {chance:>10} {'pays':>8}"


def _packed(row: AdviceRow, best: str, casino: bool, width: int) -> list[str]:
    """The same on as many rows as a narrow panel needs."""
    mark = "▶" if best else " "
    lines = [f"{mark} {row.label:<7} {row.value:>10}  {best}".rstrip()]
    parts = [] if row.exactly == row.value else [f"({row.exactly})"]
    if row.chance:
        parts.append(f"{'wins' if casino else 'not lowest'} {row.chance}")
    if row.cost:
        parts.append(f"pays {row.cost}")
    begin = len(lines)
    for part in parts:
        if len(lines) > begin and len(lines[-1]) + len(part) + 2 <= width:
            lines[-1] += f"  {part}"
        else:
            lines.append(f"    {part}")
    return lines


def advice_text(view: View, advice: AdviceView, width: int) -> Text:
    """What each choice is worth, how that was found, and the command with the same figures."""
    text, casino = Text(), view.game == "casino-night"
    if width >= _TABLE_WIDTH:
        text.append(_heading(casino) + "\n", "dim")
    for row in advice.rows:
        mark = "BEST" if advice.certain else "BEST?"
        best = mark if row.key == _best_key(advice) else ""
        wide = width >= _TABLE_WIDTH
        lines = [_columns(row, best)] if wide else _packed(row, best, casino, width)
        text.append("\n".join(lines) + "\n", "bold" if best else "")
    if not advice.certain:
        text.append("The best ones are too close to be sure.\n")
    text.append(advice.how + "\n", "dim")
    for note in advice.notes:
        text.append(note + "\n", "dim")
    if advice.command:
        text.append(f"The same by: {advice.command}\n", "dim")
    text.rstrip()
    return text


def story_text(view: View, look: Look, width: int) -> Text:
    """The whole story, then the odds if they are shown, with all that belongs to them."""
    text = log_text(view, look)
    if view.advice is not None:
        text.append(f"\n\nOdds and advice for {view.advice.name}\n", "bold underline not dim")
        text.append_text(advice_text(view, view.advice, width))
        if view.advice.position:
            text.append(f"\nposition.json: {view.advice.position}", "dim")
    return text


def log_text(view: View, look: Look, rows: int | None = None, width: int = 0) -> Text:
    """The story of the hand; the end of it if only so many rows of a width are there."""
    lines = [look.words(line) for line in (*view.notes, *view.log)]
    if rows is not None and width > 0:
        kept: list[str] = []
        for line in reversed(lines):
            rows -= len(Text(line).wrap(_CONSOLE, width))
            if rows < 0:
                break
            kept.append(line)
        lines = kept[::-1]
    text = Text("\n".join(lines[:-1]), "dim")
    if lines:
        text.append(("\n" if len(lines) > 1 else "") + lines[-1], "not dim")
    return text


def head_text(view: View, width: int) -> Text:
    """Game, hand, dealer and pot on one row."""
    left = f" · hand {view.hand_number}" if view.hand_number else ""
    if view.dealer_name:
        left += f" · {view.dealer_name} deals"
    right = f"POT {view.pot} " if not view.over and view.hand_number else ""
    text = Text(f" {view.title}")
    room = max(width - len(left) - len(right) - 1, 0)
    text.truncate(room, overflow="ellipsis")
    text.append(left)
    text.append(" " * max(width - len(right) - text.cell_len, 1))
    text.append(right, "bold")
    return text


def help_text(view: View, look: Look) -> Text:
    """The rules in short, what may be done now, and the keys."""
    text = Text("How it is played\n", "bold underline")
    for line in view.help:
        text.append(f"• {look.words(line)}\n", "not bold not underline")
    text.append("\nKeys\n", "bold underline")
    for key, does in KEYS:
        text.append(f"{key:>8}", "bold not underline")
        text.append(f"  {does}\n", "not bold not underline")
    text.append("\nOn the screen\n", "bold underline")
    for line in SIGNS:
        text.append(f"• {look.words(line)}\n", "not bold not underline")
    return text


KEYS = (
    ("f p 1 2", "choose: the keys of your choices stand above the last rows with what they cost"),
    ("Enter", "deal the cards that were bought; go on; the next hand; hurry a computer player"),
    ("u", "take back the last action, until a card is dealt or a computer player acts"),
    ("a", "show or hide the odds and advice for whoever is to act"),
    ("l", "the whole story of the hand"),
    ("t", "the people: join, leave, buy chips (between hands)"),
    ("s", "suits as symbols or as letters"),
    ("?", "this page"),
    ("q", "leave; nothing is lost, and the table can be resumed"),
    ("Esc", "back; with real cards: from the line for the card to these keys"),
)
"""Keys of the application and what they do."""

SIGNS = (
    "▶ stands before whoever has to act or is dealt to; D behind whoever deals.",
    "FOLDED and OUT hands take no part any more; their cards stay in sight.",
    "Suits: ♣ clubs (lowest), ♦ diamonds, ♥ hearts, ♠ spades (highest).",
    "Nothing needs a mouse, and no meaning is in a colour alone.",
)
