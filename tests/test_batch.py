"""Batches: what comes out, what survives, merging and verification."""

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from ricochet_casino import cli
from ricochet_casino.certificate import Certificate
from ricochet_casino.lab import batch as batches
from ricochet_casino.lab import renderings
from ricochet_casino.lab.jobs import TableJob, missed_precision
from ricochet_casino.lab.plans import read_plan
from ricochet_casino.lab.running import Runner, silent
from ricochet_casino.report.summary import HEADER, render_table
from ricochet_casino.runs import Blocks, RunError, Store, Workers

SMALL = """\
title: Small
paytables: rulebook
players: 1
strategies: always_play
check: 2_500
output: out
"""
TEN = """\
title: Ten entries
paytables: [rulebook, home_capped]
players: 1
strategies: [always_play, always_fold, pairs_and_big_cards, collective_pot_only]
check: 0
formats: json
summary: csv
output: out
"""
COMMAND = [sys.executable, "-m", "ricochet_casino"]
REPORTS = Path(__file__).parents[1] / "reports"

# A job in the background of a shell is started deaf to Ctrl-C, and so would its children be.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Quiet:
    """Tells nobody anything, and remembers it."""

    def __init__(self):
        self.outcomes, self.written = [], []

    def begins(self, number, total, job):
        pass

    def stage(self, name):
        return silent(name)

    def ends(self, outcome):
        self.outcomes.append(outcome)

    def writes(self, path):
        self.written.append(path.name)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL)
    return tmp_path


@pytest.fixture
def ricochet(place, monkeypatch, capsys):
    """Runs the command line in this process: exit code, standard output and error."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["ricochet", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        said = capsys.readouterr()
        return stop.value.code or 0, said.out, said.err

    return run


def run_plan(plan, runner=None, *, resume=False):
    watcher = Quiet()
    with Store.open(plan.store, plan.request(), resume=resume) as store:
        given = runner or Runner()
        batches.run_batch(plan, Runner(given.workers, given.executor, silent, store), watcher)
    return watcher


def certified(folder):
    """The certified part of every document, as text."""
    return {
        path.name: json.dumps(json.loads(path.read_bytes())["certified"], sort_keys=True)
        for path in sorted(folder.glob("*.json"))
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The small plan, run once by one thread."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.yaml").write_text(SMALL)
    plan = read_plan(folder / "small.yaml", output=folder / "out")
    watcher = run_plan(plan)
    assert [outcome.status for outcome in watcher.outcomes] == ["done"] * 3
    return folder / "out"


@pytest.fixture
def made(small, tmp_path):
    """A copy of it to change."""
    shutil.copytree(small, tmp_path / "made")
    return tmp_path / "made"


@pytest.mark.parametrize(
    ("form", "begins"),
    [("html", b"<!doctype html>"), ("pdf", b"%PDF-"), ("xlsx", b"PK"), ("text", b"Casino")],
)
def test_a_certificate_can_be_written_in_every_format_of_a_report(small, form, begins):
    document = Certificate.read(small / "rulebook-1p-always_play.json")
    made = renderings.rendered(document, form)
    assert made[: len(begins)].lower() == begins.lower()
    assert made == renderings.rendered(document, form)


def test_certificates_and_one_summary_table_come_out(small):
    names = {path.name for path in small.iterdir()}
    entries = ["rulebook-1p-always_play", "rulebook-quickdraw", "rulebook-cover"]
    assert names == {
        *(f"{name}.{end}" for name in entries for end in ("json", "md")),
        *(f"summary.{end}" for end in ("json", "csv", "parquet", "xlsx", "md", "html")),
        "store",
    }
    whole = Certificate.read(small / "rulebook-1p-always_play.json").certified
    assert whole["side_bets"] == []
    assert len(whole["results"]) == 1
    bet = Certificate.read(small / "rulebook-cover.json").certified
    assert bet["results"] == []
    assert [one["name"] for one in bet["side_bets"]] == ["cover"]


def test_the_table_says_the_same_in_all_formats(small):
    import polars
    from openpyxl import load_workbook

    rows = list(csv.DictReader(StringIO((small / "summary.csv").read_text())))
    assert tuple(rows[0]) == HEADER
    assert [row["status"] for row in rows] == ["done"] * 3
    table = polars.read_parquet(small / "summary.parquet")
    assert tuple(table.columns) == HEADER
    assert table["house_edge"].to_list() == [float(row["house_edge"]) for row in rows]
    assert table["players"].to_list() == [1, None, None]
    sheet = load_workbook(small / "summary.xlsx").active
    cells = list(sheet.iter_rows(values_only=True))
    assert cells[0] == HEADER
    place = HEADER.index("house_edge")
    assert [cell[place] for cell in cells[1:]] == table["house_edge"].to_list()

    class Cells(HTMLParser):
        found: list

        def handle_data(self, data):
            self.found.append(data)

    page = Cells()
    page.found = []
    page.feed((small / "summary.html").read_text())
    text = (small / "summary.md").read_text()
    for row in rows:
        edge = f"{float(row['house_edge']) * 100:.4f} %"
        assert row["entry"] in page.found
        assert edge in page.found
        assert edge in text
    certificate = Certificate.read(small / "rulebook-1p-always_play.json")
    result = certificate.certified["results"][0]
    assert rows[0]["house_edge"] == result["house_edge"]["decimal"]
    assert rows[0]["sha256"] == certificate.digest
    assert rows[0]["rtp_per_ante_low"] == result["rtp_per_ante"]["decimal"]


def test_tables_are_the_same_bytes_twice_and_escape_what_they_must(small):
    summary = json.loads((small / "summary.json").read_text())
    for form in ("csv", "parquet", "xlsx", "md", "html"):
        first = render_table(summary, form)
        time.sleep(0.01)
        assert render_table(summary, form) == first
        assert (small / f"summary.{form}").read_bytes() == first
    summary["certified"]["title"] = "<script>=1+1"
    summary["run"]["entries"][0]["text"] = "=1+1<b>"
    assert b"<script>" not in render_table(summary, "html")
    from openpyxl import load_workbook

    sheet = load_workbook(BytesIO(render_table(summary, "xlsx"))).active
    assert "=1+1<b>" in [cell.value for cell in sheet[2]]
    assert {cell.data_type for cell in sheet[2]} <= {"s", "n"}
    with pytest.raises(ValueError, match=r"unknown format htm;.*did you mean html"):
        render_table(summary, "htm")


@pytest.mark.parametrize("executor", ["threads", "dask"])
def test_workers_do_not_change_a_byte(small, place, executor):
    if executor == "dask":
        pytest.importorskip("distributed")
    plan = read_plan("small.yaml", output=place / "other")
    with Workers(2) as workers:
        run_plan(plan, Runner(workers, executor))
    assert certified(place / "other") == certified(small)


def test_an_entry_that_fails_does_not_stop_the_others(ricochet, place, monkeypatch):
    run = TableJob.run

    def fail_once(self, runner):
        if self.name == "rulebook-quickdraw":
            raise RunError("block 3 failed\n3 times")
        return run(self, runner)

    monkeypatch.setattr(TableJob, "run", fail_once)
    code, out, err = ricochet("batch", "small.yaml")
    assert code == 1
    assert "rulebook-quickdraw: failed: block 3 failed 3 times" in err
    assert "2 of 3 documents" in out
    rows = list(csv.DictReader(StringIO((place / "out" / "summary.csv").read_text())))
    assert [row["status"] for row in rows] == ["done", "failed", "done"]
    assert rows[1]["house_edge"] == ""
    assert not (place / "out" / "rulebook-quickdraw.json").exists()
    code, out, _ = ricochet("verify", "out", "--sample", "1%")
    assert "no certificate was made of rulebook-quickdraw" in out
    monkeypatch.setattr(TableJob, "run", run)
    assert ricochet("batch", "small.yaml", "--resume")[0] == 0


def test_what_misses_its_precision_is_listed(ricochet, monkeypatch):
    monkeypatch.setattr(batches, "missed_precision", lambda _certificate: "half width 1, not 0.1")
    code, out, err = ricochet("batch", "small.yaml", "--out", "missed")
    assert code == 1
    assert "rulebook-cover: precision missed: half width 1, not 0.1" in err
    assert "3 of 3 documents" in out


def test_when_a_precision_is_missed():
    def document(met, limit, upper):
        gap = {"gap_per_ante": {"interval": ["0", upper]}}
        precision = {"met": met, "asked": "0.0001", "reached": "0.0002"}
        result = {"precision": precision, "optimum": {"gap_sample": gap}}
        return Certificate({"spec": {"bounding": {"limit": limit}}, "results": [result]}, {})

    assert missed_precision(document(True, "1/1000", "0.001")) == ""
    assert "half width 0.0002" in missed_precision(document(False, "1/1000", "0.001"))
    assert (
        missed_precision(document(True, "1/1000", "0.0011")) == "gap up to 0.0011, asked for 1/1000"
    )


def test_an_interrupted_batch_computes_every_block_once(place, small, monkeypatch):
    plan = read_plan("small.yaml")
    compute, done = Blocks.compute, []

    def counted(self, number):
        if len(done) in stops:
            stops.remove(len(done))
            raise KeyboardInterrupt
        done.append((self.identity.spec, number))
        return compute(self, number)

    monkeypatch.setattr(Blocks, "compute", counted)
    for stop in ({0}, {5}, {13}, set()):
        stops = stop
        try:
            run_plan(plan, resume=True)
        except KeyboardInterrupt:
            assert stop == set() or not stops
    assert len(done) == len(set(done)) == 13 + 1
    assert certified(place / "out") == certified(small)


def test_finished_documents_stay_as_they_are(made, place):
    plan = read_plan("small.yaml", output=made)
    before = {path: path.stat().st_mtime_ns for path in made.glob("r*")}
    watcher = run_plan(plan, resume=True)
    assert {path: path.stat().st_mtime_ns for path in made.glob("r*")} == before
    assert all(name.startswith("summary.") for name in watcher.written)
    (made / "rulebook-cover.md").unlink()
    changed = json.loads((made / "rulebook-quickdraw.json").read_text())
    changed["certified"]["side_bets"] = []
    (made / "rulebook-quickdraw.json").write_text(json.dumps(changed))
    watcher = run_plan(plan, resume=True)
    assert {"rulebook-cover.md", "rulebook-quickdraw.json"} <= set(watcher.written)


def test_a_store_of_another_plan_is_refused(ricochet, place, made):
    (place / "small.yaml").write_text(SMALL.replace("2_500", "5_000"))
    code, _, err = ricochet("batch", "small.yaml", "--out", made, "--resume")
    assert code == 2
    assert "is the store of another experiment: plan.entries" in err
    assert ricochet("batch", "small.yaml", "--out", made)[0] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workers", "0"), "greater than or equal to 1"),
        (("--executor", "lokal"), "did you mean local"),
        (("--scheduler", "tcp://h:1"), "needs --executor dask"),
        (("--executor", "dask", "--scheduler", "nowhere"), "no address of a scheduler"),
        (("--executor", "dask", "--scheduler", "127.0.0.1:9"), "does not answer within 1 seconds"),
        (("--blocks", "2/1"), "no part"),
        (("--resume", "--restart"), "exclude each other"),
    ],
)
def test_bad_options(ricochet, place, monkeypatch, words, said):
    if "dask" in words:
        pytest.importorskip("distributed")
        from ricochet_casino.runs import dask_executor

        monkeypatch.setattr(dask_executor, "CONNECT_SECONDS", 1.0)
    code, _, err = ricochet("batch", "small.yaml", *words)
    assert code == 2
    assert said in " ".join(err.replace("│", " ").split())
    assert not (place / "out").exists() or "--resume" in words


def test_bad_plans_leave_nothing_behind(ricochet, place):
    (place / "bad.yaml").write_text(SMALL + "playerz: 1\n")
    code, _, err = ricochet("batch", "bad.yaml")
    assert code == 2
    assert "error: bad.yaml:7: unknown key playerz" in err
    assert {path.name for path in place.iterdir()} == {"small.yaml", "bad.yaml"}


def test_a_dry_run_computes_and_writes_nothing(ricochet, place, monkeypatch):
    monkeypatch.setattr(Blocks, "compute", None)
    code, out, _ = ricochet("batch", "small.yaml", "--dry-run", "--workers", "2", "--blocks", "1/2")
    assert code == 0
    assert "rulebook-1p-always_play" in out
    assert "3 entries into out, blocks into out/store" in out
    assert "an estimate" in out
    assert "only 1/2" in out
    assert not (place / "out").exists()


def test_logs_for_machines_and_for_people(ricochet):
    code, _, err = ricochet("batch", "small.yaml", "--log-json", "--out", "a")
    events = [json.loads(line) for line in err.splitlines()]
    assert code == 0
    assert [e["event"] for e in events].count("entry ends") == 3
    assert {e["status"] for e in events if e["event"] == "entry ends"} == {"done"}
    assert all(e["time"].endswith("+00:00") for e in events)
    assert {"stage", "done", "total", "entry"} <= set(
        next(e for e in events if e["event"] == "blocks")
    )
    _, _, err = ricochet("batch", "small.yaml", "--out", "a", "--resume")
    assert "entry 1 of 3: rulebook-1p-always_play" in err
    assert "13 of 13 blocks" in err


@pytest.fixture(scope="module")
def made_halves(tmp_path_factory):
    folder = tmp_path_factory.mktemp("halves")
    (folder / "small.yaml").write_text(SMALL)
    for part in ("1/2", "2/2"):
        plan = read_plan(folder / "small.yaml", output=folder / f"part{part[0]}", blocks=part)
        watcher = run_plan(plan)
        assert {outcome.status for outcome in watcher.outcomes} == {"part done"}
    return folder


@pytest.fixture
def halves(place, made_halves):
    """Copies of two runs that make a whole: part1 and part2 in the working folder."""
    for name in ("part1", "part2"):
        shutil.copytree(made_halves / name, place / name)
    return place / "part1", place / "part2"


def test_two_halves_merged_are_the_whole_byte_for_byte(ricochet, halves, place, small, monkeypatch):
    one, two = halves
    blocks = [len(list(half.rglob("blocks/*/*.json"))) for half in halves]
    assert sum(blocks) == 13 + 1
    assert min(blocks) == 6
    monkeypatch.setattr(Blocks, "compute", None)  # merging computes no block
    code, out, _ = ricochet("merge", one, two, "--out", "whole")
    assert code == 0
    assert "3 of 3 documents" in out
    assert certified(place / "whole") == certified(small)
    assert len(list((place / "whole" / "store").rglob("blocks/*/*.json"))) == 14


def test_overlapping_ranges_are_refused(ricochet, halves, place, made):
    Path(place / "made").rename(place / "whole")
    (place / "third").mkdir()
    with Store.open(place / "third" / "store", read_plan("small.yaml", blocks="2/3").request()):
        pass
    for which in (("part1", "part1"), ("part1", "third"), ("part1", "whole")):
        code, _, err = ricochet("merge", *which, "--out", "merged")
        assert code == 2
        assert "overlap: the same random stream would count twice" in err
        assert not (place / "merged").exists()


def test_other_plans_missing_blocks_and_strange_folders_are_refused(ricochet, halves, place):
    (place / "other.yaml").write_text(SMALL.replace("2_500", "5_000"))
    other = read_plan("other.yaml", output=place / "other", blocks="2/2")
    with Store.open(other.store, other.request()):
        pass
    code, _, err = ricochet("merge", "part1", "other", "--out", "m")
    assert code == 2
    assert "runs of different plans: the entry rulebook-1p-always_play asks for something" in err
    assert ricochet("merge", "part1", "--out", "m")[0] == 2
    assert "holds no run" in ricochet("merge", "part1", "nothing", "--out", "m")[2]
    with Store.open(place / "strange", {"a": 1}):
        pass
    assert "not the run of a plan" in ricochet("merge", "part1", "strange", "--out", "m")[2]
    assert "inside the store" in ricochet("merge", "part1", "part2", "--out", "part1/store/x")[2]
    assert not (place / "m").exists()
    next((place / "part2").rglob("blocks/*/*.json")).unlink()
    code, _, err = ricochet("merge", "part1", "part2", "--out", "m")
    assert code == 2
    assert "blocks are missing in the store" in err


def test_parts_of_parts_can_be_merged_in_steps(ricochet, halves, place, small):
    for part in ("1/4", "2/4"):
        run_plan(read_plan("small.yaml", output=place / part.replace("/", "of"), blocks=part))
    code, out, _ = ricochet("merge", "2of4", "1of4", "--out", "first")
    assert code == 0
    assert "blocks 1/2 are in" in out
    assert ricochet("merge", "first", "part2", "--out", "all")[0] == 0
    assert certified(place / "all") == certified(small)


def test_verify_takes_a_summary_or_a_folder(ricochet, made):
    code, out, _ = ricochet("verify", made)
    assert code == 0
    assert "3 of 3 certificates reproduced: all blocks and sums recomputed" in out
    code, out, _ = ricochet("verify", made / "summary.json", "--sample", "10%")
    assert code == 0
    assert out.count("every figure follows from the stored tallies") == 3
    assert "3 of 14 blocks recomputed, sums from the stored tallies for 3" in out
    shutil.rmtree(made / "store")
    code, out, _ = ricochet("verify", made, "--sample", "10%")
    assert code == 0
    assert "sums were not added up: there is no store" in out
    (made / "summary.json").unlink()
    assert "3 of 3 certificates" in ricochet("verify", made, "--sample", "10%")[1]


def change(path, *keys, value):
    whole = json.loads(path.read_text())
    place = whole
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(whole))


def test_verify_finds_what_was_changed(ricochet, made):
    figures = ("certified", "results", 0, "house_edge", "decimal")
    change(made / "rulebook-1p-always_play.json", *figures, value="0.5")
    code, out, _ = ricochet("verify", made, "--sample", "10%")
    assert code == 1
    assert 'rows[0].figures.house_edge[0]: recorded "0.' in out  # the summary
    assert 'results[0].house_edge.decimal: recorded "0.5"' in out  # the stored tallies
    assert "2 of 3 certificates" in out


def test_verify_finds_a_changed_summary_and_a_changed_tally(ricochet, made):
    change(made / "summary.json", "certified", "rows", 1, "sha256", value="0" * 64)
    code, out, _ = ricochet("verify", made, "--sample", "10%")
    assert code == 1
    assert "rows[1].sha256" in out
    block = next((made / "store").rglob("blocks/*/*.json"))
    block.write_bytes(block.read_bytes().replace(b"1", b"2", 1))
    code, out, _ = ricochet("verify", made, "--sample", "10%")
    assert "sums were not added up" in out
    assert "damaged: its checksum does not fit" in out
    assert block.exists()  # verifying changes nothing


def test_verify_of_folders_without_certificates(ricochet, place, made):
    (place / "empty").mkdir()
    code, _, err = ricochet("verify", "empty")
    assert code == 2
    assert "no certificates there" in err
    (made / "rulebook-cover.json").unlink()
    code, _, err = ricochet("verify", made)
    assert code == 2
    assert "rulebook-cover.json is missing" in err


def start(place, folder, *words):
    return subprocess.Popen(
        [*COMMAND, "batch", "ten.yaml", "--out", str(folder), "--resume", *words],
        cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )  # fmt: skip


def files(folder):
    """Finished blocks and certificates, with all that would show a second writing."""
    found = {}
    for path in [*folder.rglob("blocks/*/*.json"), *folder.glob("[hr]*.json")]:
        status = path.stat()
        found[path] = (status.st_ino, status.st_mtime_ns, path.read_bytes())
    return found


def kill_and_resume(place, kills, seed):
    """Kill a batch of ten entries at random moments and resume it each time."""
    (place / "ten.yaml").write_text(TEN)
    folder, dice, died = place / "killed", random.Random(seed), 0
    while True:
        before = files(folder) if folder.exists() else {}
        process = start(place, folder, "--workers", str(dice.choice([1, 2])))
        if died < kills:
            wanted = len(before) + dice.randrange(max(2, 60 // kills))  # there are 104 in all
            end = time.monotonic() + 300
            while process.poll() is None and len(files(folder)) < wanted:
                assert time.monotonic() < end
                time.sleep(0.01)
            time.sleep(dice.random() * 0.05)
            process.kill()
        _, err = process.communicate(timeout=600)
        after = files(folder)
        assert {path: after[path] for path in before} == before
        if process.returncode == 0:
            assert "set aside" not in err
            return folder, died
        assert process.returncode == -signal.SIGKILL
        died += 1


def check_killed(place, kills, seed):
    folder, died = kill_and_resume(place, kills, seed)
    assert died == kills
    plan = read_plan(place / "ten.yaml", output=place / "plain")
    assert len(plan.jobs) == 10
    run_plan(plan)
    assert certified(folder) == certified(place / "plain")
    assert not list(folder.rglob("*.tmp"))


def test_a_plan_of_ten_entries_killed_and_resumed(place):
    check_killed(place, kills=2, seed=5)


@pytest.mark.slow
def test_a_plan_of_ten_entries_killed_twenty_times(place):
    check_killed(place, kills=20, seed=6)


def test_ctrl_c_leaves_a_batch_to_resume(place):
    (place / "ten.yaml").write_text(TEN)
    process = start(place, place / "out")
    end = time.monotonic() + 300
    while len(files(place / "out")) < 3:
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "--resume" in err
    assert "Traceback" not in err
    plan = read_plan("ten.yaml")
    assert len(run_plan(plan, resume=True).outcomes) == 10


@pytest.fixture
def cluster(place):
    """A scheduler and a worker as programs of their own: their processes, and the address."""
    pytest.importorskip("distributed")
    file, started = place / "scheduler.json", []

    def begin(kind, *words):
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard",
                 "--scheduler-file", str(file), *words],
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}, cwd=place,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
        )  # fmt: skip
        return started[-1]

    scheduler = begin("scheduler", "--host", "127.0.0.1", "--port", "0")
    end = time.monotonic() + 120
    while not file.exists() or not file.read_text().endswith("}"):
        assert time.monotonic() < end, "the scheduler does not start"
        time.sleep(0.05)
    workers = [begin("worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
    yield scheduler, workers, json.loads(file.read_text())["address"]
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_batch_loses_a_worker_and_then_its_scheduler(cluster, place):
    scheduler, workers, address = cluster
    (place / "ten.yaml").write_text(TEN)
    words = ("--executor", "dask", "--scheduler", address)
    process = start(place, place / "out", *words)
    end = time.monotonic() + 600
    for victim, wanted in ((workers[0], 5), (scheduler, 20)):
        while len(files(place / "out")) < wanted:
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.02)
        victim.kill()
    _, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "error: the connection to the Dask scheduler" in err
    assert "Traceback" not in err
    before = files(place / "out")
    assert len(before) >= 20
    assert run_plan(read_plan("ten.yaml"), resume=True).outcomes[-1].status == "done"
    after = files(place / "out")
    assert {path: after[path] for path in before} == before
    plain = read_plan("ten.yaml", output=place / "plain")
    run_plan(plan=plain)
    assert certified(place / "out") == certified(place / "plain")


def test_the_smoke_plan_and_a_sample_of_its_blocks(ricochet, place):
    code, out, err = ricochet("batch", "smoke", "--out", "smoke")
    assert code == 0, err
    assert "11 of 11 documents" in out
    code, out, _ = ricochet("verify", "smoke", "--sample", "1%")
    assert code == 0
    assert "11 of 11 certificates reproduced" in out
    assert "sums from the stored tallies for 11" in out


COMMITTED = sorted((REPORTS / "certification").glob("*p-*.json"))


@pytest.mark.skipif(
    not (REPORTS / "certification").exists(), reason="not made yet: make certification"
)
def test_the_committed_certification_is_whole():
    from ricochet_casino.lab.verify_batch import find_documents, summary_differences

    found = find_documents(REPORTS / "certification")
    assert [path.stem for path in found.documents] == [
        job.name for job in read_plan("certification").jobs
    ]
    assert summary_differences(found) == ()


@pytest.mark.slow
@pytest.mark.parametrize("file", COMMITTED, ids=lambda path: path.stem)
def test_a_sample_of_the_committed_certification(file):
    from fractions import Fraction

    from ricochet_casino.lab.verify import verify

    found = verify(Certificate.read(file), sample=Fraction(1, 200))
    assert found.reproduced, found.differences[:5]
    assert found.sampled[0] > 0
