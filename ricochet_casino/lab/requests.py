"""What can be asked for, as it stands in a certificate's ``spec``."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ricochet_casino.certificate import CertificateError
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simulation import Simulation
from ricochet_casino.games.ricochet_poker.solo_policies import (
    Strategy,
    strategy_from_json,
    strategy_name,
    strategy_to_json,
)
from ricochet_casino.lab import DEFAULT_CHECK_ROUNDS, DEFAULT_SEED, MOST_CHECK_ROUNDS

# Orders of magnitude, for warnings only.
_SIMULATED_HANDS_PER_SECOND = 3_000_000
_REFEREED_ROUNDS_PER_SECOND = 25_000


@dataclass(frozen=True)
class Request:
    """What a certificate is to hold.

    Attributes
    ----------
    players
        Player counts, without repetition.
    strategies
        Strategy names or policy tables, without repetition.
    check_rounds
        Rounds that the referee plays for each entry; 0 for none.
    seed
        Seed of those rounds, 0 to 2^64 - 1.
    """

    players: tuple[int, ...] = (1,)
    strategies: tuple[Strategy, ...] = ("collective",)
    check_rounds: int = DEFAULT_CHECK_ROUNDS
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if not self.players or not self.strategies:
            raise ValueError("a certificate needs at least one player count and one strategy")
        if not 0 <= self.check_rounds <= MOST_CHECK_ROUNDS:
            raise ValueError(f"check rounds must be 0 to {MOST_CHECK_ROUNDS:,}")
        if not 0 <= self.seed < 1 << 64:
            raise ValueError(f"a seed must be 0 to 2^64 - 1, got {self.seed}")
        names = [strategy_name(s) for s in self.strategies]
        for what, values in (("players", self.players), ("strategy", names)):
            if len(set(values)) != len(values):
                raise ValueError(f"{what}: something is asked for twice")

    def to_json(self) -> dict[str, Any]:
        """The request as JSON values; this is the certificate's ``spec``."""
        return {
            "game": "ricochet_poker",
            "players": list(self.players),
            "strategies": [strategy_to_json(s) for s in self.strategies],
            "check": {"rounds": self.check_rounds, "seed": self.seed},
        }


@dataclass(frozen=True)
class SimulationRequest:
    """Raw rounds to play.

    Attributes
    ----------
    players
        1 to 7.
    strategies
        One for all seats, or one per seat.
    rounds
        1 to 10^13.
    seed
        0 to 2^64 - 1.
    """

    players: int
    strategies: tuple[Strategy, ...]
    rounds: int
    seed: int = DEFAULT_SEED

    def simulation(self, paytable: RicochetPokerPaytable) -> Simulation:
        """The experiment.

        Raises
        ------
        ValueError
            If anything is out of range or unknown.
        """
        chosen = self.strategies[0] if len(self.strategies) == 1 else self.strategies
        return Simulation(paytable, self.players, chosen, self.rounds, self.seed)

    def to_json(self) -> dict[str, Any]:
        """The request as JSON values; this is the certificate's ``spec``."""
        return {
            "game": "ricochet_poker",
            "simulation": {
                "players": self.players,
                "strategies": [strategy_to_json(s) for s in self.strategies],
                "rounds": self.rounds,
                "seed": self.seed,
            },
        }


def request_from_json(value: Mapping[str, Any]) -> Request | SimulationRequest:
    """Read a certificate's ``spec``.

    Raises
    ------
    CertificateError
        If it is no request that this version knows.
    """
    try:
        if value["game"] != "ricochet_poker":
            raise ValueError(f"the game {value['game']!r} is not known")
        if "simulation" in value:
            asked = value["simulation"]
            return SimulationRequest(
                _whole(asked["players"]),
                tuple(strategy_from_json(s) for s in _listed(asked["strategies"])),
                _whole(asked["rounds"]),
                _whole(asked["seed"]),
            )
        return Request(
            tuple(_whole(p) for p in _listed(value["players"])),
            tuple(strategy_from_json(s) for s in _listed(value["strategies"])),
            _whole(value["check"]["rounds"]),
            _whole(value["check"]["seed"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        text = str(error).encode("ascii", "backslashreplace").decode()
        raise CertificateError(f"the certificate's spec cannot be read: {text}") from None


def expected_seconds(request: Request | SimulationRequest) -> Fraction:
    """Roughly how long a request takes on one core."""
    if isinstance(request, SimulationRequest):
        return Fraction(request.rounds * request.players, _SIMULATED_HANDS_PER_SECOND)
    checks = request.check_rounds * len(request.strategies)
    return Fraction(checks, _REFEREED_ROUNDS_PER_SECOND) + len(request.strategies)


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list, got {type(value).__name__}")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is not a whole number")
    return value
