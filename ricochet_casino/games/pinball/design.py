"""Design of decks: a seeded search for the fairest or the trickiest deck, as an experiment.

A shard is one search: it begins with a generated deck and exchanges the numbers of a colour, or
the balls, of two random cards, keeping whatever is no worse. The deck stays valid all the time, and
the kinds of ball as even as they were. The best deck of all searches is the result; measures.py
says what is measured. Formulas: docs/math.md, section 15.5.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np

from ricochet_casino.config import canonical_json, did_you_mean
from ricochet_casino.experiment import (
    Result,
    Shard,
    Tally,
    check_names,
    check_whole,
    checked_sizes,
    whole_number,
)
from ricochet_casino.games.pinball.deck import Card, Deck, generated_deck
from ricochet_casino.games.pinball.measures import look_weights, measures, sets_array

AIMS: Final = ("fair", "tricky")
"""What a search may look for: the lowest `Measures.guess`, or the highest `Measures.tricky`."""
MOST_STARTS: Final = 10_000
MOST_STEPS: Final = 1_000_000
_PARAMETERS = ("aim", "full_tilt", "starts", "steps", "seed")


class Search:
    """Searches for a deck (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    aim
        ``fair`` or ``tricky``.
    full_tilt
        Measure with five outer cards instead of four; ten times slower.
    starts
        How many searches, each from a deck of its own: 1 to 10,000.
    steps
        Steps of each: 0 to 1,000,000. A step takes about 0.1 seconds.
    seed
        0 to 2^64 - 1.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    name = "search"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(self, aim: str, full_tilt: bool, starts: int, steps: int, seed: int) -> None:
        if aim not in AIMS:
            hint = did_you_mean(str(aim), AIMS)
            raise ValueError(f"unknown aim {aim}; expected {' or '.join(AIMS)}{hint}")
        if not isinstance(full_tilt, bool):
            raise ValueError(f"full_tilt must be true or false, got {full_tilt!r}")
        self.aim = aim
        self.full_tilt = full_tilt
        self.starts, self.seed = checked_sizes(starts, seed, "starts")
        self.steps = whole_number("steps", steps)
        if self.starts > MOST_STARTS:
            raise ValueError(f"starts must be 1 to {MOST_STARTS:,}, got {self.starts:,}")
        if not 0 <= self.steps <= MOST_STEPS:
            raise ValueError(f"steps must be 0 to {MOST_STEPS:,}, got {self.steps:,}")

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values."""
        return {
            "game": "pinball",
            "experiment": self.name,
            "parameters": {name: getattr(self, name) for name in _PARAMETERS},
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Search":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        check_names(parameters, _PARAMETERS)
        return cls(*(parameters[name] for name in _PARAMETERS))

    def shards(self) -> Sequence[Shard]:
        """One search each."""
        return [Shard(str(start), start) for start in range(self.starts)]

    def run(self, shard: Shard) -> Tally:
        """Do one search; its deck is a note, its score a count."""
        from ricochet_casino.games.pinball.measures_kernel import search_kernel

        start = int(shard.data)
        n = 5 if self.full_tilt else 4
        deck = generated_deck(self.seed, start)
        strengths, kinds = deck.strengths.copy(), deck.kinds.copy()
        first, score, kept = search_kernel(
            np.uint64(self.seed), start, self.steps, n, self.aim == "tricky", look_weights(n),
            sets_array(n), strengths, kinds,
        )  # fmt: skip
        cards = tuple(
            Card(tuple(int(strengths[2 * colour + 1, card]) for colour in range(4)), int(kind))  # type: ignore[arg-type]
            for card, kind in enumerate(kinds)
        )
        counts = {
            f"score.{start}": int(score),
            f"first.{start}": int(first),
            f"kept.{start}": int(kept),
            "searches": 1,
        }
        found = Deck(f"{self.aim}_{self.seed}_{start}", cards)
        return Tally(counts, {f"deck.{start}": canonical_json(found.to_json())})

    def result(self, tally: Tally) -> Result:
        """The best deck with its measures, and how all searches went.

        Raises
        ------
        ValueError
            If the tally does not hold all searches.
        """
        import json

        counts = tally.counts
        check_whole(tally, self.starts, "searches")
        best = max(range(self.starts), key=lambda start: (counts[f"score.{start}"], -start))
        deck = Deck.from_json(json.loads(tally.notes[f"deck.{best}"]))
        entry = {
            "aim": self.aim,
            "full_tilt": self.full_tilt,
            "steps": self.steps,
            "seed": self.seed,
            "searches": [
                {
                    "start": start,
                    **{name: counts[f"{name}.{start}"] for name in ("first", "score", "kept")},
                }
                for start in range(self.starts)
            ],
            "best": best,
            "deck": deck.to_json(),
            "measures": measures(deck, self.full_tilt).to_json(),
        }
        return Result("exact", entry)
