"""Expand the matrix of a batch plan into entries, telling everything that is wrong with it."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from ricochet_casino.config import (
    ConfigError,
    Document,
    KeyPath,
    Problem,
    data_folder,
    did_you_mean,
    read_yaml,
)
from ricochet_casino.games import build, read_paytable
from ricochet_casino.games.ricochet_poker.hand_tables import read_hand_table
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_names
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES, unknown_strategy
from ricochet_casino.lab import DEFAULT_CHECK_ROUNDS, DEFAULT_UNTIL, PILOT_DEALS
from ricochet_casino.lab.calibrate import Calibration
from ricochet_casino.lab.certify import entries
from ricochet_casino.lab.jobs import (
    CERTIFICATE_FORMATS,
    CalibrationJob,
    ExperimentJob,
    Job,
    TableJob,
)
from ricochet_casino.lab.plan_model import Override, PlanFile, PlannedExperiment, Precision
from ricochet_casino.lab.published import read_published
from ricochet_casino.lab.requests import NO_BOUNDS, Bounding, Choice, Request, Sampling, choice_name
from ricochet_casino.paytable import digest, find_paytable, problems_in
from ricochet_casino.stats.intervals import LEVEL

_GLOB: Final = frozenset("*?[")


def find_plan(path: str | os.PathLike[str]) -> Path:
    """The file of a plan given by path or by its shipped name."""
    text = os.fspath(path)
    shipped = {file.stem: file for file in data_folder("configs").glob("*.yaml")}
    if text in shipped:
        return shipped[text]
    found = Path(text)
    if found.suffix not in (".yaml", ".yml") and not os.path.lexists(found):
        hint = did_you_mean(text, shipped)
        expected = ", ".join(sorted(shipped))
        raise ConfigError(
            Problem(f"no plan or file {text}; expected a path or one of {expected}{hint}")
        )
    return found


def calibration_job(file: Path, precision: Precision, seed: int | None) -> CalibrationJob:
    """The entry for a file of published figures; without a seed it gets the usual one."""
    published = read_published(file)
    sampling = _sampling(precision)
    asked = Calibration(published, sampling) if seed is None else Calibration(
        published, sampling, seed
    )  # fmt: skip
    return CalibrationJob(file.stem, asked, precision.formats or CERTIFICATE_FORMATS)


def _sampling(precision: Precision) -> Sampling:
    return Sampling(
        precision.deals,
        precision.until or DEFAULT_UNTIL,
        precision.level or LEVEL,
        precision.pilot or PILOT_DEALS,
    )


def _bounding(precision: Precision, choice: Choice) -> Bounding:
    if precision.gap == 0:
        return NO_BOUNDS
    if precision.gap_deals is not None:
        return Bounding(precision.gap_deals)
    if precision.gap is not None and choice == "collective":
        return Bounding(limit=precision.gap)
    return Bounding()


@dataclass(frozen=True)
class _Paytable:
    name: str
    model: RicochetPokerPaytable
    path: KeyPath


class Reader:
    """Expands one plan file and those that it includes.

    Parameters
    ----------
    file, document
        The plan, and its content.
    chain
        Plans that include this one.

    Attributes
    ----------
    model
        Its keys.
    paytables
        All paytables met, by digest.
    skipped
        What the matrix names and no paytable covers, in words.

    Raises
    ------
    ConfigError
        With everything that is wrong with the keys.
    """

    def __init__(self, file: Path, document: Document, chain: tuple[Path, ...]) -> None:
        self.file, self.document = file, document
        self.chain = (*chain, file.resolve())
        self.problems: list[Problem] = []
        self.paytables: dict[str, Any] = {}
        self.skipped: list[str] = []
        self.used: set[int] = set()
        try:
            self.model = PlanFile.model_validate(document.data)
        except ValidationError as error:
            raise ConfigError(problems_in(PlanFile, error, document)) from None

    def note(self, path: KeyPath, text: str) -> None:
        """Keep one thing that is wrong, and where."""
        self.problems.append(self.document.problem(path, text))

    def jobs(self) -> list[tuple[KeyPath, Job]]:
        """All entries with the place that asks for each; refused if anything is wrong."""
        tables = list(self._paytables())
        choices = list(self._choices())
        for at, choice in enumerate(choices):
            if choice_name(choice) in map(choice_name, choices[:at]):
                self.note(("strategies", at), f"{choice_name(choice)} is given twice")
        found = [*self._tables(tables, choices), *self._side_bets(tables)]
        found += [*self._experiments(), *self._calibrations(), *self._included()]
        for index in range(len(self.model.overrides)):
            if index not in self.used and not self.problems:
                self.note(("overrides", index), "no entry is like this; expected one of the matrix")
        self._refuse_repeats(found)
        if self.problems:
            raise ConfigError(self.problems)
        return found

    def _refuse_repeats(self, found: Sequence[tuple[KeyPath, Job]]) -> None:
        seen: dict[Any, str] = {}
        names: set[str] = set()
        for path, job in found:
            identity = job.identity()
            if identity in seen:
                same = "" if seen[identity] == job.name else f", the same as {seen[identity]}"
                self.note(path, f"the entry {job.name} is there twice{same}; expected it once")
            elif job.name in names:
                self.note(path, f"two entries are called {job.name}; rename a file")
            seen.setdefault(identity, job.name)
            names.add(job.name)

    def _files(self, path: KeyPath, text: str, find: Any) -> list[Path]:
        """The files that a text stands for: a name, a path, or a glob, from the plan's folder."""
        folder = self.file.parent
        if not _GLOB & set(text):
            beside = folder / text
            return [beside if beside.is_file() else Path(find(text))]
        pattern = Path(text)
        base = Path(pattern.anchor) if pattern.is_absolute() else folder
        parts = pattern.parts[1:] if pattern.is_absolute() else pattern.parts
        found = sorted(file for file in base.glob(os.path.join(*parts)) if file.is_file())  # noqa: PTH118
        if not found:
            self.note(path, f"{text} matches no file; expected one at least")
        return found

    def _paytables(self) -> Iterator[_Paytable]:
        for index, text in enumerate(self.model.paytables):
            path: KeyPath = ("paytables", index)
            try:
                files = self._files(path, text, find_paytable)
                loaded = [read_paytable(file) for file in files]
            except ConfigError as error:
                self.problems += [one if one.file else self.document.problem(path, one.text)
                                  for one in error.problems]  # fmt: skip
                continue
            for one in loaded:
                if not isinstance(one.model, RicochetPokerPaytable):
                    self.note(path, f"{one.file}: of {one.model.game}, not of ricochet_poker")
                    continue
                self.paytables[digest(one.model)] = one.model.model_dump(mode="json")
                yield _Paytable(one.file.stem, one.model, path)

    def _choices(self) -> Iterator[Choice]:
        if not self.model.paytables:
            return
        for index, given in enumerate(self.model.strategies):
            try:
                found = [
                    self._seat(text) for text in ([given] if isinstance(given, str) else given)
                ]
            except ValueError as error:
                self.note(("strategies", index), str(error))
                continue
            yield tuple(found) if len(found) > 1 else found[0]

    def _seat(self, text: str) -> Any:
        if text.endswith((".yaml", ".yml")):
            beside = self.file.parent / text
            return read_hand_table(beside if beside.is_file() else text)
        if text not in STRATEGIES:
            raise unknown_strategy(text)
        return text

    def _tables(
        self, tables: Sequence[_Paytable], choices: Sequence[Choice]
    ) -> Iterator[tuple[KeyPath, Job]]:
        counts = [count for some in self.model.players for count in some]
        if len(set(counts)) < len(counts):
            self.note(("players",), "a number of players is given twice; expected it once")
            counts = list(dict.fromkeys(counts))
        for table in tables:
            for choice in choices:
                for players in counts:
                    if players not in table.model.players:
                        self._skip(f"{table.name} does not cover {players} players")
                    elif isinstance(choice, tuple) and len(choice) > players:
                        self._skip(f"{choice_name(choice)} needs {len(choice)} players or more")
                    else:
                        job = self._table(table, players, choice)
                        if job:
                            yield table.path, job

    def _skip(self, text: str) -> None:
        if text not in self.skipped:
            self.skipped.append(text)

    def _table(self, table: _Paytable, players: int, choice: Choice) -> TableJob | None:
        precision = self._precision(table.name, players, choice)
        try:
            request = Request(
                (players,),
                (choice,),
                DEFAULT_CHECK_ROUNDS if precision.check is None else precision.check,
                self.model.seed,
                _sampling(precision),
                _bounding(precision, choice),
                (),
            )
            entries(table.model, request)  # refuses what cannot be certified
        except ValueError as error:
            self.note(table.path, f"{table.name}, {players} players: {error}")
            return None
        name = f"{table.name}-{players}p-{choice_name(choice)}"
        return TableJob(name, table.model, request, precision.formats or CERTIFICATE_FORMATS)

    def _precision(self, table: str, players: int, choice: Choice) -> Precision:
        """The plan's precision with what the overrides for this entry change, in their order."""
        found = {key: getattr(self.model, key) for key in Precision.model_fields}
        for index, override in enumerate(self.model.overrides):
            if not _fits(override, table, players, choice):
                continue
            self.used.add(index)
            changes = {key: getattr(override, key) for key in Precision.model_fields}
            given = {key: value for key, value in changes.items() if value is not None}
            for one, other in (("until", "deals"), ("gap", "gap_deals")):
                if one in given or other in given:
                    found[one] = found[other] = None
            found |= given
        return Precision.model_construct(**found)

    def _side_bets(self, tables: Sequence[_Paytable]) -> Iterator[tuple[KeyPath, Job]]:
        wanted = self.model.side_bets
        offered = dict.fromkeys(n for table in tables for n in side_bet_names(table.model))
        if tables and not isinstance(wanted, str):
            for index, name in enumerate(wanted):
                if name not in offered:
                    expected = f"one of {', '.join(offered)}, " if offered else ""
                    hint = did_you_mean(name, offered)
                    text = f"no paytable has the side bet {name}; expected {expected}all or none"
                    self.note(("side_bets", index), text + hint)
                if name in wanted[:index]:
                    self.note(("side_bets", index), f"{name} is given twice; expected it once")
        formats = self.model.formats or CERTIFICATE_FORMATS
        for table in tables:
            for name in side_bet_names(table.model):
                if wanted == "all" or name in wanted:
                    asked = Request((), (), 0, self.model.seed, side_bets=(name,))
                    yield table.path, TableJob(f"{table.name}-{name}", table.model, asked, formats)

    def _experiments(self) -> Iterator[tuple[KeyPath, Job]]:
        for index, planned in enumerate(self.model.experiments):
            path: KeyPath = ("experiments", index)
            try:
                spec = self._spec(planned)
                yield path, ExperimentJob(planned.name, build(spec).spec())
            except (ValueError, TypeError, KeyError) as error:
                self.note(path, f"{planned.name}: {error}")

    def _spec(self, planned: PlannedExperiment) -> dict[str, Any]:
        parameters = dict(planned.parameters)
        if planned.paytable is not None:
            (file,) = self._files(("experiments",), planned.paytable, find_paytable)
            parameters["paytable"] = read_paytable(file).model.model_dump(mode="json")
        return {"game": planned.game, "experiment": planned.experiment, "parameters": parameters}

    def _calibrations(self) -> Iterator[tuple[KeyPath, Job]]:
        for index, text in enumerate(self.model.calibrations):
            path: KeyPath = ("calibrations", index)
            try:
                for file in self._files(path, text, find_plan):
                    yield path, calibration_job(file, self.model, self.model.seed)
            except ConfigError as error:
                self.problems += [one if one.file else self.document.problem(path, one.text)
                                  for one in error.problems]  # fmt: skip

    def _included(self) -> Iterator[tuple[KeyPath, Job]]:
        for index, text in enumerate(self.model.include):
            path: KeyPath = ("include", index)
            try:
                for file in self._files(path, text, find_plan):
                    if file.resolve() in self.chain:
                        self.note(path, f"{text}: the plan includes itself")
                        continue
                    below = Reader(file, read_yaml(file), self.chain)
                    yield from ((path, job) for _, job in below.jobs())
                    self.paytables |= below.paytables
                    self.skipped += below.skipped
            except ConfigError as error:
                self.problems += [one if one.file else self.document.problem(path, one.text)
                                  for one in error.problems]  # fmt: skip


def _fits(override: Override, table: str, players: int, choice: Choice) -> bool:
    where = override.where
    if where.paytables is not None and table not in {Path(text).stem for text in where.paytables}:
        return False
    if where.players is not None and players not in {n for some in where.players for n in some}:
        return False
    if where.strategies is None:
        return True
    wanted = {text if isinstance(text, str) else "+".join(text) for text in where.strategies}
    return choice_name(choice) in wanted
