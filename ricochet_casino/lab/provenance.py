"""When, where and with what something was made."""

import platform
import sys
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from ricochet_casino import __version__, package_digest


def provenance(workers: int) -> dict[str, Any]:
    """When, where and with what a certificate is made; never compared."""
    versions = {"python": platform.python_version(), "ricochet_casino": __version__}
    for name in ("numpy", "numba", "scipy", "pydantic"):
        versions[name] = metadata.version(name)
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"system": platform.system(), "processor": platform.machine()},
        "byte_order": sys.byteorder,
        "versions": versions,
        "source_digest": package_digest(),
        "workers": workers,
    }
