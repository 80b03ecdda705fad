"""Plays sessions of every game for hours, to find lost actions and growing memory.

    .venv/bin/python benchmarks/soak.py                                  # two hours
    .venv/bin/python benchmarks/soak.py --hours 0.05 --kill-every 0.5    # a first impression, three minutes

Starts two servers, each with its own database. The first runs to the end without interruption, because each
start frees its memory. The second is killed with SIGKILL every few minutes, and started again on the same
database. On both, participants play sessions of all games at human pace (``cardlab.rehearsal``). A new
session begins when one has ended. Meanwhile the tab Progress is open, exports are downloaded one after
another, the report is drawn, and some sessions are archived. At the end every action that was answered is
looked up in the exports. Exit code 1 if a bar is missed. docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import http.client
import itertools
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import admin_report  # which finds the project
import live_move
from exported_hands import export_rows, unexpected_log_lines
from server_fixture import LabServer, LabSession

from cardlab.core import engine_pool
from cardlab.rehearsal import processes
from cardlab.rehearsal.browser import Browser, ConnectionLost, NoResponse, Page
from cardlab.rehearsal.cohort import end_within
from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.forms import Answers
from cardlab.rehearsal.pace import Pace
from cardlab.rehearsal.participant import Participant
from cardlab.rehearsal.promises import lost_actions

READING = 3.0  # seconds for a page or a step of the instructions, so that play begins soon
SESSION_SECONDS = 900.0  # after which a session is left as it is
SAMPLE_EVERY = 10.0  # seconds
LOOK_EVERY = 2.0  # seconds, as the tab Progress does (_static/cardlab/progress.js)
TAB_SECONDS = 60.0  # for which the tab shows the same session
EXPORT_AFTER = 5.0  # seconds between the end of one export and the next request
REPORT_AFTER = 30.0  # seconds between the end of one report and the next request
REST_SECONDS = 45.0  # after play, in which idle worker processes end
EXPORTS = ("custom_export", "custom_export_hands")

EARLY_AFTER, WINDOW = 1800.0, 600.0  # seconds: the first half hour does not count; medians of ten minutes
GROWTH_BAR = 1.05  # median of the last ten minutes ÷ median after the first half hour
SOCKETS_AT_REST_BAR = 10  # open sockets when nobody plays any more

# A pool starts a thread whenever all of its threads are busy, up to its limit, and keeps it. So a server may
# have one more after two hours; a leak exceeds these limits.
LASTING_THREADS = 4  # the event loop, checkpoints, the journal, and the watch over the timeout worker
POOL_THREADS = min(32, (os.cpu_count() or 1) + 4) + 2 + 1 + 2  # asyncio's, of Progress, exports and engines
TEMPORARY_THREADS = 2  # a report and an archive
THREADS_BAR = LASTING_THREADS + POOL_THREADS + TEMPORARY_THREADS

# Searches have a low priority: on a busy machine one may time out, and the computer moves without it.
SEARCH_TIMED_OUT = "engine found no answer within"

NOTHING_PLAYED = "Nobody has started a hand yet"  # the report of a session that has only just begun

FAILURES = (OSError, http.client.HTTPException, AssertionError, ValueError, live_move.WrongAnswer)


class Game(NamedTuple):
    """A session to play: config, app, fields, and its participants on the lasting and the killed server."""

    config: str
    app: str
    fields: dict[str, Any]
    lasting: int
    killed: int


GAMES = (
    Game("ttt_static_422", "ttt_solo_app", {"MaxRounds": 10, "practice_hands": 1}, 6, 2),
    Game("ttt_pair_demo", "ttt_pair_app", {"ShowFileName": "game422.txt", "MaxRounds": 10}, 6, 4),
    Game("matrix_two", "matrix_game_app", {"games": 2}, 6, 4),
    Game("triangle_variation_2", "triangle_app", {"hands": 3}, 6, 2),
    Game("solitario_briscola", "solitario_app", {"hands": 2}, 6, 2),
    Game("challenge_two", "challenge_app", {"games": 2}, 6, 2),
    Game("challenge_standard", "challenge_app", {"games": 2, "size": 5}, 6, 2),
)


class Sample(NamedTuple):
    """The resources that a server uses at one moment.

    Attributes:
        second: Seconds since the start.
        server: ``lasting`` or ``killed``.
        kills: Kills so far.
        playing: Simulated participants at that moment.
        actions: Answered actions so far.
        server_mb: Resident memory of the server and its timeout worker.
        engines_mb: Resident memory of the processes in which computer players search.
        workers_mb: Resident memory of the processes that write exports and reports.
        threads, files, sockets: Those of the server and its timeout worker; files do not include sockets.
        processes: The server and all its workers.
        database_mb, wal_mb: Size of the database and of its write-ahead log.
    """

    second: float
    server: str
    kills: int
    playing: int
    actions: int
    server_mb: float
    engines_mb: float
    workers_mb: float
    threads: int
    files: int
    sockets: int
    processes: int
    database_mb: float
    wal_mb: float


class Played(NamedTuple):
    """A session that was played, and what its participants saw."""

    game: Game
    session: LabSession
    figures: Figures


class SoakServer:
    """A server, its simulated participants and its researcher. Create it while the event loop runs."""

    def __init__(self, name: str, server: LabServer) -> None:
        self.name, self.server = name, server
        self.up = asyncio.Event()
        self.up.set()
        self.kills = self.playing = 0
        self.restarts: list[float] = []  # seconds from each kill until the server answered again
        self.played: list[Played] = []
        self.current: dict[str, Played] = {}  # by config
        self.counts = {"exports": 0, "reports": 0, "looks": 0, "archives": 0}
        self.errors: list[str] = []
        self.answers = Answers()

    async def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function that sends requests in a thread; repeats it if the server was killed meanwhile."""
        while True:
            await self.up.wait()
            kills = self.kills
            try:
                return await asyncio.to_thread(function, *arguments)
            except FAILURES:
                if self.kills == kills:
                    raise

    async def kill(self) -> None:
        """Kills the server, whatever it is doing, and starts it again."""
        self.up.clear()
        self.kills += 1
        began = time.monotonic()
        await asyncio.to_thread(self.server.kill9)
        await asyncio.to_thread(self.server.start)
        self.restarts.append(time.monotonic() - began)
        self.up.set()

    def all_errors(self) -> list[str]:
        """Returns the errors of the researcher and of all participants."""
        return self.errors + [error for played in self.played for error in played.figures.errors]

    def sample(self, second: float) -> Sample:
        """Returns the resources that the server uses now."""
        usages = processes.process_usages(self.server.process.pid)
        own = [usage for usage in usages if usage.program.startswith("cardlab.server.")]
        engines = [usage for usage in usages if "multiprocessing" in usage.program]
        workers = [usage for usage in usages if usage not in own and usage not in engines]
        memory = [1e-6 * sum(usage.memory for usage in kind) for kind in (own, engines, workers)]
        held = [sum(getattr(usage, name) for usage in own) for name in ("threads", "files", "sockets")]
        database = self.server.folder / "db.sqlite3"
        sizes = [1e-6 * file.stat().st_size for file in (database, Path(f"{database}-wal")) if file.exists()]
        return Sample(
            round(second, 1),
            self.name,
            self.kills,
            self.playing,
            sum(len(played.figures.acknowledged) for played in self.played),
            *(round(size, 2) for size in memory),
            *held,
            len(usages),
            *(round(size, 2) for size in (*sizes, 0.0)[:2]),
        )


class PatientBrowser(Browser):
    """Waits while the server restarts, and repeats requests that got no response because of a kill."""

    patience, attempts = 600.0, 20

    def __init__(self, url: str, figures: Figures, soak_server: SoakServer) -> None:
        super().__init__(url, figures)
        self._soak_server = soak_server

    def connect(self, path: str) -> Any:
        """Returns a connection to a WebSocket. Raises OSError while the server restarts."""
        if not self._soak_server.up.is_set():
            raise OSError("The server restarts.")
        return super().connect(path)

    async def _exchange(self, request: bytes, is_retry: bool) -> Any:
        await self._soak_server.up.wait()
        kills = self._soak_server.kills
        try:
            return await super()._exchange(request, is_retry)
        except OSError:
            if self._soak_server.kills == kills:
                raise
            raise NoResponse from None


class PatientParticipant(Participant):
    """Loads the page again if a kill has closed a hand's connection."""

    def __init__(self, soak_server: SoakServer, *arguments: Any) -> None:
        self._soak_server = soak_server
        super().__init__(*arguments)

    def _make_browser(self, link: str) -> Browser:
        return PatientBrowser(link, self.figures, self._soak_server)

    async def _complete(self, page: Page) -> Page | None:
        kills = self._soak_server.kills
        try:
            return await super()._complete(page)
        except ConnectionLost:
            if self._soak_server.kills == kills:
                raise  # the server was not killed, so it should not have closed the connection
            await self._soak_server.up.wait()
            return await self._open(page.path)


async def play_sessions(soak_server: SoakServer, game: Game, end: float) -> None:
    """Plays one session of a game after another until ``end``, a time of the monotonic clock."""
    people = getattr(game, soak_server.name)
    for number in itertools.count(1):
        left = end - time.monotonic()
        if left <= 0:
            return

        def create(seed: int = number) -> LabSession:
            return soak_server.server.create_session(game.config, people, **{**game.fields, "seed": seed})

        played = Played(game, await soak_server.ask(create), Figures())
        soak_server.played.append(played)
        soak_server.current[game.config] = played
        soak_server.playing += people
        tasks = []
        for seat, link in enumerate(played.session.start_urls, 1):
            random = Random(f"{soak_server.name}, {game.config}, session {number}, participant {seat}")
            pace = Pace(True, random, reading=READING)
            who = PatientParticipant(
                soak_server, seat, link, pace, random, soak_server.answers, played.figures
            )
            tasks.append(asyncio.ensure_future(who.run()))
            tasks[-1].add_done_callback(
                lambda _task: setattr(soak_server, "playing", soak_server.playing - 1)
            )
        raised = await end_within(tasks, min(left, SESSION_SECONDS))
        soak_server.errors += [f"A participant of {game.config}: {error!r}" for error in raised]


async def repeat(
    soak_server: SoakServer, do: Callable[[], Awaitable[None]], pause: float, end: float
) -> None:
    """Calls ``do`` repeatedly until the end, with a pause before each call; records its errors."""
    while time.monotonic() + pause < end:
        await asyncio.sleep(pause)
        if not soak_server.current:
            continue  # the first session is being created
        try:
            await do()
        except FAILURES as error:
            soak_server.errors.append(f"{do.__name__} on the {soak_server.name} server: {error!r}")


def researcher_tasks(
    soak_server: SoakServer, folder: Path, end: float, archive_every: float
) -> list[Awaitable[None]]:
    """Returns the tasks of a researcher on a server: progress requests, exports, reports and archives."""
    turns = {name: itertools.count() for name in ("export", "report")}

    def next_session(task: str) -> Played:
        current = list(soak_server.current.values())
        return current[next(turns[task]) % len(current)]

    async def look() -> None:
        current = list(soak_server.current.values())
        played = current[int(time.monotonic() / TAB_SECONDS) % len(current)]
        address = f"/cardlab/progress/{played.session.code}/rows"
        await soak_server.ask(soak_server.server.api, address)
        soak_server.counts["looks"] += 1

    async def export() -> None:
        played = next_session("export")
        for function in EXPORTS:
            await soak_server.ask(soak_server.server.export, played.session.code, played.game.app, function)
        soak_server.counts["exports"] += len(EXPORTS)

    async def report() -> None:
        played = next_session("report")

        def draw() -> None:
            next(
                admin_report.open_tab(
                    soak_server.server, played.session.code, threading.Event(), played.game.app
                )
            )

        try:
            await soak_server.ask(draw)
        except live_move.WrongAnswer as answer:
            if NOTHING_PLAYED not in str(answer):
                raise
        soak_server.counts["reports"] += 1

    async def archive() -> None:
        code = soak_server.played[0].session.code
        file = folder / f"{code}-{soak_server.counts['archives']}.zip"
        command = [
            sys.executable,
            "lab.py",
            "archive",
            code,
            "--out",
            str(file),
            "--url",
            soak_server.server.url,
        ]

        def run() -> None:
            done = subprocess.run(
                command,
                cwd=live_move.PROJECT,
                env=soak_server.server.environment,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise OSError(done.stdout + done.stderr)

        await soak_server.ask(run)
        soak_server.counts["archives"] += 1

    tasks = [(look, LOOK_EVERY), (export, EXPORT_AFTER), (report, REPORT_AFTER), (archive, archive_every)]
    return [repeat(soak_server, do, pause, end) for do, pause in tasks]


def missing_actions(soak_server: SoakServer) -> list[str]:
    """Compares every session's export with the answered actions; returns a sentence for each difference."""
    problems = []
    for game, session, figures in soak_server.played:
        rows = export_rows(soak_server.server, session.code, app=game.app)
        problems += lost_actions(figures.acknowledged, rows)
        numbers: dict[str, list[int]] = defaultdict(list)
        for row in rows:
            if row["accepted"] == "1" and row["seat"]:
                numbers[row["hand_id"]].append(int(row["action_number"]))
        problems += [
            f"The actions of {hand} are numbered {own}."
            for hand, own in numbers.items()
            if own != [*range(1, len(own) + 1)]
        ]
    return problems


class Bar(NamedTuple):
    """A figure and its upper limit."""

    title: str
    value: float
    most: float

    @property
    def is_met(self) -> bool:
        """Whether the figure is within its limit."""
        return self.value <= self.most


def growth(
    samples: Sequence[Sample], quantity: str, level: Callable[[Sequence[float]], float] = median
) -> float:
    """Returns the level of a quantity in the last ten minutes ÷ in the ten after the first half hour.

    In a shorter run than two hours, it compares the same shares: the twelfth after the first quarter, and the
    last twelfth.
    """
    last = samples[-1].second
    begin, width = min(EARLY_AFTER, last / 4), min(WINDOW, last / 12)
    early = [getattr(one, quantity) for one in samples if begin <= one.second <= begin + width]
    late = [getattr(one, quantity) for one in samples if one.second >= last - width]
    return level(late) / level(early)


def bars_of_growth(samples: Sequence[Sample]) -> list[Bar]:
    """Returns the bars of the lasting server, whose last sample was taken after play.

    The files of reports and exports are temporary, so the minima are compared.
    """
    *during, at_rest = [sample for sample in samples if sample.server == "lasting"]
    during = [sample for sample in during if sample.playing]
    return [
        Bar("median memory, end ÷ after the first half hour", growth(during, "server_mb"), GROWTH_BAR),
        Bar("least open files, the same", growth(during, "files", min), GROWTH_BAR),
        Bar("most threads", max(sample.threads for sample in during), THREADS_BAR),
        Bar("open sockets after play", at_rest.sockets, SOCKETS_AT_REST_BAR),
    ]


def report_lines(soak_servers: Sequence[SoakServer], samples: Sequence[Sample]) -> list[str]:
    """Returns a summary of each server as lines of text."""
    lines = []
    for soak_server in soak_servers:
        finished = sum(len(played.figures.finished) for played in soak_server.played)
        actions = sum(len(played.figures.acknowledged) for played in soak_server.played)
        counts = ", ".join(f"{count} {what}" for what, count in soak_server.counts.items())
        lines += [
            f"{soak_server.name}: {len(soak_server.played)} sessions, {finished} participants finished, "
            f"{actions} answered actions, {counts}",
        ]
        if soak_server.restarts:
            lines.append(
                f"    {soak_server.kills} kills; it answered again after "
                f"{median(soak_server.restarts):.1f} s (median), {max(soak_server.restarts):.1f} s (most)"
            )
        all_figures = Figures()
        for played in soak_server.played:
            for kind, seconds in played.figures.seconds.items():
                all_figures.seconds[kind] += seconds
        lines += all_figures.table_lines()
        own = [sample for sample in samples if sample.server == soak_server.name]
        first, last = own[0], own[-1]
        peaks = {name: max(getattr(sample, name) for sample in own) for name in Sample._fields[5:]}
        lines.append("    most: " + ", ".join(f"{name} {peak:g}" for name, peak in peaks.items()))
        lines.append(f"    database {first.database_mb:g} to {last.database_mb:g} MB")
    return lines


async def soak(servers: dict[str, LabServer], arguments: argparse.Namespace, out: Path) -> bool:
    """Plays for hours, prints the summary, and returns whether all bars are met."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(16))
    soak_servers = [SoakServer(name, server) for name, server in servers.items()]
    began = time.monotonic()
    end = began + 3600 * arguments.hours
    samples: list[Sample] = []

    with open(out, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(Sample._fields)

        async def take_samples() -> None:
            for soak_server in soak_servers:
                if soak_server.up.is_set():
                    samples.append(soak_server.sample(time.monotonic() - began))
                    table.writerow(samples[-1])
            file.flush()

        async def kill() -> None:
            await soak_server.kill()
            seconds = soak_server.restarts[-1]
            print(f"{time.monotonic() - began:7.0f} s: killed, answers again after {seconds:.1f} s")
            sys.stdout.flush()

        tasks = [repeat(soak_servers[0], take_samples, SAMPLE_EVERY, end)]
        for soak_server in soak_servers:
            tasks += [play_sessions(soak_server, game, end) for game in GAMES]
            tasks += researcher_tasks(
                soak_server, servers["lasting"].folder.parent, end - 5, 600 * arguments.hours
            )
        tasks.append(repeat(soak_server, kill, 60 * arguments.kill_every, end))  # the second server
        await asyncio.gather(*tasks)
        await asyncio.sleep(REST_SECONDS)
        await take_samples()
    await soak_servers[1].kill()  # every answered action must be on disk
    print("\n".join(report_lines(soak_servers, samples)), flush=True)
    errors = [error for soak_server in soak_servers for error in soak_server.all_errors()]
    compared = await asyncio.gather(
        *(asyncio.to_thread(missing_actions, soak_server) for soak_server in soak_servers)
    )
    missing = [problem for problems in compared for problem in problems]
    for soak_server in soak_servers:
        soak_server.server.stop()
    log = [line for soak_server in soak_servers for line in unexpected_log_lines(soak_server.server)]
    searches = [line for line in log if SEARCH_TIMED_OUT in line]
    log = [line for line in log if SEARCH_TIMED_OUT not in line]
    print(f"{len(searches)} searches of a computer player timed out")
    for line in [*errors[:20], *missing[:20], *log[:40]]:
        print(f"    {line}")
    bars = [
        Bar("errors", len(errors), 0),
        Bar("answered actions that are lost, doubled or out of order", len(missing), 0),
        Bar("unexpected lines in the servers' logs", len(log), 0),
        *bars_of_growth(samples),
    ]
    for bar in bars:
        print(f"{bar.title}: {bar.value:.3g}; bar {bar.most:g}: {live_move.verdict(bar.is_met)}", flush=True)
    return all(bar.is_met for bar in bars)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hours", type=float, default=2.0, help="of play (2)")
    parser.add_argument("--kill-every", type=float, default=4.0, metavar="MINUTES", help="(4)")
    parser.add_argument("--folder", help="where the servers and their databases lie (the system's for such)")
    parser.add_argument("--out", type=Path, default=Path("soak.csv"), help="the table of samples (soak.csv)")
    arguments = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"Load average before: {live_move.load_average()}", flush=True)
    environment = {"CARD_LAB_COMPILED": ""}  # computer players search as in an experiment
    engine_pool.warm_up("cardlab.games.challenge.engine")  # otherwise each server would compile it in play
    with tempfile.TemporaryDirectory(prefix="card-lab-benchmark-", dir=arguments.folder) as folder:
        servers = {
            name: LabServer(Path(folder) / name, environment=environment) for name in ("lasting", "killed")
        }
        try:
            for server in servers.values():
                server.start()
            met = asyncio.run(soak(servers, arguments, arguments.out))
        finally:
            for server in servers.values():
                server.stop()
    print(f"Load average after: {live_move.load_average()}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
