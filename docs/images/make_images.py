"""Make the pictures of docs/reports.md and README again from the reference certificates.

Run from the root of the source tree: ``python docs/images/make_images.py``.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from ricochet_casino.report.documents import Document, document_from_json, read_document
from ricochet_casino.report.drawing import to_png
from ricochet_casino.report.files import made_at, render
from ricochet_casino.report.pdf import to_pdf

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
CERTIFICATE = ROOT / "reports" / "reference" / "rulebook-1p-collective.json"
TABLES = ROOT / "tests" / "golden" / "certificates" / "bounded.json"
CURVE = ROOT / "tests" / "golden" / "studies" / "sensitivity.json"
DOTS = 90
"""Dots per inch."""


def main() -> None:
    """Write every picture."""
    document = read_document(CERTIFICATE)
    page = to_pdf(document.sections, document.kind, document.digest, made_at(document.data),
                  form="png")  # fmt: skip
    (HERE / "report-page.png").write_bytes(page)
    photograph(document)
    names = {
        "A session": "session",
        "Net results of a round": "outcomes",
        "Folds by starting hand (% of deals)": "fold-map",
        "Contribution by line": "contributions",
        "House edge by number of players": "by-players",
        "Kickout curve": "kickout-curve",
    }
    found = [document, read_document(TABLES), document_from_json(CURVE.read_text(), "curve")]
    drawn = {}
    for source in found:
        for section in source.sections:
            for plot in section.plots:
                drawn.setdefault(plot.title, plot)
    for title, name in names.items():
        (HERE / f"{name}.png").write_bytes(to_png(drawn[title], DOTS))
        print(json.dumps({name: (HERE / f"{name}.png").stat().st_size}))


def photograph(document: Document) -> None:
    """The page in a window, if there is a browser."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        print("no browser: page-on-screen.png is not made")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_bytes(render(document, ["html"])["html"])
        subprocess.run(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--window-size=1000,1150", f"--screenshot={HERE / 'page-on-screen.png'}",
             page.as_uri()],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip


if __name__ == "__main__":
    main()
