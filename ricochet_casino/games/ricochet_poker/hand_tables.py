"""A policy given as a table: for each of the 169 starting hands, against what it is played.

The table says up to which best live hand a starting hand plays, so it is a rule that can be learned
by heart. It sees the player's own two cards and the best live five-card hand, nothing else
(docs/rulings.md B).
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.config import ConfigError, Document, Problem, did_you_mean, read_yaml
from ricochet_casino.games.ricochet_poker.deals import starting_hand, starting_hands
from ricochet_casino.games.ricochet_poker.notation import kickout_text, parse_kickout
from ricochet_casino.games.ricochet_poker.round import Table
from ricochet_casino.games.ricochet_poker.strategy import check_policy_name, is_alone
from ricochet_casino.paytable import describe

ALWAYS: Final = N_CLASSES
"""The limit of a hand that is always played."""
NEVER: Final = -1
"""The limit of a hand that is never played."""

_KEYS = ("name", "hands")
_SHOWN = 5  # so many missing hands are named


@dataclass(frozen=True)
class HandTable:
    """Which starting hands play, and against what; ready for the referee.

    Attributes
    ----------
    name
        Label in results: small letters, digits and ``_``, and not the name of a strategy.
    limits
        For each of the 169 starting hands by name (``AA``, ``AKs``, ``AKo``) a class number: the
        hand plays if the best live five-card hand is of a lower class, or if there is none. 7,462
        always plays; -1 never does.

    Raises
    ------
    ValueError
        If the name is not such a name, a hand is missing or unknown, or a limit is out of range.
    """

    name: str
    limits: Mapping[str, int] = field(hash=False)

    def __post_init__(self) -> None:
        check_policy_name(self.name)
        for hand, limit in self.limits.items():
            if hand not in _hand_names():
                raise ValueError(f"policy {self.name!r}: {unknown_hand(hand)}")
            if isinstance(limit, bool) or not isinstance(limit, int):
                raise ValueError(f"policy {self.name!r}: the limit of {hand} is no whole number")
            if not NEVER <= limit <= ALWAYS:
                raise ValueError(
                    f"policy {self.name!r}: the limit of {hand} must be {NEVER} to {ALWAYS}, "
                    f"got {limit}"
                )
        missing = missing_hands(self.limits)
        if missing:
            raise ValueError(f"policy {self.name!r} has a hole: {missing}")

    def __call__(self, table: Table) -> bool:
        """Whether the player plays; cards that cost nothing are always taken."""
        return is_alone(table) or table.to_beat < self.limits[starting_hand(table.hole).name]

    def limits_array(self) -> NDArray[np.int16]:
        """(4096,) int16: the limit of two cards a, b by ``64 a + b``; -1 where they are no hand."""
        found = np.full(64 * 64, NEVER, dtype=np.int16)
        for a in range(52):
            for b in range(52):
                if a != b:
                    found[64 * a + b] = self.limits[starting_hand((a, b)).name]
        return found

    def to_json(self) -> dict[str, Any]:
        """The table as JSON values, limits as they are written in a file."""
        hands = {name: limit_text(self.limits[name]) for name in _hand_names()}
        return {"name": self.name, "hands": hands}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "HandTable":
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the value is not such a table, or has a hole.
        """
        name, hands = value.get("name"), value.get("hands")
        if len(value) != len(_KEYS) or not isinstance(name, str) or not isinstance(hands, Mapping):
            raise ValueError("not a hand table: expected a name and hands")
        limits = {}
        for hand, text in hands.items():
            try:
                limits[str(hand)] = parse_limit(text)
            except ValueError as error:
                raise ValueError(f"policy {name!r}: {hand}: {error}") from None
        return cls(name, limits)


@cache
def _hand_names() -> Mapping[str, None]:
    """Names of the 169 starting hands, in their order; quick to search."""
    return dict.fromkeys(hand.name for hand in starting_hands())


def unknown_hand(text: str) -> str:
    """What to say about a name that is no starting hand."""
    letters = text.strip().upper().replace("10", "T")
    ordered = [name for name in _hand_names() if set(name[:2].upper()) == set(letters[:2])]
    hint = did_you_mean(letters, ordered) or did_you_mean(text, _hand_names())
    return f"unknown starting hand {describe(text)}; expected one such as AA, AKs or AKo{hint}"


def missing_hands(limits: Mapping[str, object]) -> str:
    """``no 32s, 32o``: the first hands for which there is no limit; empty if there is none."""
    missing = [name for name in _hand_names() if name not in limits]
    if not missing:
        return ""
    more = ", ..." if len(missing) > _SHOWN else ""
    total = len(_hand_names())
    return f"no {', '.join(missing[:_SHOWN])}{more} ({len(missing)} of {total} hands missing)"


def parse_limit(value: object) -> int:
    """Read a limit: ``play``, ``fold``, or a hand as in `kickout`, such as ``QQ`` or ``222``.

    A hand means that best live hands below it are played against.

    Raises
    ------
    ValueError
        If it is something else.
    """
    expected = "expected play, fold, or a hand such as KKQ, TTxx or 222"
    if not isinstance(value, str):
        raise ValueError(f"{describe(value)}; {expected}")
    word = value.strip().lower()
    if word in ("play", "fold"):
        return ALWAYS if word == "play" else NEVER
    if word in ("none", ""):
        raise ValueError(f"{describe(word)}; {expected}")
    try:
        return parse_kickout(value)
    except ValueError:
        hint = did_you_mean(word, ("play", "fold"))
        if not hint:
            raise
        raise ValueError(f"{describe(value)}; {expected}{hint}") from None


def limit_text(limit: int) -> str:
    """Write a limit as `parse_limit` reads it."""
    return {ALWAYS: "play", NEVER: "fold"}.get(limit) or kickout_text(limit)


def read_hand_table(path: str | os.PathLike[str]) -> HandTable:
    """Read a hand table from a YAML file.

    Parameters
    ----------
    path
        A file with ``name`` and ``hands``: a mapping from all 169 starting hands to limits (see
        `parse_limit`).

    Raises
    ------
    ConfigError
        With everything that is wrong, by file and line.
    """
    document = read_yaml(path)
    problems = [
        document.problem(
            (key,),
            f"unknown key {describe(key)}; expected name and hands{did_you_mean(key, _KEYS)}",
        )
        for key in document.data
        if key not in _KEYS
    ]
    problems += [
        document.problem((), f"the key {key} is missing")
        for key in _KEYS
        if key not in document.data
    ]
    name = document.data.get("name", "")
    if "name" in document.data:
        try:
            check_policy_name(name if isinstance(name, str) else describe(name))
        except ValueError as error:
            problems.append(document.problem(("name",), f"name: {error}"))
    limits = _read_hands(document, problems) if "hands" in document.data else {}
    if problems:
        raise ConfigError(sorted(problems, key=lambda problem: problem.line or 0))
    return HandTable(str(name), limits)


def _read_hands(document: Document, problems: list[Problem]) -> dict[str, int]:
    """The limits in a file; what is wrong with them is added to the problems."""
    hands = document.data["hands"]
    if not isinstance(hands, dict):
        text = f"hands: {describe(hands)}; expected a limit for each of the 169 starting hands"
        problems.append(document.problem(("hands",), text))
        return {}
    limits = {}
    for hand, value in hands.items():
        if hand not in _hand_names():
            problems.append(document.problem(("hands", hand), f"hands: {unknown_hand(hand)}"))
            continue
        try:
            limits[hand] = parse_limit(value)
        except ValueError as error:
            problems.append(document.problem(("hands", hand), f"hands.{hand}: {error}"))
    missing = missing_hands(hands)
    if missing:
        problems.append(document.problem(("hands",), f"hands: {missing}"))
    return limits
