"""Tests drafts of a record, the answers of engines, and the times in messages, with a game of two turns."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cardlab.core.clock import Jump
from cardlab.core.transitions import (
    RELOAD,
    Draft,
    EngineAnswer,
    clock_notes,
    end_hand,
    leave,
    message_to_seat,
    play_due,
    play_engine_answer,
)
from cardlab.games.contract import IllegalAction, Result
from cardlab.games.events import AWAY, PAUSE, SEARCHED, UNSEARCHED, Event, server_note
from cardlab.games.hand import Hand
from cardlab.games.record import Opening

SHOWN, NOW = 1_000, 2_000


def apply(turns, _seat, action):
    if action != "add":
        raise IllegalAction("It is not legal.")
    return turns + 1


# S and N take turns to add; N is a robot that asks an engine. The state is the number of turns.
RULES = SimpleNamespace(
    start=lambda deal, options: 0,
    seats=lambda turns: ("S", "N"),
    waiting_for=lambda turns: () if turns == 2 else ("SN"[turns],),
    legal_actions=lambda turns, seat: ["add"],
    forced_action=lambda turns: None,
    absent_action=lambda turns, seat, seed: "add",
    robot_action=lambda turns, seat, robot, seed: "add",
    engine_question=lambda turns, seat, robot, seed: f"after {turns}" if robot == "strong" else None,
    mark_played_by_server=lambda turns, seat: turns,
    apply=apply,
    is_over=lambda turns: turns == 2,
    result=lambda turns, seat, seconds: Result(turns, {}, f"completed for {seat}"),
    view=lambda turns, seat: {"turns": turns},
)


def hand(*events, robots=None, **options):
    robots = {"N": "strong"} if robots is None else robots
    opening = Opening("deal", {"robots": robots, "seed": "x", **options}, shown_ms=SHOWN)
    return Hand(RULES, opening).after_all([Event(1, "S", "add", 5, SHOWN), *events] if events else [])


def asked():
    """Returns a draft of the hand in which the engine is asked for N."""
    return Draft(hand().after(Event(1, "S", "add", 5, SHOWN)))


def rows(draft):
    assert all(event.server_ms == NOW for event in draft.events)
    return [(event.number, event.seat, event.action) for event in draft.events]


# ---------------------------------------------------------------- drafts


def test_notes_precede_the_first_row_only():
    jump = server_note("", "clock +5", NOW)
    draft = Draft(hand(robots={}), [jump])
    with pytest.raises(IllegalAction):
        draft.add(Event(1, "S", "subtract", 5, NOW), [server_note("S", "about it", NOW)])
    assert (draft.events, draft.hand) == ([], hand(robots={}))
    draft.add(Event(1, "S", "add", 5, NOW), [server_note("S", "about it", NOW)])
    draft.add(Event(2, "N", "add", 5, NOW))
    assert [event.action for event in draft.events] == ["clock +5", "about it", "add", "add"]
    assert (draft.hand.state, draft.hand.event_count) == (2, 4)


def test_equal_times_are_no_change_of_the_clock():
    shown = hand().after(server_note("S", AWAY, NOW))
    assert clock_notes(shown, NOW, ()) == []
    (note,) = clock_notes(shown, NOW - 1_540, ())
    assert note == server_note("", "clock -1.54", NOW)
    assert clock_notes(shown, NOW, [Jump(NOW, 60)]) == []
    assert len(clock_notes(shown, NOW, [Jump(NOW + 1, 60)])) == 1


def test_unseen_hand_has_no_changes_of_the_clock():
    unseen = Hand(RULES, Opening("deal", {}))
    assert clock_notes(unseen, NOW, [Jump(NOW, 60)]) == []


# ---------------------------------------------------------------- engines


def test_engine_answer_follows_its_search():
    draft = asked()
    assert play_engine_answer(draft, EngineAnswer("N", "after 1", "add", "depth 9"), NOW) == ""
    assert rows(draft) == [
        (None, "N", f"{SEARCHED}depth 9"),
        (2, "N", "add"),
        (3, "", "end completed for S"),
    ]
    plain = asked()
    play_engine_answer(plain, EngineAnswer("N", "after 1", "add"), NOW)
    assert rows(plain) == rows(draft)[1:]
    assert draft.hand == asked().hand.after_all(draft.events)


@pytest.mark.parametrize("question", ["after 0", "after 2", ""])
def test_answer_to_another_question_is_dropped(question):
    draft = asked()
    assert play_engine_answer(draft, EngineAnswer("N", question, "add"), NOW) == ""
    assert draft.events == []


def test_without_an_answer_the_robot_plays():
    draft = asked()
    assert play_engine_answer(draft, EngineAnswer("N", "after 1"), NOW) == ""
    assert rows(draft) == [(None, "N", UNSEARCHED), (2, "N", "add"), (3, "", "end completed for S")]


def test_after_an_illegal_answer_the_robot_plays():
    draft = asked()
    answer = EngineAnswer("N", "after 1", "subtract", "depth 9")
    assert play_engine_answer(draft, answer, NOW) == "It is not legal."
    assert rows(draft) == [(None, "N", UNSEARCHED), (2, "N", "add"), (3, "", "end completed for S")]


# ---------------------------------------------------------------- what the server plays


def test_server_plays_a_robot_to_the_end():
    draft = Draft(hand(robots={"N": "simple"}))
    play_due(draft, NOW)
    assert draft.events == []
    draft.add(Event(1, "S", "add", 5, NOW))
    play_due(draft, NOW)
    assert rows(draft)[1:] == [(2, "N", "add"), (3, "", "end completed for S")]


def test_server_plays_nothing_in_a_pause():
    draft = Draft(hand(robots={"N": "simple"}).after(Event(1, "S", "add", 5, SHOWN)))
    draft.add(server_note("S", PAUSE, NOW))
    play_due(draft, NOW)
    assert rows(draft) == [(None, "S", PAUSE)]


def test_nothing_is_forced_in_pauses_or_afterwards():
    forcing = SimpleNamespace(**{**vars(RULES), "forced_action": lambda turns: None if turns else "add"})
    dealt = Hand(forcing, Opening("deal", {"seed": "x"}, shown_ms=SHOWN))
    stopped = (server_note("S", PAUSE, NOW), Event(1, "", "end timeout", None, NOW))
    for event, forced in ((server_note("S", AWAY, NOW), ["add"]), *((event, []) for event in stopped)):
        draft = Draft(dealt.after(event))
        play_due(draft, NOW)
        assert [row.action for row in draft.events] == forced


def test_end_row_is_of_the_first_seat():
    draft = Draft(hand(Event(2, "N", "add", 5, SHOWN), robots={}))
    end_hand(draft, "timeout", NOW, client_ms=7)
    end_hand(draft, "timeout", NOW)
    assert draft.events == [Event(3, "", "end completed for S", 7, NOW)]


@pytest.mark.parametrize(("outcome", "row"), [("timeout", "end timeout"), ("advanced", "leave advanced")])
def test_only_time_limits_end_hands_for_others(outcome, row):
    draft = Draft(hand(robots={}))
    leave(draft, "S", outcome, NOW)
    leave(draft, "S", outcome, NOW)
    assert [event.action for event in draft.events] == [row]


# ---------------------------------------------------------------- messages


def test_browsers_are_told_of_reload_and_pause():
    assert RELOAD == {"reload": True}
    playing = hand(robots={})
    assert "paused" not in message_to_seat(playing, "S", 1, NOW)
    assert message_to_seat(playing.after(server_note("S", PAUSE, NOW)), "S", 1, NOW)["paused"] is True


def test_message_has_whole_milliseconds_of_waiting():
    waiting = hand(robots={}, turn_limit_seconds=0.0004).after(server_note("S", "arrive", SHOWN))
    for now, ms in ((SHOWN, 0), (SHOWN - 5, 5), (SHOWN + 5, 0)):
        assert message_to_seat(waiting, "N", 1, now)["wait"]["ms"] == ms


def test_message_names_the_next_turn_of_others():
    here = [server_note(seat, "arrive", SHOWN) for seat in "SN"]
    waiting = hand(robots={}, turn_limit_seconds=30).after_all(here)
    for seat in "SN":  # the hand waits for S
        assert message_to_seat(waiting, seat, 1, SHOWN)["wait"] == {"ms": 30_000, "away": []}
    assert message_to_seat(hand(robots={}), "S", 1, SHOWN)["wait"]["ms"] is None


def test_message_names_silent_co_players():
    here = [server_note(seat, "arrive", SHOWN) for seat in "SN"]
    playing = hand(robots={}).after_all(here)
    away = {seat: message_to_seat(playing, seat, 1, NOW, silent="SN")["wait"]["away"] for seat in "SN"}
    assert away == {"S": ["N"], "N": ["S"]}
    over = playing.after(Event(1, "", "end timeout", None, NOW))
    assert message_to_seat(over, "S", 1, NOW, silent="SN")["wait"]["away"] == []


def test_message_times_are_never_negative():
    shown = hand(robots={}, clock="first_move").after(Event(1, "S", "add", 5, NOW))
    early = message_to_seat(shown, "S", 1, SHOWN - 500)
    assert (early["clock"], early["time"]) == (0, 0)
    late = message_to_seat(shown, "S", 1, NOW + 700)
    assert (late["clock"], late["time"]) == (NOW + 700 - SHOWN, 700)
