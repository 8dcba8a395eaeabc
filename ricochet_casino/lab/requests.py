"""What can be asked for, as it stands in a certificate's ``spec``."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ricochet_casino.certificate import CertificateError
from ricochet_casino.experiment import MOST_DEALS, checked_seed
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simulation import Simulation
from ricochet_casino.games.ricochet_poker.solo_policies import (
    PolicyTable,
    Strategy,
    strategy_from_json,
    strategy_name,
    strategy_to_json,
)
from ricochet_casino.lab import (
    DEFAULT_CHECK_ROUNDS,
    DEFAULT_SEED,
    DEFAULT_UNTIL,
    DEVIATION_DEALS,
    GAP_DEALS,
    GAP_INNER,
    MOST_CHECK_ROUNDS,
    PILOT_DEALS,
    TABLE_CHECK_ROUNDS,
)
from ricochet_casino.stats.exact import decimal_text, fraction_text
from ricochet_casino.stats.intervals import LEVEL

_SQUARED_WIDTHS = Fraction(1, 10)  # deals times half width squared: an SD of 0.05 and some room

Choice = Strategy | HandTable | tuple[str | HandTable, ...]
"""A strategy for all seats; or for the first seats, the last of them for all that are left."""


def choice_name(choice: Choice) -> str:
    """Name of a choice, for labels and files."""
    if isinstance(choice, tuple):
        return "+".join(map(choice_name, choice))
    return strategy_name(choice)


def choice_to_json(choice: Choice) -> Any:
    """A choice as JSON values: a name, a table, or a list of them."""
    if isinstance(choice, tuple):
        return [choice_to_json(one) for one in choice]
    return strategy_to_json(choice)


def choice_from_json(value: Any) -> Choice:
    """Read what `choice_to_json` wrote.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if isinstance(value, list):
        return tuple(_seat_from_json(one) for one in value)
    if isinstance(value, Mapping) and "hands" in value:
        return HandTable.from_json(value)
    return strategy_from_json(value)


def _seat_from_json(value: Any) -> str | HandTable:
    found = choice_from_json(value)
    if isinstance(found, PolicyTable | tuple):
        raise ValueError("a seat needs a name or a hand table")
    return found


def seats_for(choice: Choice, players: int) -> tuple[str | HandTable, ...]:
    """The strategy in each seat.

    Raises
    ------
    ValueError
        If more seats are named than there are, or for a table made from a function, which is for
        one player.
    """
    if isinstance(choice, PolicyTable):
        raise ValueError(
            f"the policy {choice.name} was made for one player; expected a hand table or a name"
        )
    listed = choice if isinstance(choice, tuple) else (choice,)
    if len(listed) > players:
        raise ValueError(f"{len(listed)} strategies for {players} players: give one a seat at most")
    return (*listed, *(listed[-1],) * (players - len(listed)))


@dataclass(frozen=True)
class Sampling:
    """How much is sampled for two to seven players.

    Attributes
    ----------
    deals
        So many deals; None to go by `until`.
    until
        Half width that the interval of the RTP per ante is to have: a pilot tells how many deals
        that takes, and no more are looked at.
    level
        Of all intervals.
    pilot
        Deals of the pilot.
    """

    deals: int | None = None
    until: Fraction = DEFAULT_UNTIL
    level: Fraction = LEVEL
    pilot: int = PILOT_DEALS

    def __post_init__(self) -> None:
        if self.deals is not None and not 1 <= self.deals <= MOST_DEALS:
            raise ValueError(f"deals must be 1 to {MOST_DEALS:,}, got {self.deals:,}")
        if not 0 < self.until < 1:
            raise ValueError(f"a half width must be above 0 and below 1, got {self.until}")
        if not Fraction(1, 2) <= self.level < 1:
            raise ValueError(f"a level must be at least 50 % and below 100 %, got {self.level}")
        if self.pilot < 2:
            raise ValueError(f"a pilot needs 2 deals or more, got {self.pilot}")

    def to_json(self) -> dict[str, Any]:
        """The sampling as JSON values."""
        asked = (
            {"until": fraction_text(self.until)} if self.deals is None else {"deals": self.deals}
        )
        return {**asked, "level": decimal_text(self.level), "pilot": self.pilot}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Sampling":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError, KeyError
            If the value is something else.
        """
        until = Fraction(value["until"]) if "until" in value else DEFAULT_UNTIL
        deals = _whole(value["deals"]) if "deals" in value else None
        return cls(deals, until, Fraction(value["level"]), _whole(value["pilot"]))

    @property
    def expected_deals(self) -> int:
        """Roughly how many deals that is."""
        return self.deals if self.deals is not None else int(_SQUARED_WIDTHS / self.until**2)


@dataclass(frozen=True)
class Bounding:
    """How much is spent on bounds of the optimum, for `collective` at two to seven players.

    Attributes
    ----------
    deals
        Deals whose gap is sampled; 0 for no bounds.
    inner
        Independent draws for the mean of each penalty.
    limit
        Instead of `deals`: the upper limit of the gap, per player and ante, that is to be reached.
    deviations
        For `individual`: deals whose decisions are looked at for what deviating would gain.
    """

    deals: int = GAP_DEALS
    inner: int = GAP_INNER
    limit: Fraction | None = None
    deviations: int = DEVIATION_DEALS

    def __post_init__(self) -> None:
        if not 0 <= self.deals <= MOST_DEALS:
            raise ValueError(f"deals must be 0 to {MOST_DEALS:,}, got {self.deals:,}")
        if self.limit is not None and not 0 < self.limit < 1:
            raise ValueError(f"a gap must be above 0 and below 1, got {self.limit}")
        if not 1 <= self.deviations <= MOST_DEALS:
            raise ValueError(f"deviations must be 1 to {MOST_DEALS:,}, got {self.deviations:,}")

    @property
    def wanted(self) -> bool:
        """Whether there are to be bounds at all."""
        return self.deals > 0 or self.limit is not None

    def to_json(self) -> dict[str, Any]:
        """The bounding as JSON values."""
        asked: dict[str, Any] = {"deals": self.deals}
        if self.limit is not None:
            asked = {"limit": fraction_text(self.limit)}
        if self.deviations != DEVIATION_DEALS:
            asked["deviations"] = self.deviations
        return {**asked, "inner": self.inner}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Bounding":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError, KeyError
            If the value is something else.
        """
        inner = _whole(value["inner"])
        deviations = _whole(value.get("deviations", DEVIATION_DEALS))
        if "limit" in value:
            return cls(inner=inner, limit=Fraction(value["limit"]), deviations=deviations)
        return cls(_whole(value["deals"]), inner, deviations=deviations)


NO_BOUNDS = Bounding(deals=0)
"""No bounds at all."""


@dataclass(frozen=True)
class Request:
    """What a certificate is to hold.

    Attributes
    ----------
    players
        Player counts, without repetition.
    strategies
        Strategy names or tables, or one for each seat, without repetition.
    check_rounds
        Rounds that the referee plays for each exact entry; 0 for none. For sampled entries it
        plays as many of the sampled deals, `TABLE_CHECK_ROUNDS` at most.
    seed
        Seed of those rounds and of all sampling, 0 to 2^64 - 1.
    sampling
        How much is sampled where there is no exact method.
    bounding
        How much is spent on bounds of the optimum.
    side_bets
        Names of side bets; None for all that the paytable has. A request for side bets alone has
        no players and no strategies.
    """

    players: tuple[int, ...] = (1,)
    strategies: tuple[Choice, ...] = ("collective",)
    check_rounds: int = DEFAULT_CHECK_ROUNDS
    seed: int = DEFAULT_SEED
    sampling: Sampling = Sampling()
    bounding: Bounding = Bounding()
    side_bets: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        nothing = not self.players and not self.strategies and self.side_bets
        if not nothing and (not self.players or not self.strategies):
            raise ValueError("a certificate needs at least one player count and one strategy")
        if not 0 <= self.check_rounds <= MOST_CHECK_ROUNDS:
            raise ValueError(f"check rounds must be 0 to {MOST_CHECK_ROUNDS:,}")
        checked_seed(self.seed)
        names = [choice_name(s) for s in self.strategies]
        asked = (
            ("players", self.players), ("strategy", names), ("side bets", self.side_bets or ())
        )  # fmt: skip
        for what, values in asked:
            if len(set(values)) != len(values):
                raise ValueError(f"{what}: something is asked for twice")

    def to_json(self) -> dict[str, Any]:
        """The request as JSON values; this is the certificate's ``spec``."""
        found: dict[str, Any] = {
            "game": "ricochet_poker",
            "players": list(self.players),
            "strategies": [choice_to_json(s) for s in self.strategies],
            "check": {"rounds": self.check_rounds, "seed": self.seed},
        }
        if self.side_bets is not None:
            found["side_bets"] = list(self.side_bets)
        # What is exact is the same however much would have been sampled.
        if set(self.players) <= {1}:
            return found
        return {
            **found,
            "sampling": self.sampling.to_json(),
            "bounding": self.bounding.to_json(),
        }

    @property
    def table_check_rounds(self) -> int:
        """Rounds that the referee plays again of a sample."""
        return min(self.check_rounds, TABLE_CHECK_ROUNDS)


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
            tuple(choice_from_json(s) for s in _listed(value["strategies"])),
            _whole(value["check"]["rounds"]),
            _whole(value["check"]["seed"]),
            Sampling.from_json(value["sampling"]) if "sampling" in value else Sampling(),
            Bounding.from_json(value["bounding"]) if "bounding" in value else Bounding(),
            tuple(map(_text, _listed(value["side_bets"]))) if "side_bets" in value else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        text = str(error).encode("ascii", "backslashreplace").decode()
        raise CertificateError(f"the certificate's spec cannot be read: {text}") from None


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list, got {type(value).__name__}")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError(f"{value!r} is not a text")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is not a whole number")
    return value
