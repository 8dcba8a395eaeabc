"""What many rounds in a row do to a bankroll: a table and a fan."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import ceil, log10
from typing import Any, Final

from ricochet_casino.report.plots import Plot, Series
from ricochet_casino.report.tables import Column, Number, Section, Table, chips, fixed, whole
from ricochet_casino.stats.exact import to_decimal
from ricochet_casino.stats.sessions import Session, longest_session, sessions

ROUNDS: Final = 1000
"""Rounds of the longest session."""
_POINTS: Final = 20
_SHOWN: Final = (1, 2, 4, 10, 20)
"""Which of the points stand in the table."""


def session_section(result: Mapping[str, Any], title: str, sheet: str) -> Section:
    """The session of an exact result, from its distribution of one round; or why there is none.

    Parameters
    ----------
    result
        An exact entry of a certificate, with ``distribution`` and ``ev_per_ante``.
    title, sheet
        Of the section.
    """
    rows = ((Fraction(row["net"]), row["combinations"]) for row in result["distribution"])
    distribution = {net: number for net, number in rows if number}
    if len(distribution) < 2:
        return Section(title, ("No session: every round has the same result.",), sheet=sheet)
    longest = min(ROUNDS, longest_session(distribution)) // _POINTS * _POINTS
    if longest == 0:
        text = "Not in this report: the results of a round lie too far apart for a session."
        return Section(title, (text,), sheet=sheet)
    step = longest // _POINTS
    found = sessions(distribution, [step * point for point in range(_POINTS + 1)])
    cycle = sum(distribution.values())
    mean = sum((net * number for net, number in distribution.items()), Fraction()) / cycle
    text = (
        "Net result after so many rounds, the player having enough chips to go on. Under a share "
        "stands the smallest result that at least this share of all sessions do not exceed. From "
        "the exact distribution of one round, by convolution over all sums: nothing is "
        "approximated, and all rounding together changes no probability by more than "
        f"{_bound(found[-1].error)} (docs/math.md, section 16)."
    )
    return Section(title, (text,), (_table(found, mean),), (_fan(found),), sheet)


def _bound(error: float) -> str:
    """The next power of ten, in plain digits."""
    return f"{Decimal(10) ** ceil(log10(error)):f}"


def _result(ends: tuple[Fraction, Fraction]) -> str:
    """A quantile; both values where rounding hides which of the two it is."""
    low, high = ends
    return chips(f"{low}") if low == high else f"{low} or {high}"


def _table(found: list[Session], mean: Fraction) -> Table:
    rows = []
    for point in _SHOWN:
        session = found[point]
        ahead = Decimal(session.ahead)
        rows.append(
            (
                whole(session.rounds),
                *map(_result, session.quantiles),
                fixed({"decimal": to_decimal(mean * session.rounds)}, 4),
                Number(f"{ahead * 100:.2f} %", ahead, "0.00 %"),
            )
        )
    names = ("rounds", "5 %", "median", "95 %", "mean", "ahead")
    return Table(
        "Net result, in chips", tuple(Column(name, right=True) for name in names), tuple(rows)
    )


def _fan(found: list[Session]) -> Plot:
    def heights(which: int) -> tuple[Decimal, ...]:
        return tuple(to_decimal(session.quantiles[which][0]) for session in found)

    series = Series("", tuple(s.rounds for s in found), heights(1), heights(0), heights(2))
    return Plot("fan", "A session", "rounds played", "change of the bankroll (chips)", (series,),
                "Median of the bankroll's change (line), and the band that holds nine sessions of "
                "ten after so many rounds (5 % lie below it, 5 % above).")  # fmt: skip
