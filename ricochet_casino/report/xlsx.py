"""A report as a workbook: a sheet for each wager, a summary, inputs, method and provenance.

Numbers are numbers, in full, shown at the rounding of the report. Totals, and what a par sheet
derives from its combinations, are formulas; beside each stands the certificate's own value, which
is what a reader without a calculator for formulas shows.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from ricochet_casino.report.tables import Column, Number, Section, Table

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

_WIDEST: Final = 60
_LONGEST: Final = 32_767
"""Characters that a cell can hold."""
_TEXT_COLUMNS: Final = 8
"""Paragraphs run over so many columns."""


def to_xlsx(sections: Sequence[Section], kind: str, digest: str, made: datetime) -> bytes:
    """The workbook.

    Parameters
    ----------
    sections
        What it says; sections with the same ``sheet`` share one.
    kind, digest
        Of the document, for the properties.
    made
        Date in the properties: that of the document.
    """
    from xlsxwriter import Workbook

    stream = BytesIO()
    with Workbook(stream, {"in_memory": True}) as book:
        book.set_properties(
            {
                "title": sections[0].title,
                "comments": f"{kind}, SHA-256 {digest}",
                "created": made.astimezone(UTC).replace(tzinfo=None),
            }
        )
        styles = _Styles(book)
        taken: set[str] = set()
        for name in dict.fromkeys(section.sheet for section in sections):
            sheet = book.add_worksheet(_sheet_name(name, taken))
            _Sheet(sheet, styles).write([part for part in sections if part.sheet == name])
    return stream.getvalue()


def _sheet_name(name: str, taken: set[str]) -> str:
    """A name that spreadsheets accept: at most 31 characters, some forbidden, none twice."""
    plain = re.sub(r"[\[\]:*?/\\']", " ", name).strip()[:31] or "Sheet"
    if plain.casefold() in ("history",):  # reserved
        plain += " "
    number, unique = 1, plain
    while unique.casefold() in taken:
        number += 1
        unique = f"{plain[:27]} {number}"
    taken.add(unique.casefold())
    return unique


class _Styles:
    """The formats of a workbook, each made once."""

    def __init__(self, book: "Workbook") -> None:
        self.book = book
        self.made: dict[tuple[tuple[str, Any], ...], Format] = {}

    def __call__(self, **properties: Any) -> "Format":
        key = tuple(sorted(properties.items()))
        if key not in self.made:
            self.made[key] = self.book.add_format(properties)
        return self.made[key]


class _Sheet:
    """One sheet, written from the top down."""

    def __init__(self, sheet: "Worksheet", styles: _Styles) -> None:
        self.sheet, self.styles = sheet, styles
        self.row = 0
        self.widths: dict[int, int] = {}

    def write(self, sections: Sequence[Section]) -> None:
        """Sections below each other."""
        for section in sections:
            self.sheet.write_string(self.row, 0, section.title,
                                    self.styles(bold=True, font_size=14))  # fmt: skip
            self.row += 1
            for paragraph in section.paragraphs:
                self.paragraph(paragraph)
            for table in section.tables:
                self.row += 1
                self.table(table)
            self.row += 2
        for column, width in self.widths.items():
            self.sheet.set_column(column, column, min(width, _WIDEST) + 2)
        self.sheet.set_landscape()
        self.sheet.set_paper(9)
        self.sheet.fit_to_pages(1, 0)
        self.sheet.hide_gridlines(0)

    def paragraph(self, text: str) -> None:
        """A paragraph over several columns, as high as it needs to be."""
        style = self.styles(text_wrap=True, valign="top")
        self.sheet.merge_range(self.row, 0, self.row, _TEXT_COLUMNS - 1, _cut(text), style)
        self.sheet.set_row(self.row, 15 * (1 + len(text) // 110))
        self.row += 1

    def table(self, table: Table) -> None:
        """A table with its title, and its total as formulas."""
        places = _places(table)
        self.sheet.write_string(self.row, 0, table.title, self.styles(bold=True))
        self.row += 1
        for column, place in zip(table.columns, places, strict=True):
            style = self.styles(italic=True, bottom=1, align="right" if column.right else "left")
            self.sheet.write_string(self.row, place.at, column.name, style)
            self.widen(place.at, column.name)
            if place.half:
                self.sheet.write_string(self.row, place.at + 1, "±", style)
                self.widen(place.at + 1, "0.0000 %")
        first, last = self.row + 1, self.row + len(table.rows)
        names = [column.name for column in table.columns]
        totals = {
            name: f"{_letter(p.at)}${last + 2}" for name, p in zip(names, places, strict=True)
        }
        for row in table.rows:
            self.row += 1
            here = {name: f"{_letter(p.at)}{self.row + 1}"
                    for name, p in zip(names, places, strict=True)}  # fmt: skip
            for column, place, cell in zip(table.columns, places, row, strict=True):
                formula = column.formula.format_map({**here, "total": totals})
                self.cell(place, column, cell, formula, total=False)
        if table.total:
            self.row += 1
            for column, place, cell in zip(table.columns, places, table.total, strict=True):
                letter = _letter(place.at)
                above = f"{letter}{first + 1}:{letter}{last + 1}"
                formula = column.total.format_map({"column": above})
                self.cell(place, column, cell, formula, total=True)
        self.row += 1

    def cell(
        self, place: "_Place", column: Column, cell: str, formula: str, *, total: bool
    ) -> None:
        """A number, a formula with its value, or text."""
        properties: dict[str, Any] = {"bold": True, "top": 1} if total else {}
        if column.right:
            properties["align"] = "right"
        self.widen(place.at, cell)
        if not isinstance(cell, Number):
            self.sheet.write_string(self.row, place.at, _cut(cell), self.styles(**properties))
            return
        style = self.styles(**properties, num_format=cell.form)
        if formula:
            self.sheet.write_formula(self.row, place.at, f"={formula}", style, float(cell.value))
        else:
            self.sheet.write_number(self.row, place.at, float(cell.value), style)
        if cell.half is not None:
            self.sheet.write_number(self.row, place.at + 1, float(cell.half), style)

    def widen(self, column: int, text: str) -> None:
        """Make a column wide enough for a text."""
        self.widths[column] = max(self.widths.get(column, 0), len(text))


class _Place:
    """Where a column of a table stands: its number, and whether half widths stand beside it."""

    def __init__(self, at: int, *, half: bool) -> None:
        self.at, self.half = at, half


def _places(table: Table) -> list[_Place]:
    """The columns of a table; those with half widths take two."""
    places, at = [], 0
    for index in range(len(table.columns)):
        cells = [row[index] for row in table.rows]
        half = any(isinstance(cell, Number) and cell.half is not None for cell in cells)
        places.append(_Place(at, half=half))
        at += 2 if half else 1
    return places


def _cut(text: str) -> str:
    """A text that fits a cell; what is cut off stands in the other formats."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 2] + " …"


def _letter(column: int) -> str:
    """A, B, ... Z, AA: the name of a column."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
