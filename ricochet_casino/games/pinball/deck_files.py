"""Deck files: read with file and line for everything wrong, and written.

A deck file is YAML: ``game``, ``name`` and ``cards``, each card with four numbers and a ball.
"""

import os
import re
from collections.abc import Collection, Sequence
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
_NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,39}")


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
    problems = key_problems(document, (), document.data, _DECK_KEYS, _DECK_KEYS)
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
    problems += key_problems(document, path, row, _CARD_KEYS, _CARD_KEYS, label)
    numbers = [
        read_number(document, (*path, colour), row[colour], f"{label}: {colour}", problems)
        for colour in COLOURS
        if colour in row
    ]
    kind = 0
    if "ball" in row:
        kind = read_ball(document, (*path, "ball"), row["ball"], label, problems)
    if len(problems) > before:
        return None
    red, yellow, green, blue = numbers
    return Card((red, yellow, green, blue), kind)


def read_number(
    document: Document, path: KeyPath, value: object, label: str, problems: list[Problem]
) -> int:
    """A bumper's number; 0 and a problem if it is none."""
    text = value if isinstance(value, str) else ""
    if re.fullmatch(r"[0-9]{1,4}", text) and 1 <= int(text) <= DECK_SIZE:
        return int(text)
    what = f"{label}: {describe(value)}; expected a whole number from 1 to {DECK_SIZE}"
    problems.append(document.problem(path, what))
    return 0


def read_ball(
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


def key_problems(
    document: Document,
    path: KeyPath,
    found: Collection[str],
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
