"""What the documents of a batch can be written as: the one place where formats are looked up."""

import json
from typing import Final

from ricochet_casino import report
from ricochet_casino.certificate import SCHEMA, Certificate
from ricochet_casino.lab.calibrate import SCHEMA as CALIBRATION_SCHEMA
from ricochet_casino.report import calibration

SUFFIXES: Final = {
    "json": "json", "md": "md", "csv": "csv", "text": "txt", "html": "html", "pdf": "pdf",
    "xlsx": "xlsx",
}  # fmt: skip
"""Format -> how its files end."""
_REPORTS: Final = ("html", "pdf", "xlsx")


def rendered(document: Certificate, form: str) -> bytes | None:
    """A document's file.

    Parameters
    ----------
    document
        A certificate, or another document with the same two parts.
    form
        One of `SUFFIXES`.

    Returns
    -------
    bytes or None
        None if there is no such rendering: of a single experiment only the JSON, of a calibration
        no report.

    Raises
    ------
    ValueError
        If what a format needs is not installed.
    """
    schema = document.certified.get("schema")
    if form == "json":
        return document.to_json().encode()
    if schema == SCHEMA and form in _REPORTS:
        from ricochet_casino.report import files
        from ricochet_casino.report.documents import document_from_json

        return files.render(document_from_json(document.to_json(), form), [form])[form]
    if schema == SCHEMA:
        return report.render(document, form).encode()
    if form in _REPORTS:
        return None
    if schema == CALIBRATION_SCHEMA:
        return calibration.render(json.loads(document.to_json())["certified"], form).encode()
    return None
