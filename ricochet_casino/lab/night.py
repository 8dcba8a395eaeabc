"""Casino night at home: who gains from dealing, and how fair an evening of turns is.

With two persons everything is exact, from the one-player game. With more, the gain of a deal is
that of a sampled table (`lab.sampled`), which needs few deals for a narrow interval, and the
spread of an evening comes from evenings that are played (games/ricochet_poker/evenings.py).
Formulas: docs/math.md, section 17.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ricochet_casino.games.ricochet_poker.evening_figures import SHARES, deals_of, turns_ahead
from ricochet_casino.games.ricochet_poker.evenings import Evenings, checked_persons
from ricochet_casino.games.ricochet_poker.exposure import maximum_exposure
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.solo_policies import strategy_to_json
from ricochet_casino.games.ricochet_poker.table_arrays import TableStrategy
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.lab import (
    DEFAULT_SEED,
    NIGHT_DEALS,
    NIGHT_EVENINGS,
    NIGHT_ROUNDS,
    NIGHT_STRATEGY,
    PILOT_DEALS,
)
from ricochet_casino.lab.certify import entries
from ricochet_casino.lab.requests import NO_BOUNDS, Request, Sampling
from ricochet_casino.lab.running import Runner
from ricochet_casino.paytable import digest
from ricochet_casino.stats.exact import decimal_text, figure, moments, square_root
from ricochet_casino.stats.intervals import Interval
from ricochet_casino.stats.sessions import Session, taking_turns

Figure = dict[str, Any]


@dataclass(frozen=True)
class NightRequest:
    """What is asked about casino nights.

    Attributes
    ----------
    persons
        Numbers of persons at the table, the dealer among them; each 2 to 8.
    rounds
        Of an evening.
    strategies
        One for everybody, or one per person; then `persons` has one number only.
    evenings
        How many are played where an evening is not exact.
    deals
        From how many the dealer's gain is estimated where it is not exact.
    seed
        Of all sampling.
    """

    persons: tuple[int, ...] = (4,)
    rounds: int = NIGHT_ROUNDS
    strategies: tuple[TableStrategy, ...] = (NIGHT_STRATEGY,)
    evenings: int = NIGHT_EVENINGS
    deals: int = NIGHT_DEALS
    seed: int = DEFAULT_SEED

    def to_json(self) -> dict[str, Any]:
        """The request as JSON values."""
        return {
            "persons": list(self.persons),
            "rounds": self.rounds,
            "strategies": [strategy_to_json(strategy) for strategy in self.strategies],
            "evenings": self.evenings,
            "deals": self.deals,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Known:
    """A number with the interval it is known to lie in.

    Attributes
    ----------
    value
        The estimate.
    interval
        None where it is exact.
    """

    value: Fraction | Decimal
    interval: Interval | None = None

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> "Known":
        """From a figure of a certificate."""
        if "interval" not in found:
            return cls(Fraction(found["exact"]) if "exact" in found else Decimal(found["decimal"]))
        low, high = map(Fraction, found["interval"])
        interval = Interval(low, high, Fraction(found["level"]), found["interval_method"])
        return cls(Fraction(found["decimal"]), interval)

    def times(self, factor: Fraction | int) -> "Known":
        """The number and its interval, multiplied; nothing is left open of no times it."""
        if factor == 0:
            return Known(Fraction(0))
        interval = self.interval and self.interval.scaled(factor)
        return Known(Fraction(self.value) * factor, interval)

    def figure(self) -> Figure:
        """As a figure of a document."""
        return self.interval.figure(self.value) if self.interval else figure(self.value)

    def meets(self, other: Interval) -> bool:
        """Whether some number is in both intervals."""
        low, high = (
            (self.interval.low, self.interval.high)
            if self.interval
            else (Fraction(self.value),) * 2
        )
        return low <= other.high and other.low <= high


@dataclass(frozen=True)
class Dealing:
    """What one deal does, in chips.

    Attributes
    ----------
    method
        ``exact`` or ``sampled``.
    gain
        Of the dealer.
    dealer_variance, player_variance
        Of the results of the dealer, and of one player.
    distribution
        One player's net result in chips -> combinations; None unless exact.
    """

    method: str
    gain: Known
    dealer_variance: Known
    player_variance: Known
    distribution: Mapping[Fraction, int] | None = None


def night(
    paytable: RicochetPokerPaytable, request: NightRequest, runner: Runner | None = None
) -> dict[str, Any]:
    """Who gains from dealing, and the evening, for each number of persons.

    Returns
    -------
    dict
        JSON values: the request, and ``results`` with ``dealing`` (None if persons play
        differently) and ``evening`` for each number of persons. Amounts are chips.

    Raises
    ------
    PaytableError, ValueError
        If something is out of range, unknown or not covered by the paytable; before anything is
        begun.
    """
    runner = runner or Runner()
    planned = [_planned(paytable, request, persons) for persons in checked_counts(request)]
    return {
        "game": paytable.game,
        "title": paytable.title,
        "paytable_digest": digest(paytable),
        "request": request.to_json(),
        "results": [_result(experiment, request, runner) for experiment in planned],
    }


def check_request(paytable: RicochetPokerPaytable, request: NightRequest) -> None:
    """Refuse what `night` would refuse, before anything is opened or begun.

    Raises
    ------
    PaytableError, ValueError
        As `night`.
    """
    for persons in checked_counts(request):
        _planned(paytable, request, persons)


def checked_counts(request: NightRequest) -> tuple[int, ...]:
    """The numbers of persons, checked.

    Raises
    ------
    ValueError
        If there are none, one is out of range or given twice, or persons with strategies of their
        own are counted in more than one way.
    """
    counts = tuple(map(checked_persons, request.persons))
    if not counts or len(set(counts)) != len(counts):
        raise ValueError(f"persons: expected different numbers, got {list(counts)}")
    if len(request.strategies) > 1 and len(counts) > 1:
        raise ValueError("a strategy for each person needs one number of persons")
    return counts


def _planned(paytable: RicochetPokerPaytable, request: NightRequest, persons: int) -> Evenings:
    """The evenings of one number of persons; everything is checked here."""
    given = request.strategies
    chosen = given[0] if len(given) == 1 else given
    _sampling(request)
    return Evenings(paytable, persons, chosen, request.rounds, request.evenings, request.seed)


def _sampling(request: NightRequest) -> Sampling:
    """As many deals for the pilot as after it: a small one makes bad controls and wide bounds."""
    return Sampling(deals=request.deals, pilot=max(2, min(request.deals, PILOT_DEALS)))


def _result(experiment: Evenings, request: NightRequest, runner: Runner) -> dict[str, Any]:
    persons = experiment.persons
    dealing = _dealing(experiment, request, runner) if experiment.alike else None
    if dealing and dealing.distribution:
        evening = _exact_evening(experiment.rounds, dealing)
    else:
        label = f"{persons} persons: {experiment.evenings:,} evenings"
        entry, blocks = runner.run(experiment, label)
        evening = {**entry, "blocks": blocks}
    if dealing:
        _add_expected(evening["by_person"], persons, experiment.rounds, dealing)
    return {
        "persons": persons,
        "strategy": experiment.names[0] if experiment.alike else list(experiment.names),
        "rounds": experiment.rounds,
        "full_rotation": experiment.rounds % persons == 0,
        "dealing": dealing and _dealing_figures(experiment.rules, dealing),
        "evening": evening,
        "agrees": _agrees(evening, dealing),
    }


def _dealing(experiment: Evenings, request: NightRequest, runner: Runner) -> Dealing:
    """What one deal does: exact for one player, sampled for more."""
    rules = experiment.rules
    asked = Request(
        (rules.players,), (experiment.strategies[0],), 0, request.seed, _sampling(request),
        NO_BOUNDS, side_bets=(),
    )  # fmt: skip
    (entry,) = entries(experiment.paytable, asked)
    found = entry.run(runner)
    if found["method"] == "exact":
        chips = rules.ante * rules.unit
        distribution = {
            Fraction(row["net"]) * chips: int(row["combinations"]) for row in found["distribution"]
        }
        spread = moments(distribution)
        variance = Known(spread.variance)
        return Dealing("exact", Known(-spread.mean), variance, variance, distribution)
    house, player = (Known.read(found[name]) for name in ("house_sd_per_round", "sd_per_round"))
    return Dealing(
        "sampled",
        Known.read(found["house_net_per_round"]),
        _squared(house),
        _squared(player.times(rules.ante * rules.unit)),
    )


def _squared(deviation: Known) -> Known:
    """A variance from a standard deviation."""
    found = deviation.interval
    assert found is not None
    interval = Interval(found.low**2, found.high**2, found.level, found.method)
    return Known(Fraction(deviation.value) ** 2, interval)


def _root(variance: Known) -> Known:
    """A standard deviation from a variance."""
    found = variance.interval
    value = square_root(Fraction(variance.value))
    if found is None:
        return Known(value)
    low, high = (Fraction(square_root(end)) for end in (found.low, found.high))
    return Known(value, Interval(low, high, found.level, found.method))


def _evening_variance(dealing: Dealing, deals: int, played: int) -> Known:
    """Of a person who deals and plays so often (17.3); both intervals hold at once."""
    parts = [dealing.dealer_variance.times(deals), dealing.player_variance.times(played)]
    value = sum((Fraction(part.value) for part in parts), Fraction())
    known = [part.interval for part in parts if part.interval]
    if not known:
        return Known(value)
    low = sum((interval.low for interval in known), Fraction())
    high = sum((interval.high for interval in known), Fraction())
    level = 1 - sum((1 - interval.level for interval in known), Fraction())
    return Known(value, Interval(low, high, level, known[0].method))


def _dealing_figures(rules: Rules, dealing: Dealing) -> dict[str, Any]:
    players = rules.players
    return {
        "method": dealing.method,
        "dealer_gain": dealing.gain.figure(),
        "player_gain": dealing.gain.times(Fraction(-1, players)).figure(),
        "turn": dealing.gain.times(Fraction(players + 1, players)).figure(),
        "dealer_sd": _root(dealing.dealer_variance).figure(),
        "player_sd": _root(dealing.player_variance).figure(),
        "maximum_exposure": maximum_exposure(rules),
    }


def _add_expected(
    by_person: Sequence[dict[str, Any]], persons: int, rounds: int, dealing: Dealing
) -> None:
    """What follows from one deal for everybody's evening: expectation and standard deviation."""
    turns, deals = turns_ahead(persons, rounds), deals_of(persons, rounds)
    for row, turn, dealt in zip(by_person, turns, deals, strict=True):
        row["expected"] = dealing.gain.times(turn).figure()
        row["sd"] = _root(_evening_variance(dealing, dealt, rounds - dealt)).figure()


def _exact_evening(rounds: int, dealing: Dealing) -> dict[str, Any]:
    """Two persons: the whole distribution of an evening."""
    assert dealing.distribution is not None
    deals = deals_of(2, rounds)
    both = [taking_turns(dealing.distribution, rounds - dealt, dealt, SHARES) for dealt in deals]
    ahead = [_within(Fraction(session.ahead), session.error) for session in both]
    even = 1 - sum((Fraction(known.value) for known in ahead), Fraction())
    both_errors = sum(session.error for session in both)
    return {
        "persons": 2,
        "method": "exact",
        "rounds": rounds,
        "by_person": [
            {
                "person": person + 1,
                "deals": dealt,
                "quantiles": _quantiles(session),
                "ahead": ahead[person].figure(),
                "even": _within(max(even, Fraction(0)), both_errors).figure(),
            }
            for person, (dealt, session) in enumerate(zip(deals, both, strict=True))
        ],
    }


def _within(value: Fraction, error: float) -> Known:
    """A probability, known but for rounding."""
    slack = Fraction(error)
    ends = max(value - slack, Fraction(0)), min(value + slack, Fraction(1))
    return Known(value, Interval(*ends, Fraction(1), "bound_of_rounding"))


def _quantiles(session: Session) -> list[dict[str, Any]]:
    found = []
    for share, (low, high) in zip(SHARES, session.quantiles, strict=True):
        known = Known(low)
        if low != high:
            known = Known(low, Interval(low, high, Fraction(1), "bound_of_rounding"))
        found.append({"share": decimal_text(share), **known.figure()})
    return found


def _agrees(evening: Mapping[str, Any], dealing: Dealing | None) -> bool | None:
    """Whether the evenings that were played have the gain and the means that were expected."""
    if dealing is None or evening["method"] == "exact":
        return None
    seen = Known.read(evening["dealer_gain"]).interval
    pairs = [(dealing.gain, seen)] + [
        (Known.read(row["expected"]), Known.read(row["mean"]).interval)
        for row in evening["by_person"]
    ]
    return all(known.meets(interval) for known, interval in pairs if interval)
