"""Hands, cards and chips in words."""

from collections.abc import Sequence

from ricochet_casino.cards.classes import RANK_NAMES, RANK_PLURALS
from ricochet_casino.cards.deck import JOKER_SMALL, by_weight, format_cards
from ricochet_casino.cards.partial import hand_order


def hand_words(cards: Sequence[int]) -> str:
    """One to seven cards as a poker hand in words, such as ``pair of nines``; empty for none."""
    if not cards:
        return ""
    order = hand_order(cards)
    first = order.ranks[0]
    name, many = _name(first), RANK_PLURALS[first - 2]
    second = RANK_PLURALS[order.ranks[3] - 2] if len(order.ranks) > 3 else ""
    match order.category:
        case 0:
            alone = "Joker as an ace" if cards[0] >= JOKER_SMALL else name
            return alone if len(cards) == 1 else f"{name} high"
        case 1:
            return f"pair of {many}"
        case 2:
            return f"two pair, {many} and {RANK_PLURALS[order.ranks[2] - 2]}"
        case 3:
            return f"three {many}"
        case 4:
            return f"straight, {name} high"
        case 5:
            return f"flush, {name} high"
        case 6:
            return f"full house, {many} over {second}"
        case 7:
            return f"four {many}"
        case 8:
            return "royal flush" if first == 14 else f"straight flush, {name} high"
        case _:
            return "five aces"


def _name(rank: int) -> str:
    return RANK_NAMES[rank - 2]


def shown(cards: Sequence[int]) -> str:
    """Cards by weight, with suit symbols: those of a pair first, as people lay them."""
    if not cards:
        return "no card"
    return format_cards(by_weight(cards), "symbols")


def chips(number: int) -> str:
    """``1 chip``, ``3 chips``."""
    return f"{number} chip" if abs(number) == 1 else f"{number} chips"


def cards_text(number: int) -> str:
    """``1 card``, ``3 cards``."""
    return f"{number} card" if number == 1 else f"{number} cards"


def outcome(names: Sequence[str], won: int, cards: Sequence[int]) -> str:
    """Who took the pot: one, with so many chips and these cards, or several."""
    if len(names) == 1:
        return f"{names[0]} wins {chips(won)} with {hand_words(cards)}"
    return f"{', '.join(names[:-1])} and {names[-1]} share the pot"
