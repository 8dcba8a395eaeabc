"""The all-hearts pyramid: referee, checker, solver and players against each other."""

import itertools
import json
import random
from math import comb
from pathlib import Path

import numpy as np
import pytest

from ricochet_casino.games.hearts_pyramid.check import check_line
from ricochet_casino.games.hearts_pyramid.deals import deal, dealt_ranks, parse_deck
from ricochet_casino.games.hearts_pyramid.players import play_deals
from ricochet_casino.games.hearts_pyramid.rules import DRAW, RECYCLE, Pyramid
from ricochet_casino.games.hearts_pyramid.settings import RANKS, PyramidSettings
from ricochet_casino.games.hearts_pyramid.solver import decide, decide_decks
from ricochet_casino.games.hearts_pyramid.study import PyramidStudy
from ricochet_casino.runs import run

GOLDEN = Path(__file__).parents[2] / "golden"
GIVEN = json.loads((GOLDEN / "hearts_pyramid.json").read_text())
SHARES = json.loads((GOLDEN / "patience_shares.json").read_text())["hearts_pyramid_7_rows"]
DECKS = np.array([parse_deck(entry["deck"]) for entry in GIVEN["deals"]], dtype=np.uint8)


def settings_of(key):
    rows, _, rest = key.rpartition(", ")
    pairing, goal, passes = rest.split("/")
    return PyramidSettings(
        rows=int(rows.split()[0]) if rows else 7,
        pairing=pairing,
        goal=goal,
        passes=passes if passes == "unlimited" else int(passes),
    )


EVERY = [
    PyramidSettings(rows=rows, pairing=pairing, passes=passes, goal=goal)
    for rows, pairing, passes, goal in itertools.product(
        (6, 7, 9), ("strict", "waste_pair", "stock_top"), (1, 2, "unlimited"), ("all", "pyramid")
    )
]


@pytest.mark.parametrize("key", GIVEN["deals"][0]["verdicts"])
def test_verdicts_are_the_given_ones_and_lines_win_by_checker_and_referee(key):
    settings = settings_of(key)
    verdicts, _, lines = decide_decks(settings, DECKS)
    for row, entry in enumerate(GIVEN["deals"]):
        assert (verdicts[row] == 1) == entry["verdicts"][key], entry["id"]
        deck = DECKS[row].tolist()
        for line in filter(None, (lines.get(row), entry["solutions"].get(key))):
            assert check_line(deck, line, **settings.model_dump())
            game = Pyramid(deck, settings)
            for move in line:
                game.move(move if isinstance(move, str) else tuple(move))
            assert game.is_won


def brute(game):
    """Whether a position can be won, by the referee alone; repeated positions are cut."""
    seen, waiting, begin = set(), [()], len(game.history)
    while waiting:
        moves = waiting.pop()
        while len(game.history) > begin:
            game.undo()
        for move in moves:
            game.move(move)
        if game.is_won:
            return True
        key = game.state()
        if game.settings.passes == "unlimited":
            key = key[:3]
        if key not in seen:
            seen.add(key)
            waiting += [(*moves, move) for move in game.legal()]
    return False


@pytest.mark.parametrize("settings", EVERY, ids=lambda s: ",".join(s.texts()))
def test_late_positions_are_decided_as_by_brute_force(settings):
    generator, checked = random.Random(str(settings)), 0
    for number in range(40):
        deck = deal(3, number)
        game = Pyramid(deck, settings)
        for _ in range(200):
            pairs = game.pairs()
            legal = game.legal()
            if not legal or len(game.pyramid) + len(game.stock) + len(game.waste) <= 22:
                break
            game.move(generator.choice(pairs if pairs and generator.random() < 0.9 else legal))
        if game.is_won or len(game.pyramid) + len(game.stock) + len(game.waste) > 26:
            continue
        found = decide(settings, deck, played=game.history)
        assert (found.verdict == "won") == brute(game), (number, game.history)
        checked += 1
        if checked == 2:
            break
    assert checked


@pytest.mark.parametrize("settings", EVERY, ids=lambda s: ",".join(s.texts()))
def test_random_play_keeps_all_cards_and_undo_restores_every_state(settings):
    generator = random.Random(str(settings))
    deck = deal(5, 0)
    game = Pyramid(deck, settings)
    states, gone = [game.state()], set()
    for _ in range(150):
        legal = game.legal()
        if not legal:
            assert game.is_won or game.is_stuck
            break
        move = generator.choice(legal)
        game.move(move)
        if not isinstance(move, str):
            assert deck[move[0]] == deck[move[1]]
            assert not gone & set(move)
            gone |= set(move)
        states.append(game.state())
        there = [*game.pyramid, *game.stock, *game.waste]
        assert sorted([*there, *gone]) == list(range(52))
    while game.history:
        assert game.state() == states.pop()
        game.undo()
    assert [game.state()] == states


def accepted(game):
    """Moves that the referee carries out when asked."""
    found = []
    for move in [*itertools.combinations(range(52), 2), DRAW, RECYCLE]:
        before = game.state()
        try:
            game.move(move)
        except ValueError:
            assert game.state() == before
            continue
        game.undo()
        found.append(move)
    return found


def stuck_agrees(number, seed, every):
    """Stuck is said only where no move at all is accepted."""
    generator, looked, index, stuck = random.Random(seed), 0, 0, 0
    while looked < number:
        settings = generator.choice(EVERY)
        game = Pyramid(deal(seed, index), settings)
        index += 1
        for _ in range(80):
            looked += 1
            legal = game.legal()
            assert game.is_stuck == (not legal and not game.is_won)
            if game.is_stuck or looked % every == 0:
                assert sorted(map(str, accepted(game))) == sorted(map(str, legal))
            stuck += game.is_stuck
            if not legal:
                break
            game.move(generator.choice(game.pairs() or legal))
    assert stuck > 0


def test_stuck_means_that_nothing_can_be_done():
    stuck_agrees(1500, 8, 100)


@pytest.mark.slow
def test_stuck_means_that_nothing_can_be_done_in_100000_positions():
    stuck_agrees(100_000, 9, 100)


def test_the_referee_says_why_a_move_is_refused():
    game = Pyramid(deal(1, 0), PyramidSettings())
    for move, said in (
        ((0, 1), "cannot be paired"), ("recycle", "the stock is not empty"),
        ("drew", "did you mean draw"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            game.move(move)
    for _ in range(24):
        game.move(DRAW)
    with pytest.raises(ValueError, match="no card can be drawn"):
        game.move(DRAW)
    with pytest.raises(ValueError, match="all 1 passes are used"):
        game.move(RECYCLE)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda deck: deck[:51], "expected 52 cards, got 51"),
        (lambda deck: ["K", *deck], "5 cards of rank K"),
        (lambda deck: ["1", *deck[1:]], 'unknown rank "1"'),
        (lambda deck: [7, *deck[1:]], "unknown rank 7"),
        ("".join, "a list of 52"),
    ],
)
def test_bad_decks_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        parse_deck(change(GIVEN["deals"][0]["deck"]))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"rows": 10}, "10 rows need 55 cards; there are 52"),
        ({"rows": 5}, "expected 6 to 9 rows"),
        ({"rows": "seven"}, "valid integer"),
        ({"pairing": "strickt"}, "'strict', 'waste_pair' or 'stock_top'"),
        ({"passes": "4"}, "1, 2, 3 or 'unlimited'"),
        ({"goal": "none"}, "'all' or 'pyramid'"),
        ({"row": 7}, "did you mean rows"),
    ],
)
def test_bad_settings_are_refused(values, said):
    with pytest.raises(ValueError, match=said):
        PyramidSettings.read(values)


def test_read_strictly_hardly_a_stock_can_be_paired_with_the_pyramid():
    ways = [1]  # stocks of 24 cards with at most two of each rank, by size
    for _ in range(13):
        longer = [0] * (len(ways) + 2)
        for size, number in enumerate(ways):
            for more in range(3):
                longer[size + more] += number * comb(4, more)
        ways = longer
    assert ways[24] == 481_068_896_256
    assert comb(52, 24) == 426_384_982_032_100
    assert 0.001128 < ways[24] / comb(52, 24) < 0.0011283
    decks = dealt_ranks(6, 0, 3000)
    verdicts, _, _ = decide_decks(PyramidSettings(), decks)
    for deck, verdict in zip(decks.tolist(), verdicts.tolist(), strict=True):
        fits = all(deck[28:].count(rank) <= 2 for rank in range(13))
        assert fits or verdict == 0


def near_golden(share, deals, golden):
    """Whether a share is within four combined standard errors of one with a 95 % interval."""
    middle, low, high = (part / 100 for part in golden)
    error = (high - low) / (2 * 1.96)
    ours = max(share * (1 - share), middle * (1 - middle)) / deals
    return abs(share - middle) <= 4 * (ours + error**2) ** 0.5


@pytest.mark.parametrize("key", [key for key in SHARES if key != "remark"])
@pytest.mark.parametrize(
    "size",
    [pytest.param(1, id="small"), pytest.param(16, marks=pytest.mark.slow, id="large")],
)
def test_shares_are_near_the_given_ones(key, size):
    entry = run(PyramidStudy(settings_of(key), 1000 * size, 12)).entry
    assert entry["undecided"] == 0
    assert near_golden(entry["won"] / entry["deals"], entry["deals"], SHARES[key]["winnable"])


@pytest.mark.parametrize("key", [key for key in SHARES if "random_player" in SHARES[key]])
def test_random_players_win_about_as_often_as_the_given_ones(key):
    share = play_deals(settings_of(key), "random", 3, 0, 50_000).mean()
    # The given shares have no intervals; they are taken to be good to their last digit, roughly.
    assert abs(100 * share - SHARES[key]["random_player"]) < 1


def test_waste_pairs_and_stock_tops_win_the_same_deals():
    decks = dealt_ranks(15, 0, 400)
    for passes, goal in itertools.product((1, 2, "unlimited"), ("all", "pyramid")):
        found = [
            decide_decks(PyramidSettings(pairing=pairing, passes=passes, goal=goal), decks)[0]
            for pairing in ("waste_pair", "stock_top")
        ]
        assert np.array_equal(*found)


def test_players_win_only_what_can_be_won_and_do_not_depend_on_blocks():
    settings = PyramidSettings.read({}, "friendly")
    for player in ("random", "greedy"):
        whole = play_deals(settings, player, 6, 0, 600)
        parts = [play_deals(settings, player, 6, first, 200) for first in (0, 200, 400)]
        assert np.array_equal(whole, np.concatenate(parts))
        verdicts, _, _ = decide_decks(settings, dealt_ranks(6, 0, 600))
        assert not np.any((whole == 1) & (verdicts != 1))


def test_limits_leave_deals_undecided():
    settings = PyramidSettings(pairing="waste_pair", passes=2)
    decks = dealt_ranks(2, 0, 300)
    whole, states, _ = decide_decks(settings, decks)
    short, _, _ = decide_decks(settings, decks, 40)
    assert np.any(short == 2)
    assert not np.any((short != 2) & (short != whole))
    hard = decks[int(np.argmax(states))].tolist()
    assert decide(settings, hard, limit_seconds=60).verdict in ("won", "lost")


def test_the_checker_refuses_what_is_against_the_rules():
    entry = next(
        e
        for e in GIVEN["deals"]
        if "waste_pair/all/1" in e["solutions"] and not e["verdicts"]["strict/pyramid/1"]
    )
    deck, line = parse_deck(entry["deck"]), entry["solutions"]["waste_pair/all/1"]
    values = settings_of("waste_pair/all/1").model_dump()
    assert check_line(deck, line, **values)
    assert not check_line(deck, line[:-1], **values)
    assert not check_line(deck, [*line, "draw"], **values)
    assert not check_line(deck, ["recycle", *line], **values)
    assert not check_line(deck, line, **{**values, "pairing": "strict"})
    other = next(c for c in range(52) if deck[c] != deck[0])
    assert not check_line(deck, [[0, other], *line], **values)
    assert RANKS[deck[0]] == entry["deck"][0]
