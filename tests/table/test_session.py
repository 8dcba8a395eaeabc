"""A table under way: the rulebook's example with real cards, turns, taking back, bad input."""

import re

import pytest

from ricochet_casino.config import data_folder
from ricochet_casino.table.session import Session
from ricochet_casino.table.setup import Setup
from ricochet_casino.table.view import Pending


def table(*names, game="home", **settings):
    session = Session.begin(Setup(game, **settings))
    for name in names:
        session.sit(*name.split(":")[:1], policy=name.partition(":")[2])
    return session


def dealt(session, cards):
    for card in cards.split():
        session.card(card)


def run_on(session):
    while session.pending in (Pending.DEAL, Pending.COMPUTER):
        session.step()


def seat(session, name):
    return next(seat for seat in session.view().seats if seat.name == name)


def turn(session, pot, name):
    """The pot, and that it is somebody's turn: marked, said, and asked for."""
    view = session.view()
    assert view.pot == pot
    assert [seat.name for seat in view.seats if seat.is_turn] == [name]
    assert view.turn_why.startswith(name)
    assert view.prompt.startswith(f"{name}: f to fold") or view.prompt.endswith(f"to {name}?")
    return view


def test_the_example_of_the_rulebook_card_by_card():
    session = table("One", "Two", "Three", "Four", manual=True)
    session.next_hand()
    assert session.pending is Pending.CARD
    for name, card in zip(("One", "Two", "Three", "Four"), ["Kd", "Jc", "8h", "7s"], strict=True):
        turn(session, 4, name)
        session.card(card)
    view = turn(session, 4, "Four")
    assert view.turn_why == ("Four acts with the lowest hand, 7♠; the next lowest is 8♥ of Three.")
    session.choose("3")
    turn(session, 7, "Four")
    dealt(session, "2h 9c")
    view = turn(session, 7, "Three")
    assert view.log[-1] == "Four (9♣ 7♠ 2♥) is no longer lowest. 1 card paid for stays undealt."
    session.choose("f")
    view = turn(session, 7, "Four")
    assert "J♣ of Two" in view.turn_why
    assert [choice.key for choice in view.choices if choice.legal] == ["f", "1", "2"]
    session.choose("2")
    turn(session, 9, "Four")
    session.card("2d")
    turn(session, 9, "Two")
    assert seat(session, "Four").value == "pair of deuces"
    session.choose("2")
    turn(session, 11, "Two")
    dealt(session, "9h Qd")
    view = turn(session, 11, "One")
    assert seat(session, "Two").state == "out"
    assert "is still lowest, and is out" in view.log[-1]
    session.choose("4")
    turn(session, 15, "One")
    dealt(session, "5h 8d 8s")
    view = turn(session, 15, "Four")
    assert seat(session, "One").cards == (45, 14, 25, 27)
    assert [choice.key for choice in view.choices if choice.legal] == ["f", "1"]
    # "But even if he does, the hand is not quite over": he catches a nine, and she may answer.
    session.choose("1")
    turn(session, 16, "Four")
    session.card("9s")
    turn(session, 16, "One")
    session.choose("f")
    assert session.pending is Pending.NEXT
    view = session.view()
    assert view.over
    assert view.turn_why == "The hand is over: Four wins 16 chips with two pair, nines and deuces."
    assert [s.result for s in view.seats] == [-5, -3, -1, 9]
    assert [s.chips for s in view.seats] == [15, 17, 19, 29]


def test_a_hand_of_casino_night_with_real_cards():
    session = table("Ann", "Ben", "Cora", game="casino-night", manual=True, chips=50)
    session.next_hand()  # Cora deals
    assert session.view().dealer_name == "Cora"
    turn(session, 3, "Ann")
    dealt(session, "9d 9h Qs 3c")
    assert session.view().prompt == "Which card has been dealt to Cora?"
    dealt(session, "5s 6s Th Jd 2c")
    view = turn(session, 3, "Ben")
    assert view.dealer_value == "jack high"
    assert "the lowest two-card hand that has not acted yet" in view.turn_why
    session.choose("f")
    turn(session, 3, "Ann")
    session.choose("p")
    turn(session, 4, "Ann")
    dealt(session, "9c Ts")
    turn(session, 4, "Ann")
    assert len(seat(session, "Ann").cards) == 4
    session.card("Td")  # a full house: bonus ten
    view = session.view()
    assert view.over
    assert "Ann earns the full house bonus: 10 chips from the dealer." in view.log
    assert [s.result for s in view.seats] == [12, -1, -11]
    session.next_hand()
    assert session.view().dealer_name == "Ann"
    assert [s.chips for s in session.view().seats] == [61, 48, 38]


def test_the_last_hand_of_casino_night_gets_free_cards():
    session = table("Ann", "Ben", "Cora", game="casino-night", manual=True, chips=2)
    session.next_hand()
    dealt(session, "9d 9h Qs 3c As Ah Kc Kd 2c")  # two pair: kicked out of a game of two
    assert session.view().dealer_out
    session.choose("f")
    assert session.pending is Pending.CARD  # not asked: nobody is left against Ann
    dealt(session, "9c 9s 2h")
    view = session.view()
    assert view.over
    # Cora has one chip left and owes a bonus of ten: she buys the missing nine.
    assert [s.result for s in view.seats] == [12, -1, -11]
    assert [(s.chips, s.state) for s in view.seats] == [(14, "won"), (1, "folded"), (0, "deals")]
    session.rebuy("Cora", 5)
    assert "Cora buys 9 chips to pay all bonuses." in session.view().log
    assert sum(s.evening for s in session.view().seats) == 0


def test_an_action_can_be_taken_back_until_a_card_is_dealt():
    session = table("Ann", "Ben", "Cora", seed=4)
    session.next_hand()
    assert not session.view().can_undo
    run_on(session)
    before = session.view()
    session.choose("2")
    held = session.view()
    assert held.pending is Pending.DEAL
    assert held.held
    assert held.can_undo
    session.undo()
    after = session.view()
    assert after.events == before.events + 2  # nothing is rubbed out
    assert after.pot == before.pot
    assert after.seats == before.seats
    assert after.pending is Pending.ACTION
    session.choose("f")
    session.choose("f")
    assert session.view().over  # even the fold that ended the hand
    session.undo()
    session.undo()
    assert session.view().seats == before.seats
    with pytest.raises(ValueError, match="nothing can be taken back"):
        session.undo()
    session.choose("1")
    session.step()
    assert not session.view().can_undo
    with pytest.raises(ValueError, match="until the next card is dealt"):
        session.undo()


def test_taking_back_goes_through_what_computer_players_did():
    session = table("Ann", "Ben:buy_one", seed=3, manual=True)
    session.next_hand()
    dealt(session, "2c 3c")
    session.choose("1")
    session.card("9c")
    assert session.pending is Pending.COMPUTER
    session.step()
    assert session.pending is Pending.CARD
    session.undo()  # the computer's purchase, and the card entered last
    assert session.pending is Pending.CARD
    assert seat(session, "Ann").cards == (0,)
    dealt(session, "8c")
    assert seat(session, "Ann").cards == (0, 24)


def test_a_person_joins_during_a_hand_and_plays_from_the_next_one():
    session = table("Ann", "Ben", seed=1)
    session.next_hand()
    session.sit("Cora", 7)
    assert seat(session, "Cora").state == "waiting"
    assert session.view().log[-1] == "Cora sits down with 7 chips."
    with pytest.raises(ValueError, match="Ann is in a hand that is being played"):
        session.leave("Ann")
    with pytest.raises(ValueError, match="Ben is in a hand that is being played"):
        session.rebuy("Ben", 5)
    run_on(session)
    session.choose("f")
    session.leave("Ann")
    session.next_hand()
    assert [s.name for s in session.view().seats] == ["Ben", "Cora"]
    assert all(s.paid == 1 for s in session.view().seats)


def test_who_is_broke_waits_for_chips():
    session = table("Ann", "Ben", manual=True, chips=1)
    session.next_hand()
    dealt(session, "2c 3c")
    view = session.view()
    assert [choice.key for choice in view.choices if choice.legal] == ["f"]
    assert {choice.why_not for choice in view.choices[1:]} == {"Ann has only 0 chips"}
    with pytest.raises(ValueError, match="buy 1 card is not possible: Ann has only 0 chips"):
        session.choose("1")
    session.choose("f")
    assert session.pending is Pending.PEOPLE
    assert seat(session, "Ann").state == "folded"
    assert session.view().prompt == (
        "A hand needs 2 people who can pay the ante, and only Ben can: somebody has to sit down, "
        "or Ann to buy chips."
    )
    with pytest.raises(ValueError, match="only Ben can"):
        session.next_hand()
    session.rebuy("Ann", 3)
    session.next_hand()
    assert [s.chips for s in session.view().seats] == [2, 1]


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("Kd", "the card Kd has been dealt to Ann"),
        ("X1", "the card X1 is not in the deck"),
        ("1s", "'1s' is not a card: the rank must be one of"),
        ("Kx", "'Kx' is not a card: the suit must be"),
        ("", "is not a card"),
    ],
)
def test_a_card_that_cannot_come_changes_nothing(card, message):
    session = table("Ann", "Ben", manual=True)
    session.next_hand()
    session.card("Kd")
    before = session.view()
    with pytest.raises(ValueError, match=re.escape(message)):
        session.card(card)
    assert session.view() == before


@pytest.mark.parametrize("key", ["0", "5", "-1", "x", "", "1.5", "p", "44"])
def test_buying_zero_or_too_many_is_told_what_is_possible(key):
    session = table("Ann", "Ben", seed=1)
    session.next_hand()
    run_on(session)
    before = session.view()
    with pytest.raises(ValueError, match=r"cannot choose .*; possible: f \(fold\), 1 \(buy 1 card"):
        session.choose(key)
    assert session.view() == before


def test_what_is_not_awaited_is_refused():
    session = table("Ann", "Ben", seed=1)
    with pytest.raises(ValueError, match=r"nobody has to choose now\. Hand 1 can begin"):
        session.choose("f")
    with pytest.raises(ValueError, match="the cards of this table are shuffled"):
        session.card("Kd")
    with pytest.raises(ValueError, match="the program has nothing to do now"):
        session.step()
    with pytest.raises(ValueError, match="nobody has to act now"):
        session.advice()
    session.next_hand()
    with pytest.raises(ValueError, match="hand 1 is not over yet"):
        session.next_hand()


def test_a_computer_player_needs_a_policy_of_the_game():
    with pytest.raises(ValueError, match=r"unknown policy 'pot_odd'.*did you mean pot_odds"):
        table("Ann:pot_odd")
    with pytest.raises(ValueError, match=r"unknown policy 'buy_one'; expected one of pot_odds, c"):
        table("Ann:buy_one", game="casino-night")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "hom"}, "unknown game 'hom'; expected one of home, table-game-ii, casino-night;"),
        ({"rules": "basi"}, "unknown preset 'basi'"),
        ({"changes": {"coin": "fair"}}, "chips on a table cannot be cut"),
        ({"changes": {"hand_limit": 8}}, "a hand limit of 8"),
        ({"chips": 0}, "1 to 1,000,000 chips"),
        ({"seed": -1}, "the seed must be 0 to"),
        ({"game": "casino-night", "changes": {"jokers": 1}}, "settings of the home game"),
        ({"game": "casino-night", "rules": "website_four_players"}, "covers 4 players; expected"),
        ({"game": "casino-night", "rules": "nowhere"}, "nowhere"),
    ],
)
def test_a_setup_that_is_not_allowed(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Session.begin(Setup(**settings))


def test_shuffles_depend_on_the_seed_alone():
    def cards(seed):
        session = table("Ann:buy_one", "Ben:buy_one", seed=seed)
        session.next_hand()
        run_on(session)
        return session.ledger_text

    assert cards(7) == cards(7)
    assert cards(7) != cards(8)
    assert Session.begin(Setup()).header.seed != Session.begin(Setup()).header.seed


def test_the_deck_of_a_hand_is_the_deal_of_its_number():
    from ricochet_casino.cards.deck import format_card
    from ricochet_casino.cards.shuffle import shuffled_deck

    session = table("Ann:always_fold", "Ben:always_fold", game="casino-night", seed=11)
    for number in (1, 2):
        session.next_hand()
        run_on(session)
        dealt_cards = re.findall(r'"card":"(\w\w)"', session.ledger_text)[-7:]
        assert dealt_cards == [format_card(c) for c in shuffled_deck(11, 40, number, count=7)]


def last_hand_table(tmp_path, last_hand, chips=9):
    """Ann and Ben, the dealer Cora kicked out, Ben has folded: Ann is the last hand."""
    text = (data_folder("paytables") / "ricochet_poker" / "home_capped.yaml").read_text()
    text = text.partition("expect:")[0].replace("last_hand: free", f"last_hand: {last_hand}")
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    session = table(
        "Ann", "Ben", "Cora", game="casino-night", rules=str(file), manual=True, chips=chips
    )
    session.next_hand()
    dealt(session, "9d 9h Qs 3c As Ah Kc Kd 2c")
    session.choose("f")
    return session


def test_a_last_hand_that_may_play_gets_its_bet_back(tmp_path):
    session = last_hand_table(tmp_path, "may_play")
    view = turn(session, 3, "Ann")
    assert [choice.key for choice in view.choices if choice.legal] == ["f", "p"]
    session.choose("p")
    turn(session, 4, "Ann")
    dealt(session, "9c 9s 2h")
    assert [s.result for s in session.view().seats] == [12, -1, -11]
    session = last_hand_table(tmp_path, "may_play")
    session.choose("f")
    assert [s.result for s in session.view().seats] == [2, -1, -1]
    assert seat(session, "Ann").state == "won"


def test_a_last_hand_without_chips_cannot_play(tmp_path):
    session = last_hand_table(tmp_path, "may_play", chips=1)
    with pytest.raises(ValueError, match="play is not possible: Ann has only 0 chips, it costs 1"):
        session.choose("p")


def test_a_last_hand_that_gets_nothing_more(tmp_path):
    session = last_hand_table(tmp_path, "none")
    assert session.view().over
    assert [s.result for s in session.view().seats] == [2, -1, -1]


def test_a_ledger_stands_for_itself_without_the_paytable_file(tmp_path):
    session = last_hand_table(tmp_path, "none")
    ledger = tmp_path / "table.jsonl"
    ledger.write_text(session.ledger_text)
    (tmp_path / "mine.yaml").unlink()
    assert Session.resume(ledger).view().seats == session.view().seats


def test_a_shared_pot_and_its_odd_chip():
    session = table("Ann", "Ben", "Cora", game="casino-night", manual=True, chips=50)
    session.next_hand()
    dealt(session, "Ad Kd Ac Kc 2h 3s 5d 7c 9h")
    assert "lower suit" not in session.view().turn_why
    session.choose("p")  # Ben: the lower suit
    dealt(session, "Qs Jh 2d")
    session.choose("p")
    dealt(session, "Qh Js 2s")
    view = session.view()
    assert view.turn_why == "The hand is over: Ben and Ann share the pot."
    assert [s.result for s in view.seats] == [1, 0, -1]  # five chips: the odd one to who acted last
