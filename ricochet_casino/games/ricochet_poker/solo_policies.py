"""A one-player policy given as a function, expanded to a table that can be stored.

The function is asked for every dealer hand of a representative of each two-card class, so it has
to treat suits alike: renaming the suits of all seven cards must not change its answer. This is
checked on random deals.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.deck import format_cards
from ricochet_casino.cards.shuffle import deals as deal_cards
from ricochet_casino.games.ricochet_poker.deals import (
    Cells,
    StartingHand,
    cell_keys,
    cells,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.strategy import check_policy_name

Cards = NDArray[np.integer]
PolicyFunction = Callable[[Cards, Cards], NDArray[np.bool_]]
"""From hole cards (N, 2) and dealer's cards (N, 5), in any order, to play (N,) or fold."""

_SUIT_CHECKS = 20_000


@dataclass(frozen=True, eq=False)
class PolicyTable:
    """For every cell of every starting hand, in how many of its deals the player plays.

    Attributes
    ----------
    name
        Label in certificates: small letters, digits and ``_``, and not the name of a strategy.
    counts
        Starting hand's name -> (M,) deals played, in the order of `deals.cells`.

    Raises
    ------
    ValueError
        If the name is not such a name.
    """

    name: str
    counts: Mapping[str, NDArray[np.int64]]

    def __post_init__(self) -> None:
        check_policy_name(self.name)

    def plays(self, hand: StartingHand, the_cells: Cells) -> NDArray[np.int64]:
        """Deals played in each cell of a starting hand.

        Raises
        ------
        ValueError
            If the table has no row for the hand, or not one of the right size.
        """
        found = self.counts.get(hand.name)
        if found is None or len(found) != len(the_cells.deals):
            raise ValueError(f"policy {self.name!r} has a hole: no full row for {hand.name}")
        if bool(((found < 0) | (found > the_cells.deals)).any()):
            raise ValueError(f"policy {self.name!r}: impossible counts for {hand.name}")
        return found.copy()

    @property
    def is_pure(self) -> bool:
        """Whether the deals of each cell are all played or all folded."""
        return all(
            bool(((found == 0) | (found == cells(hand).deals)).all())
            for hand in starting_hands()
            if (found := self.counts.get(hand.name)) is not None
        )

    def to_json(self) -> dict[str, Any]:
        """The table as JSON values, each hand as runs of cells: ``F1200 P33 =5 F9``.

        ``F`` cells are folded in all their deals, ``P`` cells played in all; ``=5`` is one cell
        of which 5 deals are played.
        """
        return {
            "name": self.name,
            "cells": {
                hand.name: _runs(self.counts[hand.name], cells(hand).deals)
                for hand in starting_hands()
                if hand.name in self.counts
            },
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "PolicyTable":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is not such a table.
        """
        rows = value.get("cells")
        name = value.get("name")
        if len(value) != 2 or not isinstance(rows, dict) or not isinstance(name, str):
            raise ValueError("not a policy table: expected a name and cells")
        counts = {}
        for hand in starting_hands():
            if isinstance(rows.get(hand.name), str):
                counts[hand.name] = _counts(rows[hand.name], cells(hand).deals, hand.name)
        if len(counts) != len(rows):
            raise ValueError("not a policy table: a row is of no starting hand, or no text")
        return cls(name, counts)

    @classmethod
    def from_function(cls, function: PolicyFunction, name: str = "function") -> "PolicyTable":
        """Ask a function for all 358,070,440 deals that differ in more than the player's suits.

        Parameters
        ----------
        function
            Takes card codes, hole (N, 2) and dealer (N, 5), and returns N truth values. One plain
            decision at a time can be adapted with `each_deal`, at the price of hours.
        name
            Label in certificates.

        Raises
        ------
        ValueError
            If the function does not return N values, or looks at suits by name.
        """
        _check_suit_symmetry(function)
        # Imported late: only this needs the compiled evaluator.
        from ricochet_casino.cards.evaluate import evaluate_hands
        from ricochet_casino.cards.subsets import all_subsets

        five_of_50 = all_subsets(50, 5)
        counts = {}
        for hand in starting_hands():
            a, b = hand.cards
            rest = np.array([card for card in range(52) if card not in (a, b)], dtype=np.uint8)
            dealer = rest[five_of_50]
            hole = np.broadcast_to(np.array([a, b], dtype=np.uint8), (len(dealer), 2))
            chosen = _ask(function, hole, dealer)
            keys = evaluate_hands(dealer, check=False).astype(np.int64) << 13
            if hand.suited:
                keys |= np.where(dealer & 3 == a & 3, 1 << (dealer.astype(np.int64) >> 2), 0).sum(
                    axis=1
                )
            the_cells = cells(hand)
            where = np.searchsorted(cell_keys(the_cells), keys[chosen])
            counts[hand.name] = np.bincount(where, minlength=len(the_cells.deals))
        return cls(name, counts)


def solo_table(table: HandTable, kickout_class: int) -> PolicyTable:
    """A hand table as a policy for one player, who takes cards that cost nothing (A5)."""
    counts = {}
    for hand in starting_hands():
        the_cells = cells(hand)
        plays = the_cells.dealer_class < table.limits[hand.name]
        plays |= the_cells.dealer_class >= kickout_class
        counts[hand.name] = np.where(plays, the_cells.deals, 0).astype(np.int64)
    return PolicyTable(table.name, counts)


Strategy = str | PolicyTable
"""A strategy by name, or as a table."""


def strategy_name(strategy: Strategy | HandTable) -> str:
    """Name of a strategy, for labels."""
    return strategy if isinstance(strategy, str) else strategy.name


def strategy_to_json(strategy: Strategy | HandTable) -> Any:
    """A strategy as JSON values: its name, or the whole table."""
    return strategy if isinstance(strategy, str) else strategy.to_json()


def strategy_from_json(value: Any) -> Strategy:
    """Read what `strategy_to_json` wrote.

    Raises
    ------
    ValueError
        If the value is a table that cannot be read.
    """
    return value if isinstance(value, str) else PolicyTable.from_json(value)


def _runs(played: NDArray[np.int64], deals: NDArray[np.int16]) -> str:
    """Runs of cells in words (see `PolicyTable.to_json`)."""
    state = np.where(played == 0, 0, np.where(played == deals, 1, 2))
    edges = np.flatnonzero(np.diff(state, prepend=-1) | (state == 2))
    ends = [*edges[1:].tolist(), len(state)]
    return " ".join(
        f"={played[first]}" if state[first] == 2 else f"{'FP'[state[first]]}{last - first}"
        for first, last in zip(edges.tolist(), ends, strict=True)
    )


def _counts(runs: str, deals: NDArray[np.int16], hand: str) -> NDArray[np.int64]:
    """Read what `_runs` wrote."""
    played = np.zeros(len(deals), dtype=np.int64)
    place = 0
    for run in runs.split(" "):
        if not re.fullmatch(r"[FP=][0-9]{1,6}", run):
            raise ValueError(f"not a policy table: {run[:20]!r} in the row of {hand}")
        number = int(run[1:])
        if run[0] == "=":
            played[place : place + 1] = number
        elif run[0] == "P":
            played[place : place + number] = deals[place : place + number]
        place += 1 if run[0] == "=" else number
        if place > len(deals):
            break
    if place != len(deals):
        raise ValueError(f"not a policy table: the row of {hand} does not have {len(deals)} cells")
    return played


def each_deal(function: Callable[[tuple[int, ...], tuple[int, ...]], bool]) -> PolicyFunction:
    """Adapt a function of one deal, (two cards, five cards) -> play, to arrays."""

    def many(hole: Cards, dealer: Cards) -> NDArray[np.bool_]:
        pairs = zip(hole.tolist(), dealer.tolist(), strict=True)
        return np.fromiter((function(tuple(h), tuple(d)) for h, d in pairs), dtype=np.bool_)

    return many


def _ask(function: PolicyFunction, hole: Cards, dealer: Cards) -> NDArray[np.bool_]:
    chosen = np.asarray(function(hole, dealer))
    if chosen.dtype != np.bool_:
        raise ValueError(f"a policy must return truth values (bool), not {chosen.dtype}")
    if chosen.shape != (len(dealer),):
        raise ValueError(
            f"a policy must return one value for each deal: expected shape ({len(dealer)},), "
            f"got {chosen.shape}"
        )
    return chosen


def _check_suit_symmetry(function: PolicyFunction) -> None:
    """Compare the answers on random deals before and after renaming suits and moving cards."""
    drawn = deal_cards(0, 0, 0, _SUIT_CHECKS, count=7)
    suits = np.argsort(deal_cards(1, 0, 0, _SUIT_CHECKS, count=4, deck_size=4), axis=1)
    renamed = (drawn & 0xFC) | np.take_along_axis(suits, (drawn & 3).astype(np.int64), axis=1)
    moved = renamed.astype(np.uint8)[:, [1, 0, 6, 5, 4, 3, 2]]
    one = _ask(function, drawn[:, :2], drawn[:, 2:])
    other = _ask(function, moved[:, :2], moved[:, 2:])
    if bool((one != other).any()):
        row = int(np.flatnonzero(one != other)[0])
        raise ValueError(
            "a policy must not depend on the names of suits or the order of cards: it decides "
            f"differently for {format_cards(drawn[row, :2].tolist())} against "
            f"{format_cards(drawn[row, 2:].tolist())} and for "
            f"{format_cards(moved[row, :2].tolist())} against "
            f"{format_cards(moved[row, 2:].tolist())}"
        )
