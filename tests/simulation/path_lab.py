"""The laboratory around the simulated server: the browsers, what the server told them, and the invariants.

A :class:`Model` holds what survives a crash: the browsers' state and the responses they got. A
:class:`Laboratory` is one run of the server, from start to crash, with its connections. ``path_steps.py``
lists the steps and names the modules that define them.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from committed_arrivals import Admission, Entry, utc
from committed_slots import Connections, Slot
from committed_state import CommittedState
from otree.common import get_pages_module
from path_server import Request, Server, Socket
from simulated_disk import Crash, Disk
from simulated_machine import Computer, Machine

from cardlab.core import clock
from cardlab.core.record_chain import RecordLine
from cardlab.sessions.study_register import hash_label

SECOND_NS = 10**9
FORM = {"content-type": "application/x-www-form-urlencoded"}

ROOM = "/room/open"
TAKEN = "/taken"  # the page of a browser whose seat another browser holds
START = "/InitializeParticipant/"
EARLIER_STUDY = "pilot"  # its participants are excluded, or they alone may continue it


class SessionKind(NamedTuple):
    """A session config, its app, its maximum number of participants, and the fields that differ."""

    config: str
    app: str
    size: int
    fields: dict[str, Any]
    visitors: int = 0  # visitors to the room, if slots are created on arrival
    labels: int = 0  # labels of the people with a start link; fewer than people if some share one

    def label(self, number: int) -> str:
        """Returns the label of a person; "" for none."""
        if self.visitors and "continues" in self.fields:
            return f"label{number}" if number < self.visitors else ""
        if self.labels:
            return f"label{number % self.labels}"
        return f"label{number}" if self.visitors and number % 2 else ""


SHORT = {"seed": 1, "tutorial": "free", "check": False, "leave_button": "paid"}
ALONE = {**SHORT, "time_limit_seconds": 90}
TOGETHER = {**SHORT, "gather_seconds": 20, "turn_limit_seconds": 30, "absent_after": 2}
TOGETHER |= {"partner_away_seconds": 10, "help_button": True}
KEPT_OUT = {"late_after_minutes": 1, "late_code": "LATE", "excluded_code": "TWICE"}
SOON = {"late_after_minutes": 0.2}
KEPT_OUT |= {"study": "main", "exclude_studies": f"{EARLIER_STUDY}, main"}
ON_ARRIVAL = {"slots": "on_arrival", "treatments": "pay_moves_time.toml", "lost_after_minutes": 0, **KEPT_OUT}
PAIRS = {"MaxRounds": 1, "gather_seconds": 30}
LOST = {"late_after_minutes": 6, "lost_after_minutes": 0.1}
CONTINUED = {**TOGETHER, **ON_ARRIVAL, "MaxRounds": 1, "gather_seconds": 60, "late_after_minutes": 6}
CONTINUED |= {"exclude_studies": "main", "continues": EARLIER_STUDY, "same_partner": True}
CONTINUED |= {"continues_after_hours": 1.05}  # of those who began an hour ago, the last wait 3 minutes
SESSIONS = (
    SessionKind("ttt_demo", "ttt_solo_app", 2, {**ALONE, "MaxRounds": 2}),
    SessionKind("matrix_two", "matrix_game_app", 4, {**TOGETHER, **KEPT_OUT, **SOON, "games": 2}, labels=3),
    SessionKind("ttt_pair_demo", "ttt_pair_app", 4, {**TOGETHER, "MaxRounds": 2}),
    SessionKind("triangle_standard", "triangle_app", 2, {**ALONE, "hands": 2}),
    SessionKind("challenge_two", "challenge_app", 2, {**TOGETHER, "games": 2, "size": 3}),
    SessionKind("matrix_robot", "matrix_game_app", 2, {**TOGETHER, "games": 2}),
    SessionKind("solitario_briscola", "solitario_app", 2, {**ALONE, "hands": 2}),
    SessionKind("challenge_hard", "challenge_app", 2, {**SHORT, "games": 4, "size": 2}),
    SessionKind("ttt_demo", "ttt_solo_app", 5, {**ALONE, **ON_ARRIVAL, **LOST, "MaxRounds": 1}, visitors=7),
    SessionKind("ttt_pair_demo", "ttt_pair_app", 8, {**TOGETHER, **ON_ARRIVAL, **PAIRS}, visitors=8),
    SessionKind("ttt_pair_demo", "ttt_pair_app", 8, CONTINUED, visitors=8),
    SessionKind("ttt_pair_demo", "ttt_pair_app", 6, {**CONTINUED, "slots": "fixed"}, labels=5),
)


@dataclass
class Person:
    """A participant and their browser: the page and board that it shows, and what the server told it."""

    name: str  # used in the story
    session: str
    code: str = ""  # of the slot; "" for a visitor who has none yet
    label: str = ""  # in their link
    stops_after_room: bool = False  # stops between the room and the start link
    cookies: dict[str, str] = field(default_factory=dict)
    page: str = ""  # its path; "" at first, and when it must be reloaded
    acknowledged_page: int = 0  # the furthest page to which the server has directed it
    board: dict[str, Any] = field(default_factory=dict)
    shown: dict[int, int] = field(default_factory=dict)  # the highest next number shown, by hand
    sent: list[str] = field(default_factory=list)  # messages, newest last
    waits_for: tuple[int, int, int] | None = None  # hand, number and milliseconds of the last action
    withdrawal: str = ""  # "asked", then "done"
    away_until_ns: int = 0  # on the steady clock
    last_request_ns: int = 0  # steady clock, when a request with the code was last sent or answered

    @property
    def page_name(self) -> str:
        return self.page.split("/")[-2] if self.page.startswith("/p/") else self.page.split("/")[1]

    @property
    def index(self) -> int:
        return int(self.page.split("/")[-1]) if self.page.startswith("/p/") else 10**6


@dataclass
class Model:
    """The state that survives a crash of the server."""

    kind: int  # index of the session kind
    machine: Machine = field(default_factory=Machine)
    people: list[Person] = field(default_factory=list)
    lines: dict[str, list[RecordLine]] = field(default_factory=dict)
    slots: dict[int, list[Slot]] = field(default_factory=dict)  # by session, if it has treatments
    replies: dict[str, set[str]] = field(default_factory=dict)  # actions by engine question
    admissions: dict[int, Admission] = field(default_factory=dict)  # by session, if it turns anybody away
    acknowledged_entries: set[Entry] = field(default_factory=set)  # entries whose import was acknowledged
    begun: dict[str, set[int]] = field(default_factory=dict)  # participants at each hand when it began
    acknowledged_sessions: set[str] = field(default_factory=set)  # codes of acknowledged sessions
    sessions_asked: int = 0
    clock_was_set: bool = False
    messages: int = 0
    tallies: Counter[str] = field(default_factory=Counter)
    story: list[str] = field(default_factory=list)


class Laboratory:
    """One run of the server, until it crashes, with its connected browsers."""

    def __init__(self, model: Model, chance: random.Random) -> None:
        self.model = model
        self.kind = SESSIONS[model.kind]
        self.app = self.kind.app
        self.pages = get_pages_module(self.app).page_sequence
        Computer.machine = model.machine
        self.disk = Disk(chance)
        self.disk.tallies = model.tallies
        self.server = Server(self.disk, model.replies)
        withdrawing = {person.code for person in model.people if person.withdrawal}
        self.state = CommittedState(self.app, model, withdrawing, self.connections)
        self.sockets: dict[str, Socket] = {}  # of hand pages, by participant
        self.presence: dict[str, Socket] = {}  # of presence connections, by participant
        self.all_sockets: dict[str, list[Socket]] = {}  # open and ended, by participant
        self.started_ns = model.machine.steady_ns
        self.silent: set[str] = set()  # participants whose browsers answer no ping
        self.requests: dict[str, list[Request]] = {}  # open requests, by participant
        self.faults_before: dict[int, int] = {}  # faults so far when each request began
        self.worker_is_busy = False
        self.worker_connection: Any = None
        self.quiet_faults = 0
        self.look()
        self.disk.after_commit = partial(self.server.tell, self.look)

    # ------------------------------------------------------------------ the event loop

    def run(self, turns: int | None = None) -> None:
        """Runs the server until it is idle, or for a number of callbacks."""
        count = 0
        while (turns is None or count < turns) and self.server.loop.turn():
            count += 1
            if self.disk.dead:
                raise Crash
            if self.server.complaints:
                raise self.server.complaints[0]
            assert count < 20_000, "the server does not come to rest"
        if self.disk.dead:
            raise Crash
        self.check_quiet()

    def pass_ms(self, ms: int) -> None:
        """Lets time pass in steps of a second, so that timers fire in order."""
        while ms > 0:
            Computer.machine.pass_ms(min(ms, 1000))
            ms -= 1000
            self.run()

    def check_quiet(self) -> None:
        """Checks what must hold while the server is idle."""
        loop, log = self.server.loop, self.server.log
        if self.disk.raised == self.quiet_faults:
            assert not log.errors, f"logged without a fault: {log.errors[0]}"
            assert not loop.errors, f"raised without a fault: {loop.errors[0]}"
        if loop.is_idle() and not any(self.requests.values()):
            self.quiet_faults = self.disk.raised
            log.errors.clear()
            loop.errors.clear()
            assert not self.server.lab.group_commit._lock.locked(), "nobody works, and the lock is held"
            assert not self.server.lab.group_commit.queue, "nobody works, and somebody is not served"

    def look(self) -> None:
        """Checks the committed data if they have changed."""
        if not self.state.look():
            return
        for person in self.model.people:
            row = self.state.participants.get(person.code)
            if not person.code:
                continue
            if row is None:
                assert person.withdrawal, f"participant {person.code} is gone"
                continue
            assert person.withdrawal != "done", f"{person.code} has withdrawn, and is there again"
            assert row.index >= person.acknowledged_page, (
                f"{person.code} was led to page {person.acknowledged_page}"
            )
            self.check_label(row.session, person)
        told = self.model.acknowledged_sessions
        assert told <= set(self.state.codes.values()), "a session that was acknowledged is gone"
        for admission in self.model.admissions.values():
            assert self.model.acknowledged_entries <= set(admission.entries.values()), (
                "a label that was acknowledged is gone from the register"
            )
        self.check_members()

    def check_label(self, session: int, person: Person) -> None:
        """Checks that participants keep the label of their link when they arrive."""
        admission = self.model.admissions.get(session)
        arrival = admission.arrivals.get(person.code) if admission else None
        is_right = not arrival or not arrival.started or arrival.label == person.label
        assert is_right, f"{person.code} came with the label '{person.label}', and has '{arrival.label}'"

    def check_members(self) -> None:
        """Checks that a hand keeps the participants who sat at it when it began."""
        if not self.state.has_openings:
            return
        sessions = {code: number for number, code in self.state.codes.items()}
        sessions_of = {each.id: each.session for each in self.state.participants.values()}
        for group in self.state.groups.values():
            members = self.state.members(group.id)
            if group.opening and members:
                session = self.state.codes[sessions_of[next(iter(members))]]
                hand = f"{self.app}-{session}-{group.number}-{group.round}"
                if hand in self.state.folds:
                    begun = self.model.begun.setdefault(hand, members)
                    assert begun == members, f"{hand} began with {begun}, and has {members} now"
        assert len(sessions) == len(self.state.codes)

    # ------------------------------------------------------------------ requests

    def ask(
        self,
        owner: str,
        method: str,
        path: str,
        then: Callable[[Request], None],
        form: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        query: str = "",
        body: bytes = b"",
    ) -> None:
        """Sends a request; ``then`` is called with the response."""

        def answered(request: Request) -> None:
            self.requests[owner].remove(request)
            self.note_request(request)
            met = self.disk.raised - self.faults_before.pop(id(request))
            if request.status >= 500:
                self.model.tallies["answers 5xx"] += 1
                met = met or (path == ROOM and request.status == 503 and self.is_full())
                assert met, f"{method} {path} is answered {request.status} without a fault"
            then(request)

        sent = body or urlencode(form or {}).encode()
        headers = {**(headers or {}), **(FORM if form is not None else {})}
        request = Request(method, path, headers, sent, answered, query)
        self.requests.setdefault(owner, []).append(request)
        self.faults_before[id(request)] = self.disk.raised
        self.note_request(request)
        self.server.request(request)

    def note_request(self, request: Request) -> None:
        for person in self.model.people:
            if request.names(person.code):
                person.last_request_ns = self.model.machine.steady_ns

    def connections(self) -> Connections:
        """Returns who is connected to the server, and who has been disconnected for too long."""
        connected = {
            person.code
            for person in self.model.people
            if (socket := self.presence.get(person.name)) and socket.is_open and socket.has_joined
        }
        minutes = self.kind.fields.get("lost_after_minutes", 0)
        if not minutes or self.model.clock_was_set:
            return Connections(connected, set())
        limit_ns = self.model.machine.steady_ns - int(60e9 * minutes) - SECOND_NS
        return Connections(
            connected, {person.code for person in self.model.people if self.is_gone_since(person, limit_ns)}
        )

    def is_gone_since(self, person: Person, ns: int) -> bool:
        """Returns whether a participant who had arrived has had no connection or request since ``ns``."""
        if self.index_of(person.code) <= 0 or max(self.started_ns, person.last_request_ns) > ns:
            return False
        if any(request.names(person.code) for requests in self.requests.values() for request in requests):
            return False
        sockets = self.all_sockets.get(person.name, [])
        return all(socket.ended_ns is not None and socket.ended_ns <= ns for socket in sockets)

    def headers_of(self, person: Person) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
        return {"cookie": cookies} if cookies else {}

    def browse(
        self, person: Person, method: str, path: str, query: str = "", form: dict[str, str] | None = None
    ) -> None:
        """Sends a request of a participant's browser, follows redirects, and shows the resulting page."""
        was_turned_away = self.is_turned_away(person)

        def answered(request: Request) -> None:
            for cookie in request.header("set-cookie"):
                name, _equals, value = cookie.split(";")[0].partition("=")
                person.cookies[name] = value
            if request.status in (302, 307):
                (address,) = request.header("location")
                page, _mark, more = address.partition("?")
                self.check_redirect(person, page)
                if not (person.stops_after_room and request.path == ROOM):
                    self.browse(person, "GET", page, more)
            elif request.status == 200 and (request.path == ROOM or request.path.startswith(START)):
                self.check_turned_away(person, was_turned_away, is_at_room=request.path == ROOM)
            elif request.status == 200:
                if request.query != "here=1":
                    self.show_page(person, request.path)
            elif request.status == 403:
                person.page = TAKEN
            elif request.status == 410:
                assert person.withdrawal, f"{person.code} is refused as withdrawn"
            else:
                person.page = ""  # the browser loads it again

        headers = self.headers_of(person)
        self.ask(person.name, method, path, answered, form, headers, query)

    def check_redirect(self, person: Person, address: str) -> None:
        """Checks that the page or slot to which the server redirects a browser is committed."""
        if address.startswith("/p/"):
            person.acknowledged_page = max(person.acknowledged_page, int(address.split("/")[-1]))
            self.model.tallies["pages acknowledged"] += 1
            self.check_page(person)
        elif address.startswith(START):
            self.check_slot(person, address.split("/")[-1])

    def check_slot(self, person: Person, code: str) -> None:
        """Checks that the slot given to a visitor is committed, theirs alone, and always the same."""
        assert person.code in ("", code), f"{person.name} has the slots {person.code} and {code}"
        others = [other.name for other in self.model.people if other is not person and other.code == code]
        assert not others, f"{person.name} gets the slot {code} of {others}"
        person.code = code
        self.model.tallies["slots acknowledged"] += 1
        self.look()
        assert code in self.state.participants, f"{person.name} gets the slot {code}, which is not committed"

    def open_start_link(self, person: Person) -> None:
        query = urlencode({"participant_label": person.label}) if self.kind.labels else ""
        self.browse(person, "GET", f"{START}{person.code}", query)

    def check_turned_away(self, person: Person, was_turned_away: bool, is_at_room: bool) -> None:
        """Checks that there is a reason when the room or a start link lets a visitor not take part.

        The reason may be over when the answer arrives (``was_turned_away``).
        """
        self.model.tallies["visitors kept out" if is_at_room else "participants too early"] += 1
        self.look()
        assert not (is_at_room and person.code), f"{person.name} is kept out, and has the slot {person.code}"
        assert was_turned_away or self.is_turned_away(person), f"{person.name} is kept out without a reason"
        person.page = ""

    def is_turned_away(self, person: Person) -> bool:
        """Returns whether a visitor gets no slot now, or whether a participant comes too early."""
        session = next(number for number, code in self.state.codes.items() if code == person.session)
        admission, config, now = (
            self.model.admissions.get(session),
            self.state.configs[session],
            utc(clock.time()),
        )
        if admission is None:
            return False
        label = hash_label(person.label) if person.label else ""
        if person.code:
            arrival = admission.arrivals.get(person.code)
            has_come = arrival is None or arrival.started
            return not has_come and admission.is_too_early(label, config, now)
        has_slot = any(each.label == person.label for each in admission.arrivals.values() if person.label)
        return not has_slot and admission.rejects(label, config, now)

    def is_full(self) -> bool:
        """Returns whether all slots of a room's session are taken, also by participants who withdrew."""
        taken = Counter(row.session for row in self.state.participants.values())
        return any(taken[session] == self.kind.size for session in self.state.treatments)

    def check_page(self, person: Person) -> None:
        """Checks that the page to which a participant was directed is committed."""
        self.look()
        row = self.state.participants.get(person.code)
        assert person.withdrawal or row.index >= person.acknowledged_page, (
            f"{person.code} is led to page {person.acknowledged_page}, which is not committed"
        )

    def check_ended(self, person: Person) -> None:
        """Checks that a participant whose end was acknowledged is at the results or further on."""
        row = self.state.participants.get(person.code)
        if row is None or row.is_past_the_end:
            return
        is_there = self.state.is_ended(row) or self.page_class(row.index).__name__ == "Results"
        assert is_there, f"{person.code} is at page {row.index}, but their end was acknowledged"
        person.acknowledged_page = max(person.acknowledged_page, row.index)

    def show_page(self, person: Person, path: str) -> None:
        """Shows a page in the browser, which closes the connections of another one."""
        if path != person.page:
            self.leave_page(person)
            person.page, person.board = path, {}
        self.keep_presence(person)

    def leave_socket(self, person: Person) -> None:
        if socket := self.sockets.pop(person.name, None):
            socket.close()

    def keep_presence(self, person: Person) -> None:
        """Opens the presence connection that every page keeps, if it is not open."""
        socket = self.presence.get(person.name)
        if socket is None or not socket.is_open:
            query = urlencode({"page": person.index}) if person.page.startswith("/p/") else ""
            said = partial(self.hear_presence, person)
            socket = Socket(f"/here/{person.code}", self.headers_of(person), query, said)
            self.presence[person.name] = socket
            self.connect(person, socket)

    def connect(self, person: Person, socket: Socket) -> None:
        self.all_sockets.setdefault(person.name, []).append(socket)
        self.server.request(socket)

    def hear_presence(self, person: Person, socket: Socket, text: str) -> None:
        socket.has_joined = True
        if "auto_advanced" in json.loads(text) and self.presence.get(person.name) is socket:
            person.page = ""

    def leave_page(self, person: Person) -> None:
        """Closes all connections of the page."""
        self.leave_socket(person)
        if socket := self.presence.pop(person.name, None):
            socket.close()

    # ------------------------------------------------------------------ a hand

    def sit_down(self, person: Person, name: str = "") -> None:
        """Opens the socket of a hand page in the tab ``name``, by default the participant's first one."""
        floor = dict(person.shown)

        def said(socket: Socket, text: str) -> None:
            message = json.loads(text)
            if message == "ping":
                if person.name not in self.silent:
                    socket.send_text("pong")
            elif message != "pong":
                self.hear(person, socket, message, floor)

        query = urlencode({"tab": name or f"tab of {person.code}", "here": "1"})
        path = f"/hand/{person.code}/{person.index}"
        socket = Socket(path, self.headers_of(person), query, said)
        self.leave_socket(person)
        self.sockets[person.name] = socket
        self.connect(person, socket)

    def hear(self, person: Person, socket: Socket, message: dict[str, Any], floor: dict[int, int]) -> None:
        """Receives a message. A board must be committed, and never older than one shown before."""
        if message.get("reload"):
            if self.sockets.get(person.name) is socket:
                person.page = ""
            return
        if "view" not in message:
            return
        self.look()
        self.model.tallies["boards shown"] += 1
        self.check_board(person, message)
        number = message["hand"]
        assert message["next"] >= floor.get(number, 0), f"{person.code} is shown an older board than before"
        person.shown[number] = max(person.shown.get(number, 0), message["next"])
        if self.sockets.get(person.name) is socket:
            person.board = message
        if person.waits_for and person.waits_for[0] == number and message["next"] > person.waits_for[1]:
            fold, seat = self.fold_of(person)
            accepted = fold.accepted[seat, person.waits_for[2]] if fold else 0
            self.model.tallies["acknowledged"] += accepted
            person.waits_for = None

    def fold_of(self, person: Person) -> tuple[Any, str]:
        """Returns the fold of the hand that a browser shows, and the participant's seat."""
        row = self.state.participants.get(person.code)
        if row is None or not person.page.startswith("/p/"):
            return None, ""
        hand, seat = self.state.hand_of(person.code, self.round_at(person.index))
        return self.state.folds.get(hand), seat

    def round_at(self, index: int) -> int:
        return (index - 1) // len(self.pages) + 1

    def page_class(self, index: int) -> Any:
        return self.pages[(index - 1) % len(self.pages)]

    def check_board(self, person: Person, message: dict[str, Any]) -> None:
        """Checks that a board is the fold of some committed prefix of the record."""
        fold, seat = self.fold_of(person)
        if fold is None:  # their browser is on a later page, or they have withdrawn
            return
        rules = self.state.rules
        if person.board and message["hand"] != person.board["hand"]:
            return
        board = (message["next"], message["over"] is not None, message["view"])
        for hand in reversed(fold.stood):
            if (hand.seats[seat].next_number, hand.is_over_for(seat)) != board[:2]:
                continue
            if json.loads(json.dumps(rules.view(hand.state, seat))) == board[2]:
                return
        raise AssertionError(f"{person.code} is shown {board}, which is not committed")

    def index_of(self, code: str) -> int:
        row = self.state.participants.get(code)
        return row.index if row else -1
