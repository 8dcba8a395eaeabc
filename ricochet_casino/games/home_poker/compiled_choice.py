"""A decision of the policy that looks ahead, made by its compiled twin for a table of the referee.

The plain policy takes seconds to minutes; this one takes milliseconds, and decides the same.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.partial_tables import START, order_tables
from ricochet_casino.games.home_poker import table_arrays as at
from ricochet_casino.games.home_poker.rules import Table
from ricochet_casino.games.home_poker.settings import MOST_PLAYERS, Settings


def look_ahead_compiled(table: Table, start: int, samples: int, playouts: int, inner: int) -> int:
    """As `policies.look_ahead`, for a state of the dice.

    Parameters
    ----------
    table
        It waits for an action; stacks are not looked at.
    start
        State of the dice, below 2^64.
    samples, playouts, inner
        As there.
    """
    # Here, because it imports the compiler.
    from ricochet_casino.games.home_poker.policy_kernel import look_ahead

    row = row_of(table, samples, playouts, inner)
    row[at.RANDOM] = np.uint64(start).astype(np.int64)
    work = np.zeros((2, at.SIZE), dtype=np.int64)
    rows, totals = np.zeros((1, 1), dtype=np.int64), np.zeros(24, dtype=np.int64)
    return int(look_ahead(row, rows, work[0], work[1], order_tables().orders, totals))


def row_of(table: Table, samples: int, playouts: int, inner: int) -> npt.NDArray[np.int64]:
    """The kernels' row for a table that waits for an action, without the order of its stub."""
    row = dealt_row(table.settings, table.hands, table.live, samples, playouts, inner)
    for seat in range(table.players):
        row[at.NET + seat], row[at.ACTED + seat] = table.net[seat], table.acted[seat]
    row[at.POT], row[at.END], row[at.DEAD] = table.pot, table.stub, len(table.dead)
    row[at.TURN], row[at.SEAT] = table.turn, table.seat
    return row


def dealt_row(
    settings: Settings,
    hands: Sequence[Sequence[int]],
    live: Sequence[bool],
    samples: int,
    playouts: int,
    inner: int,
) -> npt.NDArray[np.int64]:
    """The kernels' row for hands that lie open: no deal's dice, and nothing is told."""
    from ricochet_casino.games.home_poker.table_kernel import put_card

    row = at.hand_for(settings, len(hands), samples, playouts, inner)
    orders = order_tables().orders
    row[at.WORDS : at.WORDS + MOST_PLAYERS] = START
    for seat, hand in enumerate(hands):
        row[at.LIVE + seat] = live[seat]
        for card in hand:
            put_card(row, seat, card, orders)
    row[at.ALIVE] = sum(live)
    row[at.TOLD] = row[at.DEAL] = -1
    return row
