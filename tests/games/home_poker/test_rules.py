"""The referee of the home game: the rulebook's example, rulings D, and what it refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricochet_casino.cards.deck import CardError, parse_card, parse_cards
from ricochet_casino.cards.partial import hand_order
from ricochet_casino.games.home_poker.narration import narrate
from ricochet_casino.games.home_poker.policies import Player, play_hand
from ricochet_casino.games.home_poker.rules import Kind, open_table
from ricochet_casino.games.home_poker.settings import PRESETS, read_settings

BASIC = PRESETS["basic"]


def dealt(table, cards):
    for card in parse_cards(cards):
        table = table.give(card)
    return table


def test_the_example_of_play_pot_by_pot():
    """Rulebook, "An Example of Play": pots 4, 7, 9, 11, 15, and whose turn it is."""
    table = open_table(BASIC, 4)
    assert table.pot == 4
    table = dealt(table, "Kd Jc 8h 7s")
    assert (table.waits, table.seat, table.most, table.pot) == ("action", 3, 4, 4)
    table = dealt(table.act(3), "2h 9c")
    assert (table.waits, table.seat, table.pot) == ("action", 2, 7)
    assert table.events[-1].kind is Kind.STOP
    assert table.events[-1].number == 1
    table = table.act(0)
    assert (table.seat, table.most, table.pot) == (3, 2, 7)
    table = dealt(table.act(2), "2d")
    assert (table.seat, table.most, table.pot) == (1, 4, 9)
    table = dealt(table.act(2), "9h Qd")
    assert table.events[-1].kind is Kind.BEATEN
    assert (table.seat, table.pot, table.live_seats) == (0, 11, (0, 3))
    table = dealt(table.act(4), "5h 8d 8s")
    assert table.events[-1].number == 1
    assert (table.seat, table.most, table.pot) == (3, 1, 15)
    assert table.dead == parse_cards("Jc 9h Qd 8h")
    # "... But even if he does, the hand is not quite over": two outcomes.
    paired = dealt(table.act(1), "9d")
    assert (paired.seat, paired.most, paired.pot, paired.over) == (0, 1, 16, False)
    missed = dealt(table.act(1), "3c")
    assert missed.over
    assert missed.net == (16 - 1 - 4, -3, -1, -1 - 3 - 2 - 1)
    assert any("wins the pot: 16 chips" in line for line in narrate(missed))


def test_going_back_is_keeping_the_old_table():
    before = dealt(open_table(BASIC, 2), "7s Kd")
    after = dealt(before.act(2), "2c Ks")
    assert (before.waits, before.seat, before.pot, len(before.events)) == ("action", 0, 2, 4)
    assert after.pot == 4
    assert dealt(before.act(2), "2c Ks") == after


def level(level_hands, coin="1"):
    """K 9 5 each, five chips in the pot; player 2 bought last and is above by suit."""
    rules = read_settings(level_hands=level_hands, coin=coin, starting_cards=2)
    table = dealt(open_table(rules, 2), "Kh Ks 9c 9d")
    table = dealt(table.act(2), "5c")
    return dealt(table.act(1), "5d")


@pytest.mark.parametrize("level_hands", ["suit", "stay"])
def test_level_hands_that_can_still_buy_go_on(level_hands):
    table = level(level_hands)
    assert (table.seat, table.most, table.over) == (0, 2, False)
    for amount, card in ((2, "4c"), (1, "4d"), (1, "2c"), (1, "2d")):
        assert not table.over
        table = dealt(table.act(amount), card)
    assert table.over  # level, and the lower one can buy no more
    assert [event.kind for event in table.events[-2:]] == [Kind.SPLIT, Kind.SPLIT]
    assert [event.chips for event in table.events[-2:]] == [5, 5]


def test_split_ends_a_hand_at_once_when_all_are_level():
    table = level("split")
    assert table.over
    assert [event.kind for event in table.events[-2:]] == [Kind.SPLIT, Kind.SPLIT]
    assert sum(table.net) == 0


def test_odd_chips_go_to_who_acted_last_and_fair_shares_are_exact():
    assert [event.chips for event in level("split").events[-2:]] == [2, 3]
    assert [event.number for event in level("split").events[-2:]] == [0, 1]
    assert [event.chips for event in level("split", "fair").events[-2:]] == [2100, 2100]


@pytest.mark.parametrize(
    ("level_hands", "kind", "seat"),
    [("suit", Kind.WIN, -1), ("stay", Kind.STAY, 0), ("split", Kind.SPLIT, -1)],
)
def test_behind_by_suit_only_after_the_last_paid_card(level_hands, kind, seat):
    """D7: out under `suit`, still in and still to act under `stay`, shared under `split`."""
    rules = read_settings(level_hands=level_hands, starting_cards=2)
    table = dealt(open_table(rules, 2), "Kh Ks 9c 8d")
    table = dealt(table.act(1), "9d")
    table = dealt(table.act(1), "8c")
    assert table.events[-1].kind is kind
    assert table.seat == seat
    if level_hands == "suit":
        assert table.events[-2].kind is Kind.BEATEN
    if level_hands == "stay":
        assert table.most == 2


def test_a_full_hand_that_becomes_lowest_is_out_without_acting():
    table = dealt(open_table(BASIC, 2), "7s Kd")
    table = dealt(table.act(4), "2c 3c 4c Ks")
    assert table.events[-1].kind is Kind.STOP
    table = dealt(table.act(1), "Kc")
    assert table.over
    assert [event.kind for event in table.events[-2:]] == [Kind.FULL, Kind.WIN]
    assert table.net == (-5, 5)


def test_chips_limit_what_can_be_bought():
    table = dealt(open_table(BASIC, 2, stacks=[3, 1]), "7s Kd")
    assert table.most == 2
    table = dealt(table.act(2), "As")
    assert (table.seat, table.most) == (1, 0)
    with pytest.raises(ValueError, match="player 2 can only fold, got 1"):
        table.act(1)
    assert table.act(0).over
    with pytest.raises(ValueError, match="player 1 has 0 chips and cannot pay the ante"):
        open_table(BASIC, 2, stacks=[0, 5])
    with pytest.raises(ValueError, match="1 stacks for 2 players"):
        open_table(BASIC, 2, stacks=[9])


@pytest.mark.parametrize("amount", [-1, 5, 99])
def test_buying_too_many(amount):
    table = dealt(open_table(BASIC, 2), "7s Kd")
    with pytest.raises(ValueError, match=r"may fold \(0\) or buy 1 to 4"):
        table.act(amount)


@pytest.mark.parametrize("amount", [True, "2", 1.0, None])
def test_an_action_is_a_number(amount):
    table = dealt(open_table(BASIC, 2), "7s Kd")
    with pytest.raises(ValueError, match="an action is a number of cards"):
        table.act(amount)


def test_cards_that_cannot_come():
    table = open_table(BASIC, 2).give(parse_card("7s"))
    with pytest.raises(CardError, match="the card 7s has been dealt to player 1"):
        table.give(parse_card("7s"))
    for card, named in ((parse_card("X2"), "X2"), (77, "77"), (-1, "-1")):
        with pytest.raises(CardError, match=f"the card {named} is not in the deck"):
            table.give(card)


def test_out_of_turn():
    table = open_table(BASIC, 2)
    with pytest.raises(ValueError, match="waits for a card for player 1, not for an action"):
        table.act(1)
    table = dealt(table, "7s Kd")
    with pytest.raises(ValueError, match="waits for an action of player 1, not for a card"):
        table.give(0)
    over = table.act(0)
    for call in (lambda: over.act(0), lambda: over.give(0)):
        with pytest.raises(ValueError, match="the hand is over"):
            call()
    with pytest.raises(ValueError, match="not over yet"):
        narrate(table)


@pytest.mark.parametrize("players", [-1, 0, 1, 9, True, 2.0])
def test_too_few_and_too_many_players(players):
    with pytest.raises(ValueError, match="players"):
        open_table(BASIC, players)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hand_limit": 8}, "more than the deck can serve"),
        ({"hand_limit": 4}, "hand_limit: 4 is not allowed; expected 5, 6 or 7"),
        ({"jokers": 3}, "jokers: 3 is not allowed"),
        ({"starting_cards": 3}, "starting_cards: 3"),
        ({"level_hands": "suits"}, "level_hands: 'suits'"),
        ({"hand_limits": 5}, "unknown setting 'hand_limits'; did you mean hand_limit"),
    ],
)
def test_settings_that_do_not_exist(changes, message):
    with pytest.raises(ValueError, match=message):
        read_settings(**changes)


def test_unknown_presets():
    with pytest.raises(ValueError, match=r"unknown preset 'basics'; .* did you mean basic"):
        read_settings("basics")


def test_a_deck_that_is_too_short():
    with pytest.raises(ValueError, match="deck of 2 cards is too short"):
        play_hand(BASIC, [Player("buy_one")] * 2, [0, 1])


ANY_SETTINGS = st.builds(
    read_settings,
    hand_limit=st.sampled_from([5, 6, 7]),
    starting_cards=st.sampled_from([1, 2]),
    jokers=st.sampled_from([0, 1, 2]),
    level_hands=st.sampled_from(["suit", "split", "stay"]),
    coin=st.sampled_from(["1", "fair"]),
    empty_stub=st.sampled_from(["cap", "reshuffle"]),
)


@settings(deadline=None, max_examples=60)
@given(ANY_SETTINGS, st.integers(2, 8), st.randoms(use_true_random=False), st.booleans())
def test_chips_and_cards_are_all_there_after_every_event(rules, players, random, poor):
    stacks = [random.randint(1, 12) for _ in range(players)] if poor else None
    table = open_table(rules, players, stacks)
    bold = random.random()
    while not table.over:
        if table.waits == "action":
            lowest = min(table.live_seats, key=lambda seat: hand_order(table.hands[seat]))
            assert table.seat == lowest
            buys = table.most > 0 and random.random() < bold
            table = table.act(random.randint(1, table.most) if buys else 0)
        else:
            table = table.give(random.choice(table.unseen))
        units = rules.unit
        assert sum(table.net) + table.pot == 0
        held = [card for hand in table.hands for card in hand]
        assert sorted([*held, *table.unseen]) == list(rules.deck)
        assert all(len(hand) <= rules.hand_limit for hand in table.hands)
        if stacks is not None:
            won = table.events[-1].kind in (Kind.WIN, Kind.SPLIT)
            for seat in range(players):
                spent = stacks[seat] - table.stacks[seat]
                assert spent <= stacks[seat]
                assert won or table.net[seat] == -spent * units
    assert table.pot == 0
    winners = [event.seat for event in table.events if event.kind in (Kind.WIN, Kind.SPLIT)]
    assert set(winners) == set(table.live_seats)
    if len(winners) > 1:
        assert len({hand_order(table.hands[seat])[:2] for seat in winners}) == 1


def test_a_new_stub_is_made_of_the_cards_that_are_out():
    rules = read_settings(hand_limit=7, empty_stub="reshuffle")
    tables = [
        play_hand(rules, [Player("buy_maximum")] * 8, deck, seed=4, deal=n)
        for n, deck in enumerate([*range(n, 52), *range(n)] for n in (0, 7, 20, 33))
    ]
    reshuffled = [table for table in tables if table.reshuffles]
    assert reshuffled
    for table in reshuffled:
        cards = [event.card for event in table.events if event.card >= 0]
        assert len(cards) > 52
        assert any("become a new stub" in line for line in narrate(table))
