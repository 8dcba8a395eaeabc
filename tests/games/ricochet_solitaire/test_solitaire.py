"""Ricochet solitaire: layout, referee, checker, solver and players against each other."""

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest

from ricochet_casino.games.ricochet_solitaire import layout
from ricochet_casino.games.ricochet_solitaire.check import check_line
from ricochet_casino.games.ricochet_solitaire.deals import deal, dealt_cards, parse_deal
from ricochet_casino.games.ricochet_solitaire.players import (
    kernel_rules,
    play_deals,
    shared_walls,
)
from ricochet_casino.games.ricochet_solitaire.rules import FLIP, Solitaire
from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings
from ricochet_casino.games.ricochet_solitaire.solver import SolitaireSolver
from ricochet_casino.games.ricochet_solitaire.study import SolitaireStudy
from ricochet_casino.runs import run

GOLDEN = Path(__file__).parents[2] / "golden"
GIVEN = json.loads((GOLDEN / "ricochet_solitaire.json").read_text())
SHARES = json.loads((GOLDEN / "patience_shares.json").read_text())["ricochet_solitaire"]
RULES = {name: SolitaireSettings(**values) for name, values in GIVEN["rules"].items()}
EVERY = [
    SolitaireSettings(wrap=a, flip_lifts_wall_rule=b, flip_only_when_stuck=c, ends_with_stock=d)
    for a, b, c, d in itertools.product((True, False), repeat=4)
]


def line_of(entry, rules):
    if rules == "main":
        return entry.get("solution_main")
    return entry.get("solutions_other", {}).get(rules)


def test_places_cover_each_other_as_the_layout_says():
    for place in layout.MIDDLE:
        assert layout.covers(place) == (place + 12, 20 if place == 19 else place + 13)
    assert [layout.covers(place) for place in layout.OUTER] == [
        (8, 9), (9, 10), (11, 12), (12, 13), (14, 15), (15, 16), (17, 18), (18, 19),
    ]  # fmt: skip
    corners = {20: ("north", "west"), 23: ("north", "east"), 26: ("east", "south")}
    for corner, walls in corners.items():
        assert set(layout.walls_of(corner)) == set(walls)
    assert sum(len(layout.walls_of(place)) for place in range(32)) == 36
    with pytest.raises(ValueError, match="a place is 0 to 31"):
        layout.covers(32)


def test_the_index_of_configurations_has_no_gaps_and_no_repeats():
    from ricochet_casino.games.ricochet_solitaire.board_kernel import index_kernel, open_kernel

    tables, outer = layout.index_tables(), layout.outer_table()
    seen = {0: index_kernel(0, *tables)}
    waiting = [0]
    generator = random.Random(1)
    while waiting and len(seen) < 20_000:
        removed = waiting.pop(generator.randrange(len(waiting)))
        opened = open_kernel(removed, outer)
        assert opened == layout.open_places(removed)
        for place in range(32):
            then = removed | 1 << place
            if opened >> place & 1 and then not in seen:
                seen[then] = index_kernel(then, *tables)
                waiting.append(then)
    assert len(set(seen.values())) == len(seen)
    assert max(seen.values()) < layout.CONFIGURATIONS


@pytest.mark.slow
def test_there_are_260959_configurations():
    from ricochet_casino.games.ricochet_solitaire.board_kernel import index_kernel, open_kernel

    tables, outer = layout.index_tables(), layout.outer_table()
    seen, waiting = {0}, [0]
    while waiting:
        removed = waiting.pop()
        opened = open_kernel(removed, outer)
        for place in range(32):
            then = removed | 1 << place
            if opened >> place & 1 and then not in seen:
                seen.add(then)
                waiting.append(then)
    numbers = {int(index_kernel(removed, *tables)) for removed in seen}
    assert numbers == set(range(layout.CONFIGURATIONS))


@pytest.mark.parametrize("rules", RULES)
def test_verdicts_are_the_given_ones_and_lines_win_by_checker_and_referee(rules):
    solver = SolitaireSolver(RULES[rules])
    for entry in GIVEN["deals"]:
        cards = parse_deal(entry["cards"])
        found = solver.decide(cards)
        assert (found.verdict == "won") == entry["verdicts"][rules], entry["id"]
        for line in filter(None, (found.moves, line_of(entry, rules))):
            assert check_line(cards, line, **RULES[rules].model_dump())
            game = Solitaire(cards, RULES[rules])
            for move in line:
                game.move(move)
            assert game.is_won


def brute(game):
    """Whether a position can be won, by the referee alone."""
    seen, waiting = set(), [()]
    begin = len(game.history)
    while waiting:
        moves = waiting.pop()
        while len(game.history) > begin:
            game.undo()
        for move in moves:
            game.move(move)
        if game.is_won:
            return True
        waste_rank = game.waste[-1] // 4
        key = (frozenset(game.walls), len(game.stock), waste_rank, game.closed)
        if key not in seen:
            seen.add(key)
            waiting += [(*moves, move) for move in game.legal()]
    return False


@pytest.mark.parametrize("settings", EVERY, ids=lambda s: ",".join(s.texts()))
def test_late_positions_are_decided_as_by_brute_force(settings):
    solver, generator = SolitaireSolver(settings), random.Random(7)
    won = 0
    for number in range(3):
        cards = deal(11, number)
        game = Solitaire(cards, settings)
        while game.legal() and len(game.walls) > 9:
            game.move(generator.choice(game.plays() or game.legal()))
        if len(game.walls) > 22:
            continue
        played = game.history
        found = solver.decide(cards, played=played)
        assert (found.verdict == "won") == brute(game)
        won += found.verdict == "won"
    easy = solver.decide(deal(3, 0))
    assert easy.verdict in ("won", "lost")


@pytest.mark.parametrize("settings", EVERY, ids=lambda s: ",".join(s.texts()))
def test_random_play_keeps_all_cards_and_undo_restores_every_state(settings):
    generator = random.Random(str(settings))
    for number in range(4):
        cards = deal(5, number)
        game = Solitaire(cards, settings)
        states = [game.state()]
        while game.legal():
            game.move(generator.choice(game.legal()))
            states.append(game.state())
            there = [*game.walls.values(), *game.waste, *game.stock]
            assert sorted(there) == list(range(52))
        assert game.is_won or game.is_stuck
        if game.is_won:
            assert check_line(cards, game.history, **settings.model_dump())
        while game.history:
            assert game.state() == states.pop()
            game.undo()
        assert [game.state()] == states
        with pytest.raises(ValueError, match="no move to take back"):
            game.undo()


def accepted(game):
    """Moves that the referee carries out when asked."""
    found = []
    for move in [*range(32), FLIP]:
        before = game.state()
        try:
            game.move(move)
        except ValueError:
            assert game.state() == before
            continue
        game.undo()
        found.append(move)
    return found


def stuck_agrees(number, seed):
    """Referee and kernels agree on what can be played, in so many random positions."""
    from ricochet_casino.games.ricochet_solitaire.board_kernel import (
        neighbours_kernel,
        open_kernel,
    )

    generator, shared = random.Random(seed), shared_walls()
    outer, near = layout.outer_table(), np.empty(13, dtype=np.int64)
    looked, index, stuck = 0, 0, 0
    while looked < number:
        settings = generator.choice(EVERY)
        cards = deal(seed, index)
        game, last = Solitaire(cards, settings), 32
        ranks = np.array([(card // 4 + 1) % 13 for card in cards], dtype=np.int64)
        neighbours_kernel(ranks, settings.wrap, near)
        index += 1
        while True:
            looked += 1
            removed = sum(1 << place for place in range(32) if place not in game.walls)
            top = (game.waste[-1] // 4 + 1) % 13
            plays = open_kernel(removed, outer) & near[top] & ~shared[last]
            over = settings.ends_with_stock and not game.stock
            expected = [place for place in range(32) if plays >> place & 1 and not over]
            assert game.plays() == expected
            can_flip = len(game.stock) > 0 and not (settings.flip_only_when_stuck and expected)
            assert game.can_flip() == (can_flip and not game.is_won)
            assert game.is_stuck == (not expected and not game.can_flip() and not game.is_won)
            stuck += game.is_stuck
            if not game.legal():
                break
            move = generator.choice(game.legal())
            game.move(move)
            if move != FLIP:
                last = move
            elif settings.flip_lifts_wall_rule:
                last = 32
        if index % 40 == 0:
            assert accepted(game) == game.legal()
    assert stuck > 0


def test_stuck_means_that_nothing_can_be_played():
    stuck_agrees(2000, 21)


@pytest.mark.slow
def test_stuck_means_that_nothing_can_be_played_in_100000_positions():
    stuck_agrees(100_000, 22)


def test_the_referee_says_why_a_move_is_refused():
    game = Solitaire(deal(20261130, 3), SolitaireSettings(flip_only_when_stuck=True))
    for move, said in (
        (20, "not next in rank"), (0, "covered"), (32, "expected flip or a place"),
        ("flipp", "did you mean flip"), ("flip", "flip_only_when_stuck"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            game.move(move)
    game.move(28)
    with pytest.raises(ValueError, match="it is empty"):
        game.move(28)
    with pytest.raises(ValueError, match=r"just played from|not next in rank"):
        game.move(27)


def test_the_checker_refuses_what_is_against_the_rules():
    entry = next(e for e in GIVEN["deals"] if line_of(e, "main"))
    cards, line = parse_deal(entry["cards"]), line_of(entry, "main")
    values = RULES["main"].model_dump()
    assert check_line(cards, line, **values)
    assert not check_line(cards, line[:-1], **values)
    assert not check_line(cards, line[1:], **values)
    assert not check_line(cards, ["flip"] * 20 + line, **values)
    assert not check_line(cards, [*line, "flip"], **values)
    assert not check_line(cards, [0, *line], **values)
    last = max(index for index, move in enumerate(line) if move == "flip")
    if line.count("flip") == 19:
        assert not check_line(cards, line, **{**values, "ends_with_stock": True})
    assert not check_line(cards, line[:last] + line[last + 1 :], **values)


def test_limits_leave_deals_undecided_and_work_arrays_clean():
    settings = RULES["no_wrap"]
    solver = SolitaireSolver(settings)
    cards = [tuple(row) for row in dealt_cards(1, 0, 12).tolist()]
    whole = [solver.decide(row) for row in cards]
    short = [solver.decide(row, limit_states=1500) for row in cards]
    assert {one.verdict for one in short} >= {"undecided"}
    for one, other in zip(short, whole, strict=True):
        assert one.verdict in ("undecided", other.verdict)
    assert [solver.decide(row) for row in cards] == whole
    hard = next(row for row, one in zip(cards, whole, strict=True) if one.states > 5000)
    assert solver.decide(hard, limit_seconds=0.0).verdict == "undecided"


def test_the_arrays_grow_when_a_sweep_needs_more_room():
    from ricochet_casino.games.ricochet_solitaire import solver as module

    solver = SolitaireSolver(RULES["no_reset"])
    whole = [solver.decide(deal(1, number)) for number in range(6)]
    small = SolitaireSolver(RULES["no_reset"])
    sizes = module._QUEUE, module._ENTRIES, module._TOUCHED
    try:
        module._QUEUE, module._ENTRIES, module._TOUCHED = 512, 256, 2048
        small._grow(1)
        assert [small.decide(deal(1, number)) for number in range(6)] == whole
    finally:
        module._QUEUE, module._ENTRIES, module._TOUCHED = sizes


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        (GIVEN["deals"][0]["cards"][:51], "expected 52 cards, got 51"),
        ([*GIVEN["deals"][0]["cards"][:51], "AC"], "twice"),
        ([*GIVEN["deals"][0]["cards"][:51], "1C"], "not a card"),
        ("AC", "a list of 52"),
        ([7] * 52, "must be texts"),
    ],
)
def test_bad_deals_are_refused(cards, said):
    with pytest.raises(ValueError, match=said):
        parse_deal(cards)


def near_golden(share, deals, golden):
    """Whether a share is within four combined standard errors of one with a 95 % interval."""
    middle, low, high = (part / 100 for part in golden)
    error = (high - low) / (2 * 1.96)
    ours = max(share * (1 - share), 1e-6) / deals
    return abs(share - middle) <= 4 * (ours + error**2) ** 0.5


NAMES = {
    "main": "wrap, flip lifts wall rule, flip any time",
    "no_wrap": "no wrap",
    "no_reset": "flip does not lift wall rule",
    "stuck_only": "flip only when stuck",
}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    "size",
    [pytest.param(1, id="small"), pytest.param(20, marks=pytest.mark.slow, id="large")],
)
def test_shares_are_near_the_given_ones(rules, size):
    golden = SHARES[NAMES[rules]]
    entry = run(SolitaireStudy(RULES[rules], 64 * size, 9)).entry
    assert near_golden(entry["won"] / entry["deals"], entry["deals"], golden["winnable"])
    for player in ("random", "greedy"):
        if f"{player}_player" in golden:
            deals = 20_000 * size
            won = int(play_deals(RULES[rules], player, 9, 0, deals).sum())
            assert near_golden(won / deals, deals, golden[f"{player}_player"])


def test_looking_ahead_beats_greed():
    settings = SolitaireSettings()
    ahead = int(play_deals(settings, "lookahead", 4, 0, 150).sum())
    greedy = int(play_deals(settings, "greedy", 4, 0, 150).sum())
    assert ahead > greedy


def test_players_win_only_what_can_be_won_and_do_not_depend_on_blocks():
    settings = RULES["no_wrap"]
    solver = SolitaireSolver(settings)
    whole = play_deals(settings, "greedy", 6, 0, 300)
    parts = [play_deals(settings, "greedy", 6, first, 100) for first in (0, 100, 200)]
    assert np.array_equal(whole, np.concatenate(parts))
    won = np.flatnonzero(whole)
    assert len(won)
    for number in won.tolist():
        assert solver.decide(deal(6, number)).verdict == "won"


def test_a_study_is_the_same_for_one_worker_and_two():
    study = SolitaireStudy(RULES["stuck_only"], 300, 2)
    one, two = run(study), run(study, workers=2)
    assert one == two
    assert kernel_rules(RULES["stuck_only"]) == (1, 1, 1, 19)
