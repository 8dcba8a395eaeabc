"""What the designer's commands share: the spectrum with its notes, formats, and output."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricochet_casino.cli.common import out, say_aside, strategy_names

if TYPE_CHECKING:
    from ricochet_casino.games.ricochet_poker.spectrum import Spectrum

FileOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the result there instead of printing it."),
]
StrategyOption = Annotated[
    str,
    typer.Option(
        help="Who plays: the best decisions are made anew for every paytable.",
        autocompletion=strategy_names,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting: bonus.LINE, kickout.PLAYERS, ante, dealer_ante, play_bet, "
        "quickdraw.pays, cover.LINE and more; may be given several times.",
    ),
]


def open_spectrum() -> "Spectrum":
    """The spectrum from the user's cache; what is built is said on standard error."""
    from ricochet_casino.games.ricochet_poker.spectrum import load_spectrum

    return load_spectrum(note=lambda text: say_aside(f"note: {text}", "yellow"))


def deliver_result(found: Mapping[str, Any], form: str, file: Path | None) -> None:
    """Print a result, or write it to a file."""
    from ricochet_casino.report import workbench

    if file is not None:
        from ricochet_casino.config import write_text_atomically

        write_text_atomically(file, workbench.render(found, form))
        say_aside(f"wrote {file}")
    elif form == "text" and out.is_terminal:
        from ricochet_casino.report.terminal import print_sections

        print_sections(workbench.sections(found), out)
    else:
        typer.echo(workbench.render(found, form), nl=False)
