"""Replay of events: where all 50 cards are after each of them.

Knows no rule of play and takes nothing from referee or kernel but the events, so it checks both:
every card that an event moves must lie where the event takes it from, and after every event each of
the 50 cards must lie in exactly one place. `replay_game` is plain Python; the same text also
compiles, for a million games (`conserve_kernel` in kernel.py).

Where a card is, by number: 0 in the stock, 1 the start card, 2 + place an outer place, 16 + player
won. An event is a row of integers as in `kernel_arrays.EventRows`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ricochet_casino.games.pinball.deck import DECK_SIZE
from ricochet_casino.games.pinball.events import KINDS, Event, Kind

_LAY, _TURN, _SLIP, _TIE = (
    KINDS.index(kind) for kind in (Kind.LAY, Kind.TURN, Kind.SLIP, Kind.TIE)
)
_VOID, _WIN, _MOVE = (KINDS.index(kind) for kind in (Kind.VOID, Kind.WIN, Kind.MOVE))
_STOCK, _START, _OUTER, _WON = 0, 1, 2, 16
_CARDS = DECK_SIZE


@register_jitable
def replay(rows: Any, number: Any, order: Any, where: Any, stock: Any) -> Any:
    """Follow the cards of one game through its events.

    Parameters
    ----------
    rows : (number or more, 6) integers
        Kind, player, card, place, tick, mask of players.
    number
        How many events.
    order : (50,) integers
        The shuffled deck.
    where, stock : (50,), (50,) integers
        Work.

    Returns
    -------
    int
        -1 if all is well, else the number of the first event after which it is not.
    """
    for card in range(_CARDS):
        where[card] = _STOCK
    left = 0
    for card in order:
        stock[left] = card
        left += 1
    for i in range(number):
        kind, player, card, place = rows[i][0], rows[i][1], rows[i][2], rows[i][3]
        source = target = -1
        if kind == _LAY:
            source, target = _STOCK, _OUTER + place
        elif kind == _TURN:
            source, target = _STOCK, _START
        elif kind == _SLIP and card >= 0:
            source, target = _WON + player, _STOCK
        elif kind in (_TIE, _VOID):
            source, target = _START, _STOCK
        elif kind == _WIN:
            source, target = _OUTER + place, _WON + player
        elif kind == _MOVE:
            source, target = _START, _OUTER + place
        if source >= 0:
            if card < 0 or card >= _CARDS or where[card] != source:
                return i
            where[card] = target
            if source == _STOCK:  # only ever from the top
                if left == 0 or stock[0] != card:
                    return i
                left -= 1
                for j in range(left):
                    stock[j] = stock[j + 1]
            elif target == _STOCK:  # only ever to the bottom
                stock[left] = card
                left += 1
        if not _accounted(where, stock, left):
            return i
    return -1


@register_jitable
def _accounted(where: Any, stock: Any, left: Any) -> Any:
    """Whether the stock holds just the cards said to be there, and places hold one card at most."""
    seen = outer = 0
    in_stock = starts = 0
    for card in range(_CARDS):
        if where[card] == _STOCK:
            in_stock += 1
        elif where[card] == _START:
            starts += 1
        elif where[card] < _WON:
            bit = 1 << where[card]
            if outer & bit:
                return False
            outer |= bit
    for j in range(left):
        bit = 1 << stock[j]
        if where[stock[j]] != _STOCK or seen & bit:
            return False
        seen |= bit
    return in_stock == left and starts <= 1


def event_row(event: Event) -> tuple[int, int, int, int, int, int]:
    """An event as a row of integers."""
    mask = sum(1 << seat for seat in event.players)
    return (KINDS.index(event.kind), event.player, event.card, event.place, event.tick, mask)


def replay_game(events: Sequence[Event], order: Sequence[int]) -> int:
    """Follow the cards of one game through its events: `replay`, for events of the referee.

    Returns
    -------
    int
        -1 if all is well, else the number of the first event after which it is not.
    """
    rows = [event_row(event) for event in events]
    where, stock = [0] * DECK_SIZE, [0] * (DECK_SIZE + 1)
    return int(replay(rows, len(rows), order, where, stock))


def work_arrays() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Work arrays of the compiled `replay`."""
    return np.zeros(DECK_SIZE, dtype=np.int64), np.zeros(DECK_SIZE + 1, dtype=np.int64)
