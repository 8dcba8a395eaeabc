"""`ricochet certify` and `ricochet verify`."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ricochet_casino.cli.common import (
    EXIT_DIFFERS,
    DealsOption,
    ExecutorOption,
    PaytableArgument,
    Place,
    RestartOption,
    ResumeOption,
    SchedulerOption,
    SeedOption,
    StoreOption,
    UntilOption,
    WorkersOption,
    YesOption,
    load,
    parse_players,
    running,
    say,
    strategy_names,
)
from ricochet_casino.cli.output import FormatOption, OutOption, asked, check_formats, deliver
from ricochet_casino.lab import (
    DEFAULT_CHECK_ROUNDS,
    DEFAULT_SEED,
    DEVIATION_DEALS,
    MOST_CHECK_ROUNDS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ricochet_casino.certificate import Certificate
    from ricochet_casino.lab.requests import Bounding, Choice, Request, Sampling
    from ricochet_casino.lab.verify import Verification

MOST_SHOWN = 20
LONG = 1000
"""Seconds above which a verification is begun only with ``--yes``."""
LONG_SAMPLING = 7200
"""The same for sampling."""


PANEL = "Certify"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(certify)
    app.command()(verify)


def certify(
    paytable: PaytableArgument,
    players: Annotated[
        str, typer.Option(help="Player counts: 1, or lists and ranges such as 1,3 or 1-7.")
    ] = "1",
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="collective, individual, collective_pot_only, pot_odds, always_play, always_fold, "
            "pairs_and_big_cards, or a file with a hand table; several times for several results. "
            "A list such as always_play,collective seats them in turn, the last one in all seats "
            "left.",
            show_default="collective",
            autocompletion=strategy_names,
        ),
    ] = None,
    out_dir: OutOption = None,
    formats: FormatOption = None,
    check: Annotated[
        int,
        typer.Option(
            min=0, max=MOST_CHECK_ROUNDS, help="Rounds of the referee's check; 0 for none."
        ),
    ] = DEFAULT_CHECK_ROUNDS,
    seed: SeedOption = DEFAULT_SEED,
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    scheduler: SchedulerOption = None,
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
    deals: DealsOption = None,
    until: UntilOption = None,
    gap: Annotated[
        str | None,
        typer.Option(
            metavar="LIMIT",
            help="Bound what the collective policy loses to the optimum by this share of an ante; "
            "0 for no bounds.",
            show_default="whatever 16,384 deals show",
        ),
    ] = None,
    deviations: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="DEALS",
            help="For individual: deals whose decisions are looked at for what a player could "
            "gain by deviating, 3 to 16 a second.",
        ),
    ] = DEVIATION_DEALS,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look; no effect on what is exact.")
    ] = False,
    level: Annotated[str, typer.Option(help="Level of sampled intervals.")] = "99%",
    yes: YesOption = False,
) -> None:
    """Compute the certificate of a paytable: par sheets, house edge, RTP, volatility, strategy.

    Exact for one player: all 2,809,475,760 deals and their 14,190 completions each. Two to seven
    players are sampled; every figure then has an interval that holds at its level, and for
    `collective` the optimum is bounded from both sides. Every certificate carries an independent
    check by the referee.

    Examples: `ricochet certify rulebook`, `ricochet certify my.yaml --out reports`,
    `ricochet certify rulebook --players 1-7`,
    `ricochet certify rulebook --players 3 --strategy individual --until 0.02% --workers 2`,
    `ricochet certify rulebook --strategy collective --strategy always_play --format json`.
    """
    wanted = check_formats(formats, many=out_dir is not None)
    counts = parse_players(players)
    sampling = parse_sampling(deals, until, level, quick=quick)
    from ricochet_casino.lab.certify import Request, certify, entries
    from ricochet_casino.lab.requests import choice_name

    chosen = tuple(parse_strategy(text) for text in strategy or ["collective"])
    bounding = replace(parse_gap(gap, chosen, quick=quick), deviations=deviations)
    request = Request(counts, chosen, check, seed, sampling, bounding)
    model = load(paytable)
    entries(model, request)  # refuses before a store is touched
    if not yes:
        refuse_long_sampling(request)
    place = Place(workers, executor, store, resume, restart, scheduler)
    with running(place, asked(model, request.to_json())) as runner:
        certificate = certify(model, request, runner)
    stem = f"{Path(paytable).stem}-{'+'.join(map(str, counts))}p-"
    stem += "+".join(map(choice_name, chosen))
    deliver(certificate, wanted, out_dir, stem)


def parse_strategy(text: str) -> "Choice":
    """A strategy by name, a hand table from a file, or a list of them with commas between.

    Raises
    ------
    ConfigError
        If a file is no hand table.
    """
    from ricochet_casino.games.ricochet_poker.hand_tables import read_hand_table

    found = tuple(
        read_hand_table(part) if part.endswith((".yaml", ".yml")) else part
        for part in (piece.strip() for piece in text.split(","))
    )
    return found if len(found) > 1 else found[0]


def parse_sampling(deals: int | None, until: str | None, level: str, *, quick: bool) -> "Sampling":
    """How much to sample, from the options of `certify`.

    Raises
    ------
    typer.BadParameter
        If two of them contradict each other, or one is out of range.
    """
    from ricochet_casino.lab import DEFAULT_UNTIL, QUICK_UNTIL
    from ricochet_casino.lab.requests import Sampling

    if deals is not None and (until is not None or quick):
        raise typer.BadParameter("either --deals, or --until and --quick", param_hint="--deals")
    width = QUICK_UNTIL if quick else DEFAULT_UNTIL
    if until is not None:
        width = parse_share(until, "--until", "0.02%")
    held = parse_share(level, "--level", "99%")
    if not Fraction(1, 2) <= held < 1:
        text = f"{level!r}: expected at least 50% and below 100%; no interval is certain"
        raise typer.BadParameter(text, param_hint="--level")
    if width >= 1:
        raise typer.BadParameter(f"{until!r}: expected less than 100%", param_hint="--until")
    return Sampling(deals, width, held)


def parse_gap(text: str | None, strategies: "Sequence[Choice]", *, quick: bool) -> "Bounding":
    """How much to spend on bounds, from the options of `certify`.

    Raises
    ------
    typer.BadParameter
        If the text is no share, or no strategy has bounds.
    """
    from ricochet_casino.lab import GAP_DEALS
    from ricochet_casino.lab.requests import NO_BOUNDS, Bounding, choice_name

    if text is None:
        return Bounding(GAP_DEALS // 4 if quick else GAP_DEALS)
    if text.strip().rstrip("%").strip() == "0":
        return NO_BOUNDS
    if "collective" not in strategies:
        names = ", ".join(map(choice_name, strategies))
        raise typer.BadParameter(
            f"{names} has no bounds; expected --strategy collective", param_hint="--gap"
        )
    limit = parse_share(text, "--gap", "0.05%")
    if limit >= 1:
        raise typer.BadParameter(f"{text!r}: expected less than 100%", param_hint="--gap")
    return Bounding(limit=limit)


def refuse_long_sampling(request: "Request") -> None:
    """Refuse to begin what takes long, with an estimate.

    Raises
    ------
    ValueError
        If the request takes more than two hours or so on one core.
    """
    from ricochet_casino.lab.estimates import expected_seconds

    seconds = float(expected_seconds(request))
    if seconds > LONG_SAMPLING:
        time = (
            f"{seconds / 86400:,.1f} days" if seconds > 172800 else f"{seconds / 3600:,.1f} hours"
        )
        raise ValueError(
            f"this would take about {time} on one core; a wider --until takes less (half of the "
            "precision a quarter of the time), or go on with --yes"
        )


def verify(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.json",
            help="A certificate, the summary of a batch, or a folder of certificates.",
        ),
    ],
    sample: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="Recompute only this share of the blocks: 10%."),
    ] = None,
    yes: YesOption = False,
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    scheduler: SchedulerOption = None,
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Re-compute a certificate from nothing but itself and compare it to the last digit.

    Exit code 0 if everything was reproduced, 1 if anything differs, 2 if the file is no
    certificate. `--sample 10%` recomputes a tenth of the blocks and compares their digests, for
    long simulations.

    Of a batch (its summary.json, or its folder) every certificate is re-computed, and the summary
    compared with them; with `--sample` the sums of all stored tallies are added up besides, if the
    batch's store is still there.

    Examples: `ricochet verify reports/rulebook-1p-collective.json`,
    `ricochet verify reports/certification --sample 5% --workers 2`.
    """
    from ricochet_casino.certificate import Certificate
    from ricochet_casino.lab.verify import verify
    from ricochet_casino.lab.verify_batch import is_batch

    share = parse_share(sample) if sample is not None else None
    place = Place(workers, executor, store, resume, restart, scheduler)
    if is_batch(file):
        from ricochet_casino.cli.verify_batch import verify_all

        verify_all(file, share, place, yes=yes)
        return
    certificate = Certificate.read(file)
    if not yes:
        refuse_long([certificate], share or Fraction(1))
    with running(place, {"verify": certificate.digest}) as runner:
        found = verify(certificate, runner, sample=share)
    tell_verification(found, file)
    if not found.reproduced:
        raise typer.Exit(EXIT_DIFFERS)


def refuse_long(certificates: "Sequence[Certificate]", share: Fraction) -> None:
    """Refuse to begin what takes long, with an estimate.

    Raises
    ------
    ValueError
        If the certificates ask for so many rounds that verifying them takes more than a quarter of
        an hour or so.
    """
    from ricochet_casino.lab.estimates import expected_seconds
    from ricochet_casino.lab.requests import request_from_json

    specs = (certificate.certified.get("spec") for certificate in certificates)
    # Of single experiments nobody knows; verify says what is wrong with others.
    known = [spec for spec in specs if isinstance(spec, dict) and "parameters" not in spec]
    total = sum((expected_seconds(request_from_json(spec)) for spec in known), Fraction())
    seconds = float(total * share)
    if seconds > LONG:
        raise ValueError(
            f"this would take about {seconds / 3600:,.1f} hours on one core; "
            "verify a part with --sample 1%, or go on with --yes"
        )


def parse_share(text: str, option: str = "--sample", example: str = "10%") -> Fraction:
    """A share above 0 and at most 1 from ``10%`` or ``0.1``.

    Raises
    ------
    typer.BadParameter
        If the text is something else.
    """
    number = text.strip().removesuffix("%").strip()
    try:
        share = Fraction(number) / (100 if text.strip().endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1:
        raise typer.BadParameter(f"{text!r}: expected a share such as {example}", param_hint=option)
    return share


def tell_verification(found: "Verification", file: Path) -> None:
    """Print what re-computing a certificate gave."""
    for note in found.notes:
        say(f"note: {note}")
    if found.paytable_changed:
        say(f"{file}: the paytable was changed: it does not have the digest stated")
    for difference in found.differences[:MOST_SHOWN]:
        say(
            f"{difference.path}: certificate {difference.recorded}, recomputed "
            f"{difference.computed}"
        )
    more = len(found.differences) - MOST_SHOWN
    if more > 0:
        say(f"... and {more} more differences")
    if found.sampled and found.reproduced:
        say(
            f"{file}: {found.sampled[0]:,} of {found.sampled[1]:,} blocks recomputed and equal; "
            "figures were not recomputed"
        )
    elif found.reproduced:
        say(f"{file}: reproduced to the last digit (SHA-256 {found.digest})")
    else:
        say(f"{file}: NOT reproduced ({len(found.differences)} differences)")
