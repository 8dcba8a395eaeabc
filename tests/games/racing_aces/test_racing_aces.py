"""Racing Aces: referee, checker, counts, solver and players against each other."""

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest

from ricochet_casino.games.racing_aces.check import check_line
from ricochet_casino.games.racing_aces.counts_kernel import placeable_kernel, stands_kernel
from ricochet_casino.games.racing_aces.deals import deal, dealt_ranks, parse_deck
from ricochet_casino.games.racing_aces.players import play_deals
from ricochet_casino.games.racing_aces.rules import BASES, DEAL, RacingAces, Table
from ricochet_casino.games.racing_aces.settings import RacingAcesSettings
from ricochet_casino.games.racing_aces.solver import (
    RacingAcesSolver,
    is_out_of_reach,
    play_out,
    weights_of,
    width_of,
)
from ricochet_casino.games.racing_aces.study import RacingAcesStudy
from ricochet_casino.runs import run

GOLDEN = Path(__file__).parents[2] / "golden"
GIVEN = json.loads((GOLDEN / "racing_aces.json").read_text())
PLAIN = RacingAcesSettings()


def table_of(state):
    return Table(
        {group: tuple(sorted(tops)) for group, tops in state["foundations"].items()},
        tuple(map(tuple, state["reserves"])),
        tuple(state["tableau"]),
        tuple(state["waste"]),
        tuple(state["stock"]),
    )


@pytest.mark.parametrize("position", GIVEN["positions"], ids=lambda p: p["name"])
def test_legal_moves_of_given_positions(position):
    game = RacingAces.at(table_of(position["state"]), PLAIN)
    assert sorted(game.legal()) == sorted(position["legal"])
    before = game.state()
    game.move(position["after_move"])
    assert game.table == table_of(position["after"])
    assert game.undo() == position["after_move"]
    assert game.state() == before


@pytest.mark.parametrize("entry", GIVEN["deals"], ids=lambda e: e["id"])
def test_verdicts_are_the_given_ones_and_lines_win_by_checker_and_referee(entry):
    settings = RacingAcesSettings(initial_waste=entry["initial_waste"])
    deck = parse_deck(entry["deck"])
    found = RacingAcesSolver(settings).decide(deck)
    assert found.verdict == entry["verdict"]
    for line in filter(None, (found.moves, entry.get("moves"))):
        game = RacingAces(deck, settings)
        assert check_line(game.table, line)
        for move in line:
            game.move(move)
        assert game.is_won


def stands_by_trying(counts):
    """Whether piles with these counts exist, by going through all of them rank by rank."""
    ways = {
        (a, k, s) for a, k, s in itertools.product(range(5), repeat=3) if a + k + s == counts[1]
    }
    for rank in range(2, 14):
        ways = {
            (a, k, counts[rank] - a - k)
            for a0, k0, s0 in ways
            for a in range(a0 + 1)
            for k in range(k0, 5)
            # six-downs grow towards the six; the seven-ups begin with the seven
            if (s0 <= counts[rank] - a - k <= 4 if rank <= 6 else
                0 <= counts[rank] - a - k <= (4 if rank == 7 else s0))
        }  # fmt: skip
    return bool(ways)


def test_counts_stand_exactly_where_piles_with_them_exist():
    generator, yes, no = random.Random(1), 0, 0
    for _ in range(150):
        counts = dict.fromkeys(range(1, 14), 0)
        for _ in range(4):
            for rank in range(1, generator.randint(0, 13) + 1):
                counts[rank] += 1
            for rank in range(generator.randint(1, 14), 14):
                counts[rank] += 1
            for rank in range(generator.randint(1, 7), 7):
                counts[rank] += 1
            for rank in range(7, generator.randint(6, 13) + 1):
                counts[rank] += 1
        for _ in range(generator.choice((0, 1, 2, 3, 6, 9))):
            rank = generator.randint(1, 13)
            counts[rank] = min(12, max(0, counts[rank] + generator.choice((-1, 1))))
        packed = sum(number << 4 * rank for rank, number in counts.items())
        expected = stands_by_trying(counts)
        assert stands_kernel(packed) == expected
        yes, no = yes + expected, no + (not expected)
        if expected:
            places = placeable_kernel(packed)
            for rank in range(1, 14):
                if counts[rank] < 12:
                    more = {**counts, rank: counts[rank] + 1}
                    assert bool(places >> rank & 1) == stands_by_trying(more)
    assert yes > 20
    assert no > 5


def random_game(seed, generator, settings):
    """A game after some random moves, foundations moves now and then."""
    game = RacingAces(deal(seed, generator.randrange(1000)), settings)
    for _ in range(generator.randrange(400)):
        legal = game.legal()
        if not legal:
            break
        placings = [m for m in legal if m[-1] in BASES and m[0] not in BASES]
        game.move(generator.choice(placings if placings and generator.random() < 0.8 else legal))
    return game


def test_random_play_keeps_all_cards_and_undo_restores_every_state():
    generator = random.Random(3)
    for number in range(6):
        game = RacingAces(deal(2, number), RacingAcesSettings(initial_waste=number % 2))
        states = [game.state()]
        for _ in range(300):
            legal = game.legal()
            if not legal:
                break
            game.move(generator.choice(legal))
            states.append(game.state())
            assert cards_of(game.table) == [12] * 13
        while game.history:
            assert game.state() == states.pop()
            game.undo()
        assert [game.state()] == states


def cards_of(table):
    """Cards of each rank on the table."""
    loose = [*table.tableau, *table.waste, *table.stock, *itertools.chain(*table.reserves)]
    for group, tops in table.foundations.items():
        step = 1 if group in "AV" else -1
        for top in filter(None, tops):
            loose += range(BASES[group], top + step, step)
    return [loose.count(rank) for rank in range(1, 14)]


def test_every_move_of_the_real_game_is_a_move_of_the_game_of_counts():
    """A loss there is a loss here: whatever is placed on real piles can be placed by counts."""
    generator = random.Random(5)
    for number in range(40):
        game = random_game(4, generator, RacingAcesSettings(initial_waste=number % 2))
        counts = 0
        for group, tops in game.table.foundations.items():
            step = 1 if group in "AV" else -1
            for top in filter(None, tops):
                counts += sum(1 << 4 * rank for rank in range(BASES[group], top + step, step))
        assert stands_kernel(counts)
        places = placeable_kernel(counts)
        for move in game.legal():
            source, _, target = move.partition(">")
            if target in BASES and source[0] not in BASES:
                assert places >> game.sources()[source] & 1


def test_every_placing_of_the_game_of_counts_can_be_played_out_on_real_piles():
    from ricochet_casino.games.racing_aces.solver import _arrange

    generator, shifted = random.Random(6), 0
    for _ in range(60):
        game = random_game(7, generator, PLAIN)
        tops = tuple(game.table.foundations[group] for group in "ASVK")
        counts = 0
        for group, group_tops in game.table.foundations.items():
            step = 1 if group in "AV" else -1
            for top in filter(None, group_tops):
                counts += sum(1 << 4 * rank for rank in range(BASES[group], top + step, step))
        places = placeable_kernel(counts)
        for rank in range(1, 14):
            arranged = _arrange(tops, rank)
            assert (arranged is not None) == bool(places >> rank & 1)
            if arranged is not None and arranged[1]:
                shifted += 1
                again = RacingAces.at(game.table, PLAIN)
                for move in arranged[1]:
                    again.move(move)
    assert shifted > 10


def accepted(game):
    """Moves that the referee carries out when asked."""
    sources = [f"T{i}" for i in range(1, 7)] + ["R1", "R2", "R3", "W"]
    sources += [f"{group}{rank}" for group in BASES for rank in range(1, 14)]
    targets = [*BASES, *(f"T{i}" for i in range(1, 7))]
    found = []
    for move in [DEAL, *(f"{a}>{b}" for a in sources for b in targets)]:
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
    generator, looked, index = random.Random(seed), 0, 0
    while looked < number:
        game = RacingAces(deal(seed, index), RacingAcesSettings(initial_waste=index % 2))
        index += 1
        for _ in range(500):
            looked += 1
            legal = game.legal()
            assert game.is_stuck == (not legal and not game.is_won)
            if game.is_stuck or looked % every == 0:
                assert sorted(accepted(game)) == sorted(legal)
            if not legal or looked >= number:
                break
            away = [move for move in legal if move[0] not in BASES]
            game.move(generator.choice(away if away and generator.random() < 0.9 else legal))


def test_stuck_means_that_nothing_can_be_done():
    stuck_agrees(2000, 8, 50)


@pytest.mark.slow
def test_stuck_means_that_nothing_can_be_done_in_100000_positions():
    stuck_agrees(100_000, 9, 200)


def test_the_referee_says_why_a_move_is_refused():
    game = RacingAces(GIVEN["deals"][0]["deck"], PLAIN)
    for move, said in (
        ("T1", "expected D or SOURCE>TARGET"), ("T9>A", "there is no card T9"),
        ("T1>T2", "the stock fills the tableau"), ("T1>X", "expected A, S, V, K"),
        ("W>A", "there is no card W"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            game.move(move)
    with pytest.raises(ValueError, match="no move to take back"):
        game.undo()


def test_a_game_under_way_is_decided_too():
    entry = GIVEN["deals"][1]
    game = RacingAces(entry["deck"], PLAIN)
    for move in entry["moves"][:150]:
        game.move(move)
    found = RacingAcesSolver(PLAIN).decide(entry["deck"], table=game.table)
    assert found.verdict == "won"
    for move in found.moves:
        game.move(move)
    assert game.is_won
    assert RacingAcesSolver(PLAIN).decide(entry["deck"], table=game.table).verdict == "won"
    assert play_out(game.table, []) == []


def test_a_move_that_undoes_the_last_one_may_be_needed_and_is_legal():
    game = RacingAces.at(table_of(GIVEN["positions"][5]["state"]), PLAIN)
    before = game.state()
    game.move("A6>S")
    assert "S6>A" in game.legal()
    game.move("S6>A")
    assert game.state() == before


def test_deals_that_are_lost_at_first_sight():
    lost = {entry["id"]: entry["verdict"] == "lost" for entry in GIVEN["deals"]}
    for entry in GIVEN["deals"]:
        assert not is_out_of_reach(entry["deck"]) or lost[entry["id"]]
    assert is_out_of_reach(next(e for e in GIVEN["deals"] if e["id"] == "lost_k2_1")["deck"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda deck: deck[:155], "expected 156 cards, got 155"),
        (lambda deck: [deck[0], *deck], "13 cards of rank"),
        (lambda deck: [14, *deck[1:]], "unknown rank 14"),
        (lambda deck: [True, *deck[1:]], "unknown rank true"),
        (lambda deck: ["A", *deck[1:]], 'unknown rank "A"'),
        (lambda deck: 7, "a list of 156"),
    ],
)
def test_bad_decks_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        parse_deck(change(GIVEN["deals"][0]["deck"]))


def test_limits_leave_deals_undecided():
    entry = next(e for e in GIVEN["deals"] if e["id"] == "seed5980")
    found = RacingAcesSolver(PLAIN).decide(entry["deck"], limit_states=30_000)
    assert found.verdict == "undecided"
    assert found.states >= 30_000
    assert RacingAcesSolver(PLAIN).decide(entry["deck"], limit_seconds=0.0).verdict == "undecided"


def test_searches_grow_and_change():
    assert [width_of(tries) for tries in (0, 1, 2, 9, 10, 34)] == [8, 8, 16, 128, 128, 256]
    assert weights_of(0).tolist() == weights_of(1).tolist()
    assert len({tuple(weights_of(tries).tolist()) for tries in range(2, 40)}) > 30


@pytest.mark.parametrize(
    "deals", [pytest.param(24, id="small"), pytest.param(400, marks=pytest.mark.slow, id="large")]
)
def test_nearly_every_deal_is_won_with_all_cards_in_sight(deals):
    entry = run(RacingAcesStudy(PLAIN, deals, 3)).entry
    assert entry["lost"] == 0
    assert entry["won"] >= 0.99 * deals
    assert entry["won"] + entry["undecided"] == deals


def test_blind_players_win_fewer_and_an_end_game_search_helps():
    greedy = play_deals(PLAIN, "greedy", 1, 0, 400).mean()
    endgame = play_deals(PLAIN, "endgame", 1, 0, 60).mean()
    assert 0.08 < greedy < 0.3
    assert greedy + 0.2 < endgame < 1
    whole = play_deals(RacingAcesSettings(initial_waste=1), "greedy", 1, 0, 90)
    parts = [
        play_deals(RacingAcesSettings(initial_waste=1), "greedy", 1, first, 30)
        for first in (0, 30, 60)
    ]
    assert np.array_equal(whole, np.concatenate(parts))


def test_deals_by_number_are_three_whole_decks():
    rows = dealt_ranks(5, 7, 3)
    assert tuple(rows[1].tolist()) == deal(5, 8)
    assert np.bincount(rows[0], minlength=14).tolist() == [0] + [12] * 13


def test_a_study_is_the_same_for_one_worker_and_two():
    study = RacingAcesStudy(PLAIN, 20, 2)
    assert run(study) == run(study, workers=2)
