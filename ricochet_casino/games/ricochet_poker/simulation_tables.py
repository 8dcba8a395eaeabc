"""What the compiled rounds (simulation_kernel.py) are given: rules and strategies as arrays.

The layouts of all arrays stand here, with those who make them and those who read them back.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards import additive
from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.partial import action_keys
from ricochet_casino.games.ricochet_poker.deals import (
    rank_patterns,
    starting_hand,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.paytable import MOST_PLAYERS
from ricochet_casino.games.ricochet_poker.round import Event, Kind
from ricochet_casino.games.ricochet_poker.solo import SolvedHand, solve_hand
from ricochet_casino.games.ricochet_poker.solo_figures import OUTCOMES
from ricochet_casino.games.ricochet_poker.solo_policies import PolicyTable
from ricochet_casino.games.ricochet_poker.strategy import COMPUTED, is_pair_or_big
from ricochet_casino.games.ricochet_poker.units import Rules

ACTIONS: Final = ("fold", "play", "last hand")
"""What the numbers in `Rounds.actions` mean, in the referee's words."""
LAST_HANDS: Final = ("free", "may_play", "none")
"""What the number in `Game.last_hand` means."""
KINDS: Final = (
    Kind.DEAL, Kind.KICKOUT, Kind.LAST_HAND, Kind.ACT, Kind.COMPLETION, Kind.BONUS, Kind.OUT,
    Kind.RETURN, Kind.SHOWDOWN, Kind.WIN, Kind.SPLIT,
)  # fmt: skip
"""What column 0 of an event means."""
DETAILS: Final = ("", "fold", "play", "decline", "free")
"""What column 5 of an event means from 0 on; -1 - l stands for bonus line l."""
COLUMNS: Final = 13
"""Of an event: kind, seat, pot, chips, class, detail, odd chips, number of cards, five cards."""

_HOLES = 64 * 64
_LINES = 128  # bytes: two cache lines, which processors may fetch together
_EVERY = np.uint32(0xFFFFFFFF)

Array = npt.NDArray[Any]


class Game(NamedTuple):
    """The rules as numbers: amounts in units, int64; see `units.Rules`.

    Attributes
    ----------
    players
        uint64.
    last_hand
        Index into `LAST_HANDS`.
    takes_free
        uint64, bit s: what the player in seat s does under ``may_play`` when all others are gone,
        unless solved.
    solved
        One player with a solved strategy: `Tables.choice` decides.
    """

    players: np.uint64
    ante: np.int64
    dealer_ante: np.int64
    play_bet: np.int64
    kickout_class: np.int64
    last_hand: np.int64
    takes_free: np.uint64
    solved: bool


class Tables(NamedTuple):
    """What the kernels look up. Two cards a, b have the number ``64 a + b``.

    Attributes
    ----------
    order_keys
        (4096,) uint16 by two cards: the lowest acts first.
    plays
        (4096,) uint8 by two cards, bit s: the player in seat s plays them.
    hand_of
        (4096,) uint8 by two cards: number of their class of starting hands.
    choice
        (169 * 7462,) uint32 by that number and the dealer's class: bit k decides if the dealer
        holds subset k of her distinct ranks, rising, in the suit of the player's suited hand.
    line_of, pays
        (7462,) uint8, bonus line by class, 0 for none, and (L + 1,) int64, units it pays.
    words, five, flushes
        As in `evaluate.five_kernel`.
    accepted, factors
        As in `shuffle_kernel.deal_kernel`.
    """

    order_keys: Array
    plays: Array
    hand_of: Array
    choice: Array
    line_of: Array
    pays: Array
    words: Array
    five: Array
    flushes: Array
    accepted: Array
    factors: Array


class Rounds(NamedTuple):
    """A batch of N rounds for K players, filled by the kernels; flat, round after round.

    Attributes
    ----------
    cards
        (N * (5 K + 5),) uint8 in the order dealt.
    order
        (N * K,) uint8, seats in the order of action (A1).
    actions, lines, winners
        (N * K,) uint8 by seat: index into `ACTIONS`; bonus line, 0 for none; 1 for a share of the
        pot.
    classes, dealer_class
        (N * K,) and (N,) int16; -1 without a completed hand.
    nets
        (N * K,) int64, units.
    words, places, deck
        Work of `shuffle_kernel.deal_kernel`.
    codes, leaders
        Work: (8,) uint64 each.
    """

    cards: Array
    order: Array
    actions: Array
    lines: Array
    winners: Array
    classes: Array
    dealer_class: Array
    nets: Array
    words: Array
    places: Array
    deck: Array
    codes: Array
    leaders: Array


class Events(NamedTuple):
    """What happened, if it is to be written down; `counts` is empty if not.

    Attributes
    ----------
    rows
        (N * (7 K + 5), COLUMNS) int64.
    counts
        (N,) uint64, events of each round.
    """

    rows: Array
    counts: Array


class Sums(NamedTuple):
    """Integers that add up over rounds, for K players and L bonus lines.

    Attributes
    ----------
    actions, lines
        (K * 3,) and (K * (L + 1),) int64 by seat.
    alone, shared
        (K,) int64: pots won alone, and split.
    nets
        (K + 1,) int64: net of each seat and, last, of all players together.
    squares
        (2 (K + 1),) uint64: low and high word of the sum of the squares of the same.
    folds, plays, shares
        (8,) int64: rounds with 0, 1, ... hands folded, play bets made, and players paid the pot.
    kickouts
        (1,) int64: rounds in which the dealer was kicked out.
    outcomes
        (5 * (L + 1) + 1,) int64: for one player, rounds by `solo_figures.OUTCOMES` and bonus
        line, and last the kickouts without three cards.
    """

    actions: Array
    lines: Array
    alone: Array
    shared: Array
    nets: Array
    squares: Array
    folds: Array
    plays: Array
    shares: Array
    kickouts: Array
    outcomes: Array


def game_of(rules: Rules, strategies: Sequence[str | PolicyTable]) -> Game:
    """The rules as numbers, with one strategy per seat."""
    takes_free = sum(1 << seat for seat, name in enumerate(strategies) if name != "always_fold")
    return Game(
        players=np.uint64(rules.players),
        ante=np.int64(rules.ante),
        dealer_ante=np.int64(rules.dealer_ante),
        play_bet=np.int64(rules.play_bet),
        kickout_class=np.int64(rules.kickout_class),
        last_hand=np.int64(LAST_HANDS.index(rules.last_hand)),
        takes_free=np.uint64(takes_free),
        solved=is_solved(strategies[0]),
    )


def is_solved(strategy: str | PolicyTable) -> bool:
    """Whether a strategy looks at more than the own two cards."""
    return isinstance(strategy, PolicyTable) or strategy in (*COMPUTED, "pot_odds")


def tables_of(rules: Rules, strategies: Sequence[str | PolicyTable]) -> Tables:
    """Everything the kernels look up, for one strategy per seat.

    Raises
    ------
    ValueError
        If a policy table is mixed: the deals of one of its cells are neither all played nor all
        folded.
    """
    from ricochet_casino.cards.shuffle_kernel import modulus_tables

    pairs = np.stack(np.divmod(np.arange(_HOLES), 64), axis=1)
    solved = is_solved(strategies[0])
    choice = decision_table(rules, strategies[0]) if solved else np.zeros(1, dtype=np.uint32)
    lines = [rules.line_of(hand_class) + 1 for hand_class in range(N_CLASSES)]
    return Tables(
        order_keys=action_keys(pairs).astype(np.uint16),
        plays=_plays(strategies),
        hand_of=_hand_numbers(),
        choice=choice,
        line_of=np.array(lines, dtype=np.uint8),
        pays=np.array([0, *(line.pays for line in rules.lines)], dtype=np.int64),
        words=additive.card_words(5),
        five=additive.five_table(),
        flushes=additive.flush_table(),
        accepted=modulus_tables()[0],
        factors=modulus_tables()[1],
    )


def _plays(strategies: Sequence[str | PolicyTable]) -> npt.NDArray[np.uint8]:
    """`Tables.plays`; nothing for solved strategies."""
    plays = np.zeros(_HOLES, dtype=np.uint8)
    for seat, strategy in enumerate(strategies):
        if strategy == "always_play":
            plays |= np.uint8(1 << seat)
        elif strategy == "pairs_and_big_cards":
            chosen = [is_pair_or_big(divmod(hole, 64)) for hole in range(_HOLES)]
            plays |= np.where(chosen, 1 << seat, 0).astype(np.uint8)
    return plays


@cache
def _hand_numbers() -> npt.NDArray[np.uint8]:
    """`Tables.hand_of`; 0 where the codes are no two cards."""
    number = {hand: index for index, hand in enumerate(starting_hands())}
    found = np.zeros(_HOLES, dtype=np.uint8)
    for a in range(52):
        for b in range(52):
            if a != b:
                found[64 * a + b] = number[starting_hand((a, b))]
    found.flags.writeable = False
    return found


def decision_table(rules: Rules, strategy: str | PolicyTable) -> npt.NDArray[np.uint32]:
    """All decisions of a one-player strategy as bits (see `Tables.choice`).

    Returns
    -------
    (169 * 7462,) uint32
        Rows in the order of `starting_hands`; zero for classes that the dealer cannot hold. All
        bits are equal wherever suits do not decide.

    Raises
    ------
    ValueError
        If a policy table is mixed.
    """
    if isinstance(strategy, PolicyTable) and not strategy.is_pure:
        raise ValueError(
            f"policy {strategy.name!r} plays some deals of a cell and folds others: it cannot be "
            "played round by round"
        )
    table = np.zeros((len(starting_hands()), N_CLASSES), dtype=np.uint32)
    for row, hand in zip(table, starting_hands(), strict=True):
        solved = solve_hand(rules, strategy, hand)
        chosen = solved.plays > 0
        if hand.suited:
            row[:] = _suited_row(solved, chosen)
        else:
            row[solved.cells.dealer_class[chosen]] = _EVERY
    return table.reshape(-1)


def _suited_row(solved: SolvedHand, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint32]:
    """Decisions of a suited hand by dealer's class and subset of her ranks held in the suit."""
    classes = solved.cells.dealer_class.astype(np.intp)
    ranks = _distinct_ranks()[classes]
    held = (solved.cells.mask.astype(np.int64)[:, None] >> ranks) & 1
    bits = np.uint32(1) << (held << np.arange(5)).sum(axis=1).astype(np.uint32)
    row = np.zeros(N_CLASSES, dtype=np.uint32)
    np.bitwise_or.at(row, classes[chosen], bits[chosen])
    folded = np.zeros(N_CLASSES, dtype=np.bool_)
    folded[classes[~chosen]] = True
    # Some subsets cannot be dealt; they must not make a class look mixed.
    row[(row != 0) & ~folded] = _EVERY
    return row


@cache
def _distinct_ranks() -> npt.NDArray[np.int64]:
    """(7462, 5) the distinct ranks of each class, rising, filled up with 13."""
    patterns = rank_patterns()
    counts = patterns.counts[patterns.of_class]
    ranks = np.where(counts > 0, np.arange(13), 13)
    ranks.sort(axis=1)
    return ranks[:, :5]


def _apart(size: int, dtype: npt.DTypeLike) -> Array:
    """Zeros on cache lines of their own: threads that write to one line slow each other down."""
    length = size * np.dtype(dtype).itemsize
    raw = np.zeros(length + 2 * _LINES, dtype=np.uint8)
    start = -raw.ctypes.data % _LINES
    return raw[start : start + length].view(dtype)


def rounds_for(number: int, players: int) -> Rounds:
    """Room for a batch of rounds."""
    # Here and above, because this imports the compiler.
    from ricochet_casino.cards.shuffle_kernel import LANES

    seats = number * players
    return Rounds(
        cards=_apart(number * (5 * players + 5), np.uint8),
        order=_apart(seats, np.uint8),
        actions=_apart(seats, np.uint8),
        lines=_apart(seats, np.uint8),
        winners=_apart(seats, np.uint8),
        classes=_apart(seats, np.int16),
        dealer_class=_apart(number, np.int16),
        nets=_apart(seats, np.int64),
        words=_apart(52 * LANES, np.uint64).reshape(52, LANES),
        places=_apart(52 * LANES, np.uint8).reshape(52, LANES),
        deck=_apart(52, np.uint8),
        codes=_apart(8, np.uint64),
        leaders=_apart(8, np.uint64),
    )


def events_for(number: int, players: int) -> Events:
    """Room for the events of a batch of rounds; ``number = 0`` for none to be written down."""
    most = 7 * players + 5
    rows = np.empty((number * most, COLUMNS), dtype=np.int64)
    return Events(rows, np.zeros(number, dtype=np.uint64))


def sums_for(players: int, n_lines: int) -> Sums:
    """All zero, for so many bonus lines."""
    return Sums(
        actions=_apart(3 * players, np.int64),
        lines=_apart(players * (n_lines + 1), np.int64),
        alone=_apart(players, np.int64),
        shared=_apart(players, np.int64),
        nets=_apart(players + 1, np.int64),
        squares=_apart(2 * (players + 1), np.uint64),
        folds=_apart(MOST_PLAYERS + 1, np.int64),
        plays=_apart(MOST_PLAYERS + 1, np.int64),
        shares=_apart(MOST_PLAYERS + 1, np.int64),
        kickouts=_apart(1, np.int64),
        outcomes=_apart(len(OUTCOMES) * (n_lines + 1) + 1, np.int64),
    )


def read_events(events: Events, rules: Rules) -> list[tuple[Event, ...]]:
    """The events of each round as the referee's records."""
    most = 7 * rules.players + 5
    found = []
    for index, count in enumerate(events.counts.tolist()):
        rows = events.rows[index * most : index * most + count].tolist()
        found.append(tuple(_read_event(row, rules) for row in rows))
    return found


def _read_event(row: list[int], rules: Rules) -> Event:
    kind, seat, pot, chips, hand_class, detail, odd_chips, n_cards, *cards = row
    text = DETAILS[detail] if detail >= 0 else rules.lines[-1 - detail].name
    shown = tuple(cards[:n_cards])
    return Event(KINDS[kind], seat, pot, chips, shown, hand_class, text, odd_chips)
