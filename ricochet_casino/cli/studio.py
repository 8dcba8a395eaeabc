"""`ricochet studio`."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ricochet_casino.cli.common import load, say_aside

_NEEDED = ("starlette", "uvicorn")


PANEL = "Design paytables"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(studio)


def _shipped_names() -> list[str]:
    from ricochet_casino.paytable import shipped_paytables

    return [name.split("/")[1] for name in shipped_paytables()]


def studio(
    paytable: Annotated[
        str,
        typer.Argument(
            metavar="PAYTABLE",
            help="A YAML file, or the name of a shipped paytable, which is copied when saved.",
            autocompletion=_shipped_names,
        ),
    ] = "rulebook",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on this machine; 0 for any that is free.")
    ] = 8470,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open a browser on the page.")
    ] = True,
    linger: Annotated[
        int,
        typer.Option(
            min=0,
            max=86_400,
            metavar="SECONDS",
            help="How long to stay when the last page is closed; 0 to stay until Ctrl-C.",
        ),
    ] = 60,
) -> None:
    """Move a paytable on a web page of this machine and watch its figures follow.

    The page shows RTP, house edge, SD, contributions and the kickout curve while kickout hands,
    bonus pays, bets and side bets are moved: exact for one player, sampled with intervals for two
    to seven. It saves YAML and makes reports. Nothing leaves this machine. Ctrl-C ends it, and so
    does closing the last page.

    Examples: `ricochet studio`, `ricochet studio my.yaml --port 9000 --no-open`.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ValueError(
            f"the studio needs {' and '.join(missing)}; install ricochet-casino[studio], such as "
            "with `pip install 'ricochet-casino[studio]'`"
        )
    load(paytable)  # warnings and errors belong in the terminal
    from ricochet_casino.studio.app import Studio
    from ricochet_casino.studio.opened import Opened
    from ricochet_casino.studio.server import bind, serve

    opened = Opened(paytable, Path.cwd())
    with bind(port) as listening:
        serve(
            Studio(opened, note=say_aside),
            listening,
            say=say_aside,
            browse=open_browser,
            linger=linger,
        )
