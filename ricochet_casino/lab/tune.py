"""Search a grid of paytables for those that meet a target, each of them evaluated exactly."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from ricochet_casino.config import did_you_mean
from ricochet_casino.experiment import Progress
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.quick_figures import QuickFigures
from ricochet_casino.games.ricochet_poker.side_bets import quick_side_bet
from ricochet_casino.games.ricochet_poker.spectrum import Spectrum
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES, unknown_strategy
from ricochet_casino.lab.candidates import Candidate, candidates, refuse_impossible
from ricochet_casino.lab.grid import Grid
from ricochet_casino.lab.sensitivity import quick_entry
from ricochet_casino.lab.settings import apply_settings
from ricochet_casino.paytable import digest
from ricochet_casino.stats.exact import figure

SCHEMA: Final = "ricochet-casino/tune/1"
SORTS: Final = (
    "distance", "rtp", "sd", "hit_frequency", "fold_frequency", "maximum_exposure",
)  # fmt: skip
MOST_LISTED: Final = 10_000
"""Combinations that meet the target beyond these are counted, but not listed."""
_BATCH = 128

Evaluator = Callable[[RicochetPokerPaytable], QuickFigures]
"""Figures of a paytable for one number of players; asked by several threads at once."""


@dataclass(frozen=True)
class Goal:
    """What is looked for.

    Attributes
    ----------
    target
        RTP: per ante, of a side bet per chip staked.
    within
        How far from it an RTP may be.
    rising
        Whether better hands must pay more (a cap shared by the top lines is allowed).
    least_sd, most_sd
        Bounds of the standard deviation in antes, or None.
    most_exposure
        Bound of what the house can lose in a round, in chips, or None.
    sort
        One of `SORTS`; what the list is ordered by, smallest first.
    descending
        Largest first.
    """

    target: Fraction
    within: Fraction = Fraction(1, 2000)
    rising: bool = False
    least_sd: Fraction | None = None
    most_sd: Fraction | None = None
    most_exposure: Fraction | None = None
    sort: str = "distance"
    descending: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be a goal."""
        if self.target < 0 or self.within < 0:
            raise ValueError("a target RTP and its tolerance are not negative")
        if self.sort not in SORTS:
            hint = did_you_mean(self.sort, SORTS)
            raise ValueError(f"sort {self.sort!r}; expected one of {', '.join(SORTS)}{hint}")

    def allows(self, found: QuickFigures) -> bool:
        """Whether the figures keep the bounds."""
        if self.least_sd is not None and found.variance < self.least_sd**2:
            return False
        if self.most_sd is not None and found.variance > self.most_sd**2:
            return False
        return self.most_exposure is None or found.maximum_exposure <= self.most_exposure

    def to_json(self) -> dict[str, Any]:
        """The goal as JSON values."""
        bounds = {
            "least_sd": self.least_sd,
            "most_sd": self.most_sd,
            "most_exposure": self.most_exposure,
        }
        return {
            "target_rtp": figure(self.target),
            "within": figure(self.within),
            "rising_pays": self.rising,
            **{name: None if bound is None else figure(bound) for name, bound in bounds.items()},
            "sort": self.sort,
            "descending": self.descending,
        }


@dataclass(frozen=True)
class _Row:
    """A combination with its figures by number of players."""

    candidate: Candidate
    figures: Mapping[int, QuickFigures]
    deviation: Fraction  # the largest, with its sign

    def key(self, goal: Goal) -> tuple[Any, int]:
        first = next(iter(self.figures.values()))
        values = {
            "distance": abs(self.deviation),
            "rtp": first.rtp_per_ante,
            "sd": first.variance,
            "hit_frequency": first.hit_frequency,
            "fold_frequency": first.fold_frequency,
            "maximum_exposure": first.maximum_exposure,
        }
        value = values[goal.sort]
        return (-value if goal.descending else value), self.candidate.number

    def to_json(self) -> dict[str, Any]:
        return {
            "settings": list(self.candidate.settings),
            "figures": {str(n): quick_entry(found) for n, found in self.figures.items()},
            "distance": figure(abs(self.deviation)),
        }


@dataclass
class _Found:
    """What a part of the grid gave; parts are joined in the order of the grid."""

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("impossible", "not_rising", "out_of_bounds", "missed", "met"), 0
        )
    )
    first_impossible: str | None = None
    met: list[_Row] = field(default_factory=list)
    below: _Row | None = None
    above: _Row | None = None

    def take(self, row: _Row, goal: Goal) -> None:
        hit = abs(row.deviation) <= goal.within
        self.counts["met" if hit else "missed"] += 1
        if hit:
            self.met.append(row)
        self._take_nearest(row)

    def _take_nearest(self, row: _Row | None) -> None:
        if row is None:
            return
        if row.deviation <= 0 and (self.below is None or row.deviation > self.below.deviation):
            self.below = row
        if row.deviation >= 0 and (self.above is None or row.deviation < self.above.deviation):
            self.above = row

    def join(self, other: "_Found", goal: Goal) -> None:
        for name, number in other.counts.items():
            self.counts[name] += number
        self.first_impossible = self.first_impossible or other.first_impossible
        self._take_nearest(other.below)
        self._take_nearest(other.above)
        self.met += other.met
        if len(self.met) > 2 * MOST_LISTED:
            self._cut(goal)

    def _cut(self, goal: Goal) -> None:
        self.met = sorted(self.met, key=lambda row: row.key(goal))[:MOST_LISTED]

    def listed(self, goal: Goal) -> list[_Row]:
        self._cut(goal)
        return self.met


def bet_of(keys: Sequence[str]) -> str:
    """Whose RTP some settings are tuned for: ``main``, ``quickdraw`` or ``cover``.

    Raises
    ------
    ValueError
        If they belong to different bets.
    """
    bets = {group if group in ("quickdraw", "cover") else "main"
            for group in (key.partition(".")[0] for key in keys)}  # fmt: skip
    if len(bets) > 1:
        raise ValueError(
            f"settings of {' and '.join(sorted(bets))} together; expected those of one bet, as the "
            "target is the RTP of one"
        )
    return bets.pop()


def solo_evaluator(spectrum: Spectrum, strategy: str) -> Evaluator:
    """The one-player game, exactly."""
    return lambda paytable: spectrum.quick(paytable.rules(1), strategy)


def tune(
    paytable: RicochetPokerPaytable,
    grid: Grid,
    goal: Goal,
    spectrum: Spectrum | None = None,
    *,
    strategy: str = "collective",
    players: Sequence[int] = (1,),
    evaluators: Mapping[int, Evaluator] | None = None,
    workers: int = 1,
    progress: Progress = lambda _done, _total: None,
) -> dict[str, Any]:
    """Evaluate every combination of a grid.

    Parameters
    ----------
    paytable, grid
        What is varied, and how (see `grid.read_grid`).
    goal
        Target and constraints.
    spectrum
        From `load_spectrum`; not needed for a side bet, or where ``evaluators`` have all.
    strategy
        A strategy by name; the best decisions are made anew for every combination.
    players
        The target has to be met for each of these numbers of players. The list is sorted by the
        figures of the first.
    evaluators
        What evaluates tables, by number of players; one player is `solo_evaluator` by default.
    workers
        Threads; the result does not depend on them.
    progress
        Told combinations done, and in all.

    Returns
    -------
    dict
        JSON values without floats: the question, how many combinations there are and what became
        of them, ``listed`` (those that meet the target, sorted) and ``nearest`` (the last ones
        ``below`` and ``above`` the target, or at it, or None).

    Raises
    ------
    ValueError
        For settings of different bets, an unknown strategy, or a number of players that nothing
        evaluates.
    """
    if strategy not in STRATEGIES:
        raise unknown_strategy(strategy)
    bet = bet_of([axis.key for axis in grid.axes])
    chosen = _evaluators(paytable, bet, spectrum, strategy, players, evaluators or {})
    found = _Found()
    done = 0
    source = candidates(paytable, grid)
    batches = iter(lambda: list(islice(source, _BATCH)), [])

    def work(batch: list[Candidate]) -> _Found:
        return _evaluate(batch, goal, bet, chosen)

    with ThreadPoolExecutor(workers) as pool:
        for part in _in_order(pool, work, batches, 2 * workers):
            found.join(part, goal)
            done += sum(part.counts.values())
            progress(done, grid.count)
    return _result(paytable, grid, goal, strategy, bet, found)


def _in_order(
    pool: ThreadPoolExecutor,
    work: Callable[[list[Candidate]], _Found],
    batches: Iterator[list[Candidate]],
    ahead: int,
) -> Iterator[_Found]:
    """Results in the order of the batches, with no more than a few under way."""
    waiting = [pool.submit(work, batch) for batch in islice(batches, ahead)]
    while waiting:
        yield waiting.pop(0).result()
        waiting += [pool.submit(work, batch) for batch in islice(batches, 1)]


def _evaluators(
    paytable: RicochetPokerPaytable,
    bet: str,
    spectrum: Spectrum | None,
    strategy: str,
    players: Sequence[int],
    given: Mapping[int, Evaluator],
) -> dict[int, Evaluator]:
    if bet != "main":
        return {1: lambda candidate: quick_side_bet(candidate, bet)}
    have = dict(given)
    if spectrum is not None:
        have.setdefault(1, solo_evaluator(spectrum, strategy))
    found = {}
    for count in dict.fromkeys(players):
        paytable.rules(count)
        if count not in have:
            raise ValueError(f"tables of {count} players cannot be tuned here; expected 1 player")
        found[count] = have[count]
    if not found:
        raise ValueError("no number of players; expected at least one")
    return found


def _evaluate(
    batch: Sequence[Candidate], goal: Goal, bet: str, evaluators: Mapping[int, Evaluator]
) -> _Found:
    found = _Found()
    for candidate in batch:
        try:
            refuse_impossible(candidate.paytable)
        except ValueError as error:
            found.counts["impossible"] += 1
            text = f"{', '.join(candidate.settings)}: {error}"
            found.first_impossible = found.first_impossible or text
            continue
        if goal.rising and not candidate.rises(bet):
            found.counts["not_rising"] += 1
            continue
        figures = {n: evaluate(candidate.paytable) for n, evaluate in evaluators.items()}
        if not all(goal.allows(one) for one in figures.values()):
            found.counts["out_of_bounds"] += 1
            continue
        deviation = max((one.rtp_per_ante - goal.target for one in figures.values()), key=abs)
        found.take(_Row(candidate, figures, deviation), goal)
    return found


def _result(
    paytable: RicochetPokerPaytable,
    grid: Grid,
    goal: Goal,
    strategy: str,
    bet: str,
    found: _Found,
) -> dict[str, Any]:
    if sum(found.counts.values()) != grid.count:
        raise AssertionError("not every combination of the grid was evaluated")
    return {
        "schema": SCHEMA,
        "paytable": paytable.model_dump(mode="json"),
        "paytable_digest": digest(paytable),
        "bet": bet,
        "strategy": strategy if bet == "main" else None,
        "goal": goal.to_json(),
        "vary": [{"setting": axis.key, "values": list(axis.values)} for axis in grid.axes],
        "combinations": {"all": grid.count, **found.counts},
        "first_impossible": found.first_impossible,
        "listed": [row.to_json() for row in found.listed(goal)],
        "nearest": {
            side: row.to_json() if row else None
            for side, row in (("below", found.below), ("above", found.above))
        },
    }


def best_paytable(
    paytable: RicochetPokerPaytable, found: Mapping[str, Any]
) -> RicochetPokerPaytable:
    """The first paytable on the list of a result of `tune`.

    Raises
    ------
    ValueError
        If the list is empty.
    """
    if not found["listed"]:
        raise ValueError("no combination meets the target, so there is no best one")
    return apply_settings(paytable, found["listed"][0]["settings"])
