"""The home game: comparing hands from a file, odds of a position, studies, single hands."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ricochet_casino.cards.deck import JOKER_SMALL, CardError, check_cards, format_card, parse_cards
from ricochet_casino.cards.partial import compare
from ricochet_casino.cards.shuffle import shuffled_deck
from ricochet_casino.config import did_you_mean
from ricochet_casino.games.home_poker.odds import Odds, exact_odds, sampled_odds
from ricochet_casino.games.home_poker.policies import Player, play_hand
from ricochet_casino.games.home_poker.position import Position
from ricochet_casino.games.home_poker.rules import Table
from ricochet_casino.games.home_poker.settings import Settings
from ricochet_casino.games.home_poker.study import STREAM, per_seat

_KEYS = ("id", "a", "b", "jokers", "limit_needed")
_LIMITS = (5, 6, 7)


def compare_file(path: Path) -> list[dict[str, Any]]:
    """Compare the pairs of hands of a JSON file.

    Parameters
    ----------
    path
        An object with ``pairs``: objects with ``id``, ``a`` and ``b`` (lists of cards), ``jokers``
        (0 to 2) and ``limit_needed`` (5 to 7); other keys are ignored.

    Returns
    -------
    list of dict
        ``id``, ``order_of_play`` and ``showdown`` of each: -1, 0 or 1 as `a` is below, level with
        or above `b`.

    Raises
    ------
    ValueError
        If the file is no such file; the message names the file and the pair.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text file in UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}: not valid JSON: {error.msg}") from None
    pairs = content.get("pairs") if isinstance(content, dict) else None
    if not isinstance(pairs, list):
        raise ValueError(f"{path}: expected an object with a list under pairs")
    found = []
    for number, pair in enumerate(pairs, start=1):
        try:
            found.append(_compared(pair))
        except ValueError as error:
            named = pair.get("id", number) if isinstance(pair, dict) else number
            raise ValueError(f"{path}: pair {named}: {error}") from None
    return found


def _compared(pair: object) -> dict[str, Any]:
    if not isinstance(pair, Mapping):
        raise ValueError("expected an object")
    for key in _KEYS:
        if key not in pair:
            raise ValueError(f"the key {key} is missing{did_you_mean(key, map(str, pair))}")
    jokers, limit = pair["jokers"], pair["limit_needed"]
    if type(jokers) is not int or not 0 <= jokers <= 2:
        raise ValueError(f"jokers must be 0, 1 or 2, got {jokers!r}")
    if type(limit) is not int or limit not in _LIMITS:
        raise ValueError(f"limit_needed must be 5, 6 or 7, got {limit!r}")
    a, b = (_hand(name, pair[name], limit) for name in "ab")
    for card in a:
        if card in b:
            raise CardError(f"the card {format_card(card)} is in both hands")
    held = sum(card >= JOKER_SMALL for card in (*a, *b))
    if held > jokers:
        raise CardError(f"{held} Jokers are held, but jokers is {jokers}")
    return {
        "id": pair["id"],
        "order_of_play": compare(a, b),
        "showdown": compare(a, b, suits=False),
    }


def _hand(name: str, cards: object, limit: int) -> tuple[int, ...]:
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise ValueError(f"{name} must be a list of cards such as Ks, got {cards!r}")
    found = tuple(code for card in cards for code in parse_cards(card))
    check_cards(found, highest=JOKER_SMALL + 1)
    if not 1 <= len(found) <= limit:
        raise ValueError(f"{name} has {len(found)} cards, expected 1 to {limit}")
    return found


def position_of(
    settings: Settings, actor: str, opponents: Sequence[str], dead: str, pot: int
) -> Position:
    """A position from texts.

    Raises
    ------
    ValueError
        As `parse_cards` and `Position`.
    """
    return Position(
        settings, parse_cards(actor), tuple(map(parse_cards, opponents)), parse_cards(dead), pot
    )


def odds_of(
    position: Position, *, exact: bool, playouts: int, seed: int, reach: int | None = None
) -> Odds:
    """Values of all actions, exact or sampled; see `games.home_poker.odds` for errors."""
    if exact:
        return exact_odds(position, reach=reach)
    return sampled_odds(position, playouts, seed)


def refereed_hand(
    settings: Settings, policies: Sequence[str], players: int, seed: int, deal: int
) -> Table:
    """Play one deal of a seed by the book.

    Raises
    ------
    ValueError
        If a policy is unknown or a number out of range.
    """
    settings.check_players(players)
    seats = per_seat(policies, players)
    deck = shuffled_deck(seed, STREAM, deal, deck=settings.deck)
    return play_hand(settings, [Player(name, seed, deal) for name in seats], deck, seed=seed,
                     deal=deal)  # fmt: skip
