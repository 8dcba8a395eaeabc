"""Documents a report can be made of: certificates, and studies of paytables."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from ricochet_casino.certificate import SCHEMA, Certificate, CertificateError
from ricochet_casino.config import RepeatedKeyError, did_you_mean, digest, without_repeats
from ricochet_casino.report.checked import ReportError, check_certified, check_figures
from ricochet_casino.report.tables import Section

STUDIES: Final = {
    "ricochet-casino/reprice/1": "re-pricing",
    "ricochet-casino/sensitivity/1": "sensitivity",
    "ricochet-casino/tune/1": "tuning",
    "ricochet-casino/comparison/1": "comparison",
}
"""Schemas of studies of paytables, with what they are."""
_NEEDED: Final[Mapping[str, Sequence[str]]] = {
    "re-pricing": ("old", "new", "results"),
    "sensitivity": ("paytable", "now", "lines", "kickout", "kickout_curve"),
    "tuning": ("paytable", "goal", "combinations", "listed"),
    "comparison": ("old", "new", "results"),
}
_MAX_BYTES: Final = 256 * 1024 * 1024


@dataclass(frozen=True)
class Document:
    """A document, checked.

    Attributes
    ----------
    kind
        ``certificate`` or one of the values of `STUDIES`.
    data
        All of it, JSON values.
    certificate
        The same as a certificate, or None.
    """

    kind: str
    data: Mapping[str, Any]
    certificate: Certificate | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of what is certified, or of the whole document."""
        return self.certificate.digest if self.certificate else digest(self.data)

    @cached_property
    def sections(self) -> list[Section]:
        """What the document says, in reading order."""
        if self.certificate:
            from ricochet_casino.report.content import sections

            return sections(self.certificate)
        from ricochet_casino.report.studies import study_sections

        return study_sections(self.kind, self.data)

    def csv(self) -> str:
        """The figures as one CSV table."""
        from ricochet_casino.report.csv import document_to_csv, to_csv

        return to_csv(self.certificate) if self.certificate else document_to_csv(self.data)


def read_document(path: Path) -> Document:
    """Read and check a document.

    Raises
    ------
    ReportError, CertificateError
        If it cannot be read, is of no schema this version knows, or lacks a figure.
    """
    return document_from_json(_text(path), str(path))


def document_from_json(text: str, name: str) -> Document:
    """Read and check a document from its text.

    Raises
    ------
    ReportError, CertificateError
        As `read_document`.
    """
    schema, whole = _schema(text, name)
    kind = STUDIES.get(schema or "")
    if kind is None and schema is not None and not schema.startswith(SCHEMA[:-1]):
        known = ", ".join([SCHEMA, *STUDIES])
        hint = did_you_mean(schema, [SCHEMA, *STUDIES])
        raise ReportError(f"{name}: schema {schema[:80]!r}; this version reads {known}{hint}")
    if kind is not None:
        for key in _NEEDED[kind]:
            if key not in whole:
                raise ReportError(f"{name}: {key} is missing; was the file changed or cut off?")
        check_figures(whole, name)
        document = Document(kind, whole)
    else:
        certificate = Certificate.from_json(text, name=name)
        guarded(lambda: check_certified(certificate.certified, name), name)
        document = Document("certificate", whole, certificate)
    # Whatever else is wrong shows before anything is written.
    guarded(lambda: (document.sections, document.csv()), name)
    return document


def guarded(make: Callable[[], Any], name: str) -> Any:
    """What is made of a document that somebody else wrote; its flaws are named as such.

    Raises
    ------
    ReportError
        If something in it is not what its schema says.
    """
    try:
        return make()
    except ReportError:
        raise
    except (KeyError, IndexError) as error:
        raise ReportError(f"{name}: {error} is missing; was the file changed?") from None
    except (TypeError, AttributeError, ArithmeticError, ValueError) as error:
        raise ReportError(
            f"{name}: something in it is not what its schema says ({error}); was the file changed?"
        ) from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise ReportError(f"{path}: too large for a certificate")
        return raw.decode("utf-8")
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ReportError(f"{path}: not a text file in UTF-8") from None


def _schema(text: str, name: str) -> tuple[str | None, dict[str, Any]]:
    """The schema, None if it has to be a certificate to be one at all."""
    try:
        whole = json.loads(text, object_pairs_hook=without_repeats)
    except RepeatedKeyError as error:
        raise CertificateError(f"{name}: the key {error.key[:40]!r} appears twice") from None
    except RecursionError:
        raise CertificateError(f"{name}: not a certificate (nested too deeply)") from None
    except ValueError:
        return None, {}  # Certificate.from_json says what is wrong
    if not isinstance(whole, dict):
        return None, {}
    inner = whole.get("certified")
    schema = inner.get("schema") if isinstance(inner, dict) else whole.get("schema")
    return (schema if isinstance(schema, str) else None), whole
