"""Players of Racing Aces by name; the games themselves are in `player_kernel`."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.games.racing_aces.deals import dealt_ranks
from ricochet_casino.games.racing_aces.settings import RacingAcesSettings

PLAYERS: Final = ("greedy", "endgame")
WIDTHS: Final = {"greedy": 1, "endgame": 128}
"""Width of the beam with which each player goes on when the stock is used up."""


def play_decks(
    settings: RacingAcesSettings, player: str, decks: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint8]:
    """Play deals given by their ranks; nothing is left to chance.

    Parameters
    ----------
    settings
        The reading of the rules.
    player
        One of `PLAYERS`.
    decks
        (N, 156) int64, as from `deals.dealt_ranks`.

    Returns
    -------
    (N,) uint8
        1 where the game was won.
    """
    from ricochet_casino.games.racing_aces.player_kernel import play_many_kernel
    from ricochet_casino.games.racing_aces.solver import RacingAcesSolver, weights_of

    width = WIDTHS[player]
    won = np.zeros(len(decks), dtype=np.uint8)
    beam, chain, history, table, line, counts = RacingAcesSolver(settings).work(width)
    play_many_kernel(
        decks, settings.initial_waste, width, weights_of(0), beam, chain, history, table, line,
        counts, won,
    )  # fmt: skip
    return won


def play_deals(
    settings: RacingAcesSettings, player: str, seed: int, first: int, number: int
) -> npt.NDArray[np.uint8]:
    """Play numbered deals; (number,) uint8, 1 where the game was won."""
    return play_decks(settings, player, dealt_ranks(seed, first, number))
