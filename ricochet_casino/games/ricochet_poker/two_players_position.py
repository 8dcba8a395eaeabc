"""A position in which somebody is left to act: whose turn it is, what is at stake.

Any number of players may have acted before. Rulings A1 to A10 of docs/rulings.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Final

from ricochet_casino.cards.classes import class_of_trusted
from ricochet_casino.cards.deck import CardError, check_cards
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games.ricochet_poker.odds import completions_at_least
from ricochet_casino.games.ricochet_poker.units import Rules

MOST_TO_ACT: Final = 2
"""How many players may be left to act, if the decision is to be exact."""


@dataclass(frozen=True)
class Position:
    """A checked position in which somebody is left to act; see `position`.

    Attributes
    ----------
    rules
        The rules in force.
    holes
        Two cards per seat.
    order
        All seats in the order of action.
    waiting
        The seats left to act, in order.
    dead
        Every card in sight but the two cards of those who wait.
    dealer_in
        The dealer's hand is live.
    to_beat
        Class of the live five-card hands, 0 if there is none.
    leaders
        How many players hold them; none while the dealer is in.
    pot
        Units in the pot.
    alone
        Nobody but the one player waiting is left (docs/rulings.md A5).
    """

    rules: Rules
    holes: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    waiting: tuple[int, ...]
    dead: tuple[int, ...]
    dealer_in: bool
    to_beat: int
    leaders: int
    pot: int
    alone: bool

    @cached_property
    def stub(self) -> tuple[int, ...]:
        """The cards that can come."""
        seen = {*self.dead, *(card for seat in self.waiting for card in self.holes[seat])}
        return tuple(card for card in self.rules.deck if card not in seen)

    @cached_property
    def completions(self) -> int:
        """How many sets of three cards the next player may draw."""
        return comb(len(self.stub), 3)

    @cached_property
    def replies(self) -> int:
        """How many sets of three cards the player after that may draw."""
        return comb(len(self.stub) - 3, 3)

    def draw(self, place: int) -> "Draw":
        """Chances of one player's completion before anybody else draws."""
        seat = self.waiting[place]
        others = [card for other in self.waiting if other != seat for card in self.holes[other]]
        firsts = [line.first_class for line in self.rules.lines]
        gone = [*self.rules.missing, *self.dead, *others]
        counts = completions_at_least(
            self.holes[seat], gone, [self.to_beat, self.to_beat + 1, *firsts]
        )
        bonus = self.rules.bonus_sum(counts[2:])
        total = self.completions
        return Draw(Fraction(counts[0], total), Fraction(counts[1], total), Fraction(bonus, total))


@dataclass(frozen=True)
class Draw:
    """What a completion brings.

    Attributes
    ----------
    reach, beat
        Chance of a class at least as high as the live five-card hands, and of a higher one.
    bonus
        Expected bonus in units.
    """

    reach: Fraction
    beat: Fraction
    bonus: Fraction


def position(
    rules: Rules,
    holes: Sequence[Sequence[int]],
    dealer: Sequence[int],
    *,
    completed: Sequence[Sequence[int]] = (),
    folded: Sequence[bool] = (),
    dead: Sequence[int] = (),
    most_to_act: int = MOST_TO_ACT,
) -> Position:
    """Check a position and work out whose turn it is, what there is to beat and what is in the pot.

    Parameters
    ----------
    rules
        The rules in force; one hand for each of `Rules.players`.
    holes
        Card codes, two per seat.
    dealer
        Her five.
    completed
        Per seat five cards, the two dealt included, or ``()``; left out, nobody has completed.
    folded
        Per seat; left out, nobody has folded.
    dead
        Other cards that cannot come.
    most_to_act
        How many players may be left to act.

    Raises
    ------
    CardError
        If a card is repeated, does not exist or is not in the deck, a hand has a wrong number of
        cards, a completed hand lacks a card dealt, or too few cards are left.
    ValueError
        If the players who acted are not the first in order, one both folded and played, nobody or
        too many are left to act, or the rules leave nothing to decide.
    """
    players = rules.players
    completed = completed or ((),) * players
    folded = folded or (False,) * players
    for what, given in (("hands", holes), ("completed", completed), ("folded", folded)):
        if len(given) != players:
            raise ValueError(f"{len(given)} {what} for {players} players")
    for hole in holes:
        check_cards(hole, count=2)
    check_cards(dealer, count=5)
    added = [_added(seat, holes[seat], five) for seat, five in enumerate(completed)]
    seen = [*dealer, *dead, *(card for cards in (*holes, *added) for card in cards)]
    check_cards(seen)
    rules.check_in_deck(seen)
    order = tuple(action_order(holes))
    waiting = _waiting(order, [bool(five) for five in completed], folded, most_to_act)
    left = len(rules.deck) - len(seen)
    if left < 3 * len(waiting):
        need = f"the {len(waiting)} left to act may draw {3 * len(waiting)}"
        raise CardError(f"only {left} cards are left, and {need}")

    dealer_class = class_of_trusted(dealer)
    dealer_in = dealer_class < rules.kickout_class
    classes = [class_of_trusted(five) for five in completed if five]
    to_beat = max([*classes, dealer_class if dealer_in else 0])
    leaders = classes.count(to_beat)  # the dealer loses ties
    dealer_in = dealer_in and not leaders
    alone = not dealer_in and sum(folded) == players - 1
    if alone and rules.last_hand != "may_play":
        cards = "three cards for the bonus" if rules.last_hand == "free" else "no cards"
        raise ValueError(
            f"nothing to decide: players[{waiting[0]}] is the last hand standing, has won the pot "
            f"and gets {cards} (last_hand: {rules.last_hand})"
        )
    mine = {card for seat in waiting for card in holes[seat]}
    return Position(
        rules=rules,
        holes=tuple(tuple(hole) for hole in holes),
        order=order,
        waiting=waiting,
        dead=tuple(card for card in seen if card not in mine),
        dealer_in=dealer_in,
        to_beat=to_beat,
        leaders=leaders,
        pot=players * rules.ante + rules.dealer_ante + len(classes) * rules.play_bet,
        alone=alone,
    )


def _added(seat: int, hole: Sequence[int], five: Sequence[int]) -> list[int]:
    """The three cards by which a hand was completed."""
    if not five:
        return []
    check_cards(five, count=5)
    if not set(hole) <= set(five):
        raise CardError(f"the completed hand of players[{seat}] lacks a card that was dealt to it")
    return [card for card in five if card not in hole]


def _waiting(
    order: tuple[int, ...], completed: Sequence[bool], folded: Sequence[bool], most: int
) -> tuple[int, ...]:
    """The seats left to act, in order."""
    acted = [bool(played or gone) for played, gone in zip(completed, folded, strict=True)]
    for seat in order:
        if completed[seat] and folded[seat]:
            raise ValueError(f"players[{seat}] has both folded and completed a hand")
    waiting = tuple(seat for seat in order if not acted[seat])
    if not waiting:
        raise ValueError("nobody is left to act")
    early = [seat for seat in order[order.index(waiting[0]) :] if acted[seat]]
    if early:
        raise ValueError(
            f"players[{early[0]}] has acted before players[{waiting[0]}], whose hand is lower; "
            f"the order of action is {', '.join(map(str, order))}"
        )
    if len(waiting) > most:
        raise ValueError(
            f"{len(waiting)} players left to act; expected at most {most} (others may have acted "
            "before)"
        )
    return waiting
