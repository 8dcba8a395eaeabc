"""What the record of a certificate says: readings, inputs, provenance, contents, sign-off."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ricochet_casino.certificate import Certificate
from ricochet_casino.report.tables import Column, Section, Table

_MISSING: Final = "not in this certificate"


def readings_section(certified: Mapping[str, Any]) -> Section:
    """The reading chosen for everything that the rules leave open."""
    rows = tuple(
        (row["ruling"], row["setting"], row["value"], row["meaning"])
        for row in certified["readings"]
    )
    columns = (Column("ruling"), Column("setting"), Column("value"), Column("meaning"))
    table = Table("Chosen readings", columns, rows)
    return Section("Rule readings", (), (table,), sheet="Inputs")


def inputs_section(certified: Mapping[str, Any]) -> Section:
    """The paytable in full and the request, as the certificate holds them."""
    columns = (Column("key"), Column("value"))
    tables = tuple(
        Table(title, columns, tuple(flat_rows(certified[key])))
        for key, title in (("paytable", "Paytable"), ("spec", "Request"))
    )
    text = "With these and nothing else `ricochet verify` computes the certificate again."
    return Section("Inputs", (text,), tables, sheet="Inputs")


def flat_rows(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every value in nested JSON with its path: ``kickout.1``, ``players.0``."""
    if isinstance(value, dict) and value:
        for key, part in sorted(value.items()):
            yield from flat_rows(part, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        for index, part in enumerate(value):
            yield from flat_rows(part, f"{path}.{index}")
    elif isinstance(value, list):
        yield path, ", ".join(map(str, value)) or "none"
    else:
        yield path, "none" if value in (None, {}) else str(value)


def provenance_section(certificate: Certificate) -> Section:
    """Digests, time, machine and versions."""
    run, certified = certificate.run, certificate.certified
    rows = [
        ("certified part, SHA-256", certificate.digest),
        ("paytable, SHA-256", str(certified["paytable_digest"])),
        ("sources, SHA-256", str(run.get("source_digest", "unknown"))),
        ("time", str(run.get("time", "unknown"))),
    ]
    machine = run.get("machine", {})
    rows += [(str(key), str(value)) for key, value in sorted(machine.items())]
    versions = sorted(run.get("versions", {}).items())
    rows += [(f"version of {name}", str(version)) for name, version in versions]
    columns = (Column("what"), Column("value"))
    text = "Re-compute it with `ricochet verify FILE.json`; the sign-off is the reader's."
    signs = tuple((who, "", "") for who in ("prepared by", "checked by"))
    sign_table = Table(
        "Sign-off", (Column("who"), Column("name and reference"), Column("date")), signs
    )
    tables = (Table("Provenance", columns, tuple(rows)), sign_table)
    return Section("Provenance", (text,), tables, sheet="Provenance")


def contents_section(certified: Mapping[str, Any]) -> Section:
    """What laboratories ask of a report, and where it stands here or that it does not."""
    columns = (Column("what a report should hold"), Column("where it stands here"))
    text = (
        "After what regulators and laboratories ask of the report of a table game. What a "
        "certificate does not hold is named, not made up."
    )
    table = Table("Contents", columns, tuple(_contents(certified)))
    return Section("Contents", (text,), (table,), sheet="Provenance")


def _contents(certified: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    results, bets = certified["results"], certified["side_bets"]
    exact = [result for result in results if result["method"] == "exact"]

    def where(place: str, having: list[Mapping[str, Any]]) -> str:
        """A place; with a remark if only some of the results have it."""
        if not having:
            return _MISSING
        few = "" if len(having) == len(results) else f" of {len(having)} of {len(results)} results"
        return place + few

    def holding(name: str) -> list[Mapping[str, Any]]:
        return [result for result in results if name in result]

    yield "house edge; RTP per ante; average bet; SD", where("Figures", results)
    yield "element of risk; RTP per action", where("Figures", holding("element_of_risk"))
    yield "SD per unit bet; volatility index with z", where("Figures", holding("volatility_index"))
    yield "fold, win and kickout frequencies", where("Figures and Frequencies", results)
    yield "frequencies per decision", where("Figures", holding("fold_per_decision"))
    yield "hit, push and tie frequencies", where("Frequencies", holding("hit_frequency"))
    yield "contribution of the pot and of each line", where("Contribution to the result", exact)
    sampled = [r for r in holding("bonus_lines") if "deals" in r]
    if sampled:
        yield "contribution of each bonus line, sampled", where("Bonus lines", sampled)
    yield "top award, 1 in N", where("Main game", [r for r in exact if r["top_award"]])
    yield "maximum exposure in a round", where("Main game", holding("maximum_exposure"))
    yield "method, sample, interval, level, seed and stream", "Method"
    yield "strategy, its definition and source", "Strategies"
    several = len({result["players"] for result in results}) < len(results)
    yield "cost of simpler play", "Strategies" if several else _MISSING
    yield "par sheet: combinations, probability, 1 in N, pays, net", where("Par sheet", exact)
    yield "side bets, each with a par sheet", "Side bets" if bets else _MISSING
    yield "side bets at their stake limits", _MISSING
    yield "rule readings chosen", "Rule readings"
    yield "limits of jurisdictions and whether they are met", _MISSING
    yield "change of the RTP for one chip more on each line", f"{_MISSING} (`ricochet sensitivity`)"
    yield "versions, digests of rules, sources and result", "Provenance"
    yield "independent check", where("Independent check", holding("independent_check"))
    yield "random source", "Method"
    yield "tests of the random source", _MISSING
    yield "sign-off", "Sign-off"
