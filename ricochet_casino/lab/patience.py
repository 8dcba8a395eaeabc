"""Use cases of the patience games: deals, verdicts of files, studies, winnable and rated deals."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Final

from ricochet_casino.config import RepeatedKeyError, without_repeats
from ricochet_casino.lab.running import Runner
from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import LEVEL
from ricochet_casino.studies.settings import GameSettings
from ricochet_casino.studies.verdicts import PatienceStudy, Verdict, checked_limit

DEFAULT_SECONDS: Final = 60
"""Seconds for one deal, unless told otherwise."""
PLAYOUTS: Final = 1000
"""Games that rate how hard a deal is."""
MOST_TRIED: Final = 10_000
"""Deals that are looked at for one that can be won."""


class PatienceGame(ABC):
    """A patience game as the lab sees it; what is inside comes from the package of the game."""

    name: ClassVar[str]
    title: ClassVar[str]
    key: ClassVar[str]
    """Name of the cards of a deal in a file."""

    @property
    @abstractmethod
    def settings(self) -> type[GameSettings]:
        """Model of the settings."""

    @property
    @abstractmethod
    def study(self) -> type[PatienceStudy]:
        """Experiment of the game."""

    @abstractmethod
    def deal(self, seed: int, number: int) -> tuple[int, ...]:
        """Cards of a numbered deal, as `parse` gives them."""

    @abstractmethod
    def parse(self, cards: Any) -> tuple[int, ...]:
        """Read the cards of a deal from JSON values; ValueError if they are no deck."""

    @abstractmethod
    def write(self, cards: Sequence[int]) -> list[Any]:
        """Write the cards of a deal as JSON values."""

    @abstractmethod
    def solve(
        self,
        cards: Sequence[int],
        settings: Any,
        limit_states: int | None,
        limit_seconds: float | None,
        position: Any = None,
    ) -> Verdict:
        """Decide a deal, or the position that a referee stands in."""

    @abstractmethod
    def referee(self, cards: Sequence[int], settings: Any) -> Any:
        """A game at its beginning: ``legal``, ``move``, ``undo``, ``is_won``, ``is_stuck``."""

    @abstractmethod
    def playouts(
        self, cards: Sequence[int], settings: Any, player: str, number: int, seed: int
    ) -> int:
        """How many of some games of a player on one deal are won."""

    def remarks(self, settings: Any) -> list[str]:
        """What a person should know of these settings before counting on a win."""
        del settings
        return []


class _Solitaire(PatienceGame):
    name, title, key = "solitaire", "Ricochet solitaire", "cards"

    @property
    def settings(self) -> type[GameSettings]:
        from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings

        return SolitaireSettings

    @property
    def study(self) -> type[PatienceStudy]:
        from ricochet_casino.games.ricochet_solitaire.study import SolitaireStudy

        return SolitaireStudy

    def deal(self, seed: int, number: int) -> tuple[int, ...]:
        from ricochet_casino.games.ricochet_solitaire.deals import deal

        return deal(seed, number)

    def parse(self, cards: Any) -> tuple[int, ...]:
        from ricochet_casino.games.ricochet_solitaire.deals import parse_deal

        return parse_deal(cards)

    def write(self, cards: Sequence[int]) -> list[Any]:
        from ricochet_casino.cards.deck import format_card

        return [format_card(card).upper() for card in cards]

    def solve(
        self,
        cards: Sequence[int],
        settings: Any,
        limit_states: int | None,
        limit_seconds: float | None,
        position: Any = None,
    ) -> Verdict:
        from ricochet_casino.games.ricochet_solitaire.solver import DEFAULT_LIMIT, SolitaireSolver

        played = () if position is None else position.history
        limit = DEFAULT_LIMIT if limit_states is None else limit_states
        return SolitaireSolver(settings).decide(cards, limit, limit_seconds, played)

    def referee(self, cards: Sequence[int], settings: Any) -> Any:
        from ricochet_casino.games.ricochet_solitaire.rules import Solitaire

        return Solitaire(cards, settings)

    def playouts(
        self, cards: Sequence[int], settings: Any, player: str, number: int, seed: int
    ) -> int:
        import numpy as np

        from ricochet_casino.games.ricochet_solitaire.players import play_ranks

        ranks = (np.array([cards] * number, dtype=np.uint8) // 4 + 1) % 13
        return int(play_ranks(settings, player, ranks, seed).sum())


class _Pyramid(PatienceGame):
    name, title, key = "pyramid", "The all-hearts pyramid", "deck"

    @property
    def settings(self) -> type[GameSettings]:
        from ricochet_casino.games.hearts_pyramid.settings import PyramidSettings

        return PyramidSettings

    @property
    def study(self) -> type[PatienceStudy]:
        from ricochet_casino.games.hearts_pyramid.study import PyramidStudy

        return PyramidStudy

    def deal(self, seed: int, number: int) -> tuple[int, ...]:
        from ricochet_casino.games.hearts_pyramid.deals import deal

        return deal(seed, number)

    def parse(self, cards: Any) -> tuple[int, ...]:
        from ricochet_casino.games.hearts_pyramid.deals import parse_deck

        return parse_deck(cards)

    def write(self, cards: Sequence[int]) -> list[Any]:
        from ricochet_casino.games.hearts_pyramid.settings import RANKS

        return [RANKS[card] for card in cards]

    def solve(
        self,
        cards: Sequence[int],
        settings: Any,
        limit_states: int | None,
        limit_seconds: float | None,
        position: Any = None,
    ) -> Verdict:
        from ricochet_casino.games.hearts_pyramid.solver import DEFAULT_LIMIT, decide

        played = () if position is None else position.history
        limit = DEFAULT_LIMIT if limit_states is None else limit_states
        return decide(settings, cards, limit, limit_seconds, played)

    def referee(self, cards: Sequence[int], settings: Any) -> Any:
        from ricochet_casino.games.hearts_pyramid.rules import Pyramid

        return Pyramid(cards, settings)

    def playouts(
        self, cards: Sequence[int], settings: Any, player: str, number: int, seed: int
    ) -> int:
        import numpy as np

        from ricochet_casino.games.hearts_pyramid.players import play_decks

        decks = np.array([cards] * number, dtype=np.uint8)
        return int(play_decks(settings, player, decks, seed).sum())

    def remarks(self, settings: Any) -> list[str]:
        if (settings.pairing, settings.goal) != ("strict", "all"):
            return []
        return [
            "Read strictly, two stock cards never pair: with seven rows at most 0.1128 % of deals "
            "can be won, and hardly any is. Presets playable and friendly make a game of it."
        ]


class _RacingAces(PatienceGame):
    name, title, key = "racing-aces", "Racing Aces", "deck"

    @property
    def settings(self) -> type[GameSettings]:
        from ricochet_casino.games.racing_aces.settings import RacingAcesSettings

        return RacingAcesSettings

    @property
    def study(self) -> type[PatienceStudy]:
        from ricochet_casino.games.racing_aces.study import RacingAcesStudy

        return RacingAcesStudy

    def deal(self, seed: int, number: int) -> tuple[int, ...]:
        from ricochet_casino.games.racing_aces.deals import deal

        return deal(seed, number)

    def parse(self, cards: Any) -> tuple[int, ...]:
        from ricochet_casino.games.racing_aces.deals import parse_deck

        return parse_deck(cards)

    def write(self, cards: Sequence[int]) -> list[Any]:
        return list(cards)

    def solve(
        self,
        cards: Sequence[int],
        settings: Any,
        limit_states: int | None,
        limit_seconds: float | None,
        position: Any = None,
    ) -> Verdict:
        from ricochet_casino.games.racing_aces.solver import DEFAULT_LIMIT, RacingAcesSolver

        table = None if position is None else position.table
        limit = DEFAULT_LIMIT if limit_states is None else limit_states
        return RacingAcesSolver(settings).decide(cards, limit, limit_seconds, table)

    def referee(self, cards: Sequence[int], settings: Any) -> Any:
        from ricochet_casino.games.racing_aces.rules import RacingAces

        return RacingAces(cards, settings)

    def playouts(
        self, cards: Sequence[int], settings: Any, player: str, number: int, seed: int
    ) -> int:
        import numpy as np

        from ricochet_casino.games.racing_aces.players import play_decks

        del seed  # these players leave nothing to chance: one game tells all
        return number * int(play_decks(settings, player, np.array([cards], dtype=np.int64))[0])


GAMES: Final[dict[str, PatienceGame]] = {
    game.name: game for game in (_Solitaire(), _Pyramid(), _RacingAces())
}
"""The patience games by the name of their command."""


@dataclass(frozen=True)
class FileDeal:
    """A deal of a file.

    Attributes
    ----------
    id
        Its name.
    cards
        Its cards, checked.
    settings
        The settings it is for: those asked for, and its own ``initial_waste`` if it has one.
    """

    id: str
    cards: tuple[int, ...]
    settings: GameSettings


def read_deals(
    game: PatienceGame, file: Path, texts: Sequence[str], preset: str | None = None
) -> list[FileDeal]:
    """Deals of a JSON file ``{"deals": [{"id": ..., "cards" or "deck": [...]}]}``.

    Other keys are ignored, but for a setting beside the cards of a deal, which holds for it unless
    it is set in `texts`.

    Raises
    ------
    ValueError
        If the file is not such a document; the message names the deal.
    OSError
        If it cannot be read.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=without_repeats)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"{file}{line}: not a JSON document ({error})") from None
    except RepeatedKeyError as error:
        raise ValueError(f"{file}: {error}") from None
    listed = content.get("deals") if isinstance(content, dict) else None
    if not isinstance(listed, list) or not listed:
        raise ValueError(f"{file}: expected an object with a list of deals")
    found: list[FileDeal] = []
    asked = game.settings.from_texts(texts, preset)
    named = {text.partition("=")[0].strip() for text in texts}
    for index, entry in enumerate(listed):
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str | int):
            raise ValueError(f"{file}: deals[{index}]: expected an object with an id")
        name = str(entry["id"])
        if any(name == other.id for other in found):
            raise ValueError(f"{file}: the id {name} appears twice")
        if game.key not in entry:
            raise ValueError(f"{file}: deal {name}: the key {game.key} is missing")
        own = {k: entry[k] for k in game.settings.model_fields if k in entry and k not in named}
        try:
            settings = game.settings.read({**asked.model_dump(), **own})
            found.append(FileDeal(name, game.parse(entry[game.key]), settings))
        except ValueError as error:
            raise ValueError(f"{file}: deal {name}: {error}") from None
    return found


def solve_deals(
    game: PatienceGame,
    deals: Sequence[FileDeal],
    limit_seconds: Fraction = Fraction(DEFAULT_SECONDS),
    limit_states: int | None = None,
    runner: Runner | None = None,
) -> list[dict[str, Any]]:
    """Verdicts on some deals, as JSON values.

    Parameters
    ----------
    game, deals
        The game and its deals.
    limit_seconds, limit_states
        What one deal may take before it is undecided; above zero.
    runner
        Told how far it is.

    Raises
    ------
    ValueError
        If a limit is zero or less.
    """
    if limit_seconds <= 0:
        raise ValueError(f"the limit of seconds must be above 0, got {limit_seconds}")
    if limit_states is not None:
        checked_limit(limit_states)
    progress = (runner or Runner()).stage(f"{game.title}: verdicts")
    found = []
    for index, deal in enumerate(deals):
        progress(index, len(deals))
        begin = perf_counter()
        verdict = game.solve(deal.cards, deal.settings, limit_states, float(limit_seconds))
        seconds = Fraction(int(1000 * (perf_counter() - begin)), 1000)
        found.append(
            {
                "id": deal.id,
                "verdict": verdict.verdict,
                "moves": [list(m) if isinstance(m, tuple) else m for m in verdict.moves],
                "states": verdict.states,
                "seconds": decimal_text(seconds),
            }
        )
    progress(len(deals), len(deals))
    return found


def study_deals(
    game: PatienceGame,
    settings: GameSettings,
    deals: int,
    seed: int,
    player: str,
    runner: Runner,
    limit_states: int | None = None,
    level: Fraction = LEVEL,
) -> dict[str, Any]:
    """Share of numbered deals that are won, with intervals and the rate of this run."""
    experiment = game.study(settings, deals, seed, player, limit_states, level)
    begin = perf_counter()
    entry, blocks = runner.run(experiment, f"{game.title}: {player}")
    seconds = max(Fraction(perf_counter() - begin), Fraction(1, 10**6))
    return {
        **entry,
        "settings": settings.model_dump(),
        "blocks": blocks,
        "deals_per_second": decimal_text(Fraction(deals) / seconds, 4),
    }


def winnable_deal(
    game: PatienceGame, settings: GameSettings, seed: int, number: int
) -> tuple[int, int]:
    """The first deal from `number` on that is proven winnable, and how many were looked at.

    Raises
    ------
    ValueError
        If there is none among `MOST_TRIED`.
    """
    for tried in range(MOST_TRIED):
        cards = game.deal(seed, number + tried)
        if game.solve(cards, settings, None, DEFAULT_SECONDS).verdict == "won":
            return number + tried, tried + 1
    raise ValueError(
        f"none of the deals {number} to {number + MOST_TRIED - 1} can be won under these settings "
        f"({', '.join(settings.texts())})"
    )


def difficulty(
    game: PatienceGame,
    cards: Sequence[int],
    settings: GameSettings,
    seed: int,
    number: int = PLAYOUTS,
) -> Mapping[str, int]:
    """How many of some games each quick player wins on a deal: the fewer, the harder."""
    players = [name for name in game.study.deciders if name in ("random", "greedy", "endgame")]
    return {name: game.playouts(cards, settings, name, number, seed) for name in players}
