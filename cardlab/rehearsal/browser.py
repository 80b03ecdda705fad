"""As much of a browser as a participant needs: pages, forms, cookies, files fetched once, sockets."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import html
import json
import re
import ssl
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

import websockets

from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.pace import Pace

PATIENCE = 60  # seconds for an answer
MOST_REDIRECTS = 10
REDIRECTS = (301, 302, 303, 307, 308)

_FILES = re.compile(r'(?:href|src)="(/static/[^"]+)"')


class Failed(Exception):
    """What a participant cannot go on after; ``str(error)`` says it in a sentence."""


class Page(NamedTuple):
    """An opened page: its path, its text; whether it lies on another server, and is not read."""

    path: str
    text: str
    elsewhere: bool = False

    @property
    def name(self) -> str:
        """The class of the page, such as ``Instructions``; oTree's addresses end with it and a number."""
        parts = urlsplit(self.path).path.strip("/").split("/")
        return parts[-2] if len(parts) > 1 else parts[-1]

    def found(self, pattern: str) -> str | None:
        """What the group of a pattern finds in the page first, without HTML's escapes."""
        match = re.search(pattern, self.text)
        return html.unescape(match[1]) if match else None


class _Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class _Lost(Exception):
    """The connection has ended before anything was answered."""


class Browser:
    """One participant's browser at one server; ``figures`` is told how long everything took."""

    def __init__(self, url: str, figures: Figures) -> None:
        parts = urlsplit(url)
        self.secure = parts.scheme == "https"
        self.host = parts.hostname or "127.0.0.1"
        self.port = parts.port or (443 if self.secure else 80)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.figures = figures
        self._netloc = parts.netloc
        self._cookies: dict[str, str] = {}
        self._files: set[str] = set()
        self._stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._busy = asyncio.Lock()

    async def open(self, path: str, form: Mapping[str, str] | None = None) -> Page:
        """The page that a link leads to, or the form, with all files that it names."""
        began = time.perf_counter()
        page = await self._opened(path, form)
        self.figures.took("pages", time.perf_counter() - began)
        if not page.elsewhere:
            await self._fetch_files(page.text)
        return page

    async def ask(self, path: str) -> tuple[bool, str]:
        """What a page's script asks for; whether the answer was another page, and its text."""
        began = time.perf_counter()
        answer = await self._request("GET", path)
        self.figures.took("polls", time.perf_counter() - began)
        if answer.status in REDIRECTS:
            return True, ""
        self._check(answer, path)
        return False, answer.body.decode()

    def socket(self, path: str):
        """A connection to a socket of the server, to be awaited or entered."""
        scheme = "wss" if self.secure else "ws"
        return websockets.connect(
            f"{scheme}://{self._netloc}{path}",
            origin=self.origin,
            extra_headers=self._cookie(),
            open_timeout=PATIENCE,
            close_timeout=1,
            ping_interval=None,
            max_size=None,
        )

    def _cookie(self) -> dict[str, str]:
        """The header with all cookies; none without any."""
        pairs = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        return {"Cookie": pairs} if pairs else {}

    async def close(self) -> None:
        if self._stream:
            self._stream[1].close()
            self._stream = None

    async def _opened(self, path: str, form: Mapping[str, str] | None) -> Page:
        for _redirect in range(MOST_REDIRECTS):
            answer = await self._request("GET" if form is None else "POST", path, form)
            if answer.status not in REDIRECTS:
                self._check(answer, path)
                return Page(path, answer.body.decode("utf-8", "replace"))
            to, form = urljoin(self.origin + path, answer.headers.get("location", "")), None
            if urlsplit(to).netloc != self._netloc:
                return Page(to, "", elsewhere=True)
            path = to[len(self.origin) :]
        raise Failed(f"{path} leads on and on.")

    def _check(self, answer: _Answer, path: str) -> None:
        if answer.status >= 400:
            said = re.sub(r"<[^>]*>|\s+", " ", answer.body[:2000].decode("utf-8", "replace")).strip()
            raise Failed(f"{path} was answered {answer.status}: {said[:200]}")

    async def _fetch_files(self, text: str) -> None:
        """What the page names and the browser does not have yet; it keeps what it has fetched."""
        for path in map(html.unescape, _FILES.findall(text)):
            if path not in self._files:
                self._files.add(path)
                began = time.perf_counter()
                self._check(await self._request("GET", path), path)
                self.figures.took("files", time.perf_counter() - began)

    async def _request(self, method: str, path: str, form: Mapping[str, str] | None = None) -> _Answer:
        body = urlencode(form).encode() if form is not None else b""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._netloc}", "Accept-Encoding: gzip"]
        lines += [f"{name}: {value}" for name, value in self._cookie().items()]
        if form is not None:
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        asked = "\r\n".join([*lines, "", ""]).encode() + body
        async with self._busy:
            for fresh in (False, True):  # a server ends connections that nobody uses
                try:
                    return await asyncio.wait_for(self._exchange(asked, fresh), PATIENCE)
                except _Lost:
                    await self.close()
                except asyncio.TimeoutError:
                    await self.close()
                    raise Failed(f"{path} was not answered in {PATIENCE} s.") from None
                except OSError as error:
                    await self.close()
                    raise Failed(f"{path} could not be asked for ({error}).") from None
        raise Failed(f"{path}: the server ended the connection without an answer.")

    async def _exchange(self, asked: bytes, fresh: bool) -> _Answer:
        if self._stream is None or fresh:
            secure = ssl.create_default_context() if self.secure else None
            self._stream = await asyncio.open_connection(self.host, self.port, ssl=secure, limit=2**20)
        reader, writer = self._stream
        try:
            writer.write(asked)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            raise _Lost from None
        headers: dict[str, str] = {}
        for line in head[1:-2]:
            name, _colon, value = line.partition(":")
            if name.lower() == "set-cookie":
                key, _equals, kept = value.strip().partition(";")[0].partition("=")
                self._cookies[key] = kept
            headers[name.lower()] = value.strip()
        try:
            body = await self._body(reader, headers)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise _Lost from None
        self.figures.bytes += len(body)
        if headers.get("connection", "").lower() == "close":
            await self.close()
        if headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        return _Answer(int(head[0].split()[1]), headers, body)

    @staticmethod
    async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return await reader.readexactly(int(headers.get("content-length", 0)))
        parts = []
        while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
            parts.append(await reader.readexactly(size))
            await reader.readexactly(2)
        await reader.readuntil(b"\r\n")
        return b"".join(parts)


class Listening:
    """The small sockets of a page: by one the server knows that it is open, and says that the participant is
    paused, or was moved on; a page that waits has another, which says when it may go on. Either sets
    ``news``: the page is to be loaded anew."""

    def __init__(self, browser: Browser, page: Page, pace: Pace) -> None:
        self.news = asyncio.Event()
        self._paths = {
            page.found(r'id="goes-on"[^>]*data-socket="([^"]+)"'): lambda _said: self.news.set(),
            page.found(r'id="here"[^>]*data-socket="([^"]+)"'): self._hear,
        }
        self._browser, self._pace = browser, pace

    async def __aenter__(self) -> Listening:
        self._tasks = [
            asyncio.ensure_future(self._listen(path, hear)) for path, hear in self._paths.items() if path
        ]
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _hear(self, said: str | bytes) -> None:
        told = json.loads(said)
        if "paused" in told:
            self._pace.stand(told["paused"])
        else:
            self.news.set()

    async def _listen(self, path: str, hear: Callable[[str | bytes], None]) -> None:
        with contextlib.suppress(websockets.WebSocketException, OSError, asyncio.TimeoutError):
            async with self._browser.socket(path) as socket:
                async for said in socket:
                    hear(said)
