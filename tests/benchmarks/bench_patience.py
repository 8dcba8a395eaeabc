"""How fast the patience games are solved and played; processor time of one core.

The last column is the rate of a plain single-thread C++ solver on another loaded machine, from
tests/golden/patience_shares.json, where there is one.
"""

import json
from pathlib import Path
from time import process_time

from ricochet_casino.games.hearts_pyramid.settings import PyramidSettings
from ricochet_casino.games.hearts_pyramid.study import PyramidStudy
from ricochet_casino.games.racing_aces.settings import RacingAcesSettings
from ricochet_casino.games.racing_aces.study import RacingAcesStudy
from ricochet_casino.games.ricochet_solitaire.settings import SolitaireSettings
from ricochet_casino.games.ricochet_solitaire.study import SolitaireStudy
from ricochet_casino.studies.verdicts import PatienceStudy

GIVEN = json.loads((Path(__file__).parents[1] / "golden" / "patience_shares.json").read_text())
SOLITAIRE = {
    "as_ruled": "wrap, flip lifts wall rule, flip any time",
    "no_wrap": "no wrap",
    "no_reset": "flip does not lift wall rule",
    "stuck_only": "flip only when stuck",
}
PYRAMID = (
    ("strict/all/1", 200_000), ("strict/pyramid/1", 60_000), ("strict/pyramid/unlimited", 40_000),
    ("waste_pair/all/1", 30_000), ("waste_pair/pyramid/1", 30_000), ("stock_top/all/1", 30_000),
    ("stock_top/pyramid/1", 30_000),
)  # fmt: skip


def measure(study: PatienceStudy, label: str, given: float | None) -> None:
    """Run all shards of a study here and print its rate."""
    study.run(study.shards()[0])  # compiles
    begin = process_time()
    counts = [study.run(shard).counts for shard in study.shards()]
    rate = study.deals / (process_time() - begin)
    won = sum(count.get("won", 0) for count in counts) / study.deals
    undecided = sum(count.get("undecided", 0) for count in counts)
    ratio = f"{given:>9,.0f} {rate / given:>7.1f}x" if given else ""
    print(f"{label:<44} {study.deals:>8,} {won:>8.2%} {undecided:>5} {rate:>12,.0f} {ratio}")


def main() -> None:
    """Print the table."""
    print(f"{'game, settings, player':<44} {'deals':>8} {'won':>8} {'open':>5} {'deals/s':>12}")
    for preset, key in SOLITAIRE.items():
        settings = SolitaireSettings.read({}, preset)
        given = GIVEN["ricochet_solitaire"][key]["deals_per_second"]
        deals = 4096 if preset == "stuck_only" else 1024
        measure(SolitaireStudy(settings, deals, 1), f"solitaire, {preset}, solver", given)
        for player, number in (("random", 1 << 17), ("greedy", 1 << 17), ("lookahead", 256)):
            study = SolitaireStudy(settings, number, 1, player)
            measure(study, f"solitaire, {preset}, {player}", None)
    for key, deals in PYRAMID:
        pairing, goal, passes = key.split("/")
        values = {"pairing": pairing, "goal": goal, "passes": passes}
        settings = PyramidSettings.read(values)
        given = GIVEN["hearts_pyramid_7_rows"][key]["deals_per_second"]
        measure(PyramidStudy(settings, deals, 1), f"pyramid, {key}, solver", given)
    for preset in ("as_written", "playable", "friendly"):
        settings = PyramidSettings.read({}, preset)
        for player in ("random", "greedy"):
            study = PyramidStudy(settings, 1 << 17, 1, player)
            measure(study, f"pyramid, {preset}, {player}", None)
    aces = RacingAcesSettings()
    # The given solver won 999 of 1,000 deals within a second each, half of them within 25 ms.
    measure(RacingAcesStudy(aces, 256, 1), "racing aces, solver", None)
    for player, deals in (("greedy", 4096), ("endgame", 512)):
        measure(RacingAcesStudy(aces, deals, 1, player), f"racing aces, {player}", None)


if __name__ == "__main__":
    main()
