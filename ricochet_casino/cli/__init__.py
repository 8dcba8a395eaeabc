"""The command `ricochet`. Each module of this package adds its own commands."""

import importlib
import io
import pkgutil
import sys

import typer

from ricochet_casino import __version__
from ricochet_casino.cli.common import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, say_aside


def _version(value: bool) -> None:
    if value:
        typer.echo(f"ricochet-casino {__version__}")
        raise typer.Exit


def build_app() -> typer.Typer:
    """The application with the commands of every module that has a ``register`` function.

    Such a module also names the ``PANEL`` of the help in which its commands stand.
    """
    app = typer.Typer(
        name="ricochet",
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help=(
            "Certify and design the paytables of casino Ricochet Poker: exact where enumeration "
            "reaches. Around it: the home game, three patience games and Pinball Ricochet.\n\n"
            "Start with `ricochet certify rulebook` for the par sheet of the rulebook's game, "
            "`ricochet studio rulebook` to move a paytable on a page, "
            "`ricochet odds 'Ks Qs' '2c 3d 7h 9s Jc'` for one hand, or `ricochet round --seed 7` "
            "for one round told step by step.\n\n"
            "An independent analysis tool. Ricochet Poker is a registered trademark of James "
            "Ernest and Cheapass Games."
        ),
    )

    @app.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", callback=_version, is_eager=True, help="Print the version."
        ),
    ) -> None:
        del version

    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        found = importlib.import_module(f"{__name__}.{module.name}")
        if hasattr(found, "register"):
            before = len(app.registered_commands), len(app.registered_groups)
            found.register(app)
            for command in app.registered_commands[before[0] :]:
                command.rich_help_panel = found.PANEL
            for group in app.registered_groups[before[1] :]:
                group.rich_help_panel = found.PANEL
    return app


def main() -> None:
    """Run the command line; errors are one clear text and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A pipe that knows no suit symbols gets question marks, not an error.
            stream.reconfigure(errors="replace")
    try:
        build_app()()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except SystemExit as stop:
        if stop.code == EXIT_INTERRUPTED:
            say_aside(
                "interrupted; nothing was left half-written: a run with --store goes on with "
                "--resume, a table with its ledger",
                "yellow",
            )
        raise
    except (ValueError, OSError) as error:
        say_aside(f"error: {_text(error)}", "red")
        sys.exit(EXIT_BAD_INPUT)
    except RuntimeError as error:
        from ricochet_casino.runs import RunError

        if not isinstance(error, RunError):
            raise  # a mistake of ours: let it be seen in full
        say_aside(f"error: {error}", "red")
        sys.exit(EXIT_FAILED)


def _text(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror}"
    return str(error) or type(error).__name__
