"""What `ricochet solitaire`, `pyramid` and `racing-aces` share: their four commands."""

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricochet_casino.cli.common import (
    ExecutorOption,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    TextOrJson,
    WorkersOption,
    check_text_or_json,
    progress_bars,
    running,
    say,
    say_aside,
    say_json,
)
from ricochet_casino.lab import DEFAULT_SEED

if TYPE_CHECKING:
    from ricochet_casino.lab.patience import PatienceGame
    from ricochet_casino.lab.patience_session import PatienceSession

SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting; may be given several times."),
]
PresetOption = Annotated[str | None, typer.Option(help="Settings with a name to begin with.")]
NumberOption = Annotated[int, typer.Option(min=0, help="Which deal of the seed.")]
PlayerOption = Annotated[
    str, typer.Option(help="Who plays: solver sees all cards; the others see what a person sees.")
]
LevelOption = Annotated[str, typer.Option(metavar="SHARE", help="Level of the intervals.")]

_HELP = """u: take back   h: hint   m: all moves   b: the board again   q: quit"""


def patience_group(name: str, about: str, example: str) -> typer.Typer:
    """Commands of one game.

    Parameters
    ----------
    name
        Name of the game in `lab.patience.GAMES`.
    about
        What the group's help says, settings included.
    example
        A setting for the examples, such as ``wrap=false``.
    """
    group = typer.Typer(no_args_is_help=True, help=about)

    def deal(
        number: NumberOption = 0,
        seed: SeedOption = DEFAULT_SEED,
        winnable: Annotated[
            bool, typer.Option("--winnable", help="The next deal that is proven winnable.")
        ] = False,
        difficulty: Annotated[
            bool, typer.Option("--difficulty", help="How often quick players win it.")
        ] = False,
        form: TextOrJson = "text",
        settings: SetOption = None,
        preset: PresetOption = None,
    ) -> None:
        _deal(_game(name), number, seed, winnable, difficulty, form, settings or [], preset)

    def solve(
        file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON with a list `deals`.")],
        limit_seconds: Annotated[
            str, typer.Option(metavar="SECONDS", help="For one deal; above 0.")
        ] = "60",
        limit_states: Annotated[
            int | None, typer.Option(help="States looked at for one deal; at least 1.")
        ] = None,
        form: TextOrJson = "text",
        settings: SetOption = None,
        preset: PresetOption = None,
    ) -> None:
        _solve(_game(name), file, limit_seconds, limit_states, form, settings or [], preset)

    def study(
        deals: Annotated[int, typer.Option(min=1, max=10**13, help="How many deals.")] = 1000,
        seed: SeedOption = DEFAULT_SEED,
        player: PlayerOption = "solver",
        level: LevelOption = "99%",
        limit_states: Annotated[
            int | None, typer.Option(help="States of one deal before it is undecided.")
        ] = None,
        form: TextOrJson = "text",
        settings: SetOption = None,
        preset: PresetOption = None,
        workers: WorkersOption = 1,
        executor: ExecutorOption = "auto",
        store: StoreOption = None,
        resume: ResumeOption = False,
        restart: RestartOption = False,
    ) -> None:
        place = Place(workers, executor, store, resume, restart)
        chosen = settings or []
        _study(_game(name), deals, seed, player, level, limit_states, form, chosen, preset, place)

    def play(
        number: NumberOption = 0,
        seed: SeedOption = DEFAULT_SEED,
        mark: Annotated[
            bool, typer.Option(help="Say when the position can no longer be won.")
        ] = True,
        settings: SetOption = None,
        preset: PresetOption = None,
    ) -> None:
        _play(_game(name), number, seed, mark, settings or [], preset)

    texts: dict[Callable[..., None], str] = {
        deal: f"""Show a numbered deal, the same on every machine.

Examples: `ricochet {name} deal --number 7`, `ricochet {name} deal --winnable --difficulty`.""",
        solve: f"""Decide the deals of a file: won (with moves), lost (proven) or undecided.

The file is JSON: a list `deals`, each with an `id` and its cards, as `deal --format json` writes.
Examples: `ricochet {name} deal --format json > deals.json`,
`ricochet {name} solve deals.json --set {example} --format json`.""",
        study: f"""How many of many numbered deals are won, with exact and Wilson intervals.

Undecided deals widen the intervals on both sides. Examples:
`ricochet {name} study --deals 2000 --set {example}`,
`ricochet {name} study --deals 100000 --player greedy --workers 2`.""",
        play: f"""Play a numbered deal in the terminal, with hints and undo.

A move is typed as it is listed; `h` gives a hint, `u` takes back, `q` quits. Example:
`ricochet {name} play --number 7`.""",
    }
    for command, text in texts.items():
        group.command(command.__name__, help=text)(command)
    return group


def _game(name: str) -> "PatienceGame":
    from ricochet_casino.lab.patience import GAMES

    return GAMES[name]


def _seconds(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(
            f"{text!r}: expected a number of seconds, such as 60 or 0.5",
            param_hint="--limit-seconds",
        ) from None


def _level(text: str) -> Fraction:
    try:
        bare = text.strip().removesuffix("%")
        return Fraction(bare) / (100 if bare != text.strip() else 1)
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(
            f"{text!r}: expected a share such as 99%", param_hint="--level"
        ) from None


def _deal(
    game: "PatienceGame",
    number: int,
    seed: int,
    winnable: bool,
    rated: bool,
    form: str,
    texts: Sequence[str],
    preset: str | None,
) -> None:
    check_text_or_json(form)
    from ricochet_casino.lab.patience import PLAYOUTS, difficulty, winnable_deal
    from ricochet_casino.lab.patience_views import view

    settings = game.settings.from_texts(texts, preset)
    tried = 0
    if winnable:
        number, tried = winnable_deal(game, settings, seed, number)
    cards = game.deal(seed, number)
    wins = difficulty(game, cards, settings, seed) if rated else {}
    if form == "json":
        entry: dict[str, Any] = {
            "id": f"{seed}-{number}",
            game.inside.KEY: game.inside.write(cards),
        }
        entry |= {"seed": seed, "number": number}
        if rated:
            entry["playouts"] = {"games": PLAYOUTS, "won": dict(wins)}
        if winnable:
            entry["verdict"] = "won"
        say_json({"deals": [entry], "settings": settings.model_dump()})
        return
    say(f"{game.title}, deal {number} of seed {seed} ({', '.join(settings.texts())})")
    for line in view(game, game.referee(cards, settings)):
        say(line)
    if winnable:
        say(f"can be won (proven); {tried} {'deal' if tried == 1 else 'deals'} looked at")
    for player, won in wins.items():
        say(f"the {player} player wins {won} of {PLAYOUTS} games")


def _solve(
    game: "PatienceGame",
    file: Path,
    limit_seconds: str,
    limit_states: int | None,
    form: str,
    texts: Sequence[str],
    preset: str | None,
) -> None:
    check_text_or_json(form)
    from ricochet_casino.lab.patience import read_deals, solve_deals
    from ricochet_casino.lab.patience_session import move_text
    from ricochet_casino.lab.running import Runner

    seconds = _seconds(limit_seconds)
    deals = read_deals(game, file, texts, preset)
    with progress_bars() as stage:
        verdicts = solve_deals(game, deals, seconds, limit_states, Runner(stage=stage))
    if form == "json":
        say_json({"game": game.study.game, "verdicts": verdicts})
        return
    for found in verdicts:
        say(f"{found['id']}: {found['verdict']} ({found['states']:,} states, {found['seconds']} s)")
        if found["moves"]:
            say("    " + ", ".join(map(move_text, found["moves"])))


def _study(
    game: "PatienceGame",
    deals: int,
    seed: int,
    player: str,
    level: str,
    limit_states: int | None,
    form: str,
    texts: Sequence[str],
    preset: str | None,
    place: Place,
) -> None:
    check_text_or_json(form)
    from ricochet_casino.lab.patience import study_deals

    settings = game.settings.from_texts(texts, preset)
    share = _level(level)
    spec = game.study(settings, deals, seed, player, limit_states, share).spec()
    with running(place, {"what": "patience_study", "spec": spec}) as runner:
        found = study_deals(game, settings, deals, seed, player, runner, limit_states, share)
    if form == "json":
        say_json(found)
        return
    low, high = found["interval"]
    rows = [
        ("settings", ", ".join(settings.texts())),
        ("player", player),
        ("deals", f"{deals:,} of seed {seed}"),
        ("won", f"{found['won']:,}"),
        ("lost" if player == "solver" else "not won", f"{found['lost']:,}"),
        ("undecided", f"{found['undecided']:,}"),
        ("share won", found["share"]),
        (f"exact {level} interval", f"{low} to {high}"),
        (f"Wilson {level} interval", " to ".join(found["wilson"])),
        ("deals per second", found["deals_per_second"]),
    ]
    if "states" in found:
        sizes = found["states"]
        largest = (
            sizes[key] for key in ("median_at_most", "99_percent_at_most", "largest_at_most")
        )
        rows.append(("states: median, 99 %, most", ", ".join(f"{n:,}" for n in largest)))
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        say(f"{name:<{width}}  {text}")
    for line in game.inside.remarks(settings):
        say(line)


def _play(
    game: "PatienceGame",
    number: int,
    seed: int,
    mark: bool,
    texts: Sequence[str],
    preset: str | None,
) -> None:
    from ricochet_casino.lab.patience_session import PatienceSession, move_text
    from ricochet_casino.lab.patience_views import view

    settings = game.settings.from_texts(texts, preset)
    session = PatienceSession(game, game.deal(seed, number), settings)
    say(f"{game.title}, deal {number} of seed {seed} ({', '.join(settings.texts())})")
    for line in game.inside.remarks(settings):
        say(line)
    say(_HELP)
    shown = False
    while True:
        if not shown:
            for line in view(game, session.referee):
                say(line)
            if session.is_won:
                say(f"Won in {len(session.referee.history)} moves.")
                return
            say("moves: " + ", ".join(map(move_text, session.legal())))
            if session.is_stuck:
                say("No move is left; u takes the last one back.")
            elif mark and session.is_hopeless:
                say("This position can no longer be won; u takes the last move back.")
        sys.stdout.flush()
        text = sys.stdin.readline()
        if not text or text.strip().lower() in ("q", "quit"):
            say("Good-bye.")
            return
        shown = not _obey(session, text.strip())


def _obey(session: "PatienceSession", text: str) -> bool:
    """Do what a person typed; returns whether the board is to be shown again."""
    from ricochet_casino.lab.patience_session import chosen_move, move_text

    word = text.lower()
    try:
        if word in ("h", "hint"):
            _say_hint(session)
            return False
        if word in ("m", "moves"):
            say("moves: " + ", ".join(map(move_text, session.legal())))
            return False
        if word in ("?", "help"):
            say(_HELP)
            return False
        if word in ("u", "undo"):
            say(f"taken back: {move_text(session.undo())}")
            return True
        if word in ("b", "board"):
            return True
        session.move(chosen_move(session, text))
    except ValueError as error:
        say_aside(f"{error}")
        return False
    return True


def _say_hint(session: "PatienceSession") -> None:
    from ricochet_casino.lab.patience_session import move_text

    hint = session.hint()
    if hint is not None:
        say(f"hint: {move_text(hint)}")
    elif session.is_hopeless:
        say("no hint: this position can no longer be won")
    else:
        say("no hint: no way to win was found in time")
