"""Make certificates: exact ones, and those of simulations."""

from typing import Any

from ricochet_casino.certificate import SCHEMA, Certificate
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.readings import readings
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.solo_check import SoloReferee, compare
from ricochet_casino.lab.provenance import provenance
from ricochet_casino.lab.requests import Request, SimulationRequest
from ricochet_casino.lab.running import Runner
from ricochet_casino.paytable import digest

__all__ = ["NotYetError", "Request", "SimulationRequest", "certify", "experiments", "simulate"]


class NotYetError(ValueError):
    """Asked for something that no method of this version reaches."""


def experiments(
    paytable: RicochetPokerPaytable, request: Request
) -> list[tuple[Solo, SoloReferee | None]]:
    """What has to be run for a request: for each strategy the exact experiment and its check.

    Whatever cannot be certified is refused here, before anything is begun.

    Raises
    ------
    NotYetError
        For two to seven players.
    PaytableError
        If the paytable does not cover a player count.
    ValueError
        For an unknown strategy, or a policy table that the referee of the check cannot follow.
    """
    for players in request.players:
        paytable.rules(players)
    beyond = [players for players in request.players if players != 1]
    if beyond:
        raise NotYetError(
            f"{beyond[0]} players: the method for two to seven players is not there yet; "
            "this version certifies one player, exactly"
        )
    rounds = request.check_rounds
    return [
        (
            Solo(paytable, strategy),
            SoloReferee(paytable, strategy, rounds, request.seed) if rounds else None,
        )
        for strategy in request.strategies
    ]


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
    NotYetError, PaytableError, ValueError
        As `experiments`.
    """
    request, runner = request or Request(), runner or Runner()
    results = [_solo_result(*pair, runner) for pair in experiments(paytable, request)]
    certified = _frame(paytable, request.to_json(), results)
    certified["side_bets"] = side_bet_entries(paytable)
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


def _solo_result(solo: Solo, referee: SoloReferee | None, runner: Runner) -> dict[str, Any]:
    label = f"1 player, {solo.strategy_name}"
    entry, blocks = runner.run(solo, f"{label}: exact")
    entry["blocks"] = blocks
    if referee:
        played, blocks = runner.run(referee, f"{label}: referee check")
        entry["independent_check"] = {**compare(solo, entry, played), "blocks": blocks}
    return entry
