"""Set published figures beside what each reading of the rules and of perfect play gives.

A *table reading* says how a table plays: strategy, paytable and two of its settings. A *meaning*
says what a figure is a share of. Every table is computed once, exactly for one player and sampled
for more; all figures are read off those entries.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, Final

from ricochet_casino.lab import DEFAULT_SEED
from ricochet_casino.lab.certify import ExactEntry, entries
from ricochet_casino.lab.estimates import expected_seconds as seconds_of
from ricochet_casino.lab.published import MEANINGS, Published, PublishedFile, TableReading
from ricochet_casino.lab.requests import NO_BOUNDS, Request, Sampling
from ricochet_casino.lab.running import Runner
from ricochet_casino.lab.sampled import SampledEntry
from ricochet_casino.paytable import digest
from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import Interval

SCHEMA: Final = "ricochet-casino/calibration/1"
FITS, UNDECIDED, MISSES = VERDICTS = ("fits", "undecided", "does not fit")

_NAMES: Final = {
    ("fold_frequency", "per_round"): "fold_frequency",
    ("fold_frequency", "per_decision"): "fold_per_decision",
    ("rtp", "per_ante"): "rtp_per_ante",
    ("rtp", "per_chip"): "rtp_per_action",
}
"""Names in a certificate's entry; other figures have one meaning."""

Meaning = Mapping[str, str]
"""For each key of `published.MEANINGS`, one of its values."""


@dataclass(frozen=True)
class Value:
    """A computed figure with its interval.

    Attributes
    ----------
    value, low, high
        The estimate and the interval; all the same if the figure is exact.
    level
        Of the interval; 1 if the figure is exact.
    players
        The count at which it was found.
    method
        How the interval was computed, or ``exact``.
    """

    value: Fraction
    low: Fraction
    high: Fraction
    level: Fraction
    players: int
    method: str

    @classmethod
    def read(cls, figure: Mapping[str, Any], players: int) -> "Value":
        """Read a figure of a certificate."""
        value = Fraction(figure.get("exact", figure["decimal"]))
        if "interval" not in figure:
            return cls(value, value, value, Fraction(1), players, "exact")
        low, high = map(Fraction, figure["interval"])
        level, method = Fraction(figure["level"]), str(figure["interval_method"])
        return cls(value, low, high, level, players, method)

    def to_json(self) -> dict[str, Any]:
        """The value as JSON values."""
        if self.level == 1:
            return {"players": self.players, "decimal": decimal_text(self.value)}
        interval = Interval(self.low, self.high, self.level, self.method)
        return {"players": self.players, **interval.figure(self.value)}


def verdict(value: Value, published: Published) -> str:
    """Whether a computed figure can be the published one.

    ``does not fit`` if the interval, widened by what rounding (or the file) allows, does not
    contain the published value; else ``fits``, or ``undecided`` if the interval is too wide to
    tell.
    """
    if not value.low - published.within <= published.value <= value.high + published.within:
        return MISSES
    return FITS if value.high - value.low <= 2 * published.resolution else UNDECIDED


def gap_to_one_in_n(win: Value) -> Value:
    """How far a win frequency is from 1 / (players + 1)."""
    ends = [end - Fraction(1, win.players + 1) for end in (win.low, win.high)]
    low, high = sorted(map(abs, ends))
    if ends[0] <= 0 <= ends[1]:
        low = Fraction()
    middle = abs(win.value - Fraction(1, win.players + 1))
    return replace(win, value=middle, low=low, high=high)


def extreme(values: Sequence[Value], over: str) -> Value:
    """The lowest or highest of several values.

    All intervals hold together with at least 1 minus the sum of what each may miss, and then the
    lowest value lies between the lowest of the lower ends and the lowest of the upper ones.
    """
    pick = min if over == "lowest" else max
    found = pick(values, key=lambda value: value.value)
    low, high = pick(value.low for value in values), pick(value.high for value in values)
    level = 1 - sum((1 - value.level for value in values), Fraction())
    methods = dict.fromkeys(value.method for value in values if value.level < 1)
    return Value(found.value, low, high, level, found.players, " ".join(methods) or "exact")


@dataclass(frozen=True)
class Calibration:
    """Tables to compute for a file of published figures.

    Attributes
    ----------
    file
        The figures and readings.
    sampling
        How much is sampled.
    seed
        Seed of the sampling.
    """

    file: PublishedFile
    sampling: Sampling = field(default_factory=Sampling)
    seed: int = DEFAULT_SEED

    def to_json(self) -> dict[str, Any]:
        """What is asked for, as JSON values."""
        tables = [_reading_json(reading) for reading in self.file.readings]
        paytables = {name: digest(model) for name, model in self.file.paytables.items()}
        return {
            "calibration": {"tables": tables, "paytables": paytables},
            "sampling": self.sampling.to_json(),
            "seed": self.seed,
        }

    def tables(self) -> Iterator[tuple[TableReading, int]]:
        """Each table reading with each player count that a published figure needs."""
        for reading in self.file.readings:
            covered = self.file.paytables[reading.paytable].players
            needed = {
                count
                for published in self.file.published
                if published.play == reading.play
                for count in published.players
            }
            for players in sorted(needed & set(covered)):
                yield reading, players

    def request(self, reading: TableReading, players: int) -> Request:
        """What has to be certified for one table, without bounds and the referee's check."""
        until = max(self.sampling.until, reading.until)
        sampling = replace(self.sampling, until=until)
        seats = (reading.seats(players),)
        return Request((players,), seats, 0, self.seed, sampling, NO_BOUNDS)

    def expected_seconds(self) -> Fraction:
        """Roughly how long everything takes on one core."""
        asked = (self.request(reading, players) for reading, players in self.tables())
        return sum(map(seconds_of, asked), Fraction())

    def run(self, runner: Runner | None = None) -> dict[str, Any]:
        """Compute all tables and compare.

        Returns
        -------
        dict
            JSON values: ``published`` with what every reading gives, and ``ranking``.
        """
        runner = runner or Runner()
        found: dict[tuple[TableReading, int], dict[str, Any]] = {}
        for reading, players in self.tables():
            found[reading, players] = self.entry(reading, players).run(runner)
        return compare(self, found)

    def entry(self, reading: TableReading, players: int) -> ExactEntry | SampledEntry:
        """One table, ready to be run."""
        changes = {"last_hand": reading.last_hand, "when_equal": reading.when_equal}
        paytable = self.file.paytables[reading.paytable].model_copy(update=changes)
        (entry,) = entries(paytable, self.request(reading, players))
        return entry


def compare(
    calibration: Calibration, found: Mapping[tuple[TableReading, int], Mapping[str, Any]]
) -> dict[str, Any]:
    """Set the published figures beside computed entries.

    Parameters
    ----------
    calibration
        What was asked for.
    found
        Entries of certificates, by table reading and player count.
    """
    file = calibration.file
    lines = {published.name: list(_lines(published, file, found)) for published in file.published}
    return {
        "schema": SCHEMA,
        "title": file.title,
        "source": file.source,
        "spec": calibration.to_json(),
        "published": [
            {**_published_json(published), "found": lines[published.name]}
            for published in file.published
        ],
        "ranking": rank(file, lines),
    }


def figure_of(
    published: Published,
    reading: TableReading,
    meaning: Meaning,
    found: Mapping[tuple[TableReading, int], Mapping[str, Any]],
) -> Value | None:
    """What a reading gives for a published figure, None where it gives nothing."""
    counts = published.players
    if published.over and meaning["players"] == "two_or_more":
        counts = tuple(count for count in counts if count > 1)
    name = _NAMES.get((published.figure, meaning.get(published.figure, "")), published.figure)
    name = "win_frequency" if name == "win_gap" else name
    values = []
    for players in counts:
        entry = found.get((reading, players))
        if entry and reading.mixed and players > 1:
            entry = entry["by_seat"][0]
        if not entry or name not in entry or entry[name]["decimal"] == "undefined":
            return None
        value = Value.read(entry[name], players)
        values.append(gap_to_one_in_n(value) if published.figure == "win_gap" else value)
    return extreme(values, published.over) if published.over else values[0]


def _meanings(file: PublishedFile, keys: Iterable[str]) -> Iterator[dict[str, str]]:
    """All combinations of what these keys can mean; the first value for all others."""
    wanted = set(keys)
    tried = [file.meanings[key] if key in wanted else file.meanings[key][:1] for key in MEANINGS]
    for values in product(*tried):
        yield dict(zip(MEANINGS, values, strict=True))


def _keys(published: Published) -> list[str]:
    """What a figure's meaning depends on."""
    found = [published.figure] if published.figure in MEANINGS else []
    return [*found, "players"] if published.over else found


def _lines(
    published: Published,
    file: PublishedFile,
    found: Mapping[tuple[TableReading, int], Mapping[str, Any]],
) -> Iterator[dict[str, Any]]:
    """A line for each table reading and each meaning of the figure."""
    for reading in file.readings:
        if reading.play != published.play:
            continue
        for meaning in _meanings(file, _keys(published)):
            value = figure_of(published, reading, meaning, found)
            if value is not None:
                yield {
                    "reading": _reading_json(reading),
                    "meaning": {key: meaning[key] for key in _keys(published)},
                    **value.to_json(),
                    "verdict": verdict(value, published),
                }


def rank(
    file: PublishedFile, lines: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """All readings, those that fit best first, and of equal ones in the order of the file.

    A reading is a table with one meaning for each kind of figure, so that no figure is read in two
    ways at once. Of those with the same verdicts only the first is listed.
    """
    found: dict[Any, dict[str, Any]] = {}
    for reading in file.readings:
        mine = [one for one in file.published if one.play == reading.play]
        if not mine:
            continue
        keys = {key for one in mine for key in _keys(one)}
        for meaning in _meanings(file, keys):
            verdicts = {one.name: _verdict_in(lines[one.name], reading, meaning) for one in mine}
            same = (reading, tuple(verdicts.items()))
            if same in found:
                continue
            found[same] = {
                "reading": _reading_json(reading),
                "meaning": {key: value for key, value in meaning.items() if key in keys},
                **{word: [n for n, v in verdicts.items() if v == word] for word in VERDICTS},
                "not computed": [name for name, found_ in verdicts.items() if found_ is None],
            }
    return sorted(found.values(), key=lambda row: (-len(row[FITS]), len(row[MISSES])))


def _verdict_in(
    lines: Sequence[Mapping[str, Any]], reading: TableReading, meaning: Meaning
) -> str | None:
    wanted = _reading_json(reading)
    for line in lines:
        agrees = all(meaning[key] == value for key, value in line["meaning"].items())
        if line["reading"] == wanted and agrees:
            return str(line["verdict"])
    return None


def _reading_json(reading: TableReading) -> dict[str, Any]:
    return {
        "play": reading.play,
        "strategy": reading.label,
        "paytable": reading.paytable,
        "last_hand": reading.last_hand,
        "when_equal": reading.when_equal,
        **({"until": decimal_text(reading.until)} if reading.until else {}),
    }


def _published_json(published: Published) -> dict[str, Any]:
    return {
        "name": published.name,
        "says": published.says,
        "source": published.source,
        "play": published.play,
        "players": list(published.players),
        "figure": published.figure,
        **({"over": published.over} if published.over else {}),
        "value": published.text,
        "decimal": decimal_text(published.value),
        "within": decimal_text(published.within),
        "resolution": decimal_text(published.resolution),
    }
