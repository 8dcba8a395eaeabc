"""What a change does at tables of one to seven players, by the same deals under both rules."""

from fractions import Fraction
from typing import Any

from ricochet_casino.games.ricochet_poker.difference_figures import DifferencePilot
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.table_difference import (
    Side,
    Strategies,
    TableDifference,
)
from ricochet_casino.games.ricochet_poker.table_sampling import BLOCK
from ricochet_casino.lab import DEFAULT_SEED, DIFFERENCE_DEALS, DIFFERENCE_PILOT
from ricochet_casino.lab.running import Runner
from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import LEVEL

_ROOM = Fraction(21, 20)
"""The pilot only estimates the spread: so many times the deals that it asks for are taken."""


def table_difference(
    old: RicochetPokerPaytable,
    new: RicochetPokerPaytable,
    players: int,
    runner: Runner | None = None,
    *,
    deals: int = DIFFERENCE_DEALS,
    until: Fraction | None = None,
    strategy: Strategies = "collective",
    new_strategy: Strategies | None = None,
    seed: int = DEFAULT_SEED,
    level: Fraction = LEVEL,
    pilot: int = DIFFERENCE_PILOT,
    most: int | None = None,
) -> dict[str, Any]:
    """Figures of two tables on the same deals, and of their difference, all with intervals.

    Parameters
    ----------
    old, new
        The paytables; they may be the same, for two strategies.
    players
        1 to 7, as both cover.
    runner
        Workers, store and progress; the result does not depend on them.
    deals
        How many, unless `until` is given.
    until
        Half width that the interval of the RTP's difference is to have; the pilot tells how many
        deals that takes.
    strategy, new_strategy
        At the old table, and at the new one if it differs: one for all seats or one per seat.
    seed, level
        Of the deals and of the intervals.
    pilot
        Deals of each of the two pilots.
    most
        Refuse more deals than this, where `until` asks for them.

    Returns
    -------
    dict
        JSON values: ``old``, ``new`` and ``difference`` hold ``rtp_per_ante``, ``average_bet``,
        ``fold_frequency``, ``play_frequency`` and ``win_frequency``; also the experiment's
        ``spec`` and its ``blocks``.

    Raises
    ------
    PaytableError
        If a paytable does not cover so many players.
    ValueError
        If a number is out of range, a strategy unknown, or more than `most` deals are needed.
    """
    runner = runner or Runner()
    if until is not None and not 0 < until < 1:
        raise ValueError(f"a half width must be above 0 and below 1, got {until}")
    if pilot < 2:
        raise ValueError(f"a pilot needs 2 deals or more, got {pilot}")
    sides = Side(old, strategy), Side(new, strategy if new_strategy is None else new_strategy)
    label = f"{players} player{'s' if players > 1 else ''}, {_names(sides, players)}"
    # Refused before anything is begun.
    first = TableDifference(*sides, players, deals if until is None else 1, seed, level=level)
    choices = []
    for draw_controls in (False, True) if players > 1 else (False,):
        trial = TableDifference(*sides, players, pilot, seed, None, draw_controls, level)
        found, blocks = runner.run(trial, f"{label}: pilot")
        parsed = DifferencePilot.from_json(found)
        size = deals if until is None else _needed(trial, parsed, until)
        sample = TableDifference(*sides, players, size, seed, parsed, draw_controls, level)
        width = sample.bets(parsed).expected_half_width()
        # Of two that are good enough the one with fewer deals, else the narrower one.
        rank = (width, 0) if until is None else (Fraction(size), width)
        choices.append((rank, draw_controls, sample, blocks))
        if first.same:
            break
    _, _, sample, pilot_blocks = min(choices, key=lambda choice: choice[:2])
    if most is not None and until is not None and sample.deals > most:
        raise ValueError(
            f"{label}: the difference within {decimal_text(until * 100, 4)} % would take about "
            f"{sample.deals:,} deals; expected a wider one, or go on with --yes"
        )
    entry, blocks = runner.run(sample, f"{label}: {sample.deals:,} deals")
    entry["pilot_blocks"], entry["blocks"] = pilot_blocks, blocks
    if until is not None:
        low, high = map(Fraction, entry["difference"]["rtp_per_ante"]["interval"])
        entry["precision"] = {"asked": decimal_text(until), "met": (high - low) / 2 <= until}
    entry["spec"] = sample.spec()
    return entry


def _needed(trial: TableDifference, pilot: DifferencePilot, until: Fraction) -> int:
    """Deals for the precision asked for, in whole blocks."""
    if trial.same:
        return BLOCK
    needed = trial.bets(pilot, BLOCK).deals_for(until) * _ROOM
    return max(1, -int(-needed // BLOCK)) * BLOCK


def _names(sides: tuple[Side, Side], players: int) -> str:
    """Names of the strategies, for progress bars."""
    names = TableDifference(*sides, players, 1, 0).names
    texts = ["+".join(dict.fromkeys(listed)) for listed in names.values()]
    return " and ".join(dict.fromkeys(texts))
