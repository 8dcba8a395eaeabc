"""`ricochet solitaire`."""

import typer

from ricochet_casino.cli.patience import patience_group

_ABOUT = """Ricochet solitaire: deals, verdicts, studies, and play in the terminal.

Settings: `wrap` (king and ace are neighbours: true), `flip_lifts_wall_rule` (true),
`flip_only_when_stuck` (false), `ends_with_stock` (false). Presets: as_ruled, no_wrap, no_reset,
stuck_only, to_the_letter. See docs/rulings.md, E."""


PANEL = "Other games"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(patience_group("solitaire", _ABOUT, "wrap=false"), name="solitaire")
