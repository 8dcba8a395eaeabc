"""From the tally of two tables on the same deals to the figures of their difference.

Every figure gets a betting interval; the bets come from the pilot and the bounds hold for every
deal (docs/math.md, sections 7 and 12).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.experiment import Tally, whole_number
from ricochet_casino.games.ricochet_poker.controls import largest_sums
from ricochet_casino.games.ricochet_poker.difference_controls import (
    DIFFERENCE,
    NEW,
    OLD,
    SIDES,
    Pair,
)
from ricochet_casino.games.ricochet_poker.table_arrays import BINS, FEATURES, TableStrategy
from ricochet_casino.games.ricochet_poker.table_figures import (
    VALUE_UNIT,
    Bounds,
    over_draws,
)
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.betting import best_bet, best_bets, betting, planned_trials
from ricochet_casino.stats.intervals import LEVEL, Interval

QUANTITIES: Final = tuple(
    f"{side}.{name}" for side, name in product(SIDES, ("value", "fold", "play", "win", "bet"))
)
"""What is summed up for every deal, over all seats; values and bets in parts of an ante."""

_ROUNDED = 64
"""Roundings of one value, each by less than one of its units; more than ever happen."""
_WEIGHTS = 1 << 41


@dataclass(frozen=True)
class DifferencePilot:
    """What a pilot found, as it stands in the specification of what comes after it.

    Attributes
    ----------
    deals
        How many deals it took.
    weights
        For each side 48 lists of 5 whole numbers (see `controls.fit`).
    sums, squares
        Of each of `QUANTITIES` over the deals of the pilot, controls taken off.
    """

    deals: int
    weights: Mapping[str, tuple[tuple[int, ...], ...]]
    sums: Mapping[str, int]
    squares: Mapping[str, int]

    def array(self, side: str) -> npt.NDArray[np.int64]:
        """(48, 5) weights of a side."""
        return np.array(self.weights[side], dtype=np.int64).reshape(-1, 1 + FEATURES)

    def to_json(self) -> dict[str, Any]:
        """The pilot as JSON values."""
        weights = {side: [list(row) for row in rows] for side, rows in self.weights.items()}
        sums, squares = dict(self.sums), dict(self.squares)
        return {"deals": self.deals, "weights": weights, "sums": sums, "squares": squares}

    @classmethod
    def from_json(cls, value: Any) -> "DifferencePilot":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is not such a pilot.
        """
        try:
            weights = {
                side: tuple(
                    tuple(whole_number("a weight", number) for number in row)
                    for row in value["weights"][side]
                )
                for side in SIDES
            }
            found = cls(
                whole_number("pilot deals", value["deals"]),
                weights,
                *(
                    {name: whole_number("a sum", value[kind][name]) for name in QUANTITIES}
                    for kind in ("sums", "squares")
                ),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a pilot of a difference: {error}") from None
        for rows in weights.values():
            if len(rows) != BINS or {len(row) for row in rows} != {1 + FEATURES}:
                raise ValueError(f"not a pilot: expected {BINS} rows of {1 + FEATURES} weights")
            if any(abs(weight) >= _WEIGHTS for row in rows for weight in row[1:]):
                raise ValueError("not a pilot: a weight is too large")
        if found.deals < 1:
            raise ValueError("not a pilot: no deals")
        return found


@dataclass(frozen=True, eq=False)
class DifferenceBets:
    """How the intervals of a comparison are made: bounds of every deal, and the pilot's bets.

    Attributes
    ----------
    pair
        The two tables.
    seats
        Their strategies.
    pilot
        What the pilot found.
    deals
        Deals of the sample.
    draw_controls
        Whether draws have controls.
    same
        Nothing can differ: every difference is 0.
    level
        Of the intervals.
    """

    pair: Pair
    seats: Mapping[str, Sequence[TableStrategy]]
    pilot: DifferencePilot
    deals: int
    draw_controls: bool
    same: bool = False
    level: Fraction = LEVEL

    @cached_property
    def value_bounds(self) -> dict[str, Bounds]:
        """Bounds of the values of any deal, controls taken off, in parts of an ante (12.2)."""
        first, second = self.pair.factors
        old = _scaled(self._plain_bounds(self.pair.old, OLD), first)
        new = _scaled(self._plain_bounds(self.pair.new, NEW), second)
        plain = {OLD: old, NEW: new, DIFFERENCE: (new[0] - old[1], new[1] - old[0])}
        found = {}
        for side, (low, high) in plain.items():
            least, most = self.pair.control_range(side, self.pilot.weights[side])
            found[side] = (low - most * VALUE_UNIT, high - least * VALUE_UNIT)
        return found

    def _plain_bounds(self, rules: Rules, side: str) -> Bounds:
        """Bounds of the value of a deal of one table, in its units, no features taken off."""
        low = Fraction(-rules.players * (rules.ante + rules.play_bet))
        high = over_draws(rules, largest_sums(rules).bonus)[1] + rules.dealer_ante
        if not self.draw_controls:
            return low, high
        alike = len(set(map(str, self.seats[side]))) == 1 and self.seats[side][0] in (
            "collective", "collective_pot_only",
        )  # fmt: skip
        for draw in range(rules.players - (2 if alike else 1)):
            pot = rules.players * rules.ante + rules.dealer_ante + (draw + 1) * rules.play_bet
            low -= Fraction(3 * pot, 4)
            high += 2 * pot
        return low, high

    def bounds(self, name: str) -> Bounds:
        """Bounds of one of `QUANTITIES` for any deal, roundings included."""
        side, _, what = name.partition(".")
        if what == "value":
            low, high = self.value_bounds[side]
            slack = self.slack
            return low - slack, high + slack
        most = {OLD: Fraction(self.pair.old.players)} | {NEW: Fraction(self.pair.new.players)}
        if what == "bet":
            first, second = self.pair.factors
            most[OLD] *= self.pair.old.play_bet * first
            most[NEW] *= self.pair.new.play_bet * second
        if side == DIFFERENCE:
            return -most[OLD], most[NEW]
        return Fraction(), most[side]

    @property
    def slack(self) -> Fraction:
        """What roundings can add up to in a value, in parts of an ante."""
        return sum(self.pair.factors) * _ROUNDED * VALUE_UNIT

    def mean(self, name: str, total: int, squares: int) -> tuple[Fraction, Interval]:
        """Mean of a quantity per deal with its interval, in its own measure."""
        value = name.endswith(".value")
        unit = VALUE_UNIT if value else Fraction(1)
        offset, slack = Fraction(), Fraction()
        if value:
            side = name.partition(".")[0]
            offset = self.pair.features[side].mean(self.pilot.weights[side]) * VALUE_UNIT
            slack = self.slack
        mean = total * unit / self.deals + offset
        if self.same and name.startswith(DIFFERENCE):
            if total or squares:
                raise AssertionError(f"equal tables differ in {name}")
            return Fraction(), Interval(Fraction(), Fraction(), self.level, "identical")
        found = self._betting(name, total * unit, squares * unit**2, unit)
        ends = Interval(found.low - slack, found.high + slack, found.level, found.method)
        return mean, ends.scaled(1, offset)

    def _betting(self, name: str, total: Fraction, squares: Fraction, unit: Fraction) -> Interval:
        bounds = self.bounds(name)
        middle, variance = self.guess(name, unit)
        middle = min(max(middle, bounds[0]), bounds[1])
        bets = best_bets(middle, variance, self.deals, bounds, self.level)
        return betting(total, squares, self.deals, bounds, bets, self.level)

    def guess(self, name: str, unit: Fraction) -> tuple[Fraction, Fraction]:
        """Mean and variance of a quantity in the pilot, in its own measure."""
        pilot = self.pilot
        total, squares = pilot.sums[name], pilot.squares[name]
        spread = max(squares - Fraction(total) ** 2 / pilot.deals, Fraction(1))
        return total * unit / pilot.deals, spread / max(pilot.deals - 1, 1) * unit**2

    def expected_half_width(self) -> Fraction:
        """Half width per ante that the RTP's difference should have, by the pilot."""
        name = f"{DIFFERENCE}.value"
        low, high = self.bounds(name)
        _, variance = self.guess(name, VALUE_UNIT)
        variance = min(variance, (high - low) ** 2 / 4)
        # As if the mean lay in the middle: what counts is the order of the two ways.
        middle = (low + high) / 2
        bet = best_bet(variance, self.deals, (low, high), self.level)
        squares = self.deals * (variance + middle**2)
        found = betting(self.deals * middle, squares, self.deals, (low, high), bet, self.level)
        return (found.high - found.low) / (2 * self.per_ante)

    def deals_for(self, half_width: Fraction) -> int:
        """Deals after which the RTP's difference should be known to within a half width."""
        name = f"{DIFFERENCE}.value"
        _, variance = self.guess(name, VALUE_UNIT)
        return planned_trials(variance, self.bounds(name), half_width * self.per_ante, self.level)

    @property
    def per_ante(self) -> int:
        """Parts of an ante that all players stake."""
        return self.pair.scale * self.pair.old.players


def _scaled(bounds: Bounds, factor: int) -> Bounds:
    return bounds[0] * factor, bounds[1] * factor


def difference_entry(
    tally: Tally, names: Mapping[str, Sequence[str]], bets: DifferenceBets
) -> dict[str, Any]:
    """The entry of a comparison, JSON values only.

    Parameters
    ----------
    tally
        Sum over all blocks.
    names
        The strategy in each seat, for both tables.
    bets
        How the intervals are made.
    """
    counts, players = tally.counts, bets.pair.old.players
    entry: dict[str, Any] = {
        "players": players,
        "method": "sampled",
        "deals": bets.deals,
        "draw_controls": bets.draw_controls,
        "strategy": {
            side: listed[0] if len(set(listed)) == 1 else list(listed)
            for side, listed in names.items()
        },
    }
    for side in SIDES:
        figures = {}
        plain = int(side != DIFFERENCE)  # what a figure is above its mean: RTP is 1 + EV
        for figure, what, scale, offset in (
            ("rtp_per_ante", "value", bets.per_ante, plain),
            ("average_bet", "bet", bets.per_ante, plain),
            ("fold_frequency", "fold", players, 0),
            ("play_frequency", "play", players, 0),
            ("win_frequency", "win", players, 0),
        ):
            name = f"{side}.{what}"
            mean, found = bets.mean(name, counts[f"{name}.sum"], counts[f"{name}.squares"])
            share = Fraction(1, scale)
            figures[figure] = found.scaled(share, offset).figure(mean * share + offset)
        entry[side] = figures
    return entry
