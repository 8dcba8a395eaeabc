"""`ricochet pinball play`: the terminal around `games.pinball.session`."""

from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from ricochet_casino.cli.common import SeedOption, out, say, say_aside

if TYPE_CHECKING:
    from rich.text import Text

    from ricochet_casino.games.pinball.deck import Card, Deck
    from ricochet_casino.games.pinball.session import Outcome, Session, View

STYLES = {"red": "red", "yellow": "yellow", "green": "green", "blue": "blue"}


def _deck_names() -> list[str]:
    from ricochet_casino.games.pinball.deck_files import shipped_decks

    return list(shipped_decks())


DeckOption = Annotated[
    str, typer.Option(help="A YAML file or a shipped name.", autocompletion=_deck_names)
]
GoalOption = Annotated[int, typer.Option(help="So many cards win: 1 to 46; in Full Tilt to 45.")]
TickOption = Annotated[
    int, typer.Option(help="Milliseconds: slaps in the same tick are at exactly the same time.")
]


def load(name: str) -> "Deck":
    """Read a deck and print its warnings on standard error."""
    from ricochet_casino.games.pinball.deck_files import read_deck

    deck = read_deck(name)
    for warning in deck.warnings():
        say_aside(f"warning: {name}: {warning}", "yellow")
    return deck


def play(
    deck: DeckOption = "fairest",
    opponents: Annotated[int, typer.Option(min=1, max=9, help="Models to play against.")] = 1,
    goal: GoalOption = 6,
    full_tilt: Annotated[
        bool, typer.Option("--full-tilt", help="Five outer cards instead of four.")
    ] = False,
    time: Annotated[
        str, typer.Option(help="Mean seconds of a look of theirs; one number, or one each.")
    ] = "2",
    spread: Annotated[str, typer.Option(help="Spread of their looks, as in `study`.")] = "40%",
    error: Annotated[str, typer.Option(help="Their chance of a wrong look.")] = "2%",
    tick: TickOption = 10,
    seed: SeedOption = 0,
    number: Annotated[int, typer.Option(min=0, help="Which game of the seed.")] = 0,
    watch: Annotated[
        bool, typer.Option("--watch", help="Only models play; the game is told step by step.")
    ] = False,
) -> None:
    """Race the clock: find the last card before the models do.

    Follow the balls from the start card in the middle: a large red ball leads to the largest red
    number among the outer cards not yet used, a small one to the smallest. Type the place of the
    last card (`left`, or just `l`; in Full Tilt `p0` to `p4`, or `0`) and Enter; an empty line
    passes, `q` ends the game. Examples: `ricochet pinball play`,
    `ricochet pinball play --opponents 2 --time 1.5 --full-tilt`,
    `ricochet pinball play --watch --opponents 2 --seed 7`.
    """
    from ricochet_casino.games.pinball.events import Rules
    from ricochet_casino.games.pinball.players import parse_players
    from ricochet_casino.games.pinball.session import Session

    chosen = load(deck)
    rules = Rules(opponents + 1, goal, full_tilt, tick)
    if watch:
        from ricochet_casino.lab.pinball import StudyRequest, told_game

        request = StudyRequest(
            chosen, rules.players, goal, full_tilt, tick,
            seed=seed, time=time, spread=spread, error=error,
        )  # fmt: skip
        for line in told_game(request, number):
            say(line)
        return
    models = parse_players(opponents, time, spread, error)
    race(Session(rules, chosen, models, seed, number))


def race(session: "Session") -> None:
    """Play a session in the terminal."""
    from ricochet_casino.games.pinball.narration import narrate

    rules = session.rules
    names = ["you", *(f"clock {seat}" for seat in range(1, rules.players))]
    if rules.players == 2:
        names[1] = "the clock"
    say(f"First to {rules.goal} cards; game {session.number} of seed {session.seed}, "
        f"deck {session.deck.name}. Places: {', '.join(rules.places)}.")  # fmt: skip
    right, seconds = 0, []
    while (view := session.next_card()) is not None:
        for line in narrate(session.events_since()[:-1], rules, session.deck, names):
            if view.number > 1:
                say(line)
        _show(view, rules.places)
        begin = perf_counter()
        answer = _ask(rules.places)
        taken = perf_counter() - begin
        if answer == "quit":
            say("the game is given up")
            return
        place = rules.places.index(answer) if answer else None
        outcome = session.answer(place, taken)
        _tell(outcome, rules.places)
        for line in narrate(outcome.events[1:], rules, session.deck, names):
            say(line)
        if outcome.seconds is not None:
            right += outcome.right
            seconds.append(taken)
    for line in narrate(session.events_since(), rules, session.deck, names):
        say(line)
    cards = ", ".join(f"{name} {n}" for name, n in zip(names, session.game.cards, strict=True))
    say(f"cards: {cards}")
    if seconds:
        say(
            f"{right} of {len(seconds)} slaps right, {sum(seconds) / len(seconds):.2f} s on average"
        )


def _ask(places: tuple[str, ...]) -> str:
    """A place, nothing, or ``quit``; asks again until it is one of them."""
    from ricochet_casino.config import did_you_mean

    while True:
        try:
            word = input("last card: ").strip().lower()
        except EOFError:
            return "quit"
        if word in ("q", "quit"):
            return "quit"
        if not word:
            return ""
        found = [p for p in places if p == word or (p[0] == word and p[0] != "p") or p[1:] == word]
        if len(found) == 1:
            return found[0]
        say(f"{word}: expected {', '.join(places)}, q to end{did_you_mean(word, places)}")


def _tell(outcome: "Outcome", places: tuple[str, ...]) -> None:
    chain = " > ".join(places[place] for place in outcome.sequence)
    if outcome.seconds is None:
        said = "passed"
    else:
        said = f"{'right' if outcome.right else 'wrong'} in {float(outcome.seconds):.2f} s"
    clock = "" if outcome.clock is None else f"; the clock took {float(outcome.clock):.2f} s"
    say(f"{said}{clock}. The chain: {chain}")


def _show(view: "View", places: tuple[str, ...]) -> None:
    """The table: the cross, or the circle as a list."""
    from rich.table import Table

    score = " ".join(map(str, view.cards))
    say(f"\nstart card {view.number}{' (tie-break)' if view.tie_break else ''}; cards: {score}")
    cells = [_card(card, place) for card, place in zip(view.outer, places, strict=True)]
    start = _card(view.start, "start")
    grid = Table.grid(padding=(0, 3))
    if len(cells) == 4:
        top, right, bottom, left = cells
        for row in (("", top, ""), ("", "", ""), (left, start, right), ("", "", ""),
                    ("", bottom, "")):  # fmt: skip
            grid.add_row(*row)
    else:
        for cell in (start, *cells):
            grid.add_row(cell)
    out.print(grid)


def _card(card: "Card", place: str) -> "Text":
    """A card on two lines, its numbers and its ball in their colours."""
    from rich.text import Text

    from ricochet_casino.games.pinball.deck import COLOURS

    text = Text(f"{place}\n", style="bold")
    for colour, number in zip(COLOURS, card.bumpers, strict=True):
        text.append(f"{colour[0].upper()}{number:02} ", style=f"not bold {STYLES[colour]}")
    size, colour = card.ball.split(" ")
    sign = "O" if size == "large" else "o"
    text.append(f"\n{sign} {card.ball}", style=f"not bold {STYLES[colour]}")
    return text
