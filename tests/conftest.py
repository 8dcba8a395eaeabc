"""What a machine lacks is told, never passed over: tests that need a program that is not there.

``@pytest.mark.needs_program("soffice", "libreoffice")`` runs a test only where one of the programs
is found. Elsewhere it is listed at the end under NOT RUN; with ``--complete``, which is how
``make test-all`` calls pytest, the exit code then is 3 even if all others pass.
"""

import shutil

import pytest

EXIT_NOT_COMPLETE = 3
_LACKING = pytest.StashKey[dict]()


def pytest_addoption(parser):
    parser.addoption(
        "--complete", action="store_true",
        help="exit with 3 if a test was not run because the machine lacks a program",
    )  # fmt: skip


def pytest_configure(config):
    config.stash[_LACKING] = {}


def pytest_runtest_setup(item):
    for mark in item.iter_markers("needs_program"):
        if not any(map(shutil.which, mark.args)):
            item.config.stash[_LACKING][item.nodeid] = " or ".join(mark.args)
            pytest.skip(f"NOT RUN: needs {' or '.join(mark.args)}")


def pytest_terminal_summary(terminalreporter, config):
    lacking = config.stash[_LACKING]
    if lacking:
        terminalreporter.section("NOT RUN: this machine lacks what these tests need")
        for name, programs in lacking.items():
            terminalreporter.line(f"{name}: needs {programs}")


def pytest_sessionfinish(session, exitstatus):
    complete = session.config.getoption("--complete")
    if complete and session.config.stash[_LACKING] and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = EXIT_NOT_COMPLETE
