"""Reports of comparisons, re-pricings, sensitivities and tunings: every figure of the document."""

import csv
import io
import json
import math
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino.report.documents import document_from_json, read_document
from ricochet_casino.report.files import render

GOLDEN = Path(__file__).parents[1] / "golden" / "studies"
NAMES = ("comparison", "reprice", "sensitivity", "tune")
KINDS = {"comparison": "comparison", "reprice": "re-pricing", "tune": "tuning"}


@pytest.fixture(params=NAMES, scope="module")
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def data():
    return lambda kind: json.loads((GOLDEN / f"{kind}.json").read_text())


@pytest.fixture(scope="module")
def made():
    kept = {}

    def renderings(kind):
        if kind not in kept:
            document = read_document(GOLDEN / f"{kind}.json")
            kept[kind] = render(document, ["html", "pdf", "xlsx", "csv", "md"])
        return kept[kind]

    return renderings


def figures(value, path=()):
    """Every figure with where it stands."""
    if isinstance(value, dict):
        if "decimal" in value:
            yield path, value
        for key, part in value.items():
            yield from figures(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from figures(part, (*path, index))


def shown(path, kind):
    """Which figures stand in the tables; the rest is in the CSV: the variance beside the SD of
    each step, and the par sheets of both sides."""
    if "par_sheet" in path or "top_award" in path:
        return False
    if kind == "sensitivity":
        return "variance" not in path and path[0] != "side_bets"
    if kind == "reprice" and path[0] in ("results", "side_bets"):
        return "contributions" not in path and "distribution" not in path
    return True


def texts(path, number):
    number = Decimal(number)

    def rounded(value, places):
        return str(value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN))

    return {
        f"{rounded(number * 100, 4)} %", f"{rounded(number * 100, 4)} ±", rounded(number, 6),
        f"{number:.1e}", str(Fraction(number)), f"{rounded(number, 6)} ±",
    }  # fmt: skip


def test_html_has_every_figure_at_its_rounding_and_in_full(kind, data, made, page):
    read = page(made(kind)["html"])
    assert read.problems == []
    cells = [cell for section in read.sections for table in section["tables"]
             for row in table["rows"] for cell in row]  # fmt: skip
    said, values = {text.split(" ± ")[0] for text, _ in cells}, {value for _, value in cells}
    count = 0
    for path, figure in figures(data(kind)):
        if not shown(path, kind):
            continue
        count += 1
        number = figure["decimal"]
        if number == "undefined":
            assert number in said
            continue
        assert number in values or str(Fraction(number)) in values, path
        assert {text.removesuffix(" ±").removesuffix(" %") for text in texts(path, number)} & {
            text.removesuffix(" %") for text in said
        }, path
    assert count > 20


def test_pdf_has_every_figure_at_its_rounding(kind, data, made, pdf_text):
    text = pdf_text(made(kind)["pdf"])
    for path, figure in figures(data(kind)):
        if shown(path, kind) and figure["decimal"] != "undefined":
            assert any(form in text for form in texts(path, figure["decimal"])), path


def test_xlsx_has_every_figure_as_a_number(kind, data, made, workbook):
    _, values = workbook(made(kind)["xlsx"])
    numbers = {cell.value for sheet in values.worksheets for row in sheet.iter_rows()
               for cell in row if isinstance(cell.value, int | float)}  # fmt: skip
    for path, figure in figures(data(kind)):
        if shown(path, kind) and figure["decimal"] != "undefined":
            assert float(figure["decimal"]) in numbers, path


def test_csv_has_every_figure_of_the_document_in_full(kind, data, made):
    rows = list(csv.DictReader(io.StringIO(made(kind)["csv"].decode())))
    found = {(row["value"], row["exact"], row["low"], row["high"]) for row in rows}
    for path, figure in figures(data(kind)):
        if "par_sheet" not in path:
            ends = figure.get("interval", ("", ""))
            assert (figure["decimal"], figure.get("exact", ""), *ends) in found, path


def test_the_same_bytes_twice(kind, made):
    again = render(read_document(GOLDEN / f"{kind}.json"), list(made(kind)))
    assert again == made(kind)


def test_the_curve_is_drawn_with_units_and_the_present_hand(data):
    document = read_document(GOLDEN / "sensitivity.json")
    plots = [plot for section in document.sections for plot in section.plots]
    assert [plot.title for plot in plots] == [
        "Kickout curve", "Kickout curve, near the present hand",
    ]  # fmt: skip
    curve, now = plots[0].series
    points = data("sensitivity")["kickout_curve"]
    assert len(curve.x) == len(points)
    assert now.name == "now: KKQ"
    (own,) = [point for point in points if point["now"]]
    assert math.isclose(now.y[0], 100 * Decimal(own["figures"]["rtp_per_ante"]["decimal"]))
    assert plots[0].up == "RTP (% of an ante)"


@pytest.mark.parametrize("kind", NAMES)
def test_a_document_without_its_parts_is_refused(kind, data):
    for key in ("results", "listed", "kickout_curve"):
        whole = data(kind)
        if whole.pop(key, None) is not None:
            with pytest.raises(ValueError, match=f"x.json: {key} is missing"):
                document_from_json(json.dumps(whole), "x.json")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (("now", "rtp_per_ante", "decimal"), "missing"),
        (("lines", 0, "change", "rtp_per_ante"), "'rtp_per_ante' is missing"),
        (("kickout_curve", 3, "class"), "'class' is missing"),
    ],
)
def test_a_figure_removed_is_named(path, said, data):
    whole = data("sensitivity")
    place = whole
    for part in path[:-1]:
        place = place[part]
    del place[path[-1]]
    with pytest.raises(ValueError, match=said):
        document_from_json(json.dumps(whole), "x.json")
