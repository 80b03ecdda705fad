"""The laboratory around the simulated server: browsers, a researcher, the timeout worker, and faults.

A :class:`Model` is what outlives the server: what browsers show and have been told. A :class:`Life` is one
life of the server with everything that is connected to it.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

from committed_state import CommittedState
from path_server import REST_KEY, Request, Server, Socket
from simulated_disk import FILE, Crash, Disk, InjectedFault, Plan
from simulated_machine import Computer, Machine

from cardlab.core.record_chain import RecordLine
from cardlab.games.events import ABSENCE_CHOICES
from cardlab.guard.worker_signature import HEADER, signature

FORM = {"content-type": "application/x-www-form-urlencoded"}
SETTLING_SECONDS = 40
SURRENDERS = ("resign", "give up")

# The sessions: config, app, participants, and the fields that differ.
SHORT = {"seed": 1, "tutorial": "free", "check": False}
ALONE = {**SHORT, "time_limit_seconds": 90}
TOGETHER = {**SHORT, "gather_seconds": 20, "turn_limit_seconds": 30, "absent_after": 2}
TOGETHER |= {"partner_away_seconds": 10, "help_button": True}
SESSIONS = (
    ("ttt_demo", "ttt_solo_app", 2, {**ALONE, "MaxRounds": 2}),
    ("matrix_two", "matrix_game_app", 4, {**TOGETHER, "games": 2}),
    ("ttt_pair_demo", "ttt_pair_app", 4, {**TOGETHER, "MaxRounds": 2}),
    ("triangle_standard", "triangle_app", 2, {**ALONE, "hands": 2}),
    ("challenge_two", "challenge_app", 2, {**TOGETHER, "games": 2, "size": 3}),
    ("matrix_robot", "matrix_game_app", 2, {**TOGETHER, "games": 2}),
    ("solitario_briscola", "solitario_app", 2, {**ALONE, "hands": 2}),
    ("challenge_hard", "challenge_app", 2, {**SHORT, "games": 2, "size": 3}),
)


@dataclass
class Person:
    """A participant and their browser: the page that it shows, the board on it, and what it was told."""

    code: str
    session: str
    cookies: dict[str, str] = field(default_factory=dict)
    page: str = ""  # its path; "" before the first, and when it has to be loaded again
    told_index: int = 0  # the furthest page to which the server has led it
    board: dict[str, Any] = field(default_factory=dict)
    shown: dict[int, int] = field(default_factory=dict)  # by hand: the highest number that is due
    sent: list[str] = field(default_factory=list)  # messages, the newest last
    waits_for: tuple[int, int, int] | None = None  # hand, number and milliseconds of the last action
    withdrawal: str = ""  # "asked", then "done"

    @property
    def page_name(self) -> str:
        return self.page.split("/")[-2] if self.page.startswith("/p/") else self.page.split("/")[1]

    @property
    def index(self) -> int:
        return int(self.page.split("/")[-1]) if self.page.startswith("/p/") else 10**6


@dataclass
class Model:
    """What outlives the server."""

    kind: int  # of session
    machine: Machine = field(default_factory=Machine)
    people: list[Person] = field(default_factory=list)
    lines: dict[str, list[RecordLine]] = field(default_factory=dict)
    begun: dict[str, set[int]] = field(default_factory=dict)  # by hand: who sat there when it began
    told_sessions: set[str] = field(default_factory=set)  # codes of sessions that were acknowledged
    sessions_asked: int = 0
    messages: int = 0
    tallies: Counter[str] = field(default_factory=Counter)
    story: list[str] = field(default_factory=list)


class Life:
    """One life of the server, with the browsers that are connected to it."""

    def __init__(self, model: Model, chance: random.Random) -> None:
        self.model = model
        self.config, self.app, self.size, self.fields = SESSIONS[model.kind]
        Computer.machine = model.machine
        self.disk = Disk(chance)
        self.disk.tallies = model.tallies
        self.server = Server(self.disk)
        withdrawing = {person.code for person in model.people if person.withdrawal}
        self.state = CommittedState(self.app, model.lines, withdrawing)
        self.sockets: dict[str, Socket] = {}  # by participant: at their hand
        self.presence: dict[str, Socket] = {}  # by participant: of the page that they have open
        self.silent: set[str] = set()  # whose browser answers no ping
        self.requests: dict[str, list[Request]] = {}  # by participant: without an answer
        self.faults_before: dict[int, int] = {}  # by request: how many faults there had been
        self.worker_is_busy = False
        self.worker_connection: Any = None
        self.quiet_faults = 0
        self.look()

    # ------------------------------------------------------------------ the event loop

    def run(self, turns: int | None = None) -> None:
        """Lets the server go on, until it is idle or for so many callbacks."""
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
        """Checks what is committed."""
        if not self.state.look():
            return
        for person in self.model.people:
            row = self.state.participants.get(person.code)
            if row is None:
                assert person.withdrawal, f"participant {person.code} is gone"
                continue
            assert person.withdrawal != "done", f"{person.code} has withdrawn, and is there again"
            assert row.index >= person.told_index, f"{person.code} was led to page {person.told_index}"
        told = self.model.told_sessions
        assert told <= set(self.state.codes.values()), "a session that was acknowledged is gone"
        self.check_members()

    def check_members(self) -> None:
        """A hand keeps the participants who sat at it when it began."""
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
        """Sends a request; ``then`` is called with its answer."""

        def answered(request: Request) -> None:
            self.requests[owner].remove(request)
            met = self.disk.raised - self.faults_before.pop(id(request))
            if request.status >= 500:
                self.model.tallies["answers 5xx"] += 1
                assert met, f"{method} {path} is answered {request.status} without a fault"
            then(request)

        sent = body or urlencode(form or {}).encode()
        headers = {**(headers or {}), **(FORM if form is not None else {})}
        request = Request(method, path, headers, sent, answered, query)
        self.requests.setdefault(owner, []).append(request)
        self.faults_before[id(request)] = self.disk.raised
        self.server.request(request)

    def headers_of(self, person: Person) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
        return {"cookie": cookies} if cookies else {}

    def browse(
        self, person: Person, method: str, path: str, query: str = "", form: dict[str, str] | None = None
    ) -> None:
        """Sends a request of a participant's browser, which shows the page that is answered."""

        def answered(request: Request) -> None:
            for cookie in request.header("set-cookie"):
                name, _equals, value = cookie.split(";")[0].partition("=")
                person.cookies[name] = value
            if request.status in (302, 307):
                (address,) = request.header("location")
                self.led_to(person, address)
                self.browse(person, "GET", address)
            elif request.status == 200 and request.path != f"/InitializeParticipant/{person.code}":
                if request.query != "here=1":
                    self.shows(person, request.path)
            elif request.status == 410:
                assert person.withdrawal, f"{person.code} is refused as withdrawn"
            else:
                person.page = ""  # the browser loads it again

        headers = self.headers_of(person)
        self.ask(person.code, method, path, answered, form, headers, query)

    def led_to(self, person: Person, address: str) -> None:
        """The server has told a browser which page comes next: it must be committed."""
        if address.startswith("/p/"):
            person.told_index = max(person.told_index, int(address.split("/")[-1]))
            self.model.tallies["pages acknowledged"] += 1
            self.look_again(person)

    def look_again(self, person: Person) -> None:
        self.look()
        row = self.state.participants.get(person.code)
        assert person.withdrawal or row.index >= person.told_index, (
            f"{person.code} is led to page {person.told_index}, which is not committed"
        )

    def shows(self, person: Person, path: str) -> None:
        if path != person.page:
            self.leave_page(person)
            person.page, person.board = path, {}
        self.keep_presence(person)

    def leave_socket(self, person: Person) -> None:
        if socket := self.sockets.pop(person.code, None):
            socket.close()

    def keep_presence(self, person: Person) -> None:
        """Opens the connection that every page keeps, if it is not open."""
        socket = self.presence.get(person.code)
        if socket is None or not socket.is_open:
            query = urlencode({"page": person.index}) if person.page.startswith("/p/") else ""
            said = partial(self.hear_presence, person)
            socket = Socket(f"/here/{person.code}", self.headers_of(person), query, said)
            self.presence[person.code] = socket
            self.server.request(socket)

    def hear_presence(self, person: Person, socket: Socket, text: str) -> None:
        if "auto_advanced" in json.loads(text) and self.presence.get(person.code) is socket:
            person.page = ""

    def leave_page(self, person: Person) -> None:
        """The browser closes all connections of the page."""
        self.leave_socket(person)
        if socket := self.presence.pop(person.code, None):
            socket.close()

    # ------------------------------------------------------------------ a hand

    def sit_down(self, person: Person, name: str = "") -> None:
        floor = dict(person.shown)

        def said(socket: Socket, text: str) -> None:
            message = json.loads(text)
            if message == "ping":
                if person.code not in self.silent:
                    socket.send_text("pong")
            elif message != "pong":
                self.hear(person, socket, message, floor)

        query = urlencode({"tab": name or f"tab of {person.code}", "here": "1"})
        path = f"/hand/{person.code}/{person.index}"
        socket = Socket(path, self.headers_of(person), query, said)
        self.leave_socket(person)
        self.sockets[person.code] = socket
        self.server.request(socket)

    def hear(self, person: Person, socket: Socket, message: dict[str, Any], floor: dict[int, int]) -> None:
        """A board comes: it must be what is committed, and never older than one that was shown before."""
        if message.get("reload"):
            if self.sockets.get(person.code) is socket:
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
        if self.sockets.get(person.code) is socket:
            person.board = message
        if person.waits_for and person.waits_for[0] == number and message["next"] > person.waits_for[1]:
            fold, seat = self.fold_of(person)
            accepted = fold.accepted[seat, person.waits_for[2]] if fold else 0
            self.model.tallies["acknowledged"] += accepted
            person.waits_for = None

    def fold_of(self, person: Person) -> tuple[Any, str]:
        """Returns the fold of the hand of the page that a browser shows, and the participant's seat."""
        row = self.state.participants.get(person.code)
        if row is None or not person.page.startswith("/p/"):
            return None, ""
        hand, seat = self.state.hand_of(person.code, self.round_at(person.index))
        return self.state.folds.get(hand), seat

    def round_at(self, index: int) -> int:
        from otree.common import get_pages_module

        return (index - 1) // len(get_pages_module(self.app).page_sequence) + 1

    def check_board(self, person: Person, message: dict[str, Any]) -> None:
        """A board is the fold of some beginning of what is committed."""
        fold, seat = self.fold_of(person)
        if fold is None:  # their browser has gone on, or they have withdrawn
            return
        rules = self.state.rules
        if message["hand"] != self.number_of(person):
            return
        board = (message["next"], message["over"] is not None, message["view"])
        for hand in reversed(fold.stood):
            if (hand.seats[seat].next_number, hand.is_over_for(seat)) != board[:2]:
                continue
            if json.loads(json.dumps(rules.view(hand.state, seat))) == board[2]:
                return
        raise AssertionError(f"{person.code} is shown {board}, which is not committed")

    def number_of(self, person: Person) -> int:
        """Returns the number of the hand of the page, as messages have it."""
        return person.board.get("hand", -1) if person.board else -1

    # ------------------------------------------------------------------ steps of a participant

    def go_on(self, person: Person, how: int) -> str:
        """A participant does what is next on their page."""
        waiting = self.requests.get(person.code)
        if waiting and how % 8:
            return ""
        if not person.page:
            self.browse(person, "GET", f"/InitializeParticipant/{person.code}")
            return "opens the start link"
        self.keep_presence(person)
        if person.page_name == "Hand":
            return self.play(person, how)
        if person.page_name == "Gather":
            self.browse(person, "GET", person.page, "here=1")
            return "waits for a group"
        if not person.page.startswith("/p/"):
            return ""
        times = 2 if how % 16 == 7 else 1
        for _time in range(times):
            self.browse(person, "POST", person.page, form={"x": "1"})
        return f"sends page {person.index}" + (" twice at once" if times == 2 else "")

    def play(self, person: Person, how: int) -> str:
        socket = self.sockets.get(person.code)
        if socket is None or not socket.is_open:
            self.sit_down(person)
            return f"sits down at page {person.index}"
        if not person.board:
            return ""
        if person.board["over"]:
            self.browse(person, "POST", person.page, form={"x": "1"})
            return f"leaves the hand on page {person.index}"
        if person.board.get("wait", {}).get("choice") and how % 2:
            choice = ABSENCE_CHOICES[how // 2 % len(ABSENCE_CHOICES)]
            socket.send_text(json.dumps({"hand": person.board["hand"], "choice": choice}))
            return f"chooses about an absent partner: {choice}"
        fold, seat = self.fold_of(person)
        if fold is None or fold.hand is None:
            return ""
        legal = self.state.rules.legal_actions(fold.hand.state, seat)
        if how % 32 != 30:  # seldom, because it ends the hand
            legal = [each for each in legal if each not in SURRENDERS] or legal
        action = legal[how % len(legal)] if legal and how % 32 != 31 else "nonsense"
        number = max(0, person.board["next"] + (how % 5 - 2 if how % 13 == 12 else 0))
        self.model.messages += 1
        fields = {"hand": person.board["hand"], "number": number, "action": action, "ms": self.model.messages}
        text = json.dumps({**fields, "traces": []})
        person.sent = [*person.sent[-5:], text]
        person.waits_for = (person.board["hand"], number, self.model.messages)
        socket.send_text(text)
        if how % 16 == 9:
            socket.send_text(text)
        return f"sends {text}" + (" twice at once" if how % 16 == 9 else "")

    def send_again(self, person: Person, how: int) -> str:
        socket = self.sockets.get(person.code)
        if socket is None or not socket.is_open or not person.sent:
            return ""
        text = person.sent[-1 - how % len(person.sent)]
        socket.send_text(text)
        return f"sends again {text}"

    def speak(self, person: Person, how: int) -> str:
        """A page says something over the connection that it keeps."""
        socket = self.presence.get(person.code)
        if socket is None or not socket.is_open:
            return ""
        fields = SPOKEN[how % len(SPOKEN)]
        socket.send_text(json.dumps(fields))
        return f"says {fields}"

    def reload(self, person: Person, _how: int) -> str:
        self.leave_page(person)
        person.page = ""
        self.browse(person, "GET", f"/InitializeParticipant/{person.code}")
        return "loads the page again"

    def vanish(self, person: Person, _how: int) -> str:
        self.leave_page(person)
        return "closes the connection"

    def slow_down(self, person: Person, how: int) -> str:
        socket = self.sockets.get(person.code)
        if socket is None:
            return ""
        if how % 2:
            socket.slow_down()
            return "receives nothing for a while"
        socket.release()
        return "receives what had to wait"

    def fall_silent(self, person: Person, how: int) -> str:
        if how % 2:
            self.silent.add(person.code)
            return "answers no ping"
        self.silent.discard(person.code)
        return "answers pings again"

    def second_tab(self, person: Person, how: int) -> str:
        if person.page_name != "Hand" if person.page else True:
            return ""
        self.sit_down(person, f"second tab {how % 3}")
        return "opens a second tab"

    # ------------------------------------------------------------------ steps of others

    def time_passes(self, _person: Person, how: int) -> str:
        ms = 1 + how * how if how % 8 else 1000 * (1 + how)
        self.pass_ms(ms)
        return f"— {ms} ms pass"

    def pass_ms(self, ms: int) -> None:
        """Lets time pass in seconds, so that what is due happens in its order."""
        while ms > 0:
            Computer.machine.pass_ms(min(ms, 1000))
            ms -= 1000
            self.run()

    def steer(self, person: Person, how: int) -> str:
        kind = ("pause", "go_on", "go_on", "drop_out", "come_back", "message", "release", "go_on")[how % 8]
        form = {"what": kind, "participants": person.code, "text": "Hello"}
        self.ask("researcher", "POST", f"/cardlab/progress/{person.session}/do", _ignore, form)
        return f"gets from the researcher: {kind}"

    def advance(self, person: Person, _how: int) -> str:
        form = {"participants": person.code}
        self.ask("researcher", "POST", f"/cardlab/advance/{person.session}", _ignore, form)
        return "is moved on by the researcher"

    def withdraw(self, person: Person, _how: int) -> str:
        """The researcher removes the data of one participant of the schedule."""
        others = [other for other in self.model.people if other.withdrawal and other is not person]
        if others or person.withdrawal == "done":
            return ""
        person.withdrawal = person.withdrawal or "asked"
        self.state.withdrawing.add(person.code)

        def answered(request: Request) -> None:
            if request.status == 200:
                person.withdrawal = "done"
                self.model.tallies["withdrawals acknowledged"] += 1
                self.look()
                assert person.code not in self.state.participants, "a withdrawal is not committed"

        body = json.dumps({"participant": person.code, "paid": True}).encode()
        self.ask("researcher", "POST", "/api/withdraw", answered, headers=_rest(), body=body)
        return "withdraws"

    def create_session(self, _person: Person | None, _how: int) -> str:
        if self.model.sessions_asked >= 3:
            return ""
        self.model.sessions_asked += 1

        def answered(request: Request) -> None:
            if request.status == 200:
                self.model.told_sessions.add(json.loads(request.content)["code"])
                self.model.tallies["sessions acknowledged"] += 1
                self.look()

        fields = {"session_config_name": self.config, "room_name": None, "num_participants": self.size}
        body = json.dumps({**fields, "modified_session_config_fields": self.fields}).encode()
        self.ask("researcher", "POST", "/api/sessions", answered, headers=_rest(), body=body)
        return "— a session is created"

    def timeout_worker(self, _person: Person, _how: int) -> str:
        """The process that ends pages whose time is up, over its own connection: one task."""
        if self.worker_is_busy:
            return ""
        try:
            return self.run_task()
        except InjectedFault:
            self.worker_connection = None
            return "— the timeout worker cannot read the database"

    def run_task(self) -> str:
        import sqlite3

        from cardlab.core import clock

        connection = self.worker_connection = self.worker_connection or sqlite3.connect(FILE)
        task = connection.execute(
            "SELECT id, method, kwargs_json FROM otree_taskqueuemessage WHERE epoch_time <= ? "
            "ORDER BY epoch_time LIMIT 1",
            [clock.time()],  # the clock that it shares with the server
        ).fetchone()
        if task is None:
            return ""
        number, method, fields = task
        fields = json.loads(fields)
        if method == "submit_expired_url":
            who, limit, verb = [fields["participant_code"]], fields["page_index"], "POST"
            people = [code for code in who if self.index_of(code) == limit]
        else:
            ids, limit, verb = fields["participant_pks"], fields["page_index"] + 1, "GET"
            rows = self.state.participants.values()
            people = [row.code for row in rows if row.id in ids and row.index <= limit]
        waiting, failed = set(people), []
        self.worker_is_busy = True

        def done(code: str, request: Request | None) -> None:
            waiting.discard(code)
            if request is not None and request.status >= 400:
                failed.append(code)
            if waiting:
                return
            self.worker_is_busy = False
            if not failed:
                self.delete_task(number)

        if not people:
            done("", None)
        for code in people:
            form = {"timeout_happened": "True"} if verb == "POST" else None
            headers = {HEADER.lower(): signature()}
            path = self.address_of(code)
            self.ask("worker", verb, path, lambda request, code=code: done(code, request), form, headers)
        return f"— the timeout worker: {method} for {len(people)} participants"

    def delete_task(self, number: int) -> None:
        import sqlite3

        connection = self.worker_connection
        try:
            connection.execute("DELETE FROM otree_taskqueuemessage WHERE id = ?", [number])
            connection.commit()
        except sqlite3.OperationalError:  # a fault, or a page has the lock, for which nobody waits here
            connection.give_up()
            connection.close()
            self.worker_connection = None  # the task is done again

    def index_of(self, code: str) -> int:
        row = self.state.participants.get(code)
        return row.index if row else -1

    def address_of(self, code: str) -> str:
        """Returns the address of the page that a participant is at."""
        from otree.common import get_constants, get_pages_module

        index = self.index_of(code)
        sequence = get_pages_module(self.app).page_sequence
        page = sequence[(index - 1) % len(sequence)]
        url = get_constants(self.app).get_normalized("name_in_url")
        return page.get_url(code, url, index)

    def engine_answers(self, _person: Person, how: int) -> str:
        searches = self.server.engine.searches
        if not searches:
            return ""
        engine, question, future = searches.pop(how % len(searches))
        if future.done():
            return ""
        if how % 8 == 0:
            future.set_result(None)
            return "— the engine finds nothing in time"
        from cardlab.core import engine_pool

        future.set_result(engine_pool.answer(engine, question))
        return "— the engine answers"

    # ------------------------------------------------------------------ what goes wrong

    def fail(self, _person: Person, how: int) -> str:
        plan = PLANS[how % len(PLANS)]
        after = (how * 7 // len(PLANS)) % (12 if plan.at == "statement" else 3)
        self.disk.plans.append(Plan(plan.at, plan.kind, after, plan.times))
        return f"— will happen at the next {plan.at} but {after}: {plan.kind}"

    def crash(self, _person: Person, how: int) -> str:
        if how % 2:
            kind = CRASHES[how // 2 % len(CRASHES)]
            at = "statement" if kind == "crash at a statement" else "commit"
            self.disk.plans.append(Plan(at, kind, how // 16 % 12 if at == "statement" else how // 16 % 3))
            return f"— will happen: {kind}"
        self.disk.crash("crash")
        return ""

    def checkpoint(self, _person: Person, how: int) -> str:
        self.disk.checkpoint(is_interrupted=how % 8 == 7)
        return "— the WAL is checkpointed"

    def write_journal(self, _person: Person, _how: int) -> str:
        try:
            self.server.lab.journal.write_changes()
        except Exception as error:
            if not self.disk.raised:
                raise
            return f"— the journal is not written: {type(error).__name__}"
        return "— the journal is written"

    def set_clock(self, _person: Person, how: int) -> str:
        Computer.machine.set_wall_clock(60 * (how - 128))
        return f"— somebody sets the clock by {60 * (how - 128)} s"

    def forget(self, _person: Person, _how: int) -> str:
        from cardlab.core import hand_cache

        hand_cache._cache.clear()
        return "— what was remembered is forgotten"

    # ------------------------------------------------------------------ a step

    def step(self, kind: int, who: int, how: int, turns: int) -> None:
        """One step: something happens, then the server goes on for a while, or until it is idle."""
        does = STEPS[kind]
        person = self.model.people[who % len(self.model.people)]
        name = f"P{self.model.people.index(person) + 1}"
        self.model.story.append(f"{name} …")  # in case it crashes
        try:
            said = does(self, person, how)
            if not said:
                self.model.story.pop()
                return
            self.model.tallies[f"step: {does.__name__}"] += 1
            self.model.story[-1] = said.removeprefix("— ") if said.startswith("—") else f"{name} {said}"
            Computer.machine.pass_ms(1)
            self.run(None if turns < 160 else (turns - 160) // 2)
        except Crash:
            self.model.story.append("the server crashes, and starts again")
            raise
        self.look()

    def settle(self) -> None:
        """At the end nothing fails any more: everything is served, and everybody can go on."""
        self.disk.plans.clear()
        self.silent.clear()
        for socket in self.sockets.values():
            socket.release()
        self.run()
        for _second in range(SETTLING_SECONDS):
            self.pass_ms(1000)
        open_requests = [f"{one.method} {one.path}" for each in self.requests.values() for one in each]
        assert not open_requests, f"without an answer: {open_requests}"
        for person in self.model.people:
            self.reload(person, 0)
            self.run()
            assert not self.requests.get(person.code), f"{person.code} gets no page"
            if person.withdrawal == "done":
                continue
            if person.withdrawal == "asked" and person.code not in self.state.participants:
                continue
            assert person.page, f"{person.code} gets no page"
            if person.page_name == "Hand":
                self.sit_down(person)
                self.run()
                assert person.board or not person.page, f"{person.code} gets no board"
        self.look()


def _rest() -> dict[str, str]:
    return {"otree-rest-key": REST_KEY, "content-type": "application/json"}


def _ignore(_request: Request) -> None:
    """What the researcher is answered does not matter."""


PLANS = (
    Plan("statement", "statement fails"),
    Plan("write", "statement fails"),
    Plan("write", "statement fails, rolled back"),
    Plan("commit", "commit fails"),
    Plan("commit", "commit fails, rolled back"),
    Plan("commit", "commit fails, but is kept"),
    Plan("statement", "connection lost"),
    Plan("write", "disk full", times=6),
    Plan("commit", "disk full", times=3),
)
SPOKEN = (
    {"back": True},
    {"help": "How?"},
    {"no_help": True},
    {"hidden": True},
    {"hidden": False},
    {"beat": 1},
)
CRASHES = (
    *("crash at a statement", "crash before a commit", "crash in a commit", "crash in a commit"),
    "crash after a commit",
)

STEPS: list[Callable[[Life, Person, int], str]] = []  # 256, one for each value of a byte
for does, times in (
    (Life.go_on, 150),
    (Life.send_again, 8),
    *((Life.time_passes, 20), (Life.engine_answers, 10), (Life.timeout_worker, 8), (Life.reload, 5)),
    *((Life.vanish, 4), (Life.slow_down, 6), (Life.fall_silent, 4), (Life.second_tab, 3), (Life.speak, 4)),
    *((Life.steer, 6), (Life.advance, 2), (Life.withdraw, 1), (Life.create_session, 2)),
    *((Life.fail, 8), (Life.crash, 4), (Life.checkpoint, 4), (Life.write_journal, 3)),
    *((Life.set_clock, 2), (Life.forget, 2)),
):
    STEPS += [does] * times
assert len(STEPS) == 256, len(STEPS)
