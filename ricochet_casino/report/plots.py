"""What there is to draw, as data: points, intervals and the names of the axes with their units.

`drawing` makes pictures of it. Every number of a plot stands in a table of the same report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

Kind = Literal["bars", "points", "line", "fan", "map"]
RANKS_DOWN = "AKQJT98765432"


@dataclass(frozen=True)
class Series:
    """Points that belong together.

    Attributes
    ----------
    name
        For the legend; empty where there is one series.
    x
        Places: numbers, or names of bars.
    y
        Heights.
    low, high
        Ends of the interval of each height (or of the band of a fan); empty if all is exact.
    """

    name: str
    x: tuple[Decimal | int | str, ...]
    y: tuple[Decimal, ...]
    low: tuple[Decimal, ...] = ()
    high: tuple[Decimal, ...] = ()


@dataclass(frozen=True)
class Plot:
    """A plot.

    Attributes
    ----------
    kind
        ``bars`` (names below each other), ``points`` and ``line`` (numbers), ``fan`` (a line in a
        band), ``map`` (shares of the 169 starting hands).
    title
        What is seen.
    across, up
        Names of the axes with their units.
    series
        What is drawn.
    caption
        The same in words, for those who cannot see it.
    log
        Whether heights are on a logarithmic scale.
    ticks
        Names of places on the axis across; empty for numbers.
    """

    kind: Kind
    title: str
    across: str
    up: str
    series: tuple[Series, ...]
    caption: str
    log: bool = False
    ticks: tuple[tuple[int, str], ...] = ()


def by_players(results: Sequence[Mapping[str, Any]]) -> list[Plot]:
    """House edge and RTP by number of players, a line for each strategy; none for one count."""
    counts = sorted({int(result["players"]) for result in results})
    if len(counts) < 2:
        return []
    plots = []
    for key, name in (("house_edge", "House edge"), ("rtp_per_ante", "RTP per ante")):
        series = []
        for strategy in dict.fromkeys(_names(result) for result in results):
            own = sorted((r for r in results if _names(r) == strategy), key=lambda r: r["players"])
            series.append(_intervals(strategy, [r["players"] for r in own], [r[key] for r in own]))
        caption = (
            f"{name} by number of players, in % of an ante. Bars are intervals at the level stated "
            "with the figures; figures without one are exact."
        )
        plots.append(
            Plot("points", f"{name} by number of players", "players at the table",
                 f"{name} (% of an ante)", tuple(series), caption)
        )  # fmt: skip
    return plots


def _names(result: Mapping[str, Any]) -> str:
    strategy = result["strategy"]
    return strategy if isinstance(strategy, str) else ", ".join(strategy)


def _intervals(
    name: str, x: Sequence[int | str], figures: Sequence[Mapping[str, Any]], scale: int = 100
) -> Series:
    """Figures with their intervals, in percent."""
    heights = [Decimal(figure["decimal"]) for figure in figures]
    ends = [
        tuple(map(Decimal, figure["interval"])) if "interval" in figure else (height, height)
        for figure, height in zip(figures, heights, strict=True)
    ]
    sampled = any("interval" in figure for figure in figures)
    return Series(
        name,
        tuple(x),
        tuple(height * scale for height in heights),
        tuple(low * scale for low, _ in ends) if sampled else (),
        tuple(high * scale for _, high in ends) if sampled else (),
    )


def contributions(result: Mapping[str, Any]) -> Plot:
    """What each part adds to the result: the pot and the bonus lines, or the lines alone."""
    if "contributions" in result:
        parts = result["contributions"]
        names = ["pot, net of bets" if part["part"] == "pot" else part["part"] for part in parts]
        series = _intervals("", [name.replace("_", " ") for name in names], parts)
        about = "What the pot, net of bets, and each bonus line add to the result; exact."
    else:
        lines = result["bonus_lines"]
        series = _intervals(
            "",
            [line["line"].replace("_", " ") for line in lines],
            [line["contribution"] for line in lines],
        )
        about = "What each bonus line adds to the result, with its interval."
    return Plot("bars", "Contribution by line", "contribution (% of an ante)", "part of the game",
                (series,), about)  # fmt: skip


def outcomes(result: Mapping[str, Any]) -> Plot:
    """How likely each net result of a round is, on a logarithmic scale."""
    rows = sorted(result["distribution"], key=lambda row: Fraction(row["net"]))
    total = sum(row["combinations"] for row in rows)
    shown = [row for row in rows if row["combinations"]]
    series = Series(
        "",
        tuple(f"{Fraction(row['net'])}" for row in shown),
        tuple(Decimal(100) * row["combinations"] / Decimal(total) for row in shown),
    )
    return Plot("bars", "Net results of a round", "probability (% of rounds, logarithmic)",
                "net result (chips)", (series,),
                "How likely each net result of a round is; exact. Each step of the scale is a "
                "factor of ten.", log=True)  # fmt: skip


def fold_map(result: Mapping[str, Any]) -> Plot:
    """Share of deals in which each starting hand folds, row by row from the aces down."""
    shares = []
    for name in hand_names():
        hand = result["by_hand"][name]
        shares.append(Decimal(100) * hand["fold_deals"] / Decimal(hand["deals"]))
    series = Series("", tuple(hand_names()), tuple(shares))
    return Plot(
        "map",
        "Folds by starting hand (% of deals)",
        "second card, suited above the diagonal",
        "first card, offsuit below the diagonal",
        (series,),
        "Share of deals in which each two-card hand folds, in %; darker folds more often.",
    )


def hand_names() -> list[str]:
    """The 169 starting hands, row by row: pairs on the diagonal, suited hands above it."""
    return [
        first + second + ("" if i == j else "s") if i <= j else second + first + "o"
        for i, first in enumerate(RANKS_DOWN)
        for j, second in enumerate(RANKS_DOWN)
    ]
