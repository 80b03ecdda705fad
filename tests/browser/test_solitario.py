"""Tests Solitario in the browser: mouse, touch, keyboard, reconnecting, and the layout of its pages."""

from __future__ import annotations

import re

import pytest
from layout import SIZES, expect_in_order
from player import DESK, MOVING, PHONE
from playwright.sync_api import expect
from solitario_player import DEAL_FILE, SolitarioPlayer, line_of, with_deals

from cardlab.games.record import Opening
from cardlab.games.solitario import rules
from cardlab.games.solitario.dealing import practice_opening
from cardlab.games.solitario.solver import solve


def shortest_of(pack, turn_up="click", draw=1):
    """Returns the deal with the shortest solution among twelve deals of a pack."""
    options = {"pack": pack, "turn_up": turn_up, "draw": draw}
    lines = []
    for number in range(12):
        deal = rules.deal(f"the browser tests {number}", options)
        state = rules.start(deal, options)
        solution = solve(state.position, state.pack, draw=draw, nodes=2000)
        if solution.solvable:
            lines.append((len(solution.line), deal))
    return min(lines)[1]


DEALS = {pack: shortest_of(pack) for pack in ("briscola", "tarocco")}


@pytest.fixture
def seat_solitario(seat_participant, browsers, server):
    """Provides a function that seats a :class:`SolitarioPlayer` in a new session, one hand of Briscola."""
    seat_participant.player_class = SolitarioPlayer

    def seat(at=DESK, pack="briscola", **fields) -> SolitarioPlayer:
        deal = DEALS[pack]
        fields = {"hands": 1, "check": False, "pack": pack, **fields}
        on = with_deals(server, deal)
        session = on.create_session("solitario_briscola", deal_file=DEAL_FILE, **fields)
        player = seat_participant.tab(browsers.context(at), on, session)
        options = {key: fields[key] for key in ("pack", "draw", "turn_up", "undo") if key in fields}
        player.state = rules.start(deal, options)
        return player

    return seat


def test_no_quick_click_on_the_stock_is_dropped(seat_solitario):
    """Twelve clicks draw the twelve cards of the stock; the next one is answered but turns nothing over.

    With ``clock`` first_move, time and score begin with the first click.
    """
    player = seat_solitario(clock="first_move").to_the_hand()
    player.page.wait_for_timeout(1_100)
    expect(player.page.locator("#time")).to_have_text("0:00")
    for _click in range(13):
        player.page.mouse.click(*player.point("stock"))
    for _draw in range(12):
        player.state = rules.apply(player.state, rules.SEAT, "draw")
    player.expect_note("The stock is empty. Click it once more to turn it over.")
    player.expect_board()
    assert player.actions() == ["draw"] * 12
    expect(player.page.locator("#time")).to_have_text(re.compile("0:0[1-9]"))
    expect(player.page.locator("#score")).to_have_text(re.compile("−[1-9]"))


def kinds(actions):
    return {action.split()[0] for action in actions}


@pytest.mark.long("a finger does the same", only="mouse")
@pytest.mark.parametrize(("at", "turn_up"), [(DESK, "click"), (PHONE, "auto")], ids=["mouse", "touch"])
def test_prepared_deal_can_be_won_by_gestures(seat_solitario, at, turn_up):
    """Every kind of gesture plays the first moves; the socket plays most of the others, gestures the last."""
    player = seat_solitario(at, turn_up=turn_up).to_the_hand()
    line = line_of(player.state)
    wanted = {"draw", "home", "move"} | ({"up"} if turn_up == "click" else set())
    first = next(n for n in range(len(line)) if wanted <= kinds(line[: n + 1])) + 1
    for action in line[:first]:
        player.do(action)
    player.play_at_once(line[first:-4])
    for action in line[-4:]:
        player.do(action)
    player.expect_result("Solved!")
    assert player.actions() == line
    (hand,) = player.export("custom_export_hands")
    assert (hand["outcome"], hand["cards_home"], int(hand["bonus"]) > 0) == ("solved", "40", True)
    assert int(hand["score"]) == sum(int(hand[name]) for name in ("points_of_events", "time_points", "bonus"))
    shown = re.search(r"Score ([\d.,]+)", player.page.locator("#result-text").inner_text())[1]
    assert re.sub(r"\D", "", shown) == hand["score"]
    player.page.get_by_role("button", name="Ten best").click()  # loaded before the hand was solved
    best = player.page.get_by_role("dialog", name="The ten best hands of this session")
    expect(best.locator("tbody tr")).to_have_count(1)
    expect(best.locator("tbody tr.own")).to_contain_text(hand["score"])
    expect(best).not_to_contain_text("No hand has been solved yet.")
    best.get_by_role("button", name="Close").click()
    player.next()
    player.expect_page("Results")
    expect(player.page.locator(".ten-best tbody tr")).to_have_count(1)


def play_up_to_finish(player):
    line, state = [], player.state
    for action in line_of(state):
        if rules.finishing_move(state):
            break
        line.append(action)
        state = rules.apply(state, rules.SEAT, action)
    player.play_at_once(line)


def test_finish_sends_the_last_cards_home(seat_solitario):
    player = seat_solitario(auto_finish=True).to_the_hand()
    finish = player.page.get_by_role("button", name="Finish", exact=True)
    expect(finish).to_be_hidden()
    play_up_to_finish(player)
    left = player.state
    expect(finish).to_be_visible()
    finish.click()
    player.expect_result("Solved!")
    expect(finish).to_be_hidden()
    moves = player.actions()[left.moves :]
    while action := rules.finishing_move(left):
        assert moves.pop(0) == action
        left = rules.apply(left, rules.SEAT, action)
    assert left.solved
    assert moves == []


def test_offline_leaderboard_shows_the_loaded_one(seat_solitario):
    player = seat_solitario().to_the_hand()
    player.page.route("**/Hand/*", lambda route: route.abort())
    player.page.get_by_role("button", name="Ten best").click()
    best = player.page.get_by_role("dialog", name="The ten best hands of this session")
    expect(best).to_contain_text("The list was last updated when you opened this page.")
    expect(best).to_contain_text("No hand has been solved yet.")
    player.faults.clear()  # the browser complains of the request


@pytest.mark.parametrize("at", [DESK, PHONE], ids=["mouse", "touch"])
def test_instructions_name_the_gestures_of_the_device(seat_solitario, seat_participant, at):
    player = seat_participant.window(seat_solitario(at, tutorial="free"), **at).arrive()
    player.expect_live()
    expect(player.page.locator("#score")).to_have_text("0")
    expect(player.page.locator("#clock")).to_be_hidden()
    player.next()
    player.next()
    player.expect_step("home")
    by_touch = at is PHONE
    player.expect_coach("double-tap it" if by_touch else "right-click it")
    player.page.get_by_role("button", name="Rules").click()
    shown = player.page.locator("section[data-step=home]")
    expect(shown).to_be_in_viewport(ratio=0.99)
    expect(shown.get_by_text("Right-click")).to_be_visible(visible=not by_touch)
    expect(shown.get_by_text("Double-tap a card")).to_be_visible(visible=by_touch)
    # Reading for half a minute costs nothing.
    player.page.clock.install()
    player.page.clock.fast_forward(30_000)
    expect(player.page.locator("#score")).to_have_text("0")


def test_illegal_drop_of_a_run_returns(seat_solitario):
    """A run moves as a whole, the stock is turned over, and a reload shows the same table."""
    player = seat_solitario(turn_up="auto").to_the_hand()
    line = line_of(player.state)
    state, runs = player.state, []
    for number, action in enumerate(line):
        if action.startswith("move ") and not action.startswith("move w") and action[-1] != "1":
            runs.append(number)
        state = rules.apply(state, rules.SEAT, action)
    player.play_at_once(line[: runs[0]])
    _move, source, _to, count = line[runs[0]].split()
    run = player.state.columns[int(source) - 1].up[-int(count) :]
    wrong = next(
        n
        for n in range(1, 8)
        if f"move {source} {n} {count}" not in rules.legal_actions(player.state, "solo") and str(n) != source
    )
    player.drag(run[0], player.end_of(wrong))
    expect(player.page.locator("#refusal")).not_to_be_empty()
    player.expect_board()
    player.do(line[runs[0]])
    for _card in range(len(player.state.stock)):
        player.do("draw")
    player.do("turn")
    player.page.reload()
    player.expect_live()
    player.expect_board()
    assert player.actions()[-1] == "turn"


def test_ace_moves_between_foundations(seat_solitario):
    player = seat_solitario(turn_up="auto").to_the_hand()
    line = line_of(player.state)
    action = next(action for action in line if action.startswith("home") and action[5].isdigit())
    player.play_at_once(line[: line.index(action)])
    ace = player.end_of(int(action[5]))
    player.drag(ace, "f3")
    player.expect_done(f"{action} 3")
    player.drag("f3", "f2")
    player.expect_done(f"home {ace[-1]} 2")
    player.drag("f2", "stock")
    player.expect_note("Drop the card on a column or a foundation.")


def test_hand_continues_after_a_server_restart(seat_solitario, seat_participant):
    seat_participant.lenient = True
    player = seat_solitario().to_the_hand()
    line = line_of(player.state)
    player.play_at_once(line[:20])
    player.server.kill9()
    player.expect_lost()
    player.server.start()
    player.expect_live()
    player.expect_board()
    player.play_at_once(line[20:25])
    assert player.actions() == line[:25]


def test_pause_stops_time_and_score(seat_solitario):
    """Afterwards, time and score continue from where they stopped."""
    player = seat_solitario(clock="shown").to_the_hand()
    page, time = player.page, player.page.locator("#time")
    expect(time).to_have_text("0:01")
    player.intervene("pause")
    expect(page.get_by_role("dialog", name="Pause")).to_be_visible()
    stopped = time.text_content()
    page.wait_for_timeout(2_200)
    assert time.text_content() == stopped
    player.intervene("go_on")
    expect(time).not_to_have_text(stopped)
    assert time.text_content() == f"0:0{int(stopped[-1]) + 1}"
    assert page.locator("#score").text_content() == f"−{time.text_content()[-1]}"


def test_hand_is_playable_by_keyboard_alone(seat_solitario):
    """Enter sends cards home, Space and digits move them to columns, N and Escape ask, U takes back."""
    player = seat_solitario(undo=True, hands=2).to_the_hand()
    keys = player.page.keyboard
    line = line_of(player.state)
    for action in line[:30]:
        kind, *words = action.split()
        if kind == "turn":
            player.turn_over(lambda: keys.press("d"))
            continue
        if kind == "draw":
            keys.press("d")
        elif kind == "back":
            player.play_at_once([action])
            continue
        else:
            place = "w" if words[0] == "w" else player.end_of(int(words[0]))
            if kind == "move" and words[0] != "w":
                place = player.state.columns[int(words[0]) - 1].up[-int(words[2])]
            player.at(place).focus()
            keys.press("Space" if kind == "move" else "Enter")
            if kind == "move":
                keys.press(words[1])
        player.expect_done(action)
    before = rules.apply(player.state, rules.SEAT, "undo")
    keys.press("u")
    player.state = before
    player.expect_board()

    keys.press("Escape")
    expect(player.page.locator("#leave")).to_be_visible()
    keys.press("Enter")  # “Keep playing” has the focus
    expect(player.page.locator("#leave")).to_be_hidden()
    player.expect_board()
    expect(player.page.locator("#keys")).to_contain_text("next hand")
    keys.press("n")
    expect(player.page.locator("#leave")).to_be_visible()
    keys.press("Tab")
    keys.press("Enter")
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    expect(player.page.locator("#keys")).not_to_contain_text("next hand")
    keys.press("n")
    player.expect_note("last hand")
    keys.press("Escape")
    player.page.get_by_role("button", name="Give up", exact=True).last.click()
    player.expect_result("gave up")
    hands = player.export("custom_export_hands")
    assert [(hand["outcome"], hand["undone"]) for hand in hands] == [("gave_up", "1"), ("gave_up", "0")]


def test_coach_leads_through_the_steps(seat_solitario):
    player = seat_solitario(tutorial="required", check=True).arrive()
    player.expect_live()
    assert player.words_before_the_first_action() <= 25
    tasks = {
        "column": lambda moves: next(m for m in moves if re.match(r"move \d", m)),
        "uncover": None,
        "home": lambda moves: next(m for m in moves if m.startswith("home")),
        "stock": lambda moves: "draw",
        "points": None,
    }
    for step, task in tasks.items():
        player.expect_step(step, locked=True)
        player.expect_live()
        start = _to_try(player)
        state = start
        moves = list(rules.legal_moves(state))
        if task:
            todo = [task(moves)]
        elif step == "uncover":
            move = next(m for m in moves if re.match(r"move \d", m) and state.columns[int(m[5]) - 1].down)
            todo = [move, f"up {move[5]}"]
        else:
            drawn = rules.apply(state, rules.SEAT, "draw")
            todo = ["draw", next(m for m in rules.legal_moves(drawn) if m.startswith("move w"))]
        player.state = start
        player.expect_board()
        for action in todo:
            player.do(action)
        expect(player.page.locator("#coach")).to_have_class(re.compile("is-done"))
        player.next()
    player.expect_step("pay", locked=False)
    player.skip_steps()
    player.expect_page("Check")
    player.answer_check(which_card="6s")
    expect(player.page.locator(".check-explanation")).to_have_count(1)
    player.answer_check()
    player.expect_page("Hand")


# Whether the spotlight is on a card.
IS_LIT = """card => {
  const rectangle = (element) => element.getBoundingClientRect();
  const [at, light] = [card, document.getElementById("spotlight")].map(rectangle);
  return Math.abs(at.x - light.x) < 20 && Math.abs(at.y - light.y) < 20;
}"""


def test_instructions_tell_what_keys_do(seat_solitario, seat_participant):
    """The first Tab shows the keys; their effects are announced, and the spotlight follows the cards."""
    seated = seat_solitario(tutorial="required")
    player = seat_participant.window(seated, **MOVING)
    with player.page.expect_websocket(lambda socket: "/hand/" in socket.url) as socket:
        player.arrive()
    player.expect_live()
    keyboard, keys = player.page.keyboard, player.page.locator("#keys")
    assert keys.bounding_box()["height"] <= 1
    player.tab_to("[data-place=stock]")
    expect(keys).to_contain_text("Press Space to take a card")
    expect(keys).to_be_in_viewport(ratio=1)
    assert keys.bounding_box()["height"] > 10
    start = _to_try(seated)
    move = next(m for m in rules.legal_moves(start) if re.match(r"move \d", m))
    keyboard.press(move[5])
    keyboard.press("Space")
    with socket.value.expect_event("framereceived", lambda frame: '"noted"' in frame):
        keyboard.press(move[7])
    player.page.wait_for_timeout(100)  # until the page has read the response
    expect(player.page.locator("#announcement")).to_contain_text(f"moved to column {move[7]}")
    player.tab_to(".otree-btn-next")
    keyboard.press("Enter")  # deals again, and the cards fly back
    player.expect_step("uncover", locked=True)
    card = player.at(start.columns[int(move[5]) - 1].up[-1]).element_handle()
    player.wait_until(IS_LIT, card)


def _to_try(player):
    """Returns the initial state of the practice table."""
    opening = practice_opening({}, Opening("", player.state.options))
    return rules.start(opening.deal, opening.options)


def through_all_pages(player):
    """Yields the name of every page or page state on the way, and whether it may scroll."""
    player.arrive()
    player.expect_live()
    yield "instructions", True
    for _step in ("uncover", "home", "stock", "points"):
        player.next()
    yield "instructions-points", True
    player.skip_steps()
    player.expect_page("Check")
    player.answer_check(which_card="6s", empty_column="ace", next_home="2s", turn_over="nothing")
    expect(player.page.locator(".check-explanation")).to_have_count(4)
    yield "check-wrong", True
    player.answer_check()
    player.expect_page("Hand")
    player.expect_live()
    player.expect_board()
    yield "start", False
    line = line_of(player.state)
    player.play_at_once(line[: _longest(player.state, line)])
    player.at("w").focus()
    yield "full", False
    player.page.keyboard.press("Escape")
    expect(player.page.locator("#leave")).to_be_visible()
    player.page.locator("#stay").click()
    play_up_to_finish(player)
    expect(player.page.locator("#finish")).to_be_visible()
    yield "finish", False
    player.page.keyboard.press("f")
    player.expect_result("Solved!")
    yield "end", False
    player.next()
    player.expect_page("Results")
    player.page.locator("summary").first.click()
    yield "results", True


def _longest(state, line):
    """Returns the number of actions of a line after which the longest column appears."""
    longest, at = 0, 0
    for number, action in enumerate(line, 1):
        state = rules.apply(state, rules.SEAT, action)
        cards = max(len(column.down) + len(column.up) for column in state.columns)
        if cards > longest:
            longest, at = cards, number
    return at


@pytest.mark.parametrize("kind", SIZES)
def test_every_page_passes_layout_checks(seat_solitario, kind):
    at, sizes = SIZES[kind]
    player = seat_solitario(at, pack="tarocco", check=True, undo=True, auto_finish=True, leave_button="paid")
    for name, may_scroll in through_all_pages(player):
        expect_in_order(player, f"solitario-{name}", sizes, may_scroll)
