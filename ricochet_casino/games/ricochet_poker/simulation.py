"""Raw rounds for one to seven players, played by the compiled kernels, as an experiment.

A shard is a block of consecutive deals of one stream; its tally holds integers only, so the total
does not depend on who played which block, or when. What is read off it: simulation_figures.py.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.deck import check_cards
from ricochet_casino.experiment import (
    DealBlocks,
    Result,
    Shard,
    Tally,
    check_names,
    check_whole,
    checked_sizes,
    whole_number,
)
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.round import Event
from ricochet_casino.games.ricochet_poker.simulation_figures import (
    player_bounds,
    simulation_entry,
    table_bounds,
    tally_of,
)
from ricochet_casino.games.ricochet_poker.simulation_tables import (
    Rounds,
    Tables,
    events_for,
    game_of,
    is_solved,
    read_events,
    rounds_for,
    sums_for,
    tables_of,
)
from ricochet_casino.games.ricochet_poker.solo_policies import (
    PolicyTable,
    Strategy,
    strategy_name,
    strategy_to_json,
)
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES, unknown_strategy
from ricochet_casino.games.ricochet_poker.units import Rules

STREAM = 2
"""Stream of the shuffles of simulations; 0 is that of single rounds, 1 that of checks."""
BLOCK = 1 << 20
"""Rounds of a shard: a tenth of a second for one player."""

_BATCH = 256  # rounds whose cards and results stay in the cache
_PART = 1 << 18  # rounds after which sums move from 64 bits to Python integers
_BUILDING = threading.Lock()


class Simulation:
    """Rounds of the game as an experiment (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    paytable
        The game.
    players
        1 to 7, as the paytable covers.
    strategies
        One name from `strategy.STRATEGIES` for all seats, or one per seat. The computed ones,
        ``pot_odds`` and policy tables are for one player.
    rounds
        1 to 10^13: the deals 0, 1, ... of the seed.
    seed
        0 to 2^64 - 1.

    Raises
    ------
    PaytableError
        If the paytable does not cover so many players.
    ValueError
        If a number is out of range, or a strategy is unknown or not there for so many players.
    """

    name = "simulation"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        players: int,
        strategies: Strategy | Sequence[Strategy],
        rounds: int,
        seed: int,
    ) -> None:
        self.paytable = paytable
        self.players = whole_number("players", players)
        self.rules = paytable.rules(self.players)
        self.strategies = _per_seat(strategies, self.players)
        self.rounds, self.seed = checked_sizes(rounds, seed, "rounds")
        _check_sizes(self.rules)
        self._tables: Tables | None = None

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
                "rounds": self.rounds,
                "seed": self.seed,
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Simulation":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        expected = ("paytable", "players", "strategies", "rounds", "seed")
        check_names(parameters, expected)
        strategies = parameters["strategies"]
        if isinstance(strategies, Mapping):
            strategies = PolicyTable.from_json(strategies)
        paytable = RicochetPokerPaytable.read(parameters["paytable"])
        others = (parameters[name] for name in ("rounds", "seed"))
        return cls(paytable, parameters["players"], strategies, *others)

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the strategy in each seat."""
        return tuple(map(strategy_name, self.strategies))

    def shards(self) -> DealBlocks:
        """Blocks of consecutive deals."""
        return DealBlocks(self.rounds, BLOCK)

    def run(self, shard: Shard) -> Tally:
        """Play one block of deals."""
        # Here, because it imports the compiler.
        from ricochet_casino.games.ricochet_poker.simulation_kernel import simulate_kernel

        first, number = shard.data
        tables = self._built_tables()
        game = game_of(self.rules, self.strategies)
        rounds, nothing = rounds_for(_BATCH, self.players), events_for(0, self.players)
        tallies = []
        for begin in range(first, first + number, _PART):
            some = min(_PART, first + number - begin)
            sums = sums_for(self.players, len(self.rules.lines))
            simulate_kernel(
                np.uint64(self.seed), np.uint64(STREAM), np.uint64(begin), np.uint64(some),
                game, tables, rounds, nothing, sums,
            )  # fmt: skip
            tallies.append(tally_of(self.rules, sums, some))
        return Tally.total(tallies)

    def result(self, tally: Tally) -> Result:
        """All figures, with intervals.

        Raises
        ------
        ValueError
            If the tally does not hold all rounds.
        """
        check_whole(tally, self.rounds)
        entry = simulation_entry(self.rules, tally, self.names)
        return Result("sampled", {**entry, "seed": self.seed, "stream": STREAM})

    def _built_tables(self) -> Tables:
        """The kernels' tables, made once for all threads."""
        with _BUILDING:
            if self._tables is None:
                self._tables = tables_of(self.rules, self.strategies)
            return self._tables


def _per_seat(strategies: Strategy | Sequence[Strategy], players: int) -> tuple[Strategy, ...]:
    """One strategy for each seat, checked."""
    if isinstance(strategies, str | PolicyTable):
        found: tuple[Strategy, ...] = (strategies,) * players
    else:
        found = tuple(strategies)
    if len(found) != players:
        raise ValueError(f"{len(found)} strategies for {players} players: give one, or one a seat")
    for strategy in found:
        if not isinstance(strategy, PolicyTable) and strategy not in STRATEGIES:
            raise unknown_strategy(strategy)
        if players > 1 and is_solved(strategy):
            raise ValueError(
                f"raw rounds of {players} players cannot follow {strategy_name(strategy)}; "
                "expected one of "
                + ", ".join(name for name in STRATEGIES if not is_solved(name))
                + f"; sample it with `ricochet certify --players {players} --deals N`"
            )
    return found


def _check_sizes(rules: Rules) -> None:
    """Refuse amounts whose sums over a part of a block could leave 64 bits (6.4)."""
    largest = max(map(abs, (*player_bounds(rules), *table_bounds(rules))))
    if largest * _PART >= 1 << 63:
        raise ValueError(f"results of {largest} units a round are too large to be summed up")


class PlayedDecks(NamedTuple):
    """What `play_decks` found.

    Attributes
    ----------
    rounds
        Everything by round and seat, flat (see `Rounds`).
    tally
        The same summed up, as in the tally of a shard.
    events
        The events of each round, as the referee records them; empty if not asked for.
    """

    rounds: Rounds
    tally: Tally
    events: list[tuple[Event, ...]]


def play_decks(
    rules: Rules,
    strategies: Strategy | Sequence[Strategy],
    decks: npt.ArrayLike,
    *,
    record: bool = False,
) -> PlayedDecks:
    """Play rounds from given orders of the deck: `rules.play_round` for many decks, compiled.

    Parameters
    ----------
    rules
        The rules in force.
    strategies
        As for `Simulation`.
    decks
        (N, 5 K + 5 or more) card codes, each row as in `rules.play_round`; at most 2^18 rows.
    record
        Write the events down.

    Raises
    ------
    CardError
        If a deck holds a card twice, or something that is not a card.
    ValueError
        If the decks have another shape, or as for `Simulation`.
    """
    from ricochet_casino.games.ricochet_poker import simulation_kernel as kernel

    players, width = rules.players, 5 * rules.players + 5
    per_seat = _per_seat(strategies, players)
    _check_sizes(rules)
    codes = np.asarray(decks)
    if codes.ndim != 2 or codes.shape[1] < width or codes.dtype.kind not in "iu":
        raise ValueError(f"decks must be whole numbers, {width} or more a row, got {codes.shape}")
    if len(codes) > _PART:
        raise ValueError(f"at most {_PART:,} decks at once, got {len(codes):,}")
    for deck in codes.tolist():
        check_cards(deck)
    number = np.uint64(len(codes))
    game, tables = game_of(rules, per_seat), tables_of(rules, per_seat)
    rounds, sums = rounds_for(len(codes), players), sums_for(players, len(rules.lines))
    events = events_for(len(codes) if record else 0, players)
    rounds.cards[:] = codes[:, :width].astype(np.uint8).reshape(-1)
    kernel.open_kernel(number, game, tables, rounds)
    kernel.play_kernel(number, game, tables, rounds, events)
    kernel.count_kernel(number, game, tables, rounds, sums)
    return PlayedDecks(rounds, tally_of(rules, sums, len(codes)), read_events(events, rules))
