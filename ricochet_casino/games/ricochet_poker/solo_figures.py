"""From the tally of the one-player game to every figure of its certificate.

An outcome is fold, kickout, win, tie (the dealer loses ties) or lose, each but the first with the
bonus line of the completed hand. The outcomes with their exact weights are the whole distribution
of the net result; every figure is read off it. Formulas: docs/math.md, section 4.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from ricochet_casino.experiment import Tally
from ricochet_casino.games.ricochet_poker.deals import (
    COMPLETIONS,
    DEALER_HANDS_PER_HAND,
    TOTAL_DEALS,
    starting_hands,
)
from ricochet_casino.games.ricochet_poker.paytable import Rules
from ricochet_casino.stats.exact import decimal_text, figure, fraction_text, moments, square_root

NO_BONUS = "none"
NO_CARDS = "no_cards"
VOLATILITY_Z = Fraction(165, 100)
"""Multiplier of the standard deviation in the volatility index, the usual one of par sheets."""

CYCLE = TOTAL_DEALS * COMPLETIONS
FOLD, KICKOUT, WIN, TIE, LOSE = OUTCOMES = ("fold", "kickout", "win", "tie", "lose")


@dataclass(frozen=True)
class Outcome:
    """One way in which a round can end.

    Attributes
    ----------
    kind
        One of `OUTCOMES`.
    line
        Name of the bonus line, ``none`` for no bonus, or ``no_cards`` for a pot won with two.
    weight
        Combinations: deals times 14,190 completions.
    net
        Result of the player in units.
    bet
        Ante and play bet, in units.
    bonus
        Units of bonus, part of ``net``.
    """

    kind: str
    line: str
    weight: int
    net: int
    bet: int
    bonus: int

    @property
    def event(self) -> str:
        """Name of its row in the par sheet."""
        if self.kind == FOLD:
            return "fold"
        plain = {NO_BONUS: "no bonus", NO_CARDS: "no cards"}
        return f"{self.kind}, {plain.get(self.line, self.line)}"


class SoloOutcomes:
    """The distribution of the one-player game: outcomes with exact weights.

    Parameters
    ----------
    rules
        The game in units.
    tally
        Sum over the 169 starting hands.
    """

    def __init__(self, rules: Rules, tally: Tally) -> None:
        self.rules = rules
        self.counts = tally.counts
        self.outcomes = tuple(self._outcomes())
        if sum(outcome.weight for outcome in self.outcomes) != CYCLE:
            raise AssertionError("the outcomes do not sum to the cycle")

    def _outcomes(self) -> Iterator[Outcome]:
        rules, counts = self.rules, self.counts
        lines = [(NO_BONUS, 0), *((line.name, line.pays) for line in rules.lines)]
        yield Outcome(FOLD, NO_BONUS, counts["fold"] * COMPLETIONS, -rules.ante, rules.ante, 0)
        won, lost = rules.dealer_ante, -rules.ante - rules.play_bet
        undrawn = (counts["kickout"] - counts["drawn"]) * COMPLETIONS
        yield Outcome(KICKOUT, NO_CARDS, undrawn, won, rules.ante, 0)
        bet = rules.ante + (rules.play_bet if rules.last_hand == "may_play" else 0)
        for name, pays in lines:
            yield Outcome(KICKOUT, name, counts[f"kickout.{name}"], won + pays, bet, pays)
        bet = rules.ante + rules.play_bet
        for kind, net in ((WIN, won), (TIE, won), (LOSE, lost)):
            for name, pays in lines:
                yield Outcome(kind, name, counts[f"{kind}.{name}"], net + pays, bet, pays)

    @cached_property
    def by_net(self) -> dict[Fraction, int]:
        """Net result in antes -> combinations, rising; results that cannot occur are left out."""
        found: dict[Fraction, int] = defaultdict(int)
        for outcome in self.outcomes:
            if outcome.weight:
                found[Fraction(outcome.net, self.rules.ante)] += outcome.weight
        return dict(sorted(found.items()))

    def mean(self, of: str) -> Fraction:
        """Mean of ``net``, ``bet`` or ``bonus`` in antes per round."""
        total = sum(outcome.weight * int(getattr(outcome, of)) for outcome in self.outcomes)
        return Fraction(total, CYCLE * self.rules.ante)

    def share(self, *kinds: str) -> Fraction:
        """Probability of the outcome kinds."""
        return Fraction(sum(o.weight for o in self.outcomes if o.kind in kinds), CYCLE)

    @property
    def hits(self) -> int:
        """Combinations in which the player is paid anything."""
        return sum(o.weight for o in self.outcomes if o.bonus or o.kind in (KICKOUT, WIN, TIE))

    @property
    def exposure(self) -> Fraction:
        """Most chips that the house can lose in a round."""
        return self.rules.unit * max(0, *(o.net for o in self.outcomes if o.weight))

    def per_unit_bet(self) -> Mapping[Fraction, int]:
        """Net - r x bet in antes, r the return per chip wagered -> combinations."""
        ratio = self.mean("net") / self.mean("bet")
        found: dict[Fraction, int] = defaultdict(int)
        for outcome in self.outcomes:
            found[(outcome.net - ratio * outcome.bet) / self.rules.ante] += outcome.weight
        return found


def solo_entry(rules: Rules, tally: Tally, strategy: str) -> dict[str, Any]:
    """The entry of the certificate for one player and one strategy, JSON values only.

    The part ``by_hand`` is there if the tally has notes: the decisions of each starting hand.
    """
    found = SoloOutcomes(rules, tally)
    counts = tally.counts
    entry: dict[str, Any] = {
        "players": 1,
        "strategy": strategy,
        "method": "exact",
        "cycle": {"deals": TOTAL_DEALS, "completions_per_deal": COMPLETIONS},
        "counts": {
            "fold_deals": counts["fold"],
            "play_deals": counts["play"],
            "kickout_deals": counts["kickout"],
            "kickout_deals_drawn": counts["drawn"],
            "winning_completions": sum(
                number for name, number in counts.items() if name.startswith(("win.", "tie."))
            ),
            "tying_completions": sum(
                number for name, number in counts.items() if name.startswith("tie.")
            ),
        },
    }
    entry |= {name: figure(value) for name, value in solo_figures(found).items()}
    entry["volatility_index"]["z"] = decimal_text(VOLATILITY_Z)
    entry["contributions"] = [
        {"part": part, **figure(value)} for part, value in _contributions(found)
    ]
    entry["top_award"] = _top_award(found)
    entry["maximum_exposure"] = figure(found.exposure)
    entry["distribution"] = [
        {"net": fraction_text(net), "combinations": weight} for net, weight in found.by_net.items()
    ]
    entry["par_sheet"] = [_par_row(found, outcome) for outcome in found.outcomes]
    if "class_map_loss" in counts:
        loss = Fraction(counts["class_map_loss"], CYCLE * rules.ante)
        entry["class_map_loss"] = figure(loss)
    if tally.notes:
        entry["by_hand"] = {
            hand.name: {
                "deals": hand.deals * DEALER_HANDS_PER_HAND,
                "fold_deals": counts[f"hand.{hand.name}.fold"],
                "mixed_deals": counts[f"hand.{hand.name}.mixed"],
                "decisions": tally.notes[hand.name],
            }
            for hand in starting_hands()
        }
    return entry


def solo_figures(found: SoloOutcomes) -> dict[str, Fraction | Decimal | None]:
    """All figures of the game; per ante and per round unless the name says otherwise."""
    net, bet = found.mean("net"), found.mean("bet")
    spread = moments(found.by_net)
    unit_spread = moments(found.per_unit_bet())
    decided = Fraction(TOTAL_DEALS - found.counts["kickout"], TOTAL_DEALS)
    fold, play = found.share(FOLD), found.share(WIN, TIE, LOSE)

    def per_decision(share: Fraction) -> Fraction | None:
        return share / decided if decided else None

    push = sum(o.weight for o in found.outcomes if o.net == 0)
    return {
        "ev_per_ante": net,
        "rtp_per_ante": 1 + net,
        "house_edge": -net,
        "element_of_risk": -net / bet,
        "rtp_per_action": 1 + net / bet,
        "average_bet": bet,
        "fold_frequency": fold,
        "play_frequency": play,
        "kickout_frequency": found.share(KICKOUT),
        "win_frequency": found.share(KICKOUT, WIN, TIE),
        "tie_frequency": found.share(TIE),
        "lose_frequency": found.share(LOSE),
        "push_frequency": Fraction(push, CYCLE),
        "hit_frequency": Fraction(found.hits, CYCLE),
        "fold_per_decision": per_decision(fold),
        "play_per_decision": per_decision(play),
        "win_per_decision": per_decision(found.share(WIN, TIE)),
        "tie_per_decision": per_decision(found.share(TIE)),
        "lose_per_decision": per_decision(found.share(LOSE)),
        "variance_per_round": spread.variance,
        "sd_per_round": spread.sd,
        "skewness": spread.skewness,
        "sd_per_unit_bet": square_root(unit_spread.variance / bet**2),
        "volatility_index": square_root(spread.variance * VOLATILITY_Z**2),
    }


def _contributions(found: SoloOutcomes) -> Iterator[tuple[str, Fraction]]:
    """The pot net of bets, and each bonus line: they add up to the EV per ante."""
    yield "pot", found.mean("net") - found.mean("bonus")
    for line in found.rules.lines:
        total = sum(o.weight * o.bonus for o in found.outcomes if o.line == line.name)
        yield line.name, Fraction(total, CYCLE * found.rules.ante)


def _top_award(found: SoloOutcomes) -> dict[str, Any] | None:
    """The best paid bonus that can occur, with its odds."""
    paid = [o for o in found.outcomes if o.bonus and o.weight]
    if not paid:
        return None
    best = max(o.bonus for o in paid)
    weight = sum(o.weight for o in paid if o.bonus == best)
    return {
        "line": " or ".join(dict.fromkeys(o.line for o in paid if o.bonus == best)),
        "pays": fraction_text(best * found.rules.unit),
        "combinations": weight,
        "one_in": figure(Fraction(CYCLE, weight)),
    }


def _par_row(found: SoloOutcomes, outcome: Outcome) -> dict[str, Any]:
    """One row of the par sheet; net and pays in chips, contribution per ante."""
    unit = found.rules.unit
    probability = Fraction(outcome.weight, CYCLE)
    contribution = probability * outcome.net / found.rules.ante
    pot = 0 if outcome.kind in (FOLD, LOSE) else outcome.net - outcome.bonus + outcome.bet
    return {
        "outcome": f"{outcome.kind}.{outcome.line}",
        "event": outcome.event,
        "combinations": outcome.weight,
        "probability": figure(probability),
        "one_in": figure(1 / probability) if outcome.weight else None,
        "wagered": fraction_text(outcome.bet * unit),
        "pot": fraction_text(pot * unit),
        "bonus": fraction_text(outcome.bonus * unit),
        "net": fraction_text(outcome.net * unit),
        "contribution": figure(contribution),
    }
