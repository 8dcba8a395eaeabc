"""`ricochet odds`, `ricochet round` and `ricochet games`."""

from fractions import Fraction
from typing import Annotated

import typer

from ricochet_casino.cli.common import (
    PaytableOption,
    SeedOption,
    load,
    out,
    say,
    strategy_names,
)

PANEL = "Look at one hand"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(odds)
    app.command("round")(round_)
    app.command()(games)


def odds(
    hand: Annotated[str, typer.Argument(help="The player's two cards, such as 'Ks Qs'.")],
    dealer: Annotated[str, typer.Argument(help="The dealer's five cards.")],
    dead: Annotated[str, typer.Option(help="Other cards in sight, which cannot come.")] = "",
    paytable: PaytableOption = "rulebook",
) -> None:
    """Exact odds and advice for one player's two cards against the dealer's five.

    Cards: `Ks`, `10h` or `Th`, `K♠`. Example: `ricochet odds 'Ks Qs' '2c 3d 7h 9s Jc'`.
    """
    from ricochet_casino.cards.classes import classes
    from ricochet_casino.cards.deck import format_cards, parse_cards
    from ricochet_casino.lab.advice import advise

    hole, five = parse_cards(hand, count=2), parse_cards(dealer, count=5)
    found = advise(load(paytable), hole, five, parse_cards(dead))
    lines = [
        ("hand", format_cards(hole, "symbols")),
        ("dealer", f"{format_cards(five, 'symbols')}  ({classes()[found.dealer_class].name})"),
        ("completions", f"{found.completions:,}"),
    ]
    if found.kicked_out:
        lines.append(("dealer", "kicked out: the pot is won"))
    else:
        lines += [("win", _chance(found.win)), ("of that by a tie", _chance(found.tie))]
    lines += [(name.replace("_", " "), _chance(chance)) for name, chance in found.bonus.items()]
    if not found.kicked_out:
        lines.append(("fold", _chips(found.fold)))
    lines.append(("play" if not found.kicked_out else "net", _chips(found.play)))
    advice = {"none": "nothing to decide"}.get(found.best, found.best)
    if found.kicked_out and found.best != "none":
        advice = "take the cards" if found.best == "play" else "decline the cards"
    lines.append(("advice", advice))
    width = max(len(name) for name, _ in lines)
    for name, text in lines:
        say(f"{name:<{width}}  {text}")


def _chance(chance: Fraction) -> str:
    return f"{chance}  = {float(chance):.6f}" if chance else "0"


def _chips(chips: Fraction) -> str:
    return f"{chips} {'chip' if abs(chips) == 1 else 'chips'}  = {float(chips):+.6f}"


def round_(
    seed: SeedOption = 0,
    players: Annotated[int, typer.Option(min=1, max=7, help="1 to 7.")] = 1,
    number: Annotated[int, typer.Option(min=0, help="Which deal of the seed.")] = 0,
    paytable: PaytableOption = "rulebook",
    strategy: Annotated[
        str | None,
        typer.Option(
            help="For all seats: collective, individual, collective_pot_only, pot_odds, "
            "always_play, always_fold or pairs_and_big_cards.",
            show_default="collective",
            autocompletion=strategy_names,
        ),
    ] = None,
) -> None:
    """Play one round by the book and tell it step by step."""
    from ricochet_casino.lab.rounds import refereed_round

    for line in refereed_round(load(paytable), seed, players, number, strategy):
        say(line)


def games() -> None:
    """List the games and their experiments."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from ricochet_casino.games import game_names, load_game

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("game", "experiments", "about"):
        table.add_column(name, overflow="fold")
    for name in game_names():
        game = load_game(name)
        about = (game.__doc__ or "").strip().splitlines()[0]
        table.add_row(name, ", ".join(game.EXPERIMENTS), about)
    out.print(table)
