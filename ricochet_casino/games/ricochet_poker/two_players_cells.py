"""Dealer's hands of one class, and what the exact run for two players needs to add up their deals.

Derivation: docs/math.md, section 10.6.
"""

from dataclasses import dataclass, replace
from functools import cache
from math import comb, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.additive import five_card_classes
from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.subsets import representatives
from ricochet_casino.games.ricochet_poker.controls import largest_sums
from ricochet_casino.games.ricochet_poker.table_arrays import PAIRS, terms_of, work_for
from ricochet_casino.games.ricochet_poker.units import Rules

Int64 = NDArray[np.int64]

STUB = 43
COMPLETIONS, REPLIES = comb(STUB, 3), comb(STUB - 3, 3)
DEALS_PER_DEALER = comb(47, 2) * comb(45, 2) // 2
"""Deals of two hands beside five given cards, players not told apart."""
HANDS = comb(52, 5)
SUMS = ("value", "deals", "first_folds", "second_folds", "beaten", "bets_lost")
"""What is added up; all doubled. See `hands_kernel` for the units."""

_GAIN_BITS = 27  # as in the kernels, which are not loaded for this
_MOST_MASKS = 32
_CELLS = 128  # three for each mask, and one to spare
_FIELDS = (
    # The first's losing rank triples, with ways; by triple, whether it loses, and the second's gain
    # and bonuses after it; losing draws with no, one and two cards given; sums of all these.
    ("number", np.int64, ()),
    ("lost_list", np.int64, (455, 2)),
    ("loses", np.uint8, 455),
    ("gain_of", np.int64, 455),
    ("extra_of", np.int64, 455),
    ("lost_with", np.int64, 1 + 13 + 169),
    ("lost", np.int64, ()),
    ("first_bonus", np.int64, ()),
    ("gains", np.int64, ()),
    ("extras", np.int64, ()),
    ("plain_value", np.int64, ()),
    ("plain_plays", np.int64, ()),
    ("least", np.int64, ()),
    ("most", np.int64, ()),
    # The second's one-suit draws, and sums of them with no, one, two and three cards given.
    ("draws", np.int64, (165, 5)),
    ("suit_gain", np.int64, 1 + 13 + 169),
    ("suit_gain_own", np.int64, 455),
    ("suit_extra", np.int64, 1 + 13 + 169),
    ("suit_extra_own", np.int64, 455),
    # Cells of a suited first and of a suited second: number by open ranks, and what is in them.
    ("first_of", np.int64, 1 << 13),
    ("first_weights", np.int64, _CELLS),
    ("first_ranks", np.int64, _CELLS),
    ("firsts", np.int64, (_CELLS, 6)),
    ("first_gains", np.int64, (_CELLS, 165)),
    ("second_of", np.int64, 1 << 13),
    ("second_weights", np.int64, _CELLS),
    ("second_ranks", np.int64, _CELLS),
    ("seconds", np.int64, (_CELLS, 6)),
    # Units in the pot before the decisions; whether no bonus falls as hands rise.
    ("pot", np.int64, ()),
    ("rising", np.uint8, ()),
)
_HAND_FIELDS = (
    ("dealer_class", np.int64, ()),
    ("total", np.int64, ()),  # how many hands
    ("dealt", np.int64, 13),  # cards by rank, the same in all of them
    # Different sets of ranks held in a suit; how often each occurs, over all hands and suits; how
    # often two of them in two suits of a hand; and the sum of these over the second sets that
    # leave a pair of ranks open.
    ("number", np.int64, ()),
    ("masks", np.int64, _MOST_MASKS),
    ("weights", np.int64, _MOST_MASKS),
    ("pairs", np.int64, (_MOST_MASKS, _MOST_MASKS)),
    ("beside", np.int64, (_MOST_MASKS, PAIRS)),
)


@cache
def _by_class() -> tuple[Int64, Int64]:
    """Places in the list of hands in rising order of class, and where each class begins."""
    found = five_card_classes(representatives(5)[0]).astype(np.int64)
    order = np.argsort(found, kind="stable")
    return order, np.searchsorted(found[order], np.arange(N_CLASSES + 1))


def hands_of_class(hand_class: int) -> list[int]:
    """Places of all hands of a class in the list of hands up to suits."""
    order, starts = _by_class()
    places: list[int] = order[starts[hand_class] : starts[hand_class + 1]].tolist()
    return places


@dataclass(frozen=True)
class DealerHands:
    """Dealer's hands of one class.

    Attributes
    ----------
    places
        Of each in the list of hands up to suits.
    times
        How many hands each stands for.
    """

    places: tuple[int, ...]
    times: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many hands these are."""
        return sum(self.times)

    def dealer_class(self) -> int:
        """The class that all of them have."""
        cards = representatives(5)[0][list(self.places[:1])]
        return int(five_card_classes(cards)[0])

    def record(self) -> Any:
        """The same for the kernel: see `_HAND_FIELDS`."""
        hands = np.zeros(1, dtype=np.dtype(list(_HAND_FIELDS), align=True)).view(np.recarray)[0]
        cards = representatives(5)[0][list(self.places)].astype(np.int64)
        hands.dealer_class, hands.total = self.dealer_class(), self.total
        hands.dealt[:] = np.bincount(cards[0] >> 2, minlength=13)
        bits = (1 << (cards >> 2))[:, :, None] * ((cards & 3)[:, :, None] == np.arange(4))
        by_suit = bits.sum(axis=1)
        masks, numbers = np.unique(by_suit, return_inverse=True)
        numbers, times = numbers.reshape(by_suit.shape), np.array(self.times)
        hands.number = len(masks)
        hands.masks[: len(masks)] = masks
        for one in range(4):
            np.add.at(hands.weights, numbers[:, one], times)
            for other in range(4):
                if one != other:
                    np.add.at(hands.pairs, (numbers[:, one], numbers[:, other]), times)
        taken = (1 << ranks_of_pairs()).sum(axis=1)  # of no use for equal ranks
        is_open = (masks[:, None] & taken) == 0
        hands.beside[:] = hands.pairs[:, : len(masks)] @ is_open
        return hands


def dealers_of_hand(place: int) -> DealerHands:
    """One hand, as it stands in the list of hands up to suits."""
    return DealerHands((place,), (1,))


def dealers_of_class(hand_class: int) -> DealerHands:
    """All hands of a class."""
    places = hands_of_class(hand_class)
    return DealerHands(tuple(places), tuple(representatives(5)[1][places].tolist()))


@cache
def ranks_of_pairs() -> Int64:
    """(91, 2): higher and lower rank of each pair of ranks, numbered as in `pair_number`."""
    ranks = np.array([(high, low) for high in range(13) for low in range(high + 1)], dtype=np.int64)
    ranks.flags.writeable = False
    return ranks


class ExactTable:
    """Tables and work space of one thread.

    Attributes
    ----------
    rules
        In the largest units in which all amounts are whole: those of all sums.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules = reduced(rules)
        self.terms = terms_of(rules)
        self.work = work_for(rules, ("collective",) * 2)
        self.work.size = STUB
        self.room = np.zeros(1, dtype=np.dtype(list(_FIELDS), align=True)).view(np.recarray)[0]
        self.room.first_of[:] = self.room.second_of[:] = -1
        self.room.pot = 2 * rules.ante + rules.dealer_ante
        self.room.rising = bool((np.diff(self.work.pays) >= 0).all())

    def by_ranks(self, dealers: DealerHands, wanted: NDArray[np.bool_] | None = None) -> Int64:
        """(91, 91, 6): `SUMS` by the ranks of the first and of the second hand.

        Parameters
        ----------
        dealers
            Hands of one class.
        wanted
            (91, 91), by pairs of ranks: which deals to take; None for all.
        """
        from ricochet_casino.games.ricochet_poker.two_players_exact_kernel import hands_kernel

        if wanted is None:
            wanted = np.ones((PAIRS, PAIRS), dtype=np.bool_)
        out = np.zeros((PAIRS, PAIRS, len(SUMS)), dtype=np.int64)
        hands_kernel(
            wanted, ranks_of_pairs(), dealers.record(), self.terms, self.work, self.room, out
        )
        return out

    def sums(self, dealers: DealerHands) -> dict[str, int]:
        """`SUMS` over all deals; their number is asserted."""
        rows = self.by_ranks(dealers).reshape(-1, len(SUMS)).tolist()
        found = dict(zip(SUMS, map(sum, zip(*rows, strict=True)), strict=True))
        if found["deals"] != 2 * DEALS_PER_DEALER * dealers.total:
            raise AssertionError(f"the cells hold {found['deals']:,} doubled deals")
        return found


def reduced(rules: Rules) -> Rules:
    """The rules in the largest units in which all amounts are whole.

    No pot is split between two who act for the group, so the coin does not matter.

    Raises
    ------
    ValueError
        If sums over the deals of one class and of given ranks could leave 64 bits.
    """
    amounts = (rules.ante, rules.dealer_ante, rules.play_bet, *(line.pays for line in rules.lines))
    part = gcd(*amounts)
    lines = tuple(replace(line, pays=line.pays // part) for line in rules.lines)
    rules = replace(
        rules,
        unit=rules.unit * part,
        ante=rules.ante // part,
        dealer_ante=rules.dealer_ante // part,
        play_bet=rules.play_bet // part,
        lines=lines,
    )
    pot = 2 * (rules.ante + rules.play_bet) + rules.dealer_ante
    deal = COMPLETIONS * REPLIES * pot + 2 * REPLIES * largest_sums(rules).bonus
    # With the draws in the lowest bits; and over all deals of one class and of given ranks.
    if deal << _GAIN_BITS >= 1 << 62 or 2 * 12 * 12 * 1024 * deal >= 1 << 62:
        raise ValueError(f"stakes of {pot} units and their bonuses are too large for 64 bits")
    return rules
