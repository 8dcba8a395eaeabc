"""What a Dask worker does: make an experiment from its specification, and compute one block.

The client sends (experiment, block) pairs: everything that is needed travels with every block, so
any worker can take any block, also one that joined a moment ago.
"""

import json
import threading
import traceback
import zlib
from collections import OrderedDict
from typing import Any

from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.worker import build

_KEPT = 4
_built: "OrderedDict[bytes, Blocks]" = OrderedDict()
_lock = threading.Lock()


def pack(message: dict[str, Any]) -> bytes:
    """An experiment as it is sent with every block."""
    return zlib.compress(json.dumps(message).encode())


def compute(packed: bytes, number: int) -> str:
    """Compute a block, in a worker.

    Parameters
    ----------
    packed
        From `pack`: ``build`` (the specification), ``builder``, and ``expected``, which is what
        `Blocks.announcement` must say here too.
    number
        Which block.

    Returns
    -------
    str
        JSON: ``{"tally": ...}``; ``{"built": ...}`` if the announcement is another one;
        ``{"error": TEXT, "traceback": TEXT, "while": "building" or "computing"}``.
    """
    doing = "building"
    try:
        blocks, unlike = _blocks(packed)
        if unlike:
            return json.dumps({"built": unlike})
        doing = "computing"
        return json.dumps({"tally": blocks.compute(number).to_json()})
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return json.dumps({"error": text, "traceback": traceback.format_exc(), "while": doing})


def _blocks(packed: bytes) -> tuple[Blocks, dict[str, Any]]:
    """The experiment, and what this worker made in its place if that is not the one expected."""
    with _lock:  # a worker may have several threads
        if packed in _built:
            _built.move_to_end(packed)
            return _built[packed], {}
        message = json.loads(zlib.decompress(packed))
        blocks = Blocks(build(message["builder"], message["build"]))
        announced = blocks.announcement()
        if announced != message["expected"]:
            return blocks, announced
        _built[packed] = blocks
        while len(_built) > _KEPT:
            _built.popitem(last=False)
        return blocks, {}
