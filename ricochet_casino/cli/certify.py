"""`ricochet certify` and `ricochet verify`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ricochet_casino.cli.common import (
    EXIT_DIFFERS,
    PaytableArgument,
    SeedOption,
    WorkersOption,
    load,
    out,
    progress_bars,
    say,
    say_aside,
)

if TYPE_CHECKING:
    from ricochet_casino.certificate import Certificate
    from ricochet_casino.lab.certify import Verification

SUFFIXES = {"json": "json", "md": "md", "csv": "csv", "text": "txt"}
DEFAULT_CHECK = 50_000
DEFAULT_SEED = 20_261_130
MOST_SHOWN = 20


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
            help="collective, individual, collective_pot_only, always_play or always_fold; may be "
            "given several times.",
            show_default="collective",
        ),
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write files there instead of printing."),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="json, md, csv or text; several with --out.",
            show_default="text, or with --out json, md and csv",
        ),
    ] = None,
    check: Annotated[
        int, typer.Option(min=0, max=10**9, help="Rounds of the referee's check; 0 for none.")
    ] = DEFAULT_CHECK,
    seed: SeedOption = DEFAULT_SEED,
    workers: WorkersOption = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="No effect on exact figures, which are quick anyway.")
    ] = False,
) -> None:
    """Compute the certificate of a paytable: par sheets, house edge, RTP, volatility, strategy.

    Exact for one player: all 2,809,475,760 deals and their 14,190 completions each. Every
    certificate carries an independent check by the referee.

    Examples: `ricochet certify rulebook`, `ricochet certify my.yaml --out reports`,
    `ricochet certify rulebook --strategy collective --strategy always_play --format json`.
    """
    del quick
    wanted = _formats(formats, many=out_dir is not None)
    counts = parse_players(players)
    from ricochet_casino.lab.certify import Request, certify

    request = Request(counts, tuple(strategy or ["collective"]), check, seed)
    model = load(paytable)
    if out_dir is not None:
        out_dir.mkdir(parents=True, exist_ok=True)
    with progress_bars() as stage:
        certificate = certify(model, request, workers=workers, stage=stage)
    if out_dir is None:
        _print(certificate, wanted[0])
        return
    names = "+".join(request.strategies)  # type: ignore[arg-type]
    stem = f"{Path(paytable).stem}-{players.replace(',', '+')}p-{names}"
    _write(certificate, wanted, out_dir, stem)
    _headline(certificate)


def parse_players(text: str) -> tuple[int, ...]:
    """Player counts from ``1``, ``1,3`` or ``2-4``.

    Raises
    ------
    typer.BadParameter
        If the text is something else or a count is not 1 to 7.
    """
    counts: list[int] = []
    for part in text.split(","):
        ends = part.strip().split("-")
        if len(ends) > 2 or not all(end.strip().isdecimal() and len(end) < 6 for end in ends):
            raise typer.BadParameter(
                f"{text!r}: expected counts such as 1, 1,3 or 2-4", param_hint="--players"
            )
        first, last = int(ends[0]), int(ends[-1])
        if not 1 <= first <= last <= 7:
            raise typer.BadParameter(
                f"{part.strip()}: expected 1 to 7 players, in rising order", param_hint="--players"
            )
        counts.extend(range(first, last + 1))
    if len(set(counts)) != len(counts):
        raise typer.BadParameter(f"{text!r}: a count is given twice", param_hint="--players")
    return tuple(counts)


def _formats(given: list[str] | None, *, many: bool) -> list[str]:
    from ricochet_casino.config import did_you_mean

    formats = list(given or (["json", "md", "csv"] if many else ["text"]))
    for name in formats:
        if name not in SUFFIXES:
            hint = did_you_mean(name, SUFFIXES)
            raise typer.BadParameter(
                f"{name!r}: expected json, md, csv or text{hint}", param_hint="--format"
            )
    if len(set(formats)) > 1 and not many:
        raise typer.BadParameter("several formats need --out DIR", param_hint="--format")
    return list(dict.fromkeys(formats))


def _render(certificate: "Certificate", form: str) -> str:
    from ricochet_casino import report

    return report.render(certificate, form)


def _print(certificate: "Certificate", form: str) -> None:
    if form == "text" and out.is_terminal:
        from ricochet_casino.report.content import sections
        from ricochet_casino.report.terminal import print_sections

        print_sections(sections(certificate), out)
    else:
        typer.echo(_render(certificate, form), nl=False)


def _write(certificate: "Certificate", formats: list[str], folder: Path, stem: str) -> None:
    from ricochet_casino.config import write_text_atomically

    # All are rendered before the first is written, so that a failure leaves no half of a set.
    texts = {folder / f"{stem}.{SUFFIXES[form]}": _render(certificate, form) for form in formats}
    for path, text in texts.items():
        write_text_atomically(path, text)
        say_aside(f"wrote {path}")


def _headline(certificate: "Certificate") -> None:
    from ricochet_casino.report.content import fixed, percent

    for result in certificate.certified["results"]:
        say(
            f"{result['players']} player, {result['strategy']} ({result['method']}): "
            f"house edge {percent(result['house_edge'])}, RTP {percent(result['rtp_per_ante'])} "
            f"per ante, SD {fixed(result['sd_per_round'], 4)}"
        )
    for bet in certificate.certified["side_bets"]:
        say(f"{bet['label']} (exact): house edge {percent(bet['house_edge'])}")


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="A certificate.")],
    workers: WorkersOption = 1,
) -> None:
    """Re-compute a certificate from nothing but itself and compare it to the last digit.

    Exit code 0 if everything was reproduced, 1 if anything differs, 2 if the file is no
    certificate.
    """
    from ricochet_casino.certificate import Certificate
    from ricochet_casino.lab.certify import verify

    certificate = Certificate.read(file)
    with progress_bars() as stage:
        found = verify(certificate, workers=workers, stage=stage)
    _tell(found, file)
    if not found.reproduced:
        raise typer.Exit(EXIT_DIFFERS)


def _tell(found: "Verification", file: Path) -> None:
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
    if found.reproduced:
        say(f"{file}: reproduced to the last digit (SHA-256 {found.digest})")
    else:
        say(f"{file}: NOT reproduced ({len(found.differences)} differences)")
