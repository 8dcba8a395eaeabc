"""What the tests of the studio share: asking an application without a network."""

import asyncio

import httpx
import pytest

OWN = "http://127.0.0.1:8470"


class Client:
    """Asks an application as a browser on the page would; `foreign` leaves the Origin away."""

    def __init__(self, app, page=""):
        self.app, self.page = app, page

    def request(self, method, path, *, foreign=False, headers=None, **content):
        given = {} if foreign or method == "GET" else {"Origin": OWN}
        given |= headers or {}

        async def ask():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
                return await client.request(method, path, headers=given, **content)

        return asyncio.run(ask())

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, **body):
        return self.request("POST", path, json={"page": self.page, **body})


@pytest.fixture(scope="session")
def client_of():
    """Makes a client for an application."""
    return Client
