"""Read what a store holds without changing it: for sums from stored tallies, and for merging."""

import os
from pathlib import Path
from typing import Any

from ricochet_casino.experiment import Experiment
from ricochet_casino.runs.block_store import ExperimentStore
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.errors import StoreError
from ricochet_casino.runs.layout import RUN_FILE, Maker, experiment_folder
from ricochet_casino.runs.store import Manifest, holds_run


class StoredRun:
    """A store as it is: nothing is written, moved or locked.

    Parameters
    ----------
    folder
        The store.

    Raises
    ------
    StoreError
        If it holds no run, one that is damaged, or one by another version or other sources.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir() or not holds_run(self.folder):
            raise StoreError(f"{self.folder} holds no run")
        try:
            manifest = Manifest.read(self.folder / RUN_FILE)
        except (FileNotFoundError, ValueError) as error:
            if isinstance(error, StoreError):
                raise
            text = "missing" if isinstance(error, FileNotFoundError) else str(error)
            raise StoreError(f"{self.folder / RUN_FILE} is {text}") from None
        self._maker = Maker.current()
        unlike = self._maker.unlike(manifest.made_by)
        if unlike:
            raise StoreError(f"{self.folder} cannot be read: {unlike}")
        self.request: dict[str, Any] = manifest.request
        """What was asked for."""

    def experiment(self, experiment: Experiment) -> ExperimentStore:
        """The blocks of an experiment; one that is damaged is an error."""
        blocks = Blocks(experiment)
        name = str(experiment.spec().get("experiment", "experiment"))
        folder = self.folder / experiment_folder(name, blocks.identity.spec)
        return ExperimentStore(folder, blocks, self._maker, _refuse, lambda: None)


def _refuse(path: Path, reason: str, _remedy: str) -> None:
    raise StoreError(f"{path} is {reason}")
