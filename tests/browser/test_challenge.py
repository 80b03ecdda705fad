"""Tests Challenge in the browser: all ways to play, dialogs, typed commands, analysis, and the pages."""

import pytest
from challenge_player import ChallengePlayer, with_deal
from layout import SIZES, expect_in_order
from player import DESK, PHONE
from playwright.sync_api import expect
from wire import Wire

# The participant leads and wins with the first card; every card of the pack is in the deal.
WON = "AS KS KH QS QC KC QD KD | AC AD | participant"
LONG = (  # 27 cards in the participant's hand
    "7S 8S 9S 10S JS | AS KS QS AH KH QH JH 10H 9H 8H 7H AC KC QC JC 10C 9C 8C 7C AD KD QD JD 10D 9D 8D 7D"
    " | computer"
)


# Measures how long each move of the computer is shown, in ms.
TIME_TRAILS = """() => {
    window.trails = [];
    const begun = new Map();
    new MutationObserver(changes => changes.forEach(({ addedNodes, removedNodes }) => {
        const now = performance.now();
        for (const at of addedNodes) if (at.matches?.(".trail")) begun.set(at, now);
        for (const at of removedNodes) if (begun.has(at)) window.trails.push(now - begun.get(at));
    })).observe(document.getElementById("arena"), { childList: true });
}"""


@pytest.fixture
def table(seat_participant, browsers, server):
    """Provides a function that seats one or more :class:`ChallengePlayer` at one table in a new session."""
    seat_participant.player_class = ChallengePlayer

    def seat(at=DESK, people=1, deal=None, **fields):
        fields = {
            "games": 1,
            "check": False,
            "tutorial": "free",
            "depth": 0,
            "seed": "the browser tests",
            **fields,
        }
        if deal:
            fields["deal_file"] = with_deal(server, f"browser_{abs(hash(deal))}.txt", deal)
        fields = {"group_size": people, "draw_offers": True, **fields}
        session = server.create_session("challenge_hard", people, **fields)
        players = [
            seat_participant.tab(browsers.context(at, number), server, session, number)
            for number in range(people)
        ]
        return players[0] if people == 1 else players

    return seat


def test_forced_colours_show_the_race(table, seat_participant):
    player = seat_participant.window(table(size=3), forced_colors="active").to_the_hand()
    for race in player.page.locator(".race").all():
        part = race.screenshot()
        race.evaluate("race => race.style.setProperty('--share', 0)")
        assert race.screenshot() != part


@pytest.mark.long("a finger does the same", only="mouse")
@pytest.mark.parametrize("at", [DESK, PHONE], ids=["mouse", "touch"])
def test_a_game_is_played_to_its_end(table, at):
    """Plays by clicks and drags in turn; checks every view and the results."""
    player = table(at, size=3, max_actions=60).to_the_hand()
    player.expect_board()
    player.page.evaluate(TIME_TRAILS)
    for number in range(60):
        if player.over:
            break
        player.do(player.greedy(), ("tap", "drag")[number % 2])
    player.wait_until("() => window.trails.length > 0 && window.trails.every(ms => ms >= 600)")
    over = player.state["over"]
    sentence = {"won": "You win", "lost": "You lose", "drawn": "The game is a draw"}[over]
    expect(player.page.locator("#result-text")).to_contain_text(sentence)
    player.next()
    player.expect_page("Results")
    _earnings, rows = player.results()
    assert rows[0][:2] == ["1", over]


def test_game_is_playable_by_keyboard_alone(table):
    """Arrows select cards, Enter plays, P picks up, ? explains, H highlights, R asks before resigning."""
    player = table().to_the_hand()
    keys = player.page.keyboard
    card = player.view["hand"][0]
    player.tab_to(f'[data-place="{card}"]')
    keys.press("ArrowRight")
    keys.press("ArrowDown")
    keys.press("ArrowUp")
    led = player.page.evaluate("document.activeElement.dataset.place")
    number = player.state["next"]
    keys.press("Enter")
    player.expect_answered(number)
    assert led not in player.view["hand"]
    assert player.page.evaluate("document.activeElement.dataset.place") in player.view["hand"]
    keys.press("?")
    player.expect_note("You may play")
    marked = player.page.locator("#hand-near [data-fits]")
    plays = [action for action in player.view["may"] if action.startswith("play ")]
    expect(marked).to_have_count(len(plays))
    keys.press("h")
    expect(marked).to_have_count(0)
    player.expect_news("no longer highlighted")
    while "pick up" not in player.view["may"]:
        player.do(player.greedy())
    picked = player.view["picked_up"][player.view["seat"]]
    keys.press("p")
    expect(player.page.locator("#plate-near")).to_contain_text(f"{picked + 1} pick-up")
    keys.press("d")
    keys.press("r")
    expect(player.page.locator("#leave")).to_be_visible()
    keys.press("Enter")  # “Keep playing” has the focus
    expect(player.page.locator("#leave")).to_be_hidden()
    keys.press("r")
    keys.press("Tab")
    keys.press("Enter")
    player.expect_result("You lose: you resigned. Your score: 0")


def test_resignation_holds_whatever_the_computer_plays(table):
    """It waits for the answer to the move before it, which may come after the computer's next move."""
    player = table().to_the_hand()
    wire = Wire(player)
    player.page.reload()
    player.expect_live()
    keys = player.page.keyboard
    player.tab_to(f'[data-place="{player.view["hand"][0]}"]')
    wire.held = True
    keys.press("Enter")
    keys.press("r")
    expect(player.page.locator("#leave")).to_be_visible()
    keys.press("Tab")
    keys.press("Enter")
    player.expect_held(wire, 2)  # the answer, and the computer's move
    wire.let_go()
    player.expect_result("You lose: you resigned. Your score: 0")


def test_typed_commands_are_executed(table):
    """Commands work in any case; a wrong one is explained; typing presses no key of the board.

    Unless the config shows it, the command line is visible only while it has the focus.
    """
    player = table(hints=True, claims=True).to_the_hand()
    assert player.page.locator("#line").bounding_box()["width"] == 1
    player.tab_to("#board [data-place]")
    place = player.page.locator("#board [data-place]:focus").get_attribute("data-place")
    player.page.keyboard.press("!")
    assert player.page.locator("#line").bounding_box()["width"] > 100
    player.page.keyboard.press("Escape")
    expect(player.page.locator(f"#board [data-place='{place}']")).to_be_focused()
    player.page.keyboard.press("!")
    card = player.view["hand"][-1]
    player.type("pp")
    player.expect_note("Unknown command")
    player.type("p")
    player.expect_refusal("There is nothing to pick up")
    player.type(f" {card[-1].lower()} {card[:-1].upper()} ")
    player.expect_news(f"You played {card[:-1]}")
    player.expect_turn()
    player.type("?")
    player.expect_note("You may play")
    player.type("!h")
    player.expect_news("no longer highlighted")
    player.type("!l")
    player.expect_news("is not included in the log")
    player.type("!w")
    expect(player.page.locator("#commands")).to_be_visible()
    player.type("!W")
    expect(player.page.locator("#commands")).to_be_hidden()
    player.type("!c")
    expect(player.page.locator("#advice")).to_contain_text("The computer would")
    player.type("b")
    player.expect_note("only when you review a game")
    player.type("!a")
    player.expect_note("when this one is over")
    player.type("!i")
    expect(player.page.locator("#rules-drawer")).to_be_visible()
    player.page.keyboard.press("Escape")
    player.type("!r")
    player.page.locator("#leave-now").click()
    player.expect_result("You lose: you resigned. Your score: 0")


def test_a_claim_is_judged(table):
    """A claimed win is granted if it is proved, but not before the first card of a deal."""
    player = table(size=8).to_the_hand()
    player.page.locator("#claim").click()
    player.expect_news("not proved that you will win")
    player.expect_news("You can claim a win 2 more times.")
    expect(player.page.locator("#claim")).to_have_attribute("aria-disabled", "true")
    player.pointer.tap(player.middle(player.page.locator("#claim")))
    player.expect_note("You have already asked")
    player = table(deal=WON.replace("AC AD", "AC")).to_the_hand()
    player.page.locator("#claim").click()
    player.expect_result("You win: the computer accepted your claim. Your score: +2")


def test_two_people_see_only_their_own_cards(table):
    """They answer each other's offers, and of the other's cards they see only the top card of the table."""
    one, two = table(people=2, show="own", computer_sees="own", same_deals=True)
    for player in (one, two):
        player.pass_the_instructions()
        player.arrive()
    for player in (one, two):
        player.expect_page("Hand")
        player.expect_live()
        player.expect_board()
    first, second = (one, two) if one.view["seat"] in one.view["waiting_for"] else (two, one)
    second.expect_status("Waiting for the other player")
    second.pointer.tap(second.point(second.view["hand"][0]))
    second.expect_refusal("It is the other player’s turn.")
    second.page.keyboard.press("p")
    expect(second.page.locator("#board [data-refused]")).to_have_attribute("data-place", "table")
    second.pointer.drag(second.point(second.view["hand"][1]), second.middle(second.at("table")))
    expect(second.page.locator("#board [data-refused]")).to_have_attribute(
        "data-place", second.view["hand"][1]
    )
    attempts = [row["action"] for row in second.export() if row["accepted"] == "0"]
    assert attempts == [f"play {second.view['hand'][0]}", "pick up", f"play {second.view['hand'][1]}"]
    first.page.keyboard.press("d")
    second.expect_status("The other player offers a draw")
    first.expect_status("You have offered a draw. Waiting")
    second.page.keyboard.press("n")
    first.expect_news("The other player declines the draw")
    led = first.view["hand"][-1]
    first.pointer.tap(first.point(led))
    expect(second.page.locator(".table-pile .card")).to_have_attribute("data-card", led)
    second.expect_status("Your turn")
    second.page.keyboard.press("p")
    first.expect_news("The other player picked up 1 card.")
    expect(first.page.locator("#plate-far")).to_contain_text("1 pick-up")
    first.expect_board()
    hidden = set(second.view["hand"]) - {led}
    assert not hidden & set(
        first.page.evaluate("[...document.querySelectorAll('[data-card]')].map(c => c.dataset.card)")
    )
    first.page.locator("#claim").click()
    second.page.get_by_role("button", name="Accept").click()
    first.expect_result("You win: the other player accepted your claim. Your score: +2")
    second.expect_result("You lose: you accepted the claim. Your score: 0")


def test_a_game_is_analysed(table):
    """After the game, the player goes back, plays another card, asks for advice and sets up a position."""
    player = table(analysing=True, size=3).to_the_hand()
    card = player.view["hand"][0]
    player.do(f"play {card}")
    player.type("!r")
    player.page.locator("#leave-now").click()
    expect(player.page.locator("#go-on")).to_have_text("Review the game")
    player.next()
    player.expect_page("Analyse")
    player.expect_live()
    expect(player.page.locator(".analysis-notice")).to_contain_text("The game is over. This is practice.")
    player.type("b")
    player.expect_news("You are back at your previous turn")
    assert card in player.view["hand"]
    player.type("!c")
    expect(player.page.locator("#advice")).to_contain_text("The computer would")
    player.page.locator("#setup").click()
    player.expect_news("You have all the cards")
    assert len(player.view["hand"]) == 12
    player.type("z")
    player.expect_refusal("The other player has no cards to lead")
    player.do(f"play {player.view['hand'][-1]}")
    player.page.keyboard.press("z")
    player.type("!a")
    player.expect_page("Results")


def test_the_coach_leads_through_the_steps(table):
    player = table(tutorial="required", check=True, lessons=True).arrive()
    player.expect_live()
    assert player.words_before_the_first_action() <= 25
    for step in ("trumps", "lead", "beat", "pick_up", "end"):
        player.expect_step(step, locked=True)
        if step == "lead":
            player.expect_new_cards()
        player.expect_live()
        for _action in range(40):
            if "is-done" in player.page.locator("#coach").get_attribute("class"):
                break
            player.expect_turn()
            picks = step == "pick_up" and "pick up" in player.view["may"]
            player.do("pick up" if picks else player.greedy())
            if step == "end" and not player.over and _action > 8:
                player.page.locator("#resign").click()
                player.page.locator("#leave-now").click()
                expect(player.page.locator("#coach")).to_contain_text("The game is over")
        player.next()
    player.expect_step("lesson_trumps", locked=False)
    player.skip_steps()
    player.expect_page("Check")
    player.answer_check(who_wins="most")
    expect(player.page.locator(".check-explanation")).to_have_count(1)
    player.answer_check()
    player.expect_page("Hand")


def test_lessons_are_learned_by_keyboard(table):
    """A losing card is explained and the lesson repeated; the winning line is praised."""
    player = table(lessons=True).arrive()
    player.expect_live()
    keys = player.page.keyboard
    for _step in ("trumps", "lead", "beat", "pick_up", "end"):
        player.next()
    for lesson, wrong, line in [
        ("trumps", "AH", ["QH"]),
        ("pick_up", "AH", ["p"]),
        ("tempo", "AS", ["KS"]),
        ("forced_win", "AS", ["KS", "AS", "KD"]),
    ]:
        player.expect_step(f"lesson_{lesson}")
        for cards in ([wrong], line):
            for number, card in enumerate(cards):
                assert player._waits_for(lambda number=number: number or player.state["next"] == 1, 200)
                player.expect_turn()
                before = player.state["next"]
                if card == "p":
                    keys.press("p")
                else:
                    player.at(card).focus()
                    keys.press("Enter")
                player.expect_answered(before)
            if cards != line:
                player.expect_coach("press “Start over”")
                player.tab_to("#again")
                keys.press("Enter")
                expect(player.page.locator("#news")).not_to_contain_text("You ")
        expect(player.page.locator("#coach")).to_have_class("coach is-done")
        player.tab_to(".otree-btn-next")
        keys.press("Enter")
    player.expect_step("pay")


def through_all_pages(player):
    """Yields the name of every page or page state on the way, and whether it may scroll."""
    player.arrive()
    player.expect_live()
    yield "instructions", True
    player.to_the_last_step()
    yield "instructions-pay", True
    player.next()
    player.expect_page("Check")
    player.answer_check(which_beats="lower", what_is_taken="top", who_leads="picker", who_wins="most")
    expect(player.page.locator(".check-explanation")).to_have_count(4)
    yield "check-wrong", True
    player.answer_check()
    player.expect_page("Hand")
    player.expect_live()
    player.expect_turn()
    player.page.locator("#consult").click()
    expect(player.page.locator("#advice")).to_contain_text("The computer would")
    yield "long", False
    player.type("!r")
    player.page.locator("#leave-now").click()
    expect(player.page.locator("#result")).to_be_visible()
    yield "over", True
    player.next()
    player.expect_page("Analyse")
    player.expect_live()
    yield "analyse", True
    player.next()
    player.expect_page("Results")
    yield "results", True


@pytest.mark.parametrize("kind", SIZES)
def test_every_page_passes_layout_checks(table, kind):
    at, sizes = SIZES[kind]
    player = table(at, deal=LONG, check=True, hints=True, analysing=True)
    for name, may_scroll in through_all_pages(player):
        expect_in_order(player, f"challenge-{name}", sizes, may_scroll)
    if kind == "desk":
        for name, fields in {"thirteen": {"size": 13}, "own": {"show": "own"}}.items():
            player = table(at, **fields).to_the_hand()
            player.do(player.greedy())
            expect_in_order(player, f"challenge-{name}", sizes, may_scroll=False)
