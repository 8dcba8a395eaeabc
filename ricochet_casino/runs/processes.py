"""Worker processes, seen from the process that started them.

Each is a new interpreter that is told the specification and then block numbers, through a pipe.
The caller's main module is not run again in it, so a script needs no guard, and a notebook or a
program read from standard input will do. A thread of the parent waits for each answer.
"""

import contextlib
import json
import signal
import subprocess
import sys
import threading
from typing import IO, Any, cast

from ricochet_casino.experiment import Tally
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.errors import RunError

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from ricochet_casino.runs.worker import main; main()"
)
_PATIENCE = 5.0  # seconds for a process to end after it was told to
if sys.platform == "win32":
    _FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP  # out of reach of Ctrl-C from the start
else:
    _FLAGS = 0


class StoppedError(Exception):
    """The run was given up while this block was being computed."""


class LostError(Exception):
    """A worker process died; the text says how."""


class ShardError(Exception):
    """A shard raised an exception in a worker process: its text, and as the cause its traceback."""


class _RemoteTracebackError(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"\n'''\n{self.text}'''"


def remote_traceback(text: str) -> Exception:
    """The traceback of another process, as the cause of an error here."""
    return _RemoteTracebackError(text)


class Task:
    """An experiment as worker processes are told of it.

    Parameters
    ----------
    blocks
        The experiment.
    builder
        ``module:function`` that makes it from its specification.
    """

    def __init__(self, blocks: Blocks, builder: str) -> None:
        self.message = {"build": blocks.experiment.spec(), "builder": builder}
        self.expected = blocks.announcement()

    def check(self, answer: dict[str, Any]) -> None:
        """Refuse a worker that has made something else than what it was told to make.

        Raises
        ------
        RunError
            If it could not make the experiment, or its sources or its result are others.
        """
        if "error" in answer:
            cause = _RemoteTracebackError(answer["traceback"])
            raise RunError(f"a worker could not make the experiment: {answer['error']}") from cause
        built = answer["built"]
        wrong = [key for key, value in self.expected.items() if built.get(key) != value]
        if wrong:
            raise RunError(
                f"a worker made another experiment than this one (differing: {', '.join(wrong)}); "
                "were the sources changed while the run went on?"
            )


class _Process:
    """One worker process and the task it was told last."""

    def __init__(self) -> None:
        if not sys.executable:
            raise RunError("there is no Python interpreter to start worker processes with")
        path = json.dumps([entry for entry in sys.path if isinstance(entry, str)])
        self.task: Task | None = None
        self.popen = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            creationflags=_FLAGS,
        )
        self.questions = cast(IO[bytes], self.popen.stdin)
        self.answers = cast(IO[bytes], self.popen.stdout)

    def compute(self, task: Task, number: int) -> Tally:
        if self.task is not task:
            task.check(self._ask(task.message))
            self.task = task
        answer = self._ask({"block": number})
        if "error" in answer:
            raise ShardError(answer["error"]) from _RemoteTracebackError(answer["traceback"])
        return Tally.from_json(answer["tally"])

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            self.questions.write(json.dumps(message).encode() + b"\n")
            self.questions.flush()
            line = self.answers.readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise LostError(f"its worker process {self._end()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _end(self) -> str:
        """Wait for the end and say how it came."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(_PATIENCE)
        code = self.popen.poll()
        if code is None:
            return "stopped answering"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was killed by signal {-code} ({signal.Signals(-code).name})"
        return f"ended with exit code {code}"

    def tell_to_end(self) -> None:
        with contextlib.suppress(OSError):
            self.questions.close()

    def end(self, *, at_once: bool) -> None:
        """End it and wait until it is gone."""
        if at_once:
            self.popen.kill()
        self.tell_to_end()
        try:
            self.popen.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        self.answers.close()


class Processes:
    """Worker processes, started when a thread needs one and kept for its next block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._stopped = False

    def compute(self, task: Task, number: int) -> Tally:
        """Have a block computed; called by as many threads as there are to be processes.

        Raises
        ------
        StoppedError
            If `stop` was called.
        LostError
            If the process died.
        ShardError
            If a shard raised an exception.
        RunError
            If the experiment cannot be made there.
        """
        process = self._take()
        healthy = False
        try:
            tally = process.compute(task, number)
            healthy = True
        except ShardError:
            healthy = True
            raise
        except LostError:
            if self._stopped:
                raise StoppedError from None
            raise
        finally:
            self._give_back(process, healthy=healthy)
        return tally

    def _take(self) -> _Process:
        with self._lock:
            if self._stopped:
                raise StoppedError
            process = self._idle.pop() if self._idle else _Process()
            self._busy.add(process)
            return process

    def _give_back(self, process: _Process, *, healthy: bool) -> None:
        with self._lock:
            self._busy.discard(process)
            if healthy and not self._stopped:
                self._idle.append(process)
                return
        process.end(at_once=True)

    def stop(self) -> None:
        """Give up what is being computed; `compute` raises `StoppedError` from now on."""
        with self._lock:
            self._stopped = True
            for process in self._busy:
                process.popen.kill()

    def close(self) -> None:
        """End all processes that wait for work, and allow new ones."""
        with self._lock:
            idle, self._idle, self._stopped = self._idle, [], False
        for process in idle:
            process.tell_to_end()
        for process in idle:
            process.end(at_once=False)
