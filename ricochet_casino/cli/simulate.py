"""`ricochet simulate`."""

from pathlib import Path
from typing import Annotated

import typer

from ricochet_casino.cli.common import (
    ExecutorOption,
    PaytableArgument,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    WorkersOption,
    load,
    running,
    strategy_names,
)
from ricochet_casino.cli.output import FormatOption, OutOption, asked, check_formats, deliver
from ricochet_casino.lab import DEFAULT_SEED

PANEL = "Certify"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(simulate)


def simulate(
    paytable: PaytableArgument,
    players: Annotated[int, typer.Option(min=1, max=7, help="1 to 7.")] = 1,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="always_play, always_fold or pairs_and_big_cards; once for all seats, or once per "
            "seat. For one player also collective, individual, collective_pot_only and pot_odds; "
            "for more, `ricochet certify` samples those.",
            show_default="collective for one player, else always_play",
            autocompletion=strategy_names,
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option(min=1, max=10**13, help="How many rounds, at most 10^13.")
    ] = 10_000_000,
    seed: SeedOption = DEFAULT_SEED,
    out_dir: OutOption = None,
    formats: FormatOption = None,
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Play raw rounds by a compiled kernel and report what came out, with 99 % intervals.

    Nothing is conditioned out: this is the plain simulation that exact and cleverer sampled
    figures are held against. Examples: `ricochet simulate rulebook --players 3 --rounds 1000000`,
    `ricochet simulate rulebook --rounds 1000000000 --workers 2 --store run1`, and after an
    interruption the same with `--resume`.
    """
    wanted = check_formats(formats, many=out_dir is not None)
    from ricochet_casino.lab.certify import SimulationRequest, simulate

    chosen = tuple(strategy or ["collective" if players == 1 else "always_play"])
    request = SimulationRequest(players, chosen, rounds, seed)
    model = load(paytable)
    request.simulation(model)
    place = Place(workers, executor, store, resume, restart)
    with running(place, asked(model, request.to_json())) as runner:
        certificate = simulate(model, request, runner)
    stem = f"{Path(paytable).stem}-{players}p-{'+'.join(dict.fromkeys(chosen))}-simulated"
    deliver(certificate, wanted, out_dir, stem)
