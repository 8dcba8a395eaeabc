"""Two games on the same deals, as an experiment: what a change of rules or of strategy does.

Every deal, with the order of the stub, is played at both tables, each by its own paytable and
strategies; what is tallied is the difference of their values (table_kernel.py), deal by deal. Luck
that both tables share cancels, so the mean of the difference is known much better than from two
samples. A pilot on a stream of its own comes first, as in table_sampling.py. What is read off:
difference_figures.py; derivation: docs/math.md, section 12.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

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
from ricochet_casino.games.ricochet_poker.controls import fit, left_over
from ricochet_casino.games.ricochet_poker.difference_controls import (
    DIFFERENCE,
    NEW,
    OLD,
    SIDES,
    Pair,
)
from ricochet_casino.games.ricochet_poker.difference_figures import (
    QUANTITIES,
    DifferenceBets,
    DifferencePilot,
    difference_entry,
)
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simulation_tables import ACTIONS, Rounds, rounds_for
from ricochet_casino.games.ricochet_poker.solo_policies import strategy_name, strategy_to_json
from ricochet_casino.games.ricochet_poker.table_arrays import (
    BINS,
    FEATURES,
    TableStrategy,
    Values,
    values_for,
)
from ricochet_casino.games.ricochet_poker.table_sampling import (
    BLOCK,
    CompiledTable,
    check_amounts,
    per_seat,
    strategies_from_json,
)
from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import LEVEL

PILOT_STREAM, STREAM = 11, 12
"""Streams of the shuffles of pilots and of samples."""

_BATCH = 256
_FOLD, _PLAY = (np.uint8(ACTIONS.index(name)) for name in ("fold", "play"))

Strategies = TableStrategy | Sequence[TableStrategy]


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two tables.

    Attributes
    ----------
    paytable
        The game.
    strategies
        One strategy for all seats, or one per seat.
    """

    paytable: RicochetPokerPaytable
    strategies: Strategies = "collective"

    def to_json(self, players: int) -> dict[str, Any]:
        """The side as JSON values; one strategy if all are the same."""
        seats = per_seat(self.strategies, players)
        listed = [strategy_to_json(strategy) for strategy in seats]
        alike = len(set(map(strategy_name, seats))) == 1
        return {
            "paytable": self.paytable.model_dump(mode="json"),
            "strategies": listed[0] if alike else listed,
        }

    @classmethod
    def from_json(cls, value: Any) -> "Side":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If a part is missing, unknown or cannot be read.
        """
        if not isinstance(value, Mapping):
            raise ValueError("not a side of a comparison: expected a paytable and strategies")
        check_names(value, ("paytable", "strategies"))
        strategies = strategies_from_json(value["strategies"])
        return cls(RicochetPokerPaytable.read(value["paytable"]), strategies)


class TableDifference:
    """Two tables on the same deals (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    old, new
        The tables; figures of the difference are the second less the first.
    players
        1 to 7, as both paytables cover.
    deals
        1 to 10^13: the deals 0, 1, ... of the seed.
    seed
        0 to 2^64 - 1.
    pilot
        What a pilot found; None for the pilot itself.
    draw_controls
        Whether draws have controls (docs/math.md 9.4). They take spread off, and allow a deal a
        much wider range, which counts while deals are few.
    level
        Of the intervals.

    Raises
    ------
    PaytableError
        If a paytable does not cover so many players.
    ValueError
        If a number is out of range, a strategy unknown, or the pilot one of another table.
    """

    name = "table_difference"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        old: Side,
        new: Side,
        players: int,
        deals: int,
        seed: int,
        pilot: DifferencePilot | None = None,
        draw_controls: bool = False,
        level: Fraction = LEVEL,
    ) -> None:
        self.old, self.new = old, new
        self.players = whole_number("players", players)
        self.pair = Pair(*(side.paytable.rules(self.players) for side in (old, new)))
        self.seats = {
            OLD: per_seat(old.strategies, self.players),
            NEW: per_seat(new.strategies, self.players),
        }
        self.deals, self.seed = checked_sizes(deals, seed)
        for rules in (self.pair.old, self.pair.new):
            check_amounts(rules)
        _ = self.pair.factors  # refuses antes that cannot be compared
        if not isinstance(draw_controls, bool):
            raise ValueError(f"draw_controls must be true or false, got {draw_controls!r}")
        self.draw_controls = draw_controls
        self.level = checked_level(level)
        self.pilot = pilot
        self._local = threading.local()

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values; the paytables in full."""
        return {
            "game": "ricochet_poker",
            "experiment": self.name,
            "parameters": {
                "old": self.old.to_json(self.players),
                "new": self.new.to_json(self.players),
                "players": self.players,
                "deals": self.deals,
                "seed": self.seed,
                "pilot": self.pilot.to_json() if self.pilot else None,
                "draw_controls": self.draw_controls,
                "level": decimal_text(self.level),
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "TableDifference":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        check_names(
            parameters,
            ("old", "new", "players", "deals", "seed", "pilot", "draw_controls", "level"),
        )
        pilot = parameters["pilot"]
        return cls(
            Side.from_json(parameters["old"]),
            Side.from_json(parameters["new"]),
            parameters["players"],
            parameters["deals"],
            parameters["seed"],
            None if pilot is None else DifferencePilot.from_json(pilot),
            parameters["draw_controls"],
            Fraction(parameters["level"]),
        )

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """Names of the strategies in the seats of both tables."""
        return {side: tuple(map(strategy_name, seats)) for side, seats in self.seats.items()}

    @property
    def same(self) -> bool:
        """Whether nothing can differ: the same rules in units of an ante, the same strategies."""
        return self.pair.old == self.pair.new and self.seats[OLD] == self.seats[NEW]

    def shards(self) -> Sequence[Shard]:
        """Blocks of consecutive deals."""
        return DealBlocks(self.deals, BLOCK)

    def run(self, shard: Shard) -> Tally:
        """Play one block of deals at both tables."""
        first, number = shard.data
        if not hasattr(self._local, "tables"):
            self._local.tables = TwoTables(self.pair, self.seats, self.draw_controls)
        tables: TwoTables = self._local.tables
        stream = STREAM if self.pilot else PILOT_STREAM
        return tables.sample(self.seed, stream, first, number, self.pilot)

    def bets(self, pilot: DifferencePilot, deals: int | None = None) -> DifferenceBets:
        """How the intervals are made after a pilot."""
        sizes = (deals or self.deals, self.draw_controls, self.same, self.level)
        return DifferenceBets(self.pair, self.seats, pilot, *sizes)

    def result(self, tally: Tally) -> Result:
        """Figures of both tables and of their difference with intervals; what a pilot found.

        Raises
        ------
        ValueError
            If the tally does not hold all deals.
        """
        check_whole(tally, self.deals, what="deals")
        if self.pilot is None:
            return Result("sampled", self.found(tally).to_json())
        entry = difference_entry(tally, self.names, self.bets(self.pilot))
        return Result("sampled", {**entry, "seed": self.seed, "stream": STREAM})

    def found(self, tally: Tally) -> DifferencePilot:
        """What a pilot tells those who come after it."""
        counts, weights = tally.counts, {}
        sums = {name: counts[f"{name}.sum"] for name in QUANTITIES}
        squares = {name: counts[f"{name}.squares"] for name in QUANTITIES}
        shift = pilot_shift(self.pair)
        for side in SIDES:
            products = _read_products(counts, side)
            weights[side] = tuple(map(tuple, fit(products, shift)))
            name = f"{side}.value"
            sums[name], squares[name] = left_over(products, weights[side], shift)
        return DifferencePilot(self.deals, weights, sums, squares)


class TwoTables:
    """The kernels of both tables with their arrays, for one thread.

    Parameters
    ----------
    pair
        Rules of both.
    seats
        Strategies of both, one per seat.
    draw_controls
        See `TableDifference`.
    """

    def __init__(
        self, pair: Pair, seats: Mapping[str, Sequence[TableStrategy]], draw_controls: bool
    ) -> None:
        self.pair, self.players = pair, pair.old.players
        self.old = CompiledTable(pair.old, seats[OLD], pair.features[OLD])
        self.new = CompiledTable(pair.new, seats[NEW], pair.features[NEW])
        for table in (self.old, self.new):
            table.work.draw_controls = draw_controls

    def sample(
        self, seed: int, stream: int, first: int, number: int, pilot: DifferencePilot | None
    ) -> Tally:
        """Play deals of a stream; without a pilot, products of the features are added up too."""
        room = [
            (rounds_for(_BATCH, self.players), values_for(_BATCH, rules))
            for rules in (self.pair.old, self.pair.new)
        ]
        counts: dict[str, int] = {"rounds": number}
        counts |= {f"{name}.{what}": 0 for name in QUANTITIES for what in ("sum", "squares")}
        products = np.zeros((len(SIDES), BINS, 2 + FEATURES, 2 + FEATURES), dtype=np.int64)
        for begin in range(first, first + number, _BATCH):
            some = min(_BATCH, first + number - begin)
            self._play(seed, stream, begin, some, room)
            values = self._values(some, *(values for _, values in room))
            self._control(some, values, pilot, products)
            self._add(counts, self._found(some, values, room))
        if pilot is None:
            for (side, *place), product in np.ndenumerate(products):
                if place[1] <= place[2]:
                    counts[f"{SIDES[side]}.product.{place[0]}.{place[1]}.{place[2]}"] = int(product)
        return Tally(counts)

    def _play(
        self, seed: int, stream: int, first: int, number: int, room: list[tuple[Rounds, Values]]
    ) -> None:
        """Deal once and play at both tables."""
        from ricochet_casino.games.ricochet_poker.simulation_kernel import open_kernel
        from ricochet_casino.games.ricochet_poker.table_kernel import seat_kernel

        (old, old_values), (new, new_values) = room
        self.old.deal(seed, stream, first, number, old)
        new.cards[:] = old.cards
        open_kernel(np.uint64(number), self.new.game, self.new.tables, new)
        seat_kernel(number, self.old.terms, self.old.work, old, old_values)
        seat_kernel(number, self.new.terms, self.new.work, new, new_values)

    def _values(self, number: int, old: Values, new: Values) -> dict[str, Values]:
        """Values of both tables and their difference in parts of an ante, with features."""
        first, second = self.pair.factors
        of_old = old._replace(value=old.value[:number] * first)
        of_new = new._replace(value=new.value[:number] * second)
        both = new._replace(value=of_new.value - of_old.value, features=self.pair.rows(old, new))
        return {OLD: of_old, NEW: of_new, DIFFERENCE: both}

    def _control(
        self,
        number: int,
        values: Mapping[str, Values],
        pilot: DifferencePilot | None,
        products: npt.NDArray[np.int64],
    ) -> None:
        """Take the controls of the deals off, or add up what they are fitted by."""
        from ricochet_casino.games.ricochet_poker.table_kernel import adjust_kernel, pilot_kernel

        for index, side in enumerate(SIDES):
            if pilot is None:
                pilot_kernel(number, pilot_shift(self.pair), values[side], products[index])
            elif pilot.weights[side]:
                adjust_kernel(number, pilot.array(side), values[side])

    def _found(
        self, number: int, values: Mapping[str, Values], room: list[tuple[Rounds, Values]]
    ) -> dict[str, npt.NDArray[np.int64]]:
        """(N,) each of `QUANTITIES` deal by deal."""
        found = {f"{side}.value": values[side].value for side in SIDES}
        for side, (rounds, _), rules, factor in zip(
            (OLD, NEW), room, (self.pair.old, self.pair.new), self.pair.factors, strict=True
        ):
            seats = number * self.players
            actions = rounds.actions[:seats].reshape(number, -1)
            winners = rounds.winners[:seats].reshape(number, -1)
            plays = (actions == _PLAY).sum(axis=1)
            found[f"{side}.fold"] = (actions == _FOLD).sum(axis=1)
            found[f"{side}.play"] = plays
            found[f"{side}.win"] = (winners > 0).sum(axis=1)
            found[f"{side}.bet"] = plays * (rules.play_bet * factor)
        for name in ("fold", "play", "win", "bet"):
            found[f"{DIFFERENCE}.{name}"] = found[f"{NEW}.{name}"] - found[f"{OLD}.{name}"]
        return found

    @staticmethod
    def _add(counts: dict[str, int], found: Mapping[str, npt.NDArray[np.int64]]) -> None:
        """Add sums and sums of squares, in whole numbers of any size."""
        for name, column in found.items():
            listed = column.tolist()
            counts[f"{name}.sum"] += sum(listed)
            counts[f"{name}.squares"] += sum(value * value for value in listed)


def pilot_shift(pair: Pair) -> int:
    """Bits cut off the values in a pilot, so that sums of products stay in 64 bits."""
    most = sum(
        8 * (rules.players + 1) * (rules.ante + rules.dealer_ante + rules.play_bet) * factor
        for rules, factor in zip((pair.old, pair.new), pair.factors, strict=True)
    )
    return max(0, 32 + most.bit_length() - 24)


def _read_products(counts: Mapping[str, int], side: str) -> npt.NDArray[Any]:
    """The products of a pilot, upper triangles, as an array of whole numbers of any size."""
    size = 2 + FEATURES
    products = np.zeros((BINS, size, size), dtype=object)
    for number in range(BINS):
        for i in range(size):
            for j in range(i, size):
                products[number, i, j] = counts[f"{side}.product.{number}.{i}.{j}"]
    return products
