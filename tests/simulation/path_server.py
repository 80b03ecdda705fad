"""The simulated server: Card Lab's and oTree's own application, called over ASGI in the simulated event loop.

:func:`prepare` loads everything once per process. Each run of the server is a fork of it, so that nothing in
memory survives a crash.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import simulated_machine
from simulated_disk import FILE, Connection, Disk, InjectedFault
from simulated_exports import ExportWorker, NoTimer, Threads
from simulated_loop import SimulatedLoop
from simulated_machine import Computer

ROOT = Path(__file__).resolve().parents[2]
# What a server reads from the project. The database and everything written are in another folder.
LINKED = ("_locale", "_rooms", "_static", "_templates", "treatments", "deals", "cardlab")
REST_KEY = "key of the simulation"
HOST = b"127.0.0.1:8000"


def prepare(folder: Path) -> None:
    """Loads the server in this process; ``folder`` becomes its working folder and gets an empty database."""
    simulated_machine.install()
    for name in (*LINKED, *(path.name for path in ROOT.glob("*_app")), "settings.py", "project.py"):
        (folder / name).symlink_to(ROOT / name)
    os.chdir(folder)
    tempfile.tempdir = str(folder)
    sys.path[:] = [str(folder), *(path for path in sys.path if Path(path or ".").resolve() != ROOT)]
    for name in [name for name in os.environ if name.startswith("OTREE_") or name == "DATABASE_URL"]:
        del os.environ[name]
    os.environ |= {
        "OTREE_PRODUCTION": "1",
        "OTREE_REST_KEY": REST_KEY,
        "OTREE_SECRET_KEY": "secret of the simulation",
        "USE_TIMEOUT_WORKER": "1",
        "CARD_LAB_SEAT_LIMITS": "100000",
        "CARD_LAB_COMPILED": "no",
        "OTREE_SKIP_CSRF": "1",
    }
    from cardlab.operations.database import open_sqlite

    open_sqlite(folder / FILE)
    Disk(Computer.chance).install()
    import otree.main

    logging.disable(logging.WARNING)
    otree.main.setup()
    import otree.asgi
    from otree.database import db, sqlite_disk_conn

    from cardlab.exports import worker_process
    from cardlab.live import record_journal, wal_checkpoints
    from cardlab.live.lab import LAB
    from cardlab.server import gc_schedule

    compile_templates()
    LAB.static_files.begin()
    # The world performs their threads' work as steps. A run of some seconds needs no garbage collection.
    wal_checkpoints.begin = gc_schedule.begin = lambda: None
    worker_process.kill_after = lambda _seconds, _process: NoTimer()
    record_journal.RecordJournal.begin = record_journal.RecordJournal.catch_up
    db.close()
    sqlite_disk_conn.close()
    shutil.copy(FILE, "empty.db")


def compile_templates() -> None:
    """Compiles the templates of all pages once; doing this in each run would take a third of the time."""
    from otree import settings
    from otree.common import get_pages_module
    from otree.templating.loader import ibis_loader

    for app in settings.OTREE_APPS:
        for page in get_pages_module(app).page_sequence:
            name = page.instantiate_without_request().get_template_name()
            ibis_loader.load(name, template_type=page._template_type)
    for folder, pattern in ((".", "*_app/*.html"), ("_templates", "**/*.html")):
        for file in Path(folder).glob(pattern):
            ibis_loader.load(file.relative_to(folder).as_posix())


class Engine:
    """Replaces the engine pool; the world decides when a search ends.

    ``replies`` has all answered actions by question, "" for none, also from earlier runs of the server.
    """

    def __init__(self, hub: Any, loop: SimulatedLoop, replies: dict[str, set[str]]) -> None:
        self._loop, self.replies = loop, replies
        self._search, hub.engine, hub._search = hub._search, self, self._note_and_search
        self._asked: list[tuple[Any, ...]] = []
        self._searches: list[tuple[str, str, asyncio.Future[Any]]] = []

    async def _note_and_search(self, *question: Any) -> None:
        self._asked.append(question)
        await self._search(*question)

    async def search(self, engine: str, question: str) -> Any:
        future = self._loop.create_future()
        self._searches.append((engine, question, future))
        return await future

    def open_searches(self) -> list[str]:
        """Returns the questions of the searches that have neither ended nor been cancelled."""
        self._searches = [search for search in self._searches if not search[2].done()]
        return [question for _engine, question, _future in self._searches]

    def search_again(self, number: int) -> None:
        """Repeats a search of this run, so that its hand gets two answers or a late one."""
        self._loop.create_task(self._search(*self._asked[number % len(self._asked)]))

    def end_search(self, number: int, finds_nothing: bool) -> None:
        """Ends one of the open searches, with or without an answer."""
        from cardlab.core import engine_pool

        engine, question, future = self._searches[number % len(self._searches)]
        reply = None if finds_nothing else engine_pool.answer(engine, question)
        self.replies.setdefault(question, set()).add(reply.action if reply else "")
        future.set_result(reply)


class Server:
    """One run of the server, from start to crash."""

    def __init__(self, disk: Disk, replies: dict[str, set[str]]) -> None:
        import otree.database

        from cardlab.core import clock
        from cardlab.live.lab import LAB
        from cardlab.server import app, asgi

        self.disk = disk
        disk.install()
        self.loop = SimulatedLoop()
        shared = otree.database.sqlite_disk_conn
        shared.__init__(FILE, check_same_thread=False, factory=Connection, timeout=0)
        shared.is_otrees = True
        shared.execute("PRAGMA foreign_keys = on")
        clock.SERVER.__init__(Computer.machine.ahead_ns)
        clock.STARTED_MS = clock.now_ms()
        static_files = LAB.static_files
        app.build()
        LAB.static_files, static_files.begin = static_files, lambda: None
        self.engine = Engine(LAB.hub, self.loop, replies)
        self.export_worker_dies = False  # whether it dies at the next export
        LAB.exports._exporter._start = partial(ExportWorker, dies=self._does_export_worker_die)
        LAB.exports._executor = Threads(self.loop)
        self.lab = LAB
        self.app = asgi.build_app()
        self.log = Log(disk)
        self.complaints: list[Exception] = []  # of clients, which are called from within the server
        for begin in self.app.at_start:
            begin()

    def _does_export_worker_die(self) -> bool:
        dies, self.export_worker_dies = self.export_worker_dies, False
        if dies:
            self.disk.note_fault("export worker ends")
        return dies

    def tell(self, client: Callable[..., None], *arguments: Any) -> None:
        """Calls a client; its exceptions must not reach the server."""
        try:
            client(*arguments)
        except Exception as complaint:  # noqa: BLE001 the world raises it
            self.complaints.append(complaint)

    def request(self, call: Call) -> None:
        """Starts a request or a connection; ``call`` receives the response."""
        call.server = self
        self.loop.create_task(self.app(call.scope, call.receive, call.send)).add_done_callback(call.end)


class Log(logging.Handler):
    """Collects errors that the server logs, except those caused by an injected fault."""

    def __init__(self, disk: Disk) -> None:
        super().__init__(logging.ERROR)
        self.disk, self.errors = disk, []
        for logger in (logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)):
            logger.handlers.clear()
        logging.getLogger().addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not self.disk.dead and not is_injected(error):
            self.errors.append(f"{record.getMessage()} ({type(error).__name__}: {error})")


def is_injected(error: BaseException | None) -> bool:
    """Returns whether an exception has an injected fault among its causes."""
    seen: set[int] = set()
    pending = [error]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, InjectedFault):
            return True
        pending += [one.__cause__, one.__context__, getattr(one, "orig", None)]
    return False


class Call:
    """A request or a WebSocket as its client sees it. Subclasses process the messages that arrive."""

    def __init__(self, kind: str, path: str, headers: dict[str, str], query: str = "") -> None:
        self.server: Server
        self.path, self.query = path, query
        self.scope = {
            "type": kind,
            "asgi": {"version": "3.0", "spec_version": "2.1"},
            "http_version": "1.1",
            "scheme": {"http": "http", "websocket": "ws"}[kind],
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 50_000),
            "root_path": "",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [
                (b"host", HOST),
                *((name.encode(), value.encode()) for name, value in headers.items()),
            ],
            **({"subprotocols": []} if kind == "websocket" else {}),
        }

    def end(self, task: asyncio.Task[None]) -> None:
        """Is called when the application has finished with this call."""
        raise NotImplementedError

    async def receive(self) -> dict[str, Any]:
        raise NotImplementedError

    async def send(self, message: dict[str, Any]) -> None:
        raise NotImplementedError


class Request(Call):
    """An HTTP request; ``on_answer`` is called once, when the whole response has arrived."""

    def __init__(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        body: bytes = b"",
        on_answer: Callable[[Request], None] = lambda _request: None,
        query: str = "",
    ) -> None:
        if body:
            headers = {"content-length": str(len(body)), **headers}
        super().__init__("http", path, headers, query)
        self.scope["method"] = method
        self.method, self._body, self._on_answer = method, body, on_answer
        self._sent = body
        self.status, self.headers, self.content = 0, [], b""
        self.is_answered = False

    async def receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.server.loop.create_future()  # the client stays connected
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        if self.server.disk.dead:
            return
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], message["headers"]
            return
        self.content += message.get("body", b"")
        length = int((self.header("content-length") or ["-1"])[0])
        if (not message.get("more_body") or len(self.content) == length) and not self.is_answered:
            self.is_answered = True
            self.server.tell(self._on_answer, self)

    def end(self, task: asyncio.Task[None]) -> None:
        """Sends status 500 if the application sent no response, and logs its error, as uvicorn does."""
        error = task.exception()
        if self.server.disk.dead:
            return
        if error is not None and not is_injected(error):
            self.server.loop.errors.append(f"{self.method} {self.path}: {type(error).__name__}: {error}")
        if not self.is_answered:
            self.status, self.is_answered = 500, True
            self.server.tell(self._on_answer, self)

    def names(self, code: str) -> bool:
        """Returns whether the address or the form has the code of a participant."""
        return bool(code) and (code in self.path or code.encode() in self._sent)

    def header(self, name: str) -> list[str]:
        return [value.decode("latin-1") for key, value in self.headers if key.decode().lower() == name]


class Socket(Call):
    """A WebSocket. While it is slowed down, the server's messages are held back."""

    def __init__(
        self, path: str, headers: dict[str, str], query: str, on_text: Callable[[Socket, str], None]
    ) -> None:
        super().__init__("websocket", path, headers, query)
        self._on_text = on_text
        self._inbox: list[dict[str, Any]] = [{"type": "websocket.connect"}]
        self._waiter: asyncio.Future[None] | None = None
        self._released: asyncio.Future[None] | None = None
        self.is_open = True
        self.is_accepted = False
        self.has_joined = False  # whether the server has sent the first message
        self.ended_ns: int | None = None  # steady clock, when the application had finished with it

    def put(self, message: dict[str, Any]) -> None:
        self._inbox.append(message)
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    def send_text(self, text: str) -> None:
        self.put({"type": "websocket.receive", "text": text})

    def close(self) -> None:
        """Closes the browser's side and notifies the server."""
        if self.is_open:
            self.is_open = False
            self.put({"type": "websocket.disconnect", "code": 1001})
            self.release()

    def slow_down(self) -> None:
        self._released = self._released or self.server.loop.create_future()

    def release(self) -> None:
        if self._released and not self._released.done():
            self._released.set_result(None)
        self._released = None

    def end(self, task: asyncio.Task[None]) -> None:
        """Closes the connection and logs an error, as uvicorn does."""
        error = task.exception()
        self.is_open = False
        self.ended_ns = Computer.machine.steady_ns
        if not self.server.disk.dead and error is not None and not is_injected(error):
            self.server.loop.errors.append(f"{self.path}: {type(error).__name__}: {error}")

    async def receive(self) -> dict[str, Any]:
        while not self._inbox:
            self._waiter = self.server.loop.create_future()
            await self._waiter
        return self._inbox.pop(0)

    async def send(self, message: dict[str, Any]) -> None:
        if self._released:
            await self._released
        if self.server.disk.dead or not self.is_open:
            return
        if message["type"] == "websocket.accept":
            self.is_accepted = True
        elif message["type"] == "websocket.close":
            self.is_open = False
        else:
            self.server.tell(self._on_text, self, message["text"])
