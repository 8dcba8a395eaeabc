"""What a sensitivity says: each step beside its change, and the kickout curve."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from ricochet_casino.report.outline import label, shown
from ricochet_casino.report.plots import Plot, Series
from ricochet_casino.report.tables import Column, Section, Table, whole

_HEADS: Final = {
    "rtp_per_ante": "RTP",
    "sd": "SD",
    "hit_frequency": "hits",
    "fold_frequency": "folds",
    "maximum_exposure": "exposure",
}
_FIGURES: Final = tuple(_HEADS)
_NEAR: Final = 400
"""Classes on each side of the paytable's own kickout hand that a closer look shows."""
_TICKS: Final = 7


def sensitivity_sections(data: Mapping[str, Any]) -> Iterator[Section]:
    """Figures as they are, one step of each setting, and the kickout curve.

    Parameters
    ----------
    data
        A document of the schema ``ricochet-casino/sensitivity/1``.
    """
    names = [name for name in _FIGURES if name in data["now"]]
    rows = tuple((label(name), shown(name, data["now"][name])) for name in names)
    columns = (Column("figure"), Column("value", right=True))
    now = Table("Figures as they are", columns, rows)
    lines = _steps(data["lines"], names, "One chip more on each bonus line")
    text = "Each setting is changed alone, and the best decisions are made anew."
    yield Section("Steps", (text,), (now, lines), sheet="Steps")
    moves = _steps(data["kickout"], names, "The kickout hand, one step and one class away", "move")
    yield Section("Kickout", (), (moves,), sheet="Kickout")
    yield _curve_section(data["kickout_curve"], names)
    bets = data.get("side_bets", ())
    if bets:
        table = _steps(bets, names[:3], "One chip more on each line, per chip staked", "bet")
        yield Section("Side bets", (), (table,), sheet="Side bets")


def _steps(
    steps: Sequence[Mapping[str, Any]], names: Sequence[str], title: str, first: str = ""
) -> Table:
    """A row for each step: its figures, and beside each the change."""
    heads = [*([first] if first else []), "setting", "was"]
    columns = [Column(head) for head in heads]
    for name in names:
        columns += [Column(_HEADS[name], right=True), Column("change", right=True)]
    rows = []
    for step in steps:
        row = [str(step[head]) for head in heads]
        for name in names:
            row += [shown(name, step["figures"][name]), shown(name, step["change"][name])]
        rows.append(tuple(row))
    return Table(title, tuple(columns), tuple(rows), dense=True)


def _curve_section(points: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Section:
    """The kickout curve: what each kickout hand makes of the game."""
    rows = tuple(
        (
            str(point["kickout"]), whole(point["class"]), "now" if point.get("now") else "",
            *(shown(name, point["figures"][name]) for name in names),
        )
        for point in points
    )  # fmt: skip
    columns = (
        Column("kickout hand, or better"),
        Column("class", right=True),
        Column("is"),
        *(Column(_HEADS[name], right=True) for name in names),
    )
    plots = [kickout_curve(points, "Kickout curve")]
    own = next((point["class"] for point in points if point.get("now")), None)
    if own is not None:
        near = [point for point in points if abs(point["class"] - own) <= _NEAR]
        plots.append(kickout_curve(near, "Kickout curve, near the present hand"))
    table = Table("Figures by kickout hand, weakest first", columns, rows)
    return Section("Kickout curve", (), (table,), tuple(plots), sheet="Kickout curve")


def kickout_curve(points: Sequence[Mapping[str, Any]], title: str) -> Plot:
    """RTP by the hand that kicks the dealer out; the paytable's own hand is marked.

    Parameters
    ----------
    points
        ``kickout``, ``class``, ``figures.rtp_per_ante`` and ``now`` of each, weakest first.
    title
        Of the plot.
    """

    def series(name: str, chosen: Sequence[Mapping[str, Any]]) -> Series:
        heights = tuple(
            Decimal(point["figures"]["rtp_per_ante"]["decimal"]) * 100 for point in chosen
        )
        return Series(name, tuple(Decimal(point["class"]) for point in chosen), heights)

    now = [point for point in points if point.get("now")]
    drawn = [series("RTP", points)]
    if now:
        drawn.append(series(f"now: {now[0]['kickout']}", now))
    caption = (
        "RTP by the hand that, or better, kicks the dealer out: the stronger it is, the less often "
        "that happens; exact. The table names all hands."
    )
    return Plot("line", title, "kickout hand (equal steps of the 7,462 classes)",
                "RTP (% of an ante)", tuple(drawn), caption, ticks=_ticks(points))  # fmt: skip


def _ticks(points: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, str], ...]:
    """Some hands with about equal distances, for the axis."""
    low, high = points[0]["class"], points[-1]["class"]
    wanted = [low + (high - low) * step / (_TICKS - 1) for step in range(_TICKS)]
    near = [min(points, key=lambda point: abs(point["class"] - place)) for place in wanted]
    return tuple({point["class"]: str(point["kickout"]) for point in near}.items())
