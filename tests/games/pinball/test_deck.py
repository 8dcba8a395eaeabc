"""Decks: what is valid, what is refused and how that is told, and the generator."""

import re
from collections import Counter

import pytest

from ricochet_casino.config import ConfigError
from ricochet_casino.games.pinball.deck import COLOURS, Card, Deck, generated_deck
from ricochet_casino.games.pinball.deck_files import deck_text, read_deck, shipped_decks


@pytest.fixture
def text():
    return deck_text(generated_deck(1))


def problems(tmp_path, text):
    file = tmp_path / "deck.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as found:
        read_deck(file)
    return [(problem.line, problem.text) for problem in found.value.problems]


def card_line(text, number):
    """Line of a file, from 1, on which a card stands."""
    first = text.splitlines().index("cards:") + 1
    return first + number


@pytest.mark.parametrize("number", range(20))
def test_generated_decks_hold_each_number_once_a_colour_and_six_or_seven_of_each_ball(number):
    deck = generated_deck(5, number)
    assert len(deck.cards) == 50
    for colour in range(4):
        assert sorted(card.bumpers[colour] for card in deck.cards) == list(range(1, 51))
    assert sorted(deck.kind_counts) == [6] * 6 + [7] * 2
    assert deck.warnings() == ()


def test_generated_decks_are_the_same_for_a_seed_and_differ_between_seeds_and_numbers():
    assert generated_deck(5, 3) == generated_deck(5, 3)
    assert len({generated_deck(seed, number).cards for seed in (5, 6) for number in (0, 1, 2)}) == 6


def test_generated_kinds_with_a_seventh_ball_vary():
    fuller = Counter()
    for number in range(60):
        counts = generated_deck(9, number).kind_counts
        fuller.update(kind for kind, count in enumerate(counts) if count == 7)
    assert sorted(fuller) == list(range(8))


def test_a_written_deck_reads_back(tmp_path):
    deck = generated_deck(2)
    file = tmp_path / "deck.yaml"
    file.write_text(deck_text(deck, "a comment\n\nin three lines"))
    assert read_deck(file) == deck
    assert Deck.from_json(deck.to_json()) == deck


def test_two_cards_of_red_17_are_refused_with_both_cards_and_the_line(tmp_path, text):
    deck = generated_deck(1)
    seventeen = next(i for i, card in enumerate(deck.cards, 1) if card.bumpers[0] == 17)
    other = 10 if seventeen != 10 else 11
    lines = text.splitlines()
    at = card_line(text, other)
    lines[at - 1] = re.sub(r"red: +\d+", "red: 17", lines[at - 1], count=1)
    first, second = sorted((seventeen, other))
    [(line, said)] = problems(tmp_path, "\n".join(lines))
    assert f"card {second}: red 17 is on card {first} already" in said
    assert line == card_line(text, second)


@pytest.mark.parametrize(("cards", "change"), [(49, -1), (51, 1), (0, -50)])
def test_another_number_of_cards_is_refused(tmp_path, text, cards, change):
    lines = text.splitlines()
    lines = lines[:change] if change < 0 else [*lines, lines[-1]]
    if cards == 0:
        lines[-1] = "cards: []"
    said = " ".join(text for _, text in problems(tmp_path, "\n".join(lines)))
    assert f"{cards} cards; expected 50" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("large red", "large purple", "no ball is purple; expected one of red, yellow"),
        ("large red", "large rde", "did you mean red?"),
        ("large red", "lage red", "no ball is lage; expected small or large; did you mean large?"),
        ("large red", "red", "expected a size and a colour such as large red"),
        ("large red", "{large: red}", "a mapping; expected a size and a colour"),
        ("{red:", "{rad:", "unknown key rad; expected one of red, yellow"),
        ("{red:", "{rad:", "the key red is missing"),
        ("{red:", "{violet: 3, red:", "unknown key violet"),
    ],
)  # fmt: skip
def test_wrong_words_on_a_card_are_told_with_line_and_nearest_name(tmp_path, text, old, new, said):
    at = next(i for i, line in enumerate(text.splitlines()) if old in line)
    lines = text.splitlines()
    lines[at] = lines[at].replace(old, new, 1)
    found = problems(tmp_path, "\n".join(lines))
    assert any(said in text for _, text in found)
    assert {line for line, _ in found} == {at + 1}


@pytest.mark.parametrize("number", ["0", "51", "-3", "3.0", "three", "nan", "", "[3]"])
def test_a_bumper_that_is_no_whole_number_from_1_to_50_is_refused(tmp_path, text, number):
    lines = text.splitlines()
    at = card_line(text, 5) - 1
    lines[at] = re.sub(r"green: +\d+", f"green: {number}", lines[at], count=1)
    [(line, said)] = problems(tmp_path, "\n".join(lines))
    assert line == at + 1
    assert said.startswith("card 5: green: ")
    assert "expected a whole number from 1 to 50" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("game: pinball", "game: pinbal", "did you mean pinball?"),
        ("name: random_1_0", "name: A b", "expected small letters"),
        ("name: random_1_0\n", "", "the key name is missing"),
        ("name:", "nmae:", "did you mean name?"),
        ("cards:", "kards:", "the key cards is missing"),
    ],
)
def test_wrong_heads_are_told(tmp_path, text, old, new, said):
    assert any(said in found for _, found in problems(tmp_path, text.replace(old, new)))


def test_cards_that_are_no_list_are_refused(tmp_path):
    [(_, said)] = problems(tmp_path, "game: pinball\nname: x\ncards: many\n")
    assert "expected a list of 50 cards" in said
    found = problems(tmp_path, "game: pinball\nname: x\ncards:\n  - seven\n")
    assert any("card 1: seven; expected red, yellow" in said for _, said in found)


def test_an_uneven_deck_is_allowed_with_a_warning(tmp_path, text):
    uneven = text.replace("large red", "small blue")
    file = tmp_path / "deck.yaml"
    file.write_text(uneven)
    warnings = read_deck(file).warnings()
    assert any("balls are small blue; an even deck has 6 or 7" in text for text in warnings)
    assert any(text.startswith("0 balls are large red") for text in warnings)


def test_an_unknown_deck_is_told_with_the_nearest_shipped_one():
    with pytest.raises(ConfigError, match=r"no deck or file fairset; .*did you mean fairest\?"):
        read_deck("fairset")


@pytest.mark.parametrize("name", ["fairest", "trickiest"])
def test_shipped_decks_are_valid_and_even(name):
    deck = read_deck(name)
    assert name in shipped_decks()
    assert deck.name == name
    assert deck.warnings() == ()


def test_from_python_a_wrong_deck_is_refused_too():
    deck = generated_deck(1)
    with pytest.raises(ValueError, match="49 cards; expected 50"):
        Deck("short", deck.cards[:49])
    twice = (*deck.cards[:49], deck.cards[0])
    with pytest.raises(ValueError, match=r"card 50: red \d+ is on card 1 already"):
        Deck("twice", twice)
    with pytest.raises(ValueError, match="a blue bumper must be 1 to 50, got 51"):
        Card((1, 2, 3, 51), 0)
    with pytest.raises(ValueError, match="kind of a ball must be 0 to 7, got 8"):
        Card((1, 2, 3, 4), 8)
    for wrong in ({}, {"name": "x", "cards": [[1, 2, 3, 4]]}, {"name": 3, "cards": []}, 7):
        with pytest.raises(ValueError, match="not a deck"):
            Deck.from_json(wrong)


def test_strength_is_what_a_ball_asks_for():
    card = Card((17, 3, 50, 1), 1)
    assert card.ball == "large red"
    assert [card.strength(kind) for kind in range(8)] == [34, 17, 48, 3, 1, 50, 50, 1]
    assert card.to_json() == {
        **dict(zip(COLOURS, (17, 3, 50, 1), strict=True)),
        "ball": "large red",
    }
