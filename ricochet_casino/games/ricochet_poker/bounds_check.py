"""Bounds of the collective optimum in plain Python: the slow, readable twin of bounds_kernel.py.

Everything is counted by going through all completions, and added up in fractions. The means of
penalties are exact, over all draws, or taken over given draws as the kernel does. Meant for decks
of 20 to 40 cards. Definitions: docs/math.md, section 10.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.classes import class_of_trusted
from ricochet_casino.cards.partial import action_order
from ricochet_casino.cards.shuffle import bounded, philox4x64
from ricochet_casino.games.ricochet_poker.multiplayer import group_gain
from ricochet_casino.games.ricochet_poker.units import Rules

Values = dict[tuple[int, int], Fraction]
"""By place in the order of action and plays made since: what the group expects from there on."""

_WORD = 1 << 64


class Control(NamedTuple):
    """The first-order control of a draw (9.4): worth if it wins, if it loses, and by card."""

    won: Fraction
    lost: Fraction
    by_card: dict[int, Fraction]


class PlainBounds:
    """One deal whose dealer stands.

    Parameters
    ----------
    rules
        The rules in force, for 2 to 7 players.
    holes
        Card codes, two per seat.
    dealer
        Her five.

    Attributes
    ----------
    stub
        The cards that can come, in the order in which the kernel lists them.
    threes
        All sets of three of them; a *draw* is a place in this list.
    masks
        A bit for each card of each set. Sets of cards that are gone are such numbers too.
    """

    def __init__(self, rules: Rules, holes: Sequence[Sequence[int]], dealer: Sequence[int]) -> None:
        self.rules, self.players = rules, rules.players
        self.to_beat = class_of_trusted(dealer)
        seen = {*dealer, *(card for hole in holes for card in hole)}
        self.stub = sorted(set(rules.deck) - seen, key=lambda card: (card & 3, card))
        self.threes = list(combinations(self.stub, 3))
        self.masks = np.array([sum(1 << c for c in three) for three in self.threes], dtype=np.int64)
        order = action_order([(hole[0], hole[1]) for hole in holes])
        self.classes = [
            np.array([class_of_trusted((*holes[seat], *three)) for three in self.threes])
            for seat in order
        ]
        self.bonuses = [np.array([rules.bonus(c) for c in own.tolist()]) for own in self.classes]
        self.start = self.players * rules.ante + rules.dealer_ante
        self._kept: dict[tuple[object, ...], object] = {}

    def free(self, used: int) -> npt.NDArray[np.intp]:
        """The draws that are possible when some cards are gone."""
        return np.flatnonzero((self.masks & used) == 0)

    def odds(self, place: int, used: int) -> tuple[int, int]:
        """Draws that reach the dealer's class, and the sum of the bonuses of all draws."""
        free = self.free(used)
        reach = (self.classes[place][free] >= self.to_beat).sum()
        return int(reach), int(self.bonuses[place][free].sum())

    def wins(self, place: int, draw: int) -> bool:
        """Whether a draw reaches the dealer's class."""
        return int(self.classes[place][draw]) >= self.to_beat

    def last(self, used: int, pot: int) -> Fraction:
        """What the group expects from the last player."""
        key = "last", used, pot
        if key not in self._kept:
            free, bet = len(self.free(used)), self.rules.play_bet
            reach, bonus = self.odds(self.players - 1, used)
            self._kept[key] = max(Fraction(reach * (pot + bet) + bonus, free) - bet, Fraction())
        return self._kept[key]  # type: ignore[return-value]

    def last_two(self, used: int, pot: int) -> Fraction:
        """The same from the last but one on: every draw is followed."""
        key = "two", used, pot
        if key not in self._kept:
            two, bet, free = self.players - 2, self.rules.play_bet, self.free(used).tolist()
            left = len(self.free(used | int(self.masks[free[0]])))
            total = Fraction(self.odds(two, used)[1])
            for draw in free:
                after = used | int(self.masks[draw])
                if self.wins(two, draw):
                    total += pot + bet + Fraction(self.odds(two + 1, after)[1], left)
                else:
                    total += self.last(after, pot + bet)
            self._kept[key] = max(total / len(free) - bet, self.last(used, pot))
        return self._kept[key]  # type: ignore[return-value]

    def values(self, first: int, used: int, pot: int) -> Values:
        """The forecast V from a player on: exact for the last two, by (9.2) before them."""
        key = "values", first, used, pot
        if key in self._kept:
            return self._kept[key]  # type: ignore[return-value]
        players, bet, free = self.players, self.rules.play_bet, len(self.free(used))
        found: Values = {(players, m): Fraction() for m in range(players + 2)}
        later = Fraction()
        for j in range(players - 1, first - 1, -1):
            reach, bonus = (Fraction(count, free) for count in self.odds(j, used))
            for m in range(j - first + 1 + (j == players - 1)):
                stake = pot + (m + 1) * bet
                if j == players - 1:
                    found[j, m] = self.last(used, pot + m * bet)
                elif j == players - 2:
                    found[j, m] = self.last_two(used, pot + m * bet)
                else:
                    play = bonus - bet + reach * (stake + later) + (1 - reach) * found[j + 1, m + 1]
                    found[j, m] = max(play, found[j + 1, m])
            later += bonus
        self._kept[key] = found
        return found

    def control(self, turn: int, made: int, used: int) -> Control:
        """The first-order control of the draw of a player, `made` others having drawn."""
        key = "control", turn, made, used
        if key not in self._kept:
            self._kept[key] = self._control(turn, made, used)
        return self._kept[key]  # type: ignore[return-value]

    def _control(self, turn: int, made: int, used: int) -> Control:
        bet, free = self.rules.play_bet, self.free(used)
        pot = self.start + made * bet
        values = self.values(made, used, pot)
        behind = range(turn + 1, self.players)
        odds = {j: [Fraction(count, len(free)) for count in self.odds(j, used)] for j in behind}
        later = sum((odds[j][1] for j in behind), Fraction())
        most = Fraction(pot + bet)
        won = min(most + later, most * Fraction(5, 4))
        lost = max(Fraction(), min(values[turn + 1, 1], won))
        slopes, weight, plays = {}, Fraction(1), 1
        for j in behind:
            reach, bonus = odds[j]
            later -= bonus
            stake = pot + (plays + 1) * bet
            miss = values[j + 1, plays + 1]
            if bonus - bet + reach * (stake + later) + (1 - reach) * miss >= values[j + 1, plays]:
                slopes[j] = weight * (stake + later - miss)
                weight *= 1 - reach
                plays += 1
        cards = [card for card in self.stub if not used >> card & 1]
        rest = len(self.free(used | int(self.masks[free[0]])))
        by_card = {}
        for card in cards:
            slope = Fraction()
            for j, steep in slopes.items():
                reached = free[self.classes[j][free] >= self.to_beat]
                holding = int((self.masks[reached] >> card & 1).sum())
                slope -= steep * (holding - 3 * odds[j][0] * len(free) / len(cards))
            by_card[card] = max(-most / 12, min(slope / rest, most / 12))
        return Control(won, lost, by_card)

    def first_order(self, turn: int, made: int, used: int, draw: int) -> Fraction:
        """Z_1 of a draw."""
        found = self.control(turn, made, used)
        if self.wins(turn, draw):
            return found.won
        return found.lost + sum(found.by_card[card] for card in self.threes[draw])

    def expected(self, turn: int, made: int, used: int, draw: int) -> Fraction:
        """What the group expects from there on, as found after a draw."""
        after = used | int(self.masks[draw])
        pot = self.start + (made + 1) * self.rules.play_bet
        if not self.wins(turn, draw):
            return self.values(made + 1, after, pot)[turn + 1, 0]
        free = len(self.free(after))
        behind = range(turn + 1, self.players)
        return pot + Fraction(sum(self.odds(j, after)[1] for j in behind), free)

    def penalty(self, turn: int, made: int, used: int, draw: int) -> Fraction:
        """Z of a draw."""
        key = "penalty", turn, made, used, draw
        if key not in self._kept:
            near = self.first_order(turn, made, used, draw)
            room = Fraction(self.start + (made + 1) * self.rules.play_bet, 4)
            off = self.expected(turn, made, used, draw) - near
            self._kept[key] = near + max(-room, min(off, room))
        return self._kept[key]  # type: ignore[return-value]

    def mean_penalty(
        self, turn: int, made: int, used: int, inner: Sequence[int] | None = None
    ) -> Fraction:
        """E Z as it is entered: exact, or by inner draws with Z_1 as control variate (10.3)."""
        free, place = self.free(used).tolist(), (turn, made, used)
        if inner is None:
            return sum((self.penalty(*place, c) for c in free), Fraction()) / len(free)
        mean = sum((self.first_order(*place, c) for c in free), Fraction()) / len(free)
        missed = (self.penalty(*place, c) - self.first_order(*place, c) for c in inner)
        return mean + sum(missed, Fraction()) / len(inner)

    def plays(self, turn: int, made: int, used: int) -> bool:
        """Whether the policy of section 9.2 plays."""
        odds = [self.odds(j, used) for j in range(turn, self.players)]
        pot = self.start + made * self.rules.play_bet
        size = len(self.free(used))
        gain = group_gain(self.rules, pot, self.to_beat, odds, size, with_bonus=True)
        return self.rules.plays(gain)

    def node(
        self, turn: int, made: int, used: int, inner: Sequence[int] | None = None
    ) -> tuple[Fraction, bool]:
        """Bonus, bet and mean of the penalty of a play; and whether the policy plays."""
        key = "node", turn, made, used, inner if inner is None else tuple(inner)
        if key not in self._kept:
            bonus = Fraction(self.odds(turn, used)[1], len(self.free(used)))
            known = bonus - self.rules.play_bet + self.mean_penalty(turn, made, used, inner)
            self._kept[key] = known, self.plays(turn, made, used)
        return self._kept[key]  # type: ignore[return-value]

    def sequences(
        self, coming: Sequence[int], inner: Sequence[Sequence[int]] | None = None
    ) -> tuple[Fraction, Fraction]:
        """Best sequence of plays against an order of the stub, and the policy's own (10.2).

        Parameters
        ----------
        coming
            The draws that come one after the other; K - 2 are looked at.
        inner
            For each number of plays made, the draws that the mean of the penalty is taken over;
            None for exact means.

        Returns
        -------
        best, own
            Units that the players get from the deal on, less their bets from there on.
        """
        used = [0]
        for draw in coming:
            used.append(used[-1] | int(self.masks[draw]))

        def walk(turn: int, made: int) -> tuple[Fraction, Fraction]:
            if turn == self.players - 2:
                end = self.last_two(used[made], self.start + made * self.rules.play_bet)
                return end, end
            best, own = walk(turn + 1, made)
            place, draw = (turn, made, used[made]), coming[made]
            known, plays = self.node(*place, inner[made] if inner else None)
            paid = known - self.penalty(*place, draw)
            if self.wins(turn, draw):
                after = (self.expected(*place, draw),) * 2
            else:
                after = walk(turn + 1, made + 1)
            return max(best, paid + after[0]), paid + after[1] if plays else own

        return walk(0, 0)


def inner_draws(
    stub: Sequence[int], seed: int, stream: int, deal: int, made: int, inner: int
) -> list[tuple[int, ...]]:
    """The cards of the kernel's independent draws for penalties, after `made` plays.

    Parameters
    ----------
    stub
        The cards that can come, by suit and rank.
    seed, stream, deal
        As in `bounds_kernel.node_kernel`.
    made
        Plays made before.
    inner
        How many draws.
    """
    found = []
    for number in range(inner):
        block = (deal * 8 + made) * inner + number
        words = (
            word
            for attempt in range(1 << 20)
            for word in philox4x64((block, attempt, 0, 0), (seed, stream))
        )
        cards = list(stub)
        for place in range(3):
            other = place + bounded(words, len(cards) - place, span=_WORD)
            cards[place], cards[other] = cards[other], cards[place]
        found.append(tuple(cards[:3]))
    return found
