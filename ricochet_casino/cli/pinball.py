"""`ricochet pinball deck|chain|play|study|design`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricochet_casino.cli.common import (
    EXIT_DIFFERS,
    ExecutorOption,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    TextOrJson,
    WorkersOption,
    check_text_or_json,
    out,
    running,
    say,
    say_aside,
    say_json,
)
from ricochet_casino.cli.pinball_play import DeckOption, GoalOption, TickOption, load, play
from ricochet_casino.lab import DEFAULT_SEED

if TYPE_CHECKING:
    from ricochet_casino.games.pinball.deck import Deck
    from ricochet_casino.games.pinball.measures import Measures

FullTiltOption = Annotated[
    bool, typer.Option("--full-tilt", help="Five outer cards instead of four.")
]

MEASURES = (
    ("guess", "guess"),
    ("tricky", "tricky"),
    ("foresight", "foresight"),
    ("short_cut", "short cut"),
    ("short_cut_first", "first look idle"),
    ("last_least", "last, least"),
    ("last_most", "last, most"),
)
EXPLAINED = (
    "guess: layouts named right from the start card alone, by heart (fair: low). tricky: chance "
    "that one wrong look ends in a wrong slap (high). foresight: named right before the start card "
    "is turned. short cut: layouts in which a look can be left out; first look idle: the first. "
    "last: chance of an outer card to be the last. All exact; docs/math.md, section 15.5."
)


PANEL = "Other games"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Pinball Ricochet, the speed game: decks, chains, games against the clock, studies.",
    )
    for command in (deck, chain, play, study, design):
        group.command()(command)
    app.add_typer(group, name="pinball")


def deck(
    deck: Annotated[
        str | None,
        typer.Argument(
            metavar="[DECK]", help="A YAML file or a shipped name; a random deck without it."
        ),
    ] = None,
    seed: SeedOption = DEFAULT_SEED,
    number: Annotated[int, typer.Option(min=0, help="Which random deck of the seed.")] = 0,
    out_file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the deck file there.")
    ] = None,
    figures: Annotated[
        bool, typer.Option("--figures", help="Measure how fair and how tricky it is.")
    ] = False,
    full_tilt: FullTiltOption = False,
    form: TextOrJson = "text",
) -> None:
    """Check a deck, or generate a random one that is valid.

    A deck has 50 cards; each colour's bumpers bear the numbers 1 to 50, once each, and the eight
    kinds of ball are as even as they can be. Examples: `ricochet pinball deck fairest --figures`,
    `ricochet pinball deck my.yaml`, `ricochet pinball deck --seed 7 --out random.yaml`.
    """
    check_text_or_json(form)
    from ricochet_casino.games.pinball.deck_files import deck_text, shipped_decks
    from ricochet_casino.lab.pinball import load_deck

    chosen = load(deck) if deck is not None else load_deck(None, seed, number)
    text = deck_text(chosen)
    if out_file is not None:
        from ricochet_casino.config import write_text_atomically

        write_text_atomically(out_file, text)
        say_aside(f"wrote {out_file}")
    if form == "json":
        _deck_json(chosen, figures, full_tilt)
        return
    if deck is None and out_file is None and not figures:
        typer.echo(text, nl=False)
        return
    from ricochet_casino.games.pinball.deck import KINDS

    say(f"deck {chosen.name}: 50 cards, each colour numbered 1 to 50")
    counts = zip(KINDS, chosen.kind_counts, strict=True)
    say("balls: " + ", ".join(f"{count} {kind}" for kind, count in counts))
    if deck is not None:
        say(f"shipped decks: {', '.join(shipped_decks())}")
    if figures:
        from ricochet_casino.games.pinball.measures import measures

        _say_measures([(chosen.name, measures(chosen, full_tilt))])


def _deck_json(chosen: "Deck", figures: bool, full_tilt: bool) -> None:
    from ricochet_casino.games.pinball.deck import KINDS

    counts = dict(zip(KINDS, chosen.kind_counts, strict=True))
    document: dict[str, Any] = {
        "name": chosen.name,
        "cards": [card.to_json() for card in chosen.cards],
        "balls": counts,
    }
    if figures:
        from ricochet_casino.games.pinball.measures import measures

        document["measures"] = measures(chosen, full_tilt).to_json()
    say_json(document)


def chain(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Layouts, JSON or YAML.")],
    form: TextOrJson = "text",
) -> None:
    """Follow the ball through layouts: which card comes after which, and which is the last.

    FILE holds `layouts`, a list; each has `start` (its `ball`), and `outer` with four cards (top,
    right, bottom, left) or five (p0 to p4), a card being `bumpers` with a number for red, yellow,
    green and blue and a `ball` such as [large, red]. Exit code 1 if the file states another chain.
    Example: `ricochet pinball chain layouts.json --format json`.
    """
    check_text_or_json(form)
    from ricochet_casino.lab.pinball import chains

    document, differences = chains(file)
    if form == "json":
        say_json(document)
    else:
        width = max((len(str(found["id"])) for found in document["chains"]), default=0)
        for found in document["chains"]:
            say(f"{found['id']!s:>{width}}  {' > '.join(found['sequence'])}")
    for line in differences:
        say_aside(line, "red")
    if differences:
        raise typer.Exit(EXIT_DIFFERS)


def study(
    players: Annotated[int, typer.Option(help="2 to 10.")] = 2,
    deck: DeckOption = "fairest",
    games: Annotated[int, typer.Option(min=1, max=10**13, help="How many games.")] = 100_000,
    seed: SeedOption = DEFAULT_SEED,
    full_tilt: FullTiltOption = False,
    goal: GoalOption = 6,
    time: Annotated[
        str, typer.Option(help="Mean seconds of a look; one number, or one a player: 0.7,0.9")
    ] = "0.8",
    spread: Annotated[
        str, typer.Option(help="A look takes the mean give or take this share, evenly spread.")
    ] = "40%",
    error: Annotated[
        str, typer.Option(help="Chance that a look ends on a wrong card; 2% or 1%,5%")
    ] = "0",
    tick: TickOption = 10,
    longest: Annotated[
        int, typer.Option(help="Give a game up, undecided, after so many start cards.")
    ] = 1000,
    cost: Annotated[
        bool, typer.Option("--cost", help="What each player's own slips cost: play again without.")
    ] = False,
    form: TextOrJson = "text",
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Play many games between models of players: win shares, rounds, slips and ties.

    A player is a time for each look along the chain and a chance that a look goes wrong. Slaps in
    the same tick are a tie. All intervals are at 99 % and hold at their level. Examples:
    `ricochet pinball study --players 3`,
    `ricochet pinball study --players 2 --time 0.7,0.8 --error 5%,1% --cost`,
    `ricochet pinball study --players 4 --deck trickiest --games 1000000 --full-tilt`.
    """
    check_text_or_json(form)
    from ricochet_casino.lab.pinball import StudyRequest
    from ricochet_casino.lab.pinball import study as play_study

    request = StudyRequest(
        load(deck), players, goal, full_tilt, tick, longest, games, seed, time, spread, error, cost
    )
    what = {"what": "pinball_study", "cost": cost, "spec": request.study().spec()}
    with running(Place(workers, executor, store, resume, restart), what) as runner:
        found = play_study(request, runner)
    if form == "json":
        say_json(found)
    else:
        _say_study(found)


def _say_study(found: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    rules = found["rules"]
    variant = "Full Tilt, " if rules["full_tilt"] else ""
    say(
        f"{found['games']:,} games (seed {found['seed']}), deck {found['deck']}, {variant}"
        f"first to {rules['goal']}"
    )
    exact = found.get("exact_win_shares")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    names = ["player", "time s", "spread", "error", "win share", "99 % interval", "cards a game"]
    for name in [*names, *(["exactly"] if exact else []), "slips", "cards lost"]:
        table.add_column(name, justify="right")
    for seat, row in enumerate(found["win_shares"]):
        share = row["win_share"]
        cells = [str(row["player"]), row["time"], row["spread"], row["error"]]
        cells += [_short(share["decimal"]), " to ".join(_short(end) for end in share["interval"])]
        cells.append(_short(row["cards_per_game"]["decimal"]))
        cells += [_short(exact[seat]["decimal"])] if exact else []
        table.add_row(*cells, f"{row['slips']:,}", f"{row['cards_lost']:,}")
    out.print(table)
    rounds = found["rounds"]
    mean = rounds["mean"]
    ends = " to ".join(_short(end) for end in mean["interval"])
    say(f"rounds: {_short(mean['decimal'])} a game ({ends}); standard error "
        f"{_short(rounds['standard_error']['decimal'])}")  # fmt: skip
    if "exact_mean_of_equal_players" in rounds:
        say(f"        {_short(rounds['exact_mean_of_equal_players']['decimal'])} exactly")
    shown = sorted(rounds["distribution"].items(), key=lambda pair: -pair[1])[:8]
    shares = (f"{n}: {100 * g / found['games']:.1f} %" for n, g in sorted(shown, key=_by_number))
    say(f"        most often {', '.join(shares)}")
    for key, text in (("ties", "tie-breaks"), ("slips", "slips"), ("void_rounds", "void rounds")):
        part = found[key]
        say(f"{text}: {part['total']:,}, {_short(part['per_game']['decimal'])} a game")
    places = found["places"]
    say(f"last card at the same place as the round before: "
        f"{_short(places['same_place_share']['decimal'])} of rounds")  # fmt: skip
    others = {name: n for name, n in found["ends"].items() if name != "goal" and n}
    for name, number in others.items():
        say(f"games that ended {name}: {number:,}")
    for row in found.get("cost_of_slips", ()):
        without = row["win_share_without_slips"]
        ends = " to ".join(_short(end) for end in without["interval"])
        say(f"player {row['player']} without own slips: win share {_short(without['decimal'])} "
            f"({ends}), slips cost {_short(row['cost']['decimal'])}")  # fmt: skip


def _by_number(pair: tuple[str, int]) -> int:
    return int(pair[0])


def _short(decimal: str) -> str:
    """Six decimals of a figure, for people."""
    try:
        return f"{float(decimal):.6f}"
    except ValueError:
        return decimal


def _say_measures(rows: "list[tuple[str, Measures]]") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("deck")
    for _, title in MEASURES:
        table.add_column(title, justify="right")
    table.add_column("unevenness", justify="right")
    for name, found in rows:
        cells = [f"{float(getattr(found, key)):.4f}" for key, _ in MEASURES]
        table.add_row(name, *cells, f"{float(found.unevenness) ** 0.5:.4f}")
    out.print(table)
    say_aside(EXPLAINED)


def design(
    decks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DECK]...", help="Decks to measure; the shipped ones by default."),
    ] = None,
    random: Annotated[
        int, typer.Option(min=0, max=10_000, help="Random decks to set beside them.")
    ] = 5,
    search: Annotated[
        str | None,
        typer.Option(help="fair or tricky: search for such a deck instead.", metavar="AIM"),
    ] = None,
    starts: Annotated[int, typer.Option(min=1, max=10_000, help="Searches.")] = 2,
    steps: Annotated[int, typer.Option(min=0, max=10**6, help="Steps of each search.")] = 200,
    out_file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the deck found there.")
    ] = None,
    seed: SeedOption = DEFAULT_SEED,
    full_tilt: FullTiltOption = False,
    form: TextOrJson = "text",
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Measure how fair and how tricky decks are, or search for the fairest or trickiest.

    Every figure counts all 10,593,800 layouts of a deck (with --full-tilt 95,344,200). A search
    begins with random decks and exchanges numbers or balls of two cards, keeping what is no worse;
    a step takes a tenth of a second, with --full-tilt more than a second. Examples:
    `ricochet pinball design`, `ricochet pinball design my.yaml --random 20`,
    `ricochet pinball design --search fair --steps 500 --out fair.yaml`.
    """
    check_text_or_json(form)
    from ricochet_casino.games.pinball.deck_files import shipped_decks
    from ricochet_casino.lab.pinball import compare_decks
    from ricochet_casino.lab.pinball import search as search_deck

    if search is None:
        chosen = [load(name) for name in decks or shipped_decks()]
        given = store is not None or out_file is not None
        if given:
            raise typer.BadParameter("needs --search fair or tricky", param_hint="--store, --out")
        with running(Place(workers, executor), {}) as runner:
            rows = compare_decks(chosen, random, seed, full_tilt, runner)
        if form == "json":
            listed = [{"name": name, "measures": found.to_json()} for name, found in rows]
            say_json({"decks": listed, "full_tilt": full_tilt})
        else:
            _say_measures(rows)
        return
    from ricochet_casino.games.pinball.design import Search

    what = {"what": "search", "spec": Search(search, full_tilt, starts, steps, seed).spec()}
    with running(Place(workers, executor, store, resume, restart), what) as runner:
        found_deck, entry = search_deck(search, full_tilt, starts, steps, seed, runner)
    _deliver_search(found_deck, entry, out_file, form)


def _deliver_search(found: "Deck", entry: dict[str, Any], out_file: Path | None, form: str) -> None:
    from ricochet_casino.config import write_text_atomically
    from ricochet_casino.games.pinball.deck_files import deck_text
    from ricochet_casino.lab.pinball import search_comment

    text = deck_text(found, search_comment(entry))
    if out_file is not None:
        write_text_atomically(out_file, text)
        say_aside(f"wrote {out_file}")
    if form == "json":
        say_json(entry)
    elif out_file is None:
        typer.echo(text, nl=False)
    else:
        from ricochet_casino.games.pinball.measures import measures

        _say_measures([(found.name, measures(found, entry["full_tilt"]))])
