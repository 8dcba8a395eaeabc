"""Sections as aligned tables for a terminal; plain text where it is not one."""

from collections.abc import Sequence
from io import StringIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ricochet_casino.report.content import Section, Table

PLAIN_WIDTH = 140


def to_text(sections: Sequence[Section], width: int = PLAIN_WIDTH) -> str:
    """The sections as plain text, at most ``width`` columns wide where tables allow it."""
    stream = StringIO()
    console = Console(file=stream, width=width, color_system=None, force_terminal=False)
    print_sections(sections, console)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def print_sections(sections: Sequence[Section], console: Console) -> None:
    """Print the sections on a console."""
    for index, section in enumerate(sections):
        if index:
            console.print()
        console.print(Text(section.title, style="bold underline"))
        for paragraph in section.paragraphs:
            console.print(Text(paragraph))
        for table in section.tables:
            console.print(_table(table))


def _table(table: Table) -> RichTable:
    shown = RichTable(
        title=table.title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
        show_footer=table.total is not None,
        padding=(0, 1),
    )
    totals = table.total or ("",) * len(table.columns)
    for column, total in zip(table.columns, totals, strict=True):
        shown.add_column(
            Text(column.name),
            footer=Text(total),
            justify="right" if column.right else "left",
            overflow="fold",
            no_wrap=column.right,
        )
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return shown
