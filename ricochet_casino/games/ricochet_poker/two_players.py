"""Exact decisions when one or two players are left to act.

Source: docs/rulings.md A and B, docs/math.md, section 8. Any number of players may have acted
before, so this settles every position of one- and two-player tables and the last two decisions of
larger ones. A decision is worth, in chips from now on (antes and earlier bets are sunk), the total
of all players for ``collective`` and ``collective_pot_only``, and what the player to act gets for
``individual``. In every comparison that comes out equal, `Rules.when_equal` decides.

Scope: a plain deck, shortened or not, less any dead cards; side bets have no decisions. Arithmetic
is in whole units, results are fractions. Only positions in which two players are left to act and a
draw of the first changes what the second does need compiled code; it is loaded then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards import additive
from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.config import did_you_mean
from ricochet_casino.games.ricochet_poker.strategy import COMPUTED
from ricochet_casino.games.ricochet_poker.two_players_position import Position, position
from ricochet_casino.games.ricochet_poker.units import Line, Rules

Int64 = NDArray[np.int64]
UInt16 = NDArray[np.uint16]


@dataclass(frozen=True)
class Decision:
    """What a player's two choices are worth; all values exact.

    Attributes
    ----------
    order
        All seats in the order of action.
    to_act
        The seat in question.
    play, fold
        Chips expected from this decision on.
    best
        ``play`` or ``fold``, by the strategy: `collective_pot_only` does not compare `play` and
        `fold`, but the same without bonuses.
    """

    order: tuple[int, ...]
    to_act: int
    play: Fraction
    fold: Fraction
    best: Literal["play", "fold"]

    @property
    def value(self) -> Fraction:
        """Chips expected if the strategy is followed."""
        return self.play if self.best == "play" else self.fold


def decide(
    rules: Rules,
    holes: Sequence[Sequence[int]],
    dealer: Sequence[int],
    *,
    completed: Sequence[Sequence[int]] = (),
    folded: Sequence[bool] = (),
    dead: Sequence[int] = (),
    strategy: str = "collective",
) -> Decision:
    """Exact values of play and fold for the next player to act.

    Parameters
    ----------
    rules, holes, dealer, completed, folded, dead
        As in `position`.
    strategy
        ``collective``, ``collective_pot_only`` or ``individual``, for all who are left to act.

    Returns
    -------
    Decision
        In chips.

    Raises
    ------
    ValueError
        As in `position`, for another strategy, or for amounts too large for 64 bits.
    """
    if strategy not in COMPUTED:
        hint = did_you_mean(strategy, COMPUTED)
        raise ValueError(f"strategy {strategy!r}; expected one of {', '.join(COMPUTED)}{hint}")
    found = position(rules, holes, dealer, completed=completed, folded=folded, dead=dead)
    if len(found.waiting) == 1:
        play, fold, gain = _one_left(found, strategy)
    elif strategy == "individual":
        play, fold = _first_alone(found), Fraction()
        gain = play
    else:
        play, fold, gain = _first_of_group(found, strategy)
    best: Literal["play", "fold"] = "play" if rules.plays(gain) else "fold"
    return Decision(found.order, found.waiting[0], play * rules.unit, fold * rules.unit, best)


def share(pot: int, sharing: int, place: int) -> int:
    """Units that one of several tied players gets: odd coins go to those who acted last (A8).

    Parameters
    ----------
    pot
        Units.
    sharing
        How many tie.
    place
        The player's place among them in the order of action, from 0.
    """
    whole, odd = divmod(pot, sharing)
    return whole + (place >= sharing - odd)


def _one_left(found: Position, strategy: str) -> tuple[Fraction, Fraction, Fraction]:
    """Value of play, of fold, and gain by which the last player decides, in units (8.6)."""
    bet = found.rules.play_bet
    draw = found.draw(0)
    fold = Fraction()
    if found.alone or (strategy != "individual" and not found.dealer_in):
        fold = Fraction(found.pot)  # it is won, and a bet comes back
        gain = Fraction()
    else:
        tie = share(found.pot + bet, found.leaders + 1, found.leaders)
        gain = draw.beat * (found.pot + bet) + (draw.reach - draw.beat) * tie - bet
    play = fold + gain + draw.bonus
    return play, fold, gain if strategy == "collective_pot_only" else play - fold


def _first_of_group(found: Position, strategy: str) -> tuple[Fraction, Fraction, Fraction]:
    """The same for the first of two players who act for the group (8.3, 8.4)."""
    rules, pot, bet = found.rules, found.pot, found.rules.play_bet
    with_bonus = strategy == "collective"
    mine, other = found.draw(0), found.draw(1)
    # With the dealer out a play is free, and earns the bonus if the second wants it.
    free = rules.plays(other.bonus if with_bonus else Fraction())
    if not found.dealer_in:
        play = pot + mine.bonus + free * other.bonus
        last = not found.leaders  # a fold would leave the second the last hand standing
        takes = {"free": True, "none": False, "may_play": free}[rules.last_hand] if last else free
        fold = pot + takes * other.bonus
        return play, fold, play - fold if with_bonus else Fraction()

    gain = other.reach * (pot + bet) - bet
    plays = rules.plays(gain + other.bonus if with_bonus else gain)
    fold_pot = plays * gain
    fold = fold_pot + plays * other.bonus
    counts = pair_counts(found, with_bonus=with_bonus)
    pairs = found.completions * found.replies
    play_pot = Fraction(
        pot * counts.first_wins * found.replies
        + (pot + 2 * bet) * counts.second_wins
        - bet * counts.second_plays * found.replies
        - bet * (found.completions - counts.first_wins) * found.replies,
        pairs,
    )
    bonuses = counts.bonus_in + free * counts.bonus_out
    play = play_pot + mine.bonus + Fraction(bonuses, pairs)
    return play, fold, play - fold if with_bonus else play_pot - fold_pot


def _first_alone(found: Position) -> Fraction:
    """Value of play for the first of two players, each for himself (8.5); a fold is worth 0."""
    pot, bet, leaders = found.pot, found.rules.play_bet, found.leaders
    total = 0
    for row, counts in enumerate(reply_counts(found)):
        sharing = leaders * row + 1  # she and those who tied before, who come first
        beaten_or_tied = counts.beaten + counts.ties
        ahead = (counts.leads - counts.folds) * found.replies - beaten_or_tied
        total += counts.folds * found.replies * share(pot + bet, sharing, sharing - 1)
        total += ahead * share(pot + 2 * bet, sharing, sharing - 1)
        total += counts.ties * share(pot + 2 * bet, sharing + 1, sharing - 1)
    won = Fraction(total, found.completions * found.replies)
    return won - bet + found.draw(0).bonus


@dataclass(frozen=True)
class PairCounts:
    """What follows when the first of two players plays against a standing dealer.

    Attributes
    ----------
    first_wins
        Completions of the first that beat or tie the dealer.
    second_plays
        Completions of the first that do not, and after which the second plays.
    second_wins
        Of the pairs of completions after such a play, those with which the second wins.
    bonus_in, bonus_out
        Bonuses of the second in units, summed over the pairs after such a play, and over the pairs
        with the dealer beaten.
    """

    first_wins: int
    second_plays: int
    second_wins: int
    bonus_in: int
    bonus_out: int


def pair_counts(found: Position, *, with_bonus: bool) -> PairCounts:
    """Count completions and pairs of completions, the second player deciding for the group.

    Parameters
    ----------
    found
        Two players left to act, the dealer in.
    with_bonus
        Whether his decision counts bonuses.

    Raises
    ------
    ValueError
        If the amounts do not fit into 64 bits.
    """
    from ricochet_casino.games.ricochet_poker.two_players_kernel import collective_kernel

    rules = found.rules
    pot, price = _stakes(found)
    n = len(found.stub)
    out = np.empty(7, dtype=np.int64)
    collective_kernel(
        _classes(found, 0), _classes(found, 1), found.to_beat, bonus_by_class(rules.lines),
        places_of(n), pot, price, with_bonus, rules.when_equal == "play", _sums(n), _sums(n), out,
    )  # fmt: skip
    wins, plays, won, in_high, in_low, out_high, out_low = out.tolist()
    return PairCounts(wins, plays, won, (in_high << 31) + in_low, (out_high << 31) + out_low)


@dataclass(frozen=True)
class ReplyCounts:
    """What follows when the first of two players plays and the second answers for himself.

    Attributes
    ----------
    leads
        Completions of the first with which she stays in.
    folds
        Those of them after which the second folds.
    beaten, ties
        Of the pairs of completions after the others, those with which he beats and ties her.
    """

    leads: int
    folds: int
    beaten: int
    ties: int


def reply_counts(found: Position) -> tuple[ReplyCounts, ReplyCounts]:
    """Count completions and pairs of completions, the second player giving his best reply.

    Parameters
    ----------
    found
        Two players left to act.

    Returns
    -------
    tuple of ReplyCounts
        Completions of the first that leave her ahead of everybody; those with which she ties with
        players before her.

    Raises
    ------
    ValueError
        If the amounts do not fit into 64 bits.
    """
    from ricochet_casino.games.ricochet_poker.two_players_kernel import (
        falling_kernel,
        individual_kernel,
    )

    rules, leaders, n = found.rules, found.leaders, len(found.stub)
    pot, price = _stakes(found)
    ties = np.array([share(pot, 2, 1), share(pot, leaders + 2, leaders + 1)], dtype=np.int64)
    first, second = _classes(found, 0), _classes(found, 1)
    orders = np.empty((2, found.completions), dtype=np.int64)
    for classes, order in zip((first, second), orders, strict=True):
        falling_kernel(classes, np.empty(N_CLASSES + 1, dtype=np.int64), order)
    out = np.empty((2, 4), dtype=np.int64)
    individual_kernel(
        first, second, found.to_beat, leaders > 0, bonus_by_class(rules.lines), places_of(n), pot,
        ties, price, rules.when_equal == "play", orders[0], orders[1], _sums(n), _sums(n),
        np.empty(found.completions, dtype=np.int64), out,
    )  # fmt: skip
    ahead, level = out.tolist()
    return ReplyCounts(*ahead), ReplyCounts(*level)


def _stakes(found: Position) -> tuple[int, int]:
    """Pot if both play, and the second's bet times his completions; both fit, with sums of them."""
    pot = found.pot + 2 * found.rules.play_bet
    price = found.rules.play_bet * found.replies
    largest = max(pot, *(line.pays for line in found.rules.lines), 0)
    # The sums over completions with a given card, or two, are at most three times that over all.
    if 8 * largest * found.completions >= 1 << 63:
        raise ValueError(f"amounts of {largest} units are too large to be summed in 64 bits")
    return pot, price


def _sums(n: int) -> Int64:
    """Empty sums over all completions, those with a card and those with two."""
    return np.zeros(1 + n + comb(n, 2), dtype=np.int64)


@cache
def places_of(n: int) -> UInt16:
    """(C(n, 3), 6): the places of each completion's cards and pairs in such sums."""
    pair = np.zeros((n, n), dtype=np.int64)
    pair[np.triu_indices(n, 1)] = np.arange(comb(n, 2)) + 1 + n
    x, y, z = np.array(list(combinations(range(n), 3)), dtype=np.int64).T
    places = np.stack([x + 1, y + 1, z + 1, pair[x, y], pair[x, z], pair[y, z]], axis=1)
    found: UInt16 = np.ascontiguousarray(places, dtype=np.uint16)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=16)
def bonus_by_class(lines: tuple[Line, ...]) -> Int64:
    """(7462,) units that each class earns as a bonus."""
    bonus = np.zeros(N_CLASSES, dtype=np.int64)
    for line in lines:
        bonus[line.first_class :] = line.pays
    bonus.flags.writeable = False
    return bonus


def _classes(found: Position, place: int) -> UInt16:
    """Class of one waiting player with every completion, in the order of `places_of`."""
    from ricochet_casino.games.ricochet_poker.two_players_kernel import classes_kernel

    words = additive.card_words(5)
    hole = found.holes[found.waiting[place]]
    start = additive.START + sum(int(words[card]) for card in hole)
    stub = np.array([start, *(int(words[card]) for card in found.stub)], dtype=np.uint64)
    out = np.empty(found.completions, dtype=np.uint16)
    classes_kernel(
        stub, places_of(len(found.stub)), additive.five_table(), additive.flush_table(), out
    )
    return out
