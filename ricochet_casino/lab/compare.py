"""Compare two paytables, or two strategies: the rules key by key, and every figure.

One player and side bets are exact. Two to seven players play the same deals under both, and the
difference has an interval of its own (`table_difference`).
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from ricochet_casino.config import KeyPath
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.readings import readings
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.solo_policies import Strategy, solo_table
from ricochet_casino.lab import DEFAULT_SEED, DIFFERENCE_DEALS
from ricochet_casino.lab.differences import table_difference
from ricochet_casino.lab.requests import Choice, choice_name, seats_for
from ricochet_casino.lab.running import Runner
from ricochet_casino.paytable import digest
from ricochet_casino.stats.exact import decimal_text, figure
from ricochet_casino.stats.intervals import LEVEL

__all__ = ["SCHEMA", "common_players", "compare", "rule_changes", "table_difference"]

SCHEMA: Final = "ricochet-casino/comparison/1"

_PLACES = 12
"""Decimals of the difference of two roots, which are known to 15 digits."""
_TEXTS: Final = ("title", "source", "notes")
_SIDE_FIGURES: Final = ("house_edge", "rtp", "hit_frequency", "sd", "maximum_exposure")


def compare(
    old: RicochetPokerPaytable,
    new: RicochetPokerPaytable,
    players: Sequence[int] | None = None,
    runner: Runner | None = None,
    *,
    deals: int = DIFFERENCE_DEALS,
    until: Fraction | None = None,
    strategy: Choice = "collective",
    new_strategy: Choice | None = None,
    seed: int = DEFAULT_SEED,
    level: Fraction = LEVEL,
    most: int | None = None,
) -> dict[str, Any]:
    """What differs between two paytables, in the rules and in every figure.

    Parameters
    ----------
    old, new
        The paytables; they may be the same, for two strategies. A difference is new less old.
    players
        Player counts; by default all that both cover.
    runner
        Workers, store and progress; the result does not depend on them.
    deals, until, seed, level, most
        As for `table_difference`, for two players and more.
    strategy, new_strategy
        Under the old paytable, and under the new one if it differs.

    Returns
    -------
    dict
        JSON values without floats, by `SCHEMA`.

    Raises
    ------
    PaytableError
        If a paytable does not cover a player count.
    ValueError
        If there is no player count that both cover, a strategy is unknown, or a number out of
        range.
    """
    runner = runner or Runner()
    counts = tuple(players) if players is not None else common_players(old, new)
    other = strategy if new_strategy is None else new_strategy
    # Refused before anything is begun.
    for count in counts:
        for paytable, choice in ((old, strategy), (new, other)):
            paytable.rules(count)
            if count == 1:
                Solo(paytable, _solo_strategy(paytable, choice))
            else:
                seats_for(choice, count)
    results = []
    for count in counts:
        if count == 1:
            results.append(_solo_result(old, new, strategy, other, runner))
            continue
        found = table_difference(
            old, new, count, runner, deals=deals, until=until,
            strategy=seats_for(strategy, count), new_strategy=seats_for(other, count),
            seed=seed, level=level, most=most,
        )  # fmt: skip
        found["spec"] = _without_paytables(found["spec"])
        results.append(found)
    return {
        "schema": SCHEMA,
        "game": old.game,
        "old": _described(old, strategy),
        "new": _described(new, other),
        "rules": rule_changes(old, new),
        "results": results,
        "side_bets": _side_bets(old, new),
    }


def common_players(old: RicochetPokerPaytable, new: RicochetPokerPaytable) -> tuple[int, ...]:
    """Player counts that both paytables cover.

    Raises
    ------
    ValueError
        If there is none.
    """
    both = tuple(count for count in old.players if count in new.players)
    if not both:
        covered = [" or ".join(map(str, paytable.players)) for paytable in (old, new)]
        raise ValueError(
            f"no number of players is covered by both: {old.title} has {covered[0]}, "
            f"{new.title} has {covered[1]}"
        )
    return both


def _described(paytable: RicochetPokerPaytable, strategy: Choice) -> dict[str, Any]:
    return {
        "title": paytable.title,
        "strategy": choice_name(strategy),
        "paytable_digest": digest(paytable),
        "paytable": paytable.model_dump(mode="json"),
    }


# --- Rules ---------------------------------------------------------------------------------------


def rule_changes(old: RicochetPokerPaytable, new: RicochetPokerPaytable) -> list[dict[str, Any]]:
    """The keys in which two paytables differ, texts about them and expected figures left out.

    Returns
    -------
    list of dict
        ``key`` (such as ``bonus.flush``), ``old`` and ``new`` (texts as in the file, None where
        there is no such key), and their readings in words where there are any.
    """
    contents = [dict(_leaves(paytable.model_dump(mode="json"))) for paytable in (old, new)]
    meanings = [
        {row["setting"]: row["meaning"] for row in readings(paytable)} for paytable in (old, new)
    ]
    changes = []
    for key in dict.fromkeys((*contents[0], *contents[1])):
        before, after = (content.get(key) for content in contents)
        if before == after or key.partition(".")[0] in (*_TEXTS, "expect"):
            continue
        changes.append(
            {
                "key": key,
                "old": before,
                "new": after,
                "old_meaning": meanings[0].get(key),
                "new_meaning": meanings[1].get(key),
            }
        )
    return changes


def _leaves(value: Any, path: KeyPath = ()) -> Iterator[tuple[str, str]]:
    """Keys with dots and their values as texts; lists in one."""
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _leaves(below, (*path, str(key)))
    elif isinstance(value, list):
        yield ".".join(map(str, path)), ", ".join(map(str, value))
    else:
        yield ".".join(map(str, path)), str(value)


# --- Figures -------------------------------------------------------------------------------------


def _solo_strategy(paytable: RicochetPokerPaytable, choice: Choice) -> Strategy:
    if isinstance(choice, HandTable | tuple):
        (seat,) = seats_for(choice, 1)
        if isinstance(seat, HandTable):
            return solo_table(seat, paytable.rules(1).kickout_class)
        return seat
    return choice


def _solo_result(
    old: RicochetPokerPaytable,
    new: RicochetPokerPaytable,
    strategy: Choice,
    new_strategy: Choice,
    runner: Runner,
) -> dict[str, Any]:
    """One player: both games exactly, and the difference of all their figures."""
    entries = []
    for side, paytable, choice in (("old", old, strategy), ("new", new, new_strategy)):
        solo = Solo(paytable, _solo_strategy(paytable, choice))
        entries.append(runner.run(solo, f"1 player, {solo.strategy_name}: {side}, exact")[0])
    before, after = entries
    figures = [_figures_of(entry) for entry in entries]
    names = [name for name in figures[0] if name in figures[1]]
    parts = [{row["part"]: row for row in entry["contributions"]} for entry in entries]
    nothing = figure(Fraction())
    return {
        "players": 1,
        "method": "exact",
        "strategy": {"old": before["strategy"], "new": after["strategy"]},
        "old": {name: figures[0][name] for name in names},
        "new": {name: figures[1][name] for name in names},
        "difference": {name: _difference(figures[0][name], figures[1][name]) for name in names},
        "contributions": [
            {
                "part": part,
                "old": _plain(parts[0].get(part)),
                "new": _plain(parts[1].get(part)),
                "difference": _difference(parts[0].get(part, nothing), parts[1].get(part, nothing)),
            }
            for part in dict.fromkeys((*parts[0], *parts[1]))
        ],
        "hands_decided_otherwise": [
            hand
            for hand, row in before["by_hand"].items()
            if row["decisions"] != after["by_hand"][hand]["decisions"]
        ],
    }


def _figures_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The figures among the parts of an entry."""
    return {
        name: value
        for name, value in entry.items()
        if isinstance(value, Mapping) and "decimal" in value
    }


def _plain(row: Mapping[str, Any] | None) -> dict[str, str] | None:
    """A figure without what else stands in its row."""
    return None if row is None else {key: row[key] for key in ("decimal", "exact") if key in row}


def _difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    """The second figure less the first: exact, or of roots to 12 decimals."""
    if "exact" in old and "exact" in new:
        return figure(Fraction(new["exact"]) - Fraction(old["exact"]))
    if "undefined" in (old["decimal"], new["decimal"]):
        return figure(None)
    found = Decimal(new["decimal"]) - Decimal(old["decimal"])
    return {"decimal": decimal_text(Fraction(round(found, _PLACES)))}


def _side_bets(old: RicochetPokerPaytable, new: RicochetPokerPaytable) -> list[dict[str, Any]]:
    """Each side bet of either paytable, exactly."""
    entries = [{row["name"]: row for row in side_bet_entries(one)} for one in (old, new)]
    found = []
    for name in dict.fromkeys((*entries[0], *entries[1])):
        row: dict[str, Any] = {"name": name, "method": "exact"}
        sides = [entry.get(name) for entry in entries]
        for side, entry in zip(("old", "new"), sides, strict=True):
            row[side] = entry and {key: entry[key] for key in _SIDE_FIGURES}
        if sides[0] and sides[1]:
            row["difference"] = {
                key: _difference(sides[0][key], sides[1][key]) for key in _SIDE_FIGURES
            }
        found.append(row)
    return found


def _without_paytables(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A specification with the paytables left out, which stand in the comparison already."""
    parameters = {
        name: {key: value[key] for key in value if key != "paytable"}
        if name in ("old", "new")
        else value
        for name, value in spec["parameters"].items()
    }
    return {**spec, "parameters": parameters}
