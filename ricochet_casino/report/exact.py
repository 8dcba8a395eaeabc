"""What a certificate says of exact results: the game of one player, and side bets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ricochet_casino.report import plots
from ricochet_casino.report.sessions import session_section
from ricochet_casino.report.tables import (
    Column,
    Number,
    Section,
    Table,
    chips,
    fixed,
    one_in,
    percent,
    sheet_name,
    whole,
)
from ricochet_casino.stats.exact import to_decimal


def exact_sections(
    result: Mapping[str, Any], ante: Fraction, *, brief: bool = False
) -> Iterator[Section]:
    """Figures, frequencies, contributions, par sheet, session, strategy map and check.

    Parameters
    ----------
    result
        An exact entry of a certificate.
    ante
        Chips of an ante: par sheets are in chips, contributions per ante.
    brief
        Without the session, which takes a second.
    """
    players = f"{result['players']} player{'s' if result['players'] > 1 else ''}"
    title = f"Main game, {players}, {result['strategy']} ({result['method']})"
    cycle = result["cycle"]
    text = (
        f"Cycle: {whole(cycle['deals'])} deals x {whole(cycle['completions_per_deal'])} "
        "completions. Every figure below is exact; events that cannot happen are left out."
    )
    tables = (
        _figures_table(result), _frequency_table(result), _contribution_table(result),
        _main_par_sheet(result, ante), _distribution_table(result),
    )  # fmt: skip
    drawn = (plots.contributions(result), plots.outcomes(result))
    sheet = sheet_name(result)
    yield Section(title, (text, *_award_lines(result)), tables, drawn, sheet)
    if not brief:
        yield session_section(result, f"Session, {players}, {result['strategy']}", sheet)
    yield Section(f"Strategy map, {players}, {result['strategy']}", (_map_text(result),),
                  (_map_table(result),), (plots.fold_map(result),), sheet)  # fmt: skip
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
    columns = (Column("part"), Column("of an ante", right=True, total="SUM({column})"))
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


def _par_columns(ante: Fraction) -> tuple[Column, ...]:
    """Columns of a par sheet; contributions are per ante, or per chip staked (an ante of 1)."""
    per_ante = "" if ante == 1 else f"*{ante.denominator}/{ante.numerator}"
    return (
        Column("event"),
        Column("combinations", right=True, total="SUM({column})"),
        Column("probability", True, True, "{combinations}/{total[combinations]}", "SUM({column})"),
        Column("1 in", right=True, formula="1/{probability}"),
        Column("pays", optional=True),
        Column("net", right=True),
        Column("contribution", True, False, "{probability}*{net}" + per_ante, "SUM({column})"),
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
    title: str,
    rows: Sequence[Mapping[str, Any]],
    pays: Callable[[Mapping[str, Any]], str],
    mean: Mapping[str, Any],
    ante: Fraction = Fraction(1),
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
    probability = fixed({"decimal": to_decimal(total_probability)})
    total = ("total", whole(cycle), probability, "", "", "", fixed(mean))
    return Table(title, _par_columns(ante), body, total)


def _main_par_sheet(result: Mapping[str, Any], ante: Fraction) -> Table:
    return _par_sheet(
        "Par sheet (chips; contribution per ante)",
        result["par_sheet"],
        pays_text,
        result["ev_per_ante"],
        ante,
    )


def _distribution_table(result: Mapping[str, Any]) -> Table:
    """Net results of a round with their combinations."""
    counted = [row for row in result["distribution"] if row["combinations"]]
    cycle = sum(row["combinations"] for row in counted)
    rows = []
    for row in counted:
        share = Fraction(row["combinations"], cycle)
        odds = {"decimal": to_decimal(1 / share)}
        cells = (whole(row["combinations"]), fixed({"decimal": to_decimal(share)}), one_in(odds))
        rows.append((chips(row["net"]), *cells))
    columns = (
        Column("net", right=True),
        Column("combinations", right=True, total="SUM({column})"),
        Column("probability", True, False, "{combinations}/{total[combinations]}", "SUM({column})"),
        Column("1 in", right=True, formula="1/{probability}"),
    )
    total = ("total", whole(cycle), fixed({"decimal": 1}), "")
    return Table("Net results of a round, in chips", columns, tuple(rows), total)


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
    for i, first in enumerate(plots.RANKS_DOWN):
        row = [first]
        for j, second in enumerate(plots.RANKS_DOWN):
            high, low = (first, second) if i <= j else (second, first)
            name = high + low + ("" if i == j else "s" if i < j else "o")
            hand = by_hand[name]
            share = Fraction(100 * hand["fold_deals"], hand["deals"])
            row.append(fixed({"decimal": to_decimal(share)}, 1))
        rows.append(tuple(row))
    columns = (Column(""), *(Column(rank, right=True) for rank in plots.RANKS_DOWN))
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
            Number(f"{Decimal(row['expected']):,.2f}", Decimal(row["expected"]), "#,##0.00"),
            fixed({"decimal": row["difference_in_standard_errors"]}, 3),
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
    sheet = sheet_name(result)
    return Section(title, (text,), (Table("Outcomes", columns, rows),), (), sheet)


def side_bet_section(bet: Mapping[str, Any]) -> Section:
    """Figures and par sheet of a side bet."""
    rows = (
        ("House edge", percent(bet["house_edge"]), bet["house_edge"]["exact"]),
        ("RTP", percent(bet["rtp"]), bet["rtp"]["exact"]),
        ("Hit frequency", percent(bet["hit_frequency"]), bet["hit_frequency"]["exact"]),
        ("EV per chip staked", fixed(bet["ev"]), bet["ev"]["exact"]),
        ("SD per unit bet", fixed(bet["sd"]), "root of an exact number"),
        ("Variance per unit bet", fixed(bet["variance"]), bet["variance"]["exact"]),
        ("Most the house can lose, per chip staked", chips(bet["maximum_exposure"]["exact"]),
         bet["maximum_exposure"]["exact"]),
    )  # fmt: skip
    columns = (Column("figure"), Column("value", right=True), Column("exactly"))
    text = f"Reading of ties: {bet['reading']}." if "reading" in bet else "On the dealer's hand."
    sheet = _par_sheet("Par sheet (per chip staked)", bet["par_sheet"], odds_text, bet["ev"])
    title = f"Side bet: {bet['label']} ({bet['method']})"
    drawn = (Table("Figures", columns, rows), sheet)
    return Section(title, (text,), drawn, (), str(bet["label"]))
