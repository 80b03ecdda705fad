"""Measures a full laboratory at human pace: how long actions and pages take, and what the server needs.

    .venv/bin/python benchmarks/load.py                                   # both games, about thirteen minutes
    .venv/bin/python benchmarks/load.py --participants 20 --minutes 0.5   # a first impression
    .venv/bin/python benchmarks/load.py --folder /dev/shm                 # in memory, so no disk adds delays
    .venv/bin/python benchmarks/load.py --without gc-schedule             # what this mechanism gains
    .venv/bin/python benchmarks/load.py --only target --participants 1000 --folder /dev/shm   # a crowd

Starts Card Lab on a free port. First one participant plays alone. Then all participants arrive within half
a minute and play over real pages and sockets (``cardlab.rehearsal``), one action every three seconds each,
while the tab Progress is open and exports are downloaded one after another. The server and the participants
share the machine. Exit code 1 if a bar is missed. docs/explanation/performance.md has the figures.
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

from cardlab import open_files
from cardlab.rehearsal import processes
from cardlab.rehearsal.cohort import Cohort
from cardlab.rehearsal.figures import Figures, percentile
from cardlab.rehearsal.forms import Answers

ALONE_SECONDS = 40.0
ALONE_ACTION = 0.5  # seconds between two actions of the participant who plays alone
READING = 3.0  # seconds for a page or a step, so that play begins soon
ARRIVAL = 30.0  # seconds within which all participants arrive
EXPORT_AFTER = 1.0  # seconds between the end of one export and the next request
LOOK_EVERY = 2.0  # seconds, as the tab Progress does (_static/cardlab/progress.js)

PROBE_BYTES, PROBE_EVERY = 20_000, 0.05  # the disk is measured by writing so many bytes every so many seconds
SLOW_WRITE = 0.01  # seconds from which a write counts as slow

MEMORY_BAR = 1.3  # memory at the end ÷ after the arrival
CROWD = 500  # participants from which other bars hold

PASSWORD = "of the benchmark"


class Bars(NamedTuple):
    """Milliseconds of a quiet machine, in memory: p99 of an action, and of a page in play and arrival."""

    action: float
    page: float
    arrival: float


LABORATORY_BARS = Bars(50.0, 500.0, 3000.0)
CROWD_BARS = Bars(100.0, 3000.0, 3000.0)


class Game(NamedTuple):
    """A session to play: the config, its app, its fields, and the number of players in a group."""

    config: str
    app: str
    fields: dict[str, Any]
    group_size: int


GAMES = {
    "target": Game("ttt_static_422", "ttt_solo_app", {"check": False, "practice_hands": 0}, 1),
    "matrix": Game("matrix_two", "matrix_game_app", {"check": False, "games": 6}, 2),
}


class Observations(NamedTuple):
    """Seconds of looks at Progress, of exports and of the disk probe's writes; and the errors."""

    looks: list[float]
    exports: list[float]
    writes: list[float]
    errors: list[str]


class Researcher:
    """Keeps the tab Progress open and downloads exports; also probes the disk."""

    def __init__(self, url: str, session: str, app: str, folder: Path, seconds: float) -> None:
        self.seen = Observations([], [], [], [])
        self._url, self._session, self._app, self._folder = url, session, app, folder
        self._end = time.perf_counter() + seconds

    def is_working(self) -> bool:
        return time.perf_counter() < self._end

    def watch_progress(self) -> None:
        with requests.Session() as http:
            http.trust_env = False
            page = http.get(f"{self._url}/login").text
            token = dict(live_move.re.findall(r'name="(\w+)" value="(\d+)"', page))
            http.post(f"{self._url}/login", data={**token, "username": "admin", "password": PASSWORD})
            http.get(f"{self._url}/SessionProgress/{self._session}")
            while self.is_working():
                began = time.perf_counter()
                answer = http.get(f"{self._url}/cardlab/progress/{self._session}/rows")
                self.seen.looks.append(time.perf_counter() - began)
                if answer.history or answer.status_code != 200:
                    self.seen.errors.append(f"Progress was answered {answer.status_code} at {answer.url}")
                    return
                time.sleep(LOOK_EVERY)

    def download_exports(self) -> None:
        address = f"{self._url}/api/export_app_custom"
        asked = {"app": self._app, "session_code": self._session, "function_name": "custom_export"}
        with requests.Session() as http:
            http.trust_env = False
            while self.is_working():
                began = time.perf_counter()
                answer = http.get(address, params=asked, headers={"otree-rest-key": REST_KEY})
                self.seen.exports.append(time.perf_counter() - began)
                if answer.status_code != 200:
                    self.seen.errors.append(f"An export was answered {answer.status_code}")
                time.sleep(EXPORT_AFTER)

    def probe_disk(self) -> None:
        """Repeatedly writes as much as a move does, in the same place, and syncs it to disk."""
        with open(self._folder / "probe", "wb", buffering=0) as file:
            file.write(bytes(PROBE_BYTES))
            os.fsync(file.fileno())
            while self.is_working():
                file.seek(0)
                file.write(os.urandom(PROBE_BYTES))
                began = time.perf_counter()
                os.fdatasync(file.fileno())
                self.seen.writes.append(time.perf_counter() - began)
                time.sleep(PROBE_EVERY)


def observe(is_working: bool, *session: Any) -> Observations:
    """Works as a researcher until the session ends; only probes the disk if ``is_working`` is false.

    Runs in a separate process, because reading an export would delay the simulated participants.
    """
    researcher = Researcher(*session)
    tasks = [researcher.probe_disk]
    if is_working:
        tasks += [researcher.watch_progress, researcher.download_exports]
    with ThreadPoolExecutor(len(tasks)) as threads:
        for task in [threads.submit(task) for task in tasks]:
            task.result()
    return researcher.seen


class Moment(NamedTuple):
    """The number of measurements of each kind, and the resources that the server had used, at one moment.

    ``exporting`` is the memory, in bytes, of the worker process that writes exports. It ends after half a
    minute without a request.
    """

    lengths: dict[str, int]
    load: processes.ResourceUsage | None
    exporting: int
    at: float

    @property
    def memory(self) -> int:
        """Bytes of the server with its timeout worker and engines, without the export worker."""
        return self.load.memory - self.exporting


async def crowd(
    server: LabServer, game: Game, room: Cohort, seconds: float, people: int, disturbed: bool
) -> tuple[Moment, Moment, Moment, Observations]:
    """Plays with all participants; returns the moments before, after the arrival, and at the end."""

    def now() -> Moment:
        pid = server.process.pid
        exporting = processes.memory_of(pid, "cardlab.exports.worker")
        return Moment(
            {kind: len(took) for kind, took in room.figures.seconds.items()},
            processes.resource_usage(pid),
            exporting,
            time.perf_counter(),
        )

    session = await asyncio.to_thread(server.create_session, game.config, people, **game.fields)
    begin = now()
    playing = asyncio.ensure_future(room.play(session.start_urls, ARRIVAL + seconds))
    await asyncio.sleep(ARRIVAL)
    arrived = now()
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        arguments = disturbed, server.url, session.code, game.app, server.folder, seconds
        seen = await asyncio.get_running_loop().run_in_executor(process, observe, *arguments)
        await playing
    return begin, arrived, now(), seen


def disk_line(writes: list[float]) -> str:
    """Returns a line about the writes of the disk probe, in seconds."""
    p50, p99, longest = (1000 * percentile(writes, hundredth) for hundredth in (50, 99, 100))
    slow = [write for write in writes if write > SLOW_WRITE]
    return (
        f"    disk probe, {PROBE_BYTES / 1000:.0f} kB: p50 {p50:.1f} ms, p99 {p99:.1f} ms, at most "
        f"{longest:.0f} ms; {len(slow)} of {len(writes)} writes took more than "
        f"{1000 * SLOW_WRITE:.0f} ms, {sum(slow):.1f} s together"
    )


def is_met(title: str, value: float, bar: float, unit: str = "") -> bool:
    """Prints a bar and whether it is met."""
    verdict = "met" if value <= bar else "MISSED"
    print(f"    {title}: {value:.3g}{unit}; bar {bar:g}{unit}: {verdict}", flush=True)
    return value <= bar


def measure(server: LabServer, name: str, arguments: argparse.Namespace) -> bool:
    """Plays one game alone, then with all participants; returns whether the bars are met."""
    game, seconds = GAMES[name], 60 * arguments.minutes
    people = arguments.participants if game.group_size == 1 else arguments.groups * game.group_size
    print(f"\n{game.config}, {people} participants, {arguments.minutes:g} minutes", flush=True)
    alone = Cohort(True, "alone", 0.0, Figures(), Answers(), ALONE_ACTION, ALONE_ACTION)
    session = server.create_session(game.config, game.group_size, **game.fields)
    asyncio.run(alone.play(session.start_urls, ALONE_SECONDS))
    print("  alone (or in one group)")
    print("\n".join(alone.figures.table_lines()))

    room = Cohort(True, "1", ARRIVAL, Figures(), Answers(), reading=READING)
    used = time.process_time()
    begin, arrived, end, seen = asyncio.run(
        crowd(server, game, room, seconds, people, not arguments.undisturbed)
    )
    used = time.process_time() - used
    figures = room.figures
    arrival = Figures()
    arrival.seconds = {kind: took[: arrived.lengths[kind]] for kind, took in figures.seconds.items()}
    later = Figures()
    later.seconds = {kind: took[arrived.lengths[kind] :] for kind, took in figures.seconds.items()}
    print(f"  the arrival within {ARRIVAL:.0f} s")
    print("\n".join(arrival.table_lines()))
    print(f"  play{'' if arguments.undisturbed else ', with Progress open and exports under way'}")
    print("\n".join(later.table_lines()))
    if end.load and begin.load and arrived.load:
        for title, first, last in (("arrival", begin, arrived), ("play", arrived, end)):
            cpu, elapsed = last.load.cpu - first.load.cpu, last.at - first.at
            print(f"    server, {title}: {cpu:.1f} s of CPU, {100 * cpu / elapsed:.0f} % of one core")
        megabytes = [1e-6 * size for size in (arrived.memory, end.memory, end.exporting)]
        words = "{:.0f} MB after the arrival, {:.0f} MB at the end, {:.0f} MB the process that writes exports"
        print(f"    memory: {words.format(*megabytes)}")
    print(f"    the participants themselves: {100 * used / (end.at - begin.at):.0f} % of one core")
    if seen.looks and seen.exports:
        looks, exports = max(seen.looks), max(seen.exports)
        print(
            f"    Progress looked {len(seen.looks)} times (at most {1000 * looks:.0f} ms), "
            f"{len(seen.exports)} exports (at most {exports:.1f} s)"
        )
    print(disk_line(seen.writes))
    errors = [*figures.errors, *seen.errors]
    for error in errors[:10]:
        print(f"    {error}")
    bars = LABORATORY_BARS if people < CROWD else CROWD_BARS
    met = [
        is_met("errors", len(errors), 0),
        is_met("p99 of an action", later.percentile_ms("actions", 99), bars.action, " ms"),
        is_met("p99 of a page during play", later.percentile_ms("pages", 99), bars.page, " ms"),
        is_met("p99 of a page during the arrival", arrival.percentile_ms("pages", 99), bars.arrival, " ms"),
    ]
    if end.load and arrived.load:
        met.append(is_met("memory at the end ÷ after the arrival", end.memory / arrived.memory, MEMORY_BAR))
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
    open_files.raise_limit()  # each participant has three connections
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
