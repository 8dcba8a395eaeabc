"""Deck files and layout files: read with file and line for everything wrong, and written.

A deck file is YAML: ``game``, ``name`` and ``cards``, each card with four numbers and a ball. A
layout file, YAML or JSON, holds ``layouts``: start card and outer cards, for `chain`.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ricochet_casino.config import (
    ConfigError,
    Document,
    KeyPath,
    Problem,
    data_folder,
    did_you_mean,
    read_yaml,
)
from ricochet_casino.games.pinball.chain import FULL_TILT_PLACES, PLACES, follow
from ricochet_casino.games.pinball.deck import (
    COLOURS,
    DECK_SIZE,
    KINDS,
    SIZES,
    Card,
    Deck,
    deck_problems,
)
from ricochet_casino.paytable import describe

_DECK_KEYS: Final = ("game", "name", "cards")
_CARD_KEYS: Final = (*COLOURS, "ball")
_LAYOUT_KEYS: Final = ("id", "start", "outer", "sequence", "final")
_NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,39}")


# --- Decks ---------------------------------------------------------------------------------------


def shipped_decks() -> dict[str, Path]:
    """The shipped decks by name."""
    return {path.stem: path for path in sorted((data_folder("configs") / "decks").glob("*.yaml"))}


def find_deck(path_or_name: str | os.PathLike[str]) -> Path:
    """Find the file of a deck given by path or by its shipped name.

    Raises
    ------
    ConfigError
        If it is neither, with the nearest shipped name and the list of all.
    """
    text, shipped = os.fspath(path_or_name), shipped_decks()
    if text in shipped:
        return shipped[text]
    path = Path(text)
    if path.suffix in (".yaml", ".yml") or os.path.lexists(path):
        return path
    expected, hint = ", ".join(shipped), did_you_mean(text, shipped)
    what = f"no deck or file {describe(text)}; expected a path or one of {expected}{hint}"
    raise ConfigError(Problem(what))


def read_deck(path_or_name: str | os.PathLike[str]) -> Deck:
    """Read a deck from a file, or a shipped one by its name.

    Raises
    ------
    ConfigError
        With everything that is wrong, by file and line.
    """
    document = read_yaml(find_deck(path_or_name))
    problems = _key_problems(document, (), document.data, _DECK_KEYS, _DECK_KEYS)
    game, name = document.data.get("game", "pinball"), document.data.get("name", "deck")
    if game != "pinball":
        text = f"game: {describe(game)}; expected pinball{did_you_mean(str(game), ['pinball'])}"
        problems.append(document.problem(("game",), text))
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        text = f"name: {describe(name)}; expected small letters, digits and _, at most 40"
        problems.append(document.problem(("name",), text))
    cards = _read_cards(document, problems) if "cards" in document.data else []
    if problems:
        raise ConfigError(sorted(problems, key=lambda problem: problem.line or 0))
    return Deck(str(name), tuple(cards))


def _read_cards(document: Document, problems: list[Problem]) -> list[Card]:
    """The cards of a deck file; what is wrong with them is added to the problems."""
    rows = document.data["cards"]
    if not isinstance(rows, list):
        text = f"cards: {describe(rows)}; expected a list of {DECK_SIZE} cards"
        problems.append(document.problem(("cards",), text))
        return []
    cards, where = [], []
    for index, row in enumerate(rows):
        path: KeyPath = ("cards", index)
        card = _read_card(document, path, row, f"card {index + 1}", problems)
        if card is not None:
            cards.append(card)
            where.append(path)
    if len(cards) == len(rows):  # else numbers of cards would not be those of the file
        for index, text in deck_problems(cards):
            at = where[index] if where and "cards; expected" not in text else ("cards",)
            problems.append(document.problem(at, text))
    return cards


def _read_card(
    document: Document, path: KeyPath, row: object, label: str, problems: list[Problem]
) -> Card | None:
    """One card ``{red: 17, yellow: 3, green: 5, blue: 41, ball: large red}``, or None."""
    before = len(problems)
    if not isinstance(row, dict):
        text = f"{label}: {describe(row)}; expected {', '.join(_CARD_KEYS)}"
        problems.append(document.problem(path, text))
        return None
    problems += _key_problems(document, path, row, _CARD_KEYS, _CARD_KEYS, label)
    numbers = [
        _number(document, (*path, colour), row[colour], f"{label}: {colour}", problems)
        for colour in COLOURS
        if colour in row
    ]
    kind = 0
    if "ball" in row:
        kind = _ball(document, (*path, "ball"), row["ball"], label, problems)
    if len(problems) > before:
        return None
    red, yellow, green, blue = numbers
    return Card((red, yellow, green, blue), kind)


def _number(
    document: Document, path: KeyPath, value: object, label: str, problems: list[Problem]
) -> int:
    """A bumper's number; 0 and a problem if it is none."""
    text = value if isinstance(value, str) else ""
    if re.fullmatch(r"[0-9]{1,4}", text) and 1 <= int(text) <= DECK_SIZE:
        return int(text)
    what = f"{label}: {describe(value)}; expected a whole number from 1 to {DECK_SIZE}"
    problems.append(document.problem(path, what))
    return 0


def _ball(
    document: Document, path: KeyPath, value: object, label: str, problems: list[Problem]
) -> int:
    """Kind of a ball written ``large red`` or ``[large, red]``; 0 and a problem if it is none."""
    words = value.split() if isinstance(value, str) else value
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        text = " ".join(str(word).lower() for word in words)
        if text in KINDS:
            return KINDS.index(text)
        if len(words) == 2:
            size, colour = text.split(" ")
            if size in SIZES:
                wrong = f"no ball is {describe(colour)}; expected one of {', '.join(COLOURS)}"
                wrong += did_you_mean(colour, COLOURS)
            else:
                wrong = f"no ball is {describe(size)}; expected small or large"
                wrong += did_you_mean(size, SIZES)
            problems.append(document.problem(path, f"{label}: ball: {wrong}"))
            return 0
        value = text
    what = f"{label}: ball: {describe(value)}; expected a size and a colour such as large red"
    problems.append(document.problem(path, what))
    return 0


def _key_problems(
    document: Document,
    path: KeyPath,
    found: dict[str, object] | dict[str, "str | list[object] | dict[str, object]"],
    known: Sequence[str],
    needed: Sequence[str],
    label: str = "",
) -> list[Problem]:
    """Keys that are unknown or missing."""
    prefix = f"{label}: " if label else ""
    problems = [
        document.problem(
            (*path, key),
            f"{prefix}unknown key {describe(key)}; expected one of {', '.join(known)}"
            f"{did_you_mean(key, known)}",
        )
        for key in found
        if key not in known
    ]
    problems += [
        document.problem(path, f"{prefix}the key {key} is missing")
        for key in needed
        if key not in found
    ]
    return problems


def deck_text(deck: Deck, comment: str = "") -> str:
    """The deck as the text of a deck file.

    Parameters
    ----------
    deck
        The deck.
    comment
        Lines for the head of the file.
    """
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += ["game: pinball", f"name: {deck.name}", "cards:"]
    for card in deck.cards:
        numbers = "".join(
            f"{colour}: {number:2}, " for colour, number in zip(COLOURS, card.bumpers, strict=True)
        )
        lines.append(f"  - {{{numbers}ball: {card.ball}}}")
    return "\n".join(lines) + "\n"


# --- Layouts -------------------------------------------------------------------------------------


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
    problems = _key_problems(document, (), document.data, ("note", "layouts"), ("layouts",))
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
    problems += _key_problems(document, path, row, _LAYOUT_KEYS, ("start", "outer"), label)
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
    problems += _key_problems(document, path, value, COLOURS, COLOURS, f"{label}: bumpers")
    return [
        _number(document, (*path, colour), value[colour], f"{label}: {colour}", problems)
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
    problems += _key_problems(document, path, value, ("bumpers", "ball"), ("ball",), label)
    if "bumpers" in value:
        _bumpers(document, (*path, "bumpers"), value["bumpers"], label, problems)
    if "ball" not in value:
        return 0
    return _ball(document, (*path, "ball"), value["ball"], label, problems)


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
    problems += _key_problems(document, path, value, keys, keys, label)
    if len(problems) > before:
        return None
    numbers = _bumpers(document, (*path, "bumpers"), value["bumpers"], label, problems)
    kind = _ball(document, (*path, "ball"), value["ball"], label, problems)
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
