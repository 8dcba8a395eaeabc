"""Who may ask: foreign hosts and origins are refused before anything is done."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from ricochet_casino.studio.guard import HEADERS, LARGEST_BODY, Guard, own_hosts

OWN = "http://127.0.0.1:8470"


@pytest.fixture
def answered(client_of):
    """A guarded application, and the list of requests that reached it."""
    reached = []

    async def answer(request):
        await request.body()
        reached.append(request.method)
        return PlainTextResponse("fine")

    routes = [Route("/", answer, methods=["GET", "POST"])]
    app = Starlette(routes=routes, middleware=[Middleware(Guard, hosts=own_hosts(8470))])
    return client_of(app), reached


def test_the_page_itself_may_ask(answered):
    client, reached = answered
    assert client.get("/").text == "fine"
    assert client.get("/", headers={"Host": "localhost:8470"}).text == "fine"
    headers = {"Origin": OWN, "Sec-Fetch-Site": "same-origin"}
    assert client.request("POST", "/", headers=headers, json={}).text == "fine"
    assert reached == ["GET", "GET", "POST"]


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8470", "127.0.0.1", "127.0.0.1:80", "0.0.0.0:8470", "",
     "localhost.evil.example:8470", "127.0.0.1:8470.evil.example", "[::1]:8470", "10.0.0.7:8470"],
)  # fmt: skip
def test_another_host_is_refused(answered, host):
    client, reached = answered
    done = client.get("/", headers={"Host": host})
    assert done.status_code == 403
    assert "refused: the host" in done.text
    assert reached == []


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:8470",
     "http://127.0.0.1:8471", "http://localhost:8470.evil.example", "file://", ""],
)  # fmt: skip
def test_another_origin_is_refused(answered, method, origin):
    client, reached = answered
    done = client.request(method, "/", headers={"Origin": origin})
    assert done.status_code == 403
    assert "another origin" in done.text
    assert reached == []


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_a_request_from_another_site_is_refused_even_without_an_origin(answered, site):
    client, reached = answered
    assert client.get("/", headers={"Sec-Fetch-Site": site}).status_code == 403
    assert reached == []


def test_what_changes_something_must_name_its_page(answered):
    client, reached = answered
    assert client.request("POST", "/", foreign=True, json={}).status_code == 403
    assert client.request("DELETE", "/", foreign=True).status_code == 403
    assert reached == []


def test_two_host_headers_are_refused():
    sent = []
    scope = {
        "type": "http", "method": "GET", "path": "/", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8470"), (b"host", b"evil.example")],
    }  # fmt: skip

    async def app(*_):
        raise AssertionError("the request got through")

    async def send(message):
        sent.append(message)

    asyncio.run(Guard(app, own_hosts(8470))(scope, None, send))
    assert sent[0]["status"] == 403


def test_large_bodies_and_bodies_of_unknown_length_are_refused(answered):
    client, reached = answered

    async def pieces():
        yield b"x"

    for content, status in (
        (b"x" * LARGEST_BODY, 200),
        (b"x" * (LARGEST_BODY + 1), 413),
        (pieces(), 413),
    ):
        assert client.request("POST", "/", content=content).status_code == status
    assert reached == ["POST"]


@pytest.mark.parametrize("path", ["/", "/nothing", "/?refused"])
def test_every_answer_carries_the_headers(answered, path):
    client, _ = answered
    extra = {"Host": "evil.example"} if "refused" in path else {}
    done = client.get(path, headers=extra)
    for name, value in HEADERS.items():
        assert done.headers[name] == value


def test_the_policy_allows_files_of_the_studio_and_nothing_else():
    policy = dict(part.strip().split(" ", 1) for part in
                  HEADERS["Content-Security-Policy"].split(";"))  # fmt: skip
    assert policy.pop("default-src") == "'none'"
    assert {"script-src", "style-src", "connect-src", "frame-ancestors"} <= set(policy)
    assert set(policy.values()) <= {"'self'", "'none'"}


def test_only_the_own_names_on_port_80():
    assert "localhost" in own_hosts(80)
    assert "localhost" not in own_hosts(8470)
