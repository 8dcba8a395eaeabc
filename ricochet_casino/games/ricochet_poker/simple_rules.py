"""Simple rules for one player: conditions, rules made of them, and the search for the best.

A rule is a list of clauses, each of one or more conditions: the player plays if all conditions of
some clause hold, and folds otherwise. Conditions look at the player's two cards and at the ranks
and category of the dealer's hand, never at suits of hers, so that a rule's exact value is a sum of
gains by hand and class (solo_gains.py). The search is greedy with a beam: the best rules of few
conditions are grown by one or two. What it finds is exact in cost and best of what was looked at,
not of all rules there are. Description: docs/math.md, section 12.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from math import gcd
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.classes import RANK_NAMES, classes
from ricochet_casino.cards.deck import RANKS
from ricochet_casino.games.ricochet_poker.deals import (
    cells,
    rank_patterns,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.notation import line_names
from ricochet_casino.games.ricochet_poker.solo_gains import SoloGains
from ricochet_casino.games.ricochet_poker.solo_policies import PolicyTable

Int64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_CONDITIONS: Final = 8
DEFAULT_CONDITIONS: Final = 6
BEAM: Final = 16
"""So many rules of each size are grown further."""
_EXACT: Final = 1 << 52
"""Sums of whole numbers below this are exact in floats, whatever their order."""


@dataclass(frozen=True, eq=False)
class View:
    """What conditions look at, for many deals at once; ranks are 0 (deuce) to 12 (ace).

    Attributes
    ----------
    high, low
        (N,) ranks of the player's cards.
    suited
        (N,) whether they are of one suit.
    dealer_class
        (N,) class of the dealer's hand.
    main, top
        (N,) her most significant rank, that of the pair if she has one; and her highest card.
    held
        (N,) how many of her cards have one of the player's ranks.
    """

    high: Int64
    low: Int64
    suited: Bools
    dealer_class: Int64
    main: Int64
    top: Int64
    held: Int64


def view_of(hand: Int64, dealer_class: Int64) -> View:
    """The view of starting hands, given by number, against dealer's classes."""
    hands = starting_hands()
    high = np.array([one.high for one in hands])[hand]
    low = np.array([one.low for one in hands])[hand]
    suited = np.array([one.suited for one in hands])[hand]
    main = np.array([one.ranks[0] for one in classes()])[dealer_class]
    counts = rank_patterns().counts[rank_patterns().of_class]
    top = (12 - np.argmax(counts[:, ::-1] > 0, axis=1))[dealer_class]
    held = counts[dealer_class, high] + np.where(high == low, 0, counts[dealer_class, low])
    return View(high, low, suited, dealer_class, main, top, held)


@dataclass(frozen=True)
class Condition:
    """Something that is true of a deal or not.

    Attributes
    ----------
    name
        Short name, such as ``low>=9``.
    text
        In words, to follow "play if".
    test
        From a view to (N,) truth values.
    """

    name: str
    text: str
    test: Callable[[View], Bools]


def conditions(kickout_class: int) -> tuple[Condition, ...]:
    """The conditions that rules are made of, against a dealer who stands below a kickout."""
    found = [
        Condition("pair", "you hold a pair", lambda v: v.high == v.low),
        Condition("suited", "your cards are of one suit", lambda v: v.suited),
        Condition("neighbours", "your ranks are neighbours", lambda v: v.high - v.low == 1),
        Condition(
            "near", "your ranks differ by one or two",
            lambda v: (v.high > v.low) & (v.high - v.low <= 2),
        ),
        Condition(
            "high>main", "your higher card beats the dealer's pair (her highest card, if none)",
            lambda v: v.high > v.main,
        ),
        Condition(
            "high>=main", "your higher card is not below the dealer's pair (or highest card)",
            lambda v: v.high >= v.main,
        ),
        Condition(
            "low>main", "your lower card beats the dealer's pair (her highest card, if none)",
            lambda v: v.low > v.main,
        ),
        Condition(
            "low>=main", "your lower card is not below the dealer's pair (or highest card)",
            lambda v: v.low >= v.main,
        ),
        Condition(
            "high>top", "your higher card beats the dealer's highest card",
            lambda v: v.high > v.top,
        ),
        Condition("held=0", "the dealer holds none of your ranks", lambda v: v.held == 0),
        Condition("held<=1", "the dealer holds at most one of your ranks", lambda v: v.held <= 1),
    ]  # fmt: skip
    found += [_at_least("high", "higher", rank) for rank in range(3, 13)]
    found += [_at_least("low", "lower", rank) for rank in range(1, 12)]
    for name, first in line_names().items():
        if 0 < first < kickout_class:
            found.append(_dealer_below(name, first))
    return tuple(found)


def _at_least(name: str, word: str, rank: int) -> Condition:
    text = f"your {word} card is {'an' if rank in (6, 12) else 'a'} {RANK_NAMES[rank]}"
    text += "" if rank == len(RANKS) - 1 else " or better"
    if name == "high":
        return Condition(f"high>={RANKS[rank]}", text, lambda v: v.high >= rank)
    return Condition(f"low>={RANKS[rank]}", text, lambda v: v.low >= rank)


def _dealer_below(name: str, first: int) -> Condition:
    words = name.replace("_", " ")
    text = f"the dealer has less than {words if name.startswith('two') else 'a ' + words}"
    if name.startswith("pair_of_"):
        text = f"the dealer has less than a pair of {name.removeprefix('pair_of_')}"
    if name == "pair":
        text = "the dealer has no pair"
    return Condition(f"dealer<{name}", text, lambda v: v.dealer_class < first)


@dataclass(frozen=True)
class Rule:
    """Play if all conditions of one of the clauses hold.

    Attributes
    ----------
    clauses
        Each a tuple of conditions; none at all folds everything, an empty clause plays everything.
    """

    clauses: tuple[tuple[Condition, ...], ...]

    @property
    def size(self) -> int:
        """Number of conditions."""
        return sum(map(len, self.clauses))

    @property
    def name(self) -> str:
        """Such as ``pair or low>main and held<=1``."""
        if not self.clauses:
            return "never"
        return " or ".join(
            " and ".join(condition.name for condition in clause) or "always"
            for clause in self.clauses
        )

    @property
    def text(self) -> str:
        """In words."""
        if not self.clauses:
            return "Fold everything."
        if () in self.clauses:
            return "Play everything."
        parts = [" and ".join(condition.text for condition in clause) for clause in self.clauses]
        return f"Play if {'; or if '.join(parts)}."

    def plays(self, view: View) -> Bools:
        """(N,) whether the rule plays."""
        found = np.zeros(len(view.high), dtype=np.bool_)
        for clause in self.clauses:
            holds = np.ones(len(view.high), dtype=np.bool_)
            for condition in clause:
                holds &= condition.test(view)
            found |= holds
        return found

    def policy(self, kickout_class: int, name: str = "simple_rule") -> PolicyTable:
        """The rule as a policy for the exact experiment; it takes cards that cost nothing."""
        counts = {}
        for number, hand in enumerate(starting_hands()):
            the_cells = cells(hand)
            dealer_class = the_cells.dealer_class.astype(np.int64)
            chosen = self.plays(view_of(np.full(len(dealer_class), number), dealer_class))
            chosen |= dealer_class >= kickout_class
            counts[hand.name] = np.where(chosen, the_cells.deals, 0).astype(np.int64)
        return PolicyTable(name, counts)


def parse_rule(name: str, kickout_class: int) -> Rule:
    """Read the name of a rule.

    Raises
    ------
    ValueError
        If a condition is unknown; the message gives the nearest one.
    """
    from ricochet_casino.config import did_you_mean

    if name.strip() == "never":
        return Rule(())
    by_name = {condition.name: condition for condition in conditions(kickout_class)}
    clauses = []
    for clause in name.split(" or "):
        parts = [part.strip() for part in clause.split(" and ")]
        for part in parts:
            if part not in by_name and part != "always":
                hint = did_you_mean(part, by_name)
                raise ValueError(
                    f"unknown condition {part!r}; expected one of {', '.join(by_name)}{hint}"
                )
        clauses.append(tuple(by_name[part] for part in parts if part != "always"))
    return Rule(tuple(clauses))


@dataclass(frozen=True)
class Found:
    """A rule with its exact cost.

    Attributes
    ----------
    rule
        The rule.
    cost
        Per ante, against the best decisions.
    """

    rule: Rule
    cost: Fraction


# A rule while searching: clauses of numbers of conditions, sorted.
_Clauses = frozenset[frozenset[int]]


class RuleSearch:
    """Looks for the best rules of few conditions.

    Parameters
    ----------
    gains
        The game.
    beam
        How many rules of each size are grown further.
    """

    def __init__(self, gains: SoloGains, beam: int = BEAM) -> None:
        self.gains, self.beam = gains, beam
        self.conditions = conditions(gains.rules.kickout_class)

    @cached_property
    def view(self) -> View:
        """The view of all hands and classes."""
        return view_of(self.gains.hand, self.gains.dealer_class)

    @cached_property
    def _table(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Truth of the conditions in each kind of deal that they tell apart, and its gain.

        All numbers are whole and small enough for sums to be exact; gains too large for that are
        divided first, which steers the search only.
        """
        tests = np.array([condition.test(self.view) for condition in self.conditions])
        keys = np.zeros(len(self.gains.hand), dtype=np.uint64)
        for number, test in enumerate(tests):  # fewer than 64
            keys |= test.astype(np.uint64) << np.uint64(number)
        kinds, first, where = np.unique(keys, return_index=True, return_inverse=True)
        gain = self.gains.gain
        sums: NDArray[Any] = np.zeros(len(kinds), dtype=object)
        if gain.dtype != object:
            sums = np.zeros(len(kinds), dtype=np.int64)
        np.add.at(sums, where.reshape(-1), gain)
        whole = [int(value) for value in sums]
        part = gcd(*whole) or 1
        total = sum(map(abs, whole)) // part
        part *= -(-total // _EXACT) or 1
        truth = tests[:, first].astype(np.float64)
        return truth, np.array([value // part for value in whole], dtype=np.float64)

    def best(self, most: int = DEFAULT_CONDITIONS) -> list[Found]:
        """The best rules found with 0, 1, ... conditions, each better than all shorter ones.

        Raises
        ------
        ValueError
            If more conditions are asked for than `MOST_CONDITIONS`.
        """
        if not 0 <= most <= MOST_CONDITIONS:
            raise ValueError(f"conditions must be 0 to {MOST_CONDITIONS}, got {most}")
        empty: _Clauses = frozenset()
        always: _Clauses = frozenset([frozenset()])
        pools: list[dict[_Clauses, float]] = [{} for _ in range(most + 3)]
        pools[0] = {empty: 0.0, always: float(self._table[1].sum())}
        found: list[Found] = []
        for size in range(most + 1):
            ranked = self._ranked(pools[size])
            for clauses, _ in ranked[:1]:
                rule = self._rule(clauses)
                cost = self.gains.cost(rule.plays(self.view))
                if not found or cost < found[-1].cost:
                    found.append(Found(rule, cost))
            for clauses, _ in ranked if size < most else ():
                self._grow(clauses, pools[size + 1], pools[size + 2])
        return found

    def _ranked(self, pool: dict[_Clauses, float]) -> list[tuple[_Clauses, float]]:
        """The best of a pool, best first; of rules that are worth the same one is kept."""
        found: list[tuple[_Clauses, float]] = []
        ordered = sorted(pool.items(), key=lambda item: -item[1])
        for value, group in groupby(ordered, key=lambda item: item[1]):
            clauses = min((item[0] for item in group), key=self._order)
            found.append((clauses, value))
            if len(found) == self.beam:
                break
        return found

    @staticmethod
    def _order(clauses: _Clauses) -> list[list[int]]:
        return sorted(sorted(clause) for clause in clauses)

    def _grow(
        self, clauses: _Clauses, by_one: dict[_Clauses, float], by_two: dict[_Clauses, float]
    ) -> None:
        """Add a condition to a clause, or a clause of one or two conditions."""
        truth, gain = self._table
        holds = {clause: self._holds(clause) for clause in clauses}
        if frozenset() not in clauses:
            free = np.flatnonzero(self._union(holds.values()) == 0)
            here = float(gain.sum() - gain[free].sum())
            left = truth[:, free]
            both = (left * gain[free]) @ left.T + here
            singles = np.diag(both).tolist()
            for a in range(len(truth)):
                by_one[clauses | {frozenset([a])}] = singles[a]
            # Only pairs that beat both of their conditions alone are worth two.
            better = both > np.maximum(np.diag(both)[:, None], np.diag(both)[None, :])
            for a, b in np.argwhere(np.triu(better, 1)).tolist():
                by_two[clauses | {frozenset([a, b])}] = float(both[a, b])
        for clause in clauses:
            others = self._union(held for one, held in holds.items() if one != clause)
            mine = gain * holds[clause] * (1 - others)
            values = truth @ mine + float((gain * others).sum())
            for a in range(len(truth)):
                if a not in clause:
                    by_one[clauses - {clause} | {clause | {a}}] = float(values[a])

    def _holds(self, clause: Iterable[int]) -> NDArray[np.float64]:
        truth, gain = self._table
        found = np.ones(len(gain))
        for a in clause:
            found = found * truth[a]
        return found

    def _union(self, masks: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
        found = np.zeros(len(self._table[1]))
        for mask in masks:
            found = np.maximum(found, mask)
        return found

    def _rule(self, clauses: _Clauses) -> Rule:
        """The rule in words, clauses of few conditions first."""
        ordered = sorted((sorted(clause) for clause in clauses), key=lambda c: (len(c), c))
        return Rule(tuple(tuple(self.conditions[a] for a in clause) for clause in ordered))
