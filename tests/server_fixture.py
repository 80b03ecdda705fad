"""Runs real servers for tests: ``LabServer`` (oTree's prodserver in a working copy) and ``Postgres``.

Each server has its own folder, database and free port. Its whole process group is ended with it. It can be
killed and restarted on the same data.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, NamedTuple

import psycopg2
from stages import clean_environment
from system_packages import postgres_folder

from cardlab.exports import worker_process
from cardlab.operations import project
from cardlab.operations.database import open_sqlite
from cardlab.operations.project import ANYWHERE, AT_THE_TOP, WINDOWS, leave_out
from cardlab.operations.server import end_server, start_server, wait_until_listening
from cardlab.operations.terminal import Refusal

REST_KEY = "key of the tests"


def _ports() -> Iterator[int]:
    """Yields ports below the system's ephemeral range; each test process starts at a different one."""
    lowest, highest = 10_000, 32_000
    place = os.getpid() * 1009 % (highest - lowest)
    while True:
        yield lowest + place
        place = (place + 1) % (highest - lowest)


_next_ports = _ports()


def free_port() -> int:
    """Returns a free TCP port that no other test process will choose soon."""
    for port in itertools.islice(_next_ports, 1000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """Returns ``condition()`` once it is true; fails naming ``what`` after ``seconds``.

    A condition that takes long, such as an export, is checked less often, to leave the cores to other tests.
    """
    end = time.monotonic() + seconds
    while (asked := time.monotonic()) < end:
        value = condition()
        if value:
            return value
        time.sleep(max(0.02, 4 * (time.monotonic() - asked)))
    raise AssertionError(f"waited {seconds} s in vain for {what}")


def timeout_workers(port: int) -> list[int]:
    """Returns the process ids of the timeout workers of the server at this port."""
    ps = ["ps", "-A", "-ww", "-o", "pid=,args="]
    lines = subprocess.run(ps, capture_output=True, text=True, check=True).stdout.splitlines()
    fields = [line.split() for line in lines if "cardlab.server.timeout_worker" in line]
    return [int(pid) for pid, *args in fields if args[-2:] == ["cardlab.server.timeout_worker", str(port)]]


def working_copy(folder: Path) -> Path:
    """Copies the files that a server needs, with their compiled modules to avoid compiling every copy."""
    if WINDOWS:
        return _copy_by_python(project.FOLDER, folder)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-R", "-p", f"{_first_copy()}/.", folder], check=True)
    return folder


# Removed at the end of the tests (conftest.py), because processes of pytest-xdist end without clean-up.
FOLDER_OF_FIRST_COPY = tempfile.TemporaryDirectory(
    prefix=f"card-lab-copy-{os.getpid()}-", ignore_cleanup_errors=True
)


@cache
def _first_copy() -> Path:
    """Returns a copy of the project for ``cp``, which needs a fifth of the time that Python needs."""
    remove_stale_copies(Path(tempfile.gettempdir()))
    return _copy_by_python(project.FOLDER, Path(FOLDER_OF_FIRST_COPY.name))


def remove_stale_copies(folder: Path) -> None:
    """Removes the copies of test processes that were killed."""
    for copy in folder.glob("card-lab-copy-*-*"):
        try:
            os.kill(int(copy.name.split("-")[3]), 0)
        except ProcessLookupError:
            shutil.rmtree(copy, ignore_errors=True)
        except (PermissionError, ValueError):
            pass  # another user's, or another program's


def _copy_by_python(source: Path, folder: Path) -> Path:
    ignored = leave_out({*AT_THE_TOP, "tests"}, {*ANYWHERE, "*.pyc.*"} - {"__pycache__"})
    return Path(shutil.copytree(source, folder, ignore=ignored, dirs_exist_ok=True))


class LabSession(NamedTuple):
    """A session on a server: its code, and each participant's code and start address, in order."""

    code: str
    participants: list[str]
    start_urls: list[str]


class LabServer:
    """Card Lab on a free port of 127.0.0.1, in ``folder``; on SQLite unless ``database_url`` is given.

    ``environment`` adds to the server's variables (``{"OTREE_PRODUCTION": "0"}`` for oTree's debug mode).
    """

    def __init__(
        self, folder: Path, database_url: str | None = None, environment: dict[str, str] | None = None
    ) -> None:
        self.folder = folder if (folder / "settings.py").exists() else working_copy(folder)
        self.database_url = database_url
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **clean_environment(),
            "OTREE_PRODUCTION": "1",
            "OTREE_REST_KEY": REST_KEY,
            "CARD_LAB_SEAT_LIMITS": "1000",  # tests play faster than people
            "CARD_LAB_COMPILED": "no",  # otherwise each server would compile: its copy is new
            **({"DATABASE_URL": database_url} if database_url else {}),
            **(environment or {}),
        }
        self.process: subprocess.Popen | None = None
        self._log_begins = 0  # offset in bytes of the part of the log that was not taken yet
        self._codes: set[str] = set()  # of all participants of the sessions that tests have created

    def start(self) -> LabServer:
        """Starts the server on the existing data; returns when it answers."""
        if not self.database_url:
            open_sqlite(self.folder / "db.sqlite3")
        with open(self.folder / "stdout.txt", "ab") as out, open(self.folder / "stderr.txt", "ab") as errors:
            streams = {"stdout": out, "stderr": errors}
            self.process = start_server("127.0.0.1", self.port, self.folder, self.environment, **streams)
        try:
            wait_until_listening(self.process, self.port)
        except Refusal as refusal:
            self.stop()
            raise AssertionError(f"the server did not start:\n{self.stderr_text()}") from refusal
        return self

    def stop(self) -> None:
        """Ends the server as ``lab.py run`` does on Ctrl-C; does nothing if it is not running."""
        if self.process:
            end_server(self.process)
            self.process = None
        worker_process.remove_left_folders(self.folder)

    def kill9(self) -> None:
        """Kills the server at once, whatever it is doing, like a power cut."""
        if self.process and not WINDOWS:  # on Windows, stop() is no gentler than this
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.stop()

    def __enter__(self) -> LabServer:
        return self.start()

    def __exit__(self, kind: object, *_error: object) -> None:
        self.stop()
        if kind is None:
            self.assert_no_fault()

    def stderr_text(self) -> str:
        """Returns what the server has logged in all its runs since the last ``take_log``.

        An error is logged after the response is sent. Stop the server before you check that there are no
        errors.
        """
        return self._log().decode("utf-8", errors="replace")

    def take_log(self) -> str:
        """Returns the log so far, and excludes it from later checks, for tests that provoke an error.

        Checks that neither this log nor the request log contains a participant's code.
        """
        log = self._log()
        self._log_begins += len(log)
        log_text = log.decode("utf-8", errors="replace")
        for text in (log_text, (self.folder / "stdout.txt").read_text("utf-8", errors="replace")):
            codes = self._codes.intersection(re.findall(r"[a-z0-9]{8}", text))
            assert not codes, [line for line in text.splitlines() if any(code in line for code in codes)]
        return log_text

    def _log(self) -> bytes:
        return (self.folder / "stderr.txt").read_bytes()[self._log_begins :]

    def assert_no_fault(self) -> None:
        """Checks that the rest of the log has no traceback with a line of Card Lab, and takes it.

        The WebSocket library logs a traceback when a browser vanishes, but no line of Card Lab is in it.
        """
        log = self.take_log()
        assert f'File "{self.folder}' not in log, log

    def new_browser(self) -> dict[str, str]:
        """Returns the cookies of a browser that the server has not seen before."""
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.url + "/login") as page:
            cookies = [SimpleCookie(each) for each in page.headers.get_all("set-cookie")]
        return {name: one.value for each in cookies for name, one in each.items() if name != "session"}

    @cached_property
    def browser(self) -> dict[str, str]:
        """Returns the cookies of the browser that tests share; it may hold the seats of many participants."""
        return self.new_browser()

    def api(self, path: str, payload: dict[str, Any] | None = None) -> bytes:
        """Returns the response of the REST interface: GET, or POST of ``payload``."""
        data = None if payload is None else json.dumps(payload).encode()
        request = urllib.request.Request(self.url + path, data, headers={"otree-rest-key": REST_KEY})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return answer.read()

    def create_session(
        self, config: str, participants: int = 1, room_name: str | None = None, **fields: Any
    ) -> LabSession:
        """Creates a session of the config named ``config``, with ``fields`` changed.

        Its seed is 1, and participants may skip the steps of the instructions.
        """
        answer = self.api(
            "/api/sessions",
            {
                "session_config_name": config,
                "room_name": room_name,
                "num_participants": participants,
                "modified_session_config_fields": {"seed": 1, "tutorial": "free", **fields},
            },
        )
        code = json.loads(answer)["code"]
        rows = json.loads(self.api(f"/api/get_session/{code}", {}))["participants"]
        codes = [row["code"] for row in sorted(rows, key=lambda row: row["id_in_session"])]
        self._codes.update(codes)
        return LabSession(code, codes, [f"{self.url}/InitializeParticipant/{code}" for code in codes])

    def export(self, session: str, app: str = "ttt_solo_app", function: str = "custom_export") -> str:
        """Returns the text of one export of a session."""
        path = f"/api/export_app_custom?app={app}&session_code={session}&function_name={function}"
        return self.api(path).decode()

    def sqlite(self) -> sqlite3.Connection:
        """Returns a separate connection to the server's database file."""
        return sqlite3.connect(self.folder / "db.sqlite3")

    def query(self, sql: str, *values: Any) -> list[tuple]:
        """Returns the rows that a SELECT finds in the server's database file."""
        with contextlib.closing(self.sqlite()) as database:
            return database.execute(sql, values).fetchall()

    def set_label(self, participant: str, label: str) -> None:
        """Sets a participant's label without any check, as found in databases of older versions."""
        with contextlib.closing(self.sqlite()) as database, database:
            database.execute("UPDATE otree_participant SET label = ? WHERE code = ?", [label, participant])

    def row_counts(self) -> dict[str, int]:
        """Returns the number of rows of each table; for the table of records, the number of sessions.

        Tables that grow without any request are left out. An engine's answer or a time limit from an earlier
        test may add lines to a record, or page times, at any moment.
        """
        tables = self.query("SELECT name FROM sqlite_master WHERE type = 'table'")
        growing = {"otree_taskqueuemessage", "otree_pagetimebatch"}
        counted = {name: "count(*)" for (name,) in tables if name not in growing}
        if "card_lab_line" in counted:
            counted["card_lab_line"] = "count(DISTINCT session_id)"
        return {name: self.query(f'SELECT {what} FROM "{name}"')[0][0] for name, what in counted.items()}


class Postgres:
    """A PostgreSQL server for the tests, on a free port; ``stop`` removes its data."""

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="card-lab-postgres-"))
        # PostgreSQL refuses to run as root, and its user cannot open pytest's own folders.
        self.user = {}
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self.user = {"user": "postgres", "group": "postgres", "extra_groups": []}
        self.process: subprocess.Popen | None = None

    @staticmethod
    def programs() -> Path | None:
        """Returns the folder of initdb and postgres; None where PostgreSQL is not installed."""
        folder = os.environ.get("CARD_LAB_POSTGRES") or postgres_folder()
        return Path(folder) if folder else None

    def start(self) -> Postgres:
        """Creates the data folder if needed and starts the server; returns when it answers."""
        with open(self.folder / "log.txt", "ab") as log:
            to_log = {"stdout": log, "stderr": subprocess.STDOUT, "cwd": self.folder, **self.user}
            data, programs = self.folder / "data", self.programs()
            if not data.exists():
                options = ["-U", "lab", "-A", "trust", "-E", "UTF8", "--no-sync"]
                subprocess.run([programs / "initdb", "-D", data, *options], check=True, **to_log)
            options = [
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "fsync=off",
            ]
            command = [programs / "postgres", "-D", data, "-p", str(self.port), *options]
            self.process = subprocess.Popen(command, **to_log)
        wait_for(self._answers, "PostgreSQL to answer")
        return self

    def halt(self) -> None:
        """Ends the server, cutting off its clients; the data remain."""
        if self.process:
            self.process.send_signal(signal.SIGINT)  # PostgreSQL's "fast shutdown"
            self.process.wait()
            self.process = None

    def restart(self) -> None:
        """Restarts on the same data, as a system update does."""
        self.halt()
        self.start()

    def _answers(self) -> bool:
        try:
            self._connection().close()
        except psycopg2.OperationalError:
            assert self.process.poll() is None, (self.folder / "log.txt").read_text()
            return False
        return True

    def _connection(self):
        return psycopg2.connect(
            host="127.0.0.1", port=self.port, user="lab", password="unused", dbname="postgres"
        )

    def new_database(self) -> str:
        """Returns the DATABASE_URL of a new, empty database."""
        name = f"card_lab_{time.time_ns()}"
        connection = self._connection()
        connection.autocommit = True  # CREATE DATABASE cannot run in a transaction
        connection.cursor().execute(f"CREATE DATABASE {name}")
        connection.close()
        return f"postgresql://lab:unused@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        """Ends the server and removes its data."""
        self.halt()
        shutil.rmtree(self.folder, ignore_errors=True)
