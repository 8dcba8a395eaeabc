"""The optimum between two bounds: the policy's value below, the gap's upper limit above."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from ricochet_casino.certificate import CertificateError
from ricochet_casino.experiment import Experiment
from ricochet_casino.games.ricochet_poker.bounds import BLOCK, GapPilot, TableGap, planned_deals
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.lab import GAP_PILOT, MOST_INNER_DRAWS
from ricochet_casino.lab.requests import Bounding, Request
from ricochet_casino.lab.running import Runner
from ricochet_casino.stats.exact import decimal_text


class GapEntry:
    """The gap of `collective` at one table.

    Parameters
    ----------
    paytable
        The game.
    players
        2 to 7.
    request
        What was asked for.
    """

    def __init__(self, paytable: RicochetPokerPaytable, players: int, request: Request) -> None:
        self.paytable, self.players, self.request = paytable, players, request
        # Two limits have to hold above: that of the policy's value and that of the gap.
        self.level = 1 - (1 - request.sampling.level) / 2

    @property
    def asked(self) -> Bounding:
        """How much is spent on bounds."""
        return self.request.bounding

    def pilot(self, inner: int) -> TableGap:
        """The pilot with so many inner draws."""
        return TableGap(self.paytable, self.players, GAP_PILOT, inner, self.request.seed)

    def sample(self, pilot: GapPilot, inner: int, deals: int) -> TableGap:
        """The sample that follows a pilot."""
        sizes = (deals, inner, self.request.seed)
        return TableGap(self.paytable, self.players, *sizes, pilot, self.level)

    def run(self, runner: Runner, value: Mapping[str, Any]) -> dict[str, Any]:
        """The bounds, for the entry of a certificate.

        Parameters
        ----------
        runner
            Workers, store and progress.
        value
            The policy's EV per ante: its interval at the level asked for, and at `level`.

        Raises
        ------
        ValueError
            If no number of inner draws brings the gap below the limit asked for.
        """
        if self.players == 2:  # every decision is exact
            low, high = value["interval"]
            level = decimal_text(self.request.sampling.level)
            return {"lower": low, "upper": high, "gap": "0", "level": level}
        label = f"{self.players} players, bounds"
        found, pilot, inner, deals, blocks = self._plan(runner, label)
        sample = self.sample(pilot, inner, deals)
        entry, own = runner.run(sample, f"{label}: {deals:,} deals")
        gap = entry["gap_per_ante"]
        upper = Fraction(value["wide"][1]) + Fraction(gap["interval"][1])
        return {
            "lower": value["interval"][0],
            "upper": decimal_text(upper),
            "gap": gap["decimal"],
            "level": decimal_text(self.request.sampling.level),
            "gap_sample": {**entry, "blocks": own},
            "pilot": {**found, "inner": inner, "blocks": blocks},
        }

    def _plan(
        self, runner: Runner, label: str
    ) -> tuple[dict[str, Any], GapPilot, int, int, dict[str, Any]]:
        """The pilot, inner draws and deals that reach the limit with the least work.

        More inner draws make the gap smaller and each deal dearer. They are doubled until the
        limit is within reach and a further doubling would not pay.
        """
        best: tuple[dict[str, Any], GapPilot, int, int, dict[str, Any]] | None = None
        inner = self.asked.inner
        while True:
            found, blocks = runner.run(self.pilot(inner), f"{label}: pilot, {inner} inner draws")
            pilot = GapPilot.from_json(found)
            deals = self._planned(pilot)
            if deals == 0:
                return found, pilot, inner, self.asked.deals, blocks
            if deals is not None:
                if best and _work(deals, inner) >= _work(best[3], best[2]):
                    return best
                best = (found, pilot, inner, deals, blocks)
            if inner >= MOST_INNER_DRAWS:
                break
            inner *= 2
        if best is None:
            raise ValueError(
                f"{self.players} players: the gap itself is about "
                f"{decimal_text(self._per_ante(pilot) * 100, 3)} % of an ante with {inner} inner "
                "draws; expected a higher --gap"
            )
        return best

    def _planned(self, pilot: GapPilot) -> int | None:
        """Deals for the limit asked for, in whole blocks; 0 if none was."""
        if self.asked.limit is None:
            return 0
        rules = self.paytable.rules(self.players)
        found = planned_deals(rules, pilot, self.asked.limit, self.level)
        return None if found is None else max(1, -(-found // BLOCK)) * BLOCK

    def _per_ante(self, pilot: GapPilot) -> Fraction:
        ante = self.paytable.rules(self.players).ante
        return pilot.mean / (self.players * ante)

    def blocks(self, recorded: Any) -> Iterator[tuple[str, Experiment]]:
        """The experiments, with the place of their blocks in the part on bounds.

        Raises
        ------
        CertificateError
            If the part does not tell what they are.
        """
        if self.players == 2:
            return
        try:
            pilot, inner = GapPilot.from_json(recorded["pilot"]), recorded["pilot"]["inner"]
            yield "pilot.blocks", self.pilot(inner)
            yield "gap_sample.blocks", self.sample(pilot, inner, recorded["gap_sample"]["deals"])
        except (KeyError, TypeError, ValueError) as error:
            raise CertificateError(f"the bounds cannot be read: {error}") from None


def _work(deals: int, inner: int) -> int:
    """Work for so many deals: a deal without inner draws costs about as much as two of them."""
    return deals * (inner + 2)
