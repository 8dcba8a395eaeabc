"""Telling what a batch does: bars on a terminal, plain lines elsewhere, JSON for machines."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ricochet_casino.cli.common import err, say_aside

if TYPE_CHECKING:
    from ricochet_casino.experiment import Progress
    from ricochet_casino.lab.batch import Outcome, Watcher
    from ricochet_casino.lab.jobs import Job

PAUSE = 30.0
"""Seconds between two lines about the same experiment."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class _Lines:
    """A line for each beginning and end, and now and then for what lies between."""

    def __init__(self) -> None:
        self._entry = ""

    def tell(self, event: str, text: str, **more: Any) -> None:
        """Print one line; `more` is for machines."""
        del event, more
        say_aside(f"{_now()} {text}")

    def begins(self, number: int, total: int, job: "Job") -> None:
        self._entry = job.name
        text = f"entry {number} of {total}: {job.name}"
        self.tell("entry begins", text, entry=job.name, number=number, total=total)

    def stage(self, name: str) -> "Progress":
        begun = last = time.monotonic()
        first: int | None = None

        def progress(done: int, total: int) -> None:
            nonlocal last, first
            now = time.monotonic()
            if first is None:  # what the store had, or one block
                first = done
            if now - last < PAUSE and done < total:
                return
            last = now
            speed = (done - first) / (now - begun) if now > begun else 0.0
            left = f", {(total - done) / speed:,.0f} s left" if speed and done < total else ""
            rate = f" ({speed:,.1f} a second{left})" if speed else ""
            text = f"  {name}: {done:,} of {total:,} blocks{rate}"
            self.tell("blocks", text, entry=self._entry, stage=name, done=done, total=total)

        return progress

    def ends(self, outcome: "Outcome") -> None:
        more = f": {outcome.text}" if outcome.text else ""
        text = f"  {outcome.name}: {outcome.status}{more} ({outcome.seconds:.1f} s)"
        self.tell(
            "entry ends", text, entry=outcome.name, status=outcome.status, remark=outcome.text,
            seconds=round(outcome.seconds, 3),
        )  # fmt: skip

    def writes(self, path: Path) -> None:
        self.tell("wrote", f"  wrote {path}", path=str(path))


class _JsonLines(_Lines):
    """One JSON object a line, on standard error."""

    def tell(self, event: str, text: str, **more: Any) -> None:
        del text
        line = json.dumps({"time": _now(), "event": event, **more}, ensure_ascii=True)
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


class _Bars:
    """A bar for all entries, and one for the experiment that runs."""

    def __init__(self, bars: Any) -> None:
        self._bars = bars
        self._all = bars.add_task("entries", total=None)
        self._task: Any = None

    def begins(self, number: int, total: int, job: "Job") -> None:
        self._bars.update(self._all, completed=number - 1, total=total, description=job.name)

    def stage(self, name: str) -> "Progress":
        if self._task is not None:
            self._bars.remove_task(self._task)
        task = self._task = self._bars.add_task(f"  {name}", total=None)

        def progress(done: int, total: int) -> None:
            self._bars.update(task, completed=done, total=total)

        return progress

    def ends(self, outcome: "Outcome") -> None:
        self._bars.advance(self._all)
        if not outcome.good:
            self._bars.console.print(
                f"{outcome.name}: {outcome.status}: {outcome.text}", markup=False, style="yellow"
            )

    def writes(self, path: Path) -> None:
        del path  # the summary says what there is


@contextmanager
def watching(*, log_json: bool) -> Iterator["Watcher"]:
    """What tells of a batch, fit for where standard error goes."""
    if log_json:
        yield _JsonLines()
        return
    if not err.is_terminal:
        yield _Lines()
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Steps a second."""

        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.1f}/s")

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
               Rate(), TimeElapsedColumn(), TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=err, transient=True) as bars:
        yield _Bars(bars)
