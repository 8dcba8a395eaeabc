"""Plots as pictures: SVG for pages and PDF, PNG to look at.

Everything reads in black and white: markers, hatches and line styles tell series apart, intervals
are drawn as bars, and shares of the map are written into it. The same plot gives the same bytes.
"""

import re
import threading
from collections.abc import Sequence
from decimal import Context, Decimal
from functools import lru_cache
from io import BytesIO, StringIO
from math import floor, log10
from typing import TYPE_CHECKING, Any, Final

from ricochet_casino.report.plots import RANKS_DOWN, Plot, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLE: Final[Any] = {
    "svg.hashsalt": "ricochet-casino",
    "svg.fonttype": "path",  # no font of the reader's is needed
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
}
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_LINES: Final = ("-", "--", "-.", ":")
_CROWDED: Final = 15
"""Points of a line from which on none is marked."""
_INK: Final = "#1a3c5a"
_SHADES: Final = ("#1a3c5a", "#8a4b08", "#4d4d4d", "#2e6b34")
_GUARD: Final = threading.Lock()  # matplotlib's settings are global


def to_svg(plot: Plot, prefix: str = "p") -> str:
    """A plot as an SVG element, ready to stand in a page.

    Parameters
    ----------
    plot
        What to draw.
    prefix
        Put before every identifier, so that several plots can stand in one page.
    """
    text = re.sub(r'\bid="', f'id="{prefix}-', _svg(plot))
    text = re.sub(r'href="#', f'href="#{prefix}-', text)
    return re.sub(r"url\(#", f"url(#{prefix}-", text)


@lru_cache(maxsize=32)
def _svg(plot: Plot) -> str:
    """The element with matplotlib's own identifiers; pages and PDF share it."""
    stream = StringIO()
    with _GUARD:
        _draw(plot, stream, "svg")
    text = stream.getvalue()
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    # A style sheet inside would reach the whole page; said of the picture it does the same.
    text = re.sub(r"<defs>\s*<style[^>]*>\*\{[^}]*\}</style>\s*</defs>", "", text, count=1)
    return text.replace("<svg ", '<svg style="stroke-linejoin: round; stroke-linecap: butt" ', 1)


def to_png(plot: Plot, dots: int = 110) -> bytes:
    """A plot as a PNG file, for a look at it."""
    stream = BytesIO()
    with _GUARD:
        _draw(plot, stream, "png", dots)
    return stream.getvalue()


def _draw(plot: Plot, stream: Any, form: str, dots: int = 100) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=_size(plot), layout="constrained")
        axes = figure.add_subplot()
        {"bars": _bars, "map": _map, "fan": _fan}.get(plot.kind, _points)(plot, axes)
        axes.set_title(plot.title, fontsize=10, loc="left")
        _name_axes(plot, axes)
        # The date would differ every time; the producer's version stands in the provenance.
        metadata = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(stream, format=form, dpi=dots, metadata=metadata)
        _forget(figure)


def _forget(figure: "Figure") -> None:
    """Free the memory of a figure at once."""
    figure.clear()


def _size(plot: Plot) -> tuple[float, float]:
    """Width and height in inches."""
    if plot.kind == "map":
        return 6.4, 5.6
    if plot.kind == "bars":
        return 6.4, 1.1 + 0.28 * max(len(series.x) for series in plot.series)
    return 6.4, 3.4


def _name_axes(plot: Plot, axes: "Axes") -> None:
    axes.set_xlabel(plot.across)
    axes.set_ylabel(plot.up)


def _floats(numbers: Sequence[Any]) -> list[float]:
    return [float(number) for number in numbers]


def _spread(series: Series) -> list[list[float]] | None:
    """How far the interval reaches below and above each height."""
    if not series.low:
        return None
    below = [max(float(y - low), 0.0) for y, low in zip(series.y, series.low, strict=True)]
    above = [max(float(high - y), 0.0) for y, high in zip(series.y, series.high, strict=True)]
    return [below, above]


def _bars(plot: Plot, axes: "Axes") -> None:
    """Names below each other, a bar for each."""
    from matplotlib.ticker import NullLocator

    (series,) = plot.series
    places = list(range(len(series.x)))
    heights = _floats(series.y)
    spread = _spread(series)
    if plot.log:
        axes.set_xscale("log")
        least = floor(log10(min((height for height in heights if height > 0), default=0.1)))
        powers = list(range(least, 3))
        axes.set_xticks([10.0**power for power in powers], [_plain(power) for power in powers])
        axes.set_xlim(10.0**least / 2, 100 * 5)
        axes.xaxis.set_minor_locator(NullLocator())
    axes.barh(places, heights, color="#c9d6e2", edgecolor=_INK, linewidth=0.8, xerr=spread,
              error_kw={"ecolor": "black", "capsize": 3, "elinewidth": 1})  # fmt: skip
    axes.set_yticks(places, [str(name) for name in series.x])
    axes.invert_yaxis()
    ends = _floats(series.high) if series.high else heights
    for place, height, end in zip(places, heights, ends, strict=True):
        axes.annotate(_short(series.y[place]), (max(height, end) if height >= 0 else height, place),
                      xytext=(4 if height >= 0 else -4, 0), textcoords="offset points",
                      va="center", ha="left" if height >= 0 else "right", fontsize=7.5)  # fmt: skip
    if not plot.log:
        axes.axvline(0, color="black", linewidth=0.8)
        axes.margins(x=0.16)


def _plain(power: int) -> str:
    """A power of ten in plain digits."""
    return f"{Decimal(10) ** power:,f}"


def _short(number: Decimal) -> str:
    """A number beside a bar: three decimals, more for small ones."""
    if number and abs(number) < Decimal("0.01"):
        return f"{Context(prec=2).plus(number):f}".replace("-", "\N{MINUS SIGN}")
    return f"{number:.3f}".replace("-", "\N{MINUS SIGN}")


def _points(plot: Plot, axes: "Axes") -> None:
    """Points with intervals, joined by lines."""
    if plot.log:
        axes.set_yscale("log")
    for index, series in enumerate(plot.series):
        style = _LINES[index % len(_LINES)]
        marker = "" if len(series.x) > _CROWDED else _MARKERS[index % len(_MARKERS)]
        shade = _SHADES[index % len(_SHADES)]
        axes.errorbar(_floats(series.x), _floats(series.y), yerr=_spread(series), fmt=marker or ",",
                      color=shade, linestyle=style, capsize=3, linewidth=1.1, markersize=4.5,
                      markerfacecolor="white", label=series.name)  # fmt: skip
    if any(series.name for series in plot.series) and len(plot.series) > 1:
        axes.legend(frameon=False, fontsize=8)
    numbers = [x for series in plot.series for x in series.x]
    if plot.ticks:
        axes.set_xticks([x for x, _ in plot.ticks], [name for _, name in plot.ticks])
    elif len(set(numbers)) <= 12 and all(isinstance(x, int) for x in numbers):
        axes.set_xticks(sorted({int(x) for x in numbers}))
    axes.grid(axis="y", color="#d0d0d0", linewidth=0.5)


def _fan(plot: Plot, axes: "Axes") -> None:
    """A line in the middle of a band."""
    (series,) = plot.series
    x = _floats(series.x)
    axes.fill_between(x, _floats(series.low), _floats(series.high), facecolor="#e4eaf0",
                      edgecolor=_INK, linestyle="--", linewidth=0.9,
                      label="5 % to 95 %")  # fmt: skip
    axes.plot(x, _floats(series.y), color=_INK, linewidth=1.6, label="median")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.legend(frameon=False, fontsize=8, loc="lower left")
    axes.margins(x=0)


def _map(plot: Plot, axes: "Axes") -> None:
    """Thirteen by thirteen fields, darker for more, each with its number."""
    (series,) = plot.series
    side = len(RANKS_DOWN)
    values = _floats(series.y)
    rows = [values[side * row : side * (row + 1)] for row in range(side)]
    # Never so dark that black numbers are hard to read.
    edges = [place - 0.5 for place in range(side + 1)]
    axes.pcolormesh(edges, edges, rows, cmap="Greys", vmin=0, vmax=2 * max(*values, 1.0))
    axes.invert_yaxis()
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            axes.text(j, i, f"{value:.1f}", ha="center", va="center", fontsize=7)
    axes.set_xticks(range(side), list(RANKS_DOWN))
    axes.set_yticks(range(side), list(RANKS_DOWN))
    for name in ("left", "bottom"):
        axes.spines[name].set_visible(False)
    axes.tick_params(length=0)
