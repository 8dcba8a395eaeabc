"""Two players who act for the group: every deal, exactly.

A shard is a set of dealer's hands of one five-card class: all of them for the whole game, or one
hand up to suits for a sample. It takes all deals of two hands to the players, decides each one
exactly and adds up integers. Deals that agree in all that matters are worked out together
(two_players_cells.py and the kernels two_players_exact_kernel.py and two_players_draws_kernel.py):
the whole game takes a quarter of an hour. Derivation: docs/math.md, section 10.6.

Of two hands with equal ranks the suit of the higher card decides who acts first. Exchanging suits
turns half of the deals around, so a dealer's hand *up to suits* enters such deals in both orders,
half each; the sums are doubled to stay whole.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any, Literal

import numpy as np

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.cards.deck import check_cards, format_cards
from ricochet_casino.cards.shuffle import deals
from ricochet_casino.cards.subsets import canonical, rank_subset, rank_subsets, representatives
from ricochet_casino.experiment import (
    Result,
    Shard,
    Tally,
    check_names,
    checked_sizes,
    whole_number,
)
from ricochet_casino.games.ricochet_poker.deals import class_deals
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.two_players_cells import (
    COMPLETIONS,
    DEALS_PER_DEALER,
    HANDS,
    REPLIES,
    SUMS,
    DealerHands,
    ExactTable,
    Int64,
    dealers_of_class,
    dealers_of_hand,
    reduced,
)
from ricochet_casino.stats.exact import decimal_text, figure, fraction_text, square_root
from ricochet_casino.stats.intervals import LEVEL, empirical_bernstein

STREAM = 16
"""Stream of the shuffles that draw dealer's hands."""
MOST_SAMPLED = 1 << 20


@dataclass(frozen=True)
class SampledHands:
    """Dealer's hands drawn at random, each of the 2,598,960 being equally likely.

    Attributes
    ----------
    number
        How many, at least 1; a hand may be drawn twice.
    seed
        0 to 2^64 - 1.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    number: int
    seed: int

    def __post_init__(self) -> None:
        checked_sizes(self.number, self.seed, "hands")
        if self.number > MOST_SAMPLED:
            raise ValueError(f"hands must be 1 to {MOST_SAMPLED:,}, got {self.number:,}")

    def indices(self) -> list[int]:
        """Place of each in the list of hands up to suits, in the order drawn."""
        drawn = deals(self.seed, STREAM, 0, self.number, count=5)
        return [hand_index(cards) for cards in drawn.tolist()]


def hand_index(cards: Sequence[int]) -> int:
    """Place of five cards in `subsets.representatives`, suits exchanged.

    Raises
    ------
    CardError
        If these are not five different standard cards.
    """
    five = [int(card) for card in cards]  # numpy's small integers would overflow
    check_cards(five, count=5)
    found: np.intp = _numbers().searchsorted(rank_subset(canonical(five)))
    return int(found)


@cache
def _numbers() -> Int64:
    return rank_subsets(representatives(5)[0])


class TwoPlayersExact:
    """Two players of strategy `collective`, deal by deal (see `ricochet_casino.experiment`).

    Parameters
    ----------
    paytable
        A paytable that covers two players.
    hands
        The dealer's hands: ``all``, a sample, or places in the list of hands up to suits.

    Raises
    ------
    PaytableError
        If the paytable does not cover two players.
    ValueError
        If a hand does not exist, none is given, or amounts are too large.
    """

    name = "two_players_exact"
    prefers: Literal["threads", "processes"] = "threads"

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        hands: Literal["all"] | SampledHands | Sequence[int] = "all",
    ) -> None:
        self.paytable = paytable
        self.rules = reduced(paytable.rules(2))
        if isinstance(hands, str) and hands != "all":
            raise ValueError(f"hands must be all, a sample or a list, got {hands!r}")
        if not isinstance(hands, str | SampledHands):
            hands = _checked(hands)
        self.hands = hands
        self.block_shards = 8 if hands == "all" else 1
        self._local = threading.local()

    def spec(self) -> dict[str, Any]:
        """The experiment as JSON values; the paytable in full."""
        hands: Any = self.hands
        if isinstance(hands, SampledHands):
            hands = {"number": hands.number, "seed": hands.seed}
        return {
            "game": "ricochet_poker",
            "experiment": self.name,
            "parameters": {"paytable": self.paytable.model_dump(mode="json"), "hands": hands},
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "TwoPlayersExact":
        """Make the experiment again from the parameters of its specification.

        Raises
        ------
        ValueError
            If a parameter is missing, unknown or out of range.
        """
        check_names(parameters, ("paytable", "hands"))
        hands = parameters["hands"]
        if isinstance(hands, Mapping):
            if set(hands) != {"number", "seed"}:
                raise ValueError(f"a sample has number and seed, got {', '.join(map(str, hands))}")
            hands = SampledHands(hands["number"], hands["seed"])
        return cls(RicochetPokerPaytable.read(parameters["paytable"]), hands)

    def drawn(self) -> list[int]:
        """Places of the hands of a sample or a list, in order; repeated as often as drawn."""
        if isinstance(self.hands, SampledHands):
            return self.hands.indices()
        return [] if isinstance(self.hands, str) else list(self.hands)

    def shards(self) -> Sequence[Shard]:
        """Dealer's hands by class for the whole game, else one by one."""
        if self.hands == "all":
            return [Shard(f"class{number}", {"class": number}) for number in range(N_CLASSES)]
        return [Shard(f"hand{place}", {"hand": place}) for place in sorted(set(self.drawn()))]

    def run(self, shard: Shard) -> Tally:
        """All deals to one shard's dealers."""
        if not hasattr(self._local, "table"):
            self._local.table = ExactTable(self.rules)
        table: ExactTable = self._local.table
        if "class" in shard.data:
            dealers = dealers_of_class(shard.data["class"])
            return Tally({**table.sums(dealers), **_outs(table, dealers)})
        dealers = dealers_of_hand(shard.data["hand"])
        found = {**table.sums(dealers), **_outs(table, dealers)}
        place = shard.data["hand"]
        return Tally({f"hand{place}.{name}": number for name, number in found.items()})

    def result(self, tally: Tally) -> Result:
        """The game's figures, exact or estimated; for a list, what each hand is worth.

        Raises
        ------
        ValueError
            If the tally does not hold all hands.
        """
        if self.hands == "all":
            return Result("exact", self._entry(_named(tally, ""), HANDS))
        places = self.drawn()
        found = {place: _named(tally, f"hand{place}.") for place in set(places)}
        by_hand = [self._of_hand(place, found[place]) for place in sorted(found)]
        if not isinstance(self.hands, SampledHands):
            return Result("exact", {"hands": by_hand})
        values = [self._net(found[place], 1) for place in places]
        sums = sum(values), sum(value * value for value in values)
        interval = empirical_bernstein(*sums, len(values), self.net_bounds(), LEVEL)
        mean = Fraction(sums[0], len(values))
        per_ante = Fraction(1, 2 * self.rules.ante)
        spread = Fraction(sums[1], len(values)) - mean**2
        variance = spread / (len(values) - 1) if len(values) > 1 else Fraction()
        entry = {
            "players": 2,
            "strategy": "collective",
            "sampled": len(values),
            "seed": self.hands.seed,
            "stream": STREAM,
            "ev_per_ante": interval.scaled(per_ante).figure(mean * per_ante),
            "rtp_per_ante": interval.scaled(per_ante, 1).figure(1 + mean * per_ante),
            "standard_error": {"decimal": decimal_text(square_root(variance * per_ante**2))},
            "hands": by_hand,
        }
        return Result("sampled", entry)

    def net_bounds(self) -> tuple[Fraction, Fraction]:
        """Bounds of the mean result of the optimum over all deals to one dealer, in units.

        Both may fold whatever she has, which costs their antes. The pot cannot bring more than her
        ante. Whoever draws ends with five random cards of the 47 that she leaves, and those hold
        no more bonus hands than 52 do.
        """
        rules = self.rules
        every = enumerate(class_deals().tolist())
        bonus = sum(rules.bonus(hand_class) * number for hand_class, number in every)
        bonus = Fraction(2 * bonus, comb(47, 5))
        return Fraction(-2 * rules.ante), rules.dealer_ante + bonus

    def _net(self, sums: Mapping[str, int], hands: int) -> Fraction:
        """Mean net result of both players, in units."""
        expected = 2 * DEALS_PER_DEALER * hands
        if sums["deals"] != expected:
            raise ValueError(f"the tally holds {sums['deals']:,} of {expected:,} doubled deals")
        value = Fraction(sums["value"], expected * COMPLETIONS * REPLIES)
        return value - 2 * self.rules.ante

    def _of_hand(self, place: int, sums: Mapping[str, int]) -> dict[str, Any]:
        cards, multiplicity = representatives(5)
        ev = self._net(sums, 1) / (2 * self.rules.ante)
        return {
            "place": place,
            "cards": format_cards(cards[place].tolist()),
            "multiplicity": int(multiplicity[place]),
            "kicked_out": bool(sums["kickout"]),
            "ev_per_ante": {**figure(ev), "fraction": fraction_text(ev)},
        }

    def _entry(self, sums: Mapping[str, int], hands: int) -> dict[str, Any]:
        """Exact figures; the dealer kicked out counts as no fold."""
        rules, stakes = self.rules, 2 * self.rules.ante
        ev = self._net(sums, hands) / stakes
        whole = 2 * DEALS_PER_DEALER * hands
        pairs = whole * COMPLETIONS * REPLIES
        first = Fraction(sums["first_folds"], whole)
        second = Fraction(sums["second_folds"], whole * COMPLETIONS)
        out, beaten = Fraction(sums["kickout"], whole), Fraction(sums["beaten"], pairs)
        lost = Fraction(sums["bets_lost"] * rules.play_bet, pairs)
        # Whatever the group wins beside the pot and its own bets are bonuses.
        bonus = (
            Fraction(sums["value"], pairs) + lost - (out + beaten) * (stakes + rules.dealer_ante)
        )
        figures = {
            "ev_per_ante": ev,
            "rtp_per_ante": 1 + ev,
            "first_folds": first,
            "second_folds": second,
            "fold_frequency": (first + second) / 2,
            "kickout_frequency": out,
            "dealer_beaten": beaten,
            "dealer_wins": 1 - out - beaten,
            "bets_lost_per_ante": lost / stakes,
            "bonus_per_ante": bonus / stakes,
        }
        return {
            "players": 2,
            "strategy": "collective",
            "counts": {name: str(number) for name, number in sums.items()},
            "figures": {
                name: {**figure(value), "fraction": fraction_text(value)}
                for name, value in figures.items()
            },
        }


def _outs(table: ExactTable, dealers: DealerHands) -> dict[str, int]:
    """Doubled deals with the dealer kicked out."""
    out = dealers.dealer_class() >= table.rules.kickout_class
    return {"kickout": 2 * DEALS_PER_DEALER * dealers.total if out else 0}


def _checked(hands: Sequence[int]) -> tuple[int, ...]:
    found = tuple(whole_number("a hand", place) for place in hands)
    known = len(representatives(5)[0])
    if not found:
        raise ValueError("no hands are given")
    for place in found:
        if not 0 <= place < known:
            raise ValueError(f"hands are numbered 0 to {known - 1:,}, got {place}")
    return found


def _named(tally: Tally, prefix: str) -> dict[str, int]:
    """The sums of one name each; all must be there."""
    found = {}
    for name in (*SUMS, "kickout"):
        if prefix + name not in tally.counts:
            raise ValueError(f"the tally lacks {prefix + name}")
        found[name] = tally.counts[prefix + name]
    return found
