"""Participants of a running server: visitors who open its pages over HTTP, tabs that play over sockets."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from typing import Any
from urllib.parse import urlsplit

import requests
import websockets
from server_fixture import LabServer

PATIENCE = 60  # seconds; far more than any answer takes, so that only a lost one is missed

RIGHT_ANSWERS = {
    "ck_into_target": "yes",
    "nk_into_target": "no",
    "who_is_next": "nk",
    "when_solved": "target",
}

# What a tab meets when the server is killed: cut off, or refused, or half a handshake.
Gone = (websockets.ConnectionClosed, websockets.InvalidMessage, ConnectionError)

_loop = asyncio.new_event_loop()
threading.Thread(target=_loop.run_forever, daemon=True, name="tabs").start()


def _wait(coroutine) -> Any:
    """The result of a coroutine: the sockets of all tabs live in one thread of their own."""
    try:
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(coroutine, PATIENCE), _loop).result()
    except asyncio.TimeoutError:
        raise AssertionError(f"the server did not answer in {PATIENCE} s") from None


async def _connected(url: str):
    limits = {"open_timeout": None, "ping_interval": None, "max_size": None, "max_queue": None}
    return await websockets.connect(url, **limits)


class Socket:
    """A WebSocket of the server, for tests that wait for each answer."""

    def __init__(self, server: LabServer, path: str):
        url = server.url.replace("http", "ws", 1) + path
        self._socket = _wait(_connected(url))

    def send(self, frame: str | bytes) -> None:
        _wait(self._socket.send(frame))

    def send_broken_text(self, content: bytes) -> None:
        """Send bytes as a text frame, which a browser cannot do."""
        _wait(self._socket.write_frame(True, 0x1, content))

    def hear(self) -> Any:
        """The next message, as JSON."""
        return json.loads(_wait(self._socket.recv()))

    def close(self) -> None:
        _wait(self._socket.close())

    def vanish(self) -> None:
        """Drop the connection without good-bye, as a cut cable does; nothing that comes is read."""
        _loop.call_soon_threadsafe(self._socket.transport.abort)

    def __enter__(self):
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class Tab(Socket):
    """A browser tab at a hand page; ``state`` is the last message that brought a view."""

    def __init__(self, server: LabServer, code: str, page_index: int):
        super().__init__(server, f"/hand/{code}/{page_index}")
        self.state: dict[str, Any] = {}
        self.first = self.hear()

    def hear(self) -> dict[str, Any]:
        said = super().hear()
        if "view" in said:
            self.state = said
        return said

    def message(self, action: str, **changes: Any) -> str:
        """The text a page would send for an action; ``changes`` replaces fields."""
        fields = {"hand": self.state["hand"], "number": self.state["next"], "ms": self.state["clock"]}
        return json.dumps({**fields, "action": action, "traces": [], **changes})

    def say(self, action: str, **changes: Any) -> dict[str, Any]:
        """Send an action and return the answer."""
        self.send(self.message(action, **changes))
        return self.hear()

    def play(self, moves: str) -> dict[str, Any]:
        """Play the moves, each of which must be accepted; the last answer."""
        for move in moves:
            said = self.say(move)
            assert "refused" not in said, (move, said)
        return self.state


class Visitor:
    """A participant's browser without scripts: opens pages, follows redirects, sends forms."""

    def __init__(self, server: LabServer, code: str, label: str | None = None):
        self.server, self.code = server, code
        self.http = requests.Session()
        self.http.trust_env = False  # never by way of a proxy
        self.page: requests.Response
        self.come(label)

    def come(self, label: str | None = None) -> None:
        """Open the start link, which leads to the page the participant is on."""
        query = {"participant_label": label} if label is not None else None
        self._opened(self.http.get(f"{self.server.url}/InitializeParticipant/{self.code}", params=query))

    def _opened(self, page: requests.Response) -> None:
        assert page.status_code == 200, (page.url, page.status_code, page.text[:500])
        self.page = page

    @property
    def name(self) -> str:
        """``Instructions``, ``Check``, ``Hand`` or ``Results``."""
        return urlsplit(self.page.url).path.split("/")[-2]

    @property
    def index(self) -> int:
        """oTree's index of the page in the whole session."""
        return int(urlsplit(self.page.url).path.split("/")[-1])

    def send(self, **form: str) -> None:
        """Send the page's form and open the page that follows."""
        self._opened(self.http.post(self.page.url, data=form))

    def walk_to(self, name: str) -> int:
        """Go on to the next page of that name, answering the check; its index."""
        while self.name != name:
            before = self.index
            self.send(**(RIGHT_ANSWERS if self.name == "Check" else {}))
            assert self.index > before, f"{self.name} does not let the participant pass"
        return self.index

    def sit_down(self) -> Tab:
        """A tab at the hand the participant comes to, or is at."""
        return Tab(self.server, self.code, self.walk_to("Hand"))

    def next_hand(self) -> Tab:
        """Leave the hand page, whose hand is over, for the next."""
        before = self.index
        self.send()
        assert self.index > before
        return self.sit_down()

    def js_vars(self) -> dict[str, Any]:
        return json.loads(re.search(r"js_vars = (\{.*\})", self.page.text)[1])


def seated(server: LabServer, code: str) -> Tab:
    """A tab of a participant who has walked from the start link to the first hand."""
    return Visitor(server, code).sit_down()


def create_by_form(server: LabServer, config: str, participants: int = 1, **fields: Any) -> dict[str, Any]:
    """Fill in and send the admin's "create a new session" form; the last message of the server.

    Unlike the REST interface this makes the session in a thread of its own, beside everything else.
    """
    form = {"session_config": config, "num_participants": str(participants), "room_name": ""}
    with Socket(server, "/create_session") as admin:
        admin.send(json.dumps({**form, **{f"{config}.{key}": str(value) for key, value in fields.items()}}))
        said = admin.hear()
        while "progress" in said:
            said = admin.hear()
    return said


def advance(server: LabServer, session: str) -> None:
    """Press "Advance slowest participant(s)" on the monitor page of a session."""
    with requests.Session() as admin:
        admin.trust_env = False
        monitor = admin.get(f"{server.url}/SessionMonitor/{session}")
        token = dict(re.findall(r'name="(\w+)" value="(\d+)"', monitor.text))
        answer = admin.post(
            f"{server.url}/AdvanceSession/{session}", data={**token, "advancemode": "visited_only"}
        )
        assert answer.text == "ok", answer.text[:500]
