"""Settings of the home game: the readings of its rules, by the names of docs/rulings.md, D."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from ricochet_casino.config import did_you_mean

FEWEST_PLAYERS: Final = 2
MOST_PLAYERS: Final = 8
_DECKS: Final = ((*range(52),), (*range(52), 53), (*range(54),))
FAIR_UNITS: Final = 840
"""Units of a chip under ``coin: fair``: every share of up to eight players is a whole number."""


class Settings(BaseModel):
    """The rules in force; `PRESETS` has named ones.

    Attributes
    ----------
    name
        Of the preset, for people.
    hand_limit
        Most cards of a hand (D10, D13).
    starting_cards
        Cards dealt to each player (D17).
    jokers
        0, 1 (the big one) or 2: bugs (D9).
    level_hands
        What happens when the lowest hand is level in rank after the last paid card (D7).
    coin
        ``1``: chips cannot be cut, odd ones go to who acted last (D16); ``fair``: exact shares.
    empty_stub
        ``cap``: no more can be bought than there are cards; ``reshuffle``: cards of hands that
        are out become a new stub (D14).
    ante
        Chips (D17).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = "basic"
    hand_limit: Literal[5, 6, 7] = 5
    starting_cards: Literal[1, 2] = 1
    jokers: Literal[0, 1, 2] = 0
    level_hands: Literal["suit", "split", "stay"] = "suit"
    coin: Literal["1", "fair"] = "1"
    empty_stub: Literal["cap", "reshuffle"] = "cap"
    ante: Literal[1, 2, 3, 4, 5] = 1

    @property
    def deck(self) -> tuple[int, ...]:
        """Codes of the cards in use; a single Joker is the big one."""
        return _DECKS[self.jokers]

    @property
    def unit(self) -> int:
        """Units of a chip: all amounts inside the game are whole units."""
        return FAIR_UNITS if self.coin == "fair" else 1

    def check_players(self, players: int) -> int:
        """Number of players, checked.

        Raises
        ------
        ValueError
            If it is not 2 to 8.
        """
        if isinstance(players, bool) or not isinstance(players, int):
            raise ValueError(f"players must be a whole number, got {players!r}")
        if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
            raise ValueError(
                f"the home game is for {FEWEST_PLAYERS} to {MOST_PLAYERS} players, got {players}"
            )
        return players


PRESETS: Final[Mapping[str, Settings]] = {
    "basic": Settings(),
    "table_game_ii": Settings(name="table_game_ii"),
    "seven_cards": Settings(name="seven_cards", hand_limit=7, starting_cards=2),
    "six_cards": Settings(name="six_cards", hand_limit=6),
    "jokers": Settings(name="jokers", jokers=2),
}
"""Basic Rules and Table Game II are the same game without Jokers; the others are the Variations."""


def read_settings(preset: str = "basic", **changes: Any) -> Settings:
    """A preset with some settings changed.

    Parameters
    ----------
    preset
        A name from `PRESETS`.
    **changes
        Settings by name; None leaves one as it is.

    Raises
    ------
    ValueError
        If a name is unknown or a value is not allowed; the message names all allowed ones.
    """
    if preset not in PRESETS:
        hint = did_you_mean(preset, PRESETS)
        raise ValueError(f"unknown preset {preset!r}; expected one of {', '.join(PRESETS)}{hint}")
    for name in changes:
        if name not in Settings.model_fields:
            hint = did_you_mean(name, Settings.model_fields)
            raise ValueError(f"unknown setting {name!r}{hint}")
    content = PRESETS[preset].model_dump()
    content |= {name: value for name, value in changes.items() if value is not None}
    limit, jokers = content["hand_limit"], content["jokers"]
    if isinstance(limit, int) and limit > 7:
        raise ValueError(
            f"a hand limit of {limit} is more than the deck can serve: expected 5, 6 or 7 "
            f"({MOST_PLAYERS} players would hold {MOST_PLAYERS * limit} of {52 + jokers} cards)"
        )
    return settings_from(content)


def settings_from(content: Mapping[str, Any]) -> Settings:
    """Settings from their dump.

    Raises
    ------
    ValueError
        If a setting is unknown or a value is not allowed.
    """
    try:
        return Settings.model_validate(dict(content))
    except ValidationError as error:
        found = error.errors()[0]
        name = ".".join(map(str, found["loc"]))
        expected = found.get("ctx", {}).get("expected", found["msg"])
        raise ValueError(
            f"{name}: {found['input']!r} is not allowed; expected {expected}"
        ) from None
