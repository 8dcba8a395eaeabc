"""Sections as GitHub-flavoured Markdown."""

from collections.abc import Sequence

from ricochet_casino.report.tables import Section, Table

WIDEST = 70
"""Cells are padded to the width of their column, but never beyond this."""


def to_markdown(sections: Sequence[Section]) -> str:
    """One document: the first section's title is the heading, the others are chapters."""
    parts: list[str] = []
    for index, section in enumerate(sections):
        parts.append(f"{'#' if index == 0 else '##'} {section.title}")
        parts.extend(section.paragraphs)
        for table in section.tables:
            parts.append(f"### {table.title}" if len(section.tables) > 1 else "")
            parts.append(_table(table))
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(table: Table) -> str:
    rows = [*table.rows]
    if table.total:
        rows.append(tuple(f"**{cell}**" if cell else "" for cell in table.total))
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    names = [column.name for column in table.columns]
    widths = [max(len(text) for text in texts) for texts in zip(names, *cells, strict=True)]
    widths = [min(max(width, 3), WIDEST) for width in widths]

    def line(row: Sequence[str]) -> str:
        padded = [
            text.rjust(width) if column.right else text.ljust(width)
            for text, width, column in zip(row, widths, table.columns, strict=True)
        ]
        return "| " + " | ".join(padded) + " |"

    rule = [
        "-" * (width - 1) + (":" if column.right else "-")
        for width, column in zip(widths, table.columns, strict=True)
    ]
    return "\n".join([line(names), "| " + " | ".join(rule) + " |", *map(line, cells)])
