"""`ricochet two-players`."""

from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricochet_casino.cli.common import (
    ExecutorOption,
    PaytableArgument,
    Place,
    RestartOption,
    ResumeOption,
    SchedulerOption,
    SeedOption,
    StoreOption,
    TextOrJson,
    WorkersOption,
    check_text_or_json,
    load,
    out,
    running,
    say,
    say_aside,
    say_json,
)
from ricochet_casino.cli.output import asked
from ricochet_casino.lab import DEFAULT_SEED

if TYPE_CHECKING:
    from ricochet_casino.games.ricochet_poker.two_players_exact import TwoPlayersExact

MINUTES_FOR_ALL = 20
"""Core-minutes that the whole game takes, roughly (docs/performance.md)."""


PANEL = "Certify"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("two-players")(two_players)


def two_players(
    paytable: PaytableArgument,
    hands: Annotated[
        int, typer.Option(min=1, max=1 << 20, help="Dealer's hands to draw at random.")
    ] = 50,
    every: Annotated[
        bool, typer.Option("--all", help="All of the dealer's hands: the whole game, exactly.")
    ] = False,
    form: TextOrJson = "text",
    seed: SeedOption = DEFAULT_SEED,
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    scheduler: SchedulerOption = None,
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Solve two players who act for the group exactly, for some of the dealer's hands or for all.

    For each hand of the dealer every deal of two hands to the players is decided exactly and every
    draw is counted. With `--hands` the dealer's hands are drawn at random and their mean estimates
    the game; with `--all` nothing is sampled. The plan of the whole run stands in
    configs/two_players_exact.yaml.

    Examples: `ricochet two-players rulebook --hands 50`,
    `ricochet two-players rulebook --all --workers 2 --store runs/two --resume`.
    """
    check_text_or_json(form)
    model = load(paytable)
    from ricochet_casino.games.ricochet_poker.two_players_exact import (
        SampledHands,
        TwoPlayersExact,
    )

    experiment = TwoPlayersExact(model, "all" if every else SampledHands(hands, seed))
    if every:
        say_aside(f"all deals to two players: about {MINUTES_FOR_ALL} core-minutes (an estimate)")
    request = {"what": "two_players_exact", "hands": experiment.spec()["parameters"]["hands"]}
    place = Place(workers, executor, store, resume, restart, scheduler)
    with running(place, asked(model, request)) as runner:
        begin = perf_counter()
        entry, blocks = runner.run(experiment, "two players, exactly")
        seconds = perf_counter() - begin
    if form == "json":
        say_json({"spec": experiment.spec(), "entry": entry, "blocks": blocks})
        return
    if every:
        _say_figures(entry)
        return
    _say_hands(entry)
    _say_time(experiment, seconds * workers)


def _say_figures(entry: dict[str, Any]) -> None:
    for name, value in entry["figures"].items():
        say(f"{name:<20} {value['decimal']}  = {value['fraction']}")


def _say_hands(entry: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("dealer's hand", "like it", "EV per ante", "kicked out"):
        table.add_column(name, justify="right" if name in ("like it", "EV per ante") else "left")
    for hand in entry["hands"]:
        kicked = "yes" if hand["kicked_out"] else ""
        table.add_row(
            hand["cards"], str(hand["multiplicity"]), hand["ev_per_ante"]["decimal"], kicked
        )
    out.print(table)
    say(f"hands drawn: {entry['sampled']} (seed {entry['seed']}), each done exactly")
    for name, text in (("ev_per_ante", "EV per ante"), ("rtp_per_ante", "RTP per ante")):
        low, high = entry[name]["interval"]
        say(f"{text}, estimated: {entry[name]['decimal']}, 99 % interval {low} to {high}")
    say(f"standard error: {entry['standard_error']['decimal']}")


def _say_time(experiment: "TwoPlayersExact", seconds: float) -> None:
    """What a dealer's hand took; not part of the result, hence beside it."""
    from ricochet_casino.cards.subsets import representatives

    number, known = len(experiment.shards()), len(representatives(5)[0])
    say_aside(
        f"{seconds / number:.2f} s for each of {number} different hands, loading included; at this "
        f"rate all {known:,} would take {seconds / number * known / 3600:,.0f} core-hours (an "
        f"estimate). --all takes hands of one class together: about {MINUTES_FOR_ALL} core-minutes"
    )
