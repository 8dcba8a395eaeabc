"""Compiled sums over all deals of two hands to dealers of one class.

What a deal is worth depends on the ranks of all cards and, for a suited hand, on the ranks of its
suit that can still come, the *open* ones. So deals are taken by the ranks of both hands, and for
each of those by *cells*: nobody suited; one of the two, by the open ranks; both, in one suit or in
two. A cell has a weight, the number of deals in it, and is worked out once. Derivation:
docs/math.md, section 10.6.

All sums are integers. The kernels trust their arguments; two_players_cells.py checks, and is their
only caller.
"""

from numba import njit

from ricochet_casino.games.ricochet_poker.table_odds_kernel import (
    RANKS,
    choose2,
    choose3,
    is_worth,
)
from ricochet_casino.games.ricochet_poker.two_players_draws_kernel import (
    GAIN_BITS,
    first_cell,
    plain_kernel,
    second_cell,
    undone,
    undone_same,
    weigh_draws,
)

_FULL = (1 << RANKS) - 1
_FREE, _MAY_PLAY = 0, 1  # places in simulation_tables.LAST_HANDS
_DRAWS = (1 << GAIN_BITS) - 1
VALUE, DEALS, FIRST_FOLDS, SECOND_FOLDS, BEATEN, BETS_LOST = range(6)
"""Columns of what is added up by ranks of both hands, see `hands_kernel`."""


@njit(cache=True, nogil=True)
def _enter(weight, lost, bonuses, extra, reach, value, plays, bonus_lost, game, work, room, out):  # type: ignore[no-untyped-def]
    """Enter a cell (8.3).

    Parameters
    ----------
    weight
        Deals.
    lost
        The first's draws that do not beat the dealer.
    bonuses
        Sum of the first's bonuses over all her draws.
    extra, reach
        The second's, before she draws: bonuses, and draws that reach the dealer.
    value, plays
        Sum of his gains, with draws, over those of her losing draws after which he plays; their
        number.
    bonus_lost
        Sum of his bonuses over all her losing draws.
    game, work, room
        As documented there.
    out
        Row of sums.
    """
    total, replies = choose3(work.size), choose3(work.size - 3)
    bet, if_equal, pot = game.play_bet, game.if_equal, room.pot
    alone = reach * (pot + bet) - bet * total + extra
    fold = alone * replies if is_worth(alone, if_equal) else 0
    gains, draws = value >> GAIN_BITS, value & _DRAWS
    play = (pot * (total - lost) - bet * lost + bonuses + extra) * replies + gains - bonus_lost
    out[DEALS] += weight
    if is_worth(play - fold, if_equal):
        out[VALUE] += weight * play
        out[BEATEN] += weight * ((total - lost) * replies + draws)
        out[BETS_LOST] += weight * ((lost + plays) * replies - 2 * draws)
        folds = lost - plays
        if not is_worth(extra, if_equal):
            folds += total - lost
    else:
        out[VALUE] += weight * fold
        out[FIRST_FOLDS] += weight
        folds = total
        if is_worth(alone, if_equal):
            folds = 0
            out[BEATEN] += weight * reach * replies
            out[BETS_LOST] += weight * (total - reach) * replies
    out[SECOND_FOLDS] += weight * folds


@njit(cache=True, nogil=True)
def _enter_out(weight, bonuses, extra, game, work, room, out):  # type: ignore[no-untyped-def]
    """Enter a cell whose dealer is kicked out (8.4); arguments as in `_enter`."""
    total, replies = choose3(work.size), choose3(work.size - 3)
    free = is_worth(extra, game.if_equal)
    takes = game.last_hand == _FREE or (game.last_hand == _MAY_PLAY and free)
    gain = bonuses + (int(free) - int(takes)) * extra
    plays = is_worth(gain, game.if_equal)
    earned = bonuses + int(free) * extra if plays else int(takes) * extra
    out[VALUE] += weight * (room.pot * total + earned) * replies
    out[DEALS] += weight
    if not plays:
        out[FIRST_FOLDS] += weight
    elif not free:
        out[SECOND_FOLDS] += weight * total


@njit(cache=True, nogil=True)
def _spread(high, low, taken, mask, weight, other, dealt, base, cells, weights, ranks):  # type: ignore[no-untyped-def]
    """Cells of a suited hand beside an unsuited one; returns the number of cells and of deals.

    Parameters
    ----------
    high, low
        Ranks of the unsuited hand.
    taken
        Ranks of the suited one, one bit each.
    mask, weight, other
        Ranks that the dealer holds in the suit; how often; and how often the unsuited hand could
        be dealt in another suit.
    dealt
        (13,) the dealer's cards by rank.
    base
        Number of cells so far.
    cells
        (8192,) number of the cell by open ranks, -1 for none; filled in.
    weights, ranks
        Deals and open ranks by cell, filled in.
    """
    whole = _FULL & ~mask & ~taken
    out_high = 3 - dealt[high] + (mask >> high & 1)
    out_low = 3 - dealt[low] + (mask >> low & 1)
    deals = 0
    for case in range(3 if high != low else 2):
        if case == 0:
            open_ranks = whole
            number = weight * out_high * out_low - other
            if high == low:
                number = weight * choose2(out_high)
        else:
            card, beside = (high, out_low) if case == 1 else (low, out_high)
            if not whole >> card & 1:
                continue
            open_ranks = whole & ~(1 << card)
            number = weight * beside
        deals += number
        cell = cells[open_ranks]
        if cell < 0:
            cell = base
            cells[open_ranks] = cell
            weights[cell] = 0
            ranks[cell] = open_ranks
            base += 1
        weights[cell] += number
    return base, deals


@njit(cache=True, nogil=True)
def _list_cells(pair, ranks_of, other, hands, cells, weights, ranks):  # type: ignore[no-untyped-def]
    """Cells of one suited hand of given ranks beside an unsuited one; their number and deals.

    Cells without deals are kept if a hand in another suit may need them.
    """
    high, low = ranks_of[other, 0], ranks_of[other, 1]
    taken = 1 << ranks_of[pair, 0] | 1 << ranks_of[pair, 1]
    base = deals = 0
    if ranks_of[pair, 0] == ranks_of[pair, 1]:
        return base, deals
    for m in range(hands.number):
        mask = hands.masks[m]
        if mask & taken:
            continue
        base, some = _spread(
            high, low, taken, mask, hands.weights[m], hands.beside[m, other], hands.dealt, base,
            cells, weights, ranks,
        )  # fmt: skip
        deals += some
    return base, deals


@njit(cache=True, nogil=True)
def _fill_left(first, second, ranks_of, hands, work):  # type: ignore[no-untyped-def]
    """Cards left of each rank; the number of ways to deal both hands, 0 if there is none."""
    left = work.left
    ways = 1
    for rank in range(RANKS):
        left[rank] = 4 - hands.dealt[rank]
    for pair in (first, second):
        high, low = ranks_of[pair, 0], ranks_of[pair, 1]
        ways *= choose2(left[high]) if high == low else left[high] * left[low]
        left[high] -= 1
        left[low] -= 1
        if left[high] < 0 or left[low] < 0:
            return 0
    return ways * hands.total


@njit(cache=True, nogil=True)
def _ranks_kernel(first, second, factor, ways, ranks_of, hands, game, work, room, out):  # type: ignore[no-untyped-def]
    """All deals of two hands of given ranks; `factor` multiplies what is entered."""
    dealer_in, to_reach = hands.dealer_class < game.kickout_class, hands.dealer_class
    if_equal = game.if_equal
    pot, price = room.pot + 2 * game.play_bet, game.play_bet * choose3(work.size - 3)
    plain_kernel(first, second, to_reach, pot, price, if_equal, work, room)
    weigh_draws(second, to_reach, pot, work, room)
    plain_reach, plain_extra = work.given_reach[0], work.given_bonus[0]
    lost, bonus = room.lost, room.first_bonus

    n_first, some = _list_cells(
        first, ranks_of, second, hands, room.first_of, room.first_weights, room.first_ranks
    )
    unsuited = ways - some
    for cell in range(n_first):
        first_cell(cell, room.first_ranks[cell], first, to_reach, work, room)
        if not dealer_in:
            row = room.firsts[cell]
            _enter_out(factor * room.first_weights[cell], bonus + row[0], plain_extra, game, work,
                       room, out)  # fmt: skip
            continue
        row = room.firsts[cell]
        value, plays = undone(cell, 0, if_equal, room)
        _enter(
            factor * room.first_weights[cell], lost - row[1], bonus + row[0], plain_extra,
            plain_reach, room.plain_value - value, room.plain_plays - plays, room.extras - row[3],
            game, work, room, out,
        )  # fmt: skip

    n_second, some = _list_cells(
        second, ranks_of, first, hands, room.second_of, room.second_weights, room.second_ranks
    )
    unsuited -= some
    for cell in range(n_second):
        second_cell(cell, room.second_ranks[cell], second, if_equal, work, room)
        row = room.seconds[cell]
        weight = factor * room.second_weights[cell]
        if dealer_in:
            _enter(weight, lost, bonus, plain_extra + row[1], plain_reach + row[2], row[4], row[5],
                   row[3], game, work, room, out)  # fmt: skip
        else:
            _enter_out(weight, bonus, plain_extra + row[1], game, work, room, out)

    if n_first and n_second:
        unsuited -= _both_suited(first, second, factor, ranks_of, hands, game, work, room, out)
    if dealer_in:
        _enter(factor * unsuited, lost, bonus, plain_extra, plain_reach, room.plain_value,
               room.plain_plays, room.extras, game, work, room, out)  # fmt: skip
    else:
        _enter_out(factor * unsuited, bonus, plain_extra, game, work, room, out)
    for cell in range(n_first):
        room.first_of[room.first_ranks[cell]] = -1
    for cell in range(n_second):
        room.second_of[room.second_ranks[cell]] = -1


@njit(cache=True, nogil=True)
def _both_suited(first, second, factor, ranks_of, hands, game, work, room, out):  # type: ignore[no-untyped-def]
    """Deals of two suited hands of given ranks; returns their number."""
    dealer_in, to_reach = hands.dealer_class < game.kickout_class, hands.dealer_class
    if_equal = game.if_equal
    plain_reach, plain_extra = work.given_reach[0], work.given_bonus[0]
    lost, bonus = room.lost, room.first_bonus
    mine = 1 << ranks_of[first, 0] | 1 << ranks_of[first, 1]
    his = 1 << ranks_of[second, 0] | 1 << ranks_of[second, 1]
    deals = 0
    for m in range(hands.number):
        if hands.masks[m] & mine:
            continue
        one = room.first_of[_FULL & ~hands.masks[m] & ~mine]
        a = room.firsts[one]
        for other in range(hands.number):
            number = hands.pairs[m, other]
            if number == 0 or hands.masks[other] & his:
                continue
            deals += number
            two = room.second_of[_FULL & ~hands.masks[other] & ~his]
            b = room.seconds[two]
            if not dealer_in:
                _enter_out(factor * number, bonus + a[0], plain_extra + b[1], game, work, room, out)
                continue
            value, plays = undone(one, b[0], if_equal, room)
            _enter(
                factor * number, lost - a[1], bonus + a[0], plain_extra + b[1], plain_reach + b[2],
                b[4] - value, b[5] - plays, b[3] - a[3] - a[1] * b[1], game, work, room, out,
            )  # fmt: skip
        if hands.masks[m] & his or mine & his:
            continue
        # One suit: neither list has a cell with both hands' ranks taken, so these rows are spare.
        deals += hands.weights[m]
        open_ranks = _FULL & ~hands.masks[m] & ~mine & ~his
        spare = room.seconds.shape[0] - 1
        second_cell(spare, open_ranks, second, if_equal, work, room)
        first_cell(spare, open_ranks, first, to_reach, work, room)
        a, b = room.firsts[spare], room.seconds[spare]
        weight = factor * hands.weights[m]
        if not dealer_in:
            _enter_out(weight, bonus + a[0], plain_extra + b[1], game, work, room, out)
            continue
        value, plays, extras = undone_same(
            first, second, open_ranks, to_reach, if_equal, work, room
        )
        _enter(
            weight, lost - a[1], bonus + a[0], plain_extra + b[1], plain_reach + b[2], b[4] - value,
            b[5] - plays, b[3] - extras, game, work, room, out,
        )  # fmt: skip
    return deals


@njit(cache=True, nogil=True)
def _place(pair, ranks_of):  # type: ignore[no-untyped-def]
    """Place of two ranks in the order of action: pairs last, then by higher and by lower rank."""
    high, low = ranks_of[pair, 0], ranks_of[pair, 1]
    return (RANKS * int(high == low) + high) * RANKS + low


@njit(cache=True, nogil=True)
def hands_kernel(wanted, ranks_of, hands, game, work, room, out):  # type: ignore[no-untyped-def]
    """All deals to two players and to dealers of one class, by the ranks of both hands.

    Parameters
    ----------
    wanted
        (91, 91) bool: whether deals of such a first and second hand are to be entered.
    ranks_of
        (91, 2) int64: higher and lower rank of each pair of ranks.
    hands
        The dealers (`two_players_cells.DealerHands`).
    game
        The rules as numbers.
    work
        From `table_arrays.work_for`; `size` set to the cards that can come.
    room
        From `two_players_cells.ExactTable`.
    out
        (91, 91, 6) int64, zeros, filled: twice the sum of values, in units times pairs of
        completions, from the decisions on; twice the deals; those in which the first folds; the
        second's folds, in deals times completions of the first; pairs of completions in which a
        dealer who stands is beaten; play bets lost to her, by pairs. Deals of equal ranks are
        entered once for each order of action.
    """
    for first in range(ranks_of.shape[0]):
        for second in range(ranks_of.shape[0]):
            mine = RANKS * (
                ranks_of[first, 0] + RANKS * int(ranks_of[first, 0] == ranks_of[first, 1])
            )
            his = RANKS * (
                ranks_of[second, 0] + RANKS * int(ranks_of[second, 0] == ranks_of[second, 1])
            )
            before = mine + ranks_of[first, 1] - his - ranks_of[second, 1]
            if before > 0 or not wanted[first, second]:
                continue
            ways = _fill_left(first, second, ranks_of, hands, work)
            if ways == 0:
                continue
            factor = 1 if before == 0 else 2
            _ranks_kernel(
                first, second, factor, ways, ranks_of, hands, game, work, room, out[first, second]
            )
