"""What a batch consists of: tables, side bets, single experiments and calibrations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Protocol

from ricochet_casino.certificate import EXPERIMENT_SCHEMA, Certificate
from ricochet_casino.config import digest as content_digest
from ricochet_casino.experiment import Experiment
from ricochet_casino.games import build
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.lab.calibrate import Calibration
from ricochet_casino.lab.certify import certify, entries
from ricochet_casino.lab.estimates import expected_seconds
from ricochet_casino.lab.parts import Part, compute_blocks, compute_part
from ricochet_casino.lab.provenance import provenance
from ricochet_casino.lab.requests import Request, request_from_json
from ricochet_casino.lab.running import Runner
from ricochet_casino.paytable import digest

CERTIFICATE_FORMATS: Final = ("json", "md")
"""What an entry is written as unless its plan says otherwise."""


class Job(Protocol):
    """One entry of a batch.

    Attributes
    ----------
    name
        Names its files; unique in a plan.
    formats
        What it is written as.
    """

    @property
    def name(self) -> str:
        """Names its files."""
        ...

    @property
    def formats(self) -> tuple[str, ...]:
        """What it is written as."""
        ...

    def identity(self) -> tuple[Any, ...]:
        """What two entries of a plan must not have in common."""
        ...

    def asked(self) -> dict[str, Any]:
        """What is asked for, as JSON values."""
        ...

    def seconds(self) -> Fraction | None:
        """Roughly how long it takes on one core; None if nobody knows."""
        ...

    def run(self, runner: Runner) -> Certificate:
        """Compute it."""
        ...

    def compute_part(self, runner: Runner, parts: Sequence[Part]) -> None:
        """Compute some of its blocks into the runner's store."""
        ...


@dataclass(frozen=True)
class TableJob:
    """A table with one strategy, or one side bet: a certificate.

    Attributes
    ----------
    name, formats
        As of every `Job`.
    paytable
        The game.
    request
        One player count and one strategy and no side bets, or one side bet.
    """

    name: str
    paytable: RicochetPokerPaytable
    request: Request
    formats: tuple[str, ...] = CERTIFICATE_FORMATS

    def identity(self) -> tuple[Any, ...]:
        """Paytable and wager; how precisely does not matter."""
        asked = self.request.to_json()
        wager = {key: asked.get(key) for key in ("players", "strategies", "side_bets")}
        return "table", digest(self.paytable), content_digest(wager)

    def asked(self) -> dict[str, Any]:
        """What is asked for, the paytable by its digest."""
        return {"paytable_digest": digest(self.paytable), **self.request.to_json()}

    def seconds(self) -> Fraction:
        """Roughly how long it takes on one core."""
        return expected_seconds(self.request)

    def run(self, runner: Runner) -> Certificate:
        """Make the certificate."""
        return certify(self.paytable, self.request, runner)

    def compute_part(self, runner: Runner, parts: Sequence[Part]) -> None:
        """Compute some blocks of its experiments."""
        compute_part(entries(self.paytable, self.request), runner, parts)


def certify_experiment(experiment: Experiment, runner: Runner) -> Certificate:
    """A certificate of a single experiment: its specification and what came out.

    Parameters
    ----------
    experiment
        One that `games.build` can make again.
    runner
        Workers, store and progress.
    """
    spec = experiment.spec()
    entry, blocks = runner.run(experiment, str(spec["experiment"]))
    certified = {
        "schema": EXPERIMENT_SCHEMA,
        "spec": spec,
        "results": [{**entry, "blocks": blocks}],
    }
    return Certificate(certified, provenance(runner.count))


@dataclass(frozen=True)
class ExperimentJob:
    """Any experiment of any game.

    Attributes
    ----------
    name, formats
        As of every `Job`.
    spec
        ``game``, ``experiment`` and ``parameters``.
    """

    name: str
    spec: Mapping[str, Any]
    formats: tuple[str, ...] = ("json",)

    def identity(self) -> tuple[Any, ...]:
        """The specification."""
        return "experiment", content_digest(dict(self.spec))

    def asked(self) -> dict[str, Any]:
        """The specification."""
        return dict(self.spec)

    def seconds(self) -> None:
        """Nobody knows."""

    def run(self, runner: Runner) -> Certificate:
        """Make the certificate."""
        return certify_experiment(build(self.spec), runner)

    def compute_part(self, runner: Runner, parts: Sequence[Part]) -> None:
        """Compute some of its blocks."""
        compute_blocks(build(self.spec), "blocks", runner, parts)


@dataclass(frozen=True)
class CalibrationJob:
    """A calibration: published figures beside what each reading gives.

    Attributes
    ----------
    name, formats
        As of every `Job`.
    calibration
        Figures, readings and how much is sampled.
    """

    name: str
    calibration: Calibration = field(repr=False)
    formats: tuple[str, ...] = CERTIFICATE_FORMATS

    def identity(self) -> tuple[Any, ...]:
        """The readings and paytables."""
        return "calibration", content_digest(self.calibration.to_json()["calibration"])

    def asked(self) -> dict[str, Any]:
        """Tables, paytables by digest, and sampling."""
        return self.calibration.to_json()

    def seconds(self) -> Fraction:
        """Roughly how long it takes on one core."""
        return self.calibration.expected_seconds()

    def run(self, runner: Runner) -> Certificate:
        """Compute and compare; the document is no certificate: it does not hold the paytables."""
        return Certificate(self.calibration.run(runner), provenance(runner.count))

    def compute_part(self, runner: Runner, parts: Sequence[Part]) -> None:
        """Compute some blocks of all its tables."""
        for reading, players in self.calibration.tables():
            compute_part((self.calibration.entry(reading, players),), runner, parts)


def job_from_json(value: Mapping[str, Any], paytables: Mapping[str, Any]) -> Job:
    """An entry as a store's request holds it.

    Parameters
    ----------
    value
        `Job.asked`, with the entry's ``name``.
    paytables
        In full, by digest.

    Raises
    ------
    ValueError
        If it is none that can be made again: a calibration does not hold its figures.
    """
    asked = dict(value)
    name = str(asked.pop("name", ""))
    if "experiment" in asked:
        return ExperimentJob(name, build(asked).spec())
    paytable = paytables.get(asked.pop("paytable_digest", ""))
    request = request_from_json(asked) if paytable is not None else None
    if paytable is None or not isinstance(request, Request):
        raise ValueError(f"the entry {name} cannot be made again from its store")
    return TableJob(name, RicochetPokerPaytable.read(paytable), request)


def missed_precision(certificate: Certificate) -> str:
    """What a certificate was to reach and did not; empty if it reached everything.

    Looks at the half width of the RTP's interval and at the limit of the gap to the optimum.
    """
    certified = certificate.certified
    limit = certified.get("spec", {}).get("bounding", {}).get("limit")
    found = []
    for result in certified.get("results", ()):
        precision = result.get("precision")
        if precision and not precision["met"]:
            found.append(f"half width {precision['reached']}, asked for {precision['asked']}")
        sample = result.get("optimum", {}).get("gap_sample")
        if limit is not None and sample:
            upper = sample["gap_per_ante"]["interval"][1]
            if Fraction(upper) > Fraction(limit):
                found.append(f"gap up to {upper}, asked for {limit}")
    return "; ".join(found)
