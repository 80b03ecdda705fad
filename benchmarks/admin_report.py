"""Measures how much drawing the Report tab slows down live moves.

    .venv/bin/python benchmarks/admin_report.py

Starts Card Lab on a free port with one session of Target the Two. The project's own functions write forty
played hands of each of a hundred participants into the database. Others play live, each with a move at
regular intervals, or as soon as the last one is answered. Each round has a half without the tab and one in
which it is opened and drawn repeatedly. Exit code 1 if a bar is missed. docs/explanation/performance.md has
the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import random
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

import live_move  # which finds the project
import websockets
from live_move import HandSeat, browser, exchange, load_average, walk
from record_builder import Record, action_events, append_events, fold, opening_record
from server_fixture import LabServer, LabSession

from cardlab.core.protocol import Message
from cardlab.core.record_chain import chain
from cardlab.games.record import read_opening
from cardlab.games.ttt import rules
from cardlab.games.ttt.solver import shortest

PARTICIPANTS, HANDS = 100, 40  # participants who have finished, and the hands of each
CLIENTS = 20  # participants who play live
EVERY_MS = 100  # between two moves of a client
SECONDS = 15  # of play in each half of a round
MOST_MOVES = 1000  # of a hand, by MaxRounds
LOOK_EVERY = 0.7  # seconds between two requests, as in the tab

SIDE = {False: "without", True: "with the tab"}

BAR = 2.0  # p99 of a move while the tab is drawn ÷ p99 without, at most


def played_record(opening_line: str, chance: random.Random, now_ms: int) -> Record:
    """Returns the record of a finished hand: pick-ups, detours, refusals, then the shortest route."""
    record, number, ms = opening_record(read_opening(opening_line), now_ms), 1, 0
    while not (hand := fold(rules, record)).is_over:
        state = hand.state
        way = shortest(state.layout, state.goal, state.turn)
        action = chance.choice("UCNTP") if state.moves < 8 and chance.random() < 0.4 else way[0]
        ms += chance.randint(800, 6000)
        traces = ((f"pick {state.turn}", ms - 400),)
        events, refused = action_events(
            hand, "solo", Message(1, hand.next_number + 1, action, ms, traces), now_ms + ms
        )
        if refused:  # numbered as if the pick-up were not there
            events, refused = action_events(
                hand, "solo", Message(1, hand.next_number, action, ms), now_ms + ms
            )
        record = append_events(rules, record, events)
        number += 1
    return record


def fill(server: LabServer, session: str) -> int:
    """Writes the hands of the first ``PARTICIPANTS`` participants; returns how many were written."""
    chance, now_ms = random.Random(1), time.time_ns() // 1_000_000
    rounds = """
        SELECT participant._session_code || '-' || participant.code || '-' || player.round_number,
            player.session_id, subsession.opening FROM ttt_solo_app_player AS player
        JOIN ttt_solo_app_subsession AS subsession ON subsession.id = player.subsession_id
        JOIN otree_participant AS participant ON participant.id = player.participant_id
        WHERE participant._session_code = ? AND participant.id_in_session <= ? AND subsession.opening != ''
    """
    wanted = server.query(rounds, session, PARTICIPANTS)
    lines = []
    for whose, session_id, opening in wanted:
        hand = f"ttt_solo_app-{whose}"
        record = chain(hand, "", played_record(opening, chance, now_ms))
        lines += [(hand, number, session_id, *line) for number, line in enumerate(record, 1)]
    with contextlib.closing(server.sqlite()) as database, database:
        database.executemany(
            "INSERT INTO card_lab_line (hand, number, session_id, text, digest) VALUES (?, ?, ?, ?, ?)", lines
        )
    return len(wanted)


class Client:
    """A participant who plays live, at a new hand in each half of a round."""

    def __init__(self, server: LabServer, start: str):
        self.port = server.port
        self.url, page = walk(start, "Hand")
        self.seat = HandSeat(page)

    async def play(self, until: float, every: float, limit: int) -> list[float]:
        """Plays until a deadline, but never the hand's last move; returns each response time in seconds."""
        seconds: list[float] = []
        async with self._connected() as socket:
            await asyncio.sleep(every * random.random())
            while self.seat.number < limit - 1 and time.perf_counter() < until:
                seconds.append(await exchange(self.seat, socket))
                await asyncio.sleep(max(0.0, every * random.uniform(0.5, 1.5) - seconds[-1]))
        return seconds

    async def finish(self, limit: int) -> None:
        """Plays the hand to its end, without measuring."""
        async with self._connected() as socket:
            while self.seat.number < limit:
                await socket.send(json.dumps(self.seat.message()))
                await socket.recv()

    def next_hand(self) -> None:
        answer = browser.open(self.url, data=b"")
        self.url, self.seat = answer.url, HandSeat(answer.read().decode())

    @contextlib.asynccontextmanager
    async def _connected(self):
        address = f"ws://127.0.0.1:{self.port}{self.seat.address}"
        async with websockets.connect(address, ping_interval=None) as socket:
            await self.seat.sit_down(socket)
            yield socket


class Opened(NamedTuple):
    """The seconds until the tab's page was loaded, and until the report was there; the report's size."""

    page: float
    report: float
    size: int  # bytes


def open_tab(
    server: LabServer, session: str, enough: threading.Event, app: str = "ttt_solo_app"
) -> Iterator[Opened]:
    """Opens the tab repeatedly, as its script does, until ``enough`` is set; yields what each took."""
    address = f"{server.url}/cardlab/report/{session}/{app}"

    def ask(url: str, data: bytes | None = None) -> bytes:
        with browser.open(urllib.request.Request(url, data)) as answer:
            return answer.read()

    while not enough.is_set():
        asked = time.perf_counter()
        ask(f"{server.url}/AdminReport/{session}")
        page = time.perf_counter() - asked
        state: dict[str, Any] = json.loads(ask(address, b""))
        while state["under_way"] and not enough.wait(LOOK_EVERY):
            state = json.loads(ask(address))
        if enough.is_set():
            return
        if state["words"]:
            raise live_move.WrongAnswer(state["words"])
        report = ask(f"{address}/report.html")
        yield Opened(page, time.perf_counter() - asked, len(report))


class Half(NamedTuple):
    """Half a round: the response time of every move in seconds, and each opening of the tab."""

    moves: list[float]
    tabs: list[Opened]

    def percentile_ms(self, hundredth: int) -> float:
        """Returns a percentile of the response times, in milliseconds."""
        return quantiles(self.moves, n=100)[hundredth - 1] * 1000


class Play(NamedTuple):
    """The length of a half and the mean pause between two moves, in seconds; the moves of a hand."""

    seconds: float
    every: float
    limit: int


def run(server: LabServer, session: str, clients: list[Client], how: Play, tab: bool) -> Half:
    """Plays half a round with all clients; with ``tab``, the report is drawn repeatedly meanwhile."""
    enough, tabs = threading.Event(), []

    def watch() -> None:
        tabs.extend(open_tab(server, session, enough))

    async def playing() -> list[float]:
        until = time.perf_counter() + how.seconds
        measured = await asyncio.gather(*(client.play(until, how.every, how.limit) for client in clients))
        return [one for moves in measured for one in moves]

    async def finishing() -> None:
        await asyncio.gather(*(client.finish(how.limit) for client in clients))

    watching = threading.Thread(target=watch)
    if tab:
        watching.start()
    try:
        moves = asyncio.run(playing())
    finally:
        enough.set()
        if tab:
            watching.join()
    asyncio.run(finishing())
    for client in clients:
        client.next_hand()
    if tab:
        wait_for_report(server, session)
    return Half(moves, tabs)


def wait_for_report(server: LabServer, session: str) -> None:
    """Waits until no report is being drawn, so that none slows down the next half."""
    address = f"{server.url}/cardlab/report/{session}/ttt_solo_app"
    while json.loads(browser.open(address).read())["under_way"]:
        time.sleep(0.2)


def measure(server: LabServer, arguments: argparse.Namespace) -> bool:
    """Creates the session, plays all rounds and prints the figures; returns whether the bar is met."""
    people, every = PARTICIPANTS + CLIENTS, arguments.every / 1000
    limit = min(MOST_MOVES, round(2 * arguments.seconds / every)) if every else MOST_MOVES
    how = Play(arguments.seconds, every, limit)
    session: LabSession = server.create_session(
        "ttt_static_422", people, practice_hands=0, check=False, MaxRounds=str(how.limit)
    )
    print(f"{fill(server, session.code)} hands written", flush=True)
    clients = [Client(server, start) for start in session.start_urls[PARTICIPANTS:]]
    run(server, session.code, clients, how._replace(seconds=2), tab=False)  # warm
    ratios, sides = [], {False: [], True: []}
    for count in range(arguments.rounds):
        order = (False, True) if count % 2 == 0 else (True, False)
        pair = {tab: run(server, session.code, clients, how, tab) for tab in order}
        for tab, half in pair.items():
            sides[tab].append(half)
            print(
                f"{SIDE[tab]:13} {len(half.moves):6} moves, p50 {half.percentile_ms(50):6.2f} ms, "
                f"p99 {half.percentile_ms(99):6.2f} ms, "
                f"most {max(half.moves) * 1000:6.1f} ms; tab opened {len(half.tabs)} times",
                flush=True,
            )
        ratios.append(pair[True].percentile_ms(99) / pair[False].percentile_ms(99))
    # A burst of other work on the machine affects only one half, so the moves of all rounds are pooled.
    alone, with_tab = (Half([one for half in sides[tab] for one in half.moves], []) for tab in SIDE)
    for words, half in zip(SIDE.values(), (alone, with_tab), strict=True):
        print(
            f"{words:13} all moves: p50 {half.percentile_ms(50):.2f} ms, p99 {half.percentile_ms(99):.2f} ms"
        )
    ratio = with_tab.percentile_ms(99) / alone.percentile_ms(99)
    met = ratio <= BAR
    print(
        f"ratio of p99 {ratio:.3g} ({min(ratios):.3g} to {max(ratios):.3g} in {len(ratios)} rounds); "
        f"bar {BAR:g}: {'met' if met else 'MISSED'}"
    )
    tabs = [one for half in sides[True] for one in half.tabs]
    if tabs:
        pages, reports = [1000 * one.page for one in tabs], [one.report for one in tabs]
        print(
            f"The tab: its page after {median(pages):.0f} ms (most {max(pages):.0f}), the report of "
            f"{tabs[-1].size / 1000:.0f} kB after {median(reports):.1f} s (most {max(reports):.1f}), "
            f"{len(tabs)} times"
        )
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often both halves are measured (5)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"of each half ({SECONDS})")
    parser.add_argument(
        "--every",
        type=float,
        default=EVERY_MS,
        help=f"ms between two moves of a client ({EVERY_MS}); 0 is none",
    )
    arguments = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"Load average before: {load_average()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="card-lab-benchmark-") as folder:
        server = LabServer(Path(folder) / "card_lab")
        try:
            with server:
                met = measure(server, arguments)
        except Exception:
            print(f"The server's log:\n{server.stderr_text()}", file=sys.stderr)
            raise
    print(f"Load average after: {load_average()}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
