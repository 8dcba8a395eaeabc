"""What the commands of `ricochet home` share: options, settings."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ricochet_casino.games.home_poker.settings import Settings

POLICIES = ("random", "buy_one", "buy_maximum", "pot_odds", "look_ahead")
PRESETS = ("basic", "table_game_ii", "seven_cards", "six_cards", "jokers")

PresetOption = Annotated[
    str,
    typer.Option(
        help="basic, table_game_ii, seven_cards, six_cards or jokers.",
        autocompletion=lambda: list(PRESETS),
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
        autocompletion=lambda: list(POLICIES),
    ),
]
PlayersOption = Annotated[int, typer.Option(help="2 to 8.")]
PlayoutsOption = Annotated[
    int, typer.Option(help="Most playouts of each action, for look_ahead: 1 to 65,536.")
]
CoinOption = Annotated[str | None, typer.Option(help="1 or fair.", show_default="1")]


def chosen_settings(
    preset: str,
    limit: int | None,
    start: int | None,
    jokers: int | None,
    level_hands: str | None,
    coin: str | None,
    empty_stub: str | None,
) -> "Settings":
    """The rules that the options ask for; see `read_settings` for errors."""
    from ricochet_casino.games.home_poker.settings import read_settings

    return read_settings(
        preset, hand_limit=limit, starting_cards=start, jokers=jokers, level_hands=level_hands,
        coin=coin, empty_stub=empty_stub,
    )  # fmt: skip


def ends(figure: dict[str, Any]) -> str:
    """The interval of a figure."""
    low, high = (float(end) for end in figure["interval"])
    return f"{low:+.4f} to {high:+.4f}" if low < 0 else f"{low:.4f} to {high:.4f}"
