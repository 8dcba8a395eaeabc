"""Reports that a page asks for: a certificate, computed in the background, and its renderings."""

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from time import monotonic
from typing import Final

from ricochet_casino.certificate import Certificate
from ricochet_casino.experiment import Progress
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.lab.certify import certify
from ricochet_casino.lab.requests import NO_BOUNDS, Request, Sampling
from ricochet_casino.lab.running import Runner
from ricochet_casino.report.documents import document_from_json
from ricochet_casino.report.files import render
from ricochet_casino.studio.sampling import Tell

FORMATS: Final[Mapping[str, tuple[str, str]]] = {
    "html": ("HTML", "text/html; charset=utf-8"),
    "pdf": ("PDF", "application/pdf"),
    "xlsx": ("XLSX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "csv": ("CSV", "text/csv; charset=utf-8"),
    "md": ("Markdown", "text/markdown; charset=utf-8"),
    "json": ("Certificate (JSON)", "application/json"),
}
"""What can be downloaded: name and media type. `rendered` makes them."""
UNTIL: Final = Fraction(1, 500)
"""Half width of the RTP's interval that a report of a sampled table goes for."""
_MOST_KEPT = 8
_TELL_EVERY = 0.2  # seconds
_one_at_a_time = threading.Lock()


def formats() -> dict[str, str]:
    """Formats that can be made with what is installed, with their names."""
    lacking = {"pdf"} if find_spec("typst") is None else set()
    return {form: name for form, (name, _) in FORMATS.items() if form not in lacking}


def rendered(certificate: Certificate, form: str) -> bytes:
    """A certificate as a file in one of `FORMATS`.

    Raises
    ------
    ValueError
        For another format, or if what it needs is not installed.
    """
    if form not in FORMATS:
        raise ValueError(f"unknown format {form[:20]!r}; expected one of {', '.join(FORMATS)}")
    if form == "json":
        return certificate.to_json().encode()
    with _one_at_a_time:  # drawing is not made for threads
        document = document_from_json(certificate.to_json(), "the report")
        return render(document, [form])[form]


class StoppedError(Exception):
    """The page is gone, or does not want the report any more."""


@dataclass
class _Job:
    page: str
    stem: str
    stopped: threading.Event = field(default_factory=threading.Event)
    certificate: Certificate | None = None


class Reports:
    """The reports of all pages; each is computed in a thread of its own, one at a time for a page.

    Parameters
    ----------
    until
        Half width of the RTP's interval for sampled tables.
    """

    def __init__(self, until: Fraction = UNTIL) -> None:
        self._until = until
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()

    def start(
        self,
        page: str,
        tell: Tell,
        paytable: RicochetPokerPaytable,
        players: tuple[int, ...],
        strategy: str,
    ) -> str:
        """Begin a report and give its name; progress, end and errors are told to the page.

        Raises
        ------
        PaytableError, ValueError
            If there can be no such report.
        """
        sampling = Sampling(until=self._until)
        request = Request(players, (strategy,), sampling=sampling, bounding=NO_BOUNDS)
        for count in players:
            paytable.rules(count)
        name = secrets.token_hex(8)
        stem = f"{paytable.game}-{'-'.join(map(str, players))}p-{strategy}"
        job = _Job(page, stem)
        with self._lock:
            for other in self._jobs.values():
                if other.page == page and other.certificate is None:
                    other.stopped.set()
            self._jobs[name] = job
            done = [key for key, old in self._jobs.items() if old.certificate is not None]
            for key in done[: max(0, len(self._jobs) - _MOST_KEPT)]:
                del self._jobs[key]
        work = (name, job, tell, paytable, request)
        threading.Thread(target=self._run, args=work, name="report", daemon=True).start()
        return name

    def _run(
        self,
        name: str,
        job: _Job,
        tell: Tell,
        paytable: RicochetPokerPaytable,
        request: Request,
    ) -> None:
        told = 0.0

        def stage(label: str) -> Progress:
            def progress(done: int, total: int) -> None:
                nonlocal told
                if job.stopped.is_set():
                    raise StoppedError
                if monotonic() - told > _TELL_EVERY:
                    told = monotonic()
                    tell({"event": "report", "report": name, "stage": label,
                          "done": done, "total": total})  # fmt: skip

            return progress

        try:
            job.certificate = certify(paytable, request, Runner(1, "serial", stage))
        except StoppedError:
            self._forget(name)
            tell({"event": "report", "report": name, "stopped": True})
        except Exception as error:
            self._forget(name)
            tell({"event": "report", "report": name, "error": str(error) or type(error).__name__})
        else:
            tell({"event": "report", "report": name, "ready": True,
                  "digest": job.certificate.digest})  # fmt: skip

    def _forget(self, name: str) -> None:
        with self._lock:
            self._jobs.pop(name, None)

    def stop(self, name: str) -> None:
        """Stop a report, if it still goes on."""
        with self._lock:
            job = self._jobs.get(name)
        if job:
            job.stopped.set()

    def leave(self, page: str) -> None:
        """A page is gone: what is computed for it stops, what was computed is forgotten."""
        with self._lock:
            for name, job in list(self._jobs.items()):
                if page in ("", job.page):
                    job.stopped.set()
                    if job.certificate is not None:
                        del self._jobs[name]

    @property
    def busy(self) -> int:
        """Reports that are being computed."""
        with self._lock:
            return sum(job.certificate is None for job in self._jobs.values())

    def file(self, name: str, form: str) -> tuple[str, bytes]:
        """Name and content of a finished report.

        Raises
        ------
        ValueError
            If there is no such report, or format.
        """
        with self._lock:
            job = self._jobs.get(name)
        if job is None or job.certificate is None:
            raise ValueError("there is no such report; make it again")
        return f"{job.stem}.{form}", rendered(job.certificate, form)
