"""`ricochet report`: files, and what is refused without leaving anything half-written."""

import copy
import json
import subprocess
import sys

import pytest

from ricochet_casino.report.documents import document_from_json
from ricochet_casino.report.files import parse_formats

FORMATS = ("html", "pdf", "xlsx", "csv", "md")


def ricochet(*words):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", *map(str, words)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_all_formats_with_one_command(tmp_path, file_of, rendered):
    done = ricochet("report", file_of("three"), "--format", "html,pdf,xlsx,csv,md",
                    "--out", tmp_path / "new" / "deep")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    made = {path.name: path.read_bytes() for path in (tmp_path / "new" / "deep").iterdir()}
    assert set(made) == {f"three.{name}" for name in FORMATS}
    for name in FORMATS:
        assert made[f"three.{name}"] == rendered("three", name)
        assert f"three.{name}" in done.stderr


def test_without_a_folder_beside_the_certificate(tmp_path, file_of):
    file = tmp_path / "mine.json"
    file.write_bytes(file_of("simulated").read_bytes())
    assert ricochet("report", file, "--format", "csv").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "mine.json"]


def test_an_existing_file_is_replaced_with_force_only(tmp_path, file_of):
    file = tmp_path / "mine.json"
    file.write_bytes(file_of("simulated").read_bytes())
    (tmp_path / "mine.csv").write_text("keep me")
    done = ricochet("report", file, "--format", "md,csv")
    assert done.returncode == 2
    assert "mine.csv exists" in done.stderr
    assert "--force" in done.stderr
    assert (tmp_path / "mine.csv").read_text() == "keep me"
    assert not (tmp_path / "mine.md").exists()
    assert ricochet("report", file, "--format", "md,csv", "--force").returncode == 0
    assert (tmp_path / "mine.csv").read_text().startswith("wager,")


def test_an_unknown_format_names_the_nearest(tmp_path, file_of):
    done = ricochet("report", file_of("solo"), "--format", "html,xslx", "--out", tmp_path / "x")
    assert done.returncode == 2
    assert "'xslx'" in done.stderr
    assert "did you mean xlsx?" in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "x").exists()


def test_a_folder_that_cannot_be_written_to(tmp_path, file_of):
    (tmp_path / "file").write_text("no folder")
    done = ricochet("report", file_of("simulated"), "--format", "csv,md", "--out",
                    tmp_path / "file" / "below")  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "file" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a whole JSON document"),
        ("[]", "not a certificate"),
        ('{"certified": {}, "run": {}}', "schema None"),
        ('{"schema": "ricochet-casino/sensitivity/2"}', "schema 'ricochet-casino/sensitivity/2'"),
        ('{"schema": "ricochet-casino/sensitivity/1"}', "paytable is missing"),
    ],
)
def test_what_is_no_document(tmp_path, text, said):
    file = tmp_path / "x.json"
    file.write_text(text)
    done = ricochet("report", file, "--format", "csv,md")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_no_such_file(tmp_path):
    done = ricochet("report", tmp_path / "gone.json")
    assert done.returncode == 2
    assert "No such file" in done.stderr


def changed(whole, path, value=None):
    """A copy with a value put in at a path, or taken out."""
    whole = copy.deepcopy(whole)
    place = whole
    for part in path[:-1]:
        place = place[part]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(whole)


@pytest.fixture(scope="module")
def read(file_of):
    return lambda name: json.loads(file_of(name).read_text())


def test_another_version_of_the_schema(read):
    text = changed(read("solo"), ("certified", "schema"), "ricochet-casino/certificate/2")
    with pytest.raises(ValueError, match="'ricochet-casino/certificate/2'; this version reads"):
        document_from_json(text, "x.json")


def required_figures(result):
    return [name for name, part in result.items() if isinstance(part, dict) and "decimal" in part]


@pytest.mark.parametrize("name", ["solo", "three", "simulated", "bounded"])
def test_a_figure_removed_is_named(name, read):
    whole = read(name)
    for index, result in enumerate(whole["certified"]["results"]):
        # The loss of the best map by classes is extra: some strategies have none.
        figures = [key for key in required_figures(result) if key != "class_map_loss"]
        assert len(figures) > 8
        for key in figures:
            with pytest.raises(ValueError, match=rf"results\[{index}\]: {key} is missing"):
                document_from_json(
                    changed(whole, ("certified", "results", index, key)), "x.json"
                )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "path", "value", "said"),
    [
        ("solo", ("results", 0, "house_edge", "decimal"), None, "house_edge: decimal is missing"),
        ("solo", ("results", 0, "house_edge", "decimal"), "much", "expected a decimal number"),
        ("solo", ("results", 0, "house_edge", "decimal"), "NaN", "expected a decimal number"),
        ("solo", ("results", 0, "house_edge", "exact"), "1/0", "expected a fraction"),
        ("solo", ("results", 0, "par_sheet", 0, "contribution", "exact"), "1/7", "add up"),
        ("solo", ("results", 0, "par_sheet", 3, "probability"), None, "probability is missing"),
        ("solo", ("results", 0, "par_sheet", 3, "combinations"), -1, "whole number"),
        ("solo", ("results", 0, "par_sheet", 3, "probability", "exact"), None, "'exact' is miss"),
        ("solo", ("results", 0, "skewness", "decimal"), "1e400", "expected a decimal number"),
        ("solo", ("readings", 2, "value"), ["a"], "a row that does not fit"),
        ("three", ("results", 0, "bonus_lines", 2, "pays"), "9e999", "not what its schema says"),
        ("solo", ("results", 0, "contributions", 1, "exact"), "1/7", "do not add up"),
        ("solo", ("results", 0, "by_hand", "AKs"), None, "AKs is missing"),
        ("solo", ("results", 0, "distribution"), None, "distribution is missing"),
        ("solo", ("results", 0, "cycle"), None, "cycle is missing"),
        ("solo", ("results", 0, "method"), "guessed", "expected exact, sampled or bounded"),
        ("solo", ("results",), [], "expected at least one"),
        ("solo", ("side_bets", 1, "rtp"), None, r"side_bets\[1\]: rtp is missing"),
        ("solo", ("paytable", "title"), None, "title is missing"),
        ("solo", ("readings", 0, "meaning"), None, "meaning is missing"),
        ("solo", ("paytable_digest",), None, "paytable_digest is missing"),
        ("three", ("results", 0, "rtp_per_ante", "interval"), None, "interval is missing"),
        ("three", ("results", 0, "rtp_per_ante", "interval"), ["2", "1"], "above the upper one"),
        ("three", ("results", 0, "rtp_per_ante", "level"), None, "level is missing"),
        ("three", ("results", 0, "by_order", 1, "fold_frequency"), None, "fold_frequency is"),
        ("three", ("results", 0, "bonus_lines", 2, "contribution"), None, "contribution is"),
        ("three", ("results", 0, "seed"), None, "seed is missing"),
        ("bounded", ("results", 2, "optimum", "upper"), None, "upper is missing"),
        ("mixed", ("results", 0, "by_seat", 0, "seat"), None, "seat"),
        ("simulated", ("results", 0, "rounds"), "many", "."),
    ],
)
def test_what_is_wrong_inside_is_named(name, path, value, said, read):
    text = changed(read(name), ("certified", *path), value)
    with pytest.raises(ValueError, match=said) as caught:
        document_from_json(text, "x.json")
    assert str(caught.value).startswith("x.json: ")


def test_formats_are_read_as_a_list():
    assert parse_formats(" html,PDF, html ,") == ("html", "pdf")
    with pytest.raises(ValueError, match="no format"):
        parse_formats(" , ")


def test_help_stays_light():
    """`ricochet --help` imports nothing that draws, sets pages or writes workbooks."""
    program = (
        "import sys\nsys.argv = ['ricochet', 'report', '--help']\n"
        "from ricochet_casino.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'matplotlib', 'jinja2', 'xlsxwriter', 'typst', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          timeout=120, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "--format" in done.stdout
