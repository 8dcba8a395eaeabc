"""Compiled measures of a deck: every layout that it can show, counted (docs/math.md, 15.5).

A layout is a start card and a set of n outer cards, n being 4 or 5; places do not matter. All cards
of one kind of ball lead to the same chain, so a set is looked at once for each kind and weighted
with the start cards of that kind outside it. Inside a set, a card is its position, 0 to n - 1, and
a subset a mask of positions. The kernels trust their arguments; measures.py checks.
"""

import numpy as np
from numba import njit

from ricochet_casino.cards.shuffle_kernel import philox_kernel
from ricochet_casino.games.pinball.deck import DECK_SIZE, N_KINDS

SEARCH_STREAM = 4
"""Stream of the steps of searches."""

_CARDS, _KINDS = DECK_SIZE, N_KINDS
_STREAM, _0 = np.uint64(SEARCH_STREAM), np.uint64(0)
_COLOURS = _KINDS // 2


@njit(cache=True, nogil=True)
def next_set(cards, n):  # type: ignore[no-untyped-def]
    """Step to the next set of n card numbers, rising."""
    j = 0
    while j < n - 1 and cards[j] + 1 == cards[j + 1]:
        cards[j] = j
        j += 1
    cards[j] += 1


@njit(cache=True, nogil=True)
def follow_all(strengths, kinds, cards, n, top, last):  # type: ignore[no-untyped-def]
    """What each ball asks for in each subset, and where each chain ends.

    Parameters
    ----------
    strengths, kinds
        Of the deck.
    cards : (n,) int64
        The set.
    n
        4 or 5.
    top : (8, 32) int64
        Filled: position that a kind of ball asks for in a subset.
    last : (5, 32) int64
        Filled: position where the chain ends, from a card with a subset left.
    """
    whole = (1 << n) - 1
    for kind in range(_KINDS):
        for position in range(n):
            strength = strengths[kind, cards[position]]
            bit = 1 << position
            top[kind, bit] = position
            for mask in range(1, bit):  # all subsets of the positions before
                best = top[kind, mask]
                if strength > strengths[kind, cards[best]]:
                    best = position
                top[kind, mask | bit] = best
    for mask in range(1, whole):
        for position in range(n):
            if mask >> position & 1:
                continue
            best = top[kinds[cards[position]], mask]
            rest = mask & ~(1 << best)
            last[position, mask] = best
            if rest:
                last[position, mask] = last[best, rest]


@njit(cache=True, nogil=True)
def _weights(kinds, kind_counts, cards, n, weights):  # type: ignore[no-untyped-def]
    """Start cards of each kind outside a set."""
    for kind in range(_KINDS):
        weights[kind] = kind_counts[kind]
    for position in range(n):
        weights[kinds[cards[position]]] -= 1


@njit(cache=True, nogil=True)
def _mistakes(kinds, cards, n, second, top, last, wrong):  # type: ignore[no-untyped-def]
    """From the second card on: by look, mistakes that change the last card.

    Returns
    -------
    int
        1 if a look can be left out, else 0: whichever card it gave, except the last one itself,
        the last card would be the same.
    """
    mask = ((1 << n) - 1) & ~(1 << second)
    end = last[second, mask]
    current, skipped = second, 0
    for look in range(1, n - 1):
        found = top[kinds[cards[current]], mask]
        bad = np.int64(0)
        for position in range(n):
            if mask >> position & 1 and position != found:
                bad += np.int64(last[position, mask & ~(1 << position)] != end)
        wrong[look] = bad
        # The last card itself as a mistake is always bad; a look with just that one decides.
        if bad == 1 and look < n - 2:
            skipped = 1
        mask &= ~(1 << found)
        current = found
    return skipped


@njit(cache=True, nogil=True)
def measure_kernel(strengths, kinds, kind_counts, n, mistakes, ends, at, wrong, totals):  # type: ignore[no-untyped-def]
    """Count all layouts of a deck.

    Parameters
    ----------
    strengths, kinds
        Of the deck.
    kind_counts : (8,) int64
        Balls of each kind.
    n
        4 or 5 outer cards.
    mistakes
        Whether to count what single mistakes do; else `wrong` and two of `totals` stay 0.
    ends : (8, 50) int64
        Filled: layouts by kind of the start card and last card.
    at : (sets, 8) uint8
        Filled: position of the last card by set, in the order of `next_set`, and kind.
    wrong : (4,) int64
        Filled: by look, pairs of a layout and a single mistake that change the last card.
    totals : (4,) int64
        Filled: layouts; layouts that the best guess before the start card is turned gets right;
        layouts in which a look can be left out; in which that is the first look.
    """
    cards = np.arange(5)
    top, last = np.zeros((_KINDS, 32), np.int64), np.zeros((5, 32), np.int64)
    weights, by_end = np.zeros(_KINDS, np.int64), np.zeros(5, np.int64)
    deeper, skips = np.zeros((5, 4), np.int64), np.zeros(5, np.int64)
    whole = (1 << n) - 1
    ends[:], wrong[:], totals[:] = 0, 0, 0
    for row in range(at.shape[0]):
        follow_all(strengths, kinds, cards, n, top, last)
        _weights(kinds, kind_counts, cards, n, weights)
        by_end[:] = 0
        if mistakes:
            for second in range(n):
                skips[second] = _mistakes(kinds, cards, n, second, top, last, deeper[second])
        for kind in range(_KINDS):
            weight = weights[kind]
            second = top[kind, whole]
            end = last[second, whole & ~(1 << second)]
            ends[kind, cards[end]] += weight
            by_end[end] += weight
            totals[0] += weight
            at[row, kind] = end
            if not mistakes:
                continue
            bad = np.int64(0)
            for position in range(n):
                if position != second:
                    bad += np.int64(last[position, whole & ~(1 << position)] != end)
            wrong[0] += weight * bad
            for look in range(1, n - 1):
                wrong[look] += weight * deeper[second, look]
            totals[2] += weight * np.int64(bad == 1 or skips[second] == 1)
            totals[3] += weight * np.int64(bad == 1)
        totals[1] += by_end.max()
        next_set(cards, n)


@njit(cache=True, nogil=True)
def guess_kernel(kinds, kind_counts, n, ends, at):  # type: ignore[no-untyped-def]
    """Layouts that the best guess from the start card's ball alone gets right.

    Parameters
    ----------
    kinds, kind_counts, n
        As for `measure_kernel`.
    ends, at
        What it filled.
    """
    # A card's chance to be last is ends / (start cards of the kind beside it): put over one
    # denominator. Sets are drawn alike for all cards.
    scores = np.empty((_KINDS, _CARDS), np.int64)
    for kind in range(_KINDS):
        count = kind_counts[kind]
        for card in range(_CARDS):
            other = count if kinds[card] == kind else count - 1
            scores[kind, card] = ends[kind, card] * max(other, 1)
    cards = np.arange(5)
    weights = np.zeros(_KINDS, np.int64)
    hits = np.int64(0)
    for row in range(at.shape[0]):
        _weights(kinds, kind_counts, cards, n, weights)
        for kind in range(_KINDS):
            best = 0
            most = scores[kind, cards[0]]
            for position in range(1, n):
                score = scores[kind, cards[position]]
                if score > most:
                    best, most = position, score
            if at[row, kind] == best:
                hits += weights[kind]
        next_set(cards, n)
    return hits


@njit(cache=True, nogil=True)
def repeat_kernel(strengths, kinds, kind_counts, n, sets):  # type: ignore[no-untyped-def]
    """Pairs of successive rounds whose last card is at the same place.

    After a round the start card takes the place of the last card. So the place is the same when
    the old start card is the last one of the next chain.

    Parameters
    ----------
    strengths, kinds, kind_counts, n
        As for `measure_kernel`.
    sets
        How many sets to look at, from the first.

    Returns
    -------
    int
        Of all choices of a set, a start card and the next start card, those with the same place.
    """
    cards, after = np.arange(5), np.empty(5, np.int64)
    top, last = np.zeros((_KINDS, 32), np.int64), np.zeros((5, 32), np.int64)
    top2, last2 = np.zeros((_KINDS, 32), np.int64), np.zeros((5, 32), np.int64)
    weights = np.zeros(_KINDS, np.int64)
    whole = (1 << n) - 1
    found = np.int64(0)
    for _ in range(sets):
        follow_all(strengths, kinds, cards, n, top, last)
        _weights(kinds, kind_counts, cards, n, weights)
        for start in range(_CARDS):
            inside = False
            for position in range(n):
                inside |= cards[position] == start
            if inside:
                continue
            second = top[kinds[start], whole]
            won = last[second, whole & ~(1 << second)]
            for position in range(n):
                after[position] = cards[position]
            after[won] = start
            follow_all(strengths, kinds, after, n, top2, last2)
            for kind in range(_KINDS):
                second = top2[kind, whole]
                if last2[second, whole & ~(1 << second)] == won:
                    found += weights[kind] - np.int64(kind == kinds[start])
        next_set(cards, n)
    return found


@njit(cache=True, nogil=True)
def _score(strengths, kinds, kind_counts, n, tricky, look_weights, ends, at, wrong, totals):  # type: ignore[no-untyped-def]
    """What a search makes larger: mistakes that tell, or layouts that a guess gets wrong."""
    measure_kernel(strengths, kinds, kind_counts, n, tricky, ends, at, wrong, totals)
    if tricky:
        score = np.int64(0)
        for look in range(n - 1):
            score += look_weights[look] * wrong[look]
        return score
    return totals[0] - guess_kernel(kinds, kind_counts, n, ends, at)


@njit(cache=True, nogil=True)
def search_kernel(seed, start, steps, n, tricky, look_weights, at, strengths, kinds):  # type: ignore[no-untyped-def]
    """Change a deck step by step, and keep what is no worse.

    A step exchanges the numbers of one colour, or the balls, of two cards.

    Parameters
    ----------
    seed, start
        uint64 and int64: which words; `start` is the number of the search.
    steps, n
        How many steps; 4 or 5 outer cards.
    tricky
        What to look for; see `_score`.
    look_weights : (4,) int64
        Weights of the looks in the mean over mistakes.
    at
        Work, as for `measure_kernel`.
    strengths : (8, 50) uint8, kinds : (50,) uint8
        The deck; changed.

    Returns
    -------
    first, score, kept
        The score before and after, and steps that were kept.
    """
    ends, wrong = np.zeros((_KINDS, _CARDS), np.int64), np.zeros(4, np.int64)
    totals, kind_counts = np.zeros(4, np.int64), np.zeros(_KINDS, np.int64)
    for card in range(_CARDS):
        kind_counts[kinds[card]] += 1
    score = _score(strengths, kinds, kind_counts, n, tricky, look_weights, ends, at, wrong, totals)
    first, kept = score, np.int64(0)
    for step in range(steps):
        words = philox_kernel(np.uint64((start << 32) + step), _0, seed, _STREAM)
        what = np.int64(words[0] % np.uint64(_COLOURS + 1))
        one = np.int64(words[1] % np.uint64(_CARDS))
        two = np.int64(words[2] % np.uint64(_CARDS - 1))
        two += np.int64(two >= one)
        exchange(strengths, kinds, what, one, two)
        found = _score(
            strengths, kinds, kind_counts, n, tricky, look_weights, ends, at, wrong, totals
        )
        if found >= score:
            kept += np.int64(found > score)
            score = found
        else:
            exchange(strengths, kinds, what, one, two)
    return first, score, kept


@njit(cache=True, nogil=True)
def exchange(strengths, kinds, what, one, two):  # type: ignore[no-untyped-def]
    """Exchange the numbers of colour `what` of two cards, or their balls if it is 4."""
    if what == _COLOURS:
        kinds[one], kinds[two] = kinds[two], kinds[one]
        return
    for kind in range(2 * what, 2 * what + 2):
        kept = strengths[kind, one]
        strengths[kind, one] = strengths[kind, two]
        strengths[kind, two] = kept
