"""The referee, by scripted games: every ruling of docs/rulings.md, H."""

import pytest

from ricochet_casino.games.pinball.deck import generated_deck
from ricochet_casino.games.pinball.events import Kind, Reason, Rules
from ricochet_casino.games.pinball.players import Slap
from ricochet_casino.games.pinball.replay import replay_game
from ricochet_casino.games.pinball.rules import Table, finished, play_game

DECK = generated_deck(4)
ORDER = tuple(range(50))


def table(**changes):
    return Table(Rules(**{"players": 3, **changes}), DECK, ORDER)


def wrong(game, which=0):
    """A place that is not the last one."""
    places = [place for place in range(game.rules.n_outer) if place != game.last_place]
    return places[which]


def kinds(game, since=0):
    return [event.kind for event in game.events[since:]]


def win(game, seat):
    assert game.turn()
    game.resolve({seat: Slap(1, game.last_place)})


def test_four_cards_are_laid_and_the_next_one_is_the_start_card():
    game = table()
    assert game.outer == [0, 1, 2, 3]
    assert game.turn()
    assert game.start == 4
    assert len(game.stock) == 45
    assert kinds(game) == [Kind.LAY] * 4 + [Kind.TURN]
    assert game.events[-1].players == (0, 1, 2)


def test_full_tilt_lays_five():
    game = table(full_tilt=True)
    assert game.outer == [0, 1, 2, 3, 4]
    assert game.rules.places == ("p0", "p1", "p2", "p3", "p4")
    game.turn()
    last = game.last_place
    game.resolve({0: Slap(3, last)})
    assert game.outer[last] == 5
    assert game.won[0] == [last]


def test_the_first_right_slap_takes_the_card_and_the_start_card_moves_to_its_place():
    game = table()
    game.turn()
    last = game.last_place
    game.resolve({0: Slap(30, last), 1: Slap(20, last), 2: Slap(25, last)})
    assert game.won == [[], [last], []]
    assert game.outer[last] == 4
    assert game.start is None
    assert kinds(game, 5) == [Kind.SLAP, Kind.WIN, Kind.MOVE]


def test_a_slip_costs_the_card_won_last_which_goes_under_the_stock():
    game = table()
    win(game, 0)
    win(game, 0)
    mine = list(game.won[0])
    game.turn()
    game.resolve({0: Slap(1, wrong(game)), 1: Slap(2, game.last_place)})
    assert game.won[0] == mine[:1]
    assert game.stock[-1] == mine[1]
    assert (game.slips, game.lost) == ([1, 0, 0], [1, 0, 0])
    assert len(game.won[1]) == 1


def test_a_slip_without_cards_costs_nothing():
    game = table()
    game.turn()
    game.resolve({0: Slap(1, wrong(game)), 1: Slap(2, game.last_place)})
    assert (game.slips, game.lost) == ([1, 0, 0], [0, 0, 0])
    assert [e.card for e in game.events if e.kind is Kind.SLIP] == [-1]


def test_slaps_after_the_right_one_do_not_happen():
    game = table()
    game.turn()
    game.resolve({0: Slap(2, wrong(game)), 1: Slap(1, game.last_place)})
    assert game.slips == [0, 0, 0]


def test_h9_a_wrong_slap_at_the_moment_of_the_right_one_is_a_slip():
    game = table()
    win(game, 0)
    game.turn()
    game.resolve({0: Slap(2, wrong(game)), 1: Slap(2, game.last_place)})
    assert game.slips == [1, 0, 0]
    assert game.won[0] == []
    assert len(game.won[1]) == 1


def test_h4_tied_players_alone_play_on_with_a_new_start_card_until_one_wins():
    game = table()
    game.turn()
    old = game.start
    outer = list(game.outer)
    game.resolve({0: Slap(7, game.last_place), 2: Slap(7, game.last_place), 1: Slap(9, 0)})
    assert game.racing == (0, 2)
    assert game.stock[-1] == old
    assert game.outer == outer
    assert game.turn()
    assert (game.rounds, game.turns, game.ties) == (1, 2, 1)
    # The third player's slap does not count, a slip shuts out, and the other wins.
    game.resolve(
        {0: Slap(1, wrong(game)), 1: Slap(0, game.last_place), 2: Slap(5, game.last_place)}
    )
    assert [len(cards) for cards in game.won] == [0, 0, 1]
    assert game.slips == [1, 0, 0]
    game.turn()
    assert game.racing == (0, 1, 2)
    assert game.rounds == 2


def test_h6_when_everybody_slips_the_round_is_void_and_the_outer_cards_stay():
    game = table()
    win(game, 0)
    card = game.won[0][0]
    outer = list(game.outer)
    game.turn()
    start = game.start
    slaps = {seat: Slap(5 - seat, wrong(game, seat)) for seat in range(3)}
    game.resolve(slaps)
    assert game.outer == outer
    assert list(game.stock)[-2:] == [card, start]
    assert (game.void, game.rounds) == (1, 2)
    assert [e.player for e in game.events if e.kind is Kind.SLIP] == [2, 1, 0]
    assert game.events[-1] == (Kind.VOID, -1, start, -1, -1, ())


def test_h6_all_who_tied_slip():
    game = table()
    game.turn()
    game.resolve({0: Slap(7, game.last_place), 1: Slap(7, game.last_place)})
    game.turn()
    game.resolve({0: Slap(7, wrong(game)), 1: Slap(7, wrong(game))})
    assert game.void == 1
    game.turn()
    assert game.racing == (0, 1, 2)


def test_the_first_to_the_goal_wins():
    game = table(goal=2)
    win(game, 1)
    win(game, 0)
    assert not game.over
    win(game, 1)
    assert game.over
    assert (game.winners, game.reason) == ((1,), Reason.GOAL)
    assert not game.turn()
    assert finished(game).cards == (1, 2, 0)


@pytest.mark.parametrize(
    ("full_tilt", "players", "rounds", "shared"), [(False, 10, 46, 6), (True, 9, 45, 9)]
)
def test_h7_when_no_card_is_left_most_cards_win_in_equal_shares(full_tilt, players, rounds, shared):
    rules = Rules(players, full_tilt=full_tilt)
    assert rules.can_exhaust
    assert not Rules(players - 1, full_tilt=full_tilt).can_exhaust
    game = Table(rules, DECK, ORDER)
    for number in range(rounds):
        win(game, number % players)
    assert not game.stock
    assert not game.turn()
    assert game.reason is Reason.EXHAUSTED
    assert game.winners == tuple(range(shared))
    assert replay_game(game.events, ORDER) == -1


def test_h7_a_tie_and_a_void_round_with_the_last_card_turn_it_again():
    rules = Rules(10)
    game = Table(rules, DECK, ORDER)
    for number in range(45):
        win(game, number % 10)
    game.turn()
    card = game.start
    game.resolve({0: Slap(1, game.last_place), 1: Slap(1, game.last_place)})
    assert game.turn()
    assert game.start == card
    game.resolve({})
    assert game.void == 1
    assert game.turn()
    assert game.start == card


def test_a_game_is_given_up_after_so_many_start_cards():
    rules = Rules(2, longest=5)

    def racer(turn, seat, kind, outer):
        return None

    game = play_game(rules, DECK, ORDER, racer)
    assert (game.reason, game.winners, game.rounds, game.void) == (Reason.UNDECIDED, (), 5, 5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"goal": 0}, "goal with four outer cards must be 1 to 46, got 0"),
        ({"goal": 47}, "goal with four outer cards must be 1 to 46, got 47"),
        ({"goal": 46, "full_tilt": True}, "goal in Full Tilt must be 1 to 45, got 46"),
        ({"goal": 2.5}, "must be a whole number, got 2.5"),
        ({"goal": True}, "must be a whole number, got True"),
        ({"players": 11}, "players must be 2 to 10, got 11"),
        ({"players": 1}, "players must be 2 to 10, got 1"),
        ({"tick": 0}, "tick must be 1 to 1000, got 0"),
        ({"longest": 0}, "longest must be 1 to 4096, got 0"),
        ({"longest": 4097}, "longest must be 1 to 4096, got 4097"),
    ],
)
def test_rules_out_of_range_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        Rules(**{"players": 3, **changes})


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="each card from 0 to 49 once"):
        Table(Rules(2), DECK, (0, *range(49)))
    game = table()
    with pytest.raises(ValueError, match="no start card lies"):
        game.resolve({})
    with pytest.raises(ValueError, match="the game is not over"):
        finished(game)
    game.turn()
    with pytest.raises(ValueError, match="lies already"):
        game.turn()
    with pytest.raises(ValueError, match="player 2 slaps place 4, which is not there"):
        game.resolve({1: Slap(0, 4)})
