"""`ricochet table` and `ricochet table replay`."""

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ricochet_casino.cli.common import (
    EXIT_INTERRUPTED,
    TextOrJson,
    check_text_or_json,
    say_aside,
    shipped_names,
)
from ricochet_casino.cli.home_options import (
    PRESETS,
    EmptyStubOption,
    JokersOption,
    LevelHandsOption,
    LimitOption,
    StartOption,
)

if TYPE_CHECKING:
    from ricochet_casino.table.replay import Replay
    from ricochet_casino.table.session import Session
    from ricochet_casino.table.setup import Setup

PANEL = "Play"
"""Where the commands stand in the help."""
LEDGER = "ricochet-table.jsonl"
"""The ledger if none is named."""
_GAMES = ("home", "table-game-ii", "casino-night")
_PRESETS = tuple(name for name in PRESETS if name != "table_game_ii")  # that is a game here
_GUESTS = ("Guest", "Ann", "Ben", "Cora")


class _TableGroup(TyperGroup):
    """`ricochet table FILE` is `ricochet table play FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put in the command that is meant where none is named."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["play", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    table = typer.Typer(
        cls=_TableGroup,
        help=(
            "Play at a table in the terminal: people and computer players, the home game, Table "
            "Game II or casino night. `ricochet table` asks who plays; a table that was left or "
            "killed goes on with `ricochet table FILE`. All options: `ricochet table play --help`."
        ),
    )
    table.command()(play)
    table.command()(replay)
    app.add_typer(table, name="table")


def play(
    ledger: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE.jsonl",
            help="The ledger: begun if it is not there, gone on with if it is.",
            show_default=LEDGER,
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            help="home, table-game-ii or casino-night.",
            show_default="home",
            autocompletion=lambda: list(_GAMES),
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:POLICY]",
            help="Somebody at the table; with a policy such as pot_odds, a computer player. Once "
            "for each.",
            show_default="asked for; with --plain, Guest and three computer players",
        ),
    ] = None,
    manual: Annotated[
        bool,
        typer.Option(
            "--manual",
            help="Real cards: you deal them and enter what came; the program keeps pot and turns.",
        ),
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Line by line: for pipes and screen readers.")
    ] = False,
    chips: Annotated[
        int | None,
        typer.Option(
            min=1, help="What everybody buys to begin with.", show_default="20; casino night 50"
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**64 - 1, help="Seed of the shuffles.", show_default="drawn and kept"
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="Home game: basic, seven_cards, six_cards or jokers.",
            show_default="basic",
            autocompletion=lambda: list(_PRESETS),
        ),
    ] = None,
    limit: LimitOption = None,
    start: StartOption = None,
    jokers: JokersOption = None,
    level_hands: LevelHandsOption = None,
    empty_stub: EmptyStubOption = None,
    paytable: Annotated[
        str | None,
        typer.Option(
            help="Casino night: a file or a shipped name.",
            show_default="home_capped",
            autocompletion=shipped_names,
        ),
    ] = None,
    advice: Annotated[
        bool, typer.Option("--advice/--no-advice", help="Odds and advice on request, or never.")
    ] = True,
    letters: Annotated[
        bool, typer.Option("--ascii", help="With --plain: suits as the letters c, d, h and s.")
    ] = False,
) -> None:
    """Play: sit down at a table, or go on with one.

    Every event is kept in the ledger before it is seen, so that a table survives a crash; enter
    its file again to go on. Examples: `ricochet table`, `ricochet table friday.jsonl --player Ann
    --player Ben --player Hal:look_ahead`, `ricochet table --game casino-night`, and with real
    cards `ricochet table friday.jsonl --manual --player Ann --player Ben`.
    """
    from ricochet_casino.table.setup import Setup

    if not plain and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ValueError("there is no terminal to play on; for pipes and scripts use --plain")
    path = Path(LEDGER) if ledger is None else ledger
    house = {
        "hand_limit": limit, "starting_cards": start, "jokers": jokers,
        "level_hands": level_hands, "empty_stub": empty_stub,
    }  # fmt: skip
    changes = {name: value for name, value in house.items() if value is not None}
    settings: dict[str, Any] = {
        "--game": game, "--player": player, "--manual": manual or None, "--chips": chips,
        "--seed": seed, "--preset": preset, "--limit": limit, "--start": start,
        "--jokers": jokers, "--level-hands": level_hands, "--empty-stub": empty_stub,
        "--paytable": paytable,
    }  # fmt: skip
    given = [name for name, value in settings.items() if value is not None]
    if preset and paytable:
        raise ValueError("--preset is for the home game, --paytable for casino night")
    kind = game or ("casino-night" if paytable else "home")
    if kind != "casino-night" and paytable:
        raise ValueError("--paytable is for casino night; the home game has --preset")
    if kind == "casino-night" and preset:
        raise ValueError("--preset is for the home game; casino night has --paytable")
    setup = Setup(kind, preset or paytable or "", changes, manual, seed, chips)
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no such folder")
    if not plain and player is None and not path.exists():
        setup.header()  # what is wrong with it is told before the dialogue begins
        raise typer.Exit(_screens().run_opening(setup, path, advice=advice))
    session = _opened(path, setup, player, given)
    session.with_advice = advice
    code = 0
    try:
        code = _plainly(session, letters) if plain else _screens().run_table(session)
    except KeyboardInterrupt:
        say_aside(f"the table stays in {path}", "yellow")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    finally:
        session.close()
    if code:
        raise typer.Exit(code)


def _opened(path: Path, setup: "Setup", players: list[str] | None, given: list[str]) -> "Session":
    """The table in a ledger, or a new one with its people."""
    from ricochet_casino.table.session import Session

    if path.exists():
        if given:
            raise ValueError(
                f"{path} is a table under way, and {', '.join(given)} would begin a new one: leave "
                "that out, or name another file"
            )
        return Session.resume(path)
    if players is None and not setup.manual:
        usual = setup.header().kind.policies[0]
        players = [_GUESTS[0], *(f"{name}:{usual}" for name in _GUESTS[1:])]
    return Session.seated(setup, [text.partition(":")[::2] for text in players or ()], path)


def _plainly(session: "Session", letters: bool) -> int:
    from ricochet_casino.table.plain import PlainTable

    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        letters = True

    def read() -> str | None:
        if sys.stdin.isatty():
            sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        return line if line else None

    def tell(text: str) -> None:
        sys.stdout.write(f"{text}\n")

    return PlainTable(session, read, tell, ascii_only=letters).run()


def _screens() -> ModuleType:
    """The application: textual is imported only when it is needed."""
    try:
        from ricochet_casino.table import app
    except ModuleNotFoundError as error:
        raise ValueError(
            f"the table's screens need {error.name}, which is not there; --plain plays without"
        ) from None
    return app


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="The ledger.")],
    export: Annotated[
        bool, typer.Option("--export", help="Write all hands as text (see docs/table.md).")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write; else printed."),
    ] = None,
    form: TextOrJson = "text",
) -> None:
    """Check a ledger by playing it again, and say who won what; or write its hands as text.

    Every line is checked: its digest, whether the event could happen, whether the card is the one
    of the seed, and whether all chips sum to zero. Examples: `ricochet table replay friday.jsonl`,
    `ricochet table replay friday.jsonl --export --output friday.txt`.
    """
    check_text_or_json(form)
    from ricochet_casino.config import canonical_json, write_text_atomically
    from ricochet_casino.table.replay import exported
    from ricochet_casino.table.replay import replay as replayed

    found = replayed(file)
    if found.note:
        say_aside(f"note: {file}: {found.note.replace('is cut off', 'is left out')}", "yellow")
    if export:
        text = "\n".join(exported(found)) + "\n"
    elif form == "json":
        text = canonical_json(found.to_json()) + "\n"
    else:
        text = "\n".join(_summary(file, found)) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text_atomically(output, text)


def _summary(file: Path, found: "Replay") -> list[str]:
    content = found.to_json()
    header = content["game"]
    unfinished = f", {content['unfinished']} unfinished" if content["unfinished"] else ""
    lines = [
        f"{file}: {found.state.header.kind.title}, {header['cards']} cards, seed {header['seed']}",
        f"{content['events']:,} events, {content['hands']:,} hands{unfinished}: all possible, in "
        "order and undamaged",
        "",
        f"{'name':<16}  {'bought':>9}  {'on table':>9}  {'taken home':>10}  {'ahead':>9}",
    ]
    lines += [
        f"{row['name']:<16}  {row['bought']:>9,}  {row['on_table']:>9,}  "
        f"{row['taken_home']:>10,}  {row['ahead']:>+9,}"
        for row in content["people"]
    ]
    return [*lines, f"{'sum':<16}  {'':>9}  {'':>9}  {'':>10}  {content['sum']:>9,}"]
