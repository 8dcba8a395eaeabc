"""Models of players: what is read, what is refused, and that slaps follow the model."""

from collections import Counter
from fractions import Fraction

import pytest

from ricochet_casino.games.pinball.chain import chain
from ricochet_casino.games.pinball.deck import generated_deck
from ricochet_casino.games.pinball.exact import tick_law
from ricochet_casino.games.pinball.players import (
    Player,
    parse_number,
    parse_players,
    slap_of,
    words_of,
)
from ricochet_casino.stats.checks import chi_square

START, *OUTER = generated_deck(1).cards[:5]
SURE = 0xFFFFFFFF  # the low half of a word that never makes an error


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.8", Fraction(4, 5)), ("40%", Fraction(2, 5)), ("1e-3", Fraction(1, 1000)), (" 2 ", 2)],
)
def test_numbers_are_decimals_or_percentages(text, value):
    assert parse_number(text, "time") == value


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "fast", "", "1/2", "%", "1e999", "sNaN"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match=r"time: .* is not a"):
        parse_number(text, "time")


@pytest.mark.parametrize(
    ("time", "spread", "error", "said"),
    [
        ("-0.5", "0", "0", "a reaction time must be above 0 and at most 60 seconds, got -0.5"),
        ("0", "0", "0", "got 0"),
        ("60.1", "0", "0", "got 60.1"),
        ("nan", "0", "0", "time: 'nan' is not a usable number"),
        ("fast", "0", "0", "time: 'fast' is not a number"),
        ("1", "-1%", "0", "a spread must be 0 to 1, got -0.01"),
        ("1", "101%", "0", "a spread must be 0 to 1"),
        ("1", "0", "1", "an error rate must be at least 0 and below 1, got 1"),
        ("1", "0", "0.9999999999", "an error rate must be at least 0 and below 1"),
        ("1", "0", "-0.1", "an error rate must be"),
        ("1,2", "0", "0", "time: 2 numbers for 3 players: give one, or one a seat"),
        ("1,2,3,4", "0", "0", "time: 4 numbers for 3 players"),
        ("1", "0", "0,0", "error: 2 numbers for 3 players"),
    ],
)
def test_wrong_models_are_refused(time, spread, error, said):
    with pytest.raises(ValueError, match=said):
        parse_players(3, time, spread, error)


def test_one_number_for_all_or_one_a_seat():
    assert parse_players(2, "1", "0", "2%,0") == (
        Player(Fraction(1), Fraction(0), Fraction(1, 50)),
        Player(Fraction(1), Fraction(0), Fraction(0)),
    )
    player = Player(Fraction(1, 3), Fraction(1, 7), Fraction(1, 50))
    assert Player.from_json(player.to_json()) == player
    for wrong in ({}, 3, {"time": "1/0", "spread": "0", "error": "0"}):
        with pytest.raises(ValueError, match="not a player"):
            Player.from_json(wrong)


def test_a_player_without_errors_slaps_the_last_card():
    player = Player()
    for game in range(50):
        slap = slap_of(player, words_of(1, game, 0, 0), START.kind, OUTER, 10)
        assert slap.place == chain(START, OUTER)[-1]
        assert 3 * 480 <= slap.tick * 10 <= 3 * 1120


def test_times_are_the_sum_of_the_looks_in_whole_ticks():
    player = Player(Fraction(1), Fraction(1, 2))
    words = [SURE, SURE | 1 << 63, SURE | 0xFFFFFFFF << 32, 0]
    # The shortest look, the middle one and the longest.
    assert slap_of(player, words, 0, OUTER, 1).tick == 500 + 1000 + 1500
    assert slap_of(player, words, 0, OUTER, 7).tick == 3000 // 7


def test_a_wrong_look_takes_each_other_card_alike_and_goes_on_from_there():
    player = Player(error=Fraction(1, 2))
    half = player.threshold
    right = chain(START, OUTER)
    for low, other in ((0, 0), (half // 3 + 1, 1), (half - 1, 2)):
        slap = slap_of(player, [low, SURE, SURE], START.kind, OUTER, 10)
        wrong = [place for place in range(4) if place != right[0]][other]
        left = [place for place in range(4) if place != wrong]
        expected = chain(OUTER[wrong], [OUTER[place] for place in left])
        assert slap.place == left[expected[-1]]
    assert slap_of(player, [half, SURE, SURE], START.kind, OUTER, 10).place == right[-1]
    # Wrong at the last look: the fourth card is taken for the fifth.
    assert slap_of(player, [SURE, SURE, 0], START.kind, OUTER, 10).place == right[-2]


def test_ticks_follow_their_exact_law():
    player = Player(Fraction("0.05"), Fraction(1, 2))
    law = tick_law(player, 3, 10)
    assert sum(law.values()) == 1
    seen = Counter()
    for game in range(2000):
        seen[str(slap_of(player, words_of(3, game, 0, 1), 0, OUTER, 10).tick)] += 1
    test = chi_square(seen, {str(tick): chance for tick, chance in law.items()})
    assert test.p_value > 1e-4
