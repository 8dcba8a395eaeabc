"""Whether a certificate holds what a report of it has to say: nothing that is gone is made up."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import inf
from typing import Any, Final

_COMMON: Final = (
    "house_edge", "rtp_per_ante", "ev_per_ante", "average_bet", "sd_per_round", "fold_frequency",
    "play_frequency", "win_frequency", "kickout_frequency",
)  # fmt: skip
_RISK: Final = ("element_of_risk", "rtp_per_action", "maximum_exposure")
_EXACT: Final = (
    *_COMMON, *_RISK, "variance_per_round", "sd_per_unit_bet", "skewness", "volatility_index",
    "tie_frequency", "lose_frequency", "push_frequency", "hit_frequency", "fold_per_decision",
    "play_per_decision", "win_per_decision", "tie_per_decision", "lose_per_decision",
)  # fmt: skip
_TABLE: Final = (
    *_COMMON, *_RISK, "fold_per_decision", "split_frequency", "dealer_win_frequency",
    "house_net_per_round", "house_sd_per_round",
)  # fmt: skip
_RAW: Final = (*_COMMON, "split_frequency", "dealer_win_frequency", "house_net_per_round")
_BET: Final = ("house_edge", "rtp", "ev", "hit_frequency", "sd", "variance", "maximum_exposure")
_SEAT: Final = ("rtp_per_ante", "ev_per_ante", "fold_frequency", "win_frequency")
_EVENT: Final = ("probability", "contribution")


class ReportError(ValueError):
    """A document that no report can be made of."""


def check_certified(certified: Mapping[str, Any], name: str) -> None:
    """Refuse a certificate that lacks a figure, or whose par sheets do not add up.

    Parameters
    ----------
    certified
        The certified part.
    name
        Of the file, for messages.

    Raises
    ------
    ReportError
        With the place of what is wrong.
    """
    _Check(name).certified(certified)


def check_figures(value: Any, name: str, path: str = "") -> None:
    """Refuse a document with a figure that is no number, or an interval that is none.

    Raises
    ------
    ReportError
        With the place of what is wrong.
    """
    _Check(name).figures(value, path)


class _Check:
    """The checks of one file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def refuse(self, path: str, text: str) -> ReportError:
        place = f"{path}: " if path else ""
        return ReportError(
            f"{self.name}: {place}{text}; no report is made of it. Was the file changed? "
            "`ricochet verify` compares a certificate to the last digit"
        )

    def need(self, value: Any, path: str, keys: Sequence[str], what: str = "entry") -> None:
        """All of the keys have to be there."""
        if not isinstance(value, dict):
            raise self.refuse(path, f"expected an {what} with {keys[0]} and so on")
        for key in keys:
            if key not in value:
                raise self.refuse(path, f"{key} is missing")

    def figure(self, entry: Mapping[str, Any], path: str, keys: Sequence[str]) -> None:
        """All of the keys have to be there, each with a figure."""
        self.need(entry, path, keys)
        for key in keys:
            self.need(entry[key], f"{path}.{key}", ("decimal",), "figure")

    def listed(self, entry: Mapping[str, Any], path: str, key: str) -> list[tuple[str, Any]]:
        """The elements of a list, with their paths."""
        self.need(entry, path, (key,))
        where = f"{path}.{key}" if path else key
        if not isinstance(entry[key], list):
            raise self.refuse(where, "expected a list")
        return [(f"{where}[{index}]", part) for index, part in enumerate(entry[key])]

    def certified(self, certified: Mapping[str, Any]) -> None:
        keys = ("game", "paytable", "paytable_digest", "readings", "results", "side_bets", "spec")
        self.need(certified, "", keys)
        self.need(certified["paytable"], "paytable", ("title", "ante", "bonus"))
        for path, row in self.listed(certified, "", "readings"):
            self.need(row, path, ("ruling", "setting", "value", "meaning"))
        results = self.listed(certified, "", "results")
        if not results:
            raise self.refuse("results", "expected at least one")
        self.figures(certified, "")
        for path, result in results:
            self.result(result, path)
        for path, bet in self.listed(certified, "", "side_bets"):
            self.need(bet, path, ("name", "label", "method", "par_sheet"))
            self.figure(bet, path, _BET)
            self.par_sheet(bet, path, "ev")

    def result(self, result: Any, path: str) -> None:
        """An entry of any method."""
        self.need(result, path, ("players", "strategy", "method"))
        if not isinstance(result["players"], int):
            raise self.refuse(f"{path}.players", "expected a whole number")
        if result["method"] == "exact":
            self.exact(result, path)
        elif result["method"] in ("sampled", "bounded"):
            self.sampled(result, path)
        else:
            raise self.refuse(f"{path}.method", "expected exact, sampled or bounded")

    def exact(self, result: Mapping[str, Any], path: str) -> None:
        """Figures, par sheet and contributions that add up, distribution and map."""
        from ricochet_casino.report.plots import hand_names

        self.figure(result, path, _EXACT)
        self.need(result["volatility_index"], f"{path}.volatility_index", ("z",))
        self.need(result, path, ("cycle", "top_award", "by_hand"))
        self.need(result["cycle"], f"{path}.cycle", ("deals", "completions_per_deal"))
        if result["top_award"]:
            self.need(result["top_award"], f"{path}.top_award", ("line", "pays", "one_in"))
        self.par_sheet(result, path, "ev_per_ante")
        total = Fraction()
        for where, part in self.listed(result, path, "contributions"):
            self.need(part, where, ("part", "decimal", "exact"))
            total += Fraction(part["exact"])
        if total != Fraction(result["ev_per_ante"]["exact"]):
            raise self.refuse(f"{path}.contributions", "they do not add up to the EV")
        for where, row in self.listed(result, path, "distribution"):
            self.need(row, where, ("net", "combinations"))
        for hand in hand_names():
            where = f"{path}.by_hand.{hand}"
            self.need(result["by_hand"], f"{path}.by_hand", (hand,))
            self.need(result["by_hand"][hand], where, ("deals", "fold_deals"))
        if "independent_check" in result:
            keys = ("rounds", "seed", "stream", "ev_per_ante", "chi_square", "outcomes")
            self.need(result["independent_check"], f"{path}.independent_check", keys)

    def sampled(self, result: Mapping[str, Any], path: str) -> None:
        """Figures with intervals, by line, order and pot."""
        raw = "rounds" in result
        self.figure(result, path, _RAW if raw else _TABLE)
        self.need(result["rtp_per_ante"], f"{path}.rtp_per_ante", ("interval", "interval_method"))
        self.need(result, path, ("seed", "stream", "bonus_lines"))
        if raw:
            for where, seat in self.listed(result, path, "by_seat"):
                self.need(seat, where, ("seat", "strategy"))
                self.figure(seat, where, _SEAT)
            return
        self.need(result, path, ("deals", "pilot", "raw"))
        self.need(result["pilot"], f"{path}.pilot", ("deals",))
        self.figure(result["raw"], f"{path}.raw", ("ev_per_ante",))
        for where, line in self.listed(result, path, "bonus_lines"):
            self.need(line, where, ("line", "pays"))
            self.figure(line, where, ("frequency", "contribution"))
        for where, row in self.listed(result, path, "by_order"):
            self.need(row, where, ("place",))
            self.figure(row, where, _SEAT)
        for where, row in self.listed(result, path, "pot_sizes"):
            self.need(row, where, ("chips", "play_bets"))
            self.figure(row, where, ("frequency",))
        if result["method"] == "bounded":
            self.need(result, path, ("optimum",))
            self.need(result["optimum"], f"{path}.optimum", ("lower", "upper", "gap", "level"))

    def par_sheet(self, entry: Mapping[str, Any], path: str, mean: str) -> None:
        """Every event with its figures; together they are the whole and give the mean."""
        events = self.listed(entry, path, "par_sheet")
        cycle, share, total = 0, Fraction(), Fraction()
        for where, row in events:
            self.need(row, where, ("event", "combinations", "net", "one_in"))
            self.figure(row, where, _EVENT)
            if not isinstance(row["combinations"], int) or row["combinations"] < 0:
                raise self.refuse(f"{where}.combinations", "expected a whole number")
            cycle += row["combinations"]
            share += Fraction(row["probability"]["exact"])
            total += Fraction(row["contribution"]["exact"])
        if share != 1 or not cycle:
            raise self.refuse(f"{path}.par_sheet", f"its probabilities add up to {share}, not to 1")
        if total != Fraction(entry[mean]["exact"]):
            raise self.refuse(f"{path}.par_sheet", f"its contributions do not add up to {mean}")

    def figures(self, value: Any, path: str) -> None:
        """Every figure, wherever it stands, is a number, and its interval has two ends."""
        if isinstance(value, list):
            for index, part in enumerate(value):
                self.figures(part, f"{path}[{index}]")
        if not isinstance(value, dict):
            return
        if "decimal" in value:
            self.number(value["decimal"], f"{path}.decimal", undefined=True)
            if "exact" in value:
                self.fraction(value["exact"], f"{path}.exact")
            if "interval" in value:
                self.interval(value, path)
        for key, part in value.items():
            self.figures(part, f"{path}.{key}" if path else str(key))

    def interval(self, figure: Mapping[str, Any], path: str) -> None:
        """Two ends, the lower first, with level and method."""
        self.need(figure, path, ("level", "interval_method"))
        ends = figure["interval"]
        if not isinstance(ends, list) or len(ends) != 2:
            raise self.refuse(f"{path}.interval", "expected two ends")
        for end in ends:
            self.number(end, f"{path}.interval")
        self.number(figure["level"], f"{path}.level")
        if Decimal(ends[0]) > Decimal(ends[1]):
            raise self.refuse(f"{path}.interval", "the lower end lies above the upper one")

    def number(self, text: Any, path: str, *, undefined: bool = False) -> None:
        """A number in decimal notation."""
        try:
            fine = isinstance(text, str) and abs(float(Decimal(text))) < inf
        except InvalidOperation:
            fine = undefined and text == "undefined"
        if not fine:
            raise self.refuse(path, "expected a decimal number as text")

    def fraction(self, text: Any, path: str) -> None:
        """A fraction ``n/d``."""
        try:
            fine = isinstance(text, str) and abs(float(Fraction(text))) < inf
        except (ValueError, ArithmeticError):
            fine = False
        if not fine:
            raise self.refuse(path, "expected a fraction such as 3/4")
