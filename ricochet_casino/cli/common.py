"""What the commands share: consoles, progress bars, options and the text of errors."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

if TYPE_CHECKING:
    from ricochet_casino.experiment import Progress
    from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
    from ricochet_casino.lab.running import Runner, Stage

EXIT_DIFFERS = 1
EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

PIPED_WIDTH = 140


def _console(*, stderr: bool) -> Console:
    """A console as wide as its terminal; where there is none, wide enough for every table."""
    console = Console(stderr=stderr, highlight=False, emoji=False)
    return (
        console
        if console.is_terminal
        else Console(stderr=stderr, highlight=False, emoji=False, width=PIPED_WIDTH)
    )


out = _console(stderr=False)
err = _console(stderr=True)


def say(text: str) -> None:
    """Print a line of plain text on standard output, however long."""
    out.print(text, markup=False, soft_wrap=True)


def say_aside(text: str, style: str | None = None) -> None:
    """Print a line of plain text on standard error, however long."""
    err.print(text, markup=False, soft_wrap=True, style=style)


def say_json(value: Any) -> None:
    """Print a JSON document on standard output."""
    from ricochet_casino.config import canonical_json

    typer.echo(canonical_json(value))


def shipped_names() -> list[str]:
    """Names of the shipped paytables, for shell completion."""
    from ricochet_casino.paytable import shipped_paytables

    return [name.split("/")[1] for name in shipped_paytables()]


def say_rows(names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """An aligned table; all columns but the first are ranged right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(names):
        table.add_column(name, justify="left" if place == 0 else "right")
    for row in rows:
        table.add_row(*row)
    out.print(table)


PaytableArgument = Annotated[
    str,
    typer.Argument(
        metavar="PAYTABLE",
        help="A YAML file, or the name of a shipped paytable (see `ricochet paytable list`).",
        autocompletion=shipped_names,
    ),
]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=1, max=256, help="How many. Results do not depend on it.")
]
ExecutorOption = Annotated[
    str,
    typer.Option(
        "--executor",
        help="threads, processes, serial, auto: whichever is faster for the work, or dask.",
        autocompletion=lambda: ["auto", "threads", "processes", "serial", "dask"],
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Of a Dask cluster, such as tcp://10.0.0.5:8786; for --executor dask.",
        show_default="a cluster of --workers processes on this machine",
    ),
]
StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="Keep finished blocks there; a run can go on."),
]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Go on with the run in the store, or begin one.")
]
RestartOption = Annotated[
    bool, typer.Option("--restart", help="Set the run in the store aside and begin anew.")
]
DealsOption = Annotated[
    int | None, typer.Option("--deals", min=1, help="Deals to sample for two players and more.")
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="WIDTH",
        help="Sample until the RTP is known to within this share of an ante.",
        show_default="0.05%, or 0.2% with --quick",
    ),
]
YesOption = Annotated[bool, typer.Option("--yes", help="Go on even if it takes hours.")]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=2**64 - 1, help="Seed of the shuffles, 0 to 2^64 - 1.")
]


TEXT_OR_JSON = ("text", "json")
TextOrJson = Annotated[
    str,
    typer.Option("--format", help="text or json.", autocompletion=lambda: list(TEXT_OR_JSON)),
]


def check_text_or_json(form: str) -> None:
    """Refuse another format.

    Raises
    ------
    typer.BadParameter
        With the nearest one.
    """
    from ricochet_casino.config import did_you_mean

    if form not in TEXT_OR_JSON:
        hint = did_you_mean(form, TEXT_OR_JSON)
        raise typer.BadParameter(f"{form!r}: expected text or json{hint}", param_hint="--format")


def parse_players(text: str) -> tuple[int, ...]:
    """Player counts from ``1``, ``1,3`` or ``2-4``.

    Raises
    ------
    typer.BadParameter
        If the text is something else or a count is not 1 to 7.
    """
    return parse_counts(text, 1, 7, "players")


def parse_counts(text: str, least: int, most: int, what: str) -> tuple[int, ...]:
    """Counts of something from ``2``, ``1,3`` or ``2-4``, for the option of its name.

    Raises
    ------
    typer.BadParameter
        If the text is something else or a count is out of range.
    """
    hint = f"--{what}"
    counts: list[int] = []
    for part in text.split(","):
        ends = part.strip().split("-")
        if len(ends) > 2 or not all(end.strip().isdecimal() and len(end) < 6 for end in ends):
            example = f"{least}, {least},{least + 2} or {least + 1}-{least + 3}"
            raise typer.BadParameter(
                f"{text!r}: expected counts such as {example}", param_hint=hint
            )
        first, last = int(ends[0]), int(ends[-1])
        if not least <= first <= last <= most:
            raise typer.BadParameter(
                f"{part.strip()}: expected {least} to {most} {what}, in rising order",
                param_hint=hint,
            )
        counts.extend(range(first, last + 1))
    if len(set(counts)) != len(counts):
        raise typer.BadParameter(f"{text!r}: a count is given twice", param_hint=hint)
    return tuple(counts)


def strategy_names() -> list[str]:
    """Names of the strategies, for shell completion."""
    from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES

    return list(STRATEGIES)


PaytableOption = Annotated[
    str, typer.Option(help="A file or a shipped name.", autocompletion=shipped_names)
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


@dataclass(frozen=True)
class Place:
    """How and where a command runs: the options of the same names."""

    workers: int = 1
    executor: str = "auto"
    store: Path | None = None
    resume: bool = False
    restart: bool = False
    scheduler: str | None = None


@contextmanager
def running(
    place: Place, request: dict[str, Any], stage: "Stage | None" = None
) -> Iterator["Runner"]:
    """Open the store, start workers and bars, and at the end tell what the store had to mend.

    Parameters
    ----------
    place
        How and where.
    request
        What the store is for.
    stage
        Shows progress in place of the bars.

    Raises
    ------
    typer.BadParameter
        For ``--resume`` or ``--restart`` without a store, or a scheduler without ``dask``.
    ValueError
        For an unknown executor, a scheduler that does not answer, or a store that cannot be used.
    """
    if place.store is None and (place.resume or place.restart):
        raise typer.BadParameter("needs --store DIR", param_hint="--resume, --restart")
    from typing import get_args

    from ricochet_casino.config import did_you_mean
    from ricochet_casino.lab.running import Runner
    from ricochet_casino.runs import EXECUTORS, Executor, Store, Workers

    if place.executor not in EXECUTORS:
        hint = did_you_mean(place.executor, EXECUTORS)
        expected = ", ".join(EXECUTORS)
        raise typer.BadParameter(
            f"{place.executor!r}: expected one of {expected}{hint}", param_hint="--executor"
        )
    executor: Executor = next(e for e in get_args(Executor) if e == place.executor)
    if place.scheduler is not None and executor != "dask":
        raise typer.BadParameter("needs --executor dask", param_hint="--scheduler")
    with ExitStack() as stack:
        workers = stack.enter_context(Workers(place.workers, scheduler=place.scheduler))
        if executor == "dask":
            workers.cluster().client()  # a scheduler that does not answer is told of at once
        store = None
        if place.store is not None:
            store = stack.enter_context(
                Store.open(place.store, request, resume=place.resume, restart=place.restart)
            )
            stack.callback(_tell_notes, store)
        shown = stage or stack.enter_context(progress_bars())
        yield Runner(workers, executor, shown, store)


def _tell_notes(store: Any) -> None:
    for note in store.notes:
        say_aside(f"note: {note}", "yellow")
