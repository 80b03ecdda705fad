"""oTree's exports, all of which are written in a process of their own (:mod:`cardlab.exports.worker`).

It is started by the first, writes one after the other, and ends when nobody has asked for a while. Nothing is
read here, so no participant waits for an export: a thread waits for the process, and reads what that has
written in one piece. None takes oTree's lock.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import subprocess
import tempfile
import threading
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

from cardlab.exports import worker_process
from cardlab.exports.worker import FAILED, NO_EXPORT, NO_SESSION, RESULT, UNREACHABLE

logger = logging.getLogger("cardlab.export")

IDLE = 30.0  # seconds without an export, after which the process ends
PATIENCE = 600.0  # seconds that an export may take, as long as lab.py waits for it

WORDS = {
    NO_EXPORT: "app must name an app of this server, and function_name one of the app's exports.",
    NO_SESSION: "There is no session with this session_code.",
    FAILED: "The export could not be written. The server's messages, where it was started, say why.",
    UNREACHABLE: "The server cannot reach its data. Please try again in a moment.",
}
VIEWS = [*export.BaseExport.__subclasses__(), *export.LoginProtectedExport.__subclasses__()]
PATHS = [] if IN_MEMORY else [view.url_pattern for view in VIEWS]  # what begins so takes no lock
PAGE_TIMES = (export.ExportPageTimes, export.ExportPageTimesLogin)


class Failed(Exception):
    """An export that is not there; ``status`` is what HTTP calls it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Written(NamedTuple):
    """An export: what its file is called before the date, and what is in it."""

    stem: str
    content: bytes


class Exporter:
    """The process, for one thread at a time; there is none before the first export."""

    def __init__(self, begin: Callable[[str], subprocess.Popen[str]], patience: float = PATIENCE) -> None:
        self._begin = begin  # starts it, with its folder
        self._patience = patience
        self._child: subprocess.Popen[str] | None = None
        self._folder = ""

    def export(self, view: str, query: dict[str, str]) -> Written:
        """Have an export written. Raises Failed."""
        try:
            told = self._told(json.dumps([view, query]))
            if "status" in told:
                raise Failed(told["status"])
            file = Path(self._folder, RESULT)
            content = file.read_bytes()
            file.unlink()
            return Written(told["stem"], content)
        except OSError:
            logger.exception("export %s %s", view, query)
            raise Failed(FAILED) from None

    def _running(self) -> subprocess.Popen[str]:
        """The process, which is started if there is none, or if it has died since the last export."""
        if self._child is None or self._child.poll() is not None:
            self.end()
            self._folder = tempfile.mkdtemp(prefix="card-lab-export-")
            try:
                self._child = self._begin(self._folder)
            except OSError:
                os.rmdir(self._folder)
                raise
        return self._child

    def _told(self, asked: str) -> dict[str, Any]:
        """What the process answers."""
        child = self._running()
        limit = threading.Timer(self._patience, child.kill)
        limit.daemon = True
        limit.start()
        try:
            child.stdin.write(f"{asked}\n")
            child.stdin.flush()
            answer = child.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            limit.cancel()
        if not answer:
            logger.error("The process that writes exports ended (exit code %s): %s", self.end(), asked)
            raise Failed(FAILED)
        return json.loads(answer)

    def end(self) -> int | None:
        """End the process, and clear away what it may have left; its exit code."""
        child, self._child = self._child, None
        if child is None:
            return None
        with suppress(BrokenPipeError), child:  # which closes the pipe, and waits
            pass
        shutil.rmtree(self._folder, ignore_errors=True)
        return child.returncode


class Exports:
    """The exports of this server, one at a time."""

    def __init__(self, exporter: Exporter, idle: float = IDLE) -> None:
        self._exporter, self._idle = exporter, idle
        self._turn = ThreadPoolExecutor(1, "export")
        self._asked = 0

    async def written(self, view: str, query: dict[str, str]) -> Written:
        """An export of what the database holds now, or later if others are before it. Raises Failed."""
        loop = asyncio.get_running_loop()
        self._asked += 1
        number = self._asked
        try:
            return await loop.run_in_executor(self._turn, self._exporter.export, view, query)
        finally:
            loop.call_later(self._idle, self._end_after, number)

    def _end_after(self, number: int) -> None:
        if number == self._asked:
            self._turn.submit(self._exporter.end)


EXPORTS = Exports(Exporter(lambda folder: worker_process.begin("exports.worker", folder)))


async def _write_page_times() -> None:
    """oTree keeps the last page times in this process's memory until somebody asks for them."""
    async with lock2:
        with session_scope():
            write_page_completion_buffer()


class _WrittenElsewhere:
    """One of oTree's views of an export, which has the worker write it."""

    async def process_export(self, request: Request) -> Response:
        """Answers with the export. For HEAD, too, the last page times are written."""
        if isinstance(self, PAGE_TIMES):
            await _write_page_times()
        if request.method == "HEAD":
            return Response(media_type="text/csv")
        try:
            written = await EXPORTS.written(type(self).__name__, dict(request.query_params))
        except Failed as failed:
            raise HTTPException(failed.status, WORDS[failed.status]) from None
        return export.get_csv_http_response(BytesIO(written.content), written.stem)


class _WrittenForPrograms(_WrittenElsewhere):
    """The same of a view of the REST interface; oTree's would ask in a thread."""

    async def get(self, request: Request) -> Response:
        """Answers with the export to who shows the key."""
        return cbv.validate_rest_key(request) or await self.process_export(request)


def _route(view: Any) -> Route:
    """The address of one of oTree's exports, with a view of the same name: the worker looks it up by that."""
    written = _WrittenForPrograms if issubclass(view, export.BaseExport) else _WrittenElsewhere
    return Route(view.url_pattern, type(view.__name__, (written, view), {}))


async def _of_the_session(request: Request) -> Response:
    """Leads from a link of a session's Data tab to the export of that session.

    oTree's template names the session in the link, but its address has no place for it.
    """
    query = {**request.query_params, "session_code": request.path_params["code"]}
    return RedirectResponse(f"{export.ExportWideLogin.url_pattern}?{urlencode(query)}")


ROUTES = [
    Route("/ExportWide/{code}", _of_the_session, name="ExportWideLogin"),
    # Not where the data are in memory: another process would find another database.
    *([] if IN_MEMORY else map(_route, VIEWS)),
]
