"""`ricochet home study`, `ricochet home duel` and `ricochet home hand`: hands of play."""

from typing import Annotated, Any

import typer

from ricochet_casino.cli.common import (
    ExecutorOption,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    TextOrJson,
    WorkersOption,
    check_text_or_json,
    running,
    say,
    say_json,
    say_rows,
)
from ricochet_casino.cli.home_options import (
    POLICIES,
    CoinOption,
    EmptyStubOption,
    JokersOption,
    LevelHandsOption,
    LimitOption,
    PlayersOption,
    PlayoutsOption,
    PolicyOption,
    PresetOption,
    StartOption,
    chosen_settings,
    ends,
)
from ricochet_casino.experiment import Experiment
from ricochet_casino.games.home_poker import DEFAULT_PLAYOUTS
from ricochet_casino.lab import DEFAULT_SEED


def study(
    players: PlayersOption = 4,
    policy: PolicyOption = None,
    hands: Annotated[
        int, typer.Option(min=1, max=10**13, help="Hands of play, at most 10^13.")
    ] = 100_000,
    seed: SeedOption = DEFAULT_SEED,
    preset: PresetOption = "basic",
    limit: LimitOption = None,
    start: StartOption = None,
    jokers: JokersOption = None,
    level_hands: LevelHandsOption = None,
    coin: CoinOption = None,
    empty_stub: EmptyStubOption = None,
    playouts: PlayoutsOption = DEFAULT_PLAYOUTS,
    form: TextOrJson = "text",
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Play many hands and report pots, actions, splits, winning hands and each seat's result.

    The intervals of all seats hold together at 99 %: they show whether a seat has an advantage, or
    which policy is the better one. Examples: `ricochet home study --players 8 --policy buy_one
    --hands 1000000`, and the strong policy in seat 1 against three who count pot odds:
    `ricochet home study --players 4 --policy look_ahead --policy pot_odds --policy pot_odds
    --policy pot_odds --hands 40000`.
    """
    check_text_or_json(form)
    from ricochet_casino.games.home_poker.study import Study

    settings = chosen_settings(preset, limit, start, jokers, level_hands, coin, empty_stub)
    chosen = policy or ["pot_odds"]
    experiment = Study(settings, players, chosen, hands, seed, playouts=playouts)
    place = Place(workers, executor, store, resume, restart)
    entry = _run(experiment, "home_study", "hands of play", place, form)
    if entry is None:
        return
    _say_study(entry)


def _run(
    experiment: Experiment, what: str, stage: str, place: Place, form: str
) -> dict[str, Any] | None:
    """The figures of an experiment, or None if they were printed as JSON."""
    with running(place, {"what": what, "spec": experiment.spec()}) as runner:
        entry, blocks = runner.run(experiment, stage)
    if form == "json":
        say_json({"spec": experiment.spec(), "entry": entry, "blocks": blocks})
        return None
    return entry


def duel(
    players: PlayersOption = 4,
    policy: Annotated[
        str,
        typer.Option(help="Of one seat, each in turn.", autocompletion=lambda: list(POLICIES)),
    ] = "look_ahead",
    against: Annotated[
        str,
        typer.Option(help="Of all other seats.", autocompletion=lambda: list(POLICIES)),
    ] = "pot_odds",
    hands: Annotated[
        int, typer.Option(min=1, max=10**13, help="Deals, each played twice; at most 10^13.")
    ] = 10_000,
    seed: SeedOption = DEFAULT_SEED,
    preset: PresetOption = "basic",
    limit: LimitOption = None,
    start: StartOption = None,
    jokers: JokersOption = None,
    level_hands: LevelHandsOption = None,
    coin: CoinOption = None,
    empty_stub: EmptyStubOption = None,
    playouts: PlayoutsOption = DEFAULT_PLAYOUTS,
    form: TextOrJson = "text",
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Which of two policies is better: both play the same seat with the same cards.

    In every deal one seat, each in turn, plays `--policy` and all others play `--against`; then the
    same deal is played with `--against` in every seat. The gain is the difference, in chips a hand:
    what the policy wins from the others, with much of the luck taken off. Examples:

    `ricochet home duel --players 4 --hands 20000 --workers 2`

    `ricochet home duel --players 2 --policy pot_odds --against buy_maximum --hands 1000000`
    """
    check_text_or_json(form)
    from ricochet_casino.games.home_poker.duel import Duel

    settings = chosen_settings(preset, limit, start, jokers, level_hands, coin, empty_stub)
    experiment = Duel(settings, players, policy, against, hands, seed, playouts=playouts)
    place = Place(workers, executor, store, resume, restart)
    entry = _run(experiment, "home_duel", "deals", place, form)
    if entry is None:
        return
    say(
        f"{entry['hands']:,} deals of {players} players: one seat by {policy}, the others by "
        f"{against}; seed {seed}\n"
    )
    rows = [
        (text, f"{float(entry[name]['decimal']):+.4f}", ends(entry[name]))
        for text, name in (("gain over the same seat", "gain"), ("what the seat nets", "net"))
    ]
    say_rows(("chips a hand", "mean", "99 % interval"), rows)
    same = entry["hands"] - entry["better"] - entry["worse"]
    say(
        f"\nIt nets more in {entry['better']:,} deals, less in {entry['worse']:,}, the same in "
        f"{same:,}."
    )
    verdict = "is better than" if entry["policy_is_better"] else "is not shown to be better than"
    say(f"{policy} {verdict} {against}.")


def hand(
    players: PlayersOption = 4,
    policy: PolicyOption = None,
    seed: SeedOption = 0,
    number: Annotated[int, typer.Option(min=0, help="Which deal of the seed.")] = 0,
    preset: PresetOption = "basic",
    limit: LimitOption = None,
    start: StartOption = None,
    jokers: JokersOption = None,
    level_hands: LevelHandsOption = None,
    coin: CoinOption = None,
    empty_stub: EmptyStubOption = None,
    form: TextOrJson = "text",
) -> None:
    """Play one hand by the book and tell it step by step.

    Examples: `ricochet home hand --seed 7`, `ricochet home hand --players 6 --policy buy_maximum
    --preset seven_cards`.
    """
    check_text_or_json(form)
    from ricochet_casino.games.home_poker.narration import narrate
    from ricochet_casino.lab.home import refereed_hand

    settings = chosen_settings(preset, limit, start, jokers, level_hands, coin, empty_stub)
    table = refereed_hand(settings, policy or ["buy_maximum"], players, seed, number)
    if form == "json":
        events = [{**event._asdict(), "kind": str(event.kind)} for event in table.events]
        say_json({"events": events, "net": list(table.net), "unit": settings.unit})
        return
    for line in narrate(table):
        say(line)


def _say_study(entry: dict[str, Any]) -> None:
    settings = entry["settings"]
    jokers = f"{settings['jokers']} Jokers" if settings["jokers"] != 1 else "1 Joker"
    say(
        f"{entry['hands']:,} hands of {entry['players']} players; hand limit "
        f"{settings['hand_limit']}, {settings['starting_cards']} to start with, {jokers}, level "
        f"hands: {settings['level_hands']}, coin {settings['coin']}, seed {entry['seed']}\n"
    )
    named = (
        ("pot", "chips in the pot"),
        ("actions_per_hand", "actions in a hand"),
        ("split_pots", "split pots, share"),
    )
    rows = [(text, _short(entry[name]), ends(entry[name])) for name, text in named]
    rows += [
        (name.replace("_", " "), _short(figure), "")
        for name, figure in entry["per_hand"].items()
        if figure["decimal"] != "0"
    ]
    say_rows(("per hand", "mean", "99 % interval"), rows)
    pace = float(entry["seconds_per_action_in_five_minutes"]["decimal"])
    say(f"\nThe rulebook's five minutes would be {pace:.0f} seconds for each action.\n")
    say_rows(
        ("seat", "policy", "net chips a hand", "interval, all seats at 99 %", "wins"),
        ((str(row["seat"]), row["policy"], *_result(row)) for row in entry["by_seat"]),
    )
    say(f"\n{_verdict(entry)}\n")
    won = sum(entry["winning_hands"].values())
    say_rows(
        ("winning hand", "share"),
        ((n, f"{k / won * 100:.3f} %") for n, k in entry["winning_hands"].items() if k),
    )
    say("")
    say_rows(
        ("first card", "net chips a hand", "99 % interval", "wins"),
        ((row["rank"], *_result(row)) for row in entry["first_card"]),
    )


def _result(row: dict[str, Any]) -> tuple[str, str, str]:
    """Net chips, their interval, and share of pots won or shared."""
    net, wins = row["net"], float(row["wins"]["decimal"])
    return f"{float(net['decimal']):+.4f}", ends(net), f"{wins * 100:.2f} %"


def _verdict(entry: dict[str, Any]) -> str:
    fairness = entry["fairness"]
    inside, players = fairness["seats_whose_interval_contains_zero"], entry["players"]
    if not fairness["same_policy_in_every_seat"]:
        return (
            f"{players - inside} of {players} intervals exclude zero: that is the policies' doing, "
            "for the deal treats all seats alike."
        )
    if inside == players:
        return "All intervals contain zero: no seat shows an advantage."
    return f"{players - inside} of {players} intervals exclude zero."


def _short(figure: dict[str, Any]) -> str:
    return f"{float(figure['decimal']):.4f}"
