"""Sections, tables and the way numbers are written: what all renderings share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ricochet_casino.config import did_you_mean


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
    """

    name: str
    right: bool = False
    optional: bool = False


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


@dataclass(frozen=True)
class Section:
    """A heading with paragraphs and tables."""

    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


def check_format(name: str, formats: Iterable[str]) -> str:
    """Refuse a format that there is not.

    Raises
    ------
    ValueError
        With the nearest one and all.
    """
    known = tuple(formats)
    if name not in known:
        hint = did_you_mean(name, known)
        raise ValueError(f"unknown format {name}; expected one of {', '.join(known)}{hint}")
    return name


def whole(number: int) -> str:
    """A whole number with thousands separators."""
    return f"{number:,}"


def fixed(figure: Mapping[str, Any], places: int = 6) -> str:
    """A figure with a fixed number of decimals."""
    text = str(figure["decimal"])
    if text == "undefined":
        return text
    number = Decimal(text)
    tiny = number and abs(number) < Decimal(5) / 10 ** (places + 1)
    return f"{number:.1e}" if tiny else f"{number:.{places}f}"


def percent(figure: Mapping[str, Any], places: int = 4) -> str:
    """A figure as a percentage."""
    text = str(figure["decimal"])
    return text if text == "undefined" else f"{Decimal(text) * 100:.{places}f} %"


def level_text(figure: Mapping[str, Any]) -> str:
    """Level of a figure's interval: ``99 %``."""
    return f"{(Decimal(figure['level']) * 100).normalize():f} %"


def one_in(figure: Mapping[str, Any] | None) -> str:
    """Odds as "1 in N": N to three decimals below a thousand, to a whole number above."""
    if figure is None:
        return "never"
    number = Decimal(str(figure["decimal"]))
    return f"{number:,.3f}" if number < 1000 else f"{number:,.0f}"


def chips(text: str) -> str:
    """Chips from ``n/d``: ``3``, ``-1``, ``3/2``."""
    return str(Fraction(text))


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
