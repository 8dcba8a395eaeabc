"""Ricochet solitaire under the names by which all patience games are used (see `lab.patience`)."""

from collections.abc import Sequence
from typing import Any, Final

from ricochet_casino.cards.deck import format_card
from ricochet_casino.games.ricochet_solitaire.deals import deal, parse_deal
from ricochet_casino.games.ricochet_solitaire.rules import Solitaire
from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings
from ricochet_casino.studies.verdicts import Verdict

KEY: Final = "cards"
STUDY: Final = "study:SolitaireStudy"
settings_model = SolitaireSettings
referee = Solitaire
parse = parse_deal
__all__ = [
    "KEY", "STUDY", "deal", "decide", "parse", "playouts", "referee", "remarks", "settings_model",
    "write",
]  # fmt: skip


def write(cards: Sequence[int]) -> list[str]:
    """The cards of a deal as a file has them."""
    return [format_card(card).upper() for card in cards]


def decide(
    game: Solitaire, limit_states: int | None = None, limit_seconds: float | None = None
) -> Verdict:
    """Decide the position that a referee stands in."""
    from ricochet_casino.games.ricochet_solitaire.solver import DEFAULT_LIMIT, SolitaireSolver

    limit = DEFAULT_LIMIT if limit_states is None else limit_states
    return SolitaireSolver(game.settings).decide(game.cards, limit, limit_seconds, game.history)


def playouts(
    settings: SolitaireSettings, cards: Sequence[int], player: str, number: int, seed: int
) -> int:
    """How many of some games of a player on one deal are won."""
    import numpy as np

    from ricochet_casino.games.ricochet_solitaire.players import play_ranks

    ranks = (np.array([cards] * number, dtype=np.uint8) // 4 + 1) % 13
    return int(play_ranks(settings, player, ranks, seed).sum())


def remarks(settings: SolitaireSettings) -> Sequence[Any]:
    """What a person should know of these settings before counting on a win."""
    del settings
    return ()
