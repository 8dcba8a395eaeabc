"""Use cases of the patience games: deals, verdicts of files, studies, winnable and rated deals."""

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from ricochet_casino.config import RepeatedKeyError, without_repeats
from ricochet_casino.lab.running import Runner
from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import LEVEL
from ricochet_casino.studies.referee import PatienceReferee
from ricochet_casino.studies.settings import GameSettings
from ricochet_casino.studies.verdicts import PatienceStudy, Verdict, checked_limit

DEFAULT_SECONDS: Final = 60
"""Seconds for one deal, unless told otherwise."""
PLAYOUTS: Final = 1000
"""Games that rate how hard a deal is."""
MOST_TRIED: Final = 10_000
"""Deals that are looked at for one that can be won."""


@dataclass(frozen=True)
class PatienceGame:
    """A patience game as the lab sees it.

    Attributes
    ----------
    name
        Name of its command.
    title
        Name for people.
    package
        Its package under games/; what the lab uses of it stands in its file interface.py.
    """

    name: str
    title: str
    package: str

    def _module(self, name: str) -> Any:
        return importlib.import_module(f"ricochet_casino.games.{self.package}.{name}")

    @property
    def inside(self) -> Any:
        """The game's interface.py: ``KEY``, ``deal``, ``parse``, ``write``, ``decide``, ..."""
        return self._module("interface")

    @property
    def settings(self) -> type[GameSettings]:
        """Model of the settings."""
        model: type[GameSettings] = self.inside.settings_model
        return model

    @property
    def study(self) -> type[PatienceStudy]:
        """Experiment of the game."""
        module, _, name = self.inside.STUDY.partition(":")
        kind: type[PatienceStudy] = getattr(self._module(module), name)
        return kind

    def deal(self, seed: int, number: int) -> tuple[int, ...]:
        """Cards of a numbered deal, as the referee takes them."""
        cards: tuple[int, ...] = self.inside.deal(seed, number)
        return cards

    def referee(self, cards: Sequence[int], settings: GameSettings) -> PatienceReferee:
        """A game at its beginning."""
        found: PatienceReferee = self.inside.referee(cards, settings)
        return found

    def decide(
        self,
        referee: PatienceReferee,
        limit_states: int | None = None,
        limit_seconds: float | None = None,
    ) -> Verdict:
        """Decide the position that a referee stands in."""
        verdict: Verdict = self.inside.decide(referee, limit_states, limit_seconds)
        return verdict


GAMES: Final = {
    game.name: game
    for game in (
        PatienceGame("solitaire", "Ricochet solitaire", "ricochet_solitaire"),
        PatienceGame("pyramid", "The all-hearts pyramid", "hearts_pyramid"),
        PatienceGame("racing-aces", "Racing Aces", "racing_aces"),
    )
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
    key = game.inside.KEY
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
        if key not in entry:
            raise ValueError(f"{file}: deal {name}: the key {key} is missing")
        own = {k: entry[k] for k in game.settings.model_fields if k in entry and k not in named}
        try:
            settings = game.settings.read({**asked.model_dump(), **own})
            found.append(FileDeal(name, game.inside.parse(entry[key]), settings))
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
        referee = game.referee(deal.cards, deal.settings)
        verdict = game.decide(referee, limit_states, float(limit_seconds))
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
        referee = game.referee(game.deal(seed, number + tried), settings)
        if game.decide(referee, None, DEFAULT_SECONDS).verdict == "won":
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
    return {name: game.inside.playouts(settings, cards, name, number, seed) for name in players}
