"""What the designer's commands say: re-priced, sensitive and tuned paytables as tables."""

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from ricochet_casino.report.tables import Column, Form, Section, Table, fixed, percent, whole
from ricochet_casino.report.terminal import to_text

_SHOWN: Final = 20
_CURVE_AROUND: Final = 12

_GAME: Final[tuple[tuple[str, str, Form], ...]] = (
    ("house_edge", "house edge", percent),
    ("rtp_per_ante", "RTP per ante", percent),
    ("element_of_risk", "element of risk", percent),
    ("average_bet", "average bet", fixed),
    ("fold_frequency", "folds", percent),
    ("win_frequency", "wins", percent),
    ("kickout_frequency", "dealer out", percent),
    ("hit_frequency", "hit frequency", percent),
    ("sd_per_round", "SD", fixed),
    ("skewness", "skewness", fixed),
    ("maximum_exposure", "top exposure, chips", lambda figure: fixed(figure, 2)),
)
_BET: Final[tuple[tuple[str, str, Form], ...]] = (
    ("house_edge", "house edge", percent),
    ("rtp", "RTP", percent),
    ("hit_frequency", "hit frequency", percent),
    ("sd", "SD", fixed),
    ("maximum_exposure", "top exposure, stakes", lambda figure: fixed(figure, 2)),
)
_QUICK: Final[tuple[tuple[str, str, Form], ...]] = (
    ("rtp_per_ante", "RTP", percent),
    ("sd", "SD", lambda figure: fixed(figure, 4)),
    ("hit_frequency", "hit", percent),
    ("fold_frequency", "folds", percent),
    ("maximum_exposure", "exposure", lambda figure: fixed(figure, 2)),
)

Sections = Callable[[Mapping[str, Any]], list[Section]]


def render(found: Mapping[str, Any], form: str) -> str:
    """A result of reprice, sensitivity or tune as ``text`` or ``json``.

    Raises
    ------
    ValueError
        For another format or another kind of result.
    """
    if form == "json":
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if form == "text":
        return to_text(sections(found))
    raise ValueError(f"unknown format {form!r}: expected text or json")


def sections(found: Mapping[str, Any]) -> list[Section]:
    """All sections, in reading order, by the kind of result.

    Raises
    ------
    ValueError
        For another kind of result.
    """
    kinds: dict[str, Sections] = {
        "ricochet-casino/reprice/1": reprice_sections,
        "ricochet-casino/sensitivity/1": sensitivity_sections,
        "ricochet-casino/tune/1": tune_sections,
    }
    schema = str(found.get("schema"))
    if schema not in kinds:
        raise ValueError(f"unknown kind of result {schema!r}; expected one of {', '.join(kinds)}")
    return kinds[schema](found)


def signed(figure: Mapping[str, Any], form: Form) -> str:
    """A change: as the figure is written, with its sign; nothing if there is none."""
    text = str(figure["decimal"])
    if text == "undefined" or Decimal(text) == 0:
        return "" if text != "undefined" else text
    return form(figure) if text.startswith("-") else f"+{form(figure)}"


def reprice_sections(found: Mapping[str, Any]) -> list[Section]:
    """Old and new side by side."""
    titles = [str(found[side]["paytable"]["title"]) for side in ("old", "new")]
    changed = ", ".join(found["settings"]) or "nothing by --set"
    heading = Section(
        titles[0],
        (f"Changed: {changed}. Strategy: {found['strategy']}, decided anew for each paytable.",),
    )
    chapters = [_compared(result) for result in found["results"]]
    bets = [
        Section(str(bet["old"]["label"]), (), (_side_by_side(bet, "Per chip staked", _BET),))
        for bet in found["side_bets"]
        if bet["old"] != bet["new"]
    ]
    return [heading, *chapters, *bets]


def _compared(result: Mapping[str, Any]) -> Section:
    players = result["players"]
    title = f"{players} player{'s' if players > 1 else ''}"
    tables = [_side_by_side(result, "Figures, per ante", _GAME)]
    if "contributions_difference" in result:
        tables.append(_contributions(result))
    return Section(title, (), tuple(tables))


def _side_by_side(
    result: Mapping[str, Any], title: str, figures: Sequence[tuple[str, str, Form]]
) -> Table:
    rows = []
    for name, label, form in figures:
        if name in result["old"] and name in result["difference"]:
            values = [form(result[side][name]) for side in ("old", "new")]
            rows.append((label, *values, signed(result["difference"][name], form)))
    return Table(title, _columns("figure", "old", "new", "difference"), tuple(rows))


def _contributions(result: Mapping[str, Any]) -> Table:
    sides = [{row["part"]: row for row in result[side]["contributions"]} for side in ("old", "new")]
    rows = []
    for change in result["contributions_difference"]:
        values = [percent(side[change["part"]]) if change["part"] in side else "" for side in sides]
        name = str(change["part"]).replace("_", " ")
        rows.append((name, *values, signed(change, percent)))
    columns = _columns("part", "old", "new", "difference")
    return Table("Contributions to the EV, per ante", columns, tuple(rows))


def _columns(first: str, *others: str) -> tuple[Column, ...]:
    return (Column(first), *(Column(name, right=True) for name in others))


def sensitivity_sections(found: Mapping[str, Any]) -> list[Section]:
    """What one step of each setting does, and the kickout curve around where it stands."""
    now = found["now"]
    text = "; ".join(f"{label} {form(now[name])}" for name, label, form in _QUICK)
    heading = Section(
        str(found["paytable"]["title"]),
        (f"One player, {found['strategy']}, exact. Now: {text}.",),
        (
            _steps("One chip more on a bonus line", found["lines"]),
            _steps("The kickout hand", found["kickout"]),
        ),
    )
    chapters = [heading]
    if found["side_bets"]:
        table = _steps("One chip more for each chip staked", found["side_bets"], by_bet=True)
        chapters.append(Section("Side bets", (), (table,)))
    return [*chapters, _curve_section(found["kickout_curve"])]


def _steps(title: str, rows: Sequence[Mapping[str, Any]], *, by_bet: bool = False) -> Table:
    shown = _QUICK[:3] if by_bet else _QUICK
    cells = [
        (
            str(row["setting"]),
            str(row["was"]),
            str(row.get("move", "")),
            percent(row["figures"]["rtp_per_ante"]),
            *(signed(row["change"][name], form) for name, _, form in shown),
        )
        for row in rows
    ]
    columns = (
        Column("setting"), Column("was"), Column("move", optional=True),
        Column("RTP then", right=True),
        *(Column(f"{label} +/-", right=True) for _, label, _ in shown),
    )  # fmt: skip
    if not any("move" in row for row in rows):
        columns = (*columns[:2], *columns[3:])
        cells = [(*row[:2], *row[3:]) for row in cells]
    return Table(title, columns, tuple(cells))


def _curve_section(curve: Sequence[Mapping[str, Any]]) -> Section:
    place = next(index for index, point in enumerate(curve) if point["now"])
    begin = max(0, place - _CURVE_AROUND)
    points = curve[begin : place + _CURVE_AROUND + 1]
    rows = [
        (
            f"{point['kickout']}{' (now)' if point['now'] else ''}",
            *(form(point["figures"][name]) for name, _, form in _QUICK),
        )
        for point in points
    ]
    columns = _columns("kickout", *(label for _, label, _ in _QUICK))
    text = f"{len(points)} of {whole(len(curve))} points; --format json has all."
    return Section(
        "Kickout curve", (text,), (Table("Around the present hand", columns, tuple(rows)),)
    )


def tune_sections(found: Mapping[str, Any]) -> list[Section]:
    """The combinations that meet the target, or the nearest ones."""
    goal, numbers = found["goal"], found["combinations"]
    target = f"{percent(goal['target_rtp'])}, within {percent(goal['within'])}"
    bet = "" if found["bet"] == "main" else f" of {found['bet']}"
    told = [f"{whole(numbers['all'])} combinations, each exact. Target RTP{bet}: {target}."]
    left_out = [
        f"{whole(numbers[name])} {text}"
        for name, text in (
            ("impossible", "cannot be paid in whole coins"),
            ("not_rising", "do not pay more for better hands"),
            ("out_of_bounds", "break a bound"),
        )
        if numbers[name]
    ]
    if left_out:
        told.append("Left out: " + ", ".join(left_out) + ".")
    if found["first_impossible"]:
        told.append(f"First that cannot be paid: {found['first_impossible']}.")
    met = whole(numbers["met"]) if numbers["met"] else "None"
    heading = f"{met} meet{'' if numbers['met'] else 's'} the target"
    tables = []
    if found["listed"]:
        shown = found["listed"][:_SHOWN]
        order = f"sorted by {goal['sort'].replace('_', ' ')}"
        title = f"The first {len(shown)} of {whole(numbers['met'])}, {order}"
        tables.append(_combinations(title, [("", row) for row in shown]))
    nearest = [(side, row) for side, row in found["nearest"].items() if row]
    if nearest:
        tables.append(_combinations("Nearest below and above the target", nearest))
    return [
        Section(str(found["paytable"]["title"]), tuple(told)),
        Section(heading, (), tuple(tables)),
    ]


def _combinations(title: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    players = list(rows[0][1]["figures"])
    cells = []
    for side, row in rows:
        figures = [
            form(row["figures"][count][name]) for count in players for name, _, form in _QUICK
        ]
        settings = ", ".join(setting.replace(" to 1", "") for setting in row["settings"])
        cells.append((side, settings, *figures, percent(row["distance"])))
    several = len(players) > 1
    names = [
        f"{label} ({count})" if several else label for count in players for _, label, _ in _QUICK
    ]
    columns = (Column("side"), *_columns("settings", *names, "distance"))
    if not any(side for side, _ in rows):
        columns, cells = columns[1:], [row[1:] for row in cells]
    return Table(title, columns, tuple(cells))
