"""Tests that an ended connection is freed without garbage collection."""

from __future__ import annotations

import asyncio
import gc
import weakref
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import websockets
import without_database  # noqa: F401
from server_fixture import free_port
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from uvicorn import Config, Server

from cardlab.guard import connections
from cardlab.guard.connections import GuardedConnection
from cardlab.guard.rate_limits import RateLimits
from cardlab.live.client import ignoring_disconnect, send
from cardlab.server.asgi import PlainWebSocket

TIMEOUT = 0.1  # seconds until the next request, in some tests
HANDSHAKE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
ENDED_BY_PAGE, ENDED_BY_SERVER, BROKEN_OFF = "page", "server", "broken off"


async def _answers(websocket):
    with ignoring_disconnect(websocket):
        await websocket.accept()
        while (frame := await websocket.receive())["type"] != "websocket.disconnect":
            await send(websocket, frame["text"])
            if frame["text"] == ENDED_BY_SERVER:
                await websocket.close()
                return


async def _one_connection(port: int, end: str) -> None:
    async with websockets.connect(f"ws://127.0.0.1:{port}/") as socket:
        await socket.send(end)
        assert await socket.recv() == f'"{end}"'
        if end == BROKEN_OFF:
            socket.transport.abort()
            await socket.wait_closed()  # from Python 3.12 on, close() fails before that


async def _until(condition) -> None:
    while not condition():
        await asyncio.sleep(0.01)


@asynccontextmanager
async def _served(app, **options):
    """Yields a server with an application, with the given options of uvicorn."""
    server = Server(Config(app, port=free_port(), log_config=None, lifespan="off", **options))
    server.install_signal_handlers = lambda: None
    serving = asyncio.ensure_future(server.serve())
    await asyncio.wait_for(_until(lambda: server.started), 10)
    yield server
    server.should_exit = True
    await serving


async def _left(watched: list[weakref.ref], server: Server) -> int:
    """Returns how many connections are still in memory after all have ended."""
    state = server.server_state
    await asyncio.wait_for(_until(lambda: watched and not (state.connections or state.tasks)), 10)
    with suppress(asyncio.TimeoutError):  # lets the event loop release its references
        await asyncio.wait_for(_until(lambda: not any(connection() for connection in watched)), 3)
    left = sum(connection() is not None for connection in watched)
    watched.clear()
    return left


async def _left_over() -> dict[str, int]:
    """Returns how many sockets are still in memory after they have ended, by kind of end."""
    watched: list[weakref.ref] = []

    class Watched(PlainWebSocket):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            watched.append(weakref.ref(self))

    left = {}
    async with _served(Starlette(routes=[WebSocketRoute("/", _answers)]), ws=Watched) as server:
        for end in (ENDED_BY_PAGE, ENDED_BY_SERVER, BROKEN_OFF):
            for _time in range(3):
                await _one_connection(server.config.port, end)
            left[end] = await _left(watched, server)
    return left


async def _page(_request):
    return PlainTextResponse("a page")


async def _left_over_of_pages() -> int:
    """Returns how many page connections are still in memory after the browser has closed them."""
    watched: list[weakref.ref] = []

    class Watched(GuardedConnection):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, limits=RateLimits(), **named)
            watched.append(weakref.ref(self))

    async with _served(Starlette(routes=[Route("/", _page)]), http=Watched) as server:
        for _time in range(3):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.config.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            await reader.readuntil(b"a page")
            writer.close()
            await writer.wait_closed()
        return await _left(watched, server)


async def _slow_page(_request):
    await asyncio.sleep(4 * TIMEOUT)
    return PlainTextResponse("a slow page")


async def _slow_socket(websocket):
    with ignoring_disconnect(websocket):
        await websocket.accept()
        await asyncio.sleep(4 * TIMEOUT)
        await send(websocket, "still open")
        await websocket.receive()


async def _answer_to_second_request(route: Route | WebSocketRoute, headers: bytes, end: bytes) -> bytes:
    """Returns the answer to a request, up to ``end``, that arrives during the answer to another one."""
    http = partial(GuardedConnection, limits=RateLimits())
    app = Starlette(routes=[Route("/first", _page), route])
    async with _served(app, http=http, timeout_keep_alive=TIMEOUT) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.config.port)
        writer.write(b"GET /first HTTP/1.1\r\nHost: here\r\n\r\n")
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n" + headers + b"\r\n")
        await reader.readuntil(b"a page")
        answer = await reader.readuntil(end)
        writer.close()
        return answer


@pytest.mark.parametrize(
    ("route", "headers", "end"),
    [
        (Route("/", _slow_page), b"", b"a slow page"),
        (WebSocketRoute("/", _slow_socket), HANDSHAKE, b"still open"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")  # of uvicorn's use of websockets
def test_early_request_may_be_answered_slowly(monkeypatch, route, headers, end):
    """The timeout between two requests does not close the connection during the second answer."""
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT_SECONDS", TIMEOUT)
    answer = _answer_to_second_request(route, headers, end)
    assert end in asyncio.run(asyncio.wait_for(answer, 20))


def test_an_http_connection_is_freed_at_once():
    gc.disable()
    try:
        assert asyncio.run(_left_over_of_pages()) == 0
    finally:
        gc.enable()


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")  # of uvicorn's use of websockets
def test_a_websocket_is_freed_at_once():
    gc.disable()
    try:
        assert asyncio.run(_left_over()) == {ENDED_BY_PAGE: 0, ENDED_BY_SERVER: 0, BROKEN_OFF: 0}
    finally:
        gc.enable()
