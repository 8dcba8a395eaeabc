"""The exact one-player game against numbers from outside and against slow twins."""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from phevaluator import evaluate_cards

from ricochet_casino.cards.classes import class_of, classes
from ricochet_casino.cards.deck import STANDARD_DECK, format_card
from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker import solo_figures
from ricochet_casino.games.ricochet_poker.deals import (
    COMPLETIONS,
    TOTAL_DEALS,
    cell_keys,
    cell_mask,
    cells,
    class_deals,
    starting_hand,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.odds import completions_at_least, hand_odds
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.solo import Solo, solve_hand
from ricochet_casino.games.ricochet_poker.solo_policies import PolicyTable, each_deal
from ricochet_casino.runs import run

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "ricochet_poker_solo.json").read_text())
STRATEGY_OF = {"maximise_total": "collective", "maximise_pot_only": "collective_pot_only"}


def paytable(name="rulebook", **changes):
    content = load_paytable(name).model_dump(mode="json")
    content.pop("expect", None)
    return RicochetPokerPaytable.read({**content, **changes})


def golden_paytable(key):
    if key == "KKQ_cap10":
        return paytable("home_capped")
    kickout = "none" if key == "never" else key
    return paytable(kickout={"1": kickout}, players=[1])


def entry(table, strategy="collective"):
    return run(Solo(table, strategy)).entry


@pytest.fixture(scope="module")
def rulebook_entry():
    return entry(paytable())


@pytest.mark.parametrize("key", [k for k in GOLDEN if k != "note"])
def test_every_golden_integer_is_reproduced(key):
    golden = GOLDEN[key]
    table, objective = key.split("/")
    found = entry(golden_paytable(table), STRATEGY_OF[objective])
    counts = found["counts"]
    for name in ("fold_deals", "play_deals", "kickout_deals", "winning_completions"):
        assert counts[name] == golden[name], name
    rows = found["par_sheet"]

    def bonus_chips(kinds):
        weights = [
            row["combinations"] * Fraction(row["bonus"])
            for row in rows
            if row["outcome"].split(".")[0] in kinds
        ]
        return sum(weights)

    assert bonus_chips(("win", "tie", "lose")) == golden["bonus_chips_when_playing"]
    assert bonus_chips(("kickout",)) == golden["bonus_chips_when_kicked"]
    net = sum(
        row["combinations"] * Fraction(row["net"])
        for row in rows
        if not row["outcome"].startswith("kickout")
    )
    assert net == golden["net_chips_scaled_nonkick"]
    assert found["ev_per_ante"]["exact"] == golden["ev_last_hand_free"]
    without = entry(
        RicochetPokerPaytable.read(
            {**golden_paytable(table).model_dump(mode="json"), "last_hand": "none"}
        ),
        STRATEGY_OF[objective],
    )
    assert without["ev_per_ante"]["exact"] == golden["ev_last_hand_none"]
    assert float(found["rtp_per_ante"]["decimal"]) == pytest.approx(
        golden["rtp_ante_last_hand_free"], abs=1e-14
    )


def random_deals(number, seed):
    rng = random.Random(seed)
    for index in range(number):
        cards = rng.sample(STANDARD_DECK, 7)
        if index % 4 == 0:  # suited hands are the hard case and only a quarter of all deals
            suit = rng.randrange(4)
            hole = rng.sample([card for card in STANDARD_DECK if card & 3 == suit], 2)
            rest = [card for card in STANDARD_DECK if card not in hole]
            cards = hole + rng.sample(rest, 5)
        yield tuple(cards[:2]), tuple(cards[2:])


def ph(cards):
    return evaluate_cards(*(format_card(card) for card in cards))


def test_completions_equal_those_counted_one_by_one_with_phevaluator():
    """200 random deals; phevaluator's ranks fall with strength."""
    lines = [line.first_class for line in paytable().rules(1).lines]
    bounds = [ph(classes()[first].representative) for first in lines]
    names = [format_card(card) for card in range(52)]
    for hole, dealer in random_deals(200, seed=11):
        to_beat = ph(dealer)
        rest = [names[card] for card in STANDARD_DECK if card not in (*hole, *dealer)]
        a, b = names[hole[0]], names[hole[1]]
        seen = Counter(evaluate_cards(a, b, *three) for three in combinations(rest, 3))
        expected = [
            sum(n for rank, n in seen.items() if rank <= bound) for bound in (to_beat, *bounds)
        ]
        expected.insert(1, sum(n for rank, n in seen.items() if rank < to_beat))
        d = class_of(dealer)
        assert list(completions_at_least(hole, dealer, [d, d + 1, *lines])) == expected
        hand = starting_hand(hole)
        found = cells(hand)
        cell = cell_keys(found).searchsorted(d << 13 | cell_mask(hand, hole, dealer))
        odds = hand_odds(hand, found, tuple(lines))
        kernel = [
            odds.winning[cell],
            odds.beating[cell],
            *(odds.reaching(line)[cell] for line in range(len(lines))),
        ]
        assert kernel == expected


def test_completions_with_dead_cards_equal_plain_counting():
    rng = random.Random(3)
    for _ in range(3):
        cards = rng.sample(STANDARD_DECK, 22)
        hole, dead = (cards[0], cards[0] ^ 4 if cards[0] ^ 4 not in cards else cards[1]), cards[2:]
        rest = [card for card in STANDARD_DECK if card not in (*hole, *dead)]
        found = [class_of((*hole, *three)) for three in combinations(rest, 3)]
        thresholds = [0, 1277, 3000, 5000, 5853, 5863, 6500, 7140, 7461, 7462]
        expected = tuple(sum(c >= t for c in found) for t in thresholds)
        assert completions_at_least(hole, dead, thresholds) == expected


def test_cells_hold_the_deals_they_say():
    """Plain enumeration over all dealer hands of a 52-card deck, for one hand of each kind."""
    from ricochet_casino.cards.evaluate import evaluate_hands
    from ricochet_casino.cards.subsets import all_subsets

    five = all_subsets(52, 5)
    dealer_class = evaluate_hands(five, check=False).astype(np.int64)
    for name in ("77", "A4s", "A4o", "KQs"):
        hand = next(h for h in starting_hands() if h.name == name)
        free = ~np.isin(five, hand.cards).any(axis=1)
        keys = dealer_class[free] << 13
        if hand.suited:
            keys |= np.where(five[free] & 3 == 0, 1 << (five[free].astype(np.int64) >> 2), 0).sum(1)
        found = cells(hand)
        values, counts = np.unique(keys, return_counts=True)
        assert np.array_equal(values, cell_keys(found))
        assert np.array_equal(counts, found.deals)
        by_class = np.bincount(dealer_class[free], minlength=7462)
        assert np.array_equal(by_class, class_deals(hand))
    assert np.array_equal(np.bincount(dealer_class, minlength=7462), class_deals())


def test_starting_hands_cover_the_deck():
    hands = starting_hands()
    assert len(hands) == len({hand.name for hand in hands}) == 169
    assert sum(hand.deals for hand in hands) == 1326
    seen = Counter(starting_hand(hole) for hole in combinations(STANDARD_DECK, 2))
    assert seen == {hand: hand.deals for hand in hands}


def test_distribution_sums_to_the_cycle_and_its_mean_is_the_ev(rulebook_entry):
    cycle = TOTAL_DEALS * COMPLETIONS
    rows = rulebook_entry["distribution"]
    assert sum(row["combinations"] for row in rows) == cycle
    mean = sum(Fraction(row["net"]) * row["combinations"] for row in rows) / cycle
    assert str(mean) == rulebook_entry["ev_per_ante"]["exact"]
    square = sum(Fraction(row["net"]) ** 2 * row["combinations"] for row in rows) / cycle
    assert str(square - mean**2) == rulebook_entry["variance_per_round"]["exact"]
    par = rulebook_entry["par_sheet"]
    assert sum(row["combinations"] for row in par) == cycle
    assert sum(Fraction(row["contribution"]["exact"]) for row in par) == mean
    assert sum(Fraction(part["exact"]) for part in rulebook_entry["contributions"]) == mean


def test_figures_known_from_outside(rulebook_entry):
    def figure(name):
        return float(rulebook_entry[name]["decimal"])

    assert figure("win_frequency") == pytest.approx(0.5736, abs=5e-5)
    assert figure("average_bet") == pytest.approx(1.6624, abs=5e-5)
    assert figure("fold_frequency") == pytest.approx(0.21406745719706796, abs=1e-15)
    assert figure("sd_per_round") == pytest.approx(1.90, abs=5e-3)
    assert figure("class_map_loss") == pytest.approx(0.000016, abs=5e-7)
    assert rulebook_entry["maximum_exposure"]["exact"] == "1001/1"
    by_hand = rulebook_entry["by_hand"].values()
    mixed = sum(hand["mixed_deals"] for hand in by_hand)
    assert mixed / TOTAL_DEALS == pytest.approx(0.005, abs=1e-3)
    assert sum(hand["fold_deals"] for hand in by_hand) == rulebook_entry["counts"]["fold_deals"]
    assert all(hand["mixed_deals"] == 0 for name, hand in rulebook_entry["by_hand"].items()
               if not name.endswith("s"))  # fmt: skip


def test_pot_only_fold_frequency_with_ties_played_and_folded():
    played = entry(paytable(), "collective_pot_only")["fold_frequency"]["decimal"]
    folded = entry(paytable(when_equal="fold"), "collective_pot_only")["fold_frequency"]["decimal"]
    assert (played[:8], folded[:8]) == ("0.228975", "0.229036")


def test_individual_is_collective_for_one_player(rulebook_entry):
    found = entry(paytable(), "individual")
    assert found.pop("strategy") == "individual"
    assert found == {name: v for name, v in rulebook_entry.items() if name != "strategy"}


def test_may_play_has_the_same_ev_and_another_average_bet(rulebook_entry):
    found = entry(paytable(last_hand="may_play"))
    assert found["ev_per_ante"] == rulebook_entry["ev_per_ante"]
    assert found["average_bet"]["decimal"][:6] == "1.7859"


def test_no_strategy_beats_the_optimum_and_simple_ones_lose_more(rulebook_entry):
    best = Fraction(rulebook_entry["ev_per_ante"]["exact"])
    evs = {
        name: Fraction(entry(paytable(), name)["ev_per_ante"]["exact"])
        for name in ("collective_pot_only", "always_play", "always_fold")
    }
    assert best > evs["collective_pot_only"] > evs["always_play"] > evs["always_fold"]


def test_always_fold_by_hand():
    """All deals with the dealer in cost the ante; a kickout wins hers and pays the free bonus."""
    found = entry(paytable(last_hand="none"), "always_fold")
    kicked = Fraction(347065860, TOTAL_DEALS)
    assert Fraction(found["ev_per_ante"]["exact"]) == 2 * kicked - 1
    assert found["counts"]["play_deals"] == 0
    declined = entry(paytable(last_hand="may_play"), "always_fold")
    assert declined["ev_per_ante"] == found["ev_per_ante"]
    assert declined["average_bet"]["exact"] == "1/1"


def test_other_stakes_equal_a_slow_sum_over_random_cells():
    """Ante 2, dealer ante 3, play bet 5, bonuses on the ante: the decisions cell by cell."""
    table = paytable(
        ante="2", dealer_ante="3", play_bet="5", bonus_on="ante", players=[1], kickout={"1": "AA"}
    )
    rules = table.rules(1)
    lines = [line.first_class for line in rules.lines]
    for hole, dealer in random_deals(60, seed=5):
        d = class_of(dealer)
        counts = completions_at_least(hole, dealer, [d, *lines])
        hand = starting_hand(hole)
        solved = solve_hand(rules, "collective", hand)
        cell = cell_keys(solved.cells).searchsorted(d << 13 | cell_mask(hand, hole, dealer))
        pays = [2 * p for p in (2, 5, 10, 25, 100, 1000)]
        on_line = [n - m for n, m in zip(counts[1:], (*counts[2:], 0), strict=True)]
        value = counts[0] * 10 - 7 * COMPLETIONS + sum(
            p * n for p, n in zip(pays, on_line, strict=True)
        )  # fmt: skip
        if d >= rules.kickout_class:  # three free cards, worth their bonuses
            assert solved.plays[cell] == solved.cells.deals[cell]
            assert solved.gain[cell] == sum(p * n for p, n in zip(pays, on_line, strict=True))
            continue
        assert (solved.plays[cell] > 0) == (value >= -2 * COMPLETIONS)
        assert solved.gain[cell] == value + 2 * COMPLETIONS


def test_workers_do_not_change_the_result(rulebook_entry):
    assert run(Solo(paytable()), workers=3).entry == rulebook_entry


def test_spec_makes_the_experiment_again(rulebook_entry):
    spec = json.loads(json.dumps(Solo(paytable()).spec()))
    again = Solo.from_parameters(spec["parameters"])
    assert again.spec() == spec
    hand = again.shards()[5]
    assert again.run(hand) == Solo(paytable()).run(hand)


def test_unknown_strategy_names_the_nearest():
    with pytest.raises(ValueError, match="collective"):
        Solo(paytable(), "colective")


def test_outcomes_refuse_a_tally_that_does_not_sum():
    tally = Solo(paytable()).run(Solo(paytable()).shards()[0])
    with pytest.raises(AssertionError, match="cycle"):
        solo_figures.SoloOutcomes(paytable().rules(1), tally)


def test_a_policy_given_as_a_function_of_one_deal_is_adapted():
    def function(hole, dealer):
        return max(hole) >= 48 and len(dealer) == 5

    many = each_deal(function)
    hole = np.array([[0, 51], [0, 4]], dtype=np.uint8)
    dealer = np.array([[1, 2, 3, 5, 6], [1, 2, 3, 5, 6]], dtype=np.uint8)
    assert many(hole, dealer).tolist() == [True, False]


def test_a_policy_that_looks_at_suits_by_name_is_refused():
    with pytest.raises(ValueError, match="names of suits"):
        PolicyTable.from_function(lambda hole, dealer: (hole[:, 0] & 3) == 0)


def test_a_policy_of_the_wrong_shape_is_refused():
    with pytest.raises(ValueError, match="one value for each deal"):
        PolicyTable.from_function(lambda hole, dealer: hole > 7)


def test_a_policy_of_numbers_or_of_the_order_of_cards_is_refused():
    with pytest.raises(ValueError, match="truth values"):
        PolicyTable.from_function(lambda hole, dealer: np.full(len(hole), 0.3))
    with pytest.raises(ValueError, match="order of cards"):
        PolicyTable.from_function(lambda hole, dealer: hole[:, 0] >> 2 >= 8)


@pytest.mark.parametrize("name", ["collective", "always_fold", "My Policy", "", "x\n"])
def test_a_policy_table_cannot_bear_the_name_of_a_strategy_or_none(name):
    with pytest.raises(ValueError, match="policy"):
        PolicyTable(name, {})


def every_cell(played, name="mine"):
    """A table that plays every cell of every hand in a share of its deals."""
    counts = {h.name: cells(h).deals.astype(np.int64) * played // 2 for h in starting_hands()}
    return PolicyTable(name, counts)


def test_policy_tables_are_written_as_runs_and_read_back():
    half = every_cell(1)
    again = PolicyTable.from_json(json.loads(json.dumps(half.to_json())))
    assert all(np.array_equal(again.counts[name], half.counts[name]) for name in half.counts)
    assert every_cell(2).to_json()["cells"]["AA"] == f"P{len(half.counts['AA'])}"
    assert every_cell(2).is_pure
    assert not half.is_pure
    for row in ("", "F1", "P9999999", "X3", "=5", "F7 "):
        with pytest.raises(ValueError, match="policy table"):
            PolicyTable.from_json({"name": "mine", "cells": {"AA": row}})


def test_a_table_with_mixed_cells_has_exact_figures_and_no_referee_check():
    solo = Solo(paytable(), every_cell(1))
    counts = run(solo).entry["counts"]
    assert 0 < counts["play_deals"] < TOTAL_DEALS - counts["kickout_deals"]
    with pytest.raises(ValueError, match="without a check"):
        solo.policy()


def test_under_may_play_the_strategy_decides_about_the_cards_of_the_last_hand():
    """After a kickout the pot is won; three cards are worth the bonuses, never less than 0."""
    kicked = 347_065_860

    def drawn(strategy, **changes):
        found = entry(paytable(last_hand="may_play", **changes), strategy)
        declined = found["par_sheet"][1]
        assert declined["event"] == "kickout, no cards"
        assert declined["combinations"] == COMPLETIONS * (
            kicked - found["counts"]["kickout_deals_drawn"]
        )
        return found["counts"]["kickout_deals_drawn"]

    assert drawn("collective") == kicked
    # A few hands can make no straight or better any more: nothing to gain, so nothing to take.
    assert 0.99 * kicked < drawn("collective", when_equal="fold") < kicked
    assert drawn("collective_pot_only") == kicked
    assert drawn("collective_pot_only", when_equal="fold") == 0
    assert drawn("collective", bonus={}, when_equal="fold") == 0
    assert drawn("always_fold") == 0
    assert drawn(every_cell(0)) == 0
    assert drawn(every_cell(2)) == kicked
    royal = drawn("collective", bonus={"royal_flush": "9 to 1"}, when_equal="fold")
    assert 0 < royal < kicked  # two cards that fit no royal flush gain nothing
    pot_only = entry(paytable(last_hand="may_play", when_equal="fold"), "collective_pot_only")
    lost = Fraction(210_685_864_080, TOTAL_DEALS * COMPLETIONS)
    free = entry(paytable(when_equal="fold"), "collective_pot_only")
    ev = Fraction(free["ev_per_ante"]["exact"]) - lost
    assert Fraction(pot_only["ev_per_ante"]["exact"]) == ev


def test_huge_amounts_give_the_same_figures():
    """The same game in units of a thousandth, 10^9 chips each: no sum overflows."""
    table = paytable(
        ante="1000000000", dealer_ante="1000000000", play_bet="1000000000", coin="1/1000",
        bonus={"straight": "1"},
    )  # fmt: skip
    small = entry(paytable(bonus={"straight": "1"}))
    found = entry(table)
    for name in ("house_edge", "sd_per_round", "class_map_loss", "fold_frequency"):
        assert found[name] == small[name]


@pytest.mark.slow
def test_policies_given_as_functions():
    """Pairs or an ace: the table equals a sum by hand over classes; always play equals the name."""

    def pair_or_ace(hole, dealer):
        ranks = hole >> 2
        return (ranks[:, 0] == ranks[:, 1]) | (ranks == 12).any(axis=1)

    table = PolicyTable.from_function(pair_or_ace, "pair_or_ace")
    found = entry(paytable(), table)
    stands = {h.name: int(class_deals(h)[: paytable().rules(1).kickout_class].sum())
              for h in starting_hands()}  # fmt: skip
    played = sum(
        h.deals * stands[h.name] for h in starting_hands() if h.high == h.low or h.high == 12
    )
    assert found["counts"]["play_deals"] == played
    again = PolicyTable.from_json(json.loads(json.dumps(table.to_json())))
    assert entry(paytable(), again) == found

    def no_suit_in_common(hole, dealer):
        """Tells deals of one cell apart, so the table is not pure."""
        first, second = hole[:, :1] & 3, hole[:, 1:] & 3
        return ~(((dealer & 3) == first) | ((dealer & 3) == second)).any(axis=1)

    mixed = PolicyTable.from_function(no_suit_in_common, "no_suit_in_common")
    assert table.is_pure
    assert not mixed.is_pure
    counts = entry(paytable(kickout={"1": "none"}, players=[1]), mixed)["counts"]
    expected = 78 * 4 * comb(39, 5) + (78 * 12 + 13 * 6) * comb(26, 5)
    assert counts["play_deals"] == expected
    everything = PolicyTable.from_function(lambda hole, dealer: np.ones(len(hole), bool), "all")
    named = entry(paytable(), "always_play")
    assert entry(paytable(), everything)["counts"] == named["counts"]
