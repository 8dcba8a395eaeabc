"""Certificates: results with their provenance, as one JSON file in two parts.

``certified`` is what is compared: rules, readings, specification and figures, in canonical JSON.
``run`` says when and where it was made and is never compared.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ricochet_casino.config import RepeatedKeyError, canonical_json, digest, without_repeats

SCHEMA = "ricochet-casino/certificate/1"
EXPERIMENT_SCHEMA = "ricochet-casino/experiment-certificate/1"
"""Of a single experiment: ``spec`` and ``results``, without a paytable of its own."""
_MAX_BYTES = 256 * 1024 * 1024


class CertificateError(ValueError):
    """A file that is not a whole certificate of a schema this version knows."""


@dataclass(frozen=True)
class Certificate:
    """A certificate.

    Attributes
    ----------
    certified
        What is compared, JSON values without floats.
    run
        Time, machine, versions and source digest.
    """

    certified: dict[str, Any]
    run: dict[str, Any]

    def to_json(self) -> str:
        """The file's text: sorted keys, indented, a newline at the end."""
        canonical_json(self.certified)  # refuses floats
        whole = {"certified": self.certified, "run": self.run}
        return json.dumps(whole, sort_keys=True, indent=1, ensure_ascii=False) + "\n"

    @property
    def digest(self) -> str:
        """SHA-256 of the certified part."""
        return digest(self.certified)

    @classmethod
    def from_json(cls, text: str, *, name: str = "certificate") -> "Certificate":
        """Read a certificate.

        Raises
        ------
        CertificateError
            If the text is not JSON, not a certificate, or of another schema.
        """
        try:
            whole = json.loads(text, object_pairs_hook=without_repeats)
            text.encode()
            json.dumps(whole, ensure_ascii=False).encode()
        except RepeatedKeyError as error:
            raise CertificateError(f"{name}: the key {error.key[:40]!r} appears twice") from None
        except UnicodeEncodeError:
            raise CertificateError(f"{name}: holds half of a character (a surrogate)") from None
        except ValueError as error:
            line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
            raise CertificateError(
                f"{name}{line}: not a whole JSON document ({error}); was the file cut off?"
            ) from None
        except RecursionError:
            raise CertificateError(f"{name}: not a certificate (nested too deeply)") from None
        if isinstance(whole, dict) and set(whole) - {"certified", "run"}:
            strange = min(set(whole) - {"certified", "run"})
            raise CertificateError(f"{name}: not a certificate: unknown part {strange[:40]!r}")
        for part in ("certified", "run"):
            if not isinstance(whole, dict) or not isinstance(whole.get(part), dict):
                raise CertificateError(f"{name}: not a certificate: the part {part!r} is missing")
        schema = whole["certified"].get("schema")
        if schema not in (SCHEMA, EXPERIMENT_SCHEMA):
            raise CertificateError(f"{name}: schema {schema!r}; this version reads {SCHEMA!r}")
        return cls(whole["certified"], whole["run"])

    @classmethod
    def read(cls, path: Path) -> "Certificate":
        """Read a certificate file.

        Raises
        ------
        CertificateError
            If it cannot be read or is not a certificate.
        """
        try:
            with path.open("rb") as file:
                raw = file.read(_MAX_BYTES + 1)
            if len(raw) > _MAX_BYTES:
                raise CertificateError(f"{path}: too large for a certificate")
            text = raw.decode("utf-8")
        except OSError as error:
            raise CertificateError(f"{path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise CertificateError(f"{path}: not a text file in UTF-8") from None
        return cls.from_json(text, name=str(path))
