"""`ricochet tune`."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from ricochet_casino.cli.common import (
    EXIT_FAILED,
    PaytableArgument,
    SeedOption,
    TextOrJson,
    WorkersOption,
    YesOption,
    check_text_or_json,
    load,
    parse_players,
    progress_bars,
    say_aside,
)
from ricochet_casino.cli.workbench_options import (
    FileOption,
    SetOption,
    StrategyOption,
    deliver_result,
    open_spectrum,
)
from ricochet_casino.lab import DEFAULT_SEED, TUNING_DEALS

MOST_TUNING_HANDS = 300_000_000
"""Hands that are sampled without --yes: about an hour of a core."""


PANEL = "Design paytables"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tune)


def tune(
    paytable: PaytableArgument,
    target: Annotated[
        str, typer.Option("--target-rtp", help="RTP to meet: 0.965, 96.5% or 193/200.")
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="KEY=A..B",
            help="A setting and its values: A..B in steps of one, A..B:1/2 in steps of a half, or "
            "V,V,V. A kickout's A..B goes in steps of two ranks, A..B:all through every class.",
        ),
    ] = None,
    settings: SetOption = None,
    within: Annotated[str, typer.Option(help="How far off an RTP may be.")] = "0.05%",
    sort: Annotated[
        str,
        typer.Option(
            help="distance, rtp, sd, hit_frequency, fold_frequency or maximum_exposure.",
            autocompletion=lambda: ["distance", "rtp", "sd", "hit_frequency", "fold_frequency",
                                    "maximum_exposure"],
        ),
    ] = "distance",
    descending: Annotated[bool, typer.Option("--descending", help="Largest first.")] = False,
    rising: Annotated[
        bool, typer.Option("--rising", help="Only pays that rise with the hand.")
    ] = False,
    least_sd: Annotated[str | None, typer.Option("--min-sd", help="Least SD, in antes.")] = None,
    most_sd: Annotated[str | None, typer.Option("--max-sd", help="Most SD, in antes.")] = None,
    most_exposure: Annotated[
        str | None,
        typer.Option("--max-exposure", help="Most chips that the house can lose in a round."),
    ] = None,
    write_best: Annotated[
        Path | None,
        typer.Option("--write-best", metavar="FILE", help="Write the first one as a paytable."),
    ] = None,
    strategy: StrategyOption = "collective",
    players: Annotated[
        str, typer.Option(help="Player counts for which the target is to be met: 1, 1-3 or 1,4.")
    ] = "1",
    deals: Annotated[
        int,
        typer.Option(min=1, help="Deals for each combination, for two players and more."),
    ] = TUNING_DEALS,
    seed: SeedOption = DEFAULT_SEED,
    yes: YesOption = False,
    workers: WorkersOption = 1,
    form: TextOrJson = "text",
    file: FileOption = None,
) -> None:  # fmt: skip
    """Find the paytables in a grid whose RTP for one player meets a target; each one is exact.

    Every combination of the values is evaluated, with the best decisions made anew, and those
    within reach of the target are listed with RTP, SD, hit frequency and distance; the nearest on
    both sides are always told. Settings of Cover, or of Quickdraw, are tuned for that bet's RTP.

    With `--players` the target has to be met for several player counts at once. One player is exact
    and comes first; combinations that meet the target there are sampled for the others, all on the
    same deals.

    Exit code 0 if a combination meets the target, 1 if none does.

    Examples: `ricochet tune rulebook --target-rtp 96.5% --vary bonus.straight=1..3 --vary
    kickout.1=KKQ..AA`,
    `ricochet tune rulebook --target-rtp 95% --vary cover.two_pair=1..3 --vary cover.flush=5..9
    --rising --write-best my.yaml`,
    `ricochet tune rulebook --target-rtp 96% --within 1% --vary bonus.straight=1..2 --players 1-3`.
    """
    check_text_or_json(form)
    model = load(paytable)
    from ricochet_casino.lab.grid import read_grid
    from ricochet_casino.lab.settings import apply_settings
    from ricochet_casino.lab.table_pricing import table_evaluator
    from ricochet_casino.lab.tune import Goal, bet_of
    from ricochet_casino.lab.tune import tune as compute

    goal = Goal(
        target=_number(target, "--target-rtp"),
        within=_number(within, "--within"),
        rising=rising,
        least_sd=_number(least_sd, "--min-sd") if least_sd is not None else None,
        most_sd=_number(most_sd, "--max-sd") if most_sd is not None else None,
        most_exposure=_number(most_exposure, "--max-exposure") if most_exposure else None,
        sort=sort,
        descending=descending,
    )
    model = apply_settings(model, settings or [])
    grid = read_grid(model, vary or [])
    main = bet_of([axis.key for axis in grid.axes]) == "main"
    counts = parse_players(players)
    if not main and counts != (1,):
        raise typer.BadParameter("a side bet is the same for all players", param_hint="--players")
    for count in counts if main else ():
        model.rules(count)
    many = [count for count in counts if count > 1]
    sampled = grid.count * sum(many) * deals
    if sampled > MOST_TUNING_HANDS and not yes:
        raise ValueError(
            f"up to {grid.count:,} combinations of {deals:,} deals would be sampled, "
            f"{sampled / MOST_TUNING_HANDS:,.0f} times what takes about an hour; expected a "
            "smaller grid or fewer --deals, or go on with --yes"
        )
    evaluators = {n: table_evaluator(n, deals, strategy, seed) for n in many}
    spectrum = open_spectrum() if main and 1 in counts else None
    with progress_bars() as stage:
        found = compute(
            model, grid, goal, spectrum, strategy=strategy, players=counts, evaluators=evaluators,
            workers=workers, progress=stage("combinations"),
        )  # fmt: skip
    if many:
        found["sampled"] = {"deals": deals, "seed": seed, "players": many}
    deliver_result(found, form, file)
    met = bool(found["listed"])
    if write_best is not None and met:
        from ricochet_casino.config import write_text_atomically
        from ricochet_casino.lab.settings import changed_paytable_yaml
        from ricochet_casino.lab.tune import best_paytable

        write_text_atomically(write_best, changed_paytable_yaml(best_paytable(model, found)))
        say_aside(f"wrote {write_best}")
    if not met:
        nothing = "" if write_best is None else f"; {write_best} was not written"
        say_aside(f"no combination meets the target{nothing}", "yellow")
        raise typer.Exit(EXIT_FAILED)


def _number(text: str, option: str) -> Fraction:
    from ricochet_casino.paytable import parse_figure

    try:
        value, _ = parse_figure(text)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None
    if value < 0:
        raise ValueError(f"{option}: {text} is negative; expected zero or more")
    return value
