"""`ricochet decide`."""

import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ricochet_casino.cli.common import say, say_aside

if TYPE_CHECKING:
    from ricochet_casino.games.ricochet_poker.two_players import Decision
    from ricochet_casino.lab.decide import Question

_FORMATS = ("text", "json")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(decide)


def decide(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="The position.")],
    format_: Annotated[
        str,
        typer.Option("--format", help="text or json.", autocompletion=lambda: list(_FORMATS)),
    ] = "text",
) -> None:
    """Exact values of play and fold for the next player to act, one or two being left.

    The file holds `dealer` (five cards) and `players` (two-card hands in any order, or objects with
    `hand`, `completed` and `folded`), and optionally `paytable`, `strategy` (collective,
    collective_pot_only, individual), `coin`, `last_hand` and `when_equal`. Example:

    `{"dealer": ["Ac", "4c", "Jd", "2s", "7d"], "players": [["7h", "6s"], ["3d", "Qh"]]}`

    Values are chips from this decision on: antes and earlier bets are sunk.
    """
    from ricochet_casino.config import did_you_mean
    from ricochet_casino.lab.decide import answer, read_question

    if format_ not in _FORMATS:
        hint = did_you_mean(format_, _FORMATS)
        raise typer.BadParameter(f"{format_!r}: expected text or json{hint}", param_hint="--format")
    question = read_question(file)
    for warning in question.warnings:
        say_aside(f"warning: {warning}", "yellow")
    decision = question.decide()
    if format_ == "json":
        typer.echo(json.dumps(answer(decision), indent=2))
    else:
        for name, text in _lines(question, decision):
            say(f"{name:<8}  {text}")


def _lines(question: "Question", decision: "Decision") -> list[tuple[str, str]]:
    from ricochet_casino.cards.classes import class_of, classes
    from ricochet_casino.cards.deck import format_cards

    dealer_class = class_of(question.dealer)
    name = classes()[dealer_class].name
    out = ", kicked out" if dealer_class >= question.rules.kickout_class else ""
    whose = "the player's own" if question.strategy == "individual" else "of all players"
    lines = [
        ("paytable", question.paytable.title),
        ("strategy", f"{question.strategy} (chips {whose}, from this decision on)"),
        ("dealer", f"{format_cards(question.dealer, 'symbols')}  ({name}{out})"),
    ]
    for place, seat in enumerate(decision.order):
        cards = format_cards(question.holes[seat], "symbols")
        if question.folded[seat]:
            cards += "  folded"
        elif question.completed[seat]:
            five = question.completed[seat]
            cards = f"{format_cards(five, 'symbols')}  ({classes()[class_of(five)].name})"
        elif seat == decision.to_act:
            cards += "  to act"
        lines.append(("order" if place == 0 else "", f"players[{seat}]  {cards}"))
    lines.append(("play", _chips(decision.play)))
    lines.append(("fold", _chips(decision.fold)))
    lines.append(("best", decision.best))
    return lines


def _chips(chips: Fraction) -> str:
    return f"{chips} {'chip' if abs(chips) == 1 else 'chips'}  = {float(chips):+.6f}"
