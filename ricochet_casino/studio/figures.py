"""The figures of the page: values as certificates have them, and the text that is shown.

Nothing is computed here that a certificate does not hold; texts are rounded as in reports.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, Final

from ricochet_casino.cards.classes import N_CLASSES, Category, classes, first_of_category
from ricochet_casino.cards.deck import RANKS
from ricochet_casino.games.ricochet_poker.deals import class_deals
from ricochet_casino.games.ricochet_poker.notation import (
    kickout_meaning,
    kickout_text,
    line_names,
    parse_kickout,
)
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.side_bets import side_bet_entries
from ricochet_casino.games.ricochet_poker.spectrum import Spectrum
from ricochet_casino.paytable import digest
from ricochet_casino.report.tables import fixed, one_in, percent, whole
from ricochet_casino.stats.exact import figure

Figure = Mapping[str, Any]


def _antes(found: Figure) -> str:
    return f"{fixed(found, 4)} antes"


def _chips(found: Figure) -> str:
    value = Fraction(found["exact"])
    number = whole(int(value)) if value.denominator == 1 else fixed(found, 4)
    return f"{number} chip{'' if value == 1 else 's'}"


def _share(found: Figure) -> str:
    return percent(found, 4)


SHOWN: Final[Mapping[str, tuple[str, str, Callable[[Figure], str]]]] = {
    "rtp_per_ante": ("RTP", "of the ante", _share),
    "house_edge": ("House edge", "of the ante", _share),
    "sd_per_round": ("SD", "per round", _antes),
    "element_of_risk": ("Element of risk", "of bets", _share),
    "average_bet": ("Average bet", "per round", _antes),
    "hit_frequency": ("Hits", "of rounds", _share),
    "win_frequency": ("Wins the pot", "of rounds", _share),
    "fold_frequency": ("Folds", "of rounds", _share),
    "kickout_frequency": ("Kickouts", "of rounds", _share),
    "volatility_index": ("Volatility index", "1.65 SD", _antes),
    "maximum_exposure": ("House at risk", "per round", _chips),
}
"""Figures of a table: name, what it is a share of, and form."""


def shown(entry: Figure) -> list[dict[str, Any]]:
    """The figures of an entry of a certificate that the page shows, with their texts."""
    return [
        {"key": key, "label": label, "unit": unit, **shown_figure(entry[key], form)}
        for key, (label, unit, form) in SHOWN.items()
        if key in entry
    ]


def shown_figure(found: Figure, form: Callable[[Figure], str]) -> dict[str, Any]:
    """One figure: as in a certificate, and as it is shown; an interval with its half width."""
    row = {"decimal": found["decimal"], "text": form(found)}
    if "exact" in found:
        row["exact"] = found["exact"]
    if "interval" in found:
        low, high = (Decimal(end) for end in found["interval"])
        middle = Decimal(found["decimal"])
        half = max(high - middle, middle - low)
        row |= {
            "low": form({"decimal": str(low), "exact": "0"}),
            "high": form({"decimal": str(high), "exact": "0"}),
            "ends": [str(low), str(high)],
            "half": form({"decimal": str(half), "exact": "0"}),
            "level": f"{(Decimal(found['level']) * 100).normalize():f} %",
        }
    return row


def solo_view(paytable: RicochetPokerPaytable, spectrum: Spectrum, strategy: str) -> dict[str, Any]:
    """The one-player table: exact.

    Raises
    ------
    PaytableError, ValueError
        If the paytable does not cover one player, or for an unknown strategy.
    """
    entry = spectrum.entry(paytable.rules(1), strategy, by_hand=False)
    top = entry["top_award"]
    return {
        "players": 1,
        "method": "exact",
        "figures": shown(entry),
        "contributions": [
            {"part": row["part"], **shown_figure(row, _share)} for row in entry["contributions"]
        ],
        "top_award": top
        and {"line": top["line"].replace("_", " "), "text": f"1 in {one_in(top['one_in'])}"},
    }


def sampled_view(entry: Figure) -> dict[str, Any]:
    """A table of two to seven players: sampled, every figure with its interval.

    Parameters
    ----------
    entry
        As `TableSample.result` gives it.
    """
    lines = entry["bonus_lines"]
    rows = [{"part": row["line"], **shown_figure(row["contribution"], _share)} for row in lines]
    return {
        "players": entry["players"],
        "method": "sampled",
        "deals": entry["deals"],
        "seed": entry["seed"],
        "figures": shown(entry),
        "contributions": [
            {"part": "pot", **shown_figure(_pot(entry["ev_per_ante"], lines), _share)},
            *rows,
        ],
        "top_award": None,
    }


def _pot(ev: Figure, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """What the pot contributes: the EV less the bonuses; all their intervals have to hold."""
    bonuses = [row["contribution"] for row in lines]
    low, high = (Decimal(end) for end in ev["interval"])
    missed = (1 - Decimal(ev["level"])) * (1 + len(bonuses))
    return {
        "decimal": str(Decimal(ev["decimal"]) - sum(Decimal(b["decimal"]) for b in bonuses)),
        "interval": [
            str(low - sum(Decimal(b["interval"][1]) for b in bonuses)),
            str(high - sum(Decimal(b["interval"][0]) for b in bonuses)),
        ],
        "level": str(max(Decimal(0), 1 - missed)),
    }


def side_bet_views(paytable: RicochetPokerPaytable) -> list[dict[str, Any]]:
    """The side bets: exact, whatever the number of players."""
    return [
        {
            "name": entry["name"],
            "label": entry["label"],
            "method": "exact",
            "figures": [
                {"key": "rtp", "label": "RTP", "unit": "of the bet",
                 **shown_figure(entry["rtp"], _share)},
                {"key": "house_edge", "label": "House edge", "unit": "of the bet",
                 **shown_figure(entry["house_edge"], _share)},
                {"key": "sd", "label": "SD", "unit": "per bet",
                 **shown_figure(entry["sd"], lambda found: f"{fixed(found, 4)} bets")},
                {"key": "hit_frequency", "label": "Hits", "unit": "of rounds",
                 **shown_figure(entry["hit_frequency"], _share)},
            ],
        }
        for entry in side_bet_entries(paytable)
    ]  # fmt: skip


def kickout_shares(paytable: RicochetPokerPaytable) -> dict[str, dict[str, Any]]:
    """How often the dealer is out, exactly, and in words when, by number of players."""
    dealt = class_deals()
    found = {}
    for players, text in paytable.kickout.items():
        first = parse_kickout(text)
        share = figure(Fraction(int(dealt[first:].sum()), int(dealt.sum())))
        words = {"class": first, "hand": text, "meaning": kickout_meaning(first)}
        found[str(players)] = {**words, **shown_figure(share, _share)}
    return found


@cache
def kickout_stops() -> tuple[int, ...]:
    """Kickout classes that a slider stops at, rising: every one that a felt would print."""
    firsts = first_of_category()
    stops = {0, N_CLASSES, *firsts, *line_names().values()}
    for hand in classes():
        text = kickout_text(hand.index)
        short = len(text) <= 2 if hand.category == Category.HIGH_CARD else len(text) <= 3
        if short or text.endswith("xx") or hand.category == Category.STRAIGHT:
            stops.add(hand.index)
    return tuple(sorted(stops))


@cache
def curve_stops() -> tuple[int, ...]:
    """The stops at which the curve is drawn: those without a kicker, and between high pairs."""
    two_pair = first_of_category()[Category.TWO_PAIR]
    plain = {*RANKS, *(2 * rank for rank in RANKS)}
    plain |= {2 * rank + kicker for rank in "9TJQKA" for kicker in "8TQ"}
    return tuple(s for s in kickout_stops() if s >= two_pair or kickout_text(s) in plain)


def curve_view(
    paytable: RicochetPokerPaytable, spectrum: Spectrum, strategy: str
) -> dict[str, Any]:
    """RTP of the one-player table by kickout hand, exactly.

    Raises
    ------
    PaytableError, ValueError
        As `solo_view`.
    """
    rules = paytable.rules(1)
    stops = curve_stops()
    found = spectrum.kickout_curve(rules, stops, strategy)
    points = [
        {"class": stop, "hand": kickout_text(stop), "rtp": figure(quick.rtp_per_ante)["decimal"],
         "text": percent(figure(quick.rtp_per_ante))}
        for stop, quick in zip(stops, found, strict=True)
    ]  # fmt: skip
    return {"method": "exact", "points": points}


def digest_of(paytable: RicochetPokerPaytable) -> str:
    """Digest of a paytable, to tell figures of one from those of another."""
    return digest(paytable)
