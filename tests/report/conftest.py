"""Certificates of every kind, and readers of what reports are written as."""

import json
import re
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "reports" / "reference"
# Small ones, made once with `ricochet certify` and `ricochet simulate`: 2,000 to 5,000 deals each.
GOLDEN = ROOT / "tests" / "golden" / "certificates"
FILES = {
    "solo": REFERENCE / "rulebook-1p-collective.json",
    "capped": REFERENCE / "home_capped-1p-collective.json",
    **{path.stem: path for path in sorted(GOLDEN.glob("*.json"))},
}
VOID = {"meta", "br", "link", "img", "hr", "input"}


@pytest.fixture(scope="session")
def file_of():
    return FILES.__getitem__


@pytest.fixture(params=sorted(FILES), scope="session")
def name(request):
    return request.param


@pytest.fixture(scope="session")
def document_named():
    """Documents by name, each read once."""
    from ricochet_casino.report.documents import read_document

    read = {}

    def document(name):
        if name not in read:
            read[name] = read_document(FILES[name])
        return read[name]

    return document


@pytest.fixture(scope="session")
def rendered(document_named):
    """Renderings by name of document and format, each made once."""
    from ricochet_casino.report.files import render

    made = {}

    def rendering(name, form):
        if (name, form) not in made:
            made[name, form] = render(document_named(name), [form])[form]
        return made[name, form]

    return rendering


class _Page(HTMLParser):
    """Reads a page strictly: every tag is closed, in order, and every id stands once."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.problems = [], [], [], []
        self.loads, self.sections, self.row, self.cell = [], [], None, None

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if len(given) != len(attributes):
            self.problems.append(f"{tag}: an attribute twice")
        if "id" in given:
            self.ids.append(given["id"])
        for name, value in attributes:
            if name in ("src", "srcset", "data", "action", "poster", "background"):
                self.loads.append(value)
            if name.endswith("href"):
                self.links.append(value)
            if name.startswith("on") or (name == "style" and "url(" in value):
                self.problems.append(f"{tag}: {name}")
        if tag in ("script", "link", "iframe", "object", "embed", "base", "img", "form"):
            self.problems.append(f"<{tag}>")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.sections.append({"title": "", "text": "", "tables": []})
        elif tag == "table":
            self.sections[-1]["tables"].append({"title": "", "rows": []})
        elif tag == "tr":
            self.sections[-1]["tables"][-1]["rows"].append([])
        elif tag in ("td", "th"):
            self.cell = ["", None]
        elif tag == "data":
            self.cell[1] = given["value"]

    def handle_startendtag(self, tag, attributes):
        if "svg" not in self.open:
            self.problems.append(f"<{tag}/> outside a picture")
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> in the wrong place")
        if tag in ("td", "th"):
            self.sections[-1]["tables"][-1]["rows"][-1].append(tuple(self.cell))
            self.cell = None

    def handle_data(self, text):
        if self.cell is not None:
            self.cell[0] += text
        elif self.open and self.open[-1] == "caption":
            self.sections[-1]["tables"][-1]["title"] += text
        elif self.open and self.open[-1] == "h2":
            self.sections[-1]["title"] += text
        elif self.sections and "svg" not in self.open:
            self.sections[-1]["text"] += text


@pytest.fixture(scope="session")
def page():
    """Reads HTML."""

    def read(content):
        parser = _Page()
        parser.feed(content.decode())
        parser.close()
        if parser.open:
            parser.problems.append(f"left open: {parser.open}")
        return parser

    return read


@pytest.fixture(scope="session")
def pdf_text():
    """The text of a PDF, with single blanks."""
    from pypdf import PdfReader

    def read(content):
        pages = PdfReader(BytesIO(content)).pages
        return re.sub(r"\s+", " ", " ".join(page.extract_text() for page in pages))

    return read


@pytest.fixture(scope="session")
def workbook():
    """A workbook, with formulas and with values."""
    import openpyxl

    def read(content):
        return tuple(
            openpyxl.load_workbook(BytesIO(content), data_only=values) for values in (False, True)
        )

    return read


@pytest.fixture(scope="session")
def certified():
    """The certified part of a certificate by name, as it stands in the file."""
    return lambda name: json.loads(FILES[name].read_text())["certified"]
