"""`ricochet runs list|show|clean`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricochet_casino.cli.common import out, say

if TYPE_CHECKING:
    from ricochet_casino.runs import RunSummary

StoreArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder given as --store.")]


PANEL = "Certify"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Look at the stores of runs, and clean them.")
    group.command("list")(list_)
    group.command()(show)
    group.command()(clean)
    app.add_typer(group, name="runs")


def list_(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A store, or a folder that holds stores.")
    ] = Path(),
) -> None:
    """List the runs in a folder: what they are, how far they are, whether they can go on."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from ricochet_casino.runs import find_runs

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("store", "asked for", "blocks", "size", "state"):
        table.add_column(name, overflow="fold", justify="right" if name == "size" else "left")
    found = find_runs(folder)
    for run in found:
        table.add_row(str(run.folder), _asked(run.request), _blocks(run), _size(run), _state(run))
    if found:
        out.print(table)
    else:
        say(f"{folder}: no runs")


def show(folder: StoreArgument) -> None:
    """Show one run in full."""
    from ricochet_casino.runs import read_run

    run = read_run(folder)
    rows = [
        ("store", str(run.folder)),
        ("asked for", _asked(run.request)),
        ("made by", f"version {run.version or 'unknown'}, sources {run.source_digest[:16]}"),
        ("begun", run.time or "unknown"),
        ("size", _size(run)),
        ("state", _state(run)),
    ]
    for experiment in run.experiments:
        blocks = "?" if experiment.blocks is None else f"{experiment.blocks:,}"
        rows.append((experiment.name, f"{experiment.done:,} of {blocks} blocks"))
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        say(f"{name:<{width}}  {text}")


def clean(
    folder: StoreArgument,
    everything: Annotated[
        bool, typer.Option("--everything", help="Remove the whole run, finished blocks too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove what was set aside, replaced and left over; with --everything the run itself.

    Nothing that is not part of a run is ever removed, and nothing of a run in use.
    """
    from ricochet_casino.runs import clean as clean_store

    if everything and not yes:
        typer.confirm(f"Remove the run in {folder} and all its blocks?", abort=True)
    found = clean_store(folder, everything=everything)
    for line in str(found).splitlines():
        say(line)


def _asked(request: dict[str, Any] | None) -> str:
    if request is None:
        return "unknown: run.json is damaged"
    if "verify" in request:
        return f"verify {str(request['verify'])[:16]}"
    if "plan" in request:
        plan, blocks = request["plan"], request.get("blocks")
        part = "" if blocks == [["0", "1"]] else ", a part of the blocks"
        return f"batch {plan.get('title', '?')}: {len(plan.get('entries', []))} entries{part}"
    title = request.get("paytable", {}).get("title", "?")
    if "simulation" in request:
        asked = request["simulation"]
        names = _names(asked["strategies"])
        return f"simulate {title}: {asked['players']} players, {names}, {asked['rounds']:,} rounds"
    if "strategies" in request:
        counts = ",".join(map(str, request["players"]))
        check = request["check"]["rounds"]
        names = _names(request["strategies"])
        return f"certify {title}: {counts} players, {names}, check {check:,}"
    return f"{str(request.get('what', 'a run')).replace('_', ' ')}: {title}"


def _names(strategies: list[Any]) -> str:
    """Names of strategies: texts, tables with a name, or lists of them for the seats."""
    return "+".join(
        strategy if isinstance(strategy, str)
        else ",".join(map(_names, ([one] for one in strategy))) if isinstance(strategy, list)
        else str(strategy["name"])
        for strategy in strategies
    )  # fmt: skip


def _blocks(run: "RunSummary") -> str:
    return f"{run.done:,} of {'?' if run.blocks is None else f'{run.blocks:,}'}"


def _size(run: "RunSummary") -> str:
    return f"{run.size / 1e6:,.1f} MB"


def _state(run: "RunSummary") -> str:
    if run.in_use:
        return f"in use by {run.in_use}"
    if run.problem:
        return run.problem
    return "complete" if run.blocks is not None and run.done >= run.blocks else "can be resumed"
