"""Tests a simulated participant's connection to successive hands."""

import asyncio
import json
from types import SimpleNamespace

import pytest
import websockets

from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.hand import Board, MovedOn

PAGE = {"socket": "/hand/abcd/7", "hand": 2}
STATE = {"hand": 2, "view": {}, "over": False, "next": 0, "clock": 0}


async def move_on_and_return():
    """Opens a board whose page is over, then the next one on the same connection; returns its state."""

    async def serve(socket):
        await socket.send('{"reload": true}')
        assert json.loads(await socket.recv()) == {"page": 7}
        await socket.send(json.dumps(STATE))
        await socket.wait_closed()

    async with websockets.serve(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        browser = SimpleNamespace(
            sockets={}, connect=lambda path: websockets.connect(f"ws://127.0.0.1:{port}{path}")
        )
        with pytest.raises(MovedOn):
            await Board(browser, PAGE, "tab", Figures()).__aenter__()
        async with Board(browser, PAGE, "tab", Figures()) as board:
            state = board.state
        await browser.sockets["hand"].close()
        return state


def test_connection_outlives_a_page_that_is_over():
    assert asyncio.run(asyncio.wait_for(move_on_and_return(), 20)) == STATE
