"""The few figures of a bet that are looked at in bulk, exact."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ricochet_casino.stats.exact import square_root


@dataclass(frozen=True)
class QuickFigures:
    """Figures of the main game or of a side bet.

    Attributes
    ----------
    rtp_per_ante
        Return to player; of a side bet per chip staked, a stake being one ante.
    variance
        Of the net result of a round, in antes (chips staked) squared.
    hit_frequency, fold_frequency
        Per round; nobody folds a side bet.
    maximum_exposure
        Most chips that the house can lose in a round; of a side bet per chip staked.
    """

    rtp_per_ante: Fraction
    variance: Fraction
    hit_frequency: Fraction
    fold_frequency: Fraction
    maximum_exposure: Fraction

    @property
    def sd(self) -> Decimal:
        """Standard deviation of the net result of a round."""
        return square_root(self.variance)
