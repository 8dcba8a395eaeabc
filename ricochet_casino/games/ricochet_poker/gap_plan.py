"""How many deals the optimality gap of a table needs, from a pilot; and the bounds it relies on.

A gap can be as great as all pots of a round together and hardly ever is. So it is cut in two at a
threshold (docs/math.md, section 10.4): the part below needs few deals, as its range is small; the
part above needs many, but may be sampled with fewer inner draws, that is much faster.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ricochet_casino.experiment import whole_number
from ricochet_casino.games.ricochet_poker.controls import largest_sums
from ricochet_casino.games.ricochet_poker.table_figures import VALUE_UNIT, over_draws
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.betting import Bounds, best_bets, betting, planned_trials
from ricochet_casino.stats.exact import square_root
from ricochet_casino.stats.intervals import Interval

FAR_INNER = 2
"""Inner draws of the deals for the part above the threshold."""
FAR_DEALS = 8
"""Of these, deals for each deal of the part below, unless a limit is to be reached."""
MOST_FAR_DEALS = 1 << 12

_RISK = Fraction(9, 10)
"""Gaps are small against their range, so the bettor may risk much (docs/math.md, section 10)."""
_DEAL_DRAWS = 2  # a deal without inner draws costs about as much as so many of them
_SPLITS = 16


@dataclass(frozen=True)
class Part:
    """Deals, and sums of what was found in them and of its square, in units of a value."""

    deals: int
    total: int
    squares: int

    @property
    def mean(self) -> Fraction:
        """Mean of all players together, in units."""
        return self.total * VALUE_UNIT / self.deals

    @property
    def variance(self) -> Fraction:
        """Sample variance of the same."""
        spread = self.squares - Fraction(self.total) ** 2 / self.deals
        return spread * VALUE_UNIT**2 / max(self.deals - 1, 1)

    @property
    def likely(self) -> Fraction:
        """The mean and two standard errors of it: by chance it may be low."""
        return self.mean + 2 * Fraction(square_root(self.variance / self.deals))

    def interval(self, pilot: "Part", bounds: Bounds, level: Fraction) -> Interval:
        """Betting interval of the mean, in units, with bets by a pilot.

        Parameters
        ----------
        pilot
            What was found in other deals.
        bounds
            Lowest and highest value possible, in units.
        level
            Of the interval.
        """
        variance = max(pilot.variance, VALUE_UNIT**2 / max(pilot.deals - 1, 1))
        middle = min(max(pilot.mean, bounds[0]), bounds[1])
        bets = best_bets(middle, variance, self.deals, bounds, level, _RISK)
        sums = (self.total * VALUE_UNIT, self.squares * VALUE_UNIT**2)
        return betting(*sums, self.deals, bounds, bets, level)

    def to_json(self) -> dict[str, int]:
        """The part as JSON values."""
        return {"deals": self.deals, "sum": self.total, "squares": self.squares}

    @classmethod
    def from_json(cls, value: Any) -> "Part":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is something else.
        """
        try:
            return cls(*(whole_number(name, value[name]) for name in ("deals", "sum", "squares")))
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a pilot: {error}") from None


@dataclass(frozen=True)
class GapPilot:
    """What a pilot found: gaps cut off at the threshold, and what is above it."""

    near: Part
    far: Part

    @property
    def mean(self) -> Fraction:
        """Estimate of the gap of all players together, in units."""
        return self.near.mean + self.far.mean

    def to_json(self) -> dict[str, Any]:
        """The pilot as JSON values."""
        return {**self.near.to_json(), "far": self.far.to_json()}

    @classmethod
    def from_json(cls, value: Any) -> "GapPilot":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is not a pilot.
        """
        near = Part.from_json(value)
        return cls(near, Part.from_json(value.get("far")))


@dataclass(frozen=True)
class GapSizes:
    """Deals of the part below the threshold, and for each of them deals of the part above."""

    deals: int
    far: int = FAR_DEALS

    def work(self, inner: int) -> int:
        """Work for so many inner draws, in draws."""
        return self.deals * (inner + _DEAL_DRAWS + self.far * (FAR_INNER + _DEAL_DRAWS))


def threshold(rules: Rules) -> int:
    """Where gaps are cut in two: a quarter of the first pot, in units of a value."""
    pot = rules.players * rules.ante + rules.dealer_ante
    return min(Fraction(pot, 4), gap_bounds(rules)[1] / 2) // VALUE_UNIT


def part_bounds(rules: Rules) -> tuple[Bounds, Bounds]:
    """Bounds of the part below the threshold and of that above, in units."""
    cut = threshold(rules) * VALUE_UNIT
    return (Fraction(0), cut), (Fraction(0), gap_bounds(rules)[1] - cut)


def part_level(level: Fraction) -> Fraction:
    """Level of each part, that both hold together."""
    return 1 - (1 - level) / 2


def planned_sizes(
    rules: Rules, pilot: GapPilot, limit: Fraction, level: Fraction, inner: int, block: int
) -> GapSizes | None:
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
    inner
        Inner draws of the part below the threshold.
    block
        Deals come in multiples of it.

    Returns
    -------
    GapSizes or None
        The least work; None if the gap itself leaves no room below the limit.
    """
    likely = pilot.near.likely + pilot.far.likely
    room = limit * rules.players * rules.ante - likely
    if room <= likely / 8:
        return None
    near_bounds, far_bounds = part_bounds(rules)
    level = part_level(level)

    def needed(part: Part, bounds: Bounds, share: Fraction) -> int:
        return planned_trials(max(part.variance, VALUE_UNIT), bounds, share, level, _RISK)

    def sizes(sixteenths: int) -> GapSizes:
        share = room * sixteenths / _SPLITS
        deals = -(-needed(pilot.near, near_bounds, share) // block) * block
        far = -(-needed(pilot.far, far_bounds, room - share) // deals)
        if far > MOST_FAR_DEALS:
            deals = -(-deals * far // (MOST_FAR_DEALS * block)) * block
            far = MOST_FAR_DEALS
        return GapSizes(deals, far)

    found = [sizes(sixteenths) for sixteenths in range(1, _SPLITS)]
    return min(found, key=lambda one: one.work(inner))


def gap_bounds(rules: Rules) -> tuple[Fraction, Fraction]:
    """Bounds of the gap of any deal, all players together, in units (10.5)."""
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
