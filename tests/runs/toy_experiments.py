"""Experiments for the tests of runs: cheap, with every trouble a shard can make on demand."""

import hashlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ricochet_casino.experiment import Result, Shard, Tally


class Shards(Sequence):
    """Shards made when they are asked for; counts how many were."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.asked = 0

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index):
        if not 0 <= index < self.count:
            raise IndexError(index)
        self.asked += 1
        return Shard(f"s{index}", index)


class Toy:
    """Counts and notes that follow from the shard's number by SHA-256.

    ``pause`` is the longest sleep of a shard in ms (pseudo-random); ``log`` is a file that gets a
    line ``SHARD PID`` from every shard; ``trouble`` has the keys ``shard``, ``kind``, ``times`` and
    ``marks``: what goes wrong there, and how often (counted by files in the folder ``marks``).
    """

    name = "toy"

    def __init__(self, parameters: dict[str, Any]) -> None:
        self.parameters = parameters
        self.block_shards = parameters.get("block_shards", 3)
        self.prefers = parameters.get("prefers", "processes")
        self.lazy = Shards(parameters.get("shards", 40))

    def spec(self) -> dict[str, Any]:
        return {"game": "toy", "experiment": self.name, "parameters": self.parameters}

    def shards(self) -> Sequence[Shard]:
        return self.lazy

    def run(self, shard: Shard) -> Tally:
        number = shard.data
        value = int.from_bytes(hashlib.sha256(str(number).encode()).digest()[:10])
        log, pause = self.parameters.get("log"), self.parameters.get("pause", 0)
        if log:
            descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(descriptor, f"{number} {os.getpid()}\n".encode())
            os.close(descriptor)
        if pause:
            time.sleep(value % 1009 / 1009 * pause / 1000)
        trouble = self.parameters.get("trouble")
        if trouble and trouble["shard"] == number:
            self._trouble(trouble)
        counts = {"value": value, f"residue.{value % 7}": 1, "large": value << 80}
        return Tally(counts, {f"note.{number}": str(value % 97)} if number % 5 == 0 else {})

    def _trouble(self, trouble: dict[str, Any]) -> None:
        kind = trouble["kind"]
        if "times" in trouble:
            marks = Path(trouble["marks"])
            done = len(list(marks.iterdir()))
            if done >= trouble["times"]:
                return
            (marks / str(done)).touch()
        if kind == "raise":
            raise ZeroDivisionError(f"trouble in shard {trouble['shard']}")
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "exit":
            sys.exit(7)
        if kind == "say":
            print("a shard says\nsomething")
            os.write(1, b'{"tally": "not this"}\n')
        if kind == "listen" and sys.stdin.read():
            raise AssertionError("a shard read the parent's messages")
        if kind == "sleep":
            time.sleep(600)

    def result(self, tally: Tally) -> Result:
        return Result("sampled", {"counts": dict(tally.counts), "notes": dict(tally.notes)})


class Float(Toy):
    """Its tallies are not whole numbers."""

    name = "float"

    def run(self, shard: Shard) -> Tally:
        return Tally({"half": shard.data / 2})  # type: ignore[dict-item]


def build(spec: dict[str, Any]) -> Toy:
    """Make an experiment of this file from its specification."""
    kinds = {"toy": Toy, "float": Float}
    return kinds[spec["experiment"]](spec["parameters"])


def build_another(spec: dict[str, Any]) -> Toy:
    """Make an experiment that is not the one specified."""
    return Toy({**spec["parameters"], "shards": 7})
