"""One process to a folder: a lock that ends with its holder, however that ends."""

import contextlib
import os
import socket
import sys
import time
import weakref
from pathlib import Path

from ricochet_casino.runs.errors import StoreError

MARK = "ricochet-casino run"
_ATTEMPTS = 10
_PAUSE = 0.05  # seconds; whoever only looks whether a lock is held lets go at once

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int, *, shared: bool = False) -> bool:
        del shared  # there is only one kind
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # beyond the text, which stays readable
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int, *, shared: bool = False) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class FolderLock:
    """The lock of a folder, held from the making of this object to `release`.

    The operating system holds it for the open file, so it goes when the process does: a crash
    leaves nothing behind that would have to be removed. Programs started by this one do not
    inherit it, and a forked child lets go of its copy.

    Parameters
    ----------
    path
        The lock file; made if it is missing.

    Raises
    ------
    StoreError
        If another process, or another part of this one, holds it, or if it cannot be locked.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            descriptor = _acquire(path)
        except OSError as error:
            text = error.strerror or str(error)
            raise StoreError(f"{path.parent} cannot be locked: {text}") from error
        if descriptor is None:
            raise StoreError(f"{path.parent} is in use by {holder(path)}")
        self._descriptor = descriptor
        _held.add(self)
        self._sign(f"{MARK}, process {os.getpid()} on {socket.gethostname()}\n")

    @property
    def held(self) -> bool:
        """Whether this process holds it through this object."""
        return self._descriptor >= 0

    def release(self, *, remove: bool = False) -> None:
        """Let go, and remove the lock file if asked to; a second time does nothing."""
        if not self.held:
            return
        if remove and sys.platform != "win32":
            self.path.unlink(missing_ok=True)
        else:
            self._sign(f"{MARK}, free\n")
        self._forget()
        if remove and sys.platform == "win32":  # an open file cannot be removed there
            with contextlib.suppress(OSError):
                self.path.unlink()

    def _sign(self, text: str) -> None:
        """Say who holds the lock; for people only, so a full disk may prevent it."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, text.encode())

    def _forget(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


_held: "weakref.WeakSet[FolderLock]" = weakref.WeakSet()


def _forget_in_child() -> None:
    for lock in list(_held):
        lock._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def _acquire(path: Path) -> int | None:
    """Descriptor of the locked file, or None if somebody else holds it."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if _try_lock(descriptor) and _still_there(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    return None


def _still_there(descriptor: int, path: Path) -> bool:
    """Whether the locked file is the one of that name: the last holder may have removed it."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock of that file now."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _try_lock(descriptor, shared=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)


def holder(path: Path) -> str:
    """Who holds the lock, as far as its file says."""
    text = ""
    with contextlib.suppress(OSError):
        text = path.read_bytes()[:200].decode(errors="replace").strip()
    _, _, who = text.partition(f"{MARK}, ")
    return who if who and who != "free" else "another process"
