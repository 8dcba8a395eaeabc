"""A person against models, without a terminal."""

from fractions import Fraction

import pytest

from ricochet_casino.games.pinball.chain import chain
from ricochet_casino.games.pinball.deck import generated_deck
from ricochet_casino.games.pinball.events import Kind, Reason, Rules
from ricochet_casino.games.pinball.narration import narrate
from ricochet_casino.games.pinball.players import Player
from ricochet_casino.games.pinball.replay import replay_game
from ricochet_casino.games.pinball.session import Session
from ricochet_casino.games.pinball.study import game_order

DECK = generated_deck(2)
SLOW, FAST = Player(Fraction(50)), Player(Fraction("0.001"))


def session(*others, **changes):
    return Session(Rules(1 + len(others), **changes), DECK, others, 5, 3)


def right(view):
    return chain(view.start, view.outer)[-1]


def test_a_person_who_is_always_right_and_fast_wins():
    game = session(SLOW)
    for number in range(1, 7):
        view = game.next_card()
        assert (view.number, view.tie_break, view.cards) == (number, False, (number - 1, 0))
        outcome = game.answer(right(view), Fraction("1.234"))
        assert outcome.right
        assert outcome.won
        assert outcome.sequence == chain(view.start, view.outer)
        assert (outcome.seconds, outcome.clock > 90) == (Fraction("1.234"), True)
    assert game.next_card() is None
    assert (game.game.winners, game.game.reason) == ((0,), Reason.GOAL)


def test_a_wrong_answer_is_a_slip_and_the_clock_wins():
    game = session(SLOW)
    view = game.next_card()
    game.answer(right(view), 1)
    view = game.next_card()
    outcome = game.answer((right(view) + 1) % 4, 1)
    assert not outcome.right
    assert not outcome.won
    assert [event.kind for event in outcome.events if event.player == 0] == [Kind.SLAP, Kind.SLIP]
    assert game.next_card().cards == (0, 1)


def test_passing_is_no_slip_and_being_late_is_no_win():
    game = session(FAST)
    game.next_card()
    outcome = game.answer(None)
    assert (outcome.right, outcome.won, outcome.seconds) == (False, False, None)
    view = game.next_card()
    outcome = game.answer(right(view), 30.5)
    assert (outcome.right, outcome.won) == (True, False)
    assert game.next_card().cards == (0, 2)


def test_a_tie_break_of_the_others_is_played_without_the_person():
    still = Player(Fraction("0.5"), Fraction(1, 100))
    game = session(still, still, still, tick=100)
    seen = 0
    while (view := game.next_card()) is not None:
        assert not view.tie_break
        told = [event.kind for event in game.events_since()]
        seen += told.count(Kind.TURN) > 1
        game.answer(None)
    assert seen > 0
    assert game.game.ties > 0
    assert game.game.slips == (0, 0, 0, 0)


def test_a_tie_with_the_person_is_a_tie_break_with_the_person():
    fixed = Player(Fraction("0.5"), Fraction(0))
    game = session(fixed, SLOW)
    view = game.next_card()
    outcome = game.answer(right(view), 1.5)
    assert outcome.events[-1].kind is Kind.TIE
    view = game.next_card()
    assert view.tie_break
    assert game.answer(right(view), 0.5).won


def test_all_events_of_a_session_account_for_all_cards():
    game = session(Player(error=Fraction(1, 3)), Player(error=Fraction(1, 3)), full_tilt=True)
    events = []
    while (view := game.next_card()) is not None:
        events += game.events_since()
        outcome = game.answer(view.number % 5, Fraction(view.number % 4))
        events += outcome.events
    events += game.events_since()
    assert tuple(events) == game.game.events
    assert replay_game(events, game_order(5, 3)) == -1
    lines = narrate(events, game.rules, DECK, ["you", "clock 1", "clock 2"])
    assert len(lines) == len(events)
    assert any("you slap" in line for line in lines)
    assert any("wrong: you" in line for line in lines)
    assert not any("you slaps" in line or "you has" in line for line in lines)


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="1 models for 2 others"):
        Session(Rules(3), DECK, [SLOW], 1)
    game = session(SLOW)
    with pytest.raises(ValueError, match="no start card lies"):
        game.answer(0, 1)
    game.next_card()
    for place, seconds, said in (
        (4, 1, "there is no place 4"),
        (0, -1, "a time must be 0 to"),
        (0, float("nan"), "a time must be 0 to"),
    ):
        with pytest.raises(ValueError, match=said):
            game.answer(place, seconds)
    with pytest.raises(ValueError, match="the game is not over"):
        _ = game.game
