"""Racing Aces under the names by which all patience games are used (see `lab.patience`)."""

from collections.abc import Sequence
from typing import Any, Final

from ricochet_casino.games.racing_aces.deals import deal, parse_deck
from ricochet_casino.games.racing_aces.rules import RacingAces
from ricochet_casino.games.racing_aces.settings import RacingAcesSettings
from ricochet_casino.studies.verdicts import Verdict

KEY: Final = "deck"
STUDY: Final = "study:RacingAcesStudy"
settings_model = RacingAcesSettings
referee = RacingAces
parse = parse_deck
__all__ = [
    "KEY", "STUDY", "deal", "decide", "parse", "playouts", "referee", "remarks", "settings_model",
    "write",
]  # fmt: skip


def write(cards: Sequence[int]) -> list[int]:
    """The ranks of a deal as a file has them."""
    return list(cards)


def decide(
    game: RacingAces, limit_states: int | None = None, limit_seconds: float | None = None
) -> Verdict:
    """Decide the position that a referee stands in."""
    from ricochet_casino.games.racing_aces.solver import DEFAULT_LIMIT, RacingAcesSolver

    limit = DEFAULT_LIMIT if limit_states is None else limit_states
    table = game.table if game.history else None
    return RacingAcesSolver(game.settings).decide(game.deck, limit, limit_seconds, table)


def playouts(
    settings: RacingAcesSettings, cards: Sequence[int], player: str, number: int, seed: int
) -> int:
    """How many of some games of a player on one deal are won: all or none, nothing is random."""
    import numpy as np

    from ricochet_casino.games.racing_aces.players import play_decks

    del seed
    return number * int(play_decks(settings, player, np.array([cards], dtype=np.int64))[0])


def remarks(settings: RacingAcesSettings) -> Sequence[Any]:
    """What a person should know of these settings before counting on a win."""
    del settings
    return ()
