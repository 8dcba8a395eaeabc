"""What a study of games says: win shares, rounds, slips and ties, with intervals."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ricochet_casino.experiment import Tally
from ricochet_casino.games.pinball.events import Rules
from ricochet_casino.games.pinball.exact import mean_rounds
from ricochet_casino.games.pinball.kernel_arrays import SHARE_UNITS
from ricochet_casino.games.pinball.players import Player
from ricochet_casino.stats.checks import chi_square
from ricochet_casino.stats.exact import decimal_text, figure, square_root
from ricochet_casino.stats.intervals import (
    Interval,
    clopper_pearson,
    empirical_bernstein,
    sample_variance,
)

ROUND_DIGITS: Final = 10


def round_bounds(rules: Rules, players: Sequence[Player]) -> tuple[int, int]:
    """Fewest and most rounds that a game can have, by the rules alone (docs/math.md, 15.3)."""
    if any(player.threshold for player in players):
        return min(1, rules.longest), rules.longest
    # Every round is won, unless tie-breaks go on until the game is given up.
    most = min(rules.players * (rules.goal - 1) + 1, rules.stock, rules.longest)
    return 1, most


def study_entry(rules: Rules, players: Sequence[Player], tally: Tally) -> dict[str, Any]:
    """Everything as it stands in a result: JSON values without floats."""
    counts = tally.counts
    games = counts["games"]
    return {
        "games": games,
        "rules": {
            "players": rules.players,
            "goal": rules.goal,
            "full_tilt": rules.full_tilt,
            "tick_ms": rules.tick,
            "longest": rules.longest,
        },
        "win_shares": [
            _win_share(rules, players[seat], counts, seat, games) for seat in range(rules.players)
        ],
        "rounds": _rounds(rules, players, counts, games),
        "slips": _slips(rules, counts, games),
        "ties": _of_turns(counts["ties"], counts, games),
        "void_rounds": _of_turns(counts["void_rounds"], counts, games),
        "ends": {name: counts[f"end.{name}"] for name in ("goal", "exhausted", "undecided")},
        "places": _places(rules, counts),
    }


def _win_share(
    rules: Rules, player: Player, counts: Mapping[str, int], seat: int, games: int
) -> dict[str, Any]:
    """A player's share of the wins; the interval is chosen by the rules, not by what was seen."""
    name = f"seat{seat + 1}"
    won, shares = counts[f"{name}.won"], counts[f"{name}.shares"]
    if rules.can_exhaust:
        squares = counts[f"{name}.share_squares"]
        interval = empirical_bernstein(shares, squares, games, (0, SHARE_UNITS))
        interval = interval.scaled(Fraction(1, SHARE_UNITS))
    else:
        interval = clopper_pearson(won, games)
    return {
        "player": seat + 1,
        **{key: decimal_text(Fraction(text)) for key, text in player.to_json().items()},
        "won": won,
        "shared": counts[f"{name}.shared"],
        "win_share": interval.figure(Fraction(shares, SHARE_UNITS * games)),
        "cards_per_game": figure(Fraction(counts[f"{name}.cards"], games)),
        "slips": counts[f"{name}.slips"],
        "cards_lost": counts[f"{name}.lost"],
    }


def rounds_distribution(counts: Mapping[str, int]) -> dict[int, int]:
    """Games by number of rounds."""
    found = {
        int(name.removeprefix("rounds.")): games
        for name, games in counts.items()
        if name.startswith("rounds.")
    }
    return dict(sorted(found.items()))


def _rounds(
    rules: Rules, players: Sequence[Player], counts: Mapping[str, int], games: int
) -> dict[str, Any]:
    """Length of the games."""
    distribution = rounds_distribution(counts)
    total = sum(number * some for number, some in distribution.items())
    squares = sum(number**2 * some for number, some in distribution.items())
    bounds = round_bounds(rules, players)
    interval: Interval = empirical_bernstein(total, squares, games, bounds)
    variance = sample_variance(total, squares, games, bounds)
    found: dict[str, Any] = {
        "mean": interval.figure(Fraction(total, games)),
        "standard_error": figure(None if variance is None else square_root(variance / games)),
        "distribution": {str(number): some for number, some in distribution.items()},
    }
    if len(set(players)) == 1 and not players[0].threshold:
        exact = mean_rounds(rules.players, rules.goal, rules.stock)
        found["exact_mean_of_equal_players"] = figure(exact)
    return found


def _slips(rules: Rules, counts: Mapping[str, int], games: int) -> dict[str, Any]:
    seats = range(1, rules.players + 1)
    total = sum(counts[f"seat{seat}.slips"] for seat in seats)
    return {
        **_of_turns(total, counts, games),
        "cards_lost": sum(counts[f"seat{seat}.lost"] for seat in seats),
        "games_with_slips": counts["games_with_slip"],
    }


def _of_turns(number: int, counts: Mapping[str, int], games: int) -> dict[str, Any]:
    """A number of events, by game and by start card turned."""
    return {
        "total": number,
        "per_game": figure(Fraction(number, games)),
        "per_start_card": figure(Fraction(number, counts["turns"])),
    }


def _places(rules: Rules, counts: Mapping[str, int]) -> dict[str, Any]:
    """Where the last card lay: by place, by round, and as often as the round before.

    Games are independent, rounds of a game are not: so the test for uniformity is made for each
    round by itself, for the rounds that all games have.
    """
    by_round = []
    places = rules.places
    for number in range(1, min(rules.goal, rules.stock) + 1):
        row = {name: counts.get(f"place.{number}.{place}", 0) for place, name in enumerate(places)}
        if sum(row.values()) == 0:
            break
        test = chi_square(row, dict.fromkeys(places, Fraction(1, len(places))))
        found: dict[str, Any] = {"round": number, **row}
        found["chi_square"] = decimal_text(test.statistic, ROUND_DIGITS)
        found["degrees"] = test.degrees
        if number > 1:
            same = counts.get(f"same.{number}", 0)
            found["same_place_share"] = figure(Fraction(same, sum(row.values())))
        by_round.append(found)
    pairs, same = counts["pairs"], counts["pairs_same"]
    return {
        "by_round": by_round,
        "rounds_after_a_round": pairs,
        "same_place_again": same,
        "same_place_share": figure(Fraction(same, pairs) if pairs else None),
    }
