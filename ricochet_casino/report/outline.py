"""Any JSON document of figures as tables: what studies of paytables have in common.

A figure is a mapping with ``decimal``; it is shown with its interval. Lists of alike entries become
tables with a column for each of their values, everything else becomes rows of names and values.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from ricochet_casino.report.tables import (
    Column,
    Number,
    Table,
    chips,
    figure_table,
    fixed,
    percent,
    percent_and_half,
    whole,
)

_SHARES: Final = (
    "rtp", "edge", "frequency", "per_decision", "contribution", "risk", "probability", "distance",
    "within", "part",
)  # fmt: skip
_MANY: Final = 9
"""Columns from which on a table is set close together."""
_LEFT_OUT: Final = ("blocks", "pilot_blocks", "pilot", "by_hand", "schema")
"""Means of verification, not figures."""


_SHORT: Final = {"rtp": "RTP", "sd": "SD", "ev": "EV", "z": "z"}


def is_figure(value: Any) -> bool:
    """Whether a JSON value is a figure."""
    return isinstance(value, dict) and "decimal" in value


def is_share(name: str) -> bool:
    """Whether a figure of that name is shown in percent."""
    return any(word in name for word in _SHARES)


def label(path: str) -> str:
    """A name as words: ``figures.hit_frequency`` is "hit frequency"."""
    words = path.removeprefix("figures.").replace(".", " , ").replace("_", " ").split()
    return " ".join(_SHORT.get(word, word) for word in words).replace(" ,", ",")


def shown(name: str, figure: Mapping[str, Any]) -> str:
    """A figure in a cell, with half the width of its interval if it has one."""
    if is_share(name):
        return percent_and_half(figure)
    if "exposure" in name and "exact" in figure:
        return chips(figure["exact"])
    if "interval" not in figure:
        return fixed(figure)
    low, high = map(Decimal, figure["interval"])
    number, half = Decimal(figure["decimal"]), (high - low) / 2
    return Number(f"{number:.6f} ± {half:.6f}", number, "0.000000", half)


def cell(name: str, value: Any) -> str:
    """Any value in a cell."""
    if is_figure(value):
        return shown(name, value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if name.endswith(("seed", "stream")) else whole(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, str) and "/" in value and _is_fraction(value):
        return str(Fraction(value))
    return "none" if value is None else str(value)


def _is_fraction(text: str) -> bool:
    try:
        Fraction(text)
    except (ValueError, ZeroDivisionError):
        return False
    return True


def tables_of(value: Mapping[str, Any], title: str) -> Iterator[Table]:
    """The tables of a mapping: its figures, its plain values, then each list and mapping in it."""
    kept = {key: part for key, part in value.items() if key not in _LEFT_OUT}
    figures = {key: part for key, part in kept.items() if is_figure(part)}
    if figures:
        forms = [(key, label(key), percent if is_share(key) else fixed) for key in figures]
        yield figure_table(figures, title, forms)
    plain = {key: part for key, part in kept.items() if _is_plain(part)}
    if plain:
        rows = tuple((label(key), cell(key, part)) for key, part in plain.items())
        yield Table(title, (Column("what"), Column("value")), rows)
    for key, part in kept.items():
        below = f"{title}: {label(key)}" if title else label(key).capitalize()
        if isinstance(part, list) and part and all(isinstance(row, dict) for row in part):
            yield list_table(part, below)
        elif isinstance(part, dict) and not is_figure(part) and part:
            yield from tables_of(part, below)


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return not any(isinstance(part, dict) for part in value)
    return not isinstance(value, dict)


def list_table(entries: Sequence[Mapping[str, Any]], title: str) -> Table:
    """A table with a row for each of several alike entries, nested values in columns of their own.

    Parameters
    ----------
    entries
        Mappings; a value that one of them lacks is left empty.
    title
        Heading.
    """
    flat = [dict(_flat(entry)) for entry in entries]
    names = list(dict.fromkeys(name for row in flat for name in row))
    columns = tuple(
        Column(label(name), right=_are_numbers([row.get(name) for row in flat])) for name in names
    )
    rows = tuple(
        tuple(cell(name, row[name]) if name in row else "" for name in names) for row in flat
    )
    return Table(title, columns, rows, dense=len(columns) > _MANY)


def _are_numbers(values: Sequence[Any]) -> bool:
    """Whether a column holds numbers and nothing else, empty places apart."""
    kept = [value for value in values if value is not None]
    numbers = [is_figure(value) or type(value) is int for value in kept]
    return bool(kept) and all(numbers)


def _flat(entry: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an entry; what is nested has its path as its name."""
    for name, part in entry.items():
        if name in _LEFT_OUT or (name in _FIGURE and is_figure(entry)):
            continue
        if isinstance(part, dict) and not is_figure(part):
            yield from _flat(part, f"{path}{name}.")
        elif not isinstance(part, list) or not any(isinstance(row, dict) for row in part):
            yield f"{path}{name}", part
    if is_figure(entry):  # a figure with more beside it: a part with its name
        yield f"{path}value", {key: entry[key] for key in _FIGURE if key in entry}


_FIGURE: Final = ("decimal", "exact", "interval", "interval_method", "level")
