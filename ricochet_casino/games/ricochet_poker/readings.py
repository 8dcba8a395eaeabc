"""Which reading of the rules a paytable chooses, in words, for every certificate.

The numbers are those of docs/rulings.md. Readings that are not settings are listed as well, since
nothing is decided silently.
"""

from ricochet_casino.games.ricochet_poker.paytable import (
    RicochetPokerPaytable,
    kickout_meaning,
    parse_kickout,
)

_LAST_HAND = {
    "free": "wins the pot without a play bet and gets three cards for the bonus only",
    "may_play": "may place the play bet, which is returned, and is paid the bonus",
    "none": "wins the pot and gets no cards",
}
_WHEN_EQUAL = {
    "play": "a strategy plays when both decisions are worth the same",
    "fold": "a strategy folds when both decisions are worth the same",
}
_BONUS_ON = {
    "play_bet": "pay to one on the play bet; a free completion earns the same chips",
    "ante": "pay to one on the ante; a free completion earns the same chips",
}
_QUICKDRAW = {
    "first_two": "ranks are compared on as many cards as the player has; level is a tie and wins",
    "kicker_wins": "a hand with a kicker beats the same hand without, so there are no ties",
}


def readings(paytable: RicochetPokerPaytable) -> list[dict[str, str]]:
    """The readings that a paytable chooses, in the order of docs/rulings.md.

    Returns
    -------
    list of dict
        ``ruling`` (its number), ``setting`` (the key, or ``-``), ``value`` and ``meaning``.
    """
    coin = paytable.coin if isinstance(paytable.coin, str) else str(paytable.coin)
    rows = [
        ("A1", "-", "lowest first", "players act once each, from the lowest two-card hand up"),
        ("A2", "ante", str(paytable.ante), "chips of each player in the pot"),
        ("A2", "dealer_ante", str(paytable.dealer_ante), "chips of the dealer in the pot"),
        ("A2", "play_bet", str(paytable.play_bet), "chips for three cards, part of the pot"),
    ]
    for players, kickout in sorted(paytable.kickout.items()):
        meaning = kickout_meaning(parse_kickout(kickout))
        rows.append(("A3", f"kickout.{players}", kickout, meaning))
    last_hand = "alone with two cards: " + _LAST_HAND[paytable.last_hand]
    share = "exactly" if coin == "fair" else "odd coins to the last to act"
    ties = f"the dealer loses ties; tied players split, {share}"
    rows += [
        ("A4", "-", "ante stays", "a dealer kicked out leaves her ante; side bets stand"),
        ("A5", "last_hand", paytable.last_hand, last_hand),
        ("A6", "-", "must act", "two cards cannot win against a live five-card hand"),
        ("A7", "-", "at once", "a five-card hand is out as soon as it is beaten by a live one"),
        ("A8", "coin", coin, ties),
        ("A9", "-", "every hand", "a completed hand earns its best bonus line, even if beaten"),
        ("A10", "bonus_on", paytable.bonus_on, "bonuses " + _BONUS_ON[paytable.bonus_on]),
        ("B", "when_equal", paytable.when_equal, _WHEN_EQUAL[paytable.when_equal]),
    ]  # fmt: skip
    bets = paytable.side_bets
    if bets and bets.quickdraw:
        tie = bets.quickdraw.tie
        rows.append(("A11", "side_bets.quickdraw.tie", tie, _QUICKDRAW[tie]))
    if bets and bets.cover:
        rows.append(("A12", "side_bets.cover.pays", "table", "on the dealer's five cards as dealt"))
    rows.append(("A13", "-", "per ante", "house edge and RTP per ante; element of risk per chip"))
    names = ("ruling", "setting", "value", "meaning")
    return [dict(zip(names, row, strict=True)) for row in rows]
