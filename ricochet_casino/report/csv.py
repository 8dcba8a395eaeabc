"""A certificate as one CSV table: a row for each event of each par sheet, and for each figure."""

import csv
from collections.abc import Iterator, Mapping
from fractions import Fraction
from io import StringIO
from typing import Any

from ricochet_casino.certificate import Certificate
from ricochet_casino.report.content import odds_text, pays_text
from ricochet_casino.report.tables import chips

HEADER = (
    "wager", "players", "strategy", "kind", "name", "combinations", "probability", "one_in",
    "pays", "net", "contribution", "value", "exact", "low", "high", "level", "interval_method",
)  # fmt: skip


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
    for name, figure in entry.items():
        if isinstance(figure, dict) and "decimal" in figure:
            low, high = figure.get("interval", ("", ""))
            yield {
                **common,
                "kind": "figure",
                "name": name,
                "value": figure["decimal"],
                "exact": figure.get("exact", ""),
                "low": low,
                "high": high,
                "level": figure.get("level", ""),
                "interval_method": figure.get("interval_method", ""),
            }


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
