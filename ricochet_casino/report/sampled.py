"""What a certificate says of sampled tables of two to seven players."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ricochet_casino.report.plots import contributions
from ricochet_casino.report.tables import (
    Column,
    Number,
    Section,
    Table,
    chips,
    figure_table,
    fixed,
    level_text,
    percent,
    percent_and_half,
    result_title,
    sheet_name,
    whole,
)

_FIGURES = (
    ("house_edge", "House edge (loss per ante)", percent),
    ("rtp_per_ante", "RTP per ante", percent),
    ("element_of_risk", "Element of risk (loss per chip wagered)", percent),
    ("rtp_per_action", "RTP per action (per chip wagered)", percent),
    ("ev_per_ante", "EV per ante", fixed),
    ("average_bet", "Average bet, in antes", fixed),
    ("sd_per_round", "SD per round, in antes", fixed),
    ("fold_frequency", "Folds, per round", percent),
    ("play_frequency", "Plays, per round", percent),
    ("fold_per_decision", "Folds, per decision", percent),
    ("win_frequency", "Wins (shared ones too), per round", percent),
    ("split_frequency", "Shared pots, per round", percent),
    ("kickout_frequency", "Kickouts", percent),
    ("dealer_win_frequency", "Dealer wins", percent),
    ("house_net_per_round", "House net per round, in chips", fixed),
    ("house_sd_per_round", "House SD per round, in chips", fixed),
)
_SEAT_FIGURES = (
    ("rtp_per_ante", "RTP per ante", percent),
    ("ev_per_ante", "EV per ante", fixed),
    ("fold_frequency", "Folds, per round", percent),
    ("win_frequency", "Wins (shared ones too), per round", percent),
)


def sampled_sections(result: Mapping[str, Any]) -> list[Section]:
    """Figures with their intervals; by bonus line, pot, order of action and seat."""
    text = (
        f"{whole(result['deals'])} deals (seed {result['seed']}, stream {result['stream']}), "
        f"controls from a pilot of {whole(result['pilot']['deals'])} others. Figures without "
        "an interval are exact, all others are sampled; intervals hold at the level stated, "
        "whatever the paytable, and the deal is the sampling unit. Figures are per player, the "
        "mean over the seats, unless they say otherwise. What follows ± is half the width of the "
        "interval."
    )
    lines = [text, *_remarks(result)]
    tables = [figure_table(result, "Figures", _FIGURES)]
    tables += [
        figure_table(seat, f"Seat {seat['seat']} ({seat['strategy']})", _SEAT_FIGURES)
        for seat in result.get("by_seat", ())
    ]
    tables += [_order_table(result), _lines_table(result), _pots_table(result)]
    tables += _second_opinions(result)
    title = f"Main game, {result_title(result)}"
    drawn = (contributions(result),)
    return [Section(title, tuple(lines), tuple(tables), drawn, sheet_name(result))]


def _second_opinions(result: Mapping[str, Any]) -> list[Table]:
    """Raw results, and what is known of the optimum and of deviations, as figures."""
    entries = {"EV per ante, raw results of the same deals": result["raw"]["ev_per_ante"]}
    if "gap_sample" in result.get("optimum", {}):
        sample = result["optimum"]["gap_sample"]
        entries["What the policy loses to the optimum, of an ante"] = sample["gap_per_ante"]
    if "deviation" in result:
        deviation = result["deviation"]
        entries["Mean gain by deviating, of an ante, per decision"] = deviation["mean_gain"]
        if deviation["largest_gain"]:
            entries["Largest gain by deviating, of an ante"] = deviation["largest_gain"]
    figures = [(name, name, fixed) for name in entries]
    tables = [figure_table(entries, "Second opinions", figures)]
    optimum = result.get("optimum")
    if optimum:
        rows = (
            ("EV of the optimum, lower limit", fixed({"decimal": optimum["lower"]})),
            ("EV of the optimum, upper limit", fixed({"decimal": optimum["upper"]})),
            ("gap, by estimate", fixed({"decimal": optimum["gap"]})),
            ("level of both limits together", level_text(optimum)),
        )
        columns = (Column("limit"), Column("value", right=True))
        tables.append(Table("Optimum", columns, rows))
    return tables


def _remarks(result: Mapping[str, Any]) -> list[str]:
    found = []
    precision = result.get("precision")
    if precision:
        reached, asked = (percent({"decimal": precision[key]}, 4) for key in ("reached", "asked"))
        word = "reached" if precision["met"] else "NOT reached"
        found.append(f"Half width of the RTP's interval: {reached}; asked for {asked}: {word}.")
    if "optimum" in result:
        found.append(_optimum_text(result["optimum"]))
    if "deviation" in result:
        found.append(_deviation_text(result["deviation"]))
    exposure = chips(result["maximum_exposure"]["exact"])
    found.append(f"Maximum exposure of the house in one round: {exposure} chips.")
    raw = result["raw"]["ev_per_ante"]
    low, high = raw["interval"]
    found.append(
        f"Raw results of the same deals: EV {fixed(raw)} per ante, from {Decimal(low):.6f} to "
        f"{Decimal(high):.6f}."
    )
    check = result.get("independent_check")
    if check:
        found.append(
            f"Independent check: the referee played the first {whole(check['rounds'])} deals again "
            f"and got the same result for every seat in {whole(check['equal_rounds'])} of them."
        )
    return found


def _optimum_text(optimum: Mapping[str, Any]) -> str:
    low, high = (percent({"decimal": optimum[end]}) for end in ("lower", "upper"))
    text = f"EV of the optimum in [{low}, {high}] of an ante at {level_text(optimum)}."
    if "gap_sample" not in optimum:
        return text + " The policy is optimal: with two players every decision is exact."
    sample = optimum["gap_sample"]
    return (
        f"{text} The policy loses at most {percent({'decimal': optimum['gap']})} of an ante to it "
        f"by estimate, {percent({'decimal': sample['gap_per_ante']['interval'][1]})} at the limit "
        f"({whole(sample['deals'])} deals, {sample['inner']} inner draws; "
        f"{whole(sample['far']['deals'])} deals for rare great gaps)."
    )


def _deviation_text(deviation: Mapping[str, Any]) -> str:
    gain = deviation["mean_gain"]
    low, high = (percent({"decimal": end}, 2) for end in gain["interval"])
    return (
        f"Deviating from the strategy where a sample of its own says so gains {percent(gain, 4)} "
        f"of an ante per decision ({whole(deviation['decisions'])} decisions, "
        f"{whole(deviation['deviations'])} deviations), from {low} to {high} at {level_text(gain)}."
    )


def summary_section(results: Sequence[Mapping[str, Any]]) -> Section:
    """All results of a certificate side by side, a row for each."""
    rows = []
    for result in results:
        edge, rtp, fold = (percent_and_half(result[name]) for name in _SUMMARY)
        strategy = result["strategy"]
        names = strategy if isinstance(strategy, str) else ", ".join(dict.fromkeys(strategy))
        rows.append(
            (
                whole(result["players"]), names, edge, rtp, fold,
                percent_and_half(result["win_frequency"]), fixed(result["average_bet"], 4),
                fixed(result["sd_per_round"], 3), str(result["method"]),
            )
        )  # fmt: skip
    columns = (
        Column("players", right=True),
        Column("strategy"),
        Column("house edge", right=True),
        Column("RTP per ante", right=True),
        Column("folds", right=True),
        Column("wins", right=True),
        Column("average bet", right=True, optional=True),
        Column("SD", right=True, optional=True),
        Column("method"),
    )
    text = (
        "Per player and per round. What follows ± is half the width of the interval, in the same "
        "unit; figures without it are exact, except average bet and SD, whose intervals are below."
    )
    return Section("All tables", (text,), (Table("Main game", columns, tuple(rows)),))


_SUMMARY = ("house_edge", "rtp_per_ante", "fold_frequency")


def _order_table(result: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            f"{row['place']} of {result['players']}",
            *(percent_and_half(row[name]) for name, _, _ in _SEAT_FIGURES),
        )
        for row in result["by_order"]
    )
    columns = (
        Column("acts"),
        Column("RTP per ante", right=True),
        Column("EV per ante", right=True, optional=True),
        Column("folds", right=True),
        Column("wins", right=True),
    )
    return Table("By order of action", columns, rows)


def _lines_table(result: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            row["line"].replace("_", " "),
            chips(row["pays"]),
            _per_million(row["frequency"]),
            percent_and_half(row["contribution"]),
        )
        for row in result["bonus_lines"]
    )
    columns = (
        Column("line"),
        Column("pays", right=True),
        Column("per million hands", right=True),
        Column("of an ante", right=True),
    )
    return Table("Bonus lines", columns, rows)


def _per_million(figure: Mapping[str, Any]) -> str:
    low, high = (Decimal(end) * 10**6 for end in figure["interval"])
    number, half = Decimal(figure["decimal"]) * 10**6, (high - low) / 2
    return Number(f"{number:,.2f} ± {half:,.2f}", number, "#,##0.00", half)


def _pots_table(result: Mapping[str, Any]) -> Table:
    rows = tuple(
        (chips(row["chips"]), whole(row["play_bets"]), percent_and_half(row["frequency"]))
        for row in result["pot_sizes"]
    )
    columns = (
        Column("chips", right=True),
        Column("play bets", right=True),
        Column("of the rounds", right=True),
    )
    return Table("Final pot", columns, rows)
