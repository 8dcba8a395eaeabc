"""`ricochet sensitivity`."""

from typing import Annotated

import typer

from ricochet_casino.cli.common import PaytableArgument, TextOrJson, check_text_or_json, load
from ricochet_casino.cli.workbench_options import (
    FileOption,
    SetOption,
    StrategyOption,
    deliver_result,
    open_spectrum,
)

PANEL = "Design paytables"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(sensitivity)


def sensitivity(
    paytable: PaytableArgument,
    settings: SetOption = None,
    strategy: StrategyOption = "collective",
    every_class: Annotated[
        bool,
        typer.Option("--every-class", help="The kickout curve in all 7,463 classes (json)."),
    ] = False,
    form: TextOrJson = "text",
    file: FileOption = None,
) -> None:
    """Show what one step of each setting does to RTP, SD and hit frequency, exactly.

    For one player: one chip more on each bonus line, the kickout hand one step and one class up
    and down, one chip more on each line of the side bets; each change alone, with the best
    decisions made anew. Then the kickout curve: the figures for every kickout hand, in steps of the
    two most significant ranks (KKQ, KKA, AA, AA5, ...) or class by class.

    Examples: `ricochet sensitivity rulebook`,
    `ricochet sensitivity rulebook --every-class --format json --out curve.json`.
    """
    check_text_or_json(form)
    model = load(paytable)
    from ricochet_casino.lab.sensitivity import sensitivity as compute
    from ricochet_casino.lab.settings import apply_settings

    model = apply_settings(model, settings or [])
    model.rules(1)
    found = compute(model, open_spectrum(), strategy=strategy, every_class=every_class)
    deliver_result(found, form, file)
