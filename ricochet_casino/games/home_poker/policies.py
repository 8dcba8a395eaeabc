"""Policies of the home game in plain Python: what a player does when it is his turn.

``random``, ``buy_one``, ``buy_maximum`` and ``pot_odds`` are baselines; ``look_ahead`` is the
strong one: it does what pot odds do unless another action gains on it in playouts, in which all go
on by pot odds. One step of policy improvement over pot odds (docs/math.md, 13.4).
The compiled twins are in policy_kernel.py and roll the same dice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ricochet_casino.cards.partial import hand_order
from ricochet_casino.cards.shuffle import shuffled_deck, word_at
from ricochet_casino.config import did_you_mean
from ricochet_casino.games.home_poker import DEFAULT_PLAYOUTS
from ricochet_casino.games.home_poker.rules import Table, open_table
from ricochet_casino.games.home_poker.settings import Settings

POLICIES: Final = ("random", "buy_one", "buy_maximum", "pot_odds", "look_ahead")
"""Names; the kernels know them by their places."""
POLICY_STREAM: Final = 21
"""Stream of the policies' dice."""
RESHUFFLE_STREAM: Final = 22
"""Stream of the shuffles of a new stub (D14)."""
DEFAULT_SAMPLES: Final = 64
"""Random draws of a decision by pot odds; at most 1,023."""
DEFAULT_INNER: Final = 12
"""Random draws of a decision by pot odds within a playout."""

FEWEST: Final = 8
"""Playouts of an action before it can be given up."""
FIRST_PART: Final = 4
"""The first part of the playouts is this power of two of all."""
KEEP: Final = 3
"""The gain of an action is clear if its square is so many times its variance."""

_SPAN = (1 << 64) - 1
TURNS: Final = 64
"""Words of dice, and shuffles, that a deal has to itself in the streams."""
STEP: Final = 0x5851F42D4C957F2D
"""Between the states of the dice with which playouts begin."""

Policy = Callable[[Table], int]
"""Cards to buy, 0 to fold."""


class Dice:
    """The numbers of splitmix64 (Steele, Lea, Flood 2014) from a starting state."""

    def __init__(self, state: int) -> None:
        self.state = state & _SPAN

    def below(self, bound: int) -> int:
        """A number below `bound`: the upper half of the next word, scaled."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & _SPAN
        z = ((self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9) & _SPAN
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _SPAN
        return ((z ^ (z >> 31)) >> 32) * bound >> 32


@dataclass(frozen=True)
class Player:
    """A named policy with its dice for one deal.

    Attributes
    ----------
    name
        From `POLICIES`.
    seed, deal
        What the dice depend on, with the turn.
    samples, playouts, inner
        As the defaults explain.
    plain
        Look ahead in plain Python, which takes seconds to minutes, and not by the compiled twin.
    """

    name: str
    seed: int = 0
    deal: int = 0
    samples: int = DEFAULT_SAMPLES
    playouts: int = DEFAULT_PLAYOUTS
    inner: int = DEFAULT_INNER
    plain: bool = False

    def __post_init__(self) -> None:
        check_policy(self.name)

    def __call__(self, table: Table) -> int:
        """Decide for the seat to act."""
        if table.most == 0:
            return 0
        if self.name == "buy_one":
            return 1
        if self.name == "buy_maximum":
            return table.most
        dice = Dice(word_at(self.seed, POLICY_STREAM, 4 * (TURNS * self.deal + table.turn)))
        if self.name == "random":
            return dice.below(table.most + 1)
        if self.name == "pot_odds":
            return pot_odds(table, dice, self.samples)
        # Playouts do not know that a player can run out of chips.
        free, sizes = replace(table, stacks=None), (self.samples, self.playouts, self.inner)
        if self.plain:
            return min(look_ahead(free, dice, *sizes), table.most)
        # Here, because it needs numpy and the compiler.
        from ricochet_casino.games.home_poker.compiled_choice import look_ahead_compiled

        return min(look_ahead_compiled(free, dice.state, *sizes), table.most)


def check_policy(name: str) -> str:
    """Name of a policy, checked.

    Raises
    ------
    ValueError
        If it is unknown; the message gives the nearest one.
    """
    if name not in POLICIES:
        hint = did_you_mean(name, POLICIES)
        raise ValueError(f"unknown policy {name!r}; expected one of {', '.join(POLICIES)}{hint}")
    return name


def best_amount(values: Sequence[int]) -> int:
    """Place of the first of the largest values, where folding (place 0) is worth 0."""
    return max(range(len(values)), key=lambda k: (values[k], -k))


def pot_odds(table: Table, dice: Dice, samples: int) -> int:
    """Cards to buy by the chance to overtake, estimated by random draws; 0 to fold.

    The hand overtaken is taken for beaten and those still in for equals: k cards are worth
    ``chance * (pot + k) / (live hands - 1) - k`` (docs/math.md, 13.3).
    """
    seat, unseen = table.seat, list(table.unseen)
    if len(unseen) < table.most:  # a reshuffle is near (D14)
        unseen += sorted(table.dead)
    rival = table.to_beat(seat)
    hits = [0] * (table.most + 1)
    for _ in range(samples):
        hand = table.hands[seat]
        for j in range(table.most):
            chosen = j + dice.below(len(unseen) - j)
            unseen[j], unseen[chosen] = unseen[chosen], unseen[j]
            hand = (*hand, unseen[j])
            if hand_order(hand) > rival:
                hits[j + 1] += 1
                break
    unit, others = table.settings.unit, len(table.live_seats) - 1
    values = [0]
    for k in range(1, table.most + 1):
        reached = sum(hits[: k + 1])
        values.append(reached * (table.pot + k * unit) - k * unit * samples * others)
    return best_amount(values)


def look_ahead(table: Table, dice: Dice, samples: int, playouts: int, inner: int) -> int:
    """Cards to buy: by pot odds, unless another action gains on it in playouts; 0 to fold.

    Every other action is played out beside that of pot odds, with the same cards and dice. After
    each part of the playouts those that are clearly behind are given up, and the only one left is
    taken if it is clearly ahead (13.4); each part is as large as all before it.

    Parameters
    ----------
    table
        It waits for an action.
    dice
        Playout i begins with their state and i times an odd constant.
    samples, playouts, inner
        Draws of pot odds, most playouts, and draws of each decision by pot odds in them.
    """
    start = dice.state
    base = pot_odds(table, dice, samples)
    gains: dict[int, list[int]] = {k: [] for k in range(table.most + 1) if k != base}
    best, done, goal = base, 0, min(playouts, max(FEWEST, playouts >> FIRST_PART))
    while gains and done < playouts:
        for i in range(done + 1, goal + 1):
            net = played_out(table, base, start + i * STEP, inner)
            for k, found in gains.items():
                found.append(played_out(table, k, start + i * STEP, inner) - net)
        done, goal = goal, min(2 * goal, playouts)
        best, best_gain, sure = base, 0, False
        for k, found in list(gains.items()):
            gain = sum(found)
            clear = gain * gain >= KEEP * (sum(x * x for x in found) - gain * gain // done)
            if gain <= 0 and clear:
                del gains[k]
            elif gain > best_gain:
                best, best_gain, sure = k, gain, clear
        if sure and list(gains) == [best]:
            break
    return best


def played_out(table: Table, amount: int, start: int, inner: int) -> int:
    """Net units of the seat to act if it buys so many cards and all go on by pot odds.

    Parameters
    ----------
    table
        It waits for an action.
    amount
        Cards to buy, 0 to fold.
    start
        State of the dice, for the order of the cards and all decisions.
    inner
        Draws of each decision.
    """
    if amount == 0:
        return 0
    seat, dice = table.seat, Dice(start)
    cards = DiceSource(table, dice)
    future = cards.dealt(table.act(amount))
    while not future.over and future.live[seat]:
        future = cards.dealt(future.act(pot_odds(future, dice, inner)))
    return future.net[seat] - table.net[seat]


class DiceSource:
    """An imagined order of the cards to come.

    Parameters
    ----------
    table
        Where it starts.
    dice
        They choose the order, and that of a new stub.
    """

    def __init__(self, table: Table, dice: Dice) -> None:
        self.dice = dice
        self.reshuffles = table.reshuffles
        limit = table.settings.hand_limit
        needed = sum(limit - len(table.hands[seat]) for seat in table.live_seats)
        self.cards = self._shuffled(list(table.unseen), needed)

    def dealt(self, table: Table) -> Table:
        """Deal as long as the table waits for cards."""
        while table.waits == "card":
            if table.reshuffles > self.reshuffles:
                self.reshuffles = table.reshuffles
                self.cards = self._shuffled(list(table.unseen), len(table.unseen))
            table = table.give(self.cards.pop(0))
        return table

    def _shuffled(self, cards: list[int], needed: int) -> list[int]:
        for j in range(min(needed, len(cards) - 1)):
            chosen = j + self.dice.below(len(cards) - j)
            cards[j], cards[chosen] = cards[chosen], cards[j]
        return cards


def play_hand(
    settings: Settings,
    policies: Sequence[Policy],
    deck: Sequence[int],
    *,
    seed: int = 0,
    deal: int = 0,
) -> Table:
    """Play one hand by the book from a given order of the deck.

    Parameters
    ----------
    settings
        The rules in force.
    policies
        One per seat.
    deck
        Cards in the order dealt, as many as can be needed.
    seed, deal
        What a reshuffle of folded cards depends on (D14).

    Returns
    -------
    Table
        When it is over, with all events.

    Raises
    ------
    CardError
        If the deck holds a card twice, or one that is not in the game.
    ValueError
        If there are too few or too many players, or the deck is too short.
    """
    table = open_table(settings, len(policies))
    cards = iter(deck)
    reshuffles = 0
    while not table.over:
        if table.waits == "action":
            table = table.act(policies[table.seat](table))
            continue
        if table.reshuffles > reshuffles:
            index = TURNS * deal + reshuffles
            reshuffles = table.reshuffles
            stub = table.unseen
            cards = iter(shuffled_deck(seed, RESHUFFLE_STREAM, index, deck=stub))
        card = next(cards, None)
        if card is None:
            raise ValueError(f"the deck of {len(deck)} cards is too short for this hand")
        table = table.give(card)
    return table
