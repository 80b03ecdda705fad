"""Tests Triangle Solitaire on a running server: whole hands, invalid input, reconnecting."""

from __future__ import annotations

import json
import random
import urllib.error
from typing import Any

import pytest
from exported_hands import ExportedHand, export_rows, hands_by_id, unexpected_log_lines
from server_fixture import LabServer, LabSession
from tabs import Tab, Visitor, advance, creation_error

from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import format_deal, parse_deal
from cardlab.games.triangle.packs import is_complete
from cardlab.games.triangle.strategies import VIEW_POLICIES

APP = "triangle_app"
VARIATIONS = {
    "standard": ("triangle_standard", {}, (0, 0)),
    "learning": ("triangle_learning", {}, (0, 0)),
    "variation 1": ("triangle_variation_1", {}, (5, 0)),
    "variation 2": ("triangle_variation_2", {}, (0, 5)),
    "hard": ("triangle_hard", {}, (4, 5)),
    "a file of variation 1": ("triangle_variation_2", {"deal_file": "doubled.txt"}, (1, 0)),
}
NO_SUCH_MOVE = "Unknown move. Place the card or add a reminder."


def create(server: LabServer, config: str = "triangle_standard", **fields: Any) -> LabSession:
    """Creates a session of one participant and one hand without a check, unless ``fields`` say otherwise."""
    return server.create_session(config, 1, **{"check": False, "hands": 1, **fields})


def sit_down(server: LabServer, session: LabSession) -> tuple[Visitor, Tab]:
    visitor = Visitor(server, session.participants[0])
    return visitor, visitor.sit_down()


def advice(view: dict[str, Any], chance: random.Random, strategy: str = "random") -> str:
    """Returns the action of a strategy that sees only the view."""
    return VIEW_POLICIES[strategy](view, chance)


def play(tab: Tab, cards: int = 40, strategy: str = "random", seed: int = 1) -> None:
    """Places this many cards, or all that there are."""
    chance = random.Random(seed)
    for _card in range(cards):
        if tab.state["over"]:
            return
        message = tab.send_action(advice(tab.state["view"], chance, strategy))
        assert "refused" not in message, message


def only_hand(server: LabServer, session: LabSession) -> ExportedHand:
    (hand,) = hands_by_id(server, session.code, APP).values()
    return hand


# ---------------------------------------------------------------- whole hands


@pytest.mark.parametrize(("config", "fields", "variation"), VARIATIONS.values(), ids=VARIATIONS)
def test_whole_hand_is_played(server, config, fields, variation):
    """Messages, exports and rules agree, and no frame names a hidden card."""
    session = create(server, config, **fields)
    visitor, tab = sit_down(server, session)
    play(tab, 4)
    spare = next(single for single, count in tab.state["view"]["spares"].items() if count)
    place = next(there["place"] for there in tab.state["view"]["places"] if not there["complete"])
    for action in (f"mark {spare} {place}", f"unmark {spare} {place}", f"mark {spare} {place}"):
        assert "refused" not in tab.send_action(action)
    play(tab)
    hand = only_hand(server, session)
    state, deal = hand.final_state(), parse_deal(hand.deal)
    assert (deal.doubled, deal.mixed_in) == variation
    assert rules.is_over(state)
    assert hand.outcomes == [tab.state["over"]] == ["completed"]
    assert tab.state["view"] == rules.view(state, rules.SEAT)
    assert tab.state["result"]["score"] == state.score.total
    discards = [row for row in hand.accepted_rows if row["action"] == "discard"]
    assert len(discards) >= len(state.discards)
    assert all(row["client_ms"] == "" and row["seat"] == "solo" for row in discards)
    (hand_row,) = export_rows(server, session.code, "custom_export_hands", APP)
    assert (int(hand_row["score"]), hand_row["outcome"]) == (state.score.total, "completed")
    assert (int(hand_row["doubled"]), int(hand_row["mixed_in"])) == variation
    assert int(hand_row["discarded"]) == len(state.discards)
    placements = export_rows(server, session.code, "custom_export_placements", APP)
    assert [row["card"] for row in placements] == list(deal.deck)
    assert [row["action"] for row in placements] == [
        row["action"] for row in hand.accepted_rows if "mark " not in row["action"]
    ]
    assert int(placements[-1]["score"]) == state.score.total
    assert_deck_hidden(tab.received, deal.deck, shown=hand.settings["show_left"])
    visitor.send()
    assert visitor.name == "Results"


def assert_deck_hidden(heard: list[dict[str, Any]], deck: tuple[str, ...], shown: bool) -> None:
    """Checks that no message names a Complete below the revealed card, except in a visible ``left`` list."""
    checked = 0
    for message in heard:
        view = dict(message["view"])
        left = view.pop("left")
        beneath = [card for card in deck[len(deck) - view["cards_left"] :] if is_complete(card)]
        assert (left is not None) == shown
        if shown and view["card"]:
            assert sorted(left) == sorted(beneath)
            assert left == [card for card in rules.COMPLETES if card in beneath]
        text = json.dumps({**message, "view": view})
        assert not [card for card in beneath if card in text]
        checked += len(beneath)
    assert checked > 100


def test_discards_are_reported_with_the_preceding_placement(server):
    """Discards are committed with the placement, so no message shows a discarded card as revealed."""
    session = create(server, hands=1)
    _visitor, tab = sit_down(server, session)
    play(tab, strategy="first_match")
    hand = only_hand(server, session)
    assert "discard" in hand.actions_of("solo")
    for message in tab.received:
        assert message["over"] or message["view"]["fits"]
    state = rules.start(hand.deal, hand.settings)
    for row in hand.accepted_rows:
        assert (row["action"] == "discard") == (not state.fitting_places)
        state = rules.apply(state, rules.SEAT, row["action"])


def test_check_requires_right_answers(server):
    visitor = Visitor(server, create(server, check=True).participants[0])
    visitor.walk_to("Check")
    wrong = {}
    for field in visitor.right_answers():
        visitor.send(**{**visitor.right_answers(wrong), field: "later"})
        wrong[field] = 1
        assert visitor.name == "Check"
        assert "Some answers are not right" in visitor.page.text
    visitor.send(**visitor.right_answers(wrong))
    assert visitor.name == "Hand"


def test_abandoned_hand_scores_the_shown_triangle(server):
    session = create(server)
    visitor, tab = sit_down(server, session)
    play(tab, 12)
    score = tab.state["view"]["score"]["total"]
    advance(server, session.code)
    visitor.open_start_link()
    assert visitor.name == "Results"
    (hand_row,) = export_rows(server, session.code, "custom_export_hands", APP)
    assert (hand_row["outcome"], int(hand_row["score"]), hand_row["placed"]) == ("advanced", score, "12")
    assert float(hand_row["payoff"]) == max(0, 30 + score)


# ---------------------------------------------------------------- refusals


def test_bad_input_is_refused_and_changes_nothing(server):
    already = unexpected_log_lines(server)
    session = create(server)
    _visitor, tab = sit_down(server, session)
    play(tab, 5)
    view = tab.state["view"]
    filled = next(place["place"] for place in view["places"] if place["complete"])
    fitting = view["fits"]
    not_fitting = next(
        place["place"]
        for place in view["places"]
        if not place["complete"] and place["place"] not in view["fits"]
    )
    spare, none_spare = (
        next((single for single, count in view["spares"].items() if bool(count) == place), None)
        for place in (True, False)
    )
    unknown = [
        *("place 28", "place 0", "place", "place -1", "place 01", "place 1 2", f"place  {fitting[0]}"),
        *(f"Place {fitting[0]}", "mark Z 14", f"mark {spare} 28", f"mark HBC {not_fitting}", "junk"),
        *("end completed", "reconnect", "absent", "deal", "<b>", "♥"),
    ]
    sentences = {
        f"place {filled}": "A full card is already there.",
        f"place {not_fitting}": " does not fit there: it is not “",
        "discard": "This card still fits somewhere. You have to place it.",
        f"mark {spare} {filled}": "A full card is already there. You need no reminder.",
        f"unmark {spare} {not_fitting}": "at this place.",
        **dict.fromkeys(unknown, NO_SUCH_MOVE),
    }
    if none_spare:
        sentences[f"mark {none_spare} {not_fitting}"] = "You have no spare card “"
    before = tab.state
    for action, sentence in sentences.items():
        traces = [[f"place {fitting[0]}", 1], [f"mark {spare} {not_fitting}", 2]]
        message = tab.send_action(action, traces=traces)
        assert sentence in message["refused"]
        assert (message["view"], message["next"]) == (before["view"], before["next"]), action
    for frame in ("junk", "[]", "null", '{"hand": 1}', tab.message("x" * 50), tab.message(5)):
        tab.send(frame)
        assert tab.receive()["refused"]
    message = tab.send_action(f"place {fitting[0]}", number=before["next"] - 1)
    assert message["refused"] == "The board changed. This is the current position."
    assert message["view"] == before["view"]
    hand = only_hand(server, session)
    assert [action for action in hand.refused if action in sentences] == [*sentences]
    assert len([action for action in hand.actions_of("solo") if action.startswith("place ")]) == 5
    assert rules.view(hand.final_state(), rules.SEAT) == before["view"]
    play(tab)
    assert tab.state["over"] == "completed"
    assert tab.send_action("place 1")["refused"] == "This hand is over."
    assert unexpected_log_lines(server) == already


ROW = format_deal(parse_deal(rules.deal("a deal to spoil", {})))
FILES = {"second.txt": f"{ROW}\n\nrubbish\n"}
REFUSED = {
    "a wrong second line": ({"deal_file": "second.txt"}, "second.txt, line 3, column ", "has 3 sections"),
    "too many hands": ({"hands": 21}, "hands must be a whole number from 1 to 20, not '21'."),
}


@pytest.fixture(scope="module")
def deals(server):
    for name, text in FILES.items():
        (server.folder / "deals" / "triangle" / name).write_text(text, "utf-8")


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_refused_session_leaves_no_rows(server, deals, refused):
    fields, *sentences = refused
    before = server.row_counts()
    message = creation_error(server, "triangle_standard", **fields)
    assert message["error"].startswith("Failed to create session: ")
    for words in sentences:
        assert words in message["error"]
    assert "\n" not in message["error"]
    assert "Traceback" not in message["traceback"]
    assert server.row_counts() == before


# Values that only the REST interface can send, because it accepts any JSON.
REFUSED_BY_REST = {
    "hands as text": {"hands": "2"},
}


@pytest.mark.parametrize("fields", REFUSED_BY_REST.values(), ids=REFUSED_BY_REST)
def test_session_refused_over_rest_leaves_nothing_behind(server, fields):
    before = server.row_counts()
    with pytest.raises(urllib.error.HTTPError):
        create(server, **fields)
    assert server.row_counts() == before


# ---------------------------------------------------------------- reconnecting


def test_reload_shows_the_same_triangle(server):
    session = create(server, "triangle_hard")
    visitor, tab = sit_down(server, session)
    play(tab, 9)
    tab.close()
    visitor.open_start_link()
    assert visitor.name == "Hand"
    with Tab(server, visitor.code, visitor.index) as again:
        assert again.first["view"] == tab.state["view"]
        assert again.first["next"] == tab.state["next"]
        assert again.first["clock"] >= tab.state["clock"]
    assert only_hand(server, session).notes("reconnect") == ["solo"]


def test_two_tabs_play_one_hand(server):
    session = create(server)
    visitor, tab = sit_down(server, session)
    with Tab(server, visitor.code, visitor.index) as second:
        for number in range(4):
            one, other = (tab, second) if number % 2 else (second, tab)
            action = f"place {one.state['view']['fits'][0]}"
            one.send_action(action)
            other.receive()
            assert one.state["view"] == other.state["view"]
        stale = second.message(f"place {second.state['view']['fits'][-1]}")
        tab.send_action(f"place {tab.state['view']['fits'][0]}")
        second.receive()
        second.send(stale)
        assert second.receive()["refused"] == "The board changed. This is the current position."
        assert second.state["view"] == tab.state["view"]
    hand = only_hand(server, session)
    assert rules.view(hand.final_state(), rules.SEAT) == tab.state["view"]
    assert len(hand.refused) == 1


def test_practice_triangle_is_unrecorded_and_restarts(server):
    session = create(server)
    visitor = Visitor(server, session.participants[0])
    with Tab(server, visitor.code, visitor.index) as tab:
        play(tab, 3)
        tab.send(json.dumps({"hand": 0, "again": True}))
        again = tab.receive()
        assert (again["view"], again["next"]) == (tab.first["view"], 1)
    assert server.export(session.code, APP).count("\n") == 1  # only the heading
