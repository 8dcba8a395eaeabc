"""Grids of paytables: ``bonus.flush=4..8`` and ``kickout.1=KKQ..AA`` as lists of settings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import Final

import numpy as np

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.games.ricochet_poker.notation import kickout_text, parse_kickout
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.self_interest import levels
from ricochet_casino.lab.settings import apply_settings, read_setting, setting_place
from ricochet_casino.paytable import format_odds, parse_amount, parse_odds

MOST_COMBINATIONS: Final = 1_000_000
"""Larger grids are refused: 10^6 paytables take the better part of an hour."""

_AMOUNTS = ("ante", "dealer_ante", "play_bet", "coin")


@cache
def kickout_steps() -> tuple[int, ...]:
    """Kickout classes in steps that a designer would take, rising; 7,462 (never) is the last.

    A step is the lowest class of a level (`self_interest.levels`): it fixes the category and the
    two most significant different ranks. From kings with a queen the steps are KKQ, KKA, AA, AA5,
    ..., as AA and a four is the lowest pair of aces there is.
    """
    starts = np.flatnonzero(np.diff(levels(), prepend=-1))
    return (*(int(start) for start in starts), N_CLASSES)


@dataclass(frozen=True)
class Axis:
    """One setting with all the values it may take.

    Attributes
    ----------
    key
        Such as ``bonus.flush``.
    values
        As they are written in a paytable, in order.
    """

    key: str
    values: tuple[str, ...]

    @property
    def settings(self) -> tuple[str, ...]:
        """``bonus.flush=4`` and so on."""
        return tuple(f"{self.key}={value}" for value in self.values)


@dataclass(frozen=True)
class _Span:
    """An axis before its values are written out, so that a huge one costs nothing."""

    key: str
    listed: tuple[str, ...]
    first: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    count: int = 0

    @property
    def length(self) -> int:
        return self.count or len(self.listed)

    def axis(self) -> Axis:
        if not self.count:
            return Axis(self.key, self.listed)
        steps = [self.first + index * self.step for index in range(self.count)]
        amount = self.key in _AMOUNTS
        return Axis(self.key, tuple(str(v) if amount else format_odds(v) for v in steps))


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of some settings.

    Attributes
    ----------
    axes
        In the order given; the last one changes fastest.
    """

    axes: tuple[Axis, ...]

    @property
    def count(self) -> int:
        """Number of combinations."""
        return prod(len(axis.values) for axis in self.axes)

    def combinations(self) -> Iterator[tuple[str, ...]]:
        """The settings of each combination."""
        return product(*(axis.settings for axis in self.axes))


def read_grid(
    paytable: RicochetPokerPaytable, texts: Sequence[str], most: int = MOST_COMBINATIONS
) -> Grid:
    """Read what ``--vary`` says.

    Parameters
    ----------
    paytable
        What is varied.
    texts
        ``KEY=A..B``: from A to B in whole steps; ``KEY=A..B:STEP``: in other steps;
        ``KEY=V,V,V``: these values. For a kickout A..B are the steps of `kickout_steps` between
        the two hands, both included, and ``A..B:all`` every class.
    most
        Larger grids are refused before anything is done.

    Raises
    ------
    ValueError
        For an unknown setting or value, a setting given twice, an empty range, or too large a
        grid, with the count.
    """
    if not texts:
        raise ValueError("nothing to vary; expected --vary KEY=A..B, such as bonus.flush=4..8")
    spans: list[_Span] = []
    seen: dict[tuple[str, ...], str] = {}
    for text in texts:
        key, value = read_setting(text, "--vary")
        try:
            place = setting_place(paytable, key)
            if place in seen:
                raise ValueError(f"the same as {seen[place]}; expected each setting once")
            seen[place] = text
            spans.append(_span(key, place, value))
        except ValueError as error:
            raise ValueError(f"--vary {text}: {error}") from None
    count = prod(span.length for span in spans)
    if count > most:
        parts = " x ".join(f"{span.length:,}" for span in spans)
        raise ValueError(
            f"the grid has {count:,} combinations ({parts}); expected at most {most:,}: "
            "vary fewer settings, or in wider steps"
        )
    axes = tuple(span.axis() for span in spans)
    for axis in axes:
        # The ends and every listed value tell whether a value is written wrongly or is impossible.
        for setting in axis.settings if len(axis.values) < 100 else axis.settings[:1]:
            _check_value(paytable, setting)
    return Grid(axes)


def _check_value(paytable: RicochetPokerPaytable, setting: str) -> None:
    try:
        key, _ = read_setting(setting)
        # Coins that do not fit alone may fit together with another setting.
        apply_settings(paytable, [setting] if key == "coin" else [setting, "coin=fair"])
    except ValueError as error:
        raise ValueError(str(error).replace("--set", "--vary", 1)) from None


def _span(key: str, place: tuple[str, ...], value: str) -> _Span:
    ends, dots, last = value.partition("..")
    if not dots:
        values = tuple(part.strip() for part in value.split(","))
        if "" in values or len(set(values)) < len(values):
            raise ValueError("expected different values, with commas between them")
        return _Span(key, values)
    last, colon, step = last.partition(":")
    if place[0] == "kickout":
        return _Span(key, _kickouts(ends.strip(), last.strip(), step.strip() if colon else ""))
    if place[-1] in ("last_hand", "when_equal", "bonus_on", "tie"):
        raise ValueError("has no range; expected values with commas between them")
    read = parse_amount if key in _AMOUNTS else parse_odds
    first, end = read(ends.strip()), read(last.strip())
    width = parse_amount(step.strip()) if colon else Fraction(1)
    if width == 0:
        raise ValueError("steps of 0; expected a positive step")
    if end < first:
        raise ValueError(f"the range is empty; did you mean {key}={last.strip()}..{ends.strip()}?")
    return _Span(key, (), first, width, (end - first) // width + 1)


def _kickouts(first: str, last: str, step: str) -> tuple[str, ...]:
    """Spellings of the kickout hands from one to another."""
    begin, end = parse_kickout(first), parse_kickout(last)
    if end < begin:
        raise ValueError(f"the range is empty; did you mean {last}..{first}?")
    if step not in ("", "all"):
        raise ValueError(f"steps of {step!r}; expected no steps, or :all for every class")
    if step == "all":
        return tuple(kickout_text(index) for index in range(begin, end + 1))
    between = {index for index in kickout_steps() if begin <= index <= end}
    return tuple(kickout_text(index) for index in sorted(between | {begin, end}))
