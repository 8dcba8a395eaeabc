"""What a certificate says of simulated rounds."""

from collections.abc import Mapping
from typing import Any

from ricochet_casino.report.tables import (
    Column,
    Section,
    Table,
    figure_table,
    fixed,
    percent,
    result_title,
    sheet_name,
    whole,
)

_SAMPLED_FIGURES = (
    ("house_edge", "House edge (loss per ante)", percent),
    ("rtp_per_ante", "RTP per ante", percent),
    ("ev_per_ante", "EV per ante", fixed),
    ("average_bet", "Average bet, in antes", fixed),
    ("sd_per_round", "SD per round, in antes", fixed),
    ("fold_frequency", "Folds, per round", percent),
    ("win_frequency", "Wins (shared ones too), per round", percent),
    ("play_frequency", "Plays, per round", percent),
    ("split_frequency", "Shared pots, per round", percent),
    ("kickout_frequency", "Kickouts", percent),
    ("dealer_win_frequency", "Dealer wins", percent),
    ("house_net_per_round", "House net per round, in chips", fixed),
)


def simulation_section(result: Mapping[str, Any]) -> Section:
    """Figures with their intervals, for the table and for each seat."""
    text = (
        f"{whole(result['rounds'])} raw rounds (seed {result['seed']}, stream {result['stream']}). "
        "Every figure is sampled; intervals hold at the level stated, whatever the paytable, and "
        "the deal is the sampling unit. Figures are per player, the mean over the seats."
    )
    seats = [figure_table(seat, f"Seat {seat['seat']} ({seat['strategy']})", _SAMPLED_FIGURES)
             for seat in result["by_seat"]] if result["players"] > 1 else []  # fmt: skip
    lines = tuple(
        (row["line"].replace("_", " "), whole(row["hands"])) for row in result["bonus_lines"]
    )
    bonus = Table("Bonus hands", (Column("line"), Column("hands", right=True)), lines)
    tables = (figure_table(result, "Figures", _SAMPLED_FIGURES), *seats, bonus)
    title = f"Simulation, {result_title(result)}"
    return Section(title, (text,), tables, (), sheet_name(result))
