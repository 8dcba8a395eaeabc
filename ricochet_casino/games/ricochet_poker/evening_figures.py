"""From the tally of evenings to figures by person, with intervals.

The evening is the sampling unit. Its mean result has a betting interval, from results with the
bonuses at their mean; all persons' intervals hold at once. Quantiles and the chance to be ahead
come from the counts of results as they were. Formulas: docs/math.md, section 17.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ricochet_casino.experiment import Tally
from ricochet_casino.games.ricochet_poker.controls import largest_sums
from ricochet_casino.games.ricochet_poker.simulation_figures import player_bounds, table_bounds
from ricochet_casino.games.ricochet_poker.table_figures import VALUE_UNIT, over_draws
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.betting import best_bets, betting
from ricochet_casino.stats.exact import decimal_text, fraction_text
from ricochet_casino.stats.intervals import (
    LEVEL,
    Interval,
    clopper_pearson,
    empirical_bernstein,
)
from ricochet_casino.stats.shares import quantile, quantile_interval

SHARES: Final = (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20))
"""Which quantiles of an evening's result are given."""

Bounds = tuple[Fraction, Fraction]


def deals_of(persons: int, rounds: int) -> tuple[int, ...]:
    """How many of the rounds each person deals, person 1 being the first dealer."""
    return tuple(len(range(person, rounds, persons)) for person in range(persons))


def turns_ahead(persons: int, rounds: int) -> tuple[Fraction, ...]:
    """Expectation of each person's evening, in gains of one deal (17.2).

    If all follow the same strategy and the dealer of a round gains g, person i expects g times
    this: exactly 0 if all deal equally often.
    """
    return tuple(
        Fraction(persons * deals - rounds, persons - 1) for deals in deals_of(persons, rounds)
    )


def evening_bounds(rules: Rules, deals: int, rounds: int) -> Bounds:
    """Lowest and highest result of an evening with the bonuses at their mean, in units (17.4).

    Parameters
    ----------
    rules
        The rules in force.
    deals, rounds
        How many of the rounds the person deals.
    """
    bets, players = rules.ante + rules.play_bet, rules.players
    last, together = over_draws(rules, largest_sums(rules).bonus)
    others = (players - 1) * bets + rules.dealer_ante
    played = rounds - deals
    low = -played * bets - deals * (rules.dealer_ante + together)
    high = played * (others + last) + deals * players * bets
    slack = rounds * players * VALUE_UNIT  # each seat's value is rounded down
    return Fraction(low) - slack, Fraction(high) + slack


def raw_bounds(rules: Rules, deals: int, rounds: int) -> tuple[int, int]:
    """Lowest and highest result of an evening as it is, in units (17.3); as `evening_bounds`."""
    low, high = player_bounds(rules)
    worst, best = (-end for end in reversed(table_bounds(rules)))
    played = rounds - deals
    return played * low + deals * worst, played * high + deals * best


def evening_entry(rules: Rules, names: Sequence[str], rounds: int, tally: Tally) -> dict[str, Any]:
    """The entry of evenings, JSON values only; amounts in chips.

    Parameters
    ----------
    rules
        Those of a round.
    names
        Each person's strategy.
    rounds
        Of an evening.
    tally
        Sum over all blocks.
    """
    counts, persons = tally.counts, len(names)
    evenings = counts["evenings"]
    alike = len(set(names)) == 1
    by_person = [
        {
            "person": person + 1,
            "strategy": names[person],
            "deals": deals,
            "mean": _mean(rules, counts, person, deals, rounds),
            **_spread(rules, results_of(counts, person), raw_bounds(rules, deals, rounds)),
        }
        for person, deals in enumerate(deals_of(persons, rounds))
    ]
    return {
        "persons": persons,
        "strategy": names[0] if alike else list(names),
        "method": "sampled",
        "rounds": rounds,
        "evenings": evenings,
        "by_person": by_person,
        "dealer_gain": _dealer_gain(rules, counts, evenings * rounds) if alike else None,
        "largest_win": fraction_text(rules.unit * max(_extremes(counts, persons))),
        "largest_loss": fraction_text(rules.unit * min(_extremes(counts, persons))),
    }


def results_of(counts: Mapping[str, int], person: int) -> dict[int, int]:
    """Evenings by a person's result, in units; the person counted from 0."""
    head = f"person{person + 1}.result."
    return {
        int(name.removeprefix(head)): number
        for name, number in counts.items()
        if name.startswith(head)
    }


def _extremes(counts: Mapping[str, int], persons: int) -> list[int]:
    """Everybody's lowest and highest result, in units."""
    found = [results_of(counts, person) for person in range(persons)]
    return [extreme(results) for results in found for extreme in (min, max)]


def _mean(
    rules: Rules, counts: Mapping[str, int], person: int, deals: int, rounds: int
) -> dict[str, Any]:
    """Mean result of an evening; with the intervals of all others it holds at the level (17.5)."""
    persons, evenings = rules.players + 1, counts["evenings"]
    level = 1 - (1 - LEVEL) / persons
    label = f"person{person + 1}.mean"
    total = counts[f"{label}.sum"] * VALUE_UNIT
    squares = counts[f"{label}.squares"] * VALUE_UNIT**2
    bounds = evening_bounds(rules, deals, rounds)
    bets = best_bets(0, likely_variance(rules, rounds), evenings, bounds, level)
    found = betting(total, squares, evenings, bounds, bets, level)
    slack = rounds * rules.players * VALUE_UNIT
    wider = Interval(found.low - slack, found.high + slack, LEVEL, "betting_simultaneous")
    return wider.scaled(rules.unit).figure(total / evenings * rules.unit)


def likely_variance(rules: Rules, rounds: int) -> int:
    """Roughly the variance of an evening, from the rules alone, in units squared: for bets only.

    A bet must not come from the values it is laid on; a poor one costs width and nothing else.
    """
    return max(rounds * rules.players * (rules.ante + rules.play_bet) ** 2, 1)


def _spread(rules: Rules, results: Mapping[int, int], bounds: tuple[int, int]) -> dict[str, Any]:
    """Quantiles, and the chances to be ahead and even."""
    evenings = sum(results.values())
    ahead = sum(number for result, number in results.items() if result > 0)
    even = results.get(0, 0)
    quantiles = []
    for share in SHARES:
        low, high = quantile_interval(results, share, bounds)
        ends = Interval(Fraction(low), Fraction(high), LEVEL, "clopper_pearson_quantile")
        value = Fraction(quantile(results, share)) * rules.unit
        figure = ends.scaled(rules.unit).figure(value)
        quantiles.append({"share": decimal_text(share), **figure})
    return {
        "quantiles": quantiles,
        "ahead": clopper_pearson(ahead, evenings).figure(Fraction(ahead, evenings)),
        "even": clopper_pearson(even, evenings).figure(Fraction(even, evenings)),
    }


def _dealer_gain(rules: Rules, counts: Mapping[str, int], deals: int) -> dict[str, Any]:
    """What a deal brought the dealer, nothing conditioned out: an independent look."""
    total, squares = counts["dealing.sum"], counts["dealing.squares"]
    low, high = table_bounds(rules)
    found = empirical_bernstein(total, squares, deals, (-high, -low))
    return found.scaled(rules.unit).figure(Fraction(total, deals) * rules.unit)
