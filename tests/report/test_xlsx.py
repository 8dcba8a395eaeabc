"""Workbooks: numbers are numbers, formulas agree with what they show, sheets for every wager."""

import io
import math
import re
import shutil
import subprocess
import zipfile

import pytest

FUNCTION = re.compile(r"SUM\(([A-Z]+)(\d+):([A-Z]+)(\d+)\)")
CELL = re.compile(r"\$?([A-Z]+)\$?(\d+)")


def computed(formula, sheet):
    """A formula of ours: sums of a column, products and quotients of cells and whole numbers."""
    text = formula.removeprefix("=")
    found = FUNCTION.fullmatch(text)
    if found:
        column, first, again, last = found.groups()
        assert column == again
        values = [sheet[f"{column}{row}"].value for row in range(int(first), int(last) + 1)]
        return math.fsum(value for value in values if not isinstance(value, str))
    tokens = re.findall(r"\$?[A-Z]+\$?\d+|\d+|[*/]", text)
    assert "".join(tokens) == text, formula
    result, operation = 1.0, "*"
    for token in tokens:
        if token in "*/":
            operation = token
            continue
        cell = CELL.fullmatch(token)
        value = sheet[f"{cell[1]}{cell[2]}"].value if cell else int(token)
        result = result * value if operation == "*" else result / value
    return result


def formulas(book):
    return [
        (sheet.title, cell)
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if isinstance(cell.value, str) and cell.value.startswith("=")
    ]


def test_every_formula_gives_the_value_that_stands_beside_it(name, rendered, workbook):
    book, values = workbook(rendered(name, "xlsx"))
    found = formulas(book)
    assert name == "simulated" or len(found) > 30
    for title, cell in found:
        shown = values[title][cell.coordinate].value
        assert math.isclose(computed(cell.value, values[title]), shown, rel_tol=1e-11), (
            title, cell.coordinate, cell.value,
        )  # fmt: skip


def test_a_total_that_is_wrong_is_seen(rendered, workbook):
    book, values = workbook(rendered("solo", "xlsx"))
    title, cell = next((t, c) for t, c in formulas(book) if "SUM" in c.value)
    first = FUNCTION.fullmatch(cell.value[1:])
    values[title][f"{first[1]}{first[2]}"].value += 1e-6
    shown = values[title][cell.coordinate].value
    assert not math.isclose(computed(cell.value, values[title]), shown, rel_tol=1e-11)


def test_totals_agree_with_the_certificate(certified, rendered, workbook):
    """Cycle and house edge at the foot of each par sheet, as the formulas compute them."""
    book, values = workbook(rendered("solo", "xlsx"))
    solo, (quickdraw, cover) = certified("solo")["results"][0], certified("solo")["side_bets"]
    cycle = solo["cycle"]["deals"] * solo["cycle"]["completions_per_deal"]
    for title, combinations, mean in (
        ("1p collective", cycle, solo["ev_per_ante"]),
        ("Quickdraw", quickdraw["cycle"]["combinations"], quickdraw["ev"]),
        ("Cover", cover["cycle"]["combinations"], cover["ev"]),
    ):
        rows = [
            row for row in book[title].iter_rows()
            if row[0].value == "total" and len(row) > 6 and row[6].value
        ]  # fmt: skip
        (total,) = rows
        counted, likely, result = (computed(total[i].value, values[title]) for i in (1, 2, 6))
        assert counted == combinations
        assert math.isclose(likely, 1, rel_tol=1e-12)
        assert math.isclose(result, float(mean["decimal"]), rel_tol=1e-11)


def test_a_sheet_for_each_wager_and_for_the_record(rendered, workbook):
    assert workbook(rendered("solo", "xlsx"))[0].sheetnames == [
        "Summary", "1p collective", "Quickdraw", "Cover", "Method", "Inputs", "Provenance",
    ]  # fmt: skip
    assert workbook(rendered("bounded", "xlsx"))[0].sheetnames[1:4] == [
        "1p collective", "2p collective", "3p collective",
    ]  # fmt: skip


def test_numbers_are_numbers(rendered, workbook):
    """Nothing in a column of numbers is text that looks like one; headings apart."""
    _, values = workbook(rendered("bounded", "xlsx"))
    numbers = [cell for sheet in values.worksheets for row in sheet.iter_rows() for cell in row
               if isinstance(cell.value, int | float)]  # fmt: skip
    assert len(numbers) > 400
    assert all(cell.number_format != "General" for cell in numbers)
    texts = [
        (sheet.title, cell.coordinate, cell.value)
        for sheet in values.worksheets
        if sheet.title not in ("Inputs", "Provenance", "Method")
        for row in sheet.iter_rows()
        for cell in row
        if cell.alignment.horizontal == "right" and not cell.font.italic
        if isinstance(cell.value, str) and re.fullmatch(r"-?[\d,.]+( %)?", cell.value)
    ]
    assert texts == []


def test_half_widths_stand_beside_their_values(certified, rendered, workbook):
    _, values = workbook(rendered("three", "xlsx"))
    rows = [[cell.value for cell in row] for row in values["3p collective"].iter_rows()]
    first = certified("three")["results"][0]["by_order"][0]["rtp_per_ante"]
    low, high = map(float, first["interval"])
    (row,) = [row for row in rows if row[0] == "1 of 3"]
    assert row[1] == float(first["decimal"])
    assert row[2] == pytest.approx((high - low) / 2, rel=1e-12)


def test_names_of_sheets_are_what_spreadsheets_allow():
    from ricochet_casino.report.xlsx import _sheet_name

    taken = set()
    names = [_sheet_name(name, taken) for name in
             ("a/b:c*d?[e]\\f", "x" * 40, "x" * 50, "X" * 31, "", "History")]  # fmt: skip
    assert names[0] == "a b c d  e  f"
    assert all(0 < len(name) <= 31 for name in names)
    assert len({name.casefold() for name in names}) == len(names)


ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


def without_values(content, target):
    """The workbook with a zero in the place of every value beside a formula."""
    count = 0
    with zipfile.ZipFile(io.BytesIO(content)) as book, zipfile.ZipFile(target, "w") as other:
        for name in book.namelist():
            part, changed = re.subn(rb"(</f><v>)[^<]*(</v>)", rb"\g<1>0\2", book.read(name))
            other.writestr(name, part)
            count += changed
    return count


@pytest.mark.slow
@pytest.mark.needs_program("soffice", "libreoffice")
def test_libreoffice_opens_it_and_computes_the_same(name, rendered, workbook, tmp_path):
    """Values are taken out first, so that what comes back has been computed there."""
    content = rendered(name, "xlsx")
    source = tmp_path / "report.xlsx"
    assert without_values(content, source) == len(formulas(workbook(content)[0]))
    settings = tmp_path / "home" / "user" / "registrymodifications.xcu"
    settings.parent.mkdir(parents=True)
    settings.write_text(ALWAYS_RECALCULATE)
    program = shutil.which("soffice") or shutil.which("libreoffice")
    home = (tmp_path / "home").as_uri()
    subprocess.run(
        [program, "--headless", f"-env:UserInstallation={home}", "--convert-to", "xlsx:Calc MS "
         "Excel 2007 XML", "--outdir", str(tmp_path / "out"), str(source)],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    book, values = workbook(content)
    _, converted = workbook((tmp_path / "out" / "report.xlsx").read_bytes())
    assert converted.sheetnames == book.sheetnames
    for title, cell in formulas(book):
        ours = values[title][cell.coordinate].value
        theirs = converted[title][cell.coordinate].value
        assert math.isclose(theirs, ours, rel_tol=1e-11), (title, cell.coordinate)
