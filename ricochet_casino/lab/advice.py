"""Odds and advice for one position of the one-player game."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from ricochet_casino.cards.classes import class_of
from ricochet_casino.cards.deck import CardError, check_cards
from ricochet_casino.games.ricochet_poker.odds import completions_at_least
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable


@dataclass(frozen=True)
class Advice:
    """What playing and folding are worth; all values exact.

    Attributes
    ----------
    completions
        Three-card sets that can come.
    win, tie
        Chances to win the pot (ties included) and to win it by a tie.
    bonus
        Bonus line -> chance.
    fold, play
        Expected net result of the round in chips.
    kicked_out
        The dealer is out; then ``play`` stands for what the player gets without a decision, or by
        accepting the cards.
    best
        ``play``, ``fold``, or ``none`` where the rules leave nothing to decide.
    """

    dealer_class: int
    completions: int
    win: Fraction
    tie: Fraction
    bonus: dict[str, Fraction]
    fold: Fraction
    play: Fraction
    kicked_out: bool
    best: str


def advise(
    paytable: RicochetPokerPaytable,
    hole: Sequence[int],
    dealer: Sequence[int],
    dead: Sequence[int] = (),
) -> Advice:
    """Exact odds of one player's two cards against the dealer's five.

    Parameters
    ----------
    paytable
        Must cover one player.
    hole, dealer, dead
        Card codes: the player's two, the dealer's five, and others that cannot come.

    Raises
    ------
    CardError
        If cards are repeated, missing, or fewer than three are left to come.
    PaytableError
        If the paytable does not cover one player.
    """
    rules = paytable.rules(1)
    check_cards(hole, count=2)
    check_cards(dealer, count=5)
    check_cards([*hole, *dealer, *dead])
    left = 52 - 7 - len(dead)
    if left < 3:
        raise CardError(f"only {left} cards are left, and a completion takes three")
    total = comb(left, 3)
    dealer_class = class_of(dealer)
    thresholds = [dealer_class, dealer_class + 1, *(line.first_class for line in rules.lines)]
    counts = completions_at_least(hole, [*dealer, *dead], thresholds)
    winning, beating, reaching = counts[0], counts[1], [*counts[2:], 0]
    bonus = {
        line.name: Fraction(reaching[i] - reaching[i + 1], total)
        for i, line in enumerate(rules.lines)
    }
    earned = sum((bonus[line.name] * line.pays for line in rules.lines), Fraction())
    kicked_out = dealer_class >= rules.kickout_class
    fold, best = Fraction(-rules.ante), "none"
    if kicked_out:
        play = rules.dealer_ante + (Fraction() if rules.last_hand == "none" else earned)
        fold = Fraction(rules.dealer_ante)
        if rules.last_hand == "may_play":
            best = "play" if earned or rules.when_equal == "play" else "fold"
        if rules.last_hand == "none":
            bonus = {}
        winning, beating = total, total
    else:
        pot = rules.ante + rules.dealer_ante + rules.play_bet
        play = Fraction(winning, total) * pot - rules.ante - rules.play_bet + earned
        best = rules.when_equal
        if play != fold:
            best = "play" if play > fold else "fold"
    return Advice(
        dealer_class,
        total,
        Fraction(winning, total),
        Fraction(winning - beating, total),
        bonus,
        fold * rules.unit,
        play * rules.unit,
        kicked_out,
        best,
    )
