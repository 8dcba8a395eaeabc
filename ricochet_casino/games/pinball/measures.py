"""How fair and how tricky a deck is: exact figures over every layout that it can show.

A layout is a start card and n outer cards, n being 4 or 5; all layouts of a deck are equally likely
for the first round of a game. Definitions: docs/math.md, section 15.5. The kernels are in
measures_kernel.py; `set_measures_slowly` is their readable twin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from ricochet_casino.games.pinball.chain import asked_for, follow
from ricochet_casino.games.pinball.deck import DECK_SIZE, N_KINDS, Deck
from ricochet_casino.stats.exact import figure

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Measures:
    """What a deck is like; every figure is exact.

    Attributes
    ----------
    guess
        Share of layouts whose last card is named right by the best guess from the start card
        alone: whoever knows the deck by heart, sees which cards lie, and follows no ball.
        A deck is the fairer, the lower this is.
    tricky
        Chance that one wrong look (each look alike, each wrong card alike) leads to a wrong slap.
        A deck is the trickier, the higher this is.
    foresight
        Share of layouts named right by the best guess before the start card is turned, from the
        outer cards, whose chains can be followed beforehand.
    short_cut
        Share of layouts in which a look can be left out: whichever card it gave, except the last
        one itself, the last card would be the same.
    short_cut_first
        Share in which that is the first look.
    last_least, last_most
        Lowest and highest chance of a card to be the last one when it lies outside.
    unevenness
        Root mean square of these chances' distance from 1/n, in parts of 1/n; its square, exact.
    by_look
        Chance that a wrong look leads to a wrong slap, by look; the last is 1.
    """

    guess: Fraction
    tricky: Fraction
    foresight: Fraction
    short_cut: Fraction
    short_cut_first: Fraction
    last_least: Fraction
    last_most: Fraction
    unevenness: Fraction
    by_look: tuple[Fraction, ...]

    def to_json(self) -> dict[str, Any]:
        """The measures as JSON values: figures with decimal and fraction."""
        found: dict[str, Any] = {
            name: figure(getattr(self, name))
            for name in Measures.__annotations__
            if name != "by_look"
        }
        found["by_look"] = [figure(chance) for chance in self.by_look]
        return found


def look_weights(n: int) -> Int64Array:
    """(4,) int64: whole numbers in proportion to 1 over the wrong cards of each look."""
    alternatives = [n - 1 - look for look in range(n - 1)]
    common = int(np.lcm.reduce(alternatives))
    weights = [common // number for number in alternatives]
    return np.array(weights + [0] * (4 - len(weights)), dtype=np.int64)


def measures(deck: Deck, full_tilt: bool = False) -> Measures:
    """Measure a deck over all its layouts.

    Parameters
    ----------
    deck
        The deck.
    full_tilt
        With five outer cards instead of four.
    """
    from ricochet_casino.games.pinball.measures_kernel import guess_kernel, measure_kernel

    n = 5 if full_tilt else 4
    counts = np.array(deck.kind_counts, dtype=np.int64)
    ends, at = np.zeros((N_KINDS, DECK_SIZE), np.int64), sets_array(n)
    wrong, totals = np.zeros(4, np.int64), np.zeros(4, np.int64)
    measure_kernel(deck.strengths, deck.kinds, counts, n, True, ends, at, wrong, totals)
    hits = int(guess_kernel(deck.kinds, counts, n, ends, at))
    layouts, foreseen, skipped, skipped_first = totals.tolist()
    return _measures(
        n, layouts, hits, foreseen, (skipped, skipped_first), ends.sum(axis=0).tolist(),
        wrong.tolist()[: n - 1],
    )  # fmt: skip


def sets_array(n: int) -> npt.NDArray[np.uint8]:
    """(sets, 8) uint8: work of the kernels, a row for each set of n cards."""
    return np.zeros((comb(DECK_SIZE, n), N_KINDS), dtype=np.uint8)


def _measures(
    n: int,
    layouts: int,
    hits: int,
    foreseen: int,
    skipped: tuple[int, int],
    last: Sequence[int],
    wrong: Sequence[int],
) -> Measures:
    """Figures from counts."""
    assert layouts == comb(DECK_SIZE, n) * (DECK_SIZE - n)
    assert sum(last) == layouts
    outside = (DECK_SIZE - 1) * comb(DECK_SIZE - 2, n - 1)  # layouts with a card outside
    chances = [Fraction(number, outside) for number in last]
    by_look = tuple(Fraction(number, layouts * (n - 1 - look)) for look, number in enumerate(wrong))
    return Measures(
        guess=Fraction(hits, layouts),
        tricky=sum(by_look, Fraction()) / len(by_look),
        foresight=Fraction(foreseen, layouts),
        short_cut=Fraction(skipped[0], layouts),
        short_cut_first=Fraction(skipped[1], layouts),
        last_least=min(chances),
        last_most=max(chances),
        unevenness=sum(((n * c - 1) ** 2 for c in chances), Fraction()) / DECK_SIZE,
        by_look=by_look,
    )


def repeat_chance(deck: Deck, full_tilt: bool = False) -> Fraction:
    """Chance that the last card of a game's second round lies where that of the first lay.

    Parameters
    ----------
    deck, full_tilt
        As for `measures`. Takes seconds for four outer cards, a minute for five.
    """
    from ricochet_casino.games.pinball.measures_kernel import repeat_kernel

    n = 5 if full_tilt else 4
    counts = np.array(deck.kind_counts, dtype=np.int64)
    sets = comb(DECK_SIZE, n)
    found = int(repeat_kernel(deck.strengths, deck.kinds, counts, n, sets))
    return Fraction(found, comb(DECK_SIZE, n) * (DECK_SIZE - n) * (DECK_SIZE - n - 1))


def set_measures_slowly(deck: Deck, cards: Sequence[int]) -> dict[str, Any]:
    """What one set of outer cards adds to the counts: the readable twin of `measure_kernel`.

    Parameters
    ----------
    deck
        The deck.
    cards
        The outer cards, rising.

    Returns
    -------
    dict
        ``ends`` (kind of the start card and last card -> layouts), ``foreseen``, ``skipped``,
        ``skipped_first`` and ``wrong`` by look.
    """
    outer = [deck.cards[card] for card in cards]
    n = len(outer)
    ends: dict[tuple[int, int], int] = {}
    found: dict[str, Any] = {"skipped": 0, "skipped_first": 0, "wrong": [0] * (n - 1)}
    guesses = dict.fromkeys(cards, 0)
    for start, card in enumerate(deck.cards):
        if start in cards:
            continue
        last = follow(card.kind, outer, range(n))[-1]
        key = (card.kind, cards[last])
        ends[key] = ends.get(key, 0) + 1
        guesses[cards[last]] += 1
        kind, left, idle = card.kind, list(range(n)), []
        for look in range(n - 1):
            right = asked_for(kind, outer, left)
            outcomes = {}
            for place in left:
                others = [p for p in left if p != place]
                outcomes[place] = follow(outer[place].kind, outer, others)[-1] if others else place
            found["wrong"][look] += sum(outcomes[p] != last for p in left if p != right)
            # As the last card itself is never found last from itself, it is left out.
            idle.append(len(left) > 2 and all(outcomes[p] == last for p in left if p != last))
            left.remove(right)
            kind = outer[right].kind
        found["skipped"] += any(idle)
        found["skipped_first"] += idle[0]
    return {**found, "ends": ends, "foreseen": max(guesses.values())}


def all_sets(n: int) -> list[tuple[int, ...]]:
    """All sets of n cards in the order of the kernel: by the highest card, then the next."""
    return sorted(combinations(range(DECK_SIZE), n), key=lambda cards: cards[::-1])
