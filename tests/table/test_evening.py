"""People and chips: names, seats, rotation, and that chips are neither made nor lost."""

import json
from random import Random

import pytest

from ricochet_casino.table.evening import Evening
from ricochet_casino.table.replay import replay
from ricochet_casino.table.session import Session
from ricochet_casino.table.setup import Setup
from ricochet_casino.table.view import Pending


def seated(*names, chips=10, **settings):
    evening = Evening(**settings)
    for name in names:
        evening = evening.sit(name, chips)
    return evening


@pytest.mark.parametrize("name", ["Ann", "ann", "ANN"])
def test_a_name_can_be_at_the_table_once(name):
    with pytest.raises(ValueError, match="Ann is at the table already: expected another name"):
        seated("Ann").sit(name, 5)


@pytest.mark.parametrize("name", ["", "1", "two words", "a:b", "x" * 17, "-", "tab\t", "\x1b[31m"])
def test_a_name_is_one_word(name):
    with pytest.raises(ValueError, match="cannot be a name at the table"):
        Evening().sit(name, 5)


@pytest.mark.parametrize("number", [0, -1, 1_000_001, True, 2.0, "5"])
def test_chips_are_bought_one_to_a_million(number):
    with pytest.raises(ValueError, match=r"whole numbers|1 to 1,000,000 chips"):
        Evening().sit("Ann", number)
    with pytest.raises(ValueError, match=r"whole numbers|1 to 1,000,000 chips"):
        seated("Ann").buy("Ann", number)


def test_a_full_table_takes_nobody():
    evening = seated(*"ABCDEFGH")
    with pytest.raises(ValueError, match="the table is full: it has 8 seats"):
        evening.sit("I", 5)
    assert len(evening.leave("C").sit("I", 5).seated) == 8


def test_who_comes_back_has_the_old_place_and_the_old_account():
    evening = seated("Ann", "Ben", "Cora").leave("Ben").sit("ben", 7)
    assert [person.name for person in evening.seated] == ["Ann", "Ben", "Cora"]
    ben = evening.person("BEN")
    assert (ben.bought, ben.taken, ben.chips, ben.ahead) == (17, 10, 7, 0)


def test_an_unknown_name_is_told_the_nearest_one():
    with pytest.raises(ValueError, match=r"nobody .* 'Corra'; there are Ann, Cora; did you mean"):
        seated("Ann", "Cora").leave("Corra")


def test_the_dealer_passes_over_who_is_broke_or_gone():
    evening = seated("Ann", "Ben", "Cora", "Dan")
    assert evening.next_dealer() == "Dan"  # so that Ann gets the first card of the evening
    assert evening.from_left_of("Dan") == ("Ann", "Ben", "Cora", "Dan")
    evening = evening.after_hand("Dan", {"Ann": -10, "Ben": 10})
    assert evening.next_dealer() == "Ben"
    assert evening.from_left_of("Ben") == ("Cora", "Dan", "Ben")
    assert evening.leave("Dan").leave("Ben").buy("Ann", 1).next_dealer() == "Ann"


def test_who_owes_more_than_is_there_buys_it():
    evening = seated("Ann", "Ben", chips=3).after_hand("Ben", {"Ann": 10, "Ben": -10})
    assert evening.person("Ben").chips == 0
    assert evening.person("Ben").bought == 10
    assert evening.person("Ben").ahead == -10


def test_chips_that_do_not_sum_to_zero_are_an_error_of_ours():
    with pytest.raises(AssertionError, match="does not sum to zero but to 1"):
        seated("Ann", "Ben").after_hand("Ben", {"Ann": 2, "Ben": -1})


POLICIES = {
    "home": ("random", "buy_one", "buy_maximum", "pot_odds"),
    "casino-night": ("always_play", "pairs_and_big_cards", "always_fold", "pot_odds"),
}


def evening_of(game, hands, seed, **settings):
    """People join, leave, go broke and buy again, all by chance; the whole ledger."""
    chance = Random(seed)
    session = Session.begin(Setup(game, seed=seed, chips=chance.randrange(3, 15), **settings))
    played = went_broke = 0
    while played < hands:
        names = [seat.name for seat in session.view().seats]
        broke = [seat.name for seat in session.view().seats if seat.state == "broke"]
        went_broke += len(broke)
        for name in broke:
            if chance.random() < 0.5:
                session.rebuy(name, chance.randrange(1, 20))
            else:
                session.leave(name)
        names = [seat.name for seat in session.view().seats]
        if len(names) > 2 and chance.random() < 0.05:
            session.leave(chance.choice(names))
        if len(names) < 3 or (len(names) < 8 and chance.random() < 0.2):
            free = [name for name in "ABCDEFGHIJKL" if name not in names]
            session.sit(chance.choice(free), policy=chance.choice(POLICIES[game]))
        if session.pending is not Pending.NEXT:
            continue
        session.next_hand()
        while session.pending in (Pending.DEAL, Pending.COMPUTER):
            session.step()
        played += 1
    assert went_broke > 10
    return session


def added_up(text):
    """Chips on the table from the ledger's own lines, without any of our rules."""
    bought = taken = 0
    stacks = {}
    for line in text.splitlines()[1:]:
        event = json.loads(line)
        match event["kind"]:
            case "sit" | "buy":
                name = event["who"]
                stacks[name] = stacks.get(name, 0) + event["chips"]
                bought += event["chips"]
            case "leave":
                assert stacks.pop(event["who"]) == event["chips"]
                taken += event["chips"]
            case "end":
                assert sum(event["net"]) == 0
                bought += event["owed"]
                stacks[event["names"][-1]] += event["owed"]
                for name, net in zip(event["names"], event["net"], strict=True):
                    stacks[name] += net
                assert min(stacks.values()) >= 0
    return bought, taken, stacks


@pytest.mark.parametrize(
    ("game", "hands", "seed"),
    [
        ("home", 200, 1),
        ("casino-night", 200, 2),
        pytest.param("home", 1000, 3, marks=pytest.mark.slow),
        pytest.param("casino-night", 1000, 4, marks=pytest.mark.slow),
    ],
)
def test_chips_sum_to_zero_over_an_evening(game, hands, seed, tmp_path):
    session = evening_of(game, hands, seed)
    session.rebuy(session.view().seats[0].name, 1)  # closes the last hand
    bought, taken, stacks = added_up(session.ledger_text)
    evening = session.state.evening
    assert bought == taken + sum(stacks.values())
    assert evening.hands == hands
    assert sum(person.ahead for person in evening.people) == 0
    assert {person.name: person.chips for person in evening.seated} == stacks
    file = tmp_path / "evening.jsonl"
    file.write_text(session.ledger_text)
    found = replay(file)
    assert found.state.evening == evening
    assert found.to_json()["sum"] == 0
    if game == "casino-night" and hands == 1000:
        assert any(hand.owed for hand in found.hands)  # a dealer who could not pay, at times


def test_jokers_seven_cards_and_a_new_stub_sum_to_zero_too(tmp_path):
    changes = {"jokers": 2, "empty_stub": "reshuffle"}
    session = Session.begin(Setup("home", "seven_cards", changes, seed=3, chips=60))
    for name in "ABCDEFGH":
        session.sit(name, policy="buy_maximum")
    for _ in range(12):
        for seat in session.view().seats:
            if seat.chips < 30:
                session.rebuy(seat.name)
        session.next_hand()
        while session.pending in (Pending.DEAL, Pending.COMPUTER):
            session.step()
    file = tmp_path / "stubs.jsonl"
    file.write_text(session.ledger_text)
    found = replay(file)
    assert any(hand.hand.stub.number for hand in found.hands)
    assert found.to_json()["sum"] == 0
