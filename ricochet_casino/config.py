"""The one YAML reader, canonical JSON, shipped folders, and files written whole or not at all.

PyYAML reads ``3:2`` as 182, ``no`` as False, and lets a repeated key win silently. Here every
scalar stays the text that stands in the file, each model parses its own, and whatever a rule file
has no use for (repeated keys, anchors, tags, several documents) is refused with file and line.
"""

import difflib
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import yaml

KeyPath: TypeAlias = tuple[str | int, ...]
"""Where a value stands: keys of mappings and positions in sequences, from the top."""
Tree: TypeAlias = "str | list[Tree] | dict[str, Tree]"

LARGEST_FILE = 1_000_000
"""Bytes. A rule file is a few kilobytes; anything near this is some other file."""
_DEEPEST = 20
_CORE_TAGS = frozenset(
    "tag:yaml.org,2002:" + name for name in ("str", "int", "float", "bool", "null", "map", "seq")
)
_NULLS = frozenset(("~", "null", "Null", "NULL"))
_NOT_TEXT = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


@dataclass(frozen=True)
class Problem:
    """One thing wrong (or worth a warning) in a file.

    Attributes
    ----------
    text
        What is wrong, what was expected, and the nearest valid name if there is one.
    file
        The file as the user named it; empty if the content did not come from a file.
    line
        Line number counted from 1, or None where no line can be named.
    """

    text: str
    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        """``FILE:LINE: text``, without the parts that are not known."""
        line = f":{self.line}" if self.line is not None else ""
        return f"{self.file}{line}: {self.text}" if self.file else self.text


class ConfigError(ValueError):
    """A file cannot be used; `problems` lists everything found wrong with it."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(frozen=True)
class Document:
    """The content of one YAML file, all scalars as text.

    Attributes
    ----------
    file
        The file as the user named it.
    data
        The top-level mapping. A plain ``null``, ``~`` or nothing at all is the empty text.
    lines
        Line number of each key (of each element, in a sequence) by its path.
    """

    file: str
    data: dict[str, Tree]
    lines: Mapping[KeyPath, int]

    def line(self, path: Sequence[str | int]) -> int:
        """Line of the key at this path, or of the nearest key above it, or of the first key."""
        for length in range(len(path), 0, -1):
            found = self.lines.get(tuple(path[:length]))
            if found is not None:
                return found
        return min(self.lines.values(), default=1)

    def problem(self, path: Sequence[str | int], text: str) -> Problem:
        """Put file and line to a remark about the value at this path."""
        return Problem(text, self.file, self.line(path))


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Find the candidate most like a (misspelt) word, or None if nothing is like it."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[close[0]] if close else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """``; did you mean NAME?`` for the nearest candidate, or nothing: the tail of a message."""
    found = nearest(word, candidates)
    return f"; did you mean {found}?" if found else ""


def read_yaml(path: str | os.PathLike[str]) -> Document:
    """Read one YAML file whose top level is a mapping.

    Parameters
    ----------
    path
        The file. At most 1 MB of UTF-8 text, one document.

    Raises
    ------
    ConfigError
        If the file cannot be read or is not such a file: tabs, repeated keys, anchors, aliases,
        tags outside the core ones, several documents, no content, binary content.
    """
    file = os.fspath(path)
    return _parse(_read_text(file), file)


def parse_yaml(text: str, file: str) -> Document:
    """As `read_yaml`, for a text that is at hand.

    Parameters
    ----------
    text
        The content.
    file
        Name of the file it comes from, for the messages.

    Raises
    ------
    ConfigError
        As `read_yaml`.
    """
    return _parse(_decode(text.encode("utf-8", "replace"), file), file)


def _parse(text: str, file: str) -> Document:
    import yaml

    try:
        return _Builder(file).document(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.problem, error.context) if part)
        line = mark.line + 1 if mark else None
        raise ConfigError(Problem(f"not valid YAML: {what}", file, line)) from None


def _read_text(file: str) -> str:
    """Text of a file, refused with a clear message unless it is readable, small, plain text."""
    path = Path(file)
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        if path.is_symlink():
            target = path.readlink()
            text = f"a symbolic link to {target}, which does not exist; expected a YAML file"
            raise ConfigError(Problem(text, file)) from None
        there = (entry.name for entry in path.parent.glob("*.y*ml")) if path.name else ()
        text = "no such file; expected a YAML file" + did_you_mean(path.name, there)
        raise ConfigError(Problem(text, file)) from None
    except IsADirectoryError:
        raise ConfigError(Problem("a directory; expected a YAML file", file)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        text = f"cannot be read ({reason}); expected a YAML file"
        raise ConfigError(Problem(text, file)) from None
    if len(raw) > LARGEST_FILE:
        text = f"larger than {LARGEST_FILE:,} bytes; expected a YAML file"
        raise ConfigError(Problem(text, file))
    return _decode(raw, file)


def _decode(raw: bytes, file: str) -> str:
    """UTF-8 text without control characters and tabs."""

    def line_of(offset: int) -> int:
        return raw.count(b"\n", 0, offset) + 1

    if b"\0" in raw:
        text = "a binary file; expected YAML, which is UTF-8 text"
        raise ConfigError(Problem(text, file, line_of(raw.index(b"\0"))))
    try:
        decoded = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = f"not UTF-8 text (byte 0x{raw[error.start]:02x}); expected YAML, which is UTF-8 text"
        raise ConfigError(Problem(text, file, line_of(error.start))) from None
    problems = []
    for number, line in enumerate(re.split("\r\n|\r|\n", decoded), 1):
        if "\t" in line:
            problems.append(Problem("a tab; expected blanks", file, number))
        strange = _NOT_TEXT.search(line)
        if strange:
            text = f"the control character U+{ord(strange[0]):04X}; expected plain text"
            problems.append(Problem(text, file, number))
    if problems:
        raise ConfigError(problems)
    return decoded


class _Builder:
    """Builds the tree from the parser's events, and keeps lines and problems."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[KeyPath, int] = {}
        self.problems: list[Problem] = []

    def document(self, events: Iterator["yaml.Event"]) -> Document:
        """Read the one document there may be."""
        import yaml

        tree: Tree = ""
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._note(event, "a second document begins; expected one in a file")
                    break
                content = next(events)
                tree = self._tree(content, events, ())
                if tree and not isinstance(tree, dict):
                    self._note(content, "not a mapping; expected lines such as `key: value`")
        if self.problems:
            raise ConfigError(self.problems)
        if not isinstance(tree, dict) or not tree:
            text = "an empty file; expected lines such as `key: value`"
            raise ConfigError(Problem(text, self.file, 1))
        return Document(self.file, tree, self.lines)

    def _note(self, event: "yaml.Event", text: str) -> None:
        self.problems.append(Problem(text, self.file, _line(event)))

    def _tree(self, event: "yaml.Event", events: Iterator["yaml.Event"], path: KeyPath) -> Tree:
        """Text, list or dict that begins with this event."""
        import yaml

        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            self._note(event, f"the alias *{anchor}; expected the value itself")
            return ""
        if anchor is not None:
            self._note(event, f"the anchor &{anchor}; expected the value alone")
        if tag is not None and tag not in _CORE_TAGS:
            self._note(event, f"the tag {tag}; expected a value without a tag")
        if len(path) > _DEEPEST:
            self._note(event, f"more than {_DEEPEST} levels deep; expected a few")
            raise ConfigError(self.problems)
        if isinstance(event, yaml.ScalarEvent):
            return "" if event.style is None and event.value in _NULLS else str(event.value)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        elements: list[Tree] = []
        while not isinstance(element := next(events), yaml.SequenceEndEvent):
            here = (*path, len(elements))
            self.lines[here] = _line(element)
            elements.append(self._tree(element, events, here))
        return elements

    def _mapping(self, events: Iterator["yaml.Event"], path: KeyPath) -> dict[str, Tree]:
        """Read a mapping up to its end; of a repeated key the first value is kept."""
        import yaml

        found: dict[str, Tree] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            self._tree(event, events, (*path, "?"))
            if not isinstance(event, yaml.ScalarEvent):
                self._note(event, "a key that is not plain text; expected `key: value`")
                self._tree(next(events), events, (*path, "?"))
                continue
            key = str(event.value)
            here = (*path, key)
            if key in found:
                first = f"(first in line {self.lines[here]})"
                self._note(event, f"the key {key} appears twice {first}; expected it once")
                self._tree(next(events), events, (*path, "?"))
                continue
            self.lines[here] = _line(event)
            found[key] = self._tree(next(events), events, here)
        return found


def _line(event: "yaml.Event") -> int:
    """Line of an event, counted from 1."""
    return event.start_mark.line + 1 if event.start_mark else 1


def canonical_json(value: Any) -> str:
    """Compact JSON with sorted keys and no floating-point numbers: equal values, equal text.

    Raises
    ------
    TypeError
        If the value holds a float; decimals are kept as text.
    """
    _refuse_floats(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _refuse_floats(value: Any) -> None:
    if isinstance(value, float):
        raise TypeError("a certified value must not be a float: write decimals as text")
    if isinstance(value, dict):
        for part in value.values():
            _refuse_floats(part)
    elif isinstance(value, list | tuple):
        for part in value:
            _refuse_floats(part)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


class RepeatedKeyError(ValueError):
    """A key of a JSON object appears twice: another reader might see the other value."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"the key {key!r} appears twice")


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object, as ``object_pairs_hook`` of `json.loads`.

    Raises
    ------
    RepeatedKeyError
        If a key appears twice.
    """
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RepeatedKeyError(key)
        found[key] = value
    return found


def short_json(value: Any) -> str:
    """A value as ASCII JSON of at most 60 characters, for messages.

    No control character reaches a terminal, and values of different types can be told apart.
    """
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def data_folder(kind: str) -> Path:
    """Find a shipped folder, ``paytables`` or ``configs``.

    It lies inside the package in a wheel, and beside the package in a source tree; the working
    folder is never looked at.

    Raises
    ------
    ConfigError
        If the installation lacks it.
    """
    package = Path(__file__).resolve().parent
    candidates = [package / kind]
    if (package.parent / "pyproject.toml").is_file():
        candidates.append(package.parent / kind)
    for folder in candidates:
        if folder.is_dir():
            return folder
    text = f"the shipped folder {kind} is missing: the installation is not complete"
    raise ConfigError(Problem(text, str(package)))


def yaml_text(value: dict[str, Any]) -> str:
    """A mapping of texts, whole numbers, lists and mappings as YAML that `read_yaml` accepts."""
    import yaml

    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)


def write_text_atomically(path: str | os.PathLike[str], text: str) -> None:
    """As `write_bytes_atomically`, for text: UTF-8, line ends as they are."""
    write_bytes_atomically(path, text.encode("utf-8"))


def write_bytes_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that its name always stands for the old content or the new, never a part.

    The content goes to a temporary file in the same folder, is flushed to the disk, and takes the
    name. A symbolic link is followed, an existing file keeps its mode.

    Raises
    ------
    OSError
        If it cannot be written (no space, no permission, ...); the temporary file is gone and an
        existing file is as before.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would translate line ends
