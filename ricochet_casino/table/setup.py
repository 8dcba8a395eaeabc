"""What is settled before the first hand: the game, its rules, the cards, the price of a seat."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ricochet_casino.config import did_you_mean
from ricochet_casino.table.evening import check_chips
from ricochet_casino.table.kinds import GAMES, GameKind


@dataclass(frozen=True)
class Setup:
    """Settings of a table, as people give them; `Header` is what comes of them.

    Attributes
    ----------
    game
        ``home``, ``table-game-ii`` or ``casino-night``.
    rules
        The game's own settings: a preset's name of the home game, or a paytable of casino night (a
        file or a shipped name); empty for the usual one.
    changes
        Settings of the home game that differ from the preset, by name.
    manual
        Real cards, entered by the group.
    seed
        Of the shuffles and the computer players' dice, 0 to 2^64 - 1; drawn if None.
    chips
        What who sits down buys if nothing else is said; None for the game's usual number.
    """

    game: str = "home"
    rules: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    manual: bool = False
    seed: int | None = None
    chips: int | None = None

    def header(self) -> "Header":
        """The settings checked and complete.

        Raises
        ------
        ValueError
            If one is not allowed.
        """
        if self.game not in GAMES:
            hint = did_you_mean(self.game, GAMES)
            raise ValueError(
                f"unknown game {self.game!r}; expected one of {', '.join(GAMES)}{hint}"
            )
        kind = GAMES[self.game].from_settings(self.rules, self.changes)
        seed = secrets.randbits(64) if self.seed is None else self.seed
        chips = kind.usual_chips if self.chips is None else check_chips(self.chips)
        return Header(kind, self.manual, check_seed(seed), chips)


@dataclass(frozen=True)
class Header:
    """What the first line of a ledger says.

    Attributes
    ----------
    kind
        The game with its rules.
    manual, seed, chips
        As in `Setup`, complete.
    """

    kind: GameKind
    manual: bool
    seed: int
    chips: int

    def to_json(self) -> dict[str, Any]:
        """The settings as JSON values; the seed is text, since many programs cut large numbers."""
        return {
            "game": self.kind.name,
            "rules": self.kind.content(),
            "cards": "manual" if self.manual else "shuffled",
            "seed": str(self.seed),
            "chips": self.chips,
        }


def header_from(content: Mapping[str, Any]) -> Header:
    """The settings from the first line of a ledger.

    Raises
    ------
    ValueError
        If the game is unknown, or a setting is missing or not allowed.
    """
    for key in ("game", "rules", "cards", "seed", "chips"):
        if key not in content:
            raise ValueError(f"the key {key} is missing")
    game = content["game"]
    if not isinstance(game, str) or game not in GAMES:
        raise ValueError(f"unknown game {game!r}; expected one of {', '.join(GAMES)}")
    if content["cards"] not in ("manual", "shuffled"):
        raise ValueError(f"cards is {content['cards']!r}; expected manual or shuffled")
    seed = content["seed"]
    if not isinstance(seed, str) or not (seed.isascii() and seed.isdigit() and len(seed) < 30):
        raise ValueError(f"seed is {seed!r}; expected a whole number as text")
    if not isinstance(content["rules"], dict):
        raise ValueError("rules is no object")
    kind = GAMES[game].from_content(content["rules"])
    manual = content["cards"] == "manual"
    return Header(kind, manual, check_seed(int(seed)), check_chips(content["chips"]))


def check_seed(seed: int) -> int:
    """A seed, checked: ValueError if it is not 0 to 2^64 - 1."""
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"the seed must be 0 to 2^64 - 1, got {seed}")
    return seed
