"""What every decision of one player is worth, by starting hand and dealer's class.

The gain of three cards over none (solo.py), added up over the cells of one class, tells the exact
value of any rule that looks at the player's two cards and the ranks and category of the dealer's
hand: a sum over the classes at which the rule plays. Derivation: docs/math.md, section 12.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.games.ricochet_poker.deals import COMPLETIONS, TOTAL_DEALS, starting_hands
from ricochet_casino.games.ricochet_poker.hand_tables import ALWAYS, HandTable
from ricochet_casino.games.ricochet_poker.solo import class_map, plays_under, solve_hand
from ricochet_casino.games.ricochet_poker.units import Rules

Int64 = NDArray[np.int64]
CYCLE: Final = TOTAL_DEALS * COMPLETIONS
NAMED: Final = ("always_play", "always_fold", "pairs_and_big_cards", "pot_odds")
"""Strategies by rule whose cost is told."""


@dataclass(frozen=True, eq=False)
class SoloGains:
    """The one-player game as sums; amounts in units times completions times deals.

    Attributes
    ----------
    rules
        The game.
    hand, dealer_class
        (N,) number of the starting hand in `deals.starting_hands`, and class of a dealer who
        stands: every pair of them that can be dealt, by hand and then by rising class.
    gain
        (N,) gain of playing over folding; whole numbers of any size where they need it.
    deals
        (N,) deals of the whole game.
    never
        What the player has if he folds everything and takes no cards.
    free
        What the cards that cost nothing bring (`last_hand`), for whoever takes them.
    optimum
        What the best decisions bring against a dealer who stands.
    named
        For each of `NAMED` what it brings, free cards included.
    maps
        For each starting hand its `solo.class_map`, in runs.
    mixed
        (169,) deals in classes where the best decision depends on suits.
    folds
        (169,) deals that the best decisions fold.
    """

    rules: Rules
    hand: Int64
    dealer_class: Int64
    gain: NDArray[Any]
    deals: Int64
    never: int
    free: int
    optimum: int
    named: Mapping[str, int]
    maps: Sequence[str]
    mixed: Sequence[int]
    folds: Sequence[int]

    def per_ante(self, amount: int) -> Fraction:
        """An amount in antes per round."""
        return Fraction(int(amount), CYCLE * self.rules.ante)

    @property
    def best_rtp(self) -> Fraction:
        """RTP per ante of the best decisions."""
        return 1 + self.per_ante(self.never + self.free + self.optimum)

    def value(self, plays: NDArray[np.bool_]) -> int:
        """What a rule brings that plays at these hands and classes, exactly; free cards apart."""
        return int(self.gain[plays].sum())

    def cost(self, plays: NDArray[np.bool_]) -> Fraction:
        """What a rule costs per ante against the best decisions; it takes what costs nothing."""
        return self.per_ante(self.optimum - self.value(plays))

    def named_cost(self, strategy: str) -> Fraction:
        """What one of `NAMED` costs per ante against the best decisions."""
        return self.per_ante(self.optimum + self.free - self.named[strategy])


def solo_gains(rules: Rules) -> SoloGains:
    """Work out all gains of a one-player game (a second or two).

    Parameters
    ----------
    rules
        For one player.

    Raises
    ------
    ValueError
        If they are for more.
    """
    if rules.players != 1:
        raise ValueError(f"the rules are for {rules.players} players; expected 1")
    rows = [_hand_row(rules, number) for number in range(len(starting_hands()))]
    deals = np.concatenate([row["deals"] for row in rows])
    kicked = TOTAL_DEALS - int(deals.sum())
    times = [hand.deals for hand in starting_hands()]
    stakes = kicked * (rules.ante + rules.dealer_ante) - TOTAL_DEALS * rules.ante
    return SoloGains(
        rules,
        np.concatenate([np.full(len(row["deals"]), n) for n, row in enumerate(rows)]),
        np.concatenate([row["dealer_class"] for row in rows]),
        np.concatenate([row["gain"] for row in rows]),
        deals,
        never=stakes * COMPLETIONS,
        free=sum(row["free"] for row in rows),
        optimum=sum(row["optimum"] for row in rows),
        named={name: sum(row["named"][name] for row in rows) for name in NAMED},
        maps=[row["map"].runs for row in rows],
        mixed=[row["map"].mixed * number for row, number in zip(rows, times, strict=True)],
        folds=[row["folds"] for row in rows],
    )


def _hand_row(rules: Rules, number: int) -> dict[str, Any]:
    """One starting hand."""
    hand = starting_hands()[number]
    solved = solve_hand(rules, "collective", hand)
    stand, starts, times = solved.dealer_in, solved.class_starts, hand.deals
    gain, deals = solved.gain, solved.cells.deals.astype(np.int64)
    largest = max(int(np.abs(gain).max(initial=0)), 1)
    if largest * TOTAL_DEALS >= 1 << 62:
        gain = gain.astype(object)  # Python integers, for amounts of 10^5 units and more
    weighted = gain * deals * times
    by_class = np.add.reduceat(weighted[:stand], starts) if stand else weighted[:0]
    here = np.add.reduceat(deals[:stand], starts) * times if stand else deals[:0]
    return {
        "dealer_class": solved.cells.dealer_class[:stand][starts].astype(np.int64),
        "gain": by_class,
        "deals": here,
        "free": _sum(gain[stand:], solved.plays[stand:]) * times,
        "optimum": _sum(gain[:stand], solved.plays[:stand]) * times,
        "named": {name: _sum(gain, plays_under(solved, name)) * times for name in NAMED},
        "map": class_map(solved),
        "folds": int((deals - solved.plays)[:stand].sum()) * times,
    }


def _sum(gain: NDArray[Any], plays: Int64) -> int:
    return int((gain * plays).sum())


def best_limits(gains: SoloGains, boundaries: Sequence[int] | None = None) -> dict[str, int]:
    """For each starting hand the best limit: it plays against dealer's hands of lower classes.

    Parameters
    ----------
    gains
        The game.
    boundaries
        Classes that may be limits, or None for all.

    Returns
    -------
    dict
        Limits as in `hand_tables.HandTable`: 7,462 where a hand plays whenever the dealer stands.
        Of limits that are worth the same the one with which fewer hands are played.
    """
    kickout = gains.rules.kickout_class
    limits = {}
    for number, hand in enumerate(starting_hands()):
        mine = np.flatnonzero(gains.hand == number)
        classes = gains.dealer_class[mine]
        upto = [0, *np.cumsum(gains.gain[mine]).tolist()]
        ends = range(kickout + 1) if boundaries is None else sorted({0, kickout, *boundaries})
        places = np.searchsorted(classes, [end for end in ends if end <= kickout]).tolist()
        best = max(places, key=lambda place: (upto[place], -place))
        full = best == len(classes)
        limits[hand.name] = ALWAYS if full else int(classes[best])
        if boundaries is not None and not full:  # the boundary itself, not the next class dealt
            limits[hand.name] = max(e for e, p in zip(ends, places, strict=False) if p == best)
    return limits


def limits_play(gains: SoloGains, limits: Mapping[str, int]) -> NDArray[np.bool_]:
    """(N,) where a hand table plays."""
    by_hand = np.array([limits[hand.name] for hand in starting_hands()])
    found: NDArray[np.bool_] = gains.dealer_class < by_hand[gains.hand]
    return found


def as_hand_table(name: str, limits: Mapping[str, int]) -> HandTable:
    """Limits as a strategy for any number of players."""
    return HandTable(name, dict(limits))


def hand_ranges(names: Sequence[str]) -> str:
    """Starting hands in short: ``AA-TT, AKs-A9s, KQo``.

    Pairs run downward; other hands of one higher card and kind (s, o) by their lower card.
    """
    found = []
    wanted = set(names)
    kinds = (
        [hand for hand in starting_hands() if hand.high == hand.low],
        *(
            [h for h in starting_hands() if h.high == high and h.low < high and h.suited == suited]
            for high in range(12, 0, -1)
            for suited in (True, False)
        ),
    )
    for kind in kinds:
        run: list[str] = []
        for name in chain((hand.name for hand in kind), [""]):
            if name in wanted:
                run.append(name)
            elif run:
                found.append(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}")
                run = []
    return ", ".join(found)
