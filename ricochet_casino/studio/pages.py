"""The pages that are open: messages to them, and what happens when one goes away."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import Any, Final

_LOOK: Final = 0.25  # seconds between looks at whether the studio ends
_SIGN: Final = 10.0  # seconds between signs of life to a quiet page
_MOST_WAITING: Final = 1000


class Pages:
    """Open pages, each with a stream of messages; used from the event loop unless told otherwise.

    Parameters
    ----------
    left
        Called with the name of a page that has gone away.
    """

    def __init__(self, left: Callable[[str], None]) -> None:
        self._left = left
        self._queues: dict[str, asyncio.Queue[dict[str, Any]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.ending = False
        self.last_seen: float | None = None

    def __len__(self) -> int:
        """How many are open."""
        return len(self._queues)

    def __contains__(self, page: object) -> bool:
        """Whether a page is open."""
        return page in self._queues

    def idle(self) -> float | None:
        """Seconds since the last page went away; None while one is open, or before the first."""
        if self._queues or self.last_seen is None:
            return None
        return monotonic() - self.last_seen

    def tell(self, page: str, message: dict[str, Any]) -> None:
        """Send a message to a page; from any thread."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, page, message)

    def tell_all(self, message: dict[str, Any]) -> None:
        """Send a message to every page; from any thread."""
        for page in list(self._queues):
            self.tell(page, message)

    def _put(self, page: str, message: dict[str, Any]) -> None:
        queue = self._queues.get(page)
        if queue is not None and queue.qsize() < _MOST_WAITING:
            queue.put_nowait(message)

    def enter(self, page: str) -> None:
        """A page is there; one of the same name is replaced."""
        self._loop = asyncio.get_running_loop()
        self._queues[page] = asyncio.Queue()

    async def stream(self, page: str) -> AsyncIterator[str]:
        """Messages to a page that has entered, as server-sent events, until it goes away."""
        queue = self._queues[page]
        quiet = monotonic()
        try:
            yield ": the studio is here\n\n"
            while not self.ending and self._queues.get(page) is queue:
                try:
                    message = await asyncio.wait_for(queue.get(), _LOOK)
                except TimeoutError:
                    if monotonic() - quiet > _SIGN:
                        quiet = monotonic()
                        yield ": still here\n\n"
                    continue
                yield f"data: {json.dumps(message, ensure_ascii=False)}\n\n"
        finally:
            if self._queues.get(page) is queue:
                del self._queues[page]
                self.last_seen = monotonic()
                self._left(page)
