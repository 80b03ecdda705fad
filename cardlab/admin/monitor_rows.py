"""The rows of the tab "Progress", their cells, and their order by urgency."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from cardlab.core import clock
from cardlab.games.hand import Hand
from cardlab.live.lab import LAB
from cardlab.live.presence import AWAY, GONE
from cardlab.live.seat import Seat

STUCK_REFUSALS = 5  # refused moves in one hand: the participant seems to be stuck
INACTIVE_SECONDS = 120

# The order of the table, as `urgency` computes it.
RULE = (
    "The participant asks for help.",
    "Others are waiting for the participant, who is disconnected or has another window in front.",
    "The server has a warning about the participant.",
    "The participant is disconnected.",
    f"The server rejected {STUCK_REFUSALS} or more moves in the current hand.",
    f"The participant has been inactive for {INACTIVE_SECONDS // 60} minutes.",
    "The participant has another window in front.",
    "All others, by number.",
    "Participants who have not arrived, dropped out or finished.",
)


class ParticipantRow(NamedTuple):
    """A participant's row in oTree's table."""

    id: int
    number: int
    code: str
    label: str | None
    visited: bool
    page_index: int
    last_index: int
    app: str | None
    page: str | None
    page_since: int | None
    points: Any
    status: str


class Position(NamedTuple):
    """Facts that depend on a participant's page, looked up when they reach it."""

    code: str
    page_index: int
    app: str
    seat: Seat | None
    waits: bool
    group: str
    treatment: str
    round_number: int | None
    subsession: int | None = None  # on a waiting page, the id of its subsession


class HelpRequest(NamedTuple):
    """A participant's open request for help: its number, the seconds since it was sent, and its text."""

    number: int
    seconds: int
    text: str


class Row(NamedTuple):
    """A participant in the table.

    ``silent``: seconds since the last action; None while they wait. ``stage``: ``not come``, ``playing``,
    ``dropped out``, ``finished``, or the status of an early end. ``unread``: the number of unconfirmed
    messages. ``notices``: the server's. On a waiting page, ``waits`` has the seconds of waiting and
    ``waits_for`` the numbers of the missing participants; elsewhere they are None and empty. After
    ``waits_left`` seconds (None: no limit), ``then`` applies, a value of ``no_shows``.
    """

    code: str
    number: int
    label: str
    treatment: str
    group: str
    page: str
    hand: str
    moves: int | None
    refused: int
    score: str
    points: str
    silent: int | None
    connection: str
    others_wait: bool
    paused: bool
    stage: str
    replay: bool
    unread: int
    notices: list[str]
    waits: int | None = None
    waits_for: tuple[int, ...] = ()
    waits_left: int | None = None
    then: str = ""
    help: HelpRequest | None = None


def urgency(row: Row) -> int:
    """Returns a participant's place in the order of :data:`RULE`, from 0.

    It is 8 if nothing applies, and 9 for participants who are not playing.
    """
    if row.help:
        return 0
    if row.stage != "playing":
        return 9
    rules = (
        row.others_wait and row.connection != "here",
        bool(row.notices),
        row.connection == GONE,
        row.refused >= STUCK_REFUSALS,
        row.silent is not None and row.silent >= INACTIVE_SECONDS and not row.paused,
        row.connection == AWAY,
    )
    return next((number for number, applies in enumerate(rules, 1) if applies), 8)


def sort_by_urgency(rows: Iterable[Row]) -> list[Row]:
    """Sorts by urgency, then by number, so that the order is stable."""
    return sorted(rows, key=lambda row: (urgency(row), row.number))


# ------------------------------------------------------------------ cells


def page_name(person: ParticipantRow) -> str:
    """Returns the app and name of a participant's page."""
    if person.page_index == 0:
        return "not started"
    if person.page_index > person.last_index:
        return "after the last page"
    return f"{(person.app or '').removesuffix('_app')}: {person.page}"


def hand_name(hand: Hand | None, seat: Seat | None) -> str:
    """Returns a text such as ``practice 1 of 2``; ``instructions`` for their practice board."""
    if hand is None or seat is None:
        return ""
    if not seat.hand_number:
        return "instructions"
    opening = hand.opening
    return f"{'practice ' if opening.practice else ''}{opening.number} of {opening.of}"


def seconds_inactive(person: ParticipantRow, position: Position, hand: Hand | None) -> int | None:
    """Returns the seconds since the last page or action; None if the participant has to wait.

    For a time after now, from before somebody set the clock back, the server's start counts.
    """
    if position.waits or person.page_since is None or not 0 < person.page_index <= person.last_index:
        return None
    now, times_ms = clock.now_ms(), [1000 * person.page_since]
    if hand and position.seat and (acted_ms := hand.seats[position.seat.name].last_acted_ms):
        times_ms.append(acted_ms - hand.clock_behind_ms)
    last_ms = max(ms if ms <= now else clock.STARTED_MS for ms in times_ms)
    return max(0, round((now - last_ms) / 1000))


def connection_state(person: ParticipantRow, seat: Seat | None) -> str:
    """Returns ``here``, ``away`` or ``gone``."""
    if seat and seat.name in LAB.hub.silent_seats(seat.key.hand):
        return GONE
    state: str = LAB.presence.connection(person.code)
    return state


def stage_of(person: ParticipantRow, has_dropped_out: bool) -> str:
    """Returns a participant's stage (:class:`Row`)."""
    if person.page_index > person.last_index or person.status == "finished":
        return person.status or "finished"
    if has_dropped_out:
        return "dropped out"
    return "playing" if person.visited and person.page_index else "not come"
