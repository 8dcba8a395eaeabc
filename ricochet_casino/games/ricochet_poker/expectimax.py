"""Brute force over all draws: the optimum of a deal, and what a policy is worth in it.

Source: docs/rulings.md A and B. From given two-card hands and a given dealer's hand every choice
and every set of three cards that can come is followed to the end of the round; nothing is estimated
and no odds are taken from elsewhere, so this is what policies and exact decisions are checked
against. Meant for shortened decks (`Rules.lowest_rank`) with two or three players; a full deck is
within reach for two. Values are exact fractions, in chips.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ricochet_casino.cards.classes import class_of_trusted
from ricochet_casino.cards.deck import CardError, check_cards
from ricochet_casino.cards.partial import action_order
from ricochet_casino.games.ricochet_poker.round import DEALER, Policy, Table
from ricochet_casino.games.ricochet_poker.units import Rules

Int64 = NDArray[np.int64]

MOST_NODES: Final = 2_000_000
"""Decisions of the last player beyond which a deal is refused: some minutes."""


def optimum(rules: Rules, holes: Sequence[Sequence[int]], dealer: Sequence[int]) -> Fraction:
    """What all players together can expect at most from a deal, in chips.

    Parameters
    ----------
    rules
        The rules in force; one hand for each of `Rules.players`.
    holes
        Card codes, two per seat.
    dealer
        Her five.

    Returns
    -------
    Fraction
        Expected net result of the players together: their shares of the pot and bonuses, less
        antes and play bets.

    Raises
    ------
    CardError
        If a card is repeated, does not exist or is not in the deck, or a hand has a wrong number
        of cards.
    ValueError
        If there is not one hand per player, or the deal has too many draws to be followed.
    """
    deal = _Deal(rules, holes, dealer)
    paid = rules.players * rules.ante
    return (_Optimum(deal).value(0, deal.start()) - paid) * rules.unit


def policy_value(
    rules: Rules,
    holes: Sequence[Sequence[int]],
    dealer: Sequence[int],
    policies: Policy | Sequence[Policy],
) -> tuple[Fraction, tuple[Fraction, ...]]:
    """What the players expect from a deal if they follow policies, in chips.

    Parameters
    ----------
    rules, holes, dealer
        As in `optimum`.
    policies
        One policy for all players, or one per seat, as the referee takes them.

    Returns
    -------
    total
        Expected net result of all players together, bonuses included.
    by_seat
        Of each seat; they add up to the total.

    Raises
    ------
    CardError, ValueError
        As in `optimum`, or for a wrong number of policies.
    """
    deal = _Deal(rules, holes, dealer)
    policy_of = (policies,) * rules.players if callable(policies) else tuple(policies)
    if len(policy_of) != rules.players:
        raise ValueError(f"{len(policy_of)} policies for {rules.players} players")
    values = _Followed(deal, policy_of).value(0, deal.start())
    by_seat = tuple((value - rules.ante) * rules.unit for value in values)
    return sum(by_seat, Fraction()), by_seat


class _State(NamedTuple):
    """How far a round has come; `used` has a bit for each place in the stub that was dealt."""

    used: int
    pot: int
    leaders: tuple[int, ...]
    to_beat: int
    folded: tuple[int, ...]
    classes: tuple[int, ...]
    draws: tuple[tuple[int, ...], ...]
    live: tuple[bool, ...]


class _Deal:
    """The cards of a deal with the class of every completion that each player may get."""

    def __init__(
        self,
        rules: Rules,
        holes: Sequence[Sequence[int]],
        dealer: Sequence[int],
    ) -> None:
        if len(holes) != rules.players:
            raise ValueError(f"{len(holes)} hands for {rules.players} players")
        for hole in holes:
            check_cards(hole, count=2)
        check_cards(dealer, count=5)
        seen = [*dealer, *(card for hole in holes for card in hole)]
        check_cards(seen)
        rules.check_in_deck(seen)
        self.rules = rules
        self.holes = tuple((hole[0], hole[1]) for hole in holes)
        self.dealer = tuple(dealer)
        self.dealer_class = class_of_trusted(dealer)
        self.order = tuple(action_order(self.holes))
        stub = [card for card in rules.deck if card not in seen]
        _refuse_too_many(len(stub), rules.players)
        self.threes = list(combinations(stub, 3))
        places = combinations(range(len(stub)), 3)
        self.masks = np.array([1 << a | 1 << b | 1 << c for a, b, c in places], dtype=np.int64)
        self.classes = [
            np.array([class_of_trusted((*hole, *three)) for three in self.threes], dtype=np.int64)
            for hole in self.holes
        ]
        self.bonuses = [
            np.array([rules.bonus(c) for c in own.tolist()], dtype=np.int64) for own in self.classes
        ]

    def start(self) -> _State:
        """After the antes and the kickout."""
        rules, players = self.rules, self.rules.players
        kicked_out = self.dealer_class >= rules.kickout_class
        return _State(
            used=0,
            pot=players * rules.ante + rules.dealer_ante,
            leaders=() if kicked_out else (DEALER,),
            to_beat=-1 if kicked_out else self.dealer_class,
            folded=(),
            classes=(-1,) * players,
            draws=((),) * players,
            live=(True,) * players,
        )

    def free(self, used: int) -> NDArray[np.intp]:
        """Numbers of the completions of which no card was dealt."""
        return np.flatnonzero((self.masks & used) == 0)

    def is_alone(self, state: _State) -> bool:
        """Whether all hands but that of the next player are gone (A5)."""
        return not state.leaders and len(state.folded) == self.rules.players - 1

    def fold(self, seat: int, state: _State) -> _State:
        """The hand is gone."""
        live = tuple(alive and s != seat for s, alive in enumerate(state.live))
        return state._replace(folded=(*state.folded, seat), live=live)

    def draw(self, seat: int, state: _State, number: int, bet: int) -> _State:
        """The player pays a bet into the pot and gets a completion (A2, A7, A8)."""
        own = int(self.classes[seat][number])
        leaders, to_beat = state.leaders, state.to_beat
        out: tuple[int, ...] = ()
        if own < to_beat:
            out = (seat,)
        elif own > to_beat or leaders == (DEALER,):
            out, leaders, to_beat = leaders, (seat,), own
        else:
            leaders = (*leaders, seat)
        return _State(
            used=state.used | int(self.masks[number]),
            pot=state.pot + bet,
            leaders=leaders,
            to_beat=to_beat,
            folded=state.folded,
            classes=(*state.classes[:seat], own, *state.classes[seat + 1 :]),
            draws=(*state.draws[:seat], self.threes[number], *state.draws[seat + 1 :]),
            live=tuple(alive and s not in out for s, alive in enumerate(state.live)),
        )

    def each_draw(self, seat: int, state: _State, bet: int) -> Iterator[tuple[int, _State]]:
        """Every completion that can come: its bonus, and what the table is like then."""
        for number in self.free(state.used).tolist():
            yield int(self.bonuses[seat][number]), self.draw(seat, state, number, bet)

    def table(self, turn: int, state: _State) -> Table:
        """What the player whose turn it is sees."""
        return Table(
            rules=self.rules,
            seat=self.order[turn],
            order=self.order,
            waiting=self.order[turn + 1 :],
            holes=self.holes,
            hands=tuple(
                (*hole, *three) if three else ()
                for hole, three in zip(self.holes, state.draws, strict=True)
            ),
            classes=state.classes,
            live=state.live,
            folded=state.folded,
            dealer=self.dealer,
            dealer_class=self.dealer_class,
            dealer_in=state.leaders == (DEALER,),
            to_beat=state.to_beat,
            pot=state.pot,
        )


def _refuse_too_many(stub: int, players: int) -> None:
    if stub < 3 * players:
        raise CardError(f"only {stub} cards are left, and {players} players may draw {3 * players}")
    nodes = prod(comb(stub - 3 * turn, 3) for turn in range(players - 1))
    if nodes > MOST_NODES:
        raise ValueError(
            f"{nodes:,} ways to come to the last player's decision, more than {MOST_NODES:,}: "
            "expected a shorter deck or fewer players"
        )


class _Optimum:
    """The group's best choices, worked out from the last player back to the first.

    What the group can still win depends on whose turn it is, the cards gone, the pot, and whether
    the dealer, a player or nobody holds the best hand (and, with nobody, whether one player is
    left): who of the players holds it does not matter to their total. So positions that agree in
    these have one value, which is kept.
    """

    def __init__(self, deal: _Deal) -> None:
        self.deal = deal
        self.known: dict[tuple[int, int, int, int, bool], Fraction] = {}

    def value(self, turn: int, state: _State) -> Fraction:
        """Units that the players get from here on, less their bets from here on."""
        deal = self.deal
        if turn == len(deal.order):
            return Fraction(0 if state.leaders == (DEALER,) else state.pot)
        holder = 0 if not state.leaders else 1 if state.leaders == (DEALER,) else 2
        key = turn, state.used, state.pot, holder, deal.is_alone(state)
        if key not in self.known:
            self.known[key] = self._worked_out(turn, state)
        return self.known[key]

    def _worked_out(self, turn: int, state: _State) -> Fraction:
        deal, rules, seat = self.deal, self.deal.rules, self.deal.order[turn]
        if deal.is_alone(state):
            won = Fraction(state.pot)
            drawn = won + self._mean_bonus(seat, state)
            return {"free": drawn, "none": won, "may_play": max(drawn, won)}[rules.last_hand]
        bet = rules.play_bet
        fold = self.value(turn + 1, deal.fold(seat, state))
        if turn == len(deal.order) - 1:
            play = self._last_play(seat, state)
        else:
            after = [
                bonus + self.value(turn + 1, then)
                for bonus, then in deal.each_draw(seat, state, bet)
            ]
            play = sum(after, Fraction()) / len(after)
        return max(play - bet, fold)

    def _last_play(self, seat: int, state: _State) -> Fraction:
        """As for any draw, all at once: with nobody to come after, only winning it counts."""
        deal = self.deal
        free = deal.free(state.used)
        wins = len(free)
        if state.leaders == (DEALER,):
            wins = int((deal.classes[seat][free] >= state.to_beat).sum())
        won = wins * (state.pot + deal.rules.play_bet)
        return Fraction(won + int(deal.bonuses[seat][free].sum()), len(free))

    def _mean_bonus(self, seat: int, state: _State) -> Fraction:
        free = self.deal.free(state.used)
        return Fraction(int(self.deal.bonuses[seat][free].sum()), len(free))


class _Followed:
    """What each seat gets if everybody follows a policy."""

    def __init__(self, deal: _Deal, policy_of: Sequence[Policy]) -> None:
        self.deal = deal
        self.policy_of = policy_of

    def value(self, turn: int, state: _State) -> list[Fraction]:
        """Units that each seat gets from here on, less its bets from here on."""
        deal, rules = self.deal, self.deal.rules
        if turn == len(deal.order):
            return self._shares(state)
        seat = deal.order[turn]
        if deal.is_alone(state):
            takes = {"free": True, "none": False}.get(rules.last_hand)
            if takes is None:
                takes = self.policy_of[seat](deal.table(turn, state))
            # A bet comes back, so nothing is lost by it.
            return self._last_hand(seat, state, takes=takes)
        if not self.policy_of[seat](deal.table(turn, state)):
            return self.value(turn + 1, deal.fold(seat, state))
        return self._mean_after_play(turn, state)

    def _mean_after_play(self, turn: int, state: _State) -> list[Fraction]:
        deal, bet, seat = self.deal, self.deal.rules.play_bet, self.deal.order[turn]
        if turn == len(deal.order) - 1:
            return self._last_play(seat, state)
        total = [Fraction()] * deal.rules.players
        number = 0
        for bonus, then in deal.each_draw(seat, state, bet):
            number += 1
            total = [a + b for a, b in zip(total, self.value(turn + 1, then), strict=True)]
            total[seat] += bonus
        found = [value / number for value in total]
        found[seat] -= bet
        return found

    def _last_play(self, seat: int, state: _State) -> list[Fraction]:
        """As for any draw, all at once: it loses, ties or wins, and its size tells nothing else."""
        deal = self.deal
        free = deal.free(state.used)
        own = deal.classes[seat][free]
        total = [0] * deal.rules.players
        for outcome in (own < state.to_beat, own == state.to_beat, own > state.to_beat):
            some = free[outcome]
            if len(some):
                then = deal.draw(seat, state, int(some[0]), deal.rules.play_bet)
                for winner, share in self._shares_in_units(then):
                    total[winner] += share * len(some)
        total[seat] += int(deal.bonuses[seat][free].sum())
        found = [Fraction(units, len(free)) for units in total]
        found[seat] -= deal.rules.play_bet
        return found

    def _last_hand(self, seat: int, state: _State, *, takes: bool) -> list[Fraction]:
        found = [Fraction()] * self.deal.rules.players
        found[seat] += state.pot
        if takes:
            free = self.deal.free(state.used)
            found[seat] += Fraction(int(self.deal.bonuses[seat][free].sum()), len(free))
        return found

    def _shares(self, state: _State) -> list[Fraction]:
        found = [Fraction()] * self.deal.rules.players
        for winner, share in self._shares_in_units(state):
            found[winner] += share
        return found

    @staticmethod
    def _shares_in_units(state: _State) -> list[tuple[int, int]]:
        """Who gets how much of the pot: odd coins go to those who acted last, one each (A8)."""
        if state.leaders == (DEALER,):
            return []
        share, odd = divmod(state.pot, len(state.leaders))
        first_odd = len(state.leaders) - odd
        return [(seat, share + (place >= first_odd)) for place, seat in enumerate(state.leaders)]
