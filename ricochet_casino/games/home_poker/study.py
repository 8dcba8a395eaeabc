"""Many hands of the home game, played by the compiled kernels, as an experiment.

A shard is a block of consecutive deals of one stream; its tally holds integers only. What is read
off it: study_figures.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

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
from ricochet_casino.games.home_poker import DEFAULT_PLAYOUTS
from ricochet_casino.games.home_poker import table_arrays as at
from ricochet_casino.games.home_poker.policies import (
    DEFAULT_INNER,
    DEFAULT_SAMPLES,
    POLICIES,
    check_policy,
)
from ricochet_casino.games.home_poker.rules import Event
from ricochet_casino.games.home_poker.settings import Settings, settings_from
from ricochet_casino.games.home_poker.study_figures import study_entry, tally_of

STREAM: Final = 20
"""Stream of the shuffles; 21 and 22 are the policies' dice and the shuffles of new stubs."""
MOST_SAMPLES: Final = 1000
MOST_PLAYOUTS: Final = 1 << 16

_BATCH = 256
_PART = 1 << 16  # deals after which sums move from 64 bits to Python integers
_BLOCKS = {"pot_odds": 1 << 14, "look_ahead": 1 << 8}
_BLOCK = 1 << 17


class Study:
    """Hands of play as an experiment (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    settings
        The rules in force.
    players
        2 to 8.
    policies
        One name from `policies.POLICIES` for all seats, or one per seat.
    hands
        1 to 10^13: the deals 0, 1, ... of the seed.
    seed
        0 to 2^64 - 1.
    samples, playouts, inner
        Of the policies (see policies.py), 1 to 1,000, for playouts 65,536.

    Raises
    ------
    ValueError
        If a number is out of range or a policy is unknown.
    """

    name = "study"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        settings: Settings,
        players: int,
        policies: str | Sequence[str],
        hands: int,
        seed: int,
        *,
        samples: int = DEFAULT_SAMPLES,
        playouts: int = DEFAULT_PLAYOUTS,
        inner: int = DEFAULT_INNER,
    ) -> None:
        self.settings = settings
        self.players = settings.check_players(players)
        self.policies = per_seat(policies, self.players)
        self.hands, self.seed = checked_sizes(hands, seed, "hands")
        self.sizes = checked_policy_sizes(samples, playouts, inner)

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values; one policy if all are the same."""
        listed = list(self.policies)
        return {
            "game": "home_poker",
            "experiment": self.name,
            "parameters": {
                "settings": self.settings.model_dump(mode="json"),
                "players": self.players,
                "policies": listed[0] if len(set(listed)) == 1 else listed,
                "hands": self.hands,
                "seed": self.seed,
                **self.sizes,
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Study":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        sizes = ("samples", "playouts", "inner")
        check_names(parameters, ("settings", "players", "policies", "hands", "seed", *sizes))
        return cls(
            settings_from(parameters["settings"]),
            *(parameters[name] for name in ("players", "policies", "hands", "seed")),
            **{name: parameters[name] for name in sizes},
        )

    def shards(self) -> DealBlocks:
        """Blocks of consecutive deals."""
        return DealBlocks(self.hands, min(_BLOCKS.get(name, _BLOCK) for name in self.policies))

    def run(self, shard: Shard) -> Tally:
        """Play one block of deals."""
        # Here, because it imports the compiler.
        from ricochet_casino.games.home_poker.play_kernel import simulate_kernel

        first, number = shard.data
        work = at.work_for(self.settings, self.players, _BATCH, **self.sizes)
        width, numbers = at.cards_needed(self.settings, self.players), _numbers(self.policies)
        rows, counts = np.zeros((0, 1, at.COLUMNS), np.int64), np.zeros(0, np.int64)
        tallies = []
        for begin in range(first, first + number, _PART):
            some = min(_PART, first + number - begin)
            sums = np.zeros(at.SUMS, dtype=np.int64)
            simulate_kernel(
                np.uint64(self.seed), np.uint64(STREAM), begin, some, width, numbers, work,
                rows, counts, sums,
            )  # fmt: skip
            tallies.append(tally_of(self.players, sums, some))
        return Tally.total(tallies)

    def result(self, tally: Tally) -> Result:
        """All figures, with intervals.

        Raises
        ------
        ValueError
            If the tally does not hold all hands.
        """
        check_whole(tally, self.hands, what="hands")
        entry = study_entry(self.settings, self.policies, tally)
        return Result("sampled", {**entry, "seed": self.seed, "stream": STREAM, **self.sizes})


def checked_policy_sizes(samples: int, playouts: int, inner: int) -> dict[str, int]:
    """Sizes of the policies by name, checked.

    Raises
    ------
    ValueError
        If one is out of range.
    """
    sizes = {"samples": samples, "playouts": playouts, "inner": inner}
    for what, size in sizes.items():
        most = MOST_PLAYOUTS if what == "playouts" else MOST_SAMPLES
        if not 1 <= whole_number(what, size) <= most:
            raise ValueError(f"{what} must be 1 to {most:,}, got {size}")
    return sizes


def per_seat(policies: str | Sequence[str], players: int) -> tuple[str, ...]:
    """One policy for each seat, checked.

    Raises
    ------
    ValueError
        If one is unknown, or there are not as many as players (or one).
    """
    found = (policies,) * players if isinstance(policies, str) else tuple(policies)
    if len(found) == 1:
        found *= players
    if len(found) != players:
        raise ValueError(f"{len(found)} policies for {players} players: give one, or one a seat")
    for policy in found:
        check_policy(policy)
    return found


def _numbers(policies: Sequence[str]) -> npt.NDArray[np.int64]:
    return np.array([POLICIES.index(name) for name in policies], dtype=np.int64)


class PlayedDecks(NamedTuple):
    """What `play_decks` found.

    Attributes
    ----------
    tally
        As in the tally of a shard.
    events
        The events of each hand of play, as the referee records them; empty if not asked for.
    rows, counts
        The same as numbers: (N, E, COLUMNS) int64 and (N,) int64.
    """

    tally: Tally
    events: list[tuple[Event, ...]]
    rows: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]


def play_decks(
    study: Study, decks: npt.ArrayLike, *, first: int = 0, record: bool = False, read: bool = True
) -> PlayedDecks:
    """Play hands from given orders of the deck: `policies.play_hand` for many decks, compiled.

    Parameters
    ----------
    study
        Rules, policies and seed; its number of hands does not matter.
    decks
        (N, W) card codes in the order dealt; at most 2^16 rows, with as many cards as can be
        needed.
    first
        Number of the first deal, for the policies' dice.
    record
        Write the events down.
    read
        Make the referee's records of them.

    Raises
    ------
    CardError
        If a deck holds a card twice, or something that is not a card.
    ValueError
        If the decks have another shape, or are too short.
    """
    from ricochet_casino.games.home_poker.play_kernel import decks_kernel

    settings, players = study.settings, study.players
    width = at.cards_needed(settings, players)
    codes = np.asarray(decks)
    if codes.ndim != 2 or codes.shape[1] < width or codes.dtype.kind not in "iu":
        raise ValueError(f"decks must be whole numbers, {width} or more a row, got {codes.shape}")
    if len(codes) > _PART:
        raise ValueError(f"at most {_PART:,} decks at once, got {len(codes):,}")
    highest = max(settings.deck)
    rising = np.sort(codes, axis=1)
    bad = (rising[:, 0] < 0) | (rising[:, -1] > highest)
    bad |= (rising[:, 1:] == rising[:, :-1]).any(axis=1)
    for deck in codes[bad][:1].tolist():
        check_cards(deck, highest=highest)
    work = at.work_for(settings, players, 1, **study.sizes)
    cards = np.ascontiguousarray(codes[:, :width], dtype=np.uint8).reshape(-1)
    recorded = len(codes) if record else 0
    rows = np.zeros((recorded, at.most_events(settings, players), at.COLUMNS), dtype=np.int64)
    counts, sums = np.zeros(recorded, dtype=np.int64), np.zeros(at.SUMS, dtype=np.int64)
    decks_kernel(
        cards, width, np.uint64(study.seed), first, _numbers(study.policies), work, rows, counts,
        sums,
    )  # fmt: skip
    events = at.read_events(rows, counts.tolist()) if read else []
    return PlayedDecks(tally_of(players, sums, len(codes)), events, rows, counts)
