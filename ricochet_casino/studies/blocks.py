"""What the experiments that deal cards share: blocks of deals, and checks of their parameters.

Blocks, numbers and names are those of `ricochet_casino.experiment`.
"""

from fractions import Fraction

from ricochet_casino.experiment import (
    MOST_DEALS,
    MOST_SEED,
    DealBlocks,
    Tally,
    check_names,
    checked_sizes,
    whole_number,
)

__all__ = [
    "MOST_DEALS",
    "MOST_SEED",
    "DealBlocks",
    "check_names",
    "check_whole",
    "checked_level",
    "checked_sizes",
    "whole_number",
]


def checked_level(level: Fraction) -> Fraction:
    """Level of intervals, checked.

    Raises
    ------
    ValueError
        If it is out of range.
    """
    if not Fraction(1, 2) <= level < 1:
        raise ValueError(f"a level must be at least 1/2 and below 1, got {level}")
    return level


def check_whole(tally: Tally, deals: int) -> None:
    """Refuse a tally that does not hold all deals.

    Raises
    ------
    ValueError
        If some are missing.
    """
    played = tally.counts.get("rounds", 0)
    if played != deals:
        raise ValueError(f"the tally holds {played:,} of {deals:,} deals")
