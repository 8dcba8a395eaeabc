"""Settings of a game: named readings of its rules, with presets, written as ``name=value``."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from ricochet_casino.config import did_you_mean, short_json

_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class GameSettings(BaseModel):
    """Base of the settings of a game; every field is a ruling of docs/rulings.md with its default.

    Attributes
    ----------
    PRESETS
        Name of a preset -> the settings in which it differs from the defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    @classmethod
    def read(cls, values: Mapping[str, Any], preset: str | None = None) -> Self:
        """Settings from values by name, on top of a preset.

        Parameters
        ----------
        values
            Name -> value; text is understood as in a file: ``true``, ``2``, ``strict``.
        preset
            A name from `PRESETS`; the defaults if None.

        Raises
        ------
        ValueError
            For an unknown name (with the nearest one) or a value that cannot be.
        """
        chosen: dict[str, Any] = {}
        if preset is not None:
            if preset not in cls.PRESETS:
                hint = did_you_mean(preset, cls.PRESETS)
                expected = ", ".join(cls.PRESETS)
                raise ValueError(f"unknown preset {preset!r}: expected one of {expected}{hint}")
            chosen |= cls.PRESETS[preset]
        for name, value in values.items():
            if name not in cls.model_fields:
                hint = did_you_mean(str(name), cls.model_fields)
                expected = ", ".join(cls.model_fields)
                raise ValueError(f"unknown setting {name}: expected one of {expected}{hint}")
            chosen[name] = _plain(value) if isinstance(value, str) else value
        try:
            return cls(**chosen)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"][:1])
            said = first["msg"].removeprefix("Value error, ")
            about = f"{name}={short_json(first['input'])}: " if name else ""
            raise ValueError(f"{about}{said}") from None

    @classmethod
    def from_texts(cls, texts: Iterable[str], preset: str | None = None) -> Self:
        """Settings from texts such as ``wrap=false``.

        Raises
        ------
        ValueError
            As `read`, or if a text has no ``=`` or a name comes twice.
        """
        values: dict[str, Any] = {}
        for text in texts:
            name, equals, value = (part.strip() for part in text.partition("="))
            if not equals:
                raise ValueError(f"{text!r} is not a setting: expected NAME=VALUE")
            if name in values:
                raise ValueError(f"the setting {name} is given twice")
            values[name] = value
        return cls.read(values, preset)

    def texts(self) -> tuple[str, ...]:
        """All settings as ``name=value``."""
        return tuple(f"{name}={_text(value)}" for name, value in self.model_dump().items())


def _plain(text: str) -> Any:
    lowered = text.lower()
    if lowered in _TRUTH:
        return _TRUTH[lowered]
    return int(text) if text.isascii() and text.isdigit() else text


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
