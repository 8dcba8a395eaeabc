"""The one table that a batch ends with: a row for each entry, in several formats."""

import csv
import html
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any, Final

from ricochet_casino.certificate import Certificate
from ricochet_casino.report.markdown import to_markdown
from ricochet_casino.report.tables import Column, Section, Table, check_format

SCHEMA: Final = "ricochet-casino/batch/1"
TABLE_FORMATS: Final = {
    "csv": "csv", "parquet": "parquet", "xlsx": "xlsx", "md": "md", "html": "html",
}  # fmt: skip
"""Format of the table -> how its file ends."""
FIGURES: Final = (
    "house_edge", "rtp_per_ante", "element_of_risk", "ev_per_ante", "average_bet", "sd_per_round",
    "fold_frequency", "win_frequency", "kickout_frequency",
)  # fmt: skip
"""Figures of the table; each has three columns, the value and the ends of its interval."""
_OTHER_NAMES: Final = {"rtp_per_ante": "rtp", "ev_per_ante": "ev", "sd_per_round": "sd",
                       "win_frequency": "hit_frequency"}  # fmt: skip
"""What a side bet calls them, per chip staked."""
_TEXTS: Final = ("entry", "status", "wager", "paytable", "strategy", "method")
_WHOLE: Final = ("players", "deals")
_DECIMALS: Final = (
    *(f"{name}{end}" for name in FIGURES for end in ("", "_low", "_high")),
    "level", "optimum_lower", "optimum_upper", "gap",
)  # fmt: skip
HEADER: Final = (*_TEXTS[:4], "players", *_TEXTS[4:], *_DECIMALS, "deals", "remark", "sha256")
_PERCENT: Final = frozenset(
    name for name in _DECIMALS
    if not name.startswith(("average_bet", "sd_per_round", "ev_per_ante"))
)  # fmt: skip


def row_of(name: str, document: Certificate) -> dict[str, Any]:
    """What the summary says of one entry.

    Parameters
    ----------
    name
        Of the entry.
    document
        Its certificate, with one result or one side bet, or another document.

    Returns
    -------
    dict
        JSON values: texts, whole numbers and ``figures`` (name -> value, low, high; all the same
        if it is exact).
    """
    certified = document.certified
    spec = certified.get("spec", {})
    results, bets = certified.get("results", ()), certified.get("side_bets", ())
    found = dict(results[0] if results else bets[0] if bets else {})
    found |= found.get("figures", {})
    strategy = found.get("strategy", "")
    paytable = certified.get("paytable", spec.get("parameters", {}).get("paytable", {}))
    wager = "main" if results else found.get("label", certified.get("title", ""))
    if "parameters" in spec:
        wager = str(spec.get("experiment", wager))
    row = {
        "entry": name,
        "wager": wager,
        "paytable": paytable.get("title", ""),
        "strategy": strategy if isinstance(strategy, str) else "+".join(strategy),
        "method": found.get("method", ""),
        "sha256": document.digest,
        "figures": {key: figure for key in FIGURES if (figure := _figure(found, key, bool(bets)))},
        **{key: found[key] for key in _WHOLE if isinstance(found.get(key), int)},
    }
    levels = {figure.get("level") for figure in _intervals(found)}
    if len(levels) == 1:
        row["level"] = levels.pop()
    optimum = found.get("optimum")
    if optimum:
        row["optimum"] = {key: optimum[key] for key in ("lower", "upper", "gap")}
    return row


def _figure(found: Mapping[str, Any], key: str, bet: bool) -> list[str] | None:
    figure = found.get(key, found.get(_OTHER_NAMES.get(key, "")) if bet else None)
    if not isinstance(figure, Mapping) or figure.get("decimal", "undefined") == "undefined":
        return None
    low, high = figure.get("interval", (figure["decimal"], figure["decimal"]))
    return [figure["decimal"], low, high]


def _intervals(found: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for key in FIGURES:
        figure = found.get(key)
        if isinstance(figure, Mapping) and "interval" in figure:
            yield figure


def flat_rows(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows with all columns of `HEADER`: texts, whole numbers, decimals as text, or None."""
    rows = {row["entry"]: row for row in summary["certified"]["rows"]}
    flat = []
    for outcome in summary["run"]["entries"]:
        row = rows.get(outcome["name"], {})
        found = dict.fromkeys(HEADER)
        found |= {key: row.get(key) for key in ("wager", "paytable", "strategy", "method", "level",
                                                "players", "deals", "sha256")}  # fmt: skip
        found |= {"entry": outcome["name"], "status": outcome["status"], "remark": outcome["text"]}
        for key, ends in row.get("figures", {}).items():
            for end, text in zip(("", "_low", "_high"), ends, strict=True):
                found[f"{key}{end}"] = text
        optimum = row.get("optimum", {})
        found |= {"optimum_lower": optimum.get("lower"), "optimum_upper": optimum.get("upper"),
                  "gap": optimum.get("gap")}  # fmt: skip
        flat.append(found)
    return flat


def render_table(summary: Mapping[str, Any], form: str) -> bytes:
    """The summary as a file in one of `TABLE_FORMATS`.

    Raises
    ------
    ValueError
        For another format.
    """
    check_format(form, TABLE_FORMATS)
    if form == "csv":
        stream = StringIO()
        writer = csv.DictWriter(stream, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat_rows(summary))
        return stream.getvalue().encode()
    if form == "parquet":
        return _parquet(flat_rows(summary))
    if form == "xlsx":
        return _xlsx(str(summary["certified"]["title"]), flat_rows(summary))
    if form == "md":
        return to_markdown([section(summary)]).encode()
    return _html(section(summary)).encode()


def _parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Decimals as floating-point numbers, each beside the ends of its interval."""
    import polars

    kinds: dict[str, Any] = dict.fromkeys(HEADER, polars.String)
    kinds |= dict.fromkeys(_WHOLE, polars.Int64) | dict.fromkeys(_DECIMALS, polars.Float64)
    columns = {
        name: [_number(row[name]) if name in _DECIMALS else row[name] for row in rows]
        for name in HEADER
    }
    stream = BytesIO()
    polars.DataFrame(columns, schema=kinds).write_parquet(stream)
    return stream.getvalue()


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)


def _xlsx(title: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    import xlsxwriter

    stream = BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True, "strings_to_formulas": False,
                                        "strings_to_urls": False})  # fmt: skip
    # The same content gives the same bytes.
    book.set_properties({"title": title, "created": datetime(2000, 1, 1, tzinfo=UTC)})
    sheet = book.add_worksheet("summary")
    head = book.add_format({"bold": True, "bottom": 1})
    share, plain = book.add_format({"num_format": "0.0000%"}), book.add_format()
    other = book.add_format({"num_format": "0.000000"})
    for column, name in enumerate(HEADER):
        sheet.write_string(0, column, name, head)
        sheet.set_column(column, column, 32 if name == "entry" else max(10, len(name)))
        form = share if name in _PERCENT else other if name in _DECIMALS else plain
        for line, row in enumerate(rows, 1):
            value = row[name]
            if value is None:
                continue
            if name in _DECIMALS:
                sheet.write_number(line, column, float(value), form)
            elif name in _WHOLE:
                sheet.write_number(line, column, value, form)
            else:
                sheet.write_string(line, column, str(value), form)
    sheet.freeze_panes(1, 1)
    sheet.autofilter(0, 0, max(1, len(rows)), len(HEADER) - 1)
    book.close()
    return stream.getvalue()


def section(summary: Mapping[str, Any]) -> Section:
    """The summary for people: the figures that matter most."""
    rows = [
        (
            row["entry"], str(row["players"] or ""), row["strategy"] or row["wager"] or "",
            _share(row, "house_edge"), _share(row, "rtp_per_ante"), _share(row, "fold_frequency"),
            _share(row, "win_frequency"), _plain(row, "average_bet", 4),
            _plain(row, "sd_per_round", 3), _optimum(row), row["method"] or "", _status(row),
        )
        for row in flat_rows(summary)
    ]  # fmt: skip
    right = ("players", "house edge", "RTP", "folds", "wins", "average bet", "SD", "optimum's EV")
    names = ("entry", "players", "wager", *right[1:], "method", "status")
    columns = tuple(Column(name, name in right, name in ("average bet", "SD")) for name in names)
    text = (
        "Per player and per round, of an ante; side bets per chip staked, wins being hits. What "
        "follows ± is half the width of the interval. The bounds of the optimum hold at the level "
        "of the intervals."
    )
    title = str(summary["certified"]["title"])
    return Section(title, (text,), (Table("All entries", columns, tuple(rows)),))


def brief_section(summary: Mapping[str, Any]) -> Section:
    """The summary in as many columns as a terminal has room for."""
    (table,) = section(summary).tables
    shown = ("entry", "house edge", "RTP", "folds", "method", "status")
    places = [[column.name for column in table.columns].index(name) for name in shown]
    columns = tuple(table.columns[place] for place in places)
    rows = tuple(tuple(row[place] for place in places) for row in table.rows)
    text = "The half widths of intervals follow ±; the files hold more."
    title = str(summary["certified"]["title"])
    return Section(title, (text,), (Table("All entries", columns, rows),))


def _share(row: Mapping[str, Any], name: str) -> str:
    if row[name] is None:
        return ""
    value, low, high = (Decimal(row[f"{name}{end}"]) * 100 for end in ("", "_low", "_high"))
    return f"{value:.4f} %" if low == high else f"{value:.4f} ± {(high - low) / 2:.4f} %"


def _plain(row: Mapping[str, Any], name: str, places: int) -> str:
    return "" if row[name] is None else f"{Decimal(row[name]):.{places}f}"


def _optimum(row: Mapping[str, Any]) -> str:
    if row["optimum_lower"] is None:
        return ""
    low, high = (Decimal(row[f"optimum_{end}"]) * 100 for end in ("lower", "upper"))
    return f"{low:.4f} to {high:.4f} %"


def _status(row: Mapping[str, Any]) -> str:
    return f"{row['status']}: {row['remark']}" if row["remark"] else str(row["status"])


_STYLE: Final = (
    "body{font:15px/1.4 sans-serif;margin:2em}table{border-collapse:collapse}"
    "th,td{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:left}"
    ".right{text-align:right;white-space:nowrap}"
)


def _html(content: Section) -> str:
    """A page of its own, without anything from elsewhere."""
    (table,) = content.tables
    title = html.escape(content.title)

    def line(tag: str, cells: Sequence[str]) -> str:
        parts = [
            f"<{tag}{' class=right' if column.right else ''}>{html.escape(cell)}</{tag}>"
            for cell, column in zip(cells, table.columns, strict=True)
        ]
        return f"<tr>{''.join(parts)}</tr>"

    body = "\n".join(line("td", row) for row in table.rows)
    text = "".join(f"<p>{html.escape(paragraph)}</p>\n" for paragraph in content.paragraphs)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n<h1>{title}</h1>\n{text}<table>\n<thead>"
        f"{line('th', [column.name for column in table.columns])}</thead>\n<tbody>\n{body}\n"
        "</tbody>\n</table>\n</html>\n"
    )
