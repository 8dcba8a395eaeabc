"""The ledger of a table: a text file that only grows, one JSON object a line.

The first line names the format, its version and the game; every other one is an event. Each line
has its number and a check, a digest of itself and of all lines before, so that a line which is
damaged, lost, doubled or changed by hand is found, and told with its number. A last line that does
not end is what a crash in the middle of writing leaves: it was never confirmed, and is cut off.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from ricochet_casino import __version__
from ricochet_casino.config import (
    RepeatedKeyError,
    canonical_json,
    did_you_mean,
    short_json,
    without_repeats,
    write_text_atomically,
)
from ricochet_casino.table.events import Event, event_from
from ricochet_casino.table.setup import Header, header_from

FORMAT: Final = "ricochet-casino table"
VERSION: Final = 1
"""Of the vocabulary and of the table's rules: a ledger of another one cannot be played on."""
_CHECK = 16  # hexadecimal digits
_HEADER_KEYS = ("format", "version", "package", "game", "rules", "cards", "seed", "chips", "line",
                "check")  # fmt: skip


class LedgerError(ValueError):
    """A ledger that cannot be used; the message begins with the file and, if known, the line."""

    def __init__(self, path: Path, line: int, text: str) -> None:
        super().__init__(f"{path}:{line}: {text}" if line else f"{path}: {text}")


@dataclass(frozen=True)
class Content:
    """What a ledger says.

    Attributes
    ----------
    header
        The game and its settings.
    events
        In order; the first one stands in line 2.
    check
        Of the last line.
    length
        Bytes up to the end of the last whole line.
    cut
        Bytes after it, 0 as a rule.
    """

    header: Header
    events: tuple[Event, ...]
    check: str
    length: int
    cut: int

    @property
    def note(self) -> str:
        """A sentence about a last line that does not end; empty as a rule."""
        if not self.cut:
            return ""
        line = len(self.events) + 2
        return f"line {line} does not end ({self.cut} bytes): it was never confirmed and is cut off"


def _line(content: dict[str, Any], number: int, before: str) -> tuple[str, str]:
    """A line of the file, and its check."""
    content = content | {"line": number}
    check = _digest(content, before)
    return canonical_json(content | {"check": check}) + "\n", check


def _digest(content: dict[str, Any], before: str) -> str:
    return hashlib.sha256((before + canonical_json(content)).encode()).hexdigest()[:_CHECK]


def header_line(header: Header) -> tuple[str, str]:
    """The first line of a ledger, and its check."""
    named = {"format": FORMAT, "version": VERSION, "package": __version__}
    return _line(named | header.to_json(), 1, "")


def read_ledger(path: Path) -> Content:
    """Read a ledger; nothing is changed.

    Raises
    ------
    LedgerError
        If it is not one, is of another version, or has a damaged line.
    OSError
        If it cannot be read.
    """
    if path.exists() and not path.is_file():
        raise LedgerError(path, 0, "not a file; expected a ledger of a table")
    raw = path.read_bytes()
    length = raw.rfind(b"\n") + 1
    lines = raw[:length].split(b"\n")[:-1]
    if not lines:
        raise LedgerError(path, 0, f"not a ledger of a table ({'empty' if not raw else 'no line'})")
    reader = _Reader(path)
    header = reader.header(lines[0])
    events = tuple(reader.event(line, place) for place, line in enumerate(lines[1:], 2))
    return Content(header, events, reader.check, length, len(raw) - length)


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.check = ""

    def header(self, line: bytes) -> Header:
        """The game and its settings from the first line."""
        try:
            content = _parsed(line)
        except ValueError:
            content = {}
        if content.get("format") != FORMAT:
            raise LedgerError(self.path, 1, f"not a ledger of a table: it does not say {FORMAT!r}")
        version = content.get("version")
        if version != VERSION:
            raise LedgerError(
                self.path, 1,
                f"a ledger of version {short_json(version)} of the table; this program plays "
                f"version {VERSION}, and would give other results",
            )  # fmt: skip
        for key in content:
            if key not in _HEADER_KEYS:
                hint = did_you_mean(key, _HEADER_KEYS)
                raise LedgerError(self.path, 1, f"unknown key {short_json(key)}{hint}")
        self._checked(content, 1)
        try:
            return header_from(content)
        except ValueError as error:
            raise LedgerError(self.path, 1, str(error)) from None

    def event(self, line: bytes, place: int) -> Event:
        """An event from a line."""
        try:
            content = _parsed(line)
        except ValueError as error:
            raise LedgerError(self.path, place, f"damaged: {error}") from None
        self._checked(content, place)
        try:
            return event_from({k: v for k, v in content.items() if k not in ("line", "check")})
        except ValueError as error:
            raise LedgerError(self.path, place, str(error)) from None

    def _checked(self, content: dict[str, Any], place: int) -> None:
        if content.get("line") != place:
            found = short_json(content.get("line"))
            raise LedgerError(
                self.path, place, f"says it is line {found}: lines are missing, doubled or moved"
            )
        check = content.pop("check", None)
        try:
            expected = _digest(content, self.check)
        except TypeError as error:
            raise LedgerError(self.path, place, f"damaged: {error}") from None
        if check != expected:
            raise LedgerError(
                self.path, place,
                "damaged: its check does not fit; this line or one before has been changed",
            )  # fmt: skip
        self.check = expected


def _parsed(line: bytes) -> dict[str, Any]:
    """The object of a line; ValueError if there is none."""
    try:
        content = json.loads(line.decode("utf-8"), object_pairs_hook=without_repeats)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}") from None
    except RepeatedKeyError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(content, dict):
        raise ValueError("not a JSON object")
    return content


class Ledger:
    """A ledger open for writing, by this process alone; or one in memory, without a file.

    Attributes
    ----------
    path
        The file, None in memory.
    lines
        How many it has.
    """

    def __init__(self, path: Path | None, lines: int, check: str) -> None:
        self.path = path
        self.lines = lines
        self._check = check
        self._descriptor = -1
        self._kept: list[str] = []
        self._lock: Any = None

    @classmethod
    def begin(cls, path: Path | None, header: Header) -> Self:
        """A new ledger with its first line; LedgerError if the file exists or is in use."""
        line, check = header_line(header)
        ledger = cls(path, 1, check)
        if path is None:
            ledger._kept.append(line)
            return ledger
        ledger._acquire(path)
        try:
            if path.exists() or path.is_symlink():
                raise LedgerError(path, 0, "exists already; a new table needs another file")
            write_text_atomically(path, line)
            _sync_folder(path)
            ledger._open(path)
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def resume(cls, path: Path) -> tuple[Self, Content]:
        """Open a ledger to go on; a last line that does not end is cut off.

        Raises
        ------
        LedgerError
            As `read_ledger`, or if the file is in use.
        """
        if not path.exists():
            raise LedgerError(path, 0, "no such file")
        ledger = cls(path, 0, "")
        ledger._acquire(path)
        try:
            content = read_ledger(path)
            ledger.lines, ledger._check = len(content.events) + 1, content.check
            ledger._open(path)
            if content.cut:
                os.ftruncate(ledger._descriptor, content.length)
                os.fsync(ledger._descriptor)
        except BaseException:
            ledger.close()
            raise
        return ledger, content

    def _acquire(self, path: Path) -> None:
        from ricochet_casino.runs.errors import StoreError
        from ricochet_casino.runs.lock import FolderLock, holder

        real = path.resolve()  # two names of one file share a lock
        lock = real.with_name(f".{real.name}.lock")
        try:
            self._lock = FolderLock(lock)
        except StoreError as error:
            if isinstance(error.__cause__, OSError):
                raise error.__cause__ from None
            raise LedgerError(path, 0, f"in use by {holder(lock)}") from None

    def _open(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))

    def append(self, events: Iterable[Event]) -> None:
        """Write events; when this returns, they are on the disk.

        Raises
        ------
        OSError
            If they cannot be written: then none of them is in the file.
        """
        check, number, lines = self._check, self.lines, []
        for event in events:
            number += 1
            line, check = _line(event.to_json(), number, check)
            lines.append(line)
        if self.path is None:
            self._kept += lines
        else:
            self._write("".join(lines).encode())
        self._check, self.lines = check, number

    def _write(self, content: bytes) -> None:
        if self._descriptor < 0:
            raise ValueError(f"{self.path}: the ledger is closed")
        length = os.fstat(self._descriptor).st_size
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except BaseException:
            with suppress(OSError):
                os.ftruncate(self._descriptor, length)
            raise

    def text(self) -> str:
        """The whole content of a ledger in memory."""
        return "".join(self._kept)

    def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
        if self._lock is not None:
            self._lock.release(remove=True)
            self._lock = None


def _sync_folder(path: Path) -> None:
    """Keep the name of a new file too; not every system can."""
    with suppress(OSError):
        descriptor = os.open(path.resolve().parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
