"""How fast two tables are compared, and how much narrower the interval of the difference is.

Run: ``python tests/benchmarks/bench_compare.py [--deals N] [--players 2,4,7]``. One thread. For
each number of players a change of a bonus, of the kickout and of the strategy is sampled; beside it
stand the half widths, per ante at 99 %, of the difference and of two independent samples of as many
deals by `table_sampling`. The last lines time the gains of one player and the search for rules.
"""

import argparse
import time
from fractions import Fraction
from typing import Any

from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.simple_rules import RuleSearch
from ricochet_casino.games.ricochet_poker.solo_gains import solo_gains
from ricochet_casino.games.ricochet_poker.table_sampling import Pilot, TableSample
from ricochet_casino.lab import DIFFERENCE_PILOT
from ricochet_casino.lab.differences import table_difference
from ricochet_casino.runs import run

SEED = 20_261_130
STEPS = {1: "AA", 2: "33xx", 3: "JJxx", 4: "222", 5: "444", 6: "KKK", 7: "23456"}
"""Kickouts a little above those of the rulebook."""


def changed(**changes: Any) -> RicochetPokerPaytable:
    """The rulebook's paytable with other values."""
    content = load_paytable("rulebook").model_dump(mode="json")
    content.pop("expect", None)
    for key, value in changes.items():
        content[key] = {**content[key], **value}
    return RicochetPokerPaytable.read(content)


def half_width(figure: dict[str, Any]) -> Fraction:
    """Of a figure's interval."""
    low, high = map(Fraction, figure["interval"])
    return (high - low) / 2


def alone(paytable: RicochetPokerPaytable, players: int, strategy: str, deals: int) -> Fraction:
    """Half width of the RTP from a sample of its own."""
    trial = TableSample(paytable, players, strategy, DIFFERENCE_PILOT, SEED)
    pilot = Pilot.from_json(run(trial).entry)
    return half_width(
        run(TableSample(paytable, players, strategy, deals, SEED, pilot)).entry["rtp_per_ante"]
    )


def compare(players: int, deals: int) -> None:
    """Print a line for each kind of change."""
    plain = changed()
    for name, new, strategy in (
        ("flush pays 6", changed(bonus={"flush": "6"}), "collective"),
        ("kickout", changed(kickout={str(players): STEPS[players]}), "collective"),
        ("pot_odds", plain, "pot_odds"),
    ):
        begin = time.perf_counter()
        found = table_difference(
            plain,
            new,
            players,
            deals=deals,
            strategy="collective",
            new_strategy=strategy,
            seed=SEED,
        )
        seconds = time.perf_counter() - begin
        width = half_width(found["difference"]["rtp_per_ante"])
        widths = [alone(plain, players, "collective", deals), alone(new, players, strategy, deals)]
        two = sum(one**2 for one in widths)
        ratio = float(two / width**2) ** 0.5
        print(
            f"{players:>7}  {name:<13}{seconds:>8.1f}{float(width) * 100:>13.4f} %"
            f"{float(two) ** 0.5 * 100:>13.4f} %{ratio:>8.1f}"
        )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--players", default="2,4,7")
    given = parser.parse_args()
    # Once for the compiler.
    table_difference(changed(), changed(bonus={"flush": "6"}), 2, deals=100, pilot=100)
    print("players  change         seconds   difference   two samples   ratio")
    for players in map(int, given.players.split(",")):
        compare(players, given.deals)
    begin = time.perf_counter()
    gains = solo_gains(load_paytable("rulebook").rules(1))
    print(f"\ngains of one player: {time.perf_counter() - begin:.2f} s")
    for conditions in (2, 4, 6, 8):
        begin = time.perf_counter()
        found = RuleSearch(gains).best(conditions)
        print(
            f"rules of up to {conditions} conditions: {time.perf_counter() - begin:.2f} s, "
            f"the best costs {float(found[-1].cost) * 100:.4f} %"
        )


if __name__ == "__main__":
    main()
