"""From the tally of sampled tables to the figures of their certificate.

Values come in units of 1/2^32 unit and second moments in 1/2^12 unit squared (table_kernel.py).
Their means get betting intervals, with bounds that hold for every deal and bets chosen by the
pilot; what is one yes or no per deal gets a Clopper-Pearson interval, counts of hands per deal an
empirical-Bernstein interval. Formulas: docs/math.md, sections 7 and 9.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

from ricochet_casino.experiment import Tally
from ricochet_casino.games.ricochet_poker.controls import (
    Features,
    control_range,
    largest_sums,
)
from ricochet_casino.games.ricochet_poker.deals import class_deals
from ricochet_casino.games.ricochet_poker.exposure import maximum_exposure
from ricochet_casino.games.ricochet_poker.simulation_figures import mean_over_seats
from ricochet_casino.games.ricochet_poker.table_arrays import TableStrategy, quantities
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.betting import (
    RatioSums,
    best_bet,
    best_bets,
    betting,
    linear_bounds,
    planned_trials,
    ratio,
)
from ricochet_casino.stats.exact import figure, fraction_text, square_root
from ricochet_casino.stats.intervals import (
    LEVEL,
    Interval,
    clopper_pearson,
    empirical_bernstein,
)

if TYPE_CHECKING:
    from ricochet_casino.games.ricochet_poker.table_sampling import Pilot

VALUE_UNIT = Fraction(1, 1 << 32)
SQUARE_UNIT = Fraction(1, 1 << 12)
_ROUNDED = 64
"""Roundings of one value, each by less than one of its units; more than ever happen."""

Bounds = tuple[Fraction, Fraction]


def over_draws(rules: Rules, largest: int) -> tuple[Fraction, Fraction]:
    """Bounds of the mean of a sum over completions: for one draw, and for all of a round (9.7).

    Parameters
    ----------
    rules
        The table.
    largest
        What the sum cannot exceed (see `controls.largest_sums`).
    """
    first = len(rules.deck) - 5 - 2 * rules.players
    by_draw = [Fraction(largest, comb(first - 3 * draw, 3)) for draw in range(rules.players)]
    return by_draw[-1], sum(by_draw, Fraction())


@dataclass(frozen=True, eq=False)
class Bets:
    """How the intervals of one sample are made: bounds of every deal, and the pilot's bets.

    Attributes
    ----------
    rules, strategies
        The table.
    pilot
        What the pilot found.
    deals
        Deals of the sample.
    features
        The control variates, or None.
    level
        Of the intervals.
    """

    rules: Rules
    strategies: Sequence[TableStrategy]
    pilot: "Pilot"
    deals: int
    features: Features | None
    level: Fraction = LEVEL

    def over_draws(self, largest: int) -> tuple[Fraction, Fraction]:
        """As the function `over_draws`, for these rules."""
        return over_draws(self.rules, largest)

    @cached_property
    def bonus_bounds(self) -> tuple[Fraction, Fraction]:
        """Largest mean bonus of one draw, and of all draws of a round together, in units."""
        return self.over_draws(largest_sums(self.rules).bonus)

    @cached_property
    def control_mean(self) -> Fraction:
        """Exact mean of what was taken off the values, in units."""
        if self.features is None:
            return Fraction()
        return self.features.mean(self.pilot.weights) * VALUE_UNIT

    @cached_property
    def value_bounds(self) -> Bounds:
        """Bounds of the value of any deal, controls taken off, in units (9.7)."""
        rules = self.rules
        low = Fraction(-rules.players * (rules.ante + rules.play_bet))
        high = self.bonus_bounds[1] + Fraction(rules.dealer_ante)
        alike = len(set(map(str, self.strategies))) == 1 and self.strategies[0] in (
            "collective", "collective_pot_only",
        )  # fmt: skip
        for draw in range(rules.players - (2 if alike else 1)):
            pot = rules.players * rules.ante + rules.dealer_ante + (draw + 1) * rules.play_bet
            low -= Fraction(3 * pot, 4)  # one draw that loses, at its worst and best
            high += Fraction(2 * pot)
        if self.features is not None:
            least, most = control_range(self.features, self.pilot.weights, rules)
            low, high = low - most * VALUE_UNIT, high - least * VALUE_UNIT
        return Fraction(low), Fraction(high)

    @cached_property
    def net_bounds(self) -> Bounds:
        """Bounds of the net result of one player, his bonus at its mean, in units."""
        rules = self.rules
        bets = rules.ante + rules.play_bet
        pot = rules.players * bets + rules.dealer_ante
        return Fraction(-bets), pot - rules.ante + self.bonus_bounds[0]

    @cached_property
    def second_bounds(self) -> tuple[Bounds, Bounds]:
        """Bounds of the second moments of the seats together, and of the table (9.7)."""
        rules, players = self.rules, self.rules.players
        stakes = players * (rules.ante + rules.play_bet) + rules.dealer_ante
        top = max((line.pays for line in rules.lines), default=0)
        squares = self.over_draws(largest_sums(rules).squares)[1]
        _, together = self.bonus_bounds
        cross = 2 * players * stakes * top + 2 * stakes * together
        seats = (Fraction(-cross), players * stakes**2 + squares + cross)
        # A hand that reaches the kickout beats a dealer who stands, and then the pot is known.
        doubtful = rules.bonus(rules.kickout_class - 1) if rules.kickout_class else 0
        loose = 4 * players * stakes * doubtful
        known = 2 * rules.dealer_ante * together + 2 * players * top * together
        return seats, (Fraction(-loose), stakes**2 + squares + loose + known)

    def mean(
        self,
        index: int,
        total: int,
        squares: int,
        unit: Fraction,
        bounds: Bounds,
        level: Fraction | None = None,
    ) -> Interval:
        """Interval of the mean of a quantity, from the sums over the deals, in `unit`."""
        level = level or self.level
        exact_total, exact_squares = total * unit, squares * unit**2
        slack = _ROUNDED * unit
        wide = (bounds[0] - slack, bounds[1] + slack)
        pilot = self.pilot
        variance = self.variance(index, unit)
        middle = min(max(Fraction(pilot.sums[index]) * unit / pilot.deals, wide[0]), wide[1])
        bets = best_bets(middle, variance, self.deals, wide, level)
        found = betting(exact_total, exact_squares, self.deals, wide, bets, level)
        return Interval(found.low - slack, found.high + slack, found.level, found.method)

    def variance(self, index: int, unit: Fraction) -> Fraction:
        """Sample variance of a quantity in the pilot."""
        pilot = self.pilot
        spread = pilot.squares[index] - Fraction(pilot.sums[index]) ** 2 / pilot.deals
        return max(spread, Fraction(1)) / max(pilot.deals - 1, 1) * unit**2

    def deals_for(self, half_width: Fraction) -> int:
        """Deals after which the RTP should be known to within a half width, by the pilot."""
        units = half_width * self.rules.players * self.rules.ante
        return planned_trials(self.variance(0, VALUE_UNIT), self.value_bounds, units, self.level)


def table_entry(tally: Tally, names: Sequence[str], bets: Bets) -> dict[str, Any]:
    """The entry of a certificate for sampled tables, JSON values only.

    Parameters
    ----------
    tally
        Sum over all blocks.
    names
        The strategy in each seat.
    bets
        How the intervals are made.
    """
    return _Table(tally.counts, names, bets).entry()


class _Table:
    """The figures of one sample."""

    def __init__(self, counts: Mapping[str, int], names: Sequence[str], bets: Bets) -> None:
        self.counts, self.names, self.bets, self.rules = counts, names, bets, bets.rules
        self.deals = counts["rounds"]
        self.index = {name: number for number, name in enumerate(quantities(bets.rules))}
        self.per_ante = Fraction(1, self.rules.players * self.rules.ante)

    def entry(self) -> dict[str, Any]:
        """Everything, in the order in which it is read."""
        rules = self.rules
        mixed = len(set(self.names)) > 1
        entry: dict[str, Any] = {
            "players": rules.players,
            "strategy": list(self.names) if mixed else self.names[0],
            "method": "sampled",
            "deals": self.deals,
            "counts": self.plain_counts(),
        }
        entry |= self.value_figures()
        entry |= self.frequencies()
        entry |= self.deviations()
        # For bounds, which need two limits on one side.
        wide = self.value(1 - (1 - self.bets.level) / 2)[1].scaled(self.per_ante)
        entry["ev_wide"] = wide.figure(Fraction())["interval"]
        entry["raw"] = self.raw()
        entry["maximum_exposure"] = maximum_exposure(rules)
        entry["bonus_lines"] = list(self.lines())
        entry["pot_sizes"] = list(self.pots())
        entry["by_order"] = [self.player("place", n) for n in range(1, rules.players + 1)]
        if mixed:
            entry["by_seat"] = [
                {"seat": n, "strategy": self.names[n - 1], **self.player("seat", n)}
                for n in range(1, rules.players + 1)
            ]
        return entry

    def plain_counts(self) -> dict[str, int]:
        """What was played, as it came."""
        counts, seats = self.counts, range(1, self.rules.players + 1)
        return {
            "kickouts": counts["dealer.kickouts"],
            "dealer_wins": counts["dealer.wins"],
            "split_pots": sum(counts[f"table.win.{k}"] for k in range(2, self.rules.players + 1)),
            **{
                name: sum(counts[f"seat{seat}.{name}"] for seat in seats)
                for name in ("fold", "play", "last_hand", "win_alone", "split", "bets", "net")
            },
        }

    def mean(
        self, name: str, unit: Fraction, bounds: Bounds, level: Fraction | None = None
    ) -> tuple[Fraction, Interval]:
        """Mean of a quantity, and its interval."""
        total, squares = self.counts[f"{name}.sum"], self.counts[f"{name}.squares"]
        found = self.bets.mean(self.index[name], total, squares, unit, bounds, level)
        return total * unit / self.deals, found

    def value(self, level: Fraction | None = None) -> tuple[Fraction, Interval]:
        """Net result of all players per round in units, the controls put back at their mean."""
        mean, found = self.mean("value", VALUE_UNIT, self.bets.value_bounds, level)
        offset = self.bets.control_mean
        return mean + offset, found.scaled(1, offset)

    def value_figures(self) -> dict[str, Any]:
        """What the game returns, per ante and per chip wagered."""
        net, interval = self.value()
        rules = self.rules
        per_ante = interval.scaled(self.per_ante)
        play, plays = self.hands("play")
        share = Fraction(rules.play_bet, rules.ante)
        figures = {
            "ev_per_ante": per_ante.figure(net * self.per_ante),
            "rtp_per_ante": per_ante.scaled(1, 1).figure(1 + net * self.per_ante),
            "house_edge": per_ante.scaled(-1).figure(-net * self.per_ante),
        }
        # Net and bet of one deal go together, so the ratio is that of a linear figure (7.8).
        risk, per_chip = self.net_per_chip()
        figures["element_of_risk"] = per_chip.scaled(-1).figure(-risk)
        figures["rtp_per_action"] = per_chip.scaled(1, 1).figure(1 + risk)
        figures["average_bet"] = plays.scaled(share, 1).figure(1 + share * play)
        figures["house_net_per_round"] = interval.scaled(-rules.unit).figure(-net * rules.unit)
        return figures

    def net_per_chip(self) -> tuple[Fraction, Interval]:
        """Net result per chip wagered, and its interval."""
        rules, bets, counts, deals = self.rules, self.bets, self.counts, self.deals
        players, offset = rules.players, bets.control_mean
        total = counts["value.sum"] * VALUE_UNIT
        plays = {k: counts[f"table.play.{k}"] for k in range(players + 1)}
        stake = players * rules.ante
        by_bet = {stake + k * rules.play_bet: number for k, number in plays.items()}
        bet = sum(b * number for b, number in by_bet.items())
        together = stake * total + rules.play_bet * counts["value.plays"] * VALUE_UNIT
        sums = RatioSums(
            deals,
            total + deals * offset,
            bet,
            counts["value.squares"] * VALUE_UNIT**2 + 2 * offset * total + deals * offset**2,
            sum(b**2 * number for b, number in by_bet.items()),
            together + offset * bet,
        )
        slack = _ROUNDED * VALUE_UNIT
        low, high = bets.value_bounds
        ends = (low + offset - slack, high + offset + slack)
        bet_ends = (Fraction(stake), Fraction(stake + players * rules.play_bet))
        # The bet has to come from the pilot, which knows the ratio roughly, and bets not at all.
        pilot = bets.pilot
        rough = (pilot.sums[0] * VALUE_UNIT / pilot.deals + offset) / stake
        spread = Fraction(square_root(bets.variance(0, VALUE_UNIT)))
        spread += abs(rough) * players * rules.play_bet / 2
        lam = best_bet(spread**2, deals, linear_bounds(rough, ends, bet_ends), bets.level)
        found = ratio(sums, ends, bet_ends, lam, bets.level)
        wider = slack / stake
        return Fraction(sums.x, sums.y), Interval(
            found.low - wider, found.high + wider, found.level, found.method
        )

    def hands(self, name: str) -> tuple[Fraction, Interval]:
        """Share of the hands of which something is true, and its interval."""
        players = self.rules.players
        by_number = {k: self.counts[f"table.{name}.{k}"] for k in range(players + 1)}
        return mean_over_seats(by_number, self.deals, players, self.bets.level)

    def frequencies(self) -> dict[str, Any]:
        """How often things happen; the kickout, exactly."""
        counts, players = self.counts, self.rules.players
        figures = {}
        for name in ("fold", "play", "win"):
            mean, interval = self.hands(name)
            figures[f"{name}_frequency"] = interval.figure(mean)
        shared = {k: counts[f"table.win.{k}"] if k > 1 else 0 for k in range(players + 1)}
        shared[0] = self.deals - sum(shared.values())
        mean, interval = mean_over_seats(shared, self.deals, players, self.bets.level)
        figures["split_frequency"] = interval.figure(mean)
        dealt = class_deals()
        kicked = Fraction(int(dealt[self.rules.kickout_class :].sum()), int(dealt.sum()))
        if self.rules.lowest_rank == 0:
            figures["kickout_frequency"] = figure(kicked)
        won = counts["dealer.wins"]
        interval = clopper_pearson(won, self.deals, self.bets.level)
        figures["dealer_win_frequency"] = interval.figure(Fraction(won, self.deals))
        if players > 1:
            figures["fold_per_decision"] = self.fold_per_decision()
        return figures

    def fold_per_decision(self) -> dict[str, Any]:
        """Folds over decisions; at least one player of two or more decides in every round."""
        joint = {
            (folds, folds + plays): self.counts[f"joint.{folds}.{plays}"]
            for folds in range(self.rules.players + 1)
            for plays in range(self.rules.players + 1 - folds)
        }
        sums = RatioSums(
            self.deals,
            *(
                sum(number * x**i * y**j for (x, y), number in joint.items())
                for i, j in ((1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
            ),
        )
        players = self.rules.players
        found = ratio(sums, (0, players), (1, players), None, self.bets.level)
        return found.figure(Fraction(sums.x, sums.y))

    def deviations(self) -> dict[str, Any]:
        """Standard deviations of a player's result in antes, and of the house's in chips."""
        rules, players = self.rules, self.rules.players
        # Two intervals have to hold at once.
        level = 1 - (1 - self.bets.level) / 2
        ev, ev_interval = self.value(level)
        of_seats, of_table = self.bets.second_bounds
        seats, seats_interval = self.mean("seats.second", SQUARE_UNIT, of_seats, level)
        table, table_interval = self.mean("table.second", SQUARE_UNIT, of_table, level)
        per_player = (seats / players, seats_interval.scaled(Fraction(1, players)))
        mean = ev_interval.scaled(Fraction(1, players))
        if len(set(self.names)) > 1:  # the seats' own means are in by_seat
            own = [self.mean(f"seat{n}.mean_net", VALUE_UNIT, self.bets.net_bounds)[0]
                   for n in range(1, players + 1)]  # fmt: skip
            player = None if not own else _deviation(*per_player, _spread(own), None)
        else:
            player = _deviation(*per_player, (ev / players) ** 2, mean)
        house = _deviation(table, table_interval, ev**2, ev_interval)
        per_ante = Fraction(1, rules.ante)
        figures = {"house_sd_per_round": house[1].scaled(rules.unit).figure(house[0] * rules.unit)}
        if player is not None:
            figures["sd_per_round"] = player[1].scaled(per_ante).figure(player[0] * per_ante)
        return figures

    def raw(self) -> dict[str, Any]:
        """The same deals without controls and conditioning: an independent look at the EV."""
        bonus = max((line.pays for line in self.rules.lines), default=0)
        rules = self.rules
        low = -rules.players * (rules.ante + rules.play_bet)
        high = rules.dealer_ante + rules.players * bonus
        total, squares = self.counts["table.net"], self.counts["table.net_squares"]
        found = empirical_bernstein(total, squares, self.deals, (low, high), self.bets.level)
        mean = Fraction(total, self.deals) * self.per_ante
        return {"ev_per_ante": found.scaled(self.per_ante).figure(mean)}

    def lines(self) -> Iterator[dict[str, Any]]:
        """Each bonus line: how often, per hand dealt, and what it returns per ante."""
        players = self.rules.players
        largest = largest_sums(self.rules).lines
        for line, most in zip(self.rules.lines, largest, strict=True):
            bounds = (Fraction(0), min(self.bets.over_draws(most)[1], Fraction(players)))
            mean, interval = self.mean(f"line.{line.name}", VALUE_UNIT, bounds)
            share, pays = Fraction(1, players), Fraction(line.pays, self.rules.ante)
            yield {
                "line": line.name,
                "pays": fraction_text(line.pays * self.rules.unit),
                "frequency": interval.scaled(share).figure(mean * share),
                "contribution": interval.scaled(share * pays).figure(mean * share * pays),
            }

    def pots(self) -> Iterator[dict[str, Any]]:
        """How large the pot becomes."""
        rules = self.rules
        for plays in range(rules.players + 1):
            number = self.counts[f"table.play.{plays}"]
            pot = rules.players * rules.ante + rules.dealer_ante + plays * rules.play_bet
            interval = clopper_pearson(number, self.deals, self.bets.level)
            yield {
                "play_bets": plays,
                "chips": fraction_text(pot * rules.unit),
                "frequency": interval.figure(Fraction(number, self.deals)),
            }

    def player(self, kind: str, number: int) -> dict[str, Any]:
        """Figures of one place in the order of action, or of one seat."""
        counts, label, rules = self.counts, f"{kind}{number}", self.rules
        net, interval = self.mean(f"{label}.mean_net", VALUE_UNIT, self.bets.net_bounds)
        per_ante = Fraction(1, rules.ante)
        interval = interval.scaled(per_ante)
        found: dict[str, Any] = {} if kind == "seat" else {"place": number}
        found |= {
            "ev_per_ante": interval.figure(net * per_ante),
            "rtp_per_ante": interval.scaled(1, 1).figure(1 + net * per_ante),
        }
        won = counts[f"{label}.win_alone"] + counts[f"{label}.split"]
        for name, times in (("fold", counts[f"{label}.fold"]), ("win", won)):
            share = clopper_pearson(times, self.deals, self.bets.level)
            found[f"{name}_frequency"] = share.figure(Fraction(times, self.deals))
        return found


def _spread(own: Sequence[Fraction]) -> Fraction:
    """Mean of the squares of the seats' own means."""
    return sum((mean**2 for mean in own), Fraction()) / len(own)


def _deviation(
    second: Fraction, interval: Interval, square: Fraction, mean: Interval | None
) -> tuple[Fraction, Interval]:
    """Standard deviation from a second moment and a mean, with an interval of both together."""
    squares = sorted((mean.low**2, mean.high**2)) if mean else [square, square]
    least = 0 if mean and mean.low <= 0 <= mean.high else squares[0]
    low, high = max(interval.low - squares[1], Fraction()), interval.high - least
    middle = Fraction(square_root(max(second - square, Fraction())))
    ends = [Fraction(square_root(max(end, Fraction()))) for end in (low, high)]
    level = 1 - 2 * (1 - interval.level)
    return middle, Interval(ends[0], ends[1], level, "betting_moments")
