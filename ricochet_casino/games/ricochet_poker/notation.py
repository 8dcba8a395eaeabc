"""How hands and lines of casino Ricochet Poker are written.

Kickout hands are written as in the rulebook: letters fix ranks from the most significant down, what
is left open is as low as it can be, and the meaning is always "this hand or better".
"""

import re
from collections import Counter
from contextlib import suppress
from functools import cache

from ricochet_casino.cards.classes import (
    N_CLASSES,
    RANK_NAMES,
    RANK_PLURALS,
    ROYAL_FLUSH,
    Category,
    classes,
    first_of_category,
)
from ricochet_casino.cards.deck import RANKS
from ricochet_casino.config import did_you_mean
from ricochet_casino.paytable import (
    describe,
)

LINE_ALIASES = {"pair_of_deuces": "pair", "pair_of_twos": "pair"}


# --- Names of lines ------------------------------------------------------------------------------


@cache
def line_names() -> dict[str, int]:
    """Every name a line may have, with the lowest five-card class on it, weakest first."""
    first = first_of_category()
    step = (first[Category.TWO_PAIR] - first[Category.PAIR]) // len(RANKS)
    pairs = {
        f"pair_of_{plural}": first[Category.PAIR] + step * rank
        for rank, plural in enumerate(RANK_PLURALS)
    }
    kinds = {kind.name.lower(): first[kind] for kind in Category if kind >= Category.TWO_PAIR}
    del pairs["pair_of_deuces"]  # that is any pair
    return {"pair": first[Category.PAIR], **pairs, **kinds, "royal_flush": ROYAL_FLUSH}


def parse_line(text: str) -> str:
    """Give the one canonical name of a line: ``straight``, ``pair_of_fives``.

    ``pair_of_deuces`` and ``pair_of_twos`` are ``pair``.

    Raises
    ------
    ValueError
        If there is no line of that name.
    """
    name = re.sub(r"[\s_-]+", "_", text.strip().lower())
    name = LINE_ALIASES.get(name, name)
    if name not in line_names():
        expected = "expected pair, pair_of_fives, two_pair, straight, flush and the like"
        raise ValueError(f"unknown line; {expected}{did_you_mean(name, line_names())}")
    return name


# --- Kickout hands -------------------------------------------------------------------------------

_Letters = tuple[int, ...]
_WHEEL: _Letters = (3, 2, 1, 0, 12)
_SHAPES = {
    (2,): Category.PAIR,
    (2, 2): Category.TWO_PAIR,
    (3,): Category.THREE_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (4,): Category.FOUR_OF_A_KIND,
}
_RULEBOOK_SPELLINGS = ("KKQ", "AAQ", "TTxx", "AAxx", "222", "QQQ", "A2345", "none")
EXPECTED_HAND = "expected a hand such as KKQ, TTxx, 222, A2345, 75432s, flush, or none"


@cache
def _lowest_by_prefix() -> dict[tuple[Category, _Letters], int]:
    """Lowest class of a category whose most significant ranks are these (one to five)."""
    lowest: dict[tuple[Category, _Letters], int] = {}
    for hand in classes():
        for length in range(1, 6):
            lowest.setdefault((hand.category, hand.ranks[:length]), hand.index)
    return lowest


def parse_kickout(text: str) -> int:
    """Read a kickout hand: the lowest five-card class with which the dealer is out.

    Parameters
    ----------
    text
        ``KKQ`` (a pair of kings with a queen), ``AKQ``, ``222``, ``TTxx`` (two pair, tens up),
        ``222xx`` (a full house of deuces), ``A2345`` and ``23456`` (straights), five letters with
        an ``s`` (all of one suit), the name of a line (``flush``, ``two_pair``), or ``none``.
        ``10`` is as good as ``T``, small letters as good as capital ones.

    Returns
    -------
    int
        0 to 7,461, or 7,462 for ``none``.

    Raises
    ------
    ValueError
        If no hand is written like this, with what is wrong and the nearest spelling.
    """
    name = re.sub(r"[\s_-]+", "_", text.strip().lower())
    if name == "none":
        return N_CLASSES
    if name in line_names() or name in LINE_ALIASES:
        return line_names()[parse_line(name)]
    spelling = text.strip().upper().replace("10", "T")
    try:
        return _class_of_spelling(spelling)
    except ValueError as error:
        hint = _nearest_spelling(text)
        raise ValueError(f"{describe(text)}: {error}; {EXPECTED_HAND}{hint}") from None


def _class_of_spelling(spelling: str) -> int:
    """Class of a hand written in capital letters; ValueError says what is wrong with it."""
    suited = spelling.endswith("S")
    letters = spelling.removesuffix("S")
    stem = letters.rstrip("X")
    open_cards = len(letters) - len(stem)
    strange = [letter for letter in stem if letter not in RANKS]
    if not stem or "X" in strange:
        raise ValueError("x may only stand at the end" if letters else "no hand at all")
    if strange:
        raise ValueError(f"{strange[0]} is not a rank")
    if len(letters) > 5:
        raise ValueError(f"{len(letters)} cards, but a hand has five")
    ranks = tuple(RANKS.index(letter) for letter in stem)
    if suited:
        return _suited_class(ranks)
    if open_cards:
        return _open_class(ranks, open_cards)
    if len(set(ranks)) == 5:
        return _straight_or_high_card(ranks, Category.STRAIGHT, Category.HIGH_CARD)
    shape = tuple(sorted((n for n in Counter(ranks).values() if n > 1), reverse=True))
    if shape == (5,):
        raise ValueError("a deck has only four cards of a rank")
    return _lowest(_SHAPES[shape] if shape else Category.HIGH_CARD, ranks)


def _lowest(category: Category, ranks: _Letters) -> int:
    found = _lowest_by_prefix().get((category, ranks))
    if found is None:
        if ranks != _in_order(ranks):
            raise ValueError("not in order of significance (groups first, then high before low)")
        kind = category.name.lower().replace("_", " ")
        raise ValueError(f"no {kind} hand begins like this")
    return found


def _in_order(ranks: _Letters) -> _Letters:
    count = Counter(ranks)
    return tuple(sorted(ranks, key=lambda rank: (-count[rank], -rank)))


def _straight_or_high_card(ranks: _Letters, straight: Category, other: Category) -> int:
    """Class of five different ranks: a straight may be written from either end."""
    if ranks == (12, 0, 1, 2, 3):
        ranks = _WHEEL
    if ranks == tuple(range(ranks[0], ranks[0] + 5)):
        ranks = ranks[::-1]
    if ranks == (12, 3, 2, 1, 0):
        raise ValueError("the ace is low in this straight")
    found = _lowest_by_prefix().get((straight, ranks))
    return _lowest(other, ranks) if found is None else found


def _suited_class(ranks: _Letters) -> int:
    if len(set(ranks)) != 5:
        raise ValueError("s (all of one suit) needs five different ranks")
    return _straight_or_high_card(ranks, Category.STRAIGHT_FLUSH, Category.FLUSH)


def _open_class(ranks: _Letters, open_cards: int) -> int:
    """Class of ``TTxx`` and ``222xx``: x x is the lowest other pair there can be."""
    if open_cards == 2 and len(ranks) == 2 and len(set(ranks)) == 1:
        if ranks[0] == 0:
            raise ValueError("two pair has no deuces up, as no pair is lower")
        return _lowest(Category.TWO_PAIR, ranks)
    if open_cards == 2 and len(ranks) == 3 and len(set(ranks)) == 1:
        return _lowest(Category.FULL_HOUSE, ranks)
    raise ValueError("xx stands for a second pair, after a pair (TTxx) or three (222xx) only")


@cache
def _common_spellings() -> tuple[str, ...]:
    """Short spellings among which the nearest to a wrong one is looked for."""
    spellings = {kickout_text(index) for index in _lowest_by_prefix().values()}
    return (*sorted(text for text in spellings if len(text) <= 4), *line_names())


def _nearest_spelling(text: str) -> str:
    """``; did you mean KKQ?``: the same letters put right if that helps, or the most alike."""
    spelling = text.strip().upper().replace("10", "T")
    if spelling == "22XX":
        return "; did you mean 33xx?"
    letters = re.sub(r"[\s,-]", "", spelling).rstrip("SX")
    if letters and all(letter in RANKS for letter in letters):
        ranks = _in_order(tuple(RANKS.index(letter) for letter in letters))
        if set(ranks) == set(_WHEEL):
            return "; did you mean A2345?"
        ordered = "".join(RANKS[rank] for rank in ranks)
        tail = {"X": "XX", "S": "S"}.get(spelling[-1], "")
        for attempt in (ordered + tail, *(ordered[:length] for length in (5, 4, 3, 2))):
            with suppress(ValueError):
                return f"; did you mean {kickout_text(_class_of_spelling(attempt))}?"
    near = did_you_mean(spelling, _RULEBOOK_SPELLINGS)
    return near or did_you_mean(text.strip(), _common_spellings())


@cache
def kickout_text(kickout_class: int) -> str:
    """Write a kickout class the shortest way: ``KKQ``, ``TTxx``, ``222``, ``A2345``, ``none``.

    Raises
    ------
    ValueError
        If there is no class of that number.
    """
    if not 0 <= kickout_class <= N_CLASSES:
        raise ValueError(f"{kickout_class} is not a class of hands; expected 0 to {N_CLASSES}")
    if kickout_class == N_CLASSES:
        return "none"
    hand = classes()[kickout_class]
    full = "A2345" if hand.ranks == _WHEEL else "".join(RANKS[rank] for rank in hand.ranks)
    if hand.suited:
        return full + "s"
    shorter = [full[:1], full[:2], full[:3], full[:2] + "xx", full[:4], full[:3] + "xx"]
    for spelling in shorter:
        with suppress(ValueError):
            if _class_of_spelling(spelling.upper()) == kickout_class:
                return spelling
    return full


def kickout_meaning(kickout_class: int) -> str:
    """Say in words when the dealer is out: ``pair of kings with a queen, or better``."""
    text = kickout_text(kickout_class)
    special = {N_CLASSES: "the dealer is never out", 0: "any hand", ROYAL_FLUSH: "royal flush"}
    if kickout_class in special:
        return special[kickout_class]
    hand = classes()[kickout_class]
    kind = hand.category.name.lower().replace("_", " ")
    if kickout_class == first_of_category()[hand.category]:
        return f"any {kind}, or better"
    given = hand.ranks[: len(text.rstrip("sx"))]
    top, tops = RANK_NAMES[given[0]], RANK_PLURALS[given[0]]
    match hand.category:
        case Category.PAIR:
            words, said = f"pair of {tops}", 2
        case Category.TWO_PAIR:
            second = f"and {RANK_PLURALS[given[2]]}" if len(given) > 2 else "up"
            words, said = f"two pair, {tops} {second}", 4
        case Category.THREE_OF_A_KIND:
            words, said = f"three {tops}", 3
        case Category.FULL_HOUSE:
            second = f"over {RANK_PLURALS[given[3]]}" if len(given) > 3 else "full"
            words, said = f"full house, {tops} {second}", 5
        case Category.FOUR_OF_A_KIND:
            words, said = f"four {tops}", 4
        case Category.HIGH_CARD:
            words, said = f"{top} high", 1
        case Category.FLUSH:
            words, said = f"flush, {top} high", 1
        case _:
            words, said = f"{kind}, {top} high", 5
    kickers = [f"{'an' if rank in (6, 12) else 'a'} {RANK_NAMES[rank]}" for rank in given[said:]]
    listed = " and ".join(part for part in (", ".join(kickers[:-1]), *kickers[-1:]) if part)
    return f"{words}{' with ' + listed if listed else ''}, or better"
