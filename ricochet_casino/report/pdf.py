"""A report as a PDF, set by typst: the same bytes for the same document."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import resources
from typing import Any, Final, Literal

from ricochet_casino.report.drawing import to_svg
from ricochet_casino.report.tables import Section, Table

_LINE: Final = 110
"""Characters of a line; in a wider table the longest column of texts breaks its lines."""
_DOTS: Final = 84
"""Dots per inch of a picture."""
_LEAST: Final = 20
"""Characters that this column keeps."""


class NotInstalledError(ValueError):
    """What sets the pages is not installed."""


def to_pdf(
    sections: Sequence[Section],
    kind: str,
    digest: str,
    made: datetime,
    *,
    form: Literal["pdf", "png"] = "pdf",
) -> bytes:
    """The pages.

    Parameters
    ----------
    sections
        What they say; the first section's title is that of the document.
    kind, digest
        Of the document, printed at the top.
    made
        Date in the file's properties: that of the document, not that of the printing.
    form
        ``pdf``, or ``png`` for the first page as a picture.

    Raises
    ------
    NotInstalledError
        If typst is not installed.
    """
    try:
        import typst
    except ImportError:
        raise NotInstalledError(
            "PDF needs typst, which is not installed: pip install 'ricochet-casino[pdf]'; "
            "html, xlsx, csv and md work without it"
        ) from None
    source = (resources.files("ricochet_casino.report") / "templates" / "report.typ").read_bytes()
    content = {
        "title": sections[0].title,
        "kind": kind,
        "digest": digest,
        "sections": [_section(section, number) for number, section in enumerate(sections)],
    }
    pages: Any = typst.compile(
        source,
        format=form,
        ignore_system_fonts=True,
        timestamp=made.astimezone(UTC),
        ppi=_DOTS,
        sys_inputs={"report": json.dumps(content, ensure_ascii=False)},
    )
    return bytes(pages[0] if isinstance(pages, list) else pages)


def _section(section: Section, number: int) -> dict[str, Any]:
    return {
        "title": section.title,
        # Every second piece stood between backquotes: words to type.
        "paragraphs": [paragraph.split("`") for paragraph in section.paragraphs],
        "tables": [_table(table) for table in section.tables],
        "plots": [
            {"svg": to_svg(plot, f"s{number}-{index}"), "caption": plot.caption}
            for index, plot in enumerate(section.plots)
        ],
    }


def _table(table: Table) -> dict[str, Any]:
    heads = [max(map(len, column.name.split()), default=0) for column in table.columns]
    longest = [
        max(head, *(len(row[index]) for row in table.rows), 0) for index, head in enumerate(heads)
    ]
    room = sum(longest) + 2 * len(longest)
    texts = [0 if column.right else n for column, n in zip(table.columns, longest, strict=True)]
    # One column of texts gives way, if that is enough; else the letters do.
    gives_way = _LINE < room < _LINE + max(texts) - _LEAST
    columns = [
        {
            "name": column.name,
            "right": column.right,
            "wide": gives_way and texts[index] == max(texts),
            "blank": table.is_blank(index),
        }
        for index, column in enumerate(table.columns)
    ]
    return {
        "title": table.title,
        "columns": columns,
        "rows": [list(row) for row in table.rows],
        "total": list(table.total) if table.total else None,
        "dense": table.dense,
        "small": room > _LINE and not gives_way,
    }
