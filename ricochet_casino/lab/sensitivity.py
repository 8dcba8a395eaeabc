"""What one step of each setting does to the one-player game and the side bets, exactly."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

from ricochet_casino.cards.classes import N_CLASSES
from ricochet_casino.games.ricochet_poker.notation import kickout_text, parse_kickout
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.games.ricochet_poker.quick_figures import QuickFigures
from ricochet_casino.games.ricochet_poker.side_bets import quick_side_bet
from ricochet_casino.games.ricochet_poker.spectrum import Spectrum
from ricochet_casino.lab.grid import kickout_steps
from ricochet_casino.lab.settings import apply_settings
from ricochet_casino.paytable import digest, format_odds
from ricochet_casino.stats.exact import difference, figure

SCHEMA: Final = "ricochet-casino/sensitivity/1"

FIGURES: Final = ("rtp_per_ante", "sd", "hit_frequency", "fold_frequency", "maximum_exposure")


def quick_entry(found: QuickFigures) -> dict[str, Any]:
    """The figures as JSON values."""
    return {name: figure(getattr(found, name)) for name in FIGURES} | {
        "variance": figure(found.variance)
    }


def change_entry(new: QuickFigures, old: QuickFigures) -> dict[str, Any]:
    """New - old of each figure as JSON values."""
    return {
        name: figure(difference(getattr(new, name), getattr(old, name))) for name in FIGURES
    } | {"variance": figure(new.variance - old.variance)}


def sensitivity(
    paytable: RicochetPokerPaytable,
    spectrum: Spectrum,
    *,
    strategy: str = "collective",
    every_class: bool = False,
) -> dict[str, Any]:
    """Change each setting by one step, one at a time.

    Parameters
    ----------
    paytable
        Covers one player.
    spectrum
        From `load_spectrum`.
    strategy
        A strategy by name; the best decisions are made anew each time.
    every_class
        Whether the kickout curve has all 7,463 classes, or the steps of `grid.kickout_steps`.

    Returns
    -------
    dict
        JSON values without floats: ``now`` (figures as they are), ``lines`` (one chip more on each
        bonus line), ``kickout`` (the next step up and down, and the next class), ``side_bets`` (one
        chip more on each line, per chip staked), ``kickout_curve``.

    Raises
    ------
    PaytableError, ValueError
        If the paytable does not cover one player, or for an unknown strategy.
    """
    rules = paytable.rules(1)
    now = spectrum.quick(rules, strategy)
    bet = paytable.play_bet if paytable.bonus_on == "play_bet" else paytable.ante
    lines = []
    for line, odds in paytable.bonus.items():
        setting = f"bonus.{line}={format_odds(odds + 1 / bet)}"
        new = spectrum.quick(apply_settings(paytable, [setting]).rules(1), strategy)
        lines.append(_row(setting, format_odds(odds), new, now))
    return {
        "schema": SCHEMA,
        "paytable": paytable.model_dump(mode="json"),
        "paytable_digest": digest(paytable),
        "players": 1,
        "strategy": strategy,
        "method": "exact",
        "now": quick_entry(now),
        "lines": lines,
        "kickout": _kickout_rows(paytable, spectrum, strategy, now),
        "side_bets": list(_side_bet_rows(paytable)),
        "kickout_curve": _curve(paytable, spectrum, strategy, every_class),
    }


def _row(setting: str, was: str, new: QuickFigures, old: QuickFigures) -> dict[str, Any]:
    return {
        "setting": setting,
        "was": was,
        "figures": quick_entry(new),
        "change": change_entry(new, old),
    }


def _kickout_rows(
    paytable: RicochetPokerPaytable, spectrum: Spectrum, strategy: str, now: QuickFigures
) -> list[dict[str, Any]]:
    """The steps and the classes next to the kickout class, weakest first."""
    rules = paytable.rules(1)
    own, steps = rules.kickout_class, kickout_steps()
    next_to = {
        "step down": max((step for step in steps if step < own), default=None),
        "class down": own - 1 if own else None,
        "class up": own + 1 if own < N_CLASSES else None,
        "step up": min((step for step in steps if step > own), default=None),
    }
    there = {name: index for name, index in next_to.items() if index is not None}
    found = spectrum.kickout_curve(rules, list(there.values()), strategy)
    return [
        {"move": name, **_row(f"kickout.1={kickout_text(index)}", kickout_text(own), new, now)}
        for (name, index), new in zip(there.items(), found, strict=True)
    ]


def _side_bet_rows(paytable: RicochetPokerPaytable) -> Iterable[dict[str, Any]]:
    """One chip more per chip staked on each line of the side bets."""
    odds: dict[str, dict[str, Fraction]] = {}
    if paytable.quickdraw:
        odds["quickdraw"] = {"quickdraw.pays": paytable.quickdraw.pays}
    if paytable.cover:
        odds["cover"] = {f"cover.{name}": pays for name, pays in paytable.cover.pays.items()}
    for bet, lines in odds.items():
        now = quick_side_bet(paytable, bet)
        for key, pays in lines.items():
            setting = f"{key}={format_odds(pays + 1)}"
            new = quick_side_bet(apply_settings(paytable, [setting]), bet)
            yield {
                "bet": bet,
                "now": quick_entry(now),
                **_row(setting, format_odds(pays), new, now),
            }


def _curve(
    paytable: RicochetPokerPaytable, spectrum: Spectrum, strategy: str, every_class: bool
) -> list[dict[str, Any]]:
    rules = paytable.rules(1)
    chosen = set(range(N_CLASSES + 1)) if every_class else {*kickout_steps(), rules.kickout_class}
    classes = sorted(chosen)
    found = spectrum.kickout_curve(rules, classes, strategy)
    own = parse_kickout(paytable.kickout[1])
    return [
        {
            "kickout": kickout_text(index),
            "class": index,
            "now": index == own,
            "figures": quick_entry(figures),
        }
        for index, figures in zip(classes, found, strict=True)
    ]
