"""Events in words."""

from collections.abc import Iterable, Sequence

from ricochet_casino.games.pinball.deck import COLOURS, Card, Deck
from ricochet_casino.games.pinball.events import NOBODY, Event, Kind, Rules


def card_text(card: Card) -> str:
    """A card in one line: ``R17 Y03 G41 B05, large red ball``."""
    numbers = " ".join(
        f"{colour[0].upper()}{number:02}"
        for colour, number in zip(COLOURS, card.bumpers, strict=True)
    )
    return f"{numbers}, {card.ball} ball"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: ``player 1, player 2 and player 3``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def player_names(number: int) -> tuple[str, ...]:
    """``player 1``, ``player 2``, ..."""
    return tuple(f"player {seat}" for seat in range(1, number + 1))


_YOU = {"has": "have", "is": "are"}


def does(name: str, verb: str) -> str:
    """A name with its verb: ``player 1 slaps``, ``you slap``."""
    if name == "you":
        verb = _YOU.get(verb, verb.removesuffix("s"))
    return f"{name} {verb}"


def narrate(
    events: Iterable[Event], rules: Rules, deck: Deck, names: Sequence[str] = ()
) -> list[str]:
    """Tell events, one line each.

    Parameters
    ----------
    events
        What happened.
    rules, deck
        As in the game.
    names
        Of the players; ``player 1`` and so on by default.
    """
    called = tuple(names) or player_names(rules.players)
    return [_line(event, rules, deck, called) for event in events]


def _line(event: Event, rules: Rules, deck: Deck, names: Sequence[str]) -> str:
    who = names[event.player] if event.player != NOBODY else ""
    place = rules.places[event.place] if event.place != NOBODY else ""
    card = card_text(deck.cards[event.card]) if event.card != NOBODY else ""
    players = [names[seat] for seat in event.players]
    match event.kind:
        case Kind.LAY:
            return f"{place:<7} {card}"
        case Kind.TURN:
            for_whom = "" if len(players) == rules.players else f" for {listed(players)}"
            return f"start   {card}{for_whom}"
        case Kind.SLAP:
            return f"        {event.tick * rules.tick / 1000:.2f} s: {does(who, 'slaps')} {place}"
        case Kind.SLIP:
            cost = does(who, "loses") + " a card"
            if event.card == NOBODY:
                cost = does(who, "has") + " no card to lose"
            return f"        wrong: {cost}; out for this round"
        case Kind.TIE:
            return f"        a tie: {listed(players)} play on with a new start card"
        case Kind.VOID:
            return "        nobody is left: the start card goes under the stock"
        case Kind.WIN:
            return f"        {does(who, 'wins')} the card at {place}"
        case Kind.MOVE:
            return f"{place:<7} {card} (the start card moves there)"
        case Kind.END:
            if not players:
                return "the game is given up, undecided"
            if len(players) == 1:
                return f"{does(players[0], 'wins')} the game"
            return f"{listed(players)} share the game"
