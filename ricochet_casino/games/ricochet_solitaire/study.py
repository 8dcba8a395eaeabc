"""How many numbered deals of Ricochet solitaire are won, as an experiment."""

from typing import ClassVar

from ricochet_casino.games.ricochet_solitaire.deals import dealt_cards
from ricochet_casino.games.ricochet_solitaire.players import PLAYERS, play_deals
from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings
from ricochet_casino.games.ricochet_solitaire.solver import DEFAULT_LIMIT, SolitaireSolver
from ricochet_casino.studies.verdicts import SOLVER, VERDICTS, PatienceStudy


class SolitaireStudy(PatienceStudy):
    """See `PatienceStudy`."""

    game = "ricochet_solitaire"
    settings_model = SolitaireSettings
    deciders = (SOLVER, *PLAYERS)
    blocks: ClassVar = {SOLVER: 128, "random": 1 << 14, "greedy": 1 << 14, "lookahead": 32}
    default_limit = DEFAULT_LIMIT

    def verdicts(self, first: int, number: int) -> tuple[list[int], list[int]]:
        """Decide some deals (see `PatienceStudy.verdicts`)."""
        assert isinstance(self.settings, SolitaireSettings)
        if self.decider != SOLVER:
            return play_deals(self.settings, self.decider, self.seed, first, number).tolist(), []
        solver = SolitaireSolver(self.settings)
        found = [
            solver.decide(cards, self.limit_states)
            for cards in dealt_cards(self.seed, first, number).tolist()
        ]
        return [VERDICTS.index(one.verdict) for one in found], [one.states for one in found]
