"""Where everything stands in a store, and how its files are written and checked.

::

    DIR/
      run.json                  what was asked, and what made it
      lock                      held while a run goes on
      NAME-DIGEST8/             one experiment: name, start of its digest
        spec.json
        blocks/000000/0000000012.json
      set_aside/                files that were damaged or belong elsewhere
      replaced-1/               what was here before a restart

Every JSON file is ``{"sha256":"...","content":...}``, with the SHA-256 of the bytes of the content.
"""

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ricochet_casino import __version__, source_digest

RUN_FILE = "run.json"
LOCK_FILE = "lock"
SPEC_FILE = "spec.json"
BLOCKS = "blocks"
SET_ASIDE = "set_aside"

RUN_SCHEMA = "ricochet-casino/run/1"
SPEC_SCHEMA = "ricochet-casino/experiment/1"
BLOCK_SCHEMA = "ricochet-casino/block/1"

PER_FOLDER = 10_000

_EXPERIMENT = re.compile(r"[a-z0-9_]+-[0-9a-f]{8}")
_REPLACED = re.compile(r"replaced-([1-9][0-9]*)")
_BLOCK = re.compile(r"[0-9]{10,}\.json")
_BLOCK_FOLDER = re.compile(r"[0-9]{6,}")
_TEMPORARY = re.compile(r"\.(?:run|spec|[0-9]{10,})\.json\.[0-9a-f]{12}\.tmp")
_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would translate line ends

_HEAD, _MIDDLE, _TAIL = b'{"sha256":"', b'","content":', b"}\n"
_BODY = len(_HEAD) + 64 + len(_MIDDLE)


@dataclass(frozen=True)
class Maker:
    """Which program computes: blocks of one maker are never mixed with those of another.

    Attributes
    ----------
    version
        Version of this package.
    source
        SHA-256 of the sources that compute (`ricochet_casino.source_digest`).
    """

    version: str
    source: str

    @classmethod
    def current(cls) -> "Maker":
        """The program that runs, as its files are now."""
        return cls(__version__, source_digest())

    def unlike(self, made_by: Mapping[str, Any]) -> str:
        """What tells the maker of a file from this one; empty if nothing does."""
        version = made_by.get("version")
        if version != self.version:
            return f"made by version {version} of ricochet-casino, this is {self.version}"
        if made_by.get("source_digest") != self.source:
            return f"made by other sources of version {version}: the source digests differ"
        return ""


def framed(content: Mapping[str, Any], *, indent: int | None = None) -> bytes:
    """A file's bytes: the content with its checksum."""
    separators = (",", ":") if indent is None else None
    body = json.dumps(content, indent=indent, separators=separators).encode()
    return _HEAD + hashlib.sha256(body).hexdigest().encode() + _MIDDLE + body + _TAIL


def unframed(raw: bytes) -> dict[str, Any]:
    """Read what `framed` wrote.

    Raises
    ------
    ValueError
        If a single bit is not as it was written; the text says what is wrong.
    """
    if not raw:
        raise ValueError("empty")
    body = raw[_BODY : -len(_TAIL)]
    claimed = hashlib.sha256(body).hexdigest().encode()
    if raw != _HEAD + claimed + _MIDDLE + body + _TAIL:
        raise ValueError("damaged: its checksum does not fit")
    content = json.loads(body)
    if not isinstance(content, dict):
        raise ValueError("not of this kind: its content is no mapping")
    return content


def write_new(path: Path, content: bytes) -> None:
    """Write a file under a temporary name in the same folder and give it its name.

    Nothing is forced to the disk: that would cost more than computing a short block, and a block
    that a power failure damages is found by its checksum.

    Raises
    ------
    OSError
        If it cannot be written; the temporary file is gone.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        with open(descriptor, "wb", buffering=0) as stream:  # noqa: PTH123 - a descriptor
            rest = memoryview(content)
            while rest:
                rest = rest[stream.write(rest) :]
        temporary.rename(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def experiment_folder(name: str, spec_digest: str) -> str:
    """Name of an experiment's folder."""
    plain = re.sub(r"[^a-z0-9_]+", "_", name.lower())[:60] or "experiment"
    return f"{plain}-{spec_digest[:8]}"


def block_path(number: int) -> Path:
    """Where a block stands, seen from its experiment's folder."""
    return Path(BLOCKS, f"{number // PER_FOLDER:06d}", f"{number:010d}.json")


def is_temporary(name: str) -> bool:
    """Whether a file name is one of ours for a file not yet finished."""
    return _TEMPORARY.fullmatch(name) is not None


def is_block(name: str) -> bool:
    """Whether a file name is one of a block."""
    return _BLOCK.fullmatch(name) is not None


def is_experiment(folder: Path) -> bool:
    """Whether a folder is an experiment's, by its name and what it holds."""
    if _EXPERIMENT.fullmatch(folder.name) is None or not is_folder(folder):
        return False
    names = os.listdir(folder)  # noqa: PTH208 - names only
    if not names or any(is_temporary(name) for name in names):
        return True
    if SPEC_FILE in names and beginning(folder / SPEC_FILE).startswith(_HEAD):
        return True
    return any(_BLOCK_FOLDER.fullmatch(path.name) for path in block_folders(folder))


def is_folder(path: Path) -> bool:
    """Whether a path is a folder itself, not a link to one."""
    return path.is_dir() and not path.is_symlink()


def experiments(folder: Path) -> list[Path]:
    """The experiments' folders of a store, sorted."""
    return sorted(path for path in _children(folder) if is_experiment(path))


def replaced(folder: Path) -> list[Path]:
    """What restarts moved away in a store, in order."""
    found = []
    for path in _children(folder):
        match = _REPLACED.fullmatch(path.name)
        if match and is_folder(path):
            found.append((int(match[1]), path))
    return [path for _, path in sorted(found)]


def next_replaced(folder: Path) -> Path:
    """Name for what the next restart moves away."""
    numbers = [int(match[1]) for path in _children(folder) if (match := _REPLACED.match(path.name))]
    return folder / f"replaced-{max(numbers, default=0) + 1}"


def temporaries(folder: Path) -> Iterator[Path]:
    """Files that a killed run left unfinished in a store."""
    for place in (folder, *experiments(folder)):
        yield from (path for path in _children(place) if is_temporary(path.name))
        if place != folder:
            for below in block_folders(place):
                yield from (path for path in _children(below) if is_temporary(path.name))


def block_folders(experiment: Path) -> list[Path]:
    """The folders with blocks of an experiment, sorted."""
    blocks = experiment / BLOCKS
    return sorted(path for path in _children(blocks) if is_folder(path))


def beginning(path: Path) -> bytes:
    """The first bytes of a file: enough to tell what it is."""
    with path.open("rb") as stream:
        return stream.read(400)


def _children(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return [folder / entry.name for entry in entries]
