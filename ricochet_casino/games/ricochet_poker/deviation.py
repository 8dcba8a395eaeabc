"""What a player who looks after himself could still gain by deviating, as an experiment.

`individual` decides by marginal odds while three or more are left to act, so a player may do better
by the other action, the others' policy fixed. Every decision of sampled deals is looked at; with
two or one left it is exact, and nothing can be gained. A fold is worth 0 from there on; what a play
is worth is simulated, the cards that can come in random orders.

The best of two noisy means is biased upward. So two independent samples are taken: the first says
whether deviating looks better by two standard errors, the second alone gives the value. The mean is
what players gain who deviate when a first sample says so: unbiased for that rule, and on average at
most the true possible gain. The decision that looks best in each block is estimated again on a
larger sample of its own. Derivation: docs/math.md, section 10.5.
"""

import threading
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.shuffle import deals as shuffled
from ricochet_casino.experiment import (
    DealBlocks,
    Result,
    Shard,
    Tally,
    check_names,
    check_whole,
    checked_level,
    checked_sizes,
    whole_number,
)
from ricochet_casino.games.ricochet_poker.controls import largest_sums
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simulation_tables import rounds_for
from ricochet_casino.games.ricochet_poker.table_arrays import (
    GIVEN_DRAW,
    GIVEN_FOLD,
    GIVEN_PLAY,
)
from ricochet_casino.games.ricochet_poker.table_figures import VALUE_UNIT, Bounds, over_draws
from ricochet_casino.games.ricochet_poker.table_sampling import CompiledTable, check_amounts
from ricochet_casino.games.ricochet_poker.two_players_position import MOST_TO_ACT
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.betting import best_bets, betting
from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import LEVEL, Interval, empirical_bernstein

STREAM, INNER_STREAM = 9, 10
"""Streams of the deals and of the random orders of the stub."""
BLOCK = 16
FIRST, SECOND, AGAIN = 1 << 10, 1 << 8, 1 << 12
"""Random orders of the first sample at most, of the second, and of the one for the largest gain."""
MOST_DEALS = 10**9

_GLANCES = (1 << 6, 1 << 8)  # orders after which a decision that is clearly right is left alone
_ORDERS = 1 << 13  # room for all orders of one decision
_SLACK = 64 * VALUE_UNIT  # more than all roundings of one value
_RISK = Fraction(9, 10)  # gains are small against their range
_SPREAD = Fraction(1, 16)  # SD of a deal's gain in play bets, as bets take it to be
_PLAY_ACTION = 1  # as in `simulation_tables.Rounds.actions`


class Decision(NamedTuple):
    """A decision that is looked at.

    Attributes
    ----------
    deal, place
        Its number in the stream, and the place in the order of action.
    seat, plays
        Whose it is, and what the policy does.
    dealt
        The cards on the table, in the order of a deck.
    given
        (K,) what each seat has done, for `work.given_action`; the player in question plays.
    """

    deal: int
    place: int
    seat: int
    plays: bool
    dealt: npt.NDArray[np.uint8]
    given: npt.NDArray[np.int64]


class Sums(NamedTuple):
    """Values, how many, their sum and sum of squares, in units of `VALUE_UNIT`."""

    number: int
    total: int
    squares: int

    def sign(self) -> int:
        """1 or -1 if the mean is more than two standard errors from 0, else 0."""
        square = self.total**2
        clear = self.number * square > 4 * (self.number * self.squares - square)
        return 0 if not clear else 1 if self.total > 0 else -1


class TableDeviation:
    """Gain from deviating where all play `individual` (see `experiment.Experiment`).

    Parameters
    ----------
    paytable
        The game.
    players
        2 to 7, as the paytable covers.
    deals
        The deals 0, 1, ... of the seed; all their decisions are looked at.
    seed
        0 to 2^64 - 1.
    level
        Of the intervals.

    Raises
    ------
    PaytableError
        If the paytable does not cover so many players.
    ValueError
        If a number is out of range.
    """

    name = "deviation"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        players: int,
        deals: int,
        seed: int,
        level: Fraction = LEVEL,
    ) -> None:
        self.paytable = paytable
        self.players = whole_number("players", players)
        if self.players < 2:
            raise ValueError("one player has nobody to deviate from: the optimum is exact")
        self.rules = paytable.rules(self.players)
        self.deals, self.seed = checked_sizes(deals, seed)
        if self.deals > MOST_DEALS:
            raise ValueError(f"deals must be 1 to {MOST_DEALS:,}, got {self.deals:,}")
        check_amounts(self.rules)
        self.level = checked_level(level)
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
                "seed": self.seed,
                "level": decimal_text(self.level),
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "TableDeviation":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        expected = ("paytable", "players", "deals", "seed", "level")
        check_names(parameters, expected)
        return cls(
            RicochetPokerPaytable.read(parameters["paytable"]),
            parameters["players"],
            parameters["deals"],
            parameters["seed"],
            Fraction(parameters["level"]),
        )

    def shards(self) -> Sequence[Shard]:
        """Blocks of consecutive deals."""
        return DealBlocks(self.deals, BLOCK)

    def run(self, shard: Shard) -> Tally:
        """Look at the decisions of one block of deals."""
        first, number = shard.data
        if not hasattr(self._local, "table"):
            self._local.table = DeviationTable(self.rules, self.seed)
        table: DeviationTable = self._local.table
        return table.tally(first, number)

    def result(self, tally: Tally) -> Result:
        """Mean and largest gain with their intervals, in antes.

        Raises
        ------
        ValueError
            If the tally does not hold all deals.
        """
        check_whole(tally, self.deals, what="deals")
        counts = tally.counts
        per_ante = Fraction(1, self.rules.ante)
        scale = VALUE_UNIT / (SECOND * self.players)
        total, squares = counts["gain.sum"] * scale, counts["gain.squares"] * scale**2
        found = self.mean_interval(total, squares)
        mean = found.scaled(per_ante).figure(total / self.deals * per_ante)
        entry = {
            "mean_gain": mean,
            "largest_gain": self._largest(counts),
            "decisions": self.deals * self.players,
            "simulated": counts["simulated"],
            "deviations": counts["deviations"],
            "deals": self.deals,
            "seed": self.seed,
            "stream": STREAM,
        }
        return Result("sampled", entry)

    def mean_interval(self, total: Fraction, squares: Fraction) -> Interval:
        """Interval of the mean gain per decision, in units; the deal is the sampling unit."""
        most = max(map(abs, play_bounds(self.rules)))
        most *= Fraction(max(self.players - MOST_TO_ACT, 0), self.players)
        ends = (-most - _SLACK, most + _SLACK)
        spread = (self.rules.play_bet * _SPREAD) ** 2
        bets = best_bets(0, spread, self.deals, ends, self.level, _RISK)
        found = betting(total, squares, self.deals, ends, bets, self.level)
        return Interval(found.low - _SLACK, found.high + _SLACK, found.level, found.method)

    def _largest(self, counts: Mapping[str, int]) -> dict[str, Any] | None:
        """The decision that looks best of all, by its sample of its own; None if none does."""
        firsts = [int(name.split(".")[1]) for name in counts if name.endswith(".look")]
        if not firsts:
            return None
        first = max(firsts, key=lambda one: (counts[f"best.{one}.look"], -one))
        low, high = play_bounds(self.rules)
        if counts[f"best.{first}.plays"]:
            low, high = -high, -low
        total = counts[f"best.{first}.sum"] * VALUE_UNIT
        squares = counts[f"best.{first}.squares"] * VALUE_UNIT**2
        found = empirical_bernstein(
            total, squares, AGAIN, (low - _SLACK, high + _SLACK), self.level
        )
        wide = Interval(found.low - _SLACK, found.high + _SLACK, found.level, found.method)
        per_ante = Fraction(1, self.rules.ante)
        return {
            **wide.scaled(per_ante).figure(total / AGAIN * per_ante),
            "deal": counts[f"best.{first}.deal"],
            "place": counts[f"best.{first}.place"] + 1,
            "policy": "play" if counts[f"best.{first}.plays"] else "fold",
        }


class DeviationTable:
    """A compiled table of `individual`, for one thread.

    Parameters
    ----------
    rules
        The rules in force.
    seed
        Of deals and orders of the stub.
    """

    def __init__(self, rules: Rules, seed: int) -> None:
        self.rules, self.seed = rules, seed
        self.table = CompiledTable(rules, ("individual",) * rules.players)

    def tally(self, first: int, number: int) -> Tally:
        """Sums over the decisions of some deals; see `TableDeviation.result`."""
        counts = {"rounds": number, "simulated": 0, "deviations": 0}
        counts |= {"gain.sum": 0, "gain.squares": 0}
        best: tuple[int, Decision] | None = None
        for deal in range(first, first + number):
            gain = 0
            for decision in self.decisions(deal):
                counts["simulated"] += 1
                look = self.look(decision)
                if look.sign() <= 0:
                    continue
                counts["deviations"] += 1
                gain += self.sums(decision, FIRST, SECOND).total
                mean = look.total // look.number
                if best is None or mean > best[0]:
                    best = mean, decision
            counts["gain.sum"] += gain
            counts["gain.squares"] += gain**2
        if best:
            mean, decision = best
            again = self.sums(decision, FIRST + SECOND, AGAIN)
            found = {
                "look": mean, "sum": again.total, "squares": again.squares, "deal": decision.deal,
                "place": decision.place, "plays": int(decision.plays),
            }  # fmt: skip
            counts |= {f"best.{first}.{name}": value for name, value in found.items()}
        return Tally(counts)

    def decisions(self, deal: int, exact: int = MOST_TO_ACT) -> list[Decision]:
        """The decisions of a deal as the policy comes to them, but for the last `exact` of them."""
        from ricochet_casino.games.ricochet_poker import table_kernel
        from ricochet_casino.games.ricochet_poker.table_arrays import values_for

        players = self.rules.players
        self.table.work.given_action[:] = 0
        rounds, values = rounds_for(1, players), values_for(1, self.rules)
        self.table.deal(self.seed, STREAM, deal, 1, rounds)
        table_kernel.seat_kernel(1, self.table.terms, self.table.work, rounds, values)
        found, drawn = [], 2 * players + 5
        given = np.zeros(players, dtype=np.int64)
        for place in range(players - exact):
            seat = int(rounds.order[place])
            plays = int(rounds.actions[seat]) == _PLAY_ACTION
            now = given.copy()
            now[seat] = GIVEN_PLAY
            dealt = rounds.cards[:drawn].copy()
            found.append(Decision(deal, place, seat, plays, dealt, now))
            given[seat] = GIVEN_DRAW if plays else GIVEN_FOLD
            drawn += 3 * plays
        return found

    def look(self, decision: Decision) -> Sums:
        """The first sample: all of it only if no glance shows that the policy is right."""
        for number in _GLANCES:
            glance = self.sums(decision, 0, number)
            if glance.sign() < 0:
                return glance
        return self.sums(decision, 0, FIRST)

    def sums(self, decision: Decision, first: int, number: int) -> Sums:
        """What deviating brings the player, over some of the random orders of a decision."""
        values = self.gains(decision, first, number).tolist()
        return Sums(number, sum(values), sum(value * value for value in values))

    def gains(self, decision: Decision, first: int, number: int) -> npt.NDArray[np.int64]:
        """(number,) the value of a play, negative where the policy plays; in `VALUE_UNIT`."""
        index = (decision.deal * 8 + decision.place) * _ORDERS + first
        orders = shuffled(self.seed, INNER_STREAM, index, number)
        stub = np.ones(52, dtype=np.bool_)
        stub[decision.dealt] = False
        coming = orders[stub[orders]].reshape(number, -1)
        dealt = np.broadcast_to(decision.dealt, (number, len(decision.dealt)))
        given = self.table.work.given_action
        given[: len(decision.given)] = decision.given
        _, values = self.table.play(np.hstack([dealt, coming]))
        given[:] = 0
        own: npt.NDArray[np.int64] = values.nets[decision.seat :: self.rules.players]
        own = own + (self.rules.ante << 32)  # paid before
        return -own if decision.plays else own


def play_bounds(rules: Rules) -> Bounds:
    """Bounds of what a play brings a player from there on, his bonus at its mean, in units."""
    pot = rules.players * (rules.ante + rules.play_bet) + rules.dealer_ante
    bonus = over_draws(rules, largest_sums(rules).bonus)[0]
    return Fraction(-rules.play_bet), pot - rules.play_bet + bonus
