"""What the compiled hands of the home game are given and fill: the layouts of all arrays.

One hand of play is one row of numbers, `SIZE` of int64: where each part begins stands here.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.partial import CATEGORIES
from ricochet_casino.cards.partial_tables import order_tables
from ricochet_casino.games.home_poker.rules import Event, Kind
from ricochet_casino.games.home_poker.settings import MOST_PLAYERS, Settings

# Parts of a hand of play: seven cards of each seat, then by seat: cards held, word of the hand
# (cards/partial_tables.py), order number, still in, net, number of the last action.
HANDS: Final = 0
HELD: Final = 56
WORDS: Final = 64
ORDERS: Final = 72
LIVE: Final = 80
NET: Final = 88
ACTED: Final = 96
# Single numbers: units in the pot, place of the next card and end of the stub, hands still in,
# actions so far, seat to act (-1: over), winners, reshuffles, events told (-1: none are), state
# of the random numbers, cards of hands that are out, deal number (-1: a playout).
POT: Final = 104
NEXT: Final = 105
END: Final = 106
ALIVE: Final = 107
TURN: Final = 108
SEAT: Final = 109
WINNERS: Final = 110
RESHUFFLES: Final = 111
TOLD: Final = 112
RANDOM: Final = 113
DEAD: Final = 114
DEAL: Final = 115
# Counted for statistics: purchases, cards bought, cards paid for and not dealt, folds, hands
# beaten after a purchase, full hands that became lowest.
BUYS: Final = 116
BOUGHT: Final = 117
UNDEALT: Final = 118
FOLDS: Final = 119
BEATEN: Final = 120
FULL: Final = 121
# The rules: players, hand limit, starting cards, units of a chip and of an ante, index into
# `LEVELS`, whether an empty stub is filled, cards in the deck, whether it has one Joker; and draws
# of pot odds, playouts when looking ahead, draws of pot odds within a playout.
PLAYERS: Final = 122
LIMIT: Final = 123
STARTING: Final = 124
UNIT: Final = 125
ANTE: Final = 126
LEVEL: Final = 127
RESHUFFLE: Final = 128
DECK: Final = 129
ONE_JOKER: Final = 130
SAMPLES: Final = 131
PLAYOUTS: Final = 132
INNER: Final = 133
STUB: Final = 134
SIZE: Final = STUB + 54

KINDS: Final = tuple(Kind)
"""What column 0 of an event means."""
COLUMNS: Final = 6
"""Of an event: kind, seat, pot, chips, card, number."""
LEVELS: Final = ("suit", "split", "stay")
"""What the number at `LEVEL` means."""
MOST_ACTIONS: Final = 64
"""More than a hand of play can have: every purchase brings a card, and a player folds once."""
FIRST_CARDS: Final = 14
"""Ranks of a first card: deuce to ace, Joker."""

Array = npt.NDArray[Any]


class Work(NamedTuple):
    """Room for the kernels.

    Attributes
    ----------
    hand, playout, trial
        (SIZE,) int64 each: the hand of play, one in an imagined future, and one for odds.
    cards
        (N * C,) uint8: C cards of each of N deals.
    words, places, deck, accepted, factors
        As in `shuffle_kernel.deal_kernel`.
    orders
        As in `partial_tables.OrderTables`.
    """

    hand: Array
    playout: Array
    trial: Array
    cards: Array
    words: Array
    places: Array
    deck: Array
    accepted: Array
    factors: Array
    orders: Array


# Parts of the sums over hands of play, one row of `SUMS` int64: by seat net, its square, pots won
# alone and split; `TOTALS`; hands of play by actions, by chips in the pot and by winners; winning
# hands by category and by cards; by rank of the first card of one seat of each deal: hands, net,
# its square, pots won or shared; hands of play whose nets do not sum to zero.
NETS: Final = 0
SQUARES: Final = 8
ALONE: Final = 16
SHARED: Final = 24
ALL: Final = 32
ACTIONS: Final = 43
POTS: Final = ACTIONS + MOST_ACTIONS
MOST_POT: Final = 255
BY_WINNERS: Final = POTS + MOST_POT + 1
BY_CATEGORY: Final = BY_WINNERS + MOST_PLAYERS + 1
BY_SIZE: Final = BY_CATEGORY + len(CATEGORIES)
FIRSTS: Final = BY_SIZE + 8
BROKEN: Final = FIRSTS + 4 * FIRST_CARDS
SUMS: Final = BROKEN + 1

TOTALS: Final = (
    "pot", "pot_squares", "actions", "action_squares", "buys", "cards_bought", "cards_undealt",
    "folds", "beaten", "full", "reshuffles",
)  # fmt: skip
"""What stands from place `ALL` of the sums on."""


def hand_for(
    settings: Settings, players: int, samples: int, playouts: int, inner: int
) -> npt.NDArray[np.int64]:
    """A row for hands of play by these rules."""
    hand = np.zeros(SIZE, dtype=np.int64)
    hand[PLAYERS : INNER + 1] = (
        players, settings.hand_limit, settings.starting_cards, settings.unit,
        settings.ante * settings.unit, LEVELS.index(settings.level_hands),
        settings.empty_stub == "reshuffle", len(settings.deck), settings.jokers == 1,
        samples, playouts, inner,
    )  # fmt: skip
    return hand


def work_for(
    settings: Settings, players: int, batch: int, samples: int, playouts: int, inner: int
) -> Work:
    """Room for a batch of deals, and the tables."""
    from ricochet_casino.cards.shuffle_kernel import LANES, modulus_tables

    accepted, factors = modulus_tables()
    size = len(settings.deck)
    rows = (size + 3) // 4 * 4
    return Work(
        hand=hand_for(settings, players, samples, playouts, inner),
        playout=np.zeros(SIZE, dtype=np.int64),
        trial=np.zeros(SIZE, dtype=np.int64),
        cards=np.zeros(batch * cards_needed(settings, players), dtype=np.uint8),
        words=np.zeros((rows, LANES), dtype=np.uint64),
        places=np.zeros((rows, LANES), dtype=np.uint8),
        deck=np.zeros(size, dtype=np.uint8),
        accepted=accepted,
        factors=factors,
        orders=order_tables().orders,
    )


def cards_needed(settings: Settings, players: int) -> int:
    """Most cards that a hand of play can take from the deck."""
    return min(len(settings.deck), players * settings.hand_limit)


def most_events(settings: Settings, players: int) -> int:
    """More events than a hand of play can have."""
    return players * (3 * settings.hand_limit + 6) + MOST_ACTIONS


def read_events(rows: Array, counts: Sequence[int]) -> list[tuple[Event, ...]]:
    """Events of each hand of play as the referee's records.

    Parameters
    ----------
    rows
        (N, E, COLUMNS) int64.
    counts
        How many of the E are told, for each.
    """
    found = []
    for told, count in zip(rows, counts, strict=True):
        events = told[:count].tolist()
        found.append(tuple(Event(KINDS[kind], *rest) for kind, *rest in events))
    return found
