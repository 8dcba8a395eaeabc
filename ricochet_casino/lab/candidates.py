"""The paytables of a grid, made quickly: each value is read once, then they are combined."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from ricochet_casino.games.ricochet_poker.notation import line_names
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.lab.grid import Grid
from ricochet_casino.lab.settings import apply_settings, read_setting, setting_place
from ricochet_casino.paytable import format_odds

Place = tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """One combination of a grid.

    Attributes
    ----------
    number
        Its place in the grid, from 0.
    settings
        What is changed.
    paytable
        The paytable with the changes; its values are sound one by one, and `refuse_impossible`
        tells whether they fit together.
    """

    number: int
    settings: tuple[str, ...]
    paytable: RicochetPokerPaytable

    def rises(self, bet: str) -> bool:
        """Whether better hands pay more on the bet; a cap shared by the top lines is allowed."""
        pays: Mapping[str, Fraction] = {}
        if bet == "main":
            pays = self.paytable.bonus
        elif bet == "cover" and self.paytable.cover:
            pays = self.paytable.cover.pays
        rising = [pays[line] for line in sorted(pays, key=line_names().__getitem__)]
        top = max(rising, default=Fraction())
        return all(low < high or low == high == top for low, high in pairwise(rising))


def candidates(paytable: RicochetPokerPaytable, grid: Grid) -> Iterator[Candidate]:
    """The combinations of a grid in its order.

    Raises
    ------
    ValueError
        For a value that no paytable can have.
    """
    axes = [
        [(setting, *_piece(paytable, setting)) for setting in axis.settings] for axis in grid.axes
    ]
    for number, chosen in enumerate(product(*axes)):
        settings = tuple(setting for setting, _, _ in chosen)
        pieces = {place: value for _, place, value in chosen}
        yield Candidate(number, settings, _with(paytable, pieces))


def _piece(paytable: RicochetPokerPaytable, setting: str) -> tuple[Place, Any]:
    """Where a setting stands, and its value as the model holds it; None takes a line away."""
    key, _ = read_setting(setting)
    place = setting_place(paytable, key)
    changed = apply_settings(paytable, [setting] if key == "coin" else [setting, "coin=fair"])
    value: Any = changed
    for part in place:
        inner = place[0] == "kickout" and part == place[-1]
        if isinstance(value, dict):
            value = value.get(int(part) if inner else part)
        else:
            value = getattr(value, part)
    return place, value


def _with(paytable: RicochetPokerPaytable, pieces: Mapping[Place, Any]) -> RicochetPokerPaytable:
    """The paytable with some values replaced, without reading it anew."""
    update: dict[str, Any] = {"expect": {}}
    bonus, kickout = dict(paytable.bonus), dict(paytable.kickout)
    cover = dict(paytable.cover.pays) if paytable.cover else {}
    quickdraw: dict[str, Any] = {}
    for place, value in pieces.items():
        match place:
            case ("kickout", players):
                kickout[int(players)] = value
            case ("bonus", line):
                _set(bonus, line, value)
            case ("side_bets", "cover", "pays", line):
                _set(cover, line, value)
            case ("side_bets", "quickdraw", name):
                quickdraw[name] = value
            case (name,):
                update[name] = value
    bets = paytable.side_bets
    if bets is not None and any(place[0] == "side_bets" for place in pieces):
        parts: dict[str, Any] = {}
        if bets.cover is not None:
            parts["cover"] = bets.cover.model_copy(update={"pays": cover})
        if bets.quickdraw is not None:
            parts["quickdraw"] = bets.quickdraw.model_copy(update=quickdraw)
        update["side_bets"] = bets.model_copy(update=parts)
    return paytable.model_copy(update={**update, "bonus": bonus, "kickout": kickout})


def _set(pays: dict[str, Fraction], line: str, value: Fraction | None) -> None:
    if value is None:
        pays.pop(line, None)
    else:
        pays[line] = value


def refuse_impossible(paytable: RicochetPokerPaytable) -> None:
    """Refuse amounts that cannot be paid in whole coins, as reading the paytable would.

    Raises
    ------
    ValueError
        With what cannot be paid.
    """
    if isinstance(paytable.coin, str):
        return
    bet = paytable.play_bet if paytable.bonus_on == "play_bet" else paytable.ante
    odds = [(pays, bet) for pays in paytable.bonus.values()]
    if paytable.quickdraw:
        odds.append((paytable.quickdraw.pays, paytable.ante))
    if paytable.cover:
        odds += [(pays, paytable.ante) for pays in paytable.cover.pays.values()]
    stakes = (paytable.ante, paytable.dealer_ante, paytable.play_bet)
    for stake in stakes:
        if (stake / paytable.coin).denominator != 1:
            raise ValueError(f"a bet of {stake} chips is not a whole number of coins")
    for pays, stake in odds:
        if (pays * stake / paytable.coin).denominator != 1:
            raise ValueError(
                f"{format_odds(pays)} on a bet of {stake} pays {pays * stake} chips, which is not "
                f"a whole number of coins of {paytable.coin}"
            )
