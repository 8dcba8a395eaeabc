"""The use cases: certify, simulate, verify, advise, check expectations. This is the Python API."""

from fractions import Fraction
from typing import Final

DEFAULT_CHECK_ROUNDS: Final = 50_000
"""Rounds that the referee plays for each certified strategy unless told otherwise."""
MOST_CHECK_ROUNDS: Final = 10**9
DEFAULT_SEED: Final = 20_261_130
"""Seed of checks and simulations unless told otherwise."""
TABLE_CHECK_ROUNDS: Final = 256
"""Most rounds of a sample that the referee plays again."""
PILOT_DEALS: Final = 1 << 16
"""Deals of the pilot of a sample."""
DEFAULT_UNTIL: Final = Fraction(1, 2000)
"""Half width of the interval of a sampled RTP per ante, unless told otherwise."""
QUICK_UNTIL: Final = Fraction(1, 500)
"""The same for a quick look."""
GAP_DEALS: Final = 1 << 14
"""Deals whose optimality gap is sampled, unless told otherwise."""
GAP_INNER: Final = 8
"""Inner draws of each penalty, to begin with."""
MOST_INNER_DRAWS: Final = 256
"""They are doubled up to this while that makes the limit of a gap cheaper to reach."""
DEVIATION_DEALS: Final = 16
"""Deals whose decisions are looked at for what `individual` could gain by deviating."""
GAP_PILOT: Final = 1 << 12
"""Deals of the pilot of a gap."""
DIFFERENCE_DEALS: Final = 1 << 16
"""Deals on which two tables are compared, unless told otherwise."""
TUNING_DEALS: Final = 1 << 14
"""Deals on which each combination of a grid is evaluated, for two players and more."""
DIFFERENCE_PILOT: Final = 1 << 13
"""Deals of each pilot of a comparison."""
CARD_DEALS: Final = 1 << 14
"""Deals on which each simple strategy of a card is compared, unless told otherwise."""
NIGHT_ROUNDS: Final = 24
"""Rounds of an evening of casino night: they divide among 2, 3, 4, 6 and 8 persons."""
NIGHT_EVENINGS: Final = 4096
"""Evenings played, where they are not exact."""
NIGHT_DEALS: Final = 1 << 16
"""Deals for the dealer's gain, where it is not exact."""
NIGHT_STRATEGY: Final = "collective"
"""How the others play: the dealer's worst case."""
