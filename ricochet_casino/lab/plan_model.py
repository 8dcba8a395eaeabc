"""The keys of a batch plan. docs/batch.md explains every one of them."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from ricochet_casino.experiment import MOST_DEALS
from ricochet_casino.games.ricochet_poker.paytable import MOST_PLAYERS
from ricochet_casino.lab import DEFAULT_SEED, MOST_CHECK_ROUNDS
from ricochet_casino.lab.parts import Part
from ricochet_casino.lab.renderings import SUFFIXES
from ricochet_casino.paytable import Label, Model, describe, parse_figure
from ricochet_casino.report.summary import TABLE_FORMATS
from ricochet_casino.report.tables import check_format

SUMMARY: Final = tuple(TABLE_FORMATS)

_COUNTS = re.compile(r"([0-9]{1,4})(?:\s*-\s*([0-9]{1,4}))?")
_WHOLE = re.compile(r"[0-9][0-9_]{0,24}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


def parse_counts(value: object) -> tuple[int, ...]:
    """Player counts from ``3`` or ``1-7``.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    found = _COUNTS.fullmatch(value.strip()) if isinstance(value, str) else None
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= first <= last <= MOST_PLAYERS:
        raise ValueError(
            f"{describe(value)}; expected 1 to {MOST_PLAYERS}, or a range such as 2-{MOST_PLAYERS}"
        )
    return tuple(range(first, last + 1))


def parse_whole(value: object) -> int:
    """A whole number, zero or more, digits grouped by ``_`` or not.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    text = value.strip() if isinstance(value, str) else ""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{describe(value)}; expected a whole number, zero or more")
    return int(text.replace("_", ""))


def parse_share(value: object) -> Fraction:
    """A share from 0 to below 1, such as ``0.05 %``.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    share, _ = parse_figure(value if isinstance(value, str) else describe(value))
    if not 0 <= share < 1:
        raise ValueError(f"{describe(value)}; expected a share from 0 to below 1, such as 0.05 %")
    return share


def _width(value: object) -> Fraction:
    share = parse_share(value)
    if share == 0:
        raise ValueError(f"{describe(value)}; expected more than zero, such as 0.05 %")
    return share


def _listed(value: object) -> object:
    """One value stands for a list of one."""
    if value in ([], ""):
        raise ValueError("nothing; expected one value, or a list of them")
    return value if isinstance(value, list) else [value]


def _part(value: object) -> Part:
    return Part.parse(value if isinstance(value, str) else describe(value))


def _side_bets(value: object) -> object:
    if value in ("all", "none"):
        return value
    return _listed(value)


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError(f"{describe(value)}; expected a word of small letters, digits and _")
    return value


def _plain(value: Any) -> Any:
    """Parameters of an experiment: whole numbers are numbers, everything else is text."""
    if isinstance(value, Mapping):
        return {key: _plain(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_plain(below) for below in value]
    return parse_whole(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value


def _parameters(value: object) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"{describe(value)}; expected a mapping")
    return _plain(value)


Whole = Annotated[int, BeforeValidator(parse_whole)]
Share = Annotated[Fraction, BeforeValidator(parse_share)]
Width = Annotated[Fraction, BeforeValidator(_width)]
Counts = Annotated[tuple[int, ...], BeforeValidator(parse_counts)]
Texts = Annotated[tuple[Label, ...], BeforeValidator(_listed)]
Seats = Annotated[tuple[Label | tuple[Label, ...], ...], BeforeValidator(_listed)]
Players = Annotated[tuple[Counts, ...], BeforeValidator(_listed)]
Formats = Annotated[
    tuple[Annotated[str, BeforeValidator(lambda v: check_format(describe(v), SUFFIXES))], ...],
    BeforeValidator(_listed),
]
Tables = Annotated[
    tuple[Annotated[str, BeforeValidator(lambda v: check_format(describe(v), TABLE_FORMATS))], ...],
    BeforeValidator(_listed),
]


class PlanPart(Model):
    """A part of a plan; tuples come as lists from the file."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=True, arbitrary_types_allowed=True
    )


class Precision(PlanPart):
    """How much is sampled and what is written; what an override may change."""

    until: Width | None = Field(None, description="Half width of the RTP's interval.")
    deals: Annotated[Whole, Field(ge=1, le=MOST_DEALS)] | None = None
    level: Width | None = None
    pilot: Annotated[Whole, Field(ge=2, le=MOST_DEALS)] | None = None
    gap: Share | None = None
    gap_deals: Annotated[Whole, Field(ge=1, le=MOST_DEALS)] | None = None
    check: Annotated[Whole, Field(le=MOST_CHECK_ROUNDS)] | None = None
    formats: Formats | None = None

    @model_validator(mode="after")
    def _not_both(self) -> "Precision":
        for one, other in (("until", "deals"), ("gap", "gap_deals")):
            if getattr(self, one) is not None and getattr(self, other) is not None:
                raise ValueError(f"both {one} and {other}; expected one of them")
        return self


class Where(PlanPart):
    """Which entries an override is for; what is left out does not matter."""

    paytables: Texts | None = None
    players: Players | None = None
    strategies: Seats | None = None


class Override(Precision):
    """Another precision, or other formats, for some entries."""

    where: Where = Field(description="which entries it is for.")


class PlannedExperiment(PlanPart):
    """A single experiment of any game."""

    name: Annotated[str, BeforeValidator(_name)] = Field(description="the name of its file.")
    game: Label = "ricochet_poker"
    experiment: Label = Field(description="a name that `ricochet games` prints.")
    paytable: Label | None = None
    parameters: Annotated[dict[str, Any], BeforeValidator(_parameters)] = Field(
        default_factory=dict
    )


class PlanFile(Precision):
    """A whole plan."""

    title: Label = Field(min_length=1, description="one line that names this plan.")
    notes: str = ""
    paytables: Texts = ()
    players: Players = ((1,),)
    strategies: Seats = ("collective",)
    side_bets: Annotated[str | tuple[Label, ...], BeforeValidator(_side_bets)] = "all"
    seed: Annotated[Whole, Field(lt=1 << 64)] = DEFAULT_SEED
    blocks: Annotated[Part, BeforeValidator(_part)] = Part()
    output: Label = Field(min_length=1, description="the folder for what comes out.")
    store: Label | None = None
    summary: Tables = SUMMARY
    overrides: tuple[Override, ...] = ()
    experiments: tuple[PlannedExperiment, ...] = ()
    calibrations: Texts = ()
    include: Texts = ()
