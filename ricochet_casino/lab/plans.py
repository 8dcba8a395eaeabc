"""Batch plans: read from YAML, checked like paytables, and expanded into entries."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from ricochet_casino.config import (
    ConfigError,
    Document,
    read_yaml,
)
from ricochet_casino.lab.jobs import (
    CalibrationJob,
    Job,
)
from ricochet_casino.lab.parts import Part
from ricochet_casino.lab.plan_model import SUMMARY, Precision
from ricochet_casino.lab.plan_reader import Reader, calibration_job, find_plan
from ricochet_casino.runs import holds_run

STORE: Final = "store"
"""Where the blocks are kept, within the output folder, unless a plan says otherwise."""


@dataclass(frozen=True)
class Plan:
    """A plan, checked and expanded.

    Attributes
    ----------
    file
        Where it was read.
    title, notes
        As written.
    jobs
        The entries, in order; their names are all different.
    output, store
        Folders for what comes out, and for the blocks.
    summary
        Formats of the summary table.
    parts
        Which blocks; everything, or ranges to be merged with those of other runs.
    paytables
        All paytables by digest, as in a certificate.
    skipped
        What the matrix names and no paytable covers, in words.
    """

    file: Path
    title: str
    jobs: tuple[Job, ...]
    output: Path
    store: Path
    notes: str = ""
    summary: tuple[str, ...] = SUMMARY
    parts: tuple[Part, ...] = (Part(),)
    paytables: Mapping[str, Any] = field(default_factory=dict, repr=False)
    skipped: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether everything is computed here."""
        return len(self.parts) == 1 and self.parts[0].whole

    def to_json(self) -> dict[str, Any]:
        """The entries, which is what runs to be merged must have in common."""
        return {
            "title": self.title,
            "paytables": dict(self.paytables),
            "entries": [{"name": job.name, **job.asked()} for job in self.jobs],
        }

    def request(self) -> dict[str, Any]:
        """What the store is for: the entries and the blocks."""
        parts = [[str(part.first), str(part.last)] for part in self.parts]
        return {"plan": self.to_json(), "blocks": parts}


def read_plan(
    path: str | os.PathLike[str], *, output: Path | None = None, blocks: str | None = None
) -> Plan:
    """Read a plan.

    Parameters
    ----------
    path
        A YAML file, or the name of a shipped plan. A file of published figures is a plan of one
        calibration.
    output
        In place of the plan's output folder, which is seen from the working folder; its store is
        then in there too.
    blocks
        In place of the plan's.

    Raises
    ------
    ConfigError
        With everything that is wrong, by file and line.
    ValueError
        If `blocks` is no part.
    """
    parts = None if blocks is None else (Part.parse(blocks),)
    file = find_plan(path)
    document = read_yaml(file)
    if "published" in document.data and "readings" in document.data:
        job = calibration_job(file, Precision(), None)
        folder = output or Path("reports", file.stem)
        title = job.calibration.file.title
        plan = Plan(file, title, (job,), folder, folder / STORE, parts=parts or (Part(),))
        return _checked(plan, document)
    reader = Reader(file, document, ())
    jobs = reader.jobs()
    model = reader.model
    if not jobs:
        text = "no entries; expected paytables, experiments, calibrations or include"
        raise ConfigError(document.problem((), text))
    folder = output or Path(model.output)
    plan = Plan(
        file,
        model.title,
        tuple(job for _, job in jobs),
        folder,
        Path(model.store) if model.store and output is None else folder / STORE,
        model.notes,
        model.summary,
        parts or (model.blocks,),
        reader.paytables,
        tuple(reader.skipped),
    )
    return _checked(plan, document)


def _checked(plan: Plan, document: Document) -> Plan:
    """Refuse an output folder that would disturb a store."""
    output, store = plan.output.resolve(), plan.store.resolve()
    inside = next((p for p in (output, *output.parents) if p == store or holds_run(p)), None)
    if inside is not None:
        text = (
            f"the output folder {plan.output} is inside the store {inside}; "
            "expected a folder outside of it"
        )
        raise ConfigError(document.problem(("output",), text))
    if not plan.whole and any(isinstance(job, CalibrationJob) for job in plan.jobs):
        text = "a calibration cannot be split into ranges of blocks; expected blocks: all"
        raise ConfigError(document.problem(("blocks",), text))
    if store.exists() and not store.is_dir():
        raise ConfigError(document.problem(("store",), f"{plan.store} is a file, not a folder"))
    return plan


def expected_core_seconds(jobs: Sequence[Job]) -> tuple[Fraction, int]:
    """Roughly how long entries take on one core, and how many of them nobody can tell."""
    known = [job.seconds() for job in jobs]
    return sum((one for one in known if one is not None), Fraction()), known.count(None)
