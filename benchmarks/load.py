"""A whole laboratory at once, at human pace: how long actions and pages take, and what the server needs.

    .venv/bin/python benchmarks/load.py                                   # both games, about thirteen minutes
    .venv/bin/python benchmarks/load.py --participants 20 --minutes 0.5   # a first impression
    .venv/bin/python benchmarks/load.py --folder /dev/shm                 # on a disk that takes no time
    .venv/bin/python benchmarks/load.py --without gc-schedule             # what this mechanism gains

Starts Card Lab on a free port. First one participant plays alone; then so many come within half a minute and
play, simulated over real pages and sockets (``rehearsal``), an action in three seconds each, while the tab
Progress is open and one export after the other is fetched. Server and participants share the machine. Exit
code 1 if a bar is missed. docs/benchmarks.md tells what the figures mean.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import ablations
import live_move  # which finds the project
import requests
from server_fixture import REST_KEY, LabServer

from cardlab.rehearsal import processes
from cardlab.rehearsal.cohort import Cohort
from cardlab.rehearsal.figures import Figures, percentile
from cardlab.rehearsal.forms import Answers

ALONE_SECONDS = 40.0
ALONE_ACTION = 0.5  # seconds between two actions of the one who plays alone
READING = 3.0  # seconds for a page or a step, so that they play soon
ARRIVAL = 30.0  # seconds within which all come
EXPORT_AFTER = 1.0  # seconds after one export the next is asked for
LOOK_EVERY = 2.0  # seconds, as the tab Progress does (_static/cardlab/progress.js)

KEPT, KEEP_EVERY = 20_000, 0.05  # by which the disk is measured: bytes, seconds
STANDS_STILL = 0.01  # seconds for that, and more

ACTION_BAR = 8.0  # p99 of an action ÷ p50 of who plays alone, at most
MEMORY_BAR = 1.3  # memory at the end ÷ after the arrival, at most
PAGE_BAR_MS = 3000.0  # p99 of a page during the arrival, on an otherwise idle machine

PASSWORD = "of the benchmark"


class Game(NamedTuple):
    """What is played: the config, its app, its fields, and how many sit at a table."""

    config: str
    app: str
    fields: dict[str, Any]
    people: int


GAMES = {
    "target": Game("ttt_static_422", "ttt_solo_app", {"check": False, "practice_hands": 0}, 1),
    "matrix": Game("matrix_two", "matrix_game_app", {"check": False, "games": 6}, 2),
}


class Watched(NamedTuple):
    """Seconds of each look at Progress, of each export, and of the disk for what it was given to keep; and
    what went wrong."""

    looks: list[float]
    exports: list[float]
    disk: list[float]
    wrong: list[str]


class Watch:
    """The researcher meanwhile: the tab Progress open, one export after the other. And the disk by itself."""

    def __init__(self, url: str, session: str, app: str, folder: Path, seconds: float) -> None:
        self.seen = Watched([], [], [], [])
        self._url, self._session, self._app, self._folder = url, session, app, folder
        self._enough = time.perf_counter() + seconds

    def goes_on(self) -> bool:
        return time.perf_counter() < self._enough

    def look(self) -> None:
        with requests.Session() as http:
            http.trust_env = False
            page = http.get(f"{self._url}/login").text
            token = dict(live_move.re.findall(r'name="(\w+)" value="(\d+)"', page))
            http.post(f"{self._url}/login", data={**token, "username": "admin", "password": PASSWORD})
            http.get(f"{self._url}/SessionProgress/{self._session}")
            while self.goes_on():
                began = time.perf_counter()
                answer = http.get(f"{self._url}/cardlab/progress/{self._session}/rows")
                self.seen.looks.append(time.perf_counter() - began)
                if answer.history or answer.status_code != 200:
                    self.seen.wrong.append(f"Progress was answered {answer.status_code} at {answer.url}")
                    return
                time.sleep(LOOK_EVERY)

    def export(self) -> None:
        address = f"{self._url}/api/export_app_custom"
        asked = {"app": self._app, "session_code": self._session, "function_name": "custom_export"}
        with requests.Session() as http:
            http.trust_env = False
            while self.goes_on():
                began = time.perf_counter()
                answer = http.get(address, params=asked, headers={"otree-rest-key": REST_KEY})
                self.seen.exports.append(time.perf_counter() - began)
                if answer.status_code != 200:
                    self.seen.wrong.append(f"An export was answered {answer.status_code}")
                time.sleep(EXPORT_AFTER)

    def keep(self) -> None:
        """Have the disk keep as much as a move writes, into a file that is as long as it will be: no more is
        asked of it than to write and to say when it is done."""
        with open(self._folder / "kept", "wb", buffering=0) as file:
            file.write(bytes(KEPT))
            os.fsync(file.fileno())
            while self.goes_on():
                file.seek(0)
                file.write(os.urandom(KEPT))
                began = time.perf_counter()
                os.fdatasync(file.fileno())
                self.seen.disk.append(time.perf_counter() - began)
                time.sleep(KEEP_EVERY)


def watch(works: bool, *of_whom: Any) -> Watched:
    """A whole watch, only of the disk if the researcher does not work. In a process of its own: who reads an
    export would hold up the participants, who are all in one."""
    here = Watch(*of_whom)
    does = [here.keep, here.look, here.export] if works else [here.keep]
    with ThreadPoolExecutor(len(does)) as threads:
        for done in [threads.submit(each) for each in does]:
            done.result()
    return here.seen


class Moment(NamedTuple):
    """What there was at one moment: how many of each kind, and what the server had used. ``exporting`` is the
    memory, in bytes, of the process that writes exports; it ends when nobody has asked for half a minute."""

    lengths: dict[str, int]
    load: processes.Load | None
    exporting: int
    at: float

    @property
    def memory(self) -> int:
        """Bytes of the server with its worker and engines."""
        return self.load.memory - self.exporting


async def crowd(
    server: LabServer, game: Game, room: Cohort, seconds: float, people: int, disturbed: bool
) -> tuple[Moment, Moment, Moment, Watched]:
    """All come and play; the moments before, when all were there, and at the end."""

    def now() -> Moment:
        pid = server.process.pid
        exporting = processes.memory_of(pid, "cardlab.exports.worker")
        return Moment(room.figures.lengths, processes.resource_usage(pid), exporting, time.perf_counter())

    session = await asyncio.to_thread(server.create_session, game.config, people, **game.fields)
    begin = now()
    playing = asyncio.ensure_future(room.play(session.start_urls, ARRIVAL + seconds))
    await asyncio.sleep(ARRIVAL)
    arrived = now()
    with ProcessPoolExecutor(1, get_context("spawn")) as beside:
        about = disturbed, server.url, session.code, game.app, server.folder, seconds
        watched = await asyncio.get_running_loop().run_in_executor(beside, watch, *about)
        await playing
    return begin, arrived, now(), watched


def disk_line(took: list[float]) -> str:
    """What the disk took for what it kept meanwhile."""
    p50, p99, most = (1000 * percentile(took, hundredth) for hundredth in (50, 99, 100))
    still = [each for each in took if each > STANDS_STILL]
    return (
        f"    the disk by itself kept {KEPT / 1000:.0f} kB in {p50:.1f} ms (p50), {p99:.1f} ms (p99), "
        f"{most:.0f} ms at most; {len(still)} of {len(took)} times in more than "
        f"{1000 * STANDS_STILL:.0f} ms, {sum(still):.1f} s together"
    )


def held(words: str, value: float, bar: float, unit: str = "") -> bool:
    """Print a bar and whether it is met."""
    print(
        f"    {words}: {value:.3g}{unit}; bar {bar:g}{unit}: {'met' if value <= bar else 'MISSED'}",
        flush=True,
    )
    return value <= bar


def measure(server: LabServer, name: str, arguments: argparse.Namespace) -> bool:
    """One game: alone, then all; whether its bars are met."""
    game, seconds = GAMES[name], 60 * arguments.minutes
    people = arguments.participants if game.people == 1 else arguments.groups * game.people
    print(f"\n{game.config}, {people} participants, {arguments.minutes:g} minutes", flush=True)
    alone = Cohort(True, "alone", 0.0, Figures(), Answers(), ALONE_ACTION, ALONE_ACTION)
    session = server.create_session(game.config, game.people, **game.fields)
    asyncio.run(alone.play(session.start_urls, ALONE_SECONDS))
    print("  alone (at a table of the game's size)")
    print("\n".join(alone.figures.table_lines()))

    room = Cohort(True, "1", ARRIVAL, Figures(), Answers(), reading=READING)
    used = time.process_time()
    begin, arrived, end, watched = asyncio.run(
        crowd(server, game, room, seconds, people, not arguments.undisturbed)
    )
    used = time.process_time() - used
    figures = room.figures
    arrival = Figures()
    arrival.seconds = {kind: took[: arrived.lengths[kind]] for kind, took in figures.seconds.items()}
    later = figures.since(arrived.lengths)
    print(f"  the arrival within {ARRIVAL:.0f} s")
    print("\n".join(arrival.lines()))
    print(f"  play{'' if arguments.undisturbed else ', with Progress open and exports under way'}")
    print("\n".join(later.lines()))
    if end.load and begin.load and arrived.load:
        for words, one, other in (("arrival", begin, arrived), ("play", arrived, end)):
            cpu, whole = other.load.cpu - one.load.cpu, other.at - one.at
            print(f"    server, {words}: {cpu:.1f} s of CPU, {100 * cpu / whole:.0f} % of one core")
        megabytes = [1e-6 * size for size in (arrived.memory, end.memory, end.exporting)]
        words = "{:.0f} MB after the arrival, {:.0f} MB at the end, {:.0f} MB the process that writes exports"
        print(f"    memory: {words.format(*megabytes)}")
    print(f"    the participants themselves: {100 * used / (end.at - begin.at):.0f} % of one core")
    if watched.looks and watched.exports:
        looks, exports = max(watched.looks), max(watched.exports)
        print(
            f"    Progress looked {len(watched.looks)} times (at most {1000 * looks:.0f} ms), "
            f"{len(watched.exports)} exports (at most {exports:.1f} s)"
        )
    print(disk_line(watched.disk))
    wrong = [*figures.errors, *watched.wrong]
    for error in wrong[:10]:
        print(f"    {error}")
    met = [
        held("errors", len(wrong), 0),
        held(
            "p99 of an action ÷ p50 alone",
            later.percentile_ms("actions", 99) / alone.figures.percentile_ms("actions", 50),
            ACTION_BAR,
        ),
        held("p99 of a page during the arrival", arrival.percentile_ms("pages", 99), PAGE_BAR_MS, " ms"),
    ]
    if end.load and arrived.load:
        met.append(held("memory at the end ÷ after the arrival", end.memory / arrived.memory, MEMORY_BAR))
    return all(met)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--participants", type=int, default=200, help="at Target the Two (200)")
    parser.add_argument("--groups", type=int, default=40, help="of two at the matrix card game (40)")
    parser.add_argument("--minutes", type=float, default=5.0, help="of play, after the arrival (5)")
    parser.add_argument(
        "--undisturbed", action="store_true", help="no tab Progress and no exports, to see what these cost"
    )
    parser.add_argument("--only", choices=GAMES, help="one of the two games")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=ablations.CHANGES,
        help="leave out a mechanism for speed, to see what it gains (may be repeated)",
    )
    parser.add_argument("--folder", help="where the servers and their databases lie (the system's for such)")
    arguments = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"Load average before: {live_move.load_average()}", flush=True)
    if arguments.without:
        print(f"Without: {', '.join(arguments.without)}")
    met = True
    for name in [arguments.only] if arguments.only else GAMES:
        with tempfile.TemporaryDirectory(prefix="card-lab-benchmark-", dir=arguments.folder) as folder:
            server = LabServer(Path(folder) / "card_lab", environment={"OTREE_ADMIN_PASSWORD": PASSWORD})
            ablations.leave_out(server.folder, arguments.without)
            with server:
                met &= measure(server, name, arguments)
    print(f"\nLoad average after: {live_move.load_average()}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
