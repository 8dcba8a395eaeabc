"""Compiled steps on the board that players and solver share (see `layout` for the plain ones)."""

from numba import njit


@njit(cache=True, nogil=True, inline="always")
def open_kernel(removed, outer):  # type: ignore[no-untyped-def]
    """Set of uncovered cards that are still there; `outer` is `layout.outer_table`; int64."""
    inner = removed >> 20
    middle = (removed >> 8) & 0xFFF
    laid_open = inner & ((inner >> 1) | ((inner & 1) << 11))
    found = 0xFFF00000 | (laid_open << 8) | outer[middle & (middle >> 1)]
    return found & ~removed


@njit(cache=True, nogil=True, inline="always")
def index_kernel(removed, digits, steps, bases):  # type: ignore[no-untyped-def]
    """Number of the configuration, 0 to 260,958; the tables are `layout.index_tables`."""
    inner = removed >> 20
    corners = (inner & 1) | ((inner >> 2) & 2) | ((inner >> 4) & 4) | ((inner >> 6) & 8)
    north = (removed & 3) | (((removed >> 8) & 7) << 2) | ((inner & 15) << 5)
    east = ((removed >> 2) & 3) | (((removed >> 11) & 7) << 2) | (((inner >> 3) & 15) << 5)
    south = ((removed >> 4) & 3) | (((removed >> 14) & 7) << 2) | (((inner >> 6) & 15) << 5)
    last = (inner >> 9) | ((inner & 1) << 3)
    west = ((removed >> 6) & 3) | (((removed >> 17) & 7) << 2) | (last << 5)
    return (
        bases[corners]
        + digits[north] * steps[corners, 0]
        + digits[east] * steps[corners, 1]
        + digits[south] * steps[corners, 2]
        + digits[west] * steps[corners, 3]
    )


@njit(cache=True, nogil=True)
def neighbours_kernel(ranks, wrap, near):  # type: ignore[no-untyped-def]
    """Fill `near` (13,) int64 with the wall places whose cards are next in rank to each rank.

    `ranks` (52,) int64 are those of the deal, 0 (ace) to 12 (king).
    """
    near[:] = 0
    for place in range(32):
        rank = ranks[place]
        bit = 1 << place
        if rank > 0:
            near[rank - 1] |= bit
        elif wrap:
            near[12] |= bit
        if rank < 12:
            near[rank + 1] |= bit
        elif wrap:
            near[0] |= bit
