"""The compiled games against the referee, event for event, and the study as an experiment."""

import random
from collections import Counter
from fractions import Fraction

import pytest

from ricochet_casino.experiment import Experiment, Shard, Tally
from ricochet_casino.games import build
from ricochet_casino.games.pinball.deck import generated_deck
from ricochet_casino.games.pinball.events import Event, Kind, Reason, Rules
from ricochet_casino.games.pinball.exact import mean_rounds, rounds_law
from ricochet_casino.games.pinball.players import Player
from ricochet_casino.games.pinball.replay import replay_game
from ricochet_casino.games.pinball.study import (
    BLOCK,
    GAME_STREAM,
    Study,
    compiled_game,
    conserved,
    game_order,
    game_orders,
    refereed_game,
)
from ricochet_casino.games.pinball.study_figures import round_bounds, rounds_distribution
from ricochet_casino.runs import run
from ricochet_casino.stats.checks import chi_square

EVEN = Player()


def random_player(rng):
    """Models of every kind: some never err, some mostly do, some take no other time than one."""
    return Player(
        Fraction(rng.choice([20, 100, 800, 820]), 1000),
        Fraction(rng.choice([0, 1, 4, 10]), 10),
        Fraction(rng.choice([0, 0, 2, 10, 45, 90]), 100),
    )


def random_study(rng, players, games=100):
    rules = Rules(
        players,
        rng.choice([1, 2, 6, 6, 12]),
        rng.random() < 0.5,
        rng.choice([1, 10, 100, 1000]),
        rng.choice([3, 40, 150]),
    )
    models = [random_player(rng) for _ in range(players)]
    deck = generated_deck(rng.randrange(5))
    return Study(rules, deck, models, games, rng.randrange(1 << 64))


def parts(study):
    return study.rules, study.deck, study.players, study.seed


def test_kernel_and_referee_agree_event_for_event():
    rng = random.Random(1)
    seen = Counter()
    for players in (*range(2, 11), *range(2, 11)):
        for _ in range(3):
            study = random_study(rng, players)
            for number in (0, rng.randrange(10**13)):
                slow = refereed_game(*parts(study), number)
                assert compiled_game(*parts(study), number) == slow
                assert replay_game(slow.events, game_order(study.seed, number)) == -1
                seen.update(event.kind for event in slow.events)
                seen[slow.reason] += 1
    assert min(seen[kind] for kind in (*Kind, Reason.GOAL, Reason.UNDECIDED)) > 0


def test_kernel_and_referee_agree_when_the_stock_runs_out():
    ends = Counter()
    for full_tilt, players in ((False, 10), (True, 9), (True, 10)):
        rules = Rules(players, full_tilt=full_tilt)
        models = [EVEN] * players
        for number in range(100):
            fast = compiled_game(rules, generated_deck(1), models, 3, number)
            ends[full_tilt, fast.reason] += 1
            if fast.reason is Reason.EXHAUSTED:
                assert sum(fast.cards) == rules.stock
                assert refereed_game(rules, generated_deck(1), models, 3, number) == fast
    # With a goal of 23 two players can share a game: 23 each cannot be, 46 cards are.
    rules = Rules(2, 24)
    shared = 0
    for number in range(40):
        fast = compiled_game(rules, generated_deck(1), [EVEN] * 2, 3, number)
        if fast.reason is Reason.EXHAUSTED:
            assert fast == refereed_game(rules, generated_deck(1), [EVEN] * 2, 3, number)
            assert fast.cards == (23, 23)
            assert fast.winners == (0, 1)
            shared += 1
    assert shared > 0


def counted(study, games):
    """The tally of refereed games, by its documented names."""
    counts = Counter({"games": len(games)})
    for game in games:
        counts[f"rounds.{game.rounds}"] += 1
        counts[f"end.{game.reason}"] += 1
        counts["won_rounds"] += len(game.last_places)
        counts["void_rounds"] += game.void
        counts["ties"] += game.ties
        counts["turns"] += sum(event.kind is Kind.TURN for event in game.events)
        counts["games_with_slip"] += any(game.slips)
        for number, place in enumerate(game.last_places, 1):
            counts[f"place.{min(number, 50)}.{place}"] += 1
            if number > 1:
                same = place == game.last_places[number - 2]
                counts["pairs"] += 1
                counts["pairs_same"] += same
                counts[f"same.{min(number, 50)}"] += same
        for seat in range(study.rules.players):
            name = f"seat{seat + 1}"
            for field in ("cards", "slips", "lost"):
                counts[f"{name}.{field}"] += getattr(game, field)[seat]
            if seat in game.winners:
                share = 2520 // len(game.winners)
                counts[f"{name}.{'won' if len(game.winners) == 1 else 'shared'}"] += 1
                counts[f"{name}.shares"] += share
                counts[f"{name}.share_squares"] += share**2
    return {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize("players", [2, 3, 10])
def test_the_tally_is_that_of_the_refereed_games(players):
    rng = random.Random(100 + players)
    for _ in range(4):
        study = random_study(rng, players, 15)
        games = [refereed_game(*parts(study), number) for number in range(15)]
        tally = Tally.total(study.run(shard) for shard in study.shards())
        assert {name: n for name, n in tally.counts.items() if n} == counted(study, games)
        study.result(tally)


# --- Conservation --------------------------------------------------------------------------------


def conserve(games, seed):
    rng = random.Random(seed)
    slips = ties = 0
    for _ in range(8):
        rules = Rules(rng.randint(2, 10), 6, rng.random() < 0.5, longest=400)
        error = Fraction(rng.choice([5, 10, 15]), 100)
        models = [Player(Fraction(rng.randint(5, 9), 10), error=error)] * rules.players
        study = Study(rules, generated_deck(seed), models, games, seed)
        counts = conserved(study, 0, games // 8).counts
        slips += sum(counts[f"seat{seat}.slips"] for seat in range(1, rules.players + 1))
        ties += counts["ties"]
    assert slips > games
    assert ties > games // 20


def test_all_50_cards_are_accounted_for_after_every_event():
    conserve(8_000, 1)


@pytest.mark.slow
def test_all_50_cards_are_accounted_for_after_every_event_of_a_million_games():
    conserve(1_000_000, 2)


def test_the_replay_notices_a_card_that_is_elsewhere():
    study = Study(Rules(3), generated_deck(1), [Player(error=Fraction(1, 5))] * 3, 1, 5)
    game = refereed_game(*parts(study), 0)
    order = game_order(5, 0)
    moving = {Kind.LAY, Kind.TURN, Kind.WIN, Kind.MOVE}
    changed = 0
    for place, event in enumerate(game.events):
        if event.kind not in moving:
            continue
        changed += 1
        tampered = [*game.events]
        tampered[place] = event._replace(card=(event.card + 1) % 50)
        assert replay_game(tampered, order) == place
    assert changed > 10
    win = next(i for i, event in enumerate(game.events) if event.kind is Kind.WIN)
    without = [*game.events[:win], *game.events[win + 1 :]]
    assert replay_game(without, order) >= win
    twice = [*game.events[:4], Event(Kind.TURN, card=order[4]), Event(Kind.TURN, card=order[5])]
    assert replay_game(twice, order) == 5


# --- Figures -------------------------------------------------------------------------------------


def study_of(players, games, seed=1, **changes):
    rules = Rules(players, **changes)
    return Study(rules, generated_deck(1), [EVEN] * players, games, seed)


def check_mean(players, games):
    entry = run(study_of(players, games), workers=1).entry["rounds"]
    exact = mean_rounds(players)
    assert entry["exact_mean_of_equal_players"]["exact"] == str(exact)
    error = Fraction(entry["standard_error"]["decimal"])
    assert abs(Fraction(entry["mean"]["decimal"]) - exact) < 4 * error
    low, high = map(Fraction, entry["mean"]["interval"])
    assert low < exact < high


@pytest.mark.parametrize("players", [2, 3, 4, 6, 8])
def test_the_mean_number_of_rounds_of_equal_players(players):
    check_mean(players, 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 6, 8, 10])
def test_the_mean_number_of_rounds_of_equal_players_in_a_million_games(players):
    check_mean(players, 1_000_000)


def test_rounds_follow_their_exact_law():
    study = study_of(3, 20_000, seed=8)
    seen = rounds_distribution(Tally.total(map(study.run, study.shards())).counts)
    law = {str(rounds): chance for rounds, chance in rounds_law(3).items()}
    assert chi_square({str(n): games for n, games in seen.items()}, law).p_value > 1e-4


@pytest.mark.parametrize("full_tilt", [False, True])
def test_the_last_card_is_uniform_in_each_round_and_rounds_depend_on_each_other(full_tilt):
    study = study_of(3, 40_000, seed=2, full_tilt=full_tilt)
    places = run(study, workers=1).entry["places"]
    assert [row["round"] for row in places["by_round"]] == [1, 2, 3, 4, 5, 6]
    for row in places["by_round"]:
        assert row["degrees"] == 3 + full_tilt
        assert Fraction(row["chi_square"]) < 27  # p about 1e-5
    share = Fraction(places["same_place_share"]["exact"])
    assert Fraction(36, 100) < share < Fraction(42, 100)
    again = [Fraction(row["same_place_share"]["exact"]) for row in places["by_round"][1:]]
    assert again[0] < again[1] < again[2] < again[4]


def test_a_slower_player_and_one_who_errs_win_less():
    fast, slow, rash = EVEN, Player(Fraction("0.9")), Player(error=Fraction(1, 10))
    study = Study(Rules(3), generated_deck(1), [fast, slow, rash], 5_000, 3)
    shares = [
        Fraction(row["win_share"]["decimal"]) for row in run(study, workers=1).entry["win_shares"]
    ]
    assert shares[0] > 2 * max(shares[1:])


def test_bounds_of_rounds_hold():
    assert round_bounds(Rules(3), [EVEN] * 3) == (1, 16)
    assert round_bounds(Rules(10), [EVEN] * 10) == (1, 46)
    assert round_bounds(Rules(2, longest=7), [EVEN] * 2) == (1, 7)
    assert round_bounds(Rules(2), [EVEN, Player(error=Fraction(1, 2))]) == (1, 1000)


# --- The experiment ------------------------------------------------------------------------------


def test_results_do_not_depend_on_workers_or_blocks():
    study = study_of(2, 2 * BLOCK + 77)
    assert isinstance(study, Experiment)
    one, two = run(study, workers=1), run(study, workers=2)
    assert one == two
    whole = study.run(Shard("all", [0, study.games]))
    assert study.result(whole).entry == one.entry


def test_the_study_can_be_made_again_from_its_specification():
    study = random_study(random.Random(3), 4)
    again = build(study.spec())
    assert again.spec() == study.spec()
    assert run(again, workers=1) == run(study, workers=1)


def test_wrong_specifications_are_refused():
    spec = study_of(2, 10).spec()
    parameters = spec["parameters"]
    for changes, said in (
        ({"goal": 47}, "1 to 46"),
        ({"games": 0}, "games must be 1 to"),
        ({"seed": -1}, "seed"),
        ({"players": 3}, "players must be a list"),
        ({"players": parameters["players"][:1]}, "players must be 2 to 10"),
        ({"gaol": 3}, "did you mean goal"),
        ({"deck": {}}, "not a deck"),
    ):
        with pytest.raises(ValueError, match=said):
            build({**spec, "parameters": {**parameters, **changes}})
    with pytest.raises(ValueError, match="the parameter tick is missing"):
        build({**spec, "parameters": {k: v for k, v in parameters.items() if k != "tick"}})
    with pytest.raises(ValueError, match="1 models for 2 players"):
        Study(Rules(2), generated_deck(1), [EVEN], 10, 1)
    with pytest.raises(ValueError, match="holds 0 of 10 games"):
        study_of(2, 10).result(Tally())


def test_shuffles_of_the_kernel_are_those_of_the_referee():
    orders = game_orders(9, 5, 3)
    assert [tuple(row) for row in orders.tolist()] == [game_order(9, 5 + j) for j in range(3)]
    assert GAME_STREAM == 2
