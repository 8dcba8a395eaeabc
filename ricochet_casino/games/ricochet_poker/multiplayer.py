"""Decisions at tables of up to seven players, by the computed strategies.

Source: docs/rulings.md A and B. With one or two players left to act a decision is exact
(two_players.py). With more, the exact recursion over all draws is out of reach; a decision then
looks ahead with marginal odds: each waiting hand is taken to complete from the cards that can come
*now*, whatever the others draw. The odds themselves are exact, and are taken anew at every decision
from all cards in sight. Everybody still to act is taken to follow the same strategy, at mixed
tables too.

This is the readable twin of compiled decisions: whole numbers only, amounts scaled by `SCALE` and
divided with `//` (rounded down), so that another program can be compared number by number. The
rules for the group stand here, those of players who look after themselves in self_interest.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ricochet_casino.games.ricochet_poker.odds import class_counts, completions_at_least
from ricochet_casino.games.ricochet_poker.round import Policy, Table
from ricochet_casino.games.ricochet_poker.self_interest import (
    SCALE,
    check_amounts,
    completions_of,
    own_gain,
)
from ricochet_casino.games.ricochet_poker.strategy import (
    COMPUTED,
    cards_in_sight,
    leaders_of,
    policy_named,
)
from ricochet_casino.games.ricochet_poker.two_players import decide
from ricochet_casino.games.ricochet_poker.two_players_position import MOST_TO_ACT
from ricochet_casino.games.ricochet_poker.units import Rules


def policy_for(rules: Rules, strategy: str) -> Policy:
    """A strategy as the referee asks for it.

    Parameters
    ----------
    rules
        The rules in force, for 1 to 7 players.
    strategy
        Any of `strategy.STRATEGIES`.

    Raises
    ------
    ValueError
        If there is no such strategy, or for amounts too large for 64 bits.
    """
    if strategy not in COMPUTED:
        return policy_named(strategy)
    if rules.players > MOST_TO_ACT:
        check_amounts(rules)
    return ComputedPolicy(rules, strategy)


@dataclass(frozen=True)
class ComputedPolicy:
    """One of `strategy.COMPUTED` as a policy for the referee; made by `policy_for`.

    Attributes
    ----------
    rules
        The rules for which it decides.
    strategy
        Its name.
    """

    rules: Rules
    strategy: str

    def __call__(self, table: Table) -> bool:
        """Whether the player plays, seeing the whole table."""
        rules = self.rules
        if table.rules is not rules and table.rules != rules:
            raise ValueError("the table has other rules than those the strategy was computed for")
        if len(table.waiting) < MOST_TO_ACT:
            folded = [seat in table.folded for seat in range(rules.players)]
            found = decide(
                rules, table.holes, table.dealer,
                completed=table.hands, folded=folded, strategy=self.strategy,
            )  # fmt: skip
            return found.best == "play"
        return rules.plays(table_gain(table, self.strategy))


def table_gain(table: Table, strategy: str) -> int:
    """The number by whose sign a computed strategy decides with three or more left to act.

    Parameters
    ----------
    table
        What the player to act sees. With fewer left to act it is only an approximation, which
        no policy uses.
    strategy
        One of `strategy.COMPUTED`.

    Returns
    -------
    int
        `group_gain` or `self_interest.own_gain`.
    """
    rules, seen = table.rules, cards_in_sight(table)
    completions = completions_of(len(rules.deck) - len(seen))
    waiting = [table.holes[seat] for seat in (table.seat, *table.waiting)]
    gone = [[*rules.missing, *(card for card in seen if card not in hole)] for hole in waiting]
    if strategy == "individual":
        counts = [class_counts(*cards) for cards in zip(waiting, gone, strict=True)]
        leaders = leaders_of(table)
        return own_gain(rules, table.pot, table.to_beat, leaders, counts, completions)
    dealer_class = table.dealer_class if table.dealer_in else None
    firsts = [line.first_class for line in rules.lines]
    odds = []
    for cards in zip(waiting, gone, strict=True):
        reach, *on_lines = completions_at_least(*cards, (dealer_class or 0, *firsts))
        odds.append((reach, rules.bonus_sum(on_lines)))
    with_bonus = strategy == "collective"
    return group_gain(rules, table.pot, dealer_class, odds, completions, with_bonus=with_bonus)


def group_gain(
    rules: Rules,
    pot: int,
    dealer_class: int | None,
    odds: Sequence[tuple[int, int]],
    completions: int,
    with_bonus: bool,
) -> int:
    """What the group gains if the player to act plays rather than folds, by marginal odds.

    While the dealer stands, a play buys her own bonus, and with the chance of her hand the pot and
    a free play for everybody after her; if she misses, the next one faces a larger pot. All waiting
    players are worked through from the last to the first, for every number of plays made before.

    Parameters
    ----------
    rules
        The rules in force.
    pot
        Units in the pot now.
    dealer_class
        Class of the dealer's hand while she is in, otherwise None.
    odds
        For each player left to act, the one to act first: how many completions reach that class
        (any number if she is out), and the sum of the bonus units of all completions.
    completions
        How many completions there are.
    with_bonus
        Whether bonuses count.

    Returns
    -------
    int
        With the dealer in, units times `SCALE`; otherwise the bonus units summed over the
        completions (0 if bonuses do not count): then only a bonus is at stake.
    """
    earned = [bonus if with_bonus else 0 for _, bonus in odds]
    if dealer_class is None:
        return earned[0]
    bet = rules.play_bet
    later = [0] * (len(odds) + 2)  # of a player's place and the plays made before: what follows
    gain = 0
    for j in range(len(odds) - 1, -1, -1):
        reach = odds[j][0]
        own = earned[j] * SCALE // completions
        free = sum(earned[j + 1 :]) * SCALE // completions
        values = []
        for m in range(j + 1):
            won = SCALE * (pot + (m + 1) * bet) + free
            drawn = (reach * won + (completions - reach) * later[m + 1]) // completions
            play = own + drawn - bet * SCALE
            gain = play - later[m]
            values.append(play if rules.plays(gain) else later[m])
        later = values
    return gain
