"""The kernels and their checked wrappers against the readable twin and published counts."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricochet_casino.cards.additive import five_card_classes
from ricochet_casino.cards.classes import N_CLASSES, Category, classes, first_of_category
from ricochet_casino.cards.deck import CardError, parse_cards
from ricochet_casino.cards.evaluate import evaluate, evaluate_by_subsets, evaluate_hands
from ricochet_casino.cards.subsets import all_subsets

COUNTS = json.loads((Path(__file__).parents[1] / "golden" / "counts.json").read_text())
WIDTHS = (5, 6, 7)


def random_hands(number, width, seed):
    rng = np.random.default_rng(seed)
    decks = np.tile(np.arange(52, dtype=np.uint8), (number, 1))
    return np.ascontiguousarray(rng.permuted(decks, axis=1)[:, :width])


def counts_of_all_hands(width):
    """How many of all hands of this width have each class.

    The sets below the two highest cards are a prefix of the colexicographic list.
    """
    lower = all_subsets(50, width - 2)
    buffer = np.empty((len(lower), width), dtype=np.uint8)
    buffer[:, :-2] = lower
    found = np.zeros(N_CLASSES, dtype=np.int64)
    for second in range(width - 2, 51):
        size = int(np.searchsorted(lower[:, -1], second))
        buffer[:size, -2] = second
        for top in range(second + 1, 52):
            buffer[:size, -1] = top
            found += np.bincount(evaluate_hands(buffer[:size]), minlength=N_CLASSES)
    return found


def by_category(counts):
    return np.add.reduceat(counts, first_of_category()[:-1]).tolist()


def test_five_card_counts():
    hands = all_subsets(52, 5)
    found = np.bincount(evaluate_hands(hands), minlength=N_CLASSES)
    golden = COUNTS["five_card_counts"]
    names = [category.name.lower() for category in Category][:-1]
    expected = [golden[name] for name in names] + [golden["straight_flush_including_royal"]]
    assert found.sum() == len(hands) == 2_598_960
    assert by_category(found) == expected
    assert np.count_nonzero(found) == golden["distinct_classes"] == N_CLASSES
    assert found[-1] == 4
    # Each class has as many hands as suits can be given to its ranks.
    ways = {1: {5: 1020}, 2: {4: 6 * 64, 3: 36 * 4}, 3: {3: 64, 2: 24}, 4: {2: 4}}
    for hand in classes():
        largest = max(hand.ranks.count(rank) for rank in hand.ranks)
        number = 4 if hand.suited else ways[largest][len(set(hand.ranks))]
        assert found[hand.index] == number, hand


def test_six_card_distinct_classes():
    found = counts_of_all_hands(6)
    assert found.sum() == 20_358_520
    assert np.count_nonzero(found) == COUNTS["six_card_distinct_classes"]


def test_seven_card_counts():
    found = counts_of_all_hands(7)
    assert found.sum() == 133_784_560
    assert np.count_nonzero(found) == COUNTS["seven_card_distinct_classes"]
    golden = COUNTS["seven_card_counts"]
    assert by_category(found) == [golden[category.name.lower()] for category in Category]


@pytest.mark.parametrize("width", WIDTHS)
def test_arrays_scalars_and_subsets_agree_on_random_hands(width):
    hands = random_hands(6000, width, seed=width)
    expected = [evaluate_by_subsets(hand) for hand in hands.tolist()]
    assert evaluate_hands(hands).tolist() == expected
    assert evaluate_hands(hands, check=False).tolist() == expected
    assert [evaluate(hand) for hand in hands.tolist()] == expected


@pytest.mark.parametrize("width", WIDTHS)
def test_flushes_of_every_suit_agree_with_subsets(width):
    # Random hands are rarely flushes: deal at least five cards of one suit.
    rng = np.random.default_rng(20 + width)
    hands = []
    for suit in range(4):
        for _ in range(400):
            own = 4 * rng.permutation(13)[: rng.integers(5, width + 1)] + suit
            rest = np.setdiff1d(np.arange(52), own)
            cards = np.concatenate([own, rng.permutation(rest)[: width - own.size]])
            hands.append(rng.permutation(cards).tolist())
    expected = [evaluate_by_subsets(hand) for hand in hands]
    assert evaluate_hands(hands).tolist() == expected
    assert [evaluate(hand) for hand in hands] == expected


@given(st.permutations(range(52)), st.sampled_from(WIDTHS))
@settings(deadline=None, max_examples=200)
def test_order_of_the_cards_does_not_matter(deck, width):
    hand = deck[:width]
    assert evaluate(hand) == evaluate(sorted(hand)) == evaluate_hands([hand[::-1]])[0]


def test_numpy_evaluator_agrees_on_all_hands():
    hands = all_subsets(52, 5)
    assert np.array_equal(five_card_classes(hands), evaluate_hands(hands))


def test_seven_cards_by_example():
    board = parse_cards("As Ks Qs Js 2d 2c Ts")
    assert evaluate(board) == N_CLASSES - 1
    assert classes()[evaluate(parse_cards("5h 5d 5c Kh Kd Kc 2s"))].text == "KKK55"
    assert classes()[evaluate(parse_cards("Ah 2h 3h 4h 5h 6d 7c"))].text == "5432As"
    assert classes()[evaluate(parse_cards("Ah 2d 3h 4h 5s 6d"))].text == "65432"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("row", [0, 1023, 1024, 2999])
@pytest.mark.parametrize("fault", ["twice", 52, 63, 64, 116, 255])
def test_a_bad_row_is_named(width, row, fault):
    hands = random_hands(3000, width, seed=1)
    for place in (0, width - 1):
        bad = hands.copy()
        bad[row, place] = bad[row, (place + 2) % width] if fault == "twice" else fault
        message = "appears twice" if fault == "twice" else f"{fault} is not a card code"
        with pytest.raises(CardError, match=rf"^row {row}: .*{message}"):
            evaluate_hands(bad)


def test_the_first_bad_row_is_named():
    hands = random_hands(5000, 5, seed=2)
    hands[4000, 1] = hands[4000, 0]
    hands[3001, 4] = 52
    hands[3002, 1] = hands[3002, 0]
    with pytest.raises(CardError, match=r"^row 3001: 52"):
        evaluate_hands(hands)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_repeated_pair_of_places_is_found(width):
    hand = np.arange(width) * 7 % 52
    for first in range(width):
        for second in range(first):
            bad = hand.copy()
            bad[first] = bad[second]
            with pytest.raises(CardError, match="appears twice"):
                evaluate_hands([bad])


def test_large_numbers_do_not_wrap_around():
    hands = [[0, 5, 10, 15, 20], [300, 5, 10, 15, 20]]  # 300 would become 44 in eight bits
    for dtype in (np.int16, np.uint16, np.int32, np.int64, np.uint64):
        with pytest.raises(CardError, match="row 1: 300 is not a card code"):
            evaluate_hands(np.array(hands, dtype=dtype))
        with pytest.raises(CardError, match="row 1: 300"):
            evaluate_hands(np.array(hands, dtype=dtype), check=False)
    with pytest.raises(CardError, match="row 0: -1 is not a card code"):
        evaluate_hands([[-1, 5, 10, 15, 20]])
    with pytest.raises(CardError, match="-128"):
        evaluate_hands(np.array([[-128, 5, 10, 15, 20]], dtype=np.int8))
    with pytest.raises(CardError):
        evaluate_hands([[2**70, 5, 10, 15, 20]])


@pytest.mark.parametrize(
    "hands",
    [
        [0, 5, 10, 15, 20],
        [[0, 5, 10, 15]],
        np.zeros((3, 8), dtype=np.uint8),
        np.zeros((2, 2, 5), dtype=np.uint8),
        [[0.0, 5.0, 10.0, 15.0, 20.0]],
        [[True, False, True, False, True]],
        [["Ks", "Qs", "Js", "Ts", "9s"]],
        [],
    ],
)
def test_arrays_that_hold_no_hands(hands):
    with pytest.raises(CardError, match=r"expected an array|must be integers"):
        evaluate_hands(hands)


def test_inputs_of_any_layout():
    hands = random_hands(500, 7, seed=3)
    expected = evaluate_hands(hands)
    read_only = hands.copy()
    read_only.flags.writeable = False
    for same in (np.asfortranarray(hands), hands.astype(np.int64), hands.tolist(), read_only):
        assert np.array_equal(evaluate_hands(same), expected)
    assert np.array_equal(evaluate_hands(hands[::-1]), expected[::-1])
    assert np.array_equal(evaluate_hands(hands[:, 1:6]), evaluate_hands(hands[:, 1:6].copy()))
    assert evaluate_hands(hands[:0]).shape == (0,)
    assert hands.flags.writeable


def test_out_is_filled_and_returned():
    hands = random_hands(100, 6, seed=4)
    out = np.zeros(100, dtype=np.uint16)
    assert evaluate_hands(hands, out=out) is out
    assert np.array_equal(out, evaluate_hands(hands))
    frozen = out.copy()
    frozen.flags.writeable = False
    for wrong in (out[:99], out.astype(np.int16), np.zeros(200, np.uint16)[::2], frozen):
        with pytest.raises(ValueError, match="out must be"):
            evaluate_hands(hands, out=wrong)


@pytest.mark.parametrize("width", WIDTHS)
def test_unchecked_rubbish_stays_inside_the_tables(width):
    rubbish = np.random.default_rng(5).integers(0, 256, (20_000, width), dtype=np.uint8)
    rubbish[:256] = np.arange(256, dtype=np.uint8)[:, np.newaxis]  # one code, over and over
    assert evaluate_hands(rubbish, check=False).max() < N_CLASSES


@pytest.mark.parametrize("function", [evaluate, evaluate_by_subsets])
@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([0, 1, 2, 3], "expected 5, 6 or 7 cards, got 4"),
        (list(range(8)), "got 8"),
        ([], "got 0"),
        ([0, 1, 2, 3, 3], "appears twice"),
        ([0, 1, 2, 3, 4, 5, 0], "appears twice"),
        ([0, 1, 2, 3, 52], "52 is not a card code"),
        ([0, 1, 2, 3, -1], "-1 is not a card code"),
        ([0, 1, 2, 3, 4.0], r"4\.0 is not a card code"),
        (["2c", "2d", "2h", "2s", "3c"], "'2c' is not a card code"),
    ],
)
def test_single_hands_are_checked(function, cards, message):
    with pytest.raises(CardError, match=message):
        function(cards)


def test_numpy_integers_are_cards():
    assert evaluate(np.array([0, 5, 10, 15, 20], dtype=np.uint8)) == evaluate([0, 5, 10, 15, 20])
