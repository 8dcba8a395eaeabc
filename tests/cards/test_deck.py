"""Codes, parsing and printing of cards."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricochet_casino.cards.deck import (
    JOKER_BIG,
    JOKER_SMALL,
    STANDARD_DECK,
    CardError,
    check_cards,
    format_card,
    format_cards,
    parse_card,
    parse_cards,
    rank_of,
    suit_of,
)

STYLES = ("ascii", "ten", "symbols")
any_card = st.integers(0, JOKER_BIG)
different_cards = st.lists(any_card, unique=True, max_size=54)


@given(any_card, st.sampled_from(STYLES))
def test_what_is_printed_is_read_back(card, style):
    assert parse_card(format_card(card, style)) == card


@given(different_cards, st.sampled_from(STYLES), st.sampled_from([" ", "", ",", ", ", "\n"]))
def test_lists_are_read_back_with_any_separator(cards, style, separator):
    text = separator.join(format_card(card, style) for card in cards)
    assert parse_cards(text, count=len(cards)) == tuple(cards)


@given(different_cards)
def test_case_and_emoji_selectors_do_not_matter(cards):
    text = format_cards(cards)
    assert parse_cards(text.lower()) == tuple(cards)
    assert parse_cards(text.upper()) == tuple(cards)
    marked = "".join(char + "\ufe0f" if char in "♣♦♥♠" else char for char in
                     format_cards(cards, "symbols"))  # fmt: skip
    assert parse_cards(marked) == tuple(cards)


@given(st.text(max_size=6))
def test_any_text_is_a_card_or_a_clear_error(text):
    try:
        card = parse_card(text)
    except CardError:
        with pytest.raises(CardError, match=f"^{re.escape(repr(text))} is not a card"):
            parse_card(text)
    else:
        assert 0 <= card <= JOKER_BIG


@given(st.text(alphabet="23456789TJQKA10cdhsx ,♠♡\ufe0e", max_size=12))
def test_lists_are_different_cards_or_an_error(text):
    try:
        cards = parse_cards(text)
    except CardError:
        return
    assert len(set(cards)) == len(cards)
    assert all(0 <= card <= JOKER_BIG for card in cards)


def test_codes_are_rank_and_suit_in_alphabetical_suit_order():
    assert [parse_card(text) for text in ("2c", "2d", "2h", "2s", "3c", "As")] == [
        0, 1, 2, 3, 4, 51]  # fmt: skip
    assert all(4 * rank_of(card) + suit_of(card) == card for card in STANDARD_DECK)
    assert parse_card("10h") == parse_card("Th") == parse_card("T♥") == parse_card("t♡")
    assert parse_card("X1") == JOKER_SMALL
    assert parse_card("x2") == JOKER_BIG


@pytest.mark.parametrize(
    "text", ["", "K", "s", "1s", "11s", "KK", "Kx", "X3", "K s", "Ks Qs", "23s"]
)
def test_texts_that_are_no_card(text):
    with pytest.raises(CardError, match="is not a card"):
        parse_card(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ks Ks", "Ks appears twice"),
        ("K s", "no suit"),
        ("KsQ", "'Q' is not a card"),
        ("Ks Qx", "'Qx' is not a card"),
        ("Ks10", "'10' is not a card"),
    ],
)
def test_lists_that_are_refused(text, message):
    with pytest.raises(CardError, match=message):
        parse_cards(text)


def test_count_and_range_are_checked():
    with pytest.raises(CardError, match="expected 2 cards, got 3"):
        parse_cards("Ks Qs Js", count=2)
    with pytest.raises(CardError, match="52 is not a card code"):
        check_cards([0, 52])
    with pytest.raises(CardError, match="-1 is not a card code"):
        check_cards([-1])
    with pytest.raises(CardError, match="54 is not a card code"):
        format_card(54)
    with pytest.raises(ValueError, match="unknown card style"):
        format_card(0, "roman")
