"""`ricochet home compare|odds|study|hand`; `night` is in home_night.py."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricochet_casino.cli.common import (
    TEXT_OR_JSON,
    ExecutorOption,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    WorkersOption,
    check_text_or_json,
    running,
    say,
    say_rows,
)
from ricochet_casino.cli.home_night import night
from ricochet_casino.lab import DEFAULT_SEED

if TYPE_CHECKING:
    from ricochet_casino.games.home_poker.odds import Action, Odds
    from ricochet_casino.games.home_poker.settings import Settings

_POLICIES = ("random", "buy_one", "buy_maximum", "pot_odds", "look_ahead")
_PRESETS = ("basic", "table_game_ii", "seven_cards", "six_cards", "jokers")

FormatOption = Annotated[
    str,
    typer.Option("--format", help="text or json.", autocompletion=lambda: list(TEXT_OR_JSON)),
]
PresetOption = Annotated[
    str,
    typer.Option(
        help="basic, table_game_ii, seven_cards, six_cards or jokers.",
        autocompletion=lambda: list(_PRESETS),
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option(help="Hand limit: 5, 6 or 7.", show_default="the preset's, mostly 5"),
]
StartOption = Annotated[
    int | None, typer.Option(help="Starting cards: 1 or 2.", show_default="the preset's")
]
JokersOption = Annotated[
    int | None,
    typer.Option(help="Jokers in the deck, 0 to 2: bugs.", show_default="the preset's, mostly 0"),
]
LevelHandsOption = Annotated[
    str | None,
    typer.Option(
        help="suit, split or stay: a lowest hand that is level in rank.",
        autocompletion=lambda: ["suit", "split", "stay"],
        show_default="suit",
    ),
]
EmptyStubOption = Annotated[
    str | None,
    typer.Option(
        help="cap or reshuffle: when the cards run out.",
        autocompletion=lambda: ["cap", "reshuffle"],
        show_default="cap",
    ),
]
PolicyOption = Annotated[
    list[str] | None,
    typer.Option(
        help="random, buy_one, buy_maximum, pot_odds or look_ahead (the strong one); once for all "
        "seats, or once per seat.",
        show_default="pot_odds",
        autocompletion=lambda: list(_POLICIES),
    ),
]
PlayersOption = Annotated[int, typer.Option(help="2 to 8.")]


PANEL = "Other games"
"""Where the commands stand in the help."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    home = typer.Typer(
        no_args_is_help=True,
        help="The home game and Table Game II: 2 to 8 players buy cards, the lowest hand acts. And "
        "casino night at home.",
    )
    home.command()(compare)
    home.command()(odds)
    home.command()(study)
    home.command()(hand)
    home.command()(night)
    app.add_typer(home, name="home")


def _print_json(value: Any) -> None:
    from ricochet_casino.config import canonical_json

    typer.echo(canonical_json(value))


def compare(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="Pairs of hands.")],
    form: FormatOption = "text",
) -> None:
    """Compare pairs of hands of 1 to 7 cards: in the order of play, and at the showdown.

    The file holds `pairs`, a list of objects with `id`, `a` and `b` (lists of cards such as `Ks`,
    `10h`, `X1` and `X2` for the Jokers), `jokers` (0, 1 or 2) and `limit_needed` (5, 6 or 7). The
    answer is -1, 0 or 1: `a` is below, level with or above `b`. Example:

    `{"pairs": [{"id": 1, "a": ["Kd"], "b": ["Qd", "Jc"], "jokers": 0, "limit_needed": 5}]}`
    """
    check_text_or_json(form)
    from ricochet_casino.lab.home import compare_file

    results = compare_file(file)
    if form == "json":
        _print_json({"results": results})
        return
    words = {-1: "a is lower", 0: "level", 1: "a is higher"}
    say_rows(
        ("pair", "order of play", "at the showdown"),
        ((str(f["id"]), words[f["order_of_play"]], words[f["showdown"]]) for f in results),
    )


def odds(
    actor: Annotated[str, typer.Option(help="Cards of the player to act, the lowest hand.")],
    opponent: Annotated[list[str], typer.Option(help="Cards of another live hand; once for each.")],
    pot: Annotated[int, typer.Option(help="Chips in the pot before the action.")],
    dead: Annotated[str, typer.Option(help="Cards of hands that are out.")] = "",
    limit: Annotated[int, typer.Option(help="Hand limit: 5, 6 or 7.")] = 5,
    jokers: Annotated[int, typer.Option(help="Jokers in the deck: 0 to 2.")] = 0,
    level_hands: LevelHandsOption = None,
    coin: Annotated[
        str,
        typer.Option(
            help="fair: a split pot is cut exactly; 1: odd chips go to who acted last.",
            autocompletion=lambda: ["fair", "1"],
        ),
    ] = "fair",
    exact: Annotated[
        bool, typer.Option("--exact", help="Both go on optimally; every card is counted.")
    ] = False,
    sampled: Annotated[
        bool, typer.Option("--sampled", help="All go on by pot odds; values have intervals.")
    ] = False,
    reach: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=8,
            help="Exact values even if so many cards can still be bought: 7 takes minutes.",
            show_default="6, or 4 with a hand limit of 6 or 7",
        ),
    ] = None,
    playouts: Annotated[int, typer.Option(help="Of each purchase, if sampled.")] = 1 << 14,
    seed: SeedOption = DEFAULT_SEED,
    form: FormatOption = "text",
) -> None:
    """What each action in a position is worth: fold, or buy 1, 2, ... cards.

    For each: the chance that the hand is no longer the lowest after it, the chips paid on average
    until the end, and the value in chips from here on (folding is 0). Without `--exact` or
    `--sampled`, exact where that is quick. The rulebook's example, player 4 to act:

    `ricochet home odds --actor "2h 2d 9c 7s" --opponent "8s 8d Kd 5h" --dead "Jc 8h 9h Qd"
    --pot 15 --exact`
    """
    check_text_or_json(form)
    if exact and sampled:
        raise typer.BadParameter("choose one of the two", param_hint="--exact, --sampled")
    from ricochet_casino.games.home_poker.exact import OutOfReachError
    from ricochet_casino.games.home_poker.settings import read_settings
    from ricochet_casino.lab.home import odds_of, position_of

    settings = read_settings(hand_limit=limit, jokers=jokers, level_hands=level_hands, coin=coin)
    position = position_of(settings, actor, opponent, dead, pot)
    try:
        found = odds_of(position, exact=not sampled, playouts=playouts, seed=seed, reach=reach)
    except OutOfReachError:
        if exact:
            raise
        found = odds_of(position, exact=False, playouts=playouts, seed=seed)
    if form == "json":
        _print_json(found.to_json())
        return
    _say_odds(found)


def _say_odds(found: "Odds") -> None:
    from ricochet_casino.cards.deck import format_cards

    position = found.position
    say(f"to act     {format_cards(position.actor, 'symbols')}")
    for cards in position.opponents:
        say(f"against    {format_cards(cards, 'symbols')}")
    if position.dead:
        say(f"out        {format_cards(position.dead, 'symbols')}")
    chips = "chip" if position.pot == 1 else "chips"
    say(f"pot        {position.pot} {chips}, {len(position.unseen)} cards unseen\n")
    exact = found.method == "exact"
    names = ("action", "overtakes", "pays", "EV", "exactly" if exact else "99 % interval")
    say_rows(names, map(_odds_row, found.actions))
    best = "fold" if found.best.amount == 0 else f"buy {found.best.name}"
    doubt = "" if found.certain else "  (the intervals do not tell for certain)"
    say(f"\nadvice     {best}{doubt}")
    how = (
        "exact: both players go on optimally"
        if exact
        else f"sampled: {found.playouts:,} playouts of each purchase, all going on by pot odds"
    )
    say(f"values     {how}; chips from here on")


def _odds_row(action: "Action") -> tuple[str, ...]:
    name = "fold" if action.amount == 0 else f"buy {action.amount}"
    chance = "" if action.overtake is None else f"{float(action.overtake) * 100:.2f} %"
    if action.interval is None:
        last = str(action.ev)
    else:
        last = f"{float(action.interval.low):+.4f} to {float(action.interval.high):+.4f}"
    if action.amount == 0:
        last = "0"
    return name, chance, f"{float(action.cost):.4f}", f"{float(action.ev):+.6f}", last


def study(
    players: PlayersOption = 4,
    policy: PolicyOption = None,
    hands: Annotated[
        int, typer.Option(min=1, max=10**13, help="Hands of play, at most 10^13.")
    ] = 100_000,
    seed: SeedOption = DEFAULT_SEED,
    preset: PresetOption = "basic",
    limit: LimitOption = None,
    start: StartOption = None,
    jokers: JokersOption = None,
    level_hands: LevelHandsOption = None,
    coin: Annotated[str | None, typer.Option(help="1 or fair.", show_default="1")] = None,
    empty_stub: EmptyStubOption = None,
    playouts: Annotated[
        int, typer.Option(help="Of each purchase, for look_ahead: 1 to 1,000.")
    ] = 128,
    form: FormatOption = "text",
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Play many hands and report pots, actions, splits, winning hands and each seat's result.

    The intervals of all seats hold together at 99 %: they show whether a seat has an advantage, or
    which policy is the better one. Examples: `ricochet home study --players 8 --policy buy_one
    --hands 1000000`, and the strong policy in seat 1 against three who count pot odds:
    `ricochet home study --players 4 --policy look_ahead --policy pot_odds --policy pot_odds
    --policy pot_odds --hands 40000`.
    """
    check_text_or_json(form)
    from ricochet_casino.games.home_poker.study import Study

    settings = _settings(preset, limit, start, jokers, level_hands, coin, empty_stub)
    chosen = policy or ["pot_odds"]
    experiment = Study(settings, players, chosen, hands, seed, playouts=playouts)
    place = Place(workers, executor, store, resume, restart)
    with running(place, {"what": "home_study", "spec": experiment.spec()}) as runner:
        entry, blocks = runner.run(experiment, "hands of play")
    if form == "json":
        _print_json({"spec": experiment.spec(), "entry": entry, "blocks": blocks})
        return
    _say_study(entry)


def _settings(
    preset: str,
    limit: int | None,
    start: int | None,
    jokers: int | None,
    level_hands: str | None,
    coin: str | None,
    empty_stub: str | None,
) -> "Settings":
    from ricochet_casino.games.home_poker.settings import read_settings

    return read_settings(
        preset, hand_limit=limit, starting_cards=start, jokers=jokers, level_hands=level_hands,
        coin=coin, empty_stub=empty_stub,
    )  # fmt: skip


def _say_study(entry: dict[str, Any]) -> None:
    settings = entry["settings"]
    jokers = f"{settings['jokers']} Jokers" if settings["jokers"] != 1 else "1 Joker"
    say(
        f"{entry['hands']:,} hands of {entry['players']} players; hand limit "
        f"{settings['hand_limit']}, {settings['starting_cards']} to start with, {jokers}, level "
        f"hands: {settings['level_hands']}, coin {settings['coin']}, seed {entry['seed']}\n"
    )
    named = (
        ("pot", "chips in the pot"),
        ("actions_per_hand", "actions in a hand"),
        ("split_pots", "split pots, share"),
    )
    rows = [(text, _short(entry[name]), _ends(entry[name])) for name, text in named]
    rows += [
        (name.replace("_", " "), _short(figure), "")
        for name, figure in entry["per_hand"].items()
        if figure["decimal"] != "0"
    ]
    say_rows(("per hand", "mean", "99 % interval"), rows)
    pace = float(entry["seconds_per_action_in_five_minutes"]["decimal"])
    say(f"\nThe rulebook's five minutes would be {pace:.0f} seconds for each action.\n")
    say_rows(
        ("seat", "policy", "net chips a hand", "interval, all seats at 99 %", "wins"),
        ((str(row["seat"]), row["policy"], *_result(row)) for row in entry["by_seat"]),
    )
    say(f"\n{_verdict(entry)}\n")
    won = sum(entry["winning_hands"].values())
    say_rows(
        ("winning hand", "share"),
        ((n, f"{k / won * 100:.3f} %") for n, k in entry["winning_hands"].items() if k),
    )
    say("")
    say_rows(
        ("first card", "net chips a hand", "99 % interval", "wins"),
        ((row["rank"], *_result(row)) for row in entry["first_card"]),
    )


def _result(row: dict[str, Any]) -> tuple[str, str, str]:
    """Net chips, their interval, and share of pots won or shared."""
    net, wins = row["net"], float(row["wins"]["decimal"])
    return f"{float(net['decimal']):+.4f}", _ends(net), f"{wins * 100:.2f} %"


def _verdict(entry: dict[str, Any]) -> str:
    fairness = entry["fairness"]
    inside, players = fairness["seats_whose_interval_contains_zero"], entry["players"]
    if not fairness["same_policy_in_every_seat"]:
        return (
            f"{players - inside} of {players} intervals exclude zero: that is the policies' doing, "
            "for the deal treats all seats alike."
        )
    if inside == players:
        return "All intervals contain zero: no seat shows an advantage."
    return f"{players - inside} of {players} intervals exclude zero."


def _short(figure: dict[str, Any]) -> str:
    return f"{float(figure['decimal']):.4f}"


def _ends(figure: dict[str, Any]) -> str:
    low, high = (float(end) for end in figure["interval"])
    return f"{low:+.4f} to {high:+.4f}" if low < 0 else f"{low:.4f} to {high:.4f}"


def hand(
    players: PlayersOption = 4,
    policy: PolicyOption = None,
    seed: SeedOption = 0,
    number: Annotated[int, typer.Option(min=0, help="Which deal of the seed.")] = 0,
    preset: PresetOption = "basic",
    limit: LimitOption = None,
    start: StartOption = None,
    jokers: JokersOption = None,
    level_hands: LevelHandsOption = None,
    coin: Annotated[str | None, typer.Option(help="1 or fair.", show_default="1")] = None,
    empty_stub: EmptyStubOption = None,
    form: FormatOption = "text",
) -> None:
    """Play one hand by the book and tell it step by step.

    Examples: `ricochet home hand --seed 7`, `ricochet home hand --players 6 --policy buy_maximum
    --preset seven_cards`.
    """
    check_text_or_json(form)
    from ricochet_casino.games.home_poker.narration import narrate
    from ricochet_casino.lab.home import refereed_hand

    settings = _settings(preset, limit, start, jokers, level_hands, coin, empty_stub)
    table = refereed_hand(settings, policy or ["buy_maximum"], players, seed, number)
    if form == "json":
        events = [{**event._asdict(), "kind": str(event.kind)} for event in table.events]
        _print_json({"events": events, "net": list(table.net), "unit": settings.unit})
        return
    for line in narrate(table):
        say(line)
