"""`ricochet reprice`."""

import typer

from ricochet_casino.cli.common import PaytableArgument, load
from ricochet_casino.cli.workbench_options import (
    FileOption,
    FormOption,
    SetOption,
    StrategyOption,
    check_form,
    deliver_result,
    open_spectrum,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(reprice)


def reprice(
    paytable: PaytableArgument,
    settings: SetOption = None,
    strategy: StrategyOption = "collective",
    form: FormOption = "text",
    file: FileOption = None,
) -> None:
    """Change a paytable and see, at once and exactly, what it does to the game for one player.

    Old and new stand side by side with their exact difference: every figure of the main game, what
    each bonus line contributes, and the side bets whose pays were changed. The best decisions are
    made anew. The first call builds a table of all deals and keeps it in a cache folder
    (`RICOCHET_CACHE`, or the user's); after that a paytable takes milliseconds.

    A line that is not there is added; `none` takes one away.

    Examples: `ricochet reprice rulebook --set bonus.flush=6 --set kickout.1=AA`,
    `ricochet reprice rulebook --set play_bet=2 --set bonus.flush=none --format json`.
    """
    check_form(form)
    if not settings:
        raise typer.BadParameter("nothing to change: expected KEY=VALUE", param_hint="--set")
    old = load(paytable)
    from ricochet_casino.lab.reprice import apply_settings
    from ricochet_casino.lab.reprice import reprice as compute

    new = apply_settings(old, settings)
    old.rules(1)
    found = compute(old, new, open_spectrum(), strategy=strategy, settings=tuple(settings))
    deliver_result(found, form, file)
