"""Batch plans: how a matrix becomes entries, and what is refused, with file and line."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino.config import ConfigError, data_folder
from ricochet_casino.lab.jobs import CalibrationJob, ExperimentJob, TableJob
from ricochet_casino.lab.parts import Part, joined
from ricochet_casino.lab.plans import expected_core_seconds, read_plan
from ricochet_casino.runs import Store

SMALL = """\
title: A plan
paytables: rulebook
players: 1
output: out
"""


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Writes a plan and reads it, in an empty working folder."""
    monkeypatch.chdir(tmp_path)

    def read(text, name="plan.yaml", **options):
        (tmp_path / name).write_text(text)
        return read_plan(tmp_path / name, **options)

    return read


def refused(plan, text, *said, name="plan.yaml"):
    with pytest.raises(ConfigError) as caught:
        plan(text, name)
    for one in said:
        assert re.search(one, str(caught.value)), str(caught.value)
    return str(caught.value)


def names(found):
    return [job.name for job in found.jobs]


def test_the_matrix(plan):
    found = plan(
        "title: x\noutput: out\npaytables: [rulebook, home_capped]\nplayers: [1, 2-3]\n"
        "strategies: [collective, [always_play, collective]]\nside_bets: quickdraw\n"
    )
    tables = [
        f"{table}-{players}p-{strategy}"
        for table in ("rulebook", "home_capped")
        for strategy in ("collective", "always_play+collective")
        for players in (1, 2, 3)
        if (players, strategy) != (1, "always_play+collective")
    ]
    assert names(found) == [*tables, "rulebook-quickdraw"]
    assert found.skipped == ("always_play+collective needs 2 players or more",)
    assert found.output == Path("out")
    assert found.store == Path("out/store")
    assert found.whole


def test_what_is_not_covered_is_left_out_and_told(plan):
    found = plan(
        SMALL.replace("rulebook", "website_four_players").replace("players: 1", "players: 3-4")
    )
    assert names(found)[0] == "website_four_players-4p-collective"
    assert found.skipped == ("website_four_players does not cover 3 players",)


def test_overrides_change_what_they_are_for(plan):
    found = plan(
        SMALL.replace("players: 1", "players: 2-4")
        + "side_bets: none\nuntil: 0.1 %\ngap: 0.2 %\nformats: json\noverrides:\n"
        "  - where: {players: 3-4}\n    deals: 512\n    gap_deals: 64\n"
        "  - where: {players: 4, strategies: collective, paytables: rulebook}\n"
        "    until: 0.3 %\n    formats: [md, csv]\n"
    )
    two, three, four = found.jobs
    assert two.request.sampling.until == Fraction(1, 1000)
    assert two.request.sampling.deals is None
    assert two.request.bounding.limit == Fraction(1, 500)
    assert three.request.sampling.deals == 512
    assert three.request.bounding.deals == 64
    assert three.request.bounding.limit is None
    assert four.request.sampling.deals is None
    assert four.request.sampling.until == Fraction(3, 1000)
    assert [job.formats for job in found.jobs] == [("json",), ("json",), ("md", "csv")]


def test_globs_and_hand_tables_are_sought_beside_the_plan(plan, tmp_path):
    folder = data_folder("paytables") / "ricochet_poker"
    (tmp_path / "mine").mkdir()
    for stem in ("b", "a"):
        text = (folder / "rulebook.yaml").read_text().replace("title: ", f"title: {stem} ", 1)
        (tmp_path / "mine" / f"{stem}.yaml").write_text(text)
    tight = (data_folder("configs") / "strategies" / "tight.yaml").read_text()
    (tmp_path / "tight.yaml").write_text(tight)
    found = plan(
        SMALL.replace("rulebook", "mine/*.yaml")
        + "strategies: tight.yaml\nside_bets: none\ncheck: 0\n"
    )
    assert names(found) == ["a-1p-tight", "b-1p-tight"]
    assert found.jobs[0].request.check_rounds == 0


def test_experiments_of_any_kind(plan):
    found = plan(
        "title: x\noutput: out\nexperiments:\n  - name: two\n    experiment: two_players_exact\n"
        "    paytable: rulebook\n    parameters: {hands: {number: 2, seed: 7}}\n"
    )
    (job,) = found.jobs
    assert isinstance(job, ExperimentJob)
    assert job.spec["parameters"]["hands"] == {"number": 2, "seed": 7}
    assert expected_core_seconds(found.jobs) == (0, 1)


def test_shipped_plans_can_be_read():
    certification = read_plan("certification")
    assert names(certification) == [
        *(f"rulebook-{players}p-collective" for players in range(1, 8)),
        "rulebook-quickdraw", "rulebook-cover",
    ]  # fmt: skip
    assert certification.whole
    kinds = {type(job) for job in read_plan("smoke").jobs}
    assert kinds == {TableJob, ExperimentJob}
    published = read_plan("published_figures")
    assert [type(job) for job in published.jobs] == [CalibrationJob]
    assert published.output == Path("reports/published_figures")


def test_a_plan_may_include_others_and_calibrations(plan, tmp_path):
    (tmp_path / "more.yaml").write_text(SMALL.replace("rulebook", "home_capped"))
    found = plan(SMALL + "include: more.yaml\ncalibrations: published_figures\nside_bets: none\n")
    assert names(found) == [
        "rulebook-1p-collective", "published_figures", "home_capped-1p-collective",
    ]  # fmt: skip
    assert len(found.paytables) == 2


def test_blocks_and_output_of_the_command_line_win(plan, tmp_path):
    found = plan(SMALL + "blocks: 1/3\nstore: elsewhere\n")
    assert (found.parts, found.store) == ((Part(Fraction(0), Fraction(1, 3)),), Path("elsewhere"))
    found = plan(SMALL + "store: elsewhere\n", output=tmp_path / "o", blocks="2/2")
    assert found.store == tmp_path / "o" / "store"
    assert not found.whole
    with pytest.raises(ValueError, match=r"3/2.*expected all, or one such as 1/2"):
        plan(SMALL, blocks="3/2")


def test_what_is_asked_does_not_depend_on_where_it_goes(plan, tmp_path):
    one = plan(SMALL).request()
    assert plan(SMALL + "formats: csv\nsummary: html\n", output=tmp_path / "o").request() == one
    other = plan(SMALL, blocks="1/2").request()
    assert other["plan"] == one["plan"]
    assert other != one


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("playerz: 2\n", r"plan\.yaml:5: unknown key playerz; .*did you mean players\?"),
        ("strategies: colective\n", r":5: .*'colective'.*did you mean collective"),
        ("side_bets: [cuver]\n", r":5: .*cuver.*did you mean cover"),
        ("side_bets: [cover, cover]\n", r":5: cover is given twice"),
        ("formats: jsn\n", r":5: .*unknown format jsn.*did you mean json"),
        ("summary: [csv, parket]\n", r":5: .*did you mean parquet"),
        ("until: 0 %\n", r":5: until: 0 %; expected more than zero"),
        ("until: 200 %\n", r":5: until: 200 %; expected a share"),
        ("until: 0.1 %\ndeals: 7\n", r"both until and deals"),
        ("gap: 0.1 %\ngap_deals: 7\n", r"both gap and gap_deals"),
        ("deals: many\n", r":5: deals: many; expected a whole number"),
        ("deals: 0\n", r":5: deals: .*greater than or equal to 1"),
        ("seed: 18446744073709551616\n", r":5: seed"),
        ("blocks: 3/2\n", r":5: blocks: '3/2' is no part"),
        ("strategies: [collective, collective]\n", r":5: collective is given twice"),
        ("overrides:\n  - where: {players: 3}\n    deals: 5\n", r":6: no entry is like this"),
        ("overrides:\n  - where: {playrs: 3}\n", r":6: unknown key .*playrs.*did you mean players"),
        ("overrides:\n  - deals: 5\n", r":6: the key overrides\.0\.where is missing"),
        ("include: nothing.yaml\n", r"nothing\.yaml: no such file"),
        ("include: none/*.yaml\n", r":5: none/\*\.yaml matches no file"),
        ("calibrations: certification\n", r"unknown key|missing"),
        ("calibrations: published_figures\nblocks: 1/2\n", r":6: a calibration cannot be split"),
        ("experiments:\n  - name: a\n    experiment: sollo\n", r":6: .*sollo.*did you mean solo"),
        ("experiments:\n  - name: A b\n    experiment: solo\n", r":6: .*expected a word"),
    ],
)  # fmt: skip
def test_bad_keys_are_told_with_file_line_and_nearest_name(plan, change, said):
    refused(plan, SMALL + change, said)


@pytest.mark.parametrize(
    ("players", "said"),
    [
        ("0", "expected 1 to 7"), ("8", "expected 1 to 7"), ("3-2", "expected 1 to 7"),
        ("two", "two; expected"), ("[]", "nothing; expected"), ("[1, 1-2]", "given twice"),
    ],
)  # fmt: skip
def test_bad_player_counts(plan, players, said):
    refused(plan, SMALL.replace("players: 1", f"players: {players}"), rf":3: .*{said}")


def test_globs_that_match_nothing_and_names_that_are_none(plan):
    refused(
        plan, SMALL.replace("rulebook", "none/*.yaml"), r"plan\.yaml:2: none/\*\.yaml matches no"
    )
    refused(plan, SMALL.replace("rulebook", "rulebok"), r"plan\.yaml:2: .*did you mean rulebook")


def test_duplicate_entries_are_refused(plan, tmp_path):
    refused(
        plan, SMALL.replace("rulebook", "[rulebook, ricochet_poker/rulebook]"),
        r":2: the entry rulebook-1p-collective is there twice",
    )  # fmt: skip
    text = (data_folder("paytables") / "ricochet_poker" / "rulebook.yaml").read_text()
    (tmp_path / "copy.yaml").write_text(text)
    refused(
        plan, SMALL.replace("rulebook", "[rulebook, copy.yaml]"),
        r"copy-1p-collective is there twice, the same as rulebook-1p-collective",
    )  # fmt: skip
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "rulebook.yaml").write_text(text.replace("title: ", "title: Other ", 1))
    refused(
        plan, SMALL.replace("rulebook", "[rulebook, x/rulebook.yaml]"),
        r":2: two entries are called rulebook-1p-collective",
    )  # fmt: skip


def test_a_plan_that_includes_itself_is_refused(plan, tmp_path):
    refused(plan, SMALL + "include: plan.yaml\n", r"plan\.yaml:5: .*includes itself")
    (tmp_path / "b.yaml").write_text(
        SMALL.replace("rulebook", "home_capped") + "include: plan.yaml\n"
    )
    refused(plan, SMALL + "include: b.yaml\n", r"b\.yaml:5: plan\.yaml: the plan includes itself")


def test_an_output_folder_inside_a_store_is_refused(plan, tmp_path):
    refused(
        plan, SMALL + "store: out\n", r"plan\.yaml:4: the output folder out is inside the store"
    )
    refused(plan, SMALL.replace("out\n", "kept/out\n") + "store: kept\n", r":4: .*inside the store")
    with Store.open(tmp_path / "another", {"a": 1}):
        pass
    refused(plan, SMALL.replace("out\n", "another/a/b\n"), r":4: .*inside the store .*another")
    (tmp_path / "a-file").touch()
    refused(plan, SMALL + "store: a-file\n", r":5: a-file is a file")


def test_plans_without_entries_or_title(plan):
    refused(plan, "title: x\noutput: out\n", "no entries; expected paytables")
    refused(plan, "paytables: rulebook\n", "the key title is missing", "the key output is missing")
    with pytest.raises(ConfigError, match=r"no plan or file smoek.*did you mean smoke"):
        read_plan("smoek")


def test_estimates_follow_the_precision(plan):
    seconds = [
        expected_core_seconds(plan(SMALL.replace("players: 1", "players: 3")
                                   + f"until: {until}\n").jobs)[0]
        for until in ("0.1 %", "0.01 %")
    ]  # fmt: skip
    assert seconds[1] > 10 * seconds[0]


def test_parts_are_disjoint_and_make_a_whole():
    for blocks in (0, 1, 2, 7, 13, 100):
        for count in (1, 2, 3, 5):
            parts = [Part.parse(f"{k + 1}/{count}") for k in range(count)]
            numbers = [number for part in parts for number in part.numbers(blocks)]
            assert numbers == list(range(blocks))
            assert joined(reversed(parts)) == (Part(),)
    assert joined([Part.parse("1/4"), Part.parse("3/4")]) == (Part.parse("1/4"), Part.parse("3/4"))
    assert list(map(str, (Part(), Part.parse("2/3"), Part(Fraction(1, 6), Fraction(1, 2))))) == [
        "all", "2/3", "1/6 to 1/2",
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"1/2 and 2/3 overlap: the same random stream"):
        joined([Part.parse("2/3"), Part.parse("1/2")])


def test_every_key_is_documented():
    from ricochet_casino.lab.plan_model import Override, PlanFile, PlannedExperiment, Where

    text = (Path(__file__).parents[1] / "docs" / "batch.md").read_text()
    keys = {key for model in (PlanFile, Override, Where, PlannedExperiment)
            for key in model.model_fields}  # fmt: skip
    assert {"paytables", "until", "where", "parameters"} <= keys
    for key in keys:
        assert f"`{key}`" in text, key
