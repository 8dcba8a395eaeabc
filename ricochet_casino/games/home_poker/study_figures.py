"""From the tally of many hands of the home game to figures with intervals.

The deal is the sampling unit. A seat's net result has bounds that follow from the rules and gets an
empirical Bernstein interval; those of all seats hold together (docs/math.md, 13.6).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.deck import RANKS
from ricochet_casino.cards.partial import CATEGORIES, MOST_CARDS
from ricochet_casino.experiment import Tally
from ricochet_casino.games.home_poker import table_arrays as at
from ricochet_casino.games.home_poker.settings import Settings
from ricochet_casino.stats.exact import decimal_text, variance_of
from ricochet_casino.stats.intervals import (
    LEVEL,
    Interval,
    clopper_pearson,
    empirical_bernstein,
)

MINUTES_OF_A_HAND: Final = 5
"""What the rulebook says that a hand of play takes."""
_SEAT_COUNTS = ("net", "net_squares", "win_alone", "split")


def tally_of(players: int, sums: npt.NDArray[np.int64], hands: int) -> Tally:
    """Name the sums of so many hands of play; what must give their number is checked.

    Raises
    ------
    AssertionError
        If chips were made or lost, or a count does not add up.
    """
    counts = {"rounds": hands}
    for seat in range(players):
        parts = (at.NETS, at.SQUARES, at.ALONE, at.SHARED)
        for name, part in zip(_SEAT_COUNTS, parts, strict=True):
            counts[f"seat{seat + 1}.{name}"] = int(sums[part + seat])
    for place, name in enumerate(at.TOTALS):
        counts[name] = int(sums[at.ALL + place])
    for label, begin, size in (
        ("actions", at.ACTIONS, at.MOST_ACTIONS),
        ("pot", at.POTS, at.MOST_POT + 1),
        ("winners", at.BY_WINNERS, 9),
    ):
        found = sums[begin : begin + size]
        if int(found.sum()) != hands:
            raise AssertionError(f"hands by {label} sum to {found.sum()}, not to {hands}")
        counts |= {f"{label}.{n}": int(found[n]) for n in np.flatnonzero(found).tolist()}
    for place, name in enumerate(CATEGORIES):
        counts[f"category.{name}"] = int(sums[at.BY_CATEGORY + place])
    for size in range(1, MOST_CARDS + 1):
        counts[f"size.{size}"] = int(sums[at.BY_SIZE + size])
    for rank, name in enumerate((*RANKS, "Joker")):
        row = sums[at.FIRSTS + 4 * rank : at.FIRSTS + 4 * rank + 4].tolist()
        for what, number in zip(("hands", "net", "net_squares", "wins"), row, strict=True):
            counts[f"first.{name}.{what}"] = number
    nets = sum(counts[f"seat{seat + 1}.net"] for seat in range(players))
    if sums[at.BROKEN] or nets:
        raise AssertionError(f"{sums[at.BROKEN]} hands made or lost chips; all nets: {nets}")
    return Tally(counts)


def seat_bounds(settings: Settings, players: int) -> tuple[int, int]:
    """Lowest and highest net result of a seat in units (13.6).

    Who buys all that he may and gets one card each time pays n + (n - 1) + ... + 1 chips.
    """
    room = settings.hand_limit - settings.starting_cards
    loss = (settings.ante + room * (room + 1) // 2) * settings.unit
    return -loss, (players - 1) * loss


def study_entry(settings: Settings, policies: Sequence[str], tally: Tally) -> dict[str, Any]:
    """The figures as JSON values; amounts are chips.

    Parameters
    ----------
    settings
        The rules in force.
    policies
        By seat.
    tally
        Of all hands of play.
    """
    counts, players = tally.counts, len(policies)
    hands = counts["rounds"]
    entry: dict[str, Any] = {
        "settings": settings.model_dump(mode="json"),
        "players": players,
        "policies": list(policies),
        "method": "sampled",
        "hands": hands,
    }
    entry |= _table_figures(settings, players, counts)
    entry["by_seat"] = [
        _seat_figures(settings, policies, counts, seat) for seat in range(1, players + 1)
    ]
    entry["fairness"] = _fairness(entry["by_seat"], policies)
    entry["actions"] = _numbered(counts, "actions")
    entry["pots"] = _numbered(counts, "pot")
    entry["winning_hands"] = {name: counts[f"category.{name}"] for name in CATEGORIES}
    entry["winning_cards"] = {str(n): counts[f"size.{n}"] for n in range(1, MOST_CARDS + 1)}
    entry["first_card"] = _first_cards(settings, players, counts)
    return entry


def _numbered(counts: Mapping[str, int], label: str) -> dict[str, int]:
    begin = f"{label}."
    found = {int(n[len(begin) :]): k for n, k in counts.items() if n.startswith(begin)}
    return {str(n): found[n] for n in sorted(found)}


def _table_figures(
    settings: Settings, players: int, counts: Mapping[str, int]
) -> dict[str, dict[str, Any]]:
    hands, unit = counts["rounds"], settings.unit
    low, high = players * settings.ante * unit, -players * seat_bounds(settings, players)[0]
    pot = empirical_bernstein(counts["pot"], counts["pot_squares"], hands, (low, high))
    # Every purchase brings a card, and every player folds at most once.
    most = players * (settings.hand_limit - settings.starting_cards + 1)
    actions = empirical_bernstein(counts["actions"], counts["action_squares"], hands, (0, most))
    mean = Fraction(counts["actions"], hands)
    split = hands - counts.get("winners.1", 0)
    figures = {
        "pot": pot.scaled(Fraction(1, unit)).figure(Fraction(counts["pot"], hands * unit)),
        "actions_per_hand": actions.figure(mean),
        "split_pots": clopper_pearson(split, hands).figure(Fraction(split, hands)),
    }
    means = {
        name: {"decimal": decimal_text(Fraction(counts[name], hands))}
        for name in ("buys", "cards_bought", "cards_undealt", "folds", "beaten", "full",
                     "reshuffles")
    }  # fmt: skip
    # If the rulebook's five minutes hold, so long takes an action.
    pace = Fraction(60 * MINUTES_OF_A_HAND) / mean if mean else Fraction(0)
    figures["per_hand"] = means
    figures["seconds_per_action_in_five_minutes"] = {"decimal": decimal_text(pace)}
    return figures


def _seat_figures(
    settings: Settings, policies: Sequence[str], counts: Mapping[str, int], seat: int
) -> dict[str, Any]:
    hands, players = counts["rounds"], len(policies)
    own = {name: counts[f"seat{seat}.{name}"] for name in _SEAT_COUNTS}
    won = own["win_alone"] + own["split"]
    level = 1 - (1 - LEVEL) / players
    net = _net_interval(settings, players, own["net"], own["net_squares"], hands, level)
    variance = variance_of(own["net"], own["net_squares"], hands)
    return {
        "seat": seat,
        "policy": policies[seat - 1],
        "net": net.figure(Fraction(own["net"], hands * settings.unit)),
        "variance": {"decimal": decimal_text(variance / settings.unit**2)},
        "wins": clopper_pearson(won, hands).figure(Fraction(won, hands)),
        "counts": own,
    }


def _net_interval(
    settings: Settings, players: int, total: int, squares: int, trials: int, level: Fraction
) -> Interval:
    bounds = seat_bounds(settings, players)
    interval = empirical_bernstein(total, squares, trials, bounds, level)
    return interval.scaled(Fraction(1, settings.unit))


def _fairness(by_seat: Sequence[Mapping[str, Any]], policies: Sequence[str]) -> dict[str, Any]:
    """Whether all intervals contain zero; they hold together at `LEVEL`."""
    inside = [
        Fraction(row["net"]["interval"][0]) <= 0 <= Fraction(row["net"]["interval"][1])
        for row in by_seat
    ]
    return {
        "level_of_all_seats_together": decimal_text(LEVEL),
        "same_policy_in_every_seat": len(set(policies)) == 1,
        "seats_whose_interval_contains_zero": sum(inside),
        "all_contain_zero": all(inside),
    }


def _first_cards(
    settings: Settings, players: int, counts: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Net result by the rank of the first card, one seat of each deal in turn; 99 % each."""
    found = []
    for name in (*RANKS, "Joker"):
        hands, net, squares, wins = (
            counts[f"first.{name}.{what}"] for what in ("hands", "net", "net_squares", "wins")
        )
        if hands:
            interval = _net_interval(settings, players, net, squares, hands, LEVEL)
            found.append(
                {
                    "rank": name,
                    "hands": hands,
                    "net": interval.figure(Fraction(net, hands * settings.unit)),
                    "wins": clopper_pearson(wins, hands).figure(Fraction(wins, hands)),
                }
            )
    return found
