"""The independent check of the one-player certificate: the referee plays random rounds.

The referee shares nothing with the exact solution but the decisions: it deals cards, completes
hands and pays them by the rule book. What it finds is set beside the exact distribution.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from ricochet_casino.cards.shuffle import deals
from ricochet_casino.experiment import Result, Shard, Tally
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.round import Round
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.solo_figures import (
    FOLD,
    KICKOUT,
    LOSE,
    NO_BONUS,
    NO_CARDS,
    TIE,
    WIN,
)
from ricochet_casino.games.ricochet_poker.solo_policies import Strategy
from ricochet_casino.stats.checks import chi_square
from ricochet_casino.stats.exact import decimal_text, figure, square_root

BLOCK = 2_500
STREAM = 1
"""Stream of the shuffles of checks; stream 0 is left to single rounds."""
CARDS_USED = 10


class SoloReferee:
    """Rounds of the one-player game, played by the referee, as an experiment.

    Parameters
    ----------
    paytable, strategy
        As for `Solo`.
    rounds
        How many rounds, at least 1: the deals 0, 1, ... of the seed.
    seed
        0 to 2^64 - 1.
    """

    name = "solo_referee"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "processes"

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        strategy: Strategy,
        rounds: int,
        seed: int,
    ) -> None:
        if rounds < 1:
            raise ValueError(f"rounds must be at least 1, got {rounds}")
        self.solo = Solo(paytable, strategy)
        self.rounds = rounds
        self.seed = seed
        self.policy = self.solo.policy()

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values."""
        spec = self.solo.spec()
        spec["experiment"] = self.name
        spec["parameters"] |= {"rounds": self.rounds, "seed": self.seed}
        return spec

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "SoloReferee":
        """Make the experiment again from the parameters of its specification."""
        solo = Solo.from_parameters(parameters)
        return cls(solo.paytable, solo.strategy, int(parameters["rounds"]), int(parameters["seed"]))

    def shards(self) -> Sequence[Shard]:
        """Blocks of deals: number of the first, and how many."""
        return [
            Shard(str(first), [first, min(BLOCK, self.rounds - first)])
            for first in range(0, self.rounds, BLOCK)
        ]

    def run(self, shard: Shard) -> Tally:
        """Play one block of deals."""
        first, number = shard.data
        rules, policy = self.solo.rules, self.policy
        seen: Counter[str] = Counter()
        net = 0
        block = deals(self.seed, STREAM, first, number, count=CARDS_USED)
        for deck in block.tolist():
            played = play_round(rules, deck, policy, record=False)
            seen[outcome_name(played, rules.lines)] += 1
            net += played.net[0]
        return Tally({**{f"seen.{name}": n for name, n in seen.items()}, "net": net})

    def result(self, tally: Tally) -> Result:
        """Counts of outcomes and the net result in units."""
        return Result("sampled", {"rounds": self.rounds, "seed": self.seed, **tally.counts})


def outcome_name(played: Round, lines: Sequence[Any]) -> str:
    """The outcome of a one-player round, named like the outcomes of the exact distribution."""
    line = played.bonus_lines[0]
    name = NO_BONUS if line < 0 else lines[line].name
    if played.kicked_out:
        return f"{KICKOUT}.{name if played.classes[0] >= 0 else NO_CARDS}"
    if played.actions[0] == "fold":
        return f"{FOLD}.{NO_BONUS}"
    if not played.shares[0]:
        return f"{LOSE}.{name}"
    return f"{TIE if played.classes[0] == played.dealer_class else WIN}.{name}"


def compare(solo: Solo, entry: Mapping[str, Any], played: Mapping[str, Any]) -> dict[str, Any]:
    """Set what the referee saw beside the exact entry.

    Parameters
    ----------
    solo
        The experiment that made the entry.
    entry
        The certificate's entry for one player (`solo_figures.solo_entry`).
    played
        The entry of `SoloReferee`.

    Returns
    -------
    dict
        JSON values: differences in standard errors, chi-square of the outcomes.
    """
    rounds = int(played["rounds"])
    probability = {
        row["outcome"]: Fraction(row["probability"]["exact"]) for row in entry["par_sheet"]
    }
    observed = {
        name.removeprefix("seen."): int(number)
        for name, number in played.items()
        if name.startswith("seen.")
    }
    test = chi_square(observed, probability)
    exact = Fraction(entry["ev_per_ante"]["exact"])
    sampled = Fraction(int(played["net"]), solo.rules.ante * rounds)
    variance = Fraction(entry["variance_per_round"]["exact"]) / rounds
    p_value = test.p_value
    return {
        "method": "sampled",
        "by": "referee",
        "rounds": rounds,
        "seed": int(played["seed"]),
        "stream": STREAM,
        "ev_per_ante": {
            "sampled": decimal_text(sampled),
            "exact": decimal_text(exact),
            "standard_error": decimal_text(square_root(variance)),
            "difference_in_standard_errors": _in_errors(sampled - exact, variance),
        },
        "chi_square": {
            "statistic": figure(test.statistic)["decimal"],
            "degrees_of_freedom": test.degrees,
            "p_value": "undefined" if p_value is None else f"{p_value:.6g}",
        },
        "outcomes": [
            {
                "outcome": name,
                "observed": observed.get(name, 0),
                "expected": decimal_text(chance * rounds),
                "difference_in_standard_errors": _in_errors(
                    Fraction(observed.get(name, 0), rounds) - chance, chance * (1 - chance) / rounds
                ),
            }
            for name, chance in probability.items()
        ],
    }


def _in_errors(difference: Fraction, variance: Fraction) -> str:
    """Difference over its standard error, three decimals; ``0`` if both vanish."""
    if variance == 0:
        return "0" if difference == 0 else "undefined"
    size = square_root(difference**2 / variance)
    return ("-" if difference < 0 else "") + format(size, ".3f")
