"""Compiled completion odds of several players at once, and of the last two together.

The fast twin of odds.py and of `two_players_kernel.collective_kernel`. All players complete from
the same stub, so the number of ways to draw each of the 455 rank triples is worked out once; a
player's odds are sums over the list of his triples, strongest first. What is suited stands in lists
of its own. The last two players need sums with one and with two cards given, which depend on ranks
alone but for one suit; every triple of the first player is then one look-up, and with a suited
second player one for each way in which its cards fall into that suit. Derivation: docs/math.md,
section 9.

The kernels trust their arguments; the layouts stand in table_arrays.py.
"""

from numba import njit

RANKS = 13
TRIPLES = 455
ONE = 1  # first place of the sums with one card given, by rank
TWO = 1 + RANKS  # and of those with two, by lower and higher rank


@njit(cache=True, nogil=True)
def is_worth(gain, if_equal):  # type: ignore[no-untyped-def]
    """Whether a gain is worth a play."""
    return gain > 0 or (if_equal and gain == 0)


@njit(cache=True, nogil=True)
def choose2(n):  # type: ignore[no-untyped-def]
    """Pairs out of n."""
    return n * (n - 1) // 2


@njit(cache=True, nogil=True)
def choose3(n):  # type: ignore[no-untyped-def]
    """Triples out of n."""
    return n * (n - 1) * (n - 2) // 6


@njit(cache=True, nogil=True)
def ways_kernel(work):  # type: ignore[no-untyped-def]
    """Fill `work.ways`: sets of three cards of the stub with each rank triple."""
    left, ranks, ways = work.left, work.ranks, work.ways
    for t in range(TRIPLES):
        i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
        if i < j:
            if j < k:
                ways[t] = left[i] * left[j] * left[k]
            else:
                ways[t] = left[i] * choose2(left[j])
        elif j < k:
            ways[t] = choose2(left[i]) * left[k]
        else:
            ways[t] = choose3(left[i])


@njit(cache=True, nogil=True)
def odds_kernel(pair, suit, to_reach, work, found):  # type: ignore[no-untyped-def]
    """Completions of one player: fill `found` with four numbers.

    Parameters
    ----------
    pair, suit
        Number of the two ranks; the suit of a suited hand, else -1.
    to_reach
        Class number.
    work
        As documented there; `work.ways` filled.
    found
        (5,) int64, of which four are filled: completions that reach the class, those above it,
        sums of the bonuses and of their squares.
    """
    reach = above = bonus = squares = 0
    ways = work.ways
    for q in range(work.length[pair]):
        hand_class = work.classes[pair, q]
        earns = work.pays[hand_class]
        if hand_class < to_reach and hand_class < work.first_bonus:
            break
        w = ways[work.triples[pair, q]]
        if hand_class >= to_reach:
            reach += w
            if hand_class > to_reach:
                above += w
        bonus += earns * w
        squares += work.pays_squared[hand_class] * w
    if suit >= 0:
        gone = ~work.suits[suit]
        for q in range(work.suit_length[pair]):
            if work.masks[pair, q] & gone:
                continue
            flush, plain = work.flush[pair, q], work.plain[pair, q]
            reach += int(plain < to_reach <= flush)
            above += int(plain <= to_reach < flush)
            bonus += work.pays[flush] - work.pays[plain]
            squares += work.pays_squared[flush] - work.pays_squared[plain]
    found[0], found[1], found[2], found[3] = reach, above, bonus, squares


@njit(cache=True, nogil=True)
def lines_kernel(pair, suit, work, counts):  # type: ignore[no-untyped-def]
    """Fill (L + 1,) `counts`: completions by bonus line from 1 on; 0 is not counted."""
    counts[:] = 0
    for q in range(work.length[pair]):
        hand_class = work.classes[pair, q]
        if hand_class < work.first_bonus:
            break
        counts[work.line_of[hand_class]] += work.ways[work.triples[pair, q]]
    if suit >= 0:
        gone = ~work.suits[suit]
        for q in range(work.suit_length[pair]):
            if work.masks[pair, q] & gone:
                continue
            counts[work.line_of[work.flush[pair, q]]] += 1
            counts[work.line_of[work.plain[pair, q]]] -= 1


@njit(cache=True, nogil=True)
def cards_kernel(pair, suit, to_reach, work, by_rank, by_suit):  # type: ignore[no-untyped-def]
    """Completions that reach a class and hold a given card.

    Parameters
    ----------
    pair, suit, to_reach, work
        As in `odds_kernel`.
    by_rank
        (13,) int64, filled: for a card of each rank.
    by_suit
        (13,) int64, filled: what is to be added if the card is of the suit of a suited hand.
    """
    by_rank[:] = 0
    by_suit[:] = 0
    left, ranks = work.left, work.ranks
    for q in range(work.length[pair]):
        if work.classes[pair, q] < to_reach:
            break
        t = work.triples[pair, q]
        i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
        a, b, c = left[i], left[j], left[k]
        if i < j:
            if j < k:
                by_rank[i] += b * c
                by_rank[j] += a * c
                by_rank[k] += a * b
            else:
                by_rank[i] += choose2(b)
                by_rank[j] += a * (b - 1)
        elif j < k:
            by_rank[i] += (a - 1) * c
            by_rank[k] += choose2(a)
        else:
            by_rank[i] += choose2(a - 1)
    if suit >= 0:
        gone = ~work.suits[suit]
        for q in range(work.suit_length[pair]):
            if work.masks[pair, q] & gone:
                continue
            if work.plain[pair, q] < to_reach <= work.flush[pair, q]:
                t = work.suit_triples[pair, q]
                by_suit[ranks[t, 0]] += 1
                by_suit[ranks[t, 1]] += 1
                by_suit[ranks[t, 2]] += 1


@njit(cache=True, nogil=True)
def given_kernel(pair, suit, to_reach, work):  # type: ignore[no-untyped-def]
    """Sums of the second player with no card, one, two and three cards given.

    `given_reach` and `given_bonus` (183,): by ranks alone; `given_suit_reach` and
    `given_suit_bonus`: what one-suit completions add; `given_own` (455, 4): the four of them with
    all three cards given.
    """
    work.given_reach[:] = 0
    work.given_bonus[:] = 0
    work.given_suit_reach[:] = 0
    work.given_suit_bonus[:] = 0
    work.given_own[:] = 0
    left, ranks = work.left, work.ranks
    reach, bonus = work.given_reach, work.given_bonus
    for q in range(work.length[pair]):
        hand_class = work.classes[pair, q]
        if hand_class < to_reach and hand_class < work.first_bonus:
            break
        wins, earns = int(hand_class >= to_reach), work.pays[hand_class]
        t = work.triples[pair, q]
        i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
        a, b, c = left[i], left[j], left[k]
        work.given_own[t, 0], work.given_own[t, 1] = wins, earns
        w = work.ways[t]
        reach[0] += wins * w
        bonus[0] += earns * w
        if i < j < k:
            reach[ONE + i] += wins * b * c
            reach[ONE + j] += wins * a * c
            reach[ONE + k] += wins * a * b
            bonus[ONE + i] += earns * b * c
            bonus[ONE + j] += earns * a * c
            bonus[ONE + k] += earns * a * b
            reach[TWO + RANKS * i + j] += wins * c
            reach[TWO + RANKS * i + k] += wins * b
            reach[TWO + RANKS * j + k] += wins * a
            bonus[TWO + RANKS * i + j] += earns * c
            bonus[TWO + RANKS * i + k] += earns * b
            bonus[TWO + RANKS * j + k] += earns * a
        elif i < j:
            reach[ONE + i] += wins * choose2(b)
            reach[ONE + j] += wins * a * (b - 1)
            bonus[ONE + i] += earns * choose2(b)
            bonus[ONE + j] += earns * a * (b - 1)
            reach[TWO + RANKS * i + j] += wins * (b - 1)
            reach[TWO + RANKS * j + j] += wins * a
            bonus[TWO + RANKS * i + j] += earns * (b - 1)
            bonus[TWO + RANKS * j + j] += earns * a
        elif j < k:
            reach[ONE + i] += wins * (a - 1) * c
            reach[ONE + k] += wins * choose2(a)
            bonus[ONE + i] += earns * (a - 1) * c
            bonus[ONE + k] += earns * choose2(a)
            reach[TWO + RANKS * i + i] += wins * c
            reach[TWO + RANKS * i + k] += wins * (a - 1)
            bonus[TWO + RANKS * i + i] += earns * c
            bonus[TWO + RANKS * i + k] += earns * (a - 1)
        else:
            reach[ONE + i] += wins * choose2(a - 1)
            bonus[ONE + i] += earns * choose2(a - 1)
            reach[TWO + RANKS * i + i] += wins * (a - 2)
            bonus[TWO + RANKS * i + i] += earns * (a - 2)
    if suit >= 0:
        gone = ~work.suits[suit]
        reach, bonus = work.given_suit_reach, work.given_suit_bonus
        for q in range(work.suit_length[pair]):
            if work.masks[pair, q] & gone:
                continue
            flush, plain = work.flush[pair, q], work.plain[pair, q]
            wins = int(plain < to_reach <= flush)
            earns = work.pays[flush] - work.pays[plain]
            t = work.suit_triples[pair, q]
            i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
            work.given_own[t, 2], work.given_own[t, 3] = wins, earns
            reach[0] += wins
            bonus[0] += earns
            for x in (i, j, k):
                reach[ONE + x] += wins
                bonus[ONE + x] += earns
            for x in (RANKS * i + j, RANKS * i + k, RANKS * j + k):
                reach[TWO + x] += wins
                bonus[TWO + x] += earns


@njit(cache=True, nogil=True)
def avoid(sums, i, j, k):  # type: ignore[no-untyped-def]
    """Sum over what avoids three cards of ranks i <= j <= k, all three given not yet taken off."""
    return (
        sums[0] - sums[ONE + i] - sums[ONE + j] - sums[ONE + k]
        + sums[TWO + RANKS * i + j] + sums[TWO + RANKS * i + k] + sums[TWO + RANKS * j + k]
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _avoid_some(sums, own, i, j, k, fi, fj, fk):  # type: ignore[no-untyped-def]
    """The same for one suit, into which only the flagged cards fall."""
    return (
        sums[0] - fi * sums[ONE + i] - fj * sums[ONE + j] - fk * sums[ONE + k]
        + fi * fj * sums[TWO + RANKS * i + j] + fi * fk * sums[TWO + RANKS * i + k]
        + fj * fk * sums[TWO + RANKS * j + k] - fi * fj * fk * own
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _falls(i, j, k, left, held, fi, fj, fk):  # type: ignore[no-untyped-def]
    """Ways to draw ranks i <= j <= k with just the flagged cards in a suit; held: its ranks."""
    a, b, c = left[i], left[j], left[k]
    x, y, z = held >> i & 1, held >> j & 1, held >> k & 1
    if i < j:
        first = x if fi else a - x
        if j < k:
            return first * (y if fj else b - y) * (z if fk else c - z)
        # Of two cards of one rank at most one is of the suit: the flag of the first stands for it.
        return 0 if fk else first * (y * (b - 1) if fj else choose2(b - y))
    if j < k:
        return 0 if fj else (x * (a - 1) if fi else choose2(a - x)) * (z if fk else c - z)
    return 0 if fj or fk else (x * choose2(a - 1) if fi else choose3(a - x))


@njit(cache=True, nogil=True)
def pair_kernel(  # type: ignore[no-untyped-def]
    first, first_suit, second, second_suit, to_reach, pot, price, with_bonus, if_equal, work, out
):
    """What follows when the first of two players plays against a standing dealer.

    Parameters
    ----------
    first, first_suit, second, second_suit
        The two hands, as in `odds_kernel`.
    to_reach
        The dealer's class.
    pot, price, with_bonus, if_equal
        As in `two_players_kernel.collective_kernel`.
    work
        As documented there.
    out
        (5,) int64, filled: as `two_players.PairCounts`.
    """
    _pairs_kernel(
        first, first_suit, second, second_suit, to_reach, pot, 0, 1, price, with_bonus, if_equal,
        work,
    )  # fmt: skip
    out[:] = work.pots_out[0]


@njit(cache=True, nogil=True)
def pair_pots_kernel(  # type: ignore[no-untyped-def]
    first, first_suit, second, second_suit, to_reach, pot, bet, pots, work
):
    """`pair_kernel` for `collective` and several pots at once, the first `pot`, each a bet higher.

    Fills rows of `work.pots_out`; wins and bonuses after a win are the same in all of them. A
    second player whose choices are worth the same plays, which changes no value.
    """
    _pairs_kernel(
        first, first_suit, second, second_suit, to_reach, pot + 2 * bet, bet, pots,
        bet * choose3(work.size - 3), True, True, work,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _pairs_kernel(  # type: ignore[no-untyped-def]
    first, first_suit, second, second_suit, to_reach, pot, step, pots, price, with_bonus, if_equal,
    work,
):  # fmt: skip
    """Fill `pots` rows of `work.pots_out` as `pair_kernel` does, for pots that grow by `step`."""
    given_kernel(second, second_suit, to_reach, work)
    left, ranks, own, out = work.left, work.ranks, work.given_own, work.pots_out
    out[:pots, :] = 0
    n = work.size
    lost = after_loss = 0
    held = work.suits[second_suit] if second_suit >= 0 else 0
    for q in range(work.length[first] - 1, -1, -1):  # from the weakest up to the dealer
        if work.classes[first, q] >= to_reach:
            break
        t = work.triples[first, q]
        w = work.ways[t]
        if w == 0:
            continue
        i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
        plain_wins = avoid(work.given_reach, i, j, k) - own[t, 0]
        plain_extra = avoid(work.given_bonus, i, j, k) - own[t, 1]
        lost += w
        for flags in range(8 if second_suit >= 0 else 1):
            wins, extra = plain_wins, plain_extra
            if second_suit >= 0:
                fi, fj, fk = flags & 1, flags >> 1 & 1, flags >> 2
                w = _falls(i, j, k, left, held, fi, fj, fk)
                if w == 0:
                    continue
                wins += _avoid_some(work.given_suit_reach, own[t, 2], i, j, k, fi, fj, fk)
                extra += _avoid_some(work.given_suit_bonus, own[t, 3], i, j, k, fi, fj, fk)
            after_loss += extra * w
            counted = extra if with_bonus else 0
            for m in range(pots):
                if is_worth((pot + m * step) * wins - price + counted, if_equal):
                    out[m, 1] += w
                    out[m, 2] += wins * w
                    out[m, 3] += extra * w
    if first_suit >= 0:  # draws of one suit that win although their ranks do not
        gone = ~work.suits[first_suit]
        same = int(first_suit == second_suit)
        for q in range(work.suit_length[first]):
            if work.masks[first, q] & gone:
                continue
            if not work.plain[first, q] < to_reach <= work.flush[first, q]:
                continue
            t = work.suit_triples[first, q]
            i, j, k = ranks[t, 0], ranks[t, 1], ranks[t, 2]
            wins = avoid(work.given_reach, i, j, k) - own[t, 0]
            extra = avoid(work.given_bonus, i, j, k) - own[t, 1]
            wins += _avoid_some(work.given_suit_reach, own[t, 2], i, j, k, same, same, same)
            extra += _avoid_some(work.given_suit_bonus, own[t, 3], i, j, k, same, same, same)
            lost -= 1
            after_loss -= extra
            counted = extra if with_bonus else 0
            for m in range(pots):
                if is_worth((pot + m * step) * wins - price + counted, if_equal):
                    out[m, 1] -= 1
                    out[m, 2] -= wins
                    out[m, 3] -= extra
    after_win = (work.given_bonus[0] + work.given_suit_bonus[0]) * choose3(n - 3) - after_loss
    for m in range(pots):
        out[m, 0], out[m, 4] = choose3(n) - lost, after_win
