"""Values of positions with three or more players left to act that need no sample.

They are exact for the group once the dealer is out; if she stands, for the first of the last three
and for a fold that leaves three; and a fold of a player for himself is worth nothing. Everybody
after the player to act follows the strategy as multiplayer.py defines it. Derivation: docs/math.md,
section 8, "Three or more left".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Literal

import numpy as np

from ricochet_casino.cards.classes import class_of_trusted
from ricochet_casino.games.ricochet_poker.multiplayer import table_gain
from ricochet_casino.games.ricochet_poker.paytable import MOST_PLAYERS
from ricochet_casino.games.ricochet_poker.round import Table
from ricochet_casino.games.ricochet_poker.table_arrays import (
    fill_stub,
    pair_number,
    terms_of,
    work_for,
)
from ricochet_casino.games.ricochet_poker.table_sampling import check_amounts
from ricochet_casino.games.ricochet_poker.two_players import decide
from ricochet_casino.games.ricochet_poker.two_players_position import (
    MOST_TO_ACT,
    Position,
    position,
)
from ricochet_casino.games.ricochet_poker.units import Rules

Choice = Literal["play", "fold"]
"""Of the player to act."""


@dataclass(frozen=True)
class Standing:
    """A position with all that lies on the table; see `standing`.

    Attributes
    ----------
    found
        The checked position.
    dealer
        Her five cards.
    completed
        Per seat five cards or ``()``.
    folded
        Per seat.
    """

    found: Position
    dealer: tuple[int, ...]
    completed: tuple[tuple[int, ...], ...]
    folded: tuple[bool, ...]

    @cached_property
    def table(self) -> Table:
        """What the player to act sees."""
        found, completed = self.found, self.completed
        classes = tuple(class_of_trusted(five) if five else -1 for five in completed)
        beaten = [0 <= hand_class < found.to_beat for hand_class in classes]
        some_hand_lives = found.dealer_in or found.leaders
        return Table(
            rules=found.rules,
            seat=found.waiting[0],
            order=found.order,
            waiting=found.waiting[1:],
            holes=tuple((hole[0], hole[1]) for hole in found.holes),
            hands=completed,
            classes=classes,
            live=tuple(not (gone or out) for gone, out in zip(self.folded, beaten, strict=True)),
            folded=tuple(seat for seat in found.order if self.folded[seat]),
            dealer=self.dealer,
            dealer_class=class_of_trusted(self.dealer),
            dealer_in=found.dealer_in,
            to_beat=found.to_beat if some_hand_lives else -1,
            pot=found.pot,
        )

    def choice(self, strategy: str) -> Choice:
        """What a computed strategy does, three or more being left."""
        return "play" if self.found.rules.plays(table_gain(self.table, strategy)) else "fold"

    def after_fold(self) -> "Standing":
        """The player to act has folded."""
        seat = self.found.waiting[0]
        folded = (*self.folded[:seat], True, *self.folded[seat + 1 :])
        rules, holes = self.found.rules, self.found.holes
        return standing(rules, holes, self.dealer, self.completed, folded)


def standing(
    rules: Rules,
    holes: Sequence[Sequence[int]],
    dealer: Sequence[int],
    completed: Sequence[Sequence[int]] = (),
    folded: Sequence[bool] = (),
) -> Standing:
    """Check a position, as `two_players_position.position` does, with any number left to act."""
    found = position(
        rules, holes, dealer, completed=completed, folded=folded, most_to_act=MOST_PLAYERS
    )
    hands = tuple(map(tuple, completed)) or ((),) * rules.players
    return Standing(found, tuple(dealer), hands, tuple(folded) or (False,) * rules.players)


def exact_value(state: Standing, strategy: str, choice: Choice) -> Fraction | None:
    """What a choice is worth in units where that is known exactly; elsewhere None.

    Parameters
    ----------
    state
        Three or more players left to act.
    strategy
        ``collective``, ``collective_pot_only`` or ``individual``.
    choice
        Of the player to act.
    """
    left = len(state.found.waiting)
    if strategy == "individual":
        return Fraction() if choice == "fold" else None
    if not state.found.dealer_in:
        return _with_the_dealer_out(state.found, strategy, choice)
    if choice == "play":
        return three_left(state.found, strategy) if left == MOST_TO_ACT + 1 else None
    if left > MOST_TO_ACT + 2:
        return None
    after = state.after_fold()
    if left == MOST_TO_ACT + 2:
        return exact_value(after, strategy, after.choice(strategy))
    two_left = decide(
        state.found.rules, state.found.holes, state.dealer,
        completed=after.completed, folded=after.folded, strategy=strategy,
    )  # fmt: skip
    return two_left.value / state.found.rules.unit


def _with_the_dealer_out(found: Position, strategy: str, choice: Choice) -> Fraction:
    """The pot is the group's; whoever draws gets the bonus of three random cards (8.7)."""
    bonuses = [found.draw(place).bonus for place in range(len(found.waiting))]
    own = bonuses[0] if choice == "play" else Fraction()
    # Who folds because his bonus is worth nothing loses nothing by it.
    later = sum(bonuses[1:], Fraction())
    if strategy == "collective_pot_only" and found.rules.when_equal == "fold":
        # All others fold. If nobody leads, the last of them is the last hand standing (A5).
        last = choice == "fold" and not found.leaders and found.rules.last_hand == "free"
        later = bonuses[-1] if last else Fraction()
    return found.pot + own + later


def three_left(found: Position, strategy: str) -> Fraction:
    """What a play of the first of the last three is worth to the group, in units (8.8).

    Parameters
    ----------
    found
        Three players left to act, the dealer in.
    strategy
        ``collective`` or ``collective_pot_only``.

    Raises
    ------
    ValueError
        If the amounts are too large for 64 bits.
    """
    from ricochet_casino.games.ricochet_poker.table_position_kernel import three_left_kernel

    rules = found.rules
    check_amounts(rules)
    work, out = work_for(rules, (strategy,) * rules.players), np.zeros(3, dtype=np.int64)
    fill_stub(work, found.stub)
    for place, seat in enumerate(found.order):
        a, b = found.holes[seat]
        suit = a & 3 if a & 3 == b & 3 else -1
        work.holes[place] = (pair_number(a >> 2, b >> 2), suit, a, b)
    with_bonus = strategy == "collective"
    three_left_kernel(
        np.array(found.stub, dtype=np.uint8), found.pot, found.to_beat, with_bonus,
        terms_of(rules), work, out,
    )  # fmt: skip
    wins, earned, worth = out.tolist()
    free = with_bonus or rules.when_equal == "play"
    bet, n = rules.play_bet, len(found.stub)
    second, third = comb(n - 3, 3), comb(n - 6, 3)
    after = wins * (found.pot + bet) + Fraction(free * earned, second)
    after += Fraction(worth, second * third)
    return found.draw(0).bonus - bet + after / found.completions
