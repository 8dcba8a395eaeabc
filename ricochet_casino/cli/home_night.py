"""`ricochet home night`: casino night at home, in words and tables."""

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Annotated, Any

import typer

from ricochet_casino.cli.certify import parse_strategy
from ricochet_casino.cli.common import (
    ExecutorOption,
    PaytableOption,
    Place,
    RestartOption,
    ResumeOption,
    SeedOption,
    StoreOption,
    TextOrJson,
    WorkersOption,
    check_text_or_json,
    load,
    parse_counts,
    running,
    say,
    say_json,
    say_rows,
    strategy_names,
)
from ricochet_casino.cli.output import asked
from ricochet_casino.lab import (
    DEFAULT_SEED,
    NIGHT_DEALS,
    NIGHT_EVENINGS,
    NIGHT_ROUNDS,
    NIGHT_STRATEGY,
)


def night(
    persons: Annotated[
        str, typer.Option(help="At the table, the dealer among them: 4, 2,4 or 2-7; 2 to 8.")
    ] = "4",
    rounds: Annotated[
        int, typer.Option(help="Rounds of an evening, 1 to 1,000; person 1 deals the first.")
    ] = NIGHT_ROUNDS,
    paytable: PaytableOption = "home_capped",
    strategy: Annotated[
        str,
        typer.Option(
            help="collective: all who play stand together against the dealer, her worst case; "
            "individual: everybody plays for himself (ten times slower); another strategy; or one "
            "per person with commas between.",
            autocompletion=strategy_names,
        ),
    ] = NIGHT_STRATEGY,
    evenings: Annotated[
        int, typer.Option(min=1, max=10**13, help="Evenings to play, for three persons and more.")
    ] = NIGHT_EVENINGS,
    deals: Annotated[
        int,
        typer.Option(
            min=1, max=10**13, help="Deals for the dealer's gain, for three persons and more."
        ),
    ] = NIGHT_DEALS,
    seed: SeedOption = DEFAULT_SEED,
    form: TextOrJson = "text",
    workers: WorkersOption = 1,
    executor: ExecutorOption = "auto",
    store: StoreOption = None,
    resume: ResumeOption = False,
    restart: RestartOption = False,
) -> None:
    """Casino night: the casino game at home, each person deals in turn; who gains from dealing.

    The dealer banks the game: what the others win, she pays. Told are what one deal gains, exactly
    with two persons and sampled with more; whether an evening of turns is fair; and what luck does
    to everybody's chips. Examples: `ricochet home night`, all tables at once:
    `ricochet home night --persons 2-7`, bonuses as in the casino: `ricochet home night --persons 2
    --paytable home_uncapped`, an evening whose turns do not come out even:
    `ricochet home night --persons 3 --rounds 25`, and a weak player in seat 1:
    `ricochet home night --persons 3 --strategy pairs_and_big_cards,collective,collective`.
    """
    check_text_or_json(form)
    counts = parse_counts(persons, 2, 8, "persons")
    chosen = parse_strategy(strategy)
    from ricochet_casino.lab.night import NightRequest, check_request, night
    from ricochet_casino.lab.requests import seats_for

    strategies = seats_for(chosen, len(chosen) if isinstance(chosen, tuple) else 1)
    request = NightRequest(counts, rounds, strategies, evenings, deals, seed)
    model = load(paytable)
    check_request(model, request)
    place = Place(workers, executor, store, resume, restart)
    with running(place, asked(model, {"what": "home_night", **request.to_json()})) as runner:
        found = night(model, request, runner)
    if form == "json":
        say_json(found)
        return
    _tell(found)


def _tell(found: dict[str, Any]) -> None:
    say(f"{found['title']}. All amounts are chips.")
    dealt = [result for result in found["results"] if result["dealing"]]
    if dealt:
        say(f"Everybody plays {dealt[0]['strategy']}.\n\nWho gains from dealing, by the deal\n")
        names = ["persons", "the dealer", "each player", "a turn is worth", "SD, dealing"]
        names += ["SD, playing", "a deal can cost", "method"]
        say_rows(names, map(_dealing_row, dealt))
        say("A turn is worth what dealing a round brings beside playing it.")
    if any(result["evening"]["method"] == "sampled" for result in found["results"]):
        say(
            "What follows ± is half of an interval of 99 % (the SD of an evening: 98 %), 'a to b' "
            "is one in full; what has none is exact."
        )
    for result in dealt:
        if "exact" in result["dealing"]["dealer_gain"]:
            gain = result["dealing"]["dealer_gain"]["exact"]
            say(f"With two persons the dealer gains exactly {gain} of a chip a deal.")
    for result in found["results"]:
        _tell_evening(result)


def _dealing_row(result: dict[str, Any]) -> tuple[str, ...]:
    dealing = result["dealing"]
    return (
        str(result["persons"]),
        *(_signed(dealing[name]) for name in ("dealer_gain", "player_gain", "turn")),
        *(_about(dealing[name]) for name in ("dealer_sd", "player_sd")),
        _chips(dealing["maximum_exposure"]),
        dealing["method"],
    )


def _tell_evening(result: dict[str, Any]) -> None:
    evening, persons, rounds = result["evening"], result["persons"], result["rounds"]
    sampled = evening["method"] == "sampled"
    how = f"{_plural(evening['evenings'], 'evening')} played" if sampled else "exact"
    say(f"\nAn evening of {_plural(rounds, 'round')}, {persons} persons: {how}\n")
    names = ["person", "deals", "expects" if result["dealing"] else "strategy"]
    names += ["mean, all at 99 %"] if sampled else []
    say_rows((*names, "5 %", "median", "95 %", "ahead"), map(_person_row, evening["by_person"]))
    for line in _verdict(result):
        say(line)


def _person_row(row: dict[str, Any]) -> tuple[str, ...]:
    cells = [str(row["person"]), str(row["deals"])]
    cells.append(_signed(row["expected"]) if "expected" in row else row["strategy"])
    if "mean" in row:
        cells.append(_signed(row["mean"]))
    return (*cells, *map(_quantile, row["quantiles"]), _percent(row["ahead"]))


def _verdict(result: dict[str, Any]) -> Iterator[str]:
    """Whether the rotation is fair, and what luck does."""
    rows, rounds, persons = result["evening"]["by_person"], result["rounds"], result["persons"]
    if result["dealing"] is None:
        yield from _compared(rows)
        return
    if result["full_rotation"]:
        yield (
            f"Is the rotation fair? Yes. Everybody deals {rows[0]['deals']} of the {rounds:,} "
            "rounds and plays alike, so everybody's expectation is exactly 0, by symmetry."
        )
    else:
        more = rounds % persons
        who = "Person 1 deals" if more == 1 else f"Persons 1 to {more} deal"
        yield (
            f"Is the rotation fair? Not quite, for {rounds:,} is no multiple of "
            f"{persons}. {who} once more than the others, for an expectation of "
            f"{_with_ends(rows[0]['expected'])} chips an evening each; "
            f"{_rest(persons - more)} {_with_ends(rows[-1]['expected'])}."
        )
    yield (
        f"And luck? Person 1's evening has an SD of {_about(rows[0]['sd'])} chips; at least one in "
        f"twenty ends at {_quantile(rows[0]['quantiles'][0])} or below, and as many at "
        f"{_quantile(rows[0]['quantiles'][-1])} or above."
    )
    if result["agrees"] is not None:
        means = [float(row["mean"]["decimal"]) for row in rows]
        told = "contain" if result["agrees"] else "DO NOT contain"
        yield (
            f"In the {_plural(result['evening']['evenings'], 'evening')} played the means are "
            f"{min(means):+.2f} to {max(means):+.2f}; their intervals, all at 99 % together, "
            f"{told} what is expected."
        )


def _compared(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Who is better off, where persons play differently: by intervals that hold at once."""
    ends = {row["person"]: [float(end) for end in row["mean"]["interval"]] for row in rows}
    up = [str(person) for person, (low, _) in ends.items() if low > 0]
    down = [str(person) for person, (_, high) in ends.items() if high < 0]
    for who, what in ((up, "gain"), (down, "lose")):
        if who:
            yield f"For certain (all at 99 %) {what}: person {', person '.join(who)}."
    if not up and not down:
        yield "Nobody gains or loses for certain: play more --evenings."


def _rest(others: int) -> str:
    return "the other one expects" if others == 1 else f"the other {others} expect"


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _number(text: str, digits: int, sign: str = "") -> str:
    return f"{float(text):{sign},.{digits}f}"


def _about(figure: dict[str, Any], sign: str = "") -> str:
    """A figure with half its interval, as many digits as that tells."""
    if figure.get("exact") == "0/1":
        return "0"
    if "interval" not in figure:
        return _number(figure["decimal"], 6 if sign else 3, sign)
    low, high = map(Decimal, figure["interval"])
    half = (high - low) / 2
    digits = 4 if half < Decimal("0.01") else 3 if half < Decimal("0.1") else 2
    return _around(Decimal(figure["decimal"]), low, high, digits, sign)


def _around(middle: Decimal, low: Decimal, high: Decimal, digits: int, sign: str = "") -> str:
    """A rounded number and what must be added on both sides to reach the ends of its interval."""
    unit = Decimal(1).scaleb(-digits)
    shown = middle.quantize(unit)
    half = max(high - shown, shown - low).quantize(unit, ROUND_CEILING)
    return f"{shown:{sign},f} ± {half:f}"


def _signed(figure: dict[str, Any]) -> str:
    return _about(figure, "+")


def _with_ends(figure: dict[str, Any]) -> str:
    """A figure with the ends of its interval."""
    if "interval" not in figure:
        return f"exactly {figure['exact']} ({_number(figure['decimal'], 6, '+')})"
    low, high = map(Decimal, figure["interval"])
    unit = Decimal("0.0001")
    ends = f"{low.quantize(unit, ROUND_FLOOR):+f} to {high.quantize(unit, ROUND_CEILING):+f}"
    return f"{_number(figure['decimal'], 4, '+')} ({ends})"


def _quantile(figure: dict[str, Any]) -> str:
    """A quantile; the ends of its interval where they are apart."""
    ends = dict.fromkeys(figure.get("interval", [figure["decimal"]]))
    return " to ".join("0" if float(end) == 0 else f"{float(end):+,.6g}" for end in ends)


def _percent(figure: dict[str, Any]) -> str:
    middle, low, high = (Decimal(text) * 100 for text in (figure["decimal"], *figure["interval"]))
    if high - low < Decimal("0.001"):
        return f"{middle:.2f} %"
    return f"{_around(middle, low, high, 1)} %"


def _chips(figure: dict[str, Any]) -> str:
    return f"{float(figure['decimal']):,g}"
