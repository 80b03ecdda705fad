"""Measures how fast a move through the hand socket is, compared with a live page of a bare oTree server.

    .venv/bin/python benchmarks/live_move.py

Starts Card Lab and a bare oTree project, each on a free port with its own database. The bare project
imports nothing of Card Lab and has one live page that updates one field and one page with only a Next button.
Messages and page loads of both servers are measured in turn, round after round, so that other work on the
machine affects both alike. Moves of Target the Two are also measured while a computer player searches.
Exit code 1 if a bar is missed. docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import http.client
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

import websockets  # noqa: E402 - comes with oTree
from exported_hands import hands_by_id  # noqa: E402
from server_fixture import LabServer, LabSession  # noqa: E402 - the real server of the tests

from cardlab.operations.environment import venv_program  # noqa: E402
from cardlab.operations.server import wait_until_listening  # noqa: E402

MESSAGES = {1: 500, 20: 1000, 100: 1000}  # concurrent clients → messages of all of them in a round
MOVES_AT_A_HAND = 50  # then a client starts its next hand, so that records grow as in an experiment
WARM_UP = 3  # messages of each connection before anything is measured
PARTICIPANTS = 100
PAGE_CLIENTS = 4  # enough that the server always has a request waiting
PAGE_LOADS = 50  # of each client in a round

MESSAGE_BARS = {1: 8.0, 20: 14.0, 100: 20.0}  # clients → moves a second ÷ bare live messages, at least
PAGE_BAR = 0.85  # loads of the hand page a second ÷ loads of a bare page a second, at least

EARLY, LATE = slice(2, 22), slice(290, 310)  # moves of a hand: twenty from the third on, and about the 300th
LONG_HANDS = 10  # hands of each game that are played to the last late move, one after another
STOCK = 12  # cards of Briscola
LATE_BAR = 1.2  # median time of the late moves ÷ that of the early ones, at most

COMMIT_MS = 10  # added to each commit on the slow disk
HUMAN_SECONDS = 3.0  # between two moves of a client at human pace
HUMAN_MOVES = 12  # of each client on the slow disk
SLOW_DISK_BAR_MS = 100.0  # p99 of a move on the slow disk, at most

THINKING, DEPTH = 40, 8  # participants at human pace against the computer of Challenge, and its search depth
OTHERS = 20  # participants at Target the Two meanwhile
OTHERS_SECONDS = 0.1  # between two moves of one of the others
THINKING_MOVES = 8  # of each participant against the computer in a round
OTHERS_BAR = 1.5  # p99 of the others' moves with the engine ÷ p99 without, at most
REPLY_BAR_MS = 1000.0  # p95 of the computer's reply, at most; also, every move must be searched

BARE_APP = '''\
from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models


class C(BaseConstants):
    NAME_IN_URL = "bare"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    value = models.IntegerField(initial=0)


def creating_session(subsession):
    """Groups of one: a live page reads the whole group at each message, which is cheapest so."""
    subsession.set_group_matrix([[player] for player in subsession.get_players()])


class Plain(Page):
    pass


class Live(Page):
    @staticmethod
    def live_method(player, data):
        player.value = data["value"]
        return {player.id_in_group: {"value": player.value}}


page_sequence = [Plain, Live]
'''
BARE_PAGE = "{{ block title }}Bare{{ endblock }}{{ block content }}{{ next_button }}{{ endblock }}"
BARE_SETTINGS = """\
import os

SESSION_CONFIGS = [dict(name="bare", app_sequence=["bare"], num_demo_participants=1)]
SESSION_CONFIG_DEFAULTS = dict(real_world_currency_per_point=1, participation_fee=0)
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "EUR"
USE_POINTS = True
ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = os.environ.get("OTREE_ADMIN_PASSWORD")
SECRET_KEY = "only for the benchmark"
"""


SLOW_DISK = f'''

import sqlite3
import time


class _OldDisk(sqlite3.Connection):
    """As on an old disk, a commit takes {COMMIT_MS} ms longer."""

    def commit(self):
        if self.in_transaction:
            time.sleep({COMMIT_MS / 1000})
        super().commit()


_connect = sqlite3.connect
sqlite3.connect = lambda *file, **options: _connect(*file, factory=_OldDisk, **options)
sqlite3.dbapi2.connect = sqlite3.connect
'''


class BareServer(LabServer):
    """oTree's production server on a project with one app, with oTree's default database settings."""

    def __init__(
        self,
        folder: Path,
        app_text: str = BARE_APP,
        pages: tuple[str, ...] = ("Plain", "Live"),
        database_url: str | None = None,
    ) -> None:
        app = folder / "bare"
        app.mkdir(parents=True)
        (folder / "_static").mkdir()  # oTree does not start without one
        (folder / "settings.py").write_text(BARE_SETTINGS)
        (app / "__init__.py").write_text(app_text)
        for page in pages:
            (app / f"{page}.html").write_text(BARE_PAGE)
        super().__init__(folder, database_url)

    def start(self) -> BareServer:
        command = [venv_program("otree"), "prodserver1of2", f"127.0.0.1:{self.port}"]
        with open(self.folder / "stderr.txt", "ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        (self.folder / "stdout.txt").touch()
        wait_until_listening(self.process, self.port)
        return self

    def assert_no_fault(self) -> None:
        """Accepts oTree's access log, which contains participant codes; each response is checked instead."""


class WrongAnswer(Exception):
    """The server's response is not the expected one."""


class LiveSeat:
    """A participant at the bare live page."""

    def __init__(self, page: str):
        self.address = html.unescape(re.search(r'id="otree-live" data-socket-url="([^"]+)"', page)[1])
        self.value = 0

    async def sit_down(self, socket) -> None:
        """Does nothing, because oTree's live socket sends nothing on connecting."""

    def message(self) -> dict[str, Any]:
        self.value += 1
        return {"value": self.value}

    def check(self, said: dict[str, Any]) -> None:
        if said != {"otree_success": True, "live_method_payload": {"value": self.value}}:
            raise WrongAnswer(said)


class HandSeat:
    """A participant at a hand of Target the Two that is never solved: Ck exchanges with UP, Nk passes."""

    def __init__(self, page: str):
        self.page = json.loads(re.search(r"var js_vars = (.*?);</script>", page)[1])
        self.address = self.page["socket"]
        self.number = 0

    async def sit_down(self, socket) -> None:
        self.number = json.loads(await socket.recv())["next"] - 1

    def message(self) -> dict[str, Any]:
        self.number += 1
        action = self.action(self.number)
        return {"hand": self.page["hand"], "number": self.number, "action": action, "ms": self.number}

    def action(self, number: int) -> str:
        return "U" if number % 2 else "P"

    def check(self, said: dict[str, Any]) -> None:
        if said.get("next") != self.number + 1 or "refused" in said or said["over"]:
            raise WrongAnswer(said)


class StockSeat(HandSeat):
    """A participant at a hand of Solitario who goes through the stock of Briscola again and again."""

    def action(self, number: int) -> str:
        return "draw" if number % (STOCK + 1) else "turn"


class ChallengeSeat(HandSeat):
    """A participant at a game of Challenge who plays random moves; the response is the computer's move."""

    def __init__(self, page: str):
        super().__init__(page)
        self.said: dict[str, Any] = {}
        self.chance = random.Random(self.page["hand"])

    async def sit_down(self, socket) -> None:
        await self.be_on_turn(socket)

    async def be_on_turn(self, socket) -> None:
        """Reads messages until the computer has moved."""
        self.said = json.loads(await socket.recv())
        while self.said["view"]["waiting_for"] == ["N"]:
            self.said = json.loads(await socket.recv())

    def message(self) -> dict[str, Any]:
        moves = [move for move in self.said["view"]["may"] if move.startswith(("play ", "pick up"))]
        self.number = self.said["next"]
        action = self.chance.choice(moves)
        return {"hand": self.page["hand"], "number": self.number, "action": action, "ms": self.number}

    async def exchange(self, socket) -> float:
        """Returns the seconds from sending a move until it is the participant's turn again."""
        text, sent = json.dumps(self.message()), time.perf_counter()
        await socket.send(text)
        await self.be_on_turn(socket)
        seconds = time.perf_counter() - sent
        if "refused" in self.said or self.said["over"]:
            raise WrongAnswer(self.said)
        return seconds


Seat = LiveSeat | HandSeat


class Figures(NamedTuple):
    """A run's messages or loads per second, percentiles of the response time in ms, and server CPU seconds
    per 1,000 messages or loads (None where the system has no /proc)."""

    rate: float
    p50: float
    p95: float
    p99: float
    cpu: float | None

    def __str__(self) -> str:
        cpu = "        –" if self.cpu is None else f"{self.cpu:9.3f}"
        return f"{self.rate:9.0f} {self.p50:9.2f} {self.p95:9.2f} {self.p99:9.2f} {cpu}"


def cpu_seconds(pid: int) -> float | None:
    """Returns the CPU seconds that a process has used so far; None where there is no /proc."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return None
    fields = stat.read_text().rpartition(")")[2].split()  # the name before it may contain spaces
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Stopwatch:
    """Measures wall time and server CPU time from its creation to :meth:`figures`."""

    def __init__(self, pid: int):
        self.pid = pid
        self.cpu, self.started = cpu_seconds(pid), time.perf_counter()

    def figures(self, seconds: list[float]) -> Figures:
        """Returns the figures, given the response time of each message or load in seconds."""
        elapsed, cpu = time.perf_counter() - self.started, cpu_seconds(self.pid)
        cuts = quantiles(seconds, n=100)
        per_thousand = None if cpu is None else (cpu - self.cpu) / len(seconds) * 1000
        return Figures(len(seconds) / elapsed, *(cuts[at] * 1000 for at in (49, 94, 98)), per_thousand)


async def exchange(seat: Seat, socket) -> float:
    """Returns the seconds from sending a message to having read its response."""
    if isinstance(seat, ChallengeSeat):
        return await seat.exchange(socket)
    text = json.dumps(seat.message())
    sent = time.perf_counter()
    await socket.send(text)
    answer = await socket.recv()
    seconds = time.perf_counter() - sent
    seat.check(json.loads(answer))
    return seconds


async def play(tables: list[tuple[Seat, Any]], messages: int) -> list[float]:
    """Plays one client's hands in turn, one message at a time; returns each response time in seconds."""
    return [await exchange(*tables[count // MOVES_AT_A_HAND]) for count in range(messages)]


async def run(server: LabServer, seats: deque[Seat], clients: int) -> Figures:
    """Measures concurrent clients; connections are opened and warmed up before the clock starts."""
    messages = MESSAGES[clients] // clients
    hands = -(-messages // MOVES_AT_A_HAND)
    async with AsyncExitStack() as connections:
        tables = []
        for seat in list(seats)[: clients * hands]:
            address = f"ws://127.0.0.1:{server.port}{seat.address}"
            socket = await connections.enter_async_context(websockets.connect(address, ping_interval=None))
            await seat.sit_down(socket)
            for _ in range(WARM_UP):
                await exchange(seat, socket)
            tables.append((seat, socket))
        seats.rotate(-len(tables))
        watch = Stopwatch(server.process.pid)
        played = await asyncio.gather(*(play(tables[at::clients], messages) for at in range(clients)))
        return watch.figures([seconds for client in played for seconds in client])


async def early_and_late(server: LabServer, seats: list[Seat]) -> float:
    """Returns how many times as long the late moves of a hand take as the early ones, by the medians."""
    early, late = [], []
    for seat in seats:
        async with websockets.connect(f"ws://127.0.0.1:{server.port}{seat.address}") as socket:
            await seat.sit_down(socket)
            seconds = [await exchange(seat, socket) for _move in range(LATE.stop)]
        early += seconds[EARLY]
        late += seconds[LATE]
    return median(late) / median(early)


async def at_pace(
    server: LabServer, seats: list[Seat], moves: int = HUMAN_MOVES, every: float = HUMAN_SECONDS
) -> Figures:
    """Plays so many moves at all seats concurrently, one every so many seconds, with staggered starts."""

    async def at_leisure(seat: Seat, socket: Any, number: int) -> list[float]:
        await asyncio.sleep(every * number / len(seats))
        seconds = []
        for _move in range(moves):
            taken = await exchange(seat, socket)
            seconds.append(taken)
            await asyncio.sleep(max(0.0, every - taken))
        return seconds

    async with AsyncExitStack() as connections:
        sockets = []
        for seat in seats:
            address = f"ws://127.0.0.1:{server.port}{seat.address}"
            sockets.append(
                await connections.enter_async_context(websockets.connect(address, ping_interval=None))
            )
            await seat.sit_down(sockets[-1])
        watch = Stopwatch(server.process.pid)
        each = [at_leisure(seat, socket, number) for number, (seat, socket) in enumerate(zip(seats, sockets))]
        return watch.figures([taken for one in await asyncio.gather(*each) for taken in one])


class EngineRound(NamedTuple):
    """A round: the others' moves without and with participants who play against the computer of Challenge,
    the computer's replies, and how many of its moves were not searched."""

    without: Figures
    others: Figures
    replies: Figures
    unsearched: int = 0


def measure_during_search(server: LabServer, count: int) -> Iterator[EngineRound]:
    """Yields the measurements of each round, which is played in new sessions."""
    others_moves = round(THINKING_MOVES * HUMAN_SECONDS / OTHERS_SECONDS)

    async def both(others: list[Seat], thinking: list[Seat]) -> EngineRound:
        alone = await at_pace(server, others[:OTHERS], others_moves, OTHERS_SECONDS)
        return EngineRound(
            alone,
            *await asyncio.gather(
                at_pace(server, others[OTHERS:], others_moves, OTHERS_SECONDS),
                at_pace(server, thinking, THINKING_MOVES),
            ),
        )

    for _ in range(count):
        target = server.create_session("ttt_demo", 2 * OTHERS, MaxRounds="1000")
        challenge = server.create_session("challenge_hard", THINKING, check=False, depth=DEPTH)
        others: list[Seat] = [HandSeat(walk(start, "Hand")[1]) for start in target.start_urls]
        thinking: list[Seat] = [ChallengeSeat(walk(start, "Hand")[1]) for start in challenge.start_urls]
        measured = asyncio.run(both(others, thinking))
        hands = hands_by_id(server, challenge.code, "challenge_app").values()
        yield measured._replace(unsearched=sum(len(hand.notes("unsearched")) for hand in hands))


def report_engine(rounds: list[EngineRound]) -> bool:
    """Prints how much the engine slows down others, and its reply times; returns if both bars are met."""
    ratios = [one.others.p99 / one.without.p99 for one in rounds]
    replies, unsearched = median(one.replies.p95 for one in rounds), sum(one.unsearched for one in rounds)
    quick = replies < REPLY_BAR_MS and not unsearched
    print(
        f"\nAgainst the computer of Challenge at depth {DEPTH} {THINKING}, {OTHERS} others, "
        f"median of {len(rounds)} rounds:"
    )
    print(f"{'others, without':24} {middle([one.without for one in rounds])}")
    print(f"{'others, with':24} {middle([one.others for one in rounds])}")
    print(f"{'replies':24} {middle([one.replies for one in rounds])}")
    print(
        f"{'':24} ratio of p99 {median(ratios):.3g} ({min(ratios):.3g} to {max(ratios):.3g}); "
        f"bar {OTHERS_BAR:g}: {verdict(median(ratios) <= OTHERS_BAR)}; "
        f"p95 of replies {replies:.0f} ms, {unsearched} unsearched; bars {REPLY_BAR_MS:g} ms and 0: "
        f"{verdict(quick)}"
    )
    return median(ratios) <= OTHERS_BAR and quick


def measure_slow_disk(folder: Path) -> Figures:
    """Measures a hundred clients at human pace on a server with slow commits."""
    server = LabServer(folder)
    with (server.folder / "settings.py").open("a") as settings:
        settings.write(SLOW_DISK)
    with server:
        session = server.create_session("ttt_demo", PARTICIPANTS, MaxRounds="1000")
        seats: list[Seat] = [HandSeat(walk(start, "Hand")[1]) for start in session.start_urls]
        return asyncio.run(at_pace(server, seats))


def load(server: LabServer, addresses: list[str]) -> Figures:
    """Measures repeated loads of all addresses concurrently, each over its own connection."""

    def reload(address: str, times: int) -> list[float]:
        connection, path = http.client.HTTPConnection("127.0.0.1", server.port), address[len(server.url) :]
        seconds = []
        for _ in range(times):
            asked = time.perf_counter()
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            seconds.append(time.perf_counter() - asked)
            if answer.status != 200:
                raise WrongAnswer(f"{address}: {answer.status}")
        connection.close()
        return seconds

    def all_of(times: int) -> list[float]:
        with ThreadPoolExecutor(len(addresses)) as pool:
            loaded = pool.map(reload, addresses, [times] * len(addresses))
            return [seconds for client in loaded for seconds in client]

    all_of(WARM_UP)
    watch = Stopwatch(server.process.pid)
    return watch.figures(all_of(PAGE_LOADS))


browser = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def walk(start: str, page: str) -> tuple[str, str]:
    """Returns the address and text of the named page, reached from the start link by pressing Next."""
    answer = browser.open(start)
    while f"/{page}/" not in answer.url:
        answer.read()
        if "/Gather/" in answer.url:  # as the page's script asks
            answer = browser.open(f"{answer.url}?here=1")
        else:
            answer = browser.open(answer.url, data=b"")
    return answer.url, answer.read().decode()


class Side(NamedTuple):
    """One of the two servers that are compared: seats for messages, addresses for page loads."""

    server: LabServer
    seats: deque[Seat]
    pages: list[str]


def make_side(
    server: LabServer, session: LabSession, live: str, page: str, seat: Callable[[str], Seat]
) -> Side:
    """Takes the last participants to the page to be loaded, and the others to the live page."""
    players, readers = session.start_urls[:-PAGE_CLIENTS], session.start_urls[-PAGE_CLIENTS:]
    seats = deque(seat(walk(start, live)[1]) for start in players)
    return Side(server, seats, [walk(start, page)[0] for start in readers])


def rounds(bare: Side, lab: Side, count: int) -> Iterator[tuple[str, Figures, Figures]]:
    """Yields the row name, the bare figures and ours, for each run."""
    for _ in range(count):
        for clients in MESSAGES:
            bare_run, our_run = (asyncio.run(run(side.server, side.seats, clients)) for side in (bare, lab))
            yield f"messages, {clients:3} clients", bare_run, our_run
        yield f"page loads, {PAGE_CLIENTS} at once", *(load(side.server, side.pages) for side in (bare, lab))


def during_export(server: LabServer, session: str, seats: deque[Seat]) -> Figures:
    """Measures twenty clients while the actions of the whole session are exported repeatedly."""
    stop = False

    def export() -> None:
        while not stop:
            server.export(session)

    with ThreadPoolExecutor(1) as pool:
        exporting = pool.submit(export)
        try:
            return asyncio.run(run(server, seats, 20))
        finally:
            stop = True
            exporting.result()


Pairs = dict[str, list[tuple[Figures, Figures]]]


def compare(server: LabServer, bare_server: LabServer, count: int) -> tuple[Pairs, LabSession, Side]:
    """Returns the pairs of figures (bare, ours) of each row, our session and our side."""
    people = PARTICIPANTS + PAGE_CLIENTS
    bare = make_side(bare_server, bare_server.create_session("bare", people), "Live", "Plain", LiveSeat)
    session = server.create_session("ttt_demo", people, MaxRounds="1000")
    ours = make_side(server, session, "Hand", "Hand", HandSeat)
    pairs: Pairs = {}
    for name, bare_run, our_run in rounds(bare, ours, count):
        pairs.setdefault(name, []).append((bare_run, our_run))
        print(f"{name}: {our_run.rate:.0f} a second, bare {bare_run.rate:.0f}", flush=True)
    return pairs, session, ours


def long_hands(server: LabServer) -> dict[str, float]:
    """Returns how many times as long late moves take as early ones, by game."""
    sessions = {
        "Target the Two": (HandSeat, server.create_session("ttt_demo", LONG_HANDS, MaxRounds="1000")),
        "Solitario": (StockSeat, server.create_session("solitario_briscola", LONG_HANDS, check=False)),
    }
    late = {}
    for game, (seat, session) in sessions.items():
        seats: list[Seat] = [seat(walk(start, "Hand")[1]) for start in session.start_urls]
        late[game] = asyncio.run(early_and_late(server, seats))
    return late


def middle(runs: list[Figures]) -> Figures:
    """Returns the median of each figure over the runs; None if a run lacks the figure."""
    return Figures(*(None if None in values else median(values) for values in zip(*runs)))


def report(pairs: Pairs) -> bool:
    """Prints medians and ratios; returns whether every bar is met."""
    met = True
    print(f"\n{'':42} {'a second':>9} {'p50 ms':>9} {'p95 ms':>9} {'p99 ms':>9} {'CPU s/1000':>10}")
    for name, runs in pairs.items():
        bar = PAGE_BAR if name.startswith("page") else MESSAGE_BARS[int(name.split()[1])]
        print(f"{name:24} {'bare oTree':17} {middle([bare for bare, _ in runs])}")
        print(f"{'':24} {'hand':17} {middle([ours for _, ours in runs])}")
        ratios = [ours.rate / bare.rate for bare, ours in runs]
        cpu = [bare.cpu / ours.cpu for bare, ours in runs if ours.cpu]
        by_cpu = f", by server CPU {median(cpu):.2f}" if cpu else ""
        met &= median(ratios) >= bar
        print(
            f"{'':24} ratio {median(ratios):.3g} ({min(ratios):.3g} to {max(ratios):.3g} in "
            f"{len(ratios)} rounds{by_cpu}); bar {bar:g}: {verdict(median(ratios) >= bar)}"
        )
    return met


def verdict(met: bool) -> str:
    """Returns the word that is printed for a result."""
    return "met" if met else "MISSED"


def load_average() -> str:
    """Returns the load averages of the machine as text, "unknown" where the system has none."""
    return " ".join(f"{value:.2f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured (5)")
    parser.add_argument("--moves", action="store_true", help="only messages and page loads")
    parser.add_argument("--engine", action="store_true", help="only while a computer player searches")
    arguments = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"Load average before: {load_average()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="card-lab-benchmark-") as folder:
        searching = {"CARD_LAB_COMPILED": os.environ.get("CARD_LAB_COMPILED", "")}
        server = LabServer(Path(folder) / "card_lab", environment=searching)
        bare_server = BareServer(Path(folder) / "bare_project")
        try:
            with server, bare_server:
                if arguments.engine:
                    return 0 if report_engine(list(measure_during_search(server, arguments.rounds))) else 1
                pairs, session, ours = compare(server, bare_server, arguments.rounds)
                if arguments.moves:
                    return 0 if report(pairs) else 1
                searching_rounds = list(measure_during_search(server, arguments.rounds))
                late = long_hands(server)
                exporting = during_export(server, session.code, ours.seats)
            slow = measure_slow_disk(Path(folder) / "slow_disk")
        except Exception:
            for each in (server, bare_server):
                print(f"The log of {each.folder.name}:\n{each.stderr_text()}", file=sys.stderr)
            raise
    met = report(pairs) & report_engine(searching_rounds)
    slow_met = slow.p99 <= SLOW_DISK_BAR_MS
    print()
    for game, times in late.items():
        print(
            f"{game}: the 300th move of a hand takes {times:.3g} times as long as the third: "
            f"{verdict(times <= LATE_BAR)}"
        )
    print(f"Commits {COMMIT_MS} ms slower, 100 clients at human pace: {slow}: {verdict(slow_met)}")
    met = met and max(late.values()) <= LATE_BAR and slow_met
    print(f"During exports: 20 clients, {'':24}{exporting}")
    print(f"Load average after: {load_average()}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
