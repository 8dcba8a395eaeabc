"""A one-player policy given as a function, expanded to a table that can be stored.

The function is asked for every dealer hand of a representative of each two-card class, so it has
to treat suits alike: renaming the suits of all seven cards must not change its answer. This is
checked on random deals.
"""

import base64
import zlib
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

Cards = NDArray[np.integer]
PolicyFunction = Callable[[Cards, Cards], NDArray[np.bool_]]
"""From hole cards (N, 2) and dealer's cards (N, 5), in any order, to play (N,) or fold."""

_SUIT_CHECKS = 20_000


@dataclass(frozen=True)
class PolicyTable:
    """For every cell of every starting hand, in how many of its deals the player plays.

    Attributes
    ----------
    name
        Label in certificates.
    counts
        Starting hand's name -> (M,) deals played, in the order of `deals.cells`.
    """

    name: str
    counts: Mapping[str, NDArray[np.int64]]

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
        """The table as JSON values: counts as base64 of zlib of little-endian 16-bit integers."""
        rows = {
            name: base64.b64encode(zlib.compress(found.astype("<i2").tobytes(), 9)).decode()
            for name, found in self.counts.items()
        }
        return {"name": self.name, "deals_played": rows}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "PolicyTable":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is not such a table.
        """
        try:
            rows = {
                str(name): np.frombuffer(zlib.decompress(base64.b64decode(text)), "<i2").astype(
                    np.int64
                )
                for name, text in value["deals_played"].items()
            }
            return cls(str(value["name"]), rows)
        except (KeyError, AttributeError, TypeError, ValueError, zlib.error) as error:
            raise ValueError(f"not a policy table: {error}") from None

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


def each_deal(function: Callable[[tuple[int, ...], tuple[int, ...]], bool]) -> PolicyFunction:
    """Adapt a function of one deal, (two cards, five cards) -> play, to arrays."""

    def many(hole: Cards, dealer: Cards) -> NDArray[np.bool_]:
        pairs = zip(hole.tolist(), dealer.tolist(), strict=True)
        return np.fromiter((function(tuple(h), tuple(d)) for h, d in pairs), dtype=np.bool_)

    return many


def _ask(function: PolicyFunction, hole: Cards, dealer: Cards) -> NDArray[np.bool_]:
    chosen = np.asarray(function(hole, dealer))
    if chosen.shape != (len(dealer),):
        raise ValueError(
            f"a policy must return one value for each deal: expected shape ({len(dealer)},), "
            f"got {chosen.shape}"
        )
    return chosen.astype(np.bool_)


def _check_suit_symmetry(function: PolicyFunction) -> None:
    """Compare the answers on random deals before and after renaming suits."""
    drawn = deal_cards(0, 0, 0, _SUIT_CHECKS, count=7)
    suits = np.argsort(deal_cards(1, 0, 0, _SUIT_CHECKS, count=4, deck_size=4), axis=1)
    renamed = (drawn & 0xFC) | np.take_along_axis(suits, (drawn & 3).astype(np.int64), axis=1)
    renamed = renamed.astype(np.uint8)
    one = _ask(function, drawn[:, :2], drawn[:, 2:])
    other = _ask(function, renamed[:, :2], renamed[:, 2:])
    if bool((one != other).any()):
        row = int(np.flatnonzero(one != other)[0])
        raise ValueError(
            "a policy must not depend on the names of suits: it decides differently for "
            f"{format_cards(drawn[row, :2].tolist())} against "
            f"{format_cards(drawn[row, 2:].tolist())} and for "
            f"{format_cards(renamed[row, :2].tolist())} against "
            f"{format_cards(renamed[row, 2:].tolist())}"
        )
