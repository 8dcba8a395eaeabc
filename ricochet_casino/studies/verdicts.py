"""Studies of patience games as experiments: how many of many numbered deals are won.

A shard is a block of consecutive deals; its tally counts verdicts, and deals by the number of
states that were looked at. Limits are numbers of states, never seconds, so that nothing depends on
the machine. Each game adds who decides its deals.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal, Self

from ricochet_casino.config import did_you_mean
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
from ricochet_casino.stats.intervals import LEVEL
from ricochet_casino.stats.shares import Share, bucket, quantile
from ricochet_casino.studies.settings import GameSettings

SOLVER: Final = "solver"
"""The decider that looks at all cards; every game has one. Others are players."""

VERDICTS: Final = ("lost", "won", "undecided")
"""Names of the verdicts, in the order of their numbers in kernels."""

_STATES = "states<="


@dataclass(frozen=True)
class Verdict:
    """What a solver found about one deal.

    Attributes
    ----------
    verdict
        ``won``, ``lost`` (proven) or ``undecided``.
    moves
        A winning line, checked by the game's checker; empty unless won.
    states
        How many states were looked at.
    """

    verdict: str
    moves: tuple[Any, ...]
    states: int


class PatienceStudy(ABC):
    """Numbered deals of a game, decided by its solver or played by a player.

    Parameters
    ----------
    settings
        The reading of the rules.
    deals
        The deals 0, 1, ... of the seed, 1 to 10^13.
    seed
        0 to 2^64 - 1.
    decider
        ``solver`` or the name of a player.
    limit_states
        For the solver: states of one deal before it is undecided, at least 1.
    level
        Of the intervals.

    Raises
    ------
    ValueError
        If a number is out of range, or there is no such decider.
    """

    name = "study"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    game: ClassVar[str]
    settings_model: ClassVar[type[GameSettings]]
    deciders: ClassVar[tuple[str, ...]]
    """``solver`` and the players."""
    blocks: ClassVar[Mapping[str, int]]
    """Deals of a shard, by decider."""
    default_limit: ClassVar[int]

    def __init__(
        self,
        settings: GameSettings,
        deals: int,
        seed: int,
        decider: str = SOLVER,
        limit_states: int | None = None,
        level: Fraction = LEVEL,
    ) -> None:
        self.settings = settings
        self.deals, self.seed = checked_sizes(deals, seed)
        if decider not in self.deciders:
            hint = did_you_mean(decider, self.deciders)
            expected = ", ".join(self.deciders)
            raise ValueError(f"unknown player {decider!r}: expected one of {expected}{hint}")
        self.decider = decider
        limit = self.default_limit if limit_states is None else limit_states
        self.limit_states = checked_limit(limit)
        self.level = checked_level(level)

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values."""
        return {
            "game": self.game,
            "experiment": self.name,
            "parameters": {
                "settings": self.settings.model_dump(),
                "deals": self.deals,
                "seed": self.seed,
                "decider": self.decider,
                "limit_states": self.limit_states,
                "level": str(self.level),
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        check_names(parameters, ("settings", "deals", "seed", "decider", "limit_states", "level"))
        return cls(
            cls.settings_model.read(parameters["settings"]),
            parameters["deals"],
            parameters["seed"],
            parameters["decider"],
            parameters["limit_states"],
            Fraction(parameters["level"]),
        )

    def shards(self) -> DealBlocks:
        """Blocks of consecutive deals."""
        return DealBlocks(self.deals, self.blocks[self.decider])

    @abstractmethod
    def verdicts(self, first: int, number: int) -> tuple[list[int], list[int]]:
        """Decide deals `first` to ``first + number - 1``.

        Returns
        -------
        verdicts, states
            Of each deal the place in `VERDICTS`, every win checked, and the states looked at; for
            a player no states.
        """

    def run(self, shard: Shard) -> Tally:
        """Decide one block of deals."""
        verdicts, states = self.verdicts(*shard.data)
        counts = Counter(VERDICTS[number] for number in verdicts)
        counts |= Counter(f"{_STATES}{bucket(number)}" for number in states)
        return Tally({**counts, "deals": len(verdicts), "states": sum(states)})

    def result(self, tally: Tally) -> Result:
        """Share of won deals with intervals, and the distribution of states.

        Raises
        ------
        ValueError
            If the tally does not hold all deals.
        """
        counts = tally.counts
        check_whole(tally, self.deals, "deals")
        share = Share(*(counts.get(name, 0) for name in ("won", "lost", "undecided")))
        if share.deals != self.deals:
            raise ValueError(f"{share.deals:,} verdicts on {self.deals:,} deals")
        entry = {**share.figures(self.level), "player": self.decider, "seed": self.seed}
        sizes = {
            int(name.removeprefix(_STATES)): number
            for name, number in counts.items()
            if name.startswith(_STATES)
        }
        if sizes:
            entry["limit_states"] = self.limit_states
            entry["states"] = {
                "all": counts["states"],
                "median_at_most": quantile(sizes, Fraction(1, 2)),
                "99_percent_at_most": quantile(sizes, Fraction(99, 100)),
                "largest_at_most": max(sizes),
            }
        return Result("sampled", entry)


def checked_limit(limit: int, what: str = "the limit of states") -> int:
    """A limit that lets something happen.

    Raises
    ------
    ValueError
        If it is no whole number, or below 1.
    """
    number = whole_number(what, limit)
    if number < 1:
        raise ValueError(f"{what} must be at least 1, got {number}")
    return number
