"""Checks after an online rehearsal that the study kept its promises to participants."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cardlab.rehearsal.figures import Acknowledged
from cardlab.rehearsal.participant import POLL_INTERVAL
from cardlab.rehearsal.visitor import Visitor

TOLERANCE = 0.005  # of points

# The config's field with the code of each way to end, by oTree's ``participant.status``.
CODE_FIELDS = {
    "finished": "completion_code",
    "no partner": "waiting_code",
    "refused": "refused_code",
    "screened out": "screened_out_code",
    "left": "left_code",
    "late": "late_code",
    "excluded": "excluded_code",
}

Row = Mapping[str, str]


class Outcome(NamedTuple):
    """The data of a finished online rehearsal.

    Attributes:
        visitors: All who opened the link.
        payments: The table of payments.
        hands: The table of hands of each app.
        actions: The tables of actions of all apps, one after another.
        acknowledged: The actions that the server confirmed to a browser.
        codes: The completion code for each ``participant.status``.
        lost_after: Seconds without a connection after which the server counts a visitor as lost.
        slack: The longest time of a page or poll, in seconds.
    """

    visitors: Sequence[Visitor]
    payments: Sequence[Row]
    hands: Mapping[str, Sequence[Row]]
    actions: Sequence[Row]
    acknowledged: Sequence[Acknowledged]
    codes: Mapping[str, str]
    lost_after: float
    slack: float


def broken_promises(outcome: Outcome) -> dict[str, list[str]]:
    """Returns each promise with one sentence per violation."""
    return {
        "Nobody waits longer than promised": _too_long_waits(outcome.visitors, outcome.slack),
        "Everybody who stays ends with exactly one code": _wrong_codes(outcome),
        "No two people share a seat, and nobody changes seats": _shared_seats(outcome.visitors),
        "Every confirmed action is in the record, once and in its place": lost_actions(
            outcome.acknowledged, outcome.actions
        ),
        "Every paid point belongs to a recorded hand": _unrecorded_pay(outcome),
        "Treatments are balanced to within one block, except for places that nobody filled": _unbalanced(
            outcome
        ),
    }


def _too_long_waits(visitors: Iterable[Visitor], slack: float) -> list[str]:
    max_excess = POLL_INTERVAL + slack
    return [
        f"{wait.label} waited {wait.total:.0f} s, of which {wait.away:.0f} s without a connection, "
        f"instead of {wait.longest:.0f} s."
        for visitor in visitors
        for wait in visitor.waits
        if wait.total > wait.longest + wait.away + max_excess
    ]


def _wrong_codes(outcome: Outcome) -> list[str]:
    statuses = {row["participant_label"]: row["status"] for row in outcome.payments}
    problems = []
    for visitor in outcome.visitors:
        expected_code = outcome.codes.get(statuses.get(visitor.label, ""), "")
        if not visitor.has_left and visitor.codes != {expected_code}:
            seen_codes = ", ".join(sorted(visitor.codes)) or "none"
            problems.append(f"{visitor.label} ({statuses.get(visitor.label, 'no slot')}) saw {seen_codes}.")
    return problems


def _shared_seats(visitors: Iterable[Visitor]) -> list[str]:
    labels_by_seat: dict[str, list[str]] = defaultdict(list)
    problems = []
    for visitor in visitors:
        if len(visitor.seats) > 1:
            problems.append(f"{visitor.label} had the seats {', '.join(sorted(visitor.seats))}.")
        for seat in visitor.seats:
            labels_by_seat[seat].append(visitor.label)
    shared = [
        f"{' and '.join(labels)} shared {seat}." for seat, labels in labels_by_seat.items() if len(labels) > 1
    ]
    return problems + shared


def lost_actions(acknowledged: Iterable[Acknowledged], actions: Iterable[Row]) -> list[str]:
    """Finds confirmed actions that the record lacks or has in another order, and duplicate numbers.

    Args:
        acknowledged: The confirmed actions, in the order of their confirmation.
        actions: The rows of the table of actions.

    Returns:
        A sentence for each such action.
    """
    recorded: dict[tuple[str, str], list[str]] = defaultdict(list)
    numbers: Counter[tuple[str, str]] = Counter()
    for row in actions:
        if row["accepted"] == "1":
            recorded[row["participant_code"], row["hand"]].append(row["action"].lstrip("'"))
            numbers[row["hand_id"], row["action_number"]] += 1
    problems = [
        f"Action {number} of {hand} is recorded twice." for (hand, number), n in numbers.items() if n > 1
    ]
    # A search in an iterator continues where the previous one ended, so it checks the order too.
    unread = {hand: iter(actions) for hand, actions in recorded.items()}
    for action in acknowledged:
        if action.action not in unread.get((action.participant_code, str(action.hand)), iter(())):
            problems.append(
                f"{action.action} of {action.participant_code} in hand {action.hand} is not recorded."
            )
    return problems


def _unrecorded_pay(outcome: Outcome) -> list[str]:
    problems = []
    for app, hands in outcome.hands.items():
        points: dict[str, float] = defaultdict(float)
        for row in hands:
            points[row["participant_code"]] += float(row["payoff"] or 0)
        for row in outcome.payments:
            paid_points, earned_points = float(row.get(f"{app}_points") or 0), points[row["participant_code"]]
            if abs(paid_points - earned_points) > TOLERANCE:
                problems.append(
                    f"{row['participant_label']} is paid {paid_points:g} points in {app}, "
                    f"but the hands are worth {earned_points:g}."
                )
    return problems


def _unbalanced(outcome: Outcome) -> list[str]:
    counts = treatment_counts(outcome.payments)
    treatments = sorted({row["treatment"] for row in outcome.payments} - {""})
    spread = max((counts[name] for name in treatments), default=0) - min(
        (counts[name] for name in treatments), default=0
    )
    max_difference = 1 + unfilled_places(outcome.visitors, outcome.lost_after)
    numbers = ", ".join(f"{name} {counts[name]}" for name in treatments)
    return [f"{numbers}; a difference of {max_difference} is allowed."] if spread > max_difference else []


def unfilled_places(visitors: Iterable[Visitor], lost_after: float) -> int:
    """Returns how many places of lost visitors stayed empty, or were filled before the visitor returned.

    A visitor counts as lost ``lost_after`` seconds after closing the browser. The next arrival fills the
    place.
    """
    arrivals = [(visitor.arrived_at, -1) for visitor in visitors]
    losses = [(visitor.closed_at + lost_after, 1) for visitor in visitors if visitor.closed_at is not None]
    unfilled = 0
    for _moment, change in sorted(arrivals + losses):
        unfilled = max(0, unfilled + change)
    returned = [
        visitor
        for visitor in visitors
        if visitor.closed_at and not visitor.has_left and visitor.interruptions.away_for > lost_after
    ]
    return unfilled + len(returned)


def treatment_counts(payments: Iterable[Row]) -> Counter[str]:
    """Returns the number of participants who finished in each treatment."""
    return Counter(row["treatment"] for row in payments if row["status"] == "finished" and row["treatment"])
