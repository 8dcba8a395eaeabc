"""`ricochet paytable list|check|schema`."""

import json
from typing import Annotated

import typer

from ricochet_casino.cli.common import EXIT_DIFFERS, PaytableArgument, WorkersOption, load, out, say

PANEL = "Design paytables"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="List, check and describe paytables.")
    group.command("list")(list_)
    group.command()(check)
    group.command()(schema)
    app.add_typer(group, name="paytable")


def list_() -> None:
    """List the shipped paytables."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from ricochet_casino.games import load_paytable
    from ricochet_casino.paytable import shipped_paytables

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("name", "players", "title"):
        table.add_column(name, overflow="fold")
    for name in shipped_paytables():
        model = load_paytable(name)
        players = ", ".join(str(count) for count in getattr(model, "players", ()))
        table.add_row(name, players, model.title)
    out.print(table)


def check(
    paytable: PaytableArgument,
    figures: Annotated[
        bool, typer.Option("--figures", help="Also recompute the figures under `expect:`.")
    ] = False,
    workers: WorkersOption = 1,
) -> None:
    """Check a paytable: every problem with file, line and the nearest valid name.

    Exit code 0 if it can be used, 1 if `--figures` finds a figure that is not met, 2 if it is bad.
    """
    model = load(paytable)
    say(f"{paytable}: good ({model.title})")
    if figures:
        from ricochet_casino.lab.expectations import check_expectations

        rows = check_expectations(model, workers=workers)
        for row in rows:
            verdict = {True: "met", False: "NOT MET", None: "not checked"}[row.met]
            found = f" (computed {row.found})" if row.met is not None else f" ({row.found})"
            say(f"  {row.what} = {row.expected}: {verdict}{found}")
        if any(row.met is False for row in rows):
            raise typer.Exit(EXIT_DIFFERS)


def schema(
    game: Annotated[str, typer.Argument(help="The game.")] = "ricochet_poker",
) -> None:
    """Print the JSON Schema of a game's paytables, for completion and checks in an editor."""
    from ricochet_casino.games import json_schema

    typer.echo(json.dumps(json_schema(game), indent=2, ensure_ascii=False))
