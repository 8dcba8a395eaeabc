"""How long a request will take, roughly: for warnings, plans and dry runs."""

from fractions import Fraction

from ricochet_casino.games.ricochet_poker.gap_plan import FAR_DEALS, FAR_INNER
from ricochet_casino.lab import GAP_PILOT, MOST_INNER_DRAWS
from ricochet_casino.lab.requests import (
    Bounding,
    Choice,
    Request,
    SimulationRequest,
    choice_name,
)

# Orders of magnitude, for warnings only.
_SIMULATED_HANDS_PER_SECOND = 3_000_000
_REFEREED_ROUNDS_PER_SECOND = 25_000
_SAMPLED_HANDS_PER_SECOND = 150_000
_SELFISH_HANDS_PER_SECOND = 15_000
_CHECKED_HANDS_PER_SECOND = 500
_NODES_PER_SECOND = 500_000
_LOOKED_AT_PER_SECOND = 70  # decisions for deviations, by players
_USUAL_GAP = {
    players: Fraction(parts, 10**5)
    for players, parts in {3: 12, 4: 14, 5: 27, 6: 50, 7: 110}.items()
}
"""Gap per player and ante of the rulebook's game with 8 inner draws (docs/performance.md)."""


def expected_seconds(request: Request | SimulationRequest) -> Fraction:
    """Roughly how long a request takes on one core."""
    if isinstance(request, SimulationRequest):
        return Fraction(request.rounds * request.players, _SIMULATED_HANDS_PER_SECOND)
    return sum(
        (_entry_seconds(request, players, choice) for choice in request.strategies
         for players in request.players),
        Fraction(),
    )  # fmt: skip


def _entry_seconds(request: Request, players: int, choice: Choice) -> Fraction:
    if players == 1:
        return Fraction(request.check_rounds, _REFEREED_ROUNDS_PER_SECOND) + 1
    hands = players * (request.sampling.expected_deals + request.sampling.pilot)
    selfish = "individual" in choice_name(choice).split("+")
    speed = _SELFISH_HANDS_PER_SECOND if selfish else _SAMPLED_HANDS_PER_SECOND
    seconds = Fraction(hands, speed)
    seconds += Fraction(players * request.table_check_rounds, _CHECKED_HANDS_PER_SECOND)
    if choice == "collective" and players > 2 and request.bounding.wanted:
        seconds += _bound_seconds(request.bounding, players)
    if choice == "individual" and players > 2 and request.bounding.wanted:
        looked_at = request.bounding.deviations * players * (players - 2)
        seconds += Fraction(looked_at, _LOOKED_AT_PER_SECOND)
    return seconds


def _bound_seconds(bounding: Bounding, players: int) -> Fraction:
    deals, inner, far = bounding.deals, bounding.inner, FAR_DEALS * bounding.deals
    if bounding.limit is not None:
        gap = _USUAL_GAP.get(players, Fraction(0))
        while gap * 2 > bounding.limit and inner < MOST_INNER_DRAWS:
            inner, gap = inner * 2, gap * Fraction(2, 3)
        room = max(bounding.limit - gap, bounding.limit / 4)
        # The range of a gap grows with the square of the players.
        deals, far = int(8 / room), int(Fraction(64 * players) / room)
    draws = (deals + GAP_PILOT) * (inner + 2) + far * (FAR_INNER + 2)
    return Fraction(draws * players * (players - 1), _NODES_PER_SECOND)
