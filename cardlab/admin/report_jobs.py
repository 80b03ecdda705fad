"""The tab "Report" of oTree's admin pages: the plots of a session while it is running.

Nothing is read or drawn in the server. A process of its own, of low priority, does it
(:mod:`cardlab.admin.report_worker`), and hands back files, which are kept in memory; a thread here only waits
for it. Nothing here asks the database anything or takes oTree's lock, so no participant waits for a report.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from otree import settings
from otree.database import IN_MEMORY
from otree.views.admin import AdminReport
from otree.views.cbv import AdminView
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cardlab.admin.report_worker import DRAWING, NOTHING_PLAYED, READING, REFUSED, RESULT
from cardlab.exports import worker_process
from cardlab.exports.worker_process import ENDED

logger = logging.getLogger("cardlab.report")

PATH = "/cardlab/report/"  # what begins so takes no lock (cardlab.server.asgi)
PATIENCE = 300  # seconds that a drawing may take, the wait for its turn not counted
KEPT = 4  # reports, in memory
IN_LINE = 8  # drawings that may wait for their turn

WAITING = "Waiting for another report to be drawn…"
WORDS = {READING: "Reading the hands…", DRAWING: "Drawing the plots…"}
EMPTY = "No hand has been played yet. Draw again when the first has begun."
FAILED = "The report could not be drawn. The server's messages, where it was started, say why."
LATE = (
    f"Drawing took more than {PATIENCE // 60} minutes and was stopped. "
    "Export the session and use python -m cardlab.analysis report instead."
)
TOO_MANY = "Too many reports are being drawn at once. Please try again in a minute."
NOT_HERE = (
    "The report needs a server that keeps its data on disk, as python3 lab.py run starts it. "
    "This one keeps them in its memory."
)

ENVIRONMENT = {  # of the child process
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),  # it takes one core
    "MPLBACKEND": "svg",
}

TYPES = {".html": "text/html", ".svg": "image/svg+xml", ".csv": "text/csv", ".txt": "text/plain"}
# A report shows what participants wrote, their labels for instance: it may run and fetch nothing.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "font-src data:; sandbox allow-same-origin allow-downloads allow-popups",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Key(NamedTuple):
    """What a report is of; with a ``hand`` (its round, its name and a seat) it is its replay."""

    session: str
    app: str
    hand: tuple[str, ...] = ()


class Report(NamedTuple):
    """A drawn report: its files by name, and when the hands were read (Unix milliseconds)."""

    files: dict[str, bytes]
    as_of_ms: int


class Drawing:
    """A report in the making, and how it went. ``words`` is for the researcher; "" if all is well."""

    def __init__(self, words: str = WAITING, over: bool = False) -> None:
        self.words = words
        self.over = over
        self.begun = time.monotonic()
        self.as_of_ms = 0

    def hear(self, line: str) -> None:
        """What the child process says of its progress: a stage, then the time it began."""
        stage, ms = line.split()
        self.words = WORDS[stage]
        if stage == READING:
            self.as_of_ms = int(ms)


class Reports:
    """The reports of this server. One is drawn at a time; the last few stay in memory."""

    def __init__(self, command: Callable[[Key, str], list[str]]) -> None:
        self._command = command  # that draws into a folder
        self._turn = threading.Lock()
        self._newest: dict[Key, Drawing] = {}  # touched by the event loop alone
        self._drawn: dict[Key, Report] = {}  # written by the thread whose turn it is

    def ask(self, key: Key) -> None:
        """Have the report drawn anew, unless that is under way."""
        if key in self._newest and not self._newest[key].over:
            return
        self._newest = {key: drawing for key, drawing in self._newest.items() if not drawing.over}
        if len(self._newest) >= IN_LINE:
            self._newest[key] = Drawing(TOO_MANY, over=True)
            return
        self._newest[key] = drawing = Drawing()
        # A daemon: a server that is stopped does not wait for a drawing, whose process ends with it.
        threading.Thread(target=self._draw, args=(key, drawing), daemon=True, name="report").start()

    def state(self, key: Key) -> dict[str, Any]:
        """What the tab shows: the words, how long it has been going on, and of when the drawn report is."""
        drawing, report = self._newest.get(key), self._drawn.get(key)
        return {
            "under_way": drawing is not None and not drawing.over,
            "words": drawing.words if drawing else "",
            "seconds": round(time.monotonic() - drawing.begun) if drawing else 0,
            "as_of_ms": report.as_of_ms if report else None,
        }

    def file(self, key: Key, name: str) -> bytes | None:
        """A file of the report drawn last; None if there is none of that name."""
        report = self._drawn.get(key)
        return report.files.get(name) if report else None

    def _draw(self, key: Key, drawing: Drawing) -> None:
        with self._turn:
            drawing.words, drawing.begun = WORDS[READING], time.monotonic()
            folder = tempfile.mkdtemp(prefix="card-lab-report-")
            try:
                drawing.words = self._drawn_into(folder, key, drawing)
            except Exception:
                logger.exception("report of %s", key)
                drawing.words = FAILED
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                drawing.over = True

    def _drawn_into(self, folder: str, key: Key, drawing: Drawing) -> str:
        """Let the child process draw, and keep what it has drawn; why it has not, or ""."""
        code, late, said = _run(self._command(key, folder), folder, drawing.hear)
        if late:
            return LATE
        if code == NOTHING_PLAYED:
            return EMPTY
        if code == REFUSED:
            return said[-1].removeprefix("error: ").replace(folder + os.sep, "") if said else FAILED
        if code == 0:
            self._keep(key, Report(_files(Path(folder, RESULT)), drawing.as_of_ms))
            return ""
        if code != ENDED:
            logger.error("report of %s: exit code %s\n%s", key, code, "\n".join(said[-30:]))
        return FAILED

    def _keep(self, key: Key, report: Report) -> None:
        others = [(other, kept) for other, kept in self._drawn.items() if other != key]
        self._drawn = dict([*others, (key, report)][-KEPT:])


def _command(key: Key, folder: str) -> list[str]:
    return ["admin.report_worker", key.session, key.app, folder, *key.hand]


def _run(command: list[str], folder: str, hear: Callable[[str], None]) -> tuple[int, bool, list[str]]:
    """Run the child process to its end: its exit code, whether it took too long, what it said on stderr.

    A thread, and not asyncio, waits here, for on Windows the event loop that oTree runs on starts no process.
    """
    late = threading.Event()
    errors = Path(folder, "stderr.txt")
    with (
        open(errors, "wb") as stderr,
        worker_process.begin(*command, environment=ENVIRONMENT, stderr=stderr) as child,
    ):

        def end() -> None:
            late.set()
            child.kill()

        limit = threading.Timer(PATIENCE, end)
        limit.daemon = True
        limit.start()
        try:
            for line in child.stdout:
                hear(line)
            code = child.wait()
        finally:
            limit.cancel()
            child.kill()
    return code, late.is_set(), errors.read_text("utf-8", errors="replace").strip().splitlines()


def _files(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their names, those in folders below as ``plots/one.svg``."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


REPORTS = Reports(_command)
REPLAYS = Reports(_command)  # which wait for no report


class ReportView(AdminView):
    """What asks for a login exactly where the tab itself does."""

    csrf_exempt = True  # another site may at most have a report drawn, and sees nothing of it

    def _is_unauthorized(self) -> bool:
        return AdminReport._requires_login and not self._is_logged_in()

    def intercept_dispatch(self, code: str, app: str, **_file: str) -> None:
        if not code.isalnum() or app not in settings.OTREE_APPS:
            raise HTTPException(404)


class ReportState(ReportView):
    """POST has the report drawn; both tell how it stands."""

    def get(self, request, code: str, app: str) -> Response:
        return JSONResponse(REPORTS.state(Key(code, app)), headers={"Cache-Control": "no-store"})

    def post(self, request, code: str, app: str) -> Response:
        if IN_MEMORY:  # another process would find another database
            return JSONResponse({"under_way": False, "words": NOT_HERE, "seconds": 0, "as_of_ms": None})
        REPORTS.ask(Key(code, app))
        return self.get(request, code, app)


class ReportFile(ReportView):
    """A file of the report drawn last: the page itself, or what lies beside it."""

    def get(self, request, code: str, app: str, file: str) -> Response:
        content = REPORTS.file(Key(code, app), file)
        if content is None:
            words = "This report is no longer kept: draw it again in the tab Report of the session."
            return Response(words, status_code=404, media_type="text/plain", headers=HEADERS)
        kind = TYPES.get(Path(file).suffix, "application/octet-stream")
        return Response(content, media_type=kind, headers=HEADERS)


ROUTES = [
    Route(PATH + "{code}/{app}", ReportState),
    Route(PATH + "{code}/{app}/{file:path}", ReportFile),
]
