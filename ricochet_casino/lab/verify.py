"""Re-compute certificates and say what differs."""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from ricochet_casino import __version__
from ricochet_casino.certificate import EXPERIMENT_SCHEMA, Certificate, CertificateError
from ricochet_casino.config import short_json
from ricochet_casino.experiment import Experiment
from ricochet_casino.games import build
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.readings import readings
from ricochet_casino.lab.certify import certify, entries, side_bets_asked, simulate
from ricochet_casino.lab.jobs import certify_experiment
from ricochet_casino.lab.provenance import provenance
from ricochet_casino.lab.requests import Request, SimulationRequest, request_from_json
from ricochet_casino.lab.running import Runner
from ricochet_casino.paytable import PaytableError, digest
from ricochet_casino.runs import Blocks, recompute


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
    sampled
        Blocks recomputed and blocks in all, if only a sample was verified.
    """

    differences: tuple[Difference, ...]
    paytable_changed: bool
    notes: tuple[str, ...]
    digest: str = ""
    sampled: tuple[int, int] | None = None

    @property
    def reproduced(self) -> bool:
        """Whether everything was reproduced, byte for byte."""
        return not self.differences and not self.paytable_changed


def verify(
    certificate: Certificate, runner: Runner | None = None, *, sample: Fraction | None = None
) -> Verification:
    """Re-compute a certificate from nothing but itself and compare to the last digit.

    Parameters
    ----------
    certificate
        What is to be verified.
    runner
        Workers, store and progress.
    sample
        Recompute only this share of the blocks of each experiment (at least one) and compare
        their digests, and all that takes no blocks; figures are then not recomputed.

    Raises
    ------
    CertificateError
        If its paytable, specification or blocks cannot be read.
    ValueError
        If it asks for what this version cannot do, or the sample is not above 0 and at most 1.
    """
    runner = runner or Runner()
    certified = certificate.certified
    if certified.get("schema") == EXPERIMENT_SCHEMA:
        return _verify_experiment(certificate, runner, sample)
    try:
        paytable = RicochetPokerPaytable.read(certified["paytable"])
    except (KeyError, TypeError, AttributeError, PaytableError) as error:
        raise CertificateError(f"the certificate's paytable cannot be read: {error}") from None
    if not isinstance(certified.get("spec"), dict):
        raise CertificateError("the certificate's spec is missing")
    request = request_from_json(certified["spec"])
    changed = certified.get("paytable_digest") != digest(paytable)
    if sample is not None:
        found, counts = _verify_sample(certificate, paytable, request, runner, sample)
        notes = _notes(certificate.run, provenance(runner.count))
        return Verification(found, changed, notes, sampled=counts)
    if isinstance(request, SimulationRequest):
        again = simulate(paytable, request, runner)
    else:
        again = certify(paytable, request, runner)
    differences = tuple(differences_between("", certified, again.certified))
    return Verification(differences, changed, _notes(certificate.run, again.run), again.digest)


def _verify_experiment(
    certificate: Certificate, runner: Runner, sample: Fraction | None
) -> Verification:
    """As `verify`, for a certificate of a single experiment."""
    certified = certificate.certified
    try:
        experiment = build(certified["spec"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        text = str(error).encode("ascii", "backslashreplace").decode()
        raise CertificateError(f"the certificate's spec cannot be read: {text}") from None
    if sample is not None:
        places = [("results[0].blocks", experiment)]
        found, counts = _compare_blocks(certificate, places, runner, sample)
        notes = _notes(certificate.run, provenance(runner.count))
        return Verification(tuple(found), False, notes, sampled=counts)
    again = certify_experiment(experiment, runner)
    differences = tuple(differences_between("", certified, again.certified))
    return Verification(differences, False, _notes(certificate.run, again.run), again.digest)


def _verify_sample(
    certificate: Certificate,
    paytable: RicochetPokerPaytable,
    request: Request | SimulationRequest,
    runner: Runner,
    share: Fraction,
) -> tuple[tuple[Difference, ...], tuple[int, int]]:
    """Compare some blocks' digests, and whatever needs no blocks."""
    certified = certificate.certified
    differences = differences_between("readings", certified.get("readings"), readings(paytable))
    bets = [] if isinstance(request, SimulationRequest) else side_bets_asked(paytable, request)
    differences += differences_between("side_bets", certified.get("side_bets"), bets)
    places = _experiments(paytable, request, certified)
    found, counts = _compare_blocks(certificate, places, runner, share)
    return (*differences, *found), counts


def _compare_blocks(
    certificate: Certificate,
    places: Iterable[tuple[str, Experiment]],
    runner: Runner,
    share: Fraction,
) -> tuple[list[Difference], tuple[int, int]]:
    """Recompute a share of the blocks of each experiment; also how many, and of how many."""
    if not 0 < share <= 1:
        raise ValueError(f"a sample must be above 0 % and at most 100 %, got {share * 100} %")
    certified = certificate.certified
    differences: list[Difference] = []
    done = in_all = 0
    for path, experiment in places:
        record = _at(certified, path)
        digests = record.get("tally_digests") if isinstance(record, dict) else None
        blocks = len(Blocks(experiment))
        if not isinstance(digests, list) or len(digests) != blocks:
            raise CertificateError(f"the certificate does not list the {blocks} blocks of {path}")
        chosen = _choose(blocks, share, certificate.digest + path)
        tallies = recompute(
            experiment,
            chosen,
            workers=runner.workers,
            executor=runner.executor,
            progress=runner.stage(f"{path}: sample of {len(chosen)} of {blocks} blocks"),
        )
        for number, tally in tallies.items():
            below = f"{path}.tally_digests[{number}]"
            differences += differences_between(below, digests[number], tally.digest())
        done, in_all = done + len(chosen), in_all + blocks
    return differences, (done, in_all)


def _choose(blocks: int, share: Fraction, salt: str) -> list[int]:
    """A random sample of block numbers that follows from the certificate itself."""
    source = random.Random(salt)
    return sorted(source.sample(range(blocks), max(1, ceil(blocks * share))))


def _experiments(
    paytable: RicochetPokerPaytable,
    request: Request | SimulationRequest,
    certified: Mapping[str, Any],
) -> Iterator[tuple[str, Experiment]]:
    """The experiments behind a certificate, with the place of their blocks in it."""
    if isinstance(request, SimulationRequest):
        yield "results[0].blocks", request.simulation(paytable)
        return
    for index, entry in enumerate(entries(paytable, request)):
        place = f"results[{index}]"
        for path, experiment in entry.blocks(_at(certified, place)):
            yield f"{place}.{path}", experiment


def _at(value: Any, path: str) -> Any:
    """The part of JSON values at a path such as ``results[0].blocks``; None if there is none."""
    for key, index in re.findall(r"(\w+)|\[(\d+)\]", path):
        try:
            value = value[key] if key else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _notes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """What made the certificate, as far as it was not what verifies it."""
    notes = []
    was, now = old.get("versions", {}), new["versions"]
    was = was if isinstance(was, dict) else {}
    made_by = was.get("ricochet_casino", "an unknown version")
    if made_by != __version__:
        notes.append(f"made by ricochet-casino {_plain(made_by)}, verified by {__version__}")
    elif old.get("source_digest") != new["source_digest"]:
        notes.append(f"made by other sources of version {__version__}: the source digests differ")
    notes += [
        f"made with {name} {_plain(was[name])}, verified with {now[name]}"
        for name in sorted(set(was) & set(now) - {"ricochet_casino"})
        if was[name] != now[name]
    ]
    return tuple(notes)


def _plain(value: Any) -> str:
    """A version as a certificate states it, without anything a terminal would act on."""
    text = str(value)
    return text[:40] if text.isascii() and text.isprintable() else json.dumps(value)[:40]


_MISSING = object()


def differences_between(path: str, old: Any, new: Any) -> list[Difference]:
    """Where two JSON values differ, each difference with its place below `path`."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in sorted(old.keys() | new.keys()):
            shown = key if key.isascii() and key.isprintable() else json.dumps(key)
            below = f"{path}.{shown}" if path else shown
            found += differences_between(below, old.get(key, _MISSING), new.get(key, _MISSING))
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        found = []
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            found += differences_between(f"{path}[{index}]", one, other)
        return found
    if type(old) is type(new) and old == new:
        return []
    shown = ("(missing)" if value is _MISSING else short_json(value) for value in (old, new))
    return [Difference(path, *shown)]
