"""Reports of games unlike the rulebook's: other antes, halves, strategies that never vary."""

import math
from fractions import Fraction

import pytest

from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.lab.certify import Request, certify
from ricochet_casino.report.documents import document_from_json
from ricochet_casino.report.files import render


@pytest.fixture(scope="module")
def made():
    content = load_paytable("rulebook").model_dump(mode="json")
    content |= {"ante": "2", "dealer_ante": "2", "play_bet": "3/2", "coin": "1/4", "expect": {}}
    content |= {"bonus": {"straight": "3 to 2", "flush": "7 to 1"}, "side_bets": {}}
    content |= {"title": "Halves", "source": "", "notes": ""}
    paytable = RicochetPokerPaytable.read(content)
    strategies = ("collective", "always_play", "always_fold")
    certificate = certify(paytable, Request(strategies=strategies, check_rounds=0))
    return certificate, document_from_json(certificate.to_json(), "halves.json")


def test_all_formats(made, page, workbook):
    certificate, document = made
    files = render(document, ["html", "pdf", "xlsx", "csv", "md"])
    read = page(files["html"])
    assert read.problems == []
    (costs,) = [table for section in read.sections for table in section["tables"]
                if table["title"].startswith("What simpler play costs")]  # fmt: skip
    edges = {r["strategy"]: Fraction(r["house_edge"]["exact"])
             for r in certificate.certified["results"]}  # fmt: skip
    for row in costs["rows"][1:]:
        cost = edges[row[1][0]] - edges["collective"]
        assert cost > 0
        assert math.isclose(float(row[5][1]), cost, rel_tol=1e-12)
    assert [row[1][0] for row in costs["rows"][1:]] == ["always_play", "always_fold"]
    _, values = workbook(files["xlsx"])
    assert values.sheetnames[1:4] == ["1p collective", "1p always_play", "1p always_fold"]


def test_the_foot_of_the_par_sheet_is_per_ante_of_two(made, workbook):
    certificate, document = made
    book, values = workbook(render(document, ["xlsx"])["xlsx"])
    sheet, shown = book["1p collective"], values["1p collective"]
    (total,) = [row for row in sheet.iter_rows() if row[0].value == "total" and row[6].value]
    first, last = (
        int("".join(filter(str.isdigit, end)))
        for end in total[6].value.removeprefix("=SUM(").rstrip(")").split(":")
    )
    result = math.fsum(
        shown[f"C{row}"].value * shown[f"F{row}"].value / 2 for row in range(first, last + 1)
    )
    ev = certificate.certified["results"][0]["ev_per_ante"]["decimal"]
    assert math.isclose(result, float(ev), rel_tol=1e-11)
    assert sheet[f"G{first}"].value == f"=C{first}*F{first}*1/2"
    assert shown[f"F{first}"].value == -2


def test_a_strategy_without_spread_has_undefined_figures_and_no_session(made):
    certificate, document = made
    folding = certificate.certified["results"][2]
    assert folding["strategy"] == "always_fold"
    titles = [s.title for s in document.sections if s.title.startswith("Session")]
    assert len(titles) == 3
    text = render(document, ["md"])["md"].decode()
    assert "Source: not stated" in text
    assert "not in this certificate" in text
