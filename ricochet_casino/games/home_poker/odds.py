"""What each action in a position is worth: exactly where that is in reach, else sampled.

Exact values are those of two players who both go on optimally. Sampled ones play every purchase
out, all players going on by pot odds; they have intervals.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, Final

import numpy as np

from ricochet_casino.cards.deck import format_cards
from ricochet_casino.cards.partial_tables import order_tables
from ricochet_casino.games.home_poker import ODDS_PLAYOUTS
from ricochet_casino.games.home_poker import table_arrays as at
from ricochet_casino.games.home_poker.compiled_choice import dealt_row
from ricochet_casino.games.home_poker.exact import exact_values, overtaking_chances
from ricochet_casino.games.home_poker.policies import DEFAULT_INNER, POLICY_STREAM
from ricochet_casino.games.home_poker.position import Position
from ricochet_casino.games.home_poker.settings import MOST_PLAYERS
from ricochet_casino.stats.exact import decimal_text, fraction_text
from ricochet_casino.stats.intervals import LEVEL, Interval, empirical_bernstein

MOST_PLAYOUTS: Final = 1 << 22
_EXACT_CHANCES: Final = 5_000_000  # sets of cards that are counted for a chance


@dataclass(frozen=True)
class Action:
    """One action and what it is worth.

    Attributes
    ----------
    amount
        Cards bought; 0 folds.
    ev
        Chips from this decision on: received less paid.
    overtake
        Chance that the hand is no longer the lowest after this purchase; None for folding, and
        where there are too many sets of cards to count.
    cost
        Chips paid on average from here on, this purchase included.
    interval
        Of a sampled `ev`, at 99 % for all actions together; None if it is exact.
    """

    amount: int
    ev: Fraction
    overtake: Fraction | None
    cost: Fraction
    interval: Interval | None = None

    @property
    def name(self) -> str:
        """``fold`` or the number of cards."""
        return str(self.amount) if self.amount else "fold"

    def to_json(self) -> dict[str, Any]:
        """The action as JSON values; numbers are text."""
        found: dict[str, Any] = {"action": self.name}
        if self.interval is None:
            found |= {"ev": _plain(self.ev), "decimal": decimal_text(self.ev)}
        else:
            found |= self.interval.figure(self.ev)
            found["ev"] = found["decimal"]
        if self.overtake is not None:
            found["overtake"] = _plain(self.overtake)
            found["overtake_decimal"] = decimal_text(self.overtake)
        exact = self.interval is None
        found["expected_cost"] = _plain(self.cost) if exact else decimal_text(self.cost)
        return found


@dataclass(frozen=True)
class Odds:
    """All actions of a position.

    Attributes
    ----------
    position
        The position.
    method
        ``exact`` or ``sampled``.
    actions
        Folding first.
    playouts
        Of each purchase; 0 if exact.
    seed
        Of the playouts.
    """

    position: Position
    method: str
    actions: tuple[Action, ...]
    playouts: int = 0
    seed: int = 0

    @property
    def best(self) -> Action:
        """The first of the best actions (of the sampled means)."""
        return max(self.actions, key=lambda action: (action.ev, -action.amount))

    @property
    def certain(self) -> bool:
        """Whether no other action can be better, as far as the intervals tell."""
        best = self.best
        low = best.ev if best.interval is None else best.interval.low
        highs = [
            other.ev if other.interval is None else other.interval.high
            for other in self.actions
            if other.amount != best.amount
        ]
        return all(high <= low for high in highs)

    def to_json(self) -> dict[str, Any]:
        """The odds as JSON values; numbers are text."""
        position, settings = self.position, self.position.settings
        return {
            "actor": format_cards(position.actor),
            "opponents": [format_cards(hand) for hand in position.opponents],
            "dead": format_cards(position.dead),
            "pot": position.pot,
            "settings": settings.model_dump(mode="json"),
            "method": self.method,
            "play": "both optimal" if self.method == "exact" else "all by pot odds",
            "playouts": self.playouts,
            "seed": self.seed,
            "actions": [action.to_json() for action in self.actions],
            "best": self.best.name,
            "best_is_certain": self.certain,
        }


def _plain(value: Fraction) -> str:
    """A fraction in lowest terms, a whole number without denominator."""
    return str(value) if value.denominator == 1 else fraction_text(value)


def exact_odds(position: Position, *, reach: int | None = None) -> Odds:
    """Exact values of all actions; see `exact.exact_values` for errors."""
    found = exact_values(position, reach=reach)
    chances = (None, *overtaking_chances(position))
    rows = zip(found.amounts, chances, found.costs, strict=True)
    return Odds(position, "exact", tuple(Action(k, *row) for k, row in enumerate(rows)))


def sampled_odds(position: Position, playouts: int = ODDS_PLAYOUTS, seed: int = 0) -> Odds:
    """Values of all actions by playouts.

    Raises
    ------
    ValueError
        If the number of playouts is out of range, or there are too many dead cards.
    """
    if not 2 <= playouts <= MOST_PLAYOUTS:
        raise ValueError(f"playouts must be 2 to {MOST_PLAYOUTS:,}, got {playouts}")
    from ricochet_casino.cards.shuffle import word_at
    from ricochet_casino.games.home_poker import policy_kernel as kernel

    row = hand_of(position)
    work = np.zeros((2, at.SIZE), dtype=np.int64)
    totals = np.zeros(24, dtype=np.int64)
    start = np.uint64(word_at(seed, POLICY_STREAM, 0)).astype(np.int64)
    nothing = np.zeros((1, 1), dtype=np.int64)
    orders = order_tables().orders
    kernel.playouts(row, nothing, start, playouts, work[0], work[1], orders, totals)
    unit = position.settings.unit
    low, high = _bounds(position)
    level = 1 - (1 - LEVEL) / position.most
    chances = _counted_chances(position)
    actions = [Action(0, Fraction(0), None, Fraction(0))]
    for k in range(1, position.most + 1):
        total, squares, paid = (int(totals[8 * part + k]) for part in range(3))
        interval = empirical_bernstein(
            total, squares, playouts, (low * unit, high * unit), level
        ).scaled(Fraction(1, unit))
        ev, cost = Fraction(total, playouts * unit), Fraction(paid, playouts * unit)
        actions.append(Action(k, ev, chances[k], cost, interval))
    return Odds(position, "sampled", tuple(actions), playouts, seed)


def _counted_chances(position: Position) -> list[Fraction | None]:
    unseen = len(position.unseen)
    sets = sum(comb(unseen, k) for k in range(1, position.most + 1))
    if sets > _EXACT_CHANCES:
        return [None] * (position.most + 1)
    return [None, *overtaking_chances(position)]


def _bounds(position: Position) -> tuple[int, int]:
    """Lowest and highest result of the actor in chips: a hand with n to buy pays n (n + 1) / 2."""
    limit = position.settings.hand_limit
    most = [(limit - len(hand)) * (limit - len(hand) + 1) // 2 for hand in position.hands]
    return -most[0], position.pot + sum(most[1:])


def hand_of(position: Position) -> Any:
    """The kernels' row for a position: the actor in seat 0, dead cards in seats that are out.

    Raises
    ------
    ValueError
        If the dead cards do not fit into the hands of eight players.
    """
    settings, live = position.settings, len(position.hands)
    dead = position.dead
    places = (MOST_PLAYERS - live) * 7
    if len(dead) > places:
        raise ValueError(
            f"{len(dead)} dead cards are too many: {MOST_PLAYERS - live} other players hold at "
            f"most {places}"
        )
    hands = [*position.hands, *(dead[i : i + 7] for i in range(0, len(dead), 7))]
    alive = [seat < live for seat in range(len(hands))]
    row = dealt_row(settings, hands, alive, 0, 0, DEFAULT_INNER)
    row[at.POT] = position.pot * settings.unit
    row[at.END], row[at.DEAD] = len(position.unseen), len(dead)
    return row
