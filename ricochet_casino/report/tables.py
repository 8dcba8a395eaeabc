"""Sections, tables and the way numbers are written: what all renderings share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Any

from ricochet_casino.report.plots import Plot


class Number(str):
    """A number as it is shown, that still knows what it was before it was rounded.

    Attributes
    ----------
    value
        The number in full.
    form
        How a spreadsheet shows it: a number format, such as ``0.0000 %``.
    half
        Half the width of its interval, or None where the text holds none.
    """

    __slots__ = ("form", "half", "value")

    value: Decimal | Fraction
    form: str
    half: Decimal | None

    def __new__(
        cls, text: str, value: Decimal | Fraction | int, form: str, half: Decimal | None = None
    ) -> "Number":
        """A text with the number behind it."""
        if not abs(float(value)) < inf:
            raise ValueError(f"{text[:20]} is too large for a report")
        made = super().__new__(cls, text)
        made.value = Decimal(value) if isinstance(value, int) else value
        made.form = form
        made.half = half
        return made


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name
        Heading.
    right
        Aligned to the right, as numbers are; never broken into lines.
    optional
        May be left out where there is no room: the other columns imply it.
    formula
        How a spreadsheet computes a cell from the others of its row, ``{net}`` being the cell of
        the column ``net`` and ``{total[net]}`` that of the total; empty for plain numbers.
    total
        How a spreadsheet computes the cell of the total row, ``{column}`` being all cells above.
    """

    name: str
    right: bool = False
    optional: bool = False
    formula: str = ""
    total: str = ""


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes
    ----------
    title
        Heading.
    columns
        One for each text in a row.
    rows
        The body.
    total
        A last row set apart, or None.
    dense
        Many narrow columns, to be set close together.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] | None = None
    dense: bool = False

    def __post_init__(self) -> None:
        """Refuse rows that do not fit: they may come from a file that somebody changed."""
        for row in (*self.rows, self.total or ("",) * len(self.columns)):
            if len(row) != len(self.columns) or not all(isinstance(cell, str) for cell in row):
                raise TypeError(f"the table {self.title!r} has a row that does not fit")

    def is_blank(self, index: int) -> bool:
        """Whether a column is left for the reader to write in."""
        return bool(self.rows) and not any(row[index] for row in self.rows)


@dataclass(frozen=True)
class Section:
    """A heading with paragraphs, tables and plots.

    Attributes
    ----------
    title
        Heading.
    paragraphs, tables, plots
        What stands below it, in this order.
    sheet
        Sheet of a workbook it belongs to; sections with the same name share one.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    sheet: str = "Summary"


def whole(number: int) -> Number:
    """A whole number with thousands separators."""
    return Number(f"{number:,}", number, "#,##0")


def fixed(figure: Mapping[str, Any], places: int = 6) -> str:
    """A figure with a fixed number of decimals."""
    text = str(figure["decimal"])
    if text == "undefined":
        return text
    number = Decimal(text)
    if number and abs(number) < Decimal(5) / 10 ** (places + 1):
        return Number(f"{number:.1e}", number, "0.0E+00")
    return Number(f"{number:.{places}f}", number, f"0.{'0' * places}" if places else "0")


def percent(figure: Mapping[str, Any], places: int = 4) -> str:
    """A figure as a percentage."""
    text = str(figure["decimal"])
    if text == "undefined":
        return text
    number = Decimal(text)
    return Number(f"{number * 100:.{places}f} %", number, f"0.{'0' * places} %")


def percent_and_half(figure: Mapping[str, Any]) -> str:
    """``3.7700 ± 0.0490 %``, or the exact percentage: half the width of the interval with it."""
    if "interval" not in figure:
        return percent(figure)
    low, high = map(Decimal, figure["interval"])
    half, number = (high - low) / 2, Decimal(figure["decimal"])
    return Number(f"{number * 100:.4f} ± {half * 100:.4f} %", number, "0.0000 %", half)


def level_text(figure: Mapping[str, Any]) -> str:
    """Level of a figure's interval: ``99 %``."""
    level = Decimal(figure["level"])
    text = f"{(level * 100).normalize():f}"
    decimals = len(text.partition(".")[2])
    return Number(f"{text} %", level, f"0.{'0' * decimals} %" if decimals else "0 %")


def one_in(figure: Mapping[str, Any] | None) -> str:
    """Odds as "1 in N": N to three decimals below a thousand, to a whole number above."""
    if figure is None:
        return "never"
    number = Decimal(str(figure["decimal"]))
    if number < 1000:
        return Number(f"{number:,.3f}", number, "#,##0.000")
    return Number(f"{number:,.0f}", number, "#,##0")


def chips(text: str) -> Number:
    """Chips from ``n/d``: ``3``, ``-1``, ``3/2``."""
    number = Fraction(text)
    return Number(str(number), number, "0" if number.denominator == 1 else "# ??????/??????")


def result_title(result: Mapping[str, Any]) -> str:
    """Name of a result: players, strategy and method."""
    plural = "s" if result["players"] > 1 else ""
    strategy = result["strategy"]
    names = strategy if isinstance(strategy, str) else ", ".join(strategy)
    return f"{result['players']} player{plural}, {names} ({result['method']})"


Form = Callable[[Mapping[str, Any]], str]
"""How a figure is written."""


def figure_table(
    entry: Mapping[str, Any], title: str, figures: Sequence[tuple[str, str, Form]]
) -> Table:
    """Figures with their intervals, one a row; those that the entry does not have are left out.

    Parameters
    ----------
    entry
        Figures by name.
    title
        Heading.
    figures
        Name, label and form of each.
    """
    rows = []
    for key, label, form in figures:
        if key not in entry:
            continue
        figure = entry[key]
        if "interval" not in figure:
            rows.append((label, form(figure), "", "", "", "exact"))
            continue
        low, high = (form({"decimal": end}) for end in figure["interval"])
        method = str(figure["interval_method"]).replace("_", " ")
        rows.append((label, form(figure), low, high, level_text(figure), method))
    columns = (
        Column("figure"),
        Column("value", right=True),
        Column("from", right=True),
        Column("to", right=True),
        Column("level", right=True, optional=True),
        Column("interval", optional=True),
    )
    return Table(title, columns, tuple(rows))


def sheet_name(result: Mapping[str, Any]) -> str:
    """Sheet of a workbook for a result: players and strategies."""
    strategy = result["strategy"]
    names = strategy if isinstance(strategy, str) else "+".join(dict.fromkeys(strategy))
    return f"{result['players']}p {names}"
