"""A refereed round told step by step in plain words."""

from fractions import Fraction

from ricochet_casino.cards.classes import classes
from ricochet_casino.cards.deck import format_cards
from ricochet_casino.games.ricochet_poker.round import DEALER, Event, Kind, Round
from ricochet_casino.games.ricochet_poker.units import Rules


def narrate(round_: Round, rules: Rules, style: str = "symbols") -> list[str]:
    """Tell a round step by step in plain words, with the pot after each step.

    Parameters
    ----------
    round_
        A recorded round.
    rules
        The rules it was played by.
    style
        How cards are printed, as in `format_card`: ``symbols``, ``ascii`` or ``ten``.

    Returns
    -------
    list of str
        One line per step, then one line per player and the dealer with the chips won or lost.

    Raises
    ------
    ValueError
        If the round was played with ``record=False``, or the style is unknown.
    """
    if not round_.events:
        raise ValueError("the round was not recorded: play it with record=True")
    lines = []
    order_told = rules.players == 1
    for event in round_.events:
        if not order_told and event.kind in (Kind.ACT, Kind.LAST_HAND):
            order_told = True
            seats = ", ".join(_name(seat) for seat in round_.order)
            lines.append(f"Order of action, lowest hand first: {seats}.")
        pot = _chips(event.pot, rules.unit)
        lines.append(f"{sentence(event, _name(event.seat), rules, style)} Pot: {pot}.")
    for seat, net in enumerate(round_.net):
        side = round_.side_net[seat]
        extra = f", side bets {_chips(side, rules.unit, signed=True)}" if side else ""
        lines.append(f"{_name(seat)}: {_chips(net, rules.unit, signed=True)}{extra}.")
    side = round_.dealer_side_net
    extra = f", side bets {_chips(side, rules.unit, signed=True)}" if side else ""
    lines.append(f"Dealer: {_chips(round_.dealer_net, rules.unit, signed=True)}{extra}.")
    return lines


def _name(seat: int) -> str:
    return "Dealer" if seat == DEALER else f"Player {seat + 1}"


def _chips(units: int, unit: Fraction, *, signed: bool = False) -> str:
    chips = units * unit
    sign = "+" if signed and chips > 0 else ""
    return f"{sign}{chips} {'chip' if abs(chips) == 1 else 'chips'}"


def sentence(event: Event, who: str, rules: Rules, style: str) -> str:
    """One step in plain words, without the pot.

    Parameters
    ----------
    event
        The step.
    who
        Name of the player whom it concerns, or of the dealer.
    rules, style
        As in `narrate`.
    """
    cards = format_cards(event.cards, style)
    chips = _chips(abs(event.chips), rules.unit)
    hand = classes()[event.hand_class].name if event.hand_class >= 0 else "two cards"
    match event.kind:
        case Kind.DEAL:
            what = f": {hand}" if event.seat == DEALER else ""
            return f"{who} antes {chips} and is dealt {cards}{what}."
        case Kind.SIDE_BET:
            verb = "loses" if event.chips < 0 else "wins"
            return f"{who} {verb} {chips} with the {event.detail} Bet."
        case Kind.KICKOUT:
            return f"{who} is kicked out with {hand}; her ante stays in the pot."
        case Kind.LAST_HAND:
            return f"{who} ({cards}) is the last hand standing."
        case Kind.ACT:
            if event.detail == "play":
                return f"{who} ({cards}) plays for {chips}."
            return f"{who} ({cards}) {event.detail}s{'' if event.detail == 'fold' else ' to play'}."
        case Kind.COMPLETION:
            free = " free of charge, for the bonus only" if event.detail else ""
            return f"{who} receives {cards}{free}: {hand}."
        case Kind.BONUS:
            line = event.detail.replace("_", " ")
            return f"{who} earns the {line} bonus: {chips} from the dealer."
        case Kind.OUT:
            return f"{who} is out: {hand} is beaten."
        case Kind.RETURN:
            return f"{who} gets the play bet of {chips} back."
        case Kind.SHOWDOWN:
            return f"{who} remains with {hand}."
        case Kind.WIN:
            return f"{who} takes the pot: {chips}."
        case Kind.SPLIT:
            odd = f", odd coin included ({_chips(1, rules.unit)})" if event.odd_chips else ""
            return f"{who} gets a share of the pot: {chips}{odd}."
