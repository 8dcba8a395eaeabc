"""The application, by its keyboard alone, with textual's pilot."""

import asyncio
import re
import threading
from pathlib import Path

import pytest
from textual.geometry import Size

from ricochet_casino.table import app
from ricochet_casino.table.app import TableApp, how_to_resume, run_opening
from ricochet_casino.table.session import Session
from ricochet_casino.table.setup import Setup
from ricochet_casino.table.view import Pending

NAMES = ("Ann", "Bob", "Cleo", "Dora", "Emil", "Fritz", "Gustav", "Hildegard")
SMALL, LARGE = (80, 24), (120, 40)
CHOICE = re.compile(r" (\w) +(fold|play|buy \d cards?): (free|\d+ chips?)")

FIRST_TURN = """\
 Ricochet Poker, the home game · hand 1 · Cleo deals                      POT 3
   Ann                  ╭───╮
   19 chips (1 in pot)  │J♣ │
                        ╰───╯  jack
   Bob                  ╭───╮
   19 chips (1 in pot)  │8♣ │  next lowest
                        ╰───╯  eight
 ▶ Cleo             D   ╭───╮
   19 chips (1 in pot)  │5♦ │  TO ACT
                        ╰───╯  five
 ──────────────────────────────────────────────────────────────────────────────
 Cleo acts with the lowest hand, 5♦; the next lowest is 8♣ of Bob.
 Cleo, press one of these keys:
  f  fold: free             1  buy 1 card: 1 chip     2  buy 2 cards: 2 chips
  3  buy 3 cards: 3 chips   4  buy 4 cards: 4 chips
────────────────────────────────────────────────────────────────────────────────
 What has happened
 3 players ante 1 chip each. Pot: 3 chips.
 Ann is dealt J♣.
 Bob is dealt 8♣.
 Cleo is dealt 5♦.


 a  odds   l  story   t  people   s  suits   ?  help   q  leave"""


def table(number=3, *, people=None, path=None, **setup):
    """A table of seed 7; all are people, or so many of them."""
    session = Session.begin(Setup(**{"seed": 7} | setup), path)
    for place, name in enumerate(NAMES[:number]):
        session.sit(name, None, "" if people is None or place < people else "pot_odds")
    return session


class Player:
    """Presses keys, and reads the screen."""

    def __init__(self, app, pilot):
        self.app, self.pilot = app, pilot

    @property
    def screen(self):
        """The text of the screen, row by row."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    def says(self, text):
        """The screen must say this, wherever it breaks the lines."""
        # Long paths are broken within words too.
        words = "".join(self.screen.split())
        assert "".join(text.split()) in words, f"{text!r} is not on the screen:\n{self.screen}"

    @property
    def pending(self):
        return self.app.session.pending

    async def settle(self):
        """Until the application waits for a key."""
        for _ in range(2000):
            await self.pilot.pause()
            screen = self.app.screen
            moving = getattr(screen, "_timer", None) is not None or getattr(screen, "busy", "")
            await self.pilot.pause(0.005)
            if not moving and not self.app.workers._workers and self.app.screen is screen:
                return
        raise AssertionError(f"it goes on and on:\n{self.screen}")

    async def press(self, *keys):
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def resize(self, size):
        await self.pilot.resize_terminal(*size)
        await self.settle()


def play(session, script, size=SMALL, **options):
    """Run the application, with `script(player)` at the keyboard; returns the application."""

    async def run():
        app = TableApp(session, pace=0, **options)
        async with app.run_test(size=size) as pilot:
            player = Player(app, pilot)
            await player.settle()
            await script(player)
        return app

    return asyncio.run(run())


def test_a_newcomer_plays_a_first_hand_by_what_the_screen_says():
    async def script(player):
        player.says("F2  begin")
        await player.press("f2")
        player.says("Enter deals the first hand. ? explains the game")
        player.says("The lowest hand acts: it folds, or buys cards")
        await player.press("enter")
        for _ in range(40):
            if "The hand is over" in player.screen:
                break
            if "Enter deals the cards" in player.screen or "Enter goes on" in player.screen:
                await player.press("enter")
                continue
            player.says("Guest, press one of these keys")
            offered = CHOICE.findall(player.screen)
            assert offered[0] == ("f", "fold", "free")
            await player.press(offered[-1][0])
        player.says("The hand is over")
        player.says("Enter deals the next hand")
        seats = player.app.session.view().seats
        assert [seat.name for seat in seats] == ["Guest", "Bea", "Carl"]
        assert sum(seat.result for seat in seats) == 0
        player.says("WON")

    play(None, script)


def test_the_screen_of_a_first_turn():
    async def script(player):
        await player.press("enter")
        assert player.screen.splitlines() == FIRST_TURN.splitlines()

    play(table(), script)


@pytest.mark.parametrize(
    ("number", "setup"),
    [(2, {}), (8, {"rules": "seven_cards"}), (8, {"game": "casino-night"})],
)
def test_all_that_is_needed_is_in_sight(number, setup):
    async def script(player):
        await player.press("enter")
        for size in (LARGE, (72, 20), SMALL):
            await player.resize(size)
            _all_in_sight(player)

    play(table(number, **setup), script)


def _all_in_sight(player):
    view, screen = player.app.session.view(), player.screen
    assert view.pending is Pending.ACTION
    for seat in view.seats:
        assert seat.name in screen
        assert str(seat.chips) in screen
    row = next(row for row in screen.splitlines() if row.startswith(" ▶ "))
    assert next(seat.name for seat in view.seats if seat.is_turn) in row
    assert screen.count("TO ACT") == 1
    player.says(f"POT {view.pot}")
    assert CHOICE.findall(screen) == [
        (c.key, c.label, f"{c.cost} chip{'s' * (c.cost > 1)}" if c.cost else "free")
        for c in view.choices
    ]
    player.says(" ".join(view.turn_why.split()[:6]).replace("T♦", "10♦"))
    assert screen.splitlines()[-1].endswith("q  leave")
    dealt = [card for seat in view.seats for card in seat.cards] + [*view.dealer_cards]
    upper = screen[: screen.index("press one of")]
    assert len(re.findall(r"(?:10|[2-9JQKA])[♣♦♥♠]", upper)) >= len(dealt)


def test_a_resize_in_mid_hand_changes_nothing():
    async def script(player):
        await player.press("enter", "2")
        before = player.app.session.view()
        for size in (LARGE, (72, 20), (200, 60), (73, 50), SMALL):
            await player.resize(size)
            player.says("Enter deals the cards")
            assert player.app.session.view() == before
        await player.press("enter")
        assert player.app.session.view().hand_number == 1
        assert not player.app.session.view().held

    play(table(), script)


def test_a_window_that_is_too_small_is_told_and_waits():
    async def script(player):
        await player.press("enter")
        before = player.app.session.view()
        await player.resize((40, 10))
        words = " ".join(player.screen.split())
        assert "The window is too small: 40x10. The table needs 72x20." in words
        await player.press("f", "enter", "q", "escape")
        await player.resize((71, 30))
        player.says("too small: 71x30")
        assert player.app.session.view() == before
        await player.resize(SMALL)
        player.says("press one of these keys")
        await player.press("f")
        assert player.app.session.view() != before

    play(table(), script)


def test_too_small_from_the_beginning():
    async def script(player):
        player.says("too small: 40x10")
        await player.resize(SMALL)
        player.says("Enter deals the first hand")

    play(table(), script, (40, 10))


def test_a_resize_that_nobody_told_of_is_found(monkeypatch):
    async def script(player):
        await player.press("enter")
        for size, said in (((40, 10), "too small: 40x10"), (SMALL, "press one of these keys")):
            monkeypatch.setattr(app, "terminal_size", lambda size=size: Size(*size))
            player.app.look_at_size()
            await player.settle()
            player.says(said)

    play(table(), script)


def test_an_action_is_taken_back_until_a_card_is_dealt():
    async def script(player):
        session = player.app.session
        await player.press("enter")
        before = session.view()
        await player.press("3")
        player.says("u takes back: Cleo: buy 3 cards.")
        player.says("(4 in pot)")
        await player.press("u")
        assert session.view().seats == before.seats
        assert '"kind":"undo"' in session.ledger_text
        await player.press("3", "enter")
        assert "undo" not in player.screen
        await player.press("u")
        player.says("Not possible: nothing can be taken back")

    play(table(), script)


def test_what_cannot_be_chosen_is_told_in_a_line():
    async def script(player):
        await player.press("enter", "9")
        player.says("Not possible: Cleo cannot choose '9'")
        await player.press("enter")
        player.says("Press the key of a choice first.")
        await player.press("F")
        player.says("FOLDED")
        assert "Not possible" not in player.screen

    play(table(), script)


def test_a_choice_without_chips_says_why():
    async def script(player):
        await player.press("enter")
        player.says("not now")
        player.says("Not now: Cleo has only 1 chip.")
        await player.press("2")
        player.says("Not possible: buy 2 cards is not possible")

    play(table(chips=2), script)


def test_real_cards_are_typed_and_wrong_ones_are_refused():
    async def script(player):
        session = player.app.session
        await player.press("enter")
        player.says("Which card has been dealt to Ann?")
        await player.press(*"Kd", "enter", *"jC", "enter", *"kd", "enter")
        player.says("Not possible: the card Kd has been dealt to Ann")
        await player.press(*"1x", "enter")
        player.says("is not a card")
        await player.press(*"8h", "enter", "enter")
        player.says("Type the card that was dealt")
        await player.press("question_mark")
        player.says("How it is played")
        await player.press("escape", "escape", "u")
        assert session.pending is Pending.CARD
        assert [len(seat.cards) for seat in session.view().seats] == [1, 1, 0, 0]
        await player.press(*"8h 8h", "enter")
        player.says("Not possible: the card 8h has been dealt to Cleo")
        await player.press(*"7s", "enter")
        player.says("Dora acts with the lowest hand, 7♠; the next lowest is 8♥ of Cleo.")
        await player.press("3", *"2h", "enter", *"9c", "enter")
        player.says("Cleo acts with the lowest hand, 8♥")
        player.says("POT 7")
        await player.press("escape", "q")
        player.says("Leave the table?")

    play(table(4, manual=True), script)


def test_odds_are_shown_on_request_and_are_the_sessions():
    async def script(player):
        await player.press("enter", "a")
        advice = player.app.session.advice()
        player.says(f"Odds and advice for {advice.name}")
        for row in advice.rows:
            assert re.search(rf"{row.label} +{re.escape(row.value)}", player.screen)
            player.says(row.exactly)
            player.says(row.chance)
        player.says(f"▶ {advice.best}")
        player.says("1 buy 1 card: 1 chip ◀ best?")
        player.says("too close to be sure")
        await player.press("l")
        player.says(advice.command)
        await player.press("escape", "a")
        player.says("What has happened")
        assert "BEST" not in player.screen
        assert player.app.session.view().advice is None
        await player.press("a", "f")
        player.says("Odds and advice for Bob")

    play(table(), script)


def test_odds_can_be_hidden_for_good():
    async def script(player):
        await player.press("enter", "a")
        player.says("opened without odds")
        assert "BEST" not in player.screen

    session = table()
    session.with_advice = False
    play(session, script)


def test_suits_as_letters():
    async def script(player):
        await player.press("enter")
        player.says("5♦")
        await player.press("s")
        assert not set("♣♦♥♠") & set(player.screen)
        player.says("Cleo acts with the lowest hand, 5d")
        await player.press("s")
        player.says("5♦")

    play(table(), script)
    play(table(), _no_symbols, letters=True)


async def _no_symbols(player):
    await player.press("enter")
    assert not set("♣♦♥♠") & set(player.screen)


def colours(player):
    """Colours of letters on the screen."""
    return set(re.findall(r"-r\d+ { fill: (#\w+)", player.app.export_screenshot()))


def test_without_colour(monkeypatch):
    seen = {}

    async def script(player):
        seen[player.app.no_color] = set()
        for keys in ((), ("enter",), ("2",), ("question_mark",), ("escape", "t")):
            await player.press(*keys)
            seen[player.app.no_color] |= colours(player)

    play(table(), script)
    monkeypatch.setenv("NO_COLOR", "1")
    play(table(), script)
    assert "#c00000" in seen[False]
    assert len(seen[True]) <= 3  # the terminal's own two, and one that is dimmed
    for colour in seen[True]:  # all of them shades of grey
        parts = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
        assert max(parts) - min(parts) <= 3


def test_help_has_the_rules_the_choices_and_the_keys():
    async def script(player):
        await player.press("enter", "question_mark")
        seen = player.screen
        assert "more below" in seen
        for _ in range(8):
            await player.press("pagedown")
            seen += player.screen
        player.says("more above")
        assert "below" not in player.screen.splitlines()[0]
        words = " ".join(seen.split())
        for sentence in (
            "The last hand left takes the pot.",
            "f, fold: You are out; what you have paid stays in the pot.",
            "take back the last action",
            "Suits: ♣ clubs (lowest)",
        ):
            assert sentence in words
        await player.press("home", "escape")
        player.says("press one of these keys")

    play(table(), script)


def test_people_join_buy_and_leave_between_hands():
    async def script(player):
        session = player.app.session
        await player.press("t", "down", *"Ann", "enter")
        player.says("Not possible: Ann is at the table already")
        await player.press("backspace", "backspace", "backspace", *"Zoe", "down", "backspace",
                           "backspace", "0", "enter")  # fmt: skip
        player.says("Not possible: 1 to 1,000,000 chips")
        await player.press("backspace", *"15", "down", "right", "enter")
        player.says("Zoe (pot_odds) sits down with 15 chips.")
        await player.press("up", "up", "up", "right", "down", "right", "enter")
        player.says("Bob buys 15 chips.")
        await player.press("up", "right", "enter")
        player.says("Bob leaves and takes 35 chips home.")
        await player.press("escape")
        assert [seat.name for seat in session.view().seats] == ["Ann", "Cleo", "Zoe"]
        await player.press("enter")
        assert session.view().hand_number == 1
        await player.press("t", "right", "right", "enter")
        player.says("is in a hand that is being played")

    play(table(), script)


def test_too_few_people_are_led_to_the_list():
    async def script(player):
        player.says("opens the list of people")
        await player.press("enter")
        player.says("People at the table")
        await player.press("down", *"Bo", "enter", "escape", "enter")
        assert player.app.session.view().hand_number == 1

    play(table(1), script)


def test_computer_players_play_by_themselves_and_the_dealer_rotates():
    async def script(player):
        dealers = []
        for _ in range(4):
            await player.press("enter")
            view = player.app.session.view()
            assert view.over
            dealers.append(view.dealer_name)
            if view.seats[0].chips == 0:
                break
        assert dealers[:2] == ["Cleo", "Ann"]

    play(table(people=0), script)


def test_enter_hurries_a_computer_player():
    async def run():
        app = TableApp(table(people=0), pace=3600)
        async with app.run_test(size=SMALL) as pilot:
            await pilot.press("enter")
            for _ in range(60):
                await pilot.press("enter")
                await app.workers.wait_for_complete()
                if app.session.view().over:
                    return
        raise AssertionError("the hand did not end")

    asyncio.run(run())


def test_casino_night_on_the_screen():
    async def script(player):
        await player.press("enter")
        player.says("the house")
        player.says("p  play: 1 chip")
        await player.press("p")
        player.says("Enter deals the cards")
        while not player.app.session.view().over:
            await player.press("enter" if player.pending is Pending.DEAL else "p")
        player.says("The hand is over")

    play(table(game="casino-night"), script)


def test_leaving_says_how_to_go_on_and_the_table_goes_on(tmp_path):
    path = tmp_path / "evening.jsonl"

    async def script(player):
        await player.press("enter", "2", "q")
        player.says("Go on with: ricochet table")
        await player.press("escape")
        player.says("Enter deals the cards")
        await player.press("q", "enter")

    session = table(path=path)
    app = play(session, script)
    assert app.return_value == 0
    assert (
        how_to_resume(session) == f"Everything is kept in {path}. Go on with: ricochet table {path}"
    )
    before = session.view()
    session.close()
    resumed = Session.resume(path)
    assert resumed.view() == before

    async def again(player):
        player.says("Enter deals the cards. u takes back: Cleo: buy 2 cards.")
        await player.press("ctrl+c")

    app = play(resumed, again)
    assert app.return_value == 130
    resumed.close()


def test_a_full_disk_is_told_in_a_line(monkeypatch):
    async def script(player):
        monkeypatch.setattr(player.app.session, "next_hand", fail)
        await player.press("enter")
        player.says("Not possible: [Errno 28] No space left on device")

    def fail():
        raise OSError(28, "No space left on device")

    play(table(), script)


def test_a_failing_computer_player_is_told_in_a_line(monkeypatch):
    async def script(player):
        def fail():
            raise ValueError("no idea")

        monkeypatch.setattr(player.app.session, "step", fail)
        await player.pilot.press("enter")
        for _ in range(50):
            await player.pilot.pause(0.01)
        player.says("Not possible: no idea")

    play(table(people=0), script)


class TestOpening:
    def test_everything_can_be_chosen(self, tmp_path):
        path = tmp_path / "new.jsonl"

        async def script(player):
            player.says(str(path))
            await player.press("left", "down", "right", "down", "backspace", "backspace", *"33")
            player.says("casino night")
            await player.press("down", *[*["backspace"] * 5, *"Mia"], "down", "right")
            player.says("computer: pot odds")
            await player.press("f1")
            player.says("One person deals and is the house")
            await player.press("escape", *["down"] * 15, "enter")
            session = player.app.session
            assert session.header.kind.name == "casino-night"
            assert session.header.manual
            assert [(s.name, s.chips) for s in session.view().seats] == [
                ("Mia", 33), ("Bea", 33), ("Carl", 33),
            ]  # fmt: skip
            assert [s.human for s in session.view().seats] == [False, False, False]
            player.says("Enter deals the first hand")

        _open(path, script)
        assert path.exists()

    def test_what_is_not_allowed_is_told_and_leaves_no_file(self, tmp_path):
        path = tmp_path / "new.jsonl"

        async def script(player):
            await player.press("down", "down", "backspace", "backspace", "0", "f2")
            player.says("Not possible: 1 to 1,000,000 chips")
            await player.press("backspace", "x", "f2")
            player.says("Not possible: chips: 'x' is not a whole number")
            await player.press("backspace", "5", "down", *["backspace"] * 5, *"Bea", "f2")
            player.says("Not possible: Bea is at the table already")
            assert not path.exists()
            await player.press(*["backspace"] * 3, "down", "down", *["backspace"] * 3, "f2")
            player.says("a hand needs two people")
            assert not path.exists()
            await player.press("escape")

        app = _open(path, script)
        assert app.return_value == 0
        assert not path.exists()

    def test_a_file_that_exists_is_left_alone(self, tmp_path):
        path = tmp_path / "new.jsonl"
        path.write_text("mine", encoding="utf-8")

        async def script(player):
            await player.press("f2")
            player.says("exists already")
            await player.press("escape")

        _open(path, script)
        assert path.read_text(encoding="utf-8") == "mine"

    def test_a_window_that_is_too_small(self, tmp_path):
        async def script(player):
            await player.resize((40, 10))
            player.says("too small")
            await player.resize((72, 20))
            for name in ("Guest", "Bea", "Carl", "Enter here begins", "F2"):
                player.says(name)

        _open(tmp_path / "new.jsonl", script)

    def test_run_opening_closes_its_session(self, tmp_path, monkeypatch):
        path = tmp_path / "new.jsonl"

        def run(app):
            async def go():
                async with app.run_test(size=SMALL) as pilot:
                    await pilot.press("f2")
                    await pilot.pause()
                    await pilot.press("q", "enter")

            asyncio.run(go())
            return app.return_value

        monkeypatch.setattr(TableApp, "run", run)
        assert run_opening(Setup(seed=3), path, pace=0, advice=False) == 0
        Session.resume(path).close()


def _open(path, script):
    async def run():
        app = TableApp(None, Setup(seed=7), Path(path), pace=0)
        async with app.run_test(size=SMALL) as pilot:
            player = Player(app, pilot)
            await player.settle()
            await script(player)
        if app.session is not None:
            app.session.close()
        return app

    return asyncio.run(run())


def test_people_may_act_while_odds_are_computed(monkeypatch):
    asked, go = threading.Event(), threading.Event()

    async def script(player):
        session, show = player.app.session, player.app.session.show_advice

        def slowly(shown):
            if shown and not asked.is_set():
                asked.set()
                assert go.wait(30)
            show(shown)

        monkeypatch.setattr(session, "show_advice", slowly)
        await player.press("enter")
        await player.pilot.press("a")
        await asyncio.to_thread(asked.wait, 30)
        await player.pilot.press("f")
        await player.pilot.pause()
        player.says("Bob, press one of these keys")
        go.set()
        await player.settle()
        player.says("Odds and advice for Bob")

    play(table(), script)


def test_a_cut_off_ledger_is_remarked(tmp_path):
    path = tmp_path / "evening.jsonl"
    table(path=path).close()
    with path.open("a", encoding="utf-8") as file:
        file.write('{"kind":')
    session = Session.resume(path)

    async def script(player):
        player.says("line 5 does not end (8 bytes)")
        await player.press("enter")
        assert player.screen.count("does not end") == 1  # in the story only
        assert "POT 3" in player.screen

    play(session, script)
    session.close()


def test_a_computer_player_waits_until_a_person_cannot_take_back_any_more():
    async def script(player):
        session = player.app.session
        await player.press("enter")
        while session.pending is not Pending.ACTION:
            await player.press("enter")
        actor = next(seat.name for seat in session.view().seats if seat.is_turn)
        await player.press("f")
        assert session.pending is Pending.COMPUTER
        player.says(f"Enter goes on. u takes back: {actor}: fold.")
        await player.press("u")
        player.says(f"{actor}, press one of these keys")
        await player.press("f", "enter")
        assert not session.view().can_undo

    play(table(4, people=1, seed=2), script)
