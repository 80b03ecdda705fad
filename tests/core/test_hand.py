"""Tests that a hand is the fold of its record, and that play only appends lines."""

import json
from types import SimpleNamespace

import pytest
from harnesses import GAMES
from hypothesis import given
from hypothesis import strategies as st
from record_builder import action_events, append_events, closing_events, fold, opening_record
from server_driver import milliseconds

from cardlab.core import hand_cache as folds_module
from cardlab.core import transitions as play_module
from cardlab.core.clock import Jump
from cardlab.core.protocol import Message
from cardlab.core.transitions import (
    MAX_LINES_WITH_ASIDES,
    MAX_REFUSED,
    Draft,
    clock_notes,
    message_to_seat,
    note_aside,
)
from cardlab.games.contract import Result
from cardlab.games.events import PAUSE, RESUME, Event, server_note
from cardlab.games.hand import Hand
from cardlab.games.record import Opening, read_record
from cardlab.games.triangle import rules as triangle
from cardlab.games.ttt import rules

DEAL = "2H 3C 3H 4C 2C 4H | 2H | ck"  # the source's sample game: C T T solves it
RED_CK = "2H 3H 2C 4C 3C 4H | 2H | ck"  # T is refused: 3H is red, 4C is black
openings, actions = GAMES["ttt"].harness.openings, GAMES["ttt"].harness.sent
traces = st.lists(st.tuples(actions, milliseconds), max_size=3).map(tuple)
NOTE = Event(None, "solo", "reconnect", None, 5_000, None)
steps = st.lists(
    st.one_of(
        st.tuples(actions, milliseconds, traces, st.sampled_from([0, 0, 0, 0, -1, 1, 7])),
        st.just(NOTE),
    ),
    max_size=25,
)


def dealt(deal=DEAL, **options):
    return opening_record(Opening(deal, options), 1_000)


def say(record, action, number=None, ms=0, traces=(), now=2_000):
    """Returns the record after a message, and the sentence of a refusal."""
    hand = fold(rules, record)
    message = Message(1, hand.next_number if number is None else number, action, ms, tuple(traces))
    events, refused = action_events(hand, "solo", message, now)
    return append_events(rules, record, events), refused


def played(moves, **options):
    record = dealt(**options)
    for move in moves:
        record, refused = say(record, move)
        assert not refused
    return record


def rows(record):
    return read_record(record)[1]


def from_scratch(record):
    """Returns the fold without any cache."""
    opening, events = read_record(record)
    hand = Hand(rules, opening)
    for event in events:
        hand = hand.after(event)
    return hand


def walk(opening, history):
    """Yields the records of a random play, one after each message or note."""
    record = opening_record(opening, 1_000)
    yield record
    for step in history:
        if step is NOTE:
            record = append_events(rules, record, [NOTE])
        else:
            action, ms, fidgets, off = step
            number = max(0, fold(rules, record).next_number + off)
            record, _refused = say(record, action, number, ms, fidgets, now=1_000 + ms)
        yield record


# ---------------------------------------------------------------- the fold


@given(openings, steps)
def test_the_cached_hand_is_the_folded_record(opening, history):
    for record in walk(opening, history):
        assert fold(rules, record) == from_scratch(record)


@given(openings, steps)
def test_a_record_only_grows_without_gaps(opening, history):
    before = ()
    for record in walk(opening, history):
        assert record[: len(before)] == before
        before = record
    numbers = [event.number for event in rows(before) if event.accepted]
    assert numbers == list(range(1, len(numbers) + 1))


@given(openings, steps)
def test_refusals_and_notes_change_nothing_but_their_count(opening, history):
    *_, record = walk(opening, history)
    kept = [event for event in rows(record) if event.accepted]
    bare = append_events(rules, opening_record(opening, 1_000), kept)
    with_all, without = fold(rules, record), fold(rules, bare)
    assert (with_all.state, with_all.next_number, with_all.outcome) == (
        without.state,
        without.next_number,
        without.outcome,
    )
    assert with_all.event_count == len(rows(record))


@given(openings, steps)
def test_end_row_is_written_once(opening, history):
    for record in walk(opening, history):
        accepted = [event.action for event in rows(record) if event.accepted]
        ends = [action for action in accepted if action.startswith("end ")]
        hand = fold(rules, record)
        assert hand.is_over == rules.is_over(hand.state) == (len(ends) == 1)
        if hand.is_over:
            assert ends == accepted[-1:] == [f"end {rules.result(hand.state, 'solo', 0).outcome}"]
            assert hand.outcome == ends[0].removeprefix("end ")
        else:
            assert ends == []


@given(openings, steps)
def test_the_cache_may_be_lost_at_any_time(opening, history):
    folds_module._cache.clear()
    lost = []
    for record in walk(opening, history):
        folds_module._cache.clear()
        lost.append(record)
    assert list(walk(opening, history)) == lost


def test_cache_size_is_limited(monkeypatch):
    monkeypatch.setattr(folds_module, "CACHE_SIZE", 3)
    folds_module._cache.clear()
    records = [opening_record(Opening(DEAL, {}), ms) for ms in range(10)]
    for record in records:
        fold(rules, record)
    assert len(folds_module._cache) == 3
    assert fold(rules, records[0]) == from_scratch(records[0])


def test_cached_hands_are_dropped_after_ten_minutes(monkeypatch):
    folds_module._cache.clear()
    now = [0.0]
    monkeypatch.setattr(folds_module.time, "monotonic", lambda: now[0])
    records = [opening_record(Opening(DEAL, {}), ms) for ms in range(4)]
    for record, now[0] in zip(records, (0, 1, 600, 601.5)):
        fold(rules, record)
    assert len(folds_module._cache) == 2
    assert fold(rules, records[0]) == from_scratch(records[0])


def test_records_of_equal_length_are_separate_hands():
    one, two = played("U"), played("N")
    assert len(one) == len(two)
    assert fold(rules, one).state.sequence == "U"
    assert fold(rules, two).state.sequence == "N"


def test_playing_on_after_rollback_discards_the_later_rows():
    before = dealt()
    after, _ = say(before, "U")
    again, _ = say(before, "C")
    assert fold(rules, after).state.sequence == "U"
    assert fold(rules, again).state.sequence == "C"


# ---------------------------------------------------------------- play


def test_accepted_move_is_recorded_with_the_next_number():
    record, refused = say(dealt(), "U", ms=700, now=1_750)
    assert not refused
    assert rows(record) == [Event(1, "solo", "U", 700, 1_750)]
    assert fold(rules, record).next_number == 2


@pytest.mark.parametrize("number", [0, 1, 3, 4, 999])
def test_wrong_action_number_plays_nothing(number):
    before = played("U")
    record, refused = say(before, "P", number=number)
    assert "The board changed" in refused
    assert fold(rules, record).state == fold(rules, before).state
    assert fold(rules, record).next_number == 2
    assert rows(record)[-1] == Event(number, "solo", "P", 0, 2_000, False, refused)


def test_the_same_message_twice_plays_once():
    record, _ = say(dealt(), "U", number=1)
    record, refused = say(record, "U", number=1)
    assert refused
    assert fold(rules, record).state.sequence == "U"


def test_a_refused_move_is_kept_with_its_reason():
    record, refused = say(dealt(RED_CK), "T")
    assert "The colours differ" in refused
    assert rows(record) == [Event(1, "solo", "T", 0, 2_000, False, refused)]
    assert fold(rules, record).next_number == 1


def test_traces_precede_the_move_with_own_times():
    record, refused = say(dealt(), "U", ms=900, traces=[("pick up", 300), ("pick ck", 800)])
    assert not refused
    assert [(event.number, event.action, event.client_ms) for event in rows(record)] == [
        (1, "pick up", 300),
        (2, "pick ck", 800),
        (3, "U", 900),
    ]


def test_pick_ups_of_refused_moves_are_kept():
    record, refused = say(dealt(RED_CK), "T", ms=900, traces=[("pick ck", 300)])
    assert refused
    assert [(event.action, event.accepted) for event in rows(record)] == [("pick ck", True), ("T", False)]


@pytest.mark.parametrize(
    "trace", ["U", "C", "N", "T", "P", "look ck", "look nk", "end solved", "reconnect", "x"]
)
def test_a_move_among_the_traces_is_dropped(trace):
    record, refused = say(dealt(), "P", traces=[("pick c", 1), (trace, 2), ("pick t", 3)])
    assert not refused
    assert [event.action for event in rows(record)] == ["pick c", "pick t", "P"]
    assert fold(rules, record).state.sequence == "P"


@given(openings, steps, st.lists(st.tuples(actions, milliseconds), max_size=5))
def test_traces_never_change_the_board(opening, history, fidgets):
    *_, record = walk(opening, history)
    before = fold(rules, record)
    events, _refused = action_events(
        before, "solo", Message(1, before.next_number, "nothing", 0, tuple(fidgets)), 2_000
    )
    assert fold(rules, append_events(rules, record, events)).state == before.state


@pytest.mark.parametrize("action", ["end solved", "end", "end timeout", "end gave_up"])
def test_message_cannot_end_a_hand(action):
    record, refused = say(dealt(), action)
    assert refused
    assert not fold(rules, record).is_over
    assert fold(rules, record).outcome == "open"


def test_solving_move_is_followed_by_the_end_row():
    record = played("CTT")
    *moves, end = rows(record)
    assert end == Event(4, "", "end solved", 0, 2_000)
    assert fold(rules, record).outcome == "solved"
    assert fold(rules, record).ended_ms == 2_000


def test_last_allowed_move_is_followed_by_end_row():
    record = played("PPP", MaxRounds=3)
    assert rows(record)[-1].action == "end failed"


@pytest.mark.parametrize("action", ["U", "P", "look ck", "pick c", "again"])
def test_finished_hand_accepts_nothing_more(action):
    before = played("CTT")
    record, refused = say(before, action)
    assert refused
    assert record == before


def test_number_of_recorded_refusals_is_limited():
    record = dealt()
    before = fold(rules, record).event_count
    for _ in range(MAX_REFUSED + 20):
        record, refused = say(record, "nonsense")
        assert refused
    assert fold(rules, record).event_count == before + MAX_REFUSED
    full = record
    record, refused = say(record, "nonsense")
    assert refused
    record, refused = say(record, "U", number=99)
    assert refused
    assert record == full
    record, refused = say(record, "U")  # and a proper move is still played
    assert not refused
    assert fold(rules, record).state.sequence == "U"


def test_number_of_recorded_pick_ups_is_limited():
    record = dealt()
    for _ in range(MAX_LINES_WITH_ASIDES):
        record, _refused = say(record, "pick c", traces=[("pick t", 1)])
    full = record
    record, refused = say(record, "pick c", traces=[("pick t", 1)])
    assert refused
    assert record == full
    record, refused = say(record, "U", traces=[("pick t", 1)])
    assert not refused
    assert fold(rules, record).state.sequence == "U"


# ---------------------------------------------------------------- closing


@pytest.mark.parametrize("outcome", ["timeout", "advanced", "gave_up"])
def test_an_open_hand_gets_the_given_outcome(outcome):
    record = played("U")
    record = append_events(rules, record, closing_events(fold(rules, record), outcome, 9_000))
    assert rows(record)[-1] == Event(2, "", f"end {outcome}", None, 9_000)
    hand = fold(rules, record)
    assert (hand.is_over, hand.outcome, hand.ended_ms) == (True, outcome, 9_000)
    assert hand.result("solo").outcome == outcome
    assert hand.result("solo").score == 0


@pytest.mark.parametrize(("moves", "outcome"), [("CTT", "solved"), ("PP", "failed")])
def test_an_ended_hand_keeps_its_outcome(moves, outcome):
    """The outcome holds even if the end row is missing, as in a record from elsewhere."""
    record = append_events(
        rules,
        dealt(MaxRounds=len(moves)),
        [Event(number, "solo", move, 0, 2_000) for number, move in enumerate(moves, 1)],
    )
    assert closing_events(fold(rules, record), "timeout", 9_000)[0].action == f"end {outcome}"


@given(openings, steps, st.sampled_from(["timeout", "advanced"]))
def test_a_hand_is_closed_once(opening, history, outcome):
    *_, record = walk(opening, history)
    for _ in range(2):
        record = append_events(rules, record, closing_events(fold(rules, record), outcome, 9_000))
    assert sum(event.action.startswith("end ") and bool(event.accepted) for event in rows(record)) == 1


def test_hand_closed_before_being_shown_takes_no_time():
    record = opening_record(Opening(DEAL, {}), None)
    assert (fold(rules, record).latest_ms, fold(rules, record).clock_behind_ms) == (0, 0)
    record = append_events(rules, record, closing_events(fold(rules, record), "advanced", 9_000))
    hand = fold(rules, record)
    assert (hand.opening.shown_ms, hand.seconds("solo"), hand.outcome) == (None, 0.0, "advanced")


def test_hand_time_starts_when_first_shown():
    record = dealt()
    assert fold(rules, record).seconds("solo") == 0
    record = append_events(rules, record, closing_events(fold(rules, record), "timeout", 61_000))
    assert fold(rules, record).seconds("solo") == 60.0


def test_scored_time_may_count_from_the_first_move():
    record = dealt(RED_CK, clock="first_move")
    assert message_to_seat(fold(rules, record), "solo", 1, 2_500)["time"] is None
    for move, now in (("T", 2_500), ("C", 3_000), ("P", 3_500)):  # T is refused
        record, _refused = say(record, move, now=now)
    assert message_to_seat(fold(rules, record), "solo", 1, 4_000)["time"] == 1_000
    hand = fold(rules, append_events(rules, record, closing_events(fold(rules, record), "timeout", 5_000)))
    assert (hand.seconds("solo"), hand.scored_seconds("solo")) == (4.0, 2.0)


def test_time_of_messages_leaves_out_pauses():
    hand = fold(rules, dealt())
    assert "time" not in message_to_seat(hand, "solo", 1, 3_000)
    paused = hand.after(server_note("solo", PAUSE, 3_000))
    message = message_to_seat(paused, "solo", 1, 10_000)
    assert (message["time"], message["paused"]) == (2_000, True)
    resumed = paused.after(server_note("solo", RESUME, 11_000))
    message = message_to_seat(resumed, "solo", 1, 12_000)
    assert (message["clock"], message["time"]) == (11_000, 3_000)
    assert "paused" not in message


def test_clock_set_back_gives_no_negative_time():
    record = append_events(rules, dealt(), closing_events(fold(rules, dealt()), "timeout", 10))
    assert fold(rules, record).seconds("solo") == 0


def test_a_participant_alone_counts_moves_and_rows():
    seat = fold(rules, played("CT")).seats["solo"]
    assert (seat.moves, seat.next_number, seat.last_acted_ms, seat.missed_limits) == (2, 3, 2_000, 0)
    ended = fold(rules, played("CTT"))
    assert ended.seats["solo"].next_number == ended.next_number == 5  # after the end row


def test_hands_are_equal_after_equal_rows():
    hand = fold(rules, played("C"))
    assert hand == from_scratch(played("C"))
    assert hand not in (fold(rules, played("N")), fold(rules, dealt()), "a hand")


def test_a_clock_set_back_is_noted_once():
    hand = fold(rules, played("C"))  # at 2,000 ms
    back = hand.after_all(clock_notes(hand, 500, ()))
    assert (back.clock_behind_ms, back.time_at(500), back.time_at(600)) == (1_500, 2_000, 2_100)
    later = back.after(NOTE._replace(server_ms=2_100))
    assert clock_notes(later, 600, ()) == clock_notes(later, 9_000, ()) == []
    (note,) = clock_notes(later, 599, ())
    assert (note.action, note.server_ms) == ("clock -0.001", 2_100)


def test_a_corrected_clock_counts_again_after_restart():
    hand = fold(rules, played("C"))  # at 2,000 ms
    back = hand.after_all(clock_notes(hand, 500, ())).after(NOTE._replace(server_ms=2_100))
    assert back.time_at(700, awake_ms=500) == 2_200
    assert back.time_at(2_300, awake_ms=2_100) == 2_300
    (note,) = clock_notes(back, 2_300, (), awake_ms=2_100)
    assert (note.action, note.server_ms) == ("clock +1.5", 2_100)
    assert back.after(note).clock_behind_ms == 0
    _same, jump = clock_notes(back, 2_300, [Jump(2_200, -9.0)], awake_ms=2_100)
    assert (jump.action, jump.server_ms) == ("clock -9.0", 2_200)


def test_clock_set_while_the_server_runs_changes_nothing():
    hand = fold(rules, played("C"))  # at 2,000 ms
    back = hand.after_all(clock_notes(hand, 500, ()))
    assert clock_notes(back, 700, [Jump(500, -9.0)]) == []
    (note,) = clock_notes(back, 700, [Jump(501, -9.0)])
    assert (note.action, note.server_ms) == ("clock -9.0", 2_001)
    assert back.after(note).clock_behind_ms == 1_500
    (note,) = clock_notes(back, 700, [Jump(501, -9.0), Jump(501, 0.2)])
    assert (note.action, back.after(note).clock_behind_ms) == ("clock -8.8", 1_500)


def test_each_seat_has_its_outcome_by_the_rules():
    outcomes = {"S": "won", "N": "lost"}
    two = SimpleNamespace(
        start=lambda deal, options: deal,
        seats=lambda state: tuple(outcomes),
        is_over=lambda state: state == "over",
        result=lambda state, seat, seconds: Result(0, {}, outcomes[seat]),
    )
    for deal, ended in (("over", ["won", "lost"]), ("going on", ["won", "won"])):
        hand = Hand(two, Opening(deal, {}, 1_000)).after(Event(1, "", "end won", None, 2_000))
        assert [hand.outcome_for(seat) for seat in outcomes] == ended


def test_engine_is_asked_for_its_robot():
    two = SimpleNamespace(
        start=lambda deal, options: deal,
        seats=lambda state: ("S", "N"),
        waiting_for=lambda state: ("S", "N"),
        engine_question=lambda state, seat, robot, seed: (
            f"{state} {seat} {robot} {seed}" if robot == "strong" else None
        ),
    )
    simple = Hand(two, Opening("deal", {"robots": {"N": "simple"}, "seed": "x"}, 1_000))
    assert (simple.engine_questions, simple.due_ms("N")) == ({}, 0)
    hand = Hand(two, Opening("deal", {"robots": {"N": "strong"}, "seed": "x"}, 1_000))
    assert hand.engine_questions == {"N": "deal N strong x"}
    assert (hand.due_ms("S"), hand.due_ms("N")) == (None, None)
    paused = hand.after(server_note("", PAUSE, 2_000))
    assert paused.engine_questions == {}
    assert paused.after(server_note("", RESUME, 3_000)).engine_questions == hand.engine_questions
    assert hand.after(Event(1, "", "end timeout", None, 2_000)).engine_questions == {}


# ---------------------------------------------------------------- messages to seats


def test_an_answer_holds_view_and_position():
    hand = fold(rules, played("U"))
    message = message_to_seat(hand, "solo", 7, 4_000)
    assert message == {
        "hand": 7,
        "next": 2,
        "clock": 3_000,
        "view": rules.view(hand.state, "solo"),
        "over": None,
        "result": None,
    }
    assert message_to_seat(hand, "solo", 7, 4_000, "No.") == {**message, "refused": "No."}


def test_final_message_has_outcome_and_score():
    message = message_to_seat(fold(rules, played("CTT")), "solo", 1, 4_000)
    assert message["over"] == "solved"
    assert message["result"] == {"score": 850, "parts": {"moves": 3, "seconds": 1.0}}


@given(openings, steps)
def test_messages_are_json_without_the_deal(opening, history):
    for record in walk(opening, history):
        message = message_to_seat(fold(rules, record), "solo", 1, 3_000)
        text = json.dumps(message)
        assert opening.deal not in text
        assert " ".join(opening.deal.split(" | ")[0].split()) not in text
        assert set(message) == {"hand", "next", "clock", "view", "over", "result"}


@pytest.mark.parametrize("row", ["end solved", "end timeout", "reconnect", "deal 2H"])
def test_a_browser_cannot_write_the_servers_own_rows(row):
    before = dealt()
    record, refused = say(before, row)
    assert refused
    assert not fold(rules, record).is_over
    record, refused = say(before, "U", traces=[(row, 5)])
    assert not refused
    assert [event.action for event in rows(record)] == ["U"]


def test_number_of_recorded_marks_is_limited(monkeypatch):
    monkeypatch.setattr(play_module, "MAX_LINES_WITH_ASIDES", 20)
    record = opening_record(Opening(triangle.deal("marks", {}), {}), 1_000)

    def send(record, action):
        hand = fold(triangle, record)
        events, refused = action_events(hand, "solo", Message(1, hand.next_number, action, 5), 2_000)
        return append_events(triangle, record, events), refused

    spare = next(iter(triangle.view(fold(triangle, record).state, "solo")["spares"]))
    for _time in range(30):
        for action in (f"mark {spare} 1", f"unmark {spare} 1"):
            record, refused = send(record, action)
    assert "too often" in refused
    assert len(rows(record)) == 20
    record, refused = send(record, triangle.legal_actions(fold(triangle, record).state, "solo")[0])
    assert refused == ""
    assert len(rows(record)) == 21


def noted(record, after_the_end=False):
    """Returns the events added when the page reports that the rules were opened."""
    draft = Draft(fold(rules, record))
    note_aside(draft, "solo", Message(1, note="rules", ms=700), 2_000, after_the_end)
    return draft.events


def test_aside_is_recorded_without_an_action_number():
    (event,) = noted(dealt())
    assert event == Event(None, "solo", "rules", 700, 2_000, None)


def test_asides_after_the_end_need_practice():
    ended = played("CTT")
    assert fold(rules, ended).is_over
    assert noted(ended) == []
    assert len(noted(ended, after_the_end=True)) == 1
