"""Cards as small integers: codes, parsing and printing.

A standard card has the code ``4 * rank + suit``: ranks run from 0 (deuce) to 12 (ace), suits
in the order used to break ties (clubs 0 < diamonds 1 < hearts 2 < spades 3). Codes 52 and 53
are the small and the big Joker.
"""

from collections.abc import Iterable, Sequence

RANKS = "23456789TJQKA"
SUITS = "cdhs"
SUIT_SYMBOLS = "♣♦♥♠"
JOKER_SMALL = 52
JOKER_BIG = 53
STANDARD_DECK: tuple[int, ...] = tuple(range(52))

_JOKER_TEXT = {"X1": JOKER_SMALL, "X2": JOKER_BIG}
_OUTLINE_SUITS = {"♧": 0, "♢": 1, "♡": 2, "♤": 3}
_VARIATION_SELECTORS = "\ufe0e\ufe0f"


class CardError(ValueError):
    """A card or a set of cards that does not exist: the message says which and why."""


def rank_of(card: int) -> int:
    """Rank of a standard card, 0 (deuce) to 12 (ace)."""
    return card >> 2


def suit_of(card: int) -> int:
    """Suit of a standard card: clubs 0, diamonds 1, hearts 2, spades 3."""
    return card & 3


def parse_card(text: str) -> int:
    """Read one card: ``Ks``, ``10h`` or ``Th``, ``K♠``, ``X1`` and ``X2`` for the Jokers.

    Raises
    ------
    CardError
        If the text is not a card.
    """
    cleaned = text.strip().strip(_VARIATION_SELECTORS)
    joker = _JOKER_TEXT.get(cleaned.upper())
    if joker is not None:
        return joker
    rank_text, suit_text = cleaned[:-1].upper(), cleaned[-1:]
    rank = RANKS.find("T" if rank_text == "10" else rank_text) if rank_text else -1
    suit = SUIT_SYMBOLS.find(suit_text) if suit_text else -1
    if suit < 0:
        suit = _OUTLINE_SUITS.get(suit_text, SUITS.find(suit_text.lower()) if suit_text else -1)
    if rank < 0 or (len(rank_text) != 1 and rank_text != "10"):
        raise CardError(f"{text!r} is not a card: the rank must be one of {' '.join(RANKS)} or 10")
    if suit < 0:
        raise CardError(f"{text!r} is not a card: the suit must be c, d, h, s or one of ♣ ♦ ♥ ♠")
    return 4 * rank + suit


def parse_cards(text: str, *, count: int | None = None) -> tuple[int, ...]:
    """Read several different cards, with or without spaces or commas: ``2h 2d 9c``, ``2h2d9c``.

    Parameters
    ----------
    text
        The cards.
    count
        If given, exactly so many cards are expected.

    Raises
    ------
    CardError
        If a card does not exist, appears twice, or the count is wrong.
    """
    cards: list[int] = []
    token = ""
    for char in text.replace(",", " "):
        if char in _VARIATION_SELECTORS:
            continue
        if char.isspace():
            if token:
                raise CardError(f"{token!r} is not a card: no suit")
            continue
        token += char
        is_suit = char.lower() in SUITS or char in SUIT_SYMBOLS or char in _OUTLINE_SUITS
        if (len(token) > 1 and is_suit) or token.upper() in _JOKER_TEXT:
            cards.append(parse_card(token))
            token = ""
    if token:
        raise CardError(f"{token!r} is not a card: expected cards such as Ks, 10h or K♠")
    check_cards(cards, count=count, highest=JOKER_BIG)
    return tuple(cards)


def check_cards(cards: Sequence[int], *, count: int | None = None, highest: int = 51) -> None:
    """Refuse repeated cards, codes outside ``0..highest`` and a wrong number of cards.

    Raises
    ------
    CardError
        With the offending card in the message.
    """
    if count is not None and len(cards) != count:
        raise CardError(f"expected {count} cards, got {len(cards)}")
    seen: set[int] = set()
    for card in cards:
        if not 0 <= card <= highest:
            raise CardError(f"{card} is not a card code (0 to {highest})")
        if card in seen:
            raise CardError(f"the card {format_card(card)} appears twice")
        seen.add(card)


def format_card(card: int, style: str = "ascii") -> str:
    """Print one card: ``Th`` (style ``ascii``), ``10h`` (``ten``) or ``T♥`` (``symbols``)."""
    if card in (JOKER_SMALL, JOKER_BIG):
        return "X1" if card == JOKER_SMALL else "X2"
    if not 0 <= card < 52:
        raise CardError(f"{card} is not a card code (0 to {JOKER_BIG})")
    rank, suit = RANKS[card >> 2], card & 3
    if style == "ascii":
        return rank + SUITS[suit]
    if style == "symbols":
        return rank + SUIT_SYMBOLS[suit]
    if style == "ten":
        return ("10" if rank == "T" else rank) + SUITS[suit]
    raise ValueError(f"unknown card style {style!r}: expected ascii, ten or symbols")


def format_cards(cards: Iterable[int], style: str = "ascii") -> str:
    """Print several cards, separated by blanks."""
    return " ".join(format_card(card, style) for card in cards)


def by_weight(cards: Sequence[int]) -> list[int]:
    """Cards as people lay them: those of a pair first, then the high ones; Jokers are alike."""
    ranks = [min(card >> 2, 13) for card in cards]
    return sorted(cards, key=lambda card: (-ranks.count(min(card >> 2, 13)), -card))
