"""A store: the folder of one run, which survives the death of the program at any moment.

The folder only grows: a finished block is a file that is never changed. What is damaged or belongs
elsewhere is moved aside, never trusted and never deleted. See docs/runs.md.
"""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from ricochet_casino.config import canonical_json, digest, short_json, write_bytes_atomically
from ricochet_casino.experiment import Experiment
from ricochet_casino.runs.block_store import ExperimentStore
from ricochet_casino.runs.blocks import Blocks
from ricochet_casino.runs.errors import StoreError
from ricochet_casino.runs.layout import (
    LOCK_FILE,
    RUN_FILE,
    RUN_SCHEMA,
    SET_ASIDE,
    SPEC_FILE,
    SPEC_SCHEMA,
    Maker,
    beginning,
    experiment_folder,
    experiments,
    framed,
    is_temporary,
    next_replaced,
    replaced,
    temporaries,
    unframed,
)
from ricochet_casino.runs.lock import MARK, FolderLock

ADVICE = "continue it with --resume, or begin anew with --restart"
_MOST_SHOWN = 8


@dataclass(frozen=True)
class Manifest:
    """What ``run.json`` says.

    Attributes
    ----------
    request
        What was asked for, as JSON values.
    version, source_digest
        The program that made the store.
    versions, time
        Of Python and of libraries, and when; for information, never compared.
    """

    request: dict[str, Any]
    version: str
    source_digest: str
    versions: Mapping[str, str] = field(default_factory=dict)
    time: str = ""

    @classmethod
    def new(cls, request: dict[str, Any], maker: Maker) -> "Manifest":
        """The manifest of a run that begins now."""
        versions = {"python": platform.python_version()}
        for name in ("numpy", "numba", "scipy", "pydantic"):
            try:
                versions[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                continue
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(request, maker.version, maker.source, versions, now)

    def to_bytes(self) -> bytes:
        """The file's content."""
        content = {
            "schema": RUN_SCHEMA,
            "request": self.request,
            "request_digest": digest(self.request),
            "version": self.version,
            "source_digest": self.source_digest,
            "versions": dict(self.versions),
            "time": self.time,
        }
        return framed(content, indent=1)

    @classmethod
    def read(cls, path: Path) -> "Manifest":
        """Read a manifest.

        Raises
        ------
        FileNotFoundError
            If there is none.
        ValueError
            If it is damaged or of another form.
        StoreError
            If it cannot be read.
        """
        try:
            content = unframed(path.read_bytes())
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}") from error
        if content.get("schema") != RUN_SCHEMA:
            raise ValueError(f"of the form {content.get('schema')!r}, not {RUN_SCHEMA!r}")
        request, versions = content.get("request"), content.get("versions")
        if not isinstance(request, dict) or not isinstance(versions, dict):
            raise ValueError("incomplete")
        texts = (str(content.get(key, "")) for key in ("version", "source_digest", "time"))
        version, source, time = texts
        return cls(request, version, source, versions, time)

    @property
    def made_by(self) -> dict[str, str]:
        """The program, as `Maker.unlike` reads it."""
        return {"version": self.version, "source_digest": self.source_digest}


class Store:
    """The folder of one run, locked while this object is open; a context manager.

    Use `Store.open`.

    Attributes
    ----------
    folder
        Where it is.
    request
        What was asked for.
    notes
        What was found wrong and mended, for the user: one sentence each.
    """

    def __init__(self, folder: Path, request: dict[str, Any], lock: FolderLock) -> None:
        self.folder = folder
        self.request = request
        self.notes: list[str] = []
        self._lock: FolderLock | None = lock
        self._maker = Maker.current()

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        request: Mapping[str, Any],
        *,
        resume: bool = False,
        restart: bool = False,
    ) -> "Store":
        """Open a store, or begin one.

        Parameters
        ----------
        folder
            Made if it is missing; otherwise it must be empty or hold a run.
        request
            What is asked for, as JSON values without floats: one store serves one request.
        resume
            Continue the run that is there.
        restart
            Move the run that is there to ``replaced-N/`` within the folder, and begin anew.

        Raises
        ------
        StoreError
            If the folder is a file or holds something else, is in use, cannot be written, holds a
            run and neither ``resume`` nor ``restart`` is given, or holds a run that cannot be
            resumed: of another request, or made by another version or other sources.
        ValueError
            If both ``resume`` and ``restart`` are given, or the request is no such JSON.
        """
        if resume and restart:
            raise ValueError("--resume and --restart exclude each other")
        path = Path(folder).absolute()
        try:
            asked = json.loads(json.dumps(dict(request), allow_nan=False))
            digest(asked)
        except TypeError as error:
            raise ValueError(f"the request cannot be written down: {error}") from None
        try:
            _prepare(path)
            lock = FolderLock(path / LOCK_FILE)
        except OSError as error:
            raise StoreError(f"{path} cannot be used: {error.strerror or error}") from error
        try:
            store = cls(path, asked, lock)
            store._settle(resume=resume, restart=restart)
        except OSError as error:
            lock.release()
            raise StoreError(f"{path} cannot be used: {error.strerror or error}") from error
        except BaseException:
            lock.release()
            raise
        return store

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder; a second time does nothing."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def experiment(self, experiment: Experiment) -> ExperimentStore:
        """The blocks of one experiment of this run.

        Raises
        ------
        StoreError
            If its folder holds another experiment or cannot be written.
        """
        self._check_open()
        blocks = Blocks(experiment)
        spec = experiment.spec()
        name = str(spec.get("experiment", "experiment"))
        folder = self.folder / experiment_folder(name, blocks.identity.spec)
        content = {
            "schema": SPEC_SCHEMA,
            **blocks.identity.to_json(),
            "blocks": len(blocks),
            "specification": spec,
        }
        try:
            folder.mkdir(exist_ok=True)
            self._settle_spec(folder / SPEC_FILE, framed(content, indent=1))
        except OSError as error:
            raise StoreError(f"{folder} cannot be used: {error.strerror or error}") from error
        return ExperimentStore(folder, blocks, self._maker, self._set_aside, self._check_open)

    def _settle_spec(self, path: Path, expected: bytes) -> None:
        if path.exists():
            found = path.read_bytes()
            if found == expected:
                return
            try:
                unframed(found)
            except ValueError as error:
                self._set_aside(path, str(error), "written again")
            else:
                raise StoreError(
                    f"{path.parent} holds another experiment, or the same one cut into other "
                    "blocks; begin anew with --restart"
                )
        write_bytes_atomically(path, expected)

    def _check_open(self) -> None:
        if self._lock is None or not self._lock.held:
            raise StoreError(f"{self.folder}: the store is closed")

    def _settle(self, *, resume: bool, restart: bool) -> None:
        """Bring the locked folder into the state that was asked for, or refuse."""
        for path in temporaries(self.folder):
            path.unlink(missing_ok=True)
        manifest, damage = self._read_manifest()
        begun = manifest is not None or damage != "" or bool(experiments(self.folder))
        if begun and restart:
            self._replace()
        elif begun and not resume:
            raise StoreError(f"{self.folder} holds a run already; {ADVICE}")
        elif manifest is not None:
            self._check_same(manifest)
            return
        elif begun:
            if damage:
                self._set_aside(self.folder / RUN_FILE, damage, "written again")
            else:
                self.notes.append(f"{RUN_FILE} was missing; written again")
            self.notes.append("every block is still checked by its own digests")
        elif resume:
            self.notes.append(f"{self.folder}: there was no run to resume; begun anew")
        fresh = Manifest.new(self.request, self._maker)
        write_bytes_atomically(self.folder / RUN_FILE, fresh.to_bytes())

    def _read_manifest(self) -> tuple[Manifest | None, str]:
        """The manifest, or what is wrong with it; neither if there is none."""
        try:
            return Manifest.read(self.folder / RUN_FILE), ""
        except FileNotFoundError:
            return None, ""
        except StoreError:
            raise
        except ValueError as error:
            return None, str(error)

    def _check_same(self, manifest: Manifest) -> None:
        if digest(manifest.request) != digest(self.request):  # 1 and true are not the same
            differing = _differences("", manifest.request, self.request)
            shown = "; ".join(differing[:_MOST_SHOWN])
            more = len(differing) - _MOST_SHOWN
            tail = f"; and {more} more" if more > 0 else ""
            raise StoreError(
                f"{self.folder} is the store of another experiment: {shown}{tail}; "
                "give another folder, or begin anew with --restart"
            )
        unlike = self._maker.unlike(manifest.made_by)
        if unlike:
            raise StoreError(
                f"{self.folder} cannot be resumed: {unlike}; begin anew with --restart"
            )

    def _replace(self) -> None:
        """Move the run that is here into a folder of its own; what is not ours stays."""
        target = next_replaced(self.folder)
        target.mkdir()
        # The manifest goes last: cut short, this is still a store, and can be done once more.
        names = [*experiments(self.folder), self.folder / SET_ASIDE, self.folder / RUN_FILE]
        for path in names:
            if os.path.lexists(path):
                path.rename(target / path.name)
        self.notes.append(f"the run that was here was moved to {target}")

    def _set_aside(self, path: Path, reason: str, remedy: str) -> None:
        """Move a file that cannot be trusted out of the way, and note it."""
        shown = path.relative_to(self.folder)
        flat = path.name
        if len(shown.parts) > 1:
            flat = f"{shown.parts[0]}.{flat}"
        folder = self.folder / SET_ASIDE
        target, copy = folder / flat, 1
        while os.path.lexists(target):
            copy += 1
            target = folder / f"{flat}.{copy}"
        try:
            folder.mkdir(exist_ok=True)
            path.rename(target)
        except OSError as error:
            raise StoreError(
                f"{path} is {reason}, and cannot be set aside: {error.strerror}"
            ) from error
        self.notes.append(f"{shown.as_posix()} was {reason}; moved to {SET_ASIDE}/, {remedy}")


def _prepare(folder: Path) -> None:
    """Make the folder, or refuse one that is not ours before anything is written into it."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise StoreError(f"{folder} is a file; a store is a folder")
    folder.mkdir(parents=True, exist_ok=True)
    others = [path for path in folder.iterdir() if not _is_trace(path)]
    if others and not holds_run(folder):  # in this order: another process may be making one
        raise StoreError(f"{folder} is not empty and holds no run; give another folder")


def holds_run(folder: Path) -> bool:
    """Whether a folder is a store, be it damaged: by its manifest, or by an experiment in it."""
    try:
        begins = beginning(folder / RUN_FILE)
    except OSError:
        begins = b""
    if RUN_SCHEMA.encode() in begins or replaced(folder):
        return True
    return any(any(path.iterdir()) for path in experiments(folder))


def _is_trace(path: Path) -> bool:
    """Whether a file is all that is left of a store that was killed while it was being made."""
    if path.name == LOCK_FILE:
        begins = beginning(path)
        return not begins or begins.startswith(MARK.encode())
    return is_temporary(path.name)


def _differences(path: str, old: Any, new: Any) -> list[str]:
    """Where two requests differ, in words."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in sorted(old.keys() | new.keys()):
            below = f"{path}.{key}" if path else str(key)
            if key not in new:
                found.append(f"{below} was {short_json(old[key])}, now it is not given")
            elif key not in old:
                found.append(f"{below} was not given, now it is {short_json(new[key])}")
            else:
                found += _differences(below, old[key], new[key])
        return found
    same = canonical_json(old) == canonical_json(new)
    return [] if same else [f"{path} was {short_json(old)}, now it is {short_json(new)}"]
