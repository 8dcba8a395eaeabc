"""`ricochet verify` for the certificates of a whole batch."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ricochet_casino.cli.certify import MOST_SHOWN, refuse_long, tell_verification
from ricochet_casino.cli.common import EXIT_DIFFERS, Place, running, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ricochet_casino.lab.verify import Difference
    from ricochet_casino.lab.verify_batch import BatchFiles, Verified


def verify_all(path: Path, share: Fraction | None, place: Place, *, yes: bool) -> None:
    """Verify the documents of a batch and print what was found.

    Raises
    ------
    typer.Exit
        With code 1 if anything differs.
    CertificateError
        If there are no certificates.
    ValueError
        If it would take long, without ``yes``.
    """
    from ricochet_casino.certificate import Certificate, CertificateError
    from ricochet_casino.config import digest
    from ricochet_casino.lab.verify_batch import (
        find_documents,
        summary_differences,
        verify_documents,
    )

    batch = find_documents(path)
    certificates = []
    for file in batch.documents:
        try:
            certificates.append(Certificate.read(file))
        except CertificateError:  # another document: what it takes is not known
            continue
    if not yes:
        refuse_long(certificates, share or Fraction(1))
    wrong = _tell_differences(path, summary_differences(batch))
    found = []
    with running(place, {"verify": digest([one.digest for one in certificates])}) as runner:
        for one in verify_documents(batch, runner, share):
            _tell(one)
            found.append(one)
    _tell_total(path, batch, found)
    if wrong or not all(one.good for one in found):
        raise typer.Exit(EXIT_DIFFERS)


def _tell(one: "Verified") -> None:
    if one.verification is not None:
        tell_verification(one.verification, one.file)
    if one.sums is not None and not _tell_differences(one.file, one.sums):
        say(f"{one.file}: every figure follows from the stored tallies")
    if one.note:
        say(f"{one.file}: {one.note}")


def _tell_differences(path: Path, differences: "Sequence[Difference]") -> bool:
    for difference in differences[:MOST_SHOWN]:
        say(
            f"{path}: {difference.path}: recorded {difference.recorded}, recomputed "
            f"{difference.computed}"
        )
    if len(differences) > MOST_SHOWN:
        say(f"{path}: ... and {len(differences) - MOST_SHOWN} more differences")
    return bool(differences)


def _tell_total(path: Path, batch: "BatchFiles", found: "Sequence[Verified]") -> None:
    from ricochet_casino.lab.verify_batch import failed_entries

    failed = failed_entries(batch)
    if failed:
        say(f"{path}: no certificate was made of {', '.join(failed)}")
    checked = [one for one in found if one.verification is not None]
    good = sum(one.good for one in checked)
    summed = sum(one.sums is not None for one in found)
    sampled = [one.verification.sampled for one in checked
               if one.verification and one.verification.sampled]  # fmt: skip
    what = "all blocks and sums recomputed"
    if sampled:
        done, in_all = (sum(counts) for counts in zip(*sampled, strict=True))
        what = (
            f"{done:,} of {in_all:,} blocks recomputed, sums from the stored tallies for {summed}"
        )
    say(f"{path}: {good} of {len(checked)} certificates reproduced: {what}")
