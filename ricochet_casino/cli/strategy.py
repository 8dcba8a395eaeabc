"""`ricochet strategy`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ricochet_casino.cli.common import (
    ExecutorOption,
    PaytableArgument,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    TextOrJson,
    WorkersOption,
    check_text_or_json,
    load,
    running,
    say_aside,
)
from ricochet_casino.cli.compare import FileOption
from ricochet_casino.cli.output import asked
from ricochet_casino.lab import CARD_DEALS, DEFAULT_SEED

PANEL = "Design paytables"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(strategy)


def strategy(
    paytable: PaytableArgument,
    players: Annotated[int, typer.Option(min=1, max=7, help="For so many players.")] = 1,
    conditions: Annotated[
        int, typer.Option(min=0, max=8, help="Most conditions of a simple rule (one player).")
    ] = 6,
    every_hand: Annotated[
        bool, typer.Option("--every-hand", help="List the best play of all 169 hands (one player).")
    ] = False,
    deals: Annotated[
        int,
        typer.Option(
            min=1, max=10**9, help="Deals to compare each strategy on (two players and more)."
        ),
    ] = CARD_DEALS,
    form: TextOrJson = "text",
    out_file: FileOption = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            metavar="FILE.yaml",
            help="Write the chart as a hand table, for `certify --strategy`.",
        ),
    ] = None,
    seed: SeedOption = DEFAULT_SEED,
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """A strategy card: how to play a paytable, and what simpler play costs.

    For one player all of it is exact: the best simple rules that a search finds, with 0, 1, 2, ...
    conditions, and what each costs against the best play; the cost of weak play; a chart of what
    each of the 169 starting hands plays against. JSON holds the best decisions of every hand in
    full, with the classes marked in which suits decide.

    For two to seven players the card tells the chance that a play needs by the size of the pot, a
    chart of limits, and what simple strategies cost against `collective`, on the same deals.

    Examples: `ricochet strategy rulebook`, `ricochet strategy rulebook --players 4`,
    `ricochet strategy my.yaml --format json --out card.json`,
    `ricochet strategy rulebook --table mine.yaml`, then
    `ricochet certify rulebook --strategy mine.yaml`.
    """
    check_text_or_json(form)
    model = load(paytable)
    model.rules(players)  # refuses before a store is touched
    from ricochet_casino.lab.strategy_card import strategy_card

    request = {"what": "strategy", "players": players, "deals": deals, "seed": seed}
    with running(Place(workers, executor, store, resume, restart), asked(model, request)) as runner:
        card = strategy_card(model, players, runner, conditions=conditions, deals=deals, seed=seed)
    _deliver(card, form, out_file, every_hand=every_hand)
    if table is not None:
        _write_table(card, table)


def _deliver(card: dict[str, Any], form: str, file: Path | None, *, every_hand: bool) -> None:
    from ricochet_casino.config import write_text_atomically
    from ricochet_casino.report.strategy_card import render

    text = render(card, form, every_hand=every_hand)
    if file is None:
        typer.echo(text, nl=False)
        return
    write_text_atomically(file, text)
    say_aside(f"wrote {file}")


def _write_table(card: dict[str, Any], file: Path) -> None:
    from ricochet_casino.config import write_text_atomically
    from ricochet_casino.lab.strategy_card import hand_table_text

    write_text_atomically(file, hand_table_text(card))
    say_aside(f"wrote {file}")
