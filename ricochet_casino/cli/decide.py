"""`ricochet decide`."""

import json
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ricochet_casino.cli.common import (
    SeedOption,
    TextOrJson,
    check_text_or_json,
    say,
    say_aside,
)
from ricochet_casino.lab import DEFAULT_SEED

if TYPE_CHECKING:
    from ricochet_casino.games.ricochet_poker.table_position import Amount, TableDecision
    from ricochet_casino.games.ricochet_poker.two_players import Decision
    from ricochet_casino.lab.decide import Question

_MILLION = 10**6


PANEL = "Look at one hand"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(decide)


def decide(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="The position.")],
    format_: TextOrJson = "text",
    deals: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10**7,
            help="Random orders of the cards to come, where values are sampled.",
            show_default="16384",
        ),
    ] = None,
    seed: SeedOption = DEFAULT_SEED,
) -> None:
    """What play and fold are worth to the next player to act, and what the strategy does.

    Exact with one or two players left to act, whoever acted before. With more left a value is
    sampled and has an interval that holds at 99 %, unless it is known: the group's values with
    three left or the dealer out, its fold with four left, a fold of `individual`. Each value says
    which. There `best` is the strategy's own choice, which looks ahead by marginal odds and can be
    the lesser one. More `--deals` make intervals narrower; the same `--seed` gives the same answer.

    The file holds `dealer` (five cards) and `players` (two-card hands in any order, or objects with
    `hand`, `completed` and `folded`), and optionally `paytable`, `strategy` (collective,
    collective_pot_only, individual), `coin`, `last_hand` and `when_equal`. Example:

    `{"dealer": ["Ac", "4c", "Jd", "2s", "7d"], "players": [["7h", "6s"], ["3d", "Qh"]]}`

    Values are chips from this decision on, antes and earlier bets being sunk: the total of all
    players, or for `individual` the player's own.
    """
    from ricochet_casino.lab.decide import answer, read_question

    check_text_or_json(format_)
    question = read_question(file)
    for warning in question.warnings:
        say_aside(f"warning: {warning}", "yellow")
    sampling = {} if deals is None else {"deals": deals}
    decision = question.decide(**sampling, seed=seed)
    if format_ == "json":
        typer.echo(json.dumps(answer(decision), indent=2))
    else:
        for name, text in _lines(question, decision):
            say(f"{name:<10}  {text}")


def _lines(question: "Question", decision: "Decision | TableDecision") -> list[tuple[str, str]]:
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
    return lines + _values(decision)


def _values(decision: "Decision | TableDecision") -> list[tuple[str, str]]:
    """Play, fold and what the strategy does; with three or more left also their difference."""
    amounts: dict[str, Amount] = {"play": decision.play, "fold": decision.fold}
    difference: Amount | None = getattr(decision, "difference", None)
    if difference is not None:
        amounts["difference"] = difference
    texts = {name: _chips(amount) for name, amount in amounts.items()}
    width = max(map(len, texts.values()))
    lines = [(name, f"{text:<{width}}  {_how(amounts[name])}") for name, text in texts.items()]
    lines.append(("best", decision.best + _doubt(decision.best, difference)))
    deals = getattr(decision, "deals", 0)
    if deals:
        seed = getattr(decision, "seed", None)
        lines.append(("sample", f"{deals:,} random orders of the cards to come, seed {seed}"))
    return lines


def _chips(amount: "Amount") -> str:
    if isinstance(amount, Fraction):
        return f"{amount} {'chip' if abs(amount) == 1 else 'chips'}  = {float(amount):+.6f}"
    low = floor(amount.interval.low * _MILLION) / _MILLION
    high = ceil(amount.interval.high * _MILLION) / _MILLION
    return f"{float(amount.mean):+.6f} chips, {low:+.6f} to {high:+.6f}"


def _how(amount: "Amount") -> str:
    if isinstance(amount, Fraction):
        return "exact"
    level = float(amount.interval.level * 100)
    return f"sampled, {level:g} % interval ({amount.interval.method})"


def _doubt(best: str, difference: "Amount | None") -> str:
    """A remark if the strategy's choice is certainly the lesser one, or that is not known."""
    if difference is None:
        return ""
    low, high = (
        (difference, difference)
        if isinstance(difference, Fraction)
        else (difference.interval.low, difference.interval.high)
    )
    if best == "fold":
        low, high = -high, -low
    if high < 0:
        return "  (by marginal odds; the other choice is worth more if all go on like this)"
    return "" if low >= 0 else "  (by marginal odds; the sample does not tell which is worth more)"
