"""Simulates participants of a running server: visitors over HTTP and tabs over WebSockets."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import requests
import websockets
from harnesses import GAMES
from server_fixture import LabServer

PATIENCE = 60  # seconds; far longer than any response takes, so only a lost one times out

# What a tab meets when the server is killed: a closed or refused connection, or half a handshake.
Gone = (websockets.ConnectionClosed, websockets.InvalidMessage, ConnectionError)

_loop = asyncio.new_event_loop()
threading.Thread(target=_loop.run_forever, daemon=True, name="tabs").start()


def _wait(coroutine) -> Any:
    """Returns the result of a coroutine, which runs in the thread of all tabs' sockets."""
    try:
        return _result(coroutine, PATIENCE)
    except asyncio.TimeoutError:
        raise AssertionError(f"the server did not answer in {PATIENCE} s") from None


def _result(coroutine, seconds: float) -> Any:
    return asyncio.run_coroutine_threadsafe(asyncio.wait_for(coroutine, seconds), _loop).result()


async def _connected(url: str, cookies: Mapping[str, str]):
    limits = {"open_timeout": None, "ping_interval": None, "max_size": None, "max_queue": None}
    shown = "; ".join(f"{name}={value}" for name, value in cookies.items())
    return await websockets.connect(url, **limits, extra_headers={"Cookie": shown} if shown else {})


class Socket:
    """A WebSocket of the server, for tests that wait for each answer.

    Like a page, it answers the server's pings, unless it is ``silent``. It is opened by the browser that all
    tests share, or by one with other ``cookies``.
    """

    def __init__(self, server: LabServer, path: str, cookies: Mapping[str, str] | None = None):
        url = server.url.replace("http", "ws", 1) + path
        self.silent = False
        self._arrived: asyncio.Queue[str | websockets.ConnectionClosed] = asyncio.Queue()
        self._socket = _wait(_connected(url, server.browser if cookies is None else cookies))
        asyncio.run_coroutine_threadsafe(self._listen(), _loop)

    async def _listen(self) -> None:
        try:
            while True:
                text = await self._socket.recv()
                if text != '"ping"':
                    self._arrived.put_nowait(text)
                elif not self.silent:
                    await self._socket.send("pong")
        except websockets.ConnectionClosed as gone:
            self._arrived.put_nowait(gone)

    async def _next(self) -> str:
        arrived = await self._arrived.get()
        if isinstance(arrived, websockets.ConnectionClosed):
            self._arrived.put_nowait(arrived)  # so that later calls raise it again
            raise arrived
        return arrived

    @property
    def extensions(self) -> list[Any]:
        """Returns the WebSocket extensions of the connection."""
        return self._socket.extensions

    def send(self, frame: str | bytes) -> None:
        _wait(self._socket.send(frame))

    def send_broken_text(self, content: bytes) -> None:
        """Sends bytes as a text frame, which a browser cannot do."""
        _wait(self._socket.write_frame(True, 0x1, content))

    def receive(self) -> Any:
        """Returns the next message, as JSON."""
        return self.on_message(json.loads(_wait(self._next())))

    def receives_within(self, seconds: float) -> bool:
        """Returns whether a message comes within this time, and consumes it."""
        try:
            self.on_message(json.loads(_result(self._next(), seconds)))
        except asyncio.TimeoutError:
            return False
        return True

    def on_message(self, message: Any) -> Any:
        """Processes a received message and returns it."""
        return message

    def close(self) -> None:
        _wait(self._socket.close())

    def drop_connection(self) -> None:
        """Drops the connection without closing it, as a cut cable does; nothing more is read."""
        _loop.call_soon_threadsafe(self._socket.transport.abort)

    def __enter__(self):
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class Tab(Socket):
    """A browser tab at a hand page; ``state`` is the last message that contained a view.

    ``received`` has every message. By default the tab plays even if the seat is open elsewhere.
    """

    def __init__(
        self,
        server: LabServer,
        code: str,
        page_index: int,
        query: str = "here=1",
        cookies: Mapping[str, str] | None = None,
    ):
        super().__init__(server, f"/hand/{code}/{page_index}?{query}", cookies)
        self.state: dict[str, Any] = {}
        self.received: list[dict[str, Any]] = []
        self.first = self.receive()

    def on_message(self, message: dict[str, Any]) -> dict[str, Any]:
        self.received.append(message)
        if "view" in message:
            self.state = message
        return message

    def until(self, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Receives until the condition holds for the board, and returns that message."""
        while not condition(self.state):
            self.receive()
        return self.state

    def wait_for_reload(self) -> bool:
        """Receives until the server asks the page to reload."""
        while self.receive() != {"reload": True}:
            pass
        return True

    def message(self, action: str, **changes: Any) -> str:
        """Returns the text a page would send for an action; ``changes`` replaces fields."""
        fields = {"hand": self.state["hand"], "number": self.state["next"], "ms": self.state["clock"]}
        return json.dumps({**fields, "action": action, "traces": [], **changes})

    def send_action(self, action: str, **changes: Any) -> dict[str, Any]:
        """Sends an action and returns the answer."""
        self.send(self.message(action, **changes))
        return self.receive()

    def ask(self, action: str, **changes: Any) -> dict[str, Any]:
        """Sends an action and returns the answer, skipping other players' updates that arrive first."""
        number = self.state["next"]
        self.send(self.message(action, **changes))
        message = self.receive()
        while "refused" not in message and message["next"] == number:
            message = self.receive()
        return message

    def act(self, action: str, **changes: Any) -> dict[str, Any]:
        """Sends an action that must be accepted; returns the answer, skipping updates that arrive first."""
        message = self.ask(action, **changes)
        assert "refused" not in message, (action, message)
        return message

    def refused(self, action: str, **changes: Any) -> dict[str, Any]:
        """Sends an action that must be refused; returns the answer, skipping updates that arrive first."""
        self.send(self.message(action, **changes))
        message = self.receive()
        while "refused" not in message:
            message = self.receive()
        return message

    def play(self, moves: str) -> dict[str, Any]:
        """Plays the moves, each of which must be accepted; returns the last message with a view."""
        for move in moves:
            message = self.send_action(move)
            assert "refused" not in message, (move, message)
        return self.state


def send_at_once(frames: list[tuple[Socket, str]]) -> None:
    """Sends the frames without waiting between them, in their order."""

    async def send() -> None:
        await asyncio.gather(*(socket._socket.send(frame) for socket, frame in frames))

    _wait(send())


class Visitor:
    """A participant's browser without scripts: opens pages, follows redirects, sends forms.

    It is the browser that all tests share, or one with other ``cookies``.
    """

    def __init__(
        self,
        server: LabServer,
        code: str,
        label: str | None = None,
        cookies: Mapping[str, str] | None = None,
    ):
        self.server, self.code = server, code
        self.http = requests.Session()
        self.http.trust_env = False  # never through a proxy
        self.http.cookies.update(server.browser if cookies is None else cookies)
        self.page: requests.Response
        self.ready: list[int] | None = None  # on a wait page: how many people are ready, of how many
        self.open_start_link(label)

    def open_start_link(self, label: str | None = None) -> None:
        """Opens the start link, which leads to the page the participant is on."""
        query = {"participant_label": label} if label is not None else None
        self._opened(self.http.get(f"{self.server.url}/InitializeParticipant/{self.code}", params=query))

    def _opened(self, page: requests.Response) -> None:
        assert page.status_code == 200, (page.url, page.status_code, page.text[:500])
        self.page = page
        if self.name == "Gather":  # as the page's script does
            answer = self.http.get(f"{page.url}?here=1")
            if answer.history:  # redirected
                self._opened(answer)
            else:
                self.ready = answer.json()

    @property
    def name(self) -> str:
        """Returns the class of the page: ``Instructions``, ``Check``, ``Hand``, ``Results`` …"""
        return urlsplit(self.page.url).path.split("/")[-2]

    @property
    def app(self) -> str:
        """Returns the app's name in the address."""
        return urlsplit(self.page.url).path.split("/")[-3]

    @property
    def index(self) -> int:
        """Returns oTree's index of the page in the whole session."""
        return int(urlsplit(self.page.url).path.split("/")[-1])

    def send(self, **form: str) -> None:
        """Sends the page's form and opens the page that follows."""
        self._opened(self.http.post(self.page.url, data=form))

    def right_answers(self, wrong: Mapping[str, int] = MappingProxyType({})) -> dict[str, str]:
        """Returns the right answers of the open comprehension check, by field.

        ``wrong`` says how often each was answered wrong, because each wrong answer changes the form of the
        question.
        """
        names = dict.fromkeys(re.findall(r'type="radio" name="(\w+)"', self.page.text))
        return next(
            {field: forms[field][wrong.get(field, 0) % len(forms[field])] for field in names}
            for forms in (game.harness.ANSWERS for game in GAMES.values())
            if set(names) <= set(forms)
        )

    def go_on(self) -> None:
        """Goes on to the next page, whichever it is, answering the check and waiting for a group."""
        before, name = self.index, self.name
        if name == "Gather":
            self.wait_for_group()
        else:
            self.send(**(self.right_answers() if name == "Check" else {}))
        assert self.index > before, f"{name} does not let the participant pass"

    def walk_to(self, *names: str) -> int:
        """Goes on to the next page that has one of these names; returns its index."""
        while self.name not in names:
            self.go_on()
        return self.index

    def wait_page(self) -> Socket:
        """Returns the wait page's socket, which tells the server that the page is open."""
        path = re.search(r'id="goes-on" .*data-socket="(.+?)"', self.page.text)[1]
        return Socket(self.server, path, self.http.cookies)

    def wait_for_group(self) -> None:
        """Stays on the wait page, which polls and listens, until it continues."""
        here, deadline = self.page.url, time.monotonic() + PATIENCE
        while self.page.url == here:
            assert time.monotonic() < deadline, "no group in sight"
            with self.wait_page() as socket:
                socket.receives_within(0.2)
                self.open_start_link()

    def sit_down(self) -> Tab:
        """Walks to the next hand, unless already at one, and returns a tab there."""
        return Tab(self.server, self.code, self.walk_to("Hand"), cookies=self.http.cookies)

    def next_hand(self) -> Tab:
        """Continues from the page of a finished hand to the next hand."""
        before = self.index
        self.send()
        assert self.index > before
        return self.sit_down()

    def js_vars(self) -> dict[str, Any]:
        return json.loads(re.search(r"js_vars = (\{.*\})", self.page.text)[1])


def open_first_hand(server: LabServer, code: str) -> Tab:
    """Returns a tab of a participant who has walked from the start link to the first hand."""
    return Visitor(server, code).sit_down()


def create_by_form(server: LabServer, config: str, participants: int = 1, **fields: Any) -> dict[str, Any]:
    """Sends the admin's "create a new session" form; returns the server's last message.

    Unlike the REST interface, this creates the session in a background thread.
    """
    form = {"session_config": config, "num_participants": str(participants), "room_name": ""}
    fields = {"seed": 1, "tutorial": "free", **fields}
    with Socket(server, "/create_session") as admin:
        admin.send(json.dumps({**form, **{f"{config}.{key}": str(value) for key, value in fields.items()}}))
        message = admin.receive()
        while "progress" in message:
            message = admin.receive()
    return message


def creation_error(server: LabServer, config: str, participants: int = 2, **fields: Any) -> dict[str, Any]:
    """Returns the error message of a refused form: ``error``, and the text shown as ``traceback``."""
    message = create_by_form(server, config, participants, **fields)
    assert message.keys() - {"fields"} == {"error", "traceback"}, message
    return message


def advance(server: LabServer, session: str, participant: str | None = None) -> None:
    """Presses "Advance slowest participant(s)" on a session's monitor page, or advances one participant."""
    with requests.Session() as admin:
        admin.trust_env = False
        monitor = admin.get(f"{server.url}/SessionMonitor/{session}")
        token = dict(re.findall(r'name="(\w+)" value="(\d+)"', monitor.text))
        whom = {"selected_participant": participant} if participant else {"advancemode": "visited_only"}
        answer = admin.post(f"{server.url}/AdvanceSession/{session}", data={**token, **whom})
        assert answer.text == "ok", answer.text[:500]
