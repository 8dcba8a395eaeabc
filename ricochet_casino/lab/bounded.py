"""The optimum between two bounds: the policy's value below, the gap's upper limit above."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ricochet_casino.certificate import CertificateError
from ricochet_casino.experiment import Experiment
from ricochet_casino.games.ricochet_poker.bounds import BLOCK, TableGap
from ricochet_casino.games.ricochet_poker.gap_plan import GapPilot, GapSizes, planned_sizes
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.lab import GAP_PILOT, MOST_INNER_DRAWS
from ricochet_casino.lab.requests import Bounding, Request
from ricochet_casino.lab.running import Runner
from ricochet_casino.stats.exact import decimal_text


@dataclass(frozen=True)
class _Plan:
    """A pilot as it is recorded, and what follows from it."""

    found: dict[str, Any]
    blocks: dict[str, Any]
    inner: int
    sizes: GapSizes

    @property
    def pilot(self) -> GapPilot:
        return GapPilot.from_json(self.found)


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

    def sample(self, pilot: GapPilot, inner: int, sizes: GapSizes) -> TableGap:
        """The sample that follows a pilot."""
        numbers = (sizes.deals, inner, self.request.seed)
        return TableGap(self.paytable, self.players, *numbers, pilot, self.level, sizes.far)

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
        plan = self._plan(runner, label)
        sample = self.sample(plan.pilot, plan.inner, plan.sizes)
        deals = plan.sizes.deals * (1 + plan.sizes.far)
        entry, own = runner.run(sample, f"{label}: {deals:,} deals")
        gap = entry["gap_per_ante"]
        upper = Fraction(value["wide"][1]) + Fraction(gap["interval"][1])
        return {
            "lower": value["interval"][0],
            "upper": decimal_text(upper),
            "gap": gap["decimal"],
            "level": decimal_text(self.request.sampling.level),
            "gap_sample": {**entry, "blocks": own},
            "pilot": {**plan.found, "inner": plan.inner, "blocks": plan.blocks},
        }

    def prepare(self, runner: Runner) -> dict[str, Any]:
        """Run the pilots; as much of the part on bounds as `blocks` looks at."""
        if self.players == 2:
            return {}
        plan = self._plan(runner, f"{self.players} players, bounds")
        sample = {"deals": plan.sizes.deals, "far": {"each": plan.sizes.far}}
        return {"pilot": {**plan.found, "inner": plan.inner}, "gap_sample": sample}

    def _plan(self, runner: Runner, label: str) -> _Plan:
        """The pilot, inner draws and deals that reach the limit with the least work.

        More inner draws make the gap smaller and each deal dearer. They are doubled until the
        limit is within reach and a further doubling would not pay.
        """
        best: _Plan | None = None
        inner = self.asked.inner
        while True:
            found, blocks = runner.run(self.pilot(inner), f"{label}: pilot, {inner} inner draws")
            pilot = GapPilot.from_json(found)
            if self.asked.limit is None:
                return _Plan(found, blocks, inner, GapSizes(self.asked.deals))
            sizes = self._planned(pilot, self.asked.limit, inner)
            if sizes is not None:
                if best and sizes.work(inner) >= best.sizes.work(best.inner):
                    return best
                best = _Plan(found, blocks, inner, sizes)
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

    def _planned(self, pilot: GapPilot, limit: Fraction, inner: int) -> GapSizes | None:
        """Deals for a limit, in whole blocks."""
        rules = self.paytable.rules(self.players)
        return planned_sizes(rules, pilot, limit, self.level, inner, BLOCK)

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
            sample = recorded["gap_sample"]
            sizes = GapSizes(sample["deals"], sample["far"]["each"])
            yield "gap_sample.blocks", self.sample(pilot, inner, sizes)
        except (KeyError, TypeError, ValueError) as error:
            raise CertificateError(f"the bounds cannot be read: {error}") from None
