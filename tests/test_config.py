"""The YAML reader, the shipped folders, and files that are written whole or not at all."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricochet_casino import config
from ricochet_casino.config import (
    ConfigError,
    data_folder,
    nearest,
    read_yaml,
    write_bytes_atomically,
    write_text_atomically,
)


def _write(folder: Path, content: str | bytes) -> Path:
    file = folder / "plan.yaml"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def test_every_scalar_stays_the_text_in_the_file(tmp_path):
    text = (
        "plain: 222\nodds: 5:1\nsexagesimal: 3:2\nswitch: no\nhex: 0x10\nfloat: 1e3\n"
        'quoted: "222"\n'
        "date: 2024-01-02\noctal: 010\nunder: 1_000\nnothing:\ntilde: ~\nnull_word: null\n"
        'quoted_null: "null"\nlist: [1, no, {a: 1.50}]\n1: one\n~: tilde key\n'
    )
    document = read_yaml(_write(tmp_path, text))
    assert document.data == {
        "plain": "222",
        "odds": "5:1",
        "sexagesimal": "3:2",
        "switch": "no",
        "hex": "0x10",
        "float": "1e3",
        "quoted": "222",
        "date": "2024-01-02",
        "octal": "010",
        "under": "1_000",
        "nothing": "",
        "tilde": "",
        "null_word": "",
        "quoted_null": "null",
        "list": ["1", "no", {"a": "1.50"}],
        "1": "one",
        "~": "tilde key",
    }


def test_lines_are_known_by_key_path(tmp_path):
    text = "# comment\na: 1\n\nb:\n  c: {d: 1,\n      e: 2}\n  f:\n  - x\n  - y: 3\n"
    document = read_yaml(_write(tmp_path, text))
    assert document.lines == {
        ("a",): 2,
        ("b",): 4,
        ("b", "c"): 5,
        ("b", "c", "d"): 5,
        ("b", "c", "e"): 6,
        ("b", "f"): 7,
        ("b", "f", 0): 8,
        ("b", "f", 1): 9,
        ("b", "f", 1, "y"): 9,
    }
    assert document.line(("b", "c", "missing")) == 5
    assert document.line(()) == 2
    assert str(document.problem(("b", "f", 1), "wrong")) == f"{document.file}:9: wrong"


def test_core_tags_a_byte_order_mark_and_windows_lines_are_accepted(tmp_path):
    content = b"\xef\xbb\xbf--- \r\na: !!int 5\r\nb: !!str no\r\n...\r\n"
    document = read_yaml(_write(tmp_path, content))
    assert document.data == {"a": "5", "b": "no"}
    assert document.lines["b",] == 3


@pytest.mark.parametrize(
    ("content", "line", "fragments"),
    [
        ("a: 1\n\tb: 2\n", 2, ["a tab", "expected blanks"]),
        ("a: 1\nb:\t2\n", 2, ["a tab"]),
        ("a: 1\nb: 2\na: 3\n", 3, ["the key a appears twice", "first in line 1"]),
        ("a:\n  b: {c: 1, c: 2}\n", 2, ["the key c appears twice"]),
        ("a: 1\n---\nb: 2\n", 2, ["a second document"]),
        ("a: &x 1\n", 1, ["the anchor &x"]),
        ("a: &x [1]\nb: *x\n", 2, ["the alias *x"]),
        ("a: !thing 1\n", 1, ["the tag !thing"]),
        ("a: 1\nb: !!python/name:os.system x\n", 2, ["the tag", "python/name"]),
        ("a: !!binary aGk=\n", 1, ["the tag"]),
        ("", 1, ["an empty file"]),
        ("# only a comment\n", 1, ["an empty file"]),
        ("---\n", 1, ["an empty file"]),
        ("null\n", 1, ["an empty file"]),
        ("{}\n", 1, ["an empty file"]),
        ("- a\n- b\n", 1, ["not a mapping", "key: value"]),
        ("just words\n", 1, ["not a mapping"]),
        ("? [a, b]\n: 1\n", 1, ["a key that is not plain text"]),
        ("a: 1\nb: [1, 2\n", 3, ["not valid YAML"]),
        ("a: 1\nb: 'open\n", 3, ["not valid YAML"]),
        ("a: b: c\n", 1, ["not valid YAML"]),
        ("a: " + "[" * 60 + "]" * 60 + "\n", 1, ["levels deep"]),
        (b"a: 1\nb: \xff\xfe\n", 2, ["not UTF-8", "0xff"]),
        (b"a: 1\n\x7fELF\x00\x00", 2, ["a binary file"]),
        ("a: 1\nb: \u200b\x07\n", 2, ["U+0007"]),
        ("a: 1\n".encode("utf-16"), 1, ["binary"]),
    ],
)
def test_what_a_rule_file_has_no_use_for_is_refused(tmp_path, content, line, fragments):
    file = _write(tmp_path, content)
    with pytest.raises(ConfigError) as caught:
        read_yaml(file)
    places = [(problem.file, problem.line) for problem in caught.value.problems]
    assert (str(file), line) in places
    assert f"{file}:{line}: " in str(caught.value)
    for fragment in fragments:
        assert fragment in str(caught.value)


@settings(deadline=None)
@given(st.text("ab:-[]{},&*!|>'\"#%?~ \t\n\r\0\x85\u2028é0", max_size=40))
def test_whatever_stands_in_a_file_is_read_or_refused(text):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "any.yaml"
        file.write_bytes(text.encode())
        try:
            document = read_yaml(file)
        except ConfigError as error:
            lines = [problem.line for problem in error.problems]
        else:
            assert document.data
            lines = [document.lines[key,] for key in document.data]
    assert lines
    assert None not in lines


def test_all_problems_of_a_file_are_told_at_once(tmp_path):
    file = _write(tmp_path, "a: 1\na: 2\nb: &x 1\nc: *x\n")
    with pytest.raises(ConfigError) as caught:
        read_yaml(file)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]
    assert len(str(caught.value).splitlines()) == 3


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(ConfigError, match=r"a directory; expected a YAML file"):
        read_yaml(tmp_path)


def test_a_missing_file_is_told_with_the_nearest_name(tmp_path):
    _write(tmp_path, "a: 1\n")
    missing = tmp_path / "plam.yaml"
    with pytest.raises(ConfigError) as caught:
        read_yaml(missing)
    assert str(caught.value).startswith(f"{missing}: no such file")
    assert "did you mean plan.yaml?" in str(caught.value)


def test_a_symbolic_link_to_nothing_names_its_target(tmp_path):
    link = tmp_path / "link.yaml"
    link.symlink_to(tmp_path / "gone.yaml")
    with pytest.raises(ConfigError) as caught:
        read_yaml(link)
    assert str(caught.value).startswith(f"{link}: a symbolic link to {tmp_path / 'gone.yaml'}")


def test_a_large_file_is_refused_before_it_is_parsed(tmp_path):
    file = _write(tmp_path, b"a: 1\n" + b"#" * config.LARGEST_FILE)
    with pytest.raises(ConfigError, match="larger than 1,000,000 bytes"):
        read_yaml(file)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a Unix device")
def test_an_endless_device_is_refused():
    with pytest.raises(ConfigError, match="larger than"):
        read_yaml("/dev/zero")


def test_a_name_with_a_zero_byte_is_refused():
    with pytest.raises(ConfigError, match="cannot be read"):
        read_yaml("a\0b.yaml")


def test_nearest_name():
    names = ["straight", "flush", "full_house", "pair_of_fives"]
    assert nearest("flsh", names) == "flush"
    assert nearest("FLUSH", names) == "flush"
    assert nearest("fullhouse", names) == "full_house"
    assert nearest("zzz", names) is None
    assert nearest("flush", []) is None


def test_shipped_folders_are_found_from_any_working_folder(tmp_path, monkeypatch):
    (tmp_path / "paytables").mkdir()
    monkeypatch.chdir(tmp_path)
    assert (data_folder("paytables") / "ricochet_poker" / "rulebook.yaml").is_file()
    assert data_folder("configs").is_dir()
    with pytest.raises(ConfigError, match="the shipped folder nonsense is missing"):
        data_folder("nonsense")


def test_shipped_folders_of_a_wheel_lie_inside_the_package(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "ricochet_casino"
    (package / "paytables").mkdir(parents=True)
    (package.parent / "configs").mkdir()  # somebody else's
    monkeypatch.setattr(config, "__file__", str(package / "config.py"))
    assert data_folder("paytables") == package / "paytables"
    with pytest.raises(ConfigError):
        data_folder("configs")


def test_a_file_is_written_whole(tmp_path):
    file = tmp_path / "out.json"
    write_text_atomically(file, "ä\r\n")
    assert file.read_bytes() == "ä\r\n".encode()
    write_bytes_atomically(file, b"second")
    assert file.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [file]


def test_writing_keeps_the_mode_and_follows_a_link(tmp_path):
    file, link = tmp_path / "real.json", tmp_path / "link.json"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_text_atomically(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_new_file_gets_the_usual_mode(tmp_path):
    usual, ours = tmp_path / "usual", tmp_path / "ours"
    usual.write_text("x")
    write_text_atomically(ours, "x")
    assert ours.stat().st_mode == usual.stat().st_mode


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failing):
    file = tmp_path / "out.json"
    file.write_text("old")

    def full(*_arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, failing, full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_text_atomically(file, "new")
    assert caught.value.errno == errno.ENOSPC
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_an_interrupt_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupted(_descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text_atomically(tmp_path / "out.json", "new")
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_really_runs_out_leaves_nothing_behind(tmp_path):
    resource = pytest.importorskip("resource")
    assert resource.RLIMIT_FSIZE is not None
    code = (
        "import resource, sys\n"
        "from ricochet_casino.config import write_bytes_atomically\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n"
        "    write_bytes_atomically(sys.argv[1], b'x' * 100_000)\n"
        "except OSError as error:\n"
        "    print(error.errno)\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "out.bin")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert int(done.stdout) == errno.EFBIG
    assert list(tmp_path.iterdir()) == []


def test_reading_the_module_imports_neither_yaml_nor_pydantic():
    code = (
        "import sys, ricochet_casino.config; print({'yaml', 'pydantic', 'numpy'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
