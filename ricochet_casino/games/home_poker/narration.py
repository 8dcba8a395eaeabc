"""A hand of the home game told step by step in plain words."""

from collections.abc import Sequence
from fractions import Fraction

from ricochet_casino.cards.deck import by_weight, format_card, format_cards
from ricochet_casino.games.home_poker.rules import Event, Kind, Table


def narrate(table: Table, style: str = "symbols") -> list[str]:
    """Tell a finished hand of play step by step, with the pot after each step.

    Parameters
    ----------
    table
        A hand of play that is over.
    style
        How cards are printed, as in `format_card`: ``symbols``, ``ascii`` or ``ten``.

    Returns
    -------
    list of str
        One line per step, then one line per player with the chips won or lost.

    Raises
    ------
    ValueError
        If the hand is not over, or the style is unknown.
    """
    if not table.over:
        raise ValueError("the hand of play is not over yet")
    unit = table.settings.unit
    lines: list[str] = []
    hands: dict[int, list[int]] = {seat: [] for seat in range(table.players)}
    antes = [event for event in table.events if event.kind is Kind.ANTE]
    pot = _chips(antes[-1].pot, unit)
    lines.append(f"{table.players} players ante {_chips(-antes[0].chips, unit)} each. Pot: {pot}.")
    for event in table.events:
        if event.kind is Kind.ANTE:
            continue
        if event.card >= 0:
            hands[event.seat].append(event.card)
        who = f"Player {event.seat + 1}"
        told = sentence(event, who, hands.get(event.seat, []), unit, style)
        pot = _chips(event.pot, unit)
        lines.append(f"{told} Pot: {pot}." if event.chips else told)
    for seat, net in enumerate(table.net):
        chips = f"+{_chips(net, unit)}" if net > 0 else _chips(net, unit)
        lines.append(f"Player {seat + 1}: {chips}.")
    return lines


def sentence(event: Event, who: str, hand: Sequence[int], unit: int, style: str) -> str:
    """One step in plain words, antes apart.

    Parameters
    ----------
    event
        The step.
    who
        Name of the player whom it concerns.
    hand
        The player's cards after it.
    unit
        Units of a chip.
    style
        As in `narrate`.
    """
    shown = format_cards(by_weight(hand), style)
    card = format_card(event.card, style) if event.card >= 0 else ""
    stay = "stays" if event.number == 1 else "stay"
    paid = "" if event.number == 0 else f" {_cards(event.number)} paid for {stay} undealt."
    odd = f", {event.number} of them odd" if event.number else ""
    texts = {
        Kind.DEAL: f"{who} is dealt {card}.",
        Kind.FOLD: f"{who} is lowest ({shown}) and folds.",
        Kind.BUY: f"{who} is lowest ({shown}) and buys {_cards(event.number)}.",
        Kind.CARD: f"{who} receives {card}.",
        Kind.STOP: f"{who} ({shown}) is no longer lowest.{paid}",
        Kind.BEATEN: f"{who} ({shown}) has all the cards paid for, is still lowest, and is out.",
        Kind.STAY: f"{who} ({shown}) is behind by suit only and stays in.",
        Kind.FULL: f"{who} ({shown}) is lowest, can buy no more, and is out.",
        Kind.RESHUFFLE: f"The cards of hands that are out ({event.number}) become a new stub.",
        Kind.WIN: f"{who} ({shown}) wins the pot: {_chips(event.chips, unit)}.",
        Kind.SPLIT: f"{who} ({shown}) shares the pot: {_chips(event.chips, unit)}{odd}.",
    }
    return texts[event.kind]


def _cards(number: int) -> str:
    return f"{number} card" if number == 1 else f"{number} cards"


def _chips(units: int, unit: int) -> str:
    chips = Fraction(units, unit)
    return f"{chips} chip" if abs(chips) == 1 else f"{chips} chips"
