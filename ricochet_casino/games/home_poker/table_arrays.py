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
STUB: Final = 122
SIZE: Final = STUB + 54

KINDS: Final = tuple(Kind)
"""What column 0 of an event means."""
COLUMNS: Final = 6
"""Of an event: kind, seat, pot, chips, card, number."""
LEVELS: Final = ("suit", "split", "stay")
"""What the number in `Game.level_hands` means."""
MOST_ACTIONS: Final = 64
"""More than a hand of play can have: every purchase brings a card, and a player folds once."""
FIRST_CARDS: Final = 14
"""Ranks of a first card: deuce to ace, Joker."""

Array = npt.NDArray[Any]


class Game(NamedTuple):
    """The rules as numbers; see `Settings`. Amounts are units.

    Attributes
    ----------
    level_hands
        Index into `LEVELS`.
    samples, playouts
        Random draws of the pot-odds policy, and playouts of each action by the policy that looks
        ahead; there `inner` draws for pot odds.
    """

    players: np.int64
    limit: np.int64
    starting: np.int64
    unit: np.int64
    ante: np.int64
    level_hands: np.int64
    reshuffle: bool
    deck: np.int64
    one_joker: bool
    samples: np.int64
    playouts: np.int64
    inner: np.int64


class Tables(NamedTuple):
    """What the kernels look up.

    Attributes
    ----------
    words, starts, orders, flushes
        As in `partial_tables.OrderTables`.
    categories
        (9842,) int64, category by order number.
    accepted, factors
        As in `shuffle_kernel.deal_kernel`.
    """

    words: Array
    starts: Array
    orders: Array
    flushes: Array
    categories: Array
    accepted: Array
    factors: Array


class Work(NamedTuple):
    """Room for the kernels.

    Attributes
    ----------
    hand, playout, trial
        (SIZE,) int64 each: the hand of play, one in an imagined future, and one for odds.
    cards
        (N * C,) uint8: C cards of each of N deals.
    words, places, deck
        As in `shuffle_kernel.deal_kernel`.
    """

    hand: Array
    playout: Array
    trial: Array
    cards: Array
    words: Array
    places: Array
    deck: Array


class Sums(NamedTuple):
    """Integers that add up over hands of play; amounts are units.

    Attributes
    ----------
    nets, squares, alone, shared
        (8,) int64 by seat: net, its square, pots won alone and split.
    totals
        (11,) int64: pot, its square, actions, their square, purchases, cards bought, cards paid
        for and not dealt, folds, hands beaten, full hands that became lowest, reshuffles.
    actions, pots
        (64,) and (256,) int64: hands of play by actions and by chips in the pot.
    winners
        (9,) int64 by number of winners.
    categories, sizes
        (10,) and (8,) int64: winning hands by category and by number of cards.
    firsts
        (14 * 4,) int64 by rank of the first card: hands, net, its square, pots won or shared.
    broken
        (1,) int64: hands of play whose nets do not sum to zero.
    """

    nets: Array
    squares: Array
    alone: Array
    shared: Array
    totals: Array
    actions: Array
    pots: Array
    winners: Array
    categories: Array
    sizes: Array
    firsts: Array
    broken: Array


TOTALS: Final = (
    "pot", "pot_squares", "actions", "action_squares", "buys", "cards_bought", "cards_undealt",
    "folds", "beaten", "full", "reshuffles",
)  # fmt: skip
"""Names of `Sums.totals`."""


def game_of(settings: Settings, players: int, samples: int, playouts: int, inner: int) -> Game:
    """The rules as numbers."""
    return Game(
        players=np.int64(players),
        limit=np.int64(settings.hand_limit),
        starting=np.int64(settings.starting_cards),
        unit=np.int64(settings.unit),
        ante=np.int64(settings.ante * settings.unit),
        level_hands=np.int64(LEVELS.index(settings.level_hands)),
        reshuffle=settings.empty_stub == "reshuffle",
        deck=np.int64(len(settings.deck)),
        one_joker=settings.jokers == 1,
        samples=np.int64(samples),
        playouts=np.int64(playouts),
        inner=np.int64(inner),
    )


def tables_of() -> Tables:
    """The tables, the same for all rules."""
    from ricochet_casino.cards.shuffle_kernel import modulus_tables

    found = order_tables()
    categories = found.keys >> 20
    accepted, factors = modulus_tables()
    return Tables(*found[:4], categories, accepted, factors)


def work_for(settings: Settings, players: int, batch: int) -> Work:
    """Room for a batch of deals."""
    from ricochet_casino.cards.shuffle_kernel import LANES

    size = len(settings.deck)
    rows = (size + 3) // 4 * 4
    return Work(
        hand=np.zeros(SIZE, dtype=np.int64),
        playout=np.zeros(SIZE, dtype=np.int64),
        trial=np.zeros(SIZE, dtype=np.int64),
        cards=np.zeros(batch * cards_needed(settings, players), dtype=np.uint8),
        words=np.zeros((rows, LANES), dtype=np.uint64),
        places=np.zeros((rows, LANES), dtype=np.uint8),
        deck=np.zeros(size, dtype=np.uint8),
    )


def cards_needed(settings: Settings, players: int) -> int:
    """Most cards that a hand of play can take from the deck."""
    return min(len(settings.deck), players * settings.hand_limit)


def most_events(settings: Settings, players: int) -> int:
    """More events than a hand of play can have."""
    return players * (3 * settings.hand_limit + 6) + MOST_ACTIONS


def sums_for() -> Sums:
    """All zero."""
    sizes = (MOST_PLAYERS,) * 4 + (len(TOTALS), MOST_ACTIONS, 256, 9, len(CATEGORIES), 8, 56, 1)
    return Sums(*(np.zeros(size, dtype=np.int64) for size in sizes))


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
