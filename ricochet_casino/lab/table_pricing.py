"""Tables of two to seven players for re-pricing and tuning: the same deals under every paytable."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.quick_figures import QuickFigures
from ricochet_casino.lab import DEFAULT_SEED
from ricochet_casino.lab.differences import table_difference
from ricochet_casino.lab.requests import NO_BOUNDS, Request, Sampling
from ricochet_casino.lab.running import Runner
from ricochet_casino.lab.sampled import SampledEntry
from ricochet_casino.stats.intervals import LEVEL

TUNING_PILOT = 1 << 12
"""Deals of the pilot of each combination."""


@dataclass(frozen=True)
class SampledFigures(QuickFigures):
    """Figures of a table from a sample; `hit_frequency` is the win frequency, as no hits are told.

    Attributes
    ----------
    rtp
        The figure as JSON values, with interval and level.
    sd_figure
        The same of the standard deviation of a seat's net result.
    deals
        Size of the sample.
    """

    rtp: dict[str, Any]
    sd_figure: dict[str, Any]
    deals: int


def table_repricer(
    players: int, runner: Runner, deals: int, seed: int = DEFAULT_SEED
) -> Callable[[RicochetPokerPaytable, RicochetPokerPaytable, str], dict[str, Any]]:
    """What sets two paytables side by side for two to seven players (see `reprice.reprice`)."""

    def price(
        old: RicochetPokerPaytable, new: RicochetPokerPaytable, strategy: str
    ) -> dict[str, Any]:
        found = table_difference(
            old, new, players, runner, deals=deals, strategy=strategy, seed=seed
        )
        return {**found, "strategy": strategy, "method": "sampled"}

    return price


def table_evaluator(
    players: int, deals: int, strategy: str = "collective", seed: int = DEFAULT_SEED
) -> Callable[[RicochetPokerPaytable], SampledFigures]:
    """What evaluates one combination for a number of players, on the same deals each time.

    Parameters
    ----------
    players
        2 to 7.
    deals
        How many are sampled for each combination.
    strategy
        A strategy by name, decided anew for each paytable.
    seed
        Of the deals.
    """
    sampling = Sampling(deals=deals, pilot=TUNING_PILOT, level=LEVEL)

    def evaluate(paytable: RicochetPokerPaytable) -> SampledFigures:
        request = Request((players,), (strategy,), 0, seed, sampling, NO_BOUNDS)
        entry = SampledEntry(paytable, players, (strategy,) * players, request).run(Runner())
        rtp, sd = entry["rtp_per_ante"], entry["sd_per_round"]
        return SampledFigures(
            rtp_per_ante=Fraction(rtp["decimal"]),
            variance=Fraction(sd["decimal"]) ** 2,
            hit_frequency=Fraction(entry["win_frequency"]["decimal"]),
            fold_frequency=Fraction(entry["fold_frequency"]["decimal"]),
            maximum_exposure=Fraction(entry["maximum_exposure"]["exact"]),
            rtp=rtp,
            sd_figure=sd,
            deals=deals,
        )

    return evaluate
