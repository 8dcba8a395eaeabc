"""Positions of the patience games as plain text, at most 80 columns by 24 rows.

Only what a person at the table sees is shown: closed cards are ``##``.
"""

from typing import Any, Final

from ricochet_casino.lab.patience import PatienceGame

_CLOSED: Final = "##"


def view(game: PatienceGame, referee: Any) -> list[str]:
    """The position of a referee, line by line."""
    if game.name == "solitaire":
        return _solitaire(referee)
    return _pyramid(referee) if game.name == "pyramid" else _racing_aces(referee)


def _spot(place: int) -> tuple[int, int]:
    """Column and row of a wall card in half cards, from the top left."""
    if place >= 20:
        side, at = divmod(place - 20, 3)
        ring, along = 0, 2 * at
    elif place >= 8:
        side, at = divmod(place - 8, 3)
        ring, along = 2, 1 + 2 * at
    else:
        side, at = divmod(place, 2)
        ring, along = 4, 2 + 2 * at
    column, row = 4 + along, 4 - ring
    for _ in range(side):
        column, row = 14 - row, column
    return column, row


def _solitaire(referee: Any) -> list[str]:
    from ricochet_casino.cards.deck import format_card

    rows = [[" "] * 50 for _ in range(15)]
    for place, card in referee.walls.items():
        column, row = _spot(place)
        face = format_card(card, "symbols") if referee.is_open(place) else _CLOSED
        for at, char in enumerate(f"{place:>2}:{face}"):
            rows[row][3 * column + at] = char
    lines = ["".join(row).rstrip() for row in rows]
    shut = ", ".join(sorted(referee.closed)) or "none"
    top = format_card(referee.waste[-1], "symbols")
    lines.append(f"waste {top}   stock {len(referee.stock)}   walls closed: {shut}")
    return lines


def _pyramid(referee: Any) -> list[str]:
    from ricochet_casino.games.hearts_pyramid.settings import RANKS

    lines = []
    rows = referee.settings.rows
    for row in range(rows):
        first = row * (row + 1) // 2
        cards = [
            (f"{card}{'=' if referee.is_open(card) else ':'}{RANKS[referee.deck[card]]}")
            if card in referee.pyramid
            else ""
            for card in range(first, first + row + 1)
        ]
        lines.append(" " * (3 * (rows - row - 1)) + "".join(f"{card:<6}" for card in cards))
    lines = [line.rstrip() for line in lines]
    shown = [f"{card}={RANKS[referee.deck[card]]}" for card in referee.waste[-2:]]
    lines.append(f"waste {' '.join(shown) or 'empty'} ({len(referee.waste)} cards)")
    lying = ""
    if referee.settings.pairing == "stock_top" and referee.stock:
        lying = f", next {referee.stock[0]}={RANKS[referee.deck[referee.stock[0]]]}"
    passes = f"pass {referee.passes_begun} of {referee.settings.passes}"
    lines.append(f"stock {len(referee.stock)} cards{lying}, {passes}; cards with = are open")
    return lines


def _racing_aces(referee: Any) -> list[str]:
    from ricochet_casino.games.racing_aces.settings import RANK_NAMES

    table = referee.table

    def ranks(cards: Any) -> str:
        return " ".join(RANK_NAMES[rank].replace(" ", "-") for rank in cards)

    about = {"A": "ace up", "S": "six down", "V": "seven up", "K": "king down"}
    lines = [f"{g}  {about[g]:<10} {ranks(tops)}" for g, tops in table.foundations.items()]
    lines += [f"R{i} {ranks(pile) or 'empty'}" for i, pile in enumerate(table.reserves, 1)]
    cells = "   ".join(f"T{i} {ranks((rank,))}" for i, rank in enumerate(table.tableau, 1))
    waste = f"{ranks(table.waste[-12:]) or 'empty'} ({len(table.waste)} cards)"
    return [*lines, cells, f"W  {waste}", f"stock {len(table.stock)} cards"]
