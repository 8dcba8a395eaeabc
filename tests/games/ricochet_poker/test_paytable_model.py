"""Kickout hands, lines, rules in whole units, and the shipped paytables of Ricochet Poker."""

import json
from fractions import Fraction
from math import comb

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ricochet_casino import games
from ricochet_casino.cards.classes import N_CLASSES, RANK_PLURALS, Category, classes
from ricochet_casino.cards.deck import RANKS
from ricochet_casino.config import data_folder
from ricochet_casino.games.ricochet_poker.paytable import (
    PAYTABLE,
    RicochetPokerPaytable,
    kickout_meaning,
    kickout_text,
    line_names,
    parse_kickout,
    parse_line,
)
from ricochet_casino.paytable import PaytableError, figure_matches, shipped_paytables

FOLDER = data_folder("paytables") / "ricochet_poker"
SHIPPED = sorted(FOLDER.glob("*.yaml"))

# Five-card hands per class, by the suits its ranks may have.
HANDS_PER_CLASS = {
    Category.HIGH_CARD: 4**5 - 4,
    Category.PAIR: comb(4, 2) * 4**3,
    Category.TWO_PAIR: comb(4, 2) ** 2 * 4,
    Category.THREE_OF_A_KIND: comb(4, 3) * 4**2,
    Category.STRAIGHT: 4**5 - 4,
    Category.FLUSH: 4,
    Category.FULL_HOUSE: comb(4, 3) * comb(4, 2),
    Category.FOUR_OF_A_KIND: 4,
    Category.STRAIGHT_FLUSH: 4,
}


def hands_from(first, end=N_CLASSES):
    """Five-card hands of the classes ``first`` to ``end - 1``."""
    return sum(HANDS_PER_CLASS[hand.category] for hand in classes()[first:end])


# --- Kickout hands -------------------------------------------------------------------------------

SPELLINGS = {
    "KKQ": "KKQ32",
    "KKQ3": "KKQ32",
    "KKQJ": "KKQJ2",
    "KKQJT": "KKQJT",
    "AAQ": "AAQ32",
    "AA": "AA432",
    "22": "22543",
    "AKQ": "AKQ32",
    "AK": "AK432",
    "A": "A6432",
    "AKQJ": "AKQJ2",
    "KJ952": "KJ952",
    "10": "T5432",
    "7": "75432",
    "222": "22243",
    "QQQ": "QQQ32",
    "qqq": "QQQ32",
    "QQQA": "QQQA2",
    "A2345": "5432A",
    "5432A": "5432A",
    "23456": "65432",
    "65432": "65432",
    "AKQJT": "AKQJT",
    "TJQKA": "AKQJT",
    "10JQKA": "AKQJT",
    "TTxx": "TT223",
    "1010XX": "TT223",
    "33xx": "33224",
    "AAxx": "AA223",
    "KKQQ": "KKQQ2",
    "KKQQ5": "KKQQ5",
    "222xx": "22233",
    "333xx": "33322",
    "QQQxx": "QQQ22",
    "KKKQQ": "KKKQQ",
    "2222": "22223",
    "3333": "33332",
    "AAAAK": "AAAAK",
    "75432s": "75432s",
    "akqj9S": "AKQJ9s",
    "A2345s": "5432As",
    "23456s": "65432s",
    "AKQJTs": "AKQJTs",
    "pair": "22543",
    "pair_of_deuces": "22543",
    "pair_of_twos": "22543",
    "pair_of_sixes": "66432",
    "pair of aces": "AA432",
    "two_pair": "33224",
    "three_of_a_kind": "22243",
    "three-of-a-kind": "22243",
    "straight": "5432A",
    "Flush": "75432s",
    "full_house": "22233",
    "four_of_a_kind": "22223",
    "straight_flush": "5432As",
    "royal_flush": "AKQJTs",
}


@pytest.mark.parametrize(("spelling", "lowest_hand"), SPELLINGS.items())
def test_a_kickout_is_the_lowest_hand_that_is_written_so(spelling, lowest_hand):
    assert classes()[parse_kickout(spelling)].text == lowest_hand


def test_none_is_above_every_hand():
    assert parse_kickout("none") == parse_kickout(" None ") == N_CLASSES


@pytest.mark.parametrize(
    ("spelling", "wrong", "nearest"),
    [
        ("KKZ", "Z is not a rank", "KKQ"),
        ("22xx", "no deuces up", "33xx"),
        ("KKKKK", "only four cards of a rank", "KKKK"),
        ("22222", "only four cards of a rank", "2222"),
        ("QKK", "not in order of significance", "KKQ"),
        ("KQK", "not in order of significance", "KKQ"),
        ("2KK", "not in order of significance", "KK"),
        ("QQKK", "not in order of significance", "KKQQ"),
        ("QQKKK", "not in order of significance", "KKKQQ"),
        ("QAKJ9", "not in order of significance", "AKQJ9"),
        ("A5432", "the ace is low", "A2345"),
        ("A5432s", "the ace is low", "A2345"),
        ("AAQxx", "xx stands for a second pair", "AAQ"),
        ("KKxxx", "xx stands for a second pair", "KKxx"),
        ("KKQQx", "xx stands for a second pair", "KKQQ"),
        ("TTx", "xx stands for a second pair", "TTxx"),
        ("KKKKxx", "6 cards", "KKKK"),
        ("AKQJT98", "7 cards", "AKQJT"),
        ("xxTT", "x may only stand at the end", "TTxx"),
        ("TxTx", "x may only stand at the end", "TTxx"),
        ("xx", "x may only stand at the end", "TTxx"),
        ("6", "no high card hand begins like this", None),
        ("5", "no high card hand begins like this", None),
        ("654", "no high card hand begins like this", None),
        ("AKs", "needs five different ranks", "AK"),
        ("KKQ32s", "needs five different ranks", "KKQ"),
        ("AA KK", "is not a rank", "AAKK"),
        ("flsh", "F is not a rank", "flush"),
        ("ful_house", "F is not a rank", "full_house"),
        ("nonee", "N is not a rank", "none"),
        ("no", "N is not a rank", "none"),
        ("1", "1 is not a rank", None),
        ("0x10", "x may only stand at the end", None),
        ("", "no hand at all", None),
        ("s", "no hand at all", None),
        ("K" * 100_000, "100000 cards", "KKKK"),
    ],
)
def test_what_is_no_hand_is_told_with_the_nearest_spelling(spelling, wrong, nearest):
    with pytest.raises(ValueError, match="expected a hand such as") as caught:
        parse_kickout(spelling)
    assert wrong in str(caught.value)
    assert len(str(caught.value)) < 400
    if nearest is not None:
        assert str(caught.value).endswith(f"; did you mean {nearest}?")


def test_every_class_has_a_spelling_that_reads_back():
    assert [parse_kickout(kickout_text(index)) for index in range(N_CLASSES + 1)] == list(
        range(N_CLASSES + 1)
    )
    for rulebook in ("KKQ", "AAQ", "TTxx", "AAxx", "222", "QQQ", "A2345", "none"):
        assert kickout_text(parse_kickout(rulebook)) == rulebook
    for index in (-1, N_CLASSES + 1):
        with pytest.raises(ValueError, match="not a class of hands"):
            kickout_text(index)


@settings(deadline=None)
@given(st.integers(0, N_CLASSES - 1), st.booleans())
def test_five_letters_always_name_their_own_class(index, small):
    hand = classes()[index]
    spelling = hand.text.replace("T", "10")
    assert parse_kickout(spelling.lower() if small else spelling) == index


SHAPED = {
    Category.HIGH_CARD: 1,
    Category.PAIR: 2,
    Category.TWO_PAIR: 4,
    Category.THREE_OF_A_KIND: 3,
    Category.FULL_HOUSE: 5,
    Category.FOUR_OF_A_KIND: 4,
}
OPEN_CLASSES = [hand for hand in classes() if hand.category in SHAPED]


@settings(deadline=None)
@given(st.data())
def test_fewer_letters_are_the_lowest_hand_that_begins_so_and_rise_with_the_letters(data):
    first = data.draw(st.sampled_from(OPEN_CLASSES))
    alike = [hand for hand in OPEN_CLASSES if hand.category == first.category]
    second = data.draw(st.sampled_from(alike))
    length = data.draw(st.integers(SHAPED[first.category], 5))

    def parsed(hand):
        return parse_kickout("".join(RANKS[rank] for rank in hand.ranks[:length]))

    begins_so = [hand.index for hand in alike if hand.ranks[:length] == first.ranks[:length]]
    assert parsed(first) == min(begins_so)
    assert (parsed(first) < parsed(second)) == (first.ranks[:length] < second.ranks[:length])


@pytest.mark.parametrize(
    ("spelling", "hands"),
    # Hands this good or better among 2,598,960, from the counts by category: pairs come in 220
    # kicker classes of 384, two pairs in 78 x 11 of 144, three of a kind in 13 x 66 of 64.
    [
        ("none", 0),
        ("royal_flush", 4),
        ("straight_flush", 40),
        ("2222", 40 + 624),
        ("222xx", 40 + 624 + 3744),
        ("flush", 40 + 624 + 3744 + 5108),
        ("A2345", 40 + 624 + 3744 + 5108 + 10200),
        ("222", 19716 + 54912),
        ("QQQ", 19716 + 54912 * 3 // 13),
        ("33xx", 19716 + 54912 + 123552),
        ("AAxx", 19716 + 54912 + 123552 * 12 // 78),
        ("TTxx", 19716 + 54912 + 123552 * (8 + 9 + 10 + 11 + 12) // 78),
        ("AA", 198180 + 84480),
        # Kings with a queen or an ace: 220 less the 120 kicker triples from the ten ranks below.
        ("KKQ", 198180 + 84480 + 384 * (220 - 120)),
        ("AAQ", 198180 + 384 * (220 - 120)),
        ("7", 2598960),
    ],
)
def test_a_kickout_takes_in_as_many_hands_as_counting_says(spelling, hands):
    assert hands_from(parse_kickout(spelling)) == hands


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("KKQ", "pair of kings with a queen, or better"),
        ("AAQ", "pair of aces with a queen, or better"),
        ("TTxx", "two pair, tens up, or better"),
        ("222", "any three of a kind, or better"),
        ("QQQ", "three queens, or better"),
        ("A2345", "any straight, or better"),
        ("none", "the dealer is never out"),
        ("7", "any hand"),
        ("22", "any pair, or better"),
        ("33xx", "any two pair, or better"),
        ("KKQQ5", "two pair, kings and queens with a five, or better"),
        ("KK8A", None),
        ("KKA8", "pair of kings with an ace and an eight, or better"),
        ("AKQ", "ace high with a king and a queen, or better"),
        ("AKQJT", "straight, ace high, or better"),
        ("AKQ96s", "flush, ace high with a king, a queen, a nine and a six, or better"),
        ("QQQxx", "full house, queens full, or better"),
        ("KKKQQ", "full house, kings over queens, or better"),
        ("AAAAK", "four aces with a king, or better"),
        ("65432s", "straight flush, six high, or better"),
        ("royal_flush", "royal flush"),
    ],
)
def test_a_kickout_in_words(spelling, words):
    if words is None:
        with pytest.raises(ValueError, match="did you mean KKA8"):
            parse_kickout(spelling)
    else:
        assert kickout_meaning(parse_kickout(spelling)) == words


def test_meanings_tell_all_classes_apart():
    meanings = {kickout_meaning(index) for index in range(N_CLASSES + 1)}
    assert len(meanings) == N_CLASSES + 1


# --- Lines ---------------------------------------------------------------------------------------


def test_lines_begin_where_their_hands_begin():
    names = line_names()
    assert list(names.values()) == sorted(names.values())
    assert len(set(names.values())) == len(names) == 21
    assert hands_from(names["pair_of_fives"]) == 1_042_980
    for name, first in names.items():
        assert parse_line(name) == name
        assert parse_kickout(name) == first
    for rank, plural in enumerate(RANK_PLURALS[1:], 1):
        first = classes()[names[f"pair_of_{plural}"]]
        assert first.ranks[:2] == (rank, rank)
        assert classes()[first.index - 1].ranks[:2] == (rank - 1, rank - 1)


def test_names_of_lines_are_forgiving_only_in_the_spelling():
    assert parse_line("Full House") == "full_house"
    assert parse_line("pair-of-fives") == "pair_of_fives"
    assert parse_line("pair_of_twos") == parse_line("pair_of_deuces") == "pair"
    for wrong in ("high_card", "", "none", "KKQ"):
        with pytest.raises(ValueError, match="unknown line; expected"):
            parse_line(wrong)


# --- Rules in whole units ------------------------------------------------------------------------


def table(**changes):
    content = {
        "game": "ricochet_poker",
        "title": "test",
        "kickout": {"1": "KKQ", "3": "TTxx", "7": "none"},
        "bonus": {"straight": "2", "flush": "5 to 1", "royal_flush": "1001 for 1"},
    }
    return PAYTABLE.read({**content, **changes})


def test_rules_are_in_units_of_the_coin():
    rules = table(coin="1/2", ante="2", dealer_ante="1.5", play_bet="3").rules(3)
    assert rules.players == 3
    assert rules.unit == Fraction(1, 2)
    assert (rules.ante, rules.dealer_ante, rules.play_bet) == (4, 3, 6)
    assert [line.pays for line in rules.lines] == [12, 30, 6000]
    assert [line.name for line in rules.lines] == ["straight", "flush", "royal_flush"]
    assert rules.kickout_class == parse_kickout("TTxx")
    assert not rules.fair_split
    on_ante = table(coin="1/2", ante="2", play_bet="3", bonus_on="ante").rules(1)
    assert [line.pays for line in on_ante.lines] == [8, 20, 4000]


def test_defaults_are_those_of_the_rulings():
    rules = table().rules(1)
    assert (rules.unit, rules.ante, rules.dealer_ante, rules.play_bet) == (1, 1, 1, 1)
    assert (rules.last_hand, rules.when_equal, rules.fair_split) == ("free", "play", False)
    assert table().rules(7).kickout_class == N_CLASSES


@pytest.mark.parametrize("players", [1, 3, 7])
def test_a_fair_coin_makes_every_share_whole(players):
    fair = table(coin="fair", ante="1/3", bonus={"flush": "3 to 2", "straight": "1 to 8"})
    rules = fair.rules(players)
    assert rules.fair_split
    assert rules.ante * rules.unit == Fraction(1, 3)
    assert rules.dealer_ante * rules.unit == 1
    assert [line.pays * rules.unit for line in rules.lines] == [Fraction(1, 8), Fraction(3, 2)]
    for winners in range(1, players + 1):
        for amount in (rules.ante, rules.dealer_ante, rules.play_bet):
            assert amount % winners == 0


def test_the_best_line_pays_once():
    rules = table().rules(1)
    for hand in classes():
        reached = [i for i, line in enumerate(rules.lines) if hand.index >= line.first_class]
        assert rules.line_of(hand.index) == (reached[-1] if reached else -1)
        assert rules.bonus(hand.index) == (rules.lines[reached[-1]].pays if reached else 0)
    assert table(bonus={}).rules(1).bonus(N_CLASSES - 1) == 0


def test_lines_may_be_written_in_any_order():
    pays = {"royal_flush": "1000", "straight": "2", "flush": "5"}
    assert table(bonus=pays).rules(1).lines == table().rules(1).lines


def test_a_number_of_players_that_is_not_covered_is_a_clear_error():
    for players in (0, 2, 8):
        with pytest.raises(PaytableError, match=f"for {players} players; expected 1 or 3 or 7"):
            table().rules(players)
    four = games.load_paytable("website_four_players")
    assert four.rules(4).kickout_class == parse_kickout("TTxx")
    with pytest.raises(PaytableError, match="for 1 players; expected 4"):
        four.rules(1)
    some = table(players=["1", "7"])
    assert some.players == [1, 7]
    with pytest.raises(PaytableError, match="expected 1 or 7"):
        some.rules(3)


def test_amounts_that_would_not_fit_a_tally_are_refused():
    with pytest.raises(PaytableError, match="too many units"):
        table(coin="0.000000001", bonus={"royal_flush": "1000000"})


def test_side_bets_keep_exact_odds():
    bets = {
        "quickdraw": {"pays": "9 for 2", "tie": "kicker_wins", "label": "Rapid Fire"},
        "cover": {"pays": {"royal_flush": "100:1", "pair_of_jacks": "1:2"}, "label": "Hedge Bet"},
    }
    model = table(side_bets=bets, coin="fair")
    assert model.quickdraw.pays == Fraction(7, 2)
    assert (model.quickdraw.tie, model.quickdraw.label) == ("kicker_wins", "Rapid Fire")
    assert model.cover.label == "Hedge Bet"
    lines = [(line.name, line.first_class, line.pays) for line in model.cover_lines()]
    jacks, royal = parse_kickout("JJ"), N_CLASSES - 1
    assert lines == [("pair_of_jacks", jacks, Fraction(1, 2)), ("royal_flush", royal, 100)]
    assert table().cover_lines() == ()
    assert table().quickdraw is None
    assert table(side_bets={"quickdraw": {"pays": "5"}}).quickdraw.label == "Quickdraw"


# --- Files: what is accepted, what is refused, what is warned about ------------------------------

GOOD = """\
game: ricochet_poker
title: test
source: here
ante: 1
dealer_ante: 1
play_bet: 1
coin: 1
last_hand: free
when_equal: play
bonus_on: play_bet
kickout: {1: KKQ, 5: 222}
bonus:
  straight: 2
  flush: 5:1
  royal_flush: 1000
side_bets:
  quickdraw: {pays: 5:1, tie: first_two}
  cover:
    pays: {pair_of_fives: 1:1, flush: 7 to 1}
"""


def read(folder, text):
    file = folder / "table.yaml"
    file.write_text(text)
    return games.read_paytable(file)


def test_quoted_and_unquoted_scalars_mean_the_same(tmp_path):
    unquoted = read(tmp_path, GOOD).model
    quoted = GOOD.replace("5: 222", '"5": "222"').replace("5:1", "'5:1'").replace("1:1", '"1:1"')
    quoted = quoted.replace(": 1\n", ": '1'\n")
    assert quoted != GOOD
    assert read(tmp_path, quoted).model == unquoted
    assert unquoted.kickout == {1: "KKQ", 5: "222"}
    assert unquoted.bonus["flush"] == 5
    assert unquoted.quickdraw.pays == 5


def test_empty_optional_parts_are_absent_parts(tmp_path):
    text = GOOD[: GOOD.index("  quickdraw")] + "  # quickdraw: 5\nexpect:\n"
    model = read(tmp_path, text).model
    assert model.side_bets is None
    assert model.expect == {}


@pytest.mark.parametrize(
    ("old", "new", "line", "fragments"),
    [
        ("coin: 1", "coin:\t1", 7, ["a tab", "expected blanks"]),
        ("title: test", "title: test\ntitle: x", 3, ["the key title appears twice"]),
        ("ante: 1", "ante: no", 4, ["ante: no is not an amount", "expected chips such as 1"]),
        ("coin: 1", "coin: fare", 7, ["coin: fare", "or fair", "did you mean fair?"]),
        ("coin: 1", "coin: 0", 7, ["coin: zero", "positive"]),
        ("coin: 1", "coin: 2", 4, ["a bet of 1 chips", "coins of 2", "did you mean coin: 1, or"]),
        ("last_hand: free", "last_hand: no", 8, ["expected free or may_play or none",
                                                 "did you mean none?"]),
        ("when_equal: play", "when_equal: plya", 9, ["expected play or fold", "mean play?"]),
        ("bonus_on: play_bet", "bonus_on:", 10, ["bonus_on: nothing; expected play_bet or ante"]),
        ("flush: 5:1", "flush: no", 14, ["bonus.flush: no is not odds", "5 to 1, 5:1, 6 for 1"]),
        ("flush: 5:1", "flush: 3:2", 14, ["bonus.flush: 3 to 2 on a bet of 1 pays 3/2 chips",
                                          "coins of 1", "did you mean coin: 1/2, or fair?"]),
        ("flush: 5:1", "flush: -5", 14, ["bonus.flush: -5 is negative", "zero or more"]),
        ("flush: 5:1", "flsh: 5:1", 14, ["bonus.flsh: unknown line", "did you mean flush?"]),
        ("flush: 5:1", "flush: {a: 1}", 14, ["bonus.flush: a mapping is not a number"]),
        ("KKQ,", "KKZ,", 11, ["kickout.1: KKZ: Z is not a rank", "did you mean KKQ?"]),
        ("5: 222", "8: 222", 11, ["kickout.8: 8 players; expected 1 to 7; did you mean 7?"]),
        ("5: 222", "0: 222", 11, ["kickout.0: 0 players; expected 1 to 7"]),
        ("5: 222", "five: 222", 11, ["kickout.five: five is not a number of players"]),
        ("5: 222", "01: 222", 11, ["kickout.01: means the same as 1"]),
        ("5: 222", "5: [A, A]", 11, ["kickout.5: a list is not a hand"]),
        ("5: 222", "5:", 11, ["kickout.5: nothing: no hand at all"]),
        ("{1: KKQ, 5: 222}", "{}", 11, ["kickout: no kickout hand; expected a hand such as KKQ"]),
        ("{1: KKQ, 5: 222}", "KKQ", 11, ["kickout: KKQ; expected a mapping"]),
        ("kickout: {1: KKQ, 5: 222}\n", "", 1, ["the key kickout is missing; expected the"]),
        ("kickout:", "kickouts:", 11, ["unknown key kickouts", "did you mean kickout?"]),
        ("title: test\n", "", 1, ["the key title is missing"]),
        ("title: test", "title:", 2, ["title: nothing; expected a text"]),
        ("title: test", "title: [test]", 2, ["title: a list; expected a text"]),
        ("play_bet: 1\n", "play_bet: 0\n", 6, ["play_bet: zero; expected a positive amount"]),
        ("play_bet: 1\n", "play_bet: -1\n", 6, ["play_bet: -1 is negative; expected chips"]),
        ("dealer_ante: 1", "dealer_ante: 1/2", 5, ["1/2 chips", "mean coin: 1/2, or fair?"]),
        ("source: here", "sorce: here", 3, ["unknown key sorce", "did you mean source?"]),
        ("source: here", "players: [1, 3]", 3, ["players.1: 3 players have no kickout",
                                                "expected some of 1, 5"]),
        ("source: here", "players: [1, x]", 3, ["players.1: x is not a number of players"]),
        ("source: here", "players: 8", 3, ["players: 8 players; expected 1 to 7; did you mean 7?"]),
        ("source: here", "players:", 3, ["players: nothing is not a number of players"]),
        ("straight: 2", "pair: 1\n  pair_of_twos: 1", 14, ["bonus.pair_of_twos: means the same as "
                                                          "pair"]),
        ("quickdraw: {", "quickdrw: {", 17, ["unknown key side_bets.quickdrw", "cover, quickdraw",
                                            "did you mean quickdraw?"]),
        ("first_two", "frist_two", 17, ["quickdraw.tie: frist_two", "mean first_two?"]),
        ("{pays: 5:1, tie", "{pays: 3:2, tie", 17, ["quickdraw.pays: 3 to 2 on a stake of one ante",
                                                   "pays 3/2 chips"]),
        ("{pays: 5:1, tie", "{tie", 17, ["the key side_bets.quickdraw.pays is missing"]),
        ("{pays: 5:1, tie", "{label: , pays: 5, tie", 17, ["label: nothing; expected a text"]),
        ("quickdraw: {pays: 5:1, tie: first_two}", "quickdraw: 5", 17, ["quickdraw: 5; expected a "
                                                                      "mapping"]),
        ("flush: 7 to 1", "flush: 7 to 4", 19, ["side_bets.cover.pays.flush: 7 to 4 on a stake"]),
        ("flush: 7 to 1", "flsuh: 7 to 1", 19, ["cover.pays.flsuh: unknown line", "mean flush?"]),
        ("{pair_of_fives: 1:1, flush: 7 to 1}", "{}", 19, ["side_bets.cover.pays: no line"]),
        ("source: here", "expect: {1: {collective: {house_egde: 3 %}}}", 3,
         ["expect.1.collective.house_egde: unknown figure", "did you mean house_edge?"]),
        ("source: here", "expect: {1: {collective: {house_edge: low}}}", 3,
         ["expect.1.collective.house_edge: low is not a figure"]),
        ("source: here", "expect: {3: {collective: {house_edge: 3 %}}}", 3,
         ["expect.3: not offered here"]),
        ("source: here", "expect: {1: {Optimal Play: {house_edge: 3 %}}}", 3,
         ["expect.1.Optimal Play: unknown strategy"]),
        ("source: here", "expect: {1: {colective: {house_edge: 3 %}}}", 3,
         ["expect.1.colective: unknown strategy", "did you mean collective"]),
        ("source: here", 'source: "a\\e[2J"', 3, ["source: holds the character U+001B"]),
        ("source: here", 'source: "two\\nlines"', 3, ["source: holds the character U+000A"]),
        ("source: here", "expect: {side_bets: {lucky: {house_edge: 3 %}}}", 3,
         ["expect.side_bets.lucky: not offered here"]),
        ("source: here", "expect: {1: 5}", 3, ["expect.1: 5; expected a mapping"]),
    ],
)  # fmt: skip
def test_a_bad_file_is_told_by_file_line_and_nearest_name(tmp_path, old, new, line, fragments):
    assert old in GOOD
    file = tmp_path / "table.yaml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ValueError, match="expected") as caught:
        games.read_paytable(file)
    told = [text for text in str(caught.value).splitlines() if text.startswith(f"{file}:{line}: ")]
    assert any(all(fragment in text for fragment in fragments) for text in told), str(caught.value)


def test_all_problems_of_a_paytable_are_told_at_once_in_the_order_of_the_file(tmp_path):
    text = GOOD.replace("play_bet: 1\n", "play_bet: 0\n").replace("KKQ", "KKZ")
    text = text.replace("flush: 5:1", "flsh: 5:1").replace("title: test\n", "")
    text = text.replace("when_equal: play", "when_equals: play").replace("first_two", "first")
    with pytest.raises(PaytableError) as caught:
        read(tmp_path, text)
    told = [problem.line for problem in caught.value.problems]
    assert told == [1, 5, 8, 10, 13, 16]


KEYS = sorted(RicochetPokerPaytable.model_fields)
SCRAPS = st.sampled_from(
    ["", "1", "5:1", "KKQ", "fair", "none", "straight", "pays", "quickdraw", "cover", "side_bets",
     "7", "no", "1/2", "x", "collective", "house_edge", "-1"]
) | st.text(max_size=6)  # fmt: skip
TREES = st.recursive(
    SCRAPS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SCRAPS, inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS) | SCRAPS, TREES, max_size=8))
def test_whatever_stands_in_a_file_is_read_or_refused_with_an_expectation(changes):
    try:
        model = table(**changes)
    except PaytableError as error:
        problems = error.problems
    else:
        assert PAYTABLE.read(model.model_dump(mode="json")) == model
        assert [model.rules(players).players for players in model.players] == model.players
        return
    assert problems
    assert all("expected" in problem.text for problem in problems)


def test_pays_that_do_not_rise_are_a_warning_with_its_line(tmp_path):
    text = GOOD.replace("flush: 5:1", "flush: 1").replace("flush: 7 to 1", "flush: 1:2")
    text = text.replace("coin: 1", "coin: 1/2")
    loaded = read(tmp_path, text)
    assert [str(warning) for warning in loaded.warnings] == [
        f"{loaded.file}:14: flush pays less than straight, a weaker hand; expected pays that rise",
        f"{loaded.file}:19: flush pays less than pair_of_fives, a weaker hand; "
        "expected pays that rise",
    ]
    level = read(tmp_path, GOOD.replace("flush: 5:1", "flush: 2"))
    assert [warning.line for warning in level.warnings] == [14]
    assert "no more than straight" in level.warnings[0].text


def test_equal_pays_at_the_top_are_a_cap_and_no_warning(tmp_path):
    assert read(tmp_path, GOOD.replace("royal_flush: 1000", "royal_flush: 5")).warnings == ()
    assert games.read_paytable("home_capped").warnings == ()


# --- The shipped paytables -----------------------------------------------------------------------


def expected_figures():
    """Model and expected figures of every paytable, player count and strategy."""
    cases = []
    for file in SHIPPED:
        model = games.load_paytable(file)
        for players, strategies in model.expect.items():
            if players != "side_bets":
                for strategy, figures in strategies.items():
                    case = f"{file.stem}-{players}-{strategy}"
                    cases.append(pytest.param(model, figures, id=case))
    return cases


def test_the_rulebook_is_shipped_as_printed():
    model = games.load_paytable("rulebook")
    kickouts = ["KKQ", "AAQ", "TTxx", "AAxx", "222", "QQQ", "A2345"]
    assert model.kickout == dict(enumerate(kickouts, 1))
    for name, cap in (("rulebook", 1000), ("website_four_players", 1000), ("home_capped", 10),
                      ("home_uncapped", 1000)):  # fmt: skip
        other = games.load_paytable(name)
        pays = [line.pays for line in other.rules(other.players[0]).lines]
        assert pays == [min(pay, cap) for pay in (2, 5, 10, 25, 100, 1000)]
    assert games.load_paytable("website_four_players").kickout == {4: "TTxx"}
    for name in ("home_capped", "home_uncapped"):
        assert games.load_paytable(name).kickout == model.kickout
        assert games.load_paytable(name).side_bets is None


@pytest.mark.parametrize("name", ["rulebook", "website_four_players"])
def test_the_shipped_cover_table_has_the_edge_it_names(name):
    model = games.load_paytable(name)
    lines = model.cover_lines()
    ends = [line.first_class for line in lines[1:]] + [N_CLASSES]
    hands = [hands_from(line.first_class, end) for line, end in zip(lines, ends, strict=True)]
    assert hands == [844_800, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4]
    returned = sum(count * (line.pays + 1) for count, line in zip(hands, lines, strict=True))
    edge = 1 - Fraction(returned, comb(52, 5))
    assert figure_matches("5.846 %", edge)
    assert figure_matches(model.expect["side_bets"]["cover"]["house_edge"], edge)
    assert "5.846 %" in model.notes
    assert "our own" in model.notes


@pytest.mark.parametrize(("model", "figures"), expected_figures())
def test_expected_solo_figures_agree_with_each_other_and_with_the_kickout(model, figures):
    deals = comb(52, 2) * comb(50, 5)
    counts = {name: int(value) for name, value in figures.items() if name.endswith("_deals")}
    assert sum(counts.values()) == deals
    # By symmetry the dealer's five cards are five of 52, each with the same number of hole cards.
    kicked = hands_from(model.rules(1).kickout_class) * comb(47, 2)
    assert counts["kickout_deals"] == kicked
    assert figure_matches(figures["fold_frequency"], Fraction(counts["fold_deals"], deals))
    expectation = Fraction(figures["ev_per_ante"])
    assert figure_matches(figures["rtp_per_ante"], 1 + expectation)
    wins = Fraction(int(figures["winning_completions"]), comb(45, 3)) + kicked
    assert figure_matches(figures["win_frequency"], wins / deals)
    assert figure_matches(figures["kickout_frequency"], Fraction(kicked, deals))
    assert figure_matches(figures["average_bet"], 1 + Fraction(counts["play_deals"], deals))


# --- The schema for editors ----------------------------------------------------------------------


def as_an_editor_reads_it(text):
    """YAML with its usual types, keys as JSON has them."""

    def with_text_keys(value):
        if isinstance(value, dict):
            return {str(key): with_text_keys(inner) for key, inner in value.items()}
        return [with_text_keys(inner) for inner in value] if isinstance(value, list) else value

    return with_text_keys(yaml.safe_load(text))


def test_the_committed_schema_is_what_the_model_gives():
    committed = (FOLDER / "schema.json").read_text(encoding="utf-8")
    schema = games.json_schema("ricochet_poker")
    assert committed == json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    jsonschema.Draft7Validator.check_schema(schema)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_an_editor_accepts_the_shipped_files(file):
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=schema.json\n")
    validator = jsonschema.Draft7Validator(games.json_schema("ricochet_poker"))
    assert list(validator.iter_errors(as_an_editor_reads_it(text))) == []
    assert f"ricochet_poker/{file.stem}" in shipped_paytables()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("flush: 5:1", "flsh: 5:1"),
        ("flush: 5:1", "flush: -5"),
        ("flush: 5:1", "flush: 2.5"),
        ("last_hand: free", "last_hand: no"),
        ("ante: 1", "ante: no"),
        ("kickout: {1: KKQ, 5: 222}\n", ""),
        ("5: 222", "8: 222"),
        ("title: test", "titel: test"),
        ("quickdraw: {", "quickdrw: {"),
        ("source: here", "players: [8]"),
        ("source: here", "expect: {1: {collective: {edge: 1}}}"),
    ],
)
def test_an_editor_sees_plain_mistakes(old, new):
    validator = jsonschema.Draft7Validator(games.json_schema("ricochet_poker"))
    assert list(validator.iter_errors(as_an_editor_reads_it(GOOD))) == []
    assert old in GOOD
    assert list(validator.iter_errors(as_an_editor_reads_it(GOOD.replace(old, new, 1))))


def test_the_model_is_found_by_the_name_of_the_game():
    assert games.paytable_model("ricochet_poker") is RicochetPokerPaytable is PAYTABLE
