"""Runs oTree's exports in a worker process (:mod:`cardlab.exports.worker`), one at a time.

The process starts with the first export and ends when idle. A thread waits for it and reads its file, without
oTree's lock, so no participant waits for an export.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from otree.common2 import write_page_completion_buffer
from otree.database import IN_MEMORY, session_scope
from otree.middleware import lock2
from otree.views import cbv, export
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from cardlab.exports import browser_events, worker_process
from cardlab.exports.worker import FAILED, NO_EXPORT, NO_SESSION, RESULT, UNREACHABLE
from cardlab.live.lab import LAB

logger = logging.getLogger("cardlab.export")

IDLE_SECONDS = 30.0  # until an idle process ends
TIMEOUT_SECONDS = 600.0  # of an export; lab.py waits as long

MESSAGES = {
    NO_EXPORT: "app must be an app of this server, and function_name one of the app's exports.",
    NO_SESSION: "No session has this session_code.",
    FAILED: "The export could not be written. For the reason, see the terminal in which the server runs.",
    UNREACHABLE: "The server cannot reach its database. Try again in a moment.",
}
_SUBCLASSES = [*export.BaseExport.__subclasses__(), *export.LoginProtectedExport.__subclasses__()]
OTREE_VIEWS = [view for view in _SUBCLASSES if view.__module__ == export.__name__]
VIEWS = [*OTREE_VIEWS, *browser_events.VIEWS]
PATHS = [] if IN_MEMORY else [view.url_pattern for view in VIEWS]  # served without the lock
PAGE_TIMES = (export.ExportPageTimes, export.ExportPageTimesLogin)


class ExportFailed(Exception):
    """Raised if an export cannot be written; ``status`` is the HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ExportFile(NamedTuple):
    """An export: the name of its file without the date, and its content."""

    stem: str
    content: bytes


class Exporter:
    """Runs the worker process, for one thread at a time.

    Args:
        start: starts the process with its folder.
        timeout: seconds after which an export fails.
    """

    def __init__(
        self, start: Callable[[str], subprocess.Popen[str]], timeout: float = TIMEOUT_SECONDS
    ) -> None:
        self._start = start
        self._timeout = timeout
        self._process: subprocess.Popen[str] | None = None
        self._folder = ""

    def export(self, view: str, query: dict[str, str]) -> ExportFile:
        """Returns an export that the worker has written. Raises ExportFailed.

        Args:
            view: the name of oTree's view.
            query: the query of its address.
        """
        try:
            answer = self._request(json.dumps([view, query]))
            if "status" in answer:
                raise ExportFailed(answer["status"])
            file = Path(self._folder, RESULT)
            content = file.read_bytes()
            file.unlink()
            return ExportFile(answer["stem"], content)
        except OSError:
            logger.exception("export %s %s", view, query)
            raise ExportFailed(FAILED) from None

    def _running_process(self) -> subprocess.Popen[str]:
        """Returns the process; starts it if there is none or it has ended."""
        if self._process is None or self._process.poll() is not None:
            self.end()
            self._folder = tempfile.mkdtemp(prefix="card-lab-export-")
            try:
                self._process = self._start(self._folder)
            except OSError:
                os.rmdir(self._folder)
                raise
        return self._process

    def _request(self, line: str) -> dict[str, Any]:
        process = self._running_process()
        timer = worker_process.kill_after(self._timeout, process)
        try:
            print(line, file=process.stdin, flush=True)
            text = next(iter(process.stdout or ()), "")
        except BrokenPipeError:
            text = ""
        finally:
            timer.cancel()
        if not text:
            logger.error("The process that writes exports ended (exit code %s): %s", self.end(), line)
            raise ExportFailed(FAILED)
        answer: dict[str, Any] = json.loads(text)
        return answer

    def end(self) -> int | None:
        """Ends the process and removes its folder; returns its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        with suppress(BrokenPipeError), process:  # closes the pipe and waits
            pass
        shutil.rmtree(self._folder, ignore_errors=True)
        return process.returncode


class ExportQueue:
    """Runs this server's exports one at a time; ends the worker process after ``idle`` seconds."""

    def __init__(self, exporter: Exporter, idle: float = IDLE_SECONDS) -> None:
        self._exporter, self._idle = exporter, idle
        self._executor = ThreadPoolExecutor(1, "export")
        self._requests = 0

    async def export(self, view: str, query: dict[str, str]) -> ExportFile:
        """Returns an export, once those requested earlier are done. Raises ExportFailed."""
        loop = asyncio.get_running_loop()
        self._requests += 1
        number = self._requests
        try:
            return await loop.run_in_executor(self._executor, self._exporter.export, view, query)
        finally:
            loop.call_later(self._idle, self._end_if_idle, number)

    def _end_if_idle(self, number: int) -> None:
        if number == self._requests:
            self._executor.submit(self._exporter.end)


def start_export_worker(folder: str) -> subprocess.Popen[str]:
    """Starts the worker process that writes exports into a folder."""
    return worker_process.start_worker("exports.worker", folder)


async def _write_page_times() -> None:
    """Writes the page times that oTree buffers in this process's memory."""
    async with lock2:
        with session_scope():
            write_page_completion_buffer()


class _WorkerExport:
    """A mix-in for oTree's export views that lets the worker write the export."""

    async def process_export(self, request: Request) -> Response:
        """Returns the export; for a HEAD request, an empty response."""
        if isinstance(self, PAGE_TIMES):
            await _write_page_times()
        if request.method == "HEAD":
            return Response(media_type="text/csv")
        try:
            result = await LAB.exports.export(type(self).__name__, dict(request.query_params))
        except ExportFailed as failed:
            raise HTTPException(failed.status, MESSAGES[failed.status]) from None
        return export.get_csv_http_response(BytesIO(result.content), result.stem)


class _WorkerRestExport(_WorkerExport):
    """The same for views of the REST interface, which oTree calls in a thread."""

    async def get(self, request: Request) -> Response:
        """Returns the export if the request has the key."""
        return cbv.validate_rest_key(request) or await self.process_export(request)


def _route(view: Any) -> Route:
    """Returns the route of a view with the view's name, by which the worker finds it."""
    base = _WorkerRestExport if issubclass(view, export.BaseExport) else _WorkerExport
    return Route(view.url_pattern, type(view.__name__, (base, view), {}))


async def _redirect_to_session_export(request: Request) -> Response:
    """Redirects a link of a session's Data tab to the session's export, for which oTree has no route."""
    query = {**request.query_params, "session_code": request.path_params["code"]}
    return RedirectResponse(f"{export.ExportWideLogin.url_pattern}?{urlencode(query)}")


ROUTES = [
    Route("/ExportWide/{code}", _redirect_to_session_export, name="ExportWideLogin"),
    # Not with a database in memory, which the worker process cannot open.
    *([Route(view.url_pattern, view) for view in browser_events.VIEWS] if IN_MEMORY else map(_route, VIEWS)),
]
