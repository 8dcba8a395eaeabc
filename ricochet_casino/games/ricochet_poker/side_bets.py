"""Quickdraw and Cover: side bets on the cards dealt, exactly.

Quickdraw wins if the player's two cards are higher than the dealer's five (rulings A11), Cover by
the dealer's hand alone (A12). Both are counted by class; formulas: docs/math.md, section 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.partial import quickdraw_limits
from ricochet_casino.games.ricochet_poker.deals import (
    TOTAL_DEALS,
    class_deals,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.paytable import Quickdraw, RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.quick_figures import QuickFigures
from ricochet_casino.stats.exact import figure, fraction_text, moments

COVER_CYCLE = comb(52, 5)


@dataclass(frozen=True)
class QuickdrawCounts:
    """Deals out of 2,809,475,760.

    Attributes
    ----------
    higher
        The player's two cards are higher than the dealer's five, whatever the reading.
    level
        Equal on as many cards as the player has: a tie under ``first_two``, lost under
        ``kicker_wins``.
    lower
        All others.
    """

    higher: int
    level: int
    lower: int


@cache
def quickdraw_counts() -> QuickdrawCounts:
    """Count all deals by starting hand and dealer's class."""
    higher = level = 0
    for hand in starting_hands():
        first, last = quickdraw_limits(hand.high, hand.low)
        upto = np.concatenate(([0], np.cumsum(class_deals(hand))))
        higher += hand.deals * int(upto[first])
        level += hand.deals * int(upto[last] - upto[first])
    return QuickdrawCounts(higher, level, TOTAL_DEALS - higher - level)


@dataclass(frozen=True)
class _Row:
    event: str
    combinations: int
    pays: Fraction  # profit per chip staked, -1 if lost


def side_bet_entries(paytable: RicochetPokerPaytable) -> list[dict[str, Any]]:
    """One entry of the certificate for each side bet on the paytable, JSON values only."""
    bets = paytable.side_bets
    if bets is None:
        return []
    entries = []
    if bets.quickdraw is not None:
        entries.append(_quickdraw_entry(bets.quickdraw))
    if bets.cover is not None:
        entries.append(_cover_entry(paytable, bets.cover.label))
    return entries


def quick_side_bet(paytable: RicochetPokerPaytable, name: str) -> QuickFigures:
    """The few figures of ``quickdraw`` or ``cover`` that are looked at in bulk.

    Raises
    ------
    ValueError
        If the paytable does not offer the bet.
    """
    if name == "quickdraw" and paytable.quickdraw is not None:
        rows, cycle = _quickdraw_rows(paytable.quickdraw), TOTAL_DEALS
    elif name == "cover" and paytable.cover is not None:
        rows, cycle = [_Row(*row) for row in cover_rows(paytable)], COVER_CYCLE
    else:
        raise ValueError(f"{paytable.title}: there is no side bet {name!r}")
    total = sum((row.combinations * row.pays for row in rows), Fraction())
    square = sum((row.combinations * row.pays**2 for row in rows), Fraction())
    return QuickFigures(
        rtp_per_ante=1 + total / cycle,
        variance=square / cycle - (total / cycle) ** 2,
        hit_frequency=Fraction(_hits(rows), cycle),
        fold_frequency=Fraction(0),
        maximum_exposure=_exposure(rows),
    )


def _hits(rows: list[_Row]) -> int:
    return sum(row.combinations for row in rows if row.pays >= 0)


def _exposure(rows: list[_Row]) -> Fraction:
    return max(row.pays for row in rows if row.combinations)


def _quickdraw_rows(bet: Quickdraw) -> list[_Row]:
    counts = quickdraw_counts()
    tie_wins = bet.tie == "first_two"
    level = _Row(
        "level, a tie" if tie_wins else "level but for the kickers",
        counts.level,
        bet.pays if tie_wins else Fraction(-1),
    )
    return [
        _Row("two cards higher", counts.higher, bet.pays),
        level,
        _Row("two cards lower", counts.lower, Fraction(-1)),
    ]


def _quickdraw_entry(bet: Quickdraw) -> dict[str, Any]:
    counts = quickdraw_counts()
    won = counts.higher + (counts.level if bet.tie == "first_two" else 0)
    rows = _quickdraw_rows(bet)
    return {
        "name": "quickdraw",
        "label": bet.label,
        "reading": bet.tie,
        "counts": {
            "deals": TOTAL_DEALS,
            "winning_deals": won,
            "level_deals": counts.level,
            "losing_deals": TOTAL_DEALS - won,
        },
        **_figures(rows, TOTAL_DEALS),
    }


@cache
def _hands_below() -> NDArray[np.int64]:
    """(7463,) the 2,598,960 hands below each class."""
    return np.concatenate(([0], np.cumsum(class_deals())))


def cover_rows(paytable: RicochetPokerPaytable) -> Iterator[tuple[str, int, Fraction]]:
    """Lines of the Cover bet, strongest first, with their hands out of 2,598,960 and profit."""
    upto = _hands_below()
    end = len(upto) - 1
    for line in reversed(paytable.cover_lines()):
        yield line.name, int(upto[end] - upto[line.first_class]), line.pays
        end = line.first_class
    yield "no line", int(upto[end]), Fraction(-1)


def _cover_entry(paytable: RicochetPokerPaytable, label: str) -> dict[str, Any]:
    rows = [_Row(*row) for row in cover_rows(paytable)]
    by_line = {row.event: row.combinations for row in rows[:-1]}
    return {
        "name": "cover",
        "label": label,
        "counts": {
            "hands": COVER_CYCLE,
            "winning_hands": sum(by_line.values()),
            "losing_hands": rows[-1].combinations,
            **by_line,
        },
        **_figures(rows, COVER_CYCLE),
    }


def _figures(rows: list[_Row], cycle: int) -> dict[str, Any]:
    """Figures per chip staked, and the par sheet whose rows add up to the cycle."""
    if sum(row.combinations for row in rows) != cycle:
        raise AssertionError("the rows of a side bet do not sum to the cycle")
    weights: dict[Fraction, int] = {}
    for row in rows:
        weights[row.pays] = weights.get(row.pays, 0) + row.combinations
    spread = moments(weights)
    return {
        "method": "exact",
        "house_edge": figure(-spread.mean),
        "rtp": figure(1 + spread.mean),
        "ev": figure(spread.mean),
        "hit_frequency": figure(Fraction(_hits(rows), cycle)),
        "variance": figure(spread.variance),
        "sd": figure(spread.sd),
        "cycle": {"combinations": cycle},
        "maximum_exposure": figure(_exposure(rows)),
        "par_sheet": [_par_row(row, cycle) for row in rows],
    }


def _par_row(row: _Row, cycle: int) -> dict[str, Any]:
    probability = Fraction(row.combinations, cycle)
    return {
        "event": row.event,
        "combinations": row.combinations,
        "probability": figure(probability),
        "one_in": figure(1 / probability) if row.combinations else None,
        "net": fraction_text(row.pays),
        "contribution": figure(probability * row.pays),
    }
