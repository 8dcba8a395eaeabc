"""How figures were found: strategies, their sources, samples, intervals, the random source."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from ricochet_casino.report.tables import (
    Column,
    Section,
    Table,
    chips,
    fixed,
    level_text,
    one_in,
    percent,
    percent_and_half,
    result_title,
    whole,
)

_RULINGS: Final = "docs/rulings.md, B"
_FIXED: Final = "a fixed rule of this project"
_STRATEGIES: Final = {
    "collective": (
        "all players together take as much as possible from the house, bonuses included",
        _RULINGS,
    ),
    "individual": (
        "each player maximises his own result, knowing that those after him do the same",
        _RULINGS,
    ),
    "collective_pot_only": (
        "as collective, but decisions ignore the bonuses, which are still paid",
        _RULINGS,
    ),
    "pot_odds": ("plays if the pot pays for the chance to beat the best live hand", _FIXED),
    "always_play": ("plays every hand", _FIXED),
    "always_fold": ("folds every hand", _FIXED),
    "pairs_and_big_cards": ("plays pairs and hands with a jack or better", _FIXED),
}


def strategy_names(result: Mapping[str, Any]) -> list[str]:
    """The strategies at the table, each once, in the order of seats."""
    strategy = result["strategy"]
    return [strategy] if isinstance(strategy, str) else list(dict.fromkeys(strategy))


def wagers_section(certified: Mapping[str, Any]) -> Section:
    """The wagers side by side: what each costs, and what it can win."""
    rows = []
    for result in certified["results"]:
        hit, award = result.get("hit_frequency"), result.get("top_award")
        exposure = result.get("maximum_exposure")
        rows.append(
            (
                f"main game, {result_title(result)}",
                percent_and_half(result["house_edge"]),
                percent_and_half(result["rtp_per_ante"]),
                fixed(result["sd_per_round"], 4),
                percent(hit) if hit else "-",
                one_in(award["one_in"]) if award else "-",
                chips(exposure["exact"]) if exposure else "-",
            )
        )
    for bet in certified["side_bets"]:
        possible = [row for row in bet["par_sheet"] if row["combinations"]]
        top = max(possible, key=lambda row: Fraction(row["net"]))
        rows.append(
            (
                f"{bet['label']} ({bet['method']})",
                percent(bet["house_edge"]),
                percent(bet["rtp"]),
                fixed(bet["sd"], 4),
                percent(bet["hit_frequency"]),
                one_in(top["one_in"]),
                chips(bet["maximum_exposure"]["exact"]),
            )
        )
    columns = (
        Column("wager"),
        Column("house edge", right=True),
        Column("RTP", right=True),
        Column("SD", right=True),
        Column("hits", right=True),
        Column("top award, 1 in", right=True, optional=True),
        Column("most the house can lose", right=True, optional=True),
    )
    text = (
        "Main game: per ante and per round. Side bets: per chip staked. The most the house can "
        "lose is in chips per round: to all players together in the main game, per chip staked in "
        "a side bet. A dash: not in this certificate."
    )
    return Section("Wagers", (text,), (Table("Wagers", columns, tuple(rows)),))


def strategy_section(certified: Mapping[str, Any]) -> Section:
    """Strategies, where they come from, and what the others cost, if the certificate says so."""
    results = certified["results"]
    names = dict.fromkeys(name for result in results for name in strategy_names(result))
    about = ("a hand table of a file, in full in the request below", "the user's file")
    rows = tuple((name, *_STRATEGIES.get(name, about)) for name in names)
    columns = (Column("strategy"), Column("what it does"), Column("source"))
    tables = [Table("Strategies", columns, rows)]
    costs = tuple(_costs(results))
    if costs:
        heads = (
            Column("players", right=True), Column("simpler strategy"),
            Column("house edge", right=True), Column("best strategy here"),
            Column("house edge of the best", right=True), Column("costs", right=True),
        )  # fmt: skip
        tables.append(Table("What simpler play costs, of an ante", heads, costs))
        text = "Costs are differences of the house edges; with intervals, both ends move."
    else:
        text = (
            "What simpler strategies cost: not in this certificate, which holds one strategy for "
            "each number of players."
        )
    return Section("Strategies", (text,), tuple(tables), sheet="Method")


def _costs(results: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """For each number of players, what each strategy costs against the best one there is."""
    for players in sorted({result["players"] for result in results}):
        own = [result for result in results if result["players"] == players]
        best = min(own, key=lambda result: Decimal(result["house_edge"]["decimal"]))
        for result in own:
            if result is best:
                continue
            edges = [Decimal(r["house_edge"]["decimal"]) for r in (result, best)]
            cost = percent({"decimal": edges[0] - edges[1]})
            name, top = (", ".join(strategy_names(r)) for r in (result, best))
            edge, least = (percent_and_half(r["house_edge"]) for r in (result, best))
            yield whole(players), name, edge, top, least, cost


def method_section(certified: Mapping[str, Any]) -> Section:
    """Method, sample, seed and stream, interval and its level, for every result."""
    rows = [_method_row(result) for result in certified["results"]]
    for bet in certified["side_bets"]:
        counted = whole(sum(row["combinations"] for row in bet["par_sheet"]))
        rows.append((str(bet["label"]), str(bet["method"]), f"{counted} combinations", *"----"))
    columns = (
        Column("result"),
        Column("method"),
        Column("of"),
        Column("seed"),
        Column("stream"),
        Column("interval of the RTP"),
        Column("half width", right=True),
    )
    text = (
        "Exact: every combination is counted with whole numbers, and nothing is rounded before it "
        "is printed. Sampled: means over independent deals, with intervals that hold at their "
        "level whatever the paytable (docs/math.md, section 7). Bounded: sampled, and the optimum "
        "lies between two limits that hold together at their level (docs/math.md, section 10)."
    )
    source = (
        "Random source: Philox4x64-10 in counter mode, keyed by (seed, stream); a deal owns words "
        "of its own, bounded numbers come from them by rejection, and the deck is shuffled by "
        "exchanges (Fisher-Yates), so that every order is equally likely (docs/math.md, section "
        "2). Tests of shuffles (positions, pairs, hand classes): not in this certificate."
    )
    convergence = (
        "Convergence of sampled figures: not in this certificate, which keeps a digest of each "
        "block and no figures of its own for it."
    )
    paragraphs = [text, source]
    if any(result["method"] != "exact" for result in certified["results"]):
        paragraphs.append(convergence)
    tables = (Table("Methods", columns, tuple(rows)),)
    return Section("Method", tuple(paragraphs), tables, sheet="Method")


def _method_row(result: Mapping[str, Any]) -> tuple[str, ...]:
    title = f"{result_title(result)}"
    if result["method"] == "exact":
        cycle = result["cycle"]
        number = whole(cycle["deals"] * cycle["completions_per_deal"])
        return (title, "exact", f"{number} combinations", *"----")
    taken = f"{whole(result['rounds'])} rounds" if "rounds" in result else (
        f"{whole(result['deals'])} deals")  # fmt: skip
    rtp = result["rtp_per_ante"]
    low, high = map(Decimal, rtp["interval"])
    name = str(rtp["interval_method"]).replace("_", " ")
    return (
        title, str(result["method"]), taken, str(result["seed"]), str(result["stream"]),
        f"{name}, {level_text(rtp)}", percent({"decimal": (high - low) / 2}),
    )  # fmt: skip
