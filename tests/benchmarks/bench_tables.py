"""How fast tables of several players are sampled, against odds by enumeration.

Run: ``python tests/benchmarks/bench_tables.py [--deals N] [--brute N]``. The brute force follows
the same strategies, compiled, with five-card classes from the same tables, but goes through every
completion of every player who waits at every decision, and for the last two through every pair of
completions. It works out no values and no controls. One thread; both see the same deals of the
rulebook's game, and the actions of all players are compared.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from numba import njit

from ricochet_casino.cards import additive
from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.shuffle import deals
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.controls import features_of
from ricochet_casino.games.ricochet_poker.self_interest import levels
from ricochet_casino.games.ricochet_poker.simulation_kernel import class_of
from ricochet_casino.games.ricochet_poker.table_arrays import N_LEVELS, terms_of
from ricochet_casino.games.ricochet_poker.table_sampling import CompiledTable
from ricochet_casino.games.ricochet_poker.units import Rules

SCALE = 1 << 20
DECK = 52
MOST = 14_190
"""Completions of one player, of 45 cards."""
_0, _1, _2, _3 = (np.uint64(number) for number in range(4))


@njit
def enumerate_completions(cards, seat, draw, words, five, flushes, hand, classes, masks):
    """Classes of one player's completions, and the cards of each as a mask; how many there are."""
    hand[0], hand[1] = cards[2 * seat], cards[2 * seat + 1]
    found = 0
    for a in range(draw, DECK):
        for b in range(a + 1, DECK):
            for c in range(b + 1, DECK):
                hand[2], hand[3], hand[4] = cards[a], cards[b], cards[c]
                classes[found] = class_of(hand, _0, _2, words, five, flushes)
                masks[found] = 1 << a | 1 << b | 1 << c
                found += 1
    return found


@njit
def group_of_many(waiting, total, classes, to_beat, pot, bet, bonus, values):
    """Gain of the group by marginal odds."""
    later, gain = 0, 0
    values[waiting, :] = 0
    for j in range(waiting - 1, -1, -1):
        reach = earned = 0
        for i in range(total):
            reach += classes[j, i] >= to_beat
            earned += bonus[classes[j, i]]
        for m in range(j + 1):
            won = SCALE * (pot + (m + 1) * bet) + later * SCALE // total
            drawn = reach * won + (total - reach) * values[j + 1, m + 1]
            play = earned * SCALE // total + drawn // total - bet * SCALE
            gain = play - values[j + 1, m]
            values[j, m] = max(play, values[j + 1, m])
        later += earned
    return gain


@njit
def group_of_two(total, classes, masks, to_beat, pot, bet, bonus):
    """Gain of the group when two are left, over all pairs of completions."""
    replies = won = earned = play = 0
    for j in range(total):
        won += classes[1, j] >= to_beat
        earned += bonus[classes[1, j]]
        replies += masks[0] & masks[j] == 0
    fold = max(won * (pot + bet) - bet * total + earned, 0) * replies
    for i in range(total):
        wins = earned = 0
        for j in range(total):
            if masks[i] & masks[j] == 0:
                wins += classes[1, j] >= to_beat
                earned += bonus[classes[1, j]]
        play += (bonus[classes[0, i]] - bet) * replies
        if classes[0, i] >= to_beat:
            play += (pot + bet) * replies + earned
        else:
            play += max((pot + 2 * bet) * wins + earned - bet * replies, 0)
    return play - fold


@njit
def share(pot, sharing, place):
    """Units of one of those who tie."""
    return pot // sharing + (place >= sharing - pot % sharing)


@njit
def own_of_two(total, classes, masks, to_beat, leaders, pot, bet, bonus):
    """Gain of the first of two who play for themselves, over all pairs."""
    replies = gain = 0
    for j in range(total):
        replies += masks[0] & masks[j] == 0
    after = pot + 2 * bet
    for i in range(total):
        gain += (bonus[classes[0, i]] - bet) * replies
        own = classes[0, i]
        if own < to_beat:
            continue
        sharing = leaders + 1 if leaders and own == to_beat else 1
        above = level = earned = 0
        for j in range(total):
            if masks[i] & masks[j] == 0:
                above += classes[1, j] > own
                level += classes[1, j] == own
                earned += bonus[classes[1, j]]
        tie = share(after, sharing + 1, sharing)
        if above * after + level * tie + earned - bet * replies >= 0:
            gain += (replies - above - level) * share(after, sharing, sharing - 1)
            gain += level * share(after, sharing + 1, sharing - 1)
        else:
            gain += replies * share(pot + bet, sharing, sharing - 1)
    return gain


@njit
def own_of_many(
    waiting, total, classes, to_beat, leaders, pot, bet, bonus, level_of, counts, holds
):
    """Gain of the first of many who play for themselves, by marginal odds and levels."""
    for m in range(waiting + 1):
        holds[m, :] = SCALE * (pot + m * bet)
    for j in range(waiting - 1, 0, -1):
        counts[:] = 0
        earned = 0
        for i in range(total):
            counts[level_of[classes[j, i]]] += 1
            earned += bonus[classes[j, i]]
        price = earned * SCALE // total - bet * SCALE
        for m in range(1, j + 1):  # rising: row m + 1 still holds what follows
            better, below = 0, total
            for level in range(N_LEVELS - 1, -1, -1):
                here, after = counts[level], holds[m + 1, level]
                below -= here
                plays = (better + here * after // 2) // total + price >= 0
                better += here * after
                if plays:
                    holds[m, level] = (2 * below + here) * after // (2 * total)
    won = ties = earned = 0
    for i in range(total):
        own = classes[0, i]
        earned += bonus[own]
        if own > to_beat or (own == to_beat and not leaders):
            won += holds[1, level_of[own]]
        elif own == to_beat:
            ties += holds[1, level_of[own]]
    if leaders:
        won += ties // (leaders + 1)
    return won // total + earned * SCALE // total - bet * SCALE


@njit
def own_of_one(total, classes, to_beat, leaders, pot, bet, bonus):
    """Gain of the last player for himself."""
    gain = 0
    tie = share(pot + bet, leaders + 1, leaders)
    for i in range(total):
        own = classes[0, i]
        gain += bonus[own] - bet
        if own > to_beat or (own == to_beat and not leaders):
            gain += pot + bet
        elif own == to_beat:
            gain += tie
    return gain


@njit
def play_by_enumeration(
    cards, order, dealer_class, game, individual, bonus, words, five, flushes, level_of, hand,
    classes, masks, values, counts, holds, actions,
):  # fmt: skip
    """One round of the rulebook's game; fills the actions by seat."""
    players, bet = game.players, game.play_bet
    pot, draw = players * game.ante + game.dealer_ante, 2 * players + 5
    dealer_in = dealer_class < game.kickout_class
    to_beat = dealer_class if dealer_in else -1
    leaders = folded = 0
    for turn in range(players):
        seat, waiting = order[turn], players - turn
        alone = not dealer_in and leaders == 0 and folded + 1 == players
        gain = 0  # with the dealer out a play is free for the group
        if not alone and (dealer_in or individual):
            for j in range(waiting):
                total = enumerate_completions(
                    cards, order[turn + j], draw, words, five, flushes, hand, classes[j], masks
                )
            if waiting > 2 and individual:
                gain = own_of_many(
                    waiting, total, classes, to_beat, leaders, pot, bet, bonus, level_of, counts,
                    holds,
                )  # fmt: skip
            elif waiting > 2:
                gain = group_of_many(waiting, total, classes, to_beat, pot, bet, bonus, values)
            elif waiting == 2 and individual:
                gain = own_of_two(total, classes, masks, to_beat, leaders, pot, bet, bonus)
            elif waiting == 2:
                gain = group_of_two(total, classes, masks, to_beat, pot, bet, bonus)
            else:
                gain = own_of_one(total, classes, to_beat, leaders, pot, bet, bonus)
        actions[seat] = 2 if alone else gain >= 0
        if gain < 0:
            folded += 1
            continue
        pot += 0 if alone else bet
        hand[0], hand[1] = cards[2 * seat], cards[2 * seat + 1]
        hand[2:] = cards[draw : draw + 3]
        own = class_of(hand, _0, _2, words, five, flushes)
        draw += 3
        if own >= to_beat:
            leaders = leaders + 1 if own == to_beat and not dealer_in else 1
            to_beat, dealer_in = own, False


def brute_force(rules: Rules, strategy: str) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Plays decks, given the order of action and the dealer's class of each."""
    game, bonus = terms_of(rules), np.array([rules.bonus(c) for c in range(N_CLASSES)])
    words, five, flushes = additive.card_words(5), additive.five_table(), additive.flush_table()
    hand, masks = np.zeros(5, dtype=np.uint8), np.zeros(MOST, dtype=np.int64)
    classes = np.zeros((7, MOST), dtype=np.int64)
    values, counts = np.zeros((9, 9), dtype=np.int64), np.zeros(N_LEVELS, dtype=np.int64)
    holds = np.zeros((9, N_LEVELS), dtype=np.int64)

    def solve(decks, orders, dealers):
        actions = np.zeros((len(decks), rules.players), dtype=np.uint8)
        for deck, order, dealer, row in zip(decks, orders, dealers, actions, strict=True):
            play_by_enumeration(
                deck, order, dealer, game, strategy == "individual", bonus, words, five, flushes,
                levels(), hand, classes, masks, values, counts, holds, row,
            )  # fmt: skip
        return actions

    return solve


def compare(players: int, strategy: str, number: int, few: int) -> tuple[float, float]:
    """Deals per second by the kernels, values and controls included, and by brute force."""
    rules = load_paytable("rulebook").rules(players)
    table = CompiledTable(rules, (strategy,) * players, features_of(rules))
    decks = deals(1, 4, 0, few, count=DECK)
    rounds, _ = table.play(decks)
    orders = rounds.order.reshape(few, players).astype(np.int64)
    dealers = rounds.dealer_class.astype(np.int64)
    solve = brute_force(rules, strategy)
    solve(decks[:2], orders[:2], dealers[:2])  # compiles
    start = time.perf_counter()
    actions = solve(decks, orders, dealers)
    brute = few / (time.perf_counter() - start)
    if (actions != rounds.actions.reshape(few, players)).any():
        raise AssertionError("the contestants disagree")
    table.sample(1, 4, 0, 256, None)
    start = time.perf_counter()
    table.sample(1, 4, 0, number, None)
    return number / (time.perf_counter() - start), brute


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=50_000)
    parser.add_argument("--brute", type=int, default=20)
    options = parser.parse_args()
    print(f"{'strategy':<12}{'players':>8}{'deals/s':>11}{'by enumeration':>16}{'ratio':>10}")
    contests = [("collective", n) for n in range(1, 8)] + [("individual", 3), ("individual", 7)]
    for strategy, players in contests:
        number = options.deals if strategy == "collective" else options.deals // 10
        few = 50 * options.brute if players == 1 else options.brute
        fast, brute = compare(players, strategy, number, few)
        print(f"{strategy:<12}{players:>8}{fast:>11,.0f}{brute:>16,.1f}{fast / brute:>10,.0f}")


if __name__ == "__main__":
    main()
