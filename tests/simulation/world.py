"""Simulates a laboratory in one process, with a simulated clock and every kind of fault.

Participants send, resend, reload the page, open a second one and vanish. Timers fire, and a researcher moves
people on. Commits fail, with and without being kept, and pages are processed while others move. The server is
killed between any two steps.

The service, its hub and the order of its answers are the server's own; database, clock, network and browsers
are simulated. A step is three bytes, so a failing schedule can be shrunk to its essential steps. After each
step :meth:`World.look` checks the invariants.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import without_database  # noqa: F401
from folded_record import FoldedRecord
from memory_records import MemoryRecords

from cardlab.core import hand_cache
from cardlab.core.clock import Jump
from cardlab.core.record_chain import HandKey, RecordEnd, RecordLine
from cardlab.core.transitions import RELOAD, EngineAnswer
from cardlab.games.contract import Rules
from cardlab.games.events import BACK, DROPPED_OUT, PAUSE, RESUME, SECOND_TAB_PLAYS
from cardlab.games.hand import Hand
from cardlab.games.record import Opening
from cardlab.live.batch import Answer
from cardlab.live.client import Client
from cardlab.live.group_commit import GroupCommit, Request
from cardlab.live.hand_hub import RETRY_SECONDS, HandHub, Question
from cardlab.live.hand_service import HandService
from cardlab.live.presence import Presence
from cardlab.live.seat import Playable, Seat

SHOWN_TO_A_SEAT = {"hand", "next", "clock", "time", "view", "over", "result", "wait", "refused", "paused"}


class DiskFails(Exception):
    """A failure of the simulated database."""


class Disk(MemoryRecords):
    """Stores records and fails on request."""

    def __init__(self, page_of: Callable[[int], int | None]) -> None:
        super().__init__(page_of)
        self.faults: list[str] = []
        self.tallies: Counter[str] = Counter()

    def _fails(self, *what: str) -> bool:
        if self.faults and self.faults[0] in what:
            self.tallies[f"fault: {self.faults.pop(0)}"] += 1
            return True
        return False

    def end_and_page(self, key: HandKey) -> tuple[RecordEnd, int] | None:
        if self._fails("reading"):
            raise DiskFails
        return super().end_and_page(key)

    def append(self, key: HandKey, end: RecordEnd, lines: list[RecordLine]) -> None:
        if self._fails("writing"):
            raise DiskFails
        super().append(key, end, lines)
        if self._fails("after writing"):
            raise DiskFails

    def commit(self) -> None:
        if self.added and self._fails("commit"):
            raise DiskFails
        if self.added and self._fails("commit, kept"):
            super().commit()
            raise DiskFails
        super().commit()


FAULTS = ("reading", "writing", "after writing", "commit", "commit, kept")


class Clock:
    """Replaces the server's clock."""

    def __init__(self) -> None:
        self.ms = 1_800_000_000_000
        self.jumps: list[Jump] = []

    def now_ms(self) -> int:
        return self.ms


class Timer:
    """Stands for the timer that ``call_later`` returns."""

    def __init__(self, ms: float, call: Callable[[], None]) -> None:
        self.ms, self.call, self.cancelled = ms, call, False

    def cancel(self) -> None:
        self.cancelled = True


class Loop:
    """The event loop's timers, driven by the world's clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.timers: list[Timer] = []

    def call_later(self, seconds: float, call: Callable[..., None], *arguments: Any) -> Timer:
        timer = Timer(self.clock.ms + 1000 * seconds, partial(call, *arguments))
        self.timers.append(timer)
        return timer

    def call_soon_threadsafe(self, call: Callable[..., None], *arguments: Any) -> None:
        call(*arguments)

    def ring(self) -> None:
        """Calls all timers that are due."""
        self.timers = [timer for timer in self.timers if not timer.cancelled]
        due = [timer for timer in self.timers if timer.ms <= self.clock.ms]
        self.timers = [timer for timer in self.timers if timer not in due]
        for timer in due:
            timer.call()


class Search:
    """A running engine search."""

    def __init__(self, hand_id: str, seat: Seat, question: Question) -> None:
        self.hand_id, self.seat, self.question = hand_id, seat, question
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class WatchedTables(HandHub):
    """The server's hub.

    Its own work waits in the queue like any request, and the world decides when an engine answers.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world.service, None, world.group_commit, Presence())
        self.world = world
        self._event_loop = world.loop  # type: ignore[assignment]

    def _close_soon(self, client: Client) -> None:
        """Does nothing: the tab has left the hub, so it gets no more messages."""

    def _play_due_soon(self, hand_id: str) -> None:
        elsewhere: list[Any] = []
        asked = partial(self._handle_due, hand_id, elsewhere), partial(self._respond, hand_id, elsewhere)
        self.world.ask(*asked, is_move=True)

    def _start_search(self, hand_id: str, seat: Seat, question: Question) -> Search:
        search = Search(hand_id, seat, question)
        self.world.searches.append(search)
        return search

    def answer(self, search: Search, action: str | None) -> None:
        elsewhere: list[Any] = []
        found = EngineAnswer(*search.question, action)
        self.world.ask(
            partial(self._handle_due, search.hand_id, elsewhere, search.seat, found),
            partial(self._respond_to_engine, search.hand_id, elsewhere, search.question),
        )


class FakeTab:
    """Simulates a tab and records its messages."""

    def __init__(self, seat: Seat, name: str, world: World) -> None:
        self.seat, self.name, self.world = seat, name, world
        self.last_message: dict[str, Any] = {}
        self.inbox: list[dict[str, Any]] = []
        self.silent = False  # like a tab whose network cable is unplugged

    def ping(self) -> None:
        if not self.silent:
            self.world.hub.reset_missed_pings(self)

    def send(self, message: dict[str, Any]) -> None:
        self.world.check_message(self.seat, message)
        self.last_message = message
        self.inbox.append(message)


class Browser:
    """Simulates a browser: what it shows, what it has sent, and what is in flight."""

    def __init__(self, person: int, name: str) -> None:
        self.person, self.name = person, name
        self.tab: FakeTab | None = None
        self.board: dict[str, Any] = {}
        self.opening = False
        self.joining: FakeTab | None = None  # a tab that counted as gone and is rejoining
        self.unanswered = ""
        self.outbox: list[str] = []

    def __str__(self) -> str:
        return f"{['first', 'second', 'third', 'fourth'][self.person]} person's {self.name}"


class PendingPage:
    """A page whose participant leaves the hand. It holds the lock, then writes, then commits or fails."""

    def __init__(self, person: int, seat: Seat, outcome: str, fails: bool) -> None:
        self.person, self.seat, self.outcome, self.fails = person, seat, outcome, fails
        self.records: MemoryRecords | None = None  # oTree's own connection, once the page has written


class World:
    """Holds the session; ``openings`` are its hands in order, shared by all seats."""

    def __init__(self, rules: Rules, openings: list[Opening]) -> None:
        self.page: type[Playable] = type("Page", (Playable,), {"rules": rules, "pay": self.pay})
        self.rules, self.openings = rules, openings
        first = Hand(rules, openings[0])
        self.seats = first.human_seats
        self.on_page = [0] * len(self.seats)  # each person's hand, by index; the number of hands at the end
        self.clock = Clock()
        self.records = Disk(lambda person: self.on_page[person])
        self.tallies = self.records.tallies  # counts of events
        people = range(len(self.seats))
        self.browsers = [Browser(person, name) for name in ("PC", "laptop") for person in people]
        self.on_disk = [FoldedRecord(rules, f"hand {number}") for number in range(len(openings))]
        self.paused, self.dropped = False, frozenset()  # set by the researcher, and committed
        self.story: list[str] = []
        self.sent = 0
        people_rows = {name: SimpleNamespace(payoff=0) for name in self.seats}
        self.players = {  # by hand and seat
            (f"hand {number}", name): SimpleNamespace(_payoff=0, participant=row)
            for number in range(len(openings))
            for name, row in people_rows.items()
        }
        self.start()

    def start(self) -> None:
        """Starts the server with the data on disk."""
        hand_cache._cache.clear()
        self.clock.jumps = []
        self.loop = Loop(self.clock)
        self.searches: list[Search] = []
        self.service = HandService(self.records, self.clock, None, self.clock.ms)
        self.group_commit = GroupCommit(self.service, lock=None)
        self.hub = WatchedTables(self)
        self.service.connections = self.hub
        self.pending_page: PendingPage | None = None
        for browser in self.browsers:
            browser.tab, browser.outbox, browser.opening, browser.joining = None, [], False, None

    # ------------------------------------------------------------------ server calls

    def seat(self, person: int) -> Seat | None:
        """Returns the person's current seat, like ``cardlab.live.seat.find_seat``."""
        number = self.on_page[person]
        if number == len(self.openings):
            return None
        key = HandKey(f"hand {number}", 1, person)
        name, opening = self.seats[person], self.openings[number]
        held = self.paused, self.dropped & {*self.seats}
        return Seat(self.page, key, number, name, number, opening, None, f"p{person}", "tell", *held)

    def pay(self, seat: Seat, hand: Hand, records: MemoryRecords) -> None:
        """Pays everybody for whom the hand is over, as a page does."""
        for name in self.seats:
            if hand.is_over_for(name):
                records.set_payoff(self.players[seat.key.hand, name], hand.result(name).score)

    def check_paid(self) -> None:
        """Checks that exactly the finished hands on disk are paid on disk."""
        for shared in self.on_disk:
            for name in self.seats:
                over = shared.hand is not None and shared.hand.is_over_for(name)
                due = shared.hand.result(name).score if over else 0
                assert self.players[shared.name, name]._payoff == due, f"{name} is not paid for {shared.name}"
        for name in self.seats:
            rows = [row for (_hand, seat), row in self.players.items() if seat == name]
            assert rows[0].participant.payoff == sum(row._payoff for row in rows)

    def ask(
        self,
        ask: Callable[[], Answer],
        then: Callable[[Answer | Exception], Any],
        sender: str = "",
        is_move: bool = False,
    ) -> None:
        """Queues a request, of the participant with the code ``sender``; ``then`` gets its answer."""
        self.group_commit.queue.append(Request(ask, then, asyncio.Future(loop=_LOOP), sender, is_move))

    def serve(self) -> None:
        """Serves all queued requests."""
        for shared in self.on_disk:
            shared.stood = [shared.hand] if shared.hand else []
        waiting = self.group_commit.queue
        while self.group_commit.queue:
            self.group_commit.commit_batch()
        assert all(request.response.done() for request in waiting), "somebody was not answered"
        for request in waiting:
            request.response.result()

    def take(self) -> None:
        """Reads and checks the new lines on disk."""
        for shared in self.on_disk:
            shared.take(self.records.kept.get(shared.name, []))

    # ------------------------------------------------------------------ invariants

    def check_message(self, seat: Seat, message: dict[str, Any]) -> None:
        """Checks that a board is the fold of what is on disk, as its seat may see it."""
        self.take()
        if message == RELOAD or message.keys() <= {"refused"} or "second_tab" in message:
            return
        assert message.keys() <= SHOWN_TO_A_SEAT
        shared = self.on_disk[seat.hand_number]
        shown = (message["next"], message["over"] is not None, message["view"])
        assert any(
            shown
            == (
                hand.seats[seat.name].next_number,
                hand.is_over_for(seat.name),
                self.rules.view(hand.state, seat.name),
            )
            for hand in reversed(shared.stood)
        ), f"{seat.name} received {shown}, which is not on disk"
        assert (message["result"] is None) == (message["over"] is None), "a result before the end"

    def check_answered(self, seat: Seat, ms: int, answer: Answer | Exception) -> None:
        """Checks that the action sent at ``ms``, a browser's time, is on disk if the answer accepts it."""
        self.take()
        is_on_disk = self.on_disk[seat.hand_number].accepted[seat.name, ms]
        if isinstance(answer, Answer) and "view" in answer.message:
            refused = "refused" in answer.message
            assert is_on_disk or refused, f"{seat.name} received that {ms} is accepted, and it is not on disk"
            self.tallies["acknowledged"] += not refused

    def look(self) -> None:
        """Checks the invariants after each step."""
        self.take()
        assert not self.records.added, "something is neither kept nor given up"
        self.check_paid()
        for hand_id, tabs in self.hub._clients.items():
            heard = {tab.seat.name for tab in tabs if not tab.silent}
            assert not heard & self.hub.silent_seats(hand_id), "who is there counts as gone"
            shared = next(each for each in self.on_disk if each.name == hand_id)
            due_ms = self.service.due_ms(shared.hand)
            present = any(self.on_page[tab.seat.key.participant_id] == tab.seat.page_index for tab in tabs)
            if present and due_ms is not None and not self.group_commit.queue:
                timer = self.hub._timers.get(hand_id)
                late = max(due_ms - shared.hand.clock_behind_ms, self.clock.ms + 1000 * RETRY_SECONDS)
                assert timer, f"nobody will play in {hand_id}"
                assert not timer.cancelled
                assert timer.ms <= late + 1, f"{hand_id} is attended to {timer.ms - due_ms} ms late"
            if present and shared.hand.engine_questions and not self.group_commit.queue:
                asked = hand_id in self.hub._searches or hand_id in self.hub._timers
                assert asked, f"nobody has asked the engine in {hand_id}"

    # ------------------------------------------------------------------ the steps

    def step(self, kind: int, which: int, how: int) -> None:
        """Performs one step of the schedule; kind 0 does nothing."""
        perform = STEPS[kind]
        if perform:
            people = len(self.seats)
            laptop_people = people if which >= 200 else 0
            description = perform(self, self.browsers[which % people + laptop_people], how)
            if description:
                self.story.append(description)
            self.look()

    def open(self, browser: Browser, how: int) -> str:
        """Opens or reloads the page; sometimes the server learns only later that the old tab has closed."""
        left = browser.tab
        if left and how % 4:
            self.hub.leave(left)
        browser.tab, browser.outbox, browser.opening, browser.joining = None, [], True, None
        seat, here = self.seat(browser.person), how % 3 != 0

        def then(answer: Answer | Exception) -> None:
            browser.opening = False
            if left and not how % 4:  # the server learns it only now
                self.hub.leave(left)
            if isinstance(answer, Exception):
                self.hub.retry_soon(f"hand {seat.hand_number}" if seat else "")
            if isinstance(answer, Exception) or answer.hand is None:
                return
            browser.tab = FakeTab(seat, browser.name, self)
            self.hub.send_all([(browser.tab, answer.message), *self.hub.join(browser.tab, answer.hand)])

        self.ask(partial(self.connect_tab, browser, seat, here), then, seat.participant_code if seat else "")
        return f"the {browser} opens the page of {seat.key.hand if seat else 'the results'}"

    def connect_tab(self, browser: Browser, seat: Seat | None, here: bool) -> Answer:
        """Connects or rejoins a tab as the socket does."""
        if seat is None or self.on_page[browser.person] != seat.page_index:
            return Answer(RELOAD)
        if not self.hub.is_open_elsewhere(seat, browser.name):
            return self.service.connect_and_write(seat)
        if here:
            return self.service.connect_and_write(seat, SECOND_TAB_PLAYS)
        return self.service.note_second_tab_and_write(seat)

    def join_again(self, browser: Browser, how: int) -> str:
        """Lets a tab that counted as gone rejoin; its messages wait until it has joined."""
        tab, seat = browser.tab, self.seat(browser.person)
        browser.tab, browser.opening, browser.joining = None, True, tab
        tab.silent = False

        def then(answer: Answer | Exception) -> None:
            if isinstance(answer, Exception):
                self.hub.retry_soon(tab.seat.key.hand)
            if browser.joining is not tab:  # it has gone, or the page was reloaded
                return
            browser.opening, browser.joining = False, None
            if isinstance(answer, Exception) or answer.hand is None:
                browser.outbox = []
                return
            browser.tab, tab.seat = tab, seat
            self.hub.send_all([(tab, answer.message), *self.hub.join(tab, answer.hand)])

        self.ask(
            partial(self.connect_tab, browser, seat, how % 3 != 0),
            then,
            seat.participant_code if seat else "",
        )
        return f"the {browser} counted as gone, and joins again"

    def send(self, browser: Browser, how: int) -> str:
        """Sends an action, sometimes illegal or with a wrong number.

        The browser has usually seen the newest board, and the message usually arrives at once.
        """
        if not browser.tab:
            return "" if browser.opening else self.open(browser, how)
        if how % 16:
            self.hear(browser, how)
        number = self.on_page[browser.person]
        if browser.board.get("over") and browser.board["hand"] == number < len(self.openings):
            return self.leave(browser, how)
        hand = self.on_disk[min(number, len(self.openings) - 1)].hand
        if not browser.board or hand is None:
            return ""
        legal = self.rules.legal_actions(hand.state, browser.tab.seat.name)
        action = legal[how % len(legal)] if legal and how % 32 != 31 else "nonsense"
        asked = browser.board["next"] + (how % 5 - 2 if how % 11 == 10 else 0)
        self.sent += 1
        message = {"hand": browser.board["hand"], "number": max(0, asked), "action": action, "ms": self.sent}
        browser.unanswered = json.dumps(message)
        browser.outbox.append(browser.unanswered)
        description = f"the {browser} sends {browser.unanswered}"
        return f"{description}; {self.arrive(browser, how)}" if how % 4 else description

    def send_again(self, browser: Browser, _how: int) -> str:
        """Sends the last message again, over the current connection."""
        if browser.tab and browser.unanswered:
            browser.outbox.append(browser.unanswered)
            return f"the {browser} sends it again"
        return ""

    def arrive(self, browser: Browser, how: int) -> str:
        """Delivers a message to the server, where it waits in the queue."""
        if not browser.tab or not browser.outbox:
            return ""
        if not self.hub.is_joined(browser.tab):
            return self.join_again(browser, how)
        text, tab = browser.outbox.pop(0), browser.tab
        tab.silent = False
        self.hub.reset_missed_pings(tab)
        ms = json.loads(text)["ms"]

        def then(answer: Answer | Exception) -> None:
            self.check_answered(tab.seat, ms, answer)
            message = {"refused": "…"} if isinstance(answer, Exception) else answer.message
            hand = None if isinstance(answer, Exception) else answer.hand
            if isinstance(answer, Exception):
                self.hub.retry_soon(tab.seat.key.hand)
            others = self.hub.messages_to_others(tab.seat.key.hand, hand, sender=tab) if hand else []
            self.hub.send_all([(tab, message), *others])

        handle = partial(self.service.receive_and_write, tab.seat, text)
        self.ask(handle, then, tab.seat.participant_code, is_move=True)
        return f"{text} arrives"

    def serve_queue(self, _browser: Browser, how: int) -> str:
        """Serves all queued requests, or lets the page that holds the lock go on."""
        if self.pending_page:  # the page holds the lock
            return self.continue_page()
        waiting = len(self.group_commit.queue)
        self.serve()
        served = waiting - len(self.group_commit.queue)
        return f"{served} of {waiting} are served" if waiting else ""

    def engine_answers(self, browser: Browser, how: int) -> str:
        """Ends a search with a move or without one; the hand may no longer need it.

        If there is no search, serves all queued requests.
        """
        if not self.searches:
            return self.serve_queue(browser, how)
        search = self.searches.pop(how % len(self.searches))
        hand, (seat, question) = self.on_disk[search.seat.hand_number].hand, search.question
        if search.cancelled or hand.engine_questions.get(seat) != question:
            action = "nonsense"  # a cancelled or outdated answer, which must be ignored
        elif how % 8:
            robot, seed = hand.robots[seat], hand.opening.options["seed"]
            action = self.rules.robot_action(hand.state, seat, robot, seed)
        else:
            action = None
        if not search.cancelled:
            self.hub.answer(search, action)
        return f"the engine answers {search.hand_id}: {action}"

    def hear(self, browser: Browser, _how: int) -> None:
        """Lets the browser show the newest board."""
        for message in browser.tab.inbox:
            if "view" in message:
                browser.board = message
        browser.tab.inbox = []

    def fall_silent(self, browser: Browser, _how: int) -> str:
        """Cuts the connection without notice; the tab answers no ping until its next message arrives."""
        if not browser.tab:
            return ""
        browser.tab.silent = True
        return f"nothing is heard of the {browser}"

    def vanish(self, browser: Browser, _how: int) -> str:
        if not browser.tab:
            return ""
        self.hub.leave(browser.tab)
        browser.tab, browser.outbox, browser.joining = None, [], None
        return f"the {browser} is gone"

    def pass_time(self, _browser: Browser, how: int) -> str:
        self.clock.ms += 1 + how * how
        self.loop.ring()
        return f"{1 + how * how} ms pass"

    def leave(self, browser: Browser, how: int) -> str:
        """Starts leaving a page, moved on or timed out; its commit may fail."""
        seat = self.seat(browser.person)
        if seat is None or self.pending_page:
            return ""
        outcome = "timeout" if how % 5 == 0 else "advanced"
        self.pending_page = PendingPage(browser.person, seat, outcome, how % 8 == 7)
        description = f"the {browser} is about to be moved on ({outcome})"
        return f"{description}; {self.continue_page()}; {self.continue_page()}" if how % 2 else description

    def continue_page(self) -> str:
        """Lets the page write or, at the second call, commit or fail, which releases the lock."""
        page = self.pending_page
        if page.records is None:
            page.records = MemoryRecords()  # it sees what is on disk and commits separately
            page.records.kept = {hand: list(lines) for hand, lines in self.records.kept.items()}
            self.service.leave_and_write(page.seat, page.outcome, page.records)
            return f"the page of {page.seat.name} writes"
        self.pending_page = None
        if page.fails:
            self.tallies["fault: page's commit"] += 1
            return "the page's commit fails"
        page.records.commit()
        self.records.kept = page.records.kept
        self.on_page[page.person] += 1
        return "the page is committed"

    def steer(self, browser: Browser, how: int) -> str:
        """Lets the researcher pause or resume, or mark somebody as dropped out or returned."""
        pauses = not self.paused and how % 8 == 1  # rare, because nobody plays during a pause
        name = (PAUSE if pauses else RESUME) if how % 4 else (DROPPED_OUT if how % 8 else BACK)
        who = self.seats[browser.person]
        seats = [seat for person in range(len(self.seats)) if (seat := self.seat(person))]
        seats = seats if name in (PAUSE, RESUME) else [seat for seat in seats if seat.name == who]

        def ask() -> Answer:
            for seat in seats:
                self.service.note_and_write(seat, name)
            return Answer({})

        def then(answer: Answer | Exception) -> None:
            if isinstance(answer, Exception):
                for seat in seats:
                    self.hub.retry_soon(seat.key.hand)
            elif name in (PAUSE, RESUME):
                self.paused = name == PAUSE
            else:
                self.dropped = self.dropped | {who} if name == DROPPED_OUT else self.dropped - {who}

        self.ask(ask, then)
        return f"the researcher notes: {name} ({who})"

    def fail(self, _browser: Browser, how: int) -> str:
        fault = FAULTS[how % len(FAULTS)]
        self.records.faults += [fault] * (1 + how % 3)
        return f"the next {1 + how % 3} times the disk fails: {fault}"

    def crash(self, _browser: Browser, how: int) -> str:
        self.tallies["fault: crash"] += 1
        self.records.rollback()
        self.records.faults = []
        self.clock.ms += 1000 * (how % 60) - (30_000 if how % 4 == 0 else 0)
        self.start()
        return f"the server is killed, and starts at {self.clock.ms}"

    def forget(self, _browser: Browser, _how: int) -> str:
        hand_cache._cache.clear()
        return "what was remembered is forgotten"

    def jump(self, _browser: Browser, how: int) -> str:
        self.tallies["fault: clock set"] += 1
        self.clock.jumps.append(Jump(self.clock.ms, how - 128.0))
        return "somebody sets the clock"


_LOOP = asyncio.new_event_loop()  # used only for its futures

Step = Callable[[World, Browser, int], str]
STEPS: list[Step | None] = [None]  # 256, one for each value of a byte
for perform, times in (
    *(
        (World.send, 98),
        (World.serve_queue, 25),
        (World.engine_answers, 25),
        (World.arrive, 25),
        (World.pass_time, 22),
    ),
    *((World.open, 16), (World.send_again, 10), (World.forget, 8), (World.fail, 8), (World.vanish, 5)),
    *((World.leave, 2), (World.crash, 2), (World.jump, 2), (World.fall_silent, 2), (World.steer, 5)),
):
    STEPS += [perform] * times
