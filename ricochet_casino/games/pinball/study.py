"""Many games of Pinball Ricochet between models of players, as an experiment.

A shard is a block of consecutive games of a seed; its tally holds integers only, so the total does
not depend on who played which block, or when. Game n is the shuffle n of `GAME_STREAM` with the
words n of the players' looks, so every game has a number and can be played again, by the referee
too (`refereed_game`). What is read off the tally: study_figures.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards.shuffle import deals, shuffled_deck
from ricochet_casino.experiment import (
    DealBlocks,
    Result,
    Shard,
    Tally,
    check_names,
    check_whole,
    checked_sizes,
)
from ricochet_casino.games.pinball.deck import DECK_SIZE, Card, Deck
from ricochet_casino.games.pinball.events import Game, Reason, Rules
from ricochet_casino.games.pinball.kernel_arrays import (
    events_for,
    read_events,
    seats_of,
    setup_of,
    state_for,
    sums_for,
    tally_counts,
)
from ricochet_casino.games.pinball.players import Player, Slap, slap_of, words_of
from ricochet_casino.games.pinball.rules import play_game
from ricochet_casino.games.pinball.study_figures import study_entry

GAME_STREAM: Final = 2
"""Stream of the shuffles of games."""
BLOCK: Final = 1 << 14
"""Games of a shard: about a tenth of a second."""

_RULES = ("goal", "full_tilt", "tick", "longest")
_REASONS = tuple(Reason)


class Study:
    """Games between models of players (see `ricochet_casino.experiment.Experiment`).

    Parameters
    ----------
    rules
        The rules in force.
    deck
        The deck.
    players
        A model for each player.
    games
        1 to 10^13: the games 0, 1, ... of the seed.
    seed
        0 to 2^64 - 1.

    Raises
    ------
    ValueError
        If a number is out of range, or there are not as many models as players.
    """

    name = "study"
    block_shards = 1
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self, rules: Rules, deck: Deck, players: Sequence[Player], games: int, seed: int
    ) -> None:
        self.rules = rules
        self.deck = deck
        self.players = tuple(players)
        self.games, self.seed = checked_sizes(games, seed, "games")
        self._setup = setup_of(rules, deck, self.players, self.seed)

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values; the deck in full."""
        return {
            "game": "pinball",
            "experiment": self.name,
            "parameters": {
                "deck": self.deck.to_json(),
                "players": [player.to_json() for player in self.players],
                **{name: getattr(self.rules, name) for name in _RULES},
                "games": self.games,
                "seed": self.seed,
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Study":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        check_names(parameters, ("deck", "players", *_RULES, "games", "seed"))
        listed = parameters["players"]
        if not isinstance(listed, list):
            raise ValueError("players must be a list")
        players = [Player.from_json(player) for player in listed]
        rules = Rules(len(players), *(parameters[name] for name in _RULES))
        deck = Deck.from_json(parameters["deck"])
        return cls(rules, deck, players, parameters["games"], parameters["seed"])

    def shards(self) -> DealBlocks:
        """Blocks of consecutive games."""
        return DealBlocks(self.games, BLOCK)

    def run(self, shard: Shard) -> Tally:
        """Play one block of games."""
        from ricochet_casino.games.pinball.kernel import study_kernel  # imports the compiler

        first, number = shard.data
        orders = game_orders(self.seed, first, number)
        sums, state = sums_for(self.rules), state_for(self.rules)
        events = events_for(self.rules, record=False)
        study_kernel(self._setup, orders, first, state, events, sums)
        return Tally({"games": number, **tally_counts(self.rules, sums)})

    def result(self, tally: Tally) -> Result:
        """All figures, with intervals.

        Raises
        ------
        ValueError
            If the tally does not hold all games.
        """
        check_whole(tally, self.games, "games")
        entry = study_entry(self.rules, self.players, tally)
        return Result("sampled", {**entry, "deck": self.deck.name, "seed": self.seed})


def game_orders(seed: int, first: int, number: int) -> npt.NDArray[np.uint8]:
    """Shuffled decks of the games from `first` on, (number, 50) uint8."""
    return deals(seed, GAME_STREAM, first, number, count=DECK_SIZE, deck_size=DECK_SIZE)


def game_order(seed: int, number: int) -> tuple[int, ...]:
    """The shuffled deck of one game."""
    return shuffled_deck(seed, GAME_STREAM, number, deck=range(DECK_SIZE))


def refereed_game(
    rules: Rules,
    deck: Deck,
    players: Sequence[Player],
    seed: int,
    number: int,
    *,
    record: bool = True,
) -> Game:
    """Game `number` of a seed by the referee.

    Parameters
    ----------
    rules, deck, players, seed
        As for `Study`.
    number
        Which game, from 0.
    record
        Keep the events.
    """

    def racer(turn: int, seat: int, kind: int, outer: Sequence[Card]) -> Slap:
        words = words_of(seed, number, turn, seat)
        return slap_of(players[seat], words, kind, outer, rules.tick)

    return play_game(rules, deck, game_order(seed, number), racer, record=record)


def compiled_game(
    rules: Rules, deck: Deck, players: Sequence[Player], seed: int, number: int
) -> Game:
    """Game `number` of a seed by the kernel, with its events: what `refereed_game` must equal.

    Parameters
    ----------
    rules, deck, players, seed, number
        As for `refereed_game`.
    """
    from ricochet_casino.games.pinball.kernel import play_kernel

    setup, state = setup_of(rules, deck, players, seed), state_for(rules)
    events = events_for(rules, record=True)
    play_kernel(setup, game_orders(seed, number, 1)[0], number, state, events)
    winners, reason, rounds, void, ties, _ = state.found.tolist()
    seats = slice(0, rules.players)
    cards, lost = tuple(state.held[seats].tolist()), tuple(state.lost[seats].tolist())
    return Game(
        seats_of(winners),
        _REASONS[reason],
        rounds,
        void,
        ties,
        cards,
        tuple(state.slips[seats].tolist()),
        lost,
        tuple(state.last_places[: sum(cards) + sum(lost)].tolist()),
        read_events(events),
    )


def conserved(study: Study, first: int, number: int) -> Tally:
    """Play games and follow all 50 cards through the events of each (see replay.py).

    Parameters
    ----------
    study
        What is played.
    first, number
        Which games.

    Returns
    -------
    Tally
        As that of a shard.

    Raises
    ------
    ValueError
        If a card is not where an event takes it from, or is in two places, or in none.
    """
    from ricochet_casino.games.pinball.kernel import conserve_kernel
    from ricochet_casino.games.pinball.replay import work_arrays

    rules = study.rules
    sums, state, events = sums_for(rules), state_for(rules), events_for(rules, record=True)
    setup = setup_of(rules, study.deck, study.players, study.seed)
    for begin in range(first, first + number, BLOCK):
        some = min(BLOCK, first + number - begin)
        orders = game_orders(study.seed, begin, some)
        wrong = conserve_kernel(setup, orders, begin, state, events, *work_arrays(), sums)
        if wrong >= 0:
            raise ValueError(f"game {begin + wrong}: a card is not accounted for")
    return Tally({"games": number, **tally_counts(rules, sums)})
