"""`ricochet racing-aces`."""

import typer

from ricochet_casino.cli.patience import patience_group

_ABOUT = """Racing Aces: deals, verdicts, studies, and play in the terminal.

Setting: `initial_waste` (stock cards on the waste at the start: 0 or 1). Presets: as_ruled,
waste_begun. See docs/rulings.md, G."""


PANEL = "Other games"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(patience_group("racing-aces", _ABOUT, "initial_waste=1"), name="racing-aces")
