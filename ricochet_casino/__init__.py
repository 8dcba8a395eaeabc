"""Ricochet Casino: a casino table-game simulator and paytable certifier.

Importing the package only settles where numba keeps compiled kernels: a folder named by a digest of
the kernel sources, so that a changed source never meets a stale kernel (numba itself looks only at
the file a kernel stands in, not at the files whose functions it calls).
"""

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

__version__ = "0.1.0"

_KERNEL_ROOMS = ("cards", "stats", "studies", "games")


def source_digest() -> str:
    """SHA-256 of the sources that compute: rooms cards, stats, studies and games, path by path."""
    return _digest(_KERNEL_ROOMS)


def package_digest() -> str:
    """SHA-256 of all sources of the package, path by path."""
    return _digest(())


def _digest(rooms: tuple[str, ...]) -> str:
    root = Path(__file__).parent
    folders = [root / room for room in rooms] or [root]
    total = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        total.update(path.relative_to(root).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def user_cache(kind: str) -> Path:
    """Folder in the user's cache for one kind of files.

    Raises
    ------
    RuntimeError
        If the user has no home folder.
    """
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "ricochet-casino" / kind


def _writable(folder: Path) -> bool:
    """Whether a file can really be made there; permission bits alone do not tell."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _set_kernel_cache() -> None:
    """Point numba at the cache folder of these sources, before or after it was imported."""
    digest = source_digest()[:16]
    given = os.environ.get("NUMBA_CACHE_DIR")
    folder: Path | None
    if given and Path(given).name == digest:  # a parent process has been here
        folder = Path(given)
    else:
        try:
            folder = (Path(given) if given else user_cache("numba")) / digest
        except RuntimeError:  # no home folder
            folder = None
    if folder is None or not _writable(folder):
        # A folder of our own, since kernels are unpickled from it; gone when this process ends.
        private = tempfile.mkdtemp(prefix="ricochet-casino-")
        atexit.register(shutil.rmtree, private, ignore_errors=True)
        folder = Path(private) / digest
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    numba = sys.modules.get("numba")
    if numba is not None:
        numba.config.CACHE_DIR = str(folder)


_set_kernel_cache()
