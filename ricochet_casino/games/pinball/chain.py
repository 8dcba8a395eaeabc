"""The chain: from the start card by the balls to the last card.

Source: the game's rules ("How to play", "Important notes"); docs/rulings.md, H2 and H3.
"""

from collections.abc import Sequence

from ricochet_casino.games.pinball.deck import Card

PLACES = ("top", "right", "bottom", "left")
"""Places of the four outer cards, clockwise."""
FULL_TILT_PLACES = ("p0", "p1", "p2", "p3", "p4")
"""Places of the five outer cards of Full Tilt, around the circle."""


def place_names(full_tilt: bool) -> tuple[str, ...]:
    """Names of the outer places."""
    return FULL_TILT_PLACES if full_tilt else PLACES


def asked_for(kind: int, outer: Sequence[Card], remaining: Sequence[int]) -> int:
    """Place among the remaining ones whose card a ball of this kind asks for.

    Raises
    ------
    ValueError
        If no place remains.
    """
    return max(remaining, key=lambda place: outer[place].strength(kind))


def chain(start: Card, outer: Sequence[Card]) -> tuple[int, ...]:
    """Places of the outer cards in sequence; the last one is the card to slap.

    The start card's bumpers never count, a card is used once, and the last card is what remains.

    Parameters
    ----------
    start
        The card in the middle.
    outer
        The cards around it, by place.
    """
    return follow(start.kind, outer, range(len(outer)))


def follow(kind: int, outer: Sequence[Card], remaining: Sequence[int]) -> tuple[int, ...]:
    """The rest of a chain: places in sequence, from a ball of this kind and what remains."""
    left = list(remaining)
    found = []
    while left:
        place = asked_for(kind, outer, left)
        left.remove(place)
        found.append(place)
        kind = outer[place].kind
    return tuple(found)
