"""A certificate as one CSV table: a row for each event of each par sheet, and for each figure."""

import csv
from collections.abc import Iterator, Mapping
from fractions import Fraction
from io import StringIO
from typing import Any

from ricochet_casino.certificate import Certificate
from ricochet_casino.report.exact import odds_text, pays_text
from ricochet_casino.report.tables import chips

HEADER = (
    "wager", "players", "strategy", "kind", "name", "combinations", "probability", "one_in",
    "pays", "net", "contribution", "value", "exact", "low", "high", "level", "interval_method",
)  # fmt: skip

_NAMES = ("part", "line", "place", "seat", "play_bets", "setting", "kickout", "players", "name")
"""What an element of a list is named by, the first that it has."""


def to_csv(certificate: Certificate) -> str:
    """All par sheets with their total rows, then all figures, of every wager."""
    stream = StringIO()
    writer = csv.DictWriter(stream, HEADER, restval="", lineterminator="\n")
    writer.writeheader()
    for result in certificate.certified["results"]:
        common = {
            "wager": "main",
            "players": result["players"],
            "strategy": result["strategy"],
        }
        if not isinstance(result["strategy"], str):
            common["strategy"] = "+".join(result["strategy"])
        writer.writerows(_rows(common, result, "ev_per_ante", pays_text))
    for bet in certificate.certified["side_bets"]:
        writer.writerows(_rows({"wager": bet["name"]}, bet, "ev", odds_text))
    return stream.getvalue()


def _rows(
    common: Mapping[str, Any], entry: Mapping[str, Any], mean: str, pays: Any
) -> Iterator[dict[str, Any]]:
    if "par_sheet" in entry:
        yield from _par_rows(common, entry, mean, pays)
    for name, figure in figures_in(entry):
        yield {**common, "kind": "figure", "name": name, **_figure_row(figure)}


def _figure_row(figure: Mapping[str, Any]) -> dict[str, Any]:
    low, high = figure.get("interval", ("", ""))
    return {
        "value": figure["decimal"],
        "exact": figure.get("exact", ""),
        "low": low,
        "high": high,
        "level": figure.get("level", ""),
        "interval_method": figure.get("interval_method", ""),
    }


def figures_in(entry: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every figure in nested JSON with its path; par sheets, which have rows of their own, not.

    An element of a list is named by what it is about: ``by_order.1.rtp_per_ante``,
    ``contributions.pot``, ``bonus_lines.flush.frequency``.
    """
    if isinstance(entry, list):
        for index, part in enumerate(entry):
            name = next((part[key] for key in _NAMES if key in part), index) if (
                isinstance(part, dict)
            ) else index  # fmt: skip
            yield from figures_in(part, f"{path}.{name}")
    if not isinstance(entry, dict):
        return
    if "decimal" in entry:
        yield path, entry
    for name, part in entry.items():
        if name == "optimum":
            for limit in ("lower", "upper", "gap"):
                yield f"{path}optimum.{limit}", {"decimal": part[limit], "level": part["level"]}
        if name not in ("par_sheet", "blocks", "pilot", "by_hand"):
            yield from figures_in(part, f"{path}.{name}" if path else name)


def document_to_csv(data: Mapping[str, Any]) -> str:
    """All figures of any other document, with their paths in it."""
    stream = StringIO()
    header = ("name", "value", "exact", "low", "high", "level", "interval_method")
    writer = csv.DictWriter(stream, header, restval="", lineterminator="\n")
    writer.writeheader()
    for name, figure in figures_in(data):
        writer.writerow({"name": name, **_figure_row(figure)})
    return stream.getvalue()


def _par_rows(
    common: Mapping[str, Any], entry: Mapping[str, Any], mean: str, pays: Any
) -> Iterator[dict[str, Any]]:
    cycle = 0
    probability = Fraction()
    for row in entry["par_sheet"]:
        cycle += row["combinations"]
        probability += Fraction(row["probability"]["exact"])
        yield {
            **common,
            "kind": "event",
            "name": row["event"],
            "combinations": row["combinations"],
            "probability": row["probability"]["decimal"],
            "one_in": row["one_in"]["decimal"] if row["one_in"] else "",
            "pays": pays(row),
            "net": chips(row["net"]),
            "contribution": row["contribution"]["decimal"],
        }
    yield {
        **common,
        "kind": "total",
        "name": "total",
        "combinations": cycle,
        "probability": str(probability),
        "contribution": entry[mean]["decimal"],
    }
