"""What runs there are, and removing what they no longer need; blocks are counted, never read."""

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ricochet_casino.runs.errors import StoreError
from ricochet_casino.runs.layout import (
    BLOCKS,
    LOCK_FILE,
    RUN_FILE,
    SET_ASIDE,
    SPEC_FILE,
    Maker,
    block_folders,
    experiments,
    is_block,
    is_folder,
    replaced,
    temporaries,
    unframed,
)
from ricochet_casino.runs.lock import FolderLock, holder, is_locked
from ricochet_casino.runs.store import Manifest, holds_run


@dataclass(frozen=True)
class ExperimentSummary:
    """One experiment of a run.

    Attributes
    ----------
    name
        Name of the experiment; that of its folder if its ``spec.json`` is damaged.
    done
        Blocks that have a file.
    blocks
        Blocks in all; None if ``spec.json`` is damaged.
    """

    name: str
    done: int
    blocks: int | None


@dataclass(frozen=True)
class RunSummary:
    """One run, as its manifests say.

    Attributes
    ----------
    folder
        The store.
    request
        What was asked for; None if ``run.json`` is missing or damaged.
    version, source_digest, time
        What made it, and when; empty if that is not known.
    experiments
        Those begun so far.
    size
        Bytes on the disk.
    in_use
        Who holds the store now; empty if nobody does.
    problem
        Why this program cannot resume it; empty if it can.
    """

    folder: Path
    request: dict[str, Any] | None
    version: str
    source_digest: str
    time: str
    experiments: tuple[ExperimentSummary, ...]
    size: int
    in_use: str
    problem: str

    @property
    def done(self) -> int:
        """Finished blocks of all experiments begun."""
        return sum(experiment.done for experiment in self.experiments)

    @property
    def blocks(self) -> int | None:
        """Blocks in all of the experiments begun; None if that is not known."""
        counts = [experiment.blocks for experiment in self.experiments]
        return None if None in counts else sum(count for count in counts if count is not None)


def read_run(folder: str | os.PathLike[str]) -> RunSummary:
    """Summary of one run.

    Raises
    ------
    StoreError
        If the folder holds no run or cannot be read.
    """
    path = Path(folder)
    try:
        if not holds_run(path):
            raise StoreError(f"{path} holds no run")
        return _summary(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error


def find_runs(folder: str | os.PathLike[str]) -> list[RunSummary]:
    """The run in a folder, or those in the folders right below it, by name.

    Whatever else is there is passed over.

    Raises
    ------
    StoreError
        If there is no such folder.
    """
    path = Path(folder)
    try:
        places = [path] if holds_run(path) else sorted(path.iterdir())
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    found = []
    for place in places:
        with contextlib.suppress(StoreError):
            found.append(read_run(place))
    return found


def _summary(folder: Path) -> RunSummary:
    request, version, source, time, problem = None, "", "", "", ""
    try:
        manifest = Manifest.read(folder / RUN_FILE)
    except FileNotFoundError:
        problem = f"{RUN_FILE} is missing; --resume with the same request writes it again"
    except ValueError as error:
        problem = f"{RUN_FILE} is {error}; --resume with the same request writes it again"
    else:
        request, time = manifest.request, manifest.time
        version, source = manifest.version, manifest.source_digest
        problem = Maker.current().unlike(manifest.made_by)
    lock = folder / LOCK_FILE
    return RunSummary(
        folder=folder,
        request=request,
        version=version,
        source_digest=source,
        time=time,
        experiments=tuple(_experiment(place) for place in experiments(folder)),
        size=_size(folder),
        in_use=holder(lock) if is_locked(lock) else "",
        problem=problem,
    )


def _experiment(folder: Path) -> ExperimentSummary:
    name, blocks = folder.name, None
    with contextlib.suppress(OSError, ValueError):
        content = unframed((folder / SPEC_FILE).read_bytes())
        specification, count = content.get("specification"), content.get("blocks")
        if isinstance(specification, dict) and isinstance(count, int):
            name, blocks = str(specification.get("experiment", name)), count
    done = sum(is_block(entry) for place in block_folders(folder) for entry in os.listdir(place))  # noqa: PTH208
    return ExperimentSummary(name, done, blocks)


def _size(folder: Path) -> int:
    """Bytes on the disk of everything below a folder; files that vanish count nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(place, name))  # noqa: PTH118 - many files
                blocks = getattr(status, "st_blocks", None)
                total += status.st_size if blocks is None else 512 * blocks
    return total


@dataclass(frozen=True)
class Cleaning:
    """What `clean` did.

    Attributes
    ----------
    size
        Bytes freed on the disk.
    removed
        What was removed, outermost only.
    kept
        Folders that were to go but hold something that is not ours.
    """

    size: int
    removed: tuple[Path, ...]
    kept: tuple[Path, ...]

    def __str__(self) -> str:
        """For people: a line for each thing removed or kept, and what was freed."""
        lines = [f"removed {path}" for path in self.removed]
        lines += [f"kept {path}: it holds something that is not of a run" for path in self.kept]
        return "\n".join([*lines, f"{self.size / 1e6:,.1f} MB freed"])


def clean(folder: str | os.PathLike[str], *, everything: bool = False) -> Cleaning:
    """Remove what a run no longer needs: ``set_aside/``, ``replaced-N/``, unfinished files.

    Parameters
    ----------
    folder
        A store that nobody uses now.
    everything
        Remove the run itself too. A file that is not of a run stays, with the folders it is in.

    Raises
    ------
    StoreError
        If the folder holds no run, is in use, or something cannot be removed.
    """
    path = Path(folder)
    try:
        if not holds_run(path):
            raise StoreError(f"{path} holds no run; nothing was removed")
        lock = FolderLock(path / LOCK_FILE)
    except OSError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror or error}") from error
    before = _size(path)
    remover = _Remover()
    try:
        remover.remove_spare(path)
        if everything:
            remover.remove_run(path)
        after = _size(path)
    except OSError as error:
        name = error.filename or path
        raise StoreError(f"{name} cannot be removed: {error.strerror or error}") from error
    finally:
        lock.release(remove=everything)
    if everything:
        remover.remove_if_empty(path)
        after = _size(path) if path.exists() else 0
    return Cleaning(before - after, tuple(remover.removed), tuple(remover.kept))


class _Remover:
    """Removes files of runs by their names, and folders that are empty then."""

    def __init__(self) -> None:
        self.removed: list[Path] = []
        self.kept: list[Path] = []

    def remove_spare(self, store: Path) -> None:
        for path in temporaries(store):
            self._unlink(path)
        aside = store / SET_ASIDE
        if is_folder(aside):  # all that is in it was moved there by a run
            shutil.rmtree(aside)
            self.removed.append(aside)
        for folder in replaced(store):
            self.remove_spare(folder)
            self.remove_run(folder)
            self.remove_if_empty(folder)

    def remove_run(self, store: Path) -> None:
        for folder in experiments(store):
            for place in block_folders(folder) if is_folder(folder / BLOCKS) else []:
                for path in sorted(place.iterdir()):
                    if is_block(path.name):
                        path.unlink()
                self.remove_if_empty(place, aloud=False)
            if is_folder(folder / BLOCKS):
                self.remove_if_empty(folder / BLOCKS, aloud=False)
            (folder / SPEC_FILE).unlink(missing_ok=True)
            self.remove_if_empty(folder)
        # Last, so that what an interruption leaves is still known as a run.
        if os.path.lexists(store / RUN_FILE):
            self._unlink(store / RUN_FILE)

    def _unlink(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self.removed.append(path)

    def remove_if_empty(self, folder: Path, *, aloud: bool = True) -> None:
        try:
            folder.rmdir()
        except OSError:
            if aloud:
                self.kept.append(folder)
        else:
            if aloud:
                self.removed.append(folder)
