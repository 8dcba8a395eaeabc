"""Two-sided bounds of the collective optimum, as an experiment.

A policy's value bounds the optimum from below. From above: players who see all coming cards do at
least as well as any who do not, even if what they gain by seeing is taken off on average (J. R.
Brown, J. E. Smith and P. Sun, Information relaxations and duality in stochastic dynamic programs,
Operations Research 58 (2010)). For each sampled deal the *gap* is how much more the best sequence
of plays brings than the policy's own, both net of the same penalties: never negative, and on
average at least what the policy loses. It is sampled in two parts, below and above a threshold
(gap_plan.py). Kernels: bounds_kernel.py; docs/math.md, section 10.
"""

import threading
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ricochet_casino.experiment import (
    DealBlocks,
    Result,
    Shard,
    Tally,
    check_names,
    check_whole,
    checked_level,
    checked_sizes,
    whole_between,
    whole_number,
)
from ricochet_casino.games.ricochet_poker.gap_plan import (
    FAR_DEALS,
    FAR_INNER,
    MOST_FAR_DEALS,
    GapPilot,
    Part,
    part_bounds,
    part_level,
    threshold,
)
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simulation_tables import rounds_for
from ricochet_casino.games.ricochet_poker.table_figures import VALUE_UNIT
from ricochet_casino.games.ricochet_poker.table_sampling import CompiledTable, check_amounts
from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import LEVEL, Interval

STREAM, INNER_STREAM, PILOT_STREAM = 6, 7, 8
"""Streams of the deals, of the draws inside penalties, and of the pilot's deals."""
FAR_STREAM, FAR_PILOT_STREAM = 13, 14
"""Streams of the deals of the part above the threshold."""
BLOCK = 1 << 8
MOST_INNER = 1 << 10

_BATCH = 256


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
    far
        For each deal so many others of a stream of their own, for the part of gaps that is above
        the threshold.

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
        far: int = FAR_DEALS,
    ) -> None:
        self.paytable = paytable
        self.players = whole_number("players", players)
        if self.players < 2:
            raise ValueError("one player has no gap: the optimum is exact")
        self.rules = paytable.rules(self.players)
        self.deals, self.seed = checked_sizes(deals, seed)
        self.inner = whole_between("inner draws", inner, 1, MOST_INNER)
        self.far = whole_between("far deals", far, 1, MOST_FAR_DEALS)
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
                "far": self.far,
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
        expected = ("paytable", "players", "deals", "inner", "far", "seed", "pilot", "level")
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
            parameters["far"],
        )

    def shards(self) -> Sequence[Shard]:
        """Blocks of consecutive deals."""
        return DealBlocks(self.deals, BLOCK)

    def run(self, shard: Shard) -> Tally:
        """Bound one block of deals."""
        first, number = shard.data
        if not hasattr(self._local, "table"):
            self._local.table = CompiledTable(self.rules, ("collective",) * self.players)
        table, cut = self._local.table, threshold(self.rules)
        streams = (STREAM, FAR_STREAM) if self.pilot else (PILOT_STREAM, FAR_PILOT_STREAM)
        near = gaps_of(table, self.seed, streams[0], first, number, self.inner)
        far = gaps_of(table, self.seed, streams[1], first * self.far, number * self.far, FAR_INNER)
        tally = Tally({"rounds": number, "gap.positive": sum(gap > 0 for gap in near)})
        tally += _sums("near", [min(gap, cut) for gap in near])
        return tally + _sums("far", [gap - cut for gap in far if gap > cut])

    def result(self, tally: Tally) -> Result:
        """The gap per player and ante with its interval; for a pilot, what it found.

        Raises
        ------
        ValueError
            If the tally does not hold all deals.
        """
        check_whole(tally, self.deals, what="deals")
        counts = tally.counts
        near, far = (
            Part(deals, counts[f"{part}.sum"], counts[f"{part}.squares"])
            for part, deals in (("near", self.deals), ("far", self.deals * self.far))
        )
        if self.pilot is None:
            return Result("bounded", GapPilot(near, far).to_json())
        found = self._interval(self.pilot, near, far)
        per_ante = Fraction(1, self.players * self.rules.ante)
        entry = {
            "deals": self.deals,
            "inner": self.inner,
            "seed": self.seed,
            "stream": STREAM,
            "gap_per_ante": found.scaled(per_ante).figure((near.mean + far.mean) * per_ante),
            "deals_with_a_gap": counts["gap.positive"],
            "far": {
                "above_per_ante": decimal_text(threshold(self.rules) * VALUE_UNIT * per_ante),
                "deals": far.deals,
                "deals_above": counts["far.positive"],
                "each": self.far,
                "inner": FAR_INNER,
                "stream": FAR_STREAM,
            },
        }
        return Result("bounded", entry)

    def _interval(self, pilot: GapPilot, near: Part, far: Part) -> Interval:
        """Interval of the mean gap of all players together, in units (10.6)."""
        bounds, level = part_bounds(self.rules), part_level(self.level)
        below = near.interval(pilot.near, bounds[0], level)
        above = far.interval(pilot.far, bounds[1], level)
        # Both values of a gap are rounded.
        slack = 2 * VALUE_UNIT
        low = max(below.low - slack, Fraction(0))
        return Interval(low, below.high + above.high + 2 * slack, self.level, below.method)


def _sums(name: str, values: Sequence[int]) -> Tally:
    return Tally({
        f"{name}.sum": sum(values),
        f"{name}.squares": sum(value * value for value in values),
        f"{name}.positive": sum(value > 0 for value in values),
    })  # fmt: skip


def gaps_of(
    table: CompiledTable, seed: int, stream: int, first: int, number: int, inner: int
) -> list[int]:
    """Gaps of deals of a stream, in units of a value.

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
    found: list[int] = []
    for begin in range(first, first + number, _BATCH):
        some = min(_BATCH, first + number - begin)
        table.deal(seed, stream, begin, some, rounds)
        bounds_kernel.gap_kernel(
            some, np.uint64(begin), table.terms, table.work, rounds, inner, np.uint64(seed),
            np.uint64(INNER_STREAM + 16 * stream), table.tables.accepted, gaps, values,
        )  # fmt: skip
        found += gaps[:some].tolist()
    return found
