"""The use cases: certify, simulate, verify, advise, check expectations. This is the Python API."""

from typing import Final

DEFAULT_CHECK_ROUNDS: Final = 50_000
"""Rounds that the referee plays for each certified strategy unless told otherwise."""
MOST_CHECK_ROUNDS: Final = 10**9
DEFAULT_SEED: Final = 20_261_130
"""Seed of checks and simulations unless told otherwise."""
