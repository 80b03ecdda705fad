"""Measures how much the open Progress tab slows down moves.

    .venv/bin/python benchmarks/progress.py

Starts Card Lab on a free port. 200 participants of Target the Two play at human pace, each with the presence
socket of their page. Every other half minute, the rows of the tab are polled as its script does. Halves with
and without the tab alternate, so that other work on the machine affects both alike. Exit code 1 if the bar
is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import platform
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import live_move
import websockets
from live_move import HandSeat, load_average, verdict, walk
from server_fixture import LabServer

PEOPLE = 200
SECONDS = 30  # of each half
PACE = 3.0  # seconds between two moves of a participant
EVERY = 2.0  # seconds between two requests of the tab
BAR = 1.2  # p99 of a move with the tab open ÷ p99 without, at most


@contextlib.contextmanager
def tab(server: LabServer, session: str, opened: bool) -> Iterator[tuple[list[float], list[int]]]:
    """Polls the tab's rows in a thread, if ``opened``; yields the response times (ms) and sizes (bytes)."""
    looks: list[float] = []
    sizes: list[int] = []
    closed = threading.Event()
    browser = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def look() -> None:
        while not closed.is_set():
            begun = time.perf_counter()
            answer = browser.open(f"{server.url}/cardlab/progress/{session}/rows", timeout=60).read()
            looks.append(1000 * (time.perf_counter() - begun))
            sizes.append(len(answer))
            closed.wait(EVERY)

    asking = threading.Thread(target=look)
    if opened:
        asking.start()
    try:
        yield looks, sizes
    finally:
        closed.set()
        if opened:
            asking.join()


async def halves(
    server: LabServer, session: str, seats: list[HandSeat], rounds: int
) -> list[dict[bool, float]]:
    """Plays half a minute with the tab and one without in each round; returns their p99 in ms."""
    found: list[dict[bool, float]] = []
    async with contextlib.AsyncExitStack() as stack:
        for seat in seats:
            address = f"ws://127.0.0.1:{server.port}/here/{seat.address.split('/')[2]}"
            await stack.enter_async_context(websockets.connect(address, ping_interval=None))
        for number in range(rounds):
            found.append({})
            for opened in (False, True) if number % 2 else (True, False):
                with tab(server, session, opened) as (looks, sizes):
                    moves = await live_move.at_pace(server, seats, round(SECONDS / PACE), PACE)
                found[-1][opened] = moves.p99
                said = f", a look {median(looks):.0f} ms, {sizes[-1]} bytes" if looks else ""
                words = "with the tab" if opened else "without"
                print(f"{words:13} p50 {moves.p50:6.2f} ms, p99 {moves.p99:6.2f} ms{said}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often both are measured (5)")
    parser.add_argument("--people", type=int, default=PEOPLE, help=f"how many play ({PEOPLE})")
    arguments = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"Load average before: {load_average()}", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="card-lab-benchmark-") as folder,
        LabServer(Path(folder) / "card_lab") as server,
    ):
        session = server.create_session("ttt_demo", arguments.people, MaxRounds="1000")
        seats = [HandSeat(walk(start, "Hand")[1]) for start in session.start_urls]
        found = asyncio.run(halves(server, session.code, seats, arguments.rounds))
    ratios = [each[True] / each[False] for each in found]
    ratio = median(each[True] for each in found) / median(each[False] for each in found)
    spread = f"{min(ratios):.3g} to {max(ratios):.3g} in {len(ratios)} rounds"
    print(f"ratio of the median p99 {ratio:.3g} ({spread}); bar {BAR:g}: {verdict(ratio <= BAR)}")
    print(f"Load average after: {load_average()}")
    return 0 if ratio <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
