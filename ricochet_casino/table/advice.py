"""Odds and advice for whoever is to act: the very figures of the commands that compute them.

The home game's are those of `ricochet home odds`; casino night's those of `ricochet odds` with one
player and of `ricochet decide` with more. Each answer names the command that prints it.
"""

import json
import shlex
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ricochet_casino.cards.deck import format_cards
from ricochet_casino.config import canonical_json
from ricochet_casino.lab import DEFAULT_SEED
from ricochet_casino.table.casino_game import CasinoHand
from ricochet_casino.table.hand import Hand
from ricochet_casino.table.home_game import HomeHand
from ricochet_casino.table.kinds import CasinoKind, GameKind
from ricochet_casino.table.view import AdviceRow, AdviceView

if TYPE_CHECKING:
    from ricochet_casino.games.home_poker.odds import Action, Odds
    from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
    from ricochet_casino.games.ricochet_poker.round import Table
    from ricochet_casino.games.ricochet_poker.table_position import Amount, TableDecision
    from ricochet_casino.games.ricochet_poker.two_players import Decision
    from ricochet_casino.paytable import PaytableBase
    from ricochet_casino.stats.intervals import Interval

STRATEGY: Final = "individual"
"""Casino night: people at home play for themselves, and so do those who act later."""


def advice_for(hand: Hand, kind: GameKind) -> AdviceView:
    """Odds and advice for the player to act; may take seconds.

    Parameters
    ----------
    hand
        It waits for an action.
    kind
        The game.

    Raises
    ------
    ValueError
        If the odds of this position cannot be computed.
    """
    if isinstance(hand, HomeHand):
        return _home(hand)
    assert isinstance(hand, CasinoHand)
    assert isinstance(kind, CasinoKind)
    if len(hand.players) == 1:
        return _alone(hand, kind.paytable)
    return _casino(hand, kind.paytable)


def _home(hand: HomeHand) -> AdviceView:
    from ricochet_casino.games.home_poker import ODDS_PLAYOUTS
    from ricochet_casino.games.home_poker.exact import OutOfReachError
    from ricochet_casino.games.home_poker.position import Position
    from ricochet_casino.lab.home import odds_of

    table = hand.table
    others = [seat for seat in table.live_seats if seat != table.seat]
    position = Position(
        table.settings, table.hands[table.seat], tuple(table.hands[seat] for seat in others),
        table.dead, table.pot,
    )  # fmt: skip
    try:
        found = odds_of(position, exact=True, playouts=ODDS_PLAYOUTS, seed=DEFAULT_SEED)
    except OutOfReachError:
        found = odds_of(position, exact=False, playouts=ODDS_PLAYOUTS, seed=DEFAULT_SEED)
    rows = tuple(_home_row(action) for action in found.actions)
    legal = {choice.key for choice in hand.choices() if choice.legal}
    possible = [(a.ev, -a.amount, r) for a, r in zip(found.actions, rows, strict=True)
                if r.key in legal]  # fmt: skip
    best = max(possible, key=lambda row: row[:2])[2]
    same = best.key == _home_key(found.best)
    return AdviceView(
        hand.players[table.seat], rows, best.label, same and found.certain, _home_how(found),
        _home_notes(hand, same), _home_command(position.settings.model_dump(), found),
    )  # fmt: skip


def _home_key(action: "Action") -> str:
    return str(action.amount) if action.amount else "f"


def _home_row(action: "Action") -> AdviceRow:
    exactly = str(action.ev) if action.interval is None else _ends(action.interval)
    chance = "" if action.overtake is None else f"{float(action.overtake) * 100:.2f} %"
    label = f"buy {action.amount}" if action.amount else "fold"
    value = f"{float(action.ev):+.6f}" if action.amount else "0"
    return AdviceRow(
        _home_key(action), label, value, exactly if action.amount else "0", chance,
        f"{float(action.cost):.4f}" if action.amount else "",
    )  # fmt: skip


def _home_how(found: "Odds") -> str:
    if found.method == "exact":
        return "Exact: both players go on optimally; chips from here on."
    return (
        f"Sampled: {found.playouts:,} playouts of each purchase, all going on by pot odds; chips "
        "from here on, with 99 % intervals."
    )


def _home_notes(hand: HomeHand, same: bool) -> tuple[str, ...]:
    table, notes = hand.table, []
    limit = table.settings.hand_limit
    if table.stacks is not None and any(
        table.stacks[seat] < limit - len(table.hands[seat]) for seat in table.live_seats
    ):
        notes.append("The figures take it that nobody runs out of chips.")
    if not same:
        notes.append("What would be best is not possible; this is the best of what is.")
    if table.settings.empty_stub == "reshuffle":
        notes.append("The figures take no new stub into account.")
    return tuple(notes)


def _home_command(settings: dict[str, Any], found: "Odds") -> str:
    position = found.position
    words = ["ricochet", "home", "odds", "--actor", format_cards(position.actor)]
    for cards in position.opponents:
        words += ["--opponent", format_cards(cards)]
    if position.dead:
        words += ["--dead", format_cards(position.dead)]
    words += ["--pot", str(position.pot), "--coin", settings["coin"]]
    usual = {"hand_limit": 5, "jokers": 0, "level_hands": "suit"}
    options = {"hand_limit": "--limit", "jokers": "--jokers", "level_hands": "--level-hands"}
    for name, option in options.items():
        if settings[name] != usual[name]:
            words += [option, str(settings[name])]
    return shlex.join(words)


def _ends(interval: "Interval") -> str:
    return f"{float(interval.low):+.4f} to {float(interval.high):+.4f}"


def _alone(hand: CasinoHand, paytable: "RicochetPokerPaytable") -> AdviceView:
    from ricochet_casino.lab.advice import advise

    found = advise(paytable, hand.hands[0], hand.dealer_cards)
    rows = [AdviceRow("f", "fold", _signed(found.fold), str(found.fold))]
    chance = f"{float(found.win) * 100:.2f} %"
    rows.append(AdviceRow("p", "play", _signed(found.play), str(found.play), chance))
    words = ["ricochet", "odds", format_cards(hand.hands[0]), format_cards(hand.dealer_cards)]
    words += ["--paytable", _paytable_name(paytable)]
    return AdviceView(
        hand.players[0], tuple(rows), found.best, True,
        "Exact; chips of the whole round, the ante included.", _casino_notes(hand),
        shlex.join(words),
    )  # fmt: skip


def _casino(hand: CasinoHand, paytable: "RicochetPokerPaytable") -> AdviceView:
    from ricochet_casino.lab.decide import Question

    table = hand.round_table
    assert table is not None
    folded = tuple(seat in table.folded for seat in range(len(hand.players)))
    question = Question(
        "position.json", paytable, hand.rules, STRATEGY, table.dealer, table.holes, table.hands,
        folded,
    )  # fmt: skip
    found = question.decide()
    rows = (
        AdviceRow("f", "fold", *_amount(found.fold)),
        AdviceRow("p", "play", *_amount(found.play)),
    )
    return AdviceView(
        hand.players[table.seat], rows, found.best, _is_certain(found), _casino_how(found),
        _casino_notes(hand), "ricochet decide position.json",
        _position_json(table, folded, _paytable_name(paytable)),
    )  # fmt: skip


def _position_json(table: "Table", folded: tuple[bool, ...], paytable: str) -> str:
    players: list[Any] = []
    for hole, five, out in zip(table.holes, table.hands, folded, strict=True):
        player: dict[str, Any] = {"hand": format_cards(hole).split()}
        if five:
            player["completed"] = format_cards(five).split()
        if out:
            player["folded"] = True
        players.append(player)
    content = {"paytable": paytable, "strategy": STRATEGY, "players": players}
    return json.dumps(content | {"dealer": format_cards(table.dealer).split()}, sort_keys=True)


def _amount(amount: "Amount") -> tuple[str, str]:
    if isinstance(amount, Fraction):
        return _signed(amount), str(amount)
    return _signed(amount.mean), _ends(amount.interval)


def _signed(value: Fraction) -> str:
    return f"{float(value):+.6f}"


def _is_certain(found: "Decision | TableDecision") -> bool:
    difference: Amount | None = getattr(found, "difference", None)
    if difference is None or isinstance(difference, Fraction):
        return True
    low, high = difference.interval.low, difference.interval.high
    return low >= 0 if found.best == "play" else high <= 0


def _casino_how(found: "Decision | TableDecision") -> str:
    deals = getattr(found, "deals", 0)
    how = f"Sampled: {deals:,} random orders of the cards to come" if deals else "Exact"
    return f"{how}; everybody plays for himself; chips from here on, bonuses included."


def _casino_notes(hand: CasinoHand) -> tuple[str, ...]:
    bet = hand.rules.play_bet
    left = [stack + hand.net[name] for name, stack in zip(hand.players, hand.stacks, strict=True)]
    if any(chips < bet for chips in left):
        return ("The figures take it that everybody can pay the play bet.",)
    return ()


def _paytable_name(paytable: "RicochetPokerPaytable") -> str:
    """The shipped name of a paytable, or a word in its place."""
    return _shipped().get(_bare(paytable), "PAYTABLE")


def _bare(paytable: "PaytableBase") -> str:
    """The content of a paytable without what is expected of it."""
    return canonical_json(paytable.model_dump(mode="json") | {"expect": {}})


@cache
def _shipped() -> dict[str, str]:
    """Content of each shipped paytable -> its name, the first of those that are alike."""
    from ricochet_casino.games import load_paytable
    from ricochet_casino.paytable import shipped_paytables

    names = reversed(shipped_paytables())
    return {_bare(load_paytable(name)): name.split("/")[1] for name in names}
