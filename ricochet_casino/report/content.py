"""What a certificate says, as sections of text and tables: the one source of all renderings."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ricochet_casino.certificate import Certificate
from ricochet_casino.games.ricochet_poker.notation import line_names
from ricochet_casino.report import plots
from ricochet_casino.report.exact import exact_sections, side_bet_section
from ricochet_casino.report.method import method_section, strategy_section, wagers_section
from ricochet_casino.report.record import (
    contents_section,
    inputs_section,
    provenance_section,
    readings_section,
)
from ricochet_casino.report.sampled import sampled_sections, summary_section
from ricochet_casino.report.simulated import simulation_section
from ricochet_casino.report.tables import (
    Column,
    Section,
    Table,
    fixed,
    level_text,
    percent,
    result_title,
)


def sections(certificate: Certificate, *, brief: bool = False) -> list[Section]:
    """All sections of a certificate, in reading order.

    Parameters
    ----------
    certificate
        What to tell.
    brief
        For a terminal: without sessions, and without what is the same in every report.
    """
    certified = certificate.certified
    found = [_heading(certificate)]
    if not brief:
        found.append(wagers_section(certified))
    if len(certified["results"]) > 1:
        drawn = tuple(plots.by_players(certified["results"]))
        found.append(replace(summary_section(certified["results"]), plots=drawn))
    ante = Fraction(certified["paytable"]["ante"])
    for result in certified["results"]:
        found += _result_sections(result, ante, brief=brief)
    found += [side_bet_section(bet) for bet in certified["side_bets"]]
    if not brief:
        found += [strategy_section(certified), method_section(certified)]
    found.append(readings_section(certified))
    if not brief:
        found += [inputs_section(certified), contents_section(certified)]
    return [*found, provenance_section(certificate)]


def _result_sections(
    result: Mapping[str, Any], ante: Fraction, *, brief: bool
) -> Iterator[Section]:
    if result["method"] == "exact":
        yield from exact_sections(result, ante, brief=brief)
    elif "rounds" in result:
        yield simulation_section(result)
    else:
        yield from sampled_sections(result)


def _heading(certificate: Certificate) -> Section:
    certified = certificate.certified
    paytable = certified["paytable"]
    lines = [f"Game: {certified['game']}. Source: {paytable.get('source') or 'not stated'}."]
    if paytable.get("notes"):
        lines.append("Notes: " + " ".join(str(paytable["notes"]).split()))
    lines.append(
        "House edge and RTP are per ante; element of risk and RTP per action are per chip wagered."
    )
    columns = (Column("line"), Column("pays", right=True))
    # A file has its keys in the order of the alphabet; people read from the weakest hand up.
    order = line_names()
    lines_up = sorted(paytable["bonus"].items(), key=lambda line: order.get(line[0], len(order)))
    bonus = tuple((name.replace("_", " "), str(pays)) for name, pays in lines_up)
    table = Table("Bonus paytable", columns, bonus)
    return Section(str(paytable["title"]), tuple(lines), (table,))


def headline(certificate: Certificate) -> list[str]:
    """What a certificate says in a line for each wager."""
    lines = [
        f"{result_title(result)}: house edge {percent(result['house_edge'])}{_interval(result)}, "
        f"RTP {percent(result['rtp_per_ante'])} per ante, SD {fixed(result['sd_per_round'], 4)}"
        for result in certificate.certified["results"]
    ]
    lines += [
        f"{bet['label']} ({bet['method']}): house edge {percent(bet['house_edge'])}"
        for bet in certificate.certified["side_bets"]
    ]
    return lines


def _interval(result: Mapping[str, Any]) -> str:
    """The interval of a sampled house edge in percent, with its level; nothing if it is exact."""
    edge = result["house_edge"]
    if "interval" not in edge:
        return ""
    low, high = (Decimal(end) * 100 for end in edge["interval"])
    return f" [{low:.4f}, {high:.4f}] at {level_text(edge)}"
