"""What every paytable has: odds and amounts, title, source and notes, digest, schema.

Each game owns its own model on top of `PaytableBase`; `ricochet_casino.games` finds the model that
belongs to a file and loads it. All numbers come in as text (see config) and are kept as exact
fractions; the normalised dump of a model, ``model.model_dump(mode="json")``, holds texts and whole
numbers only, is accepted back by the same model, and is what the digest is taken of.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Self, TypeVar, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_serializer,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from ricochet_casino.config import (
    ConfigError,
    Document,
    KeyPath,
    Problem,
    data_folder,
    did_you_mean,
)
from ricochet_casino.config import digest as content_digest

LARGEST_AMOUNT = 10**9
"""Chips, and odds to one: keeps every sum over all deals far inside what a tally can hold."""

_ODDS = re.compile(r"([0-9]+)\s*(?:(:|to)\s*([0-9]+)|(for)\s*([0-9]+))?", re.IGNORECASE)
_AMOUNT = re.compile(r"[0-9]+(?:\.[0-9]+|/[0-9]+)?")
_FIGURE = re.compile(r"([+-]?)([0-9]+)(?:/([0-9]+)|\.([0-9]+))?\s*(%?)")
_LONGEST_NUMBER = 40


class PaytableError(ConfigError):
    """A paytable cannot be used; `problems` lists everything found wrong with it."""

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        super().__init__(Problem(problems) if isinstance(problems, str) else problems)


def parse_odds(value: object) -> Fraction:
    """Profit per chip staked: ``5 to 1``, ``5:1``, ``6 for 1`` (5 to 1), a whole number (to one).

    Raises
    ------
    ValueError
        If the value is something else, negative, or above `LARGEST_AMOUNT`.
    """
    if isinstance(value, Fraction):
        odds = value
    else:
        text = _number_text(value)
        found = _ODDS.fullmatch(text)
        if found is None:
            if text.startswith("-"):
                raise ValueError(f"{text} is negative; expected odds of zero or more")
            slash = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
            hint = f"; did you mean {slash[1]} to {slash[2]}?" if slash else ""
            expected = "expected odds such as 5 to 1, 5:1, 6 for 1 or 5"
            raise ValueError(f"{describe(text)} is not odds; {expected}{hint}")
        stake = int(found[3] or found[5] or 1)
        if stake == 0:
            raise ValueError(f"{text} is for a stake of zero; expected odds such as 5 to 1")
        odds = Fraction(int(found[1]), stake) - (1 if found[4] else 0)
    if odds < 0:
        raise ValueError(f"{value} is a loss even when it wins; expected 1 for 1 or more")
    if odds > LARGEST_AMOUNT:
        raise ValueError(f"{value} is too large; expected odds of at most {LARGEST_AMOUNT} to 1")
    return odds


def format_odds(odds: Fraction) -> str:
    """Print odds the one canonical way: ``5 to 1``, ``3 to 2``."""
    return f"{odds.numerator} to {odds.denominator}"


def parse_amount(value: object) -> Fraction:
    """Chips, zero or more, exactly: ``1``, ``0.5``, ``1/2``.

    Raises
    ------
    ValueError
        If the value is something else (``no``, ``nan``, ``1e3``), negative, or too large.
    """
    if isinstance(value, Fraction):
        amount = value
    else:
        text = _number_text(value)
        if not _AMOUNT.fullmatch(text) or re.fullmatch(r".*/0+", text):
            what = "is negative" if re.fullmatch(r"-[0-9./]+", text) else "is not an amount"
            expected = "expected chips such as 1, 0.5 or 1/2"
            raise ValueError(f"{describe(text)} {what}; {expected}")
        amount = Fraction(text)
    if not 0 <= amount <= LARGEST_AMOUNT:
        raise ValueError(f"{value} is too large; expected at most {LARGEST_AMOUNT} chips")
    return amount


def parse_positive_amount(value: object) -> Fraction:
    """As `parse_amount`, but zero is refused."""
    amount = parse_amount(value)
    if amount == 0:
        raise ValueError("zero; expected a positive amount of chips such as 1, 0.5 or 1/2")
    return amount


def _number_text(value: object) -> str:
    """Text of a value that is to be a number; whole numbers from Python are as good."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) <= 10**_LONGEST_NUMBER else "a number without end"
    if not isinstance(value, str):
        raise ValueError(f"{describe(value)} is not a number; expected text or a whole number")
    if len(value) > _LONGEST_NUMBER:
        raise ValueError(f"{value[:20]}... is too long; expected at most {_LONGEST_NUMBER} signs")
    return value.strip()


def describe(value: object) -> str:
    """Name a value in a message: texts as they are, structures by their kind."""
    if isinstance(value, str):
        return (value if len(value) <= 60 else value[:57] + "...") or "nothing"
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    return f"{value!r} ({type(value).__name__})"


def parse_figure(text: str) -> tuple[Fraction, Fraction]:
    """Read an expected figure: a whole number, ``n/d``, a decimal, or a percentage.

    Returns
    -------
    value, tolerance
        The number, and by how much the true one may differ: zero for whole numbers and fractions,
        half a unit of the last digit for decimals and percentages.

    Raises
    ------
    ValueError
        If the text is no such number.
    """
    found = _FIGURE.fullmatch(text.strip()) if len(text) <= 400 else None
    if found is None or (found[3] is not None and (found[5] or int(found[3]) == 0)):
        expected = "expected a whole number, n/d, a decimal or a percentage"
        raise ValueError(f"{describe(text)} is not a figure; {expected}")
    sign, whole, denominator, decimals, percent = found.groups()
    if denominator is not None:
        value, tolerance = Fraction(int(whole), int(denominator)), Fraction(0)
    else:
        digits = decimals or ""
        value = Fraction(int(whole + digits), 10 ** len(digits))
        tolerance = Fraction(1, 2 * 10 ** len(digits)) if digits or percent else Fraction(0)
    scale = Fraction(-1 if sign == "-" else 1, 100 if percent else 1)
    return value * scale, tolerance * abs(scale)


def figure_matches(text: str, value: Fraction | int) -> bool:
    """Say whether an exact value is the expected one, to the digits that are given."""
    expected, tolerance = parse_figure(text)
    return abs(value - expected) <= tolerance


ODDS_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": "^ *[0-9]+ *((:|to|for) *[0-9]+ *)?$"},
    ],
    "description": "5 to 1, 5:1, 6 for 1, or 5 (to 1)",
}
AMOUNT_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": "^ *[0-9]+([./][0-9]+)? *$"},
    ],
}
Odds = Annotated[
    Fraction,
    BeforeValidator(parse_odds),
    PlainSerializer(format_odds, return_type=str),
    WithJsonSchema(ODDS_SCHEMA),
]
"""Profit per chip staked, as an exact fraction "to one"."""
Amount = Annotated[
    Fraction,
    BeforeValidator(parse_amount),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(AMOUNT_SCHEMA),
]
"""Chips, zero or more, exactly."""
PositiveAmount = Annotated[
    Fraction,
    BeforeValidator(parse_positive_amount),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(AMOUNT_SCHEMA),
]
"""Chips, more than zero, exactly."""


def closed_schema(keys: Iterable[str], values: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of a mapping that may have these keys and no others."""
    properties = dict.fromkeys(keys, values)
    return {"type": "object", "properties": properties, "additionalProperties": False}


def printable(text: str, *, lines: bool = False) -> str:
    """Refuse what a terminal would act on, and line ends unless allowed.

    Raises
    ------
    ValueError
        If the text holds such a character.
    """
    strange = [c for c in text if not (c.isprintable() or (lines and c == "\n"))]
    if strange:
        what = f"the character U+{ord(strange[0]):04X}"
        raise ValueError(f"holds {what}; expected a text of printable characters")
    return text


Label = Annotated[str, AfterValidator(printable)]
"""A text of one line."""


class Model(BaseModel):
    """A part of a paytable: frozen, unknown keys refused, absent parts left out of the dump."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    @model_serializer(mode="wrap")
    def _without_absent_parts(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}


class PaytableBase(Model):
    """The keys that every paytable has; a game's own model adds its rules."""

    game: str = Field(description="Which game this is: a name that `ricochet games` prints.")
    title: str = Field(min_length=1, description="One line that names this paytable.")
    source: str = Field(default="", description="Where the rules and pays come from.")
    notes: str = Field(default="", description="Free text, printed in every certificate.")

    @field_validator("title", "source", "notes")
    @classmethod
    def _check_text(cls, value: str, info: ValidationInfo) -> str:
        return printable(value, lines=info.field_name == "notes")

    def warnings(self) -> list[tuple[KeyPath, str]]:
        """List what is allowed but looks like a mistake: where it stands, and what it is."""
        return []

    @classmethod
    def read(cls, data: Mapping[str, Any], document: Document | None = None) -> Self:
        """Build the model, with every problem told by file, line and nearest valid name.

        Parameters
        ----------
        data
            The content: texts from a YAML file, or a normalised dump.
        document
            The file it comes from, for the messages.

        Raises
        ------
        PaytableError
            With all problems.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise PaytableError(problems_in(cls, error, document)) from None


def digest(model: PaytableBase) -> str:
    """SHA-256 (hexadecimal) of the whole normalised content, title and notes included."""
    return content_digest(model.model_dump(mode="json"))


class Collector:
    """Gathers several problems inside one validator, each at its own place."""

    def __init__(self) -> None:
        self._details: list[InitErrorDetails] = []

    def add(self, path: KeyPath, text: str) -> None:
        """Note a problem at a place below the field that is being validated."""
        kind = PydanticCustomError("paytable", "{text}", {"text": text})
        self._details.append(InitErrorDetails(type=kind, loc=path, input=None))

    @contextmanager
    def at(self, *path: str | int) -> Iterator[None]:
        """Turn a ValueError raised inside into a problem at this place."""
        try:
            yield
        except ValueError as error:
            self.add(path, str(error))

    def finish(self, title: str) -> None:
        """Raise everything that was gathered, if anything was."""
        if self._details:
            raise ValidationError.from_exception_data(title, self._details)


_K = TypeVar("_K")
_V = TypeVar("_V")


def read_mapping(
    value: object,
    read_key: Callable[[str], _K],
    read_value: Callable[[Any], _V],
    collector: Collector,
    path: KeyPath = (),
) -> dict[_K, _V]:
    """Read a mapping entry by entry, going on after a bad one.

    Parameters
    ----------
    value
        What should be a mapping.
    read_key, read_value
        Turn the text of a key, and a value, into what is kept; a ValueError says what is wrong.
    collector
        Gets the problems.
    path
        Where the mapping stands below the field that is being validated.

    Returns
    -------
    dict
        The good entries. Two keys that mean the same are a problem.
    """
    found: dict[_K, _V] = {}
    if not isinstance(value, Mapping):
        text = f"{describe(value)}; expected a mapping, one `key: value` per line"
        collector.add(path, text)
        return found
    seen: dict[_K, str] = {}
    for raw_key, raw_value in value.items():
        with collector.at(*path, str(raw_key)):
            key = read_key(str(raw_key))
            if key in seen:
                raise ValueError(f"means the same as {seen[key]}; expected each one once")
            seen[key] = str(raw_key)
            found[key] = read_value(raw_value)
    return found


def problems_in(
    model: type[BaseModel], error: ValidationError, document: Document | None
) -> list[Problem]:
    """Everything that a model refuses, in words and in the order of the file.

    Parameters
    ----------
    model
        What was to be made.
    error
        Pydantic's.
    document
        The file, for the lines.
    """
    found = [_problem(model, detail, document) for detail in error.errors()]
    return sorted(found, key=lambda problem: problem.line or 0)


def _problem(model: type[BaseModel], detail: ErrorDetails, document: Document | None) -> Problem:
    """Put one of pydantic's errors into words, with the line it belongs to."""
    path: KeyPath = tuple(part for part in detail["loc"] if part != "[key]")
    name = ".".join(str(part) for part in path)
    context = detail.get("ctx", {})
    match detail["type"]:
        case "extra_forbidden":
            parent = _model_at(model, path[:-1])
            keys = sorted(parent.model_fields) if parent else []
            text = f"unknown key {name}; expected one of {', '.join(keys)}"
            text += did_you_mean(str(path[-1]), keys)
        case "missing":
            parent = _model_at(model, path[:-1])
            field = parent.model_fields.get(str(path[-1])) if parent else None
            meaning = field.description if field and field.description else "a value"
            meaning = meaning[0].lower() + meaning[1:].rstrip(".")
            text = f"the key {name} is missing; expected {meaning}"
            path = path[:-1]
        case "literal_error":
            given = describe(detail["input"])
            choices = re.findall(r"'([^']*)'", str(context.get("expected", "")))
            text = f"{name}: {given}; expected {' or '.join(choices)}"
            text += did_you_mean(given, choices)
        case "string_type" | "string_too_short":
            text = f"{name}: {describe(detail['input'])}; expected a text"
        case "model_type" | "model_attributes_type" | "dict_type":
            text = f"{name}: {describe(detail['input'])}; expected a mapping"
        case "value_error" | "paytable":
            text = f"{name}: {context.get('error', context.get('text'))}"
        case _:
            text = f"{name}: {detail['msg']}"
    return document.problem(path, text) if document else Problem(text)


def _model_at(model: type[BaseModel], path: KeyPath) -> type[BaseModel] | None:
    """Model of the part that stands at this place."""
    for part in path:
        if isinstance(part, int):  # an element of a list: its model was taken with the list
            continue
        field = model.model_fields.get(part)
        if field is None:
            return None
        kinds = [field.annotation]
        if get_origin(field.annotation) in (Union, UnionType, tuple):
            kinds = list(get_args(field.annotation))
        below = [k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)]
        if not below:
            return None
        model = below[0]
    return model


def schema_of(model: type[PaytableBase]) -> dict[str, Any]:
    """JSON Schema (draft 7) of a paytable, for the completion and the checks of an editor."""
    schema = model.model_json_schema(mode="validation")
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", **_refer_to_odds(schema)}
    schema.setdefault("$defs", {})["Odds"] = ODDS_SCHEMA
    return schema


def _refer_to_odds(schema: Any) -> Any:
    """Name the schema of odds instead of repeating it on every line."""
    if schema == ODDS_SCHEMA:
        return {"$ref": "#/$defs/Odds"}
    if isinstance(schema, dict):
        return {key: _refer_to_odds(value) for key, value in schema.items()}
    return [_refer_to_odds(value) for value in schema] if isinstance(schema, list) else schema


def shipped_paytables() -> dict[str, Path]:
    """Paytables that come with the package, by name: ``ricochet_poker/rulebook``."""
    folder = data_folder("paytables")
    files = sorted(folder.glob("*/*.yaml"))
    return {f"{file.parent.name}/{file.stem}": file for file in files}


def find_paytable(path_or_name: str | os.PathLike[str]) -> Path:
    """Find the file of a paytable given by path or by its shipped name, with or without the game.

    A shipped name wins over a file of that name; ``./rulebook`` is always a file.

    Raises
    ------
    PaytableError
        If it is neither, with the nearest shipped name and the list of all.
    """
    text = os.fspath(path_or_name)
    shipped = shipped_paytables()
    matches = [name for name in shipped if text in (name, name.split("/")[1])]
    if len(matches) == 1:
        return shipped[matches[0]]
    if matches:
        raise PaytableError(f"{text} is the name of several; expected {' or '.join(matches)}")
    path = Path(text)
    if path.suffix in (".yaml", ".yml") or os.path.lexists(path):
        return path
    short = [name.split("/")[1] for name in shipped]
    hint = did_you_mean(text, [*short, *shipped])
    listed = ", ".join(shipped)
    raise PaytableError(f"no paytable or file {text}; expected a path or one of {listed}{hint}")
