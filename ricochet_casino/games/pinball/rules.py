"""The referee of Pinball Ricochet: a game by the book, readable and slow, emitting events.

Source: the game's rules ("How to play", "Slips", "Ties", "End of the game", "Full Tilt"); what they
leave open is settled by docs/rulings.md, H1 to H11, marked here. The compiled twin is kernel.py.
"""

from collections import deque
from collections.abc import Mapping, Sequence

from ricochet_casino.games.pinball.chain import follow
from ricochet_casino.games.pinball.deck import DECK_SIZE, Card, Deck
from ricochet_casino.games.pinball.events import (
    NOBODY,
    Event,
    Game,
    Kind,
    Racer,
    Reason,
    Rules,
)
from ricochet_casino.games.pinball.players import Slap


class Table:
    """A game in progress: `turn` a start card, `resolve` the slaps, until it is `over`.

    Parameters
    ----------
    rules
        The rules in force.
    deck
        The deck.
    order
        The cards from the top of the shuffled deck on: each of 0 to 49 once.
    record
        Keep the events.

    Raises
    ------
    ValueError
        If the order is not one of the 50 cards.
    """

    def __init__(
        self, rules: Rules, deck: Deck, order: Sequence[int], *, record: bool = True
    ) -> None:
        if sorted(order) != list(range(DECK_SIZE)):
            raise ValueError(f"an order must hold each card from 0 to {DECK_SIZE - 1} once")
        self.rules = rules
        self.deck = deck
        self.events: list[Event] = []
        self._record = record
        self.stock = deque(order)
        self.outer = [self.stock.popleft() for _ in range(rules.n_outer)]
        for place, card in enumerate(self.outer):
            self._tell(Event(Kind.LAY, card=card, place=place))
        self.start: int | None = None
        self.won: list[list[int]] = [[] for _ in range(rules.players)]
        self.racing: tuple[int, ...] = ()
        """Who may slap: all at the start of a round, those who tied in a tie-break."""
        self.turns = self.rounds = self.void = self.ties = 0
        self.slips = [0] * rules.players
        self.lost = [0] * rules.players
        self.last_places: list[int] = []
        self.reason: Reason | None = None
        self.winners: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.reason is not None

    @property
    def outer_cards(self) -> tuple[Card, ...]:
        """The outer cards by place."""
        return tuple(self.deck.cards[card] for card in self.outer)

    @property
    def start_kind(self) -> int:
        """Kind of the start card's ball.

        Raises
        ------
        ValueError
            If no start card lies.
        """
        if self.start is None:
            raise ValueError("no start card lies: turn one first")
        return self.deck.cards[self.start].kind

    @property
    def last_place(self) -> int:
        """Place of the card to slap."""
        return follow(self.start_kind, self.outer_cards, range(self.rules.n_outer))[-1]

    def turn(self) -> bool:
        """Turn the next start card; whoever turns it makes no difference (H8).

        Returns
        -------
        bool
            False if the game is over: decided before, no card left (H7), or given up.

        Raises
        ------
        ValueError
            If a start card lies already.
        """
        if self.start is not None:
            raise ValueError("a start card lies already: resolve the slaps first")
        if not self.over and not self.stock:
            most = max(map(len, self.won))
            best = [seat for seat, cards in enumerate(self.won) if len(cards) == most]
            self._end(Reason.EXHAUSTED, best)
        elif not self.over and self.turns == self.rules.longest:
            self._end(Reason.UNDECIDED, ())
        if self.over:
            return False
        if not self.racing:  # a new round, not a tie-break
            self.racing = tuple(range(self.rules.players))
            self.rounds += 1
        self.start = self.stock.popleft()
        self.turns += 1
        self._tell(Event(Kind.TURN, card=self.start, players=self.racing))
        return True

    def resolve(self, slaps: Mapping[int, Slap]) -> None:
        """Decide a start card from who slaps what, and when.

        Slaps count moment by moment. At each moment the wrong ones slip (H9), and then a right
        one ends it: by taking the card, or by a tie if there are several.

        Parameters
        ----------
        slaps
            By seat; whoever is not in it, or not racing, does not slap.

        Raises
        ------
        ValueError
            If no start card lies, or a place does not exist.
        """
        last = self.last_place
        for seat, slap in slaps.items():
            if not 0 <= slap.place < self.rules.n_outer:
                raise ValueError(f"player {seat + 1} slaps place {slap.place}, which is not there")
        waiting = {seat: slaps[seat] for seat in self.racing if seat in slaps}
        while waiting:
            tick = min(slap.tick for slap in waiting.values())
            at_once = [seat for seat in sorted(waiting) if waiting[seat].tick == tick]
            right = []
            for seat in at_once:
                place = waiting.pop(seat).place
                self._tell(Event(Kind.SLAP, seat, self.outer[place], place, tick))
                if place == last:
                    right.append(seat)
                else:
                    self._slip(seat)
            if len(right) > 1:
                self._tie(right)
                return
            if right:
                self._win(right[0], last)
                return
        self._void()

    def _slip(self, seat: int) -> None:
        """A wrong slap: the card won last goes under the stock; out for the round (H5)."""
        card = NOBODY
        if self.won[seat]:
            card = self.won[seat].pop()
            self.stock.append(card)
            self.lost[seat] += 1
        self.slips[seat] += 1
        self._tell(Event(Kind.SLIP, seat, card))

    def _tie(self, seats: list[int]) -> None:
        """The tied players alone play on with a new start card (H4)."""
        self.racing = tuple(seats)
        self.ties += 1
        self._tell(Event(Kind.TIE, card=self._put_under(), players=self.racing))

    def _void(self) -> None:
        """Everybody has slipped: the outer cards stay (H6)."""
        self.racing = ()
        self.void += 1
        self._tell(Event(Kind.VOID, card=self._put_under()))

    def _win(self, seat: int, place: int) -> None:
        """The last card goes to the player, the start card to its place."""
        start = self._taken_start()
        card = self.outer[place]
        self.won[seat].append(card)
        self.racing = ()
        self.last_places.append(place)
        self._tell(Event(Kind.WIN, seat, card, place))
        self.outer[place] = start
        self._tell(Event(Kind.MOVE, card=start, place=place))
        if len(self.won[seat]) == self.rules.goal:
            self._end(Reason.GOAL, [seat])

    def _taken_start(self) -> int:
        start, self.start = self.start, None
        assert start is not None
        return start

    def _put_under(self) -> int:
        """Put the start card under the stock."""
        start = self._taken_start()
        self.stock.append(start)
        return start

    def _end(self, reason: Reason, winners: Sequence[int]) -> None:
        self.reason = reason
        self.winners = tuple(winners)
        self._tell(Event(Kind.END, players=self.winners))

    def _tell(self, event: Event) -> None:
        if self._record:
            self.events.append(event)


def play_game(
    rules: Rules, deck: Deck, order: Sequence[int], racer: Racer, *, record: bool = True
) -> Game:
    """Play one game to its end.

    Parameters
    ----------
    rules, deck, order, record
        As for `Table`.
    racer
        Says when and what each player slaps (see `events.Racer`).

    Raises
    ------
    ValueError
        If the order is not one of the 50 cards, or a place that is slapped does not exist.
    """
    table = Table(rules, deck, order, record=record)
    while table.turn():
        kind, outer = table.start_kind, table.outer_cards
        slaps = {}
        for seat in table.racing:
            slap = racer(table.turns - 1, seat, kind, outer)
            if slap is not None:
                slaps[seat] = slap
        table.resolve(slaps)
    return finished(table)


def finished(table: Table) -> Game:
    """What a game leaves behind.

    Raises
    ------
    ValueError
        If it is not over.
    """
    if table.reason is None:
        raise ValueError("the game is not over")
    return Game(
        table.winners,
        table.reason,
        table.rounds,
        table.void,
        table.ties,
        tuple(map(len, table.won)),
        tuple(table.slips),
        tuple(table.lost),
        tuple(table.last_places),
        tuple(table.events),
    )
