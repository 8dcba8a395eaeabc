"""From the tally of simulated rounds to figures with intervals.

The deal is the sampling unit: whatever a deal brings to one seat or to all of them is one
observation, so players at one table are never counted as independent. An event that happens once in
a deal or not gets a Clopper-Pearson interval; any other value has bounds that follow from the rules
and gets an empirical Bernstein interval. Formulas: docs/math.md, sections 6 and 7.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy.typing as npt

from ricochet_casino.cards.classes import ROYAL_FLUSH
from ricochet_casino.experiment import Tally
from ricochet_casino.games.ricochet_poker.simulation_tables import ACTIONS, Sums
from ricochet_casino.games.ricochet_poker.solo_figures import (
    FOLD,
    KICKOUT,
    NO_BONUS,
    NO_CARDS,
    OUTCOMES,
)
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.stats.exact import fraction_text, square_root
from ricochet_casino.stats.intervals import (
    LEVEL,
    Interval,
    clopper_pearson,
    empirical_bernstein,
    sample_variance,
    standard_deviation,
)

_SUITS = 4


def player_bounds(rules: Rules) -> tuple[int, int]:
    """Lowest and highest net result of one player in a round, in units (6.2)."""
    others = (rules.players - 1) * (rules.ante + rules.play_bet)
    best = max((line.pays for line in rules.lines), default=0)
    return -rules.ante - rules.play_bet, others + rules.dealer_ante + best


def table_bounds(rules: Rules) -> tuple[int, int]:
    """Lowest and highest net result of all players together in a round, in units (6.3)."""
    low = -rules.players * (rules.ante + rules.play_bet)
    bonuses, hands = 0, rules.players
    for line in sorted(rules.lines, key=lambda line: -line.pays):
        # Only one royal flush fits into a suit.
        paid = min(hands, _SUITS) if line.first_class == ROYAL_FLUSH else hands
        bonuses += paid * line.pays
        hands -= paid
    return low, rules.dealer_ante + bonuses


def tally_of(rules: Rules, sums: Sums, rounds: int) -> Tally:
    """Name the sums of so many rounds; whatever must give their number is checked.

    Names are ``rounds``, ``dealer.*``, ``table.*`` (all players together; ``table.fold.2`` are the
    rounds with two folds), ``seat1.*`` and so on, and for one player ``seen.*`` by outcome, as
    `solo_check.outcome_name` names them. Bets and nets are units.
    """
    players = rules.players
    nets, squares = sums.nets.tolist(), sums.squares.tolist()
    counts = {"rounds": rounds, "dealer.kickouts": int(sums.kickouts[0])}
    counts |= {"dealer.wins": int(sums.shares[0]), "dealer.net": -nets[-1]}
    for seat in range(players + 1):
        label = f"seat{seat + 1}" if seat < players else "table"
        counts[f"{label}.net"] = nets[seat]
        counts[f"{label}.net_squares"] = squares[2 * seat] + (squares[2 * seat + 1] << 64)
    for name, found in (("fold", sums.folds), ("play", sums.plays), ("win", sums.shares)):
        _check_total(f"rounds by hands that {name}", found, rounds)
        for hands in range(players + 1):
            counts[f"table.{name}.{hands}"] = int(found[hands])
    lines = [NO_BONUS, *(line.name for line in rules.lines)]
    actions, by_line = sums.actions.reshape(players, -1), sums.lines.reshape(players, -1)
    for seat in range(players):
        label = f"seat{seat + 1}"
        _check_total(f"actions of {label}", actions[seat], rounds)
        _check_total(f"bonus lines of {label}", by_line[seat], rounds)
        for action, number in zip(ACTIONS, actions[seat].tolist(), strict=True):
            counts[f"{label}.{action.replace(' ', '_')}"] = number
        counts[f"{label}.bets"] = rules.ante * rounds + rules.play_bet * counts[f"{label}.play"]
        counts[f"{label}.win_alone"] = int(sums.alone[seat])
        counts[f"{label}.split"] = int(sums.shared[seat])
        for name, number in zip(lines, by_line[seat].tolist(), strict=True):
            counts[f"{label}.bonus.{name}"] = number
    counts["table.bets"] = sum(counts[f"seat{seat + 1}.bets"] for seat in range(players))
    if players == 1:
        _check_total("outcomes", sums.outcomes, rounds)
        outcomes = [f"{kind}.{name}" for kind in OUTCOMES for name in lines]
        outcomes.append(f"{KICKOUT}.{NO_CARDS}")
        for name, number in zip(outcomes, sums.outcomes.tolist(), strict=True):
            if number or not name.startswith(FOLD) or name.endswith(NO_BONUS):
                counts[f"seen.{name}"] = number
    return Tally(counts)


def _check_total(what: str, found: npt.NDArray[Any], rounds: int) -> None:
    if int(found.sum()) != rounds:
        raise AssertionError(f"the {what} sum to {found.sum()}, not to {rounds} rounds")


def simulation_entry(rules: Rules, tally: Tally, names: Sequence[str]) -> dict[str, Any]:
    """The entry of a certificate for simulated rounds, JSON values only.

    Parameters
    ----------
    rules
        The game in units.
    tally
        Sum over all blocks.
    names
        The strategy in each seat.
    """
    counts = tally.counts
    rounds = counts["rounds"]
    seats = range(1, rules.players + 1)
    entry: dict[str, Any] = {
        "players": rules.players,
        "strategy": names[0] if len(set(names)) == 1 else list(names),
        "method": "sampled",
        "rounds": rounds,
        "counts": {
            "kickouts": counts["dealer.kickouts"],
            "dealer_wins": counts["dealer.wins"],
            "split_pots": sum(counts[f"table.win.{k}"] for k in range(2, rules.players + 1)),
            **_added(counts, rules),
        },
    }
    entry |= _table_figures(rules, counts)
    entry["by_seat"] = [
        {
            "seat": seat,
            "strategy": names[seat - 1],
            "counts": _seat_counts(counts, seat),
            **_seat_figures(rules, counts, seat),
        }
        for seat in seats
    ]
    entry["bonus_lines"] = [
        {
            "line": line.name,
            "pays": fraction_text(line.pays * rules.unit),
            "hands": sum(counts[f"seat{seat}.bonus.{line.name}"] for seat in seats),
        }
        for line in rules.lines
    ]
    if rules.players == 1:
        entry["outcomes"] = {
            name.removeprefix("seen."): number
            for name, number in counts.items()
            if name.startswith("seen.")
        }
    return entry


_SEAT_COUNTS = ("fold", "play", "last_hand", "win_alone", "split", "bets", "net", "net_squares")


def _seat_counts(counts: Mapping[str, int], seat: int) -> dict[str, int]:
    """Hands by what happened to them; bets and net in units."""
    return {name: counts[f"seat{seat}.{name}"] for name in _SEAT_COUNTS}


def _added(counts: Mapping[str, int], rules: Rules) -> dict[str, int]:
    """The counts of all seats together; the squares are those of the table's net."""
    by_seat = [_seat_counts(counts, seat) for seat in range(1, rules.players + 1)]
    found = {name: sum(row[name] for row in by_seat) for name in _SEAT_COUNTS}
    found["net_squares"] = counts["table.net_squares"]
    return found


def _table_figures(rules: Rules, counts: Mapping[str, int]) -> dict[str, Any]:
    """Figures of the mean over the seats, and of the dealer and the house."""
    players, rounds = rules.players, counts["rounds"]
    per_ante = Fraction(1, players * rules.ante)
    net = Fraction(counts["table.net"], rounds)
    ev = empirical_bernstein(
        counts["table.net"], counts["table.net_squares"], rounds, table_bounds(rules)
    )
    fold, play, win = (
        {hands: counts[f"table.{name}.{hands}"] for hands in range(players + 1)}
        for name in ("fold", "play", "win")
    )
    split = {hands: number if hands > 1 else 0 for hands, number in win.items()}
    figures = _value_figures(net * per_ante, ev.scaled(per_ante))
    figures |= _bet_figure(rules, *mean_over_seats(play, rounds, players))
    for name, hands in (("fold", fold), ("play", play), ("win", win), ("split", split)):
        mean, interval = mean_over_seats(hands, rounds, players)
        figures[f"{name}_frequency"] = interval.figure(mean)
    for name in ("kickouts", "wins"):
        label = "kickout_frequency" if name == "kickouts" else "dealer_win_frequency"
        figures[label] = _frequency(counts[f"dealer.{name}"], rounds)
    figures["sd_per_round"] = _mean_deviation(rules, counts)
    figures["house_net_per_round"] = ev.scaled(-rules.unit).figure(-net * rules.unit)
    return figures


def _seat_figures(rules: Rules, counts: Mapping[str, int], seat: int) -> dict[str, Any]:
    """Figures of one seat."""
    rounds = counts["rounds"]
    own = _seat_counts(counts, seat)
    ev = empirical_bernstein(own["net"], own["net_squares"], rounds, player_bounds(rules))
    per_ante = Fraction(1, rules.ante)
    figures = _value_figures(own["net"] * per_ante / rounds, ev.scaled(per_ante))
    play = own["play"]
    figures |= _bet_figure(rules, Fraction(play, rounds), clopper_pearson(play, rounds))
    won = own["win_alone"] + own["split"]
    for name, number in (
        ("fold", own["fold"]), ("play", play), ("win", won), ("split", own["split"])
    ):  # fmt: skip
        figures[f"{name}_frequency"] = _frequency(number, rounds)
    deviation, interval = _deviation(rules, counts, seat, LEVEL)
    figures["sd_per_round"] = interval.figure(deviation)
    return figures


def _value_figures(ev: Fraction, interval: Interval) -> dict[str, Any]:
    return {
        "ev_per_ante": interval.figure(ev),
        "rtp_per_ante": interval.scaled(1, 1).figure(1 + ev),
        "house_edge": interval.scaled(-1).figure(-ev),
    }


def _bet_figure(rules: Rules, plays: Fraction, interval: Interval) -> dict[str, Any]:
    """Ante and play bets in antes, from how often a play bet is made."""
    ratio = Fraction(rules.play_bet, rules.ante)
    return {"average_bet": interval.scaled(ratio, 1).figure(1 + ratio * plays)}


def _frequency(number: int, rounds: int) -> dict[str, Any]:
    """Share of the deals in which something happens."""
    return clopper_pearson(number, rounds).figure(Fraction(number, rounds))


def mean_over_seats(
    hands: Mapping[int, int], rounds: int, players: int, level: Fraction = LEVEL
) -> tuple[Fraction, Interval]:
    """Share of the hands, from the number of deals by how many of their hands count."""
    total = sum(count * number for count, number in hands.items())
    if players == 1:
        return Fraction(total, rounds), clopper_pearson(total, rounds, level)
    squares = sum(count**2 * number for count, number in hands.items())
    interval = empirical_bernstein(total, squares, rounds, (0, players), level)
    share = Fraction(1, players)
    return total * share / rounds, interval.scaled(share)


def _deviation(
    rules: Rules, counts: Mapping[str, int], seat: int, level: Fraction
) -> tuple[Decimal | None, Interval]:
    """Standard deviation of a seat's net result, in antes; undefined for a single round."""
    sums = (counts[f"seat{seat}.net"], counts[f"seat{seat}.net_squares"], counts["rounds"])
    bounds = player_bounds(rules)
    variance = sample_variance(*sums, bounds)
    found = None if variance is None else square_root(variance / rules.ante**2)
    return found, standard_deviation(*sums, bounds, level).scaled(Fraction(1, rules.ante))


def _mean_deviation(rules: Rules, counts: Mapping[str, int]) -> dict[str, Any]:
    """Mean of the seats' standard deviations (7.4): their intervals hold at once."""
    players = rules.players
    level = 1 - (1 - LEVEL) / players
    found = [_deviation(rules, counts, seat, level) for seat in range(1, players + 1)]
    low = sum((interval.low for _, interval in found), Fraction()) / players
    high = sum((interval.high for _, interval in found), Fraction()) / players
    deviations = [Fraction(deviation) for deviation, _ in found if deviation is not None]
    mean = sum(deviations, Fraction()) / players if deviations else None
    return Interval(low, high, LEVEL, found[0][1].method).figure(mean)
