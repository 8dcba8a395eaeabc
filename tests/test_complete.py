"""What a machine lacks is listed and changes the exit code: the plug-in in tests/conftest.py."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = """
import pytest

@pytest.mark.needs_program("no-such-program-anywhere", "nor-this-one")
def test_that_needs_it():
    raise AssertionError("ran")

@pytest.mark.needs_program("no-such-program-anywhere", {python!r})
def test_that_has_one_of_two():
    pass

def test_other():
    assert {fine}
"""


@pytest.fixture
def run(tmp_path):
    def pytest_in_a_folder(*options, fine=True, kept="test"):
        shutil.copy(Path(__file__).parent / "conftest.py", tmp_path)
        (tmp_path / "test_it.py").write_text(TEXT.format(python=sys.executable, fine=fine))
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", kept, *options],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    return pytest_in_a_folder


def test_what_is_lacking_is_listed_and_exits_with_3(run):
    done = run("--complete")
    assert done.returncode == 3
    assert "NOT RUN: this machine lacks what these tests need" in done.stdout
    assert "test_it.py::test_that_needs_it: needs no-such-program-anywhere or nor-this-one" in (
        done.stdout
    )
    assert "test_that_has_one_of_two: needs" not in done.stdout


def test_without_complete_it_is_listed_only(run):
    done = run()
    assert done.returncode == 0
    assert "NOT RUN" in done.stdout


def test_a_failure_stays_a_failure(run):
    assert run("--complete", fine=False).returncode == 1


def test_with_all_there_the_exit_code_is_0(run):
    done = run("--complete", kept="one_of_two or other")
    assert done.returncode == 0
    assert "NOT RUN" not in done.stdout


def test_make_test_all_asks_for_it():
    makefile = (Path(__file__).parents[1] / "Makefile").read_text()
    recipe = makefile.partition("\ntest-all:")[2].partition("\n\n")[0]
    assert "-m '' --complete" in recipe
