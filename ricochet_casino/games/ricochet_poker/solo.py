"""One player against the dealer: every deal and every completion, exactly.

The experiment has one shard for each of the 169 two-card classes. A shard splits the dealer's
2,118,760 hands into cells (deals.py), counts the winning and the bonus completions of each
(odds.py), takes the better decision and adds up integers; solo_figures.py reads the figures off
the total. Formulas: docs/math.md, sections 3 and 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.experiment import Result, Shard, Tally
from ricochet_casino.games.ricochet_poker.deals import (
    COMPLETIONS,
    DEALER_HANDS_PER_HAND,
    Cells,
    StartingHand,
    cell_keys,
    cell_mask,
    cells,
    starting_hand,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.odds import HandOdds, hand_odds
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable, Rules
from ricochet_casino.games.ricochet_poker.solo_figures import NO_BONUS, solo_entry
from ricochet_casino.games.ricochet_poker.solo_policies import (
    PolicyTable,
    Strategy,
    strategy_from_json,
    strategy_name,
    strategy_to_json,
)
from ricochet_casino.games.ricochet_poker.strategy import (
    STRATEGIES,
    is_pair_or_big,
    unknown_strategy,
)

Int64 = NDArray[np.int64]

OPTIMAL = ("collective", "individual")
POT_ONLY = ("collective_pot_only", "pot_odds")
"""Strategies that do not count bonuses; for one player both ask the same of the pot."""


class Solo:
    """The exact experiment for one player (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    paytable
        A paytable that covers one player.
    strategy
        One of `strategy.STRATEGIES`, or a `PolicyTable` made from any function of the player's and
        the dealer's cards.

    Raises
    ------
    PaytableError
        If the paytable does not cover one player.
    ValueError
        If the strategy is unknown.
    """

    name = "solo"
    block_shards = 13
    prefers: Literal["threads", "processes"] = "processes"

    def __init__(self, paytable: RicochetPokerPaytable, strategy: Strategy = "collective") -> None:
        self.paytable = paytable
        self.rules = paytable.rules(1)
        self.strategy = strategy
        if isinstance(strategy, str) and strategy not in STRATEGIES:
            raise unknown_strategy(strategy)

    @property
    def strategy_name(self) -> str:
        """Name of the strategy, for labels."""
        return strategy_name(self.strategy)

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values; the paytable in full."""
        return {
            "game": "ricochet_poker",
            "experiment": self.name,
            "parameters": {
                "paytable": self.paytable.model_dump(mode="json"),
                "strategy": strategy_to_json(self.strategy),
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Solo":
        """Make the experiment again from the parameters of its specification."""
        paytable = RicochetPokerPaytable.read(parameters["paytable"])
        return cls(paytable, strategy_from_json(parameters["strategy"]))

    def shards(self) -> Sequence[Shard]:
        """One shard for each of the 169 starting hands, named like ``AKs``."""
        return [Shard(hand.name, [hand.high, hand.low, hand.suited]) for hand in starting_hands()]

    def run(self, shard: Shard) -> Tally:
        """Solve one starting hand against all 2,118,760 dealer hands."""
        high, low, suited = shard.data
        hand = StartingHand(high, low, suited)
        return _tally(solve_hand(self.rules, self.strategy, hand), self.strategy)

    def result(self, tally: Tally) -> Result:
        """All figures of the game, exact."""
        entry = solo_entry(self.rules, tally, self.strategy_name)
        return Result("exact", entry)

    def policy(self) -> "SoloPolicy":
        """The certified strategy, as the referee asks for it.

        Raises
        ------
        ValueError
            If it is a table that plays some deals of a cell and folds others: the table does not
            say which.
        """
        if isinstance(self.strategy, PolicyTable) and not self.strategy.is_pure:
            raise ValueError(
                f"policy {self.strategy.name!r} plays some deals of a cell and folds others, so "
                "the referee cannot follow its table; certify it without a check (0 rounds)"
            )
        return SoloPolicy(self.rules, self.strategy)


@dataclass(frozen=True)
class SolvedHand:
    """One starting hand with its cells, odds and decisions.

    Attributes
    ----------
    plays
        (M,) in how many deals of each cell the player gets three cards: all or none of them,
        unless a policy given as a function tells them apart. Where the dealer is out that follows
        from ``last_hand``: all under ``free``, none under ``none``, a decision under ``may_play``.
    gain
        (M,) gain of three cards over none, in units times 14,190 completions.
    dealer_in
        Number of cells in which the dealer stands; they come first.
    """

    rules: Rules
    hand: StartingHand
    cells: Cells
    odds: HandOdds
    gain: Int64
    plays: Int64
    dealer_in: int

    @cached_property
    def class_starts(self) -> NDArray[np.intp]:
        """First cell of each of the dealer's classes with which she stands."""
        return np.flatnonzero(np.diff(self.cells.dealer_class[: self.dealer_in], prepend=-1))


def solve_hand(rules: Rules, strategy: Strategy, hand: StartingHand) -> SolvedHand:
    """Odds and decisions of one starting hand.

    Parameters
    ----------
    rules
        The one-player game in units of the coin.
    strategy
        A name from `strategy.STRATEGIES` or a policy table.
    hand
        The player's two cards, up to suits.
    """
    the_cells = cells(hand)
    odds = hand_odds(hand, the_cells, tuple(line.first_class for line in rules.lines))
    kickout = int(np.searchsorted(the_cells.dealer_class, rules.kickout_class, side="left"))
    gain = _gain(rules, odds, kickout, with_bonus=strategy not in POT_ONLY)
    plays = _plays(rules, strategy, hand, the_cells, gain, kickout)
    return SolvedHand(rules, hand, the_cells, odds, gain, plays, kickout)


def plays_under(solved: SolvedHand, strategy: Strategy) -> Int64:
    """(M,) in how many deals of each cell another strategy plays, from the odds that are known."""
    rules, kickout = solved.rules, solved.dealer_in
    gain = _gain(rules, solved.odds, kickout, with_bonus=strategy not in POT_ONLY)
    return _plays(rules, strategy, solved.hand, solved.cells, gain, kickout)


def _plays(
    rules: Rules,
    strategy: Strategy,
    hand: StartingHand,
    the_cells: Cells,
    gain: Int64,
    kickout: int,
) -> Int64:
    """Deals of each cell in which the player gets three cards (see `SolvedHand.plays`)."""
    if isinstance(strategy, PolicyTable):
        plays = strategy.plays(hand, the_cells)
    else:
        chosen = _choice(rules, strategy, hand, gain)
        if strategy in ("pairs_and_big_cards", "pot_odds"):
            chosen[kickout:] = True  # cards that cost nothing are taken with any hand
        plays = np.where(chosen, the_cells.deals, 0).astype(np.int64)
    if rules.last_hand != "may_play":
        plays[kickout:] = the_cells.deals[kickout:] if rules.last_hand == "free" else 0
    return plays


def _gain(rules: Rules, odds: HandOdds, kickout: int, *, with_bonus: bool) -> Int64:
    """Gain of three cards over none x 14,190 (4.1): pot x winning + bonuses - play bet x 14,190.

    From cell ``kickout`` on the pot is won anyway and a bet would be returned: bonuses alone.
    """
    pot = rules.ante + rules.dealer_ante + rules.play_bet
    gain = odds.winning.astype(np.int64) * pot
    gain -= rules.play_bet * COMPLETIONS
    gain[kickout:] = 0
    if with_bonus:
        gain += odds.weighted(np.diff([0, *(line.pays for line in rules.lines)]))
    return gain


def _choice(rules: Rules, strategy: str, hand: StartingHand, gain: Int64) -> NDArray[np.bool_]:
    if strategy == "always_play":
        return np.ones(len(gain), dtype=np.bool_)
    if strategy == "always_fold":
        return np.zeros(len(gain), dtype=np.bool_)
    if strategy == "pairs_and_big_cards":
        return np.full(len(gain), is_pair_or_big(hand.cards))
    return gain >= 0 if rules.when_equal == "play" else gain > 0


def _tally(solved: SolvedHand, strategy: Strategy) -> Tally:
    """Deals and completions by outcome, in deals of the whole game (6, 4 or 12 per hand)."""
    stand = solved.dealer_in
    deals = solved.cells.deals.astype(np.int64)
    plays = solved.plays[:stand]
    counts = {
        "play": int(plays.sum()),
        "fold": int(deals[:stand].sum() - plays.sum()),
        "kickout": int(deals[stand:].sum()),
    }
    if sum(counts.values()) != DEALER_HANDS_PER_HAND:
        raise AssertionError(f"{solved.hand.name}: the outcomes do not sum to the deals")
    counts["drawn"] = int(solved.plays[stand:].sum())
    _count_lines(counts, solved)
    if strategy in OPTIMAL:
        counts["class_map_loss"] = _class_map_loss(solved)
    by_class = class_map(solved)
    counts[f"hand.{solved.hand.name}.fold"] = counts["fold"]
    counts[f"hand.{solved.hand.name}.mixed"] = by_class.mixed
    for name in counts:
        counts[name] *= solved.hand.deals
    return Tally(counts, {solved.hand.name: by_class.runs})


def _count_lines(counts: dict[str, int], solved: SolvedHand) -> None:
    """Completions by (win, tie or lose) and bonus line, and those after a kickout (4.2).

    With N(c) the completions of class c or better and d the dealer's class, those that win with
    at least line l number N(max(t_l, d)), those that win without a tie N(max(t_l, d + 1)).
    The cells rise in d, so each maximum changes its side at one place.
    """
    rules, odds, stand = solved.rules, solved.odds, solved.dealer_in
    plays = solved.plays[:stand]
    names = [NO_BONUS, *(line.name for line in rules.lines)]
    firsts = np.array([0, *(line.first_class for line in rules.lines)])
    dealer = solved.cells.dealer_class[:stand]
    below, upto = np.searchsorted(dealer, [firsts, firsts + 1]).tolist()

    def tail(line: int, start: int) -> int:
        """Played completions that reach a line, over the cells from ``start`` on."""
        if line == 0:  # no bonus: every completion
            return int(plays[start:].sum()) * COMPLETIONS
        # Usually none: every hand on a line beats every dealer who stands.
        return odds.sums(plays, start, stand)[line - 1] if start < stand else 0

    played = [tail(0, 0), *odds.sums(plays, 0, stand)]
    drawn = odds.sums(solved.plays, stand, len(solved.plays))
    kicked = [counts["drawn"] * COMPLETIONS, *drawn]
    winning, beating = plays * odds.winning[:stand], plays * odds.beating[:stand]
    above = {"any": 0, "not_lost": 0, "won": 0, "kickout": 0}  # sums over the line above
    for line in range(len(names) - 1, -1, -1):
        sums = {
            "any": played[line],
            "not_lost": played[line] - tail(line, upto[line]) + int(winning[upto[line] :].sum()),
            "won": played[line] - tail(line, below[line]) + int(beating[below[line] :].sum()),
            "kickout": kicked[line],
        }
        name = names[line]
        counts[f"win.{name}"] = sums["won"] - above["won"]
        counts[f"tie.{name}"] = sums["not_lost"] - above["not_lost"] - counts[f"win.{name}"]
        counts[f"lose.{name}"] = (
            sums["any"] - above["any"] - counts[f"win.{name}"] - counts[f"tie.{name}"]
        )
        counts[f"kickout.{name}"] = sums["kickout"] - above["kickout"]
        above = sums


def _class_map_loss(solved: SolvedHand) -> int:
    """What the best map by (two-card class, dealer's class) loses, in units x completions x deals.

    Compared with the best decision in every cell, so meaningful for the optimum only.
    """
    stand = solved.dealer_in
    gain = solved.gain[:stand]
    if stand and int(np.abs(gain).max()) * DEALER_HANDS_PER_HAND >= 1 << 63:
        gain = gain.astype(object)  # Python integers, for amounts of 10^8 units and more
    gain = gain * solved.cells.deals[:stand]
    by_class = np.add.reduceat(gain, solved.class_starts) if stand else gain
    return int(np.maximum(gain, 0).sum() - np.maximum(by_class, 0).sum())


@dataclass(frozen=True)
class ClassMap:
    """The decisions of one starting hand by dealer's class: a summary, since suits can decide.

    Attributes
    ----------
    runs
        Runs of equal decisions, such as ``P2812 M2816 F3816``: play (P), fold (F) or mixed (M) up
        to and including that class. The first run starts at class 0; classes that cannot occur
        belong to either neighbour, and the last run ends below the kickout.
    mixed
        Dealer hands in mixed classes.
    """

    runs: str
    mixed: int


def class_map(solved: SolvedHand) -> ClassMap:
    """Summarise the decisions of one starting hand."""
    stand, starts = solved.dealer_in, solved.class_starts
    if not stand:
        return ClassMap("", 0)
    played = np.add.reduceat(solved.plays[:stand], starts)
    dealt = np.add.reduceat(solved.cells.deals[:stand], starts, dtype=np.int64)
    state = np.where(played == 0, 0, np.where(played == dealt, 1, 2))
    last = np.append(np.flatnonzero(np.diff(state)), len(state) - 1)
    ends = solved.cells.dealer_class[starts][last]
    runs = " ".join("FPM"[state[i]] + str(end) for i, end in zip(last, ends, strict=True))
    return ClassMap(runs, int(dealt[state == 2].sum()))


class TableView(Protocol):
    """What a solo policy reads from the referee's table."""

    @property
    def hole(self) -> tuple[int, int]:
        """The player's two cards."""
        ...

    @property
    def dealer(self) -> tuple[int, ...]:
        """The dealer's five cards."""
        ...

    @property
    def dealer_class(self) -> int:
        """Class of the dealer's hand."""
        ...


class SoloPolicy:
    """A solved strategy as a policy for the referee; a starting hand is solved when first dealt."""

    def __init__(self, rules: Rules, strategy: Strategy) -> None:
        self.rules = rules
        self.strategy = strategy
        self._solved: dict[StartingHand, tuple[Int64, NDArray[np.bool_]]] = {}

    def __call__(self, table: TableView) -> bool:
        """Whether the player plays, seeing the whole table."""
        hole = table.hole
        hand = starting_hand(hole)
        if hand not in self._solved:
            solved = solve_hand(self.rules, self.strategy, hand)
            keys = cell_keys(solved.cells)
            self._solved[hand] = keys, solved.plays > 0
        keys, plays = self._solved[hand]
        # A table whose cells are mixed is refused by those who make policies (see `policy`).
        key = table.dealer_class << 13 | cell_mask(hand, hole, table.dealer)
        return bool(plays[keys.searchsorted(key)])
