"""Strategies of casino Ricochet Poker, by name.

Perfect play has three meanings with all cards face up (docs/rulings.md B): ``collective``,
``individual`` and ``collective_pot_only``. Those follow from the rules and are computed; what is
here are the fixed ones, which look no further than the player's own hand, and the list of all
names.
"""

import re
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
    return is_alone(table) or is_pair_or_big(table.hole)


def is_alone(table: Table) -> bool:
    """Whether all other hands are gone: three cards then cost nothing (docs/rulings.md A5)."""
    return table.to_beat < 0 and len(table.folded) == table.rules.players - 1


def pot_odds(table: Table) -> bool:
    """Play if the pot pays for the chance to beat the best live hand: nobody else is looked at.

    Bonuses and those still to act are left out of account, as if the round ended with this hand
    (docs/rulings.md B). Who ties with n players gets one part in n + 1 of the pot, odd coins apart.
    Three cards that cost nothing are taken.
    """
    if is_alone(table):
        return True
    # Imported late: listing strategies needs no odds.
    from ricochet_casino.games.ricochet_poker.odds import completions_at_least

    rules, best = table.rules, table.to_beat
    pot = table.pot + rules.play_bet
    seen = cards_in_sight(table)
    cards = len(rules.deck) - len(seen)
    price = rules.play_bet * (cards * (cards - 1) * (cards - 2) // 6)
    gone = [*rules.missing, *(card for card in seen if card not in table.hole)]
    reach, beat = completions_at_least(table.hole, gone, (max(best, 0), best + 1))
    leaders = leaders_of(table)
    # With nobody ahead, or the dealer, who loses ties, whatever reaches her class wins.
    gain = reach * pot - price
    if leaders:
        gain = (leaders + 1) * (beat * pot - price) + (reach - beat) * pot
    return rules.plays(gain)


def leaders_of(table: Table) -> int:
    """How many players hold the best live five-card hand: none if the dealer does, or nobody."""
    # Who reaches the dealer's class puts her out, so a player of that class is never beside her.
    return table.classes.count(table.to_beat) if table.to_beat >= 0 else 0


def cards_in_sight(table: Table) -> list[int]:
    """All cards that lie on the table: everybody's two, the dealer's five, and all completions."""
    seen = [*table.dealer]
    for hole, hand in zip(table.holes, table.hands, strict=True):
        seen += hand or hole
    return seen


POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {
        "always_play": always_play,
        "always_fold": always_fold,
        "pairs_and_big_cards": pairs_and_big_cards,
        "pot_odds": pot_odds,
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


def check_policy_name(name: str) -> None:
    """Refuse a name for a policy of one's own that is no plain word, or is taken by a strategy.

    Raises
    ------
    ValueError
        If it is not made of small letters, digits and ``_``, or is one of `STRATEGIES`.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name):
        raise ValueError(f"{name!r} cannot name a policy: expected small letters, digits and _")
    if name in STRATEGIES:
        raise ValueError(f"{name!r} is a strategy: expected another name for the policy")


def unknown_strategy(name: str) -> ValueError:
    """The error for a name that is no strategy: the nearest one, and all."""
    known = ", ".join(STRATEGIES)
    return ValueError(
        f"unknown strategy {name!r}; expected one of {known}{did_you_mean(name, STRATEGIES)}"
    )
