"""Run the entries of a plan: certificates, one after another, and a summary of all."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final, Protocol

from ricochet_casino.certificate import Certificate, CertificateError
from ricochet_casino.config import write_bytes_atomically
from ricochet_casino.experiment import Progress
from ricochet_casino.lab.jobs import Job, missed_precision
from ricochet_casino.lab.plans import Plan
from ricochet_casino.lab.provenance import provenance
from ricochet_casino.lab.renderings import SUFFIXES, rendered
from ricochet_casino.lab.running import Runner
from ricochet_casino.report.summary import SCHEMA, TABLE_FORMATS, render_table, row_of
from ricochet_casino.runs import ClusterError, StoreError

DONE, PART, MISSED, FAILED = STATUSES = ("done", "part done", "precision missed", "failed")
SUMMARY: Final = "summary"
"""The summary's files are called so."""


@dataclass(frozen=True)
class Outcome:
    """What became of one entry.

    Attributes
    ----------
    name
        Of the entry.
    status
        One of `STATUSES`.
    text
        What went wrong, or what was missed; else empty.
    seconds
        Wall clock.
    certificate
        None if it failed, or only a part was computed.
    """

    name: str
    status: str
    text: str
    seconds: float
    certificate: Certificate | None

    @property
    def good(self) -> bool:
        """Whether there is nothing to report."""
        return self.status in (DONE, PART)


class Watcher(Protocol):
    """Is told what goes on."""

    def begins(self, number: int, total: int, job: Job) -> None:
        """An entry begins, the first being number 1."""
        ...

    def stage(self, name: str) -> Progress:
        """An experiment of it begins; the callback gets blocks done and in all."""
        ...

    def ends(self, outcome: Outcome) -> None:
        """The entry has ended."""
        ...

    def writes(self, path: Path) -> None:
        """A file was written."""
        ...


def run_batch(plan: Plan, runner: Runner, watcher: Watcher) -> tuple[Outcome, ...]:
    """Run all entries of a plan and write what comes out.

    An entry that fails does not stop the others; what makes all further work pointless does.
    Certificates are written as soon as they are there; those of an earlier run with the same
    certified part are left as they are.

    Parameters
    ----------
    plan
        What to run. Of a part, only blocks are computed: there is nothing to write.
    runner
        Workers, executor, and the store of `Plan.request`; its progress should be the watcher's.
    watcher
        Is told what goes on.

    Raises
    ------
    StoreError
        If the store cannot be written.
    ClusterError
        If the scheduler is gone.
    OSError
        If a file cannot be written.
    """
    outcomes = []
    for number, job in enumerate(plan.jobs, 1):
        watcher.begins(number, len(plan.jobs), job)
        outcome = _outcome(plan, job, runner)
        if outcome.certificate is not None:
            kept = _write(plan.output, job, outcome.certificate, watcher)
            outcome = Outcome(outcome.name, outcome.status, outcome.text, outcome.seconds, kept)
        watcher.ends(outcome)
        outcomes.append(outcome)
    if plan.whole:
        write_summary(plan, outcomes, runner.count, watcher.writes)
    return tuple(outcomes)


def _outcome(plan: Plan, job: Job, runner: Runner) -> Outcome:
    begun = monotonic()
    try:
        if not plan.whole:
            job.compute_part(runner, plan.parts)
            return Outcome(job.name, PART, "", monotonic() - begun, None)
        certificate = job.run(runner)
        certificate.to_json()  # refuses what no certificate may hold
    except (StoreError, ClusterError):
        raise
    except Exception as error:
        text = str(error) if isinstance(error, ValueError | RuntimeError) and str(error) else (
            f"{type(error).__name__}: {error}"
        )  # fmt: skip
        return Outcome(job.name, FAILED, " ".join(text.split()), monotonic() - begun, None)
    missed = missed_precision(certificate)
    status = MISSED if missed else DONE
    return Outcome(job.name, status, missed, monotonic() - begun, certificate)


def _write(folder: Path, job: Job, made: Certificate, watcher: Watcher) -> Certificate:
    """Write a document in its formats, JSON always; one that is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    # Renderings are those of the file: its parts are in the file's order.
    document = _there(folder / f"{job.name}.json", made) or _read(made.to_json().encode())
    for form in dict.fromkeys(("json", *job.formats)):
        content = rendered(document, form)
        path = folder / f"{job.name}.{SUFFIXES[form]}"
        if content is not None and not (path.is_file() and path.read_bytes() == content):
            write_bytes_atomically(path, content)
            watcher.writes(path)
    return document


def _there(path: Path, made: Certificate) -> Certificate | None:
    """The document of an earlier run, if its certified part is the same."""
    try:
        found = _read(path.read_bytes())
        return found if found.digest == made.digest else None
    except (OSError, ValueError, KeyError, TypeError, CertificateError):
        return None


def _read(raw: bytes) -> Certificate:
    whole = json.loads(raw)
    return Certificate(whole["certified"], whole["run"])


def summarise(plan: Plan, outcomes: Sequence[Outcome], workers: int) -> dict[str, Any]:
    """The summary as JSON values, in the two parts of a certificate."""
    certified = {
        "schema": SCHEMA,
        "title": plan.title,
        "plan": plan.to_json(),
        "rows": [
            row_of(outcome.name, outcome.certificate)
            for outcome in outcomes
            if outcome.certificate is not None
        ],
    }
    entries = [
        {"name": one.name, "status": one.status, "text": one.text} for one in outcomes
    ]  # fmt: skip
    return {"certified": certified, "run": {**provenance(workers), "entries": entries}}


def write_summary(
    plan: Plan, outcomes: Sequence[Outcome], workers: int, writes: Callable[[Path], None]
) -> dict[str, Any]:
    """Write the summary as JSON and in the plan's formats."""
    plan.output.mkdir(parents=True, exist_ok=True)
    summary = summarise(plan, outcomes, workers)
    whole = Certificate(summary["certified"], summary["run"])
    for suffix, content in summary_files(whole, summary, plan.summary):
        path = plan.output / f"{SUMMARY}.{suffix}"
        write_bytes_atomically(path, content)
        writes(path)
    return summary


def summary_files(
    whole: Certificate, summary: Mapping[str, Any], formats: Sequence[str]
) -> list[tuple[str, bytes]]:
    """The summary's files: how each ends, and its content; all are made before one is written."""
    found = [("json", whole.to_json().encode())]
    return found + [(TABLE_FORMATS[form], render_table(summary, form)) for form in formats]
