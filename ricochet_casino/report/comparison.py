"""What a comparison says: rules that differ, and every figure of both games side by side."""

import json
from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final

from ricochet_casino.report.tables import (
    Column,
    Form,
    Section,
    Table,
    fixed,
    level_text,
    percent,
)
from ricochet_casino.report.terminal import to_text

FORMATS: Final = ("text", "json")

_FIGURES: Final[Mapping[str, tuple[str, Form]]] = {
    "rtp_per_ante": ("RTP per ante", percent),
    "house_edge": ("house edge", percent),
    "element_of_risk": ("element of risk", percent),
    "rtp_per_action": ("RTP per action", percent),
    "average_bet": ("average bet, antes", fixed),
    "fold_frequency": ("folds", percent),
    "play_frequency": ("plays", percent),
    "kickout_frequency": ("kickouts", percent),
    "win_frequency": ("wins", percent),
    "push_frequency": ("pushes", percent),
    "hit_frequency": ("hits", percent),
    "sd_per_round": ("SD, antes", fixed),
    "volatility_index": ("volatility index", fixed),
    "skewness": ("skewness", fixed),
    "maximum_exposure": ("maximum exposure, chips", fixed),
    "class_map_loss": ("loss of the class map", percent),
}
_SIDE_FIGURES: Final[Mapping[str, tuple[str, Form]]] = {
    "house_edge": ("house edge", percent),
    "hit_frequency": ("hits", percent),
    "sd": ("SD, stakes", fixed),
    "maximum_exposure": ("pays at most, stakes", fixed),
}


def render(found: Mapping[str, Any], form: str) -> str:
    """A comparison as text in one of `FORMATS`.

    Raises
    ------
    ValueError
        For another format.
    """
    if form == "json":
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if form == "text":
        return to_text(sections(found))
    raise ValueError(f"unknown format {form!r}: expected {' or '.join(FORMATS)}")


def sections(found: Mapping[str, Any]) -> list[Section]:
    """All sections, in reading order."""
    old, new = found["old"], found["new"]
    heads = tuple(
        f"{name}: {side['title']}; {side['strategy']}; digest {side['paytable_digest'][:12]}"
        for name, side in (("old", old), ("new", new))
    )
    chapters = [_result_section(result) for result in found["results"]]
    rules = Section("Rules that differ", *_rules(found["rules"]))
    bets = [_side_bet_table(row) for row in found["side_bets"]]
    sides = [Section("Side bets, exact", (), tuple(bets))] if bets else []
    return [Section("Comparison", heads), rules, *chapters, *sides]


def _rules(changes: list[Mapping[str, Any]]) -> tuple[tuple[str, ...], tuple[Table, ...]]:
    if not changes:
        return ("none",), ()
    rows = []
    for change in changes:
        said = [text for text in (change["old_meaning"], change["new_meaning"]) if text]
        meaning = " -> ".join(dict.fromkeys(said))
        rows.append((change["key"], change["old"] or "-", change["new"] or "-", meaning))
    columns = (Column("key"), Column("old", right=True), Column("new", right=True),
               Column("reading", optional=True))  # fmt: skip
    return (), (Table("", columns, tuple(rows)),)


def _result_section(result: Mapping[str, Any]) -> Section:
    players, names = result["players"], result["strategy"]
    who = f"{players} player{'s' if players > 1 else ''}"
    listed = [
        name if isinstance(name, str) else ", ".join(name) for name in (names["old"], names["new"])
    ]
    how = " / ".join(dict.fromkeys(listed))
    if result["method"] == "exact":
        lines = [_solo_table(result), _contributions(result)]
        changed = result["hands_decided_otherwise"]
        text = f"Starting hands with other decisions: {len(changed)} of 169."
        return Section(f"{who}, {how}, exact", (text,), tuple(lines))
    return sampled_section(result, f", {how}")


def sampled_section(result: Mapping[str, Any], how: str = "") -> Section:
    """Figures of two tables on the same deals, and their difference with its interval."""
    level = level_text(result["difference"]["rtp_per_ante"])
    text = (
        f"{result['deals']:,} deals, seed {result['seed']}, each played under both; {level} "
        "intervals. The difference is known better than either game."
    )
    title = f"{result['players']} players{how}, sampled"
    return Section(title, (text,), (_sampled_table(result),))


def _solo_table(result: Mapping[str, Any]) -> Table:
    rows = [
        (label, *(form(result[side][name]) for side in ("old", "new")),
         _signed(result["difference"][name], form))
        for name, (label, form) in _FIGURES.items()
        if name in result["difference"]
    ]  # fmt: skip
    return Table("Figures", _columns("figure"), tuple(rows))


def _contributions(result: Mapping[str, Any]) -> Table:
    rows = []
    for row in result["contributions"]:
        both = ["-" if row[side] is None else percent(row[side]) for side in ("old", "new")]
        rows.append((row["part"], *both, _signed(row["difference"], percent)))
    return Table("Share of the EV per ante", _columns("part"), tuple(rows))


def _columns(first: str) -> tuple[Column, ...]:
    return (Column(first), Column("old", right=True), Column("new", right=True),
            Column("difference", right=True))  # fmt: skip


def _sampled_table(result: Mapping[str, Any]) -> Table:
    rows = []
    for name, (label, form) in _FIGURES.items():
        if name not in result["difference"]:
            continue
        difference = result["difference"][name]
        rows.append(
            (
                label,
                *(with_width(result[side][name], form) for side in ("old", "new")),
                _signed(difference, form),
                *(_signed({"decimal": end}, form) for end in difference["interval"]),
            )
        )
    columns = (*_columns("figure"), Column("from", right=True), Column("to", right=True))
    return Table("", columns, tuple(rows))


def with_width(figure: Mapping[str, Any], form: Form) -> str:
    """A sampled figure with the half width of its interval, rounded up."""
    low, high = map(Decimal, figure["interval"])
    middle = Decimal(figure["decimal"])
    width = max(high - middle, middle - low)
    if form is percent:
        half = (width * 100).quantize(Decimal("0.0001"), ROUND_CEILING)
        return f"{middle * 100:.4f} ± {half} %"
    return f"{middle:.6f} ± {width.quantize(Decimal('0.000001'), ROUND_CEILING)}"


def _signed(figure: Mapping[str, Any], form: Form) -> str:
    """A difference with its sign; 0 has none."""
    text = form(figure)
    number = figure["decimal"]
    return f"+{text}" if number != "undefined" and Decimal(number) > 0 else text


def _side_bet_table(row: Mapping[str, Any]) -> Table:
    rows = []
    for name, (label, form) in _SIDE_FIGURES.items():
        old, new = (None if row[side] is None else row[side][name] for side in ("old", "new"))
        change = _signed(row["difference"][name], form) if "difference" in row else "-"
        rows.append((label, *("not offered" if f is None else form(f) for f in (old, new)), change))
    return Table(row["name"], _columns("per stake"), tuple(rows))
