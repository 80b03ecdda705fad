"""Tests the records, responses, payments and announcements of the hand service for each request."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest
import without_database  # noqa: F401
from memory_records import MemoryRecords

from cardlab.core import hand_cache, transitions
from cardlab.core.clock import Jump
from cardlab.core.record_chain import HandKey
from cardlab.core.transitions import RELOAD, STOPPED, EngineAnswer
from cardlab.games.events import (
    ARRIVE,
    AWAY,
    BACK,
    DROPPED_OUT,
    KEEP_WAITING,
    PAUSE,
    RECONNECT,
    RESUME,
    SECOND_TAB,
    SECOND_TAB_PLAYS,
    STOP,
)
from cardlab.games.language import current_language
from cardlab.games.matrix import rules as matrix
from cardlab.games.record import Opening, is_opening_line, read_event, read_shared_opening
from cardlab.games.ttt import rules as target
from cardlab.live import hand_service
from cardlab.live.batch import Answer
from cardlab.live.hand_service import HandService
from cardlab.live.seat import Playable, Seat

HAND, SESSION, PAGE_INDEX, HAND_NUMBER = "ttt-abc-1-1", 5, 7, 3
START = 1_800_000_000_000
SOLO = "2H 3C 3H 4C 2C 4H | 2H | ck"  # C T T solves it
LIMIT, PATIENCE = 30, 60  # seconds


class Clock:
    def __init__(self) -> None:
        self.ms, self.jumps = START, []

    def now_ms(self) -> int:
        return self.ms


class Connections:
    """The connected seats, as set by the test, and the records that have changed."""

    def __init__(self) -> None:
        self.connected, self.silent, self.changed = set(), set(), []
        self.last_seen = {}

    def connected_seats(self, hand: str) -> set[str]:
        return self.connected

    def silent_seats(self, hand: str) -> set[str]:
        return self.silent

    def last_seen_ms(self, participant_code: str) -> int:
        return self.last_seen.get(participant_code, START)

    def record_changed(self, hand: str) -> None:
        self.changed.append(hand)


class Journal:
    def __init__(self) -> None:
        self.noted = []

    def note_change(self, hand: str, lines: int) -> None:
        self.noted.append((hand, lines))


class Lab:
    """A hand service over records in memory, and the seats of one hand."""

    def __init__(self, rules=target, deal=SOLO, names=("solo",), **options):
        self.clock, self.connections, self.journal = Clock(), Connections(), Journal()
        self.page_index = PAGE_INDEX
        self.records = MemoryRecords(lambda _participant: self.page_index)
        arguments = self.records, self.clock, self.connections, START, self.journal
        self.service = HandService(*arguments)
        self.paid, self.logs, self.complaints = [], [], []
        functions = {"pay": self._pay, "update_logs": self._update_logs, "end_message": self._end_message}
        self.page = type("Page", (Playable,), {"rules": rules, **functions})
        opening = Opening(deal, {"seed": "x", **options})
        self.seats = {
            name: Seat(
                *(self.page, HandKey(HAND, SESSION, number), PAGE_INDEX, name, HAND_NUMBER, opening),
                *(None, f"code{name}", "tell"),
            )
            for number, name in enumerate(names)
        }
        hand_cache.drop_hand(HAND)

    @classmethod
    def pair(cls, **options):
        """Returns a lab in which S and W play a matrix game with a turn limit."""
        made = cls(matrix, matrix.deal("test", {"players": 2}), "SW", turn_limit_seconds=LIMIT, **options)
        for name, other in ("SW", "WS"):
            made.change(name, co_players=((other, f"code{other}"),), partner_away_seconds=PATIENCE)
        made.connections.connected = {"S", "W"}
        made.connect("S")
        made.connect("W")
        return made

    def _pay(self, seat, hand, records):
        self.paid.append((seat.name, hand.outcome, records is self.records))

    def _update_logs(self, seat, hand, events, records):
        assert not self.records.added, "logs are written after the commit"
        self.logs.append([event.action for event in events])
        return self.complaints

    def _end_message(self, seat, records):
        return {"earned": len(self.paid), "language": current_language()}

    def change(self, name="solo", **fields):
        self.seats[name] = replace(self.seats[name], **fields)

    def do(self, method, *arguments) -> Answer:
        (answer,) = self.service.commit_batch([partial(method, *arguments)])
        if isinstance(answer, Exception):
            raise answer
        return answer

    def connect(self, name="solo", *notes):
        return self.do(self.service.connect_and_write, self.seats[name], *notes)

    def send(self, name="solo", **fields):
        message = {"hand": HAND_NUMBER, "ms": 5, **fields}
        return self.do(self.service.receive_and_write, self.seats[name], json.dumps(message))

    def play(self, action, name="solo"):
        return self.send(name, number=self.hand.seats[name].next_number, action=action)

    def note(self, note, name="solo"):
        self.do(self.service.note_and_write, self.seats[name], note)

    def play_due(self, name="solo", answer=None):
        return self.do(self.service.play_due_and_write, self.seats[name], answer)

    def leave(self, name="solo", outcome="advanced", **others):
        page = MemoryRecords()
        page.kept = {hand: list(lines) for hand, lines in self.records.kept.items()}
        self.service.leave_and_write(self.seats[name], outcome, page, *([others] if others else []))
        page.commit()
        self.records.kept = page.kept

    @property
    def hand(self):
        return self.service.hand(next(iter(self.seats.values())))

    @property
    def lines(self):
        return [line.text for line in self.records.kept.get(HAND, [])]

    @property
    def rows(self):
        """The rows of the record as ``seat action``, without the openings."""
        events = [read_event(line) for line in self.lines if not is_opening_line(line)]
        return [f"{event.seat} {event.action}".strip() for event in events]


# ---------------------------------------------------------------- connecting


def test_first_connect_begins_the_hand():
    lab = Lab()
    assert lab.hand is None
    answer = lab.connect()
    assert (lab.rows, lab.hand.shown_ms) == ([], START)
    assert answer.hand == lab.hand
    assert answer.message["view"] == target.view(lab.hand.state, "solo")
    assert (answer.message["hand"], answer.message["next"], answer.message["over"]) == (HAND_NUMBER, 1, None)
    assert lab.journal.noted == [(HAND, 1)]
    lab.connect("solo", SECOND_TAB_PLAYS)
    assert lab.rows == [f"solo {SECOND_TAB_PLAYS}", f"solo {RECONNECT}"]
    assert lab.journal.noted == [(HAND, 1), (HAND, 3)]


def test_participant_on_another_page_reloads():
    lab = Lab()
    lab.connect()
    before, service = lab.lines, lab.service
    text = json.dumps({"hand": HAND_NUMBER, "number": 1, "action": "C", "ms": 5})
    for page_index in (None, PAGE_INDEX + 1):
        lab.page_index = page_index
        assert lab.hand is None
        for request in (
            service.connect_and_write,
            service.note_second_tab_and_write,
            service.play_due_and_write,
            partial(service.receive_and_write, text=text),
        ):
            assert lab.do(request, lab.seats["solo"]) == (RELOAD, None)
    assert lab.lines == before


def test_requests_before_the_hand_begins_reload():
    lab = Lab()
    assert lab.play_due() == (RELOAD, None)
    assert lab.do(lab.service.note_second_tab_and_write, lab.seats["solo"]) == (RELOAD, None)
    lab.note(PAUSE)
    assert (lab.lines, lab.connections.changed) == ([], [])
    assert lab.send(number=1, action="T").message["next"] == 1  # the message connects the seat
    assert (len(lab.lines), lab.rows) == (1, [])


def test_players_arrive_once():
    lab = Lab.pair()
    assert lab.rows == [f"S {ARRIVE}", f"W {ARRIVE}"]
    lab.connect("S")
    assert lab.rows[2:] == [f"S {RECONNECT}"]


def test_connect_catches_up_with_a_pause():
    lab = Lab()
    lab.change(paused=True)
    assert lab.connect().message["paused"] is True
    lab.connect()
    lab.change(paused=False)
    lab.connect()
    reconnect = f"solo {RECONNECT}"
    assert lab.rows == [f"solo {PAUSE}", reconnect, reconnect, f"solo {RESUME}"]


def test_connect_ends_an_absence_unless_dropped():
    lab = Lab.pair(absent_after=1)
    lab.connections.connected = {"W"}
    lab.clock.ms += 1000 * LIMIT
    lab.play_due("W")
    assert f"S {AWAY}" in lab.rows
    lab.change("S", dropped=frozenset("S"))
    lab.connect("S")
    assert f"S {BACK}" not in lab.rows
    lab.change("S", dropped=frozenset())
    lab.connect("S")
    assert lab.rows[-2:] == [f"S {RECONNECT}", f"S {BACK}"]


def test_connect_writes_what_other_hands_decided():
    lab = Lab.pair()
    lab.change("S", dropped=frozenset("W"))
    lab.connect("S")
    lab.connect("S")
    assert lab.rows.count(f"W {DROPPED_OUT}") == 1
    other = Lab.pair()
    other.change("S", stopped=frozenset("W"))
    other.connect("S")
    assert f"W leave {STOPPED}" in other.rows
    assert other.hand.human_seats == ("S",)


def test_connect_to_a_finished_hand_writes_nothing():
    lab = Lab()
    lab.connect()
    for action in "CTT":
        lab.play(action)
    before = lab.lines
    lab.change(paused=True, language="it")
    message = lab.connect("solo", SECOND_TAB_PLAYS).message
    assert (message["over"], message["earned"], message["language"]) == ("solved", 1, "it")
    assert lab.lines == before


def test_full_record_takes_only_moves(monkeypatch):
    lab = Lab()
    lab.connect()
    lab.connect()
    monkeypatch.setattr(transitions, "MAX_LINES_WITH_ASIDES", 1)
    lab.connect()
    lab.do(lab.service.note_second_tab_and_write, lab.seats["solo"])
    assert "refused" not in lab.play("C").message
    assert lab.rows == [f"solo {RECONNECT}", "solo C"]


def test_second_tab_is_noted_until_the_end():
    lab = Lab()
    lab.connect()
    note = partial(lab.do, lab.service.note_second_tab_and_write, lab.seats["solo"])
    assert note() == ({"second_tab": "tell"}, None)
    lab.leave()
    assert note() == ({"second_tab": "tell"}, None)
    assert lab.rows == [f"solo {SECOND_TAB}", "end advanced"]


# ---------------------------------------------------------------- messages


def test_a_move_is_answered_and_announced():
    lab = Lab()
    lab.connect()
    lab.clock.ms += 2_000
    answer = lab.play("C")
    assert (answer.message["next"], answer.hand) == (2, lab.hand)
    assert (lab.rows, lab.logs, lab.paid) == (["solo C"], [[], ["C"]], [])
    refused = lab.send(number=1, action="T")
    assert "board changed" in refused.message["refused"]
    assert refused.hand == lab.hand  # others may have missed the first copy
    assert lab.logs[-1] == ["T"]


def test_last_move_is_paid_then_logged():
    lab = Lab()
    lab.complaints = ["The log could not be written."]
    lab.connect()
    messages = [lab.play(action).message for action in "CTT"]
    assert messages[-1]["earned"] == 1
    assert "earned" not in messages[0]
    assert lab.paid == [("solo", "solved", True)]
    assert lab.logs[-1] == ["T", "end solved"]
    assert lab.records.researcher_sentences[-1] == (SESSION, "The log could not be written.")


@pytest.mark.parametrize(
    ("fields", "message", "sentence"),
    [
        ({}, {"number": "one", "action": "T"}, "could not be read"),
        ({}, {"hand": HAND_NUMBER + 1, "number": 1, "action": "T"}, "out of date"),
        ({}, {"again": True}, "cannot start over"),
        ({}, {"note": "rules"}, "“note” is not valid"),
        ({"deadline": START / 1000 - 1}, {"number": 1, "action": "T"}, "Time is up"),
        ({}, {"choice": KEEP_WAITING}, "Everybody is back"),
    ],
)
def test_forbidden_message_changes_nothing(fields, message, sentence):
    lab = Lab()
    lab.connect()
    lab.change(**fields)
    answer = lab.send(**message)
    assert sentence in answer.message["refused"]
    assert (lab.rows, answer.hand) == ([], None)


def test_moves_are_accepted_until_the_deadline():
    lab = Lab()
    lab.connect()
    lab.change(deadline=START / 1000 + 1)
    lab.clock.ms += 1_000
    assert "refused" not in lab.play("C").message
    lab.clock.ms += 1
    assert "Time is up" in lab.play("T").message["refused"]


def test_paused_hand_rejects_moves():
    lab = Lab()
    lab.connect()
    lab.note(PAUSE)
    assert lab.play("C").message["refused"] == hand_service.paused_sentence()
    lab.note(RESUME)
    assert "refused" not in lab.play("C").message
    assert lab.rows == [f"solo {PAUSE}", f"solo {RESUME}", "solo C"]


def test_allowed_notes_are_written():
    lab = Lab()
    lab.page.can_note = classmethod(lambda _page, name: name == "rules")
    lab.connect()
    assert lab.send(note="rules").message["noted"] == "rules"
    assert "noted" not in lab.send(note="earnings").message
    lab.leave()
    lab.send(note="rules")
    assert lab.rows == ["solo rules", "end advanced"]
    lab.page.repeatable = True
    lab.send(note="rules")
    assert lab.rows[2:] == ["solo rules"]


def test_repeatable_board_starts_over(monkeypatch):
    lab = Lab()
    lab.page.repeatable = True
    lab.page.can_note = classmethod(lambda _page, name: name == "step swap")
    other_deal = "3H 2C 2H 4C 4H 3C | 2H | ck"
    lab.page.deal_of_step = classmethod(
        lambda _page, opening, step: replace(opening, deal=other_deal) if step else opening
    )
    lab.connect()
    lab.play("C")
    lab.clock.ms += 1_000
    assert lab.send(again=True).message["next"] == 1
    lab.send(again=True, deal="step swap")
    assert "refused" in lab.send(again=True, deal="step nowhere").message
    openings = [read_shared_opening(line) for line in lab.lines if is_opening_line(line)]
    assert [opening.deal for opening in openings] == [SOLO, SOLO, other_deal]
    assert [opening.shown_ms - START for opening in openings] == [0, 1_000, 1_000]
    monkeypatch.setattr(hand_service, "MAX_LINES_WITH_ASIDES", 5)
    assert "refused" not in lab.play("T").message
    assert "restarted this board too many times" in lab.send(again=True).message["refused"]


def test_fresh_deal_after_a_pause_is_not_paused():
    lab = Lab()
    lab.page.repeatable = True
    lab.change(paused=True)
    assert lab.connect().message["paused"]
    assert "paused" in lab.send(again=True).message["refused"]
    lab.note(RESUME)
    assert "paused" not in lab.send(again=True).message
    assert lab.rows == [f"solo {PAUSE}", f"solo {RESUME}"]


def test_no_fresh_deal_during_a_pause():
    lab = Lab()
    lab.page.repeatable = True
    lab.connect()
    lab.play("C"), lab.play("T"), lab.play("T")
    lab.note(PAUSE)
    lab.records.rows = lambda _statement, **_values: [(1, 0, PAUSE, "", START, None)]
    lines = lab.lines
    assert "paused" in lab.send(again=True).message["refused"]
    assert lab.lines == lines


def test_endless_board_is_bounded(monkeypatch):
    lab = Lab()
    lab.page.endless = True
    lab.connect()
    monkeypatch.setattr(hand_service, "MAX_LINES_WITH_ASIDES", 2)
    assert "refused" not in lab.play("C").message
    assert "used all tries" in lab.play("T").message["refused"]
    assert lab.rows == ["solo C"]


def test_clock_set_back_keeps_times_in_order():
    lab = Lab()
    lab.connect()
    lab.clock.ms += 5_000
    lab.play("C")
    lab.clock.ms -= 2_000
    lab.clock.jumps.append(Jump(START + 1, 60))
    lab.play("T")
    assert lab.rows == ["solo C", "clock -2.0", "solo T"]
    lab.clock.ms += 1_000
    assert lab.service.time_at(lab.hand) == START + 6_000


def restart(lab, ms):
    """Restarts the server; its clock begins at ``ms``."""
    lab.clock.ms = lab.service.awake_ms = ms


def test_limits_go_on_after_clock_is_back():
    lab = Lab.pair()
    lab.clock.ms += 5_000
    restart(lab, START - 3_600_000)
    lab.clock.ms += 2_000
    lab.connect("S")
    lab.connect("W")
    assert lab.rows[2:] == ["clock -3598.0", f"S {RECONNECT}", f"W {RECONNECT}"]
    lab.clock.ms += 1000 * LIMIT - 1
    lab.play_due("S")
    assert len(lab.rows) == 5
    lab.clock.ms += 1
    lab.play_due("S")
    assert [row for row in lab.rows if row.endswith("absent")] == ["S absent", "W absent"]
    times = [read_event(line).server_ms for line in lab.lines if not is_opening_line(line)]
    assert times == sorted(times)
    assert times[-1] == START + 1000 * LIMIT


def test_fresh_deal_keeps_times_in_order():
    lab = Lab()
    lab.page.repeatable = True
    lab.connect()
    lab.clock.ms += 5_000
    lab.play("C")
    restart(lab, START - 3_600_000)
    lab.connect()
    lab.clock.ms += 1_000
    lab.send(again=True)
    lab.clock.ms += 1_000
    lab.play("C")
    assert lab.hand.shown_ms == START + 6_000
    assert lab.hand.latest_ms == START + 6_000  # until the first row nothing says that the clock is behind
    assert lab.rows[-2:] == ["clock -3604.0", "solo C"]


def test_choice_is_offered_after_clock_is_back():
    lab = absent_pair()
    restart(lab, START - 3_600_000)
    lab.connections.last_seen = {"codeW": lab.clock.ms}
    lab.connect("S")
    lab.clock.ms += 1000 * PATIENCE - 1
    assert "choice" not in message_to_s(lab)["wait"]
    lab.clock.ms += 1
    assert "choice" in message_to_s(lab)["wait"]


def test_full_record_notes_the_clock(monkeypatch):
    lab = Lab()
    lab.connect()
    lab.play("C")
    monkeypatch.setattr(transitions, "MAX_LINES_WITH_ASIDES", 1)
    lab.connect()
    restart(lab, START - 3_600_000)
    lab.connect()
    lab.connect()
    assert lab.rows == ["solo C", "clock -3600.0", f"solo {RECONNECT}"]


def test_time_is_up_by_the_clock_of_pages():
    lab = Lab()
    lab.connect()
    restart(lab, START - 3_600_000)
    lab.change(deadline=lab.clock.ms / 1000 + 1)
    assert "refused" not in lab.play("C").message
    lab.clock.ms += 1_001
    assert "Time is up" in lab.play("T").message["refused"]


# ---------------------------------------------------------------- absent co-players


def absent_pair(**fields):
    """Returns a pair in which W has been disconnected for so long that S may choose."""
    lab = Lab.pair()
    lab.change("S", **{"may_stop": True, **fields})
    lab.connections.connected = {"S"}
    lab.connections.last_seen = {"codeW": START + 1_000}
    lab.clock.ms = START + 1_000 + 1000 * PATIENCE
    return lab


def message_to_s(lab):
    return lab.service.message_for(lab.seats["S"], lab.hand)


def test_choice_is_offered_when_patience_ends():
    lab = absent_pair()
    score = lab.hand.result("S").score
    assert message_to_s(lab)["wait"]["choice"] == {"away": ["W"], "score": score}
    lab.clock.ms -= 1
    assert "choice" not in message_to_s(lab)["wait"]
    lab.clock.ms += 1
    lab.connections.connected = {"S", "W"}
    assert "choice" not in message_to_s(lab)["wait"]


def test_choice_depends_on_the_session():
    assert message_to_s(absent_pair(may_stop=False))["wait"]["choice"] == {"away": ["W"], "score": None}
    assert "choice" not in message_to_s(absent_pair(partner_away_seconds=0))["wait"]


def test_stopping_ends_and_pays_the_hand():
    lab = absent_pair()
    answer = lab.send("S", choice=STOP)
    assert lab.rows[-2:] == [f"S {STOP}", f"end {STOPPED}"]
    assert (answer.message["over"], answer.hand) == (STOPPED, lab.hand)
    assert lab.paid == [("S", STOPPED, True)]


def test_stopping_may_not_be_allowed():
    lab = absent_pair(may_stop=False)
    assert "refused" in lab.send("S", choice=STOP).message
    assert "S stop" not in lab.rows
    assert "refused" not in lab.send("S", choice=KEEP_WAITING).message
    assert f"S {KEEP_WAITING}" in lab.rows


def test_choice_about_nobody_is_refused():
    lab = absent_pair()
    lab.connections.connected = {"S", "W"}
    before = lab.rows
    answer = lab.send("S", choice=STOP)
    assert "Everybody is back" in answer.message["refused"]
    assert (answer.hand, lab.rows) == (None, before)


# ---------------------------------------------------------------- what the server plays


def test_server_plays_when_the_limit_ends():
    lab = Lab.pair()
    assert lab.service.due_ms(lab.hand) == START + 1000 * LIMIT
    lab.clock.ms += 1000 * LIMIT - 1
    lab.play_due("S")
    assert lab.rows == [f"S {ARRIVE}", f"W {ARRIVE}"]
    lab.clock.ms += 1
    answer = lab.play_due("S")
    assert [row for row in lab.rows if row.endswith("absent")] == ["S absent", "W absent"]
    assert answer.hand == lab.hand
    lab.leave("S", "timeout")
    assert lab.service.due_ms(lab.hand) is None


def test_limits_exclude_the_time_without_a_server():
    lab = Lab.pair()
    lab.service.awake_ms += 7_000
    assert lab.service.due_ms(lab.hand) == START + 7_000 + 1000 * LIMIT
    assert message_to_s(lab)["wait"]["ms"] == 7_000 + 1000 * LIMIT


def test_own_request_counts_as_connected():
    lab = Lab.pair(absent_after=1)
    lab.connections.connected = set()
    lab.clock.ms += 1000 * LIMIT
    lab.play_due("S")
    assert (f"S {AWAY}" in lab.rows, f"W {AWAY}" in lab.rows) == (False, True)


def test_rejected_engine_answer_is_logged(monkeypatch, caplog):
    reasons = iter(["It is not its turn.", ""])
    monkeypatch.setattr(hand_service, "play_engine_answer", lambda *_arguments: next(reasons))
    lab = Lab()
    lab.connect()
    answer = EngineAnswer("solo", "what next?", "nonsense")
    lab.play_due("solo", answer)
    lab.play_due("solo", answer)
    assert [record.getMessage() for record in caplog.records] == [
        f"hand {HAND}, nonsense cannot be played: It is not its turn. ({answer})"
    ]


# ---------------------------------------------------------------- the researcher's notes


def test_notes_are_written_only_if_they_change_something():
    lab = Lab.pair()
    for note in (RESUME, BACK, PAUSE, PAUSE, RESUME, RESUME, DROPPED_OUT, DROPPED_OUT, BACK, BACK):
        lab.note(note, "S")
    expected = [f"S {note}" for note in (PAUSE, RESUME, DROPPED_OUT, BACK)]
    assert [row for row in lab.rows if row in expected] == expected
    assert lab.connections.changed == [HAND] * 10
    lab.leave("S", "timeout")
    before = lab.rows
    lab.note(PAUSE, "S")
    assert lab.rows == before


def test_nobody_drops_out_of_a_hand_alone():
    lab = Lab()
    lab.connect()
    lab.note(DROPPED_OUT)
    assert lab.rows == []


def test_server_plays_for_a_dropout_at_once():
    lab = Lab.pair()
    lab.note(DROPPED_OUT, "S")
    assert lab.rows[2:4] == [f"S {DROPPED_OUT}", "S absent"]


# ---------------------------------------------------------------- leaving the page


def test_leaving_ends_and_pays_a_hand_alone():
    lab = Lab()
    lab.connect()
    lab.clock.ms += 1_000
    lab.leave()
    assert lab.rows == ["end advanced"]
    assert (lab.paid, lab.logs[-1]) == ([("solo", "advanced", False)], ["end advanced"])
    assert lab.connections.changed == [HAND]
    lab.leave()
    assert (lab.rows, lab.connections.changed) == (["end advanced"], [HAND])
    assert len(lab.paid) == 2  # the page pays only the unpaid rest


def test_unseen_hand_is_closed():
    lab = Lab()
    lab.leave(outcome="timeout")
    assert lab.rows == ["end timeout"]
    assert read_shared_opening(lab.lines[0]).shown_ms is None


def test_hand_begun_by_a_leave_ends():
    lab = Lab.pair()
    lab.records.kept.clear()
    hand_cache.drop_hand(HAND)
    lab.change("S", stopped=frozenset("W"))
    lab.leave("S")
    assert lab.rows == [f"W leave {STOPPED}", "end advanced"]
    assert lab.hand.seats["W"].stopped_before


def test_co_players_play_on_after_a_leave():
    lab = Lab.pair()
    lab.leave("S")
    assert lab.rows[2:4] == ["S leave advanced", "S absent"]
    assert not lab.hand.is_over
    both = Lab.pair()
    both.leave("S", W="dropped")
    assert both.rows[2:] == ["S leave advanced", "end dropped"]
