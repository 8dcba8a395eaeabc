"""Sampled entries of a certificate: pilot, sample, and the referee's check."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from ricochet_casino.certificate import CertificateError
from ricochet_casino.experiment import Experiment
from ricochet_casino.games.ricochet_poker.deviation import TableDeviation
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.table_check import TableReferee
from ricochet_casino.games.ricochet_poker.table_figures import Bets
from ricochet_casino.games.ricochet_poker.table_sampling import BLOCK, Pilot, TableSample
from ricochet_casino.lab.bounded import GapEntry
from ricochet_casino.lab.requests import Request
from ricochet_casino.lab.running import Runner
from ricochet_casino.stats.exact import decimal_text

_ROOM = Fraction(21, 20)
"""The pilot only estimates the spread: so many times the deals that it asks for are taken."""


class SampledEntry:
    """Two to seven players with one strategy per seat.

    Parameters
    ----------
    paytable
        The game.
    players
        2 to 7.
    seats
        A strategy for each.
    request
        What else was asked for.

    Raises
    ------
    PaytableError, ValueError
        As `TableSample`.
    """

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        players: int,
        seats: tuple[str | HandTable, ...],
        request: Request,
    ) -> None:
        self.paytable, self.players, self.seats, self.request = paytable, players, seats, request
        self.pilot = TableSample(paytable, players, seats, request.sampling.pilot, request.seed)
        rounds = request.table_check_rounds
        self.referee = (
            TableReferee(paytable, players, seats, rounds, request.seed) if rounds else None
        )

        bounded = set(self.seats) == {"collective"} and request.bounding.wanted
        self.gap = GapEntry(paytable, players, request) if bounded else None
        selfish = set(self.seats) == {"individual"} and request.bounding.wanted
        sizes = (request.bounding.deviations, request.seed, request.sampling.level)
        self.deviation = TableDeviation(paytable, players, *sizes) if selfish else None

    @property
    def label(self) -> str:
        """Name for progress bars."""
        names = dict.fromkeys(self.pilot.names)
        return f"{self.players} players, {'+'.join(names)}"

    def run(self, runner: Runner) -> dict[str, Any]:
        """Make the entry of the certificate."""
        found, pilot_blocks = runner.run(self.pilot, f"{self.label}: pilot")
        sample = self.sample(Pilot.from_json(found))
        entry, blocks = runner.run(sample, f"{self.label}: {sample.deals:,} deals")
        entry["pilot"] = {**found, "blocks": pilot_blocks}
        entry["blocks"] = blocks
        wide = entry.pop("ev_wide")
        if self.request.sampling.deals is None:
            entry["precision"] = self.precision(entry)
        if self.referee:
            played, blocks = runner.run(self.referee, f"{self.label}: referee check")
            entry["independent_check"] = {**played, "blocks": blocks}
        if self.deviation:
            found, blocks = runner.run(self.deviation, f"{self.label}: deviations")
            entry["deviation"] = {**found, "blocks": blocks}
        if self.gap:
            value = {**entry["ev_per_ante"], "wide": wide}
            entry["method"] = "bounded"
            entry["optimum"] = self.gap.run(runner, value)
        return entry

    def prepare(self, runner: Runner) -> dict[str, Any]:
        """Run the pilots: what has to be known before the other experiments are.

        Returns
        -------
        dict
            As much of the entry as `blocks` looks at.
        """
        found, _ = runner.run(self.pilot, f"{self.label}: pilot")
        known = {"pilot": found, "deals": self.sample(Pilot.from_json(found)).deals}
        if self.gap:
            known["optimum"] = self.gap.prepare(runner)
        return known

    def sample(self, pilot: Pilot, deals: int | None = None) -> TableSample:
        """The sample that follows a pilot; without a number of deals, as many as are needed."""
        deals = deals or self.request.sampling.deals or self._needed(pilot)
        level = self.request.sampling.level
        sizes = (deals, self.request.seed)
        return TableSample(self.paytable, self.players, self.seats, *sizes, pilot, level)

    def _needed(self, pilot: Pilot) -> int:
        """Deals for the precision asked for, in whole blocks."""
        sampling = self.request.sampling
        features = self.pilot.features()
        bets = Bets(self.pilot.rules, self.seats, pilot, BLOCK, features, sampling.level)
        needed = bets.deals_for(sampling.until) * _ROOM
        return max(1, -int(-needed // BLOCK)) * BLOCK

    def precision(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Half width of the interval of the RTP: what was asked for and what came out."""
        low, high = map(Fraction, entry["rtp_per_ante"]["interval"])
        until, reached = self.request.sampling.until, (high - low) / 2
        return {
            "asked": decimal_text(until),
            "reached": decimal_text(reached, 6),
            "met": reached <= until,
        }

    def blocks(self, recorded: Any) -> Iterator[tuple[str, Experiment]]:
        """The experiments, with the place of their blocks in the entry.

        Parameters
        ----------
        recorded
            The entry as it stands in a certificate: it tells what the pilot found, and how many
            deals were taken.

        Raises
        ------
        CertificateError
            If it does not.
        """
        yield "pilot.blocks", self.pilot
        try:
            pilot = Pilot.from_json(recorded["pilot"])
            sample = self.sample(pilot, recorded["deals"])
        except (KeyError, TypeError, ValueError) as error:
            raise CertificateError(f"the pilot of {self.label} cannot be read: {error}") from None
        yield "blocks", sample
        if self.referee:
            yield "independent_check.blocks", self.referee
        if self.deviation:
            yield "deviation.blocks", self.deviation
        if self.gap:
            for path, experiment in self.gap.blocks(recorded.get("optimum")):
                yield f"optimum.{path}", experiment
