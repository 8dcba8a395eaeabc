"""The paytable's file: read, watched, and written without losing what others wrote."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ricochet_casino.config import parse_yaml, write_text_atomically
from ricochet_casino.games import read_paytable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.paytable import PaytableError, find_paytable, shipped_paytables
from ricochet_casino.studio.text import paytable_text

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,90}\.ya?ml")


class ConflictError(ValueError):
    """Saving would lose what stands on the disk."""


@dataclass(frozen=True)
class OnDisk:
    """What stands in a file now.

    Attributes
    ----------
    digest
        SHA-256 of its bytes; empty if there is no such file.
    text
        Its content, as far as it is text.
    """

    digest: str
    text: str


def look(path: Path) -> OnDisk:
    """Read what stands in a file; a file that cannot be read counts as none."""
    try:
        raw = path.read_bytes()
    except OSError:
        return OnDisk("", "")
    return OnDisk(hashlib.sha256(raw).hexdigest(), raw.decode("utf-8", "replace"))


class Opened:
    """The paytable that the studio was started with.

    Parameters
    ----------
    path_or_name
        A file, or the name of a shipped paytable, which is never written to.
    folder
        Where copies of shipped paytables are saved.

    Raises
    ------
    ConfigError, ValueError
        If it cannot be found or used, or is of another game.
    """

    def __init__(self, path_or_name: str, folder: Path) -> None:
        self.path = find_paytable(path_or_name)
        self.shipped = self.path in shipped_paytables().values()
        self.folder = folder if self.shipped else self.path.resolve().parent
        self.read()

    def read(self) -> tuple[RicochetPokerPaytable, OnDisk]:
        """The paytable as it stands in the file now.

        Raises
        ------
        ConfigError, ValueError
            As for the class.
        """
        there = look(self.path)
        model = read_paytable(str(self.path) if self.shipped else self.path).model
        if not isinstance(model, RicochetPokerPaytable):
            text = f"{self.path}: a paytable of {model.game}, not of ricochet_poker"
            raise PaytableError(text)
        return model, there

    def describe(self) -> dict[str, Any]:
        """The file and its content for the page, JSON values."""
        model, there = self.read()
        return {
            "paytable": model.model_dump(mode="json"),
            "name": self.path.name,
            "path": str(self.path),
            "shipped": self.shipped,
            "digest": there.digest,
            "text": there.text,
            "save_as": f"{self.path.stem}_studio.yaml" if self.shipped else self.path.name,
            "folder": str(self.folder),
        }

    def target(self, name: str) -> Path:
        """Where a file of this name is saved: in the folder of the paytable.

        Raises
        ------
        ValueError
            If it is not a plain name of a YAML file.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name[:100]!r} is not a file name; expected letters, digits, _ and -, and .yaml"
            )
        return self.folder / name

    def yaml(self, paytable: RicochetPokerPaytable) -> str:
        """The paytable as YAML; the comments of the file that was opened stay where they can."""
        return paytable_text(paytable, look(self.path).text)

    def save(self, paytable: RicochetPokerPaytable, name: str, known: str) -> dict[str, Any]:
        """Write the paytable.

        Parameters
        ----------
        paytable
            What is saved.
        name
            Name of the file.
        known
            Digest of what the user knows to stand there; empty for no file.

        Returns
        -------
        dict
            ``path``, ``name``, ``digest`` and ``text`` of the file, and whether it is the one that
            was opened.

        Raises
        ------
        ConflictError
            If something else stands there.
        ValueError, OSError
            For a bad name, or if it cannot be written.
        """
        path = self.target(name)
        there = look(path)
        if there.digest != known or path.is_dir() or (there.digest == "" and path.exists()):
            what = "was changed on the disk" if known else "exists already"
            raise ConflictError(f"{name} {what}; nothing was saved")
        text = self.yaml(paytable)
        again = RicochetPokerPaytable.read(parse_yaml(text, name).data)
        if again.model_dump() != paytable.model_dump():
            raise AssertionError(f"{name} would not read back as the paytable on the page")
        write_text_atomically(path, text)
        return {
            "path": str(path),
            "name": name,
            "digest": hashlib.sha256(text.encode()).hexdigest(),
            "text": text,
            "opened": not self.shipped and path.resolve() == self.path.resolve(),
        }
