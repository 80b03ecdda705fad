"""A participant's browser, reduced to what a session needs: pages, forms, cookies, static files, sockets.

It has its own HTTP/1.1 client, because the rehearsal shares the processor with the server that it measures:
it parses a response in 0.02 ms; http.client needs 0.3 ms and h11, on which httpx builds, 0.6 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import html
import json
import re
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

from websockets.exceptions import WebSocketException
from websockets.legacy.client import connect
from websockets.typing import Origin

from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.pace import Pace

TIMEOUT = 60  # seconds for a response
MAX_REDIRECTS = 10
RECONNECT_AFTER = 2  # seconds
NO_CONTENT = 204
REDIRECTS = (301, 302, 303, 307, 308)

_STATIC_FILES = re.compile(r'(?:href|src)="(/static/[^"]+)"')


class RehearsalError(Exception):
    """An error after which a participant cannot continue; its text is a sentence."""


class ConnectionLost(RehearsalError):
    """Raised if a hand's connection ends or cannot be opened; a browser loads the page again."""


class Page(NamedTuple):
    """An opened page; one on another server (``is_external``) is not read."""

    path: str
    text: str
    is_external: bool = False

    @property
    def name(self) -> str:
        """The class of the page, such as ``Instructions``; oTree's addresses end with it and a number."""
        parts = urlsplit(self.path).path.strip("/").split("/")
        return parts[-2] if len(parts) > 1 else parts[-1]

    def search(self, pattern: str) -> str | None:
        """Returns the group of a pattern's first match, unescaped; None without a match."""
        match = re.search(pattern, self.text)
        return html.unescape(match[1]) if match else None


class _Response(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class NoResponse(Exception):
    """Raised if the connection ends before a response has arrived; the request is sent again."""


class Browser:
    """One participant's browser at one server; it records all durations in ``figures``.

    Attributes:
        patience: Seconds without a response after which the participant gives up.
        attempts: The number of times that a request is sent if the connection ends without a response.
    """

    patience: float = TIMEOUT
    attempts: int = 2

    def __init__(self, url: str, figures: Figures) -> None:
        parts = urlsplit(url)
        self.secure = parts.scheme == "https"
        self.host = parts.hostname or "127.0.0.1"
        self.port = parts.port or (443 if self.secure else 80)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.figures = figures
        self._netloc = parts.netloc
        self._cookies: dict[str, str] = {}
        self._cached_files: set[str] = set()
        self._stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._request_lock = asyncio.Lock()  # one request at a time on the connection
        self.sockets: dict[str, Any] = {}  # those that stay open from page to page, by kind

    async def open(self, path: str, form: Mapping[str, str] | None = None) -> Page:
        """Opens a link, or sends a form; loads the page that follows, with its static files."""
        start = time.perf_counter()
        page = await self._follow(path, form)
        self.figures.record("pages", time.perf_counter() - start)
        if not page.is_external:
            await self._load_files(page.text)
        return page

    async def poll(self, path: str) -> bool:
        """Sends a request of a page's script; returns whether it was redirected to another page."""
        start = time.perf_counter()
        response = await self._request("GET", path)
        self.figures.record("polls", time.perf_counter() - start)
        if response.status in REDIRECTS:
            return True
        _check_status(response, path)
        return False

    def connect(self, path: str) -> connect:
        """Returns a connection to a WebSocket of the server, to be awaited or entered."""
        scheme = "wss" if self.secure else "ws"
        return connect(
            f"{scheme}://{self._netloc}{path}",
            origin=Origin(self.origin),
            extra_headers=self._cookie_header(),
            open_timeout=self.patience,
            close_timeout=1,
            ping_interval=None,
            max_size=None,
        )

    def _cookie_header(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        return {"Cookie": cookies} if cookies else {}

    async def close(self) -> None:
        """Closes all connections."""
        for kind in list(self.sockets):
            await self.close_socket(kind)
        await self._close_stream()

    async def close_socket(self, kind: str) -> None:
        """Closes the socket of this kind, if one is open."""
        if socket := self.sockets.pop(kind, None):
            await socket.close()

    async def _close_stream(self) -> None:
        if self._stream:
            self._stream[1].close()
            self._stream = None

    async def _follow(self, path: str, form: Mapping[str, str] | None) -> Page:
        for _redirect in range(MAX_REDIRECTS):
            response = await self._request("GET" if form is None else "POST", path, form)
            if response.status not in REDIRECTS:
                _check_status(response, path)
                path = response.headers.get("card-lab-page", path)
                if response.status != NO_CONTENT:
                    return Page(path, response.body.decode("utf-8", "replace"))
                response.headers["location"] = path  # a page outside the shell
            target, form = urljoin(self.origin + path, response.headers.get("location", "")), None
            if urlsplit(target).netloc != self._netloc:
                return Page(target, "", is_external=True)
            path = target[len(self.origin) :]
        raise RehearsalError(f"{path} redirects too many times.")

    async def _load_files(self, text: str) -> None:
        for path in map(html.unescape, _STATIC_FILES.findall(text)):
            if path not in self._cached_files:
                self._cached_files.add(path)
                start = time.perf_counter()
                _check_status(await self._request("GET", path), path)
                self.figures.record("files", time.perf_counter() - start)

    async def _request(self, method: str, path: str, form: Mapping[str, str] | None = None) -> _Response:
        body = urlencode(form).encode() if form is not None else b""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._netloc}", "Accept-Encoding: gzip"]
        lines += [f"{name}: {value}" for name, value in self._cookie_header().items()]
        if form is not None:
            lines.append("Card-Lab-Shell: 1")  # as _static/cardlab/send_form.js
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        request = "\r\n".join([*lines, "", ""]).encode() + body
        async with self._request_lock:
            for attempt in range(self.attempts):  # the server closes idle connections
                try:
                    return await asyncio.wait_for(self._exchange(request, attempt > 0), self.patience)
                except NoResponse:
                    await self._close_stream()
                except asyncio.TimeoutError:
                    await self._close_stream()
                    raise RehearsalError(f"{path} did not respond within {self.patience:.0f} s.") from None
                except OSError as error:
                    await self._close_stream()
                    raise RehearsalError(f"{path} could not be requested ({error}).") from None
        raise RehearsalError(f"{path}: the server closed the connection without a response.")

    async def _exchange(self, request: bytes, is_retry: bool) -> _Response:
        if self._stream is None or is_retry:
            secure = ssl.create_default_context() if self.secure else None
            self._stream = await asyncio.open_connection(self.host, self.port, ssl=secure, limit=2**20)
        reader, writer = self._stream
        try:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            raise NoResponse from None
        headers: dict[str, str] = {}
        for line in head[1:-2]:
            name, _colon, value = line.partition(":")
            if name.lower() == "set-cookie":
                cookie, _equals, content = value.strip().partition(";")[0].partition("=")
                self._cookies[cookie] = content
            headers[name.lower()] = value.strip()
        try:
            body = await _read_body(reader, headers)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise NoResponse from None
        self.figures.bytes += len(body)
        if headers.get("connection", "").lower() == "close":
            await self._close_stream()
        if headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        return _Response(int(head[0].split()[1]), headers, body)


def _check_status(response: _Response, path: str) -> None:
    if response.status >= 400:
        text = re.sub(r"<[^>]*>|\s+", " ", response.body[:2000].decode("utf-8", "replace")).strip()
        raise RehearsalError(f"{path} returned status {response.status}: {text[:200]}")


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", 0)))
    parts = []
    while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return b"".join(parts)


class PageSockets:
    """The sockets of an open page.

    One socket reports that the page is open, and receives the researcher's pauses. A waiting page has another
    one, which announces that its group can continue. Either may set ``reload``: the page must be loaded
    again. The first stays open across pages that the browser shows in one document.
    """

    def __init__(self, browser: Browser, page: Page, pace: Pace) -> None:
        self.reload = asyncio.Event()
        self._handlers: dict[str, Callable[[str | bytes], Awaitable[None]]] = {
            "goes-on": self._handle_group,
            "here": self._handle_presence,
        }
        self._paths = {
            kind: page.search(rf'id="{kind}"[^>]*data-socket="([^"]+)"') for kind in self._handlers
        }
        self._stays = "data-shell" in page.text
        self._browser, self._pace = browser, pace

    async def __aenter__(self) -> PageSockets:
        self._tasks = [
            asyncio.ensure_future(self._receive(kind, path)) for kind, path in self._paths.items() if path
        ]
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._browser.close_socket("goes-on")
        if not self._stays:
            await self._browser.close_socket("here")

    async def _handle_group(self, _text: str | bytes) -> None:
        self.reload.set()

    async def _handle_presence(self, text: str | bytes) -> None:
        message = json.loads(text)
        if message.get("dropped"):  # the button "I am here"
            await self._browser.sockets["here"].send(json.dumps({"back": True}))
        if "paused" in message:
            self._pace.set_paused(message["paused"])
        else:
            self.reload.set()

    async def _receive(self, kind: str, path: str) -> None:
        sockets = self._browser.sockets
        while True:
            with contextlib.suppress(WebSocketException, OSError, asyncio.TimeoutError):
                if kind not in sockets or sockets[kind].closed:
                    sockets[kind] = await self._browser.connect(path)
                async for message in sockets[kind]:
                    await self._handlers[kind](message)
            await asyncio.sleep(RECONNECT_AFTER)
