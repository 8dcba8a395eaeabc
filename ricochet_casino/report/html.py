"""A report as one HTML page: no script, no request to anywhere, readable without colour."""

from collections.abc import Sequence
from decimal import Decimal
from html import escape
from importlib import resources
from typing import Final

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ricochet_casino.report.drawing import to_svg
from ricochet_casino.report.plots import Plot
from ricochet_casino.report.tables import Number, Section, Table

_TEMPLATES: Final = resources.files("ricochet_casino.report") / "templates"


def to_html(sections: Sequence[Section], kind: str, digest: str) -> str:
    """The page.

    Parameters
    ----------
    sections
        What it says; the first section's title is that of the page.
    kind
        What the document is: ``certificate`` and so on.
    digest
        Of the document, printed at the top.
    """
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    template = environment.from_string((_TEMPLATES / "report.html.j2").read_text("utf-8"))
    style = (_TEMPLATES / "report.css").read_text("utf-8").strip()
    return template.render(
        title=sections[0].title,
        kind=kind,
        digest=digest,
        sections=sections,
        style=Markup(style),
        said=_said,
        one_cell=_cell,
        drawn=_drawn,
    )


def _said(paragraph: str) -> Markup:
    """A paragraph; what stands between backquotes is to be typed."""
    pieces = [
        f"<code>{escape(piece)}</code>" if index % 2 else escape(piece)
        for index, piece in enumerate(paragraph.split("`"))
    ]
    return Markup("".join(pieces))


def _cell(text: str, table: Table, index: int) -> Markup:
    """A cell; a number carries its value in full."""
    column = table.columns[index]
    inner = escape(text)
    if isinstance(text, Number):
        inner = f'<data value="{_in_full(text)}">{inner}</data>'
    if index == 0 and not column.right:
        return Markup(f'<th scope="row">{inner}</th>')
    name = "n" if column.right else "sign" if table.is_blank(index) else ""
    mark = f' class="{name}"' if name else ""
    return Markup(f"<td{mark}>{inner}</td>")


def _in_full(number: Number) -> str:
    """The value without an exponent, or as a fraction."""
    return f"{number.value:f}" if isinstance(number.value, Decimal) else str(number.value)


def _drawn(plot: Plot, prefix: str) -> Markup:
    label = escape(f"{plot.title}. {plot.caption}")
    picture = to_svg(plot, prefix).replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return Markup(picture)
