"""Tables of two to seven players, sampled in the background of the studio.

One thread takes small pieces of work in turn for every page that is open, so that several pages
share a core fairly and a page that goes away, or whose paytable changes, costs nothing from then
on. A first look is a small sample; what comes after it are the deals of `ricochet certify --deals`
with the usual pilot, in growing numbers, so that a figure on the page can be had as a certificate.
"""

import logging
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from ricochet_casino.experiment import Shard, Tally
from ricochet_casino.games.ricochet_poker.notation import parse_kickout
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.table_sampling import BLOCK, Pilot, TableSample
from ricochet_casino.lab import DEFAULT_SEED, PILOT_DEALS
from ricochet_casino.studio.figures import sampled_view

Pieces = Iterator[dict[str, Any] | None]
Tell = Callable[[dict[str, Any]], None]
"""Gets messages for a page, JSON values; called from the sampling thread."""

PIECE: Final = 1 << 10
"""Deals of a piece: a twentieth of a second for two players, a quarter for seven."""
LOOK_PILOT: Final = 1 << 12
LOOK_DEALS: Final = 1 << 13
"""Deals of the first look and of its pilot."""
STAGES: Final = tuple(BLOCK << shift for shift in range(0, 9, 2))
"""Deals after which a new figure is told: 16,384 to 4,194,304."""
CURVE_HANDS: Final = ("99", "JJ", "KK", "AA", "TTxx", "AAxx", "222", "QQQ", "A2345", "none")
"""Kickout hands at which the curve of a sampled table is looked at, at first-look precision."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Wish:
    """What a page wants sampled.

    Attributes
    ----------
    serial
        Number of the page's state, sent back with every figure.
    paytable, strategy
        The game.
    players
        Player counts, the most wanted first.
    """

    serial: int
    paytable: RicochetPokerPaytable
    strategy: str
    players: tuple[int, ...]


class TableWork:
    """The sampling of one table, piece by piece.

    Parameters
    ----------
    paytable, players, strategy
        The table.
    stages
        Deals after which figures are wanted, rising; the first look comes before them.
    pilot_deals
        Deals of the pilot of all stages.

    Raises
    ------
    PaytableError, ValueError
        As `TableSample`.
    """

    def __init__(
        self,
        paytable: RicochetPokerPaytable,
        players: int,
        strategy: str,
        stages: tuple[int, ...] = STAGES,
        pilot_deals: int = PILOT_DEALS,
    ) -> None:
        self.players = players
        self._table = (paytable, players, strategy)
        self._stages, self._pilot_deals = stages, pilot_deals
        self._look = self._sample(LOOK_PILOT, None)
        self.stage: float = -1

    def _sample(self, deals: int, pilot: Pilot | None) -> TableSample:
        return TableSample(*self._table, deals, DEFAULT_SEED, pilot)

    def pieces(self) -> Pieces:
        """Work on: gives a view at the end of each stage, and None after any other piece."""
        pilot = yield from self._pilot(self._look)
        yield from self._figures(pilot, (LOOK_DEALS,))
        pilot = yield from self._pilot(self._sample(self._pilot_deals, None))
        yield from self._figures(pilot, self._stages)

    def _pilot(self, sample: TableSample) -> Generator[None, None, Pilot]:
        total = yield from self._add(sample, Tally(), 0, sample.deals)
        return Pilot.from_json(sample.result(total).entry)

    def _figures(self, pilot: Pilot, stages: tuple[int, ...]) -> Pieces:
        done, total = 0, Tally()
        for deals in stages:
            sample = self._sample(deals, pilot)
            total = yield from self._add(sample, total, done, deals)
            done = deals
            self.stage += 1
            yield {"event": "sampled", **sampled_view(sample.result(total).entry)}

    @staticmethod
    def _add(
        sample: TableSample, total: Tally, first: int, last: int
    ) -> Generator[None, None, Tally]:
        for begin in range(first, last, PIECE):
            piece = Shard(str(begin), (begin, min(PIECE, last - begin)))
            total = Tally.total([total, sample.run(piece)])
            yield None
        return total


class CurveWork:
    """The kickout curve of one sampled table: a first look at each of some kickout hands.

    Parameters
    ----------
    paytable, players, strategy
        The table.
    """

    def __init__(self, paytable: RicochetPokerPaytable, players: int, strategy: str) -> None:
        self.players, self.stage = players, 0.5
        self._paytable, self._strategy = paytable, strategy

    def pieces(self) -> Pieces:
        """Work on: gives all points so far after each hand, and None after any other piece."""
        points: list[dict[str, Any]] = []
        for hand in CURVE_HANDS:
            kickout = {**self._paytable.kickout, self.players: hand}
            paytable = self._paytable.model_copy(update={"kickout": kickout})
            work = TableWork(paytable, self.players, self._strategy, ())
            for found in work.pieces():
                if found is None:
                    yield None
                    continue
                (rtp,) = (row for row in found["figures"] if row["key"] == "rtp_per_ante")
                low, high = rtp["ends"]
                points.append(
                    {"class": parse_kickout(hand), "hand": hand, "rtp": rtp["decimal"],
                     "text": rtp["text"], "low": low, "high": high}
                )  # fmt: skip
                yield {"event": "curve", "players": self.players, "points": list(points)}
                break


Work = TableWork | CurveWork
_Key = tuple[str, int]


@dataclass(eq=False)
class _Page:
    """A page that is open, and its work: tables, the most wanted first, and a curve."""

    tell: Tell
    wish: Wish | None = None
    works: dict[_Key, tuple[Work, Pieces]] = field(default_factory=dict)
    curves: set[int] = field(default_factory=set)

    def next_work(self) -> _Key | None:
        """Whose turn it is: the most wanted table is a stage ahead of the others."""
        first = next(iter(self.works), None)

        def turn(key: _Key) -> float:
            return self.works[key][0].stage + (key != first and key[0] == "table")

        return min(self.works, key=turn, default=None)

    def add(self, kind: str, work: Work) -> None:
        """Work on something more."""
        self.works[kind, work.players] = (work, work.pieces())
        if kind == "curve":
            self.curves.add(work.players)


class Sampler:
    """The thread that samples, and the pages it works for.

    Parameters
    ----------
    stages, pilot_deals
        As for `TableWork`.
    """

    def __init__(self, stages: tuple[int, ...] = STAGES, pilot_deals: int = PILOT_DEALS) -> None:
        self._sizes = (stages, pilot_deals)
        self._pages: dict[str, _Page] = {}
        self._changed = threading.Condition()
        self._stopping = False
        self._waited_for = 0
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, after the piece at hand if that does not take long."""
        with self._changed:
            self._stopping = True
            self._pages.clear()
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=3)  # a kernel that is being compiled is not waited for

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While somebody waits for something more urgent; the piece at hand is finished."""
        with self._changed:
            self._waited_for += 1
        try:
            yield
        finally:
            with self._changed:
                self._waited_for -= 1
                self._changed.notify()

    def enter(self, page: str, tell: Tell) -> None:
        """A page is there, and told what is found for it."""
        with self._changed:
            self._pages[page] = _Page(tell)

    def leave(self, page: str) -> None:
        """A page is gone: its work ends."""
        with self._changed:
            self._pages.pop(page, None)

    def wish(self, page: str, wish: Wish) -> None:
        """A page wants other tables than before; for an unknown page nothing happens.

        Raises
        ------
        PaytableError, ValueError
            If a table cannot be sampled.
        """
        works = [
            TableWork(wish.paytable, players, wish.strategy, *self._sizes)
            for players in wish.players
        ]
        with self._changed:
            found = self._pages.get(page)
            if found is None or (found.wish and found.wish.serial >= wish.serial):
                return
            found.wish, found.works, found.curves = wish, {}, set()
            for work in works:
                found.add("table", work)
            for players in wish.players[:1]:
                found.add("curve", CurveWork(wish.paytable, players, wish.strategy))
            self._changed.notify()

    def drop(self, page: str, serial: int) -> None:
        """The paytable of a page has changed since its last wish: work on the old one ends."""
        with self._changed:
            found = self._pages.get(page)
            if found and found.wish and found.wish.serial < serial:
                found.wish, found.works = None, {}

    def prefer(self, page: str, serial: int, players: int) -> None:
        """The page looks at another table of the same paytable."""
        with self._changed:
            found = self._pages.get(page)
            wish = found.wish if found else None
            if found is None or wish is None or wish.serial != serial:
                return
            if players not in wish.players:
                return
            first = {
                key: found.works.pop(key) for key in [("table", players)] if key in found.works
            }
            found.works = {**first, **found.works}
            if players not in found.curves:
                found.add("curve", CurveWork(wish.paytable, players, wish.strategy))
            self._changed.notify()

    @property
    def busy(self) -> int:
        """Tables that are being worked on, of all pages."""
        with self._changed:
            return sum(len(page.works) for page in self._pages.values())

    def _run(self) -> None:
        turn = 0
        while True:
            with self._changed:
                while not self._stopping and not self._wanted():
                    self._changed.wait()
                if self._stopping:
                    return
                busy = [page for page in self._pages.values() if page.works]
                turn += 1
                page = busy[turn % len(busy)]
                key, wish = page.next_work(), page.wish
            if key is not None and wish is not None:
                self._piece(page, wish, key)

    def _wanted(self) -> bool:
        return not self._waited_for and any(page.works for page in self._pages.values())

    def _piece(self, page: _Page, wish: Wish, key: _Key) -> None:
        """One piece for a page; nothing is told if the page wants something else by then."""
        found: Mapping[str, Any] | None
        kind, players = key
        with self._changed:
            if page.wish is not wish or key not in page.works:
                return
            _, pieces = page.works[key]
        finished = False
        try:
            found = next(pieces)
        except StopIteration:
            found, finished = None, True
        except Exception as error:  # told to the page: a thread has nobody else to tell
            _log.exception("sampling %d players", players)
            found, finished = {"error": str(error)}, True
        with self._changed:
            if page.wish is not wish or page not in self._pages.values():
                return
            if finished:
                page.works.pop(key, None)
        if found is not None or finished:
            event = "sampled" if kind == "table" else "curve"
            told = {"event": event, "players": players, **(found or {})}
            page.tell({**told, "serial": wish.serial, "finished": finished})
