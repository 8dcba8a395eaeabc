"""What the tests of the studio share: asking an application without a network."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

# A job in the background of a shell is started deaf to Ctrl-C, and so would its children be.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[2]
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


class Process:
    """A studio as a user starts it, on any free port."""

    def __init__(self, folder, *words):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ricochet_casino", "studio", *words, "--no-open"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        self.said = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        wait(lambda: self.address or self.process.poll() is not None, 60)

    def _read(self):
        self.said.extend(self.process.stderr)

    @property
    def address(self):
        found = re.search(r"http://127\.0\.0\.1:\d+/", "".join(self.said))
        return found[0] if found else None

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=30)
        self._reader.join(timeout=10)
        self.process.stderr.close()
        return code


def wait(until, seconds=60):
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def wait_until():
    """Waits until a condition holds."""
    return wait


@pytest.fixture
def start_studio(tmp_path):
    """Starts studios that end with the test."""
    started = []

    def start(*words):
        started.append(Process(tmp_path, *words))
        return started[-1]

    yield start
    for studio in started:
        studio.end()
