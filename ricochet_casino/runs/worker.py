"""A worker process: it makes the experiment from its specification and computes blocks.

It is started by `ricochet_casino.runs.processes` and talks with it in lines of JSON, on what were
its standard input and output::

    {"build": SPEC, "builder": "module:function"}  ->  {"built": IDENTITY}
    {"block": 12}                                  ->  {"tally": TALLY}

or ``{"error": TEXT, "traceback": TEXT}``. It ends at once when its input does, so it never outlives
the process that started it.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, BinaryIO, cast

from ricochet_casino.experiment import Experiment
from ricochet_casino.runs.blocks import Blocks


def main() -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to act on
    questions, answers = _take_over_streams()
    waiting: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(questions, waiting), daemon=True).start()
    worker = _Worker()
    while True:
        answer = json.dumps(worker.answer(json.loads(waiting.get()))).encode()
        try:
            answers.write(answer + b"\n")
            answers.flush()
        except OSError:
            os._exit(0)  # as in _listen, only noticed earlier


def _take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep both ends to the parent for messages: what a shard prints goes to standard error."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    with contextlib.suppress(OSError):  # there may be no standard error
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    return questions, answers


def _listen(questions: BinaryIO, waiting: "SimpleQueue[bytes]") -> None:
    for line in questions:
        waiting.put(line)
    os._exit(0)  # the parent is gone or has given up; so is the block in work


def build(builder: str, spec: dict[str, Any]) -> Experiment:
    """Make an experiment with a function given by name.

    Parameters
    ----------
    builder
        ``module:function``; the function takes the specification.
    spec
        The specification.
    """
    module, _, name = builder.partition(":")
    maker: Callable[[dict[str, Any]], Experiment]
    maker = getattr(importlib.import_module(module), name)
    return maker(spec)


class _Worker:
    def __init__(self) -> None:
        self.blocks: Blocks | None = None

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            if "build" in message:
                self.blocks = Blocks(build(message["builder"], message["build"]))
                return {"built": self.blocks.announcement()}
            tally = cast(Blocks, self.blocks).compute(message["block"])
            return {"tally": tally.to_json()}
        except Exception as error:
            return {
                "error": f"{type(error).__name__}: {error}",
                "traceback": traceback.format_exc(),
            }
