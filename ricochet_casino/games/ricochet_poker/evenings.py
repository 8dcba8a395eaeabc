"""Evenings at home: the role of the dealer rotates and chips are kept by person, as an experiment.

K persons sit at a table. Each round one of them deals and the other K - 1 play; the next round is
dealt by the next person. An evening is R such rounds. A shard is a block of evenings; its tally
holds for every person how often an evening ended with which result, and sums of results with the
bonuses at their mean (`table_arrays.Values.nets`), whose bounds are narrow. What is read off:
evening_figures.py; formulas: docs/math.md, section 17. Source: the rulebook's closing remark under
Casino Rules; docs/rulings.md, D18.
"""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.shuffle import shuffled_deck
from ricochet_casino.experiment import (
    DealBlocks,
    Result,
    Shard,
    Tally,
    check_names,
    check_whole,
    checked_sizes,
    whole_between,
    whole_number,
)
from ricochet_casino.games.ricochet_poker.evening_figures import evening_entry
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.multiplayer import policy_for
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.simulation_tables import Rounds, rounds_for
from ricochet_casino.games.ricochet_poker.solo_policies import strategy_name, strategy_to_json
from ricochet_casino.games.ricochet_poker.table_arrays import TableStrategy, Values, values_for
from ricochet_casino.games.ricochet_poker.table_sampling import (
    CompiledTable,
    check_amounts,
    per_seat,
    strategies_from_json,
)

STREAM: Final = 15
"""Stream of the shuffles; 0 to 14 are taken."""
BLOCK: Final = 256
"""Evenings of a shard; part of which deal is which, so never to be changed."""
MOST_ROUNDS: Final = 1000
"""Most rounds of an evening."""
FEWEST_PERSONS, MOST_PERSONS = 2, 8

Int64Array = npt.NDArray[np.int64]


def players_of(dealer: int, persons: int) -> list[int]:
    """Who sits where while a person deals: the others, from the dealer's left.

    Parameters
    ----------
    dealer
        0 to ``persons - 1``.
    persons
        At the table.
    """
    return [(dealer + 1 + seat) % persons for seat in range(persons - 1)]


def deal_number(evening: int, number: int, rounds: int) -> int:
    """Which deal of the stream is dealt in a round of an evening, whatever else is played.

    Parameters
    ----------
    evening, number
        From 0: the evening, and the round in it.
    rounds
        Of an evening.

    Notes
    -----
    Rounds of the same number lie side by side for all evenings of a block: they have the same
    dealer, and are shuffled together.
    """
    block, place = divmod(evening, BLOCK)
    return (block * rounds + number) * BLOCK + place


class Evenings:
    """Evenings of rounds as an experiment (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    paytable
        The game.
    persons
        2 to 8: one deals, the others play; the paytable must cover so many players.
    strategies
        One strategy for everybody, or one per person: names from `strategy.STRATEGIES`, or hand
        tables.
    rounds
        Rounds of an evening, 1 to `MOST_ROUNDS`; person 1 deals first.
    evenings
        1 to 10^13.
    seed
        0 to 2^64 - 1.

    Raises
    ------
    PaytableError
        If the paytable does not cover so many players.
    ValueError
        If a number is out of range or a strategy unknown.
    """

    name = "evenings"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        persons: int,
        strategies: TableStrategy | Sequence[TableStrategy],
        rounds: int,
        evenings: int,
        seed: int,
    ) -> None:
        self.paytable = paytable
        self.persons = checked_persons(persons)
        self.rounds = checked_rounds(rounds)
        self.rules = paytable.rules(self.persons - 1)
        self.strategies = strategies_of(strategies, self.persons)
        self.evenings, self.seed = checked_sizes(evenings, seed, "evenings")
        check_amounts(self.rules)
        self._local = threading.local()

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values; the paytable in full, one strategy if all are the same."""
        listed = [strategy_to_json(strategy) for strategy in self.strategies]
        return {
            "game": "ricochet_poker",
            "experiment": self.name,
            "parameters": {
                "paytable": self.paytable.model_dump(mode="json"),
                "persons": self.persons,
                "strategies": listed[0] if self.alike else listed,
                "rounds": self.rounds,
                "evenings": self.evenings,
                "seed": self.seed,
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Evenings":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        expected = ("paytable", "persons", "strategies", "rounds", "evenings", "seed")
        check_names(parameters, expected)
        strategies = strategies_from_json(parameters["strategies"])
        paytable = RicochetPokerPaytable.read(parameters["paytable"])
        others = (parameters[name] for name in ("rounds", "evenings", "seed"))
        return cls(paytable, parameters["persons"], strategies, *others)

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each person's strategy."""
        return tuple(map(strategy_name, self.strategies))

    @property
    def alike(self) -> bool:
        """Whether all follow the same strategy."""
        return len(set(self.names)) == 1

    def shards(self) -> Sequence[Shard]:
        """Blocks of consecutive evenings."""
        return DealBlocks(self.evenings, BLOCK)

    def run(self, shard: Shard) -> Tally:
        """Play one block of evenings."""
        first, number = shard.data
        tables = self._tables()
        rounds, values = rounds_for(BLOCK, self.persons - 1), values_for(BLOCK, self.rules)
        nets = np.zeros((number, self.persons), dtype=np.int64)
        means = np.zeros((number, self.persons), dtype=np.int64)
        found = Counter({"evenings": number})
        for round_number in range(self.rounds):
            dealer = round_number % self.persons
            deal = deal_number(first, round_number, self.rounds)
            self._play(tables[dealer % len(tables)], deal, number, rounds, values)
            of_seats = rounds.nets[: number * (self.persons - 1)].reshape(number, -1)
            _book(nets, of_seats, dealer)
            _book(means, values.nets[: of_seats.size].reshape(number, -1), dealer)
            dealing = of_seats.sum(axis=1)
            found["dealing.sum"] -= int(dealing.sum())
            found["dealing.squares"] += int((dealing**2).sum())
            found["playing.squares"] += int((of_seats**2).sum())
        if nets.sum(axis=1).any():
            raise AssertionError("the chips of an evening do not sum to zero")
        for person in range(self.persons):
            label = f"person{person + 1}"
            found.update(f"{label}.result.{net}" for net in nets[:, person].tolist())
            listed = means[:, person].tolist()
            found[f"{label}.mean.sum"] = sum(listed)
            found[f"{label}.mean.squares"] = sum(value**2 for value in listed)
        return Tally(dict(found))

    def _play(
        self, table: CompiledTable, first: int, number: int, rounds: Rounds, values: Values
    ) -> None:
        """Play consecutive deals at one table, dealt by one person."""
        # Here, because it imports the compiler.
        from ricochet_casino.games.ricochet_poker.table_kernel import seat_kernel

        table.deal(self.seed, STREAM, first, number, rounds)
        seat_kernel(number, table.terms, table.work, rounds, values)

    def _tables(self) -> list[CompiledTable]:
        """The compiled table of each dealer for this thread; one if all play alike."""
        if not hasattr(self._local, "tables"):
            dealers = range(1 if self.alike else self.persons)
            self._local.tables = [
                CompiledTable(self.rules, self._seated(dealer)) for dealer in dealers
            ]
        tables: list[CompiledTable] = self._local.tables
        return tables

    def _seated(self, dealer: int) -> list[TableStrategy]:
        """The strategy in each seat while a person deals."""
        return [self.strategies[person] for person in players_of(dealer, self.persons)]

    def result(self, tally: Tally) -> Result:
        """All figures, with intervals.

        Raises
        ------
        ValueError
            If the tally does not hold all evenings.
        """
        check_whole(tally, self.evenings, "evenings")
        entry = evening_entry(self.rules, self.names, self.rounds, tally)
        return Result("sampled", {**entry, "seed": self.seed, "stream": STREAM})

    def refereed(self, evening: int) -> tuple[int, ...]:
        """Everybody's result of one evening in units, played by the book: the twin of `run`.

        Parameters
        ----------
        evening
            From 0.
        """
        chips = [0] * self.persons
        for number in range(self.rounds):
            dealer = number % self.persons
            deck = shuffled_deck(self.seed, STREAM, deal_number(evening, number, self.rounds))
            policies = [
                strategy if isinstance(strategy, HandTable) else policy_for(self.rules, strategy)
                for strategy in self._seated(dealer)
            ]
            played = play_round(self.rules, deck, policies, record=False)
            for person, net in zip(players_of(dealer, self.persons), played.net, strict=True):
                chips[person] += net
            chips[dealer] += played.dealer_net
        return tuple(chips)


def _book(chips: Int64Array, of_seats: Int64Array, dealer: int) -> None:
    """Give everybody what a round brought; the dealer pays."""
    chips[:, players_of(dealer, chips.shape[1])] += of_seats
    chips[:, dealer] -= of_seats.sum(axis=1)


def checked_persons(persons: object) -> int:
    """How many persons, checked.

    Raises
    ------
    ValueError
        If it is no whole number or out of range.
    """
    return whole_between("persons", persons, FEWEST_PERSONS, MOST_PERSONS)


def checked_rounds(rounds: object) -> int:
    """Rounds of an evening, checked.

    Raises
    ------
    ValueError
        If it is no whole number or out of range.
    """
    found = whole_number("rounds", rounds)
    if not 1 <= found <= MOST_ROUNDS:
        raise ValueError(f"rounds of an evening must be 1 to {MOST_ROUNDS:,}, got {found:,}")
    return found


def strategies_of(
    strategies: TableStrategy | Sequence[TableStrategy], persons: int
) -> tuple[TableStrategy, ...]:
    """One strategy for each person, checked.

    Raises
    ------
    ValueError
        If there are too many or too few, or one is unknown.
    """
    if not isinstance(strategies, str | HandTable) and len(strategies) != persons:
        raise ValueError(
            f"{len(strategies)} strategies for {persons} persons: give one, or one a person"
        )
    return per_seat(strategies, persons)
