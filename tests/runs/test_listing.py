import os

import pytest

from ricochet_casino import __version__, source_digest
from ricochet_casino.runs import Store, StoreError, clean, find_runs, read_run, run
from ricochet_casino.runs.layout import Maker

REQUEST = {"command": "toy", "seed": 3}


@pytest.fixture
def begun(toys, tmp_path):
    """A run of two experiments, one of them half done."""
    folder = tmp_path / "runs" / "begun"
    with Store.open(folder, REQUEST) as store:
        for shards in (40, 10):
            toy = toys.Toy({"shards": shards})
            run(toy, store=store.experiment(toy))
    for path in sorted(folder.glob("toy-*/blocks/*/000000000[3-8].json")):
        path.unlink()
    return folder


def test_a_run_is_summed_up(begun):
    found = read_run(begun)
    assert (found.folder, found.request, found.version) == (begun, REQUEST, __version__)
    assert found.source_digest == source_digest()
    assert found.time.endswith("+00:00")
    assert sorted((one.name, one.done, one.blocks) for one in found.experiments) == [
        ("toy", 3, 4),
        ("toy", 8, 14),
    ]
    assert (found.done, found.blocks) == (11, 18)
    assert (found.in_use, found.problem) == ("", "")
    files = [path for path in begun.rglob("*") if path.is_file()]
    assert found.size == sum(512 * path.lstat().st_blocks for path in files)
    assert found.size > 0


def test_runs_are_found_here_or_right_below_among_rubbish(begun, tmp_path):
    folder = begun.parent
    Store.open(folder / "another", {"a": 1}).close()
    (folder / "file").touch()
    (folder / "thesis").mkdir()
    (folder / "thesis" / "run.json").write_text("{}")
    (folder / "loop").symlink_to(folder / "loop")
    assert [found.folder.name for found in find_runs(folder)] == ["another", "begun"]
    assert [found.folder for found in find_runs(begun)] == [begun]
    assert find_runs(folder / "thesis") == []
    for missing in (tmp_path / "missing", folder / "file"):
        with pytest.raises(StoreError, match="cannot be read"):
            find_runs(missing)
    with pytest.raises(StoreError, match="holds no run"):
        read_run(folder / "thesis")


def test_what_prevents_resuming_is_told(begun, monkeypatch):
    with Store.open(begun, REQUEST, resume=True):
        assert read_run(begun).in_use.startswith(f"process {os.getpid()} on ")
    with monkeypatch.context() as patched:
        patched.setattr(Maker, "current", classmethod(lambda cls: cls("9.9", "")))
        assert f"made by version {__version__}" in read_run(begun).problem
    for path in begun.glob("toy-*/spec.json"):
        path.write_bytes(path.read_bytes()[:50])
    found = read_run(begun)
    assert (found.done, found.blocks) == (11, None)
    assert {one.name[:4] for one in found.experiments} == {"toy-"}
    (begun / "run.json").write_bytes(b"\0")
    found = read_run(begun)
    assert found.request is None
    assert found.problem.startswith("run.json is damaged")
    (begun / "run.json").unlink()
    assert read_run(begun).problem.startswith("run.json is missing")


def spoil(begun, toys):
    """Give a run everything that can be cleaned away."""
    toy = toys.Toy({"shards": 40})
    next(begun.glob("toy-*/blocks/*/0000000000.json")).write_bytes(b"?")
    for options in ({"resume": True}, {"restart": True}, {"restart": True}):
        with Store.open(begun, REQUEST, **options) as store:
            run(toy, store=store.experiment(toy))
    block = next(begun.glob("toy-*/blocks/*/0000000002.json"))
    block.with_name(f".{block.name}.0123456789ab.tmp").touch()
    block.write_bytes(b"?")
    with Store.open(begun, REQUEST, resume=True) as store:
        run(toy, store=store.experiment(toy))
    block.with_name(f".{block.name}.0123456789ab.tmp").touch()
    return toy


def test_cleaning_removes_what_is_spare_and_nothing_of_the_run(begun, toys):
    toy = spoil(begun, toys)
    blocks = {path: path.read_bytes() for path in begun.glob("toy-*/blocks/*/*.json")}
    before = read_run(begun).size
    done = clean(begun)
    assert {path.name for path in begun.iterdir()} == {
        "lock", "run.json", next(begun.glob("toy-*")).name,
    }  # fmt: skip
    assert {path: path.read_bytes() for path in begun.glob("toy-*/blocks/*/*.json")} == blocks
    assert not list(begun.rglob("*.tmp"))
    assert done.size == before - read_run(begun).size > 0
    assert {path.name for path in done.removed} >= {"set_aside", "replaced-1", "replaced-2"}
    assert done.kept == ()
    with Store.open(begun, REQUEST, resume=True) as store:
        run(toy, store=store.experiment(toy))
        assert store.notes == []


def test_cleaning_everything_removes_the_run(begun, toys):
    spoil(begun, toys)
    size = read_run(begun).size
    done = clean(begun, everything=True)
    assert not begun.exists()
    assert done.kept == ()
    assert abs(done.size - size) <= 8192  # the lock says who holds it meanwhile
    with pytest.raises(StoreError, match="holds no run; nothing was removed"):
        clean(begun, everything=True)


def test_cleaning_never_removes_what_is_not_ours(begun, toys, tmp_path):
    spoil(begun, toys)
    place = next(begun.glob("toy-*/blocks/000000"))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "0000000001.json").write_text("precious")
    (begun / "replaced-9").symlink_to(outside)
    (place.parent / "000001").symlink_to(outside)
    (begun / "mine-12345678").mkdir()
    mine = [
        begun / "remarks.txt", place / "remarks.json", place.parents[1] / "plot.png",
        begun / "replaced-1" / "kept.txt", begun / "replaced-x", begun / "mine-12345678" / "a.txt",
        outside / "0000000001.json",
    ]  # fmt: skip
    for path in mine:
        path.write_text("precious")
    done = clean(begun, everything=True)
    assert all(path.read_text() == "precious" for path in mine)
    assert (begun / "replaced-9").is_symlink()
    left = {path for path in begun.rglob("*") if path.is_file() and not path.is_symlink()}
    assert left == set(mine) - {outside / "0000000001.json"}
    assert begun in done.kept
    assert begun / "replaced-1" in done.kept
    lines = str(done).splitlines()
    assert f"removed {begun / 'run.json'}" in lines
    assert f"kept {begun}: it holds something that is not of a run" in lines
    assert lines[-1] == f"{done.size / 1e6:.1f} MB freed"


def test_a_run_in_use_is_not_cleaned(begun):
    with (
        Store.open(begun, REQUEST, resume=True),
        pytest.raises(StoreError, match=f"in use by process {os.getpid()}"),
    ):
        clean(begun, everything=True)
    assert len(list(begun.glob("toy-*/blocks/*/*.json"))) == 11


def test_other_folders_are_not_cleaned(tmp_path):
    (tmp_path / "set_aside").mkdir()
    (tmp_path / "replaced-x").mkdir()
    (tmp_path / "run.json").write_text("{}")
    for everything in (False, True):
        with pytest.raises(StoreError, match="holds no run; nothing was removed"):
            clean(tmp_path, everything=everything)
    assert len(list(tmp_path.iterdir())) == 3
