"""Tests paused hands and participants who have dropped out."""

from hypothesis import given
from hypothesis import strategies as st
from test_several_seats import SHOWN, Table

from cardlab.games.events import BACK, DROPPED_OUT, PAUSE, RESUME, Event, server_note
from cardlab.games.hand import Hand
from cardlab.games.matrix import rules
from cardlab.games.ttt import rules as ttt
from cardlab.games.ttt.keeper_log.writing import HandWriter
from cardlab.games.ttt.solver import shortest

LIMIT = 30


def shifted(events, pauses):
    """Returns the events delayed by pauses, with the notes of these, and the total delay in ms. Each pause is
    (number of events before it, ms)."""
    late, notes = 0, []
    for number, event in enumerate(events):
        for place, ms in pauses:
            if place == number:
                begun = notes[-1].server_ms if notes else SHOWN
                notes += [server_note("S", PAUSE, begun), server_note("S", RESUME, begun + ms)]
                late += ms
        notes.append(event._replace(server_ms=event.server_ms + late))
    return notes, late


@given(
    st.lists(st.integers(0, 20_000), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 100_000)), max_size=4),
)
def test_pauses_do_not_change_counted_times(gaps, pauses):
    table = Table(turn_limit_seconds=LIMIT)
    for gap in gaps:
        table.now += gap
        (seat, *_others) = rules.waiting_for(table.hand.state)
        table.send_action(seat, rules.legal_actions(table.hand.state, seat)[0])
    table.add([Event(table.hand.next_number, "", "end timeout", None, table.now)])
    events, plain = table.events, table.hand
    shifted_events, late = shifted(events, pauses)
    paused = Hand(rules, plain.opening).after_all(shifted_events)
    assert paused.state == plain.state
    assert [paused.seconds(seat) for seat in "SW"] == [plain.seconds(seat) for seat in "SW"]
    assert paused.ended_ms == plain.ended_ms + late
    for many in range(len(shifted_events)):
        hand = Hand(rules, plain.opening).after_all(shifted_events[:many])
        if hand.paused_ms is not None:
            assert [hand.due_ms(seat) for seat in "SW"] == [None, None]
    for many in range(len(events)):  # later pauses postpone earlier deadlines
        before = Hand(rules, plain.opening).after_all(events[:many])
        now = max(before.latest_ms, SHOWN)
        after = before.after_all([server_note("S", PAUSE, now), server_note("S", RESUME, now + 5_000)])
        for seat in "SW":
            due = before.due_ms(seat)
            assert after.due_ms(seat) == (due if due is None else due + 5_000)


def test_overlapping_pauses_count_once_until_the_end():
    hand = Table().hand.after_all(
        [server_note("S", PAUSE, SHOWN + 1_000), server_note("W", PAUSE, SHOWN + 5_000)]
    )
    assert hand.after(Event(1, "", "end advanced", None, SHOWN + 9_000)).seconds("S") == 1
    left = hand.after(server_note("S", "leave advanced", SHOWN + 9_000))
    assert left.seconds("S") == 1
    assert left.after(server_note("W", RESUME, SHOWN + 20_000)).seconds("S") == 1


def test_a_pause_lengthens_no_later_limit():
    table = Table(turn_limit_seconds=LIMIT)
    seat = rules.waiting_for(table.hand.state)[0]
    table.add([server_note(seat, PAUSE, SHOWN + 1_000), server_note(seat, RESUME, SHOWN + 61_000)])
    table.now = SHOWN + 62_000
    table.add([server_note(seat, BACK, table.now)])  # the seat's limit starts again after the pause
    assert table.hand.due_ms(seat) == table.now + 1000 * LIMIT
    begun = SHOWN + 31_000  # in the middle of the pause, of which only the rest counts
    assert table.hand.paused_ms_between(begun) == 30_000
    assert table.hand.active_ms(begun, SHOWN + 62_000) == 1_000
    assert table.hand.due_ms(seat, awake_ms=begun) == table.now + 1000 * LIMIT


def test_a_turn_after_a_pause_has_one_limit():
    table = Table(turn_limit_seconds=LIMIT)
    table.add([server_note("S", PAUSE, SHOWN + 1_000), server_note("S", RESUME, SHOWN + 61_000)])
    table.now = SHOWN + 62_000
    while table.hand.state.turns == ():
        seat = rules.waiting_for(table.hand.state)[0]
        table.send_action(seat, rules.legal_actions(table.hand.state, seat)[0])
    for seat in rules.waiting_for(table.hand.state):
        assert table.hand.due_ms(seat) == table.now + 1000 * LIMIT


def test_the_server_plays_for_a_dropout_at_once():
    table = Table(turn_limit_seconds=LIMIT)
    waited = rules.waiting_for(table.hand.state)
    (seat, other) = waited[0], next(one for one in "SW" if one != waited[0])
    gone = table.hand.after(server_note(seat, DROPPED_OUT, table.now))
    assert gone.due_ms(seat) == 0
    assert seat in gone.away_seats()
    back = gone.after(server_note(seat, BACK, table.now + 1))
    assert back.due_ms(seat) == table.now + 1 + 1000 * LIMIT
    nobody = gone.after(server_note(other, DROPPED_OUT, table.now))
    assert nobody.due_ms(seat) != 0, "a hand at which nobody is left does not play itself"


def test_a_hand_counts_what_its_participants_did():
    table = Table()
    seat = rules.waiting_for(table.hand.state)[0]
    assert table.send_action(seat, "nonsense")
    assert not table.send_action(seat, rules.legal_actions(table.hand.state, seat)[0])
    place = table.hand.seats[seat]
    assert (place.moves, place.refused, place.last_acted_ms) == (1, 1, table.now)


def test_the_log_leaves_out_pauses():
    options = {"seed": "x", "pay_by": "time"}
    deal = ttt.deal("x", options)
    start = ttt.start(deal, {**ttt.DEFAULT_OPTIONS, **options})
    solution = shortest(start.layout, start.goal, start.turn)
    moves = [Event(number, "solo", move, 5, 1_000) for number, move in enumerate(solution, 1)]
    pause = [server_note("solo", PAUSE, 10_000), server_note("solo", RESUME, 70_000)]

    def score(*events):
        writer = HandWriter("ck", 1, deal, start.options, 0)
        *_earlier, last = [line for event in events for line in writer.event_lines(event) if ":GE:" in line]
        return last.partition(";")[2]

    played = score(*moves, Event(9, "", "end solved", None, 20_000))
    assert score(*moves, *pause, Event(9, "", "end solved", None, 80_000)) == played
    assert not played.startswith("0:")
