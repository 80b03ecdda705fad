"""The systems that are compared: Card Lab, a live page of plain oTree, and a live page of uproot.

Each keeps one list for each client. A seat is a client's connection: it appends a value and returns when the
system has acknowledged it, and it reads the list.
"""

from __future__ import annotations

import contextlib
import csv
import html
import io
import json
import os
import re
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
import venv
from pathlib import Path
from typing import Any, ClassVar, Protocol

import websockets
from live_move import BareServer, walk
from server_fixture import LabServer, free_port

from cardlab.operations import project
from cardlab.operations.server import wait_until_listening

ANSWER_SECONDS = 30.0
UPROOT_FOLDER = Path(".venv-uproot")
UPROOT_PACKAGES = Path(__file__).with_name("uproot.txt")


class Seat(Protocol):
    """A client's connection."""

    async def append(self, value: int) -> None:
        """Returns when the value is acknowledged."""

    async def read(self) -> list[int]:
        """Returns the list."""


class System(Protocol):
    """A server with one list for each client, on a database that outlives it."""

    name: ClassVar[str]

    def __init__(self, folder: Path, database_url: str | None) -> None: ...
    def start(self) -> object: ...
    def kill(self) -> None:
        """Ends the server at once."""

    def stop(self) -> None:
        """Stops the server as an operator does."""

    def create(self, clients: int) -> None:
        """Creates a session, and takes each client to its page."""

    def connect(self, client: int) -> contextlib.AbstractAsyncContextManager[Seat]: ...
    def last_lists(self) -> list[list[int]] | None:
        """Returns the lists in an export, by client; None where a seat's ``read`` returns the same."""


@contextlib.asynccontextmanager
async def _socket(address: str, **options: Any):
    async with websockets.connect(
        address, ping_interval=None, max_size=None, close_timeout=0.2, **options
    ) as socket:
        yield socket


class HandSeat:
    """A participant at a hand of Target the Two that is never solved; the value is the action's number."""

    def __init__(self, socket: Any, hand: int, number: int) -> None:
        self._socket, self._hand, self._number = socket, hand, number

    async def append(self, value: int) -> None:
        action = "U" if value % 2 else "P"  # Ck exchanges with the card UP, and Nk passes
        message = {"hand": self._hand, "number": value, "action": action, "ms": value}
        await self._socket.send(json.dumps(message))
        answer = json.loads(await self._socket.recv())
        if "refused" in answer:  # it could not be saved, because the database is gone
            raise ConnectionError(answer["refused"])
        if answer["next"] != value + 1:
            raise AssertionError(answer)

    async def read(self) -> list[int]:
        return [*range(1, self._number)]


class CardLab(LabServer):
    """Card Lab itself, with its usual settings."""

    name = "Card Lab"
    APP = "ttt_solo_app"

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)

    def create(self, clients: int) -> None:
        self.session = self.create_session("ttt_demo", clients, MaxRounds="1000")
        pages = [walk(start, "Hand")[1] for start in self.session.start_urls]
        self.hands = [json.loads(re.search(r"var js_vars = (.*?);</script>", page)[1]) for page in pages]

    @contextlib.asynccontextmanager
    async def connect(self, client: int):
        address = f"ws://127.0.0.1:{self.port}{self.hands[client]['socket']}"
        async with _socket(address) as socket:
            first = json.loads(await socket.recv())
            if "refused" in first:  # the database is gone
                raise ConnectionError(first["refused"])
            yield HandSeat(socket, self.hands[client]["hand"], first["next"])

    def last_lists(self) -> list[list[int]]:
        rows = [*csv.DictReader(io.StringIO(self.export(self.session.code, self.APP)))]
        return [
            [
                int(row["client_ms"])
                for row in rows
                if row["participant_code"] == code and row["seat"] and row["accepted"] == "1"
            ]
            for code in self.session.participants
        ]


class LiveSeat:
    """A participant at oTree's live page."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket

    async def _send(self, message: dict[str, Any]) -> Any:
        await self._socket.send(json.dumps(message))
        return json.loads(await self._socket.recv())["live_method_payload"]

    async def append(self, value: int) -> None:
        answer = await self._send({"append": value})
        if answer != {"appended": value}:
            raise AssertionError(answer)

    async def read(self) -> list[int]:
        return (await self._send({"read": True}))["values"]


LIVE_APP = """
from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models
import json


class C(BaseConstants):
    NAME_IN_URL = "bare"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    values = models.LongStringField(initial="[]")


def creating_session(subsession):
    subsession.set_group_matrix([[player] for player in subsession.get_players()])


class Live(Page):
    @staticmethod
    def live_method(player, data):
        values = json.loads(player.values)
        if "read" in data:
            return {player.id_in_group: {"values": values}}
        player.values = json.dumps([*values, data["append"]])
        return {player.id_in_group: {"appended": data["append"]}}


page_sequence = [Live]
"""


class PlainOtree(BareServer):
    """oTree's production server on a project with one live page."""

    name = "oTree"

    def __init__(self, folder: Path, database_url: str | None) -> None:
        super().__init__(folder, LIVE_APP, ("Live",), database_url)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)

    def create(self, clients: int) -> None:
        session = self.create_session("bare", clients)
        pages = [walk(start, "Live")[1] for start in session.start_urls]
        sockets = [re.search(r'id="otree-live" data-socket-url="([^"]+)"', page)[1] for page in pages]
        self._addresses = [f"ws://127.0.0.1:{self.port}{html.unescape(one)}" for one in sockets]

    @contextlib.asynccontextmanager
    async def connect(self, client: int):
        async with _socket(self._addresses[client]) as socket:
            yield LiveSeat(socket)

    def last_lists(self) -> None:
        return None


UPROOT_MAIN = """
import uproot.deployment as upd
from uproot.cli import cli
from uproot.server import load_config, uproot_server

load_config(uproot_server, config="list", apps=["live"])
upd.ADMINS["admin"] = "only for the benchmark"
upd.API_KEYS.add("key of the benchmark")

if __name__ == "__main__":
    cli()
"""
UPROOT_APP = """
from uproot.smithereens import *

DESCRIPTION = ""
LANDING_PAGE = False


class C:
    pass


def new_player(player):
    player.values = []


class Live(Page):
    @live
    async def append(page, player, value: int):
        player.values = [*player.values, value]
        return value

    @live
    async def read(page, player):
        return player.values


page_order = [Live]
"""
UPROOT_PAGE = '{% extends "Base.html" %}{% block main %}<p>A list</p>{% endblock main %}'


class UprootSeat:
    """A player at uproot's live page."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._calls = socket, 0

    async def _call(self, method: str, *arguments: Any) -> Any:
        self._calls += 1
        call = {"mname": method, "args": arguments, "kwargs": {}}
        await self._socket.send(
            json.dumps({"endpoint": "invoke", "payload": call, "future": str(self._calls)})
        )
        answer = json.loads(await self._socket.recv())["payload"]
        if answer["error"]:  # an exception in the method, such as a lost database
            raise ConnectionError(answer)
        if answer["future"] != str(self._calls):
            raise AssertionError(answer)
        return answer["data"]

    async def append(self, value: int) -> None:
        if await self._call("append", value) != value:
            raise AssertionError(value)

    async def read(self) -> list[int]:
        return await self._call("read")


class Uproot:
    """uproot's server on a project with one live page, in its own Python environment."""

    name = "uproot"

    def __init__(self, folder: Path, database_url: str | None) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        (folder / "live").mkdir(parents=True)
        (folder / "main.py").write_text(UPROOT_MAIN)
        (folder / "live" / "__init__.py").write_text(UPROOT_APP)
        (folder / "live" / "Live.html").write_text(UPROOT_PAGE)
        database = {"UPROOT_DATABASE": "postgresql", "UPROOT_POSTGRESQL": database_url}
        self._environment = {**os.environ, **(database if database_url else {})}
        self.process: subprocess.Popen | None = None

    def start(self) -> Uproot:
        command = [uproot_python(), "main.py", "run", "--host", "127.0.0.1", "--port", str(self.port)]
        with open(self.folder / "log.txt", "ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_until_listening(self.process, self.port)
        return self

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)

    def stop(self) -> None:
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(30)
            self.process = None

    def _open(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> str:
        request = urllib.request.Request(self.url + path, body, headers or {})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return answer.read().decode()

    def create(self, clients: int) -> None:
        self._names = [f"client{number}" for number in range(clients)]
        session = {"config": "list", "n_players": clients, "unames": self._names, "sname": "durability"}
        headers = {"Authorization": "Bearer key of the benchmark", "Content-Type": "application/json"}
        self._open("/admin/api/v1/sessions/", json.dumps(session).encode(), headers)
        for name in self._names:
            path = f"/p/durability/{name}/"
            page = json.loads(re.search(r"uproot\.vars = (\{.*?\});", self._open(path))[1])
            key = page["_uproot_internal"]["key"]
            form = {"_uproot_from": "-1", "_uproot_csrf": f"durability+{name}+{key}"}
            self._open(path, urllib.parse.urlencode(form).encode())

    @contextlib.asynccontextmanager
    async def connect(self, client: int):
        address = f"ws://127.0.0.1:{self.port}/ws/durability/{self._names[client]}/"
        async with _socket(address, origin=self.url) as socket:
            yield UprootSeat(socket)

    def last_lists(self) -> None:
        return None


def uproot_python() -> Path:
    """Returns the Python of uproot's environment, which is created at the first call."""
    folder = project.FOLDER / UPROOT_FOLDER
    stamp = folder / UPROOT_PACKAGES.name
    program = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not stamp.exists() or stamp.read_bytes() != UPROOT_PACKAGES.read_bytes():
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([program, "-m", "pip", "install", "-q", "-r", UPROOT_PACKAGES], check=True)
        stamp.write_bytes(UPROOT_PACKAGES.read_bytes())
    return program


def uproot_version() -> str:
    """Returns the pinned version of uproot."""
    return re.search(r"^uproot-science==(\S+)", UPROOT_PACKAGES.read_text(), re.M)[1]


SYSTEMS: dict[str, type[System]] = {"card-lab": CardLab, "otree": PlainOtree, "uproot": Uproot}
