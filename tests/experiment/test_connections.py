"""A connection that has ended is gone, without Python having to look for it."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest
import websockets
from server_fixture import free_port
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from uvicorn import Config, Server

from experiment.prodserver import PlainWebSocket
from experiment.tab import quietly, tell

ENDED_BY_PAGE, ENDED_BY_SERVER, BROKEN_OFF = "page", "server", "broken off"


async def _answers(websocket):
    with quietly(websocket):
        await websocket.accept()
        while (frame := await websocket.receive())["type"] != "websocket.disconnect":
            await tell(websocket, frame["text"])
            if frame["text"] == ENDED_BY_SERVER:
                await websocket.close()
                return


async def _one_connection(port: int, end: str) -> None:
    async with websockets.connect(f"ws://127.0.0.1:{port}/") as socket:
        await socket.send(end)
        assert await socket.recv() == f'"{end}"'
        if end == BROKEN_OFF:
            socket.transport.abort()


async def _until(condition) -> None:
    while not condition():
        await asyncio.sleep(0.01)


async def _left_over() -> dict[str, int]:
    """How many connections are left of each kind after they have ended."""
    there: list[weakref.ref] = []

    class Watched(PlainWebSocket):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            there.append(weakref.ref(self))

    app = Starlette(routes=[WebSocketRoute("/", _answers)])
    port = free_port()
    server = Server(Config(app, port=port, ws=Watched, log_config=None, lifespan="off"))
    server.install_signal_handlers = lambda: None
    serving = asyncio.ensure_future(server.serve())
    await asyncio.wait_for(_until(lambda: server.started), 10)
    left, state = {}, server.server_state
    for end in (ENDED_BY_PAGE, ENDED_BY_SERVER, BROKEN_OFF):
        for _time in range(3):
            await _one_connection(port, end)
        await asyncio.wait_for(_until(lambda: not (state.connections or state.tasks)), 10)
        for _turn in range(10):  # what the event loop still holds
            await asyncio.sleep(0)
        left[end] = sum(connection() is not None for connection in there)
        there.clear()
    server.should_exit = True
    await serving
    return left


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")  # of uvicorn's use of websockets
def test_a_connection_that_has_ended_is_gone():
    gc.disable()
    try:
        assert asyncio.run(_left_over()) == {ENDED_BY_PAGE: 0, ENDED_BY_SERVER: 0, BROKEN_OFF: 0}
    finally:
        gc.enable()
