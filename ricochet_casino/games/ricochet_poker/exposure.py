"""The most that the house can lose in one round."""

from fractions import Fraction
from typing import Any

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.exact import figure

_SUITS = 4


def maximum_exposure(rules: Rules) -> dict[str, Any]:
    """Most chips that the house can lose to all players together in one round.

    Parameters
    ----------
    rules
        The rules in force.

    Returns
    -------
    dict
        A figure, exact, in chips: the dealer's ante and the best bonuses that so many hands can
        hold at once.

    Notes
    -----
    Straight flushes are scarce: a suit holds the royal flush and one more that shares no card with
    it. Of every other kind seven hands fit into a deck at once: 7 fours of a kind with side cards,
    7 full houses, two flushes in each suit. So the four best straight flushes are taken while they
    pay more than all below, and whatever pays best for the rest. Where a line that starts between
    two classes of a kind pays best, the figure is an upper bound.
    """
    earned, seats = 0, rules.players
    hand_class = N_CLASSES - 1
    first_straight_flush = N_CLASSES - 10
    while seats and hand_class >= first_straight_flush:
        # One in each suit; the next one down that shares no card with it is five ranks lower.
        taken = min(seats, _SUITS)
        pays = rules.bonus(hand_class)
        rest = max(rules.bonus(c) for c in range(hand_class))
        if pays <= rest:
            break
        earned += taken * pays
        seats -= taken
        hand_class -= 5
    earned += seats * max(rules.bonus(c) for c in range(max(hand_class, 0) + 1))
    return figure(Fraction(rules.dealer_ante + earned) * rules.unit)
