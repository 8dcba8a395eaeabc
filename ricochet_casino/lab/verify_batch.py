"""Verify a whole batch: its certificates, its summary, and the sums from its stored tallies."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ricochet_casino.certificate import EXPERIMENT_SCHEMA, Certificate, CertificateError
from ricochet_casino.games import build, paytable_from_dict
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.lab.batch import SUMMARY
from ricochet_casino.lab.calibrate import SCHEMA as CALIBRATION_SCHEMA
from ricochet_casino.lab.certify import certify
from ricochet_casino.lab.jobs import certify_experiment
from ricochet_casino.lab.merge import store_of
from ricochet_casino.lab.parts import StoredRunner
from ricochet_casino.lab.requests import Request, request_from_json
from ricochet_casino.lab.running import Runner
from ricochet_casino.lab.verify import Difference, Verification, differences_between, verify
from ricochet_casino.report.summary import SCHEMA, row_of
from ricochet_casino.runs import StoredRun, StoreError


@dataclass(frozen=True)
class Verified:
    """What was found about one document.

    Attributes
    ----------
    file
        The document.
    verification
        What re-computing gave; None for a document that cannot be re-computed from itself.
    sums
        Differences between the certificate and the sums of the stored tallies; None if they were
        not added up.
    note
        Why something was not done.
    """

    file: Path
    verification: Verification | None
    sums: tuple[Difference, ...] | None = None
    note: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing differs."""
        return not self.sums and (self.verification is None or self.verification.reproduced)


@dataclass(frozen=True)
class BatchFiles:
    """The documents of a batch.

    Attributes
    ----------
    folder
        Where they are.
    documents
        Their files, in order.
    summary
        The summary, or None.
    """

    folder: Path
    documents: tuple[Path, ...]
    summary: Certificate | None


def is_batch(path: Path) -> bool:
    """Whether a path is a folder, or the JSON summary of a batch."""
    return path.is_dir() or _schema(path) == SCHEMA


def find_documents(path: Path) -> BatchFiles:
    """The documents of a batch, from its summary or its folder.

    Raises
    ------
    CertificateError
        If there are none, or one that the summary names is missing.
    """
    folder = path if path.is_dir() else path.parent
    file = path / f"{SUMMARY}.json" if path.is_dir() else path
    if _schema(file) != SCHEMA:
        found = tuple(one for one in sorted(folder.glob("*.json")) if _schema(one) is not None)
        if not found:
            raise CertificateError(f"{path}: no certificates there")
        return BatchFiles(folder, found, None)
    whole = json.loads(file.read_bytes())
    summary = Certificate(whole["certified"], whole.get("run", {}))
    try:
        names = [str(row["entry"]) for row in summary.certified["rows"]]
    except (KeyError, TypeError):
        raise CertificateError(f"{file}: the summary has no rows") from None
    files = tuple(folder / f"{name}.json" for name in names if Path(name).name == name)
    missing = [one for one in files if not one.is_file()]
    if missing or len(files) < len(names) or not files:
        what = missing[0] if missing else "a certificate"
        raise CertificateError(f"{file}: {what} is missing")
    return BatchFiles(folder, files, summary)


def verify_documents(
    batch: BatchFiles, runner: Runner, sample: Fraction | None
) -> Iterator[Verified]:
    """Re-compute the documents of a batch, one after another.

    Parameters
    ----------
    batch
        From `find_documents`.
    runner
        Workers and progress.
    sample
        Re-compute this share of the blocks, and the sums of the stored tallies if the store is
        there; None for everything, for which no store is needed.
    """
    stored, why = _stored(batch.folder)
    for file in batch.documents:
        if _schema(file) == CALIBRATION_SCHEMA:
            text = "a calibration does not hold its paytables; run its plan again to compare"
            yield Verified(file, None, note=text)
            continue
        certificate = Certificate.read(file)
        found = verify(certificate, runner, sample=sample)
        if sample is None:
            yield Verified(file, found)
        elif stored is None:
            yield Verified(file, found, note=f"sums were not added up: {why}")
        else:
            try:
                sums = stored_differences(certificate, stored, runner)
                yield Verified(file, found, sums)
            except StoreError as error:
                yield Verified(file, found, note=f"sums were not added up: {error}")


def stored_differences(
    certificate: Certificate, stored: StoredRun, runner: Runner
) -> tuple[Difference, ...]:
    """Where a certificate differs from the sums of stored tallies; no block is computed.

    Raises
    ------
    StoreError
        If a block is missing or damaged.
    """
    source = StoredRunner(1, "serial", runner.stage, None, (stored,))
    certified = certificate.certified
    if certified["schema"] == EXPERIMENT_SCHEMA:
        again = certify_experiment(build(certified["spec"]), source)
    else:
        paytable = paytable_from_dict(certified["paytable"])
        request = request_from_json(certified["spec"])
        if not isinstance(request, Request) or not isinstance(paytable, RicochetPokerPaytable):
            raise StoreError("a simulation is not part of a batch")
        again = certify(paytable, request, source)
    return tuple(differences_between("", certified, again.certified))


def summary_differences(batch: BatchFiles) -> tuple[Difference, ...]:
    """Where the rows of a summary differ from what its certificates say."""
    if batch.summary is None:
        return ()
    documents = (_document(file) for file in batch.documents)
    rows = [row_of(file.stem, one) for file, one in zip(batch.documents, documents, strict=True)]
    return tuple(differences_between("rows", batch.summary.certified["rows"], rows))


def failed_entries(batch: BatchFiles) -> list[str]:
    """Entries of the plan for which the batch has no certificate."""
    if batch.summary is None:
        return []
    names = {file.stem for file in batch.documents}
    listed = batch.summary.certified.get("plan", {}).get("entries", ())
    return [str(entry["name"]) for entry in listed if entry["name"] not in names]


def _document(file: Path) -> Certificate:
    whole = json.loads(file.read_bytes())
    return Certificate(whole["certified"], whole["run"])


def _schema(file: Path) -> Any:
    """Schema of a document with two parts; None for everything else."""
    try:
        whole = json.loads(file.read_bytes())
        return whole["certified"].get("schema")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _stored(folder: Path) -> tuple[StoredRun | None, str]:
    """The store of a batch, or why it cannot be used."""
    place = store_of(folder)
    if place == folder:
        return None, f"there is no store in {folder}"
    try:
        return StoredRun(place), ""
    except StoreError as error:
        return None, str(error)
