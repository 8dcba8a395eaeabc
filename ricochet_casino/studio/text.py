"""A changed paytable as YAML, with the comments of the file that it came from.

Values are replaced where they stand, line by line. The result is read again; where it does not give
exactly the paytable that was meant, the paytable is written anew, without comments.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from ricochet_casino.config import ConfigError, Document, KeyPath, parse_yaml, yaml_text
from ricochet_casino.games.ricochet_poker.notation import kickout_meaning, parse_kickout
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable

_HEAD: Final = "# yaml-language-server: $schema=schema.json\n"
_PLAIN: Final = re.compile(r"(\s*[\w\"']+:\s+)[^\s#|>&*!'\"{\[][^#]*?(\s+#.*|\s*)")


def paytable_text(paytable: RicochetPokerPaytable, original: str) -> str:
    """Write a paytable.

    Parameters
    ----------
    paytable
        What is written.
    original
        Text of the file that it was made from; may be anything.
    """
    try:
        document = parse_yaml(original, "paytable")
        before = RicochetPokerPaytable.read(document.data)
        text = _patched(document, before, paytable, original.replace("\r\n", "\n"))
        found = RicochetPokerPaytable.read(parse_yaml(text, "paytable").data)
        if found.model_dump() == paytable.model_dump():
            return text
    except (ConfigError, LookupError):
        pass
    return _HEAD + yaml_text(paytable.model_dump(mode="json"))


def _patched(
    document: Document,
    before: RicochetPokerPaytable,
    after: RicochetPokerPaytable,
    original: str,
) -> str:
    """The original text with changed values in their places.

    Raises
    ------
    LookupError
        If a change cannot be made by replacing, adding or taking away lines.
    """
    lines = original.rstrip("\n").split("\n")
    old, new = dict(_leaves(before)), dict(_leaves(after))
    places = {_canonical(path): number - 1 for path, number in document.lines.items()}
    gone = [places[path] for path in old if path not in new]
    if before.expect and not after.expect:
        gone += _block(lines, places["expect",])
    added: dict[int, list[str]] = {}
    for path, value in new.items():
        if old.get(path) == value:
            continue
        if path in places:
            lines[places[path]] = _replaced(lines[places[path]], path, value)
        else:
            last = _last_beside(places, path)
            indent = " " * (len(lines[last]) - len(lines[last].lstrip()))
            added.setdefault(last, []).append(f"{indent}{path[-1]}: {value}")
    kept: list[str] = []
    for number, line in enumerate(lines):
        if number not in gone:
            kept.append(line)
        kept += added.get(number, [])
    return "\n".join(kept) + "\n"


def _leaves(paytable: RicochetPokerPaytable) -> Iterator[tuple[KeyPath, str]]:
    """Every value with the path of its key; the known figures aside."""
    content = paytable.model_dump(mode="json", exclude={"expect", "players"})
    if paytable.players != sorted(paytable.kickout):
        content["players"] = str(paytable.players)
    yield from _walk(content, ())


def _walk(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(inner, (*path, str(key)))
    else:
        yield path, str(value)


def _canonical(path: KeyPath) -> KeyPath:
    return tuple(str(part) for part in path)


def _last_beside(places: dict[KeyPath, int], path: KeyPath) -> int:
    """Line after which a new key is put: the last of those beside it, or at the top the first."""
    beside = [line for other, line in places.items() if other[:-1] == path[:-1]]
    if not beside:
        raise LookupError(path)
    return places["game",] if len(path) == 1 else max(beside)


def _replaced(line: str, path: KeyPath, value: str) -> str:
    """The line with another value; a remark behind it was about the old one and goes."""
    found = _PLAIN.fullmatch(line)
    if not found or "\n" in value:
        raise LookupError(line)
    # A value that YAML might read as something else fails the comparison and is written anew.
    remark = f"  # {kickout_meaning(parse_kickout(value))}" if path[0] == "kickout" else ""
    return f"{found[1]}{value}{remark}"


def _block(lines: list[str], first: int) -> range:
    """Lines of a key at the top with all below it, and comments just above."""
    last = first + 1
    while last < len(lines) and (not lines[last].strip() or lines[last][0] in " \t"):
        last += 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return range(first, last)
