"""Casino Ricochet Poker: one to seven players against a banking dealer, everything face up."""

from typing import Final

EXPERIMENTS: Final = {
    "solo": "solo:Solo",
    "solo_referee": "solo_check:SoloReferee",
    "simulation": "simulation:Simulation",
    "tables": "table_sampling:TableSample",
    "table_referee": "table_check:TableReferee",
    "gap": "bounds:TableGap",
    "deviation": "deviation:TableDeviation",
    "table_difference": "table_difference:TableDifference",
    "evenings": "evenings:Evenings",
    "two_players_exact": "two_players_exact:TwoPlayersExact",
}
"""Name of each experiment -> module and class that make it (see `ricochet_casino.games.build`)."""
