"""Strategy cards: what the best play looks like, simple rules that come near, and what they cost.

For one player all is exact. For two to seven, the chance that a play needs is told by the size of
the pot, and simple strategies are compared with `collective` on the same deals.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any, Final

from ricochet_casino.config import data_folder
from ricochet_casino.games.ricochet_poker.deals import StartingHand, starting_hands
from ricochet_casino.games.ricochet_poker.hand_tables import (
    ALWAYS,
    HandTable,
    limit_text,
    read_hand_table,
)
from ricochet_casino.games.ricochet_poker.notation import (
    kickout_meaning,
    kickout_text,
    line_names,
)
from ricochet_casino.games.ricochet_poker.odds import completions_at_least
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.readings import readings
from ricochet_casino.games.ricochet_poker.simple_rules import DEFAULT_CONDITIONS, RuleSearch
from ricochet_casino.games.ricochet_poker.solo_gains import (
    NAMED,
    SoloGains,
    as_hand_table,
    best_limits,
    hand_ranges,
    limits_play,
    solo_gains,
)
from ricochet_casino.games.ricochet_poker.units import Rules
from ricochet_casino.lab import CARD_DEALS, DEFAULT_SEED, DIFFERENCE_PILOT
from ricochet_casino.lab.differences import table_difference
from ricochet_casino.lab.running import Runner
from ricochet_casino.paytable import digest
from ricochet_casino.stats.exact import figure, fraction_text
from ricochet_casino.stats.intervals import LEVEL

SCHEMA: Final = "ricochet-casino/strategy/1"
COMPARED: Final = ("pot_odds", "pairs_and_big_cards", "always_play", "always_fold")
"""Strategies by name that are compared at tables of two players and more."""
BASELINE: Final = "collective"

_STATES = {"P": "play", "M": "mixed", "F": "fold"}


def strategy_card(
    paytable: RicochetPokerPaytable,
    players: int = 1,
    runner: Runner | None = None,
    *,
    conditions: int = DEFAULT_CONDITIONS,
    deals: int = CARD_DEALS,
    seed: int = DEFAULT_SEED,
    level: Fraction = LEVEL,
) -> dict[str, Any]:
    """The card of a paytable for one number of players, JSON values only, no floats.

    Parameters
    ----------
    paytable
        The game.
    players
        1 to 7, as the paytable covers.
    runner
        Workers, store and progress, for two players and more.
    conditions
        Most conditions of a simple rule, for one player.
    deals, seed, level
        Of each comparison, for two players and more.

    Raises
    ------
    PaytableError
        If the paytable does not cover so many players.
    ValueError
        If a number is out of range.
    """
    rules = paytable.rules(players)
    card: dict[str, Any] = {
        "schema": SCHEMA,
        "paytable": paytable.model_dump(mode="json"),
        "paytable_digest": digest(paytable),
        "readings": readings(paytable),
        "players": players,
        "kickout": kickout_text(rules.kickout_class),
    }
    if players == 1:
        gains = solo_gains(rules)
        return card | _solo_card(gains, conditions)
    runner = runner or Runner()
    return card | _table_card(paytable, rules, runner, deals=deals, seed=seed, level=level)


# --- One player ----------------------------------------------------------------------------------


def _solo_card(gains: SoloGains, conditions: int) -> dict[str, Any]:
    """Everything for one player; exact."""
    best = gains.best_rtp

    def priced(cost: Fraction) -> dict[str, Any]:
        return {"cost_per_ante": figure(cost), "rtp_per_ante": figure(best - cost)}

    fine, coarse = best_limits(gains), coarse_limits(gains)
    return {
        "method": "exact",
        "optimum": {"rtp_per_ante": figure(best), "house_edge": figure(1 - best)},
        "rules": [
            {
                "conditions": found.rule.size,
                "name": found.rule.name,
                "text": found.rule.text,
                **priced(found.cost),
            }
            for found in RuleSearch(gains).best(conditions)
        ],
        "weak_play": [{"strategy": name, **priced(gains.named_cost(name))} for name in NAMED],
        "limits": {
            **priced(gains.cost(limits_play(gains, coarse))),
            "rows": limit_rows(coarse),
            "hand_table": as_hand_table("card", coarse).to_json(),
        },
        "finest_limits": {
            **priced(gains.cost(limits_play(gains, fine))),
            "hand_table": as_hand_table("finest_card", fine).to_json(),
        },
        "map": [_map_row(gains, number, hand) for number, hand in enumerate(starting_hands())],
    }


def coarse_limits(gains: SoloGains) -> dict[str, int]:
    """The best limits among the lowest hands of the lines: pairs of a rank, two pair and so on."""
    return best_limits(gains, list(line_names().values()))


def limit_rows(limits: Mapping[str, int]) -> list[dict[str, Any]]:
    """Starting hands that share a limit, the widest limit first."""
    by_limit: dict[int, list[str]] = {}
    for hand, limit in limits.items():
        by_limit.setdefault(limit, []).append(hand)
    return [
        {
            "below": limit_text(limit),
            "meaning": "whatever the dealer stands with"
            if limit == ALWAYS
            else f"hands below {kickout_meaning(limit).removesuffix(', or better')}",
            "hands": hand_ranges(hands),
            "number": len(hands),
        }
        for limit, hands in sorted(by_limit.items(), reverse=True)
    ]


def _map_row(gains: SoloGains, number: int, hand: StartingHand) -> dict[str, Any]:
    """The best decisions of one hand: in runs, and up to where it always or never plays."""
    runs = []
    for run in gains.maps[number].split():
        end = int(run[1:]) + 1
        last = end >= gains.rules.kickout_class
        runs.append(
            {"decision": _STATES[run[0]], "below": "kickout" if last else _below(gains, end)}
        )
    first = next((n for n, run in enumerate(runs) if run["decision"] != "play"), len(runs))
    last_play = max((n for n, run in enumerate(runs) if run["decision"] != "fold"), default=-1)
    return {
        "hand": hand.name,
        "always_below": runs[first - 1]["below"] if first else None,
        "never_from": runs[last_play]["below"] if last_play >= 0 else None,
        "fold_deals": gains.folds[number],
        "mixed_deals": gains.mixed[number],
        "decisions": runs,
    }  # fmt: skip


def _below(gains: SoloGains, end: int) -> str:
    """The first class that is not in a run any more, as kickouts are written."""
    return kickout_text(min(end, gains.rules.kickout_class))


# --- Two players and more ------------------------------------------------------------------------


def _table_card(
    paytable: RicochetPokerPaytable,
    rules: Rules,
    runner: Runner,
    *,
    deals: int,
    seed: int,
    level: Fraction,
) -> dict[str, Any]:
    """The pot and what a play needs; limits for the pot; what simple strategies cost."""
    table = as_hand_table("card", coarse_limits(solo_gains(lone_rules(rules))))
    tight = read_hand_table(data_folder("configs") / "strategies" / "tight.yaml")
    rows = []
    for strategy in (table, tight, *COMPARED):
        found = table_difference(
            paytable, paytable, rules.players, runner,
            deals=deals, strategy=BASELINE, new_strategy=strategy, seed=seed, level=level,
            pilot=max(256, min(DIFFERENCE_PILOT, deals // 4)),
        )  # fmt: skip
        rows.append(_cost_row(strategy, found))
    return {
        "method": "sampled",
        "baseline": BASELINE,
        "deals": deals,
        "seed": seed,
        "bonus_values": bonus_values(rules),
        "pots": pot_rows(rules),
        "limits": {"rows": limit_rows(table.limits), "hand_table": table.to_json()},
        "strategies": rows,
    }


def lone_rules(rules: Rules) -> Rules:
    """A one-player game with the pot that the first of several players finds.

    Everybody's antes lie in it, and nobody else draws: the best limits of this game are what a
    hand table can know of the pot. Cards are counted as if only the dealer's were seen.
    """
    others = (rules.players - 1) * rules.ante
    return replace(rules, players=1, dealer_ante=rules.dealer_ante + others)


def _cost_row(strategy: str | HandTable, found: Mapping[str, Any]) -> dict[str, Any]:
    """What a strategy costs per player and ante; the interval turned round."""
    difference = found["difference"]["rtp_per_ante"]
    low, high = difference["interval"]
    return {
        "strategy": strategy if isinstance(strategy, str) else strategy.name,
        "cost_per_ante": {
            **difference,
            "decimal": _negative(difference["decimal"]),
            "interval": [_negative(high), _negative(low)],
        },
        "rtp_per_ante": found["new"]["rtp_per_ante"],
        "fold_frequency": found["new"]["fold_frequency"],
        "deals": found["deals"],
    }


def _negative(text: str) -> str:
    return text if text == "0" else text.removeprefix("-") if text.startswith("-") else f"-{text}"


_GROUPS: Final[tuple[tuple[str, Callable[[StartingHand], bool]], ...]] = (
    ("pairs", lambda hand: hand.high == hand.low),
    ("suited, near", lambda hand: hand.suited and _near(hand)),
    ("suited, apart", lambda hand: hand.suited and not _near(hand)),
    ("two suits, near", lambda hand: not hand.suited and hand.high > hand.low and _near(hand)),
    ("two suits, apart", lambda hand: not hand.suited and not _near(hand)),
)
"""Kinds of starting hands by what bonuses they can make."""


def _near(hand: StartingHand) -> bool:
    """Whether both cards fit into one straight."""
    return hand.high - hand.low <= 4 or (hand.high == 12 and hand.low <= 3)


def bonus_values(rules: Rules) -> list[dict[str, Any]]:
    """Mean bonus of a play in antes by kind of starting hand, before other cards are looked at."""
    rows = []
    values = {hand: _bonus_value(rules, hand) for hand in starting_hands()}
    for name, belongs in _GROUPS:
        members = [hand for hand in starting_hands() if belongs(hand)]
        deals = sum(hand.deals for hand in members)
        mean = sum((hand.deals * values[hand] for hand in members), Fraction()) / deals
        rows.append(
            {
                "kind": name,
                "hands": hand_ranges([hand.name for hand in members]),
                "mean": figure(mean),
                "least": figure(min(values[hand] for hand in members)),
                "most": figure(max(values[hand] for hand in members)),
            }
        )
    return rows


def _bonus_value(rules: Rules, hand: StartingHand) -> Fraction:
    """Mean bonus in antes over all completions from the 50 other cards (9.6)."""
    firsts = [line.first_class for line in rules.lines]
    reached = completions_at_least(hand.cards, (), firsts)
    return Fraction(rules.bonus_sum(reached), comb(50, 3) * rules.ante)


def pot_rows(rules: Rules) -> list[dict[str, Any]]:
    """Chance to take the pot that a play needs, by the number of play bets in it (12.6)."""
    kinds = [(row["kind"], Fraction(row["mean"]["exact"])) for row in bonus_values(rules)]
    return [_pot_row(rules, bets, kinds) for bets in range(rules.players)]


def _pot_row(rules: Rules, bets: int, kinds: Sequence[tuple[str, Fraction]]) -> dict[str, Any]:
    pot = rules.players * rules.ante + rules.dealer_ante + bets * rules.play_bet
    after = Fraction(pot + rules.play_bet, rules.ante)
    price = Fraction(rules.play_bet, rules.ante)
    return {
        "play_bets": bets,
        "pot_chips": fraction_text(pot * rules.unit),
        "chance_needed": figure(price / after),
        "with_bonus": {
            kind: figure(max(Fraction(), price - bonus) / after) for kind, bonus in kinds
        },
    }


def hand_table_text(card: Mapping[str, Any]) -> str:
    """The chart of a card as a file that `hand_tables.read_hand_table` reads."""
    table = card["limits"]["hand_table"]
    players = card["players"]
    lines = [
        f"# Limits for {players} player{'s' if players > 1 else ''}, from the strategy card of",
        f"# {card['paytable']['title']} (paytable digest {card['paytable_digest'][:12]}).",
        "# A hand plays against best live hands below its limit.",
        f"name: {table['name']}",
        "hands:",
        *(f'  {hand}: "{limit}"' for hand, limit in table["hands"].items()),
    ]
    return "\n".join(lines) + "\n"
