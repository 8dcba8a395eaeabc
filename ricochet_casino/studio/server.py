"""The process that serves the page, and ends with it."""

import errno
import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Final

import uvicorn

from ricochet_casino.studio.app import Studio, make_app

HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8470
DEFAULT_LINGER: Final = 60
"""Seconds for which the studio stays when the last page has gone."""

Say = Callable[[str], None]


def bind(port: int) -> socket.socket:
    """A socket on this machine's own address.

    Parameters
    ----------
    port
        1 to 65,535; 0 for any that is free.

    Raises
    ------
    ValueError
        If the port is in use or not allowed.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere this would let two studios share a port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen(128)
    except OSError as error:
        found.close()
        if error.errno == errno.EADDRINUSE:
            text = f"port {port} is in use, perhaps by another studio; give --port another number"
            raise ValueError(f"{text}, or 0 for any that is free") from None
        raise ValueError(f"port {port}: {error.strerror}; expected another --port") from None
    return found


def serve(studio: Studio, listening: socket.socket, *, say: Say, browse: bool, linger: int) -> None:
    """Serve until Ctrl-C, or until the last page has been gone for a while.

    Parameters
    ----------
    studio
        What is served.
    listening
        From `bind`.
    say
        Gets lines for the terminal.
    browse
        Whether a browser is opened.
    linger
        Seconds to stay when the last page has gone; 0 to stay until Ctrl-C.
    """
    port = listening.getsockname()[1]
    address = f"http://{HOST}:{port}/"
    app = make_app(studio, port)
    config = uvicorn.Config(
        app, http="h11", ws="none", lifespan="on", log_config=None, access_log=False,
        server_header=False, proxy_headers=False, timeout_graceful_shutdown=3,
    )  # fmt: skip
    server = _Server(config, studio, linger, say)
    server.ready = lambda: _announce(address, say, browse)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:  # the usual way to end it
        pass
    finally:
        listening.close()
        # Python ends under threads that still compute: what they then stumble over is no news.
        threading.excepthook = lambda _args: None
    say("the studio has ended")


def _announce(address: str, say: Say, browse: bool) -> None:
    say(f"the studio is at {address} (Ctrl-C ends it)")
    if browse and not webbrowser.open(address):
        say("no browser could be opened; open the address yourself")


class _Server(uvicorn.Server):
    """uvicorn, which also ends when nobody is left, and tells the pages before it ends."""

    ready: Callable[[], None]

    def __init__(self, config: uvicorn.Config, studio: Studio, linger: int, say: Say) -> None:
        super().__init__(config)
        self._studio, self._linger, self._say = studio, linger, say

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, then say so."""
        await super().startup(sockets)
        if self.started:
            # A text browser would keep its caller until it is closed.
            threading.Thread(target=self.ready, daemon=True).start()

    async def on_tick(self, counter: int) -> bool:
        """Look around, ten times a second."""
        idle = self._studio.pages.idle()
        if self._linger and idle is not None and idle > self._linger:
            self._say(f"no page has been open for {self._linger} s")
            self.should_exit = True
        ending = await super().on_tick(counter)
        if ending:
            self._studio.pages.ending = True
        return ending
