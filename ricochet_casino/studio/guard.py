"""Who may ask: this machine's own page and nobody else.

A page of another site can make a browser send requests to a loopback port, and a host name under
its control can be made to point there (DNS rebinding). So the names in ``Host`` and ``Origin`` are
checked on every request, and what changes something has to come from the page itself.
"""

from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK: Final = ("127.0.0.1", "localhost")
"""Names under which the page can be opened."""
LARGEST_BODY: Final = 256 * 1024
"""Bytes of a request; a paytable has a few thousand."""

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""On every answer."""


def own_hosts(port: int) -> frozenset[str]:
    """What may stand in ``Host`` for a studio on this port."""
    plain = LOOPBACK if port == 80 else ()
    return frozenset([*(f"{name}:{port}" for name in LOOPBACK), *plain])


class Guard:
    """Middleware that refuses foreign requests and puts `HEADERS` on every answer.

    Parameters
    ----------
    app
        What is guarded.
    hosts
        From `own_hosts`.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self.app, self.hosts = app, frozenset(hosts)
        self.origins = frozenset(f"http://{host}" for host in self.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 or 413, or let the request through."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] != "http":
            raise RuntimeError(f"the studio answers http only, not {scope['type']}")
        headers = Headers(scope=scope)
        refused = self.refusal(scope["method"], headers)
        if refused:
            await PlainTextResponse(refused, 403)(scope, receive, sending)
        elif not _small(headers):
            text = f"expected a body of at most {LARGEST_BODY:,} bytes and its length"
            await PlainTextResponse(text, 413)(scope, receive, sending)
        else:
            await self.app(scope, receive, sending)

    def refusal(self, method: str, headers: Headers) -> str:
        """Why a request is refused; empty if it is not.

        Parameters
        ----------
        method
            Such as ``GET``.
        headers
            Of the request.
        """
        host, origin = headers.get("host", ""), headers.get("origin")
        site = headers.get("sec-fetch-site", "none")
        if len(headers.getlist("host")) != 1 or host.lower() not in self.hosts:
            return f"refused: the host {host[:100]!r} is not this studio"
        if origin is not None and origin.lower() not in self.origins:
            return f"refused: a request from {origin[:100]!r}, another origin"
        if site not in ("same-origin", "none"):
            return f"refused: a request from another site ({site[:20]!r})"
        if method not in ("GET", "HEAD") and origin is None:
            return "refused: a request that does not say which page it comes from (Origin)"
        return ""


def _small(headers: Headers) -> bool:
    """Whether a body has a known length within the limit; none at all is fine."""
    if "transfer-encoding" in headers:
        return False
    length = headers.get("content-length", "0")
    return length.isascii() and length.isdigit() and int(length) <= LARGEST_BODY
