"""The all-hearts pyramid under the names by which all patience games are used."""

from collections.abc import Sequence
from typing import Final

from ricochet_casino.games.hearts_pyramid.deals import deal, parse_deck
from ricochet_casino.games.hearts_pyramid.rules import Pyramid
from ricochet_casino.games.hearts_pyramid.settings import RANKS, PyramidSettings
from ricochet_casino.studies.verdicts import Verdict

KEY: Final = "deck"
STUDY: Final = "study:PyramidStudy"
settings_model = PyramidSettings
referee = Pyramid
parse = parse_deck
__all__ = [
    "KEY", "STUDY", "deal", "decide", "parse", "playouts", "referee", "remarks", "settings_model",
    "write",
]  # fmt: skip


def write(cards: Sequence[int]) -> list[str]:
    """The ranks of a deal as a file has them."""
    return [RANKS[card] for card in cards]


def decide(
    game: Pyramid, limit_states: int | None = None, limit_seconds: float | None = None
) -> Verdict:
    """Decide the position that a referee stands in."""
    from ricochet_casino.games.hearts_pyramid import solver

    limit = solver.DEFAULT_LIMIT if limit_states is None else limit_states
    return solver.decide(game.settings, game.deck, limit, limit_seconds, game.history)


def playouts(
    settings: PyramidSettings, cards: Sequence[int], player: str, number: int, seed: int
) -> int:
    """How many of some games of a player on one deal are won."""
    import numpy as np

    from ricochet_casino.games.hearts_pyramid.players import play_decks

    decks = np.array([cards] * number, dtype=np.uint8)
    return int(play_decks(settings, player, decks, seed).sum())


def remarks(settings: PyramidSettings) -> Sequence[str]:
    """What a person should know of these settings before counting on a win."""
    if (settings.pairing, settings.goal) != ("strict", "all"):
        return ()
    return (
        "Read strictly, two stock cards never pair: with seven rows at most 0.1128 % of deals can "
        "be won, and hardly any is. Presets playable and friendly make a game of it.",
    )
