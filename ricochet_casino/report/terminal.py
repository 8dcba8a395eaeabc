"""Sections as aligned tables for a terminal; plain text where it is not one."""

from collections.abc import Sequence
from io import StringIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ricochet_casino.report.tables import Section, Table

PLAIN_WIDTH = 140


def to_text(sections: Sequence[Section], width: int = PLAIN_WIDTH) -> str:
    """The sections as plain text, at most ``width`` columns wide where tables allow it."""
    stream = StringIO()
    console = Console(file=stream, width=width, color_system=None, force_terminal=False)
    print_sections(sections, console)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def print_sections(sections: Sequence[Section], console: Console) -> None:
    """Print the sections on a console; columns that can be spared make room on a narrow one."""
    for index, section in enumerate(sections):
        if index:
            console.print()
        console.print(Text(section.title, style="bold underline"))
        for paragraph in section.paragraphs:
            console.print(Text(paragraph))
        for table in section.tables:
            # Where even that is too wide, the terminal wraps lines; no number is ever cut off.
            console.print(_table(table, console.width), crop=False)


def _table(table: Table, width: int) -> RichTable:
    names = tuple(column.name for column in table.columns)
    totals = table.total or ("",) * len(names)
    widths = [max(map(len, cells)) for cells in zip(names, totals, *table.rows, strict=True)]
    gap = 1 if table.dense else 3
    shown = list(range(len(names)))
    for index in reversed(range(len(names))):
        too_wide = sum(widths[i] + gap for i in shown) > width
        if too_wide and table.columns[index].optional:
            shown.remove(index)
    drawn = RichTable(
        title=table.title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
        show_footer=table.total is not None,
        padding=(0, 0) if table.dense else (0, 1),
    )
    for index in shown:
        column = table.columns[index]
        drawn.add_column(
            Text(column.name),
            footer=Text(totals[index]),
            justify="right" if column.right else "left",
            overflow="fold",
            no_wrap=column.right,
            min_width=widths[index] if column.right else None,
        )
    for row in table.rows:
        drawn.add_row(*(Text(row[index]) for index in shown))
    return drawn
