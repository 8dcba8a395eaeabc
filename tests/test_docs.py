"""The documentation is true: its commands run, its links lead somewhere, its keys are all there."""

import importlib
import inspect
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ricochet_casino

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
README = (ROOT / "README.md").read_text()


def ricochet(words):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", *words],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


def test_the_readme_names_make_targets_that_exist():
    makefile = (ROOT / "Makefile").read_text()
    wanted = set(re.findall(r"^make ([a-z-]+)", README, re.M))
    assert {"certify", "test"} <= wanted
    for target in wanted:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_every_target_of_the_makefile_is_explained():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split():
        assert re.search(rf"^{target}:.*## ", makefile, re.M), target


@pytest.mark.parametrize(
    ("command", "output"),
    re.findall(r"```console\n\$ ([^\n]*)\n```\n\n```text\n(.*?)```", README, re.S),
)
def test_the_readme_shows_what_its_commands_print(command, output):
    words = shlex.split(command)
    assert words[0] == "ricochet"
    done = ricochet(words[1:])
    assert done.returncode == 0
    printed = [line.rstrip() for line in done.stdout.splitlines()]
    shown = [line.rstrip() for line in output.strip("\n").splitlines()]
    if "..." in shown:  # shortened: the parts must follow each other
        rest = iter(printed)
        assert all(line in rest for line in shown if line != "...")
    else:
        assert shown == printed


def test_the_readme_shows_two_commands_with_output():
    assert len(re.findall(r"```console\n", README)) >= 2


def test_the_headline_of_the_readme_is_that_of_the_reference_certificate():
    from ricochet_casino.certificate import Certificate
    from ricochet_casino.report.tables import percent

    file = ROOT / "reports" / "reference" / "rulebook-1p-collective.json"
    certified = Certificate.read(file).certified
    figures = [certified["results"][0]["house_edge"], certified["results"][0]["rtp_per_ante"]]
    figures += [bet["house_edge"] for bet in certified["side_bets"]]
    for figure in figures:
        assert percent(figure) in README


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_python_examples_run(document):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, document, "exec"), {"__name__": document})


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text()):
        assert (document.parent / target).exists(), target


def test_every_command_is_in_the_readme():
    from typer.main import get_command

    from ricochet_casino.cli import build_app

    for name, command in get_command(build_app()).commands.items():
        for below in getattr(command, "commands", {"": None}):
            words = f"ricochet {name} {below}".strip()
            assert f"`{words}" in README, words


def test_every_paytable_key_is_documented():
    text = (ROOT / "docs" / "paytables.md").read_text()
    from ricochet_casino.games import json_schema

    def keys(schema, definitions):
        for name, part in schema.get("properties", {}).items():
            yield name
            for reference in re.findall(r"'\$ref': '#/\$defs/(\w+)'", str(part)):
                yield from keys(definitions[reference], definitions)

    schema = json_schema("ricochet_poker")
    found = set(keys(schema, schema["$defs"]))
    assert {"kickout", "tie", "label", "bonus_on"} <= found
    for name in found:
        assert re.search(rf"`(\w+\.)*{name}`", text), name


def test_every_ruling_that_a_certificate_names_is_documented():
    from ricochet_casino.games import load_paytable
    from ricochet_casino.games.ricochet_poker.readings import readings

    text = (ROOT / "docs" / "rulings.md").read_text()
    for row in readings(load_paytable("rulebook")):
        assert re.search(rf"^(\| {row['ruling']} \||## {row['ruling']}\.)", text, re.M), row


def test_formulas_that_the_code_quotes_exist():
    text = (ROOT / "docs" / "math.md").read_text()
    headings = "\n".join(re.findall(r"^#+ .*$", text, re.M))
    for path in sorted((ROOT / "ricochet_casino").rglob("*.py")):
        for section in re.findall(r"docs/math\.md, sections? (\d+)", path.read_text()):
            assert f"## {section}. " in headings, (path.name, section)
        for title in re.findall(r'docs/math\.md,\s+"([^"]+)"', path.read_text()):
            assert f"# {title}" in headings, (path.name, title)


def test_every_public_name_has_a_docstring():
    missing = []
    for module in pkgutil.walk_packages(ricochet_casino.__path__, "ricochet_casino."):
        if module.name.endswith("__main__"):
            continue
        found = importlib.import_module(module.name)
        if not inspect.getdoc(found):
            missing.append(module.name)
        for name, value in vars(found).items():
            ours = getattr(value, "__module__", None) == module.name
            if ours and callable(value) and not name.startswith("_") and not inspect.getdoc(value):
                missing.append(f"{module.name}.{name}")
    assert missing == []


def test_no_file_names_a_package_registry_or_a_path_of_a_machine():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("not a git checkout")
    strange = re.compile(r"pypi\.org|pythonhosted|/(work|root|home)/|\.\./shared")
    for name in listed.stdout.split():
        path = ROOT / name
        if path.is_file() and path != Path(__file__):
            assert not strange.search(path.read_text(errors="replace")), name
