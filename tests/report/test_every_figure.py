"""The same numbers everywhere: every figure of a certificate is read back out of every format.

What is expected is worked out here from the JSON file alone, rounded half to even; nothing of the
code under test is used for it.
"""

import csv
import io
import re
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import pytest

LABELS = {
    "house_edge": "House edge (loss per ante)",
    "rtp_per_ante": "RTP per ante",
    "element_of_risk": "Element of risk (loss per chip wagered)",
    "rtp_per_action": "RTP per action (per chip wagered)",
    "ev_per_ante": "EV per ante",
    "average_bet": "Average bet, in antes",
    "sd_per_round": "SD per round, in antes",
    "variance_per_round": "Variance per round",
    "sd_per_unit_bet": "SD per unit bet",
    "skewness": "Skewness",
    "volatility_index": "Volatility index (z = 1.65)",
    "dealer_win_frequency": "Dealer wins",
    "split_frequency": "Shared pots, per round",
    "house_net_per_round": "House net per round, in chips",
    "house_sd_per_round": "House SD per round, in chips",
}
BET_LABELS = {
    "house_edge": "House edge", "rtp": "RTP", "hit_frequency": "Hit frequency",
    "ev": "EV per chip staked", "sd": "SD per unit bet", "variance": "Variance per unit bet",
}  # fmt: skip
FREQUENCIES = {
    "fold": "fold", "play": "play", "kickout": "kickout", "tie": "tie (won)", "lose": "lose",
    "win": "win (ties included; kickouts too, per round)", "push": "push (net zero)",
    "hit": "hit (any payout)",
}  # fmt: skip


def rounded(number, places):
    return Decimal(number).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)


def percent(number, places=4):
    return f"{rounded(Decimal(number) * 100, places)} %"


def fixed(number, places=6):
    number = Decimal(number)
    if number and abs(number) < Decimal(5).scaleb(-places - 1):
        return f"{number:.1e}"
    return f"{rounded(number, places)}"


def is_share(key):
    shares = ("edge", "rtp", "risk", "frequency", "per_decision", "contribution")
    return any(word in key for word in shares)


def text_of(key, number):
    return percent(number) if is_share(key) else fixed(number)


def one_in(number):
    number = Decimal(number)
    return f"{number:,.3f}" if number < 1000 else f"{number:,.0f}"


def labelled(certified):
    """Rows that a report must have: label, texts that follow it, and their full values."""
    for result in certified["results"]:
        for key, label in LABELS.items():
            if key in result:
                figure = result[key]
                ends = figure.get("interval", [])
                values = [figure["decimal"], *ends]
                yield label, [text_of(key, value) for value in values], values
        if result["method"] == "exact":
            for name, label in FREQUENCIES.items():
                values = [result[f"{name}_frequency"]["decimal"]]
                if f"{name}_per_decision" in result:
                    values.append(result[f"{name}_per_decision"]["decimal"])
                yield label, [percent(value) for value in values], values
            for part in result["contributions"]:
                name = part["part"].replace("_", " ")
                name = "pot, net of bets" if name == "pot" else name
                yield name, [percent(part["decimal"], 6)], [part["decimal"]]
            yield from events(result, "pot")
    for bet in certified["side_bets"]:
        for key, label in BET_LABELS.items():
            text = text_of(key, bet[key]["decimal"])
            yield label, [text], [bet[key]["decimal"]]
        yield from events(bet, "odds")


def events(entry, pays):
    """Rows of a par sheet."""
    for row in entry["par_sheet"]:
        if not row["combinations"]:
            continue
        net = Fraction(row["net"])
        if pays == "pot":
            parts = [(name, Fraction(row[name])) for name in ("pot", "bonus")]
            paid = " + ".join(f"{name} {value}" for name, value in parts if value) or "nothing"
        else:
            paid = "loses" if net < 0 else f"{net.numerator} to {net.denominator}"
        values = [
            row["combinations"], row["probability"]["decimal"], row["one_in"]["decimal"], None,
            str(float(net)), row["contribution"]["decimal"],
        ]  # fmt: skip
        texts = [
            f"{row['combinations']:,}", fixed(values[1]), one_in(values[2]), paid, str(net),
            fixed(values[5]),
        ]  # fmt: skip
        yield row["event"].replace("_", " "), texts, values


def every_figure(value, key=""):
    """All figures of a certificate with the name of what they are; par sheets apart."""
    if isinstance(value, list):
        for part in value:
            yield from every_figure(part, key)
    elif isinstance(value, dict):
        if "decimal" in value:
            yield key, value
        for name, part in value.items():
            if name not in ("par_sheet", "pilot", "blocks", "distribution"):
                yield from every_figure(part, name)


def starts_with(cells, label, texts):
    return any(list(row[:1]) == [label] and list(row[1 : 1 + len(texts)]) == texts for row in cells)


# --- HTML ----------------------------------------------------------------------------------------


def html_rows(page, content):
    return [
        [text for text, _ in row]
        for section in page(content).sections
        for table in section["tables"]
        for row in table["rows"]
    ]


def missing_rows(certified, rows):
    return [(label, texts) for label, texts, _ in labelled(certified)
            if not starts_with(rows, label, texts)]  # fmt: skip


def test_html_has_every_labelled_figure(name, certified, rendered, page):
    rows = html_rows(page, rendered(name, "html"))
    assert len(list(labelled(certified(name)))) >= 8
    assert missing_rows(certified(name), rows) == []


def test_a_digit_that_differs_is_missed(certified, rendered, page):
    content = rendered("solo", "html").replace(b"96.9475 %", b"96.9476 %")
    missing = missing_rows(certified("solo"), html_rows(page, content))
    assert [label for label, _ in missing] == ["RTP per ante"]


def test_html_keeps_every_figure_in_full(name, certified, rendered, page):
    """Each figure, wherever it stands in the certificate, is a number of the page, to its end."""
    values = {
        value
        for section in page(rendered(name, "html")).sections
        for table in section["tables"]
        for row in table["rows"]
        for _, value in row
        if value is not None
    }
    text = " ".join(section["text"] for section in page(rendered(name, "html")).sections)
    scaled = {str(Decimal(value) * 10**6) for value in values if "/" not in value}
    for key, figure in every_figure(certified(name)["results"]):
        decimal = figure["decimal"]
        exact = str(Fraction(figure["exact"])) if "exact" in figure else None
        said = percent(decimal) in text  # the loss of the class map stands in a sentence
        million = str(Decimal(decimal) * 10**6) in values | scaled
        assert decimal in values or exact in values or million or said, (key, figure)


# --- PDF -----------------------------------------------------------------------------------------


def test_pdf_has_every_labelled_figure(name, certified, rendered, pdf_text):
    text = pdf_text(rendered(name, "pdf"))
    missing = [
        (label, texts)
        for label, texts, _ in labelled(certified(name))
        if " ".join([label, *texts]) not in text
    ]
    assert missing == []


def test_pdf_has_every_figure_at_its_rounding(name, certified, rendered, pdf_text):
    text = pdf_text(rendered(name, "pdf"))
    for key, figure in every_figure(certified(name)["results"]):
        number = figure["decimal"]
        forms = {
            percent(number), percent(number, 6), fixed(number), one_in(number),
            str(Fraction(figure.get("exact", "1"))), f"{Decimal(number) * 10**6:,.2f} ±",
        }  # fmt: skip
        assert any(form in text for form in forms), (key, figure)


# --- XLSX ----------------------------------------------------------------------------------------


def sheet_rows(book):
    return [
        [cell for cell in row if cell is not None]
        for sheet in book.worksheets
        for row in sheet.iter_rows(values_only=True)
    ]


def test_xlsx_has_every_labelled_figure_as_a_number_in_full(name, certified, rendered, workbook):
    _, values = workbook(rendered(name, "xlsx"))
    rows = sheet_rows(values)
    for label, texts, numbers in labelled(certified(name)):
        wanted = [
            text if number is None else float(number)
            for text, number in zip(texts, numbers, strict=True)
        ]
        found = [row for row in rows if row and row[0] == label]
        assert any(row[1 : 1 + len(wanted)] == wanted for row in found), (label, wanted, found)


def test_xlsx_shows_the_rounding_of_the_report(rendered, workbook):
    _, values = workbook(rendered("solo", "xlsx"))
    formats = {
        row[0].value: row[1].number_format
        for row in values["1p collective"].iter_rows()
        if row[0].value
    }
    assert formats["House edge (loss per ante)"] == "0.0000 %"
    assert formats["SD per round, in antes"] == "0.000000"
    assert formats["fold"] == "#,##0"


# --- CSV and Markdown ----------------------------------------------------------------------------


def test_csv_has_every_figure_in_full(name, certified, rendered):
    rows = list(csv.DictReader(io.StringIO(rendered(name, "csv").decode())))
    assert len(rows) > 20
    figures = [row for row in rows if row["kind"] == "figure"]
    by_value = {}
    for row in figures:
        by_value.setdefault(row["value"], []).append(row)
    listed = [*certified(name)["results"], *certified(name)["side_bets"]]
    for key, figure in every_figure(listed):
        found = by_value[figure["decimal"]]
        ends = tuple(figure.get("interval", ("", "")))
        assert any(
            (row["exact"], row["low"], row["high"]) == (figure.get("exact", ""), *ends)
            and row["level"] == figure.get("level", "")
            for row in found
        ), key
    for entry in listed:
        for event in entry.get("par_sheet", ()):
            assert any(
                row["kind"] == "event"
                and row["name"] == event["event"]
                and row["combinations"] == str(event["combinations"])
                and row["contribution"] == event["contribution"]["decimal"]
                for row in rows
            ), event["event"]


def test_markdown_has_every_labelled_figure(name, certified, rendered):
    rows = [
        [cell.strip().strip("*") for cell in line.strip("|").split(" | ")]
        for line in rendered(name, "md").decode().splitlines()
        if line.startswith("| ")
    ]
    assert missing_rows(certified(name), rows) == []


# --- What a report says besides ------------------------------------------------------------------


@pytest.mark.parametrize("form", ["html", "pdf", "md"])
def test_the_record_is_complete(name, form, certified, rendered, page, pdf_text, document_named):
    content = rendered(name, form)
    if form == "html":
        read = page(content)
        text = read.sections and " ".join(
            [part for section in read.sections for part in (section["title"], section["text"])]
            + [cell for row in html_rows(page, content) for cell in row]
        )
    else:
        text = pdf_text(content) if form == "pdf" else content.decode()
    text = re.sub(r"\s+", "", text)
    document = document_named(name)
    run = document.data["run"]
    wanted = [
        document.digest, certified(name)["paytable_digest"], run["source_digest"], run["time"],
        "preparedby", "checkedby", "Philox4x64-10", "Rulereadings",
        *run["versions"].values(),
    ]  # fmt: skip
    wanted += [re.sub(r"\s+", "", row["meaning"]) for row in certified(name)["readings"]]
    for result in certified(name)["results"]:
        if "seed" in result:
            wanted += [str(result["seed"]), str(result["stream"])]
    assert [part for part in wanted if part not in text] == []


def test_what_is_not_there_is_said_not_made_up(rendered, page):
    def contents(name):
        (section,) = [s for s in page(rendered(name, "html")).sections if s["title"] == "Contents"]
        return {row[0][0]: row[1][0] for row in section["tables"][0]["rows"]}

    missing = "not in this certificate"
    solo, table = contents("solo"), contents("three")
    assert solo["SD per unit bet; volatility index with z"] == "Figures"
    assert table["SD per unit bet; volatility index with z"] == missing
    assert table["top award, 1 in N"] == missing
    assert solo["top award, 1 in N"] == "Main game"
    assert solo["limits of jurisdictions and whether they are met"] == missing
    assert contents("simulated")["side bets, each with a par sheet"] == missing
    assert contents("bounded")["top award, 1 in N"] == "Main game of 1 of 3 results"


def test_a_report_from_the_file_is_that_of_the_certificate(document_named, file_of):
    """The order of keys in memory and in the file does not matter."""
    import json

    from ricochet_casino.certificate import Certificate
    from ricochet_casino.report import render

    def turned(value):
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(part) for part in value] if isinstance(value, list) else value

    whole = json.loads(file_of("solo").read_text())
    kept = Certificate(whole["certified"], whole["run"])
    other = Certificate(turned(whole["certified"]), turned(whole["run"]))
    assert render(kept, "md") == render(other, "md")
