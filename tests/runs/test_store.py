import errno
import json
import os
import random
import subprocess
import time
from datetime import datetime
from pathlib import Path

import pytest

from ricochet_casino import __version__, source_digest
from ricochet_casino.experiment import Tally
from ricochet_casino.runs import Store, StoreError, run, run_blocks
from ricochet_casino.runs import store as store_module
from ricochet_casino.runs.layout import Maker, framed, unframed

REQUEST = {"command": "simulate", "players": [1, 2], "options": {"seed": 7, "rounds": 100}}
BUILDER = "toy_experiments:build"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def toy(toys, tmp_path):
    return toys.Toy({"log": str(tmp_path / "log")})


def work(folder, toy, **options):
    """Run a toy in a store; its result as text, the shards computed, and the store's notes."""
    log = Path(toy.parameters["log"])
    log.unlink(missing_ok=True)
    with Store.open(folder, REQUEST, **options) as store:
        found = run_blocks(toy, store=store.experiment(toy))
    computed = (
        [int(line.split()[0]) for line in log.read_text().splitlines()] if log.exists() else []
    )
    return json.dumps(found.total.to_json()) + " ".join(found.digests), computed, store.notes


def block_files(folder):
    return sorted(folder.glob("toy-*/blocks/*/*.json"))


def traces(folder):
    """Everything below a folder, with content and what would show that it was written again."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        content = path.read_bytes() if path.is_file() else None
        found[str(path)] = (
            status.st_ino,
            status.st_mtime_ns if content is not None else 0,
            content,
        )
    return found


def test_the_layout(folder, toy):
    work(folder, toy)
    (place,) = folder.glob("toy-*")
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["lock", "run.json", place.name]
    )
    names = [f"blocks/000000/{number:010d}.json" for number in range(14)]
    assert [str(path.relative_to(place)) for path in block_files(folder)] == names
    manifest = json.loads((folder / "run.json").read_text())["content"]
    assert manifest["request"] == REQUEST
    assert manifest["version"] == __version__
    assert manifest["source_digest"] == source_digest()
    spec = json.loads((place / "spec.json").read_text())["content"]
    assert spec["specification"] == toy.spec()
    assert (spec["blocks"], spec["shards"], spec["block_shards"]) == (14, 40, 3)
    assert spec["spec"].startswith(place.name.removeprefix("toy-"))
    block = json.loads(block_files(folder)[13].read_text())["content"]
    assert (block["block"], block["shards"], block["experiment"]) == (13, [39, 40], spec["spec"])
    assert Tally.from_json(block["tally"]) == toy.run(toy.shards()[39])


def test_blocks_are_spread_over_folders_of_ten_thousand(folder, toys):
    toy = toys.Toy({"shards": 25_000, "block_shards": 1})
    with Store.open(folder, REQUEST) as store:
        blocks = store.experiment(toy)
        for number in (0, 9_999, 10_000, 24_999):
            blocks.put(number, Tally({"n": number}))
        assert blocks.done() == 4
        assert list(blocks.numbers()) == [0, 9_999, 10_000, 24_999]
        assert blocks.get(10_000) == Tally({"n": 10_000})
        assert blocks.get(1) is None
    names = [str(path.relative_to(path.parents[1])) for path in block_files(folder)]
    assert names == [
        "000000/0000000000.json", "000000/0000009999.json",
        "000001/0000010000.json", "000002/0000024999.json",
    ]  # fmt: skip


def test_what_is_finished_is_not_computed_again_and_its_files_stay(folder, toy):
    first, computed, notes = work(folder, toy)
    assert (len(computed), notes) == (40, [])
    for path in block_files(folder)[4:6]:
        path.unlink()
    before = traces(folder)
    again, computed, notes = work(folder, toy, resume=True)
    assert (again, computed, notes) == (first, [12, 13, 14, 15, 16, 17], [])
    after = traces(folder)
    for path, trace in before.items():
        if not path.endswith("lock"):
            assert after[path] == trace, path
    assert work(folder, toy, resume=True)[:2] == (first, [])


def test_a_store_does_not_depend_on_who_computed(folder, tmp_path, toys):
    toy = toys.Toy({"pause": 3})
    contents = []
    for number, (count, kind) in enumerate([(1, "serial"), (3, "threads"), (2, "processes")]):
        place = tmp_path / str(number)
        with Store.open(place, REQUEST) as store:
            blocks = store.experiment(toy)
            entry = run(toy, workers=count, executor=kind, store=blocks, builder=BUILDER).entry
        contents.append([json.dumps(entry), *(path.read_bytes() for path in block_files(place))])
    assert contents[0] == contents[1] == contents[2]
    assert len(contents[0]) == 15


def test_progress_begins_with_what_the_store_has(folder, toy):
    work(folder, toy)
    for path in block_files(folder)[3:]:
        path.unlink()
    steps = []
    with Store.open(folder, REQUEST, resume=True) as store:
        run(toy, store=store.experiment(toy), progress=lambda *step: steps.append(step))
        found = run_blocks(toy, store=store.experiment(toy))
    assert steps == [(done, 14) for done in range(1, 15)]
    assert found.found == 14


def test_two_experiments_share_a_store(folder, toys):
    one, other = toys.Toy({"shards": 10}), toys.Toy({"shards": 11})
    for resume in (False, True):
        with Store.open(folder, REQUEST, resume=resume) as store:
            for toy in (one, other):
                found = run_blocks(toy, store=store.experiment(toy))
                assert found.total == run_blocks(toy).total
                assert found.found == (4 if resume else 0)
            with pytest.raises(StoreError, match="store of another experiment"):
                run(one, store=store.experiment(other))
    assert len(list(folder.glob("toy-*"))) == 2


# Opening


def test_a_file_is_no_store(folder, tmp_path):
    folder.touch()
    with pytest.raises(StoreError, match="is a file; a store is a folder"):
        Store.open(folder, REQUEST)
    with pytest.raises(StoreError, match="Not a directory"):
        Store.open(folder / "below", REQUEST)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="is a file"):
        Store.open(tmp_path / "dangling", REQUEST)


@pytest.mark.parametrize("name", ["thesis.txt", "run.json", "data-12345678/blocks/x", "lock"])
def test_a_folder_with_other_things_is_refused_untouched(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True)
    path.write_text('{"my": "run"}')
    before = traces(folder)
    for options in ({}, {"resume": True}, {"restart": True}):
        with pytest.raises(StoreError, match="not empty and holds no run; give another folder"):
            Store.open(folder, REQUEST, **options)
    assert traces(folder) == before


def test_a_link_to_a_folder_is_a_folder(folder, toy, tmp_path):
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(folder)
    first, _, _ = work(link, toy)
    assert work(link, toy, resume=True)[:2] == (first, [])
    with pytest.raises(StoreError, match="holds a run already"):
        Store.open(link, REQUEST)


def test_a_run_that_is_there_wants_a_decision(folder, toy):
    work(folder, toy)
    before = traces(folder)
    with pytest.raises(StoreError, match="holds a run already; continue it with --resume, or beg"):
        Store.open(folder, REQUEST)
    after = traces(folder)
    assert {k: v for k, v in after.items() if "lock" not in k} == {
        k: v for k, v in before.items() if "lock" not in k
    }
    with pytest.raises(ValueError, match="--resume and --restart exclude each other"):
        Store.open(folder, REQUEST, resume=True, restart=True)


def test_another_request_is_refused_with_what_differs(folder, toy):
    work(folder, toy)
    other = {"command": "simulate", "players": [1], "options": {"seed": 8}, "strategy": "x" * 100}
    with pytest.raises(StoreError) as caught:
        Store.open(folder, other, resume=True)
    assert str(caught.value).partition(" is ")[2] == (
        "the store of another experiment: options.rounds was 100, now it is not given; "
        "options.seed was 7, now it is 8; players was [1, 2], now it is [1]; strategy was not "
        f'given, now it is "{"x" * 56}...; give another folder, or begin anew with --restart'
    )
    many = {f"key{i}": i for i in range(20)}
    with pytest.raises(StoreError, match="; and 15 more; give"):
        Store.open(folder, many, resume=True)
    with Store.open(folder, REQUEST, resume=True):  # and the refusals hold no lock
        pass


def test_types_of_a_request_count(folder, toy):
    work(folder, toy)
    with pytest.raises(StoreError, match=r"players was \[1, 2\], now it is \[true, 2\]"):
        Store.open(folder, {**REQUEST, "players": [True, 2]}, resume=True)


@pytest.mark.parametrize(
    "request_", [{"a": 0.5}, {"a": float("nan")}, {"a": {1, 2}}, {"a": Path()}]
)
def test_a_request_must_be_json_without_floats(folder, request_):
    with pytest.raises(ValueError, match=r"cannot be written|not JSON compliant"):
        Store.open(folder, request_)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("maker", "text"),
    [
        (Maker("9.9.9", source_digest()), f"made by version {__version__} of .*this is 9.9.9"),
        (Maker(__version__, "f" * 64), f"made by other sources of version {__version__}"),
    ],
)
def test_another_program_is_refused_until_restart(folder, toy, monkeypatch, maker, text):
    first, _, _ = work(folder, toy)
    monkeypatch.setattr(Maker, "current", classmethod(lambda cls: maker))
    with pytest.raises(StoreError, match=f"cannot be resumed: {text}.*anew with --restart"):
        Store.open(folder, REQUEST, resume=True)
    again, computed, notes = work(folder, toy, restart=True)
    assert (again, len(computed)) == (first, 40)
    assert notes == [f"the run that was here was moved to {folder / 'replaced-1'}"]


def test_resuming_nothing_begins_anew_with_a_note(folder, toy):
    _, computed, notes = work(folder, toy, resume=True)
    assert len(computed) == 40
    assert notes == [f"{folder}: there was no run to resume; begun anew"]


def test_restarting_nothing_begins_anew(folder, toy):
    assert work(folder, toy, restart=True)[2] == []
    assert not (folder / "replaced-1").exists()


def test_a_restart_deletes_nothing_and_leaves_what_is_not_ours(folder, toy):
    work(folder, toy)
    (folder / "remarks.txt").write_text("mine")
    old = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.json")}
    work(folder, toy, restart=True)
    work(folder, toy, restart=True)
    for number in (1, 2):
        place = folder / f"replaced-{number}"
        moved = {path.relative_to(place): path.read_bytes() for path in place.rglob("*.json")}
        assert moved.keys() == old.keys()
        assert number == 2 or moved == old
    assert (folder / "remarks.txt").read_text() == "mine"


def test_a_restart_that_was_cut_short_can_be_done_once_more(folder, toy, monkeypatch):
    first, _, _ = work(folder, toy)
    real = Path.rename

    def fail(path, target):
        if path.name == "run.json":
            raise OSError(errno.EIO, "Input/output error")
        return real(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", fail)
        with pytest.raises(StoreError, match="Input/output error"):
            Store.open(folder, REQUEST, restart=True)
    with pytest.raises(StoreError, match="holds a run already"):
        Store.open(folder, REQUEST)
    assert work(folder, toy, restart=True)[0] == first
    assert len(list((folder / "replaced-1").glob("toy-*/blocks/*/*.json"))) == 14


@pytest.mark.parametrize("left", ["lock", "empty lock", "temporary"])
def test_a_store_that_died_while_it_was_made_is_as_good_as_none(folder, toy, left):
    folder.mkdir()
    if left == "temporary":
        (folder / ".run.json.0123456789ab.tmp").write_text("{")
    else:
        text = "" if left == "empty lock" else "ricochet-casino run, process 1 on here\n"
        (folder / "lock").write_text(text)
    assert work(folder, toy)[2] == []
    assert not list(folder.glob(".*"))


def test_unfinished_files_are_removed_and_others_of_such_names_are_not(folder, toy):
    first, _, _ = work(folder, toy)
    block = block_files(folder)[3]
    (place,) = folder.glob("toy-*")
    ours = [
        block.with_name(f".{block.name}.0123456789ab.tmp"),
        place / ".spec.json.0123456789ab.tmp",
        folder / ".run.json.fedcba987654.tmp",
    ]
    other = folder / ".notes.txt.0123456789ab.tmp"
    for path in (*ours, other):
        path.write_text("half")
    assert work(folder, toy, resume=True)[:2] == (first, [])
    assert not any(path.exists() for path in ours)
    assert other.exists()


# Faults


def test_every_bit_flip_is_found(folder, toy):
    first, _, _ = work(folder, toy)
    dice = random.Random(3)
    files = block_files(folder)
    for turn in range(20):
        path = dice.choice(files)
        raw = bytearray(path.read_bytes())
        raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
        path.write_bytes(raw)
        number = int(path.stem)
        again, computed, notes = work(folder, toy, resume=True)
        assert again == first
        assert computed == [n for n in range(3 * number, 3 * number + 3) if n < 40]
        assert len(notes) == 1
        assert (
            f"{path.name} was damaged: its checksum does not fit; moved to set_aside/" in notes[0]
        )
        assert len(list((folder / "set_aside").iterdir())) == turn + 1
        assert bytes(raw) in [p.read_bytes() for p in (folder / "set_aside").iterdir()]


def test_a_flip_of_any_bit_of_a_file_is_found():
    raw = framed({"schema": "s", "text": "äé\n", "n": [1, 2**70]})
    assert unframed(raw) == {"schema": "s", "text": "äé\n", "n": [1, 2**70]}
    for place in range(len(raw)):
        for bit in range(8):
            changed = bytearray(raw)
            changed[place] ^= 1 << bit
            with pytest.raises(ValueError, match="damaged"):
                unframed(bytes(changed))
    for cut in range(len(raw)):
        with pytest.raises(ValueError, match=r"damaged|empty"):
            unframed(raw[:cut])
    with pytest.raises(ValueError, match="damaged"):
        unframed(raw + b"\n")


def edited(path, **changes):
    """Write a whole file again with other values and a checksum that fits."""
    content = unframed(path.read_bytes())
    path.write_bytes(framed({**content, **changes}))


FOREIGN = {
    "another number": ({"block": 4}, "of another block: 4, not 3"),
    "another experiment": ({"experiment": "0" * 64}, "of another experiment: '0000"),
    "other shards": ({"shards": [9, 13]}, "of another shards"),
    "another version": ({"version": "0.0.9"}, "made by version 0.0.9 of ricochet-casino"),
    "other sources": ({"source_digest": "0" * 64}, "made by other sources"),
    "another form": ({"schema": "ricochet-casino/block/2"}, "not a block of the form"),
    "no tally": ({"tally": None}, "without a tally"),
    "a float": ({"tally": {"counts": {"value": 0.5}, "notes": {}}}, "not a whole number"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_block_from_elsewhere_is_set_aside(folder, toy, name):
    changes, text = FOREIGN[name]
    first, _, _ = work(folder, toy)
    edited(block_files(folder)[3], **changes)
    again, computed, notes = work(folder, toy, resume=True)
    assert (again, computed) == (first, [9, 10, 11])
    assert len(notes) == 1
    assert text in notes[0]
    assert notes[0].endswith("moved to set_aside/, computed again")
    assert work(folder, toy, resume=True)[1:] == ([], [])


def test_a_block_of_another_experiment_copied_here_is_set_aside(folder, toys, toy):
    first, _, _ = work(folder, toy)
    files = block_files(folder)
    files[5].write_bytes(files[6].read_bytes())
    files[7].unlink()
    files[7].mkdir()
    (files[8].with_name("0000000014.json")).write_bytes(files[8].read_bytes())
    elsewhere = files[8].parents[1] / "000001" / files[8].name
    elsewhere.parent.mkdir()
    files[8].rename(elsewhere)
    again, computed, notes = work(folder, toy, resume=True)
    assert (again, computed) == (first, [*range(15, 18), *range(21, 27)])
    assert len(notes) == 4
    assert sum("cannot be one here" in note for note in notes) == 2
    assert sum("a folder, not a block" in note for note in notes) == 1
    assert sum("of another block: 6, not 5" in note for note in notes) == 1


@pytest.mark.parametrize("damage", ["truncated", "empty", "missing", "flipped", "another form"])
def test_a_damaged_manifest_is_written_again_and_the_blocks_are_kept(folder, toy, damage):
    first, _, _ = work(folder, toy)
    path = folder / "run.json"
    raw = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "another form":
        edited(path, schema="ricochet-casino/run/2")
    elif damage == "flipped":
        path.write_bytes(raw[:-9] + bytes([raw[-9] ^ 4]) + raw[-8:])
    else:
        path.write_bytes(raw[: len(raw) // 2] if damage == "truncated" else b"")
    with pytest.raises(StoreError, match="holds a run already"):
        Store.open(folder, REQUEST)
    again, computed, notes = work(folder, toy, resume=True)
    assert (again, computed) == (first, [])
    assert len(notes) == 2
    assert notes[0].startswith("run.json was ")
    assert "written again" in notes[0]
    assert notes[1] == "every block is still checked by its own digests"
    assert unframed(path.read_bytes())["request"] == REQUEST
    assert work(folder, toy, resume=True)[1:] == ([], [])


def test_under_a_damaged_manifest_blocks_of_other_sources_are_not_used(folder, toy, monkeypatch):
    first, _, _ = work(folder, toy)
    (folder / "run.json").write_bytes(b"{")
    maker = Maker(__version__, "f" * 64)
    monkeypatch.setattr(Maker, "current", classmethod(lambda cls: maker))
    again, computed, notes = work(folder, toy, resume=True)
    assert (again, len(computed), len(notes)) == (first, 40, 16)


def test_a_damaged_specification_is_written_again(folder, toy):
    first, _, _ = work(folder, toy)
    (path,) = folder.glob("toy-*/spec.json")
    raw = path.read_bytes()
    path.write_bytes(raw[:40])
    again, computed, notes = work(folder, toy, resume=True)
    assert (again, computed, len(notes)) == (first, [], 1)
    assert path.read_bytes() == raw


def test_the_same_experiment_cut_otherwise_is_refused(folder, toys, toy):
    work(folder, toy)
    toy.block_shards = 2
    with (
        Store.open(folder, REQUEST, resume=True) as store,
        pytest.raises(StoreError, match="cut into other blocks; begin anew with --restart"),
    ):
        store.experiment(toy)


def test_a_block_is_never_changed(folder, toy):
    first, _, _ = work(folder, toy)
    with Store.open(folder, REQUEST, resume=True) as store:
        blocks = store.experiment(toy)
        tally = blocks.get(2)
        before = traces(folder)
        blocks.put(2, tally)
        with pytest.raises(StoreError, match="computed twice, with other results"):
            blocks.put(2, tally + Tally({"value": 1}))
        assert traces(folder) == before
    with pytest.raises(StoreError, match="the store is closed"):
        blocks.put(3, tally)
    with pytest.raises(StoreError, match="the store is closed"):
        blocks.get(3)
    assert work(folder, toy, resume=True)[0] == first


def failing(monkeypatch, number, after):
    """Let writing blocks fail with an error of the system after so many of them."""
    from ricochet_casino.runs import block_store

    real, calls = block_store.write_new, []

    def write(path, content):
        calls.append(path)
        if len(calls) > after:
            path.with_name(path.name + ".half").touch()
            path.with_name(path.name + ".half").unlink()
            raise OSError(number, os.strerror(number), str(path))
        real(path, content)

    monkeypatch.setattr(block_store, "write_new", write)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize(("count", "kind"), [(1, "serial"), (2, "threads"), (2, "processes")])
def test_a_disk_that_fails_loses_no_finished_block(folder, toy, monkeypatch, number, count, kind):
    first, _, _ = work(folder.with_name("undisturbed"), toy)
    with monkeypatch.context() as patched:
        failing(patched, number, 5)
        with Store.open(folder, REQUEST) as store:
            blocks = store.experiment(toy)
            text = f"cannot be written: {os.strerror(number)}; the blocks finished before are kept"
            with pytest.raises(StoreError, match=text):
                run(toy, workers=count, executor=kind, store=blocks, builder=BUILDER)
    assert len(block_files(folder)) == 5
    again, computed, notes = work(folder, toy, resume=True)
    assert (again, notes) == (first, [])
    assert len(computed) in (25, 27)  # without five blocks, one of them perhaps the short one


def test_a_short_write_is_no_block(folder, toy, monkeypatch):
    """The system takes a part of the file and then reports a full disk."""
    from ricochet_casino.runs import layout

    real = os.fdopen

    class Stream:
        def __init__(self, stream):
            self.stream, self.left = stream, 100

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.stream.close()

        def write(self, content):
            if not self.left:
                raise OSError(errno.ENOSPC, "No space left on device")
            taken = self.stream.write(content[: self.left])
            self.left -= taken
            return taken

    with Store.open(folder, REQUEST) as store:
        blocks = store.experiment(toy)
        blocks.put(0, Tally({"n": 1}))
        with monkeypatch.context() as patched:
            patched.setattr(
                layout, "open", lambda fd, *_, **__: Stream(real(fd, "wb", 0)), raising=False
            )
            with pytest.raises(StoreError, match="No space left on device"):
                blocks.put(1, Tally({"n": 2}))
        assert [path.name for path in block_files(folder)[0].parent.iterdir()] == [
            "0000000000.json"
        ]
        blocks.put(1, Tally({"n": 2}))
        assert blocks.get(1) == Tally({"n": 2})


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, of 256 KiB; None where this process may not mount one."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(*options):
        command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(place)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    mounted = os.name == "posix" and mount("size=256k")
    yield (place, mount) if mounted else None
    if mounted:
        subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_and_a_read_only_one(small_disk, toys, tmp_path):
    """With a real file system where that is allowed; the tests above inject the same errors."""
    toy = toys.Toy({"shards": 200, "block_shards": 1, "log": str(tmp_path / "log")})
    first, _, _ = work(tmp_path / "elsewhere", toy)
    if small_disk is None:
        return
    place, mount = small_disk
    folder = place / "store"
    with pytest.raises(StoreError, match="No space left on device; the blocks finished before are"):
        work(folder, toy)
    done = len(block_files(folder))
    assert 20 < done < 100
    assert not list(folder.rglob(".*"))
    with pytest.raises(StoreError, match="No space left on device"):
        work(folder, toy, resume=True)
    assert len(block_files(folder)) == done
    assert mount("remount", "ro")
    with pytest.raises(StoreError, match="Read-only file system"):
        work(folder, toy, resume=True)
    with pytest.raises(StoreError, match="Read-only file system"):
        work(place / "new", toy)
    assert mount("remount", "rw", "size=4m")
    again, computed, notes = work(folder, toy, resume=True)
    assert (again, len(computed), notes) == (first, 200 - done, [])


def test_a_clock_that_jumps_does_not_matter(folder, toy, monkeypatch):
    first, _, _ = work(folder, toy)
    for path in block_files(folder)[::2]:
        path.unlink()

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(1, 1, 1, tzinfo=tz)

    monkeypatch.setattr(store_module, "datetime", Clock)
    for now in (0.0, -(10.0**9), 10.0**11):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        monkeypatch.setattr(time, "monotonic", lambda now=now: now)
        for path in block_files(folder):
            os.utime(path, (max(now, 0), max(now, 0)))
        assert work(folder, toy, resume=True)[0] == first
        block_files(folder)[1].unlink()
    assert work(folder, toy, restart=True)[0] == first
    assert unframed((folder / "run.json").read_bytes())["time"] == "0001-01-01T00:00:00+00:00"
