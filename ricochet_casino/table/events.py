"""The vocabulary of the ledger: everything that can happen at a table, one JSON object each.

Only what cannot be worked out is an event: who came and went, which cards were dealt, who chose
what. Pots, turns and winners follow from the rules; ``end`` states the chips won all the same, so
that the file can be read and added up by other programs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ricochet_casino.config import did_you_mean, short_json


@dataclass(frozen=True)
class Event:
    """Something that happened; `KINDS` has all of them by name."""

    kind: ClassVar[str] = ""

    def to_json(self) -> dict[str, Any]:
        """The event as JSON values."""
        found: dict[str, Any] = {"kind": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            found[field.name] = list(value) if isinstance(value, tuple) else value
        return found


@dataclass(frozen=True)
class Sit(Event):
    """Somebody sits down with chips; `policy` is empty for a human being."""

    kind: ClassVar[str] = "sit"
    who: str
    chips: int
    policy: str


@dataclass(frozen=True)
class Leave(Event):
    """Somebody takes `chips` home."""

    kind: ClassVar[str] = "leave"
    who: str
    chips: int


@dataclass(frozen=True)
class Buy(Event):
    """Somebody buys more chips."""

    kind: ClassVar[str] = "buy"
    who: str
    chips: int


@dataclass(frozen=True)
class Begin(Event):
    """Hand number `hand` begins: antes are paid; `players` from the one dealt to first."""

    kind: ClassVar[str] = "hand"
    hand: int
    dealer: str
    players: tuple[str, ...]


@dataclass(frozen=True)
class Card(Event):
    """A card such as ``Th`` is dealt to somebody."""

    kind: ClassVar[str] = "card"
    to: str
    card: str


@dataclass(frozen=True)
class Act(Event):
    """Somebody chooses: ``f`` to fold, a number of cards to buy, ``p`` to play."""

    kind: ClassVar[str] = "act"
    who: str
    choice: str


@dataclass(frozen=True)
class Undo(Event):
    """The table is again as it was before line `before`."""

    kind: ClassVar[str] = "undo"
    before: int


@dataclass(frozen=True)
class End(Event):
    """A hand is closed; `net` are the chips won by everybody, `players` first, the dealer last.

    `owed` are chips that the dealer of casino night had to buy to pay all bonuses.
    """

    kind: ClassVar[str] = "end"
    hand: int
    names: tuple[str, ...]
    net: tuple[int, ...]
    owed: int


KINDS: dict[str, type[Event]] = {
    event.kind: event for event in (Sit, Leave, Buy, Begin, Card, Act, Undo, End)
}
"""All events by name."""


def event_from(content: Mapping[str, Any]) -> Event:
    """An event from its JSON values.

    Raises
    ------
    ValueError
        If the kind is unknown, or a key is missing, unknown or of the wrong type.
    """
    kind = content.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        hint = did_you_mean(str(kind), KINDS)
        raise ValueError(
            f"unknown kind {short_json(kind)}; expected one of {', '.join(KINDS)}{hint}"
        )
    event = KINDS[kind]
    known = {field.name: _type_name(field.type) for field in fields(event)}
    for key in content:
        if key != "kind" and key not in known:
            raise ValueError(f"{kind}: unknown key {short_json(key)}{did_you_mean(key, known)}")
    values: dict[str, Any] = {}
    for name, expected in known.items():
        if name not in content:
            raise ValueError(f"{kind}: the key {name} is missing")
        values[name] = _typed(kind, name, content[name], expected)
    return event(**values)


def _type_name(found: Any) -> str:
    return found.__name__ if found in (str, int) else str(found)


_TYPES: dict[str, tuple[type, str]] = {"str": (str, "text"), "int": (int, "a whole number")}


def _typed(kind: str, name: str, value: Any, expected: str) -> Any:
    if expected.startswith("tuple["):
        inner = expected.removeprefix("tuple[").partition(",")[0]
        if not isinstance(value, list):
            raise ValueError(f"{kind}: {name} is {short_json(value)}; expected a list")
        return tuple(_typed(kind, name, part, inner) for part in value)
    wanted, words = _TYPES[expected]
    if type(value) is not wanted:
        raise ValueError(f"{kind}: {name} is {short_json(value)}; expected {words}")
    return value
