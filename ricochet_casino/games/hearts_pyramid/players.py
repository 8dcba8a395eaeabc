"""Players of the all-hearts pyramid by name; the games themselves are in `player_kernel`."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.games.hearts_pyramid.deals import PLAYER_STREAM, dealt_ranks
from ricochet_casino.games.hearts_pyramid.settings import PyramidSettings

PLAYERS: Final = ("random", "greedy")


def play_decks(
    settings: PyramidSettings,
    player: str,
    decks: npt.NDArray[np.uint8],
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
    decks
        (N, 52) uint8, as from `deals.dealt_ranks`.
    seed, first
        Of the players' choices, and the number of the first game.

    Returns
    -------
    (N,) uint8
        1 where the game was won.
    """
    from ricochet_casino.games.hearts_pyramid.player_kernel import play_many_kernel
    from ricochet_casino.games.hearts_pyramid.solver import kernel_rules

    won = np.zeros(len(decks), dtype=np.uint8)
    play_many_kernel(
        decks, kernel_rules(settings), player == "greedy", np.uint64(seed),
        np.uint64(PLAYER_STREAM), np.uint64(first), won,
    )  # fmt: skip
    return won


def play_deals(
    settings: PyramidSettings, player: str, seed: int, first: int, number: int
) -> npt.NDArray[np.uint8]:
    """Play numbered deals; (number,) uint8, 1 where the game was won."""
    return play_decks(settings, player, dealt_ranks(seed, first, number), seed, first)
