"""Time of a report by format, from the certificate of the rulebook's game for one player.

Run from the root of the source tree: ``python tests/benchmarks/bench_report.py``.
"""

import time
from pathlib import Path

from ricochet_casino.report.documents import read_document
from ricochet_casino.report.drawing import _svg
from ricochet_casino.report.files import SUFFIXES, render

CERTIFICATE = Path(__file__).parents[2] / "reports" / "reference" / "rulebook-1p-collective.json"


def seconds(work):
    """Processor time of a piece of work."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main():
    """Print the table."""
    render(read_document(CERTIFICATE), list(SUFFIXES))  # imports
    print(
        f"read and check, the session included: {seconds(lambda: read_document(CERTIFICATE)):.2f} s"
    )
    document = read_document(CERTIFICATE)
    for form in SUFFIXES:
        _svg.cache_clear()
        took = seconds(lambda form=form: render(document, [form]))
        size = len(render(document, [form])[form])
        print(f"{form:5} {took:6.2f} s {size / 1024:8.0f} KiB")


if __name__ == "__main__":
    main()
