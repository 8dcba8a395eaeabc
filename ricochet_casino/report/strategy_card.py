"""Strategy cards for reading: charts, simple rules, costs, and chances that a pot needs."""

import json
from collections.abc import Mapping
from typing import Any, Final

from ricochet_casino.cards.deck import RANKS
from ricochet_casino.report.comparison import with_width
from ricochet_casino.report.tables import Column, Section, Table, chips, fixed, level_text, percent
from ricochet_casino.report.terminal import to_text

FORMATS: Final = ("text", "json")


def render(card: Mapping[str, Any], form: str, *, every_hand: bool = False) -> str:
    """A card as text in one of `FORMATS`; with `every_hand` the text lists all 169 hands.

    Raises
    ------
    ValueError
        For another format.
    """
    if form == "json":
        return json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    if form == "text":
        return to_text(sections(card, every_hand=every_hand))
    raise ValueError(f"unknown format {form!r}: expected {' or '.join(FORMATS)}")


def sections(card: Mapping[str, Any], *, every_hand: bool = False) -> list[Section]:
    """All sections, in reading order."""
    players = card["players"]
    who = f"{players} player{'s' if players > 1 else ''}"
    head = Section(
        f"Strategy card: {card['paytable']['title']}, {who}",
        (f"Paytable digest {card['paytable_digest'][:12]}; the dealer is out with "
         f"{card['kickout']} or better.",),
    )  # fmt: skip
    if card["method"] == "exact":
        return [head, *_solo_sections(card, every_hand=every_hand)]
    return [head, *_table_sections(card)]


def _solo_sections(card: Mapping[str, Any], *, every_hand: bool) -> list[Section]:
    best, limits, fine = card["optimum"], card["limits"], card["finest_limits"]
    first = (
        f"Best play: RTP {percent(best['rtp_per_ante'])}, house edge "
        f"{percent(best['house_edge'])}, per ante. All figures on this card are exact."
    )
    chart = (
        f"Play against hands of the dealer below the one shown; it costs "
        f"{percent(limits['cost_per_ante'])} of an ante against the best play, which also looks "
        "at the cards of yours that the dealer holds and at suits. With the finest limit for each "
        f"hand that would be {percent(fine['cost_per_ante'])}."
    )
    found = [
        Section("Simple rules", (first,), (_rule_table(card["rules"]),)),
        Section("Weak play", (), (_weak_table(card["weak_play"]),)),
        Section("What each hand plays against", (chart,), (_chart(limits), _rows(limits))),
    ]
    if every_hand:
        found.append(Section("The best play, hand by hand", (_MAP_TEXT,), (_map_table(card),)))
    return found


_MAP_TEXT = (
    "Below the first hand it is always right to play, from the second on always to fold; between "
    "them it depends on the dealer's other cards, and in mixed deals on suits."
)


def _rule_table(rules: list[Mapping[str, Any]]) -> Table:
    rows = [
        (str(rule["conditions"]), percent(rule["cost_per_ante"]), percent(rule["rtp_per_ante"]),
         rule["text"])
        for rule in rules
    ]  # fmt: skip
    columns = (
        Column("conditions", right=True),
        Column("cost per ante", right=True),
        Column("RTP", right=True),
        Column("rule (otherwise fold)"),
    )
    return Table("The best found with so many conditions", columns, tuple(rows))


def _weak_table(weak: list[Mapping[str, Any]]) -> Table:
    rows = [
        (row["strategy"], percent(row["cost_per_ante"]), percent(row["rtp_per_ante"]))
        for row in weak
    ]
    columns = (Column("strategy"), Column("cost per ante", right=True), Column("RTP", right=True))
    return Table("", columns, tuple(rows))


def _chart(limits: Mapping[str, Any]) -> Table:
    """Limits of all hands: suited above the diagonal, two suits below."""
    below = limits["hand_table"]["hands"]
    rows = []
    for first in reversed(RANKS):
        row = [first]
        for second in reversed(RANKS):
            high, low = sorted((first, second), key=RANKS.index, reverse=True)
            name = high + low if high == low else high + low + ("s" if first == high else "o")
            row.append(below[name])
        rows.append(tuple(row))
    columns = (Column(""), *(Column(rank, right=True) for rank in reversed(RANKS)))
    return Table("Suited hands above the diagonal, others below", columns, tuple(rows))


def _rows(limits: Mapping[str, Any]) -> Table:
    rows = [
        (row["below"], str(row["number"]), row["meaning"], row["hands"]) for row in limits["rows"]
    ]
    columns = (
        Column("limit"),
        Column("hands", right=True),
        Column("plays against"),
        Column("which"),
    )
    return Table("The same by limit", columns, tuple(rows))


def _map_table(card: Mapping[str, Any]) -> Table:
    rows = [
        (
            row["hand"],
            row["always_below"] or "-",
            row["never_from"] or "-",
            f"{row['fold_deals']:,}",
            f"{row['mixed_deals']:,}",
        )
        for row in card["map"]
    ]
    columns = (
        Column("hand"),
        Column("always below", right=True),
        Column("never from", right=True),
        Column("deals folded", right=True),
        Column("in mixed classes", right=True),
    )
    return Table("", columns, tuple(rows))


def _table_sections(card: Mapping[str, Any]) -> list[Section]:
    level = level_text(card["strategies"][0]["cost_per_ante"])
    pots = (
        "A play pays for itself if the chance to take the pot is at least this; a likely bonus "
        "lowers it. Players after you are left out: as a group they may still take the pot, which "
        "speaks for folding what is close; each for himself, they may take it from you."
    )
    chart = (
        "The best limits for the first to act, if nobody else drew: play against best live hands "
        "below the one shown."
    )
    costs = (
        f"Against {card['baseline']}, if everybody plays like this; {card['deals']:,} deals, each "
        f"played both ways, seed {card['seed']}; {level} intervals. `card` is the table above."
    )
    return [
        Section("Chances that a play needs", (pots,), (_pot_table(card), _bonus_table(card))),
        Section("Limits", (chart,), (_chart(card["limits"]), _rows(card["limits"]))),
        Section("What simple play costs", (costs,), (_cost_table(card),)),
    ]


def _pot_table(card: Mapping[str, Any]) -> Table:
    kinds = list(card["pots"][0]["with_bonus"])
    rows = [
        (
            str(row["play_bets"]),
            chips(row["pot_chips"]),
            percent(row["chance_needed"], 2),
            *(percent(row["with_bonus"][kind], 2) for kind in kinds),
        )
        for row in card["pots"]
    ]
    columns = (
        Column("play bets so far", right=True),
        Column("pot, chips", right=True),
        Column("no bonus", right=True),
        *(Column(kind, right=True) for kind in kinds),
    )
    return Table("Chance needed, by kind of starting hand", columns, tuple(rows))


def _bonus_table(card: Mapping[str, Any]) -> Table:
    rows = [
        (row["kind"], fixed(row["mean"], 4), fixed(row["least"], 4), fixed(row["most"], 4))
        for row in card["bonus_values"]
    ]
    columns = (Column("starting hands"), *(Column(name, right=True) for name in
               ("mean", "least", "most")))  # fmt: skip
    return Table("Mean bonus of a play, in antes", columns, tuple(rows))


def _cost_table(card: Mapping[str, Any]) -> Table:
    rows = [
        (
            row["strategy"],
            with_width(row["cost_per_ante"], percent),
            with_width(row["rtp_per_ante"], percent),
            with_width(row["fold_frequency"], percent),
        )
        for row in card["strategies"]
    ]
    columns = (Column("strategy"), *(Column(name, right=True) for name in
               ("cost per ante", "RTP", "folds")))  # fmt: skip
    return Table("", columns, tuple(rows))
