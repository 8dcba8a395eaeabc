"""What the documents of a batch can be written as: the one place where formats are looked up."""

import json
from typing import Final

from ricochet_casino import report
from ricochet_casino.certificate import SCHEMA, Certificate
from ricochet_casino.lab.calibrate import SCHEMA as CALIBRATION_SCHEMA
from ricochet_casino.report import calibration

SUFFIXES: Final = {"json": "json", "md": "md", "csv": "csv", "text": "txt"}
"""Format -> how its files end."""


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
        None if there is no such rendering: of a single experiment only the JSON.
    """
    schema = document.certified.get("schema")
    if form == "json":
        return document.to_json().encode()
    if schema == SCHEMA:
        return report.render(document, form).encode()
    if schema == CALIBRATION_SCHEMA:
        return calibration.render(json.loads(document.to_json())["certified"], form).encode()
    return None
