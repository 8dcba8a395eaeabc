"""Make certificates and re-compute them."""

import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from ricochet_casino import __version__, source_digest
from ricochet_casino.certificate import SCHEMA, Certificate, CertificateError
from ricochet_casino.experiment import Progress
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.readings import readings
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.games.ricochet_poker.solo_check import SoloReferee, compare
from ricochet_casino.games.ricochet_poker.solo_policies import PolicyTable
from ricochet_casino.paytable import PaytableError, digest
from ricochet_casino.runs import run

DEFAULT_CHECK_ROUNDS = 50_000
DEFAULT_SEED = 20_261_130
MOST_CHECK_ROUNDS = 10**9

Stage = Callable[[str], Progress]
"""Called with the name of a stage when it begins; returns the stage's progress callback."""


class NotYetError(ValueError):
    """Asked for something that no method of this version reaches."""


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
    strategies: tuple[str | PolicyTable, ...] = ("collective",)
    check_rounds: int = DEFAULT_CHECK_ROUNDS
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if not self.players or not self.strategies:
            raise ValueError("a certificate needs at least one player count and one strategy")
        if not 0 <= self.check_rounds <= MOST_CHECK_ROUNDS:
            raise ValueError(f"check rounds must be 0 to {MOST_CHECK_ROUNDS:,}")
        if not 0 <= self.seed < 1 << 64:
            raise ValueError(f"a seed must be 0 to 2^64 - 1, got {self.seed}")
        names = [s if isinstance(s, str) else s.name for s in self.strategies]
        for what, values in (("players", self.players), ("strategy", names)):
            if len(set(values)) != len(values):
                raise ValueError(f"{what}: something is asked for twice")

    def to_json(self) -> dict[str, Any]:
        """The request as JSON values; this is the certificate's ``spec``."""
        return {
            "game": "ricochet_poker",
            "players": list(self.players),
            "strategies": [s if isinstance(s, str) else s.to_json() for s in self.strategies],
            "check": {"rounds": self.check_rounds, "seed": self.seed},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Request":
        """Read what `to_json` wrote.

        Raises
        ------
        CertificateError
            If the value is not such a request.
        """
        try:
            strategies = tuple(
                s if isinstance(s, str) else PolicyTable.from_json(s) for s in value["strategies"]
            )
            players = tuple(int(p) for p in value["players"])
            check = value["check"]
            return cls(players, strategies, int(check["rounds"]), int(check["seed"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CertificateError(f"the certificate's spec cannot be read: {error}") from None


def certify(
    paytable: RicochetPokerPaytable,
    request: Request | None = None,
    *,
    workers: int = 1,
    stage: Stage | None = None,
) -> Certificate:
    """Compute the certificate of a paytable.

    Parameters
    ----------
    paytable
        The game.
    request
        Player counts, strategies and the independent check; by default one player, collective.
    workers
        Threads; the certified part does not depend on it.
    stage
        Told what begins, for progress bars.

    Raises
    ------
    NotYetError
        For two to seven players.
    PaytableError
        If the paytable does not cover a player count.
    ValueError
        For an unknown strategy or a bad number.
    """
    request = request or Request()
    stage = stage or _silent
    for players in request.players:
        paytable.rules(players)
    beyond = [players for players in request.players if players != 1]
    if beyond:
        raise NotYetError(
            f"{beyond[0]} players: the method for two to seven players is not there yet; "
            "this version certifies one player, exactly"
        )
    results = [
        _solo_result(paytable, strategy, request, workers, stage) for strategy in request.strategies
    ]
    certified = {
        "schema": SCHEMA,
        "game": paytable.game,
        "paytable": paytable.model_dump(mode="json"),
        "paytable_digest": digest(paytable),
        "readings": readings(paytable),
        "spec": request.to_json(),
        "results": results,
        "side_bets": side_bet_entries(paytable),
    }
    return Certificate(certified, provenance(workers))


def _silent(_name: str) -> Progress:
    return lambda _done, _total: None


def _solo_result(
    paytable: RicochetPokerPaytable,
    strategy: str | PolicyTable,
    request: Request,
    workers: int,
    stage: Stage,
) -> dict[str, Any]:
    solo = Solo(paytable, strategy)
    progress = stage(f"1 player, {solo.strategy_name}: 169 starting hands")
    entry = run(solo, workers=workers, progress=progress).entry
    if request.check_rounds:
        progress = stage(f"1 player, {solo.strategy_name}: referee check")
        referee = SoloReferee(paytable, strategy, request.check_rounds, request.seed)
        # Plain Python: more threads would only take turns.
        entry["independent_check"] = compare(solo, entry, run(referee, progress=progress).entry)
    return entry


def provenance(workers: int) -> dict[str, Any]:
    """When, where and with what a certificate is made; never compared."""
    versions = {"python": platform.python_version(), "ricochet_casino": __version__}
    for name in ("numpy", "numba", "scipy", "pydantic"):
        versions[name] = metadata.version(name)
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"system": platform.system(), "processor": platform.machine()},
        "byte_order": sys.byteorder,
        "versions": versions,
        "source_digest": source_digest(),
        "workers": workers,
    }


@dataclass(frozen=True)
class Difference:
    """A value that the recomputation does not give.

    Attributes
    ----------
    path
        Where it stands in the certified part: ``results[0].ev_per_ante.decimal``.
    recorded, computed
        Both values as text; ``(missing)`` where one side has none.
    """

    path: str
    recorded: str
    computed: str


@dataclass(frozen=True)
class Verification:
    """Outcome of re-computing a certificate.

    Attributes
    ----------
    differences
        Empty if every value was reproduced to the last digit.
    paytable_changed
        The paytable does not have the digest that the certificate states.
    notes
        Another version or other sources made the certificate, and the like.
    digest
        SHA-256 of the recomputed certified part.
    """

    differences: tuple[Difference, ...]
    paytable_changed: bool
    notes: tuple[str, ...]
    digest: str = field(default="")

    @property
    def reproduced(self) -> bool:
        """Whether everything was reproduced, byte for byte."""
        return not self.differences and not self.paytable_changed


def verify(
    certificate: Certificate, *, workers: int = 1, stage: Stage | None = None
) -> Verification:
    """Re-compute a certificate from nothing but itself and compare to the last digit.

    Raises
    ------
    CertificateError
        If its paytable or specification cannot be read.
    """
    certified = certificate.certified
    try:
        paytable = RicochetPokerPaytable.read(certified["paytable"])
    except (KeyError, PaytableError) as error:
        raise CertificateError(f"the certificate's paytable cannot be read: {error}") from None
    if not isinstance(certified.get("spec"), dict):
        raise CertificateError("the certificate's spec is missing")
    request = Request.from_json(certified["spec"])
    changed = certified.get("paytable_digest") != digest(paytable)
    again = certify(paytable, request, workers=workers, stage=stage)
    differences = tuple(_differences("", certified, again.certified))
    return Verification(differences, changed, tuple(_notes(certificate, again)), again.digest)


def _notes(old: Certificate, new: Certificate) -> list[str]:
    notes = []
    was, now = old.run.get("versions", {}), new.run["versions"]
    was = was if isinstance(was, dict) else {}
    made_by = was.get("ricochet_casino", "an unknown version")
    if made_by != __version__:
        notes.append(f"made by ricochet-casino {made_by}, verified by {__version__}")
    elif old.run.get("source_digest") != new.run["source_digest"]:
        notes.append(f"made by other sources of version {__version__}: the source digests differ")
    notes += [
        f"made with {name} {was[name]}, verified with {now[name]}"
        for name in sorted(set(was) & set(now) - {"ricochet_casino"})
        if was[name] != now[name]
    ]
    return notes


_MISSING = object()


def _differences(path: str, old: Any, new: Any) -> list[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in sorted(old.keys() | new.keys()):
            below = f"{path}.{key}" if path else str(key)
            found += _differences(below, old.get(key, _MISSING), new.get(key, _MISSING))
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        found = []
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            found += _differences(f"{path}[{index}]", one, other)
        return found
    if type(old) is type(new) and old == new:
        return []
    return [Difference(path, _short(old), _short(new))]


def _short(value: Any) -> str:
    text = "(missing)" if value is _MISSING else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
