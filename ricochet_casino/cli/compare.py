"""`ricochet compare`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ricochet_casino.cli.certify import parse_sampling, parse_strategy
from ricochet_casino.cli.common import (
    DealsOption,
    ExecutorOption,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    TextOrJson,
    WorkersOption,
    YesOption,
    check_text_or_json,
    load,
    out,
    parse_players,
    running,
    say_aside,
    shipped_names,
    strategy_names,
)
from ricochet_casino.lab import DEFAULT_SEED, DIFFERENCE_DEALS

MOST_DEALS = 20_000_000
"""Deals that are taken without --yes: about an hour for each player at the table."""

FileOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write there instead of printing."),
]


PANEL = "Design paytables"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


def compare(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD", help="A paytable: file or shipped name.", autocompletion=shipped_names
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW", help="The one to compare with it.", autocompletion=shipped_names
        ),
    ],
    players: Annotated[
        str | None,
        typer.Option(help="Player counts: 1, 1-7 or 1,4.", show_default="all that both cover"),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            help="A strategy, or a file with a hand table.", autocompletion=strategy_names
        ),
    ] = "collective",
    new_strategy: Annotated[
        str | None,
        typer.Option(
            help="The strategy under NEW, if it is another one.",
            autocompletion=strategy_names,
            show_default="the same",
        ),
    ] = None,
    deals: DealsOption = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="WIDTH",
            help="Sample until the difference of the RTP is known to within this share of an ante.",
        ),
    ] = None,
    level: Annotated[str, typer.Option(help="Level of all intervals.")] = "99%",
    form: TextOrJson = "text",
    out_file: FileOption = None,
    seed: SeedOption = DEFAULT_SEED,
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
    yes: YesOption = False,
) -> None:
    """What differs between two paytables: the rules key by key, and every figure.

    One player and the side bets are exact. Two to seven players are sampled, but not twice: the
    same deals are played under both paytables, so that luck cancels, and the difference has an
    interval of its own, several times narrower than that of two samples. Decisions are made anew
    under each paytable. By default 65,536 deals are taken for each number of players.

    With one paytable given twice, two strategies are compared: what the second one costs.

    Examples: `ricochet compare rulebook home_capped --players 1`,
    `ricochet compare rulebook my.yaml --players 2-4 --until 0.02% --workers 2`,
    `ricochet compare rulebook rulebook --new-strategy pot_odds --players 3`.
    """
    check_text_or_json(form)
    sampling = parse_sampling(deals, until, level, quick=False)
    counts = None if players is None else parse_players(players)
    models = load(old), load(new)
    choices = parse_strategy(strategy), parse_strategy(new_strategy or strategy)
    from ricochet_casino.lab import compare as lab
    from ricochet_casino.lab.requests import choice_to_json
    from ricochet_casino.report import comparison

    request: dict[str, Any] = {
        "what": "compare",
        "paytables": [model.model_dump(mode="json") for model in models],
        "strategies": [choice_to_json(choice) for choice in choices],
        "players": list(counts or lab.common_players(*models)),
        "sampling": sampling.to_json(),
        "seed": seed,
    }
    with running(Place(workers, executor, store, resume, restart), request) as runner:
        found = lab.compare(
            *models, counts, runner,
            deals=deals or DIFFERENCE_DEALS, until=None if until is None else sampling.until,
            strategy=choices[0], new_strategy=choices[1], seed=seed, level=sampling.level,
            most=None if yes else MOST_DEALS,
        )  # fmt: skip
    deliver_text(comparison, found, form, out_file)


def deliver_text(report: Any, found: dict[str, Any], form: str, file: Path | None) -> None:
    """Print what was found, or write it to a file.

    Parameters
    ----------
    report
        A module of the room `report` with ``render`` and ``sections``.
    found
        What it renders.
    form
        ``text`` or ``json``.
    file
        Where to, or None to print.
    """
    from ricochet_casino.config import write_text_atomically

    if file is not None:
        write_text_atomically(file, report.render(found, form))
        say_aside(f"wrote {file}")
    elif form == "text" and out.is_terminal:
        from ricochet_casino.report.terminal import print_sections

        print_sections(report.sections(found), out)
    else:
        typer.echo(report.render(found, form), nl=False)
