"""Paytables of casino Ricochet Poker: how hands and lines are written, the model, the rules.

Source: the rulebook's "Casino Rules" and the web page, as ruled in docs/rulings.md. Kickout hands
are written as there: letters fix ranks from the most significant down, what is left open is as low
as it can be, and the meaning is always "this hand or better".
"""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from ricochet_casino.config import KeyPath, did_you_mean
from ricochet_casino.games.ricochet_poker.notation import (
    EXPECTED_HAND,
    LINE_ALIASES,
    kickout_meaning,
    kickout_text,
    line_names,
    parse_kickout,
    parse_line,
)
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES, unknown_strategy
from ricochet_casino.games.ricochet_poker.units import Line, Rules, SideLine
from ricochet_casino.paytable import (
    AMOUNT_SCHEMA,
    ODDS_SCHEMA,
    Amount,
    Collector,
    Label,
    Model,
    Odds,
    PaytableBase,
    PaytableError,
    PositiveAmount,
    closed_schema,
    describe,
    format_odds,
    parse_figure,
    parse_odds,
    parse_positive_amount,
    read_mapping,
)

__all__ = [
    "MOST_PLAYERS", "PAYTABLE", "Cover", "Line", "Quickdraw", "RicochetPokerPaytable", "Rules",
    "SideBets", "SideLine", "kickout_meaning", "kickout_text", "line_names", "parse_kickout",
    "parse_line",
]  # fmt: skip

MOST_PLAYERS = 7
_MOST_UNITS = 10**12  # times 14,190 completions and a full pot this still fits 64 bits


# --- The model -----------------------------------------------------------------------------------

# fmt: off
_FIGURES = (
    "ev_per_ante", "rtp_per_ante", "rtp_per_action", "house_edge", "element_of_risk",
    "average_bet", "fold_frequency", "win_frequency", "kickout_frequency", "sd_per_round",
    "fold_deals", "play_deals", "kickout_deals", "winning_completions",
)
# fmt: on


def _read_players(value: object) -> int:
    """Read a number of players."""
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,9}", text):
        raise ValueError(f"{describe(value)} is not a number of players; expected 1 to 7")
    if not 1 <= int(text) <= MOST_PLAYERS:
        hint = f"; did you mean {MOST_PLAYERS}?" if int(text) > MOST_PLAYERS else ""
        raise ValueError(f"{int(text)} players; expected 1 to {MOST_PLAYERS}{hint}")
    return int(text)


def _read_kickout(value: object) -> str:
    """Canonical spelling of a kickout hand."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        raise ValueError(f"{describe(text)} is not a hand; {EXPECTED_HAND}")
    return kickout_text(parse_kickout(text))


def _read_coin(value: object) -> Fraction | str:
    if isinstance(value, str) and value.strip().lower() == "fair":
        return "fair"
    try:
        return parse_positive_amount(value)
    except ValueError as error:
        hint = did_you_mean(describe(value), ["fair"])
        raise ValueError(f"{error}, or fair{hint}") from None


def _whole_coins(chips: Fraction, coin: object, what: str) -> Fraction:
    """Refuse chips that cannot be paid in whole coins; ``fair``, or a bad coin, lets all pass."""
    if isinstance(coin, Fraction) and (chips / coin).denominator != 1:
        parts = lcm(chips.denominator, coin.denominator)
        fitting = Fraction(gcd(int(chips * parts), int(coin * parts)), parts)
        text = f"{what} {chips} chips, which is not a whole number of coins of {coin}"
        raise ValueError(f"{text}; expected whole coins; did you mean coin: {fitting}, or fair?")
    return chips


def _weakest_first(pays: Mapping[str, Fraction]) -> list[tuple[str, int, Fraction]]:
    lines = [(name, line_names()[name], amount) for name, amount in pays.items()]
    return sorted(lines, key=lambda line: line[1])


def _pays_that_do_not_rise(pays: Mapping[str, Fraction]) -> Iterator[tuple[str, str]]:
    """Lines that do not pay more than the one below; equal pays up to the top line are a cap."""
    lines = _weakest_first(pays)
    for index, ((low, _, low_pays), (high, _, high_pays)) in enumerate(pairwise(lines)):
        capped = all(amount == low_pays for _, _, amount in lines[index:])
        if high_pays <= low_pays and not capped:
            than = "less than" if high_pays < low_pays else "no more than"
            yield high, f"{high} pays {than} {low}, a weaker hand; expected pays that rise"


def _read_name(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", text):
        raise ValueError("not a name; expected small letters, digits and _ such as collective")
    return text


def _read_figure_name(text: str) -> str:
    if text not in _FIGURES:
        hint = did_you_mean(text, _FIGURES)
        raise ValueError(f"unknown figure; expected one of {', '.join(_FIGURES)}{hint}")
    return text


def _read_figure(value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        raise ValueError(f"{describe(text)} is not a figure; expected text")
    parse_figure(text)
    return text.strip()


def _read_expect(value: object, collector: Collector) -> dict[str, dict[str, dict[str, str]]]:
    """Check the shape of ``expect:``, players or ``side_bets`` -> name -> figure -> value."""

    def read_strategy(text: str) -> str:
        if text not in STRATEGIES:
            raise unknown_strategy(text)
        return text

    def read_subject(text: str) -> str:
        return text if text == "side_bets" else str(_read_players(text))

    found = {}
    for subject, named in read_mapping(value, read_subject, lambda v: v, collector).items():
        read_figure_name = _read_name if subject == "side_bets" else _read_figure_name
        read_owner = _read_name if subject == "side_bets" else read_strategy
        names = read_mapping(named, read_owner, lambda v: v, collector, (subject,))
        found[subject] = {
            name: read_mapping(figures, read_figure_name, _read_figure, collector, (subject, name))
            for name, figures in names.items()
        }
    return found


_LinePays = Annotated[
    dict[str, Odds], WithJsonSchema(closed_schema([*line_names(), *LINE_ALIASES], ODDS_SCHEMA))
]
_Coin = Annotated[
    Fraction | Literal["fair"],
    BeforeValidator(_read_coin),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"anyOf": [{"const": "fair"}, *AMOUNT_SCHEMA["anyOf"]]}),
]
_COUNT_SCHEMA = {"type": "integer", "minimum": 1, "maximum": MOST_PLAYERS}
_Players = Annotated[
    list[int],
    WithJsonSchema({"anyOf": [_COUNT_SCHEMA, {"type": "array", "items": _COUNT_SCHEMA}]}),
]
_BY_COUNT = f"^[1-{MOST_PLAYERS}]$"
_HAND_SCHEMA = {"type": ["string", "integer"]}
_Kickouts = Annotated[
    dict[int, str],
    WithJsonSchema({**closed_schema([], {}), "patternProperties": {_BY_COUNT: _HAND_SCHEMA}}),
]
_FIGURE_SCHEMA = {"type": ["string", "number"]}
_BY_STRATEGY = {"type": "object", "additionalProperties": closed_schema(_FIGURES, _FIGURE_SCHEMA)}
_BET_SCHEMA = {"type": "object", "additionalProperties": _FIGURE_SCHEMA}
_BETS_SCHEMA = closed_schema(["quickdraw", "cover"], _BET_SCHEMA)
_Expect = Annotated[
    dict[str, dict[str, dict[str, str]]],
    WithJsonSchema(
        {
            **closed_schema(["side_bets"], _BETS_SCHEMA),
            "patternProperties": {_BY_COUNT: _BY_STRATEGY},
        }
    ),
]


def _nothing_is_absent(value: object) -> object:
    """Let ``side_bets:`` with all its lines commented out be the same as no such key."""
    return None if value == "" else value


class Quickdraw(Model):
    """The Quickdraw Bet: the player's two cards against the dealer's five."""

    pays: Odds = Field(description="What the bet pays when the two-card hand is higher or level.")
    tie: Literal["first_two", "kicker_wins"] = Field(
        default="first_two",
        description="What is level. first_two: ranks are compared on as many cards as the player "
        "has; equal is a tie and wins. kicker_wins: a kicker beats none, so there is no tie.",
    )
    label: Label = Field(default="Quickdraw", min_length=1, description="Its name at the table.")


class Cover(Model):
    """The Cover Bet: a paytable on the dealer's five cards."""

    pays: _LinePays = Field(
        description="Odds by line; a line means this or better, and the best one pays, once."
    )
    label: Label = Field(default="Cover", min_length=1, description="Its name at the table.")

    @field_validator("pays", mode="before")
    @classmethod
    def _read_pays(cls, value: object) -> dict[str, Fraction]:
        collector = Collector()
        pays = read_mapping(value, parse_line, parse_odds, collector)
        if value == {}:
            collector.add((), "no line; expected lines such as pair_of_fives: 1 to 1")
        collector.finish(cls.__name__)
        return pays


class SideBets(Model):
    """The optional bets, resolved on the cards dealt."""

    quickdraw: Annotated[Quickdraw | None, BeforeValidator(_nothing_is_absent)] = Field(
        default=None, description="The Quickdraw Bet."
    )
    cover: Annotated[Cover | None, BeforeValidator(_nothing_is_absent)] = Field(
        default=None, description="The Cover Bet."
    )


class RicochetPokerPaytable(PaytableBase):
    """Everything that can be set in casino Ricochet Poker (docs/rulings.md, A1 to A14)."""

    # Later fields are checked against earlier ones, so the order matters.
    game: Literal["ricochet_poker"] = Field(description="The game: ricochet_poker.")
    coin: _Coin = Field(
        default=Fraction(1),
        description="The smallest indivisible unit in chips; or fair, to split pots exactly.",
    )
    ante: PositiveAmount = Field(default=Fraction(1), description="Each player's ante, in chips.")
    dealer_ante: Amount = Field(default=Fraction(1), description="The dealer's ante, in chips.")
    play_bet: PositiveAmount = Field(
        default=Fraction(1), description="What a player who plays adds to the pot, in chips."
    )
    last_hand: Literal["free", "may_play", "none"] = Field(
        default="free",
        description="What the last hand standing with two cards does. free: wins the pot and gets "
        "three cards for the bonus. may_play: acts as always. none: wins the pot, no cards.",
    )
    when_equal: Literal["play", "fold"] = Field(
        default="play", description="What a strategy does when fold and play are worth the same."
    )
    bonus_on: Literal["play_bet", "ante"] = Field(
        default="play_bet", description="The bet that the bonus odds are paid on."
    )
    kickout: _Kickouts = Field(
        description="The dealer's kickout hand for each number of players, such as 1: KKQ."
    )
    players: _Players = Field(
        default_factory=list,
        validate_default=True,
        description="Numbers of players covered; by default all that have a kickout hand.",
    )
    bonus: _LinePays = Field(
        description="Bonus odds by line, such as straight: 2; the best line pays, once."
    )
    side_bets: Annotated[SideBets | None, BeforeValidator(_nothing_is_absent)] = Field(
        default=None, description="The optional bets."
    )
    expect: _Expect = Field(
        default_factory=dict,
        description="Figures this paytable is known to have, which a test reproduces.",
    )

    @field_validator("ante", "dealer_ante", "play_bet")
    @classmethod
    def _bets_in_coins(cls, value: Fraction, info: ValidationInfo) -> Fraction:
        return _whole_coins(value, info.data.get("coin"), "a bet of")

    @field_validator("kickout", mode="before")
    @classmethod
    def _read_kickouts(cls, value: object) -> dict[int, str]:
        collector = Collector()
        kickout = read_mapping(value, _read_players, _read_kickout, collector)
        if value == {}:
            collector.add((), f"no kickout hand; {EXPECTED_HAND} for each number of players")
        collector.finish(cls.__name__)
        return kickout

    @field_validator("players", mode="before")
    @classmethod
    def _read_player_counts(cls, value: object, info: ValidationInfo) -> list[int]:
        kickout = info.data.get("kickout")
        counts = set()
        collector = Collector()
        listed = value if isinstance(value, list | tuple) else [value]
        for index, element in enumerate(listed):
            with collector.at(*([index] if listed is value else [])):
                players = _read_players(element)
                if kickout is not None and players not in kickout:
                    have = ", ".join(map(str, sorted(kickout)))
                    raise ValueError(f"{players} players have no kickout; expected some of {have}")
                counts.add(players)
        collector.finish(cls.__name__)
        return sorted(counts or kickout or ())

    @field_validator("bonus", mode="before")
    @classmethod
    def _read_bonus(cls, value: object, info: ValidationInfo) -> dict[str, Fraction]:
        bet = info.data.get(info.data.get("bonus_on", ""))

        def read_pay(raw: object) -> Fraction:
            odds = parse_odds(raw)
            if bet is not None:
                what = f"{format_odds(odds)} on a bet of {bet} pays"
                _whole_coins(odds * bet, info.data.get("coin"), what)
            return odds

        collector = Collector()
        bonus = read_mapping(value, parse_line, read_pay, collector)
        collector.finish(cls.__name__)
        return bonus

    @field_validator("side_bets")
    @classmethod
    def _side_bets_in_coins(cls, value: SideBets | None, info: ValidationInfo) -> SideBets | None:
        collector = Collector()
        odds_by_place: dict[tuple[str, ...], Fraction] = {}
        if value and value.quickdraw:
            odds_by_place["quickdraw", "pays"] = value.quickdraw.pays
        if value and value.cover:
            odds_by_place |= {("cover", "pays", k): odds for k, odds in value.cover.pays.items()}
        ante = info.data.get("ante")
        for place, odds in odds_by_place.items():
            if ante is not None:
                with collector.at(*place):
                    what = f"{format_odds(odds)} on a stake of one ante pays"
                    _whole_coins(odds * ante, info.data.get("coin"), what)
        collector.finish(cls.__name__)
        return value

    @field_validator("expect", mode="before")
    @classmethod
    def _read_expected(cls, value: object, info: ValidationInfo) -> dict[str, Any]:
        collector = Collector()
        expect = _read_expect(value if value != "" else {}, collector)
        if "players" in info.data and "side_bets" in info.data:
            bets = info.data["side_bets"] or SideBets()
            there: set[KeyPath] = {(str(players),) for players in info.data["players"]}
            there |= {("side_bets", name) for name in bets.model_dump()}
            asked: set[KeyPath] = {(subject,) for subject in expect if subject != "side_bets"}
            asked |= {("side_bets", name) for name in expect.get("side_bets", ())}
            for path in sorted(asked - there, key=str):
                collector.add(path, "not offered here; expected figures of what is")
        collector.finish(cls.__name__)
        return expect

    @model_validator(mode="after")
    def _rules_can_be_made(self) -> Self:
        """Refuse amounts too large to be counted in units, for whatever number of players."""
        for players in self.players:
            self.rules(players)
        return self

    def warnings(self) -> list[tuple[KeyPath, str]]:
        """List pays that do not rise with the hand; a cap shared by the top lines is none."""
        tables: list[tuple[KeyPath, Mapping[str, Fraction]]] = [(("bonus",), self.bonus)]
        if self.side_bets and self.side_bets.cover:
            tables.append((("side_bets", "cover", "pays"), self.side_bets.cover.pays))
        return [
            ((*path, name), text)
            for path, pays in tables
            for name, text in _pays_that_do_not_rise(pays)
        ]

    @property
    def quickdraw(self) -> Quickdraw | None:
        """The Quickdraw Bet's settings, or None if the bet is not offered."""
        return self.side_bets.quickdraw if self.side_bets else None

    @property
    def cover(self) -> Cover | None:
        """The Cover Bet's settings, or None if the bet is not offered."""
        return self.side_bets.cover if self.side_bets else None

    def cover_lines(self) -> tuple[SideLine, ...]:
        """Lines of the Cover Bet, weakest first; none if the bet is not offered."""
        pays = self.cover.pays if self.cover else {}
        return tuple(SideLine(*line) for line in _weakest_first(pays))

    def rules(self, players: int) -> Rules:
        """Rules for a table of so many players, in whole units.

        Raises
        ------
        PaytableError
            If the paytable does not cover that number of players.
        """
        if players not in self.players:
            covered = " or ".join(map(str, self.players))
            text = f"{self.title}: has no kickout for {players} players; expected {covered}"
            raise PaytableError(text)
        bonus_bet = self.play_bet if self.bonus_on == "play_bet" else self.ante
        chips = {name: odds * bonus_bet for name, odds in self.bonus.items()}
        fair = isinstance(self.coin, str)
        unit = Fraction(1) if isinstance(self.coin, str) else self.coin
        if fair:
            amounts = (self.ante, self.dealer_ante, self.play_bet, *chips.values())
            parts = lcm(*(amount.denominator for amount in amounts))
            unit = Fraction(1, parts * lcm(*range(1, players + 1)))

        def units(amount: Fraction) -> int:
            whole = _whole_coins(amount, unit, "an amount of") / unit
            if whole > _MOST_UNITS:
                raise PaytableError(f"{self.title}: {amount} chips are too many units of {unit}")
            return int(whole)

        return Rules(
            players=players,
            unit=unit,
            ante=units(self.ante),
            dealer_ante=units(self.dealer_ante),
            play_bet=units(self.play_bet),
            kickout_class=parse_kickout(self.kickout[players]),
            lines=tuple(
                Line(name, first_class, units(amount))
                for name, first_class, amount in _weakest_first(chips)
            ),
            last_hand=self.last_hand,
            when_equal=self.when_equal,
            fair_split=fair,
        )


PAYTABLE = RicochetPokerPaytable
