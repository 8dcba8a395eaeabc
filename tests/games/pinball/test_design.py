"""Measures of decks against their readable twin, and the search."""

from fractions import Fraction

import numpy as np
import pytest

from ricochet_casino.experiment import Experiment, Tally
from ricochet_casino.games import build
from ricochet_casino.games.pinball.chain import chain
from ricochet_casino.games.pinball.deck import Deck, generated_deck
from ricochet_casino.games.pinball.deck_files import read_deck
from ricochet_casino.games.pinball.design import Search
from ricochet_casino.games.pinball.events import Rules
from ricochet_casino.games.pinball.measures import (
    all_sets,
    look_weights,
    measures,
    repeat_chance,
    set_measures_slowly,
)
from ricochet_casino.games.pinball.measures_kernel import (
    guess_kernel,
    measure_kernel,
    repeat_kernel,
    search_kernel,
)
from ricochet_casino.games.pinball.players import Player
from ricochet_casino.games.pinball.study import Study
from ricochet_casino.runs import run


def some_sets(deck, n, sets):
    """The kernel's counts over the first sets only."""
    ends, at = np.zeros((8, 50), np.int64), np.zeros((sets, 8), np.uint8)
    wrong, totals = np.zeros(4, np.int64), np.zeros(4, np.int64)
    counts = np.array(deck.kind_counts, dtype=np.int64)
    measure_kernel(deck.strengths, deck.kinds, counts, n, True, ends, at, wrong, totals)
    return ends, at, wrong.tolist(), totals.tolist(), counts


@pytest.mark.parametrize(("n", "sets"), [(4, 300), (5, 150)])
def test_the_kernel_counts_what_the_readable_twin_counts(n, sets):
    deck = generated_deck(8, n)
    ends, _, wrong, totals, _ = some_sets(deck, n, sets)
    expected, slow_wrong = np.zeros((8, 50), np.int64), [0] * 4
    slow = [0, 0, 0, 0]
    for cards in all_sets(n)[:sets]:
        found = set_measures_slowly(deck, cards)
        for (kind, card), number in found["ends"].items():
            expected[kind, card] += number
        for look, number in enumerate(found["wrong"]):
            slow_wrong[look] += number
        for place, name in enumerate(("foreseen", "skipped", "skipped_first"), 1):
            slow[place] += found[name]
        slow[0] += 50 - n
    assert (ends == expected).all()
    assert wrong == slow_wrong
    assert totals == slow


def test_the_best_guess_by_counting():
    deck, n, sets = generated_deck(8), 4, 300
    ends, at, _, _, counts = some_sets(deck, n, sets)
    hits = 0
    for cards in all_sets(n)[:sets]:
        for (kind, last), number in set_measures_slowly(deck, cards)["ends"].items():

            def chance(card, kind=kind):
                others = deck.kind_counts[kind] - (deck.cards[card].kind == kind)
                return Fraction(int(ends[kind, card]), others)

            hits += number * (max(cards, key=chance) == last)
    assert guess_kernel(deck.kinds, counts, n, ends, at) == hits


def test_measures_fit_together():
    found = measures(generated_deck(1))
    assert 0 < found.short_cut_first < found.short_cut < 1
    assert found.last_least < Fraction(1, 4) < found.last_most
    assert Fraction(1, 4) < found.guess < found.foresight
    assert found.by_look[-1] == 1
    assert found.tricky == sum(found.by_look) / 3
    assert found.to_json()["guess"]["exact"] == str(found.guess)


def test_errors_turn_into_slips_as_the_measure_says():
    """One wrong look in a first round: the share of wrong slaps is `tricky`, to first order."""
    error = Fraction(1, 1000)
    deck = generated_deck(1)
    rules = Rules(2, goal=1, longest=1)
    players = [Player(error=error), Player(Fraction(50))]
    counts = Tally.total(
        map((study := Study(rules, deck, players, 100_000, 5)).run, study.shards())
    ).counts
    expected = float(3 * error * measures(deck).tricky)
    slips = counts["seat1.slips"] / 100_000
    assert abs(slips - expected) < 5 * (expected / 100_000) ** 0.5


@pytest.mark.parametrize("n", [4, 5])
def test_repeats_of_the_second_round_by_playing_both(n):
    deck, sets = generated_deck(8), 12
    same = 0
    for cards in all_sets(n)[:sets]:
        for start in set(range(50)) - set(cards):
            outer = [deck.cards[card] for card in cards]
            last = chain(deck.cards[start], outer)[-1]
            outer[last] = deck.cards[start]
            for following in set(range(50)) - {start, *cards}:
                same += chain(deck.cards[following], outer)[-1] == last
    counts = np.array(deck.kind_counts, dtype=np.int64)
    assert repeat_kernel(deck.strengths, deck.kinds, counts, n, sets) == same


@pytest.mark.slow
def test_repeats_of_the_second_round_are_those_of_a_study():
    deck = generated_deck(1)
    exact = float(repeat_chance(deck))
    assert 0.25 < exact < 0.4
    study = Study(Rules(2, goal=2), deck, [Player()] * 2, 40_000, 6)
    counts = Tally.total(map(study.run, study.shards())).counts
    assert abs(counts["same.2"] / 40_000 - exact) < 4 * (exact * (1 - exact) / 40_000) ** 0.5


@pytest.mark.slow
def test_repeats_of_full_tilt_are_those_of_a_study():
    deck = generated_deck(1)
    exact = float(repeat_chance(deck, full_tilt=True))
    study = Study(Rules(2, goal=2, full_tilt=True), deck, [Player()] * 2, 200_000, 6)
    counts = Tally.total(map(study.run, study.shards())).counts
    assert abs(counts["same.2"] / 200_000 - exact) < 4 * (exact * (1 - exact) / 200_000) ** 0.5


def test_shipped_decks_bear_their_figures_and_beat_random_ones():
    from ricochet_casino.games.pinball.deck_files import shipped_decks

    found = {name: measures(read_deck(name)) for name in ("fairest", "trickiest")}
    for name, figures in found.items():
        text = shipped_decks()[name].read_text()
        for key in ("guess", "tricky", "foresight", "short_cut"):
            assert f"{key:<16}{figures.to_json()[key]['decimal'][:8]}" in text, (name, key)
    others = [measures(generated_deck(77, number)) for number in range(4)]
    assert found["fairest"].guess < min(other.guess for other in others)
    assert found["trickiest"].tricky > max(other.tricky for other in others)


@pytest.mark.slow
def test_shipped_decks_beat_a_hundred_random_ones():
    others = [measures(generated_deck(78, number)) for number in range(100)]
    assert measures(read_deck("fairest")).guess < min(other.guess for other in others)
    assert measures(read_deck("trickiest")).tricky > max(other.tricky for other in others)


@pytest.mark.parametrize("aim", ["fair", "tricky"])
def test_a_search_finds_a_better_valid_deck_and_the_same_with_two_workers(aim):
    search = Search(aim, False, 2, 2, 3)
    assert isinstance(search, Experiment)
    one, two = run(search, workers=1), run(search, workers=2)
    assert one == two
    entry = one.entry
    best = entry["searches"][entry["best"]]
    assert best["score"] == max(row["score"] for row in entry["searches"])
    assert all(row["score"] >= row["first"] for row in entry["searches"])
    deck = Deck.from_json(entry["deck"])
    assert deck.warnings() == ()
    assert entry["measures"] == measures(deck).to_json()
    layouts = 10_593_800
    if aim == "fair":
        assert 1 - measures(deck).guess == Fraction(best["score"], layouts)
    else:
        assert measures(deck).tricky == Fraction(best["score"], layouts * 3 * 6)
    assert build(search.spec()).spec() == search.spec()


def test_a_search_without_steps_returns_the_first_deck():
    entry = run(Search("fair", False, 1, 0, 3), workers=1).entry
    assert Deck.from_json(entry["deck"]).cards == generated_deck(3).cards
    strengths, kinds = generated_deck(3).strengths.copy(), generated_deck(3).kinds.copy()
    at = np.zeros((50, 8), np.uint8)  # few sets: only that steps are deterministic matters here
    again = [
        search_kernel(np.uint64(3), 0, 20, 4, True, look_weights(4), at, s, k)
        for s, k in ((strengths.copy(), kinds.copy()) for _ in range(2))
    ]
    assert again[0] == again[1]
    assert again[0][1] > again[0][0]


def test_look_weights_make_all_looks_alike():
    assert look_weights(4).tolist() == [2, 3, 6, 0]
    assert look_weights(5).tolist() == [3, 4, 6, 12]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"aim": "fare"}, "did you mean fair"),
        ({"starts": 0}, "starts must be 1 to"),
        ({"starts": 10_001}, "starts must be 1 to 10,000"),
        ({"steps": -1}, "steps must be 0 to"),
        ({"seed": -1}, "seed"),
        ({"full_tilt": 1}, "full_tilt must be true or false"),
    ],
)
def test_wrong_searches_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        Search(**{"aim": "fair", "full_tilt": False, "starts": 1, "steps": 1, "seed": 1, **changes})
    with pytest.raises(ValueError, match="holds 0 of 1 searches"):
        Search("fair", False, 1, 0, 1).result(Tally())
