"""The referee of casino Ricochet Poker: one round, played by the book.

Source: the casino rules of the Ricochet Poker rulebook and the casino web page; where they are
silent or disagree, docs/rulings.md A1 to A10, whose numbers stand beside the code. This is the slow
and readable twin of every kernel of the game: plain Python, no arrays, no tables.

Scope: 1 to 7 players against the dealer, one deck without Jokers, both side bets. All amounts are
integers in units of the coin (`Rules.unit` chips each); in every round the table sums to zero.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ricochet_casino.cards.classes import class_of_trusted
from ricochet_casino.cards.deck import STANDARD_DECK, check_cards
from ricochet_casino.cards.partial import Reading, action_order, quickdraw
from ricochet_casino.games.ricochet_poker.paytable import MOST_PLAYERS, Rules, SideLine
from ricochet_casino.games.ricochet_poker.round import (
    DEALER,
    Action,
    Event,
    Kind,
    Policy,
    Round,
    Table,
)

_CARDS = frozenset(STANDARD_DECK)


class SideBet(NamedTuple):
    """A side bet of one player.

    Attributes
    ----------
    seat
        Who made it.
    name
        What it is called.
    stake
        Units, at least 1.
    odds
        From the player's two cards and the dealer's five to the profit per unit staked, or None if
        the bet is lost. Stake times odds must be a whole number of units.
    """

    seat: int
    name: str
    stake: int
    odds: Callable[[tuple[int, int], tuple[int, ...]], Fraction | None]


def quickdraw_bet(
    seat: int, stake: int, pays: Fraction, tie: Reading = "first_two", *, name: str = "Quickdraw"
) -> SideBet:
    """Bet that two cards beat or tie the dealer's five, under one reading of a tie (A11).

    Parameters
    ----------
    seat, stake, name
        As in `SideBet`.
    pays
        Profit per unit staked.
    tie
        ``first_two`` or ``kicker_wins``.
    """

    def odds(hole: tuple[int, int], dealer: tuple[int, ...]) -> Fraction | None:
        return None if quickdraw(hole, dealer, tie) == "lose" else pays  # a tie wins

    return SideBet(seat, name, stake, odds)


def cover_bet(seat: int, stake: int, lines: Sequence[SideLine], *, name: str = "Cover") -> SideBet:
    """Bet on the dealer's five cards (A12): the best line reached pays, once.

    Parameters
    ----------
    seat, stake, name
        As in `SideBet`.
    lines
        The lines of the bet, weakest first.
    """

    def odds(_hole: tuple[int, int], dealer: tuple[int, ...]) -> Fraction | None:
        dealer_class = class_of_trusted(dealer)
        reached = [line.pays for line in lines if dealer_class >= line.first_class]
        return reached[-1] if reached else None

    return SideBet(seat, name, stake, odds)


def play_round(
    rules: Rules,
    deck: Sequence[int],
    policies: Policy | Sequence[Policy],
    *,
    side_bets: Iterable[SideBet] = (),
    record: bool = True,
) -> Round:
    """Play one round from a given order of the deck.

    Parameters
    ----------
    rules
        The rules in force; `Rules.players` sit at the table.
    deck
        Card codes in the order dealt: two for each seat, five for the dealer, then the stub, of
        which each completion takes the next three. At least five cards per player and five for the
        dealer.
    policies
        One policy for all players, or one per seat.
    side_bets
        Side bets made before the deal, in any number per seat.
    record
        False leaves out the list of events; nothing else changes.

    Returns
    -------
    Round
        Events and everybody's chips, in units.

    Raises
    ------
    CardError
        If the deck holds a card twice, or something that is not a card or not in the rules' deck.
    ValueError
        If the deck is too short, the number of players or policies is wrong, or a side bet has no
        seat, no stake, or a pay that is not a whole number of units.
    """
    policy_of = _policy_per_seat(policies, rules.players)
    play = _RoundInPlay(rules, _checked_deck(deck, rules), record=record)
    play.deal()
    for bet in side_bets:
        play.settle(bet)  # on the cards as dealt, before the kickout (A4)
    if play.dealer_class >= rules.kickout_class:
        play.kick_out_dealer()
    for seat in play.order:
        if play.stands_alone():
            play.last_hand(seat, policy_of[seat])
        elif policy_of[seat](play.table(seat)):
            play.play(seat)
        else:
            play.fold(seat)
    play.showdown()
    return play.result()


def _policy_per_seat(policies: Policy | Sequence[Policy], players: int) -> Sequence[Policy]:
    if not 1 <= players <= MOST_PLAYERS:
        raise ValueError(f"{players} players: the game is for 1 to {MOST_PLAYERS}")
    if callable(policies):
        return (policies,) * players
    if len(policies) != players:
        raise ValueError(f"{len(policies)} policies for {players} players: give one, or one a seat")
    return policies


def _checked_deck(deck: Sequence[int], rules: Rules) -> tuple[int, ...]:
    cards = tuple(deck)
    different = set(cards)
    if len(different) != len(cards) or not different <= _CARDS:
        check_cards(cards)
    rules.check_in_deck(cards)
    players = rules.players
    if len(cards) < 5 * players + 5:
        raise ValueError(
            f"a deck of {len(cards)} cards: {players} players and the dealer may need "
            f"{5 * players + 5}"
        )
    return cards


class _RoundInPlay:
    """The state of a round; its methods are the verbs of the rule book."""

    __slots__ = (
        "actions", "bets", "bonus_lines", "classes", "dealer", "dealer_class", "deck", "events",
        "folded", "hands", "holes", "kicked_out", "leaders", "live", "net", "order", "pot",
        "record", "rules", "shares", "side_net", "stub", "to_beat",
    )  # fmt: skip

    def __init__(self, rules: Rules, deck: tuple[int, ...], *, record: bool) -> None:
        players = rules.players
        self.rules = rules
        self.deck = deck
        self.record = record
        self.events: list[Event] = []
        self.holes = tuple([(deck[i], deck[i + 1]) for i in range(0, 2 * players, 2)])
        self.dealer = deck[2 * players : 2 * players + 5]
        self.dealer_class = class_of_trusted(self.dealer)
        self.stub = 2 * players + 5  # place in the deck of the next card of the stub
        # Every player acts once, so the order is fixed at the deal (A1).
        self.order = tuple(action_order(self.holes))
        self.hands: list[tuple[int, ...]] = [()] * players
        self.classes = [-1] * players
        self.live = [True] * players
        self.folded: list[int] = []
        self.actions: list[Action] = ["last hand"] * players
        self.bonus_lines = [-1] * players
        self.bets = [0] * players
        self.shares = [0] * players
        self.side_net = [0] * players
        self.net = [0] * (players + 1)  # net[DEALER] is the last entry
        self.pot = 0
        self.kicked_out = False
        # A hand is out as soon as another live five-card hand beats it (A7), so the live five-card
        # hands always tie: the dealer alone, or players in the order in which they acted.
        self.leaders = [DEALER]
        self.to_beat = self.dealer_class

    def _tell(
        self,
        kind: Kind,
        seat: int,
        chips: int = 0,
        *,
        cards: tuple[int, ...] = (),
        hand_class: int = -1,
        detail: str = "",
        odd_chips: int = 0,
    ) -> None:
        if self.record:
            event = Event(kind, seat, self.pot, chips, cards, hand_class, detail, odd_chips)
            self.events.append(event)

    def _pay_into_pot(self, seat: int, chips: int) -> None:
        self.net[seat] -= chips
        self.pot += chips
        if seat != DEALER:
            self.bets[seat] += chips

    def _take_from_pot(self, seat: int, chips: int) -> None:
        self.pot -= chips
        self.net[seat] += chips

    def deal(self) -> None:
        """Everyone antes; the players get two cards each, the dealer five."""
        ante, dealer_ante = self.rules.ante, self.rules.dealer_ante
        for seat, hole in enumerate(self.holes):
            self._pay_into_pot(seat, ante)
            self._tell(Kind.DEAL, seat, -ante, cards=hole)
        self._pay_into_pot(DEALER, dealer_ante)
        self._tell(Kind.DEAL, DEALER, -dealer_ante, cards=self.dealer, hand_class=self.dealer_class)

    def settle(self, bet: SideBet) -> None:
        """Resolve a side bet on the cards just dealt."""
        if not 0 <= bet.seat < self.rules.players:
            raise ValueError(f"{bet.name} bet of seat {bet.seat}: no such player")
        if bet.stake < 1:
            raise ValueError(f"{bet.name} bet of {bet.stake} units: the stake must be at least 1")
        odds = bet.odds(self.holes[bet.seat], self.dealer)
        profit = Fraction(-bet.stake if odds is None else bet.stake * odds)
        if profit.denominator != 1:
            raise ValueError(f"{bet.name} bet of {bet.stake} units pays {profit}: not whole units")
        self.side_net[bet.seat] += profit.numerator
        self._tell(Kind.SIDE_BET, bet.seat, profit.numerator, detail=bet.name)

    def kick_out_dealer(self) -> None:
        """The dealer's hand is too good and folds; her ante stays in the pot (A4)."""
        self.kicked_out = True
        self.leaders.clear()
        self.to_beat = -1
        self._tell(Kind.KICKOUT, DEALER, hand_class=self.dealer_class)

    def stands_alone(self) -> bool:
        """Whether every hand but that of the next player is gone (A5)."""
        return not self.leaders and len(self.folded) == self.rules.players - 1

    def table(self, seat: int) -> Table:
        """What the player in this seat sees when it is her turn."""
        order = self.order
        return Table(
            self.rules,
            seat,
            order,
            order[order.index(seat) + 1 :],
            self.holes,
            tuple(self.hands),
            tuple(self.classes),
            tuple(self.live),
            tuple(self.folded),
            self.dealer,
            self.dealer_class,
            DEALER in self.leaders,
            self.to_beat,
            self.pot,
        )

    def fold(self, seat: int) -> None:
        """The hand is gone; its ante stays in the pot."""
        self.actions[seat] = "fold"
        self.live[seat] = False
        self.folded.append(seat)
        self._tell(Kind.ACT, seat, cards=self.holes[seat], detail="fold")

    def play(self, seat: int) -> None:
        """Pay the play bet into the pot (A2) and complete the hand."""
        play_bet = self.rules.play_bet
        self.actions[seat] = "play"
        self._pay_into_pot(seat, play_bet)
        self._tell(Kind.ACT, seat, -play_bet, cards=self.holes[seat], detail="play")
        self.complete(seat)

    def last_hand(self, seat: int, policy: Policy) -> None:
        """All others are gone: two cards have won the pot, and may yet earn a bonus (A5)."""
        self._tell(Kind.LAST_HAND, seat, cards=self.holes[seat])
        match self.rules.last_hand:
            case "free":
                self.complete(seat, paid=False)
            case "none":
                self.leaders.append(seat)
            case "may_play":
                if policy(self.table(seat)):
                    self.play(seat)
                    self._take_from_pot(seat, self.rules.play_bet)
                    self._tell(Kind.RETURN, seat, self.rules.play_bet)
                else:
                    self.leaders.append(seat)
                    self._tell(Kind.ACT, seat, cards=self.holes[seat], detail="decline")
            case other:
                raise ValueError(f"last_hand {other!r}: expected free, may_play or none")

    def complete(self, seat: int, *, paid: bool = True) -> None:
        """Deal three more cards, pay the bonus, and put out the hands that are beaten."""
        three = self.deck[self.stub : self.stub + 3]
        self.stub += 3
        hand = self.holes[seat] + three
        hand_class = class_of_trusted(hand)
        self.hands[seat] = hand
        self.classes[seat] = hand_class
        detail = "" if paid else "free"
        self._tell(Kind.COMPLETION, seat, cards=three, hand_class=hand_class, detail=detail)
        self._pay_bonus(seat, hand_class)
        if hand_class < self.to_beat:
            self._put_out(seat)
            return
        # The dealer loses ties (A8); players who tie stay in together.
        if hand_class > self.to_beat or self.leaders == [DEALER]:
            for loser in self.leaders:
                self._put_out(loser)
            self.leaders.clear()
            self.to_beat = hand_class
        self.leaders.append(seat)

    def _pay_bonus(self, seat: int, hand_class: int) -> None:
        """Every completed hand that is good enough earns its best line, beaten or not (A9)."""
        line_index = self.rules.line_of(hand_class)
        if line_index < 0:
            return
        line = self.rules.lines[line_index]
        self.bonus_lines[seat] = line_index
        self.net[DEALER] -= line.pays
        self.net[seat] += line.pays
        self._tell(Kind.BONUS, seat, line.pays, hand_class=hand_class, detail=line.name)

    def _put_out(self, seat: int) -> None:
        if seat == DEALER:
            hand_class = self.dealer_class
        else:
            hand_class = self.classes[seat]
            self.live[seat] = False
        self._tell(Kind.OUT, seat, hand_class=hand_class)

    def showdown(self) -> None:
        """The remaining hand takes the pot; hands that tie share it (A8)."""
        winners = self.leaders
        for seat in winners:
            hand_class = self.dealer_class if seat == DEALER else self.classes[seat]
            self._tell(Kind.SHOWDOWN, seat, hand_class=hand_class)
        share, odd_chips = divmod(self.pot, len(winners))
        if odd_chips and self.rules.fair_split:
            raise AssertionError(
                f"a pot of {self.pot} cannot be shared by {len(winners)}: bad unit"
            )
        for place, seat in enumerate(winners):
            # The odd coins go to those who acted last, one each.
            odd = 1 if place >= len(winners) - odd_chips else 0
            self._take_from_pot(seat, share + odd)
            if seat != DEALER:
                self.shares[seat] = share + odd
            kind = Kind.WIN if len(winners) == 1 else Kind.SPLIT
            self._tell(kind, seat, share + odd, odd_chips=odd)

    def result(self) -> Round:
        """Close the books."""
        if self.pot or sum(self.net):
            raise AssertionError(f"the table does not sum to zero: {self.net}, pot {self.pot}")
        return Round(
            tuple(self.events),
            self.order,
            self.dealer_class,
            self.kicked_out,
            self.leaders == [DEALER],
            tuple(self.actions),
            tuple(self.classes),
            tuple(self.shares),
            tuple(self.bonus_lines),
            tuple(self.bets),
            tuple(self.net[:DEALER]),
            self.net[DEALER],
            tuple(self.side_net),
        )
