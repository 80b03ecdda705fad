"""Tests the choices of a participant whose co-player has lost the connection."""

from __future__ import annotations

from test_several_seats import SHOWN, Table

from cardlab.core.transitions import Draft, message_to_seat, stop_playing
from cardlab.games.events import (
    AWAY,
    BACK,
    CLOCK_CHANGE,
    DROPPED_OUT,
    KEEP_WAITING,
    LET_SERVER_PLAY,
    PAUSE,
    RESUME,
    server_note,
)
from cardlab.games.matrix import rules
from cardlab.games.record import read_event, write_event

PATIENCE = 60_000
OF_FOUR = rules.deal("test", {"players": 4, "pack": "standard"})
GONE = {"W": SHOWN + 5_000}  # when W lost the connection


def waits(table: Table) -> dict[str, float]:
    """Returns the co-players about whom S may choose, and from what time (ms)."""
    return table.hand.choice_due_ms("S", GONE, PATIENCE)


def stopped(table: Table, absent: set[str]) -> list[str]:
    """Returns the events that are written when S stops."""
    draft = Draft(table.hand)
    stop_playing(draft, "S", absent, table.now)
    assert [read_event(write_event(event)) for event in draft.events] == draft.events
    table.add(draft.events)
    return [f"{event.seat} {event.action}".strip() for event in draft.events]


def test_choice_is_due_when_the_absent_must_act():
    table = Table()
    assert waits(table) == {"W": GONE["W"] + PATIENCE}
    assert table.hand.choice_due_ms("S", {}, PATIENCE) == {}
    table.send_action("W", rules.legal_actions(table.hand.state, "W")[0])
    assert waits(table) == {}  # only S must act


def test_keeping_waiting_asks_again_later():
    table = Table()
    table.now += 100_000
    table.add([server_note("S", KEEP_WAITING, table.now)])
    assert waits(table) == {"W": table.now + PATIENCE}
    assert table.hand.choice_due_ms("W", {"S": SHOWN}, PATIENCE) == {
        "S": SHOWN + PATIENCE
    }  # the other player's wait is not affected


def test_absence_counts_from_the_beginning_of_the_hand():
    long_before = {"W": SHOWN - 3_600_000}  # a co-player who has not connected since the server started
    assert Table().hand.choice_due_ms("S", long_before, PATIENCE) == {"W": SHOWN + PATIENCE}


def test_absence_counts_after_the_clock_is_back():
    hand = Table().hand.after(server_note("", f"{CLOCK_CHANGE}-900.0", SHOWN))
    by_the_new_clock = {"W": GONE["W"] - 900_000}
    assert hand.choice_due_ms("S", by_the_new_clock, PATIENCE) == {"W": GONE["W"] + PATIENCE}


def test_pause_does_not_count_as_absence():
    table = Table()
    table.add([server_note("S", PAUSE, SHOWN + 10_000)])
    assert waits(table) == {}
    table.add([server_note("S", RESUME, SHOWN + 30_000)])
    assert waits(table) == {"W": GONE["W"] + PATIENCE + 20_000}


def test_no_choice_is_due_for_server_played_seats():
    for name in (DROPPED_OUT, AWAY):
        table = Table()
        table.add([server_note("S", LET_SERVER_PLAY, table.now)])
        assert waits(table)
        hand = table.hand.after(server_note("W", name, table.now))
        assert "W" in rules.waiting_for(hand.state)
        assert hand.choice_due_ms("S", GONE, PATIENCE) == {}
        assert hand.after(server_note("W", BACK, table.now)).choice_due_ms("S", GONE, PATIENCE)


def test_stopping_ends_a_game_of_two():
    table = Table()
    table.add([server_note("S", KEEP_WAITING, table.now)])
    assert stopped(table, {"W"}) == ["S stop", "end stopped"]
    hand = table.hand
    assert [hand.outcome_for(seat) for seat in "SW"] == ["stopped", "stopped"]
    assert [hand.seats[seat].stopped for seat in "SW"] == [True, False]
    assert hand.result("S") == rules.result(hand.state, "S", hand.seconds("S"))._replace(outcome="stopped")
    no_more_hands = [message_to_seat(hand, seat, 1, table.now).get("stopped", False) for seat in "SW"]
    assert no_more_hands == [True, False]
    assert waits(table) == {}


def test_stopping_leaves_the_game_to_the_others():
    table = Table(OF_FOUR, arrived="SWNE", players=4)
    assert stopped(table, {"W"}) == ["S stop", "S leave stopped"]
    hand = table.hand
    assert (hand.is_over, hand.is_over_for("S"), hand.outcome_for("S")) == (False, True, "stopped")
    assert "S" not in rules.waiting_for(hand.state)  # the server has played for S
    assert hand.human_seats == ("W", "N", "E")
    alone = Table(OF_FOUR, arrived="SWNE", players=4)
    assert stopped(alone, {"W", "N", "E"}) == ["S stop", "end stopped"]
