"""The games of the table: how a hand of each begins, and how its computer players decide."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Protocol, Self

from ricochet_casino.config import did_you_mean
from ricochet_casino.games.home_poker.policies import POLICIES as HOME_POLICIES
from ricochet_casino.games.home_poker.policies import Player
from ricochet_casino.games.home_poker.settings import Settings, read_settings, settings_from
from ricochet_casino.games.ricochet_poker.paytable import MOST_PLAYERS, RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES
from ricochet_casino.table.casino_game import CasinoHand, open_casino_hand
from ricochet_casino.table.evening import Evening
from ricochet_casino.table.hand import Hand
from ricochet_casino.table.home_game import HomeHand, open_home_hand


class GameKind(Protocol):
    """A game with its rules."""

    @property
    def name(self) -> str:
        """As `Setup.game`."""

    @property
    def title(self) -> str:
        """For people."""

    @property
    def most(self) -> int:
        """Seats at the table."""

    @property
    def ante(self) -> int:
        """Chips that who plays or deals needs at least."""

    @property
    def usual_chips(self) -> int:
        """What people buy if nothing else is said."""

    @property
    def policies(self) -> tuple[str, ...]:
        """Names for computer players, the usual one first."""

    @property
    def help(self) -> tuple[str, ...]:
        """The rules in a few sentences, for a newcomer."""

    def content(self) -> dict[str, Any]:
        """The rules as JSON values, for the ledger."""

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Self:
        """The same from the ledger; ValueError if they are not allowed."""

    @classmethod
    def from_settings(cls, rules: str, changes: Mapping[str, Any]) -> Self:
        """From what people say; ValueError if it is not allowed."""

    def players(self, evening: Evening, dealer: str) -> tuple[str, ...]:
        """Who is dealt to, in order."""

    def open(self, evening: Evening, dealer: str) -> Hand:
        """Antes are paid, and the first card is awaited."""

    def decide(self, hand: Hand, policy: str, seed: int, number: int) -> str:
        """What a computer player chooses in hand `number`."""


def check_policy(kind: GameKind, policy: str) -> str:
    """Name of a policy, checked: ValueError if the game has no such one."""
    if policy not in kind.policies:
        hint = did_you_mean(policy, kind.policies)
        raise ValueError(
            f"unknown policy {policy!r}; expected one of {', '.join(kind.policies)}{hint}"
        )
    return policy


@dataclass(frozen=True)
class HomeKind:
    """The home game, with its settings."""

    settings: Settings
    name: ClassVar[str] = "home"
    title: ClassVar[str] = "Ricochet Poker, the home game"
    preset: ClassVar[str] = "basic"
    usual_chips: ClassVar[int] = 20
    policies: ClassVar[tuple[str, ...]] = (
        "pot_odds", *(name for name in HOME_POLICIES if name != "pot_odds")
    )  # fmt: skip
    most: ClassVar[int] = 8

    @property
    def ante(self) -> int:
        """Chips."""
        return self.settings.ante

    @property
    def help(self) -> tuple[str, ...]:
        """The rules in a few sentences."""
        limit = self.settings.hand_limit
        found = [
            "All cards lie face up. The lowest hand acts: it folds, or buys cards for 1 chip each.",
            "Bought cards come one by one until the hand is no longer the lowest; then the next "
            "lowest hand acts. What was paid for and not dealt stays in the pot.",
            "A hand that got all its cards and is still the lowest is out.",
            f"A hand holds at most {limit} cards; a full hand that becomes the lowest is out.",
            "The last hand left takes the pot.",
            "Hands rank as in poker, also with fewer cards: a pair beats any single cards, K beats "
            "Q J 9, A 8 beats A. If all ranks are level, suits decide: clubs are the lowest, then "
            "diamonds, hearts, spades.",
        ]
        if self.settings.jokers:
            found.append("A Joker is an ace, or completes a straight or a flush.")
        return tuple(found)

    def content(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return self.settings.model_dump(mode="json")

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Self:
        """From the ledger."""
        return cls(_whole_chips(settings_from(content)))

    @classmethod
    def from_settings(cls, rules: str, changes: Mapping[str, Any]) -> Self:
        """From a preset's name and changes."""
        return cls(_whole_chips(read_settings(rules or cls.preset, **changes)))

    def players(self, evening: Evening, dealer: str) -> tuple[str, ...]:
        """Everybody able, the dealer last."""
        return evening.from_left_of(dealer)

    def open(self, evening: Evening, dealer: str) -> Hand:
        """A hand with everybody able."""
        names = self.players(evening, dealer)
        stacks = tuple(evening.person(name).chips for name in names)
        return open_home_hand(self.settings, names, dealer, stacks)

    def decide(self, hand: Hand, policy: str, seed: int, number: int) -> str:
        """By a policy of the home game."""
        assert isinstance(hand, HomeHand)
        amount = Player(policy, seed, number)(hand.table)
        return str(amount) if amount else "f"


@dataclass(frozen=True)
class TableGameKind(HomeKind):
    """Table Game II: the same game by its own rules sheet."""

    name: ClassVar[str] = "table-game-ii"
    title: ClassVar[str] = "Ricochet Poker II, the table game"
    preset: ClassVar[str] = "table_game_ii"


def _whole_chips(settings: Settings) -> Settings:
    if settings.coin != "1":
        raise ValueError("chips on a table cannot be cut: expected coin 1")
    return settings


@dataclass(frozen=True)
class CasinoKind:
    """Casino night: everybody deals in turn."""

    paytable: RicochetPokerPaytable
    name: ClassVar[str] = "casino-night"
    usual_chips: ClassVar[int] = 50
    policies: ClassVar[tuple[str, ...]] = (
        "pot_odds", *(name for name in STRATEGIES if name != "pot_odds")
    )  # fmt: skip

    def __post_init__(self) -> None:
        counts = sorted(self.paytable.players)
        if counts != list(range(1, len(counts) + 1)):
            raise ValueError(
                f"{self.paytable.title}: covers {', '.join(map(str, counts))} players; expected a "
                "paytable for 1, 2, 3, ... players, since people come and go"
            )
        rules = self.paytable.rules(1)
        if rules.unit != 1:
            raise ValueError(
                f"{self.paytable.title}: chips on a table cannot be cut: expected coin 1"
            )

    @property
    def title(self) -> str:
        """Of the paytable."""
        return self.paytable.title

    @property
    def most(self) -> int:
        """The dealer sits at the table too."""
        return min(MOST_PLAYERS, max(self.paytable.players)) + 1

    @cached_property
    def ante(self) -> int:
        """The larger of the players' and the dealer's."""
        rules = self.paytable.rules(1)
        return max(rules.ante, rules.dealer_ante)

    @property
    def help(self) -> tuple[str, ...]:
        """The rules in a few sentences."""
        rules = self.paytable.rules(1)
        bonuses = ", ".join(f"{line.name.replace('_', ' ')} {line.pays}" for line in rules.lines)
        return (
            "One person deals and is the house; the role passes on after every hand.",
            "All cards lie face up: two for each player, five for the dealer. A dealer's hand that "
            "is too good is kicked out; her ante stays in the pot.",
            "The lowest two-card hand acts first and everybody acts once: fold, or play for "
            f"{rules.play_bet} chip and get three more cards.",
            "A five-card hand that is beaten by another one is out. The last one takes the pot; "
            "the dealer loses ties.",
            f"The dealer pays bonuses to good five-card hands, beaten or not: {bonuses}. A dealer "
            "who cannot pay buys the chips that are missing.",
        )

    def content(self) -> dict[str, Any]:
        """The whole paytable: the ledger stands for itself."""
        found: dict[str, Any] = self.paytable.model_dump(mode="json") | {"expect": {}}
        return found

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Self:
        """From the ledger."""
        return cls(RicochetPokerPaytable.read(content))

    @classmethod
    def from_settings(cls, rules: str, changes: Mapping[str, Any]) -> Self:
        """From a paytable's name or file."""
        from ricochet_casino.games import load_paytable

        if changes:
            raise ValueError(f"{', '.join(changes)}: settings of the home game, not of a paytable")
        model = load_paytable(rules or "home_capped")
        if not isinstance(model, RicochetPokerPaytable):
            raise ValueError(f"{rules}: of {model.game}; expected a paytable of ricochet_poker")
        return cls(model)

    def players(self, evening: Evening, dealer: str) -> tuple[str, ...]:
        """Everybody able but the dealer."""
        return evening.from_left_of(dealer)[:-1]

    def open(self, evening: Evening, dealer: str) -> Hand:
        """A round with everybody able."""
        names = self.players(evening, dealer)
        stacks = tuple(evening.person(name).chips for name in names)
        return open_casino_hand(self.paytable.rules(len(names)), names, dealer, stacks)

    def decide(self, hand: Hand, policy: str, seed: int, number: int) -> str:
        """By a strategy of the casino game; who cannot pay the play bet folds."""
        del seed, number
        from ricochet_casino.games.ricochet_poker.multiplayer import policy_for

        assert isinstance(hand, CasinoHand)
        table = hand.round_table
        assert table is not None
        can_play = any(choice.key == "p" and choice.legal for choice in hand.choices())
        return "p" if can_play and policy_for(hand.rules, policy)(table) else "f"


GAMES: Final[Mapping[str, type[HomeKind] | type[CasinoKind]]] = {
    kind.name: kind for kind in (HomeKind, TableGameKind, CasinoKind)
}
"""All games by name."""
