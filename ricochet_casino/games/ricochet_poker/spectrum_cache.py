"""Where tables of the spectrum are kept: one Parquet file each in a user's cache folder.

A file's name tells what it is for (deck, bonus lines, sources) and what it must hold (SHA-256 of
its bytes), so a truncated file, or one of another version, is never read. It is written under a
temporary name and renamed; processes that build at once write the same bytes.
"""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ricochet_casino import source_digest, user_cache
from ricochet_casino.config import digest, write_bytes_atomically
from ricochet_casino.games.ricochet_poker.deals import starting_hands
from ricochet_casino.games.ricochet_poker.spectrum_table import Table, assemble, build_table

if TYPE_CHECKING:
    import polars as pl

Note = Callable[[str], None]
"""Gets one line of text for the user."""

FORMAT = 1
KEEP_FILES = 6
"""Files of other versions and other bonus lines beyond these, oldest first, are removed."""

_COLUMNS = ("dealer_class", "winning", "tying", "deals", "vector")
_NAME = re.compile(r"spectrum-([0-9a-f]{16})-([0-9a-f]{16})\.parquet")


def cache_folder() -> Path:
    """The folder in ``RICOCHET_CACHE``, or ``ricochet-casino/spectrum`` in the user's cache."""
    given = os.environ.get("RICOCHET_CACHE")
    return Path(given) if given else user_cache("spectrum")


def table_key(thresholds: Sequence[int]) -> str:
    """What a table depends on, as 16 hexadecimal digits: format, deck, bonus lines, sources."""
    what = {
        "format": FORMAT,
        "deck": "52",
        "thresholds": list(thresholds),
        "sources": source_digest(),
        "byte_order": sys.byteorder,
    }
    return digest(what)[:16]


def load_table(thresholds: tuple[int, ...], folder: Path | None, note: Note) -> Table:
    """Read a table from the cache, or build it and leave it there.

    Parameters
    ----------
    thresholds
        Lowest class of each bonus line, rising.
    folder
        The cache folder; None for the user's.
    note
        Told when a table is built, and why; and when it cannot be kept.
    """
    try:
        folder = cache_folder() if folder is None else folder
    except RuntimeError:  # no home folder
        folder = None
    key = table_key(thresholds)
    if folder is not None:
        found = _read(folder, key, thresholds, note)
        if found is not None:
            return found
    table = build_table(thresholds)
    if folder is not None:
        try:
            _write(folder, key, table)
        except OSError as error:
            note(f"the spectrum cannot be kept in {folder}: {error.strerror or error}")
    return table


def _files(folder: Path) -> list[tuple[Path, str, str]]:
    """Files of the cache with the key and the digest in their names, by name."""
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    matches = [(path, _NAME.fullmatch(path.name)) for path in found]
    return [(path, match[1], match[2]) for path, match in matches if match]


def _read(folder: Path, key: str, thresholds: tuple[int, ...], note: Note) -> Table | None:
    """The table with this key if a sound file holds it; else None, and why."""
    files = _files(folder)
    for path, _, expected in [file for file in files if file[1] == key]:
        try:
            content = path.read_bytes()
        except OSError as error:
            note(f"{path}: {error.strerror or error}; the spectrum is built again")
            continue
        if hashlib.sha256(content).hexdigest()[:16] != expected:
            note(f"{path} is damaged; the spectrum is built again")
            with suppress(OSError):
                path.unlink()
            continue
        return _from_parquet(content, thresholds)
    others = " (the files there are of other versions or bonus lines)" if files else ""
    note(f"building the spectrum of the one-player game, once, into {folder}{others}")
    return None


def _write(folder: Path, key: str, table: Table) -> None:
    content = _to_parquet(table)
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / f"spectrum-{key}-{hashlib.sha256(content).hexdigest()[:16]}.parquet"
    write_bytes_atomically(written, content)
    others = [path for path, _, _ in _files(folder) if path != written]
    with suppress(OSError):  # another process may tidy up too
        others.sort(key=lambda path: path.stat().st_mtime)
        for path in others[: max(0, len(others) + 1 - KEEP_FILES)]:
            path.unlink()


def _to_parquet(table: Table) -> bytes:
    """The table as a Parquet file: a row for each starting hand, with lists for columns."""
    import numpy as np
    import polars as pl

    row_counts = np.diff(table.hand_starts)
    vector_counts = np.diff(table.vector_starts)
    own_vector = table.vector - np.repeat(table.vector_starts[:-1], row_counts)
    columns = dict(zip(_COLUMNS, table.rows, strict=True))
    columns["vector"] = own_vector.astype(np.uint32)
    lists = {name: _lists(values, row_counts.tolist()) for name, values in columns.items()}
    for line, first_class in enumerate(table.thresholds):
        values = table.vectors[:, line]
        lists[f"reaching_{first_class}"] = _lists(values, vector_counts.tolist())
    hands = pl.Series("hand", [hand.name for hand in starting_hands()])
    stream = BytesIO()
    pl.DataFrame([hands, *(lists[name].alias(name) for name in lists)]).write_parquet(
        stream, compression="zstd", statistics=False
    )
    return stream.getvalue()


def _lists(values: NDArray[Any], counts: Sequence[int]) -> "pl.Series":
    """A polars column of lists of these lengths."""
    import numpy as np
    import polars as pl

    hand = pl.Series("hand", np.repeat(np.arange(len(counts)), counts))
    frame = pl.DataFrame([hand, pl.Series("values", values)])
    return frame.group_by("hand", maintain_order=True).agg("values")["values"]


def _from_parquet(content: bytes, thresholds: tuple[int, ...]) -> Table:
    """The table in a file whose bytes are known to be sound."""
    import numpy as np
    import polars as pl

    frame = pl.read_parquet(BytesIO(content))
    if frame["hand"].to_list() != [hand.name for hand in starting_hands()]:
        raise AssertionError("a file of the spectrum does not hold the 169 starting hands")
    names = [f"reaching_{first_class}" for first_class in thresholds]
    reaching = [frame[name].explode().to_numpy() for name in names]
    vectors = np.ascontiguousarray(np.array(reaching, dtype=np.int16).T)
    return assemble(
        thresholds,
        frame["dealer_class"].list.len().to_list(),
        [frame[name].explode().to_numpy() for name in _COLUMNS],
        frame[names[0]].list.len().to_list(),
        vectors,
    )
