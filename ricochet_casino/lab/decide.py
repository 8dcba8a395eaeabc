"""A single position from a file: what play and fold are worth to the next player to act.

With one or two players left to act the values are exact; with more they are sampled, unless they
are known all the same. The file is JSON: ``dealer`` (five cards), ``players`` (two-card hands, or
objects with ``hand``, ``completed`` and ``folded``), and optionally ``paytable``, ``strategy``,
``coin``, ``last_hand`` and ``when_equal``. Players may stand in any order; answers name them by
their place in the list.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from ricochet_casino.cards.deck import CardError, format_card, parse_card, parse_cards
from ricochet_casino.config import (
    LARGEST_FILE,
    ConfigError,
    Problem,
    RepeatedKeyError,
    did_you_mean,
    without_repeats,
)
from ricochet_casino.games import read_paytable
from ricochet_casino.games.ricochet_poker.paytable import MOST_PLAYERS, RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.strategy import COMPUTED, STRATEGIES, unknown_strategy
from ricochet_casino.games.ricochet_poker.table_position import (
    DEALS,
    STREAM,
    Amount,
    TableDecision,
    check_sampling,
    decide_at_table,
)
from ricochet_casino.games.ricochet_poker.two_players import Decision, decide
from ricochet_casino.games.ricochet_poker.two_players_position import MOST_TO_ACT
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.lab import DEFAULT_SEED
from ricochet_casino.paytable import PaytableError, describe
from ricochet_casino.stats.exact import figure

SETTINGS: Final = ("coin", "last_hand", "when_equal")
"""What a position may set in place of its paytable."""
_KEYS = ("paytable", "strategy", "dealer", "players", *SETTINGS)
_PLAYER_KEYS = ("hand", "completed", "folded")


@dataclass(frozen=True)
class Question:
    """A position as it stands in a file.

    Attributes
    ----------
    file
        Where it was read.
    paytable
        With the settings of the position in place.
    rules
        The same for the number of players.
    strategy
        Name of a strategy that is computed.
    dealer
        Five card codes.
    holes, completed, folded
        As `two_players.decide` takes them.
    warnings
        Remarks about the paytable.
    """

    file: str
    paytable: RicochetPokerPaytable
    rules: Rules
    strategy: str
    dealer: tuple[int, ...]
    holes: tuple[tuple[int, ...], ...]
    completed: tuple[tuple[int, ...], ...]
    folded: tuple[bool, ...]
    warnings: tuple[Problem, ...] = ()

    def decide(self, deals: int = DEALS, seed: int = DEFAULT_SEED) -> Decision | TableDecision:
        """Values of play and fold: a `Decision` with one or two players left to act.

        Parameters
        ----------
        deals, seed
            As in `table_position.decide_at_table`; without effect on what is exact.

        Raises
        ------
        ConfigError
            If the position cannot arise, nobody is left to act, or the amounts are too large.
        ValueError
            If a number is out of range.
        """
        check_sampling(deals, seed)
        state = (self.rules, self.holes, self.dealer)
        acted = sum(map(bool, self.completed)) + sum(self.folded)
        try:
            if self.rules.players - acted <= MOST_TO_ACT:
                return decide(
                    *state, completed=self.completed, folded=self.folded, strategy=self.strategy
                )
            return decide_at_table(
                *state, completed=self.completed, folded=self.folded, strategy=self.strategy,
                deals=deals, seed=seed,
            )  # fmt: skip
        except ValueError as error:
            raise ConfigError(Problem(f"players: {error}", self.file)) from None


def answer(decision: Decision | TableDecision) -> dict[str, Any]:
    """A decision as JSON values; amounts in chips.

    An amount has ``exact`` and ``decimal``, or if it was sampled ``decimal``, ``interval``,
    ``level`` and ``interval_method``. With three or more left there is ``difference``, play less
    fold, and if anything was sampled ``deals``, ``seed`` and ``stream``.
    """
    found: dict[str, Any] = {
        "order": list(decision.order),
        "to_act": decision.to_act,
        "play": _amount(decision.play),
        "fold": _amount(decision.fold),
    }
    if isinstance(decision, TableDecision):
        found["difference"] = _amount(decision.difference)
    found["best"] = decision.best
    if isinstance(decision, TableDecision) and decision.deals:
        found |= {"deals": decision.deals, "seed": decision.seed, "stream": STREAM}
    return found


def _amount(value: Amount) -> dict[str, Any]:
    return figure(value) if isinstance(value, Fraction) else value.interval.figure(value.mean)


def read_question(path: str | os.PathLike[str]) -> Question:
    """Read a position.

    Parameters
    ----------
    path
        A JSON file as described at the top of this module. A paytable is a path, seen from the
        working folder, or a shipped name; left out, it is the rulebook's.

    Raises
    ------
    ConfigError
        If it cannot be used; the problems are listed with their places in the file.
    """
    file = os.fspath(path)
    content = _load(file)
    reader = _Reader(file)
    reader.check_keys(content, _KEYS, ("dealer", "players"))
    dealer = reader.cards(content["dealer"], "dealer", 5)
    players = reader.players(content["players"])
    strategy = reader.strategy(content.get("strategy", "collective"))
    name = content.get("paytable", "rulebook")
    if not _is_text(name):
        reader.note("paytable", f"{_kind(name)}; expected a file or a shipped name")
    reader.finish()

    loaded = read_paytable(name)
    if not isinstance(loaded.model, RicochetPokerPaytable):
        text = f"paytable: {name} is of {loaded.model.game}; expected one of ricochet_poker"
        raise ConfigError(Problem(text, file))
    try:
        paytable = _with_settings(loaded.model, content)
        rules = paytable.rules(len(players))
    except PaytableError as error:
        raise ConfigError(Problem(problem.text, file) for problem in error.problems) from None
    return Question(
        file,
        paytable,
        rules,
        strategy,
        dealer,
        tuple(player.hand for player in players),
        tuple(player.completed for player in players),
        tuple(player.folded for player in players),
        loaded.warnings,
    )


def _with_settings(
    paytable: RicochetPokerPaytable, content: dict[str, Any]
) -> RicochetPokerPaytable:
    """The paytable with the settings of the position in place of its own."""
    settings = {key: content[key] for key in SETTINGS if key in content}
    if not settings:
        return paytable
    # What a paytable is known to yield need not hold with other settings.
    dump = paytable.model_dump(mode="json") | {"expect": {}}
    return RicochetPokerPaytable.read(dump | settings)


@dataclass(frozen=True)
class _Player:
    hand: tuple[int, ...] = ()
    completed: tuple[int, ...] = ()
    folded: bool = False


class _Reader:
    """Reads parts of a position and keeps the problems."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.seen: dict[int, str] = {}  # where each card stands

    def note(self, place: str, text: str) -> None:
        """Keep a problem at a place such as ``players[1].hand``."""
        self.problems.append(Problem(f"{place}: {text}", self.file))

    def finish(self) -> None:
        """Raise what was kept, if anything was."""
        if self.problems:
            raise ConfigError(self.problems)

    def check_keys(
        self, content: dict[str, Any], known: Iterable[str], needed: Iterable[str], place: str = ""
    ) -> None:
        """Refuse unknown keys, with the nearest name, and missing ones."""
        at = f"{place}: " if place else ""
        for key in content:
            if key not in known:
                hint = did_you_mean(key, known)
                text = f"unknown key {describe(key)}; expected one of {', '.join(known)}{hint}"
                self.problems.append(Problem(f"{at}{text}", self.file))
        for key in needed:
            if key not in content:
                self.problems.append(Problem(f"{at}the key {key} is missing", self.file))
        self.finish()

    def strategy(self, value: Any) -> str:
        """Name of a strategy that is computed."""
        if not _is_text(value):
            self.note("strategy", f"{_kind(value)}; expected one of {', '.join(COMPUTED)}")
        elif value in STRATEGIES and value not in COMPUTED:
            expected = ", ".join(COMPUTED)
            self.note("strategy", f"{value} decides without odds; expected one of {expected}")
        elif value not in COMPUTED:
            self.note("strategy", str(unknown_strategy(value)))
        return str(value)

    def players(self, value: Any) -> list[_Player]:
        """All players, in the order of the file."""
        if not isinstance(value, list):
            self.note("players", f"{_kind(value)}; expected a list of two-card hands")
            return []
        if not 1 <= len(value) <= MOST_PLAYERS:
            self.note("players", f"{len(value)} players; expected 1 to {MOST_PLAYERS}")
            return []
        return [self.player(element, f"players[{i}]") for i, element in enumerate(value)]

    def player(self, value: Any, place: str) -> _Player:
        """A hand, or an object with what has become of it."""
        if not isinstance(value, dict):
            return _Player(self.cards(value, place, 2))
        self.check_keys(value, _PLAYER_KEYS, ("hand",), place)
        hand = self.cards(value["hand"], f"{place}.hand", 2)
        folded = value.get("folded", False)
        if not isinstance(folded, bool):
            self.note(f"{place}.folded", f"{_kind(folded)}; expected true or false")
        completed = value.get("completed")
        if completed in (None, []):
            return _Player(hand, (), folded is True)
        if folded is True:
            self.note(place, "both folded and completed; expected one of them")
        five = self.completed(completed, f"{place}.completed", hand)
        return _Player(hand, five, folded is True)

    def completed(self, value: Any, place: str, hand: tuple[int, ...]) -> tuple[int, ...]:
        """A completed hand, given by its five cards or by the three that were added."""
        cards = self.parse(value, place)
        if len(cards) not in (3, 5):
            if cards:
                self.note(place, f"expected five cards, or the three added, got {len(cards)}")
            return ()
        missing = [card for card in hand if card not in cards] if len(cards) == 5 else []
        if missing:
            self.note(place, f"lacks {format_card(missing[0])}, which was dealt to this player")
            return ()
        added = tuple(card for card in cards if len(cards) == 3 or card not in hand)
        self.claim(added, place)
        return hand + added

    def cards(self, value: Any, place: str, count: int) -> tuple[int, ...]:
        """So many cards, none of them seen before."""
        cards = self.parse(value, place)
        if cards and len(cards) != count:
            self.note(place, f"expected {count} cards, got {len(cards)}")
        self.claim(cards, place)
        return cards

    def claim(self, cards: Iterable[int], place: str) -> None:
        """Refuse cards that stand elsewhere, and Jokers."""
        for card in cards:
            if card > 51:
                self.note(place, f"{format_card(card)} is a Joker; expected a plain card")
            elif card in self.seen:
                where = "twice" if self.seen[card] == place else f"in {self.seen[card]} too"
                self.note(place, f"the card {format_card(card)} stands {where}")
            self.seen.setdefault(card, place)

    def parse(self, value: Any, place: str) -> tuple[int, ...]:
        """Cards from a list of texts, or from one text; nothing if there was a problem."""
        try:
            if _is_text(value):
                found = parse_cards(value)
            elif isinstance(value, list) and all(map(_is_text, value)):
                found = tuple(parse_card(card) for card in value)
            else:
                raise CardError(f"{_kind(value)}; expected a list of cards such as Ks, 10h or K♠")
            if not found:
                raise CardError("no cards")
        except CardError as error:
            self.note(place, str(error))
            return ()
        return found


class _Number(str):
    """A number as it stands in the file."""

    __slots__ = ()


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, _Number)


def _kind(value: Any) -> str:
    """Name a value that is not what was expected; JSON's words for JSON's values."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    return describe(value)


def _load(file: str) -> dict[str, Any]:
    """The object in a JSON file; numbers as text, so that nothing is rounded."""
    try:
        with Path(file).open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise ConfigError(Problem(f"larger than {LARGEST_FILE:,} bytes", file))
        text = raw.decode("utf-8-sig")
        content = json.loads(
            text,
            object_pairs_hook=without_repeats,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_Number,
        )
    except OSError as error:
        raise ConfigError(Problem(f"cannot be read ({error.strerror})", file)) from None
    except UnicodeDecodeError:
        raise ConfigError(Problem("not UTF-8 text; expected JSON", file)) from None
    except json.JSONDecodeError as error:
        raise ConfigError(Problem(f"not JSON: {error.msg}", file, error.lineno)) from None
    except RepeatedKeyError as error:
        raise ConfigError(Problem(f"the key {describe(error.key)} appears twice", file)) from None
    except RecursionError:
        raise ConfigError(Problem("nested too deeply; expected a position", file)) from None
    if not isinstance(content, dict):
        text = f"{_kind(content)}; expected an object with dealer and players"
        raise ConfigError(Problem(text, file))
    return content
