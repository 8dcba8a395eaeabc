"""The referee: rounds built by hand for every ruling, and random rounds checked twice over.

The checks at the end share no code with the referee: an accountant replays the event list, and a
second, order-free implementation goes straight from the actions to everybody's chips.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricochet_casino.cards.classes import (
    N_CLASSES,
    ROYAL_FLUSH,
    Category,
    class_of_ranks,
    first_of_category,
)
from ricochet_casino.cards.deck import RANKS, STANDARD_DECK, CardError, parse_cards
from ricochet_casino.cards.partial import Reading
from ricochet_casino.games.ricochet_poker.narration import narrate
from ricochet_casino.games.ricochet_poker.paytable import Line, Rules, SideLine
from ricochet_casino.games.ricochet_poker.round import (
    DEALER,
    Event,
    Kind,
    Policy,
    Round,
    Table,
)
from ricochet_casino.games.ricochet_poker.rules import (
    SideBet,
    cover_bet,
    play_round,
    quickdraw_bet,
)
from ricochet_casino.games.ricochet_poker.strategy import always_fold, always_play, policy_named

BONUSES = {
    "straight": (Category.STRAIGHT, 2),
    "flush": (Category.FLUSH, 5),
    "full_house": (Category.FULL_HOUSE, 10),
    "four_of_a_kind": (Category.FOUR_OF_A_KIND, 25),
    "straight_flush": (Category.STRAIGHT_FLUSH, 100),
}
ROYAL_BONUS = 1000


def class_of_text(text: str) -> int:
    return class_of_ranks([RANKS.index(rank) for rank in text])


def make_rules(
    players: int,
    *,
    kickout: int | str = N_CLASSES,
    last_hand: str = "free",
    fair: bool = False,
    ante: int = 1,
    dealer_ante: int = 1,
    play_bet: int = 1,
) -> Rules:
    """The rulebook's bonuses; amounts in chips, a kickout such as ``KKQ32`` or as a class."""
    scale = lcm(*range(1, players + 1)) if fair else 1
    lines = [
        Line(name, first_of_category()[category], pays * play_bet * scale)
        for name, (category, pays) in BONUSES.items()
    ]
    lines.append(Line("royal_flush", ROYAL_FLUSH, ROYAL_BONUS * play_bet * scale))
    return Rules(
        players=players,
        unit=Fraction(1, scale),
        ante=ante * scale,
        dealer_ante=dealer_ante * scale,
        play_bet=play_bet * scale,
        kickout_class=class_of_text(kickout) if isinstance(kickout, str) else kickout,
        lines=tuple(lines),
        last_hand=last_hand,
        when_equal="play",
        fair_split=fair,
    )


def make_deck(holes: str, dealer: str, stub: str = "") -> tuple[int, ...]:
    """The cards named, in this order, then all others."""
    named = parse_cards(f"{holes} {dealer} {stub}")
    return (*named, *(card for card in STANDARD_DECK if card not in named))


def seats_play(*seats: int) -> Policy:
    return lambda table: table.seat in seats


def asked_for_each(policy: Policy) -> tuple[Policy, list[Table]]:
    """The policy, and the list of tables on which it will have been asked."""
    tables: list[Table] = []

    def asked(table: Table) -> bool:
        tables.append(table)
        return policy(table)

    return asked, tables


def steps(round_: Round, *kinds: Kind) -> list[tuple[Kind, int]]:
    return [(event.kind, event.seat) for event in round_.events if event.kind in kinds]


# A1: who acts, in what order


def test_a1_lowest_hand_acts_first_pairs_last_and_suit_of_the_higher_card_breaks_ties() -> None:
    deck = make_deck("Ks Qd  Kh Qs  2c 2d  As Kd  4h 3s  Kc Qc  2h 2s", "7c 8d 9h Jc 3d")
    asked, tables = asked_for_each(always_fold)
    round_ = play_round(make_rules(7), deck, asked)
    assert round_.order == (4, 5, 1, 0, 3, 2, 6)
    assert [table.seat for table in tables] == [4, 5, 1, 0, 3, 2, 6]
    assert [table.waiting for table in tables][-3:] == [(2, 6), (6,), ()]


def test_a1_each_player_acts_once_in_the_order_fixed_at_the_deal() -> None:
    # Player 2 becomes the lowest hand again by completing to 7 5 4 3 2, but does not act again.
    deck = make_deck("Kc Qc  3c 2d  8c 6h", "2c 3d 4h 5s 8d", "4c 5d 7h  8h 8s 6c  Ah Kh Jd")
    asked, tables = asked_for_each(always_play)
    round_ = play_round(make_rules(3), deck, asked)
    assert [table.seat for table in tables] == [1, 2, 0]
    assert steps(round_, Kind.ACT) == [(Kind.ACT, 1), (Kind.ACT, 2), (Kind.ACT, 0)]


# A2: what is in the pot


def test_a2_the_pot_is_antes_and_play_bets() -> None:
    rules = make_rules(2, ante=2, dealer_ante=3, play_bet=5)
    deck = make_deck("Ac Ad  Kc 7d", "2c 3d 4h 5s 8d", "9c 9d Th  Ah Qs Jd")
    round_ = play_round(rules, deck, always_play)
    pots = [event.pot for event in round_.events if event.chips]
    assert pots == [2, 4, 7, 12, 17, 0]
    assert round_.shares == (17, 0)
    assert round_.bets == (7, 7)
    assert (round_.net, round_.dealer_net) == ((10, -7), -3)


def test_a2_a_fold_loses_the_ante_only() -> None:
    round_ = play_round(make_rules(1), make_deck("3c 2d", "Kc Qd Jh 9s 8d"), always_fold)
    assert round_.actions == ("fold",)
    assert (round_.net, round_.dealer_net, round_.bets) == ((-1,), 1, (1,))
    assert round_.dealer_wins
    assert round_.classes == (-1,)


# A3: the kickout means this hand or better


@pytest.mark.parametrize(
    ("players", "kickout", "out", "stays"),
    [
        (1, "KKQ32", "Kc Kd Qh 3s 2c", "Kc Kd Jh Ts 9c"),
        (2, "AAQ32", "Ac Ad Qh 3s 2c", "Ac Ad Jh Ts 9c"),
        (3, "TT223", "Tc Td 2h 2s 3c", "9c 9d 8h 8s Ac"),
        (4, "AA223", "Ac Ad 2h 2s 3c", "Kc Kd Qh Qs Ac"),
        (5, "22243", "2c 2d 2h 3s 4c", "Ac Ad Kh Ks Qc"),
        (6, "QQQ32", "Qc Qd Qh 3s 2c", "Jc Jd Jh As Kc"),
        (7, "5432A", "5c 4d 3h 2s Ac", "Ac Ad Ah Ks Qc"),
    ],
)
def test_a3_kickout_from_the_named_hand_upwards(
    players: int, kickout: str, out: str, stays: str
) -> None:
    rules = make_rules(players, kickout=kickout)
    for dealer, expected in ((out, True), (stays, False)):
        cards = parse_cards(dealer)
        rest = [card for card in STANDARD_DECK if card not in cards]
        deck = (*rest[: 2 * players], *cards, *rest[2 * players :])
        round_ = play_round(rules, deck, always_play)
        assert round_.kicked_out is expected
        assert steps(round_, Kind.KICKOUT) == ([(Kind.KICKOUT, DEALER)] if expected else [])


def test_a3_no_kickout_keeps_even_a_royal_flush_in() -> None:
    round_ = play_round(make_rules(1), make_deck("3c 2d", "As Ks Qs Js Ts"), always_play)
    assert not round_.kicked_out
    assert round_.dealer_class == ROYAL_FLUSH
    assert round_.dealer_wins


# A4: what a kickout means


def test_a4_kicked_out_dealer_leaves_her_ante_and_the_players_still_act_in_order() -> None:
    deck = make_deck("9c 8d  3c 2d", "Ac Ad Kh Ks 4c", "7c 7d 4h  9h Js Td")
    asked, tables = asked_for_each(always_play)
    round_ = play_round(make_rules(2, kickout="KKQ32"), deck, asked)
    assert [(table.seat, table.dealer_in, table.to_beat) for table in tables] == [
        (1, False, -1),
        (0, False, class_of_text("77432")),
    ]
    assert round_.kicked_out
    assert not round_.dealer_wins
    # A pair of nines takes a pot of three antes and two play bets from a pair of sevens.
    assert (round_.net, round_.dealer_net) == ((3, -2), -1)


def test_a4_side_bets_resolve_on_the_cards_dealt_whatever_the_kickout() -> None:
    deck = make_deck("Ac Kd", "Qc Jd 9h 8s 7c")
    bets = [
        quickdraw_bet(0, 2, Fraction(5)),
        cover_bet(0, 1, [SideLine("pair_of_fives", class_of_text("55432"), Fraction(1))]),
    ]
    for kickout in (0, N_CLASSES):
        rules = make_rules(1, kickout=kickout)
        round_ = play_round(rules, deck, always_fold, side_bets=bets)
        assert round_.side_net == (10 - 1,)
        assert round_.dealer_side_net == -9
        side_bets = [event for event in round_.events if event.kind is Kind.SIDE_BET]
        assert [event.chips for event in side_bets] == [10, -1]
        assert sum(round_.net) + round_.dealer_net == 0  # kept apart from the main game


# A5: the last hand standing with two cards

ALONE = make_deck("7c 6d  3c 2d", "Ac Ad Kh Ks 4c", "5d 4d 3d  Ts 9s 8s")
STRAIGHT = class_of_text("76543")


def test_a5_free_wins_unasked_without_a_bet_and_draws_for_the_bonus() -> None:
    asked, tables = asked_for_each(always_fold)
    round_ = play_round(make_rules(2, kickout=0), ALONE, asked)
    assert [table.seat for table in tables] == [1]
    assert round_.actions == ("last hand", "fold")
    assert round_.bets == (1, 1)
    assert round_.shares == (3, 0)
    assert round_.classes == (STRAIGHT, -1)
    assert round_.bonus_lines == (0, -1)
    assert (round_.net, round_.dealer_net) == ((2 + 2, -1), -3)
    (completion,) = [event for event in round_.events if event.kind is Kind.COMPLETION]
    assert completion.detail == "free"


def test_a5_may_play_returns_the_bet_and_pays_the_bonus() -> None:
    asked, tables = asked_for_each(seats_play(0))
    round_ = play_round(make_rules(2, kickout=0, last_hand="may_play"), ALONE, asked)
    assert [table.seat for table in tables] == [1, 0]
    assert round_.actions == ("play", "fold")
    assert round_.bets == (2, 1)
    assert round_.shares == (3, 0)
    assert round_.bonus_lines == (0, -1)
    assert (round_.net, round_.dealer_net) == ((2 + 2, -1), -3)
    (returned,) = [event for event in round_.events if event.kind is Kind.RETURN]
    assert (returned.seat, returned.chips, returned.pot) == (0, 1, 3)


def test_a5_may_play_declined_takes_the_pot_as_neither_fold_nor_play() -> None:
    round_ = play_round(make_rules(2, kickout=0, last_hand="may_play"), ALONE, always_fold)
    assert round_.actions == ("last hand", "fold")
    assert round_.bets == (1, 1)
    assert round_.classes == (-1, -1)
    assert (round_.net, round_.dealer_net) == ((2, -1), -1)
    assert [e.detail for e in round_.events if e.kind is Kind.ACT] == ["fold", "decline"]


def test_a5_none_takes_the_pot_without_cards() -> None:
    asked, tables = asked_for_each(always_fold)
    round_ = play_round(make_rules(2, kickout=0, last_hand="none"), ALONE, asked)
    assert [table.seat for table in tables] == [1]
    assert round_.actions == ("last hand", "fold")
    assert round_.classes == (-1, -1)
    assert round_.bonus_lines == (-1, -1)
    assert (round_.net, round_.dealer_net) == ((2, -1), -1)


@pytest.mark.parametrize("last_hand", ["free", "none"])
def test_a5_a_single_player_stands_alone_as_soon_as_the_dealer_is_kicked_out(
    last_hand: str,
) -> None:
    def never_asked(_table: Table) -> bool:
        raise AssertionError("the last hand standing does not act")

    deck = make_deck("7c 6d", "Ac Ad Kh Ks 4c", "5d 4d 3d")
    round_ = play_round(make_rules(1, kickout=0, last_hand=last_hand), deck, never_asked)
    assert round_.net == (3 if last_hand == "free" else 1,)


def test_a5_nobody_stands_alone_while_the_dealer_is_in() -> None:
    asked, tables = asked_for_each(always_fold)
    round_ = play_round(make_rules(2), ALONE, asked)
    assert [table.seat for table in tables] == [1, 0]
    assert round_.dealer_wins
    assert (round_.net, round_.dealer_net) == ((-1, -1), 2)


# A6: two cards never win against a live five-card hand


def test_a6_two_aces_must_play_or_fold_against_a_live_five_card_hand() -> None:
    deck = make_deck("Ac As  3c 2d", "Kc Kd Qh Js 4c", "7c 5d 4h  8h 9s Jd")
    rules = make_rules(2, kickout=0)
    asked, tables = asked_for_each(seats_play(1))
    round_ = play_round(rules, deck, asked)
    assert [table.seat for table in tables] == [1, 0]
    assert round_.classes == (-1, class_of_text("75432"))
    assert round_.shares == (0, 4)
    assert round_.actions == ("fold", "play")


# A7: out as soon as beaten by a live five-card hand


def test_a7_beaten_hands_are_out_at_once_the_dealer_included() -> None:
    deck = make_deck("5c 4d  9c 8d  Ac Kd", "Qc Jh 7s 3h 2h", "5d 4c Ts  9h 9s Jd  As 6c 6d")
    asked, tables = asked_for_each(always_play)
    round_ = play_round(make_rules(3), deck, asked)
    assert round_.order == (0, 1, 2)
    # Two pair beat the dealer, three nines beat two pair, and aces up are beaten on arrival.
    assert steps(round_, Kind.COMPLETION, Kind.OUT) == [
        (Kind.COMPLETION, 0),
        (Kind.OUT, DEALER),
        (Kind.COMPLETION, 1),
        (Kind.OUT, 0),
        (Kind.COMPLETION, 2),
        (Kind.OUT, 2),
    ]
    assert [table.dealer_in for table in tables] == [True, False, False]
    assert [table.live for table in tables] == [
        (True, True, True),
        (True, True, True),
        (False, True, True),
    ]
    assert [table.to_beat for table in tables] == [
        class_of_text("QJ732"),
        class_of_text("5544T"),
        class_of_text("999J8"),
    ]
    assert round_.net == (-2, 7 - 2, -2)


def test_a7_a_hand_below_the_dealer_is_out_and_cannot_win_later() -> None:
    deck = make_deck("3c 2d  9c 8d", "Ac Ad 7s 6h 4c", "5d 5c Ts  Jh 4s Kd")
    round_ = play_round(make_rules(2), deck, always_play)
    assert steps(round_, Kind.OUT) == [(Kind.OUT, 0), (Kind.OUT, 1)]
    assert round_.dealer_wins
    assert (round_.net, round_.dealer_net) == ((-2, -2), 4)


def test_a7_a_folded_hand_is_no_longer_live() -> None:
    deck = make_deck("3c 2d  9c 8d", "Ac Ad 7s 6h 4c")
    asked, tables = asked_for_each(seats_play(1))
    play_round(make_rules(2), deck, asked)
    assert tables[1].folded == (0,)
    assert tables[1].live == (False, True)
    assert tables[1].hole == parse_cards("9c 8d")


# A8: ties


def test_a8_the_dealer_loses_a_tie_and_is_out_at_once() -> None:
    deck = make_deck("Kc Qd", "Kd Qh Js 9c 8d", "Jc 9d 8h")
    round_ = play_round(make_rules(1), deck, always_play)
    assert round_.classes == (round_.dealer_class,)
    assert steps(round_, Kind.OUT) == [(Kind.OUT, DEALER)]
    assert (round_.net, round_.dealer_net) == ((1,), -1)


TIE_OF_TWO = make_deck("Kd Qc  3c 2d  Kc Qd", "2c 3d 5h 7s 8c", "As Jc 9d  Ah Jd 9h")


def test_a8_an_odd_coin_goes_to_the_tied_player_who_acted_last() -> None:
    # Three antes, the dealer's two chips and two play bets make seven.
    rules = make_rules(3, dealer_ante=2)
    round_ = play_round(rules, TIE_OF_TWO, seats_play(0, 2))
    assert round_.order == (1, 2, 0)
    assert round_.shares == (4, 0, 3)
    assert (round_.net, round_.dealer_net) == ((2, -1, 1), -2)
    splits = [event for event in round_.events if event.kind is Kind.SPLIT]
    assert [(e.seat, e.chips, e.odd_chips, e.pot) for e in splits] == [(2, 3, 0, 4), (0, 4, 1, 0)]
    assert steps(round_, Kind.SHOWDOWN) == [(Kind.SHOWDOWN, 2), (Kind.SHOWDOWN, 0)]
    assert steps(round_, Kind.OUT) == [(Kind.OUT, DEALER)]


TIE_OF_THREE = make_deck("Ks Qd  Kc Qh  Kd Qs", "2c 3d 5h 7s 8c", "As Jc 9d  Ah Jd 9h  Ad Js 9c")


@pytest.mark.parametrize(
    ("dealer_ante", "shares"),
    [(3, (3, 3, 3)), (1, (3, 2, 2)), (2, (3, 2, 3))],
)
def test_a8_odd_coins_go_one_each_from_the_last_backwards(
    dealer_ante: int, shares: tuple[int, ...]
) -> None:
    round_ = play_round(make_rules(3, dealer_ante=dealer_ante), TIE_OF_THREE, always_play)
    assert round_.order == (1, 2, 0)
    assert round_.shares == shares


def test_a8_hands_that_tie_go_out_together_when_a_third_beats_them() -> None:
    deck = make_deck("Ks Qd  Kc Qh  Ad 2s", "2c 3d 5h 7s 8c", "As Jc 9d  Ah Jd 9h  Ac 2d 6h")
    round_ = play_round(make_rules(3), deck, always_play)
    assert steps(round_, Kind.OUT) == [(Kind.OUT, DEALER), (Kind.OUT, 1), (Kind.OUT, 0)]
    assert round_.shares == (0, 0, 7)


def test_a8_fair_coin_shares_exactly() -> None:
    rules = make_rules(3, fair=True)
    round_ = play_round(rules, TIE_OF_THREE, always_play)
    assert [share * rules.unit for share in round_.shares] == [Fraction(7, 3)] * 3
    assert all(event.odd_chips == 0 for event in round_.events)


def test_a8_fair_coin_refuses_a_unit_too_coarse_for_the_split() -> None:
    rules = replace(make_rules(3), fair_split=True)
    with pytest.raises(AssertionError, match="pot of 7 cannot be shared by 3"):
        play_round(rules, TIE_OF_THREE, always_play)


# A9: who gets a bonus


def test_a9_a_hand_beaten_on_arrival_still_earns_its_bonus() -> None:
    deck = make_deck("7c 6d", "Ac Ad Ah As 4c", "5d 4d 3d")
    round_ = play_round(make_rules(1), deck, always_play)
    assert steps(round_, Kind.BONUS, Kind.OUT) == [(Kind.BONUS, 0), (Kind.OUT, 0)]
    assert (round_.net, round_.dealer_net) == ((0,), 0)


def test_a9_a_hand_beaten_later_keeps_its_bonus() -> None:
    deck = make_deck("7c 6d  9s 8s", "Ac Kd Qh Js 4c", "5d 4d 3d  2s 3s 4s")
    round_ = play_round(make_rules(2), deck, always_play)
    assert round_.bonus_lines == (0, 1)
    assert (round_.net, round_.dealer_net) == ((-2 + 2, 3 + 5), -1 - 7)


def test_a9_the_dealer_never_gets_a_bonus() -> None:
    deck = make_deck("7c 6d", "As Ks Qs Js Ts", "9d 4d 3d")
    round_ = play_round(make_rules(1), deck, always_play)
    assert steps(round_, Kind.BONUS) == []
    assert round_.dealer_net == 2


@pytest.mark.parametrize(
    ("hole", "stub", "line", "pays"),
    [
        ("Ac Ad", "Ah Kc Qd", -1, 0),
        ("Ac 2d", "3h 4c 5d", 0, 2),
        ("Ac 9c", "7c 4c 2c", 1, 5),
        ("Ac Ad", "Ah 4c 4d", 2, 10),
        ("Ac Ad", "Ah As 4d", 3, 25),
        ("Kc Qc", "Jc Tc 9c", 4, 100),
        ("Ac Kc", "Qc Jc Tc", 5, 1000),
    ],
)
def test_a9_the_best_line_pays_once(hole: str, stub: str, line: int, pays: int) -> None:
    round_ = play_round(make_rules(1), make_deck(hole, "2s 3s 5s 7h 8h", stub), always_play)
    assert round_.bonus_lines == (line,)
    assert round_.net == (1 + pays,)


# A10: a bonus is paid on the play bet


@pytest.mark.parametrize("last_hand", ["free", "may_play"])
def test_a10_bonus_on_the_play_bet_and_the_same_chips_for_a_free_completion(
    last_hand: str,
) -> None:
    deck = make_deck("7c 6d", "Ac Kd Qh Js 4c", "5d 4d 3d")
    for kickout in (0, N_CLASSES):
        rules = make_rules(1, kickout=kickout, play_bet=3, last_hand=last_hand)
        round_ = play_round(rules, deck, always_play)
        assert round_.net == (1 + 6,)  # the dealer's ante, and 2 to 1 on a play bet of 3


# A11, A12: side bets


def test_a11_quickdraw_tie_has_two_readings() -> None:
    deck = make_deck("Ac Kd", "Ad Kc 9h 8s 7c")
    readings: tuple[tuple[Reading, int], ...] = (("first_two", 5), ("kicker_wins", -1))
    for tie, net in readings:
        bets = [quickdraw_bet(0, 1, Fraction(5), tie)]
        assert play_round(make_rules(1), deck, always_fold, side_bets=bets).side_net == (net,)


@pytest.mark.parametrize(("dealer", "net"), [("4c 4d Ah Kc Qs", -2), ("5c 5d 4h 3c 2s", 2),
                                             ("As Ks Qs Js Ts", 1000)])  # fmt: skip
def test_a12_cover_pays_the_best_line_on_the_dealers_cards(dealer: str, net: int) -> None:
    lines = [
        SideLine("pair_of_fives", class_of_text("55432"), Fraction(1)),
        SideLine("royal_flush", ROYAL_FLUSH, Fraction(500)),
    ]
    deck = make_deck("7c 6d", dealer)
    round_ = play_round(make_rules(1), deck, always_fold, side_bets=[cover_bet(0, 2, lines)])
    assert round_.side_net == (net,)


# Bad input


def test_bad_decks_and_tables_are_refused() -> None:
    deck = list(STANDARD_DECK)
    with pytest.raises(CardError, match="twice"):
        play_round(make_rules(1), [0, *deck[:51]], always_play)
    with pytest.raises(CardError, match="52 is not a card code"):
        play_round(make_rules(1), [52, *deck], always_play)
    with pytest.raises(ValueError, match="a deck of 39 cards"):
        play_round(make_rules(7), deck[:39], always_play)
    with pytest.raises(ValueError, match="3 policies for 2 players"):
        play_round(make_rules(2), deck, [always_play] * 3)
    with pytest.raises(ValueError, match="8 players"):
        play_round(make_rules(8), deck, always_play)
    with pytest.raises(ValueError, match="last_hand 'maybe'"):
        play_round(make_rules(1, kickout=0, last_hand="maybe"), deck, always_play)


def test_bad_side_bets_are_refused() -> None:
    deck = STANDARD_DECK
    for bet, message in (
        (SideBet(1, "cover", 1, lambda _hole, _dealer: None), "no such player"),
        (SideBet(0, "cover", 0, lambda _hole, _dealer: None), "at least 1"),
        (SideBet(0, "cover", 1, lambda _hole, _dealer: Fraction(3, 2)), "not whole units"),
    ):
        with pytest.raises(ValueError, match=message):
            play_round(make_rules(1), deck, always_play, side_bets=[bet])
    half = SideBet(0, "cover", 2, lambda _hole, _dealer: Fraction(3, 2))
    assert play_round(make_rules(1), deck, always_play, side_bets=[half]).side_net == (3,)


def test_the_shortest_deck_serves_seven_players() -> None:
    deck = STANDARD_DECK[:40]
    round_ = play_round(make_rules(7), deck, always_play)
    assert [card for event in round_.events for card in dealt(event)] == list(deck)


# Strategies with names


def test_fixed_strategies_by_name() -> None:
    assert policy_named("always_play") is always_play
    assert policy_named("always_fold") is always_fold
    with pytest.raises(ValueError, match="did you mean always_play"):
        policy_named("always_paly")
    with pytest.raises(ValueError, match="depends on the rules"):
        policy_named("collective")


# The round in words


def test_narration_tells_every_step_with_the_pot() -> None:
    round_ = play_round(make_rules(3, dealer_ante=2), TIE_OF_TWO, seats_play(0, 2))
    assert narrate(round_, make_rules(3, dealer_ante=2)) == [
        "Player 1 antes 1 chip and is dealt K♦ Q♣. Pot: 1 chip.",
        "Player 2 antes 1 chip and is dealt 3♣ 2♦. Pot: 2 chips.",
        "Player 3 antes 1 chip and is dealt K♣ Q♦. Pot: 3 chips.",
        "Dealer antes 2 chips and is dealt 2♣ 3♦ 5♥ 7♠ 8♣: eight high (8 7 5 3 2). Pot: 5 chips.",
        "Order of action, lowest hand first: Player 2, Player 3, Player 1.",
        "Player 2 (3♣ 2♦) folds. Pot: 5 chips.",
        "Player 3 (K♣ Q♦) plays for 1 chip. Pot: 6 chips.",
        "Player 3 receives A♠ J♣ 9♦: ace high (A K Q J 9). Pot: 6 chips.",
        "Dealer is out: eight high (8 7 5 3 2) is beaten. Pot: 6 chips.",
        "Player 1 (K♦ Q♣) plays for 1 chip. Pot: 7 chips.",
        "Player 1 receives A♥ J♦ 9♥: ace high (A K Q J 9). Pot: 7 chips.",
        "Player 3 remains with ace high (A K Q J 9). Pot: 7 chips.",
        "Player 1 remains with ace high (A K Q J 9). Pot: 7 chips.",
        "Player 3 gets a share of the pot: 3 chips. Pot: 4 chips.",
        "Player 1 gets a share of the pot: 4 chips, odd coin included (1 chip). Pot: 0 chips.",
        "Player 1: +2 chips.",
        "Player 2: -1 chip.",
        "Player 3: +1 chip.",
        "Dealer: -2 chips.",
    ]


def test_narration_of_a_last_hand_with_side_bets_and_shares_of_a_chip() -> None:
    rules = make_rules(2, kickout=0, fair=True, last_hand="may_play")
    bets = [quickdraw_bet(1, 1, Fraction(5)), quickdraw_bet(0, 1, Fraction(5))]
    round_ = play_round(rules, ALONE, seats_play(0), side_bets=bets)
    lines = narrate(round_, rules, style="ascii")
    assert lines[3:] == [
        "Player 2 loses 1/2 chips with the Quickdraw Bet. Pot: 3 chips.",
        "Player 1 loses 1/2 chips with the Quickdraw Bet. Pot: 3 chips.",
        "Dealer is kicked out with two pair, aces and kings with 4; her ante stays in the pot. "
        "Pot: 3 chips.",
        "Order of action, lowest hand first: Player 2, Player 1.",
        "Player 2 (3c 2d) folds. Pot: 3 chips.",
        "Player 1 (7c 6d) is the last hand standing. Pot: 3 chips.",
        "Player 1 (7c 6d) plays for 1 chip. Pot: 4 chips.",
        "Player 1 receives 5d 4d 3d: straight, seven high. Pot: 4 chips.",
        "Player 1 earns the straight bonus: 2 chips from the dealer. Pot: 4 chips.",
        "Player 1 gets the play bet of 1 chip back. Pot: 3 chips.",
        "Player 1 remains with straight, seven high. Pot: 3 chips.",
        "Player 1 takes the pot: 3 chips. Pot: 0 chips.",
        "Player 1: +4 chips, side bets -1/2 chips.",
        "Player 2: -1 chip, side bets -1/2 chips.",
        "Dealer: -3 chips, side bets +1 chip.",
    ]


def test_an_unrecorded_round_is_the_same_but_cannot_be_told() -> None:
    rules = make_rules(3, dealer_ante=2)
    told = play_round(rules, TIE_OF_TWO, seats_play(0, 2))
    untold = play_round(rules, TIE_OF_TWO, seats_play(0, 2), record=False)
    assert untold.events == ()
    assert untold == told._replace(events=())
    with pytest.raises(ValueError, match="record=True"):
        narrate(untold, rules)


# Random rounds: an accountant, a second implementation, and what a policy sees


class Case(NamedTuple):
    rules: Rules
    deck: tuple[int, ...]
    seed: int
    boldness: float


def twin_deck(players: int, chance: random.Random) -> tuple[int, ...]:
    """A deck on which up to four players' completed hands tie, unless one is a flush."""
    ranks = chance.sample(range(13), 5)
    suits = [chance.sample(range(4), 4) for _ in ranks]
    twins = min(players, 4)
    holes = [4 * ranks[i] + suits[i][seat] for seat in range(twins) for i in (0, 1)]
    stub = [4 * ranks[i] + suits[i][turn] for turn in range(twins) for i in (2, 3, 4)]
    rest = [card for card in STANDARD_DECK if card not in holes and card not in stub]
    chance.shuffle(rest)
    others = 2 * (players - twins) + 5
    return (*holes, *rest[:others], *stub, *rest[others:])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    players = draw(st.integers(1, 7))
    kickouts: tuple[int | str, ...] = (
        "KKQ32", "AAQ32", "TT223", "AA223", "22243", "QQQ32", "5432A",
    )  # fmt: skip
    rules = make_rules(
        players,
        kickout=draw(st.sampled_from((*kickouts, 0, 2000, N_CLASSES))),
        last_hand=draw(st.sampled_from(("free", "may_play", "none"))),
        fair=draw(st.booleans()),
        ante=draw(st.integers(1, 3)),
        dealer_ante=draw(st.integers(1, 3)),
        play_bet=draw(st.integers(1, 3)),
    )
    seed = draw(st.integers(0, 2**32))
    chance = random.Random(seed)
    twins = draw(st.booleans())
    deck = twin_deck(players, chance) if twins else tuple(chance.sample(range(52), 52))
    return Case(rules, deck, seed, draw(st.sampled_from((0.1, 0.5, 0.9, 1.0))))


def random_policies(case: Case) -> list[Policy]:
    """One policy per seat, each with its own coin; the same coins every time."""

    def policy(seat: int) -> Policy:
        chance = random.Random(case.seed + seat)
        return lambda _table: chance.random() < case.boldness

    return [policy(seat) for seat in range(case.rules.players)]


def strength(cards: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """Five cards in plain poker terms: comparable, and independent of the class list."""
    counts = Counter(card // 4 for card in cards)
    shape = sorted(counts.values(), reverse=True)
    ranks = tuple(sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True))
    flush = len({card % 4 for card in cards}) == 1
    if ranks == (12, 3, 2, 1, 0):
        ranks = (3, 2, 1, 0, -1)
    straight = len(ranks) == 5 and ranks[0] - ranks[4] == 4
    if straight and flush:
        return 8, ranks
    if flush:
        return 5, ranks
    if straight:
        return 4, ranks
    shapes = [[1] * 5, [2, 1, 1, 1], [2, 2, 1], [3, 1, 1], [], [], [3, 2], [4, 1]]
    return shapes.index(shape), ranks


def bonus_in_chips(cards: Sequence[int]) -> int:
    category, ranks = strength(cards)
    if category == 8 and ranks[0] == 12:
        return ROYAL_BONUS
    return {4: 2, 5: 5, 6: 10, 7: 25, 8: 100}.get(category, 0)


def place_in_order(hole: Sequence[int]) -> tuple[bool, list[int], int]:
    ranks = sorted((card // 4 for card in hole), reverse=True)
    return ranks[0] == ranks[1], ranks, max(card % 4 for card in hole if card // 4 == ranks[0])


def dealt(event: Event) -> tuple[int, ...]:
    return event.cards if event.kind in (Kind.DEAL, Kind.COMPLETION) else ()


def chips_from_actions(case: Case, round_: Round) -> list[Fraction]:
    """Everybody's chips, dealer last, from the actions alone: no order of elimination, no events.

    The winner is the best of all hands completed; only who draws which cards depends on the order.
    """
    rules, deck = case.rules, case.deck
    n = rules.players
    holes = [deck[2 * seat : 2 * seat + 2] for seat in range(n)]
    dealer = deck[2 * n : 2 * n + 5]
    stub = list(deck[2 * n + 5 :])
    dealer_in = round_.dealer_class < rules.kickout_class
    alone = not dealer_in and sum(action == "fold" for action in round_.actions) == n - 1
    order = sorted(range(n), key=lambda seat: place_in_order(holes[seat]))

    unit = rules.unit
    pot = (rules.ante * n + rules.dealer_ante) * unit
    chips = [-rules.ante * unit] * n + [-rules.dealer_ante * unit]
    completed: dict[int, tuple[int, tuple[int, ...]]] = {}
    for seat in order:
        action = round_.actions[seat]
        if action == "play" or (action == "last hand" and rules.last_hand == "free"):
            cards = [*holes[seat], *stub[:3]]
            del stub[:3]
            completed[seat] = strength(cards)
            bonus = Fraction(bonus_in_chips(cards) * rules.play_bet) * unit
            chips[seat] += bonus
            chips[-1] -= bonus
        if action == "play" and not alone:
            chips[seat] -= rules.play_bet * unit
            pot += rules.play_bet * unit
    best = max(completed.values(), default=None)
    if dealer_in and (best is None or best < strength(dealer)):
        winners = [n]
    elif best is not None:
        winners = [seat for seat in order if completed.get(seat) == best]
    else:
        winners = [seat for seat in order if round_.actions[seat] != "fold"]
        assert len(winners) == 1
    if rules.fair_split:
        for seat in winners:
            chips[seat] += pot / len(winners)
        return chips
    assert pot.denominator == 1
    coins = pot.numerator
    for seat in reversed(winners):  # rounding up from the last to act hands out the odd coins
        shares_left = winners.index(seat) + 1
        share = -(-coins // shares_left)
        chips[seat] += share
        coins -= share
    return chips


@settings(max_examples=400, deadline=None)
@given(cases())
def test_every_round_pays_what_a_second_implementation_says(case: Case) -> None:
    round_ = play_round(case.rules, case.deck, random_policies(case))
    unit = case.rules.unit
    assert [chips * unit for chips in (*round_.net, round_.dealer_net)] == chips_from_actions(
        case, round_
    )
    assert sum(round_.net) + round_.dealer_net == 0


COVER = (SideLine("pair", 1277, Fraction(1)), SideLine("straight_flush", 7452, Fraction(20)))


@settings(max_examples=400, deadline=None)
@given(cases())
def test_every_round_is_the_sum_of_its_events(case: Case) -> None:
    rules, n = case.rules, case.rules.players
    pays = Fraction(2)
    bets = [quickdraw_bet(seat, seat + 1, pays) for seat in range(0, n, 2)]
    bets += [cover_bet(n - 1, 3, COVER)]
    round_ = play_round(rules, case.deck, random_policies(case), side_bets=bets)

    pot = 0
    net = Counter[int]()
    side_net = Counter[int]()
    for event in round_.events:
        if event.kind in (Kind.DEAL, Kind.ACT, Kind.RETURN, Kind.WIN, Kind.SPLIT):
            pot -= event.chips
            net[event.seat] += event.chips
        elif event.kind is Kind.BONUS:
            net[event.seat] += event.chips
            net[DEALER] -= event.chips
        elif event.kind is Kind.SIDE_BET:
            side_net[event.seat] += event.chips
        else:
            assert event.chips == 0
        assert event.pot == pot >= 0
    assert pot == 0
    assert round_.net == tuple(net[seat] for seat in range(n))
    assert round_.dealer_net == net[DEALER]
    assert round_.side_net == tuple(side_net[seat] for seat in range(n))
    assert round_.dealer_side_net == -sum(side_net.values())

    # Every card comes off the deck in order, each once, and nothing else is dealt.
    cards = [card for event in round_.events for card in dealt(event)]
    assert cards == list(case.deck[: len(cards)])
    completions = sum(event.kind is Kind.COMPLETION for event in round_.events)
    assert len(cards) == 2 * n + 5 + 3 * completions
    check_summary(case, round_)


def check_summary(case: Case, round_: Round) -> None:
    """The fields of a round against its events."""
    rules, n = case.rules, case.rules.players

    def by_seat(*kinds: Kind) -> dict[int, Event]:
        return {event.seat: event for event in round_.events if event.kind in kinds}

    acts, completions = by_seat(Kind.ACT), by_seat(Kind.COMPLETION)
    bonuses, wins = by_seat(Kind.BONUS), by_seat(Kind.WIN, Kind.SPLIT)
    assert round_.dealer_wins is (DEALER in wins)
    assert round_.kicked_out is (DEALER in by_seat(Kind.KICKOUT))
    for seat in range(n):
        act = acts[seat].detail if seat in acts else "unasked"
        assert round_.actions[seat] == (act if act in ("play", "fold") else "last hand")
        assert round_.bets[seat] == rules.ante + rules.play_bet * (act == "play")
        assert (seat in completions) == (round_.classes[seat] >= 0)
        assert round_.classes[seat] == (completions[seat].hand_class if seat in completions else -1)
        assert round_.shares[seat] == (wins[seat].chips if seat in wins else 0)
        line = round_.bonus_lines[seat]
        assert (seat in bonuses) == (line >= 0)
        if line >= 0:
            assert bonuses[seat].detail == rules.lines[line].name
            assert bonuses[seat].chips == rules.lines[line].pays

    # The order of action rises, and the winners hold the best of the completed hands.
    places = [place_in_order(case.deck[2 * seat : 2 * seat + 2]) for seat in round_.order]
    assert sorted(places) == places
    assert sorted(round_.order) == list(range(n))
    acted = [event.seat for event in round_.events if event.kind is Kind.ACT]
    assert acted == [seat for seat in round_.order if seat in acts]
    players_best = max(round_.classes)
    if DEALER in wins:
        assert list(wins) == [DEALER]
        assert players_best < round_.dealer_class < rules.kickout_class
    elif players_best >= 0:
        assert set(wins) == {seat for seat in range(n) if round_.classes[seat] == players_best}
        assert round_.kicked_out or players_best >= round_.dealer_class
    else:
        assert round_.kicked_out
        assert [round_.actions[seat] for seat in wins] == ["last hand"]
    # Every hand leaves once: it folds, goes out, is kicked out, or is there at the showdown.
    left = Counter(
        event.seat
        for event in round_.events
        if event.kind in (Kind.OUT, Kind.KICKOUT, Kind.SHOWDOWN) or event.detail == "fold"
    )
    assert left == Counter(range(DEALER, n))


@settings(max_examples=400, deadline=None)
@given(cases())
def test_a_policy_sees_the_table_as_it_is(case: Case) -> None:
    n = case.rules.players
    coins = random_policies(case)
    tables: list[Table] = []

    def watched(table: Table) -> bool:
        tables.append(table)
        return coins[table.seat](table)

    round_ = play_round(case.rules, case.deck, watched)
    for table in tables:
        place = round_.order.index(table.seat)
        before = round_.order[:place]
        assert table.rules is case.rules
        assert table.order == round_.order
        assert table.waiting == round_.order[place + 1 :]
        assert table.holes == tuple(case.deck[i : i + 2] for i in range(0, 2 * n, 2))
        assert table.dealer == case.deck[2 * n : 2 * n + 5]
        assert table.dealer_class == round_.dealer_class
        played = tuple(seat for seat in before if round_.actions[seat] == "play")
        assert table.folded == tuple(seat for seat in before if seat not in played)
        best = max((round_.classes[seat] for seat in played), default=-1)
        assert table.dealer_in is (not round_.kicked_out and best < round_.dealer_class)
        assert table.to_beat == (round_.dealer_class if table.dealer_in else best)
        paid = case.rules.play_bet * len(played)
        assert table.pot == case.rules.ante * n + case.rules.dealer_ante + paid
        for seat in range(n):
            completed = seat in played
            assert table.classes[seat] == (round_.classes[seat] if completed else -1)
            assert (table.hands[seat] != ()) is completed
            if completed:
                assert table.hands[seat][:2] == table.holes[seat]
                beats_all = round_.classes[seat] == best and not table.dealer_in
                assert table.live[seat] is beats_all
            else:
                assert table.live[seat] is (seat not in before)


# --- Shortened decks -----------------------------------------------------------------------------


def test_a_shortened_deck_holds_the_high_ranks():
    rules = replace(make_rules(3), lowest_rank=8)
    assert rules.deck == tuple(range(32, 52))
    assert rules.missing == tuple(range(32))
    assert (make_rules(7).deck, make_rules(7).missing) == (STANDARD_DECK, ())
    round_ = play_round(rules, rules.deck[::-1], always_play)
    assert len([event for event in round_.events if event.kind is Kind.COMPLETION]) == 3


def test_cards_outside_the_deck_of_the_rules_are_refused():
    rules = replace(make_rules(1), lowest_rank=8)
    with pytest.raises(CardError, match="the card 9s is not in the deck, which begins with T"):
        play_round(rules, range(31, 52), always_play)
    with pytest.raises(CardError, match="52 is not a card code"):
        play_round(rules, range(32, 53), always_play)
    with pytest.raises(CardError, match="the card Tc appears twice"):
        play_round(rules, [32, 32, *range(33, 52)], always_play)


@pytest.mark.parametrize(
    ("players", "lowest_rank", "message"),
    [
        (4, 8, "a deck from T to A has 20 cards: too short for 4 players .* may need 25"),
        (1, 11, "a deck from K to A has 8 cards: too short for 1 player and .* may need 10"),
        (7, 4, "has 36 cards: too short for 7 players and the dealer, who may need 40"),
        (1, -1, "lowest_rank must be 0 to 12, got -1"),
        (1, 13, "lowest_rank must be 0 to 12, got 13"),
    ],
)
def test_decks_too_short_for_the_players_are_refused(players, lowest_rank, message):
    with pytest.raises(ValueError, match=message):
        replace(make_rules(players), lowest_rank=lowest_rank)
    assert replace(make_rules(3), lowest_rank=8).lowest_rank == 8
    assert replace(make_rules(7), lowest_rank=3).lowest_rank == 3
