"""What the commands share: consoles, progress bars, options and the text of errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from ricochet_casino.experiment import Progress
    from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
    from ricochet_casino.lab.certify import Stage

EXIT_DIFFERS = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

PIPED_WIDTH = 140


def _console(*, stderr: bool) -> Console:
    """A console as wide as its terminal; where there is none, wide enough for every table."""
    console = Console(stderr=stderr, highlight=False)
    return (
        console
        if console.is_terminal
        else Console(stderr=stderr, highlight=False, width=PIPED_WIDTH)
    )


out = _console(stderr=False)
err = _console(stderr=True)


def say(text: str) -> None:
    """Print a line of plain text on standard output, however long."""
    out.print(text, markup=False, soft_wrap=True)


def say_aside(text: str, style: str | None = None) -> None:
    """Print a line of plain text on standard error, however long."""
    err.print(text, markup=False, soft_wrap=True, style=style)


def _shipped_names() -> list[str]:
    from ricochet_casino.paytable import shipped_paytables

    return [name.split("/")[1] for name in shipped_paytables()]


PaytableArgument = Annotated[
    str,
    typer.Argument(
        metavar="PAYTABLE",
        help="A YAML file, or the name of a shipped paytable (see `ricochet paytable list`).",
        autocompletion=_shipped_names,
    ),
]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=1, max=256, help="Threads. Results do not depend on it.")
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=2**64 - 1, help="Seed of the shuffles, 0 to 2^64 - 1.")
]


def load(paytable: str) -> "RicochetPokerPaytable":
    """Load a paytable by path or name and print its warnings on standard error."""
    from ricochet_casino.games import read_paytable
    from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable

    loaded = read_paytable(paytable)
    for warning in loaded.warnings:
        say_aside(f"warning: {warning}", "yellow")
    if not isinstance(loaded.model, RicochetPokerPaytable):
        raise ValueError(f"{paytable}: a paytable of {loaded.model.game}, not of ricochet_poker")
    return loaded.model


@contextmanager
def progress_bars() -> Iterator["Stage"]:
    """A bar on standard error for each stage; nothing where that is not a terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Progress as Bars,
    )

    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )

    def stage(name: str) -> "Progress":
        task = bars.add_task(name, total=None)
        return lambda done, total: bars.update(task, completed=done, total=total)

    with bars:
        yield stage
