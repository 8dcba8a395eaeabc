"""What a calibration says: published figures beside those of every reading."""

import csv
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from io import StringIO
from typing import Any, Final

from ricochet_casino.report.markdown import to_markdown
from ricochet_casino.report.tables import Column, Section, Table, level_text
from ricochet_casino.report.terminal import to_text

SHOWN = 12
"""So many readings of each kind of play are listed; files hold all."""
HEADER: Final = (
    "published", "value", "within", "strategy", "paytable", "last_hand", "when_equal", "meaning",
    "at_players", "computed", "low", "high", "level", "interval_method", "verdict",
)  # fmt: skip
_FIGURES: Final = {
    "rtp": "RTP",
    "fold_frequency": "folds",
    "win_frequency": "wins, shared pots too",
    "win_gap": "distance of the wins from 1 in N",
}


def render(found: Mapping[str, Any], form: str) -> str:
    """A calibration as text in one of `report.FORMATS`.

    Raises
    ------
    ValueError
        For another format.
    """
    if form == "json":
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if form == "csv":
        return to_csv(found)
    if form == "md":
        return to_markdown(sections(found))
    if form == "text":
        return to_text(sections(found))
    raise ValueError(f"unknown format {form!r}: expected json, csv, md or text")


def sections(found: Mapping[str, Any]) -> list[Section]:
    """All sections, in reading order."""
    sampling = found["spec"]["sampling"]
    level = level_text(sampling)
    text = (
        "Figures without an interval are exact, all others are sampled. Intervals hold at "
        f"{level} each; for the lowest or highest of several player counts, all of theirs hold at "
        "once with the level stated there. Fits: the interval, widened by what rounding allows, "
        "holds the published value and is narrow enough to tell. Undecided: it is not."
    )
    first = Section(str(found["title"]), (f"Source: {found['source']}.", text))
    chapters = [_published_section(published) for published in found["published"]]
    return [first, *chapters, _ranking_section(found)]


def headline(found: Mapping[str, Any]) -> list[str]:
    """What fits best, a line for each kind of play."""
    lines = []
    for play, rows in _by_play(found).items():
        best = rows[0]
        total = sum(len(best[key]) for key in _GROUPS)
        text = f"{play} play: {reading_text(best)} fits {len(best['fits'])} of {total}"
        for key in _GROUPS[1:]:
            if best[key]:
                text += f"; {key}: {', '.join(best[key])}"
        lines.append(text)
    return lines


_GROUPS: Final = ("fits", "undecided", "does not fit", "not computed")


def reading_text(row: Mapping[str, Any]) -> str:
    """A reading in a line."""
    reading = row["reading"]
    parts = [reading["strategy"]]
    parts += [f"last_hand {reading['last_hand']}", f"when_equal {reading['when_equal']}"]
    parts += [f"{key} {value}" for key, value in row["meaning"].items()]
    return ", ".join(parts) + f" ({reading['paytable']})"


def _by_play(found: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    by_play: dict[str, list[Mapping[str, Any]]] = {}
    for row in found["ranking"]:
        by_play.setdefault(row["reading"]["play"], []).append(row)
    return by_play


def _counts_text(players: Sequence[int]) -> str:
    if len(players) == 1:
        return f"{players[0]} player" if players[0] == 1 else f"{players[0]} players"
    return f"{players[0]} to {players[-1]} players"


def _published_section(published: Mapping[str, Any]) -> Section:
    over = f", {published['over']}" if "over" in published else ""
    within = Decimal(published["within"]) * 100
    about = (
        f"{published['says']} ({published['source']}). Published: {published['value']}, met within "
        f"{within.normalize():f} points; {_FIGURES[published['figure']]}{over} for "
        f"{_counts_text(published['players'])}."
    )
    rows = []
    for line in published["found"]:
        reading = line["reading"]
        interval = [f"{Decimal(end) * 100:.4f}" for end in line.get("interval", ())] or ["", ""]
        level = f"{Decimal(line['level']) * 100:.0f} %" if "level" in line else "exact"
        rows.append(
            (
                reading["strategy"], reading["paytable"], reading["last_hand"],
                reading["when_equal"], ", ".join(line["meaning"].values()), str(line["players"]),
                f"{Decimal(line['decimal']) * 100:.4f}", *interval, level, line["verdict"],
            )
        )  # fmt: skip
    columns = (
        Column("strategy"),
        Column("paytable", optional=True),
        Column("last hand"),
        Column("when equal"),
        Column("meaning"),
        Column("at", right=True, optional=True),
        Column("%", right=True),
        Column("from", right=True),
        Column("to", right=True),
        Column("level", right=True, optional=True),
        Column("verdict"),
    )
    title = f"{published['name']}: {published['value']}"
    return Section(title, (about,), (Table("Readings", columns, tuple(rows)),))


def _ranking_section(found: Mapping[str, Any]) -> Section:
    tables = []
    for play, all_rows in _by_play(found).items():
        rows = tuple(
            (
                row["reading"]["strategy"], row["reading"]["paytable"],
                row["reading"]["last_hand"], row["reading"]["when_equal"],
                ", ".join(row["meaning"].values()), str(len(row["fits"])),
                str(len(row["undecided"])), ", ".join(row["does not fit"]) or "none",
            )
            for row in all_rows[:SHOWN]
        )  # fmt: skip
        columns = (
            Column("strategy"),
            Column("paytable", optional=True),
            Column("last hand"),
            Column("when equal"),
            Column("meaning"),
            Column("fits", right=True),
            Column("undecided", right=True),
            Column("does not fit"),
        )
        more = len(all_rows) - SHOWN
        count = f", the first {SHOWN} of {len(all_rows)}" if more > 0 else ""
        tables.append(Table(f"{play.capitalize()} play{count}", columns, rows))
    text = (
        "Each line is one reading of everything: a table and one meaning for each kind of figure. "
        "Meanings that change no verdict are left out."
    )
    return Section("Which reading fits", (text, *headline(found)), tuple(tables))


def to_csv(found: Mapping[str, Any]) -> str:
    """A row for each published figure and reading."""
    stream = StringIO()
    writer = csv.DictWriter(stream, HEADER, lineterminator="\n")
    writer.writeheader()
    for published in found["published"]:
        for line in published["found"]:
            low, high = line.get("interval", ("", ""))
            reading = {key: line["reading"][key] for key in HEADER if key in line["reading"]}
            row = {
                "published": published["name"],
                "value": published["decimal"],
                "within": published["within"],
                "meaning": " ".join(line["meaning"].values()),
                "at_players": line["players"],
                "computed": line["decimal"],
                "low": low,
                "high": high,
                "level": line.get("level", ""),
                "interval_method": line.get("interval_method", "exact"),
                "verdict": line["verdict"],
            }
            writer.writerow({**reading, **row})
    return stream.getvalue()
