"""Make the pictures of docs/reports.md and README again from the reference certificates.

Run from the root of the source tree: ``python docs/images/make_images.py``.
"""

import json
from pathlib import Path

from ricochet_casino.report.documents import document_from_json, read_document
from ricochet_casino.report.drawing import to_png
from ricochet_casino.report.files import made_at
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


if __name__ == "__main__":
    main()
