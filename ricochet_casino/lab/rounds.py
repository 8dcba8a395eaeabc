"""Single rounds by the referee, told step by step."""

from ricochet_casino.cards.shuffle import shuffled_deck
from ricochet_casino.games.ricochet_poker.multiplayer import policy_for
from ricochet_casino.games.ricochet_poker.narration import narrate
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.round import Policy
from ricochet_casino.games.ricochet_poker.rules import play_round
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.strategy import (
    COMPUTED,
    STRATEGIES,
    unknown_strategy,
)

STREAM = 0


def refereed_round(
    paytable: RicochetPokerPaytable,
    seed: int,
    players: int,
    number: int = 0,
    strategy: str | None = None,
) -> list[str]:
    """One round as lines of text.

    Parameters
    ----------
    paytable
        Must cover the player count.
    seed, number
        The deal: number 0, 1, ... of the seed, in stream 0.
    players
        1 to 7.
    strategy
        For all seats; by default ``collective``.

    Raises
    ------
    ValueError
        For an unknown strategy.
    """
    rules = paytable.rules(players)
    name = strategy or "collective"
    if name not in STRATEGIES:
        raise unknown_strategy(name)
    policy: Policy
    if players == 1 and name in COMPUTED:
        policy = Solo(paytable, name).policy()
    else:
        policy = policy_for(rules, name)
    deck = shuffled_deck(seed, STREAM, number)
    heading = f"Deal {number} of seed {seed}; strategy {name}; {paytable.title}"
    return [heading, *narrate(play_round(rules, deck, policy), rules)]
