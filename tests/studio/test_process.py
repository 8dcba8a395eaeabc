"""The studio as a user starts and ends it: ports, messages, what is left behind."""

import json
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import httpx
import pytest

from ricochet_casino.studio.server import bind

ROOT = Path(__file__).parents[2]
PAGE = "00000000-0000-4000-8000-00000000000"


def ricochet(*words, code=None):
    command = ["-c", code] if code else ["-m", "ricochet_casino"]
    return subprocess.run(
        [sys.executable, *command, *words],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_a_port_in_use_is_told():
    with bind(0) as taken:
        port = taken.getsockname()[1]
        done = ricochet("studio", "rulebook", "--no-open", "--port", str(port))
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"error: port {port} is in use, perhaps by another studio" in done.stderr
    assert "Traceback" not in done.stderr


def test_only_this_machine_can_connect():
    with bind(0) as found:
        assert found.getsockname()[0] == "127.0.0.1"
        assert found.family == socket.AF_INET


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["rulebok"], "did you mean rulebook?"),
        (["missing.yaml"], "no such file"),
        (["rulebook", "--port", "70000"], "65535"),
        (["rulebook", "--linger", "-1"], "--linger"),
    ],
)
def test_bad_input_is_told(words, text):
    done = ricochet("studio", *words, "--no-open")
    assert done.returncode == 2
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_extra_is_told():
    code = (
        "import sys; sys.modules['starlette'] = sys.modules['uvicorn'] = None\n"
        "from ricochet_casino.cli import main; main()"
    )
    done = ricochet("studio", "--no-open", code=code)
    assert done.returncode == 2
    assert "install ricochet-casino[studio]" in done.stderr
    assert "Traceback" not in done.stderr


def test_two_studios_at_once_and_ctrl_c(start_studio):
    first, second = (
        start_studio("rulebook", "--port", "0"),
        start_studio("home_capped", "--port", "0"),
    )
    assert first.address != second.address
    names = [httpx.get(f"{s.address}api/start").json()["file"]["name"] for s in (first, second)]
    assert names == ["rulebook.yaml", "home_capped.yaml"]
    # One studio's page is a foreign page to the other.
    own = first.address.rstrip("/")
    done = httpx.post(f"{second.address}api/yaml", json={}, headers={"Origin": own})
    assert done.status_code == 403
    assert first.end() == 0
    assert "the studio has ended" in "".join(first.said)
    assert second.end() == 0
    for studio in (first, second):
        assert "Traceback" not in "".join(studio.said)


@pytest.fixture(autouse=True)
def _listeners_hang_up():
    yield
    while Listener.listening:
        Listener.listening.pop().join(30)


class Listener:
    """A page that hears the studio's messages, until it is killed or the studio ends."""

    listening: ClassVar[list[threading.Thread]] = []

    def __init__(self, address, page):
        self.messages = []
        self._client = httpx.Client(timeout=60)
        self._stream = self._client.stream("GET", f"{address}api/events", params={"page": page})
        response = self._stream.__enter__()
        assert response.status_code == 200
        self._lines = response.iter_lines()
        assert next(self._lines).startswith(":")
        thread = threading.Thread(target=self._listen, daemon=True)
        self.listening.append(thread)
        thread.start()

    def _listen(self):
        try:
            for line in self._lines:
                if line.startswith("data: "):
                    self.messages.append(json.loads(line[6:]))
        except (httpx.HTTPError, httpx.StreamClosed, RuntimeError):
            pass
        finally:
            with suppress(httpx.HTTPError, OSError, RuntimeError):
                self._stream.__exit__(None, None, None)
            self._client.close()

    def kill(self):
        for connection in self._client._transport._pool.connections:
            connection._connection._network_stream.get_extra_info("socket").shutdown(
                socket.SHUT_RDWR
            )


def test_four_pages_at_once_and_what_is_left_when_they_are_killed(start_studio, wait_until):
    studio = start_studio("rulebook", "--port", "0", "--linger", "1")
    start = httpx.get(f"{studio.address}api/start").json()
    body = {"serial": 1, "paytable": start["file"]["paytable"], "strategy": "always_play"}
    headers = {"Origin": studio.address.rstrip("/")}
    pages = []
    for number in range(4):
        listener = Listener(studio.address, PAGE + str(number))
        pages.append(listener)
        done = httpx.post(
            f"{studio.address}api/sample", headers=headers,
            json={**body, "page": PAGE + str(number), "players": [2]},
        )  # fmt: skip
        assert done.status_code == 200
    wait_until(lambda: all(listener.messages for listener in pages), 300)
    for listener in pages:
        assert listener.messages[0]["event"] in ("sampled", "note")
    for listener in pages:
        listener.kill()
    assert studio.process.wait(timeout=60) == 0
    assert "no page has been open for 1 s" in "".join(studio.said)


def test_ctrl_c_while_pages_are_open_and_work_goes_on(start_studio):
    studio = start_studio("rulebook", "--port", "0")
    start = httpx.get(f"{studio.address}api/start").json()
    Listener(studio.address, PAGE + "0")
    headers = {"Origin": studio.address.rstrip("/")}
    body = {"serial": 1, "paytable": start["file"]["paytable"], "strategy": "always_play"}
    for path in ("sample", "reports"):
        done = httpx.post(
            f"{studio.address}api/{path}", headers=headers,
            json={**body, "page": PAGE + "0", "players": [2, 3]},
        )  # fmt: skip
        assert done.status_code == 200
    assert studio.end() == 0
    assert "Traceback" not in "".join(studio.said)


def test_help_and_the_rest_need_no_web_framework():
    code = (
        "import sys\nfrom ricochet_casino.cli import build_app\nbuild_app()\n"
        "assert not {'starlette', 'uvicorn', 'numba', 'scipy'} & set(sys.modules)"
    )
    assert ricochet(code=code).returncode == 0
