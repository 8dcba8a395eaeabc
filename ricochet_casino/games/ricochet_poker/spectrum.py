"""The spectrum: every question about a one-player paytable as exact arithmetic on a table of rows.

The table (spectrum_table.py) is built once and kept in a cache folder. A paytable is then a few
numbers: what the pot is worth, what each bonus line pays, and the class that kicks the dealer out.
The optimal decision is made again row by row, exactly, and the sums over the rows that are played
are those of `solo.Solo`; solo_figures.py reads the figures off both. Formulas: docs/math.md,
section 11.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.experiment import Tally
from ricochet_casino.games.ricochet_poker.deals import COMPLETIONS, TOTAL_DEALS, starting_hands
from ricochet_casino.games.ricochet_poker.quick_figures import QuickFigures
from ricochet_casino.games.ricochet_poker.solo import OPTIMAL, POT_ONLY
from ricochet_casino.games.ricochet_poker.solo_figures import (
    CYCLE,
    FOLD,
    NO_BONUS,
    SoloOutcomes,
    solo_entry,
    solo_figures,
)
from ricochet_casino.games.ricochet_poker.spectrum_cache import Note, load_table
from ricochet_casino.games.ricochet_poker.spectrum_details import hand_details
from ricochet_casino.games.ricochet_poker.spectrum_table import Table, usual_thresholds
from ricochet_casino.games.ricochet_poker.strategy import (
    STRATEGIES,
    is_pair_or_big,
    unknown_strategy,
)
from ricochet_casino.games.ricochet_poker.units import Rules

Int64 = NDArray[np.int64]

DECIDES, PLAYS, FOLDS = -1, 1, 0
_LARGEST = 1 << 62


@dataclass(frozen=True)
class Order:
    """How rows are decided: played if pot x winning + fixed + bonus >= least.

    Attributes
    ----------
    pot, fixed, least
        Units, and units x completions.
    pays
        (L,) units for each completion on a line of the table, as far as decisions look at it.
    hands
        (169,) `DECIDES`, `PLAYS` or `FOLDS`: whether a starting hand looks at anything.
    """

    pot: int
    fixed: int
    least: int
    pays: Int64
    hands: NDArray[np.int8]

    @property
    def numbers(self) -> tuple[int, int, int]:
        """What the kernels take."""
        return self.pot, self.fixed, self.least

    def bonus(self, table: Table) -> Int64:
        """(V,) bonus of each vector of the table, in units x completions."""
        from ricochet_casino.games.ricochet_poker.spectrum_kernel import bonus_kernel

        found = np.empty(len(table.vectors), dtype=np.int64)
        bonus_kernel(table.vectors, np.diff(self.pays, prepend=0), found)
        return found


def load_spectrum(cache_dir: Path | None = None, note: Note = lambda _text: None) -> "Spectrum":
    """Read the spectrum from the cache; build it if it is missing, damaged or of other sources.

    Parameters
    ----------
    cache_dir
        Folder of the cache; by default the one in the environment variable ``RICOCHET_CACHE``, or
        ``ricochet-casino/spectrum`` in the user's cache folder.
    note
        Told in one line why something is built.
    """
    return Spectrum(load_table(usual_thresholds(), cache_dir, note), cache_dir, note)


class Spectrum:
    """The one-player game in rows; may be asked by several threads at once.

    Parameters
    ----------
    table
        The table of the usual bonus lines.
    cache_dir, note
        As for `load_spectrum`, for paytables with other lines: each set of lines gets a table of
        its own when it is first met.
    """

    def __init__(self, table: Table, cache_dir: Path | None, note: Note) -> None:
        self._tables = {table.thresholds: table}
        self._usual = table
        self._load: Callable[[tuple[int, ...]], Table] = lambda lines: load_table(
            lines, cache_dir, note
        )

    def table(self, rules: Rules) -> Table:
        """The table that tells the bonus lines of these rules apart.

        Raises
        ------
        ValueError
            If the rules are not of one player with a full deck, or amounts are too large.
        """
        if rules.players != 1 or rules.lowest_rank != 0:
            raise ValueError("the spectrum is of one player and the full deck")
        amounts = rules.ante + rules.dealer_ante + 2 * rules.play_bet
        if (amounts + 2 * sum(line.pays for line in rules.lines)) * COMPLETIONS >= _LARGEST:
            raise ValueError("amounts are too large to be reckoned with in 64 bits")
        firsts = tuple(line.first_class for line in rules.lines)
        if set(firsts) <= set(self._usual.thresholds):
            return self._usual
        if firsts not in self._tables:
            self._tables[firsts] = self._load(firsts)
        return self._tables[firsts]

    def entry(
        self, rules: Rules, strategy: str = "collective", *, by_hand: bool = True
    ) -> dict[str, Any]:
        """The entry of a certificate, as `solo.Solo` gives it.

        Parameters
        ----------
        rules
            The one-player game in units.
        strategy
            One of `strategy.STRATEGIES`.
        by_hand
            Whether the parts that take longest are wanted: ``by_hand``, the decisions of each
            starting hand, and ``class_map_loss``. All else is the same with or without.

        Raises
        ------
        ValueError
            For an unknown strategy, or rules the spectrum cannot answer (see `table`).
        """
        return solo_entry(rules, self.tally(rules, strategy, by_hand=by_hand), strategy)

    def figures(
        self, rules: Rules, strategy: str = "collective"
    ) -> dict[str, Fraction | Decimal | None]:
        """All figures of the entry as numbers, roots to 60 digits; errors as `entry`."""
        return solo_figures(SoloOutcomes(rules, self.tally(rules, strategy, by_hand=False)))

    def tally(self, rules: Rules, strategy: str = "collective", *, by_hand: bool = True) -> Tally:
        """The sum of the tallies of all shards of `solo.Solo`; parameters as for `entry`."""
        table = self.table(rules)
        standing = _order(rules, table, strategy, stands=True)
        sums = _played(table, standing, 0, rules.kickout_class)
        kicked = table.kicked[rules.kickout_class]
        counts = _counts(rules, table, sums, int(kicked[0]), _drawn(rules, table, strategy))
        if not by_hand:
            return Tally(counts)
        details = hand_details(table, standing, rules.kickout_class, strategy in OPTIMAL)
        return Tally({**counts, **details.counts}, details.runs)

    def quick(self, rules: Rules, strategy: str = "collective") -> QuickFigures:
        """The figures that are looked at in bulk; errors as `entry`."""
        return _quick(rules, self.tally(rules, strategy, by_hand=False))

    def kickout_curve(
        self, rules: Rules, classes: Sequence[int], strategy: str = "collective"
    ) -> list[QuickFigures]:
        """The same paytable with other kickout classes, all from one pass over the rows.

        Parameters
        ----------
        rules
            Its own kickout class does not matter.
        classes
            Kickout classes, 0 to 7,462 (never).
        strategy
            As for `entry`; errors too.
        """
        table = self.table(rules)
        upto = np.zeros((N_CLASSES + 1, 3 + len(table.thresholds)), dtype=np.int64)
        order = _order(rules, table, strategy, stands=True)
        np.cumsum(_played_by_class(table, order), axis=0, out=upto[1:])
        drawn = _drawn_by_class(rules, table, strategy)
        edges = np.array([0, *table.thresholds, N_CLASSES])
        found = []
        for kickout in classes:
            reached = upto[np.minimum(edges, kickout)]
            counts = _counts(
                rules,
                table,
                np.diff(reached, axis=0),
                int(table.kicked[kickout, 0]),
                drawn[kickout],
            )
            found.append(_quick(rules, Tally(counts)))
        return found


def _quick(rules: Rules, tally: Tally) -> QuickFigures:
    found = SoloOutcomes(rules, tally)
    net = sum(o.weight * o.net for o in found.outcomes)
    square = sum(o.weight * o.net * o.net for o in found.outcomes)
    whole = CYCLE * rules.ante
    return QuickFigures(
        rtp_per_ante=1 + Fraction(net, whole),
        variance=Fraction(square * CYCLE - net * net, whole * whole),
        hit_frequency=Fraction(found.hits, CYCLE),
        fold_frequency=found.share(FOLD),
        maximum_exposure=found.exposure,
    )


def _order(rules: Rules, table: Table, strategy: str, *, stands: bool) -> Order:
    """How a strategy decides while the dealer stands, or when she is out (4.1)."""
    if strategy not in STRATEGIES:
        raise unknown_strategy(strategy)
    pays = np.zeros(len(table.thresholds), dtype=np.int64)
    if strategy not in POT_ONLY:
        for line in range(len(pays)):  # a line of the table that is not paid on counts as below
            pays[line] = rules.bonus(table.thresholds[line])
    pot = rules.ante + rules.dealer_ante + rules.play_bet if stands else 0
    fixed = -rules.play_bet * COMPLETIONS if stands else 0
    least = 0 if rules.when_equal == "play" else 1
    hands = [_rule(strategy, hand.cards, stands) for hand in starting_hands()]
    if not stands and rules.last_hand != "may_play":
        hands = [PLAYS if rules.last_hand == "free" else FOLDS] * len(hands)
    return Order(pot, fixed, least, pays, np.array(hands, dtype=np.int8))


def _rule(strategy: str, cards: tuple[int, int], stands: bool) -> int:
    """What a strategy does with a starting hand before it looks at the dealer's."""
    if strategy == "always_fold":
        return FOLDS
    if strategy == "always_play":
        return PLAYS
    if strategy in ("pairs_and_big_cards", "pot_odds") and not stands:
        return PLAYS  # cards that cost nothing are taken with any hand
    if strategy == "pairs_and_big_cards":
        return PLAYS if is_pair_or_big(cards) else FOLDS
    return DECIDES


_DEALS_OF_HAND = np.array([hand.deals for hand in starting_hands()], dtype=np.int64)


def _played(table: Table, order: Order, begin: int, end: int) -> Int64:
    """(L + 1, 3 + L) sums over played rows of dealer's classes begin to end, by dealer's line."""
    from ricochet_casino.games.ricochet_poker.spectrum_kernel import played_kernel

    lines = len(table.thresholds)
    sums = np.empty((lines + 1, 3 + lines), dtype=np.int64)
    weights = np.zeros(len(table.vectors), dtype=np.int64)
    played_kernel(
        table.rows, table.blocks, table.vectors, table.vector_starts, order.bonus(table),
        order.hands, _DEALS_OF_HAND, order.numbers, order.pays, (begin, end), weights, sums,
    )  # fmt: skip
    return sums


def _played_by_class(table: Table, order: Order) -> Int64:
    """(7462, 3 + L) sums over played rows by dealer's class, row by row."""
    from ricochet_casino.games.ricochet_poker.spectrum_kernel import by_class_kernel

    sums = np.empty((N_CLASSES, 3 + len(table.thresholds)), dtype=np.int64)
    by_class_kernel(
        table.rows, table.hand_starts, table.vectors, order.bonus(table), order.hands,
        _DEALS_OF_HAND, order.numbers, sums,
    )  # fmt: skip
    return sums


def _drawn(rules: Rules, table: Table, strategy: str) -> Int64:
    """(1 + L,) deals in which cards are drawn after a kickout, and times completions by line."""
    order = _order(rules, table, strategy, stands=False)
    if bool((order.hands == PLAYS).all()):
        every: Int64 = table.kicked[rules.kickout_class]
        return every
    sums = _played(table, order, rules.kickout_class, N_CLASSES).sum(axis=0)
    drawn: Int64 = np.delete(sums, [1, 2])
    return drawn


def _drawn_by_class(rules: Rules, table: Table, strategy: str) -> Int64:
    """(7463, 1 + L) as `_drawn`, for every kickout class."""
    order = _order(rules, table, strategy, stands=False)
    if bool((order.hands == PLAYS).all()):
        return table.kicked
    found = np.zeros_like(table.kicked)
    by_class = np.delete(_played_by_class(table, order), [1, 2], axis=1)
    np.cumsum(by_class[::-1], axis=0, out=found[-2::-1])
    return found


def _counts(rules: Rules, table: Table, sums: Int64, kicked: int, drawn: Int64) -> dict[str, int]:
    """Counts of the tally (4.2) from the sums over played rows.

    Parameters
    ----------
    sums
        (L + 1, 3 + L) by the dealer's line of the table.
    kicked
        Deals with the dealer out.
    drawn
        (1 + L,) of these, those in which cards are drawn, and times completions by line.
    """
    names = [NO_BONUS, *(line.name for line in rules.lines)]
    firsts = [line.first_class for line in rules.lines]
    places = [table.thresholds.index(first) for first in firsts]
    played = int(sums[:, 0].sum())
    counts = {
        "play": played,
        "fold": TOTAL_DEALS - kicked - played,
        "kickout": kicked,
        "drawn": int(drawn[0]),
    }
    for kind in ("win", "tie", "lose"):
        counts |= {f"{kind}.{name}": 0 for name in names}
    lowest = [0, *table.thresholds]
    for first, row in zip(lowest, sums.tolist(), strict=True):
        if row[0]:
            own = sum(first >= threshold for threshold in firsts)
            _count_line(counts, names, own, row, places)
    reached = [int(drawn[0]) * COMPLETIONS, *(int(drawn[1 + place]) for place in places), 0]
    for name, on_line in zip(names, _differences(reached), strict=True):
        counts[f"kickout.{name}"] = on_line
    return counts


def _count_line(
    counts: dict[str, int], names: list[str], own: int, row: list[int], places: list[int]
) -> None:
    """Add the completions against a dealer whose hand is on line ``own`` of the rules."""
    deals, winning, tying, *reaching = row
    reached = [deals * COMPLETIONS, *(reaching[place] for place in places), 0]
    for line, (name, on_line) in enumerate(zip(names, _differences(reached), strict=True)):
        if line < own:
            counts[f"lose.{name}"] += on_line
        elif line > own:
            counts[f"win.{name}"] += on_line
        else:
            counts[f"win.{name}"] += winning - tying - reached[line + 1]
            counts[f"tie.{name}"] += tying
            counts[f"lose.{name}"] += reached[line] - winning


def _differences(reached: list[int]) -> Iterator[int]:
    """Completions on each line exactly, from those that reach it."""
    for line in range(len(reached) - 1):
        yield reached[line] - reached[line + 1]
