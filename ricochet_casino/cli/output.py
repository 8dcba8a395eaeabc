"""Certificates on their way out: formats, files, and what is printed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricochet_casino.cli.common import out, say, say_aside

if TYPE_CHECKING:
    from ricochet_casino.certificate import Certificate
    from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable

SUFFIXES = {"json": "json", "md": "md", "csv": "csv", "text": "txt"}

OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write files there instead of printing."),
]
FormatOption = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        help="json, md, csv or text; several with --out.",
        autocompletion=lambda: list(SUFFIXES),
        show_default="text, or with --out json, md and csv",
    ),
]


def asked(model: "RicochetPokerPaytable", request: dict[str, Any]) -> dict[str, Any]:
    """What a store is for: the paytable in full and the request."""
    return {"paytable": model.model_dump(mode="json"), **request}


def deliver(certificate: "Certificate", formats: list[str], folder: Path | None, stem: str) -> None:
    """Print the certificate, or write it in every format and print its headline."""
    if folder is None:
        _print(certificate, formats[0])
        return
    folder.mkdir(parents=True, exist_ok=True)
    _write(certificate, formats, folder, stem)
    _headline(certificate)


def check_formats(given: list[str] | None, *, many: bool) -> list[str]:
    """The formats asked for, or the usual ones.

    Raises
    ------
    typer.BadParameter
        If one is unknown, or several are to be printed.
    """
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

        print_sections(sections(certificate, brief=True), out)
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
    from ricochet_casino.report.content import headline

    for line in headline(certificate):
        say(line)
