"""Players of Ricochet solitaire by name; the games themselves are in `player_kernel`."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.games.ricochet_solitaire import layout
from ricochet_casino.games.ricochet_solitaire.deals import PLAYER_STREAM, dealt_ranks
from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings

PLAYERS: Final = ("random", "greedy", "lookahead")
"""Names, in the order of their numbers in the kernel."""
LOOKAHEAD_DECKS: Final = 24
"""Decks that the look-ahead player deals for each decision."""


def kernel_rules(settings: SolitaireSettings) -> tuple[int, int, int, int]:
    """The settings as the kernels take them."""
    return (
        int(settings.wrap),
        int(settings.flip_only_when_stuck),
        int(settings.flip_lifts_wall_rule),
        layout.STOCK_CARDS - settings.ends_with_stock,
    )


def shared_walls() -> npt.NDArray[np.int64]:
    """(33,) int64: places closed after a play from each place; nothing for 32."""
    return np.array([*map(layout.same_wall, range(layout.WALL_CARDS)), 0], dtype=np.int64)


def play_ranks(
    settings: SolitaireSettings,
    player: str,
    ranks: npt.NDArray[np.uint8],
    seed: int,
    first: int = 0,
) -> npt.NDArray[np.uint8]:
    """Play deals given by their ranks.

    Parameters
    ----------
    settings
        The reading of the rules.
    player
        One of `PLAYERS`.
    ranks
        (N, 52) uint8, as from `deals.dealt_ranks`.
    seed, first
        Of the players' choices, and the number of the first game.

    Returns
    -------
    (N,) uint8
        1 where the game was won.
    """
    from ricochet_casino.games.ricochet_solitaire.player_kernel import play_many_kernel

    won = np.zeros(len(ranks), dtype=np.uint8)
    play_many_kernel(
        ranks, shared_walls(), layout.outer_table(), kernel_rules(settings),
        PLAYERS.index(player), LOOKAHEAD_DECKS, np.uint64(seed), np.uint64(PLAYER_STREAM),
        np.uint64(first), won,
    )  # fmt: skip
    return won


def play_deals(
    settings: SolitaireSettings, player: str, seed: int, first: int, number: int
) -> npt.NDArray[np.uint8]:
    """Play numbered deals; (number,) uint8, 1 where the game was won."""
    return play_ranks(settings, player, dealt_ranks(seed, first, number), seed, first)
