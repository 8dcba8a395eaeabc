"""Players as models: how long a look takes, and how often it goes wrong.

A player follows the chain look by look. A look finds the next card: with four outer cards there
are three of them, with five four; the last card is found by elimination. Each look takes a time of
its own, uniform between two limits in whole milliseconds, and with the chance `Player.error` it
ends on a wrong card, each of the others alike; the player goes on from there and slaps whatever is
left in the end, which may be the right card by luck. docs/math.md, section 15.1.

Everything is whole numbers: a look uses one word of 64 bits, the same on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Final, NamedTuple

from ricochet_casino.cards.shuffle import word_at
from ricochet_casino.games.pinball.chain import asked_for
from ricochet_casino.games.pinball.deck import Card
from ricochet_casino.stats.exact import fraction_text

LOOK_STREAM: Final = 3
"""Stream of the players' looks."""
MOST_TURNS: Final = 4096
"""Start cards of a game that have words of their own."""
MOST_SEATS: Final = 16
"""Seats of a start card that have words of their own."""
WORDS_PER_SLAP: Final = 4
_HALF, _LOW = 32, (1 << 32) - 1

DEFAULT_TIME: Final = Fraction(4, 5)
DEFAULT_SPREAD: Final = Fraction(2, 5)
_LONGEST_TIME: Final = 60
_MILLISECONDS: Final = 1000


class Slap(NamedTuple):
    """A hand on a card.

    Attributes
    ----------
    tick
        When, in ticks after the start card was turned; equal ticks are the same moment.
    place
        Which outer place, from 0.
    """

    tick: int
    place: int


@dataclass(frozen=True)
class Player:
    """A model of a player.

    Attributes
    ----------
    time
        Mean time of a look, in seconds: above 0, at most 60.
    spread
        A look takes ``time (1 - spread)`` to ``time (1 + spread)``: 0 to 1.
    error
        Chance that a look ends on a wrong card: at least 0, below 1; in steps of 2^-32.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    time: Fraction = DEFAULT_TIME
    spread: Fraction = DEFAULT_SPREAD
    error: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 0 < self.time <= _LONGEST_TIME:
            raise ValueError(
                f"a reaction time must be above 0 and at most {_LONGEST_TIME} seconds, "
                f"got {_short(self.time)}"
            )
        if not 0 <= self.spread <= 1:
            raise ValueError(f"a spread must be 0 to 1, got {_short(self.spread)}")
        if not 0 <= self.error < 1 or self.threshold > _LOW:
            raise ValueError(
                f"an error rate must be at least 0 and below 1, got {_short(self.error)}"
            )

    @property
    def low(self) -> int:
        """Shortest time of a look, in milliseconds."""
        return round(self.time * (1 - self.spread) * _MILLISECONDS)

    @property
    def high(self) -> int:
        """Longest time of a look, in milliseconds."""
        return round(self.time * (1 + self.spread) * _MILLISECONDS)

    @property
    def threshold(self) -> int:
        """A look goes wrong if the low half of its word is below this."""
        return round(self.error * (1 << _HALF))

    def to_json(self) -> dict[str, str]:
        """The player as JSON values."""
        return {
            "time": fraction_text(self.time),
            "spread": fraction_text(self.spread),
            "error": fraction_text(self.error),
        }

    @classmethod
    def from_json(cls, value: Any) -> "Player":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is no such player.
        """
        if not isinstance(value, dict) or set(value) != {"time", "spread", "error"}:
            raise ValueError("not a player: expected time, spread and error")
        try:
            return cls(*(Fraction(value[name]) for name in ("time", "spread", "error")))
        except (TypeError, ZeroDivisionError) as error:
            raise ValueError(f"not a player: {error}") from None


def _short(value: Fraction) -> str:
    return f"{float(value):g}"


def parse_number(text: str, what: str) -> Fraction:
    """Read a plain decimal or a percentage, such as ``0.8`` or ``40%``.

    Raises
    ------
    ValueError
        If it is something else, such as ``nan``.
    """
    plain = text.strip()
    part = Fraction(1, 100) if plain.endswith("%") else Fraction(1)
    try:
        number = Decimal(plain.removesuffix("%").strip())
    except InvalidOperation:
        raise ValueError(f"{what}: {text!r} is not a number") from None
    if not number.is_finite() or abs(number.adjusted()) > 40:
        raise ValueError(f"{what}: {text!r} is not a usable number")
    return Fraction(number) * part


def parse_players(number: int, time: str, spread: str, error: str) -> tuple[Player, ...]:
    """Players from texts: one number for all seats, or one for each, with commas between.

    Parameters
    ----------
    number
        How many players.
    time, spread, error
        As the attributes of `Player`.

    Raises
    ------
    ValueError
        If a text is not such a list, or a number is out of range.
    """
    columns = []
    for what, text in (("time", time), ("spread", spread), ("error", error)):
        found = [parse_number(part, what) for part in text.split(",")]
        if len(found) not in (1, number):
            raise ValueError(
                f"{what}: {len(found)} numbers for {number} players: give one, or one a seat"
            )
        columns.append(found * number if len(found) == 1 else found)
    return tuple(Player(*seat) for seat in zip(*columns, strict=True))


def slap_of(
    player: Player,
    words: Sequence[int],
    kind: int,
    outer: Sequence[Card],
    tick: int,
) -> Slap:
    """When and what a player slaps, from one word for each look.

    Parameters
    ----------
    player
        Who.
    words
        Words of 64 bits, at least one for each outer card but one.
    kind
        Kind of the start card's ball.
    outer
        The outer cards by place.
    tick
        Milliseconds in a tick.
    """
    left = list(range(len(outer)))
    span = player.high - player.low + 1
    time = 0
    for word in words[: len(outer) - 1]:
        upper, lower = word >> _HALF, word & _LOW
        time += player.low + (upper * span >> _HALF)
        found = asked_for(kind, outer, left)
        if lower < player.threshold:
            others = [place for place in left if place != found]
            found = others[lower * len(others) // player.threshold]
        left.remove(found)
        kind = outer[found].kind
    return Slap(time // tick, left[0])


def words_of(seed: int, game: int, turn: int, seat: int) -> list[int]:
    """The words of a player's looks: four for each game, start card and seat."""
    block = (game * MOST_TURNS + turn) * MOST_SEATS + seat
    first = block * WORDS_PER_SLAP
    return [word_at(seed, LOOK_STREAM, first + j) for j in range(WORDS_PER_SLAP)]
