"""HTML and PDF as such: valid, self-contained, the same bytes twice."""

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from io import BytesIO

import pytest


def test_the_page_is_well_formed_and_loads_nothing(name, rendered, page):
    content = rendered(name, "html")
    read = page(content)
    assert read.problems == []
    assert content.startswith(b"<!DOCTYPE html>")
    assert len(read.ids) == len(set(read.ids)) > 8
    assert read.loads == []
    assert all(link.startswith("#") and link[1:] in read.ids for link in read.links)
    for used in re.findall(rb"url\(#([^)]*)\)", content):
        assert used.decode() in read.ids
    outside = re.sub(rb'xmlns(:\w+)?="[^"]*"', b"", content)
    assert b"http:" not in outside
    assert b"https:" not in outside
    assert b"@import" not in content
    assert b"<script" not in content


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (b"</main>", b"</div>"),
        (b'id="s2"', b'id="s1"'),
        (b"<main>", b'<main><img src="https://example.org/a.png">'),
        (b"<main>", b"<main><script>1</script>"),
    ],
)
def test_the_reader_of_pages_sees_what_is_wrong(rendered, page, found, said):
    content = rendered("simulated", "html")
    assert found in content
    read = page(content.replace(found, said, 1))
    assert read.problems or read.loads or len(read.ids) != len(set(read.ids))


def test_every_table_row_is_as_wide_as_its_head(name, rendered, page):
    for section in page(rendered(name, "html")).sections:
        for table in section["tables"]:
            assert table["title"]
            assert {len(row) for row in table["rows"]} == {len(table["rows"][0])}


def test_what_stands_in_a_paytable_is_text_and_no_markup(file_of, page, pdf_text, workbook):
    from ricochet_casino.report.documents import document_from_json
    from ricochet_casino.report.files import render

    nasty = '<script>alert(1)</script> & "x" #{} $a$ *b* =1+1 `'
    text = file_of("simulated").read_text()
    text = text.replace('"title": "Casino', '"title": "' + nasty.replace('"', '\\"') + "Casino")
    made = render(document_from_json(text, "x"), ["html", "pdf", "xlsx", "md"])
    read = page(made["html"])
    assert read.problems == []
    assert b"&lt;script&gt;alert(1)" in made["html"]
    assert re.sub(r"\s", "", nasty) in re.sub(r"\s", "", pdf_text(made["pdf"]))
    formulas, _ = workbook(made["xlsx"])
    assert formulas["Summary"]["A1"].value == f"{nasty}Casino Ricochet Poker, rulebook"


@pytest.mark.parametrize("form", ["html", "pdf", "xlsx", "csv", "md"])
def test_the_same_bytes_twice(form, rendered, file_of):
    """In another process, with another seed of Python's hashes."""
    program = (
        "import sys, pathlib\n"
        "from ricochet_casino.report.documents import read_document\n"
        "from ricochet_casino.report.files import render\n"
        "document = read_document(pathlib.Path(sys.argv[1]))\n"
        "sys.stdout.buffer.write(render(document, [sys.argv[2]])[sys.argv[2]])\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(file_of("bounded")), form],
        capture_output=True, check=True, timeout=300, env={"PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert done.stdout == rendered("bounded", form)


def test_files_carry_the_date_of_the_document(rendered, document_named, workbook):
    from pypdf import PdfReader

    made = datetime.fromisoformat(document_named("solo").data["run"]["time"]).astimezone(UTC)
    properties = PdfReader(BytesIO(rendered("solo", "pdf"))).metadata
    assert properties.creation_date == made
    assert properties.title == "Casino Ricochet Poker, rulebook"
    book, _ = workbook(rendered("solo", "xlsx"))
    assert book.properties.created.replace(tzinfo=UTC) == made


def test_pages_are_numbered_and_carry_the_digest(rendered, document_named, pdf_text):
    from pypdf import PdfReader

    pages = PdfReader(BytesIO(rendered("solo", "pdf"))).pages
    assert len(pages) > 4
    for number, sheet in enumerate(pages, 1):
        text = sheet.extract_text()
        assert f"{number} of {len(pages)}" in re.sub(r"\s+", " ", text)
        assert document_named("solo").digest[:16] in text


def test_without_typst_the_message_says_what_to_install(document_named, monkeypatch):
    from ricochet_casino.report.files import render

    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(ValueError, match=r"typst, which is not installed.*\[pdf\]"):
        render(document_named("solo"), ["pdf"])


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.mark.slow
@pytest.mark.needs_program(*BROWSERS)
def test_a_browser_shows_and_prints_the_page(rendered, pdf_text, certified, tmp_path):
    """Printed by a browser that finds no other host, the page has its figures and drawings."""
    program = next(filter(None, map(shutil.which, BROWSERS)))
    file, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    file.write_bytes(rendered("solo", "html"))
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}",
         "--no-pdf-header-footer", f"--print-to-pdf={printed}", file.as_uri()],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr  # nothing refused by the page's own policy
    text = pdf_text(printed.read_bytes())
    for result in certified("solo")["results"]:
        for row in result["par_sheet"]:
            if row["combinations"]:
                assert f"{row['combinations']:,}" in text
    assert "3.0525 %" in text
    assert "prepared by" in text
