"""What the workbench's documents say: re-pricings, sensitivities, tunings and comparisons."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from ricochet_casino.config import digest
from ricochet_casino.report.outline import is_figure, label, list_table, shown, tables_of
from ricochet_casino.report.plots import Plot, Series
from ricochet_casino.report.record import flat_rows
from ricochet_casino.report.tables import Column, Section, Table

_APART: Final = ("paytable", "old", "new", "results", "side_bets", "kickout_curve", "run", "spec")
"""Parts that have sections of their own."""


def workbench_sections(kind: str, data: Mapping[str, Any]) -> list[Section]:
    """All sections of a document, in reading order.

    Parameters
    ----------
    kind
        What it is, for the title.
    data
        The document.
    """
    found = [_heading(kind, data)]
    found += _side_by_side_sections(data)
    rest = {key: part for key, part in data.items() if key not in _APART}
    plain = {key: part for key, part in rest.items() if not isinstance(part, list | dict)}
    for key, part in rest.items():
        if key not in plain:
            tables = tuple(tables_of({key: part}, ""))
            if tables:
                name = label(key).capitalize()
                found.append(Section(name, (), tables, sheet=name))
    if "kickout_curve" in data:
        found.append(_curve_section(data["kickout_curve"]))
    found += _input_sections(data)
    return [*found, _provenance(data)]


def _heading(kind: str, data: Mapping[str, Any]) -> Section:
    titles = [str(part["title"]) for part in _paytables(data).values()]
    title = f"{kind.capitalize()}: {', and '.join(dict.fromkeys(titles)) or 'no paytable'}"
    rows = tuple(
        (label(key), str(value))
        for key, value in sorted(data.items())
        if isinstance(value, str | int) and key != "paytable_digest"
    )
    text = (
        "Figures without an interval are exact. House edge and RTP are per ante, element of risk "
        "and RTP per action per chip wagered, side bets per chip staked; differences are new less "
        "old."
    )
    table = Table("About", (Column("what"), Column("value")), rows)
    return Section(title, (text,), (table,))


def _paytables(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The paytables in a document: the one, or the old and the new one."""
    if "paytable" in data:
        return {"paytable": data["paytable"]}
    return {side: data[side]["paytable"] for side in ("old", "new")
            if isinstance(data.get(side), dict) and "paytable" in data[side]}  # fmt: skip


def _side_by_side_sections(data: Mapping[str, Any]) -> Iterator[Section]:
    """Old, new and difference of every figure, for each number of players and each side bet."""
    for key, word in (("results", "players"), ("side_bets", "side bet")):
        entries = data.get(key, ())
        pairs = [entry for entry in entries if isinstance(entry.get("difference"), dict)]
        for entry in pairs:
            about = (
                f"{entry['players']} {word}" if "players" in entry else f"{word} {entry['name']}"
            )
            if entry.get("players") == 1:
                about = "1 player"
            name = f"Old and new, {about}"
            rest = {
                part: value for part, value in entry.items()
                if part not in ("old", "new", "difference", "spec", "players", "name")
            }  # fmt: skip
            tables = (_side_by_side(entry), *tables_of(rest, "Also"))
            yield Section(name, (), tables, sheet=about)
        others = [entry for entry in entries if entry not in pairs]
        if others:
            name = label(key).capitalize()
            yield Section(name, (), (list_table(others, name),), sheet=name)


def _side_by_side(entry: Mapping[str, Any]) -> Table:
    rows = []
    for name, change in entry["difference"].items():
        if not is_figure(change):
            continue
        sides = (entry["old"].get(name), entry["new"].get(name))
        cells = [shown(name, side) if is_figure(side) else "-" for side in sides]
        rows.append((label(name), *cells, shown(name, change)))
    names = ("old", "new", "difference")
    columns = (Column("figure"), *(Column(name, right=True) for name in names))
    return Table("Figures", columns, tuple(rows))


def _curve_section(points: Sequence[Mapping[str, Any]]) -> Section:
    """The kickout curve: what each kickout hand makes of the game."""
    table = list_table(points, "Figures by kickout hand, weakest first")
    return Section("Kickout curve", (), (table,), (kickout_curve(points),), sheet="Kickout curve")


def kickout_curve(points: Sequence[Mapping[str, Any]]) -> Plot:
    """RTP by the hand that kicks the dealer out; the paytable's own hand is marked.

    Parameters
    ----------
    points
        ``class``, ``figures.rtp`` and ``now`` of each.
    """

    def series(name: str, chosen: Sequence[Mapping[str, Any]]) -> Series:
        heights = tuple(Decimal(p["figures"]["rtp"]["decimal"]) * 100 for p in chosen)
        return Series(name, tuple(Decimal(p["class"]) for p in chosen), heights)

    now = [point for point in points if point.get("now")]
    drawn = [series("each kickout hand", points)]
    if now:
        drawn.append(series(f"now: {now[0]['kickout']}", now))
    caption = (
        "RTP by the hand that kicks the dealer out, from the weakest (class 0, every hand) to none "
        "(class 7,462); exact. The table above names the hands."
    )
    return Plot("steps", "Kickout curve", "kickout hand (class, 0 to 7,462)", "RTP (% of an ante)",
                tuple(drawn), caption)  # fmt: skip


def _input_sections(data: Mapping[str, Any]) -> Iterator[Section]:
    columns = (Column("key"), Column("value"))
    tables = [
        Table(side.capitalize(), columns, tuple(flat_rows(paytable)))
        for side, paytable in _paytables(data).items()
    ]
    if "spec" in data:
        tables.append(Table("Request", columns, tuple(flat_rows(data["spec"]))))
    yield Section("Inputs", (), tuple(tables), sheet="Inputs", aside=True)


def _provenance(data: Mapping[str, Any]) -> Section:
    rows = [("document, SHA-256", digest(data))]
    rows += [
        (f"{side} paytable, SHA-256", str(data[side]["paytable_digest"]))
        for side in ("old", "new")
        if isinstance(data.get(side), dict) and "paytable_digest" in data[side]
    ]
    if "paytable_digest" in data:
        rows.append(("paytable, SHA-256", str(data["paytable_digest"])))
    if isinstance(data.get("run"), dict):
        rows += flat_rows(data["run"])
        text = "When, where and with what it was made."
    else:
        text = "When, where and with what it was made: not in this document."
    signs = tuple((who, "", "") for who in ("prepared by", "checked by"))
    sign = Table("Sign-off", (Column("who"), Column("name and reference"), Column("date")), signs)
    table = Table("Provenance", (Column("what"), Column("value")), tuple(rows))
    return Section("Provenance", (text,), (table, sign), sheet="Provenance")
