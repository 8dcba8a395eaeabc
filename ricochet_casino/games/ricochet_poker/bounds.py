"""Two-sided bounds of the collective optimum, as an experiment.

A policy's value bounds the optimum from below. From above: players who see all coming cards do at
least as well as any who do not, even if what they gain by seeing is taken off on average (J. R.
Brown, J. E. Smith and P. Sun, Information relaxations and duality in stochastic dynamic programs,
Operations Research 58 (2010)). For each sampled deal the *gap* is how much more the best sequence
of plays brings than the policy's own, both net of the same penalties: never negative, and on
average at least what the policy loses. Kernels: bounds_kernel.py; docs/math.md, section 10.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ricochet_casino.experiment import Result, Shard, Tally
from ricochet_casino.games.ricochet_poker.controls import largest_sums
from ricochet_casino.games.ricochet_poker.deal_blocks import (
    DealBlocks,
    check_names,
    check_whole,
    checked_level,
    checked_sizes,
    whole_number,
)
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simulation_tables import rounds_for
from ricochet_casino.games.ricochet_poker.table_figures import VALUE_UNIT, over_draws
from ricochet_casino.games.ricochet_poker.table_sampling import CompiledTable, check_amounts
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.betting import best_bets, betting, planned_trials
from ricochet_casino.stats.exact import decimal_text, square_root
from ricochet_casino.stats.intervals import LEVEL, Interval

STREAM, INNER_STREAM, PILOT_STREAM = 6, 7, 8
"""Streams of the deals, of the draws inside penalties, and of the pilot's deals."""
BLOCK = 1 << 11
MOST_INNER = 1 << 10

_BATCH = 256
_RISK = Fraction(9, 10)
"""Gaps are small against their range, so the bettor may risk much (docs/math.md, section 10)."""


@dataclass(frozen=True)
class GapPilot:
    """What a pilot found: deals, and sums of the gap and its square in units of a value."""

    deals: int
    total: int
    squares: int

    @property
    def mean(self) -> Fraction:
        """Mean gap of all players together, in units."""
        return self.total * VALUE_UNIT / self.deals

    @property
    def variance(self) -> Fraction:
        """Sample variance of the same."""
        spread = self.squares - Fraction(self.total) ** 2 / self.deals
        return spread * VALUE_UNIT**2 / max(self.deals - 1, 1)

    def to_json(self) -> dict[str, int]:
        """The pilot as JSON values."""
        return {"deals": self.deals, "sum": self.total, "squares": self.squares}

    @classmethod
    def from_json(cls, value: Any) -> "GapPilot":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is not a pilot.
        """
        try:
            numbers = (whole_number(name, value[name]) for name in ("deals", "sum", "squares"))
            return cls(*numbers)
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a pilot: {error}") from None


class TableGap:
    """The optimality gap of `collective`, sampled (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    paytable
        The game.
    players
        2 to 7, as the paytable covers. With two the gap is 0: their decisions are exact.
    deals
        The deals 0, 1, ... of the seed.
    inner
        Independent draws for the mean of each penalty: the more, the smaller the gap.
    seed
        0 to 2^64 - 1.
    pilot
        What a pilot found; None for the pilot itself.
    level
        Of the interval.

    Raises
    ------
    PaytableError
        If the paytable does not cover so many players.
    ValueError
        If a number is out of range.
    """

    name = "gap"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        players: int,
        deals: int,
        inner: int,
        seed: int,
        pilot: GapPilot | None = None,
        level: Fraction = LEVEL,
    ) -> None:
        self.paytable = paytable
        self.players = whole_number("players", players)
        if self.players < 2:
            raise ValueError("one player has no gap: the optimum is exact")
        self.rules = paytable.rules(self.players)
        self.deals, self.seed = checked_sizes(deals, seed)
        self.inner = whole_number("inner draws", inner)
        if not 1 <= self.inner <= MOST_INNER:
            raise ValueError(f"inner draws must be 1 to {MOST_INNER:,}, got {self.inner:,}")
        check_amounts(self.rules)
        self.pilot, self.level = pilot, checked_level(level)
        self._local = threading.local()

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values; the paytable in full."""
        return {
            "game": "ricochet_poker",
            "experiment": self.name,
            "parameters": {
                "paytable": self.paytable.model_dump(mode="json"),
                "players": self.players,
                "deals": self.deals,
                "inner": self.inner,
                "seed": self.seed,
                "pilot": self.pilot.to_json() if self.pilot else None,
                "level": decimal_text(self.level),
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "TableGap":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        expected = ("paytable", "players", "deals", "inner", "seed", "pilot", "level")
        check_names(parameters, expected)
        pilot = parameters["pilot"]
        return cls(
            RicochetPokerPaytable.read(parameters["paytable"]),
            parameters["players"],
            parameters["deals"],
            parameters["inner"],
            parameters["seed"],
            None if pilot is None else GapPilot.from_json(pilot),
            Fraction(parameters["level"]),
        )

    def shards(self) -> Sequence[Shard]:
        """Blocks of consecutive deals."""
        return DealBlocks(self.deals, BLOCK)

    def run(self, shard: Shard) -> Tally:
        """Bound one block of deals."""
        first, number = shard.data
        if not hasattr(self._local, "table"):
            self._local.table = CompiledTable(self.rules, ("collective",) * self.players)
        stream = STREAM if self.pilot else PILOT_STREAM
        return gap_tally(self._local.table, self.seed, stream, first, number, inner=self.inner)

    def result(self, tally: Tally) -> Result:
        """The gap per player and ante with its interval; for a pilot, what it found.

        Raises
        ------
        ValueError
            If the tally does not hold all deals.
        """
        check_whole(tally, self.deals)
        counts = tally.counts
        total, squares = counts["gap.sum"], counts["gap.squares"]
        if self.pilot is None:
            return Result("bounded", GapPilot(self.deals, total, squares).to_json())
        found = self._interval(self.pilot, total, squares)
        per_ante = Fraction(1, self.players * self.rules.ante)
        mean = total * VALUE_UNIT / self.deals
        entry = {
            "deals": self.deals,
            "inner": self.inner,
            "seed": self.seed,
            "stream": STREAM,
            "gap_per_ante": found.scaled(per_ante).figure(mean * per_ante),
            "deals_with_a_gap": counts["gap.positive"],
        }
        return Result("bounded", entry)

    def _interval(self, pilot: GapPilot, total: int, squares: int) -> Interval:
        """Interval of the mean gap of all players together, in units."""
        low, high = gap_bounds(self.rules)
        variance = max(pilot.variance, VALUE_UNIT**2 / max(pilot.deals - 1, 1))
        middle = min(max(pilot.mean, low), high)
        bets = best_bets(middle, variance, self.deals, (low, high), self.level, _RISK)
        sums = (total * VALUE_UNIT, squares * VALUE_UNIT**2)
        found = betting(*sums, self.deals, (low, high), bets, self.level)
        # Both values of a gap are rounded.
        slack = 2 * VALUE_UNIT
        return Interval(max(found.low - slack, low), found.high + slack, self.level, found.method)


def planned_deals(rules: Rules, pilot: GapPilot, limit: Fraction, level: Fraction) -> int | None:
    """Deals after which the upper end of the gap's interval should be below a limit.

    Parameters
    ----------
    rules
        The table.
    pilot
        What a pilot found.
    limit
        Per player and ante.
    level
        Of the interval.

    Returns
    -------
    int or None
        None if the gap itself leaves no room below the limit.
    """
    # The pilot's mean may be low by chance: two standard errors of it are left.
    likely = pilot.mean + 2 * Fraction(square_root(pilot.variance / pilot.deals))
    room = limit * rules.players * rules.ante - likely
    if room <= likely / 8:
        return None
    variance = max(pilot.variance, VALUE_UNIT)
    return planned_trials(variance, gap_bounds(rules), room, level, _RISK)


def gap_tally(
    table: CompiledTable, seed: int, stream: int, first: int, number: int, *, inner: int
) -> Tally:
    """Sums of the gap over deals of a stream, in units of a value.

    Parameters
    ----------
    table
        The table, all `collective`.
    seed, stream, first, number
        The deals.
    inner
        Draws for the mean of each penalty.
    """
    from ricochet_casino.games.ricochet_poker import bounds_kernel

    rounds = rounds_for(_BATCH, table.players)
    gaps, values = np.zeros((2, _BATCH), dtype=np.int64)
    total = squares = positive = 0
    for begin in range(first, first + number, _BATCH):
        some = min(_BATCH, first + number - begin)
        table.deal(seed, stream, begin, some, rounds)
        bounds_kernel.gap_kernel(
            some, np.uint64(begin), table.terms, table.work, rounds, inner, np.uint64(seed),
            np.uint64(INNER_STREAM + 16 * stream), table.tables.accepted, gaps, values,
        )  # fmt: skip
        found = gaps[:some].tolist()
        total += sum(found)
        squares += sum(gap * gap for gap in found)
        positive += sum(gap > 0 for gap in found)
    return Tally(
        {"rounds": number, "gap.sum": total, "gap.squares": squares, "gap.positive": positive}
    )


def gap_bounds(rules: Rules) -> tuple[Fraction, Fraction]:
    """Bounds of the gap of any deal, all players together, in units (10.4)."""
    if rules.players == 2:
        return Fraction(0), Fraction(rules.play_bet)
    bonus = over_draws(rules, largest_sums(rules).bonus)[1]
    pots = [
        rules.players * rules.ante + rules.dealer_ante + (draw + 1) * rules.play_bet
        for draw in range(rules.players - 2)
    ]
    last = pots[-1] + 2 * rules.play_bet
    high = Fraction(15, 4) * sum(pots) + last + rules.players * rules.play_bet + 2 * bonus
    return Fraction(0), high
