"""Tests that an online rehearsal finds each kind of broken promise."""

from types import SimpleNamespace

import pytest

from cardlab.rehearsal.figures import Acknowledged
from cardlab.rehearsal.promises import Outcome, broken_promises, unfilled_places
from cardlab.rehearsal.visitor import Waited

CODES = {"finished": "DONE", "no partner": "ALONE"}


def visitor(label="PID-1", seats=("s1",), codes=("DONE",), waits=(), arrived=0.0, closed=None, left=False):
    interruptions = SimpleNamespace(away_for=600.0)
    return SimpleNamespace(
        **{"label": label, "seats": {*seats}, "codes": {*codes}, "waits": [*waits]},
        **{"arrived_at": arrived, "closed_at": closed, "has_left": left, "interruptions": interruptions},
    )


def payment(label="PID-1", status="finished", treatment="", points="0", code="s1"):
    return {
        **{"participant_label": label, "status": status, "treatment": treatment},
        **{"app_points": points, "participant_code": code},
    }


def action(number, text, code="s1"):
    return {
        **{"participant_code": code, "hand": "1", "hand_id": "app-1", "action_number": str(number)},
        **{"action": text, "accepted": "1"},
    }


def kept(**changes):
    outcome = {
        **{"visitors": [visitor()], "payments": [payment()], "hands": {"app": []}, "actions": []},
        **{"acknowledged": [], "codes": CODES, "lost_after": 120.0, "slack": 1.0},
        **changes,
    }
    return {
        promise: failures for promise, failures in broken_promises(Outcome(**outcome)).items() if failures
    }


def test_kept_promises_are_not_reported():
    assert kept() == {}


@pytest.mark.parametrize(("total", "away", "is_kept"), [(65, 0, True), (67, 0, False), (97, 31, True)])
def test_too_long_a_wait_is_found(total, away, is_kept):
    """The wait may be longer by a poll, the slowest page and the time without a connection."""
    broken = kept(visitors=[visitor(waits=[Waited("PID-1", total, 60, away)])])
    assert (broken == {}) == is_kept
    assert is_kept or broken["Nobody waits longer than promised"] == [
        "PID-1 waited 67 s, of which 0 s without a connection, instead of 60 s."
    ]


@pytest.mark.parametrize(
    ("codes", "status"), [((), "finished"), (("DONE", "ALONE"), "finished"), (("DONE",), "no partner")]
)
def test_missing_second_and_wrong_codes_are_found(codes, status):
    (promise,) = kept(visitors=[visitor(codes=codes)], payments=[payment(status=status)])
    assert promise == "Everybody who stays ends with exactly one code"


def test_shared_and_changed_seats_are_found():
    people = [visitor("PID-1", ("s1", "s2")), visitor("PID-2", ("s2",))]
    broken = kept(visitors=people, payments=[payment("PID-1"), payment("PID-2", code="s2")])
    assert broken == {
        "No two people share a seat, and nobody changes seats": [
            "PID-1 had the seats s1, s2.",
            "PID-1 and PID-2 shared s2.",
        ]
    }


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ([action(1, "C"), action(2, "'=T")], []),
        ([action(1, "C")], ["=T of s1 in hand 1 is not recorded."]),
        ([action(1, "'=T"), action(2, "C")], ["=T of s1 in hand 1 is not recorded."]),
        ([action(1, "C"), action(1, "C"), action(2, "=T")], ["Action 1 of app-1 is recorded twice."]),
    ],
)
def test_lost_and_doubled_actions_are_found(recorded, said):
    confirmed = [Acknowledged("s1", 1, "C"), Acknowledged("s1", 1, "=T")]
    assert [*kept(actions=recorded, acknowledged=confirmed).values()] == ([said] if said else [])


def test_pay_without_a_hand_is_found():
    hands = [{"participant_code": "s1", "payoff": "3"}, {"participant_code": "s1", "payoff": ""}]
    assert kept(payments=[payment(points="3")], hands={"app": hands}) == {}
    (failures,) = kept(payments=[payment(points="4")], hands={"app": hands}).values()
    assert failures == ["PID-1 is paid 4 points in app, but the hands are worth 3."]


def test_unbalanced_treatments_are_found():
    labels = [f"PID-{number}" for number in range(4)]
    people = [visitor(label, (label,)) for label in labels]
    rows = [payment(label, "finished", "a" if label != "PID-3" else "b", code=label) for label in labels]
    (failures,) = kept(visitors=people, payments=rows).values()
    assert failures == ["a 3, b 1; a difference of 1 is allowed."]
    lost = visitor("PID-4", ("PID-4",), (), arrived=1.0, closed=2.0, left=True)
    unfinished = payment("PID-4", "", "b", code="PID-4")
    assert kept(visitors=[*people, lost], payments=[*rows, unfinished]) == {}


def test_lost_places_are_filled_by_later_visitors():
    lost = [visitor(arrived=0.0, closed=10.0, left=True), visitor(arrived=0.0, closed=20.0, left=True)]
    assert unfilled_places(lost, 120) == 2
    assert unfilled_places([*lost, visitor(arrived=135.0)], 120) == 1
    assert unfilled_places([*lost, visitor(arrived=135.0), visitor(arrived=141.0)], 120) == 0
    assert unfilled_places([visitor(closed=10.0), visitor(arrived=131.0)], 120) == 1  # one came back
