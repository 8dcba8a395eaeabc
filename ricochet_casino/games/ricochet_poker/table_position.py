"""A position in which three or more players are left to act: what play and fold are worth.

The strategies are those of multiplayer.py: everybody still to act decides by marginal odds, with
two or one left exactly. What a choice is worth under them is a mean over all draws to come, which
is sampled: the position is laid out as it was dealt, the cards that can come follow in random
order, and the compiled table (table_kernel.py) plays on, with what has been done and the choice in
question given. Values are those of docs/math.md, 9.4, their intervals betting intervals with bets
from a pilot. What needs no sample is exact (table_position_exact.py).

Random orders are deals of stream 5, which nothing else uses: the first `PILOT` deals are the
pilot's. Source: docs/math.md, section 8, "Three or more left".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.shuffle import deals as shuffled
from ricochet_casino.config import did_you_mean
from ricochet_casino.experiment import checked_seed, whole_between
from ricochet_casino.games.ricochet_poker.self_interest import check_amounts as check_gains
from ricochet_casino.games.ricochet_poker.strategy import COMPUTED
from ricochet_casino.games.ricochet_poker.table_arrays import (
    GIVEN_DRAW,
    GIVEN_FOLD,
    GIVEN_PLAY,
)
from ricochet_casino.games.ricochet_poker.table_figures import VALUE_UNIT, Bounds
from ricochet_casino.games.ricochet_poker.table_position_exact import (
    Choice,
    Standing,
    exact_value,
    standing,
)
from ricochet_casino.games.ricochet_poker.table_sampling import CompiledTable, check_amounts
from ricochet_casino.games.ricochet_poker.two_players_position import MOST_TO_ACT, Position
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.betting import best_bet, betting
from ricochet_casino.stats.intervals import LEVEL, Interval

STREAM: Final = 5
"""Stream of the shuffles; 0 to 4 are taken."""
DEALS: Final = 1 << 14
"""Random orders sampled unless told otherwise: a second or two."""
PILOT: Final = 1 << 10
"""Random orders of the pilot."""
MOST_DEALS: Final = 10**7

_BATCH = 1 << 12
_SLACK = 64 * VALUE_UNIT
"""More than all roundings of one value."""
_RISKS: Final = tuple(
    (Fraction(risk, 100), Fraction(loss, 10**4))
    for risk, loss in ((50, 7726), (70, 10285), (90, 17316))
)
"""Risks c that a bet may take, with h(c) of (7.7): they only steer the width."""
_THRESHOLD: Final = Fraction(53, 10)


@dataclass(frozen=True)
class Sampled:
    """A value that was sampled.

    Attributes
    ----------
    mean
        Its estimate.
    interval
        Where it lies.
    """

    mean: Fraction
    interval: Interval

    def __mul__(self, factor: Fraction) -> "Sampled":
        """The same in other units."""
        return Sampled(self.mean * factor, self.interval.scaled(factor))

    def __sub__(self, known: Fraction) -> "Sampled":
        """Difference from a value that is exact."""
        return Sampled(self.mean - known, self.interval.scaled(1, -known))


Amount = Fraction | Sampled
"""A value: exact if it is a fraction."""


@dataclass(frozen=True)
class TableDecision:
    """What a player's two choices are worth if everybody after her follows the strategy.

    Attributes
    ----------
    order
        All seats in the order of action.
    to_act
        The seat in question.
    play, fold, difference
        Chips expected from this decision on, and the first less the second. Each interval holds at
        its level by itself.
    best
        The strategy's own choice, by marginal odds: with three or more left it need not be the one
        that is worth more.
    deals
        Random orders behind what was sampled; 0 if all is exact.
    seed
        Of those.
    """

    order: tuple[int, ...]
    to_act: int
    play: Amount
    fold: Amount
    difference: Amount
    best: Choice
    deals: int
    seed: int


def decide_at_table(
    rules: Rules,
    holes: Sequence[Sequence[int]],
    dealer: Sequence[int],
    *,
    completed: Sequence[Sequence[int]] = (),
    folded: Sequence[bool] = (),
    strategy: str = "collective",
    deals: int = DEALS,
    seed: int = 0,
) -> TableDecision:
    """Values of play and fold for the next player to act, three or more being left.

    Parameters
    ----------
    rules, holes, dealer, completed, folded
        As in `two_players_position.position`.
    strategy
        ``collective``, ``collective_pot_only`` or ``individual``, for all who are left to act.
        Values are the total of all players, for ``individual`` the player's own.
    deals
        Random orders to sample, 1 to `MOST_DEALS`.
    seed
        0 to 2^64 - 1.

    Raises
    ------
    CardError, ValueError
        As in `position`, if fewer than three are left to act, for another strategy, numbers out of
        range, or amounts too large to be sampled.
    """
    if strategy not in COMPUTED:
        hint = did_you_mean(strategy, COMPUTED)
        raise ValueError(f"strategy {strategy!r}; expected one of {', '.join(COMPUTED)}{hint}")
    check_sampling(deals, seed)
    state = standing(rules, holes, dealer, completed, folded)
    found = state.found
    if len(found.waiting) <= MOST_TO_ACT:
        raise ValueError(f"{len(found.waiting)} left to act: that is for `two_players.decide`")
    check_gains(rules)
    known_play = exact_value(state, strategy, "play")
    known_fold = exact_value(state, strategy, "fold")
    values: tuple[Amount, Amount, Amount]
    if known_play is not None and known_fold is not None:
        deals, values = 0, (known_play, known_fold, known_play - known_fold)
    else:
        values = PositionSample(state, strategy).values(deals, seed, known_fold)
    play, fold, difference = (value * rules.unit for value in values)
    best = state.choice(strategy)
    return TableDecision(found.order, found.waiting[0], play, fold, difference, best, deals, seed)


def check_sampling(deals: int, seed: int) -> None:
    """Refuse numbers out of range.

    Raises
    ------
    ValueError
        If there are such numbers.
    """
    whole_between("deals", deals, 1, MOST_DEALS)
    checked_seed(seed)


def value_bounds(found: Position, strategy: str, choice: Choice) -> Bounds:
    """Bounds, in units, of the value of any order of the cards to come (8.9).

    Parameters
    ----------
    found
        Two or more left to act; the dealer in, unless the strategy is ``individual``.
    strategy
        As in `decide_at_table`.
    choice
        Of the player to act.
    """
    rules, waiting = found.rules, len(found.waiting)
    bet, pot, draws = rules.play_bet, found.pot, [found.draw(j) for j in range(waiting)]
    if strategy == "individual":
        if choice == "fold":
            return Fraction(), Fraction()
        return draws[0].bonus - bet, draws[0].bonus + pot + (waiting - 1) * bet
    low, high = Fraction(), Fraction(pot)
    top = max((line.pays for line in rules.lines), default=0)
    folds = int(choice == "fold")
    for place in range(folds, waiting):
        drawn = place - folds  # how many may draw before
        # Counts only fall when cards are seen.
        more = Fraction(found.completions, comb(len(found.stub) - 3 * drawn, 3))
        high += min(draws[place].bonus * more, Fraction(top))
        if place and waiting - place <= MOST_TO_ACT:
            continue  # with two left after that the value is exact
        after = pot + (drawn + 1) * bet
        low -= bet + Fraction(after, 2)
        high += (Fraction(1, 2) + min(draws[place].reach * more, Fraction(1))) * after
    return low, high


class PositionSample:
    """Random continuations of a position, played by the compiled table.

    Parameters
    ----------
    state
        Somebody left to act; the dealer in, unless the strategy is ``individual``.
    strategy
        Of all who are left to act.

    Raises
    ------
    ValueError
        If the amounts are too large to be sampled.
    """

    def __init__(self, state: Standing, strategy: str) -> None:
        found, completed = state.found, state.completed
        rules = found.rules
        check_amounts(rules)
        self.found, self.strategy = found, strategy
        holes = [card for hole in found.holes for card in hole]
        acted = found.order[: -len(found.waiting)]
        added = [
            card for seat in acted for card in completed[seat][:5] if card not in found.holes[seat]
        ]
        self.dealt = np.array([*holes, *state.dealer, *added], dtype=np.uint8)
        self.stub = np.array(found.stub, dtype=np.uint8)
        self.table = CompiledTable(rules, (strategy,) * rules.players)
        given = self.table.work.given_action
        for seat in acted:
            given[seat] = GIVEN_DRAW if completed[seat] else GIVEN_FOLD
        self.sunk = rules.players * rules.ante + len(added) // 3 * rules.play_bet

    def values(
        self, deals: int, seed: int, known_fold: Fraction | None = None
    ) -> tuple[Amount, Amount, Amount]:
        """Play, fold and their difference in units, from so many orders after the pilot's.

        Parameters
        ----------
        deals, seed
            As in `decide_at_table`.
        known_fold
            The exact value of a fold; otherwise it is sampled.
        """
        choices: tuple[Choice, ...] = ("play", "fold") if known_fold is None else ("play",)
        bounds = [value_bounds(self.found, self.strategy, choice) for choice in choices]
        if known_fold is None:
            (low, high), (least, most) = bounds
            bounds.append((low - most, high - least))
        pilot = self._sums(choices, 0, PILOT, seed)
        sums = self._sums(choices, PILOT, deals, seed)
        found = [
            _interval(*now, deals, before, ends)
            for now, before, ends in zip(sums, pilot, bounds, strict=True)
        ]
        if known_fold is None:
            return found[0], found[1], found[2]
        return found[0], known_fold, found[0] - known_fold

    def _sums(
        self, choices: Sequence[Choice], first: int, number: int, seed: int
    ) -> list[tuple[int, int]]:
        """Sum and sum of squares of the values of each choice, and of their difference."""
        totals = [[0, 0] for _ in range(2 * len(choices) - 1)]
        for begin in range(first, first + number, _BATCH):
            some = min(_BATCH, first + number - begin)
            stubs = self.stubs(begin, some, seed)
            rows = [self.played(stubs, choice) for choice in choices]
            if len(rows) == 2:
                rows.append(rows[0] - rows[1])
            for total, row in zip(totals, rows, strict=True):
                plain = row.tolist()
                total[0] += sum(plain)
                total[1] += sum(value * value for value in plain)
        return [(total[0], total[1]) for total in totals]

    def stubs(self, first: int, number: int, seed: int) -> npt.NDArray[np.uint8]:
        """(number, n) the cards that can come, in random orders."""
        n = len(self.stub)
        orders = shuffled(seed, STREAM, first, number, count=n, deck_size=n)
        found: npt.NDArray[np.uint8] = self.stub[orders]
        return found

    def played(self, stubs: npt.NDArray[np.uint8], choice: Choice) -> npt.NDArray[np.int64]:
        """(number,) values from this decision on, in units of `VALUE_UNIT`.

        Parameters
        ----------
        stubs
            (number, n) orders of the cards that can come. After a fold the first three of them
            come last, so that the players behind draw the same cards as after a play.
        choice
            Of the player to act.
        """
        rules, seat = self.found.rules, self.found.waiting[0]
        given = self.table.work.given_action
        given[seat] = GIVEN_PLAY if choice == "play" else GIVEN_FOLD
        coming = stubs if choice == "play" else np.roll(stubs, -3, axis=1)
        dealt = np.broadcast_to(self.dealt, (len(stubs), len(self.dealt)))
        _, values = self.table.play(np.hstack([dealt, coming]))
        if self.strategy == "individual":
            own: npt.NDArray[np.int64] = values.nets[seat :: rules.players]
            return own + (rules.ante << 32)
        total: npt.NDArray[np.int64] = values.value + (self.sunk << 32)
        return total


def _interval(
    total: int, squares: int, deals: int, pilot: tuple[int, int], bounds: Bounds
) -> Sampled:
    """Mean and betting interval from sums in `VALUE_UNIT`, in units."""
    low, high = bounds[0] - _SLACK, bounds[1] + _SLACK
    expected = Fraction(pilot[0], PILOT) * VALUE_UNIT
    spread = Fraction(pilot[1], PILOT) * VALUE_UNIT**2 - expected**2
    variance = max(spread, VALUE_UNIT**2)
    bets = (
        _bet(variance, deals, max(expected - low, _SLACK)),
        _bet(variance, deals, max(high - expected, _SLACK)),
    )
    mean = total * VALUE_UNIT
    found = betting(mean, squares * VALUE_UNIT**2, deals, (low, high), bets, LEVEL)
    wide = Interval(found.low - _SLACK, found.high + _SLACK, found.level, found.method)
    return Sampled(mean / deals, wide)


def _bet(variance: Fraction, deals: int, reach: Fraction) -> Fraction:
    """Bet for one end of an interval: the one that promises the narrowest by (7.8).

    The range of a value is much larger than its spread, so that the usual cap at half of the reach
    costs up to twice the width; which cap is best depends on both.
    """
    ideal = best_bet(variance, deals, (0, _SLACK))  # as good as without a cap

    def distance(risk: Fraction, loss: Fraction) -> Fraction:
        bet = min(ideal, risk / reach)
        return loss * bet * variance + _THRESHOLD / (bet * deals)

    risk, _ = min(_RISKS, key=lambda pair: distance(*pair))
    return min(ideal, risk / reach)
