"""Tests wait pages and status lines of the matrix card game, and simultaneous choices."""

import json
import re

import pytest
from matrix_player import SIDES
from playwright.sync_api import expect

from cardlab.games.matrix import rules

ENOUGH = 6  # pings; a participant who leaves this many unanswered counts as gone
DEAF = re.compile("/hand/")
SEED = "1, game 1, deal 1"  # determines the server's actions in the first game


def collected(state, seat: str, who: str = "Other player") -> str:
    """Returns what the status says about the last turn to this seat, without the beginning."""
    last = state.turns[-1]
    own, others = (rules.value(card, state.options) for card in last.collected)
    if last.pair[0] != seat:
        own, others = others, own
    return f"You: {_signed(own)} · {who}: {_signed(others)}"


def _signed(points: int) -> str:
    return f"{'+' if points > 0 else '−'}{abs(points)}"


# ---------------------------------------------------------------- before the game

# Counts the tones that a page plays.
TONES = """window.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
        window.tones += 1;
        return start.apply(this, when);
    };"""


def test_waiting_page_shows_progress_and_calls_back(seat_group):
    seat_group.lenient = True  # the browser complains of connections it cannot make
    one, other = seat_group(2, begin_signal="sound", no_shows="robot")
    one = seat_group.window(one)
    one.page.add_init_script(TONES)
    one.come()
    page = one.page
    ready, waited, lost = (page.locator(f"#{name}") for name in ("ready", "waited", "connection"))
    expect(ready).to_have_text("1 of 2 ready")
    expect(page).to_have_title("Waiting for the other participants")
    expect(page.locator(".wait-next")).to_contain_text("You wait at most 10 minutes.")
    expect(page.locator(".wait-next")).to_contain_text("robots play the empty seats")
    expect(waited).not_to_contain_text("0:00")
    ready.click()  # browsers allow sound only after a click
    page.reload()
    expect(ready).to_have_text("1 of 2 ready")
    assert "0:00" not in waited.inner_text()  # the time keeps running
    page.context.set_offline(True)
    expect(lost).to_be_visible()
    page.context.set_offline(False)
    expect(lost).to_be_hidden()

    other.come()
    game = seat_group.game(one, other)
    expect(page).to_have_title("● Your game begins")
    expect(other.page).not_to_have_title("● Your game begins")  # the other one did not wait
    one.wait_until("() => window.tones === 2")
    page.mouse.move(9, 9)
    expect(page).to_have_title(re.compile("^Game 1 of 1"))
    page.locator("#sound").click()
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "false")

    game.act(one.seat)
    page.evaluate("() => Object.defineProperty(document, 'hidden', { get: () => true })")
    game.act(other.seat)
    while one.seat not in rules.waiting_for(game.state):
        game.act(other.seat, "keep")
    expect(page).to_have_title("● Your turn")
    assert page.evaluate("window.tones") == 2  # sound is off


def test_waiting_page_states_what_time_out_does(seat_group):
    """Nobody waits longer than the page says, even if somebody is still reading."""
    one, other = seat_group(2, gather_seconds=5)
    one, other = seat_group.window(one), seat_group.window(other)
    other.arrive()
    one.come()
    said = one.page.locator(".wait-next")
    expect(said).to_contain_text("You wait at most 5 seconds.")
    expect(said).to_contain_text("you continue without playing it")
    one.expect_page("Results")
    expect(one.page.locator("main")).to_contain_text("No partner was available")


# ---------------------------------------------------------------- waiting for others


def test_status_line_names_players_who_have_not_arrived(seat_group):
    seat_group.lenient = True  # one window receives no messages
    one, other = seat_group(2)
    other = seat_group.window(other)
    other.page.route_web_socket(DEAF, lambda _socket: None)  # on the hand page, but not at the table
    for player in (one, other):
        player.come()
    one.expect_at_the_table()
    other.expect_page("Hand")
    one.expect_status("Your turn: choose a card. The other player is not on this page right now.")
    plate = one.page.locator(".seat-label:not([data-side=near])").filter(visible=True)
    expect(plate.locator(".turn-tag")).to_have_text("elsewhere")
    card = one.hand()[0]
    one.press(f"play {card}")
    one.expect_status("You have chosen. The other player is not on this page right now.")
    other.page.context.close()

    again = seat_group.window(other)
    again.arrive()
    again.expect_at_the_table()
    one.expect_status("You have chosen. Waiting for the other player …")
    expect(plate.locator(".turn-tag")).to_have_text("thinking")
    again.expect_status("The other player has chosen. Your turn: choose a card.")
    game = seat_group.game(one, again)
    game.apply(one.seat, f"play {card}")
    game.expect_everywhere()


def test_silent_browser_counts_as_away_hidden_tab_not(seat_group):
    """A hidden page answers pings although its timers hardly run; a paused browser does not."""
    one, other = seat_group(2)
    other = seat_group.window(other)  # whose clock can be stopped
    calls = []

    def hears(frame):
        if frame == '"ping"':
            calls.append(frame)

    other.page.on("websocket", lambda socket: socket.on("framereceived", hears))
    other.page.clock.install()
    for player in (one, other):
        player.come()
    for player in (one, other):
        player.expect_at_the_table()
    tag = one.page.locator(".seat-label:not([data-side=near])").filter(visible=True).locator(".turn-tag")
    other.page.clock.pause_at(other.page.evaluate("Date.now() + 1000"))
    calls.clear()
    wait_until(one, lambda: len(calls) >= ENOUGH)
    expect(tag).to_have_text("thinking")
    devtools = other.page.context.new_cdp_session(other.page)
    other.page.clock.resume()
    devtools.send("Debugger.enable")
    devtools.send("Debugger.pause")
    expect(tag).to_have_text("elsewhere")
    one.expect_status("Your turn: choose a card. The other player is not on this page right now.")
    devtools.send("Debugger.disable")
    expect(tag).to_have_text("thinking")
    one.expect_status("Your turn: choose a card.")


def wait_until(player, condition) -> None:
    """Lets Playwright process the page's events until ``condition()``."""
    for _turn in range(1500):
        if condition():
            return
        player.page.wait_for_timeout(10)
    raise AssertionError("waited in vain")


def test_status_line_shows_turn_and_result(seat_group):
    people = seat_group(2)
    for player in people:
        player.come()
    game = seat_group.game(*people)
    for player in people:
        player.expect_status("Your turn: choose a card.")
        expect(player.page.locator("#deadline")).to_be_hidden()
    rotators, kept = set(), []
    while len(rotators) < 2 or not kept:
        first, second = game.state.pair if game.state.turn % 2 else reversed(game.state.pair)
        game.act(first)
        game.at(first).expect_status("You have chosen. Waiting for the other player …")
        game.at(second).expect_status("The other player has chosen. Your turn: choose a card.")
        game.act(second)
        for seat, player in game.people.items():
            expect(player.page.locator("#status")).to_contain_text(collected(game.state, seat))
        game.expect_everywhere()
        if not (rotator := game.state.rotator):
            continue
        (watcher,) = set(game.people) - {rotator}
        game.at(rotator).expect_status("You collected the lower card: turn one cross, or keep all.")
        game.at(watcher).expect_status("The other player collected the lower card and may turn a cross …")
        tag = game.at(watcher).page.locator(f".seat-label[data-side={SIDES[watcher][rotator]}] .turn-tag")
        expect(tag).to_have_text("thinking")
        attempt = game.any_card(watcher)
        game.at(watcher).page.keyboard.press(game.at(watcher).key_of(attempt))
        game.at(watcher).expect_refusal("The other player may turn a cross first. Please wait.")
        if not rotators:
            game.at(watcher).cross("NW").click()
            game.at(watcher).expect_refusal("Only the player who collected the lower card may turn a cross.")
            refused = [row["action"] for row in game.at(watcher).export() if row["accepted"] == "0"]
            assert refused == [attempt, "rotate NW"]
        action = game.act(rotator, "keep" if rotator in rotators and not kept else None)
        kept += ["keep"] * (action == "keep")
        rotators.add(rotator)
        words = "kept all crosses" if action == "keep" else "turned"
        for seat, subject in ((rotator, "You"), (watcher, "The other player")):
            expect(game.at(seat).page.locator("#last")).to_contain_text(f"{subject} {words}")
        game.expect_everywhere()


@pytest.mark.long("the same as with two players")
def test_four_player_status_names_robots(seat_group):
    """The participants sit at S and W; the robots at N and E play at once."""
    people = seat_group(2, players=4)
    for player in people:
        player.come()
    for player in people:
        player.expect_at_the_table()
    seats = {player.seat: player for player in people}
    assert seats.keys() == {"S", "W"}
    for seat, names in {
        "S": {"left": "Left player", "far": "Far robot", "right": "Right robot"},
        "W": {"left": "Left robot", "far": "Far robot", "right": "Right player"},
    }.items():
        for side, name in names.items():
            expect(seats[seat].page.locator(f".seat-label[data-side={side}] .player-name")).to_have_text(name)
    one, other = seats["S"], seats["W"]
    one.press(f"play {one.hand()[0]}")
    one.expect_status("You have chosen. Waiting for the left player …")
    other.expect_status("The right player has chosen. Your turn: choose a card.")
    other.press(f"play {other.hand()[0]}")
    for player in people:  # the robots' turn follows at once and is shown
        expect(player.page.locator("#turn")).to_contain_text("3 of 22")
        player.expect_status("Your turn: choose a card.")
        expect(player.page.locator("#last")).to_contain_text("Turn 1")
        expect(player.page.locator("#last")).to_contain_text("Last turn (2)")


@pytest.mark.long("the same as with two players")
def test_four_player_status_names_the_playing_pair(seat_group):
    people = seat_group(4)
    for player in people:
        player.come()
    game = seat_group.game(*people)
    game.at("N").expect_status("Now playing: Far player, Right player")
    game.at("N").page.keyboard.press("1")
    game.at("N").expect_refusal("The two other players play this turn.")
    game.at("E").expect_status("Now playing: Left player, Far player")
    game.act("W")
    game.at("E").expect_status("Now playing: Left player, Far player")
    game.act("S")
    for seat, dealer in {"N": "Far player", "E": "Left player"}.items():
        expect(game.at(seat).page.locator("#status")).to_contain_text(f"{dealer}: ")
    game.expect_everywhere()
    game.at("S").expect_status("Now playing: Far player, Right player")
    game.at("N").expect_status("Your turn: choose a card.")


@pytest.mark.parametrize(
    ("names", "robot"),
    [(["Robot", "You"], "The robot"), (["Left robot", "Far robot", "Right robot", "You"], "The left robot")],
    ids=["two players", "four players"],
)
def test_robot_has_always_chosen_already(seat_group, names, robot):
    (player,) = seat_group(1, players=len(names))
    player.come()
    player.expect_at_the_table()
    player.expect_status(f"{robot} has chosen. Your turn: choose a card.")
    expect(player.page.locator(".slot[data-slot=down] .card:not(.undealt)")).to_have_count(1)
    labels = player.page.locator(".seat-label .player-name").filter(visible=True)
    expect(labels).to_have_text(names)


# ---------------------------------------------------------------- time limits


def test_card_played_by_server_appears_without_reload(seat_group):
    """One player acts and the other does nothing."""
    people = seat_group(2, turn_limit_seconds=4)  # long enough to check the next turn
    for player in people:
        player.come()
    game = seat_group.game(*people)
    game.at("W").expect_deadline("A card is chosen for you in 0:0")
    own = game.state.hand("S")[0]
    game.act("S", f"play {own}")
    game.at("S").expect_deadline("A card is chosen for the other player in 0:0")
    hurry = game.at("W").page.locator("#deadline[data-last-seconds]")
    expect(hurry).to_be_visible()

    game.apply("W", rules.absent_action(game.state, "W", SEED))
    game.expect_everywhere()
    last_turn = re.compile(r"Last turn \(1\).*A card was chosen for the other player\.")
    expect(game.at("S").page.locator("#last")).to_contain_text(last_turn)
    absent = [row["seat"] for row in game.at("W").export() if row["action"] == "absent"]
    assert absent[0] == "W"


def test_returning_player_sees_the_card_played_meanwhile(seat_group):
    seat_group.lenient = True  # the browser complains of connections it cannot make
    one, other = seat_group(2, turn_limit_seconds=4)  # long enough for the steps before going offline
    other = seat_group.window(other)
    for player in (one, other):
        player.come()
    game = seat_group.game(one, other)
    seat = other.seat
    game.act(one.seat)
    other.expect_table(game.state)
    other.page.context.set_offline(True)
    other.expect_lost()
    expect(one.page.locator("#turn, #keep, #last").filter(has_text="Last turn (1)")).to_have_count(1)
    game.apply(seat, rules.absent_action(game.state, seat, SEED))
    other.page.context.set_offline(False)
    other.expect_live()
    last_turn = re.compile(r"Last turn \(1\).*A card was chosen for you\.")
    expect(other.page.locator("#last")).to_contain_text(last_turn)
    assert {row["action"] for row in other.export() if row["action"] == "absent"} == {"absent"}


# ---------------------------------------------------------------- simultaneous choices

# Presses a key at a given time of the clock that both windows share.
PRESS_AT = """([key, moment]) => {
    const press = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    setTimeout(press, moment - Date.now());
}"""


class Refusals:
    """Collects the refusals that a window receives."""

    def __init__(self, player) -> None:
        self.heard: list[str] = []
        player.page.on("websocket", lambda socket: socket.on("framereceived", self._frame))

    def _frame(self, frame) -> None:
        said = json.loads(frame) if frame.startswith("{") else {}
        self.heard += [said["refused"]] if "refused" in said else []


@pytest.mark.long("the same as where choices stand", only="may change")
@pytest.mark.parametrize(("turns", "change_choice"), [(6, False), (3, True)], ids=["stands", "may change"])
def test_simultaneous_choices_are_both_accepted(seat_group, turns, change_choice):
    people = seat_group(2, change_choice=change_choice)
    refusals = [Refusals(player) for player in people]
    for player in people:
        player.come()
    game = seat_group.game(*people, change_choice=change_choice)
    while game.state.turn <= turns:
        chosen = {seat: game.any_action(seat) for seat in game.state.pair}
        keys = {seat: game.at(seat).key_of(action) for seat, action in chosen.items()}
        moment = people[0].page.evaluate("Date.now() + 40")
        for seat in sorted(chosen, reverse=game.state.turn % 2 == 0):
            game.at(seat).page.evaluate(PRESS_AT, [keys[seat], moment])
        for seat, action in chosen.items():
            game.apply(seat, action)
        game.expect_everywhere()
        if game.state.rotator:
            game.act(game.state.rotator)
            game.expect_everywhere()
    assert [each.heard for each in refusals] == [[], []]
    rows = [row for player in people for row in player.export()]
    assert [row for row in rows if row["accepted"] == "0"] == []
