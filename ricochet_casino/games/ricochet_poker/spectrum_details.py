"""The decisions of the spectrum by starting hand and dealer's class, which take longest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.games.ricochet_poker.deals import DEALER_HANDS_PER_HAND, starting_hands
from ricochet_casino.games.ricochet_poker.spectrum_table import Table

Int64 = NDArray[np.int64]


class Decider(Protocol):
    """What is read of `spectrum.Order`."""

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Pot, fixed part and least gain."""
        ...

    @property
    def hands(self) -> NDArray[np.int8]:
        """-1 if a starting hand decides, 1 if it plays and 0 if it folds whatever comes."""
        ...

    def bonus(self, table: Table) -> Int64:
        """Bonus of each vector."""
        ...


@dataclass(frozen=True)
class HandDetails:
    """Counts and notes of a tally that tell starting hands apart.

    Attributes
    ----------
    counts
        ``hand.AKs.fold``, ``hand.AKs.mixed``; ``class_map_loss`` if asked for.
    runs
        Starting hand's name -> runs of decisions (see `solo.ClassMap`).
    """

    counts: Mapping[str, int]
    runs: Mapping[str, str]


def decisions(table: Table, order: Decider) -> tuple[Int64, NDArray[np.bool_]]:
    """(R,) gain of playing over folding, in units x completions, and whether a row is played."""
    from ricochet_casino.games.ricochet_poker.spectrum_kernel import decide_kernel

    gain = np.empty(len(table.deals), dtype=np.int64)
    plays = np.empty(len(table.deals), dtype=np.bool_)
    decide_kernel(table.rows, table.vectors, order.bonus(table), order.numbers, gain, plays)
    for hand in np.flatnonzero(order.hands >= 0):
        plays[table.hand_starts[hand] : table.hand_starts[hand + 1]] = order.hands[hand] == 1
    return gain, plays


def hand_details(table: Table, order: Decider, kickout: int, with_loss: bool) -> HandDetails:
    """Folds, mixed classes and runs of decisions of each starting hand, and the class map's loss.

    Parameters
    ----------
    table, order
        The rows, and how they are decided while the dealer stands.
    kickout
        Class from which the dealer is out.
    with_loss
        Whether ``class_map_loss`` (4.6) is wanted; meaningful for the optimum only.
    """
    gain, plays = decisions(table, order)
    starts = table.class_starts
    dealt = np.add.reduceat(table.deals, starts, dtype=np.int64)
    played = np.add.reduceat(table.deals * plays, starts, dtype=np.int64)
    group_class = table.dealer_class[starts].astype(np.int64)
    state = np.where(played == 0, 0, np.where(played == dealt, 1, 2))
    bounds = np.searchsorted(starts, table.hand_starts)
    loss = np.zeros(len(starts), dtype=object)
    if with_loss:
        mixed = np.flatnonzero((state == 2) & (group_class < kickout))
        loss[mixed] = _losses(table, gain, mixed)
    counts: dict[str, int] = {"class_map_loss": 0} if with_loss else {}
    runs = {}
    for index, hand in enumerate(starting_hands()):
        first, last = int(bounds[index]), int(bounds[index + 1])
        stand = first + int(np.searchsorted(group_class[first:last], kickout))
        groups = slice(first, stand)
        folded = int((dealt[groups] - played[groups]).sum())
        in_mixed = int(dealt[groups][state[groups] == 2].sum())
        counts[f"hand.{hand.name}.fold"] = folded * hand.deals
        counts[f"hand.{hand.name}.mixed"] = in_mixed * hand.deals
        runs[hand.name] = _runs(state[groups], group_class[groups])
        if with_loss:
            counts["class_map_loss"] += int(loss[groups].sum()) * hand.deals
    return HandDetails(counts, runs)


def _losses(table: Table, gain: Int64, mixed: NDArray[np.intp]) -> NDArray[np.object_]:
    """What one decision loses in each mixed class, in units x completions x deals."""
    if not len(mixed):
        return np.zeros(0, dtype=object)
    sizes = np.diff(table.class_starts, append=len(table.deals))[mixed]
    starts = np.cumsum(sizes) - sizes
    rows = np.arange(sizes.sum()) + np.repeat(table.class_starts[mixed] - starts, sizes)
    own = gain[rows]
    if int(np.abs(own).max()) * DEALER_HANDS_PER_HAND >= 1 << 63:
        own = own.astype(object)  # Python integers, for amounts of 10^8 units and more
    weighted = own * table.deals[rows]
    best = np.add.reduceat(np.maximum(weighted, 0), starts)
    return (best - np.maximum(np.add.reduceat(weighted, starts), 0)).astype(object)


def _runs(state: Int64, classes: Int64) -> str:
    """Runs of equal decisions, as `solo.class_map` writes them."""
    if not len(state):
        return ""
    last = np.append(np.flatnonzero(np.diff(state)), len(state) - 1)
    return " ".join("FPM"[state[i]] + str(classes[i]) for i in last.tolist())
