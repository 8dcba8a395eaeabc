"""Arrays of the compiled game: what goes in, work space, and what comes out."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.games.pinball.deck import DECK_SIZE, Deck
from ricochet_casino.games.pinball.events import KINDS, MOST_PLAYERS, Event, Rules
from ricochet_casino.games.pinball.players import Player

Int64Array = npt.NDArray[np.int64]
UInt8Array = npt.NDArray[np.uint8]

SHARE_UNITS: Final = 2520
"""A whole win in units: every equal share among up to ten players is whole."""
RING: Final = 64
"""Places of the ring in which the stock lies; a power of two."""
EVENT_FIELDS: Final = 6


class Setup(NamedTuple):
    """What a game is played with.

    Attributes
    ----------
    players, goal, n_outer, tick, longest
        As in `Rules`.
    seed
        uint64, of the looks.
    strengths, kinds
        `Deck.strengths` and `Deck.kinds`.
    low, span, threshold : (players,) int64
        Of each player: shortest look, number of different times, and `Player.threshold`.
    """

    players: int
    goal: int
    n_outer: int
    tick: int
    longest: int
    seed: np.uint64
    strengths: UInt8Array
    kinds: UInt8Array
    low: Int64Array
    span: Int64Array
    threshold: Int64Array


class State(NamedTuple):
    """Work space, and what a game leaves behind.

    Attributes
    ----------
    stock : (64,) int64
        A ring.
    ring : (2,) int64
        Place of the top card of the stock, and how many there are.
    outer, left : (5,) int64
        Outer cards by place; places that remain in a chain.
    won : (10, 50) int64, held : (10,) int64
        Cards won, the last one on top, and how many.
    ticks, places : (10,) int64
        Slaps of this start card.
    slips, lost : (10,) int64
        How often a player slipped, and how many cards that cost.
    last_places : (longest,) int64
        Place of the last card in each round that was won.
    found : (6,) int64
        Mask of winners, number of the reason, rounds, void rounds, tie-breaks, start cards.
    """

    stock: Int64Array
    ring: Int64Array
    outer: Int64Array
    left: Int64Array
    won: Int64Array
    held: Int64Array
    ticks: Int64Array
    places: Int64Array
    slips: Int64Array
    lost: Int64Array
    last_places: Int64Array
    found: Int64Array


class EventRows(NamedTuple):
    """Events of one game.

    Attributes
    ----------
    rows : (most, 6) int64
        Number of the kind, player, card, place, tick, mask of players. No rows: do not record.
    number : (1,) int64
        How many there are.
    """

    rows: Int64Array
    number: Int64Array


class Sums(NamedTuple):
    """Sums over games.

    Attributes
    ----------
    rounds : (longest + 1,) int64
        Games by number of rounds.
    won, shared, shares, share_squares, cards, slips, lost : (10,) int64
        By player: games won alone; shared; sum of shares in units of 1/2520, and of their squares;
        cards in the end; slips; cards lost by them.
    reasons : (3,) int64
        Games by number of the reason.
    totals : (7,) int64
        Rounds won, void rounds, tie-breaks, start cards; pairs of rounds won one after the other,
        pairs with the last card at the same place; games with a slip.
    places : (51, 5) int64
        Place of the last card in the first, second, ... round won of a game; row 0 stays empty.
    same : (51,) int64
        Games in which that is the place of the round before.
    """

    rounds: Int64Array
    won: Int64Array
    shared: Int64Array
    shares: Int64Array
    share_squares: Int64Array
    cards: Int64Array
    slips: Int64Array
    lost: Int64Array
    reasons: Int64Array
    totals: Int64Array
    places: Int64Array
    same: Int64Array


def setup_of(rules: Rules, deck: Deck, players: Sequence[Player], seed: int) -> Setup:
    """The setup of games by these rules.

    Raises
    ------
    ValueError
        If there are not as many players as the rules say.
    """
    if len(players) != rules.players:
        raise ValueError(f"{len(players)} models for {rules.players} players")

    def column(values: Sequence[int]) -> Int64Array:
        return np.array(values, dtype=np.int64)

    return Setup(
        rules.players,
        rules.goal,
        rules.n_outer,
        rules.tick,
        rules.longest,
        np.uint64(seed),
        deck.strengths,
        deck.kinds,
        column([player.low for player in players]),
        column([player.high - player.low + 1 for player in players]),
        column([player.threshold for player in players]),
    )


def _zeros(*shape: int) -> Int64Array:
    return np.zeros(shape, dtype=np.int64)


def state_for(rules: Rules) -> State:
    """Work space for one game after the other."""
    seats = MOST_PLAYERS
    return State(
        _zeros(RING), _zeros(2), _zeros(5), _zeros(5), _zeros(seats, DECK_SIZE), _zeros(seats),
        _zeros(seats), _zeros(seats), _zeros(seats), _zeros(seats), _zeros(rules.longest),
        _zeros(6),
    )  # fmt: skip


def events_for(rules: Rules, *, record: bool) -> EventRows:
    """Space for all events of one game, or none."""
    per_turn = 4 + 2 * rules.players  # turn, slap and slip of everybody, tie or win, move
    most = 5 + per_turn * rules.longest + 1 if record else 0
    return EventRows(_zeros(most, EVENT_FIELDS), _zeros(1))


def sums_for(rules: Rules) -> Sums:
    """Sums of no game yet."""
    by_seat = [_zeros(MOST_PLAYERS) for _ in range(7)]
    others = [_zeros(3), _zeros(7), _zeros(DECK_SIZE + 1, 5), _zeros(DECK_SIZE + 1)]
    return Sums._make([_zeros(rules.longest + 1), *by_seat, *others])


def read_events(events: EventRows) -> tuple[Event, ...]:
    """The events written down, as the referee records them."""
    rows = events.rows[: int(events.number[0])].tolist()
    return tuple(
        Event(KINDS[kind], player, card, place, tick, seats_of(mask))
        for kind, player, card, place, tick, mask in rows
    )


def seats_of(mask: int) -> tuple[int, ...]:
    """The seats whose bits are set."""
    return tuple(seat for seat in range(MOST_PLAYERS) if mask >> seat & 1)


def tally_counts(rules: Rules, sums: Sums) -> dict[str, Any]:
    """Sums as named integers; what is zero may be left out."""
    totals = sums.totals.tolist()
    names = ("won_rounds", "void_rounds", "ties", "turns", "pairs", "pairs_same", "games_with_slip")
    counts: dict[str, int] = dict(zip(names, totals, strict=True))
    for number, games in enumerate(sums.rounds.tolist()):
        if games:
            counts[f"rounds.{number}"] = games
    for name, games in zip(("goal", "exhausted", "undecided"), sums.reasons.tolist(), strict=True):
        counts[f"end.{name}"] = games
    for field in ("won", "shared", "shares", "share_squares", "cards", "slips", "lost"):
        for seat, number in enumerate(getattr(sums, field)[: rules.players].tolist(), 1):
            counts[f"seat{seat}.{field}"] = number
    for number, row in enumerate(sums.places[:, : rules.n_outer].tolist()):
        for place, rounds in enumerate(row):
            if rounds:
                counts[f"place.{number}.{place}"] = rounds
    for number, games in enumerate(sums.same.tolist()):
        if games:
            counts[f"same.{number}"] = games
    return counts
