"""What the page asks for: routes, checked input, answers in JSON."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ricochet_casino import __version__
from ricochet_casino.config import ConfigError
from ricochet_casino.games.ricochet_poker.notation import kickout_meaning, kickout_text, line_names
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.spectrum import Spectrum, load_spectrum
from ricochet_casino.games.ricochet_poker.strategy import STRATEGIES
from ricochet_casino.studio.figures import (
    curve_view,
    digest_of,
    kickout_shares,
    kickout_stops,
    side_bet_views,
    solo_view,
)
from ricochet_casino.studio.guard import Guard, own_hosts
from ricochet_casino.studio.opened import ConflictError, Opened, look
from ricochet_casino.studio.pages import Pages
from ricochet_casino.studio.reports import FORMATS, Reports, formats
from ricochet_casino.studio.sampling import Sampler, Wish

STATIC: Final = Path(__file__).parent / "static"
_PAGE: Final = re.compile(r"[0-9a-f-]{8,64}")
_WATCH_EVERY: Final = 0.7  # seconds

Body = Mapping[str, Any]


class Studio:
    """Everything that the pages of one studio share.

    Parameters
    ----------
    opened
        The paytable's file.
    sampler, reports
        Who works in the background.
    note
        Gets lines of text for the terminal.
    """

    def __init__(
        self,
        opened: Opened,
        sampler: Sampler | None = None,
        reports: Reports | None = None,
        note: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.opened = opened
        self.sampler = sampler or Sampler()
        self.reports = reports or Reports()
        self.pages = Pages(self._left)
        self._note = note
        self._spectrum: Spectrum | None = None
        self._loading = threading.Lock()

    def _left(self, page: str) -> None:
        self.sampler.leave(page)
        self.reports.leave(page)

    def note(self, text: str) -> None:
        """Tell terminal and pages what is being done."""
        self._note(text)
        self.pages.tell_all({"event": "note", "text": text})

    def spectrum(self) -> Spectrum:
        """The exact one-player game; loaded, and its kernels compiled, when it is first needed."""
        with self._loading:
            if self._spectrum is None:
                found = load_spectrum(note=self.note)
                paytable, _ = self.opened.read()
                if 1 in paytable.players:
                    solo_view(paytable, found, "collective")
                    curve_view(paytable, found, "collective")
                side_bet_views(paytable)
                self._spectrum = found
            return self._spectrum

    def start(self) -> None:
        """Begin the work in the background."""
        self.sampler.start()
        threading.Thread(target=self._warm, name="spectrum", daemon=True).start()

    def _warm(self) -> None:
        try:
            self.spectrum()
        except Exception:
            # A program that ends takes away what its threads work with: nothing to tell of.
            if not self.pages.ending:
                raise

    def stop(self) -> None:
        """End all work."""
        self.pages.ending = True
        self.reports.leave("")
        self.sampler.stop()

    async def watch(self) -> None:
        """Tell the pages when the file on the disk changes."""
        path = self.opened.path
        last = await run_in_threadpool(look, path)
        while True:
            await asyncio.sleep(_WATCH_EVERY)
            now = await run_in_threadpool(look, path)
            if now != last:
                last = now
                self.pages.tell_all({"event": "disk", "digest": now.digest})


def make_app(studio: Studio, port: int) -> Starlette:
    """The application.

    Parameters
    ----------
    studio
        What it serves.
    port
        Where; requests that name another host are refused.
    """

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        studio.start()
        watching = asyncio.create_task(studio.watch())
        try:
            yield
        finally:
            watching.cancel()
            await run_in_threadpool(studio.stop)

    answers = _Answers(studio)
    return Starlette(
        routes=[
            Route("/", answers.index),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route("/api/start", answers.start),
            Route("/api/file", answers.file),
            Route("/api/events", answers.events),
            Route("/api/reports/{name}.{form}", answers.report_file),
            *(
                Route(f"/api/{path}", answers.posted(answer), methods=["POST"])
                for path, answer in (
                    ("figures", answers.figures),
                    ("curve", answers.curve),
                    ("sample", answers.sample),
                    ("prefer", answers.prefer),
                    ("yaml", answers.yaml),
                    ("look", answers.look),
                    ("save", answers.save),
                    ("reports", answers.report),
                    ("reports/stop", answers.stop_report),
                )
            ),
        ],
        middleware=[Middleware(Guard, hosts=own_hosts(port))],
        lifespan=lifespan,
    )


class _Answers:
    """The answers, one method each."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio

    async def index(self, _request: Request) -> Response:
        """The page."""
        return FileResponse(STATIC / "index.html")

    async def start(self, _request: Request) -> Response:
        """What a page needs to begin."""
        return await self._answer(self._start)

    def _start(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "file": self.studio.opened.describe(),
            "stops": [
                {"class": stop, "hand": kickout_text(stop), "meaning": kickout_meaning(stop)}
                for stop in kickout_stops()
            ],
            "lines": list(line_names()),
            "strategies": list(STRATEGIES),
            "formats": formats(),
        }

    async def file(self, _request: Request) -> Response:
        """The file as it is on the disk now."""
        return await self._answer(self.studio.opened.describe)

    async def events(self, request: Request) -> Response:
        """Messages to a page, for as long as it is there."""
        page = request.query_params.get("page", "")
        if not _PAGE.fullmatch(page):
            return _problems(400, "expected the name of a page")
        pages = self.studio.pages
        pages.enter(page)
        self.studio.sampler.enter(page, lambda message: pages.tell(page, message))
        return StreamingResponse(pages.stream(page), media_type="text/event-stream")

    async def report_file(self, request: Request) -> Response:
        """A finished report, to download."""
        form = request.path_params["form"]

        def make() -> Response:
            name, content = self.studio.reports.file(request.path_params["name"], form)
            headers = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(content, media_type=FORMATS[form][1], headers=headers)

        return await self._answer(make)

    def posted(self, answer: Callable[[Body], Any]) -> Callable[[Request], Any]:
        """A route for what is asked with a body of JSON."""

        async def route(request: Request) -> Response:
            if request.headers.get("content-type", "").split(";")[0] != "application/json":
                return _problems(415, "expected application/json")
            try:
                body = await request.json()
            except (ValueError, RecursionError):
                return _problems(400, "expected JSON")
            if not isinstance(body, dict):
                return _problems(400, "expected a JSON object")
            return await self._answer(lambda: answer(body))

        return route

    async def _answer(self, make: Callable[[], Any]) -> Response:
        """Run in a thread, and turn errors into texts."""
        try:
            found = await run_in_threadpool(make)
        except ConfigError as error:
            return _problems(422, *(str(problem) for problem in error.problems))
        except ConflictError as error:
            return _problems(409, str(error))
        except ValueError as error:
            return _problems(422, str(error))
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            return _problems(422, f"{name}{error.strerror or error}")
        return found if isinstance(found, Response) else JSONResponse(found)

    # --- what is asked with a body, in threads ---------------------------------------------------

    def figures(self, body: Body) -> dict[str, Any]:
        """Exact figures: one player, side bets, kickouts; sampling of another paytable ends."""
        paytable, strategy, serial = _paytable(body), _strategy(body), _whole(body, "serial")
        self.studio.sampler.drop(_text(body, "page"), serial)
        solo = None
        with self.studio.sampler.paused():
            if 1 in paytable.players:
                solo = solo_view(paytable, self.studio.spectrum(), strategy)
        return {
            "serial": serial,
            "digest": digest_of(paytable),
            "paytable": paytable.model_dump(mode="json"),
            "players": paytable.players,
            "solo": solo,
            "side_bets": side_bet_views(paytable),
            "kickouts": kickout_shares(paytable),
            "warnings": [text for _, text in paytable.warnings()],
        }

    def curve(self, body: Body) -> dict[str, Any]:
        """The kickout curve of one player, exactly."""
        paytable, strategy, serial = _paytable(body), _strategy(body), _whole(body, "serial")
        with self.studio.sampler.paused():
            return {"serial": serial, **curve_view(paytable, self.studio.spectrum(), strategy)}

    def sample(self, body: Body) -> dict[str, Any]:
        """Sample tables in the background; what is found is told to the page."""
        paytable, strategy, serial = _paytable(body), _strategy(body), _whole(body, "serial")
        players = tuple(count for count in _counts(body) if count > 1)
        self.studio.sampler.wish(_text(body, "page"), Wish(serial, paytable, strategy, players))
        return {"serial": serial}

    def prefer(self, body: Body) -> dict[str, Any]:
        """Another table is looked at."""
        page, serial = _text(body, "page"), _whole(body, "serial")
        self.studio.sampler.prefer(page, serial, _whole(body, "players"))
        return {}

    def yaml(self, body: Body) -> dict[str, Any]:
        """The paytable as a file."""
        paytable = _paytable(body)
        return {"text": self.studio.opened.yaml(paytable), "digest": digest_of(paytable)}

    def look(self, body: Body) -> dict[str, Any]:
        """What stands under a file's name now."""
        return {"digest": look(self.studio.opened.target(_text(body, "name"))).digest}

    def save(self, body: Body) -> dict[str, Any]:
        """Write the paytable to the disk."""
        return self.studio.opened.save(_paytable(body), _text(body, "name"), _text(body, "known"))

    def report(self, body: Body) -> dict[str, Any]:
        """Begin a report."""
        page, pages = _text(body, "page"), self.studio.pages
        if page not in pages:
            raise ValueError("the page is not there any more; load it again")
        name = self.studio.reports.start(
            page,
            lambda message: pages.tell(page, message),
            _paytable(body),
            _counts(body),
            _strategy(body),
        )
        return {"report": name}

    def stop_report(self, body: Body) -> dict[str, Any]:
        """Stop a report."""
        self.studio.reports.stop(_text(body, "report"))
        return {}


def _problems(status: int, *texts: str) -> Response:
    return JSONResponse({"problems": list(texts)}, status)


def _paytable(body: Body) -> RicochetPokerPaytable:
    content = body.get("paytable")
    if not isinstance(content, dict):
        raise ValueError("expected a paytable")
    return RicochetPokerPaytable.read(content)


def _strategy(body: Body) -> str:
    name = body.get("strategy", "collective")
    if name not in STRATEGIES:
        raise ValueError(f"expected a strategy: one of {', '.join(STRATEGIES)}")
    return str(name)


def _counts(body: Body) -> tuple[int, ...]:
    found = body.get("players")
    if not isinstance(found, list) or not all(type(n) is int and 1 <= n <= 7 for n in found):
        raise ValueError("expected a list of player counts, 1 to 7")
    return tuple(dict.fromkeys(found))


def _whole(body: Body, key: str) -> int:
    found = body.get(key)
    if type(found) is not int or not 0 <= found < 1 << 53:
        raise ValueError(f"expected a whole number as {key}")
    return found


def _text(body: Body, key: str) -> str:
    found = body.get(key)
    if not isinstance(found, str) or len(found) > 200:
        raise ValueError(f"expected a short text as {key}")
    return found
