"""How far each participant of a session is, and who needs help: what the tab "Progress" shows.

A thread reads it over a connection of its own, without oTree's lock, at most every other second and only
while somebody looks. The hands are those that the service remembers (:mod:`cardlab.core.hand_cache`); one
that it does not, as after a restart, is folded from disk, some at each look. What belongs to a page is looked
up once for each page that a participant comes to.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from otree.api import WaitPage
from otree.lookup import get_page_lookup
from otree.models import Participant

from cardlab.core import clock, hand_cache
from cardlab.core.number_format import plain
from cardlab.games.hand import Hand
from cardlab.groups.waiting_room import Wait, waiting_room
from cardlab.guard.rate_limits import LIMITED, LimitedClient
from cardlab.live import notices, seat_browser
from cardlab.live import seat as seats
from cardlab.live.lab import LAB
from cardlab.live.presence import AWAY, GONE
from cardlab.live.seat import Seat
from cardlab.pages.waiting_page import GatherPage
from cardlab.sessions import treatments

EVERY = 1.5  # seconds for which what was read is told to all who look
# So many rows are made in a third of a millisecond; then the interpreter is free for longer than that. The
# event loop takes it a dozen times in each move, and would wait for a millisecond each time.
AT_A_TIME, BREATH = 5, 0.001
LONGEST = 0.7  # seconds at one look for what has to be looked up or folded anew; the rest comes at the next
REFUSALS = 5  # in one hand, from which on somebody seems to be stuck
SILENT = 120  # seconds in which somebody has done nothing

ASKED_FOR = "another browser wants this seat"
FREE = "seat free for another browser"

RULE = (
    "First who is gone or away while others wait for them; then who has a notice of the server, who is gone, "
    f"to whom {REFUSALS} moves or more of this hand were refused, who has done nothing for {SILENT // 60} "
    "minutes, who has another window in front; then all others by number. At the end who has not come, has "
    "dropped out or has finished."
)

_SESSION = "SELECT id, comment FROM otree_session WHERE code = :code"
_PEOPLE = """
    SELECT id, id_in_session, code, label, visited, _index_in_pages, _max_page_index,
        _current_app_name, _current_page_name, _last_page_timestamp, payoff, status
    FROM otree_participant WHERE session_id = :session_id ORDER BY id_in_session
"""


class Person(NamedTuple):
    """A participant as oTree's table has them."""

    id: int
    number: int
    code: str
    label: str | None
    visited: bool
    index: int
    last_index: int
    app: str | None
    page: str | None
    page_since: int | None
    points: Any
    status: str


class Place(NamedTuple):
    """What belongs to the page that a participant is on: looked up once, when they have come to it."""

    code: str
    index: int
    app: str
    seat: Seat | None
    waits: bool
    group: str
    treatment: str
    round_number: int | None
    subsession: int | None = None  # the id of the subsession whose waiting page it is


class Row(NamedTuple):
    """A participant in the table. ``silent`` has the seconds since they did something, None where that says
    nothing; ``stage`` is ``not come``, ``playing``, ``dropped out``, ``finished``, or how it ended early;
    ``unread`` counts the messages that were not confirmed, ``notices`` are the server's. On a waiting page
    ``waits`` has the seconds for which the participant has waited, and ``waits_for`` the numbers of the
    participants for whom; on any other page ``waits`` is None."""

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


def need(row: Row) -> int:
    """How much somebody needs help, 0 the most; as :data:`RULE` says in words."""
    if row.stage != "playing":
        return 8
    rules = (
        row.others_wait and row.connection != "here",
        bool(row.notices),
        row.connection == GONE,
        row.refused >= REFUSALS,
        row.silent is not None and row.silent >= SILENT and not row.paused,
        row.connection == AWAY,
    )
    return next((place for place, holds in enumerate(rules) if holds), 7)


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Who needs help first. Among equals by number, so that the table stands still while nothing happens."""
    return sorted(rows, key=lambda row: (need(row), row.number))


class Watched:
    """One session that is looked at."""

    def __init__(self, reading: Callable[[], AbstractContextManager], session: str) -> None:
        """``reading`` gives this thread a connection of its own."""
        self._reading, self.session = reading, session
        self._one_at_a_time = threading.Lock()
        self._told: tuple[float, str | None] = (-EVERY, None)
        self._places: dict[int, Place] = {}
        self._until, self._unread = 0.0, 0

    def told(self) -> str | None:
        """What the page shows, as JSON; None if there is no such session. Called in a thread."""
        with self._one_at_a_time:
            when, told = self._told
            if time.monotonic() - when >= EVERY:
                read = self._read()
                told = None if read is None else _written(*read)
                self._told = time.monotonic(), told
            return told

    def at_hand(self, code: str) -> tuple[str, ...] | None:
        """The app, round and name of the hand that a participant is at, and their seat; None at none."""
        with self._one_at_a_time:
            place = next((one for one in self._places.values() if one.code == code), None)
        if not place or not place.seat or not place.seat.hand_number:
            return None
        seat = place.seat
        return place.app, str(place.round_number), seat.key.hand, seat.name

    def _read(self) -> tuple[list[Row], dict[str, Any]] | None:
        """The rows, and what is said beside them; None if there is no such session."""
        self._until, self._unread = time.monotonic() + LONGEST, 0
        with self._reading():
            found = LAB.page_records.rows(_SESSION, code=self.session)
            if not found:
                return None
            ((session_id, comment),) = found
            people = [Person(*row) for row in LAB.page_records.rows(_PEOPLE, session_id=session_id)]
            standing: dict[int, list[notices.Notice]] = {}
            for one in notices.notices_of_session(LAB.page_records, session_id):
                if one.over_ms is None:
                    standing.setdefault(one.participant_id, []).append(one)
            said = [line for line in (comment or "").splitlines() if line.strip()]
            limited = LIMITED.lately()
            rows = []
            for number, one in enumerate(people, 1):
                floods = [_limited(of_seat) for of_seat in limited.get(one.code, ())]
                rows.append(self._row(one, standing.get(one.id, []), said, floods))
                if number % AT_A_TIME == 0:
                    time.sleep(BREATH)
            rows = _with_waiting_pages(rows, {one.number: self._places.get(one.id) for one in people})
        codes = [one.code for one in people]
        general = [line for line in said if not any(code in line for code in codes)]
        general += [_limited(of_address, people) for of_address in limited.get("", ())]
        return in_order(rows), {"comment": general, "unread": self._unread}

    def _row(
        self, person: Person, standing: list[notices.Notice], comment: list[str], floods: list[str]
    ) -> Row:
        place = self._place(person)
        told = [*floods, *(line for line in comment if person.code in line)]
        if seat_browser.is_asked_for(person.code):
            told.append(ASKED_FOR)
        if any(one.kind == notices.RELEASED for one in standing):
            told.append(FREE)
        hand = None
        if place.seat:
            try:
                hand = self._hand(place.seat)
            except hand_cache.UnreadableRecord as damage:
                told.append(f"The hand cannot be read: {damage}")
        kinds = [one.kind for one in standing]
        mine = hand.seats.get(place.seat.name) if hand and place.seat else None
        return Row(
            code=person.code,
            number=person.number,
            label=person.label or "",
            treatment=place.treatment,
            group=place.group,
            page=_page(person),
            hand=_called(hand, place.seat),
            moves=mine.moves if mine else None,
            refused=mine.refused if mine else 0,
            score=_score(hand, place.seat),
            points=_points(person.points),
            silent=_silent(person, place, hand),
            connection=_connection(person, place.seat),
            others_wait=_others_wait(hand, place.seat),
            paused=notices.PAUSE in kinds,
            stage=_stage(person, notices.DROPPED in kinds),
            replay=bool(hand and place.seat.hand_number),
            unread=kinds.count(notices.MESSAGE),
            notices=told,
        )

    def _place(self, person: Person) -> Place:
        known = self._places.get(person.id)
        if known and known.index == person.index:
            return known
        if not self._has_time():
            return Place(person.code, -1, person.app or "", None, True, "", "", None)
        with _in_no_hurry():
            place = self._looked_up(person, known)
        self._places[person.id] = place
        return place

    def _has_time(self) -> bool:
        there_is = time.monotonic() < self._until
        self._unread += not there_is
        return there_is

    def _looked_up(self, person: Person, known: Place | None) -> Place:
        participant = Participant.objects_get(id=person.id)
        seat, waits, round_number, group = None, False, None, known.group if known else ""
        subsession = None
        if 0 < person.index <= person.last_index:
            page = get_page_lookup(self.session, person.index).page_class
            waits = issubclass(page, WaitPage)
            if issubclass(page, GatherPage):
                subsession = participant._get_current_player().subsession_id
            seat = seats.current_seat(participant)
            if seat:
                player = participant._get_current_player()
                row, round_number = seat.page.row(player), player.round_number
                group = "" if row is player else str(row.id_in_subsession)
        place = Place(
            person.code,
            person.index,
            person.app or "",
            seat,
            waits,
            group,
            treatments.of(participant),
            round_number,
            subsession,
        )
        self._places[person.id] = place
        return place

    def _hand(self, seat: Seat) -> Hand | None:
        """The hand as it stands. Raises UnreadableRecord."""
        hand = hand_cache.latest_cached_hand(seat.key.hand)
        if hand is None and self._has_time():
            with _in_no_hurry():
                lines = LAB.page_records.lines(seat.key.hand)
                hand = hand_cache.fold(seat.page.rules, seat.key.hand, lines) if lines else None
        return hand


def _limited(one: LimitedClient, people: Sequence[Person] = ()) -> str:
    """A sentence about a browser that the server slows down, or about an address and the ``people`` there."""
    since = time.strftime("%H:%M", time.localtime(one.since))
    codes = LIMITED.seats_at(one.address)
    there = [person.label or f"P{person.number}" for person in people if person.code in codes]
    names = f" ({', '.join(there[:5])}{', …' if len(there) > 5 else ''})" if there else ""
    return f"Slowed down by the server since {since}: too many {one.what} from {one.address}{names}."


def _written(rows: list[Row], beside: dict[str, Any]) -> str:
    """As JSON, row by row: in one piece it would hold the interpreter for a millisecond."""
    lines = [json.dumps({**row._asdict(), "need": need(row)}) for row in rows]
    return f'{{"rows": [{", ".join(lines)}], {json.dumps(beside)[1:]}'


@contextmanager
def _in_no_hurry() -> Iterator[None]:
    """Let whoever plays have the interpreter for three times as long as this has taken."""
    begun = time.thread_time()
    yield
    time.sleep(3 * (time.thread_time() - begun))


def _page(person: Person) -> str:
    if person.index == 0:
        return "not begun"
    if person.index > person.last_index:
        return "past the last page"
    app = (person.app or "").removesuffix("_app")
    return f"{app}: {person.page}"


def _called(hand: Hand | None, seat: Seat | None) -> str:
    if hand is None or seat is None:
        return ""
    if not seat.hand_number:
        return "to try"
    opening = hand.opening
    return f"{'practice ' if opening.practice else ''}{opening.number} of {opening.of}"


def _score(hand: Hand | None, seat: Seat | None) -> str:
    return plain(hand.result(seat.name).score) if hand and seat and seat.hand_number else ""


def _points(points: Any) -> str:
    return plain(float(points or 0))


def _silent(person: Person, place: Place, hand: Hand | None) -> int | None:
    if place.waits or person.page_since is None or not 0 < person.index <= person.last_index:
        return None
    acted = hand.seats[place.seat.name].last_acted_ms if hand and place.seat else None
    last_ms = max(1000 * person.page_since, acted or 0)
    return max(0, round((clock.now_ms() - last_ms) / 1000))


def _connection(person: Person, seat: Seat | None) -> str:
    if seat and seat.name in LAB.hub.silent_seats(seat.key.hand):
        return GONE
    return LAB.presence.connection(person.code)


def _others_wait(hand: Hand | None, seat: Seat | None) -> bool:
    """Whether somebody sits at the hand who cannot act until this seat has."""
    if not hand or not seat or hand.is_over or len(hand.human_seats) < 2:
        return False
    waited = hand.rules.waiting_for(hand.state)
    return seat.name in waited and any(other not in waited for other in hand.human_seats)


def _with_waiting_pages(rows: list[Row], places: Mapping[int, Place | None]) -> list[Row]:
    """The rows, with who waits for whom on the waiting pages; ``places`` are by the participants' numbers."""
    waits: dict[int, Wait] = {}
    for subsession in {place.subsession for place in places.values() if place and place.subsession}:
        waits.update(
            {
                number: told
                for number, told in waiting_room().waits(subsession).items()
                if (place := places.get(number)) and place.subsession == subsession
            }
        )
    missing = set().union(*(told.missing for told in waits.values()))
    now = clock.now_ms()
    for number, row in enumerate(rows):
        told = waits.get(row.number)
        rows[number] = row._replace(
            others_wait=row.others_wait or row.number in missing,
            waits=max(0, (now - told.since_ms) // 1000) if told else None,
            waits_for=tuple(sorted(told.missing)) if told else (),
        )
    return rows


def _stage(person: Person, dropped: bool) -> str:
    if person.index > person.last_index or person.status == "finished":
        return person.status or "finished"
    if dropped:
        return "dropped out"
    return "playing" if person.visited and person.index else "not come"
