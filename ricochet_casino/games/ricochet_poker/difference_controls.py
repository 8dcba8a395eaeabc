"""Control variates of two tables that are compared on the same deals, and of their difference.

The features are those of controls.py, in bins that end at both kickouts: a dealer between the two
is out at one table only, which is most of what a change of the kickout does. The difference has the
features of the table at which she stands longer; where the bonuses differ, the difference of the
sums of bonuses takes the place of the sum. Derivation: docs/math.md, section 12.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, lcm
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.games.ricochet_poker.controls import (
    Features,
    control_range,
    features_of,
    largest_sums,
)
from ricochet_casino.games.ricochet_poker.table_arrays import FEATURES, Values
from ricochet_casino.games.ricochet_poker.units import Rules

Int64 = npt.NDArray[np.int64]
Weights = Sequence[Sequence[int]]

OLD, NEW, DIFFERENCE = SIDES = ("old", "new", "difference")
"""What is summed up for each of: the first table, the second, and second less first."""

_MOST_BONUS: Final = 1 << 20  # so that products of features, and with weights, stay in 64 bits
_MOST_FACTOR: Final = 1 << 12


@dataclass(frozen=True, eq=False)
class Pair:
    """Two tables with as many players, and what makes their values comparable.

    Attributes
    ----------
    old, new
        Rules of the two tables.
    """

    old: Rules
    new: Rules

    @cached_property
    def scale(self) -> int:
        """Parts of an ante that all amounts are counted in: a common multiple of the antes."""
        return lcm(self.old.ante, self.new.ante)

    @cached_property
    def factors(self) -> tuple[int, int]:
        """What a unit of each table is worth in those parts.

        Raises
        ------
        ValueError
            If the antes have no small common multiple.
        """
        found = self.scale // self.old.ante, self.scale // self.new.ante
        if max(found) > _MOST_FACTOR:
            raise ValueError(
                f"antes of {self.old.ante} and {self.new.ante} units cannot be compared in 64 "
                "bits; expected coins that are alike"
            )
        return found

    @cached_property
    def features(self) -> dict[str, Features]:
        """Features of each of `SIDES`, with their exact means."""
        kickouts = (self.old.kickout_class, self.new.kickout_class)
        edges = (min(kickouts), max(kickouts))
        old, new = features_of(self.old, edges), features_of(self.new, edges)
        both = new if self.longer is self.new else old
        if self.same_bonuses:
            return {OLD: old, NEW: new, DIFFERENCE: both}
        first, second = self._bonus_factors(old, new)
        means = tuple(
            (*row[:FEATURES], second * n[FEATURES] - first * o[FEATURES])
            for row, o, n in zip(both.means, old.means, new.means, strict=True)
        )
        return {OLD: old, NEW: new, DIFFERENCE: replace(both, means=means)}

    @property
    def longer(self) -> Rules:
        """The rules under which the dealer stands longer."""
        return self.new if self.new.kickout_class >= self.old.kickout_class else self.old

    @property
    def same_bonuses(self) -> bool:
        """Whether the bonus lines and pays are the same, or too large to be told apart."""
        ends = self._bonus_ends
        return self.old.lines == self.new.lines or max(map(abs, ends)) > _MOST_BONUS

    def _bonus_factors(self, old: Features, new: Features) -> tuple[int, int]:
        """Whole numbers that bring the last features of both tables to one measure."""
        parts = old.bonus_part * self.factors[0], new.bonus_part * self.factors[1]
        common = gcd(*parts)
        return parts[0] // common, parts[1] // common

    @cached_property
    def _bonus_ends(self) -> tuple[int, int]:
        """Bounds of one player's share of the last feature of the difference."""
        units = [gcd(*(line.pays for line in rules.lines)) or 1 for rules in (self.old, self.new)]
        common = gcd(units[0] * self.factors[0], units[1] * self.factors[1])
        ends = [
            factor * largest_sums(rules).bonus // common
            for rules, factor in zip((self.old, self.new), self.factors, strict=True)
        ]
        return -ends[0], ends[1]

    def rows(self, old: Values, new: Values) -> Int64:
        """(N, 5) bins and features of the difference, from those of both tables."""
        found: Int64 = (new if self.longer is self.new else old).features.copy()
        if not self.same_bonuses:
            first, second = self._bonus_factors(self.features[OLD], self.features[NEW])
            found[:, FEATURES] = second * new.features[:, FEATURES]
            found[:, FEATURES] -= first * old.features[:, FEATURES]
        return found

    def control_range(self, side: str, weights: Weights) -> tuple[int, int]:
        """Bounds of the weighted features of any deal, in units of a value (12.3)."""
        if not weights:
            return 0, 0
        features: Any = self.features[side]
        if side == DIFFERENCE:
            ends = None if self.same_bonuses else self._bonus_ends
            return control_range(features, weights, self.longer, ends)
        return control_range(features, weights, self.old if side == OLD else self.new)
