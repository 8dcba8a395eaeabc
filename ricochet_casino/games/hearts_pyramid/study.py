"""How many numbered deals of the all-hearts pyramid are won, as an experiment."""

from typing import ClassVar

from ricochet_casino.games.hearts_pyramid.deals import dealt_ranks
from ricochet_casino.games.hearts_pyramid.players import PLAYERS, play_deals
from ricochet_casino.games.hearts_pyramid.settings import PyramidSettings
from ricochet_casino.games.hearts_pyramid.solver import DEFAULT_LIMIT, decide_decks
from ricochet_casino.studies.verdicts import SOLVER, PatienceStudy


class PyramidStudy(PatienceStudy):
    """See `PatienceStudy`."""

    game = "hearts_pyramid"
    settings_model = PyramidSettings
    deciders = (SOLVER, *PLAYERS)
    blocks: ClassVar = {SOLVER: 1 << 12, "random": 1 << 14, "greedy": 1 << 14}
    default_limit = DEFAULT_LIMIT

    def verdicts(self, first: int, number: int) -> tuple[list[int], list[int]]:
        """Decide some deals (see `PatienceStudy.verdicts`)."""
        assert isinstance(self.settings, PyramidSettings)
        if self.decider != SOLVER:
            return play_deals(self.settings, self.decider, self.seed, first, number).tolist(), []
        decks = dealt_ranks(self.seed, first, number)
        verdicts, states, _ = decide_decks(self.settings, decks, self.limit_states)
        return verdicts.tolist(), states.tolist()
