"""What studies of paytables say: re-pricings, sensitivities, tunings and comparisons."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ricochet_casino.config import digest
from ricochet_casino.report.outline import is_figure, label, list_table, shown, tables_of
from ricochet_casino.report.record import flat_rows
from ricochet_casino.report.sensitivity import sensitivity_sections
from ricochet_casino.report.tables import Column, Section, Table

_APART: Final = ("paytable", "old", "new", "results", "side_bets", "kickout_curve", "run", "spec")
"""Parts that have sections of their own."""
_SENSITIVITY: Final = ("now", "lines", "kickout")


def study_sections(kind: str, data: Mapping[str, Any]) -> list[Section]:
    """All sections of a document, in reading order.

    Parameters
    ----------
    kind
        What it is, for the title.
    data
        The document.
    """
    found = [_heading(kind, data), *_side_by_side_sections(data)]
    if "kickout_curve" in data:
        found += sensitivity_sections(data)
    apart = (*_APART, *(_SENSITIVITY if "kickout_curve" in data else ()))
    for key, part in data.items():
        if key in apart or not isinstance(part, list | dict):
            continue
        tables = tuple(tables_of({key: part}, ""))
        if tables:
            name = label(key).capitalize()
            found.append(Section(name, (), tables, sheet=name))
    found += _input_sections(data)
    return [*found, _provenance(data)]


def _heading(kind: str, data: Mapping[str, Any]) -> Section:
    titles = {side: str(part["title"]) for side, part in _paytables(data).items()}
    title = f"{kind.capitalize()}: {next(iter(titles.values()), 'no paytable')}"
    rows = tuple(titles.items()) + tuple(
        (label(key), str(value))
        for key, value in sorted(data.items())
        if isinstance(value, str | int) and key != "paytable_digest"
    )
    text = (
        "Figures without an interval are exact. House edge and RTP are per ante, element of risk "
        "and RTP per action per chip wagered, side bets per chip staked; differences are new less "
        "old. What follows ± is half the width of an interval."
    )
    table = Table("About", (Column("what"), Column("value")), rows)
    return Section(title, (text,), (table,))


def _paytables(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The paytables in a document: the one, or the old and the new one."""
    if "paytable" in data:
        return {"paytable": data["paytable"]}
    return {side: data[side]["paytable"] for side in ("old", "new")
            if isinstance(data.get(side), dict) and "paytable" in data[side]}  # fmt: skip


def _side_by_side_sections(data: Mapping[str, Any]) -> Iterator[Section]:
    """Old, new and difference of every figure, for each number of players and each side bet."""
    for key, word in (("results", "players"), ("side_bets", "side bet")):
        if key == "side_bets" and "kickout_curve" in data:
            continue  # steps of a sensitivity
        entries = data.get(key, ())
        pairs = [entry for entry in entries if _has_sides(entry)]
        for entry in pairs:
            about = _about(entry, word)
            rest = {part: value for part, value in entry.items() if part not in _SIDES}
            tables = (_side_by_side(entry), *tables_of(rest, "More"))
            yield Section(f"Old and new, {about}", (), tables, sheet=about)
        others = [entry for entry in entries if entry not in pairs]
        if others:
            name = label(key).capitalize()
            yield Section(name, (), (list_table(others, name),), sheet=name)


_SIDES: Final = ("old", "new", "difference", "spec", "players", "name")


def _has_sides(entry: Mapping[str, Any]) -> bool:
    return all(isinstance(entry.get(side), dict) for side in ("old", "new"))


def _about(entry: Mapping[str, Any], word: str) -> str:
    """What an entry is about: "1 player", "side bet cover"."""
    if "players" in entry:
        return "1 player" if entry["players"] == 1 else f"{entry['players']} players"
    return f"{word} {entry.get('name', '')}"


def _side_by_side(entry: Mapping[str, Any]) -> Table:
    """A row for each figure: old, new, and the difference if the document has it."""
    sides = [side for side in ("old", "new", "difference") if isinstance(entry.get(side), dict)]
    names = dict.fromkeys(name for side in sides for name in entry[side])
    rows = []
    for name in names:
        found = [entry[side].get(name) for side in sides]
        if any(map(is_figure, found)):
            cells = [shown(name, part) if is_figure(part) else "-" for part in found]
            rows.append((label(name), *cells))
    columns = (Column("figure"), *(Column(side, right=True) for side in sides))
    return Table("Figures", columns, tuple(rows))


def _input_sections(data: Mapping[str, Any]) -> Iterator[Section]:
    columns = (Column("key"), Column("value"))
    tables = [
        Table(side.capitalize(), columns, tuple(flat_rows(paytable)))
        for side, paytable in _paytables(data).items()
    ]
    if "spec" in data:
        tables.append(Table("Request", columns, tuple(flat_rows(data["spec"]))))
    yield Section("Inputs", (), tuple(tables), sheet="Inputs")


def _provenance(data: Mapping[str, Any]) -> Section:
    rows = [("document, SHA-256", digest(data))]
    rows += [
        (f"{side} paytable, SHA-256", str(data[side]["paytable_digest"]))
        for side in ("old", "new")
        if isinstance(data.get(side), dict) and "paytable_digest" in data[side]
    ]
    if "paytable_digest" in data:
        rows.append(("paytable, SHA-256", str(data["paytable_digest"])))
    if isinstance(data.get("run"), dict):
        rows += flat_rows(data["run"])
        text = "When, where and with what it was made."
    else:
        text = "When, where and with what it was made: not in this document."
    signs = tuple((who, "", "") for who in ("prepared by", "checked by"))
    sign = Table("Sign-off", (Column("who"), Column("name and reference"), Column("date")), signs)
    table = Table("Provenance", (Column("what"), Column("value")), tuple(rows))
    return Section("Provenance", (text,), (table, sign), sheet="Provenance")
