"""Only the evaluator needs the compiler: the other modules start without it."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["deck", "classes", "additive", "shuffle", "partial", "subsets"])
def test_module_starts_without_heavy_packages(module):
    code = (
        f"import sys, ricochet_casino.cards.{module};"
        "print(*sorted({'numba', 'scipy', 'polars', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
