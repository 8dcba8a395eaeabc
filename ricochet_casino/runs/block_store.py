"""The finished blocks of one experiment in a store: verified when read, never changed."""

import os
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ricochet_casino.experiment import Tally
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.errors import StoreError
from ricochet_casino.runs.layout import (
    BLOCK_SCHEMA,
    Maker,
    block_folders,
    block_path,
    framed,
    is_block,
    unframed,
    write_new,
)

SetAside = Callable[[Path, str, str], None]
"""Moves a file away: what is wrong with it, and what is done about it, for the note."""

_REMEDY = "computed again"


class ExperimentStore:
    """Blocks of one experiment; made by `Store.experiment`.

    Attributes
    ----------
    blocks
        The experiment and how it is cut.
    folder
        Where its files are.
    """

    def __init__(
        self,
        folder: Path,
        blocks: Blocks,
        maker: Maker,
        set_aside: SetAside,
        check_open: Callable[[], None],
    ) -> None:
        self.folder = folder
        self.blocks = blocks
        self._maker = maker
        self._set_aside = set_aside
        self._check_open = check_open
        self._made: Path | None = None

    def get(self, number: int) -> Tally | None:
        """Tally of a finished block, after checking that the file is whole and belongs here.

        Returns
        -------
        Tally or None
            None if there is no such block, or if its file was damaged or foreign: then it is moved
            to ``set_aside/``, with a note.

        Raises
        ------
        StoreError
            If the file cannot be read or moved.
        """
        self._check_open()
        path = self.folder / block_path(number)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        except IsADirectoryError:
            self._set_aside(path, "a folder, not a block", _REMEDY)
            return None
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}") from error
        try:
            return self._verified(raw, number)
        except ValueError as error:
            self._set_aside(path, str(error), _REMEDY)
            return None

    def _verified(self, raw: bytes, number: int) -> Tally:
        content = unframed(raw)
        if content.get("schema") != BLOCK_SCHEMA:
            raise ValueError(f"not a block of the form {BLOCK_SCHEMA}")
        for key, expected in self._identity(number).items():
            if content.get(key) != expected:
                raise ValueError(f"of another {key}: {content.get(key)!r}, not {expected!r}")
        unlike = self._maker.unlike(content)
        if unlike:
            raise ValueError(unlike)
        tally = content.get("tally")
        if not isinstance(tally, dict):
            raise ValueError("without a tally")
        return Tally.from_json(tally)

    def _identity(self, number: int) -> dict[str, Any]:
        span = self.blocks.span(number)
        return {
            "experiment": self.blocks.identity.spec,
            "block": number,
            "shards": [span.start, span.stop],
        }

    def put(self, number: int, tally: Tally) -> None:
        """Keep a finished block. One that is there already stays as it is.

        Raises
        ------
        StoreError
            If it cannot be written (the message says why; what is finished stays), or if the block
            is there with another tally, which means that the experiment is no pure function.
        """
        self._check_open()
        path = self.folder / block_path(number)
        if path.exists():
            found = self.get(number)
            if found == tally:
                return
            if found is not None:
                raise StoreError(f"{path}: the same block was computed twice, with other results")
        content = {
            "schema": BLOCK_SCHEMA,
            **self._identity(number),
            "version": self._maker.version,
            "source_digest": self._maker.source,
            "tally": tally.to_json(),
        }
        try:
            if path.parent != self._made:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._made = path.parent
            write_new(path, framed(content))
        except OSError as error:
            self._made = None
            raise StoreError(
                f"{path} cannot be written: {error.strerror}; the blocks finished before are kept, "
                "continue with --resume when this is mended"
            ) from error

    def numbers(self) -> "array[int]":
        """Numbers of the blocks that have a file, rising, not verified.

        A file that has a block's name but cannot be one here (its number is beyond the last, or it
        stands in another's folder) is set aside.
        """
        self._check_open()
        found = []
        for folder in block_folders(self.folder):
            for name in os.listdir(folder):  # noqa: PTH208 - names only, up to 10,000 of them
                if not is_block(name):
                    continue
                number = int(name.partition(".")[0])
                path = folder / name
                if number < len(self.blocks) and self.folder / block_path(number) == path:
                    found.append(number)
                else:
                    self._set_aside(path, "a block that cannot be one here", "not used")
        return array("Q", sorted(found))

    def done(self) -> int:
        """Number of blocks that have a file, not verified."""
        return len(self.numbers())
