"""One to seven players with any strategies, sampled, as an experiment.

A shard is a block of consecutive deals of one stream. Its tally holds whole numbers: counts of what
was played, and sums of values (table_kernel.py) and of their squares. A *pilot* on a stream of its
own comes first; it tells the weights of the control variates and the bets of the intervals, which
must not depend on the deals that they are used for. What is read off: table_figures.py.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.deck import CardError, check_cards
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
from ricochet_casino.games.ricochet_poker.controls import (
    Features,
    features_of,
    fit,
    largest_sums,
    left_over,
)
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simulation_figures import tally_of
from ricochet_casino.games.ricochet_poker.simulation_tables import (
    Rounds,
    game_of,
    rounds_for,
    sums_for,
    tables_of,
)
from ricochet_casino.games.ricochet_poker.solo_policies import strategy_name, strategy_to_json
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES, unknown_strategy
from ricochet_casino.games.ricochet_poker.table_arrays import (
    BINS,
    FEATURES,
    TableStrategy,
    Values,
    quantities,
    terms_of,
    totals_for,
    values_for,
    work_for,
)
from ricochet_casino.games.ricochet_poker.table_figures import Bets, table_entry
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.exact import decimal_text
from ricochet_casino.stats.intervals import LEVEL

PILOT_STREAM, STREAM = 3, 4
"""Streams of the shuffles of pilots and of sampled tables; 0 to 2 are taken."""
BLOCK = 1 << 14
"""Deals of a shard: half a second."""

_BATCH = 256
_HALVES = 1 << 64


@dataclass(frozen=True)
class Pilot:
    """What a pilot found, as it stands in the specification of what comes after it.

    Attributes
    ----------
    deals
        How many deals it took.
    weights
        48 lists of 5 whole numbers (see `controls.fit`); empty for no controls.
    sums, squares
        Of each of `table_arrays.quantities` over the deals of the pilot, controls taken off.
    """

    deals: int
    weights: tuple[tuple[int, ...], ...]
    sums: tuple[int, ...]
    squares: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The pilot as JSON values."""
        return {
            "deals": self.deals,
            "weights": [list(row) for row in self.weights],
            "sums": list(self.sums),
            "squares": list(self.squares),
        }

    @classmethod
    def from_json(cls, value: Any) -> "Pilot":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is not a pilot.
        """
        try:
            found = cls(
                whole_number("pilot deals", value["deals"]),
                tuple(tuple(whole_number("a weight", w) for w in row) for row in value["weights"]),
                tuple(whole_number("a sum", number) for number in value["sums"]),
                tuple(whole_number("a sum", number) for number in value["squares"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a pilot: {error}") from None
        shapes = {len(row) for row in found.weights}
        if found.weights and (len(found.weights) != BINS or shapes != {1 + FEATURES}):
            raise ValueError(f"not a pilot: expected {BINS} rows of {1 + FEATURES} weights")
        # Sums of products with features stay in 64 bits.
        if any(abs(weight) >= 1 << 41 for row in found.weights for weight in row[1:]):
            raise ValueError("not a pilot: a weight is too large")
        return found


class TableSample:
    """Sampled deals as an experiment (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    paytable
        The game.
    players
        1 to 7, as the paytable covers.
    strategies
        One strategy for all seats, or one per seat: names from `strategy.STRATEGIES`, or hand
        tables.
    deals
        1 to 10^13: the deals 0, 1, ... of the seed.
    seed
        0 to 2^64 - 1.
    pilot
        What a pilot found; None for the pilot itself.
    level
        Of the intervals.

    Raises
    ------
    PaytableError
        If the paytable does not cover so many players.
    ValueError
        If a number is out of range or a strategy unknown.
    """

    name = "tables"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        players: int,
        strategies: TableStrategy | Sequence[TableStrategy],
        deals: int,
        seed: int,
        pilot: Pilot | None = None,
        level: Fraction = LEVEL,
    ) -> None:
        self.paytable = paytable
        self.players = whole_number("players", players)
        self.rules = paytable.rules(self.players)
        self.strategies = per_seat(strategies, self.players)
        self.deals, self.seed = checked_sizes(deals, seed)
        check_amounts(self.rules)
        self.pilot = pilot
        self.level = checked_level(level)
        if pilot and len(pilot.sums) != len(quantities(self.rules)):
            raise ValueError("the pilot is not one of this table")
        self._local = threading.local()

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values; the paytable in full, one strategy if all are the same."""
        listed = [strategy_to_json(strategy) for strategy in self.strategies]
        return {
            "game": "ricochet_poker",
            "experiment": self.name,
            "parameters": {
                "paytable": self.paytable.model_dump(mode="json"),
                "players": self.players,
                "strategies": listed[0] if len(set(self.names)) == 1 else listed,
                "deals": self.deals,
                "seed": self.seed,
                "pilot": self.pilot.to_json() if self.pilot else None,
                "level": decimal_text(self.level),
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "TableSample":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        expected = ("paytable", "players", "strategies", "deals", "seed", "pilot", "level")
        check_names(parameters, expected)
        pilot = parameters["pilot"]
        return cls(
            RicochetPokerPaytable.read(parameters["paytable"]),
            parameters["players"],
            strategies_from_json(parameters["strategies"]),
            parameters["deals"],
            parameters["seed"],
            None if pilot is None else Pilot.from_json(pilot),
            Fraction(parameters["level"]),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the strategy in each seat."""
        return tuple(map(strategy_name, self.strategies))

    @property
    def stream(self) -> int:
        """Stream of the shuffles."""
        return STREAM if self.pilot else PILOT_STREAM

    def shards(self) -> Sequence[Shard]:
        """Blocks of consecutive deals."""
        return DealBlocks(self.deals, BLOCK)

    def features(self) -> Features | None:
        """Control variates, where their means are known."""
        return None if self.rules.lowest_rank else features_of(self.rules)

    def run(self, shard: Shard) -> Tally:
        """Sample one block of deals."""
        first, number = shard.data
        if not hasattr(self._local, "table"):
            self._local.table = CompiledTable(self.rules, self.strategies, self.features())
        table: CompiledTable = self._local.table
        return table.sample(self.seed, self.stream, first, number, self.pilot)

    def result(self, tally: Tally) -> Result:
        """All figures with intervals; for a pilot, what it found.

        Raises
        ------
        ValueError
            If the tally does not hold all deals.
        """
        check_whole(tally, self.deals, what="deals")
        if self.pilot is None:
            return Result("sampled", self.found(tally).to_json())
        table = (self.rules, self.strategies, self.pilot, self.deals, self.features())
        bets = Bets(*table, self.level)
        entry = table_entry(tally, self.names, bets)
        return Result("sampled", {**entry, "seed": self.seed, "stream": STREAM})

    def found(self, tally: Tally) -> Pilot:
        """What a pilot tells those who come after it."""
        counts = tally.counts
        names = quantities(self.rules)
        sums = [counts[f"{name}.sum"] for name in names]
        squares = [counts[f"{name}.squares"] for name in names]
        weights: list[list[int]] = []
        if self.features():
            products = read_products(counts)
            shift = pilot_shift(self.rules)
            weights = fit(products, shift)
            sums[0], squares[0] = left_over(products, weights, shift)
        return Pilot(self.deals, tuple(map(tuple, weights)), tuple(sums), tuple(squares))


class CompiledTable:
    """The kernels with their arrays, for one thread.

    Parameters
    ----------
    rules
        The rules in force.
    strategies
        One per seat.
    features
        Control variates to work out, or None.
    """

    def __init__(
        self, rules: Rules, strategies: Sequence[TableStrategy], features: Features | None = None
    ) -> None:
        self.rules = rules
        self.players = rules.players
        anybody = ("always_play",) * rules.players
        self.game, self.tables = game_of(rules, anybody), tables_of(rules, anybody)
        self.terms = terms_of(rules)
        self.work = work_for(rules, strategies)
        if features:
            features.put(self.work)
        self.controlled = features is not None

    def sample(self, seed: int, stream: int, first: int, number: int, pilot: Pilot | None) -> Tally:
        """Play deals of a stream; without a pilot, products of the features are added up too."""
        from ricochet_casino.games.ricochet_poker import simulation_kernel, table_kernel

        rules = self.rules
        weights = np.array(pilot.weights if pilot else (), dtype=np.int64).reshape(-1, 1 + FEATURES)
        rounds, values = rounds_for(_BATCH, self.players), values_for(_BATCH, rules)
        sums, totals = sums_for(self.players, len(rules.lines)), totals_for(rules)
        products = np.zeros((BINS, 2 + FEATURES, 2 + FEATURES), dtype=np.int64)
        for begin in range(first, first + number, _BATCH):
            some = min(_BATCH, first + number - begin)
            self.deal(seed, stream, begin, some, rounds)
            table_kernel.seat_kernel(some, self.terms, self.work, rounds, values)
            if len(weights):
                table_kernel.adjust_kernel(some, weights, values)
            elif pilot is None and self.controlled:
                table_kernel.pilot_kernel(some, pilot_shift(rules), values, products)
            simulation_kernel.count_kernel(np.uint64(some), self.game, self.tables, rounds, sums)
            table_kernel.total_kernel(some, self.players, rounds, values, totals)
        tally = tally_of(rules, sums, number)
        counts = dict(tally.counts)
        for name, total, squares in zip(
            quantities(rules), totals.sums.tolist(), totals.squares.tolist(), strict=True
        ):
            counts[f"{name}.sum"], counts[f"{name}.squares"] = _signed(total), _signed(squares)
        counts["value.plays"] = _signed(totals.cross[0].tolist())
        for place, row in enumerate(totals.places.tolist(), start=1):
            for name, count in zip(PLACE_COUNTS, row, strict=True):
                counts[f"place{place}.{name}"] = count
        for folds, by_plays in enumerate(totals.joint.tolist()):
            for plays, count in enumerate(by_plays):
                if folds + plays <= self.players:
                    counts[f"joint.{folds}.{plays}"] = count
        if pilot is None and self.controlled:
            for (b, i, j), product in np.ndenumerate(products):
                if i <= j:
                    counts[f"product.{b}.{i}.{j}"] = int(product)
        return Tally(counts)

    def deal(self, seed: int, stream: int, first: int, number: int, rounds: Rounds) -> None:
        """Shuffle deals of a stream, and work out the dealer's class and the order of action.

        Raises
        ------
        ValueError
            If the deck is shortened.
        """
        from ricochet_casino.cards.shuffle_kernel import deal_kernel
        from ricochet_casino.games.ricochet_poker.simulation_kernel import open_kernel

        if self.rules.lowest_rank:
            raise ValueError("deals are drawn from a deck of 52 cards; give decks (`play_tables`)")
        width = 5 + 5 * self.players
        deal_kernel(
            np.uint64(seed), np.uint64(stream), np.uint64(first), np.uint64(width),
            self.tables.accepted, self.tables.factors, rounds.words, rounds.places, rounds.deck,
            rounds.cards[: number * width],
        )  # fmt: skip
        open_kernel(np.uint64(number), self.game, self.tables, rounds)

    def play(self, decks: npt.NDArray[np.uint8]) -> tuple[Rounds, Values]:
        """Play given decks, at least ``5 K + 5`` cards a row; they are trusted."""
        from ricochet_casino.games.ricochet_poker import simulation_kernel, table_kernel

        number, width = len(decks), 5 + 5 * self.players
        rounds, values = rounds_for(number, self.players), values_for(number, self.rules)
        rounds.cards[:] = decks[:, :width].reshape(-1)
        simulation_kernel.open_kernel(np.uint64(number), self.game, self.tables, rounds)
        table_kernel.seat_kernel(number, self.terms, self.work, rounds, values)
        return rounds, values


PLACE_COUNTS = ("fold", "play", "last_hand", "win_alone", "split")


def play_tables(
    rules: Rules,
    strategies: TableStrategy | Sequence[TableStrategy],
    decks: npt.ArrayLike,
) -> tuple[Rounds, Values]:
    """Play rounds from given orders of the deck, with their values: `rules.play_round`, compiled.

    Parameters
    ----------
    rules
        The rules in force; the deck may be shortened.
    strategies
        As for `TableSample`.
    decks
        (N, 5 K + 5 or more) card codes, each row as in `rules.play_round`.

    Raises
    ------
    CardError
        If a deck holds a card twice, or one that is not in the rules' deck.
    ValueError
        If the decks have another shape, or as for `TableSample`.
    """
    width = 5 * rules.players + 5
    codes = np.asarray(decks)
    if codes.ndim != 2 or codes.shape[1] < width or codes.dtype.kind not in "iu":
        raise ValueError(f"decks must be whole numbers, {width} or more a row, got {codes.shape}")
    for deck in codes.tolist():
        check_cards(deck)
    if codes.size and codes.min() < 4 * rules.lowest_rank:
        raise CardError("a deck holds a card that the rules' deck does not")
    check_amounts(rules)
    return CompiledTable(rules, per_seat(strategies, rules.players)).play(codes.astype(np.uint8))


def read_products(counts: Mapping[str, int]) -> npt.NDArray[Any]:
    """The products of a pilot, upper triangles, as an array of whole numbers of any size."""
    products = np.zeros((BINS, 2 + FEATURES, 2 + FEATURES), dtype=object)
    for (b, i, j), _ in np.ndenumerate(products):
        if i <= j:
            products[b, i, j] = counts[f"product.{b}.{i}.{j}"]
    return products


def pilot_shift(rules: Rules) -> int:
    """Bits cut off the values in a pilot, so that sums of products stay in 64 bits."""
    most = 8 * (rules.players + 1) * (rules.ante + rules.dealer_ante + rules.play_bet)
    return max(0, 32 + most.bit_length() - 24)


def check_amounts(rules: Rules) -> None:
    """Refuse amounts whose values, or sums of them over a block, could leave their words.

    Raises
    ------
    ValueError
        If there are such amounts.
    """
    stakes = rules.players * (rules.ante + rules.play_bet) + rules.dealer_ante
    bonus = max((abs(line.pays) for line in rules.lines), default=0)
    largest = max(8 * stakes, largest_sums(rules).bonus // 84, rules.players * bonus // 32)
    second = (rules.players * bonus) ** 2 + 4 * stakes * rules.players * bonus + stakes**2
    if largest >= 1 << 17 or second >= 1 << 46:
        raise ValueError(
            f"stakes of {stakes} units and bonuses of {bonus} are too large to be sampled; "
            "expected fewer: is the coin very small?"
        )


def per_seat(
    strategies: TableStrategy | Sequence[TableStrategy], players: int
) -> tuple[TableStrategy, ...]:
    """One strategy for each seat, checked.

    Raises
    ------
    ValueError
        If there are too many or too few, or one is unknown.
    """
    if isinstance(strategies, str | HandTable):
        found: tuple[TableStrategy, ...] = (strategies,) * players
    else:
        found = tuple(strategies)
    if len(found) != players:
        raise ValueError(f"{len(found)} strategies for {players} players: give one, or one a seat")
    for strategy in found:
        if not isinstance(strategy, HandTable) and strategy not in STRATEGIES:
            raise unknown_strategy(str(strategy))
    return found


def strategies_from_json(value: Any) -> TableStrategy | list[TableStrategy]:
    """Read what `strategy_to_json` wrote: one strategy, or a list of them.

    Raises
    ------
    ValueError
        If a value is a table that cannot be read.
    """
    if isinstance(value, list):
        return [_strategy_from_json(one) for one in value]
    return _strategy_from_json(value)


def _strategy_from_json(value: Any) -> TableStrategy:
    return value if isinstance(value, str) else HandTable.from_json(value)


def _signed(words: Sequence[int]) -> int:
    """A sum of 128 bits, low and high word, as a number."""
    low, high = words
    number = high * _HALVES + low
    return number - _HALVES * _HALVES if high >= _HALVES // 2 else number
