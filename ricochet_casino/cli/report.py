"""`ricochet report`."""

from pathlib import Path
from typing import Annotated

import typer

from ricochet_casino.cli.common import say_aside

_FORMATS = ("html", "pdf", "xlsx", "csv", "md")


PANEL = "Certify"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)


def _complete(incomplete: str) -> list[str]:
    """The last name of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _FORMATS if name.startswith(last)]


def report(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.json", help="A certificate, or a comparison, sensitivity or tuning."
        ),
    ],
    formats: Annotated[
        str,
        typer.Option(
            "--format",
            help="html, pdf, xlsx, csv, md, with commas between.",
            autocompletion=_complete,
        ),
    ] = "html",
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Where to write.", show_default="the folder of FILE.json"
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Make a report that people read from a JSON document, without computing anything again.

    HTML is one page that needs nothing else, PDF the same as pages, XLSX a workbook with a sheet
    for each wager, CSV and Markdown plain text. All say the same figures. What a certificate does
    not hold is named as missing. The JSON stays the product: `ricochet verify` checks it.

    Examples: `ricochet report reports/rulebook-1p-collective.json`,
    `ricochet report my.json --format html,pdf,xlsx --out reports --force`.
    """
    from ricochet_casino.report.documents import read_document
    from ricochet_casino.report.files import SUFFIXES, parse_formats, render

    try:
        wanted = parse_formats(formats)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--format") from None
    document = read_document(file)
    place = folder if folder is not None else file.parent
    targets = {name: place / f"{file.stem}.{SUFFIXES[name]}" for name in wanted}
    refuse_existing(list(targets.values()), force=force)
    # All are made before the first is written, so that a failure leaves no half of a set.
    made = render(document, wanted)
    write_all({targets[name]: content for name, content in made.items()})


def refuse_existing(paths: list[Path], *, force: bool) -> None:
    """Refuse to replace files, unless that is asked for.

    Raises
    ------
    ValueError
        If one exists and replacing was not asked for, or it is no plain file.
    """
    for path in paths:
        if path.is_dir():
            raise ValueError(f"{path}: a folder; expected a name for a file")
        if path.exists() and not force:
            raise ValueError(f"{path} exists; replace it with --force, or write elsewhere: --out")


def write_all(contents: dict[Path, bytes]) -> None:
    """Write files, each whole or not at all; the folder is made if need be.

    Raises
    ------
    OSError
        If one cannot be written.
    """
    from ricochet_casino.config import write_bytes_atomically

    for folder in {path.parent for path in contents}:
        folder.mkdir(parents=True, exist_ok=True)
    for path, content in contents.items():
        write_bytes_atomically(path, content)
        say_aside(f"wrote {path}")
