"""Tests hands with several seats: simultaneous choices, robots, absent players and departures."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_builder import action_events, append_events, due_events, fold, leaving_events, opening_record

from cardlab.core import hand_cache as folds_module
from cardlab.core import transitions as play_module
from cardlab.core.protocol import Message
from cardlab.core.transitions import message_to_seat
from cardlab.games.events import ABSENT, ARRIVE, AWAY, CLOCK_CHANGE, PERSON, Event, server_note
from cardlab.games.hand import History
from cardlab.games.matrix import rules
from cardlab.games.record import Opening, read_record
from cardlab.games.ttt import rules as target

SHOWN = 1_000
# S and W each hold four cards of the left column and three of the right.
DEAL = (
    "AS 2S 3H 4H 5C 6D 7D | AH 2H 3S 4S 5D 6C 7C | 8S 8H | 9S 9H | 8C 8D | 9C 9D | 10S 10H 10C 10D AC AD "
    "2C 2D 3C 3D 4C 4D 5S 5H 6S 6H 7S 7H JS JH JC JD QS QH QC QD KS KH KC KD"
)


class Table:
    """Plays a hand step by step as the server does, with a simulated clock."""

    def __init__(self, deal=DEAL, arrived="SW", **options):
        self.now = SHOWN
        options = {"seed": "test", "players": 2, **options}
        self.record = opening_record(Opening(deal, options), self.now)
        self.add([Event(None, seat, ARRIVE, None, self.now, None) for seat in arrived])

    @property
    def hand(self):
        return fold(rules, self.record)

    @property
    def events(self):
        return read_record(self.record)[1]

    def add(self, events):
        self.record = append_events(rules, self.record, events)
        self.record = append_events(rules, self.record, due_events(self.hand, self.now))

    def number(self, seat):
        return self.hand.seats[seat].next_number

    def send_action(self, seat, action, number=None):
        """Sends an action; returns the sentence of a refusal, or "" if it was accepted."""
        number = self.number(seat) if number is None else number
        events, refused = action_events(self.hand, seat, Message(1, number, action, 5), self.now)
        self.add(events)
        return refused

    def leave(self, seat, outcome="advanced"):
        self.add(leaving_events(self.hand, seat, outcome, self.now))

    def wait(self, seconds):
        self.now += int(1000 * seconds)
        self.add([])

    def sees(self, seat):
        said = message_to_seat(self.hand, seat, 1, self.now)
        return json.dumps({key: said[key] for key in said if key != "clock"})


# ---------------------------------------------------------------- simultaneous choices


@pytest.mark.parametrize("order", ["SW", "WS"])
def test_simultaneous_choices_are_both_accepted(order):
    table = Table()
    cards = {"S": "play AS", "W": "play 2H"}
    numbers = {seat: table.number(seat) for seat in order}
    assert [table.send_action(seat, cards[seat], numbers[seat]) for seat in order] == ["", ""]
    assert table.hand.state.turns[0].cards == ("AS", "2H")


@pytest.mark.parametrize("change_choice", [False, True])
def test_a_message_sent_twice_is_played_once(change_choice):
    table = Table(change_choice=change_choice)
    assert table.send_action("S", "play AS", 1) == ""
    assert table.number("S") == 2
    assert "board changed" in table.send_action("S", "play AS", 1)
    assert table.send_action("W", "play 2H", 1) == ""
    assert "board changed" in table.send_action("W", "play 2H", 1)
    assert [event.accepted for event in table.events if event.number].count(True) == 2


def test_late_change_is_refused():
    """The change is refused even if the card is still in hand and the seat must choose again."""
    table = Table(change_choice=True)
    table.send_action("S", "play AS")
    on_its_way = table.number("S")
    table.send_action("W", "play AH")
    while table.hand.state.rotator:
        table.send_action(table.hand.state.rotator, "keep")
    assert "S" in rules.waiting_for(table.hand.state)
    assert "board changed" in table.send_action("S", "play 2S", on_its_way)
    assert table.hand.state.choice is None


def test_a_change_after_a_rotation_is_refused():
    table = Table(
        "2S AS 3H 4H 5C 6D 7D | AH 2H 3S 4S 5D 6C 7C" + DEAL[DEAL.index(" | 8S") :], change_choice=True
    )
    table.send_action("S", "play AS")
    on_its_way = table.number("S")
    table.send_action("W", "play AH")
    assert table.hand.state.rotator == "W"
    assert table.send_action("S", "play 2S", on_its_way) != ""


@given(st.lists(st.sampled_from(DEAL.split(" | ")[0].split()), min_size=1, max_size=6))
def test_changes_of_a_choice_stay_secret(cards):
    changed, once = Table(change_choice=True), Table(change_choice=True)
    for card in cards:
        changed.send_action("S", f"play {card}")
    once.send_action("S", f"play {cards[-1]}")
    assert changed.sees("W") == once.sees("W")
    assert changed.number("W") == once.number("W") == 1


def test_changes_stay_secret_to_other_pairs():
    deal = rules.deal("four", {"players": 4})
    table = Table(deal, "SWNE", players=4, change_choice=True)
    first, second = table.hand.state.hand("S")[:2]
    table.send_action("S", f"play {first}")
    before = {seat: table.sees(seat) for seat in "WNE"}
    table.send_action("S", f"play {second}")
    assert {seat: table.sees(seat) for seat in "WNE"} == before


# ---------------------------------------------------------------- robots


@pytest.mark.parametrize("robot", ["random", "greedy", "best_response", "minimax"])
@pytest.mark.parametrize("change_choice", [False, True])
def test_robots_always_act_at_once(robot, change_choice):
    table = Table(arrived="S", robots={"W": robot}, change_choice=change_choice)
    for _message in range(100):
        if table.hand.is_over:
            break
        assert rules.waiting_for(table.hand.state) == ("S",)
        assert table.send_action("S", rules.legal_actions(table.hand.state, "S")[0]) == ""
    assert table.hand.outcome == "completed"
    robot_events = [event for event in table.events if event.seat == "W"]
    assert len(robot_events) >= 22
    assert all(event.client_ms is None and event.accepted for event in robot_events)


def test_three_robots_play_with_one_participant():
    robots = dict.fromkeys("SNE", "random")
    table = Table(rules.deal("four", {"players": 4}), "W", players=4, robots=robots)
    while not table.hand.is_over:
        assert table.send_action("W", rules.legal_actions(table.hand.state, "W")[0]) == ""
    assert len(table.hand.state.turns) == 22


def test_a_robot_plays_the_same_on_any_machine():
    tables = [Table(arrived="S", robots={"W": "random"}) for _ in range(2)]
    for table in tables:
        for _turn in range(5):
            table.send_action("S", rules.legal_actions(table.hand.state, "S")[0])
    assert tables[0].record == tables[1].record


# ---------------------------------------------------------------- absent players


def absences(table):
    """Returns the seats the server played for, each with the action that follows the note."""
    pairs = zip(table.events, table.events[1:])
    return [(note.seat, event.action) for note, event in pairs if note.action == "absent"]


def test_the_server_plays_when_the_limit_is_up():
    table = Table(turn_limit_seconds=30)
    table.send_action("S", "play AS")
    table.wait(29.999)
    assert absences(table) == []
    table.wait(0.001)
    ((seat, action),) = absences(table)
    assert seat == "W"
    assert action == rules.absent_action(rules.apply(start(), "S", "play AS"), "W", "test")
    assert len(table.hand.state.turns) == 1


def test_no_limit_applies_before_an_arrival():
    table = Table(arrived="S", turn_limit_seconds=30)
    assert table.hand.due_ms("W") is None


@pytest.mark.parametrize(("limit", "ms"), [(30, 1_000), (0.5, 500)])
def test_inactive_participant_has_a_second_at_most(limit, ms):
    hand = Table(turn_limit_seconds=limit).hand.after(server_note("S", AWAY, SHOWN))
    assert hand.due_ms("S") == SHOWN + ms


def test_limit_begins_with_server_whose_clock_is_back():
    table = Table(turn_limit_seconds=30)
    hand = table.hand.after(server_note("", f"{CLOCK_CHANGE}-900.0", SHOWN))
    started = SHOWN + 5_000 - 900_000  # by the new clock
    assert hand.due_ms("S", awake_ms=started) == SHOWN + 5_000 + 30_000


def test_history_says_who_acted():
    table = Table(turn_limit_seconds=30)
    table.send_action("S", "play AS")
    table.wait(30)
    opening, events = read_record(table.record)
    history = History.replay(rules, opening, events)
    assert history.hand == table.hand
    assert History.replay(rules, opening, ()).hand == history.dealt
    steps = history.steps
    assert [(step.event.seat, step.actor) for step in steps if step.is_action][:2] == [
        ("S", PERSON),
        ("W", ABSENT),
    ]


def start():
    return rules.start(DEAL, {"players": 2})


def test_an_absent_rotator_keeps_all_crosses():
    table = Table(turn_limit_seconds=30)
    table.send_action("S", "play AS")
    table.send_action("W", "play AH")
    rotator = table.hand.state.rotator
    table.wait(30)
    assert (rotator, "keep") in absences(table)


def test_the_limit_begins_anew_with_each_turn():
    table = Table(turn_limit_seconds=30)
    for _turn in range(3):
        table.wait(20)
        for seat in "SW":
            table.send_action(seat, rules.legal_actions(table.hand.state, seat)[0])
        if table.hand.state.rotator:
            table.wait(20)
            table.send_action(table.hand.state.rotator, "keep")
    assert absences(table) == []


def test_a_late_arrival_gets_the_whole_limit():
    table = Table(arrived="S", turn_limit_seconds=10, gather_seconds=60)
    table.wait(59)
    assert {seat for seat, _action in absences(table)} == {"S"}
    table.add([Event(None, "W", ARRIVE, None, table.now, None)])
    table.wait(9)
    assert {seat for seat, _action in absences(table)} == {"S"}
    table.wait(1)
    assert {seat for seat, _action in absences(table)} == {"S", "W"}


def test_arrival_time_is_granted_once():
    table = Table(arrived="S", turn_limit_seconds=10, gather_seconds=60)
    while not any(seat == "W" for seat, _action in absences(table)):
        table.wait(1)
    began = table.now
    while not table.hand.is_over:
        table.wait(1)
    assert table.now - began < 22 * 2 * 11_000


def test_without_a_limit_everybody_waits():
    table = Table(arrived="S", gather_seconds=60)
    table.send_action("S", "play AS")
    table.wait(1_000_000)
    assert absences(table) == []


def test_server_downtime_is_no_absence():
    hand, started = Table(turn_limit_seconds=30).hand, SHOWN + 100_000
    assert due_events(hand, started + 29_999, started) == []
    assert {event.seat for event in due_events(hand, started + 30_000, started)} == {"S", "W"}


def test_an_answer_says_who_is_away():
    table = Table(arrived="S", turn_limit_seconds=10, gather_seconds=60)
    said = [message_to_seat(table.hand, seat, 1, table.now)["wait"] for seat in "SW"]
    assert said == [{"ms": 10_000, "away": ["W"]}, {"ms": 60_000, "away": ["W"]}]
    table.send_action("S", "play AS")
    table.wait(20)
    assert message_to_seat(table.hand, "S", 1, table.now)["wait"] == {"ms": 40_000, "away": ["W"]}


# ---------------------------------------------------------------- departures


def test_the_other_plays_on_after_an_advance():
    table = Table()
    table.send_action("S", "play AS")
    table.send_action("W", "play 2H")
    if table.hand.state.rotator:
        table.send_action(table.hand.state.rotator, "keep")
    table.leave("S")
    result = table.hand.result("S")
    assert (result.outcome, table.hand.outcome) == ("advanced", "open")
    assert table.hand.is_over_for("S")
    assert not table.hand.is_over_for("W")
    while not table.hand.is_over:
        assert table.send_action("W", rules.legal_actions(table.hand.state, "W")[0]) == ""
    assert table.hand.result("S") == result  # by the cards collected when the player left
    assert table.hand.result("W").outcome == "completed"
    assert len(absences(table)) >= 21


def test_a_participant_who_left_cannot_act():
    table = Table()
    table.leave("S")
    assert table.send_action("S", "play AS") == "This hand is over."


@pytest.mark.parametrize("order", ["SW", "WS"])
def test_the_last_to_leave_closes_the_hand(order):
    table = Table()
    for seat in order:
        table.leave(seat)
    assert table.hand.outcome == "advanced"
    assert [event.action for event in table.events][-1] == "end advanced"
    table.leave(order[0])
    assert [event.action for event in table.events].count("end advanced") == 1


def test_clock_starts_when_the_remaining_player_arrives():
    table = Table(arrived="")
    table.record = opening_record(Opening(DEAL, {"seed": "test", "players": 2}), None)
    table.leave("S")
    assert table.hand.shown_ms is None
    table.wait(5)
    table.add([Event(None, "W", ARRIVE, None, table.now, None)])
    assert (table.hand.shown_ms, message_to_seat(table.hand, "W", 1, table.now)["clock"]) == (
        SHOWN + 5_000,
        0,
    )
    while not table.hand.is_over:
        table.wait(1)
        assert table.send_action("W", rules.legal_actions(table.hand.state, "W")[0]) == ""
    assert table.hand.seconds("W") > 5


def test_with_robots_a_participant_plays_alone():
    table = Table(arrived="S", robots={"W": "greedy"})
    table.leave("S")
    assert table.hand.outcome == "advanced"


def test_a_time_limit_ends_the_whole_hand():
    table = Table()
    table.leave("W", "timeout")
    assert (table.hand.result("S").outcome, table.hand.result("W").outcome) == ("timeout", "timeout")


# ---------------------------------------------------------------- random play

steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from("SWNE"), st.integers(0, 6), st.sampled_from([0, 0, 0, -1, 1])),
        st.sampled_from([("wait", 5), ("wait", 40)]),
        st.tuples(st.just("leave"), st.sampled_from("SWNE")),
    ),
    max_size=60,
)
tables = st.fixed_dictionaries(
    {
        "players": st.sampled_from([2, 4]),
        "pack": st.sampled_from(["standard", "special"]),
        "change_choice": st.booleans(),
        "turn_limit_seconds": st.sampled_from([0, 30]),
        "gather_seconds": st.sampled_from([0, 60]),
        "robots": st.sampled_from([{}, {"W": "random"}, {"S": "best_response"}]),
    }
)


@given(tables, st.integers(0, 99), steps)
def test_the_cached_hand_is_the_folded_record(options, seed, history):
    table = Table(rules.deal(str(seed), options), arrived="S", **options)
    seats = rules.seats(table.hand.state)
    for what, *how in history:
        if what == "wait":
            table.wait(*how)
        elif what == "leave" and how[0] in seats and how[0] not in options["robots"]:
            table.leave(*how)
        elif what in seats and what not in options["robots"]:
            choose, off = how
            legal = rules.legal_actions(table.hand.state, what) or ["keep"]
            table.send_action(what, legal[choose % len(legal)], max(0, table.number(what) + off))
    remembered = table.hand
    folds_module._cache.clear()
    assert fold(rules, table.record) == remembered
    numbers = [event.number for event in table.events if event.accepted]
    assert numbers == list(range(1, len(numbers) + 1))
    if not remembered.is_over:
        assert set(rules.waiting_for(remembered.state)) <= set(remembered.human_seats)


# ---------------------------------------------------------------- missed turns


def away(table):
    return {seat for seat, place in table.hand.seats.items() if place.away}


def miss(table, here=""):
    """Lets W miss one turn while S plays; returns the seconds that the server waited for W."""
    while "W" not in rules.waiting_for(table.hand.state):
        assert table.send_action("S", rules.legal_actions(table.hand.state, "S")[-1]) == ""
    began, due = table.now, table.hand.due_ms("W")
    if "S" in rules.waiting_for(table.hand.state):
        assert table.send_action("S", rules.legal_actions(table.hand.state, "S")[-1]) == ""
    table.now = int(due)
    table.record = append_events(rules, table.record, due_events(table.hand, table.now, here=here))
    return (table.now - began) / 1000


def test_nobody_waits_after_two_missed_limits():
    table = Table(turn_limit_seconds=30, absent_after=2)
    assert (miss(table), away(table)) == (30, set())
    assert (miss(table), away(table)) == (30, {"W"})
    assert json.loads(table.sees("S"))["wait"]["away"] == ["W"]
    assert (miss(table), miss(table), away(table)) == (1, 1, {"W"})
    table.add([Event(None, "W", "back", None, table.now, None)])
    assert json.loads(table.sees("S"))["wait"]["away"] == []
    assert (miss(table), away(table)) == (30, set())
    notes = [event.action for event in table.events if event.accepted is None and event.seat == "W"]
    assert notes == ["arrive", "absent", "absent", "away", "absent", "absent", "back", "absent"]


def test_a_connected_idle_participant_is_waited_for():
    table = Table(turn_limit_seconds=30, absent_after=2)
    assert [miss(table, here="SW") for _turn in range(4)] == [30] * 4
    assert away(table) == set()
    assert (miss(table), away(table)) == (30, {"W"})


@pytest.mark.parametrize("options", [{}, {"absent_after": 0}])
def test_without_the_setting_everybody_waits(options):
    table = Table(turn_limit_seconds=30, **options)
    assert [miss(table) for _turn in range(4)] == [30] * 4
    assert away(table) == set()


def test_acting_resets_the_missed_limits():
    table = Table(turn_limit_seconds=30, absent_after=2)
    miss(table)
    while "W" not in rules.waiting_for(table.hand.state):
        table.send_action("S", rules.legal_actions(table.hand.state, "S")[-1])
    assert table.hand.seats["W"].missed_limits == 1
    assert table.send_action("W", rules.legal_actions(table.hand.state, "W")[0]) == ""
    assert table.hand.seats["W"].missed_limits == 0


# ---------------------------------------------------------------- limits on stored changes


def test_number_of_recorded_changes_is_limited(monkeypatch):
    monkeypatch.setattr(play_module, "MAX_LINES_WITH_ASIDES", 20)
    table = Table(change_choice=True)
    changes = [table.send_action("S", f"play {card}") for card in ["AS", "2S"] * 20]
    assert changes[:10] == [""] * 10
    assert "too often" in changes[-1]
    assert len(table.events) <= 21
    assert table.send_action("W", "play AH") == ""  # play goes on
    while table.hand.state.rotator:
        assert table.send_action(table.hand.state.rotator, "keep") == ""
    assert len(table.hand.state.turns) == 1


@pytest.mark.parametrize(("early", "moved"), [(True, False), (True, True), (False, False)])
def test_attempt_before_ones_turn_leaves_a_row(early, moved):
    """It does so even if the turn has come meanwhile, because the player saw an older board."""
    record = opening_record(Opening("3H 2C 2H 4C 4H 3C | 2H | ck", {"players": 2}), SHOWN)
    record = append_events(
        target, record, [Event(None, seat, ARRIVE, None, SHOWN, None) for seat in ("ck", "nk")]
    )
    if moved:
        record = append_events(target, record, [Event(1, "ck", "U", 5, SHOWN)])
    for attempt in range(play_module.MAX_REFUSED + 5):
        hand = fold(target, record)
        events, refused = action_events(hand, "nk", Message(1, 1, "U", attempt, early=early), SHOWN)
        assert refused
        record = append_events(target, record, events)
    hand = fold(target, record)
    assert hand.state.sequence == ("U" if moved else "")
    assert hand.seats["nk"].refused == play_module.MAX_REFUSED
    reason = "The board changed." if moved else "It is your partner’s turn."
    assert [event for event in read_record(record)[1] if event.accepted is False][0].reason.startswith(reason)
