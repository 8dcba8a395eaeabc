"""`ricochet pyramid`."""

import typer

from ricochet_casino.cli.patience import patience_group

_ABOUT = """The all-hearts pyramid: deals, verdicts, studies, and play in the terminal.

Settings: `rows` (7; 6 to 9), `pairing` (strict, waste_pair, stock_top), `passes` (1, 2, 3,
unlimited), `goal` (all, pyramid). Presets: as_written (hardly a deal can be won), playable (about
17 %), friendly (about 55 %). See docs/rulings.md, F."""


PANEL = "Other games"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(patience_group("pyramid", _ABOUT, "pairing=waste_pair"), name="pyramid")
