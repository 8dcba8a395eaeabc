"""One paytable beside another: every figure of one player and of the side bets, exactly."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries
from ricochet_casino.games.ricochet_poker.solo_figures import (
    SoloOutcomes,
    solo_entry,
    solo_figures,
)
from ricochet_casino.games.ricochet_poker.spectrum import Spectrum
from ricochet_casino.lab.settings import apply_settings
from ricochet_casino.paytable import digest
from ricochet_casino.stats.exact import difference, figure, square_root

__all__ = ["SCHEMA", "Repricer", "apply_settings", "reprice"]

SCHEMA: Final = "ricochet-casino/reprice/1"

Repricer = Callable[[RicochetPokerPaytable, RicochetPokerPaytable, str], dict[str, Any]]
"""From the old and the new paytable and a strategy to a result with ``old``, ``new`` and
``difference``, for one number of players."""


def reprice(
    old: RicochetPokerPaytable,
    new: RicochetPokerPaytable,
    spectrum: Spectrum,
    *,
    strategy: str = "collective",
    settings: tuple[str, ...] = (),
    tables: Mapping[int, Repricer] | None = None,
) -> dict[str, Any]:
    """Set two paytables side by side.

    Parameters
    ----------
    old, new
        Both cover one player, unless ``tables`` are given.
    spectrum
        From `load_spectrum`.
    strategy
        A strategy by name; the best decisions are made anew under each paytable.
    settings
        What was changed, for the record.
    tables
        For tables of more players: what prices them, by number of players.

    Returns
    -------
    dict
        JSON values without floats: ``old``, ``new`` (paytables with digests), ``results`` (for each
        number of players the entries of both and the exact difference of each figure) and
        ``side_bets`` (the same for each bet that both offer).

    Raises
    ------
    ValueError
        If a paytable covers none of the player counts in question, or for an unknown strategy.
    """
    results = []
    if 1 in old.players and 1 in new.players:
        results.append(_solo(old, new, spectrum, strategy))
    for players, price in sorted((tables or {}).items()):
        results.append(price(old, new, strategy) | {"players": players})
    if not results:
        raise ValueError("the paytables do not both cover one player")
    return {
        "schema": SCHEMA,
        "settings": list(settings),
        "strategy": strategy,
        "old": _paytable(old),
        "new": _paytable(new),
        "results": results,
        "side_bets": _side_bets(old, new),
    }


def _paytable(paytable: RicochetPokerPaytable) -> dict[str, Any]:
    return {"paytable": paytable.model_dump(mode="json"), "paytable_digest": digest(paytable)}


def _solo(
    old: RicochetPokerPaytable, new: RicochetPokerPaytable, spectrum: Spectrum, strategy: str
) -> dict[str, Any]:
    entries, figures = [], []
    for rules in (old.rules(1), new.rules(1)):
        tally = spectrum.tally(rules, strategy, by_hand=False)
        entries.append(solo_entry(rules, tally, strategy))
        figures.append(solo_figures(SoloOutcomes(rules, tally)))
    changes = {name: figure(_change(figures[1][name], figures[0][name])) for name in figures[0]}
    exposures = [Fraction(entry["maximum_exposure"]["exact"]) for entry in entries]
    changes["maximum_exposure"] = figure(exposures[1] - exposures[0])
    contributions = [
        {row["part"]: Fraction(row["exact"]) for row in entry["contributions"]} for entry in entries
    ]
    parts = dict.fromkeys([*contributions[0], *contributions[1]])
    return {
        "players": 1,
        "strategy": strategy,
        "method": "exact",
        "old": entries[0],
        "new": entries[1],
        "difference": changes,
        "contributions_difference": [
            {"part": part, **figure(contributions[1].get(part, Fraction())
                                    - contributions[0].get(part, Fraction()))}
            for part in parts
        ],
    }  # fmt: skip


def _change(
    new: Fraction | Decimal | None, old: Fraction | Decimal | None
) -> Fraction | Decimal | None:
    """New - old; None where one of them is not defined."""
    return None if new is None or old is None else difference(new, old)


def _side_bets(old: RicochetPokerPaytable, new: RicochetPokerPaytable) -> list[dict[str, Any]]:
    after = {entry["name"]: entry for entry in side_bet_entries(new)}
    found = []
    for entry in side_bet_entries(old):
        other = after.get(entry["name"])
        if other is None:
            continue
        changes = {
            name: figure(Fraction(other[name]["exact"]) - Fraction(entry[name]["exact"]))
            for name in entry
            if isinstance(entry[name], dict) and "exact" in entry[name]
        }
        roots = [square_root(Fraction(bet["variance"]["exact"])) for bet in (other, entry)]
        changes["sd"] = figure(difference(*roots))
        found.append({"name": entry["name"], "old": entry, "new": other, "difference": changes})
    return found
