"""Set the figures that a paytable expects beside the computed ones."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries
from ricochet_casino.games.ricochet_poker.solo import Solo
from ricochet_casino.paytable import figure_matches
from ricochet_casino.runs import run


@dataclass(frozen=True)
class Expectation:
    """One figure under ``expect:``.

    Attributes
    ----------
    what
        Where it stands: ``1.collective.ev_per_ante``.
    expected
        As written in the paytable.
    found
        What was computed, or why nothing was.
    met
        None where nothing was computed.
    """

    what: str
    expected: str
    found: str
    met: bool | None


def check_expectations(paytable: RicochetPokerPaytable, *, workers: int = 1) -> list[Expectation]:
    """Compute every figure under ``expect:`` that this version can, and compare.

    Parameters
    ----------
    paytable
        With or without expectations.
    workers
        Threads.
    """
    found: list[Expectation] = []
    bets = {bet["name"]: bet for bet in side_bet_entries(paytable)}
    for subject, named in paytable.expect.items():
        for name, figures in named.items():
            entry: dict[str, Any] | None
            if subject == "side_bets":
                entry = bets.get(name)
            elif subject == "1":
                entry = run(Solo(paytable, name), workers=workers).entry
            else:
                entry = None
            for figure, expected in figures.items():
                what = f"{subject}.{name}.{figure}"
                if entry is None:
                    found.append(Expectation(what, expected, "no method yet", None))
                else:
                    found.append(_compare(what, expected, entry, figure))
    return found


def _compare(what: str, expected: str, entry: dict[str, Any], figure: str) -> Expectation:
    value = entry["counts"].get(figure, entry.get(figure))
    if isinstance(value, int):
        return Expectation(what, expected, str(value), figure_matches(expected, value))
    if isinstance(value, dict) and "decimal" in value:
        exact = Fraction(str(value.get("exact", value["decimal"])))
        return Expectation(what, expected, value["decimal"], figure_matches(expected, exact))
    return Expectation(what, expected, "there is no such figure", False)
