"""Make certificates: of exact and sampled games, and of simulations."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ricochet_casino.certificate import SCHEMA, Certificate
from ricochet_casino.config import did_you_mean
from ricochet_casino.experiment import Experiment
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.readings import readings
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries, side_bet_names
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.solo_check import SoloReferee, compare
from ricochet_casino.games.ricochet_poker.solo_policies import Strategy, solo_table
from ricochet_casino.lab.provenance import provenance
from ricochet_casino.lab.requests import Choice, Request, SimulationRequest, seats_for
from ricochet_casino.lab.running import Runner
from ricochet_casino.lab.sampled import SampledEntry
from ricochet_casino.paytable import digest

__all__ = ["Request", "SimulationRequest", "certify", "entries", "simulate"]


@dataclass(frozen=True)
class ExactEntry:
    """One player: the exact experiment, and the referee's check or None."""

    solo: Solo
    referee: SoloReferee | None

    def run(self, runner: Runner) -> dict[str, Any]:
        """Make the entry of the certificate."""
        label = f"1 player, {self.solo.strategy_name}"
        entry, blocks = runner.run(self.solo, f"{label}: exact")
        entry["blocks"] = blocks
        if self.referee:
            played, blocks = runner.run(self.referee, f"{label}: referee check")
            entry["independent_check"] = {**compare(self.solo, entry, played), "blocks": blocks}
        return entry

    def prepare(self, _runner: Runner) -> dict[str, Any]:
        """Nothing has to be known before the blocks are."""
        return {}

    def blocks(self, _recorded: Any) -> Iterator[tuple[str, Experiment]]:
        """The experiments, with the place of their blocks in the entry."""
        yield "blocks", self.solo
        if self.referee:
            yield "independent_check.blocks", self.referee


Entry = ExactEntry | SampledEntry


def entries(paytable: RicochetPokerPaytable, request: Request) -> list[Entry]:
    """What has to be run for a request, strategy by strategy and player count by player count.

    Whatever cannot be certified is refused here, before anything is begun.

    Raises
    ------
    PaytableError
        If the paytable does not cover a player count.
    ValueError
        For an unknown strategy, a policy table that the referee of the check cannot follow, or a
        side bet that the paytable does not have.
    """
    for players in request.players:
        paytable.rules(players)
    check_side_bets(paytable, request)
    return [
        _exact_entry(paytable, request, choice)
        if players == 1
        else SampledEntry(paytable, players, seats_for(choice, players), request)
        for choice in request.strategies
        for players in request.players
    ]


def check_side_bets(paytable: RicochetPokerPaytable, request: Request) -> None:
    """Refuse a side bet that the paytable does not have.

    Raises
    ------
    ValueError
        With the nearest one and all.
    """
    offered = side_bet_names(paytable)
    for name in request.side_bets or ():
        if name not in offered:
            expected = f"expected one of {', '.join(offered)}" if offered else "there are none"
            hint = did_you_mean(name, offered)
            raise ValueError(f"{paytable.title} has no side bet {name}; {expected}{hint}")


def side_bets_asked(paytable: RicochetPokerPaytable, request: Request) -> list[dict[str, Any]]:
    """The entries of the side bets that are asked for."""
    if request.side_bets == ():
        return []
    found = side_bet_entries(paytable)
    wanted = request.side_bets
    return [bet for bet in found if wanted is None or bet["name"] in wanted]


def _exact_entry(paytable: RicochetPokerPaytable, request: Request, choice: Choice) -> ExactEntry:
    strategy: Strategy
    if isinstance(choice, tuple | HandTable):
        (seat,) = seats_for(choice, 1)
        kickout = paytable.rules(1).kickout_class
        strategy = solo_table(seat, kickout) if isinstance(seat, HandTable) else seat
    else:
        strategy = choice
    rounds = request.check_rounds
    referee = SoloReferee(paytable, strategy, rounds, request.seed) if rounds else None
    return ExactEntry(Solo(paytable, strategy), referee)


def certify(
    paytable: RicochetPokerPaytable,
    request: Request | None = None,
    runner: Runner | None = None,
) -> Certificate:
    """Compute the certificate of a paytable.

    Parameters
    ----------
    paytable
        The game.
    request
        Player counts, strategies and the independent check; by default one player, collective.
    runner
        Workers, store and progress; the certified part does not depend on them.

    Raises
    ------
    PaytableError, ValueError
        As `entries`.
    """
    request, runner = request or Request(), runner or Runner()
    results = [entry.run(runner) for entry in entries(paytable, request)]
    certified = _frame(paytable, request.to_json(), results)
    certified["side_bets"] = side_bets_asked(paytable, request)
    return Certificate(certified, provenance(runner.count))


def simulate(
    paytable: RicochetPokerPaytable, request: SimulationRequest, runner: Runner | None = None
) -> Certificate:
    """Play raw rounds and certify what came out, with intervals.

    Raises
    ------
    PaytableError
        If the paytable does not cover the player count.
    ValueError
        For an unknown strategy or a number out of range.
    """
    runner = runner or Runner()
    simulation = request.simulation(paytable)
    label = f"{request.players} players: {request.rounds:,} rounds"
    entry, blocks = runner.run(simulation, label)
    certified = _frame(paytable, request.to_json(), [{**entry, "blocks": blocks}])
    certified["side_bets"] = []
    return Certificate(certified, provenance(runner.count))


def _frame(
    paytable: RicochetPokerPaytable, spec: dict[str, Any], results: list[dict[str, Any]]
) -> dict[str, Any]:
    """The parts that every certificate has."""
    return {
        "schema": SCHEMA,
        "game": paytable.game,
        "paytable": paytable.model_dump(mode="json"),
        "paytable_digest": digest(paytable),
        "readings": readings(paytable),
        "spec": spec,
        "results": results,
    }
