"""`ricochet batch` and `ricochet merge`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ricochet_casino.cli.common import (
    EXIT_FAILED,
    Place,
    RestartOption,
    ResumeOption,
    SchedulerOption,
    WorkersOption,
    out,
    running,
    say,
    say_aside,
)
from ricochet_casino.cli.watching import watching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ricochet_casino.lab.batch import Outcome
    from ricochet_casino.lab.plans import Plan

_LOCAL = "local"

LogOption = Annotated[
    bool, typer.Option("--log-json", help="Tell what goes on in lines of JSON, on standard error.")
]


PANEL = "Certify"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(batch)
    app.command()(merge)


def _shipped_plans() -> list[str]:
    from ricochet_casino.config import data_folder

    return [file.stem for file in sorted(data_folder("configs").glob("*.yaml"))]


def batch(
    plan: Annotated[
        str,
        typer.Argument(
            metavar="PLAN",
            help="A YAML file, or a shipped plan: smoke, certification.",
            autocompletion=_shipped_plans,
        ),
    ],
    workers: WorkersOption = 1,
    executor: Annotated[
        str,
        typer.Option(
            help="local: threads or processes, whichever is faster for the work; or dask. "
            "Also those of `ricochet certify`.",
            autocompletion=lambda: [_LOCAL, "dask", "threads", "processes", "serial"],
        ),
    ] = _LOCAL,
    scheduler: SchedulerOption = None,
    out_dir: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="In place of the plan's output folder."),
    ] = None,
    blocks: Annotated[
        str | None,
        typer.Option(
            metavar="PART",
            help="1/2 computes the first half of the blocks of every experiment, to be merged "
            "with 2/2; in place of the plan's.",
            show_default="all, or as the plan says",
        ),
    ] = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would run and roughly how long; no more.")
    ] = False,
    log_json: LogOption = False,
) -> None:
    """Run a plan: a certificate for each of its entries, and one summary table.

    A plan is a matrix of paytables, player counts, strategies and side bets; docs/batch.md explains
    its keys. Every finished block is kept in the output folder: after Ctrl-C, a crash or kill -9
    the same command with `--resume` goes on where it was. Exit code 0: all done; 1: some entries
    failed or missed their precision; 2: bad input; 130: interrupted.

    Examples: `ricochet batch smoke`, `ricochet batch certification --dry-run`,
    `ricochet batch my.yaml --workers 8 --resume`,
    `ricochet batch my.yaml --executor dask --scheduler tcp://10.0.0.5:8786 --resume`,
    `ricochet batch my.yaml --blocks 1/2 --out first`.
    """
    from ricochet_casino.lab.batch import run_batch
    from ricochet_casino.lab.plans import read_plan

    asked = read_plan(plan, output=out_dir, blocks=blocks)
    for text in asked.skipped:
        say_aside(f"left out: {text}")
    if dry_run:
        _tell_what_would_run(asked, workers)
        return
    place = Place(workers, _executor(executor), asked.store, resume, restart, scheduler)
    with (
        watching(log_json=log_json) as watcher,
        running(place, asked.request(), watcher.stage) as runner,
    ):
        outcomes = run_batch(asked, runner, watcher)
    _tell_outcomes(asked, outcomes)


def merge(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="A B...", help="Output folders of `ricochet batch`."),
    ],
    out_dir: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="For the merged run; a new folder.")
    ],
    restart: RestartOption = False,
    log_json: LogOption = False,
) -> None:
    """Merge runs of the same plan with disjoint ranges of blocks.

    Nothing is computed but sums, and the certified part of every certificate is that of one whole
    run, byte for byte. Ranges that overlap are refused: the same random stream would count twice.
    While blocks are missing, what comes out is a part that can be merged again.

    Example: `ricochet batch my.yaml --blocks 1/2 --out first`, on another machine
    `ricochet batch my.yaml --blocks 2/2 --out second`, then
    `ricochet merge first second --out whole`.
    """
    from ricochet_casino.lab.merge import merge

    with watching(log_json=log_json) as watcher:
        plan, outcomes = merge(folders, out_dir, watcher, restart=restart)
    _tell_outcomes(plan, outcomes)


def _executor(given: str) -> str:
    """The executor of that name, ``local`` being another one for ``auto``.

    Raises
    ------
    typer.BadParameter
        If there is none, with the nearest one.
    """
    from ricochet_casino.config import did_you_mean
    from ricochet_casino.runs import EXECUTORS

    names = (_LOCAL, *EXECUTORS)
    if given not in names:
        text = f"{given!r}: expected one of {', '.join(names)}{did_you_mean(given, names)}"
        raise typer.BadParameter(text, param_hint="--executor")
    return "auto" if given == _LOCAL else given


def _tell_outcomes(plan: "Plan", outcomes: "Sequence[Outcome]") -> None:
    """Print the table, and what is not as it should be."""
    if plan.whole:
        _print_summary(plan, outcomes)
        say(f"in {plan.output}: {sum(one.certificate is not None for one in outcomes)} of "
            f"{len(outcomes)} documents, and summary.*")  # fmt: skip
    else:
        parts = ", ".join(map(str, plan.parts))
        say(f"blocks {parts} are in {plan.store}; put them together with `ricochet merge`")
    bad = [one for one in outcomes if not one.good]
    for one in bad:
        say_aside(f"{one.name}: {one.status}: {one.text}", "red")
    if bad:
        raise typer.Exit(EXIT_FAILED)


def _print_summary(plan: "Plan", outcomes: "Sequence[Outcome]") -> None:
    from ricochet_casino.lab.batch import summarise
    from ricochet_casino.report.summary import brief_section
    from ricochet_casino.report.terminal import print_sections, to_text

    sections = [brief_section(summarise(plan, outcomes, 1))]
    if out.is_terminal:
        print_sections(sections, out)
    else:
        typer.echo(to_text(sections), nl=False)


def _tell_what_would_run(plan: "Plan", workers: int) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from ricochet_casino.lab.plans import expected_core_seconds
    from ricochet_casino.runs import StoreError, read_run

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("entry", "core time, roughly"):
        table.add_column(name, overflow="fold", justify="left" if name == "entry" else "right")
    for job in plan.jobs:
        seconds = job.seconds()
        table.add_row(job.name, "not known" if seconds is None else _time(float(seconds)))
    out.print(table)
    total, unknown = expected_core_seconds(plan.jobs)
    say(f"{len(plan.jobs)} entries into {plan.output}, blocks into {plan.store}")
    if not plan.whole:
        say(f"of the blocks only {', '.join(map(str, plan.parts))}; all pilots")
    more = f", and {unknown} whose time is not known" if unknown else ""
    say(
        f"about {_time(float(total))} on one core{more}; {_time(float(total) / workers)} with "
        f"{workers} worker{'s' if workers > 1 else ''} that have a core each"
    )
    say(
        "an estimate from speeds measured on one machine (docs/performance.md): yours may take "
        "half as long or twice; the first run compiles kernels for about half a minute besides"
    )
    try:
        run = read_run(plan.store)
    except StoreError:
        return
    state = run.problem or "can be resumed, if the plan is the same"
    say(f"the store holds {run.done:,} finished blocks: {state}")


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 5400 else f"{seconds / 3600:,.1f} h"
