"""What lies on the table of casino Ricochet Poker, and what a round leaves behind.

The plain records that the referee (rules.py) hands to policies and returns to its callers.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, Literal, NamedTuple

from ricochet_casino.games.ricochet_poker.units import Rules

DEALER: Final = -1
"""The dealer's place wherever a seat number stands; players are 0, 1, ... in seat order."""

Action = Literal["play", "fold", "last hand"]


class Table(NamedTuple):
    """All that lies face up when a player has to act, and whose turn it is.

    Attributes
    ----------
    rules
        The rules in force.
    seat
        The player to act.
    order
        All seats in the order of action, lowest two-card hand first.
    waiting
        The seats that act after this one, in order.
    holes
        Two cards per seat, folded hands included.
    hands
        Five cards per seat that has completed its hand, otherwise ``()``.
    classes
        Class of the completed hand per seat, otherwise -1.
    live
        Per seat: neither folded nor beaten.
    folded
        Seats that have folded, in order of action.
    dealer
        The dealer's five cards.
    dealer_class
        Their class, whether she is in or not.
    dealer_in
        False once she is kicked out or beaten.
    to_beat
        Class of the live five-card hands (they are all of one class), -1 if there is none.
    pot
        Units in the pot, before the bet in question.
    """

    rules: Rules
    seat: int
    order: tuple[int, ...]
    waiting: tuple[int, ...]
    holes: tuple[tuple[int, int], ...]
    hands: tuple[tuple[int, ...], ...]
    classes: tuple[int, ...]
    live: tuple[bool, ...]
    folded: tuple[int, ...]
    dealer: tuple[int, ...]
    dealer_class: int
    dealer_in: bool
    to_beat: int
    pot: int

    @property
    def hole(self) -> tuple[int, int]:
        """The two cards of the player to act."""
        return self.holes[self.seat]


Policy = Callable[[Table], bool]
"""Decides for a player: True plays, False folds."""


class Kind(StrEnum):
    """What an `Event` tells, in the order in which a round can bring them."""

    DEAL = "deal"
    SIDE_BET = "side_bet"
    KICKOUT = "kickout"
    LAST_HAND = "last_hand"
    ACT = "act"
    COMPLETION = "completion"
    BONUS = "bonus"
    OUT = "out"
    RETURN = "return"
    SHOWDOWN = "showdown"
    WIN = "win"
    SPLIT = "split"


class Event(NamedTuple):
    """One step of a round.

    Attributes
    ----------
    kind
        What happened.
    seat
        To whom: a seat or `DEALER`.
    pot
        Units in the pot after the step.
    chips
        Units that came to this seat in this step, negative if paid: antes (``deal``), play bets
        (``act``), bets returned and the pot are exchanged with the pot, bonuses and side bets
        with the dealer.
    cards
        The cards dealt in this step; for ``act`` and ``last_hand`` the player's two cards.
    hand_class
        Class of the five-card hand in question, -1 if there is none.
    detail
        ``act``: play, fold or decline; ``completion``: free if nothing was paid for it;
        ``bonus`` and ``side_bet``: the name of the line or bet.
    odd_chips
        ``split``: how many of the chips are odd coins that could not be shared equally.
    """

    kind: Kind
    seat: int
    pot: int
    chips: int = 0
    cards: tuple[int, ...] = ()
    hand_class: int = -1
    detail: str = ""
    odd_chips: int = 0


class Round(NamedTuple):
    """The outcome of a round; one entry per seat in every tuple but `events` and `order`.

    Attributes
    ----------
    events
        The round step by step; empty if it was not recorded.
    order
        The seats in the order of action.
    dealer_class
        Class of the dealer's five cards.
    kicked_out
        The dealer's hand reached the kickout.
    dealer_wins
        The dealer took the pot.
    actions
        ``play``, ``fold``, or ``last hand`` for a player who took the pot with two cards and was
        not asked for, or declined, a bet.
    classes
        Class of the completed hand, free completions included; -1 if there is none.
    shares
        Units of the pot won.
    bonus_lines
        Index of the bonus line paid, -1 for none.
    bets
        Units bet: the ante and the play bet, even a play bet that was returned.
    net
        Units won (or lost, negative), side bets apart.
    dealer_net
        The same for the dealer: ``sum(net) + dealer_net == 0``.
    side_net
        Units won or lost with side bets, paid by the dealer.
    """

    events: tuple[Event, ...]
    order: tuple[int, ...]
    dealer_class: int
    kicked_out: bool
    dealer_wins: bool
    actions: tuple[Action, ...]
    classes: tuple[int, ...]
    shares: tuple[int, ...]
    bonus_lines: tuple[int, ...]
    bets: tuple[int, ...]
    net: tuple[int, ...]
    dealer_net: int
    side_net: tuple[int, ...]

    @property
    def dealer_side_net(self) -> int:
        """Units the dealer won or lost with all side bets."""
        return -sum(self.side_net)
