"""Sets as whole numbers, one bit for each member: what kernels need to go through them."""

from numba import njit


@njit(cache=True, nogil=True, inline="always")
def lowest_kernel(members):  # type: ignore[no-untyped-def]
    """Number of the lowest bit of a set (int64) that is not empty."""
    number = 0
    if members & 0xFFFFFFFF == 0:
        number += 32
        members >>= 32
    if members & 0xFFFF == 0:
        number += 16
        members >>= 16
    if members & 0xFF == 0:
        number += 8
        members >>= 8
    if members & 0xF == 0:
        number += 4
        members >>= 4
    if members & 0x3 == 0:
        number += 2
        members >>= 2
    return number + 1 - (members & 1)
