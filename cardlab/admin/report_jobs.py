"""The tab "Report" of oTree's admin pages: the plots of a session while it is running.

A low-priority worker process (:mod:`cardlab.admin.report_worker`) reads the data and draws; a thread waits
for it and keeps its files in memory. Nothing here queries the database or takes oTree's lock, so no
participant waits for a report.
"""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from otree import settings
from otree.database import IN_MEMORY
from otree.templating.loader import FileLoader
from otree.views.admin import AdminReport
from otree.views.cbv import AdminView
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cardlab import folders
from cardlab.admin.report_worker import DRAWING, NOTHING_PLAYED, READING, REFUSED, RESULT
from cardlab.core import clock
from cardlab.core.patch import Wrapper
from cardlab.exports import worker_process
from cardlab.exports.worker_process import TERMINATED
from cardlab.linear_algebra import ONE_THREAD
from cardlab.live.lab import LAB
from cardlab.sessions.apps import is_game

logger = logging.getLogger("cardlab.report")

PATH = "/cardlab/report/"  # requests that begin with it take no lock (cardlab.server.asgi)
TEMPLATE = "cardlab/admin_report.html"  # of the tab
TIMEOUT_SECONDS = 300  # of a drawing, without its time in the queue
MAX_REPORTS = 4  # in memory
MAX_WAITING = 8  # queued drawings

WAITING = "Waiting for another report to finish …"
STAGES = {READING: "Reading hands …", DRAWING: "Drawing plots …"}
NO_HANDS = "Nobody has started a hand yet. Press “Update report” when the first hand has started."
FAILED = "The report could not be drawn. For the reason, see the terminal in which the server runs."
TIMED_OUT = (
    f"The report took more than {TIMEOUT_SECONDS // 60} minutes and was stopped. Export the "
    f"session and run {folders.command('analysis report')} instead."
)
TOO_MANY = "Too many reports are being drawn. Try again in a minute."
NEEDS_DISK = (
    "The report needs a server that stores its data on disk. This server stores them in memory. "
    f"Start the server with: {folders.command('run')}"
)

ENVIRONMENT = {  # of the worker process
    **ONE_THREAD,
    "MPLBACKEND": "svg",
}

TYPES = {".html": "text/html", ".svg": "image/svg+xml", ".csv": "text/csv", ".txt": "text/plain"}
# A report contains texts from participants, such as labels, so it may neither run scripts nor load anything.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "font-src data:; sandbox allow-same-origin allow-downloads allow-popups",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class ReportKey(NamedTuple):
    """The subject of a report or, with the round, hand_id and seat in ``hand``, of a replay."""

    session: str
    app: str
    hand: tuple[str, ...] = ()


class Report(NamedTuple):
    """A finished report: its files by name, and the time of its data in Unix milliseconds."""

    files: dict[str, bytes]
    as_of_ms: int


class ReportJob:
    """A report in progress or failed. ``message`` is for the researcher; empty after success."""

    def __init__(self, message: str = WAITING, over: bool = False) -> None:
        self.message = message
        self.over = over
        self.started = time.monotonic()
        self.as_of_ms = 0

    def handle_progress(self, line: str) -> None:
        """Handles a line of the worker process: a stage and its start."""
        stage, ms = line.split()
        self.message = STAGES[stage]
        if stage == READING:
            self.as_of_ms = int(ms)


class Reports:
    """The reports of this server, drawn one at a time; the latest stay in memory.

    ``command`` returns the worker's module and arguments for a key and a folder.
    """

    def __init__(self, command: Callable[[ReportKey, str], list[str]]) -> None:
        self._command = command
        self._lock = threading.Lock()  # held while a report is drawn
        self._jobs: dict[ReportKey, ReportJob] = {}  # used by the event loop only
        self._reports: dict[ReportKey, Report] = {}  # written by the thread that holds the lock
        self._dropped_ms: dict[str, int] = {}  # when the reports of a session were dropped last

    def request(self, key: ReportKey) -> None:
        """Queues a new drawing of the report, unless one is in progress."""
        if key in self._jobs and not self._jobs[key].over:
            return
        self._jobs = {key: job for key, job in self._jobs.items() if not job.over}
        if len(self._jobs) >= MAX_WAITING:
            self._jobs[key] = ReportJob(TOO_MANY, over=True)
            return
        self._jobs[key] = job = ReportJob()
        # A daemon thread does not delay the server's stop; the worker ends with the server.
        threading.Thread(target=self._draw, args=(key, job), daemon=True, name="report").start()

    def state(self, key: ReportKey) -> dict[str, Any]:
        """Returns the tab's data: message, seconds so far, and the time of the finished report."""
        job, report = self._jobs.get(key), self._reports.get(key)
        return {
            "under_way": job is not None and not job.over,
            "words": job.message if job else "",
            "seconds": round(time.monotonic() - job.started) if job else 0,
            "as_of_ms": report.as_of_ms if report else None,
        }

    def file(self, key: ReportKey, name: str) -> bytes | None:
        """Returns a file of the finished report; None for an unknown name."""
        report = self._reports.get(key)
        return report.files.get(name) if report else None

    def drop(self, session: str) -> None:
        """Drops the reports of a session, also one in progress: a participant has withdrawn."""
        self._dropped_ms[session] = clock.now_ms()
        self._reports = {key: report for key, report in self._reports.items() if key.session != session}

    def _draw(self, key: ReportKey, job: ReportJob) -> None:
        with self._lock:
            job.message, job.started = STAGES[READING], time.monotonic()
            folder = worker_process.make_folder("report")
            try:
                job.message = self._run_worker(folder, key, job)
            except Exception:
                logger.exception("report of %s", key)
                job.message = FAILED
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                job.over = True

    def _run_worker(self, folder: str, key: ReportKey, job: ReportJob) -> str:
        """Runs the worker process and stores its files; returns the reason for a failure, or ""."""
        code, timed_out, errors = _run(self._command(key, folder), folder, job.handle_progress)
        if timed_out:
            return TIMED_OUT
        if code == NOTHING_PLAYED:
            return NO_HANDS
        if code == REFUSED:
            return errors[-1].removeprefix("error: ").replace(folder + os.sep, "") if errors else FAILED
        if code == 0:
            self._keep(key, Report(_files(Path(folder, RESULT)), job.as_of_ms))
            return ""
        if code != TERMINATED:
            logger.error("report of %s: exit code %s\n%s", key, code, "\n".join(errors[-30:]))
        return FAILED

    def _keep(self, key: ReportKey, report: Report) -> None:
        if report.as_of_ms <= self._dropped_ms.get(key.session, 0):
            return
        others = [(other_key, report) for other_key, report in self._reports.items() if other_key != key]
        self._reports = dict([*others, (key, report)][-MAX_REPORTS:])


def report_command(key: ReportKey, folder: str) -> list[str]:
    """Returns the module and arguments of the worker for a report or replay."""
    return ["admin.report_worker", key.session, key.app, folder, *key.hand]


def _run(command: list[str], folder: str, handle_line: Callable[[str], None]) -> tuple[int, bool, list[str]]:
    """Runs a worker process; returns its exit code, whether it timed out, and its lines on stderr.

    A thread waits, because oTree's event loop on Windows cannot start processes.
    """
    errors = Path(folder, "stderr.txt")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    with (
        open(errors, "wb") as stderr,
        worker_process.start_worker(*command, environment=ENVIRONMENT, stderr=stderr) as process,
    ):
        timer = worker_process.kill_after(TIMEOUT_SECONDS, process)
        try:
            for line in process.stdout or ():
                handle_line(line)
            code = process.wait()
        finally:
            timer.cancel()
            process.kill()
    timed_out = time.monotonic() >= deadline
    return code, timed_out, errors.read_text("utf-8", errors="replace").strip().splitlines()


def _files(folder: Path) -> dict[str, bytes]:
    """Returns the files of a folder by relative path, such as ``plots/one.svg``."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


class ReportView(AdminView):
    """A view that requires a login if the tab does."""

    csrf_exempt = True  # another site could only start a drawing, not see it

    def _is_unauthorized(self) -> bool:
        return bool(AdminReport._requires_login and not self._is_logged_in())

    def intercept_dispatch(self, code: str, app: str, **_file: str) -> None:
        """Returns 404 for an invalid session code or an unknown app."""
        if not code.isalnum() or app not in settings.OTREE_APPS:
            raise HTTPException(404)


class ReportState(ReportView):
    """Starts a drawing on POST; GET and POST return the report's state."""

    def get(self, request: Request, code: str, app: str) -> Response:
        """Returns the state of the report."""
        return JSONResponse(LAB.reports.state(ReportKey(code, app)), headers={"Cache-Control": "no-store"})

    def post(self, request: Request, code: str, app: str) -> Response:
        """Starts a drawing; returns the state of the report."""
        if IN_MEMORY:  # the worker process could not open the database
            return JSONResponse({"under_way": False, "words": NEEDS_DISK, "seconds": 0, "as_of_ms": None})
        LAB.reports.request(ReportKey(code, app))
        return self.get(request, code, app)


class ReportFile(ReportView):
    """A file of the finished report: the page, a plot or a table."""

    def get(self, request: Request, code: str, app: str, file: str) -> Response:
        """Returns the file."""
        content = LAB.reports.file(ReportKey(code, app), file)
        if content is None:
            message = (
                "This report is no longer in memory. Press “Update report” in the tab Report of the session."
            )
            return Response(message, status_code=404, media_type="text/plain", headers=HEADERS)
        kind = TYPES.get(Path(file).suffix, "application/octet-stream")
        return Response(content, media_type=kind, headers=HEADERS)


ROUTES = [
    Route(PATH + "{code}/{app}", ReportState),
    Route(PATH + "{code}/{app}/{file:path}", ReportFile),
]


def _search_template(search: Callable[[FileLoader, str], Path], self: FileLoader, template: str) -> Path:
    app, _slash, name = template.partition("/")
    if name == "admin_report.html" and not Path(template).exists() and app in settings.OTREE_APPS:
        return search(self, TEMPLATE if is_game(app) else template)
    return search(self, template)


PATCHES = (
    Wrapper(
        *(FileLoader, "search_template", _search_template, "feature", "443cec1ac13280f0"),
        "All games share one template for the tab Report.",
    ),
)
