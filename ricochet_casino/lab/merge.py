"""Put together what runs of the same plan with disjoint ranges of blocks have computed."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ricochet_casino.config import canonical_json
from ricochet_casino.lab.batch import Outcome, Watcher, run_batch
from ricochet_casino.lab.jobs import job_from_json
from ricochet_casino.lab.parts import Part, StoredRunner, joined
from ricochet_casino.lab.plans import STORE, Plan
from ricochet_casino.runs import Store, StoredRun, holds_run


def store_of(folder: Path) -> Path:
    """The store of a batch: in its output folder, or the folder itself.

    Raises
    ------
    StoreError
        If there is none (from `StoredRun`).
    """
    return folder / STORE if (folder / STORE).is_dir() else folder


def merged_plan(runs: Sequence[StoredRun], output: Path) -> Plan:
    """The plan that several runs share, with all their blocks.

    Parameters
    ----------
    runs
        Two or more.
    output
        Where the merged run is to be.

    Raises
    ------
    ValueError
        If one is no part of a batch, they are of different plans, or their ranges overlap.
    """
    if len(runs) < 2:
        raise ValueError("merging takes two runs or more")
    found: list[Part] = []
    first: dict[str, Any] = {}
    for run in runs:
        asked, blocks = run.request.get("plan"), run.request.get("blocks")
        if not isinstance(asked, dict) or not isinstance(blocks, list):
            raise ValueError(f"{run.folder} is not the run of a plan (ricochet batch)")
        first = first or asked
        if canonical_json(asked) != canonical_json(first):
            raise ValueError(
                f"{runs[0].folder} and {run.folder} are runs of different plans: "
                f"{_difference(first, asked)}; expected the same but for the key blocks"
            )
        found += [Part(Fraction(low), Fraction(high)) for low, high in blocks]
    parts = joined(found)
    jobs = tuple(job_from_json(entry, first["paytables"]) for entry in first["entries"])
    title, paytables = str(first["title"]), first["paytables"]
    return Plan(output, title, jobs, output, output / STORE, parts=parts, paytables=paytables)


def _difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Where two plans differ first, in words."""
    for key in ("title", "paytables"):
        if canonical_json(one[key]) != canonical_json(other[key]):
            return f"the {key} differ"
    mine, theirs = ([entry["name"] for entry in plan["entries"]] for plan in (one, other))
    if mine != theirs:
        name = min(set(mine) ^ set(theirs), default="")
        return f"the entry {name} is in one of them only" if name else "another order of entries"
    pairs = zip(one["entries"], other["entries"], strict=True)
    names = [a["name"] for a, b in pairs if canonical_json(a) != canonical_json(b)]
    return f"the entry {names[0]} asks for something else"


def merge(
    folders: Sequence[Path], output: Path, watcher: Watcher, *, restart: bool = False
) -> tuple[Plan, tuple[Outcome, ...]]:
    """Merge runs; nothing is computed but sums.

    Parameters
    ----------
    folders
        Output folders of `ricochet batch`, or their stores.
    output
        For the merged run: a store with all blocks and, if no block is missing, certificates and
        the summary. A merged part can be merged again.
    watcher
        Is told what goes on.
    restart
        Set a run that is there aside.

    Raises
    ------
    ValueError
        As `merged_plan`, or if the output folder is inside a store.
    StoreError
        If a store cannot be read or misses blocks of its range.
    """
    runs = [StoredRun(store_of(folder)) for folder in folders]
    plan = merged_plan(runs, output)
    here = output.resolve()
    inside = next((place for place in (here, *here.parents) if holds_run(place)), None)
    if inside is not None:
        raise ValueError(f"the output folder {output} is inside the store {inside}")
    with Store.open(plan.store, plan.request(), restart=restart) as store:
        runner = StoredRunner(1, "serial", watcher.stage, store, tuple(runs))
        return plan, run_batch(plan, runner, watcher)
