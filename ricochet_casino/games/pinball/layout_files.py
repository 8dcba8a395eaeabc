"""Layout files: a start card with the cards around it, for `chain`; YAML or JSON.

Everything wrong is told with file and line.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ricochet_casino.config import (
    ConfigError,
    Document,
    KeyPath,
    Problem,
    did_you_mean,
    read_yaml,
)
from ricochet_casino.games.pinball.chain import FULL_TILT_PLACES, PLACES, follow
from ricochet_casino.games.pinball.deck import COLOURS, Card
from ricochet_casino.games.pinball.deck_files import key_problems, read_ball, read_number
from ricochet_casino.paytable import describe

_LAYOUT_KEYS: Final = ("id", "start", "outer", "sequence", "final")


@dataclass(frozen=True)
class Layout:
    """A start card with the cards around it.

    Attributes
    ----------
    id
        Its name in the file.
    kind
        Kind of the start card's ball; nothing else of that card counts.
    places
        Names of the places.
    outer
        The card on each place.
    stated
        The sequence of places that the file states, ending with the last card, or None.
    """

    id: int | str
    kind: int
    places: tuple[str, ...]
    outer: tuple[Card, ...]
    stated: tuple[str, ...] | None

    @property
    def sequence(self) -> tuple[str, ...]:
        """Places in the order of the chain; the last one is the card to slap."""
        return tuple(
            self.places[place] for place in follow(self.kind, self.outer, range(len(self.outer)))
        )


def read_layouts(path: str | os.PathLike[str]) -> list[Layout]:
    """Read a layout file, YAML or JSON.

    Parameters
    ----------
    path
        A file with ``layouts``, a list: each has ``start`` (``ball``, and ``bumpers``, which do
        not count), ``outer`` (four cards top, right, bottom, left, or five p0 to p4) and may have
        ``id`` (else its number from 1), ``sequence`` and ``final``.

    Raises
    ------
    ConfigError
        With everything that is wrong, by file and line.
    """
    document = read_yaml(path)
    problems = key_problems(document, (), document.data, ("note", "layouts"), ("layouts",))
    rows = document.data.get("layouts", [])
    if not isinstance(rows, list):
        text = f"layouts: {describe(rows)}; expected a list"
        problems.append(document.problem(("layouts",), text))
        rows = []
    layouts = [_read_layout(document, index, row, problems) for index, row in enumerate(rows)]
    if problems:
        raise ConfigError(sorted(problems, key=lambda problem: problem.line or 0))
    return [layout for layout in layouts if layout is not None]


def _read_layout(
    document: Document, index: int, row: object, problems: list[Problem]
) -> Layout | None:
    """One layout, or None and problems."""
    path: KeyPath = ("layouts", index)
    before = len(problems)
    label = f"layout {index + 1}"
    if not isinstance(row, dict):
        text = f"{label}: {describe(row)}; expected start and outer"
        problems.append(document.problem(path, text))
        return None
    name = row.get("id", str(index + 1))
    identity: int | str = describe(name)
    if isinstance(identity, str) and re.fullmatch(r"0|[1-9][0-9]{0,17}", identity):
        identity = int(identity)
    label = f"layout {identity}"
    problems += key_problems(document, path, row, _LAYOUT_KEYS, ("start", "outer"), label)
    if "start" not in row or "outer" not in row:
        return None
    kind = _read_start(document, (*path, "start"), row["start"], f"{label}: start", problems)
    outer = row["outer"]
    places = _places(document, (*path, "outer"), outer, label, problems)
    cards = [
        _outer_card(document, (*path, "outer", place), outer[place], f"{label}: {place}", problems)
        for place in places
        if isinstance(outer, dict)
    ]
    stated = _stated(document, path, row, places, label, problems)
    if len(problems) > before:
        return None
    whole = tuple(card for card in cards if card is not None)
    problems += _repeats(document, (*path, "outer"), places, whole, label)
    return Layout(identity, kind, places, whole, stated)


def _places(
    document: Document, path: KeyPath, outer: object, label: str, problems: list[Problem]
) -> tuple[str, ...]:
    """The outer places in use, as `PLACES` or `FULL_TILT_PLACES`; else nothing and a problem."""
    given = tuple(outer) if isinstance(outer, dict) else ()
    for names in (PLACES, FULL_TILT_PLACES):
        if set(given) == set(names):
            return names
    text = f"{label}: outer: expected the places {', '.join(PLACES)}, or p0 to p4"
    names = FULL_TILT_PLACES if set(given) & set(FULL_TILT_PLACES) else PLACES
    strange = [place for place in given if place not in names]
    missing = [place for place in names if place not in given]
    if isinstance(outer, dict):
        text += f"; got {', '.join(map(describe, given)) or 'nothing'}"
        if strange and missing:
            text += did_you_mean(strange[0], missing)
    problems.append(document.problem(path, text))
    return ()


def _bumpers(
    document: Document, path: KeyPath, value: object, label: str, problems: list[Problem]
) -> list[int]:
    """Four numbers by colour."""
    if not isinstance(value, dict):
        text = f"{label}: bumpers: {describe(value)}; expected {', '.join(COLOURS)}"
        problems.append(document.problem(path, text))
        return []
    problems += key_problems(document, path, value, COLOURS, COLOURS, f"{label}: bumpers")
    return [
        read_number(document, (*path, colour), value[colour], f"{label}: {colour}", problems)
        for colour in COLOURS
        if colour in value
    ]


def _read_start(
    document: Document, path: KeyPath, value: object, label: str, problems: list[Problem]
) -> int:
    """Kind of the start card's ball; its bumpers may be left out."""
    if not isinstance(value, dict):
        problems.append(document.problem(path, f"{label}: {describe(value)}; expected a ball"))
        return 0
    problems += key_problems(document, path, value, ("bumpers", "ball"), ("ball",), label)
    if "bumpers" in value:
        _bumpers(document, (*path, "bumpers"), value["bumpers"], label, problems)
    if "ball" not in value:
        return 0
    return read_ball(document, (*path, "ball"), value["ball"], label, problems)


def _outer_card(
    document: Document, path: KeyPath, value: object, label: str, problems: list[Problem]
) -> Card | None:
    """A card with its bumpers and its ball, or None and problems."""
    before = len(problems)
    if not isinstance(value, dict):
        text = f"{label}: {describe(value)}; expected bumpers and a ball"
        problems.append(document.problem(path, text))
        return None
    keys = ("bumpers", "ball")
    problems += key_problems(document, path, value, keys, keys, label)
    if len(problems) > before:
        return None
    numbers = _bumpers(document, (*path, "bumpers"), value["bumpers"], label, problems)
    kind = read_ball(document, (*path, "ball"), value["ball"], label, problems)
    if len(problems) > before:
        return None
    red, yellow, green, blue = numbers
    return Card((red, yellow, green, blue), kind)


def _stated(
    document: Document,
    path: KeyPath,
    row: dict[str, object],
    places: tuple[str, ...],
    label: str,
    problems: list[Problem],
) -> tuple[str, ...] | None:
    """The sequence that the file states; the final card alone counts if only that is stated."""
    sequence, final = row.get("sequence"), row.get("final")
    if sequence is None and final is None:
        return None
    listed = sequence if isinstance(sequence, list) else [] if sequence is None else [sequence]
    named = [*map(describe, listed), *([] if final is None else [describe(final)])]
    for place in named:
        if places and place not in places:
            text = f"{label}: no place {place}; expected {', '.join(places)}"
            problems.append(document.problem(path, text + did_you_mean(place, places)))
    if sequence is not None and final is not None and named[-2:-1] != named[-1:]:
        text = f"{label}: final is {named[-1]}, but the sequence does not end with it"
        problems.append(document.problem((*path, "final"), text))
    return tuple(map(describe, listed)) or (describe(final),)


def _repeats(
    document: Document,
    path: KeyPath,
    places: Sequence[str],
    cards: Sequence[Card],
    label: str,
) -> list[Problem]:
    """Numbers that appear twice in a colour: no deck holds such cards, and neither is larger."""
    problems = []
    for which, colour in enumerate(COLOURS):
        holders: dict[int, str] = {}
        for place, card in zip(places, cards, strict=True):
            number = card.bumpers[which]
            if number in holders:
                text = f"{label}: {colour} {number} at {holders[number]} and at {place}"
                text += "; expected each number once in a colour"
                problems.append(document.problem((*path, place), text))
            holders.setdefault(number, place)
    return problems
