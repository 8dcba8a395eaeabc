"""Files of published figures: what was said about the game, and how it could be meant.

An example with an explanation of every key is configs/published_figures.yaml.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Final

from ricochet_casino.config import (
    ConfigError,
    Document,
    KeyPath,
    Problem,
    did_you_mean,
    read_yaml,
)
from ricochet_casino.games import read_paytable
from ricochet_casino.games.ricochet_poker.paytable import MOST_PLAYERS, RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES, unknown_strategy
from ricochet_casino.lab.requests import choice_name
from ricochet_casino.paytable import describe, parse_figure, printable

PLAYS: Final = ("perfect", "weak")
FIGURES: Final = ("rtp", "fold_frequency", "win_frequency", "win_gap")
EXTREMES: Final = ("lowest", "highest")
SETTINGS: Final = {"last_hand": ("free", "may_play", "none"), "when_equal": ("play", "fold")}
MEANINGS: Final = {
    "fold_frequency": ("per_round", "per_decision"),
    "rtp": ("per_ante", "per_chip"),
    "players": ("all", "two_or_more"),
}
"""What a figure can mean; the first is what is meant where a file does not say."""
_KEYS = ("title", "source", "paytable", "published", "readings")
_ENTRY_KEYS = ("name", "says", "source", "play", "players", "figure", "value", "resolution")
_MORE_ENTRY_KEYS = ("over", "within")


@dataclass(frozen=True)
class Published:
    """A published figure.

    Attributes
    ----------
    name
        One word.
    says, source
        What was said, in our own words, and where.
    play
        ``perfect`` or ``weak``.
    players
        The counts that it speaks of.
    figure
        One of `FIGURES`.
    over
        ``lowest`` or ``highest`` over the counts; empty for a single count.
    text
        The value as written.
    value, within
        The value, and how far away what meets it may be: half a unit of its last digit, or as the
        file says.
    resolution
        Half width above which an interval is too wide to tell.
    """

    name: str
    says: str
    source: str
    play: str
    players: tuple[int, ...]
    figure: str
    over: str
    text: str
    value: Fraction
    within: Fraction
    resolution: Fraction


@dataclass(frozen=True)
class TableReading:
    """How a table plays.

    Attributes
    ----------
    play
        What it stands for: ``perfect`` or ``weak``.
    strategy
        A name, or one for each of the first seats, the last of them for all that are left.
    paytable
        As named in the file.
    last_hand, when_equal
        Settings in place of the paytable's.
    until
        Half width of the RTP's interval that will do, if less is asked for; 0 for none.
    """

    play: str
    strategy: str | tuple[str, ...]
    paytable: str
    last_hand: str
    when_equal: str
    until: Fraction = Fraction()

    @property
    def label(self) -> str:
        """The strategies in a word."""
        return choice_name(self.strategy)

    @property
    def mixed(self) -> bool:
        """Whether the first seat plays otherwise than the rest, so that its own figures count."""
        return not isinstance(self.strategy, str)

    def seats(self, players: int) -> str | tuple[str, ...]:
        """The strategies of a table of so many players."""
        return self.strategy if isinstance(self.strategy, str) else self.strategy[:players]


@dataclass(frozen=True)
class PublishedFile:
    """The content of such a file.

    Attributes
    ----------
    title, source
        For headings.
    paytable
        Name of the paytable that readings have unless they say otherwise.
    published
        The figures.
    readings
        The tables to compute.
    meanings
        For each key of `MEANINGS`, what to try.
    paytables
        The paytables by name.
    """

    title: str
    source: str
    paytable: str
    published: tuple[Published, ...]
    readings: tuple[TableReading, ...]
    meanings: Mapping[str, tuple[str, ...]]
    paytables: Mapping[str, RicochetPokerPaytable]


def read_published(path: str | os.PathLike[str]) -> PublishedFile:
    """Read a file of published figures.

    Parameters
    ----------
    path
        A YAML file.

    Raises
    ------
    ConfigError
        With everything that is wrong, by file and line, and the nearest valid name.
    """
    reader = _Reader(read_yaml(path))
    found = reader.content()
    if reader.problems:
        raise ConfigError(sorted(reader.problems, key=lambda problem: problem.line or 0))
    return found


class _Reader:
    """Reads one document and gathers what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.paytables: dict[str, RicochetPokerPaytable] = {}

    def note(self, path: KeyPath, text: str) -> None:
        where = ".".join(str(part + 1 if isinstance(part, int) else part) for part in path)
        self.problems.append(self.document.problem(path, f"{where}: {text}" if where else text))

    def content(self) -> PublishedFile:
        data = self.mapping((), self.document.data, _KEYS)
        name = self.paytable(("paytable",), data["paytable"])
        published = self.listed(("published",), data["published"], self.entry)
        names = [one.name for one in published]
        for twice in sorted({one for one in names if names.count(one) > 1}):
            self.note(("published",), f"the name {twice} is given twice; expected it once")
        readings = self.mapping(("readings",), data["readings"], (), (*PLAYS, "figures"))
        tables: list[TableReading] = []
        for play in PLAYS:
            path: KeyPath = ("readings", play)
            if readings[play] is not None:
                for some in self.listed(path, readings[play], self.tables):
                    tables += [replace(table, paytable=table.paytable or name) for table in some]
            elif any(one.play == play for one in published):
                self.note(("readings",), f"the key {play} is missing; expected what to compute")
        if len(set(tables)) < len(tables):
            self.note(("readings",), "two tables are the same; expected each one once")
        return PublishedFile(
            self.text(("title",), data["title"]),
            self.text(("source",), data["source"]),
            name,
            tuple(published),
            tuple(tables),
            self.meanings(readings["figures"]),
            self.paytables,
        )

    def mapping(
        self, path: KeyPath, value: Any, needed: Sequence[str], more: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The values of all keys that there may be, None for those that are not there."""
        known = (*needed, *more)
        if value is not None and not isinstance(value, dict):
            self.note(path, f"{describe(value)}; expected a mapping with {', '.join(known)}")
        given = value if isinstance(value, dict) else {}
        for key in given:
            if key not in known:
                hint = did_you_mean(key, known)
                text = f"unknown key {describe(key)}; expected one of {', '.join(known)}{hint}"
                self.note((*path, key), text)
        if isinstance(value, dict):
            for key in needed:
                if key not in given:
                    self.note(path, f"the key {key} is missing")
        return {key: given.get(key) for key in known}

    def listed(self, path: KeyPath, value: Any, read: Any) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list) or not value:
            self.note(path, f"{describe(value)}; expected a list, one `- ` for each element")
            return []
        found = (read((*path, index), element) for index, element in enumerate(value))
        return [one for one in found if one is not None]

    def text(self, path: KeyPath, value: Any) -> str:
        if value is None:
            return ""
        if not isinstance(value, str) or not value.strip():
            self.note(path, f"{describe(value)}; expected a text")
            return ""
        try:
            return printable(value.strip())
        except ValueError as error:
            self.note(path, str(error))
            return ""

    def one_of(self, path: KeyPath, value: Any, options: Sequence[str]) -> str:
        if value is not None and value not in options:
            hint = did_you_mean(describe(value), options)
            self.note(path, f"{describe(value)}; expected {' or '.join(options)}{hint}")
        return value if value in options else options[0]

    def some_of(self, path: KeyPath, value: Any, options: Sequence[str]) -> tuple[str, ...]:
        """One option or a list of them; the first of all if nothing is said."""
        if value is None:
            return (options[0],)
        given = value if isinstance(value, list) and value else [value]
        found = [self.one_of(path, one, options) for one in given]
        if len(set(map(str, given))) < len(given):
            self.note(path, "something is given twice; expected it once")
        return tuple(found)

    def share(self, path: KeyPath, value: Any) -> tuple[Fraction, Fraction]:
        """A number with what rounding allows."""
        if value is None:
            return Fraction(), Fraction()
        try:
            return parse_figure(value if isinstance(value, str) else describe(value))
        except ValueError as error:
            self.note(path, str(error))
            return Fraction(), Fraction()

    def distance(self, path: KeyPath, value: Any) -> Fraction:
        found, _ = self.share(path, value)
        if found < 0:
            self.note(path, f"{describe(value)} is negative; expected zero or more")
        return found

    def paytable(self, path: KeyPath, value: Any) -> str:
        name = self.text(path, value)
        if name and name not in self.paytables:
            try:
                model = read_paytable(name).model
                if not isinstance(model, RicochetPokerPaytable):
                    raise ValueError(f"a paytable of {model.game}, not of ricochet_poker")
                self.paytables[name] = model
            except ValueError as error:
                self.note(path, str(error))
        return name

    def entry(self, path: KeyPath, value: Any) -> Published:
        data = self.mapping(path, "" if value is None else value, _ENTRY_KEYS, _MORE_ENTRY_KEYS)
        name = self.text((*path, "name"), data["name"])
        if name and not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            text = f"{describe(name)}; expected a word of small letters, digits and _"
            self.note((*path, "name"), text)
        players = self.players((*path, "players"), data["players"])
        over = ""
        if data["over"] is not None:
            over = self.one_of((*path, "over"), data["over"], EXTREMES)
        if data["players"] is not None and (len(players) > 1) != bool(over):
            what = "needs over: lowest or highest" if players[1:] else "is a single count; no over"
            self.note((*path, "players"), f"{describe(data['players'])} {what}")
        figure_value, within = self.share((*path, "value"), data["value"])
        if data["within"] is not None:
            within = self.distance((*path, "within"), data["within"])
        return Published(
            name,
            self.text((*path, "says"), data["says"]),
            self.text((*path, "source"), data["source"]),
            self.one_of((*path, "play"), data["play"], PLAYS),
            players,
            self.one_of((*path, "figure"), data["figure"], FIGURES),
            over,
            str(data["value"]),
            figure_value,
            within,
            self.distance((*path, "resolution"), data["resolution"]),
        )

    def players(self, path: KeyPath, value: Any) -> tuple[int, ...]:
        if value is None:
            return ()
        found = re.fullmatch(r"\s*([0-9]+)(?:\s*-\s*([0-9]+))?\s*", str(value)[:40])
        ends = [int(end) for end in found.groups() if end] if found else []
        if not ends or not 1 <= ends[0] <= ends[-1] <= MOST_PLAYERS:
            text = f"{describe(value)}; expected 1 to {MOST_PLAYERS}, or a range such as 2-7"
            self.note(path, text)
            return ()
        return tuple(range(ends[0], ends[-1] + 1))

    def tables(self, path: KeyPath, value: Any) -> list[TableReading]:
        """The tables of one element under ``perfect`` or ``weak``: all combinations."""
        paytable = ""  # the one of the whole file
        data = self.mapping(path, value, ("strategy",), (*SETTINGS, "paytable", "until"))
        given = data["strategy"]
        names = given if isinstance(given, list) and given else [given]
        for name in names:
            if name is not None and name not in STRATEGIES:
                self.note((*path, "strategy"), str(unknown_strategy(describe(name))))
        if len(names) > MOST_PLAYERS:
            self.note((*path, "strategy"), f"more than {MOST_PLAYERS} seats")
        strategy = tuple(map(str, names)) if len(names) > 1 else str(names[0])
        if data["paytable"] is not None:
            paytable = self.paytable((*path, "paytable"), data["paytable"])
        until = self.distance((*path, "until"), data["until"])
        if until >= 1:
            self.note((*path, "until"), f"{describe(data['until'])}; expected less than 100 %")
        settings = [self.some_of((*path, key), data[key], SETTINGS[key]) for key in SETTINGS]
        return [
            TableReading(str(path[1]), strategy, paytable, last_hand, when_equal, until)
            for last_hand, when_equal in product(*settings)
        ]

    def meanings(self, value: Any) -> dict[str, tuple[str, ...]]:
        data = self.mapping(("readings", "figures"), value, (), tuple(MEANINGS))
        return {
            key: self.some_of(("readings", "figures", key), data[key], options)
            for key, options in MEANINGS.items()
        }
