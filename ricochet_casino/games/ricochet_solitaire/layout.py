"""The board: 32 wall cards in a ring, which covers which, and on which walls each lies.

Places 0-7 are the outer cards, 8-19 the middle ones and 20-31 the inner ones, clockwise from the
top left; corners are 20, 23, 26 and 29 (docs/rulings.md, E). A set of places is a whole number with
one bit for each place.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

WALL_CARDS: Final = 32
STOCK_CARDS: Final = 19
DECK_CARDS: Final = WALL_CARDS + 1 + STOCK_CARDS
ALL_PLACES: Final = (1 << WALL_CARDS) - 1
OUTER: Final = range(8)
MIDDLE: Final = range(8, 20)
INNER: Final = range(20, 32)

WALLS: Final = {
    "north": (0, 1, 8, 9, 10, 20, 21, 22, 23),
    "east": (2, 3, 11, 12, 13, 23, 24, 25, 26),
    "south": (4, 5, 14, 15, 16, 26, 27, 28, 29),
    "west": (6, 7, 17, 18, 19, 29, 30, 31, 20),
}
"""Places of each wall: two outer, three middle, four inner with both corners."""

CONFIGURATIONS: Final = 260_959
"""Sets of removed cards that can occur (docs/math.md, section 14.1)."""

RESTRICTIONS: Final = 9
"""Which walls are closed: none (0), one (1-4) or the two of a corner (5-8)."""


def covers(place: int) -> tuple[int, ...]:
    """The places whose cards lie on this one's.

    Raises
    ------
    ValueError
        If there is no such place.
    """
    if not 0 <= place < WALL_CARDS:
        raise ValueError(f"a place is 0 to {WALL_CARDS - 1}, got {place}")
    if place in INNER:
        return ()
    if place in MIDDLE:
        return place + 12, 20 if place == MIDDLE[-1] else place + 13
    first = 8 + 3 * (place // 2) + place % 2
    return first, first + 1


def walls_of(place: int) -> tuple[str, ...]:
    """Names of the walls of a place: one, or two for a corner."""
    return tuple(name for name, places in WALLS.items() if place in places)


@cache
def same_wall(place: int) -> int:
    """Set of all places that share a wall with this one, itself among them."""
    return mask_of(other for name in walls_of(place) for other in WALLS[name])


def restriction_of(place: int) -> int:
    """Number of the restriction after a play from this place, 1 to 8."""
    return int(np.flatnonzero(restriction_masks() == same_wall(place))[0])


@cache
def restriction_masks() -> npt.NDArray[np.int64]:
    """(9,) int64: the closed places of each restriction."""
    names = list(WALLS)
    masks = [0, *(mask_of(WALLS[name]) for name in names)]
    masks += [masks[1 + i] | masks[1 + (i - 1) % 4] for i in range(4)]
    return np.array(masks, dtype=np.int64)


def mask_of(places: Iterable[int]) -> int:
    """The set of some places as a whole number."""
    return sum(1 << place for place in set(places))


def open_places(removed: int) -> int:
    """Set of the uncovered cards that are still there, read off the definition."""
    return mask_of(
        place
        for place in range(WALL_CARDS)
        if not removed >> place & 1 and all(removed >> above & 1 for above in covers(place))
    )


@cache
def index_tables() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Tables that number the configurations without gaps (docs/math.md, section 14.1).

    A wall's nine places make a pattern: outer 2 bits, middle 3, inner 4 (corners lowest and
    highest). Given which corners are gone, the patterns of a wall are numbered, and the four
    numbers are the digits of the configuration.

    Returns
    -------
    digits : (512,) int32
        Number of a wall's pattern among those with its corners.
    steps : (16, 4) int32
        Weight of each wall's digit, by the set of corners that are gone (NW, NE, SE, SW).
    bases : (16,) int32
        Number of the first configuration with these corners.
    """
    digits = np.zeros(512, dtype=np.int32)
    sizes = [0] * 4  # by corners: first + 2 * last
    for pattern in range(512):
        outer, middle, inner = pattern & 3, pattern >> 2 & 7, pattern >> 5
        allowed = inner & inner >> 1  # middle i under inner i and i + 1
        below = middle & middle >> 1
        if middle & ~allowed & 7 or outer & ~below:
            continue
        corners = (inner & 1) | (inner >> 3) << 1
        digits[pattern] = sizes[corners]
        sizes[corners] += 1
    steps = np.zeros((16, 4), dtype=np.int32)
    bases = np.zeros(16, dtype=np.int32)
    total = 0
    for corners in range(16):
        bases[corners] = total
        product = 1
        for wall in range(4):
            steps[corners, wall] = product
            first, last = corners >> wall & 1, corners >> (wall + 1) % 4 & 1
            product *= sizes[first | last << 1]
        total += product
    if total != CONFIGURATIONS:
        raise AssertionError(f"{total} configurations instead of {CONFIGURATIONS}")
    for table in (digits, steps, bases):
        table.flags.writeable = False
    return digits, steps, bases


@cache
def outer_table() -> npt.NDArray[np.int32]:
    """(4096,) int32: outer places laid open by pairs of neighbouring middle cards that are gone."""
    table = np.zeros(4096, dtype=np.int32)
    for pairs in range(4096):
        for place in OUTER:
            if pairs >> (covers(place)[0] - 8) & 1:
                table[pairs] |= 1 << place
    table.flags.writeable = False
    return table
