"""What a certificate says, as sections of text and tables: the one source of all renderings."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ricochet_casino.certificate import Certificate
from ricochet_casino.report.sampled import sampled_sections, summary_section
from ricochet_casino.report.simulated import simulation_section
from ricochet_casino.report.tables import (
    Column,
    Section,
    Table,
    chips,
    fixed,
    level_text,
    one_in,
    percent,
    result_title,
    whole,
)
from ricochet_casino.stats.exact import to_decimal

RANKS_DOWN = "AKQJT98765432"


def sections(certificate: Certificate) -> list[Section]:
    """All sections of a certificate, in reading order."""
    certified = certificate.certified
    found = [_heading(certificate)]
    if len(certified["results"]) > 1:
        found.append(summary_section(certified["results"]))
    for result in certified["results"]:
        found += _result_sections(result)
    found += [_side_bet_section(bet) for bet in certified["side_bets"]]
    found.append(_readings_section(certified))
    found.append(_provenance_section(certificate))
    return found


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
    bonus = tuple((name.replace("_", " "), str(pays)) for name, pays in paytable["bonus"].items())
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


def _result_sections(result: Mapping[str, Any]) -> Iterator[Section]:
    if result["method"] != "exact":
        simulated = "rounds" in result
        yield from [simulation_section(result)] if simulated else sampled_sections(result)
        return
    players = f"{result['players']} player{'s' if result['players'] > 1 else ''}"
    title = f"Main game, {players}, {result['strategy']} ({result['method']})"
    cycle = result["cycle"]
    text = (
        f"Cycle: {whole(cycle['deals'])} deals x {whole(cycle['completions_per_deal'])} "
        "completions. Every figure below is exact; events that cannot happen are left out."
    )
    tables = [_figures_table(result), _frequency_table(result), _contribution_table(result)]
    yield Section(title, (text, *_award_lines(result)), (*tables, _main_par_sheet(result)))
    yield Section(f"Strategy map, {players}, {result['strategy']}", (_map_text(result),),
                  (_map_table(result),))  # fmt: skip
    if "independent_check" in result:
        yield _check_section(result, players)


_FIGURES = (
    ("house_edge", "House edge (loss per ante)", percent),
    ("rtp_per_ante", "RTP per ante", percent),
    ("element_of_risk", "Element of risk (loss per chip wagered)", percent),
    ("rtp_per_action", "RTP per action (per chip wagered)", percent),
    ("ev_per_ante", "EV per ante", fixed),
    ("average_bet", "Average bet, in antes", fixed),
    ("sd_per_round", "SD per round, in antes", fixed),
    ("variance_per_round", "Variance per round", fixed),
    ("sd_per_unit_bet", "SD per unit bet", fixed),
    ("skewness", "Skewness", fixed),
    ("volatility_index", "Volatility index", fixed),
)


def _figures_table(result: Mapping[str, Any]) -> Table:
    rows = []
    for key, label, form in _FIGURES:
        figure = result[key]
        name = f"{label} (z = {figure['z']})" if "z" in figure else label
        exactly = "root of an exact number" if figure["decimal"] != "undefined" else "-"
        rows.append((name, form(figure), figure.get("exact", exactly)))
    columns = (Column("figure"), Column("value", right=True), Column("exactly"))
    return Table("Figures", columns, tuple(rows))


def _frequency_table(result: Mapping[str, Any]) -> Table:
    rows = []
    for name in ("fold", "play", "kickout", "win", "tie", "lose", "push", "hit"):
        per_round = result[f"{name}_frequency"]
        per_decision = result.get(f"{name}_per_decision")
        label = {"win": "win (ties included; kickouts too, per round)", "tie": "tie (won)",
                 "push": "push (net zero)", "hit": "hit (any payout)"}.get(name, name)  # fmt: skip
        decided = percent(per_decision) if per_decision else "-"
        rows.append((label, percent(per_round), decided))
    columns = (Column("frequency"), Column("per round", right=True),
               Column("per decision", right=True))  # fmt: skip
    return Table("Frequencies", columns, tuple(rows))


def _contribution_table(result: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            "pot, net of bets" if part["part"] == "pot" else part["part"].replace("_", " "),
            percent(part, 6),
        )
        for part in result["contributions"]
    )
    total = ("EV per ante", percent(result["ev_per_ante"], 6))
    columns = (Column("part"), Column("of an ante", right=True))
    return Table("Contribution to the result", columns, rows, total)


def _award_lines(result: Mapping[str, Any]) -> list[str]:
    lines = []
    award = result["top_award"]
    if award:
        lines.append(
            f"Top award: {award['line'].replace('_', ' ')}, {chips(award['pays'])} chips, "
            f"1 in {one_in(award['one_in'])} rounds."
        )
    exposure = chips(result["maximum_exposure"]["exact"])
    lines.append(f"Maximum exposure of the house in one round: {exposure} chips.")
    return lines


_PAR_COLUMNS = (
    Column("event"),
    Column("combinations", right=True),
    Column("probability", right=True, optional=True),
    Column("1 in", right=True),
    Column("pays", optional=True),
    Column("net", right=True),
    Column("contribution", right=True),
)


def pays_text(row: Mapping[str, Any]) -> str:
    """What a row of the main par sheet pays: ``pot 3 + bonus 100``."""
    parts = [f"{name} {chips(row[name])}" for name in ("pot", "bonus") if Fraction(row[name]) != 0]
    return " + ".join(parts) or "nothing"


def odds_text(row: Mapping[str, Any]) -> str:
    """What a row of a side bet's par sheet pays: ``5 to 1``."""
    net = Fraction(row["net"])
    return "loses" if net < 0 else f"{net.numerator} to {net.denominator}"


def _par_sheet(
    title: str, rows: Sequence[Mapping[str, Any]], pays: Any, mean: Mapping[str, Any]
) -> Table:
    body = tuple(
        (
            str(row["event"]).replace("_", " "),
            whole(row["combinations"]),
            fixed(row["probability"]),
            one_in(row["one_in"]),
            pays(row),
            chips(row["net"]),
            fixed(row["contribution"]),
        )
        for row in rows
        if row["combinations"]
    )
    cycle = sum(int(row["combinations"]) for row in rows)
    total_probability = sum((Fraction(row["probability"]["exact"]) for row in rows), Fraction())
    total = ("total", whole(cycle), f"{to_decimal(total_probability):.6f}", "", "", "", fixed(mean))
    return Table(title, _PAR_COLUMNS, body, total)


def _main_par_sheet(result: Mapping[str, Any]) -> Table:
    return _par_sheet(
        "Par sheet (chips; contribution per ante)",
        result["par_sheet"],
        pays_text,
        result["ev_per_ante"],
    )


def _map_text(result: Mapping[str, Any]) -> str:
    loss = result.get("class_map_loss")
    text = (
        "Share of deals, dealer in or out, in which each two-card hand folds (suited above the "
        "diagonal)."
    )
    if loss:
        text += (
            " Where suits decide, no map by classes is perfect: the best one loses "
            f"{percent(loss, 4)} of an ante."
        )
    return text


def _map_table(result: Mapping[str, Any]) -> Table:
    by_hand = result["by_hand"]
    rows = []
    for i, first in enumerate(RANKS_DOWN):
        row = [first]
        for j, second in enumerate(RANKS_DOWN):
            high, low = (first, second) if i <= j else (second, first)
            name = high + low + ("" if i == j else "s" if i < j else "o")
            hand = by_hand[name]
            share = Fraction(100 * hand["fold_deals"], hand["deals"])
            row.append(f"{to_decimal(share):.1f}")
        rows.append(tuple(row))
    columns = (Column(""), *(Column(rank, right=True) for rank in RANKS_DOWN))
    return Table("Folds, in % of deals", columns, tuple(rows), dense=True)


def _check_section(result: Mapping[str, Any], players: str) -> Section:
    check = result["independent_check"]
    ev, test = check["ev_per_ante"], check["chi_square"]
    text = (
        f"The referee played {whole(check['rounds'])} random rounds (seed {check['seed']}, stream "
        f"{check['stream']}) with this strategy: EV {Decimal(ev['sampled']):.6f} per ante, "
        f"{ev['difference_in_standard_errors']} standard errors from the exact figure; chi-square "
        f"of the outcomes {Decimal(test['statistic']):.3f} with {test['degrees_of_freedom']} "
        f"degrees of freedom, p = {test['p_value']}. Sampled figures check the exact ones; they "
        "are not results."
    )
    rows = tuple(
        (
            row["outcome"].replace(".", ", ").replace("_", " "),
            whole(row["observed"]),
            f"{Decimal(row['expected']):,.2f}",
            row["difference_in_standard_errors"],
        )
        for row in check["outcomes"]
        if Decimal(row["expected"])
    )
    columns = (
        Column("outcome"),
        Column("observed", right=True),
        Column("expected", right=True),
        Column("standard errors", right=True),
    )
    title = f"Independent check, {players}, {result['strategy']} (sampled)"
    return Section(title, (text,), (Table("Outcomes", columns, rows),))


def _side_bet_section(bet: Mapping[str, Any]) -> Section:
    rows = (
        ("House edge", percent(bet["house_edge"]), bet["house_edge"]["exact"]),
        ("RTP", percent(bet["rtp"]), bet["rtp"]["exact"]),
        ("Hit frequency", percent(bet["hit_frequency"]), bet["hit_frequency"]["exact"]),
        ("SD per unit bet", fixed(bet["sd"]), "root of an exact number"),
    )
    columns = (Column("figure"), Column("value", right=True), Column("exactly"))
    text = f"Reading of ties: {bet['reading']}." if "reading" in bet else "On the dealer's hand."
    sheet = _par_sheet("Par sheet (per chip staked)", bet["par_sheet"], odds_text, bet["ev"])
    title = f"Side bet: {bet['label']} ({bet['method']})"
    return Section(title, (text,), (Table("Figures", columns, rows), sheet))


def _readings_section(certified: Mapping[str, Any]) -> Section:
    rows = tuple(
        (row["ruling"], row["setting"], row["value"], row["meaning"])
        for row in certified["readings"]
    )
    columns = (Column("ruling"), Column("setting"), Column("value"), Column("meaning"))
    return Section("Rule readings", (), (Table("Chosen readings", columns, rows),))


def _provenance_section(certificate: Certificate) -> Section:
    run, certified = certificate.run, certificate.certified
    rows = [
        ("certified part, SHA-256", certificate.digest),
        ("paytable, SHA-256", str(certified["paytable_digest"])),
        ("sources, SHA-256", str(run.get("source_digest", "unknown"))),
        ("time", str(run.get("time", "unknown"))),
    ]
    rows += [(f"version of {name}", str(v)) for name, v in run.get("versions", {}).items()]
    columns = (Column("what"), Column("value"))
    text = "Re-compute it with `ricochet verify FILE.json`; the sign-off is the reader's."
    signs = tuple((who, "", "") for who in ("prepared by", "checked by"))
    sign_table = Table(
        "Sign-off", (Column("who"), Column("name and reference"), Column("date")), signs
    )
    return Section("Provenance", (text,), (Table("Provenance", columns, tuple(rows)), sign_table))
