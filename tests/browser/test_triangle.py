"""Tests Triangle Solitaire in the browser: mouse, touch, keyboard, reconnecting, and hidden cards."""

from __future__ import annotations

import json
import re

import pytest
from layout import SIZES, expect_board_in_view, expect_in_order, expect_no_fault
from listener import Listener
from player import DESK, MOVING, PHONE, SMALL_PHONE
from playwright.sync_api import expect
from triangle_player import (
    AFTER_UNWANTED,
    BEFORE_UNWANTED,
    PARTS,
    UNWANTED,
    TrianglePlayer,
    file_of,
    signed,
    with_triangles,
)

from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import ALLOWED_OPTIONS
from cardlab.games.triangle.loop import NUMBERS, next_place
from cardlab.games.triangle.packs import COMPLETES, is_complete, translated_card_name


@pytest.fixture
def seat_triangle(seat_participant, browsers, server):
    """Provides a function that seats a :class:`TrianglePlayer` in a new session with a given deal."""
    seat_participant.player_class = TrianglePlayer

    def seat(deal="standard", at=DESK, on=server, **fields) -> TrianglePlayer:
        fields = {"hands": 1, "check": False, "highlight": True, "show_left": False, **fields}
        session = with_triangles(on).create_session("triangle_standard", deal_file=file_of(deal), **fields)
        player = seat_participant.tab(browsers.context(at), on, session)
        return player.is_dealt(deal, **{key: fields[key] for key in ALLOWED_OPTIONS if key in fields})

    return seat


def number_of(points: str) -> int:
    return int(points.replace("−", "-"))


# ---------------------------------------------------------------- whole hands


@pytest.mark.long("the mouse does the same", only="touch")
@pytest.mark.parametrize("at", [DESK, PHONE], ids=["mouse", "touch"])
def test_whole_hand_is_played(seat_triangle, at):
    player = seat_triangle(at={**at, **MOVING}).to_the_hand()
    wrong = player.wrong_place()
    card, single = (
        translated_card_name(player.state.card),
        translated_card_name(player.state.places[wrong - 1]),
    )
    player.drag("card", wrong)
    player.expect_refusal(f"The {card} does not fit there: it is not “{single}”.")
    player.expect_at_rest()
    player.expect_board()
    player.pointer.drag(player.middle(player.at("card")), player.middle(player.page.locator("#total")))
    player.expect_note("Drop the card on one of the 27 places.")
    player.expect_at_rest()
    player.expect_board()

    first = player.good_place()
    player.place(first, "drag")
    player.drag("card", first)
    player.expect_note("A full card is already here.")
    player.expect_at_rest()
    player.expect_board()

    one, other, *_others = dict.fromkeys(player.state.spares)
    kept, taken = player.good_place(), player.wrong_place()
    player.remind(one, kept)
    player.remind(other, taken)
    player.take_back(other, taken)
    player.remind(other, kept)
    player.drag(f"spare-{next(iter(player.state.spares))}", first)
    player.expect_note("A full card is already there. You need no reminder.")
    player.place(kept, "drag")
    assert not any(player.state.marks)
    player.play_at_once(left=9)
    player.play_out(*["tap"] * 3, "drag")

    assert [action for action, _reason in player.refused()] == [f"place {wrong}"]
    picks = [action for action in player.actions() if action.startswith("pick ")]
    assert picks[:2] == ["pick card", "pick card"]
    assert {f"pick {one}", f"pick {other}"} <= set(picks)
    moves = [action for action in player.actions() if action not in picks]
    assert moves[:6] == [
        f"place {first}",
        *(f"mark {one} {kept}", f"mark {other} {taken}", f"unmark {other} {taken}", f"mark {other} {kept}"),
        f"place {kept}",
    ]
    expect_scored_alike(player)


def expect_scored_alike(player, by: str = "click") -> None:
    """Checks that rules, hand page, export and results page have the same score and parts."""
    score = player.state.score
    player.expect_result(f"All cards have been played · Score {signed(score.total)}")
    (hand,) = player.export("custom_export_hands")
    assert (hand["outcome"], hand["score"]) == ("completed", str(score.total))
    assert {part: int(hand[part]) for part in PARTS} == score.counts

    if by == "key":
        player.next_by_key()
    else:
        player.next()
    player.expect_page("Results")
    _earnings, rows = player.results()
    *figures, _earned = rows[0]
    assert [number_of(figure) for figure in figures] == [1, *map(score.points.get, PARTS), score.total]
    *parts, (_name, total) = rows[1:]
    assert total == signed(score.total)
    assert sum(number_of(worth) for _what, worth in parts) == score.total
    scored = player.page.locator(".scored-board[data-hand='1']")
    expect(scored.locator(".total-score")).to_have_text(signed(score.total))
    shown = scored.locator(".loop-place .card").evaluate_all("all => all.map(card => card.dataset.card)")
    assert sorted(shown) == sorted(player.state.places)
    labels = [
        *scored.locator(".side-points").all_inner_texts(),
        *scored.locator(".discard b").all_inner_texts(),
        *scored.locator(".joint[data-points]").evaluate_all("all => all.map(it => it.dataset.points)"),
    ]
    assert sum(map(number_of, labels)) == score.total


def do_the_steps(player) -> None:
    """Does every step of the instructions by keyboard, and goes on."""
    for step in ("place", "match", "count", "plan", "pay"):
        player.expect_step(step, locked=step != "pay")
        while player.page.locator(".otree-btn-next[aria-disabled=true]").count():
            player.tab_to(".loop-place .place")
            if step == "plan":
                player.page.keyboard.press("ArrowRight")
                for key in "HPFBRGCST":
                    player.page.keyboard.press(key)
                player.expect_step(step, locked=False)
            else:
                left = player.page.locator("#cards-left").inner_text()
                player.page.keyboard.press("n")
                player.page.keyboard.press("Enter")
                expect(player.page.locator("#cards-left")).not_to_have_text(left)
        if step == "pay":
            player.to_the_last_step()
        player.tab_to(".otree-btn-next")
        player.page.keyboard.press("Enter")


@pytest.mark.long("the same as at Target the Two")
def test_whole_session_is_playable_by_keyboard_alone(seat_triangle):
    player = seat_triangle(check=True, tutorial="required").arrive()
    keyboard = player.page.keyboard
    player.expect_page("Instructions")
    player.expect_live()
    assert player.words_before_the_first_action() <= 25
    do_the_steps(player)
    player.expect_page("Check")
    player.answer_check_by_keyboard()

    player.expect_page("Hand")
    player.expect_live()
    player.expect_board()
    player.walk_to(player.wrong_place())
    player.page.mouse.move(*player.middle(player.page.locator("#total")))  # outside the places
    player.expect_hint("The card does not fit here: it is not")
    keyboard.press("Enter")
    player.expect_refusal("does not fit there")
    spare, number = player.state.spares[0], player.good_place()
    player.remind(spare, number, "press")
    player.expect_announcement(f"Reminder “{translated_card_name(spare)}” added to place {number}.")
    player.take_back(spare, number, "press")
    player.remind(spare, number, "press")

    for way in ("press", "next") * 3:
        number = player.good_place()
        if way == "next":
            go_by_next(player, number)
        player.place(number, "press")
    assert player.focused() == number
    while not player.over:
        keyboard.press("n")
        player.place(player.focused(), "press")
    expect(player.page.locator("#go-on")).to_be_focused()
    expect_scored_alike(player, by="key")


def go_by_next(player, number: int) -> None:
    """Presses N, which leads clockwise to the next fitting place, until it reaches the place."""
    here = player.focused()
    while here != number:
        player.page.keyboard.press("n")
        here = next_place(here)
        while here not in player.state.fitting_places:
            here = next_place(here)
        assert player.focused() == here


# ---------------------------------------------------------------- reloads and restarts


def play_part_of_a_hand(player) -> None:
    """Places some cards by mouse and lays a reminder next to an open place."""
    for _card in range(3):
        player.place()
    open_place = next(number for number in NUMBERS if not is_complete(player.state.places[number - 1]))
    for single in dict.fromkeys(player.state.spares[:3]):
        player.remind(single, open_place)


def test_reload_shows_the_same_board(seat_triangle):
    player = seat_triangle(show_left=True).to_the_hand()
    play_part_of_a_hand(player)
    player.page.reload()
    player.expect_live()
    player.expect_board()
    marked = next(number for number in NUMBERS if player.state.marks[number - 1])
    player.take_back(player.state.marks[marked - 1][0], marked)
    player.place()


@pytest.mark.long("the same as at Target the Two")
def test_play_continues_after_a_server_kill(seat_triangle, server, seat_participant):
    seat_participant.lenient = True  # the browser complains of connections it cannot make
    player = seat_triangle("both").to_the_hand()
    play_part_of_a_hand(player)
    server.kill9()
    player.expect_lost()
    server.start()
    player.expect_live()
    expect(player.page.locator("#connection")).to_be_hidden()
    player.expect_board()
    player.place()
    assert len([action for action in player.actions() if action.startswith("place ")]) == 4


# ---------------------------------------------------------------- automatic actions and variations


def test_automatic_discard_is_announced(seat_triangle):
    player = seat_triangle("discard").to_the_hand()
    discarded = player.page.locator("#discarded")
    for card in BEFORE_UNWANTED:
        assert player.state.card == card
        expect(discarded).to_be_hidden()
        player.place(player.state.places.index("T") + 1)
    expect(discarded).to_have_text(
        f"No place was left for the {translated_card_name(UNWANTED)}. It was discarded: −3 points."
    )
    player.expect_announcement("discarded: −3 points.")
    assert (player.state.discards, player.state.card) == ((UNWANTED,), AFTER_UNWANTED[0])
    player.page.reload()
    player.expect_board()
    expect(discarded).to_be_visible()
    player.place()
    expect(discarded).to_be_hidden()
    assert player.export("custom_export_hands")[0]["sequence"].split()[3] == "discard"


def test_two_singles_must_both_match(seat_triangle):
    player = seat_triangle("variation_1", doubled=5).to_the_hand()
    doubled = {number: there for number, there in enumerate(player.state.places, 1) if len(there) == 2}
    assert len(doubled) == 5
    wrong = next(number for number, there in doubled.items() if not set(there) <= set(player.state.card))
    player.drag("card", wrong)
    player.expect_refusal("it is not both")
    player.expect_at_rest()
    while not (both := [number for number in player.state.fitting_places if number in doubled]):
        player.place()
    player.place(both[0], "drag")
    assert set(player.state.last.replaced) == set(doubled[both[0]])
    player.play_at_once()
    expect_scored_alike(player)


def test_single_from_the_deck_is_added(seat_triangle):
    player = seat_triangle("variation_2", mixed_in=5).to_the_hand()
    for way in ("drag", "tap"):
        while is_complete(player.state.card):
            player.place()
        player.expect_hint("This is a feature card. Choose the place to add it to.")
        player.drag("card", player.wrong_place())
        player.expect_refusal("A place cannot have two")
        player.expect_at_rest()
        number, single = player.good_place(), player.state.card
        player.place(number, way)
        player.expect_announcement(f"Feature card “{translated_card_name(single)}” added to place {number}.")
        assert len(player.state.places[number - 1]) == 2
    player.play_at_once()
    expect_scored_alike(player)


def test_without_highlight_no_place_is_marked(seat_triangle):
    player = seat_triangle(highlight=False).to_the_hand()
    for _card in range(3):
        expect(player.page.locator("[data-fits]")).to_have_count(0)
        assert "fits" not in player.page.locator(".loop").inner_text()
        player.place(way="press")
    here = player.focused()
    player.page.keyboard.press("n")  # to the next place with a Single, whether or not the card fits
    here = next_place(here)
    while is_complete(player.state.places[here - 1]):
        here = next_place(here)
    assert player.focused() == here


def test_without_highlight_hovering_reveals_no_fit(seat_triangle):
    player = seat_triangle(highlight=False).to_the_hand()
    for place in (player.good_place(), player.wrong_place()):
        player.at(place).hover()
        expect(player.page.locator("[data-aimed]")).to_have_attribute("data-aimed", "")
        expect(player.page.locator("#hint .neighbour")).to_have_count(2)
        expect(player.page.locator("#hint .verdict")).to_have_count(0)


def test_upcoming_cards_are_shown_if_configured(seat_triangle):
    player = seat_triangle(show_left=True, at=PHONE).to_the_hand()  # whose hint is longer
    expect(player.page.locator(".upcoming-card")).to_have_count(27)
    for gone in (1, 2, 3):  # the revealed card counts as played
        expect(player.page.locator(".upcoming-card[data-played]")).to_have_count(gone)
        player.place()
    card = player.state.coming_completes[0]
    cell = player.page.locator(f".upcoming-card[data-complete='{card}']")
    expect(cell).to_have_attribute("aria-label", f"{translated_card_name(card)}: still to come")
    small = [(360, 640), (375, 667), (360, 740), (667, 375), (640, 360)]
    expect_no_fault(player, "triangle-upcoming", small, [], may_scroll=False)
    for width, height in [*small, (390, 844), (844, 390)]:
        player.page.set_viewport_size({"width": width, "height": height})
        expect(player.page.locator(".upcoming-cards .label")).to_be_visible()


@pytest.mark.long("less is on the page than with upcoming cards", only="plain")
@pytest.mark.parametrize("show_left", [True, False], ids=["upcoming", "plain"])
def test_smallest_phone_shows_the_whole_board(seat_triangle, show_left):
    player = seat_triangle(at=SMALL_PHONE, show_left=show_left).arrive()
    player.expect_live()
    expect_board_in_view(player, "triangle-instructions-smallest")
    player.to_the_hand()
    expect_board_in_view(player, "triangle-smallest")
    player.play_at_once()
    expect_board_in_view(player, "triangle-over-smallest")
    player.next()
    player.expect_page("Results")


# ---------------------------------------------------------------- hidden cards

NAMED = {card: re.compile(rf"\b{card}\b|{translated_card_name(card)}", re.IGNORECASE) for card in COMPLETES}
FRAME = {"hand", "next", "clock", "view", "over", "result"}


def named(text: str) -> set[str]:
    """Returns the Completes that a text names, in any spelling."""
    return {card for card, ways in NAMED.items() if ways.search(text)}


def test_every_spelling_of_a_complete_is_found():
    assert named('data-card="hbc" ["PGT"] the Filled red square; xFBT') == {"HBC", "PGT", "FRS"}


class Frames:
    """Records the messages of the hand's socket in order, without pings."""

    def __init__(self, player) -> None:
        self.heard: list[dict] = []
        player.page.on("websocket", self._listen)

    def _listen(self, socket) -> None:
        if "/hand/" in socket.url:
            socket.on("framereceived", self._hear)

    def _hear(self, frame: str) -> None:
        if frame != '"pong"':
            self.heard.append(json.loads(frame))


@pytest.mark.long("less is sent than with upcoming cards", only="nothing shown")
@pytest.mark.parametrize("show_left", [False, True], ids=["nothing shown", "those to come shown"])
def test_deck_order_is_never_sent(seat_triangle, show_left):
    player = seat_triangle(
        "both", show_left=show_left, rules_at_hand=False
    )  # the rules name cards, always the same ones
    listener, frames = Listener(player), Frames(player)
    player.to_the_hand()
    grid = player.page.locator("#to-come")
    for turn in range(6):
        state = player.state
        # The grid has a cell for each of the 27, always in the same order.
        cells = grid.evaluate("grid => grid.innerHTML")
        assert re.findall(r'complete="(\w+)"', cells) == list(COMPLETES)
        heard = listener.heard().replace(cells, "")
        if show_left:
            left = re.compile(r'"left": ?(\[[^]]*\])')
            for stock_text in left.findall(heard):
                assert set(json.loads(stock_text)) >= set(state.coming_completes)
                assert json.loads(stock_text) == sorted(json.loads(stock_text), key=COMPLETES.index)
            heard = left.sub("", heard)
        open_cards = {card for card in (*state.places, *state.discards, state.card) if is_complete(card)}
        assert named(heard) <= open_cards
        assert not is_complete(state.card) or state.card in named(heard)  # shows that the listener works
        assert set().union(*frames.heard) <= FRAME
        assert frames.heard[-1]["view"] == rules.view(state, rules.SEAT)
        if turn == 2:
            player.page.reload()
            player.expect_live()
        player.place()


# ---------------------------------------------------------------- layout


def through_all_pages(player):
    """Yields the name of every page or page state on the way, and whether it may scroll."""
    player.arrive()
    player.expect_page("Instructions")
    player.expect_live()
    player.expect_coach("Place the")
    player.page.locator("[data-place][data-fits]").first.focus()
    player.page.keyboard.press("Enter")
    expect(player.page.locator("[data-holds=complete]")).to_have_count(1)
    yield "instructions", True
    for _step in ("match", "count", "plan"):
        player.next()
    yield "instructions-plan", True
    player.skip_steps()
    player.expect_page("Check")
    player.answer_check(which_single="red", which_match="no", no_place="later", which_side="five")
    expect(player.page.locator(".check-explanation")).to_have_count(4)
    yield "check-wrong", True
    player.answer_check()
    player.expect_page("Hand")
    player.expect_live()
    player.expect_board()
    yield "start", False
    player.drag("card", player.wrong_place())
    player.expect_refusal("does not fit there")
    yield "refused", False
    for _card in BEFORE_UNWANTED:
        player.place(player.state.places.index("T") + 1)
    expect(player.page.locator("#discarded")).to_be_visible()
    player.act_at_once(*(f"mark F {number}" for number in (1, 9, 14, 22)), "mark R 9", "mark T 9")
    player.walk_to(14)
    yield "reminders", False
    player.play_at_once(left=13)
    yield "middle", False
    player.play_at_once()
    player.expect_result(f"All cards have been played · Score {signed(player.state.score.total)}")
    yield "end", False
    player.next()
    player.expect_page("Results")
    yield "results", True


@pytest.mark.parametrize("kind", SIZES)
def test_every_page_passes_layout_checks(seat_triangle, kind):
    at, sizes = SIZES[kind]
    player = seat_triangle("discard", at, check=True, show_left=True)
    for name, may_scroll in through_all_pages(player):
        expect_in_order(player, f"triangle-{name}", sizes, may_scroll)


@pytest.mark.long("the same page as without a time limit")
@pytest.mark.parametrize("kind", SIZES)
def test_timed_hands_of_both_variations_pass_layout_checks(seat_triangle, kind):
    at, sizes = SIZES[kind]
    fields = {"doubled": 4, "mixed_in": 5, "highlight": False, "time_limit_seconds": 3599}
    player = seat_triangle("both", at, **fields).arrive()
    player.expect_live()
    expect_in_order(player, "triangle-instructions-both", sizes, may_scroll=True)
    player.to_the_hand()
    expect_in_order(player, "triangle-both-start", sizes, may_scroll=False)
    while is_complete(player.state.card):
        player.place()
    expect_in_order(player, "triangle-both-single", sizes, may_scroll=False)
