"""What the compiled tables for several players (table_kernel.py) are given: layouts and makers."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ricochet_casino.cards import additive
from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.games.ricochet_poker.hand_tables import HandTable
from ricochet_casino.games.ricochet_poker.odds import rank_triples, suit_triples
from ricochet_casino.games.ricochet_poker.paytable import MOST_PLAYERS
from ricochet_casino.games.ricochet_poker.self_interest import levels
from ricochet_casino.games.ricochet_poker.simulation_tables import LAST_HANDS
from ricochet_casino.games.ricochet_poker.strategy import is_pair_or_big
from ricochet_casino.games.ricochet_poker.two_players import bonus_by_class, places_of
from ricochet_casino.games.ricochet_poker.units import Rules

TableStrategy = str | HandTable
"""A strategy by name, or as a table of limits."""
Array = npt.NDArray[Any]
Int64 = npt.NDArray[np.int64]

MODES = ("collective", "collective_pot_only", "individual", "pot_odds", "table")
"""What the numbers in `Seats.modes` mean; a table has a limit for every two cards."""
GIVEN_DRAW, GIVEN_PLAY, GIVEN_FOLD = 1, 2, 3
"""Values of `given_action`, 0 for a decision: a play whose cards are known, a play, a fold."""
FEATURES = 4
"""Features of a deal, beside the bin of the dealer's class."""
BINS = 48
"""Bins of the dealer's class, the last one for dealers who are kicked out."""
MOST_LINES = 31
N_LEVELS = int(levels().max()) + 1
PAIRS = 91
"""Pairs of ranks, equal ones included."""
_TRIPLES = 455
_SUITED = 165


class Terms(NamedTuple):
    """The rules as numbers: amounts in units; all int64 but `if_equal`.

    Attributes
    ----------
    players, ante, dealer_ante, play_bet, kickout_class
        As in `units.Rules`.
    last_hand
        Index into `simulation_tables.LAST_HANDS`.
    if_equal
        Strategies play when both are worth the same.
    lowest_rank
        Lowest rank of the deck.
    """

    players: np.int64
    ante: np.int64
    dealer_ante: np.int64
    play_bet: np.int64
    kickout_class: np.int64
    last_hand: np.int64
    if_equal: bool
    lowest_rank: np.int64


_I, _U = np.int64, np.uint64
_SEATS = MOST_PLAYERS
_WIDE = MOST_PLAYERS + 2
_STUB = 43  # cards left after a deal to two players: the most that two who wait can draw from
_PAIR_DRAWS = comb(_STUB, 3)
_PLACES = sum(comb(size, 3) for size in range(_STUB, 5, -3))

# One record, because it is passed on as one address: a tuple of as many arrays takes a minute to
# compile, and half of the speed. An array's shape is the most that any table needs.
_FIELDS: Final = (
    # Rank triples by what they complete. Ranks h >= l are pair h (h + 1) / 2 + l.
    ("ranks", _I, (_TRIPLES, 3)),  # of each triple, rising
    ("length", _I, PAIRS),  # how many triples a deck can add to a pair of ranks,
    ("triples", _I, (PAIRS, _TRIPLES)),  # which, strongest first,
    ("classes", _I, (PAIRS, _TRIPLES)),  # and the class of the five cards when not of one suit
    ("suit_length", _I, PAIRS),  # the same for the triples that stay in the suit of a suited hand:
    ("suit_triples", _I, (PAIRS, _SUITED)),
    ("masks", _I, (PAIRS, _SUITED)),  # their ranks, one bit each,
    ("flush", _I, (PAIRS, _SUITED)),  # class,
    ("plain", _I, (PAIRS, _SUITED)),  # and class that the same ranks have otherwise
    # The paytable, by class.
    ("pays", _I, N_CLASSES),  # units of bonus,
    ("pays_squared", _I, N_CLASSES),
    ("line_of", _I, N_CLASSES),  # bonus line, 0 for none
    ("first_bonus", _I, ()),  # lowest class on a line
    ("n_lines", _I, ()),
    ("level_of", _I, N_CLASSES),  # level for decisions of players for themselves
    # The evaluator (see `evaluate.five_kernel`).
    ("words", _U, 256),
    ("five", np.uint16, len(additive.five_table())),
    ("flushes", np.uint16, len(additive.flush_table())),
    # Strategies by seat: index into `MODES`; limits by two cards; takes cards that cost nothing,
    # unless that follows from the strategy; plays whatever comes once the dealer is out.
    ("modes", _I, _SEATS),
    ("limits", np.int16, (_SEATS, 52, 52)),
    ("takes_free", np.uint8, _SEATS),
    # For single positions, in the place of a decision; the bonus of a play whose cards are known
    # is left out. See `GIVEN_DRAW`.
    ("given_action", _I, _SEATS),
    ("sure", np.uint8, _SEATS),
    # Features of a deal (9.6): bin by the dealer's class and lowest class of each; winning
    # completions out of 14,190 of an unsuited hand by its ranks and her class; how many of them
    # make a play worth its bet, roughly; the largest number that divides all bonuses.
    ("use_controls", np.uint8, ()),
    ("bin_of", _I, N_CLASSES),
    ("bin_start", _I, BINS),
    ("solo", np.int16, (PAIRS, N_CLASSES)),
    ("worth_playing", _I, ()),
    ("bonus_part", _I, ()),
    ("features", _I, 1 + FEATURES),
    # The stub: cards of each rank, ranks of each suit, sets of three with each rank triple, size.
    ("left", _I, 13),
    ("suits", _I, 4),
    ("ways", _I, _TRIPLES),
    ("size", _I, ()),
    # The second of two players: sums with no, one and two cards given, and with all three.
    ("given_reach", _I, 1 + 13 + 169),
    ("given_bonus", _I, 1 + 13 + 169),
    ("given_suit_reach", _I, 1 + 13 + 169),
    ("given_suit_bonus", _I, 1 + 13 + 169),
    ("given_own", _I, (_TRIPLES, 4)),
    ("out", _I, 5),  # from `pair_kernel`
    ("worth", _I, 2),  # of play and fold
    # The deal, and by place in the order of action: pair of ranks, suit or -1, both cards; odds.
    ("cards", np.uint8, 5 * _SEATS + 8),  # and three to spare
    ("order", _I, _SEATS),
    ("holes", _I, (_SEATS, 4)),
    ("odds", _I, (_SEATS, 5)),
    # Decisions: values by place and plays made since; by level.
    ("values", _I, (_WIDE, _WIDE)),
    ("level_counts", _I, (_SEATS, N_LEVELS)),
    ("holds", _I, (_WIDE, _WIDE, N_LEVELS)),
    # Of the last two who play for themselves (see `two_players_kernel.individual_kernel`).
    ("places", np.uint16, (_PLACES, 6)),
    ("place_start", _I, 53),
    ("stub_words", _U, 1 + _STUB),
    ("pair_classes", np.uint16, (2, _PAIR_DRAWS)),
    ("pair_orders", _I, (2, _PAIR_DRAWS)),
    ("starts", _I, N_CLASSES + 1),
    ("pair_reach", _I, 1 + _STUB + comb(_STUB, 2)),
    ("pair_earned", _I, 1 + _STUB + comb(_STUB, 2)),
    ("pair_above", _I, _PAIR_DRAWS),
    ("ties", _I, 2),
    ("pair_out", _I, (2, 4)),
    # The control of a draw (9.4), if there is to be one.
    ("draw_controls", np.uint8, ()),
    ("forecast", np.float64, (_WIDE, _WIDE)),
    ("planned", np.uint8, (_WIDE, _WIDE)),
    ("slopes", np.float64, _SEATS),
    ("by_rank", _I, (_SEATS, 13)),
    ("by_suit", _I, (_SEATS, 13)),
    ("by_card", _I, 52),
    ("control", _I, 3),
    # Bounds (bounds_kernel.py): by place and plays made before; by place and card.
    ("pots_out", _I, (_WIDE, 5)),  # as `out`, for pots that grow bet by bet
    ("inner_values", np.float64, (_WIDE, _WIDE)),
    ("card_slopes", np.float64, (_SEATS, 52)),
    ("first_won", np.float64, _SEATS),
    ("first_lost", np.float64, _SEATS),
    ("stub_cards", _I, 52),
    ("node_play", np.float64, (_WIDE, _WIDE)),
    ("node_chosen", np.uint8, (_WIDE, _WIDE)),
    ("node_wins", np.uint8, (_WIDE, _WIDE)),
    ("node_end", np.float64, _WIDE),
    ("node_best", np.float64, (_WIDE, _WIDE)),
    ("node_own", np.float64, (_WIDE, _WIDE)),
    # What came out, by seat: as in `simulation_tables.Rounds`.
    ("leaders", _I, _SEATS),
    ("actions", np.uint8, _SEATS),
    ("lines", _I, _SEATS),
    ("winners", np.uint8, _SEATS),
    ("hand_classes", _I, _SEATS),
    ("nets", _I, _SEATS),
    # Means (section 9.4): of the bonus and its square, and 1 + the pot that a draw may win, 0
    # before it is certain that there is one; hands by line; results.
    ("mean_bonus", _I, _SEATS),
    ("mean_square", _I, _SEATS),
    ("settled", _I, _SEATS),
    ("cross", _I, ()),  # twice the bonuses so far times those to come, in squares of a unit
    ("by_line", _I, MOST_LINES + 1),
    ("line_means", _I, MOST_LINES + 1),
    ("mean_nets", _I, _SEATS),
    ("second", _I, _SEATS),
    ("value", _I, ()),
    ("table_second", _I, ()),
)


class Values(NamedTuple):
    """What `seat_kernel` finds of N rounds; all int64, values in 1/2^32 unit.

    Attributes
    ----------
    value
        (N,) net result of all players.
    nets, squares
        (N * K,) by round and seat: net result with the bonus at its mean; second moment of the
        net result, in 1/2^12 unit squared.
    table_squares
        (N,) second moment of the net result of all players.
    lines
        (N, L) expected hands on each bonus line.
    features
        (N, 5) bin and features of the deal.
    """

    value: Array
    nets: Array
    squares: Array
    table_squares: Array
    lines: Array
    features: Array


class Totals(NamedTuple):
    """Sums over rounds; those of values are of 128 bits, low and high word.

    Attributes
    ----------
    sums, squares
        (Q, 2) uint64 of the quantities and their squares, in this order: value; second moment of
        the table; of all seats together; L lines; K nets and K second moments by seat; K nets by
        place in the order of action.
    cross
        (1, 2) uint64, of value times play bets made.
    places
        (K, 5) int64 by place: fold, play, last hand; pots won alone, and split.
    joint
        (8, 8) int64 rounds by hands folded and play bets made.
    """

    sums: Array
    squares: Array
    cross: Array
    places: Array
    joint: Array


def pair_number(high: int, low: int) -> int:
    """Number of two ranks, in any order."""
    high, low = max(high, low), min(high, low)
    return high * (high + 1) // 2 + low


@cache
def _rank_lists() -> tuple[Array, ...]:
    """The columns of `Lists` that do not depend on the paytable."""
    ranks = np.array(list(combinations_with_replacement(range(13), 3)), dtype=np.int64)
    number = {tuple(triple): index for index, triple in enumerate(ranks.tolist())}
    length, suit_length = np.zeros((2, PAIRS), dtype=np.int64)
    triples, classes = np.zeros((2, PAIRS, _TRIPLES), dtype=np.int64)
    masks, flush, plain, in_suit = np.zeros((4, PAIRS, _SUITED), dtype=np.int64)
    for high in range(13):
        for low in range(high + 1):
            pair = pair_number(high, low)
            found = rank_triples(high, low)
            length[pair] = size = len(found.classes)
            classes[pair, :size] = found.classes
            triples[pair, :size] = [number[tuple(triple)] for triple in found.ranks.tolist()]
            if high == low:
                continue
            suited = suit_triples(high, low)
            suit_length[pair] = size = len(suited.masks)
            masks[pair, :size], flush[pair, :size] = suited.masks, suited.flush
            plain[pair, :size] = suited.plain
            in_suit[pair, :size] = [
                number[tuple(rank for rank in range(13) if mask >> rank & 1)]
                for mask in suited.masks.tolist()
            ]
    columns = (ranks, length, triples, classes, suit_length, masks, flush, plain, in_suit)
    for column in columns:
        column.flags.writeable = False
    return columns


@cache
def _layout() -> np.dtype[Any]:
    return np.dtype(list(_FIELDS), align=True)


def empty_work() -> Any:
    """Room for all that the kernels work on (see `_FIELDS`), with the tables that never change."""
    work = np.zeros(1, dtype=_layout()).view(np.recarray)[0]
    names = ("ranks", "length", "triples", "classes", "suit_length", "masks", "flush", "plain")
    for name, column in zip((*names, "suit_triples"), _rank_lists(), strict=True):
        work[name][:] = column
    work.words[:], work.five[:] = additive.card_words(5), additive.five_table()
    work.flushes[:] = additive.flush_table()
    work.level_of[:] = levels()
    work.draw_controls = 1
    return work


def work_for(rules: Rules, strategies: Sequence[TableStrategy]) -> Any:
    """The same for a paytable and one strategy per seat, without controls.

    Raises
    ------
    ValueError
        If squares of the bonuses do not fit into 64 bits, or there are too many bonus lines.
    """
    bonus = bonus_by_class(rules.lines)
    if int(bonus.max()) ** 2 * comb(52, 3) >= 1 << 62:
        raise ValueError(f"a bonus of {bonus.max()} units is too large to be squared in 64 bits")
    if len(rules.lines) > MOST_LINES:
        raise ValueError(f"{len(rules.lines)} bonus lines; expected at most {MOST_LINES}")
    work = empty_work()
    work.pays[:] = bonus
    work.pays_squared[:] = work.pays**2
    work.line_of[:] = [rules.line_of(hand_class) + 1 for hand_class in range(N_CLASSES)]
    work.first_bonus = min((line.first_class for line in rules.lines), default=N_CLASSES)
    work.n_lines = len(rules.lines)
    for seat, strategy in enumerate(strategies):
        mode = MODES.index(strategy) if strategy in MODES[:-1] else len(MODES) - 1
        work.modes[seat] = mode
        if mode == len(MODES) - 1:
            work.limits[seat] = limits_of(strategy)
        work.takes_free[seat] = strategy != "always_fold"
        group = mode < 2 and rules.when_equal == "play"
        work.sure[seat] = group or strategy == "always_play"
    if "individual" in strategies:
        _add_places(work, len(rules.deck) - 5 - 2 * rules.players)
    return work


def _add_places(work: Any, size: int) -> None:
    """Places of cards and pairs for each size of the stub that can occur."""
    begin = 0
    for left in range(size, 5, -3):
        some = places_of(left)
        if left <= _STUB:
            work.places[begin : begin + len(some)] = some
            work.place_start[left] = begin
            begin += len(some)


def fill_stub(work: Any, cards: Sequence[int]) -> None:
    """Put cards into the stub, and count the ways."""
    from ricochet_casino.games.ricochet_poker.table_odds_kernel import ways_kernel

    work.left[:] = np.bincount([card >> 2 for card in cards], minlength=13)
    work.suits[:] = 0
    for card in cards:
        work.suits[card & 3] |= 1 << (card >> 2)
    work.size = len(cards)
    ways_kernel(work)


def terms_of(rules: Rules) -> Terms:
    """The rules as numbers."""
    return Terms(
        players=np.int64(rules.players),
        ante=np.int64(rules.ante),
        dealer_ante=np.int64(rules.dealer_ante),
        play_bet=np.int64(rules.play_bet),
        kickout_class=np.int64(rules.kickout_class),
        last_hand=np.int64(LAST_HANDS.index(rules.last_hand)),
        if_equal=rules.when_equal == "play",
        lowest_rank=np.int64(rules.lowest_rank),
    )


def limits_of(strategy: TableStrategy) -> Int64:
    """(52, 52) by two cards: the class that the best live hand must be below, -1 for a fold."""
    if isinstance(strategy, HandTable):
        return strategy.limits_array().astype(np.int64).reshape(64, 64)[:52, :52]
    plays = {
        "always_play": lambda _hole: True,
        "always_fold": lambda _hole: False,
        "pairs_and_big_cards": is_pair_or_big,
    }[strategy]
    return np.array(
        [[N_CLASSES if plays((a, b)) else -1 for b in range(52)] for a in range(52)], dtype=np.int64
    )


def quantities(rules: Rules) -> tuple[str, ...]:
    """Names of what `Totals` adds up, in order."""
    seats = range(1, rules.players + 1)
    return (
        "value",
        "table.second",
        "seats.second",
        *(f"line.{line.name}" for line in rules.lines),
        *(f"seat{seat}.mean_net" for seat in seats),
        *(f"seat{seat}.second" for seat in seats),
        *(f"place{place}.mean_net" for place in seats),
    )


def values_for(number: int, rules: Rules) -> Values:
    """Room for a batch of rounds."""
    seats = number * rules.players
    shapes = [(number,), (seats,), (seats,), (number,), (number, len(rules.lines)),
              (number, 1 + FEATURES)]  # fmt: skip
    return Values(*(np.zeros(shape, dtype=np.int64) for shape in shapes))


def totals_for(rules: Rules) -> Totals:
    """All zero."""
    many = len(quantities(rules))
    sums, squares, cross = (np.zeros((size, 2), dtype=np.uint64) for size in (many, many, 1))
    places = np.zeros((rules.players, 5), dtype=np.int64)
    joint = np.zeros((MOST_PLAYERS + 1, MOST_PLAYERS + 1), dtype=np.int64)
    return Totals(sums, squares, cross, places, joint)
