"""Compiled: the first of the last three plays for the group against a standing dealer.

After each of her draws two are left, and then everything is known exactly. Derivation:
docs/math.md, section 8, "Three or more left".
"""

import numpy as np
from numba import njit

from ricochet_casino.games.ricochet_poker.simulation_kernel import class_of
from ricochet_casino.games.ricochet_poker.table_choice_kernel import (
    group_pair_kernel,
    refresh_kernel,
)
from ricochet_casino.games.ricochet_poker.table_kernel import put_back_kernel, take_kernel
from ricochet_casino.games.ricochet_poker.table_odds_kernel import is_worth, ways_kernel


@njit(cache=True, nogil=True)
def three_left_kernel(stub, pot, to_beat, with_bonus, game, work, out):  # type: ignore[no-untyped-def]
    """Follow every draw of the first of the last three.

    Parameters
    ----------
    stub
        (n,) uint8, the cards that can come.
    pot
        Units in the pot before her bet.
    to_beat
        The dealer's class.
    with_bonus
        Whether decisions count bonuses.
    game, work
        As documented in table_arrays.py; the stub is in `work`, and the last three players are in
        `work.holes`.
    out
        (3,) int64, filled: her draws that reach the dealer; the completions of both others
        after them, weighted with their bonuses; and, over her other draws, what the two who are
        left are worth in units times pairs of their completions. Sums fit for amounts
        that `table_sampling.check_amounts` lets pass.
    """
    turn, size, bet = game.players - 3, stub.size, game.play_bet
    cards = work.cards
    cards[0], cards[1] = work.holes[turn, 2], work.holes[turn, 3]
    wins = earned = worth = np.int64(0)
    for x in range(2, size):
        for y in range(1, x):
            for z in range(y):
                cards[2], cards[3], cards[4] = stub[x], stub[y], stub[z]
                take_kernel(2, 5, work)
                ways_kernel(work)
                refresh_kernel(turn + 1, to_beat, game, work)
                hand_class = class_of(
                    cards, np.uint64(0), np.uint64(2), work.words, work.five, work.flushes
                )
                if hand_class >= to_beat:
                    wins += 1
                    earned += work.odds[turn + 1, 2] + work.odds[turn + 2, 2]
                else:
                    gain = group_pair_kernel(
                        turn + 1, size - 3, pot + bet, to_beat, game, with_bonus, work
                    )
                    worth += work.worth[0 if is_worth(gain, game.if_equal) else 1]
                put_back_kernel(2, 5, work)
    out[0], out[1], out[2] = wins, earned, worth
