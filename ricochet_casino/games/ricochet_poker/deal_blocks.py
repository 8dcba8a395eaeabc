"""Blocks of deals and checks of parameters, under the name that this game uses."""

from ricochet_casino.studies.blocks import (
    MOST_DEALS,
    MOST_SEED,
    DealBlocks,
    check_names,
    check_whole,
    checked_level,
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
