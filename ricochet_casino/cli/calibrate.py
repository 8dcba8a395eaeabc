"""`ricochet calibrate`."""

from pathlib import Path
from typing import Annotated

import typer

from ricochet_casino.cli.certify import LONG_SAMPLING, parse_sampling
from ricochet_casino.cli.common import (
    DealsOption,
    ExecutorOption,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    UntilOption,
    WorkersOption,
    YesOption,
    out,
    running,
    say,
    say_aside,
)
from ricochet_casino.cli.output import SUFFIXES, FormatOption, OutOption, check_formats
from ricochet_casino.lab import DEFAULT_SEED

PANEL = "Certify"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(calibrate)


def calibrate(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE.yaml]",
            help="Published figures and readings.",
            show_default="the shipped published_figures.yaml",
        ),
    ] = None,
    until: UntilOption = None,
    deals: DealsOption = None,
    quick: Annotated[bool, typer.Option("--quick", help="A first look.")] = False,
    out_dir: OutOption = None,
    formats: FormatOption = None,
    seed: SeedOption = DEFAULT_SEED,
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
    yes: YesOption = False,
) -> None:
    """Set published figures beside what every reading of the rules and of perfect play gives.

    What was published about a game rarely says what is meant: which optimum is perfect play, what
    the last hand does, per round or per decision. Every reading in the file is computed, exactly
    for one player and with intervals for two to seven, and each published figure gets a verdict:
    fits, does not fit, or undecided, if the interval is too wide to tell. The list at the end says
    which reading fits how many.

    The shipped file holds the figures published of the licensed game. To try other figures or
    readings, copy it: it explains its keys.

    Examples: `ricochet calibrate --quick`, `ricochet calibrate --until 0.02% --workers 2`,
    `ricochet calibrate my.yaml --store runs/mine --resume --out reports`.
    """
    wanted = check_formats(formats, many=out_dir is not None)
    sampling = parse_sampling(deals, until, "99%", quick=quick)
    from ricochet_casino.config import data_folder
    from ricochet_casino.lab.calibrate import Calibration
    from ricochet_casino.lab.published import read_published

    path = file or data_folder("configs") / "published_figures.yaml"
    asked = Calibration(read_published(path), sampling, seed)
    seconds = float(asked.expected_seconds())
    if seconds > LONG_SAMPLING and not yes:
        raise ValueError(
            f"this would take about {seconds / 3600:,.1f} hours on one core; a wider --until takes "
            "less (half of the precision a quarter of the time), or go on with --yes"
        )
    with running(Place(workers, executor, store, resume, restart), asked.to_json()) as runner:
        found = asked.run(runner)
    _deliver(found, wanted, out_dir, path.stem)


def _deliver(found: dict[str, object], formats: list[str], folder: Path | None, stem: str) -> None:
    """Print the calibration, or write it in every format and print what fits best."""
    from ricochet_casino.config import write_text_atomically
    from ricochet_casino.report import calibration

    if folder is None and formats[0] == "text" and out.is_terminal:
        from ricochet_casino.report.terminal import print_sections

        print_sections(calibration.sections(found), out)
        return
    if folder is None:
        typer.echo(calibration.render(found, formats[0]), nl=False)
        return
    folder.mkdir(parents=True, exist_ok=True)
    texts = {folder / f"{stem}.{SUFFIXES[form]}": calibration.render(found, form)
             for form in formats}  # fmt: skip
    for path, text in texts.items():
        write_text_atomically(path, text)
        say_aside(f"wrote {path}")
    for line in calibration.headline(found):
        say(line)
