"""Plots: axes with units, intervals where sampled, black and white, the certificate's numbers."""

import re
from decimal import Decimal
from fractions import Fraction

import pytest

from ricochet_casino.report import drawing, plots
from ricochet_casino.report.plots import Plot, Series
from ricochet_casino.report.sessions import session_section

UNITS = ("%", "chips", "players at the table", "rounds played", "card", "part of the game", "steps")


@pytest.fixture(scope="module")
def plots_of(document_named):
    return lambda name: [plot for section in document_named(name).sections
                         for plot in section.plots]  # fmt: skip


def test_axes_have_names_with_units_and_every_plot_is_told_in_words(name, plots_of):
    for plot in plots_of(name):
        for axis in (plot.across, plot.up):
            assert any(unit in axis for unit in UNITS), axis
        assert len(plot.caption) > 40


def test_what_is_drawn_for_which_certificate(plots_of):
    def titles(name):
        return [plot.title for plot in plots_of(name)]

    solo = ["Contribution by line", "Net results of a round", "A session",
            "Folds by starting hand (% of deals)"]  # fmt: skip
    assert titles("solo") == solo
    assert titles("three") == titles("mixed") == ["Contribution by line"]
    assert titles("simulated") == []
    by_players = ["House edge by number of players", "RTP per ante by number of players"]
    assert titles("bounded") == [*by_players, *solo, *["Contribution by line"] * 2]


def test_sampled_points_have_their_intervals(plots_of, certified):
    edge = plots_of("bounded")[0]
    (series,) = edge.series
    results = certified("bounded")["results"]
    assert series.x == (1, 2, 3)
    for index, result in enumerate(results):
        figure = result["house_edge"]
        assert series.y[index] == 100 * Decimal(figure["decimal"])
        ends = figure.get("interval", [figure["decimal"]] * 2)
        assert (series.low[index], series.high[index]) == tuple(100 * Decimal(e) for e in ends)
    lines = certified("three")["results"][0]["bonus_lines"]
    (drawn,) = plots_of("three")[0].series
    assert drawn.low == tuple(100 * Decimal(row["contribution"]["interval"][0]) for row in lines)


def test_outcomes_and_map_are_those_of_the_certificate(plots_of, certified):
    result = certified("solo")["results"][0]
    _, outcomes, _, folds = plots_of("solo")
    assert outcomes.log
    assert list(outcomes.series[0].x) == ["-2", "-1", "1", "3", "6", "11", "26", "101", "1001"]
    assert abs(sum(outcomes.series[0].y) - 100) < Decimal("1e-20")
    shown = dict(zip(folds.series[0].x, folds.series[0].y, strict=True))
    assert len(shown) == 169
    for hand, row in result["by_hand"].items():
        assert abs(shown[hand] - Decimal(100 * row["fold_deals"]) / row["deals"]) < Decimal("1e-20")


def shades(svg):
    return {int(shade, 16) for shade in re.findall(r"fill: #([0-9a-f]{2})\1\1\b", svg)}


def test_the_map_reads_in_black_and_white(plots_of):
    """Fields are greys on which black numbers keep the contrast of 4.5 to 1 for small print."""
    greys = shades(drawing.to_svg(plots_of("solo")[3]))
    fields = {grey for grey in greys if grey}  # 0 is the print
    assert len(fields) > 30
    luminance = (min(fields) / 255) ** 2.4  # darker than the true curve
    assert (luminance + 0.05) / 0.05 > 4.5


def test_series_are_told_apart_without_colour():
    lines = tuple(
        Series(f"s{n}", (1, 2), (Decimal(n), Decimal(n + 1))) for n in range(4)
    )  # fmt: skip
    svg = drawing.to_svg(Plot("points", "t", "x (chips)", "y (%)", lines, "words"))
    dashes = re.findall(r"stroke-dasharray: ([\d.,]+)", svg)
    assert len(set(dashes)) == 3  # and one without
    assert len(set(re.findall(r'<path id="(p-m\w+)" d="([^"]+)"', svg))) >= 4


def test_pictures_are_the_same_twice_and_carry_no_date(plots_of):
    plot = plots_of("solo")[0]
    first = drawing.to_svg(plot, "a")
    drawing._svg.cache_clear()
    assert drawing.to_svg(plot, "a") == first
    assert "dc:date" not in first
    assert "metadata" not in first
    assert drawing.to_png(plot) == drawing.to_png(plot)
    assert drawing.to_png(plot).startswith(b"\x89PNG")
    assert set(re.findall(r'\bid="(.)', first)) == {"a"}


def test_drawing_leaves_settings_of_others_alone(plots_of):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    drawing.to_png(plots_of("solo")[0])
    assert dict(mpl.rcParams) == before


def result_with(distribution):
    rows = [{"net": f"{Fraction(net)}", "combinations": n} for net, n in distribution.items()]
    return {"distribution": rows}


def test_a_session_in_the_report_is_that_of_the_distribution(certified, document_named):
    from ricochet_casino.stats.sessions import sessions

    result = certified("solo")["results"][0]
    distribution = {Fraction(row["net"]): row["combinations"] for row in result["distribution"]}
    (section,) = [s for s in document_named("solo").sections if s.title.startswith("Session")]
    rows = section.tables[0].rows
    found = sessions(distribution, [int(row[0].value) for row in rows])
    for row, session in zip(rows, found, strict=True):
        assert [Fraction(cell) for cell in row[1:4]] == [low for low, _ in session.quantiles]
        mean = Decimal(result["ev_per_ante"]["decimal"]) * session.rounds
        assert abs(row[4].value - mean) < Decimal("1e-10")
        assert abs(float(row[5].value) - session.ahead) <= session.error
    fan = section.plots[0].series[0]
    assert fan.x[-1] == 1000
    assert fan.low[0] == fan.y[0] == fan.high[0] == 0
    assert all(low <= y <= high for low, y, high in zip(fan.low, fan.y, fan.high, strict=True))


def test_why_there_is_no_session_is_said():
    never = session_section(result_with({-1: 5}), "t", "s")
    assert "same result" in never.paragraphs[0]
    far = session_section(result_with({-1: 5, 10**9: 1, 2: 7}), "t", "s")
    assert "too far apart" in far.paragraphs[0]
    assert far.plots == never.plots == ()


def test_longer_prizes_make_shorter_sessions():
    section = session_section(result_with({-1: 10**6, 0: 5, 40_000: 1}), "t", "s")
    assert section.tables[0].rows[-1][0] == "100"


def test_no_plot_by_players_for_one_count(certified):
    assert plots.by_players(certified("solo")["results"]) == []
