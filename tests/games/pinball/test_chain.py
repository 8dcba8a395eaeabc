"""Chains: the golden layouts, the printed example, and layout files that are wrong."""

import json
import random
from pathlib import Path

import pytest

from ricochet_casino.config import ConfigError
from ricochet_casino.games.pinball.chain import PLACES, chain
from ricochet_casino.games.pinball.deck import KINDS, Card, generated_deck
from ricochet_casino.games.pinball.layout_files import read_layouts

GOLDEN = Path(__file__).parents[2] / "golden" / "pinball_layouts.json"


def test_all_golden_layouts():
    expected = json.loads(GOLDEN.read_text())["layouts"]
    found = read_layouts(GOLDEN)
    assert len(found) == 40
    for layout, stated in zip(found, expected, strict=True):
        assert layout.id == stated["id"]
        assert list(layout.sequence) == stated["sequence"]
        assert layout.sequence[-1] == stated["final"]


def example():
    """The printed example; the numbers it does not tell are ours.

    The start ball is large and blue: blue 30 at the left. Its ball is small and yellow: of the
    rest yellow 40 at the bottom. Its ball is small and blue: blue 3 at the top, and the right is
    the last one.
    """
    start = Card((1, 1, 1, 50), KINDS.index("large blue"))
    outer = {
        "top": Card((9, 47, 11, 3), KINDS.index("large green")),
        "right": Card((44, 45, 30, 20), KINDS.index("small red")),
        "bottom": Card((20, 40, 21, 10), KINDS.index("small blue")),
        "left": Card((30, 2, 5, 30), KINDS.index("small yellow")),
    }
    return start, tuple(outer[place] for place in PLACES)


def test_the_printed_example_goes_left_bottom_top_right():
    start, outer = example()
    assert [PLACES[place] for place in chain(start, outer)] == ["left", "bottom", "top", "right"]


def test_neither_the_start_card_nor_used_cards_count():
    start, outer = example()
    # Left holds the smallest yellow, and the start card a larger blue than all.
    assert start.bumpers[3] == 50
    assert min(outer, key=lambda card: card.bumpers[1]) == outer[PLACES.index("left")]


@pytest.mark.parametrize("n", [4, 5])
def test_random_chains_against_sorting_by_hand(n):
    rng = random.Random(n)
    deck = generated_deck(3)
    for _ in range(300):
        start, *outer = rng.sample(deck.cards, n + 1)
        left, ball, expected = dict(enumerate(outer)), start.ball, []
        while left:
            size, colour = ball.split()
            which = ("red", "yellow", "green", "blue").index(colour)
            rising = sorted(left, key=lambda place: left[place].bumpers[which])
            place = rising[-1] if size == "large" else rising[0]
            ball = left.pop(place).ball
            expected.append(place)
        assert chain(start, outer) == tuple(expected)


def one_layout(**changes):
    def card(number):
        bumpers = {"red": number, "yellow": number, "green": number, "blue": number}
        return {"bumpers": bumpers, "ball": ["large", "red"]}

    layout = {
        "id": 7,
        "start": {"ball": ["small", "blue"]},
        "outer": {"top": card(1), "right": card(2), "bottom": card(3), "left": card(4)},
    }
    return {**layout, **changes}


def read(tmp_path, *layouts):
    file = tmp_path / "layouts.json"
    file.write_text(json.dumps({"layouts": list(layouts)}, indent=1))
    return read_layouts(file)


def test_places_may_stand_in_any_order_and_the_start_needs_no_bumpers(tmp_path):
    layout = one_layout()
    layout["outer"] = dict(reversed(layout["outer"].items()))
    assert read(tmp_path, layout)[0].sequence == ("top", "left", "bottom", "right")


def test_layouts_without_an_id_are_numbered_and_other_ids_stay_text(tmp_path):
    plain = one_layout()
    del plain["id"]
    found = read(tmp_path, plain, one_layout(id="a3"), one_layout(id="007"))
    assert [layout.id for layout in found] == [1, "a3", "007"]


def without(layout, *path):
    part = layout
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    return layout


def changed(layout, value, *path):
    part = layout
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return layout


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (without(one_layout(), "start"), "layout 7: the key start is missing"),
        (without(one_layout(), "outer", "top"), "expected the places top, right, bottom, left"),
        (changed(one_layout(), 3, "outer"), "outer: expected the places"),
        (without(changed(one_layout(), {}, "outer", "tpo"), "outer", "top"), "did you mean top?"),
        (without(one_layout(), "outer", "top", "ball"), "layout 7: top: the key ball is missing"),
        (changed(one_layout(), ["large", "pink"], "outer", "top", "ball"), "no ball is pink"),
        (changed(one_layout(), ["huge", "red"], "start", "ball"), "no ball is huge"),
        (changed(one_layout(), "red", "start", "ball"), "a size and a colour"),
        (changed(one_layout(), 2, "start"), "expected a ball"),
        (changed(one_layout(), 2, "outer", "left"), "left: 2; expected bumpers and a ball"),
        (changed(one_layout(), 2, "outer", "left", "bumpers"), "bumpers: 2; expected red"),
        (changed(one_layout(), 51, "outer", "left", "bumpers", "red"), "whole number from 1 to 50"),
        (changed(one_layout(), 0, "start", "bumpers"), "start: bumpers: 0; expected red"),
        (changed(one_layout(), 2, "outer", "left", "bumpers", "red"), "red 2 at right and at left"),
        (one_layout(final="middle"), "no place middle"),
        (one_layout(sequence=["top", "lfet"]), "did you mean left?"),
        (one_layout(sequence=["top"], final="left"), "the sequence does not end with it"),
        (one_layout(strat=3), "did you mean start?"),
        (5, "layout 1: 5; expected start and outer"),
    ],
)  # fmt: skip
def test_wrong_layouts_are_told_with_a_line(tmp_path, layout, said):
    with pytest.raises(ConfigError) as found:
        read(tmp_path, layout)
    assert said in str(found.value)
    assert all(problem.line and problem.line > 1 for problem in found.value.problems)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "empty file"),
        ("{note: x}", "the key layouts is missing"),
        ("layouts: 3", "expected a list"),
        ("layouts: [", "not valid YAML"),
        ("layots: []", "did you mean layouts?"),
    ],
)
def test_files_that_are_no_layouts_are_refused(tmp_path, text, said):
    file = tmp_path / "layouts.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")):
        read_layouts(file)
