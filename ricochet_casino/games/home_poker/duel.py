"""Two policies of the home game in the same seat and with the same cards, as an experiment.

In every deal one seat, each in turn, plays a policy, and all others play another one, the base. The
same deal is played again with the base in all seats. Since no seat has an advantage then
(docs/math.md, 13.7), that seat expects 0 there, and the mean difference is what it wins a hand with
its policy: the same figure as in a study, with much of the luck of the cards taken off (13.8).
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np

from ricochet_casino.experiment import (
    DealBlocks,
    Result,
    Shard,
    Tally,
    check_names,
    check_whole,
    checked_sizes,
)
from ricochet_casino.games.home_poker import DEFAULT_PLAYOUTS
from ricochet_casino.games.home_poker import table_arrays as at
from ricochet_casino.games.home_poker.policies import (
    DEFAULT_INNER,
    DEFAULT_SAMPLES,
    POLICIES,
    check_policy,
)
from ricochet_casino.games.home_poker.settings import Settings, settings_from
from ricochet_casino.games.home_poker.study import STREAM, checked_policy_sizes
from ricochet_casino.games.home_poker.study_figures import seat_bounds
from ricochet_casino.stats.betting import best_bet, betting
from ricochet_casino.stats.exact import decimal_text, variance_of

_COUNTS: Final = ("gain", "gain_squares", "net", "net_squares", "better", "worse")
_BATCH = 64
_BLOCK = 1 << 17
_SMALL_BLOCK = 1 << 7  # if somebody looks ahead
_SPREAD = 4
"""Standard deviation of a difference, in chips, that the bets are made for (13.8)."""


class Duel:
    """A policy against a base (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    settings
        The rules in force.
    players
        2 to 8.
    policy, base
        Names from `policies.POLICIES`: of one seat, and of all others.
    hands
        1 to 10^13: the deals 0, 1, ... of the seed, those of a `study.Study`. Each is played twice.
    seed
        0 to 2^64 - 1.
    samples, playouts, inner
        As in `study.Study`.

    Raises
    ------
    ValueError
        If a number is out of range or a policy is unknown.
    """

    name = "duel"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        settings: Settings,
        players: int,
        policy: str,
        base: str,
        hands: int,
        seed: int,
        *,
        samples: int = DEFAULT_SAMPLES,
        playouts: int = DEFAULT_PLAYOUTS,
        inner: int = DEFAULT_INNER,
    ) -> None:
        self.settings = settings
        self.players = settings.check_players(players)
        self.policy, self.base = check_policy(policy), check_policy(base)
        self.hands, self.seed = checked_sizes(hands, seed, "hands")
        self.sizes = checked_policy_sizes(samples, playouts, inner)

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values."""
        return {
            "game": "home_poker",
            "experiment": self.name,
            "parameters": {
                "settings": self.settings.model_dump(mode="json"),
                "players": self.players,
                "policy": self.policy,
                "base": self.base,
                "hands": self.hands,
                "seed": self.seed,
                **self.sizes,
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Duel":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        names = ("players", "policy", "base", "hands", "seed")
        sizes = ("samples", "playouts", "inner")
        check_names(parameters, ("settings", *names, *sizes))
        return cls(
            settings_from(parameters["settings"]),
            *(parameters[name] for name in names),
            **{name: parameters[name] for name in sizes},
        )

    def shards(self) -> DealBlocks:
        """Blocks of consecutive deals."""
        slow = "look_ahead" in (self.policy, self.base)
        return DealBlocks(self.hands, _SMALL_BLOCK if slow else _BLOCK)

    def run(self, shard: Shard) -> Tally:
        """Play one block of deals."""
        # Here, because it imports the compiler.
        from ricochet_casino.games.home_poker.play_kernel import duel_kernel

        first, number = shard.data
        work = at.work_for(self.settings, self.players, _BATCH, **self.sizes)
        sums = np.zeros(len(_COUNTS), dtype=np.int64)
        duel_kernel(
            np.uint64(self.seed), np.uint64(STREAM), first, number,
            at.cards_needed(self.settings, self.players), POLICIES.index(self.policy),
            POLICIES.index(self.base), work, sums,
        )  # fmt: skip
        return Tally({"rounds": number, **dict(zip(_COUNTS, sums.tolist(), strict=True))})

    def result(self, tally: Tally) -> Result:
        """The gain of the policy and what its seat won, with intervals.

        Raises
        ------
        ValueError
            If the tally does not hold all hands.
        """
        check_whole(tally, self.hands, what="hands")
        counts, unit = tally.counts, self.settings.unit
        low, high = seat_bounds(self.settings, self.players)
        figures = {}
        for name, bounds in (("gain", (low - high, high - low)), ("net", (low, high))):
            bet = best_bet((_SPREAD * unit) ** 2, self.hands, bounds)
            found = betting(counts[name], counts[f"{name}_squares"], self.hands, bounds, bet)
            mean = Fraction(counts[name], self.hands * unit)
            figures[name] = found.scaled(Fraction(1, unit)).figure(mean)
        low_gain = Fraction(figures["gain"]["interval"][0])
        return Result(
            "sampled",
            {
                "settings": self.settings.model_dump(mode="json"),
                "players": self.players,
                "policy": self.policy,
                "base": self.base,
                "method": "sampled",
                "hands": self.hands,
                **figures,
                "policy_is_better": low_gain > 0,
                "better": counts["better"],
                "worse": counts["worse"],
                "gain_variance": {"decimal": decimal_text(self._variance(counts, "gain"))},
                "net_variance": {"decimal": decimal_text(self._variance(counts, "net"))},
                "seed": self.seed,
                "stream": STREAM,
                **self.sizes,
            },
        )

    def _variance(self, counts: Mapping[str, int], name: str) -> Fraction:
        found = variance_of(counts[name], counts[f"{name}_squares"], self.hands)
        return found / self.settings.unit**2
