"""Runs oTree's exports in a worker process (:mod:`cardlab.exports.worker`), one at a time.

The process starts with the first export and ends when idle. A thread waits for it, without oTree's lock, so
no participant waits for an export. A download begins with the first rows and reads the file while it grows.
So an export of any length takes little memory, and no reverse proxy times out.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import subprocess
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from otree.common2 import write_page_completion_buffer
from otree.database import IN_MEMORY, session_scope
from otree.middleware import lock2
from otree.views import cbv, export
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from cardlab.exports import browser_events, page_texts, worker_process
from cardlab.exports.progress import Progress
from cardlab.exports.worker import FAILED, NO_EXPORT, NO_SESSION, NO_SPACE, UNREACHABLE
from cardlab.live.lab import LAB

logger = logging.getLogger("cardlab.export")

IDLE_SECONDS = 30.0  # until an idle process ends
STUCK_SECONDS = 600.0  # without progress, until an export fails
CHUNK_BYTES = 256 * 1024

MESSAGES = {
    NO_EXPORT: "app must be an app of this server, and function_name one of the app's exports.",
    NO_SESSION: "No session has this session_code.",
    FAILED: "The export could not be written. For the reason, see the terminal in which the server runs.",
    NO_SPACE: "The export needs a copy of the database, for which the server has too little disk space. Free "
    "some space in its folder for temporary files, then try again.",
    UNREACHABLE: "The server cannot reach its database. Try again in a moment.",
}
_SUBCLASSES = [*export.BaseExport.__subclasses__(), *export.LoginProtectedExport.__subclasses__()]
OTREE_VIEWS = [view for view in _SUBCLASSES if view.__module__ == export.__name__]
OWN_VIEWS = [*browser_events.VIEWS, *page_texts.VIEWS]
VIEWS = [*OTREE_VIEWS, *OWN_VIEWS]
URL_PATTERNS = {view.__name__: view.url_pattern for view in VIEWS}
PROGRESS_PATH = "/api/export_progress"
PATHS = [] if IN_MEMORY else [*URL_PATTERNS.values(), PROGRESS_PATH]  # served without the lock
PAGE_TIMES = (export.ExportPageTimes, export.ExportPageTimesLogin)


class ExportFailed(Exception):
    """Raised if an export cannot be written; ``status`` is the HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ExportFile(NamedTuple):
    """The file of an export, which grows until it is complete.

    ``stem`` is the name for the download, without the date.
    """

    path: Path
    stem: str
    progress: Progress
    is_complete: bool

    @property
    def size(self) -> int:
        """Its bytes so far; 0 if it is gone, because the worker process has ended."""
        return self.path.stat().st_size if self.path.exists() else 0


def _remove(path: Path) -> None:
    with suppress(OSError):  # Windows: it is open; it is removed with its folder
        path.unlink(missing_ok=True)


class Exporter:
    """Runs the worker process, for one thread at a time.

    Args:
        start: starts the process with its folder.
        patience: seconds without progress after which an export fails.
    """

    def __init__(
        self, start: Callable[[str], subprocess.Popen[str]], patience: float = STUCK_SECONDS
    ) -> None:
        self._start = start
        self._patience = patience
        self._process: subprocess.Popen[str] | None = None
        self._folder = ""
        self._numbers = count(1)

    def export(self, view: str, query: dict[str, str]) -> Iterator[ExportFile]:
        """Yields an export's file when it has grown, and when it is complete. Raises ExportFailed.

        Args:
            view: the name of oTree's view.
            query: the query of its address.
        """
        name = f"export-{next(self._numbers)}"
        try:
            process = self._running_process()
            path = Path(self._folder, name)
            for line in self._answers(process, json.dumps([view, query, name])):
                answer: dict[str, Any] = json.loads(line)
                if "status" in answer:
                    _remove(path)
                    raise ExportFailed(answer["status"])
                file = ExportFile(
                    path, answer["stem"], Progress(*answer.get("progress", ())), "done" in answer
                )
                yield file
                if file.is_complete:
                    return
        except OSError:
            logger.exception("export %s %s", view, query)
            raise ExportFailed(FAILED) from None
        logger.error(
            "The process that writes exports ended (exit code %s): %s", self.end(), json.dumps([view, query])
        )
        raise ExportFailed(FAILED)

    def _answers(self, process: subprocess.Popen[str], request: str) -> Iterator[str]:
        """Yields the lines with which a process answers a request, until it ends; kills a stuck process."""
        try:
            print(request, file=process.stdin, flush=True)
        except BrokenPipeError:
            return
        while True:
            timer = worker_process.kill_after(self._patience, process)
            line = next(iter(process.stdout or ()), "")
            timer.cancel()
            if not line:
                return
            yield line

    def stop(self) -> None:
        """Ends the process in the middle of an export."""
        if self._process:
            self._process.kill()
        self.end()

    def _running_process(self) -> subprocess.Popen[str]:
        """Returns the process; starts it if there is none or it has ended."""
        if self._process is None or self._process.poll() is not None:
            self.end()
            self._folder = worker_process.make_folder("export")
            try:
                self._process = self._start(self._folder)
            except OSError:
                os.rmdir(self._folder)
                raise
        return self._process

    def end(self) -> int | None:
        """Ends the process and removes its folder; returns its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        with suppress(BrokenPipeError), process:  # closes the pipe and waits
            pass
        shutil.rmtree(self._folder, ignore_errors=True)
        return process.returncode


class Download:
    """A client's download of an export, in the event loop.

    Args:
        on_close: called once, when the download is over.
    """

    def __init__(self, on_close: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._on_close = on_close
        self.file: ExportFile | None = None
        self.status: int | None = None  # after a failure
        self.is_closed = False

    def update(self, file: ExportFile | None, status: int | None = None) -> None:
        """Notes how far the file is, or a failure; called by the thread that waits for the worker."""

        def set_state() -> None:
            self.file, self.status = file or self.file, status
            self._changed.set()
            if self.is_closed:
                self._remove_file()

        with suppress(RuntimeError):  # the event loop is closed, because the server stops
            self._loop.call_soon_threadsafe(set_state)

    async def _next_state(self) -> None:
        await self._changed.wait()
        self._changed.clear()

    async def begin(self) -> ExportFile:
        """Waits for the first rows; returns the file. Raises ExportFailed."""
        while self.status is None:
            if self.file and (self.file.is_complete or self.file.size):
                return self.file
            await self._next_state()
        raise ExportFailed(self.status)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yields the content. Raises ExportFailed if it cannot be completed."""
        try:
            content = open((await self.begin()).path, "rb")  # noqa: SIM115 closed below
        except FileNotFoundError:  # the worker process has just ended
            raise ExportFailed(FAILED) from None
        with content:
            is_complete = False
            while not is_complete:
                is_complete = self.file is not None and self.file.is_complete
                while chunk := await self._loop.run_in_executor(None, content.read, CHUNK_BYTES):
                    yield chunk
                if self.status is not None:
                    raise ExportFailed(self.status)
                if not is_complete:
                    await self._next_state()

    def close(self) -> None:
        """Ends the download, removes the file, and stops an unfinished export."""
        if not self.is_closed:
            self.is_closed = True
            self._remove_file()
            self._on_close()

    def _remove_file(self) -> None:
        if self.file:
            _remove(self.file.path)


class ExportQueue:
    """Runs this server's exports one at a time; ends the worker process after ``idle`` seconds."""

    def __init__(self, exporter: Exporter, idle: float = IDLE_SECONDS) -> None:
        self._exporter, self._idle = exporter, idle
        self._executor = ThreadPoolExecutor(1, "export")
        self._requests = 0
        self._open_downloads = 0
        self._current: tuple[str, dict[str, str], Download] | None = None  # view and query of its export

    async def export(self, view: str, query: dict[str, str]) -> Download:
        """Returns the download of an export, once those requested earlier are written and it has rows.

        Close it when it is over. Raises ExportFailed.
        """
        self._requests += 1
        self._open_downloads += 1
        download = Download(self._note_closed_download)
        try:
            self._executor.submit(self._write, view, query, download)
            await download.begin()
        except BaseException:
            download.close()
            raise
        return download

    def _write(self, view: str, query: dict[str, str], download: Download) -> None:
        """Has the worker write an export, unless nobody wants it any more."""
        if download.is_closed:
            return
        self._current = view, query, download
        try:
            for file in self._exporter.export(view, query):
                download.update(file)
                if download.is_closed and not file.is_complete:
                    logger.info("export %s %s stopped, because the client has disconnected", view, query)
                    self._exporter.stop()
                    return
        except ExportFailed as failed:
            download.update(None, failed.status)
        except Exception:
            logger.exception("export %s %s", view, query)
            download.update(None, FAILED)
        finally:
            self._current = None

    def progress(self) -> dict[str, Any]:
        """Returns path, query and progress of the export that is being written; empty without one."""
        current = self._current  # the thread may note another while this reads
        if current is None:
            return {}
        view, query, download = current
        file = download.file
        if file and file.is_complete:  # the thread that wrote it has not yet noted its end
            return {}
        progress = file.progress if file else Progress()
        return {"path": URL_PATTERNS[view], "query": query, **progress._asdict()}

    def _note_closed_download(self) -> None:
        self._open_downloads -= 1
        asyncio.get_running_loop().call_later(self._idle, self._end_if_idle, self._requests)

    def _end_if_idle(self, number: int) -> None:
        if number == self._requests and not self._open_downloads:
            self._executor.submit(self._exporter.end)


def start_export_worker(folder: str) -> subprocess.Popen[str]:
    """Starts the worker process that writes exports into a folder."""
    return worker_process.start_worker("exports.worker", folder)


async def _write_page_times() -> None:
    """Writes the page times that oTree buffers in this process's memory."""
    async with lock2:
        with session_scope():
            write_page_completion_buffer()


def download_response(file: ExportFile) -> Response:
    """Returns oTree's response for an export, without the content; a complete one has its length."""
    response = export.get_csv_http_response(BytesIO(), file.stem)
    if file.is_complete:
        response.headers["content-length"] = str(file.size)
    else:
        del response.headers["content-length"]
    return response


class _WorkerExport:
    """A mix-in for oTree's export views that lets the worker write the export."""

    async def process_export(self, request: Request) -> Response:
        """Returns the export; for a HEAD request, an empty response."""
        if isinstance(self, PAGE_TIMES):
            await _write_page_times()
        if request.method == "HEAD":
            return Response(media_type="text/csv")
        try:
            download = await LAB.exports.export(type(self).__name__, dict(request.query_params))
        except ExportFailed as failed:
            raise HTTPException(failed.status, MESSAGES[failed.status]) from None
        request.scope["download"] = download  # the guard sends it
        return download_response(await download.begin())


class _WorkerRestExport(_WorkerExport):
    """The same for views of the REST interface, which oTree calls in a thread."""

    async def get(self, request: Request) -> Response:
        """Returns the export if the request has the key."""
        return cbv.validate_rest_key(request) or await self.process_export(request)


def _route(view: Any) -> Route:
    """Returns the route of a view with the view's name, by which the worker finds it."""
    base = _WorkerRestExport if issubclass(view, export.BaseExport) else _WorkerExport
    return Route(view.url_pattern, type(view.__name__, (base, view), {}))


class RestProgress(cbv.BaseRESTView):
    """How far the export that is being written is, for ``lab.py export``."""

    def get(self) -> Response:
        """Returns path, query and progress."""
        return JSONResponse(LAB.exports.progress(), headers={"Cache-Control": "no-store"})


async def _redirect_to_session_export(request: Request) -> Response:
    """Redirects a link of a session's Data tab to the session's export, for which oTree has no route."""
    query = {**request.query_params, "session_code": request.path_params["code"]}
    return RedirectResponse(f"{export.ExportWideLogin.url_pattern}?{urlencode(query)}")


ROUTES = [
    Route(PROGRESS_PATH, RestProgress),
    Route("/ExportWide/{code}", _redirect_to_session_export, name="ExportWideLogin"),
    # Not with a database in memory, which the worker process cannot open.
    *([Route(view.url_pattern, view) for view in OWN_VIEWS] if IN_MEMORY else map(_route, VIEWS)),
]
