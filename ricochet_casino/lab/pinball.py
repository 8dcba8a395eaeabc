"""Pinball Ricochet: chains of a file, studies with the cost of slips, measures and searches."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final

from ricochet_casino.games.pinball.deck import Deck, generated_deck
from ricochet_casino.games.pinball.deck_files import read_deck
from ricochet_casino.games.pinball.design import Search
from ricochet_casino.games.pinball.events import DEFAULT_GOAL, DEFAULT_LONGEST, DEFAULT_TICK, Rules
from ricochet_casino.games.pinball.layout_files import read_layouts
from ricochet_casino.games.pinball.measures import Measures, measures
from ricochet_casino.games.pinball.narration import narrate
from ricochet_casino.games.pinball.players import parse_players
from ricochet_casino.games.pinball.study import Study, refereed_game
from ricochet_casino.lab.running import Runner
from ricochet_casino.stats.exact import figure

DEFAULT_DECK: Final = "fairest"
DEFAULT_GAMES: Final = 100_000
_MOST_EXACT_PLAYERS: Final = 3
_MOST_EXACT_SPAN: Final = 2_000  # milliseconds between the shortest and the longest look


def chains(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[str]]:
    """Chains of all layouts of a file.

    Returns
    -------
    document, differences
        ``chains``, a list of ``id``, ``sequence`` and ``final``; and a line for each layout whose
        file states another chain.

    Raises
    ------
    ConfigError
        With everything that is wrong with the file.
    """
    found, differences = [], []
    for layout in read_layouts(path):
        sequence = layout.sequence
        found.append({"id": layout.id, "sequence": list(sequence), "final": sequence[-1]})
        stated = layout.stated
        if stated is not None and stated != sequence[-len(stated) :]:
            differences.append(
                f"layout {layout.id}: the file says {', '.join(stated)}; "
                f"the chain is {', '.join(sequence)}"
            )
    return {"chains": found}, differences


@dataclass(frozen=True)
class StudyRequest:
    """What a study is about.

    Attributes
    ----------
    deck
        The deck.
    players, goal, full_tilt, tick, longest
        As in `Rules`.
    games, seed
        As in `Study`.
    time, spread, error
        Models of the players: one number for all, or one a seat with commas between.
    cost
        Play the games again for each player who makes errors, with that player's errors left out.
    """

    deck: Deck
    players: int = 2
    goal: int = DEFAULT_GOAL
    full_tilt: bool = False
    tick: int = DEFAULT_TICK
    longest: int = DEFAULT_LONGEST
    games: int = DEFAULT_GAMES
    seed: int = 0
    time: str = "0.8"
    spread: str = "40%"
    error: str = "0"
    cost: bool = field(default=False)

    def study(self) -> Study:
        """The experiment.

        Raises
        ------
        ValueError
            If something is out of range.
        """
        rules = Rules(self.players, self.goal, self.full_tilt, self.tick, self.longest)
        models = parse_players(self.players, self.time, self.spread, self.error)
        return Study(rules, self.deck, models, self.games, self.seed)


def study(request: StudyRequest, runner: Runner) -> dict[str, Any]:
    """Play the games and read off everything.

    Returns
    -------
    dict
        The entry of the study with ``spec`` and ``blocks``; ``exact_win_shares`` if nobody slips
        and there are two or three players; ``cost_of_slips`` if asked for.
    """
    main = request.study()
    entry, blocks = runner.run(main, "games")
    found = {**entry, "spec": main.spec(), "blocks": blocks}
    exact = exact_win_shares(main)
    if exact is not None:
        found["exact_win_shares"] = [figure(share) for share in exact]
    if request.cost:
        found["cost_of_slips"] = _costs(main, entry, runner)
    return found


def exact_win_shares(study: Study) -> list[Fraction] | None:
    """Exact win shares where nobody slips and the sum is short; else None."""
    from ricochet_casino.games.pinball.exact import round_chances, win_chances

    rules, models = study.rules, study.players
    if len(set(models)) == 1 and not models[0].threshold and models[0].low != models[0].high:
        return [Fraction(1, rules.players)] * rules.players
    spans = [model.high - model.low for model in models]
    if rules.players > _MOST_EXACT_PLAYERS or max(spans) > _MOST_EXACT_SPAN:
        return None
    if any(model.threshold for model in models) or rules.goal > DEFAULT_GOAL:
        return None
    try:
        chances = round_chances(models, rules.n_outer - 1, rules.tick)
    except ValueError:  # a tie that never ends
        return None
    return win_chances(chances, rules.goal, rules.stock)


def _costs(main: Study, entry: dict[str, Any], runner: Runner) -> list[dict[str, Any]]:
    """What a player's own errors cost: the same games once more, without them."""
    found = []
    for seat, model in enumerate(main.players):
        if not model.threshold:
            continue
        careful = [*main.players]
        careful[seat] = replace(model, error=Fraction(0))
        again = Study(main.rules, main.deck, careful, main.games, main.seed)
        other, _ = runner.run(again, f"games without slips of player {seat + 1}")
        with_slips, without = (part["win_shares"][seat]["win_share"] for part in (entry, other))
        difference = Fraction(without["decimal"]) - Fraction(with_slips["decimal"])
        found.append(
            {
                "player": seat + 1,
                "win_share": with_slips,
                "win_share_without_slips": without,
                "cost": {"decimal": figure(difference)["decimal"]},
            }
        )
    return found


def told_game(request: StudyRequest, number: int) -> list[str]:
    """Game `number` of a study by the referee, told step by step."""
    asked = request.study()
    game = refereed_game(asked.rules, asked.deck, asked.players, asked.seed, number)
    heading = f"Game {number} of seed {asked.seed}; deck {asked.deck.name}"
    total = f"{game.rounds} rounds, {game.ties} tie-breaks, {sum(game.slips)} slips"
    cards = ", ".join(f"player {seat}: {held}" for seat, held in enumerate(game.cards, 1))
    return [heading, *narrate(game.events, asked.rules, asked.deck), f"{total}; cards: {cards}"]


def load_deck(deck: str | None, seed: int, number: int = 0) -> Deck:
    """A deck by file or name, or a generated one.

    Raises
    ------
    ConfigError
        If it cannot be used.
    """
    return read_deck(deck) if deck is not None else generated_deck(seed, number)


def compare_decks(
    decks: Sequence[Deck], random: int, seed: int, full_tilt: bool, runner: Runner
) -> list[tuple[str, Measures]]:
    """Measures of decks beside those of random ones.

    Parameters
    ----------
    decks
        Which.
    random, seed
        How many random decks, and the seed they are generated from.
    full_tilt
        With five outer cards.
    runner
        Its progress is told of every deck.

    Returns
    -------
    list
        Names and measures, in order.
    """
    whole = [*decks, *(generated_deck(seed, number) for number in range(random))]
    progress = runner.stage("decks")
    found = []
    for done, deck in enumerate(whole, 1):
        found.append((deck.name, measures(deck, full_tilt)))
        progress(done, len(whole))
    return found


def search(aim: str, full_tilt: bool, starts: int, steps: int, seed: int, runner: Runner) -> Any:
    """Search for a deck.

    Returns
    -------
    deck, entry
        The best deck, and the result's entry with ``spec`` and ``blocks``.
    """
    experiment = Search(aim, full_tilt, starts, steps, seed)
    entry, blocks = runner.run(experiment, f"searching: {aim}")
    found = {**entry, "spec": experiment.spec(), "blocks": blocks}
    return Deck.from_json(entry["deck"]), found


def search_comment(entry: dict[str, Any]) -> str:
    """What stands at the head of a deck file that a search made."""
    words = {"fair": "fairest", "tricky": "trickiest"}[entry["aim"]]
    figures = entry["measures"]
    lines = [
        f"The {words} deck of a search (docs/math.md, section 15.5), made by",
        f"  ricochet pinball design --search {entry['aim']} --starts {len(entry['searches'])} "
        f"--steps {entry['steps']} --seed {entry['seed']}"
        + (" --full-tilt" if entry["full_tilt"] else ""),
        "Exact figures, over all layouts:",
        *(f"  {name:<16}{figures[name]['decimal'][:8]}" for name in figures if name != "by_look"),
    ]
    return "\n".join(lines)
