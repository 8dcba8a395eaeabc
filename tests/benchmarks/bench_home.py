"""The home game: compiled hands against the referee, and exact values of positions.

``python tests/benchmarks/bench_home.py`` prints hands of play a second (processor time of one
thread) by players and policy, beside those of the referee with the plain policies; milliseconds of
a decision by looking ahead; and processor seconds for exact values by the number of cards that can
still be bought. Everything is compiled before it is timed.
"""

import time

from ricochet_casino.cards.deck import parse_cards
from ricochet_casino.cards.shuffle import deals
from ricochet_casino.games.home_poker.exact import exact_values
from ricochet_casino.games.home_poker.policies import Player, play_hand
from ricochet_casino.games.home_poker.position import Position
from ricochet_casino.games.home_poker.settings import PRESETS, read_settings
from ricochet_casino.games.home_poker.study import STREAM, Study
from ricochet_casino.games.home_poker.table_arrays import cards_needed

REPEATS = 3
HANDS = {"pot_odds": 8_000, "look_ahead": 16}
REFEREED = {"pot_odds": 4, "look_ahead": 0}
POSITIONS = [
    ("2h 2d 9c 7s", "8s 8d Kd 5h", 15),
    ("Kh 9c 5d", "Ks 9d 5c", 4),
    ("9c 7s", "Kd 5h 8d", 5),
    ("9c 8c", "Kd 7s", 2),
]


def seconds(function) -> float:
    """Processor seconds of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def speeds(preset: str, players: int, policy: str) -> tuple[float, float]:
    """Hands of play a second: compiled, best of some runs, and refereed (0: not tried)."""
    rules, hands = PRESETS[preset], HANDS.get(policy, 100_000)
    study = Study(rules, players, policy, hands, 1)
    shard = study.shards()[0]
    study.run(shard)
    compiled = shard.data[1] / min(seconds(lambda: study.run(shard)) for _ in range(REPEATS))
    refereed = REFEREED.get(policy, 200)
    if not refereed:
        return compiled, 0.0
    width = cards_needed(rules, players)
    cards = deals(1, STREAM, 0, refereed, count=width, deck_size=len(rules.deck)).tolist()

    def play() -> None:
        for deal, deck in enumerate(cards):
            play_hand(rules, [Player(policy, 1, deal)] * players, deck, seed=1, deal=deal)

    return compiled, refereed / seconds(play)


def decision(players: int, hands: int = 100) -> float:
    """Milliseconds of a decision if all look ahead."""
    study = Study(PRESETS["basic"], players, "look_ahead", hands, 1)
    shard = study.shards()[0]
    actions = study.run(shard).counts["actions"]
    return 1000 * seconds(lambda: study.run(shard)) / actions


def main() -> None:
    """Print all tables."""
    print("| preset | players | policy | hands/s | referee, hands/s | ratio |")
    print("|---|---|---|---|---|---|")
    for preset in ("basic", "jokers", "seven_cards"):
        for policy in ("buy_one", "buy_maximum", "pot_odds", "look_ahead"):
            for players in (2, 8):
                if preset != "basic" and policy in HANDS:
                    continue
                fast, slow = speeds(preset, players, policy)
                ratio = f"{fast / slow:,.0f}" if slow else "-"
                beside = f"{slow:,.0f}" if slow else "-"
                print(f"| {preset} | {players} | {policy} | {fast:,.0f} | {beside} | {ratio} |")
    print("\n| players | a decision by look_ahead, ms |\n|---|---|")
    for players in (2, 3, 4, 6, 8):
        print(f"| {players} | {decision(players):.2f} |")
    print("\n| cards to come | seconds |\n|---|---|")
    rules = read_settings(coin="fair")
    for actor, opponent, pot in POSITIONS:
        spot = Position(rules, parse_cards(actor), (parse_cards(opponent),), (), pot)
        exact_values(spot)
        print(f"| {spot.to_come} | {seconds(lambda spot=spot: exact_values(spot)):.3f} |")


if __name__ == "__main__":
    main()
