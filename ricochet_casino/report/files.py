"""A document in every format, as the bytes of files."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from ricochet_casino.config import did_you_mean
from ricochet_casino.report.documents import Document

SUFFIXES: Final[Mapping[str, str]] = {
    "html": "html", "pdf": "pdf", "xlsx": "xlsx", "csv": "csv", "md": "md",
}  # fmt: skip
"""The formats of a report, with the ends of their names."""
_NO_DATE: Final = datetime(2000, 1, 1, tzinfo=UTC)


def parse_formats(text: str) -> tuple[str, ...]:
    """Formats from a list with commas, each once.

    Raises
    ------
    ValueError
        If one is unknown, with the nearest one.
    """
    names = tuple(dict.fromkeys(name.strip().lower() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            raise ValueError(
                f"unknown format {name[:40]!r}; expected {known}{did_you_mean(name, SUFFIXES)}"
            )
    if not names:
        raise ValueError(f"no format; expected {', '.join(SUFFIXES)}")
    return names


def render(document: Document, formats: Sequence[str]) -> dict[str, bytes]:
    """The document in every format asked for: the same bytes each time.

    Parameters
    ----------
    document
        What to print.
    formats
        Of `SUFFIXES`.

    Raises
    ------
    ValueError
        For an unknown format, or if what a format needs is not installed.
    """
    return {name: _render(document, name) for name in parse_formats(",".join(formats))}


def _render(document: Document, form: str) -> bytes:
    sections, kind, digest = document.sections, document.kind, document.digest
    if form == "html":
        from ricochet_casino.report.html import to_html

        return to_html(sections, kind, digest).encode()
    if form == "pdf":
        from ricochet_casino.report.pdf import to_pdf

        return to_pdf(sections, kind, digest, made_at(document.data))
    if form == "xlsx":
        from ricochet_casino.report.xlsx import to_xlsx

        return to_xlsx(sections, kind, digest, made_at(document.data))
    if form == "csv":
        return document.csv().encode()
    from ricochet_casino.report.markdown import to_markdown

    return to_markdown(sections).encode()


def made_at(data: Mapping[str, Any]) -> datetime:
    """When a document was made, for the properties of files; 1 January 2000 if it does not say."""
    run = data.get("run")
    try:
        found = datetime.fromisoformat(run["time"]) if isinstance(run, dict) else _NO_DATE
    except (KeyError, TypeError, ValueError):
        return _NO_DATE
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return found if 1980 <= found.year < 2100 else _NO_DATE
