"""The command line as a user meets it: whole processes, exit codes, what is printed where."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# A job in the background of a shell is started deaf to Ctrl-C, and so would its children be.
signal.signal(signal.SIGINT, signal.default_int_handler)

HEAVY = ("numba", "scipy", "polars", "matplotlib")


def ricochet(*words, **changes):
    environment = {**os.environ, **changes.pop("env", {}), "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", *words],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
        **changes,
    )


def test_json_on_standard_output_and_nothing_else_there():
    done = ricochet(
        "certify", "rulebook", "--players", "1", "--strategy", "collective", "--format", "json",
        "--check", "200",
    )  # fmt: skip
    assert done.returncode == 0
    certified = json.loads(done.stdout)["certified"]
    assert certified["results"][0]["house_edge"]["exact"] == "78734189/2579351775"
    assert done.stderr == ""


def test_quick_is_accepted_without_effect():
    done = ricochet("certify", "rulebook", "--quick", "--check", "0", "--format", "csv")
    assert done.returncode == 0
    assert "main,1,collective,total,total,39866461034400,1," in done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "deep" / "er"
    done = ricochet("certify", "rulebook", "--check", "200", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert "house edge 3.0525 %" in done.stdout
    return folder


def test_out_writes_json_markdown_and_csv_and_leaves_no_temporary_files(folder):
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"rulebook-1p-collective.{end}" for end in ("csv", "json", "md")]
    text = (folder / "rulebook-1p-collective.md").read_text()
    assert "| **total** " in text
    assert "39,866,461,034,400" in text
    assert "2,809,475,760" in text


def test_verify_reproduces(folder):
    done = ricochet("verify", str(folder / "rulebook-1p-collective.json"))
    assert done.returncode == 0
    assert "reproduced to the last digit" in done.stdout


def test_verify_tells_of_a_changed_digit_and_of_a_changed_paytable(folder, tmp_path):
    text = (folder / "rulebook-1p-collective.json").read_text()
    digit = tmp_path / "digit.json"
    digit.write_text(text.replace("601417332", "601417333"))
    done = ricochet("verify", str(digit))
    assert done.returncode == 1
    assert (
        "results[0].counts.fold_deals: certificate 601417333, recomputed 601417332" in done.stdout
    )
    assert "NOT reproduced" in done.stdout
    table = tmp_path / "table.json"
    table.write_text(text.replace('"flush": "5 to 1"', '"flush": "6 to 1"'))
    done = ricochet("verify", str(table))
    assert done.returncode == 1
    assert "the paytable was changed" in done.stdout
    version = tmp_path / "version.json"
    version.write_text(text.replace('"ricochet_casino": "', '"ricochet_casino": "0.0.0+'))
    done = ricochet("verify", str(version))
    assert done.returncode == 0
    assert "made by ricochet-casino 0.0.0+" in done.stdout


def test_verify_refuses_half_a_certificate(folder, tmp_path):
    text = (folder / "rulebook-1p-collective.json").read_text()
    half = tmp_path / "half.json"
    half.write_text(text[: len(text) // 2])
    done = ricochet("verify", str(half))
    assert done.returncode == 2
    assert re.search(r"half\.json:\d+: not a whole JSON document", done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["certify", "rulebok"], "did you mean rulebook"),
        (["certify", "rulebook", "--players", "2", "--level", "1"], "no interval is certain"),
        (["certify", "rulebook", "--players", "2", "--level", "100%"], "no interval is certain"),
        (["certify", "rulebook", "--players", "2", "--until", "0"], "a share such as 0.02%"),
        (["certify", "rulebook", "--players", "2", "--until", "100%"], "less than 100%"),
        (["certify", "rulebook", "--players", "2", "--until", "0.0000001%"], "days on one core"),
        (["certify", "rulebook", "--players", "2", "--deals", "9", "--quick"], "either --deals"),
        (["certify", "rulebook", "--players", "2", "--deals", "0"], "--deals"),
        (["certify", "rulebook", "--players", "2", "--strategy", "a,b,c"], "give one a seat"),
        (["certify", "rulebook", "--players", "2", "--strategy", "no.yaml"], "no such file"),
        (["certify", "rulebook", "--players", "2", "--strategy", "pot_ods"], "did you mean pot_od"),
        (["certify", "rulebook", "--players", "8"], "1 to 7"),
        (["certify", "rulebook", "--players", "0"], "1 to 7"),
        (["certify", "rulebook", "--players", "3-1"], "rising"),
        (["certify", "rulebook", "--players", "one"], "expected counts"),
        (["certify", "rulebook", "--players", "1,1"], "twice"),
        (["certify", "website_four_players"], "expected 4"),
        (["certify", "rulebook", "--strategy", "colective"], "did you mean collective"),
        (["certify", "rulebook", "--format", "jsno"], "did you mean json"),
        (["certify", "rulebook", "--format", "json", "--format", "csv"], "need --out"),
        (["certify", "rulebook", "--check", "-1"], "--check"),
        (["certify", "rulebook", "--workers", "0"], "--workers"),
        (["certify", "rulebook", "--seed", "-1"], "--seed"),
        (["certify", "rulebook", "--seed", str(2**64)], "--seed"),
        (["verify", "nowhere.json"], "cannot be read"),
        (["odds", "Ks Ks", "2c 3d 7h 9s Jc"], "twice"),
        (["odds", "Ks", "2c 3d 7h 9s Jc"], "expected 2 cards"),
        (["odds", "Ks Qs", "2c 3d 7h 9s Ks"], "twice"),
        (["odds", "Ks Zs", "2c 3d 7h 9s Jc"], "not a card"),
        (["round", "--players", "8"], "--players"),
        (["round", "--players", "2", "--strategy", "colective"], "did you mean collective"),
        (["paytable", "schema", "pokr"], "unknown game pokr; expected one of"),
    ],
)
def test_bad_words_are_clear_errors_with_exit_code_2(words, said):
    done = ricochet(*words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


BAD_FILES = {
    "tab": (b"game: ricochet_poker\n\ttitle: x\n", r":2: "),
    "repeated": (b"game: ricochet_poker\ntitle: x\ntitle: y\n", r":3: .*title"),
    "empty": (b"", r"empty"),
    "binary": (b"\x7fELF\x00\x01\x02", r"binary"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_named_with_their_line(name, tmp_path):
    content, said = BAD_FILES[name]
    file = tmp_path / "bad.yaml"
    file.write_bytes(content)
    for command in ("certify", "paytable check"):
        done = ricochet(*command.split(), str(file))
        assert done.returncode == 2
        assert re.search(said, done.stderr), done.stderr
        assert "bad.yaml" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_directory_and_a_link_to_nothing(tmp_path):
    (tmp_path / "link.yaml").symlink_to(tmp_path / "nothing.yaml")
    for path, said in ((tmp_path, "directory"), (tmp_path / "link.yaml", "link")):
        done = ricochet("certify", str(path))
        assert done.returncode == 2
        assert said in done.stderr


def test_out_that_is_a_file(tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")
    done = ricochet("certify", "rulebook", "--check", "0", "--out", str(file))
    assert done.returncode == 2
    assert "exists" in done.stderr.lower()
    assert file.read_text() == "kept"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_standard_output_that_is_full():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ricochet_casino", "certify", "rulebook", "--check", "0",
             "--format", "json"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_disk_that_is_full_leaves_nothing_half_written(tmp_path, monkeypatch, capsys):
    """ENOSPC is injected where the disk would raise it: in the flush before the rename."""
    import errno

    from ricochet_casino import cli, config

    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(config.os, "fsync", full)
    monkeypatch.setattr(
        sys, "argv", ["ricochet", "certify", "rulebook", "--check", "0", "--out", str(tmp_path)]
    )
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2
    assert "No space left" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_kernel_cache_is_no_obstacle(tmp_path):
    """A path below a file cannot be made, not even by root."""
    (tmp_path / "file").write_text("")
    done = ricochet(
        "certify", "rulebook", "--check", "0", "--format", "csv",
        env={"NUMBA_CACHE_DIR": str(tmp_path / "file" / "cache")},
    )  # fmt: skip
    assert done.returncode == 0
    script = (
        "import ricochet_casino; from ricochet_casino.cards.evaluate import evaluate_hands; "
        "print(evaluate_hands([[48, 44, 40, 36, 32]])[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "file" / "cache")},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "7461", done.stderr


def test_control_c_ends_with_130_and_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "ricochet_casino", "certify", "rulebook", "--check", "5000000",
         "--out", str(tmp_path)],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(4)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_no_traceback():
    first = subprocess.Popen(
        [sys.executable, "-m", "ricochet_casino", "certify", "rulebook", "--check", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    first.stdout.close()
    said = first.stderr.read()
    first.stderr.close()
    first.wait(timeout=60)
    assert "Traceback" not in said


def test_help_imports_nothing_heavy_and_teaches():
    script = (
        "import sys\nsys.argv = ['ricochet', '--help']\nfrom ricochet_casino.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('HEAVY', [m for m in {HEAVY} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip().endswith("HEAVY []")
    for command in ("certify", "verify", "paytable", "odds", "round", "games"):
        assert command in done.stdout


def test_the_exact_certificate_needs_no_compiler():
    script = (
        "import sys\nfrom ricochet_casino.games import load_paytable\n"
        "from ricochet_casino.lab.certify import Request, certify\n"
        "certify(load_paytable('rulebook'), Request(check_rounds=100))\n"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("command", ["certify", "verify", "odds", "round", "games", "paytable"])
def test_every_command_has_help(command):
    done = ricochet(command, "--help")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) > 5


def test_odds_of_one_position():
    done = ricochet("odds", "Ks Qs", "2c 3d 7h 9s Jc")
    assert done.returncode == 0
    assert "1471/1290 chips" in done.stdout
    assert done.stdout.strip().endswith("play")


def test_odds_with_dead_cards_in_several_spellings():
    one = ricochet("odds", "10h Td", "A♠ A♦ 2c 3d 7h", "--dead", "Ts")
    other = ricochet("odds", "Th 10d", "AsAd2c3d7h", "--dead", "T♠")
    assert one.returncode == 0
    assert one.stdout == other.stdout


def test_odds_against_a_dealer_who_is_kicked_out():
    done = ricochet("odds", "Ks Qs", "As Ad 2c 3d 7h")
    assert "kicked out" in done.stdout
    assert done.stdout.strip().endswith("nothing to decide")


def test_a_round_is_told_and_its_chips_sum_to_zero():
    for players in range(1, 8):
        done = ricochet("round", "--seed", "3", "--players", str(players))
        assert done.returncode == 0
        results = re.findall(r"^(?:Player \d|Dealer): ([+-]?\d+) chips?\.$", done.stdout, re.M)
        assert len(results) == players + 1
        assert sum(map(int, results)) == 0


def test_the_same_round_again_and_another_one():
    one = ricochet("round", "--seed", "5", "--number", "2").stdout
    assert one == ricochet("round", "--seed", "5", "--number", "2").stdout
    assert one != ricochet("round", "--seed", "5", "--number", "3").stdout


def test_paytable_list_check_and_schema():
    listed = ricochet("paytable", "list").stdout
    for name in ("rulebook", "website_four_players", "home_capped", "home_uncapped"):
        assert name in listed
    done = ricochet("paytable", "check", "rulebook", "--figures")
    assert done.returncode == 0
    assert "fold_deals = 601417332: met" in done.stdout
    assert "NOT MET" not in done.stdout
    schema = json.loads(ricochet("paytable", "schema").stdout)
    assert "kickout" in schema["properties"]


def test_a_figure_that_is_not_met_has_exit_code_1(tmp_path):
    from ricochet_casino.paytable import shipped_paytables

    text = shipped_paytables()["ricochet_poker/rulebook"].read_text()
    file = tmp_path / "changed.yaml"
    file.write_text(text.replace("fold_deals: 601417332", "fold_deals: 601417333"))
    done = ricochet("paytable", "check", str(file), "--figures")
    assert done.returncode == 1
    assert "1.collective.fold_deals = 601417333: NOT MET" in done.stdout


def test_a_warning_is_printed_on_standard_error(tmp_path):
    from ricochet_casino.paytable import shipped_paytables

    text = shipped_paytables()["ricochet_poker/rulebook"].read_text()
    file = tmp_path / "falling.yaml"
    file.write_text(text.replace("flush: 5\n", "flush: 1\n"))
    done = ricochet("paytable", "check", str(file))
    assert done.returncode == 0
    assert re.search(r"warning: .*falling\.yaml:\d+: .*flush", done.stderr)


def test_version():
    from ricochet_casino import __version__

    assert ricochet("--version").stdout.strip() == f"ricochet-casino {__version__}"
