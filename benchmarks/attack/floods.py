"""Measures how much one hostile client that floods the server slows down everybody's moves and pages.

Participants play Target the Two and load pages at a steady pace, first in quiet, then during a flood. Another
process floods the server from its own IP address, through one seat of the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import random
import re
import time
from collections.abc import Awaitable, Callable
from multiprocessing import get_context
from statistics import median
from typing import NamedTuple

import live_move
import websockets
from findings import Findings
from live_move import HandSeat, walk
from server_fixture import LabServer

from cardlab.rehearsal.browser import Browser
from cardlab.rehearsal.figures import Figures, percentile

PLAYERS, MOVE_EVERY = 20, 0.25  # seconds between two moves of each
READERS, PAGE_EVERY = 6, 0.5  # seconds between two pages of each
SECONDS = 40.0  # of each phase: 480 pages, so that p99 does not depend on two of them

TABS, RECONNECTS, AT_ONCE, CONNECTIONS = 100, 250, 64, 300
PAUSE = 1.0  # seconds between two waves of reconnects


class Target(NamedTuple):
    """What the hostile client knows: the server's port, its own address and pages, a page's bundle."""

    port: int
    address: str
    hand: str
    here: str
    number: int
    bundle: str


class Phase(NamedTuple):
    """The response times of moves and pages in seconds, and the server's CPU seconds per second."""

    moves: list[float]
    pages: list[float]
    cpu: float


# The hostile client.


def frame(text: str) -> bytes:
    """Returns a text frame as a browser sends it, with a mask of zeros."""
    size = len(text)
    length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126, *size.to_bytes(2, "big")])
    return b"\x81" + length + bytes(4) + text.encode()


async def connected(target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", target.port, local_addr=(target.address, 0))


@contextlib.asynccontextmanager
async def asked(target: Target, path: str, *lines: str):
    """Sends a request on a new connection; yields the head of the response, the reader and the writer."""
    reader, writer = await connected(target)
    try:
        host = f"Host: 127.0.0.1:{target.port}"
        writer.write("\r\n".join([f"GET {path} HTTP/1.1", host, *lines, "", ""]).encode())
        yield await reader.readuntil(b"\r\n\r\n"), reader, writer
    finally:
        writer.transport.abort()


def socket(target: Target, path: str):
    origin = f"Origin: http://127.0.0.1:{target.port}"
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", origin)
    return asked(target, path, *upgrade, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")


async def repeat_concurrently(do: Callable[[], Awaitable[None]], times: int) -> None:
    """Runs so many calls concurrently, each again when it has ended."""

    async def one() -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await do()
            await asyncio.sleep(0.001)

    await asyncio.gather(*(one() for _ in range(times)))


async def stale_moves(target: Target) -> None:
    """Opens a hundred tabs, each of which sends stale moves as fast as they are answered."""
    move = frame(json.dumps({"hand": target.number, "number": 0, "action": "U", "ms": 1}))
    names = itertools.count()

    async def tab() -> None:
        async with socket(target, f"{target.hand}?tab={next(names)}&here=1") as (_head, reader, writer):
            while await reader.read(65536):
                writer.write(move)

    await repeat_concurrently(tab, TABS)


async def reconnects(target: Target) -> None:
    """Reconnects all tabs at once, again and again."""

    async def tab(number: int) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
            async with socket(target, f"{target.hand}?tab={number}&here=1") as (_head, reader, _writer):
                await asyncio.wait_for(reader.read(65536), PAUSE)

    while True:
        await asyncio.gather(*(tab(number) for number in range(RECONNECTS)))
        await asyncio.sleep(PAUSE)


async def unknown_seats(target: Target) -> None:
    """Opens sockets of participants that do not exist."""

    async def page() -> None:
        path = f"/here/{random.randrange(10**8):08}"
        async with socket(target, path) as (_head, reader, _writer):
            await reader.read(65536)

    await repeat_concurrently(page, AT_ONCE)


async def pings(target: Target) -> None:
    """Opens tabs that send pings as fast as they can."""

    async def tab() -> None:
        async with socket(target, random.choice([target.here, f"{target.hand}?here=1"])) as opened:
            while not opened[1].at_eof():
                opened[2].write(20 * frame("ping"))
                await opened[2].drain()
                await asyncio.sleep(0.001)

    await repeat_concurrently(tab, TABS)


async def bundles(target: Target) -> None:
    """Requests bundles of a page's scripts in random order."""
    path, _of, names = target.bundle.partition("?of=")
    scripts = names.partition("~")[0].split(",")

    async def file() -> None:
        random.shuffle(scripts)
        address = f"{'/'.join(path.split('/')[:3])}/{scripts[-1]}?of={','.join(scripts)}"
        async with asked(target, address, "Connection: close") as (_head, reader, _writer):
            await reader.read()

    await repeat_concurrently(file, AT_ONCE)


async def connections(target: Target) -> None:
    """Opens a new connection for each page."""

    async def page() -> None:
        async with asked(target, "/login", "Connection: close") as (_head, reader, _writer):
            await reader.read()

    await repeat_concurrently(page, CONNECTIONS)


FLOODS = {
    "tabs": stale_moves,
    "reconnects": reconnects,
    "unknown": unknown_seats,
    "pings": pings,
    "bundles": bundles,
    "connections": connections,
}


def flood(name: str, target: Target) -> None:
    """Floods the server until this process is ended.

    It runs at low priority, because a client on another machine would take no CPU time from the others.
    """
    os.nice(19)
    asyncio.run(FLOODS[name](target))


# The others.


async def play(server: LabServer, seat: HandSeat, until: float, took: list[float]) -> None:
    address = f"ws://127.0.0.1:{server.port}{seat.address}?here=1"
    async with websockets.connect(address, ping_interval=None) as connection:
        await seat.sit_down(connection)
        await asyncio.sleep(random.random() * MOVE_EVERY)
        while time.perf_counter() < until:
            took.append(await live_move.exchange(seat, connection))
            await asyncio.sleep(max(0.0, MOVE_EVERY - took[-1]))


_cookies: dict[str, dict[str, str]] = {}  # of each page's browser, in all phases


async def load(page: str, until: float, took: list[float]) -> None:
    browser = Browser(page, Figures())
    browser._cookies = _cookies.setdefault(page, {})  # the seat is bound to the browser
    await asyncio.sleep(random.random() * PAGE_EVERY)
    while time.perf_counter() < until:
        began = time.perf_counter()
        await browser.poll("/" + page.split("/", 3)[3])
        took.append(time.perf_counter() - began)
        await asyncio.sleep(max(0.0, PAGE_EVERY - took[-1]))


async def phase(server: LabServer, seats: list[HandSeat], pages: list[str], seconds: float) -> Phase:
    """Plays at all seats and loads all pages for so many seconds."""
    moves, pages_took, until = [], [], time.perf_counter() + seconds
    used, began = live_move.cpu_seconds(server.process.pid) or 0.0, time.perf_counter()
    await asyncio.gather(
        *(play(server, seat, until, moves) for seat in seats),
        *(load(page, until, pages_took) for page in pages),
    )
    used = (live_move.cpu_seconds(server.process.pid) or 0.0) - used
    return Phase(moves, pages_took, used / (time.perf_counter() - began))


def measure(server: LabServer, name: str, seconds: float, address: str) -> Findings:
    """Returns how much slower one flood makes moves and pages, printing the figures of both."""
    session = server.create_session("ttt_demo", PLAYERS + READERS + 1, MaxRounds="1000")
    opened = [walk(start, "Hand") for start in session.start_urls]
    seats = [HandSeat(text) for _page, text in opened]
    players, pages = seats[:PLAYERS], [page for page, _text in opened[PLAYERS:-1]]
    bundle = re.search(r'"(/static/[^"]+\.js\?of=[^"]+)"', opened[-1][1])
    here = f"/here/{session.participants[-1]}"
    target = Target(
        server.port, address, seats[-1].address, here, seats[-1].page["hand"], bundle[1] if bundle else ""
    )
    asyncio.run(phase(server, players, pages, 3))  # warm
    quiet = asyncio.run(phase(server, players, pages, seconds))
    hostile = get_context("spawn").Process(target=flood, args=(name, target), daemon=True)
    hostile.start()
    try:
        time.sleep(2)  # until the flood has begun
        flooded = asyncio.run(phase(server, players, pages, seconds))
    finally:
        hostile.kill()
        hostile.join()
    time.sleep(3)  # until the server has handled the remaining requests
    print(f"{name:12} the server's processor: {quiet.cpu:.0%} of a core, {flooded.cpu:.0%} during the flood")
    ratios = []
    for kind in ("moves", "pages"):
        before, during = getattr(quiet, kind), getattr(flooded, kind)
        ratios.append(percentile(during, 99) / percentile(before, 99))
        cuts = [1000 * cut for one in (before, during) for cut in (median(one), percentile(one, 99))]
        print(
            f"{name:12} {kind:6} {len(during):6} quiet p50 {cuts[0]:.1f} ms, p99 {cuts[1]:.1f}; "
            f"flood p50 {cuts[2]:.1f}, p99 {cuts[3]:.1f}; ratio {ratios[-1]:.2f}",
            flush=True,
        )
    return Findings(f"flood: {name}", len(flooded.moves) + len(flooded.pages), p99_ratio=max(ratios))
