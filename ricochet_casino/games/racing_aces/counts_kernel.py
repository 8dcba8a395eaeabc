"""Foundations as counts: what may be placed, whatever the piles look like just now.

The sixteen piles can be rearranged by moves among them, so that all that matters is how many cards
of each rank lie on them (docs/math.md, section 14.4). Counts are packed, four bits a rank: the ace
in bits 4-7, the king in bits 52-55.
"""

from numba import njit

FULL = sum(12 << (4 * rank) for rank in range(1, 14))
"""Counts of a won game."""


@njit(cache=True, nogil=True, inline="always")
def slack_kernel(counts):  # type: ignore[no-untyped-def]
    """How many of the ace piles reach the six and of the king piles the seven, at best.

    Both are below zero where too many cards wait in the middle of nowhere.
    """
    one = (counts >> 4) & 15
    ups, below = min(one, 4), one
    for rank in range(2, 7):
        number = (counts >> (4 * rank)) & 15
        ups -= max(below - number, 0)
        below = number
    king = (counts >> 52) & 15
    downs, below = min(king, 4), king
    for rank in range(12, 6, -1):
        number = (counts >> (4 * rank)) & 15
        downs -= max(below - number, 0)
        below = number
    return ups, downs


@njit(cache=True, nogil=True, inline="always")
def stands_kernel(counts):  # type: ignore[no-untyped-def]
    """Whether some arrangement of the piles has these counts (14.6)."""
    ups, downs = slack_kernel(counts)
    most = max((counts >> 24) & 15, (counts >> 28) & 15)
    return ups >= 0 and downs >= 0 and most <= ups + downs + 4


@njit(cache=True, nogil=True)
def placeable_kernel(counts):  # type: ignore[no-untyped-def]
    """Set of the ranks of which one more card can be placed; bit 1 is the ace."""
    ups, downs = slack_kernel(counts)
    six, seven = (counts >> 24) & 15, (counts >> 28) & 15
    found = 0
    for rank in range(1, 14):
        number = (counts >> (4 * rank)) & 15
        if number >= 12:
            continue
        up, down, most = ups, downs, max(six, seven)
        if rank <= 6:
            if rank == 1:
                up += number < 4
            elif (counts >> (4 * rank - 4)) & 15 > number:
                up += 1
            if rank == 6:
                most = max(six + 1, seven)
            elif number >= (counts >> (4 * rank + 4)) & 15:
                up -= 1
        else:
            if rank == 13:
                down += number < 4
            elif (counts >> (4 * rank + 4)) & 15 > number:
                down += 1
            if rank == 7:
                most = max(six, seven + 1)
            elif number >= (counts >> (4 * rank - 4)) & 15:
                down -= 1
        if up >= 0 and down >= 0 and most <= up + down + 4:
            found |= 1 << rank
    return found
