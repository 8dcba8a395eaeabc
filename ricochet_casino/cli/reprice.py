"""`ricochet reprice`."""

from typing import Annotated

import typer

from ricochet_casino.cli.common import (
    PaytableArgument,
    Place,
    SeedOption,
    TextOrJson,
    WorkersOption,
    check_text_or_json,
    load,
    parse_players,
    running,
)
from ricochet_casino.cli.workbench_options import (
    FileOption,
    SetOption,
    StrategyOption,
    deliver_result,
    open_spectrum,
)
from ricochet_casino.lab import DEFAULT_SEED, DIFFERENCE_DEALS

PANEL = "Design paytables"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(reprice)


def reprice(
    paytable: PaytableArgument,
    settings: SetOption = None,
    strategy: StrategyOption = "collective",
    players: Annotated[str, typer.Option(help="Player counts: 1, 1-7 or 1,4.")] = "1",
    deals: Annotated[
        int, typer.Option(min=1, help="Deals to sample for two players and more.")
    ] = DIFFERENCE_DEALS,
    seed: SeedOption = DEFAULT_SEED,
    workers: WorkersOption = 1,
    form: TextOrJson = "text",
    file: FileOption = None,
) -> None:
    """Change a paytable and see, at once and exactly, what it does to the game for one player.

    Old and new stand side by side with their exact difference: every figure of the main game, what
    each bonus line contributes, and the side bets whose pays were changed. The best decisions are
    made anew. The first call builds a table of all deals and keeps it in a cache folder
    (`RICOCHET_CACHE`, or the user's); after that a paytable takes milliseconds.

    A line that is not there is added; `none` takes one away. Two to seven players are sampled: the
    same deals under both paytables, and the difference has an interval of its own.

    Examples: `ricochet reprice rulebook --set bonus.flush=6 --set kickout.1=AA`,
    `ricochet reprice rulebook --set play_bet=2 --set bonus.flush=none --format json`,
    `ricochet reprice rulebook --set bonus.straight=2 --players 1-3`.
    """
    check_text_or_json(form)
    if not settings:
        raise typer.BadParameter("nothing to change: expected KEY=VALUE", param_hint="--set")
    old = load(paytable)
    from ricochet_casino.lab.reprice import apply_settings
    from ricochet_casino.lab.reprice import reprice as compute
    from ricochet_casino.lab.table_pricing import table_repricer

    counts = parse_players(players)
    new = apply_settings(old, settings)
    for count in counts:
        old.rules(count)
    spectrum = open_spectrum() if 1 in counts else None
    with running(Place(workers), {}) as runner:
        tables = {n: table_repricer(n, runner, deals, seed) for n in counts if n > 1}
        found = compute(
            old, new, spectrum, strategy=strategy, settings=tuple(settings), tables=tables
        )
    deliver_result(found, form, file)
