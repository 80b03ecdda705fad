"""Reads the rows of the tab "Progress", which shows each participant's position and who needs help.

A thread reads over its own connection, without oTree's lock, at most every 1.5 seconds and only while the
page is open. Hands come from the cache (:mod:`cardlab.core.hand_cache`); others, as after a restart, are
folded from their records, a few per reading. Facts that depend on a participant's page are looked up once per
page.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import inf
from typing import Any

from otree.api import WaitPage
from otree.lookup import get_page_lookup
from otree.models import Participant

from cardlab.admin.monitor_rows import (
    HelpRequest,
    ParticipantRow,
    Position,
    Row,
    connection_state,
    hand_name,
    page_name,
    seconds_inactive,
    sort_by_urgency,
    stage_of,
    urgency,
)
from cardlab.core import clock, hand_cache
from cardlab.games.hand import Hand
from cardlab.games.number_format import plain
from cardlab.groups.waiting_room import Wait
from cardlab.guard.rate_limits import LimitedClient
from cardlab.live import notices
from cardlab.live import seat as seats
from cardlab.live.lab import LAB
from cardlab.live.seat import Seat
from cardlab.pages.waiting_page import GatherPage
from cardlab.sessions import treatments

CACHE_SECONDS = 1.5  # all open pages share a reading for this time
# The thread sleeps after so many rows (0.3 ms). The event loop takes the GIL a dozen times per
# move and would otherwise wait up to a millisecond each time.
ROWS_AT_A_TIME, SLEEP = 5, 0.001
MAX_LOOKUP_SECONDS = 0.7  # per reading, for look-ups and folding; the rest follows in the next reading

OTHER_BROWSER_WAITS = "another browser is trying to open this seat"
SEAT_RELEASED = "another browser may open this seat"

_SESSION = "SELECT id, comment FROM otree_session WHERE code = :code"
_PARTICIPANTS = """
    SELECT id, id_in_session, code, label, visited, _index_in_pages, _max_page_index,
        _current_app_name, _current_page_name, _last_page_timestamp, payoff, status
    FROM otree_participant WHERE session_id = :session_id AND status <> 'withdrawn' ORDER BY id_in_session
"""
_WITHDRAWN = "SELECT count(*) FROM card_lab_withdrawal WHERE session_id = :session_id"


class SessionMonitor:
    """Reads the rows of one session. ``reading`` gives the current thread its own connection."""

    def __init__(self, reading: Callable[[], AbstractContextManager[object]], session: str) -> None:
        self._reading, self.session = reading, session
        self._lock = threading.Lock()
        self._cached: tuple[float, str | None] = (-CACHE_SECONDS, None)
        self._positions: dict[int, Position] = {}
        self._lookups_end, self._unread = 0.0, 0

    def read_json(self) -> str | None:
        """Returns the page's data as JSON; None for an unknown session. Call it in a thread."""
        with self._lock:
            read_at, content = self._cached
            if time.monotonic() - read_at >= CACHE_SECONDS:
                content = self._read()
                self._cached = time.monotonic(), content
            return content

    def current_hand(self, code: str) -> tuple[str, ...] | None:
        """Returns the app, round, hand_id and seat of a participant's hand; None without a hand."""
        with self._lock:
            position = next(
                (position for position in self._positions.values() if position.code == code), None
            )
        if not position or not position.seat or not position.seat.hand_number:
            return None
        seat = position.seat
        return position.app, str(position.round_number), seat.key.hand, seat.name

    def _read(self) -> str | None:
        self._lookups_end, self._unread = time.monotonic() + MAX_LOOKUP_SECONDS, 0
        with self._reading():
            session_rows = LAB.page_records.rows(_SESSION, code=self.session)
            if not session_rows:
                return None
            ((session_id, comment),) = session_rows
            participants = [
                ParticipantRow(*row) for row in LAB.page_records.rows(_PARTICIPANTS, session_id=session_id)
            ]
            ((withdrawn,),) = LAB.page_records.rows(_WITHDRAWN, session_id=session_id)
            open_notices: dict[int, list[notices.Notice]] = {}
            for notice in notices.notices_of_session(LAB.page_records, session_id):
                if notice.over_ms is None:
                    open_notices.setdefault(notice.participant_id, []).append(notice)
            lines = [line for line in (comment or "").splitlines() if line.strip()]
            limited = LAB.rate_limits.clients.limited_lately()
            rows = []
            for number, person in enumerate(participants, 1):
                messages = [_rate_limit_message(client) for client in limited.get(person.code, ())]
                messages += [line for line in lines if person.code in line]
                rows.append(self._row(person, open_notices.get(person.id, []), messages))
                if number % ROWS_AT_A_TIME == 0:
                    time.sleep(SLEEP)
            positions = {person.number: self._positions.get(person.id) for person in participants}
            rows = _add_waiting(rows, positions)
        general = [line for line in lines if not any(person.code in line for person in participants)]
        general += [_rate_limit_message(client, participants) for client in limited.get("", ())]
        general += _withdrawal_message(withdrawn)
        return _to_json(sort_by_urgency(rows), {"comment": general, "unread": self._unread})

    def _row(self, person: ParticipantRow, open_notices: list[notices.Notice], messages: list[str]) -> Row:
        position = self._position(person)
        seat = position.seat
        kinds = [notice.kind for notice in open_notices]
        if LAB.seat_browsers.has_refused(person.code):
            messages.append(OTHER_BROWSER_WAITS)
        if notices.RELEASED in kinds:
            messages.append(SEAT_RELEASED)
        hand = None
        if seat:
            try:
                hand = self._hand(seat)
            except hand_cache.UnreadableRecord as damage:
                messages.append(f"The record of this hand is damaged: {damage}")
        state = hand.seats.get(seat.name) if hand and seat else None
        is_played = bool(hand and seat and seat.hand_number)
        return Row(
            code=person.code,
            number=person.number,
            label=person.label or "",
            treatment=position.treatment,
            group=position.group,
            page=page_name(person),
            hand=hand_name(hand, seat),
            moves=state.moves if state else None,
            refused=state.refused if state else 0,
            score=plain(hand.result(seat.name).score) if hand and seat and is_played else "",
            points=plain(float(person.points or 0)),
            silent=seconds_inactive(person, position, hand),
            connection=connection_state(person, seat),
            others_wait=_blocks_others(hand, seat),
            paused=notices.PAUSE in kinds,
            stage=stage_of(person, notices.DROPPED in kinds),
            replay=is_played,
            unread=kinds.count(notices.MESSAGE),
            notices=messages,
            help=_help_request(open_notices),
        )

    def _position(self, person: ParticipantRow) -> Position:
        cached = self._positions.get(person.id)
        if cached and cached.page_index == person.page_index:
            return cached
        if not self._has_time():
            return Position(person.code, -1, person.app or "", None, True, "", "", None)
        with _yield_gil():
            position = self._look_up_position(person, cached)
        self._positions[person.id] = position
        return position

    def _has_time(self) -> bool:
        """Returns whether this reading has time for another look-up; otherwise counts the omission."""
        has_time = time.monotonic() < self._lookups_end
        self._unread += not has_time
        return has_time

    def _look_up_position(self, person: ParticipantRow, previous: Position | None) -> Position:
        participant = Participant.objects_get(id=person.id)
        seat, is_waiting, round_number, group = None, False, None, previous.group if previous else ""
        subsession = None
        if 0 < person.page_index <= person.last_index:
            page = get_page_lookup(self.session, person.page_index).page_class
            is_waiting = issubclass(page, WaitPage)
            if issubclass(page, GatherPage):
                subsession = participant._get_current_player().subsession_id
            seat = seats.current_seat(participant)
            if seat:
                player = participant._get_current_player()
                row, round_number = seat.page.row(player), player.round_number
                group = "" if row is player else str(row.id_in_subsession)
        return Position(
            *(person.code, person.page_index, person.app or "", seat, is_waiting, group),
            *(treatments.treatment_of(participant), round_number, subsession),
        )

    def _hand(self, seat: Seat) -> Hand | None:
        """Returns the current hand; None if there is none or no time. Raises UnreadableRecord."""
        hand = hand_cache.latest_cached_hand(seat.key.hand)
        if hand is None and self._has_time():
            with _yield_gil():
                lines = LAB.page_records.lines(seat.key.hand)
                hand = hand_cache.fold(seat.page.rules, seat.key.hand, lines) if lines else None
        return hand


def _help_request(open_notices: Sequence[notices.Notice]) -> HelpRequest | None:
    for notice in open_notices:
        if notice.kind == notices.HELP:
            return HelpRequest(notice.number, max(0, (clock.now_ms() - notice.ms) // 1000), notice.text)
    return None


@contextmanager
def _yield_gil() -> Iterator[None]:
    """Sleeps three times as long as the block took, so that the event loop gets the GIL."""
    start = time.thread_time()
    yield
    time.sleep(3 * (time.thread_time() - start))


def _rate_limit_message(client: LimitedClient, participants: Sequence[ParticipantRow] = ()) -> str:
    """Returns a sentence about a limited client, or about an address and the ``participants`` there."""
    start_time = time.strftime("%H:%M", time.localtime(client.since))
    codes = LAB.rate_limits.clients.seats_at(client.address)
    names = [person.label or f"P{person.number}" for person in participants if person.code in codes]
    suffix = f" ({', '.join(names[:5])}{', …' if len(names) > 5 else ''})" if names else ""
    return f"Rate-limited since {start_time}: too many {client.limit_name} from {client.address}{suffix}."


def _withdrawal_message(withdrawn: int) -> list[str]:
    """Returns a sentence about the participants who have withdrawn; [] if there are none."""
    people = "1 participant has" if withdrawn == 1 else f"{withdrawn} participants have"
    return [f"{people} withdrawn. Their data were removed."] if withdrawn else []


def _to_json(rows: list[Row], others: dict[str, Any]) -> str:
    """Encodes row by row, because encoding all rows would hold the GIL for a millisecond."""
    lines = [json.dumps({**row._asdict(), "need": urgency(row)}) for row in rows]
    return f'{{"rows": [{", ".join(lines)}], {json.dumps(others)[1:]}'


def _blocks_others(hand: Hand | None, seat: Seat | None) -> bool:
    """Returns whether another participant waits for this seat to act."""
    if not hand or not seat or hand.is_over or len(hand.human_seats) < 2:
        return False
    acting = hand.rules.waiting_for(hand.state)
    return seat.name in acting and any(other_seat not in acting for other_seat in hand.human_seats)


def _add_waiting(rows: list[Row], positions: Mapping[int, Position | None]) -> list[Row]:
    """Adds the waits on waiting pages to the rows. ``positions`` are by participant number."""
    waits_by_number: dict[int, Wait] = {}
    subsessions = {position.subsession for position in positions.values() if position and position.subsession}
    for subsession in subsessions:
        for number, waits in LAB.waiting_room.waits(subsession).items():
            position = positions.get(number)
            if position and position.subsession == subsession:
                waits_by_number[number] = waits
    missing = set().union(*(waits.missing for waits in waits_by_number.values()))
    now_ms = clock.now_ms()
    new_rows = []
    for row in rows:
        own_wait = waits_by_number.get(row.number)
        new_rows.append(
            row._replace(
                others_wait=row.others_wait or row.number in missing,
                waits=max(0, (now_ms - own_wait.since_ms) // 1000) if own_wait else None,
                waits_for=tuple(sorted(own_wait.missing)) if own_wait else (),
                waits_left=_seconds_left(own_wait, now_ms) if own_wait else None,
                then=own_wait.no_shows if own_wait else "",
            )
        )
    return new_rows


def _seconds_left(wait: Wait, now_ms: int) -> int | None:
    """Returns the seconds until a wait ends in any case; None without a limit."""
    return (
        None if wait.max_seconds == inf else max(0, round(wait.max_seconds - (now_ms - wait.since_ms) / 1000))
    )
