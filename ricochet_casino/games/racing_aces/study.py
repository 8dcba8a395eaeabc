"""How many numbered deals of Racing Aces are won, as an experiment."""

from typing import ClassVar

from ricochet_casino.games.racing_aces.deals import dealt_ranks
from ricochet_casino.games.racing_aces.players import PLAYERS, play_deals
from ricochet_casino.games.racing_aces.settings import RacingAcesSettings
from ricochet_casino.games.racing_aces.solver import DEFAULT_LIMIT, RacingAcesSolver
from ricochet_casino.studies.verdicts import SOLVER, VERDICTS, PatienceStudy


class RacingAcesStudy(PatienceStudy):
    """See `PatienceStudy`."""

    game = "racing_aces"
    settings_model = RacingAcesSettings
    deciders = (SOLVER, *PLAYERS)
    blocks: ClassVar = {SOLVER: 16, "greedy": 256, "endgame": 64}
    default_limit = DEFAULT_LIMIT

    def verdicts(self, first: int, number: int) -> tuple[list[int], list[int]]:
        """Decide some deals (see `PatienceStudy.verdicts`)."""
        assert isinstance(self.settings, RacingAcesSettings)
        if self.decider != SOLVER:
            return play_deals(self.settings, self.decider, self.seed, first, number).tolist(), []
        solver = RacingAcesSolver(self.settings)
        found = [
            solver.decide(deck, self.limit_states)
            for deck in dealt_ranks(self.seed, first, number).tolist()
        ]
        return [VERDICTS.index(one.verdict) for one in found], [one.states for one in found]
