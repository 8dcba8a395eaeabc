"""`ricochet compare` and `ricochet strategy`, and what they are made of."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from ricochet_casino.games import load_paytable
from ricochet_casino.games.ricochet_poker.hand_tables import read_hand_table
from ricochet_casino.games.ricochet_poker.paytable import RicochetPokerPaytable
from ricochet_casino.lab import compare, differences
from ricochet_casino.lab.running import Runner
from ricochet_casino.lab.strategy_card import bonus_values, lone_rules, pot_rows, strategy_card
from ricochet_casino.report import comparison

PLAIN = load_paytable("rulebook")
CAPPED = load_paytable("home_capped")


def ricochet(*words):
    return subprocess.run(
        [sys.executable, "-m", "ricochet_casino", *words],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


def changed(**changes):
    content = PLAIN.model_dump(mode="json")
    content.pop("expect")
    return RicochetPokerPaytable.read({**content, **changes})


def floats_in(value):
    if isinstance(value, dict):
        return any(map(floats_in, value.values()))
    if isinstance(value, list):
        return any(map(floats_in, value))
    return isinstance(value, float)


# --- Rules and exact figures ---------------------------------------------------------------------


def test_rules_that_differ_are_told_key_by_key():
    kickout = {**PLAIN.kickout, 1: "AA"}
    bonus = {**PLAIN.model_dump(mode="json")["bonus"], "flush": "6"}
    del bonus["royal_flush"]
    new = changed(kickout=kickout, bonus=bonus, last_hand="may_play", title="Another")
    found = {row["key"]: row for row in compare.rule_changes(PLAIN, new)}
    assert set(found) == {"kickout.1", "bonus.flush", "bonus.royal_flush", "last_hand"}
    assert (found["kickout.1"]["old"], found["kickout.1"]["new"]) == ("KKQ", "AA")
    assert found["kickout.1"]["new_meaning"] == "pair of aces, or better"
    assert "free" not in found["last_hand"]["new_meaning"]
    assert found["bonus.royal_flush"]["new"] is None
    assert compare.rule_changes(PLAIN, PLAIN) == []


def test_one_player_is_compared_exactly():
    found = compare.compare(PLAIN, CAPPED, [1])
    (result,) = found["results"]
    assert result["method"] == "exact"
    assert result["old"]["house_edge"]["exact"] == "78734189/2579351775"
    for name, difference in result["difference"].items():
        old, new = result["old"][name], result["new"][name]
        if "exact" in difference:
            assert Fraction(difference["exact"]) == Fraction(new["exact"]) - Fraction(old["exact"])
        else:
            apart = Fraction(new["decimal"]) - Fraction(old["decimal"])
            assert abs(Fraction(difference["decimal"]) - apart) <= Fraction(1, 10**12)
    assert "sd_per_round" in result["difference"]
    parts = sum(Fraction(row["difference"]["exact"]) for row in result["contributions"])
    assert parts == Fraction(result["difference"]["ev_per_ante"]["exact"])
    assert 0 < len(result["hands_decided_otherwise"]) < 169
    assert not floats_in(found)
    # Only one of them offers side bets.
    assert [row["name"] for row in found["side_bets"]] == ["quickdraw", "cover"]
    assert all(row["new"] is None and "difference" not in row for row in found["side_bets"])
    assert json.loads(comparison.render(found, "json")) == found


def test_side_bets_are_compared_exactly():
    bets = PLAIN.model_dump(mode="json")["side_bets"]
    new = changed(side_bets={**bets, "quickdraw": {"pays": "6 to 1", "tie": "first_two"}})
    rows = {row["name"]: row for row in compare.compare(PLAIN, new, [])["side_bets"]}
    quickdraw, cover = rows["quickdraw"], rows["cover"]
    # One chip more for each of the deals that win.
    hits = Fraction(quickdraw["old"]["hit_frequency"]["exact"])
    assert Fraction(quickdraw["difference"]["rtp"]["exact"]) == hits
    assert cover["difference"]["rtp"]["decimal"] == "0"


# --- Tables --------------------------------------------------------------------------------------


def test_the_difference_does_not_depend_on_workers_and_repeats():
    texts = [
        json.dumps(
            compare.table_difference(
                PLAIN, CAPPED, 2, Runner(workers=workers), deals=17_000, pilot=600
            )
        )
        for workers in (1, 2)
    ]
    assert texts[0] == texts[1]
    found = json.loads(texts[0])
    assert not floats_in(found)
    low, high = map(Fraction, found["difference"]["rtp_per_ante"]["interval"])
    # Bonuses are cut from 25, 100 and 1,000 to 10: for one player that costs 0.57 %.
    assert low < Fraction(-57, 10_000) < high < 0


def test_the_same_game_differs_by_nothing():
    found = compare.table_difference(PLAIN, PLAIN, 2, deals=3000, pilot=512)
    assert found["difference"]["rtp_per_ante"]["interval"] == ["0", "0"]


def test_one_player_at_a_table_agrees_with_the_exact_difference():
    exact = compare.compare(PLAIN, CAPPED, [1])["results"][0]["difference"]
    found = compare.table_difference(PLAIN, CAPPED, 1, deals=20_000, pilot=2048)["difference"]
    for name in ("rtp_per_ante", "average_bet", "fold_frequency", "win_frequency"):
        low, high = map(Fraction, found[name]["interval"])
        assert low <= Fraction(exact[name]["exact"]) <= high, name


def test_until_takes_as_many_deals_as_are_needed():
    wanted = Fraction(1, 250)
    found = compare.table_difference(PLAIN, CAPPED, 2, until=wanted, pilot=2048)
    assert Fraction(found["precision"]["asked"]) == wanted
    assert found["precision"]["met"]
    with pytest.raises(ValueError, match=r"would take about [0-9,]+ deals; expected a wider one"):
        compare.table_difference(PLAIN, CAPPED, 2, until=Fraction(1, 10**6), pilot=512, most=10**6)
    for bad, said in (({"until": Fraction(2)}, "half width"), ({"pilot": 1}, "2 deals or more")):
        with pytest.raises(ValueError, match=said):
            compare.table_difference(PLAIN, CAPPED, 2, **bad)


def test_no_common_number_of_players():
    one = changed(players=[1, 2])
    with pytest.raises(ValueError, match=r"no number of players is covered by both.*1 or 2.*has 4"):
        compare.compare(one, load_paytable("website_four_players"))
    assert compare.table_difference is differences.table_difference


# --- Strategy cards ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solo_card():
    return strategy_card(PLAIN, conditions=3)


def test_the_card_of_one_player(solo_card):
    assert solo_card["optimum"]["house_edge"]["exact"] == "78734189/2579351775"
    costs = [Fraction(rule["cost_per_ante"]["exact"]) for rule in solo_card["rules"]]
    assert costs == sorted(costs, reverse=True)
    weak = {row["strategy"]: row for row in solo_card["weak_play"]}
    assert weak["always_play"]["rtp_per_ante"]["decimal"].startswith("0.88985")
    coarse, fine = (
        Fraction(solo_card[name]["cost_per_ante"]["exact"]) for name in ("limits", "finest_limits")
    )
    assert 0 < fine < coarse < costs[-1]
    assert sum(row["number"] for row in solo_card["limits"]["rows"]) == 169
    assert not floats_in(solo_card)


def test_the_map_of_the_card_is_that_of_the_certificate(solo_card):
    rows = {row["hand"]: row for row in solo_card["map"]}
    assert len(rows) == 169
    assert rows["AA"]["decisions"] == [{"decision": "play", "below": "kickout"}]
    assert (rows["AA"]["always_below"], rows["AA"]["never_from"]) == ("kickout", "kickout")
    assert sum(row["fold_deals"] for row in rows.values()) == 601_417_332
    # Of ace and king: against eights, an ace and a king it depends on what else she holds.
    assert rows["AKs"]["always_below"] == "88AKT"
    assert "mixed" in {run["decision"] for run in rows["AKs"]["decisions"]}
    assert rows["32o"]["never_from"] != "kickout"


def test_the_card_of_several_players():
    card = strategy_card(PLAIN, 2, deals=2048)
    names = [row["strategy"] for row in card["strategies"]]
    assert names == [
        "card", "tight", "pot_odds", "pairs_and_big_cards", "always_play", "always_fold",
    ]  # fmt: skip
    for row in card["strategies"]:
        low, high = map(Fraction, row["cost_per_ante"]["interval"])
        assert low < Fraction(row["cost_per_ante"]["decimal"]) < high
    costs = {
        row["strategy"]: Fraction(row["cost_per_ante"]["decimal"]) for row in card["strategies"]
    }
    assert costs["card"] < costs["pairs_and_big_cards"] < costs["always_fold"]
    assert not floats_in(card)


def test_chances_that_a_play_needs():
    rules = PLAIN.rules(4)
    rows = pot_rows(rules)
    assert [row["pot_chips"] for row in rows] == ["5/1", "6/1", "7/1", "8/1"]
    # One chip to win six that lie there after the bet: one in six.
    assert rows[0]["chance_needed"]["exact"] == "1/6"
    for row in rows:
        need = Fraction(row["chance_needed"]["exact"])
        for kind in bonus_values(rules):
            lower = need - Fraction(row["with_bonus"][kind["kind"]]["exact"])
            pot = Fraction(row["pot_chips"]) + 1
            assert lower == Fraction(kind["mean"]["exact"]) / pot


def test_mean_bonuses_are_those_of_the_exact_game():
    """All of the bonuses of one player who always plays, kickouts included."""
    entry = compare.compare(PLAIN, PLAIN, [1], strategy="always_play")["results"][0]
    paid = sum(
        Fraction(row["old"]["exact"]) for row in entry["contributions"] if row["part"] != "pot"
    )
    rows = {row["kind"]: Fraction(row["mean"]["exact"]) for row in bonus_values(PLAIN.rules(1))}
    near = sum(1 for h in range(13) for low in range(h) if h - low <= 4 or (h == 12 and low <= 3))
    groups = {
        "pairs": 78, "suited, near": 4 * near, "suited, apart": 4 * (78 - near),
        "two suits, near": 12 * near, "two suits, apart": 12 * (78 - near),
    }  # fmt: skip
    assert sum(groups.values()) == 1326
    assert sum(number * rows[kind] for kind, number in groups.items()) / 1326 == paid


def test_the_pot_of_several_players_for_one():
    rules = lone_rules(PLAIN.rules(5))
    assert (rules.players, rules.ante, rules.dealer_ante) == (1, 1, 5)
    assert rules.kickout_class == PLAIN.rules(5).kickout_class


# --- Commands ------------------------------------------------------------------------------------


def test_compare_prints_rules_and_figures():
    done = ricochet("compare", "rulebook", "home_capped", "--players", "1")
    assert done.returncode == 0, done.stderr
    assert re.search(r"bonus\.royal_flush +1000 to 1 +10 to 1", done.stdout)
    assert re.search(r"RTP per ante +96\.9475 % +96\.3762 % +-0\.5713 %", done.stdout)


def test_compare_writes_json_without_floats(tmp_path):
    file = tmp_path / "found.json"
    done = ricochet(
        "compare", "rulebook", "rulebook", "--players", "2", "--deals", "2000",
        "--new-strategy", "pot_odds", "--format", "json", "--out", str(file),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    found = json.loads(file.read_text(), parse_float=pytest.fail)
    assert found["schema"] == "ricochet-casino/comparison/1"
    assert found["rules"] == []
    assert found["results"][0]["strategy"] == {"old": "collective", "new": "pot_odds"}


def test_a_card_and_its_hand_table(tmp_path):
    file = tmp_path / "mine.yaml"
    done = ricochet("strategy", "rulebook", "--conditions", "2", "--table", str(file))
    assert done.returncode == 0, done.stderr
    assert "low>main" not in done.stdout
    assert "Play if your lower card beats the dealer's pair" in done.stdout
    assert re.search(r"always_play +7\.9625 % +88\.9850 %", done.stdout)
    assert read_hand_table(file).limits["AA"] == 7462


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "rulebook", "nowhere.yaml"), "nowhere.yaml: no such file"),
        (("compare", "rulebok", "rulebook"), "did you mean rulebook"),
        (("compare", "rulebook", "home_capped", "--strategy", "colective"), "did you mean collect"),
        (("compare", "rulebook", "website_four_players", "--players", "2"), "expected 4"),
        (("compare", "rulebook", "home_capped", "--players", "8"), "expected 1 to 7"),
        (("compare", "rulebook", "home_capped", "--format", "jsn"), "did you mean json"),
        (("compare", "rulebook", "home_capped", "--until", "x"), "expected a share"),
        (("compare", "rulebook", "home_capped", "--deals", "9", "--until", "1%"), "either --deals"),
        (("strategy", "website_four_players"), "has no kickout for 1 players; expected 4"),
        (("strategy", "rulebook", "--conditions", "9"), "less than or equal to 8"),
        (("strategy", "rulebook", "--format", "md"), "expected text or json"),
    ],
)
def test_bad_input_is_one_clear_error(words, said):
    done = ricochet(*words)
    assert done.returncode == 2
    assert said in " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stderr).split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_file_that_cannot_be_written(tmp_path):
    done = ricochet(
        "strategy", "rulebook", "--conditions", "0", "--out", str(tmp_path / "no" / "x")
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert not Path(tmp_path / "no").exists()
