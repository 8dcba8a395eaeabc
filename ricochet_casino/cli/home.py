"""`ricochet home compare` and `odds`; the others are in home_play.py and home_night.py."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ricochet_casino.cli.common import (
    SeedOption,
    TextOrJson,
    check_text_or_json,
    say,
    say_json,
    say_rows,
)
from ricochet_casino.cli.home_night import night
from ricochet_casino.cli.home_options import LevelHandsOption
from ricochet_casino.cli.home_play import duel, hand, study
from ricochet_casino.games.home_poker import ODDS_PLAYOUTS
from ricochet_casino.lab import DEFAULT_SEED

if TYPE_CHECKING:
    from ricochet_casino.games.home_poker.odds import Action, Odds

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
    home.command()(duel)
    home.command()(hand)
    home.command()(night)
    app.add_typer(home, name="home")


def compare(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="Pairs of hands.")],
    form: TextOrJson = "text",
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
        say_json({"results": results})
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
    playouts: Annotated[int, typer.Option(help="Of each purchase, if sampled.")] = ODDS_PLAYOUTS,
    seed: SeedOption = DEFAULT_SEED,
    form: TextOrJson = "text",
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
        say_json(found.to_json())
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
