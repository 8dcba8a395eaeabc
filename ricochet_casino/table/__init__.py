"""Games that people and computer players play at a table in the terminal.

A `session.Session` holds an evening: the people and their chips (evening.py), the hand being played
(hand.py and the games behind it), and the ledger of every event (events.py, ledger.py). It does no
terminal input or output: plain.py and app.py show a `view.View` and call its methods. A game joins
with a `kinds.GameKind` and a `hand.Hand`; evening, ledger and screens know nothing of its rules.
"""
