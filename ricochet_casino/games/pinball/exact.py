"""Exact lengths and chances of games in which nobody slips.

Without slips every round gives one card to one player, tie-breaks included; which one is decided
afresh each time. So a game is a race: the first player with `goal` cards wins. docs/math.md,
section 15.2 and 15.3. Everything is a fraction.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, factorial

from ricochet_casino.games.pinball.players import Player

_HALF = 1 << 32
_MOST_STATES = 2_000_000
_MOST_PLAYERS = 4


def undecided_chances(players: int, goal: int, stock: int) -> list[Fraction]:
    """Chance that nobody has `goal` cards after t rounds, for t = 0, 1, ... while it is above 0.

    Parameters
    ----------
    players
        How many, all equal; at least 1.
    goal
        At least 1.
    stock
        Rounds that can be played at most: with so many the list ends.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    docs/math.md (15.2): t! [x^t] (1 + x + x^2/2! + ... + x^(goal-1)/(goal-1)!)^players / players^t.
    """
    if min(players, goal, stock) < 1:
        raise ValueError("players, goal and stock must be at least 1")
    one = [Fraction(1, factorial(k)) for k in range(goal)]
    power = [Fraction(1)]
    for _ in range(players):
        product = [Fraction(0)] * (len(power) + goal - 1)
        for i, a in enumerate(power):
            for j, b in enumerate(one):
                product[i + j] += a * b
        power = product
    return [
        factorial(t) * chance / Fraction(players) ** t for t, chance in enumerate(power[:stock])
    ]


def mean_rounds(players: int, goal: int = 6, stock: int = 46) -> Fraction:
    """Mean number of rounds of equal players who never slip.

    Parameters, errors: as for `undecided_chances`. Round t + 1 is played if nobody has won after t
    and a card is left to turn.
    """
    return sum(undecided_chances(players, goal, stock), Fraction())


def rounds_law(players: int, goal: int = 6, stock: int = 46) -> dict[int, Fraction]:
    """Chance of each number of rounds, for equal players who never slip.

    Parameters, errors: as for `undecided_chances`.
    """
    after = [*undecided_chances(players, goal, stock), Fraction()]
    law = {t + 1: after[t] - after[t + 1] for t in range(len(after) - 1)}
    assert sum(law.values()) == 1
    return {rounds: chance for rounds, chance in law.items() if chance}


def win_chances(chances: Sequence[Fraction], goal: int, stock: int) -> list[Fraction]:
    """Share of the games that each player wins, from the chances to win a round.

    Parameters
    ----------
    chances
        By player, positive or zero; they sum to 1.
    goal, stock
        As for `undecided_chances`; if the stock runs out, the most cards share the win.

    Raises
    ------
    ValueError
        If the chances do not sum to 1, or there are too many positions (more than 2 million).
    """
    if sum(chances) != 1 or min(chances) < 0:
        raise ValueError("the chances to win a round must sum to one")
    players = len(chances)
    if goal**players > _MOST_STATES:
        raise ValueError(f"{goal} cards for {players} players: too many positions")
    found = [Fraction()] * players
    level: dict[tuple[int, ...], Fraction] = {(0,) * players: Fraction(1)}
    for _ in range(stock):
        following: dict[tuple[int, ...], Fraction] = {}
        for held, weight in level.items():
            for seat, chance in enumerate(chances):
                if held[seat] + 1 == goal:
                    found[seat] += weight * chance
                elif chance:
                    after = (*held[:seat], held[seat] + 1, *held[seat + 1 :])
                    following[after] = following.get(after, Fraction()) + weight * chance
        level = following
    for held, weight in level.items():
        best = [seat for seat in range(players) if held[seat] == max(held)]
        for seat in best:
            found[seat] += weight / len(best)
    assert sum(found) == 1
    return found


def tick_law(player: Player, looks: int, tick: int) -> dict[int, Fraction]:
    """Chance of each tick at which a player slaps, exactly as the words decide it.

    Parameters
    ----------
    player
        Who.
    looks
        Looks before the slap.
    tick
        Milliseconds in a tick.
    """
    span = player.high - player.low + 1
    # A time is low + floor(u span / 2^32) for u below 2^32: so many u lead to each value.
    one = [-(-(v + 1) * _HALF // span) - (-(-v * _HALF // span)) for v in range(span)]
    weights = [1]
    for _ in range(looks):
        weights = _product(weights, one)
    ticks: dict[int, int] = {}
    for extra, weight in enumerate(weights):
        at = (looks * player.low + extra) // tick
        ticks[at] = ticks.get(at, 0) + weight
    return {at: Fraction(weight, _HALF**looks) for at, weight in ticks.items()}


def _product(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Coefficients of the product of two polynomials, through one product of large integers."""
    bits = max(left).bit_length() + max(right).bit_length() + len(right).bit_length() + 1
    size = -(-bits // 8)

    def packed(values: Sequence[int]) -> int:
        return int.from_bytes(b"".join(v.to_bytes(size, "little") for v in values), "little")

    number = len(left) + len(right) - 1
    raw = (packed(left) * packed(right)).to_bytes(size * number + size, "little")
    return [int.from_bytes(raw[i * size : (i + 1) * size], "little") for i in range(number)]


def round_chances(players: Sequence[Player], looks: int, tick: int) -> list[Fraction]:
    """Chance of each player to win a round if nobody slips, tie-breaks included.

    Parameters
    ----------
    players
        Two to four models without errors.
    looks
        3, or 4 in Full Tilt.
    tick
        Milliseconds in a tick.

    Raises
    ------
    ValueError
        If there are more players, one makes errors, or a tie never ends.
    """
    if not 1 <= len(players) <= _MOST_PLAYERS:
        raise ValueError(f"exact chances of a round are for at most {_MOST_PLAYERS} players")
    if any(player.threshold for player in players):
        raise ValueError("exact chances of a round are for players without errors")
    laws = {player: tick_law(player, looks, tick) for player in set(players)}
    return _Contest([laws[player] for player in players]).chances(tuple(range(len(players))))


class _Contest:
    """Who wins a round, from the chances of the ticks of each player."""

    def __init__(self, laws: Sequence[Mapping[int, Fraction]]) -> None:
        self.laws = laws
        ticks = sorted(set().union(*laws))
        self.exactly = [[law.get(at, Fraction()) for at in ticks] for law in laws]
        self.later = []
        for row in self.exactly:
            left, tail = Fraction(1), []
            for chance in row:
                left -= chance
                tail.append(left)
            self.later.append(tail)
        self.chances = cache(self._chances)

    def _chances(self, seats: tuple[int, ...]) -> list[Fraction]:
        """For the players of a start card: everybody's chance, 0 for the others."""
        found = [Fraction()] * len(self.laws)
        for first in _subsets(seats):
            if len(first) == len(seats) and len(seats) > 1:
                continue
            chance = self._first(first, seats)
            if chance:
                for seat, part in enumerate(self.alone(first)):
                    found[seat] += chance * part
        again = self._first(seats, seats) if len(seats) > 1 else Fraction()
        if again == 1:
            raise ValueError("these players tie for ever: give them a spread, or a finer tick")
        return [part / (1 - again) for part in found]

    def alone(self, seats: tuple[int, ...]) -> list[Fraction]:
        """Chances of those who slapped first together: certain for one alone."""
        if len(seats) == 1:
            return [Fraction(int(seat == seats[0])) for seat in range(len(self.laws))]
        return self.chances(seats)

    def _first(self, first: tuple[int, ...], seats: tuple[int, ...]) -> Fraction:
        """Chance that just these slap first, all at once."""
        total = Fraction()
        for at in range(len(self.exactly[0])):
            chance = Fraction(1)
            for seat in seats:
                chance *= self.exactly[seat][at] if seat in first else self.later[seat][at]
                if not chance:
                    break
            total += chance
        return total


def _subsets(seats: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(seats) + 1):
        yield from combinations(seats, size)


def mean_rounds_check(players: int, goal: int) -> Fraction:
    """The mean number of rounds once more, by another way: sum over who wins, and when.

    The winner takes the last round and `goal` - 1 of those before; the others share the rest with
    fewer than `goal` each. Used by the tests only for small numbers; no stock is considered.
    """
    total = Fraction()

    @cache
    def spread(others: int, rounds: int) -> int:
        if others == 0:
            return int(rounds == 0)
        return sum(
            comb(rounds, k) * spread(others - 1, rounds - k) for k in range(min(goal, rounds + 1))
        )

    for rounds in range(goal, players * (goal - 1) + 2):
        rest = rounds - goal
        ways = players * comb(rounds - 1, goal - 1) * spread(players - 1, rest)
        total += rounds * Fraction(ways, players**rounds)
    return total
