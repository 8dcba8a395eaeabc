"""Strategies of casino Ricochet Poker, by name.

Perfect play has three meanings with all cards face up (docs/rulings.md B): ``collective``,
``individual`` and ``collective_pot_only``. Those follow from the rules and are computed; what is
here are the fixed ones, which look at the player's own two cards at most, and the list of all
names.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from ricochet_casino.cards.deck import RANKS
from ricochet_casino.config import did_you_mean
from ricochet_casino.games.ricochet_poker.round import Policy, Table

COMPUTED: Final = ("collective", "individual", "collective_pot_only")
"""Strategies that have to be computed for the rules at hand."""


def always_play(_table: Table) -> bool:
    """Play every hand."""
    return True


def always_fold(_table: Table) -> bool:
    """Fold every hand."""
    return False


def is_pair_or_big(hole: Sequence[int]) -> bool:
    """Whether two cards (codes) are a pair, or hold a jack or better."""
    a, b = hole
    return a >> 2 == b >> 2 or max(a, b) >> 2 >= RANKS.index("J")


def pairs_and_big_cards(table: Table) -> bool:
    """Play pairs and hands with a jack or better, whatever the others hold: a weak player's rule.

    Three cards that cost nothing are taken with any hand: those of the last hand standing under
    ``last_hand: may_play`` (docs/rulings.md A5).
    """
    alone = table.to_beat < 0 and len(table.folded) == table.rules.players - 1
    return alone or is_pair_or_big(table.hole)


POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {
        "always_play": always_play,
        "always_fold": always_fold,
        "pairs_and_big_cards": pairs_and_big_cards,
    }
)
"""The fixed strategies, ready for the referee."""

STRATEGIES: Final = (*COMPUTED, *POLICIES)
"""Every strategy that has a name."""


def policy_named(name: str) -> Policy:
    """Find a fixed strategy.

    Parameters
    ----------
    name
        One of `POLICIES`.

    Raises
    ------
    ValueError
        If there is no such strategy (the message gives the nearest name), or if it is one that has
        to be computed for the rules at hand.
    """
    policy = POLICIES.get(name)
    if policy is not None:
        return policy
    if name in COMPUTED:
        raise ValueError(f"the strategy {name!r} depends on the rules: it has to be computed first")
    raise unknown_strategy(name)


def unknown_strategy(name: str) -> ValueError:
    """The error for a name that is no strategy: the nearest one, and all."""
    known = ", ".join(STRATEGIES)
    return ValueError(
        f"unknown strategy {name!r}; expected one of {known}{did_you_mean(name, STRATEGIES)}"
    )
