"""The independent check of sampled tables: the referee plays the first deals again.

The referee and the readable policies (multiplayer.py, self_interest.py) share no code with the
compiled rounds but the tables of classes. Every deal has to give every seat the same result.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ricochet_casino.cards.shuffle import deals
from ricochet_casino.experiment import Result, Shard, Tally
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.multiplayer import policy_for
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.table_arrays import TableStrategy
from ricochet_casino.games.ricochet_poker.table_sampling import STREAM, TableSample, play_tables

BLOCK = 32
"""Rounds of a shard: the readable policies take milliseconds for each."""


class TableReferee:
    """The first deals of a sample, played by the referee, as an experiment.

    Parameters
    ----------
    paytable, players, strategies, seed
        As for `TableSample`.
    rounds
        How many of its deals, at least 1.

    Raises
    ------
    PaytableError, ValueError
        As for `TableSample`.
    """

    name = "table_referee"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "processes"

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        players: int,
        strategies: TableStrategy | Sequence[TableStrategy],
        rounds: int,
        seed: int,
    ) -> None:
        self.sample = TableSample(paytable, players, strategies, rounds, seed)
        self.rounds = rounds
        self.seed = seed

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values."""
        spec = self.sample.spec()
        spec["experiment"] = self.name
        del spec["parameters"]["pilot"], spec["parameters"]["level"]
        spec["parameters"]["rounds"] = spec["parameters"].pop("deals")
        return spec

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "TableReferee":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            As `TableSample.from_parameters`.
        """
        given = {**parameters, "deals": parameters.get("rounds"), "pilot": None, "level": "0.99"}
        given.pop("rounds", None)
        made = TableSample.from_parameters(given)
        return cls(made.paytable, made.players, made.strategies, made.deals, made.seed)

    def shards(self) -> Sequence[Shard]:
        """Blocks of consecutive deals."""
        return [
            Shard(str(first), [first, min(BLOCK, self.rounds - first)])
            for first in range(0, self.rounds, BLOCK)
        ]

    def run(self, shard: Shard) -> Tally:
        """Play one block both ways."""
        first, number = shard.data
        rules, players = self.sample.rules, self.sample.players
        decks = deals(self.seed, STREAM, first, number, count=5 * players + 5)
        compiled, _ = play_tables(rules, self.sample.strategies, decks)
        nets = compiled.nets.reshape(number, players)
        policies = [
            strategy if isinstance(strategy, HandTable) else policy_for(rules, strategy)
            for strategy in self.sample.strategies
        ]
        rounds = [play_round(rules, deck, policies, record=False) for deck in decks.tolist()]
        found = np.array([played.net for played in rounds], dtype=np.int64)
        equal = (found == nets).all(axis=1)
        return Tally({"rounds": number, "equal": int(equal.sum()), "net": int(found.sum())})

    def result(self, tally: Tally) -> Result:
        """How many rounds came out alike."""
        rounds, equal = tally.counts["rounds"], tally.counts["equal"]
        entry = {
            "rounds": rounds,
            "equal_rounds": equal,
            "reproduced": rounds == equal,
            "seed": self.seed,
            "stream": STREAM,
        }
        return Result("exact", entry)
