"""Settings, studies of verdicts and shares with undecided deals."""

from fractions import Fraction

import pytest

from ricochet_casino.experiment import Tally
from ricochet_casino.games import build
from ricochet_casino.games.hearts_pyramid.settings import PyramidSettings
from ricochet_casino.games.hearts_pyramid.study import PyramidStudy
from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings
from ricochet_casino.stats.intervals import clopper_pearson, wilson
from ricochet_casino.stats.shares import Share, bucket, quantile
from ricochet_casino.studies.verdicts import checked_limit


def test_settings_are_read_from_texts_on_top_of_a_preset():
    read = SolitaireSettings.from_texts(["wrap=No", "ends_with_stock = on"], "stuck_only")
    assert read.model_dump() == {
        "wrap": False,
        "flip_lifts_wall_rule": True,
        "flip_only_when_stuck": True,
        "ends_with_stock": True,
    }
    assert SolitaireSettings.from_texts(read.texts()) == read
    friendly = PyramidSettings.read({}, "friendly")
    assert PyramidSettings.from_texts(friendly.texts()) == friendly


@pytest.mark.parametrize(
    ("texts", "preset", "said"),
    [
        (["wrap"], None, "expected NAME=VALUE"),
        (["wrap=1"], None, "wrap=1"),
        (["wrap=maybe"], None, "boolean"),
        (["wrp=true"], None, "did you mean wrap"),
        (["wrap=true", "wrap=false"], None, "given twice"),
        ([], "no_rap", "did you mean no_wrap"),
    ],
)
def test_settings_that_cannot_be_are_refused(texts, preset, said):
    with pytest.raises(ValueError, match=said):
        SolitaireSettings.from_texts(texts, preset)


def test_wilson_agrees_with_its_equation_and_with_a_known_value():
    found = wilson(81, 263, Fraction(95, 100))  # E. B. Wilson's interval of 0.308
    assert abs(found.low - Fraction(2553, 10000)) < Fraction(1, 10000)
    assert abs(found.high - Fraction(3662, 10000)) < Fraction(1, 10000)
    assert (wilson(0, 5).low, wilson(5, 5).high) == (0, 1)
    for end in (found.low, found.high):
        # The ends are where the share lies z standard errors off.
        z2 = (Fraction(81, 263) - end) ** 2 * 263 / (end * (1 - end))
        assert abs(float(z2) - 1.959963985**2) < 1e-7
    for bad in ((-1, 5), (6, 5), (0, 0)):
        with pytest.raises(ValueError, match=r"successes|trial"):
            wilson(*bad)


def test_undecided_deals_widen_intervals_on_both_sides():
    whole, some = Share(60, 40, 0), Share(55, 38, 7)
    for method in (clopper_pearson, wilson):
        assert some.interval(method).low == method(55, 100).low
        assert some.interval(method).high == method(62, 100).high
        assert whole.interval(method) == method(60, 100)
    assert some.figures()["share"] == "0.55"
    for bad in ((0, 0, 0), (-1, 2, 0)):
        with pytest.raises(ValueError, match="no study has"):
            Share(*bad)


def test_numbers_of_states_are_rounded_up_to_two_digits():
    assert [bucket(n) for n in (0, 7, 99, 100, 101, 1234, 99_999)] == [
        0, 7, 99, 100, 110, 1300, 100_000,
    ]  # fmt: skip
    assert quantile({5: 1, 10: 2, 20: 1}, Fraction(1, 2)) == 10
    assert quantile({5: 1, 10: 2, 20: 1}, Fraction(99, 100)) == 20
    with pytest.raises(ValueError, match="not negative"):
        bucket(-1)
    with pytest.raises(ValueError, match="no quantile"):
        quantile({}, Fraction(1, 2))


def test_a_study_can_be_made_again_from_its_specification():
    study = PyramidStudy(PyramidSettings(passes="unlimited"), 10, 3, "greedy", 50)
    assert build(study.spec()).spec() == study.spec()
    spec = study.spec()
    del spec["parameters"]["level"]
    with pytest.raises(ValueError, match="the parameter level is missing"):
        build(spec)


def test_what_no_study_can_do_is_refused():
    settings = PyramidSettings()
    for arguments, said in (
        ((0, 1), "deals must be 1"), ((1, -1), "a seed must be"), ((1, 1, "gredy"), "mean greedy"),
        ((1, 1, "solver", 0), "at least 1"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            PyramidStudy(settings, *arguments)
    with pytest.raises(ValueError, match="whole number"):
        checked_limit(1.5)
    with pytest.raises(ValueError, match="holds 3 of 5 deals"):
        PyramidStudy(settings, 5, 1).result(Tally({"deals": 3, "lost": 3}))
    with pytest.raises(ValueError, match="2 verdicts on 5 deals"):
        PyramidStudy(settings, 5, 1).result(Tally({"deals": 5, "lost": 2}))


def test_the_tally_counts_verdicts_and_states():
    study = PyramidStudy(PyramidSettings(), 200, 3)
    tally = study.run(study.shards()[0])
    sizes = {n: c for n, c in tally.counts.items() if n.startswith("states<=")}
    assert sum(sizes.values()) == tally.counts["deals"] == 200
    entry = study.result(tally).entry
    assert entry["states"]["all"] == tally.counts["states"]
